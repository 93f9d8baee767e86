/* spoken.c - see spoken.h. */
#include "voice/spoken.h"

#include "base/utf8.h"
#include "voice/speakable.h"

#define LINE_MARK_MAX 8 /* bytes of a line that say what kind it is */
#define FENCE_LINE_MAX 200
#define RAW_MAX (4 * MIB)

enum verdict { NO, YES, UNKNOWN }; /* UNKNOWN: what follows decides, and it is not there yet */

static struct text rest_from(const struct recital *recital, size_t from)
{
	from += recital->taken;
	return (struct text){recital->raw.at + from, recital->raw.len - from};
}

static size_t rest_length(const struct recital *recital)
{
	return recital->raw.len - recital->taken;
}

void spoken_init(struct recital *recital, const struct recital_listener *listener)
{
	*recital = (struct recital){.listener = *listener, .at_line_start = true};
	buf_init(&recital->raw, RAW_MAX);
	buf_init(&recital->sentence, 2 * SPOKEN_MAX);
	buf_init(&recital->words, 16 * KIB);
}

void spoken_finish(struct recital *recital)
{
	buf_finish(&recital->raw);
	buf_finish(&recital->sentence);
	buf_finish(&recital->words);
}

/* ---- telling ---- */

static bool has_sounds(struct text words)
{
	for (size_t i = 0; i < words.len; i++) {
		char c = words.at[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (unsigned char)c >= 0x80)
			return true;
	}
	return false;
}

static void tell_sentence(struct recital *recital)
{
	buf_clear(&recital->words);
	speakable_put(buf_text(&recital->sentence), &recital->words);
	buf_clear(&recital->sentence);
	if (has_sounds(buf_text(&recital->words)))
		recital->listener.sentence(recital->listener.self, buf_text(&recital->words));
}

static void end_block(struct recital *recital)
{
	tell_sentence(recital);
	recital->in_code = false;
	recital->ends_with_line = false;
}

/* One that is too long: up to its last comma or space. */
static void cut_long(struct recital *recital)
{
	struct text all = buf_text(&recital->sentence);
	size_t comma = 0, space = 0, cut;
	char rest[SPOKEN_MAX + 8];
	size_t rest_len;

	for (size_t i = SPOKEN_MAX / 4; i < all.len; i++) {
		if (all.at[i] == ' ')
			space = i;
		if (all.at[i] == ' ' && strchr(",;:", all.at[i - 1]))
			comma = i;
	}
	cut = comma ? comma : space ? space : utf8_cut(all, SPOKEN_MAX).len;
	rest_len = all.len - cut;
	memcpy(rest, all.at + cut, rest_len);
	recital->sentence.len = cut;
	tell_sentence(recital);
	buf_add(&recital->sentence, (struct text){rest, rest_len});
}

static void add_char(struct recital *recital, char c)
{
	buf_add_char(&recital->sentence, c);
	if (recital->sentence.len >= SPOKEN_MAX + 4)
		cut_long(recital);
}

/* ---- where a sentence ends ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Words with a point that ends no sentence. */
static bool is_abbreviation(struct text word, char next)
{
	static const char *const always[] = {
		"Mr",  "Mrs", "Ms",  "Dr",     "Prof", "St",  "Jr",  "vs",
		"e.g", "i.e", "cf",  "approx", "Jan",  "Feb", "Mar", "Apr",
		"Jun", "Jul", "Aug", "Sep",    "Oct",  "Nov", "Dec", "al",
	};
	static const char *const with_number[] = {"No",  "Fig", "fig", "Sec",
	                                          "sec", "p",   "pp",  "ca"};

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (text_is(word, always[i]))
			return true;
	for (size_t i = 0; i < sizeof(with_number) / sizeof(with_number[0]); i++)
		if (text_is(word, with_number[i]))
			return next >= '0' && next <= '9';
	return word.len == 1 && word.at[0] >= 'A' && word.at[0] <= 'Z' && word.at[0] != 'I';
}

/* The word before the point that the sentence ends with. */
static struct text last_word(const struct recital *recital)
{
	size_t end = recital->sentence.len - 1, from = end;

	while (from > 0 && !is_space(recital->sentence.at[from - 1]) &&
	       !strchr("([\"'*_", recital->sentence.at[from - 1]))
		from--;
	return (struct text){recital->sentence.at + from, end - from};
}

/* Does a sentence end with the stop that was added last?  rest follows it. */
static enum verdict ends_with_stop(const struct recital *recital, struct text rest, bool is_last)
{
	bool is_point = recital->sentence.at[recital->sentence.len - 1] == '.';
	bool newline = false;
	size_t i = 0;

