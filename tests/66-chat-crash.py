#!/usr/bin/env python3
"""Chats: the box ends in each moment of a message's life that the disk can tell from another."""

import json

from chats import OWNER, RESTARTED, TEXT, connected, lines, requests, settings, write
from faults import POWER_LOST, FaultyBox
from lib import PATIENCE_S, SLOW, Closed, eventually, run, test
from servers import Upstream

# What a life leaves on the disk.  The message is in the stage receive while nothing is there,
# from identity to run agent with the first and the second, then in deliver, and in finalize before the last.
LIFE = ("nex.received", "nex.asking", "delivery.prepared", "delivery.started", "delivery.accepted",
        "delivery.delivered", "nex.request")


def left_behind(box, id):
    """What the disk of a box that does not run knows of a message."""
    found, request = set(), None
    for path in sorted((box.data / "journal").glob("*.ndjson")):
        for line in path.read_bytes().rstrip(b"\n").split(b"\n"):  # what is not used is newlines
            try:
                signal = json.loads(line)
            except ValueError:
                continue  # a batch that was not written to its end
            payload = signal.get("payload", {})
            if signal.get("type") == "nex.received" and payload["message"] == id:
                request = payload["request"]
            if request and payload.get("request", payload.get("request_id")) == request:
                found.add(signal["type"])
    return found


def live(box, id, number, loss):
    """A message whose box ends in the N-th call that changes the disk; false: it was answered."""
    box.arm(CRASH=f"any:{number}", LOSS=loss, SEED=number)
    box.start()
    connected(box)
    box.fail()
    write(box, "good day", id=id, peer=id)
    eventually(lambda: box.process.poll() is not None or has_ended(box, id))
    if box.process.poll() is None:
        box.stop()
        return False
    assert box.wait() == POWER_LOST
    return True


def has_ended(box, id):
    try:
        return any(r["delivery"]["peer_id"] == id for r in requests(box))
    except (OSError, Closed):  # it ends now
        return False


def answers(box, id):
    return [line["text"] for line in lines(box) if line.get("peer") == id and "text" in line]


def walk(loss):
    """Through all of a life, one call further each time; what was on the disk at each end."""
    ends = []
    with Upstream() as up:
        box = settings(up, OWNER + "deliver: {gather: 0}\n", kind=FaultyBox)
        for number in range(1, 200, 1 if SLOW == 1 else 4):
            id, before = f"{loss}-{number}", len(up.of("/v1/chat/completions"))
            if not live(box, id, number, loss):
                break
            ends.append(left_behind(box, id))
            box.disarm()
            with box:
                eventually(lambda: has_ended(box, id), within=2 * PATIENCE_S)
            got = answers(box, id)
            assert got in ([TEXT], [RESTARTED]), (number, ends[-1], got)
            times = len(up.of("/v1/chat/completions")) - before
            assert times <= 1, (number, ends[-1], times)  # its agent is not asked twice
    return ends


def held(ends):
    """No moment is without what has to be on the disk before it; what one write may bring to the
    disk together is not told apart, but the model's answer and the platform's are waited for."""
    for kinds in (LIFE[:0], LIFE[:1], LIFE[:2], LIFE[:4]):
        assert set(kinds) in ends, (kinds, ends)
    for found in ends:
        assert found == set(LIFE[:len(found)]), found


@test("whenever it is killed, a message is answered once")
def _():
    ends = walk("none")
    if SLOW == 1:
        held(ends)


@test("whenever the power goes, a message is answered once")
def _():
    walk("all")


def wonder(box, number):
    """A question of an agent whose box ends in the N-th such call; false: it was asked."""
    box.arm(CRASH=f"any:{number}", LOSS="none", SEED=number)
    box.start()
    connected(box)
    box.fail()
    try:
        box.emit("prompt", source="me", correlationId="r", payload={
            "type": "select", "prompt": f"number {number}.", "options": ["Yes", "No"]})
        eventually(lambda: box.process.poll() is not None
                   or (asked(box, number) and is_settled(box)))
    except (OSError, Closed):  # it ends now
        pass
    else:
        if box.process.poll() is None:
            box.stop()
            return False
    assert box.wait() == POWER_LOST
    return True


def is_settled(box):
    all = box.request("GET", "/api/deliveries").json()["deliveries"]
    return all and {d["state"] for d in all} == {"delivered"}


def asked(box, number):
    return [line["text"] for line in lines(box)
            if "id" in line and f"number {number}." in line.get("text", "")]


@test("whenever it is killed, a question of an agent is asked once")
def _():
    with Upstream() as up:
        box = settings(up, OWNER + "prompts: {to: ['desk:ops']}\n", kind=FaultyBox)
        for number in range(1, 100, 1 if SLOW == 1 else 4):
            if not wonder(box, number):
                break
            box.disarm()
            with box:
                known = [p["prompt"] for p in box.request("GET", "/api/prompts").json()["prompts"]]
                want = 1 if f"number {number}." in known else 0
                eventually(lambda: len(asked(box, number)) == want)
        box.disarm()
        with connected(box.start()):
            assert all(len(asked(box, n)) <= 1 for n in range(1, number)), lines(box)
            assert any(asked(box, n) for n in range(1, number)), lines(box)


run()
