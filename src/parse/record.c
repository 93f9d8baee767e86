/* record.c - facts that change, calls and their results, ends of turns. */
#include "parse/record.h"

#include <stdlib.h>

#include "base/put.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "parse/inside.h"
#include "parse/time.h"
#include "parse/words.h"

static const char *const fact_names[RECORD_FACTS] = {
	[RECORD_VERSION] = "version", [RECORD_CWD] = "cwd",   [RECORD_BRANCH] = "branch",
	[RECORD_MODEL] = "model",     [RECORD_MODE] = "mode", [RECORD_TITLE] = "title",
	[RECORD_PARENT] = "parent",
};

void record_init(struct record *record, const char *agent, const char *harness)
{
	record->agent = agent;
	record->harness = harness;
}

static void forget_call(struct record_call *call)
{
	free(call->id);
	free(call->tool);
	free(call->changes);
	*call = (struct record_call){0};
}

void record_finish(struct record *record)
{
	for (int i = 0; i < RECORD_FACTS; i++)
		free(record->facts[i]);
	for (unsigned i = 0; i < RECORD_CALLS; i++)
		forget_call(&record->calls[i]);
}

void record_at(struct parse *p, struct text timestamp)
{
	double at_ms;

	if (time_read(timestamp, &at_ms) && at_ms > 0)
		parse_set_moment(p, (int64_t)at_ms, false);
}

/* ---- facts ---- */

void record_note(struct record *record, enum record_fact fact, struct text value)
{
	value = utf8_cut(value, RECORD_TEXT_MAX);
	if (value.len == 0 || memchr(value.at, '\0', value.len) ||
	    (record->facts[fact] && text_is(value, record->facts[fact])))
		return;
	free(record->facts[fact]);
	record->facts[fact] = text_dup(value);
	record->fresh[fact] = true;
}

struct text record_known(const struct record *record, enum record_fact fact)
{
	return text_of(record->facts[fact]);
}

void record_tell_facts(struct record *record, struct parse *p)
{
	bool any = false;

	for (int i = 0; i < RECORD_FACTS; i++)
		any |= record->fresh[i];
	if (!any)
		return;
	record_begin(record, p, "session.facts");
	make_word(&p->make, "harness", record->harness);
	for (int i = 0; i < RECORD_FACTS; i++)
		if (record->fresh[i])
			make_text(&p->make, fact_names[i], text_of(record->facts[i]));
	if (record->fresh[RECORD_TITLE])
		make_word(&p->make, "titleFrom", "agent");
	record_end(p);
	memset(record->fresh, 0, sizeof(record->fresh));
}

/* ---- signals ---- */

void record_begin(const struct record *record, struct parse *p, const char *type)
{
	parse_begin(p, type);
	make_word(&p->make, "agentId", record->agent);
}

void record_end(struct parse *p)
{
	make_metadata(&p->make);
	make_word(&p->make, "from", "transcript");
	parse_give(p);
}

/* ---- calls ---- */

static struct record_call *find_call(struct record *record, struct text id)
{
	for (unsigned i = 0; i < RECORD_CALLS; i++)
		if (record->calls[i].id && text_is(id, record->calls[i].id))
			return &record->calls[i];
	return NULL;
}

static void add_path(struct make *m, struct text path)
{
	struct buf input;

	if (path.len == 0 || path.len > RECORD_TEXT_MAX)
		return;
	buf_init(&input, 32 * KIB);
	put_object(&input, NULL);
	put_text(&input, "path", path);
	put_end(&input);
	make_raw(m, "input", buf_text(&input));
	buf_finish(&input);
}

struct record_call *record_call(struct record *record, struct parse *p,
                                const struct record_call *call, const struct record_about *about)
{
	struct text id = text_of(call->id), tool = text_of(call->tool);
	struct record_call *slot;

	if (id.len == 0 || id.len > RECORD_TEXT_MAX || tool.len == 0 ||
	    tool.len > RECORD_TEXT_MAX || find_call(record, id))
		return NULL;
	slot = &record->calls[record->call_count++ % RECORD_CALLS];
	forget_call(slot);
	*slot = (struct record_call){.id = text_dup(id), .tool = text_dup(tool)};
	record_begin(record, p, "tool_call");
	make_text(&p->make, "toolName", tool);
	make_text(&p->make, "callId", id);
	if (!words_are_wanted(p) || !words_add_input(&p->make, about->input))
		add_path(&p->make, about->path);
	record_end(p);
	record->has_said = false;
	return slot;
}

