/* devices_test.c - what is paired, what the file has of it, and what is not let in. */
#include "web/devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/whole.h"
#include "web/revoked.h"

#define NOW INT64_C(1700000000000)
#define SCOPES ((unsigned)SCOPE_OBSERVE | (unsigned)SCOPE_ANSWER)

static char data[] = "/tmp/devices-XXXXXX";
static char path[64];

static int set_up(void **state)
{
	unlink(path);
	return 0;
}

static struct devices *open_devices(void)
{
	struct error why;
	struct devices *d = devices_open(data, &why);

	if (!d)
		fail_msg("%s", why.words);
	return d;
}

static void add(struct devices *d, const char *name, unsigned scopes, char secret[TOKEN_LEN + 1])
{
	struct device_wish wish = {.scopes = scopes};
	struct error why;
	bool added;

	snprintf(wish.name, sizeof(wish.name), "%s", name);
	added = devices_add(d, &wish, NOW, secret, &why);
	assert_true(added);
}

static bool find(struct devices *d, const char *secret, struct caller *caller)
{
	return devices_find(d, text_of(secret), NOW + 5, caller);
}

static void a_device_is_known_by_its_secret(void **state)
{
	char secret[TOKEN_LEN + 1];
	struct devices *d = open_devices();
	struct caller caller = {0};

	add(d, "phone", SCOPES, secret);
	assert_int_equal(strlen(secret), TOKEN_LEN);
	assert_true(find(d, secret, &caller));
	assert_int_equal(caller.scopes, SCOPES);
	assert_true(caller.has_credential);
	assert_string_equal(caller.name, "device:phone");
	assert_true(devices_has(d, caller.device));
	secret[0] = secret[0] == '0' ? '1' : '0';
	assert_false(find(d, secret, &caller));
	assert_false(find(d, "", &caller));
	devices_destroy(d);
}

static void a_restart_keeps_it(void **state)
{
	char secret[TOKEN_LEN + 1];
	struct devices *d = open_devices();
	struct caller caller = {0};
	struct buf out;

	add(d, "phone", SCOPES, secret);
	assert_true(find(d, secret, &caller));
	devices_destroy(d);
	d = open_devices();
	assert_int_equal(devices_count(d), 1);
	assert_true(find(d, secret, &caller));
	assert_int_equal(caller.scopes, SCOPES);
	buf_init(&out, 4 * KIB);
	devices_put(d, &out);
	buf_add_char(&out, '\0');
	assert_non_null(strstr(out.at, "\"seenMs\":1700000000005"));
	buf_finish(&out);
	devices_destroy(d);
}

static void the_file_has_no_secret_and_is_ours_alone(void **state)
{
	char secret[TOKEN_LEN + 1];
	struct devices *d = open_devices();
	struct buf bytes;
	struct error why;
	struct stat st;
	bool read;

	add(d, "phone", SCOPES, secret);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	buf_init(&bytes, 64 * KIB);
	read = whole_load(path, 0, &bytes, &why);
	assert_true(read);
	buf_add_char(&bytes, '\0');
	assert_null(strstr(bytes.at, secret));
	assert_non_null(strstr(bytes.at, "\"phone\""));
	buf_finish(&bytes);
	devices_destroy(d);
}

static void one_that_is_revoked_is_nobody_even_after_a_restart(void **state)
{
	char first[TOKEN_LEN + 1], second[TOKEN_LEN + 1];
	struct devices *d = open_devices();
	struct caller caller = {0};
	struct device_removal removal = {.now_ms = NOW};
	struct error why;
	bool gone;

	add(d, "phone", SCOPES, first);
	add(d, "tablet", SCOPE_OBSERVE, second);
	gone = devices_remove(d, TEXT("phone"), &removal, &why);
	assert_true(gone);
	assert_true(removal.id != 0);
	assert_false(devices_has(d, removal.id));
	assert_false(find(d, first, &caller));
	assert_true(find(d, second, &caller));
	gone = devices_remove(d, TEXT("phone"), &removal, &why);
	assert_false(gone);
	assert_int_equal(removal.id, 0);
	devices_destroy(d);
	d = open_devices();
	assert_false(find(d, first, &caller));
	assert_true(find(d, second, &caller));
	devices_destroy(d);
}

