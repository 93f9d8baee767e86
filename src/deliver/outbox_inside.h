/* outbox_inside.h - what the files of outbox.h share. */
#ifndef DELIVER_OUTBOX_INSIDE_H
#define DELIVER_OUTBOX_INSIDE_H

#include "base/map.h"
#include "deliver/outbox.h"

struct outbox {
	struct outbox_options options;
	char *again;
	uint64_t began_seq; /* what is older is of another life */
	bool is_working, has_more, is_stirred;
	struct map chats; /* that have a letter on its way, in a round */
	uint64_t changes; /* of custody that were looked at */
	int64_t due_ms;
};

void outbox_begin_signal(const struct letter *l, const char *type, struct buf *out);
void outbox_tell_piece(const struct outbox *o, struct letter *l, const char *type, struct text id);
void outbox_tell_words(const struct outbox *o, struct letter *l, const char *type, const char *why);
/* Until it is heard again, nothing else is told of it. */
void outbox_tell(const struct outbox *o, struct letter *l, struct buf *out);
unsigned outbox_count(struct letter *l); /* pieces of its text */
void outbox_note_away(struct outbox *o, struct letter *l, const char *why, int64_t now_ms);

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

/* ---- outbox_live.c ---- */

/* The piece says this, as far as is known. */
void outbox_show(struct letter *l, unsigned piece, struct text text);
/* The next message that has another text than it should, or should not be there; false: none. */
bool outbox_edits(struct letter *l, const struct outbox_line *line, int64_t now_ms);
bool outbox_removes(struct letter *l, const struct outbox_line *line, int64_t now_ms);
/* It is a draft of which all is there: it waits for more text, and nobody waits for it. */
bool outbox_rests(struct letter *l);
/* What was answered to one of these; or nothing was, for too long. */
void outbox_changed(struct outbox *o, struct letter *l, const struct channel_result *result,
                    int64_t now_ms);
void outbox_edit_lost(struct outbox *o, struct letter *l, int64_t now_ms);

#endif
