/* desk_channels.c - the accounts as people look at them: how each stands with its platform, what
 * waits for it, and whether all is there that it needs. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/desk_inside.h"

#define CHECK_MS 20000 /* then what was not answered is told as such */
#define CHECK_MAX (64 * KIB)
#define ACCOUNTS_BYTES (64 * KIB)

/* A check that somebody waits for. */
struct desk_check {
	struct back_ear ear; /* told NULL: nobody does any more */
	struct buf findings; /* members of a list */
	bool is_good, has_begun;
	int64_t until_ms;
};

/* ---- how they stand ---- */

static const char *const states[] = {[CHANNEL_CONNECTED] = "connected",
                                     [CHANNEL_CONNECTING] = "connecting",
                                     [CHANNEL_GONE] = "away",
                                     [CHANNEL_DENIED] = "refused"};

/* A kind that cannot say it is there unless a message could not leave. */
static enum channel_state state_of(const struct desk_account *a, struct error *why)
{
	const struct channel_kind *kind = a->line.kind;

	error_set(why, "%s", "");
	if (!a->line.channel) {
		*why = a->unopened;
		return CHANNEL_DENIED;
	}
	if (kind->state)
		return kind->state(a->line.channel, why);
	if (!a->line.away_ms)
		return CHANNEL_CONNECTED;
	error_set(why, "the last message could not leave");
	return CHANNEL_GONE;
}

/* What is being answered there goes on, and is not shown as typing any more. */
static void lose_replies(const struct desk_account *a)
{
	list_each(&a->desk->live, l) {
		struct nexus *x = list_of(l, struct nexus, in_desk);

		if (x->account != a || !x->reply)
			continue;
		reply_lose_channel(x->reply);
		desk_stir(x);
	}
}

void desk_note_states(struct desk *d)
{
	list_each(&d->accounts, l) {
		struct desk_account *a = list_of(l, struct desk_account, in_desk);
		enum channel_state state = state_of(a, &a->why);

		if (state != a->state || !a->since_ms) {
			a->state = state;
			a->since_ms = d->options.wall_ms();
			if (state == CHANNEL_GONE || state == CHANNEL_DENIED)
				lose_replies(a);
		}
	}
}

static uint64_t count_waiting(const struct desk *d, const struct desk_account *a)
{
	uint64_t count = 0;

	list_each(custody_letters(d->options.custody), l) {
		const struct letter *one = list_of(l, struct letter, in_all);

		count += text_is(letter_word(one, LETTER_ACCOUNT), a->line.account);
	}
	return count;
}

static void put_accounts(const struct desk_account *a, struct buf *out)
{
	struct buf all;

	if (!a->line.channel || !a->line.kind->accounts)
		return;
	buf_init(&all, ACCOUNTS_BYTES);
	put_list(&all, NULL);
	a->line.kind->accounts(a->line.channel, &all);
	put_list_end(&all);
	if (!all.full && all.len > 2)
		put_json(out, "accounts", buf_text(&all));
	buf_finish(&all);
}

static void put_channel(const struct desk_account *a, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "name", a->line.account);
	put_word(out, "channel", a->line.kind->name);
	put_word(out, "state", states[a->state]);
	put_i64(out, "since", a->since_ms);
	if (a->why.words[0])
		put_word(out, "why", a->why.words);
	put_u64(out, "waiting", count_waiting(a->desk, a));
	put_accounts(a, out);
	put_end(out);
}

void desk_channels(struct desk *d, struct buf *out)
{
	desk_note_states(d);
	put_list(out, "channels");
	list_each(&d->accounts, l) {
		const struct desk_account *a = list_of(l, struct desk_account, in_desk);

		if (!a->is_gone)
			put_channel(a, out);
	}
	put_list_end(out);
}

void desk_degraded(struct desk *d, struct buf *out)
{
	desk_note_states(d);
	list_each(&d->accounts, l) {
		const struct desk_account *a = list_of(l, struct desk_account, in_desk);
		struct buf words;

		if (a->is_gone || a->state == CHANNEL_CONNECTED || a->state == CHANNEL_CONNECTING)
			continue;
		buf_init(&words, 2 * KIB);
		buf_print(&words, "the channel %s is %s: %s", a->line.account,
		          a->state == CHANNEL_DENIED ? "refused" : "away", a->why.words);
		put_text(out, NULL, buf_text(&words));
		buf_finish(&words);
	}
}

/* ---- checks ---- */

static void check_found(void *self, bool is_good, const char *words)
{
	struct desk_account *a = self;

	if (!a->check)
		return;
	put_object(&a->check->findings, NULL);
	put_bool(&a->check->findings, "good", is_good);
	put_word(&a->check->findings, "words", words);
	put_end(&a->check->findings);
	a->check->is_good = a->check->is_good && is_good;
}

static void check_done(void *self)
{
	struct desk_account *a = self;
	struct desk_check *check = a->check;
	struct buf all;

	if (!check)
		return;
	a->check = NULL;
	buf_init(&all, 2 * CHECK_MAX);
	put_object(&all, NULL);
	put_bool(&all, "ok", true);
	put_word(&all, "name", a->line.account);
	put_bool(&all, "good", check->is_good);
	put_list(&all, "findings");
	buf_add(&all, buf_text(&check->findings));
	put_list_end(&all);
	buf_add(&all, TEXT("}\n"));
	if (check->ear.told)
		check->ear.told(check->ear.of, &(struct back_verdict){.answer = BACK_DONE,
		                                                      .json = buf_text(&all)});
	buf_finish(&all);
	buf_finish(&check->findings);
	free(check);
}

void desk_end_check(struct desk_account *a, const char *why)
{
	check_found(a, false, why);
	check_done(a);
}

static void begin_check(struct desk_account *a)
{
	const struct channel_check check = {a, check_found, check_done};
	struct error why;
	enum channel_state state = state_of(a, &why);

	a->check->has_begun = true;
	a->check->until_ms = a->desk->now_ms + CHECK_MS;
	if (state == CHANNEL_CONNECTED && !why.words[0])
		check_found(a, true, "it is connected");
	else if (state != CHANNEL_CONNECTED)
		check_found(a, false, why.words[0] ? why.words : "it is not connected yet");
	if (a->line.channel && a->line.kind->check)
		a->line.kind->check(a->line.channel, &check);
	else
		check_done(a);
}

int64_t desk_go_on_checking(struct desk_account *a)
{
	if (a->check && !a->check->has_begun)
		begin_check(a);
	else if (a->check && a->desk->now_ms >= a->check->until_ms)
		desk_end_check(a, "not everything was answered in time");
	return a->check ? a->check->until_ms : INT64_MAX;
}

enum back_answer desk_check_channel(struct desk *d, struct text name, const struct back_ear *ear,
                                    struct error *why)
{
	struct desk_account *a = desk_find_account(d, name);

	if (!a || a->is_gone) {
		error_set(why, "there is no such channel");
		return BACK_UNKNOWN;
	}
	if (a->check || d->is_ending) {
		error_set(why, "%s", a->check ? "it is being checked already" : "the box stops");
		return BACK_CONFLICT;
	}
	a->check = must_zero(1, sizeof(*a->check));
	a->check->ear = *ear;
	a->check->is_good = true;
	buf_init(&a->check->findings, CHECK_MAX);
	desk_wake(d);
	return BACK_TAKEN;
}

void desk_forget_checks(struct desk *d, const void *of)
{
	list_each(&d->accounts, l) {
		struct desk_account *a = list_of(l, struct desk_account, in_desk);

		if (a->check && a->check->ear.of == of)
			a->check->ear.told = NULL;
	}
}
