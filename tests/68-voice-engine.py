#!/usr/bin/env python3
"""Voice with engines: what is heard is asked of a source, whose answer is the turn's, in one run."""

import base64
import json
import struct
import time

from chats import connected
from doors import config_box, reload, upgrade
from lib import cli, eventually, run, temp_dir, test
from servers import WORDS, Upstream
from talks import BUSY, Talk, state, words, until
from wyoming_engine import Engine, hears, says

QUIET = base64.b64encode(b"\0" * 640).decode()
ANSWER = "".join(WORDS)


def settings(engine, up=None, more=""):
    source = f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n" if up else ""
    think = ", think: model" if up else ""
    return f"{source}voice: {{engine: {{hear: '{engine.place}'}}{think}{more}}}\n"


def real_box(engine, up=None, more=""):
    return config_box(settings(engine, up, more))


def speak(talk, chunks=3):
    for _ in range(chunks):
        talk.tell("input_audio.append", chunk=QUIET)
    talk.tell("input_audio.commit")


def idle(talk):
    events = until(talk, "session.state")
    while events[-1]["payload"]["value"] not in ("idle",):
        events += until(talk, "session.state")
    return events


def deltas(events):
    return "".join(e["payload"]["text"] for e in events if e["type"] == "response.text.delta")


def signals(box, turn):
    return [s for s in box.history() if s.get("correlationId") == turn]


@test("a turn is heard, asked of a source and answered; all of it is one run, and no word is told twice")
def _():
    with Upstream() as up, Engine(hears("good morning")) as engine, real_box(engine, up) as box:
        connected(box)
        with Talk(box) as talk:
            assert talk.start("turns", "tools")[0]["features"] == ["turns", "tools"]
            speak(talk)
            events = idle(talk)
            kinds = [e["type"] for e in events if e["type"] != "response.text.delta"]
            assert kinds == ["session.state", "transcript.final", "session.state", "session.state",
                             "response.completed", "session.state"], kinds
            assert events[1]["payload"]["text"] == "good morning" and deltas(events) == ANSWER
            turn = events[0]["payload"]["turnId"]
        told = eventually(lambda: [s for s in signals(box, turn)
                                   if s["type"] == "completion"] and signals(box, turn))
        kinds = [s["type"] for s in told]
        assert kinds.count("task_dispatch") == 1 and kinds.count("completion") == 1, kinds
        assert "".join(s["payload"]["content"] for s in told if s["type"] == "text_delta") == ANSWER
        dispatch = next(s for s in told if s["type"] == "task_dispatch")
        assert dispatch["payload"]["description"] == "good morning", dispatch
        assert {s["source"] for s in told} >= {"voice/custom", "user"}
        whole = eventually(lambda: box.request("GET", f"/api/runs/{turn}/messages").json())
        assert [m["text"] for m in whole["messages"]] == ["good morning", ANSWER], whole
        crew = eventually(lambda: box.request("GET", "/api/crew").json()["members"])
        assert [(m["id"], m["title"]) for m in crew] == [(turn, "good morning")], crew
        assert engine.of("audio-start")[0] == {"rate": 16000, "width": 2, "channels": 1}


@test("a conversation is kept over the turns of a session, and each session has its own")
def _():
    with Upstream() as up, Engine(hears("one", "two", "three")) as engine, \
            real_box(engine, up) as box:
        connected(box)

        def turn(talk):
            speak(talk)
            until(talk, "response.completed")
            body = json.loads(up.of("/v1/chat/completions")[-1].body)
            return [m["content"] for m in body["messages"]]

        with Talk(box) as talk:
            assert turn(talk) == ["one"]
            assert turn(talk) == ["one", ANSWER, "two"]
        with Talk(box) as talk:
            assert turn(talk) == ["three"]


