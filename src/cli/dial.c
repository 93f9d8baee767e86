/* dial.c - one easy handle of libcurl, set up the same for every request. */
#include "cli/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/must.h"
#include "cli/secret.h"
#include "net/curl.h"
#include "net/peer.h"

#define ANSWER_MAX (16 * MIB)
#define CONNECT_MS 5000
/* A stream that is alive says something every 10 s; three silences are a death. */
#define SILENCE_MS 30000

struct dial {
	CURL *curl;
	struct config config;
	char *base; /* "http://localhost" or --url */
	char *sock; /* NULL with --url */
	char *authorization;
	int fd; /* libcurl's, of the line that was opened last */
	bool is_refused;
	struct error why_not;
};

struct under_way {
	const struct dial_request *request;
	struct dial *dial;
	bool stopped;
	uint64_t heard_ns; /* when the last byte came */
};

static bool host_is_here(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0 ||
	       strcmp(host, "[::1]") == 0;
}

static char *url_part(CURLU *url, CURLUPart part)
{
	char *text = NULL;

	return curl_url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

/* SCHEME://HOST[:PORT], and plain http only to this machine. */
static bool check_parts(CURLU *url, struct error *why)
{
	char *scheme = url_part(url, CURLUPART_SCHEME), *host = url_part(url, CURLUPART_HOST);
	char *path = url_part(url, CURLUPART_PATH), *user = url_part(url, CURLUPART_USER);
	char *query = url_part(url, CURLUPART_QUERY), *mark = url_part(url, CURLUPART_FRAGMENT);
	bool good = true;

	if (user || query || mark || !scheme || !host || (path && strcmp(path, "/") != 0))
		good = error_set(why, "--url is SCHEME://HOST[:PORT] and nothing more");
	else if (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0)
		good = error_set(why, "--url is http or https");
	else if (strcmp(scheme, "http") == 0 && !host_is_here(host))
		good = error_set(why, "plain http goes to 127.0.0.1, [::1] or localhost only; "
		                      "another machine needs https");
	curl_free(scheme);
	curl_free(host);
	curl_free(path);
	curl_free(user);
	curl_free(query);
	curl_free(mark);
	return good;
}

static bool set_url(struct dial *dial, const char *text, struct error *why)
{
	CURLU *url = curl_url();
	size_t len = strlen(text);
	bool good;

	if (curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK)
		good = error_set(why, "--url: '%s' is no URL", text);
	else
		good = check_parts(url, why);
	curl_url_cleanup(url);
	if (len > 0 && text[len - 1] == '/')
		len--;
	dial->base = text_dup((struct text){text, len});
	return good;
}

static bool set_token(struct dial *dial, const char *file, struct error *why)
{
	char secret[SECRET_LEN + 1];

	if (!secret_read(file, secret, why))
		return false;
	dial->authorization = must_print("Authorization: Bearer %s", secret);
	explicit_bzero(secret, sizeof(secret));
	return true;
}

static bool set_target(struct dial *dial, const struct options *options, int *status,
                       struct error *why)
{
	const char *url = options_value(options, "url");
	const char *file = options_value(options, "token-file");

	*status = STATUS_USAGE;
	if (file && !url)
		return error_set(why,
		                 "--token-file goes with --url; the Unix socket needs no token");
	if (url && !set_url(dial, url, why))
		return false;
	*status = STATUS_FAILED;
	if (file && !set_token(dial, file, why))
		return false;
	if (!url) {
		dial->base = must_dup("http://localhost");
		dial->sock = must_print("%s/sock", dial->config.data);
	}
	return true;
}

struct dial *dial_create(const struct command *command, struct command_context *context,
                         const struct options *options, int *status)
{
	struct dial *dial = must_zero(1, sizeof(*dial));
	struct error why;

	if (!command_config(context, options, &dial->config)) {
		*status = STATUS_CONFIG;
		free(dial);
		return NULL;
	}
	dial->curl = curl_easy_init();
	if (!set_target(dial, options, status, &why)) {
		if (*status == STATUS_USAGE)
			command_misused(command, "%s", why.words);
		else
			say("%s", why.words);
		dial_destroy(dial);
		return NULL;
	}
	return dial;
}

void dial_destroy(struct dial *dial)
{
	if (!dial)
		return;
	curl_easy_cleanup(dial->curl);
	config_finish(&dial->config);
	if (dial->authorization)
		explicit_bzero(dial->authorization, strlen(dial->authorization));
	free(dial->authorization);
	free(dial->base);
	free(dial->sock);
	free(dial);
}

const char *dial_data(const struct dial *dial)
{
	return dial->config.data;
}

struct dial_target dial_target(const struct dial *dial)
{
	return (struct dial_target){dial->base, dial->sock, dial->authorization};
}

static size_t on_bytes(char *at, size_t size, size_t count, void *self)
{
	struct under_way *u = self;
	size_t n = size * count;
	long status = 0;

	u->heard_ns = clock_mono_ns();
	curl_easy_getinfo(u->dial->curl, CURLINFO_RESPONSE_CODE, &status);
	if (u->request->heard &&
	    !u->request->heard(u->request->self, status, (struct text){at, n})) {
		u->stopped = true;
		return 0;
	}
	u->heard_ns = clock_mono_ns(); /* whoever heard may have taken long */
	return n;
}

/* A box that makes us wait says so by an answer of 100 now and then. */
static size_t on_field(char *at, size_t size, size_t count, void *self)
{
	((struct under_way *)self)->heard_ns = clock_mono_ns();
	return size * count;
}

/* By our own clock: a beat of three bytes every ten seconds is life enough, and
 * libcurl would call it too slow. */
static bool is_silent(const struct under_way *u)
{
	uint64_t most_ms = u->request->silence_ms ? u->request->silence_ms : SILENCE_MS;

	return !u->request->timeout_ms && clock_mono_ns() - u->heard_ns > most_ms * 1000000;
}

static int on_progress(void *self, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct under_way *u = self;

	if (u->request->goes_on && !u->request->goes_on(u->request->self))
		u->stopped = true;
	return u->stopped || is_silent(u);
}

/* libcurl itself does not look there, as OpenSSL and whatever else connects does. */
static void set_trust(CURL *curl)
{
	const char *file = secure_getenv("SSL_CERT_FILE");
	const char *dir = secure_getenv("SSL_CERT_DIR");

	if (file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, file);
	if (dir)
		curl_easy_setopt(curl, CURLOPT_CAPATH, dir);
}

/* libcurl would give the request to whoever listens there. */
static curl_socket_t open_sock(void *self, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct dial *dial = self;

	dial->fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	return dial->fd < 0 ? CURL_SOCKET_BAD : dial->fd;
}

/* It is connected, and nothing was sent yet. */
static int look_who(void *self, char *there, char *here, int port, int own_port)
{
	struct dial *dial = self;

	dial->is_refused = !peer_is_ours(dial->fd, &dial->why_not);
	return dial->is_refused ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static void set_sock(struct dial *dial)
{
	CURL *curl = dial->curl;

	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, dial->sock);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_sock);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, dial);
	curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, look_who);
	curl_easy_setopt(curl, CURLOPT_PREREQDATA, dial);
}

