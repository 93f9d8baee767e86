/* loop.h - the one I/O thread: libuv, with four things of ours around it.
 *
 *   later     a call that is better made when nobody is in the middle of
 *             something: at the end of the turn, before the turn's work
 *   turn      work at the end of every turn of the loop, in the order of
 *             joining: that is where a turn's news goes out in one send
 *   grave     what died during a turn is freed after its end, so that nothing
 *             dies in the middle of a call
 *   deadline  coarse timers on one wheel: ten thousand connections cost one
 *             libuv timer
 *
 * Everything here belongs to the loop's thread, except wake_up().
 */
#ifndef NET_LOOP_H
#define NET_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"

struct pool;
struct tls_context;
struct uv_loop_s;

struct loop;
struct wake;

struct loop *loop_create(void);
void loop_destroy(struct loop *loop); /* after loop_run has returned */
void loop_run(struct loop *loop);     /* until loop_stop */
void loop_stop(struct loop *loop);

/* For a program that has a poll() of its own: the descriptor to wait for, how many ms at most
 * (-1: for ever), and one turn that does what can be done then.  waits: until something is. */
int loop_fd(const struct loop *loop);
int loop_patience(const struct loop *loop);
void loop_step(struct loop *loop, bool waits);

struct uv_loop_s *loop_uv(struct loop *loop);
uint64_t loop_now_ms(const struct loop *loop); /* monotonic, read once a turn */
void loop_read_clock(struct loop *loop);       /* and again, by who took long within one */

/* Called once.  Asking for one that is asked for already is fine. */
struct later {
	void (*run)(struct later *later);
	struct link in_loop; /* loop.laters; all zeroes when not asked for */
};
void loop_later(struct loop *loop, struct later *later);
void loop_forget(struct later *later);

/* True from end(): there is more to do, so look at the sockets without waiting
 * and call again. */
struct turn {
	bool (*end)(struct turn *turn);
	struct link in_loop; /* loop.turns */
};
void loop_add_turn(struct loop *loop, struct turn *turn);
void loop_remove_turn(struct turn *turn);

struct grave {
	void (*free)(struct grave *grave);
	struct link in_loop; /* loop.graves */
};
void loop_bury(struct loop *loop, struct grave *grave);

/* Fires once, at most DEADLINE_TICK_MS late.  A deadline of all zeroes is not
 * set; setting one that is set moves it; clearing one that is not is fine. */
#define DEADLINE_TICK_MS 250
struct deadline {
	void (*fire)(struct deadline *deadline);
	struct link in_wheel; /* loop.wheel[] */
	uint64_t due_tick;
};
void deadline_set(struct loop *loop, struct deadline *deadline, unsigned after_ms);
/* At the next beat, with all others that wait for it: for those who look at something again and
 * again, so that an idle loop wakes up for all of them at once. */
#define DEADLINE_BEAT_MS 1500
void deadline_set_beat(struct loop *loop, struct deadline *deadline);
void deadline_clear(struct deadline *deadline);

/* What one peer, or one piece of work, may take of a turn before the others have theirs.  It
 * begins now, which is returned; and is it over? */
#define SLICE_NS (250 * 1000)
#define SLICE_OWN_NS (4 * SLICE_NS) /* of our own programs: for bursts that belong together */
uint64_t loop_slice(struct loop *loop, uint64_t ns);
bool loop_slice_is_over(const struct loop *loop);

/* Where every connection receives: LOOP_INPUT bytes, gone with the next call. */
#define LOOP_INPUT (64 * KIB)
char *loop_input(struct loop *loop);

/* Where every connection lives. */
struct pool *loop_conns(struct loop *loop);

/* What every TLS connection that we open goes by; made when first asked for. */
struct tls_context *loop_tls(struct loop *loop);

/* fn runs on the loop's thread soon after wake_up() was called on any. */
struct wake *wake_create(struct loop *loop, void (*fn)(void *self), void *self);
void wake_up(struct wake *wake); /* any thread */
void wake_destroy(struct wake *wake);

#endif
