#!/usr/bin/env python3
# long
"""SIGKILL at random moments: whatever was acknowledged is there, once, in order,
at the seq that was told; retries make no duplicate; a client that had seen more
than the disk is told so."""

import random
import signal
import threading
import time

import crash
from lib import SLOW, Box, eventually, run, test

ROUNDS = 50 if SLOW == 1 else 15


@test(f"{ROUNDS} times killed while it writes, it loses nothing it acknowledged")
def _():
    rng = random.Random(20)
    ledger, watcher = crash.Ledger(), crash.Watcher()
    writers = [crash.Writer("a", ledger), crash.Writer("b", ledger, 200)]
    poster = crash.Poster("c", ledger)
    box = Box()
    for number in range(ROUNDS):
        box.start()
        threads = crash.together([*writers, poster, watcher], box)
        # Every other time it has acknowledged something before, on the slowest disk too.
        if number % 2:
            ledger.wait_for(41)
        time.sleep(rng.uniform(0.01, 0.15) * SLOW)
        box.kill9()
        for thread in threads:
            thread.join()
        assert watcher.wrong is None, watcher.wrong
    box.start()
    stop = threading.Event()
    threads = crash.together([*writers, poster], box, stop)
    time.sleep(0.2)
    stop.set()
    for thread in threads:
        thread.join()
    history = crash.check(box, ledger, writers)
    assert len(ledger.acked) > 20 * ROUNDS, f"only {len(ledger.acked)} acknowledgements"
    watcher.round(box, until=lambda: len(history))
    assert watcher.wrong is None, watcher.wrong
    assert watcher.seen == {s["seq"]: s["id"] for s in history}
    box.stop()


@test("told to end and to reload again and again, from its start to its end, it ends cleanly")
def _():
    with Box() as box:
        box.emit("x")
    for _ in range(10):
        box.spawn()
        eventually((box.data / "listen").exists, every=0.001)
        while box.alive():
            box.process.send_signal(signal.SIGHUP)
            box.process.send_signal(signal.SIGTERM)
            time.sleep(0.001)
        assert box.wait() == 0, box.log()
        assert (box.data / "journal" / "clean").exists(), box.log()
    with box:
        assert box.emit("x")["seq"] == 2, box.log()


@test("a second serve on the same data says who holds it, and exits 1")
def _():
    with Box() as box:
        second = Box(data=box.data)
        second.log_path = box.data.with_name("second.log")
        second.spawn()
        assert second.wait() == 1
        assert str(box.pid) in second.log() and str(box.data) in second.log(), second.log()
        box.emit("x")


run()
