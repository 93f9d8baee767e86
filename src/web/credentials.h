/* credentials.h - the tokens that are known, and what each of them allows.
 *
 * A token is 256 bits from the kernel, written as 64 hexadecimal characters into
 * a file that only its owner can read.  In memory there are only digests of them,
 * compared in constant time.
 */
#ifndef WEB_CREDENTIALS_H
#define WEB_CREDENTIALS_H

#include "base/error.h"
#include "base/text.h"
#include "net/caller.h"

#define TOKEN_LEN 64  /* hexadecimal characters of any secret of ours */
#define DIGEST_LEN 32 /* SHA-256 */

struct config;
struct credentials;

/* Reads DATA/token, which is made if it is not there, and the files of
 * auth.tokens.  A file or a DATA that others can get at is refused, with the
 * command that mends it. */
struct credentials *credentials_load(const struct config *config, struct error *why);
/* Could they be loaded?  Makes nothing. */
bool credentials_are_good(const struct config *config, struct error *why);
void credentials_destroy(struct credentials *credentials);

/* Whose token is this?  Takes equally long for every wrong one. */
bool credentials_find(const struct credentials *credentials, struct text token,
                      struct caller *caller);

/* The digest of DATA/token: what sessions are signed with, so that they survive
 * a restart and end when the token is replaced. */
const unsigned char *credentials_key(const struct credentials *credentials);

/* Is it one of the tokens?  What others may keep of it, by which it is found again while it is
 * one: neither the token nor what signs with it can be made of that. */
bool credentials_mark(const struct credentials *credentials, struct text token,
                      unsigned char mark[DIGEST_LEN]);
bool credentials_of_mark(const struct credentials *credentials,
                         const unsigned char mark[DIGEST_LEN], unsigned *scopes);

void credentials_digest(struct text secret, unsigned char out[DIGEST_LEN]);
bool credentials_same(const unsigned char a[DIGEST_LEN], const unsigned char b[DIGEST_LEN]);

#endif
