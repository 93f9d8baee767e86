/* fixture.c - see fixture.h.  The linker takes the two functions of the bus that are
 * here and leaves the real ones, and the journal behind them, in their library. */
#include "source/fixture.h"

#include <fcntl.h>
#include <ftw.h>
#include <uv.h>

#include "base/must.h"
#include "bus/bus.h"
#include "net/account.h"

#define PATIENCE_MS 60000

struct fixture fixture;

/* ---- the bus ---- */

struct admit_from bus_from(struct bus *bus, struct text name, bool has_credential)
{
	assert_true(has_credential);
	return (struct admit_from){.name = name};
}

/* What is no object is refused, as the real one does. */
void bus_admit(struct bus *bus, const struct bus_emit *emit, struct bus_verdict *verdict)
{
	assert_false(emit->once || emit->durable);
	verdict->answer = text_starts(emit->raw, TEXT("{")) ? BUS_ACCEPTED : BUS_REFUSED;
	if (verdict->answer != BUS_ACCEPTED) {
		error_set(&verdict->why, "not an object");
		return;
	}
	buf_add(&fixture.heard, emit->from.name);
	buf_add_char(&fixture.heard, ' ');
	buf_add(&fixture.heard, emit->raw);
	buf_add_char(&fixture.heard, '\n');
	fixture.heard_count++;
}

bool fixture_hears(const char *words)
{
	struct buf *heard = &fixture.heard;
	char *at = heard->len ? memmem(heard->at, heard->len, words, strlen(words)) : NULL;

	if (at)
		buf_drop(heard, (size_t)(at - heard->at) + strlen(words));
	return at != NULL;
}

/* ---- the loop ---- */

struct wait {
	struct turn turn;
	bool (*is_true)(void);
	bool was_true;
};

static bool look(struct turn *turn)
{
	struct wait *w = list_of(turn, struct wait, turn);

	if (!w->was_true && w->is_true()) {
		w->was_true = true;
		loop_stop(fixture.loop);
	}
	return false;
}

static void give_up(uv_timer_t *timer)
{
	loop_stop(fixture.loop);
}

static void free_timer(uv_handle_t *timer)
{
	free(timer);
}

void fixture_wait(bool (*is_true)(void))
{
	struct wait w = {.turn = {.end = look}, .is_true = is_true};
	uv_timer_t *timer = must_zero(1, sizeof(*timer));

	uv_timer_init(loop_uv(fixture.loop), timer);
	uv_timer_start(timer, give_up, PATIENCE_MS, 0);
	loop_add_turn(fixture.loop, &w.turn);
	loop_run(fixture.loop);
	loop_remove_turn(&w.turn);
	uv_close((uv_handle_t *)timer, free_timer);
	assert_true(w.was_true);
}

static uv_idle_t idle;
static unsigned turns_left;

static void spin(uv_idle_t *handle)
{
}

static bool turns_are_over(void)
{
	return turns_left == 0 || --turns_left == 0;
}

void fixture_turns(unsigned n)
{
	turns_left = n + 1;
	uv_idle_init(loop_uv(fixture.loop), &idle);
	uv_idle_start(&idle, spin);
	fixture_wait(turns_are_over);
	uv_close((uv_handle_t *)&idle, NULL);
	turns_left = 0;
	uv_run(loop_uv(fixture.loop), UV_RUN_NOWAIT);
}

/* ---- the room ---- */

static void keep(struct buf *out, struct text t)
{
	buf_clear(out);
	buf_add(out, t);
}

static void on_change(void *self, struct text changed, struct text removed)
{
	keep(&fixture.changed, changed);
	keep(&fixture.removed, removed);
	fixture.told++;
}

static void on_verdict(void *self, uint64_t ticket, enum back_answer verdict, const char *why)
{
	fixture.verdict_ticket = ticket;
	fixture.verdict = verdict;
	free(fixture.verdict_why);
	fixture.verdict_why = must_dup(why);
}

static void make_room(void)
{
	struct sources_options o = {.loop = fixture.loop,
	                            .accounts = fixture.accounts,
	                            .data = fixture.dir,
	                            .changed = on_change,
	                            .verdict = on_verdict};
	struct error why;

	fixture.sources = sources_create(&o, &why);
	if (!fixture.sources)
		fail_msg("%s", why.words);
}

void fixture_restart(void)
{
	sources_destroy(fixture.sources);
	make_room();
	sources_load(fixture.sources);
}

int fixture_set_up(void **state)
{
	fixture = (struct fixture){.dir = "/tmp/source-test-XXXXXX"};
	assert_non_null(mkdtemp(fixture.dir));
	buf_init(&fixture.heard, 64 * MIB);
	buf_init(&fixture.changed, 64 * MIB);
	buf_init(&fixture.removed, 64 * MIB);
	fixture.loop = loop_create();
	fixture.accounts = accounts_create(&(struct account_limits){0});
	make_room();
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

int fixture_tear_down(void **state)
{
	sources_destroy(fixture.sources);
	accounts_destroy(fixture.accounts);
	loop_destroy(fixture.loop);
	buf_finish(&fixture.heard);
	buf_finish(&fixture.changed);
	buf_finish(&fixture.removed);
	free(fixture.verdict_why);
	fixture.verdict_why = NULL;
	return nftw(fixture.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- files ---- */

char *fixture_read(const char *name)
{
	char *path = must_print("%s/%s", fixture.dir, name), *all = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		all = must_zero(1, 64 * KIB);
		assert_true(read(fd, all, 64 * KIB - 1) >= 0);
		close(fd);
	}
	free(path);
	return all;
}

void fixture_write(const char *name, const char *bytes)
{
	char *path = must_print("%s/%s", fixture.dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(write(fd, bytes, strlen(bytes)) == (ssize_t)strlen(bytes));
	close(fd);
	free(path);
}
