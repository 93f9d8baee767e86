#!/usr/bin/env python3
"""What packaging/ has for a machine's box: the unit, its user, the configuration, the package.

That the package installs, runs, upgrades and purges is for tests/soak/deb-chroot.py to see."""
# long

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from lib import Box, ROOT, SIGNALBOX, WS, cli, eventually, run, temp_dir, test
from tls import make_cert
from walls import read_unit

BUILD = Path(os.environ.get("TEST_BUILD") or ROOT / "build")
PACKAGING = ROOT / "packaging"
SERVICE = PACKAGING / "signalbox.service"
DEBIAN = PACKAGING / "debian"
HOME = "/var/lib/signalbox"
EXPOSED = 15  # in tenths, of what systemd calls 10

BATCH = {"Content-Type": "application/x-ndjson"}

# Each of these is what a wall is there for.
ESCAPES = """
import ctypes, mmap, os, socket
def refused(call, *words):
    try:
        call(*words)
    except OSError:
        return
    raise SystemExit(f"{call} {words} was not refused")
refused(socket.socket, socket.AF_PACKET, socket.SOCK_RAW)
refused(socket.socket, socket.AF_VSOCK)
refused(mmap.mmap, -1, 4096, mmap.MAP_PRIVATE, 7)
refused(os.chroot, "/")
refused(os.sched_setaffinity, 0, os.sched_getaffinity(0))
assert ctypes.CDLL(None).unshare(0x10000000) == -1
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
"""


def values(path, key):
    return [value for name, value in read_unit(path) if name == key]


def value(path, key):
    found = values(path, key)
    assert len(found) == 1, f"{key}: {found}"
    return found[0]


def tell(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)


@test("systemd finds nothing wrong with the units, and little that is exposed")
def _():
    units = temp_dir()
    for name in ("signalbox.service", "signalbox.socket"):
        text = (PACKAGING / name).read_text()
        (units / name).write_text(text.replace("/usr/bin/signalbox", os.path.realpath(SIGNALBOX)))
    judged = tell("systemd-analyze", "verify", "--man=no", *units.iterdir(),
                  env={**os.environ, "XDG_RUNTIME_DIR": str(units)})
    assert "signalbox" not in judged.stderr, judged
    security = ("systemd-analyze", "--no-pager", "security", "--offline=yes")
    judged = tell(*security, f"--threshold={EXPOSED}", SERVICE)
    assert judged.returncode == 0, judged.stdout[-300:]
    (units / "bare.service").write_text("[Service]\nExecStart=/bin/true\n")
    assert tell(*security, f"--threshold={EXPOSED}", units / "bare.service").returncode != 0


@test("the unit's command, user, directory and statuses are the program's and the user's file's")
def _():
    program, verb, *flags = shlex.split(value(SERVICE, "ExecStart"))
    assert program == "/usr/bin/signalbox" and verb == "serve" and flags == ["--data", HOME]
    assert f"/var/lib/{value(SERVICE, 'StateDirectory')}" == HOME
    kind, user, _, _, home = shlex.split(
        [l for l in (PACKAGING / "signalbox.sysusers").read_text().splitlines() if l[0] != "#"][0])
    assert (kind, user, home) == ("u", value(SERVICE, "User"), HOME)
    assert value(SERVICE, "Type") == "notify" and values(SERVICE, "WatchdogSec")
    bad = temp_dir() / "bad.yaml"
    bad.write_text("lisen: [127.0.0.1:1]\n")
    done = cli(verb, "--data", bad.parent / "data", "--config", bad)
    assert str(done.code) == value(SERVICE, "RestartPreventExitStatus"), done
    default = json.loads(cli("config", "show", "--json").out)
    assert value(PACKAGING / "signalbox.socket", "ListenStream") in json.dumps(default), default


