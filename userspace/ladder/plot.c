// SPDX-License-Identifier: GPL-2.0-or-later
/* A climbed ladder as a picture: gnuplot, run as a program, draws stacked layers and the throughput. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ladder/effect.h"
#include "ladder/report.h"
#include "lib/err.h"
#include "lib/fmt.h"

#define SMALL		0.015	/* of the highest bar; layers that never reach it are drawn as one */

/*
 * Told apart with any kind of colour vision, and neighbours in a stack by lightness too: Okabe and
 * Ito's and Paul Tol's sets, in the order of the layers, so that a layer has one colour in all
 * pictures.
 */
static const char *const colors[MODEL_LAYERS] = {
	[NETTOLL_LAYER_SYSCALL] = "#332288", [NETTOLL_LAYER_SOCKET] = "#88ccee",
	[NETTOLL_LAYER_COPY] = "#d55e00", [NETTOLL_LAYER_CSUM] = "#f0e442",
	[NETTOLL_LAYER_UDP] = "#0072b2", [NETTOLL_LAYER_TCP] = "#56b4e9",
	[NETTOLL_LAYER_IP] = "#009e73", [NETTOLL_LAYER_QDISC] = "#ddcc77",
	[NETTOLL_LAYER_DRIVER] = "#882255", [NETTOLL_LAYER_IRQ] = "#e69f00",
	[NETTOLL_LAYER_NAPI] = "#cc6677", [NETTOLL_LAYER_GRO] = "#117733",
	[NETTOLL_LAYER_NETIF] = "#aa4499", [NETTOLL_LAYER_SKB] = "#44aa99",
	[NETTOLL_LAYER_WAKEUP] = "#999933", [NETTOLL_LAYER_WAIT] = "#dddddd",
};

int plot_check(void)
{
	char *const argv[] = { "gnuplot", "--version", NULL };
	posix_spawn_file_actions_t actions;
	extern char **environ;
	int status, ret;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (!ret && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!ret && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return err_set(-ENOENT, "install the package gnuplot-nox, or leave out --svg",
		       "pictures are drawn by gnuplot, which cannot be run");
}

/* Text between double quotes in gnuplot; its enhanced text is turned off. */
static void put_quoted(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
	}
	fputc('"', f);
}

struct picture {
	const struct climb *c;
	size_t n;			/* steps that are complete */
	double highest;			/* bar, cycles a byte */
	bool shown[MODEL_LAYERS];
	bool other;
};

static const struct cell *cell_at(const struct picture *p, size_t step)
{
	return climb_above(p->c, step);
}

static void measure_picture(struct picture *p)
{
	uint32_t layer;
	size_t i;

	while (p->n < p->c->nsteps && cell_at(p, p->n))
		p->n++;
	for (i = 0; i < p->n; i++)
		if (cell_at(p, i)->bill.valid)
			p->highest = fmax(p->highest, bill_total_per_byte(&cell_at(p, i)->bill));
	for (layer = 0; layer < MODEL_LAYERS; layer++) {
		if (layer == NETTOLL_LAYER_WAIT)
			continue;
		for (i = 0; i < p->n; i++)
			p->shown[layer] |= bill_per_byte(&cell_at(p, i)->bill, layer) > SMALL * p->highest;
		p->other |= !p->shown[layer];
	}
}

static double other_layers(const struct picture *p, size_t step)
{
	double sum = 0;
	uint32_t layer;

	for (layer = 0; layer < MODEL_LAYERS; layer++)
		if (!p->shown[layer] && layer != NETTOLL_LAYER_WAIT)
			sum += bill_per_byte(&cell_at(p, step)->bill, layer);
	return fmax(0, sum);
}

/* A line a step: title, share of the line, bound, then the layers shown and the others. */
static void put_data(FILE *f, const struct picture *p)
{
	const struct cell *cell;
	uint32_t layer;
	size_t i;

	fputs("$data << END\n", f);
	for (i = 0; i < p->n; i++) {
		cell = cell_at(p, i);
		put_quoted(f, p->c->plan->rung[p->c->step[i]].title);
		fprintf(f, " %.6f %.6f", 100 * cell_rate(cell).mean / (double)p->c->plan->line_bps,
			isnan(cell->bound) ? 100 : 100 * cell->bound);
		for (layer = 0; p->highest > 0 && layer < MODEL_LAYERS; layer++)
			if (p->shown[layer])
				fprintf(f, " %.6f", fmax(0, bill_per_byte(&cell->bill, layer)));
		if (p->highest > 0 && p->other)
			fprintf(f, " %.6f", other_layers(p, i));
		fputc('\n', f);
	}
	fputs("END\n", f);
}

