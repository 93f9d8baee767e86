/* steer.c - a WebSocket on a loop that never waits. */
#include "cli/steer.h"

#include <ctype.h>
#include <stdlib.h>
#include <yyjson.h>

#include "base/must.h"
#include "cli/remote.h"
#include "net/uplink.h"
#include "signal/json.h"

#define MESSAGE_MAX (1 * MIB)

struct steer {
	struct remote *box;
	struct uplink line;
	char *session;
	void (*told)(void *self, struct text op);
	void *self;
};

static void add_path(void *self, struct buf *out)
{
	const struct steer *s = self;

	buf_add(out, TEXT("/ws/run?role=agent&session="));
	for (const char *c = s->session; *c; c++)
		buf_print(out, isalnum((unsigned char)*c) || strchr("-._~", *c) ? "%c" : "%%%02X",
		          (unsigned char)*c);
}

static void take_message(void *self, struct text message)
{
	const struct steer *s = self;
	yyjson_doc *doc = yyjson_read(message.at, message.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);

	if (yyjson_equals_str(yyjson_obj_get(root, "kind"), "control"))
		s->told(s->self, json_text_at(root, "op"));
	yyjson_doc_free(doc);
}

static void on_change(void *self)
{
}

struct steer *steer_create(const char *data, const char *session,
                           void (*told)(void *self, struct text op), void *self)
{
	struct steer *s = must_zero(1, sizeof(*s));
	struct uplink_options options = {.base = "ws://localhost",
	                                 .message_max = MESSAGE_MAX,
	                                 .self = s,
	                                 .path = add_path,
	                                 .open = on_change,
	                                 .text = take_message,
	                                 .closed = on_change};

	s->told = told;
	s->self = self;
	s->session = must_dup(session);
	s->box = remote_at(data);
	options.sock = remote_target(s->box).sock;
	uplink_init(&s->line, remote_target(s->box).loop, &options);
	return s;
}

void steer_destroy(struct steer *s)
{
	if (!s)
		return;
	uplink_finish(&s->line);
	remote_destroy(s->box);
	free(s->session);
	free(s);
}

void steer_step(struct steer *s)
{
	do
		loop_step(remote_target(s->box).loop, false);
	while (steer_patience(s) == 0);
}

struct pollfd steer_poll(const struct steer *s)
{
	return (struct pollfd){.fd = loop_fd(remote_target(s->box).loop), .events = POLLIN};
}

int steer_patience(const struct steer *s)
{
	return loop_patience(remote_target(s->box).loop);
}
