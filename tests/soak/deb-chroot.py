#!/usr/bin/env python3
"""The Debian package, in a fresh Debian 12 and 13 whose systemd runs: it installs, runs within
the walls of its unit, upgrades with all that was kept, is removed, and purged without a trace.

The package for the release that this machine runs is built here, that for another one in that
release, which so proves that the tree builds there.  It takes a quarter of an hour, three
gigabytes and the archive that this machine's apt uses.
"""

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from chroot import Root, finish  # noqa: E402
from lib import ROOT, eventually, run, temp_dir, test  # noqa: E402

RELEASES = {"12": "bookworm", "13": "trixie"}
# systemd, because the minimum of a release has none; nothing that the package itself needs.
BASE = ("systemd", "systemd-sysv", "ca-certificates")
UNIT_TESTS = ("base_text_test", "signal_signal_test", "journal_journal_test", "net_ws_test")
CONFIG = "/etc/signalbox/signalbox.yaml"
DATA = "/var/lib/signalbox"
NEWER = "9.0.0"
BUILD_S = 3600


def own_release():
    text = Path("/etc/os-release").read_text()
    return re.search(r'^VERSION_ID="?([^"\n]*)', text, re.M)[1]


@functools.cache
def base(version):
    release = RELEASES[version]
    return Root(release, temp_dir() / release).make(*BASE)


def copy_tree(root):
    """The tree, with what npm brought here: its settings are this machine's business."""
    subprocess.run(["tools/node-modules", "ui"], cwd=ROOT, check=True, timeout=BUILD_S)
    unwanted = {str(ROOT): {".git", "build"}, str(ROOT / "tests/node"): {"node_modules"}}
    shutil.copytree(ROOT, root.file("/signalbox"), symlinks=True,
                    ignore=lambda directory, names: unwanted.get(directory, set()))
    return "/signalbox"


@functools.cache
def build_root(version):
    root = base(version).copy(temp_dir() / f"build-{version}")
    tree = copy_tree(root)
    root.run("apt-get", "-q", "update")
    root.run("packaging/install-packages", "build", "deb", cwd=tree)
    root.run("apt-get", "-q", "-y", "--no-install-recommends", "install", "libcmocka-dev")
    return root, tree


@functools.cache
def package(version):
    """The .deb for a release."""
    if version == own_release():
        out = temp_dir()
        done = finish(["tools/deb", out], BUILD_S, cwd=ROOT)
        assert done.code == 0, done.err
    else:
        root, tree = build_root(version)
        root.run("tools/deb", "/out", cwd=tree)
        out = root.file("/out")
    return next(out.glob("signalbox_*.deb"))


def newer(deb):
    """The same package as a later version of it, which brings another configuration."""
    here = temp_dir()
    tree = here / "tree"
    subprocess.run(["dpkg-deb", "-R", deb, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub("^Version: .*", f"Version: {NEWER}", control.read_text(), flags=re.M))
    with (tree / CONFIG.lstrip("/")).open("a") as config:
        config.write("\n# What is new.\n")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, here], check=True,
                   stdout=subprocess.DEVNULL)
    return next(here.glob("*.deb"))


def traces(where):
    """What has our name or belongs to our user, but for that user itself."""
    uid = where.run("id", "-u", "signalbox").out.strip()
    found = where.run("find", "/", "-xdev", "(", "-name", "*signalbox*", "-o", "-uid", uid, ")",
                      "-not", "-path", "/root/*")
    return found.out.split()


def apt(where, *words):
    return where.run("apt-get", "-q", "-y", "--no-install-recommends",
                     "-o", "Dpkg::Options::=--force-confold", *words)


class Installed:
    """The package on a machine that runs, and what is asked of it there."""

    def __init__(self, machine):
        self.machine = machine
        self.run = machine.run

    def ctl(self, *words, status=0):
        done = self.run("systemctl", *words, status=None)
        assert done.code == status, f"{words}: {done}\n{self.log()}"
        return done.out.strip()

    def log(self):
        return self.run("journalctl", "--no-pager", "-n", "30", "-u", "signalbox").out

    def show(self, name, unit="signalbox.service"):
        return self.machine.show(unit, name)

    def pid(self):
        return int(self.show("MainPID"))

    def is_back(self, pid):
        return self.pid() not in (0, pid) and self.show("ActiveState") == "active"

    def await_another(self, pid):
        eventually(lambda: self.is_back(pid), 60, 0.2)

    def configure(self, text):
        self.machine.root.file(CONFIG).write_text(text)

    def emit(self, name):
        self.run("signalbox", "emit", "--data", DATA, json.dumps({"type": name}))

    def types(self):
        told = self.run("signalbox", "journal", "export", "--data", DATA).out
        return [json.loads(line)["type"] for line in told.splitlines()]

    def post(self, user, name):
        """A signal over TCP without a token, as a user of the machine; the status."""
        body = json.dumps({"type": name})
        head = ("POST /api/signal HTTP/1.1\\r\\nHost: 127.0.0.1:7446\\r\\nConnection: close\\r\\n"
                f"Content-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n")
        script = f"exec 3<>/dev/tcp/127.0.0.1/7446; printf '{head}%s' '{body}' >&3; cat <&3"
        told = self.run("runuser", "-u", user, "--", "bash", "-c", script).out
        return int(told.split()[1])


