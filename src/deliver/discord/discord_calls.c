/* discord_calls.c - what goes to Discord: messages, edits, removals, typing, answers to presses.
 *
 * Each message has a nonce that names it for ever, and Discord takes none twice: so one whose
 * answer was lost is just sent again, and after a restart it is looked for in the history first.
 * Only a history that was read back to the time of the message says that it is not there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/discord/discord_inside.h"
#include "deliver/upload.h"

#define DISCORD_CALLS_MAX 1024
#define DISCORD_BODY_MAX (64 * KIB)
#define PATH_ROOM 700
#define PAGE 100
#define PAGES_MAX 5   /* in which it is looked for: beyond them nobody knows */
#define SKEW_MS 60000 /* by which our clock and Discord's may differ */
#define OPENED_MAX 10000

struct discord_call {
	struct channel_errand call; /* of which the requests are in discord_rest.c */
	struct discord_chat *chat;
	char *body;
	struct channel_upload file; /* without a path: none */
	unsigned pages;
	bool is_direct;          /* the chat is one person's, by name */
	char *person;            /* whose chat has to be opened first, with its at sign, or NULL */
	char to[DISCORD_ID_MAX]; /* the chat or the thread */
	char message[DISCORD_ID_MAX];
	char nonce[DISCORD_NONCE_LEN + 1];
	uint64_t before, since; /* of the history that is looked through */
};

/* ---- where ---- */

/* The id of the chat; false: it is not known yet, because it is a person's. */
static bool find_chat(const struct discord_chat *d, const struct channel_message *m,
                      char to[DISCORD_ID_MAX])
{
	struct text name = m->thread.len ? m->thread : m->peer;
	const char *opened = m->thread.len ? NULL : map_get(&d->opened, m->peer);

	to[0] = '\0';
	if (opened)
		name = text_of(opened);
	if (discord_id(name))
		snprintf(to, DISCORD_ID_MAX, "%.*s", TEXT_ARG(name));
	return to[0];
}

static bool is_person(const struct channel_message *m)
{
	return !m->thread.len && m->peer.len > 1 && m->peer.at[0] == '@' &&
	       discord_id((struct text){m->peer.at + 1, m->peer.len - 1});
}

static int64_t ready_for(const struct discord_chat *d, const struct discord_way *way,
                         int64_t now_ms)
{
	return discord_limits_ready(&d->limits, way, now_ms);
}

int64_t discord_ready(void *self, const struct channel_message *where, int64_t now_ms)
{
	static const enum discord_route routes[] = {DISCORD_TO_SEND, DISCORD_TO_EDIT,
	                                            DISCORD_TO_REMOVE, DISCORD_TO_READ};
	const struct discord_chat *d = self;
	char to[DISCORD_ID_MAX];
	int64_t latest = errands_ready(&d->calls, now_ms);

	find_chat(d, where, to);
	for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++) {
		struct discord_way way = {routes[i], text_of(to)};
		int64_t one = ready_for(d, &way, now_ms);

		latest = one > latest ? one : latest;
	}
	return latest;
}

/* ---- the end of a call ---- */

static void drop_call(struct channel_errand *call)
{
	struct discord_call *c = (struct discord_call *)call;

	free(c->person);
	free(c->body);
	free(c->file.path);
}

static const struct errands_kind errands_kind = {
	.size = sizeof(struct discord_call),
	.most = DISCORD_CALLS_MAX,
	.full = "as many messages as Discord takes are on their way",
	.drop = drop_call,
};

void discord_calls_init(struct discord_chat *d)
{
	errands_init(&d->calls, &errands_kind, &d->options);
	map_init(&d->opened);
}

static void end_discord_call(struct discord_call *c, enum channel_answer answer,
                             const struct error *why)
{
	errands_end(&c->call, answer, text_of(c->message), text_of(why ? why->words : ""));
}

static enum channel_answer answer_of(const struct discord_call *c, const struct discord_reply *r)
{
	static const enum channel_answer answers[] = {
		[DISCORD_DONE] = CHANNEL_ACCEPTED, [DISCORD_REFUSED] = CHANNEL_REFUSED,
		[DISCORD_LIMITED] = CHANNEL_LATER, [DISCORD_AWAY] = CHANNEL_AWAY,
		[DISCORD_LOST] = CHANNEL_UNKNOWN,
	};

	/* What is gone already is as it should be. */
	if (c->call.act == CHANNEL_REMOVE && r->fate == DISCORD_REFUSED && r->status == 404)
		return CHANNEL_ACCEPTED;
	/* To look changes nothing, and who may not look does not know that it is not there. */
	if (c->call.act == CHANNEL_LOOK && r->fate == DISCORD_LOST)
		return CHANNEL_AWAY;
	if (c->call.act == CHANNEL_LOOK && r->fate == DISCORD_REFUSED)
		return CHANNEL_UNKNOWN;
	return answers[r->fate];
}

