/* holders.h - the processes of sessions that are known by their files alone: who writes them.
 *
 * A file that was written to since the last look, and whose process is not known, is looked for, on
 * a thread, at most every five seconds.  Who is found becomes session.facts with its process: by
 * that the session is gone when it ends.
 */
#ifndef SOURCE_HOLDERS_H
#define SOURCE_HOLDERS_H

#include "source/transcript/holder.h"

struct holders;
struct loop;

struct holders_options {
	struct loop *loop;
	void *self;
	/* May be called for sessions that are over by now. */
	void (*found)(void *self, struct text session, const struct holder_wish *who);
};

struct holders *holders_create(const struct holders_options *options);
void holders_destroy(struct holders *holders);

/* From now on, each beat: is it time?  Then each that is wanted, and that is all of them. */
bool holders_begin(struct holders *holders, uint64_t now_ms);
void holders_want(struct holders *holders, struct text session, const struct holder_wish *what);
void holders_go(struct holders *holders, uint64_t now_ms);

#endif
