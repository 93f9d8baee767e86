/* media.h - files that people sent, on the disk: DATA/media/REQUEST/NAME, for us alone.
 *
 * A file has its name when all of it is on the disk; a crash leaves none or the whole of it.
 * Those of a request go when they are old, and the oldest when all together are too much.
 */
#ifndef DELIVER_MEDIA_H
#define DELIVER_MEDIA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct media;
struct media_file;

struct media_rules {
	int64_t keep_ms; /* after which it goes */
	uint64_t room;   /* bytes of all */
	int64_t wall_ms;
	void *self;
	bool (*is_wanted)(void *self, struct text request); /* it stays, whatever it takes */
};

struct media *media_create(const char *data);
void media_destroy(struct media *m);

/* What is old goes, and the oldest until so many bytes fit. */
void media_sweep(struct media *m, const struct media_rules *rules, uint64_t needed);

/* Is it there, whole?  The path is the caller's; NULL: it is not. */
char *media_find(const struct media *m, const char *request, const char *name, uint64_t *size);

/* A file that is being written; NULL: why. */
struct media_file *media_begin(struct media *m, const struct media_rules *rules,
                               const char *request, const char *name, struct error *why);
bool media_add(struct media_file *f, struct text bytes, size_t max, struct error *why);
bool media_end(struct media_file *f, struct error *why); /* it is there; f is gone, both ways */
void media_drop(struct media_file *f);                   /* NULL is fine */

#endif
