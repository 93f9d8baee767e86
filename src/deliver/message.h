/* message.h - what goes to a chat. */
#ifndef DELIVER_MESSAGE_H
#define DELIVER_MESSAGE_H

#include "deliver/wrote.h"

struct channel_button; /* button.h */

/* A picture or a file, with can_media.  It stays where it is while its delivery is under way. */
struct channel_upload {
	char *path;       /* whole, readable by us alone */
	struct text name; /* for people: the end of the path */
	struct text type; /* of a table of ours */
	enum channel_file_kind kind;
	uint64_t size;
};

/* What goes there.  delivery and piece name it for ever. */
struct channel_message {
	struct text delivery;
	unsigned piece; /* from 1 on */
	struct text peer, thread, reply_to, text;
	struct text message; /* of edit() and remove(): the platform's id */
	double since_ms;     /* of look(): by the wall clock, it is not older */
	bool is_file;        /* likewise: a file is looked for */
	struct text stale;   /* ids that it is not but takes the place of, with spaces between */
	bool is_plain;       /* no Markdown: it is shown as it is */
	bool grows;          /* of send(), with can_stream: more follows by stream() */
	const struct channel_button *buttons;
	unsigned button_count;
	const struct channel_upload *file; /* it is that, and the text its caption; or NULL */
};

#endif
