/* matters.c - news that reach a person without looking, to the clients that want to know: all
 * that stand, then each that is raised or settled.  A client that does not read gets all of them
 * again when it has caught up. */
#include "base/put.h"
#include "native/inside.h"

#define MATTERS_SAID_MAX (4 * MIB)

void native_say_matters(struct native_view *view)
{
	const struct native_options *o = &native_of(view)->options;
	struct buf out;

	view->owed_matters = false;
	buf_init(&out, MATTERS_SAID_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "matters");
	o->matters(o->self, &out);
	put_end(&out);
	client_make_room(view->client, out.len);
	native_say(view->client, &out);
}

void native_follow_matters(struct native_view *view)
{
	view->hears_matters = true;
	native_say_matters(view);
}

void native_tell_matters(struct native *native, const struct news *news)
{
	list_each(&native->views, l) {
		struct native_view *view = list_of(l, struct native_view, in_all);
		struct buf out;

		if (!view->hears_matters)
			continue;
		if (client_is_slow(view->client) || (!news->changed.len && !news->removed.len)) {
			view->owed_matters = true;
			client_work(view->client);
			continue;
		}
		buf_init(&out, MATTERS_SAID_MAX);
		put_object(&out, NULL);
		put_word(&out, "op", "matters");
		put_json(&out, "raised", news->changed.len ? news->changed : TEXT("[]"));
		put_json(&out, "settled", news->removed.len ? news->removed : TEXT("[]"));
		put_end(&out);
		client_make_room(view->client, out.len);
		native_say(view->client, &out);
	}
}
