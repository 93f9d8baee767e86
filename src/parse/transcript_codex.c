/* transcript_codex.c - the rollout that Codex keeps of a thread, a line an item.
 *
 * Newer versions write a record for each response (`token_usage_record`), older ones only sums that
 * grow (`token_count`), in which an unchanged sum is no new call.  A thread that was forked begins
 * with lines of the other, written anew within a second: their records name their own thread, their
 * sums are passed over.
 *
 * Approvals, plans that are shown and errors are in no line: a plan is what the tool was given.
 * Titles are in an index of all threads, whose lines are taken as well.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/put.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "parse/codex_limits.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/patch.h"
#include "parse/record.h"
#include "parse/speak.h"
#include "parse/time.h"
#include "parse/words.h"

#define REPLAY_MS 1000.0 /* in which the lines of another thread are written */
#define PLAN_ITEMS_MAX 200
#define PLAN_ITEM_MAX 512
#define KEY_MAX 512
#define LIMITS_MAX 1024

struct rollout {
	struct record record;
	char *thread;     /* NULL: not known yet */
	bool is_forked;   /* it begins with lines of another */
	bool has_records; /* sums are not needed */
	double begun_ms;  /* when the file says that it begins */
	uint64_t window;  /* of the model */
	uint64_t total;   /* the last sum */
	struct codex_limits limits;
};

/* One line. */
struct rollout_line {
	struct parse *p;
	struct rollout *r;
	yyjson_val *payload;
	double at_ms;
};

/* --- who it is ------------------------------------------------------------------------ */

static struct text parent_of(yyjson_val *payload)
{
	yyjson_val *source = yyjson_obj_get(payload, "source");
	yyjson_val *spawn = yyjson_obj_get(yyjson_obj_get(source, "subagent"), "thread_spawn");
	struct text parent = json_text_at(payload, "parent_thread_id");

	return parent.len ? parent : json_text_at(spawn, "parent_thread_id");
}

/* Those that follow are of the thread that this one was forked from. */
static void take_meta(const struct rollout_line *l)
{
	yyjson_val *git = yyjson_obj_get(l->payload, "git");
	struct text id = utf8_cut(json_text_at(l->payload, "id"), RECORD_TEXT_MAX);
	struct rollout *r = l->r;

	if (r->thread || id.len == 0 || memchr(id.at, '\0', id.len))
		return;
	r->thread = text_dup(id);
	r->begun_ms = l->at_ms;
	r->is_forked = parent_of(l->payload).len || json_text_at(l->payload, "forked_from_id").len;
	parse_set_correlation(l->p, id);
	record_note(&r->record, RECORD_VERSION, json_text_at(l->payload, "cli_version"));
	record_note(&r->record, RECORD_CWD, json_text_at(l->payload, "cwd"));
	record_note(&r->record, RECORD_BRANCH, json_text_at(git, "branch"));
	record_note(&r->record, RECORD_PARENT, parent_of(l->payload));
}

static bool is_replayed(const struct rollout_line *l)
{
	return l->r->is_forked && l->at_ms - l->r->begun_ms < REPLAY_MS;
}

static void take_context(const struct rollout_line *l)
{
	if (is_replayed(l))
		return;
	record_note(&l->r->record, RECORD_CWD, json_text_at(l->payload, "cwd"));
	record_note(&l->r->record, RECORD_MODEL, json_text_at(l->payload, "model"));
	record_note(&l->r->record, RECORD_MODE, json_text_at(l->payload, "approval_policy"));
}

/* --- tokens --------------------------------------------------------------------------- */

static void tell_usage(const struct rollout_line *l, yyjson_val *usage, const char *key)
{
	speak_usage(l->p, NULL,
	            &(struct speak_usage){
			    .input = speak_count(usage, "input_tokens"),
			    .output = speak_count(usage, "output_tokens"),
			    .cache_read = speak_count(usage, "cached_input_tokens"),
			    .cache_write = speak_count(usage, "cache_write_input_tokens"),
			    .with_cache = true,
			    .reasoning = speak_count(usage, "reasoning_output_tokens"),
			    .context = speak_count(usage, "total_tokens"),
			    .window = l->r->window,
			    .response = text_of(key),
			    .model = record_known(&l->r->record, RECORD_MODEL),
			    .cost = -1,
		    });
}

