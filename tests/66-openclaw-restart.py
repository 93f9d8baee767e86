#!/usr/bin/env python3
"""A box that dies in the middle of what an OpenClaw gateway does, and is started again: nothing
is told twice, what happened meanwhile is told, and the rest is one gap.
"""

import signal

from gateway import ENDS, Gateway, ask, connected, end_of, in_state, of_run, settle, text_of
from lib import Box, eventually, run, test


def kinds(signals, *types):
    return [s["type"] for s in signals if s["type"] in types]


def gaps(box):
    return [s["payload"] for s in box.history("&type=source.gap")]


def says(box, id, words):
    """It has said exactly this, and that is on the disk."""
    eventually(lambda: text_of(of_run(box, id)) == words)
    box.emit({"type": "mark"})


def kill(box):
    box.kill9()


def stop(box):
    box.stop(signal.SIGTERM)


def back(box, gateway):
    box.start()
    in_state(box, "connected")
    eventually(lambda: gateway.clients)
    eventually(lambda: gaps(box))
    settle(box, gateway)


def once(box, id, *types):
    signals = of_run(box, id)
    for kind in types:
        assert kinds(signals, kind) == [kind], (kind, [s["type"] for s in signals])


@test("runs that go on while the box is away go on when it is back: no word, tool or end twice")
def _():
    for ends in (kill, stop):
        with Box() as box, Gateway(4) as gateway:
            connected(box, gateway)
            eventually(lambda: gateway.clients[0].follows)
            ours, theirs = ask(box, "HAND me")["run"], gateway.begin("HAND them", key="agent:main:desk")
            for id in (ours, theirs):
                eventually(lambda: len(of_run(box, id)) > 1)
                gateway.speak(id, "One")
                gateway.use_tool(id, "call-1", closes=True)
                gateway.speak(id, "Two")
                says(box, id, "OneTwo")
            ends(box)
            for id in (ours, theirs):
                gateway.speak(id, " three")
                gateway.use_tool(id, "call-2", closes=True)
            back(box, gateway)
            for id in (ours, theirs):
                gateway.speak(id, "Four")
                gateway.finish(id)
                end_of(box, id)
            settle(box, gateway)
            for id in (ours, theirs):
                signals = of_run(box, id)
                assert text_of(signals) == "OneTwo threeFour", [s["payload"] for s in signals]
                assert [s["payload"]["callId"] for s in signals if s["type"] == "tool_call"] == [
                    "call-1", "call-2"], signals
                assert len(kinds(signals, "tool_result")) == 2, signals
                assert kinds(signals, *ENDS) == ["completion"], signals
                once(box, id, "task_dispatch")
                starts = [s for s in signals if s["type"] == "agent_state_change"
                          and s["payload"]["from"] == "idle"]
                assert len(starts) == 1, starts
            gap, = gaps(box)
            assert gap["sourceId"] == "claw" and gap["since"] > 0 and "no past" in gap["why"], gap


@test("what ends while the box is away has its rest and its one end when it is back")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        eventually(lambda: gateway.clients[0].follows)
        before = ask(box, "hello")["run"]
        end_of(box, before)
        ours, theirs = ask(box, "HAND me")["run"], gateway.begin("HAND them", key="agent:main:desk")
        quiet = ask(box, "HAND too", session="quiet")["run"]  # nothing need be heard of it before
        assert of_run(box, quiet)[0]["metadata"]["position"]["run"], of_run(box, quiet)
        for id in (ours, theirs):
            eventually(lambda: len(of_run(box, id)) > 1)
            gateway.speak(id, "Half")
            says(box, id, "Half")
        box.kill9()
        for id in (ours, theirs, quiet):
            gateway.speak(id, " done" if id != quiet else "Done")
            gateway.finish(id)
        missed = gateway.begin("TOOL missed", key="agent:main:new")
        eventually(lambda: gateway.runs[missed]["over"])
        for life in range(2):
            back(box, gateway)
            eventually(lambda: len(gaps(box)) == life + 1)
            for id, words in ((ours, "Half done"), (theirs, "Half done"), (quiet, "Done"),
                              (missed, "Hello there."), (before, "Hello there.")):
                signals = end_of(box, id)
                assert text_of(signals) == words, [s["payload"] for s in signals]
                assert kinds(signals, *ENDS) == ["completion"], signals
                once(box, id, "task_dispatch")
            once(box, missed, "tool_call", "tool_result")
            box.emit("mark", source="test", payload={})  # all before it is on the disk
            box.kill9()  # and once more: nothing is told again
        assert len(gaps_after(box, gateway)) == 3


def gaps_after(box, gateway):
    box.start()
    in_state(box, "connected")
    eventually(lambda: len(gaps(box)) == 3)
    settle(box, gateway)
    return gaps(box)


@test("a run that the gateway lost too has one end, and one that was cut off can be stopped")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        lost, kept = ask(box, "HAND me")["run"], ask(box, "HAND two", session="two")["run"]
        for id in (lost, kept):
            eventually(lambda: len(of_run(box, id)) > 1)
            gateway.speak(id, "Half")
            says(box, id, "Half")
        box.kill9()
        gateway.end_run(lost)
        back(box, gateway)
        ends = [s for s in end_of(box, lost) if s["type"] in ENDS]
        assert [e["payload"].get("code") for e in ends] == ["lost"], ends
        assert not kinds(of_run(box, kept), *ENDS)
        assert box.request("POST", f"/api/runs/{kept}/cancel", {}).status == 200
        assert kinds(end_of(box, kept), *ENDS) == ["completion"]


@test("with protocol 3 a run that was cut off ends once, and no word of it is said twice")
def _():
    with Box() as box, Gateway(3) as gateway:
        connected(box, gateway)
        id = ask(box, "HAND me")["run"]
        eventually(lambda: len(of_run(box, id)) > 1)
        gateway.speak(id, "One")
        says(box, id, "One")
        box.kill9()
        gateway.speak(id, " two")
        back(box, gateway)
        gateway.speak(id, " three")
        gateway.finish(id)
        settle(box, gateway)
        signals = of_run(box, id)
        assert text_of(signals) == "One two three", [s["payload"] for s in signals]
        assert kinds(signals, *ENDS) == ["error"], signals
        once(box, id, "task_dispatch")


run()
