/* bare.c - dialects that are no HTTP: a listener is for one of them alone, and names a source. */
#include "box/bare.h"

#include "box/parts.h"
#include "config/config.h"
#include "net/conn.h"
#include "net/listen.h"
#include "voice/handle.h"
#include "web/listens.h"

bool box_is_bare(struct text dialect)
{
	return text_is(dialect, HANDLE_DIALECT);
}

static bool find_place(void *self, const struct conn *conn, struct handle_place *out)
{
	const struct box *box = self;
	const struct config_listen *row = listens_row(box->listens, listen_of(conn));

	if (!row || !row->source)
		return false;
	*out = (struct handle_place){text_of(row->source), (const char *const *)row->allow,
	                             row->allow_count};
	return true;
}

void box_make_bare(struct box *box)
{
	box->handle = handle_create(&(struct handle_options){
		.loop = box->loop,
		.bus = box->bus,
		.back = box_back(box),
		.self = box,
		.place = find_place,
	});
}

void box_close_bare(struct box *box)
{
	handle_destroy(box->handle);
	box->handle = NULL;
}

bool box_take_bare(struct box *box, struct conn *conn)
{
	struct handle_place place;

	if (!find_place(box, conn, &place))
		return false;
	handle_take(box->handle, conn);
	return true;
}
