/* outbox_queue.c - which letters are looked at when.
 *
 * Letters of one chat are in one queue.  A chat is looked at when something happened to a letter
 * of it or when it is due; till then it waits, for the disk, for the time or for its account.
 */
#include <stdlib.h>

#include "base/must.h"
#include "deliver/outbox_inside.h"

/* ---- accounts ---- */

static struct outbox_account *account_of(struct outbox *o, struct text name)
{
	struct outbox_account *a = map_get(&o->accounts, name);

	if (a)
		return a;
	a = must_zero(1, sizeof(*a));
	a->name = text_dup(name);
	list_init(&a->held);
	map_set(&o->accounts, name, a);
	return a;
}

static void free_account(struct outbox *o, struct outbox_account *a)
{
	dues_set(&o->account_dues, &a->due, INT64_MAX);
	free(a->name);
	free(a);
}

bool outbox_may_begin(const struct outbox_chat *chat, const struct outbox_line *line,
                      int64_t now_ms)
{
	const struct outbox_account *a = chat->account;

	return now_ms >= line->away_until_ms && (a->is_there || a->begun < OUTBOX_TRIALS);
}

static void release(struct outbox *o, struct outbox_account *a, size_t most)
{
	while (most-- && !list_is_empty(&a->held))
		outbox_stir_chat(o, list_of(a->held.next, struct outbox_chat, in_work));
}

void outbox_note_there(struct outbox *o, struct outbox_chat *chat, bool is_there)
{
	chat->account->is_there = is_there;
	if (is_there)
		release(o, chat->account, SIZE_MAX);
}

/* A letter waits for a day, and not longer. */
static void release_old(struct outbox *o, struct outbox_account *a, int64_t now_ms)
{
	list_each(&a->held, link) {
		struct outbox_chat *chat = list_of(link, struct outbox_chat, in_work);

		list_each(&chat->letters, l)
			if (outbox_is_old(o, list_of(l, struct letter, in_chat), now_ms)) {
				outbox_stir_chat(o, chat);
				break;
			}
	}
}

/* ---- chats ---- */

static void name_place(struct text account, struct text peer, struct buf *name)
{
	buf_init(name, 2 * KIB);
	buf_add(name, account);
	buf_add_char(name, '\n');
	buf_add(name, peer);
}

static void name_chat(const struct letter *l, struct buf *name)
{
	name_place(letter_word(l, LETTER_ACCOUNT), letter_word(l, LETTER_PEER), name);
}

static struct outbox_chat *chat_of(struct outbox *o, const struct letter *l)
{
	struct outbox_chat *chat;
	struct buf name;

	name_chat(l, &name);
	chat = map_get(&o->chats, buf_text(&name));
	if (!chat) {
		chat = must_zero(1, sizeof(*chat));
		chat->account = account_of(o, letter_word(l, LETTER_ACCOUNT));
		list_init(&chat->letters);
		list_init(&chat->in_work);
		map_set(&o->chats, buf_text(&name), chat);
	}
	buf_finish(&name);
	return chat;
}

static void free_chat(struct outbox *o, struct outbox_chat *chat)
{
	list_remove(&chat->in_work);
	dues_set(&o->dues, &chat->due, INT64_MAX);
	free(chat);
}

void outbox_stir_chat(struct outbox *o, struct outbox_chat *chat)
{
	list_remove(&chat->in_work);
	list_add(&o->stirred, &chat->in_work);
}

void outbox_wait(struct outbox *o, struct outbox_chat *chat, int64_t until_ms)
{
	if (!chat->due.place || until_ms < chat->due.at_ms)
		dues_set(&o->dues, &chat->due, until_ms);
}

/* ---- letters ---- */

static void count_begun(struct outbox *o, struct letter *l, bool is_begun)
{
	struct outbox_account *a = l->chat->account;

	if (l->is_begun == is_begun)
		return;
	l->is_begun = is_begun;
	if (is_begun) {
		a->begun++;
		return;
	}
	a->begun--;
	release(o, a, 1);
}

