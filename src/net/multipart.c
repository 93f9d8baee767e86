/* multipart.c - forms with files. */
#include "net/multipart.h"

#include <stdio.h>

#include "base/random.h"

void multipart_begin(struct multipart *m, size_t file_max)
{
	buf_init(&m->body, file_max + MULTIPART_REST_MAX);
	random_hex(m->mark, MULTIPART_MARK_BYTES);
	snprintf(m->header, sizeof(m->header), "Content-Type: multipart/form-data; boundary=%s",
	         m->mark);
}

void multipart_finish(struct multipart *m)
{
	buf_finish(&m->body);
}

static void begin_part(struct multipart *m, const char *name)
{
	buf_print(&m->body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", m->mark, name);
}

static void add_part(struct multipart *m, struct text value)
{
	buf_add(&m->body, TEXT("\r\n\r\n"));
	buf_add(&m->body, value);
	buf_add(&m->body, TEXT("\r\n"));
}

void multipart_add(struct multipart *m, const char *name, struct text value)
{
	begin_part(m, name);
	add_part(m, value);
}

void multipart_add_json(struct multipart *m, const char *name, struct text json)
{
	begin_part(m, name);
	buf_add(&m->body, TEXT("\r\nContent-Type: application/json"));
	add_part(m, json);
}

/* Nothing of it ends a name, or its line. */
static void add_plain(struct multipart *m, struct text words)
{
	for (size_t i = 0; i < words.len; i++)
		if ((unsigned char)words.at[i] >= ' ' && words.at[i] != '"' && words.at[i] != '\\')
			buf_add_char(&m->body, words.at[i]);
}

void multipart_begin_file(struct multipart *m, const struct multipart_file *file)
{
	begin_part(m, file->name);
	buf_add(&m->body, TEXT("; filename=\""));
	add_plain(m, file->filename);
	buf_add(&m->body, TEXT("\"\r\nContent-Type: "));
	add_plain(m, file->type);
	buf_add(&m->body, TEXT("\r\n\r\n"));
}

void multipart_end_file(struct multipart *m)
{
	buf_add(&m->body, TEXT("\r\n"));
}

void multipart_end(struct multipart *m)
{
	buf_print(&m->body, "--%s--\r\n", m->mark);
}
