/* service.h - the systemd unit of `signalbox service`, as it is now. */
#ifndef CLI_SERVICE_H
#define CLI_SERVICE_H

#include "cli/command.h"

enum service_state { SERVICE_ABSENT, SERVICE_OURS, SERVICE_FOREIGN };

struct service {
	char *path; /* of the unit, whether or not it is there; the caller frees it */
	enum service_state state;
	bool is_enabled, is_active, is_failed; /* by systemd's word */
};

/* False: there is no home, and so no unit. */
bool service_look(const struct command_context *context, struct service *service);

#endif
