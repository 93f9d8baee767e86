/* remote.c - one easy handle of libcurl, set up the same for every request. */
#include "cli/remote.h"

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

struct remote {
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
	const struct remote_request *request;
	struct remote *remote;
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

static bool set_url(struct remote *remote, const char *text, struct error *why)
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
	remote->base = text_dup((struct text){text, len});
	return good;
}

static bool set_token(struct remote *remote, const char *file, struct error *why)
{
	char secret[SECRET_LEN + 1];

	if (!secret_read(file, secret, why))
		return false;
	remote->authorization = must_print("Authorization: Bearer %s", secret);
	explicit_bzero(secret, sizeof(secret));
	return true;
}

static bool set_target(struct remote *remote, const struct options *options, int *status,
                       struct error *why)
{
	const char *url = options_value(options, "url");
	const char *file = options_value(options, "token-file");

	*status = STATUS_USAGE;
	if (file && !url)
		return error_set(why,
		                 "--token-file goes with --url; the Unix socket needs no token");
	if (url && !set_url(remote, url, why))
		return false;
	*status = STATUS_FAILED;
	if (file && !set_token(remote, file, why))
		return false;
	if (!url) {
		remote->base = must_dup("http://localhost");
		remote->sock = must_print("%s/sock", remote->config.data);
	}
	return true;
}

struct remote *remote_create(const struct command *command, struct command_context *context,
                             const struct options *options, int *status)
{
	struct remote *remote = must_zero(1, sizeof(*remote));
	struct error why;

	if (!command_config(context, options, &remote->config)) {
		*status = STATUS_CONFIG;
		free(remote);
		return NULL;
	}
	remote->curl = curl_easy_init();
	if (!set_target(remote, options, status, &why)) {
		if (*status == STATUS_USAGE)
			command_misused(command, "%s", why.words);
		else
			say("%s", why.words);
		remote_destroy(remote);
		return NULL;
	}
	return remote;
}

void remote_destroy(struct remote *remote)
{
	if (!remote)
		return;
	curl_easy_cleanup(remote->curl);
	config_finish(&remote->config);
	if (remote->authorization)
		explicit_bzero(remote->authorization, strlen(remote->authorization));
	free(remote->authorization);
	free(remote->base);
	free(remote->sock);
	free(remote);
}

const char *remote_data(const struct remote *remote)
{
	return remote->config.data;
}

struct remote_target remote_target(const struct remote *remote)
{
	return (struct remote_target){remote->base, remote->sock, remote->authorization};
}

static size_t on_bytes(char *at, size_t size, size_t count, void *self)
{
	struct under_way *u = self;
	size_t n = size * count;
	long status = 0;

	u->heard_ns = clock_mono_ns();
	curl_easy_getinfo(u->remote->curl, CURLINFO_RESPONSE_CODE, &status);
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
	struct remote *remote = self;

	remote->fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	return remote->fd < 0 ? CURL_SOCKET_BAD : remote->fd;
}

/* It is connected, and nothing was sent yet. */
static int look_who(void *self, char *there, char *here, int port, int own_port)
{
	struct remote *remote = self;

	remote->is_refused = !peer_is_ours(remote->fd, &remote->why_not);
	return remote->is_refused ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static void set_sock(struct remote *remote)
{
	CURL *curl = remote->curl;

	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, remote->sock);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_sock);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, remote);
	curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, look_who);
	curl_easy_setopt(curl, CURLOPT_PREREQDATA, remote);
}

static void set_line(struct remote *remote, const struct remote_request *r)
{
	CURL *curl = remote->curl;

	curl_easy_reset(curl);
	set_trust(curl);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	if (remote->sock)
		set_sock(remote);
	if (r->timeout_ms)
		curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms);
}

static struct curl_slist *fields_of(const struct remote *remote, const struct remote_request *r)
{
	struct curl_slist *fields = NULL;

	if (r->type) {
		char *type = must_print("Content-Type: %s", r->type);

		fields = curl_slist_append(fields, type);
		free(type);
	}
	if (remote->authorization)
		fields = curl_slist_append(fields, remote->authorization);
	if (r->field)
		fields = curl_slist_append(fields, r->field);
	return curl_slist_append(fields, "Expect:"); /* no 100-continue: it costs a turn */
}

static void tell_nobody(const struct remote *remote, struct error *why)
{
	if (!remote->sock)
		error_set(why, "no response from %s", remote->base);
	else if (remote->is_refused)
		error_set(why, "%s: %s", remote->sock, remote->why_not.words);
	else if (access(remote->sock, R_OK | W_OK) != 0 && errno != ENOENT && errno != ENOTDIR)
		error_set(why, "%s: %s (the box of another user: --url and --token-file)",
		          remote->sock, strerror(errno));
	else
		error_set(why, "no signalbox is running on %s (start one with `signalbox serve`)",
		          remote->config.data);
}

