/* automations.h - what the configuration does with a message before an agent is asked; pure.
 *
 * They are looked at in their order.  Each `set` that fits is done; the first `answer` or `route`
 * that fits decides, and none behind it is looked at.
 *
 * A condition sees the request as a signal of the type nex.received:
 *
 *	text, channel, account, peer, peerKind, thread, replyTo, message, sender, senderName,
 *	principal, person, relationship, mentioned, agent, session, files
 */
#ifndef DELIVER_AUTOMATIONS_H
#define DELIVER_AUTOMATIONS_H

#include "deliver/request.h"

struct config;
struct config_automation;

struct automations;

/* Of a condition: a message has each member that it looks at. */
bool automations_check(struct text json, struct error *why);

struct automations *automations_create(const struct config *config); /* which outlives it */
void automations_destroy(struct automations *a);

/* What is done and which were looked at is noted in the request.  The one that decides; NULL: none
 * does.  keeps_agent: no other agent may be asked, so no route is taken.  files: JSON, or empty. */
const struct config_automation *automations_run(struct automations *a, struct nexus_request *r,
                                                struct text files, bool keeps_agent);

#endif