/* Ids of responses are as unique as whoever serves the model makes them. */
static void take_record(const struct rollout_line *l)
{
	yyjson_val *usage = yyjson_obj_get(l->payload, "usage");
	yyjson_val *all = yyjson_obj_get(l->payload, "thread_token_usage");
	struct text thread = utf8_cut(json_text_at(l->payload, "thread_id"), 128);
	struct text id = utf8_cut(json_text_at(l->payload, "response_id"), 256);
	char key[KEY_MAX];

	if (thread.len == 0 && l->r->thread && !is_replayed(l))
		thread = utf8_cut(text_of(l->r->thread), 128);
	if (!yyjson_is_obj(usage) || thread.len == 0)
		return;
	l->r->has_records = true;
	snprintf(key, sizeof(key), "%.*s/%llu/%.*s", TEXT_ARG(thread),
	         (unsigned long long)speak_count(all, "total_tokens"), TEXT_ARG(id));
	tell_usage(l, usage, key);
}

static void take_sums(const struct rollout_line *l, yyjson_val *info)
{
	yyjson_val *all = yyjson_obj_get(info, "total_token_usage");
	yyjson_val *last = yyjson_obj_get(info, "last_token_usage");
	struct text thread = utf8_cut(text_of(l->r->thread), 128);
	char key[KEY_MAX];
	uint64_t total = speak_count(all, "total_tokens");

	if (l->r->has_records || is_replayed(l) || !yyjson_is_obj(last) || thread.len == 0 ||
	    total == l->r->total)
		return;
	l->r->total = total;
	snprintf(key, sizeof(key), "%.*s/%llu", TEXT_ARG(thread), (unsigned long long)total);
	tell_usage(l, last, key);
}

/* --- limits --------------------------------------------------------------------------- */

static void take_limits(const struct rollout_line *l, yyjson_val *limits)
{
	struct buf windows;

	buf_init(&windows, LIMITS_MAX);
	if (codex_limits_take(&l->r->limits, limits, l->at_ms, &windows)) {
		record_begin(&l->r->record, l->p, "agent.limits");
		make_word(&l->p->make, "harness", l->r->record.harness);
		make_raw(&l->p->make, "windows", buf_text(&windows));
		make_given(&l->p->make, "plan", json_text_at(limits, "plan_type"));
		record_end(l->p);
	}
	buf_finish(&windows);
}

/* --- events --------------------------------------------------------------------------- */

static void take_count(const struct rollout_line *l)
{
	yyjson_val *info = yyjson_obj_get(l->payload, "info");
	uint64_t window = speak_count(info, "model_context_window");

	if (window)
		l->r->window = window;
	take_sums(l, info);
	if (!is_replayed(l))
		take_limits(l, yyjson_obj_get(l->payload, "rate_limits"));
}

static void take_started(const struct rollout_line *l)
{
	uint64_t window = speak_count(l->payload, "model_context_window");

	if (window)
		l->r->window = window;
	if (!is_replayed(l))
		record_turn(&l->r->record, l->p, "began");
}

static void take_complete(const struct rollout_line *l)
{
	if (!is_replayed(l))
		record_turn(&l->r->record, l->p, "over");
}

static void take_aborted(const struct rollout_line *l)
{
	if (!is_replayed(l))
		record_turn(&l->r->record, l->p, "interrupted");
}

/* --- tools ---------------------------------------------------------------------------- */

static void put_step(struct buf *out, yyjson_val *step)
{
	static const char *const known[] = {"pending", "in_progress", "completed", NULL};
	struct text status = json_text_at(step, "status");
	const char *word = known[0];

	for (const char *const *name = known; *name; name++)
		if (text_is(status, *name))
			word = *name;
	put_object(out, NULL);
	put_text(out, "text", utf8_cut(json_text_at(step, "step"), PLAN_ITEM_MAX));
	put_word(out, "status", word);
	put_end(out);
}

