/* lookup_test.c - a name whose servers are silent holds nobody up: not the loop, not
 * a request or a connection that is given up, not other names.  And a name leads to no
 * address that is nobody's.
 *
 * getaddrinfo() here stands before the library's, for us and for libcurl. */
#include "net/lookup.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/dial.h"
#include "net/request.h"
#include "net/test_server.h"

#define SILENT_MS 60000 /* the longest that it holds anybody up */

static _Atomic bool release; /* the silent name server speaks at last */
static _Atomic int waiting;  /* so many lookups are held up by it */
static pthread_t looked_on;  /* the thread of the last lookup that found something */

static struct addrinfo *address(uint16_t port, uint32_t host)
{
	struct addrinfo *one = calloc(1, sizeof(*one) + sizeof(struct sockaddr_in));
	struct sockaddr_in *at = (struct sockaddr_in *)(one + 1);

	at->sin_family = AF_INET;
	at->sin_port = htons(port);
	at->sin_addr.s_addr = htonl(host);
	one->ai_family = AF_INET;
	one->ai_socktype = SOCK_STREAM;
	one->ai_addr = (struct sockaddr *)at;
	one->ai_addrlen = sizeof(*at);
	return one;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
	bool is_literal = strcmp(node, "127.0.0.1") == 0;
	uint64_t port;

	if (hints && hints->ai_flags & AI_NUMERICHOST && !is_literal)
		return EAI_NONAME;
	if (strcmp(node, "silent.test") == 0) {
		waiting++;
		for (int i = 0; i < SILENT_MS && !release; i++)
			usleep(1000);
		waiting--;
		return EAI_AGAIN;
	}
	if (!service || !text_to_u64(text_of(service), &port))
		port = 0;
	looked_on = pthread_self();
	*result = address((uint16_t)port,
	                  strcmp(node, "cloud.test") == 0 ? 0xA9FEA9FE : INADDR_LOOPBACK);
	/* Where nobody listens, and after it where somebody does. */
	if (strcmp(node, "two.test") == 0) {
		struct addrinfo *first = address((uint16_t)port, INADDR_LOOPBACK + 8);

		first->ai_next = *result;
		*result = first;
	}
	return 0;
}

void freeaddrinfo(struct addrinfo *result)
{
	while (result) {
		struct addrinfo *next = result->ai_next;

		free(result);
		result = next;
	}
}

struct world {
	struct loop *loop;
	struct requests *requests;
	unsigned ends;
	bool done;
	char why[300];
};

static void on_done(void *self, const char *why)
{
	struct world *w = self;

	w->ends++;
	w->done = true;
	snprintf(w->why, sizeof(w->why), "%s", why ? why : "");
}

static void on_connected(void *self, int fd)
{
	struct world *w = self;

	close(fd);
	w->ends++;
	w->done = true;
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	release = false;
	w->loop = loop_create();
	w->requests = requests_create(w->loop);
	*state = w;
	return 0;
}

/* Nothing of the loop waits for the threads; only the next test does. */
static int tear_down(void **state)
{
	struct world *w = *state;
	uint64_t began = clock_mono_ns();

	requests_destroy(w->requests);
	loop_destroy(w->loop);
	free(w);
	assert_true(clock_mono_ns() - began < SILENT_MS / 2 * 1000000ull);
	release = true;
	for (int i = 0; i < SILENT_MS && waiting; i++)
		usleep(1000);
	usleep(50000);
	return waiting;
}

static void until_waiting(struct world *w, int count)
{
	for (int i = 0; i < SILENT_MS && waiting < count; i++)
		run_for(w->loop, 1);
	assert_int_equal(waiting, count);
}

static struct request *ask(struct world *w, const char *url, unsigned connect_ms)
{
	struct request_options o = {
		.url = url, .connect_ms = connect_ms, .self = w, .done = on_done};

	return request_start(w->requests, &o, NULL);
}

static struct dial *dial(struct world *w, const char *host, unsigned port, unsigned ms)
{
	struct dial_options o = {host, (uint16_t)port, ms, w, on_connected, on_done};

