/* slack_text.c - Markdown as Slack's mrkdwn, in blocks.
 *
 * Read a line at a time, and within a line from left to right: what is not closed on its line is
 * text.  <, > and & of the text are entities, so that nothing of it is a mention; links are those
 * that the text has.  A block that is full ends, and a fence in it is closed and opened again.
 */
#include "deliver/slack/slack.h"

#define DEPTH_MAX 4          /* of emphasis within emphasis */
#define SHOWN_MAX (64 * KIB) /* bytes of one line, as it is shown */
#define FENCE_ROOM 8         /* to close one, and to open it again */
#define WORD_JOINER "\xE2\x81\xA0"

struct slack_page {
	slack_block_fn *each;
	void *self;
	struct buf block, line;
	size_t units; /* of the block */
	struct text fence;
	bool has_line;
};

/* ---- characters ---- */

static void put_char(struct buf *out, char c)
{
	if (c == '<')
		buf_add(out, TEXT("&lt;"));
	else if (c == '>')
		buf_add(out, TEXT("&gt;"));
	else if (c == '&')
		buf_add(out, TEXT("&amp;"));
	else if (c)
		buf_add_char(out, c);
}

void slack_put_escaped(struct text t, struct buf *out)
{
	for (size_t i = 0; i < t.len; i++)
		put_char(out, t.at[i]);
}

static struct text slice(struct text t, size_t from, size_t to)
{
	return (struct text){t.at + from, to - from};
}

static bool is_letter(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* ---- links ---- */

static bool is_web(struct text url)
{
	return (text_starts(url, TEXT("https://")) && url.len > 8) ||
	       (text_starts(url, TEXT("http://")) && url.len > 7);
}

static void put_url(struct buf *out, struct text url)
{
	for (size_t i = 0; i < url.len; i++)
		if (url.at[i] == '|')
			buf_add(out, TEXT("%7C"));
		else
			put_char(out, url.at[i]);
}

/* How far an address goes that stands in the text, without the mark behind a sentence. */
static size_t reach_url(struct text t, size_t at)
{
	size_t end = at;

	while (end < t.len && (unsigned char)t.at[end] > ' ' && !strchr("<>\"`|*", t.at[end]))
		end++;
	while (end > at && strchr(".,;:!?)]}'_~", t.at[end - 1]))
		end--;
	return is_web(slice(t, at, end)) ? end : at;
}

static size_t put_bare_url(struct buf *out, struct text t, size_t at)
{
	size_t end = at == 0 || !is_letter(t.at[at - 1]) ? reach_url(t, at) : at;

	if (end == at)
		return 0;
	buf_add_char(out, '<');
	put_url(out, slice(t, at, end));
	buf_add_char(out, '>');
	return end;
}

static bool is_one_word(struct text url)
{
	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.at[i] <= ' ' || url.at[i] == '<' || url.at[i] == '>')
			return false;
	return true;
}

static size_t put_link(struct buf *out, struct text t, size_t at)
{
	const char *close = memchr(t.at + at, ']', t.len - at);
	size_t middle = close ? (size_t)(close - t.at) : 0, end;
	const char *paren;
	struct text url;

	if (!close || middle == at + 1 || middle + 1 >= t.len || t.at[middle + 1] != '(')
		return 0;
	paren = memchr(close, ')', t.len - middle);
	end = paren ? (size_t)(paren - t.at) : 0;
	url = paren ? slice(t, middle + 2, end) : TEXT("");
	if (!is_web(url) || !is_one_word(url))
		return 0;
	buf_add_char(out, '<');
	put_url(out, url);
	buf_add_char(out, '|');
	slack_put_escaped(slice(t, at + 1, middle), out);
	buf_add_char(out, '>');
	return end + 1;
}

/* ---- within a line ---- */

static void put_line_part(struct buf *out, struct text t, unsigned depth);

