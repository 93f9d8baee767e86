#!/usr/bin/env python3
"""A tail on a box where nothing happens: it stays, and has nothing to say."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lib import Box, Process, run, test  # noqa: E402

SILENCE_S = 75  # more than twice what a dead line is given


@test("the heartbeat of an idle box is enough for tail")
def _():
    with Box() as box, Process("tail", "--data", box.data, "--type", "late") as tail:
        time.sleep(SILENCE_S)
        assert tail.err() == "", tail.err()
        box.emit("late")
        assert "late" in tail.line()
        assert tail.err() == "", tail.err()


run()
