/* request.c - one request of ours: what libcurl is told, what it tells, and how it ends. */
#include "net/request.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/utf8.h"
#include "net/peer.h"
#include "net/pump.h"
#include "net/reach.h"
#include "net/request_words.h"
#include "net/tls.h"
#include "net/url.h"

#define HEAD_MAX (64 * KIB)   /* bytes of all heads of an answer, and its trailers */
#define READ_BYTES (4 * KIB)  /* at once: libcurl holds as much for each request */
#define FIELD_MAX (2 * KIB)   /* of a value that we keep */
#define PATIENCE_MAX_S 86400L /* a longer Retry-After is cut to a day */

struct requests {
	struct curl_pump *pump;
	struct loop *loop;
	struct link all; /* request.in_all */
	struct grave grave;
	/* SSL_CERT_FILE and SSL_CERT_DIR; NULL: what the system trusts. */
	const char *trusted_file, *trusted_dir;
};

struct request {
	struct pump_job job;
	struct requests *requests;
	struct link in_all; /* requests.all */
	struct deadline deadline;
	struct grave grave;
	struct url url; /* of it only what is no view */
	struct curl_slist *headers;
	char *body;
	size_t body_max, body_len, head_len;
	unsigned head_ms, idle_ms;
	uint64_t moved_ms; /* when the last byte came */

	int status;
	struct buf content_type, location;
	unsigned retry_after_ms;
	bool in_head, has_head, is_cancelled, is_hushed, is_barred, is_direct, is_public;
	int fd; /* libcurl's, that was opened last */
	enum request_fault fault;
	struct error why;             /* empty: libcurl knows */
	char detail[CURL_ERROR_SIZE]; /* libcurl's own words */

	void *self;
	void (*field)(void *self, struct text name, struct text value);
	void (*head)(void *self, const struct request_head *head);
	void (*heard)(void *self, struct text bytes);
	void (*beat)(void *self);
	void (*done)(void *self, const char *why);
};

/* --- what libcurl tells --------------------------------------------------- */

static bool is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static void refuse_redirect(struct request *r)
{
	struct buf shown;

	buf_init(&shown, 3 * FIELD_MAX);
	utf8_add_shown(&shown, buf_text(&r->location));
	error_set(&r->why, "%.60s answers with a redirect (%d) to %.*s, which is not followed",
	          r->url.host, r->status, TEXT_ARG(buf_text(&shown)));
	buf_finish(&shown);
}

/* Seconds, or a date. */
static unsigned read_patience(struct text value)
{
	char *words = text_dup(value);
	uint64_t seconds = 0;
	time_t until;

	if (!text_to_u64(value, &seconds)) {
		until = curl_getdate(words, NULL);
		seconds = until > time(NULL) ? (uint64_t)(until - time(NULL)) : 0;
	}
	free(words);
	if (seconds > PATIENCE_MAX_S)
		seconds = PATIENCE_MAX_S;
	return (unsigned)seconds * 1000;
}

static void keep_field(struct request *r, struct text line)
{
	struct text value, name = text_cut(line, ':', &value);

	value = text_trim(value);
	if (text_equal_nocase(name, TEXT("Retry-After"))) {
		r->retry_after_ms = read_patience(value);
	} else if (text_equal_nocase(name, TEXT("Content-Type"))) {
		buf_clear(&r->content_type);
		buf_add(&r->content_type, value);
	} else if (text_equal_nocase(name, TEXT("Location"))) {
		buf_clear(&r->location);
		buf_add(&r->location, value);
	} else if (r->field) {
		r->field(r->self, name, value);
	}
}

