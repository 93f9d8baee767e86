/* write.c - events as clients are told. */
#include "base/clock.h"
#include "base/put.h"
#include "voice/inside.h"

void voice_put_features(struct buf *out, unsigned features)
{
	put_list(out, "features");
	for (unsigned i = 0; i < VOICE_FEATURES; i++)
		if (features & VOICE_BIT(i))
			put_text(out, NULL, voice_features[i]);
	put_list_end(out);
}

static void put_payload(struct buf *out, const struct voice_line *line,
                        const struct voice_said *said)
{
	switch (said->event) {
	case TOLD_SESSION_READY:
		put_word(out, "sessionId", line->id);
		if (line->was_asked)
			voice_put_features(out, line->features);
		if (line->source)
			put_word(out, "source", line->source);
		return;
	case TOLD_SESSION_STATE:
		put_text(out, "value", voice_states[said->state]);
		return;
	case TOLD_TRANSCRIPT_PARTIAL:
	case TOLD_TRANSCRIPT_FINAL:
	case TOLD_RESPONSE_TEXT_DELTA:
		put_text(out, "text", said->text);
		return;
	case TOLD_ERROR:
		put_text(out, "code", voice_codes[said->code]);
		put_text(out, "message", said->text);
		put_bool(out, "retryable", said->retryable);
		return;
	case TOLD_OUTPUT_AUDIO_DELTA:
		put_text(out, "chunk", said->text);
		put_object(out, "format");
		put_word(out, "encoding", "pcm16");
		put_u64(out, "rate", said->rate);
		put_u64(out, "channels", 1);
		put_end(out);
		return;
	case TOLD_TOOL_STARTED:
	case TOLD_TOOL_FINISHED:
		put_text(out, "name", said->text);
		return;
	default:
		return;
	}
}

void voice_write(struct buf *out, const struct voice_line *line, const struct voice_said *said)
{
	put_object(out, NULL);
	put_text(out, "type", voice_told[said->event].type);
	put_object(out, "payload");
	put_payload(out, line, said);
	if (line->features & VOICE_BIT(VOICE_TURNS)) {
		if (said->turn)
			put_word(out, "turnId", line->turn);
		put_u64(out, "seq", line->seq);
		put_i64(out, "ts", clock_wall_ms());
	}
	put_end(out);
	put_end(out);
}
