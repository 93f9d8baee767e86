/* slack_files.c - files that people sent: fetched from Slack, with the token of the bot. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "deliver/slack/slack_inside.h"
#include "net/url.h"

bool slack_has_file(const char *base, struct text url)
{
	struct url own, its;
	struct error why;
	char host[URL_HOST_MAX + 16];

	if (!url_parse(&own, text_of(base), &why) || !url_parse(&its, url, &why))
		return false;
	snprintf(host, sizeof(host), "files.%s", own.host);
	return !its.is_ws && its.is_secure == own.is_secure && its.port == own.port &&
	       (strcmp(its.host, own.host) == 0 || strcmp(its.host, host) == 0);
}

static void hide(void *self, char *words, size_t room)
{
	slack_hide(self, words);
}

void slack_files_init(struct slack_chat *t)
{
	fetches_init(&t->fetches, &t->options);
	t->fetches.self = t;
	t->fetches.hide = hide;
}

void slack_fetch(void *self, const struct channel_fetch *fetch)
{
	struct slack_chat *t = self;
	char *url = text_dup(fetch->where);
	char *bearer = must_print("Authorization: Bearer %s", t->token);
	const char *const headers[] = {bearer, NULL};

	if (!fetch->where.len)
		fetches_fail(&t->fetches, fetch->number, TEXT("Slack does not say where it is"));
	else if (!slack_has_file(t->base, fetch->where))
		fetches_fail(&t->fetches, fetch->number, TEXT("it is on no server of Slack's"));
	else
		fetches_web(&t->fetches, fetch->number,
		            &(struct download_options){
				    .url = url,
				    .headers = headers,
				    .is_direct = t->is_direct,
				    .is_fixed = true,
				    .closed = "Slack does not let the bot read it: it needs the "
					      "scope files:read"});
	secret_forget(bearer);
	free(url);
}
