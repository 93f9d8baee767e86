/* send.c - POST /api/signal, until the box has taken it or said no. */
#include "cli/send.h"

#include <poll.h>
#include <yyjson.h>

#include "cli/pause.h"

#define SILENCE_MS 60000 /* the box itself gives up on its disk after 30 s */
#define COME_BACK_TRIES 5
/* Of one that is told to wait: each time, and in all. */
#define WAIT_MS_MIN 10
#define WAIT_MS_MAX 60000

static bool send_once(struct remote *remote, const struct send *send, long *status,
                      struct buf *body, struct error *why)
{
	const struct remote_request request = {.method = "POST",
	                                       .path = "/api/signal",
	                                       .type = send->type,
	                                       .body = send->body,
	                                       .may_repeat = send->repeatable,
	                                       .silence_ms = SILENCE_MS};
	enum remote_result result = remote_fetch(remote, &request, status, body, why);
	unsigned ms = PAUSE_FIRST_MS;

	if (result != REMOTE_LOST)
		return result == REMOTE_ANSWERED;
	if (!send->repeatable)
		return error_set(
			why,
			"the response was lost, and without an id it is not safe to send again");
	for (unsigned i = 0; i < COME_BACK_TRIES; i++) {
		ms = pause_for(ms);
		buf_finish(body);
		result = remote_fetch(remote, &request, status, body, why);
		if (result != REMOTE_NOBODY)
			break;
	}
	if (result == REMOTE_ANSWERED)
		return true;
	return error_set(why, "the response was lost; the signal may or may not be stored");
}

unsigned send_wait_ms(long status, struct text body)
{
	yyjson_doc *doc = status == 429 ? yyjson_read(body.at, body.len, 0) : NULL;
	yyjson_val *wait = yyjson_obj_get(yyjson_doc_get_root(doc), "wait");
	uint64_t ms = yyjson_get_uint(wait);

	if (yyjson_is_uint(wait) && ms < WAIT_MS_MIN)
		ms = WAIT_MS_MIN;
	yyjson_doc_free(doc);
	return ms < WAIT_MS_MAX ? (unsigned)ms : WAIT_MS_MAX;
}

bool send_run(struct remote *remote, const struct send *send, long *status, struct buf *body,
              struct error *why)
{
	unsigned ms, waited_ms = 0;

	while (send_once(remote, send, status, body, why)) {
		ms = send_wait_ms(*status, buf_text(body));
		if (ms == 0 || waited_ms >= WAIT_MS_MAX)
			return true;
		buf_finish(body);
		poll(NULL, 0, (int)ms);
		waited_ms += ms;
	}
	return false;
}
