#!/usr/bin/env python3
"""The demo: three scenarios, about ten seconds each, looping, marked as a demo,
and every signal of them valid."""

from lib import Box, eventually, run, test

SPEED = 20


def played(box):
    """What the demo said; what is said of the demo as a source is apart."""
    return [s for s in box.history() if s["type"] != "source.state"]


def scenarios(history):
    """The signals of each play, in the order of playing."""
    plays = {}
    for signal in history:
        plays.setdefault(signal["correlationId"], []).append(signal)
    return plays


def in_time(plays):
    """The names of the scenarios that some play had through in about ten seconds."""
    def seconds(signals):
        return (signals[-1]["timestamp"] - signals[0]["timestamp"]) * SPEED / 1000
    over = list(plays.values())[:-1]
    return {s[0]["metadata"]["scenario"] for s in over if 6 <= seconds(s) <= 14}


@test("three scenarios of 15 to 25 signals and about ten seconds, and then again")
def _():
    with Box(["--demo", "--demo-speed", str(SPEED)]) as box:
        eventually(lambda: len(scenarios(played(box))) >= 5, every=0.2)
        plays = list(scenarios(played(box)).items())
        names = [signals[0]["metadata"]["scenario"] for _, signals in plays]
        assert names[:4] == ["simple-task", "recovery", "two-agents", "simple-task"], names
        for run_, signals in plays[:3]:
            assert 15 <= len(signals) <= 25, (run_, len(signals))
        # A busy machine may stretch one or the other, but not all of them.
        eventually(lambda: len(in_time(scenarios(played(box)))) == 3, every=0.2)
        assert any(s["type"] == "error" for s in plays[1][1])
        assert {s["payload"].get("agentId") for s in plays[2][1]} >= {"ada", "bela"}


@test("what somebody says or thinks in pieces can be read in one go")
def _():
    with Box(["--demo", "--demo-speed", str(SPEED)]) as box:
        eventually(lambda: len(scenarios(played(box))) >= 4, every=0.2)
        pieces = {}
        for run_, signals in list(scenarios(played(box)).items())[:3]:
            for signal in signals:
                if signal["type"] in ("thinking", "text_delta"):
                    key = run_, signal["type"], signal["payload"]["agentId"]
                    pieces.setdefault(key, []).append(signal["payload"]["content"])
        assert any(len(said) > 1 for (_, kind, _), said in pieces.items() if kind == "thinking")
        for key, said in pieces.items():
            assert all(piece.endswith(" ") for piece in said[:-1]), (key, said)


@test("each of them says that it is a demo, and keeps the schema")
def _():
    with Box(["--demo", "--demo-speed", "100"], env={"SIGNALBOX_VALIDATION": "strict"}) as box:
        eventually(lambda: len(played(box)) >= 60, every=0.1)
        for signal in played(box):
            assert signal["source"] == "demo" and signal["metadata"]["demo"] is True, signal
        status = box.request("GET", "/api/status").json()
        assert sum(status["bus"]["refused"].values()) == 0, status["bus"]


@test("without --demo nothing is made up")
def _():
    with Box() as box:
        assert box.history() == []


run()