/* The blank line: one head is whole, but it may not be the last. */
static bool end_head(struct request *r)
{
	struct request_head head;
	long status = 0;

	assert(!r->has_head);
	curl_easy_getinfo(r->job.easy, CURLINFO_RESPONSE_CODE, &status);
	r->in_head = false;
	if (status == 101) /* what follows is no body */
		return error_set(&r->why, "%.100s answers with an upgrade that nobody asked for",
		                 r->url.host);
	if (status < 200) {
		if (r->head_ms)
			deadline_set(r->requests->loop, &r->deadline, r->head_ms);
		if (r->beat)
			r->beat(r->self);
		return !r->is_cancelled;
	}
	r->has_head = true;
	r->status = (int)status;
	head = (struct request_head){r->status, buf_text(&r->content_type), r->retry_after_ms,
	                             buf_text(&r->location)};
	r->moved_ms = loop_now_ms(r->requests->loop);
	deadline_clear(&r->deadline);
	if (r->idle_ms)
		deadline_set(r->requests->loop, &r->deadline, r->idle_ms);
	if (r->head)
		r->head(r->self, &head);
	if (is_redirect(r->status) && r->location.len)
		refuse_redirect(r);
	return !r->is_cancelled && !r->why.words[0];
}

/* libcurl gives the head line by line, each whole; trailers too.  0 ends the request. */
static size_t on_header(char *at, size_t size, size_t n, void *self)
{
	struct request *r = self;
	struct text line = {at, size * n};

	r->head_len += line.len;
	if (r->is_cancelled)
		return 0;
	if (r->head_len > HEAD_MAX) {
		error_set(&r->why, "the head of %.100s's response is longer than %zu KiB",
		          r->url.host, HEAD_MAX / KIB);
		return 0;
	}
	if (r->has_head)
		return line.len;
	if (text_trim(line).len == 0)
		return end_head(r) ? line.len : 0;
	if (line.at[0] == '\r') { /* libcurl takes it for the blank one */
		error_set(&r->why, "the head of %.100s's response has a broken line", r->url.host);
		return 0;
	}
	if (r->in_head) {
		keep_field(r, line);
	} else {
		r->in_head = true;
		r->retry_after_ms = 0;
		buf_clear(&r->content_type);
		buf_clear(&r->location);
	}
	return line.len;
}

static size_t request_on_body(char *at, size_t size, size_t n, void *self)
{
	struct request *r = self;
	struct text bytes = {at, size * n};

	assert(r->has_head || r->is_cancelled);
	if (r->is_cancelled)
		return 0;
	if (r->is_hushed) /* since before the head came */
		return CURL_WRITEFUNC_PAUSE;
	r->body_len += bytes.len;
	if (r->body_max && r->body_len > r->body_max) {
		error_set(&r->why, "the response of %.100s is longer than %zu bytes", r->url.host,
		          r->body_max);
		return 0;
	}
	if (r->heard)
		r->heard(r->self, bytes);
	r->moved_ms = loop_now_ms(r->requests->loop); /* whoever heard may have taken long */
	return r->is_cancelled ? 0 : bytes.len;
}

static curl_socket_t on_socket(void *self, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct request *r = self;

	(void)purpose;
	r->is_barred = r->is_public ? !reach_is_public(&to->addr)
	                            : !r->is_direct && !reach_allows(&to->addr);
	if (r->is_barred)
		return CURL_SOCKET_BAD;
	r->fd = socket(to->family, to->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->protocol);
	return r->fd < 0 ? CURL_SOCKET_BAD : r->fd;
}

/* It is connected, and nothing was sent yet: libcurl would give the request to whoever listens
 * there.  A connection that was kept has been looked at. */
static int look_who(void *self, char *there, char *here, int port, int own_port)
{
	struct request *r = self;

	if (r->fd < 0 || peer_is_ours(r->fd, &r->why))
		return CURL_PREREQFUNC_OK;
	r->fault = REQUEST_STRANGER;
	return CURL_PREREQFUNC_ABORT;
}

/* --- its life ---------------------------------------------------------------- */

