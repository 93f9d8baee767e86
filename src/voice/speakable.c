/* speakable.c - see speakable.h. */
#include "voice/speakable.h"

#include "base/utf8.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

static struct text rest_of(struct text t, size_t from)
{
	return (struct text){t.at + from, t.len - from};
}

/* ---- what a sentence has that is not words ---- */

/* Each takes what it knows at the start of rest, appends words, and says how many bytes it took;
 * 0: nothing of its kind.  before: the character in front of it, or a space. */
typedef size_t taker(struct text rest, char before, struct buf *out);

/* [text](address), and ![description](address). */
static size_t take_link(struct text rest, char before, struct buf *out)
{
	bool is_picture = text_starts(rest, TEXT("!["));
	size_t from = is_picture ? 2 : 1;
	struct text inner, address;
	int close, end;

	if (!is_picture && !text_starts(rest, TEXT("[")))
		return 0;
	inner = rest_of(rest, from);
	close = text_find(inner, ']');
	if (close < 0)
		return 0;
	address = rest_of(inner, (size_t)close + 1);
	end = text_starts(address, TEXT("(")) ? text_find(address, ')') : -1;
	if (end < 0)
		return 0;
	if (is_picture)
		buf_add(out, close ? TEXT("a picture, ") : TEXT("a picture"));
	speakable_put((struct text){inner.at, (size_t)close}, out);
	return from + (size_t)close + 1 + (size_t)end + 1;
}

static bool is_of_address(char c)
{
	return c > ' ' && c != '<' && c != '>' && c != '"' && c != '`' && c != ')' && c != ']';
}

static size_t take_address(struct text rest, char before, struct buf *out)
{
	size_t scheme = text_starts(rest, TEXT("https://"))  ? 8
	                : text_starts(rest, TEXT("http://")) ? 7
	                                                     : 0;
	size_t len = scheme, host;

	if (!scheme || is_word(before))
		return 0;
	while (len < rest.len && is_of_address(rest.at[len]))
		len++;
	while (len > scheme && strchr(".,;:!?*_", rest.at[len - 1]))
		len--;
	for (host = scheme; host < len && !strchr("/?#:", rest.at[host]);)
		host++;
	if (host == scheme)
		return 0;
	buf_add(out, TEXT("a link to "));
	buf_add(out, (struct text){rest.at + scheme, host - scheme});
	return len;
}

/* <br>, </b>: a tag is no word. */
static size_t take_tag(struct text rest, char before, struct buf *out)
{
	int end = text_starts(rest, TEXT("<")) ? text_find(rest, '>') : -1;

	if (end < 2 || !(is_letter(rest.at[1]) || rest.at[1] == '/'))
		return 0;
	if (memchr(rest.at, ':', (size_t)end)) /* an address in its brackets */
		speakable_put((struct text){rest.at + 1, (size_t)end - 1}, out);
	else
		buf_add_char(out, ' ');
	return (size_t)end + 1;
}

static size_t take_abbreviation(struct text rest, char before, struct buf *out)
{
	static const struct {
		struct text written, said;
	} known[] = {
		{{"e.g.", 4}, {"for example", 11}},
		{{"i.e.", 4}, {"that is", 7}},
		{{"etc.", 4}, {"and so on", 9}},
		{{"vs.", 3}, {"versus", 6}},
		{{"approx.", 7}, {"about", 5}},
		{{"->", 2}, {"to", 2}},
		{{"=>", 2}, {"to", 2}},
		{{"\xe2\x86\x92", 3}, {"to", 2}},
		{{">=", 2}, {"at least", 8}},
		{{"<=", 2}, {"at most", 7}},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!text_starts(rest, known[i].written) ||
		    (is_letter(rest.at[0]) && is_word(before)))
			continue;
		buf_add(out, known[i].said);
		return known[i].written.len;
	}
	return 0;
}

/* Emphasis, code, strikes: *, `, ~ are no words; an underline within a word is a space. */
static size_t take_mark(struct text rest, char before, struct buf *out)
{
	bool within = is_word(before) && rest.len > 1 && is_word(rest.at[1]);

	if (rest.at[0] == '_') {
		if (within)
			buf_add_char(out, ' ');
		return 1;
	}
	if (rest.at[0] == '*' && rest.len > 1 && rest.at[1] == ' ' && before == ' ') {
		buf_add(out, TEXT("times")); /* 3 * 4 */
		return 1;
	}
	return strchr("*`", rest.at[0]) || text_starts(rest, TEXT("~~")) ? 1 + (rest.at[0] == '~')
	                                                                 : 0;
}

static bool has_sound(uint32_t c)
{
	return !((c >= 0x2190 && c <= 0x2bff) || (c >= 0x1f000 && c <= 0x1faff) ||
	         (c >= 0xfe00 && c <= 0xfe0f) || c == 0x200d || c == 0xfeff || c < 0x20);
}

/* A character as it is, if it has a sound. */
static size_t take_character(struct text rest, struct buf *out)
{
	size_t len = utf8_length(rest);

	if (!len)
		return 1;
	if (has_sound(utf8_decode((struct text){rest.at, len})))
		buf_add(out, (struct text){rest.at, len});
	else
		buf_add_char(out, ' ');
	return len;
}

/* ---- the sentence ---- */

static size_t take_any(struct text rest, char before, struct buf *out)
{
	static taker *const takers[] = {take_link, take_address, take_tag, take_abbreviation,
	                                take_mark};

	if (rest.at[0] == '\\' && rest.len > 1 && !is_word(rest.at[1]) && rest.at[1] != '\\') {
		buf_add_char(out, rest.at[1]);
		return 2;
	}
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++) {
		size_t taken = takers[i](rest, before, out);

		if (taken)
			return taken;
	}
	return take_character(rest, out);
}

/* Spaces are one, there is none before a stop, and none at the ends. */
static void put_tidy(struct text words, struct buf *out)
{
	bool space = false, begun = false;

	for (size_t i = 0; i < words.len; i++) {
		char c = words.at[i];

		if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
			space = begun;
			continue;
		}
		if (space && !strchr(".,;:!?)", c))
			buf_add_char(out, ' ');
		buf_add_char(out, c);
		space = false;
		begun = true;
	}
}

void speakable_put(struct text sentence, struct buf *out)
{
	struct buf loose;
	char before = ' ';

	buf_init(&loose, 16 * KIB);
	while (sentence.len) {
		size_t taken = take_any(sentence, before, &loose);

		before = sentence.at[taken - 1];
		sentence = rest_of(sentence, taken);
	}
	put_tidy(buf_text(&loose), out);
	buf_finish(&loose);
}
