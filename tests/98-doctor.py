#!/usr/bin/env python3
"""`signalbox doctor`: each fault that it knows is made, and found, with what to do."""

import json
import os
import re
import resource
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import time

from faults import LIBRARY, FaultyBox
from lib import (ROOT, SIGNALBOX, Box, Process, cli, comment, environment, eventually, run, temp_dir, test)
from tls import make_cert

SYSTEMCTL = """#!/bin/sh
case "$2" in is-active) test -e "$HOME/active" ;; is-failed) test -e "$HOME/failed" ;;
is-enabled) test ! -e "$HOME/disabled" ;; esac
"""


SEEN = set()  # (health, words) of every finding of this run


def findings(*words, env, **how):
    """Every finding of a doctor as (check, health, words, what to do)."""
    done = subprocess.run([*map(str, words)], env=environment(env), capture_output=True, text=True,
                          timeout=60, **how)
    found = [(f["check"], f["health"], f["words"], f.get("do", ""))
             for f in json.loads(done.stdout)["findings"]]
    bad = [f for f in found if f[1] == "bad"]
    assert done.stderr == "" and done.returncode == (1 if bad else 0), done
    assert json.loads(done.stdout)["ok"] == (not bad), done
    assert all(f[3] for f in bad), f"a fault without what to do: {bad}"
    SEEN.update((f[1], f[2]) for f in found)
    return found


class Home:
    """A user with a directory for everything; no box runs and all is well."""

    def __init__(self, config="listen: ['127.0.0.1:0']\njournal: {keep: 64MiB, segment: 1MiB}\n"):
        self.path = temp_dir()
        self.data = self.path / "data"
        self.config = self.path / "box.yaml"
        self.configure(config)
        self.claude = self.path / ".claude"
        bin = self.path / "bin"
        bin.mkdir()
        (bin / "systemctl").write_text(SYSTEMCTL)
        (bin / "systemctl").chmod(0o755)
        self.env = {"HOME": str(self.path), "PATH": f"{bin}:{os.environ['PATH']}"}

    def configure(self, text):
        self.config.write_text(text)
        self.config.chmod(0o644)

    def words(self):
        return ["--config", str(self.config), "--data", str(self.data)]

    def look(self, env=None, by=(), **how):
        """Its findings; `by` is a program that starts the doctor."""
        return findings(*by, SIGNALBOX, "doctor", "--json", *self.words(),
                        env={**self.env, **(env or {})}, **how)

    def finds(self, check, health, words, do="", **how):
        found = self.look(**how)
        assert any(f[0] == check and f[1] == health and words in f[2] and do in f[3]
                   for f in found), (check, health, words, do, found)
        return found

    def box(self):
        """A box of this home, running."""
        return Box(data=self.data, listen=(), args=["--config", str(self.config)], env=self.env)

    def ran(self):
        """A box ran here, took a signal and stopped."""
        with self.box() as box:
            box.emit("hello")
        return self


def all_is_well(found):
    return [f for f in found if f[1] != "ok"] == []


# --- nothing is wrong --------------------------------------------------------


@test("where no box ever ran, and where one runs, everything is ok")
def _():
    home = Home()
    found = home.look()
    assert all_is_well(found), found
    said = {f[2] for f in found}
    assert {f"{home.config} is good", "the one in the program", "no box has it",
            "there is none yet", "127.0.0.1:0 is any that is free",
            f"{home.data}/sock: no box runs", "no listener speaks it",
            "Claude Code has no settings here", "there is no unit of `signalbox service`"} <= said, said
    assert not home.data.exists(), "it changes nothing"
    names = {f[0] for f in found}
    assert names == {"config", "show", "permissions", "disk", "clock", "limits", "journal",
                     "port", "trust", "sockets", "tls", "phone", "claude", "hooks", "service"}, names
    with home.box() as box:
        box.emit("hello")
        found = home.finds("journal", "ok", f"pid {box.pid}")
        assert all_is_well(found), found
        home.finds("sockets", "ok", f"the box listens on 127.0.0.1:{box.port}")
        assert box.alive()
    assert all_is_well(home.look())
    (home.data / "show.json").write_text((ROOT / "show" / "default.json").read_text())
    assert all_is_well(home.finds("show", "ok", "show.json is good"))
    nothing = {f[2] for f in findings(SIGNALBOX, "doctor", "--json", "--data", home.path / "none",
                                      env=home.env)}
    assert {"no file: everything has its default", "nothing to check yet"} <= nothing


