/* telegram.h - what Telegram's Bot API says, and how a text looks there; pure. */
#ifndef DELIVER_TELEGRAM_H
#define DELIVER_TELEGRAM_H

#include "deliver/button.h"
#include "deliver/channel.h"
#include "signal/json.h"

#define TELEGRAM_ID_MAX 21          /* characters of a number */
#define TELEGRAM_TEXT_MAX 4000      /* UTF-16 units: 4096, less what mentions may add */
#define TELEGRAM_BODY_MAX (8 * MIB) /* bytes of an answer */

/* An answer to a method. */
struct telegram_answer {
	bool is_good;
	int64_t code;       /* of an error, as HTTP has them */
	struct text why;    /* its description */
	int64_t after_s;    /* retry_after; 0: not said */
	yyjson_val *result; /* of a good one */
	int64_t message;    /* its message_id, or 0 */
};

/* False: it is none.  Valid until the next call with this reader. */
bool telegram_read_answer(struct json_reader *reader, struct text body,
                          struct telegram_answer *answer);

/* Who the bot is: from getMe. */
struct telegram_self {
	int64_t id;
	char name[64]; /* without the at sign; "" until it is known */
};
bool telegram_read_self(yyjson_val *user, struct telegram_self *self);

/* A message of a person, of an update.  Its ids are in the room that is given. */
struct telegram_words {
	char message[2 * TELEGRAM_ID_MAX + 2], sender[TELEGRAM_ID_MAX], peer[TELEGRAM_ID_MAX];
	char thread[TELEGRAM_ID_MAX], reply_to[TELEGRAM_ID_MAX], name[256];
	char place[TELEGRAM_ID_MAX];
	struct buf text;
	struct channel_file file; /* one at most: an album is several messages */
};
/* The number of the update, or -1: it is none. */
int64_t telegram_update(yyjson_val *update);
/* False: there is nothing in it for an agent.  The words are the inbound's. */
bool telegram_read_message(yyjson_val *update, const struct telegram_self *self,
                           struct telegram_words *words, struct channel_inbound *inbound);

/* A button that a person pressed.  False: it is none.  Texts are of the words and the update. */
bool telegram_read_press(yyjson_val *update, struct telegram_words *words,
                         struct channel_press *press);

/* Where a file is, of an answer to getFile: a path that changes no URL.  Empty: none. */
struct text telegram_read_path(yyjson_val *file);

/* The number of the message in a name of telegram_read_message(), or 0. */
int64_t telegram_message_number(struct text id);

/* Markdown as HTML of Telegram's kind: balanced, with nothing of the text as a tag; names that
 * would ring somebody do not. */
void telegram_put_html(struct text markdown, struct buf *out);
void telegram_put_plain(struct text markdown, struct buf *out); /* likewise, as it is */

#endif
