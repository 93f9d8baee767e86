/* asking.h - requests of agents that have several questions, asked one after the other.
 *
 * Each question is a prompt, whose id is the prefix, the id of the request and `#N`, or `#N+` for a
 * text of one's own.  All answers go back in one (question.h).  What was answered so far of several
 * lives as long as the box: after a restart they are asked again.
 */
#ifndef SOURCE_ASKING_H
#define SOURCE_ASKING_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"

#define ASKING_ID_MAX 128                      /* bytes of the id of a request */
#define ASKING_PROMPT_MAX (ASKING_ID_MAX + 64) /* and of a prompt, with its end */
#define ASKING_ANSWERS_MAX (1 * MIB)

struct asking;
struct source;

/* All that one source asks. */
struct askings {
	struct source *source;
	const char *prefix; /* of the ids of prompts, at most 32 bytes */
	size_t record_max;  /* bytes of a request; a longer one is not asked about */
	/* Appends .values to .answers, as who asks wants to have them. */
	void (*answer)(struct asking *q, yyjson_val *record);
	struct link all; /* asking.in_all, the oldest first */
	unsigned count;
};

struct asking {
	struct askings *askings;
	struct link in_all;
	char id[ASKING_ID_MAX + 1];
	char session[ASKING_ID_MAX + 1]; /* for who asks; or empty */
	char *record;                    /* the request, as JSON */
	size_t n, count;   /* the one that is asked, of so many; n is count: all are */
	bool own;          /* for a text of one's own */
	struct buf values; /* that were chosen for it so far */
	struct buf answers;
	bool is_sent;
	bool is_listed; /* on this connection, or heard */
	char *note;     /* why it is asked again, or NULL */
};

/* The members up to `all` are set. */
void askings_init(struct askings *all);
void askings_forget(struct askings *all);
void askings_unlist(struct askings *all);

/* By its own id, or by that of the prompt in which it is asked now; NULL: there is none. */
struct asking *asking_find(const struct askings *all, struct text id);
struct asking *asking_of_prompt(const struct askings *all, struct text prompt);
void asking_prompt(const struct asking *q, char out[ASKING_PROMPT_MAX]);

/* The one with the `id` of this request, which is kept if it is new: of too many the oldest is
 * withdrawn.  NULL: nobody can be asked about it. */
struct asking *asking_learn(struct askings *all, yyjson_val *record);

/* A value for the question that is asked.  True: that was the last. */
bool asking_take(struct asking *q, struct text value);
void asking_begin_again(struct asking *q, const char *note);

/* `"type":...,"prompt":...`: members of the prompt beside its id; how: of question_how. */
void asking_members(const struct asking *q, yyjson_val *record, unsigned how, struct buf *out);
/* Texts of an array, with commas. */
void asking_add_texts(struct buf *out, yyjson_val *texts);
size_t asking_number(const struct asking *q); /* of the question that its prompt is about */

/* It is over, and forgotten: nobody asks any more, or it was decided. */
void asking_withdraw(struct asking *q, const char *why);
void asking_decide(struct asking *q, bool is_elsewhere, struct text decision);

#endif