@test("what hooks told and nobody took, and a session that is held, are found")
def _():
    home = Home().ran()
    stop = json.dumps({"hook_event_name": "Stop", "session_id": "s"})
    assert cli("hook", "--data", home.data, input=stop).code == 0
    home.finds("hooks", "warn", "/spool: no box is running", "signalbox serve")
    (home.data / "spool.lost").write_text("..")
    home.finds("hooks", "warn", "2 payloads of hooks were lost", "spool.lost")
    (home.data / "held").mkdir(mode=0o700)
    (home.data / "held" / "s").write_text("0")
    found = home.finds("hooks", "ok", "the session s is paused",
                       f"signalbox control s continue --data {home.data}")
    do = next(f[3] for f in found if "is paused" in f[2])
    assert cli(*do.split()[1:]).code == 0 and not (home.data / "held" / "s").exists()
    usual = home.path / ".local" / "state" / "signalbox"
    (usual / "held").mkdir(mode=0o700, parents=True)
    (usual / "held" / "s").write_text("0")
    found = findings(SIGNALBOX, "doctor", "--json", env=home.env)
    assert "signalbox control s continue" in [f[3] for f in found], found
    odd = home.path / "it's here"
    (odd / "held").mkdir(mode=0o700, parents=True)
    (odd / "held" / "s").write_text("0")
    do = [f[3] for f in findings(SIGNALBOX, "doctor", "--json", "--data", odd, env=home.env) if "paused" in f[2]]
    assert shlex.split(do[0])[-2:] == ["--data", str(odd)], do


@test("words for people have no colours in a pipe, and a misuse ends with 2")
def _():
    home = Home()
    done = cli("doctor", *home.words(), env=home.env)
    assert done.code == 0 and "\x1b" not in done.out and done.out.startswith("ok    config"), done
    home.data.mkdir(mode=0o755)
    home.data.chmod(0o755)
    done = cli("doctor", *home.words(), env=home.env)
    assert done.code == 1 and f"-> chmod 700 {home.data}\n" in done.out, done
    assert cli("doctor", "me").code == 2


# --- configuration and show --------------------------------------------------


@test("a configuration that is wrong is told with its place, and the rest is still looked at")
def _():
    home = Home("listen: ['127.0.0.1:0']\nlimits: {deep: 1}\n")
    found = home.finds("config", "bad", "box.yaml:2:10: unknown key 'deep'", "signalbox check")
    assert "claude" in {f[0] for f in found} and "disk" not in {f[0] for f in found}, found


@test("an address for other machines without a token is found")
def _():
    cert, key = make_cert(temp_dir())
    home = Home(f"listen: [{{address: '0.0.0.0:0', cert: {cert}, key: {key}}}]\n")
    home.finds("config", "bad", "which needs a token")


@test("what the box itself would refuse is found, once")
def _():
    home = Home("listen: ['127.0.0.1:0']\n"
                "sources: [{id: one, url: 'ws://u:p@127.0.0.1:9'}]\n")
    home.finds("start", "bad", "sources: 'one': ", "signalbox check")
    home.data.mkdir(mode=0o700)
    home.data.chmod(0o750)
    assert "start" not in {f[0] for f in home.look()}, "it has to be mended first"


@test("a show that cannot be played is found")
def _():
    home = Home().ran()
    (home.data / "show.json").write_text('{"scene": 1}')
    home.finds("show", "bad", "show.json: /scene", "show use --default")


# --- permissions -------------------------------------------------------------


