"""A box whose disk fails and whose power goes, by the preloaded library of
tests/preload: the top of its faults.c says what FAULTS_* mean.

    box = FaultyBox({"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"})
    box.arm(FAIL="sync:%3:EIO")     # for the next start
    box.start()
    box.fail()                      # from now on the rules hold
    box.mend()                      # and now no longer
"""

import os
import shutil
import time
from pathlib import Path

from lib import PATIENCE_S, SIGNALBOX, Box, eventually

LIBRARY = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "libfaults.so"
POWER_LOST = 99  # how the library ends a process


class FaultyBox(Box):
    def __init__(self, env=None, **more):
        super().__init__(env={}, **more)
        assert LIBRARY.exists(), f"{LIBRARY} is not built: meson configure -Dtests=true"
        self.plain = dict(env or {})
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.failing = self.data.with_name("failing")
        self.trigger = self.data.with_name("trigger")
        self.limbo = self.data.with_name(self.data.name + ".limbo")
        self.disarm()

    def disarm(self):
        """The next start is one without the library."""
        self.env = dict(self.plain)
        self.mend()

    def arm(self, **faults):
        """FAIL, SLOW, STALL, CRASH, LOSS and SEED for the next start."""
        self.mend()
        address, thread = (os.environ.get(f"{name}_OPTIONS", "") for name in ("ASAN", "TSAN"))
        self.env = {
            **self.plain,
            **{f"FAULTS_{name}": str(value) for name, value in faults.items()},
            "FAULTS_DIR": str(self.data),
            "FAULTS_WHILE": str(self.failing),
            "LD_PRELOAD": str(LIBRARY),
            # We come before its runtime, and end the process as no program would.
            "ASAN_OPTIONS": f"{address}:verify_asan_link_order=0",
            "TSAN_OPTIONS": f"{thread}:report_thread_leaks=0",
        }

    def arm_loss(self, **faults):
        """The power goes at FAULTS_CRASH, or when lose_power() says so."""
        self.arm(TRIGGER=self.trigger, **faults)

    def fail(self):
        self.failing.touch()

    def mend(self):
        self.failing.unlink(missing_ok=True)

    def lose_power(self, stopping=False):
        """Now, unless it went before.  One that is stopping may be done first."""
        if stopping:
            self.process.terminate()
            time.sleep(0.002)
        self.trigger.touch()
        code = self.wait()
        good = code == POWER_LOST or (stopping and code == 0)
        assert good, f"ended with {code}:\n{self.log()[-4000:]}"
        self.trigger.unlink()
        shutil.rmtree(self.limbo, ignore_errors=True)

    def started(self):
        """Starts it; false when it ended before it was ready."""
        self.spawn()
        eventually(lambda: self.process.poll() is not None or self._answers(), PATIENCE_S, 0.005)
        return self.process.poll() is None
