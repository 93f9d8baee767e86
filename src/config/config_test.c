/* config_test.c - files, places of faults, and which of four values wins. */
#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/must.h"
#include "config/check.h"
#include "config/keys.h"

static void write_file(const char *yaml)
{
	FILE *file = fopen("c.yaml", "w");

	assert_non_null(file);
	fputs(yaml, file);
	fclose(file);
}

/* A file with this content, read alone; the path is "c.yaml" for the words. */
static bool load_text(struct config *config, const char *yaml, struct error *why)
{
	const char *const env[] = {"HOME=/home/ada", NULL};
	bool good;

	write_file(yaml);
	good = config_load(config, &(struct config_sources){.file = "c.yaml", .env = env}, why);
	unlink("c.yaml");
	return good;
}

static void assert_fault(const char *yaml, const char *words)
{
	struct config config;
	struct error why = {""};

	assert_false(load_text(&config, yaml, &why));
	assert_string_equal(why.words, words);
}

static bool is_good(struct text value, struct error *why)
{
	return text_is(value, "good") || text_is(value, "auto") ||
	       error_set(why, "'%.*s' it is not", TEXT_ARG(value));
}

static void whoever_knows_a_name_is_asked_and_the_fault_has_its_place(void **state)
{
	const struct check_by by = {is_good, is_good, is_good};

	check_ask(&by);
	assert_fault("listen:\n- {address: '[::1]:1', dialect: good}\n"
	             "- {address: '[::1]:2', dialect: x}\n",
	             "c.yaml:3:33: dialect: 'x' it is not");
	assert_fault("sources: [{id: a, url: 'ftp://h/'}]\n",
	             "c.yaml:1:24: url: 'ftp://h/' it is not");
	assert_fault("sources: [{id: a, url: good, protocol: bad}]\n",
	             "c.yaml:1:40: protocol: 'bad' it is not");
	check_ask(&(struct check_by){NULL});
}

