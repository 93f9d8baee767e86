#!/usr/bin/env python3
# long
"""The power goes at random moments, and what was not synced is thrown away or
garbled: whatever was acknowledged is there, once, in order, at the seq that was
told; retries make no duplicate; whoever had seen more than the disk is told."""

import random
import threading
import time

import crash
from faults import FaultyBox
from lib import SLOW, WS, cli, comment, run, test

ROUNDS = 50 if SLOW == 1 else 12
# Small ones, so that the power also goes while a segment or checkpoint is made.
SMALL_SEGMENTS = {"SIGNALBOX_JOURNAL_SEGMENT": "128KiB"}


def arm(box, rng, number):
    """Every third round the power goes in a call that is drawn by lot, perhaps while
    the server starts; in the others at any moment.  Every fourth, syncs fail too, and
    every fifth they are slow, so that whoever listens is ahead of the disk."""
    faults = {"LOSS": rng.choice(["all", "garble", "mixed"]), "SEED": rng.randrange(1 << 30)}
    if number % 3 == 0:
        faults["CRASH"] = f"{rng.choice(['any', 'sync', 'write'])}:{rng.randrange(1, 200)}"
    if number % 4 == 0:
        faults["FAIL"] = f"sync:%{rng.randrange(6, 30)}:EIO"
    if number % 5 == 2:
        faults["SLOW"] = 30
    box.arm_loss(**faults)
    if number % 3 == 0:
        box.fail()


def live_and_lose_power(box, parts, seconds, stopping):
    """One life of the server."""
    threads = []
    if box.started():
        box.fail()
        threads = crash.together(parts, box)
        time.sleep(seconds)
    box.lose_power(stopping)
    for thread in threads:
        thread.join()


def write_a_while(box, parts):
    """Until everything that was ever sent is acknowledged."""
    stop = threading.Event()
    threads = crash.together(parts, box, stop)
    time.sleep(0.2)
    stop.set()
    for thread in threads:
        thread.join()


@test(f"{ROUNDS} times without power while it writes, it loses nothing it acknowledged")
def _():
    rng = random.Random(51)
    ledger, watcher = crash.Ledger(), crash.Watcher()
    writers = [crash.Writer("a", ledger), crash.Writer("b", ledger, 200)]
    poster = crash.Poster("c", ledger)
    box = FaultyBox(SMALL_SEGMENTS)
    for number in range(ROUNDS):
        arm(box, rng, number)
        parts = [*writers, poster, watcher]
        live_and_lose_power(box, parts, rng.uniform(0.02, 0.15) * SLOW, number % 5 == 4)
        assert watcher.wrong is None, watcher.wrong
    box.disarm()
    box.start()
    write_a_while(box, [*writers, poster])
    history = crash.check(box, ledger, writers, torn=True)
    assert len(ledger.acked) > 10 * ROUNDS, f"only {len(ledger.acked)} acknowledgements"
    watcher.round(box, until=lambda: len(history))
    assert watcher.wrong is None, watcher.wrong
    assert watcher.seen == {s["seq"]: s["id"] for s in history}
    assert watcher.losses >= 1, "nobody was ever ahead of the disk"
    comment(f"{len(ledger.acked)} acknowledged, {watcher.losses} losses told")
    verified = cli("journal", "verify", "--data", box.data)
    assert verified.code == 0, verified
    assert box.stop() == 0
    drafts = [p.name for p in (box.data / "journal").iterdir() if "new" in p.name]
    assert not drafts, f"left behind: {drafts}"


@test("who saw signals that the disk never got is told, and goes on at the fork")
def _():
    box = FaultyBox({"SIGNALBOX_JOURNAL_COMMIT": "1s"})
    box.arm_loss()
    box.start()
    box.emit("kept", id="kept")
    with WS(box) as ws:
        epoch = ws.json()["epoch"]
        ws.send({"op": "subscribe", "after": 0})
        for n in range(3):
            ws.send({"type": "early", "id": f"early-{n}"})
        assert [ws.json()["seq"] for _ in range(4)] == [1, 2, 3, 4]
        box.lose_power()
    box.start()
    with WS(box) as ws:
        hello = ws.json()
        assert hello["epoch"] != epoch and hello["seq"] == 1, hello
        ws.send({"op": "subscribe", "after": f"{epoch}-4"})
        assert ws.json() == {"op": "gap", "from": 2, "to": 4, "why": "lost"}
        assert box.emit("late", id="late")["seq"] == 2
        assert ws.json()["id"] == "late"
        ws.send({"op": "subscribe", "after": f"{epoch}-1"})
        assert ws.json()["id"] == "late", "the fork itself is no loss"
    assert [s["id"] for s in box.history()] == ["kept", "late"]


@test("a retry of what the power took with it is stored as if it came first")
def _():
    box = FaultyBox({"SIGNALBOX_JOURNAL_COMMIT": "1s"})
    box.arm_loss()
    box.start()
    with WS(box) as ws:
        ws.json()
        ws.send({"op": "emit", "ref": 1, "ack": "memory", "signal": {"type": "x", "id": "i"}})
        assert ws.json() == {"op": "ack", "ref": 1, "seq": 1}
    box.lose_power()
    box.start()
    assert box.history() == []
    assert box.emit("first")["seq"] == 1
    with WS(box) as ws:
        ws.json()
        for ref in (1, 2):
            ws.send({"op": "emit", "ref": ref, "signal": {"type": "x", "id": "i"}})
            assert ws.json() == {"op": "ack", "ref": ref, "seq": 2}


run()
