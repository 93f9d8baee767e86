/* who.c - who says something, as it is recorded. */
#include "base/put.h"
#include "bus/back.h"

#define NAME_MAX_BYTES 128

static struct text name_of(struct text name)
{
	return name.len > NAME_MAX_BYTES ? (struct text){name.at, NAME_MAX_BYTES} : name;
}

void back_add_who(struct buf *out, const struct back_who *who)
{
	put_object(out, NULL);
	put_text(out, "user", name_of(who->user));
	if (who->process.len) {
		put_text(out, "process", name_of(who->process));
	}
	put_text(out, "screen", name_of(who->screen));
	buf_add_char(out, '}');
}
