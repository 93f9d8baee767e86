"""A speech engine that speaks Wyoming and does what a test says: a server in threads."""

import json
import socket
import threading

from lib import PATIENCE_S


class Line:
    """A connection of a client: events in and out."""

    def __init__(self, sock):
        self.socket = sock
        self.socket.settimeout(PATIENCE_S)
        self.file = sock.makefile("rb")
        self.heard = []

    def send(self, kind, data=None, payload=b""):
        head = {"type": kind, "data": data or {}, "payload_length": len(payload)}
        self.socket.sendall(json.dumps(head).encode() + b"\n" + payload)

    def read(self):
        """(type, data, payload), or None at the end."""
        line = self.file.readline()
        if not line:
            return None
        head = json.loads(line)
        data = self.file.read(head.get("data_length") or 0)
        payload = self.file.read(head.get("payload_length") or 0)
        return head["type"], {**(head.get("data") or {}), **json.loads(data or b"{}")}, payload


class Engine:
    """`serve(line, engine)` is called in a thread for each connection."""

    def __init__(self, serve):
        self.serve = serve
        self.heard = []  # (type, data, payload) of all connections
        self.lines = []  # the same, of each connection
        self.closed = threading.Event()  # a client went away
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.place = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        with sock:
            try:
                line = Line(sock)
                self.lines.append(line.heard)
                self.serve(line, self)
            except OSError:
                pass

    def events(self, line):
        """What a client says, until it goes."""
        while True:
            event = line.read()
            if not event:
                self.closed.set()
                return
            self.heard.append(event)
            line.heard.append(event)
            yield event

    def of(self, kind):
        return [data for type, data, _ in self.heard if type == kind]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def says(pcm, rate=22050, channels=2, width=2):
    """Serves: each sentence is this sound."""
    def serve(line, engine):
        form = {"rate": rate, "width": width, "channels": channels}
        for kind, _, _ in engine.events(line):
            if kind == "synthesize":
                line.send("audio-start", form)
                line.send("audio-chunk", form, pcm)
                line.send("audio-stop")
    return serve


def hears(*texts):
    """Serves: each utterance is the next of these texts; the last one again and again."""
    left = list(texts)

    def serve(line, engine):
        for kind, _, _ in engine.events(line):
            if kind == "audio-stop":
                line.send("transcript", {"text": left.pop(0) if len(left) > 1 else left[0]})
    return serve
