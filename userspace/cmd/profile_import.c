// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll profile import: files of iperf3 --json as runs. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/profile.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/out.h"
#include "profile/iperf.h"

enum { OPT_CAMPAIGN = 256, OPT_CAPACITY, OPT_RTT };

static const struct option longs[] = {
	{ "campaign", required_argument, NULL, OPT_CAMPAIGN },
	{ "capacity", required_argument, NULL, OPT_CAPACITY },
	{ "rtt", required_argument, NULL, OPT_RTT },
	{ NULL, 0, NULL, 0 }
};

#define RTT_MAX		1e6	/* ms */

/* What is asked of all files. */
struct import {
	const char *campaign;
	double capacity_bps, rtt_ms;	/* NaN: not known; told by the files */
};

/* A file, once it has been looked at. */
struct source {
	char *path;
	bool good;
	double rtt_ms;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct source *)a)->path, ((const struct source *)b)->path);
}

static int by_rtt(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The regular files of a directory, by name. */
static int list(const char *dir, struct source **all, size_t *n)
{
	struct source *more;
	struct dirent *e;
	int ret = 0;
	DIR *d;

	*all = NULL;
	*n = 0;
	d = opendir(dir);
	if (!d)
		return err_set(-errno, NULL, "cannot open %s: %s", dir, strerror(errno));
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || e->d_type == DT_DIR)
			continue;
		more = realloc(*all, (*n + 1) * sizeof(*more));
		if (!more) {
			ret = -ENOMEM;
			break;
		}
		*all = more;
		more[*n] = (struct source) { 0 };
		if (asprintf(&more[*n].path, "%s/%s", dir, e->d_name) < 0) {
			ret = -ENOMEM;
			break;
		}
		++*n;
	}
	closedir(d);
	if (*n)
		qsort(*all, *n, sizeof(**all), by_path);
	return ret ? err_set(ret, NULL, "out of memory") : 0;
}

/* Learns the RTT of each file, and has those alike share one. */
static int learn_rtts(struct source *all, size_t n, struct record *r)
{
	double *sorted = calloc(2 * n + 1, sizeof(*sorted)), *same = sorted + n;
	size_t i, k, good = 0;

	if (!sorted)
		return err_set(-ENOMEM, NULL, "out of memory");
	for (i = 0; i < n; i++) {
		all[i].good = !iperf_read(all[i].path, r);
		if (!all[i].good) {
			pr_warn("%s", err_text(-EINVAL));
			err_clear();
			continue;
		}
		all[i].rtt_ms = r->rtt_ms;
		if (r->valid)
			sorted[good++] = r->rtt_ms;
	}
	qsort(sorted, good, sizeof(*sorted), by_rtt);
	memcpy(same, sorted, good * sizeof(*same));
	iperf_same_rtts(same, good);
	for (i = 0; i < n; i++)
		for (k = 0; k < good; k++)
			if (all[i].good && all[i].rtt_ms == sorted[k]) {
				all[i].rtt_ms = same[k];
				break;
			}
	free(sorted);
	return 0;
}

static int write_run(const struct record *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int ret;

	if (!f)
		return err_set(-errno, NULL, "out of memory");
	ret = record_write(f, r);
	fclose(f);
	if (!ret)
		out_printf("%s", text);
	free(text);
	return ret;
}

static int import_dir(const char *dir, const struct import *im)
{
	static struct record r;
	struct source *all;
	size_t i, n, left_out = 0;
	int ret;

	ret = list(dir, &all, &n);
	if (!ret)
		ret = learn_rtts(all, n, &r);
	for (i = 0; i < n && !ret; i++) {
		if (!all[i].good || iperf_read(all[i].path, &r)) {
			left_out++;
			continue;
		}
		snprintf(r.campaign, sizeof(r.campaign), "%s", im->campaign);
		r.capacity_bps = im->capacity_bps;
		r.rtt_ms = isnan(im->rtt_ms) ? all[i].rtt_ms : im->rtt_ms;
		/* The place among the files tells repeats apart. */
		r.repeat = (uint32_t)i;
		if (!r.valid)
			pr_warn("%s: marked as not valid: %s", all[i].path, r.reason);
		ret = write_run(&r);
	}
	if (!ret && left_out == n)
		ret = err_set(-ENODATA, NULL, "%s has no file that iperf3 --json wrote", dir);
	for (i = 0; i < n; i++)
		free(all[i].path);
	free(all);
	record_free(&r);
	return ret;
}

int profile_import(int argc, char **argv)
{
	struct import im = { NULL, NAN, NAN };
	char *real = NULL;
	uint64_t bps;
	int c, ret;

	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		ret = 0;
		switch (c) {
		case OPT_CAMPAIGN:
			im.campaign = optarg;
			break;
		case OPT_CAPACITY:
			ret = arg_rate("--capacity", optarg, 1, UINT64_MAX, &bps);
			im.capacity_bps = (double)bps;
			break;
		case OPT_RTT:
			ret = arg_real("--rtt", optarg, 0, RTT_MAX, &im.rtt_ms);
			break;
		default:
			return EXIT_USAGE;
		}
		if (ret)
			return usage_report(ret);
	}
	if (argc - optind != 1)
		return usage_error("one directory is needed");
	if (!im.campaign) {
		real = realpath(argv[optind], NULL);
		im.campaign = real && strrchr(real, '/')[1] ? strrchr(real, '/') + 1 : "import";
	}
	ret = import_dir(argv[optind], &im);
	free(real);
	return ret ? err_report(ret) : EXIT_OK;
}
