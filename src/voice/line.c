/* line.c - one session: its client, its engine's time, what it says. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/pace.h"
#include "voice/inside.h"

static void make_uuid(char id[VOICE_ID])
{
	random_uuid(id);
	id[RANDOM_UUID_LEN] = '\0';
}

/* ---- what it says ---- */

void voice_line_say(struct voice_line *line, const struct voice_said *said)
{
	unsigned needs = voice_told[said->event].feature;
	struct buf out;

	voice_signal_said(line, said);
	if (needs & ~line->features)
		return;
	line->seq++;
	buf_init(&out, VOICE_SAY_MAX);
	voice_write(&out, line, said);
	voice_keep(line, said->event, buf_text(&out));
	if (line->client)
		client_say_frame(line->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

void voice_line_refuse(struct voice_line *line, enum voice_code code, const char *words)
{
	voice_line_say(line, &(struct voice_said){.event = TOLD_ERROR,
	                                          .code = code,
	                                          .text = text_of(words),
	                                          .turn = line->session.turn});
}

static void desk_say(void *self, const struct voice_said *said)
{
	voice_line_say(self, said);
}

static void desk_mark(void *self, uint64_t turn, enum voice_mark mark)
{
	struct voice_line *line = self;

	(void)turn;
	if (mark == MARK_BEGAN) {
		make_uuid(line->turn);
		line->asked = THINKER_RESTS;
	}
	voice_signal_mark(line, mark);
}

/* ---- time ---- */

static void look_at_time(struct voice_line *line)
{
	struct voice_room *voice = line->voice;
	uint64_t now = loop_now_ms(voice->options.loop), due = voice_session_due(&line->session);

	list_remove(&line->in_busy);
	if (due == VOICE_NEVER)
		return;
	list_add(&voice->busy, &line->in_busy);
	pace_set(voice->pace, due > now ? (unsigned)(due - now) : 0);
}

/* Those that are looked at go to the end of the list, so each is looked at once. */
void voice_work(void *self)
{
	struct voice_room *voice = self;
	uint64_t now = loop_now_ms(voice->options.loop);
	struct link all;

	list_init(&all);
	while (!list_is_empty(&voice->busy)) {
		struct link *l = voice->busy.next;

		list_remove(l);
		list_add(&all, l);
	}
	while (!list_is_empty(&all)) {
		struct voice_line *line = list_of(all.next, struct voice_line, in_busy);

		list_remove(&line->in_busy);
		voice_session_tick(&line->session, now);
		look_at_time(line);
	}
}

static void desk_stirred(void *self)
{
	look_at_time(self);
}

void voice_line_hear(struct voice_line *line, enum voice_input input, struct text text)
{
	if (line->waits && !line->session.turn)
		voice_engage_again(line);
	voice_session_hear(&line->session, input, text, loop_now_ms(line->voice->options.loop));
	look_at_time(line);
}

/* ---- features ---- */

static unsigned features_named(yyjson_val *names)
{
	unsigned features = 0;
	yyjson_arr_iter it = yyjson_arr_iter_with(names);
	yyjson_val *name;

	while ((name = yyjson_arr_iter_next(&it)))
		for (unsigned i = 0; i < VOICE_FEATURES; i++)
			if (text_equal(json_text(name), voice_features[i]))
				features |= VOICE_BIT(i);
	return features;
}

void voice_line_ask(struct voice_line *line, yyjson_val *names, struct text source)
{
	unsigned features, resume = VOICE_BIT(VOICE_RESUME);

	if (!names)
		return;
	if (source.len)
		voice_choose_source(line, source);
	features = features_named(names) & (VOICE_ALWAYS | line->engine.features);
	if (features & resume)
		features |=
			VOICE_BIT(VOICE_TURNS); /* without numbers nobody knows where to go on */
	if ((features ^ line->features) & resume) {
		buf_finish(&line->kept);
		line->forgotten = line->seq;
	}
	line->was_asked = true;
	line->features = features;
	line->session.is_spoken = features & VOICE_BIT(VOICE_AUDIO);
	line->session.tells_speech = features & VOICE_BIT(VOICE_VAD);
	line->session.silence_ms = line->voice->config.silence;
	voice_session_free_hands(&line->session, features & VOICE_BIT(VOICE_HANDS_FREE));
}

/* ---- its life ---- */

static void free_line(struct grave *grave)
{
	struct voice_line *line = list_of(grave, struct voice_line, grave);

	buf_finish(&line->kept);
	free(line->said);
	free(line->source);
	free(line);
}

void voice_line_end(struct voice_line *line)
{
	struct voice_room *voice = line->voice;

	list_remove(&line->in_room);
	list_remove(&line->in_busy);
	deadline_clear(&line->lost);
	voice_session_finish(&line->session);
	voice_disengage(line);
	line->grave.free = free_line;
	loop_bury(voice->options.loop, &line->grave);
}

static void lost_for_good(struct deadline *deadline)
{
	struct voice_line *line = list_of(deadline, struct voice_line, lost);

	line->voice->lost--;
	voice_line_end(line);
}

static void make_place(struct voice_room *voice)
{
	list_each(&voice->lines, l) {
		struct voice_line *line = list_of(l, struct voice_line, in_room);

		if (line->client || voice->lost < VOICE_LOST_MAX)
			continue;
		voice->lost--;
		voice_line_end(line);
		return;
	}
}

void voice_line_lose(struct voice_line *line)
{
	struct voice_room *voice = line->voice;

	line->client = NULL;
	if (!(line->features & VOICE_BIT(VOICE_RESUME))) {
		voice_line_end(line);
		return;
	}
	make_place(voice);
	list_remove(&line->in_room);
	list_add(&voice->lines, &line->in_room);
	voice->lost++;
	deadline_set(voice->options.loop, &line->lost, VOICE_LOST_MS);
}

struct voice_line *voice_line_create(struct voice_room *voice, struct client *client)
{
	struct voice_line *line = must_zero(1, sizeof(*line));

	line->voice = voice;
	line->client = client;
	line->lost.fire = lost_for_good;
	line->desk = (struct voice_desk){line, desk_say, desk_mark, desk_stirred};
	make_uuid(line->id);
	make_uuid(line->talk);
	snprintf(line->account, sizeof(line->account), "%s", client->account->key);
	buf_init(&line->kept, VOICE_KEPT_MAX);
	list_init(&line->in_busy);
	list_add(&voice->lines, &line->in_room);
	voice_engage(line);
	voice_session_init(&line->session, &line->engine, &line->desk);
	return line;
}
