/* session.c - the table of a voice session, and the few things that it does. */
#include "voice/session.h"

#include <assert.h>
#include <stddef.h>

/* In the order in which they are done. */
enum act {
	STOP = 1U << 0U,      /* the engine */
	CLEAR = 1U << 1U,     /* the client's loudspeaker */
	REFUSE = 1U << 2U,    /* a turn is under way */
	FAIL = 1U << 3U,      /* with the words of the engine */
	COMPLETE = 1U << 4U,  /* the answer */
	END = 1U << 5U,       /* the turn */
	BEGIN = 1U << 6U,     /* one */
	FINAL = 1U << 7U,     /* what was said */
	READY = 1U << 8U,     /* there is a session */
	COUNT = 1U << 9U,     /* a piece of sound */
	STATE = 1U << 10U,    /* as it is now */
	TELL = 1U << 11U,     /* what the engine told */
	HEAR = 1U << 12U,     /* the engine: a piece of sound, */
	TRIGGER = 1U << 13U,  /* a mocked turn, */
	HEAR_END = 1U << 14U, /* all of the sound, */
	THINK = 1U << 15U,    /* the words, */
	SAY = 1U << 16U,      /* those of the answer, */
	SAY_END = 1U << 17U,  /* and all of them */
};

struct voice_step {
	enum voice_phase next;
	unsigned acts;
};

#define FACT(kind) ((int)INPUT_FACT + (int)(kind))

