/* discord_past.c - messages are handed on, those of the session and those that nobody saw.
 *
 * A session that cannot go on leaves a gap.  An id is a moment, so the gap begins at the same id
 * in every chat: the history of each that has something newer is read from there.  Until that is
 * done, the place that is kept with messages stays at the beginning of the gap.  A message that
 * cannot be taken now is such a gap, too.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "deliver/discord/discord_inside.h"

#define GAPS_MAX 1000
#define THREADS_MAX 10000
#define PAGE 100
#define PAGES_MOST 10   /* of one chat: then the rest of the gap stays */
#define GUILDS_MS 30000 /* that servers have to tell their chats */
#define NOT_NOW_MS 1000
#define GAP_AGAIN_MS 5000
#define GAP_MOST_MS ((int64_t)24 * 3600 * 1000) /* nobody wants older answers */
#define PLACE_MAX 1024

struct discord_gap {
	uint64_t chat, after;
	bool in_guild, is_read;
	unsigned pages;
	int64_t due_ms;
	struct discord_past *past;
	struct link in_past; /* discord_past.gaps */
};

struct discord_past {
	struct discord_chat *chat;
	struct map threads; /* id -> the id of its channel */
	struct link gaps;
	size_t gap_count, guilds;
	int64_t until_ms; /* for servers */
	uint64_t from;    /* where the oldest gap begins; 0: there is none */
	uint64_t newest;
	struct discord_words words;
	struct buf place;
};

/* ---- gaps ---- */

static void free_gap(struct discord_gap *g)
{
	list_remove(&g->in_past);
	g->past->gap_count--;
	free(g);
}

static struct discord_gap *add_gap(struct discord_past *p, uint64_t chat, uint64_t after)
{
	struct discord_gap *g;

	list_each(&p->gaps, l) {
		g = list_of(l, struct discord_gap, in_past);
		if (g->chat == chat) {
			g->after = after < g->after ? after : g->after;
			return g;
		}
	}
	if (p->gap_count >= GAPS_MAX) {
		log_warn("deliver", "Discord: too many chats to read what was written meanwhile");
		return NULL;
	}
	g = must_zero(1, sizeof(*g));
	g->chat = chat;
	g->after = after;
	g->past = p;
	list_init(&g->in_past);
	list_add(&p->gaps, &g->in_past);
	p->gap_count++;
	if (!p->from || after < p->from)
		p->from = after;
	return g;
}

/* ---- threads ---- */

void discord_past_thread(struct discord_past *p, yyjson_val *thread)
{
	uint64_t parent = discord_id_at(thread, "parent_id");
	struct text id = json_text_at(thread, "id");
	char name[DISCORD_ID_MAX];

	if (!parent || !discord_id(id) || p->threads.count >= THREADS_MAX)
		return;
	snprintf(name, sizeof(name), "%llu", (unsigned long long)parent);
	free(map_remove(&p->threads, id));
	map_set(&p->threads, id, must_dup(name));
}

/* Its own id is the thread, its channel's the chat. */
static void name_thread(const struct discord_past *p, struct channel_inbound *in)
{
	const char *parent = map_get(&p->threads, in->peer);

	if (!parent)
		return;
	in->thread = in->peer;
	in->peer = text_of(parent);
}

/* ---- messages ---- */

static void put_place(struct discord_past *p, uint64_t id)
{
	struct discord_place place = p->chat->place;

	place.last = p->from ? p->from : id > place.last ? id : place.last;
	if (p->from)
		discord_place_end(&place);
	buf_clear(&p->place);
	discord_place_put(&place, &p->place);
}

/* False: not now. */
static bool hand_on(struct discord_past *p, yyjson_val *message, bool in_guild)
{
	struct discord_chat *d = p->chat;
	uint64_t id = discord_id_at(message, "id");
	struct channel_inbound in;

	p->words.in_guild = in_guild;
	if (discord_read_message(message, &d->bot, &p->words, &in)) {
		if (in.kind == CHANNEL_DM)
			discord_place_dm(&d->place, discord_id(in.peer));
		name_thread(p, &in);
		put_place(p, id);
		in.place = buf_text(&p->place);
		if (!d->options.came(d->options.self, &in))
			return false;
	}
	p->newest = id > p->newest ? id : p->newest;
	if (!p->from && id > d->place.last)
		d->place.last = id;
	return true;
}

void discord_past_take(struct discord_past *p, yyjson_val *message)
{
	uint64_t id = discord_id_at(message, "id"), chat = discord_id_at(message, "channel_id");
	struct discord_gap *g;

	if (!id || !chat || hand_on(p, message, false))
		return;
	g = add_gap(p, chat, id - 1);
	if (!g)
		return;
	g->in_guild = yyjson_is_str(yyjson_obj_get(message, "guild_id"));
	g->due_ms = discord_now(p->chat) + NOT_NOW_MS;
	p->chat->options.wake(p->chat->options.self);
}

/* ---- the history ---- */

