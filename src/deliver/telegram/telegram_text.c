/* telegram_text.c - Markdown as Telegram's HTML.
 *
 * Read a line at a time, and within a line from left to right: what is not closed on its line is
 * text.  So tags are always balanced, whatever the text is.
 */
#include "deliver/telegram/telegram.h"

#define MENTIONS_MAX 90 /* that are made longer; then the sign itself is another one */
#define DEPTH_MAX 4     /* of emphasis within emphasis */
#define LANGUAGE_MAX 32
#define WORD_JOINER "\xE2\x81\xA0"
#define WIDE_AT "\xEF\xBC\xA0"

struct telegram_page {
	struct buf *out;
	bool is_html;
	unsigned mentions;
};

/* ---- characters ---- */

static void put_char(const struct telegram_page *p, char c)
{
	if (p->is_html && c == '<')
		buf_add(p->out, TEXT("&lt;"));
	else if (p->is_html && c == '>')
		buf_add(p->out, TEXT("&gt;"));
	else if (p->is_html && c == '&')
		buf_add(p->out, TEXT("&amp;"));
	else if (p->is_html && c == '"')
		buf_add(p->out, TEXT("&quot;"));
	else
		buf_add_char(p->out, c);
}

static void put_code(const struct telegram_page *p, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		put_char(p, t.at[i]);
}

static bool is_letter(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* An at sign before a name, and not of an address of mail, is somebody's bell. */
static bool rings(struct text t, size_t i)
{
	return t.at[i] == '@' && i + 1 < t.len && is_letter(t.at[i + 1]) &&
	       (i == 0 || !is_letter(t.at[i - 1]));
}

static void put_at(struct telegram_page *p)
{
	if (p->mentions++ < MENTIONS_MAX)
		buf_add(p->out, TEXT("@" WORD_JOINER));
	else
		buf_add(p->out, TEXT(WIDE_AT));
}

static void put_words(struct telegram_page *p, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (rings(t, i))
			put_at(p);
		else
			put_char(p, t.at[i]);
}

/* ---- within a line ---- */

static struct text slice(struct text t, size_t from, size_t to)
{
	return (struct text){t.at + from, to - from};
}

/* Where the mark stands again, after something; or t.len. */
static size_t find_mark(struct text t, size_t from, struct text mark)
{
	for (size_t i = from + 1; i + mark.len <= t.len; i++)
		if (memcmp(t.at + i, mark.at, mark.len) == 0 && t.at[i - 1] != ' ' &&
		    t.at[i - 1] != '\\')
			return i;
	return t.len;
}

static void put_line_part(struct telegram_page *p, struct text t, unsigned depth);

static const struct {
	struct text mark;
	const char *tag;
	bool is_between; /* words only */
} marks[] = {
	{{"**", 2}, "b", false}, {{"__", 2}, "b", true}, {{"~~", 2}, "s", false},
	{{"*", 1}, "i", false},  {{"_", 1}, "i", true},
};

#define MARKS (sizeof(marks) / sizeof(*marks))

/* How far it goes, or 0: there is none here. */
static size_t put_emphasis(struct telegram_page *p, struct text t, size_t at, unsigned depth)
{
	for (size_t i = 0; depth < DEPTH_MAX && i < MARKS; i++) {
		struct text mark = marks[i].mark;
		size_t from = at + mark.len, end;

		if (from >= t.len || memcmp(t.at + at, mark.at, mark.len) != 0 ||
		    t.at[from] == ' ' || t.at[from] == mark.at[0] ||
		    (marks[i].is_between && at > 0 && is_letter(t.at[at - 1])))
			continue;
		end = find_mark(t, from, mark);
		if (end == t.len || (marks[i].is_between && end + mark.len < t.len &&
		                     is_letter(t.at[end + mark.len])))
			continue;
		buf_print(p->out, "<%s>", marks[i].tag);
		put_line_part(p, slice(t, from, end), depth + 1);
		buf_print(p->out, "</%s>", marks[i].tag);
		return end + mark.len;
	}
	return 0;
}

static size_t put_code_span(struct telegram_page *p, struct text t, size_t at)
{
	size_t ticks = 0, end;

	while (at + ticks < t.len && t.at[at + ticks] == '`')
		ticks++;
	for (end = at + ticks; end + ticks <= t.len; end++) {
		size_t run = 0;

		while (end + run < t.len && t.at[end + run] == '`')
			run++;
		if (run == ticks)
			break;
		end += run;
	}
	if (!ticks || end + ticks > t.len || end == at + ticks)
		return 0;
	buf_add(p->out, TEXT("<code>"));
	put_code(p, slice(t, at + ticks, end));
	buf_add(p->out, TEXT("</code>"));
	return end + ticks;
}

static bool is_web(struct text url)
{
	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.at[i] <= ' ')
			return false;
	return text_starts(url, TEXT("https://")) || text_starts(url, TEXT("http://"));
}

