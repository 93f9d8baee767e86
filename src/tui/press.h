/* press.h - what a person does: a key, or something with the mouse. */
#ifndef TUI_PRESS_H
#define TUI_PRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A code is the character of a key, with Ctrl the control character; or one of these. */
enum {
	PRESS_ESCAPE = 0x1B,
	PRESS_TAB = '\t',
	PRESS_ENTER = '\n',
	PRESS_BACKSPACE = 0x7F,
	PRESS_SPECIAL = 0x110000,
	PRESS_UP,
	PRESS_DOWN,
	PRESS_LEFT,
	PRESS_RIGHT,
	PRESS_PAGE_UP,
	PRESS_PAGE_DOWN,
	PRESS_HOME,
	PRESS_END,
	PRESS_DELETE,
	PRESS_BACK_TAB,
	PRESS_PASTE_BEGIN, /* what comes now was not typed, */
	PRESS_PASTE_END,   /* up to here */
	PRESS_CLICK,       /* the rest have a place */
	PRESS_DOUBLE,
	PRESS_WHEEL_UP,
	PRESS_WHEEL_DOWN,
};
#define PRESS_CTRL(letter) ((letter)&0x1F)

struct press {
	uint32_t code;
	int row, col; /* of the screen; of the mouse alone */
};

static inline bool press_is_mouse(const struct press *press)
{
	return press->code >= PRESS_CLICK;
}

#endif
