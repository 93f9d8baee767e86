/* porch.c - where hooks come in: their parcels, and the spool of those that did not reach us.
 *
 * What was spooled while the box was away is admitted before the first parcel is taken, so
 * that what happened first is heard first.  The spool is looked at again each second: hooks
 * of a box that was stopped for a while may have filled its socket.
 */
#include "source/claude/porch.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/spool.h"
#include "journal/journal.h"
#include "net/loop.h"
#include "net/parcel.h"
#include "source/claude/approve.h"
#include "source/claude/hook.h"
#include "source/claude/order.h"
#include "source/claude/pauses.h"

#define SLICE (1 * MIB) /* of the spool in one turn; others want the loop, too */
#define ORDER_LOOKS 3   /* longer than order.h lets anything wait */

struct porch {
	struct porch_options options;
	struct parcels *parcels; /* NULL: the spool of the start is not empty yet */
	char *data, *path;
	struct deadline look;
	struct turn turn;
	struct order *order;
	struct buf lines; /* of the spool */
	struct text rest; /* of them that was not admitted */
	bool is_taking;   /* there are lines that are not known to be durable */
	unsigned looks;   /* until none of them waits for another to come before it */
	uint64_t until;   /* the seq that says that they are durable; 0: not known yet */
	uint64_t late;    /* of those that are told of */
	uint64_t lost;
	bool is_closing;
};

/* ---- parcels ---- */

/* In the order in which it happened. */
static void porch_pass(void *self, const struct hook_payload *payload, int decides)
{
	const struct porch_options *o = &((struct porch *)self)->options;
	struct error why;

	if (!hook_take(o->hook, payload, &why))
		log_warn("hooks", "%s", why.words);
	pauses_note(o->pauses, payload->bytes, (enum pauses_decides)decides);
	approve_note(o->approve, payload->bytes);
}

static void porch_take(struct porch *porch, const struct hook_payload *payload,
                       enum pauses_decides decides)
{
	order_take(porch->order, payload, (int)decides);
}

static void came(void *self, struct parcel_line *line, const struct parcel *parcel)
{
	struct porch *porch = self;
	struct pauses *pauses = porch->options.pauses;
	const struct hook_payload payload = {parcel->body, parcel->at_ms, false, parcel->whole};

	switch (parcel->kind) {
	case 'h':
		porch_take(porch, &payload, PAUSES_DO_NOT);
		break;
	case 'd': /* it decides, and nothing held it */
	case 's': /* it took a step */
		porch_take(porch, &payload, PAUSES_DECIDE);
		break;
	case 'w': /* it waits */
		porch_take(porch, &payload, PAUSES_DECIDE);
		pauses_went(parcel_line_of(line));
		parcel_line_set(line, pauses_wait(pauses, parcel->body));
		break;
	case 'p': /* it waited, and goes on */
	case 'x': /* it waited, and was denied */
		pauses_went(parcel_line_of(line));
		parcel_line_set(line, NULL);
		break;
	case 'l': /* of this session the file was changed */
		pauses_look(pauses, parcel->body);
		break;
	default:
		break;
	}
	if (porch->options.told && parcel->agent && strchr("hdsw", parcel->kind))
		porch->options.told(porch->options.self, parcel->body, parcel->agent);
}

static void left(void *self, struct parcel_line *line)
{
	pauses_went(parcel_line_of(line));
}

static void open_door(struct porch *porch)
{
	struct parcels_options o = {.path = porch->path, .self = porch, .came = came, .left = left};
	struct error why;

	porch->parcels = parcels_create(porch->options.loop, &o, &why);
	if (!porch->parcels)
		log_error("hooks", "%s", why.words);
}

/* ---- the spool ---- */

static void porch_take_line(struct porch *porch, int64_t at_ms, struct text line)
{
	const struct hook_payload payload = {.bytes = line,
	                                     .at_ms = at_ms < 0 ? 0 : at_ms,
	                                     .is_late = true,
	                                     .place = 1 + (size_t)(line.at - porch->lines.at)};

	porch_take(porch, &payload, PAUSES_UNSAID);
}

