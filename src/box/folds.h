/* folds.h - what is folded from the journal, in a box. */
#ifndef BOX_FOLDS_H
#define BOX_FOLDS_H

#include "net/loop.h"

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
void box_open_folds(struct box *box);  /* the past of all, and what comes */
void box_close_folds(struct box *box); /* the journal is about to close */

#endif
