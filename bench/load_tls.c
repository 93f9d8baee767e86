/* Links over TLS. The server vouches for itself with a certificate of this run, so nothing
 * is verified: what is measured is the server. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static SSL_CTX *make_context(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());

	errno = 0;
	if (context == NULL)
		die("OpenSSL does not start");
	SSL_CTX_set_mode(context,
	                 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
	SSL_CTX_set_default_read_buffer_len(context, 64 * 1024); /* a cheap client reads ahead */
	SSL_CTX_set_read_ahead(context, 1);
	return context;
}

/* The handshake waits, and nothing after it: link_wait does that where it is wanted. */
void link_secure(struct link *link)
{
	static SSL_CTX *context;

	if (context == NULL)
		context = make_context();
	link->ssl = SSL_new(context);
	errno = 0;
	if (link->ssl == NULL || SSL_set_fd(link->ssl, link->fd) != 1 ||
	    SSL_connect(link->ssl) != 1)
		die("a handshake failed: %s", ERR_reason_error_string(ERR_peek_error()));
	fcntl(link->fd, F_SETFL, fcntl(link->fd, F_GETFL) | O_NONBLOCK);
}

/* What a call that did not succeed means: to try again after waiting, EAGAIN, or the end. */
static bool must_wait(struct link *link, int result, int flags)
{
	int code = SSL_get_error(link->ssl, result);
	struct pollfd wait = {.fd = link->fd, .events = POLLIN};

	if (code == SSL_ERROR_WANT_WRITE)
		wait.events = POLLOUT;
	else if (code != SSL_ERROR_WANT_READ)
		die("TLS failed: %s", ERR_reason_error_string(ERR_peek_error()));
	if (flags & MSG_DONTWAIT) {
		errno = EAGAIN;
		return false;
	}
	if (poll(&wait, 1, LOAD_WAIT_S * 1000) <= 0)
		die("waiting for the server");
	return true;
}

ssize_t link_put_secure(struct link *link, const void *bytes, size_t length, int flags)
{
	size_t done = 0;

	while (done < length) {
		int n = SSL_write(link->ssl, (const char *)bytes + done, (int)(length - done));

		if (n > 0)
			done += (size_t)n;
		else if (!must_wait(link, n, flags))
			return done > 0 ? (ssize_t)done : -1;
	}
	return (ssize_t)done;
}

/* As many records as are there, so that less than was asked for means that there is no more. */
ssize_t link_get_secure(struct link *link, void *bytes, size_t length, int flags)
{
	size_t done = 0;

	while (done < length) {
		int n = SSL_read(link->ssl, (char *)bytes + done, (int)(length - done));

		if (n > 0)
			done += (size_t)n;
		else if (done > 0)
			return (ssize_t)done;
		else if (!must_wait(link, n, flags))
			return -1;
	}
	return (ssize_t)done;
}

void link_close(struct link *link)
{
	SSL_free(link->ssl);
	close(link->fd);
	free(link->carry);
	*link = (struct link){.fd = -1};
}
