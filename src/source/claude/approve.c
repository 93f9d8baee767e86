/* approve.c - holding hooks, and letting them go. */
#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "parse/claude_session.h"
#include "source/claude/approve_inside.h"
#include "source/claude/hook.h"
#include "source/question.h"

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

static void approve_leave(struct approve_held *h)
{
	list_remove(&h->in_all);
	if (h->decided)
		h->approve->held_count--;
	else
		h->approve->ended_count--;
	h->approve->input_bytes -= h->input.len;
	deadline_clear(&h->patience);
	buf_finish(&h->input);
	buf_finish(&h->chosen);
	buf_finish(&h->answers);
}

void approve_free(struct approve_held *h)
{
	approve_leave(h);
	free(h->run);
	free(h->id);
	free(h->tool);
	free(h->tool_use);
	free((char *)h->agent.at);
	free(h->sessions);
	free(h->suggestions);
	free(h);
}

/* What became of it is still to come. */
static void approve_end(struct approve_held *h)
{
	struct approve *a = h->approve;

	approve_leave(h);
	h->decided = NULL;
	h->ended_ms = clock_mono_ns() / 1000000;
	list_add(&a->ended, &h->in_all);
	if (++a->ended_count > ENDED_MAX)
		approve_free(list_of(a->ended.next, struct approve_held, in_all));
}

void approve_let_go(struct approve_held *h, struct text json)
{
	approve_decided_fn *decided = h->decided;
	void *of = h->of;

	approve_end(h);
	if (decided)
		decided(of, json);
}

void approve_withdraw(struct approve_held *h, const char *why)
{
	struct approve *a = h->approve;

	a->options.withdrew(a->options.self, TEXT(APPROVE_SOURCE), text_of(h->id), why);
}

static void approve_ran_out(struct deadline *deadline)
{
	struct approve_held *h = list_of(deadline, struct approve_held, patience);

	approve_withdraw(h, "nobody answered in time");
	approve_let_go(h, TEXT(""));
}

void approve_forget(struct approve_held *h)
{
	if (!h)
		return;
	approve_withdraw(h, "Claude Code does not wait any more");
	approve_end(h);
}

static struct approve_held *hold(struct approve *a, const struct approve_request *r)
{
	struct approve_held *h = must_zero(1, sizeof(*h));

	h->approve = a;
	h->run = text_dup(r->session);
	h->tool = text_dup(r->tool);
	h->is_inside = r->agent.len > 0;
	h->is_question = question_is(r->tool);
	h->agent = r->agent.len ? r->agent : TEXT("claude");
	h->agent.at = text_dup(h->agent);
	buf_init(&h->chosen, PAYLOAD_MAX);
	buf_init(&h->answers, PAYLOAD_MAX);
	h->sessions = approve_sessions(r->transcript);
	h->input_hash = approve_hash(r->input);
	buf_init(&h->input, PAYLOAD_MAX);
	h->patience.fire = approve_ran_out;
	deadline_set(a->options.loop, &h->patience, HELD_MS);
	list_add(&a->held, &h->in_all);
	assert(a->held_count < HELD_MAX);
	a->held_count++;
	return h;
}

/* ---- asking ---- */

/* A prompt as far as its question, and from there on. */
static void begin_prompt(struct approve_held *h, struct buf *out)
{
	char id[RANDOM_UUID_LEN + 1] = "";

	random_uuid(id);
	free(h->id);
	h->id = must_dup(id);
	hook_begin(out, "prompt", text_of(h->run));
	put_word(out, "id", id);
	buf_add_char(out, ',');
}

static void end_prompt(struct approve_held *h, struct buf *out)
{
	put_i64(out, "deadline", clock_wall_ms() + HELD_MS);
	put_text(out, "invokeid", h->agent);
	put_end(out);
	put_end(out);
	hook_end(h->approve->options.hook, out);
}

static void ask_people(struct approve_held *h, const struct approve_request *r)
{
	struct buf out;

	if (yyjson_arr_size(r->suggestions))
		h->suggestions = yyjson_val_write(r->suggestions, YYJSON_WRITE_NOFLAG, NULL);
	if (r->input)
		json_add(&h->input, r->input);
	h->approve->input_bytes += h->input.len;
	begin_prompt(h, &out);
	if (h->is_question)
		question_ask(&out, r->input, 0, 0, TEXT(""));
	else if (question_is_plan(r->tool, r->input))
		question_ask_plan(&out, r->input);
	else
		approve_ask(&out, r, buf_text(&h->input));
	end_prompt(h, &out);
}

