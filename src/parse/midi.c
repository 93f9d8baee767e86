/* midi.c - MIDI bytes as they come from a device.
 *
 * Running status is understood, and real-time bytes may stand anywhere, even inside
 * a message; they are no signals, nor is anything else of the system.  System
 * exclusive messages are passed over as they come, so their length does not matter.
 * The source is the device.
 */
#include <assert.h>
#include <stdio.h>

#include "parse/inside.h"
#include "parse/kinds.h"

enum {
	STATUS_FIRST = 0x80, /* below: a data byte */
	STATUS_SYSTEM = 0xF0,
	STATUS_REAL_TIME = 0xF8,

	MIDI_NOTE_OFF = 0x80,
	MIDI_NOTE_ON = 0x90,
	MIDI_KEY_PRESSURE = 0xA0,
	MIDI_CONTROL = 0xB0,
	MIDI_PROGRAM = 0xC0,
	MIDI_CHANNEL_PRESSURE = 0xD0,
	MIDI_PITCH_BEND = 0xE0,
};

#define BEND_CENTRE 8192

/* The message that is coming: its status, the running one, and data. */
struct midi_parse {
	uint8_t bytes[3];
	unsigned count; /* 0: no status is in force */
};

static unsigned length_of(uint8_t status)
{
	unsigned command = status & 0xF0;

	return command == MIDI_PROGRAM || command == MIDI_CHANNEL_PRESSURE ? 2 : 3;
}

/* "midi." and this; a note that is struck with no force is let go. */
static const char *midi_type_of(const struct midi_parse *m)
{
	static const char *const types[] = {
		"midi.note_off",       "midi.note_on",    "midi.aftertouch", "midi.control_change",
		"midi.program_change", "midi.aftertouch", "midi.pitch_bend",
	};
	unsigned command = m->bytes[0] & 0xF0;

	if (command == MIDI_NOTE_ON && m->bytes[2] == 0)
		command = MIDI_NOTE_OFF;
	return types[(command - STATUS_FIRST) >> 4];
}

static void add_values(struct parse *p, const struct midi_parse *m)
{
	int bend = (m->bytes[2] << 7 | m->bytes[1]) - BEND_CENTRE;
	char number[12];

	switch (m->bytes[0] & 0xF0) {
	case MIDI_NOTE_OFF:
	case MIDI_NOTE_ON:
		make_u64(&p->make, "note", m->bytes[1]);
		make_u64(&p->make, "velocity", m->bytes[2]);
		break;
	case MIDI_KEY_PRESSURE:
		make_u64(&p->make, "note", m->bytes[1]);
		make_u64(&p->make, "pressure", m->bytes[2]);
		break;
	case MIDI_CONTROL:
		make_u64(&p->make, "controller", m->bytes[1]);
		make_u64(&p->make, "value", m->bytes[2]);
		break;
	case MIDI_PROGRAM:
		make_u64(&p->make, "program", m->bytes[1]);
		break;
	case MIDI_CHANNEL_PRESSURE:
		make_u64(&p->make, "pressure", m->bytes[1]);
		break;
	default:
		snprintf(number, sizeof(number), "%d", bend);
		make_raw(&p->make, "value", text_of(number));
	}
}

static void midi_give(struct parse *p, const struct midi_parse *m)
{
	char raw[24];

	parse_begin(p, midi_type_of(m));
	make_u64(&p->make, "channel", (m->bytes[0] & 0x0F) + 1u);
	add_values(p, m);
	if (length_of(m->bytes[0]) == 3)
		snprintf(raw, sizeof(raw), "[%u,%u,%u]", m->bytes[0], m->bytes[1], m->bytes[2]);
	else
		snprintf(raw, sizeof(raw), "[%u,%u]", m->bytes[0], m->bytes[1]);
	make_raw(&p->make, "raw", text_of(raw));
	parse_give(p);
}

static void take_byte(struct parse *p, struct midi_parse *m, uint8_t byte)
{
	if (byte >= STATUS_REAL_TIME)
		return;
	if (byte >= STATUS_FIRST) {
		/* A message of the system ends the running status, so that its data has
		 * no status either and is passed over below. */
		m->bytes[0] = byte;
		m->count = byte < STATUS_SYSTEM;
		return;
	}
	if (m->count == 0)
		return;
	assert(m->count < sizeof(m->bytes));
	m->bytes[m->count++] = byte;
	if (m->count < length_of(m->bytes[0]))
		return;
	midi_give(p, m);
	m->count = 1;
}

static void midi_take(struct parse *p, const struct parse_event *event)
{
	for (size_t i = 0; i < event->data.len; i++)
		take_byte(p, parse_state(p), (uint8_t)event->data.at[i]);
}

const struct parse_kind parse_midi = {
	.name = "midi",
	.summary = "MIDI bytes of a device",
	.framing = FRAMING_BYTES,
	.size = sizeof(struct midi_parse),
	.event = midi_take,
};
