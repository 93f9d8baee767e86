#!/usr/bin/env python3
"""Voice sessions and bad input: sound that is none, too much of it, and engines that die, hang or
lie in the middle.  Each is told in words, and the session goes on."""

import base64
import json
import os
from contextlib import contextmanager
from pathlib import Path

from chats import Parrot, connected
from doors import config_box
from fake_speech import FakeSpeech, wav_of
from lib import SIGNALBOX, TEXT, eventually, frame_bytes, run, temp_dir, test
from microphone import LOUD, QUIET, finds
from talks import Talk, state, until
from wyoming_engine import Engine, hears

SECOND = bytes(range(250)) * 128  # of sound, 16 kHz
FRAME = SECOND[:640]  # 20 ms
PATIENCE_S = 31  # more than an engine may be silent
UNAVAILABLE = "engine_unavailable"
BOTH = ("wyoming", "http")


@contextmanager
def box_of(hear, say=None, vad="false", **how):
    with Parrot() as up:
        mouth = f", say: '{say}'" if say else ""
        with config_box(f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: parrot}}]\n"
                        f"voice: {{engine: {{hear: {{place: '{hear}', vad: {vad}}}{mouth}}}, think: model}}\n", **how) as box:
            yield connected(box)


class Ear:
    """One that hears, of either kind, and what it was given."""

    def __init__(self, kind):
        self.engine = Engine(hears("go on")) if kind == "wyoming" else FakeSpeech(key="", words="go on")
        self.place = self.engine.place if kind == "wyoming" else self.engine.url

    def __enter__(self):
        self.engine.__enter__()
        return self

    def __exit__(self, *how):
        self.engine.__exit__(*how)

    def sound(self):
        """Of the last utterance that was whole."""
        if isinstance(self.engine, FakeSpeech):
            return wav_of(self.engine.heard[-1].bytes)[2]
        last = [line for line in self.engine.lines if "audio-start" in (kind for kind, _, _ in line)][-1]
        return b"".join(payload for _, _, payload in last)


def append_of(sound):
    return json.dumps({"type": "input_audio.append",
                       "payload": {"chunk": base64.b64encode(sound).decode()}}).encode()


def append(talk, sound, piece=len(FRAME)):
    """All of it, as fast as it goes."""
    chunks = (sound[at:at + piece] for at in range(0, len(sound), piece))
    talk.wire.send(b"".join(frame_bytes(TEXT, append_of(chunk)) for chunk in chunks))


def failed(talk):
    """The error that a turn ended with; the session is idle then."""
    error = until(talk, "error")[-1]["payload"]
    talk.expect(state("idle"))
    return error


def turn(talk, sound=FRAME * 2, piece=len(FRAME)):
    """One that works: all that is told in it."""
    append(talk, sound, piece)
    talk.tell("input_audio.commit")
    events = until(talk, "response.completed", "error")
    assert events[-1]["type"] == "response.completed", events[-1]
    talk.expect(state("idle"))
    return events


# --- sound ------------------------------------------------------------------------


@test("chunks that are no base64 end their turn in words, and the next turn is heard")
def _():
    for kind in BOTH:
        with Ear(kind) as ear, box_of(ear.place) as box, Talk(box) as talk:
            for chunk in ("%%%%", "not base64", "AAA", "AAAA=", "AA==AAAA", "\u00e4\u00f6\u00fc\u00df", "=",
                          "AAA\0"):
                append(talk, FRAME)
                talk.tell("input_audio.append", chunk=chunk)
                error = failed(talk)
                assert error["code"] == "invalid_message" and "in base64" in error["message"], (chunk, error)
            for chunk in (None, 7, ["AAAA"], {"data": "AAAA"}):
                talk.tell("input_audio.append", chunk=chunk)
                assert talk.error()["code"] == "invalid_message", chunk
            turn(talk)
            assert ear.sound() == FRAME * 2


@test("pieces of odd bytes are one sound again, and half a sample at its end is dropped")
def _():
    for kind in BOTH:
        with Ear(kind) as ear, box_of(ear.place) as box, Talk(box) as talk:
            for sound, piece in ((SECOND[:641], 1), (SECOND[:3000], 3), (SECOND[:31999], 317)):
                turn(talk, sound, piece)
                assert ear.sound() == sound[:len(sound) & ~1], (kind, piece)
            append(talk, b"x")
            talk.tell("input_audio.commit")
            assert failed(talk)["code"] == "no_speech", kind


