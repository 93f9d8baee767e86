#!/usr/bin/env python3
"""Agents that keep a hub of their own: dialled as one more screen, answered and steered.
And OpenClaw, whose approvals are prompts like any other."""

import json
from urllib.parse import quote

from escapement import Hub
from gateway import Gateway, connected, settle, sources
import segments
from lib import WS, Box, Process, eventually, run, test
from servers import add_source, source_of, until_state

RUN = ":session/one"


def dial(box, hub, id="hub"):
    add_source(box, id=id, url=hub.url, protocol="run")
    until_state(box, id, "connected")
    eventually(lambda: hub.screens)


def signals(box, run=RUN):
    return [s for s in box.history("&limit=10000") if s.get("correlationId") == run]


def frames(box, run=RUN):
    """The frames that are kept in the journal's signals, in their order."""
    stored = [json.loads(line) for line in segments.all_lines(box.data)]
    return [s["metadata"]["origin"]["frame"] for s in stored
            if s.get("correlationId") == run
            and "frame" in s.get("metadata", {}).get("origin", {})]


def words(box, run=RUN):
    return [s["payload"]["content"] for s in signals(box, run) if s["type"] == "text_delta"]


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def one_prompt(box):
    return eventually(lambda: prompts(box))[0]


def answer(box, prompt, **body):
    return box.request("POST", f"/api/prompts/{prompt['id']}/answer", body)


def control(box, do, run=RUN, **more):
    return box.request("POST", "/api/control", {"run": run, "do": do, **more})


def can(box, run=RUN):
    answer = box.request("GET", f"/api/runs/{quote(run, safe='')}")
    return answer.json()["can"] if answer.status == 200 else None


OPTIONS = [{"label": "One", "value": "poet1"}, {"label": "Two", "value": "poet2"}]


# --- a hub -----------------------------------------------------------------------------


@test("every frame of a hub is a signal, and is kept to the byte")
def _():
    with Box() as box, Hub() as hub:
        dial(box, hub)
        hub.start()
        for n in range(40):
            hub.say(f"word {n} é")
        hub.event("llm/response", invokeid="poet", content=[
            {"type": "tool_use", "name": "save", "input": {"a": 1}}],
            usage={"input-tokens": 3, "output-tokens": 2})
        hub.pause()
        hub._say({"kind": "model-catalog", "aliases": [], "preferences": ["fast"]})
        hub.finish()
        eventually(lambda: len(frames(box)) == len(hub.frames))
        assert frames(box) == [json.loads(f) for f in hub.frames]
        assert words(box) == [f"word {n} é" for n in range(40)]
        stored = "\n".join(json.dumps(f, ensure_ascii=False, separators=(",", ":"))
                           for f in frames(box))
        for frame in hub.frames:
            assert json.dumps(json.loads(frame), ensure_ascii=False,
                              separators=(",", ":")) in stored, frame
        kinds = {s["type"] for s in signals(box)}
        assert {"tool_call", "token_usage", "agent_state_change", "completion", "phase", "debug",
                "run-finished", "model-catalog"} <= kinds, kinds
        assert {s["source"] for s in signals(box)} == {"hub"}
        assert source_of(box, "hub")["badFrames"] == 0


@test("what is met in the middle belongs to its run from the first frame on")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        hub.ask("Who?", options=OPTIONS)
        hub.say("before")
        dial(box, hub)
        hub.say("after")
        eventually(lambda: words(box) == ["before", "after"])
        assert one_prompt(box)["run"] == RUN
        eventually(lambda: len(frames(box)) == len(hub.frames))
        assert not signals(box, "hub")


@test("a line that breaks is dialled again, and nothing is told twice or lost")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        hub.ask("Who?", options=OPTIONS)
        for n in range(20):
            hub.say(str(n))
        eventually(lambda: len(words(box)) == 20)
        hub.drop()
        for n in range(20, 30):
            hub.say(str(n))
        eventually(lambda: source_of(box, "hub")["connects"] == 2)
        hub.say("30")
        eventually(lambda: len(words(box)) >= 31)
        assert words(box) == [str(n) for n in range(31)], words(box)
        assert len(box.history("&type=prompt")) == 1 and len(prompts(box)) == 1


@test("a state that comes back after a reconnect is told, though it was before")
def _():
    def states():
        return [s["payload"]["paused"] for s in box.history("&type=debug")]

    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        hub.pause()
        hub.pause(False)
        eventually(lambda: states() == [True, False])
        hub.drop()
        eventually(lambda: source_of(box, "hub")["connects"] == 2 and hub.screens)
        hub.pause()
        eventually(lambda: states() == [True, False, True])
        hub.say("x")
        eventually(lambda: words(box) == ["x"])
        assert states() == [True, False, True] and len(box.history("&type=phase")) == 1


