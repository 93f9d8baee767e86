/* midi_jack.h - JACK's library, which is looked for when it is first wanted. */
#ifndef SOURCE_MIDI_JACK_H
#define SOURCE_MIDI_JACK_H

#include <jack/jack.h>
#include <jack/midiport.h>
#include <stdbool.h>

#define JACK_CALLS(X) \
	X(client_open) \
	X(client_close) \
	X(activate) \
	X(connect) \
	X(free) \
	X(get_ports) \
	X(on_info_shutdown) \
	X(port_connected) \
	X(port_get_buffer) \
	X(port_name) \
	X(port_register) \
	X(set_error_function) \
	X(set_info_function) \
	X(set_port_registration_callback) \
	X(set_process_callback) \
	X(midi_event_get) \
	X(midi_get_event_count)

#define JACK_MEMBER(name) __typeof__(&jack_##name) name;
struct midi_jack {
	JACK_CALLS(JACK_MEMBER)
	bool is_there;
	bool is_second; /* JACK 2, as opposed to JACK 1 and what PipeWire has for it */
};
#undef JACK_MEMBER

extern struct midi_jack jack;

/* False: it is not on this machine, and nothing in the table may be called. */
bool midi_jack_load(void);

#endif
