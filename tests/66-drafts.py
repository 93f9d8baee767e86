#!/usr/bin/env python3
"""Messages that are edited: a reply that grows in one message, and one that says what is done."""

import time

from chats import (BEGUN, OWNER, RESTARTED, asked, connected, ends, finished, lines, requests,
                   says, screen, settings)
from lib import PATIENCE_S, SLOW, eventually, run, test
from servers import Upstream

DRAFTS = "mode: draft_edit"


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def edits(box):
    return [line for line in lines(box) if "edit" in line]


@test("a reply grows in one message, and its end is the last edit of it")
def _():
    with Upstream() as up, settings(up, OWNER, streaming=DRAFTS) as box:
        connected(box)
        id = asked(box, up, id="m1")
        says(box, id, " is what it begins with,")
        eventually(lambda: screen(box) == ["Hello is what it begins with,"])
        says(box, id, " and it goes on")
        eventually(lambda: screen(box) == ["Hello is what it begins with, and it goes on"])
        says(box, id, " to its end.")
        ends(box, id)
        got = finished(box, id)
        assert screen(box) == ["Hello is what it begins with, and it goes on to its end."]
        assert got["status"] == "completed" and got["delivery_result"]["streamed"] is True, got
        first = [line for line in lines(box) if "id" in line]
        assert len(first) == 1 and first[0]["replyTo"] == "m1", lines(box)
        texts = [line["text"] for line in lines(box) if "text" in line]
        assert len(texts) == len(set(texts)), texts  # nothing was written twice
        kinds = [s["type"] for s in box.history("&type=delivery.*")]
        assert kinds == ["delivery.prepared", "delivery.started", "delivery.accepted",
                         "delivery.finished", "delivery.delivered"], kinds
        assert got["delivery_result"]["message_ids"] == [first[0]["id"]], got


@test("a short reply is sent once, and NO_REPLY is not sent at all")
def _():
    with Upstream() as up, settings(up, OWNER, streaming=DRAFTS) as box:
        connected(box)
        id = asked(box, up)
        ends(box, id)
        finished(box, id)
        assert screen(box) == [BEGUN] and not edits(box), lines(box)
        id = asked(box, up, peer="silent")
        says(box, id, " is a text that is long enough")
        eventually(lambda: screen(box, "silent"))
        says(box, id, "\n\nNO_REPLY")
        ends(box, id)
        finished(box, id)
        eventually(lambda: screen(box, "silent") == [])
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered", "withdrawn"])


@test("a long reply goes on in another message")
def _():
    with Upstream() as up, settings(up, OWNER, streaming=DRAFTS) as box:
        connected(box)
        id = asked(box, up)
        text = " ".join(f"This is sentence number {i} of a long text." for i in range(4000))
        for at in range(0, len(text), 30000):
            says(box, id, text[at:at + 30000])
            time.sleep(0.1)
        eventually(lambda: len(screen(box)) == 2)
        ends(box, id)
        finished(box, id)
        whole = "".join(screen(box))
        assert "".join(whole.split()) == BEGUN + "".join(text.split())
        assert all(len(x) <= 100000 for x in screen(box))


@test("an agent that fails in the middle: its text stays, and words follow it")
def _():
    with Upstream() as up, settings(up, OWNER, streaming=DRAFTS) as box:
        connected(box)
        id = asked(box, up)
        says(box, id, " and then something goes")
        eventually(lambda: screen(box))
        ends(box, id, success=False)
        assert finished(box, id)["status"] == "failed"
        eventually(lambda: screen(box) == ["Hello and then something goes",
                                           "Sorry, I encountered an error."])


@test("a draft of a run that a crash ended becomes the notice")
def _():
    with Upstream() as up, settings(up, OWNER, streaming=DRAFTS) as box:
        connected(box)
        id = asked(box, up)
        says(box, id, " and then the box is killed")
        eventually(lambda: screen(box))
        eventually(lambda: [x["state"] for x in letters(box)] == ["accepted"])
        box.kill9()
        box.start()
        eventually(lambda: screen(box) == [RESTARTED])
        eventually(lambda: len(requests(box)) == 1)
        assert [x["state"] for x in letters(box)] == ["delivered"]


@test("with on_restart: again the draft goes, and the answer comes")
def _():
    with Upstream() as up, settings(up, OWNER, "    on_restart: again\n", DRAFTS) as box:
        connected(box)
        id = asked(box, up, "gated please")
        says(box, id, " and then the box is killed")
        eventually(lambda: screen(box))
        box.kill9()
        up.gate.set()
        box.start()
        eventually(lambda: requests(box), within=2 * PATIENCE_S)
        eventually(lambda: screen(box) == ['Hello, w\u00f6rld "ok"'])


@test("whenever it is killed, one message is left of each, and it is whole")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 0}\n",
                                    streaming=DRAFTS) as box:
        connected(box)
        rounds = 20 if SLOW == 1 else 8
        for i in range(rounds):
            id = asked(box, up, peer=f"p{i}", id=f"m{i}")
            says(box, id, " is a text that is long enough")
            time.sleep(0.01 * (i % 10))
            if i % 2:
                says(box, id, " and ends.")
                ends(box, id)
                time.sleep(0.004 * i)
            box.kill9()
            box.start()
            connected(box)
        eventually(lambda: len(requests(box)) == rounds, within=2 * PATIENCE_S)
        eventually(lambda: all(x["state"] in ("delivered", "withdrawn", "failed")
                               for x in letters(box)))
        for i in range(rounds):
            shown = screen(box, f"p{i}")
            good = [[RESTARTED], ["Hello is a text that is long enough and ends."]]
            assert shown in good, (i, shown)


@test("progress is one message that says what is done, and goes when the answer is there")
def _():
    with Upstream() as up, settings(up, OWNER, streaming="mode: progress") as box:
        connected(box)
        id = asked(box, up)

        def signal(type, **payload):
            box.emit(type, source="model", correlationId=id,
                     payload={"agentId": "model", **payload})

        signal("tool_call", toolName="Bash", callId="c1", input={"command": "ls"})
        signal("agent.plan", whole=True, items=[
            {"id": "1", "text": "look around", "status": "completed"},
            {"id": "2", "text": "do it", "status": "in_progress"}])
        want = "model works, 1 of 2 steps are done\ntool: Bash\n\u2713 look around\n\u25b6 do it"
        eventually(lambda: screen(box) == [want])
        signal("tool_result", toolName="Bash", callId="c1", success=True, output="x")
        signal("agent.plan", items=[{"id": "2", "status": "completed"}])
        want = "model works, 2 of 2 steps are done\n\u2713 look around\n\u2713 do it"
        eventually(lambda: screen(box) == [want])
        ends(box, id)
        finished(box, id)
        eventually(lambda: screen(box) == [BEGUN])
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered", "withdrawn"])


@test("a plain answer has no progress, and a status of the last life is removed")
def _():
    with Upstream() as up, settings(up, OWNER, streaming="mode: progress") as box:
        connected(box)
        id = asked(box, up)
        time.sleep(1.8)
        assert screen(box) == []
        box.emit("tool_call", source="model", correlationId=id,
                 payload={"agentId": "model", "toolName": "Bash", "callId": "c1"})
        eventually(lambda: screen(box) == ["model works\ntool: Bash"])
        box.kill9()
        box.start()
        eventually(lambda: screen(box) == [RESTARTED])


run()
