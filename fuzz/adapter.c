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

static void read_accounts(struct json_reader *reader, struct text line)
{
	struct error why;
	struct buf names;

	buf_init(&names, 64 * KIB);
	if (adapter_read_accounts(reader, line, &names, &why) && names.full)
		abort();
	adapter_has_account(reader, line, TEXT("post"));
	buf_finish(&names);
}

/* What was read and written is the same again. */
static void read_place(struct text line)
{
	struct text place, again;
	int64_t at_ms, again_ms;
	struct buf kept;

	if (line.len > CHANNEL_ID_MAX)
		return;
	place = adapter_read_place(line, &at_ms);
	buf_init(&kept, 2 * KIB);
	adapter_put_place(at_ms > 0 ? at_ms : 1, place, &kept);
	again = adapter_read_place(buf_text(&kept), &again_ms);
	if (!text_equal(again, place) || again_ms != (at_ms > 0 ? at_ms : 1))
		abort();
	buf_finish(&kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text line = {(const char *)data, size};
	struct adapter_event event;
	struct json_reader reader;
	struct adapter_info info;
	struct error why;
	bool is_connected;

	if (size > ADAPTER_LINE_MAX)
		return 0;
	json_reader_init(&reader, 2 * ADAPTER_LINE_MAX);
	if (adapter_read_event(&reader, line, &event, &why) == ADAPTER_MESSAGE &&
	    (!event.inbound.message.len || !event.inbound.sender.len || !event.inbound.peer.len ||
	     !(event.inbound.text.len + event.inbound.file_count) || event.inbound.is_owner ||
	     event.at_ms < 0))
		abort();
	if (adapter_read_info(&reader, line, &info, &why) && info.can[ADAPTER_EDIT] &&
	    !info.can[ADAPTER_STREAM])
		abort();
	adapter_read_health(&reader, line, &is_connected, &why);
	read_accounts(&reader, line);
	read_place(line);
	read_status(&reader, line);
	json_reader_finish(&reader);
	return 0;
}