static bool take_slice(struct turn *turn)
{
	struct porch *porch = list_of(turn, struct porch, turn);
	struct text line;
	const char *end;
	int64_t at_ms;

	if (!porch->rest.len)
		return false;
	end = porch->rest.at + (porch->rest.len < SLICE ? porch->rest.len : SLICE);
	while (porch->rest.len && porch->rest.at < end && spool_next(&porch->rest, &at_ms, &line))
		porch_take_line(porch, at_ms, line);
	if (porch->rest.len)
		return true;
	buf_finish(&porch->lines);
	porch->looks = ORDER_LOOKS;
	if (!porch->parcels)
		open_door(porch);
	return false;
}

static void look_at_spool(struct porch *porch)
{
	struct journal *journal = porch->options.journal;
	const char *data = porch->data;
	struct error why = {0};

	if (porch->rest.len)
		return;
	if (porch->is_taking) {
		if (porch->looks && --porch->looks)
			return;
		if (!porch->until)
			porch->until = journal_last_seq(journal);
		if (journal_durable_seq(journal) < porch->until)
			return;
		spool_end(data);
		porch->is_taking = false;
	}
	if (spool_size(data) == 0)
		return;
	if (!spool_take(data, &porch->lines, &why)) {
		log_warn("hooks", "the spool cannot be read: %s", why.words);
		buf_finish(&porch->lines);
		return;
	}
	porch->rest = buf_text(&porch->lines);
	porch->is_taking = true;
	porch->until = 0;
	log_info("hooks", "%zu bytes that hooks left behind are admitted", porch->rest.len);
}

/* On the source's card and in the list of `top`; doctor looks for itself. */
static void tell_failures(struct porch *porch)
{
	struct hook *hook = porch->options.hook;
	uint64_t late = hook_stats(hook).late, lost = spool_lost(porch->data);

	if (!hook_is_listed(hook))
		return; /* there is no card yet */
	if (late > porch->late)
		hook_tell_late(hook, late - porch->late);
	if (lost > porch->lost)
		hook_tell_lost(hook, lost - porch->lost);
	porch->late = late;
	porch->lost = lost;
}

static void porch_look(struct deadline *deadline)
{
	struct porch *porch = list_of(deadline, struct porch, look);

	deadline_set_beat(porch->options.loop, &porch->look);
	if (porch->is_closing)
		return;
	look_at_spool(porch);
	tell_failures(porch);
}

/* ---- life ---- */

struct porch *porch_open(const struct porch_options *options)
{
	struct porch *porch = must_zero(1, sizeof(*porch));

	porch->options = *options;
	porch->data = must_dup(options->data);
	porch->path = must_print("%s/hooks", options->data);
	porch->look.fire = porch_look;
	porch->turn.end = take_slice;
	buf_init(&porch->lines, SPOOL_MAX + MIB);
	porch->order = order_create(
		&(struct order_options){.loop = options->loop, .self = porch, .pass = porch_pass});
	loop_add_turn(options->loop, &porch->turn);
	porch_look(&porch->look);
	if (!porch->rest.len)
		open_door(porch);
	return porch;
}

void porch_flush(struct porch *porch)
{
	if (!porch)
		return;
	porch->is_closing = true;
	order_flush(porch->order);
}

void porch_close(struct porch *porch)
{
	if (!porch)
		return;
	deadline_clear(&porch->look);
	loop_remove_turn(&porch->turn);
	parcels_destroy(porch->parcels);
	order_destroy(porch->order);
	buf_finish(&porch->lines);
	free(porch->path);
	free(porch->data);
	free(porch);
}

void porch_json(const struct hook *hook, const char *data, struct buf *out)
{
	const struct hook_stats s = hook_stats(hook);

	put_object(out, NULL);
	put_u64(out, "taken", s.taken);
	put_u64(out, "refused", s.refused);
	put_u64(out, "late", s.late);
	put_u64(out, "cut", s.cut);
	put_u64(out, "spooled", spool_size(data));
	put_u64(out, "lost", spool_lost(data));
	put_end(out);
}
