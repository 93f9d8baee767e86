/* ahead.c - see ahead.h. */
#include "voice/ahead.h"

#include <assert.h>

#include "base/base64.h"

#define PER_MS (GATE_FRAME_BYTES / GATE_FRAME_MS)
#define BEFORE_BYTES ((size_t)AHEAD_BEFORE_MS * PER_MS)
#define RECENT_MAX (64 * KIB) /* and who is to interrupt may take his time */
#define SHORT_LIFE_MS 5000    /* an engine that fails within it is not there */
#define NO_CHUNK "a chunk is PCM of 16 bits, mono, 16 kHz, in base64, of at most 1 MiB"

static const struct voice_role *hearer(const struct voice_ahead *ahead)
{
	return ahead->engine->parts[VOICE_HEAR];
}

static bool has_gate(const struct voice_ahead *ahead)
{
	return ahead->engine->finds == VOICE_FINDS_BY_GATE;
}

void ahead_init(struct voice_ahead *ahead, const struct voice_engine *engine,
                const struct ahead_user *user)
{
	*ahead = (struct voice_ahead){.user = *user, .engine = engine};
	buf_init(&ahead->recent, RECENT_MAX);
	buf_init(&ahead->rest, GATE_FRAME_BYTES);
}

static void drop_work(struct voice_ahead *ahead)
{
	void *work = ahead->work;

	ahead->work = NULL;
	ahead->heard_ms = 0;
	if (work)
		hearer(ahead)->stop(work);
}

void ahead_drop(struct voice_ahead *ahead, unsigned silence_ms)
{
	drop_work(ahead);
	buf_finish(&ahead->recent);
	buf_finish(&ahead->rest);
	ahead->is_wanted = false;
	ahead->silence_ms = silence_ms;
	gate_init(&ahead->gate, silence_ms);
}

/* ---- somebody speaks ---- */

static void put_sound(struct buf *out, struct text pcm)
{
	buf_init(out, 2 * RECENT_MAX);
	base64_add(out, pcm);
}

/* Who was silent again within that moment would be known for it after the silence. */
static bool insists(const struct voice_ahead *ahead)
{
	return ahead->spoken_ms >= AHEAD_BARGE_MS ||
	       ahead->since_ms >= AHEAD_BARGE_MS + ahead->silence_ms;
}

/* Of what is recent, what was said, and what was just before it. */
static struct text sound_since(const struct voice_ahead *ahead)
{
	size_t len = BEFORE_BYTES + (size_t)ahead->since_ms * PER_MS;
	struct text all = buf_text(&ahead->recent);

	return len < all.len ? (struct text){all.at + all.len - len, len} : all;
}

/* Whoever gets a turn begins it at once; the user takes the work. */
static void give_turn(struct voice_ahead *ahead, uint64_t now_ms)
{
	enum ahead_mode mode = ahead->user.mode(ahead->user.self);
	struct buf sound;

	if (!ahead->is_wanted || mode == AHEAD_TURN || (mode == AHEAD_BUSY && !insists(ahead)))
		return;
	ahead->is_wanted = false;
	put_sound(&sound, has_gate(ahead) ? sound_since(ahead) : TEXT(""));
	buf_clear(&ahead->recent);
	ahead->user.started(ahead->user.self, buf_text(&sound), now_ms);
	buf_finish(&sound);
}

static void note_started(struct voice_ahead *ahead, unsigned spoken_ms, uint64_t now_ms)
{
	ahead->is_wanted = true;
	ahead->since_ms = ahead->spoken_ms = spoken_ms;
	give_turn(ahead, now_ms);
}

/* ---- what a work tells ---- */

/* One that lived was closed for its silence: the next begins with the next sound. */
static void note_failed(struct voice_ahead *ahead, const struct voice_fact *fact)
{
	bool is_there = fact->now_ms >= ahead->begun_ms + SHORT_LIFE_MS;

	drop_work(ahead);
	ahead->is_wanted = false;
	if (is_there)
		return;
	ahead->deaf_until_ms = fact->now_ms + AHEAD_PAUSE_MS;
	if (ahead->user.mode(ahead->user.self) == AHEAD_OPEN)
		ahead->user.failed(ahead->user.self, fact);
}

static void hear_work(void *self, uint64_t number, const struct voice_fact *fact)
{
	struct voice_ahead *ahead = self;

	if (!ahead->work || number != ahead->number) {
		ahead->user.told(ahead->user.self, fact);
	} else if (fact->kind == FACT_SPEECH_STARTED) {
		note_started(ahead, VOICE_SPEECH_MS, fact->now_ms);
	} else if (fact->kind == FACT_SPEECH_STOPPED) {
		ahead->is_wanted = false;
		buf_clear(&ahead->recent);
		drop_work(ahead);
	} else if (fact->kind == FACT_FAILED) {
		note_failed(ahead, fact);
	}
}

void *ahead_take(struct voice_ahead *ahead)
{
	void *work = ahead->work;

	ahead->work = NULL;
	return work;
}

void ahead_give(struct voice_ahead *ahead, void *work)
{
	assert(!ahead->work);
	ahead->work = work;
	ahead->heard_ms = 0;
}

/* ---- sound ---- */

static void feed_work(struct voice_ahead *ahead, struct text pcm, uint64_t now_ms)
{
	struct buf sound;

	put_sound(&sound, pcm);
	hearer(ahead)->feed(ahead->work, buf_text(&sound), now_ms);
	buf_finish(&sound);
}

