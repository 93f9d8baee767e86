/* tls.c - OpenSSL behind the shape of recv(2) and send(2).
 *
 * A BIO of our own, because OpenSSL's writes to the socket with write(2), which
 * may raise SIGPIPE.  Buffers are released while a connection is idle. */
#include "net/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/log.h"
#include "base/must.h"

#define RECORD_MAX SSL3_RT_MAX_PLAIN_LENGTH
#define RECORD_SMALLEST 512 /* the least that a peer may ask for; then 1, 2, 4 KiB */

struct tls_context {
	SSL_CTX *ssl;
	BIO_METHOD *socket;
	size_t users; /* its owner, and each connection */
};

struct tls {
	SSL *ssl;
	struct tls_context *context;
	int fd;
	char *host; /* NULL: it connected to us */
	struct error why;
	size_t sealed; /* bytes in a record that the socket had no room for */
	bool recv_wants_room, send_wants_room;
	bool is_up; /* bytes went through it */
	bool is_broken;
};

/* --- the socket, as OpenSSL sees it ----------------------------------------- */

static int socket_write(BIO *bio, const char *bytes, int n)
{
	struct tls *tls = BIO_get_data(bio);
	ssize_t sent = send(tls->fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);

	BIO_clear_retry_flags(bio);
	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_write(bio);
	return (int)sent;
}

static int socket_read(BIO *bio, char *bytes, int n)
{
	struct tls *tls = BIO_get_data(bio);
	ssize_t got = recv(tls->fd, bytes, (size_t)n, MSG_DONTWAIT);

	BIO_clear_retry_flags(bio);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_read(bio);
	if (got == 0)
		BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
	return (int)got;
}

static long socket_control(BIO *bio, int what, long n, void *at)
{
	(void)n;
	(void)at;
	if (what == BIO_CTRL_EOF)
		return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
	return what == BIO_CTRL_FLUSH;
}

static BIO_METHOD *make_socket(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");

	if (!method)
		abort();
	BIO_meth_set_write(method, socket_write);
	BIO_meth_set_read(method, socket_read);
	BIO_meth_set_ctrl(method, socket_control);
	return method;
}

/* --- contexts ------------------------------------------------------------- */

static struct tls_context *make_context(const SSL_METHOD *method)
{
	struct tls_context *context = must_zero(1, sizeof(*context));

	context->ssl = SSL_CTX_new(method);
	if (!context->ssl) {
		log_error("net", "OpenSSL does not start");
		abort();
	}
	SSL_CTX_set_min_proto_version(context->ssl, TLS1_2_VERSION);
	if (!SSL_CTX_set_cipher_list(context->ssl, TLS_CIPHERS)) {
		log_error("net", "OpenSSL has no cipher that we take");
		abort();
	}
	SSL_CTX_set_options(context->ssl, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
	SSL_CTX_set_mode(context->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE |
	                                       SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
	                                       SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_OFF);
	context->socket = make_socket();
	context->users = 1;
	return context;
}

struct tls_context *tls_context_client(void)
{
	struct tls_context *context = make_context(TLS_client_method());

	SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
	/* Trusting nothing is a safe failure, and each connection will say so. */
	SSL_CTX_set_default_verify_paths(context->ssl);
	return context;
}

/* OpenSSL would wait for ever at a pipe, and has no words for what is not there. */
static bool tls_is_file(const char *path, mode_t forbidden, struct error *why)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return error_errno(why, "%s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(why, "%s is not a file", path);
	if (st.st_mode & forbidden)
		return error_set(why, "%s can be read by others: chmod o= it", path);
	return true;
}

/* OpenSSL's own words, the first of them: what is behind follows from it. */
static bool blame(const char *path, struct error *why)
{
	unsigned long first = ERR_peek_error();
	const char *words = ERR_reason_error_string(first);

	ERR_clear_error();
	if (ERR_SYSTEM_ERROR(first))
		words = strerror((int)ERR_GET_REASON(first));
	return error_set(why, "%s: %s", path, words ? words : "OpenSSL does not take it");
}

/* A key with a passphrase: there is nobody to ask. */
static int no_passphrase(char *room, int n, int is_writing, void *is_locked)
{
	*(bool *)is_locked = true;
	return -1;
}

static bool tls_load_key(SSL_CTX *ssl, const char *key, struct error *why)
{
	bool is_locked = false, good;

	SSL_CTX_set_default_passwd_cb(ssl, no_passphrase);
	SSL_CTX_set_default_passwd_cb_userdata(ssl, &is_locked);
	/* This one also tells a key of another certificate. */
	good = SSL_CTX_use_PrivateKey_file(ssl, key, SSL_FILETYPE_PEM) == 1 || blame(key, why);
	SSL_CTX_set_default_passwd_cb_userdata(ssl, NULL);
	if (is_locked)
		error_set(why, "%s needs a passphrase; `openssl pkey` can remove it", key);
	return good;
}

static bool load_pair(SSL_CTX *ssl, const char *cert, const char *key, struct error *why)
{
	if (!tls_is_file(cert, 0, why) || !tls_is_file(key, S_IRWXO, why))
		return false;
	ERR_clear_error();
	if (SSL_CTX_use_certificate_chain_file(ssl, cert) != 1)
		return blame(cert, why);
	return tls_load_key(ssl, key, why);
}

struct tls_context *tls_context_server(const char *cert, const char *key, struct error *why)
{
	struct tls_context *context = make_context(TLS_server_method());