static void free_headers(struct curl_slist *headers)
{
	for (struct curl_slist *h = headers; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(headers);
}

static void free_request(struct grave *grave)
{
	struct request *r = list_of(grave, struct request, grave);

	curl_easy_cleanup(r->job.easy);
	free_headers(r->headers);
	buf_finish(&r->content_type);
	buf_finish(&r->location);
	free(r->body);
	free(r);
}

static void request_explain(struct request *r, CURLcode code)
{
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		r->fault = REQUEST_UNTRUSTED;
	else if (code == CURLE_SSL_CACERT_BADFILE)
		r->fault = REQUEST_UNREADABLE;
	else if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
	         code == CURLE_BAD_FUNCTION_ARGUMENT)
		r->fault = REQUEST_UNREACHABLE;
	if (r->is_barred)
		error_set(&r->why,
		          r->is_public ? "%s leads to an address that is not of the internet"
		                       : "%s leads to an address that no server has",
		          r->url.host);
	else
		request_words(&r->why, r->job.easy, code, &r->url, r->detail);
}

static void on_over(struct pump_job *job, bool ended, CURLcode code)
{
	struct request *r = list_of(job, struct request, job);

	deadline_clear(&r->deadline);
	list_remove(&r->in_all);
	if (ended && code != CURLE_OK && !r->why.words[0])
		request_explain(r, code);
	loop_bury(r->requests->loop, &r->grave);
	if (!r->is_cancelled && r->done)
		r->done(r->self, r->why.words[0] ? r->why.words : NULL);
}

static void request_on_late(struct deadline *deadline)
{
	struct request *r = list_of(deadline, struct request, deadline);
	uint64_t still = loop_now_ms(r->requests->loop) - r->moved_ms;

	if (r->is_hushed) /* then the silence is ours */
		still = 0;
	if (r->has_head && still < r->idle_ms) {
		deadline_set(r->requests->loop, &r->deadline, r->idle_ms - (unsigned)still);
		return;
	}
	if (r->has_head)
		error_set(&r->why, "%.100s sent nothing for %u ms", r->url.host, r->idle_ms);
	else
		error_set(&r->why, "%.100s did not respond within %u ms", r->url.host, r->head_ms);
	pump_stop(r->requests->pump, &r->job);
}

enum request_fault request_fault(const struct request *request)
{
	return request->fault;
}

size_t request_sent(const struct request *request)
{
	curl_off_t sent = 0;

	curl_easy_getinfo(request->job.easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	return (size_t)sent;
}

void request_hush(struct request *request, bool hush)
{
	if (request->is_cancelled || request->is_hushed == hush)
		return;
	request->is_hushed = hush;
	request->moved_ms = loop_now_ms(request->requests->loop);
	/* Of a paused head libcurl makes one long line. */
	if (request->has_head)
		pump_hush(request->requests->pump, &request->job, hush);
}

void request_cancel(struct request *request)
{
	if (!request || request->is_cancelled)
		return;
	request->is_cancelled = true;
	pump_stop(request->requests->pump, &request->job);
}

/* --- what libcurl is told ------------------------------------------------ */

static void set_line(struct request *r, const struct request_options *o)
{
	char *whole = must_print("%s%s", o->url, o->route ? o->route : "");
	CURL *easy = r->job.easy;

	curl_easy_setopt(easy, CURLOPT_URL, whole);
	free(whole);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)READ_BYTES);
	/* Without it, to give up a name that is looked up would wait for the resolver's thread. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)o->connect_ms);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)o->total_ms);
	if (o->is_public)
		curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
	if (o->is_direct || o->is_public || url_is_loopback(&r->url))
		curl_easy_setopt(easy, CURLOPT_PROXY, "");
	if (o->path)
		curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, o->path);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(easy, CURLOPT_SSL_CIPHER_LIST, TLS_CIPHERS);
	if (r->requests->trusted_file)
		curl_easy_setopt(easy, CURLOPT_CAINFO, r->requests->trusted_file);
	if (r->requests->trusted_dir)
		curl_easy_setopt(easy, CURLOPT_CAPATH, r->requests->trusted_dir);
}

static void set_question(struct request *r, const struct request_options *o)
{
	CURL *easy = r->job.easy;
	const char *method = o->method ? o->method : o->body.len ? "POST" : "GET";

	if (o->body.len || strcmp(method, "POST") == 0) {
		r->body = must_alloc(o->body.len);
		if (o->body.len)
			memcpy(r->body, o->body.at, o->body.len);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)o->body.len);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r->body);
		/* On a connection that was kept and is found dead, libcurl sends a request once
		 * more by itself, and nobody can tell whether the first was heard. */
		curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, o->may_repeat ? 0L : 1L);
	}
	if (strcmp(method, "HEAD") == 0)
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	else
		curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "signalbox/" SIGNALBOX_VERSION);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, r->headers);
}

