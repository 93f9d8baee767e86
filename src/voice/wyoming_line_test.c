/* wyoming_line_test.c - an engine that answers, hangs, closes, and is something else. */
#include "voice/wyoming_line.h"

#include "base/fixture.h"
#include "net/test_server.h"

static struct loop *loop;
static struct server server;
static struct wyoming_place place;
static struct wyoming_line *line;
static struct buf told; /* types of events, and what failed */
static bool over, closes;

static int set_up(void **state)
{
	loop = loop_create();
	buf_init(&told, 4 * KIB);
	over = closes = false;
	server = (struct server){0};
	return 0;
}

static int take_down(void **state)
{
	wyoming_place_finish(&place);
	buf_finish(&told);
	loop_destroy(loop);
	return 0;
}

static void on_heard(void *self, const struct wyoming_event *event)
{
	buf_add(&told, event->type);
	buf_add_char(&told, ' ');
	if (text_is(event->type, "audio-chunk"))
		buf_add(&told, event->payload);
	over = text_is(event->type, "last");
	if (closes) {
		wyoming_line_close(line);
		line = NULL;
		over = true;
	}
}

static void on_failed(void *self, const char *why)
{
	buf_add(&told, text_of(why));
	line = NULL;
	over = true;
}

static void open_line(const char *address)
{
	struct error why;

	assert_true(wyoming_place_read(text_of(address), &place, &why));
	line = wyoming_line_open(&(struct wyoming_line_options){
		.loop = loop, .place = &place, .heard = on_heard, .failed = on_failed});
}

static void open_server(void (*serve)(struct server *))
{
	char address[64];

	server.serve = serve;
	assert_true(server_start(&server));
	snprintf(address, sizeof(address), "tcp://127.0.0.1:%u", server.port);
	open_line(address);
}

static void assert_told(const char *expected)
{
	assert_true(run_until(loop, &over));
	buf_add_char(&told, '\0');
	assert_string_equal(told.at, expected);
	wyoming_line_close(line);
	line = NULL;
	run_for(loop, 10);
	server_finish(&server);
}

static void answer(struct server *s)
{
	server_await(s, "hello");
	server_await(s, "audio-chunk");
	server_await(s, "1234");
	server_say(s,
	           TEXT("{\"type\":\"a\"}\n{\"type\":\"audio-chunk\",\"payload_length\":2}\nxy"));
	server_say(s, TEXT("{\"type\":\"last\"}\n"));
	server_await_close(s);
}

static void events_go_both_ways(void **state)
{
	static const struct wyoming_format format = {16000, 2, 1};

	open_server(answer);
	wyoming_line_send(line, "ping", TEXT("{\"text\":\"hello\"}"), TEXT(""));
	wyoming_line_send_sound(line, "audio-chunk", &format, TEXT("1234"));
	wyoming_line_expect(line, 60000);
	assert_told("a audio-chunk xylast ");
}

static void whoever_hears_may_close_it(void **state)
{
	open_server(answer);
	closes = true;
	wyoming_line_send(line, "ping", TEXT("{\"text\":\"hello\"}"), TEXT("audio-chunk 1234"));
	assert_told("a ");
}

static void say_nothing(struct server *s)
{
	server_await_close(s);
}

static void one_that_hangs_is_told(void **state)
{
	open_server(say_nothing);
	wyoming_line_expect(line, 50);
	assert_told("the engine does not answer");
}

static void say_html(struct server *s)
{
	server_say(s, TEXT("HTTP/1.1 400 Bad Request\r\n\r\n<html>"));
	server_await_close(s);
}

static void another_protocol_is_told(void **state)
{
	open_server(say_html);
	assert_told("the engine does not speak Wyoming: a line that is no JSON object");
}

static void say_half(struct server *s)
{
	server_say(s, TEXT("{\"type\":\"a\"}\n{\"type\":"));
}

static void one_that_dies_is_told(void **state)
{
	open_server(say_half);
	assert_told("a the engine closed the connection");
}

static void one_that_takes_nothing_is_told(void **state)
{
	static char sound[WYOMING_PAYLOAD_MAX];

	open_server(say_nothing);
	for (unsigned i = 0; i < 40; i++)
		wyoming_line_send(line, "audio-chunk", TEXT(""),
		                  (struct text){sound, sizeof(sound)});
	assert_told("the engine takes no more sound");
}

static void one_that_is_not_there_is_told(void **state)
{
	open_line("unix:/nonexistent/engine.sock");
	assert_true(run_until(loop, &over));
	assert_memory_equal(told.at, "the engine cannot be reached: ", 30);
}

static void assert_refused(const char *address)
{
	struct error why;

	assert_false(wyoming_place_read(text_of(address), &place, &why));
	wyoming_place_finish(&place);
}

static void an_address_is_read_strictly(void **state)
{
	struct error why;

	assert_true(wyoming_place_read(TEXT("tcp://[::1]:10300"), &place, &why));
	assert_string_equal(place.host, "::1");
	assert_int_equal(place.port, 10300);
	wyoming_place_finish(&place);
	assert_refused("http://localhost:1");
	assert_refused("tcp://localhost");
	assert_refused("tcp://localhost:0");
	assert_refused("tcp://localhost:70000");
	assert_refused("tcp://:5");
	assert_refused("unix:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_go_both_ways, set_up, take_down),
		cmocka_unit_test_setup_teardown(whoever_hears_may_close_it, set_up, take_down),
		cmocka_unit_test_setup_teardown(one_that_hangs_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(another_protocol_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(one_that_dies_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(one_that_takes_nothing_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(one_that_is_not_there_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(an_address_is_read_strictly, set_up, take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
