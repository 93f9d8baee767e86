/* identity.c - who asks, by the socket and the credential.
 *
 * A credential that is shown decides, on every kind of socket; one that is wrong
 * is never made good by where it comes from.  Without one: whoever is at the Unix
 * socket is the user, a program of the user's on the loopback may do what
 * the listener's own `local` or auth.local says, and everybody else may do nothing.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "config/config.h"
#include "net/listen.h"
#include "web/inside.h"

enum shown_credential {
	SHOWN_NONE,
	SHOWN_RIGHT,
	SHOWN_WRONG,
	SHOWN_QUERY,
	SHOWN_STOLEN,
	SHOWN_REVOKED
};

/* Users of this machine have their uid. */
#define USER_ELSEWHERE (-1)
#define USER_UNKNOWN (-2) /* of this machine, and the kernel does not say who */

bool identity_is_unix(const struct visit *visit)
{
	return listen_is_unix(visit->listen);
}

static const struct peer *peer_of(struct visit *visit)
{
	if (!visit->peer_asked && !conn_peer(visit->conn, &visit->peer))
		visit->peer = (struct peer){0};
	visit->peer_asked = true;
	return &visit->peer;
}

/* Root can be anybody: it counts as us. */
int64_t identity_user(struct visit *visit)
{
	const struct peer *peer = peer_of(visit);

	if (!peer->is_unix && !peer->is_loopback)
		return USER_ELSEWHERE;
	if (!peer->uid_known)
		return USER_UNKNOWN;
	return peer->uid == 0 ? geteuid() : peer->uid;
}

bool identity_may_have_session(struct visit *visit)
{
	int64_t user = identity_user(visit);

	return user == USER_ELSEWHERE || user == geteuid();
}

/* ---- credentials ---- */

/* A token of ours in the hands of another user was offered to somebody who is not us. */
static enum shown_credential doubt(struct visit *visit)
{
	log_error("web", "another user of this machine has the session of a page: it is void, and "
	                 "so are all; pages come in again by themselves");
	passes_renew(visit->web->passes);
	return SHOWN_STOLEN;
}

/* A device got its secret over TLS, and shows it nowhere else: without TLS it would not know
 * whom it shows it to. */
static enum shown_credential look_at_device(struct visit *visit, struct text secret,
                                            struct caller *caller)
{
	const struct listen *listen = listen_of(visit->conn);
	struct devices *devices = visit->web->devices;

	if (!listen || !listen_is_secure(listen))
		return SHOWN_NONE;
	if (devices_find(devices, secret, clock_wall_ms(), caller))
		return SHOWN_RIGHT;
	if (!visit->http) /* nobody is told in words: the word stays owed */
		return devices_has_revoked(devices, secret) ? SHOWN_REVOKED : SHOWN_NONE;
	return devices_was_revoked(devices, secret) ? SHOWN_REVOKED : SHOWN_NONE;
}

static enum shown_credential look_at_secret(struct visit *visit, struct text secret,
                                            struct caller *caller)
{
	struct web *web = visit->web;
	struct session_keys keys = web_session_keys(web);
	enum shown_credential shown;

	if (credentials_find(web->credentials, secret, caller))
		return SHOWN_RIGHT;
	shown = look_at_device(visit, secret, caller);
	if (shown != SHOWN_NONE)
		return shown;
	if (!session_check(&keys, secret, clock_wall_ms(), caller))
		return SHOWN_WRONG;
	return identity_may_have_session(visit) ? SHOWN_RIGHT : doubt(visit);
}

static enum shown_credential look_at_bearer(struct visit *visit, struct text value,
                                            struct caller *caller)
{
	struct text secret;
	struct text scheme = text_cut(value, ' ', &secret);

	if (!text_equal_nocase(scheme, TEXT("Bearer")))
		return SHOWN_WRONG;
	return look_at_secret(visit, text_trim(secret), caller);
}

/* ?ticket= and ?token= are for a browser and for clients that can do nothing
 * else, and so for upgrades only.  One that cannot be decoded is a wrong one. */
