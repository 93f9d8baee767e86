/* normal.c - tokens that are for the box, controls, the prefix. */
#include "deliver/normal.h"

#include "base/utf8.h"
#include "base/visible.h"

#define PREFIX_MAX (2 * KIB)

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_';
}

/* --- NO_REPLY --------------------------------------------------------------------------- */

/* At the beginning as a word, or at the end with nothing but signs behind it. */
bool normal_is_silent(struct text t)
{
	struct text token = TEXT(NORMAL_SILENT_TOKEN), trimmed = text_trim(t);
	size_t end;

	if (text_starts(trimmed, token) &&
	    (trimmed.len == token.len || !is_word(trimmed.at[token.len])))
		return true;
	for (end = trimmed.len; end > 0 && !is_word(trimmed.at[end - 1]); end--)
		;
	trimmed.len = end;
	return text_ends(trimmed, token) &&
	       (trimmed.len == token.len || !is_word(trimmed.at[trimmed.len - token.len - 1]));
}

bool normal_may_be_silent(struct text beginning)
{
	struct text trimmed = text_trim(beginning);

	return text_starts(TEXT(NORMAL_SILENT_TOKEN), trimmed) ||
	       text_starts(TEXT(NORMAL_HEARTBEAT_TOKEN), trimmed) || normal_is_silent(trimmed);
}

/* --- HEARTBEAT_OK ----------------------------------------------------------------------- */

static bool has_token(struct text t)
{
	struct text token = TEXT(NORMAL_HEARTBEAT_TOKEN);

	return t.len >= token.len && memmem(t.at, t.len, token.at, token.len) != NULL;
}

/* Tags of HTML become a space, and the marks of Markdown at both ends go. */
static struct text without_markup(struct text t, struct buf *out)
{
	struct text bare;
	size_t ends = t.len; /* no tag ends behind it */

	while (ends && t.at[ends - 1] != '>')
		ends--;
	for (size_t i = 0; i < t.len; i++) {
		bool is_tag = i < ends && t.at[i] == '<';
		const char *end = is_tag ? memchr(t.at + i, '>', ends - i) : NULL;

		buf_add_char(out, end ? ' ' : t.at[i]);
		if (end)
			i = (size_t)(end - t.at);
	}
	bare = text_trim(buf_text(out));
	while (bare.len && strchr("*`~_", bare.at[0]))
		bare = (struct text){bare.at + 1, bare.len - 1};
	while (bare.len && strchr("*`~_", bare.at[bare.len - 1]))
		bare.len--;
	return text_trim(bare);
}

/* The token taken off both ends, as often as it is there. */
static struct text without_token(struct text t)
{
	struct text token = TEXT(NORMAL_HEARTBEAT_TOKEN);

	for (t = text_trim(t);; t = text_trim(t)) {
		if (text_starts(t, token))
			t = (struct text){t.at + token.len, t.len - token.len};
		else if (text_ends(t, token))
			t.len -= token.len;
		else
			return t;
	}
}

static void add_collapsed(struct text t, struct buf *out)
{
	bool is_space = false;

	for (size_t i = 0; i < t.len; i++) {
		bool space = t.at[i] == ' ' || (t.at[i] >= '\t' && t.at[i] <= '\r');

		if (!space || !is_space)
			buf_add_char(out, space ? ' ' : t.at[i]);
		is_space = space;
	}
}

/* What is left of a text with the token; false: nothing that anybody should read. */
static bool strip_heartbeat(const struct normal_options *options, struct text t, struct buf *out)
{
	struct buf plain;
	struct text bare, left;
	bool goes_on = true;

	buf_init(&plain, t.len + 1);
	bare = without_markup(t, &plain);
	left = without_token(t);
	if (left.len == 0 || left.len == text_trim(t).len)
		left = without_token(bare);
	if (left.len == bare.len && left.at == bare.at)
		buf_add(out, text_trim(t)); /* it is in the middle: somebody speaks of it */
	else if (left.len == 0 ||
	         (options->is_heartbeat && utf8_count(left) <= NORMAL_HEARTBEAT_CHARS))
		goes_on = false;
	else
		add_collapsed(left, out);
	buf_finish(&plain);
	return goes_on;
}

/* --- the rest --------------------------------------------------------------------------- */

