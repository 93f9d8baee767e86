/* pump.h - libcurl's transfers, moved by the loop.
 *
 * libcurl says which sockets and which moment it waits for; the loop waits.  Its
 * callbacks must not begin or end a transfer: what is started or stopped inside one
 * is done as soon as libcurl has returned, in the same turn.
 */
#ifndef NET_PUMP_H
#define NET_PUMP_H

#include "net/curl.h"
#include "net/loop.h"

struct curl_pump;

struct curl_pump *pump_create(struct loop *loop);
void pump_destroy(struct curl_pump *pump); /* stops every job first; NULL is fine */

/* Zeroed but for the first two. */
struct pump_job {
	CURL *easy; /* its CURLOPT_PRIVATE is the pump's */
	/* Once, when libcurl has let go of it: the job may be freed.  ended: by
	 * itself, with this code; else it was stopped. */
	void (*over)(struct pump_job *job, bool ended, CURLcode code);
	struct link in_pump; /* curl_pump.running, .waiting or .doomed */
	bool is_running, is_stopped;
};

/* over() is never called from inside it. */
void pump_start(struct curl_pump *pump, struct pump_job *job);

/* Closes its socket.  over() comes from inside it, or later in the turn; a job
 * that is over already is left alone. */
void pump_stop(struct curl_pump *pump, struct pump_job *job);

/* Stops or goes on receiving.  Going on may give at once what libcurl holds. */
void pump_hush(struct curl_pump *pump, struct pump_job *job, bool hush);

#endif
