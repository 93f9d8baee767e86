#!/usr/bin/env python3
"""The run dialect: agents of any kind on one side, screens on the other, and a box between
them that loses nothing."""

import json
import re
import signal
import threading
from pathlib import Path
from urllib.parse import quote

from doors import config_box
from lib import PATIENCE_S, WS, Box, Closed, Events, Refused, Skip, eventually, run, test

RUNS = Path(__file__).resolve().parent.parent.parent / "shared" / "vectors" / "runs"


def transcripts():
    if not RUNS.is_dir():
        raise Skip("../shared/vectors/runs is not here")
    return [line for name in ("haiku-sample", "debugger")
            for line in (RUNS / f"{name}.jsonl").read_text().splitlines()
            if line and json.loads(line)["kind"] != "answer"]  # that is what a screen says


def delta(text, **more):
    return {"kind": "event", "ts": 1, "event": "llm/delta",
            "data": {"type": "text-delta", "text": text, "invokeid": "poet", **more}}


def agent(box, session):
    return WS(box, f"/ws/run?role=agent&session={quote(session, safe='')}", unix=True)


def screen(box, session=None, since=None, unix=True, receive_buffer=None):
    query = []
    if session:
        query.append(f"session={quote(session, safe='')}")
    if since is not None:
        query.append(f"since={since}")
    return WS(box, "/ws/run" + ("?" + "&".join(query) if query else ""), unix=unix,
              receive_buffer=receive_buffer)


def until(ws, kind, **members):
    """The next frame of this kind that has these members."""
    while True:
        frame = ws.json()
        if frame["kind"] == kind and all(frame.get(k) == v for k, v in members.items()):
            return frame


def asks(ws, own_id, kind="confirm", **opts):
    ws.send({"kind": "prompt", "prompt-id": own_id, "invokeid": "ask", "type": kind,
             "opts": {"prompt": "Shall I?", **opts}})


def frames_of(box, run):
    """None yet, when nobody has heard of it."""
    return box.request("GET", f"/api/runs/{run}").json().get("run", {}).get("frames", 0)


def the_open_one(box):
    eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])
    return box.request("GET", "/api/prompts").json()["prompts"][0]["id"]


class Agent(threading.Thread):
    """Works through its turns: parks on each prompt, stops while it is paused."""

    def __init__(self, box, session, prompts):
        super().__init__(daemon=True)
        self.ws, self.prompts = agent(box, session), prompts
        self.answers, self.controls, self.paused, self.budget = {}, [], False, 0

    def debug(self):
        self.ws.send({"kind": "debug", "paused": self.paused and not self.budget,
                      "step-budget": self.budget})

    def obey(self, frame):
        self.controls.append(frame["op"])
        if frame["op"] == "pause":
            self.paused, self.budget = True, 0
        elif frame["op"] == "step":
            self.budget += frame.get("n", 1)
        elif frame["op"] == "continue":
            self.paused, self.budget = False, 0
        self.debug()

    def hear(self):
        frame = self.ws.json()
        if frame["kind"] == "answer":
            self.answers[frame["prompt-id"]] = frame.get("value", "cancelled")
        elif frame["kind"] == "control":
            self.obey(frame)

    def run(self):
        try:
            for own_id in self.prompts:
                asks(self.ws, own_id)
                while own_id not in self.answers:
                    self.hear()
                while self.paused and not self.budget:
                    self.hear()
                self.budget -= self.budget > 0
                self.ws.send({"kind": "event", "ts": 1, "event": "runner/event-processed",
                              "data": {"event-name": own_id, "config-after": ["run", own_id]}})
            self.ws.send({"kind": "control", "op": "run-finished", "final-config": "[:done]"})
        except (Closed, OSError, AssertionError):
            pass  # the box is gone


