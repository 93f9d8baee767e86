/* adapter_live.c - a message that a stream is told as it grows.
 *
 * Where the adapter shows no Markdown, a line with marks is told when it is whole: what stands
 * before a mark may mean something else behind it.
 */
#include <stdlib.h>

#include "deliver/adapter/adapter_call.h"

#define YIELD_MS 4000 /* so long another waits, then a message that grows should end */

void adapter_live_begin(struct adapter_live *l, const struct channel_message *m)
{
	l->grows = m->grows;
	buf_init(&l->told, 2 * ADAPTER_LINE_MAX);
}

void adapter_live_finish(struct adapter_live *l)
{
	buf_finish(&l->told);
}

/* So much of a text that grows means the same whatever follows. */
static struct text without_open_line(struct text t)
{
	size_t line = t.len, end;

	while (line > 0 && t.at[line - 1] != '\n')
		line--;
	for (end = line; end < t.len && !strchr("*`[!#<~_", t.at[end]); end++)
		;
	if (end < t.len)
		while (end > line && t.at[end - 1] != ' ')
			end--;
	return (struct text){t.at, end};
}

void adapter_live_say(struct adapter_live *l, const struct adapter_say *say, bool is_last,
                      struct buf *out)
{
	struct channel_message m = *say->message;
	struct text news;
	struct buf words;

	if (!is_last && !m.is_plain && !say->adapter->info.shows_markup)
		m.text = without_open_line(m.text);
	buf_init(&words, ADAPTER_LINE_MAX);
	adapter_words(say->adapter, &m, &words);
	if (words.len > l->told.len) {
		news = (struct text){words.at + l->told.len, words.len - l->told.len};
		buf_add(&l->told, news);
		adapter_say_token(news, out);
	}
	buf_finish(&words);
}

/* ---- a message that grows ---- */

static struct adapter_call *find_growing(const struct adapter *a, const struct channel_message *m)
{
	list_each(&a->calls, l) {
		struct adapter_call *c = list_of(l, struct adapter_call, in_adapter);

		if (c->live.grows && c->piece == m->piece && text_is(m->delivery, c->delivery))
			return c;
	}
	return NULL;
}

static bool is_awaited(const struct adapter *a)
{
	struct adapter_call *c = adapter_first_call(a);

	if (!c || c->in_adapter.next == &a->calls)
		return false;
	c = list_of(c->in_adapter.next, struct adapter_call, in_adapter);
	return c->since_ms + YIELD_MS <= adapter_now(a);
}

static void tell_more(struct adapter_call *c, enum channel_flow flow)
{
	struct channel_message m = adapter_message_of(c);
	struct adapter_say say = {c->adapter, c->run, &m};
	struct buf out;

	buf_init(&out, ADAPTER_INPUT_MAX);
	adapter_live_say(&c->live, &say, flow != CHANNEL_SAYS, &out);
	if (flow == CHANNEL_ENDS)
		adapter_say_end(&say, &out);
	else if (flow == CHANNEL_BREAKS)
		adapter_say_error(&say, buf_text(&c->live.told), &out);
	if (out.full || !adapter_child_write(c->adapter->stream, buf_text(&out)))
		adapter_child_end(c->adapter->stream, "it does not read what it is told");
	buf_finish(&out);
}

bool adapter_stream(void *self, const struct channel_message *m, enum channel_flow flow)
{
	struct adapter *a = self;
	struct adapter_call *c = find_growing(a, m);

	if (!c)
		return true;
	free(c->text);
	c->text = m->text.len ? text_dup(m->text) : NULL;
	c->live.grows = flow == CHANNEL_SAYS;
	if (c != adapter_first_call(a) || !a->is_out)
		return true;
	tell_more(c, flow);
	if (flow != CHANNEL_SAYS)
		deadline_set(a->options.loop, &a->due, ADAPTER_SEND_MS + 1000);
	return !is_awaited(a);
}
