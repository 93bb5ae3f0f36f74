// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a command with its output thrown away and prints what it took: cost-of COMMAND [ARGUMENT]... */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage use;
	int status, null;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: cost-of COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
			_exit(127);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
		perror("cost-of");
		return 1;
	}
	/* Processor time, which a busy machine does not change much; kilobytes. */
	printf("seconds=%.2f mib=%.0f\n",
	       (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6, (double)use.ru_maxrss / 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
