/* pump.c - the multi handle: sockets, the timer, and what waits for libcurl to
 * return. */
#include "net/pump.h"

#include <stdlib.h>
#include <uv.h>

#include "base/log.h"
#include "base/must.h"

/* Connections that are kept for the next request to the same server. */
#define SPARE_MAX 16L

struct pump {
	CURLM *multi;
	struct loop *loop;
	uv_timer_t timer;
	struct grave grave;
	struct link running, waiting, doomed; /* pump_job.in_pump */
	bool inside;                          /* libcurl is at work: hands off */
};

struct watch {
	uv_poll_t poll;
	struct pump *pump;
	curl_socket_t fd;
};

static void end_job(struct pump *pump, struct pump_job *job, bool ended, CURLcode code)
{
	list_remove(&job->in_pump);
	if (job->is_running)
		curl_multi_remove_handle(pump->multi, job->easy);
	job->is_running = false;
	job->is_stopped = true;
	job->over(job, ended, code);
}

static void begin_job(struct pump *pump, struct pump_job *job)
{
	list_remove(&job->in_pump);
	list_add(&pump->running, &job->in_pump);
	curl_easy_setopt(job->easy, CURLOPT_PRIVATE, job);
	if (curl_multi_add_handle(pump->multi, job->easy) != CURLM_OK) {
		log_error("net", "libcurl takes no more requests");
		abort();
	}
	job->is_running = true;
}

/* What over() starts and stops on the way is done at once, not here. */
static void settle(struct pump *pump)
{
	CURLMsg *news;
	int left;

	while (!list_is_empty(&pump->doomed))
		end_job(pump, list_of(pump->doomed.next, struct pump_job, in_pump), false,
		        CURLE_OK);
	while (!list_is_empty(&pump->waiting))
		begin_job(pump, list_of(pump->waiting.next, struct pump_job, in_pump));
	while ((news = curl_multi_info_read(pump->multi, &left))) {
		CURLcode code = news->data.result;
		char *job = NULL;

		curl_easy_getinfo(news->easy_handle, CURLINFO_PRIVATE, &job);
		end_job(pump, (struct pump_job *)(void *)job, true, code);
	}
}

static void move(struct pump *pump, curl_socket_t fd, int events)
{
	int running;

	pump->inside = true;
	curl_multi_socket_action(pump->multi, fd, events, &running);
	pump->inside = false;
	settle(pump);
}

static void on_socket(uv_poll_t *poll, int status, int events)
{
	struct watch *watch = poll->data;
	int flags = 0;

	if (status < 0)
		flags |= CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		flags |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		flags |= CURL_CSELECT_OUT;
	move(watch->pump, watch->fd, flags);
}

static void on_time(uv_timer_t *timer)
{
	move(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static void free_watch(uv_handle_t *handle)
{
	free(handle->data);
}

static struct watch *watch_create(struct pump *pump, curl_socket_t fd)
{
	struct watch *watch = must_zero(1, sizeof(*watch));

	watch->pump = pump;
	watch->fd = fd;
	if (uv_poll_init(loop_uv(pump->loop), &watch->poll, fd) != 0) {
		log_error("net", "the kernel does not watch a socket of libcurl's");
		abort();
	}
	watch->poll.data = watch;
	curl_multi_assign(pump->multi, fd, watch);
	return watch;
}

/* libcurl: watch this socket for that. */
static int set_socket(CURL *easy, curl_socket_t fd, int what, void *self, void *of_socket)
{
	struct pump *pump = self;
	struct watch *watch = of_socket;
	int events = 0;

	if (what == CURL_POLL_REMOVE) {
		curl_multi_assign(pump->multi, fd, NULL);
		if (watch)
			uv_close((uv_handle_t *)&watch->poll, free_watch);
		return 0;
	}
	if (!watch)
		watch = watch_create(pump, fd);
	if (what & CURL_POLL_IN)
		events |= UV_READABLE;
	if (what & CURL_POLL_OUT)
		events |= UV_WRITABLE;
	uv_poll_start(&watch->poll, events, on_socket);
	return 0;
}

/* libcurl: call me after so long; -1: not at all. */
static int set_timer(CURLM *multi, long ms, void *self)
{
	struct pump *pump = self;

	if (ms < 0)
		uv_timer_stop(&pump->timer);
	else
		uv_timer_start(&pump->timer, on_time, (uint64_t)ms, 0);
	return 0;
}

struct pump *pump_create(struct loop *loop)
{
	struct pump *pump = must_zero(1, sizeof(*pump));

	curl_global_init(CURL_GLOBAL_DEFAULT);
	pump->multi = curl_multi_init();
	if (!pump->multi) {
		log_error("net", "libcurl does not start");
		abort();
	}
	if (!(curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_ASYNCHDNS))
		log_warn("net", "this libcurl looks names up on the loop: a slow one stops all");
	pump->loop = loop;
	list_init(&pump->running);
	list_init(&pump->waiting);
	list_init(&pump->doomed);
	uv_timer_init(loop_uv(loop), &pump->timer);
	pump->timer.data = pump;
	curl_multi_setopt(pump->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
	curl_multi_setopt(pump->multi, CURLMOPT_SOCKETDATA, pump);
	curl_multi_setopt(pump->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(pump->multi, CURLMOPT_TIMERDATA, pump);
	curl_multi_setopt(pump->multi, CURLMOPT_MAXCONNECTS, SPARE_MAX);
	return pump;
}

void pump_start(struct pump *pump, struct pump_job *job)
{
	list_init(&job->in_pump);
	if (pump->inside)
		list_add(&pump->waiting, &job->in_pump);
	else
		begin_job(pump, job);
}

void pump_stop(struct pump *pump, struct pump_job *job)
{
	if (job->is_stopped)
		return;
	job->is_stopped = true;
	if (pump->inside) {
		list_remove(&job->in_pump);
		list_add(&pump->doomed, &job->in_pump);
	} else {
		end_job(pump, job, false, CURLE_OK);
	}
}

void pump_hush(struct pump *pump, struct pump_job *job, bool hush)
{
	bool inside = pump->inside;

	if (!job->is_running || job->is_stopped)
		return;
	pump->inside = true;
	curl_easy_pause(job->easy, hush ? CURLPAUSE_RECV : CURLPAUSE_CONT);
	pump->inside = inside;
	if (!inside)
		settle(pump);
}

static void free_pump(uv_handle_t *handle)
{
	free(handle->data);
}

/* Never inside libcurl: the dead are buried at the end of the turn. */
static void clean_up(struct grave *grave)
{
	struct pump *pump = list_of(grave, struct pump, grave);

	settle(pump);
	curl_multi_cleanup(pump->multi);
	curl_global_cleanup();
	uv_close((uv_handle_t *)&pump->timer, free_pump);
}

static void stop_all(struct pump *pump, struct link *jobs)
{
	while (!list_is_empty(jobs))
		pump_stop(pump, list_of(jobs->next, struct pump_job, in_pump));
}

void pump_destroy(struct pump *pump)
{
	if (!pump)
		return;
	stop_all(pump, &pump->running);
	stop_all(pump, &pump->waiting);
	pump->grave = (struct grave){.free = clean_up};
	loop_bury(pump->loop, &pump->grave);
}
