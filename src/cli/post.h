/* post.h - POSTs to a box over its Unix socket, without ever waiting.
 *
 * For programs that somebody else waits for: no call here takes longer than the
 * system calls in it.  Who uses it polls the descriptor and calls post_step().
 */
#ifndef CLI_POST_H
#define CLI_POST_H

#include <poll.h>

#include "base/text.h"

struct post;

enum post_state {
	POST_IDLE,
	POST_UNDER_WAY,
	POST_ANSWERED, /* post_status() and post_answer() are there */
	POST_NOBODY,   /* nothing listens there */
	POST_LOST,     /* no room to connect, or the line broke */
};

struct post *post_create(const char *data); /* DATA of the box */
void post_destroy(struct post *post);

/* Copies the body.  A line that is open from before is used again; what was under
 * way on it is given up. */
enum post_state post_start(struct post *post, const char *path, const char *type, struct text body);
enum post_state post_step(struct post *post);
enum post_state post_give_up(struct post *post); /* it is lost */

/* What to wait for; its fd is -1 when there is nothing. */
struct pollfd post_poll(const struct post *post);

/* How often the box said that the answer is still coming. */
unsigned post_beats(const struct post *post);
size_t post_sent(const struct post *post); /* bytes of the request that went out */
unsigned post_status(const struct post *post);
struct text post_answer(const struct post *post); /* until the next start */

#endif
