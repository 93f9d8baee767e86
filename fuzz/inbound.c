/* inbound.c - fuzz: lines of a file that messages of people come in. */
#include <stdlib.h>

#include "deliver/files.h"
#include "deliver/inbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Written down and read again they are as many; names are of one part, lines of one line. */
static void check_files(const struct channel_inbound *inbound)
{
	struct channel_file again[FILES_MAX];
	struct json_reader reader;
	struct buf out;

	json_reader_init(&reader, MIB);
	buf_init(&out, MIB);
	files_put(inbound->files, inbound->file_count, &out);
	if (files_read(&reader, buf_text(&out), again) != inbound->file_count)
		abort();
	for (unsigned i = 0; i < inbound->file_count; i++) {
		buf_clear(&out);
		files_put_name(&again[i], i + 1, &out);
		if (out.len > FILES_NAME_MAX || memchr(out.at, '/', out.len))
			abort();
		files_put_line(&again[i], &(struct files_end){.why = TEXT("why")}, &out);
		for (size_t j = 0; j < out.len; j++)
			if ((unsigned char)out.at[j] < ' ')
				abort();
	}
	buf_finish(&out);
	json_reader_finish(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text line = {(const char *)data, size};
	struct channel_inbound inbound;
	struct inbound_files files;
	struct json_reader reader;
	struct error why;

	json_reader_init(&reader, 2 * INBOUND_LINE_MAX);
	if (size <= INBOUND_LINE_MAX && inbound_read(&reader, line, &files, &inbound, &why)) {
		if (!inbound.sender.len || !inbound.peer.len ||
		    (!inbound.text.len && !inbound.file_count))
			abort();
		check_files(&inbound);
	}
	json_reader_finish(&reader);
	return 0;
}