static enum shown_credential look_at_query(struct visit *visit, struct text query,
                                           struct caller *caller)
{
	struct web *web = visit->web;
	enum shown_credential shown = SHOWN_NONE;
	struct buf secret;
	bool right;

	buf_init(&secret, 4 * KIB);
	if (http_query_has(query, "ticket")) {
		right = http_query(query, "ticket", &secret) &&
		        passes_take_ticket(web->passes, buf_text(&secret), identity_user(visit),
		                           clock_wall_ms(), caller) &&
		        (!caller->device || devices_has(web->devices, caller->device));
		shown = right ? SHOWN_RIGHT : SHOWN_WRONG;
	} else if (http_query_has(query, "token")) {
		right = web->options.config->auth.query && http_query(query, "token", &secret) &&
		        credentials_find(web->credentials, buf_text(&secret), caller);
		shown = right ? SHOWN_RIGHT : SHOWN_WRONG;
		if (!web->options.config->auth.query)
			shown = SHOWN_QUERY;
	}
	if (secret.at)
		explicit_bzero(secret.at, secret.room);
	buf_finish(&secret);
	return shown;
}

static enum shown_credential look_at_credential(struct visit *visit, struct caller *caller)
{
	const struct http_request *request = http_request(visit->http);

	if (http_has_field(visit->http, "Authorization"))
		return look_at_bearer(visit, http_field(visit->http, "Authorization"), caller);
	if (!request->wants_upgrade)
		return SHOWN_NONE;
	return look_at_query(visit, request->query, caller);
}

/* ---- without a credential ---- */

