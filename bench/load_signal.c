/* The 300-byte signal. One frame is made at the start; each signal is a copy of it with the
 * digits of its number and key written in, masked in place where it is a WebSocket's. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static char mask[4]; /* all zero: the frame is not masked */
static char frame[FRAME_MAX];
static size_t frame_length;
static size_t number_at, key_at, ref_at, subject_at; /* where the digits begin; 0: nowhere */

enum {
	RUN_DIGITS = 9, /* with the dash behind them */
	NUMBER_DIGITS = 12,
	KEY_DIGITS = 5,
	REF_DIGITS = 10,
};

static const char *signal_type = "text_delta";
static size_t signal_bytes = SIGNAL_BYTES;

static const char prose[] =
	"The box hears every agent and tells every screen; what it has acknowledged it "
	"keeps, and what it keeps it tells in order. All of this is padding, as long as "
	"a signal needs to be and no longer, in words that a model might have streamed.";

void signal_shape(const char *type, size_t bytes)
{
	signal_type = type;
	signal_bytes = bytes;
}

/* An envelope of exactly signal_bytes. The first part of the id is this run's own,
 * because a server rightly stores the same id and bytes only once. */
static void envelope(char at[FRAME_MAX])
{
	static const char end[] = "\"}}";
	int used = snprintf(at, FRAME_MAX,
	                    "{\"id\":\"%08x-%0*u\",\"type\":\"%s\","
	                    "\"timestamp\":1767225600000,\"source\":\"bench\","
	                    "\"correlationId\":\"c%0*u\","
	                    "\"payload\":{\"agentId\":\"bench\",\"content\":\"",
	                    (unsigned)(now_ns() >> 10), NUMBER_DIGITS, 0u, signal_type, KEY_DIGITS,
	                    0u);
	size_t padding = signal_bytes - (size_t)used - (sizeof end - 1);

	errno = 0;
	if (signal_bytes < (size_t)used + sizeof end || padding > sizeof prose - 1)
		die("a signal cannot have %zu bytes", signal_bytes);
	memcpy(at + used, prose, padding);
	memcpy(at + used + padding, end, sizeof end);
}

/* Where the digits stand that change: behind these words, in the frame at `text`. */
static size_t find(const char *words, size_t from)
{
	const char *at = memmem(frame + from, frame_length - from, words, strlen(words));

	return at == NULL ? 0 : (size_t)(at - frame) + strlen(words);
}

static void find_digits(size_t from)
{
	number_at = find("\"id\":\"", from) + RUN_DIGITS;
	key_at = find("\"correlationId\":\"c", from);
}

void signal_wrap(const char *head, const char *tail)
{
	char signal[FRAME_MAX];

	envelope(signal);
	memset(mask, 0, sizeof mask);
	frame_length = (size_t)snprintf(frame, sizeof frame, "%s%s%s", head, signal, tail);
	find_digits(strlen(head));
	subject_at = strstr(head, "c00000") == NULL ? 0 : find("c00000", 0) - KEY_DIGITS;
}

void signal_mask(enum signal_form form)
{
	static const char some[4] = {0x37, (char)0xfa, 0x21, 0x3d};
	char signal[FRAME_MAX];
	int length;

	envelope(signal);
	length = snprintf(frame + 8, sizeof frame - 8,
	                  form == SIGNAL_EMIT ? "{\"op\":\"emit\",\"ref\":0000000000,\"signal\":%s}"
	                                      : "%s",
	                  signal);
	frame_length = 8 + (size_t)length;
	find_digits(8);
	ref_at = form == SIGNAL_EMIT ? find("\"ref\":", 8) : 0;
	frame[0] = (char)0x81;
	frame[1] = (char)(0x80 | 126);
	frame[2] = (char)(length >> 8);
	frame[3] = (char)length;
	memcpy(mask, some, sizeof mask);
	memcpy(frame + 4, mask, sizeof mask);
	for (size_t i = 8; i < frame_length; i++)
		frame[i] ^= mask[i & 3];
}

/* Digits of `value`, the last at at[count - 1]; the mask goes by the place in the payload,
 * and the payload begins at a multiple of four. */
static void put_digits(char *base, size_t at, int count, uint64_t value)
{
	while (count-- > 0) {
		base[at + (size_t)count] =
			(char)('0' + value % 10) ^ mask[(at + (size_t)count) & 3];
		value /= 10;
	}
}

size_t signal_frame(char *at, uint64_t number, unsigned key)
{
	memcpy(at, frame, frame_length);
	put_digits(at, number_at, NUMBER_DIGITS, number);
	put_digits(at, key_at, KEY_DIGITS, key);
	if (subject_at > 0)
		put_digits(at, subject_at, KEY_DIGITS, key);
	if (ref_at > 0) /* A number has no leading zero, so it begins with a one. */
		put_digits(at, ref_at, REF_DIGITS, 1000000000 + number);
	return frame_length;
}
