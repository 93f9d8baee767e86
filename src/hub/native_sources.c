/* native_sources.c - the sources, to the clients that want to know of them: all of
 * them once, then what changed.
 *
 * It goes to each client's private buffer.  One that does not read is not sent one
 * change after the other: it gets all of them again when it has caught up. */
#include "hub/inside.h"
#include "hub/native.h"

#define SOURCES_MAX_BYTES (32 * MIB)

void native_tell_sources(struct client *c)
{
	const struct hub_options *o = &c->hub->options;
	struct buf out;

	c->owed_sources = false;
	buf_init(&out, SOURCES_MAX_BYTES);
	buf_add(&out, TEXT("{\"op\":\"sources\",\"all\":"));
	o->sources(o->self, &out);
	buf_add_char(&out, '}');
	native_say(c, &out);
}

static void tell(struct client *c, const struct buf *news)
{
	if (c->mine.len - c->mine_sent > HUB_HUSH_AT)
		c->owed_sources = true;
	else
		client_say_frame(c, WS_OP_TEXT, buf_text(news));
}

void hub_tell_sources(struct hub *hub, struct text changed, struct text removed)
{
	struct buf news;

	buf_init(&news, SOURCES_MAX_BYTES);
	list_each(&hub->clients, l) {
		struct client *c = list_of(l, struct client, in_all);

		if (!c->hears_sources)
			continue;
		if (news.len == 0) {
			buf_add(&news, TEXT("{\"op\":\"sources\",\"changed\":"));
			buf_add(&news, changed);
			buf_add(&news, TEXT(",\"removed\":"));
			buf_add(&news, removed);
			buf_add_char(&news, '}');
		}
		tell(c, &news);
	}
	buf_finish(&news);
}
