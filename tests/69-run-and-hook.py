#!/usr/bin/env python3
"""Programs that tell the box what they do are never held up by it: hooks and runs."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import termios
import time

from doors import config_box, limited
from faults import FaultyBox
from lib import (PATIENCE_S, SHARED, SIGNALBOX, SLOW, Box, Process, Skip, at_last, cli, environment,
                 eventually, in_time, run, temp_dir, test)

HOOK = "/api/hooks/claude-code"
VECTORS = SHARED / "vectors" / "claude-hooks"
STOP = {"hook_event_name": "Stop", "session_id": "s"}


def recorded(name):
    if not VECTORS.exists():
        raise Skip("the shared recordings are not here")
    return (VECTORS / name).read_text().splitlines()


def refused(box):
    return box.request("GET", "/api/status").json()["hooks"]["refused"]


# --- the route ---------------------------------------------------------------


@test("every recorded hook is answered with an empty object and becomes signals of the tap")
def _():
    hooks = recorded("command-hooks.jsonl")
    with Box() as box:
        http = box.http(unix=False)
        for line in hooks:
            answer = http.ask("POST", HOOK, line, box.host_header())
            assert answer.status == 200 and answer.body == b"{}", answer
            assert answer.headers["content-type"] == "application/json", answer
        http.close()
        got = [s for s in box.history() if s["source"] != "signalbox"]
        assert {s["source"] for s in got} == {"adapter:tap"}, got
        sessions = {json.loads(line)["session_id"] for line in hooks}
        assert {s["correlationId"] for s in got} == sessions, got
        kinds = {s["type"] for s in got}
        assert {"task_dispatch", "tool_call", "tool_result", "error", "text_delta"} <= kinds, kinds
        status = box.request("GET", "/api/status").json()["hooks"]
        assert status == {"taken": len(hooks), "refused": 0, "late": 0, "cut": 0, "spooled": 0,
                          "lost": 0}, status


@test("a peer without a token cannot forge a type through a hook")
def _():
    names = ["user.click", "prompt", "answer", "control", "source.state", "journal.gap", "x y"]
    with Box() as box:
        for name in names:
            hook = {"hook_event_name": name, "type": name, "source": "signalbox", "seq": 99}
            assert box.request("POST", HOOK, hook, unix=False).status == 200
        got = [s for s in box.history() if s["source"] != "signalbox"]
        assert [s["type"] for s in got] == ["event"] * len(names), got
        assert {s["source"] for s in got} == {"adapter:tap"}, got


@test("what is no hook is refused in words and counted")
def _():
    with limited(body="64KiB") as box:
        for body in ("{x", "[1]", '"x"', "5", "{}", '{"hook_event_name": 5}', "", "  "):
            answer = box.request("POST", HOOK, body, unix=False)
            assert answer.status == 400 and answer.json()["error"], (body, answer)
        assert refused(box) == 8
        answer = box.request("POST", HOOK, {**STOP, "x": "y" * 70000}, unix=False)
        assert answer.status == 413, answer
        assert refused(box) == 9
        answer = box.request("POST", HOOK, STOP, {"Content-Type": "text/plain"}, unix=False)
        assert answer.status == 415, answer
        answer = box.request("POST", HOOK, STOP, {"Origin": "http://evil.com"}, unix=False)
        assert answer.status == 403, answer
        assert box.request("POST", HOOK, STOP, {"X-Forwarded-For": "1.2.3.4"},
                           unix=False).status == 401
        assert box.request("GET", HOOK, unix=False).status == 405
        assert [s for s in box.history() if s["source"] == "adapter:tap"] == []


@test("without local emits a hook needs a token, and the Unix socket is one")
def _():
    with config_box("auth: {local: observe}\n") as box:
        assert box.request("POST", HOOK, STOP, unix=False).status == 401
        assert box.request("POST", HOOK, STOP, box.bearer(), unix=False).status == 200
        assert box.request("POST", HOOK, STOP).status == 200


def ask_often(box, count):
    """How long each of so many hooks took, in ms."""
    http = box.http(unix=False)
    times = []
    for n in range(count):
        began = time.monotonic()
        answer = http.ask("POST", HOOK, {**STOP, "session_id": str(n)}, box.host_header())
        times.append((time.monotonic() - began) * 1000)
        assert answer.status == 200, answer
    http.close()
    return times


@test("a hook is answered from memory, whatever the disk does")
def _():
    for fault in ({"SLOW": 600_000}, {"FAIL": "sync:1+:EIO,write:1+:ENOSPC"}):
        box = FaultyBox()
        box.arm(**fault)
        with box.start():
            box.fail()
            times = ask_often(box, 60)
            assert max(times) < 10_000, sorted(times)  # who waits for the disk waits 30 s
            box.kill9()


# --- signalbox hook ----------------------------------------------------------


def hook(data, payload, within, **how):
    """Runs it; it must say nothing, end with 0, and in time."""
    def once():
        began = time.monotonic()
        result = cli("hook", "--data", data, input=payload, **how)
        took = time.monotonic() - began
        assert (result.code, result.out, result.err) == (0, "", ""), result
        in_time(took < within * SLOW, f"{took} s")
        return took
    return at_last(once)


def hand_over(data, payload):
    """A packet as `signalbox hook` sends it; the line stays open."""
    body = json.dumps(payload).encode()
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # A box that has just started opens this door last; a hook would spool till then.
    eventually(lambda: line.connect_ex(str(data / "hooks")) == 0, every=0.005)
    line.send(b"SBP\0h\0\0\0" + struct.pack("=qQ", int(time.time() * 1000), len(body)) + body)
    return line


def heard(box, **where):
    """Signals of the tap whose metadata say so."""
    return [s for s in box.history("&limit=1000") if s["source"] == "adapter:tap"
            and all(s["metadata"].get(k) == v for k, v in where.items())]


@test("signalbox hook passes the payload on, with the time when it was told")
def _():
    with Box() as box:
        before = time.time() * 1000 - 1
        for line in recorded("command-hooks.jsonl"):
            hook(box.data, line, 5)
        got = eventually(lambda: (s := heard(box)) and len(s) >= 23 and s)
        assert all(before <= s["timestamp"] <= time.time() * 1000 + 1 for s in got), got
        assert not any("late" in s["metadata"] for s in got), got


@test("signalbox hook ends when its JSON is whole, however slowly that comes and whether or not it ends")
def _():
    with Box() as box:
        with Process("hook", "--data", box.data, stdin=subprocess.PIPE) as slow:
            for piece in ('{"hook_event_name": "Sto', 'p", "session_id": "sl}', 'ow"}'):
                slow.process.stdin.write(piece.encode())
                slow.process.stdin.flush()
                time.sleep(0.3)  # longer than any hook was ever waited for
            assert slow.wait() == 0 and slow.err() == ""  # and its standard input is open still
        assert eventually(lambda: [s for s in heard(box) if s["correlationId"] == "sl}ow"])


@test("signalbox hook is quiet and quick when the box is away, stopped or full of junk")
def _():
    nowhere = temp_dir()
    hook(nowhere, json.dumps(STOP), 1)
    hook(nowhere / ("x" * 200), json.dumps(STOP), 1)
    hook(nowhere, "", 1)
    with Box() as box:
        hook(box.data, b"\x00\xff{garbage", 1)
        os.kill(box.pid, signal.SIGSTOP)
        try:
            hook(box.data, json.dumps({**STOP, "session_id": "small"}), 1)
            hook(box.data, json.dumps({**STOP, "session_id": "big", "x": "y" * 900_000}), 2)
            hook(box.data, json.dumps({**STOP, "session_id": "huge", "x": "y" * 9_000_000}), 2)
        finally:
            os.kill(box.pid, signal.SIGCONT)
        # The kernel took it for a stopped box: nothing is lost, and it is in its order.
        got = eventually(lambda: (s := [s["correlationId"] for s in heard(box, hook="Stop")])
                         and len(s) == 3 and s)
        assert got == ["small", "big", "huge"], got
        assert refused(box) == 1
        assert not (box.data / "spool").exists()
    bad = nowhere / "signalbox.yaml"
    bad.write_text("nonsense: [")
    hook(nowhere, json.dumps(STOP), 1, env={"SIGNALBOX_CONFIG": str(bad)})


@test("a payload over the limit is stored as a stub with its size and how it began")
def _():
    payload = json.dumps({"hook_event_name": "PreToolUse", "session_id": "big", "tool_name": "Write",
                          "tool_use_id": "t1", "tool_input": {"content": "0123456789" * 150_000}})
    with Box() as box:
        hook(box.data, payload, 5)
        (got,) = eventually(lambda: heard(box))
        assert got["type"] == "tool_call" and got["payload"]["toolName"] == "Write", got
        assert got["payload"]["callId"] == "t1" and got["correlationId"] == "big", got
        cut = got["metadata"]["cut"]
        assert cut["bytes"] == len(payload) and cut["first"] == payload[:65536], cut["bytes"]
        hook(box.data, "x" * (17 << 20), 5)
        got = eventually(lambda: [s for s in heard(box) if s["type"] == "event"])
        assert got[0]["metadata"]["cut"]["bytes"] == 17 << 20
        assert refused(box) == 0


@test("the program is not linked with libcurl, for which every hook would wait")
def _():
    with open(SIGNALBOX, "rb") as program:
        assert b"libcurl.so.4\0" in program.read()  # that it loads when it needs it
    listed = subprocess.run(["ldd", SIGNALBOX], capture_output=True, text=True, check=True).stdout
    assert "libcurl" not in listed, listed


@test("what hooks tell out of order is heard in the order in which it happened")
def _():
    def tool(event, n, session):
        return {"hook_event_name": event, "session_id": session, "tool_name": "Read",
                "tool_use_id": f"{session}-{n}", "prompt_id": "p"}

    with Box() as box:
        told = [tool("PostToolUse", n, s) for s in "ab" for n in range(20)]
        told += [{**STOP, "session_id": s, "prompt_id": "p"} for s in "ab"]
        told += [tool("PreToolUse", n, s) for s in "ab" for n in reversed(range(20))]
        told += [{"hook_event_name": "MessageDisplay", "session_id": "m", "message_id": "1",
                  "index": n, "final": n == 4, "delta": str(n)} for n in (3, 0, 4, 2, 1)]
        lines = []
        for payload in told:  # each has said all before the next begins: the order is certain
            lines.append(hand_over(box.data, payload))
        got = eventually(lambda: (s := heard(box)) and len(s) == len(told) and s)
        for session in "ab":
            mine = [s for s in got if s["correlationId"] == session]
            seen = {}
            for at, s in enumerate(mine[:-1]):
                seen.setdefault(s["payload"]["callId"], []).append(s["type"])
            assert len(seen) == 20, seen
            assert all(types == ["tool_call", "tool_result"] for types in seen.values()), seen
            assert mine[-1]["type"] == "agent_state_change", mine[-1]
        words = "".join(s["payload"]["content"] for s in got if s["correlationId"] == "m")
        assert words == "01234", words
        for line in lines:
            line.close()


@test("many hooks at once lose nothing and swap nothing of a session")
def _():
    with Box() as box:
        told = []
        for session in range(6):
            for n in range(10):
                told += [{"hook_event_name": event, "session_id": f"s{session}", "tool_name": "Read",
                          "tool_use_id": f"t{session}-{n}"} for event in ("PreToolUse", "PostToolUse")]
        hooks = []
        for payload in told:
            h = subprocess.Popen([SIGNALBOX, "hook", "--data", box.data], stdin=subprocess.PIPE,
                                 env=environment({}))
            h.stdin.write(json.dumps(payload).encode())
            h.stdin.close()
            hooks.append(h)
        for h in hooks:
            assert h.wait(PATIENCE_S) == 0
        got = eventually(lambda: (s := heard(box)) and len(s) == len(told) and s)
        seen = {}
        for s in got:
            seen.setdefault(s["payload"]["callId"], []).append(s["type"])
        assert len(seen) == 60 and all(t == ["tool_call", "tool_result"] for t in seen.values()), seen


# --- the spool -----------------------------------------------------------------


@test("what did not reach the box is spooled, and admitted at its start with its own time")
def _():
    with Box() as box:
        box.emit({"type": "note"})
        box.kill9()
        told = []
        for n in range(5):
            hook(box.data, json.dumps({**STOP, "session_id": f"s{n}", "x": "two\nlines"}, indent=1), 1)
            told.append(time.time() * 1000)
        spool = box.data / "spool"
        assert spool.stat().st_mode & 0o7777 == 0o600
        time.sleep(0.2)
        box.start()
        got = eventually(lambda: (s := heard(box, late=True)) and len(s) == 5 and s)
        assert [s["correlationId"] for s in got] == [f"s{n}" for n in range(5)], got
        assert all(s["timestamp"] <= t for s, t in zip(got, told)), got
        assert box.request("GET", "/api/status").json()["hooks"]["late"] == 5
        eventually(lambda: not list(box.data.glob("spool*")))
        hook(box.data, json.dumps({**STOP, "session_id": "now"}), 1)
        (got,) = eventually(lambda: [s for s in heard(box) if s["correlationId"] == "now"])
        assert "late" not in got["metadata"], got


@test("a box that is killed while it takes the spool takes it again, and tells nothing twice")
def _():
    with Box() as box:
        box.emit({"type": "note"})
        box.kill9()
        for n in range(20):
            hook(box.data, json.dumps({**STOP, "session_id": f"s{n}"}), 1)
            hook(box.data, json.dumps({**STOP, "session_id": f"s{n}"}), 1)
        spooled = (box.data / "spool").read_bytes()
        for _ in range(3):
            box.start()
            eventually(lambda: len(heard(box, late=True)) == 40)
            box.kill9()
            (box.data / "spool.taken").write_bytes(spooled)  # also where it was just ended
        box.start()
        eventually(lambda: not list(box.data.glob("spool*")))
        got = [s["correlationId"] for s in heard(box, late=True)]
        assert got == [f"s{n}" for n in range(20) for _ in range(2)], got


@test("a box that runs takes what was spooled while it could not be reached")
def _():
    with Box() as box:
        (box.data / "hooks").rename(box.data / "elsewhere")
        hook(box.data, json.dumps(STOP), 1)
        (got,) = eventually(lambda: heard(box))
        assert got["metadata"]["late"] is True, got


@test("a spool that is full counts what it has no room for, and that is told")
def _():
    with Box() as box:
        box.kill9()
        with open(box.data / "spool", "wb") as spool:
            spool.truncate((64 << 20) - 10)
        for _ in range(3):
            hook(box.data, json.dumps(STOP), 1)
        assert (box.data / "spool").stat().st_size == (64 << 20) - 10
        (box.data / "spool").unlink()
        box.start()
        assert box.request("GET", "/api/status").json()["hooks"]["lost"] == 3
        result = cli("doctor", "--data", box.data)
        assert "3 payloads of hooks were lost" in result.out, result


@test("what came late or was lost is told where the page and top list the source")
def _():
    home = temp_dir()
    (home / ".claude").mkdir()  # so that the source is on the list
    with Box(env={"HOME": str(home)}) as box:
        def source():
            rows = box.request("GET", "/api/sources").json()["sources"]
            return next((s for s in rows if s["id"] == "local:claude-code"), None)

        box.request("POST", "/api/discover/rescan")
        eventually(source)
        (box.data / "hooks").rename(box.data / "elsewhere")
        hook(box.data, json.dumps(STOP), 1)
        eventually(lambda: "1 payloads of hooks came late" in (source()["lastError"] or ""))
        (box.data / "spool.lost").write_text("...")
        eventually(lambda: "3 payloads of hooks were lost" in (source()["lastError"] or ""))
        assert source()["dropped"] == 3, source()


@test("what hooks tell before the first start of the box is heard after it")
def _():
    data = temp_dir() / "state" / "signalbox"
    hook(data, json.dumps({**STOP, "session_id": "early"}), 5)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    with Box(data=data) as box:
        (early,) = eventually(lambda: heard(box, hook="Stop"))
        assert early["correlationId"] == "early" and early["metadata"]["late"] is True, early
    os.mkfifo(data / "spool")
    hook(data, json.dumps(STOP), 5)
    assert (data / "spool.lost").read_bytes() == b"."


@test("a payload above every limit is held like any other, and its stub has its size and its names")
def _():
    with Box() as box:
        (box.data / "held").mkdir(mode=0o700)
        (box.data / "held" / "huge").write_text("0")
        text = json.dumps({"hook_event_name": "PreToolUse", "session_id": "huge", "tool_name": "Bash",
                           "tool_input": {"command": "x" * 70_000_000}, "tool_use_id": "t1"}).encode()
        with Process("hook", "--decide", "--data", box.data, stdin=subprocess.PIPE) as held:
            held.process.stdin.write(text)
            held.process.stdin.flush()
            (call,) = eventually(lambda: [s for s in heard(box) if s["type"] == "tool_call"])
            assert held.process.poll() is None, "it was not held"
            assert cli("control", "huge", "continue", "--data", box.data).code == 0
            assert held.wait() == 0 and held.err() == ""
        assert call["correlationId"] == "huge" and call["payload"]["toolName"] == "Bash", call
        cut = call["metadata"]["cut"]
        assert cut["bytes"] == len(text), cut["bytes"]
        assert cut["first"].startswith('{"hook_event_name": "PreToolUse"'), cut["first"][:80]


@test("signalbox hook gives nothing to a socket that is another user's")
def _():
    if os.getuid() != 0:
        raise Skip("to be another user one has to be root")
    data = temp_dir()
    ready, said = os.pipe()
    pid = os.fork()
    if pid == 0:
        squatter = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        squatter.bind(str(data / "hooks"))
        os.setgid(65534)
        os.setuid(65534)
        squatter.listen(5)  # whose it is, is who listens
        os.write(said, b".")
        line, _ = squatter.accept()
        os._exit(1 if line.recv(100) else 0)
    assert os.read(ready, 1) == b"."
    hook(data, json.dumps(STOP), 1)
    assert os.waitpid(pid, 0)[1] == 0, "it was told something"
    assert b'"Stop"' in (data / "spool").read_bytes()


@test("signalbox hook ends with 0 even when it is misused: 2 would block the agent")
def _():
    for words in (["--nonsense"], ["--data"], ["--color", "pink"]):
        result = cli("hook", *words)
        assert result.code == 0 and result.out == "", result


# --- signalbox run -----------------------------------------------------------


def signals(box, **where):
    got = [s for s in box.history() if s["source"] != "signalbox"]
    return [s for s in got if all(s.get(k) == v for k, v in where.items())]


@test("run passes the output on, keeps the exit status and tells start and end")
def _():
    with Box() as box:
        script = 'printf "hello\\nworld\\000\\377 end"; echo oops >&2; exit 3'
        done = subprocess.run([SIGNALBOX, "run", "--data", box.data, "--", "sh", "-c", script],
                              capture_output=True, env=environment(), timeout=PATIENCE_S)
        assert done.returncode == 3, done
        assert done.stdout == b"hello\nworld\0\xff end" and done.stderr == b"oops\n", done
        first, *words, last = signals(box)
        assert first["type"] == "task_dispatch" and first["payload"]["to"] == "sh", first
        assert [w["payload"]["content"] for w in words][0] == "hello\n", words
        assert last["type"] == "completion", last
        assert last["payload"]["success"] is False and last["metadata"]["exitCode"] == 3, last
        assert {s["source"] for s in (first, *words, last)} == {"adapter:tap:sh"}
        assert len({s["correlationId"] for s in (first, *words, last)}) == 1
        assert last["payload"]["taskId"] == first["payload"]["taskId"] == first["correlationId"]
        assert "printf" not in json.dumps([first, last]), "arguments are nobody's business"


@test("run ends as the program does, also when it cannot be run")
def _():
    data = temp_dir()
    plain = data / "plain"
    plain.write_text("x")
    for words, code in ((["true"], 0), (["sh", "-c", "kill -9 $$"], 137), (["no-such"], 127),
                        ([plain], 126), (["sh", "-c", "kill -TERM $$"], 143)):
        result = cli("run", "--data", data, "--", *words)
        assert result.code == code, (words, result)
    assert cli("run").code == 2 and cli("run", "--parse", "x", "--", "true").code == 2


@test("run names the signals as it is told and gives the program its input")
def _():
    with Box() as box:
        result = cli("run", "--data", box.data, "--source", "me", "--correlation-id", "c1",
                     "--", "cat", input='{"type":"own","source":"theirs"}\nwords\n')
        assert result.code == 0 and result.out.endswith("words\n") and result.err == "", result
        got = signals(box)
        assert [(s["type"], s["source"]) for s in got] == [
            ("task_dispatch", "me"), ("own", "theirs"), ("text_delta", "me"),
            ("completion", "me")], got
        assert {s["correlationId"] for s in got} == {"c1"}, got


def program(name, text):
    """A directory with a program of that name, which prints the text."""
    top = temp_dir()
    (top / "out").write_text(text)
    (top / name).write_text(f"#!/bin/sh\ncat {top}/out\n")
    (top / name).chmod(0o755)
    return {"PATH": f"{top}:{os.environ['PATH']}"}


@test("run knows what claude and codex print when they are told to")
def _():
    codex = "".join(json.dumps(e) + "\n" for e in (
        {"type": "thread.started", "thread_id": "t1"}, {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "hi"}},
        {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 1}}))
    claude = "\n".join(recorded("stream-json.jsonl")) + "\n"
    cases = (("claude", ["-p", "--output-format", "stream-json", "x"], claude, "claude-stream"),
             ("codex", ["exec", "--json", "x"], codex, "codex"),
             ("claude", ["-p", "x"], "plain words\n", "lines"))
    for name, words, text, protocol in cases:
        with Box() as box:
            result = cli("run", "--data", box.data, "--", name, *words, env=program(name, text))
            assert result.code == 0 and result.out == text, result
            parsed = cli("parse", protocol, input=text)
            want = [json.loads(line)["type"] for line in parsed.out.splitlines()]
            got = [s["type"] for s in signals(box)]
            want = [t for t in want if t not in ("completion", "error")]
            assert got == ["task_dispatch", *want, "completion"] and want, (name, got, want)


@test("run passes on interrupts that are sent to it")
def _():
    script = 'trap "echo got; exit 7" TERM; echo ready; while :; do sleep 0.05; done'
    with Process("run", "--data", temp_dir(), "--", "sh", "-c", script) as process:
        assert process.line() == "ready"
        process.process.send_signal(signal.SIGTERM)
        assert process.line() == "got"
        assert process.wait() == 7


class Screen:
    """`signalbox run ARGS` on a terminal of its own."""

    def __init__(self, *args, size=(40, 120)):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
                os.execve(SIGNALBOX, [SIGNALBOX, *map(str, args)], environment())
            finally:
                os._exit(127)
        self.got = ""

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, pattern):
        def look():
            if select.select([self.fd], [], [], 0)[0]:
                try:
                    self.got += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    pass
            return re.search(pattern, self.got)
        return eventually(look, every=0.01)

    def end(self):
        def look():
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            return (status,) if pid else None
        status = eventually(look)[0]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


@test("run on a terminal gives the program one of the same size, and follows it")
def _():
    script = ('test -t 0 -a -t 1 -a -t 2 && echo all; stty size <&1; '
              'trap "stty size <&1" WINCH; echo ready; '
              'while ! test -e "$0"; do sleep 0.05; done; echo over')
    flag = temp_dir() / "flag"
    with Box() as box:
        screen = Screen("run", "--data", box.data, "--", "sh", "-c", script, flag)
        screen.until(r"all\r+\n40 120\r+\nready\r+\n")
        screen.resize(50, 90)
        screen.until(r"50 90\r+\n")
        flag.touch()
        screen.until(r"over\r+\n")
        assert screen.end() == 0, screen.got
        words = [s["payload"].get("content") for s in signals(box, type="text_delta")]
        assert words[:2] == ["all\n", "40 120\n"] and words[-1] == "over\n", words


@test("Ctrl-C on a terminal reaches the program once")
def _():
    script = ('trap "n=$((n+1)); echo caught" INT; echo ready; until [ "$n" ]; do sleep 0.05; done; '
              'for i in 1 2 3 4 5 6; do sleep 0.1; done; exit 5')
    screen = Screen("run", "--data", temp_dir(), "--", "sh", "-c", script)
    screen.until("ready")
    os.write(screen.fd, b"\x03")
    screen.until("caught")
    assert screen.end() == 5, screen.got
    assert screen.got.count("caught") == 1, screen.got


@test("run ends when the reader of its output leaves, as the program would")
def _():
    process = subprocess.Popen(
        [SIGNALBOX, "run", "--data", temp_dir(), "--", "yes"], env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout.readline() == b"y\n"
    process.stdout.close()
    assert process.wait(PATIENCE_S) == 128 + signal.SIGPIPE


@test("run does not wait for what its program left behind")
def _():
    with Process("run", "--data", temp_dir(), "--", "sh", "-c", "sleep 60 & echo $!") as process:
        left = int(process.line())
        try:
            assert process.wait() == 0
        finally:
            os.kill(left, signal.SIGKILL)


# --- a box that is away, slow or killed -----------------------------------------

LINES = 'i=0; while [ $i -lt {n} ]; do echo "line $i"; i=$((i+1)); done'


@test("without a box the program runs as ever, and the losses are said at the end")
def _():
    result = cli("run", "--data", temp_dir(), "--", "sh", "-c", LINES.format(n=200))
    assert result.code == 0 and len(result.out.splitlines()) == 200, result
    assert "202 signals did not reach the box: no signalbox is running on" in result.err, result


@test("more than can be kept is dropped, the oldest first, and counted")
def _():
    flag = temp_dir() / "flag"
    script = ('yes $(head -c 1000 /dev/zero | tr "\\0" x) | head -n 15000; echo ready; '
              'while ! test -e "$0"; do sleep 0.02; done; echo last; '
              'while ! test -e "$0.end"; do sleep 0.02; done')
    box = Box()
    with Process("run", "--data", box.data, "--", "sh", "-c", script, flag) as process:
        while process.line(6 * PATIENCE_S) != "ready":
            pass
        with box.start():
            flag.touch()
            said = lambda: [(s["payload"].get("content") or "").strip() for s in signals(box)]
            eventually(lambda: "last" in said(), every=0.2)
            flag.with_name("flag.end").touch()
            assert process.wait() == 0
            lost = int(re.search(r"(\d+) signals did not reach the box", process.err())[1])
            got = signals(box)
            assert lost > 1000 and lost + len(got) == 15004, (lost, len(got))
            assert got[-2]["payload"]["content"] == "last\n", got[-2]
            assert got[-1]["type"] == "completion", got[-1]


def run_beside_stopped(box):
    began = time.monotonic()
    result = cli("run", "--data", box.data, "--", "sh", "-c", LINES.format(n=500))
    took = time.monotonic() - began
    assert result.code == 0 and len(result.out.splitlines()) == 500, result
    assert "signals did not reach the box: it does not answer" in result.err, result
    in_time(took < 4 * SLOW, took)


@test("a stopped box holds up neither the program nor its end")
def _():
    with Box() as box:
        os.kill(box.pid, signal.SIGSTOP)
        try:
            at_last(lambda: run_beside_stopped(box))
        finally:
            os.kill(box.pid, signal.SIGCONT)


@test("a box that is killed in the middle gets all of it when it is back, and once")
def _():
    flag = temp_dir() / "flag"
    script = (f'{LINES.format(n=50)}; echo ready; while ! test -e "$0"; do sleep 0.02; done; '
              f'{LINES.format(n=50)}; while ! test -e "$0.end"; do sleep 0.02; done; exit 4')
    box = Box().start()
    with Process("run", "--data", box.data, "--", "sh", "-c", script, flag) as process:
        while process.line() != "ready":
            pass
        eventually(lambda: len(signals(box)) >= 52)
        box.kill9()
        flag.touch()
        for n in range(50):
            assert process.line() == f"line {n}"
        with box.start():
            eventually(lambda: len(signals(box)) >= 102)
            flag.with_name("flag.end").touch()
            assert process.wait() == 4 and process.err() == "", process.err()
            got = signals(box)
            words = [s["payload"]["content"] for s in got if s["type"] == "text_delta"]
            lines = [f"line {n}" for n in range(50)]
            assert [w.rstrip("\n") for w in words] == [*lines, "ready", *lines], words
            assert [s["type"] for s in got].count("completion") == 1, got


@contextlib.contextmanager
def run_ended(*words):
    """A run of 52 signals whose box was killed before its program ended with 4, and the box."""
    flag = temp_dir() / "flag"
    script = f'echo ready; while ! test -e "$0"; do sleep 0.02; done; {LINES.format(n=49)}; exit 4'
    box = Box().start()
    with Process("run", *words, "--data", box.data, "--", "sh", "-c", script, flag) as process:
        assert process.line() == "ready"
        eventually(lambda: len(signals(box)) == 2)
        box.emit({"type": "x"})  # what came before it is on the disk, and acknowledged
        box.kill9()
        flag.touch()
        for n in range(49):
            assert process.line() == f"line {n}"
        yield process, box


@test("a box that is away when the program ends gets all of it when it is back")
def _():
    with run_ended() as (process, box):
        eventually(lambda: "waiting for the box" in process.err())
        with box.start():
            assert process.wait() == 4 and "did not reach" not in process.err(), process.err()
            assert len(signals(box)) == 53, signals(box)


# The box may have been killed when it had stored a signal and not said so.
LOST = re.compile("5[01] signals did not reach the box: no signalbox is running on")


@test("a box that stays away is given up, after the time that is said or when interrupted")
def _():
    with run_ended("--wait", "1ms") as (process, _):
        assert process.wait() == 4
        assert LOST.search(process.err()), process.err()
    with run_ended() as (process, _):
        eventually(lambda: "Ctrl-C gives them up" in process.err())
        assert process.stop(signal.SIGINT) == 4
        assert LOST.search(process.err()), process.err()
    data = Box().data
    with Process("run", "--wait", "1m", "--data", data, "--", "sh", "-c", "exit 3") as process:
        eventually(lambda: "waiting for the box" in process.err())
        with Box(data=data) as box:
            assert process.wait() == 3 and len(signals(box)) == 2, process.err()
    done = cli("run", "--wait", "long", "--", "true")
    assert done.code == 2 and "--wait: 'long' is not a time like 5ms" in done.err, done


# --- emit --parse --------------------------------------------------------------


@test("emit --parse sends what an agent printed, and says what it did not understand")
def _():
    text = "\n".join(recorded("stream-json.jsonl")) + "\n"
    with Box() as box:
        result = cli("emit", "--parse", "claude-stream", "--source", "me", "--data", box.data,
                     input=text)
        assert result.code == 0 and result.err == "", result
        want = [json.loads(line)["type"] for line in
                cli("parse", "claude-stream", input=text).out.splitlines()]
        got = signals(box)
        assert [s["type"] for s in got] == want and {s["source"] for s in got} == {"me"}, got
        told = [int(n) for n in re.findall(r"\d+", result.out)]  # a line for each that was acknowledged
        assert told == sorted(told) and (told[0], told[-1]) == (got[0]["seq"], got[-1]["seq"]), result
        result = cli("emit", "--parse", "codex", "-q", "--data", box.data, input="no\n{}\n")
        assert result.code == 1 and "not understood" in result.err, result
    for words in (["--parse", "x"], ["--parse", "codex", "--type", "t"],
                  ["--parse", "codex", "{}"], ["--source", "x"]):
        assert cli("emit", *words, "--data", "/nonexistent").code == 2, words


run()
