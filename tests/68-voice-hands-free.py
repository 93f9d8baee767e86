#!/usr/bin/env python3
"""Voice sessions whose hands are free: who speaks has a turn, silence ends it, and speech interrupts."""

import time
from contextlib import contextmanager

from chats import connected
from doors import config_box
from lib import cli, eventually, run, temp_dir, test
from microphone import Microphone, finds
from servers import WORDS, Upstream
from talks import Talk
from wyoming_engine import Engine, hears, says

ANSWER = "".join(WORDS)


def free_box(ear, up, mouth=None, vad="true", more=""):
    say = f", say: '{mouth.place}'" if mouth else ""
    return config_box(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"voice: {{engine: {{hear: {{place: '{ear.place}', vad: {vad}}}{say}}}, think: model{more}}}\n")


def until(talk, kind, value=None):
    """All events up to this one."""
    events = []
    while not events or events[-1]["type"] != kind or value not in (None, events[-1]["payload"].get("value")):
        events.append(talk.json())
    return events


def kinds(events):
    return [e["payload"]["value"] if e["type"] == "session.state" else e["type"]
            for e in events if e["type"] not in ("response.text.delta", "output_audio.delta")]


def words(events, kind):
    return "".join(e["payload"]["text"] for e in events if e["type"] == kind)


@contextmanager
def opened(box, *features):
    with Talk(box) as talk:
        talk.start(*features)
        with Microphone(talk) as mic:
            yield talk, mic


def turn(talk, mic):
    """Somebody says something, and is answered."""
    mic.speaks = True
    events = until(talk, "speech.started")
    mic.speaks = False
    events += until(talk, "response.completed") + until(talk, "session.state")
    assert kinds(events) == ["listening", "speech.started", "speech.stopped", "transcript.final", "thinking",
                             "speaking", "response.completed", "listening"], kinds(events)
    assert words(events, "response.text.delta") == ANSWER
    return words(events, "transcript.final")


def both(text):
    """An engine that finds speech itself, and one that does not."""
    yield finds(*text), "true"
    yield hears(*text), "false"


@test("who speaks has a turn, without a commit, and then another one; silence is none")
def _():
    for serve, vad in both(("one", "two")):
        with Upstream() as up, Engine(serve) as ear, free_box(ear, up, vad=vad) as box:
            connected(box)
            with Talk(box) as talk:
                ready, now = talk.start("vad", "hands-free")
                assert (ready["features"], now["value"]) == (["vad", "hands-free"], "listening"), ready
                with Microphone(talk) as mic:
                    assert [turn(talk, mic), turn(talk, mic)] == ["one", "two"]
                    time.sleep(1)
                    mic.tell("session.start")
                    assert talk.json()["type"] == "session.ready"
                    assert talk.json()["payload"]["value"] == "listening"
            asked = ear.of("transcribe")
            assert all((a.get("vad"), a.get("silence_ms")) == ((True, 700) if vad == "true" else (None, None))
                       for a in asked), asked
            if vad == "false":
                assert len(asked) == 2, "no connection for silence"
            heard = eventually(lambda: [s for s in box.history() if s["type"] == "voice.sound"])
            assert len(heard) == 2, heard


@test("speech interrupts an answer that is spoken: nothing of it follows, and what was said is a turn")
def _():
    wave = b"\1\0\1\0" * 22050 * 8
    for serve, vad in both(("good", "better")):
        with Upstream() as up, Engine(serve) as ear, Engine(says(wave)) as mouth, \
                free_box(ear, up, mouth, vad) as box:
            connected(box)
            with opened(box, "turns", "audio", "hands-free") as (talk, mic):
                mic.speaks = True
                first = until(talk, "session.state", "listening")[-1]["payload"]["turnId"]
                mic.speaks = False
                until(talk, "output_audio.delta")
                mic.speaks = True
                until(talk, "output_audio.clear")
                listens = talk.json()["payload"]
                assert listens["value"] == "listening" and listens["turnId"] != first, listens
                mic.speaks = False
                events = until(talk, "output_audio.delta")
                assert all(e["payload"].get("turnId") == listens["turnId"] for e in events), events
                assert words(events, "transcript.final") == "better"
                ends = eventually(lambda: [s for s in box.history() if s.get("correlationId") == first
                                           and s["type"] == "completion"])
                assert len(ends) == 1