static void put_bars(FILE *f, const struct picture *p)
{
	int column = 4;
	uint32_t layer;

	for (layer = 0; layer < MODEL_LAYERS; layer++) {
		if (!p->shown[layer])
			continue;
		fprintf(f, "$data using %d%s title \"%s\" lc rgb \"%s\", ", column,
			column == 4 ? ":xtic(1)" : "", model_layer(layer), colors[layer]);
		column++;
	}
	if (p->other)
		fprintf(f, "$data using %d title \"others\" lc rgb \"#bbbbbb\", ", column);
}

static void put_script(FILE *f, const struct picture *p, const char *path)
{
	char line[32], title[128];
	bool layers = p->highest > 0;
	const char *axis = layers ? "y2" : "y1";

	fmt_rate(line, sizeof(line), p->c->plan->line_bps);
	snprintf(title, sizeof(title), "%s: %s, rung by rung", p->c->plan->name,
		 layers ? "what each layer charges a byte" : "throughput");
	put_data(f, p);
	fprintf(f, "set terminal svg noenhanced size %zu,560 font \"sans-serif,14\" background \"#ffffff\"\n",
		420 + 110 * (p->n > 4 ? p->n : 4));
	fputs("set output ", f);
	put_quoted(f, path);
	fputs("\nset title ", f);
	put_quoted(f, title);
	fputs("\nset style data histogram\nset style histogram rowstacked\n"
	      "set style fill solid 1.0 border rgb \"#ffffff\"\nset boxwidth 0.65\n"
	      "set style textbox opaque noborder fillcolor rgb \"#ffffff\" margins 0.6,0.4\n"
	      "set key outside right top reverse Left samplen 2 invert\n"
	      "set xtics nomirror rotate by -25 scale 0\nset grid y lc rgb \"#dddddd\"\nset border 11\n", f);
	fprintf(f, "set %slabel \"payload received, %% of the %s line\"\nset %srange [0:105]\n",
		layers ? "y2" : "y", line, layers ? "y2" : "y");
	if (layers)
		fprintf(f, "set ylabel \"cycles for each byte of payload\"\nset yrange [0:%.3f]\n"
			"set ytics nomirror\nset y2tics 0,20,100\n", p->highest * 1.12);
	fprintf(f, "set xrange [-0.6:%zu.6]\nplot ", p->n - 1);
	if (layers)
		put_bars(f, p);
	/* On a white line and in white boxes, to be seen on any bar. */
	fprintf(f, "$data using 0:2%s axes x1%s with lines lc rgb \"#ffffff\" lw 7 notitle, "
		"$data using 0:2 axes x1%s with linespoints lc rgb \"#000000\" lw 2.5 pt 7 ps 0.9 "
		"title \"throughput\", "
		"$data using 0:2:(sprintf(\"%%.1f %%%%\", $2)) axes x1%s with labels boxed offset 0,1 "
		"font \",13\" notitle, "
		"$data using 0:3 axes x1%s with lines lc rgb \"#000000\" lw 1 dt 3 title \"bound by headers\"\n",
		layers ? "" : ":xtic(1)", axis, axis, axis, axis);
}

/* gnuplot does not tell when the disk was full. */
static bool is_whole(const char *path)
{
	static const char end[] = "</svg>";
	char tail[16] = "";
	struct stat st;
	bool whole;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return false;
	whole = !fstat(fileno(f), &st) && !S_ISREG(st.st_mode);
	if (!whole && !fseek(f, -(long)(sizeof(tail) - 1), SEEK_END))
		whole = fread(tail, 1, sizeof(tail) - 1, f) && strstr(tail, end);
	fclose(f);
	return whole;
}

int plot_svg(const struct climb *c, const char *path)
{
	struct picture p = { .c = c };
	FILE *f;
	int status;

	measure_picture(&p);
	if (!p.n)
		return err_set(-ENODATA, NULL, "there is nothing to draw");
	f = popen("gnuplot", "we");
	if (!f)
		return err_set(-errno, NULL, "cannot run gnuplot: %s", strerror(errno));
	put_script(f, &p, path);
	status = pclose(f);
	if (status || access(path, R_OK))
		return err_set(-EIO, "its own message is above", "gnuplot could not draw %s", path);
	if (!is_whole(path))
		return err_set(-EIO, "is the disk full?", "cannot write %s: gnuplot left a part of it", path);
	return 0;
}
