/* The yardstick over TLS: OpenSSL as plainly as it can be used. */
#ifndef BENCH_BARE_TLS_H
#define BENCH_BARE_TLS_H

#include <sys/types.h>

struct ssl_st;

void bare_tls_use(const char *cert, const char *key); /* NULL: no TLS */
struct ssl_st *bare_tls_accept(int fd);               /* NULL without TLS */
void bare_tls_close(struct ssl_st *ssl);              /* NULL is fine */

/* As send and recv that never wait. */
ssize_t bare_tls_send(struct ssl_st *ssl, const void *bytes, size_t length);
ssize_t bare_tls_recv(struct ssl_st *ssl, void *bytes, size_t room);

#endif
