/* desk_prompts.c - questions of agents in chats: asked, answered, and told how they ended.
 *
 * A question is a letter that names its prompt, and its end is another one, so that custody says
 * after a crash what was asked and what is to be told.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "config/config.h"
#include "deliver/ballot.h"
#include "deliver/desk_prompts.h"
#include "deliver/stages.h"
#include "run/prompts.h"

#define FRESH_MS 600000   /* an older prompt that was never asked is left to the screens */
#define LATE_MS 3600000.0 /* so long a number belongs to a question that is over */
#define STALL_MS 1000     /* before what could not be told is tried again */
#define WORDS_MAX (4 * KIB)
#define VALUE_MAX PROMPT_VALUE_MAX

/* A chat that is asked. */
struct asked_chat {
	struct text account, peer, thread;
	bool has_codes, allows;
};

/* ---- letters ---- */

bool desk_is_question(const struct letter *l)
{
	return l->words[LETTER_PROMPT] && text_is(letter_word(l, LETTER_KIND), "question");
}

static const struct prompt *prompt_of(const struct desk *d, const struct letter *l)
{
	return prompts_find(d->options.prompts, letter_word(l, LETTER_PROMPT));
}

static bool is_open(const struct desk *d, const struct letter *l)
{
	const struct prompt *p = prompt_of(d, l);

	return p && p->state == PROMPT_OPEN;
}

static struct letter *closing_of(const struct desk *d, const struct letter *l)
{
	char id[CUSTODY_ID_LEN + 8];

	snprintf(id, sizeof(id), "%.*s!", CUSTODY_ID_LEN, l->words[LETTER_ID]);
	return custody_letter(d->options.custody, text_of(id));
}

/* Do its numbers still mean something in the chat? */
static bool is_known_there(const struct desk *d, const struct letter *l)
{
	const struct letter *end;

	if (!desk_is_question(l) || l->state == LETTER_FAILED)
		return false;
	end = is_open(d, l) ? NULL : closing_of(d, l);
	return !end || (double)d->options.wall_ms() - end->at_ms < LATE_MS;
}

static bool is_in(const struct letter *l, const struct asked_chat *at)
{
	return text_equal(letter_word(l, LETTER_ACCOUNT), at->account) &&
	       text_equal(letter_word(l, LETTER_PEER), at->peer) &&
	       text_equal(letter_word(l, LETTER_THREAD), at->thread);
}

/* Calls each for every question; it stops at the first false. */
static bool each_question(struct desk *d, bool (*each)(void *of, struct letter *l), void *of)
{
	struct link *const lists[] = {custody_over(d->options.custody),
	                              custody_letters(d->options.custody)};

	for (unsigned i = 0; i < 2; i++)
		list_each(lists[i], l) {
			struct letter *one = list_of(l, struct letter, in_all);

			if (desk_is_question(one) && !each(of, one))
				return false;
		}
	return true;
}

static unsigned number_at(const struct letter *l, enum letter_word word)
{
	uint64_t n = 0;

	return text_to_u64(letter_word(l, word), &n) && n < UINT32_MAX / 2 ? (unsigned)n : 0;
}

/* ---- asking ---- */

struct next_number {
	struct desk *desk;
	const struct asked_chat *at;
	unsigned next;
};

static bool count_past(void *of, struct letter *l)
{
	struct next_number *n = of;
	unsigned end = number_at(l, LETTER_NUMBER) + number_at(l, LETTER_TAKES);

	if (is_in(l, n->at) && is_known_there(n->desk, l) && end > n->next)
		n->next = end;
	return true;
}

static void name_letter(const struct prompt *p, const struct asked_chat *at,
                        char id[CUSTODY_ID_LEN + 1])
{
	struct custody_key key = {.channel = text_of(p->id), .account = at->account};
	struct buf where;

	buf_init(&where, 2 * KIB);
	buf_add(&where, at->peer);
	buf_add_char(&where, '\n');
	buf_add(&where, at->thread);
	key.message = buf_text(&where);
	custody_id(&key, p->at_ms, id);
	buf_finish(&where);
}

