// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of knobs turned together: all or nothing, what moves along, undo, and undo unless confirmed. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "knobs/change.h"
#include "knobs/hold.h"
#include "knobs/lock.h"
#include "knobs/turn.h"
#include "lib/err.h"
#include "lib/stop.h"

/*
 * Toys in memory that processes share, since a guard is another one. Writing "a" moves "b"
 * up to at least a tenth of it.
 */
static char dir[64] = "/tmp/nettoll-change-XXXXXX";
static unsigned int *toy;
static int *failing;	/* the toy that cannot be written, -1: none */

static int toy_find(const char *key, struct knob *knob)
{
	if (strlen(key) != 1 || key[0] < 'a' || key[0] > 'c')
		return -ENOENT;
	knob->type = KNOB_UINT;
	knob->max = 1000;
	knob->cookie = key[0] - 'a';
	knob->explain = "a toy";
	return 0;
}

static int toy_read(const struct knob *knob, const struct knob_place *place, char *value)
{
	(void)place;
	snprintf(value, KNOB_VALUE_MAX, "%u", toy[knob->cookie]);
	return 0;
}

static int toy_write(const struct knob *knob, const struct knob_place *place, const char *value)
{
	(void)place;
	if (knob->cookie == *failing)
		return err_set(-EIO, NULL, "it is stuck");
	toy[knob->cookie] = (unsigned int)atoi(value);
	if (!knob->cookie && toy[1] < toy[0] / 10)
		toy[1] = toy[0] / 10;
	return 0;
}

static const char *const keys[] = { "a", "b", "c", NULL };
static const struct knob_family toys = {
	.name = "toy", .keys = keys, .find = toy_find, .read = toy_read, .write = toy_write,
};

static const struct knob_place here;

static int setup_all(void **state)
{
	(void)state;
	toy = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (toy == MAP_FAILED || !mkdtemp(dir) || setenv("NETTOLL_STATE_DIR", dir, 1))
		return -1;
	failing = (int *)(toy + 16);
	return knob_family_add(&toys);
}

static int teardown_all(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static int setup(void **state)
{
	(void)state;
	toy[0] = toy[1] = toy[2] = 10;
	*failing = -1;
	return 0;
}

static int count_file(const char *path, void *arg)
{
	(void)path;
	++*(int *)arg;
	return 0;
}

static int under_way(void)
{
	int n = 0;

	journal_each(count_file, &n);
	return n;
}

static int kept(void)
{
	int n = 0;

	journal_kept_each(count_file, &n);
	return n;
}

static int undo_file(const char *path, void *arg)
{
	struct journal j;
	int ret = journal_load(&j, path);

	(void)arg;
	if (!ret)
		ret = turn_back(&j);
	journal_free(&j);
	return ret;
}

static bool hold;

/* "a=20 c=5" */
static int make(struct change *c, const char *words, unsigned int seconds)
{
	char copy[128], *word, *save = NULL, *eq, name[16];
	int ret = 0;

	*c = (struct change) { .what = "knob set toys", .seconds = seconds, .hold = hold };
	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &save); word && !ret; word = strtok_r(NULL, " ", &save)) {
		eq = strchr(word, '=');
		*eq = '\0';
		snprintf(name, sizeof(name), "toy.%s", word);
		ret = change_add(c, &here, name, eq + 1);
	}
	if (!ret)
		ret = change_look(c);
	return ret ? ret : change_make(c);
}

static void expect_toys(unsigned int a, unsigned int b, unsigned int c)
{
	assert_int_equal(toy[0], a);
	assert_int_equal(toy[1], b);
	assert_int_equal(toy[2], c);
}

static void change__and_undo(void **state)
{
	struct change c;

	(void)state;
	assert_int_equal(make(&c, "a=50 c=7", 0), 0);
	assert_int_equal(c.moved, 0);
	assert_int_equal(c.journal.n, 2);
	change_free(&c);
	expect_toys(50, 10, 7);
	assert_int_equal(under_way(), 0);
	assert_int_equal(kept(), 1);
	assert_int_equal(journal_kept_each(undo_file, NULL), 0);
	expect_toys(10, 10, 10);
	assert_int_equal(kept(), 0);
}

static void change__what_moves_along_is_undone(void **state)
{
	struct change c;

	(void)state;
	assert_int_equal(make(&c, "a=200", 0), 0);
	assert_int_equal(c.moved, 1);
	change_free(&c);
	expect_toys(200, 20, 10);
	assert_int_equal(journal_kept_each(undo_file, NULL), 0);
	expect_toys(10, 10, 10);
}

