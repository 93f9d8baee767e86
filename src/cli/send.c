/* send.c - POST /api/signal, once more if the answer was lost. */
#include "cli/send.h"

#include "cli/pause.h"

#define SEND_MS 60000 /* the box itself gives up on its disk after 30 s */
#define COME_BACK_TRIES 5

bool send_run(struct dial *dial, const struct send *send, long *status, struct buf *body,
              struct error *why)
{
	const struct dial_request request = {.method = "POST",
	                                     .path = "/api/signal",
	                                     .type = send->type,
	                                     .body = send->body,
	                                     .timeout_ms = SEND_MS};
	enum dial_result result = dial_fetch(dial, &request, status, body, why);
	unsigned ms = PAUSE_FIRST_MS;

	if (result != DIAL_LOST)
		return result == DIAL_ANSWERED;
	if (!send->repeatable)
		return error_set(
			why, "the answer was lost, and without an id it is not safe to ask again");
	for (unsigned i = 0; i < COME_BACK_TRIES; i++) {
		ms = pause_for(ms);
		buf_finish(body);
		result = dial_fetch(dial, &request, status, body, why);
		if (result != DIAL_NOBODY)
			break;
	}
	if (result == DIAL_ANSWERED)
		return true;
	return error_set(why, "the answer was lost; nobody knows whether it was stored");
}
