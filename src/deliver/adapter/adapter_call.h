/* adapter_call.h - what an adapter is asked to do, and the lines that say so. */
#ifndef DELIVER_ADAPTER_CALL_H
#define DELIVER_ADAPTER_CALL_H

#include "deliver/adapter/adapter_inside.h"

#define ADAPTER_SEND_MS 20000 /* then the program is ended */
#define ADAPTER_INPUT_MAX (4 * MIB)

/* ---- adapter_say.c ---- */

struct adapter_say {
	const struct adapter *adapter;
	const char *run; /* names what is delivered, for ever */
	const struct channel_message *message;
};
void adapter_say_message(const struct adapter_say *say, struct buf *out); /* new, or an edit */
void adapter_say_start(const struct adapter_say *say, struct buf *out);
void adapter_say_token(struct text text, struct buf *out);
void adapter_say_end(const struct adapter_say *say, struct buf *out);
void adapter_say_error(const struct adapter_say *say, struct text partial, struct buf *out);
void adapter_say_delete(const struct adapter_say *say, struct buf *out);
void adapter_say_find(const struct adapter_say *say, struct buf *out);
void adapter_say_typing(const struct adapter_say *say, bool shows, struct buf *out);
/* As the chat shows it: Markdown only where the adapter does. */
void adapter_words(const struct adapter *a, const struct channel_message *m, struct buf *out);

/* ---- adapter_live.c ---- */

/* A message that grows, as far as the stream was told. */
struct adapter_live {
	bool grows;
	struct buf told;
};
void adapter_live_begin(struct adapter_live *l, const struct channel_message *m);
void adapter_live_finish(struct adapter_live *l);
/* What is new of the text, as tokens; is_last: nothing follows. */
void adapter_live_say(struct adapter_live *l, const struct adapter_say *say, bool is_last,
                      struct buf *out);

/* ---- adapter_calls.c ---- */

struct adapter_call {
	struct adapter *adapter;
	enum channel_act act;
	char *delivery, *run, *peer, *thread, *reply_to, *message, *text;
	char *file; /* the path of one, which goes by send; or NULL */
	unsigned piece;
	bool is_plain;
	double sought_ms;            /* of a look: the message is not older */
	char *created;               /* its id, told before its end */
	int64_t since_ms, until_ms;  /* its turn has to come before */
	struct adapter_child *child; /* of send */
	struct adapter_live live;    /* of a message that grows */
	struct link in_adapter;
};

struct adapter_call *adapter_first_call(const struct adapter *a); /* or NULL */
struct channel_message adapter_message_of(const struct adapter_call *c);

#endif