@test("ten minutes of sound are too long when two are full, and not before; then one can speak again")
def _():
    for kind in BOTH:
        with Ear(kind) as ear, box_of(ear.place) as box, Talk(box) as talk:
            append(talk, SECOND * 120, 8000)
            talk.tell("input_audio.append", chunk="")
            talk.tell("session.start")
            assert [e["type"] for e in until(talk, "session.ready")] == ["session.state", "session.ready"]
            talk.expect(state("listening"))
            append(talk, SECOND * 480, 8000)
            talk.tell("session.start")
            told = until(talk, "session.ready")
            codes = [e["payload"]["code"] for e in told if e["type"] == "error"]
            assert codes and set(codes) == {"too_long"} and len(codes) <= 5, codes
            assert told[1] == state("idle") and "two minutes" in told[0]["payload"]["message"], told[:2]
            talk.json()
            talk.tell("response.cancel")
            talk.expect(state("idle"))
            turn(talk)
            assert ear.sound() == FRAME * 2


@test("two minutes are two minutes, too, where the engine says who speaks: pauses and silence count")
def _():
    with Engine(finds("go on")) as ear, box_of(ear.place, vad="true") as box, Talk(box) as talk:
        talk.start("vad")
        for pause in range(30):
            append(talk, LOUD * 100, len(LOUD) * 10)
            append(talk, QUIET * 100, len(QUIET) * 10)
            assert until(talk, "speech.stopped", "error")[-1]["type"] == "speech.stopped", pause
        append(talk, QUIET)
        assert failed(talk)["code"] == "too_long"
        append(talk, QUIET * 6001, len(QUIET) * 100)
        assert failed(talk)["code"] == "too_long"


@test("a thousand appends a second are all heard, and meanwhile others are answered")
def _():
    seconds = 4
    for kind in BOTH:
        with Ear(kind) as ear, box_of(ear.place) as box, Talk(box) as talk, Talk(box) as other:
            for _ in range(seconds):
                append(talk, SECOND[:20000], 20)
                other.tell("response.cancel")
                other.expect(state("idle"))
                assert box.request("GET", "/healthz").status == 200
            assert kind == "http" or not ear.engine.of("audio-stop")
            events = turn(talk)
            assert [e["payload"]["text"] for e in events if e["type"] == "transcript.final"] == ["go on"]
            assert ear.sound() == SECOND[:20000] * seconds + FRAME * 2


@test("an engine that takes no sound, given in as many pieces as there are, is given up")
def _():
    def takes_none(line, engine):
        engine.closed.wait()

    with Engine(takes_none) as ear, box_of(ear.place) as box, Talk(box) as talk:
        said = None
        for _ in range(60):  # each of them is some 100 bytes to the engine, for two of sound
            append(talk, b"\0" * 20000, 2)
            talk.tell("session.start")
            said = next((e["payload"] for e in until(talk, "session.ready") if e["type"] == "error"), None)
            if said:
                break
        assert said and said["code"] == UNAVAILABLE and "takes no more sound" in said["message"], said
        assert box.request("GET", "/healthz").status == 200
        ear.closed.set()


# --- engines that die ---------------------------------------------------------------


@test("an engine that dies while it hears, at the end or in its words, ends that turn alone")
def _():
    left = ["sound", "stop", "words", None]

    def dies(line, engine):
        how = left[0]
        for kind, _, _ in engine.events(line):
            if how == "sound" and kind == "audio-chunk":
                return
            if kind == "audio-stop" and how == "words":
                line.socket.sendall(b'{"type": "transcript", "data": {"te')
            if kind == "audio-stop" and how:
                return
            if kind == "audio-stop":
                line.send("transcript", {"text": "go on"})

    with Engine(dies) as ear, box_of(ear.place) as box, Talk(box) as talk:
        while left[0]:
            append(talk, FRAME * 3)
            if left[0] != "sound":
                talk.tell("input_audio.commit")
            error = failed(talk)
            assert (error["code"], error["retryable"]) == (UNAVAILABLE, True), error
            assert "closed the connection" in error["message"], (left, error)
            left.pop(0)
        turn(talk)


@test("an engine that dies in the middle of a word that it says, is told after what it said")
def _():
    form = {"rate": 24000, "width": 2, "channels": 1}
    dead = [True]

    def dies(line, engine):
        for kind, _, _ in engine.events(line):
            if kind == "synthesize":
                line.send("audio-start", form)
                line.send("audio-chunk", form, SECOND[:4800])
                if dead[0]:
                    line.socket.sendall(b'{"type": "audio-chunk", "payload_length": 4800}\nxyz')
                    return
                line.send("audio-stop")

    with Ear("wyoming") as ear, Engine(dies) as mouth, box_of(ear.place, mouth.place) as box:
        with Talk(box) as talk:
            talk.start("audio")
            append(talk, FRAME)
            talk.tell("input_audio.commit")
            events = until(talk, "error")
            assert any(e["type"] == "output_audio.delta" for e in events), events
            error = events[-1]["payload"]
            assert error["code"] == UNAVAILABLE and "closed the connection" in error["message"], error
            assert until(talk, "session.state")[-1] == state("idle")
            dead[0] = False
            turn(talk)


