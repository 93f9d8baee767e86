/* download.c - a file of a web server. */
#include "deliver/download.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/request.h"
#include "net/url.h"

#define CONNECT_MS 10000
#define IDLE_MS 20000

struct download {
	struct download_options options;
	struct request *request;
	char *url;
	unsigned redirects;
	int status;
	bool follows; /* to url, when this answer is over */
};

static bool begin_download(struct download *d, struct error *why);

static void free_download(struct download *d)
{
	explicit_bzero(d->url, strlen(d->url));
	free(d->url);
	free(d);
}

/* Where a redirect leads: an address, or a path of the same server.  NULL: nowhere. */
static char *resolve(const char *from, struct text to)
{
	struct url url, next;
	struct error why;
	char *whole;

	if (!url_parse(&url, text_of(from), &why))
		return NULL;
	if (to.len > 1 && to.at[0] == '/' && to.at[1] != '/')
		return must_print("%.*s://%.*s%.*s", TEXT_ARG(url.scheme), TEXT_ARG(url.authority),
		                  TEXT_ARG(to));
	whole = text_dup(to);
	if (url_parse(&next, text_of(whole), &why) && !next.is_ws &&
	    (next.is_secure || !url.is_secure))
		return whole;
	free(whole);
	return NULL;
}

static void heard_head(void *self, const struct request_head *head)
{
	struct download *d = self;
	const struct download_options *o = &d->options;
	char *next;

	d->status = head->status;
	d->follows = false;
	if (head->status < 300 || head->status > 399 || !head->location.len || o->is_fixed ||
	    o->headers || d->redirects >= DOWNLOAD_REDIRECTS)
		return;
	next = resolve(d->url, head->location);
	if (!next)
		return;
	free(d->url);
	d->url = next;
	d->redirects++;
	d->follows = true;
}

static void heard_body(void *self, struct text bytes)
{
	struct download *d = self;

	if (d->status == 200 && !d->options.part(d->options.self, bytes))
		download_cancel(d);
}

static void end(struct download *d, const char *why)
{
	d->options.done(d->options.self, why);
	free_download(d);
}

/* It wants somebody to log in. */
static bool is_closed(const struct download *d)
{
	return (d->status >= 300 && d->status <= 399) || d->status == 401 || d->status == 403;
}

static void is_done(void *self, const char *why)
{
	struct download *d = self;
	struct error wrong;
	char words[64];

	d->request = NULL;
	if (d->follows && begin_download(d, &wrong))
		return;
	snprintf(words, sizeof(words), "its server answers %d", d->status);
	if (!d->follows && d->options.closed && is_closed(d))
		why = d->options.closed;
	end(d, d->follows ? wrong.words : why ? why : d->status == 200 ? NULL : words);
}

static bool begin_download(struct download *d, struct error *why)
{
	d->follows = false;
	d->status = 0;
	d->request =
		request_start(d->options.requests,
	                      &(struct request_options){
				      .url = d->url,
				      .headers = d->options.headers,
				      .is_direct = d->options.is_direct,
				      .is_public = !d->options.is_direct && !d->options.is_fixed,
				      .connect_ms = CONNECT_MS,
				      .head_ms = IDLE_MS,
				      .idle_ms = IDLE_MS,
				      .total_ms = DOWNLOAD_MS,
				      .body_max = 2 * d->options.max,
				      .self = d,
				      .head = heard_head,
				      .heard = heard_body,
				      .done = is_done,
			      },
	                      why);
	return d->request != NULL;
}

struct download *download_start(const struct download_options *options, struct error *why)
{
	struct download *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->url = must_dup(options->url);
	if (begin_download(d, why)) {
		d->options.url = NULL;
		return d;
	}
	free_download(d);
	return NULL;
}

void download_cancel(struct download *d)
{
	if (!d)
		return;
	if (d->request)
		request_cancel(d->request);
	free_download(d);
}
