#!/usr/bin/env python3
"""A box that nobody uses sleeps."""

import re
import time
from pathlib import Path

from lib import WS, Box, run, test

SECONDS = 10
MOST = 15  # about one a second; a single poll of four a second would be 40


def wakeups(box):
    """How often its threads went to sleep by themselves so far."""
    found = 0
    for task in Path(f"/proc/{box.pid}/task").iterdir():
        status = (task / "status").read_text()
        found += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.M)[1])
    return found


def count_for_a_while(boxes):
    before = [wakeups(box) for box in boxes]
    time.sleep(SECONDS)
    return [wakeups(box) - was for box, was in zip(boxes, before)]


@test("an idle box wakes up about once a second, all threads together; with a client and after signals, too")
def _():
    with Box() as alone, Box() as watched, WS(watched) as ws:
        ws.subscribe()
        for n in range(20):
            watched.emit("text_delta", source="crew", correlationId="run-1",
                         payload={"agentId": "ada", "content": f"word {n} "})
        seen = []
        for _ in range(4):  # what was there to do may take a while to end
            seen.append(count_for_a_while((alone, watched)))
            if max(seen[-1]) <= MOST:
                return
        raise AssertionError(f"they woke up {seen} times in {SECONDS} s each")


run()