@test("frames of an agent come out as they went in, to the byte")
def _():
    with Box() as box, agent(box, ":session/a b") as a, screen(box, ":session/a b") as s:
        lines = transcripts()
        for line in lines:
            a.send(line)
        wanted = [line for line in lines if '"kind":"prompt"' not in line]
        got = []
        while len(got) < len(wanted):
            frame = s.recv()
            said = json.loads(frame)
            # An event without a number gets one behind its kind.
            frame = frame if frame in wanted else re.sub(r'^(."kind":"event"),"seq":\d+', r"\1", frame)
            # A phase is made of what it tells of itself, and has the time of the signal.
            made = said["kind"] == "phase" and frame not in wanted
            if not made and said["kind"] not in ("prompt", "prompt-closed"):
                got.append(frame)
        wanted.sort()
        got.sort()
        assert got == wanted, [pair for pair in zip(got, wanted) if pair[0] != pair[1]][:2]


@test("all runs merged have one counter without holes, and since goes on after it")
def _():
    with Box() as box, agent(box, "one") as one, agent(box, "two") as two:
        with screen(box) as s:
            for i in range(20):
                (one if i % 3 else two).send(delta(str(i)))
            frames = [until(s, "event") for _ in range(20)]
            seqs = [frame["seq"] for frame in frames]
        for frame in frames:  # each says whose it is
            assert frame["run"] == ("one" if int(frame["data"]["text"]) % 3 else "two"), frame
        assert seqs == list(range(seqs[0], seqs[0] + 20)), seqs
        with screen(box, since=seqs[12]) as s:
            assert [until(s, "event")["seq"] for _ in range(7)] == seqs[13:]
        with screen(box) as s:
            s.send({"kind": "control", "op": "since", "seq": seqs[17]})
            rest = [until(s, "event")["seq"] for _ in range(2)]
            while rest[-2:] != seqs[18:]:
                rest.append(until(s, "event")["seq"])


@test("a session has numbers of its own, also after a restart and after kill -9")
def _():
    with Box() as box:
        for how in (None, signal.SIGTERM, signal.SIGKILL):
            if how:
                box.stop(how)
                box.start()
            with screen(box, "mine") as s:
                for i in range(5):
                    answer = box.request("POST", "/api/signal", {
                        "type": "text_delta", "correlationId": "mine",
                        "payload": {"agentId": "x", "content": f"{i} "}})
                    assert answer.status == 200, answer
                numbers = []
                while len(numbers) < 5 or numbers[-1] % 5 != 1:
                    numbers.append(until(s, "event")["seq"])
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers
        with screen(box, "mine", since=0) as s:
            got = [until(s, "event") for _ in range(16)]
        assert [f["seq"] for f in got] == list(range(1, 17)), got
        assert [f["event"] for f in got] == ["llm/start"] + ["llm/delta"] * 15, got


@test("in the stream of a session every event of an agent has a number, and its phases are made")
def _():
    def processed(config, **more):
        return {"kind": "event", **more, "ts": 1, "event": "runner/event-processed",
                "data": {"config-after": config}}

    with Box() as box:
        with agent(box, "s") as a, screen(box, "s") as s:
            for frame in (delta("a"), processed(["run", "plan"]), {**delta("b"), "seq": 7},
                          processed(["run", "plan"]), processed(["done"], seq="x")):
                a.send(frame)
            said = [json.loads(s.recv()) for _ in range(7)]
            kinds = [(f["kind"], f.get("seq"), f.get("config")) for f in said]
            assert kinds == [("event", 1, None), ("phase", None, ["run", "plan"]),
                             ("event", 2, None), ("event", 7, None), ("event", 8, None),
                             ("phase", None, ["done"]), ("event", 9, None)], kinds
        box.restart()
        with screen(box, "s", since=2) as s:
            first = until(s, "phase")
            assert first["config"] == ["done"], first
            assert [until(s, "event")["seq"] for _ in range(3)] == [7, 8, 9]


