/* channels.h - the list of every kind of chat. */
#ifndef DELIVER_CHANNELS_H
#define DELIVER_CHANNELS_H

#include "deliver/channel.h"

/* Ended by NULL. */
extern const struct channel_kind *const channels[];
const struct channel_kind *channel_find(struct text name);
/* Of a channel that none of them is: a program connects it (docs/adapters.md), and what its
 * messages can do is learned from that. */
struct channel_kind channel_outside(const char *name);
/* Is a sender the same person in all accounts of it?  Of what is outside nobody knows. */
bool channel_names_all(struct text name);
bool channel_check(struct text name, struct error *why);

#endif
