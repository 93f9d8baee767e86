/* channel_terminal.c - `signalbox chat`, and whoever asks by POST /api/messages.
 *
 * The terminal reads the box's own signals: what is prepared for it is there for it, from any
 * position on.  So a message is accepted when it is begun, and a restart loses none.  That an agent
 * types is a signal, too: nex.typing.
 */
#include "base/must.h"
#include "deliver/channel.h"

#include <stdlib.h>

#define TERMINAL_MAX 100000 /* characters of one message */

struct terminal {
	struct channel_options options;
};

static void *terminal_open(const struct channel_options *options, struct error *why)
{
	struct terminal *t = must_zero(1, sizeof(*t));

	t->options = *options;
	return t;
}

static void terminal_close(void *self)
{
	free(self);
}

static void terminal_send(void *self, const struct channel_message *message)
{
	const struct terminal *t = self;

	t->options.answered(t->options.self,
	                    &(struct channel_result){.answer = CHANNEL_ACCEPTED,
	                                             .delivery = message->delivery,
	                                             .piece = message->piece,
	                                             .message = message->delivery});
}

const struct channel_kind channel_terminal = {
	.name = "terminal",
	.traits = {.limit = {CHUNK_POINTS, TERMINAL_MAX, 0},
                   .mode = CHANNEL_ACCUMULATES,
                   .can_recognise = true,
                   .can_type = true},
	.open = terminal_open,
	.close = terminal_close,
	.send = terminal_send,
	.look = terminal_send, /* what is prepared is there */
};