@test("who comes gets phase, debug and prompts first, and hears that a run is finished")
def _():
    with Box() as box, agent(box, "r") as a:
        a.send({"kind": "phase", "ts": 5, "config": ["run", "plan"], "breadcrumb": ["run"]})
        a.send({"kind": "debug", "paused": True, "step-budget": 0})
        a.send(delta("so far"))
        asks(a, "q#1")
        eventually(lambda: len(box.request("GET", "/api/prompts").json()["prompts"]) == 1)
        eventually(lambda: frames_of(box, "r") == 1)
        for session in ("r", None):
            with screen(box, session) as s:
                kinds = [s.json()["kind"] for _ in range(4)]
                assert kinds == ["phase", "debug", "prompt", "event"], kinds
        a.send({"kind": "control", "op": "run-finished", "final-config": "[:done]"})
        with screen(box, "r") as s:
            until(s, "control", op="run-finished")
        with screen(box, "r") as s:
            until(s, "control", op="run-finished")


@test("a prompt has our id on screens and its agent's own there; the first answer wins")
def _():
    with Box() as box, agent(box, "r") as a, screen(box, "r") as s1, screen(box) as s2:
        asks(a, "ask#1", "select", options=[{"label": "Blue", "value": "blue"},
                                            {"label": "Red", "value": 2}])
        prompt = until(s1, "prompt")
        assert until(s2, "prompt") == prompt, prompt
        assert prompt["prompt-id"] != "ask#1" and prompt["opts"]["options"][1]["value"] == 2
        s1.send({"kind": "answer", "prompt-id": prompt["prompt-id"], "value": "green"})
        refused = until(s1, "refused")
        assert refused["of"] == "answer" and refused["reason"] == "invalid_value", refused
        s1.send({"kind": "answer", "prompt-id": prompt["prompt-id"], "value": 2})
        assert until(a, "answer") == {"kind": "answer", "prompt-id": "ask#1", "value": 2}
        closed = until(s2, "prompt-closed")
        assert closed["prompt-id"] == prompt["prompt-id"] and closed["state"] == "answered"
        assert closed["by"]["screen"] == "run", closed
        s2.send({"kind": "answer", "prompt-id": prompt["prompt-id"], "value": "blue"})
        assert until(s2, "refused")["reason"] == "already_answered"
        s2.send({"kind": "answer", "prompt-id": "x", "value": 1})
        assert until(s2, "refused")["reason"] == "unknown_prompt"
        s2.send({"kind": "nonsense"})
        s2.send("no JSON at all")
        asks(a, "ask#2", "text")
        second = until(s2, "prompt")
        s2.send({"kind": "answer", "prompt-id": second["prompt-id"], "cancelled": True})
        assert until(a, "answer") == {"kind": "answer", "prompt-id": "ask#2", "cancelled": True}


@test("our own dialect hears of prompts, answers them and controls the run")
def _():
    with Box() as box, agent(box, "r") as a, WS(box, unix=True) as n:
        n.json()
        asks(a, "early")
        eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])
        n.send({"op": "subscribe", "prompts": True, "types": ["nothing"]})
        early = until_op(n, "prompt")
        assert early["state"] == "open" and early["run"] == "r", early
        n.send({"op": "answer", "id": early["id"], "value": "yes", "ref": 1})
        assert until_op(n, "error")["code"] == "invalid_value"
        n.send({"op": "answer", "id": early["id"], "value": True, "ref": 2})
        seen = [n.json(), n.json()]
        assert {"answered"} == {f["state"] for f in seen if f["op"] == "prompt"}, seen
        ack = next(f for f in seen if f["op"] == "ack")
        assert ack["ref"] == 2 and ack["seq"] > 0, ack
        assert until(a, "answer")["value"] is True
        n.send({"op": "answer", "id": early["id"], "value": True, "ref": 3})
        assert until_op(n, "error")["code"] == "already_answered"
        n.send({"op": "answer", "id": "x", "value": True, "ref": 4})
        assert until_op(n, "error")["code"] == "unknown_prompt"
        n.send({"op": "control", "run": "r", "do": "step", "n": 3, "ref": 5})
        assert until_op(n, "ack") == {"op": "ack", "ref": 5, "run": "r"}
        assert until(a, "control") == {"kind": "control", "op": "step", "n": 3}
        n.send({"op": "control", "run": "nobody", "do": "pause", "ref": 6})
        assert until_op(n, "error")["ref"] == 6


