/* memo.c - the file, and the thread that writes it. */
#include "gateway/memo.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "gateway/asking.h"
#include "gateway/inside.h"
#include "gateway/wishes.h"
#include "net/loop.h"
#include "net/work.h"
#include "signal/json.h"

#define FILE_MAX (8 * MIB)
#define KEY_MAX (2 * KIB)
#define SAVE_MS 5 /* what changes together is written once */
#define SAVE_AGAIN_MS 10000

/* Shared with the thread: an older errand never writes after a newer one. */
struct memo_file {
	char *path;
	pthread_mutex_t lock; /* of all that follows */
	uint64_t written;     /* the number of the newest that is in the file */
	unsigned users;
};

struct memo_errand {
	struct memo_file *file;
	struct gateway_memo *memo; /* for the loop alone */
	uint64_t number;
	struct buf bytes;
	struct error why; /* empty: it is done */
};

struct gateway_memo {
	struct gateway *g;
	struct memo_file *file;
	struct work *work; /* or NULL */
	struct deadline save;
	uint64_t number; /* of the newest errand */
	bool is_due, is_dirty;
};

/* ---- the file ---- */

void memo_put_message(struct buf *out, const struct memo_message *m)
{
	put_object(out, NULL);
	put_text(out, "key", m->key);
	put_text(out, "id", m->id);
	put_text(out, "message", m->message);
	if (m->model.len)
		put_text(out, "model", m->model);
	put_i64(out, "cameMs", m->came_ms);
	put_i64(out, "untilMs", m->until_ms);
	put_end(out);
}

void memo_put_wish(struct buf *out, const struct memo_wish *w)
{
	put_object(out, NULL);
	put_text(out, "key", w->key);
	if (w->model.len)
		put_text(out, "model", w->model);
	if (w->verbose.len)
		put_text(out, "verbose", w->verbose);
	put_end(out);
}

static bool is_name(struct text name)
{
	return name.len && name.len <= KEY_MAX && !memchr(name.at, '\0', name.len);
}

static void read_message(yyjson_val *row, const struct memo_hands *hands)
{
	struct memo_message m = {
		.key = json_text_at(row, "key"),
		.id = json_text_at(row, "id"),
		.message = json_text_at(row, "message"),
		.model = json_text_at(row, "model"),
		.came_ms = yyjson_get_sint(yyjson_obj_get(row, "cameMs")),
		.until_ms = yyjson_get_sint(yyjson_obj_get(row, "untilMs")),
	};

	if (is_name(m.key) && is_name(m.id) && m.message.len && m.model.len <= KEY_MAX)
		hands->message(hands->self, &m);
}

static void read_wish(yyjson_val *row, const struct memo_hands *hands)
{
	struct memo_wish w = {json_text_at(row, "key"), json_text_at(row, "model"),
	                      json_text_at(row, "verbose")};

	if (is_name(w.key) && (is_name(w.model) || is_name(w.verbose)))
		hands->wish(hands->self, &w);
}

bool memo_read(struct text json, const struct memo_hands *hands, struct error *why)
{
	yyjson_doc *doc = yyjson_read_opts((char *)json.at, json.len, 0, &json_memory, NULL);
	yyjson_val *root = yyjson_doc_get_root(doc), *row;
	bool is_ours = yyjson_get_uint(yyjson_obj_get(root, "version")) == 1;
	size_t i, count;

	yyjson_arr_foreach(is_ours ? yyjson_obj_get(root, "queue") : NULL, i, count, row)
	{
		read_message(row, hands);
	}
	yyjson_arr_foreach(is_ours ? yyjson_obj_get(root, "wishes") : NULL, i, count, row)
	{
		read_wish(row, hands);
	}
	yyjson_doc_free(doc);
	return is_ours || error_set(why, "that is no list of what waits");
}

static void put_all(const struct gateway *g, struct buf *out)
{
	buf_init(out, FILE_MAX);
	put_object(out, NULL);
	put_u64(out, "version", 1);
	put_list(out, "queue");
	gateway_queue_save(g, out);
	put_list_end(out);
	put_list(out, "wishes");
	gateway_wishes_save(g, out);
	put_list_end(out);
	put_end(out);
	buf_add_char(out, '\n');
}

