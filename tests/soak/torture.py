#!/usr/bin/env python3
# soak: 0.15
"""Memory and system calls that fail, one at a time, under all unit tests: for $SOAK_SECONDS
(600), after a look at how many there are.  tools/torture is what does it."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lib import ROOT, SIGNALBOX, comment, run, test

SECONDS = float(os.environ.get("SOAK_SECONDS", 600))


@test("nothing that fails makes a unit test crash, hang or end without a word")
def _():
    done = subprocess.run(
        [ROOT / "tools" / "torture", "--seconds", str(SECONDS), Path(SIGNALBOX).parent],
        capture_output=True, text=True, check=False)
    comment(done.stdout[-8000:] + done.stderr)
    assert done.returncode == 0


run()
