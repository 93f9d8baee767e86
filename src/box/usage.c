/* usage.c - what agents spent outlives the signals that told it.
 *
 * The sums are folded from the journal (crew/spending.h) and in its checkpoints.  Besides, they
 * are in DATA/usage at most WRITE_MS after they changed, and at once where segments of the journal
 * are to go: those wait until it is on the disk (journal/hold.h), so no checkpoint is needed to
 * know what signals told that are gone.  Responses of long ago are in a file of their own, which
 * grows.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "box/parts.h"
#include "box/usage.h"
#include "box/usage_seen.h"
#include "bus/folds.h"
#include "config/config.h"
#include "crew/seen.h"
#include "crew/spending.h"
#include "journal/hold.h"
#include "journal/journal.h"
#include "net/work.h"

#define WRITE_MS 5000   /* from one file to the next */
#define ROOM (32 * MIB) /* at once: it need not be moved as it grows, which would hold the loop */

struct usage_keeper {
	struct spending *spending;
	struct prices *prices;
	struct loop *loop;
	struct journal *journal;
	char *path, *seen_path;
	struct usage_errand *making; /* what is being saved, or NULL */
	struct work *work;           /* under way, or NULL */
	struct deadline due;
	struct turn turn;
	uint64_t written; /* changes that are in the file */
	uint64_t seed;    /* that old responses were loaded for */
	bool is_seen_loaded, is_open, is_due;
	bool is_awaited;      /* segments are to go */
	struct error trouble; /* of the last file; empty: none */
};

/* One file, while it is written. */
struct usage_errand {
	struct usage_keeper *keeper;
	struct spending_saving *saving;
	struct buf bytes;
	char *path, *seen_path;
	struct usage_seen_news seen;
	uint64_t changes, seq; /* all up to there is in it */
	struct error why;
	bool good, is_seen_good;
};

static void write_file(void *self)
{
	struct usage_errand *e = self;

	e->good = whole_replace(e->path, 0600, buf_text(&e->bytes), &e->why);
	e->is_seen_good =
		e->good && e->seen.count > 0 && usage_seen_write(e->seen_path, &e->seen, &e->why);
}

/* Each trouble once. */
static void tell_trouble(struct usage_keeper *k, const struct error *why)
{
	if (why && strcmp(why->words, k->trouble.words) != 0)
		log_error("usage", "sums are not kept, and old signals stay: %s", why->words);
	if (!why && k->trouble.words[0])
		log_info("usage", "sums are kept again");
	k->trouble = why ? *why : (struct error){0};
}

static void file_is_written(void *self)
{
	struct usage_errand *e = self;
	struct usage_keeper *k = e->keeper;
	bool good = e->good && (e->seen.count == 0 || e->is_seen_good);

	k->work = NULL;
	if (good) {
		k->written = e->changes;
		k->is_awaited = false; /* it asks again, should that not be enough */
		journal_release(k->journal, e->seq);
	}
	if (e->is_seen_good)
		spending_seen(k->spending)->kept = e->seen.kept + e->seen.count;
	tell_trouble(k, good ? NULL : &e->why);
}

static void free_errand(void *self)
{
	struct usage_errand *e = self;

	spending_saving_end(e->saving);
	buf_finish(&e->bytes);
	free(e->path);
	free(e->seen_path);
	free(e->seen.hashes);
	free(e);
}

static void take_seen(struct usage_keeper *k, struct usage_seen_news *news)
{
	const struct seen_ids *seen = spending_seen(k->spending);

	news->seed = spending_seed(k->spending);
	news->kept = seen->kept;
	news->count = seen->count - seen->kept;
	news->hashes = must_alloc(((size_t)news->count + 1) * sizeof(*news->hashes));
	if (news->count)
		memcpy(news->hashes, seen->list + seen->kept, news->count * sizeof(*news->hashes));
}

static struct usage_errand *make_errand(struct usage_keeper *k)
{
	struct usage_errand *e = must_zero(1, sizeof(*e));

	e->keeper = k;
	e->path = must_dup(k->path);
	e->seen_path = must_dup(k->seen_path);
	take_seen(k, &e->seen);
	e->changes = spending_changes(k->spending);
	e->seq = journal_last_seq(k->journal); /* it is heard as it comes */
	buf_init(&e->bytes, SPENDING_SAVED_MAX);
	buf_reserve(&e->bytes, ROOM);
	e->saving = spending_saving_begin(k->spending);
	return e;
}

/* For so long; false: all of it is there. */
static bool save_some(struct usage_errand *e, uint64_t ns)
{
	uint64_t until_ns = clock_mono_ns() + ns;

	while (spending_saving_more(e->saving, &e->bytes))
		if (clock_mono_ns() >= until_ns)
			return true;
	spending_saving_end(e->saving);
	e->saving = NULL;
	return false;
}

static bool is_busy(const struct usage_keeper *k)
{
	return k->work || k->making;
}

/* True: there is more to do at once. */
static bool go_on(struct usage_keeper *k)
{
	struct work_plan plan = {k->making, write_file, file_is_written, free_errand};

	if (!k->making)
		return false;
	if (save_some(k->making, FOLDS_TURN_NS))
		return true;
	k->making = NULL;
	k->work = work_start(k->loop, &plan);
	return false;
}

