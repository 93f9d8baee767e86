#!/usr/bin/env python3
"""A MIDI keyboard that is a client of JACK: midi_keys.py CLIENT.

It reads commands from standard input and answers each with "ok":

    plug NAME       a port appears
    unplug NAME     and is gone
    send NAME HEX   bytes, as one message; or several of them

It plays through libjack by ctypes, in a process of its own: a server that dies may
take its clients with it.
"""

import ctypes
import sys
from collections import deque

MIDI_TYPE = b"8 bit raw midi"
IS_OUTPUT = 2
NO_START_SERVER = 1

jack = ctypes.CDLL("libjack.so.0")
PROCESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)
WORDS = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
for name, result, arguments in (
    ("client_open", ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]),
    ("set_process_callback", ctypes.c_int, [ctypes.c_void_p, PROCESS, ctypes.c_void_p]),
    ("set_error_function", None, [WORDS]),
    ("set_info_function", None, [WORDS]),
    ("activate", ctypes.c_int, [ctypes.c_void_p]),
    ("client_close", ctypes.c_int, [ctypes.c_void_p]),
    ("port_register", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p,
                                        ctypes.c_ulong, ctypes.c_ulong]),
    ("port_unregister", ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p]),
    ("port_get_buffer", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint32]),
    ("midi_clear_buffer", None, [ctypes.c_void_p]),
    ("midi_event_write", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p,
                                        ctypes.c_size_t]),
):
    call = getattr(jack, f"jack_{name}")
    call.restype, call.argtypes = result, arguments

ports = {}  # name -> (port, messages to play)


def play(frames, _):
    for port, messages in list(ports.values()):
        buffer = jack.jack_port_get_buffer(port, frames)
        jack.jack_midi_clear_buffer(buffer)
        for at in range(min(len(messages), frames)):
            message = messages.popleft()
            if jack.jack_midi_event_write(buffer, at, message, len(message)) != 0:
                messages.appendleft(message)
                break
    return 0


def main():
    quiet, process = WORDS(lambda words: None), PROCESS(play)
    jack.jack_set_error_function(quiet)
    jack.jack_set_info_function(quiet)
    client = jack.jack_client_open(sys.argv[1].encode(), NO_START_SERVER, None)
    if not client:
        sys.exit("no JACK server")
    jack.jack_set_process_callback(client, process, None)
    jack.jack_activate(client)
    print("ok", flush=True)
    for line in sys.stdin:
        verb, name, *rest = line.rstrip("\n").split("\t")
        if verb == "plug":
            port = jack.jack_port_register(client, name.encode(), MIDI_TYPE, IS_OUTPUT, 0)
            assert port, name
            ports[name] = (port, deque())
        elif verb == "unplug":
            port, _ = ports.pop(name)
            jack.jack_port_unregister(client, port)
        else:
            ports[name][1].extend(bytes.fromhex(message) for message in rest)
        print("ok", flush=True)
    jack.jack_client_close(client)


main()