def until_op(ws, op):
    while True:
        frame = ws.json()
        if frame.get("op") == op:
            return frame


@test("an agent that drops and returns gets what was answered meanwhile, once")
def _():
    with Box() as box, screen(box, "r") as s:
        with agent(box, "r") as a:
            asks(a, "a#1")
            prompt = until(s, "prompt")
        s.send({"kind": "answer", "prompt-id": prompt["prompt-id"], "value": False})
        until(s, "prompt-closed")
        with agent(box, "r") as a:
            assert until(a, "answer") == {"kind": "answer", "prompt-id": "a#1", "value": False}
        with agent(box, "r") as a:
            asks(a, "a#2")
            second = until(s, "prompt")
            s.send({"kind": "answer", "prompt-id": second["prompt-id"], "value": True})
            assert until(a, "answer")["prompt-id"] == "a#2"


@test("an agent is parked, paused, stepped, killed with the box, and goes on")
def _():
    prompts = [f"turn#{i}" for i in range(4)]
    with Box() as box:
        worker = Agent(box, "w", prompts)
        worker.start()
        with screen(box, "w") as s:
            first = until(s, "prompt")
            s.send({"kind": "control", "op": "pause"})
            assert until(s, "debug")["paused"] is True
            s.send({"kind": "answer", "prompt-id": first["prompt-id"], "value": True})
            until(s, "prompt-closed")
            s.send({"kind": "control", "op": "step"})
            assert until(s, "debug")["step-budget"] == 1
            second = the_open_one(box)  # its frame may have overtaken the other
            assert second != first["prompt-id"]
            box.emit("note")  # so what came before it is on the disk, too
        box.stop(signal.SIGKILL)
        worker.join(PATIENCE_S)
        box.start()
        with screen(box, "w") as s:
            assert until(s, "prompt")["prompt-id"] == second
            asked = len(box.history("&type=prompt"))
            worker = Agent(box, "w", prompts[1:])
            worker.start()
            # It asks again; asked after the answer, that would be another question.
            eventually(lambda: len(box.history("&type=prompt")) > asked)
            for _ in prompts[1:]:
                held = the_open_one(box)
                s.send({"kind": "answer", "prompt-id": held, "value": True})
                until(s, "prompt-closed", **{"prompt-id": held})
            until(s, "control", op="run-finished")
        worker.join(PATIENCE_S)
        assert worker.answers.keys() == set(prompts[1:]), worker.answers


@test("what people do on the stage comes to the agent it concerns")
def _():
    with Box() as box, agent(box, "r") as a, WS(box, unix=True) as n:
        n.json()
        a.send(delta("hello"))
        n.send({"op": "emit", "ref": 1, "signal": {
            "type": "user.click", "correlationId": "r", "payload": {"target": "poet"}}})
        assert n.json()["op"] == "ack"
        event = until(a, "event")
        assert event["event"] == "user.click" and event["data"] == {"target": "poet"}, event


@test("who does not speak this dialect sees signals without its frames")
def _():
    with Box() as box, agent(box, "r") as a, WS(box, unix=True) as n, Events(box) as e:
        n.json()
        n.send({"op": "subscribe", "after": 0})
        a.send(delta("hello"))
        assert e.json()["payload"]["content"] == "hello"
        signals = [n.json(), box.request("GET", "/api/signals?after=0").json()["signals"][0]]
        for signal_ in signals:
            assert signal_["payload"] == {"agentId": "poet", "content": "hello"}, signal_
            assert "metadata" not in signal_, signal_