@test("an agent that was started anew is another run")
def _():
    with Box() as box, Hub() as first:
        first.start()
        first.ask("Old?", type="text")
        dial(box, first)
        old = one_prompt(box)
        port = first.port
        first.stop()
        with Hub(port=port) as second:
            second.start(":session/two")
            second.ask("New?", type="text")
            eventually(lambda: [p["prompt"] for p in prompts(box)] == ["New?"])
            assert prompts(box)[0]["run"] == ":session/two"
            second.say("hello")
            eventually(lambda: words(box, ":session/two") == ["hello"])
            assert answer(box, old, value="x").status == 409
            assert answer(box, prompts(box)[0], value="x").status == 200
            eventually(lambda: second.answers)
            assert [a.get("value") for a in second.answers] == ["x"], second.answers


@test("an answer goes back on the socket with the agent's own id, once")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        id = hub.ask("Who wins?", options=OPTIONS)
        prompt = one_prompt(box)
        assert prompt["prompt"] == "Who wins?" and prompt["options"] == OPTIONS, prompt
        assert prompt["id"] != id and prompt["source"] == "hub", prompt
        assert answer(box, prompt, value="poet3").status == 422
        assert answer(box, prompt, value="poet2").status == 200
        eventually(lambda: hub.answered)
        assert hub.answers == [{"kind": "answer", "prompt-id": id, "value": "poet2"}], hub.answers
        assert answer(box, prompt, value="poet1").status == 409
        id = hub.ask("Name?", type="text")
        assert answer(box, one_prompt(box), cancelled=True).status == 200
        eventually(lambda: hub.answers[1:])
        assert hub.answers[1] == {"kind": "answer", "prompt-id": id, "cancelled": True}


@test("what another screen answered is closed here, and nothing is sent")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        hub.ask("Who?", options=OPTIONS)
        prompt = one_prompt(box)
        hub.answer("poet1")
        eventually(lambda: not prompts(box))
        (closed,) = box.history("&type=prompt.closed")
        assert closed["payload"]["state"] == "cancelled", closed
        assert "another screen" in closed["payload"]["why"], closed
        assert answer(box, prompt, value="poet2").status == 409
        hub.say("later")
        eventually(lambda: words(box) == ["later"])
        assert hub.answers == []


@test("an answer that was given while the line was down arrives when it is back")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        id = hub.ask("Who?", options=OPTIONS)
        prompt = one_prompt(box)
        assert box.request("POST", "/api/sources/hub/disconnect").status == 200
        assert answer(box, prompt, value="poet1").status == 200
        box.kill9()
        box.start()
        assert hub.answers == []
        assert box.request("POST", "/api/sources/hub/connect").status == 200
        eventually(lambda: hub.answered)
        assert hub.answers == [{"kind": "answer", "prompt-id": id, "value": "poet1"}]
        eventually(lambda: not prompts(box))
        assert len(box.history("&type=prompt")) == 1


@test("controls go to the hub whose run it is")
def _():
    with Box() as box, Hub() as hub, Hub() as other:
        hub.start()
        other.start(":session/two")
        dial(box, hub)
        dial(box, other, "other")
        eventually(lambda: signals(box) and signals(box, ":session/two"))
        eventually(lambda: can(box) == ["pause", "step", "continue", "arm", "ui-interrupt",
                                        "ui-quit"])
        for op in ("pause", "continue", "arm", "ui-interrupt", "ui-quit"):
            assert control(box, op).status == 200, op
        assert control(box, "step", n=3).status == 200
        eventually(lambda: len(hub.controls) == 6)
        assert [c["op"] for c in hub.controls] == [
            "pause", "continue", "arm", "ui-interrupt", "ui-quit", "step"], hub.controls
        assert hub.controls[-1] == {"kind": "control", "op": "step", "n": 3}
        assert other.controls == []
        assert control(box, "cancel").status == 501
        assert control(box, "pause", "nobody").status == 404
        assert control(box, "dance").status == 400


