/* session.h - the ways in that do not last: codes, sessions and tickets.
 *
 *   code     in the URL that `signalbox open` prints; good once, for 10 minutes
 *   session  what the page got for the code; good for a week.  It is signed and
 *            not stored, so that a page outlives a restart of the server; the key
 *            is DATA/token's, so that replacing the token ends all sessions
 *   ticket   what opens one WebSocket; good once, for 30 seconds
 *
 * Codes and tickets are kept as digests in small tables; when one is full the
 * oldest makes room.  Time is an argument, in Unix milliseconds.
 */
#ifndef WEB_SESSION_H
#define WEB_SESSION_H

#include "web/credentials.h"

#define SESSION_CODE_MS (10 * 60 * 1000)
#define SESSION_TICKET_MS (30 * 1000)
#define SESSION_MS ((int64_t)7 * 24 * 3600 * 1000)

#define SESSION_CODES 32
#define SESSION_TICKETS 1024

struct passes; /* one-time codes and tickets */

struct passes *passes_create(void);
void passes_destroy(struct passes *passes);

/* Each writes TOKEN_LEN characters and a NUL. */
void passes_give_code(struct passes *passes, int64_t now_ms, char out[TOKEN_LEN + 1]);
void passes_give_ticket(struct passes *passes, const struct caller *caller, int64_t now_ms,
                        char out[TOKEN_LEN + 1]);

/* True once for each that was given out, within its time. */
bool passes_take_code(struct passes *passes, struct text code, int64_t now_ms);
bool passes_take_ticket(struct passes *passes, struct text ticket, int64_t now_ms,
                        struct caller *caller);

/* expiry, randomness and signature, in hexadecimal, and a NUL */
#define SESSION_LEN (2 * (8 + 16 + DIGEST_LEN))

void session_sign(const unsigned char key[DIGEST_LEN], int64_t now_ms, char out[SESSION_LEN + 1]);
bool session_check(const unsigned char key[DIGEST_LEN], struct text session, int64_t now_ms,
                   struct caller *caller);

#endif
