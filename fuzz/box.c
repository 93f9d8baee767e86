/* box.c - hostile clients of a whole box: it answers or hangs up, and goes on.
 *
 * The first letter of the input says what is spoken: w, s, r and v are the WebSocket dialects
 * (/ws, /ws/signals, /ws/run, /ws/voice), in which each further line is a message; everything else is
 * HTTP as it comes.  Who has left is let go at once, whatever was said before.
 */
#include <stdlib.h>
#include <unistd.h>

#include "lib/boxed.h"
#include "lib/hold.h"
#include "net/ws.h"

#define HEARD_MAX (64 * MIB)
#define CHECK_EVERY 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *dialect_of(char letter)
{
	return letter == 'w'   ? "/ws"
	       : letter == 's' ? "/ws/signals"
	       : letter == 'r' ? "/ws/run?session=fuzz"
	       : letter == 'v' ? "/ws/voice"
	                       : NULL;
}

static void speak(int fd, const char *path, struct text lines, struct buf *out)
{
	static const char rest[] = " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
				   "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
				   "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
	struct buf frames;

	boxed_say(fd, TEXT("GET "));
	boxed_say(fd, text_of(path));
	boxed_say(fd, TEXT(rest));
	boxed_hear_head(fd, out);
	must_hold(text_starts(buf_text(out), TEXT("HTTP/1.1 101")));
	buf_init(&frames, HEARD_MAX);
	while (lines.len)
		ws_add_masked(&frames, WS_OP_TEXT, text_cut(lines, '\n', &lines));
	ws_add_masked_close(&frames, 1000, TEXT("bye"));
	boxed_say(fd, buf_text(&frames));
	buf_finish(&frames);
}

static void check_health(struct buf *out)
{
	static unsigned inputs;

	if (inputs++ % CHECK_EVERY)
		return;
	buf_clear(out);
	boxed_ask("GET", "/api/status", TEXT(""), out);
	must_hold(text_starts(buf_text(out), TEXT("HTTP/1.1 200")));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct text said = {(const char *)bytes + 1, n - 1};
	const char *dialect;
	struct buf out;
	int fd;

	if (n < 2)
		return 0;
	boxed_start();
	dialect = dialect_of((char)bytes[0]);
	buf_init(&out, HEARD_MAX);
	fd = boxed_connect();
	must_hold(fd >= 0);
	if (dialect)
		speak(fd, dialect, said, &out);
	else
		boxed_say(fd, said);
	boxed_hear_end(fd, &out);
	check_health(&out);
	buf_finish(&out);
	return 0;
}
