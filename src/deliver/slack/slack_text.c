/* slack_text.c - Markdown as Slack's mrkdwn, in blocks.
 *
 * <, > and & of the text are entities, so that nothing of it is a mention; links are those that the
 * text has.  A block that is full ends, and a fence in it is closed and opened again.
 */
#include "deliver/marks.h"
#include "deliver/slack/slack.h"

#define SHOWN_MAX (64 * KIB) /* bytes of one line, as it is shown */
#define FENCE_ROOM 8         /* to close one, and to open it again */
#define WORD_JOINER "\xE2\x81\xA0"

struct slack_page {
	slack_block_fn *each;
	void *self;
	struct buf block, line;
	size_t units; /* of the block */
	struct fence fence;
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
	size_t end = at == 0 || !marks_is_letter(t.at[at - 1]) ? reach_url(t, at) : at;

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

static bool put_link(struct marks_page *p, struct text words, struct text url)
{
	if (!is_web(url) || !is_one_word(url))
		return false;
	buf_add_char(p->out, '<');
	put_url(p->out, url);
	buf_add_char(p->out, '|');
	slack_put_escaped(words, p->out);
	buf_add_char(p->out, '>');
	return true;
}

/* ---- within a line ---- */

static size_t put_letter(struct marks_page *p, struct text t, size_t at)
{
	size_t end = t.at[at] == 'h' ? put_bare_url(p->out, t, at) : 0;

	if (end)
		return end;
	put_char(p->out, t.at[at]);
	return at + 1;
}

static void put_words(struct marks_page *p, struct text words)
{
	slack_put_escaped(words, p->out);
}

static void put_code(struct marks_page *p, struct text code)
{
	buf_add_char(p->out, '`');
	for (size_t i = 0; i < code.len; i++)
		put_char(p->out, code.at[i] == '`' ? '\'' : code.at[i]);
	buf_add_char(p->out, '`');
}

static const struct marks_style style = {
	.signs = {[MARKS_STRONG] = {"*", "*"},
                  [MARKS_EMPHASIS] = {"_", "_"},
                  [MARKS_STRUCK] = {"~", "~"}},
	.quote = ">",
	.letter = put_letter,
	.words = put_words,
	.code = put_code,
	.link = put_link,
};

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

	if (p->fence.mark)
		put_block_line(p, TEXT("```"));
	all = buf_text(&p->block);
	if (text_trim(all).len)
		p->each(p->self, all);
	buf_clear(&p->block);
	p->units = 0;
	p->has_line = false;
	if (p->fence.mark)
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

/* Three ticks in a row would end the code. */
static void put_code_line(struct buf *out, struct text line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (i >= 2 && line.at[i] == '`' && line.at[i - 1] == '`' && line.at[i - 2] == '`')
			buf_add(out, TEXT(WORD_JOINER));
		put_char(out, line.at[i]);
	}
}

static void take_marked_line(struct slack_page *p, struct text line)
{
	struct fence fence = p->fence;
	enum marks_line is = marks_pass(&fence, line);

	buf_clear(&p->line);
	p->line.full = false;
	if (is == MARKS_CLOSES) {
		put_block_line(p, TEXT("```"));
	} else if (is == MARKS_OPENS) {
		add_line(p, TEXT("```"));
	} else if (is == MARKS_CODE) {
		put_code_line(&p->line, line);
		add_shown(p, line);
	} else {
		marks_put_line(&(struct marks_page){&style, &p->line, NULL}, line);
		add_shown(p, line);
	}
	p->fence = fence;
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
	if (p.fence.mark) {
		put_block_line(&p, TEXT("```"));
		p.fence = (struct fence){0};
	}
	end_block(&p);
	buf_finish(&p.block);
	buf_finish(&p.line);
}
