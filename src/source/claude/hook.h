/* hook.h - Claude Code's hooks: it comes to us, a POST for each thing it does.
 *
 * What a hook says becomes signals of `adapter:tap`, made by our own parser; they
 * are counted for the source `local:claude-code` when it is on the list, and heard
 * either way.  Nothing waits for the disk.
 */
#ifndef SOURCE_HOOK_H
#define SOURCE_HOOK_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

struct bus;
struct hook;
struct sources;

struct hook_options {
	struct bus *bus;
	struct sources *sources;
	size_t payload_max;
};

struct hook *hook_create(const struct hook_options *options);
void hook_destroy(struct hook *hook);

/* One payload.  False: it is none, or did not come whole (then it is empty).  One that is
 * too long for a signal becomes a stub that says so. */
struct hook_payload {
	struct text bytes;
	int64_t at_ms;  /* when the agent told it, Unix time; 0: now */
	bool is_late;   /* it comes from the spool */
	uint64_t whole; /* bytes that it had, when some of them are missing; or 0 */
	uint64_t place; /* in the spool, from 1: taken again, it is the same signals; 0: none */
};
bool hook_take(struct hook *hook, const struct hook_payload *payload, struct error *why);

/* A signal of ours about what Claude Code does: an envelope up to the brace of its payload,
 * which whoever began it closes, as the envelope itself; then it is given and freed. */
void hook_begin(struct buf *out, const char *type, struct text run);
void hook_end(struct hook *hook, struct buf *out);

bool hook_is_listed(const struct hook *hook); /* is its source on the list? */

/* How the way to us fared: so many came late or were lost since this was told last. */
void hook_tell_late(struct hook *hook, uint64_t count);
void hook_tell_lost(struct hook *hook, uint64_t count);

struct hook_stats {
	uint64_t taken, refused, late, cut;
};
struct hook_stats hook_stats(const struct hook *hook);
void hook_metrics(const struct hook *hook, struct buf *out); /* for GET /metrics */

#endif
