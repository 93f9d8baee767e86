/* test_outbox.h - an outbox with a channel that does as a script says, for tests. */
#ifndef DELIVER_TEST_OUTBOX_H
#define DELIVER_TEST_OUTBOX_H

#include "deliver/outbox_inside.h"

/* Of two pieces. */
#define LONG "The first sentence is of this length. The second one follows it. Then a third."

struct test_script {
	enum channel_answer answer;
	bool is_silent;
	enum channel_answer found;
	enum channel_answer changed; /* of edits and removals */
	enum outbox_file file;
	bool is_refusing_files;
};

extern struct custody *custody;
extern struct outbox *outbox;
extern struct channel_kind kind;
extern struct outbox_line line; /* of the account "desk" */
extern int64_t now_ms, wall_jump_ms;
extern char sent[4096]; /* what left, a line each */
extern unsigned looks;
extern struct test_script script;
extern const char *media; /* of what is prepared, or NULL */

int open_outbox(void **state);
int close_outbox(void **state);
void restart(void); /* as after a kill: what is in the journal is all there is */
int64_t wall_ms(void);

void prepare(const char *id, const char *text, const char *of_kind); /* for "ada" */
void draft(const char *text);                                        /* all of it is there */
void finish(const char *text);
enum letter_state state_of(const char *id);

/* The disk has all that was told so far; then there may be more to do. */
void sync_once(void);
void sync_all(void);

#endif