/* Where the mark stands again, after something; or t.len. */
static size_t find_mark(struct text t, size_t from, struct text mark)
{
	for (size_t i = from + 1; i + mark.len <= t.len; i++)
		if (memcmp(t.at + i, mark.at, mark.len) == 0 && t.at[i - 1] != ' ' &&
		    t.at[i - 1] != '\\')
			return i;
	return t.len;
}

static const struct {
	struct text mark;
	char sign;
	bool is_between; /* words only */
} marks[] = {
	{{"**", 2}, '*', false}, {{"__", 2}, '*', true}, {{"~~", 2}, '~', false},
	{{"*", 1}, '_', false},  {{"_", 1}, '_', true},
};

#define MARKS (sizeof(marks) / sizeof(*marks))

/* How far it goes, or 0: there is none here. */
static size_t put_emphasis(struct buf *out, struct text t, size_t at, unsigned depth)
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
		buf_add_char(out, marks[i].sign);
		put_line_part(out, slice(t, from, end), depth + 1);
		buf_add_char(out, marks[i].sign);
		return end + mark.len;
	}
	return 0;
}

static size_t put_code_span(struct buf *out, struct text t, size_t at)
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
	buf_add_char(out, '`');
	for (size_t i = at + ticks; i < end; i++)
		put_char(out, t.at[i] == '`' ? '\'' : t.at[i]);
	buf_add_char(out, '`');
	return end + ticks;
}

static void put_line_part(struct buf *out, struct text t, unsigned depth)
{
	for (size_t i = 0; i < t.len;) {
		size_t next = 0;

		if (t.at[i] == '\\' && i + 1 < t.len && strchr("*_`~[]\\#-", t.at[i + 1])) {
			put_char(out, t.at[i + 1]);
			i += 2;
			continue;
		}
		if (t.at[i] == '`')
			next = put_code_span(out, t, i);
		else if (t.at[i] == '[')
			next = put_link(out, t, i);
		else if (t.at[i] == 'h')
			next = put_bare_url(out, t, i);
		else if (strchr("*_~", t.at[i]))
			next = put_emphasis(out, t, i, depth);
		if (!next) {
			put_char(out, t.at[i]);
			next = i + 1;
		}
		i = next;
	}
}

/* ---- blocks ---- */

static void put_block_line(struct slack_page *p, struct text line)
{
	if (p->has_line)
		buf_add_char(&p->block, '\n');
	p->units += chunk_length(CHUNK_UTF16, line) + p->has_line;
	buf_add(&p->block, line);
	p->has_line = true;
}

static void end_block(struct slack_page *p)
{
	struct text all;

	if (p->fence.len)
		put_block_line(p, TEXT("```"));
	all = buf_text(&p->block);
	if (text_trim(all).len)
		p->each(p->self, all);
	buf_clear(&p->block);
	p->units = 0;
	p->has_line = false;
	if (p->fence.len)
		put_block_line(p, TEXT("```"));
}

/* A line that is not too long for any block. */
static void add_line(struct slack_page *p, struct text line)
{
	if (p->units + 1 + chunk_length(CHUNK_UTF16, line) > SLACK_BLOCK_MAX - FENCE_ROOM)
		end_block(p);
	put_block_line(p, line);
}

/* One that is: in parts, as it is. */
static void add_long_line(struct slack_page *p, struct text line, bool is_plain)
{
	size_t most = (SLACK_BLOCK_MAX - 2 * FENCE_ROOM) / (is_plain ? 1 : 5);

	while (line.len) {
		size_t reach = chunk_reach(CHUNK_UTF16, line, most);

		buf_clear(&p->line);
		reach = reach ? reach : 1;
		if (is_plain)
			buf_add(&p->line, slice(line, 0, reach));
		else
			slack_put_escaped(slice(line, 0, reach), &p->line);
		add_line(p, buf_text(&p->line));
		line = slice(line, reach, line.len);
	}
}

