/* inbound.c - fuzz: lines of a file that messages of people come in. */
#include <stdlib.h>

#include "deliver/inbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text line = {(const char *)data, size};
	struct channel_inbound inbound;
	struct json_reader reader;
	struct error why;

	json_reader_init(&reader, 2 * INBOUND_LINE_MAX);
	if (size <= INBOUND_LINE_MAX && inbound_read(&reader, line, &inbound, &why) &&
	    (!inbound.sender.len || !inbound.peer.len || !inbound.text.len))
		abort();
	json_reader_finish(&reader);
	return 0;
}