/* What is not in it changes nothing. */
static const struct voice_step steps[PHASES][INPUTS] =
	{
		[PHASE_REST] =
			{
				[INPUT_START] = {PHASE_REST, READY | STATE},
				[INPUT_TRIGGER] = {PHASE_HEARING, BEGIN | STATE | TRIGGER},
				[INPUT_APPEND] = {PHASE_LISTENING, BEGIN | COUNT | STATE | HEAR},
				[INPUT_COMMIT] = {PHASE_HEARING, BEGIN | HEAR_END},
				[INPUT_TEXT] = {PHASE_THINKING, BEGIN | FINAL | STATE | THINK},
				[INPUT_CANCEL] = {PHASE_REST, STATE},
			},
		[PHASE_LISTENING] =
			{
				[INPUT_START] = {PHASE_LISTENING, READY | STATE},
				[INPUT_TRIGGER] = {PHASE_HEARING,
                                                   STOP | END | BEGIN | STATE | TRIGGER},
				[INPUT_APPEND] = {PHASE_LISTENING, COUNT | HEAR},
				[INPUT_COMMIT] = {PHASE_HEARING, HEAR_END},
				[INPUT_TEXT] =
					{PHASE_THINKING, STOP | END |
                                                                 BEGIN | FINAL | STATE | THINK},
				[INPUT_CANCEL] = {PHASE_REST, STOP | END | STATE},
				[FACT(FACT_PARTIAL)] = {PHASE_LISTENING, TELL},
				[FACT(FACT_SPEECH_STARTED)] = {PHASE_LISTENING, TELL},
				[FACT(FACT_SPEECH_STOPPED)] = {PHASE_LISTENING, TELL},
				[FACT(FACT_FAILED)] = {PHASE_REST, STOP | FAIL | END | STATE},
			},
		[PHASE_HEARING] =
			{
				[INPUT_START] = {PHASE_HEARING, READY | STATE},
				[INPUT_TRIGGER] = {PHASE_HEARING, REFUSE},
				[INPUT_APPEND] = {PHASE_HEARING, REFUSE},
				[INPUT_COMMIT] = {PHASE_HEARING, REFUSE},
				[INPUT_TEXT] = {PHASE_HEARING, REFUSE},
				[INPUT_CANCEL] = {PHASE_REST, STOP | END | STATE},
				[FACT(FACT_PARTIAL)] = {PHASE_HEARING, TELL},
				[FACT(FACT_FINAL)] = {PHASE_THINKING, STOP | FINAL | STATE | THINK},
				[FACT(FACT_FAILED)] = {PHASE_REST, STOP | FAIL | END | STATE},
			},
		[PHASE_THINKING] =
			{
				[INPUT_START] = {PHASE_THINKING, READY | STATE},
				[INPUT_TRIGGER] = {PHASE_THINKING, REFUSE},
				[INPUT_APPEND] = {PHASE_THINKING, REFUSE},
				[INPUT_COMMIT] = {PHASE_THINKING, REFUSE},
				[INPUT_TEXT] = {PHASE_THINKING, REFUSE},
				[INPUT_CANCEL] = {PHASE_REST, STOP | END | STATE},
				[FACT(FACT_SPEAKS)] = {PHASE_SPEAKING, STATE},
				[FACT(FACT_DELTA)] = {PHASE_SPEAKING, STATE | TELL | SAY},
				[FACT(FACT_TOOL_STARTED)] = {PHASE_THINKING, TELL},
				[FACT(FACT_TOOL_FINISHED)] = {PHASE_THINKING, TELL},
				[FACT(FACT_WHOLE)] = {PHASE_THINKING, SAY_END},
				[FACT(FACT_QUIET)] = {PHASE_REST, STOP | COMPLETE | END | STATE},
				[FACT(FACT_FAILED)] = {PHASE_REST, STOP | FAIL | END | STATE},
			},
		[PHASE_SPEAKING] =
			{
				[INPUT_START] = {PHASE_SPEAKING, READY | STATE},
				[INPUT_TRIGGER] = {PHASE_SPEAKING, REFUSE},
				[INPUT_APPEND] = {PHASE_SPEAKING, REFUSE},
				[INPUT_COMMIT] = {PHASE_SPEAKING, REFUSE},
				[INPUT_TEXT] = {PHASE_SPEAKING, REFUSE},
				[INPUT_CANCEL] = {PHASE_REST, STOP | CLEAR | END | STATE},
				[FACT(FACT_DELTA)] = {PHASE_SPEAKING, TELL | SAY},
				[FACT(FACT_SOUND)] = {PHASE_SPEAKING, TELL},
				[FACT(FACT_TOOL_STARTED)] = {PHASE_SPEAKING, TELL},
				[FACT(FACT_TOOL_FINISHED)] = {PHASE_SPEAKING, TELL},
				[FACT(FACT_WHOLE)] = {PHASE_SPEAKING, SAY_END},
				[FACT(FACT_QUIET)] = {PHASE_REST, STOP | COMPLETE | END | STATE},
				[FACT(FACT_FAILED)] = {PHASE_REST,
                                                       STOP | CLEAR | FAIL | END | STATE},
			},
};

/* One input, while it is worked off. */
struct doing {
	struct voice_session *s;
	struct text text;
	const struct voice_fact *fact; /* NULL: the client wants something */
	enum voice_mark end;           /* of a turn that ends */
	uint64_t now_ms;
};

static void say_plain(const struct doing *d, enum voice_told event)
{
	struct voice_session *s = d->s;

	s->desk->say(s->desk->self, &(struct voice_said){
					    .event = event,
					    .text = d->text,
					    .state = voice_session_state(s),
					    .rate = d->fact ? d->fact->rate : 0,
					    .turn = s->turn,
				    });
}

static void mark(const struct voice_session *s, enum voice_mark mark)
{
	s->desk->mark(s->desk->self, s->turn, mark);
}

/* ---- the engine ---- */

static void hear_fact(void *self, uint64_t turn, const struct voice_fact *fact);

static void begin_work(const struct doing *d, enum voice_part part)
{
	struct voice_session *s = d->s;
	struct voice_ear ear = {s, s->turn, hear_fact};

	s->work[part] = s->engine->parts[part]->begin(s->engine->of[part], &ear, d->now_ms);
}

static void *work_of(const struct doing *d, enum voice_part part)
{
	if (!d->s->work[part])
		begin_work(d, part);
	return d->s->work[part];
}

