/* answer.c - see answer.h. */
#include "voice/answer.h"

#include "base/utf8.h"
#include "signal/json.h"

void answer_init(struct voice_answer *answer, const struct voice_answer_listener *listener)
{
	*answer = (struct voice_answer){.listener = *listener};
	hearing_init(&answer->hearing);
	buf_init(&answer->message, ANSWER_MESSAGE_MAX);
	buf_init(&answer->why, ANSWER_WHY_MAX);
}

void answer_finish(struct voice_answer *answer)
{
	hearing_finish(&answer->hearing);
	buf_finish(&answer->message);
	buf_finish(&answer->why);
}

static void say_piece(struct voice_answer *answer, struct text words)
{
	if (!answer->in_text) {
		buf_clear(&answer->message);
		answer->message.full = false;
		if (answer->has_said)
			answer->listener.said(answer->listener.self, TEXT("\n\n"));
	}
	answer->in_text = answer->has_said = true;
	buf_add(&answer->message, words);
	answer->listener.said(answer->listener.self, words);
}

/* A reply that did not come in pieces is said at once; one that says the same again is not. */
static void hear_reply(struct voice_answer *answer, const struct run_event *e)
{
	struct text words = e->text;
	struct text last = text_trim(buf_text(&answer->message));
	bool was_said = text_equal(text_trim(words), last) || answer->message.full;

	if (!answer->in_text && words.len && !was_said && !e->is_note)
		say_piece(answer, words);
	answer->in_text = false;
}

static void tell_tool(const struct voice_answer *answer, const struct run_event *e, bool begins)
{
	if (answer->listener.works)
		answer->listener.works(answer->listener.self, e->tool, begins);
}

static void hear_failure(struct voice_answer *answer, struct text words)
{
	buf_clear(&answer->why);
	buf_add(&answer->why, utf8_cut(words, ANSWER_WHY_MAX));
}

static void hear_answer(void *self, const struct run_event *e)
{
	struct voice_answer *answer = self;

	if (e->part.len)
		return;
	if (e->kind == RUN_SAID && !e->is_thought && e->text.len)
		say_piece(answer, e->text);
	else if (e->kind == RUN_REPLIED)
		hear_reply(answer, e);
	else if (e->kind == RUN_RETURNED)
		tell_tool(answer, e, false);
	else if (e->kind == RUN_FAILED)
		hear_failure(answer, e->text);
	if (e->kind == RUN_REPLIED && e->has_call)
		tell_tool(answer, e, true);
}

static enum voice_answer_end how_it_failed(yyjson_val *payload)
{
	struct text code = json_text_at(payload, "code"), result = json_text_at(payload, "result");
	bool is_cancelled = text_is(result, "cancelled") || text_is(code, "cancelled") ||
	                    text_is(code, "aborted") || text_is(result, "aborted");

	return is_cancelled ? ANSWER_CANCELLED : ANSWER_FAILED;
}

/* An ask ends in one completion or error; those of its subagents have other tasks. */
static enum voice_answer_end how_it_ends(const struct signal *s, struct text run)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	struct text task = json_text_at(payload, "taskId");

	if (s->kind == KIND_COMPLETION && (!task.len || text_equal(task, run)))
		return yyjson_is_false(yyjson_obj_get(payload, "success")) ? how_it_failed(payload)
		                                                           : ANSWER_WHOLE;
	if (s->kind == KIND_ERROR && !text_is(json_text_at(payload, "severity"), "warning"))
		return how_it_failed(payload);
	return ANSWER_GOES_ON;
}

enum voice_answer_end answer_hear(struct voice_answer *answer, const struct signal *s,
                                  struct text run)
{
	if (answer->end == ANSWER_GOES_ON) {
		hear_signal(&answer->hearing, s, hear_answer, answer);
		answer->end = how_it_ends(s, run);
	}
	return answer->end;
}

struct text answer_why(const struct voice_answer *answer)
{
	return buf_text(&answer->why);
}
