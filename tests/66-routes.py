#!/usr/bin/env python3
"""Chats: what runs say last is sent to the chats of `routes`, also where nobody asked, once."""

import json

from chats import OWNER, TEXT, connected, kill_again, lines, requests, settings, write
from faults import POWER_LOST, FaultyBox
from lib import PATIENCE_S, SLOW, Closed, cli, eventually, run, temp_dir, test
from servers import Upstream

QUICK = "deliver: {gather: 0}\n"
ALL = "routes: [{to: 'desk:ops'}]\n"


def works(box, name, text, source="bot", success=True, **more):
    """A run that nobody asked for: what it says, and its end."""
    if text:
        box.emit("text_delta", source=source, correlationId=name,
                 payload={"agentId": "bot", "content": text})
    box.emit("completion", source=source, correlationId=name,
             payload={"agentId": "bot", "taskId": name, "success": success, **more})


def told(box, peer="ops"):
    return [line["text"] for line in lines(box) if line.get("peer") == peer and "text" in line]


@test("the end of a run that nobody asked for is told in the chat of a route")
def _():
    with Upstream() as up, settings(up, OWNER + ALL) as box:
        connected(box)
        eventually(lambda: box.history("&type=nex.routed"))
        works(box, "job-1", "All is **well**.")
        eventually(lambda: told(box) == ["All is **well**."])
        works(box, "job-2", "", result="Only a result.")
        eventually(lambda: len(told(box)) == 2)
        works(box, "job-3", "NO_REPLY")
        works(box, "job-4", "")
        box.emit("error", source="bot", correlationId="job-5",
                 payload={"message": "no disk", "severity": "error", "agentId": "bot"})
        eventually(lambda: len(told(box)) == 3)
        assert told(box) == ["All is **well**.", "Only a result.", "It failed: no disk"], told(box)
        letters = box.request("GET", "/api/deliveries?run=job-1").json()["deliveries"]
        assert [(x["peer"], x["kind"], x["state"]) for x in letters] == [
            ("ops", "final", "delivered")], letters


@test("a run that began by itself, and says that all is well, tells nobody")
def _():
    with Upstream() as up, settings(up, ALL) as box:
        eventually(lambda: box.history("&type=nex.routed"))
        for name, text in (("beat-1", "HEARTBEAT_OK, nothing new"), ("beat-2", "HEARTBEAT_OK"),
                           ("beat-3", "HEARTBEAT_OK " + "the disk is full. " * 20)):
            box.emit("text_delta", source="bot", correlationId=name,
                     payload={"agentId": "bot", "content": text})
            box.emit("completion", source="bot", correlationId=name,
                     metadata={"_meta": {"heartbeat": True}},
                     payload={"agentId": "bot", "taskId": name, "success": True})
        works(box, "job", "HEARTBEAT_OK nothing new")
        eventually(lambda: len(told(box)) == 2)
        assert told(box) == [("the disk is full. " * 20).strip(), "nothing new"], told(box)


