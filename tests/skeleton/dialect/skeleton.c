/* skeleton.c - signals become none, one and three frames in turn; whatever one client says is
 * counted, and each learns the count and what part of it is its own.
 */
#include "skeleton/skeleton.h"

#include <stdlib.h>

#include "base/must.h"
#include "config/fields.h"
#include "hub/dialogue.h"
#include "hub/encoding.h"
#include "hub/query.h"
#include "hub/subscription.h"

#define SAY_MAX 256
#define FRAMES_MAX 3
#define FRAME_EXTRA 64 /* besides its line */

struct skeleton {
	struct link views;
	unsigned said; /* by all */
	char *greeting;
	unsigned often;
};

struct skeleton_view {
	struct client *client;
	struct link in_all;
	unsigned said;
	bool has_news;
};

/* ---- an encoding with a memory ---- */

struct turns {
	unsigned next;
};

static void *turns_make(void *of, uint64_t seq)
{
	struct turns *turns = must_zero(1, sizeof(*turns));

	(void)of;
	turns->next = (unsigned)(seq % 3);
	return turns;
}

static size_t turns_encode(void *memory, char *out, struct text line, uint64_t seq,
                           const char *epoch)
{
	static const unsigned counts[] = {0, 1, FRAMES_MAX};
	struct turns *turns = memory;
	unsigned count = counts[turns->next];
	char *to = out;

	(void)epoch;
	turns->next = (turns->next + 1) % 3;
	for (unsigned i = 0; i < count; i++) {
		char head[FRAME_EXTRA];
		int n = snprintf(head, sizeof(head),
		                 "{\"seq\":%llu,\"piece\":%u,\"signal\":", (unsigned long long)seq,
		                 i);

		to += ws_header(to, WS_OP_TEXT, (size_t)n + line.len + 1);
		memcpy(to, head, (size_t)n);
		memcpy(to + n, line.at, line.len);
		to[(size_t)n + line.len] = '}';
		to += (size_t)n + line.len + 1;
	}
	return (size_t)(to - out);
}

static const struct encoding encoding_turns = {
	.name = "turns",
	.make = turns_make,
	.free = free,
	.most = {FRAMES_MAX, FRAMES_MAX *(WS_HEADER_MAX + FRAME_EXTRA + 1)},
	.encode = turns_encode,
};

/* ---- the dialect ---- */

static void welcome(struct client *client, const struct http *http)
{
	struct skeleton *skeleton = client_of_dialect(client);
	struct skeleton_view *view = client_view(client);
	struct subscription wish;

	view->client = client;
	list_add(&skeleton->views, &view->in_all);
	for (unsigned i = 0; skeleton->greeting && i < skeleton->often; i++)
		client_say_frame(client, WS_OP_TEXT, text_of(skeleton->greeting));
	if (hub_query_read(&wish, http, NULL))
		client_subscribe(client, &wish);
	filter_finish(&wish.filter);
}

/* A message is the ref of a signal that is emitted, and news for everybody. */
static void hear(struct client *client, struct text message)
{
	struct skeleton *skeleton = client_of_dialect(client);
	struct skeleton_view *view = client_view(client);
	struct emission emission = {
		.raw = TEXT("{\"type\":\"said\"}"), .ref = message, .durable = true};
	struct bus_verdict verdict;

	skeleton->said++;
	view->said++;
	list_each(&skeleton->views, l) {
		list_of(l, struct skeleton_view, in_all)->has_news = true;
		client_work(list_of(l, struct skeleton_view, in_all)->client);
	}
	if (!client_emit(client, &emission, &verdict))
		client_close(client, 1008, text_of(verdict.why.words));
}

static void acked(struct client *client, struct text ref, uint64_t seq)
{
	struct buf out;

	buf_init(&out, SAY_MAX);
	buf_print(&out, "{\"acked\":%llu,\"length\":%zu}", (unsigned long long)seq, ref.len);
	client_say_frame(client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

static void tell_gap(struct client *client, const struct gap *gap)
{
	struct buf out;

	buf_init(&out, SAY_MAX);
	buf_print(&out, "{\"gap\":[%llu,%llu]}", (unsigned long long)gap->from,
	          (unsigned long long)gap->to);
	client_say_frame(client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

static void say_news(struct client *client, unsigned all, unsigned own)
{
	struct buf out;

	buf_init(&out, SAY_MAX);
	buf_print(&out, "{\"said\":%u,\"yours\":%u}", all, own);
	client_say_frame(client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

static enum pump pump(struct client *client, size_t *budget)
{
	const struct skeleton *skeleton = client_of_dialect(client);
	struct skeleton_view *view = client_view(client);

	(void)budget;
	if (view->has_news)
		say_news(client, skeleton->said, view->said);
	view->has_news = false;
	return PUMP_IDLE;
}

static void leave(struct client *client)
{
	struct skeleton_view *view = client_view(client);

	list_remove(&view->in_all);
}

const struct dialect dialect_skeleton = {
	.name = "skeleton",
	.path = "/ws/skeleton",
	.pins = hub_pins,
	.encoding = &encoding_turns,
	.is_websocket = true,
	.needs = SCOPE_OBSERVE,
	.view = sizeof(struct skeleton_view),
	.settings = &skeleton_settings,
	.check = hub_query_check,
	.welcome = welcome,
	.hear = hear,
	.tell_gap = tell_gap,
	.acked = acked,
	.beat = client_ping,
	.farewell = client_go_away,
	.pump = pump,
	.leave = leave,
};

/* ---- its configuration ---- */

struct skeleton_config {
	char *greeting;
	unsigned often;
};

static const struct field fields[] = {
	{"greeting", FIELD_TEXT, offsetof(struct skeleton_config, greeting), "what it says first"},
	{"often", FIELD_COUNT, offsetof(struct skeleton_config, often), "and how often", "1", 0, 9},
	{0},
};

const struct config_group skeleton_settings = {
	.name = "skeleton",
	.help = "the least that a dialect can be",
	.fields = fields,
	.size = sizeof(struct skeleton_config),
};

void *skeleton_create(const struct config *config)
{
	const struct skeleton_config *settings = config_group(config, &skeleton_settings);
	struct skeleton *skeleton = must_zero(1, sizeof(*skeleton));

	skeleton->greeting = must_dup(settings->greeting);
	skeleton->often = settings->often;
	list_init(&skeleton->views);
	return skeleton;
}

void skeleton_destroy(void *of)
{
	struct skeleton *skeleton = of;

	free(skeleton->greeting);
	free(skeleton);
}
