#!/usr/bin/env python3
# soak: 0.15
"""Killed and without power again and again, for $SOAK_SECONDS (3600), with clients
that are slow in every way: nothing acknowledged is lost, and all are told."""

import os
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import crash
from faults import FaultyBox
from lib import SLOW, cli, comment, run, test

SECONDS = float(os.environ.get("SOAK_SECONDS", 3600))
CAMPAIGN_S = 60  # on one journal; then it is checked, and a fresh one begun
SEED = int(os.environ.get("SOAK_SEED", time.time()))
SEGMENTS = ("64KiB", "128KiB", "1MiB", "64MiB")


def end(box, rng):
    """Takes it away in one way or another."""
    how = rng.random()
    if how < 0.4:
        box.kill9()
    elif how < 0.9:
        box.lose_power(stopping=how < 0.5)
    else:
        box.stop()


def arm(box, rng):
    faults = {"LOSS": rng.choice(["all", "garble", "mixed"]), "SEED": rng.randrange(1 << 30)}
    if rng.random() < 0.3:
        faults["CRASH"] = f"{rng.choice(['any', 'sync', 'write'])}:{rng.randrange(1, 400)}"
    if rng.random() < 0.3:
        faults["FAIL"] = f"{rng.choice(['any', 'sync', 'write'])}:%{rng.randrange(6, 40)}:EIO"
    box.plain = {"SIGNALBOX_JOURNAL_SEGMENT": rng.choice(SEGMENTS)}
    box.arm_loss(**faults)


def life(box, rng, parts):
    arm(box, rng)
    if not box.started():
        box.lose_power()
        return
    box.fail()
    readers = [crash.SlowReader(rng.random()) for _ in range(rng.randrange(6))]
    threads = crash.together([*parts, *readers], box)
    time.sleep(rng.uniform(0.01, 0.5) * SLOW)
    if box.alive():
        end(box, rng)
    else:
        box.lose_power()
    for reader in readers:
        reader.over.set()
    for thread in threads:
        thread.join()
    for reader in readers:
        assert reader.wrong is None, reader.wrong


def settle(box, parts):
    """A life without faults, until everything is acknowledged."""
    stop = threading.Event()
    box.disarm()
    box.start(within=60 * SLOW)
    threads = crash.together(parts, box, stop)
    time.sleep(0.2)
    stop.set()
    for thread in threads:
        thread.join()


def campaign(seed, seconds):
    rng = random.Random(seed)
    ledger, watcher = crash.Ledger(), crash.Watcher()
    writers = [crash.Writer("a", ledger), crash.Writer("b", ledger, rng.randrange(1, 1000))]
    poster = crash.Poster("c", ledger)
    box = FaultyBox()
    until = time.monotonic() + seconds
    lives = 0
    while time.monotonic() < until:
        life(box, rng, [*writers, poster, watcher])
        assert watcher.wrong is None, watcher.wrong
        lives += 1
    settle(box, [*writers, poster])
    history = crash.check(box, ledger, writers, torn=True)
    watcher.round(box, until=lambda: len(history))
    assert watcher.wrong is None, watcher.wrong
    assert watcher.seen == {s["seq"]: s["id"] for s in history}
    assert box.stop() == 0
    verified = cli("journal", "verify", "--data", box.data, timeout=600)
    assert verified.code == 0, verified
    return lives, len(ledger.acked), watcher.losses


@test(f"for {SECONDS:g} s nothing that was acknowledged is lost")
def _():
    began = time.monotonic()
    totals = [0, 0, 0]
    number = 0
    while (left := SECONDS - (time.monotonic() - began)) > 0:
        seed = SEED + number
        number += 1
        try:
            one = campaign(seed, min(CAMPAIGN_S, left))
        except Exception:
            comment(f"the campaign with SOAK_SEED={seed}")
            raise
        totals = [a + b for a, b in zip(totals, one)]
    comment("%d lives, %d acknowledged, %d losses told" % tuple(totals))


run()
