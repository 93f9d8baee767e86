/* api_show.c - the show, over HTTP: the whole document, or one item of it.
 *
 * Every answer about the document has its tag.  Who sends a tag back with If-Match
 * changes the document that they saw, or nothing.  Changes are made one after the
 * other, each answered when it is on the disk; so each sees what the one before it
 * made.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "stage/edit.h"
#include "web/etag.h"
#include "web/inside.h"

/* Requests that change the show, read or waiting: each may hold a document. */
#define CHANGES_MAX 16

#define ANSWER_MAX (4 * KIB)
#define ID_MAX KIB

#define TAG_ROOM 80
struct tag {
	char at[TAG_ROOM]; /* with its quotes */
};

static struct tag current_tag(const struct web *web)
{
	const struct web_show *show = &web->options.show;
	struct text plain = show->tag(show->self);
	struct tag tag;

	snprintf(tag.at, sizeof(tag.at), "\"%.*s\"", TEXT_ARG(plain));
	return tag;
}

/* The header line that says it. */
struct tag_line {
	char at[TAG_ROOM + 16];
};

static struct tag_line current_tag_line(const struct web *web)
{
	struct tag tag = current_tag(web);
	struct tag_line line;

	snprintf(line.at, sizeof(line.at), "ETag: %s\r\n", tag.at);
	return line;
}

static void answer(struct web *web, struct http *http, unsigned status, struct text json)
{
	http_answer(http, status, "application/json", json, current_tag_line(web).at);
}

static void refuse_change(struct web *web, struct http *http, unsigned status, const char *words)
{
	web_refuse(http, status, words, current_tag_line(web).at);
}

/* A fault has its place before the first colon; that of the whole is empty. */
static void refuse_fault(struct web *web, struct http *http, unsigned status,
                         const struct error *why)
{
	const char *colon = strstr(why->words, ": ");
	bool is_root = colon == why->words;
	struct tag_line line = current_tag_line(web);
	struct buf more;

	if (!colon || (why->words[0] != '/' && !is_root)) {
		refuse_change(web, http, status, why->words);
		return;
	}
	buf_init(&more, ANSWER_MAX);
	buf_add_char(&more, ',');
	put_text(&more, "pointer", (struct text){why->words, (size_t)(colon - why->words)});
	buf_add_char(&more, '\0');
	http_refuse(http, &(struct http_refusal){
				  status,
				  .words = why->words + (is_root ? 2 : 0),
				  .more = more.at,
				  .extra = line.at,
			  });
	buf_finish(&more);
}

/* ---- reading ---- */

/* True: it was answered, for they have it already. */
static bool is_known(const struct call *call)
{
	struct tag tag = current_tag(call->web);

	if (!etag_is_in_weakly(http_field(call->http, "If-None-Match"), text_of(tag.at)))
		return false;
	answer(call->web, call->http, 304, (struct text){0});
	return true;
}

void api_show(struct call *call)
{
	const struct web_show *show = &call->web->options.show;

	if (!is_known(call))
		answer(call->web, call->http, 200, show->document(show->self));
}

/* The path is /api/show/PART or /api/show/PART/ID. */
static bool find_part(const struct call *call, enum edit_part *part)
{
	struct text rest = http_request(call->http)->path;

	for (int i = 0; i < 3; i++)
		text_cut(rest, '/', &rest);
	if (edit_part_find(text_cut(rest, '/', &rest), part))
		return true;
	web_refuse(call->http, 404, "there are choreographies, wires, bindings and entities", NULL);
	return false;
}

static void get(struct call *call, struct text id)
{
	const struct web_show *door = &call->web->options.show;
	enum edit_part part;
	struct show *show;
	struct buf out;

	if (!find_part(call, &part) || is_known(call))
		return;
	buf_init(&out, 2 * SHOW_MAX);
	show = show_read(door->document(door->self), NULL);
	if (show && edit_get(show, part, id, &out) == EDIT_DONE) {
		buf_add_char(&out, '\n');
		answer(call->web, call->http, 200, buf_text(&out));
	} else {
		refuse_change(call->web, call->http, 404, "nothing there has this id");
	}
	show_destroy(show);
	buf_finish(&out);
}

