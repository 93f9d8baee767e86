#!/usr/bin/env python3
"""Sessions of real Claude Code: who is there, what was used, and who was killed."""

import json
import os
import signal

from peers import ClaudeCode, Model, say, tool
from lib import Box, eventually, run, test

GONE_S = 10


def of(box, session, kind):
    return [s for s in box.history() if s["type"] == kind and s.get("correlationId") == session]


def responses(claude, session):
    """What the transcripts have: the most output of each response, counted once."""
    found = {}
    for path in claude.config.glob("projects/*/**/*.jsonl"):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            message = entry.get("message") or {}
            if (entry.get("type") == "assistant" and entry["sessionId"] == session
                    and message["model"] != "<synthetic>"):
                count = message["usage"]["output_tokens"]
                found[message["id"]] = max(found.get(message["id"], 0), count)
    return found


def told_responses(box, session):
    found = {}
    for s in of(box, session, "token_usage"):
        payload = s["payload"]
        found[payload["responseId"]] = max(
            found.get(payload["responseId"], 0), payload["completionTokens"])
    return found


def session_ids(claude):
    return {json.loads(line)["sessionId"] for path in claude.config.glob("projects/*/*.jsonl")
            for line in path.read_text().splitlines() if '"sessionId"' in line
            and not path.name.startswith("agent-")}


TURNS = [
    [say("I begin."), tool("Bash", command="echo hello"), tool("Write", file_path="out.txt", content="a\nb\n")],
    [tool("Bash", command="exit 3")],
]


def check_usage(version):
    with Model(TURNS) as model:
        claude = ClaudeCode(version, model)
        with Box(env={"HOME": str(claude.home)}) as box:
            claude.tap("install", box)
            for number in range(3):
                assert claude.ask(f"please begin {number}").code == 0
            ids = {s for s in session_ids(claude) if responses(claude, s)}
            assert len(ids) >= 3, ids
            for session in ids:
                wanted = responses(claude, session)
                eventually(lambda: told_responses(box, session) == wanted)
                calls = [s["payload"]["callId"] for s in of(box, session, "tool_call")]
                assert len(calls) == len(set(calls)), calls  # by hooks alone
                assert not of(box, session, "session.gone")
            return {s: len(responses(claude, s)) for s in ids}


def check_killed(version, hooks, named_by):
    """A session that is killed in the middle of a tool, once this has named its process."""
    with Model([[tool("Bash", command="tail -f /dev/null")]]) as model:
        claude = ClaudeCode(version, model)
        with Box(env={"HOME": str(claude.home)}) as box:
            if hooks:
                claude.tap("install", box)
            process = claude.start("please begin")

            def facts():
                found = [s for s in box.history() if s["type"] == "session.facts"
                         and s["payload"].get("pid") == process.pid
                         and s["metadata"]["from"] == named_by]
                used = [s for s in box.history() if s["type"] == "tool_call"]
                return found[-1:] if used else []

            (fact,) = eventually(facts)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            (gone,) = eventually(lambda: of(box, fact["correlationId"], "session.gone"),
                                 within=GONE_S)
            assert gone["payload"]["pid"] == process.pid, gone
            return gone["payload"]["by"]


@test("2.1.325: the tokens of three sessions are those of its transcripts, each response once")
def _():
    check_usage("2.1.325")


@test("2.0.77: the tokens of three sessions are those of its transcripts, each response once")
def _():
    check_usage("2.0.77")


@test("2.1.325: killed is gone within ten seconds, by its registry, with hooks and without")
def _():
    assert check_killed("2.1.325", True, "registry") == "registry"
    assert check_killed("2.1.325", False, "registry") == "registry"


@test("2.0.77, which has no registry: killed is gone within ten seconds, by who ran its hooks")
def _():
    assert check_killed("2.0.77", True, "hook") == "peer"


run()
