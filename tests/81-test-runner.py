#!/usr/bin/env python3
"""tools/run-tests: what fails is never counted as passed, nor is what chance did kept quiet."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

from lib import PATIENCE_S, ROOT, Process, eventually, run, temp_dir, test


class Tree:
    """A tree with the real runner and tests of our own, each a shell script."""

    def __init__(self):
        self.top = temp_dir()
        for name in ("tools", "tests/node", "build/meson-info"):
            (self.top / name).mkdir(parents=True)
        shutil.copy(ROOT / "tools/run-tests", self.top / "tools")
        self.units = []

    def script(self, name, body):
        path = self.top / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    def unit(self, name, body):
        self.units.append({"name": name, "cmd": [str(self.script(name, body))]})

    def run(self, *options, limit_s=PATIENCE_S, **how):
        info = self.top / "build/meson-info/intro-tests.json"
        info.write_text(json.dumps(self.units))
        done = subprocess.run(
            [self.top / "tools/run-tests", *options, self.top / "build"], text=True,
            env={**os.environ, "TEST_LIMIT_S": str(limit_s)}, capture_output=True,
            timeout=4 * PATIENCE_S, **how,
        )
        return done.returncode, done.stdout.splitlines()


def outcome(body, *options):
    """How a tree with one passing test and this one comes out."""
    tree = Tree()
    tree.unit("good", "echo 1..1; echo ok 1 - it is good")
    tree.script("tests/01-it.py", body)
    code, lines = tree.run(*options)
    return code, lines[-1], lines


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


@test("the last line counts what passed, of unit tests and others")
def _():
    code, last, _ = outcome("echo ok 1 - a; echo ok 2 - b '#t='; echo 1..2")
    assert (code, last) == (0, "3 passed, 0 failed"), last


@test("a soak is planned first, and who asks for a share of its time gets that")
def _():
    tree = Tree()
    (tree.top / "tests/soak").mkdir()
    tree.script("tests/soak/a.py", "# soak: 0.25\n[ $SOAK_SECONDS = 10 ] && echo ok 1; echo 1..1")
    tree.script("tests/soak/b.py", "[ $SOAK_SECONDS = 40 ] && echo ok 1; echo 1..1")
    os.environ["SOAK_SECONDS"] = "40"
    code, lines = tree.run("--soak")
    del os.environ["SOAK_SECONDS"]
    assert lines[:2] == ["plan: tests/soak/a.py, 10 s", "plan: tests/soak/b.py"], lines
    assert (code, lines[-1]) == (0, "2 passed, 0 failed"), lines


@test("a failed test fails the run, and its words are shown")
def _():
    code, last, lines = outcome("echo 1..2; echo ok 1 - a; echo not ok 2 - b; echo '# why'")
    assert (code, last) == (1, "2 passed, 1 failed"), last
    assert any("# why" in line for line in lines), lines


ONCE = "echo 1..1; [ -e {0} ] && echo ok 1 - a || echo not ok 1 - a; echo '# why'; touch {0}"


@test("what fails beside the others and passes alone passes, and is named with what it said")
def _():
    code, last, lines = outcome(ONCE.format(temp_dir() / "mark"))
    assert (code, last) == (0, "2 passed, 0 failed"), lines
    assert any("# why" in line for line in lines), lines
    assert lines[-2].startswith("unsteady: tests/01-it.py failed at first"), lines


@test("where many fail, and where a sanitizer found something, no second run makes it good")
def _():
    tree = Tree()
    for n in range(6):
        tree.script(f"tests/0{n}-it.py", ONCE.format(temp_dir() / "mark"))
    code, lines = tree.run()
    assert (code, lines[-1]) == (1, "0 passed, 6 failed"), lines
    code, last, lines = outcome(ONCE.format(temp_dir() / "mark") + "; echo race >$TEST_TMP/sanitizer.1")
    assert (code, last) == (1, "1 passed, 2 failed"), lines


@test("a skipped test is neither, and its reason is shown")
def _():
    code, last, lines = outcome("echo 1..1; echo 'ok 1 - a # SKIP no browser'")
    assert (code, last) == (0, "1 passed, 0 failed, 1 skipped"), last
    assert any("no browser" in line for line in lines), lines


@test("a skip of older cmocka, which begins with not ok, is a skip")
def _():
    code, last, _ = outcome("echo 1..1; echo 'not ok 1 # SKIP a'")
    assert (code, last) == (0, "1 passed, 0 failed, 1 skipped"), last


@test("a program that ends before its plan fails")
def _():
    code, last, _ = outcome("echo 1..3; echo ok 1 - a")
    assert (code, last) == (1, "2 passed, 1 failed"), last


@test("a program that says nothing fails")
def _():
    code, last, _ = outcome("true")
    assert (code, last) == (1, "1 passed, 1 failed"), last


@test("a program that cannot be started fails")
def _():
    tree = Tree()
    tree.script("tests/01-it.py", "echo 1..1; echo ok 1 - a").chmod(0o644)
    code, lines = tree.run()
    assert (code, lines[-1]) == (1, "0 passed, 1 failed"), lines


@test("a program that dies after its tests passed fails")
def _():
    code, last, _ = outcome("echo 1..1; echo ok 1 - a; kill -SEGV $$")
    assert (code, last) == (1, "2 passed, 1 failed"), last


@test("a program that hangs is ended and fails")
def _():
    tree = Tree()
    tree.script("tests/01-it.py", "echo 1..1; echo ok 1 - a; sleep 600")
    code, lines = tree.run(limit_s=1)
    assert code == 1 and lines[-1].endswith(", 1 failed"), lines
    assert "     not ok: ended within 1 s" in lines, lines


@test("what a test leaves running is ended with it")
def _():
    mark = temp_dir() / "pid"
    outcome(f"sleep 600 & echo $! >{mark}; echo 1..1; echo ok 1 - a")
    eventually(lambda: is_gone(int(mark.read_text())))


@test("a run that a shell put in the background does not make its tests deaf to Ctrl-C")
def _():
    def ignore():
        for number in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)

    tree = Tree()
    tree.script("tests/01-it.py", "trap 'echo ok 1 - a; exit' INT; echo 1..1; kill -INT $$\n"
                "echo not ok 1 - a")
    code, lines = tree.run(preexec_fn=ignore)
    assert (code, lines[-1]) == (0, "1 passed, 0 failed"), lines


@test("a sanitizer's report fails the test whatever the program says")
def _():
    body = 'echo 1..1; echo ok 1 - a; mkdir $TEST_TMP/d; echo race >$TEST_TMP/d/sanitizer.7'
    code, last, _ = outcome(body)
    assert (code, last) == (1, "2 passed, 1 failed"), last


@test("a look at what a program says does not move the place where it goes on to say it")
def _():
    with Process("no-such-verb") as process:
        process.wait()
        fd = process.errors.fileno()
        os.lseek(fd, 7, os.SEEK_SET)
        assert "unknown command" in process.err()
        assert os.lseek(fd, 0, os.SEEK_CUR) == 7


@test("of those that keep a processor busy one runs at a time for each, the longest first")
def _():
    tree = Tree()
    order = temp_dir() / "order"
    for n in (2, 9, 5):
        tree.script(f"tests/0{n}-it.py", f"# busy: {n}\necho {n} >>{order}; sleep 0.2; echo {n} >>{order}\n"
                    "echo 1..1; echo ok 1 - a")
    code, lines = tree.run(preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    assert (code, lines[-1]) == (0, "3 passed, 0 failed"), lines
    assert order.read_text().split() == ["9", "9", "5", "5", "2", "2"], order.read_text()


@test("those that wait run beside those that keep a processor busy")
def _():
    tree = Tree()
    mark = temp_dir() / "mark"
    tree.script("tests/01-busy.py", f"# busy: 9\nuntil [ -e {mark} ]; do sleep 0.05; done; echo 1..1; echo ok 1 - a")
    for n in range(2, 6):
        tree.script(f"tests/0{n}-it.py", f"touch {mark}; echo 1..1; echo ok 1 - a")
    code, lines = tree.run(preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    assert (code, lines[-1]) == (0, "5 passed, 0 failed"), lines


@test("a quick run leaves out what is exclusive or long")
def _():
    for mark in ("exclusive", "long"):
        code, last, _ = outcome(f"# {mark}\necho 1..1; echo not ok 1 - a", "--quick")
        assert (code, last) == (0, "1 passed, 0 failed"), last


@test("the tests with real programs are run when asked for, and find the lab")
def _():
    tree = Tree()
    os.environ.pop("LAB", None)  # of the runner that runs this
    (tree.top / "tests/peers").mkdir()
    tree.script("tests/01-it.py", "echo 1..1; echo not ok 1 - not asked for")
    tree.script("tests/peers/10-it.py", "[ $LAB = $TEST_BUILD/lab ] && echo ok 1; echo 1..1")
    code, lines = tree.run("--peers")
    assert (code, lines[-1]) == (0, "1 passed, 0 failed"), lines
    os.environ["LAB"] = "/elsewhere"
    tree.script("tests/peers/10-it.py", "[ $LAB = /elsewhere ] && echo ok 1; echo 1..1")
    code, lines = tree.run("--peers")
    assert (code, lines[-1]) == (0, "1 passed, 0 failed"), lines


run()
