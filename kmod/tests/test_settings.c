// SPDX-License-Identifier: GPL-2.0-only
/*
 * control/settings.c: bounds, what a change does, who is told.
 */
#include "../control/settings.c"

struct mutex nettoll_account_lock;
u64 nettoll_nudge_ms = 100;
struct nettoll_hook nettoll_hooks[NETTOLL_HOOKS];

/* The account, as the settings see it. */
static struct {
	unsigned int attached, attaches, detaches, touched, told, backend, duty;
	struct nettoll_outcome outcome;
	u64 value;
	u32 pid, mask;
	int err;
} seen = { .mask = ~0U };

unsigned int nettoll_account_attached(void)
{
	return seen.attached;
}

void nettoll_account_touch(void)
{
	lockdep_assert_held(&nettoll_account_lock);
	seen.touched++;
}

int nettoll_account_attach(const unsigned long *set, unsigned int backend, bool strict,
			   struct nettoll_outcome *out)
{
	lockdep_assert_held(&nettoll_account_lock);
	assert_true(test_bit(0, set) && test_bit(NETTOLL_HOOK_WAIT, set));
	assert_false(strict);
	*out = seen.outcome;
	seen.attaches++;
	seen.attached += out->changed;
	seen.backend = backend;
	return seen.err;
}

int nettoll_account_detach(const unsigned long *set, struct nettoll_outcome *out)
{
	lockdep_assert_held(&nettoll_account_lock);
	seen.detaches++;
	seen.attached = 0;
	return 0;
}

u32 nettoll_backend_mask(void)
{
	return seen.mask;
}

unsigned int nettoll_duty_hooks(void)
{
	return seen.duty;
}

void nettoll_duty_stop(void)
{
	lockdep_assert_held(&nettoll_account_lock);
	seen.duty = 0;
}

void nettoll_notify_setting(const struct nettoll_setting *s, u64 value, u32 pid)
{
	assert_false(nettoll_account_lock.held);
	seen.told++;
	seen.value = value;
	seen.pid = pid;
}

static int setup(void **state)
{
	int err = nettoll_setting_set(&nettoll_settings[NETTOLL_SETTING_BACKEND], 0, 0);

	memset(&seen, 0, sizeof(seen));
	seen.mask = BIT(NETTOLL_BACKEND_AUTO) | BIT(NETTOLL_BACKEND_KRETPROBE);
	seen.outcome = (struct nettoll_outcome) { .changed = 9, .first = -1 };
	nettoll_nudge_ms = 100;
	return err;
}

static void table__is_complete(void **state)
{
	int i;

	for (i = 0; i < NETTOLL_SETTINGS; i++) {
		const struct nettoll_setting *s = &nettoll_settings[i];

		assert_ptr_equal(nettoll_setting_find(s->name), s);
		assert_true(strlen(s->doc) > 10 && s->get && s->set);
		assert_in_range(s->preset, s->min, s->max);
		assert_int_equal(s->get(), s->preset);
	}
	assert_null(nettoll_setting_find("nudge"));
	assert_null(nettoll_setting_find(""));
}

static void set__within_bounds_is_told(void **state)
{
	const struct nettoll_setting *s = nettoll_setting_find("nudge_ms");

	assert_int_equal(nettoll_setting_set(s, 10000, 77), 0);
	assert_int_equal(nettoll_nudge_ms, 10000);
	assert_int_equal(seen.told, 1);
	assert_int_equal(seen.value, 10000);
	assert_int_equal(seen.pid, 77);
	assert_int_equal(seen.touched, 1);
}

static void set__same_value_is_no_change(void **state)
{
	const struct nettoll_setting *s = nettoll_setting_find("nudge_ms");

	assert_int_equal(nettoll_setting_set(s, 100, 77), 0);
	assert_int_equal(seen.told + seen.touched, 0);
}

static void set__out_of_bounds(void **state)
{
	assert_int_equal(nettoll_setting_set(nettoll_setting_find("nudge_ms"), 10001, 1), -ERANGE);
	assert_int_equal(nettoll_setting_set(nettoll_setting_find("account"), 2, 1), -ERANGE);
	assert_int_equal(nettoll_setting_set(nettoll_setting_find("backend"), U64_MAX, 1), -ERANGE);
	assert_int_equal(nettoll_nudge_ms, 100);
	assert_int_equal(seen.told + seen.touched + seen.attaches, 0);
}

static void backend__only_what_the_kernel_offers(void **state)
{
	const struct nettoll_setting *s = nettoll_setting_find("backend");

	assert_int_equal(nettoll_setting_set(s, NETTOLL_BACKEND_DIRECT, 1), -EOPNOTSUPP);
	assert_int_equal(nettoll_default_backend(), NETTOLL_BACKEND_AUTO);
	assert_int_equal(seen.told, 0);
	assert_int_equal(nettoll_setting_set(s, NETTOLL_BACKEND_KRETPROBE, 1), 0);
	assert_int_equal(nettoll_default_backend(), NETTOLL_BACKEND_KRETPROBE);
	assert_int_equal(nettoll_setting_set(nettoll_setting_find("account"), 1, 1), 0);
	assert_int_equal(seen.backend, NETTOLL_BACKEND_KRETPROBE);
}

static void account__attaches_and_detaches_all(void **state)
{
	const struct nettoll_setting *s = nettoll_setting_find("account");

	assert_int_equal(nettoll_setting_set(s, 1, 1), 0);
	assert_int_equal(s->get(), 1);
	assert_int_equal(nettoll_setting_set(s, 1, 1), 0);
	assert_int_equal(seen.attaches, 1);
	assert_int_equal(nettoll_setting_set(s, 0, 1), 0);
	assert_int_equal(seen.detaches, 1);
	assert_int_equal(s->get(), 0);
	assert_int_equal(seen.told, 2);
}

static void account__failure_is_the_first_hooks(void **state)
{
	const struct nettoll_setting *s = nettoll_setting_find("account");

	seen.outcome = (struct nettoll_outcome) { .failed = 3, .first = 2 };
	nettoll_hooks[2].error = -EBUSY;
	assert_int_equal(nettoll_setting_set(s, 1, 1), -EBUSY);
	seen.err = -ENOMEM;
	assert_int_equal(nettoll_setting_set(s, 1, 1), -ENOMEM);
	assert_int_equal(seen.told, 0);
}

/* Between two windows nothing is attached, and the account is on all the same. */
static void account__windows_count_and_end(void **state)
{
	const struct nettoll_setting *s = nettoll_setting_find("account");

	seen.duty = 9;
	assert_int_equal(s->get(), 1);
	assert_int_equal(nettoll_setting_set(s, 0, 1), 0);
	assert_int_equal(seen.duty, 0);
	assert_int_equal(s->get(), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(table__is_complete, setup),
		cmocka_unit_test_setup(set__within_bounds_is_told, setup),
		cmocka_unit_test_setup(set__same_value_is_no_change, setup),
		cmocka_unit_test_setup(set__out_of_bounds, setup),
		cmocka_unit_test_setup(backend__only_what_the_kernel_offers, setup),
		cmocka_unit_test_setup(account__attaches_and_detaches_all, setup),
		cmocka_unit_test_setup(account__failure_is_the_first_hooks, setup),
		cmocka_unit_test_setup(account__windows_count_and_end, setup),
	};

	return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