static void join_chat(struct outbox *o, struct letter *l)
{
	l->chat = chat_of(o, l);
	l->chat->account->letters++;
	l->chat->count++;
	list_add(&l->chat->letters, &l->in_chat);
}

/* A chat without letters is freed when it is looked at: somebody may be at it. */
static void leave_chat(struct outbox *o, struct letter *l)
{
	struct outbox_chat *chat = l->chat;
	struct buf name;

	chat->account->letters--;
	chat->count--;
	l->chat = NULL;
	list_remove(&l->in_chat);
	if (!list_is_empty(&chat->letters))
		return;
	name_chat(l, &name);
	map_remove(&o->chats, buf_text(&name));
	buf_finish(&name);
}

void outbox_hear(struct outbox *o, struct letter *l)
{
	if (!l->chat && letter_is_over(l))
		return;
	if (!l->chat)
		join_chat(o, l);
	count_begun(o, l, l->state == LETTER_STARTED);
	outbox_stir_chat(o, l->chat);
	if (letter_is_over(l))
		leave_chat(o, l);
}

bool outbox_has_room(const struct outbox *o, const struct outbox_wish *wish)
{
	const struct outbox_account *a = map_get(&o->accounts, wish->account);
	size_t kept = wish->is_for_stranger ? OUTBOX_ROOM : 0;
	const struct outbox_chat *chat;
	struct buf name;

	if (custody_open_count(o->options.custody) >= OUTBOX_ALL_MAX - kept ||
	    (a && a->letters >= OUTBOX_WAITING_MAX - kept))
		return false;
	if (!wish->is_for_stranger)
		return true;
	name_place(wish->account, wish->peer, &name);
	chat = map_get(&o->chats, buf_text(&name));
	buf_finish(&name);
	return !chat || chat->count < OUTBOX_CHAT_MAX;
}

/* ---- rounds ---- */

/* The account keeps it: its channel is away or not there, or has to answer others first. */
static void hold_chat(struct outbox *o, struct outbox_chat *chat, const struct outbox_line *line,
                      int64_t now_ms)
{
	struct outbox_account *a = chat->account;
	bool is_away = line && line->channel && line->away_until_ms > now_ms;
	int64_t until_ms = is_away ? line->away_until_ms : now_ms + OUTBOX_AWAY_MOST_MS;

	list_add(&a->held, &chat->in_work);
	if (!a->due.place || until_ms < a->due.at_ms)
		dues_set(&o->account_dues, &a->due, until_ms);
}

static int64_t due_of(const struct letter *l, int64_t now_ms)
{
	return l->is_out || l->due_ms > now_ms ? l->due_ms : now_ms + OUTBOX_AWAY_MS;
}

/* The letter that the others of the chat wait for, or NULL; and until when one of its drafts is
 * edited, at most. */
static struct letter *find_first(struct outbox_chat *chat, int64_t *due_ms)
{
	list_each(&chat->letters, link) {
		struct letter *l = list_of(link, struct letter, in_chat);

		if (!outbox_rests(l))
			return l;
		if (l->is_out && l->due_ms < *due_ms)
			*due_ms = l->due_ms;
	}
	return NULL;
}

/* What it waits for, after it was looked at. */
static void place_chat(struct outbox *o, struct outbox_chat *chat, const struct outbox_line *line,
                       int64_t now_ms)
{
	int64_t due_ms = INT64_MAX;
	const struct letter *l = find_first(chat, &due_ms);
	bool is_begun = l && (l->is_out || l->state == LETTER_STARTED);

	if (l && (!l->is_out || l->is_open) && l->seq > custody_durable(o->options.custody))
		list_add(&o->unsaved, &chat->in_work);
	else if (l && !is_begun && !l->is_telling &&
	         (!line || !line->channel || !outbox_may_begin(chat, line, now_ms)))
		hold_chat(o, chat, line, now_ms);
	else if (l && due_of(l, now_ms) < due_ms)
		due_ms = due_of(l, now_ms);
	dues_set(&o->dues, &chat->due, due_ms);
}

