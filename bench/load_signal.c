/* The 300-byte signal. One masked frame is made at the start; each signal is a copy of it
 * with the digits of its number and key written in, masked in place. */
#include "load.h"

#include <stdio.h>
#include <string.h>

static const char mask[4] = {0x37, (char)0xfa, 0x21, 0x3d};

static char frame[FRAME_MAX];
static size_t frame_length;
static size_t number_at, key_at, ref_at; /* where the digits begin */

enum { NUMBER_DIGITS = 12, KEY_DIGITS = 5, REF_DIGITS = 10 };

static const char prose[] =
	"The box hears every agent and tells every screen; what it has acknowledged it "
	"keeps, and what it keeps it tells in order. All of this is padding, as long as "
	"a signal needs to be and no longer, in words that a model might have streamed.";

/* An envelope of exactly SIGNAL_BYTES. The first part of the id is this run's own,
 * because a server rightly stores the same id and bytes only once. */
static void envelope(char at[SIGNAL_BYTES + 1])
{
	static const char end[] = "\"}}";
	int used = snprintf(at, SIGNAL_BYTES,
	                    "{\"id\":\"%08x-%0*u\",\"type\":\"text_delta\","
	                    "\"timestamp\":1767225600000,\"source\":\"bench\","
	                    "\"correlationId\":\"c%0*u\","
	                    "\"payload\":{\"agentId\":\"bench\",\"content\":\"",
	                    (unsigned)(now_ns() >> 10), NUMBER_DIGITS, 0u, KEY_DIGITS, 0u);
	size_t padding = SIGNAL_BYTES - (size_t)used - (sizeof end - 1);

	memcpy(at + used, prose, padding);
	memcpy(at + used + padding, end, sizeof end);
}

void signal_prepare(enum signal_form form)
{
	char signal[SIGNAL_BYTES + 1], text[FRAME_MAX];
	size_t length;

	envelope(signal);
	if (form == SIGNAL_EMIT)
		snprintf(text, sizeof text, "{\"op\":\"emit\",\"ref\":%0*u,\"signal\":%s}",
		         REF_DIGITS, 0u, signal);
	else
		snprintf(text, sizeof text, "%s", signal);
	length = strlen(text);
	frame[0] = (char)0x81;
	frame[1] = (char)(0x80 | 126);
	frame[2] = (char)(length >> 8);
	frame[3] = (char)length;
	memcpy(frame + 4, mask, 4);
	for (size_t i = 0; i < length; i++)
		frame[8 + i] = text[i] ^ mask[i & 3];
	frame_length = 8 + length;
	number_at = 8 + (size_t)(strstr(text, "\"id\":\"") - text) + 6 + 9;
	key_at = 8 + (size_t)(strstr(text, "\"correlationId\":\"c") - text) + 18;
	ref_at = form == SIGNAL_EMIT ? 8 + (size_t)(strstr(text, "\"ref\":") - text) + 6 : 0;
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
	if (ref_at > 0) /* A number has no leading zero, so it begins with a one. */
		put_digits(at, ref_at, REF_DIGITS, 1000000000 + number);
	return frame_length;
}
