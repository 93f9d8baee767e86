/* outbox_inside.h - what the files of outbox.h share. */
#ifndef DELIVER_OUTBOX_INSIDE_H
#define DELIVER_OUTBOX_INSIDE_H

#include "base/map.h"
#include "deliver/dues.h"
#include "deliver/outbox.h"

#define OUTBOX_TRIALS 16    /* letters that are begun at once before a channel has answered one */
#define OUTBOX_CHAT_MAX 300 /* letters of a chat, to people whom nobody knows, ... */
#define OUTBOX_ROOM 200     /* ... who leave so many places of an account, and of all, for others */

/* Letters of one account. */
struct outbox_account {
	char *name;
	size_t letters;   /* that are not over */
	unsigned begun;   /* of these, that are started */
	bool is_there;    /* its channel has answered, and was not away since */
	struct link held; /* outbox_chat.in_work: they wait for it */
	struct due due;   /* when these are looked at */
};

/* Letters of one chat leave one after the other. */
struct outbox_chat {
	struct outbox_account *account;
	struct link letters; /* letter.in_chat, oldest first */
	unsigned count;
	struct link in_work; /* outbox.stirred, outbox.unsaved, outbox_account.held, or in none */
	struct due due;
};

struct outbox {
	struct outbox_options options;
	char *again;
	uint64_t began_seq; /* what is older is of another life */
	uint64_t durable;   /* as far as was looked at */
	bool is_working;
	struct map chats;    /* struct outbox_chat, by account and peer */
	struct map accounts; /* struct outbox_account, by name */
	struct link stirred; /* chats that something happened to */
	struct link unsaved; /* that wait for the disk */
	struct dues dues, account_dues;
};

void outbox_begin_signal(const struct letter *l, const char *type, struct buf *out);
void outbox_tell_piece(const struct outbox *o, struct letter *l, const char *type, struct text id);
void outbox_tell_words(const struct outbox *o, struct letter *l, const char *type, const char *why);
/* Until it is heard again, nothing else is told of it. */
void outbox_tell(const struct outbox *o, struct letter *l, struct buf *out);
unsigned outbox_count(struct letter *l); /* pieces of its text */
void outbox_note_away(struct outbox *o, struct letter *l, const char *why, int64_t now_ms);

/* Moves a letter on: the first of its chat, or a draft that is edited. */
void outbox_work_letter(struct outbox *o, struct letter *l, struct outbox_line *line,
                        int64_t now_ms);

/* ---- outbox_leave.c ---- */

struct channel_message outbox_message(const struct letter *l, struct text text);
/* It is the new text of a message that is there; to say it twice changes nothing. */
bool outbox_is_edit(const struct letter *l, const struct outbox_line *line);
void outbox_send_piece(struct outbox *o, struct letter *l, const struct outbox_line *line,
                       int64_t now_ms);
unsigned outbox_total(struct letter *l);         /* pieces of its text, and files behind them */
unsigned outbox_text_messages(struct letter *l); /* that have text, of all that are there */
bool outbox_is_file(struct letter *l);           /* the next piece is one */
/* The next piece can leave.  False: its file is on its way, or it was told that it is missing. */
bool outbox_is_here(const struct outbox *o, struct letter *l, int64_t now_ms);
void outbox_miss(const struct outbox *o, struct letter *l, const char *why);
bool outbox_is_in_vain(struct letter *l); /* it had files alone, and none could be sent */

/* ---- outbox_queue.c ---- */

void outbox_queue_begin(struct outbox *o);
void outbox_queue_finish(struct outbox *o);
void outbox_stir_chat(struct outbox *o, struct outbox_chat *chat);
void outbox_wait(struct outbox *o, struct outbox_chat *chat, int64_t until_ms); /* or earlier */
/* Its channel is not away, and has answered, or does not have to answer too many. */
bool outbox_may_begin(const struct outbox_chat *chat, const struct outbox_line *line,
                      int64_t now_ms);
/* It waits no longer. */
bool outbox_is_old(const struct outbox *o, struct letter *l, int64_t now_ms);
void outbox_note_there(struct outbox *o, struct outbox_chat *chat, bool is_there);
bool outbox_has_room(const struct outbox *o, const struct outbox_wish *wish);

/* ---- outbox_stream.c ---- */

/* A letter that grows, and is finished: its end leaves when its text is on the disk. */
void outbox_end_stream(struct outbox *o, struct letter *l, const struct outbox_line *line,
                       int64_t now_ms);

/* ---- outbox_live.c ---- */

/* The piece says this, as far as is known. */
void outbox_show(struct letter *l, unsigned piece, struct text text);
/* The next message that has another text than it should, or should not be there; false: none. */
bool outbox_edits(struct letter *l, const struct outbox_line *line, int64_t now_ms);
bool outbox_removes(struct letter *l, const struct outbox_line *line, int64_t now_ms);
/* It is a draft of which all is there, or nobody knows what is: it waits for more text, or for its
 * last, and nobody waits for it. */
bool outbox_rests(struct letter *l);
/* What was answered to one of these; or nothing was, for too long. */
void outbox_changed(struct outbox *o, struct letter *l, const struct channel_result *result,
                    int64_t now_ms);
void outbox_edit_lost(struct outbox *o, struct letter *l, int64_t now_ms);

#endif
