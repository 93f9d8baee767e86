/* run_words.c - what `signalbox run` itself tells of a run: its start, its end, what cannot
 * be done.  The command line is not told: it may hold a secret.
 */
#include "cli/run_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "signal/json.h"
#include "signal/make.h"

#define ENVELOPE_MAX (64 * KIB)
#define RESULT_MAX (4 * KIB)

/* at_ms: when; 0 is now. */
static void begin_envelope(const struct run_words *run, struct make *m, struct buf *out,
                           const char *type, double at_ms)
{
	buf_init(out, ENVELOPE_MAX);
	make_begin(m, out,
	           &(struct make_head){
			   .type = type,
			   .source = text_of(run->source),
			   .correlation = text_of(run->task),
			   .at_ms = at_ms,
			   .is_new = true,
		   });
	make_payload(m);
}

static void begin_signal(const struct run_words *run, struct make *m, struct buf *out,
                         const char *type, double at_ms)
{
	begin_envelope(run, m, out, type, at_ms);
	make_word(m, "taskId", run->task);
}

static void end_signal(struct run_words *run, struct make *m, int status)
{
	make_metadata(m);
	make_u64(m, "pid", (uint64_t)run->pid);
	if (status >= 0) {
		make_u64(m, "exitCode", (uint64_t)status);
		make_word(m, "stopReason", run->stop);
	}
	if (make_end(m))
		courier_add(run->courier, buf_text(m->out));
	buf_finish(m->out);
}

void run_tell_start(struct run_words *run)
{
	struct make m;
	struct buf out;

	begin_signal(run, &m, &out, "task_dispatch", (double)run->began_ms);
	make_word(&m, "from", "signalbox run");
	make_word(&m, "to", run->name);
	end_signal(run, &m, -1);
}

static void tell_completion(struct run_words *run, bool success, const char *result, int status)
{
	struct make m;
	struct buf out;

	begin_signal(run, &m, &out, "completion", 0);
	make_word(&m, "agentId", run->name);
	make_bool(&m, "success", success);
	make_word(&m, "result", result);
	end_signal(run, &m, status);
}

void run_tell_end(struct run_words *run, int status)
{
	char result[32];

	snprintf(result, sizeof(result), "exit %d", status);
	tell_completion(run, status == 0 && !run->has_failed, run->result ? run->result : result,
	                status);
}

void run_tell_move(struct run_words *run, const char *session)
{
	char *words = must_print("goes on as session %s", session);

	tell_completion(run, true, words, -1);
	free(words);
}

void run_tell_cannot(struct run_words *run, struct text op)
{
	char words[96];
	struct make m;
	struct buf out;

	begin_envelope(run, &m, &out, "error", 0);
	snprintf(words, sizeof(words), "a program that runs here cannot do that: %.*s",
	         (int)(op.len < 40 ? op.len : 40), op.at);
	make_word(&m, "message", words);
	make_word(&m, "agentId", run->name);
	make_word(&m, "severity", "warning");
	make_word(&m, "code", "not_supported");
	end_signal(run, &m, -1);
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
