/* files.h - the page's own files, held in the program.
 *
 * A file is found by its exact path and by nothing else: no directory is read and
 * no path is taken apart, so there is nothing to climb out of.
 */
#ifndef WEB_FILES_H
#define WEB_FILES_H

#include "base/text.h"

struct http;

struct web_file {
	const char *path; /* "/index.html" */
	const char *type;
	const char *etag; /* with its quotes */
	const unsigned char *bytes;
	size_t len;
};

/* Made by tools/embed from ui/; ended by a row without a path. */
extern const struct web_file web_files[];

/* "/" is "/index.html"; NULL when there is no such file. */
const struct web_file *files_find(struct text path);

/* Does an If-None-Match name this file as it is? */
bool files_is_known(const struct web_file *file, struct text if_none_match);

void files_answer(const struct web_file *file, struct http *http);

#endif
