#!/usr/bin/env python3
"""The voice dialect: a session in real time, every event and every error to the letter.

The order of events in any interleaving is checked in virtual time (src/voice/session_test.c)."""

import base64
import json
import time

from doors import config_box, status, upgrade
from lib import BINARY, SLOW, Box, eventually, run, test
from talks import BUSY, Talk, state, words

PARTIAL = "[mocked partial] Placeholder push-to-talk transcript in progress"
FINAL = "[mocked final] Placeholder push-to-talk transcript completed"
USER = "[mocked user] What is the current mocked vertical slice?"
ANSWER = ("[mocked assistant] ",
          "This is a deterministic mocked response from the gateway vertical slice.")
SHAPE = "message must match the shared envelope shape"
SLOWLY = "voice: {mock: {final: 60s, speaking: 60s, first: 60s, second: 60s, end: 60s}}\n"


def answer():
    return [state("thinking"), state("speaking"), *(words("response.text.delta", t) for t in ANSWER),
            {"type": "response.completed", "payload": {}}, state("idle")]


# --- the first version of the protocol -----------------------------------------


@test("readiness and state come at once, and again after session.start, and not a byte more")
def _():
    with Box() as box, Talk(box) as talk, Talk(box) as other:
        assert talk.ready == {"type": "session.ready", "payload": {"sessionId": talk.id}}
        assert talk.first == state("idle")
        assert talk.id != other.id and len(talk.id) == 36
        for _ in range(2):
            talk.tell("session.start")
            talk.expect(talk.ready, state("idle"))
        talk.tell("response.cancel")
        talk.expect(state("idle"))


@test("a mocked turn, push to talk, a commit without sound and a turn again, on one socket")
def _():
    with Box() as box, Talk(box) as talk:
        talk.tell("mocked.turn.trigger")
        talk.expect(state("listening"), words("transcript.final", USER), *answer())
        for n in (1, 3):
            for _ in range(n):
                talk.tell("input_audio.append", chunk="placeholder, no sound")
            talk.tell("input_audio.commit")
            talk.expect(state("listening"), words("transcript.partial", PARTIAL + "."),
                        *(words("transcript.partial", f"{PARTIAL} ({i} chunks).") for i in range(2, n + 1)),
                        words("transcript.final", f"{FINAL} from {n} appended chunk(s)."), *answer())
        talk.tell("input_audio.commit")
        talk.expect(words("transcript.final", f"{FINAL} without appended audio."), *answer())
        talk.tell("mocked.turn.trigger")
        talk.expect(state("listening"), words("transcript.final", USER), *answer())


@test("steps of a turn keep their distance, and the configuration sets it")
def _():
    slow = "voice: {mock: {final: 600ms, speaking: 600ms, first: 1200ms, second: 1200ms, end: 1800ms}}\n"
    with config_box(slow) as box, Talk(box) as talk:
        begun = time.monotonic()
        talk.tell("mocked.turn.trigger")
        talk.expect(state("listening"), words("transcript.final", USER))
        assert time.monotonic() - begun >= 0.3
        talk.expect(*answer())
        assert time.monotonic() - begun >= 0.9
    quick = "voice: {mock: {final: 0ms, speaking: 0ms, first: 0ms, second: 0ms, end: 0ms}}\n"
    with config_box(quick) as box, Talk(box) as talk:
        for _ in range(20):
            talk.tell("input_audio.commit")
            talk.expect(words("transcript.final", f"{FINAL} without appended audio."), *answer())


@test("append, commit and trigger wait for the end of a turn; a cancel ends it and nothing follows")
def _():
    with config_box(SLOWLY) as box, Talk(box) as talk:
        for round_ in range(3):
            talk.tell("mocked.turn.trigger")
            talk.expect(state("listening"))
            for kind, payload in (("input_audio.append", {"chunk": ""}), ("input_audio.commit", {}),
                                  ("mocked.turn.trigger", {})):
                talk.tell(kind, **payload)
                assert talk.error() == BUSY, kind
            talk.tell("response.cancel")
            talk.expect(state("idle"))
        talk.tell("input_audio.append", chunk="x")
        talk.expect(state("listening"), words("transcript.partial", PARTIAL + "."))
        talk.tell("mocked.turn.trigger")
        talk.expect(state("listening"))
        talk.tell("response.cancel")
        talk.tell("input_audio.append", chunk="x")
        talk.expect(state("idle"), state("listening"), words("transcript.partial", PARTIAL + "."))


