/* test_request.h - one request, the server it goes to, and what came of it. */
#ifndef NET_TEST_REQUEST_H
#define NET_TEST_REQUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "net/request.h"
#include "net/test_server.h"

struct test_asker {
	struct loop *loop;
	struct requests *requests;
	struct request *request;
	struct server server;
	char url[100];

	int status;
	unsigned heads, dones, retry_after_ms;
	char type[100];
	struct buf body;
	enum request_fault fault;
	bool done, cancel_in_head, cancel_in_body;
	_Atomic size_t heard; /* bytes of the body, for the server to wait for */
	char why[300];
};

int asker_set_up(void **state);
int asker_tear_down(void **state);

/* Options for a request to a server that serves like this. */
struct request_options asker_serve(struct test_asker *w, void (*fn)(struct server *server));
void asker_start(struct test_asker *w, const struct request_options *o);
/* Until it is done, for a reason that has these words in it; "": it came whole. */
void asker_run(struct test_asker *w, const struct request_options *o, const char *why);
void asker_done(void *self, const char *why);

void server_say_hello(struct server *s);

#define asker_test(f) cmocka_unit_test_setup_teardown(f, asker_set_up, asker_tear_down)

#endif