/* ---- writing ---- */

static void leave_file(struct memo_file *file)
{
	bool is_last;

	pthread_mutex_lock(&file->lock);
	is_last = --file->users == 0;
	pthread_mutex_unlock(&file->lock);
	if (!is_last)
		return;
	pthread_mutex_destroy(&file->lock);
	free(file->path);
	free(file);
}

static void errand_run(void *self)
{
	struct memo_errand *e = self;
	struct memo_file *file = e->file;

	pthread_mutex_lock(&file->lock);
	if (e->number > file->written &&
	    whole_replace(file->path, 0600, buf_text(&e->bytes), &e->why)) {
		file->written = e->number;
		e->why.words[0] = '\0';
	}
	pthread_mutex_unlock(&file->lock);
}

static void errand_drop(void *self)
{
	struct memo_errand *e = self;

	leave_file(e->file);
	whole_forget(&e->bytes);
	free(e);
}

static void save_within(struct gateway_memo *m, unsigned ms)
{
	if (m->is_due || m->work)
		return;
	m->is_due = true;
	deadline_set(m->g->options.loop, &m->save, ms);
}

static void errand_done(void *self)
{
	struct memo_errand *e = self;
	struct gateway_memo *m = e->memo;

	m->work = NULL;
	if (e->why.words[0]) {
		log_error("gateway", "%s", e->why.words);
		m->is_dirty = true;
		save_within(m, SAVE_AGAIN_MS);
	} else if (m->is_dirty) {
		save_within(m, SAVE_MS);
	}
}

static struct memo_errand *make_errand(struct gateway_memo *m)
{
	struct memo_errand *e = must_zero(1, sizeof(*e));

	e->file = m->file;
	e->memo = m;
	e->number = ++m->number;
	put_all(m->g, &e->bytes);
	pthread_mutex_lock(&m->file->lock);
	m->file->users++;
	pthread_mutex_unlock(&m->file->lock);
	m->is_dirty = false;
	return e;
}

static void save_is_due(struct deadline *deadline)
{
	struct gateway_memo *m = list_of(deadline, struct gateway_memo, save);
	struct work_plan plan = {make_errand(m), errand_run, errand_done, errand_drop};

	m->is_due = false;
	m->work = work_start(m->g->options.loop, &plan);
}

void gateway_memo_changed(const struct gateway *g)
{
	struct gateway_memo *m = g->desk.memo;

	if (!m)
		return; /* it is being read */
	m->is_dirty = true;
	save_within(m, SAVE_MS);
}

/* ---- life ---- */

static void recall_desk(struct gateway_memo *m)
{
	struct memo_hands hands = {m->g, gateway_queue_load, gateway_wishes_load};
	struct buf bytes;
	struct error why;

	buf_init(&bytes, FILE_MAX);
	if (whole_load(m->file->path, WHOLE_PRIVATE, &bytes, &why)) {
		if (!memo_read(buf_text(&bytes), &hands, &why))
			log_error("gateway", "%s: %s", m->file->path, why.words);
	} else if (errno != ENOENT) {
		log_error("gateway", "%s", why.words);
	}
	whole_forget(&bytes);
}

struct gateway_memo *gateway_memo_open(struct gateway *g)
{
	struct gateway_memo *m = must_zero(1, sizeof(*m));

	m->g = g;
	m->save.fire = save_is_due;
	m->file = must_zero(1, sizeof(*m->file));
	m->file->path = must_print("%s/gateway-desk.json", g->options.data);
	m->file->users = 1;
	pthread_mutex_init(&m->file->lock, NULL);
	recall_desk(m);
	return m;
}

void gateway_memo_close(struct gateway_memo *m)
{
	struct memo_errand *last;

	if (!m)
		return;
	deadline_clear(&m->save);
	if (m->work)
		work_leave(m->work);
	if (m->is_dirty || m->work) {
		last = make_errand(m);
		errand_run(last);
		if (last->why.words[0])
			log_error("gateway", "%s", last->why.words);
		errand_drop(last);
	}
	leave_file(m->file);
	m->g->desk.memo = NULL;
	free(m);
}
