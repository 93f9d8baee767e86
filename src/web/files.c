/* files.c - looking up and sending the page's files. */
#include "web/files.h"

#include <stdio.h>

#include "net/http.h"

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
	struct text rest = if_none_match;

	while (rest.len) {
		struct text tag = text_trim(text_cut(rest, ',', &rest));

		if (text_starts(tag, TEXT("W/")))
			tag = (struct text){tag.at + 2, tag.len - 2};
		if (text_is(tag, file->etag) || text_is(tag, "*"))
			return true;
	}
	return false;
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