static void call_is_done(void *self, const struct discord_reply *r)
{
	struct discord_call *c = self;
	enum channel_answer answer = answer_of(c, r);
	struct error why = r->why;
	yyjson_val *root;

	if (c->call.act == CHANNEL_SEND && answer == CHANNEL_ACCEPTED) {
		root = discord_read_body(&c->chat->reader, r->body);
		if (discord_id_at(root, "id"))
			snprintf(c->message, sizeof(c->message), "%llu",
			         (unsigned long long)discord_id_at(root, "id"));
		else
			answer = CHANNEL_UNKNOWN;
	}
	end_discord_call(c, answer, &why);
}

/* ---- looking ---- */

static void look_on(struct discord_call *c);

/* A bot without the permission Read Message History gets an empty page, and no error: only the
 * chat with one person is known to have nothing in it. */
static bool may_be_empty(const struct discord_call *c)
{
	return c->is_direct || c->before;
}

static void end_look(struct discord_call *c, enum channel_answer answer, const char *words)
{
	struct error why;

	error_set(&why, "%s", words);
	end_discord_call(c, answer, &why);
}

static void looked(void *self, const struct discord_reply *r)
{
	struct discord_call *c = self;
	uint64_t found, oldest;
	yyjson_val *page;

	if (r->fate != DISCORD_DONE) {
		call_is_done(c, r);
		return;
	}
	page = discord_read_body(&c->chat->reader, r->body);
	found = discord_find_nonce(page, &c->chat->bot, c->nonce, &oldest);
	if (found) {
		snprintf(c->message, sizeof(c->message), "%llu", (unsigned long long)found);
		end_discord_call(c, CHANNEL_ACCEPTED, NULL);
	} else if (!yyjson_is_arr(page) || (!oldest && !may_be_empty(c))) {
		end_look(c, CHANNEL_UNKNOWN, "Discord does not show the history");
	} else if (yyjson_arr_size(page) < PAGE || oldest <= c->since) {
		end_look(c, CHANNEL_ABSENT, "it is not in the history");
	} else if (++c->pages == PAGES_MAX) {
		end_look(c, CHANNEL_UNKNOWN, "too much was written since");
	} else {
		c->before = oldest;
		look_on(c);
	}
}

static void look_on(struct discord_call *c)
{
	char path[PATH_ROOM];
	int n = snprintf(path, sizeof(path), "/channels/%s/messages?limit=%d", c->to, PAGE);

	if (c->before)
		snprintf(path + n, sizeof(path) - (size_t)n, "&before=%llu",
		         (unsigned long long)c->before);
	discord_start(c->chat, &(struct discord_ask){.way = {DISCORD_TO_READ, text_of(c->to)},
	                                             .method = "GET",
	                                             .path = path,
	                                             .may_repeat = true,
	                                             .waits = true,
	                                             .self = c,
	                                             .done = looked});
}

/* ---- leaving ---- */

static void leave(struct discord_call *c)
{
	static const struct {
		enum discord_route route;
		const char *method;
	} ways[] = {
		[CHANNEL_SEND] = {DISCORD_TO_SEND, "POST"},
		[CHANNEL_EDIT] = {DISCORD_TO_EDIT, "PATCH"},
		[CHANNEL_REMOVE] = {DISCORD_TO_REMOVE, "DELETE"},
	};
	char path[PATH_ROOM];

	if (c->call.act == CHANNEL_LOOK) {
		look_on(c);
		return;
	}
	snprintf(path, sizeof(path), "/channels/%s/messages%s%s", c->to,
	         c->call.act == CHANNEL_SEND ? "" : "/",
	         c->call.act == CHANNEL_SEND ? "" : c->message);
	discord_start(c->chat,
	              &(struct discord_ask){.way = {ways[c->call.act].route, text_of(c->to)},
	                                    .method = ways[c->call.act].method,
	                                    .path = path,
	                                    .body = text_of(c->body),
	                                    .file = c->file.path ? &c->file : NULL,
	                                    .may_repeat = true,
	                                    .self = c,
	                                    .done = call_is_done});
}

static void chat_is_open(void *self, const struct discord_reply *r)
{
	struct discord_call *c = self;
	struct discord_chat *d = c->chat;
	struct error why = r->why;
	uint64_t id = 0;

	if (r->fate == DISCORD_DONE)
		id = discord_id_at(discord_read_body(&d->reader, r->body), "id");
	if (!id) {
		if (r->fate == DISCORD_DONE)
			error_set(&why, "Discord does not say which chat it opened");
		end_discord_call(c,
		                 r->fate == DISCORD_DONE || r->fate == DISCORD_REFUSED
		                         ? CHANNEL_REFUSED
		                         : CHANNEL_AWAY,
		                 &why);
		return;
	}
	snprintf(c->to, sizeof(c->to), "%llu", (unsigned long long)id);
	if (d->opened.count < OPENED_MAX)
		free(map_remove(&d->opened, text_of(c->person)));
	if (d->opened.count < OPENED_MAX)
		map_set(&d->opened, text_of(c->person), must_dup(c->to));
	leave(c);
}

