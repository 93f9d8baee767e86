/* telling.c - events of runs in both protocols. */
#include "gateway/telling.h"

#include "base/put.h"

/* The number of an event follows from the signals; no two of a run and a kind have the same. */
void telling_put_run(struct buf *out, const struct told_run *run, uint64_t seq, unsigned protocol)
{
	put_word(out, "runId", run->id);
	put_word(out, "sessionKey", run->key);
	if (protocol > GATEWAY_OLDEST)
		put_word(out, "agentId", run->agent);
	put_u64(out, "seq", seq);
}

bool telling_is_heard(const struct telling *t, unsigned protocol)
{
	if (t->but & 1U << protocol)
		return false;
	return t->ear ? t->ear->protocols & 1U << protocol : gateway_is_heard(t->g, protocol);
}

void telling_give(const struct telling *t, const struct gateway_event *e)
{
	if (t->ear)
		t->ear->take(t->ear, e);
	else
		gateway_broadcast(t->g, e);
}

void telling_agent(struct telling *t, const char *stream, enum gateway_family family,
                   struct text data)
{
	bool is_text = strcmp(stream, "assistant") == 0;
	uint64_t seq = 2 * (is_text ? t->run->text_seq : t->run->seq) + !t->is_start;

	for (unsigned protocol = GATEWAY_OLDEST; protocol <= GATEWAY_NEWEST; protocol++) {
		struct gateway_event e = {OPENCLAW_AGENT, family, .protocol = protocol,
		                          .session = text_of(t->run->key)};
		struct buf out;

		if (!telling_is_heard(t, protocol))
			continue;
		buf_init(&out, TELLING_MAX);
		put_object(&out, NULL);
		telling_put_run(&out, t->run, seq, protocol);
		put_u64(&out, "ts", (uint64_t)t->run->at_ms);
		put_word(&out, "stream", stream);
		put_json(&out, "data", data);
		if (protocol > GATEWAY_OLDEST)
			put_bool(&out, "isHeartbeat", t->run->is_heartbeat);
		put_end(&out);
		e.payload = buf_text(&out);
		if (!out.full)
			telling_give(t, &e);
		buf_finish(&out);
	}
}

static void put_message(struct buf *out, struct text text, double at_ms)
{
	put_object(out, "message");
	put_word(out, "role", "assistant");
	put_list(out, "content");
	put_object(out, NULL);
	put_word(out, "type", "text");
	put_text(out, "text", text);
	put_end(out);
	put_list_end(out);
	put_u64(out, "timestamp", (uint64_t)at_ms);
	put_end(out);
}

void telling_put_chat(struct buf *out, const struct told_run *run, const struct chat_words *w,
                      unsigned protocol)
{
	bool is_new = protocol > GATEWAY_OLDEST;

	put_object(out, NULL);
	telling_put_run(out, run, 2 * (w->is_delta ? run->text_seq : run->seq) + 1, protocol);
	put_word(out, "state", w->state);
	if (is_new && w->is_delta)
		put_text(out, "deltaText", w->replaces && w->text.len ? w->text : w->delta);
	if (is_new && w->replaces)
		put_bool(out, "replace", true);
	if (w->text.len)
		put_message(out, w->text, run->at_ms);
	if (w->error.len)
		put_text(out, "errorMessage", w->error);
	if (w->reason.len && (is_new || !w->is_delta))
		put_text(out, "stopReason", w->reason);
	put_end(out);
}

/* Protocol 3 has no other place for the words of a delta. */
static bool says_nothing(const struct chat_words *w, unsigned protocol)
{
	return protocol == GATEWAY_OLDEST && w->is_delta && !w->text.len;
}

void telling_chat(struct telling *t, const struct chat_words *w)
{
	for (unsigned protocol = GATEWAY_OLDEST; protocol <= GATEWAY_NEWEST; protocol++) {
		struct gateway_event e = {OPENCLAW_CHAT, GATEWAY_OF_RUNS, .may_drop = w->is_delta,
		                          .protocol = protocol, .session = text_of(t->run->key)};
		struct buf out;

		if (!telling_is_heard(t, protocol) || says_nothing(w, protocol))
			continue;
		buf_init(&out, TELLING_MAX);
		telling_put_chat(&out, t->run, w, protocol);
		e.payload = buf_text(&out);
		if (!out.full)
			telling_give(t, &e);
		buf_finish(&out);
	}
}
