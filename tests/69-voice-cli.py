#!/usr/bin/env python3
"""`signalbox voice FILE`: a question of a file of sound, heard by the mock and by a fake that
speaks; what is printed, what is written, and what goes wrong."""

import array
import base64
import json
import math
import os
import pty
import signal
import socket
import struct
import subprocess
import threading
import wave

from chats import connected
from doors import config_box
from lib import PATIENCE_S, SIGNALBOX, Box, cli, environment, eventually, run, temp_dir, test
from servers import WORDS, Peer, Socket, Upstream
from wyoming_engine import Engine, hears

MOCK_TIMES = "voice: {mock: {final: 20s, speaking: 21s, first: 22s, second: 23s, end: 24s}}\n"


def riff(form, bits, samples):
    """A WAV file of one channel at 16 kHz."""
    path = temp_dir() / "question.wav"
    head = struct.pack("<4sIHHIIHH4sI", b"fmt ", 16, form, 1, 16000, 2000 * bits, bits // 8, bits,
                       b"data", len(samples))
    path.write_bytes(struct.pack("<4sI4s", b"RIFF", 4 + len(head) + len(samples), b"WAVE") + head + samples)
    return path


def sound(rate=16000, channels=1, seconds=0.2):
    """A WAV file with a tone."""
    path = temp_dir() / "question.wav"
    tone = [int(8000 * math.sin(i * 440 * 2 * math.pi / rate)) for i in range(int(rate * seconds))]
    samples = [s for s in tone for _ in range(channels)]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(array.array("h", samples).tobytes())
    return path


def voice(box, *args):
    return cli("voice", *args, "--data", box.data)


class Fake:
    """A box that is voice alone: what it hears is in `heard`, what it says is `answers`, by the
    event that they follow."""

    def __init__(self, answers):
        self.data = temp_dir() / "data"
        self.data.mkdir(mode=0o700)
        self.answers, self.heard = answers, []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(self.data / "sock"))
        self.server.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while True:
                sock, _ = self.server.accept()
                threading.Thread(target=self.talk, args=(sock,), daemon=True).start()
        except OSError:
            pass

    def talk(self, sock):
        sock.settimeout(PATIENCE_S)
        peer = Peer(sock, self)
        try:
            request = peer.request()
            line = Socket(peer, request, "voice")
            line.accept()
            while (message := line.hear()) is not None:
                event = json.loads(message)
                self.heard.append(event)
                for said in self.answers.get(event["type"], []):
                    line.say({"type": said[0], "payload": said[1] if len(said) > 1 else {}})
        except Exception:  # the client left: the test looks at what it heard
            pass
        finally:
            sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()

    @property
    def pcm(self):
        return b"".join(base64.b64decode(e["payload"]["chunk"]) for e in self.heard
                        if e["type"] == "input_audio.append")


READY = [("session.ready", {"sessionId": "s", "features": ["audio"]}),
         ("session.state", {"value": "idle"})]


def delta(samples, rate):
    pcm = array.array("h", samples).tobytes()
    return ("output_audio.delta", {"chunk": base64.b64encode(pcm).decode(),
                                   "format": {"encoding": "pcm16", "rate": rate, "channels": 1}})


def spoken(*pieces):
    return {"session.start": READY,
            "input_audio.commit": [("transcript.final", {"text": "how are you"}),
                                   ("session.state", {"value": "thinking"}),
                                   ("session.state", {"value": "speaking"}),
                                   ("response.text.delta", {"text": "I am "}),
                                   ("response.text.delta", {"text": "well."}),
                                   *pieces, ("response.completed",),
                                   ("session.state", {"value": "idle"})]}


@test("a turn with the mock prints what was heard and what was answered")
def _():
    with Box() as box:
        for rate, channels in ((16000, 1), (44100, 2), (8000, 1)):
            result = voice(box, sound(rate, channels))
            heard, answer = result.out.splitlines()
            assert result.code == 0 and heard.startswith("you: ") and answer, result
            assert not result.err, result
        runs = [s for s in box.history() if s["type"] == "completion"]
        assert len(runs) == 3, runs


@test("with --json it is one line, with the latencies since the end of the speech")
def _():
    with Box() as box:
        result = voice(box, sound(), "--json")
        line, = result.out.splitlines()
        told = json.loads(line)
        assert told["final"] and told["answer"] and not told["cancelled"], told
        ms = told["ms"]
        assert 0 < ms["final"] < ms["text"] <= ms["end"] and "sound" not in ms, told
        assert told["sound_ms"] == 0, told


@test("the box hears 20 ms at a time, 16 kHz and mono, and the answer's sound is a file")
def _():
    answer = temp_dir() / "answer.wav"
    with Fake(spoken(delta([1, 2, 3], 24000), delta([4] * 2397, 24000))) as fake:
        result = voice(fake, sound(48000, 2, 0.25), "-o", answer, "--json")
        assert result.code == 0, result
        chunks = [e for e in fake.heard if e["type"] == "input_audio.append"]
        assert fake.heard[0] == {"type": "session.start", "payload": {"features": ["audio"]}}
        assert [e["type"] for e in fake.heard][-1] == "input_audio.commit"
        assert len(chunks) in (12, 13) and abs(len(fake.pcm) - 8000) <= 8, len(fake.pcm)
        assert len(base64.b64decode(chunks[0]["payload"]["chunk"])) == 640
        told = json.loads(result.out)
        assert told["answer"] == "I am well." and told["sound_ms"] == 100, told
        assert "sound" in told["ms"], told
    with wave.open(str(answer)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getnframes()) == (24000, 1, 2400)
        assert array.array("h", file.readframes(4)).tolist() == [1, 2, 3, 4]


