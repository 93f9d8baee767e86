#!/usr/bin/env python3
"""README.md does what it says: its commands run as written, its links lead somewhere."""
# exclusive

import contextlib
import json
import os
import re
import socket
import subprocess

from lib import PATIENCE_S, ROOT, SIGNALBOX, Box, Skip, environment, eventually, run, temp_dir, test

README = (ROOT / "README.md").read_text()
PORT = 7446
POSITION = r"[0-9a-f]{12}-\d+"


def commands():
    """The commands of the fenced blocks, each with its continued lines."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", README, re.M | re.S)
    lines = re.sub(r"\\\n\s*", "", "".join(blocks)).splitlines()
    return [line for line in lines if re.search(r"^curl |(^|\| *)build/signalbox ", line)]


@contextlib.contextmanager
def home():
    """A box where the README supposes it, and the environment of its reader."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            raise Skip(f"port {PORT} is taken on this machine") from None
    top = temp_dir()
    (top / "build").mkdir()
    (top / "build/signalbox").symlink_to(os.path.abspath(SIGNALBOX))
    agent = top / "bin/my-agent"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\necho '{\"type\":\"a\"}'\necho '{\"type\":\"b\"}'\n")
    agent.chmod(0o755)
    env = environment({"HOME": str(top), "PATH": f"{agent.parent}:{os.environ['PATH']}"})
    env = {k: v for k, v in env.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    data = top / ".local/state/signalbox"
    data.parent.mkdir(parents=True)
    with Box(env={"HOME": str(top)}, data=data, listen=[f"127.0.0.1:{PORT}"]) as box:
        box.emit("tool_call", payload={"name": "x"})
        yield top, env


def outcome(command, top, env):
    """What it prints.  One that goes on is ended when it has printed a line."""
    streams = "/api/stream" in command or " tail " in command
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}" if streams else command], cwd=top, env=env,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    with process:
        try:
            if not streams:
                return process.communicate(timeout=PATIENCE_S)[0].decode(), process.returncode
            os.set_blocking(process.stdout.fileno(), False)
            said = b""

            def has_said():
                nonlocal said
                said += process.stdout.read() or b""
                return b"tool_call" in said and said.endswith(b"\n")

            eventually(has_said)
            assert process.poll() is None, said
            return said.decode(), 0
        finally:
            process.kill()


def shape_of(command):
    """What the README leads one to expect of it, as a check of its output."""
    if "x-ndjson" in command:
        return lambda said: json.loads(said)["accepted"] == 2
    if "/api/signals?" in command:
        return lambda said: 1 <= len(json.loads(said)["signals"]) <= 5
    if "/api/signal " in command:
        promised = json.loads(re.search(r'^\{"ok":true,"id".*$', README, re.M)[0])
        return lambda said: json.loads(said).keys() == promised.keys() and json.loads(said)["ok"]
    if "/api/stream" in command:
        return lambda said: re.search(rf"^id: {POSITION}$", said, re.M) and "\ndata: {" in said
    if "my-agent" in command:
        return lambda said: re.fullmatch(r"\d+\.\.\d+\n|\d+\n\d+\n", said)
    if " emit " in command:
        return lambda said: re.fullmatch(r"\d+\n", said)
    if " tail " in command:
        return lambda said: re.search(r"^\d\d:\d\d:\d\d\.\d{3} +\d+ .*tool_call", said)
    if " prompts" in command:
        return lambda said: said == "no prompt is open\n"
    if " tap install" in command:
        return lambda said: re.fullmatch(r"installed, 32 hooks(, some of which decide)?: .*/settings\.json\n", said)
    if " tap uninstall" in command:
        return lambda said: re.fullmatch(r"absent: .*/settings\.json\n", said)
    if " open" in command:
        return lambda said: re.fullmatch(rf"http://127\.0\.0\.1:{PORT}/#t=\S+\n", said)
    raise AssertionError(f"nobody knows what to expect of: {command}")


@test("every command of the README succeeds and prints what it says")
def _():
    found = commands()
    assert len(found) >= 8, found
    with home() as (top, env):
        for command in found:
            said, code = outcome(command, top, env)
            assert code == 0 and shape_of(command)(said), (command, code, said)


@test("every link of the documents leads to a file that is there")
def _():
    pages = [ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING")]
    pages += sorted((ROOT / "docs").glob("*.md"))
    dead = []
    for page in pages:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            path = link.partition("#")[0]
            if path and not re.match(r"[a-z]+:", path) and not (page.parent / path).exists():
                dead.append(f"{page.relative_to(ROOT)}: {link}")
    assert not dead, dead


run()
