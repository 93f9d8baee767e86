/* raw.c - a program that prints for people: each line is guessed at.
 *
 * Its colours, titles and cursor movements are taken out, so that what is told
 * is what a reader of the terminal would have read.  A line that was overwritten
 * is read as it stood at last.
 */
#include <strings.h>

#include "base/buf.h"
#include "base/put.h"
#include "base/utf8.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/raw.h"
#include "parse/speak.h"

#define ESC 0x1b
#define BELL 0x07

#define OUTPUT_MAX MIB
#define BLANKS_MAX 2 /* empty lines that are kept of several */

/* --- the terminal's language ------------------------------------------------------ */

/* The length of the string up to BEL or ESC \ ; all of it when none ends it. */
static size_t string_length(struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		if (t.at[i] == BELL)
			return i + 1;
		if (t.at[i] == ESC && i + 1 < t.len && t.at[i + 1] == '\\')
			return i + 2;
	}
	return t.len;
}

/* Of bytes from low to high, and the one that ends them. */
static size_t span_length(struct text t, char low, char high)
{
	size_t i = 0;

	while (i < t.len && t.at[i] >= low && t.at[i] <= high)
		i++;
	return i < t.len ? i + 1 : i;
}

/* The length of what follows an ESC and belongs to it. */
static size_t sequence_length(struct text t)
{
	struct text rest = {t.at + 1, t.len - 1};

	if (t.len == 0)
		return 0;
	switch (t.at[0]) {
	case '[':
		return 1 + span_length(rest, 0x20, 0x3f);
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		return 1 + string_length(rest);
	default:
		return span_length(t, 0x20, 0x2f);
	}
}

/* The length of what is not to be read at the start of t; 0: it is a letter. */
static size_t unread_length(struct text t)
{
	unsigned char c = (unsigned char)t.at[0];
	struct text rest = {t.at + 1, t.len - 1};

	if (c == ESC)
		return 1 + sequence_length(rest);
	/* U+0080 to U+009F: U+009B is ESC [ in one, the others have no place here. */
	if (c == 0xc2 && t.len > 1 && (unsigned char)t.at[1] < 0xa0) {
		rest = (struct text){t.at + 2, t.len - 2};
		return 2 + ((unsigned char)t.at[1] == 0x9b ? span_length(rest, 0x20, 0x3f) : 0);
	}
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

static void add_readable(struct buf *out, struct text line)
{
	bool returned = false;

	while (line.len) {
		size_t n = unread_length(line);

		if (line.at[0] == '\r') {
			returned = true;
		} else if (n == 0) {
			/* The first letter after a return begins to overwrite. */
			if (returned)
				buf_clear(out);
			returned = false;
			n = utf8_length(line);
			n = n ? n : 1;
			buf_add(out, (struct text){line.at, n});
		}
		line = (struct text){line.at + n, line.len - n};
	}
}

/* --- what a line means ------------------------------------------------------------ */

/* What follows the word; its pointer is NULL when the word is not there. */
static struct text after_word(struct text line, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= line.len; i++)
		if (strncasecmp(line.at + i, word, len) == 0)
			return (struct text){line.at + i + len, line.len - i - len};
	return (struct text){NULL, 0};
}

static bool raw_has_word(struct text line, const char *word)
{
	return after_word(line, word).at != NULL;
}

/* The word that follows is the tool; without one it is no call. */
static struct text tool_in(struct text line)
{
	struct text rest = after_word(line, "Calling tool:");
	size_t n = 0;

	if (!rest.at)
		rest = after_word(line, "Using:");
	rest = text_trim(rest);
	while (n < rest.len && rest.at[n] != ' ' && rest.at[n] != '\t')
		n++;
	return (struct text){rest.at, n};
}

/* It is printed: a test that failed, maybe.  Whether the program failed its end tells. */
static void tell_error(struct parse *p, struct text line)
{
	speak_begin(p, NULL, "error");
	make_text(&p->make, "message", line);
	make_text(&p->make, "severity", TEXT("error"));
	make_metadata(&p->make);
	make_bool(&p->make, "printed", true);
	parse_give(p);
}

static void raw_tell_result(struct parse *p, struct text line)
{
	struct buf output;

	buf_init(&output, OUTPUT_MAX);
	put_object(&output, NULL);
	put_text(&output, "raw", line);
	buf_add_char(&output, '}');
	speak_begin(p, NULL, "tool_result");
	make_text(&p->make, "toolName", TEXT("unknown"));
	make_bool(&p->make, "success", true);
	if (!output.full)
		make_raw(&p->make, "output", buf_text(&output));
	parse_give(p);
	buf_finish(&output);
}

/* A line stays one, with its indentation: words of one speaker are joined by who reads
 * them. */
static void raw_tell_words(struct parse *p)
{
	struct raw *raw = parse_state(p);
	struct text line = buf_text(&raw->shown);

	while (line.len && (line.at[line.len - 1] == ' ' || line.at[line.len - 1] == '\t'))
		line.len--;
	buf_clear(&raw->said);
	for (unsigned i = 0; i < raw->blanks && raw->has_spoken; i++)
		buf_add_char(&raw->said, '\n');
	buf_add(&raw->said, line);
	buf_add_char(&raw->said, '\n');
	raw->blanks = 0;
	raw->has_spoken = true;
	speak_words(p, NULL, "text_delta", buf_text(&raw->said));
}

static void raw_tell(struct parse *p, struct text line)
{
	struct tool_call call = {.name = tool_in(line)};

	if (raw_has_word(line, "Error:") || raw_has_word(line, "Exception:") ||
	    raw_has_word(line, "FAILED"))
		tell_error(p, line);
	else if (call.name.len)
		speak_call(p, NULL, &call, NULL);
	else if (raw_has_word(line, "Result:") || raw_has_word(line, "Output:"))
		raw_tell_result(p, line);
	else
		raw_tell_words(p);
}

static void raw_take(struct parse *p, const struct parse_event *event)
{
	struct raw *raw = parse_state(p);
	struct text line;

	if (raw->shown.max == 0) {
		buf_init(&raw->shown, parse_options(p)->event_max);
		buf_init(&raw->said, parse_options(p)->event_max + BLANKS_MAX + 1);
	}
	buf_clear(&raw->shown);
	add_readable(&raw->shown, event->data);
	line = text_trim(buf_text(&raw->shown));
	if (line.len)
		raw_tell(p, line);
	else if (raw->blanks < BLANKS_MAX)
		raw->blanks++;
}

static void raw_destroy(struct parse *p)
{
	struct raw *raw = parse_state(p);

	buf_finish(&raw->shown);
	buf_finish(&raw->said);
}

const struct parse_kind parse_raw = {
	.name = "raw",
	.summary = "plain lines, guessed at",
	.framing = FRAMING_LINES,
	.takes_empty = true,
	.size = sizeof(struct raw),
	.event = raw_take,
	.finish = raw_destroy,
};
