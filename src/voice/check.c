/* check.c - see check.h. */
#include "voice/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "sound/resample.h"
#include "voice/local.h"

#define SENTENCE "run the tests again and tell me which ones failed"
#define WORDS_WANTED 7    /* of those ten */
#define START_MS 30000    /* until the program must answer */
#define AGAIN_MS 500      /* between two tries to reach it */
#define PCM_MAX (1 * MIB) /* of the sentence: half a minute */
#define MARK_MAX (64 * KIB)

enum check_state { CHECK_NONE, CHECK_RUNS, CHECK_PASSED, CHECK_FAILED, CHECK_STATES };

struct voice_check {
	const struct voice_around *around;
	struct voice_check_user user;
	struct voice_means means; /* of the local engine */
	enum check_state state;
	struct error words; /* what was found */
	char *mark;         /* the path of what is kept */

	bool has_started; /* the program, which it leaves at its end */
	uint64_t until_ms;
	struct deadline again;
	struct wyoming_line *saying; /* NULL: it does not say the sentence */
	struct resample *convert;    /* NULL: no sound came yet */
	struct buf pcm;
	void *hearing; /* NULL: it does not hear it */
};

/* ---- what is kept ---- */

static bool is_same(const struct voice_check *check)
{
	struct buf kept, here;
	struct error why;
	bool same;

	buf_init(&kept, MARK_MAX);
	buf_init(&here, MARK_MAX);
	same = voice_local_describe(check->around->local, &here) &&
	       whole_load(check->mark, WHOLE_PRIVATE, &kept, &why) &&
	       text_equal(buf_text(&kept), buf_text(&here));
	buf_finish(&kept);
	buf_finish(&here);
	return same;
}

static void keep_mark(const struct voice_check *check)
{
	struct buf here;
	struct error why;

	buf_init(&here, MARK_MAX);
	if (voice_local_describe(check->around->local, &here) &&
	    !whole_replace(check->mark, 0600, buf_text(&here), &why))
		log_warn("voice", "that speech works cannot be kept: %s", why.words);
	buf_finish(&here);
}

/* ---- its end ---- */

static void stop_work(struct voice_check *check)
{
	deadline_clear(&check->again);
	wyoming_line_close(check->saying);
	resample_destroy(check->convert);
	if (check->hearing)
		voice_hear_wyoming.stop(check->hearing);
	check->saying = NULL;
	check->convert = NULL;
	check->hearing = NULL;
	buf_finish(&check->pcm);
}

static void leave_program(struct voice_check *check)
{
	if (check->has_started)
		voice_local_leave(check->around->local);
	check->has_started = false;
}

/* Who wants the program from now on starts it when he is told, before it is left. */
static void end_check(struct voice_check *check, bool works, const char *words)
{
	struct error said;

	error_set(&said, "%s", words); /* of an event, which is gone with the line */
	stop_work(check);
	check->words = said;
	check->state = works ? CHECK_PASSED : CHECK_FAILED;
	if (works)
		keep_mark(check);
	else if (unlink(check->mark) < 0 && errno != ENOENT)
		log_warn("voice", "%s: %s", check->mark, strerror(errno));
	check->user.checked(check->user.self);
	leave_program(check);
}

/* ---- it hears ---- */

static bool is_heard(struct text heard, struct text word)
{
	for (size_t i = 0; i + word.len <= heard.len; i++)
		if (strncasecmp(heard.at + i, word.at, word.len) == 0)
			return true;
	return false;
}

static unsigned count_words(struct text heard)
{
	struct text rest = TEXT(SENTENCE);
	unsigned count = 0;

	while (rest.len)
		count += is_heard(heard, text_cut(rest, ' ', &rest));
	return count;
}

static void judge(struct voice_check *check, struct text heard)
{
	struct error words;
	bool works = count_words(heard) >= WORDS_WANTED;

	error_set(&words, "it said '%s' and heard '%.*s'", SENTENCE, TEXT_ARG(heard));
	end_check(check, works, words.words);
}

static void hear_told(void *self, uint64_t turn, const struct voice_fact *fact)
{
	struct voice_check *check = self;

	(void)turn;
	if (fact->kind == FACT_FINAL)
		judge(check, fact->text);
	else if (fact->kind == FACT_FAILED)
		end_check(check, false, fact->text.at);
}

static void hear_it(struct voice_check *check)
{
	const struct voice_role *role = &voice_hear_wyoming;
	uint64_t now = loop_now_ms(check->around->loop);
	struct voice_ear ear = {check, 1, hear_told};
	struct buf chunk;

	buf_init(&chunk, 2 * PCM_MAX);
	base64_add(&chunk, buf_text(&check->pcm));
	check->hearing = role->begin(&check->means, &ear, now);
	role->feed(check->hearing, buf_text(&chunk), now);
	if (check->hearing)
		role->end(check->hearing, now);
	buf_finish(&chunk);
}