static void tell_plan(const struct rollout_line *l, yyjson_val *plan)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(plan);
	yyjson_val *step;
	struct buf items;

	if (!yyjson_is_arr(plan))
		return;
	buf_init(&items, PLAN_ITEMS_MAX * (PLAN_ITEM_MAX * 6 + 100));
	put_list(&items, NULL);
	for (unsigned i = 0; i < PLAN_ITEMS_MAX && (step = yyjson_arr_iter_next(&each)); i++)
		put_step(&items, step);
	put_list_end(&items);
	record_begin(&l->r->record, l->p, "agent.plan");
	make_bool(&l->p->make, "whole", true);
	make_raw(&l->p->make, "items", buf_text(&items));
	record_end(l->p);
	buf_finish(&items);
}

/* What a call is given is JSON in a string, or a patch as it is. */
static void look_into(const struct rollout_line *l, struct record_call *call, struct text name,
                      struct text given)
{
	yyjson_val *input = yyjson_doc_get_root(json_read(&l->p->input, given, NULL));

	if (text_is(name, "update_plan"))
		tell_plan(l, yyjson_obj_get(input, "plan"));
	if (text_is(name, "apply_patch"))
		call->changes = patch_changes(input ? json_text_at(input, "input") : given);
}

/* Only where words are wanted somebody looks at it. */
static yyjson_val *input_of(const struct rollout_line *l)
{
	struct text given = json_text_at(l->payload, "arguments");

	if (!words_are_wanted(l->p))
		return NULL;
	if (given.len)
		return yyjson_doc_get_root(json_read(&l->p->input, given, NULL));
	return yyjson_is_str(yyjson_obj_get(l->payload, "input"))
	               ? l->payload
	               : yyjson_obj_get(l->payload, "action");
}

static void take_call(const struct rollout_line *l)
{
	struct text id = json_text_at(l->payload, "call_id");
	struct text name = json_text_at(l->payload, "name");
	struct text given = json_text_at(l->payload, "arguments");
	char *id_word, *name_word;
	struct record_call *call;

	if (is_replayed(l) || id.len > RECORD_TEXT_MAX || name.len > RECORD_TEXT_MAX)
		return;
	id_word = text_dup(id);
	name_word = text_dup(name.len ? name : TEXT("local_shell"));
	call = record_call(&l->r->record, l->p, &(struct record_call){id_word, name_word, NULL},
	                   &(struct record_about){.input = input_of(l)});
	if (call)
		look_into(l, call, name, given.len ? given : json_text_at(l->payload, "input"));
	free(id_word);
	free(name_word);
}

/* Where it ended badly it says so, in words or in JSON, near its beginning. */
static bool has_failed(struct text output)
{
	static const char *const signs[] = {"exited with code ", "Exit code: ", "exit_code"};

	if (output.len == 0)
		return false;
	if (output.len > KIB)
		output.len = KIB;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		size_t len = strlen(signs[i]);
		const char *at = memmem(output.at, output.len, signs[i], len);
		const char *end = output.at + output.len;

		for (at = at ? at + len : end; at < end && strchr("\": ", *at); at++)
			continue;
		if (at < end)
			return *at != '0';
	}
	return text_starts(output, TEXT("apply_patch verification failed")) ||
	       text_starts(output, TEXT("failed"));
}

static void take_output(const struct rollout_line *l)
{
	struct text output = json_text_at(l->payload, "output");

	record_result(&l->r->record, l->p, json_text_at(l->payload, "call_id"),
	              &(struct record_outcome){!has_failed(output),
	                                       yyjson_obj_get(l->payload, "output")});
}

/* --- words ---------------------------------------------------------------------------- */

/* The program itself says where it is, and what the project wants, in the name of the user. */
static bool is_of_program(yyjson_val *content)
{
	struct text words = json_text_at(yyjson_arr_get_first(content), "text");

	return text_starts(words, TEXT("<")) || text_starts(words, TEXT("# AGENTS.md"));
}

static void take_message(const struct rollout_line *l)
{
	yyjson_val *content = yyjson_obj_get(l->payload, "content");
	struct text role = json_text_at(l->payload, "role");

	if (is_replayed(l))
		return;
	if (text_is(role, "assistant"))
		record_say(&l->r->record, l->p, false, content);
	else if (text_is(role, "user") && !is_of_program(content))
		record_ask(&l->r->record, l->p, json_text_at(l->payload, "id"), content);
}

