/* discord.h - what Discord says, and what is said to it; pure.
 *
 * Ids are snowflakes: numbers as text, the time in their upper bits, so that an id is a moment in
 * every chat.
 */
#ifndef DELIVER_DISCORD_H
#define DELIVER_DISCORD_H

#include "deliver/button.h"
#include "deliver/channel.h"
#include "signal/json.h"

#define DISCORD_ID_MAX 21           /* characters of a snowflake, with the NUL */
#define DISCORD_TEXT_MAX 2000       /* code points of a message */
#define DISCORD_LINES_MAX 17        /* that are read without a click */
#define DISCORD_FRAME_MAX (8 * MIB) /* bytes of a frame of the gateway, and of an answer */
#define DISCORD_NONCE_LEN 24
#define DISCORD_ROW 5 /* buttons beside each other */
#define DISCORD_ROWS 5

struct discord_self {
	char id[DISCORD_ID_MAX]; /* "" until it is known */
	char name[64];
};
bool discord_read_self(yyjson_val *user, struct discord_self *self);

/* What a server does not let the bot do, in people's words; false: nothing that is needed. */
bool discord_lacks(yyjson_val *guild, char *words, size_t room);

/* An id, as a number; 0: it is none. */
uint64_t discord_id(struct text id);
uint64_t discord_id_at(yyjson_val *object, const char *name);
uint64_t discord_id_of_time(int64_t wall_ms); /* the first of that moment */

/* ---- the gateway: discord_read.c ---- */

enum discord_op {
	DISCORD_DISPATCH = 0,
	DISCORD_HEARTBEAT = 1,
	DISCORD_IDENTIFY = 2,
	DISCORD_RESUME = 6,
	DISCORD_RECONNECT = 7,
	DISCORD_INVALID_SESSION = 9,
	DISCORD_HELLO = 10,
	DISCORD_ACK = 11,
};

struct discord_frame {
	int64_t op, seq; /* seq -1: it has none */
	struct text event;
	yyjson_val *data;
};
/* False: it is none.  Valid until the next call with this reader. */
bool discord_read_frame(struct json_reader *reader, struct text raw, struct discord_frame *frame);

/* What a close of the gateway means. */
struct discord_close {
	const char *words; /* NULL: nothing that a person has to do something about */
	bool is_final;     /* to come again changes nothing */
	bool ends_session; /* it cannot be resumed */
};
struct discord_close discord_read_close(unsigned code);

/* A message of a person.  Its ids are in the room that is given. */
struct discord_words {
	char message[DISCORD_ID_MAX], sender[DISCORD_ID_MAX], peer[DISCORD_ID_MAX];
	char reply_to[DISCORD_ID_MAX], name[256];
	bool in_guild; /* given: of the history, which does not say it */
	struct buf text;
	struct channel_file files[CHANNEL_FILES_MAX];
};
/* False: there is nothing in it for an agent.  The words are the inbound's. */
bool discord_read_message(yyjson_val *message, const struct discord_self *self,
                          struct discord_words *words, struct channel_inbound *inbound);

/* Files of people are on Discord's own servers, or on that of the base that is configured. */
bool discord_has_file(const char *base, struct text url);

/* A button that was pressed; false: it is something else. */
struct discord_pressed {
	char press[512]; /* ID/TOKEN */
	char sender[DISCORD_ID_MAX], peer[DISCORD_ID_MAX], name[256];
};
bool discord_read_press(yyjson_val *interaction, struct discord_pressed *words,
                        struct channel_press *press);

/* ---- answers: discord_read.c ---- */

/* NULL: it is no JSON.  Valid until the next call with this reader. */
yyjson_val *discord_read_body(struct json_reader *reader, struct text body);

struct discord_error {
	int64_t code;
	int64_t after_ms; /* of a 429 */
	bool is_global;
	struct text why;
};
void discord_read_error(struct json_reader *reader, struct text body, struct discord_error *error);

/* The id of the message of ours with this nonce in a page of the history, or 0; oldest: of the
 * page, or 0. */
uint64_t discord_find_nonce(yyjson_val *page, const struct discord_self *self, const char *nonce,
                            uint64_t *oldest);

/* ---- what is said: discord_write.c ---- */

/* The same for ever: Discord knows a message that is sent again by it. */
void discord_nonce(const struct channel_message *m, char nonce[DISCORD_NONCE_LEN + 1]);

/* The body of a message, or of an edit, which has no nonce and answers nothing. */
struct discord_saying {
	const struct channel_message *message;
	const char *nonce; /* NULL: it is an edit */
};
void discord_put_message(const struct discord_saying *saying, struct buf *out);
/* What is no Markdown looks as it is: it has no marks, and rings nobody. */
void discord_put_plain(struct text text, struct buf *out);
void discord_put_told(struct text words, struct buf *out); /* the answer to a press */

#endif