/* A proxy in front of us makes every peer look local. */
static bool is_forwarded(const struct http *http)
{
	static const char *const fields[] = {
		"Forwarded",           "Via",
		"X-Real-IP",           "X-Client-IP",
		"CF-Connecting-IP",    "True-Client-IP",
		"X-Cluster-Client-IP",
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (http_has_field(http, fields[i]))
			return true;
	return http_has_fields(http, "X-Forwarded-");
}

/* The process's name is its own choice: it is made safe to show. */
static void name_process(pid_t pid, char *out, size_t room)
{
	char path[64], comm[32];
	struct buf safe;
	FILE *file;
	size_t n;

	snprintf(out, room, "process %ld", (long)pid);
	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
	file = pid > 0 ? fopen(path, "re") : NULL;
	if (!file)
		return;
	n = fread(comm, 1, sizeof(comm), file);
	fclose(file);
	buf_init(&safe, 4 * sizeof(comm));
	utf8_add_shown(&safe, text_trim((struct text){comm, n}));
	if (safe.len && safe.len < room)
		snprintf(out, room, "%.*s", TEXT_ARG(buf_text(&safe)));
	buf_finish(&safe);
}

/* A page never comes this way, and what a proxy brings is not its own. */
static void know_unix(struct visit *visit, struct caller *caller)
{
	const struct peer *peer = peer_of(visit);

	if (!peer->is_unix || (peer->uid != geteuid() && peer->uid != 0))
		return;
	if (http_has_field(visit->http, "Origin") ||
	    http_has_field(visit->http, "Sec-Fetch-Site") || is_forwarded(visit->http))
		return;
	caller->scopes = SCOPE_ALL;
	caller->has_credential = true;
	caller->is_process = true;
	caller->which = peer->uid;
	name_process(peer->pid, caller->name, sizeof(caller->name));
}

/* Listeners stand in the order of the configuration.  NULL: it is there no more. */
static const struct config_listen *listen_row(const struct visit *visit)
{
	const struct web *web = visit->web;
	const struct config *config = web->options.config;

	for (size_t i = 0; i < web->listen_count && i < config->listen_count; i++)
		if (web->listens[i] == visit->listen)
			return &config->listen[i];
	return NULL;
}

static unsigned local_scopes(const struct visit *visit)
{
	const struct config_listen *row = listen_row(visit);

	if (!row)
		return 0;
	return visit->open | (row->has_local ? row->local : visit->web->options.config->auth.local);
}

bool identity_welcomes(struct visit *visit)
{
	const struct web_doors *doors = &visit->web->options.doors;
	const struct config_listen *row = listen_row(visit);
	struct text origin = http_field(visit->http, "Origin");

	visit->is_welcome = false;
	visit->open = 0;
	if (!row || !row->dialect || !doors->pin(doors->self, visit->http, &visit->open))
		return false;
	if (row->has_local || row->cert)
		visit->open = 0; /* it says itself whom it lets in */
	for (size_t i = 0; i < row->origin_count; i++)
		visit->is_welcome |= text_is(origin, row->origins[i]);
	visit->is_welcome |= visit->open && guard_is_loopback(origin);
	return visit->is_welcome;
}

static void know_local(struct visit *visit, struct caller *caller)
{
	const struct web *web = visit->web;
	const struct http *http = visit->http;
	unsigned scopes = local_scopes(visit);
	const struct peer *peer;

	if (http_has_field(http, "Origin") && !visit->is_welcome) {
		if (guard_guest(&web->guard, http_field(http, "Origin")) < 0)
			return;
		scopes &= SCOPE_OBSERVE | SCOPE_EMIT;
	} else if (http_has_field(http, "Sec-Fetch-Site") && !visit->is_welcome) {
		return;
	}
	if (scopes == 0 || is_forwarded(http))
		return;
	peer = peer_of(visit);
	if (!peer->is_loopback || !peer->uid_known || peer->uid != geteuid())
		return;
	caller->scopes = scopes;
	snprintf(caller->name, sizeof(caller->name), "local");
}

/* It did nothing wrong, so that it is not counted with those who guess.  That it knows now may be
 * all that its way in was open for. */
static void refuse_revoked(struct visit *visit)
{
	http_refuse(visit->http, &(struct http_refusal){
					 401,
					 .code = "revoked",
					 .words = "this device was revoked; pair it again",
					 .extra = "WWW-Authenticate: Bearer\r\n",
				 });
	phone_told_one(visit->web);
}

static bool find_caller(struct visit *visit, struct caller *caller)
{
	*caller = (struct caller){0};
	switch (look_at_credential(visit, caller)) {
	case SHOWN_RIGHT:
		return true;
	case SHOWN_WRONG:
		web_refuse_credential(visit->web, visit->http, "this credential is not valid");
		return false;
	case SHOWN_STOLEN:
		*caller = (struct caller){0};
		web_refuse(visit->http, 403, "the session of a page is valid for its own user only",
		           NULL);
		return false;
	case SHOWN_REVOKED:
		refuse_revoked(visit);
		return false;
	case SHOWN_QUERY:
		web_refuse(visit->http, 401, "a token in the URL needs auth.query: true", NULL);
		return false;
	case SHOWN_NONE:
		break;
	}
	if (identity_is_unix(visit))
		know_unix(visit, caller);
	else
		know_local(visit, caller);
	return true;
}

bool identity_find(struct visit *visit, struct caller *caller)
{
	if (!find_caller(visit, caller))
		return false;
	if (caller->scopes)
		conn_vouch(http_conn(visit->http));
	if (caller->device)
		conn_own(http_conn(visit->http), caller->device);
	return true;
}

enum caller_answer web_find_caller(struct web *web, struct conn *conn, struct text secret,
                                   struct caller *caller, unsigned *wait_s)
{
	struct visit visit = {.web = web, .conn = conn};
	enum shown_credential shown;

	*caller = (struct caller){0};
	shown = look_at_secret(&visit, secret, caller);
	if (shown == SHOWN_RIGHT) {
		if (caller->device)
			conn_own(conn, caller->device);
		return CALLER_KNOWN;
	}
	*caller = (struct caller){0};
	if (shown == SHOWN_REVOKED)
		return CALLER_WRONG; /* and no guess */
	*wait_s = web_count_wrong(web);
	return *wait_s ? CALLER_WAIT : CALLER_WRONG;
}

/* ---- tokens that others keep a mark of ---- */

bool web_token_mark(const struct web *web, struct text secret, unsigned char mark[DIGEST_LEN])
{
	return credentials_mark(web->credentials, secret, mark);
}

bool web_token_scopes(const struct web *web, const unsigned char mark[DIGEST_LEN], unsigned *scopes)
{
	return credentials_of_mark(web->credentials, mark, scopes);
}
