/* pairing.h - devices of the gateway dialect: their tokens are web's, and web lists them. */
#ifndef BOX_PAIRING_H
#define BOX_PAIRING_H

#include "web/pairing.h"

struct box;

struct web_pairing box_web_pairing(struct box *box);

/* For the gateway: see its options. */
bool box_token_mark(void *self, struct text secret, unsigned char mark[32]);
bool box_token_scopes(void *self, const unsigned char mark[32], unsigned *scopes);

#endif
