/* openclaw_config_test.c - the token and the port, however they are written. */
#include "source/openclaw/openclaw_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *home; /* what the environment of a test says */
static const char *port;

static const char *env(const char *name)
{
	if (text_is(text_of(name), "MY_TOKEN"))
		return "from-env";
	if (text_is(text_of(name), "HOME"))
		return home;
	return text_is(text_of(name), "OPENCLAW_GATEWAY_PORT") ? port : NULL;
}

static void check(const char *text, const char *token, unsigned wanted_port)
{
	struct openclaw_config c;
	struct error why;

	assert_true(openclaw_config_parse(&c, text_of(text), env, &why));
	if (token)
		assert_string_equal(c.token, token);
	else
		assert_null(c.token);
	assert_int_equal(c.port, wanted_port);
	openclaw_config_finish(&c);
}

static void the_token_and_the_port_are_found(void **state)
{
	check("{gateway: {port: 19000, auth: {mode: 'token', token: 'abc'}}}", "abc", 19000);
	check("{gateway: {auth: {token: \"${MY_TOKEN}\"}}}", "from-env", 18789);
	check("{gateway: {auth: {token: {source: 'env', provider: 'default', id: 'MY_TOKEN'}}}}",
	      "from-env", 18789);
}

static void what_names_no_token_gives_none(void **state)
{
	static const char *const without[] = {
		"{}",
		"[]",
		"7",
		"{gateway: 7}",
		"{gateway: {auth: []}}",
		"{gateway: {auth: {token: 7}}}",
		"{gateway: {auth: {token: ''}}}",
		"{gateway: {auth: {token: '${NOT_SET}'}}}",
		"{gateway: {auth: {token: {source: 'file', id: '/x'}}}}",
		"{gateway: {auth: {token: {source: 'env', id: 'NOT_SET'}}}}",
		"{gateway: {auth: {mode: 'none', token: 'abc'}, port: 0}}",
		"{gateway: {port: 70000}}",
		"{gateway: {port: -1}}",
		"{gateway: {port: '80'}}",
	};

	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		check(without[i], NULL, 18789);
}

static void a_broken_file_names_nothing(void **state)
{
	struct openclaw_config c;
	struct error why;

	assert_false(openclaw_config_parse(&c, TEXT("{gateway: "), env, &why));
	assert_null(c.token);
	openclaw_config_finish(&c);
}

static void the_file_is_looked_for_at_home(void **state)
{
	struct openclaw_config c;
	char dir[] = "/tmp/openclaw-XXXXXX", path[128];
	FILE *out;

	assert_non_null(mkdtemp(dir));
	home = dir;
	openclaw_config_read(&c, env);
	assert_null(c.token);
	openclaw_config_finish(&c);
	snprintf(path, sizeof(path), "%s/.openclaw", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/.openclaw/openclaw.json", dir);
	out = fopen(path, "w");
	fputs("{gateway: {auth: {token: 'at-home'}}} // mine", out);
	fclose(out);
	port = "1234";
	openclaw_config_read(&c, env);
	assert_string_equal(c.token, "at-home");
	assert_int_equal(c.port, 1234);
	openclaw_config_finish(&c);
	unlink(path);
	snprintf(path, sizeof(path), "%s/.openclaw", dir);
	rmdir(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_token_and_the_port_are_found),
		cmocka_unit_test(what_names_no_token_gives_none),
		cmocka_unit_test(a_broken_file_names_nothing),
		cmocka_unit_test(the_file_is_looked_for_at_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
