/* doctor_claude.c - the settings of Claude Code: can they be read, are our hooks as they
 * should be, and fit who reads them? */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/doctor.h"
#include "tap/tap.h"

/* The first that does not pass over the whole file for one event that it does not know. */
static const struct version forgiving = {2, 1, 101};

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

/* ---- what they run ---- */

/* A command begins with its program in quotes; one with quotes of its own is not ours. */
static void gather_program(void *self, const struct ours_hook *hook)
{
	char **program = self;
	struct text rest, found;

	if (hook->is == OURS_OLD)
		return;
	text_cut(hook->where, '\'', &rest);
	found = text_cut(rest, '\'', &rest);
	if (found.len && !*program)
		*program = text_dup(found);
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

static void look_at_programs(struct doctor *d, const struct tap_target *target)
{
	char *program = NULL;

	tap_each_hook(target, gather_program, &program, NULL);
	if (program)
		look_at_program(d, program);
	free(program);
}

/* ---- the file ---- */

/* Who reads the file, and does not know all that is in it. */
static void tell_unknown(struct doctor *d, const struct tap_report *r)
{
	char version[VERSION_ROOM];
	const char *reader = r->claude.where ? r->claude.where : "which was not found";

	version_print(r->claude.version, version);
	if (version_compare(r->claude.version, forgiving) < 0)
		doctor_say(d, HEALTH_BAD,
		           "Claude Code %s (%s) does not know our hook %s, and passes over all of "
		           "%s, deny rules too",
		           version, reader, r->unknown, r->file);
	else
		doctor_say(d, HEALTH_WARN, "Claude Code %s (%s) does not know our hook %s in %s",
		           version, reader, r->unknown, r->file);
}

/* What is wrong with them; false: nothing. */
static bool tell_fault(struct doctor *d, const struct tap_report *r)
{
	if (r->old)
		doctor_say(d, HEALTH_BAD,
		           "%u hooks of ours in %s speak to a port, where any user of this machine "
		           "can answer for the box",
		           r->old, r->file);
	else if (r->unknown)
		tell_unknown(d, r);
	else if (r->hooks && !r->is_here)
		doctor_say(d, HEALTH_WARN, "our hooks in %s lead to another box", r->file);
	else if (r->state == TAP_OUTDATED)
		doctor_say(d, HEALTH_WARN, "our hooks in %s are outdated", r->file);
	else
		return false;
	doctor_advise(d, "signalbox tap install%s", r->approves ? " --approve" : "");
	return true;
}

static void tell_report(struct doctor *d, const struct tap_report *r)
{
	const char *warning = r->hooks ? tap_report_warning(r) : NULL;

	if (!tell_fault(d, r))
		doctor_say(d, HEALTH_OK,
		           r->hooks ? "our hooks are in %s" : "no hook of ours is in %s", r->file);
	if (warning)
		doctor_say(d, HEALTH_WARN, "%s", warning);
}

static void look_at_settings(struct doctor *d, const char *dir)
{
	const struct tap_target target = {
		.config = dir,
		.home = command_env(d->context, "HOME"),
		.path = command_env(d->context, "PATH"),
		.data = d->config ? d->config->data : "/",
	};
	struct tap_report report = {0};
	struct error why;

	if (!tap_look(&target, &report, &why)) {
		doctor_say(d, HEALTH_BAD, "%s", why.words);
		doctor_advise(d, "mend it by hand: Claude Code cannot read it either");
	} else if (d->config) {
		tell_report(d, &report);
		look_at_programs(d, &target);
	}
	tap_report_finish(&report);
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