static void defaults_are_those_of_the_manual(void **state)
{
	const char *const env[] = {"HOME=/home/ada", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct config c;

	assert_true(config_load(&c, &(struct config_sources){.env = env}, NULL));
	assert_string_equal(c.data, "/home/ada/.local/state/signalbox");
	assert_int_equal(c.listen_count, 1);
	assert_string_equal(c.listen[0].address, "127.0.0.1:7446");
	assert_null(c.listen[0].dialect);
	assert_int_equal(c.log.level, LOG_INFO);
	assert_int_equal(c.validation, CONFIG_VALIDATE_WARN);
	assert_int_equal(c.auth.local, SCOPE_OBSERVE | SCOPE_EMIT);
	assert_int_equal(c.auth.token_count, 0);
	assert_false(c.auth.query);
	assert_int_equal(c.journal.keep, 10ull << 30);
	assert_int_equal(c.journal.days, 30);
	assert_int_equal(c.journal.segment, 64 << 20);
	assert_int_equal(c.journal.commit_ms, 5);
	assert_int_equal(c.journal.sync_ms, 25);
	assert_int_equal(c.limits.headers, 16 << 10);
	assert_int_equal(c.limits.header_ms, 10000);
	assert_int_equal(c.limits.connections, 16384);
	assert_int_equal(c.limits.depth, 64);
	assert_true(c.demo.speed == 1);
	config_finish(&c);
}

static void every_key_can_stand_in_the_file(void **state)
{
	struct config c;
	struct error why = {""};

	if (!load_text(&c,
	               "data: /srv/box\n"
	               "listen:\n"
	               "  - 127.0.0.1:1\n"
	               "  - {address: '[::1]:2', dialect: signals}\n"
	               "log: {level: debug}\n"
	               "validation: strict\n"
	               "auth:\n"
	               "  local: none\n"
	               "  hosts: [box.example]\n"
	               "  origins: ['https://box.example', 'http://localhost:3000']\n"
	               "  query: true\n"
	               "  tokens:\n"
	               "    - {name: ci, file: tokens/ci, scopes: emit}\n"
	               "    - {name: me, file: /etc/me, scopes: 'observe,answer'}\n"
	               "    - {name: you, file: ~/you, scopes: all}\n"
	               "journal: {keep: 1GiB, days: 0, segment: 1MiB, commit: 0}\n"
	               "limits: {body: 2MiB, ping: 1m}\n"
	               "demo: {speed: 0.5}\n",
	               &why))
		fail_msg("%s", why.words);
	assert_string_equal(c.file, "c.yaml");
	assert_string_equal(c.data, "/srv/box");
	assert_int_equal(c.listen_count, 2);
	assert_string_equal(c.listen[1].address, "[::1]:2");
	assert_string_equal(c.listen[1].dialect, "signals");
	assert_int_equal(c.log.level, LOG_DEBUG);
	assert_int_equal(c.validation, CONFIG_VALIDATE_STRICT);
	assert_int_equal(c.auth.local, 0);
	assert_string_equal(c.auth.hosts[0], "box.example");
	assert_int_equal(c.auth.origin_count, 2);
	assert_true(c.auth.query);
	assert_int_equal(c.auth.token_count, 3);
	assert_string_equal(c.auth.tokens[0].file, "/srv/box/tokens/ci");
	assert_string_equal(c.auth.tokens[1].file, "/etc/me");
	assert_int_equal(c.auth.tokens[1].scopes, SCOPE_OBSERVE | SCOPE_ANSWER);
	assert_string_equal(c.auth.tokens[2].file, "/home/ada/you");
	assert_int_equal(c.journal.days, 0);
	assert_int_equal(c.limits.ping_ms, 60000);
	assert_true(c.demo.speed == 0.5);
	config_finish(&c);
}

static void an_empty_file_and_empty_groups_are_fine(void **state)
{
	static const char *const files[] = {"", "---\n", "# nothing\n", "limits:\nauth: ~\n",
	                                    "auth: {hosts: []}\n"};
	struct config c;

	for (unsigned i = 0; i < 5; i++) {
		assert_true(load_text(&c, files[i], NULL));
		config_finish(&c);
	}
}

static void an_unknown_key_is_a_fault_with_its_place(void **state)
{
	assert_fault("data: /x\nlisen: []\n",
	             "c.yaml:2:1: unknown key 'lisen', did you mean 'listen'?");
	assert_fault("limits:\n  bodi: 1MiB\n",
	             "c.yaml:2:3: unknown key 'bodi', did you mean 'body'?");
	assert_fault("frobnicate: 1\n", "c.yaml:1:1: unknown key 'frobnicate'");
	assert_fault("auth: {tokens: [{nam: x}]}\n",
	             "c.yaml:1:18: unknown key 'nam', did you mean 'name'?");
}

static void a_wrong_value_is_a_fault_with_its_place(void **state)
{
	assert_fault("limits:\n  body: much\n",
	             "c.yaml:2:9: body: 'much' is not a size like 64MiB (B, KiB, MiB, GiB, TiB)");
	assert_fault("limits: {message: 17MiB}\n",
	             "c.yaml:1:19: message: too big: at most 16MiB is allowed");
	assert_fault("limits: {behind: 1KiB}\n",
	             "c.yaml:1:18: behind: too small: at least 64KiB is wanted");
	assert_fault("limits: {body: 65MiB}\n",
	             "c.yaml:1:16: body: too big: at most 64MiB is allowed");
	assert_fault("limits: {fragments: 65537}\n",
	             "c.yaml:1:21: fragments: too big: at most 65536 is allowed");
	assert_fault("listen: 127.0.0.1:1\n", "c.yaml:1:9: 'listen' wants a list of texts or maps");
	assert_fault("listen: [[x]]\n", "c.yaml:1:10: 'listen' wants a list of texts or maps");
	assert_fault("data: /x\nlisten: []\n",
	             "c.yaml:2:9: listen: the list is empty; omit it to use the default");
	assert_fault("data: {a: b}\n", "c.yaml:1:7: 'data' wants a text");
	assert_fault("data:\n", "c.yaml:1:6: 'data' wants a text");
	assert_fault("limits: [1]\n", "c.yaml:1:9: 'limits' wants a map");
	assert_fault("validation: strickt\n",
	             "c.yaml:1:13: validation: 'strickt' is none of off, warn, strict; "
	             "did you mean 'strict'?");
	assert_fault("auth: {hosts: [a/b]}\n",
	             "c.yaml:1:16: hosts: 'a/b' is not a host, like box.example:7446");
	assert_fault("auth: {tokens: [x]}\n", "c.yaml:1:17: tokens: a list of maps is wanted");
}

static void an_address_that_others_reach_is_refused(void **state)
{
	struct config c;
	struct error why;

	assert_false(load_text(&c, "listen: ['0.0.0.0:7446']\n", &why));
	assert_non_null(strstr(why.words, "c.yaml:1:10: listen: 0.0.0.0:7446 can be reached"));
	assert_non_null(strstr(why.words, "needs TLS"));
	assert_false(load_text(&c, "listen: [{address: '[::]:1'}]\n", &why));
	assert_fault("discover: {ollama: '10.0.0.1:1'}\n",
	             "c.yaml:1:20: ollama: 10.0.0.1:1 is not a loopback address");
}

static void with_tls_others_may_reach_it(void **state)
{
	struct config c;
	struct error why;

	assert_true(load_text(
		&c, "data: /d\nlisten: [{address: '0.0.0.0:1', cert: c.pem, key: /k.pem}]\n",
		&why));
	assert_string_equal(c.listen[0].cert, "/d/c.pem");
	assert_string_equal(c.listen[0].key, "/k.pem");
	config_finish(&c);
	assert_fault("listen: [{address: '127.0.0.1:1', cert: c}]\n",
	             "c.yaml:1:10: listen: 127.0.0.1:1 has a cert and no key");
	assert_fault("listen: [{address: '127.0.0.1:1', key: c}]\n",
	             "c.yaml:1:10: listen: 127.0.0.1:1 has a key and no cert");
}

static void a_listener_of_the_loopback_may_have_scopes(void **state)
{
	struct config c;
	struct error why;

	assert_true(load_text(&c,
	                      "listen: ['127.0.0.1:1', {address: '[::1]:1', local: none},"
	                      "{address: 'localhost:2', local: 'answer, control'}]\n",
	                      &why));
	assert_false(c.listen[0].has_local);
	assert_true(c.listen[1].has_local);
	assert_int_equal(c.listen[1].local, 0);
	assert_int_equal(c.listen[2].local, SCOPE_ANSWER | SCOPE_CONTROL);
	config_finish(&c);
	assert_fault("listen: [{address: '127.0.0.1:1', local: all}]\n",
	             "c.yaml:1:10: listen: 127.0.0.1:1 cannot give admin without a token");
	assert_false(load_text(
		&c, "listen: [{address: '0.0.0.0:1', cert: c, key: k, local: answer}]\n", &why));
	assert_non_null(strstr(why.words, "`local` is for an address of the loopback"));
}

static bool is_bare(struct text dialect)
{
	return text_is(dialect, "bare");
}

/* Nothing protects it but whom it names. */
static void a_listener_without_credentials_says_whom_it_lets_in_and_whom_they_ask(void **state)
{
	struct config c;

	check_ask(&(struct check_by){.bare = is_bare});
	assert_fault("listen: [{address: '127.0.0.1:1', dialect: bare}]\n",
	             "c.yaml:1:10: listen: 127.0.0.1:1: bare needs a source, which its peers ask");
	assert_fault("listen: [{address: '0.0.0.0:1', dialect: bare, source: a}]\n",
	             "c.yaml:1:10: listen: 0.0.0.0:1 can be reached from other machines, and bare "
	             "has no credentials: `allow` lists the addresses of those that may come in");
	assert_fault("listen: [{address: '127.0.0.1:1', dialect: bare, source: a, local: emit}]\n",
	             "c.yaml:1:10: listen: 127.0.0.1:1: bare knows no cert, key, local or origins");
	assert_fault("listen: [{address: '127.0.0.1:1', source: a}]\n",
	             "c.yaml:1:10: listen: 127.0.0.1:1 has a source or allow, which are for a "
	             "dialect without credentials alone");
	assert_fault("listen: [{address: '0.0.0.0:1', dialect: bare, source: a, allow: [home]}]\n",
	             "c.yaml:1:67: allow: 'home' is not the address of a machine, like 192.0.2.7");
	assert_true(load_text(&c,
	                      "listen: [{address: '0.0.0.0:1', dialect: bare, source: a, "
	                      "allow: [192.0.2.7, '2001:db8::7']}]\n",
	                      NULL));
	assert_int_equal(c.listen[0].allow_count, 2);
	config_finish(&c);
	check_ask(&(struct check_by){NULL});
}

static void rows_must_be_whole_and_differ(void **state)
{
	assert_fault("listen: ['127.0.0.1:1', '[::1]:1', 'localhost:1']\n",
	             "c.yaml:1:36: listen: localhost:1 is there twice");
	assert_fault("listen:\n- '[::1]:1'\n- {address: '[0:0::1]:1', dialect: run}\n",
	             "c.yaml:3:3: listen: [0:0::1]:1 is there twice");
	assert_fault("auth: {tokens: [{name: a, scopes: emit}]}\n",
	             "c.yaml:1:39: 'file' is missing");
	assert_fault("auth: {tokens: [{name: a, file: f, scopes: none}]}\n",
	             "auth.tokens: 'a' has no scopes");
	assert_fault("auth:\n  tokens:\n  - {name: a, file: f, scopes: emit}\n"
	             "  - {name: a, file: g, scopes: emit}\n",
	             "auth.tokens: duplicate name 'a'");
	assert_fault("listen: [{dialect: native}]\n", "c.yaml:1:26: 'address' is missing");
}

static void a_file_has_one_map_and_each_key_once(void **state)
{
	assert_fault("data: /a\ndata: /b\n", "c.yaml:2:1: 'data' is given twice");
	assert_fault("- data\n", "c.yaml:1:1: a map of keys is wanted");
	assert_fault("hello\n", "c.yaml:1:1: a map of keys is wanted");
	assert_fault("data: /a\n---\ndata: /b\n", "c.yaml:2:1: a second document begins here");
	assert_fault("[a]: b\n", "c.yaml:1:1: a key is a plain word");
	assert_fault("? [a]\n: b\n", "c.yaml:1:3: a key is a plain word");
}

static void anchors_aliases_and_tags_are_refused(void **state)
{
	const char *words = "anchors, aliases and tags are not allowed here";
	static const char *const files[] = {"data: &a /x\n",   "data: *a\n",   "data: !!str x\n",
	                                    "listen: &a []\n", "log: &a {}\n", "&a data: x\n"};
	struct config c;
	struct error why;

	for (unsigned i = 0; i < 6; i++) {
		assert_false(load_text(&c, files[i], &why));
		assert_non_null(strstr(why.words, words));
	}
}

static void broken_yaml_is_a_fault_with_its_place(void **state)
{
	struct config c;
	struct error why;

	assert_false(load_text(&c, "data: /x\nlisten: [\n", &why));
	assert_non_null(strstr(why.words, "c.yaml:3:1: "));
	assert_false(load_text(&c, "data: \"/x\n", &why));
	assert_non_null(strstr(why.words, "c.yaml:"));
	assert_false(load_text(&c, "data: \xff\n", &why));
	assert_non_null(strstr(why.words, "c.yaml:1:"));
}

static void flags_win_over_environment_over_file_over_default(void **state)
{
	const char *const env[] = {"HOME=/h",
	                           "SIGNALBOX_CONFIG=p.yaml",
	                           "SIGNALBOX_DATA=/env",
	                           "SIGNALBOX_LOG_LEVEL=warn",
	                           "SIGNALBOX_LIMITS_HEADER_TIMEOUT=3s",
	                           "SIGNALBOX_VALIDATION=",
	                           NULL};
	const struct config_flag flags[] = {{"--data", "data", "/flag"}};
	struct config_sources sources = {.env = env, .flags = flags, .flag_count = 1};
	struct config c;
	FILE *file = fopen("p.yaml", "w");

	fputs("data: /file\nlog: {level: error}\nvalidation: off\n", file);
	fclose(file);
	assert_true(config_load(&c, &sources, NULL));
	assert_string_equal(c.data, "/flag");
	assert_int_equal(c.log.level, LOG_WARN);
	assert_int_equal(c.limits.header_ms, 3000);
	assert_int_equal(c.validation, CONFIG_VALIDATE_OFF);
	assert_int_equal(c.limits.depth, 64);
	config_finish(&c);
	unlink("p.yaml");
}

static void a_list_is_replaced_as_a_whole(void **state)
{
	const char *const env[] = {"HOME=/h", "XDG_CONFIG_HOME=/nonexistent",
	                           "SIGNALBOX_LISTEN=127.0.0.1:1, 127.0.0.1:2",
	                           "SIGNALBOX_AUTH_LOCAL=none", NULL};
	const struct config_flag flags[] = {{"--listen", "listen", "[::1]:3"},
	                                    {"--listen", "listen", "[::1]:4"}};
	struct config_sources sources = {.env = env};
	struct config c;

	assert_true(config_load(&c, &sources, NULL));
	assert_int_equal(c.listen_count, 2);
	assert_string_equal(c.listen[1].address, "127.0.0.1:2");
	assert_int_equal(c.auth.local, 0);
	config_finish(&c);
	sources.flags = flags;
	sources.flag_count = 2;
	assert_true(config_load(&c, &sources, NULL));
	assert_int_equal(c.listen_count, 2);
	assert_string_equal(c.listen[0].address, "[::1]:3");
	config_finish(&c);
}

static void the_words_name_the_variable_or_the_flag(void **state)
{
	const char *const env[] = {"HOME=/h", "XDG_CONFIG_HOME=/nonexistent",
	                           "SIGNALBOX_DEMO_SPEED=fast", NULL};
	const char *const plain[] = {"HOME=/h", "XDG_CONFIG_HOME=/nonexistent", NULL};
	const struct config_flag flags[] = {{"--listen", "listen", "here"}};
	struct config_sources sources = {.env = env};
	struct error why;
	struct config c;

	assert_false(config_load(&c, &sources, &why));
	assert_string_equal(why.words, "SIGNALBOX_DEMO_SPEED: 'fast' is not a number");
	sources = (struct config_sources){.env = plain, .flags = flags, .flag_count = 1};
	assert_false(config_load(&c, &sources, &why));
	assert_non_null(strstr(why.words, "--listen: 'here' is not ADDRESS:PORT"));
}

static void the_usual_places_are_looked_at_in_order(void **state)
{
	const char *const by_xdg[] = {"HOME=/h", "XDG_CONFIG_HOME=/nonexistent",
	                              "XDG_STATE_HOME=/state", NULL};
	const char *const nowhere[] = {"PATH=/bin", NULL};
	struct config_sources sources = {.env = by_xdg};
	struct error why;
	struct config c;

	assert_true(config_load(&c, &sources, NULL));
	assert_string_equal(c.data, "/state/signalbox");
	config_finish(&c);
	sources.env = nowhere;
	assert_false(config_load(&c, &sources, &why));
	assert_non_null(strstr(why.words, "--data"));
	sources = (struct config_sources){.env = by_xdg, .file = "/nonexistent/x.yaml"};
	assert_false(config_load(&c, &sources, &why));
	assert_non_null(strstr(why.words, "/nonexistent/x.yaml: No such file"));
}

/* Where the data of a demo is, with this environment and file. */
static void assert_demo_data(const char *const *env, const char *file, const char *dir)
{
	const struct config_sources sources = {.env = env, .file = file, .is_demo = true};
	struct config c;

	assert_true(config_load(&c, &sources, NULL));
	assert_string_equal(c.data, dir);
	config_finish(&c);
}

static void the_demo_keeps_away_from_the_data_of_the_user(void **state)
{
	const char *const env[] = {"HOME=/h", NULL};
	const char *const named[] = {"HOME=/h", "SIGNALBOX_DATA=/named", NULL};
	const struct config_flag flags[] = {{"--data", "data", "/said"}};
	struct config_sources sources = {
		.env = named, .flags = flags, .flag_count = 1, .is_demo = true};
	struct config c;

	write_file("data: /mine\nlog: {level: warn}\n");
	assert_demo_data(env, NULL, "/h/.local/state/signalbox-demo");
	assert_demo_data(env, "c.yaml", "/h/.local/state/signalbox-demo");
	assert_demo_data(named, "c.yaml", "/named");
	assert_true(config_load(&c, &sources, NULL));
	assert_string_equal(c.data, "/said");
	config_finish(&c);
	unlink("c.yaml");
}

static void a_pipe_is_refused_and_not_waited_for(void **state)
{
	const char *const env[] = {"HOME=/h", NULL};
	struct config_sources sources = {.env = env, .file = "pipe.yaml"};
	struct error why;
	struct config c;

	assert_int_equal(mkfifo("pipe.yaml", 0600), 0);
	assert_false(config_load(&c, &sources, &why));
	assert_string_equal(why.words, "pipe.yaml is a pipe, which cannot be read again");
	unlink("pipe.yaml");
}

static void a_huge_file_and_a_huge_list_are_refused(void **state)
{
	size_t n = 300 * 1024;
	char *text = must_alloc(n + 1);
	struct config c;
	struct error why;

	memset(text, '#', n);
	text[n] = '\0';
	assert_false(load_text(&c, text, &why));
	assert_string_equal(why.words, "c.yaml: bigger than 256 KiB");
	n = (size_t)snprintf(text, 100, "auth: {hosts: [");
	for (unsigned i = 0; i < 300; i++)
		n += (size_t)snprintf(text + n, 100, "a%u,", i);
	snprintf(text + n, 100, "]}\n");
	assert_false(load_text(&c, text, &why));
	assert_non_null(strstr(why.words, "hosts: more than 256"));
	free(text);
}

static int enter_a_directory(void **state)
{
	char dir[] = "/tmp/config-test-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) != 0)
		return -1;
	*state = must_dup(dir);
	return 0;
}

static int leave_the_directory(void **state)
{
	int result = chdir("/") != 0 || rmdir(*state) != 0;

	free(*state);
	return result;
}

static void sources_are_read_with_their_credentials(void **state)
{
	struct config c;

	assert_true(load_text(&c,
	                      "data: /srv/box\n"
	                      "sources:\n"
	                      "  - {id: ada, url: 'ws://127.0.0.1:1/', credential: '${HOME}'}\n"
	                      "  - {id: b-1, url: 'https://h/', name: B, model: m, protocol: sse,\n"
	                      "     credential_file: keys/b, connect: false}\n",
	                      NULL));
	assert_int_equal(c.source_count, 2);
	assert_string_equal(c.sources[0].credential, "/home/ada");
	assert_string_equal(c.sources[0].protocol, "auto");
	assert_true(c.sources[0].connect);
	assert_null(c.sources[0].name);
	assert_string_equal(c.sources[1].credential_file, "/srv/box/keys/b");
	assert_string_equal(c.sources[1].protocol, "sse");
	assert_false(c.sources[1].connect);
	config_finish(&c);
}

static void a_source_that_makes_no_sense_is_refused(void **state)
{
	assert_fault("sources: [{id: signalbox, url: 'ws://h/'}]\n",
	             "c.yaml:1:16: id: 'signalbox' is our own name");
	assert_fault("sources: [{id: a, url: 'ws://h/', credential: sk-secret}]\n",
	             "c.yaml:1:47: credential: a secret does not belong here: write ${NAME} for a "
	             "variable of the environment, or use credential_file");
	assert_fault("sources: [{id: a, url: 'ws://h/', credential: '${NO}'}]\n",
	             "sources: 'a': NO is not set in the environment");
	assert_fault("sources: [{id: a, url: 'ws://h/', credential: '${HOME}', "
	             "credential_file: x}]\n",
	             "sources: 'a': credential or credential_file, not both");
	assert_fault("sources: [{id: a, url: 'ws://h/'}, {id: a, url: 'ws://i/'}]\n",
	             "sources: duplicate id 'a'");
}

static void note_stray(void *self, const char *words)
{
	buf_print(self, "%s\n", words);
}

static void a_variable_that_is_no_key_is_found(void **state)
{
	const char *const env[] = {"HOME=/h",
	                           "SIGNALBOX=x",
	                           "SIGNALBOX_CONFIG=",
	                           "SIGNALBOX_DATA=/d",
	                           "SIGNALBOX_EMPTY=",
	                           "SIGNALBOX_LISTN=x",
	                           "SIGNALBOX_KEY_OF_MINE=k",
	                           "SIGNALBOX_FROBNICATE=1",
	                           NULL};
	const struct config_sources sources = {.file = "s.yaml", .env = env};
	FILE *file = fopen("s.yaml", "w");
	struct buf found;
	struct config c;

	assert_non_null(file);
	fputs("sources: [{id: a, url: 'ws://h/', credential: '${SIGNALBOX_KEY_OF_MINE}'}]\n", file);
	fclose(file);
	buf_init(&found, KIB);
	assert_true(config_load(&c, &sources, NULL));
	keys_strays(&c, env, note_stray, &found);
	assert_true(text_is(buf_text(&found),
	                    "SIGNALBOX_LISTN is set, and is no key of the configuration; "
	                    "did you mean SIGNALBOX_LISTEN?\n"
	                    "SIGNALBOX_FROBNICATE is set, and is no key of the configuration\n"));
	buf_finish(&found);
	config_finish(&c);
	unlink("s.yaml");
}

static void data_is_where_we_are_when_it_is_not_from_the_root(void **state)
{
	static const char *const ways[] = {"box", "./box", "././box"};
	const char *const env[] = {"HOME=/h", NULL};
	char *here = getcwd(NULL, 0), *wanted = must_print("%s/box", here);

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const struct config_flag flag = {"--data", "data", ways[i]};
		struct config_sources sources = {.env = env, .flags = &flag, .flag_count = 1};
		struct config c;

		assert_true(config_load(&c, &sources, NULL));
		assert_string_equal(c.data, wanted);
		config_finish(&c);
	}
	free(wanted);
	free(here);
}

