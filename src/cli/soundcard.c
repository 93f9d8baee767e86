/* soundcard.c - see soundcard.h.
 *
 * A program that ends before it gave a byte, or took none without a fault, is one that cannot do
 * it: PipeWire's want --raw from some version on and do not know it before, and without their
 * server they end at once.  What was to be played is kept until then, for the next.
 */
#include "cli/soundcard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/must.h"
#include "cli/voice_sound.h"
#include "net/loop.h"
#include "net/process.h"

#define ARGUMENTS_MAX 16
#define KEPT_MAX (1 * MIB) /* of what is played: more than ten seconds, and it plays indeed */
#define INPUT_MAX VOICE_ANSWER_MAX
#define COMPLAINT_MAX 160

#define RATE "RATE" /* stands for the one that is played */
#define TEXT_OF(number) TEXT_OF_IT(number)
#define TEXT_OF_IT(number) #number

static const char *const recorders[][ARGUMENTS_MAX] = {
	{"pw-record", "--raw", "--rate", TEXT_OF(VOICE_RATE), "--channels", "1", "--format", "s16",
         "--latency", "20ms", "-"},
	{"pw-record", "--rate", TEXT_OF(VOICE_RATE), "--channels", "1", "--format", "s16",
         "--latency", "20ms", "-"},
	{"arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", TEXT_OF(VOICE_RATE), "-c", "1"},
};
static const char *const players[][ARGUMENTS_MAX] = {
	{"pw-play", "--raw", "--rate", RATE, "--channels", "1", "--format", "s16", "-"},
	{"pw-play", "--rate", RATE, "--channels", "1", "--format", "s16", "-"},
	{"aplay", "-q", "-t", "raw", "-f", "S16_LE", "-r", RATE, "-c", "1"},
};
#define PROGRAMS (sizeof(recorders) / sizeof(recorders[0]))
_Static_assert(sizeof(players) / sizeof(players[0]) == PROGRAMS, "as many play as record");

/* What they need to find their server. */
static const char *const passed[] = {
	"XDG_RUNTIME_DIR", "PIPEWIRE_RUNTIME_DIR",     "PIPEWIRE_REMOTE",  "PULSE_SERVER",
	"PULSE_COOKIE",    "DBUS_SESSION_BUS_ADDRESS", "ALSA_CONFIG_PATH",
};
#define PASSED (sizeof(passed) / sizeof(*passed))

/* One of the two. */
struct sound_program {
	struct soundcard *card;
	const char *const (*choices)[ARGUMENTS_MAX];
	const char *what; /* for words */
	size_t choice;    /* the first that may still be able to */
	struct process *process;
	bool works;           /* this one does */
	struct error failure; /* of one that is there */
	char complaint[COMPLAINT_MAX];
};

struct soundcard {
	struct soundcard_user user;
	struct processes *processes;
	char *env[PASSED + 1];
	struct sound_program recorder, player;
	int rate;        /* that is played */
	struct buf kept; /* as much of it as another player would have to play */
	bool is_ending;  /* nothing comes behind it */
};

/* ---- a program ---- */

static void note_complaint(struct sound_program *p, struct text words)
{
	if (words.len)
		snprintf(p->complaint, sizeof(p->complaint), "%.*s", TEXT_ARG(words));
}

static void program_heard(void *self, enum process_stream stream, const struct piece *piece)
{
	struct sound_program *p = self;

	if (stream == PROCESS_COMPLAINTS) {
		note_complaint(p, piece->bytes);
		return;
	}
	p->works = true;
	if (p == &p->card->recorder)
		p->card->user.heard(p->card->user.self, piece->bytes);
}

static void program_ended(void *self, const struct process_end *end);

static struct process *run_choice(struct sound_program *p, struct error *why)
{
	const char *argv[ARGUMENTS_MAX + 1] = {NULL};
	bool is_player = p == &p->card->player;
	char rate[16];

	snprintf(rate, sizeof(rate), "%d", p->card->rate);
	for (size_t i = 0; i < ARGUMENTS_MAX && p->choices[p->choice][i]; i++) {
		argv[i] = p->choices[p->choice][i];
		if (strcmp(argv[i], RATE) == 0)
			argv[i] = rate;
	}
	return process_start(p->card->processes,
	                     &(struct process_options){.argv = argv,
	                                               .env = (const char *const *)p->card->env,
	                                               .directory = "/",
	                                               .input_max = is_player ? INPUT_MAX : 0,
	                                               .self = p,
	                                               .heard = program_heard,
	                                               .ended = program_ended},
	                     why);
}

