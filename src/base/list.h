/* list.h - intrusive lists: the link is in the thing.
 *
 * A link field says in its comment which list it is in.  A link that is in no
 * list points at itself, so taking it out twice is harmless.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

struct link {
	struct link *next, *prev;
};

static inline void list_init(struct link *l)
{
	l->next = l->prev = l;
}

static inline bool list_is_empty(const struct link *l)
{
	return l->next == l;
}

static inline void list_remove(struct link *l)
{
	assert(l->next->prev == l && l->prev->next == l);
	l->next->prev = l->prev;
	l->prev->next = l->next;
	list_init(l);
}

/* Puts l before `at`; with a list's head that is its end. */
static inline void list_add(struct link *at, struct link *l)
{
	assert(at->prev->next == at);
	l->prev = at->prev;
	l->next = at;
	at->prev->next = l;
	at->prev = l;
}

#define list_of(link_, type, field) ((type *)((char *)(link_) - (offsetof(type, field))))

/* The body may take out the current one, and nothing else. */
#define list_each(head, l) \
	for (struct link *l = (head)->next, *l##_next = l->next; l != (head); \
	     l = l##_next, l##_next = l->next)

#endif
