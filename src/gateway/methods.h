/* methods.h - the methods of the gateway dialect, by what they are about. */
#ifndef GATEWAY_METHODS_H
#define GATEWAY_METHODS_H

#include "base/buf.h"
#include "parse/operator.h"

struct gateway;
struct gateway_call;

bool gateway_has_method(struct text name);
void gateway_refuse_scope(const struct gateway_call *call, enum operator_scope scope);

void gateway_chat_send(const struct gateway_call *call); /* chat.c */
void gateway_chat_abort(const struct gateway_call *call);
void gateway_agent(const struct gateway_call *call); /* wait.c */
void gateway_agent_wait(const struct gateway_call *call);
void gateway_chat_history(const struct gateway_call *call); /* history.c */
/* The same of the session with this key; resolution: a member of the answer, or empty. */
void gateway_history_of(const struct gateway_call *call, struct text key, struct text resolution);
void gateway_sessions_list(const struct gateway_call *call); /* sessions.c */
void gateway_sessions_subscribe(const struct gateway_call *call);
void gateway_sessions_describe(const struct gateway_call *call);
void gateway_sessions_resolve(const struct gateway_call *call); /* resolve.c */
/* Which session has an id that begins so; true: it is one, and this is its key. */
bool gateway_resolve_link(const struct gateway *g, struct text id, struct buf *resolution,
                          struct buf *key);
void gateway_messages_subscribe(const struct gateway_call *call); /* follow.c */
void gateway_messages_unsubscribe(const struct gateway_call *call);
void gateway_sessions_create(const struct gateway_call *call); /* begin.c */
void gateway_sessions_patch(const struct gateway_call *call);
void gateway_sessions_reset(const struct gateway_call *call);
void gateway_sessions_preview(const struct gateway_call *call); /* preview.c */
void gateway_agents_list(const struct gateway_call *call);
void gateway_chat_startup(const struct gateway_call *call); /* startup.c */
void gateway_agent_identity(const struct gateway_call *call);
void gateway_models_auth(const struct gateway_call *call);
void gateway_models_list(const struct gateway_call *call); /* models.c */

#endif
