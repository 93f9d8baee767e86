/* remote.c - requests to one box on a loop of its own, and where that box is. */
#include "cli/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yyjson.h>

#include "base/must.h"
#include "cli/secret.h"
#include "net/loop.h"
#include "net/request.h"
#include "net/url.h"

#define ANSWER_MAX (16 * MIB)
#define CONNECT_MS 5000
/* A stream that is alive says something every 10 s; three silences are a death. */
#define SILENCE_MS 30000
#define LOOK_MS 750 /* between two questions whether it goes on, and up to a tick of the loop */

struct remote {
	struct config config; /* of one that was made of options */
	char *data;
	char *base; /* "http://localhost" or --url */
	char *sock; /* NULL with --url */
	char *authorization;

	struct loop *loop;
	struct requests *requests; /* made with the first: libcurl takes a while to load */
	struct request *request;   /* the one that is under way */
	struct remote_request asked;
	struct deadline look;
	enum remote_result result;
	long status;
	unsigned beats;
	struct error why; /* of the result */
};

/* ---- where it is ---- */

static bool host_is_here(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0 ||
	       strcmp(host, "::1") == 0;
}

/* SCHEME://HOST[:PORT], and plain http only to this machine. */
static bool set_url(struct remote *remote, const char *text, struct error *why)
{
	struct url url;
	size_t len = strlen(text);

	if (!url_parse(&url, text_of(text), why))
		return error_within(why, "--url");
	if (url.is_ws)
		return error_set(why, "--url is http or https");
	if (url.query.at || !text_is(url.path, "/"))
		return error_set(why, "--url is SCHEME://HOST[:PORT] and nothing more");
	if (!url.is_secure && !host_is_here(url.host))
		return error_set(why, "plain http goes to 127.0.0.1, [::1] or localhost only; "
		                      "another machine needs https");
	remote->base = text_dup((struct text){text, text[len - 1] == '/' ? len - 1 : len});
	return true;
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

static void set_sock(struct remote *remote)
{
	remote->base = must_dup("http://localhost");
	remote->sock = must_print("%s/sock", remote->data);
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
	remote->data = must_dup(remote->config.data);
	if (!url)
		set_sock(remote);
	return true;
}

static void ask_whether(struct deadline *deadline);

static struct remote *make(void)
{
	struct remote *remote = must_zero(1, sizeof(*remote));

	remote->loop = loop_create();
	remote->look.fire = ask_whether;
	return remote;
}

struct remote *remote_at(const char *data)
{
	struct remote *remote = make();

	remote->data = must_dup(data);
	set_sock(remote);
	return remote;
}

struct remote *remote_create(const struct command *command, struct command_context *context,
                             const struct options *options, int *status)
{
	struct remote *remote = make();
	struct error why;

	if (!command_config(context, options, &remote->config)) {
		*status = STATUS_CONFIG;
		remote_destroy(remote);
		return NULL;
	}
	if (!set_target(remote, options, status, &why)) {
		if (*status == STATUS_USAGE)
			command_misused(command, "%s", why.words);
		else
			out_say("%s", why.words);
		remote_destroy(remote);
		return NULL;
	}
	return remote;
}

void remote_destroy(struct remote *remote)
{
	if (!remote)
		return;
	remote_stop(remote);
	requests_destroy(remote->requests);
	loop_destroy(remote->loop);
	config_finish(&remote->config);
	if (remote->authorization)
		explicit_bzero(remote->authorization, strlen(remote->authorization));
	free(remote->authorization);
	free(remote->data);
	free(remote->base);
	free(remote->sock);
	free(remote);
}

const char *remote_data(const struct remote *remote)
{
	return remote->data;
}

struct remote_target remote_target(const struct remote *remote)
{
	return (struct remote_target){remote->base, remote->sock, remote->authorization,
	                              remote->loop};
}

/* ---- one request ---- */

static void end_request(struct remote *remote, enum remote_result result)
{
	remote->result = result;
	remote->request = NULL;
	deadline_clear(&remote->look);
	loop_stop(remote->loop);
}

static void say_enough(struct remote *remote)
{
	request_cancel(remote->request);
	end_request(remote, REMOTE_ENOUGH);
}

static void ask_whether(struct deadline *deadline)
{
	struct remote *remote = list_of(deadline, struct remote, look);

	if (remote->asked.goes_on(remote->asked.self))
		deadline_set(remote->loop, deadline, LOOK_MS);
	else
		say_enough(remote);
}

static void on_head(void *self, const struct request_head *head)
{
	((struct remote *)self)->status = head->status;
}

static void on_beat(void *self)
{
	((struct remote *)self)->beats++;
}

static void on_bytes(void *self, struct text bytes)
{
	struct remote *remote = self;
	const struct remote_request *asked = &remote->asked;

	if (asked->heard && !asked->heard(asked->self, remote->status, bytes))
		say_enough(remote);
	loop_read_clock(remote->loop); /* they may have waited for their reader */
}

void remote_tell_nobody(const struct remote *remote, struct error *why)
{
	if (!remote->sock)
		error_set(why, "no response from %s", remote->base);
	else if (access(remote->sock, R_OK | W_OK) != 0 && errno != ENOENT && errno != ENOTDIR)
		error_set(why, "%s: %s (the box of another user: --url and --token-file)",
		          remote->sock, strerror(errno));
	else
		error_set(why, "no signalbox is running on %s (start one with `signalbox serve`)",
		          remote->data);
}

static enum remote_result tell_fault(struct remote *remote, const char *why)
{
	switch (request_fault(remote->request)) {
	case REQUEST_UNREACHABLE:
		remote_tell_nobody(remote, &remote->why);
		return REMOTE_NOBODY;
	case REQUEST_STRANGER:
		error_set(&remote->why, "%s: %s", remote->sock, why);
		return REMOTE_NOBODY;
	case REQUEST_UNTRUSTED:
	case REQUEST_UNREADABLE:
		error_set(
			&remote->why,
			"the certificate of %s is not trusted; SSL_CERT_FILE may name one that is",
			remote->base);
		return REMOTE_NOBODY;
	default:
		error_set(&remote->why, "the connection to the box was lost: %s", why);
		return REMOTE_LOST;
	}
}

static void on_done(void *self, const char *why)
{
	struct remote *remote = self;

	end_request(remote, why ? tell_fault(remote, why) : REMOTE_ANSWERED);
}

void remote_start(struct remote *remote, const struct remote_request *r)
{
	unsigned silence_ms = r->silence_ms ? r->silence_ms : SILENCE_MS;
	char *type = r->type ? must_print("Content-Type: %s", r->type) : NULL;
	const char *headers[4] = {NULL};
	size_t n = 0;
	struct request_options o = {
		.url = remote->base,
		.route = r->path,
		.path = remote->sock,
		.is_direct = true,
		.may_repeat = r->may_repeat,
		.method = r->method,
		.headers = headers,
		.body = r->body,
		.connect_ms = CONNECT_MS,
		.head_ms = r->timeout_ms ? 0 : silence_ms,
		.idle_ms = r->timeout_ms ? 0 : silence_ms,
		.total_ms = r->timeout_ms,
		.self = remote,
		.head = on_head,
		.heard = on_bytes,
		.beat = on_beat,
		.done = on_done,
	};

	remote_stop(remote);
	if (type)
		headers[n++] = type;
	if (remote->authorization)
		headers[n++] = remote->authorization;
	if (r->field)
		headers[n++] = r->field;
	if (!remote->requests)
		remote->requests = requests_create(remote->loop);
	loop_read_clock(remote->loop);
	remote->asked = *r;
	remote->result = REMOTE_UNDER_WAY;
	remote->status = 0;
	remote->beats = 0;
	remote->request = request_start(remote->requests, &o, &remote->why);
	if (!remote->request)
		remote->result = REMOTE_LOST;
	else if (r->goes_on)
		deadline_set(remote->loop, &remote->look, LOOK_MS);
	free(type);
}

void remote_stop(struct remote *remote)
{
	if (!remote->request)
		return;
	request_cancel(remote->request);
	end_request(remote, REMOTE_LOST);
}

enum remote_result remote_step(struct remote *remote)
{
	do
		loop_step(remote->loop, false);
	while (remote->request && loop_patience(remote->loop) == 0);
	return remote->result;
}

struct pollfd remote_poll(const struct remote *remote)
{
	return (struct pollfd){.fd = remote->request ? loop_fd(remote->loop) : -1,
	                       .events = POLLIN};
}

int remote_patience(const struct remote *remote)
{
	return remote->request ? loop_patience(remote->loop) : -1;
}

struct remote_state remote_state(const struct remote *remote)
{
	return (struct remote_state){
		.status = remote->status,
		.beats = remote->beats,
		.sent = remote->request ? request_sent(remote->request) : 0,
	};
}

enum remote_result remote_run(struct remote *remote, const struct remote_request *r, long *status,
                              struct error *why)
{
	remote_start(remote, r);
	while (remote->request)
		loop_run(remote->loop);
	*status = remote->status;
	if (remote->result != REMOTE_ANSWERED && remote->result != REMOTE_ENOUGH)
		*why = remote->why;
	return remote->result;
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
		out_say("%s", why.words);
		result = STATUS_FAILED;
	}
	remote_destroy(remote);
	return result;
}
