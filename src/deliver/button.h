/* button.h - buttons under a question: what they are called, and what comes back when one is
 * pressed.
 *
 * The value of a button names the delivery and the choice.  A channel that knows who presses
 * gives it back with the person.  One that does not has a code for each, VALUE.MAC: 128 bit that
 * the key of the box makes of the value, so that nobody keeps them and nobody guesses one.
 */
#ifndef DELIVER_BUTTON_H
#define DELIVER_BUTTON_H

#include "deliver/letter.h"
#include "deliver/wrote.h"

#define BUTTONS_MAX 50
#define BUTTON_VALUE_MAX 64 /* bytes: what the narrowest platform gives back */
#define BUTTON_MAC_LEN 32   /* 128 bit */
#define BUTTON_CODE_MAX (BUTTON_VALUE_MAX + 1 + BUTTON_MAC_LEN)
#define BUTTON_KEY 32

/* Its value comes back as it was sent. */
struct channel_press {
	struct text press; /* the platform's id of it, for tell() */
	struct text value, sender, sender_name, peer;
	enum channel_peer kind; /* of the chat; one that is called as the person is, is a DM */
};

struct channel_button {
	struct text label, value;
	struct text code; /* that POST /api/press takes; empty: it has none */
};

struct button_codes {
	const unsigned char *key; /* BUTTON_KEY bytes; NULL: there are no codes */
};

/* The buttons of a letter; none, where it has none. */
struct buttons {
	struct channel_button at[BUTTONS_MAX];
	char values[BUTTONS_MAX][BUTTON_VALUE_MAX + 1];
	char codes[BUTTONS_MAX][BUTTON_CODE_MAX + 1];
	unsigned count;
	yyjson_doc *doc;
};
void buttons_init(struct buttons *b, const struct letter *l, const struct button_codes *codes);
void buttons_finish(struct buttons *b);

/* Of a value; false: it is none. */
bool button_read(struct text value, struct text *delivery, unsigned *index);

/* The value of a code that is right. */
bool button_read_code(const struct button_codes *codes, struct text code, struct text *value);
/* Has this choice of the letter a code? */
bool button_has_code(const struct letter *l, unsigned index);

#endif
