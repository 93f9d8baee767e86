/* wyoming_info.c - see wyoming_info.h. */
#include "voice/wyoming_info.h"

#include "base/utf8.h"
#include "base/visible.h"
#include "signal/json.h"

#define NAMES_MAX 4 /* that are told of what it has */

static const struct {
	const char *programs, *kinds, *streams;
	const char *one; /* of the kinds, in words */
} parts[] = {
	[WYOMING_ASR] = {"asr", "models", "supports_transcript_streaming", "model"},
	[WYOMING_TTS] = {"tts", "voices", "supports_synthesize_streaming", "voice"},
};

struct info_reading {
	enum wyoming_part part;
	const struct wyoming_wish *wish;
	struct wyoming_info *out;
};

/* ---- words ---- */

static void add_visible(struct buf *out, struct text word, size_t max)
{
	struct buf shown;

	buf_init(&shown, (size_t)VISIBLE_GROWTH * max);
	visible_add(&shown, utf8_cut(word, max), VISIBLE_MARK_LINES);
	buf_add(out, utf8_cut(buf_text(&shown), max));
	buf_finish(&shown);
}

/* size: of out, with its end. */
static void keep_word(char *out, size_t size, struct text word)
{
	struct buf kept;

	buf_init(&kept, size);
	add_visible(&kept, word, size - 1);
	memcpy(out, kept.at ? kept.at : "", kept.len);
	out[kept.len] = '\0';
	buf_finish(&kept);
}

/* ---- programs, and what they have ---- */

/* Who does not say whether it is installed is. */
static bool is_usable(yyjson_val *artifact)
{
	return yyjson_is_obj(artifact) && !yyjson_is_false(yyjson_obj_get(artifact, "installed"));
}

static yyjson_val *kinds_of(const struct info_reading *r, yyjson_val *program)
{
	return yyjson_obj_get(program, parts[r->part].kinds);
}

/* NULL: it has none of that name. */
static yyjson_val *find_kind(const struct info_reading *r, yyjson_val *program, const char *name)
{
	yyjson_val *kind;
	size_t i, count;

	yyjson_arr_foreach(kinds_of(r, program), i, count, kind)
	{
		if (is_usable(kind) && text_is(json_text_at(kind, "name"), name))
			return kind;
	}
	return NULL;
}

/* The only one; NULL: there are several, or none. */
static yyjson_val *only_kind(const struct info_reading *r, yyjson_val *program)
{
	yyjson_val *kind, *only = NULL;
	size_t i, count;

	yyjson_arr_foreach(kinds_of(r, program), i, count, kind)
	{
		if (is_usable(kind) && only)
			return NULL;
		if (is_usable(kind))
			only = kind;
	}
	return only;
}

static yyjson_val *choose_program(const struct info_reading *r, yyjson_val *programs)
{
	yyjson_val *program, *first = NULL;
	size_t i, count;

	yyjson_arr_foreach(programs, i, count, program)
	{
		if (!is_usable(program))
			continue;
		if (r->wish->name && find_kind(r, program, r->wish->name))
			return program;
		if (!first)
			first = program;
	}
	return first;
}

/* ---- languages ---- */

/* "en" and "en_US" are one: a part of the world is no reason to refuse. */
static bool is_language(struct text a, struct text b)
{
	size_t least = a.len < b.len ? a.len : b.len;
	char next = a.len > least ? a.at[least] : b.len > least ? b.at[least] : '-';

	return least && (next == '-' || next == '_') &&
	       text_equal_nocase((struct text){a.at, least}, (struct text){b.at, least});
}

static bool has_language(const struct wyoming_info *info, const char *language)
{
	for (unsigned i = 0; i < info->language_count; i++)
		if (strcmp(info->languages[i], language) == 0)
			return true;
	return false;
}

static void keep_language(struct wyoming_info *info, struct text language)
{
	char word[INFO_LANGUAGE_MAX];

	if (!language.len || info->language_count == INFO_LANGUAGES_MAX)
		return;
	keep_word(word, sizeof(word), language);
	if (!has_language(info, word))
		memcpy(info->languages[info->language_count++], word, sizeof(word));
}

/* True: the wanted one is among them, or they are not known. */
static bool read_languages(const struct info_reading *r, yyjson_val *kind)
{
	yyjson_val *languages = yyjson_obj_get(kind, "languages"), *language;
	bool is_known = false, is_there = false;
	size_t i, count;

	yyjson_arr_foreach(languages, i, count, language)
	{
		struct text word = json_text(language);

		is_known = true;
		is_there = is_there || !r->wish->language ||
		           is_language(word, text_of(r->wish->language));
		keep_language(r->out, word);
	}
	return is_there || !is_known;
}

/* Of all that it has. */
static bool read_all_languages(const struct info_reading *r, yyjson_val *program)
{
	bool is_there = false, is_known = false;
	yyjson_val *kind;
	size_t i, count;

	yyjson_arr_foreach(kinds_of(r, program), i, count, kind)
	{
		if (!is_usable(kind))
			continue;
		is_known = true;
		is_there = read_languages(r, kind) || is_there;
	}
	return is_there || !is_known;
}

/* ---- what it lacks ---- */

static void tell_lack(const struct info_reading *r, yyjson_val *program)
{
	struct buf names;
	yyjson_val *kind;
	size_t i, count, told = 0, more = 0;

	buf_init(&names, KIB);
	yyjson_arr_foreach(kinds_of(r, program), i, count, kind)
	{
		if (!is_usable(kind) || !json_text_at(kind, "name").len)
			continue;
		if (told == NAMES_MAX) {
			more++;
			continue;
		}
		buf_print(&names, "%s", told++ ? ", " : "");
		add_visible(&names, json_text_at(kind, "name"), INFO_NAME_MAX / 2);
	}
	if (more)
		buf_print(&names, " and %zu more", more);
	error_set(&r->out->lacks, "it has no %s '%s', but %.*s", parts[r->part].one, r->wish->name,
	          told ? (int)names.len : 4, told ? names.at : "none");
	buf_finish(&names);
}

static void read_program(const struct info_reading *r, yyjson_val *program)
{
	const struct wyoming_wish *wish = r->wish;
	yyjson_val *kind = wish->name ? find_kind(r, program, wish->name) : only_kind(r, program);
	bool has_language;

	r->out->is_there = true;
	r->out->streams = yyjson_is_true(yyjson_obj_get(program, parts[r->part].streams));
	keep_word(r->out->program, INFO_NAME_MAX, json_text_at(program, "name"));
	if (kind)
		keep_word(r->out->used, INFO_NAME_MAX, json_text_at(kind, "name"));
	has_language = kind ? read_languages(r, kind) : read_all_languages(r, program);
	if (wish->name && !kind)
		tell_lack(r, program);
	else if (!has_language)
		error_set(&r->out->lacks, "it does not name the language '%s'", wish->language);
}

void wyoming_info_read(const struct wyoming_event *event, enum wyoming_part part,
                       const struct wyoming_wish *wish, struct wyoming_info *out)
{
	const struct info_reading r = {part, wish, out};
	yyjson_val *program;

	*out = (struct wyoming_info){0};
	program = choose_program(&r, wyoming_member(event, parts[part].programs));
	if (program)
		read_program(&r, program);
}
