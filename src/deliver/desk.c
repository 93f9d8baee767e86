/* desk.c - messages from where they come in to where they are answered. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "config/config.h"
#include "deliver/attached.h"
#include "deliver/desk_crowd.h"
#include "deliver/desk_files.h"
#include "deliver/desk_inside.h"
#include "deliver/desk_live.h"
#include "deliver/desk_prompts.h"
#include "deliver/desk_uploads.h"
#include "deliver/files.h"
#include "deliver/tell.h"

#define TOO_MANY "too many deliveries wait for this chat"
#define SHOWN_TEXT_MAX (256 * KIB)

void desk_wake(struct desk *d)
{
	if (!d->is_ending)
		d->options.wake(d->options.self);
}

/* ---- requests ---- */

struct nexus *desk_make_nexus(struct desk *d, struct desk_account *account, const char *id)
{
	struct nexus *x = must_zero(1, sizeof(*x));
	const struct config_adapter *adapter = desk_config(account);

	x->desk = d;
	x->account = account;
	snprintf(x->request.id, sizeof(x->request.id), "%s", id);
	x->request.traits = &account->line.kind->traits;
	nexus_set(&x->request, NEXUS_CHANNEL, text_of(account->line.kind->name));
	nexus_set(&x->request, NEXUS_ACCOUNT, text_of(account->line.account));
	x->prefix = must_dup(adapter ? adapter->response_prefix : NULL);
	x->failed = must_dup(d->config->deliver.failed);
	list_init(&x->in_work);
	list_add(&d->live, &x->in_desk);
	map_set(&d->by_id, text_of(id), x);
	d->live_count++;
	return x;
}

void desk_free_nexus(struct nexus *x)
{
	if (x->ear.told) {
		struct error why = {"the box stops"};

		x->ear.told(x->ear.of,
		            &(struct back_verdict){.answer = BACK_CONFLICT, .why = &why});
	}
	if (x->request.words[NEXUS_TURN])
		map_remove(&x->desk->by_run, nexus_word(&x->request, NEXUS_TURN));
	map_remove(&x->desk->by_id, text_of(x->request.id));
	list_remove(&x->in_work);
	list_remove(&x->in_desk);
	dues_set(&x->desk->dues, &x->due, INT64_MAX);
	x->desk->live_count--;
	reply_destroy(x->reply);
	turn_finish(&x->turn);
	desk_free_files(x);
	nexus_finish(&x->request);
	free(x->prefix);
	for (unsigned i = 0; i < 3; i++)
		free(x->names[i]);
	free(x->failed);
	free(x->notice);
	free(x->stopped_by);
	free(x->letter);
	free(x->late);
	free(x->run);
	free(x->live);
	free(x);
}

void desk_free_kept(struct desk *d, struct desk_kept *kept)
{
	list_remove(&kept->in_desk);
	d->kept_count--;
	free(kept->id);
	free(kept->json);
	free(kept);
}

void desk_keep(struct nexus *x)
{
	struct desk_kept *kept = must_zero(1, sizeof(*kept));
	struct desk *d = x->desk;
	struct buf json;

	buf_init(&json, 2 * MIB);
	nexus_put(&x->request, SHOWN_TEXT_MAX, &json);
	kept->id = must_dup(x->request.id);
	kept->json = text_dup(buf_text(&json));
	buf_finish(&json);
	if (d->kept_count >= DESK_KEPT_MAX)
		desk_free_kept(d, list_of(d->kept.next, struct desk_kept, in_desk));
	list_add(&d->kept, &kept->in_desk);
	d->kept_count++;
}

/* ---- what people write ---- */

static bool is_command(struct text text)
{
	text = text_trim(text);
	return text.len && text.at[0] == '/';
}

/* It is whole: a command, the answer to a question of an agent, or one that came by our own API,
 * whose caller waits for the answer to it alone. */
static bool stands_alone(const struct desk_account *account, const struct channel_inbound *inbound)
{
	return !account->line.kind->traits.gathers || !account->desk->config->deliver.gather_ms ||
	       inbound->is_owner || is_command(inbound->text) || desk_is_answer(account, inbound);
}

/* The question of the same person that is still being written. */
static struct nexus *gathers(const struct desk_account *account,
                             const struct channel_inbound *inbound)
{
	list_each(&account->desk->live, l) {
		struct nexus *x = list_of(l, struct nexus, in_desk);
		const struct nexus_request *r = &x->request;

		if (x->account == account && r->stage == NEXUS_RECEIVE && !x->is_alone &&
		    !x->stopped_by && text_equal(nexus_word(r, NEXUS_SENDER), inbound->sender) &&
		    text_equal(nexus_word(r, NEXUS_PEER), inbound->peer) &&
		    text_equal(nexus_word(r, NEXUS_THREAD), inbound->thread) &&
		    r->is_mentioned == inbound->is_mentioned) {
			if (burst_takes(&x->burst, inbound->text.len, account->desk->now_ms))
				return x;
			desk_stir(x);
		}
	}
	return NULL;
}