static void chats_are_a_map_of_names(void **state)
{
	struct config c;
	struct error why = {""};

	if (!load_text(&c,
	               "adapters:\n"
	               "  terminal:\n"
	               "  notes:\n"
	               "    channel: file\n"
	               "    inbox: in\n"
	               "    outbox: out\n"
	               "    streaming:\n"
	               "      enabled: true\n"
	               "      human_delay: {mode: on}\n"
	               "      coalescing: {joiner: \"\\n\\n\"}\n"
	               "streaming: {human_delay: {mode: off}, mode: blocks}\n"
	               "people: [{name: Ada, identities: ['file:ada']}]\n"
	               "access: [{who: Ada, decision: allow, queue: interrupt}]\n",
	               &why))
		fail_msg("%s", why.words);
	assert_int_equal(c.adapter_count, 2);
	assert_string_equal(c.adapters[0].name, "terminal");
	assert_string_equal(c.adapters[1].inbox, "in");
	assert_int_equal(c.adapters[0].streaming.enabled, CONFIG_AUTO);
	assert_int_equal(c.adapters[1].streaming.enabled, CONFIG_TRUE);
	assert_int_equal(c.adapters[1].streaming.human_delay.mode, CONFIG_PACE_ON);
	assert_string_equal(c.adapters[1].streaming.coalescing.joiner, "\n\n");
	assert_int_equal(c.streaming.human_delay.mode, CONFIG_PACE_OFF);
	assert_int_equal(c.streaming.mode, CONFIG_MODE_BLOCKS);
	assert_string_equal(c.people[0].relationship, "known");
	assert_int_equal(c.access[0].queue, CONFIG_QUEUE_INTERRUPT);
	assert_int_equal(c.deliver.gather_ms, 300);
	config_finish(&c);
	assert_fault("adapters:\n  a: {channel: file}\n",
	             "c.yaml:2:3: adapters: a file needs 'inbox' and 'outbox'");
	assert_fault("adapters:\n  slack: {credential_file: bot}\n",
	             "c.yaml:2:3: adapters: slack needs 'credential' and 'app_credential', or the "
	             "files that hold them");
	assert_fault("adapters:\n  terminal: {credential: sk-secret}\n",
	             "c.yaml:2:26: credential: a secret does not belong here: write ${NAME} for a "
	             "variable of the environment, or use credential_file");
	assert_fault("adapters:\n  terminal: {credential: '${NOBODY_SET_IT}'}\n",
	             "adapters: 'terminal': NOBODY_SET_IT is not set in the environment");
	assert_fault("adapters:\n  terminal: {app_credential: '${NOBODY_SET_IT}'}\n",
	             "adapters: 'terminal': app_credential: NOBODY_SET_IT is not set in the "
	             "environment");
	assert_fault("adapters:\n  a: {}\n  a: {}\n", "c.yaml:3:3: adapters: 'a' is given twice");
	assert_fault("adapters:\n  a: file\n", "c.yaml:2:6: 'adapters' wants a map of maps");
	assert_fault("adapters: [a]\n", "c.yaml:1:11: 'adapters' wants a map of maps");
	assert_fault("people: [{name: a, identities: [ada]}]\n",
	             "c.yaml:1:33: identities: 'ada' is not ADAPTER:SENDER or CHANNEL:SENDER");
}

