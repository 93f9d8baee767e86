/* outbox.h - letters on their way: custody of each message that goes to a person.
 *
 * A letter is prepared with its whole text.  `delivery.started` is on the disk before a piece of
 * it leaves, and `delivery.accepted` before the next one does.  So after a crash it is known what
 * was prepared, which is sent; what was accepted, which is not sent again; and which one piece
 * may have left: a channel that can tell is asked, and of another one it is unknown.
 *
 * One letter of a chat is on its way at a time, in the order in which they were prepared.
 *
 * A letter of the kind draft or status is there to be edited while its text grows: it rests when
 * all of it is there, or nobody knows what is, and is finished with its last text, or dropped.
 */
#ifndef DELIVER_OUTBOX_H
#define DELIVER_OUTBOX_H

#include "deliver/button.h"
#include "deliver/channel.h"
#include "deliver/custody.h"

#define OUTBOX_TEXT_MAX (256 * KIB) /* of a longer text the rest is left out, and it says so */
#define OUTBOX_SEND_MS 60000        /* then nobody knows what became of a message */
#define OUTBOX_EDIT_MS 15000        /* then an edit has failed */
#define OUTBOX_DOUBT_MS 1000        /* before a message is looked for whose answer was lost */
#define OUTBOX_AWAY_MS 1000         /* before another attempt, doubling to ... */
#define OUTBOX_AWAY_MOST_MS 30000
#define OUTBOX_ABSENCES 8 /* a piece that left so often, and was not there, is given up */
#define OUTBOX_DAY_MS (24.0 * 3600 * 1000) /* a channel may be away so long */
#define OUTBOX_FILES_MAX 4                 /* that are on their way at a time */
#define OUTBOX_WAITING_MAX 1000            /* letters of an account; another is not taken */
#define OUTBOX_ALL_MAX 12000               /* of all accounts, likewise */

/* In a letter of the kind pairing this stands for the code of its request (known.h), which is in
 * no record. */
#define OUTBOX_CODE_MARK "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"

struct bus;

/* An account that letters leave by, as its owner has it. */
struct outbox_line {
	const char *account; /* its name */
	const struct channel_kind *kind;
	void *channel;       /* NULL: it is not open */
	bool leaves_unknown; /* what nobody knows of is not sent again */

	/* The outbox's own. */
	int64_t away_until_ms;
	unsigned away_ms;
};

/* Is a file of a letter here, as a channel can send it? */
enum outbox_file {
	OUTBOX_FILE_HERE,
	OUTBOX_FILE_COMES, /* outbox_stir() follows */
	OUTBOX_FILE_MISSING,
};

struct outbox_options {
	struct custody *custody;
	struct bus *bus;
	const char *again; /* words before what may come twice */
	int64_t (*wall_ms)(void);
	void *self;
	struct outbox_line *(*find)(void *self, struct text account); /* NULL: there is none */
	struct button_codes codes;                                    /* of buttons */
	void (*edited)(void *self, const struct letter *l); /* its letter.live says how; or NULL */
	/* The number of a file, from 1 on; its path is the caller's.  NULL: none is sent. */
	enum outbox_file (*file)(void *self, const struct letter *l, unsigned number,
	                         struct channel_upload *file, struct error *why);
};

struct outbox;
/* The past is folded.  It is custody's ear: whoever becomes it calls outbox_hear(). */
struct outbox *outbox_create(const struct outbox_options *options);
void outbox_destroy(struct outbox *o);
void outbox_set_again(struct outbox *o, const char *again);

/* What one message of an account holds. */
struct chunk_limit outbox_room(const struct outbox *o, struct text account);

struct outbox_wish {
	struct text id, request, run, account, peer, thread, reply_to, text;
	const char *kind;
	bool is_for_stranger;
	struct text more[LETTER_WORDS]; /* what a question has, by its words */
};
/* False: not taken, because too many wait or the disk fails. */
bool outbox_prepare(struct outbox *o, const struct outbox_wish *wish);

/* How texts are cut that leave by this line. */
struct chunk_limit outbox_limit(const struct outbox *o, const struct outbox_line *line);

/* Of a draft: another message is needed for its text; a message that is there says this from now
 * on, of which letter.live tells the end; it is finished, with the text and kind of a wish; it
 * has to go.  False: not now, or it is none (any more). */
struct outbox_edit {
	unsigned piece;
	struct text text;
};
bool outbox_grow(struct outbox *o, struct text id, struct text text);
bool outbox_edit(struct outbox *o, struct text id, const struct outbox_edit *edit, int64_t now_ms);
bool outbox_finish(struct outbox *o, struct text id, const struct outbox_wish *wish);
bool outbox_drop(struct outbox *o, struct text id);

void outbox_hear(struct outbox *o, struct letter *l); /* something was told of it */
void outbox_stir(struct outbox *o);                   /* an account was opened, or closed */
/* Moves everything on; and when it wants to be called again. */
void outbox_work(struct outbox *o, int64_t now_ms);
int64_t outbox_due(const struct outbox *o, int64_t now_ms);

/* What a channel answered to a send or a look. */
void outbox_answered(struct outbox *o, const struct channel_result *result, int64_t now_ms);

/* Nobody waits for it any more.  False: none of it has left, and none will.  What may have left is
 * kept: its answer comes, or it is looked for, or sent again. */
bool outbox_give_up(struct outbox *o, struct text id);

/* A letter that failed goes again, under another id.  False: why says it. */
bool outbox_retry(struct outbox *o, struct text id, struct error *why);

#endif
