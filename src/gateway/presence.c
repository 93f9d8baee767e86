/* presence.c - presence, health and their versions. */
#include "gateway/presence.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/streams.h"
#include "net/loop.h"

#define CARD_MAX (16 * KIB)
#define WORD_MAX 128
#define PRESENCE_MAX (128 * KIB)
#define HEALTH_MAX (64 * KIB)
#define GATHER_MS 1000

/* ---- cards ---- */

static struct text cut_short(struct text word)
{
	return (struct text){word.at, word.len < WORD_MAX ? word.len : WORD_MAX};
}

static void put_said(struct buf *out, const char *key, yyjson_val *client, const char *name)
{
	struct text word = cut_short(json_text_at(client, name));

	if (word.len)
		put_text(out, key, word);
}

/* All but when it came: clients that say the same have one together. */
struct gateway_card {
	unsigned refs;
	char *text; /* JSON, without its end */
};

static struct gateway_card *card_of(struct gateway *g, struct text text)
{
	struct gateway_card *card = map_get(&g->cards, text);

	if (!card) {
		card = must_zero(1, sizeof(*card));
		card->text = text_dup(text);
		map_set(&g->cards, text, card);
	}
	card->refs++;
	return card;
}

void gateway_drop_card(struct gateway_view *view)
{
	struct gateway_card *card = view->card;

	view->card = NULL;
	if (!card || --card->refs)
		return;
	map_remove(&gateway_of(view)->cards, text_of(card->text));
	free(card->text);
	free(card);
}

void gateway_write_card(struct gateway_view *view, yyjson_val *client)
{
	struct text name = cut_short(json_text_at(client, "displayName"));
	struct buf out;

	buf_init(&out, CARD_MAX);
	put_object(&out, NULL);
	put_text(&out, "host", name.len ? name : cut_short(json_text_at(client, "id")));
	put_said(&out, "version", client, "version");
	put_said(&out, "platform", client, "platform");
	put_said(&out, "deviceFamily", client, "deviceFamily");
	put_said(&out, "modelIdentifier", client, "modelIdentifier");
	put_said(&out, "mode", client, "mode");
	put_said(&out, "instanceId", client, "instanceId");
	put_word(&out, "reason", "connect");
	put_list(&out, "roles");
	put_word(&out, NULL, "operator");
	put_list_end(&out);
	operator_scopes_add(&out, "scopes", view->scopes);
	gateway_drop_card(view);
	view->card = card_of(gateway_of(view), buf_text(&out)); /* eight words at most: they fit */
	view->came_ms = clock_wall_ms();
	buf_finish(&out);
}

static void put_card(struct buf *out, const struct gateway_view *view)
{
	struct buf card;

	buf_init(&card, 2 * CARD_MAX);
	buf_add(&card, text_of(view->card->text));
	put_i64(&card, "ts", view->came_ms);
	put_end(&card);
	put_json(out, NULL, buf_text(&card));
	buf_finish(&card);
}

static void put_self(const struct gateway *g, struct buf *out)
{
	char host[WORD_MAX] = "signalbox";

	gethostname(host, sizeof(host) - 1);
	put_object(out, NULL);
	put_word(out, "host", host);
	put_word(out, "version", SIGNALBOX_VERSION);
	put_word(out, "platform", "linux");
	put_word(out, "mode", "gateway");
	put_word(out, "reason", "self");
	put_word(out, "text", "signalbox");
	put_u64(out, "ts", (uint64_t)g->began_ms);
	put_end(out);
}

void gateway_put_presence(const struct gateway *g, struct buf *out)
{
	const struct link *l = g->views.prev;

	put_self(g, out);
	for (size_t n = 1; n < GATEWAY_PRESENT_MAX && l != &g->views; n++, l = l->prev)
		put_card(out, list_of(l, struct gateway_view, in_room));
}

void gateway_put_versions(const struct gateway *g, struct buf *out)
{
	put_object(out, "stateVersion");
	put_u64(out, "presence", g->presence_version);
	put_u64(out, "health", g->health_version);
	put_end(out);
}

/* ---- health ---- */

void gateway_put_health(const struct gateway *g, struct buf *out)
{
	char name[GATEWAY_NAME_MAX + 1];

	gateway_default_agent(g, name);
	put_bool(out, "ok", true);
	put_i64(out, "ts", clock_wall_ms());
	put_u64(out, "durationMs", 0);
	put_object(out, "channels");
	put_end(out);
	put_list(out, "channelOrder");
	put_list_end(out);
	put_object(out, "channelLabels");
	put_end(out);
	put_word(out, "defaultAgentId", name);
	put_list(out, "agents");
	put_list_end(out);
	put_object(out, "sessions");
	put_word(out, "path", "signalbox");
	put_u64(out, "count", crew_count(g->options.crew));
	put_list(out, "recent");
	put_list_end(out);
	put_end(out);
}

/* ---- events ---- */

void gateway_presence_changed(struct gateway *g)
{
	g->presence_version++;
	if (g->presence_changed || !g->is_open)
		return;
	g->presence_changed = true;
	deadline_set(g->options.loop, &g->gather, GATHER_MS);
}

static void put_presence_payload(const struct gateway *g, struct buf *out)
{
	put_object(out, NULL);
	put_list(out, "presence");
	gateway_put_presence(g, out);
	put_list_end(out);
	put_end(out);
}

void gateway_tell_presence(struct deadline *gather)
{
	struct gateway *g = list_of(gather, struct gateway, gather);
	struct gateway_event e = {OPENCLAW_PRESENCE, GATEWAY_FOR_ALL, .may_drop = true,
	                          .has_versions = true};
	struct buf out;

	g->presence_changed = false;
	buf_init(&out, PRESENCE_MAX);
	put_presence_payload(g, &out);
	e.payload = buf_text(&out);
	if (!out.full)
		gateway_broadcast(g, &e);
	buf_finish(&out);
}

void gateway_tell_presence_anew(struct gateway_view *view)
{
	const struct gateway *g = gateway_of(view);
	struct buf payload, out;

	buf_init(&payload, PRESENCE_MAX);
	buf_init(&out, 2 * PRESENCE_MAX);
	put_presence_payload(g, &payload);
	openclaw_wire_event(&out, OPENCLAW_PRESENCE);
	put_json(&out, "payload", buf_text(&payload));
	gateway_put_versions(g, &out);
	put_end(&out);
	if (!payload.full)
		client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
	buf_finish(&payload);
}

void gateway_tell_health(struct gateway *g)
{
	struct gateway_event e = {OPENCLAW_HEALTH, GATEWAY_FOR_ALL, .has_versions = true};
	struct buf out;

	g->health_version++;
	buf_init(&out, HEALTH_MAX);
	put_object(&out, NULL);
	gateway_put_health(g, &out);
	put_end(&out);
	e.payload = buf_text(&out);
	if (!out.full)
		gateway_broadcast(g, &e);
	buf_finish(&out);
}
