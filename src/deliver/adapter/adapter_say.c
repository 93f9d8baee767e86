/* adapter_say.c - what an adapter is told: lines of its stream. */
#include "base/put.h"
#include "deliver/adapter/adapter_call.h"
#include "deliver/plain.h"

static void put_present(struct buf *out, const char *key, struct text value)
{
	if (value.len)
		put_text(out, key, value);
}

static void put_target(const struct adapter_say *say, struct buf *out)
{
	const struct channel_message *m = say->message;

	put_object(out, "target");
	put_word(out, "channel", say->adapter->channel);
	put_word(out, "account_id", say->adapter->account);
	put_text(out, "to", m->peer);
	put_present(out, "thread_id", m->thread);
	put_present(out, "reply_to_id", m->reply_to);
	put_present(out, "message_id", m->message);
	put_end(out);
}

static void begin_line(const struct adapter_say *say, const char *type, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "type", type);
	if (say->run)
		put_word(out, "runId", say->run);
}

static void end_line(struct buf *out)
{
	put_end(out);
	buf_add_char(out, '\n');
}

void adapter_words(const struct adapter *a, const struct channel_message *m, struct buf *out)
{
	struct text text = m->text;

	while (text.len && strchr(" \t\r\n", text.at[text.len - 1]))
		text.len--;
	if (m->is_plain || a->info.shows_markup)
		buf_add(out, text);
	else
		plain_add(out, text);
}

void adapter_say_start(const struct adapter_say *say, struct buf *out)
{
	begin_line(say, "stream_start", out);
	put_word(out, "sessionLabel", say->run);
	put_target(say, out);
	end_line(out);
}

void adapter_say_token(struct text text, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "type", "token");
	put_text(out, "text", text);
	end_line(out);
}

void adapter_say_end(const struct adapter_say *say, struct buf *out)
{
	begin_line(say, "stream_end", out);
	put_bool(out, "final", true);
	end_line(out);
}

void adapter_say_error(const struct adapter_say *say, struct text partial, struct buf *out)
{
	begin_line(say, "stream_error", out);
	put_word(out, "error", "the agent did not finish");
	put_text(out, "partial", partial);
	end_line(out);
}

void adapter_say_message(const struct adapter_say *say, struct buf *out)
{
	struct buf words;

	adapter_say_start(say, out);
	buf_init(&words, ADAPTER_LINE_MAX);
	adapter_words(say->adapter, say->message, &words);
	adapter_say_token(buf_text(&words), out);
	buf_finish(&words);
	adapter_say_end(say, out);
}

void adapter_say_delete(const struct adapter_say *say, struct buf *out)
{
	begin_line(say, "message_delete", out);
	put_target(say, out);
	end_line(out);
}

void adapter_say_find(const struct adapter_say *say, struct buf *out)
{
	begin_line(say, "message_find", out);
	if (say->message->since_ms > 0)
		put_i64(out, "since", (int64_t)say->message->since_ms);
	put_target(say, out);
	end_line(out);
}

void adapter_say_typing(const struct adapter_say *say, bool shows, struct buf *out)
{
	begin_line(say, "typing", out);
	put_bool(out, "shows", shows);
	put_target(say, out);
	end_line(out);
}