	if (rest.len && !is_space(rest.at[0]))
		return NO;
	for (; i < rest.len && is_space(rest.at[i]); i++)
		newline = newline || rest.at[i] == '\n';
	if (i == rest.len)
		return is_last ? YES : UNKNOWN;
	if (is_point && is_abbreviation(last_word(recital), rest.at[i]))
		return NO;
	return newline || rest.at[i] < 'a' || rest.at[i] > 'z' ? YES : NO;
}

/* Is this one byte, or the last of three, a stop of any script? */
static bool is_wide_stop(const struct recital *recital)
{
	struct text all = buf_text(&recital->sentence);

	return text_ends(all, TEXT("\xe3\x80\x82")) || text_ends(all, TEXT("\xef\xbc\x81")) ||
	       text_ends(all, TEXT("\xef\xbc\x9f"));
}

static bool is_stop(char c)
{
	return c == '.' || c == '!' || c == '?';
}

/* How long the closing quote or bracket is that rest begins with; 0: there is none. */
static size_t closer_length(struct text rest)
{
	static const struct text wide[] = {{"\xe2\x80\x9d", 3}, {"\xe2\x80\x99", 3}};

	if (rest.len && strchr("\"')]*_`", rest.at[0]))
		return rest.at[0] ? 1 : 0;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (text_starts(rest, wide[i]))
			return wide[i].len;
	return 0;
}

/* How long all that closes is; what is not whole may be more of it. */
static size_t closers_length(struct text rest, bool *is_whole)
{
	size_t len = 0, one;

	while ((one = closer_length((struct text){rest.at + len, rest.len - len})) > 0)
		len += one;
	*is_whole = len < rest.len && ((unsigned char)rest.at[len] != 0xe2 || rest.len - len >= 3);
	return len;
}

/* Takes one character of a line, and what closes behind a stop.  0: not yet. */
static size_t take_character(struct recital *recital, struct text rest, bool is_last)
{
	size_t closers = 0;
	enum verdict verdict = NO;
	char c = rest.at[0];
	bool is_whole;

	if (is_stop(c) && !recital->in_code) {
		closers = closers_length((struct text){rest.at + 1, rest.len - 1}, &is_whole);
		if (!is_whole && !is_last)
			return 0;
		buf_add_char(&recital->sentence, c);
		verdict = ends_with_stop(
			recital, (struct text){rest.at + 1 + closers, rest.len - 1 - closers},
			is_last);
		recital->sentence.len--;
		if (verdict == UNKNOWN)
			return 0;
	}
	for (size_t i = 0; i < 1 + closers; i++)
		add_char(recital, rest.at[i]);
	if (c == '`')
		recital->in_code = !recital->in_code;
	if (verdict == YES || is_wide_stop(recital))
		tell_sentence(recital);
	return 1 + closers;
}

/* ---- lines ---- */

static void announce_code(struct recital *recital, struct text language)
{
	static const struct {
		const char *name;
		struct text said;
	} known[] = {
		{"py", {"Python", 6}},      {"python", {"Python", 6}}, {"js", {"JavaScript", 10}},
		{"ts", {"TypeScript", 10}}, {"c", {"C", 1}},           {"sh", {"shell", 5}},
		{"bash", {"shell", 5}},     {"json", {"JSON", 4}},     {"yaml", {"YAML", 4}},
		{"rust", {"Rust", 4}},      {"go", {"Go", 2}},         {"sql", {"SQL", 3}},
		{"diff", {"a patch", 7}},   {"html", {"HTML", 4}},
	};

	buf_add(&recital->sentence, TEXT("Here is some code"));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (text_is(language, known[i].name))
			buf_print(&recital->sentence, ", %.*s", TEXT_ARG(known[i].said));
	buf_add_char(&recital->sentence, '.');
	tell_sentence(recital);
}

static bool is_fence(struct text line)
{
	return text_starts(line, TEXT("```")) || text_starts(line, TEXT("~~~"));
}

/* The start of a line of code: only what ends the code counts, and the rest of it is passed
 * over. */
static void take_code_line(struct recital *recital, struct text line)
{
	if (is_fence(line) && memcmp(line.at, recital->fence, 3) == 0)
		recital->fence[0] = '\0';
	recital->skips_line = true;
}

/* The line that begins code: its language is said. */
static void open_code(struct recital *recital, struct text line)
{
	struct text language = utf8_cut(line, FENCE_LINE_MAX);

	end_block(recital);
	memcpy(recital->fence, line.at, 3);
	announce_code(recital, text_trim((struct text){language.at + 3, language.len - 3}));
	recital->skips_line = true;
}

static size_t count_digits(struct text line)
{
	size_t n = 0;

	while (n < line.len && n < 4 && line.at[n] >= '0' && line.at[n] <= '9')
		n++;
	return n;
}