@test("a session has one agent, and an agent names its session")
def _():
    with Box() as box, agent(box, "r"):
        with agent(box, "r") as other:
            assert other.recv() is None, "it was let in"
            assert other.close_code == 1008, other.close_code
        with agent(box, "r") as lingers:
            assert lingers.recv_frame().opcode == 8
            # It does not close its end, and is gone all the same.
            eventually(lambda: box.request("GET", "/api/status").json()["hub"]["clients"] == 1)
        for path in ("/ws/run?role=agent", "/ws/run?role=boss", "/ws/run?since=x",
                     "/ws/run?sesion=a"):
            try:
                WS(box, path, unix=True)
                raise AssertionError(path)
            except Refused as refused:
                assert refused.response.status == 400, refused.response


@test("without a token a screen may look, and neither answer nor control")
def _():
    with Box() as box, agent(box, "r") as a, screen(box, "r", unix=False) as s:
        asks(a, "a#1")
        (prompt,) = eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])
        s.send({"kind": "answer", "prompt-id": prompt["id"], "value": True})
        said = []
        while not said or said[-1]["kind"] != "refused":
            said.append(s.json())
        assert said[-1]["reason"] == "forbidden"
        assert "prompt" not in [frame["kind"] for frame in said], said  # it is not asked
        s.send({"kind": "control", "op": "pause"})
        assert until(s, "refused")["of"] == "control"
        assert len(box.request("GET", "/api/prompts").json()["prompts"]) == 1


@test("a question is whole to 16 KiB, and beyond that can only be declined here")
def _():
    options = [{"label": "Allow", "value": "allow"},
               {"label": "Deny", "value": "deny", "safe": True}]
    with Box() as box, screen(box) as s:
        def prompt(run, size):
            box.emit("prompt", source="tools", correlationId=run, payload={
                "type": "select", "prompt": "x" * size, "options": options, "default": "allow"})
            return until(s, "prompt")

        whole = prompt("one", 16 * 1024)
        assert whole["opts"]["prompt"] == "x" * 16 * 1024 and len(whole["opts"]["options"]) == 2
        s.send({"kind": "answer", "prompt-id": whole["prompt-id"], "value": "allow"})
        until(s, "prompt-closed", state="answered")

        cut = prompt("two", 16 * 1024 + 1)
        assert "BYTES MORE" in cut["opts"]["prompt"] and "default" not in cut["opts"], cut["opts"]
        assert [o["value"] for o in cut["opts"]["options"]] == ["deny", "signalbox/open-page"]
        for value, reason in (("allow", "invalid_value"), ("signalbox/open-page", "open_page")):
            s.send({"kind": "answer", "prompt-id": cut["prompt-id"], "value": value})
            assert until(s, "refused")["reason"] == reason
            assert until(s, "prompt") == cut
            assert len(box.request("GET", "/api/prompts").json()["prompts"]) == 1
        s.send({"kind": "answer", "prompt-id": cut["prompt-id"], "value": "deny"})
        until(s, "prompt-closed", state="answered")


@test("a screen can ask which run a control would concern, and what it would take")
def _():
    which = {"kind": "control", "op": "which"}
    with Box() as box, screen(box) as s, agent(box, "mine") as a:
        s.send(which)
        assert until(s, "which") == {"kind": "which", "run": None}
        a.send(delta("hi"))
        until(s, "event", event="llm/delta")
        s.send(which)
        told = until(s, "which")
        assert told["run"] == "mine" and told["finished"] is False, told
        assert told["can"][:6] == ["pause", "step", "continue", "arm", "ui-interrupt", "ui-quit"]
        box.emit("text_delta", source="plain", correlationId="other", payload={"content": "hi"})
        until(s, "event", event="llm/delta")
        s.send(which)
        assert until(s, "which")["run"] == "other"
        s.send({**which, "run": "mine"})
        assert until(s, "which")["run"] == "mine"
        with screen(box, "mine", unix=False) as stranger:
            stranger.send(which)
            told = until(stranger, "which")
            assert told["can"] == [] and "may not" in told["why"], told


