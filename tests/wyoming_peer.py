"""A client of Wyoming, as small as the protocol: events out and in, one connection."""

import json
import socket
import wave

from lib import PATIENCE_S


class Wyoming:
    def __init__(self, place):
        """place: the path of a Unix socket, or (host, port)."""
        is_tcp = isinstance(place, tuple)
        self.socket = socket.socket(socket.AF_INET if is_tcp else socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(place if is_tcp else str(place))
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def send(self, kind, data=None, payload=b""):
        more = json.dumps(data).encode() if data is not None else b""
        head = {"type": kind, "data_length": len(more), "payload_length": len(payload)}
        self.socket.sendall(json.dumps(head).encode() + b"\n" + more + payload)

    def read(self):
        """(type, data, payload), or None at the end."""
        line = self.file.readline()
        if not line:
            return None
        head = json.loads(line)
        data = self.file.read(head.get("data_length") or 0)
        payload = self.file.read(head.get("payload_length") or 0)
        return head["type"], {**(head.get("data") or {}), **json.loads(data or b"{}")}, payload

    def until(self, *kinds):
        """All events up to one of these."""
        events = []
        while not events or events[-1][0] not in kinds:
            event = self.read()
            assert event, f"it closed after {[(k, d) for k, d, _ in events]}"
            events.append(event)
        return events

    def hear(self, sound, **wish):
        """What it says about a WAV file, or about (rate, channels, bytes)."""
        rate, channels, pcm = sound if isinstance(sound, tuple) else read_wav(sound)
        form = {"rate": rate, "width": 2, "channels": channels}
        self.send("transcribe", wish)
        self.send("audio-start", form)
        for at in range(0, len(pcm), 6400):
            self.send("audio-chunk", form, pcm[at:at + 6400])
        self.send("audio-stop")
        return self.until("transcript", "error")

    def say(self, text):
        """(rate, sound)."""
        self.send("synthesize", {"text": text})
        events = self.until("audio-stop", "error")
        assert events[-1][0] == "audio-stop", events[-1]
        return events[0][1]["rate"], b"".join(payload for _, _, payload in events)


def read_wav(path):
    with wave.open(str(path)) as file:
        return file.getframerate(), file.getnchannels(), file.readframes(file.getnframes())


def words_of(text):
    kept = "".join(c if c.isalnum() or c == "'" else " " for c in text.lower())
    return kept.split()


def wrong_words(said, heard):
    """How many words differ: the least number of insertions, deletions and replacements."""
    one, two = words_of(said), words_of(heard)
    row = list(range(len(two) + 1))
    for i, word in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(two, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (word != other))
    return row[-1]
