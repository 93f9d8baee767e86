#!/usr/bin/env python3
"""`signalbox journal export|import|forget` and `signalbox replay`: what was recorded leaves
a box, enters another, happens once more, or is gone for good."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import segments
from lib import SIGNALBOX, SLOW, WS, Box, Events, Process, cli, environment, eventually, run
from lib import temp_dir, test

SECRET = "hunter2-the-secret"
SMALL = {"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"}
NDJSON = {"Content-Type": "application/x-ndjson"}


@test("without a journal they say what they looked for and what to do")
def _():
    data = temp_dir() / "none"
    for words in (["verify"], ["export"], ["forget", "--seq", "1", "--yes"]):
        got = cli("journal", *words, "--data", data)
        assert got.code == 1 and got.out == "", got
        assert f"there is no journal at {data}/journal; --data DIR" in got.err, got
        assert "signalbox serve" in got.err, got


def signal_of(n, **more):
    return {"type": "t", "id": f"i{n}", "source": f"s{n % 3}", "payload": {"n": n}, **more}


def emit(box, signals):
    body = "".join(json.dumps(s) + "\n" for s in signals)
    answer = box.request("POST", "/api/signal", body, NDJSON)
    assert answer.status == 200, answer


def stored(box):
    """Every line of a signal in the files, as bytes."""
    return b"".join(line + b"\n" for line in segments.all_lines(box.data))


def journal(box, verb, *args, **how):
    return cli("journal", verb, "--data", box.data, *args, **how)


def fine(result):
    assert result.code == 0, result
    return result


def history(box, after=0):
    answer = box.request("GET", f"/api/signals?after={after}&format=ndjson")
    assert answer.status == 200, answer
    return [json.loads(line) for line in answer.text.splitlines()]



# --- export -------------------------------------------------------------------


@test("what is exported is, byte for byte, what the journal has: running or stopped")
def _():
    with Box(env=SMALL) as box:
        emit(box, (signal_of(n, metadata={"ä": [1.50, "\u2028"]}) for n in range(2000)))
        running = fine(journal(box, "export"))
        eventually(lambda: stored(box) == running.out.encode())
        box.stop()
        stopped = fine(journal(box, "export"))
        assert stopped.out == running.out
        assert stopped.err == running.err == ""


@test("a stretch is what comes after --from, up to and with --to")
def _():
    with Box(env=SMALL) as box:
        emit(box, (signal_of(n) for n in range(1500)))
        for state in ("running", "stopped"):
            if state == "stopped":
                box.stop()
            got = fine(journal(box, "export", "--from", "700", "--to", "1203"))
            seqs = [json.loads(line)["seq"] for line in got.out.splitlines()]
            assert seqs == list(range(701, 1204)), (state, seqs[:3], seqs[-3:])
            assert fine(journal(box, "export", "--from", "1500")).out == ""


@test("into a file, compressed if its name ends in .zst, for our eyes only, and told of in JSON")
def _():
    with Box() as box:
        emit(box, (signal_of(n) for n in range(500)))
        there = temp_dir()
        for name in ("a.ndjson", "a.zst"):
            got = fine(journal(box, "export", "-o", there / name, "--json"))
            assert json.loads(got.out) == {
                "ok": True, "signals": 500, "gaps": 0, "firstSeq": 1, "lastSeq": 500,
            }, got
            assert (there / name).stat().st_mode & 0o777 == 0o600
        whole = (there / "a.ndjson").read_bytes()
        assert whole == stored(box)
        assert (there / "a.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
        assert (there / "a.zst").stat().st_size < len(whole) / 5
        assert cli("journal", "import", there / "a.zst", "--data", box.data).code == 0


@test("a file that cannot be written, and a directory without a journal, are failures with words")
def _():
    with Box() as box:
        emit(box, [signal_of(1)])
        got = journal(box, "export", "-o", "/nonexistent/all.ndjson")
        assert got.code == 1 and "/nonexistent/all.ndjson: No such file" in got.err, got
        got = journal(box, "export", "-o", "/dev/full")
        assert got.code == 1 and "cannot write" in got.err, got
    got = cli("journal", "export", "--data", temp_dir())
    assert got.code == 1 and "journal" in got.err and got.out == "", got
    got = cli("journal", "export", "--from", "x")
    assert got.code == 2 and "--from" in got.err, got
    got = cli("journal", "verify", "--skip", "3")
    assert got.code == 2 and "--skip" in got.err, got


# --- import -------------------------------------------------------------------


def import_into(box, lines, *args):
    body = lines if isinstance(lines, bytes) else "".join(line + "\n" for line in lines)
    return cli("journal", "import", "-", "--data", box.data, *args, input=body)


@test("an export that is imported into another box is the same signals, and twice is once")
def _():
    with Box(env=SMALL) as old, Box() as new:
        emit(old, (signal_of(n, correlationId=f"c{n % 7}") for n in range(3000)))
        packed = temp_dir() / "all.zst"
        fine(journal(old, "export", "-o", packed))
        for _ in range(2):
            got = fine(cli("journal", "import", packed, "--json", "--data", new.data))
            said = json.loads(got.out)
            assert said["ok"] and said["accepted"] == 3000 and said["lines"] == 3000, said
        assert history(new) == history(old)


@test("the box's own words are left out, lines that are refused are named, and empty ones pass")
def _():
    with Box() as box:
        good = json.dumps(signal_of(1))
        own = json.dumps({"type": "source.state", "source": "signalbox", "id": "x"})
        gap = json.dumps({"op": "gap", "from": 1, "to": 2, "why": "lost"}, separators=(",", ":"))
        got = import_into(box, [good, "", own, gap, "{not json", good.replace("i1", "i2")])
        assert got.code == 1, got
        assert "line 5: " in got.err and got.err.count("line ") == 1, got
        assert got.out == "2 accepted, 1 rejected, 2 left out\n", got
        assert [s["id"] for s in history(box)] == ["i1", "i2"]


@test("half a .zst is imported as far as it goes, and the words say how to go on")
def _():
    with Box() as old, Box() as new:
        emit(old, (signal_of(n, payload={"r": os.urandom(600).hex()}) for n in range(2500)))
        there = temp_dir()
        fine(journal(old, "export", "-o", there / "a.zst"))
        whole = (there / "a.zst").read_bytes()
        got = import_into(new, whole[: len(whole) * 2 // 3])
        assert got.code == 1 and "truncated" in got.err, got
        skip = re.search(r"--skip (\d+)", got.err)[1]
        assert 0 < int(skip) < 2500, got
        assert len(history(new)) == int(skip)
        fine(cli("journal", "import", there / "a.zst", "--skip", skip, "--data", new.data))
        assert history(new) == history(old)


@test("without a box there is nowhere to import to")
def _():
    got = cli("journal", "import", "-", "--data", temp_dir(), input='{"type":"t"}\n')
    assert got.code == 1 and "no signalbox is running" in got.err and "--skip 0" in got.err, got


# --- replay -------------------------------------------------------------------


@test("a replay gives new ids and seqs, keeps what it was in metadata.replay, and all else")
def _():
    with Box() as box:
        was = signal_of(1, correlationId="c", metadata={"k": 1}, timestamp=1700000000000)
        emit(box, [was, signal_of(2, timestamp=1700000000005)])
        got = fine(cli("replay", "--from", "0", "--json", "--data", box.data))
        said = json.loads(got.out)
        assert said["replayed"] == 2 and said["upTo"] == 2 and said["firstSeq"] == 3, said
        first, second = history(box, after=2)
        epoch = box.request("GET", "/api/status").json()["epoch"]
        assert first["seq"] == 3 and first["id"] not in ("i1", second["id"]), first
        assert first["metadata"] == {
            "k": 1, "replay": {"seq": 1, "epoch": epoch, "id": "i1", "timestamp": 1700000000000},
        }, first
        same = ("type", "source", "correlationId", "payload")
        assert all(first[k] == was[k] for k in same), first
        assert abs(first["timestamp"] / 1000 - time.time()) < 60 * SLOW
        assert second["metadata"] == {"replay": {"seq": 2, "epoch": epoch, "id": "i2",
                                                 "timestamp": 1700000000005}}
        assert history(box, after=f"{epoch}-1")[0]["id"] == "i2", "it is a position like any other"


@test("a replay ends where the past ended when it began, and --to ends it earlier")
def _():
    with Box() as box:
        emit(box, (signal_of(n, timestamp=1) for n in range(2500)))
        fine(cli("replay", "--from", "100", "--to", "2300", "--data", box.data))
        again = [s["metadata"]["replay"]["seq"] for s in history(box, after=2500)]
        assert again == list(range(101, 2301))
        got = fine(cli("replay", "--from", "4000", "--data", box.data, "--json"))
        assert json.loads(got.out)["replayed"] == 700, got


@test("signals come as far apart as their timestamps say, or X times as fast")
def _():
    with Box() as box:
        path = temp_dir() / "paced.ndjson"
        times = (1000, 1000, 1800, 500, 3400)
        path.write_text("".join(json.dumps(signal_of(n, timestamp=t)) + "\n"
                                for n, t in enumerate(times)))
        start = time.time() * 1000
        fine(cli("replay", path, "--speed", "4", "--data", box.data))
        after = [s["timestamp"] - start for s in history(box)]
        assert [s["payload"]["n"] for s in history(box)] == [0, 1, 2, 3, 4]
        assert after[2] >= 195 and after[3] <= after[4] and after[4] >= 595, after
        path.write_text("".join(json.dumps(signal_of(n, timestamp=n * 10**8)) + "\n"
                                for n in range(5)))
        fine(cli("replay", path, "--speed", "1e9", "--data", box.data))
        assert len(history(box)) == 10


@test("what only a box or a person may say is left out of a replay and counted")
def _():
    with Box() as box:
        lines = [
            signal_of(1), signal_of(2, source="signalbox"), signal_of(3, source="stage"),
            signal_of(4, type="user.click"), signal_of(5, type="prompt"), signal_of(6),
        ]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        got = fine(cli("replay", "-", "--data", box.data, "--speed", "1000", input=body))
        assert got.out == "2 replayed, 0 rejected, 4 left out\n", got
        assert [s["payload"]["n"] for s in history(box)] == [1, 6]
        got = cli("replay", "-", "--data", box.data, input="[]\n")
        assert got.code == 1 and "signal 1: " in got.err, got


@test("with --step each signal waits for Enter, and without any more it is over")
def _():
    with Box() as box:
        path = temp_dir() / "three.ndjson"
        path.write_text("".join(json.dumps(signal_of(n, timestamp=n * 10**6)) + "\n"
                                for n in range(3)))
        with Process("replay", path, "--step", "--data", box.data, stdin=subprocess.PIPE) as p:
            for n in range(2):
                assert f'"n":{n}' in p.line().replace(" ", "")
                assert len(history(box)) == n
                p.process.stdin.write(b"\n")
                p.process.stdin.flush()
                eventually(lambda: len(history(box)) == n + 1)
            p.line()
            p.process.stdin.close()
            assert p.line() == "2 replayed, 0 rejected, 0 left out"
            assert p.wait() == 0


@test("Ctrl-C ends a replay at once, and it says how far it got")
def _():
    with Box() as box:
        emit(box, [signal_of(n, timestamp=t) for n, t in enumerate((1, 2, 10**7))])
        with Process("replay", "--from", "0", "--data", box.data) as p:
            eventually(lambda: len(history(box)) == 5)
            assert p.stop(signal.SIGINT) == 0
            assert p.line() == "2 replayed, 0 rejected, 0 left out; interrupted after 2"


@test("a replay is used as it is meant to be, or says how")
def _():
    for args in ((), ("a", "b"), ("a", "--from", "0"), ("a", "--to", "3"),
                 ("a", "--speed", "0"), ("a", "--speed", "1", "--step")):
        got = cli("replay", *args)
        assert got.code == 2 and "replay: " in got.err, (args, got)


# --- forget -------------------------------------------------------------------


def holders(directory):
    """The files below it that hold the secret."""
    found = []
    for path in directory.rglob("*"):
        if path.is_file() and SECRET.encode() in path.read_bytes():
            found.append(path.name)
    return found


def leak(box):
    """Signals 1 to 300, every tenth of which tells a secret in the run `leaky`."""
    emit(box, (
        signal_of(n, type="text_delta", correlationId="leaky", payload={"text": SECRET})
        if n % 10 == 0 else signal_of(n) for n in range(1, 301)
    ))


LEAKED = set(range(10, 301, 10))


@test("after a forget the secret is in no file, and a running box refuses to")
def _():
    with Box(env=SMALL) as box:
        leak(box)
        emit(box, (signal_of(n, payload={"p": "p" * 500}) for n in range(1000, 1500)))
        got = journal(box, "forget", "--correlation", "leaky", "--yes")
        assert got.code == 1 and "stop it first" in got.err and str(box.pid) in got.err, got
        box.stop()
        assert holders(box.data), "the secret is there"
        dry = fine(journal(box, "forget", "--correlation", "leaky", "--dry-run", "--json"))
        assert json.loads(dry.out)["signals"] == 30 and holders(box.data), dry
        got = journal(box, "forget", "--correlation", "leaky")
        assert got.code == 1 and "--yes" in got.err and holders(box.data), got
        got = fine(journal(box, "forget", "--correlation", "leaky", "--yes"))
        assert got.out.startswith("30 signals, 10 to 300, in "), got
        assert holders(box.data) == []
        report = json.loads(fine(journal(box, "verify", "--json")).out)
        assert report["ok"] and report["forgotten"] == 30 and report["lastSeq"] == 800, report
        box.start()
        check_readers(box)
        box.stop()
        assert holders(box.data) == []


def check_readers(box):
    """Every kind of reader is told of each hole, and given everything else."""
    lines = history(box)
    gaps = [line for line in lines if line.get("op") == "gap"]
    assert {(g["from"], g["to"], g["why"]) for g in gaps} == {
        (n, n, "forgotten") for n in LEAKED}, gaps[:3]
    assert [s["seq"] for s in lines if "seq" in s] == [
        n for n in range(1, 801) if n not in LEAKED]
    with WS(box) as ws:
        ws.json()
        ws.send({"op": "subscribe", "after": 8})
        assert ws.json()["seq"] == 9
        assert ws.json() == {"op": "gap", "from": 10, "to": 10, "why": "forgotten"}
        assert ws.json()["seq"] == 11
    with Events(box, "/api/stream?after=19") as events:
        gap = events.next()
        assert gap["event"] == "gap" and json.loads(gap["data"])["why"] == "forgotten", gap
        assert events.json()["seq"] == 21
    got = cli("tail", "--from", "289", "--count", "2", "--json", "--data", box.data)
    assert "signals 290 to 290 are missing (forgotten)" in got.err, got
    emit(box, [signal_of(2000)])
    assert history(box, after=800)[0]["seq"] == 801, "the numbers go on"


@test("what is forgotten by position is exactly that, and export tells of the hole")
def _():
    with Box() as box:
        leak(box)
        box.stop()
        got = fine(journal(box, "forget", "--seq", "10", "--seq", "20..300", "--yes", "--json"))
        assert json.loads(got.out)["signals"] == 282, got
        assert holders(box.data) == []
        got = fine(journal(box, "export"))
        assert [json.loads(line)["seq"] for line in got.out.splitlines()] == [
            *range(1, 10), *range(11, 20)]
        assert got.err.count("(forgotten)") == 2 and "20 to 300" in got.err, got
        again = fine(journal(box, "forget", "--seq", "10", "--yes"))
        assert again.out == "nothing of that is in the journal\n", again


@test("a forget that is misused changes nothing")
def _():
    with Box() as box:
        leak(box)
        box.stop()
        before = stored(box)
        for args in ((), ("--seq", "x"), ("--seq", "9..3"), ("--seq", "0"),
                     ("--correlation", "")):
            got = journal(box, "forget", "--yes", *args)
            assert got.code == 2, (args, got)
        got = journal(box, "forget", "--yes", "--seq", "0123456789ab-5")
        assert got.code == 2 and "timeline" in got.err, got
        assert stored(box) == before


@test("on a terminal it asks, and only a y forgets")
def _():
    with Box() as box:
        leak(box)
        box.stop()
        command = ("journal", "forget", "--correlation", "leaky", "--data", str(box.data))
        code, said = on_terminal(command, b"n\n")
        assert code == 1 and "[y/N]" in said and holders(box.data), said
        code, said = on_terminal(command, b"y\n")
        assert code == 0 and holders(box.data) == [], said


# --- progress -----------------------------------------------------------------


def on_terminal(args, keys=b"", env=None):
    """Runs it with a terminal for all three; its code and all that was on the screen."""
    child, fd = pty.fork()
    if child == 0:
        os.execve(SIGNALBOX, [SIGNALBOX, *map(str, args)],
                  environment({"TERM": "xterm", **(env or {})}))
    os.write(fd, keys)
    said = b""
    end = time.monotonic() + 60 * SLOW
    try:
        while time.monotonic() < end and select.select([fd], [], [], 60 * SLOW)[0]:
            more = os.read(fd, 65536)
            if not more:
                break
            said += more
    except OSError:
        pass  # the other end is closed
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode()


@test("long work shows a bar on a terminal, with colours or without, and takes it away")
def _():
    with Box() as box:
        emit(box, [signal_of(n, timestamp=n * 250) for n in range(4)])
        command = ("replay", "--from", "0", "--to", "4", "--data", box.data)
        began = time.monotonic()
        code, said = on_terminal(command)
        took = time.monotonic() - began
        assert code == 0 and "replay  " in said and "/s" in said, said
        assert "\033[32m" in said and said.rstrip().endswith("left out"), said
        drawn = said.count("replay  ")
        assert 1 <= drawn <= 10 * took + 2, "at most ten times a second"
        short = temp_dir() / "short.ndjson"
        short.write_text("".join(json.dumps(signal_of(n, timestamp=n * 400)) + "\n" for n in range(4)))
        code, said = on_terminal(("replay", short, "--data", box.data))
        assert code == 0 and min(map(int, re.findall(r"(\d+) %", said))) <= 75, said
        code, said = on_terminal(command, env={"NO_COLOR": "1"})
        assert code == 0 and "\033[32m" not in said and "replay  [" in said, said
        code, said = on_terminal(command, env={"TERM": "dumb"})
        assert code == 0 and "\033" not in said and "/s" not in said, said


@test("in a pipe there is nothing of a bar")
def _():
    with Box() as box:
        emit(box, [signal_of(n, timestamp=n * 250) for n in range(4)])
        got = fine(cli("replay", "--from", "0", "--data", box.data, env={"TERM": "xterm"}))
        assert got.err == "" and "\033" not in got.out, got


run()
