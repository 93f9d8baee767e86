/* doctor_claude.c - the settings of Claude Code: can they be read, are our hooks as they
 * should be, and do they go somewhere? */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/doctor.h"
#include "cli/listener.h"
#include "cli/tap.h"
#include "net/address.h"
#include "tap/tap.h"

#define AIMS_MAX 8 /* all hooks of an install have the same one or two */

/* Where hooks go, each place once. */
struct aims {
	char *all[AIMS_MAX];
	size_t count;
	char *program; /* of the commands; the first that is not ours, or ours */
};

static void look_at_credentials(struct doctor *d, const char *dir)
{
	char *path = must_print("%s/.credentials.json", dir);
	struct stat st;

	if (stat(path, &st) == 0 && (st.st_mode & 077)) {
		doctor_say(d, HEALTH_BAD, "%s is open to others: mode %04o", path,
		           (unsigned)(st.st_mode & 07777));
		doctor_advise(d, "chmod 600 %s", path);
	}
	free(path);
}

/* ---- where the hooks go ---- */

static void add_aim(struct aims *aims, struct text where)
{
	for (size_t i = 0; i < aims->count; i++)
		if (text_is(where, aims->all[i]))
			return;
	if (aims->count < AIMS_MAX)
		aims->all[aims->count++] = text_dup(where);
}

/* "http://HOST:PORT/..." gives HOST:PORT; a command begins with its program in quotes, and
 * one with quotes of its own is not one of ours. */
static void gather(void *self, struct text url, struct text command)
{
	struct aims *aims = self;
	struct text rest, program;

	if (url.len) {
		text_cut(url, '/', &rest);
		text_cut(rest, '/', &rest);
		add_aim(aims, text_cut(rest, '/', &rest));
		return;
	}
	text_cut(command, '\'', &rest);
	program = text_cut(rest, '\'', &rest);
	if (program.len && !aims->program)
		aims->program = text_dup(program);
}

static void look_at_aim(struct doctor *d, const char *aim)
{
	struct listener holder;
	struct address address;
	char name[PROCESS_NAME_ROOM];

	if (!address_parse(&address, aim, NULL) || address_port(&address) == 0)
		return;
	if (!listener_find(&address, d->box, &holder)) {
		doctor_say(d, HEALTH_WARN, "our hooks go to %s, where nobody listens", aim);
		doctor_advise(d,
		              "`signalbox serve`, or `signalbox tap install` for another address");
	} else if (d->box > 0 && holder.pid != d->box) {
		doctor_process_name(holder.pid, name);
		doctor_say(d, HEALTH_BAD,
		           "our hooks go to %s, which is not this box's but %s's, pid %d", aim,
		           name, (int)holder.pid);
		doctor_advise(d, "signalbox tap install");
	}
}

static void look_at_program(struct doctor *d, const char *program)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (access(program, X_OK) != 0)
		doctor_say(d, HEALTH_BAD, "our hooks run %s: %s", program, strerror(errno));
	else if (strcmp(program, self) != 0)
		doctor_say(d, HEALTH_WARN, "our hooks run %s, and this is %s", program, self);
	else
		return;
	doctor_advise(d, "signalbox tap install");
}

static void look_at_aims(struct doctor *d, const struct tap_target *target)
{
	struct aims aims = {0};

	tap_each_hook(target, gather, &aims, NULL);
	for (size_t i = 0; i < aims.count; i++) {
		look_at_aim(d, aims.all[i]);
		free(aims.all[i]);
	}
	if (aims.program)
		look_at_program(d, aims.program);
	free(aims.program);
}

/* ---- the file ---- */

static void tell_report(struct doctor *d, const struct tap_report *r)
{
	const char *warning = r->hooks ? tap_report_warning(r) : NULL;

	if (r->state == TAP_OUTDATED) {
		doctor_say(d, HEALTH_WARN, "our hooks in %s are outdated", r->file);
		doctor_advise(d, "signalbox tap install%s", r->approves ? " --approve" : "");
	} else {
		doctor_say(d, HEALTH_OK,
		           r->hooks ? "our hooks are in %s" : "no hook of ours is in %s", r->file);
	}
	if (warning)
		doctor_say(d, HEALTH_WARN, "%s", warning);
}

static void look_at_settings(struct doctor *d, const char *dir)
{
	char *address = d->config ? tap_address(d->config) : NULL;
	const struct tap_target target = {
		.config = dir, .address = address, .data = d->config ? d->config->data : "/"};
	struct tap_report report = {0};
	struct error why;

	if (!tap_look(&target, &report, &why)) {
		doctor_say(d, HEALTH_BAD, "%s", why.words);
		doctor_advise(d, "mend it by hand: Claude Code cannot read it either");
	} else if (d->config) {
		tell_report(d, &report);
		look_at_aims(d, &target);
	}
	tap_report_finish(&report);
	free(address);
}

void doctor_claude(struct doctor *d)
{
	char *dir = tap_config_dir(command_env(d->context, "CLAUDE_CONFIG_DIR"),
	                           command_env(d->context, "HOME"));

	if (!dir || access(dir, F_OK) != 0) {
		doctor_say(d, HEALTH_OK, "Claude Code has no settings here");
	} else {
		look_at_credentials(d, dir);
		look_at_settings(d, dir);
	}
	free(dir);
}