/* An object with path, kind, added and removed for each file. */
static void tell_changes(struct record *record, struct parse *p, const struct record_call *call)
{
	yyjson_doc *doc = yyjson_read(call->changes, strlen(call->changes), 0);
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_doc_get_root(doc));
	yyjson_val *change;

	while ((change = yyjson_arr_iter_next(&each))) {
		record_begin(record, p, "agent.change");
		make_members(&p->make, change);
		make_text(&p->make, "callId", text_of(call->id));
		record_end(p);
	}
	yyjson_doc_free(doc);
}

void record_result(struct record *record, struct parse *p, struct text id,
                   const struct record_outcome *outcome)
{
	struct record_call *call = id.len ? find_call(record, id) : NULL;

	if (!call)
		return;
	record_begin(record, p, "tool_result");
	make_text(&p->make, "toolName", text_of(call->tool));
	make_bool(&p->make, "success", outcome->success);
	make_text(&p->make, "callId", id);
	if (words_are_wanted(p))
		words_add_output(&p->make, outcome->output);
	record_end(p);
	if (outcome->success && call->changes)
		tell_changes(record, p, call);
	forget_call(call);
}

void record_turn(const struct record *record, struct parse *p, const char *state)
{
	record_begin(record, p, "session.turn");
	make_word(&p->make, "state", state);
	record_end(p);
}

/* ---- titles ---- */

static bool is_title(struct text line)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, line);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "thread_name"))
			return true;
	return false;
}

bool record_take_title(const struct record *record, struct parse *p, struct text line)
{
	yyjson_val *root = is_title(line) ? parse_json(p, line) : NULL;
	struct text id = utf8_cut(json_text_at(root, "id"), RECORD_TEXT_MAX);
	struct text name = utf8_cut(json_text_at(root, "thread_name"), RECORD_TEXT_MAX);

	if (id.len == 0 || name.len == 0 || memchr(id.at, '\0', id.len))
		return root != NULL;
	parse_set_correlation(p, id);
	record_at(p, json_text_at(root, "updated_at"));
	record_begin(record, p, "session.facts");
	make_word(&p->make, "harness", record->harness);
	make_text(&p->make, "title", name);
	make_word(&p->make, "titleFrom", "agent");
	record_end(p);
	return true;
}

/* ---- words ---- */

void record_ask(struct record *record, struct parse *p, struct text id, yyjson_val *content)
{
	struct buf words;

	if (!words_are_wanted(p))
		return;
	buf_init(&words, 2 * MIB);
	words_join(&words, content);
	if (words.len) {
		parse_begin(p, "task_dispatch");
		make_text(&p->make, "taskId", id.len ? id : parse_correlation(p));
		make_word(&p->make, "from", "user");
		make_word(&p->make, "to", record->agent);
		make_text(&p->make, "description", utf8_cut(buf_text(&words), WORDS_SAID_MAX));
		record_end(p);
		record->has_said = false;
	}
	buf_finish(&words);
}

/* Two answers one after the other are two paragraphs. */
void record_say(struct record *record, struct parse *p, bool is_thought, yyjson_val *content)
{
	struct buf words, said;

	if (!words_are_wanted(p))
		return;
	buf_init(&words, 2 * MIB);
	buf_init(&said, WORDS_SAID_MAX + KIB);
	words_join(&words, content);
	if (words.len) {
		if (record->has_said && !is_thought)
			buf_add(&said, TEXT("\n\n"));
		buf_add(&said, utf8_cut(buf_text(&words), WORDS_SAID_MAX));
		record_begin(record, p, is_thought ? "thinking" : "text_delta");
		make_text(&p->make, "content", buf_text(&said));
		record_end(p);
		record->has_said = record->has_said || !is_thought;
	}
	buf_finish(&words);
	buf_finish(&said);
}
