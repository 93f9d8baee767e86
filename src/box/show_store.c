/* show_store.c - the show on the disk, DATA/show.json, and web's door to the show.
 *
 * A document is played first, for that finds out whether it is good; then it is written,
 * on a thread of its own, and only then is anybody told that it is there.  If the disk
 * refuses it, the one before is played again.
 *
 * The show in the program is never written: who wants that one wants that of the next
 * program too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "box/parts.h"
#include "config/config.h"
#include "journal/disk.h"
#include "journal/journal.h"
#include "net/work.h"
#include "play/theatre.h"
#include "stage/show.h"
#include "web/show.h"

#define SHOW_FILE "show.json"

/* ---- start ---- */

/* True as well when there is none. */
static bool load(const struct box *box, struct buf *out, struct error *why)
{
	int dir = open(box->config->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = dir >= 0 && (disk_load(dir, SHOW_FILE, out) || errno == ENOENT);

	if (!good)
		error_errno(why, "it cannot be read");
	if (dir >= 0)
		close(dir);
	return good;
}

/* A file that is no show stays as it is: somebody may still mend it. */
void box_load_show(struct box *box)
{
	struct error why = {""};
	struct buf document;
	bool good;

	buf_init(&document, SHOW_MAX + 1);
	good = load(box, &document, &why);
	if (good && document.at)
		good = theatre_use(box->theatre, buf_text(&document), box_show_now(box), &why);
	if (!good)
		log_error("show", "%s/" SHOW_FILE ": %s; the show in the program is played instead",
		          box->config->data, why.words);
	buf_finish(&document);
}

/* ---- another one ---- */

struct use {
	struct box *box;
	char *data;
	struct buf document, before;
	web_used_fn *used;
	void *of;
	struct error trouble;
	bool is_kept;
};

static bool keep(int dir, struct text document, struct error *why)
{
	if (text_equal(document, show_default()))
		return disk_remove(dir, SHOW_FILE, why);
	return disk_replace(dir, SHOW_FILE, document, why);
}

static void run_use(void *self)
{
	struct use *use = self;
	int dir = open(use->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0) {
		error_errno(&use->trouble, "%s", use->data);
		return;
	}
	use->is_kept = keep(dir, buf_text(&use->document), &use->trouble);
	close(dir);
}

static void end_use(void *self)
{
	struct use *use = self;
	struct box *box = use->box;

	if (!use->is_kept) {
		log_error("show", "%s", use->trouble.words);
		theatre_use(box->theatre, buf_text(&use->before), box_show_now(box), NULL);
		box_show_arm(box);
	}
	use->used(use->of, use->is_kept ? NULL : &use->trouble);
}

static void drop_use(void *self)
{
	struct use *use = self;

	buf_finish(&use->document);
	buf_finish(&use->before);
	free(use->data);
	free(use);
}

static void *web_uses(void *self, struct text json, web_used_fn *used, void *of, struct error *why)
{
	struct box *box = self;
	struct use *use = must_zero(1, sizeof(*use));

	use->box = box;
	use->used = used;
	use->of = of;
	buf_init(&use->document, SHOW_MAX);
	buf_init(&use->before, SHOW_MAX);
	buf_add(&use->document, json);
	buf_add(&use->before, theatre_show(box->theatre));
	if (!theatre_use(box->theatre, json, box_show_now(box), why)) {
		drop_use(use);
		return NULL;
	}
	box_show_arm(box);
	use->data = must_dup(box->config->data);
	return work_start(box->loop, &(struct work_plan){use, run_use, end_use, drop_use});
}

static void web_forgets_use(void *self, void *use)
{
	work_leave(use);
}

/* ---- the rest of the door ---- */

static struct text web_wants_document(void *self)
{
	return theatre_show(((struct box *)self)->theatre);
}

static struct text web_wants_tag(void *self)
{
	return theatre_tag(((struct box *)self)->theatre);
}

static bool web_runs(void *self, bool on)
{
	struct box *box = self;
	double now = box_show_now(box);
	bool changed = on ? theatre_start(box->theatre, now) : theatre_stop(box->theatre, now);

	box_show_arm(box);
	if (changed)
		journal_save_state(box->journal);
	return changed;
}

struct web_show box_show_door(struct box *box)
{
	return (struct web_show){
		.self = box,
		.document = web_wants_document,
		.tag = web_wants_tag,
		.use = web_uses,
		.forget = web_forgets_use,
		.run = web_runs,
	};
}