static bool tell_received(const struct desk_account *account, const struct channel_inbound *inbound,
                          const char *id, const struct nexus *into)
{
	struct received r = {0};
	const struct text words[RECEIVED_WORDS] = {
		[RECEIVED_ID] = text_of(id),
		[RECEIVED_CHANNEL] = text_of(account->line.kind->name),
		[RECEIVED_ACCOUNT] = text_of(account->line.account),
		[RECEIVED_MESSAGE] = inbound->message,
		[RECEIVED_SENDER] = inbound->sender,
		[RECEIVED_SENDER_NAME] = inbound->sender_name,
		[RECEIVED_PEER] = inbound->peer,
		[RECEIVED_KIND] = text_of(channel_peer_name(inbound->kind)),
		[RECEIVED_THREAD] = inbound->thread,
		[RECEIVED_REPLY_TO] = inbound->reply_to,
		[RECEIVED_AGENT] = inbound->agent,
		[RECEIVED_SESSION] = inbound->session,
		[RECEIVED_PRINCIPAL] = inbound->is_owner ? TEXT("owner") : TEXT(""),
		[RECEIVED_MENTIONED] = inbound->is_mentioned ? TEXT("yes") : TEXT(""),
		[RECEIVED_TEXT] = inbound->text,
	};
	struct buf out, files;

	deliver_begin(&out, "nex.received");
	for (unsigned i = 0; i < RECEIVED_WORDS; i++)
		received_set(&r, (enum received_word)i, words[i]);
	buf_init(&files, 64 * KIB);
	if (inbound->file_count) {
		files_put(inbound->files, inbound->file_count, &files);
		received_set(&r, RECEIVED_FILES, buf_text(&files));
	}
	buf_finish(&files);
	received_put(&r, &out);
	for (unsigned i = 0; i < RECEIVED_WORDS; i++)
		free(r.words[i]);
	if (inbound->place.len)
		put_text(&out, "place", inbound->place);
	if (into)
		put_word(&out, "into", into->request.id);
	return deliver_tell(account->desk->options.bus, &out);
}

static void fill_nexus(struct nexus *x, const struct channel_inbound *inbound)
{
	struct nexus_request *r = &x->request;

	r->created_at = x->desk->options.wall_ms();
	r->peer_kind = inbound->kind;
	r->is_mentioned = inbound->is_mentioned;
	r->is_owner = inbound->is_owner;
	nexus_set(r, NEXUS_MESSAGE, inbound->message);
	nexus_set(r, NEXUS_SENDER, inbound->sender);
	nexus_set(r, NEXUS_SENDER_NAME, inbound->sender_name);
	nexus_set(r, NEXUS_ORIGIN, inbound->origin);
	nexus_set(r, NEXUS_PEER, inbound->peer);
	nexus_set(r, NEXUS_THREAD, inbound->thread);
	nexus_set(r, NEXUS_REPLY_TO, inbound->reply_to);
	nexus_set(r, NEXUS_CONTENT, inbound->text);
	nexus_set(r, NEXUS_AGENT, inbound->agent);
	nexus_set(r, NEXUS_SESSION, inbound->session);
}

/* Of the newest signal that added to it. */
static uint64_t seq_of(const struct nexus *x)
{
	const struct received *r =
		custody_request(x->desk->options.custody, text_of(x->request.id));

	return r ? r->seq : 0;
}

bool desk_take(struct desk_account *account, const struct channel_inbound *inbound,
               struct nexus **made)
{
	struct desk *d = account->desk;
	struct custody_key key = {text_of(account->line.kind->name), text_of(account->line.account),
	                          inbound->message};
	int64_t wall_ms = d->options.wall_ms();
	bool is_alone = stands_alone(account, inbound);
	struct nexus *into;
	unsigned pause_ms = is_alone ? 0 : d->config->deliver.gather_ms;
	char id[CUSTODY_ID_LEN + 1];

	if (custody_has_seen(d->options.custody, &key, (double)wall_ms))
		return true;
	into = is_alone ? NULL : gathers(account, inbound);
	if (!into && !desk_has_room(d, inbound->is_owner))
		return false;
	custody_id(&key, wall_ms, id);
	if (!tell_received(account, inbound, id, into))
		return false;
	if (!into) {
		into = desk_make_nexus(d, account, id);
		fill_nexus(into, inbound);
		into->excess = desk_crowd_excess(into);
		desk_crowd_join(into);
		into->is_alone = is_alone;
		burst_begin(&into->burst, inbound->text.len, pause_ms, d->now_ms);
	} else {
		burst_add(&into->burst, inbound->text.len, pause_ms, d->now_ms);
	}
	account->came_seq = seq_of(into);
	if (made)
		*made = into;
	desk_stir(into);
	return true;
}

