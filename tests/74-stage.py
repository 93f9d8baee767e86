#!/usr/bin/env python3
"""The stage of a running box: followed by many, late, again after a while, across
restarts; what people do on it; and its numbers."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from doors import config_box
from faults import FaultyBox
from lib import PATIENCE_S, SIGNALBOX, WS, Box, Refused, eventually, run, temp_dir, test
from servers import Socket, Upstream, until_state

LONG_MS = 600_000

# `go` moves ada for 300 ms; `stay` for ten minutes, `wave` is at once; `say` is seen as it
# is, and `flip` is a binding that goes back after ten minutes.
SHOW = {
    "version": 1,
    "entities": {"person": {"displayWidth": 8, "displayHeight": 8, "fallbackColor": "#ffffff"}},
    "scene": {
        "dimensions": {"width": 100, "height": 100},
        "layers": [{"id": "l", "order": 0}],
        "entities": [
            {"id": "e1", "entityId": "person", "semanticId": "ada", "x": 10, "y": 10,
             "layerId": "l"},
            {"id": "e2", "entityId": "person", "semanticId": "bob", "x": 20, "y": 10,
             "layerId": "l"}],
        "positions": [{"id": "p", "name": "desk", "x": 90, "y": 90}],
    },
    "choreographies": [
        {"id": "go", "on": "go", "steps": [
            {"action": "move", "entity": "ada", "to": "desk", "duration": 300}]},
        {"id": "stay", "on": "stay", "steps": [
            {"action": "move", "entity": "ada", "to": "desk", "duration": LONG_MS}]},
        {"id": "wave", "on": "wave", "steps": [
            {"action": "setAnimation", "entity": "bob", "state": "waving"}]},
    ],
    "wires": [],
    "bindings": [],
}


def use(box, show=SHOW):
    answer = box.request("PUT", "/api/show", show)
    assert answer.status == 200, answer


def stage(box):
    """How it looks, once all is played: on a busy machine that takes more than one request."""
    def look():
        answer = box.request("GET", "/api/stage")
        assert answer.status == 200 or answer.json()["code"] == "behind", answer
        return answer.json() if answer.status == 200 else None
    return eventually(look)


def status(box):
    return box.request("GET", "/api/status").json()["show"]


def batch(box, *types):
    answer = box.request("POST", "/api/signal?ack=memory",
                         "".join(f'{{"type":"{type}"}}\n' for type in types),
                         {"Content-Type": "application/x-ndjson"})
    assert answer.status == 200 and answer.json()["accepted"] == len(types), answer


def flood(box, n):
    """So many waves at once, of which those are played that are not too quick."""
    batch(box, *["wave"] * n)
    return True


def entity(look, name):
    return next(e for e in look["entities"] if e["semanticId"] == name)


class Viewer(WS):
    """A native client that follows the stage and hears no signals."""

    def __init__(self, box, stage=True, **more):
        super().__init__(box, unix=True, **more)
        assert self.json()["op"] == "hello"
        self.send({"op": "subscribe", "types": ["nothing"], "stage": stage})

    def next(self):
        message = self.json()
        assert message["op"] == "stage", message
        assert ("command" in message) != ("snapshot" in message), message
        return message

    def snapshot(self):
        message = self.next()
        assert message["snapshot"]["version"] == message["version"], message
        assert message["snapshot"]["at"] == message["at"], message
        return message["snapshot"]

    def commands(self, n, after):
        """The next n, which follow on this version without a hole."""
        got = [self.next() for _ in range(n)]
        assert [c["version"] for c in got] == list(range(after + 1, after + 1 + n)), got
        return got

    def until(self, kind):
        """All commands up to the first of this kind."""
        got = [self.next()]
        while got[-1]["command"]["kind"] != kind:
            got.append(self.next())
        return got


# --- following ----------------------------------------------------------------------


@test("a follower gets the stage once, and then every command at its time")
def _():
    with Box() as box:
        use(box)
        with Viewer(box) as viewer:
            look = viewer.snapshot()
            assert entity(look, "ada")["x"] == 10 and look["running"], look
            box.emit("go")
            start, complete = viewer.commands(2, look["version"])
            assert start["command"]["kind"] == "start", start
            assert start["command"]["duration"] == 300, start
            assert complete["command"]["kind"] == "complete", complete
            # At its deadline, not in the next frame or tick after it.
            assert complete["at"] - start["at"] == 300, (start, complete)
            assert start["at"] == start["command"]["at"], start
            assert abs(complete["at"] / 1000 - time.time()) < PATIENCE_S
        assert entity(stage(box), "ada")["x"] == 90


@test("two viewers see the same")
def _():
    with Box() as box:
        use(box)
        with Viewer(box) as one, Viewer(box) as two:
            assert one.snapshot()["entities"] == two.snapshot()["entities"]
            # At once: on a slow disk `go` would be over before the next.
            batch(box, "go", "wave", "wave")
            seen = one.until("complete")
            assert len(seen) == 4, seen
            assert two.until("complete") == seen


@test("who comes late sees what is under way, and how far it is")
def _():
    with Box() as box:
        use(box)
        with Viewer(box) as early:
            version = early.snapshot()["version"]
            box.emit("stay")
            start, = early.commands(1, version)
            eventually(lambda: stage(box)["tweens"][0].get("elapsed", 0) >= 50)
            with Viewer(box) as late:
                look = late.snapshot()
                tween, = look["tweens"]
                assert look["version"] == start["version"], look
                assert tween["elapsed"] == look["at"] - start["at"] >= 50, (tween, look)
                assert tween["performanceId"] == start["command"]["performanceId"]
                assert 10 < entity(look, "ada")["x"] < 50, look
                box.emit("wave")
                assert late.commands(1, look["version"]) == early.commands(1, look["version"])


@test("who says which version it has seen gets what came after it")
def _():
    with Box() as box:
        use(box)
        with Viewer(box) as viewer:
            version = viewer.snapshot()["version"]
            for _ in range(3):
                box.emit("wave")
            all = viewer.commands(3, version)
        with Viewer(box, version) as again:
            assert again.commands(3, version) == all
        with Viewer(box, version + 2) as again:
            assert again.commands(1, version + 2) == all[2:]
            box.emit("wave")
            again.commands(1, version + 3)
        with Viewer(box, version + 4) as again:  # it has seen everything
            box.emit("wave")
            again.commands(1, version + 4)
        for unknown in (1, version - 1, version + 1000):
            with Viewer(box, unknown) as again:
                assert again.snapshot()["version"] == version + 5


@test("more commands than are remembered are a snapshot")
def _():
    with Box() as box:
        use(box)
        version = stage(box)["version"]
        flood(box, 200)
        with Viewer(box, version) as viewer:
            viewer.commands(200, version)
        eventually(lambda: flood(box, 1000) and stage(box)["version"] > version + 10000)
        with Viewer(box, version) as viewer:
            viewer.snapshot()


@test("a subscribe without the stage ends it, and a wrong one changes nothing")
def _():
    with Box() as box:
        use(box)
        with Viewer(box) as viewer:
            version = viewer.snapshot()["version"]
            for wrong in ("yes", -1, 1.5, None, [], {}):
                viewer.send({"op": "subscribe", "stage": wrong, "ref": 1})
                answer = viewer.json()
                assert answer["code"] == "invalid" and "stage" in answer["message"], answer
            box.emit("wave")
            viewer.commands(1, version)
            viewer.send({"op": "subscribe", "types": ["wave"]})
            box.emit("wave")
            assert viewer.json()["type"] == "wave"
            box.emit("wave")
            assert viewer.json()["type"] == "wave"


@test("a viewer that does not read gets the stage anew, and then goes on without a hole")
def _():
    with Box() as box:
        use(box)
        with Viewer(box) as viewer:
            looked = viewer.snapshot()["version"]
            # Each is some 200 bytes to the viewer; the socket and what it may be owed
            # have far less room than all of them.
            eventually(lambda: flood(box, 4000) and stage(box)["version"] > looked + 15000)
            last, at, snapshots = stage(box)["version"], looked, 0
            while at < last:
                message = viewer.next()
                if "snapshot" in message:
                    snapshots += 1
                    assert message["version"] > at, (message["version"], at)
                else:
                    assert message["version"] == at + 1, (message["version"], at)
                at = message["version"]
            assert snapshots >= 1
            box.emit("wave")
            viewer.commands(1, last)


# --- asleep ------------------------------------------------------------------------------


def lull(box):
    """Floods it until the show sleeps; answers what its status says then."""
    def sleeps():
        flood(box, 500)
        show = status(box)
        return show["asleep"] and show
    return eventually(sleeps)


@test("a show sleeps while much comes and nobody looks, and a look wakes it")
def _():
    with Box() as box:
        use(box)
        asleep = lull(box)
        box.emit("stay")
        look = stage(box)
        assert look["version"] > asleep["version"], look
        assert look["tweens"][0]["duration"] == LONG_MS, look


@test("a show that sleeps wakes by itself when it is quiet")
def _():
    with Box() as box:
        use(box)
        asleep = lull(box)
        box.emit("wave")
        awake = eventually(lambda: not (s := status(box))["asleep"] and s)
        assert awake["version"] > asleep["version"], (asleep, awake)


@test("who follows a sleeping show gets what it missed, and keeps it awake")
def _():
    with Box() as box:
        use(box)
        version = stage(box)["version"]
        lull(box)
        with Viewer(box) as viewer:
            look = viewer.snapshot()
            assert look["version"] > version and entity(look, "bob")["activeState"] == "waving"
            for _ in range(4):
                flood(box, 500)
                time.sleep(0.25)
            assert not status(box)["asleep"]
        asleep = lull(box)
        box.emit("stay")
        with Viewer(box, asleep["version"]) as viewer:
            first = viewer.next()
            if "command" in first:
                assert first["version"] == asleep["version"] + 1, (first, asleep)
            else:  # what is missing of a long past is in a later one
                eventually(lambda: first["snapshot"]["tweens"] or viewer.snapshot()["tweens"])


@test("what a sleeping show missed is played after a restart")
def _():
    for end in (Box.stop, Box.kill9):
        with Box() as box:
            use(box)
            lull(box)
            box.emit("stay")
            end(box)
            box.start()
            tween = eventually(lambda: stage(box)["tweens"])[0]
            assert tween["action"] == "move" and tween["duration"] == LONG_MS, tween


# --- other shows, and none ------------------------------------------------------------


@test("another document, a stop and a start are a new look for everybody")
def _():
    with Box() as box:
        use(box)
        with Viewer(box) as one, Viewer(box) as two:
            viewers = (one, two)
            first = [v.snapshot() for v in viewers][0]
            box.emit("stay")
            for v in viewers:
                v.commands(1, first["version"])
            other = json.loads(json.dumps(SHOW))
            other["scene"]["entities"][1]["x"] = 55
            use(box, other)
            second = [v.snapshot() for v in viewers][0]
            assert second["version"] > first["version"] + 1, second
            assert second["show"] != first["show"], second
            assert entity(second, "bob")["x"] == 55, second
            assert box.request("POST", "/api/show/stop", {}).status == 200
            for v in viewers:
                look = v.snapshot()
                assert not look["running"] and not look["tweens"], look
                assert entity(look, "ada")["x"] == 10, look
            assert not box.request("GET", "/api/status").json()["show"]["running"]
            box.emit("wave")
            assert box.request("POST", "/api/show/start", {}).status == 200
            for v in viewers:
                look = v.snapshot()
                assert look["running"], look
            box.emit("wave")
            assert one.commands(1, look["version"]) == two.commands(1, look["version"])


# --- time ---------------------------------------------------------------------------------


class ClockBox(Box):
    """A box by a clock that can be put: see tests/preload/clock.c."""

    def __init__(self):
        library = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "libclock.so"
        assert library.exists(), f"{library} is not built: meson configure -Dtests=true"
        self.shift = temp_dir() / "shift"
        address = os.environ.get("ASAN_OPTIONS", "")
        super().__init__(env={
            "LD_PRELOAD": str(library), "CLOCK_SHIFT": str(self.shift),
            "ASAN_OPTIONS": f"{address}:verify_asan_link_order=0"})

    def put(self, seconds):
        self.shift.unlink(missing_ok=True)
        self.shift.symlink_to(str(seconds))


@test("a clock that is put back does not hold the show up, and one put forward is followed")
def _():
    with ClockBox() as box:
        use(box)
        with Viewer(box) as viewer:
            began = at = viewer.snapshot()["at"]
            box.put(-3600)
            while at < began + 1500:
                box.emit("go")
                start, complete = viewer.until("complete")
                assert start["at"] >= at and complete["at"] == start["at"] + 300, (at, start)
                at = complete["at"]
            assert at < began + 1000 * PATIENCE_S, (began, at)
            box.emit("stay")
            viewer.until("start")
            box.put(3600)
            eventually(lambda: stage(box)["at"] > began + 3_000_000)
            done = viewer.next()
            assert done["command"]["kind"] == "complete", done


# --- across restarts --------------------------------------------------------------------


def seen_again(box, end):
    """A show under way, ended in this manner and begun again: both looks."""
    use(box)
    box.emit("wave")
    box.emit("stay")
    eventually(lambda: stage(box)["tweens"] and entity(stage(box), "ada")["x"] > 10)
    before = stage(box)
    end()
    box.start()
    return before, stage(box)


def assert_goes_on(before, after):
    """How far it is follows from when it began, whatever was between."""
    assert after["show"] == before["show"], after
    assert after["version"] > before["version"], after
    assert after["signalsProcessed"] == 2, after
    assert entity(after, "bob")["activeState"] == "waving", after
    a, b = before["tweens"][0], after["tweens"][0]
    assert b["duration"] == LONG_MS and b["action"] == "move", b
    begun = [look["at"] - tween["elapsed"] for look, tween in ((before, a), (after, b))]
    assert abs(begun[0] - begun[1]) < 1000, (begun, before["at"], after["at"])
    assert b["elapsed"] > a["elapsed"], (a, b)


@test("the stage goes on after a restart")
def _():
    with Box() as box:
        before, after = seen_again(box, box.stop)
        assert_goes_on(before, after)
        with Viewer(box, before["version"]) as viewer:
            viewer.snapshot()


@test("the stage goes on after a kill")
def _():
    with Box() as box:
        before, after = seen_again(box, box.kill9)
        assert_goes_on(before, after)
        with Viewer(box, before["version"]) as viewer:
            viewer.snapshot()
        box.kill9()
        box.start()
        assert_goes_on(after, stage(box))


@test("a disk that stands still for a moment leaves no stage empty at a start")
def _():
    with FaultyBox() as box:
        use(box)
        lines = '{"type": "x"}\n' * 600
        answer = box.request("POST", "/api/signal", lines,
                             {"Content-Type": "application/x-ndjson"})
        assert answer.status == 200, answer
        box.emit("wave")
        box.kill9()
        box.arm(STALL=300)
        box.fail()
        box.start()
        box.mend()
        assert entity(stage(box), "bob")["activeState"] == "waving", box.log()


@test("what was due while nobody was there is done")
def _():
    with Box() as box:
        use(box)
        box.emit("go")
        box.kill9()
        time.sleep(0.35)
        box.start()
        look = stage(box)
        assert entity(look, "ada")["x"] == 90 and not look["tweens"], look


@test("a stopped show is stopped after a restart")
def _():
    with Box() as box:
        use(box)
        assert box.request("POST", "/api/show/stop", {}).status == 200
        box.restart()
        assert not stage(box)["running"]


def is_saved(box, running):
    """The newest checkpoint says so of the stage; it is written soon after, not before the answer."""
    files = [(int(f.name.split("-")[1]), f) for f in (box.data / "journal").glob("checkpoint-*[0-9]")]
    if not files:
        return False
    return b'{"running":%s,' % (b"true" if running else b"false") in max(files)[1].read_bytes()


@test("a show that was stopped or started is so after a kill")
def _():
    with Box() as box:
        use(box)
        for verb, running, played in (("stop", False, 0), ("start", True, 2)):
            assert box.request("POST", f"/api/show/{verb}", {}).json()["changed"]
            for _ in range(2):
                box.emit("wave")
            eventually(lambda: is_saved(box, running))
            box.kill9()
            box.start()
            look = stage(box)
            assert look["running"] == running and look["signalsProcessed"] == played, look


@test("what lies too far back is not played again")
def _():
    with Box() as box:
        use(box)
        box.emit("wave")
        lines = '{"type":"other"}\n' * 65536 + '{"type":"stay"}\n'
        answer = box.request("POST", "/api/signal", lines,
                             {"Content-Type": "application/x-ndjson"})
        assert answer.status == 200, answer
        box.kill9()
        box.start()
        look = stage(box)
        assert look["signalsProcessed"] == len(look["tweens"]) == 1, look
        assert entity(look, "bob")["activeState"] == "idle", look


@test("times that make no sense in the journal do no harm")
def _():
    with Box() as box:
        use(box)
        for at in (1e300, -1e300, 0, 5, time.time() * 1000 + 1e9):
            box.emit({"type": "stay", "timestamp": at})
        box.kill9()
        box.start()
        look = stage(box)
        assert look["signalsProcessed"] == 5, look
        assert abs(look["at"] / 1000 - time.time()) < PATIENCE_S, look
        assert entity(look, "ada")["x"] >= 10, look


# --- what people do -----------------------------------------------------------------------


def play_agent(self):
    """A WebSocket producer that says what the test wants, and keeps what it hears."""
    for envelope in self.peer.up.script:
        self.say(envelope)
    self.until_closed()


Socket.serve_agent = play_agent


def agent(up, script):
    up.script = script


def add(box, up, id):
    answer = box.request("POST", "/api/sources",
                         {"url": up.ws_url + "/agent", "id": id, "protocol": "websocket"})
    assert answer.status == 201, answer


def heard(up):
    return [json.loads(m) for m in up.pushed.get("ws", [])]


def click(target, **more):
    return {"type": "user.click", "payload": {"target": target}, **more}


@test("what people do is the stage's, whoever says it and however it comes")
def _():
    with Box() as box:
        box.emit(click("a", source="me"))
        with WS(box, unix=True) as native:
            native.json()
            native.send({"op": "emit", "signal": click("b", source="you"), "ref": 1})
            assert native.json()["op"] == "ack"
            native.send(click("c"))
        with WS(box, "/ws/signals", unix=True) as bare:
            bare.send(click("d", source="them"))
        box.request("POST", "/api/signal", json.dumps(click("e", source="x")) + "\n",
                    {"Content-Type": "application/x-ndjson"})
        clicks = eventually(lambda: len(c := box.history("&type=user.click")) == 5 and c)
        assert {c["payload"]["target"] for c in clicks} == set("abcde"), clicks
        assert {c["source"] for c in clicks} == {"stage"}, clicks


@test("what people do must make sense, unless nothing has to")
def _():
    broken = {"type": "user.move", "payload": {"entityId": "ada"}}
    with Box() as box:
        answer = box.request("POST", "/api/signal", broken)
        assert answer.status == 400 and answer.json()["code"] == "schema", answer
        with WS(box, unix=True) as native:
            native.json()
            native.send({"op": "emit", "signal": broken, "ref": 1})
            answer = native.json()
            assert answer["code"] == "invalid" and "toSlot" in answer["message"], answer
        with WS(box, "/ws/signals?mode=send", unix=True) as bare:
            bare.send(broken)
            assert bare.recv() is None and bare.close_code == 1008
        assert box.history("&type=user.*") == []
    with config_box("validation: off\n") as box:
        assert box.request("POST", "/api/signal", broken).status == 200


@test("nobody without a credential acts on the stage or speaks as it")
def _():
    with Box() as box:
        for signal in (click("a"), {"type": "x", "source": "stage"}):
            answer = box.request("POST", "/api/signal", signal, unix=False)
            assert answer.status == 403, answer
        answer = box.request("POST", "/api/sources", {"url": "ws://127.0.0.1:1/", "id": "stage"})
        assert answer.status == 400 and "own name" in answer.text, answer


@test("a click goes to the source that its run came by, and to no other")
def _():
    with Upstream() as up, Upstream() as other, Box() as box:
        agent(up, [{"type": "wave", "source": "adapter:one", "correlationId": "run-1"}])
        agent(other, [{"type": "wave", "source": "adapter:one", "correlationId": "run-2"}])
        use(box)
        add(box, up, "one")
        add(box, other, "two")
        eventually(lambda: len(box.history("&type=wave")) == 2)
        box.emit(click("nobody", correlationId="run-1", id="a"))
        box.emit(click("nobody", correlationId="run-2", id="b"))
        box.emit(click("nobody", correlationId="run-3", id="c"))
        box.emit(click("nobody", id="d"))
        eventually(lambda: heard(up) and heard(other))
        box.emit(click("nobody", correlationId="run-1", id="e"))
        eventually(lambda: len(heard(up)) == 2)
        stored = {c["id"]: c for c in box.history("&type=user.click")}
        assert heard(up) == [stored["a"], stored["e"]], heard(up)
        assert heard(other) == [stored["b"]], heard(other)


@test("a click wakes a sleeping show, to know whom it concerns")
def _():
    with Upstream() as up, Box() as box:
        agent(up, [])
        use(box)
        add(box, up, "one")
        until_state(box, "one", "connected")
        lull(box)
        flood(box, 60000)  # more than is played for a click at once: it waits for the rest
        box.emit("stay", source="one", correlationId="run-1")
        box.emit(click("ada", id="a"))
        got = eventually(lambda: heard(up))
        assert got[0]["id"] == "a" and got[0]["correlationId"] == "run-1", got


@test("a click that names its run waits for a show that is behind, too")
def _():
    with Upstream() as up, Box() as box:
        agent(up, [])
        use(box)
        add(box, up, "one")
        until_state(box, "one", "connected")
        lull(box)
        flood(box, 60000)
        box.emit("stay", source="one", correlationId="run-1")
        box.emit(click("nobody", correlationId="run-1", id="a"))
        assert eventually(lambda: heard(up))[0]["id"] == "a"


@test("a run stays with the source that it came by, whoever else speaks of it")
def _():
    with Upstream() as up, Box() as box:
        agent(up, [{"type": "prompt", "source": "adapter:one", "correlationId": "run-1",
                    "payload": {"id": "q", "type": "confirm", "prompt": "Go on?"}}])
        add(box, up, "one")
        asked = eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])
        answer = box.request("POST", f"/api/prompts/{asked[0]['id']}/answer", {"value": True})
        assert answer.status == 200, answer
        box.emit({"type": "note", "source": "somebody", "correlationId": "run-1"})
        box.emit(click("nobody", correlationId="run-1", id="a"))
        eventually(lambda: "a" in [h["id"] for h in heard(up)])


@test("a click on an entity goes to whoever moved it last")
def _():
    with Upstream() as up, Box() as box:
        agent(up, [{"type": "wave", "source": "adapter:one", "correlationId": "run \"1\""}])
        use(box)
        add(box, up, "one")
        eventually(lambda: len(box.history("&type=wave")) == 1)
        box.emit(click("bob", id="a"))
        box.emit({"type": "user.command", "id": "b",
                  "payload": {"entityId": "bob", "action": "stop"}})
        box.emit(click("ada", id="c"))  # nobody moved her
        box.emit({"type": "user.point", "id": "d", "payload": {"position": {"x": 1, "y": 2}}})
        box.emit(click("bob", id="e", metadata={"half": "\ud83d", "much": 10 ** 999}))
        eventually(lambda: len(heard(up)) == 3)
        assert [h["id"] for h in heard(up)] == ["a", "b", "e"], heard(up)
        for h in heard(up):
            assert h.pop("correlationId") == "run \"1\"", h
            assert h == next(c for c in box.history("&type=user.*") if c["id"] == h["id"])


@test("a source that cannot hear, or is not there, is no trouble")
def _():
    with Box() as box:
        use(box)
        box.emit({"type": "wave", "source": "gone", "correlationId": "run-1"})
        assert box.emit(click("bob"))["ok"]
        assert box.emit(click("bob", correlationId="run-1"))["ok"]


# --- numbers --------------------------------------------------------------------------------


def metrics(box):
    answer = box.request("GET", "/metrics")
    assert answer.status == 200, answer
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4"), answer
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return answer, {name: float(value) for name, value in (l.rsplit(" ", 1) for l in lines)}


@test("the numbers are those of what happened")
def _():
    show = json.loads(json.dumps(SHOW))
    show["wires"] = [{"id": "w\"1\\", "fromZone": "signal-type", "fromId": "wave",
                      "toZone": "choreographer", "toId": "wave",
                      "filters": [{"type": "sample", "every": 2}]}]
    with Box() as box:
        use(box, show)
        with Viewer(box) as viewer:
            viewer.snapshot()
            for _ in range(3):
                box.emit("wave")
            box.emit("stay")
            box.emit("nothing-of-the-show")
            assert box.request("POST", "/api/signal", "nope").status == 400
            viewer.until("start")
            _, n = metrics(box)
            assert n["signalbox_stage_followers"] == 1 and n["signalbox_clients"] == 1, n
        assert n["signalbox_signals_accepted_total"] == 5, n
        assert n['signalbox_signals_refused_total{reason="not_json"}'] == 1, n
        assert n["signalbox_journal_last_seq"] == 5, n
        assert n["signalbox_show_signals_processed_total"] == 2, n
        assert n["signalbox_show_performances"] == 1, n
        wire = '{wire="w\\"1\\\\"}'
        assert n["signalbox_wire_passed_total" + wire] == 1, n
        assert n["signalbox_wire_dropped_total" + wire] == 2, n
        told = box.request("GET", "/api/status").json()["show"]
        assert told["signalsProcessed"] == 2 and told["active"] == 1, told
        assert told["wires"] == [{"id": "w\"1\\", "passed": 1, "dropped": 2}], told
        eventually(lambda: metrics(box)[1]["signalbox_stage_followers"] == 0)


@test("promtool has nothing to say about the metrics")
def _():
    assert shutil.which("promtool"), "promtool is missing: see packaging/packages-test"
    with Box(["--demo"]) as box:
        answer, _ = metrics(box)
        done = subprocess.run(["promtool", "check", "metrics"], input=answer.body,
                              capture_output=True, timeout=PATIENCE_S)
        assert done.returncode == 0 and not done.stderr, done


@test("numbers and stage are for those who may observe")
def _():
    with config_box("auth: {local: emit}\n") as box:
        for path in ("/metrics", "/api/stage"):
            assert box.request("GET", path, unix=False).status in (401, 403), path
            answer = box.request("GET", path, headers=box.bearer(), unix=False)
            assert answer.status == 200, answer
        try:
            with WS(box) as ws:
                ws.json()
                ws.send({"op": "subscribe", "stage": True})
                assert ws.json()["code"] == "forbidden"
        except Refused as refused:
            assert refused.response.status == 403


run()
