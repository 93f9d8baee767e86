/* pump.c - the multi handle: sockets, the timer, and what waits for libcurl to
 * return.
 *
 * libcurl's sockets are in an epoll of their own, which the loop watches.  When many
 * of them talk at once, each in small pieces, most of the work is to go and look: so
 * a crowd is listened to 25 times a second, and has more to say each time. */
#include "net/pump.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <uv.h>

#include "base/log.h"
#include "base/must.h"
#include "net/interrupt.h"

/* Connections that are kept for the next request to the same server, beside those in use. */
#define SPARE_MAX 32L

#define PUMP_BATCH 32 /* sockets that are served before the loop goes on */
#define PUMP_PACE_MS 40
#define PUMP_CROWD 64 /* sockets that had something to say within that time */

struct curl_pump {
	CURLM *multi;
	struct loop *loop;
	uv_timer_t timer, rest;
	uv_poll_t poll; /* of sockets */
	int sockets;    /* an epoll */
	unsigned handles;
	struct grave grave;
	struct link running, waiting, doomed; /* pump_job.in_pump */
	long jobs;                            /* that are running */
	bool inside;                          /* libcurl is at work: hands off */
	bool is_over;
	uint64_t since_ms; /* since then ... */
	unsigned heard;    /* ... so many sockets were served */
};

/* libcurl's limit counts the connections that are in use, too. */
static void pump_count(struct curl_pump *pump, long more)
{
	pump->jobs += more;
	curl_multi_setopt(pump->multi, CURLMOPT_MAXCONNECTS, pump->jobs + SPARE_MAX);
}

static void pump_end_job(struct curl_pump *pump, struct pump_job *job, bool ended, CURLcode code)
{
	list_remove(&job->in_pump);
	if (job->is_running) {
		curl_multi_remove_handle(pump->multi, job->easy);
		pump_count(pump, -1);
	}
	job->is_running = false;
	job->is_stopped = true;
	job->over(job, ended, code);
}

static void pump_begin_job(struct curl_pump *pump, struct pump_job *job)
{
	list_remove(&job->in_pump);
	list_add(&pump->running, &job->in_pump);
	curl_easy_setopt(job->easy, CURLOPT_PRIVATE, job);
	if (curl_multi_add_handle(pump->multi, job->easy) != CURLM_OK) {
		log_error("net", "libcurl takes no more requests");
		abort();
	}
	job->is_running = true;
	pump_count(pump, 1);
}

/* What over() starts and stops on the way is done at once, not here. */
static void pump_settle(struct curl_pump *pump)
{
	CURLMsg *news;
	int left;

	while (!list_is_empty(&pump->doomed))
		pump_end_job(pump, list_of(pump->doomed.next, struct pump_job, in_pump), false,
		             CURLE_OK);
	while (!list_is_empty(&pump->waiting))
		pump_begin_job(pump, list_of(pump->waiting.next, struct pump_job, in_pump));
	while ((news = curl_multi_info_read(pump->multi, &left))) {
		CURLcode code = news->data.result;
		char *job = NULL;

		curl_easy_getinfo(news->easy_handle, CURLINFO_PRIVATE, &job);
		pump_end_job(pump, (struct pump_job *)(void *)job, true, code);
	}
}

static void pump_move(struct curl_pump *pump, curl_socket_t fd, int events)
{
	int running;

	pump->inside = true;
	curl_multi_socket_action(pump->multi, fd, events, &running);
	pump->inside = false;
	pump_settle(pump);
}

/* libcurl asks the socket itself what its error is. */
static int pump_flags_of(uint32_t events)
{
	int flags = 0;

	if (events & (EPOLLIN | EPOLLHUP))
		flags |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		flags |= CURL_CSELECT_OUT;
	if (events & EPOLLERR)
		flags |= CURL_CSELECT_ERR | CURL_CSELECT_IN;
	return flags;
}

static void on_sockets(uv_poll_t *poll, int status, int events);

static void on_rested(uv_timer_t *timer)
{
	struct curl_pump *pump = timer->data;

	uv_poll_start(&pump->poll, UV_READABLE, on_sockets);
}

/* All have been heard; if they were many, they can wait. */
static void pump_rest(struct curl_pump *pump)
{
	uint64_t spent = loop_now_ms(pump->loop) - pump->since_ms;

	if (pump->heard < PUMP_CROWD || spent >= PUMP_PACE_MS || pump->is_over)
		return;
	uv_poll_stop(&pump->poll);
	uv_timer_start(&pump->rest, on_rested, PUMP_PACE_MS - spent, 0);
}

static void on_sockets(uv_poll_t *poll, int status, int events)
{
	struct curl_pump *pump = poll->data;
	struct epoll_event news[PUMP_BATCH];
	int n = epoll_wait(pump->sockets, news, PUMP_BATCH, 0);

	for (int i = 0; i < n && !pump->is_over; i++)
		pump_move(pump, news[i].data.fd, pump_flags_of(news[i].events));
	if (loop_now_ms(pump->loop) - pump->since_ms >= PUMP_PACE_MS) {
		pump->since_ms = loop_now_ms(pump->loop);
		pump->heard = 0;
	}
	pump->heard += n > 0 ? (unsigned)n : 0;
	if (n < PUMP_BATCH)
		pump_rest(pump);
}

