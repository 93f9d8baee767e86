/* page.h - lines that stay, and below them one that grows and one that says how things stand, at
 * the foot of a terminal; pure.
 *
 * What is written is in `out`, for the terminal.  The texts are of agents: nothing in them moves
 * anything, and no row is wider than the terminal.
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "base/buf.h"

struct page {
	int cols;
	struct buf out;    /* who writes it to the terminal clears it */
	struct buf line;   /* that may still grow or be replaced */
	struct buf status; /* below it */
	int shown[2];      /* cells of the rows of both, as they stand there */
	int rows;
};

void page_init(struct page *page, int cols);
void page_finish(struct page *page);

void page_add_line(struct page *page, struct text text);  /* one that stays */
void page_set_line(struct page *page, struct text text);  /* in the place of the one that grows */
void page_grow_line(struct page *page, struct text text); /* what is full of it stays */
void page_end_line(struct page *page);                    /* all of it stays */
void page_set_status(struct page *page, struct text text);

void page_resize(struct page *page, int cols);
void page_hide(struct page *page); /* of both; they are kept */
void page_show(struct page *page);

#endif
