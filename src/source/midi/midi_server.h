/* midi_server.h - is there somebody to open a client of JACK at? */
#ifndef SOURCE_MIDI_SERVER_H
#define SOURCE_MIDI_SERVER_H

#include <stdbool.h>

/* Knocks where the server of JACK 2 listens.  May block: not for the loop. */
bool midi_server_answers(void);

#endif