static void set_line(struct dial *dial, const struct dial_request *r)
{
	CURL *curl = dial->curl;

	curl_easy_reset(curl);
	set_trust(curl);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	if (dial->sock)
		set_sock(dial);
	if (r->timeout_ms)
		curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms);
}

static struct curl_slist *fields_of(const struct dial *dial, const struct dial_request *r)
{
	struct curl_slist *fields = NULL;

	if (r->type) {
		char *type = must_print("Content-Type: %s", r->type);

		fields = curl_slist_append(fields, type);
		free(type);
	}
	if (dial->authorization)
		fields = curl_slist_append(fields, dial->authorization);
	if (r->field)
		fields = curl_slist_append(fields, r->field);
	return curl_slist_append(fields, "Expect:"); /* no 100-continue: it costs a turn */
}

static void tell_nobody(const struct dial *dial, struct error *why)
{
	if (!dial->sock)
		error_set(why, "no response from %s", dial->base);
	else if (dial->is_refused)
		error_set(why, "%s: %s", dial->sock, dial->why_not.words);
	else if (access(dial->sock, R_OK | W_OK) != 0 && errno != ENOENT && errno != ENOTDIR)
		error_set(why, "%s: %s (the box of another user: --url and --token-file)",
		          dial->sock, strerror(errno));
	else
		error_set(why, "no signalbox is running on %s (start one with `signalbox serve`)",
		          dial->config.data);
}

static enum dial_result result_of(const struct dial *dial, CURLcode code, struct error *why)
{
	if (dial->is_refused) {
		tell_nobody(dial, why);
		return DIAL_NOBODY;
	}
	switch (code) {
	case CURLE_OK:
		return DIAL_ANSWERED;
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_BAD_FUNCTION_ARGUMENT:
		tell_nobody(dial, why);
		return DIAL_NOBODY;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		error_set(
			why,
			"the certificate of %s is not trusted; SSL_CERT_FILE may name one that is",
			dial->base);
		return DIAL_NOBODY;
	default:
		error_set(why, "the connection to the box was lost: %s", curl_easy_strerror(code));
		return DIAL_LOST;
	}
}

