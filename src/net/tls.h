/* tls.h - TLS 1.2 and later over a socket of ours, with OpenSSL.
 *
 * tls_recv() and tls_send() stand where recv(2) and send(2) would: they never
 * block, and the handshake is made by whichever of them is called first.  The
 * peer's certificate is always verified, name included; what is trusted is what
 * the system trusts, or SSL_CERT_FILE and SSL_CERT_DIR of the environment.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <stdbool.h>
#include <sys/types.h>

struct tls;
struct tls_context;

/* What is the same for all connections of one kind. */
struct tls_context *tls_context_client(void);
void tls_context_destroy(struct tls_context *context); /* NULL is fine */

/* Borrows the context and the descriptor.  host: a name, or an IP address. */
struct tls *tls_create(struct tls_context *context, int fd, const char *host);
void tls_destroy(struct tls *tls); /* says goodbye if it can; NULL is fine */

/* Bytes, 0 at the end, or -1 with errno: EAGAIN, or EPROTO and tls_why() knows.  A
 * send that was short is repeated with the same bytes. */
ssize_t tls_recv(struct tls *tls, void *bytes, size_t n);
ssize_t tls_send(struct tls *tls, const void *bytes, size_t n);

/* Of bytes that were decrypted and not taken no poll will tell. */
bool tls_has_more(const struct tls *tls);

/* After EAGAIN: it waits for room in the socket; else, for bytes. */
bool tls_wants_room(const struct tls *tls);

const char *tls_why(const struct tls *tls);
bool tls_is_untrusted(const struct tls *tls); /* it broke because of the certificate */

#endif
