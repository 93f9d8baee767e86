/* place.c - see place.h. */
#include "voice/place.h"

#include <stdlib.h>

#include "base/must.h"
#include "net/url.h"

/* Hosts are read as those of URLs are: nothing that two readers could read in two ways. */
static bool read_host(struct text url_text, struct voice_place *out, struct error *why)
{
	struct url url;

	if (!url_parse(&url, url_text, why))
		return false;
	if (url.query.at || url.is_ws)
		return error_set(why, "an engine is at http(s)://HOST/v1, without a query");
	out->is_hosted = !url_is_loopback(&url);
	return true;
}

static bool read_tcp(struct text rest, struct voice_place *out, struct error *why)
{
	char *url = must_print("http://%.*s", TEXT_ARG(rest));
	bool good = read_host(text_of(url), out, why);

	free(url);
	return good;
}

static bool read_form(struct text written, struct voice_place *out, struct error *why)
{
	struct text tcp = TEXT("tcp://");

	if (text_starts(written, TEXT("http://")) || text_starts(written, TEXT("https://"))) {
		out->form = VOICE_HTTP;
		return read_host(written, out, why);
	}
	if (text_is(written, "local")) {
		out->form = VOICE_LOCAL;
		return true;
	}
	if (!text_starts(written, tcp) && !text_starts(written, TEXT("unix:")))
		return error_set(why,
		                 "an engine is at tcp://HOST:PORT, unix:PATH, http(s)://HOST/v1 or "
		                 "local, not at '%.*s'",
		                 TEXT_ARG(written));
	out->form = VOICE_WYOMING;
	if (!wyoming_place_read(written, &out->wyoming, why))
		return false;
	return !out->wyoming.host ||
	       read_tcp((struct text){written.at + tcp.len, written.len - tcp.len}, out, why);
}

bool voice_place_read(struct text written, struct voice_place *out, struct error *why)
{
	*out = (struct voice_place){0};
	if (!written.len)
		return true;
	if (!read_form(written, out, why)) {
		voice_place_finish(out);
		return false;
	}
	out->written = text_dup(written);
	return true;
}

void voice_place_finish(struct voice_place *place)
{
	wyoming_place_finish(&place->wyoming);
	free(place->written);
	*place = (struct voice_place){0};
}