@test("whatever is looser than it should be is found, with the chmod that mends it")
def _():
    secret = temp_dir() / "secret"
    secret.write_text("x" * 64 + "\n")
    home = Home(f"listen: ['127.0.0.1:0']\n"
                f"auth: {{tokens: [{{name: ci, file: {secret}, scopes: emit}}]}}\n"
                f"sources: [{{id: one, url: 'ws://127.0.0.1:1/', credential_file: {secret}-2}}]\n")
    other = secret.with_name("secret-2")
    other.write_text("key\n")
    secret.chmod(0o600)
    other.chmod(0o600)
    with Box(data=home.data) as box:
        for name in ("source-credentials.json", "openclaw-device.json", "devices.json", "phone.pem"):
            (home.data / name).touch(mode=0o600)
        for path, loose, right in ((home.data, 0o750, "700"), (home.data / "token", 0o644, "600"),
                                   (home.data / "lock", 0o640, "600"),
                                   (home.data / "source-credentials.json", 0o604, "600"),
                                   (home.data / "openclaw-device.json", 0o640, "600"),
                                   (home.data / "devices.json", 0o604, "600"),
                                   (home.data / "push-key", 0o640, "600"),
                                   (home.data / "phone.pem", 0o640, "600"),
                                   (home.data / "sock", 0o666, "600"), (secret, 0o640, "600"),
                                   (other, 0o604, "600"), (home.config, 0o664, "go-w")):
            was = stat.S_IMODE(path.stat().st_mode)
            path.chmod(loose)
            home.finds("permissions", "bad", f"{path} is open to others: mode 0{loose:o}",
                       f"chmod {right} {path}")
            path.chmod(was)
        home.finds("permissions", "ok", "have the right permissions")
    secret.unlink()
    home.finds("permissions", "bad", "of the token 'ci'", "signalbox token new ci")
    other.unlink()
    home.finds("permissions", "bad", "of the source 'one'", "chmod 600")
    secret.symlink_to(secret)
    home.finds("permissions", "bad", f"{secret}: Too many levels of symbolic links", "another file")


@test("what belongs to somebody else is found")
def _():
    home = Home().ran()
    if os.geteuid() == 0:
        os.chown(home.data / "token", 12345, -1)
        home.finds("permissions", "bad", "token belongs to another user, uid 12345", "chown 0 ")
    else:
        home.data = "/proc"
        home.finds("permissions", "bad", "/proc belongs to another user, uid 0", "chown")


@test("of what cannot be seen it does not say that it is not there")
def _():
    home = Home()
    home.data.symlink_to(home.data)
    home.finds("journal", "bad", f"{home.data}/journal: Too many levels", "another place")
    found = home.finds("sockets", "bad", f"{home.data}/sock: Too many levels", "another place")
    assert not [f for f in found if "no box" in f[2] or "none yet" in f[2]], found


# --- disk, clock, limits -----------------------------------------------------


def faulty(data, **rules):
    return {"LD_PRELOAD": str(LIBRARY), "FAULTS_DIR": str(data),
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0",
            **{f"FAULTS_{k}": v for k, v in rules.items()}}


@test("a disk that cannot be written to or synced is found")
def _():
    home = Home().ran()
    home.finds("disk", "bad", "cannot be written to: No space left", "make room",
               env=faulty(home.data, FAIL="write:1+:ENOSPC"))
    home.finds("disk", "bad", "fdatasync fails: Input/output error", "dmesg",
               env=faulty(home.data, FAIL="sync:1+:EIO"))
    home.finds("disk", "warn", "no space can be reserved: Input/output error", "ext4",
               env=faulty(home.data, FAIL="reserve:1+:EIO"))
    assert all_is_well(home.look()), "and nothing is left behind"
    home.data = "/proc/self/nothing/box"
    home.finds("disk", "bad", "cannot be written to", "--data")
    home.data = home.config / "box"  # below what is no directory
    home.finds("disk", "bad", f"{home.data}: Not a directory", "--data")


