/* mouth.c - see mouth.h. */
#include "speech/mouth.h"

#include "base/utf8.h"

const struct mouth_voice mouth_voices[] = {
	{"flite-rms", "a man, by flite", "en-US", flite_open, flite_close, flite_say, "cmu_us_rms"},
	{"flite-slt", "a woman, by flite", "en-US", flite_open, flite_close, flite_say,
         "cmu_us_slt"},
	{"festival-slt", "a woman, by festival", "en-US", festival_open, festival_close,
         festival_say, "voice_cmu_us_slt_arctic_hts"},
	{NULL},
};

struct mouth *mouth_open(struct text name, struct error *why)
{
	const struct mouth_voice *voice;
	struct mouth *mouth;

	for (voice = mouth_voices; voice->name; voice++) {
		if (name.len && !text_is(name, voice->name))
			continue;
		mouth = voice->open(voice, why);
		if (mouth || name.len)
			return mouth;
	}
	if (name.len)
		error_set(why, "there is no voice %.*s", TEXT_ARG(name));
	return NULL;
}

void mouth_close(struct mouth *mouth)
{
	if (mouth)
		mouth->voice->close(mouth);
}

const struct mouth_voice *mouth_voice(const struct mouth *mouth)
{
	return mouth->voice;
}

bool mouth_say(struct mouth *mouth, struct text sentence, struct buf *pcm, int *rate,
               struct error *why)
{
	struct buf plain;
	bool said;

	buf_init(&plain, 2 * MOUTH_SENTENCE_MAX);
	mouth_put_plain(utf8_cut(sentence, MOUTH_SENTENCE_MAX), &plain);
	buf_add_char(&plain, '\0');
	said = mouth->voice->say(mouth, plain.at, pcm, rate, why);
	buf_finish(&plain);
	return said;
}

/* ---- sentences ---- */

static bool is_char_in(char c, const char *set)
{
	return c && strchr(set, c);
}

size_t mouth_sentence(struct text words)
{
	for (size_t i = 0; i < words.len && i < MOUTH_SENTENCE_MAX; i++)
		if (is_char_in(words.at[i], "\n") ||
		    (i && is_char_in(words.at[i], " \t") && is_char_in(words.at[i - 1], ".!?")))
			return i + 1;
	return words.len < MOUTH_SENTENCE_MAX ? 0 : utf8_cut(words, MOUTH_SENTENCE_MAX).len;
}

/* ---- plain words ---- */

/* Letters with accents, from U+00C0 on, without them. */
static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOO OUUUUYTsaaaaaaaceeeeiiiidnooooo ouuuuyty";

static char plain_of(uint32_t c)
{
	switch (c) {
	case 0x2018:
	case 0x2019:
		return '\'';
	case 0x201c:
	case 0x201d:
		return '"';
	case 0x2013:
	case 0x2014:
		return '-';
	default:
		break;
	}
	if (c >= 0xc0 && c <= 0xff)
		return latin[c - 0xc0];
	return c > ' ' && c < 0x7f ? (char)c : ' ';
}

void mouth_put_plain(struct text sentence, struct buf *out)
{
	unsigned letters = 0;

	while (sentence.len) {
		size_t len = utf8_length(sentence);
		char c = len ? plain_of(utf8_decode((struct text){sentence.at, len})) : ' ';

		letters = c == ' ' ? 0 : letters + 1;
		if (letters > MOUTH_WORD_MAX) {
			buf_add_char(out, ' ');
			letters = 1;
		}
		buf_add_char(out, c);
		len = len ? len : 1;
		sentence = (struct text){sentence.at + len, sentence.len - len};
	}
}
