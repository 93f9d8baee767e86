/* SSL_read and SSL_write with OpenSSL's own socket BIO and its defaults. The only modes are
 * those without which a short write could not go on from a ring. Buffers are kept, because
 * that is the fastest: whoever gives them back pays for it. */
#include "bare_tls.h"
#include "bench.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

static SSL_CTX *context;

void bare_tls_use(const char *cert, const char *key)
{
	if (cert == NULL || key == NULL)
		return;
	context = SSL_CTX_new(TLS_server_method());
	errno = 0;
	if (context == NULL || SSL_CTX_use_certificate_chain_file(context, cert) != 1 ||
	    SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
		die("%s and %s: %s", cert, key, ERR_reason_error_string(ERR_peek_error()));
	SSL_CTX_set_mode(context,
	                 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

SSL *bare_tls_accept(int fd)
{
	SSL *ssl;

	if (context == NULL)
		return NULL;
	ssl = SSL_new(context);
	errno = 0;
	if (ssl == NULL || SSL_set_fd(ssl, fd) != 1)
		die("OpenSSL does not take a socket");
	SSL_set_accept_state(ssl);
	return ssl;
}

void bare_tls_close(SSL *ssl)
{
	SSL_free(ssl);
}

/* What did not succeed, as recv would say it. */
static ssize_t explain(SSL *ssl, int result)
{
	int code = SSL_get_error(ssl, result);

	ERR_clear_error();
	if (code == SSL_ERROR_ZERO_RETURN)
		return 0;
	errno = code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE ? EAGAIN : EPROTO;
	return -1;
}

/* SSL_write answers after each record. */
ssize_t bare_tls_send(SSL *ssl, const void *bytes, size_t length)
{
	size_t sent = 0;

	while (sent < length) {
		int n = SSL_write(ssl, (const char *)bytes + sent, (int)(length - sent));

		if (n <= 0)
			return sent > 0 ? (ssize_t)sent : explain(ssl, n);
		sent += (size_t)n;
	}
	return (ssize_t)sent;
}

/* One record at most; what is behind it, epoll tells of. */
ssize_t bare_tls_recv(SSL *ssl, void *bytes, size_t room)
{
	int n = SSL_read(ssl, bytes, (int)room);

	return n > 0 ? n : explain(ssl, n);
}