@test("speech interrupts a source that thinks, and it is cancelled there")
def _():
    for serve, vad in both(("silent please", "good")):
        with Upstream() as up, Engine(serve) as ear, free_box(ear, up, vad=vad) as box:
            connected(box)
            with opened(box, "turns", "hands-free") as (talk, mic):
                mic.speaks = True
                until(talk, "session.state", "listening")
                mic.speaks = False
                first = until(talk, "session.state", "thinking")[-1]["payload"]["turnId"]
                eventually(lambda: up.of("/v1/chat/completions"))
                mic.speaks = True
                events = until(talk, "session.state", "listening")
                assert kinds(events) == ["listening"] and events[0]["payload"]["turnId"] != first, events
                mic.speaks = False
                events = until(talk, "response.completed")
                assert first not in [e["payload"].get("turnId") for e in events], events
                assert words(events, "response.text.delta") == ANSWER
                eventually(lambda: up.closed)


@test("push to talk is told who speaks if it asked, and not a byte more if it did not")
def _():
    for serve, vad in both(("one", "two")):
        with Upstream() as up, Engine(serve) as ear, free_box(ear, up, vad=vad) as box:
            connected(box)
            with Talk(box) as talk:
                talk.start("vad")
                with Microphone(talk) as mic:
                    assert kinds(until(talk, "session.state")) == ["listening"]
                    time.sleep(0.3)
                    mic.speaks = True
                    assert kinds([talk.json()]) == ["speech.started"]
                    mic.speaks = False
                    assert kinds([talk.json()]) == ["speech.stopped"]
                talk.tell("input_audio.commit")
                assert kinds(until(talk, "session.state", "idle")) == [
                    "transcript.final", "thinking", "speaking", "response.completed", "idle"]
            with Talk(box) as talk:
                with Microphone(talk) as mic:
                    mic.speaks = True
                    until(talk, "session.state")
                    time.sleep(0.5)
                talk.tell("input_audio.commit")
                assert kinds(until(talk, "session.state", "thinking")) == ["transcript.final", "thinking"]
            assert "vad" not in ear.of("transcribe")[-1]


@test("a cough that is no word is no error, and an engine that is away is told of")
def _():
    with Upstream() as up, Engine(finds("")) as ear, free_box(ear, up) as box:
        connected(box)
        with opened(box, "hands-free") as (talk, mic):
            mic.speaks = True
            until(talk, "session.state", "listening")
            mic.speaks = False
            assert kinds([talk.json()]) == ["listening"]
        ear.listener.close()
        with opened(box, "hands-free") as (talk, mic):
            error = until(talk, "error")[-1]["payload"]
            assert (error["code"], error["retryable"]) == ("engine_unavailable", True), error
            mic.tell("session.start")
            until(talk, "session.ready")
            assert talk.json()["payload"]["value"] == "listening"


@test("the silence is of the configuration, and has its limits")
def _():
    with Upstream() as up, Engine(finds("one")) as ear, free_box(ear, up, more=", silence: 1500ms") as box:
        connected(box)
        with Talk(box) as talk:
            talk.start("vad", "hands-free")
            with Microphone(talk) as mic:
                turn(talk, mic)
        assert {a["silence_ms"] for a in ear.of("transcribe")} == {1500}
    path = temp_dir() / "signalbox.yaml"
    for silence in ("100ms", "6s"):
        path.write_text(f"voice: {{silence: {silence}}}\n")
        result = cli("config", "show", "--config", str(path))
        assert result.code != 0 and "silence" in result.out + result.err, result


run()