static void change__what_is_asked_for_wins(void **state)
{
	struct change c;

	(void)state;
	/* a moves b, which was set before it. */
	assert_int_equal(make(&c, "b=11 a=200 b=12", 0), 0);
	assert_int_equal(c.n, 2);
	change_free(&c);
	expect_toys(200, 12, 10);
	assert_int_equal(journal_kept_each(undo_file, NULL), 0);
	expect_toys(10, 10, 10);
}

static void change__nothing_to_do(void **state)
{
	struct change c;

	(void)state;
	assert_int_equal(make(&c, "a=10", 0), 0);
	change_free(&c);
	assert_int_equal(under_way() + kept(), 0);
}

static void change__all_or_nothing(void **state)
{
	struct change c;

	(void)state;
	*failing = 2;
	assert_int_equal(make(&c, "a=200 c=7", 0), -EIO);
	assert_non_null(strstr(err_text(-EIO), "everything is as it was"));
	change_free(&c);
	expect_toys(10, 10, 10);
	assert_int_equal(under_way() + kept(), 0);
}

static void change__no_journal_no_change(void **state)
{
	char full[96];
	struct change c;
	int ret;

	(void)state;
	if (geteuid())
		skip();
	snprintf(full, sizeof(full), "%s/full", dir);
	assert_int_equal(mkdir(full, 0700), 0);
	/* Inodes for some locks, and for no journal. */
	if (mount("tmpfs", full, "tmpfs", 0, "size=4k,nr_inodes=16")) {
		rmdir(full);
		skip();
	}
	setenv("NETTOLL_STATE_DIR", full, 1);
	ret = make(&c, "a=50", 0);
	assert_int_equal(ret, -ENOSPC);
	assert_non_null(strstr(err_text(ret), "nothing is changed"));
	change_free(&c);
	expect_toys(10, 10, 10);
	/* The guard ends as well, since there is nothing to watch. */
	ret = make(&c, "a=50", 30);
	assert_int_equal(ret, -ENOSPC);
	change_free(&c);
	expect_toys(10, 10, 10);
	assert_int_equal(under_way(), 0);
	setenv("NETTOLL_STATE_DIR", dir, 1);
	while (umount(full))
		assert_int_equal(errno, EBUSY);
	assert_int_equal(rmdir(full), 0);
}

/* ---- killed ---- */