static const struct text *word_of(const struct normal_names *names, struct text name)
{
	const struct {
		struct text name;
		const struct text *word;
	} all[] = {
		{TEXT("model"), &names->model},
		{TEXT("modelFull"), &names->model_full},
		{TEXT("provider"), &names->provider},
		{TEXT("thinkingLevel"), &names->thinking_level},
		{TEXT("identity.name"), &names->identity_name},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (text_equal_nocase(name, all[i].name))
			return all[i].word;
	return NULL;
}

static void add_prefix(const struct normal_options *options, struct buf *out)
{
	struct text t = options->response_prefix;

	for (size_t i = 0; i < t.len; i++) {
		const char *end = t.at[i] == '{' ? memchr(t.at + i, '}', t.len - i) : NULL;
		const struct text *word = NULL;

		if (end)
			word = word_of(&options->names,
			               (struct text){t.at + i + 1, (size_t)(end - t.at) - i - 1});
		if (word && word->len) {
			buf_add(out, *word);
			i = (size_t)(end - t.at);
		} else {
			buf_add_char(out, t.at[i]);
		}
	}
}

/* Unicode will never give it a meaning, and XML has not all of them. */
static bool is_noncharacter(uint32_t c)
{
	return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
}

/* Controls and noncharacters go, but for ends of lines and tabs; a byte that is no text becomes
 * U+FFFD. */
static void add_clean(struct text t, struct buf *out)
{
	while (t.len) {
		size_t n = utf8_length(t);
		uint32_t c = n ? utf8_decode((struct text){t.at, n}) : 0xFFFD;

		if (n == 0)
			buf_add(out, TEXT("\xEF\xBF\xBD"));
		else if ((c >= 0xA0 && !is_noncharacter(c)) || (c >= 0x20 && c < 0x7F) ||
		         c == '\n' || c == '\t' || c == '\r')
			buf_add(out, (struct text){t.at, n});
		n += n == 0;
		t = (struct text){t.at + n, t.len - n};
	}
}

/* With the space behind it. */
static struct chunk_limit limit_behind(struct chunk_limit limit, struct text prefix)
{
	size_t length = chunk_length(limit.unit, prefix) + 1, lines = 0;

	for (size_t i = 0; i < prefix.len; i++)
		lines += prefix.at[i] == '\n';
	limit.max = length < limit.max ? limit.max - length : 0;
	if (limit.lines)
		limit.lines = lines < limit.lines ? limit.lines - lines : 0;
	return limit;
}

/* The prefix, or nothing where the limit has no room for it. */
static void make_prefix(const struct normal_options *options, struct buf *prefix)
{
	struct chunk_limit limit = options->limit, left;

	add_prefix(options, prefix);
	if (limit.max == 0)
		return;
	left = limit_behind(limit, buf_text(prefix));
	if (left.max < CHUNK_LEAST_CHARS || (limit.lines && left.lines < CHUNK_LEAST_LINES))
		buf_clear(prefix);
}

struct chunk_limit normal_limit(const struct normal_options *options)
{
	struct chunk_limit limit = options->limit;
	struct buf prefix;

	buf_init(&prefix, PREFIX_MAX);
	make_prefix(options, &prefix);
	if (limit.max && prefix.len)
		limit = limit_behind(limit, buf_text(&prefix));
	buf_finish(&prefix);
	return limit;
}

static void add_with_prefix(const struct normal_options *options, struct text t, struct buf *out)
{
	struct buf prefix;

	if (text_trim(t).len == 0)
		return;
	buf_init(&prefix, PREFIX_MAX);
	make_prefix(options, &prefix);
	if (prefix.len && !text_starts(t, buf_text(&prefix))) {
		buf_add(out, buf_text(&prefix));
		buf_add_char(out, ' ');
	}
	buf_add(out, t);
	buf_finish(&prefix);
}

#define IDEOGRAPHIC_SPACE 0x3000

static bool has_shape(uint32_t c)
{
	return c != ' ' && c != IDEOGRAPHIC_SPACE && visible_kind(c) == VISIBLE_SHAPE;
}

/* Platforms refuse a message that nobody could see. */
static bool is_seen(struct text t)
{
	size_t n;

	for (; t.len; t = (struct text){t.at + n, t.len - n}) {
		n = utf8_length(t);
		if (n == 0 || has_shape(utf8_decode((struct text){t.at, n})))
			return true;
	}
	return false;
}

/* The text without what is for the box; a reason when that was all. */
static enum normal_answer strip(const struct normal_options *options, const struct payload *p,
                                struct buf *out)
{
	if (normal_is_silent(p->text))
		return NORMAL_SILENT;
	if (!has_token(p->text)) {
		buf_add(out, p->text);
		return NORMAL_TAKEN;
	}
	return strip_heartbeat(options, p->text, out) ? NORMAL_TAKEN : NORMAL_HEARTBEAT;
}

enum normal_answer normal_text(const struct normal_options *options, const struct payload *p,
                               struct buf *out)
{
	enum normal_answer answer = NORMAL_EMPTY;
	struct buf stripped, clean;

	if (payload_is_empty(p))
		return NORMAL_EMPTY;
	buf_init(&stripped, p->text.len + 1);
	buf_init(&clean, 3 * p->text.len + 3);
	answer = strip(options, p, &stripped);
	add_clean(buf_text(&stripped), &clean);
	if (!is_seen(buf_text(&clean)))
		buf_clear(&clean);
	if (answer == NORMAL_TAKEN && p->media_count == 0 && clean.len == 0)
		answer = NORMAL_EMPTY;
	if (p->media_count)
		answer = NORMAL_TAKEN;
	if (answer == NORMAL_TAKEN)
		add_with_prefix(options, buf_text(&clean), out);
	buf_finish(&stripped);
	buf_finish(&clean);
	return answer;
}
