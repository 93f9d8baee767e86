/* doctor_service.c - the unit that keeps a box running: is there one, and does it? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/service.h"

#define LINE_ROOM 4352 /* the longest path, and what stands around it */

/* The program that our unit starts, in `line`; NULL: it cannot be told, such as when its
 * name has characters that systemd wants to be written otherwise. */
static const char *find_program(const char *unit, char line[LINE_ROOM])
{
	static const char start[] = "ExecStart=\"";
	FILE *in = fopen(unit, "re");
	char *program = NULL;

	while (in && !program && fgets(line, LINE_ROOM, in))
		if (strncmp(line, start, sizeof(start) - 1) == 0)
			program = line + sizeof(start) - 1;
	if (in)
		fclose(in);
	if (!program || program[strcspn(program, "\"\\%$")] != '"')
		return NULL;
	program[strcspn(program, "\"")] = '\0';
	return program;
}

static bool starts_nothing(struct doctor *d, const struct service *service)
{
	char line[LINE_ROOM];
	const char *program =
		service->state == SERVICE_OURS ? find_program(service->path, line) : NULL;

	if (!program || access(program, X_OK) == 0)
		return false;
	doctor_say(d, HEALTH_BAD, "%s starts %s: %s", service->path, program, strerror(errno));
	doctor_advise(d, "signalbox service install");
	return true;
}

void doctor_service(struct doctor *d)
{
	struct service service;

	if (!service_look(d->context, &service) || service.state == SERVICE_ABSENT) {
		doctor_say(d, HEALTH_OK, "there is no unit of `signalbox service`");
	} else if (starts_nothing(d, &service)) {
		/* It has said so. */
	} else if (service.is_failed) {
		doctor_say(d, HEALTH_BAD, "%s failed", service.path);
		doctor_advise(d, "`journalctl --user -u signalbox` says why; then "
		                 "`systemctl --user restart signalbox`");
	} else if (!service.is_active) {
		doctor_say(d, HEALTH_WARN, "%s is %s, and does not run", service.path,
		           service.is_enabled ? "enabled" : "not enabled");
		doctor_advise(d, "systemctl --user enable --now signalbox");
	} else {
		doctor_say(d, HEALTH_OK, "%s runs", service.path);
	}
	free(service.path);
}