static void work_chat(struct outbox *o, struct outbox_chat *chat, int64_t now_ms)
{
	struct outbox_line *line = o->options.find(o->options.self, text_of(chat->account->name));

	list_each(&chat->letters, link) {
		struct letter *l = list_of(link, struct letter, in_chat);
		bool rests = outbox_rests(l);

		if (!rests || l->is_out)
			outbox_work_letter(o, l, line, now_ms);
		if (!rests)
			break;
	}
	if (list_is_empty(&chat->in_work))
		place_chat(o, chat, line, now_ms);
}

static void stir_due(struct outbox *o, int64_t now_ms)
{
	struct due *due;

	while ((due = dues_first(&o->dues)) && due->at_ms <= now_ms) {
		dues_set(&o->dues, due, INT64_MAX);
		outbox_stir_chat(o, list_of(due, struct outbox_chat, due));
	}
	while ((due = dues_first(&o->account_dues)) && due->at_ms <= now_ms) {
		struct outbox_account *a = list_of(due, struct outbox_account, due);

		release_old(o, a, now_ms);
		release(o, a, a->is_there ? SIZE_MAX : OUTBOX_TRIALS);
		dues_set(&o->account_dues, due,
		         list_is_empty(&a->held) ? INT64_MAX : now_ms + OUTBOX_AWAY_MOST_MS);
	}
}

static bool has_saved(const struct outbox *o)
{
	return !list_is_empty(&o->unsaved) && custody_durable(o->options.custody) > o->durable;
}

static void stir_saved(struct outbox *o)
{
	if (!has_saved(o))
		return;
	o->durable = custody_durable(o->options.custody);
	while (!list_is_empty(&o->unsaved))
		outbox_stir_chat(o, list_of(o->unsaved.next, struct outbox_chat, in_work));
}

/* What is answered from inside a send stirs its chat again. */
void outbox_work(struct outbox *o, int64_t now_ms)
{
	if (o->is_working)
		return;
	o->is_working = true;
	stir_due(o, now_ms);
	stir_saved(o);
	while (!list_is_empty(&o->stirred)) {
		struct outbox_chat *chat = list_of(o->stirred.next, struct outbox_chat, in_work);

		list_remove(&chat->in_work);
		if (list_is_empty(&chat->letters))
			free_chat(o, chat);
		else
			work_chat(o, chat, now_ms);
	}
	o->is_working = false;
}

int64_t outbox_due(const struct outbox *o, int64_t now_ms)
{
	const struct due *chat = dues_first(&o->dues), *account = dues_first(&o->account_dues);
	int64_t due_ms = chat ? chat->at_ms : INT64_MAX;

	if (!list_is_empty(&o->stirred) || has_saved(o))
		return now_ms;
	return account && account->at_ms < due_ms ? account->at_ms : due_ms;
}

void outbox_stir(struct outbox *o)
{
	struct text name;
	size_t at = 0;
	void *chat;

	while (map_next(&o->chats, &at, &name, &chat))
		outbox_stir_chat(o, chat);
}

/* ---- life ---- */

void outbox_queue_begin(struct outbox *o)
{
	map_init(&o->chats);
	map_init(&o->accounts);
	list_init(&o->stirred);
	list_init(&o->unsaved);
	list_each(custody_letters(o->options.custody), l)
		outbox_hear(o, list_of(l, struct letter, in_all));
}

void outbox_queue_finish(struct outbox *o)
{
	struct text name;
	size_t at = 0;
	void *one;

	list_each(custody_letters(o->options.custody), l) {
		struct letter *letter = list_of(l, struct letter, in_all);

		letter->chat = NULL;
		list_remove(&letter->in_chat);
	}
	while (map_next(&o->chats, &at, &name, &one))
		outbox_stir_chat(o, one);
	while (!list_is_empty(&o->stirred))
		free_chat(o, list_of(o->stirred.next, struct outbox_chat, in_work));
	at = 0;
	while (map_next(&o->accounts, &at, &name, &one))
		free_account(o, one);
	map_finish(&o->chats);
	map_finish(&o->accounts);
	dues_finish(&o->dues);
	dues_finish(&o->account_dues);
}
