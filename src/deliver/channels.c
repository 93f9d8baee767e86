/* channels.c - every channel. */
#include "deliver/channels.h"

#include "base/buf.h"

extern const struct channel_kind channel_discord;
extern const struct channel_kind channel_file;
extern const struct channel_kind channel_irc;
extern const struct channel_kind channel_ntfy;
extern const struct channel_kind channel_slack;
extern const struct channel_kind channel_telegram;
extern const struct channel_kind channel_terminal;

/* clang-format off */
const struct channel_kind *const channels[] = {
	&channel_terminal,
	&channel_discord,
	&channel_file,
	&channel_irc,
	&channel_ntfy,
	&channel_slack,
	&channel_telegram,
	NULL,
};
/* clang-format on */

const struct channel_kind *channel_find(struct text name)
{
	for (const struct channel_kind *const *c = channels; *c; c++)
		if (text_is(name, (*c)->name))
			return *c;
	return NULL;
}

bool channel_names_all(struct text name)
{
	const struct channel_kind *kind = channel_find(name);

	return kind && kind->traits.names_all;
}

bool channel_check(struct text name, struct error *why)
{
	struct buf known;

	if (channel_find(name))
		return true;
	buf_init(&known, KIB);
	for (const struct channel_kind *const *c = channels; *c; c++)
		buf_print(&known, "%s%s", c == channels ? "" : ", ", (*c)->name);
	error_set(why, "'%.*s' is no channel: %.*s", TEXT_ARG(name), TEXT_ARG(buf_text(&known)));
	buf_finish(&known);
	return false;
}

static const char *const peers[] = {
	[CHANNEL_DM] = "dm", [CHANNEL_GROUP] = "group", [CHANNEL_BROADCAST] = "channel"};

#define PEERS (sizeof(peers) / sizeof(*peers))

const char *channel_peer_name(enum channel_peer peer)
{
	return peers[peer];
}

bool channel_read_peer(struct text word, enum channel_peer *peer)
{
	for (unsigned i = 0; i < PEERS; i++)
		if (text_is(word, peers[i])) {
			*peer = (enum channel_peer)i;
			return true;
		}
	return false;
}
