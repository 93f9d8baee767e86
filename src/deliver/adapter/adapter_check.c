/* adapter_check.c - is everything there that an adapter needs?  What it says it can do, how its
 * platform stands, and which accounts it knows. */
#include <stdio.h>
#include <stdlib.h>

#include "deliver/adapter/adapter_inside.h"

#define ASK_MS 15000
#define WORDS_MAX 1000
#define ACCOUNTS_FIRST_MS 1000
#define ACCOUNTS_MS 600000 /* then they are asked for again */

static void next_check(struct adapter *a);

static void tell_found(struct adapter *a, bool is_good, const char *words)
{
	if (a->checked.found)
		a->checked.found(a->checked.self, is_good, words);
}

/* ---- what it answers ---- */

static void health_checked(struct adapter *a, struct text answer, const char *why)
{
	bool is_connected = false;
	struct error words = {""};

	if (!adapter_read_health(&a->reader, answer, &is_connected, &words) && why)
		error_set(&words, "it %s", why);
	tell_found(a, is_connected, is_connected ? "its platform is connected" : words.words);
}

static void accounts_checked(struct adapter *a, struct text answer, const char *why)
{
	char words[WORDS_MAX];
	struct error fault = {""};
	struct buf names;
	bool is_ours = adapter_has_account(&a->reader, answer, text_of(a->account));

	buf_init(&names, WORDS_MAX / 2);
	if (why || !adapter_read_accounts(&a->reader, answer, &names, &fault))
		snprintf(words, sizeof(words), "accounts: %s", why ? why : fault.words);
	else if (!names.len)
		snprintf(words, sizeof(words), "it names no account");
	else
		snprintf(words, sizeof(words), "%s%s%sits accounts are %.*s",
		         is_ours ? "" : "it does not know the account ", is_ours ? "" : a->account,
		         is_ours ? "" : "; ", TEXT_ARG(buf_text(&names)));
	tell_found(a, names.len && is_ours && !why, words);
	buf_finish(&names);
}

static void check_over(void *self, struct text answer, const char *why)
{
	struct adapter *a = self;

	if (a->check_step == 1)
		health_checked(a, answer, why);
	else
		accounts_checked(a, answer, why);
	next_check(a);
}

/* ---- one after the other ---- */

/* COMMAND accounts list --account NAME: its word stands before the others. */
static bool accounts_argv(const struct adapter *a, struct adapter_argv *out)
{
	static const char *const none[] = {NULL};
	size_t n = 0, last = 0;

	if (!adapter_argv(a, ADAPTER_ACCOUNTS, none, out))
		return false;
	while (a->command[n])
		n++;
	while (out->words[last])
		last++;
	if (a->info.is_renamed || last + 1 >= ADAPTER_ARGS_MAX)
		return a->info.is_renamed;
	for (size_t i = last + 1; i > n + 1; i--)
		out->words[i] = out->words[i - 1];
	out->words[n + 1] = "list";
	return true;
}

static bool ask_checked(struct adapter *a, enum adapter_ability ability)
{
	static const char *const none[] = {NULL};
	struct adapter_child_options o;
	struct adapter_argv argv;

	if (!a->info.can[ability] ||
	    !(ability == ADAPTER_ACCOUNTS ? accounts_argv(a, &argv)
	                                  : adapter_argv(a, ability, none, &argv)))
		return false;
	o = adapter_child_of(a, &argv);
	o.ms = ASK_MS;
	o.over = check_over;
	a->asks = adapter_child_create(&o);
	return true;
}

static void next_check(struct adapter *a)
{
	static const enum adapter_ability steps[] = {ADAPTER_HEALTH, ADAPTER_ACCOUNTS};
	struct channel_check check = a->checked;

	adapter_check_finish(a);
	a->checked = check;
	while (a->check_step < sizeof(steps) / sizeof(*steps))
		if (ask_checked(a, steps[a->check_step++]))
			return;
	a->checked = (struct channel_check){0};
	check.done(check.self);
}

static void tell_abilities(struct adapter *a)
{
	char words[WORDS_MAX];
	struct buf all;

	buf_init(&all, WORDS_MAX / 2);
	for (unsigned i = 0; i < ADAPTER_ABILITIES; i++)
		if (a->info.can[i])
			buf_print(&all, "%s%s", all.len ? ", " : "",
			          adapter_command(&a->info, (enum adapter_ability)i));
	snprintf(words, sizeof(words), "the adapter %s can: %.*s", a->info.name,
	         TEXT_ARG(buf_text(&all)));
	tell_found(a, true, words);
	buf_finish(&all);
}

void adapter_check(void *self, const struct channel_check *check)
{
	struct adapter *a = self;

	adapter_check_finish(a);
	a->checked = *check;
	a->check_step = 0;
	if (!a->is_known) {
		a->checked = (struct channel_check){0};
		check->done(check->self);
		return;
	}
	tell_abilities(a);
	next_check(a);
}

/* ---- accounts, for who looks at channels ---- */

/* What it answered last stays, if it does not answer now. */
static void accounts_over(void *self, struct text answer, const char *why)
{
	struct adapter *a = self;
	struct buf names;
	struct error fault;

	buf_init(&names, ADAPTER_LINE_MAX);
	if (!why && adapter_read_accounts(&a->reader, answer, &names, &fault)) {
		free(a->accounts);
		a->accounts = text_dup(answer);
	}
	buf_finish(&names);
	deadline_set(a->options.loop, &a->accounts_due, ACCOUNTS_MS);
}

static void ask_accounts(struct deadline *deadline)
{
	struct adapter *a = list_of(deadline, struct adapter, accounts_due);
	struct adapter_child_options o;
	struct adapter_argv argv;

	adapter_child_destroy(a->asks_accounts);
	a->asks_accounts = NULL;
	if (!accounts_argv(a, &argv))
		return;
	o = adapter_child_of(a, &argv);
	o.ms = ASK_MS;
	o.over = accounts_over;
	a->asks_accounts = adapter_child_create(&o);
}

void adapter_watch_accounts(struct adapter *a)
{
	a->accounts_due.fire = ask_accounts;
	if (a->info.can[ADAPTER_ACCOUNTS])
		deadline_set(a->options.loop, &a->accounts_due, ACCOUNTS_FIRST_MS);
}

void adapter_accounts(void *self, struct buf *out)
{
	struct adapter *a = self;

	if (a->accounts)
		adapter_put_accounts(&a->reader, text_of(a->accounts), out);
}

/* ---- the end ---- */

void adapter_check_finish(struct adapter *a)
{
	adapter_child_destroy(a->asks);
	a->asks = NULL;
	a->checked = (struct channel_check){0};
}
