/* sources.c - the sources, to the clients that want to know of them: all of
 * them once, then what changed.
 *
 * It goes to each client's private buffer.  One that does not read is not sent one
 * change after the other: it gets all of them again when it has caught up. */
#include "native/inside.h"

#include "base/put.h"

#define SOURCES_MAX_BYTES (32 * MIB)

void native_say_sources(struct native_view *view)
{
	const struct native_options *o = &native_of(view)->options;
	struct buf out;

	view->owed_sources = false;
	buf_init(&out, SOURCES_MAX_BYTES);
	put_object(&out, NULL);
	put_word(&out, "op", "sources");
	put_key(&out, "all");
	o->sources(o->self, &out);
	put_key(&out, "protocols");
	o->protocols(&out);
	buf_add_char(&out, '}');
	native_say(view->client, &out);
}

static void tell_sources(struct native_view *view, const struct buf *news)
{
	if (client_is_slow(view->client))
		view->owed_sources = true;
	else
		client_say_frame(view->client, WS_OP_TEXT, buf_text(news));
}

void native_tell_sources(struct native *native, const struct news *news)
{
	struct buf out;

	buf_init(&out, SOURCES_MAX_BYTES);
	list_each(&native->views, l) {
		struct native_view *view = list_of(l, struct native_view, in_all);

		if (!view->hears_sources)
			continue;
		if (out.len == 0) {
			put_object(&out, NULL);
			put_word(&out, "op", "sources");
			put_json(&out, "changed", news->changed);
			put_json(&out, "removed", news->removed);
			buf_add_char(&out, '}');
		}
		tell_sources(view, &out);
	}
	buf_finish(&out);
}