	return dial_start(w->loop, &o);
}

static void the_loop_turns_while_names_are_looked_up(void **state)
{
	struct world *w = *state;
	int turns = 0;

	ask(w, "http://silent.test/", 0);
	dial(w, "silent.test", 1, SILENT_MS);
	until_waiting(w, 2);
	for (uint64_t until = clock_mono_ns() + 100000000; clock_mono_ns() < until || turns < 10;
	     turns++)
		run_for(w->loop, 1);
	assert_int_equal(w->ends, 0);
	assert_int_equal(waiting, 2);
	release = true;
	for (int i = 0; i < SILENT_MS && w->ends < 2; i++)
		run_for(w->loop, 1);
	assert_int_equal(w->ends, 2);
	assert_non_null(strstr(w->why, "the name silent.test is not known"));
}

static void giving_up_does_not_wait_for_the_name(void **state)
{
	struct world *w = *state;
	struct request *request = ask(w, "http://silent.test/", 0);
	struct dial *line = dial(w, "silent.test", 1, SILENT_MS);
	uint64_t began;

	until_waiting(w, 2);
	began = clock_mono_ns();
	request_cancel(request);
	dial_stop(line);
	run_for(w->loop, 5);
	assert_true(clock_mono_ns() - began < SILENT_MS / 2 * 1000000ull);
	assert_int_equal(waiting, 2);
	assert_int_equal(w->ends, 0);
}

static void a_name_that_is_not_found_in_time_is_told(void **state)
{
	struct world *w = *state;
	uint64_t began = clock_mono_ns();

	ask(w, "http://silent.test/", 100);
	assert_true(run_until(w->loop, &w->done));
	assert_non_null(strstr(w->why, "the connection to silent.test port 80 timed out"));
	w->done = false;
	dial(w, "silent.test", 1, 100);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "the lookup of silent.test timed out");
	assert_true(clock_mono_ns() - began < SILENT_MS / 2 * 1000000ull);
	/* Nobody waited for them.  A thread that had not begun by then may never begin. */
	for (int i = 0; i < SILENT_MS && waiting == 0; i++)
		run_for(w->loop, 1);
	assert_in_range(waiting, 1, 2);
}

static void serve_nobody(struct server *server)
{
	(void)server;
}

static void other_names_are_found_meanwhile(void **state)
{
	struct world *w = *state;
	struct dial *lines[16];
	struct server server = {.serve = serve_nobody};

	assert_true(server_start(&server));
	for (int i = 0; i < 16; i++)
		lines[i] = dial(w, "silent.test", 1, SILENT_MS);
	until_waiting(w, 16);
	dial(w, "quick.test", server.port, SILENT_MS);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "");
	w->done = false;
	dial(w, "two.test", server.port, SILENT_MS);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "");
	for (int i = 0; i < 16; i++)
		dial_stop(lines[i]);
	server_finish(&server);
}

static void a_literal_needs_no_thread(void **state)
{
	struct world *w = *state;
	struct server server = {.serve = serve_nobody};

	assert_true(server_start(&server));
	dial(w, "127.0.0.1", server.port, SILENT_MS);
	assert_true(pthread_equal(looked_on, pthread_self()));
	assert_int_equal(w->ends, 0);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "");
	server_finish(&server);
}

static void a_name_leads_to_no_address_that_is_nobodys(void **state)
{
	struct world *w = *state;

	ask(w, "http://cloud.test/latest/meta-data/", 0);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "cloud.test leads to an address that no server has");
	w->done = false;
	dial(w, "cloud.test", 80, SILENT_MS);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "cloud.test leads to an address that no server has");
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(the_loop_turns_while_names_are_looked_up),
		world_test(giving_up_does_not_wait_for_the_name),
		world_test(a_name_that_is_not_found_in_time_is_told),
		world_test(other_names_are_found_meanwhile),
		world_test(a_literal_needs_no_thread),
		world_test(a_name_leads_to_no_address_that_is_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
