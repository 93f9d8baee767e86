/* fetches.c - files for people, from the web and from the disk. */
#include "deliver/fetches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "deliver/beneath.h"
#include "deliver/files.h"
#include "net/request.h"

#define READ_MAX (64 * KIB)

struct fetch {
	struct fetches *of;
	uint64_t number;
	struct download *download;
	struct link in_all;
};

void fetches_init(struct fetches *f, const struct channel_options *options)
{
	*f = (struct fetches){.options = options};
	list_init(&f->all);
}

static void free_fetch(struct fetch *one)
{
	list_remove(&one->in_all);
	free(one);
}

void fetches_finish(struct fetches *f)
{
	while (!list_is_empty(&f->all)) {
		struct fetch *one = list_of(f->all.next, struct fetch, in_all);

		download_cancel(one->download);
		free_fetch(one);
	}
	if (f->requests)
		requests_destroy(f->requests);
}

void fetches_fail(const struct fetches *f, uint64_t number, struct text why)
{
	struct error words;

	snprintf(words.words, sizeof(words.words), "%.*s", why.len < 200 ? (int)why.len : 200,
	         why.at ? why.at : "");
	if (f->hide)
		f->hide(f->self, words.words, sizeof(words.words));
	f->options->fetched(f->options->self, number, &words);
}

/* ---- from the web ---- */

static bool web_part(void *self, struct text bytes)
{
	struct fetch *one = self;

	if (one->of->options->part(one->of->options->self, one->number, bytes))
		return true;
	free_fetch(one);
	return false;
}

static void web_done(void *self, const char *why)
{
	struct fetch *one = self;
	const struct fetches *f = one->of;
	uint64_t number = one->number;

	free_fetch(one);
	if (why)
		fetches_fail(f, number, text_of(why));
	else
		f->options->fetched(f->options->self, number, NULL);
}

void fetches_web(struct fetches *f, uint64_t number, const struct download_options *download)
{
	struct fetch *one = must_zero(1, sizeof(*one));
	struct download_options o = *download;
	struct error why;

	if (!f->requests)
		f->requests = requests_create(f->options->loop);
	one->of = f;
	one->number = number;
	list_init(&one->in_all);
	list_add(&f->all, &one->in_all);
	o.requests = f->requests;
	o.max = FILES_BYTES_MAX;
	o.self = one;
	o.part = web_part;
	o.done = web_done;
	one->download = download_start(&o, &why);
	if (one->download)
		return;
	free_fetch(one);
	fetches_fail(f, number, text_of(why.words));
}

/* ---- from the disk ---- */

void fetches_beneath(struct fetches *f, uint64_t number, const char *directory, const char *path)
{
	struct error why;
	int fd = beneath_open(directory, path, FILES_BYTES_MAX, &why);
	char *room;
	ssize_t n;

	if (fd < 0) {
		fetches_fail(f, number, text_of(why.words));
		return;
	}
	room = must_alloc(READ_MAX);
	while ((n = read(fd, room, READ_MAX)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 &&
		    !f->options->part(f->options->self, number, (struct text){room, (size_t)n}))
			break;
	close(fd);
	free(room);
	if (n < 0)
		fetches_fail(f, number, TEXT("it cannot be read"));
	else if (n == 0)
		f->options->fetched(f->options->self, number, NULL);
}
