#!/usr/bin/env python3
"""Engines that speak Wyoming: what they say of themselves, and words and sound that come piece by piece."""

import base64
import json
import subprocess
import sys
import threading
import time

from pathlib import Path

import servers

from chats import Parrot, connected
from doors import config_box
from lib import Skip, eventually, run, temp_dir, test
from talks import Talk, state, until
from wyoming_engine import Engine, hears

QUIET = base64.b64encode(b"\0" * 640).decode()
FIRST, SECOND = "This is the first sentence.", "And this is the second one."


def story(peer, script, type):
    """One sentence, and the other when the test opens the gate."""
    peer.begin(type)
    for piece in script([FIRST + " ", "And "])[:-3]:
        peer.chunk(piece)
    peer.up.gate.wait(30)
    for piece in script(["this is ", "the second one."])[1:]:
        peer.chunk(piece)
    peer.end()
    return True


servers.ANSWERS["story"] = story


class Served:
    """An engine of Home Assistant's library, in a process of its own: wyoming_served.py."""

    def __init__(self, path=None, **abilities):
        self.path = path or temp_dir() / "engine.sock"
        self.place = f"unix:{self.path}"
        self.heard = []
        script = Path(__file__).with_name("wyoming_served.py")
        for python in ("/usr/bin/python3", sys.executable):
            self.process = subprocess.Popen([python, script, self.path, json.dumps(abilities)],
                                            stdout=subprocess.PIPE, text=True)
            if self.process.stdout.readline() == "ready\n":
                break
            if self.process.wait() != 3:
                raise AssertionError("the engine does not start")
        else:
            raise Skip("there is no python3-wyoming here")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.heard.append(json.loads(line))

    def of(self, kind):
        return [data for type, data in list(self.heard) if type == kind]

    def kinds(self):
        return [kind for kind, _ in list(self.heard) if kind not in ("describe", "gone")]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def voice_box(up, hear, say=None, more=""):
    engines = f"hear: '{hear}'" + (f", say: {{place: '{say}'{more}}}" if say else "")
    return config_box(f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
                      f"voice: {{engine: {{{engines}}}, think: model}}\n")


def about(box, part, *states):
    """What is known of an engine, once it is one of these."""
    def look():
        said = box.request("GET", "/api/voice").json()[part]["about"]
        return said if said["state"] in states else None
    return eventually(look)


def ask(talk):
    talk.start("audio")
    talk.tell("input_audio.append", chunk=QUIET)
    talk.tell("input_audio.commit")


def seconds_of(events):
    return sum(len(base64.b64decode(e["payload"]["chunk"])) for e in events
               if e["type"] == "output_audio.delta") / 48000


@test("an engine says what it is: its name, what it hears and speaks with, and what it lacks")
def _():
    with servers.Upstream() as up, Served(words=["good"], seconds=1) as engine, \
            voice_box(up, engine.place, engine.place, ", voice: bob, language: en") as box:
        assert about(box, "hear", "here") == {
            "state": "here", "name": "served-ear", "model": "base", "languages": ["en", "de"], "streams": False}
        assert about(box, "say", "here") == {
            "state": "here", "name": "served-mouth", "languages": ["en_GB"], "streams": False,
            "words": "it has no voice 'bob', but amy"}
        asked = len(engine.of("describe"))
        for _ in range(5):
            about(box, "hear", "here")
        assert len(engine.of("describe")) == asked == 2, "it is kept"


@test("who does not do a part, and who is away, is told in words")
def _():
    with servers.Upstream() as up, Served(seconds=1) as engine, voice_box(up, engine.place, engine.place) as box:
        assert about(box, "hear", "unable") == {
            "state": "unable", "words": f"there is nobody who hears at {engine.place}, it says"}
        assert about(box, "say", "here")["name"] == "served-mouth"
    with servers.Upstream() as up, voice_box(up, "unix:/nonexistent/engine") as box:
        words = about(box, "hear", "away")["words"]
        assert words.startswith("there is nobody who hears at unix:/nonexistent/engine: the engine cannot be reached"), words


def garbage(line, engine):
    line.socket.sendall(b'<html>\x00\xff{"type":"info"}\n')
    list(engine.events(line))


def endless(line, engine):
    """10 MiB, and more as long as somebody reads."""
    line.read()
    line.socket.sendall(b'{"type":"info","data_length":10485760}\n')
    for _ in range(10):
        line.socket.sendall(b"[" * 1048576)


def chatty(line, engine):
    """Events without end, and none of them an answer."""
    while True:
        line.send("ping", {"text": "x" * 1000})


def silent(line, engine):
    list(engine.events(line))


