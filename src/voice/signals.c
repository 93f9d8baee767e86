/* signals.c - a turn as the box knows it: a run, whose signals have its id as correlationId.
 *
 * Sound never is in them: how much there was, and how it was written.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/put.h"
#include "bus/bus.h"
#include "voice/inside.h"

#define SIGNAL_MAX (2 * MIB)
#define AGENT "voice"

/* ---- one signal ---- */

struct saying {
	struct voice_line *line;
	struct buf out;
};

static bool keeps_text(const struct voice_line *line)
{
	return line->voice->config.keep == VOICE_KEEP_TEXT;
}

static void source_of(const struct voice_line *line, char source[64])
{
	snprintf(source, 64, "voice/%s", line->engine.name);
}

/* Up to its payload, of which the members follow. */
static void signal_begin(struct saying *s, struct voice_line *line, const char *type)
{
	char source[64];

	source_of(line, source);
	s->line = line;
	buf_init(&s->out, SIGNAL_MAX);
	put_object(&s->out, NULL);
	put_word(&s->out, "type", type);
	put_word(&s->out, "source", source);
	put_word(&s->out, "correlationId", line->turn);
	put_object(&s->out, "metadata");
	put_word(&s->out, "session", line->talk);
	if (line->kit->source) /* one conversation with what that one tells of it */
		put_word(&s->out, "sourceId", line->kit->source);
	put_end(&s->out);
	put_object(&s->out, "payload");
}

static void signal_end(struct saying *s)
{
	struct bus *bus = s->line->voice->options.bus;
	struct bus_emit emit = {0};
	struct bus_verdict verdict;
	char source[64];

	source_of(s->line, source);
	put_end(&s->out);
	put_end(&s->out);
	emit.raw = buf_text(&s->out);
	emit.from = bus_from(bus, text_of(source), true);
	if (!s->out.full)
		bus_admit(bus, &emit, &verdict);
	buf_finish(&s->out);
}

/* ---- what is said ---- */

/* In the words that all agents have for it. */
static const char *state_word(enum voice_state state)
{
	static const char *const words[VOICE_STATES] = {
		[VOICE_IDLE] = "idle",
		[VOICE_LISTENING] = "waiting",
		[VOICE_THINKING] = "thinking",
		[VOICE_SPEAKING] = "acting",
	};

	return words[state];
}

static void tell_state(struct voice_line *line, enum voice_state state)
{
	struct saying s;

	if (state == line->told)
		return;
	signal_begin(&s, line, "agent_state_change");
	put_word(&s.out, "agentId", AGENT);
	put_word(&s.out, "from", state_word(line->told));
	put_word(&s.out, "to", state_word(state));
	put_text(&s.out, "reason", voice_states[state]);
	signal_end(&s);
	line->told = state;
}

static void tell_partial(struct voice_line *line, struct text text)
{
	struct saying s;

	if (!keeps_text(line))
		return;
	signal_begin(&s, line, "voice.partial");
	put_word(&s.out, "agentId", AGENT);
	put_text(&s.out, "text", text);
	signal_end(&s);
}

static void tell_final(struct voice_line *line, struct text text)
{
	struct saying s;

	signal_begin(&s, line, "task_dispatch");
	put_word(&s.out, "taskId", line->turn);
	put_word(&s.out, "from", "person");
	put_word(&s.out, "to", AGENT);
	if (keeps_text(line))
		put_text(&s.out, "description", text);
	signal_end(&s);
}

static void tell_delta(struct voice_line *line, struct text text)
{
	struct saying s;

	if (!keeps_text(line))
		return;
	signal_begin(&s, line, "text_delta");
	put_word(&s.out, "agentId", AGENT);
	put_text(&s.out, "content", text);
	signal_end(&s);
}

static void tell_error(struct voice_line *line, const struct voice_said *said)
{
	struct saying s;

	signal_begin(&s, line, "error");
	put_text(&s.out, "message", said->text);
	put_word(&s.out, "severity", "error");
	put_word(&s.out, "agentId", AGENT);
	put_text(&s.out, "code", voice_codes[said->code]);
	signal_end(&s);
}

/* A source that is asked tells of that itself.  So the words wait until it was, or was not. */
static void keep_final(struct voice_line *line, struct text text)
{
	free(line->said);
	line->said = text_dup(text);
}

static void tell_kept_final(struct voice_line *line)
{
	char *said = line->said;

	line->said = NULL;
	if (said && line->asked == THINKER_RESTS)
		tell_final(line, text_of(said));
	free(said);
}

/* Of the turn alone: a client that made a mistake is no news of its turn. */
static bool is_fault_of_engine(enum voice_code code)
{
	return code >= VOICE_ENGINE_UNAVAILABLE;
}

void voice_signal_said(struct voice_line *line, const struct voice_said *said)
{
	if (!said->turn)
		return;
	if (said->event == TOLD_ERROR)
		tell_kept_final(line);
	if (said->event == TOLD_SESSION_STATE)
		tell_state(line, said->state);
	else if (said->event == TOLD_TRANSCRIPT_PARTIAL)
		tell_partial(line, said->text);
	else if (said->event == TOLD_TRANSCRIPT_FINAL && line->kit->source)
		keep_final(line, said->text);
	else if (said->event == TOLD_TRANSCRIPT_FINAL)
		tell_final(line, said->text);
	else if (said->event == TOLD_RESPONSE_TEXT_DELTA && !line->kit->source)
		tell_delta(line, said->text);
	else if (said->event == TOLD_ERROR && is_fault_of_engine(said->code) &&
	         line->asked != THINKER_FAILED)
		tell_error(line, said);
}

/* ---- the turn ---- */

static void tell_sound(struct voice_line *line)
{
	struct saying s;

	signal_begin(&s, line, "voice.sound");
	put_word(&s.out, "agentId", AGENT);
	put_u64(&s.out, "chunks", line->session.chunks);
	put_u64(&s.out, "bytes", line->session.bytes);
	put_word(&s.out, "format", "base64, pcm16, 16 kHz, mono");
	signal_end(&s);
}

/* By the source that was asked, which ends what it began. */
static bool is_ended_elsewhere(const struct voice_line *line, enum voice_mark mark)
{
	return line->asked == THINKER_FAILED ||
	       (line->asked != THINKER_RESTS && mark != MARK_FAILED);
}

static void tell_turn_end(struct voice_line *line, enum voice_mark mark)
{
	struct saying s;

	tell_state(line, VOICE_IDLE);
	if (is_ended_elsewhere(line, mark))
		return;
	signal_begin(&s, line, "completion");
	put_word(&s.out, "taskId", line->turn);
	put_bool(&s.out, "success", mark == MARK_DONE);
	put_word(&s.out, "agentId", AGENT);
	if (mark == MARK_CANCELLED)
		put_word(&s.out, "result", "cancelled");
	signal_end(&s);
}

void voice_signal_mark(struct voice_line *line, enum voice_mark mark)
{
	if (mark == MARK_BEGAN)
		return;
	if (mark == MARK_HEARD) {
		tell_sound(line);
		return;
	}
	tell_kept_final(line);
	tell_turn_end(line, mark);
}