static bool prepare_question(struct desk *d, const struct prompt *p, const struct asked_chat *at,
                             const char *id)
{
	const struct channel_kind *kind = desk_find_account(d, at->account)->line.kind;
	struct next_number number = {d, at, 1};
	struct outbox_wish wish = {.id = text_of(id),
	                           .run = text_of(p->run),
	                           .account = at->account,
	                           .peer = at->peer,
	                           .thread = at->thread,
	                           .kind = "question"};
	char first[TEXT_U64_MAX], takes[TEXT_U64_MAX];
	struct ballot q;
	bool good;

	each_question(d, count_past, &number);
	ballot_init(&q, p,
	            &(struct ballot_reader){
			    .limit = outbox_room(d->outbox, at->account),
			    .buttons = kind->traits.buttons,
			    .button_chars = kind->traits.button_chars,
			    .first = number.next,
			    .cannot_type = kind->traits.knows_nobody,
			    .only_safe = kind->traits.knows_nobody && !at->allows,
		    });
	wish.text = buf_text(&q.text);
	wish.more[LETTER_PROMPT] = text_of(p->id);
	wish.more[LETTER_NUMBER] = text_of_u64(number.next, first);
	wish.more[LETTER_TAKES] = text_of_u64(q.count, takes);
	wish.more[LETTER_CHOICES] = buf_text(&q.choices);
	if (q.has_buttons)
		wish.more[LETTER_BUTTONS] = TEXT("yes");
	if (q.has_buttons && at->has_codes)
		wish.more[LETTER_CODES] = at->allows ? TEXT("all") : TEXT("safe");
	good = outbox_prepare(d->outbox, &wish);
	ballot_finish(&q);
	return good;
}

/* False: not now. */
static bool ask_at(struct desk *d, const struct prompt *p, const struct asked_chat *at)
{
	const struct desk_account *account = desk_find_account(d, at->account);
	char id[CUSTODY_ID_LEN + 1];

	if (!account || account->is_gone)
		return true;
	name_letter(p, at, id);
	if (map_get(&d->asked, text_of(id)))
		return true;
	if (!custody_letter(d->options.custody, text_of(id)) && !prepare_question(d, p, at, id))
		return false;
	map_set(&d->asked, text_of(id), d);
	return true;
}

static struct asked_chat chat_of_run(const struct desk *d, const struct nexus *x)
{
	const struct config_prompts *config = &d->config->prompts;
	struct asked_chat at = {.account = nexus_word(&x->request, NEXUS_ACCOUNT),
	                        .peer = nexus_word(&x->request, NEXUS_PEER),
	                        .thread = nexus_word(&x->request, NEXUS_THREAD)};

	at.has_codes = x->account->line.kind->traits.knows_nobody;
	for (size_t i = 0; at.has_codes && i < config->to_count; i++) {
		struct text peer, account = text_cut(text_of(config->to[i].chat), ':', &peer);

		at.allows = at.allows || (config->to[i].allow && text_equal(account, at.account) &&
		                          text_equal(peer, at.peer));
	}
	return at;
}

/* The chat that its run came from, and those of the configuration. */
static bool ask_everywhere(struct desk *d, const struct prompt *p)
{
	const struct config_prompts *config = &d->config->prompts;
	const struct nexus *x = map_get(&d->by_run, text_of(p->run));
	struct asked_chat own = {.account = TEXT("")};
	bool good = true;

	if (x)
		own = chat_of_run(d, x);
	if (x)
		good = ask_at(d, p, &own);
	for (size_t i = 0; i < config->to_count; i++) {
		struct asked_chat at = {.has_codes = true, .allows = config->to[i].allow};

		at.account = text_cut(text_of(config->to[i].chat), ':', &at.peer);
		good = ask_at(d, p, &at) && good;
	}
	return good;
}

static bool is_fresh(const struct desk *d, const struct prompt *p)
{
	return !p->claimed && p->at_ms &&
	       (double)d->options.wall_ms() - (double)p->at_ms < FRESH_MS;
}

static void forget_asked(struct desk *d)
{
	map_finish(&d->asked);
	map_init(&d->asked);
}

