/* A crowd that comes all at once, as after a restart: from the first `connect` to the last
 * hello-ok. Each connects, asks for the upgrade, is challenged, shows its token.
 *
 *   --subs N   clients */
#include "load_gateway.h"
#include "load_samples.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum { EVENTS = 256, PATIENCE_S = 60 };

struct arrival {
	struct link link;
	bool upgraded, said;
};

static struct {
	const struct target *target;
	struct arrival *all;
	unsigned count, here;
	int poller;
	uint64_t began_ns;
	struct samples took;
} arrive;

static void begin_one(struct arrival *a)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = a};

	ws_open(&a->link, arrive.target, "/ws/gateway");
	if (fcntl(a->link.fd, F_SETFL, O_NONBLOCK) < 0 ||
	    epoll_ctl(arrive.poller, EPOLL_CTL_ADD, a->link.fd, &event) < 0)
		die("epoll_ctl");
}

/* The head of the upgrade's answer is passed over. */
static const char *walk(struct link *link, const char *at, const char *end)
{
	struct arrival *a = (struct arrival *)link;
	const char *body;

	if (a->upgraded)
		return gateway_walk(link, at, end);
	body = memmem(at, (size_t)(end - at), "\r\n\r\n", 4);
	if (body == NULL)
		return at;
	errno = 0;
	if (strncmp(at, "HTTP/1.1 101 ", 13) != 0)
		die("the server said %.*s", (int)(end - at), at);
	a->upgraded = true;
	return gateway_walk(link, body + 4, end);
}

static void go_on(struct arrival *a)
{
	const bool was_here = a->link.greeted;

	while (link_read(&a->link, MSG_DONTWAIT, walk))
		;
	if (a->link.challenged && !a->said) {
		a->said = true;
		gateway_say_connect(&a->link, arrive.target);
	}
	if (a->link.greeted && !was_here) {
		arrive.here++;
		samples_add(&arrive.took, now_ns() - arrive.began_ns);
	}
}

static void hear(void)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(arrive.poller, events, EVENTS, 0);

	for (int i = 0; i < count; i++)
		go_on(events[i].data.ptr);
}

void load_arrive(const struct target *target, char **argv)
{
	uint64_t cpu;

	arrive.target = target;
	arrive.count = (unsigned)option_number(argv, "--subs", 5000);
	arrive.all = calloc(arrive.count, sizeof *arrive.all);
	arrive.poller = epoll_create1(EPOLL_CLOEXEC);
	if (arrive.all == NULL || arrive.poller < 0)
		die("starting");
	samples_init(&arrive.took);
	cpu = server_cpu_ns(target->pid);
	arrive.began_ns = now_ns();
	for (unsigned i = 0; i < arrive.count; i++)
		begin_one(&arrive.all[i]);
	while (arrive.here < arrive.count) {
		hear();
		errno = 0;
		if (now_ns() - arrive.began_ns > PATIENCE_S * 1000000000ull)
			die("%u of %u were let in", arrive.here, arrive.count);
	}
	printf("{\"clients\":%u,\"seconds\":%.6f,\"cpu_ns\":%lu", arrive.count,
	       (double)(now_ns() - arrive.began_ns) / 1e9,
	       (unsigned long)(server_cpu_ns(target->pid) - cpu));
	samples_print("took", &arrive.took);
	puts("}");
}
