/* triggers.h - what the box does by itself: with messages of people before an agent is asked, and
 * with runs that end; as a part of struct config. */
#ifndef CONFIG_TRIGGERS_H
#define CONFIG_TRIGGERS_H

#include "config/people.h"

/* One of the three: answer, route.agent, set. */
struct config_automation {
	char *when;   /* JSON; NULL: it always holds */
	char *answer; /* or NULL */
	struct {
		char *agent, *session; /* or NULL */
	} route;
	struct {
		bool disable_streaming;
	} set;
};

/* What runs say goes to a chat. */
struct config_route {
	char *when;   /* JSON; NULL: it always holds */
	char *to;     /* ADAPTER:PEER */
	char *thread; /* or NULL */
};

extern const struct field config_automation_fields[], config_route_fields[];
bool config_check_automation(const void *row, size_t rows_before, struct error *why);

#endif
