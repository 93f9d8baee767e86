/* recording.c - see recording.h.
 *
 * Whatever ends it, also from inside what it waits for, ends its work at once; its owner is told in
 * the next turn of the loop.
 */
#include "voice/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/must.h"
#include "net/process.h"
#include "sound/incoming.h"
#include "sound/recorded.h"
#include "voice/inside.h"
#include "voice/transcribe.h"

#define READ_BYTES (256 * KIB)
#define PIECE_BYTES (48 * KIB) /* of sound, for an engine at once */
#define SOUND_MAX (4 * MIB)    /* two minutes of it, and a piece more */
#define PATIENCE_MS 60000      /* for all of it */
#define HEAD_BYTES 12          /* by which a format is known */

struct voice_recording {
	struct recording_options options;
	struct loop *loop;
	struct voice_kit *kit;
	struct transcribe *transcribe; /* one of the two, or neither */
	void *work;
	struct process *decoder;
	struct incoming *incoming; /* what the decoder says */
	struct buf words;          /* that were heard */
	struct error why;          /* or: why not */
	bool is_over;
	struct later tells;
	struct deadline late;
};

/* ---- the end ---- */

static void drop_work(struct voice_recording *r)
{
	void *work = r->work;

	r->work = NULL;
	if (work)
		r->kit->engine.parts[VOICE_HEAR]->stop(work);
	transcribe_stop(r->transcribe);
	r->transcribe = NULL;
	process_destroy(r->decoder);
	r->decoder = NULL;
}

void recording_stop(struct voice_recording *r)
{
	if (!r)
		return;
	loop_forget(&r->tells);
	deadline_clear(&r->late);
	drop_work(r);
	incoming_destroy(r->incoming);
	voice_kit_unref(r->kit);
	buf_finish(&r->words);
	free(r);
}

/* It may be called from inside the work, which ends in any case. */
static void end_recording(struct voice_recording *r, struct text words, struct text why)
{
	if (r->is_over)
		return;
	r->is_over = true;
	buf_add(&r->words, words);
	error_set(&r->why, "%.*s", TEXT_ARG(why));
	drop_work(r);
	loop_later(r->loop, &r->tells);
}

static void fail_recording(struct voice_recording *r, const char *why)
{
	end_recording(r, TEXT(""), text_of(why));
}

static void tell_recording(struct later *later)
{
	struct voice_recording *r = list_of(later, struct voice_recording, tells);
	struct recording_options options = r->options;
	struct error why = r->why;
	struct buf words = r->words;

	buf_init(&r->words, 0);
	recording_stop(r);
	options.heard(options.self, buf_text(&words), why.words[0] ? why.words : NULL);
	buf_finish(&words);
}

static void give_it_up(struct deadline *deadline)
{
	fail_recording(list_of(deadline, struct voice_recording, late),
	               "it took too long to hear it");
}

static void on_told(void *self, uint64_t turn, const struct voice_fact *fact)
{
	struct voice_recording *r = self;

	(void)turn;
	if (fact->kind == FACT_FINAL)
		end_recording(r, fact->text, TEXT(""));
	else if (fact->kind == FACT_FAILED)
		end_recording(r, TEXT(""), fact->text);
}

/* ---- the file ---- */

static bool read_all(int fd, struct buf *out, struct error *why)
{
	ssize_t n;

	do {
		char *room = buf_reserve(out, READ_BYTES);

		if (!room)
			return error_set(why, "it is larger than 20 MiB");
		n = read(fd, room, READ_BYTES);
		if (n > 0)
			out->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n == 0 || error_errno(why, "it cannot be read");
}

static bool load_recording(const char *path, struct buf *out, struct error *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool good;

	if (fd < 0)
		return error_errno(why, "it cannot be read");
	good = read_all(fd, out, why);
	close(fd);
	return good;
}

static bool read_head(const char *path, char head[HEAD_BYTES], struct error *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, head, HEAD_BYTES);

	if (n < 0)
		error_errno(why, "it cannot be read");
	else if (n < HEAD_BYTES)
		error_set(why, "there is nothing in it");
	if (fd >= 0)
		close(fd);
	return n == HEAD_BYTES;
}