def see_that_it_waits(box):
    assert box.ctl("is-enabled", "signalbox", status=1) == "disabled"
    assert box.show("ActiveState") == "inactive"


def see_walls(box):
    """Each wall as the kernel has it, whatever the unit says."""
    pid = str(box.pid())
    status = dict(re.findall(r"^(\w+):\s*(.*)", box.run("cat", f"/proc/{pid}/status").out, re.M))
    user = box.run("id", "-u", "signalbox").out.strip()
    assert status["Uid"].split() == [user] * 4 and user != "0", status
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status
    assert int(status["CapBnd"], 16) == int(status["CapEff"], 16) == 0, status
    assert status["Umask"] == "0077", status
    inside = ("nsenter", "-t", pid, "--mount", "--")
    for place in ("/usr", "/etc", "/var", "/dev"):
        assert "Read-only" in box.run(*inside, "touch", f"{place}/x", status=1).err, place
    box.run(*inside, "touch", f"{DATA}/x")
    box.run("rm", f"{DATA}/x")
    assert box.run(*inside, "ls", "/root", status=None).out == ""
    for kind in ("user", "mnt"):
        links = [box.run("readlink", f"/proc/{n}/ns/{kind}").out for n in (1, pid)]
        assert links[0] != links[1], kind


def see_work(box):
    box.ctl("enable", "--now", "signalbox")
    assert box.show("ActiveState") == "active"
    see_walls(box)
    box.emit("one")
    assert box.post("signalbox", "two") == 200, "its own user needs no token"
    assert box.post("nobody", "no") == 401, "others do"
    assert box.types() == ["one", "two"]
    box.run("runuser", "-u", "signalbox", "--", "signalbox", "doctor", "--data", DATA)


def see_reload(box):
    pid = box.pid()
    box.configure("log: {level: debug}\n")
    box.ctl("reload", "signalbox")
    eventually(lambda: "read again" in box.log(), 60, 0.2)
    assert box.is_back(0) and box.pid() == pid


def see_restarts(box):
    """When it was killed and when it hangs, but not when its configuration is bad."""
    pid = box.pid()
    box.run("kill", "-KILL", str(pid))
    box.await_another(pid)
    drop = "/run/systemd/system/signalbox.service.d"
    box.run("sh", "-c", "mkdir -p $0 && printf '[Service]\\nWatchdogSec=2\\n' >$0/short.conf", drop)
    box.ctl("daemon-reload")
    box.ctl("restart", "signalbox")
    pid = box.pid()
    box.run("kill", "-STOP", str(pid))
    box.await_another(pid)
    box.run("rm", "-r", drop)
    box.ctl("daemon-reload")
    box.ctl("reset-failed", "signalbox")  # or it was started too often for ten seconds
    box.configure("lisen: []\n")
    box.ctl("restart", "signalbox", status=1)
    assert (box.show("ActiveState"), box.show("ExecMainStatus")) == ("failed", "78")
    box.configure("# Ours.\n")
    box.ctl("restart", "signalbox")


def see_socket(box):
    box.ctl("stop", "signalbox")
    box.ctl("enable", "--now", "signalbox.socket")
    assert box.show("ActiveState") == "inactive"
    assert box.post("signalbox", "three") == 200
    assert box.show("ActiveState") == "active"


def see_upgrade(box, deb):
    pid = box.pid()
    apt(box, "install", deb)
    assert box.run("dpkg-query", "-W", "-f", "${Version}", "signalbox").out == NEWER
    box.await_another(pid)
    assert box.show("ActiveState", "signalbox.socket") == "active"
    kept = box.machine.root.file(CONFIG)
    assert kept.read_text() == "# Ours.\n"
    assert "What is new." in kept.with_name(f"{kept.name}.dpkg-dist").read_text()
    box.emit("four")
    assert box.types() == ["one", "two", "three", "four"]


