#!/usr/bin/env python3
"""A day of the demo on a running box, a thousand times as quick, with a screen that follows
the stage: its memory stays what it was after the first half.

What the show itself keeps is looked at to the byte by src/play/day_test.c."""

import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lib import WS, Box, comment, run, test  # noqa: E402

SPEED = 1000
HOURS = 24
FIRST_HOURS = 12  # rings and windows are filled by then
MOST_KIB = 12 * 1024  # of growth: a segment ends meanwhile, and its checkpoint needs room


def resident_kib(box):
    """Its own memory; the pages of the journal's files are not."""
    with open(f"/proc/{box.pid}/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith("RssAnon")).split()[1])


def play(hours):
    time.sleep(hours * 3600 / SPEED)


class Screen(threading.Thread):
    """Follows the stage and counts."""

    def __init__(self, box):
        super().__init__(daemon=True)
        self.ws, self.version, self.commands, self.fault = WS(box, unix=True), 0, 0, None
        self.start()

    def run(self):
        try:
            assert self.ws.json()["op"] == "hello"
            self.ws.send({"op": "subscribe", "types": ["nothing"], "stage": True})
            while True:
                self.take(self.ws.json())
        except Exception as fault:  # the end of the box is one too
            self.fault = fault

    def take(self, message):
        if message["op"] != "stage":
            return
        follows = "snapshot" in message or message["version"] == self.version + 1
        assert follows, (self.version, message)
        self.version = message["version"]
        self.commands += "command" in message


@test("a day of the demo takes no more memory than half of it")
def _():
    with Box() as box:
        screen = Screen(box)
        answer = box.request("POST", "/api/sources", {
            "id": "day", "url": f"scenario:demo?speed={SPEED}"})
        assert answer.status in (200, 201), answer
        play(FIRST_HOURS)
        before = resident_kib(box)
        play(HOURS - FIRST_HOURS)
        after = resident_kib(box)
        show = box.request("GET", "/api/status").json()["show"]
        comment(f"{before} KiB, then {after} KiB; {show['signalsProcessed']} signals, "
                f"{screen.commands} commands")
        assert screen.fault is None, screen.fault
        assert screen.commands > 1000 * HOURS, screen.commands
        assert show["signalsProcessed"] > 1000 * HOURS, show
        assert after - before < MOST_KIB, (before, after)


run()