/* A chat that takes nothing now keeps no question from the others.  False: some are left. */
static bool ask_new(struct desk *d)
{
	bool has_all = true;

	list_each(prompts_open(d->options.prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (p->seq <= d->asked_seq)
			continue;
		has_all = (!is_fresh(d, p) || ask_everywhere(d, p)) && has_all;
		if (has_all)
			d->asked_seq = p->seq;
	}
	if (has_all)
		forget_asked(d);
	return has_all;
}

/* ---- the end of a question ---- */

/* How it ended, under its words where its message is edited. */
static void put_end_words(struct desk *d, const struct letter *l, bool edits, struct buf *out)
{
	const struct prompt *p = prompt_of(d, l);
	struct chunk_limit limit = outbox_room(d->outbox, letter_word(l, LETTER_ACCOUNT));
	struct buf end;

	buf_init(&end, WORDS_MAX);
	ballot_put_end(p, letter_word(l, LETTER_CHOICES), &end);
	if (edits && p && p->words.len) {
		size_t room = chunk_length(limit.unit, buf_text(&end)) + 2;

		ballot_put_words(p, out);
		out->len = chunk_reach(limit.unit, buf_text(out),
		                       limit.max > room ? limit.max - room : 0);
		buf_add(out, TEXT("\n\n"));
	}
	buf_add(out, buf_text(&end));
	buf_finish(&end);
}

static bool tell_end(struct desk *d, const struct letter *l)
{
	const struct desk_account *account = desk_find_account(d, letter_word(l, LETTER_ACCOUNT));
	struct text rest, message = text_cut(letter_word(l, LETTER_MESSAGES), ' ', &rest);
	bool edits = account && account->line.kind->traits.can_edit && message.len && !rest.at;
	struct outbox_wish wish = {.run = letter_word(l, LETTER_RUN),
	                           .account = letter_word(l, LETTER_ACCOUNT),
	                           .peer = letter_word(l, LETTER_PEER),
	                           .thread = letter_word(l, LETTER_THREAD),
	                           .reply_to = message,
	                           .kind = "closed"};
	char id[CUSTODY_ID_LEN + 8];
	struct buf words;
	bool good;

	snprintf(id, sizeof(id), "%.*s!", CUSTODY_ID_LEN, l->words[LETTER_ID]);
	wish.id = text_of(id);
	buf_init(&words, 2 * MIB);
	put_end_words(d, l, edits, &words);
	wish.text = buf_text(&words);
	if (edits)
		wish.more[LETTER_EDITS] = message;
	good = outbox_prepare(d->outbox, &wish);
	buf_finish(&words);
	return good;
}

/* What cannot be told yet is looked at again.  A message that is there is not given up, although
 * its delivery may not be on the disk: who answers quickly is told, too. */
static bool end_question(void *of, struct letter *l)
{
	struct desk *d = of;

	if (is_open(d, l) || l->state == LETTER_FAILED || closing_of(d, l))
		return true;
	if (l->state == LETTER_DELIVERED && tell_end(d, l))
		return true;
	d->has_prompts = true;
	if (l->state != LETTER_DELIVERED && !l->is_out && !l->accepted)
		outbox_give_up(d->outbox, letter_word(l, LETTER_ID));
	return true;
}

/* Where nobody writes, is written to or is named, nobody is asked. */
static bool has_chats(const struct desk *d)
{
	return d->live_count || d->config->prompts.to_count ||
	       !list_is_empty(custody_letters(d->options.custody));
}

void desk_prompts_changed(struct desk *d)
{
	d->has_prompts = true;
	if (d->has_begun && has_chats(d))
		desk_wake(d);
}

int64_t desk_work_prompts(struct desk *d)
{
	if (!d->has_prompts)
		return INT64_MAX;
	d->has_prompts = !ask_new(d);
	each_question(d, end_question, d);
	return d->has_prompts ? d->now_ms + STALL_MS : INT64_MAX;
}

/* ---- answers ---- */

enum back_answer desk_give_answer(struct desk *d, const struct letter *l, struct back_reply *reply,
                                  struct error *why)
{
	const struct back *back = &d->options.back;
	enum back_answer answer;

	reply->prompt = letter_word(l, LETTER_PROMPT);
	reply->may = ANSWERS_PLAIN;
	answer = back->reply(back->self, reply, why);
	if (answer == BACK_UNKNOWN)
		error_set(why, "that question is over");
	return answer;
}

void desk_name_person(const struct nexus_request *r, struct buf *out)
{
	if (r->words[NEXUS_PERSON]) {
		buf_add(out, nexus_word(r, NEXUS_PERSON));
		return;
	}
	if (!r->is_owner) {
		buf_add(out, nexus_word(r, NEXUS_CHANNEL));
		buf_add_char(out, ':');
	}
	buf_add(out, nexus_word(r, NEXUS_SENDER));
}

struct answered {
	struct desk *desk;
	struct asked_chat at;
	bool is_direct;
	struct text said, reply_to;
	struct letter *letter;
	struct buf value;
	unsigned open; /* questions in this chat */
};

static bool count_open(void *of, struct letter *l)
{
	struct answered *a = of;

	a->open += is_in(l, &a->at) && is_open(a->desk, l);
	return true;
}

static bool has_word(struct text words, struct text word)
{
	for (struct text rest = words; rest.at;)
		if (text_equal(text_cut(rest, ' ', &rest), word))
			return true;
	return false;
}

/* Is it clear that they mean this one, whatever they wrote? */
static bool is_meant(const struct answered *a, const struct letter *l, const struct prompt *p)
{
	if (a->reply_to.len && has_word(letter_word(l, LETTER_MESSAGES), a->reply_to))
		return true;
	return p && p->state == PROMPT_OPEN && p->type == PROMPT_TEXT && !p->tool.len &&
	       a->open == 1 && a->is_direct &&
	       map_get(&a->desk->by_run, letter_word(l, LETTER_RUN));
}

static bool is_answer_to(void *of, struct letter *l)
{
	struct answered *a = of;
	const struct prompt *p = prompt_of(a->desk, l);
	struct ballot_asked asked = {.type = p ? p->type : PROMPT_SELECT,
	                             .choices = letter_word(l, LETTER_CHOICES),
	                             .first = number_at(l, LETTER_NUMBER)};

	if (!is_in(l, &a->at) || !is_known_there(a->desk, l))
		return true;
	if (asked.type == PROMPT_TEXT && !number_at(l, LETTER_TAKES))
		return true;
	asked.by_place = is_meant(a, l, p);
	buf_clear(&a->value);
	if (!ballot_read(&asked, a->said, &a->value))
		return true;
	a->letter = l;
	return false;
}

/* The question that is meant, or NULL; and the value. */
static const struct letter *find_answered(struct answered *a)
{
	buf_init(&a->value, 2 * VALUE_MAX);
	each_question(a->desk, count_open, a);
	each_question(a->desk, is_answer_to, a);
	return a->letter;
}

bool desk_is_answer(const struct desk_account *account, const struct channel_inbound *inbound)
{
	struct answered a = {
		.desk = account->desk,
		.at = {text_of(account->line.account), inbound->peer, inbound->thread},
		.is_direct = inbound->kind == CHANNEL_DM,
		.said = text_trim(inbound->text),
		.reply_to = inbound->reply_to,
	};
	bool is_any;

	if (!account->desk->options.prompts)
		return false;
	is_any = find_answered(&a) != NULL;
	buf_finish(&a.value);
	return is_any;
}

enum stage_step desk_read_answer(struct nexus *x, struct text said)
{
	struct answered a = {.desk = x->desk,
	                     .at = {.account = nexus_word(&x->request, NEXUS_ACCOUNT),
	                            .peer = nexus_word(&x->request, NEXUS_PEER),
	                            .thread = nexus_word(&x->request, NEXUS_THREAD)},
	                     .is_direct = x->request.peer_kind == CHANNEL_DM,
	                     .said = said,
	                     .reply_to = nexus_word(&x->request, NEXUS_REPLY_TO)};
	enum back_answer answer = BACK_UNKNOWN;
	struct error why;
	struct buf user;

	if (!x->answers || !x->desk->options.prompts)
		return STAGE_DONE;
	buf_init(&user, 2 * KIB);
	find_answered(&a);
	desk_name_person(&x->request, &user);
	if (a.letter)
		answer = desk_give_answer(x->desk, a.letter,
		                          &(struct back_reply){.value = buf_text(&a.value),
		                                               .who = {.user = buf_text(&user),
		                                                       .screen = a.at.account}},
		                          &why);
	buf_finish(&a.value);
	buf_finish(&user);
	if (!a.letter)
		return STAGE_DONE;
	nexus_set(&x->request, NEXUS_HANDLER, TEXT("answer"));
	stages_exit(x, NEXUS_HANDLED, "it answers a question");
	if (answer == BACK_TAKEN || answer == BACK_DONE)
		return STAGE_EXITS;
	x->notice = must_print("That was not taken: %s.", why.words);
	return STAGE_SKIPS;
}