static void change__killed_in_the_middle(void **state)
{
	struct change c;
	struct journal j;
	pid_t pid;
	int status;

	(void)state;
	pid = fork();
	if (!pid) {
		/* As far as make() comes before a kill: the journal, and the first knob. */
		journal_init(&j, "knob set toys");
		strcpy(j.kind, "knob");
		if (journal_add(&j, &here, "toy.a", "10", "200") || journal_add(&j, &here, "toy.b", "10", "10"))
			_exit(1);
		toy[0] = 200;
		toy[1] = 20;
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(under_way(), 1);
	/* Nobody builds on what is half done. */
	assert_int_equal(make(&c, "c=5", 0), -EBUSY);
	assert_non_null(strstr(err_cure(-EBUSY), "nettoll knob undo"));
	change_free(&c);
	assert_int_equal(journal_each(turn_back_file, NULL), 0);
	expect_toys(10, 10, 10);
	assert_int_equal(under_way(), 0);
}

/* Until the guard has put it back and is gone, and with it its locks. */
static bool wait_for(unsigned int a, int seconds)
{
	uint64_t deadline = stop_now_ns() + (uint64_t)seconds * 1000000000;
	int fd = -1;

	while (toy[0] != a || under_way() || lock_sysctls("test", &fd)) {
		if (stop_now_ns() > deadline)
			return false;
		usleep(10000);
	}
	close(fd);
	return true;
}

static void confirm__no_word_is_no(void **state)
{
	struct change c, second;

	(void)state;
	assert_int_equal(make(&c, "a=50", 1), 0);
	change_free(&c);
	assert_int_equal(toy[0], 50);
	/* Meanwhile it is nobody else's. */
	assert_int_equal(make(&second, "c=5", 0), -EBUSY);
	assert_non_null(strstr(err_text(-EBUSY), "which waits for nettoll confirm"));
	change_free(&second);
	assert_true(wait_for(10, 20));
	expect_toys(10, 10, 10);
	assert_int_equal(kept(), 0);
}

static int confirm_file(const char *path, void *arg)
{
	struct journal j;
	int ret = journal_load(&j, path);

	(void)arg;
	if (!ret)
		ret = guard_confirm(&j);
	journal_free(&j);
	return ret;
}

static void confirm__yes(void **state)
{
	struct change c;

	(void)state;
	assert_int_equal(make(&c, "a=50", 60), 0);
	change_free(&c);
	assert_int_equal(journal_each(confirm_file, NULL), 0);
	assert_int_equal(toy[0], 50);
	assert_int_equal(under_way(), 0);
	assert_int_equal(kept(), 1);
	assert_int_equal(make(&c, "c=5", 0), 0);
	change_free(&c);
	assert_int_equal(journal_kept_each(undo_file, NULL), 0);
	expect_toys(10, 10, 10);
}

static int undo_guarded(const char *path, void *arg)
{
	struct journal j;
	int ret = journal_load(&j, path);

	(void)arg;
	if (!ret)
		ret = guard_undo(&j);
	journal_free(&j);
	return ret;
}

static void confirm__undo_at_once(void **state)
{
	struct change c;

	(void)state;
	assert_int_equal(make(&c, "a=200", 60), 0);
	change_free(&c);
	assert_int_equal(journal_each(undo_guarded, NULL), 0);
	expect_toys(10, 10, 10);
	assert_int_equal(under_way() + kept(), 0);
}

static int kill_guard(const char *path, void *arg)
{
	struct journal j;
	int ret = journal_load(&j, path);

	if (!ret && kill(j.pid, SIGKILL))
		ret = -errno;
	/* Also while nobody has buried it. */
	while (!ret && journal_alive(&j))
		usleep(1000);
	if (!ret)
		*(int *)arg = guard_undo(&j);
	journal_free(&j);
	return ret;
}

static void confirm__the_guard_dies(void **state)
{
	struct change c;
	int left = -1;

	(void)state;
	assert_int_equal(make(&c, "a=200", 60), 0);
	change_free(&c);
	assert_int_equal(journal_each(kill_guard, &left), 0);
	assert_int_equal(left, 1);
	expect_toys(200, 20, 10);
	assert_int_equal(journal_each(turn_back_file, NULL), 0);
	expect_toys(10, 10, 10);
	assert_int_equal(under_way() + kept(), 0);
}

static void undo__waits_for_nobody(void **state)
{
	struct change c, second = { .what = "knob undo" };
	struct journal j;

	(void)state;
	/* While the first still holds its locks. */
	assert_int_equal(make(&c, "a=50", 0), 0);
	assert_int_equal(journal_load(&j, c.journal.path), 0);
	assert_int_equal(change_lock(&second, &j), -EBUSY);
	change_free(&second);
	change_free(&c);
	second.what = "knob undo";
	assert_int_equal(change_lock(&second, &j), 0);
	assert_int_equal(turn_back(&j), 0);
	change_free(&second);
	journal_free(&j);
	expect_toys(10, 10, 10);
}

static void hold__until_undone(void **state)
{
	struct change c, second;
	struct journal j;

	(void)state;
	hold = true;
	assert_int_equal(make(&c, "a=50 c=7", 0), 0);
	hold = false;
	assert_int_equal(journal_load(&j, c.journal.path), 0);
	change_free(&c);
	assert_true(j.held && journal_alive(&j) && j.pid != getpid());
	toy[0] = 1;
	assert_int_equal(hold_again(&j), 1);
	expect_toys(50, 10, 7);
	assert_int_equal(hold_again(&j), 0);
	assert_int_equal(make(&second, "b=5", 0), -EBUSY);
	assert_non_null(strstr(err_text(-EBUSY), "which it keeps in force"));
	change_free(&second);
	assert_int_equal(hold_end(&j), 0);
	assert_false(journal_alive(&j));
	assert_int_equal(turn_back(&j), 0);
	journal_free(&j);
	expect_toys(10, 10, 10);
}

static void confirm__the_whole_session_dies(void **state)
{
	struct change c;
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid) {
		setsid();
		if (make(&c, "a=200", 1))
			_exit(1);
		/* A hangup of the terminal, and the end of all that it started. */
		kill(0, SIGHUP);
		kill(0, SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(wait_for(10, 20));
	expect_toys(10, 10, 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(change__and_undo, setup),
		cmocka_unit_test_setup(change__what_moves_along_is_undone, setup),
		cmocka_unit_test_setup(change__what_is_asked_for_wins, setup),
		cmocka_unit_test_setup(change__nothing_to_do, setup),
		cmocka_unit_test_setup(change__all_or_nothing, setup),
		cmocka_unit_test_setup(change__no_journal_no_change, setup),
		cmocka_unit_test_setup(change__killed_in_the_middle, setup),
		cmocka_unit_test_setup(confirm__no_word_is_no, setup),
		cmocka_unit_test_setup(confirm__yes, setup),
		cmocka_unit_test_setup(confirm__undo_at_once, setup),
		cmocka_unit_test_setup(confirm__the_whole_session_dies, setup),
		cmocka_unit_test_setup(confirm__the_guard_dies, setup),
		cmocka_unit_test_setup(undo__waits_for_nobody, setup),
		cmocka_unit_test_setup(hold__until_undone, setup),
	};

	return cmocka_run_group_tests_name("change", tests, setup_all, teardown_all);
}
