/* hold.c - see hold.h. */
#include "cli/hold.h"

#define REPEAT_MS 120   /* keys that are held repeat faster than this */
#define FIRST_MS 800    /* and begin with it before this */
#define RELEASED_MS 300 /* without a repeat */

static enum hold_says end_hold(struct hold *hold)
{
	hold_close(hold);
	return HOLD_ENDS;
}

enum hold_says hold_press(struct hold *hold, uint64_t now_ms)
{
	bool is_repeat = hold->last_ms && now_ms - hold->last_ms < REPEAT_MS;

	hold->last_ms = now_ms;
	if (!hold->is_open && is_repeat)
		return HOLD_NOTHING; /* of a press that ended it */
	if (!hold->is_open) {
		hold->is_open = true;
		hold->began_ms = now_ms;
		return HOLD_BEGINS;
	}
	if (is_repeat || hold->is_held) {
		hold->is_held = true;
		hold->is_doubtful = false;
		return HOLD_NOTHING;
	}
	if (hold->is_doubtful || now_ms - hold->began_ms >= FIRST_MS)
		return end_hold(hold);
	hold->is_doubtful = true;
	return HOLD_NOTHING;
}

/* What may pass after the last press; 0: as long as it likes. */
static uint64_t pause_of(const struct hold *hold)
{
	return hold->is_doubtful ? REPEAT_MS : hold->is_held ? RELEASED_MS : 0;
}

enum hold_says hold_look(struct hold *hold, uint64_t now_ms)
{
	uint64_t pause = pause_of(hold);

	return pause && now_ms - hold->last_ms >= pause ? end_hold(hold) : HOLD_NOTHING;
}

int hold_patience(const struct hold *hold, uint64_t now_ms)
{
	uint64_t pause = pause_of(hold), since = now_ms - hold->last_ms;

	return !pause ? -1 : since < pause ? (int)(pause - since) : 0;
}

void hold_close(struct hold *hold)
{
	*hold = (struct hold){.last_ms = hold->last_ms};
}
