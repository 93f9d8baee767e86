/* tls.h - TLS 1.2 and later over a socket of ours, with OpenSSL.
 *
 * tls_recv() and tls_send() stand where recv(2) and send(2) would: they never
 * block, and the handshake is made by whichever of them is called first.  When it
 * was we who connected, the peer's certificate is always verified, name included;
 * what is trusted is what the system trusts, or SSL_CERT_FILE and SSL_CERT_DIR of
 * the environment.  Whoever connects to us is not asked for one.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Of TLS 1.2; those of 1.3 are good as they are.  Keys that nobody can find out later, and
 * ciphers that prove what they decipher: none with CBC. */
#define TLS_CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:!aNULL"

struct tls;
struct tls_context;

/* What is the same for all connections of one kind.  Connections that are there go on
 * when it is destroyed. */
struct tls_context *tls_context_client(void);
void tls_context_destroy(struct tls_context *context); /* NULL is fine */

/* For whoever connects to us: PEM files, the certificate with those that vouch for it
 * behind it, and its key, which nobody else may be able to read.  NULL: why says which
 * file and what is wrong with it. */
struct tls_context *tls_context_server(const char *cert, const char *key, struct error *why);

/* Borrows the descriptor.  host: a name, or an IP address. */
struct tls *tls_create(struct tls_context *context, int fd, const char *host);
struct tls *tls_accept(struct tls_context *context, int fd); /* of a server's context */
void tls_destroy(struct tls *tls); /* says goodbye if it can; NULL is fine */

/* Bytes, 0 at the end, or -1 with errno: EAGAIN, or EPROTO and tls_why() knows.  After a
 * send that was short the next begins with the byte that it ended before. */
ssize_t tls_recv(struct tls *tls, void *bytes, size_t n);
ssize_t tls_send(struct tls *tls, const void *bytes, size_t n);

/* Of bytes that were decrypted and not taken no poll will tell. */
bool tls_has_more(const struct tls *tls);

/* After EAGAIN: it waits for room in the socket; else, for bytes. */
bool tls_wants_room(const struct tls *tls);

/* Says goodbye; nothing can be sent after it. */
void tls_half_close(struct tls *tls);

const char *tls_why(const struct tls *tls);
bool tls_is_untrusted(const struct tls *tls); /* it broke because of the certificate */

#endif
