/* crew.c - the sessions, to the clients that want to know of them: all of them once, then what
 * changed.  A client that does not read gets all of them again when it has caught up. */
#include "crew/crew.h"

#include "base/clock.h"
#include "base/put.h"
#include "native/inside.h"

#define CREW_SAID_MAX (32 * MIB)
#define CREW_SAID_MOST 1000 /* sessions, the newest */

void native_say_crew(struct native_view *view)
{
	struct crew *crew = native_of(view)->options.crew;
	double now_ms = (double)clock_wall_ms();
	struct buf out;

	view->owed_crew = false;
	buf_init(&out, CREW_SAID_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "crew");
	put_key(&out, "all");
	crew_json(crew, now_ms, CREW_SAID_MOST, &out);
	json_member_number(&out, "at", now_ms);
	put_end(&out);
	client_make_room(view->client, out.len);
	native_say(view->client, &out);
}

void native_follow_crew(struct native_view *view)
{
	if (!view->hears_crew)
		crew_watch(native_of(view)->options.crew, true);
	view->hears_crew = true;
	native_say_crew(view);
}

void native_leave_crew(struct native_view *view)
{
	if (view->hears_crew)
		crew_watch(native_of(view)->options.crew, false);
	view->hears_crew = view->owed_crew = false;
}

static void tell_view(struct native_view *view, const struct buf *news)
{
	if (client_is_slow(view->client) || news->full) {
		view->owed_crew = true;
		client_work(view->client);
		return;
	}
	client_make_room(view->client, news->len);
	client_say_frame(view->client, WS_OP_TEXT, buf_text(news));
}

void native_tell_crew(struct native *native, const struct news *news)
{
	struct buf out;

	buf_init(&out, CREW_SAID_MAX + KIB);
	list_each(&native->views, l) {
		struct native_view *view = list_of(l, struct native_view, in_all);

		if (!view->hears_crew)
			continue;
		if (out.len == 0) {
			put_object(&out, NULL);
			put_word(&out, "op", "crew");
			put_json(&out, "changed", news->changed);
			put_json(&out, "removed", news->removed);
			json_member_number(&out, "at", (double)clock_wall_ms());
			put_end(&out);
			out.full = out.full || news->changed.len == 0;
		}
		tell_view(view, &out);
	}
	buf_finish(&out);
}