void api_show_list(struct call *call)
{
	get(call, (struct text){0});
}

void api_show_item(struct call *call)
{
	get(call, (struct text){call->part.at, call->part.len});
}

/* ---- changing ---- */

/* One that is asked for; `id` is the item's, before and after. */
struct show_change {
	struct web *web;
	struct http *http; /* NULL: whoever asked has left */
	bool is_whole;     /* the document, not an item */
	struct show_edit edit;
	struct buf body, id;
	void *use;          /* when it is under way */
	struct link in_web; /* web.changes, while it waits */
};

static void free_change(struct show_change *change)
{
	list_remove(&change->in_web);
	assert(change->web->change_count > 0);
	change->web->change_count--;
	buf_finish(&change->body);
	buf_finish(&change->id);
	free(change);
}

static void answer_done(struct show_change *change)
{
	const struct web_show *door = &change->web->options.show;
	bool is_new = !change->is_whole && change->edit.verb == EDIT_ADD;
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	if (!change->is_whole) {
		put_text(&out, "id", buf_text(&change->id));
	}
	put_text(&out, "tag", door->tag(door->self));
	buf_add(&out, TEXT("}\n"));
	answer(change->web, change->http, is_new ? 201 : 200, buf_text(&out));
	buf_finish(&out);
}

/* ---- one after the other ---- */

static void begin_next(struct web *web);

static void used(void *of, const struct error *trouble)
{
	struct show_change *change = of;
	struct web *web = change->web;

	web->change = NULL;
	if (change->http && trouble)
		refuse_change(web, change->http, 500, trouble->words);
	else if (change->http)
		answer_done(change);
	free_change(change);
	begin_next(web);
}

/* Is it still the document that they mean? */
static bool holds(const struct show_change *change)
{
	struct tag tag = current_tag(change->web);
	struct text match = http_field(change->http, "If-Match");
	struct text none = http_field(change->http, "If-None-Match");

	if (http_has_field(change->http, "If-Match") && !etag_is_in(match, text_of(tag.at)))
		return false;
	return !etag_is_in_weakly(none, text_of(tag.at));
}

static bool use(struct show_change *change, struct text json)
{
	const struct web_show *door = &change->web->options.show;
	bool removes = !change->is_whole && change->edit.verb == EDIT_REMOVE;
	struct error why = {""};

	change->web->change = change;
	change->use = door->use(door->self, json, used, change, &why);
	if (change->use)
		return true;
	change->web->change = NULL;
	refuse_fault(change->web, change->http, removes ? 409 : 400, &why);
	return false;
}

static bool use_edited(struct show_change *change, struct text document)
{
	static const unsigned statuses[] = {
		[EDIT_INVALID] = 400, [EDIT_UNKNOWN] = 404, [EDIT_EXISTS] = 409};
	struct error why = {"nothing there has this id"};
	struct show *show = show_read(document, &why);
	enum edit_answer answer = EDIT_UNKNOWN;
	struct buf out, id;
	bool under_way = false;

	buf_init(&out, SHOW_MAX);
	buf_init(&id, ID_MAX);
	change->edit.item = buf_text(&change->body);
	change->edit.id = buf_text(&change->id);
	if (show)
		answer = edit_show(show, &change->edit, &out, &id, &why);
	if (answer == EDIT_EXISTS)
		error_set(&why, "something there has this id already");
	buf_clear(&change->id);
	buf_add(&change->id, buf_text(&id));
	if (answer == EDIT_DONE)
		under_way = use(change, buf_text(&out));
	else
		refuse_fault(change->web, change->http, statuses[answer], &why);
	show_destroy(show);
	buf_finish(&out);
	buf_finish(&id);
	return under_way;
}

