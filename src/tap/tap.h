/* tap.h - our hooks in the settings that Claude Code reads.
 *
 * Hooks are installed when somebody asks for it, never by themselves.  The file is
 * replaced in one step, with its mode, where a symbolic link leads; what it was is
 * kept beside it until an uninstall has given it back.  Nothing here waits for a
 * box: it works with none running.
 */
#ifndef TAP_TAP_H
#define TAP_TAP_H

#include "base/buf.h"
#include "base/error.h"
#include "tap/claude.h"
#include "tap/ours.h"

/* Which file, and what goes into it. */
struct tap_target {
	const char *project; /* DIR, for its .claude/settings.local.json; NULL: the user's */
	const char *config;  /* the user's directory of Claude Code: ~/.claude */
	const char *home;    /* $HOME and $PATH: where Claude Code is looked for */
	const char *path;
	const char *data; /* DATA of the box */
	bool approves;    /* of an install: some hooks wait for a person and decide */
	const char *tag;  /* do it only if it is the change of this tag; NULL: whatever it is */
};

/* $CLAUDE_CONFIG_DIR, or ~/.claude; the caller frees it.  NULL: there is no home. */
char *tap_config_dir(const char *claude_config_dir, const char *home);

/* The settings of the user we run as, with hooks that lead to the box of this DATA.  Its config is
 * the caller's to free. */
void tap_own_target(struct tap_target *target, const char *data);

enum tap_state {
	TAP_ABSENT,    /* no hook of ours */
	TAP_INSTALLED, /* all of them, as they should be */
	TAP_OUTDATED,  /* some, or for another box or version: install again */
};
const char *tap_state_name(enum tap_state state);

struct tap_report {
	char *file;   /* the one that counts, links followed */
	char *backup; /* what it was before; NULL: there is none */
	enum tap_state state;
	unsigned hooks; /* of ours */
	bool disabled;  /* as in settings_look */
	unsigned old;   /* likewise */
	bool approves;
	bool is_here;        /* all of ours lead to this box, and not by a port */
	const char *unknown; /* an event of ours that the version does not know; NULL: none */
	struct claude_found claude; /* who reads the file */
};

/* Each fills the report with how it is afterwards; finish it whatever came of it. */
bool tap_install(const struct tap_target *target, struct tap_report *report, struct error *why);
bool tap_uninstall(const struct tap_target *target, struct tap_report *report, struct error *why);
bool tap_look(const struct tap_target *target, struct tap_report *report, struct error *why);

/* Each of our hooks in the file. */
bool tap_each_hook(const struct tap_target *target, ours_fn *fn, void *self, struct error *why);

/* The whole file as an install would write it; the caller finishes out. */
bool tap_print(const struct tap_target *target, struct buf *out, struct error *why);

/* The change that an install or uninstall would make, and nothing is written.  The tag
 * stands for it: for the file as it is and as it would be.  Given back as the target's,
 * what was shown is what is done, or nothing is. */
#define TAP_TAG_LEN 32
struct tap_change {
	char *file;
	struct buf diff; /* unified; empty: nothing would change */
	char tag[TAP_TAG_LEN + 1];
};
bool tap_preview(const struct tap_target *target, bool installs, struct tap_change *change,
                 struct error *why);
void tap_change_json(const struct tap_change *change, struct buf *out); /* its members */
void tap_change_finish(struct tap_change *change);                      /* whatever came of it */

void tap_report_json(const struct tap_report *report, struct buf *out); /* its members */
void tap_report_finish(struct tap_report *report);

/* What keeps the hooks from running, in words; NULL: nothing that we see. */
const char *tap_report_warning(const struct tap_report *report);

#endif
