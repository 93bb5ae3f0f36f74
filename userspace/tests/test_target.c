// SPDX-License-Identifier: GPL-2.0-or-later
/* Layers and hooks by their names, and what is said of names that are neither. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/target.h"
#include "lib/err.h"

static struct hook_info array[] = {
	{ .id = 0, .layer = NETTOLL_LAYER_UDP, .name = "udp_sendmsg" },
	{ .id = 1, .layer = NETTOLL_LAYER_IP, .name = "ip_fragment", .symbol = "ip_fragment.constprop.0" },
	{ .id = 2, .layer = NETTOLL_LAYER_SKB, .name = "__alloc_skb" },
};
static const struct hook_list hooks = { 3, array };

static void words__layers_hooks_and_symbols(void **state)
{
	struct targets t = { 0 };

	(void)state;
	assert_int_equal(target_add(&t, &hooks, TARGET_ANY, "udp"), 0);
	assert_int_equal(target_add(&t, &hooks, TARGET_ANY, "ip_fragment.constprop.0"), 0);
	assert_int_equal(target_add(&t, &hooks, TARGET_HOOK, "ip_fragment"), 0);
	assert_int_equal(target_add(&t, &hooks, TARGET_LAYER, "udp"), 0);
	assert_int_equal(t.nlayers, 1);
	assert_int_equal(t.layers[0], NETTOLL_LAYER_UDP);
	assert_int_equal(t.nhooks, 1);
	assert_string_equal(t.hooks[0], "ip_fragment");
	assert_true(target_has(&t, &array[0]));
	assert_true(target_has(&t, &array[1]));
	assert_false(target_has(&t, &array[2]));
	targets_free(&t);
}

static void words__none_is_all(void **state)
{
	struct targets t = { 0 };

	(void)state;
	assert_true(target_has(&t, &array[2]));
}

static void words__unknown(void **state)
{
	struct targets t = { 0 };

	(void)state;
	assert_int_equal(target_add(&t, &hooks, TARGET_ANY, "udp_sendmgs"), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "there is no layer or hook 'udp_sendmgs', did you mean 'udp_sendmsg'?");
	assert_int_equal(target_add(&t, &hooks, TARGET_LAYER, "udp_sendmsg"), -ENOENT);
	assert_int_equal(target_add(&t, &hooks, TARGET_HOOK, "udp"), -ENOENT);
	assert_int_equal(target_add(&t, &hooks, TARGET_ANY, ""), -ENOENT);
	assert_int_equal(target_add(&t, &hooks, TARGET_ANY, "alloc_skb"), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "'__alloc_skb'"));
	assert_int_equal(t.nlayers + t.nhooks, 0);
}

static void words__all_layers_fit(void **state)
{
	struct targets t = { 0 };
	size_t i, round;

	(void)state;
	for (round = 0; round < 2; round++)
		for (i = 0; i < MODEL_LAYERS; i++)
			assert_int_equal(target_add(&t, &hooks, TARGET_ANY, model_layer_names[i]), 0);
	assert_int_equal(t.nlayers, MODEL_LAYERS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words__layers_hooks_and_symbols),
		cmocka_unit_test(words__none_is_all),
		cmocka_unit_test(words__unknown),
		cmocka_unit_test(words__all_layers_fit),
	};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