@test("a disk that is too small for the journal is found")
def _():
    home = Home("listen: ['127.0.0.1:0']\njournal: {keep: 900TiB}\n")
    home.finds("disk", "warn", "the journal may take more before it forgets", "journal.keep")
    home.data = "/proc/self/nothing/box"
    home.finds("disk", "bad", "has 0 MiB left", "make room")


@test("a clock that went back behind the journal, or behind the program, is found")
def _():
    home = Home().ran()
    newest = max((home.data / "journal").glob("*.ndjson"))
    ahead = time.time() + 3600
    os.utime(newest, (ahead, ahead))
    home.finds("clock", "bad", "behind the journal's last write", "timedatectl")
    os.utime(newest)
    home.finds("clock", "ok", "later than the journal")
    shift = home.path / "shift"
    shift.symlink_to(str(-40 * 365 * 86400))
    home.finds("clock", "bad", "this program was built in the future", "timedatectl",
               env={"LD_PRELOAD": str(LIBRARY.with_name("libclock.so")), "CLOCK_SHIFT": str(shift),
                    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")
                    + ":verify_asan_link_order=0"})


@test("fewer files than connections are found")
def _():
    home = Home()
    for most, health in ((1024, "warn"), (100, "bad")):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        home.finds("limits", health, f"only {most} files", "LimitNOFILE=16448", preexec_fn=limit)


# --- the journal -------------------------------------------------------------


@test("damage in the newest part of the journal is found, and what was put aside is told")
def _():
    home = Home().ran()
    lines = max((home.data / "journal").glob("*.ndjson"))
    whole = lines.read_bytes()
    lines.write_bytes(whole.replace(b"hello", b"jello"))
    home.finds("journal", "bad", "are damaged", f"journal repair --data {home.data}")
    lines.write_bytes(whole)
    assert all_is_well(home.look())
    (home.data / "journal" / "00000000000000000001.quarantine").write_bytes(b"x")
    home.finds("journal", "warn", "1 damaged pieces are put aside", "*.quarantine")


@test("a journal that is none is found")
def _():
    home = Home()
    home.data.mkdir(mode=0o700)
    (home.data / "journal").write_text("")
    home.finds("journal", "bad", "journal: Not a directory", "--data")


@test("what a failing disk cost is told")
def _():
    home = Home()
    box = FaultyBox(data=home.data)
    box.arm(FAIL="write:1+:EIO")
    with box.start():
        box.emit("kept")
        box.fail()
        # More than waits in memory for a disk: the rest is heard, and not kept.
        http, big = box.http(), {"type": "x", "payload": {"fill": "x" * 900_000}}
        for _ in range(78):
            assert http.ask("POST", "/api/signal?ack=memory", big, box.host_header()).status == 200
        box.mend()
        eventually(lambda: box.request("GET", "/readyz").status == 200)
        box.emit("again")
    found = home.finds("journal", "warn", "signals were lost by the disk", "dmesg")
    assert not any(f[1] == "bad" for f in found if f[0] == "journal"), found


@test("of a long journal only the newest part is read")
def _():
    home = Home("listen: ['127.0.0.1:0']\njournal: {keep: 64MiB, segment: 64KiB}\n")
    with home.box() as box:
        for _ in range(30):
            box.emit("fill", payload={"text": "x" * 20000})
    segments = sorted((home.data / "journal").glob("*.ndjson"))
    assert len(segments) > 4, segments
    segments[1].write_bytes(b"damage\n" + segments[1].read_bytes()[7:])
    assert cli("journal", "verify", *home.words(), env=home.env).code == 1
    assert all_is_well(home.look())


@test("a box that was killed is told")
def _():
    home = Home()
    box = home.box().start()
    box.emit("hello")
    box.kill9()
    home.finds("journal", "ok", "the last box did not stop, it ended")
    home.finds("journal", "ok", "no box has it")


# --- ports -------------------------------------------------------------------