/* A person has no chat until one is opened; to open it again gives the same. */
static void open_chat(struct discord_call *c)
{
	struct buf body;

	buf_init(&body, KIB);
	put_object(&body, NULL);
	put_word(&body, "recipient_id", c->person + 1);
	put_end(&body);
	discord_start(c->chat, &(struct discord_ask){.way = {DISCORD_TO_OPEN, TEXT("")},
	                                             .method = "POST",
	                                             .path = "/users/@me/channels",
	                                             .body = buf_text(&body),
	                                             .may_repeat = true,
	                                             .waits = true,
	                                             .self = c,
	                                             .done = chat_is_open});
	buf_finish(&body);
}

/* ---- what the outbox wants ---- */

static char *body_of(const struct channel_message *m, const struct discord_call *c)
{
	struct discord_saying saying = {m, c->call.act == CHANNEL_SEND ? c->nonce : NULL};
	struct buf body;
	char *made = NULL;

	buf_init(&body, DISCORD_BODY_MAX);
	if (c->call.act == CHANNEL_SEND || c->call.act == CHANNEL_EDIT) {
		discord_put_message(&saying, &body);
		made = text_dup(buf_text(&body));
	}
	buf_finish(&body);
	return made;
}

static void begin_call(struct discord_chat *d, const struct channel_message *m,
                       enum channel_act act)
{
	struct discord_call *c = (struct discord_call *)errands_make(&d->calls, m, act);

	c->chat = d;
	c->since = m->since_ms > 0 ? discord_id_of_time((int64_t)m->since_ms - SKEW_MS) : 0;
	if (discord_id(m->message))
		snprintf(c->message, sizeof(c->message), "%.*s", TEXT_ARG(m->message));
	c->is_direct = is_person(m);
	discord_nonce(m, c->nonce);
	c->body = body_of(m, c);
	if (m->file)
		c->file = upload_keep(m->file);
	if (find_chat(d, m, c->to)) {
		leave(c);
		return;
	}
	c->person = text_dup(m->peer);
	open_chat(c);
}

/* Which messages are its own, a look has to know: it is told soon. */
static bool may_call(struct discord_chat *d, const struct channel_message *m, enum channel_act act,
                     int64_t now_ms)
{
	return (act != CHANNEL_LOOK || d->bot.id[0]) && discord_ready(d, m, now_ms) <= now_ms;
}

static void call_discord(struct discord_chat *d, const struct channel_message *m,
                         enum channel_act act)
{
	struct channel_result result = {.answer = CHANNEL_REFUSED};
	int64_t now_ms = discord_now(d);
	char to[DISCORD_ID_MAX];
	struct error why;

	result.why = &why;
	if (!find_chat(d, m, to) && !is_person(m)) {
		error_set(&why, "'%.*s' is neither the id of a chat nor @ and that of a person",
		          m->peer.len < 64 ? (int)m->peer.len : 64, m->peer.at);
	} else if (act != CHANNEL_SEND && act != CHANNEL_LOOK && !discord_id(m->message)) {
		error_set(&why, "it names no message");
	} else if (may_call(d, m, act, now_ms)) {
		begin_call(d, m, act);
		return;
	} else {
		result = (struct channel_result){.answer = CHANNEL_LATER};
	}
	errands_refuse(&d->calls, m, act, &result);
}

void discord_send(void *self, const struct channel_message *m)
{
	call_discord(self, m, CHANNEL_SEND);
}

void discord_edit(void *self, const struct channel_message *m)
{
	call_discord(self, m, CHANNEL_EDIT);
}

void discord_remove(void *self, const struct channel_message *m)
{
	call_discord(self, m, CHANNEL_REMOVE);
}

void discord_look(void *self, const struct channel_message *m)
{
	call_discord(self, m, CHANNEL_LOOK);
}

/* Nobody waits for it, and a chat that is not open shows none. */
void discord_type(void *self, const struct channel_message *where, bool shows)
{
	struct discord_chat *d = self;
	char to[DISCORD_ID_MAX], path[PATH_ROOM];
	struct discord_way way = {DISCORD_TO_TYPE, {to, 0}};
	int64_t now_ms = discord_now(d);

	if (!shows || !find_chat(d, where, to))
		return;
	way.chat = text_of(to);
	if (discord_limits_ready(&d->limits, &way, now_ms) > now_ms)
		return;
	snprintf(path, sizeof(path), "/channels/%s/typing", to);
	discord_start(d, &(struct discord_ask){
				 .way = way, .method = "POST", .path = path, .is_once = true});
}

void discord_tell(void *self, const struct channel_press *press, struct text words)
{
	char path[PATH_ROOM];
	struct buf body;

	snprintf(path, sizeof(path), "/interactions/%.*s/callback", TEXT_ARG(press->press));
	buf_init(&body, DISCORD_BODY_MAX);
	discord_put_told(words, &body);
	discord_start(self, &(struct discord_ask){.way = {DISCORD_TO_TELL, TEXT("")},
	                                          .method = "POST",
	                                          .path = path,
	                                          .body = buf_text(&body),
	                                          .is_once = true});
	buf_finish(&body);
}

void discord_calls_finish(struct discord_chat *d)
{
	struct text name;
	size_t at = 0;
	void *id;

	errands_finish(&d->calls);
	while (map_next(&d->opened, &at, &name, &id))
		free(id);
	map_finish(&d->opened);
}
