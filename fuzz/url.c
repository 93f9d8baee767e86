/* url.c - hostile URLs: what is taken keeps its promises, and libcurl, which goes
 * where we let it, reads the same host and port. */
#include "net/url.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "base/must.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_bytes(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		must(t.at[i] > ' ' && t.at[i] <= '~' && t.at[i] != '\\' && t.at[i] != '#');
}

static char *part(CURLU *curl, CURLUPart which)
{
	char *text = NULL;

	curl_url_get(curl, which, &text, CURLU_DEFAULT_PORT);
	return text;
}

/* Brackets are part of a host there. */
static void compare_host(const struct url *url, char *host)
{
	struct text theirs = text_of(host);

	must(theirs.len > 0);
	if (theirs.at[0] == '[')
		theirs = (struct text){theirs.at + 1, theirs.len - 2};
	must(text_equal_nocase(theirs, text_of(url->host)));
}

static void compare(const struct url *url, struct text text)
{
	char *whole = text_dup(text), *host, *port, *user;
	CURLU *curl = curl_url();
	uint64_t number;

	must(curl_url_set(curl, CURLUPART_URL, whole, CURLU_PATH_AS_IS) == CURLUE_OK);
	host = part(curl, CURLUPART_HOST);
	port = part(curl, CURLUPART_PORT);
	user = part(curl, CURLUPART_USER);
	must(!user && port && text_to_u64(text_of(port), &number) && number == url->port);
	/* Libcurl writes IPv6 addresses anew. */
	if (!url->is_literal || !strchr(url->host, ':'))
		compare_host(url, host);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(curl);
	free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *own = must_alloc(n);
	struct text text = {own, n};
	struct error why = {""};
	struct url url;

	memcpy(own, data, n);
	if (url_parse(&url, text, &why)) {
		must(url.port > 0 && url.host[0] && url.path.len && url.path.at[0] == '/');
		check_bytes(url.authority);
		check_bytes(url.path);
		check_bytes(url.query);
		url_is_loopback(&url);
		if (!url.is_ws)
			compare(&url, text);
	} else {
		must(why.words[0]);
	}
	free(own);
	return 0;
}