@test("a session chooses who answers, between its turns, and is told in words of who cannot")
def _():
    def begin(talk, **payload):
        talk.tell("session.start", **payload)
        return until(talk, "session.state")[0]["payload"]

    with Upstream() as up, Engine(hears("one", "two", "three", "four")) as engine, \
            config_box(settings(engine, up).replace(", think: model", "")) as box:
        connected(box)
        with Talk(box) as talk:
            assert "source" not in begin(talk, features=[])
            speak(talk)
            assert "voice.think" in until(talk, "error")[-1]["payload"]["message"]
            talk.expect(state("idle"))
            assert begin(talk, source="model").keys() == {"sessionId", "features"}
            ready = begin(talk, features=["tools"], source="model")
            assert (ready["source"], ready["features"]) == ("model", ["tools"]), ready
            talk.tell("input_audio.append", chunk=QUIET)
            talk.expect(state("listening"))
            assert begin(talk, features=[], source="other")["source"] == "model"
            talk.tell("input_audio.commit")
            assert deltas(until(talk, "response.completed")) == ANSWER
            talk.expect(state("idle"))
            assert begin(talk, features=[], source="nobody")["source"] == "nobody"
            speak(talk)
            error = until(talk, "error")[-1]["payload"]
            assert error["code"] == "engine_unavailable" and "nobody answers" in error["message"], error
    with config_box("") as box, Talk(box) as talk:
        assert begin(talk, features=["turns"], source="model").keys() & {"source"} == set()


@test("a cancelled turn is cancelled upstream, and nothing of it is told afterwards")
def _():
    with Upstream() as up, Engine(hears("slow please")) as engine, real_box(engine, up) as box:
        connected(box)
        with Talk(box) as talk:
            talk.start("turns")
            speak(talk)
            turn = until(talk, "response.text.delta")[-1]["payload"]["turnId"]
            talk.tell("input_audio.append", chunk=QUIET)
            while (event := talk.json())["type"] == "response.text.delta":
                pass
            assert {k: event["payload"][k] for k in BUSY} == BUSY, event
            talk.tell("response.cancel")
            while (event := talk.json())["type"] == "response.text.delta":
                pass
            assert event["payload"]["value"] == "idle", event
            eventually(lambda: up.closed)
            talk.tell("session.start")
            assert talk.json()["type"] == "session.ready"
            ends = eventually(lambda: [s for s in signals(box, turn) if s["type"] == "completion"])
            assert len(ends) == 1 and ends[0]["payload"]["success"] is False, ends
            assert [s for s in signals(box, turn) if s["type"] == "control"], signals(box, turn)


@test("what is cancelled elsewhere is told, and the session goes on")
def _():
    with Upstream() as up, Engine(hears("slow please", "good")) as engine, real_box(engine, up) as box:
        connected(box)
        with Talk(box) as talk:
            talk.start("turns")
            speak(talk)
            turn = until(talk, "response.text.delta")[-1]["payload"]["turnId"]
            assert box.request("POST", f"/api/runs/{turn}/cancel").status == 200
            error = until(talk, "error")[-1]["payload"]
            assert (error["code"], error["retryable"]) == ("cancelled_upstream", True), error
            assert talk.json()["payload"]["value"] == "idle"
            speak(talk)
            assert deltas(until(talk, "response.completed")) == ANSWER
            assert len([s for s in signals(box, turn) if s["type"] in ("completion", "error")]) == 1


@test("a source that fails is told in words, and so is one that is not there")
def _():
    with Upstream() as up, Engine(hears("refused", "good")) as engine, real_box(engine, up) as box:
        connected(box)
        with Talk(box) as talk:
            speak(talk)
            error = until(talk, "error")[-1]["payload"]
            assert error["code"] == "engine_unavailable" and "key is wrong" in error["message"], error
            talk.expect(state("idle"))
            up.stop()
            speak(talk)
            error = until(talk, "error")[-1]["payload"]
            assert error["code"] == "engine_unavailable", error


@test("without a source the words are heard, and told why nobody answers")
def _():
    with Engine(hears("hello")) as engine, real_box(engine) as box, Talk(box) as talk:
        speak(talk)
        talk.expect(state("listening"), words("transcript.final", "hello"), state("thinking"))
        error = talk.error()
        assert error == {"code": "engine_unavailable", "retryable": False,
                         "message": "nobody is asked: voice.think names the source that answers"}, error
        talk.expect(state("idle"))
        told = eventually(lambda: [s for s in box.history() if s["type"] == "completion"] and box.history())
        assert [s["payload"]["description"] for s in told if s["type"] == "task_dispatch"] == ["hello"]
        talk.tell("mocked.turn.trigger")
        assert talk.error()["code"] == "unsupported_mocked_turn_trigger"