static void add_shown(struct slack_page *p, struct text line)
{
	if (!p->line.full &&
	    chunk_length(CHUNK_UTF16, buf_text(&p->line)) <= SLACK_BLOCK_MAX - 2 * FENCE_ROOM)
		add_line(p, buf_text(&p->line));
	else
		add_long_line(p, line, false);
}

/* ---- lines ---- */

static size_t leading(struct text t, char c)
{
	size_t n = 0;

	while (n < t.len && t.at[n] == c)
		n++;
	return n;
}

static void put_text_line(struct buf *out, struct text line)
{
	size_t hashes = leading(line, '#'), indent = leading(line, ' ');

	if (hashes >= 1 && hashes <= 6 && hashes < line.len && line.at[hashes] == ' ') {
		struct text head = text_trim(slice(line, hashes, line.len));

		if (head.len)
			buf_add_char(out, '*');
		slack_put_escaped(head, out);
		if (head.len)
			buf_add_char(out, '*');
		return;
	}
	if (line.len && line.at[0] == '>') {
		buf_add_char(out, '>');
		line = slice(line, 1, line.len);
	} else if (indent + 1 < line.len && strchr("-*+", line.at[indent]) &&
	           line.at[indent + 1] == ' ') {
		buf_add(out, slice(line, 0, indent));
		buf_add(out, TEXT("\xE2\x80\xA2 "));
		line = slice(line, indent + 2, line.len);
	}
	put_line_part(out, line, 0);
}

/* Three ticks in a row would end the code. */
static void put_code_line(struct buf *out, struct text line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (i >= 2 && line.at[i] == '`' && line.at[i - 1] == '`' && line.at[i - 2] == '`')
			buf_add(out, TEXT(WORD_JOINER));
		put_char(out, line.at[i]);
	}
}

static struct text fence_of(struct text line)
{
	size_t indent = leading(line, ' '), ticks;

	line = slice(line, indent, line.len);
	ticks = line.len ? leading(line, line.at[0] == '~' ? '~' : '`') : 0;
	return indent <= 3 && ticks >= 3 ? slice(line, 0, ticks) : TEXT("");
}

static bool closes(struct text line, struct text fence)
{
	struct text own = fence_of(line);

	return own.len >= fence.len && own.at[0] == fence.at[0];
}

static void take_marked_line(struct slack_page *p, struct text line)
{
	struct text begins = p->fence.len ? TEXT("") : fence_of(line);

	buf_clear(&p->line);
	p->line.full = false;
	if (p->fence.len && closes(line, p->fence)) {
		p->fence = TEXT("");
		put_block_line(p, TEXT("```"));
	} else if (begins.len) {
		add_line(p, TEXT("```"));
		p->fence = begins;
	} else if (p->fence.len) {
		put_code_line(&p->line, line);
		add_shown(p, line);
	} else {
		put_text_line(&p->line, line);
		add_shown(p, line);
	}
}

static void take_plain_line(struct slack_page *p, struct text line)
{
	if (chunk_length(CHUNK_UTF16, line) <= SLACK_BLOCK_MAX - 2 * FENCE_ROOM)
		add_line(p, line);
	else
		add_long_line(p, line, true);
}

void slack_cut_blocks(struct text markdown, bool is_plain, slack_block_fn *each, void *self)
{
	struct slack_page p = {.each = each, .self = self};

	buf_init(&p.block, 2 * SHOWN_MAX);
	buf_init(&p.line, SHOWN_MAX);
	for (struct text rest = markdown; rest.at;) {
		struct text line = text_cut(rest, '\n', &rest);

		if (is_plain)
			take_plain_line(&p, line);
		else
			take_marked_line(&p, line);
	}
	if (p.fence.len) {
		put_block_line(&p, TEXT("```"));
		p.fence = TEXT("");
	}
	end_block(&p);
	buf_finish(&p.block);
	buf_finish(&p.line);
}