@test("a screen at the box sees what a screen at the hub sees, and can say as much")
def _():
    with Box() as box, Hub() as hub:
        dial(box, hub)
        hub.start()
        for n in range(20):
            hub.say(f"{n}")
        own = hub.ask("Who?", options=OPTIONS)
        with WS(box, "/ws/run?session=" + RUN, unix=True) as screen:
            events, prompt = [], None
            wanted = [f.decode() for f in hub.frames if b'"kind":"event"' in f]
            while len(events) < len(wanted) or not prompt:
                frame = screen.recv()
                kind = json.loads(frame)["kind"]
                events += [frame] if kind == "event" else []
                prompt = json.loads(frame) if kind == "prompt" else prompt
            assert events == wanted, events
            assert prompt["prompt-id"] != own and prompt["opts"]["options"] == OPTIONS, prompt
            screen.send({"kind": "control", "op": "request-conversation", "invokeid": "poet"})
            screen.send({"kind": "answer", "prompt-id": prompt["prompt-id"], "value": "poet1"})
            eventually(lambda: hub.answered and hub.controls)
            assert hub.answered[own]["value"] == "poet1", hub.answers
            assert hub.controls == [{"kind": "control", "op": "request-conversation",
                                     "invokeid": "poet"}], hub.controls


@test("a hub that floods is taken whole, and what is no frame is only remarked")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        with hub.lock:
            hub.screens[0].frame(1, b"nonsense")
            hub.screens[0].frame(1, b"[1]")
        for n in range(3000):
            hub.say(str(n))
        eventually(lambda: len(box.history(f"&limit=10000&type=text_delta")) == 3000)
        assert words(box) == [str(n) for n in range(3000)]
        assert source_of(box, "hub")["badFrames"] == 2


# --- after a restart, and from another box -----------------------------------------------


def gaps(box):
    return [s["payload"] for s in box.history("&type=source.gap")]


def of_hub(box, without=("source.state",)):
    """All that is stored of it, without what each life gives anew."""
    return [(s["type"], s["payload"]) for s in box.history("&limit=10000")
            if s["source"] == "hub" and s["type"] not in without]


def crash(box):
    """Once what came is on the disk: an acknowledgement is for all that was before it."""
    box.emit("mark")
    box.kill9()


@test("a box that was killed goes on where its journal ends, and nothing is told twice or lost")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        hub.pause()
        for n in range(100):
            hub.say(str(n))
        hub.event("llm/response", invokeid="poet", session_id="session/one", content=[
            {"type": "text", "text": "all of it"}, {"type": "tool_use", "name": "save", "input": {}},
            {"type": "tool_use", "name": "load", "input": {}}], usage={"input-tokens": 1})
        hub.say("said")
        hub.ask("Who?", options=OPTIONS)
        eventually(lambda: len(words(box)) == 101 and prompts(box))
        before = of_hub(box)
        crash(box)
        for n in range(100, 130):
            hub.say(str(n))
        hub.event("llm/response", invokeid="poet", session_id="session/one", content=[{"type": "text", "text": "twice?"}])
        box.start()
        until_state(box, "hub", "connected")
        eventually(lambda: len(words(box)) >= 131)
        hub.say("end")
        eventually(lambda: words(box)[-1] == "end")
        assert words(box) == [*map(str, range(100)), "said", *map(str, range(100, 130)), "end"]
        assert of_hub(box)[:len(before)] == before, "what was told is told as it was"
        kinds = [type for type, _ in of_hub(box)]
        for kind, count in {"phase": 1, "debug": 1, "prompt": 1, "tool_call": 2, "token_usage": 1}.items():
            assert kinds.count(kind) == count, (kind, kinds)
        assert "since=" in hub.query, hub.query
        assert gaps(box) == []


@test("what a hub no longer remembers is one gap, and one that counts anew is another")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        hub.say("before")
        eventually(lambda: words(box) == ["before"])
        last = hub.seq
        crash(box)
        for n in range(300):
            hub.say(str(n))
        box.start()
        eventually(lambda: len(words(box)) == 257)
        assert words(box) == ["before", *map(str, range(44, 300))]
        (gap,) = gaps(box)
        assert gap["sourceId"] == "hub" and gap["missed"] == 44, gap
        port = hub.port
        hub.stop()
        with Hub(port=port) as other:
            other.start()
            other.say("anew")
            eventually(lambda: words(box)[-1] == "anew")
            assert [g.get("missed") for g in gaps(box)] == [44, None], gaps(box)
            assert last < 300


@test("a prompt that was answered while the box was away is closed")
def _():
    with Box() as box, Hub() as hub:
        hub.start()
        dial(box, hub)
        hub.ask("Who?", options=OPTIONS)
        one_prompt(box)
        crash(box)
        hub.answer("poet1")
        box.start()
        (closed,) = eventually(lambda: box.history("&type=prompt.closed"))
        assert closed["payload"]["state"] == "cancelled" and not prompts(box), closed