@test("what an agent of another kind does is seen in this dialect")
def _():
    story = [
        ("task_dispatch", {"taskId": "t", "from": "user", "to": "coder", "description": "Do it"}),
        ("text_delta", {"agentId": "coder", "content": "Hello"}),
        ("tool_call", {"agentId": "coder", "toolName": "Read", "callId": "1", "input": {"f": 1}}),
        ("tool_result", {"agentId": "coder", "toolName": "Read", "callId": "1", "success": True}),
        ("completion", {"taskId": "t", "agentId": "coder", "success": True}),
    ]
    with Box() as box, screen(box, "run-7") as s:
        for kind, payload in story:
            box.request("POST", "/api/signal", {"type": kind, "correlationId": "run-7",
                                                "payload": payload})
        names = []
        while not names or names[-1] != "llm/worker-exit":
            names.append(until(s, "event")["event"])
        assert names[:3] == ["llm/user-message", "llm/start", "llm/delta"], names
        assert "llm/tool-result" in names and "llm/response" in names, names


@test("a screen that is too slow gets pieces joined, and no text is lost")
def _():
    words = [f"{i} " * 40 for i in range(6000)]
    with Box() as box, agent(box, "r") as a:
        s = screen(box, "r", receive_buffer=2048)
        for word in words:
            a.send(delta(word))
        eventually(lambda: frames_of(box, "r") >= len(words))
        text, joined, count = "", 0, 0
        while len(text) < sum(map(len, words)):
            data = until(s, "event")["data"]
            text += data["text"]
            count += data.get("coalesced", 1)
            joined += "coalesced" in data
        s.close()
        assert text == "".join(words)
        assert count == len(words), count
        assert joined > 0


@test("a listener of its own speaks this dialect at its root, as unmodified screens want it")
def _():
    config = 'listen:\n  - "127.0.0.1:0"\n  - {address: "127.0.0.1:0", dialect: run}\n'
    with config_box(config, listen=()) as box, agent(box, "r") as a:
        kept, box.port = box.port, int(box.addresses[1].rsplit(":", 1)[1])
        with WS(box, "/ws") as s, WS(box, "/") as other:
            a.send(delta("hi"))
            assert until(s, "event")["data"]["text"] == "hi"
            assert until(other, "event")["data"]["text"] == "hi"
        box.port = kept


@test("who comes with a number that was never given out is told so")
def _():
    with Box() as box, agent(box, "s") as a:
        for i in range(5):
            a.send(delta(f"piece {i}"))
        with screen(box) as s:
            for _ in range(5):
                until(s, "event")
        for session in (None, "s"):
            with screen(box, session, since=1000) as s:
                gap = s.json()
                assert gap == {"kind": "gap", "from": 6, "to": 1000, "why": "lost"}, gap
                assert [s.json()["data"]["text"] for _ in range(5)] == [
                    f"piece {i}" for i in range(5)]


