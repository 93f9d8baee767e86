/* run_words.c - what `signalbox run` itself tells of a run: its start, its end, what cannot
 * be done.  The command line is not told: it may hold a secret.
 */
#include "cli/run_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/random.h"
#include "base/utf8.h"
#include "signal/json.h"

#define ENVELOPE_MAX (64 * KIB)
#define RESULT_MAX (4 * KIB)

static void add_member(struct buf *out, const char *name, const char *value)
{
	buf_print(out, ",\"%s\":", name);
	buf_add_json(out, text_of(value));
}

static void begin_envelope(const struct run_words *run, struct buf *out, const char *type)
{
	char id[RANDOM_UUID_LEN + 1] = "";

	random_uuid(id);
	buf_init(out, ENVELOPE_MAX);
	buf_print(out, "{\"id\":\"%s\",\"type\":\"%s\",\"timestamp\":%lld", id, type,
	          (long long)clock_wall_ms());
	add_member(out, "source", run->source);
	add_member(out, "correlationId", run->task);
	buf_add(out, TEXT(",\"payload\":{"));
}

static void begin_signal(const struct run_words *run, struct buf *out, const char *type)
{
	begin_envelope(run, out, type);
	buf_add(out, TEXT("\"taskId\":"));
	buf_add_json(out, text_of(run->task));
}

static void end_signal(struct run_words *run, struct buf *out, int status)
{
	buf_print(out, "},\"metadata\":{\"pid\":%ld", (long)run->pid);
	if (status >= 0)
		buf_print(out, ",\"exitCode\":%d", status);
	if (status >= 0 && run->stop)
		add_member(out, "stopReason", run->stop);
	buf_add(out, TEXT("}}"));
	if (!out->full)
		courier_add(run->courier, buf_text(out));
	buf_finish(out);
}

void run_tell_start(struct run_words *run)
{
	struct buf out;

	begin_signal(run, &out, "task_dispatch");
	add_member(&out, "from", "signalbox run");
	add_member(&out, "to", run->name);
	end_signal(run, &out, -1);
}

void run_tell_end(struct run_words *run, int status)
{
	char result[32];
	struct buf out;

	snprintf(result, sizeof(result), "exit %d", status);
	begin_signal(run, &out, "completion");
	add_member(&out, "agentId", run->name);
	buf_print(&out, ",\"success\":%s", status == 0 && !run->has_failed ? "true" : "false");
	add_member(&out, "result", run->result ? run->result : result);
	end_signal(run, &out, status);
}

void run_tell_move(struct run_words *run, const char *session)
{
	char *words = must_print("goes on as session %s", session);
	struct buf out;

	begin_signal(run, &out, "completion");
	add_member(&out, "agentId", run->name);
	buf_add(&out, TEXT(",\"success\":true"));
	add_member(&out, "result", words);
	end_signal(run, &out, -1);
	free(words);
}

void run_tell_cannot(struct run_words *run, struct text op)
{
	char words[96];
	struct buf out;

	begin_envelope(run, &out, "error");
	buf_add(&out, TEXT("\"message\":"));
	snprintf(words, sizeof(words), "a program that runs here cannot do that: %.*s",
	         (int)(op.len < 40 ? op.len : 40), op.at);
	buf_add_json(&out, text_of(words));
	add_member(&out, "agentId", run->name);
	add_member(&out, "severity", "warning");
	add_member(&out, "code", "not_supported");
	end_signal(run, &out, -1);
}

static char *word_of(yyjson_val *object, const char *key)
{
	struct text word = json_text_at(object, key);

	return word.len ? text_dup(utf8_cut(word, RESULT_MAX)) : NULL;
}

/* What the agent says of its end.  That it said nothing is no failure of the program. */
void run_keep_end(struct run_words *run, struct text envelope)
{
	yyjson_doc *doc = yyjson_read(envelope.at, envelope.len, YYJSON_READ_NOFLAG);
	yyjson_val *root = yyjson_doc_get_root(doc), *payload = yyjson_obj_get(root, "payload");
	bool is_error = yyjson_equals_str(yyjson_obj_get(root, "type"), "error");

	if (is_error && yyjson_equals_str(yyjson_obj_get(payload, "code"), "cut")) {
		yyjson_doc_free(doc);
		return;
	}
	free(run->result);
	free(run->stop);
	run->result = word_of(payload, is_error ? "message" : "result");
	run->stop = word_of(is_error ? payload : yyjson_obj_get(root, "metadata"),
	                    is_error ? "code" : "stopReason");
	run->has_failed = is_error || yyjson_is_false(yyjson_obj_get(payload, "success"));
	yyjson_doc_free(doc);
}

void run_words_finish(struct run_words *run)
{
	free(run->source);
	free(run->task);
	free(run->result);
	free(run->stop);
}