/* ---- a server that takes files ---- */

/* On the disk it has an end that says which format it is; servers go by that. */
static struct text end_of_path(const char *path)
{
	return text_of(strrchr(path, '/') + 1);
}

static bool send_file(struct voice_recording *r, struct error *why)
{
	const struct voice_means *means = &r->kit->means[VOICE_HEAR];
	struct voice_ear ear = {.self = r, .told = on_told};
	struct multipart form;

	transcribe_begin_form(&form, means, RECORDING_BYTES_MAX + READ_BYTES);
	multipart_begin_file(&form, &(struct multipart_file){"file", end_of_path(r->options.path),
	                                                     r->options.type});
	if (load_recording(r->options.path, &form.body, why)) {
		multipart_end_file(&form);
		multipart_end(&form);
		r->transcribe = transcribe_start(means, &form, &ear, why);
	}
	multipart_finish(&form);
	return r->transcribe != NULL;
}

/* ---- an engine that takes sound ---- */

static void feed_sound(struct voice_recording *r, struct text sound)
{
	struct buf written;

	buf_init(&written, 2 * PIECE_BYTES);
	for (size_t at = 0; at < sound.len && !r->is_over; at += PIECE_BYTES) {
		size_t len = sound.len - at < PIECE_BYTES ? sound.len - at : PIECE_BYTES;

		buf_clear(&written);
		base64_add(&written, (struct text){sound.at + at, len});
		r->kit->engine.parts[VOICE_HEAR]->feed(r->work, buf_text(&written),
		                                       loop_now_ms(r->loop));
	}
	buf_finish(&written);
}

static void end_sound(struct voice_recording *r)
{
	if (!r->is_over)
		r->kit->engine.parts[VOICE_HEAR]->end(r->work, loop_now_ms(r->loop));
}

static void begin_sound(struct voice_recording *r)
{
	struct voice_ear ear = {.self = r, .told = on_told};

	r->work = r->kit->engine.parts[VOICE_HEAR]->begin(r->kit->engine.of[VOICE_HEAR], &ear,
	                                                  loop_now_ms(r->loop));
}

static void feed_all(struct voice_recording *r, const struct buf *sound)
{
	if (sound->full)
		fail_recording(r, "it is longer than two minutes");
	else
		feed_sound(r, buf_text(sound));
}

/* In whatever kind of samples: it is a person's file. */
static bool hear_wav(struct voice_recording *r, struct error *why)
{
	struct buf file, sound;
	bool good;

	buf_init(&file, RECORDING_BYTES_MAX + READ_BYTES);
	buf_init(&sound, SOUND_MAX);
	good = load_recording(r->options.path, &file, why) &&
	       recorded_read(buf_text(&file), VOICE_RATE, &sound, why);
	if (good) {
		begin_sound(r);
		feed_all(r, &sound);
		end_sound(r);
	}
	buf_finish(&file);
	buf_finish(&sound);
	return good;
}

/* ---- a program that decodes ---- */

static void hear_decoded(struct voice_recording *r, struct text bytes, bool is_all)
{
	struct error why;
	struct buf sound;
	bool good;

	buf_init(&sound, SOUND_MAX);
	good = incoming_feed(r->incoming, bytes, &sound, &why) &&
	       (!is_all || incoming_end(r->incoming, &sound, &why));
	if (good)
		feed_all(r, &sound);
	else
		fail_recording(r, why.words);
	if (is_all)
		end_sound(r);
	buf_finish(&sound);
}

static void decoder_said(void *self, enum process_stream stream, const struct piece *piece)
{
	struct voice_recording *r = self;

	if (stream == PROCESS_OUTPUT && !r->is_over)
		hear_decoded(r, piece->bytes, false);
}

static void decoder_ended(void *self, const struct process_end *end)
{
	struct voice_recording *r = self;
	struct error why;

	r->decoder = NULL;
	if (end->status == 0) {
		hear_decoded(r, TEXT(""), true);
		return;
	}
	error_set(&why, "it cannot be decoded: the program %s", end->words);
	fail_recording(r, why.words);
}