@test("nonsense, 10 MiB, chatter and silence in the place of an answer are told, and a turn waits for none of it")
def _():
    for serve, said in ((garbage, "does not speak Wyoming"), (endless, "does not speak Wyoming"),
                        (chatty, "does not say what it is"), (silent, "does not say what it is")):
        def both(line, engine, serve=serve):
            first = line.file.peek(1)  # what comes first decides
            while b"\n" not in first:
                first = line.file.peek(65536)
            (serve if b'"describe"' in first.split(b"\n")[0] else hears("one"))(line, engine)
        with servers.Upstream() as up, Engine(both) as engine, voice_box(up, engine.place) as box:
            connected(box)
            with Talk(box) as talk:
                ask(talk)
                assert until(talk, "transcript.final")[-1]["payload"]["text"] == "one"
                until(talk, "response.completed")
            assert said in about(box, "hear", "away")["words"]


@test("hostile names are shown, and no longer than a name is")
def _():
    def boasts(line, engine):
        for kind, _, _ in engine.events(line):
            if kind == "describe":
                line.send("info", {"asr": [{"name": "\x1b[2J‮" + "x" * 5000, "models": [
                    {"name": "m", "languages": ["l" * 900, 7, None] + [f"{i}" for i in range(500)]}]}]})
    with servers.Upstream() as up, Engine(boasts) as engine, voice_box(up, engine.place) as box:
        said = about(box, "hear", "here")
        assert said["name"].startswith("\\u001b[2J\\u202exxx") and len(said["name"]) < 80, said
        assert len(said["languages"]) == 16 and len(said["languages"][0]) < 24, said


@test("words are told while they come, and the transcript is the last of them")
def _():
    with servers.Upstream() as up, Served(streams=True, words=["good ", "morning"]) as engine, \
            voice_box(up, engine.place) as box:
        connected(box)
        assert about(box, "hear", "here")["streams"] is True
        with Talk(box) as talk:
            talk.tell("input_audio.append", chunk=QUIET)
            assert until(talk, "transcript.partial")[-1]["payload"]["text"] == "good "
            talk.tell("input_audio.commit")
            events = until(talk, "response.completed")
            words = [(e["type"], e["payload"]["text"]) for e in events if e["type"].startswith("transcript.")]
            assert words == [("transcript.partial", "good morning"), ("transcript.final", "good morning")], words


@test("an engine that ends an utterance by itself hears a part of it, and the next sound is another part")
def _():
    left = ["one", "two", "three"]

    def ends(line, engine):
        for kind, _, _ in engine.events(line):
            if kind == "audio-chunk" and left:
                line.send("transcript", {"text": left.pop(0)})
                return
            if kind == "audio-stop":
                line.send("transcript", {"text": " "})

    with Parrot() as up, Engine(ends) as ear, \
            config_box(f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: parrot}}]\n"
                       f"voice: {{engine: {{hear: '{ear.place}'}}, think: model}}\n") as box:
        connected(box)
        for parts, silent in ((1, False), (2, True)):
            with Talk(box) as talk:
                for _ in range(parts):
                    talk.tell("input_audio.append", chunk=QUIET)
                    heard = until(talk, "transcript.partial", "error")[-1]["payload"]
                if silent:
                    talk.tell("input_audio.append", chunk=QUIET)
                talk.tell("input_audio.commit")
                said = until(talk, "transcript.final", "error")[-1]["payload"]
                assert said == heard == {"text": "one" if parts == 1 else "two three"}, (said, heard)
                until(talk, "response.completed")


@test("an engine that failed in a turn is asked anew, before what is known is old")
def _():
    with servers.Upstream() as up:
        with Served(words=["good morning"]) as engine:
            box = voice_box(up, engine.place).__enter__()
            about(box, "hear", "here")
        assert box.request("GET", "/api/voice").json()["hear"]["about"]["state"] == "here", "it is kept"
        with Talk(box) as talk:
            ask(talk)
            assert "cannot be reached" in until(talk, "error")[-1]["payload"]["message"]
        about(box, "hear", "away")
        box.__exit__(None, None, None)


@test("a stream of words is said by one connection, as it comes")
def _():
    with servers.Upstream() as up, Engine(hears("story")) as ear, \
            Served(streams=True, seconds=0.3) as mouth, voice_box(up, ear.place, mouth.place, ", voice: amy") as box:
        connected(box)
        about(box, "say", "here")
        with Talk(box) as talk:
            ask(talk)
            assert seconds_of(until(talk, "output_audio.delta")) > 0, "before the answer is whole"
            assert mouth.kinds() == ["synthesize-start", "synthesize-chunk"], mouth.kinds()
            up.gate.set()
            until(talk, "response.completed")
        assert mouth.kinds() == ["synthesize-start", "synthesize-chunk", "synthesize-chunk", "synthesize",
                                 "synthesize-stop"], mouth.kinds()
        assert mouth.of("synthesize-start") == [{"voice": {"name": "amy"}}]
        assert [d["text"] for d in mouth.of("synthesize-chunk")] == [FIRST + " ", SECOND + " "]
        assert mouth.of("synthesize") == [{"text": f"{FIRST} {SECOND}", "voice": {"name": "amy"}}]