static void revoke_one(struct devices *d, const char *name, bool by_itself)
{
	struct device_removal removal = {.by_itself = by_itself, .now_ms = NOW};
	struct error why;
	bool gone = devices_remove(d, text_of(name), &removal, &why);

	assert_true(gone);
}

static void one_that_is_revoked_is_told_so_once_and_not_for_ever(void **state)
{
	char first[TOKEN_LEN + 1], second[TOKEN_LEN + 1];
	struct devices *d = open_devices();
	bool was;

	add(d, "phone", SCOPES, first);
	add(d, "tablet", SCOPES, second);
	assert_false(devices_owe_word(d, NOW));
	revoke_one(d, "phone", false);
	assert_true(devices_owe_word(d, NOW));
	assert_true(devices_owe_word(d, NOW + REVOKED_OWED_MS - 1));
	assert_false(devices_owe_word(d, NOW + REVOKED_OWED_MS));
	assert_false(devices_owe_word(d, NOW - 1)); /* the clock was put back */
	was = devices_was_revoked(d, text_of(second));
	assert_false(was);
	assert_true(devices_owe_word(d, NOW));
	assert_false(devices_has_revoked(d, text_of(second)));
	assert_true(devices_has_revoked(d, text_of(first)));
	assert_true(devices_owe_word(d, NOW)); /* it was looked for only */
	was = devices_was_revoked(d, text_of(first));
	assert_true(was);
	assert_false(devices_owe_word(d, NOW));
	was = devices_was_revoked(d, text_of(first));
	assert_true(was);
	revoke_one(d, "tablet", true);
	assert_false(devices_owe_word(d, NOW));
	was = devices_was_revoked(d, text_of(second));
	assert_true(was);
	devices_destroy(d);
}

static void of_many_that_were_revoked_the_newest_are_known(void **state)
{
	char secrets[REVOKED_MAX + 1][TOKEN_LEN + 1];
	struct devices *d = open_devices();
	bool was;

	for (size_t i = 0; i <= REVOKED_MAX; i++) {
		add(d, "phone", SCOPES, secrets[i]);
		revoke_one(d, "phone", false);
	}
	was = devices_was_revoked(d, text_of(secrets[0]));
	assert_false(was);
	for (size_t i = 1; i <= REVOKED_MAX; i++) {
		assert_true(devices_owe_word(d, NOW));
		was = devices_was_revoked(d, text_of(secrets[i]));
		assert_true(was);
	}
	assert_false(devices_owe_word(d, NOW));
	devices_destroy(d);
}

/* Of one that comes after it, with the same name, it has neither id nor secret. */
static void a_name_that_is_taken_gets_a_number(void **state)
{
	char secret[TOKEN_LEN + 1];
	struct device_wish wish = {"phone", SCOPES};
	struct devices *d = open_devices();
	struct error why;
	bool added;

	add(d, "phone", SCOPES, secret);
	added = devices_add(d, &wish, NOW, secret, &why);
	assert_true(added);
	assert_string_equal(wish.name, "phone-2");
	devices_destroy(d);
}

static void there_is_a_most(void **state)
{
	char secret[TOKEN_LEN + 1], last[TOKEN_LEN + 1];
	struct device_wish wish = {"phone", SCOPES};
	struct devices *d = open_devices();
	struct caller caller = {0};
	struct error why;
	bool added;

	for (int i = 0; i < DEVICES_MAX; i++)
		add(d, "phone", SCOPES, last);
	added = devices_add(d, &wish, NOW, secret, &why);
	assert_false(added);
	assert_true(find(d, last, &caller));
	assert_string_equal(caller.name, "device:phone-64");
	devices_destroy(d);
}