static void set_callbacks(struct request *r, bool is_unix)
{
	CURL *easy = r->job.easy;

	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, r->detail);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, r);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, request_on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, r);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, r);
	if (!is_unix)
		return;
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, look_who);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, r);
}

/* A line that held another would be a header of somebody else's choice. */
static bool add_headers(struct request *r, const char *const *lines, struct error *why)
{
	r->headers = curl_slist_append(NULL, "Expect:"); /* no 100-continue: it costs a turn */
	for (; lines && *lines; lines++) {
		for (const char *c = *lines; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7F)
				return error_set(why, "a header has a control character in it");
		r->headers = curl_slist_append(r->headers, *lines);
	}
	return true;
}

static struct request *request_make(struct requests *requests, const struct request_options *o)
{
	struct request *r = must_zero(1, sizeof(*r));

	r->requests = requests;
	r->self = o->self;
	r->field = o->field;
	r->head = o->head;
	r->heard = o->heard;
	r->beat = o->beat;
	r->is_direct = o->is_direct || o->path;
	r->is_public = o->is_public;
	r->fd = -1;
	r->done = o->done;
	r->head_ms = o->head_ms;
	r->idle_ms = o->idle_ms;
	r->body_max = o->body_max;
	r->deadline.fire = request_on_late;
	r->grave.free = free_request;
	r->job.over = on_over;
	r->job.easy = curl_easy_init();
	buf_init(&r->content_type, FIELD_MAX);
	buf_init(&r->location, FIELD_MAX);
	list_init(&r->in_all);
	return r;
}

struct request *request_start(struct requests *requests, const struct request_options *options,
                              struct error *why)
{
	struct request *r = request_make(requests, options);
	bool good = url_parse(&r->url, text_of(options->url), why);

	if (good && r->url.is_ws)
		good = error_set(why, "%s:// is not for requests", r->url.scheme.at);
	if (!good || !add_headers(r, options->headers, why)) {
		free_request(&r->grave);
		return NULL;
	}
	set_line(r, options);
	set_question(r, options);
	set_callbacks(r, options->path);
	list_add(&requests->all, &r->in_all);
	if (r->head_ms)
		deadline_set(requests->loop, &r->deadline, r->head_ms);
	pump_start(requests->pump, &r->job);
	return r;
}

struct requests *requests_create(struct loop *loop)
{
	struct requests *requests = must_zero(1, sizeof(*requests));

	requests->loop = loop;
	requests->pump = pump_create(loop);
	requests->trusted_file = secure_getenv("SSL_CERT_FILE");
	requests->trusted_dir = secure_getenv("SSL_CERT_DIR");
	list_init(&requests->all);
	return requests;
}

static void free_requests(struct grave *grave)
{
	free(list_of(grave, struct requests, grave));
}

void requests_destroy(struct requests *requests)
{
	if (!requests)
		return;
	while (!list_is_empty(&requests->all)) {
		struct request *r = list_of(requests->all.next, struct request, in_all);

		list_remove(&r->in_all);
		request_cancel(r);
	}
	pump_destroy(requests->pump);
	requests->grave.free = free_requests;
	loop_bury(requests->loop, &requests->grave);
}
