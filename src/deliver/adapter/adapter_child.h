/* adapter_child.h - one command of an adapter: begun, heard, ended.
 *
 * A lasting one is begun again when it ends, after a rest that doubles; after five in a row it has
 * failed and is tried every five minutes.  Ten minutes without an end forget earlier ones.  Another
 * has a deadline and an answer.
 */
#ifndef DELIVER_ADAPTER_CHILD_H
#define DELIVER_ADAPTER_CHILD_H

#include "deliver/adapter/adapter_line.h"
#include "net/loop.h"
#include "net/process.h"

struct adapter_child_options {
	struct loop *loop;
	struct processes *processes;
	const char *account;                  /* for the log */
	const char *const *argv, *const *env; /* ended by NULL; copied */
	const char *directory;
	unsigned ms;      /* after which it is ended; 0: it lasts */
	size_t input_max; /* of its standard input; 0: it has none */
	bool has_lines;   /* line() hears it; else over() has all of it */
	void *self;
	bool (*line)(void *self, struct text line, struct error *why); /* false: it is garbage */
	void (*began)(void *self); /* of a lasting one; may be NULL */
	/* It ended, a lasting one for now.  why: NULL if all is well.  The answer is empty where it
	 * has lines.  The child may be destroyed from inside. */
	void (*over)(void *self, struct text answer, const char *why);
};

struct adapter_child;

/* No callback comes from inside; one that cannot be begun is over a moment later. */
struct adapter_child *adapter_child_create(const struct adapter_child_options *options);
void adapter_child_destroy(struct adapter_child *c); /* NULL is fine */

bool adapter_child_runs(const struct adapter_child *c);               /* NULL: no */
bool adapter_child_write(struct adapter_child *c, struct text bytes); /* all of them or none */
void adapter_child_close_input(struct adapter_child *c);
/* The arguments of the next time. */
void adapter_child_set(struct adapter_child *c, const char *const *argv);
void adapter_child_end(struct adapter_child *c, const char *why); /* over() will come */
void adapter_child_hush(struct adapter_child *c, bool hush);      /* nobody can hear it now */

#endif