@test("the samples of a file may be bytes, wide or floating point; what is no number is silence")
def _():
    values = [0, 0.5, -0.5, 0.25] * 800
    wanted = array.array("h", [int(v * 32768) for v in values]).tobytes()
    files = {"bytes": (1, 8, bytes(int(v * 128) + 128 for v in values)),
             "24": (1, 24, b"".join(int(v * 2 ** 23).to_bytes(3, "little", signed=True) for v in values)),
             "32": (1, 32, array.array("i", [int(v * 2 ** 31) for v in values]).tobytes()),
             "float": (3, 32, array.array("f", values).tobytes()),
             "double": (3, 64, array.array("d", [v or math.nan for v in values]).tobytes())}
    for name, file in files.items():
        with Fake(spoken()) as fake:
            result = voice(fake, riff(*file))
            assert result.code == 0 and fake.pcm == wanted, (name, result)


@test("an answer that changes its rate is one file all the same, and one that was cleared is none of it")
def _():
    answer = temp_dir() / "answer.wav"
    with Fake(spoken(delta([9] * 99, 16000), ("output_audio.clear",), delta([5] * 160, 16000),
                     delta([5] * 480, 48000))) as fake:
        assert voice(fake, sound(), "-o", answer).code == 0
    with wave.open(str(answer)) as file:
        assert file.getframerate() == 16000 and abs(file.getnframes() - 320) < 4, file.getnframes()


@test("what goes wrong is said in words, and nothing is written")
def _():
    answer = temp_dir() / "answer.wav"
    text = temp_dir() / "text.wav"
    text.write_text("no sound")
    with Box() as box:
        for args, words in (((text,), "no WAV file"), (("/nowhere/a.wav",), "No such file"),
                            ((riff(7, 8, bytes(800)),), "8 bits of format 7; PCM of 8, 16, 24 and 32"),
                            ((sound(seconds=0),), "there is no sound"),
                            ((sound(seconds=121),), "longer than 120 seconds"),
                            ((sound(), "-o", answer), "no engine speaks")):
            result = voice(box, *args)
            assert result.code == 1 and words in result.err, (args, result)
        for args in ((), (text, text)):
            assert voice(box, *args).code == 2
    assert not answer.exists()
    result = cli("voice", sound(), "--data", temp_dir() / "none")
    assert result.code == 1 and "no signalbox is running" in result.err, result
    result = cli("voice", sound(), "--url", "http://127.0.0.1:1")
    assert result.code == 1 and "127.0.0.1 port 1 cannot be reached" in result.err, result
    assert "no signalbox is running" not in result.err, result
    refusal = ("error", {"code": "engine_unavailable", "message": "whisper is away", "retryable": True})
    with Fake({"session.start": READY, "input_audio.commit": [refusal]}) as fake:
        result = voice(fake, sound())
        assert result.code == 1 and "whisper is away (engine_unavailable)" in result.err, result
    with Fake(spoken(("output_audio.delta", {"chunk": "?", "format": {"rate": 16000}}))) as fake:
        result = voice(fake, sound())
        assert result.code == 1 and "sound that cannot be read" in result.err, result


@test("--to asks another source, and it is an error where none can be asked")
def _():
    source = "sources: [{id: model, url: '%s', protocol: openai, model: model-a}]\n"
    with Upstream() as up, Engine(hears("good morning", "once more")) as engine, \
            config_box(source % up.url + f"voice: {{engine: {{hear: '{engine.place}'}}}}\n") as box:
        connected(box)
        result = voice(box, sound(), "--to", "model")
        assert result.out == f"you: good morning\n{''.join(WORDS)}\n" and result.code == 0, result
        result = voice(box, sound(), "--to", "nobody")
        assert result.code == 1 and "nobody answers: " in result.err, result
    with Box() as box:
        result = voice(box, sound(), "--to", "model")
        assert result.code == 1 and "model cannot be asked by voice" in result.err, result
        assert not result.out, result


@test("Ctrl-C cancels the turn, and says so by its status")
def _():
    with config_box(MOCK_TIMES) as box:
        process = subprocess.Popen([SIGNALBOX, "voice", sound(), "--json", "--data", box.data],
                                   stdout=subprocess.PIPE, env=environment())

        def is_heard():
            return [s for s in box.history() if s["type"] == "voice.sound"]
        eventually(is_heard)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130 and json.loads(out)["cancelled"] is True, out
        end, = eventually(lambda: [s for s in box.history() if s["type"] == "completion"])
        assert end["payload"]["result"] == "cancelled", end


@test("on a terminal what is heard replaces itself, until it is final")
def _():
    said = spoken()
    said["input_audio.append"] = [("transcript.partial", {"text": "how\x1b[2J"})]
    with Fake(said) as fake:
        here, there = pty.openpty()
        with subprocess.Popen([SIGNALBOX, "voice", sound(), "--data", fake.data], stdout=there,
                              stderr=there, env=environment({"TERM": "xterm"})) as process:
            os.close(there)
            got = b""
            while True:
                try:
                    piece = os.read(here, 4096)
                except OSError:
                    break
                if not piece:
                    break
                got += piece
            assert process.wait(PATIENCE_S) == 0, got
        os.close(here)
        assert b"\r\x1b[Khow" in got and b"\x1b[2J" not in got, got
        assert b"\r\x1b[Kyou: how are you\r\nI am well.\r\n" in got, got


run()
