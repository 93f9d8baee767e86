/* show.h - the door through which web reaches the show. */
#ifndef WEB_SHOW_H
#define WEB_SHOW_H

#include "base/error.h"
#include "base/text.h"

/* trouble: it could not be kept, and all is as it was; NULL: there was none. */
typedef void web_used_fn(void *of, const struct error *trouble);

struct web_show {
	void *self;
	struct text (*document)(void *self); /* until the next use() */
	struct text (*tag)(void *self);      /* differs when the document does */
	/* Plays another document and keeps it; not while one is under way.  used() is
	 * called once, later, unless it is forgotten before.  NULL: it is no show, and
	 * why begins with a JSON pointer. */
	void *(*use)(void *self, struct text json, web_used_fn *used, void *of, struct error *why);
	void (*forget)(void *self, void *use);
	bool (*run)(void *self, bool on); /* false: it was so already */
};

#endif
