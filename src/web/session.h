/* session.h - the ways in that do not last: codes, tickets and the sessions of pages.
 *
 *   code     in the URL that `signalbox open` prints; good once, for 10 minutes: for a session,
 *            or for a device of that name and those scopes
 *   ticket   what opens one WebSocket; good once, for 30 seconds, for the user who got it
 *   session  a week of a page, in two halves that the page gets for its code:
 *     page   never sent again.  It outlives a restart: signed with the key of DATA/token
 *     token  the Bearer of requests, and no good once we have let go of our port: its key
 *            is drawn at the start.  Whoever takes the port after us, and is offered a
 *            token or a ticket of ours, has nothing
 *
 * A page that comes back proves us before it says anything.  It sends the id of the half
 * that it has and a nonce; the answer is a proof that only who can make that half can give,
 * and a challenge; what the page makes of the challenge brings it both halves again.  Proof
 * and answer name the origin, so that nobody can pass on between two addresses.
 *
 * Codes and tickets are kept as digests in small tables; when one is full the
 * oldest makes room.  Time is an argument, in Unix milliseconds.
 */
#ifndef WEB_SESSION_H
#define WEB_SESSION_H

#include "web/credentials.h"
#include "web/devices.h"

#define SESSION_CODE_MS (10 * 60 * 1000)
#define SESSION_TICKET_MS (30 * 1000)
#define SESSION_CHALLENGE_MS (30 * 1000)
#define SESSION_MS ((int64_t)7 * 24 * 3600 * 1000)

#define SESSION_CODES 32
#define SESSION_TICKETS 1024

/* What is good only until we let go of our port: codes, tickets, and the key of tokens. */
struct passes;

struct passes *passes_create(void);
void passes_destroy(struct passes *passes);
void passes_renew(struct passes *passes); /* all that was given out is void */

/* Each writes TOKEN_LEN characters and a NUL. */
void passes_give_code(struct passes *passes, const struct device_wish *device, int64_t now_ms,
                      char out[TOKEN_LEN + 1]); /* NULL: for a page */
void passes_give_ticket(struct passes *passes, const struct caller *caller, int64_t user,
                        int64_t now_ms, char out[TOKEN_LEN + 1]);

/* True once for each that was given out, within its time, and of a ticket for the same user
 * only; to another it is void too. */
bool passes_take_code(struct passes *passes, struct text code, int64_t now_ms,
                      struct device_wish *device);
/* Is a code out that makes a device? */
bool passes_await_device(const struct passes *passes, int64_t now_ms);
bool passes_take_ticket(struct passes *passes, struct text ticket, int64_t user, int64_t now_ms,
                        struct caller *caller);

/* Of each half: expiry, which key, randomness; then the secret that the key makes of them. */
#define SESSION_ID_LEN (2 * (8 + 4 + 12))
#define SESSION_LEN (SESSION_ID_LEN + 2 * DIGEST_LEN)

struct session {
	char page[SESSION_LEN + 1], token[SESSION_LEN + 1];
};

/* Whoever signs: the digest of DATA/token, and what ends with our hold on the port. */
struct session_keys {
	const unsigned char *owner;
	const struct passes *passes;
};

void session_open(const struct session_keys *keys, int64_t now_ms, struct session *out);
bool session_check(const struct session_keys *keys, struct text token, int64_t now_ms,
                   struct caller *caller);

/* What a page says before it is let in again. */
struct session_plea {
	struct text id, origin;
	struct text nonce;             /* at first, of its choice */
	struct text challenge, answer; /* then */
};

#define SESSION_NONCE_LEN 64                              /* at most */
#define SESSION_CHALLENGE_LEN (2 * (8 + 16 + DIGEST_LEN)) /* time, randomness, signature */

struct session_proof {
	char proof[2 * DIGEST_LEN + 1], challenge[SESSION_CHALLENGE_LEN + 1];
};

/* False: the id is none of ours, or its time is over. */
bool session_prove(const struct session_keys *keys, const struct session_plea *plea, int64_t now_ms,
                   struct session_proof *out);
bool session_resume(const struct session_keys *keys, const struct session_plea *plea,
                    int64_t now_ms, struct session *out);

#endif