/* ---- questions ---- */

/* All are answered. */
static void tell_answers(struct approve_held *h)
{
	struct buf out;

	buf_init(&out, PAYLOAD_MAX);
	approve_answer(&out, buf_text(&h->input), buf_text(&h->answers));
	snprintf(h->word, sizeof(h->word), "answered");
	h->given = GIVEN_ALLOW;
	approve_let_go(h, out.full ? TEXT("") : buf_text(&out));
	buf_finish(&out);
}

/* The answer to one of them: then the next is asked. */
static void approve_take_answer(struct approve_held *h, yyjson_val *value)
{
	struct approve *a = h->approve;
	bool own = question_choose(&h->chosen, value, h->own_words);
	yyjson_val *input = yyjson_doc_get_root(json_read(&a->reader, buf_text(&h->input), NULL));
	struct buf out;

	if (!own) {
		question_answer(&h->answers, input, h->question++, buf_text(&h->chosen));
		buf_clear(&h->chosen);
	}
	h->own_words = own;
	if (h->question == question_count(input)) {
		tell_answers(h);
		return;
	}
	begin_prompt(h, &out);
	question_ask(&out, input, h->question, own ? QUESTION_OWN : 0, TEXT(""));
	end_prompt(h, &out);
}

/* ---- answers ---- */

static struct approve_held *find_asked(const struct approve *a, struct text id)
{
	list_each(&a->held, l) {
		struct approve_held *h = list_of(l, struct approve_held, in_all);

		if (text_is(id, h->id))
			return h;
	}
	return NULL;
}

struct text approve_input(const struct approve *a, struct text id)
{
	const struct approve_held *h = find_asked(a, id);

	return h ? buf_text(&h->input) : (struct text){NULL, 0};
}

static void note_given(struct approve_held *h, yyjson_val *value)
{
	struct text word = approve_word(value);

	if (!word.len || word.len >= sizeof(h->word))
		return;
	memcpy(h->word, word.at, word.len);
	h->given = text_is(word, "deny") || text_is(word, "stop") ? GIVEN_DENY : GIVEN_ALLOW;
}

bool approve_reply(struct approve *a, const struct back_outcome *reply)
{
	struct approve_held *h = find_asked(a, reply->id);
	struct buf out;
	yyjson_doc *doc;

	if (!h)
		return false;
	doc = reply->value.len ? json_read(&a->reader, reply->value, NULL) : NULL;
	if (doc && h->is_question) {
		approve_take_answer(h, yyjson_doc_get_root(doc));
		return true;
	}
	buf_init(&out, PAYLOAD_MAX);
	approve_decide(&out, yyjson_doc_get_root(doc), h->suggestions);
	if (!out.full)
		note_given(h, yyjson_doc_get_root(doc));
	approve_let_go(h, out.full ? TEXT("") : buf_text(&out));
	buf_finish(&out);
	return true;
}

/* ---- payloads ---- */

struct approve_held *approve_hold(struct approve *a, struct text payload,
                                  approve_decided_fn *decided, void *of)
{
	struct approve_request r;
	struct approve_held *h;

	if (a->is_stopped || a->held_count == HELD_MAX || a->input_bytes > INPUTS_MAX ||
	    !approve_read(&r, &a->reader, payload) || r.session.len > SESSION_MAX ||
	    !text_is(r.event, "PermissionRequest") ||
	    (question_is(r.tool) && !question_count(r.input)))
		return NULL;
	h = hold(a, &r);
	h->decided = decided;
	h->of = of;
	settle_find_use(h, r.prompt);
	ask_people(h, &r);
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
		struct approve_held *h = list_of(a->held.next, struct approve_held, in_all);

		approve_withdraw(h, "the box stopped");
		approve_let_go(h, TEXT(""));
	}
}

void approve_destroy(struct approve *a)
{
	if (!a)
		return;
	while (!list_is_empty(&a->held))
		approve_free(list_of(a->held.next, struct approve_held, in_all));
	while (!list_is_empty(&a->ended))
		approve_free(list_of(a->ended.next, struct approve_held, in_all));
	settle_forget(a);
	json_reader_finish(&a->registry);
	json_reader_finish(&a->reader);
	free(a);
}
