/* Idle clients: what each costs the server in resident memory. The first hundred pay for
 * what is made once (tables, pools) and are left out of the difference.
 *
 *   --subs N   clients
 *   --ms T     hold them for so long after the last has come */
#include "load_read.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST = 100, SETTLE_US = 300000 };

/* Answer pings and notice who is sent away. */
static void hold(const struct protocol *protocol, struct link *links, unsigned count, uint64_t end)
{
	struct pollfd *waits = calloc(count, sizeof *waits);

	if (waits == NULL)
		die("out of memory");
	for (unsigned i = 0; i < count; i++)
		waits[i] = (struct pollfd){.fd = links[i].fd, .events = POLLIN};
	while (now_ns() < end) {
		if (poll(waits, count, 100) < 0)
			die("poll");
		for (unsigned i = 0; i < count; i++)
			if (waits[i].revents != 0)
				protocol->read(&links[i], MSG_DONTWAIT);
	}
	free(waits);
}

void load_idle(const struct target *target, char **argv)
{
	unsigned count = (unsigned)option_number(argv, "--subs", 10000);
	uint64_t milliseconds = option_number(argv, "--ms", 1000);
	struct link *links = calloc(count + FIRST, sizeof *links);
	uint64_t before, after, held;

	if (links == NULL)
		die("out of memory");
	links_subscribe(links, FIRST, target);
	usleep(SETTLE_US);
	before = server_memory(target->pid);
	links_subscribe(links + FIRST, count, target);
	usleep(SETTLE_US);
	after = server_memory(target->pid);
	hold(target->protocol, links, count + FIRST, now_ns() + milliseconds * 1000000);
	held = server_memory(target->pid);
	for (unsigned i = 0; i < count + FIRST; i++)
		link_close(&links[i]);
	free(links);
	printf("{\"clients\":%u,\"before\":%lu,\"after\":%lu,\"held\":%lu}\n", count,
	       (unsigned long)before, (unsigned long)after, (unsigned long)held);
}
