/* claude_session.h - one file of Claude Code's registry of its sessions.
 *
 * ~/.claude/sessions/PID.json, written when a session begins, again when its state
 * changes, and removed when it ends by itself; kill -9 leaves it behind.  It is
 * rewritten in place: what cannot be read is read again a moment later.  The file with
 * `.key` in its name beside it is a secret, and nobody here opens it.
 *
 * Versions before 2.1.101 or so write less: only pid, id, cwd, started_ms, kind and
 * entrypoint.  What is not there is empty or 0.
 */
#ifndef PARSE_CLAUDE_SESSION_H
#define PARSE_CLAUDE_SESSION_H

#include "base/error.h"
#include "base/text.h"

struct json_reader;
struct proc;

#define CLAUDE_SESSION_MAX (64 * 1024) /* bytes of a file; they have some hundred */

/* Texts live as long as the reader's document. */
struct claude_session {
	uint64_t pid;
	struct text id; /* sessionId; for a moment after /clear still the old one */
	struct text cwd;
	struct text version;
	struct text kind, entrypoint; /* "interactive", "cli" */
	struct text name, name_source;
	struct text status;      /* "busy", "waiting", "idle", ... */
	struct text waiting_for; /* "permission prompt", "input needed", ... */
	struct text proc_start;  /* field 22 of /proc/PID/stat */
	struct text pid_domain;  /* "linux:MACHINE:pid:[NAMESPACE]" */
	int64_t started_ms, status_ms, updated_ms;
};

/* False: it is no such file, or one that is being written. */
bool claude_session_read(struct json_reader *reader, struct text raw, struct claude_session *out,
                         struct error *why);

/* The `agentType` in the file beside a subagent's transcript; empty: it does not say. */
struct text claude_session_agent_type(struct json_reader *reader, struct text raw);

/* ~/.claude/tasks/SESSION/NUMBER.json: a task of its list. */
enum claude_task_status { CLAUDE_TASK_PENDING, CLAUDE_TASK_IN_PROGRESS, CLAUDE_TASK_COMPLETED };

struct claude_task {
	struct text subject;
	enum claude_task_status status;
	bool is_internal; /* Claude Code does not show it */
};

/* False: it is no task, or one that is being written. */
bool claude_task_read(struct json_reader *reader, struct text raw, struct claude_task *out);

/* Is the process that has its number now (proc_look) the one that wrote it?  Where the
 * file does not say when the process began, one that began later than it is another. */
bool claude_session_is(const struct claude_session *session, const struct proc *process);

#endif