def see_removal(box, deb):
    """Nothing runs, and all that was kept is there when it is installed again."""
    apt(box, "remove", "signalbox")
    box.run("pgrep", "-u", "signalbox", status=1)
    assert box.run("ls", "/usr/bin/signalbox", status=2)
    assert box.machine.root.file(CONFIG).exists()
    apt(box, "install", deb)
    eventually(lambda: box.is_back(0), 60, 0.2)
    assert box.types() == ["one", "two", "three", "four"]


def see_purge(box):
    apt(box, "purge", "signalbox")
    box.run("pgrep", "-u", "signalbox", status=1)
    assert box.ctl("list-units", "--all", "--no-legend", "signalbox*") == ""
    assert traces(box) == [], traces(box)


def expected(version):
    pages = sorted(p.name.removesuffix(".scd") for p in (ROOT / "docs/man").glob("*.scd"))
    yield from (f"usr/share/man/man{page[-1]}/{page}.gz" for page in pages)
    yield from ("usr/bin/signalbox", CONFIG.lstrip("/"), "usr/lib/sysusers.d/signalbox.conf",
                "usr/share/bash-completion/completions/signalbox",
                "usr/share/fish/vendor_completions.d/signalbox.fish",
                "usr/share/zsh/vendor-completions/_signalbox",
                "usr/share/signalbox/clients/signalbox.js",
                "usr/share/signalbox/clients/signalbox.py",
                "usr/share/signalbox/schema/signal.schema.json",
                "usr/share/doc/signalbox/examples/conformance/run.py",
                "usr/share/doc/signalbox/README.md",
                "usr/share/doc/signalbox/docs/README.md", "usr/share/doc/signalbox/copyright",
                "usr/share/doc/signalbox/copyright.page.gz",
                "usr/share/doc/signalbox/changelog.gz")
    units = "lib/systemd/system" if version == "12" else "usr/lib/systemd/system"
    yield from (f"{units}/signalbox.service", f"{units}/signalbox.socket")
    if version == "12":  # whose own archive lacks them
        yield from ("usr/lib/signalbox/libllhttp.so.9.2", "usr/lib/signalbox/libyyjson.so.0")


def for_release(version):
    @test(f"Debian {version}: lintian has nothing to say, and nothing is missing in the package")
    def _():
        deb = package(version)
        told = finish(["lintian", "--allow-root", "--fail-on", "error,warning",
                       "--display-info", deb], 600)
        assert told.code == 0, told
        # Said of a program that was not optimised.
        assert "no-fortify-functions [usr/bin" not in told.out, told
        names = [line.split()[5] for line in finish(["dpkg-deb", "-c", deb], 60).out.splitlines()]
        missing = [name for name in expected(version) if f"./{name}" not in names]
        assert not missing, missing

    @test(f"Debian {version}: it installs with what it needs, and goes without a trace")
    def _():
        root = base(version)
        root.run("apt-get", "-q", "update")
        apt(root, "install", root.put(package(version), "/root"))
        told = root.run("signalbox", "version").out
        assert re.fullmatch(r"signalbox [\d.]+\n", told), told
        assert root.run("signalbox", "check").out.strip() == f"{CONFIG}: good"
        assert root.run("getent", "passwd", "signalbox").out.split(":")[5] == DATA
        apt(root, "purge", "signalbox")
        assert traces(root) == [], traces(root)

    @test(f"Debian {version}: it runs under systemd, upgrades, is removed and purged cleanly")
    def _():
        root = base(version)
        deb = root.put(package(version), "/root")
        later = root.put(newer(package(version)), "/root")
        with root.boot() as machine:
            box = Installed(machine)
            apt(box, "install", deb)
            see_that_it_waits(box)
            see_work(box)
            see_reload(box)
            see_restarts(box)
            see_socket(box)
            see_upgrade(box, later)
            see_removal(box, later)
            see_purge(box)


def builds_in(version):
    @test(f"Debian {version} builds the tree without a warning, and unit tests pass there")
    def _():
        root, tree = build_root(version)
        root.run("tools/build", "build", cwd=tree)
        assert root.run("build/signalbox", "version", cwd=tree).out.startswith("signalbox ")
        root.run("meson", "configure", "-Dtests=true", "build", cwd=tree)
        root.run("ninja", "-C", "build", *(f"src/{name}" for name in UNIT_TESTS), cwd=tree)
        for name in UNIT_TESTS:
            root.run(f"build/src/{name}", cwd=tree)


for number in RELEASES:
    if number != own_release():
        builds_in(number)
    for_release(number)
run()