static void do_stop(const struct doing *d)
{
	struct voice_session *s = d->s;

	for (int i = 0; i < VOICE_PARTS; i++) {
		void *work = s->work[i];

		s->work[i] = NULL;
		if (work)
			s->engine->parts[i]->stop(work);
	}
}

static void do_hear(const struct doing *d)
{
	d->s->engine->parts[VOICE_HEAR]->feed(work_of(d, VOICE_HEAR), d->text, d->now_ms);
}

static void do_trigger(const struct doing *d)
{
	d->s->engine->trigger(work_of(d, VOICE_HEAR), d->now_ms);
}

static void do_hear_end(const struct doing *d)
{
	mark(d->s, MARK_HEARD);
	d->s->engine->parts[VOICE_HEAR]->end(work_of(d, VOICE_HEAR), d->now_ms);
}

static void do_think(const struct doing *d)
{
	const struct voice_role *think = d->s->engine->parts[VOICE_THINK];
	void *work = work_of(d, VOICE_THINK);

	think->feed(work, d->text, d->now_ms);
	think->end(work, d->now_ms);
}

static void do_say(const struct doing *d)
{
	const struct voice_role *role = d->s->engine->parts[VOICE_SAY];

	if (role && d->s->is_spoken)
		role->feed(work_of(d, VOICE_SAY), d->text, d->now_ms);
}

/* What nobody says is said already. */
static void do_say_end(const struct doing *d)
{
	struct voice_session *s = d->s;
	struct voice_fact quiet = {.kind = FACT_QUIET, .now_ms = d->now_ms};

	if (s->work[VOICE_SAY])
		s->engine->parts[VOICE_SAY]->end(s->work[VOICE_SAY], d->now_ms);
	else
		hear_fact(s, s->turn, &quiet);
}

/* ---- the turn ---- */

static void do_begin(const struct doing *d)
{
	struct voice_session *s = d->s;

	s->turn = ++s->turns;
	s->chunks = 0;
	s->bytes = 0;
	mark(s, MARK_BEGAN);
}

static void do_end(const struct doing *d)
{
	mark(d->s, d->end);
	d->s->turn = 0;
}

static void do_count(const struct doing *d)
{
	d->s->chunks++;
	d->s->bytes += d->text.len;
}

/* ---- the client ---- */

static void do_refuse(const struct doing *d)
{
	d->s->desk->say(d->s->desk->self,
	                &(struct voice_said){
				.event = TOLD_ERROR,
				.code = VOICE_MOCKED_TURN_IN_FLIGHT,
				.text = TEXT("Only one mocked turn can run per session at a time."),
				.retryable = true,
				.turn = d->s->turn,
			});
}

static void do_fail(const struct doing *d)
{
	d->s->desk->say(d->s->desk->self, &(struct voice_said){
						  .event = TOLD_ERROR,
						  .code = d->fact->code,
						  .text = d->fact->text,
						  .retryable = d->fact->retryable,
						  .turn = d->s->turn,
					  });
}

static void do_clear(const struct doing *d)
{
	say_plain(d, TOLD_OUTPUT_AUDIO_CLEAR);
}

static void do_complete(const struct doing *d)
{
	say_plain(d, TOLD_RESPONSE_COMPLETED);
}

static void do_final(const struct doing *d)
{
	say_plain(d, TOLD_TRANSCRIPT_FINAL);
}

static void do_ready(const struct doing *d)
{
	say_plain(d, TOLD_SESSION_READY);
}

static void do_state(const struct doing *d)
{
	say_plain(d, TOLD_SESSION_STATE);
}