/* ---- letters ---- */

char *desk_prepare(struct nexus *x, const char *kind, const struct payload *payload)
{
	const struct nexus_request *r = &x->request;
	struct outbox_wish wish = {
		.request = text_of(r->id),
		.run = nexus_word(r, NEXUS_TURN),
		.account = nexus_word(r, NEXUS_ACCOUNT),
		.peer = nexus_word(r, NEXUS_PEER),
		.thread = nexus_word(r, NEXUS_THREAD),
		.reply_to = payload->reply_to,
		.text = payload->text,
		.kind = kind,
		.is_for_stranger = text_is(nexus_word(r, NEXUS_PRINCIPAL), "unknown"),
	};
	char id[CUSTODY_ID_LEN + 16];
	struct buf media;
	bool is_taken;

	do
		snprintf(id, sizeof(id), "%s.%u", r->id, ++x->letters);
	while (custody_letter(x->desk->options.custody, text_of(id)));
	wish.id = text_of(id);
	buf_init(&media, PAYLOAD_MEDIA_BYTES);
	desk_add_media(payload, &media, &wish);
	is_taken = outbox_prepare(x->desk->outbox, &wish);
	buf_finish(&media);
	return is_taken ? must_dup(id) : NULL;
}

bool desk_send(struct nexus *x, const char *kind, uint64_t number, const struct payload *payload)
{
	char *id = desk_prepare(x, kind, payload);

	x->letter_number = number; /* of one that is refused, too: that is what it is told by */
	if (!id) {
		x->letters = 0;
		return false;
	}
	free(x->letter);
	x->letter = id;
	return true;
}

/* Files of it that could not be sent; those of an earlier attempt may stand there, too. */
static unsigned missed_of(const struct letter *l)
{
	unsigned missed = attached_count(letter_word(l, LETTER_MISSED));

	return missed < l->accepted ? missed : l->accepted;
}

/* It had no text, and none of its files could be sent: it does not go with another. */
static bool is_files(const struct letter *l)
{
	return l->accepted && attached_count(letter_word(l, LETTER_MISSED)) == l->accepted;
}

static void note_sent(struct nexus *x, const struct letter *l)
{
	struct nexus_request *r = &x->request;
	struct buf all;

	r->chunks_sent += l->accepted - missed_of(l);
	if (l->state != LETTER_DELIVERED) {
		if (!is_files(l) || !r->is_delivered) /* without them the rest is still there */
			nexus_set(r, NEXUS_DELIVERY_ERROR, letter_word(l, LETTER_WHY));
		return;
	}
	r->is_delivered = true;
	buf_init(&all, 64 * KIB);
	buf_add(&all, nexus_word(r, NEXUS_MESSAGES));
	if (all.len)
		buf_add_char(&all, ' ');
	buf_add(&all, letter_word(l, LETTER_MESSAGES));
	if (!all.full)
		nexus_set(r, NEXUS_MESSAGES, buf_text(&all));
	buf_finish(&all);
}

/* An answer that may be there, and may not, although it was tried again. */
static bool is_lost(const struct nexus *x, const struct letter *l)
{
	return letter_may_be_there(l) && !x->account->line.leaves_unknown &&
	       (letter_is(l, "final") || letter_is(l, "block"));
}

static void settle_letter(struct nexus *x, enum pipeline_sent sent, struct text messages)
{
	uint64_t number = x->letter_number;

	free(x->letter);
	x->letter = NULL;
	x->is_refused = false;
	if (x->reply)
		reply_settle(x->reply, number, sent, messages, x->desk->now_ms);
}

static void look_at_letter(struct nexus *x)
{
	const struct letter *l =
		x->letter ? custody_letter(x->desk->options.custody, text_of(x->letter)) : NULL;

	if (x->is_refused) {
		nexus_set(&x->request, NEXUS_DELIVERY_ERROR, TEXT(TOO_MANY));
		settle_letter(x, PIPELINE_REFUSED, TEXT(""));
	} else if (l && letter_is_over(l)) {
		note_sent(x, l);
		x->is_lost |= is_lost(x, l);
		settle_letter(x,
		              l->state == LETTER_DELIVERED ? PIPELINE_ACCEPTED
		              : is_files(l)                ? PIPELINE_SKIPPED
		              : letter_may_be_there(l)     ? PIPELINE_UNKNOWN
		                                           : PIPELINE_REFUSED,
		              letter_word(l, LETTER_MESSAGES));
	}
}

