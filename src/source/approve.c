/* approve.c - holding hooks, and letting them go. */
#include <stdlib.h>
#include <xxhash.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/random.h"
#include "parse/claude_session.h"
#include "source/approve_inside.h"
#include "source/hook.h"

#define HELD_MAX 256 /* hooks; one more is not held */
#define ENDED_MAX \
	256 /* questions of which nobody told what became of them; one more: the oldest goes */
#define SESSION_MAX 256
#define HELD_MS (55 * 60 * 1000u) /* Claude Code's own patience is an hour */
#define PAYLOAD_MAX (16 * MIB)
#define INPUTS_MAX (64 * MIB) /* of tools that are asked about; then none is held */

bool approve_is_ours(struct text source)
{
	return text_is(source, APPROVE_SOURCE);
}

/* ---- held hooks ---- */

uint64_t approve_hash(yyjson_val *input)
{
	struct buf json;
	uint64_t hash;

	buf_init(&json, PAYLOAD_MAX);
	json_add(&json, input);
	hash = XXH3_64bits(json.at ? json.at : "", json.len);
	buf_finish(&json);
	return hash;
}

static void leave(struct held *h)
{
	list_remove(&h->in_all);
	if (h->decided)
		h->approve->held_count--;
	else
		h->approve->ended_count--;
	h->approve->input_bytes -= h->input.len;
	deadline_clear(&h->patience);
	buf_finish(&h->input);
}

void approve_free(struct held *h)
{
	leave(h);
	free(h->run);
	free(h->id);
	free(h->tool);
	free(h->tool_use);
	free(h->sessions);
	free(h->suggestions);
	free(h);
}

/* What became of it is still to come. */
static void end(struct held *h)
{
	struct approve *a = h->approve;

	leave(h);
	h->decided = NULL;
	h->ended_ms = clock_mono_ns() / 1000000;
	list_add(&a->ended, &h->in_all);
	if (++a->ended_count > ENDED_MAX)
		approve_free(list_of(a->ended.next, struct held, in_all));
}

void approve_let_go(struct held *h, struct text json)
{
	approve_decided_fn *decided = h->decided;
	void *of = h->of;

	end(h);
	decided(of, json);
}

void approve_withdraw(struct held *h, const char *why)
{
	struct approve *a = h->approve;

	a->options.withdrew(a->options.self, TEXT(APPROVE_SOURCE), text_of(h->id), why);
}

static void ran_out(struct deadline *deadline)
{
	struct held *h = list_of(deadline, struct held, patience);

	approve_withdraw(h, "nobody answered in time");
	approve_let_go(h, TEXT(""));
}

void approve_forget(struct held *h)
{
	if (!h)
		return;
	approve_withdraw(h, "Claude Code does not wait any more");
	end(h);
}

static struct held *hold(struct approve *a, const struct approve_request *r)
{
	struct held *h = must_zero(1, sizeof(*h));

	h->approve = a;
	h->run = text_dup(r->session);
	h->tool = text_dup(r->tool);
	h->is_inside = r->agent.len > 0;
	h->sessions = approve_sessions(r->transcript);
	h->input_hash = approve_hash(r->input);
	buf_init(&h->input, PAYLOAD_MAX);
	h->patience.fire = ran_out;
	deadline_set(a->options.loop, &h->patience, HELD_MS);
	list_add(&a->held, &h->in_all);
	a->held_count++;
	return h;
}

/* ---- asking ---- */

static void ask(struct held *h, const struct approve_request *r)
{
	char id[RANDOM_UUID_LEN + 1] = "";
	struct buf out;

	random_uuid(id);
	h->id = must_dup(id);
	if (yyjson_arr_size(r->suggestions))
		h->suggestions = yyjson_val_write(r->suggestions, YYJSON_WRITE_NOFLAG, NULL);
	if (r->input)
		json_add(&h->input, r->input);
	h->approve->input_bytes += h->input.len;
	hook_begin(&out, "prompt", r->session);
	buf_print(&out, "\"id\":\"%s\",\"type\":\"select\",\"prompt\":", id);
	approve_ask(&out, r, buf_text(&h->input));
	buf_print(&out, ",\"deadline\":%lld,\"invokeid\":", (long long)clock_wall_ms() + HELD_MS);
	buf_add_json(&out, r->agent.len ? r->agent : TEXT("claude"));
	buf_add(&out, TEXT("}}"));
	hook_end(h->approve->options.hook, &out);
}

/* ---- answers ---- */

static struct held *find_asked(const struct approve *a, struct text id)
{
	list_each(&a->held, l) {
		struct held *h = list_of(l, struct held, in_all);

		if (text_is(id, h->id))
			return h;
	}
	return NULL;
}

struct text approve_input(const struct approve *a, struct text id)
{
	const struct held *h = find_asked(a, id);

	return h ? buf_text(&h->input) : (struct text){NULL, 0};
}

static void note_given(struct held *h, yyjson_val *value)
{
	struct text word = approve_word(value);

	if (!word.len || word.len >= sizeof(h->word))
		return;
	memcpy(h->word, word.at, word.len);
	h->given = text_is(word, "deny") || text_is(word, "stop") ? GIVEN_DENY : GIVEN_ALLOW;
}

bool approve_reply(struct approve *a, const struct source_reply *reply)
{
	struct held *h = find_asked(a, reply->id);
	struct buf out;
	yyjson_doc *doc;

	if (!h)
		return false;
	buf_init(&out, PAYLOAD_MAX);
	doc = reply->value.len ? json_read(&a->reader, reply->value, NULL) : NULL;
	approve_decide(&out, yyjson_doc_get_root(doc), h->suggestions);
	if (!out.full)
		note_given(h, yyjson_doc_get_root(doc));
	approve_let_go(h, out.full ? TEXT("") : buf_text(&out));
	buf_finish(&out);
	return true;
}

/* ---- payloads ---- */

struct held *approve_hold(struct approve *a, struct text payload, approve_decided_fn *decided,
                          void *of)
{
	struct approve_request r;
	struct held *h;

	if (a->is_stopped || a->held_count == HELD_MAX || a->input_bytes > INPUTS_MAX ||
	    !approve_read(&r, &a->reader, payload) || r.session.len > SESSION_MAX ||
	    !text_is(r.event, "PermissionRequest"))
		return NULL;
	h = hold(a, &r);
	h->decided = decided;
	h->of = of;
	settle_find_use(h);
	ask(h, &r);
	settle_begin(a);
	return h;
}

/* ---- life ---- */

struct approve *approve_create(const struct approve_options *options)
{
	struct approve *a = must_zero(1, sizeof(*a));

	a->options = *options;
	list_init(&a->held);
	list_init(&a->ended);
	list_init(&a->uses);
	json_reader_init(&a->reader, PAYLOAD_MAX);
	json_reader_init(&a->registry, CLAUDE_SESSION_MAX);
	return a;
}

void approve_stop(struct approve *a)
{
	a->is_stopped = true;
	while (!list_is_empty(&a->held)) {
		struct held *h = list_of(a->held.next, struct held, in_all);

		approve_withdraw(h, "the box stopped");
		approve_let_go(h, TEXT(""));
	}
}

void approve_destroy(struct approve *a)
{
	if (!a)
		return;
	while (!list_is_empty(&a->held))
		approve_free(list_of(a->held.next, struct held, in_all));
	while (!list_is_empty(&a->ended))
		approve_free(list_of(a->ended.next, struct held, in_all));
	settle_forget(a);
	json_reader_finish(&a->registry);
	json_reader_finish(&a->reader);
	free(a);
}