	SSL_CTX_set_options(context->ssl, SSL_OP_CIPHER_SERVER_PREFERENCE);
	if (load_pair(context->ssl, cert, key, why))
		return context;
	tls_context_destroy(context);
	return NULL;
}

void tls_context_destroy(struct tls_context *context)
{
	if (!context || --context->users > 0)
		return;
	SSL_CTX_free(context->ssl);
	BIO_meth_free(context->socket);
	free(context);
}

/* --- one connection -------------------------------------------------------- */

/* Whom the certificate must be for. */
static void expect(SSL *ssl, const char *host)
{
	X509_VERIFY_PARAM *param = SSL_get0_param(ssl);
	unsigned char binary[16];

	if (inet_pton(AF_INET, host, binary) == 1 || inet_pton(AF_INET6, host, binary) == 1) {
		if (!X509_VERIFY_PARAM_set1_ip_asc(param, host))
			abort();
		return;
	}
	X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (!SSL_set1_host(ssl, host) || !SSL_set_tlsext_host_name(ssl, host))
		abort();
}

static struct tls *make_tls(struct tls_context *context, int fd)
{
	struct tls *tls = must_zero(1, sizeof(*tls));
	BIO *bio = BIO_new(context->socket);

	tls->fd = fd;
	tls->context = context;
	context->users++;
	tls->ssl = SSL_new(context->ssl);
	if (!tls->ssl || !bio)
		abort();
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio);
	return tls;
}

struct tls *tls_create(struct tls_context *context, int fd, const char *host)
{
	struct tls *tls = make_tls(context, fd);

	tls->host = must_dup(host);
	expect(tls->ssl, host);
	SSL_set_connect_state(tls->ssl);
	return tls;
}

struct tls *tls_accept(struct tls_context *context, int fd)
{
	struct tls *tls = make_tls(context, fd);

	SSL_set_accept_state(tls->ssl);
	return tls;
}

void tls_half_close(struct tls *tls)
{
	if (!tls->is_broken && SSL_is_init_finished(tls->ssl))
		SSL_shutdown(tls->ssl);
	ERR_clear_error();
}

void tls_destroy(struct tls *tls)
{
	if (!tls)
		return;
	tls_half_close(tls);
	SSL_free(tls->ssl);
	tls_context_destroy(tls->context);
	free(tls->host);
	free(tls);
}

bool tls_is_untrusted(const struct tls *tls)
{
	return tls->is_broken && SSL_get_verify_result(tls->ssl) != X509_V_OK;
}

static void tls_tell(struct tls *tls, int code)
{
	long verdict = SSL_get_verify_result(tls->ssl);
	const char *words = ERR_reason_error_string(ERR_peek_last_error());
	const char *whom = tls->host ? tls->host : "the client";

	if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH)
		error_set(&tls->why, "the certificate is not %.100s's", tls->host);
	else if (verdict != X509_V_OK)
		error_set(&tls->why, "the certificate of %.100s is not trusted: %s", tls->host,
		          X509_verify_cert_error_string(verdict));
	else
		error_set(&tls->why, "TLS with %.100s failed: %s", whom,
		          words  ? words
		          : code ? strerror(code)
		                 : "the connection broke");
}