/* False: it was answered. */
static bool begin_change(struct show_change *change)
{
	const struct web_show *door = &change->web->options.show;

	if (!holds(change)) {
		refuse_change(change->web, change->http, 412,
		              "the show has been changed meanwhile");
		return false;
	}
	return change->is_whole ? use(change, buf_text(&change->body))
	                        : use_edited(change, door->document(door->self));
}

static void begin_next(struct web *web)
{
	while (!web->change && !list_is_empty(&web->changes)) {
		struct show_change *change = list_of(web->changes.next, struct show_change, in_web);

		list_remove(&change->in_web);
		if (!begin_change(change))
			free_change(change);
	}
}

void api_show_end(struct web *web)
{
	const struct web_show *door = &web->options.show;
	struct show_change *change = web->change;

	if (!change)
		return;
	door->forget(door->self, change->use);
	free_change(change);
}

/* ---- requests ---- */

static void change_piece(void *self, struct http *http, struct text bytes)
{
	struct show_change *change = self;

	buf_add(&change->body, bytes);
}

static void change_whole(void *self, struct http *http)
{
	struct show_change *change = self;
	bool removes = !change->is_whole && change->edit.verb == EDIT_REMOVE;

	if (removes && !routes_is_nothing(buf_text(&change->body))) {
		web_refuse(http, 400, ROUTES_NOTHING, NULL);
		free_change(change);
		return;
	}
	list_add(&change->web->changes, &change->in_web);
	begin_next(change->web);
}

/* What is under way is done all the same. */
static void change_gone(void *self, struct http *http)
{
	struct show_change *change = self;

	change->http = NULL;
	if (change->web->change != change)
		free_change(change);
}

static struct show_change *take_change(struct call *call)
{
	static const struct http_handler handler = {
		.piece = change_piece, .whole = change_whole, .gone = change_gone};
	struct show_change *change;

	if (call->web->change_count == CHANGES_MAX) {
		web_refuse(call->http, 503, "too many changes of the show at once",
		           "Retry-After: 1\r\n");
		return NULL;
	}
	change = must_zero(1, sizeof(*change));
	change->web = call->web;
	change->http = call->http;
	buf_init(&change->body, SHOW_MAX);
	buf_init(&change->id, ID_MAX);
	list_init(&change->in_web);
	assert(call->web->change_count < CHANGES_MAX);
	call->web->change_count++;
	http_accept(call->http, SHOW_MAX, &handler, change);
	return change;
}

void api_show_put(struct call *call)
{
	struct show_change *change = take_change(call);

	if (change)
		change->is_whole = true;
}

static void take_edit(struct call *call, enum edit_verb verb)
{
	struct show_change *change;
	enum edit_part part;

	if (!find_part(call, &part))
		return;
	change = take_change(call);
	if (!change)
		return;
	change->edit.verb = verb;
	change->edit.part = part;
	if (verb != EDIT_ADD)
		buf_add(&change->id, (struct text){call->part.at, call->part.len});
}

void api_show_add(struct call *call)
{
	take_edit(call, EDIT_ADD);
}

void api_show_replace(struct call *call)
{
	take_edit(call, EDIT_REPLACE);
}

void api_show_remove(struct call *call)
{
	take_edit(call, EDIT_REMOVE);
}

/* ---- start and stop ---- */

static void switch_show(struct call *call, bool on)
{
	const struct web_show *door = &call->web->options.show;
	bool changed = door->run(door->self, on);
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_bool(&out, "running", on);
	put_bool(&out, "changed", changed);
	put_end(&out);
	buf_add_char(&out, '\n');
	web_answer(call->http, &out);
	buf_finish(&out);
}

void api_show_start(struct call *call)
{
	switch_show(call, true);
}

void api_show_stop(struct call *call)
{
	switch_show(call, false);
}
