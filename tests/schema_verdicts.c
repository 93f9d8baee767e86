/* schema_verdicts.c - what our schema check says of a signal.
 *
 *   schema_verdicts FILE...   each FILE is an array of {name, signal, valid}: is
 *                             ours the verdict it names?  Prints TAP.
 *   schema_verdicts           one JSON text a line on standard input; prints "ok"
 *                             or why not, a line each, for other programs that
 *                             compare it with theirs
 *
 * A file that is not there is skipped, because some come from outside the tree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "signal/envelope.h"
#include "signal/json.h"
#include "signal/schema.h"

#define FILE_MAX (4 * MIB)

static int judge_lines(void)
{
	struct json_reader reader;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	json_reader_init(&reader, FILE_MAX);
	while ((len = getline(&line, &room, stdin)) > 0) {
		struct error why = {"ok"};
		yyjson_doc *doc =
			json_read(&reader, text_trim((struct text){line, (size_t)len}), &why);

		if (doc)
			schema_check(yyjson_doc_get_root(doc), &why);
		puts(why.words);
	}
	free(line);
	json_reader_finish(&reader);
	return 0;
}

/* May it be stored without another look at it? */
static bool is_plain(yyjson_val *signal)
{
	char *raw = yyjson_val_write(signal, 0, NULL);
	struct members plain;
	bool is = envelope_read(&plain, text_of(raw), true);

	free(raw);
	return is;
}

/* How many were judged otherwise than the file says. */
static unsigned judge_cases(yyjson_val *cases, unsigned *count)
{
	yyjson_val *one;
	size_t i, max;
	unsigned failed = 0;

	yyjson_arr_foreach(cases, i, max, one)
	{
		bool valid = yyjson_get_bool(yyjson_obj_get(one, "valid"));
		const char *name = yyjson_get_str(yyjson_obj_get(one, "name"));
		struct error why = {"valid"};
		yyjson_val *signal = yyjson_obj_get(one, "signal");
		bool ok = schema_check(signal, &why) == valid && (valid || !is_plain(signal));

		printf("%sok %u - %s\n", ok ? "" : "not ", ++*count,
		       name ? name : "a case without a name");
		if (!ok)
			printf("# we say %s\n", why.words);
		failed += !ok;
	}
	return failed;
}

static unsigned judge_file(const char *path, unsigned *count)
{
	unsigned failed;
	yyjson_doc *doc;

	if (access(path, R_OK) != 0) {
		printf("ok %u - %s # skip it is not there\n", ++*count, path);
		return 0;
	}
	doc = yyjson_read_file(path, 0, NULL, NULL);
	if (!doc) {
		printf("not ok %u - %s is JSON\n", ++*count, path);
		return 1;
	}
	failed = judge_cases(yyjson_doc_get_root(doc), count);
	yyjson_doc_free(doc);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned count = 0, failed = 0;

	if (argc == 1)
		return judge_lines();
	for (int i = 1; i < argc; i++)
		failed += judge_file(argv[i], &count);
	printf("1..%u\n", count);
	return failed ? 1 : 0;
}
