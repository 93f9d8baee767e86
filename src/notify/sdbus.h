/* sdbus.h - libsystemd's D-Bus, which is looked for when it is first wanted and not linked.
 *
 * Whoever links it waits for its libraries at each start, and `signalbox hook` starts with every
 * tool of an agent.  A machine without it has no desktop that we could reach. */
#ifndef NOTIFY_SDBUS_H
#define NOTIFY_SDBUS_H

#include <stdbool.h>

#include <systemd/sd-bus.h>

#define SDBUS_CALLS(X) \
	X(open_user) \
	X(close_unref) \
	X(is_open) \
	X(get_fd) \
	X(get_events) \
	X(get_timeout) \
	X(process) \
	X(call_method_async) \
	X(message_enter_container) \
	X(message_exit_container) \
	X(message_read) \
	X(message_is_method_error) \
	X(slot_unref)

#define SDBUS_MEMBER(name) __typeof__(&sd_bus_##name) name;
struct sdbus {
	SDBUS_CALLS(SDBUS_MEMBER)
	bool is_there;
};
#undef SDBUS_MEMBER

/* The table; is_there false: it is not on this machine, and nothing in it may be called. */
const struct sdbus *sdbus_load(void);

#endif
