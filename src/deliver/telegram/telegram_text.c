/* telegram_text.c - Markdown as Telegram's HTML, whose tags are always balanced. */
#include "deliver/marks.h"
#include "deliver/telegram/telegram.h"

#define MENTIONS_MAX 90 /* that are made longer; then the sign itself is another one */
#define LANGUAGE_MAX 32
#define WORD_JOINER "\xE2\x81\xA0"
#define WIDE_AT "\xEF\xBC\xA0"

/* ---- characters ---- */

static void put_char(struct buf *out, char c)
{
	if (c == '<')
		buf_add(out, TEXT("&lt;"));
	else if (c == '>')
		buf_add(out, TEXT("&gt;"));
	else if (c == '&')
		buf_add(out, TEXT("&amp;"));
	else if (c == '"')
		buf_add(out, TEXT("&quot;"));
	else
		buf_add_char(out, c);
}

static void put_escaped(struct buf *out, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		put_char(out, t.at[i]);
}

/* An at sign before a name, and not of an address of mail, is somebody's bell. */
static bool rings(struct text t, size_t i)
{
	return t.at[i] == '@' && i + 1 < t.len && marks_is_letter(t.at[i + 1]) &&
	       (i == 0 || !marks_is_letter(t.at[i - 1]));
}

static void put_at(struct buf *out, unsigned *mentions)
{
	if ((*mentions)++ < MENTIONS_MAX)
		buf_add(out, TEXT("@" WORD_JOINER));
	else
		buf_add(out, TEXT(WIDE_AT));
}

/* ---- within a line ---- */

static size_t put_letter(struct marks_page *p, struct text t, size_t at)
{
	if (rings(t, at))
		put_at(p->out, p->self);
	else
		put_char(p->out, t.at[at]);
	return at + 1;
}

static void put_words(struct marks_page *p, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		put_letter(p, t, i);
}

static void put_code(struct marks_page *p, struct text code)
{
	buf_add(p->out, TEXT("<code>"));
	put_escaped(p->out, code);
	buf_add(p->out, TEXT("</code>"));
}

static bool is_web(struct text url)
{
	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.at[i] <= ' ')
			return false;
	return text_starts(url, TEXT("https://")) || text_starts(url, TEXT("http://"));
}

static bool put_link(struct marks_page *p, struct text words, struct text url)
{
	if (!is_web(url))
		return false;
	buf_add(p->out, TEXT("<a href=\""));
	put_escaped(p->out, url);
	buf_add(p->out, TEXT("\">"));
	put_words(p, words);
	buf_add(p->out, TEXT("</a>"));
	return true;
}

static const struct marks_style style = {
	.signs = {[MARKS_STRONG] = {"<b>", "</b>"},
                  [MARKS_EMPHASIS] = {"<i>", "</i>"},
                  [MARKS_STRUCK] = {"<s>", "</s>"}},
	.letter = put_letter,
	.words = put_words,
	.code = put_code,
	.link = put_link,
};

/* ---- lines ---- */

static void put_language(struct buf *out, struct text line, const struct fence *fence)
{
	size_t marks = fence->indent + fence->marks;
	struct text word = text_trim((struct text){line.at + marks, line.len - marks});
	bool is_good = word.len > 0 && word.len <= LANGUAGE_MAX;

	for (size_t i = 0; i < word.len; i++)
		is_good &= marks_is_letter(word.at[i]) && (unsigned char)word.at[i] < 0x80;
	buf_add(out, TEXT("<pre>"));
	if (is_good)
		buf_print(out, "<code class=\"language-%.*s\">", TEXT_ARG(word));
	else
		buf_add(out, TEXT("<code>"));
}

void telegram_put_html(struct text markdown, struct buf *out)
{
	unsigned mentions = 0;
	struct marks_page page = {&style, out, &mentions};
	struct fence fence = {0};
	bool is_first = true;

	for (struct text rest = markdown; rest.at;) {
		struct text line = text_cut(rest, '\n', &rest);
		enum marks_line is = marks_pass(&fence, line);

		if (!is_first && is != MARKS_CLOSES)
			buf_add_char(out, '\n');
		is_first = is == MARKS_OPENS; /* no empty line before the code */
		if (is == MARKS_CLOSES)
			buf_add(out, TEXT("</code></pre>"));
		else if (is == MARKS_OPENS)
			put_language(out, line, &fence);
		else if (is == MARKS_CODE)
			put_escaped(out, line);
		else
			marks_put_line(&page, line);
	}
	if (fence.mark)
		buf_add(out, TEXT("</code></pre>"));
}

void telegram_put_plain(struct text markdown, struct buf *out)
{
	unsigned mentions = 0;

	for (size_t i = 0; i < markdown.len; i++)
		if (rings(markdown, i))
			put_at(out, &mentions);
		else
			buf_add_char(out, markdown.at[i]);
}