static void take_reasoning(const struct rollout_line *l)
{
	if (!is_replayed(l))
		record_say(&l->r->record, l->p, true, yyjson_obj_get(l->payload, "summary"));
}

/* --- lines ---------------------------------------------------------------------------- */

static const struct {
	const char *type, *kind; /* kind NULL: whatever its payload is */
	void (*take)(const struct rollout_line *l);
	bool is_words; /* and nothing else */
} takers[] = {
	{"session_meta", NULL, take_meta},
	{"turn_context", NULL, take_context},
	{"token_usage_record", NULL, take_record},
	{"event_msg", "token_count", take_count},
	{"event_msg", "task_started", take_started},
	{"event_msg", "task_complete", take_complete},
	{"event_msg", "turn_aborted", take_aborted},
	{"response_item", "function_call", take_call},
	{"response_item", "custom_tool_call", take_call},
	{"response_item", "local_shell_call", take_call},
	{"response_item", "function_call_output", take_output},
	{"response_item", "custom_tool_call_output", take_output},
	{"response_item", "message", take_message, true},
	{"response_item", "reasoning", take_reasoning, true},
};
#define TAKERS (sizeof(takers) / sizeof(takers[0]))

static struct text word_in(struct text object, const char *name, struct text *payload)
{
	struct text key, value, word = {NULL, 0};
	struct scan scan;

	scan_object(&scan, object);
	while (scan_member(&scan, &key, &value)) {
		if (text_is(key, name) && value.len > 2 && value.at[0] == '"')
			word = (struct text){value.at + 1, value.len - 2};
		if (!payload && word.len)
			return word;
		if (payload && text_is(key, "payload"))
			*payload = value;
	}
	return word;
}

/* Most bytes are words: they are stepped over, and no tree is built. */
static size_t taker_of(struct text line)
{
	struct text payload = {NULL, 0};
	struct text type = word_in(line, "type", &payload), kind = {NULL, 0};
	size_t i = 0;

	if (text_is(type, "event_msg") || text_is(type, "response_item"))
		kind = word_in(payload, "type", NULL);
	while (i < TAKERS && (!text_is(type, takers[i].type) ||
	                      (takers[i].kind && !text_is(kind, takers[i].kind))))
		i++;
	return i;
}

static void rollout_know_agent(struct parse *p)
{
	struct rollout *r = parse_state(p);

	if (r->record.agent)
		return;
	record_init(&r->record, "codex", "codex");
	parse_set_agent(p, TEXT("codex"));
}

static void rollout_take(struct parse *p, const struct parse_event *event)
{
	struct text line = text_trim(event->data);
	size_t taker = taker_of(line);
	struct rollout_line l = {.p = p, .r = parse_state(p)};
	yyjson_val *root;
	struct text at;

	rollout_know_agent(p);
	if (taker == TAKERS && record_take_title(&l.r->record, p, line))
		return;
	if (taker == TAKERS || (takers[taker].is_words && !parse_options(p)->words) ||
	    !(root = parse_json(p, line)))
		return;
	at = json_text_at(root, "timestamp");
	record_at(p, at);
	if (!time_read(at, &l.at_ms))
		l.at_ms = l.r->begun_ms;
	l.payload = yyjson_obj_get(root, "payload");
	if (takers[taker].take != take_meta)
		record_tell_facts(&l.r->record, p);
	takers[taker].take(&l);
	record_tell_facts(&l.r->record, p);
}

static void rollout_finish(struct parse *p)
{
	struct rollout *r = parse_state(p);

	record_finish(&r->record);
	free(r->thread);
	codex_limits_finish(&r->limits);
}

const struct parse_kind parse_codex_rollout = {
	.name = "codex-rollout",
	.summary = "what Codex keeps of a thread, a line each: facts, no words",
	.framing = FRAMING_LINES,
	.size = sizeof(struct rollout),
	.event = rollout_take,
	.finish = rollout_finish,
};
