/* claude_registry.h - Claude Code's registry of its sessions, looked at again and again.
 *
 * Of CONFIG/sessions only files that are called NUMBER.json are opened, and of those only plain
 * files of our own user, up to 64 KiB, through no link.  What has changed of a session whose
 * process lives becomes session.facts.
 */
#ifndef SOURCE_CLAUDE_REGISTRY_H
#define SOURCE_CLAUDE_REGISTRY_H

#include "base/text.h"

struct claude_registry;

struct claude_registry_options {
	const char *config; /* ~/.claude; copied */
	void *self;
	void (*tell)(void *self, struct text envelope); /* a signal */
};

struct claude_registry *claude_registry_create(const struct claude_registry_options *options);
void claude_registry_destroy(struct claude_registry *registry);

/* True: a file was being written, and is to be looked at again soon. */
bool claude_registry_look(struct claude_registry *registry);

#endif
