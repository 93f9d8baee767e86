/* hooked.h - a program whose hooks tell what it does: `signalbox run` need not.
 *
 * What is run has an address in its environment.  `signalbox hook` sends there whose hook it
 * is, so that the run has the name of that session, and says nothing of an output that only
 * shows the same on a terminal.
 */
#ifndef CLI_HOOKED_H
#define CLI_HOOKED_H

#include <sys/types.h>

#include "base/buf.h"

struct hooked {
	int fd;           /* -1: there is no address */
	bool is_awaited;  /* its output is kept until its name is known */
	char *session;    /* NULL: nobody named one */
	bool tells_words; /* what the agent says, too */
	bool draws;       /* its output is a screen's */
	struct buf kept;
};

/* Until it listens nothing is heard or kept.  is_awaited: a program that has such hooks where
 * they are installed. */
void hooked_init(struct hooked *h);
void hooked_listen(struct hooked *h, bool is_awaited);
void hooked_finish(struct hooked *h);

/* What its hooks sent.  True when it has a name, or another one, since.  Only the program
 * itself counts, not an agent that it runs. */
bool hooked_hear(struct hooked *h, pid_t program);

/* False when its output is told as it comes. */
bool hooked_keep(struct hooked *h, struct text output);
/* Nobody named it in time, or it has ended: what is to be told of what was kept.  Valid until
 * the next call. */
struct text hooked_release(struct hooked *h);
/* Its hooks have not told what it says, and may be on their way. */
bool hooked_is_unsure(const struct hooked *h);

/* For the hook: tells the run that it belongs to, if to any. */
bool hooked_is_heard(void);
void hooked_tell(struct text session, struct text event);

#endif
