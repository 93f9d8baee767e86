/* routes.h - which runs are sent to which chats of the configuration; pure.
 *
 * A condition sees the end of a run as the signal that told it, with members of the box before
 * those of its payload:
 *
 *	source, run, agent, text, failed, chat, cwd, project
 */
#ifndef DELIVER_ROUTES_H
#define DELIVER_ROUTES_H

#include "deliver/ends.h"

struct config;
struct routes;

struct routes *routes_create(const struct config *config); /* which outlives it */
void routes_destroy(struct routes *r);

struct routes_seen {
	const struct run_end *end;
	struct text text, agent, model; /* what it said last, and who */
	bool has_failed;
	struct text account, peer; /* the chat that asked for it; empty: none did */
};
/* The next questions are about this end; false: it cannot be looked at. */
bool routes_see(struct routes *r, const struct routes_seen *seen);
bool routes_fit(const struct routes *r, size_t i); /* does the route with this number? */

#endif
