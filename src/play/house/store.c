/* store.c - the show on the disk, DATA/show.json, and the door of web to the show.
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
#include "journal/disk.h"
#include "journal/journal.h"
#include "net/work.h"
#include "play/house/hands.h"
#include "stage/show.h"

#define SHOW_FILE "show.json"

/* ---- start ---- */

/* True as well when there is none. */
static bool load_document(const char *data, struct buf *out, struct error *why)
{
	int dir = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = dir >= 0 && (disk_load(dir, SHOW_FILE, out) || errno == ENOENT);

	if (!good)
		error_errno(why, "it cannot be read");
	if (dir >= 0)
		close(dir);
	return good;
}

/* A file that is no show stays as it is: somebody may still mend it. */
void hands_load(struct playhouse *p)
{
	const char *data = hands_options(p)->data;
	struct error why = {""};
	struct buf document;
	bool good;

	buf_init(&document, SHOW_MAX + 1);
	good = load_document(data, &document, &why);
	if (good && document.at)
		good = theatre_use(hands_theatre(p), buf_text(&document), hands_now(p), &why);
	if (!good)
		log_error("show", "%s/" SHOW_FILE ": %s; the show in the program is played instead",
		          data, why.words);
	buf_finish(&document);
}

/* ---- another one ---- */

struct show_use {
	struct playhouse *house;
	char *data;
	struct buf document, before;
	playhouse_used_fn *used;
	void *of;
	struct error trouble;
	bool is_kept;
};

static bool keep_document(int dir, struct text document, struct error *why)
{
	if (text_equal(document, show_default()))
		return disk_remove(dir, SHOW_FILE, why);
	return disk_replace(dir, SHOW_FILE, document, why);
}

static void run_use(void *self)
{
	struct show_use *use = self;
	int dir = open(use->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0) {
		error_errno(&use->trouble, "%s", use->data);
		return;
	}
	use->is_kept = keep_document(dir, buf_text(&use->document), &use->trouble);
	close(dir);
}

static void end_use(void *self)
{
	struct show_use *use = self;
	struct playhouse *p = use->house;

	if (!use->is_kept) {
		log_error("show", "%s", use->trouble.words);
		theatre_use(hands_theatre(p), buf_text(&use->before), hands_now(p), NULL);
		hands_arm(p);
	}
	use->used(use->of, use->is_kept ? NULL : &use->trouble);
}

static void drop_use(void *self)
{
	struct show_use *use = self;

	buf_finish(&use->document);
	buf_finish(&use->before);
	free(use->data);
	free(use);
}

void *playhouse_use(void *self, struct text json, playhouse_used_fn *used, void *of,
                    struct error *why)
{
	struct playhouse *p = self;
	struct show_use *use = must_zero(1, sizeof(*use));

	use->house = p;
	use->used = used;
	use->of = of;
	buf_init(&use->document, SHOW_MAX);
	buf_init(&use->before, SHOW_MAX);
	buf_add(&use->document, json);
	buf_add(&use->before, theatre_show(hands_theatre(p)));
	if (!theatre_use(hands_theatre(p), json, hands_now(p), why)) {
		drop_use(use);
		return NULL;
	}
	hands_arm(p);
	use->data = must_dup(hands_options(p)->data);
	return work_start(hands_options(p)->loop,
	                  &(struct work_plan){use, run_use, end_use, drop_use});
}

void playhouse_forget_use(void *self, void *use)
{
	work_leave(use);
}

/* ---- the rest of the door ---- */

struct text playhouse_document(void *self)
{
	return theatre_show(hands_theatre(self));
}

struct text playhouse_tag(void *self)
{
	return theatre_tag(hands_theatre(self));
}

bool playhouse_run(void *self, bool on)
{
	struct playhouse *p = self;
	double now = hands_now(p);
	bool changed =
		on ? theatre_start(hands_theatre(p), now) : theatre_stop(hands_theatre(p), now);

	hands_arm(p);
	if (changed)
		journal_save_state(hands_options(p)->journal);
	return changed;
}
