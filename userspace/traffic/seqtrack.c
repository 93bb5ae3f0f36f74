// SPDX-License-Identifier: GPL-2.0-or-later
/* The rare part of sequence tracking: gaps, late arrivals, duplicates. */
#include "seqtrack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int seqtrack_init(struct seqtrack *t, uint64_t base)
{
	memset(t, 0, sizeof(*t));
	t->base = t->next = base;
	t->ring = calloc(SEQ_WINDOW / 64, sizeof(*t->ring));
	return t->ring ? 0 : -ENOMEM;
}

void seqtrack_free(struct seqtrack *t)
{
	free(t->ring);
	t->ring = NULL;
}

/* Clear the bit of @seq's place; true if it was set. */
static bool take(struct seqtrack *t, uint64_t seq)
{
	uint64_t *word = &t->ring[seq % SEQ_WINDOW / 64], bit = 1ull << seq % 64;

	if (!(*word & bit))
		return false;
	*word &= ~bit;
	t->missing--;
	return true;
}

/* Let the highest seen grow by one; what was missing a window ago can no longer be waited for. */
static void advance(struct seqtrack *t, bool arrived)
{
	if (t->missing && take(t, t->next))
		t->expired++;
	if (!arrived) {
		t->ring[t->next % SEQ_WINDOW / 64] |= 1ull << t->next % 64;
		t->missing++;
	}
	t->next++;
}

bool seqtrack_slow(struct seqtrack *t, uint64_t seq)
{
	uint64_t behind;

	if (seq < t->base) {
		t->early++;
		return false;
	}
	if (seq >= t->next) {
		/* A jump of more than a window leaves nothing of the old one. */
		if (seq - t->next > SEQ_WINDOW) {
			uint64_t skip = seq - t->next - SEQ_WINDOW;

			t->expired += t->missing + skip;
			t->missing = 0;
			memset(t->ring, 0, SEQ_WINDOW / 8);
			t->next += skip;
		}
		while (t->next < seq)
			advance(t, false);
		advance(t, true);
		return true;
	}
	behind = t->next - 1 - seq;
	if (behind < SEQ_WINDOW && take(t, seq)) {
		t->reordered++;
		if (behind > t->reorder_max)
			t->reorder_max = behind;
		return true;
	}
	t->duplicates++;
	return false;
}

uint64_t seqtrack_lost(const struct seqtrack *t, uint64_t end)
{
	uint64_t lost = t->missing + t->expired;

	return end > t->next ? lost + (end - t->next) : lost;
}
