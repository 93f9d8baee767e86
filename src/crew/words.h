/* words.h - a session of roll.h in words, for terminals: the command line and the terminal UI
 * say the same; pure.
 *
 * Each adds to what is there.  Texts of agents come out as they are: who shows them makes them
 * safe.  What is not known adds nothing.
 */
#ifndef CREW_WORDS_H
#define CREW_WORDS_H

#include <yyjson.h>

#include "base/buf.h"
#include "crew/state.h"

/* "thinking", "Bash npm test", "waits for you", "failed: no credit". */
void words_state(struct buf *out, yyjson_val *state);
/* How long it is in it: "44s"; of what is over nothing. */
void words_clock(struct buf *out, yyjson_val *state, double now_ms);
/* "44s", "3m", "1h 5m", "3d". */
void words_age(struct buf *out, double ms);

void words_plan(struct buf *out, yyjson_val *member);   /* "2/5" */
void words_tokens(struct buf *out, yyjson_val *member); /* "81k": all kinds together */
void words_cost(struct buf *out, yyjson_val *member);   /* words_spent() of its usage */

/* One figure has one wording: these are the rules of the page, too (ui/src/crew/words.ts). */
void words_amount(struct buf *out, double count);     /* "999", "1.2k", "12k", "3.4M", "5.6G" */
void words_money(struct buf *out, double dollars);    /* "< $0.01", "$1.23", "$1,235" */
void words_spent(struct buf *out, yyjson_val *usage); /* "≥ $1.23": at least; "unknown" */

/* "12 %", below ten "0.5 %". */
void words_percent(struct buf *out, double percent);

/* "2 wait for you, 1 failed, 5 at work, 3 idle"; of those that are over nothing. */
void words_groups(struct buf *out, const size_t counts[GROUPS]);

#endif
