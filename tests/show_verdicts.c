/* show_verdicts.c - what our tables say of shows: one JSON text a line on standard
 * input, "ok" or why not on standard output, a line each, for other programs that
 * compare it with theirs.  What only show_read() can say is not asked. */
#include <stdio.h>
#include <stdlib.h>

#include "signal/json.h"
#include "stage/inside.h"

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

		if (doc)
			shape_check(show_shape, yyjson_doc_get_root(doc), &why);
		puts(why.words);
	}
	free(line);
	json_reader_finish(&reader);
	return 0;
}
