/* voice.c - `signalbox voice`: talking with a box, or asking it with a file of sound; and whether
 * that works. */
#include <string.h>
#include <unistd.h>

#include "base/put.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/voice_here.h"
#include "cli/voice_sound.h"
#include "cli/voice_talk.h"
#include "cli/voice_turn.h"

extern const struct command command_voice;

#define INTERRUPTED 130 /* as a shell has it, of a program that Ctrl-C ended */

struct speaking {
	struct out *out;
	bool is_json;
	bool shows_partials; /* they are replaced in place */
	bool has_partial, in_line;
};

static void show_partial(void *self, struct text words)
{
	struct speaking *s = self;

	if (!s->shows_partials)
		return;
	out_flush(s->out);
	buf_add(&s->out->bytes, TEXT("\r\033[K"));
	out_add_shown(s->out, words);
	out_flush(s->out);
	s->has_partial = true;
}

static void forget_partial(struct speaking *s)
{
	if (s->has_partial)
		buf_add(&s->out->bytes, TEXT("\r\033[K"));
	s->has_partial = false;
}

static void show_final(void *self, struct text words)
{
	struct speaking *s = self;

	forget_partial(s);
	if (s->is_json)
		return;
	out_add(s->out, TEXT("you: "));
	out_add_shown(s->out, words);
	out_add(s->out, TEXT("\n"));
	out_flush(s->out);
}

static void show_delta(void *self, struct text words)
{
	struct speaking *s = self;

	if (s->is_json || !words.at || !words.len)
		return;
	for (struct text rest = words; rest.at;) {
		struct text line = text_cut(rest, '\n', &rest);

		out_add_shown(s->out, line);
		if (rest.at)
			out_add(s->out, TEXT("\n"));
	}
	out_flush(s->out);
	s->in_line = words.at[words.len - 1] != '\n';
}

static void put_time(struct buf *out, const char *key, int64_t ms)
{
	if (ms >= 0)
		put_i64(out, key, ms);
}

static void print_json(struct out *out, const struct voice_turned *told)
{
	struct buf line;

	buf_init(&line, 16 * MIB);
	put_object(&line, NULL);
	put_text(&line, "final", buf_text(&told->final));
	put_text(&line, "answer", buf_text(&told->answer));
	put_bool(&line, "cancelled", told->is_cancelled);
	put_object(&line, "ms");
	put_time(&line, "final", told->final_ms);
	put_time(&line, "text", told->text_ms);
	put_time(&line, "sound", told->sound_ms);
	put_time(&line, "end", told->end_ms);
	put_end(&line);
	put_u64(&line, "sound_ms", told->rate ? told->pcm.len * 500 / (size_t)told->rate : 0);
	put_end(&line);
	buf_add_char(&line, '\n');
	out_add(out, buf_text(&line));
	buf_finish(&line);
}

static int save_answer(const char *path, const struct voice_turned *told)
{
	struct error why;

	if (!told->rate) {
		out_say("%s was not written: the answer has no sound, because no engine speaks",
		        path);
		return STATUS_FAILED;
	}
	if (voice_sound_save(path, told->rate, buf_text(&told->pcm), &why))
		return STATUS_DONE;
	out_say("%s", why.words);
	return STATUS_FAILED;
}

/* What is said and written of a turn that is over. */
static int finish_turn(struct speaking *s, const struct voice_turned *told, const char *output)
{
	forget_partial(s);
	if (s->in_line)
		out_add(s->out, TEXT("\n"));
	if (s->is_json)
		print_json(s->out, told);
	if (told->is_cancelled)
		return INTERRUPTED;
	return output ? save_answer(output, told) : STATUS_DONE;
}

static int speak(struct speaking *s, struct remote *remote, const struct options *options)
{
	struct voice_turn_listener listener = {s, show_partial, show_final, show_delta};
	struct voice_turned told;
	struct error why;
	struct buf pcm;
	int status = STATUS_FAILED;

	voice_turned_init(&told);
	if (voice_sound_load(options->words[0], &pcm, &why) &&
	    voice_turn(remote,
	               &(struct voice_question){buf_text(&pcm), options_value(options, "to")},
	               &listener, &told, &why)) {
		status = finish_turn(s, &told, options_value(options, "output"));
	} else {
		forget_partial(s);
		if (s->in_line)
			out_add(s->out, TEXT("\n"));
		out_flush(s->out);
		out_say("%s", why.words);
	}
	voice_turned_finish(&told);
	buf_finish(&pcm);
	return status;
}

static int ask_with_file(struct command_context *context, const struct options *options,
                         struct remote *remote)
{
	struct speaking s = {.out = &context->out, .is_json = options_has(options, "json")};

	s.shows_partials = !s.is_json && isatty(context->out.fd);
	interrupt_watch();
	return speak(&s, remote, options);
}

/* What is for a file alone, or for all but talking. */
static const char *unfit_option(const struct options *options, bool is_check)
{
	if (options_has(options, "output"))
		return "output";
	if (is_check)
		return options_has(options, "to") ? "to" : NULL;
	return options_has(options, "json") ? "json" : NULL;
}

static int voice(struct command_context *context, const struct options *options)
{
	bool talks = options->word_count == 0;
	bool is_check = !talks && strcmp(options->words[0], "check") == 0;
	const char *unfit = talks || is_check ? unfit_option(options, is_check) : NULL;
	struct remote *remote;
	int status;

	if (options->word_count > 1)
		return command_misused(&command_voice, "unexpected argument '%s'",
		                       options->words[1]);
	if (unfit)
		return command_misused(&command_voice, "--%s goes with a FILE of sound", unfit);
	if (talks && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return command_misused(&command_voice,
		                       "to talk needs a terminal; without one a FILE of sound is "
		                       "needed");
	remote = remote_create(&command_voice, context, options, &status);
	if (!remote)
		return status;
	if (is_check)
		status = voice_here_check(context, options, remote);
	else if (talks)
		status = voice_talk(context, remote, options_value(options, "to"));
	else
		status = ask_with_file(context, options, remote);
	remote_destroy(remote);
	return status;
}

static const char *const words[] = {"check", NULL};
static const struct option own[] = {
	{"to", .value = "SOURCE", .help = "ask this source, not the one of the configuration"},
	{"output", 'o', "FILE", "write the sound of the answer there, as a WAV file"},
	{"json", 'j', .help = "a file: one line, words and latencies; check: as the box tells it"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_voice = {
	.name = "voice",
	.summary = "talk with an agent, or ask it with a file of sound",
	.usage = "[FILE.wav | check]",
	.examples = "  signalbox voice\n"
		    "  signalbox voice --to claude\n"
		    "  signalbox voice check\n"
		    "  signalbox voice question.wav -o answer.wav\n"
		    "  signalbox voice question.wav --json\n",
	.about =
		"Without a file you talk, at a terminal: the space bar begins to listen and ends\n"
		"it, or is held down while you speak. While the answer is spoken it interrupts.\n"
		"c or Esc cancels, q or Ctrl-C leaves. Sound is recorded and played by PipeWire\n"
		"(pw-record, pw-play), else ALSA (arecord, aplay).\n"
		"\n"
		"A file is a WAV file of two minutes at most. It goes to the box at the pace at\n"
		"which it was spoken. What is heard is printed, on a terminal while it is heard,\n"
		"and then the answer as it comes. Ctrl-C cancels the turn.\n"
		"\n"
		"check tells who hears, thinks and says, and lets the speech of the box's machine\n"
		"say a sentence and hear it. Its status is 0 if that works.\n",
	.words = words,
	.groups = groups,
	.run = voice,
};
