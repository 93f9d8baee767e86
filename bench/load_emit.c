/* Durable emits on one WebSocket: every emit has a ref, 1024 of them wait for their
 * acknowledgement at any time. Used to measure that (`durable`), and to fill a journal
 * before it is read (`replay`).
 *
 *   --outstanding N   how many may wait
 *   --rate R          of these, send no more than R a second, evenly
 *   --ms T            measure for T milliseconds, after a third of it to warm up
 *   --count N         or emit N and stop
 *   --keys K          the runs, taken in turn
 *   --spread S        one of S signals, a multiple of 16, is of a run of its own, SPREAD_KEY
 *   --near N          N signals in the middle are of another, NEAR_KEY: every sixteenth there
 *
 * Of one that is outstanding at a time, the time is measured too. */
#include "load_emit.h"
#include "load_samples.h"
#include "load_ws.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	OUTSTANDING_MAX = 1 << 15, /* a power of two */
	SPREAD_KEY = 99999,
	NEAR_KEY = 99998,
	NEAR_STEP = 16,
};

static struct {
	const struct protocol *protocol;
	struct link link;
	uint64_t sent, acknowledged, last_seq;
	unsigned outstanding, keys;
	uint64_t spread, near_from, near_to; /* numbers of signals */
	uint64_t rate, first_ns;
	uint64_t sent_ns; /* the one that is outstanding */
	struct samples latency;
	bool waiting[OUTSTANDING_MAX];
	char out[OUTSTANDING_MAX * FRAME_MAX];
	size_t out_have, out_sent;
} emit;

/* The number that follows these words, which must be here; steps over both. */
static uint64_t take_number(const char **at, const char *end, const char *words, size_t length)
{
	uint64_t value = 0;

	errno = 0;
	if ((size_t)(end - *at) < length || memcmp(*at, words, length) != 0)
		die("no %s in %.*s", words, (int)(end - *at), *at);
	for (*at += length; *at < end && **at >= '0' && **at <= '9'; ++*at)
		value = value * 10 + (uint64_t)(**at - '0');
	return value;
}

#define TAKE_NUMBER(at, end, words) take_number(at, end, words, sizeof(words) - 1)

/* {"op":"ack","ref":1000000007,"seq":8}: each ref once, and seq always greater. */
static void take_ack(struct link *link, const char *text, size_t length)
{
	const char *at = text + 11, *end = text + length;
	uint64_t ref, seq;

	if (length < 11 || memcmp(text, "{\"op\":\"ack\"", 11) != 0) {
		ws_heard(link, 0x81, text, length);
		return;
	}
	ref = TAKE_NUMBER(&at, end, ",\"ref\":") - 1000000000;
	seq = TAKE_NUMBER(&at, end, ",\"seq\":");
	errno = 0;
	if (ref >= emit.sent || !emit.waiting[ref % OUTSTANDING_MAX] || seq <= emit.last_seq)
		die("an acknowledgement nobody waits for: %.*s", (int)length, text);
	emit.waiting[ref % OUTSTANDING_MAX] = false;
	emit.last_seq = seq;
	emit.acknowledged++;
}

static const char *walk_acks(struct link *link, const char *at, const char *end)
{
	return ws_walk(link, at, end, take_ack);
}

/* Other servers acknowledge in order, without saying what. */
static void read_acks(void)
{
	if (emit.protocol == &load_native) {
		link_read(&emit.link, MSG_DONTWAIT, walk_acks);
		return;
	}
	emit.protocol->read(&emit.link, MSG_DONTWAIT);
	emit.acknowledged = emit.link.received;
	errno = 0;
	if (emit.acknowledged > emit.sent)
		die("an acknowledgement nobody waits for");
}

static void flush_out(void)
{
	while (emit.out_sent < emit.out_have) {
		ssize_t sent = link_put(&emit.link, emit.out + emit.out_sent,
		                        emit.out_have - emit.out_sent, MSG_DONTWAIT);

		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < 0)
			die("emitting");
		emit.out_sent += (size_t)sent;
	}
	emit.out_have = emit.out_sent = 0;
}

static unsigned key_of(uint64_t n)
{
	if (emit.spread > 0 && n % emit.spread == 1) /* never one of the near ones */
		return SPREAD_KEY;
	if (n >= emit.near_from && n < emit.near_to && n % NEAR_STEP == 0)
		return NEAR_KEY;
	return emit.keys > 0 ? (unsigned)(n % emit.keys) : 0;
}

