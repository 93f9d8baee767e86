/* midi_ring.c - messages from a real-time thread to the loop, without locks.
 *
 * Each is its length in two bytes and then its bytes.  head is written by the one
 * who puts and tail by the one who takes, each after its bytes are done with. */
#include <stdatomic.h>
#include <stdio.h>

#include "source/midi/midi_line.h"

static void copy_in(struct midi_ring *r, unsigned at, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->bytes[(at + i) % MIDI_RING] = bytes[i];
}

static void copy_out(const struct midi_ring *r, unsigned at, unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = r->bytes[(at + i) % MIDI_RING];
}

bool midi_ring_put(struct midi_ring *r, const unsigned char *bytes, size_t n)
{
	unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
	unsigned tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	unsigned char length[2] = {(unsigned char)(n >> 8), (unsigned char)n};

	if (n == 0)
		return true;
	if (n > MIDI_MESSAGE_MAX || n + 2 > MIDI_RING - (head - tail)) {
		atomic_fetch_add_explicit(&r->missed, 1, memory_order_relaxed);
		return false;
	}
	copy_in(r, head, length, 2);
	copy_in(r, head + 2, bytes, n);
	atomic_store_explicit(&r->head, head + 2 + (unsigned)n, memory_order_release);
	return true;
}

size_t midi_ring_take(struct midi_ring *r, unsigned char out[MIDI_MESSAGE_MAX])
{
	unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	unsigned head = atomic_load_explicit(&r->head, memory_order_acquire);
	unsigned char length[2];
	size_t n;

	if (head == tail)
		return 0;
	copy_out(r, tail, length, 2);
	n = (size_t)length[0] << 8 | length[1];
	copy_out(r, tail + 2, out, n);
	atomic_store_explicit(&r->tail, tail + 2 + (unsigned)n, memory_order_release);
	return n;
}

/* What was changed is told apart by a hash of the whole name. */
void midi_port_id(char id[MIDI_ID_MAX + 1], struct text name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-";
	size_t len = name.len < MIDI_ID_MAX - 9 ? name.len : MIDI_ID_MAX - 9;
	bool changed = len < name.len;
	uint32_t hash = 0x811c9dc5;

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.at[i]) * 0x01000193;
	for (size_t i = 0; i < len; i++) {
		bool is_plain = name.at[i] && strchr(plain, name.at[i]) != NULL;

		id[i] = is_plain ? name.at[i] : '-';
		changed = changed || !is_plain;
	}
	if (changed)
		snprintf(id + len, 10, "-%08x", hash);
	else
		id[len] = '\0';
}
