/* rows.h - a list in which one row is chosen; pure. */
#ifndef TUI_ROWS_H
#define TUI_ROWS_H

#include "tui/canvas.h"
#include "tui/press.h"

struct rows {
	size_t count, chosen, top;
	struct area at; /* where it was drawn last */
};

/* So many there are now, and here is room for some: scrolls to the chosen one. */
void rows_fit(struct rows *rows, size_t count, struct area area);
uint8_t rows_style(const struct rows *rows, int row); /* of a row of the area */
bool rows_press(struct rows *rows, const struct press *press);

#endif
