/* Replay: fill the journal, then ask for all of it from the beginning.
 *
 *   --count N   signals to fill with */
#include "load_emit.h"
#include "load_ws.h"

#include <poll.h>
#include <stdio.h>

static void read_to(struct link *link, uint64_t last)
{
	struct pollfd wait = {.events = POLLIN};

	wait.fd = link->fd;
	while (link->seq < last) {
		if (poll(&wait, 1, LOAD_WAIT_S * 1000) <= 0)
			die("the replay stopped at seq %lu", (unsigned long)link->seq);
		load_native.read(link, MSG_DONTWAIT);
	}
}

void load_replay(const struct target *target, char **argv)
{
	static const char ask[] = "{\"op\":\"subscribe\",\"after\":0}";
	uint64_t last = emit_fill(target, option_number(argv, "--count", 500000));
	struct link link = {0};
	uint64_t start, cpu;

	link_join(&link, target, PUBLISHER);
	cpu = server_cpu_ns(target->pid);
	start = now_ns();
	ws_send(&link, 1, ask, sizeof ask - 1);
	read_to(&link, last);
	printf("{\"seconds\":%.6f,\"signals\":%lu,\"cpu_ns\":%lu}\n",
	       (double)(now_ns() - start) / 1e9, (unsigned long)link.received,
	       (unsigned long)(server_cpu_ns(target->pid) - cpu));
	link_close(&link);
}
