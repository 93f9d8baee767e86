"""A microphone that is open, and an engine that finds speech: for sessions whose hands are free."""

import base64
import struct
import threading
import time

FRAME_MS = 20
BREATH = 15  # frames before the first word
LOUD, QUIET = (struct.pack("<2h", level, -level) * 160 for level in (4000, 10))


class Microphone:
    """Sends sound, as a person would who says something now and then, until it is closed."""

    def __init__(self, talk):
        self.talk = talk
        self.lock = threading.Lock()
        self.speaks = False
        self.is_open = True
        self.thread = threading.Thread(target=self._send, daemon=True)
        self.thread.start()

    def tell(self, kind, **payload):
        with self.lock:
            self.talk.tell(kind, **payload)

    def _send(self):
        sent = 0
        while self.is_open:
            is_loud_now = self.speaks and sent >= BREATH
            self.tell("input_audio.append",
                      chunk=base64.b64encode(LOUD if is_loud_now else QUIET).decode())
            sent += 1
            time.sleep(FRAME_MS / 2000)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_open = False
        self.thread.join()


def is_loud(pcm):
    return any(abs(sample) > 1000 for sample in struct.unpack(f"<{len(pcm) // 2}h", pcm))


def finds(*texts):
    """Serves: tells when somebody speaks; each utterance is the next of these texts."""
    left = list(texts)

    def serve(line, engine):
        times, loud, quiet, speaks = {}, 0, 0, False
        for kind, data, pcm in engine.events(line):
            if kind == "transcribe":
                times = data
            elif kind == "audio-chunk" and times.get("vad"):
                ms = len(pcm) // 32
                loud, quiet = (loud + ms, 0) if is_loud(pcm) else (loud if speaks else 0, quiet + ms)
                if not speaks and loud >= times["speech_ms"]:
                    speaks = True
                    line.send("voice-started", {"timestamp": 0})
                elif speaks and quiet >= times["silence_ms"]:
                    speaks, loud = False, 0
                    line.send("voice-stopped", {"timestamp": 0})
            elif kind == "audio-stop":
                line.send("transcript", {"text": left.pop(0) if len(left) > 1 else left[0]})
    return serve