@test("a box that is the source of another is heard whole, whoever is killed and whatever breaks")
def _():
    def say(n):
        far.emit("text_delta", correlationId="job", payload={"agentId": "a", "content": f"{n} "})

    def told(box):
        return "".join(s["payload"]["content"] for s in box.history("&limit=10000&type=text_delta"))

    wanted = "".join(f"{n} " for n in range(600))
    with Box() as far, Box() as box:
        say(0)
        add_source(box, id="far", url=f"ws://127.0.0.1:{far.port}/ws/run?session=job", protocol="run")
        for n in range(1, 600):
            say(n)
            if n in (150, 400):
                eventually(lambda: told(box))
                box.kill9()
                box.start()
            if n == 300:
                port = far.port
                far.kill9()
                far.listen = [f"127.0.0.1:{port}"]
                far.start()
        eventually(lambda: len(told(box)) >= len(wanted))
        assert told(box) == wanted, told(box)
        assert gaps(box) == [], gaps(box)


# --- a program that is run ---------------------------------------------------------------


def started(box, job, script):
    """A program under `signalbox run` that the box can speak to."""
    process = Process("run", "--data", box.data, "--correlation-id", job, "--parse", "raw", "--",
                      "sh", "-c", f"{script}; echo ready; while :; do sleep 0.05; done")
    assert process.line() == "ready"
    eventually(lambda: control(box, "pause", job).status == 200)
    return process


@test("a program that is run can be interrupted and ended from every screen")
def _():
    with Box() as box:
        process = started(box, "job 1/é", "trap 'exit 3' INT")
        eventually(lambda: can(box, "job 1/é") == ["ui-interrupt", "ui-quit", "cancel"])
        assert control(box, "ui-interrupt", "job 1/é").status == 200
        assert process.wait() == 3
        eventually(lambda: signals(box, "job 1/é")[-1]["type"] == "completion")
        (cannot,) = [s for s in signals(box, "job 1/é") if s["type"] == "error"]
        assert cannot["payload"]["code"] == "not_supported", cannot
        assert cannot["payload"]["severity"] == "warning", cannot
        eventually(lambda: control(box, "ui-interrupt", "job 1/é").status == 501)
        process = started(box, "job-2", "trap 'echo no' INT")
        assert control(box, "ui-quit", "job-2").status == 200
        assert process.wait() == 143
        process = started(box, "job-3", "trap 'exit 4' INT")
        box.kill9()
        box.start()
        eventually(lambda: control(box, "ui-interrupt", "job-3").status == 200)
        assert process.wait() == 4


# --- OpenClaw ------------------------------------------------------------------------------


@test("an approval of OpenClaw is a prompt, and its answer the gateway's decision")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.approve("a1", "rm -rf build")
        prompt = one_prompt(box)
        assert prompt["prompt"].startswith("exec: rm -rf build\n") and prompt["source"] == "claw", prompt
        assert answer(box, prompt, value="allow").status == 422
        assert answer(box, prompt, value="allow-once").status == 200
        eventually(lambda: gateway.approvals["a1"]["decision"] == "allow-once")
        gateway.approve("plugin:2", "install", kind="plugin")
        assert answer(box, one_prompt(box), value="deny").status == 200
        eventually(lambda: gateway.approvals["plugin:2"]["decision"] == "deny")
        gateway.approve("a3", "ls")
        prompt = one_prompt(box)
        gateway.decide("a3", "deny")
        eventually(lambda: not prompts(box))
        assert answer(box, prompt, value="allow-once").status == 409
        settle(box, gateway)
        assert len(gateway.of("exec.approval.resolve")) == 1
        assert sources(box)["claw"]["badFrames"] == 0


@test("a run that the gateway began itself can be stopped")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.begin("QUIET", key="agent:main:desk", run="theirs")
        eventually(lambda: signals(box, "theirs"))
        eventually(lambda: can(box, "theirs") == ["ui-interrupt", "cancel"])
        assert control(box, "pause", "theirs").status in (404, 501)
        assert control(box, "cancel", "theirs").status == 200
        eventually(lambda: "completion" in [s["type"] for s in signals(box, "theirs")])
        assert gateway.of("chat.abort") == [{"sessionKey": "agent:main:desk", "runId": "theirs"}]
        assert control(box, "cancel", "theirs").status in (404, 501), "it is over"
        assert can(box, "theirs") == []


run()
