/* errands.h - the life of an errand: a request that tells a platform something.
 *
 * What nobody heard goes again, three times in all and later each time; of one that may have been
 * taken, nobody knows.  A chat has so many errands at once: more are answered with CHANNEL_LATER,
 * and errands_ready() says when they may come.
 */
#ifndef DELIVER_ERRANDS_H
#define DELIVER_ERRANDS_H

#include "base/buf.h"
#include "base/list.h"
#include "deliver/channel.h"
#include "net/request.h"

struct errands;

/* The first member of a platform's own. */
struct channel_errand {
	struct errands *all;
	struct link in_all; /* errands.list */
	enum channel_act act;
	unsigned piece, tries;
	char *delivery;  /* or NULL */
	bool is_aside;   /* nobody waits for its end: it goes once */
	bool may_repeat; /* twice is as good as once */
	bool has_body, has_left;
	int64_t due_ms; /* of one that goes later; 0: it is under way */
	struct request *request;
	struct request_head head; /* of the answer: its status and retry_after_ms */
	struct buf answer;
};

struct errands_kind {
	size_t size;       /* of the platform's own */
	size_t answer_max; /* bytes */
	size_t most;       /* errands at once */
	unsigned total_ms; /* for one request */
	const char *full;  /* words of what comes when there are as many, or too soon */
	/* Makes the request, with the callbacks and limits of the options.  NULL: why. */
	struct request *(*start)(struct channel_errand *c, struct request_options *o,
	                         struct error *why);
	/* The answer is there: errands_end() or errands_start() follows. */
	void (*judge)(struct channel_errand *c);
	void (*drop)(struct channel_errand *c); /* frees what is the platform's own, but not c */
	/* Optional: it fails; else it ends with these. */
	void (*fail)(struct channel_errand *c, enum channel_answer answer, const char *why);
	/* Optional: when it may go. */
	int64_t (*ready)(struct channel_errand *c, int64_t now_ms);
};

struct errands {
	const struct errands_kind *kind;
	const struct channel_options *options;
	const char *secrets[2]; /* that no words have, or NULL; they live as long as the chat */
	struct link list;       /* errand.in_all */
	size_t count;
	uint64_t seed;
};

void errands_init(struct errands *all, const struct errands_kind *kind,
                  const struct channel_options *options);
void errands_finish(struct errands *all);                  /* nothing is answered any more */
int64_t errands_tick(struct errands *all, int64_t now_ms); /* when it wants to be called again */
int64_t errands_ready(const struct errands *all, int64_t now_ms); /* when one more may come */
int64_t errands_now(const struct errands *all);

/* With the act and name of the message; errands_start() or errands_wait() follows. */
struct channel_errand *errands_make(struct errands *all, const struct channel_message *m,
                                    enum channel_act act);
void errands_start(struct channel_errand *c);                  /* also for its next request */
void errands_wait(struct channel_errand *c, int64_t until_ms); /* it goes then */
void errands_again(struct channel_errand *c, const char *why); /* in a moment, or it fails */

/* Its end.  Texts may be of the errand itself; ids have ERRANDS_ID_MAX bytes at most. */
#define ERRANDS_ID_MAX 127
#define ERRANDS_WHY_MAX 200
void errands_end(struct channel_errand *c, enum channel_answer answer, struct text message,
                 struct text words);
void errands_drop(struct channel_errand *c); /* without a word */

/* A message that no errand is made of: it comes later, or never. */
void errands_refuse(const struct errands *all, const struct channel_message *m,
                    enum channel_act act, const struct channel_result *how);

char *errands_keep(struct text t); /* a copy, or NULL of an empty one */

#endif
