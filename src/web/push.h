/* push.h - Web Push, as this room sees it: whom to tell, and what a browser is told about us. */
#ifndef WEB_PUSH_H
#define WEB_PUSH_H

#include "base/error.h"
#include "base/text.h"

struct device_push;
struct web;

struct web_push {
	void *self;
	const char *(*key)(void *self); /* NULL: there is no push here */
	/* Could what a browser says be used? */
	bool (*takes)(void *self, const struct device_push *row, struct error *why);
};

/* Those of paired devices who want to be told; and one whose service has forgotten it. */
void web_each_push(struct web *web, void (*fn)(void *self, const struct device_push *row),
                   void *self);
void web_forget_push(struct web *web, struct text endpoint);

#endif
