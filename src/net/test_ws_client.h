/* test_ws_client.h - our WebSocket client, a server of some temper, and what came of
 * it. */
#ifndef NET_TEST_WS_CLIENT_H
#define NET_TEST_WS_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "net/test_server.h"
#include "net/test_tls.h"
#include "net/ws_client.h"

struct talker {
	struct authority *authority;
	struct loop *loop;
	struct ws_client *client;
	struct server server;
	char url[100];
	const char *answer; /* of the server to the upgrade, when it is not a yes */
	const char *frames; /* that follow the yes */
	size_t frames_len;

	bool opened, over, leave_in_open, leave_in_text, take_in_open;
	int taken; /* the descriptor; what came before is in heard */
	unsigned opens, closes;
	struct buf heard; /* messages, each with a bar behind */
	unsigned code;
	int status;
	char why[300];
};

int talker_set_up(void **state);
int talker_tear_down(void **state);

void talker_begin(struct talker *w, void (*fn)(struct server *server));
void talker_begin_with(struct talker *w, void (*fn)(struct server *server), unsigned ping_ms);
/* Waits for the end, which is to be this one. */
void talker_expect(struct talker *w, unsigned code, int status, const char *why);
void talker_leave(struct talker *w); /* as new, for another server */
void talker_closed(void *self, uint16_t code, int status, const char *why);

bool server_say_yes(struct server *s);    /* to the upgrade */
void server_say_frames(struct server *s); /* talker.frames, after the yes */
void server_say_back(struct server *s);   /* what comes; a close ends it */

/* Of a group of tests. */
int talker_make_authority(void **state);
int talker_end_authority(void **state);

#define FRAMES(t, literal) ((t)->frames = (literal), (t)->frames_len = sizeof(literal) - 1)
#define talker_test(f) cmocka_unit_test_setup_teardown(f, talker_set_up, talker_tear_down)

#endif
