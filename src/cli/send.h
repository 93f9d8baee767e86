/* send.h - POST /api/signal, until the box has taken it or said no.
 *
 * A lost answer says nothing about whether the signals were stored.  When each
 * has an id it is safe to send the same bytes again; the box may need a moment to
 * come back.  One that says we are too fast is asked again when it said, for a minute;
 * one that holds a batch and says so is waited for as long as it does.
 */
#ifndef CLI_SEND_H
#define CLI_SEND_H

#include "base/buf.h"
#include "cli/remote.h"

struct send {
	const char *type;
	struct text body;
	bool repeatable;
};

/* The milliseconds that an answer asks us to wait before the same comes again; 0: it does
 * not. */
unsigned send_wait_ms(long status, struct text body);

/* True when there is an answer, of any status.  The caller finishes `body`
 * whatever came of it. */
bool send_run(struct remote *remote, const struct send *send, long *status, struct buf *body,
              struct error *why);

#endif
