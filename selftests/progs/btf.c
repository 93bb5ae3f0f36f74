// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's type information. */
#include "btf.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

#define BTF_PATH	"/sys/kernel/btf/vmlinux"
#define KIND_DECL_TAG	17	/* newer than some uapi headers */
#define KIND_TYPE_TAG	18
#define KIND_ENUM64	19

struct btf {
	const char *strings;
	uint32_t n;
	const struct btf_type **type;	/* by number, from 1 */
};

static size_t type_bytes(const struct btf_type *t)
{
	size_t vlen = BTF_INFO_VLEN(t->info), bytes = sizeof(*t);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
		return bytes + 4;
	case BTF_KIND_ARRAY:
		return bytes + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return bytes + vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return bytes + vlen * sizeof(struct btf_enum);
	case KIND_ENUM64:
		return bytes + vlen * 12;
	case BTF_KIND_FUNC_PROTO:
		return bytes + vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return bytes + vlen * sizeof(struct btf_var_secinfo);
	default:
		return bytes;
	}
}

static uint8_t *read_all(size_t *size)
{
	int fd = (int)check(open(BTF_PATH, O_RDONLY | O_CLOEXEC), BTF_PATH);
	struct stat st;
	uint8_t *data;
	size_t got = 0;
	ssize_t n;

	check(fstat(fd, &st), BTF_PATH);
	data = malloc((size_t)st.st_size);
	if (!data)
		die(0, "out of memory");
	while (got < (size_t)st.st_size && (n = check(read(fd, data + got, (size_t)st.st_size - got), BTF_PATH)) > 0)
		got += (size_t)n;
	close(fd);
	*size = got;
	return data;
}

struct btf *btf_load(void)
{
	size_t size, at, end;
	uint8_t *data = read_all(&size);
	const struct btf_header *h = (const void *)data;
	struct btf *btf = calloc(1, sizeof(*btf));
	uint32_t room = 0;

	if (size < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len + h->type_off + h->type_len > size ||
	    h->hdr_len + h->str_off + h->str_len > size)
		die(0, "%s is not understood", BTF_PATH);
	btf->strings = (const char *)data + h->hdr_len + h->str_off;
	at = h->hdr_len + h->type_off;
	end = at + h->type_len;
	while (at + sizeof(struct btf_type) <= end) {
		const struct btf_type *t = (const void *)(data + at);

		if (btf->n + 2 > room) {
			room = room ? room * 2 : 1 << 17;
			btf->type = realloc(btf->type, room * sizeof(*btf->type));
			if (!btf->type)
				die(0, "out of memory");
			btf->type[0] = NULL;
		}
		btf->type[++btf->n] = t;
		at += type_bytes(t);
	}
	return btf;
}

uint32_t btf_find_func(const struct btf *btf, const char *name, uint32_t after)
{
	for (uint32_t i = after + 1; i <= btf->n; i++)
		if (BTF_INFO_KIND(btf->type[i]->info) == BTF_KIND_FUNC &&
		    !strcmp(btf->strings + btf->type[i]->name_off, name))
			return i;
	return 0;
}

/* What the type is once names and qualifiers are taken off. */
static const struct btf_type *bare(const struct btf *btf, uint32_t id)
{
	for (int depth = 0; depth < 32 && id && id <= btf->n; depth++) {
		const struct btf_type *t = btf->type[id];

		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return t;
		}
	}
	return NULL;
}

/* Adds one argument: small ones to registers while there are any, big structures to the stack. */
static void add(const struct btf *btf, uint32_t id, struct btf_args *args)
{
	const struct btf_type *t = bare(btf, id);
	unsigned int words = 1;
	bool aggregate = false;

	args->count++;
	if (!t) {
		args->odd = 1;	/* variadic, or a loop */
		return;
	}
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR:
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		aggregate = true;
		/* fall through */
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		words = (t->size + 7) / 8;
		break;
	default:
		args->odd = 1;
	}
	if ((aggregate && words > 2) || args->regs + words > 6)
		args->stack += words;
	else
		args->regs += words;
}

void btf_func_args(const struct btf *btf, uint32_t id, struct btf_args *args)
{
	const struct btf_type *proto = btf->type[btf->type[id]->type];
	const struct btf_param *p = (const void *)(proto + 1);

	memset(args, 0, sizeof(*args));
	if (proto->type) {
		const struct btf_type *ret = bare(btf, proto->type);

		args->ret = !ret || BTF_INFO_KIND(ret->info) == BTF_KIND_PTR ? 1 : (ret->size + 7) / 8;
	}
	for (uint32_t i = 0; i < BTF_INFO_VLEN(proto->info); i++)
		add(btf, p[i].type, args);
}
