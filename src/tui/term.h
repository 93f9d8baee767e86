/* term.h - the terminal: a canvas is shown on it, presses are read from it.
 *
 * While it lives the terminal is ours; afterwards, after a crash and while we are
 * suspended it is as it was.  There is one at a time.
 *
 * It makes sure that characters are UTF-8, which wide.h stands on.
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include "base/error.h"
#include "tui/canvas.h"
#include "tui/press.h"
#include "tui/tui.h"

struct term;

void term_use_utf8(void); /* for who writes to it without this */

/* On standard input and output; NULL when they are no terminal that can be drawn on. */
struct term *term_create(enum tui_background background, struct error *why);
void term_destroy(struct term *term);

void term_size(const struct term *term, int *rows, int *cols);
void term_resized(struct term *term); /* it has another size */
void term_suspend(struct term *term); /* until we are continued */
void term_resumed(struct term *term); /* we were stopped, and are continued */
void term_again(struct term *term);   /* all has to be drawn again */

/* row and col: where the cursor stands; below 0 it is hidden. */
void term_show(struct term *term, const struct canvas *canvas, int row, int col);

bool term_read(struct term *term, struct press *press); /* false: no more now */

void term_ring(struct term *term); /* the bell, once */

/* Writes text to the clipboard of whoever sits there (OSC 52). */
void term_copy(struct term *term, struct text text);

#endif
