#!/usr/bin/env python3
"""Claude Code under `signalbox run`, with the tap: it is one run, and nothing is told twice."""

from peers import ClaudeCode, Model, say, tool
from lib import SIGNALBOX, Box, cli, eventually, run, test

NEWEST = "2.1.325"


def said(box):
    return [s for s in box.history("&limit=1000") if s["source"].startswith("adapter:tap")]


def under_run(box):
    return [SIGNALBOX, "run", "--data", box.data, "--", "claude"]


def words(got):
    return "".join(s["payload"]["content"] for s in got if s["type"] == "text_delta")


@test("one that draws on a terminal has the name of its session, its words once, and its exit code")
def _():
    with Model([[say("I look."), tool("Bash", "toolu_a", command="echo hello")]]) as model, \
            Box() as box:
        claude = ClaudeCode(NEWEST, model)
        claude.tap("install", box)
        claude.command = under_run(box)
        with claude.screen("--allowedTools", "Bash") as screen:
            screen.shows(NEWEST)
            claude.tell(screen, "please look")
            screen.shows("All is done.")
            eventually(lambda: "All is done." in words(said(box)))
            name = said(box)[0]["correlationId"]
            can = box.request("GET", f"/api/runs/{name}").json()["can"]
            assert "ui-interrupt" in can, can
            assert cli("control", name, "ui-quit", "--data", box.data).code == 0
            screen.shows("ended ")
        got = eventually(lambda: (s := said(box)) and s[-1]["type"] == "completion" and s)
        assert {s["correlationId"] for s in got} == {name}, got
        assert words(got).count("I look.") == 1 and words(got).count("All is done.") == 1, got
        assert [s["payload"]["callId"] for s in got if s["type"] == "tool_call"] == ["toolu_a"], got
        ends = [s for s in got if s["type"] == "completion"]
        assert len(ends) == 1 and "exitCode" in ends[0]["metadata"], ends


@test("one that only prints its answer is told by its hooks, and once")
def _():
    with Model([[say("I look."), tool("Bash", "toolu_a", command="echo hello")]]) as model, \
            Box() as box:
        claude = ClaudeCode(NEWEST, model)
        claude.tap("install", box)
        claude.command = under_run(box)
        done = claude.ask("please look")
        assert done.code == 0 and "All is done." in done.out, done
        got = eventually(lambda: (s := said(box)) and any(s["type"] == "completion" for s in s) and s)
        assert len({s["correlationId"] for s in got}) == 1, got
        assert words(got).count("I look.") == 1 and words(got).count("All is done.") == 1, got
        assert [s["type"] for s in got].count("completion") == 1, got


run()