/* As ffmpeg calls them: it is told, so that nothing in a file leads it elsewhere. */
static const struct {
	size_t at;
	struct text bytes;
	const char *format;
} formats[] = {
	{0, TEXT("RIFF"), "wav"},
	{0, TEXT("OggS"), "ogg"},
	{0, TEXT("fLaC"), "flac"},
	{0, TEXT("ID3"), "mp3"},
	{0, TEXT("\xFF\xFB"), "mp3"},
	{0, TEXT("\xFF\xF3"), "mp3"},
	{0, TEXT("\xFF\xF2"), "mp3"},
	{0, TEXT("\xFF\xF1"), "aac"},
	{0, TEXT("\xFF\xF9"), "aac"},
	{4, TEXT("ftyp"), "mov"},
	{0, TEXT("#!AMR"), "amr"},
	{0, TEXT("caff"), "caf"},
	{0, TEXT("\x1A\x45\xDF\xA3"), "matroska"},
};

static const char *format_in(const char head[HEAD_BYTES])
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (memcmp(head + formats[i].at, formats[i].bytes.at, formats[i].bytes.len) == 0)
			return formats[i].format;
	return NULL;
}

static bool run_decoder(struct voice_recording *r, const char *const *argv)
{
	struct error why;

	r->decoder = process_start(r->options.processes,
	                           &(struct process_options){.argv = argv,
	                                                     .directory = "/",
	                                                     .self = r,
	                                                     .heard = decoder_said,
	                                                     .ended = decoder_ended},
	                           &why);
	return r->decoder != NULL;
}

static bool decode(struct voice_recording *r, const char *format, struct error *why)
{
	const char *const ffmpeg[] = {"ffmpeg", "-nostdin", "-v",    "error", "-protocol_whitelist",
	                              "file",   "-f",       format,  "-i",    r->options.path,
	                              "-vn",    "-f",       "s16le", "-ac",   "1",
	                              "-ar",    "16000",    "-t",    "125",   "-",
	                              NULL};
	const char *const opusdec[] = {"opusdec",     "--quiet",       "--rate", "16000",
	                               "--force-wav", r->options.path, "-",      NULL};
	bool is_ogg = strcmp(format, "ogg") == 0;

	if (!run_decoder(r, ffmpeg) && !(is_ogg && run_decoder(r, opusdec)))
		return error_set(why,
		                 "the engine takes plain sound, and this machine has no program "
		                 "that decodes it: ffmpeg%s",
		                 is_ogg ? " or opusdec" : "");
	r->incoming = incoming_create(VOICE_RATE, 1, VOICE_RATE);
	begin_sound(r);
	return true;
}

/* ---- all of it ---- */

static bool hear_file(struct voice_recording *r, struct error *why)
{
	char head[HEAD_BYTES];
	const char *format;

	if (!read_head(r->options.path, head, why))
		return false;
	format = format_in(head);
	if (!format)
		return error_set(why, "nobody here knows its format");
	return strcmp(format, "wav") == 0 ? hear_wav(r, why) : decode(r, format, why);
}

static bool begin_recording(struct voice_recording *r, struct error *why)
{
	if (r->kit->excuses[VOICE_HEAR].words.words[0])
		return error_set(why, "%s", r->kit->excuses[VOICE_HEAR].words.words);
	return r->kit->means[VOICE_HEAR].place.form == VOICE_HTTP ? send_file(r, why)
	                                                          : hear_file(r, why);
}

struct voice_recording *recording_hear(const struct recording_options *options, struct error *why)
{
	struct voice_room *voice = options->voice;
	struct voice_recording *r;

	if (!voice->real) {
		error_set(why, "no speech engine is configured");
		return NULL;
	}
	r = must_zero(1, sizeof(*r));
	r->options = *options;
	r->loop = voice->options.loop;
	r->kit = voice_kit_ref(voice->real);
	r->tells.run = tell_recording;
	r->late.fire = give_it_up;
	buf_init(&r->words, 64 * KIB);
	if (begin_recording(r, why)) {
		deadline_set(r->loop, &r->late, PATIENCE_MS);
		return r;
	}
	recording_stop(r);
	return NULL;
}
