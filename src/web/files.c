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

/* A quality in thousandths: the q of a coding's parameters, 1 when there is none.  What is
 * none at all is 0, so that nobody gets what he may not have wanted. */
static unsigned quality(struct text parameters)
{
	unsigned thousandths = 0, place = 100;
	struct text q = text_trim(parameters);

	if (q.len == 0)
		return 1000;
	if (q.len < 3 || (q.at[0] != 'q' && q.at[0] != 'Q') || q.at[1] != '=')
		return 0;
	if (q.at[2] == '1')
		return 1000;
	for (size_t i = 4; i < q.len && place && q.at[i] >= '0' && q.at[i] <= '9'; i++) {
		thousandths += place * (unsigned)(q.at[i] - '0');
		place /= 10;
	}
	return thousandths;
}

bool files_wants_packed(struct text accept_encoding)
{
	int gzip = -1, plain = -1, any = -1;

	while (accept_encoding.len) {
		struct text one = text_cut(accept_encoding, ',', &accept_encoding), parameters;
		struct text name = text_trim(text_cut(one, ';', &parameters));
		int wish = (int)quality(parameters);

		if (text_equal_nocase(name, TEXT("gzip")) ||
		    text_equal_nocase(name, TEXT("x-gzip")))
			gzip = wish;
		else if (text_equal_nocase(name, TEXT("identity")))
			plain = wish;
		else if (text_is(name, "*"))
			any = wish;
	}
	if (gzip < 0)
		gzip = any;
	return gzip > 0 && gzip >= plain;
}

bool files_is_known(const struct web_file *file, struct text if_none_match)
{
	return etag_is_in_weakly(if_none_match, text_of(file->etag)) ||
	       etag_is_in_weakly(if_none_match, text_of(file->packed_etag));
}

void files_answer(const struct web_file *file, struct http *http)
{
	bool packed =
		file->packed.len > 0 && files_wants_packed(http_field(http, "Accept-Encoding"));
	char extra[160];

	snprintf(extra, sizeof(extra), "ETag: %s\r\nVary: Accept-Encoding\r\n%s",
	         packed ? file->packed_etag : file->etag,
	         packed ? "Content-Encoding: gzip\r\n" : "");
	if (files_is_known(file, http_field(http, "If-None-Match")))
		http_answer(http, 304, NULL, (struct text){0}, extra);
	else
		http_answer(http, 200, file->type, packed ? file->packed : file->plain, extra);
}