@test("a screen gets thousands of open prompts, and hears of each that is over")
def _():
    with Box() as box:
        ask = {"type": "prompt", "source": "x", "correlationId": "many",
               "payload": {"type": "confirm", "prompt": "w" * 1500}}
        body = "\n".join([json.dumps(ask)] * 4000)
        answer = box.request("POST", "/api/signal", body, {"Content-Type": "application/x-ndjson"})
        assert answer.json()["accepted"] == 4000, answer
        with screen(box) as s:
            ids = [until(s, "prompt")["prompt-id"]]
            # While it reads nothing some of those that it knows are over, and some that it
            # does not know.
            for prompt in box.request("GET", "/api/prompts").json()["prompts"][::500]:
                box.request("POST", f"/api/prompts/{prompt['id']}/answer", {"value": True})
            over = []
            while len(set(ids)) - len(over) < 3992 or len(over) < 1:
                frame = s.json()
                if frame["kind"] == "prompt":
                    ids.append(frame["prompt-id"])
                elif frame["kind"] == "prompt-closed":
                    over.append(frame["prompt-id"])
            assert len(ids) == len(set(ids)), "one was told twice"
            assert set(over) <= set(ids), "one is over that was never told"
        still = {p["id"] for p in box.request("GET", "/api/prompts").json()["prompts"]}
        assert set(ids) - set(over) == still, "what it shows is not what is open"


@test("whatever a screen says in vain is answered with the reason")
def _():
    with Box() as box, screen(box) as s:
        box.emit("text_delta", source="plain", correlationId="r",
                 payload={"agentId": "x", "content": "hi"})
        until(s, "event", event="llm/delta")
        for said, reason in (
            ({"kind": "control", "op": "pause"}, "not_supported"),
            ({"kind": "control", "op": "pause", "run": "nobody's"}, "unknown"),
            ({"kind": "control"}, "invalid"),
            ({"kind": "control", "op": "since", "seq": -1}, "invalid"),
            ({"kind": "answer", "prompt-id": "x" * 9000, "value": 1}, "unknown_prompt"),
            ({"kind": "answer", "prompt-id": "x"}, "invalid"),
        ):
            s.send(said)
            frame = until(s, "refused")
            assert frame["of"] == said["kind"] and frame["reason"] == reason, (said, frame)
        with agent(box, "mine") as a:
            a.send(delta("hi"))
            until(s, "event", event="llm/delta")

        def away():
            s.send({"kind": "control", "op": "pause", "run": "mine"})
            s.send({"kind": "control", "op": "since"})
            return until(s, "refused")["reason"] == "unavailable"

        eventually(away)


@test("who may only answer or only control can do that in our own dialect")
def _():
    tokens = {"answer": "a" * 64, "control": "c" * 64}
    config = "auth:\n  tokens:\n" + "".join(
        f'    - {{name: {k}, file: TOP/{k}, scopes: "{k}"}}\n' for k in tokens)
    with config_box(config, tokens) as box, agent(box, "r") as a:
        asks(a, "mine")
        prompt = the_open_one(box)
        ops = {"answer": {"op": "answer", "id": prompt, "value": True, "ref": 1},
               "control": {"op": "control", "run": "r", "do": "pause", "ref": 1}}
        for scope, token in tokens.items():
            with WS(box, "/ws", {"Authorization": f"Bearer {token}"}) as ws:
                assert ws.json()["scopes"] == [scope]
                for name, op in ops.items():
                    ws.send(op)
                    told = ws.json()
                    assert told["op"] == ("ack" if name == scope else "error"), told
                ws.send({"op": "subscribe", "after": 0})
                assert ws.json()["code"] == "forbidden"


@test("a run says what can be done to it, and that changes with who is there")
def _():
    ops = ["pause", "step", "continue", "arm", "ui-interrupt", "ui-quit"]

    def can(session):
        answer = box.request("GET", f"/api/runs/{session}")
        return answer.json()["can"] if answer.status == 200 else None

    with Box() as box:
        box.emit("text_delta", source="me", correlationId="lone", payload={"content": "x"})
        eventually(lambda: can("lone") == [])
        with agent(box, "r") as one:
            one.send(delta("a"))
            eventually(lambda: can("r") == [*ops, "tell"])
            for op in ops:
                assert box.request("POST", "/api/control", {"run": "r", "do": op}).status == 200
        eventually(lambda: can("r") == [])
        assert box.request("POST", "/api/control", {"run": "r", "do": "pause"}).status == 409


run()
