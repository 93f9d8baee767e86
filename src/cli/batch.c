/* batch.c - sending lines and reading what became of each. */
#include "cli/batch.h"

#include <assert.h>
#include <yyjson.h>

#include "cli/envelope.h"
#include "cli/send.h"

/* A line of the input may be longer than what is gathered before a send. */
#define BODY_MAX (64 * MIB)

void batch_init(struct batch *batch)
{
	buf_init(&batch->body, BODY_MAX);
	batch->count = 0;
	batch->repeatable = true;
}

void batch_finish(struct batch *batch)
{
	buf_finish(&batch->body);
}

void batch_add(struct batch *batch, struct text text, uint64_t line)
{
	assert(batch->count < BATCH_LINES);
	if (!envelope_add(&batch->body, text))
		batch->repeatable = false;
	buf_add_char(&batch->body, '\n');
	batch->lines[batch->count++] = line;
}

bool batch_is_full(const struct batch *batch)
{
	return batch->count == BATCH_LINES || batch->body.len >= BATCH_BYTES;
}

static void tell_refused(const struct batch *batch, yyjson_val *rejected,
                         struct batch_answer *answer)
{
	size_t at, count;
	yyjson_val *one;

	yyjson_arr_foreach(rejected, at, count, one)
	{
		uint64_t line = yyjson_get_uint(yyjson_obj_get(one, "line"));
		const char *words = yyjson_get_str(yyjson_obj_get(one, "error"));

		if (line >= 1 && line <= batch->count)
			answer->refused(answer->self, batch->lines[line - 1],
			                words ? words : "refused");
	}
}

/* An answer that tells about lines, whatever its status is. */
static bool read_answer(const struct batch *batch, struct text body, struct batch_answer *answer)
{
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *accepted = yyjson_obj_get(root, "accepted");
	bool good = yyjson_is_uint(accepted);

	if (good) {
		answer->accepted = yyjson_get_uint(accepted);
		answer->rejected = yyjson_get_uint(yyjson_obj_get(root, "rejectedCount"));
		answer->first_seq = yyjson_get_uint(yyjson_obj_get(root, "firstSeq"));
		answer->last_seq = yyjson_get_uint(yyjson_obj_get(root, "lastSeq"));
		tell_refused(batch, yyjson_obj_get(root, "rejected"), answer);
	}
	yyjson_doc_free(doc);
	return good;
}

bool batch_send(struct batch *batch, struct remote *remote, struct batch_answer *answer,
                struct error *why)
{
	struct send send = {.type = "application/x-ndjson",
	                    .body = buf_text(&batch->body),
	                    .repeatable = batch->repeatable};
	struct buf body;
	long status;
	bool good = send_run(remote, &send, &status, &body, why);

	if (good && !read_answer(batch, buf_text(&body), answer)) {
		remote_refusal(status, buf_text(&body), why);
		good = false;
	}
	if (!good)
		error_within(why, "lines %llu to %llu", (unsigned long long)batch->lines[0],
		             (unsigned long long)batch->lines[batch->count - 1]);
	buf_finish(&body);
	buf_clear(&batch->body);
	batch->count = 0;
	batch->repeatable = true;
	return good;
}
