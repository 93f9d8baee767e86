#!/usr/bin/env python3
"""The gateway dialect: who comes in, as what, and what is kept from everybody else.

Every row of the two tables of handshakes, devices that are paired, and input that is bad.
"""

import os
import signal
from pathlib import Path

from doors import bearer, config_box
from gateway_clients import Screen, judge_all, say
from lib import Box, eventually, run, test


def config_of(box):
    return Path(box.args[box.args.index("--config") + 1])


def reload(box, words):
    """Another configuration, once the box says that it has it."""
    done = box.log().count("the configuration was read again")
    config_of(box).write_text(words.replace("TOP", str(config_of(box).parent)))
    os.kill(box.pid, signal.SIGHUP)
    eventually(lambda: box.log().count("the configuration was read again") > done)


# --- the configuration --------------------------------------------------------


@test("agents are a map of names to sources, which follows a SIGHUP")
def _():
    with config_box("gateway: {agents: {main: script, other: more}, default_agent: other}\n") as box:
        with Screen(box) as screen:
            hello = screen.hello()
            assert hello["snapshot"]["sessionDefaults"]["defaultAgentId"] == "other", hello
            say(box, "r1", "text_delta", {"agentId": "bot", "content": "x"})
            event = screen.until(lambda e: e["event"] == "chat")
            assert event["payload"]["sessionKey"] == "agent:main:r1", event
        reload(box, "gateway: {agents: {chief: script}, tick: 5s, max_payload: 2MiB}\n")
        for key in ("tick", "max_payload"):
            assert f"gateway.{key} is another one, which needs a restart" in box.log(), key
        with Screen(box) as screen:
            hello = screen.hello()
            assert hello["policy"]["tickIntervalMs"] == 30000, hello["policy"]
            assert hello["policy"]["maxPayload"] == 1 << 20, hello["policy"]
            assert hello["snapshot"]["sessionDefaults"]["defaultAgentId"] == "chief", hello
            say(box, "r2", "text_delta", {"agentId": "bot", "content": "x"})
            event = screen.until(lambda e: e["event"] == "chat"
                                 and e["payload"]["runId"] == "r2")
            assert event["payload"]["sessionKey"] == "agent:chief:r2", event


@test("a message may be as long as hello-ok says, and a longer one is closed with 1009")
def _():
    with config_box("gateway: {max_payload: 128KiB}\n") as box, Screen(box) as other:
        other.hello()
        with Screen(box) as screen:
            most = screen.hello()["policy"]["maxPayload"]
            assert most == 128 << 10
            frame = '{"type":"req","id":"long","method":"health","params":{}}'
            screen.ws.send(frame + " " * (most - len(frame)))
            answer = screen.ws.json()
            while answer["type"] != "res":
                answer = screen.ws.json()
            assert answer["ok"] and answer["id"] == "long", answer
            screen.ws.send(frame + " " * (most - len(frame) + 1))
            assert screen.closed()[0] == 1009
        assert other.ask("health")["ok"]


@test("the whole text is in each frame of an agent if that is wanted")
def _():
    long = "word " * 2000
    for config, has in (("", False), ("gateway: {text: full}\n", True)):
        with config_box(config) as box, Screen(box) as screen:
            screen.hello()
            say(box, "r1", "text_delta", {"agentId": "bot", "content": long})
            data = screen.until(lambda e: e["event"] == "agent" and e["payload"]["stream"]
                                == "assistant")["payload"]["data"]
            assert data["delta"] == long and data.get("text") == (long if has else None), has


# --- before anybody is known ----------------------------------------------------


@test("who is known by its request has no more time for connect than a stranger")
def _():
    with Box() as box:
        known = bearer(box.token)
        with Screen(box, headers=known) as mute, Screen(box, headers=known) as screen:
            screen.hello(auth={})
            mute.ws.timeout(40)
            assert mute.closed() == (1000, "")
            assert screen.ask("health")["ok"]


@test("the first message has at most 64 KiB, whoever sends it")
def _():
    with Box() as box, Screen(box) as other:
        other.hello()
        for headers in (None, bearer(box.token)):
            with Screen(box, headers=headers) as screen:
                screen.ws.send("x" * (65 << 10))
                assert screen.closed()[0] == 1009
        assert other.ask("health")["ok"]


judge_all(10)
run()
