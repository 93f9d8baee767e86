/* fetches.h - what channels share that fetch files for people: from the web, and from the disk. */
#ifndef DELIVER_FETCHES_H
#define DELIVER_FETCHES_H

#include "base/list.h"
#include "deliver/channel.h"
#include "deliver/download.h"

/* Its owner sets the options and, if words may have a secret in them, hide(). */
struct fetches {
	const struct channel_options *options;
	struct requests *requests;
	void *self;
	void (*hide)(void *self, char *words, size_t room);
	struct link all; /* under way */
};

void fetches_init(struct fetches *f, const struct channel_options *options);
void fetches_finish(struct fetches *f);

/* part() and fetched() of the options follow.  Of a download only where it is, its headers and
 * how it is reached are looked at. */
void fetches_web(struct fetches *f, uint64_t number, const struct download_options *download);
void fetches_beneath(struct fetches *f, uint64_t number, const char *directory, const char *path);
void fetches_fail(const struct fetches *f, uint64_t number, struct text why);

#endif