@test("what is no message is answered in the words of the protocol, and the session goes on")
def _():
    def refused(talk, message, said, code="invalid_message"):
        talk.send(message)
        error = talk.error()
        assert error == {"code": code, "message": said, "retryable": False}, (message, error)

    with Box() as box, Talk(box) as talk:
        for text in ("", "{", "nothing", '{"type":"session.start","payload":{}'):
            refused(talk, text, "message must be valid JSON", "invalid_json")
        for text in ("1", "[]", "null", "{}", '{"type":1,"payload":{}}', '{"payload":{}}',
                     '{"type":"session.start"}', '{"type":"input_audio.append","payload":{}}',
                     '{"type":"input_audio.append","payload":{"chunk":7}}',
                     '{"type":"session.start","payload":{"features":"turns"}}'):
            refused(talk, text, SHAPE)
        for payload in ("null", "[]", "1", '"x"'):
            refused(talk, '{"type":"session.start","payload":%s}' % payload,
                    "message payload must be an object")
        for kind in ("session.stop", "input_text", "", "response.text.delta"):
            refused(talk, {"type": kind, "payload": {"text": "hello"}},
                    f"unsupported client event type: {kind}")
        talk.send({"type": "é" * 500, "payload": {}})
        assert talk.error()["message"] == "unsupported client event type: " + "é" * 50
        talk.send_frame(BINARY, b'{"type":"session.start","payload":{}}')
        assert talk.error() == {"code": "invalid_message", "message": SHAPE, "retryable": False}
        talk.tell("session.start", more=1)
        talk.expect(talk.ready, state("idle"))


@test("voice.trigger: off answers as later versions do, and push to talk works")
def _():
    with config_box("voice: {trigger: off}\n") as box, Talk(box) as talk:
        talk.tell("mocked.turn.trigger")
        error = talk.error()
        assert error["code"] == "unsupported_mocked_turn_trigger" and not error["retryable"], error
        assert error["message"].startswith("mocked.turn.trigger is no longer supported; us"), error
        talk.tell("input_audio.commit")
        talk.expect(words("transcript.final", f"{FINAL} without appended audio."), *answer())


# --- bad input -------------------------------------------------------------------


@test("chunks of any form, a thousand at once, are counted; a message that is too big costs its connection")
def _():
    with Box() as box, Talk(box) as talk, Talk(box) as other:
        chunks = ["no base64 !", "", "\u0000", "YQ", base64.b64encode(b"odd").decode(), "A" * 500000]
        chunks += ["AAAA"] * (300 if SLOW else 1000)
        for chunk in chunks:
            talk.tell("input_audio.append", chunk=chunk)
        talk.tell("input_audio.commit")
        talk.expect(state("listening"), words("transcript.partial", PARTIAL + "."),
                    *(words("transcript.partial", f"{PARTIAL} ({i} chunks).")
                      for i in range(2, len(chunks) + 1)),
                    words("transcript.final", f"{FINAL} from {len(chunks)} appended chunk(s)."), *answer())
        try:
            talk.tell("input_audio.append", chunk="A" * (10 << 20))
            while talk.recv() is not None:
                pass
            assert talk.close_code == 1009, talk.close_code
        except OSError:
            pass  # it was closed while it was still sending
        other.tell("session.start")
        other.expect(other.ready, state("idle"))


@test("a malformed frame costs its connection and nothing else")
def _():
    with Box() as box, Talk(box) as other:
        for how in ({"rsv": 4}, {"mask": None}, {"opcode": 3}):
            with Talk(box) as talk:
                talk.tell("mocked.turn.trigger")
                talk.expect(state("listening"))
                talk.send_frame(how.pop("opcode", 1), b"{}", **how)
                while talk.recv() is not None:
                    pass
                assert talk.close_code == 1002, talk.close_code
        other.tell("mocked.turn.trigger")
        other.expect(state("listening"), words("transcript.final", USER), *answer())


# --- who may come ------------------------------------------------------------------


