/* discord_place.c - "LAST SEQ SESSION URL DM,DM,...", with a dash for what is not known. */
#include "deliver/discord/discord_place.h"

#include <stdio.h>

static bool is_plain_word(struct text word)
{
	for (size_t i = 0; i < word.len; i++)
		if ((unsigned char)word.at[i] <= ' ' || (unsigned char)word.at[i] >= 0x7F ||
		    word.at[i] == '"' || word.at[i] == '\\')
			return false;
	return word.len > 0;
}

bool discord_place_begin(struct discord_place *place, struct text session, struct text url)
{
	if (!is_plain_word(session) || session.len >= sizeof(place->session) ||
	    !is_plain_word(url) || url.len >= sizeof(place->url))
		return false;
	snprintf(place->session, sizeof(place->session), "%.*s", TEXT_ARG(session));
	snprintf(place->url, sizeof(place->url), "%.*s", TEXT_ARG(url));
	return true;
}

void discord_place_end(struct discord_place *place)
{
	place->session[0] = place->url[0] = '\0';
	place->seq = 0;
}

void discord_place_dm(struct discord_place *place, uint64_t chat)
{
	unsigned at = 0;

	while (at < place->dm_count && place->dms[at] != chat)
		at++;
	if (at == place->dm_count && place->dm_count < DISCORD_DMS)
		place->dm_count++;
	if (at == DISCORD_DMS)
		at--;
	memmove(place->dms + 1, place->dms, at * sizeof(*place->dms));
	place->dms[0] = chat;
}

void discord_place_read(struct discord_place *place, struct text text)
{
	struct text last = text_cut(text, ' ', &text), seq = text_cut(text, ' ', &text);
	struct text session = text_cut(text, ' ', &text), url = text_cut(text, ' ', &text);
	uint64_t number = 0;

	*place = (struct discord_place){0};
	if (!text_to_u64(last, &place->last))
		return;
	if (!text_is(session, "-") && text_to_u64(seq, &number) && number <= INT64_MAX &&
	    discord_place_begin(place, session, url))
		place->seq = (int64_t)number;
	while (text.len && place->dm_count < DISCORD_DMS) {
		if (text_to_u64(text_cut(text, ',', &text), &number) && number)
			place->dms[place->dm_count++] = number;
	}
}

void discord_place_put(const struct discord_place *place, struct buf *out)
{
	bool goes_on = place->session[0];

	buf_print(out, "%llu %lld %s %s ", (unsigned long long)place->last,
	          goes_on ? (long long)place->seq : 0LL, goes_on ? place->session : "-",
	          goes_on ? place->url : "-");
	for (unsigned i = 0; i < place->dm_count; i++)
		buf_print(out, "%s%llu", i ? "," : "", (unsigned long long)place->dms[i]);
}