/* The mark of a block at the start of a line, and what is said in its place. */
static size_t take_line_mark(struct recital *recital, struct text line)
{
	size_t level = 0, digits = count_digits(line);

	while (level < line.len && line.at[level] == '#')
		level++;
	if (level && level < line.len && line.at[level] == ' ') {
		end_block(recital);
		recital->ends_with_line = true;
		return level + 1;
	}
	if (line.len > 1 && line.at[1] == ' ' && strchr("-*+>", line.at[0])) {
		end_block(recital);
		return 2;
	}
	if (digits && digits + 1 < line.len && strchr(".)", line.at[digits]) &&
	    line.at[digits + 1] == ' ') {
		end_block(recital);
		buf_add(&recital->sentence, (struct text){line.at, digits});
		buf_add(&recital->sentence, TEXT(", "));
		return digits + 2;
	}
	return 0;
}

/* A row of a table: its cells, with commas between them; one of dashes alone says nothing. */
static void say_row(struct recital *recital, struct text line)
{
	end_block(recital);
	for (size_t i = 1; i < line.len; i++) {
		char c = line.at[i];

		if (c == '|' && i + 1 < line.len)
			buf_add(&recital->sentence, TEXT(", "));
		else if (c != '|' && c != '\r' &&
		         !(c == '-' && i + 1 < line.len && line.at[i + 1] == '-'))
			add_char(recital, c);
	}
	end_block(recital);
}

/* --- and the like: a line between two parts, as its start says. */
static bool is_rule(struct text line)
{
	size_t len = line.len < LINE_MARK_MAX ? line.len : LINE_MARK_MAX;

	for (size_t i = 0; i < len; i++)
		if (!strchr("-*_= \r", line.at[i]))
			return false;
	return true;
}

/* The start of any other line, or the whole of it. */
static void take_plain_start(struct recital *recital, struct text line, bool is_whole)
{
	if (is_rule(line) && (is_whole || line.len)) {
		end_block(recital);
		recital->skips_line = true;
		return;
	}
	if (text_starts(line, TEXT("|"))) {
		line = utf8_cut(line, SPOKEN_MAX);
		say_row(recital, line);
		recital->taken += line.len;
	} else {
		recital->taken += take_line_mark(recital, line);
	}
	recital->at_line_start = false;
}

/* The start of a line, up to where its words begin.  False: it is not there yet. */
static bool take_line_start(struct recital *recital, bool is_last)
{
	struct text rest = rest_from(recital, 0), line, after;
	size_t indent = 0, enough = LINE_MARK_MAX;

	while (indent < rest.len && (rest.at[indent] == ' ' || rest.at[indent] == '\t'))
		indent++;
	recital->taken += indent;
	rest = rest_from(recital, 0);
	line = text_cut(rest, '\n', &after);
	if (!recital->fence[0] && is_fence(line))
		enough = FENCE_LINE_MAX;
	if (text_starts(line, TEXT("|")))
		enough = SPOKEN_MAX;
	if (!after.at && line.len <= enough && !is_last)
		return false;
	if (recital->fence[0])
		take_code_line(recital, line);
	else if (is_fence(line))
		open_code(recital, line);
	else
		take_plain_start(recital, line, after.at != NULL);
	return true;
}

static bool skip_line(struct recital *recital)
{
	struct text after;

	text_cut(rest_from(recital, 0), '\n', &after);
	recital->taken = after.at ? recital->raw.len - after.len : recital->raw.len;
	recital->skips_line = !after.at;
	return true;
}

static void end_spoken_line(struct recital *recital)
{
	if (recital->ends_with_line)
		end_block(recital);
	else if (recital->sentence.len)
		add_char(recital, ' ');
	recital->at_line_start = true;
}

/* The words of a line, as far as they are there. */
static bool take_words(struct recital *recital, bool is_last)
{
	struct text rest;
	size_t at = 0, taken;

	while (at < rest_length(recital) && !recital->at_line_start) {
		rest = rest_from(recital, at);
		if (rest.at[0] == '\n') {
			end_spoken_line(recital);
			at++;
			continue;
		}
		taken = take_character(recital, rest, is_last);
		if (!taken)
			break;
		at += taken;
	}
	recital->taken += at;
	return at > 0;
}

/* What was taken is dropped once: an answer may have very many lines. */
static void take_all(struct recital *recital, bool is_last)
{
	bool goes_on = true;

	while (goes_on && rest_length(recital))
		goes_on = recital->skips_line      ? skip_line(recital)
		          : recital->at_line_start ? take_line_start(recital, is_last)
		                                   : take_words(recital, is_last);
	buf_drop(&recital->raw, recital->taken);
	recital->taken = 0;
}

void spoken_feed(struct recital *recital, struct text piece)
{
	buf_add(&recital->raw, piece);
	take_all(recital, false);
}

void spoken_end(struct recital *recital)
{
	take_all(recital, true);
	end_block(recital);
	buf_clear(&recital->raw);
	recital->fence[0] = '\0';
	recital->skips_line = false;
	recital->at_line_start = true;
}
