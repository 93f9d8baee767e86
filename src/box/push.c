/* push.c - what matters, to the browsers of paired devices. */
#include "box/push.h"

#include "base/base64url.h"
#include "base/log.h"
#include "base/put.h"
#include "box/parts.h"
#include "config/config.h"
#include "crew/matters.h"
#include "notify/push.h"
#include "web/devices.h"
#include "web/web.h"

#define NOTE_MAX SEAL_PLAIN_MAX
#define STANDS_S (12 * 3600) /* a phone that was off so long is told nothing old */

static bool read_keys(const struct device_push *row, struct seal_keys *keys)
{
	return base64url_read(row->point, keys->point, sizeof(keys->point)) &&
	       base64url_read(row->auth, keys->auth, sizeof(keys->auth));
}

/* ---- web asks ---- */

static const char *tell_key(void *self)
{
	struct box *box = self;

	return box->push ? push_key(box->push) : NULL;
}

static bool take_row(void *self, const struct device_push *row, struct error *why)
{
	struct seal_keys keys;

	if (!push_takes(row->endpoint, why))
		return false;
	return (read_keys(row, &keys) && curve_has(keys.point)) ||
	       error_set(why, "p256dh and auth are no keys of a browser");
}

struct web_push box_web_push(struct box *box)
{
	return (struct web_push){.self = box, .key = tell_key, .takes = take_row};
}

/* ---- matters ---- */

struct push_round {
	struct box *box;
	const struct matter *matter;
	bool is_settled;
};

/* Beyond who and what, only to whom that was chosen. */
static void write_note(const struct push_round *round, bool with_words, struct buf *out)
{
	const struct matter *m = round->matter;

	put_object(out, NULL);
	put_word(out, "id", m->id);
	if (round->is_settled)
		put_bool(out, "settled", true);
	if (m->title)
		put_word(out, "title", m->title);
	if (m->handle)
		put_word(out, "handle", m->handle);
	if (with_words && m->words && !round->is_settled)
		put_word(out, "words", m->words);
	put_end(out);
}

static void send_one(void *self, const struct device_push *row)
{
	const struct push_round *round = self;
	struct push_note note = {.matter = text_of(round->matter->id),
	                         .ttl_s = STANDS_S, /* to be settled too: it replaces the other */
	                         .is_urgent = !round->is_settled};
	struct seal_keys keys;
	struct buf plain;

	buf_init(&plain, NOTE_MAX);
	write_note(round, row->with_words, &plain);
	note.plain = buf_text(&plain);
	if (!plain.full && read_keys(row, &keys))
		push_send(round->box->push, row->endpoint.at, &keys, &note);
	buf_finish(&plain);
}

void box_push_matter(struct box *box, const struct matter *matter, bool is_settled)
{
	struct push_round round = {box, matter, is_settled};

	if (box->push && box->web && (matter->kind == MATTER_ASKS || matter->kind == MATTER_FAILED))
		web_each_push(box->web, send_one, &round);
}

/* ---- life ---- */

static void push_is_gone(void *self, const char *endpoint)
{
	struct box *box = self;

	log_info("notify", "a browser is not told any more: its push service has forgotten it");
	web_forget_push(box->web, text_of(endpoint));
}

struct push_search {
	const char *endpoint;
	bool found;
};

static void compare_endpoint(void *self, const struct device_push *row)
{
	struct push_search *search = self;

	search->found |= text_is(row->endpoint, search->endpoint);
}

static bool is_wanted(void *self, const char *endpoint)
{
	struct box *box = self;
	struct push_search search = {endpoint, false};

	web_each_push(box->web, compare_endpoint, &search);
	return search.found;
}

bool box_make_push(struct box *box, struct error *why)
{
	const struct config_phone *phone = &box->config->phone;
	struct push_options o = {
		.loop = box->loop,
		.requests = box->requests,
		.data = box->config->data,
		.contact = phone->contact,
		.anywhere = phone->push == CONFIG_PUSH_ANYWHERE,
		.self = box,
		.gone = push_is_gone,
		.is_wanted = is_wanted,
	};

	if (phone->push == CONFIG_PUSH_OFF)
		return true;
	box->push = push_create(&o, why);
	return box->push != NULL;
}

void box_stop_push(struct box *box)
{
	push_destroy(box->push);
	box->push = NULL;
}
