/* known.h - people that were let in by a pairing code, and those who wait for that; pure.
 *
 * An identity is CHANNEL:SENDER, and that is somebody at one account; only where a channel has
 * the same people everywhere is it the same person in any account.  Who waits has a code that
 * is made of the message that they wrote and a key, so that nobody keeps it: it stands in no
 * file and in no signal.
 */
#ifndef DELIVER_KNOWN_H
#define DELIVER_KNOWN_H

#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"

#define KNOWN_MAX 1000       /* people */
#define KNOWN_WAITING_MAX 3  /* of one account */
#define KNOWN_ALL_WAITING 64 /* of all */
#define KNOWN_WAIT_MS (3600.0 * 1000)
#define KNOWN_CODE_LEN 32 /* 128 bit, in hexadecimal */
#define KNOWN_KEY 32      /* bytes */
#define KNOWN_NAME_MAX 128
#define KNOWN_FILE_MAX (4 * MIB)

enum known_word {
	KNOWN_IDENTITY,
	KNOWN_NAME,    /* of who waits: as the platform says it */
	KNOWN_AGENT,   /* whom they may ask; of who waits: NULL */
	KNOWN_ACCOUNT, /* where they wrote, as these two say */
	KNOWN_PEER,
	KNOWN_REQUEST, /* the message that got the code */
	KNOWN_SERVER,  /* of the account, where it makes them who they are */
	KNOWN_WORDS,
};

struct known_person {
	char *words[KNOWN_WORDS];
	double at_ms;
	struct link in_all; /* known.people or known.waiting, oldest first */
};

struct known {
	struct link people, waiting;
	size_t count;
};

static inline struct text known_word(const struct known_person *p, enum known_word word)
{
	return text_of(p->words[word]);
}

void known_init(struct known *k);
void known_finish(struct known *k);

/* Whom a message is of. */
struct known_who {
	struct text identity, account, server;
	bool is_everywhere; /* the account does not matter, nor does the server */
};

struct known_person *known_find(const struct known *k, const struct known_who *who);
struct known_person *known_by_name(const struct known *k, struct text name);

/* Those whose time is over go.  True: some did. */
bool known_expire(struct known *k, double now_ms);
struct known_person *known_waiting(const struct known *k, const struct known_who *who);
/* A person who waits from now on; NULL: too many do. */
struct known_person *known_wait(struct known *k, const struct text words[KNOWN_WORDS],
                                double now_ms);
struct known_person *known_by_code(const struct known *k, const unsigned char key[KNOWN_KEY],
                                   struct text code);
void known_code(const unsigned char key[KNOWN_KEY], struct text request,
                char code[KNOWN_CODE_LEN + 1]);

/* Who waited is let in, under a name that nobody else has.  False: too many are. */
bool known_let_in(struct known *k, struct known_person *p, struct text name, struct text agent);
void known_drop(struct known *k, struct known_person *p);

/* As a file. */
void known_put(const struct known *k, struct buf *out);
bool known_read(struct known *k, struct text file, struct error *why);

#endif
