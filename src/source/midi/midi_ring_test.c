/* midi_ring_test.c - messages between two threads, and the ids of ports. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/must.h"
#include "source/fixture.h"
#include "source/midi/midi_line.h"

static void messages_come_out_as_they_went_in(void **state)
{
	struct midi_ring *ring = must_zero(1, sizeof(*ring));
	unsigned char out[MIDI_MESSAGE_MAX];

	assert_int_equal(midi_ring_take(ring, out), 0);
	assert_true(midi_ring_put(ring, (const unsigned char *)"\x90\x3c\x40", 3));
	assert_true(midi_ring_put(ring, (const unsigned char *)"\xc0\x05", 2));
	assert_true(midi_ring_put(ring, NULL, 0)); /* says nothing */
	assert_int_equal(midi_ring_take(ring, out), 3);
	assert_memory_equal(out, "\x90\x3c\x40", 3);
	assert_int_equal(midi_ring_take(ring, out), 2);
	assert_memory_equal(out, "\xc0\x05", 2);
	assert_int_equal(midi_ring_take(ring, out), 0);
	free(ring);
}

static void what_does_not_fit_is_counted(void **state)
{
	struct midi_ring *ring = must_zero(1, sizeof(*ring));
	unsigned char bytes[MIDI_MESSAGE_MAX + 1] = {0}, out[MIDI_MESSAGE_MAX];
	unsigned n = 0;

	assert_false(midi_ring_put(ring, bytes, sizeof(bytes)));
	assert_int_equal(atomic_load(&ring->missed), 1);
	while (midi_ring_put(ring, bytes, MIDI_MESSAGE_MAX))
		n++;
	assert_int_equal(n, MIDI_RING / (MIDI_MESSAGE_MAX + 2));
	assert_int_equal(atomic_load(&ring->missed), 2);
	assert_int_equal(midi_ring_take(ring, out), MIDI_MESSAGE_MAX);
	assert_true(midi_ring_put(ring, bytes, MIDI_MESSAGE_MAX));
	free(ring);
}

#define MESSAGES 200000

static void *put_all(void *self)
{
	for (unsigned i = 0; i < MESSAGES; i++) {
		unsigned char message[7] = {(unsigned char)i, (unsigned char)(i >> 8),
		                            (unsigned char)(i >> 16)};

		while (!midi_ring_put(self, message, 3 + i % 5))
			sched_yield();
	}
	return NULL;
}

static void two_threads_agree_about_every_message(void **state)
{
	struct midi_ring *ring = must_zero(1, sizeof(*ring));
	unsigned char out[MIDI_MESSAGE_MAX];
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, put_all, ring), 0);
	for (unsigned i = 0; i < MESSAGES; i++) {
		size_t n;

		while ((n = midi_ring_take(ring, out)) == 0)
			sched_yield();
		assert_int_equal(n, 3 + i % 5);
		assert_int_equal(out[0] | out[1] << 8 | out[2] << 16, i);
	}
	pthread_join(thread, NULL);
	free(ring);
}

static void check_id(const char *name, const char *expected)
{
	char id[MIDI_ID_MAX + 1];

	midi_port_id(id, text_of(name));
	assert_string_equal(id, expected);
}

static void a_port_has_one_id_in_every_run(void **state)
{
	char a[MIDI_ID_MAX + 1], b[MIDI_ID_MAX + 1];
	char name[400];

	check_id("midi_capture_1", "midi_capture_1");
	check_id("system:midi_capture_1", "system-midi_capture_1-b9122dae");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	midi_port_id(a, text_of(name));
	assert_int_equal(strlen(a), MIDI_ID_MAX);
	name[300] = 'y';
	midi_port_id(b, text_of(name));
	assert_string_not_equal(a, b);
	midi_port_id(a, text_of("a b"));
	midi_port_id(b, text_of("a:b"));
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_out_as_they_went_in),
		cmocka_unit_test(what_does_not_fit_is_counted),
		cmocka_unit_test(two_threads_agree_about_every_message),
		cmocka_unit_test(a_port_has_one_id_in_every_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
