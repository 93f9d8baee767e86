#!/usr/bin/env python3
"""`signalbox run` with agents: each is known by what it prints, and what is run is one run."""

import json
import os
import stat

from lib import SIGNALBOX, Box, Path, Process, cli, eventually, run, temp_dir, test

AGENTS = Path(__file__).parent / "fixtures" / "agents"
ENDS = ("completion", "error")

# Speaks as Claude Code does, under a session of its own, until it is interrupted.
SPEAKER = r"""
trap 'exit 7' INT
echo '{"type":"system","subtype":"init","session_id":"session-1","model":"m"}'
echo '{"type":"assistant","session_id":"session-1","message":{"id":"a","content":[{"type":"text","text":"hello"}]}}'
while :; do sleep 0.05; done
"""


def said(box):
    return [s for s in box.history() if s["source"] != "signalbox"]


def runs(box):
    return json.loads(cli("run", "list", "--json", "--data", box.data).out or "[]")


@test("every agent is known by its shape, and gives one run with one end")
def _():
    for name in ("gemini", "opencode", "pi", "qwen", "qwen-partial", "codex"):
        with Box() as box:
            result = cli("run", "--data", box.data, "--", "cat", AGENTS / f"{name}.jsonl")
            assert result.code == 0 and not result.err, (name, result)
            got = said(box)
            assert len({s["correlationId"] for s in got}) == 1, (name, got)
            ends = [s for s in got if s["type"] in ENDS]
            assert len(ends) == 1 and got[-1] is ends[0], (name, ends)
            end = ends[0]
            assert end["payload"]["success"] and end["metadata"]["exitCode"] == 0, end
            assert end["payload"]["result"] == "All done é🙂.", end
            assert [s["type"] for s in got].count("tool_call") == 1, (name, got)
            assert got[0]["type"] == "task_dispatch" and got[0]["payload"]["to"] == "cat", got[0]


@test("the session that speaks is the one that can be stopped, and its exit code is its end")
def _():
    with Box() as box:
        with Process("run", "--data", box.data, "--", "sh", "-c", SPEAKER) as process:
            eventually(lambda: any(s["type"] == "text_delta" for s in said(box)))
            assert {s["correlationId"] for s in said(box)} == {"session-1"}, said(box)
            stop = ["control", "session-1", "ui-interrupt", "--data", box.data]
            eventually(lambda: cli(*stop).code == 0 or process.process.poll() is not None)
            assert process.wait() == 7
        ends = [s for s in said(box) if s["type"] in ENDS]
        assert len(ends) == 1 and ends[0]["metadata"]["exitCode"] == 7, ends
        assert ends[0]["correlationId"] == "session-1" and not ends[0]["payload"]["success"], ends


@test("what is run can be stopped and told nothing, and nobody says that it was told")
def _():
    with Box() as box:
        with Process("run", "--data", box.data, "--", "sh", "-c", SPEAKER) as process:
            can = lambda: box.request("GET", "/api/runs/session-1").json().get("can", [])
            eventually(lambda: "ui-interrupt" in can())
            assert "tell" not in can(), can()
            box.emit({"type": "user.command", "id": "c", "correlationId": "session-1",
                      "payload": {"entityId": "claude", "action": "wait"}})
            told = eventually(lambda: box.history("&type=command.told"))
            assert len(told) == 1 and told[0]["source"] == "signalbox", told
            assert told[0]["payload"].pop("why"), told
            assert told[0]["payload"] == {"signal": "c", "told": False}, told
            assert cli("control", "session-1", "ui-interrupt", "--data", box.data).code == 0
            assert process.wait() == 7


@test("a run that was given its name keeps it, and one that says nothing has one too")
def _():
    with Box() as box:
        result = cli("run", "--data", box.data, "--correlation-id", "mine", "--", "cat",
                     AGENTS / "gemini.jsonl")
        assert result.code == 0, result
        assert {s["correlationId"] for s in said(box)} == {"mine"}, said(box)
    with Box() as box:
        flag = temp_dir() / "flag"
        script = 'until [ -e "$0" ]; do sleep 0.05; done'
        with Process("run", "--data", box.data, "--", "sh", "-c", script, flag) as process:
            began = eventually(lambda: said(box))[0]
            assert began["type"] == "task_dispatch", began
            flag.touch()
            assert process.wait() == 0
        end = eventually(lambda: len(said(box)) == 2 and said(box)[1])
        assert end["correlationId"] == began["correlationId"], end


@test("plain output keeps its lines, and lines with a type their members")
def _():
    text = "one\n\n  two\nthree\n"
    with Box() as box:
        assert cli("run", "--data", box.data, "--", "printf", text).code == 0
        words = "".join(s["payload"]["content"] for s in said(box) if s["type"] == "text_delta")
        assert words == text, words
    lines = ('{"type":"build","step":3,"timestamp":"2026-11-16T08:49:50.886Z"}\n'
             '{"type":"build","step":4,"timestamp":"soon"}\n')
    with Box() as box:
        result = cli("run", "--data", box.data, "--", "printf", "%s", lines)
        assert result.code == 0 and not result.err, result
        first, second = (s for s in said(box) if s["type"] == "build")
        assert first["payload"] == {"step": 3} and first["timestamp"] == 1794818990886, first
        assert second["payload"] == {"step": 4}, second
        assert second["metadata"] == {"timestamp": "soon"}, second


@test("what the stream of claude tells its hooks do not tell again")
def _():
    hook = {"hook_event_name": "PreToolUse", "session_id": "session-1", "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
    bin = temp_dir()
    claude = bin / "claude"
    claude.write_text(f"""#!/bin/sh
echo '{json.dumps({"type": "system", "subtype": "init", "session_id": "session-1"})}'
echo '{json.dumps(hook)}' | "{SIGNALBOX}" hook --data "$BOX"
echo '{json.dumps({"type": "assistant", "session_id": "session-1", "message": {"id": "a",
      "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]}})}'
echo '{json.dumps({"type": "result", "subtype": "success", "session_id": "session-1",
      "result": "done"})}'
""")
    claude.chmod(claude.stat().st_mode | stat.S_IXUSR)
    env = {"PATH": f"{bin}:{os.environ['PATH']}"}
    with Box() as box:
        env["BOX"] = str(box.data)
        told = cli("run", "--data", box.data, "--", "claude", "-p", "--output-format",
                   "stream-json", env=env)
        assert told.code == 0, told
        calls = [s for s in said(box) if s["type"] == "tool_call"]
        assert len(calls) == 1 and calls[0]["payload"]["callId"] == "t1", calls
        # without `run` around it the hook tells
        cli("hook", "--data", box.data, input=json.dumps(hook))
        eventually(lambda: len([s for s in said(box) if s["type"] == "tool_call"]) == 2)


run()