@test("it needs the scope control")
def _():
    tokens = ("auth: {tokens: [{name: eye, file: TOP/eye, scopes: 'observe,emit'}, "
              "{name: hand, file: TOP/hand, scopes: control}]}\n")
    with config_box(tokens, files={"eye": "e" * 64, "hand": "a" * 64}) as box:
        assert upgrade(box, "/ws/voice") == 401
        assert upgrade(box, "/ws/voice", {"Authorization": "Bearer " + "e" * 64}) == 403
        assert upgrade(box, "/ws/voice", {"Authorization": "Bearer " + "a" * 64}) == 101
        assert upgrade(box, "/ws/voice", {"Authorization": "Bearer " + "a" * 64,
                                          "Origin": "http://evil.example"}) == 403
        assert status(box, "/ws/voice", box.bearer()) == 426


# --- features ------------------------------------------------------------------------


@test("features are those that were asked for and are possible, in the place of those before")
def _():
    with Box() as box, Talk(box) as talk:
        ready, now = talk.start("text", "vad", "audio", "tools", "made-up")
        assert ready == {"sessionId": talk.id, "features": ["text"]} and now == {"value": "idle"}
        talk.tell("input_text", text="typed")
        talk.expect(words("transcript.final", "typed"), *answer())
        talk.tell("input_text", text="")
        assert talk.error()["message"] == SHAPE
        ready, _ = talk.start()
        assert ready == {"sessionId": talk.id, "features": []}
        talk.tell("input_text", text="typed")
        assert talk.error()["message"] == "unsupported client event type: input_text"


@test("with turns every event has a number and a time, and those of a turn its id")
def _():
    with Box() as box, Talk(box) as talk:
        ready, now = talk.start("turns")
        assert ready["features"] == ["turns"] and (ready["seq"], now["seq"]) == (3, 4), (ready, now)
        assert "turnId" not in ready and abs(ready["ts"] / 1000 - time.time()) < 3600
        seq, turns = 4, []
        for _ in range(2):
            talk.tell("mocked.turn.trigger")
            events = [talk.json() for _ in range(8)]
            assert [e["payload"]["seq"] for e in events] == list(range(seq + 1, seq + 9)), events
            ids = {e["payload"].get("turnId") for e in events[:-1]}
            assert len(ids) == 1 and "turnId" not in events[-1]["payload"], events
            turns += ids
            seq += 8
        assert len(set(turns)) == 2 and None not in turns


@test("hands-free a session listens where it would be idle")
def _():
    with config_box(SLOWLY) as box, Talk(box) as talk:
        ready, now = talk.start("hands-free")
        assert ready["features"] == ["hands-free"] and now["value"] == "listening"
        talk.tell("mocked.turn.trigger")
        talk.expect(state("listening"))
        talk.tell("response.cancel")
        talk.expect(state("listening"))
    with Box() as box, Talk(box) as talk:
        talk.start("hands-free")
        talk.tell("input_audio.commit")
        talk.expect(words("transcript.final", f"{FINAL} without appended audio."), *answer()[:-1],
                    state("listening"))


@test("a session that was cut off goes on elsewhere, with all that was said meanwhile")
def _():
    with Box() as box:
        talk = Talk(box)
        talk.start("resume")
        talk.tell("mocked.turn.trigger")
        heard = [talk.json()]
        seq = heard[0]["payload"]["seq"]
        talk.wire.close()
        turn = heard[0]["payload"]["turnId"]
        eventually(lambda: [s for s in box.history() if s.get("correlationId") == turn
                            and s["type"] == "completion"])
        with Talk(box) as again:
            again.tell("session.resume", sessionId=talk.id, seq=seq)
            rest = [again.json() for _ in range(9)]
            assert [e["payload"]["seq"] for e in rest] == list(range(seq + 1, seq + 10)), rest
            kinds = [e["type"] for e in rest]
            assert kinds == ["transcript.final", "session.state", "session.state", "response.text.delta",
                             "response.text.delta", "response.completed", "session.state",
                             "session.ready", "session.state"], kinds
            assert rest[7]["payload"]["sessionId"] == talk.id
            assert {e["payload"].get("turnId") for e in rest[:6]} == {turn}
            again.tell("mocked.turn.trigger")
            assert again.json()["payload"]["seq"] == seq + 10
        assert talk.id not in json.dumps(box.history()), "a session's id stands in no signal"


