/* tokens.h - the tokens that clients came in with: a connection ends with its token.
 *
 * Of a token there is its mark here, once for all who came with it.
 */
#ifndef GATEWAY_TOKENS_H
#define GATEWAY_TOKENS_H

#include <stdbool.h>

#include "base/text.h"

struct gateway_view;

/* It came in with this; one that is none of the box's tokens is not noted. */
void gateway_token_take(struct gateway_view *view, struct text secret);
void gateway_token_drop(struct gateway_view *view);
/* Does its token still allow what it did?  True of one that came without. */
bool gateway_token_holds(const struct gateway_view *view);

#endif