static void do_tell(const struct doing *d)
{
	static const enum voice_told events[FACT_KINDS] = {
		[FACT_PARTIAL] = TOLD_TRANSCRIPT_PARTIAL,
		[FACT_DELTA] = TOLD_RESPONSE_TEXT_DELTA,
		[FACT_SOUND] = TOLD_OUTPUT_AUDIO_DELTA,
		[FACT_TOOL_STARTED] = TOLD_TOOL_STARTED,
		[FACT_TOOL_FINISHED] = TOLD_TOOL_FINISHED,
		[FACT_SPEECH_STARTED] = TOLD_SPEECH_STARTED,
		[FACT_SPEECH_STOPPED] = TOLD_SPEECH_STOPPED,
	};

	say_plain(d, events[d->fact->kind]);
}

static void (*const acts[])(const struct doing *d) = {
	do_stop,  do_clear,   do_refuse,   do_fail,  do_complete, do_end,
	do_begin, do_final,   do_ready,    do_count, do_state,    do_tell,
	do_hear,  do_trigger, do_hear_end, do_think, do_say,      do_say_end,
};

#define ACTS (sizeof(acts) / sizeof(*acts))

_Static_assert(SAY_END == 1U << (ACTS - 1), "each act has its function");

/* An engine may tell something while it is given its work, which is the last thing to do. */
static void take_step(struct doing *d, int input)
{
	const struct voice_step *step = &steps[d->s->phase][input];

	if (!step->acts)
		return;
	d->s->phase = step->next;
	for (unsigned i = 0; i < ACTS; i++)
		if (step->acts & (1U << i) && !d->s->is_over)
			acts[i](d);
}

static enum voice_mark how_it_ended(enum voice_fact_kind kind)
{
	return kind == FACT_QUIET ? MARK_DONE : MARK_FAILED;
}

static void hear_fact(void *self, uint64_t turn, const struct voice_fact *fact)
{
	struct voice_session *s = self;
	struct doing d = {s, fact->text, fact, how_it_ended(fact->kind), fact->now_ms};

	if (turn && turn == s->turn)
		take_step(&d, FACT(fact->kind));
	if (s->desk->stirred)
		s->desk->stirred(s->desk->self);
}

void voice_session_hear(struct voice_session *s, enum voice_input input, struct text text,
                        uint64_t now_ms)
{
	struct doing d = {s, text, NULL, MARK_CANCELLED, now_ms};

	assert(input < INPUT_FACT);
	take_step(&d, input);
}

/* ---- its life ---- */

void voice_session_init(struct voice_session *s, const struct voice_engine *engine,
                        const struct voice_desk *desk)
{
	*s = (struct voice_session){.engine = engine, .desk = desk};
}

void voice_session_finish(struct voice_session *s)
{
	struct doing d = {.s = s, .end = MARK_CANCELLED};

	do_stop(&d);
	if (s->turn)
		do_end(&d);
	s->phase = PHASE_REST;
	s->is_over = true;
}

static uint64_t due_of(const struct voice_session *s, int part)
{
	const struct voice_role *role = s->engine->parts[part];

	return s->work[part] && role->due ? role->due(s->work[part]) : VOICE_NEVER;
}

uint64_t voice_session_due(const struct voice_session *s)
{
	uint64_t first = VOICE_NEVER;

	for (int i = 0; i < VOICE_PARTS; i++)
		if (due_of(s, i) < first)
			first = due_of(s, i);
	return first;
}

/* A fact may end one work and begin another. */
void voice_session_tick(struct voice_session *s, uint64_t now_ms)
{
	for (int i = 0; i < VOICE_PARTS; i++)
		while (due_of(s, i) <= now_ms)
			s->engine->parts[i]->tick(s->work[i], now_ms);
}

enum voice_state voice_session_state(const struct voice_session *s)
{
	static const enum voice_state seen[PHASES] = {
		[PHASE_REST] = VOICE_IDLE,         [PHASE_LISTENING] = VOICE_LISTENING,
		[PHASE_HEARING] = VOICE_LISTENING, [PHASE_THINKING] = VOICE_THINKING,
		[PHASE_SPEAKING] = VOICE_SPEAKING,
	};

	if (s->phase == PHASE_REST && s->hands_free)
		return VOICE_LISTENING;
	return seen[s->phase];
}