enum dial_result dial_run(struct dial *dial, const struct dial_request *r, long *status,
                          struct error *why)
{
	struct under_way u = {.request = r, .dial = dial, .heard_ns = clock_mono_ns()};
	struct curl_slist *fields = fields_of(dial, r);
	char *url = must_print("%s%s", dial->base, r->path);
	CURLcode code;

	dial->is_refused = false;
	set_line(dial, r);
	curl_easy_setopt(dial->curl, CURLOPT_URL, url);
	curl_easy_setopt(dial->curl, CURLOPT_HTTPHEADER, fields);
	if (strcmp(r->method, "GET") != 0) {
		curl_easy_setopt(dial->curl, CURLOPT_POST, 1L);
		curl_easy_setopt(dial->curl, CURLOPT_POSTFIELDS, r->body.len ? r->body.at : "");
		curl_easy_setopt(dial->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
		curl_easy_setopt(dial->curl, CURLOPT_CUSTOMREQUEST, r->method);
	}
	curl_easy_setopt(dial->curl, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(dial->curl, CURLOPT_WRITEDATA, &u);
	curl_easy_setopt(dial->curl, CURLOPT_HEADERFUNCTION, on_field);
	curl_easy_setopt(dial->curl, CURLOPT_HEADERDATA, &u);
	curl_easy_setopt(dial->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(dial->curl, CURLOPT_XFERINFODATA, &u);
	curl_easy_setopt(dial->curl, CURLOPT_NOPROGRESS, 0L);
	code = curl_easy_perform(dial->curl);
	*status = 0;
	curl_easy_getinfo(dial->curl, CURLINFO_RESPONSE_CODE, status);
	curl_slist_free_all(fields);
	free(url);
	return u.stopped ? DIAL_ENOUGH : result_of(dial, code, why);
}

static bool gather(void *self, long status, struct text bytes)
{
	return buf_add(self, bytes);
}

void dial_refusal(long status, struct text body, struct error *why)
{
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *words = yyjson_obj_get(yyjson_doc_get_root(doc), "error");

	if (yyjson_is_str(words))
		error_set(why, "%s", yyjson_get_str(words));
	else
		error_set(why, "the box answered %ld", status);
	yyjson_doc_free(doc);
}

enum dial_result dial_fetch(struct dial *dial, const struct dial_request *request, long *status,
                            struct buf *body, struct error *why)
{
	struct dial_request r = *request;
	enum dial_result result;

	r.heard = gather;
	r.self = body;
	buf_init(body, ANSWER_MAX);
	result = dial_run(dial, &r, status, why);
	if (result == DIAL_ENOUGH) {
		error_set(why, "the response is longer than %zu MiB", ANSWER_MAX / MIB);
		result = DIAL_LOST;
	}
	return result;
}

bool dial_ask(struct dial *dial, const struct dial_request *request, struct buf *body,
              struct error *why)
{
	long status;

	if (dial_fetch(dial, request, &status, body, why) == DIAL_ANSWERED) {
		if (status >= 200 && status < 300)
			return true;
		dial_refusal(status, buf_text(body), why);
	}
	buf_finish(body);
	return false;
}

static int show_answer(struct command_context *context, const struct options *options,
                       struct text body, void (*show)(struct out *out, struct text body))
{
	if (!options_has(options, "json")) {
		show(&context->out, body);
		return STATUS_DONE;
	}
	out_add(&context->out, text_trim(body));
	out_print(&context->out, "\n");
	return STATUS_DONE;
}

int dial_show(const struct command *command, struct command_context *context,
              const struct options *options, const struct dial_request *request,
              void (*show)(struct out *out, struct text body))
{
	struct dial *dial;
	struct error why;
	struct buf body;
	int result;

	if (options->word_count > 0)
		return command_misused(command, "unexpected argument '%s'", options->words[0]);
	dial = dial_create(command, context, options, &result);
	if (!dial)
		return result;
	if (dial_ask(dial, request, &body, &why)) {
		result = show_answer(context, options, buf_text(&body), show);
		buf_finish(&body);
	} else {
		say("%s", why.words);
		result = STATUS_FAILED;
	}
	dial_destroy(dial);
	return result;
}