@test("a box does all of its work within the walls of the unit, which hold")
def _():
    walls = (sys.executable, ROOT / "tests/walls.py", SERVICE)
    done = tell(*walls, sys.executable, "-c", ESCAPES)
    assert done.returncode == 0, done
    with Box(["--demo"], command=walls, env={"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"}) as box:
        status = open(f"/proc/{box.pid}/status", encoding="ascii").read()
        assert re.search(r"^NoNewPrivs:\s1\nSeccomp:\s2$", status, re.M), status
        with WS(box) as ws:
            ws.send({"op": "subscribe"})
            lines = json.dumps({"type": "walled", "payload": {"pad": "p" * 900}}) + "\n"
            for unix in (True, False):
                answer = box.request("POST", "/api/signal", lines * 100, BATCH, unix)
                assert answer.json()["accepted"] == 100, answer
            eventually(lambda: "walled" in json.dumps(ws.json()))
        assert sum(s["type"] == "walled" for s in box.history()) == 200
        os.kill(box.pid, signal.SIGHUP)
        eventually(lambda: "read again" in box.log())
        for path in ("/", "/metrics", "/readyz", "/api/sources"):
            assert box.request("GET", path).status == 200, path
        box.restart()
        assert sum(s["type"] == "walled" for s in box.history()) == 200
        assert box.stop() == 0, box.log()


@test("the unit lets a box run programs, and end them before it ends")
def _():
    walls = (sys.executable, ROOT / "tests/walls.py", SERVICE)
    done = tell(*walls, BUILD / "src/net_process_test")
    assert done.returncode == 0, done
    assert value(SERVICE, "KillMode") == "mixed"
    assert value(SERVICE, "OOMPolicy") == "continue"


@test("the example of a configuration is good as it is, and with all that it offers")
def _():
    text = (PACKAGING / "signalbox.yaml").read_text()
    offered = re.sub(r"^#(?=[a-z-]|  )", "", text, flags=re.M)
    for key in ("listen", "auth", "journal", "sources", "log"):
        assert f"\n{key}:\n" in offered, key
    here = temp_dir()
    cert, key = make_cert(here)
    offered = offered.replace("/etc/signalbox/box.pem", str(cert))
    offered = offered.replace("/etc/signalbox/box.key", str(key))
    assert cli("token", "new", "ci", "--scopes", "all", "--data", here / "data").code == 0
    for name, content in (("as-it-is", text), ("offered", offered)):
        (here / name).write_text(content)
        done = cli("check", "--config", here / name, "--data", here / "data",
                   env={"ANTHROPIC_API_KEY": "k"})
        assert done.code == 0, done


def paragraphs(path):
    """A control file as dictionaries of its fields."""
    for part in path.read_text().strip().split("\n\n"):
        yield {k: " ".join(v.split()) for k, v in re.findall(r"^(\S+):((?:.|\n )*)", part, re.M)}


def wishes(name):
    lines = [line.split("#")[0].split() for line in (PACKAGING / name).read_text().splitlines()]
    return {line[0] for line in lines if line}


@test("the package has the program's version and licence, and builds with what is installed for it")
def _():
    version = re.search(r"version: '(.*)'", (ROOT / "meson.build").read_text())[1]
    assert (DEBIAN / "changelog").read_text().startswith(f"signalbox ({version}) ")
    assert cli("version").out == f"signalbox {version}\n"
    source, package = paragraphs(DEBIAN / "control")
    named = {re.sub(r" .*", "", word.strip()) for word in source["Build-Depends"].split(",")}
    by_debhelper = {"", "debhelper-compat", "dh-sequence-installsysusers"}
    always_there = {"gcc", "libc6-dev"}
    assert named - by_debhelper == wishes("packages-build") - always_there, named
    assert wishes("packages-deb") == {"debhelper"}
    assert package["Package"] == "signalbox" and "${shlibs:Depends}" in package["Depends"]
    told = (DEBIAN / "copyright").read_text().replace("\n .\n", "\n\n").replace("\n ", "\n")
    assert (ROOT / "LICENSE").read_text().split("\n\n", 2)[2].strip() in told


@test("everything that the package takes from the tree is there, and its scripts are scripts")
def _():
    for name in ("install", "docs", "examples"):
        for line in (DEBIAN / f"signalbox.{name}").read_text().splitlines():
            assert list(ROOT.glob(line.split()[0])), line
    for script in (DEBIAN / "signalbox.postrm", ROOT / "tools/deb"):
        assert tell("sh", "-n", script).returncode == 0, script
    rules = tell("make", "-n", "-f", DEBIAN / "rules", "override_dh_installsystemd")
    assert "dh_installsystemd --no-enable" in rules.stdout, rules
    assert os.access(DEBIAN / "rules", os.X_OK)
    licences = tell(ROOT / "tools/page-licences", ROOT / "ui").stdout
    assert re.search(r"^pixi\.js [\d.]+\nLicence: MIT\n\n.*Permission is hereby", licences,
                     re.M | re.S), licences[:500]


run()
