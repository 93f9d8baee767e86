#!/usr/bin/env python3
"""A speech engine that speaks Wyoming and says any sentence for half a minute: it prints its port.

Its sound comes in small pieces, some times as fast as it is heard, so that a frame is nearly
always on its way to whoever listens."""

import json
import socket
import threading
import time

FORM = {"rate": 24000, "width": 2, "channels": 1}
PIECE_S, EVERY_S, SECONDS = 0.02, 0.002, 30


def event(kind, data=None, payload=b""):
    head = {"type": kind, "data": data or {}, "payload_length": len(payload)}
    return json.dumps(head).encode() + b"\n" + payload


def asked(file):
    """The types of what is asked, until the client goes."""
    while line := file.readline():
        head = json.loads(line)
        file.read((head.get("data_length") or 0) + (head.get("payload_length") or 0))
        yield head["type"]


def say(client):
    piece = event("audio-chunk", FORM, b"\1\0" * int(FORM["rate"] * PIECE_S))
    client.sendall(event("audio-start", FORM))
    for _ in range(int(SECONDS / PIECE_S)):
        client.sendall(piece)
        time.sleep(EVERY_S)
    client.sendall(event("audio-stop"))


def serve(client):
    with client, client.makefile("rb") as file:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for kind in asked(file):
                if kind == "describe":
                    client.sendall(event("info", {"tts": [{
                        "name": "mouth", "installed": True, "voices": [{
                            "name": "mouth", "installed": True, "languages": ["en"]}]}]}))
                elif kind == "synthesize":
                    say(client)
        except OSError:
            pass  # it was interrupted


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


main()
