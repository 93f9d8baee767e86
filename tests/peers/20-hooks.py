#!/usr/bin/env python3
"""Our hooks in real Claude Code: nothing is lost or swapped, nobody is held up, a pause holds."""

import json
import os
import signal
import subprocess
import time

from peers import ClaudeCode, Model, say, tool, versions
from lib import PATIENCE_S, SIGNALBOX, Box, eventually, run, temp_dir, test

ASYNC = ("PreToolUse", "PostToolUse", "Notification")
AWAITED = ("SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "SessionEnd")
SESSIONS = int(os.environ.get("PEERS_SESSIONS") or 200)


def install(claude, box, decides=False, command=None):
    """Hooks as `tap install` writes them, of events that every version has."""
    def hook(event):
        words = f"'{SIGNALBOX}' hook --data '{box.data}'"
        if decides and event == "PreToolUse":
            return {"type": "command", "command": words.replace(" hook ", " hook --decide "),
                    "timeout": 3600}
        made = {"type": "command", "command": command or words, "timeout": 60}
        return {**made, "async": True} if event in ASYNC else made

    claude.settings.write_text(json.dumps({"hooks": {
        event: [{"hooks": [hook(event)]}] for event in (*ASYNC, *AWAITED)}}))


def heard(box, **where):
    """All signals of the tap, whose metadata say so."""
    found, after = [], 0
    while page := box.request("GET", f"/api/signals?limit=1000&after={after}").json()["signals"]:
        after = page[-1]["seq"]
        found += [s for s in page if s["source"] == "adapter:tap"
                  and all(s.get("metadata", {}).get(k) == v for k, v in where.items())]
    return found


class Load:
    """So many processes that want the processor all the time."""

    def __init__(self, count):
        self.all = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.all:
            process.kill()
            process.wait()


def check_sessions(box, sessions, tools):
    """Each has its beginning, its tools in their order, and its end."""
    for session in sessions:
        mine = [s for s in box.history(f"&correlationId={session}&limit=1000")
                if s["source"] == "adapter:tap"]
        names = [s["metadata"]["hook"] for s in mine if "hook" in s.get("metadata", {})]
        assert names[0] == "SessionStart" and names[-1] == "SessionEnd", (session, names)
        assert names.count("UserPromptSubmit") == 1 and names.count("Stop") == 1, (session, names)
        assert names.index("UserPromptSubmit") == 1 and names[-2] == "Stop", (session, names)
        calls = {}
        for s in mine:
            if s["type"] in ("tool_call", "tool_result"):
                calls.setdefault(s["payload"]["callId"], []).append(s["type"])
        # Some versions have helpers of their own, whose tools are called and not used.
        used = [c for c in calls.values() if c != ["tool_call"]]
        assert len(used) == tools, (session, names)
        assert all(c == ["tool_call", "tool_result"] for c in used), (session, calls)


@test("what an async hook prints decides nothing, in any version that knows the word")
def _():
    # To older ones every hook is one that may decide; ours prints nothing, as the others of
    # these tests show.
    knows = [v for v in versions() if tuple(map(int, v.split("."))) >= (2, 1, 50)]
    deny = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                   "permissionDecisionReason": "no"}, "decision": "block"}
    assert knows, versions()
    for version in knows:
        printed = temp_dir() / "deny.json"
        printed.write_text(json.dumps(deny))
        with Model([[tool("Bash", "toolu_a", command="echo hello")]]) as model, Box() as box:
            claude = ClaudeCode(version, model)
            install(claude, box, command=f"cat '{printed}'")
            hooks = json.loads(claude.settings.read_text())
            hooks["hooks"] = {event: hooks["hooks"][event] for event in ASYNC}
            claude.settings.write_text(json.dumps(hooks))
            assert claude.ask("go").code == 0, version
            failed, said = model.results()["toolu_a"]
            assert not failed and "hello" in said, (version, said)


@test("every version tells a session whole and in its order")
def _():
    for version in versions():
        with Model([[tool("Bash", command="echo 1"), tool("Bash", command="echo 2")]]) as model, \
                Box() as box:
            claude = ClaudeCode(version, model)
            install(claude, box)
            assert claude.ask("go").code == 0, version
            eventually(lambda: heard(box, hook="SessionEnd"))
            check_sessions(box, {s["correlationId"] for s in heard(box)}, 2)


@test("six sessions with twenty parallel tools each lose and swap nothing on a busy machine")
def _():
    turn = [tool("Bash", command=f"echo {n}") for n in range(20)]
    with Model([turn]) as model, Box() as box, Load(8):
        sessions = []
        for _ in range(6):
            claude = ClaudeCode(versions()[-1], model)
            install(claude, box)
            sessions.append(claude.start("go"))
        for process in sessions:
            assert process.wait(PATIENCE_S * 10) == 0
        found = eventually(lambda: (s := {s["correlationId"] for s in heard(box, hook="SessionEnd")})
                           and len(s) == 6 and s, PATIENCE_S)
        check_sessions(box, found, 20)


@test("many short sessions on a busy machine lose and swap nothing")
def _():
    with Model([[say("hello")]]) as model, Box() as box, Load(8):
        claude = ClaudeCode(versions()[-1], model)
        install(claude, box)
        under_way, left = [], SESSIONS
        while left or under_way:
            while left and len(under_way) < 4:
                under_way.append(claude.start("go"))
                left -= 1
            process = under_way.pop(0)
            assert process.wait(PATIENCE_S * 10) == 0
        found = eventually(lambda: (s := {s["correlationId"] for s in heard(box, hook="SessionEnd")})
                           and len(s) == SESSIONS and s, PATIENCE_S)
        check_sessions(box, found, 0)


@test("a pause holds a tool of any size, also of a box that is stopped, and a stopped box adds nothing")
def _():
    big = "x" * 1_500_000
    turns = [[tool("Bash", "toolu_a", command="echo first")], [tool("Write", "toolu_b",
             file_path="big.txt", content=big)], [tool("Bash", "toolu_c", command="echo third")]]
    with Model(turns) as model, Box() as box:
        claude = ClaudeCode(versions()[-1], model)
        install(claude, box, decides=True)
        os.mkdir(box.data / "held", 0o700)
        process = claude.start("go")
        session = eventually(lambda: heard(box, hook="SessionStart"))[0]["correlationId"]
        (box.data / "held" / session).write_text("1")  # one tool may pass
        eventually(lambda: "toolu_a" in model.results())
        os.kill(box.pid, signal.SIGSTOP)
        time.sleep(3)
        assert "toolu_b" not in model.results() and not (claude.project / "big.txt").exists()
        assert process.poll() is None
        done = subprocess.run([SIGNALBOX, "control", session, "continue", "--data", box.data],
                              capture_output=True, check=False)
        assert done.returncode == 0, done
        assert process.wait(PATIENCE_S * 3) == 0  # with a box that is stopped all the while
        assert (claude.project / "big.txt").stat().st_size == len(big)
        os.kill(box.pid, signal.SIGCONT)
        eventually(lambda: heard(box, hook="SessionEnd"))
        check_sessions(box, {session}, 3)
        (cut,) = [s["metadata"]["cut"] for s in heard(box, hook="PreToolUse") if "cut" in s["metadata"]]
        assert cut["bytes"] > len(big), cut["bytes"]


run()