static bool is_all_kept(const struct usage_keeper *k)
{
	return spending_changes(k->spending) == k->written;
}

static void write_is_due(struct deadline *deadline)
{
	struct usage_keeper *k = list_of(deadline, struct usage_keeper, due);

	k->is_due = false;
	if (!is_busy(k) && !is_all_kept(k))
		k->making = make_errand(k);
}

/* Nobody waits for one that fails: it is tried again in its time. */
static void hurry(struct usage_keeper *k)
{
	if (is_all_kept(k)) {
		k->is_awaited = false;
		journal_release(k->journal, journal_last_seq(k->journal));
	} else if (!k->trouble.words[0]) {
		k->is_due = false;
		deadline_clear(&k->due);
		k->making = make_errand(k);
	}
}

static bool usage_turn(struct turn *turn)
{
	struct usage_keeper *k = list_of(turn, struct usage_keeper, turn);

	if (k->is_awaited && !is_busy(k))
		hurry(k);
	if (is_busy(k) || k->is_due || is_all_kept(k))
		return go_on(k);
	k->is_due = true;
	deadline_set(k->loop, &k->due, WRITE_MS);
	return false;
}

void box_await_usage(void *self)
{
	struct box *box = self;

	if (box->usage)
		box->usage->is_awaited = true;
}

const char *box_usage_trouble(const struct box *box)
{
	const struct usage_keeper *k = box->usage;

	return k && k->trouble.words[0] ? k->trouble.words : NULL;
}

/* ---- the list of prices ---- */

static bool load_prices(struct usage_keeper *k, const struct config *config, struct error *why)
{
	struct buf json;
	char *path;
	bool good;

	if (!config->prices) {
		k->prices = prices_own();
		return true;
	}
	path = config->prices[0] == '/' ? must_dup(config->prices)
	                                : must_print("%s/%s", config->data, config->prices);
	buf_init(&json, PRICES_MAX);
	good = whole_load(path, 0, &json, why) && (k->prices = prices_read(buf_text(&json), why));
	if (!good)
		error_within(why, "prices: %s", path);
	buf_finish(&json);
	free(path);
	return good;
}

/* ---- life ---- */

static void load_seen(struct usage_keeper *k)
{
	struct error why;

	k->seed = spending_seed(k->spending);
	k->is_seen_loaded = true;
	if (!usage_seen_load(k->seen_path, k->seed, spending_seen(k->spending), &why))
		log_warn("usage", "%s", why.words);
}

static void load_sums(struct usage_keeper *k)
{
	struct error why;
	struct buf bytes;

	buf_init(&bytes, SPENDING_SAVED_MAX);
	if (!whole_load(k->path, WHOLE_PRIVATE | WHOLE_NO_LINK, &bytes, &why)) {
		if (errno != ENOENT)
			log_warn("usage", "%s", why.words);
	} else if (!spending_load(k->spending, buf_text(&bytes))) {
		log_warn("usage", "%s is damaged: what the journal has is counted anew", k->path);
	} else {
		load_seen(k);
	}
	spending_fit(k->spending, journal_last_seq(k->journal));
	buf_finish(&bytes);
}

bool box_make_usage(struct box *box, struct error *why)
{
	struct usage_keeper *k = must_zero(1, sizeof(*k));

	box->usage = k;
	k->loop = box->loop;
	k->journal = box->journal;
	k->path = must_print("%s/usage", box->config->data);
	k->seen_path = must_print("%s/usage-seen", box->config->data);
	k->spending = spending_create();
	if (!load_prices(k, box->config, why))
		return false;
	load_sums(k);
	spending_price(k->spending, k->prices);
	spending_join(k->spending, bus_folds(box->bus));
	return true;
}

void box_open_usage(struct box *box)
{
	struct usage_keeper *k = box->usage;

	/* The sums are a checkpoint's.  Not before signals after it are counted: the file may have
	 * theirs. */
	if (!k->is_seen_loaded || k->seed != spending_seed(k->spending))
		load_seen(k);
	k->is_awaited = true; /* until now nothing could go */
	k->due.fire = write_is_due;
	k->turn.end = usage_turn;
	loop_add_turn(k->loop, &k->turn);
	k->is_open = true;
}

/* What is on its way to the disk may get there later than this: the same, or older. */
void box_close_usage(struct box *box)
{
	struct usage_keeper *k = box->usage;
	struct usage_errand *e;

	if (!k || !k->is_open)
		return;
	k->is_open = false;
	loop_remove_turn(&k->turn);
	deadline_clear(&k->due);
	if (k->work)
		work_leave(k->work);
	if (k->making)
		free_errand(k->making);
	if (is_all_kept(k))
		return;
	e = make_errand(k);
	save_some(e, UINT64_MAX / 2);
	write_file(e);
	if (!e->good)
		log_warn("usage", "%s", e->why.words);
	free_errand(e); /* of old responses the next life knows which it has */
}

void box_free_usage(struct box *box)
{
	struct usage_keeper *k = box->usage;

	if (!k)
		return;
	spending_destroy(k->spending);
	prices_destroy(k->prices);
	free(k->path);
	free(k->seen_path);
	free(k);
}

struct spending *box_spending(struct box *box)
{
	return box->usage->spending;
}

const struct prices *box_prices(struct box *box)
{
	return box->usage->prices;
}
