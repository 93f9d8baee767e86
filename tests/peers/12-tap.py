#!/usr/bin/env python3
"""Our hooks in the settings of Claude Code, of every version in the lab: what the user wrote
there stays in force, all that happens is told, and the file comes back to the byte."""

import json
import re

from peers import ClaudeCode, Model, say, tool, versions
from lib import Box, cli, eventually, run, test

NO_HOOK = {"WorktreeCreate", "PostToolBatch"}
GUARD = """#!/bin/sh
grep -q guarded && { echo GUARD-SAYS-NO >&2; exit 2; }
exit 0
"""
PRINTS = """#!/bin/sh
cat >/dev/null
echo '{"decision":"block","reason":"HOOK-SAYS-NO","hookSpecificOutput":{"hookEventName":"PreToolUse",
"permissionDecision":"deny","permissionDecisionReason":"HOOK-SAYS-NO"}}'
"""


def signals(box, **wanted):
    query = "&".join(f"{name}={value}" for name, value in wanted.items())
    answer = box.request("GET", f"/api/signals?limit=1000&{query}")
    return answer.json()["signals"]


def script(claude, name, text):
    path = claude.home / name
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def write_guarded(claude):
    """Settings as somebody has them: a rule that denies, and a guard of another tool."""
    guard = script(claude, "guard.sh", GUARD)
    claude.settings.write_text(json.dumps({
        "permissions": {"deny": ["Bash(touch forbidden)"]},
        "hooks": {"PreToolUse": [{"matcher": "Bash",
                                  "hooks": [{"type": "command", "command": guard}]}]}}, indent=2))
    return claude.settings.read_bytes()


def known_events(claude):
    """The list of events that the program itself has."""
    program = claude.folder / "claude"
    bytes = (program if program.exists() else claude.folder / "cli.js").read_bytes()
    lists = re.findall(rb'\["PreToolUse"(?:,"[A-Za-z]+")*\]', bytes)
    return set(max((json.loads(found) for found in lists), key=len))


TURNS = [
    [say("I begin."), tool("Bash", "toolu_plain", command="echo hello")],
    [tool("Bash", "toolu_denied", command="touch forbidden")],
    [tool("Bash", "toolu_guarded", command="touch guarded")],
    [tool("Bash", "toolu_failed", command="exit 3")],
]


@test("every version gets the events that it knows, and no other")
def _():
    with Model() as model, Box() as box:
        for version in versions():
            claude = ClaudeCode(version, model)
            claude.tap("install", box)
            ours = set(json.loads(claude.settings.read_text())["hooks"])
            known = known_events(claude)
            assert ours == known - NO_HOOK, (version, ours ^ known)
            assert not claude.settings.read_text().count('"http"'), version


def hold_in_force(version):
    with Model(TURNS) as model, Box() as box:
        claude = ClaudeCode(version, model)
        before = write_guarded(claude)
        claude.tap("install", box)
        done = claude.ask("please begin")
        assert done.code == 0 and "hook event" not in done.err, (version, done)
        results = model.results()
        assert "hello" in results["toolu_plain"][1], (version, results)
        for name, words in (("denied", "has been denied"), ("guarded", "GUARD-SAYS-NO")):
            failed, text = results[f"toolu_{name}"]
            assert failed and words in text, (version, name, text)
        assert not (claude.project / "forbidden").exists(), version
        assert not (claude.project / "guarded").exists(), version

        calls = eventually(lambda: (all := signals(box, type="tool_call")) and len(all) >= 4 and all)
        assert {c["payload"]["callId"] for c in calls} == set(results), (version, calls)
        eventually(lambda: {r["payload"]["callId"]: r["payload"]["success"]
                            for r in signals(box, type="tool_result")}.get("toolu_plain"))
        assert eventually(lambda: signals(box, type="task_dispatch")), version
        eventually(lambda: {"SessionStart", "SessionEnd", "Stop"} <=
                   {s.get("metadata", {}).get("hook") for s in signals(box)})
        assert "PostToolBatch" not in json.dumps(signals(box)), version

        claude.tap("uninstall", box)
        assert claude.settings.read_bytes() == before, version


@test("deny rules and the guards of others stay in force, and our hooks tell all of it")
def _():
    for version in versions():
        hold_in_force(version)


@test("what a hook prints that is not waited for decides nothing, where the version knows such hooks")
def _():
    for version in versions():
        with Model(TURNS[:1]) as model:
            claude = ClaudeCode(version, model)
            hook = {"type": "command", "command": script(claude, "prints.sh", PRINTS),
                    "timeout": 5, "async": True}
            claude.settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))
            assert claude.ask("please begin").code == 0, version
            failed, text = model.results()["toolu_plain"]
            # 2.0.77 passes over the member and waits: there it is as with any hook, and ours
            # print nothing.
            assert failed == (version == "2.0.77"), (version, text)


@test("an event that a version does not know costs the whole file, or words")
def _():
    for version in versions():
        with Model(TURNS[1:2]) as model:
            claude = ClaudeCode(version, model)
            write_guarded(claude)
            settings = json.loads(claude.settings.read_text())
            settings["hooks"]["NoSuchEvent"] = [{"hooks": [{"type": "command", "command": "true"}]}]
            claude.settings.write_text(json.dumps(settings))
            claude.ask("please begin")
            denied = model.results()["toolu_denied"][0]
            assert denied == (tuple(map(int, version.split("."))) >= (2, 1, 101)), version


@test("a downgrade is found before it does harm, and one install mends it")
def _():
    with Box() as box:
        newest, old = versions()[-1], "2.1.97"
        with Model(TURNS[1:2]) as model:
            claude = ClaudeCode(newest, model)
            before = write_guarded(claude)
            claude.tap("install", box)
            claude = ClaudeCode(old, model, home=claude.home)
            (claude.bin / "claude").unlink()
            claude = ClaudeCode(old, model, home=claude.home)
            found = cli("doctor", "--data", box.data, env=claude.env())
            assert f"Claude Code {old} (" in found.out and "tap install" in found.out, found
            claude.tap("install", box)
            assert claude.ask("please begin").code == 0
            assert model.results()["toolu_denied"][0], model.results()
            claude.tap("uninstall", box)
            assert claude.settings.read_bytes() == before


run()
