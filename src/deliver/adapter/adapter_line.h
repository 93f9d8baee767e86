/* adapter_line.h - what a program says that connects the box with a chat; pure.
 *
 * docs/adapters.md has the contract.  Two spellings of it are read: channel, peer_id and supports,
 * or platform, container_id and operations.  Which channel and account it is, is not read at all:
 * the configuration says that.
 *
 * Texts are valid until the reader reads again.
 */
#ifndef DELIVER_ADAPTER_LINE_H
#define DELIVER_ADAPTER_LINE_H

#include "deliver/channel.h"
#include "signal/json.h"

#define ADAPTER_LINE_MAX MIB /* bytes of a line, and of an answer */
#define ADAPTER_WORDS_MAX 200

enum adapter_ability {
	ADAPTER_MONITOR,
	ADAPTER_SEND,
	ADAPTER_STREAM,
	ADAPTER_BACKFILL,
	ADAPTER_HEALTH,
	ADAPTER_ACCOUNTS,
	/* From here on they are words of a stream, or of a monitor, and no commands. */
	ADAPTER_EDIT,
	ADAPTER_DELETE,
	ADAPTER_TYPING,
	ADAPTER_RECONCILE,
	ADAPTER_RESUME,
	ADAPTER_ABILITIES,
};

struct adapter_info {
	bool can[ADAPTER_ABILITIES];
	bool is_renamed;   /* it has operations: commands are called by their other names */
	bool reads_stdin;  /* texts do not go in arguments */
	bool shows_markup; /* Markdown may stay as it is */
	bool shows_media;  /* its send takes pictures and files */
	unsigned text_max; /* characters of a message; 0: it does not say */
	char name[64];
};

bool adapter_read_info(struct json_reader *reader, struct text answer, struct adapter_info *out,
                       struct error *why);
const char *adapter_command(const struct adapter_info *info, enum adapter_ability ability);

/* A line of monitor or backfill.  ADAPTER_NOTHING: it is good, and nobody has to answer it. */
enum adapter_read { ADAPTER_GARBAGE, ADAPTER_NOTHING, ADAPTER_MESSAGE };
struct adapter_event {
	struct channel_inbound inbound; /* its files are those below */
	struct channel_file files[CHANNEL_FILES_MAX];
	int64_t at_ms; /* by the wall clock, as it says; 0: it does not */
};
enum adapter_read adapter_read_event(struct json_reader *reader, struct text line,
                                     struct adapter_event *out, struct error *why);

/* How far an account was read: "@MS PLACE", the time of the newest message and its own word for
 * it, either of which may be missing. */
void adapter_put_place(int64_t at_ms, struct text place, struct buf *out);
struct text adapter_read_place(struct text kept, int64_t *at_ms);

/* The accounts that a program knows, as words; is ours one of them, or are none named? */
bool adapter_read_accounts(struct json_reader *reader, struct text answer, struct buf *names,
                           struct error *why);
/* The same as JSON, {"id","name"?,"status"?} each. */
void adapter_put_accounts(struct json_reader *reader, struct text answer, struct buf *out);
bool adapter_has_account(struct json_reader *reader, struct text answer, struct text account);

/* A line of stream, or what send answers. */
enum adapter_news {
	ADAPTER_CREATED, /* a message is there, and may change */
	ADAPTER_UPDATED,
	ADAPTER_DONE, /* with the ids of all; of a question whether one is there, none: it is not */
	ADAPTER_FAILED,
};

struct adapter_status {
	enum adapter_news news;
	struct text message;        /* the first of its ids; empty: none */
	enum channel_answer answer; /* of one that failed */
	unsigned after_ms;          /* of CHANNEL_LATER */
	struct error why;
};

bool adapter_read_status(struct json_reader *reader, struct text line, struct adapter_status *out,
                         struct error *why);
bool adapter_read_sent(struct json_reader *reader, struct text answer, struct adapter_status *out,
                       struct error *why);

/* What health answers: is it connected?  why: its words, if it is not. */
bool adapter_read_health(struct json_reader *reader, struct text answer, bool *is_connected,
                         struct error *why);

/* ---- how it is looked after ---- */

#define ADAPTER_RESTARTS_MAX 5    /* then it has failed, and rests long */
#define ADAPTER_HEALTHY_MS 600000 /* so long it ran: earlier ends are forgotten */
#define ADAPTER_REST_MOST_MS 300000

/* Before it is begun again for the nth time, from 0 on. */
unsigned adapter_rest_ms(unsigned restarts);

#endif
