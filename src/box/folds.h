/* folds.h - what is folded from the journal, in a box. */
#ifndef BOX_FOLDS_H
#define BOX_FOLDS_H

#include "net/loop.h"

#define BOX_FOLDS_MAX 16

struct box;
struct folds;
struct runs;

struct follower {
	struct loop *loop;
	struct folds *folds;
	struct runs *runs;
	struct turn turn;
	struct deadline tick; /* set while there is something to fold */
	bool is_ticking;
};

void box_make_runs(struct box *box);
void box_make_folds(struct box *box);  /* those that nobody else makes */
void box_free_folds(struct box *box);  /* the journal is closed */
void box_open_folds(struct box *box);  /* the past of all, and what comes */
void box_close_folds(struct box *box); /* the journal is about to close */

#endif
