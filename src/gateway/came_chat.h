/* came_chat.h - frames `chat` of a gateway behind the box: for came.c and words.c. */
#ifndef GATEWAY_CAME_CHAT_H
#define GATEWAY_CAME_CHAT_H

#include "gateway/telling.h"

void came_tell_chat(struct telling *t);
/* The end of a run that the gateway told by `agent` alone. */
void came_settle(struct telling *t);

/* A message that was left out of deltas, because it is long: at its time, or at once. */
void came_flush(struct telling *t);
void came_flush_due(struct telling *t, uint64_t now);
/* Likewise all that was said, for who asks what that is. */
void came_catch_up(struct telling *t);

#endif