/* Whatever the channel said of it at last: its text is in no other letter. */
static void look_at_late(struct nexus *x)
{
	const struct letter *l =
		x->late ? custody_letter(x->desk->options.custody, text_of(x->late)) : NULL;

	if (!x->late || (l && !letter_is_over(l)))
		return;
	if (l) {
		note_sent(x, l);
		x->is_lost |= is_lost(x, l) || (l->state == LETTER_FAILED && !is_files(l) &&
		                                !letter_may_be_there(l));
	}
	free(x->late);
	x->late = NULL;
}

void desk_look_at_letters(struct nexus *x)
{
	look_at_letter(x);
	look_at_late(x);
}

struct outbox_line *desk_find_line(void *self, struct text account)
{
	struct desk_account *a = desk_find_account(self, account);

	return a && !a->is_gone ? &a->line : NULL;
}

/* ---- what the last life left ---- */

void desk_refill(struct nexus *x, const struct received *r)
{
	struct channel_inbound inbound = {
		.message = received_word(r, RECEIVED_MESSAGE),
		.sender = received_word(r, RECEIVED_SENDER),
		.sender_name = received_word(r, RECEIVED_SENDER_NAME),
		.peer = received_word(r, RECEIVED_PEER),
		.thread = received_word(r, RECEIVED_THREAD),
		.reply_to = received_word(r, RECEIVED_REPLY_TO),
		.text = received_word(r, RECEIVED_TEXT),
		.is_mentioned = r->words[RECEIVED_MENTIONED] != NULL,
		.is_owner = r->words[RECEIVED_PRINCIPAL] != NULL,
		.agent = received_word(r, RECEIVED_AGENT),
		.session = received_word(r, RECEIVED_SESSION),
	};

	channel_read_peer(received_word(r, RECEIVED_KIND), &inbound.kind);
	fill_nexus(x, &inbound);
	x->request.created_at = (int64_t)r->at_ms;
}

static void note_answers(const struct link *letters, struct map *answers)
{
	list_each(letters, l) {
		struct letter *one = list_of(l, struct letter, in_all);

		if (one->words[LETTER_REQUEST] && !letter_is(one, "block") &&
		    !letter_is(one, "tool") && !letter_is(one, "dropped") &&
		    !letter_is(one, "aside") && !letter_is_live(one))
			map_set(answers, letter_word(one, LETTER_REQUEST), one);
	}
}

/* Of messages, by their requests. */
struct left_behind {
	struct map answers; /* the newest that answers each, if there is one already */
	struct map blocks;  /* a part of it that is not over */
};

static void find_left(struct desk *d, struct left_behind *left)
{
	map_init(&left->answers);
	map_init(&left->blocks);
	list_each(custody_requests(d->options.custody), l)
		note_answers(&list_of(l, struct received, in_all)->kept, &left->answers);
	note_answers(custody_over(d->options.custody), &left->answers);
	note_answers(custody_letters(d->options.custody), &left->answers);
	list_each(custody_letters(d->options.custody), l) {
		struct letter *one = list_of(l, struct letter, in_all);

		if (one->words[LETTER_REQUEST] && letter_is(one, "block"))
			map_set(&left->blocks, letter_word(one, LETTER_REQUEST), one);
	}
}

static void take_up(struct desk *d, const struct received *r, const struct left_behind *left)
{
	const struct letter *answer = map_get(&left->answers, received_word(r, RECEIVED_ID));
	const struct letter *block = map_get(&left->blocks, received_word(r, RECEIVED_ID));
	struct desk_account *account = desk_account_of(d, r);
	const struct config_adapter *adapter = desk_config(account);
	struct nexus *x;

	x = desk_make_nexus(d, account, r->words[RECEIVED_ID]);
	desk_refill(x, r);
	desk_crowd_join(x);
	if (answer) {
		x->letter = text_dup(letter_word(answer, LETTER_ID));
		x->late = block ? text_dup(letter_word(block, LETTER_ID)) : NULL;
		x->request.stage = NEXUS_DELIVER;
		return;
	}
	if (account->is_gone || !r->words[RECEIVED_RUN] ||
	    (adapter && adapter->on_restart == CONFIG_RESTART_AGAIN)) {
		desk_keep_draft(x);
		return;
	}
	if (!desk_end_draft(x, text_of(d->config->deliver.restarted)))
		x->notice = must_dup(d->config->deliver.restarted);
	x->request.stage = NEXUS_DELIVER;
	x->request.status = NEXUS_FAILED;
	nexus_set(&x->request, NEXUS_ERROR, TEXT("the box restarted"));
}

void desk_take_up(struct desk *d)
{
	struct left_behind left;

	find_left(d, &left);
	list_each(custody_requests(d->options.custody), l)
		take_up(d, list_of(l, struct received, in_all), &left);
	map_finish(&left.answers);
	map_finish(&left.blocks);
}
