/* files.c - looking up and sending the page's files. */
#include "web/files.h"

#include <stdio.h>

#include "net/http.h"
#include "web/etag.h"

const struct web_file *files_find(struct text path)
{
	if (text_is(path, "/"))
		path = TEXT("/index.html");
	for (const struct web_file *f = web_files; f->path; f++)
		if (text_is(path, f->path))
			return f;
	return NULL;
}

bool files_is_known(const struct web_file *file, struct text if_none_match)
{
	return etag_is_in_weakly(if_none_match, text_of(file->etag));
}

void files_answer(const struct web_file *file, struct http *http)
{
	struct text body = {(const char *)file->bytes, file->len};
	char etag[128];
	bool known = files_is_known(file, http_field(http, "If-None-Match"));

	snprintf(etag, sizeof(etag), "ETag: %s\r\n", file->etag);
	if (known)
		http_answer(http, 304, NULL, (struct text){0}, etag);
	else
		http_answer(http, 200, file->type, body, etag);
}
