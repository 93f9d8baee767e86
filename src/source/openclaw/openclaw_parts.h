/* openclaw_parts.h - what the files of one connection to a gateway do for each other. */
#ifndef SOURCE_OPENCLAW_PARTS_H
#define SOURCE_OPENCLAW_PARTS_H

#include "parse/openclaw_wire.h"
#include "parse/operator.h"
#include "source/openclaw/openclaw.h"

#define OPENCLAW_SCOPES "operator.read,operator.write,operator.approvals,operator.questions"

/* A request of ours.  answer: NULL when there is none, and will be none. */
struct openclaw_wait {
	struct openclaw *line;
	uint64_t id;
	void (*take)(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer);
	char *what; /* it was about; or NULL */
	uint64_t token;
	struct deadline late;
	struct link in_line; /* openclaw.waits */
};

/* ---- openclaw.c ---- */

/* A request; its id.  0 when it could not be sent. */
uint64_t openclaw_request(struct openclaw *o, const char *method, struct text params);
void openclaw_lose(struct openclaw *o, const struct loss *loss); /* reports it, once */
/* The same connection again, with another token.  False: that could not begin, and the
 * loss was reported. */
bool openclaw_redial(struct openclaw *o);

/* ---- openclaw_hello.c ---- */

void openclaw_take_challenge(struct openclaw *o, yyjson_val *payload);
void openclaw_take_hello(struct openclaw *o, yyjson_val *answer);
struct text openclaw_refusal(yyjson_val *answer); /* its words; never empty */

/* ---- openclaw_wait.c ---- */

/* Likewise a request, and take() gets its answer.  what and token are the wait's own. */
struct openclaw_asked {
	const char *method;
	struct text params, what;
	uint64_t token;
	void (*take)(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer);
};
bool openclaw_wait(struct openclaw *o, const struct openclaw_asked *asked);
bool openclaw_answered(struct openclaw *o, uint64_t id, yyjson_val *answer);
void openclaw_drop_waits(struct openclaw *o); /* none will be answered */
bool openclaw_is_ok(yyjson_val *answer);

/* ---- openclaw_sync.c ---- */

void openclaw_sync(struct openclaw *o);                      /* the connection was made */
void openclaw_sync_gap(struct openclaw *o, uint64_t missed); /* some of its events did not come */
void openclaw_stop_sync(struct openclaw *o);

/* ---- openclaw_runs.c ---- */

bool openclaw_ask(void *self, const struct back_ask *ask, struct error *why);
bool openclaw_can(void *self, struct text run, struct text op);
enum back_answer openclaw_cancel(void *self, const struct back_control *control, struct error *why);
/* The gateway was asked to end it, and says what became of that.  answer: NULL, it does not. */
void openclaw_stop_answered(struct openclaw *o, const struct openclaw_wait *wait,
                            yyjson_val *answer);
void openclaw_take_answer(struct openclaw *o, uint64_t id, yyjson_val *answer);
/* Is it to be given?  run gets its id, or nothing. */
bool openclaw_heard(struct openclaw_memory *m, struct text envelope, struct text *run);
void openclaw_give(struct openclaw_memory *m, struct text run,
                   struct text envelope);                                   /* to the bus */
void openclaw_recall_run(void *memory, struct text run, struct text place); /* of the last life */
void openclaw_expect_chat(struct openclaw_memory *m);               /* the ends that it owes */
void openclaw_end_runs(struct openclaw_memory *m, const char *why); /* each in an error */
void openclaw_drop_runs(struct openclaw_memory *m); /* without a word: the next life goes on */
/* The line is lost, and will be back: those that were begun may go on. */
void openclaw_cut_runs(struct openclaw_memory *m, const char *why);
void openclaw_end_cut_runs(struct openclaw_memory *m, const char *why); /* they did not */
/* What a transcript says of them: they do. */
void openclaw_go_on(struct openclaw_memory *m, yyjson_val *history);
void openclaw_each_session(struct openclaw_memory *m, void (*each)(void *of, struct text session),
                           void *of);
void openclaw_time_runs(struct openclaw *o); /* anew, or not while it is hushed */

/* ---- openclaw_back.c ---- */

bool openclaw_reply(void *self, const struct back_outcome *reply, struct error *why);
void openclaw_list_approvals(struct openclaw *o); /* those that are open, and only those */
void openclaw_note(struct openclaw *o, enum openclaw_event event, yyjson_val *payload);
/* ticket: who waits for a verdict; 0: nobody. */
bool openclaw_abort(struct openclaw *o, struct text run, struct text session, uint64_t ticket);
bool openclaw_is_decided(const struct openclaw *o, struct text id); /* on this connection */
void openclaw_note_decided(struct openclaw *o, struct text id);
bool openclaw_can_stop(const struct openclaw *o, struct text run);
bool openclaw_stop_heard(struct openclaw *o, const struct back_control *control);
void openclaw_is_over(struct openclaw_memory *m, struct text run);
void openclaw_hear_of(struct openclaw_memory *m, struct text run, struct text session);
void openclaw_forget_heard(struct openclaw_memory *m);

/* ---- openclaw_questions.c ---- */

void openclaw_list_questions(struct openclaw *o); /* those that are open, and only those */
void openclaw_note_question(struct openclaw *o, enum openclaw_event event, yyjson_val *payload);
bool openclaw_is_question(struct text id); /* the id of a prompt */
bool openclaw_answer(struct openclaw *o, const struct back_outcome *reply, struct error *why);
void openclaw_begin_questions(struct openclaw_memory *m);

#endif