static size_t put_link(struct telegram_page *p, struct text t, size_t at, unsigned depth)
{
	const char *close = t.at[at] == '[' ? memchr(t.at + at, ']', t.len - at) : NULL;
	size_t middle = close ? (size_t)(close - t.at) : 0, end;
	const char *paren;
	struct text url;

	if (!close || middle == at + 1 || middle + 1 >= t.len || t.at[middle + 1] != '(')
		return 0;
	paren = memchr(close, ')', t.len - middle);
	end = paren ? (size_t)(paren - t.at) : 0;
	url = paren ? slice(t, middle + 2, end) : TEXT("");
	if (!paren || !is_web(url) || depth >= DEPTH_MAX)
		return 0;
	buf_add(p->out, TEXT("<a href=\""));
	put_code(p, url);
	buf_add(p->out, TEXT("\">"));
	put_words(p, slice(t, at + 1, middle));
	buf_add(p->out, TEXT("</a>"));
	return end + 1;
}

static void put_line_part(struct telegram_page *p, struct text t, unsigned depth)
{
	for (size_t i = 0; i < t.len;) {
		size_t next = 0;

		if (t.at[i] == '\\' && i + 1 < t.len && strchr("*_`~[]\\#-", t.at[i + 1])) {
			put_char(p, t.at[i + 1]);
			i += 2;
			continue;
		}
		if (t.at[i] == '`')
			next = put_code_span(p, t, i);
		else if (t.at[i] == '[')
			next = put_link(p, t, i, depth);
		else if (strchr("*_~", t.at[i]))
			next = put_emphasis(p, t, i, depth);
		if (next) {
			i = next;
			continue;
		}
		if (rings(t, i))
			put_at(p);
		else
			put_char(p, t.at[i]);
		i++;
	}
}

/* ---- lines ---- */

static size_t leading(struct text t, char c)
{
	size_t n = 0;

	while (n < t.len && t.at[n] == c)
		n++;
	return n;
}

static void put_text_line(struct telegram_page *p, struct text line)
{
	size_t hashes = leading(line, '#'), indent = leading(line, ' ');

	if (hashes >= 1 && hashes <= 6 && hashes < line.len && line.at[hashes] == ' ') {
		buf_add(p->out, TEXT("<b>"));
		put_words(p, text_trim(slice(line, hashes, line.len)));
		buf_add(p->out, TEXT("</b>"));
		return;
	}
	if (indent + 1 < line.len && strchr("-*+", line.at[indent]) && line.at[indent + 1] == ' ') {
		buf_add(p->out, slice(line, 0, indent));
		buf_add(p->out, TEXT("\xE2\x80\xA2 "));
		line = slice(line, indent + 2, line.len);
	}
	put_line_part(p, line, 0);
}

static struct text fence_of(struct text line)
{
	size_t indent = leading(line, ' '), ticks;

	line = slice(line, indent, line.len);
	ticks = line.len ? leading(line, line.at[0] == '~' ? '~' : '`') : 0;
	return indent <= 3 && ticks >= 3 ? slice(line, 0, ticks) : TEXT("");
}

static void put_language(struct telegram_page *p, struct text line, struct text fence)
{
	struct text word =
		text_trim(slice(line, (size_t)(fence.at + fence.len - line.at), line.len));
	bool is_good = word.len > 0 && word.len <= LANGUAGE_MAX;

	for (size_t i = 0; i < word.len; i++)
		is_good &= is_letter(word.at[i]) && (unsigned char)word.at[i] < 0x80;
	buf_add(p->out, TEXT("<pre>"));
	if (is_good)
		buf_print(p->out, "<code class=\"language-%.*s\">", TEXT_ARG(word));
	else
		buf_add(p->out, TEXT("<code>"));
}

static bool closes(struct text line, struct text fence)
{
	struct text own = fence_of(line);

	return own.len >= fence.len && own.at[0] == fence.at[0];
}

void telegram_put_html(struct text markdown, struct buf *out)
{
	struct telegram_page p = {.out = out, .is_html = true};
	struct text fence = TEXT("");
	bool is_first = true;

	for (struct text rest = markdown; rest.at;) {
		struct text line = text_cut(rest, '\n', &rest);
		bool begins = !fence.len && fence_of(line).len;

		if (fence.len && closes(line, fence)) {
			buf_add(out, TEXT("</code></pre>"));
			fence = TEXT("");
			is_first = false;
			continue;
		}
		if (!is_first)
			buf_add_char(out, '\n');
		is_first = begins; /* no empty line before the code */
		if (begins) {
			fence = fence_of(line);
			put_language(&p, line, fence);
		} else if (fence.len) {
			put_code(&p, line);
		} else {
			put_text_line(&p, line);
		}
	}
	if (fence.len)
		buf_add(out, TEXT("</code></pre>"));
}

void telegram_put_plain(struct text markdown, struct buf *out)
{
	struct telegram_page p = {.out = out};

	put_words(&p, markdown);
}