static bool is_the_same_everywhere(struct text channel)
{
	return text_is(channel, "telegram");
}

static void an_identity_is_one_person_or_refused(void **state)
{
	static const char two[] = "adapters:\n"
				  "  libera: {channel: irc}\n"
				  "  oftc: {channel: irc}\n"
				  "  one: {channel: telegram}\n"
				  "  two: {channel: telegram}\n";
	const struct check_by by = {.names_all = is_the_same_everywhere}, none = {0};
	struct error why = {""};
	struct config c;
	char text[512];

	check_ask(&by);
	snprintf(text, sizeof(text),
	         "%speople: [{name: Ada, identities: ['libera:ada', 'telegram:7', 'xmpp:ada']}]\n",
	         two);
	if (!load_text(&c, text, &why))
		fail_msg("%s", why.words);
	config_finish(&c);
	snprintf(text, sizeof(text), "%speople: [{name: Ada, identities: ['irc:ada']}]\n", two);
	assert_fault(text, "people: 'Ada': 'irc:ada' may be somebody else at 'libera' and at "
	                   "'oftc': write libera:ada or oftc:ada");
	/* That of the adapter of this name, whatever others there are. */
	snprintf(text, sizeof(text),
	         "%s  irc: {}\npeople: [{name: Ada, identities: ['irc:ada']}]\n", two);
	if (!load_text(&c, text, &why))
		fail_msg("%s", why.words);
	config_finish(&c);
	assert_fault("adapters:\n  irc: {channel: xmpp}\n  libera: {channel: irc}\n"
	             "people: [{name: Ada, identities: ['irc:ada']}]\n",
	             "people: 'Ada': 'irc:ada': the adapter 'irc' is called as the channel of "
	             "'libera': give it another name");
	check_ask(&none);
}

