/* claude_tasks.h - the task lists that Claude Code keeps of its open sessions.
 *
 * Of CONFIG/tasks/SESSION only files that are called NUMBER.json are opened, and of those only
 * plain files of our own user, up to 64 KiB, through no link.  A list becomes a whole agent.plan
 * when it says anything else than the plan that is known: hooks and lines of the transcript tell
 * of the same tasks, one at a time.
 *
 * A folder of more than a thousand names is no task list, and of one the first 200 tasks are read.
 */
#ifndef SOURCE_CLAUDE_TASKS_H
#define SOURCE_CLAUDE_TASKS_H

#include "source/transcript/transcripts.h"

struct claude_tasks;
struct watches;

struct claude_tasks_options {
	const char *config; /* ~/.claude; copied */
	struct watches *watches;
	struct living *living;
	void *self;
	void (*tell)(void *self, struct text envelope); /* a signal */
	void (*soon)(void *self); /* claude_tasks_look() is to be called before the next beat */
	struct transcripts_plans plans;
};

struct claude_tasks *claude_tasks_create(const struct claude_tasks_options *options);
void claude_tasks_destroy(struct claude_tasks *tasks);

/* is_all: also at what is watched, and has no news. */
void claude_tasks_look(struct claude_tasks *tasks, bool is_all);

#endif
