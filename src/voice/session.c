/* session.c - what a voice session does in a step of its table (session_steps.c). */
#include "voice/session_steps.h"

#include <assert.h>
#include <stddef.h>

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
	struct voice_ear ear = {s, s->turn, hear_fact, 0};

	if (part == VOICE_HEAR && s->tells_speech && s->engine->finds == VOICE_FINDS_ITSELF)
		ear.silence_ms = s->silence_ms;
	s->work[part] = s->engine->parts[part]->begin(s->engine->of[part], &ear, d->now_ms);
}

static void *work_of(const struct doing *d, enum voice_part part)
{
	if (!d->s->work[part])
		begin_work(d, part);
	return d->s->work[part];
}

/* Somebody still speaks, whose words are not wanted: they begin no turn either. */
static void return_hearing(struct voice_session *s)
{
	if (!s->work[VOICE_HEAR] || s->engine->finds != VOICE_FINDS_ITSELF)
		return;
	ahead_give(&s->ahead, s->work[VOICE_HEAR]);
	s->work[VOICE_HEAR] = NULL;
}

static void do_stop(const struct doing *d)
{
	struct voice_session *s = d->s;

	if (s->listens && s->hands_free && !d->fact)
		return_hearing(s);
	s->listens = false;
	for (int i = 0; i < VOICE_PARTS; i++) {
		void *work = s->work[i];

		s->work[i] = NULL;
		if (work)
			s->engine->parts[i]->stop(work);
	}
}

static void do_adopt(const struct doing *d)
{
	d->s->work[VOICE_HEAR] = ahead_take(&d->s->ahead);
	d->s->listens = d->s->by_voice = true;
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
	d->s->listens = false;
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
	s->by_voice = false;
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

static void do_started(const struct doing *d)
{
	d->s->desk->say(d->s->desk->self,
	                &(struct voice_said){.event = TOLD_SPEECH_STARTED, .turn = d->s->turn});
}

static void do_stopped(const struct doing *d)
{
	say_plain(d, TOLD_SPEECH_STOPPED);
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
	do_stop,  do_clear, do_refuse,  do_fail,     do_complete, do_end,     do_begin,
	do_final, do_ready, do_count,   do_state,    do_started,  do_stopped, do_tell,
	do_adopt, do_hear,  do_trigger, do_hear_end, do_think,    do_say,     do_say_end,
};

#define ACTS (sizeof(acts) / sizeof(*acts))

_Static_assert(SAY_END == 1U << (ACTS - 1), "each act has its function");

/* An engine may tell something while it is given its work, which is the last thing to do. */
static void take_step(struct doing *d, int input)
{
	const struct voice_step *step = &voice_steps[d->s->phase][input];

	if (!step->acts || d->s->is_over)
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

/* Hands-free, who is silent commits; and what was no word was no turn, which is no error. */
static int input_of(const struct voice_session *s, const struct voice_fact *fact)
{
	if (fact->kind == FACT_SPEECH_STOPPED && s->listens && s->hands_free)
		return INPUT_QUIET;
	if (fact->kind == FACT_FAILED && fact->code == VOICE_NO_SPEECH && s->by_voice)
		return INPUT_CANCEL;
	return FACT(fact->kind);
}

static void stir(const struct voice_session *s)
{
	if (s->desk->stirred)
		s->desk->stirred(s->desk->self);
}

static void hear_fact(void *self, uint64_t turn, const struct voice_fact *fact)
{
	struct voice_session *s = self;
	int input = input_of(s, fact);
	struct doing d = {s, fact->text, fact, how_it_ended(fact->kind), fact->now_ms};

	if (input == INPUT_CANCEL)
		d.end = MARK_CANCELLED;
	if (turn && turn == s->turn)
		take_step(&d, input);
	stir(s);
}

static void take_input(struct voice_session *s, enum voice_input input, struct text text,
                       uint64_t now_ms)
{
	struct doing d = {s, text, NULL, MARK_CANCELLED, now_ms};

	take_step(&d, input);
}

/* ---- hearing ahead ---- */

static enum ahead_mode ahead_mode(void *self)
{
	const struct voice_session *s = self;

	if (s->phase == PHASE_REST)
		return AHEAD_OPEN;
	return s->listens ? AHEAD_TURN : AHEAD_BUSY;
}

static void ahead_started(void *self, struct text sound, uint64_t now_ms)
{
	take_input(self, INPUT_VOICE, sound, now_ms);
	stir(self);
}

static void ahead_stopped(void *self, uint64_t now_ms)
{
	take_input(self, INPUT_QUIET, TEXT(""), now_ms);
}

static void ahead_sound(void *self, struct text sound, uint64_t now_ms)
{
	take_input(self, INPUT_APPEND, sound, now_ms);
}

static void ahead_told(void *self, const struct voice_fact *fact)
{
	hear_fact(self, ((struct voice_session *)self)->turn, fact);
}

static void ahead_failed(void *self, const struct voice_fact *fact)
{
	struct doing d = {.s = self, .text = fact->text, .fact = fact};

	if (!d.s->is_over)
		do_fail(&d);
}

/* What push to talk has is heard already; here it is only looked at, from the first sound on of
 * which its client wants to know that. */
static void watch(struct voice_session *s, struct text chunk, uint64_t now_ms)
{
	if (s->phase != PHASE_LISTENING || s->engine->finds != VOICE_FINDS_BY_GATE)
		return;
	if (s->chunks == 1 || !ahead_is_used(&s->ahead))
		ahead_drop(&s->ahead, s->silence_ms);
	ahead_watch(&s->ahead, chunk, now_ms);
}

static bool goes_ahead(const struct voice_session *s)
{
	return s->hands_free && s->engine->finds != VOICE_FINDS_NOTHING && !s->is_over &&
	       (s->phase != PHASE_LISTENING || s->listens);
}

void voice_session_forget(struct voice_session *s)
{
	ahead_drop(&s->ahead, s->ahead.silence_ms);
}

void voice_session_free_hands(struct voice_session *s, bool hands_free)
{
	if (s->hands_free != hands_free)
		ahead_drop(&s->ahead, s->silence_ms);
	s->hands_free = hands_free;
}

void voice_session_hear(struct voice_session *s, enum voice_input input, struct text text,
                        uint64_t now_ms)
{
	assert(input < INPUT_VOICE);
	if (input == INPUT_APPEND && goes_ahead(s)) {
		ahead_feed(&s->ahead, text, now_ms);
		return;
	}
	take_input(s, input, text, now_ms);
	if (input == INPUT_APPEND && s->tells_speech)
		watch(s, text, now_ms);
}

/* ---- its life ---- */

void voice_session_init(struct voice_session *s, const struct voice_engine *engine,
                        const struct voice_desk *desk)
{
	struct ahead_user user = {s,           ahead_mode, ahead_started, ahead_stopped,
	                          ahead_sound, ahead_told, ahead_failed};

	*s = (struct voice_session){.engine = engine, .desk = desk};
	ahead_init(&s->ahead, engine, &user);
}

void voice_session_finish(struct voice_session *s)
{
	struct doing d = {.s = s, .end = MARK_CANCELLED};

	do_stop(&d);
	ahead_drop(&s->ahead, 0);
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