static bool is_no_five(struct text value, struct error *why)
{
	return !text_is(value, "5") || error_set(why, "it is five");
}

static void automations_have_conditions_of_any_shape(void **state)
{
	const struct check_by by = {.condition = is_no_five}, none = {0};
	struct config c;
	struct error why = {""};

	if (!load_text(&c,
	               "automations:\n"
	               "- when: {signal.text: {matches: '^a\"', gt: 5, lt: -0.5, equals: true}}\n"
	               "  answer: \"one\\ntwo\"\n"
	               "- when:\n"
	               "  - a: {equals: \"5\"}\n"
	               "  - b: {equals: ~, not: {contains: 05 on}}\n"
	               "  - {}\n"
	               "  route: {agent: other, session: all}\n"
	               "- when:\n"
	               "  set: {disable_streaming: true}\n",
	               &why))
		fail_msg("%s", why.words);
	assert_int_equal(c.automation_count, 3);
	assert_string_equal(c.automations[0].when, "{\"signal.text\":{\"matches\":\"^a\\\"\","
	                                           "\"gt\":5,\"lt\":-0.5,\"equals\":true}}");
	assert_string_equal(c.automations[0].answer, "one\ntwo");
	assert_string_equal(c.automations[1].when,
	                    "[{\"a\":{\"equals\":\"5\"}},"
	                    "{\"b\":{\"equals\":null,\"not\":{\"contains\":\"05 on\"}}},{}]");
	assert_string_equal(c.automations[1].route.agent, "other");
	assert_string_equal(c.automations[1].route.session, "all");
	assert_null(c.automations[2].when);
	assert_true(c.automations[2].set.disable_streaming);
	config_finish(&c);
	assert_fault("automations: [{when: {}}]\n",
	             "c.yaml:1:15: automations: one of 'answer', 'route' and 'set' is wanted");
	assert_fault("automations: [{answer: a, set: {disable_streaming: true}}]\n",
	             "c.yaml:1:15: automations: one of 'answer', 'route' and 'set' is wanted");
	assert_fault("automations: [{route: {session: a}}]\n", "c.yaml:1:34: 'agent' is missing");
	assert_fault("automations:\n- when: [[[[[[[[[1]]]]]]]]]\n",
	             "c.yaml:2:17: nested too deeply");
	assert_fault("automations:\n- when: {a: *b}\n",
	             "c.yaml:2:13: anchors, aliases and tags are not allowed here");
	assert_fault("automations:\n- when: {[a]: b}\n", "c.yaml:2:10: a key is a plain word");
	check_ask(&by);
	assert_fault("automations:\n- answer: a\n  when: 5\n", "c.yaml:3:9: when: it is five");
	check_ask(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chats_are_a_map_of_names),
		cmocka_unit_test(an_identity_is_one_person_or_refused),
		cmocka_unit_test(automations_have_conditions_of_any_shape),
		cmocka_unit_test(defaults_are_those_of_the_manual),
		cmocka_unit_test(whoever_knows_a_name_is_asked_and_the_fault_has_its_place),
		cmocka_unit_test(every_key_can_stand_in_the_file),
		cmocka_unit_test(an_empty_file_and_empty_groups_are_fine),
		cmocka_unit_test(an_unknown_key_is_a_fault_with_its_place),
		cmocka_unit_test(a_wrong_value_is_a_fault_with_its_place),
		cmocka_unit_test(an_address_that_others_reach_is_refused),
		cmocka_unit_test(with_tls_others_may_reach_it),
		cmocka_unit_test(a_listener_of_the_loopback_may_have_scopes),
		cmocka_unit_test(
			a_listener_without_credentials_says_whom_it_lets_in_and_whom_they_ask),
		cmocka_unit_test(rows_must_be_whole_and_differ),
		cmocka_unit_test(a_file_has_one_map_and_each_key_once),
		cmocka_unit_test(anchors_aliases_and_tags_are_refused),
		cmocka_unit_test(broken_yaml_is_a_fault_with_its_place),
		cmocka_unit_test(flags_win_over_environment_over_file_over_default),
		cmocka_unit_test(a_list_is_replaced_as_a_whole),
		cmocka_unit_test(the_words_name_the_variable_or_the_flag),
		cmocka_unit_test(the_usual_places_are_looked_at_in_order),
		cmocka_unit_test(the_demo_keeps_away_from_the_data_of_the_user),
		cmocka_unit_test(a_pipe_is_refused_and_not_waited_for),
		cmocka_unit_test(a_huge_file_and_a_huge_list_are_refused),
		cmocka_unit_test(sources_are_read_with_their_credentials),
		cmocka_unit_test(a_source_that_makes_no_sense_is_refused),
		cmocka_unit_test(a_variable_that_is_no_key_is_found),
		cmocka_unit_test(data_is_where_we_are_when_it_is_not_from_the_root),
	};

	return cmocka_run_group_tests(tests, enter_a_directory, leave_the_directory);
}