@test("calls of tools are told to who asked for that")
def _():
    with Upstream() as up, Engine(hears("tools")) as engine, real_box(engine, up) as box:
        connected(box)
        with Talk(box) as talk:
            talk.start("tools")
            speak(talk)
            told = [e for e in idle(talk) if e["type"].startswith("tool.")]
            assert told and told[0] == {"type": "tool.started", "payload": {"name": "search"}}, told


@test("an engine that dies, hangs up or talks HTML fails its turn alone")
def _():
    def html(line, engine):
        line.socket.sendall(b"<html>502 Bad Gateway</html>\n")
        list(engine.events(line))

    def dies(line, engine):
        line.read()

    for serve, said in ((html, "does not speak Wyoming"), (dies, "closed the connection")):
        with Engine(serve) as engine, real_box(engine) as box, Talk(box) as talk:
            for _ in range(2):
                talk.tell("input_audio.append", chunk=QUIET)
                error = until(talk, "error")[-1]["payload"]
                assert error["code"] == "engine_unavailable" and said in error["message"], error
                talk.expect(state("idle"))


def spoken_box(ear, mouth, up):
    return config_box(settings(ear, up).replace("'}, think", f"', say: '{mouth.place}'}}, think"))


def sound_of(events):
    return b"".join(base64.b64decode(e["payload"]["chunk"]) for e in events
                    if e["type"] == "output_audio.delta")


@test("the answer is spoken sentence by sentence, and stereo at 22,050 Hz comes as mono at 24,000")
def _():
    wave = struct.pack("<2h", 1000, 3000) * 22050
    with Upstream() as up, Engine(hears("good")) as ear, Engine(says(wave)) as mouth, \
            spoken_box(ear, mouth, up) as box:
        connected(box)
        look = box.request("GET", "/api/voice").json()
        assert look["say"]["place"] == mouth.place and "audio" in look["features"], look
        with Talk(box) as talk:
            assert talk.start("audio")[0]["features"] == ["audio"]
            begun = time.monotonic()
            speak(talk)
            events = idle(talk)
            kinds = [e["type"] for e in events]
            assert kinds[-2:] == ["response.completed", "session.state"], kinds
            form = {e["payload"]["format"]["rate"] for e in events if e["type"] == "output_audio.delta"}
            assert form == {24000}, form
            sound = sound_of(events)
            asked = mouth.of("synthesize")
            assert len(asked) >= 1 and "".join(a["text"] for a in asked).startswith("Hello"), asked
            assert abs(len(sound) - 48000 * len(asked)) < 2000, (len(sound), asked)
            middle = struct.unpack_from("<h", sound, 24000)[0]
            assert abs(middle - 2000) < 40, middle
            assert time.monotonic() - begun >= 0.9 * len(asked), "it is over when it was heard"
        with Talk(box) as talk:  # who plays no sound asks for none
            speak(talk)
            assert not sound_of(idle(talk)) and len(mouth.of("synthesize")) == len(asked)


@test("a cancel while it is spoken clears the loudspeaker, and no sound follows")
def _():
    wave = b"\1\0\1\0" * 22050 * 4
    with Upstream() as up, Engine(hears("good")) as ear, Engine(says(wave)) as mouth, \
            spoken_box(ear, mouth, up) as box:
        connected(box)
        with Talk(box) as talk:
            talk.start("audio")
            speak(talk)
            until(talk, "output_audio.delta")
            talk.tell("response.cancel")
            until(talk, "output_audio.clear")
            talk.expect(state("idle"))
            talk.tell("session.start")
            assert talk.json()["type"] == "session.ready"


@test("sound that cannot be played is refused in words, and so is an engine that says nothing")
def _():
    def dies(line, engine):
        line.read()

    for serve, words_ in ((says(b"\0" * 8, width=4), "samples of 4 bytes"), (dies, "closed the connection")):
        with Upstream() as up, Engine(hears("good")) as ear, Engine(serve) as mouth, \
                spoken_box(ear, mouth, up) as box:
            connected(box)
            with Talk(box) as talk:
                talk.start("audio", "turns")
                speak(talk)
                error = until(talk, "error")[-1]["payload"]
                assert error["code"] == "engine_unavailable" and words_ in error["message"], error
                turn = error["turnId"]
                eventually(lambda: any(s["type"] == "completion" and s["source"] == "voice/custom"
                                       for s in signals(box, turn)))