static void pump_on_time(uv_timer_t *timer)
{
	pump_move(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

/* libcurl: watch this socket for that.  of_socket: not NULL if it is watched. */
static int set_socket(CURL *easy, curl_socket_t fd, int what, void *self, void *of_socket)
{
	struct curl_pump *pump = self;
	struct epoll_event event = {.data.fd = fd};
	int op = of_socket ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(pump->sockets, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	if (what & CURL_POLL_IN)
		event.events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		event.events |= EPOLLOUT;
	curl_multi_assign(pump->multi, fd, pump);
	/* A number that stood for another socket before may be known, or not any more. */
	if (epoll_ctl(pump->sockets, op, fd, &event) != 0 &&
	    epoll_ctl(pump->sockets, op == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd,
	              &event) != 0) {
		log_error("net", "the kernel does not watch a socket of libcurl's");
		abort();
	}
	return 0;
}

/* libcurl: call me after so long; -1: not at all. */
static int set_timer(CURLM *multi, long ms, void *self)
{
	struct curl_pump *pump = self;

	if (ms < 0)
		uv_timer_stop(&pump->timer);
	else
		uv_timer_start(&pump->timer, pump_on_time, (uint64_t)ms, 0);
	return 0;
}

static void make_handles(struct curl_pump *pump)
{
	struct uv_loop_s *uv = loop_uv(pump->loop);

	uv_timer_init(uv, &pump->timer);
	uv_timer_init(uv, &pump->rest);
	pump->sockets = epoll_create1(EPOLL_CLOEXEC);
	if (pump->sockets < 0 || uv_poll_init(uv, &pump->poll, pump->sockets) != 0) {
		log_error("net", "the kernel gives no epoll for libcurl's sockets");
		abort();
	}
	pump->timer.data = pump->rest.data = pump->poll.data = pump;
	pump->handles = 3;
	uv_poll_start(&pump->poll, UV_READABLE, on_sockets);
}

struct curl_pump *pump_create(struct loop *loop)
{
	struct curl_pump *pump = must_zero(1, sizeof(*pump));

	/* OpenSSL writes for libcurl, and not with MSG_NOSIGNAL. */
	interrupt_ignore_pipe();
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
	make_handles(pump);
	curl_multi_setopt(pump->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
	curl_multi_setopt(pump->multi, CURLMOPT_SOCKETDATA, pump);
	curl_multi_setopt(pump->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(pump->multi, CURLMOPT_TIMERDATA, pump);
	pump_count(pump, 0);
	return pump;
}

void pump_start(struct curl_pump *pump, struct pump_job *job)
{
	list_init(&job->in_pump);
	if (pump->inside)
		list_add(&pump->waiting, &job->in_pump);
	else
		pump_begin_job(pump, job);
}

void pump_stop(struct curl_pump *pump, struct pump_job *job)
{
	if (job->is_stopped)
		return;
	job->is_stopped = true;
	if (pump->inside) {
		list_remove(&job->in_pump);
		list_add(&pump->doomed, &job->in_pump);
	} else {
		pump_end_job(pump, job, false, CURLE_OK);
	}
}

void pump_hush(struct curl_pump *pump, struct pump_job *job, bool hush)
{
	bool inside = pump->inside;

	if (!job->is_running || job->is_stopped)
		return;
	pump->inside = true;
	curl_easy_pause(job->easy, hush ? CURLPAUSE_RECV : CURLPAUSE_CONT);
	pump->inside = inside;
	if (!inside)
		pump_settle(pump);
}

static void close_one(uv_handle_t *handle)
{
	struct curl_pump *pump = handle->data;

	if (--pump->handles > 0)
		return;
	close(pump->sockets);
	free(pump);
}

/* Never inside libcurl: the dead are buried at the end of the turn. */
static void clean_up(struct grave *grave)
{
	struct curl_pump *pump = list_of(grave, struct curl_pump, grave);

	pump_settle(pump);
	curl_multi_cleanup(pump->multi);
	curl_global_cleanup();
	uv_close((uv_handle_t *)&pump->timer, close_one);
	uv_close((uv_handle_t *)&pump->rest, close_one);
	uv_close((uv_handle_t *)&pump->poll, close_one);
}

static void stop_all(struct curl_pump *pump, struct link *jobs)
{
	while (!list_is_empty(jobs))
		pump_stop(pump, list_of(jobs->next, struct pump_job, in_pump));
}

void pump_destroy(struct curl_pump *pump)
{
	if (!pump)
		return;
	stop_all(pump, &pump->running);
	stop_all(pump, &pump->waiting);
	pump->is_over = true;
	pump->grave = (struct grave){.free = clean_up};
	loop_bury(pump->loop, &pump->grave);
}
