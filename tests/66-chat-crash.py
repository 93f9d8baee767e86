#!/usr/bin/env python3
"""Chats: the box ends in each moment of a message's life that the disk can tell from another."""

import json

from chats import OWNER, RESTARTED, TEXT, connected, lines, requests, settings, write
from faults import POWER_LOST, FaultyBox
from lib import PATIENCE_S, SLOW, Closed, eventually, run, test
from servers import Upstream

# What a life leaves on the disk.  The message is in the stage receive while nothing is there,
# from identity to run agent with the first, then in deliver, and in finalize before the last.
LIFE = ("nex.received", "delivery.prepared", "delivery.started", "delivery.accepted",
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
            id = f"{loss}-{number}"
            if not live(box, id, number, loss):
                break
            ends.append(left_behind(box, id))
            box.disarm()
            with box:
                eventually(lambda: has_ended(box, id), within=2 * PATIENCE_S)
            got = answers(box, id)
            assert got in ([TEXT], [RESTARTED]), (number, ends[-1], got)
    return ends


def held(ends):
    """No moment is without what has to be on the disk before it; what one write may bring to the
    disk together is not told apart, but the model's answer and the platform's are waited for."""
    for kinds in (LIFE[:0], LIFE[:1], LIFE[:3]):
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


run()
