/* irc_line.h - lines of IRC: read from a server, and made of a text; pure. */
#ifndef DELIVER_IRC_LINE_H
#define DELIVER_IRC_LINE_H

#include "base/buf.h"
#include "base/text.h"

#define IRC_LINE_MAX 512   /* bytes of a line, its end included, tags aside */
#define IRC_INPUT_MAX 8704 /* of one that a server sends, with its tags */
#define IRC_PARAMS_MAX 15

struct irc_line {
	struct text account, msgid;   /* tags; empty: it has none */
	bool is_bot;                  /* likewise: the server says that it is of a program */
	struct text nick, user, host; /* of its prefix; a server is a nick alone */
	struct text command;
	struct text params[IRC_PARAMS_MAX];
	unsigned count;
};

/* A line without its end.  False: it is none.  The views point into it. */
bool irc_read(struct irc_line *line, struct text text);
/* Is it of a program, by what its prefix says: of a server, or of services? */
bool irc_is_service(const struct irc_line *line);
struct text irc_param(const struct irc_line *line, unsigned at); /* empty: there is none */

/* What a person wrote, without colours and other marks of terminals. */
void irc_add_words(struct buf *out, struct text text);

/* Is nick spoken to: "nick: ...", "nick, ..." or its name as a word?  rest gets the text without
 * an address before it. */
bool irc_mentions(struct text text, struct text nick, struct text *rest);

/* The next line of a text that is sent, at most max bytes in whole characters; *at goes behind it.
 * A long line ends at a space if it can; spaces at its end, and lines without a word, are left
 * out.  False at the end. */
bool irc_next(struct text text, size_t max, size_t *at, struct text *line);

/* How long the next line waits, so that a server does not take us for a flood; 0: it may leave, and
 * is counted.  Four leave at once, then one a second. */
#define IRC_LINES_AT_ONCE 4
#define IRC_LINE_MS 1000
struct irc_pace {
	uint64_t paid_ms; /* until when the lines that have left are paid for */
};
unsigned irc_pay_line(struct irc_pace *pace, uint64_t now_ms);

/* A name that may stand in a command: no space, no control, no colon or comma before it. */
bool irc_is_name(struct text name);

#endif
