/* plain.h - Markdown for a chat that shows letters and nothing else; pure. */
#ifndef DELIVER_PLAIN_H
#define DELIVER_PLAIN_H

#include "base/buf.h"
#include "base/text.h"

/* Appends text: lines of code fences and ** are left out, a heading is its words and a link its
 * words with the address behind them.  Within code everything stays; controls are left out
 * everywhere, but for line ends and tabs. */
void plain_add(struct buf *out, struct text text);

#endif