/* A folder in the place of the file cannot be replaced by it. */
static void what_could_not_be_written_is_owed_or_undone(void **state)
{
	const struct device_push push = {TEXT("https://push.example/a"), TEXT("p"), TEXT("a"),
	                                 true};
	struct device_push other = push;
	char secret[TOKEN_LEN + 1];
	struct devices *d = open_devices();
	struct caller caller = {0};
	struct error why;
	struct device_removal removal = {.now_ms = NOW};
	bool done;

	add(d, "phone", SCOPES, secret);
	assert_true(find(d, secret, &caller));
	done = devices_set_push(d, caller.device, &push, &why);
	assert_true(done);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	done = devices_set_push(d, caller.device, &push, &why);
	assert_true(done); /* it is the same, and not written */
	other.endpoint = TEXT("https://push.example/b");
	done = devices_set_push(d, caller.device, &other, &why);
	assert_false(done);
	done = devices_set_push(d, caller.device, &push, &why);
	assert_true(done); /* it is as before */
	assert_false(devices_owe(d));
	done = devices_remove(d, TEXT("phone"), &removal, &why);
	assert_false(done);
	assert_true(removal.id && devices_owe(d));
	done = devices_pay(d, &why);
	assert_false(done);
	assert_int_equal(rmdir(path), 0);
	done = devices_pay(d, &why);
	assert_true(done);
	assert_false(devices_owe(d));
	devices_destroy(d);
	d = open_devices();
	assert_int_equal(devices_count(d), 0);
	devices_destroy(d);
}

static void write_devices(const char *words, mode_t mode)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(words, out);
	fclose(out);
	assert_int_equal(chmod(path, mode), 0);
}

static void a_file_that_is_none_of_ours_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"{}",
		"[1]",
		"[{\"name\":\"a\"}]",
		"[{\"name\":\"a b\",\"scopes\":[\"observe\"],\"digest\":\"00\"}]",
		"[{\"name\":\"a\",\"scopes\":[\"observe\"],\"digest\":\"00\"}]",
		"[{\"name\":\"a\",\"scopes\":[\"king\"],\"digest\":"
		"\"0000000000000000000000000000000000000000000000000000000000000000\"}]",
		"[{\"name\":\"a\",\"scopes\":[],\"digest\":"
		"\"0000000000000000000000000000000000000000000000000000000000000000\"}]",
	};
	struct error why;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		write_devices(bad[i], 0600);
		assert_null(devices_open(data, &why));
	}
	write_devices("[]", 0644);
	assert_null(devices_open(data, &why));
	assert_non_null(strstr(why.words, "chmod 600"));
	write_devices("[]", 0600);
	devices_destroy(open_devices());
}

static void names_are_plain(void **state)
{
	struct error why;

	assert_true(devices_name_is_good(TEXT("My-Phone_2"), &why));
	assert_false(devices_name_is_good(TEXT(""), &why));
	assert_false(devices_name_is_good(TEXT("a b"), &why));
	assert_false(devices_name_is_good(TEXT("a\x1b"), &why));
	assert_false(devices_name_is_good(TEXT("a/b"), &why));
	assert_false(devices_name_is_good(TEXT("abcdefghijklmnopqrstuvwxyzabcdef"), &why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_device_is_known_by_its_secret, set_up),
		cmocka_unit_test_setup(a_restart_keeps_it, set_up),
		cmocka_unit_test_setup(the_file_has_no_secret_and_is_ours_alone, set_up),
		cmocka_unit_test_setup(one_that_is_revoked_is_nobody_even_after_a_restart, set_up),
		cmocka_unit_test_setup(one_that_is_revoked_is_told_so_once_and_not_for_ever,
	                               set_up),
		cmocka_unit_test_setup(of_many_that_were_revoked_the_newest_are_known, set_up),
		cmocka_unit_test_setup(a_name_that_is_taken_gets_a_number, set_up),
		cmocka_unit_test_setup(there_is_a_most, set_up),
		cmocka_unit_test_setup(what_could_not_be_written_is_owed_or_undone, set_up),
		cmocka_unit_test_setup(a_file_that_is_none_of_ours_is_refused, set_up),
		cmocka_unit_test(names_are_plain),
	};
	int failed;

	if (!mkdtemp(data))
		return 1;
	snprintf(path, sizeof(path), "%s/devices.json", data);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(data);
	return failed;
}