@test("where nobody says that it streams, each sentence has a connection")
def _():
    with servers.Upstream() as up, Engine(hears("story")) as ear, \
            Served(seconds=0.3) as mouth, voice_box(up, ear.place, mouth.place) as box:
        connected(box)
        about(box, "say", "here")
        up.gate.set()
        with Talk(box) as talk:
            ask(talk)
            sound = seconds_of(until(talk, "response.completed"))
        assert [d["text"] for d in mouth.of("synthesize")] == [FIRST, SECOND], mouth.heard
        assert abs(sound - 0.6) < 0.05, sound


@test("sentences without any sound are said, too")
def _():
    for streams in (True, False):
        with servers.Upstream() as up, Engine(hears("story")) as ear, \
                Served(streams=streams, seconds=0) as mouth, voice_box(up, ear.place, mouth.place) as box:
            connected(box)
            about(box, "say", "here")
            up.gate.set()
            with Talk(box) as talk:
                ask(talk)
                assert seconds_of(until(talk, "response.completed")) == 0
            eventually(lambda: "synthesize" in mouth.kinds())


@test("a cancel closes the stream, and nothing of it follows")
def _():
    with servers.Upstream() as up, Engine(hears("story")) as ear, \
            Served(streams=True, seconds=60) as mouth, voice_box(up, ear.place, mouth.place) as box:
        connected(box)
        about(box, "say", "here")
        with Talk(box) as talk:
            ask(talk)
            until(talk, "output_audio.delta")
            gone = len(mouth.of("gone"))
            talk.tell("response.cancel")
            until(talk, "output_audio.clear")
            talk.expect(state("idle"))
            eventually(lambda: len(mouth.of("gone")) > gone)
            up.gate.set()
            talk.tell("session.start")
            assert talk.json()["type"] == "session.ready"
        assert mouth.kinds() == ["synthesize-start", "synthesize-chunk"], mouth.kinds()


@test("no more sound is told than is heard soon, however fast the engine is")
def _():
    with servers.Upstream() as up, Engine(hears("story")) as ear, \
            Served(streams=True, seconds=20) as mouth, voice_box(up, ear.place, mouth.place) as box:
        connected(box)
        about(box, "say", "here")
        with Talk(box) as talk:
            ask(talk)
            events, begun = until(talk, "output_audio.delta"), time.monotonic()
            while (told := seconds_of(events)) < 8:
                assert told < time.monotonic() - begun + 5 + 2, (told, time.monotonic() - begun)
                events += until(talk, "output_audio.delta")
            talk.tell("response.cancel")
            until(talk, "output_audio.clear")


@test("an engine that comes again with other abilities is asked anew, and no answer is lost by that")
def _():
    def turn(talk):
        talk.tell("input_audio.append", chunk=QUIET)
        talk.tell("input_audio.commit")
        return until(talk, "response.completed", "error")

    path = temp_dir() / "engine.sock"
    with servers.Upstream() as up, Engine(hears("story")) as ear:
        up.gate.set()
        with Served(path, streams=True, seconds=0.3) as mouth:
            box = voice_box(up, ear.place, mouth.place).__enter__()
            connected(box)
            about(box, "say", "here")
            talk = Talk(box)
            talk.start("audio")
            assert abs(seconds_of(turn(talk)) - 0.6) < 0.05
        until(talk, "session.state")
        with Served(path, seconds=0.3) as mouth:  # it says the whole, and never that it stopped
            assert abs(seconds_of(turn(talk)) - 0.3) < 0.05
            assert mouth.kinds()[-2:] == ["synthesize", "synthesize-stop"], mouth.kinds()
            assert about(box, "say", "here")["streams"] in (True, False)
            eventually(lambda: about(box, "say", "here")["streams"] is False)
            until(talk, "session.state")
            assert abs(seconds_of(turn(talk)) - 0.6) < 0.05
            assert [d["text"] for d in mouth.of("synthesize")[1:]] == [FIRST, SECOND], mouth.heard
            until(talk, "session.state")
        assert "cannot be reached" in turn(talk)[-1]["payload"]["message"]
        until(talk, "session.state")
        about(box, "say", "away")
        with Served(path, streams=True, seconds=0.3) as mouth:
            about(box, "say", "here")
            assert abs(seconds_of(turn(talk)) - 0.6) < 0.05
            assert "synthesize-stop" in mouth.kinds(), mouth.kinds()
        talk.close()
        box.__exit__(None, None, None)


run()
