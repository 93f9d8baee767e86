/* desk_press.c - buttons under questions: pressed by a person, or by whoever has a code. */
#include "deliver/ballot.h"
#include "deliver/desk_prompts.h"
#include "deliver/stages.h"

#define WORDS_MAX (4 * KIB)

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
	r->peer_kind = press->is_dm || text_equal(press->sender, letter_word(l, LETTER_PEER))
	                       ? CHANNEL_DM
	                       : CHANNEL_GROUP;
	r->is_mentioned = true;
	may = stages_admit(&x, account->desk->now_ms) && x.answers;
	desk_name_person(r, user);
	nexus_finish(r);
	return may;
}

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
	struct error why;

	buf_init(&user, 2 * KIB);
	buf_init(&value, 2 * PROMPT_VALUE_MAX);
	if (!l || !desk_is_question(l) ||
	    !text_is(letter_word(l, LETTER_ACCOUNT), account->line.account) ||
	    !ballot_choice(letter_word(l, LETTER_CHOICES), index, &value, NULL))
		buf_add(words, TEXT("That was not taken: there is no such question."));
	else if (!may_press(account, press, l, &user))
		buf_add(words, TEXT("You may not answer here."));
	else if (desk_give_answer(
			 d, l,
			 &(struct back_reply){.value = buf_text(&value),
	                                      .who = {.user = buf_text(&user),
	                                              .screen = text_of(account->line.account)}},
			 &why) == BACK_TAKEN)
		buf_add(words, TEXT("Taken."));
	else
		buf_print(words, "That was not taken: %s.", why.words);
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
	account->line.kind->tell(account->line.channel, press, buf_text(&words));
	buf_finish(&words);
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
