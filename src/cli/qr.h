/* qr.h - a QR code in the terminal: two rows of it to a line, by half blocks.
 *
 * With colours it is black on white, whatever the terminal's own are.  Without, what is light is
 * drawn, as if the terminal were dark.
 */
#ifndef CLI_QR_H
#define CLI_QR_H

#include "cli/command.h"

/* False: the words are too long for one. */
bool qr_draw(struct out *out, const char *words);

/* Does whoever looks at it have the characters for that? */
bool qr_can_be_shown(const struct command_context *context);

#endif