@test("who holds the port is named")
def _():
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        home = Home(f"listen: ['127.0.0.1:{port}']\njournal: {{keep: 64MiB}}\n")
        home.finds("port", "bad", f"127.0.0.1:{port} is held by", f"kill {os.getpid()}")
        home.finds("port", "bad", f"pid {os.getpid()}", "--listen")
    home.finds("port", "ok", f"127.0.0.1:{port} is free")
    with home.box() as box:
        home.finds("port", "ok", f"127.0.0.1:{port} is the box's: ")
        found = home.finds("port", "ok", f"pid {box.pid}")
        assert all_is_well(found), found
        # A lock that does not say who holds it is held all the same.
        lock = home.data / "lock"
        was = lock.read_text()
        lock.write_text("?\n")
        assert not any("pid" in f[2] for f in home.finds("journal", "ok", "a box has it")
                       if f[0] == "journal")
        lock.write_text(was)


@test("who may decide without a token is found")
def _():
    home = Home()
    home.finds("trust", "ok", "without a credential nobody answers or controls")
    home = Home("listen: [{address: '127.0.0.1:0', local: 'observe,answer,control'}]\n")
    found = home.finds("trust", "warn", "127.0.0.1:0 gives answer and control to every program of this "
                       "user without a token (local): an agent could approve itself", "give the screen a token")
    assert not [f for f in found if f[1] == "bad"], found
    home = Home("auth: {local: 'observe,answer'}\n")
    home.finds("trust", "warn", "gives answer to every program of this user without a token (auth.local)")


