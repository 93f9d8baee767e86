/* store_test.c - what a restart remembers, and what it does with files that are not
 * as they should be. */
#include "source/store.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "source/fixture.h"

static int begin(void **state)
{
	log_set_level(LOG_ERROR);
	return fixture_set_up(state);
}

static void add(const char *id, const char *credential)
{
	struct source_wish wish = {
		.id = text_of(id),
		.url = TEXT("ws://127.0.0.1:1/"),
		.credential = text_of(credential),
		.model = TEXT("m\"1"),
	};
	struct error why;

	if (sources_add(fixture.sources, &wish, &why) != BACK_DONE)
		fail_msg("%s", why.words);
}

static struct source *find(const char *id)
{
	return sources_find(fixture.sources, text_of(id));
}

static char *json_of(const struct source *s)
{
	struct buf json;
	char *dup;

	buf_init(&json, MIB);
	source_json(s, &json);
	dup = text_dup(buf_text(&json));
	buf_finish(&json);
	return dup;
}

static mode_t mode_of(const char *name)
{
	char *path = must_print("%s/%s", fixture.dir, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	free(path);
	return st.st_mode & 0777;
}

/* How many files of the directory begin with this. */
static unsigned files_like(const char *prefix)
{
	DIR *files = opendir(fixture.dir);
	struct dirent *one;
	unsigned n = 0;

	while ((one = readdir(files)))
		n += strncmp(one->d_name, prefix, strlen(prefix)) == 0;
	closedir(files);
	return n;
}

static void a_restart_remembers_everything(void **state)
{
	char *before, *after, *file;

	add("ada", "secret");
	add("bob", NULL);
	before = json_of(find("ada"));
	fixture_restart();
	after = json_of(find("ada"));
	assert_string_equal(before, after);
	assert_string_equal(source_credential(find("ada")), "secret");
	assert_null(source_credential(find("bob")));
	file = fixture_read("sources.json");
	assert_null(strstr(file, "secret"));
	assert_int_equal(mode_of("source-credentials.json"), 0600);
	assert_int_equal(files_like("source"), 2); /* nothing half written is left */
	free(file);
	free(before);
	free(after);
}

static void what_was_removed_is_forgotten(void **state)
{
	char *file;

	add("ada", "secret");
	sources_remove(fixture.sources, TEXT("ada"), NULL);
	file = fixture_read("source-credentials.json");
	assert_null(strstr(file, "secret"));
	free(file);
	fixture_restart();
	assert_null(find("ada"));
}

static void what_the_configuration_names_is_not_written(void **state)
{
	struct source_wish wish = {.id = TEXT("conf"),
	                           .url = TEXT("ws://127.0.0.1:1/"),
	                           .credential = TEXT("secret"),
	                           .is_configured = true};

	assert_int_equal(sources_add(fixture.sources, &wish, NULL), BACK_DONE);
	assert_int_equal(files_like("source"), 0);
}

static void a_service_is_kept_when_somebody_decided_something(void **state)
{
	struct source_wish wish = {
		.id = TEXT("local:x"), .url = TEXT("ws://127.0.0.1:1/"), .is_local = true};
	struct source_wish secret = {.credential = TEXT("secret")};

	sources_add(fixture.sources, &wish, NULL);
	assert_int_equal(files_like("source"), 0);
	sources_change(fixture.sources, wish.id, &secret, NULL);
	fixture_restart();
	assert_int_equal(source_state(find("local:x")), SOURCE_UNAVAILABLE);
	assert_string_equal(source_credential(find("local:x")), "secret");
}

static void a_damaged_list_is_put_aside_and_the_rest_is_kept(void **state)
{
	add("ada", "secret");
	fixture_write("sources.json", "{\"version\": 1, \"sources\": [");
	fixture_restart();
	assert_null(find("ada"));
	assert_int_equal(files_like("sources.json.bad-"), 1);
	add("bob", "another");
	fixture_restart();
	assert_non_null(find("bob"));
	assert_int_equal(files_like("sources.json.bad-"), 1);
}

static void a_damaged_row_costs_only_itself(void **state)
{
	fixture_write("sources.json", "{\"version\": 1, \"sources\": ["
	                              "{\"id\": \"ada\", \"url\": \"ws://127.0.0.1:1/\"},"
	                              "{\"id\": \"bad\", \"url\": 7},"
	                              "{\"url\": \"ws://127.0.0.1:1/\"},"
	                              "{\"id\": \"ada\", \"url\": \"ws://127.0.0.1:2/\"},"
	                              "{\"id\": \"bob\", \"url\": \"ws://127.0.0.1:1/\"}]}");
	fixture_restart();
	assert_non_null(find("ada"));
	assert_non_null(find("bob"));
	assert_null(find("bad"));
	assert_string_equal(source_url(find("ada")), "ws://127.0.0.1:1/");
	assert_int_equal(files_like("sources.json.bad-"), 1);
	fixture_restart();
	assert_non_null(find("ada"));
	assert_non_null(find("bob"));
	assert_int_equal(files_like("sources.json.bad-"), 1);
}

static void damaged_credentials_cost_no_source(void **state)
{
	static const char *const damaged[] = {"", "{\"ada\": \"secr", "[]", "{\"ada\": 1}",
	                                      "\xff\xfe"};

	for (unsigned i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		if (!find("ada"))
			add("ada", "secret");
		fixture_write("source-credentials.json", damaged[i]);
		fixture_restart();
		assert_non_null(find("ada"));
		assert_null(source_credential(find("ada")));
		assert_true(files_like("source-credentials.json.bad-") > 0);
		usleep(2000); /* they are called after the millisecond */
	}
	assert_int_equal(files_like("source-credentials.json.bad-"), 5);
}

static void a_credential_of_nobody_goes_to_nobody(void **state)
{
	add("ada", "secret");
	fixture_write("sources.json", "damaged");
	fixture_restart();
	add("ada", NULL); /* perhaps at another address */
	assert_null(source_credential(find("ada")));
}

static bool opens(struct error *why)
{
	struct store *store = store_open(fixture.dir, why);

	store_close(store);
	return store != NULL;
}

static void credentials_that_others_may_read_are_refused(void **state)
{
	char *path = must_print("%s/source-credentials.json", fixture.dir);
	struct error why;

	add("ada", "secret");
	for (mode_t bit = 1; bit < 0100; bit <<= 1) {
		assert_int_equal(chmod(path, 0600 | bit), 0);
		assert_false(opens(&why));
		assert_non_null(strstr(why.words, "chmod 600"));
	}
	assert_int_equal(chmod(path, 0600), 0);
	assert_true(opens(&why));
	free(path);
}

static void a_disk_that_fails_is_told(void **state)
{
	char *path = must_print("%s/sources.json", fixture.dir);
	struct source_wish wish = {.id = TEXT("ada"), .url = TEXT("ws://127.0.0.1:1/")};
	struct error why;

	log_set_level(LOG_ERROR);
	assert_int_equal(mkdir(path, 0700), 0); /* where the file should be */
	assert_int_equal(sources_add(fixture.sources, &wish, &why), BACK_UNSAVED);
	assert_non_null(strstr(why.words, "a restart will forget it"));
	assert_non_null(find("ada"));
	assert_int_equal(rmdir(path), 0);
	free(path);
}

static bool reads_secret(const char *bytes, mode_t mode, const char *wanted)
{
	char *path = must_print("%s/key", fixture.dir);
	struct error why;
	struct buf out;
	bool good;

	fixture_write("key", bytes);
	assert_int_equal(chmod(path, mode), 0);
	buf_init(&out, 8 * KIB);
	good = whole_load_secret(path, &out, &why) && text_is(buf_text(&out), wanted);
	buf_finish(&out);
	free(path);
	return good;
}

static void a_secret_is_one_line_in_a_file_of_our_own(void **state)
{
	assert_true(reads_secret("sk-1\n", 0600, "sk-1"));
	assert_true(reads_secret("  sk-1\r\n\n", 0400, "sk-1"));
	assert_false(reads_secret("sk-1\n", 0640, "sk-1"));
	assert_false(reads_secret("\n", 0600, ""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_restart_remembers_everything),
		TEST(what_was_removed_is_forgotten),
		TEST(what_the_configuration_names_is_not_written),
		TEST(a_service_is_kept_when_somebody_decided_something),
		TEST(a_damaged_list_is_put_aside_and_the_rest_is_kept),
		TEST(a_damaged_row_costs_only_itself),
		TEST(damaged_credentials_cost_no_source),
		TEST(a_credential_of_nobody_goes_to_nobody),
		TEST(credentials_that_others_may_read_are_refused),
		TEST(a_disk_that_fails_is_told),
		TEST(a_secret_is_one_line_in_a_file_of_our_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
