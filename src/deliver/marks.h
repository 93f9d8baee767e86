/* marks.h - the marks of Markdown, for chats that have signs of their own; pure.
 *
 * A line is read from left to right, and what is not closed on it is text: so signs are always
 * balanced, whatever the text is.
 */
#ifndef DELIVER_MARKS_H
#define DELIVER_MARKS_H

#include "deliver/fence.h"

struct marks_style;

struct marks_page {
	const struct marks_style *style;
	struct buf *out;
	void *self; /* of the functions of the style */
};

enum marks_kind { MARKS_STRONG, MARKS_EMPHASIS, MARKS_STRUCK, MARKS_KINDS };

/* How a chat shows them. */
struct marks_style {
	struct {
		const char *open, *close;
	} signs[MARKS_KINDS];
	const char *quote; /* of a line that begins with ">"; NULL: that is no mark */
	/* What stands at t.at[at] and is no mark; gives the place behind it. */
	size_t (*letter)(struct marks_page *page, struct text t, size_t at);
	void (*words)(struct marks_page *page, struct text words); /* without any mark */
	void (*code)(struct marks_page *page, struct text code);   /* within a line */
	/* Neither is empty.  False, and nothing is put: it is no link. */
	bool (*link)(struct marks_page *page, struct text words, struct text address);
};

/* A line without its end and outside of code: a heading, a quote, an item of a list or text. */
void marks_put_line(struct marks_page *page, struct text line);

enum marks_line { MARKS_TEXT, MARKS_CODE, MARKS_OPENS, MARKS_CLOSES };
/* What a line is; lines come one after another, and the fence begins with {0}. */
enum marks_line marks_pass(struct fence *fence, struct text line);

/* How long the `code` is that t begins with, and what is in it.  0: it is not closed. */
size_t marks_code(struct text t, struct text *inside);
/* The same of [words](address), of which both may be empty. */
size_t marks_link(struct text t, struct text *words, struct text *address);

bool marks_is_letter(char c); /* of a word: also "_", and all that is not ASCII */

#endif
