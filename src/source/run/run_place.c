/* run_place.c - "SEQ TOLD EVENT PHASE DEBUG OTHER OTHER OTHER OTHER RUN"; SEQ is - where
 * events have no numbers. */
#include "source/run/run_place.h"

#include "base/map.h"

#define SEED 0x72756e20 /* the same for ever: a mark is compared with that of another life */

uint32_t run_place_mark(struct text frame)
{
	uint64_t hash = map_hash(SEED, frame);
	uint32_t mark = (uint32_t)(hash ^ hash >> 32);

	return mark ? mark : 1;
}

void run_place_event(struct run_place *p, const uint64_t *seq, struct text frame)
{
	p->is_known = true;
	p->has_seq = seq != NULL;
	p->seq = seq ? *seq : 0;
	p->told = 0;
	p->event = run_place_mark(frame);
}

void run_place_other(struct run_place *p, struct text kind, struct text frame)
{
	uint32_t mark = run_place_mark(frame);

	if (text_is(kind, "phase")) {
		p->phase = mark;
	} else if (text_is(kind, "debug")) {
		p->debug = mark;
	} else {
		memmove(p->others + 1, p->others, sizeof(p->others) - sizeof(p->others[0]));
		p->others[0] = mark;
	}
}

bool run_place_has(const struct run_place *p, struct text kind, struct text frame)
{
	uint32_t mark = run_place_mark(frame);
	bool found = false;

	if (text_is(kind, "phase"))
		return p->phase == mark;
	if (text_is(kind, "debug"))
		return p->debug == mark;
	for (size_t i = 0; i < RUN_PLACE_OTHERS; i++)
		found = found || p->others[i] == mark;
	return found;
}

void run_place_write(const struct run_place *p, struct text run, struct buf *out)
{
	if (p->has_seq)
		buf_print(out, "%llu", (unsigned long long)p->seq);
	else
		buf_add_char(out, '-');
	buf_print(out, " %llu %u %u %u", (unsigned long long)p->told, p->event, p->phase, p->debug);
	for (size_t i = 0; i < RUN_PLACE_OTHERS; i++)
		buf_print(out, " %u", p->others[i]);
	buf_add_char(out, ' ');
	buf_add(out, run);
}

static bool read_mark(struct text *rest, uint32_t *out)
{
	uint64_t n;

	if (!text_to_u64(text_cut(*rest, ' ', rest), &n) || n > UINT32_MAX)
		return false;
	*out = (uint32_t)n;
	return true;
}

bool run_place_read(struct run_place *p, struct text at, struct text *run)
{
	struct text seq = text_cut(at, ' ', run);
	bool good;

	*p = (struct run_place){.is_known = true, .has_seq = !text_is(seq, "-")};
	good = (!p->has_seq || text_to_u64(seq, &p->seq)) &&
	       text_to_u64(text_cut(*run, ' ', run), &p->told) && read_mark(run, &p->event) &&
	       read_mark(run, &p->phase) && read_mark(run, &p->debug);
	for (size_t i = 0; i < RUN_PLACE_OTHERS; i++)
		good = good && read_mark(run, &p->others[i]);
	if (!good)
		*p = (struct run_place){0};
	return good;
}
