#!/usr/bin/env python3
"""ws.py PATH [-n COUNT] [--url URL] - speak to a WebSocket of a box by hand.

Every line of standard input is sent as a message, every message is printed as a line. It
ends after COUNT messages; without COUNT, when it has sent all and nothing came for a
moment. It speaks to the Unix socket of the box at the default place, or to URL.
"""

import argparse
import pathlib
import sys
import threading

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "clients/python"), "/usr/share/signalbox/clients"]
from signalbox import Server, Wire  # noqa: E402

SOCK = pathlib.Path.home() / ".local/state/signalbox/sock"
MOMENT_S = 0.3


def send(wire):
    for line in sys.stdin:
        wire.send(line.rstrip("\n"))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("path")
    parser.add_argument("-n", type=int, default=0)
    parser.add_argument("--url", default=f"unix:{SOCK}")
    options = parser.parse_args()

    wire = Wire(Server(options.url, None, None), options.path)
    sender = threading.Thread(target=send, args=(wire,), daemon=True)
    sender.start()
    if not options.n:
        sender.join()
        wire.sock.settimeout(MOMENT_S)
    heard = 0
    try:
        while not options.n or heard < options.n:
            print(wire.recv(), flush=True)
            heard += 1
    except TimeoutError:
        pass
    wire.send(b"\x03\xe8", 8)  # 1000: that was all
    wire.close()


main()
