/* desk_press.c - buttons under questions: pressed by a person, or by whoever has a code. */
#include <stdlib.h>

#include "base/must.h"
#include "deliver/ballot.h"
#include "deliver/desk_prompts.h"
#include "deliver/stages.h"

#define WORDS_MAX (4 * KIB)
#define NOT_TAKEN "That was not taken: %s."

/* An answer that is not on the disk yet, and of whom. */
struct desk_pressed {
	struct desk_account *account;
	char *press, *value, *sender, *peer;
	enum channel_peer kind;
	struct link in_desk; /* desk.pressed */
};

/* A press is judged as a message of that person in that chat would be. */
static bool may_press(struct desk_account *account, const struct channel_press *press,
                      const struct letter *l, struct buf *user)
{
	struct nexus x = {.desk = account->desk, .account = account};
	struct nexus_request *r = &x.request;
	bool may;

	nexus_set(r, NEXUS_CHANNEL, text_of(account->line.kind->name));
	nexus_set(r, NEXUS_ACCOUNT, text_of(account->line.account));
	nexus_set(r, NEXUS_SENDER, press->sender);
	nexus_set(r, NEXUS_PEER, letter_word(l, LETTER_PEER));
	r->peer_kind =
		text_equal(press->sender, letter_word(l, LETTER_PEER)) ? CHANNEL_DM : press->kind;
	r->is_mentioned = true;
	may = stages_admit(&x, account->desk->now_ms) && x.answers;
	desk_name_person(r, user);
	nexus_finish(r);
	return may;
}

static void free_pressed(struct desk_pressed *p)
{
	list_remove(&p->in_desk);
	free(p->press);
	free(p->value);
	free(p->sender);
	free(p->peer);
	free(p);
}

/* The answer is on the disk: not before that the platform hears that it was taken. */
static void press_is_kept(void *of, const struct back_verdict *verdict)
{
	struct desk_pressed *p = of;
	struct desk_account *account = p->account;
	struct channel_press press = {.press = text_of(p->press),
	                              .value = text_of(p->value),
	                              .sender = text_of(p->sender),
	                              .peer = text_of(p->peer),
	                              .kind = p->kind};
	struct buf words;

	buf_init(&words, WORDS_MAX);
	if (verdict->answer == BACK_DONE)
		buf_add(&words, TEXT("Taken."));
	else
		buf_print(&words, NOT_TAKEN, verdict->why->words);
	if (account->line.channel && account->line.kind->tell)
		account->line.kind->tell(account->line.channel, &press, buf_text(&words));
	buf_finish(&words);
	desk_wake(account->desk);
	free_pressed(p);
}

/* There are no more of them than open questions: each is answered once. */
static struct desk_pressed *keep_press(struct desk_account *account,
                                       const struct channel_press *press)
{
	struct desk_pressed *p = must_zero(1, sizeof(*p));

	p->account = account;
	p->press = text_dup(press->press);
	p->value = text_dup(press->value);
	p->sender = text_dup(press->sender);
	p->peer = text_dup(press->peer);
	p->kind = press->kind;
	list_init(&p->in_desk);
	list_add(&account->desk->pressed, &p->in_desk);
	return p;
}

/* It is told later that the answer was taken; the words say else why not. */
static void give_pressed(struct desk_account *account, const struct channel_press *press,
                         const struct letter *l, struct back_reply *reply, struct buf *words)
{
	struct desk_pressed *kept = keep_press(account, press);
	struct error why;

	reply->ear = (struct back_ear){press_is_kept, kept};
	if (desk_give_answer(account->desk, l, reply, &why) == BACK_TAKEN)
		return;
	free_pressed(kept);
	buf_print(words, NOT_TAKEN, why.words);
}

/* Without words: it was taken, and is told so later. */
static void press_choice(struct desk_account *account, const struct channel_press *press,
                         struct buf *words)
{
	struct desk *d = account->desk;
	struct text delivery;
	unsigned index = 0;
	const struct letter *l = button_read(press->value, &delivery, &index)
	                                 ? custody_letter(d->options.custody, delivery)
	                                 : NULL;
	struct buf user, value;

	buf_init(&user, 2 * KIB);
	buf_init(&value, 2 * PROMPT_VALUE_MAX);
	if (!l || !desk_is_question(l) ||
	    !text_is(letter_word(l, LETTER_ACCOUNT), account->line.account) ||
	    !ballot_choice(letter_word(l, LETTER_CHOICES), index, &value, NULL))
		buf_add(words, TEXT("That was not taken: there is no such question."));
	else if (!may_press(account, press, l, &user))
		buf_add(words, TEXT("You may not answer here."));
	else
		give_pressed(
			account, press, l,
			&(struct back_reply){.value = buf_text(&value),
		                             .who = {.user = buf_text(&user),
		                                     .screen = text_of(account->line.account)}},
			words);
	buf_finish(&user);
	buf_finish(&value);
}

void desk_press(struct desk_account *account, const struct channel_press *press)
{
	struct buf words;

	if (account->desk->is_ending || !account->desk->options.prompts)
		return;
	buf_init(&words, WORDS_MAX);
	press_choice(account, press, &words);
	if (words.len)
		account->line.kind->tell(account->line.channel, press, buf_text(&words));
	buf_finish(&words);
}

bool desk_has_pressed(const struct desk_account *account)
{
	list_each(&account->desk->pressed, l)
		if (list_of(l, struct desk_pressed, in_desk)->account == account)
			return true;
	return false;
}

void desk_forget_presses(struct desk *d)
{
	const struct back *back = &d->options.back;

	list_each(&d->pressed, l) {
		struct desk_pressed *p = list_of(l, struct desk_pressed, in_desk);

		back->forget(back->self, p);
		free_pressed(p);
	}
}

enum back_answer desk_press_code(struct desk *d, struct text code, const struct back_ear *ear,
                                 struct error *why)
{
	const struct letter *l = NULL;
	struct text pressed, delivery;
	enum back_answer answer;
	struct buf user, value;
	unsigned index = 0;

	error_set(why, "there is no such code");
	if (!d->is_ending && d->options.prompts &&
	    button_read_code(&d->options.codes, code, &pressed) &&
	    button_read(pressed, &delivery, &index))
		l = custody_letter(d->options.custody, delivery);
	if (!l || !desk_is_question(l) || !button_has_code(l, index))
		return BACK_UNKNOWN;
	buf_init(&user, 2 * KIB);
	buf_init(&value, 2 * PROMPT_VALUE_MAX);
	buf_add(&user, letter_word(l, LETTER_CHANNEL));
	buf_add_char(&user, ':');
	buf_add(&user, letter_word(l, LETTER_PEER));
	ballot_choice(letter_word(l, LETTER_CHOICES), index, &value, NULL);
	answer = desk_give_answer(
		d, l,
		&(struct back_reply){
			.value = buf_text(&value),
			.who = {.user = buf_text(&user), .screen = letter_word(l, LETTER_ACCOUNT)},
			.ear = *ear},
		why);
	buf_finish(&user);
	buf_finish(&value);
	return answer;
}
