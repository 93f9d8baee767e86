/* slack.h - what Slack says, and how a text looks there; pure. */
#ifndef DELIVER_SLACK_H
#define DELIVER_SLACK_H

#include "deliver/button.h"
#include "deliver/channel.h"
#include "signal/json.h"

#define SLACK_ID_MAX 32             /* with its end, of a person, a chat or a message */
#define SLACK_TEXT_MAX 3900         /* characters that read well in one message */
#define SLACK_BLOCK_MAX 3000        /* UTF-16 units of one block of it */
#define SLACK_LABEL_MAX 75          /* of a button */
#define SLACK_BODY_MAX (4 * MIB)    /* bytes of an answer */
#define SLACK_MESSAGE_MAX (1 * MIB) /* bytes of a message of the socket */

/* An answer to a method. */
struct slack_answer {
	bool is_good;
	struct text why, needed; /* of an error: its name, and the scope that is missing */
	struct text ts, url, cursor;
	yyjson_val *root;
};

/* False: it is none.  Valid until the next call with this reader. */
bool slack_read_answer(struct json_reader *reader, struct text body, struct slack_answer *answer);

/* Who the bot is: from auth.test. */
struct slack_self {
	char user[SLACK_ID_MAX]; /* "" until it is known */
};
bool slack_read_self(const struct slack_answer *answer, struct slack_self *self);

/* A message of the socket. */
enum slack_said {
	SLACK_HELLO,
	SLACK_GOODBYE, /* another connection has to take its place */
	SLACK_EVENT,
	SLACK_COMMAND, /* a command with a slash */
	SLACK_PRESS,
	SLACK_OTHER,
};
struct slack_envelope {
	enum slack_said said;
	struct text id; /* to be acknowledged; empty: there is none */
	yyjson_val *payload;
};
/* False: it is none.  Likewise valid. */
bool slack_read_envelope(struct json_reader *reader, struct text message,
                         struct slack_envelope *envelope);

/* A message of a person, of an event or a command.  Its ids are in the room that is given. */
struct slack_words {
	char message[2 * SLACK_ID_MAX + 64], sender[SLACK_ID_MAX], peer[SLACK_ID_MAX];
	char thread[SLACK_ID_MAX], reply_to[SLACK_ID_MAX], name[128];
	struct buf text;
	struct channel_file files[CHANNEL_FILES_MAX];
};
/* False: there is nothing in it for an agent.  The words are the inbound's. */
bool slack_read_message(const struct slack_envelope *envelope, const struct slack_self *self,
                        struct slack_words *words, struct channel_inbound *inbound);
/* Files of people are on Slack's own servers: there, and nowhere else, the token is shown. */
bool slack_has_file(const char *base, struct text url);
/* A button that was pressed; it lies in the envelope. */
bool slack_read_press(const struct slack_envelope *envelope, struct channel_press *press);

/* In messages of a history: that of this delivery and piece, of ours. */
struct slack_sought {
	struct text delivery, stale;
	unsigned piece;
	const struct slack_self *self;
};
bool slack_find_message(const struct slack_answer *history, const struct slack_sought *sought,
                        char ts[SLACK_ID_MAX]);

/* Where the bytes of a file go, and how it is called there. */
struct slack_place {
	char url[CHANNEL_WHERE_MAX + 1]; /* on a server of Slack's own; "": it is not known */
	char id[SLACK_ID_MAX];
};
bool slack_read_place(const struct slack_answer *answer, const char *base,
                      struct slack_place *place);

/* A file is found by its name, which has a mark of its delivery and piece: map-MARK.png. */
#define SLACK_MARK_LEN 12
void slack_mark(struct text delivery, unsigned piece, char mark[SLACK_MARK_LEN + 1]);
void slack_put_marked(struct text name, const char *mark, struct buf *out);

/* Is it a time of Slack's, which is how its messages are called? */
bool slack_is_ts(struct text ts);

/* Markdown as Slack's, in blocks that each fit: nothing of the text is a link, a mention or an
 * entity that is not meant so.  A plain one is just cut. */
typedef void slack_block_fn(void *self, struct text block);
void slack_cut_blocks(struct text markdown, bool is_plain, slack_block_fn *each, void *self);
void slack_put_escaped(struct text t, struct buf *out);

/* The same as JSON, with buttons below: block_id says which delivery and piece it is.  The text is
 * what notifications show. */
struct slack_shape {
	struct text delivery, text, actions; /* actions: as slack_put_actions() made it, or empty */
	unsigned piece;
	uint64_t edit; /* 0: it is not edited */
	bool is_plain;
};
void slack_put_blocks(const struct slack_shape *shape, struct buf *blocks, struct buf *text);
void slack_put_actions(const struct channel_button *buttons, unsigned count, struct buf *out);

/* NAME=VALUE, behind what is there. */
void slack_put_form(struct buf *out, const char *name, struct text value);

#endif
