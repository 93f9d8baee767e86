#!/usr/bin/env python3
"""Chats: automations answer a message, choose its agent, or have its reply come in one piece."""

from chats import (OWNER, TEXT, connected, finished, kill_again, post, requests, said, settings,
                   write)
from lib import cli, eventually, run, temp_dir, test
from servers import Upstream

QUICK = "deliver: {gather: 0}\n"
AUTOMATIONS = """
automations:
  - when: {signal.peer: {equals: calm}}
    set: {disable_streaming: true}
  - when: {signal.text: {matches: "^hours\\\\?$"}, signal.peerKind: {equals: dm}}
    answer: "Nine *to* five."
  - when: [{text: {contains: deploy}}, {relationship: {equals: boss}}]
    route: {agent: other, session: deployments}
  - when: {signal.text: {contains: deploy}}
    answer: never
"""


def ended(box, count):
    return eventually(lambda: len(r := requests(box)) >= count and r)


@test("an automation answers without an agent, and the trace names it")
def _():
    with Upstream() as up, settings(up, OWNER + QUICK + AUTOMATIONS) as box:
        connected(box)
        write(box, "hours?")
        got = ended(box, 1)[0]
        assert said(box) == ["Nine *to* five."], said(box)
        assert got["status"] == "handled_by_automation", got
        assert got["triggers"] == {
            "automations_evaluated": 4 + 2, "automations_fired": 1, "handled": True,
            "handled_by": "automations[1]",
            "automation_results": [{"automation": "automations[1]", "did": "answer"}]}, got
        assert [(t["stage"], t.get("exit_reason")) for t in got["pipeline"]][3:] == [
            ("runAutomations", "an automation answers"), ("deliverResponse", None),
            ("finalize", None)], got
        write(box, "hours?", peer="room", kind="group")
        assert ended(box, 2)[1]["status"] == "completed"
        assert len(up.of("/v1/chat/completions")) == 1
        id = post(box, "hours?", agent="model")
        assert finished(box, id)["triggers"]["handled_by"] == "automations[1]"


@test("commands, and people who may not ask, come to no automation")
def _():
    everything = "automations: [{answer: always}]\n"
    with Upstream() as up, settings(up, OWNER + QUICK + everything) as box:
        connected(box)
        write(box, "/help")
        write(box, "hello", sender="eve", peer="room", kind="group")
        write(box, "hello")
        handled = {r["triggers"].get("handled_by") if "triggers" in r else r["status"]
                   for r in ended(box, 3)}
        assert handled == {"/help", "denied", "automations[0]"}, handled
        assert "always" in said(box) and len(said(box)) == 2, said(box)


@test("an automation chooses the agent and its session, and /stop still finds it")
def _():
    with Upstream() as up, settings(up, OWNER + QUICK + AUTOMATIONS) as box:
        connected(box)
        made = box.request("POST", "/api/sources", {"id": "other", "url": up.url, "protocol": "openai",
                                                    "model": "model-b"})
        assert made.status in (200, 201), made
        write(box, "please deploy")
        got = ended(box, 1)[0]
        assert got["status"] == "completed" and got["agent"]["agent_id"] == "other", got
        assert got["agent"]["session_label"] == "deployments", got
        assert got["triggers"]["routing_override"] == {
            "agent_id": "other", "session_label": "deployments"}, got
        assert got["triggers"]["handled"] is False and got["triggers"]["automations_fired"] == 1
        assert up.of("/v1/chat/completions")[0].json()["model"] == "model-b"
        write(box, "slow deploy")
        eventually(lambda: len(up.of("/v1/chat/completions")) == 2)
        write(box, "/stop")
        eventually(lambda: "Stopped." in said(box))
        ended(box, 3)


@test("streaming is off for a reply where an automation says so")
def _():
    blocks = "mode: blocks, coalescing: {idle_ms: 100}"
    with Upstream() as up, settings(up, OWNER + QUICK + AUTOMATIONS, streaming=blocks) as box:
        connected(box)
        up.gate.set()
        write(box, "good day", peer="calm")
        got = ended(box, 1)[0]
        assert said(box) == [TEXT] and got["delivery_result"]["streamed"] is False, got
        assert got["triggers"]["disable_streaming"] is True, got
        write(box, "good day")
        assert ended(box, 2)[1]["delivery_result"]["streamed"] is True


@test("an answer is sent once, whenever the box is killed")
def _():
    with Upstream() as up, settings(up, OWNER + QUICK + AUTOMATIONS) as box:
        connected(box)
        for i in range(4):
            write(box, "hours?", id=str(i))
            if i % 2:
                eventually(lambda: len(box.history("&type=nex.received")) == i + 1)
            kill_again(box)
        ended(box, 4)
        assert said(box) == ["Nine *to* five."] * 4, said(box)


@test("check names what is wrong with a condition, and where")
def _():
    path = temp_dir() / "c.yaml"
    for when, words in (
            ("{signal.text: {equal: a}}", "c.yaml:3:9: when: /signal.text/equal: no such operator"),
            ("{signal.text: {matches: '('}}",
             "c.yaml:3:9: when: /signal.text/matches: that is no regular expression"),
            ("[{}, {text: a}]", "c.yaml:3:9: when: /1/text: operators are wanted"),
            ("{signal.txt: {equals: a}}", "c.yaml:3:9: when: /signal.txt: a message has no such"),
            ("[{files.0.kind: {equals: a}}, {Text: {equals: a}}]", "when: /Text: a message has no"),
            ("yes", "c.yaml:3:9: when: a condition is wanted")):
        path.write_text(f"automations:\n- answer: a\n  when: {when}\n")
        got = cli("check", "--config", path)
        assert got.code != 0 and words in got.err + got.out, (when, got)
    path.write_text("automations:\n- when: {signal.text: {equals: a}}\n  answer: b\n")
    got = cli("check", "--config", path)
    assert got.code == 0, got


run()
