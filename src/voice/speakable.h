/* speakable.h - a sentence of Markdown as words that a synthesiser reads well; pure.
 *
 * Marks of emphasis go, links are their text, addresses are the name of their host, a picture
 * is its description; emoji and what else has no sound go, and the commonest abbreviations
 * are said in full.
 */
#ifndef VOICE_SPEAKABLE_H
#define VOICE_SPEAKABLE_H

#include "base/buf.h"

void speakable_put(struct text sentence, struct buf *out);

#endif
