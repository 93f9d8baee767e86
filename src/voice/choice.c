/* choice.c - which engine a session has: the configuration's, unless too many have it already. */
#include <stdlib.h>

#include "base/put.h"
#include "voice/inside.h"

/* Where none is named: what is on this machine, once it was seen to work; else the mock. */
static struct voice_kit *make_real(const struct voice_room *voice)
{
	static char here[] = "local";
	struct voice_config config = voice->config;

	if (config.engine.use == VOICE_USE_MOCK)
		return NULL;
	if (config.engine.hear.place || config.engine.say.place)
		return voice_kit_create(&config, &voice->around);
	if (!voice_check_is_passed(voice->check))
		return NULL;
	config.engine.hear.place = config.engine.say.place = here;
	return voice_kit_create(&config, &voice->around);
}

void voice_choices_make(struct voice_room *voice)
{
	voice->mock = voice_kit_mock(&voice->config.mock);
	voice->real = make_real(voice);
	voice->full = (struct voice_excuse){.code = VOICE_ENGINE_UNAVAILABLE, .retryable = true};
	error_set(&voice->full.words, "%d sessions have the engine already; end one of them",
	          VOICE_REAL_MAX);
}

void voice_choices_drop(struct voice_room *voice)
{
	voice_kit_unref(voice->mock);
	voice_kit_unref(voice->real);
	voice->mock = voice->real = NULL;
}

/* What both the old ones and the new ones have is not ended in between. */
void voice_choices_renew(struct voice_room *voice)
{
	struct voice_kit *mock = voice->mock, *real = voice->real;

	voice_choices_make(voice);
	voice_kit_unref(mock);
	voice_kit_unref(real);
}

const struct voice_kit *voice_choice(const struct voice_room *voice)
{
	return voice->real ? voice->real : voice->mock;
}

static void take_source(struct voice_line *line)
{
	line->thinker.source = line->source ? line->source : line->kit->source;
	if (!line->thinker.source)
		return;
	line->engine.parts[VOICE_THINK] = &voice_think_source;
	line->engine.of[VOICE_THINK] = &line->thinker;
	line->engine.features |= VOICE_BIT(VOICE_TOOLS);
}

static void let_wait(struct voice_line *line)
{
	line->waits = true;
	line->engine.finds = VOICE_FINDS_BY_GATE;
	for (int i = VOICE_HEAR; i <= VOICE_THINK; i++) {
		line->engine.parts[i] = &voice_excuses;
		line->engine.of[i] = &line->voice->full;
	}
}

/* Whose client is gone needs no engine until it comes back, unless a turn goes on. */
static void make_place(struct voice_room *voice)
{
	list_each(&voice->lines, l) {
		struct voice_line *line = list_of(l, struct voice_line, in_room);

		if (line->client || !line->is_engaged || line->session.turn)
			continue;
		voice_session_forget(&line->session);
		line->is_engaged = false;
		voice->engaged--;
		let_wait(line);
		return;
	}
}

static void take_engine(struct voice_line *line)
{
	struct voice_room *voice = line->voice;

	line->engine = line->kit->engine;
	line->waits = false;
	take_source(line);
	if (!line->kit->is_real)
		return;
	if (voice->engaged == VOICE_REAL_MAX)
		make_place(voice);
	line->is_engaged = voice->engaged < VOICE_REAL_MAX;
	voice->engaged += line->is_engaged;
	if (!line->is_engaged)
		let_wait(line);
}

void voice_engage(struct voice_line *line)
{
	line->kit = voice_kit_ref(line->voice->real ? line->voice->real : line->voice->mock);
	voice_kit_want(line->kit);
	line->thinker = (struct voice_thinker){
		.around = &line->voice->around,
		.talk = line->talk,
		.turn = line->turn,
		.state = &line->asked,
	};
	take_engine(line);
}

void voice_engage_again(struct voice_line *line)
{
	take_engine(line);
}

/* Work under way belongs to the role that began it. */
void voice_choose_source(struct voice_line *line, struct text source)
{
	if (!line->kit->is_real || line->session.turn)
		return;
	free(line->source);
	line->source = text_dup(source);
	if (!line->waits)
		take_source(line);
}

void voice_disengage(struct voice_line *line)
{
	line->voice->engaged -= line->is_engaged;
	line->is_engaged = false;
	voice_kit_unref(line->kit);
	line->kit = NULL;
}

void voice_look(const struct voice_room *voice, struct buf *out)
{
	const struct voice_kit *kit = voice_choice(voice);

	voice_kit_want(kit);
	voice_kit_put(kit, out);
	voice_check_put(voice->check, out);
	voice_put_features(out, VOICE_ALWAYS | kit->engine.features);
	put_object(out, "limits");
	put_u64(out, "seconds", VOICE_SECONDS_MAX);
	put_u64(out, "sessions", VOICE_REAL_MAX);
	put_u64(out, "engaged", voice->engaged);
	put_end(out);
}

void voice_line_tell_full(struct voice_line *line)
{
	const struct voice_excuse *full = &line->voice->full;

	voice_line_say(line, &(struct voice_said){.event = TOLD_ERROR,
	                                          .code = full->code,
	                                          .text = text_of(full->words.words),
	                                          .retryable = full->retryable});
}
