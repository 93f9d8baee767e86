#!/usr/bin/env python3
"""The two commands of the README, in a fresh clone: make builds once, asks nobody
for packages that are there, and make run says where to look and what it is doing meanwhile."""
# long
# busy: 25

import fcntl
import functools
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import termios
from pathlib import Path

from lib import PATIENCE_S, ROOT, SHARED, Skip, environment, eventually, run, temp_dir, test

BUILD_S = 450
BUILD = Path(os.environ.get("TEST_BUILD") or ROOT / "build")
HASTE = "-O0 -g0"  # how well it is compiled is not the question here
PORT = 7446


def program(directory, name, body):
    path = directory / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


# Takes from the build under test what is compiled there of the same text.
AGAIN = """\
for word do
	[ "$before" != -o ] || object=$word
	before=$word
done
case $object in
*librooms.a.p/*)
	if cmp -s "$word" "$TEST_BUILD/$word" && cp "$TEST_BUILD/$object" "$object"; then
		exit
	fi ;;
esac
exec gcc "$@"
"""


def is_built_from_the_commit():
    """Whether what is compiled for the build under test is what a clone would compile."""
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True)
    todo = subprocess.run(["ninja", "-C", BUILD, "-n", "signalbox"], capture_output=True, text=True)
    return changed.returncode == 0 and not changed.stdout and "no work to do" in todo.stdout


class Clone:
    """The tree of the last commit, and a PATH on which apt-get is an alarm."""

    def __init__(self):
        self.top = temp_dir()
        self.tree = self.top / "signalbox"
        self.alarm = self.top / "asked"
        self.home = self.top / "home"
        (self.top / "bin").mkdir()
        self.home.mkdir()
        program(self.top / "bin", "apt-get", f'echo "$@" >>{self.alarm}; exit 1')
        if SHARED.exists():
            (self.top / "shared").symlink_to(SHARED)
        done = subprocess.run(
            ["git", "clone", "-q", ROOT, self.tree], capture_output=True, text=True, timeout=60
        )
        if done.returncode:
            raise Skip(f"not in a git repository: {done.stderr.strip()}")
        self.haste = {"CFLAGS": HASTE}
        if is_built_from_the_commit():
            program(self.top / "bin", "again", AGAIN)
            self.haste.update({"CC": str(self.top / "bin/again"), "TEST_BUILD": str(BUILD)})
        self.refuse_to_install()

    def refuse_to_install(self):
        """Skips when packages are missing: that is for install-packages to mend."""
        other = temp_dir()
        program(other, "id", "echo 1000")
        env = {**self.env(), "PATH": f"{other}:{self.env()['PATH']}"}
        done = subprocess.run(
            ["packaging/install-packages", "build"], cwd=self.tree, env=env,
            capture_output=True, text=True, timeout=60,
        )
        if done.returncode:
            raise Skip("packages are missing: " + " ".join(done.stderr.split()))

    def env(self, **more):
        """As from a shell: what an outer make says to its children is not for us."""
        path = f"{self.top / 'bin'}:{os.environ['PATH']}"
        # What npm fetched once need not be fetched again.
        cache = os.environ.get("npm_config_cache", str(Path.home() / ".npm"))
        env = environment(
            {"PATH": path, "HOME": str(self.home), "npm_config_cache": cache,
             **self.haste, **more}
        )
        return {k: v for k, v in env.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}

    def make(self, goal):
        return subprocess.run(
            ["nice", "make", goal], cwd=self.tree, env=self.env(), capture_output=True, text=True,
            timeout=BUILD_S,
        )

    def products(self):
        """When each file that a compiler or linker made was made."""
        made = [p for p in (self.tree / "build").rglob("*") if p.suffix in (".o", ".a", ".c")]
        made.append(self.tree / "build/signalbox")
        return {p: p.stat().st_mtime_ns for p in made}


def in_terminal(command, **options):
    """Starts it with a terminal of 80 columns; gives the process and our end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.set_blocking(ours, False)
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, **options)
    os.close(theirs)
    return process, ours


@functools.cache
def built():
    """A clone that is built, and what a terminal got to see of that."""
    clone = Clone()
    make, ours = in_terminal(["make", "build"], cwd=clone.tree, env=clone.env())
    said = b""

    def is_done():
        nonlocal said
        said += read_some(ours)
        return make.poll() is not None

    try:
        eventually(is_done, BUILD_S, 0.1)
        said += read_some(ours)
    finally:
        make.kill()
        os.close(ours)
    assert make.returncode == 0, said
    return clone, said.decode()


@test("make build shows how far it is on one line of a terminal, and leaves few behind")
def _():
    _, said = built()
    steps = {int(n) for n in re.findall(r"building \[(\d+) of \d+\]", said)}
    assert len(steps) > 50, sorted(steps)
    assert "configuring: " in said, said[:2000]
    assert said.count("\n") <= 3, [line for line in said.split("\n")]


@test("make build twice compiles once, and installs nothing that is there")
def _():
    clone, _ = built()
    before = clone.products()
    assert len(before) > 50, len(before)
    done = clone.make("build")
    assert done.returncode == 0 and (done.stdout, done.stderr) == ("", ""), done
    assert clone.products() == before
    assert not clone.alarm.exists(), clone.alarm.read_text()


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def read_some(fd):
    try:
        return os.read(fd, 65536)
    except OSError:
        return b""


def child_of(pid):
    """The program that make runs, once it is no longer its shell."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            if Path(f"/proc/{child}/comm").read_text().strip() == "signalbox":
                return int(child)
        except OSError:
            pass  # it has ended meanwhile
    return None


@test("make run tells where the demo's data is, apart from the user's own, and the URL that lets in")
def _():
    clone, _ = built()
    # The port of the README, if nobody else has it.
    more = {} if is_free(PORT) else {"SIGNALBOX_LISTEN": "127.0.0.1:0"}
    make, ours = in_terminal(["make", "run"], cwd=clone.tree, env=clone.env(**more))
    data = clone.home / ".local/state/signalbox-demo"
    said = b""

    def has_said():
        nonlocal said
        said += read_some(ours)
        return b"#t=" in said and said.endswith(b"\n")

    try:
        eventually(has_said)
        text = re.sub(r"\r[^\n]*\r\x1b\[K", "", said.decode()).replace("\r", "")
        assert text.count("\n") == 2, text
        assert str(data) in text.split("\n")[0], text
        port = r"\d+" if more else PORT
        assert re.search(rf"http://127\.0\.0\.1:{port}/#t=[\w-]+", text), text
        os.kill(eventually(lambda: child_of(make.pid)), signal.SIGTERM)
        assert make.wait(PATIENCE_S) == 0, read_some(ours)
    finally:
        make.terminate()
        make.wait(PATIENCE_S)
        os.close(ours)
    assert not clone.alarm.exists(), clone.alarm.read_text()
    assert (data / "journal").exists() and not (data.parent / "signalbox").exists()


@test("what must pass before a change lands is make test and make check")
def _():
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    lines = [line for line in script.read_text().splitlines() if not line.startswith("#")]
    assert lines == ["set -e", 'cd "$(dirname "$0")/.."', "make test", "make check"], lines


run()
