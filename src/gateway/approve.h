/* approve.h - `/approve ID DECISION` in the place of a message. */
#ifndef GATEWAY_APPROVE_H
#define GATEWAY_APPROVE_H

#include <stdbool.h>

#include "base/text.h"

struct gateway_call;

bool gateway_is_approve(struct text message);
/* Decides what the message of this chat.send names, and says in the chat what came of it. */
void gateway_chat_approve(const struct gateway_call *call);

#endif
