/* info.c - fuzz: what speech engines say of themselves, and what is told of it. */
#include <stdlib.h>

#include "base/utf8.h"
#include "base/visible.h"
#include "voice/wyoming_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_words(const char *words, size_t room)
{
	if (strnlen(words, room) == room || !utf8_is_valid(text_of(words)))
		abort();
	for (const char *c = words; *c; c++)
		if ((unsigned char)*c < ' ')
			abort();
}

static void check_part(const struct wyoming_event *event, enum wyoming_part part, const char *name)
{
	struct wyoming_info info;

	wyoming_info_read(event, part, &(struct wyoming_wish){name, "en"}, &info);
	if (info.language_count > INFO_LANGUAGES_MAX)
		abort();
	if (!info.is_there && (info.program[0] || info.used[0] || info.lacks.words[0]))
		abort();
	if (name && info.used[0] && strcmp(info.used, name) != 0)
		abort();
	check_words(info.program, sizeof(info.program));
	check_words(info.used, sizeof(info.used));
	for (unsigned i = 0; i < info.language_count; i++)
		check_words(info.languages[i], sizeof(info.languages[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	yyjson_doc *doc = yyjson_read((const char *)data, size, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct wyoming_event event = {.more = yyjson_is_obj(root) ? root : NULL};

	check_part(&event, WYOMING_ASR, NULL);
	check_part(&event, WYOMING_ASR, "a");
	check_part(&event, WYOMING_TTS, NULL);
	check_part(&event, WYOMING_TTS, "a");
	yyjson_doc_free(doc);
	return 0;
}
