/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A family of knobs that lives in memory, for the tests of what turns knobs. */
/* ---- a family that lives in memory ---- */

#define NTOYS	3

static const char *const toy_keys[] = { "a", "b", "c", NULL };
static unsigned int toy[NTOYS];
static char written[256];	/* "a=1 b=2 ...", in the order of the writes */
static int failing = -1;	/* the toy that cannot be written */
static int moves_b;		/* writing a sets b to 99 */

static int toy_find(const char *key, struct knob *knob)
{
	if (strlen(key) != 1 || key[0] < 'a' || key[0] >= 'a' + NTOYS)
		return -ENOENT;
	knob->type = KNOB_UINT;
	knob->unit = "bricks";
	knob->max = 1000;
	knob->cookie = key[0] - 'a';
	return 0;
}

static int toy_range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
		     uint64_t *max)
{
	(void)knob;
	(void)place;
	*min = 1;
	*max = 500;
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
	size_t len = strlen(written);

	(void)place;
	if (knob->cookie == failing)
		return err_set(-EIO, NULL, "it is stuck");
	toy[knob->cookie] = (unsigned int)atoi(value);
	snprintf(written + len, sizeof(written) - len, "%s%c=%s", len ? " " : "", 'a' + knob->cookie, value);
	if (moves_b && !knob->cookie)
		toy[1] = 99;
	return 0;
}

static const struct knob_family toys = {
	.name = "toy",
	.keys = toy_keys,
	.find = toy_find,
	.range = toy_range,
	.read = toy_read,
	.write = toy_write,
};

static char dir[64] = "/tmp/nettoll-knob-XXXXXX";
static const struct knob_place here = { .netns = "", .dev = "" };

static int setup_all(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || setenv("NETTOLL_STATE_DIR", dir, 1))
		return -1;
	return knob_family_add(&toys);
}

static int teardown_all(void **state)
{
	(void)state;
	return rmdir(dir);
}

static int setup_toys(void **state)
{
	(void)state;
	toy[0] = toy[1] = toy[2] = 10;
	written[0] = '\0';
	failing = -1;
	moves_b = 0;
	setenv("NETTOLL_STATE_DIR", dir, 1);
	return 0;
}

static int turn(struct journal *j, const char *name, const char *value)
{
	struct knob knob;
	int ret = knob_find(name, &knob);

	return ret ? ret : turn_knob(j, &knob, &here, value, NULL);
}

static int count_files(const char *path, void *arg)
{
	(void)path;
	++*(int *)arg;
	return 0;
}

static int journals(void)
{
	int n = 0;

	journal_each(count_files, &n);
	return n;
}
