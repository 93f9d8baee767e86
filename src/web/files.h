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
	const char *etag, *packed_etag; /* with their quotes */
	struct text plain, packed;      /* its bytes; as gzip, or empty: it is packed already */
	bool never_changes;             /* its name has a hash of its content */
};

/* Made by tools/embed from the page that ui/build.mjs makes; ended by a row without a
 * path. */
extern const struct web_file web_files[];

/* "/" is "/index.html"; NULL when there is no such file. */
const struct web_file *files_find(struct text path);

/* Would the sender of this Accept-Encoding rather have gzip than the bytes as they are? */
bool files_wants_packed(struct text accept_encoding);

/* Does an If-None-Match name this file as it is, packed or not? */
bool files_is_known(const struct web_file *file, struct text if_none_match);

/* How long it may be kept, the caller has said in the common headers. */
void files_answer(const struct web_file *file, struct http *http);

#endif