@test("each turn of a session is told by its last message, and subagents are not")
def _():
    with Upstream() as up, settings(up, ALL) as box:
        eventually(lambda: box.history("&type=nex.routed"))

        def hook(name, **more):
            body = {"hook_event_name": name, "session_id": "s1", "cwd": "/tmp", **more}
            answer = box.request("POST", "/api/hooks/claude-code", json.dumps(body),
                                 {"content-type": "application/json"})
            assert answer.status == 200, answer
        hook("UserPromptSubmit", prompt="go")
        hook("MessageDisplay", delta="I look.", message_id="m1", index=0, final=True)
        hook("PreToolUse", tool_name="Read", tool_input={"file_path": "a"}, tool_use_id="t1")
        hook("PostToolUse", tool_name="Read", tool_input={"file_path": "a"}, tool_response="b",
             tool_use_id="t1")
        hook("SubagentStart", agent_id="a1", agent_type="Explore")
        hook("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="Inside.")
        hook("MessageDisplay", delta="It is done.", message_id="m2", index=0, final=True)
        hook("Stop")
        eventually(lambda: told(box) == ["It is done."])
        hook("Stop")
        hook("UserPromptSubmit", prompt="again")
        hook("MessageDisplay", delta="Twice now.", message_id="m3", index=0, final=True)
        hook("Stop")
        eventually(lambda: told(box) == ["It is done.", "Twice now."])


@test("a condition chooses runs, and a thread can be named")
def _():
    some = ("routes:\n"
            "  - {when: {signal.source: {equals: bot}, signal.text: {contains: deploy}}, to: 'desk:ops'}\n"
            "  - {when: {success: {equals: false}}, to: 'desk:alarm', thread: t1}\n")
    with Upstream() as up, settings(up, some) as box:
        eventually(lambda: box.history("&type=nex.routed"))
        works(box, "a", "deploy it", source="other")
        works(box, "b", "nothing")
        works(box, "c", "deploy done")
        works(box, "d", "", success=False, result="broken")
        eventually(lambda: told(box, "alarm"))
        assert told(box) == ["deploy done"] and told(box, "alarm") == ["It failed: broken"], lines(box)
        assert [x["thread"] for x in lines(box) if x["peer"] == "alarm"] == ["t1"], lines(box)


@test("a condition may name the project that a run worked in")
def _():
    some = "routes: [{when: {project: {equals: shop}, cwd: {matches: '^/srv/'}}, to: 'desk:ops'}]\n"
    with Upstream() as up, settings(up, some) as box:
        eventually(lambda: box.history("&type=nex.routed"))
        for name, cwd in (("a", "/srv/other"), ("b", "/srv/shop"), ("c", "/home/shop")):
            box.emit("text_delta", source="bot", correlationId=name,
                     payload={"agentId": "bot", "content": f"in {cwd}"})
            box.emit("completion", source="bot", correlationId=name, metadata={"cwd": cwd},
                     payload={"agentId": "bot", "taskId": name, "success": True})
        eventually(lambda: told(box) == ["in /srv/shop"])


@test("the chat that asked has its reply, and gets no other")
def _():
    both = "routes: [{to: 'desk:ada'}, {to: 'desk:ops', when: {chat: {equals: 'desk:ada'}}}]\n"
    with Upstream() as up, settings(up, OWNER + QUICK + both) as box:
        connected(box)
        write(box, "good day")
        eventually(lambda: told(box) == [TEXT] and requests(box))
        works(box, "job", "for all")
        eventually(lambda: "for all" in told(box, "ada"))
        assert told(box, "ada") == [TEXT, "for all"] and told(box) == [TEXT], lines(box)


@test("runs of the time before there were routes are not told")
def _():
    with Upstream() as up, settings(up) as box:
        works(box, "before", "long ago")
        config = box.inbox.parent / "signalbox.yaml"
        config.write_text(config.read_text() + ALL)
        kill_again(box)
        eventually(lambda: box.history("&type=nex.routed"))
        works(box, "after", "just now")
        eventually(lambda: told(box))
        assert told(box) == ["just now"], told(box)


def on_disk(box, name):
    """Is the end of this run in the journal of a box that does not run?"""
    for path in sorted((box.data / "journal").glob("*.ndjson")):
        for line in path.read_bytes().split(b"\n"):
            try:
                signal = json.loads(line)
            except ValueError:
                continue
            if signal.get("type") == "completion" and signal.get("correlationId") == name:
                return True
    return False


def live(box, name, number, loss):
    """A run whose box ends in the N-th call that changes the disk; false: all of it was done."""
    box.arm(CRASH=f"any:{number}", LOSS=loss, SEED=number)
    box.start()
    eventually(lambda: box.history("&type=nex.routed"))
    marks = len(box.history("&type=nex.routed"))
    box.fail()

    def is_over():
        if box.process.poll() is not None:
            return True
        try:
            done = box.request("GET", f"/api/deliveries?run={name}").json()["deliveries"]
            return (done and done[0]["state"] == "delivered"
                    and len(box.history("&type=nex.routed")) > marks)
        except (OSError, Closed):  # it ends now
            return False
    try:
        works(box, name, f"this is {name}")
    except (OSError, Closed, AssertionError):
        pass
    eventually(lambda: is_over(), within=2 * PATIENCE_S)
    if box.process.poll() is None:
        box.stop()
        return False
    assert box.wait() == POWER_LOST
    return True


def walk(loss, step):
    with Upstream() as up:
        box = settings(up, ALL, kind=FaultyBox)
        found = set()
        for number in range(1, 100, step):
            name = f"{loss}-{number}"
            if not live(box, name, number, loss):
                break
            kept = on_disk(box, name)
            box.disarm()
            with box:
                works(box, f"fence-{name}", f"fence {name}")
                eventually(lambda: f"fence {name}" in told(box), within=2 * PATIENCE_S)
            found.add(kept)
            assert told(box).count(f"this is {name}") == kept, (number, kept, told(box))
        else:
            raise AssertionError("the box never came to the end")
        assert SLOW > 1 or found == {True, False}, found


@test("whenever it is killed, the end of a run that is on the disk is told once")
def _():
    walk("none", 1 if SLOW == 1 else 5)


@test("whenever the power goes, likewise")
def _():
    walk("all", 3 if SLOW == 1 else 7)


@test("a route to a chat that is not there is an error of the configuration")
def _():
    path = temp_dir() / "c.yaml"
    for route, words in (("{to: 'nobody:ada'}", "routes: 'nobody:ada': there is no adapter 'nobody'"),
                         ("{to: ada}", "c.yaml:1:15: to: 'ada' is not ADAPTER:PEER"),
                         ("{when: {}}", "'to' is missing")):
        path.write_text(f"routes: [{route}]\n")
        got = cli("check", "--config", path)
        assert got.code != 0 and words in got.err, (route, got)


run()
