#!/usr/bin/env python3
"""OpenClaw's published client, unmodified, against the gateway dialect of a box."""

import subprocess
import threading
from pathlib import Path

from peers import LAB, node24  # first: it enters a network of its own
from gateway_clients import add_model, say
from lib import PATIENCE_S, Box, Skip, run, test
from servers import Upstream

CLIENT = LAB / "oc-client/node_modules/@openclaw/gateway-client"
HERE = Path(__file__).resolve().parent
TOOL = [{"label": "Allow", "value": "allow"}, {"label": "Deny", "value": "deny", "safe": True}]
WORDS = 30  # of a message, as gateway_follower.mjs has it


def node(program, box, stdin=subprocess.DEVNULL):
    if not CLIENT.exists():
        raise Skip(f"{CLIENT} is not there")
    return subprocess.Popen([node24(), HERE / program, CLIENT.resolve(), str(box.port), box.token],
                            stdin=stdin, stdout=subprocess.PIPE, text=True)


def word_of(box, number):
    if number and number % WORDS == 0:
        call = {"agentId": "bot", "toolName": "look", "callId": f"c{number}"}
        say(box, "stream", "tool_call", {**call, "input": {}})
        say(box, "stream", "tool_result", {**call, "success": True, "output": {}})
    say(box, "stream", "text_delta", {"agentId": "bot", "content": f"w{number} "})


@test("it connects by token and by device, asks, stops what it asked for, and approves a command")
def _():
    with Upstream() as up, Box() as box:
        add_model(box, up)
        for id in ("r1", "r2"):
            say(box, id, "prompt", {"type": "select", "prompt": "Bash: make", "tool": "Bash",
                                    "input": {"command": "make"}, "options": TOOL})
        done = node("gateway_asker.mjs", box)
        out, _ = done.communicate(timeout=4 * PATIENCE_S)
        assert done.returncode == 0, out
        assert box.request("GET", "/api/prompts").json()["prompts"] == []
        given = [s["payload"]["value"] for s in box.history() if s["type"] == "answer"]
        assert given == ["allow", "allow"], given


@test("cut off 200 times, it shows the beginning of the truth each time, and all of it at last")
def _():
    with Box() as box:
        say(box, "stream", "task_dispatch", {"taskId": "t", "from": "me", "to": "bot",
                                             "description": "count"})
        word_of(box, 0)
        client = node("gateway_follower.mjs", box, subprocess.PIPE)
        is_cut = threading.Event()
        said = []

        def listen():
            for line in client.stdout:
                said.append(line)
                is_cut.set()
            is_cut.set()

        ear = threading.Thread(target=listen, daemon=True)
        ear.start()
        number = 1
        while not is_cut.wait(0.02) or number % WORDS:
            word_of(box, number)
            number += 1
        say(box, "stream", "completion", {"agentId": "bot", "taskId": "t", "success": True})
        assert said and said[0] == "cut\n", said
        client.stdin.write(f"{number // WORDS}\n")
        client.stdin.flush()
        assert client.wait(4 * PATIENCE_S) == 0, said
        ear.join()
        assert said[-1].startswith("good 2"), said


run()
