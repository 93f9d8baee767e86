#!/usr/bin/env python3
# long
"""Memory and system calls that fail, one at a time: a sample of what tools/torture does to
the unit tests, and the whole program without memory."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from lib import PATIENCE_S, ROOT, SIGNALBOX, Skip, comment, environment, run, temp_dir, test

BUILD = Path(os.environ.get("TEST_BUILD") or ROOT / "build")
MEMORY = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "libmemory.so"
SEED = 1
SAMPLE_S = 10
STARTS = 14
OF_A_START = 12000  # about as many allocations make a box ready


def torture(*options):
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "torture", *options], capture_output=True, text=True,
        check=False, timeout=250)
    comment(done.stdout[-6000:] + done.stderr[-2000:])
    return done


@test("what fails makes no unit test crash or end without a word")
def _():
    assert torture("--sample", "--seconds", str(SAMPLE_S), "--seed", str(SEED),
                   BUILD).returncode == 0


def bad_clients(build, *names):
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "bad_clients.py", "--seconds", "0.3", "--attackers", "1",
         build, *names], capture_output=True, text=True, check=False, timeout=250)
    comment(done.stdout[-6000:] + done.stderr[-2000:])
    return done


@test("a good client is served while bad ones do their worst, and what it feels is told")
def _():
    done = bad_clients(BUILD, "slow heads", "tiny fragments", "bad lines", "TLS hellos")
    assert done.returncode == 0, done.stdout
    assert "4 attacks, 0 broke something" in done.stdout, done.stdout
    assert done.stdout.count(" x") == 8, "a ratio for the trips and one for connections, each"


@test("a box that ends under an attack is found out")
def _():
    tree = temp_dir()
    (tree / "signalbox").write_text(
        f'#!/bin/sh\n[ "$1" = serve ] && exec timeout -s KILL 4 "{SIGNALBOX}" "$@"\nexec "{SIGNALBOX}" "$@"\n')
    (tree / "signalbox").chmod(0o755)
    done = bad_clients(tree, "slow", "half", "pings", "JSON")
    assert done.returncode == 1, done.stdout


BROKEN = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	memset(malloc(10), 0, 10); /* counts on it */
	if (read(getpid(), NULL, 0) < 0)
		return 0;
	return 0;
}
"""


@test("a program that counts on memory is found out")
def _():
    tree = temp_dir()
    (tree / "broken.c").write_text(BROKEN)
    subprocess.run(["cc", "-O0", "-w", "-o", tree / "broken", tree / "broken.c"], check=True)
    (tree / "meson-info").mkdir()
    (tree / "meson-info/intro-tests.json").write_text(
        '[{"name": "broken", "cmd": ["%s"]}]' % (tree / "broken"))
    (tree / "meson-info/intro-buildoptions.json").write_text(
        '[{"name": "b_sanitize", "value": "none"}]')
    shutil.copytree(MEMORY.parent, tree / "tests" / "preload", ignore=shutil.ignore_patterns("*.p"))
    done = torture("--only", "memory", "--seconds", "30", tree)
    assert done.returncode == 1 and "dies of SIGSEGV" in done.stdout, done.stdout


def ends(data, turn):
    """How `serve` ends whose allocation of this number gets nothing; None: it is ready."""
    env = {**environment(), "LD_PRELOAD": str(MEMORY), "TORTURE_FAIL": str(turn)}
    with subprocess.Popen(
            [SIGNALBOX, "serve", "--data", data, "--listen", "127.0.0.1:0"], env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as box:
        until = time.monotonic() + PATIENCE_S
        while box.poll() is None and not (data / "listen").exists():
            assert time.monotonic() < until, f"{turn}: neither ready nor over"
            time.sleep(0.005)
        ready = box.poll() is None
        box.terminate()
        said = box.stderr.read().decode(errors="replace")
        return None if ready and box.wait() == 0 else box.wait(), said


@test("a box that gets no memory while it starts says so, or starts")
def _():
    if os.environ.get("TEST_SANITIZER"):
        raise Skip("a sanitizer has an allocator of its own")
    outcomes = []
    for i in range(STARTS):
        turn = round(OF_A_START ** ((i + 1) / STARTS))
        status, said = ends(temp_dir() / "data", turn)
        outcomes.append(status)
        words = "signalbox: " in said or " error " in said
        assert status is None or (status in (-signal.SIGABRT, 1, 78) and words), (turn, status, said)
    comment(outcomes)
    assert -signal.SIGABRT in outcomes


run()