static enum remote_result result_of(const struct remote *remote, CURLcode code, struct error *why)
{
	if (remote->is_refused) {
		tell_nobody(remote, why);
		return REMOTE_NOBODY;
	}
	switch (code) {
	case CURLE_OK:
		return REMOTE_ANSWERED;
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_BAD_FUNCTION_ARGUMENT:
		tell_nobody(remote, why);
		return REMOTE_NOBODY;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		error_set(
			why,
			"the certificate of %s is not trusted; SSL_CERT_FILE may name one that is",
			remote->base);
		return REMOTE_NOBODY;
	default:
		error_set(why, "the connection to the box was lost: %s", curl_easy_strerror(code));
		return REMOTE_LOST;
	}
}

enum remote_result remote_run(struct remote *remote, const struct remote_request *r, long *status,
                              struct error *why)
{
	struct under_way u = {.request = r, .remote = remote, .heard_ns = clock_mono_ns()};
	struct curl_slist *fields = fields_of(remote, r);
	char *url = must_print("%s%s", remote->base, r->path);
	CURLcode code;

	remote->is_refused = false;
	set_line(remote, r);
	curl_easy_setopt(remote->curl, CURLOPT_URL, url);
	curl_easy_setopt(remote->curl, CURLOPT_HTTPHEADER, fields);
	if (strcmp(r->method, "GET") != 0) {
		curl_easy_setopt(remote->curl, CURLOPT_POST, 1L);
		curl_easy_setopt(remote->curl, CURLOPT_POSTFIELDS, r->body.len ? r->body.at : "");
		curl_easy_setopt(remote->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		                 (curl_off_t)r->body.len);
		curl_easy_setopt(remote->curl, CURLOPT_CUSTOMREQUEST, r->method);
	}
	curl_easy_setopt(remote->curl, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(remote->curl, CURLOPT_WRITEDATA, &u);
	curl_easy_setopt(remote->curl, CURLOPT_HEADERFUNCTION, on_field);
	curl_easy_setopt(remote->curl, CURLOPT_HEADERDATA, &u);
	curl_easy_setopt(remote->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(remote->curl, CURLOPT_XFERINFODATA, &u);
	curl_easy_setopt(remote->curl, CURLOPT_NOPROGRESS, 0L);
	code = curl_easy_perform(remote->curl);
	*status = 0;
	curl_easy_getinfo(remote->curl, CURLINFO_RESPONSE_CODE, status);
	curl_slist_free_all(fields);
	free(url);
	return u.stopped ? REMOTE_ENOUGH : result_of(remote, code, why);
}

static bool gather(void *self, long status, struct text bytes)
{
	return buf_add(self, bytes);
}

void remote_refusal(long status, struct text body, struct error *why)
{
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *words = yyjson_obj_get(yyjson_doc_get_root(doc), "error");

	if (yyjson_is_str(words))
		error_set(why, "%s", yyjson_get_str(words));
	else
		error_set(why, "the box answered %ld", status);
	yyjson_doc_free(doc);
}

enum remote_result remote_fetch(struct remote *remote, const struct remote_request *request,
                                long *status, struct buf *body, struct error *why)
{
	struct remote_request r = *request;
	enum remote_result result;

	r.heard = gather;
	r.self = body;
	buf_init(body, ANSWER_MAX);
	result = remote_run(remote, &r, status, why);
	if (result == REMOTE_ENOUGH) {
		error_set(why, "the response is longer than %zu MiB", ANSWER_MAX / MIB);
		result = REMOTE_LOST;
	}
	return result;
}

bool remote_ask(struct remote *remote, const struct remote_request *request, struct buf *body,
                struct error *why)
{
	long status;

	if (remote_fetch(remote, request, &status, body, why) == REMOTE_ANSWERED) {
		if (status >= 200 && status < 300)
			return true;
		remote_refusal(status, buf_text(body), why);
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

int remote_show(const struct command *command, struct command_context *context,
                const struct options *options, const struct remote_request *request,
                void (*show)(struct out *out, struct text body))
{
	struct remote *remote;
	struct error why;
	struct buf body;
	int result;

	if (options->word_count > 0)
		return command_misused(command, "unexpected argument '%s'", options->words[0]);
	remote = remote_create(command, context, options, &result);
	if (!remote)
		return result;
	if (remote_ask(remote, request, &body, &why)) {
		result = show_answer(context, options, buf_text(&body), show);
		buf_finish(&body);
	} else {
		say("%s", why.words);
		result = STATUS_FAILED;
	}
	remote_destroy(remote);
	return result;
}
