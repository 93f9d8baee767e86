/* ntfy.h - what a server of ntfy says, and what it is told; pure. */
#ifndef DELIVER_NTFY_H
#define DELIVER_NTFY_H

#include "deliver/button.h"
#include "deliver/channel.h"
#include "signal/json.h"

/* Bytes of a text.  A message holds 4096; the JSON around it, in which each character may be two,
 * 8192 with the buttons. */
#define NTFY_TEXT_MAX 3000
#define NTFY_BUTTONS 3
#define NTFY_LINE_MAX (64 * KIB)

/* The name of a topic: letters, digits, - and _, at most 64. */
bool ntfy_is_topic(struct text name);

/* A line of a stream. */
struct ntfy_event {
	bool is_open, is_message;
	struct text id, topic, title, message;
};
/* False: it is none.  Valid until the next call with this reader. */
bool ntfy_read_event(struct json_reader *reader, struct text line, struct ntfy_event *event);

/* Why something was refused; empty: it does not say. */
struct text ntfy_read_refusal(struct json_reader *reader, struct text body);

/* The message as JSON.  Its buttons are requests to `press`, the base of our own URL; without one
 * it says where to answer. */
void ntfy_put_message(const struct channel_message *m, const char *press, struct buf *out);

/* "NAME: VALUE", a field of a head: in one line, whatever the value has. */
void ntfy_put_field(const char *name, struct text value, struct buf *out);

#endif