@test("an engine that speaks of formats that are none, or is no engine, is refused in words")
def _():
    def raw(words):
        def serve(line, engine):
            for kind, _, _ in engine.events(line):
                if kind == "synthesize":
                    line.socket.sendall(words)
        return serve

    def start(**form):
        return json.dumps({"type": "audio-start", "data": form}).encode() + b"\n"

    bad = [(raw(start(rate=22050, width=4, channels=1)), "samples of 4 bytes"),
           (raw(start(rate=0, width=2, channels=1)), "cannot be played"),
           (raw(start(rate=16000, width=2, channels=99)), "cannot be played"),
           (raw(start(rate="fast", width=2, channels=1)), "cannot be played"),
           (raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html></html>\n"), "does not speak Wyoming"),
           (raw(b'{"type": "audio-chunk", "payload_length": 99999999999}\n'), "does not speak Wyoming"),
           (raw(b"\0" * 5000000), "does not speak Wyoming"),
           (raw(b'{"type": "error", "data": {"text": "out of breath"}}\n'), "out of breath")]
    for serve, said in bad:
        with Ear("wyoming") as ear, Engine(serve) as mouth, box_of(ear.place, mouth.place) as box:
            with Talk(box) as talk:
                talk.start("audio")
                append(talk, FRAME)
                talk.tell("input_audio.commit")
                error = until(talk, "error")[-1]["payload"]
                assert error["code"] == UNAVAILABLE and said in error["message"], (said, error)
                assert until(talk, "session.state")[-1] == state("idle")


# --- engines that hang ---------------------------------------------------------------


class Haste:
    """A box for which time can fly: see tests/preload/clock.c."""

    def __init__(self):
        library = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "libclock.so"
        assert library.exists(), f"{library} is not built: meson configure -Dtests=true"
        self.passed, self.seconds = temp_dir() / "passed", 0
        address = os.environ.get("ASAN_OPTIONS", "")
        self.env = {"LD_PRELOAD": str(library), "CLOCK_PASSED": str(self.passed),
                    "ASAN_OPTIONS": f"{address}:verify_asan_link_order=0"}

    def wait(self, box):
        """As if so long had passed; any request wakes the box."""
        self.seconds += PATIENCE_S
        self.passed.unlink(missing_ok=True)
        self.passed.symlink_to(str(self.seconds))
        assert box.request("GET", "/healthz").status == 200


def hangs(line, engine):
    list(engine.events(line))


def is_asked(engine, kind):
    """Of it a whole utterance or sentence is wanted."""
    if isinstance(engine, FakeSpeech):
        return engine.heard if kind == "hear" else engine.said
    return engine.of("audio-stop" if kind == "hear" else "synthesize")


@test("an engine that does not answer is given up after half a minute, while it hears and while it says")
def _():
    haste = Haste()
    with FakeSpeech(key="") as server, Engine(hangs) as engine, Ear("wyoming") as ear:
        server.trouble = {"transcriptions": "silent", "speech": "silent"}
        for hung, hear, say, part in ((engine, engine.place, None, "hear"), (server, server.url, None, "hear"),
                                      (engine, ear.place, engine.place, "say"),
                                      (server, ear.place, server.url, "say")):
            with box_of(hear, say, env=haste.env) as box, Talk(box) as talk:
                talk.start("audio")
                append(talk, FRAME * 3)
                talk.tell("input_audio.commit")
                eventually(lambda: is_asked(hung, part))
                haste.wait(box)
                error = until(talk, "error")[-1]["payload"]
                assert (error["code"], error["retryable"]) == (UNAVAILABLE, True), (hear, say, error)
                assert until(talk, "session.state")[-1] == state("idle")
        assert engine.closed.wait(10), "its connection is closed"
        eventually(lambda: {"transcriptions", "speech"} <= set(server.left))


@test("who is silent for long is not given up while it is spoken to, nor is one that only hears")
def _():
    haste = Haste()
    with Ear("wyoming") as ear, box_of(ear.place, env=haste.env) as box, Talk(box) as talk:
        append(talk, FRAME * 3)
        eventually(lambda: len(ear.engine.of("audio-chunk")) == 3)
        haste.wait(box)
        turn(talk)
        assert ear.sound() == FRAME * 5


run()
