/* download.h - a file of a web server, with limits on all of it.
 *
 * Of the internet, redirects are followed, a few, and each address is looked at as the first was;
 * of anything else they are not.
 */
#ifndef DELIVER_DOWNLOAD_H
#define DELIVER_DOWNLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

#define DOWNLOAD_MS 60000 /* for all of it */
#define DOWNLOAD_REDIRECTS 4

struct download;
struct requests;

/* Everything is copied; headers too, which stay with the first address. */
struct download_options {
	struct requests *requests;
	const char *url;
	const char *const *headers; /* "Name: value", ended by NULL; with them: no redirects */
	bool is_fixed;              /* no redirects: the address has a secret in it */
	bool is_direct;             /* where the configuration says */
	const char *closed;         /* what a redirect, 401 or 403 means there, or NULL; stays */
	size_t max;                 /* bytes; part() is the one who counts them */
	void *self;
	bool (*part)(void *self, struct text bytes); /* false: it ends, and done() is not called */
	void (*done)(void *self, const char *why);   /* last; NULL: all of it came */
};

/* NULL: why; then done() is not called. */
struct download *download_start(const struct download_options *options, struct error *why);
void download_cancel(struct download *d);

#endif
