/* voice_sound.c - see voice_sound.h. */
#include "cli/voice_sound.h"

#include "base/whole.h"
#include "sound/recorded.h"
#include "sound/wav.h"

#define FILE_MAX (256 * MIB)
#define FILE_MODE 0644

static bool convert(struct text file, struct buf *pcm, struct error *why)
{
	if (!recorded_read(file, VOICE_RATE, pcm, why))
		return false;
	if (pcm->full)
		return error_set(why, "it is longer than %d seconds", VOICE_QUESTION_S);
	return pcm->len || error_set(why, "there is no sound in it");
}

bool voice_sound_load(const char *path, struct buf *pcm, struct error *why)
{
	struct buf file;
	bool good;

	buf_init(&file, FILE_MAX);
	buf_init(pcm, (size_t)VOICE_RATE * 2 * VOICE_QUESTION_S);
	good = whole_load(path, 0, &file, why);
	if (good && !convert(buf_text(&file), pcm, why))
		good = error_within(why, "%s", path);
	buf_finish(&file);
	return good;
}

bool voice_sound_save(const char *path, int rate, struct text pcm, struct error *why)
{
	struct buf file;
	bool good;

	buf_init(&file, VOICE_ANSWER_MAX + WAV_HEAD_BYTES);
	wav_put_head(&file, rate ? rate : VOICE_RATE, pcm.len);
	buf_add(&file, pcm);
	good = whole_replace(path, FILE_MODE, buf_text(&file), why);
	buf_finish(&file);
	return good;
}