@test("eight sessions have the engine; the ninth is told, and has it when one has ended")
def _():
    with Upstream() as up, Engine(hears("good")) as engine, real_box(engine, up) as box:
        connected(box)
        talks = [Talk(box) for _ in range(8)]
        with Talk(box) as ninth:
            assert ninth.error()["code"] == "engine_unavailable"
            assert box.request("GET", "/api/voice").json()["limits"]["engaged"] == 8
            speak(ninth)
            assert until(ninth, "error")[-1]["payload"]["retryable"] is True
            for talk in talks:
                talk.close()
            eventually(lambda: not box.request("GET", "/api/voice").json()["limits"]["engaged"])
            talks = []
            while (event := ninth.json())["type"] != "session.state" or event["payload"]["value"] != "idle":
                pass
            speak(ninth)
            assert deltas(until(ninth, "response.completed")) == ANSWER


@test("sessions that nobody is connected to leave their engine to others, and have one when they are resumed")
def _():
    with Upstream() as up, Engine(hears("good")) as engine, real_box(engine, up) as box:
        connected(box)
        lost = []
        for _ in range(12):
            with Talk(box) as talk:
                ready, now = talk.start("resume")
                lost.append((talk.id, now["seq"]))
                speak(talk)
                assert until(talk, "response.completed")
        for session, seq in (lost[0], lost[-1]):
            with Talk(box) as talk:
                talk.tell("session.resume", sessionId=session, seq=seq)
                until(talk, "session.ready")
                assert talk.json()["payload"]["value"] == "idle"
                speak(talk)
                assert until(talk, "response.completed", "error")[-1]["type"] == "response.completed"
        assert box.request("GET", "/api/voice").json()["limits"]["engaged"] <= 8


@test("the API says which engine there is, and a session keeps its own when the configuration changes")
def _():
    with Upstream() as up, Engine(hears("good")) as engine, real_box(engine, up) as box:
        connected(box)
        look = box.request("GET", "/api/voice").json()
        assert look["hear"].pop("about") == {"state": "asking"}, look
        assert look == {
            "ok": True, "engine": "custom", "hosted": False,
            "hear": {"kind": "wyoming", "place": engine.place, "hosted": False},
            "think": {"kind": "source", "source": "model"}, "say": {"kind": "none"},
            "features": ["turns", "text", "tools", "vad", "resume", "hands-free"],
            "local": {"state": "unchecked"},
            "limits": {"seconds": 120, "sessions": 8, "engaged": 0}}, look
        with Talk(box) as old:
            reload(box, settings(engine, up, ", trigger: on").replace("voice: {engine: {hear:",
                                                                    "voice: {engine: {use: mock, hear:"))
            assert box.request("GET", "/api/voice").json()["engine"] == "mock"
            speak(old)
            assert deltas(until(old, "response.completed")) == ANSWER
            with Talk(box) as fresh:
                fresh.tell("mocked.turn.trigger")
                assert "mocked" in deltas(until(fresh, "response.completed"))
    with config_box("voice: {engine: {hear: 'tcp://speech.example:10300'}}\n") as box:
        look = box.request("GET", "/api/voice").json()
        assert look["hosted"] is True and look["think"]["kind"] == "none", look


@test("an engine with effects lets nobody in without a token, and places are read strictly")
def _():
    with Engine(hears("x")) as engine, \
            config_box("listen: ['127.0.0.1:0', {address: '127.0.0.1:0', dialect: voice}]\n"
                       + settings(engine)) as box:
        assert upgrade(box, "/ws/voice") in (401, 403)
    path = temp_dir() / "signalbox.yaml"
    for place, said in (("ftp://x", "not at 'ftp://x'"), ("tcp://127.0.0.1", "names no port"),
                        ("tcp://0x7f.1:10300", "0x7f.1"), ("unix:", "not at unix:")):
        path.write_text(f"voice: {{engine: {{hear: '{place}'}}}}\n")
        result = cli("config", "show", "--config", str(path))
        assert result.code != 0 and said in result.out + result.err, result
    path.write_text("voice: {engine: mock}\n")
    assert cli("config", "show", "--config", str(path)).code == 0
    path.write_text("voice: {engine: mocked}\n")
    assert cli("config", "show", "--config", str(path)).code != 0


run()
