/* doctor.h - what `signalbox doctor` looks at, one function a thing.
 *
 * A check says what it found with doctor_say(), as often as it has something to say, and
 * with doctor_advise() what to do about the last of it.  It changes nothing, and it works
 * with a box that runs and without one.
 *
 * To add a check: a function here, a row of the table in doctor.c, a fault in
 * tests/98-doctor.py that it finds.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <sys/types.h>

#include "cli/command.h"

enum health { HEALTH_OK, HEALTH_WARN, HEALTH_BAD };

struct finding {
	const char *check;
	enum health health;
	char *words, *advice; /* advice: what to do, a command where there is one; or NULL */
};

struct doctor {
	const struct command_context *context;
	const struct config *config; /* NULL: it cannot be read */
	const struct error *fault;   /* why not */
	pid_t box;                   /* that holds DATA/lock; 0: none does; -1: who, is not said */
	const char *check;           /* whose turn it is */
	struct finding *findings;
	size_t count;
};

void doctor_say(struct doctor *doctor, enum health health, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void doctor_advise(struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

bool doctor_is_well(const struct doctor *doctor); /* nothing bad was found so far */

/* Something else than that it is not there keeps us from seeing it, such as whose it is. */
bool doctor_is_hidden(const char *path);

/* What holds DATA/lock, as doctor->box has it. */
pid_t doctor_find_box(const char *data);

/* The name of a process, or "?". */
#define PROCESS_NAME_ROOM 32
void doctor_process_name(pid_t pid, char name[PROCESS_NAME_ROOM]);

/* The checks.  Where it is not said, doctor->config is there. */
void doctor_config(struct doctor *doctor); /* also without */
void doctor_show(struct doctor *doctor);
void doctor_permissions(struct doctor *doctor);
void doctor_disk(struct doctor *doctor);
void doctor_clock(struct doctor *doctor);
void doctor_limits(struct doctor *doctor);
void doctor_journal(struct doctor *doctor);
void doctor_port(struct doctor *doctor);
void doctor_trust(struct doctor *doctor);
void doctor_sockets(struct doctor *doctor);
void doctor_tls(struct doctor *doctor);
void doctor_phone(struct doctor *doctor);
void doctor_claude(struct doctor *doctor); /* also without */
void doctor_hooks(struct doctor *doctor);
void doctor_service(struct doctor *doctor); /* also without */
void doctor_start(struct doctor *doctor);   /* the last */

#endif