/* ---- it says ---- */

static void take_sound(struct voice_check *check, const struct wyoming_event *event)
{
	struct wyoming_format format;
	struct error why;

	if (!check->convert) {
		if (!wyoming_format_of(event, &format, &why)) {
			end_check(check, false, why.words);
			return;
		}
		check->convert = resample_create(format.rate, format.channels, VOICE_RATE);
	}
	resample_feed(check->convert, event->payload, &check->pcm);
}

static void take_end(struct voice_check *check)
{
	if (check->convert)
		resample_end(check->convert, &check->pcm);
	wyoming_line_close(check->saying);
	check->saying = NULL;
	hear_it(check);
}

static void hear_said(void *self, const struct wyoming_event *event)
{
	struct voice_check *check = self;
	struct error why;

	if (text_is(event->type, "audio-chunk")) {
		take_sound(check, event);
	} else if (text_is(event->type, "audio-stop")) {
		take_end(check);
	} else if (text_is(event->type, "error")) {
		error_set(&why, "it says: %.*s", TEXT_ARG(wyoming_text(event, "text")));
		end_check(check, false, why.words);
	}
}

/* It loads its weights before it listens. */
static void say_failed(void *self, const char *why)
{
	struct voice_check *check = self;

	check->saying = NULL;
	if (loop_now_ms(check->around->loop) < check->until_ms)
		deadline_set(check->around->loop, &check->again, AGAIN_MS);
	else
		end_check(check, false, why);
}

static void say_it(struct deadline *deadline)
{
	struct voice_check *check = list_of(deadline, struct voice_check, again);
	const struct wyoming_line_options options = {.loop = check->around->loop,
	                                             .place = &check->means.place.wyoming,
	                                             .self = check,
	                                             .heard = hear_said,
	                                             .failed = say_failed};
	struct buf wish;

	check->saying = wyoming_line_open(&options);
	buf_init(&wish, KIB);
	put_object(&wish, NULL);
	put_word(&wish, "text", SENTENCE ".");
	put_end(&wish);
	wyoming_line_send(check->saying, "synthesize", buf_text(&wish), TEXT(""));
	buf_finish(&wish);
	wyoming_line_expect(check->saying, VOICE_PATIENCE_MS);
}

/* ---- for the room ---- */

void voice_check_begin(struct voice_check *check)
{
	struct voice_local *local = check->around->local;
	struct error why;

	if (check->state == CHECK_RUNS)
		return;
	check->has_started = voice_local_start(local, &why);
	if (!check->has_started) {
		end_check(check, false, why.words);
		return;
	}
	check->state = CHECK_RUNS;
	error_set(&check->words, "it says a sentence and hears it");
	buf_init(&check->pcm, PCM_MAX);
	check->until_ms = loop_now_ms(check->around->loop) + START_MS;
	say_it(&check->again);
}

bool voice_check_is_passed(const struct voice_check *check)
{
	return check->state != CHECK_FAILED && is_same(check);
}

void voice_check_put(const struct voice_check *check, struct buf *out)
{
	static const char *const names[CHECK_STATES] = {[CHECK_NONE] = "unchecked",
	                                                [CHECK_RUNS] = "checking",
	                                                [CHECK_PASSED] = "works",
	                                                [CHECK_FAILED] = "fails"};
	enum check_state state = check->state;

	if (state == CHECK_NONE && is_same(check))
		state = CHECK_PASSED;
	else if (state == CHECK_PASSED && !is_same(check))
		state = CHECK_NONE;
	put_object(out, "local");
	put_word(out, "state", names[state]);
	if (check->words.words[0] && state == check->state)
		put_word(out, "words", check->words.words);
	put_end(out);
}

struct voice_check *voice_check_create(const struct voice_around *around,
                                       const struct voice_check_user *user)
{
	struct voice_check *check = must_zero(1, sizeof(*check));

	check->around = around;
	check->user = *user;
	check->mark = must_print("%s/voice-checked", around->data);
	check->means.around = around;
	check->means.place.form = VOICE_LOCAL;
	check->means.place.wyoming.path = must_dup(voice_local_socket(around->local));
	check->again.fire = say_it;
	return check;
}

void voice_check_destroy(struct voice_check *check)
{
	if (!check)
		return;
	stop_work(check);
	leave_program(check);
	voice_place_finish(&check->means.place);
	free(check->mark);
	free(check);
}
