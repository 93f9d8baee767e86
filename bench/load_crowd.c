/* One publisher and a crowd of subscribers.
 *
 *   --subs N       subscribers
 *   --window W     keep W signals in flight, that is not yet received by all
 *   --rate R       or send R signals a second, evenly
 *   --ms T         measure for T milliseconds, after a third of it to warm up
 *   --probes N     meanwhile open N new connections a second, one at a time
 *
 * The client never sleeps: it has a processor of its own, and a server that had to wake
 * it would pay for that. */
#include "load_read.h"
#include "load_samples.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	EVENTS = 64,       /* few, so that a probe is looked at often */
	WINDOW_MAX = 4096, /* a power of two */
	STALL_S = 10,      /* nothing received for so long: give up */
};

static struct {
	const struct target *target;
	unsigned subs, keys, window;
	uint64_t rate, probes;
	struct link *links, publisher, probe;
	uint64_t published, complete, delivered; /* signals, signals, deliveries */
	uint64_t least;                          /* deliveries before measuring */
	unsigned left[WINDOW_MAX];               /* who has not received it yet */
	uint64_t sent_ns[WINDOW_MAX];
	uint64_t read_ns; /* when the link being read was read */
	uint64_t first_ns, next_probe_ns, probe_ns;
	char *out; /* frames on their way to the publisher's socket */
	size_t out_have, out_sent;
	bool measuring;
	struct samples latency, probed;
} crowd;

static void sample(struct samples *samples, uint64_t ns)
{
	if (crowd.measuring)
		samples_add(samples, ns);
}

/* Receiving */

/* Each subscriber receives in order, so its count says which signal this is: of those with
 * its key, if there are keys. */
static void took_signals(struct link *link, uint64_t before)
{
	const uint64_t step = crowd.keys > 0 ? crowd.keys : 1;

	crowd.delivered += link->received - before;
	for (uint64_t n = before; n < link->received; n++) {
		unsigned slot = (link->key + n * step) % WINDOW_MAX;

		if (crowd.rate > 0)
			sample(&crowd.latency, crowd.read_ns - crowd.sent_ns[slot]);
		crowd.left[slot]--;
	}
	while (crowd.keys == 0 && crowd.complete < crowd.published &&
	       crowd.left[crowd.complete % WINDOW_MAX] == 0)
		crowd.complete++;
}

static void subscriber_read(struct link *link)
{
	uint64_t before = link->received;
	bool more;

	do {
		more = crowd.target->protocol->read(link, MSG_DONTWAIT);
	} while (more);
	if (crowd.rate > 0)
		crowd.read_ns = now_ns();
	took_signals(link, before);
}

/* Sending */

static void flush_out(void)
{
	while (crowd.out_sent < crowd.out_have) {
		ssize_t sent = link_put(&crowd.publisher, crowd.out + crowd.out_sent,
		                        crowd.out_have - crowd.out_sent, MSG_DONTWAIT);

		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < 0)
			die("publishing");
		crowd.out_sent += (size_t)sent;
	}
	crowd.out_have = crowd.out_sent = 0;
}

static void publish(uint64_t count, uint64_t now)
{
	for (; count > 0; count--, crowd.published++) {
		unsigned slot = crowd.published % WINDOW_MAX;
		unsigned key = crowd.keys > 0 ? crowd.published % crowd.keys : 0;

		crowd.left[slot] = crowd.subs;
		crowd.sent_ns[slot] = now;
		crowd.out_have += signal_frame(crowd.out + crowd.out_have, crowd.published, key);
	}
	flush_out();
}

/* Signals that may be sent now: as many as the window lacks, or as the clock says. What
 * the client itself was late with is sent late, never in a heap: at most one a turn. */
static void publish_due(uint64_t now)
{
	uint64_t due;

	if (crowd.out_have > 0) {
		flush_out();
		return;
	}
	if (crowd.rate == 0)
		due = crowd.window - (crowd.published - crowd.complete);
	else
		due = crowd.published < (now - crowd.first_ns) * crowd.rate / 1000000000u;
	if (due > 0)
		publish(due, now);
}

/* Probes: how long a new connection takes from connect to the upgrade's answer. It is
 * looked at after every few events, beside the poller, because there it would stand
 * behind all the subscribers that are ready. */
static void probe_step(uint64_t now)
{
	char reply[1024];
	ssize_t got;

	if (crowd.probes == 0)
		return;
	if (crowd.probe_ns == 0 && now >= crowd.next_probe_ns) {
		crowd.next_probe_ns = now + 1000000000u / crowd.probes;
		crowd.probe_ns = now;
		crowd.probe = (struct link){.role = PUBLISHER};
		crowd.target->protocol->open(&crowd.probe, crowd.target);
	}
	if (crowd.probe_ns == 0)
		return;
	got = link_get(&crowd.probe, reply, sizeof reply, MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN)
		return;
	if (got < 12 || memcmp(reply, "HTTP/1.1 101", 12) != 0)
		die("a probe was not answered");
	sample(&crowd.probed, now_ns() - crowd.probe_ns);
	crowd.probe_ns = 0;
	link_close(&crowd.probe);
}