@test("a dead connection is taken over, and its turn goes on; another credential gets nothing")
def _():
    tokens = "auth: {tokens: [{name: hand, file: TOP/hand, scopes: control}]}\n"
    with config_box(SLOWLY + tokens, files={"hand": "a" * 64}) as box:
        talk = Talk(box)
        talk.start("resume")
        talk.tell("input_audio.append", chunk="x")
        last = [talk.json() for _ in range(2)][-1]["payload"]["seq"]
        with Talk(box, headers={"Authorization": "Bearer " + "a" * 64}, unix=False) as thief:
            thief.tell("session.resume", sessionId=talk.id, seq=last)
            assert thief.error()["code"] == "expired"
        with Talk(box) as again:
            for bad in ({"sessionId": talk.id, "seq": 999}, {"sessionId": talk.id, "seq": 0},
                        {"sessionId": "made-up", "seq": 0}):
                again.tell("session.resume", **bad)
                assert again.error()["code"] == "expired", bad
            again.tell("session.resume", sessionId=talk.id, seq=last)
            ready, now = again.json(), again.json()
            assert ready["payload"]["sessionId"] == talk.id and now["payload"]["value"] == "listening"
            again.tell("input_audio.append", chunk="x")
            assert again.json()["payload"]["text"] == PARTIAL + " (2 chunks)."
            assert talk.recv() is None and talk.close_code == 1008, talk.close_code


@test("who did not ask for resume is forgotten with its connection, and its turn is cancelled")
def _():
    with config_box(SLOWLY) as box:
        with Talk(box) as talk:
            talk.start("turns")
            talk.tell("mocked.turn.trigger")
            turn = talk.json()["payload"]["turnId"]
        end = eventually(lambda: [s for s in box.history() if s.get("correlationId") == turn
                                  and s["type"] == "completion"])[0]
        assert end["payload"]["success"] is False and end["payload"]["result"] == "cancelled", end
        with Talk(box) as again:
            again.tell("session.resume", sessionId=talk.id, seq=0)
            assert again.error()["code"] == "expired"


# --- signals -------------------------------------------------------------------------


@test("a turn is a run: its signals have its id, and the run has what was said")
def _():
    with Box() as box, Talk(box) as talk:
        talk.tell("input_audio.append", chunk="AAAA")
        talk.tell("input_audio.commit")
        for _ in range(9):
            talk.json()
        told = eventually(lambda: [s for s in box.history() if s["source"] == "voice/mock"
                                   and box.history()[-1]["type"] == "completion"])
        assert len({s["correlationId"] for s in told}) == 1, told
        kinds = [s["type"] for s in told]
        assert kinds == ["agent_state_change", "voice.partial", "voice.sound", "task_dispatch",
                         "agent_state_change", "agent_state_change", "text_delta", "text_delta",
                         "agent_state_change", "completion"], kinds
        sound = told[2]["payload"]
        assert (sound["chunks"], sound["bytes"]) == (1, 4) and "pcm16" in sound["format"], sound
        moved = [(s["payload"]["to"], s["payload"]["reason"]) for s in told
                 if s["type"] == "agent_state_change"]
        assert moved == [("waiting", "listening"), ("thinking", "thinking"), ("acting", "speaking"),
                         ("idle", "idle")], moved
        run_id = told[0]["correlationId"]
        messages = eventually(lambda: box.request("GET", f"/api/runs/{run_id}/messages").json())
        whole = json.dumps(messages)
        assert "".join(ANSWER) in whole and f"{FINAL} from 1 appended chunk(s)." in whole, messages


@test("voice.keep: none keeps the words out of the log")
def _():
    with config_box("voice: {keep: none}\n") as box, Talk(box) as talk:
        talk.tell("input_audio.append", chunk="AAAA")
        talk.tell("input_audio.commit")
        for _ in range(9):
            talk.json()
        eventually(lambda: box.history()[-1]["type"] == "completion")
        told = [s for s in box.history() if s["source"] == "voice/mock"]
        assert [s["type"] for s in told].count("agent_state_change") == 4, told
        assert "mocked" not in json.dumps([s["payload"] for s in told]), told


run()
