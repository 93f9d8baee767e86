/* adapter.c - fuzz: what programs say that connect chats. */
#include <stdlib.h>

#include "deliver/adapter/adapter_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_status(struct json_reader *reader, struct text line)
{
	struct adapter_status status;
	struct error why;

	if (adapter_read_status(reader, line, &status, &why) && status.message.len > CHANNEL_ID_MAX)
		abort();
	if (adapter_read_sent(reader, line, &status, &why) && status.news == ADAPTER_FAILED &&
	    !status.why.words[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text line = {(const char *)data, size};
	struct channel_inbound inbound;
	struct json_reader reader;
	struct adapter_info info;
	struct error why;
	bool is_connected;

	if (size > ADAPTER_LINE_MAX)
		return 0;
	json_reader_init(&reader, 2 * ADAPTER_LINE_MAX);
	if (adapter_read_event(&reader, line, &inbound, &why) == ADAPTER_MESSAGE &&
	    (!inbound.message.len || !inbound.sender.len || !inbound.peer.len ||
	     !inbound.text.len || inbound.is_owner))
		abort();
	if (adapter_read_info(&reader, line, &info, &why) && info.can[ADAPTER_EDIT] &&
	    !info.can[ADAPTER_STREAM])
		abort();
	adapter_read_health(&reader, line, &is_connected, &why);
	read_status(&reader, line);
	json_reader_finish(&reader);
	return 0;
}
