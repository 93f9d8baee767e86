/* handle_inside.h - a peer that speaks Wyoming and what it asked; for handle*.c alone. */
#ifndef VOICE_HANDLE_INSIDE_H
#define VOICE_HANDLE_INSIDE_H

#include "base/list.h"
#include "base/random.h"
#include "bus/bus.h"
#include "net/conn.h"
#include "voice/answer.h"
#include "voice/handle.h"
#include "voice/handle_pace.h"
#include "voice/handle_words.h"
#include "voice/spoken.h"

struct handle {
	struct handle_options options;
	struct bus_listener ear;
	struct signal_reader *reader;
	struct handle_pace pace;
	struct link guests; /* handle_guest.in_all */
	unsigned count;
	uint64_t quiet_ms; /* nobody who is turned away is told of before */
};

struct handle_ask {
	char run[RANDOM_UUID_LEN + 1]; /* empty: nothing is asked */
	struct voice_answer answer;
	struct recital recital;
	struct buf spoken; /* what was told of it */
	bool has_begun;    /* handled-start went out */
	bool is_under_way; /* the source has it */
};

struct handle_guest {
	struct handle *handle;
	struct conn *conn; /* NULL: it is gone */
	struct wyoming_reader reader;
	struct buf out; /* not yet taken */
	struct handle_ask ask;
	char name[PEER_NAME_MAX];
	struct link in_all;
};

/* ---- handle.c ---- */

void handle_send_text(struct handle_guest *guest, const char *type, struct text text);

/* ---- handle_ask.c ---- */

void handle_ask(struct handle_guest *guest, const struct wyoming_event *event);
void handle_hear(struct handle_guest *guest, const struct signal *s);
/* Nobody waits for it any more: it ends where it is worked at, too. */
void handle_stop_ask(struct handle_guest *guest);
void handle_fail_ask(struct handle_guest *guest, const char *why); /* and tells why */

static inline bool handle_is_asking(const struct handle_guest *guest)
{
	return guest->ask.run[0] != '\0';
}

#endif