@test("a port that nobody we can see holds is found, and one that systemd keeps is fine")
def _():
    # A socket on its way from one process to another is no process's.
    here, there = socket.socketpair()
    with here, there:
        holder = socket.create_server(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        socket.send_fds(here, [b"x"], [holder.fileno()])
        holder.close()
        home = Home(f"listen: ['127.0.0.1:{port}']\njournal: {{keep: 64MiB}}\n")
        home.finds("port", "bad", f"is held by a process of uid {os.getuid()}", "have it stopped")
    systemd = home.path / "systemd"
    systemd.symlink_to(sys.executable)
    code = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); " \
           "print(s.getsockname()[1], flush=True); time.sleep(60)"
    keeper = subprocess.Popen([systemd, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        port = int(keeper.stdout.readline())
        home.configure(f"listen: ['127.0.0.1:{port}']\njournal: {{keep: 64MiB}}\n")
        found = home.finds("port", "ok", f"127.0.0.1:{port} is held by systemd, to hand it over")
        assert all_is_well(found), found
    finally:
        keeper.kill()
        keeper.wait()
        keeper.stdout.close()


@test("a port that only root may have is found")
def _():
    first = int(open("/proc/sys/net/ipv4/ip_unprivileged_port_start").read())
    home = Home("listen: ['127.0.0.1:1']\njournal: {keep: 64MiB}\n")
    if first <= 1:
        comment("everybody may have every port here")
        home.finds("port", "ok", "127.0.0.1:1 is free")
        return
    without = ["setpriv", "--bounding-set", "-net_bind_service"] if os.geteuid() == 0 else []
    home.finds("port", "bad", "cannot be had: Permission denied",
               "choose a port above 1023 with --listen", by=without)


@test("a box that does not let us see what it holds is no stranger on its port")
def _():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = Home(f"listen: ['127.0.0.1:{port}']\njournal: {{keep: 64MiB}}\n")
    program, by = SIGNALBOX, ["setpriv", "--bounding-set", "-all"]
    if os.geteuid() != 0:  # what we may run and not read, we may not look into
        program, by = home.path / "hidden", []
        shutil.copy(SIGNALBOX, program)
        program.chmod(0o111)
    with subprocess.Popen([program, "serve", *home.words()], env=environment(home.env),
                          stdout=subprocess.DEVNULL) as box:
        try:
            eventually(lambda: (home.data / "listen").exists())
            home.finds("port", "ok", f"is held by uid {os.geteuid()}, as which the box runs", by=by)
        finally:
            box.terminate()


@test("who listens on all addresses holds the port too, also for IPv6")
def _():
    with socket.create_server(("0.0.0.0", 0)) as holder:
        port = holder.getsockname()[1]
        home = Home(f"listen: ['127.0.0.1:{port}']\n")
        home.finds("port", "bad", f"127.0.0.1:{port} is held by", str(os.getpid()))
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as holder:
        port = holder.getsockname()[1]
        home = Home(f"listen: ['[::1]:{port}']\n")
        home.finds("port", "bad", f"[::1]:{port} is held by", str(os.getpid()))


@test("an address that this machine does not have is found")
def _():
    cert, key = make_cert(temp_dir())
    home = Home(f"listen: [{{address: '192.0.2.1:7446', cert: {cert}, key: {key}}}]\n")
    home.finds("port", "bad", "192.0.2.1:7446 cannot be had", "--listen")


@test("a socket that somebody else answers is found, and one that nobody does")
def _():
    home = Home().ran()
    sock = home.data / "sock"
    with socket.socket(socket.AF_UNIX) as squatter:
        squatter.bind(str(sock))
        squatter.listen()
        sock.chmod(0o600)
        home.finds("sockets", "bad", f"{sock} is answered, but no box", f"fuser {sock}")
    sock.unlink()
    with home.box() as box:
        sock.rename(home.data / "elsewhere")
        home.finds("sockets", "bad", "a box runs, but nobody answers", "start the box again")
        (home.data / "elsewhere").rename(sock)
        listen = home.data / "listen"
        was = listen.read_text()
        with socket.create_server(("127.0.0.1", 0)) as other:
            listen.write_text(f"127.0.0.1:{other.getsockname()[1]}\n")
            home.finds("sockets", "bad", "is held by", f"kill {os.getpid()}")
        home.finds("sockets", "bad", "does not listen on", "start the box again")
        listen.write_text(was)


# --- certificates ------------------------------------------------------------


def cert_for(days, begins=-40):
    where = temp_dir()
    cert, key = make_cert(where)
    begin = time.time() + begins * 86400
    stamp = lambda t: time.strftime("%Y%m%d%H%M%SZ", time.gmtime(t))
    (where / "index.txt").write_text("")
    (where / "ca.cnf").write_text(
        f"[ca]\ndefault_ca=c\n[c]\ndatabase={where}/index.txt\nnew_certs_dir={where}\n"
        "rand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
    subprocess.run(["openssl", "req", "-new", "-key", key, "-subj", "/CN=localhost", "-out",
                    where / "csr"], check=True, capture_output=True)
    subprocess.run(["openssl", "ca", "-batch", "-config", where / "ca.cnf", "-selfsign",
                    "-keyfile", key, "-in", where / "csr", "-out", cert, "-notext",
                    "-startdate", stamp(begin), "-enddate", stamp(time.time() + (days + 0.5) * 86400)],
                   check=True, capture_output=True)
    return cert, key


def secure(cert, key):
    return Home(f"listen: [{{address: '127.0.0.1:0', cert: {cert}, key: {key}}}]\n"
                "journal: {keep: 64MiB}\n")


@test("a certificate that ends soon, ended, or has another's key is found")
def _():
    home = secure(*cert_for(100))
    found = home.finds("tls", "ok", "is good for 100 more days")
    assert all_is_well(found), found
    secure(*cert_for(20)).finds("tls", "warn", "is good for 20 more days", "SIGHUP")
    secure(*cert_for(-4)).finds("tls", "bad", "ended 3 days ago", "renew it")
    secure(*cert_for(400, begins=2.5)).finds("tls", "bad", "is not good before 3 days", "renew it")
    cert, _ = make_cert(temp_dir())
    _, key = make_cert(temp_dir())
    secure(cert, key).finds("tls", "bad", "key", "the key that belongs to it")
    cert, key = cert_for(50)
    home = secure(cert, key)
    key.chmod(0o604)
    home.finds("permissions", "bad", f"{key} is open to others: mode 0604", f"chmod o= {key}")
    key.chmod(0o640)
    # One with what OpenSSL trusts it for is a certificate, too.
    subprocess.run(["openssl", "x509", "-in", cert, "-trustout", "-out", cert], check=True)
    found = home.finds("tls", "ok", "is good for 50 more days")
    assert all_is_well(found), found


@test("a certificate for devices that ends soon, ended or is none is found, and a list of devices and a key that are none")
def _():
    home = Home().ran()
    pem = home.data / "phone.pem"
    home.finds("phone", "ok", "no certificate was made for devices yet")
    for days, health, words in ((100, "ok", "is good for 100 more days"), (20, "warn", "is good for 20 more days"),
                                (-4, "warn", "ended 3 days ago")):
        cert, key = cert_for(days)
        pem.touch(0o600)
        pem.write_text(key.read_text() + cert.read_text())
        home.finds("phone", health, f"{pem} {words}", "" if health == "ok" else "makes another")
    pem.write_text("no PEM\n")
    home.finds("phone", "warn", f"{pem}: ", "makes another")
    pem.unlink()
    for name, good in (("devices.json", "[]\n"), ("push-key", None)):
        path = home.data / name
        good = good or path.read_text()
        for bad in ("{}", "[1]", "x"):
            path.touch(0o600)
            path.write_text(bad)
            home.finds("start", "bad", f"{path} ", "signalbox check")
            done = cli("check", *home.words())
            assert done.code != 0 and f"{path} " in done.err, done
        path.write_text(good)
        assert all_is_well(home.look()), home.look()
    home.configure("listen: ['127.0.0.1:7447']\njournal: {keep: 64MiB}\n")
    home.finds("phone", "warn", "127.0.0.1:7447 has the port of phone.listen", "another port")


# --- Claude Code -------------------------------------------------------------


class Tapped(Home):
    """Claude Code of a version, with our hooks in its settings."""

    def __init__(self, version="2.1.325"):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        super().__init__(f"listen: ['127.0.0.1:{self.port}']\njournal: {{keep: 64MiB}}\n")
        self.settings = self.claude / "settings.json"
        self.bin = self.path / "claude-bin"
        self.bin.mkdir()
        self.env = {**self.env, "PATH": f"{self.bin}:{self.env.get('PATH', os.environ['PATH'])}"}
        self.has(version)
        self.install()

    def has(self, version):
        (self.bin / "claude").touch(0o755)
        (self.bin / "package.json").write_text(
            json.dumps({"name": "@anthropic-ai/claude-code", "version": version}))

    def install(self, *words):
        done = cli("tap", "install", *words, *self.words(), env=self.env)
        assert done.code == 0, done


@test("settings of Claude Code that are no JSON are told with line and column")
def _():
    home = Home()
    home.claude.mkdir()
    home.finds("claude", "ok", "no hook of ours")
    (home.claude / "settings.json").write_text('{\n  "hooks": oops\n}\n')
    home.finds("claude", "bad", "line 2, column 12", "by hand")
    home.configure("wrong: 1\n")
    home.finds("claude", "bad", "line 2, column 12", "by hand")


@test("a credential file of Claude Code that others can read is found")
def _():
    home = Home()
    home.claude.mkdir()
    (home.claude / ".credentials.json").write_text("{}")
    (home.claude / ".credentials.json").chmod(0o644)
    home.finds("claude", "bad", ".credentials.json is open to others: mode 0644", "chmod 600 ")
    (home.claude / ".credentials.json").chmod(0o600)
    assert all_is_well(home.look())


@test("hooks that speak to a port are found, whoever listens there")
def _():
    home = Tapped()
    with home.box():
        found = home.finds("claude", "ok", "our hooks are in")
        assert all_is_well(found), found
        settings = json.loads(home.settings.read_text())
        settings["hooks"]["Stop"][0]["hooks"] = [
            {"type": "http", "url": f"http://127.0.0.1:{home.port}/api/hooks/claude-code"}]
        home.settings.write_text(json.dumps(settings))
        home.finds("claude", "bad", "1 hooks of ours in", "signalbox tap install")
        home.install()
        assert all_is_well(home.look())


@test("an older or newer Claude Code than the hooks were installed for is found")
def _():
    home = Tapped("2.1.250")
    with home.box():
        assert all_is_well(home.look())
        home.has("2.1.325")
        home.finds("claude", "warn", "are outdated", "signalbox tap install")
        home.has("2.1.110")
        home.finds("claude", "warn", "Claude Code 2.1.110 (", "signalbox tap install")
        home.has("2.1.97")
        home.finds("claude", "bad", "passes over all of", "signalbox tap install")
        home.install("--approve")
        assert all_is_well(home.look())
        home.has("2.0.77")
        home.finds("claude", "bad", "Claude Code 2.0.77 (", "signalbox tap install --approve")
        home.install()
        assert all_is_well(home.look())


@test("hooks that lead to another box are found")
def _():
    home = Tapped()
    home.settings.write_text(home.settings.read_text().replace("--data '", "--data '/elsewhere"))
    home.finds("claude", "warn", "lead to another box", "signalbox tap install")


@test("hooks that are outdated, disabled, or run another program are found")
def _():
    home = Tapped()
    whole = home.settings.read_text()
    with home.box():
        settings = json.loads(whole)
        del settings["hooks"]["Stop"]
        home.settings.write_text(json.dumps(settings))
        home.finds("claude", "warn", "are outdated", "signalbox tap install")
        home.settings.write_text(whole.replace("{", '{"disableAllHooks": true,', 1))
        home.finds("claude", "warn", "Claude Code runs no hook")
        other = home.path / "signalbox"
        here = os.path.realpath(SIGNALBOX)
        assert here in whole, whole
        home.settings.write_text(whole.replace(here, str(other)))
        home.finds("claude", "bad", f"our hooks run {other}: No such file", "tap install")
        shutil.copy(SIGNALBOX, other)
        home.finds("claude", "warn", f"our hooks run {other}, and this is {here}", "tap install")


# --- systemd -----------------------------------------------------------------


@test("a unit that failed, does not run, or starts nothing is found")
def _():
    home = Home()
    assert cli("service", "install", *home.words(), env=home.env).code == 1, "no data yet"
    home.ran()
    assert cli("service", "install", *home.words(), env=home.env).code == 0
    home.finds("service", "warn", "is enabled, and does not run", "systemctl --user enable --now")
    (home.path / "disabled").touch()
    home.finds("service", "warn", "is not enabled, and does not run", "enable --now signalbox")
    (home.path / "disabled").unlink()
    (home.path / "failed").touch()
    home.finds("service", "bad", "signalbox.service failed", "journalctl --user -u signalbox")
    (home.path / "active").touch()
    found = home.finds("service", "ok", "signalbox.service runs")
    assert all_is_well(found), found
    unit = home.path / ".config/systemd/user/signalbox.service"
    unit.write_text(unit.read_text().replace(os.path.realpath(SIGNALBOX), "/nowhere/signalbox"))
    home.finds("service", "bad", "starts /nowhere/signalbox: No such file", "service install")


# --- all of them --------------------------------------------------------------


def calls_of(source):
    """The inside of every doctor_say() of a file."""
    for at in (m.end() for m in re.finditer(r"\bdoctor_say\(", source)):
        depth, end = 1, at
        while depth:
            depth += {"(": 1, ")": -1}.get(source[end], 0)
            end += 1
        yield source[at:end - 1]


def patterns():
    """(words of the source, what a finding with them looks like)."""
    for path in sorted((ROOT / "src" / "cli").glob("doctor_*.c")):
        for call in calls_of(path.read_text()):
            for words in re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*)+', call):
                words = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words))
                parts = re.split(r"%[0-9.]*(?:ll)?[a-z]|%%", words)
                if len("".join(parts).strip(": ")) > 2:
                    yield words, ".*".join(map(re.escape, parts))


@test("each finding that the program has words for was made here")
def _():
    assert len(list(patterns())) > 50, list(patterns())
    missing = [words for words, shape in patterns()
               if not any(re.search(shape, said) for _, said in SEEN)]
    assert missing == [], missing


run()
