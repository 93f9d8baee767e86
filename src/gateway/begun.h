/* begun.h - sessions that were just begun, until the crew knows them. */
#ifndef GATEWAY_BEGUN_H
#define GATEWAY_BEGUN_H

#include "base/text.h"

struct gateway;

void gateway_note_begun(struct gateway *g, struct text key, const char *id);
const char *gateway_begun_id(const struct gateway *g, struct text key); /* NULL: none */
void gateway_forget_begun(struct gateway *g);                           /* all of them */

#endif
