#!/usr/bin/env python3
"""Chats in which much waits: one who floods keeps nobody out, /stop ends what waits, and what waits
for a chat that the configuration has no more ends with words."""

import json
import signal

from chats import (COLLECT, OWNER, TEXT, connected, kill_again, lines, look, post, requests, said,
                   settings, write)
from lib import PATIENCE_S, eventually, run, test
from servers import Upstream

AT_ONCE = OWNER + "deliver: {gather: 0}\n"
MOST = 100  # of one person
LETS_IN = AT_ONCE + "access: [{who: any, decision: allow}]\n"


def received(box, count):
    eventually(lambda: len(box.history("&type=nex.received")) == count, within=2 * PATIENCE_S)


def asked(up):
    return [r.json()["messages"][-1]["content"] for r in up.of("/v1/chat/completions")]


def ended(box, count):
    return eventually(lambda: len(requests(box)) == count and requests(box), within=2 * PATIENCE_S)


# --- floods ---------------------------------------------------------------------------


@test("one who floods is told once, keeps nobody out, and can stop it all")
def _():
    with Upstream() as up, settings(up, LETS_IN) as box:
        connected(box)
        write(box, "gated please", sender="ada", peer="room", kind="group")
        eventually(lambda: len(asked(up)) == 1)
        with open(box.inbox, "a") as out:
            for number in range(MOST + 9):
                out.write(json.dumps({"from": "ada", "peer": "room", "kind": "group",
                                      "text": f"flood {number}"}) + "\n")
        write(box, "good day", sender="eve", peer="eve")
        write(box, "good evening", sender="bob", peer="bob")
        received(box, MOST + 12)
        eventually(lambda: len([x for x in lines(box) if x.get("text") == TEXT]) == 2)
        told = lambda: [t for t in said(box) if "Too many messages" in t]
        eventually(told)
        denied = [r for r in ended(box, 12) if r["status"] == "denied"]
        assert len(denied) == 10, denied
        assert {r["pipeline"][2]["exit_reason"] for r in denied} == {
            "too many messages of theirs wait"}, denied
        write(box, "flood again", sender="ada", peer="room", kind="group")
        ended(box, 13)
        assert len(told()) == 1, said(box)
        write(box, "/stop", sender="ada", peer="room", kind="group")
        words = f"Stopped. {MOST - 1} messages that waited are cancelled."
        eventually(lambda: words in said(box))
        write(box, "good night", sender="ada", peer="room", kind="group")
        ended(box, MOST + 15)
        eventually(lambda: said(box).count(TEXT) == 3)
        assert len(asked(up)) == 4, asked(up)


@test("a stranger who writes without end is told once, and can stop it")
def _():
    with Upstream() as up, settings(up, LETS_IN) as box:
        connected(box)
        for number in range(55):
            write(box, f"flood {number}", sender="eve", peer="eve")
        ended(box, 55)
        told = lambda: [t for t in said(box) if "too many answers in a row" in t]
        assert said(box).count(TEXT) == 50 and len(told()) == 1, said(box)
        write(box, "/stop", sender="eve", peer="eve")
        eventually(lambda: len(said(box)) == 52)
        assert len(asked(up)) == 50, asked(up)


# --- /stop -----------------------------------------------------------------------------