/* The words of one that is there and fails say more than that another is not there. */
static bool start_program(struct sound_program *p, struct error *why)
{
	struct error absent;

	p->works = false;
	p->complaint[0] = '\0';
	for (; p->choice < PROGRAMS; p->choice++) {
		p->process = run_choice(p, &absent);
		if (p->process)
			return true;
	}
	p->choice = 0; /* somebody may plug it in */
	if (p->failure.words[0])
		return error_set(why, "%s", p->failure.words);
	return error_set(why,
	                 "nothing here %s: there is neither %s (package pipewire-bin) nor %s "
	                 "(package alsa-utils)",
	                 p->what, p->choices[0][0], p->choices[PROGRAMS - 1][0]);
}

static void stop_program(struct sound_program *p)
{
	process_kill(p->process);
	p->process = NULL;
}

static void note_failure(struct sound_program *p, const char *words)
{
	const char *name = p->choices[p->choice][0];

	if (p->complaint[0])
		error_set(&p->failure, "%s %s: %s", name, words, p->complaint);
	else
		error_set(&p->failure, "%s %s", name, words);
}

/* ---- the loudspeaker ---- */

static void feed_player(struct soundcard *card)
{
	process_write(card->player.process, buf_text(&card->kept));
	if (card->is_ending)
		process_close_input(card->player.process);
}

static void drop_kept(struct soundcard *card)
{
	buf_clear(&card->kept);
	card->kept.full = false;
	card->is_ending = false;
}

static void player_ended(struct soundcard *card, const struct process_end *end)
{
	struct sound_program *p = &card->player;
	struct error why;

	if (end->status == 0) {
		drop_kept(card);
		return;
	}
	note_failure(p, end->words);
	if (card->kept.full) { /* it did play */
		drop_kept(card);
		card->user.mute(card->user.self, p->failure.words);
		return;
	}
	p->choice++;
	if (start_program(p, &why)) {
		feed_player(card);
		return;
	}
	drop_kept(card);
	card->user.mute(card->user.self, why.words);
}

void soundcard_play(struct soundcard *card, int rate, struct text pcm)
{
	struct error why;

	if (card->is_ending || card->rate != rate)
		soundcard_silence(card);
	card->rate = rate;
	if (!card->player.process && !start_program(&card->player, &why)) {
		card->user.mute(card->user.self, why.words);
		return;
	}
	if (!card->kept.full)
		buf_add(&card->kept, pcm);
	process_write(card->player.process, pcm);
}

void soundcard_end(struct soundcard *card)
{
	if (!card->player.process)
		return;
	card->is_ending = true;
	process_close_input(card->player.process);
}

void soundcard_silence(struct soundcard *card)
{
	stop_program(&card->player);
	drop_kept(card);
}

/* ---- the microphone ---- */

static void recorder_ended(struct soundcard *card, const struct process_end *end)
{
	struct sound_program *p = &card->recorder;
	struct error why;

	note_failure(p, end->words);
	if (!p->works) {
		p->choice++;
		if (start_program(p, &why))
			return;
	}
	card->user.deaf(card->user.self, p->failure.words);
}

bool soundcard_record(struct soundcard *card, struct error *why)
{
	return card->recorder.process || start_program(&card->recorder, why);
}

void soundcard_stop(struct soundcard *card)
{
	stop_program(&card->recorder);
}

/* ---- both ---- */

static void program_ended(void *self, const struct process_end *end)
{
	struct sound_program *p = self;

	p->process = NULL;
	if (p == &p->card->player)
		player_ended(p->card, end);
	else
		recorder_ended(p->card, end);
}

struct soundcard *soundcard_create(struct loop *loop, const struct soundcard_user *user)
{
	struct soundcard *card = must_zero(1, sizeof(*card));
	size_t count = 0;

	card->user = *user;
	card->processes = processes_create(loop);
	card->recorder = (struct sound_program){card, recorders, "records"};
	card->player = (struct sound_program){card, players, "plays"};
	buf_init(&card->kept, KEPT_MAX);
	for (size_t i = 0; i < PASSED; i++) {
		const char *value = getenv(passed[i]);

		if (value)
			card->env[count++] = must_print("%s=%s", passed[i], value);
	}
	return card;
}

void soundcard_destroy(struct soundcard *card)
{
	if (!card)
		return;
	stop_program(&card->recorder);
	stop_program(&card->player);
	processes_destroy(card->processes);
	for (size_t i = 0; i < PASSED; i++)
		free(card->env[i]);
	buf_finish(&card->kept);
	free(card);
}