/* What a call to OpenSSL that did not succeed means, as recv(2) would say it. */
static ssize_t tls_explain(struct tls *tls, int n, bool *wants_room)
{
	int cause = errno, code = SSL_get_error(tls->ssl, n);
	unsigned long reason = ERR_peek_last_error();

	if (code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE) {
		*wants_room = code == SSL_ERROR_WANT_WRITE;
		errno = EAGAIN;
		return -1;
	}
	if (code == SSL_ERROR_ZERO_RETURN)
		return 0;
	tls->is_broken = true;
	/* An end without a goodbye is an end: who frames messages sees what is missing. */
	if (tls->is_up && ERR_GET_REASON(reason) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
		ERR_clear_error();
		return 0;
	}
	tls_tell(tls, code == SSL_ERROR_SYSCALL ? cause : 0);
	ERR_clear_error();
	errno = EPROTO;
	return -1;
}

ssize_t tls_recv(struct tls *tls, void *bytes, size_t n)
{
	int got;

	tls->recv_wants_room = false;
	if (tls->is_broken) {
		errno = EPROTO;
		return -1;
	}
	ERR_clear_error();
	got = SSL_read(tls->ssl, bytes, n > INT32_MAX ? INT32_MAX : (int)n);
	if (got <= 0)
		return tls_explain(tls, got, &tls->recv_wants_room);
	tls->is_up = true;
	return got;
}

/* What fits into one record, which OpenSSL writes whole or not at all. */
static size_t record_max(const struct tls *tls)
{
	const SSL_SESSION *session = SSL_get_session(tls->ssl);
	unsigned small = session ? SSL_SESSION_get_max_fragment_length(session) : 0;

	/* Beyond the four that a peer may ask for is OpenSSL's own mark for none. */
	return small >= 1 && small <= 4 ? RECORD_SMALLEST << (small - 1) : RECORD_MAX;
}

static ssize_t send_record(struct tls *tls, const char *bytes, size_t n)
{
	ssize_t sent;

	if (tls->is_broken) {
		errno = EPROTO;
		return -1;
	}
	ERR_clear_error();
	sent = SSL_write(tls->ssl, bytes, (int)n);
	if (sent > 0) {
		tls->is_up = true;
		return sent;
	}
	if (tls_explain(tls, (int)sent, &tls->send_wants_room) < 0 && errno == EAGAIN)
		return -1;
	tls->is_broken = true;
	errno = EPROTO;
	return -1;
}

/* The record that is sealed goes before everything else.  OpenSSL asks for its length again
 * and looks at its bytes no more. */
static bool send_sealed(struct tls *tls)
{
	static const char unread[RECORD_MAX];

	if (send_record(tls, unread, tls->sealed) < 0)
		return false;
	tls->sealed = 0;
	return true;
}

/* Where the socket is full OpenSSL keeps a record that is encrypted already, and our callers
 * are bound to their words only up to the end of a frame.  So that record counts as sent, but
 * for its last byte, which brings the caller back to see it off. */
ssize_t tls_send(struct tls *tls, const void *bytes, size_t n)
{
	const char *at = bytes;
	size_t sent = 0, most;

	tls->send_wants_room = false;
	if (tls->sealed && n > 0) {
		if (!send_sealed(tls))
			return -1;
		sent = 1;
	}
	for (most = record_max(tls); sent < n;) {
		size_t part = n - sent < most ? n - sent : most;
		ssize_t done = send_record(tls, at + sent, part);

		if (done < 0 && errno == EAGAIN && tls->send_wants_room &&
		    SSL_is_init_finished(tls->ssl)) {
			tls->sealed = part;
			sent += part - 1;
		}
		if (done < 0)
			return sent && errno == EAGAIN ? (ssize_t)sent : -1;
		sent += (size_t)done;
	}
	return (ssize_t)n;
}

bool tls_has_more(const struct tls *tls)
{
	return SSL_pending(tls->ssl) > 0;
}

bool tls_wants_room(const struct tls *tls)
{
	return tls->recv_wants_room || tls->send_wants_room;
}

const char *tls_why(const struct tls *tls)
{
	return tls->why.words[0] ? tls->why.words : "the connection failed";
}