/* What is in `recent` is the first that it hears. */
static void begin_work(struct voice_ahead *ahead, uint64_t now_ms)
{
	struct voice_ear ear = {ahead, ++ahead->number, hear_work, ahead->silence_ms, true};

	ahead->begun_ms = now_ms;
	ahead->heard_ms = 0;
	ahead->work = hearer(ahead)->begin(ahead->engine->of[VOICE_HEAR], &ear, now_ms);
	feed_work(ahead, buf_text(&ahead->recent), now_ms);
}

static void keep_recent(struct voice_ahead *ahead, struct text frame)
{
	size_t most = has_gate(ahead) ? RECENT_MAX : BEFORE_BYTES;

	if (ahead->recent.len + frame.len > most)
		buf_drop(&ahead->recent, ahead->recent.len + frame.len - most);
	buf_add(&ahead->recent, frame);
}

static void listen_by_engine(struct voice_ahead *ahead, struct text frame, uint64_t now_ms)
{
	if (ahead->work && !ahead->is_wanted && ahead->heard_ms >= AHEAD_RENEW_MS)
		drop_work(ahead);
	ahead->heard_ms += GATE_FRAME_MS;
	if (ahead->work)
		feed_work(ahead, frame, now_ms);
	else if (now_ms >= ahead->deaf_until_ms)
		begin_work(ahead, now_ms);
}

static void listen(struct voice_ahead *ahead, struct text frame, uint64_t now_ms)
{
	enum gate_found found = gate_feed(&ahead->gate, frame);

	keep_recent(ahead, frame);
	ahead->since_ms += GATE_FRAME_MS;
	ahead->spoken_ms += gate_is_loud(&ahead->gate) ? GATE_FRAME_MS : 0;
	if (!has_gate(ahead))
		listen_by_engine(ahead, frame, now_ms);
	else if (found == GATE_STARTED)
		note_started(ahead, GATE_SPEECH_MS, now_ms);
	else if (found == GATE_STOPPED)
		ahead->is_wanted = false;
	give_turn(ahead, now_ms);
}

static void follow_turn(struct voice_ahead *ahead, struct text frame, uint64_t now_ms)
{
	bool has_stopped = gate_feed(&ahead->gate, frame) == GATE_STOPPED && has_gate(ahead);
	struct buf sound;

	put_sound(&sound, frame);
	ahead->user.sound(ahead->user.self, buf_text(&sound), now_ms);
	buf_finish(&sound);
	if (has_stopped && ahead->user.mode(ahead->user.self) == AHEAD_TURN)
		ahead->user.stopped(ahead->user.self, now_ms);
}

/* ---- chunks ---- */

typedef void taker(struct voice_ahead *ahead, struct text frame, uint64_t now_ms);

/* Whoever takes a frame may end the session, and with it this: what waits is not touched until all
 * are taken, and then the rest is nobody's. */
static void take_frames(struct voice_ahead *ahead, struct buf *sound, taker *take, uint64_t now_ms)
{
	size_t at = 0;

	for (; sound->len - at >= GATE_FRAME_BYTES && ahead_is_used(ahead); at += GATE_FRAME_BYTES)
		take(ahead, (struct text){sound->at + at, GATE_FRAME_BYTES}, now_ms);
	buf_drop(sound, at);
}

static void take_chunk(struct voice_ahead *ahead, struct text chunk, taker *take, uint64_t now_ms)
{
	struct buf sound = ahead->rest;

	buf_init(&ahead->rest, GATE_FRAME_BYTES);
	sound.max = AHEAD_CHUNK_MAX + GATE_FRAME_BYTES;
	sound.full = false;
	if (base64_read(chunk, &sound))
		take_frames(ahead, &sound, take, now_ms);
	else
		ahead->user.failed(ahead->user.self,
		                   &(struct voice_fact){.kind = FACT_FAILED,
		                                        .code = VOICE_INVALID_MESSAGE,
		                                        .text = TEXT(NO_CHUNK),
		                                        .now_ms = now_ms});
	if (sound.len < GATE_FRAME_BYTES && ahead_is_used(ahead))
		buf_add(&ahead->rest, buf_text(&sound));
	buf_finish(&sound);
}

static void take_frame(struct voice_ahead *ahead, struct text frame, uint64_t now_ms)
{
	if (ahead->user.mode(ahead->user.self) == AHEAD_TURN)
		follow_turn(ahead, frame, now_ms);
	else
		listen(ahead, frame, now_ms);
}

void ahead_feed(struct voice_ahead *ahead, struct text chunk, uint64_t now_ms)
{
	take_chunk(ahead, chunk, take_frame, now_ms);
}

static void watch_frame(struct voice_ahead *ahead, struct text frame, uint64_t now_ms)
{
	enum gate_found found = gate_feed(&ahead->gate, frame);
	struct voice_fact fact = {.kind = found == GATE_STARTED ? FACT_SPEECH_STARTED
	                                                        : FACT_SPEECH_STOPPED,
	                          .now_ms = now_ms};

	if (found != GATE_NOTHING)
		ahead->user.told(ahead->user.self, &fact);
}

void ahead_watch(struct voice_ahead *ahead, struct text chunk, uint64_t now_ms)
{
	take_chunk(ahead, chunk, watch_frame, now_ms);
}
