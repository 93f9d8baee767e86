/* filter.c - matching, and the key that makes equal filters share a tape. */
#include "signal/filter.h"

#include <stdlib.h>

#include "base/must.h"

void filter_init(struct filter *filter)
{
	*filter = (struct filter){0};
}

static void free_words(char **words, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(words[i]);
	free(words);
}

void filter_finish(struct filter *filter)
{
	free_words(filter->types, filter->type_count);
	free_words(filter->sources, filter->source_count);
	free(filter->correlation);
	filter_init(filter);
}

static char **copy_words(char **words, unsigned count)
{
	char **copies = count ? must_alloc(count * sizeof(*copies)) : NULL;

	for (unsigned i = 0; i < count; i++)
		copies[i] = text_dup(text_of(words[i]));
	return copies;
}

void filter_copy(struct filter *to, const struct filter *from)
{
	*to = *from;
	to->types = copy_words(from->types, from->type_count);
	to->sources = copy_words(from->sources, from->source_count);
	to->correlation = from->correlation ? text_dup(text_of(from->correlation)) : NULL;
}

static bool check_word(struct text word, const char *what, struct error *why)
{
	if (word.len == 0)
		return error_set(why, "an empty %s matches nothing", what);
	if (word.len > FILTER_WORD_LEN_MAX)
		return error_set(why, "a %s longer than %d bytes", what, FILTER_WORD_LEN_MAX);
	if (memchr(word.at, '\0', word.len))
		return error_set(why, "a %s with a NUL in it", what);
	return true;
}

static bool has_word(char **words, unsigned count, struct text word)
{
	for (unsigned i = 0; i < count; i++)
		if (text_is(word, words[i]))
			return true;
	return false;
}

/* Words are kept sorted and once, so that the key needs no more thought. */
static bool add_word(char ***words, unsigned *count, struct text word, const char *what,
                     struct error *why)
{
	char *copy;
	unsigned i;

	if (!check_word(word, what, why))
		return false;
	if (has_word(*words, *count, word))
		return true;
	if (*count == FILTER_WORDS_MAX)
		return error_set(why, "more than %d %ss", FILTER_WORDS_MAX, what);
	*words = must_grow(*words, (*count + 1) * sizeof(**words));
	copy = text_dup(word);
	for (i = *count; i > 0 && strcmp((*words)[i - 1], copy) > 0; i--)
		(*words)[i] = (*words)[i - 1];
	(*words)[i] = copy;
	(*count)++;
	return true;
}

bool filter_add_type(struct filter *filter, struct text type, struct error *why)
{
	return add_word(&filter->types, &filter->type_count, type, "type", why);
}

bool filter_add_source(struct filter *filter, struct text source, struct error *why)
{
	return add_word(&filter->sources, &filter->source_count, source, "source", why);
}

bool filter_add_types(struct filter *filter, struct text list, struct error *why)
{
	do {
		if (!filter_add_type(filter, text_cut(list, ',', &list), why))
			return false;
	} while (list.at);
	return true;
}

bool filter_add_sources(struct filter *filter, struct text list, struct error *why)
{
	do {
		if (!filter_add_source(filter, text_cut(list, ',', &list), why))
			return false;
	} while (list.at);
	return true;
}

bool filter_set_correlation(struct filter *filter, struct text id, struct error *why)
{
	if (!check_word(id, "correlationId", why))
		return false;
	free(filter->correlation);
	filter->correlation = text_dup(id);
	return true;
}

bool filter_is_all(const struct filter *filter)
{
	return !filter->type_count && !filter->source_count && !filter->correlation;
}

static bool is_pattern(const char *word)
{
	size_t n = strlen(word);

	return n && word[n - 1] == '*';
}

bool filter_has_pattern(const struct filter *filter)
{
	for (unsigned i = 0; i < filter->type_count; i++)
		if (is_pattern(filter->types[i]))
			return true;
	return false;
}

static bool type_passes(const struct filter *filter, struct text type)
{
	for (unsigned i = 0; i < filter->type_count; i++) {
		struct text word = text_of(filter->types[i]);

		if (is_pattern(word.at) ? text_starts(type, (struct text){word.at, word.len - 1})
		                        : text_equal(type, word))
			return true;
	}
	return filter->type_count == 0;
}

bool filter_passes(const struct filter *filter, const struct signal *s)
{
	if (filter->correlation && !text_is(s->correlation, filter->correlation))
		return false;
	if (filter->source_count && !has_word(filter->sources, filter->source_count, s->source))
		return false;
	return type_passes(filter, s->type);
}

static void key_words(struct buf *out, char mark, char **words, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		buf_add_char(out, mark);
		buf_add(out, text_of(words[i]));
		buf_add_char(out, '\0');
	}
}

void filter_key(const struct filter *filter, struct buf *out)
{
	key_words(out, 't', filter->types, filter->type_count);
	key_words(out, 's', filter->sources, filter->source_count);
	if (filter->correlation)
		key_words(out, 'c', (char **)&filter->correlation, 1);
}
