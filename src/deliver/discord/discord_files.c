/* discord_files.c - files that people sent: fetched from where Discord keeps them.
 *
 * An address of theirs has a signature of its own, which ends after a day: no token goes there.
 */
#include <stdlib.h>

#include "base/must.h"
#include "deliver/discord/discord_inside.h"
#include "net/url.h"

static const char *const discord_hosts[] = {"cdn.discordapp.com", "media.discordapp.net"};

static bool is_of_base(const char *base, struct text url)
{
	struct url own, its;
	struct error why;

	return url_parse(&own, text_of(base), &why) && url_parse(&its, url, &why) && !its.is_ws &&
	       its.is_secure == own.is_secure && its.port == own.port &&
	       strcmp(its.host, own.host) == 0;
}

bool discord_has_file(const char *base, struct text url)
{
	struct url its;
	struct error why;
	bool is_known = false;

	if (is_of_base(base, url))
		return true;
	if (!url_parse(&its, url, &why))
		return false;
	for (size_t i = 0; i < sizeof(discord_hosts) / sizeof(*discord_hosts); i++)
		is_known |= strcmp(its.host, discord_hosts[i]) == 0;
	return is_known && its.is_secure && !its.is_ws && its.port == URL_HTTPS_PORT;
}

void discord_fetch(void *self, const struct channel_fetch *fetch)
{
	struct discord_chat *d = self;
	char *url;

	if (!discord_has_file(d->base, fetch->where)) {
		fetches_fail(&d->fetches, fetch->number, TEXT("it is on no server of Discord's"));
		return;
	}
	url = text_dup(fetch->where);
	fetches_web(&d->fetches, fetch->number,
	            &(struct download_options){.url = url,
	                                       .is_direct = d->is_direct &&
	                                                    is_of_base(d->base, fetch->where),
	                                       .is_fixed = true});
	free(url);
}
