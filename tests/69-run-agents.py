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


# As Claude Code with the tap: draws on its terminal what its hooks tell.
DRAWER = r"""#!/bin/sh
trap 'exit 7' INT
hook() { echo "$1" | "$SIGNALBOX" hook --data "$BOX"; }
printf '\033[2J\033[H hel\033[1mlo\n'
hook '{"hook_event_name":"SessionStart","session_id":"first","source":"startup"}'
hook '{"hook_event_name":"MessageDisplay","session_id":"first","message_id":"m","index":0,"final":true,"delta":"hello"}'
printf '\033[2J\033[H hello\n'
"$NESTED"
[ -z "$CLEAR" ] || hook '{"hook_event_name":"SessionStart","session_id":"second","source":"clear"}'
until [ -e "$FLAG" ]; do sleep 0.05; done
exit 5
"""
# Another agent that it runs by a tool.
NESTED = r"""#!/bin/sh
echo '{"hook_event_name":"SessionStart","session_id":"nested","source":"startup"}' | "$SIGNALBOX" hook --data "$BOX"
:
"""


def program(folder, name, text):
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def hooked(box, **more):
    """The environment in which `claude` is one with hooks; its flag lets it end."""
    bin = temp_dir()
    program(bin, "claude", DRAWER)
    return {"PATH": f"{bin}:{os.environ['PATH']}", "BOX": str(box.data), "FLAG": str(bin / "flag"),
            "SIGNALBOX": str(SIGNALBOX), "NESTED": str(program(bin, "nested", NESTED)), **more}


def of(box, name):
    return [s for s in said(box) if s["correlationId"] == name]


@test("a program whose hooks tell is one run with its session, and its output is not told again")
def _():
    with Box() as box:
        env = hooked(box)
        with Process("run", "--data", box.data, "--", "claude", env=env) as process:
            eventually(lambda: of(box, "nested"))
            Path(env["FLAG"]).touch()
            assert process.wait() == 5
        got = said(box)
        assert {s["correlationId"] for s in got} == {"first", "nested"}, got
        assert [s["payload"]["content"] for s in got if s["type"] == "text_delta"] == ["hello"], got
        ends = [s for s in got if s["type"] in ENDS]
        assert len(ends) == 1 and ends[0]["metadata"]["exitCode"] == 5, ends
        assert ends[0]["correlationId"] == "first", ends
        starts = [s for s in got if s["type"] == "task_dispatch"]
        assert [s["correlationId"] for s in starts] == ["first"], starts


@test("the session that hooks name can be stopped, and so can the one that follows it")
def _():
    with Box() as box:
        env = hooked(box, CLEAR="yes")
        with Process("run", "--data", box.data, "--", "claude", env=env) as process:
            eventually(lambda: any(s["type"] == "task_dispatch" for s in of(box, "second")))
            (moved,) = [s for s in of(box, "first") if s["type"] in ENDS]
            assert moved["payload"]["result"] == "goes on as session second", moved
            assert "exitCode" not in moved["metadata"], moved
            stop = ["control", "second", "ui-interrupt", "--data", box.data]
            eventually(lambda: cli(*stop).code == 0 or process.process.poll() is not None)
            assert process.wait() == 7
        (end,) = [s for s in of(box, "second") if s["type"] in ENDS]
        assert end["metadata"]["exitCode"] == 7, end


@test("a session under a run can be paused where its hooks decide")
def _():
    with Box() as box:
        env = hooked(box)
        held = {"hook_event_name": "PreToolUse", "session_id": "first", "tool_name": "Bash",
                "tool_use_id": "t1", "tool_input": {"command": "ls"}}
        with Process("run", "--data", box.data, "--", "claude", env=env) as process:
            can = lambda: box.request("GET", "/api/runs/first").json().get("can", [])
            eventually(lambda: "ui-interrupt" in can())
            assert "pause" not in can(), can()
            cli("hook", "--decide", "--data", box.data, input=json.dumps(held))
            eventually(lambda: "pause" in can())
            done = cli("control", "first", "pause", "--data", box.data)
            assert done.code == 0 and (box.data / "held" / "first").exists(), done
            for do in ("step", "pause", "continue"):
                told = box.request("POST", "/api/control", {"run": "first", "do": do})
                assert told.status == 200, told
            eventually(lambda: not (box.data / "held" / "first").exists())
            assert not [s for s in of(box, "first") if s["type"] == "error"], said(box)
            frames = lambda: box.request("GET", "/api/runs/first").json()["run"]["frames"]
            before = frames()
            cli("hook", "--data", box.data, input=json.dumps({
                **held, "hook_event_name": "PostToolUse", "tool_response": {"stdout": "x"}}))
            eventually(lambda: frames() > before)  # a run that was paused goes on being told
            Path(env["FLAG"]).touch()
            assert process.wait() == 5


@test("an answer reaches the hook of a session under a run")
def _():
    with Box() as box:
        env = hooked(box)
        asks = {"hook_event_name": "PermissionRequest", "session_id": "first", "tool_name": "Bash",
                "tool_input": {"command": "ls"}}
        with Process("run", "--data", box.data, "--", "claude", env=env) as process:
            eventually(lambda: box.request("GET", "/api/runs/first").status == 200)
            file = temp_dir() / "asks"
            file.write_text(json.dumps(asks))
            with open(file) as words, Process("hook", "--decide", "--data", box.data,
                                              stdin=words) as hook:
                open_ones = lambda: box.request("GET", "/api/prompts").json()["prompts"]
                prompt = eventually(open_ones)[0]["id"]
                told = box.request("POST", f"/api/prompts/{prompt}/answer", {"value": "allow"})
                assert told.status == 200, told
                assert hook.wait() == 0, hook.err()
                printed = json.loads(hook.process.stdout.read())["hookSpecificOutput"]
                assert printed["decision"]["behavior"] == "allow", printed
            Path(env["FLAG"]).touch()
            assert process.wait() == 5


@test("what hooks do not tell the run tells, and without hooks it tells all")
def _():
    start = '{"hook_event_name":"SessionStart","session_id":"plain","source":"startup"}'
    hook = f"""echo '{start}' | "$SIGNALBOX" hook --data "$BOX"\n"""
    for before, name in ((hook, "plain"), ("", None)):
        with Box() as box:
            env = hooked(box)
            program(Path(env["FLAG"]).parent, "claude", f"#!/bin/sh\n{before}echo all is done\n:\n")
            done = cli("run", "--data", box.data, "--", "claude", env=env)
            assert done.code == 0 and done.out == "all is done\n", done
            got = said(box)
            assert [s["payload"]["content"] for s in got if s["type"] == "text_delta"] == \
                ["all is done\n"], got
            assert len({s["correlationId"] for s in got}) == 1, got
            assert name in (None, got[0]["correlationId"]), got
            assert [s["type"] for s in got].count("completion") == 1, got


@test("a program that runs an agent stays a run of its own")
def _():
    with Box() as box:
        env = hooked(box)
        script = 'echo one; "$NESTED"; echo two'
        done = cli("run", "--data", box.data, "--", "sh", "-c", script, env=env)
        assert done.code == 0 and done.out == "one\ntwo\n", done
        mine = [s for s in said(box) if s["correlationId"] != "nested"]
        assert len({s["correlationId"] for s in mine}) == 1, mine
        words = [s["payload"]["content"] for s in mine if s["type"] == "text_delta"]
        assert "".join(words) == "one\ntwo\n", words
        ends = [s for s in said(box) if s["type"] in ENDS]
        assert len(ends) == 1 and ends[0]["correlationId"] == mine[0]["correlationId"], ends


run()
