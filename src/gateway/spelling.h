/* spelling.h - the patterns of schema/gateway.json, by hand: the schema has a few only. */
#ifndef GATEWAY_SPELLING_H
#define GATEWAY_SPELLING_H

#include "base/text.h"

bool spelling_is_digest(struct text t); /* ^[a-f0-9]{64}$ */
bool spelling_is_slug(struct text t);   /* ^[a-z0-9][a-z0-9-]{0,63}$ */
bool spelling_is_word(struct text t);   /* ^[a-z][a-z0-9_]*$ */
bool spelling_is_id(struct text t);     /* whole characters, and neither . nor .. */

#endif
