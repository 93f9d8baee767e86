/* transcript_rows.c - messages, as clients read them from a transcript. */
#include "base/put.h"
#include "base/utf8.h"
#include "gateway/keys.h"
#include "gateway/transcript.h"
#include "run/runs.h"
#include "run/said.h"

#define CUT "\n...(truncated)..."

size_t transcript_rows(const struct said_message *m)
{
	return 1 + m->done_count;
}

void transcript_each_row(const struct run *run, const struct said_message *m,
                         void (*each)(void *self, const struct transcript_row *row), void *self)
{
	struct transcript_row row = {run, m};

	each(self, &row);
	list_each(&m->tools, l) {
		const struct said_tool *tool = list_of(l, struct said_tool, in_message);

		row.tool = tool;
		if (tool->is_done)
			each(self, &row);
	}
}

/* ---- ids ---- */

void transcript_row_id(const struct transcript_row *row, struct buf *id)
{
	const struct said_tool *tool = row->tool;

	buf_add(id, text_of(row->run->id));
	buf_add_char(id, '/');
	buf_add_u64(id, row->message->number);
	if (!tool)
		return;
	buf_add_char(id, '.');
	buf_add_u64(id, tool->number);
}

bool transcript_read_id(struct text id, struct text *run, uint64_t *number)
{
	size_t slash = id.len;
	struct text rest;

	while (slash > 0 && id.at[slash - 1] != '/')
		slash--;
	if (!slash)
		return false;
	*run = (struct text){id.at, slash - 1};
	return text_to_u64(text_cut((struct text){id.at + slash, id.len - slash}, '.', &rest),
	                   number);
}

/* ---- content ---- */

/* Where so many characters end. */
static size_t length_of(struct text text, size_t chars)
{
	size_t at = 0;

	while (chars-- > 0 && at < text.len) {
		size_t n = utf8_length((struct text){text.at + at, text.len - at});

		at += n ? n : 1;
	}
	return at;
}

static void put_words(struct buf *out, const char *kind, struct text words, size_t max)
{
	size_t len = max && words.len > max ? length_of(words, max) : words.len;
	struct buf cut;

	put_object(out, NULL);
	put_word(out, "type", kind);
	if (len == words.len) {
		put_text(out, kind, words);
	} else {
		buf_init(&cut, len + sizeof(CUT));
		buf_add(&cut, (struct text){words.at, len});
		buf_add(&cut, TEXT(CUT));
		put_text(out, kind, buf_text(&cut));
		buf_finish(&cut);
	}
	put_end(out);
}

static void put_call(struct buf *out, const struct said_tool *tool)
{
	put_object(out, NULL);
	put_word(out, "type", "toolCall");
	put_word(out, "id", tool->call ? tool->call : "");
	put_word(out, "name", tool->name);
	if (tool->input.at && !tool->input.is_cut)
		put_json(out, "arguments", (struct text){tool->input.at, tool->input.len});
	put_end(out);
}

static void put_result(struct buf *out, const struct transcript_row *row)
{
	const struct said_tool *tool = row->tool;

	put_word(out, "role", "toolResult");
	put_word(out, "toolCallId", tool->call ? tool->call : "");
	put_word(out, "toolName", tool->name);
	put_list(out, "content");
	put_words(out, "text",
	          (struct text){tool->output.at, tool->output.at ? tool->output.len : 0},
	          row->chars_max);
	put_list_end(out);
	put_bool(out, "isError", tool->has_failed);
	put_u64(out, "timestamp", (uint64_t)row->message->last_ms);
}

static void put_said(struct buf *out, const struct transcript_row *row)
{
	const struct said_message *m = row->message;
	struct text thought = said_text(&m->thought), words = said_text(&m->text);

	put_word(out, "role", m->role == SAID_USER ? "user" : "assistant");
	put_list(out, "content");
	if (thought.len)
		put_words(out, "thinking", thought, row->chars_max);
	if (words.len || (!thought.len && !m->tool_count))
		put_words(out, "text", words, row->chars_max);
	list_each(&m->tools, l)
		put_call(out, list_of(l, struct said_tool, in_message));
	put_list_end(out);
	put_u64(out, "timestamp", (uint64_t)m->first_ms);
	if (m->model)
		put_word(out, "model", m->model);
	if (m->role == SAID_ERROR)
		put_word(out, "stopReason", "error");
}

/* Of what began a run: the key that it was sent with, by which who sent it knows it. */
static void put_sent_key(struct buf *out, const struct transcript_row *row)
{
	struct buf name;

	if (row->message->role != SAID_USER || row->message->number != 1)
		return;
	buf_init(&name, TRANSCRIPT_ID_MAX);
	buf_add(&name, text_of(row->run->id));
	buf_add(&name, TEXT(":user"));
	put_text(out, "idempotencyKey", buf_text(&name));
	buf_finish(&name);
}

/* By this a client knows what it has already. */
static void put_identity(struct buf *out, const struct transcript_row *row)
{
	struct buf name;

	buf_init(&name, TRANSCRIPT_ID_MAX);
	transcript_row_id(row, &name);
	put_object(out, "__openclaw");
	put_text(out, "id", buf_text(&name));
	put_u64(out, "seq", row->message->seq ? row->message->seq : 1);
	put_word(out, "runId", row->run->id);
	put_sent_key(out, row);
	put_end(out);
	buf_finish(&name);
}

void transcript_put_row(struct buf *out, const char *key, const struct transcript_row *row)
{
	put_object(out, key);
	if (row->tool)
		put_result(out, row);
	else
		put_said(out, row);
	put_sent_key(out, row);
	put_identity(out, row);
	put_end(out);
}

void transcript_put_news(struct buf *out, struct text session_key, const struct transcript_row *row)
{
	struct buf id;

	buf_init(&id, TRANSCRIPT_ID_MAX);
	transcript_row_id(row, &id);
	put_text(out, "sessionKey", session_key);
	put_text(out, "agentId", gateway_key_agent(session_key));
	transcript_put_row(out, "message", row);
	put_text(out, "messageId", buf_text(&id));
	put_u64(out, "messageSeq", row->message->seq ? row->message->seq : 1);
	put_word(out, "runId", row->run->id);
	buf_finish(&id);
}