/* May one more be sent, of so many in all? */
static bool is_due(uint64_t now, uint64_t count)
{
	return emit.sent < count && emit.sent - emit.acknowledged < emit.outstanding &&
	       (emit.rate == 0 || emit.sent < (now - emit.first_ns) * emit.rate / 1000000000u);
}

/* Send as many as the window lacks, in one piece; then read what has come. */
static void turn(uint64_t now, uint64_t count)
{
	const uint64_t before = emit.acknowledged;

	if (emit.out_have == 0) {
		for (; is_due(now, count); emit.sent++) {
			emit.waiting[emit.sent % OUTSTANDING_MAX] = true;
			emit.out_have += signal_frame(emit.out + emit.out_have, emit.sent,
			                              key_of(emit.sent));
			emit.sent_ns = now;
		}
	}
	flush_out();
	read_acks();
	if (emit.outstanding == 1 && emit.acknowledged > before)
		samples_add(&emit.latency, now_ns() - emit.sent_ns);
}

static void turn_until(uint64_t end, uint64_t count)
{
	const uint64_t first = emit.acknowledged;
	uint64_t seen = first, seen_ns = now_ns(), now;

	/* On a machine that is busy elsewhere none may have come in time: one must. */
	while (((now = now_ns()) < end || emit.acknowledged == first) &&
	       emit.acknowledged < count) {
		turn(now, count);
		if (emit.acknowledged != seen) {
			seen = emit.acknowledged;
			seen_ns = now;
		} else if (now - seen_ns > LOAD_WAIT_S * 1000000000ull) {
			errno = 0;
			die("no acknowledgement for %d s after %lu", LOAD_WAIT_S,
			    (unsigned long)seen);
		}
	}
}

static void emit_open(const struct target *target, unsigned outstanding)
{
	errno = 0;
	if (outstanding == 0 || outstanding >= OUTSTANDING_MAX)
		die("--outstanding must be between 1 and %d", OUTSTANDING_MAX - 1);
	emit.outstanding = outstanding;
	emit.keys = target->keys;
	samples_init(&emit.latency);
	emit.protocol = target->protocol;
	emit.protocol->prepare(target, EMITTER);
	link_join(&emit.link, target, EMITTER);
}

uint64_t emit_fill(const struct target *target, uint64_t count)
{
	emit_open(target, 1024);
	turn_until(UINT64_MAX, count);
	link_close(&emit.link);
	return emit.last_seq;
}

static void read_plan(char **argv, uint64_t count)
{
	uint64_t near = NEAR_STEP * option_number(argv, "--near", 0);

	emit.spread = option_number(argv, "--spread", 0) / NEAR_STEP * NEAR_STEP;
	emit.rate = option_number(argv, "--rate", 0);
	errno = 0;
	if (near > count)
		die("--near needs a --count that has room for it");
	emit.near_from = (count - near) / 2 / NEAR_STEP * NEAR_STEP;
	emit.near_to = emit.near_from + near;
}

void load_durable(const struct target *target, char **argv)
{
	uint64_t milliseconds = option_number(argv, "--ms", 2000);
	uint64_t count = option_number(argv, "--count", UINT64_MAX);
	uint64_t start, cpu, before;

	read_plan(argv, count);
	emit_open(target, (unsigned)option_number(argv, "--outstanding", 1024));
	emit.first_ns = start = now_ns();
	if (count == UINT64_MAX)
		turn_until(start + milliseconds * 1000000 / 3, count);
	emit.latency.count = 0;
	start = now_ns();
	cpu = server_cpu_ns(target->pid);
	before = emit.acknowledged;
	turn_until(count == UINT64_MAX ? start + milliseconds * 1000000 : UINT64_MAX, count);
	cpu = server_cpu_ns(target->pid) - cpu;
	printf("{\"seconds\":%.6f,\"emits\":%lu,\"cpu_ns\":%lu,\"seq\":%lu",
	       (double)(now_ns() - start) / 1e9, (unsigned long)(emit.acknowledged - before),
	       (unsigned long)cpu, (unsigned long)emit.last_seq);
	samples_print("latency", &emit.latency);
	puts("}");
}
