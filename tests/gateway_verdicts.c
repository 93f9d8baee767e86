/* gateway_verdicts.c - what our check says of a gateway method's parameters.
 *
 * One [METHOD, PARAMS] a line on standard input; prints "ok" or why not, a line each, for other
 * programs that compare it with theirs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gateway/params.h"
#include "signal/json.h"

#define LINE_MAX_BYTES (4 * MIB)

int main(void)
{
	struct json_reader reader;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	json_reader_init(&reader, LINE_MAX_BYTES);
	while ((len = getline(&line, &room, stdin)) > 0) {
		struct error why = {"ok"};
		yyjson_doc *doc =
			json_read(&reader, text_trim((struct text){line, (size_t)len}), &why);
		yyjson_val *pair = doc ? yyjson_doc_get_root(doc) : NULL;

		if (pair)
			gateway_params_check(json_text(yyjson_arr_get(pair, 0)),
			                     yyjson_arr_get(pair, 1), &why);
		puts(why.words);
	}
	free(line);
	json_reader_finish(&reader);
	return 0;
}