void discord_past_begin(struct discord_past *p, size_t guilds)
{
	struct discord_chat *d = p->chat;
	uint64_t oldest = discord_id_of_time(clock_wall_ms() - GAP_MOST_MS);

	p->guilds = guilds;
	p->until_ms = discord_now(d) + GUILDS_MS;
	if (!d->place.last) {
		d->place.last = discord_id_of_time(clock_wall_ms());
		return;
	}
	if (!p->from)
		p->from = d->place.last > oldest ? d->place.last : oldest;
	for (unsigned i = 0; i < d->place.dm_count; i++)
		add_gap(p, d->place.dms[i], p->from);
	d->options.wake(d->options.self);
}

static void look_at_chats(struct discord_past *p, yyjson_val *chats, bool are_threads)
{
	yyjson_val *one;
	size_t at, count;

	yyjson_arr_foreach(chats, at, count, one)
	{
		uint64_t last = discord_id_at(one, "last_message_id");
		struct discord_gap *g;

		if (are_threads)
			discord_past_thread(p, one);
		if (!p->from || last <= p->from || !discord_id_at(one, "id"))
			continue;
		g = add_gap(p, discord_id_at(one, "id"), p->from);
		if (g)
			g->in_guild = true;
	}
}

void discord_past_guild(struct discord_past *p, yyjson_val *guild)
{
	look_at_chats(p, yyjson_obj_get(guild, "channels"), false);
	look_at_chats(p, yyjson_obj_get(guild, "threads"), true);
	p->guilds -= p->guilds > 0;
	p->chat->options.wake(p->chat->options.self);
}

/* A page has the newest first; true: all of it was taken. */
static bool take_page(struct discord_gap *g, yyjson_val *page)
{
	for (size_t i = yyjson_arr_size(page); i-- > 0;) {
		yyjson_val *message = yyjson_arr_get(page, i);
		uint64_t id = discord_id_at(message, "id");

		if (!hand_on(g->past, message, g->in_guild))
			return false;
		g->after = id > g->after ? id : g->after;
	}
	return true;
}

static void gap_was_read(void *self, const struct discord_reply *r)
{
	struct discord_gap *g = self;
	struct discord_chat *d = g->past->chat;
	int64_t now_ms = discord_now(d);
	yyjson_val *page;

	g->is_read = false;
	d->options.wake(d->options.self);
	if (r->fate == DISCORD_REFUSED) {
		free_gap(g);
		return;
	}
	g->due_ms = now_ms + GAP_AGAIN_MS;
	if (r->fate != DISCORD_DONE)
		return;
	page = discord_read_body(&d->reader, r->body);
	if (!take_page(g, page))
		g->due_ms = now_ms + NOT_NOW_MS;
	else if (yyjson_arr_size(page) < PAGE || ++g->pages == PAGES_MOST)
		free_gap(g);
	else
		g->due_ms = now_ms;
}

static void read_gap(struct discord_gap *g)
{
	char chat[DISCORD_ID_MAX], path[128];

	snprintf(chat, sizeof(chat), "%llu", (unsigned long long)g->chat);
	snprintf(path, sizeof(path), "/channels/%s/messages?limit=%d&after=%llu", chat, PAGE,
	         (unsigned long long)g->after);
	g->is_read = true;
	discord_start(g->past->chat, &(struct discord_ask){.way = {DISCORD_TO_READ, text_of(chat)},
	                                                   .method = "GET",
	                                                   .path = path,
	                                                   .may_repeat = true,
	                                                   .waits = true,
	                                                   .self = g,
	                                                   .done = gap_was_read});
}

/* ---- time ---- */

static void close_gap(struct discord_past *p)
{
	struct discord_place *place = &p->chat->place;

	if (p->newest > place->last)
		place->last = p->newest;
	p->from = 0;
}

int64_t discord_past_tick(struct discord_past *p, int64_t now_ms)
{
	bool waits = p->guilds && now_ms < p->until_ms;
	int64_t due = INT64_MAX;

	if (!p->from)
		return INT64_MAX;
	if (!p->gap_count && !waits) {
		close_gap(p);
		return INT64_MAX;
	}
	list_each(&p->gaps, l) {
		struct discord_gap *g = list_of(l, struct discord_gap, in_past);

		if (!g->is_read && g->due_ms <= now_ms)
			read_gap(g);
		else if (!g->is_read && g->due_ms < due)
			due = g->due_ms;
	}
	return waits && p->until_ms < due ? p->until_ms : due;
}

struct discord_past *discord_past_create(struct discord_chat *d)
{
	struct discord_past *p = must_zero(1, sizeof(*p));

	p->chat = d;
	map_init(&p->threads);
	list_init(&p->gaps);
	buf_init(&p->words.text, CHANNEL_TEXT_MAX);
	buf_init(&p->place, PLACE_MAX);
	return p;
}

void discord_past_destroy(struct discord_past *p)
{
	struct text name;
	size_t at = 0;
	void *parent;

	while (!list_is_empty(&p->gaps))
		free_gap(list_of(p->gaps.next, struct discord_gap, in_past));
	while (map_next(&p->threads, &at, &name, &parent))
		free(parent);
	map_finish(&p->threads);
	buf_finish(&p->words.text);
	buf_finish(&p->place);
	free(p);
}
