/* keyboard.h - keys one by one, of the terminal that we talk at.
 *
 * While it is taken nothing that is typed is shown, and no key interrupts us: Ctrl-C is one like
 * the others.  Given back, and after a crash, the terminal is as it was.
 */
#ifndef CLI_KEYBOARD_H
#define CLI_KEYBOARD_H

#include "base/error.h"

#define KEY_ESCAPE 27
#define KEY_ENTER '\n'
#define KEY_CTRL(letter) ((letter)&31)

bool keyboard_take(struct error *why); /* of the terminal that standard input is */
void keyboard_give_back(void);
void keyboard_take_again(void); /* after that */

/* The keys that were pressed, in one byte each, at most `room`; what arrows and the like send is
 * left out.  -1: the terminal is gone. */
int keyboard_read(char *keys, int room);

int keyboard_width(void); /* of the terminal, in columns */

#endif