@test("/stop ends what runs and what its writer has waiting there, and nobody else's")
def _():
    for more in (AT_ONCE, COLLECT):
        with Upstream() as up, settings(up, more.replace("'file:ada'", "'file:ada', 'file:bob'")) as box:
            connected(box)
            write(box, "gated one", peer="room", kind="group")
            eventually(lambda: len(asked(up)) == 1)
            for sender, text in (("ada", "two"), ("ada", "three"), ("bob", "four")):
                write(box, text, sender=sender, peer="room", kind="group")
            write(box, "elsewhere")
            received(box, 5)
            eventually(lambda: len(asked(up)) == 2)
            write(box, "/stop", peer="room", kind="group")
            eventually(lambda: "Stopped. 2 messages that waited are cancelled." in said(box))
            up.gate.set()
            ended(box, 6)
            assert asked(up) == ["gated one", "elsewhere", "four"], asked(up)
            cancelled = [r for r in requests(box) if r.get("response", {}).get("error")
                         == "it was cancelled"]
            assert [r["event"]["content"] for r in cancelled] == ["two", "three"], cancelled
            assert {(r["status"], r["response"]["stop_reason"]) for r in cancelled} == {
                ("failed", "aborted")}
            kinds = [s["payload"].get("handled_by") or s["payload"].get("triggers", {}).get("handled_by")
                     for s in box.history("&type=nex.request")]
            assert kinds.index("/stop") > 2, "it was told before the disk had it"
            kill_again(box)
            connected(box)
            assert len(asked(up)) == 3 and len(said(box)) == 3, said(box)


@test("/stop ends a question that is still being written")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 10s}\n") as box:
        connected(box)
        write(box, "one")
        write(box, "two")
        received(box, 2)
        write(box, "/stop")
        eventually(lambda: said(box) == ["A message that waited is cancelled."])
        assert [r["event"]["content"] for r in ended(box, 2)] == ["one\ntwo", "/stop"]
        write(box, "/stop")
        eventually(lambda: said(box)[1:] == ["Nothing was stopped: nothing runs."])
        assert not asked(up)


# --- chats that are gone ------------------------------------------------------------------


def drop_desk(box):
    """The configuration has that chat no more."""
    path = box.inbox.parent / "signalbox.yaml"
    text = path.read_text()
    begin, end = text.index("  desk:\n"), text.index("people:")
    path.write_text(text[:begin] + "  other: {channel: file, agent: model, inbox: other-in, "
                    "outbox: other-out}\n" + text[end:])


GONE = "the configuration has its chat no more"


def all_end(box, count):
    """The requests, all with words, and no letter waits."""
    eventually(lambda: all(x["state"] in ("delivered", "failed")
                           for x in box.request("GET", "/api/deliveries").json()["deliveries"]))
    got = ended(box, count)
    assert all(r["status"] == "failed" for r in got), got
    return got


@test("what waits for a chat ends with words when a reload takes it away")
def _():
    with Upstream() as up, settings(up, AT_ONCE) as box:
        connected(box)
        write(box, "gated one")
        eventually(lambda: len(asked(up)) == 1)
        write(box, "two")
        received(box, 2)
        drop_desk(box)
        box.process.send_signal(signal.SIGHUP)
        two = ended(box, 1)[0]
        assert (two["event"]["content"], two["response"]["error"]) == ("two", GONE), two
        up.gate.set()
        one = all_end(box, 2)[1]
        assert one["delivery_result"]["error"] == GONE and not said(box), one
        id = post(box, "good day", channel="other", peer="ada", agent="model")
        eventually(lambda: look(box, id)["status"] == "completed")


@test("what the last life left for a chat that is gone ends with words")
def _():
    with Upstream() as up, settings(up, AT_ONCE) as box:
        connected(box)
        box.stop()
        (box.data / "out.ndjson").unlink(missing_ok=True)
        (box.data / "out.ndjson").mkdir()  # nothing can leave
        box.start()
        connected(box)
        id = post(box, "/help", channel="desk", peer="ada", agent="model")
        post(box, "gated one", channel="desk", peer="ada", agent="model")
        post(box, "two", channel="desk", peer="ada", agent="model")
        eventually(lambda: len(asked(up)) == 1)
        received(box, 3)
        box.kill9()
        drop_desk(box)
        box.start()
        got = {r["event"]["content"]: r for r in all_end(box, 3)}
        assert got["two"]["response"]["error"] == GONE, got["two"]
        assert got["gated one"]["response"]["error"] == GONE, got["gated one"]
        assert got["/help"]["request_id"] == id and got["/help"]["delivery_result"]["error"] == GONE
        kill_again(box)
        assert len(requests(box)) == 3


run()
