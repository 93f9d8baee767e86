/* show.h - the show in a box: played, remembered, kept on the disk. */
#ifndef BOX_SHOW_H
#define BOX_SHOW_H

#include "base/buf.h"

struct box;

/* ---- show.c ---- */

void box_make_show(struct box *box); /* there is a theatre, and no document but its own */
void box_wake_show(struct box *box, uint64_t until); /* it has played all up to this signal */
void box_open_show(struct box *box); /* it goes on where it was, with the document it has */
void box_destroy_show(struct box *box);
void box_save_show(struct box *box, struct buf *out);
void box_show_status(struct box *box, struct buf *out); /* of GET /api/status */
uint64_t box_show_skipped(const struct box *box);       /* signals, by the theatre or by us */
void box_look_at_stage(void *self, struct buf *out);
struct native_stage box_stage(struct box *box);
/* Who changes the show tells this time, and then arms its timer.  Until it is open it is
 * before all signals. */
double box_show_now(struct box *box);
void box_show_arm(struct box *box);

/* ---- show_past.c ---- */

struct show_past {
	uint64_t after, until; /* signals of the journal */
	uint64_t ns;           /* of the processor, that may be taken for it */
	double now_ms;         /* each is played at its own time, and none after this */
	unsigned wait_ms;      /* for the disk, all in all */
};
uint64_t box_play_past(struct box *box, const struct show_past *past); /* how far it came */

/* ---- show_store.c ---- */

void box_load_show(struct box *box); /* the document of DATA, if there is a good one */
struct web_show box_show_door(struct box *box);

#endif