/* The run */

static void watch(int poller, struct link *link)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = link};

	if (epoll_ctl(poller, EPOLL_CTL_ADD, link->fd, &event) < 0)
		die("epoll_ctl");
}

static int open_crowd(void)
{
	int poller = epoll_create1(EPOLL_CLOEXEC);

	crowd.links = calloc(crowd.subs, sizeof *crowd.links);
	crowd.out = malloc((size_t)WINDOW_MAX * FRAME_MAX);
	if (poller < 0 || !crowd.links || !crowd.out)
		die("starting");
	samples_init(&crowd.latency);
	samples_init(&crowd.probed);
	links_subscribe(crowd.links, crowd.subs, crowd.target);
	for (unsigned i = 0; i < crowd.subs; i++)
		watch(poller, &crowd.links[i]);
	link_join(&crowd.publisher, crowd.target, PUBLISHER);
	watch(poller, &crowd.publisher);
	return poller;
}

/* On a machine that is busy elsewhere a short run may have seen nothing at its end. */
static bool has_figures(void)
{
	return crowd.delivered > crowd.least && (crowd.probes == 0 || crowd.probed.count > 0);
}

static void run_until(int poller, uint64_t end)
{
	struct epoll_event events[EVENTS];
	uint64_t now, seen = crowd.delivered, seen_ns = now_ns();

	while ((now = now_ns()) < end || (crowd.measuring && !has_figures())) {
		int count;

		publish_due(now);
		count = epoll_wait(poller, events, EVENTS, 0);
		for (int i = 0; i < count; i++)
			subscriber_read(events[i].data.ptr);
		probe_step(now);
		if (crowd.delivered != seen) {
			seen = crowd.delivered;
			seen_ns = now;
		} else if (now - seen_ns > STALL_S * 1000000000ull) {
			errno = 0;
			die("nothing received for %d s after %lu deliveries", STALL_S,
			    (unsigned long)seen);
		}
	}
}

static void read_plan(char **argv)
{
	crowd.subs = (unsigned)option_number(argv, "--subs", 1000);
	crowd.keys = crowd.target->keys;
	crowd.window = (unsigned)option_number(argv, "--window", 1);
	crowd.rate = option_number(argv, "--rate", 0);
	crowd.probes = option_number(argv, "--probes", 0);
	errno = 0;
	if (crowd.subs == 0 || crowd.window == 0 || crowd.window >= WINDOW_MAX)
		die("--subs and --window must be at least 1, --window below %d", WINDOW_MAX);
	if (crowd.keys > 0 && crowd.rate == 0)
		die("--keys needs --rate");
}

/* What is counted while measuring: taken at the start, and again at the end. */
struct tally {
	uint64_t ns, cpu_ns, loop_ns, deliveries, signals, bytes;
};

static uint64_t bytes_read(void)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < crowd.subs; i++)
		bytes += crowd.links[i].bytes;
	return bytes;
}

static struct tally tally_now(void)
{
	return (struct tally){
		.ns = now_ns(),
		.cpu_ns = server_cpu_ns(crowd.target->pid),
		.loop_ns = server_loop_cpu_ns(crowd.target->pid),
		.deliveries = crowd.delivered,
		.signals = crowd.published,
		.bytes = bytes_read(),
	};
}

void load_crowd(const struct target *target, char **argv)
{
	uint64_t length_ns = option_number(argv, "--ms", 2000) * 1000000;
	struct tally start, end;
	int poller;

	crowd.target = target;
	read_plan(argv);
	target->protocol->prepare(target, PUBLISHER);
	poller = open_crowd();
	crowd.first_ns = now_ns();
	run_until(poller, crowd.first_ns + length_ns / 3);

	crowd.measuring = true;
	start = tally_now();
	crowd.least = start.deliveries;
	run_until(poller, start.ns + length_ns);
	end = tally_now();

	printf("{\"seconds\":%.6f,\"signals\":%lu,\"deliveries\":%lu,\"cpu_ns\":%lu,\"loop_ns\":%lu,"
	       "\"bytes\":%lu",
	       (double)(end.ns - start.ns) / 1e9, (unsigned long)(end.signals - start.signals),
	       (unsigned long)(end.deliveries - start.deliveries),
	       (unsigned long)(end.cpu_ns - start.cpu_ns),
	       (unsigned long)(end.loop_ns - start.loop_ns),
	       (unsigned long)(end.bytes - start.bytes));
	samples_print("latency", &crowd.latency);
	samples_print("probe", &crowd.probed);
	puts("}");
}
