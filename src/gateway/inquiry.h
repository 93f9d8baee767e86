/* inquiry.h - a prompt that takes a text or a choice, as a gateway's question; pure.
 *
 * A gateway's question has at most four options, each with a name of its own.  Where there are
 * more, or two have the same name, they are numbered in the words, and numbers or names are the
 * answer.  Of a choice that is not shown whole only what is safe is offered.
 */
#ifndef GATEWAY_INQUIRY_H
#define GATEWAY_INQUIRY_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/scope.h"

struct prompt;

#define INQUIRY_ID "answer" /* of the one question that is asked at a time */

/* For somebody who may answer so much. */
struct inquiry {
	yyjson_doc *options;
	bool is_listed; /* they are numbered in the words */
	bool is_cut;    /* only the option that is safe is offered */
	enum answers may;
};
void inquiry_init(struct inquiry *q, const struct prompt *p, enum answers may);
void inquiry_finish(struct inquiry *q);

void inquiry_put_words(const struct inquiry *q, const struct prompt *p, struct buf *out);
void inquiry_put_options(const struct inquiry *q, struct buf *out);
/* Of one that was answered: "answers", by the names of options. */
void inquiry_put_answers(const struct inquiry *q, const struct prompt *p, struct buf *out);

/* The option that is meant, by its name as it was shown, or by its number where options are
 * numbered; NULL: none. */
yyjson_val *inquiry_option(const struct inquiry *q, struct text called);

#endif
