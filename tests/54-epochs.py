#!/usr/bin/env python3
"""No position has two meanings: not after a restart, not after a backup was restored, not at
any door.  And what is in the journal's files is kept, however little is left beside it."""

import json
import os
import re
import shutil

import segments
from lib import WS, Box, Events, Process, cli, eventually, run, temp_dir, test

BEFORE, LOST, ANEW = 5, 5, 3  # signals: in the backup, after it, and after it was restored
UNKNOWN = "000000000000"


# --- the doors: each gives what comes after some positions, gaps as (from, to, why) -------------


def native(box, after):
    with WS(box) as ws:
        ws.json()
        ws.send({"op": "subscribe", "after": after})
        return collect(gap_or_seq(ws.json()) for _ in iter(int, 1))


def signals(box, after):
    def said():
        while True:
            signal = ws.json()
            is_gap = signal["type"] == "journal.gap"
            yield gap_or_seq({"op": "gap", **signal["payload"]} if is_gap else signal)

    with WS(box, f"/ws/signals?after={after}") as ws:
        return collect(said())


def heard(events):
    while True:
        event = events.next()
        data = json.loads(event["data"])
        yield gap_or_seq({"op": "gap", **data} if event["event"] == "gap" else data)


def stream(box, after):
    with Events(box, f"/api/stream?after={after}") as events:
        return collect(heard(events))


def header(box, after):
    """A header wins over a query."""
    with Events(box, "/api/stream?after=7", headers={"Last-Event-ID": after}) as events:
        return collect(heard(events))


def lines(box, after):
    answer = box.request("GET", f"/api/signals?format=ndjson&after={after}")
    return [gap_or_seq(json.loads(line)) for line in answer.body.splitlines()]


def pages(box, after):
    page = box.request("GET", f"/api/signals?after={after}").json()
    gaps = [gap_or_seq({"op": "gap", **gap}) for gap in page["gaps"]]
    return gaps + [signal["seq"] for signal in page["signals"]]


def exported(box, after):
    result = cli("journal", "export", "--from", after, "--data", box.data)
    assert result.code == 0, result
    seqs = [json.loads(line)["seq"] for line in result.out.splitlines()]
    return [said_gap(line) for line in result.err.splitlines() if "gap:" in line] + seqs


DOORS = (native, signals, stream, header, lines, pages, exported)


def gap_or_seq(one):
    return (one["from"], one["to"], one["why"]) if one.get("op") == "gap" else one["seq"]


def said_gap(line):
    """signalbox journal: gap: signals 6 to 10 are missing (lost)"""
    words = line.partition("gap: signals ")[2].split()
    return int(words[0]), int(words[2]), words[-1].strip("()")


def collect(said):
    """Until the last signal that there is."""
    got = []
    for one in said:
        got.append(one)
        if one == BEFORE + ANEW:
            return got


def emit(box, count):
    for _ in range(count - 1):
        box.emit("x")
    answer = box.emit("x")
    return f"{answer['epoch']}-{answer['seq']}"


def restored():
    """A box with a restored backup, and two positions of who saw everything before."""
    box = Box()
    with box:
        before = emit(box, BEFORE)
    backup = temp_dir() / "backup"
    shutil.copytree(box.data / "journal", backup)
    with box:
        after = emit(box, LOST)
    shutil.rmtree(box.data / "journal")
    shutil.copytree(backup, box.data / "journal")
    box.start()
    emit(box, ANEW)
    return box, after, before


# --- epochs -------------------------------------------------------------------------------------


@test("every start is a new epoch, after a stop as after a kill, and what came before is gone on from")
def _():
    box, positions = Box(), []
    with box:
        for end in (box.stop, box.kill9, box.stop, None):
            positions.append(emit(box, 2))
            if end:
                end()
                box.start()
        assert len({position.partition("-")[0] for position in positions}) == 4, positions
        for n, position in enumerate(positions):
            answer = box.request("GET", f"/api/signals?after={position}").json()
            seqs = [signal["seq"] for signal in answer["signals"]]
            assert answer["gaps"] == [] and seqs == list(range(2 * n + 3, 9)), (position, answer)


@test("after a restored backup every door goes on where the timelines parted, and says what is lost")
def _():
    box, after, before = restored()
    with box:
        expected = [(6, 10, "lost"), 6, 7, 8]
        for door in DOORS:
            told = door(box, f"{after},{before}")
            assert told == expected, (door.__name__, told)
            told = door(box, f"{after},{UNKNOWN}-9,{before}")
            assert told == expected, (door.__name__, told)
    assert exported(box, f"{after},{before}") == expected, "of a box that is stopped"


@test("without an older position it goes on from the beginning, never from the present")
def _():
    box, after, _ = restored()
    with box:
        expected = [(1, 10, "lost"), *range(1, 9)]
        for door in DOORS:
            for positions in (after, f"{after},{UNKNOWN}-9"):
                told = door(box, positions)
                assert told == expected, (door.__name__, told)
    assert exported(box, after) == expected, "of a box that is stopped"


@test("a bare number is not protected, as the manual says")
def _():
    box, _, _ = restored()
    with box:
        for door in DOORS:
            told = door(box, "7")
            assert told == [8], (door.__name__, told)


@test("sixteen positions are taken, seventeen and rubbish among them refused with words")
def _():
    with Box() as box:
        epoch = box.emit("x")["epoch"]
        many = ",".join(f"{UNKNOWN}-{n}" for n in range(50, 35, -1))
        assert pages(box, f"{many},{epoch}-0") == [(1, 50, "lost"), 1]
        for wrong in (f"{many},{epoch}-1,{epoch}-0", "1,", ",1", "1,x", "1,,2", "1, 2"):
            answer = box.request("GET", f"/api/signals?after={wrong.replace(' ', '%20')}")
            assert answer.status == 400 and "older ones may follow" in answer.text, answer
            with WS(box) as ws:
                ws.json()
                ws.send({"op": "subscribe", "after": wrong})
                assert ws.json()["code"] == "invalid"


@test("tail goes on across a restored backup, and says what is lost")
def _():
    box = Box()
    with box:
        emit(box, 2)
    backup = temp_dir() / "backup"
    shutil.copytree(box.data / "journal", backup)
    box.start()
    with Process("tail", "--json", "--from", "0", "--data", box.data) as tail:
        emit(box, 3)
        assert [json.loads(tail.line())["seq"] for _ in range(5)] == [1, 2, 3, 4, 5]
        box.stop()
        box.start()  # one more epoch, of which it hears something
        emit(box, 1)
        assert json.loads(tail.line())["seq"] == 6
        box.stop()
        shutil.rmtree(box.data / "journal")
        shutil.copytree(backup, box.data / "journal")
        box.start()
        emit(box, 1)
        # In the backup's epoch it heard nothing, so all it can know is the beginning.
        assert [json.loads(tail.line())["seq"] for _ in range(3)] == [1, 2, 3]
        assert "gap: signals 1 to 6 are missing (lost)" in tail.err(), tail.err()
        box.stop()
        backup = temp_dir() / "backup"
        shutil.copytree(box.data / "journal", backup)
        box.start()
        emit(box, 2)
        assert [json.loads(tail.line())["seq"] for _ in range(2)] == [4, 5]
        box.stop()
        shutil.rmtree(box.data / "journal")
        shutil.copytree(backup, box.data / "journal")
        box.start()
        emit(box, 1)
        assert json.loads(tail.line())["seq"] == 4, "from where the timelines parted"
        assert "gap: signals 4 to 5 are missing (lost)" in tail.err(), tail.err()
    box.stop()


@test("a box that was started a million times still starts, and its epochs do not grow for ever")
def _():
    box = Box()
    with box:
        box.emit("x")
    epochs = box.data / "journal" / "epochs"
    epochs.write_text("".join(f"{n:012x} {1 if n < 9 else 2}\n" for n in range(1_000_000)))
    with box:
        assert box.emit("x")["seq"] == 2
        assert epochs.stat().st_size < 1_000_000
        newest = f"{999_999:012x}-1"
        assert pages(box, newest) == [2]


# --- the files ----------------------------------------------------------------------------------


def verify_says_no_problems(box):
    verified = cli("journal", "verify", "--data", box.data)
    assert verified.code == 0 and "no problems" in verified.out, verified


@test("a journal of the old form is read as it is, and goes on in the new one")
def _():
    for end in ("stop", "kill9"):
        box = Box(env={"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"})
        with box:
            emit(box, 900)
            box.stop()
            before = segments.all_lines(box.data)
            segments.make_old(box.data)
            old = {p.name: p.read_bytes() for p in (box.data / "journal").glob("*.ndjson")}
            verify_says_no_problems(box)
            if end == "kill9":
                (box.data / "journal" / "clean").unlink()
            box.start()
            assert [s["seq"] for s in box.history()] == list(range(1, 901))
            assert box.emit("x")["seq"] == 901
            box.restart()
            assert len(box.history()) == 901
        assert old.items() <= {p.name: p.read_bytes()
                               for p in (box.data / "journal").glob("*.ndjson")}.items()
        lines = [line for path in sorted((box.data / "journal").glob("*.ndjson"))
                 for line in path.read_bytes().split(b"\n") if line.startswith(b'{"seq":')]
        assert lines[:900] == before and len(lines) == 901
        verify_says_no_problems(box)


@test("when the last index of the old form is lost, no acknowledged signal is: they are kept and told")
def _():
    box = Box(env={"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"})
    with box:
        emit(box, 900)
        box.stop()
        segments.make_old(box.data)
        indexes = sorted((box.data / "journal").glob("*.index"))
        assert len(indexes) > 1
        indexes[-1].unlink()
        box.start()
        ids = [signal["id"] for signal in box.history()]
        assert len(ids) == len(set(ids)) == 900
        assert "whole lines that no head or index knows" in box.log(), box.log()
        assert box.emit("x")["seq"] == 901, "no seq is given out again"
    verify_says_no_problems(box)


@test("a torn end is cut, and a copy of it lies beside")
def _():
    box = Box()
    torn = '{"seq":3,"id":"torn","typ'
    with box:
        emit(box, 2)
    (box.data / "journal" / "clean").unlink()
    with open(box.data / "journal" / f"{1:020}.ndjson", "a", encoding="utf-8") as file:
        file.write(torn)
    with box:
        assert box.emit("x")["seq"] == 3
        assert f"cut {len(torn)} bytes" in box.log()
        assert (box.data / "journal" / f"{3:020}.quarantine").read_text() == torn
        assert len(box.history()) == 3
    verify_says_no_problems(box)


def crashed(end="kill9"):
    """A box that has 900 signals in one segment, in batches, and does not run any more."""
    box = Box()
    with box:
        for n in range(0, 900, 300):
            body = "".join(json.dumps({"type": "t", "id": f"{n + i}"}) + "\n" for i in range(300))
            answer = box.request("POST", "/api/signal", body,
                                 {"Content-Type": "application/x-ndjson"})
            assert answer.status == 200, answer
        getattr(box, end)()
    return box, box.data / "journal" / f"{1:020}.ndjson"


def starts_with(box, kept):
    """It starts with just these of the 900, and tells of all others; returns the log."""
    with box:
        told = box.history()
        assert [s["seq"] for s in told if "seq" in s] == list(range(1, kept + 1))
        gaps = [s for s in told if s.get("op") == "gap"]
        gone = {"op": "gap", "from": kept + 1, "to": 900, "why": "lost"}
        assert gaps == ([gone] if kept < 900 else []), gaps
        assert box.emit("x")["seq"] == 901, "no seq is given out again"
        return box.log()


@test("lines of a batch that is cut short are kept, and no seq that was known is given out again")
def _():
    for share in (0.5, 0.8, 0.99):
        box, lines = crashed("stop")
        os.truncate(lines, int(lines.stat().st_size * share))
        left = lines.read_bytes()
        ends = [m.end() for m in re.finditer(rb'^{"seq":.*\n', left, re.MULTILINE)]
        whole, torn = len(ends), left[ends[-1]:]
        verified = cli("journal", "verify", "--data", box.data)
        assert verified.code == 1, verified
        assert f"{whole} signals, 1 to {whole}, " in verified.out, verified
        assert f"signals {whole + 1} to 900 are missing at the end" in verified.err, verified
        log = starts_with(box, whole)
        assert f"cut {len(torn)} bytes" in log and "without its checksum" in log, log
        aside = box.data / "journal" / f"{whole + 1:020}.quarantine"
        assert aside.read_bytes() == torn
        verified = cli("journal", "verify", "--data", box.data)
        assert verified.code == 0 and f"{900 - whole} were lost" in verified.out, verified


@test("a commit that a crash cut short is no problem, and what was acknowledged before it is kept")
def _():
    for share in (0.5, 0.8, 0.99):
        box, lines = crashed("kill9")
        used = lines.read_bytes().rstrip(b"\n") + b"\n"
        lines.write_bytes(used[:int(len(used) * share)] + b"\n" * 4096)  # it was filled ahead
        whole = [last for _, last, offset, length, *_ in segments.batches(lines)
                 if offset + length <= int(len(used) * share)][-1]
        verified = cli("journal", "verify", "--data", box.data)
        assert verified.code == 0 and "are not whole; the next start cuts" in verified.out, verified
        with box:
            kept = [s["seq"] for s in box.history() if "seq" in s]
            assert kept == list(range(1, whole + 1)), (whole, kept[-1])
            assert box.emit("x")["seq"] > whole
        verify_says_no_problems(box)


@test("verify says of a hurt index of the old form what the next start does, and that it is a problem")
def _():
    def empty(index):
        index.write_bytes(b"")

    def cut(index):
        os.truncate(index, 40)

    def garble(index):
        index.write_bytes(os.urandom(4096))

    def lose(index):
        index.unlink()

    for hurt in (empty, cut, garble, lose):
        box, lines = crashed("stop")
        segments.make_old(box.data)
        hurt(lines.with_suffix(".index"))
        verified = cli("journal", "verify", "--data", box.data)
        assert verified.code == 1 and "index" in verified.err, (hurt.__name__, verified)
        assert "900 signals, 1 to 900, " in verified.out, (hurt.__name__, verified)
        assert "of them have no checksum; the next start keeps them" in verified.out, verified
        assert "whole lines that no head or index knows" in starts_with(box, 900)
        verify_says_no_problems(box)


@test("verify says what the next start refuses, and that the format is not written down")
def _():
    box, lines = crashed("stop")
    pipe = box.data / "journal" / f"{999:020}.ndjson"
    for make, remove in ((os.mkfifo, os.unlink), (os.mkdir, os.rmdir)):
        make(pipe)
        verified = cli("journal", "verify", "--data", box.data)
        assert verified.code == 1, verified
        assert f"{pipe.name} is no regular file; the next start refuses it" in verified.err
        refuses_to_start(box, f"journal/{pipe.name} is no regular file")
        remove(pipe)
    (lines.parent / "format").unlink()
    verified = cli("journal", "verify", "--data", box.data)
    assert verified.code == 1 and "journal/format is missing" in verified.err, verified
    assert "journal/format is missing" in starts_with(box, 900)
    verify_says_no_problems(box)


def refuses_to_start(box, *words):
    box.spawn()
    assert box.wait() == 1
    for word in words:
        assert word in box.log(), box.log()


@test("a journal of a newer format is refused with words, by every verb, and not touched")
def _():
    box = Box()
    with box:
        emit(box, 2)
    form = box.data / "journal" / "format"
    assert form.read_text() == "signalbox journal 2\n"
    form.write_text("signalbox journal 3\n")
    before = {path.name: path.read_bytes() for path in (box.data / "journal").iterdir()}
    refuses_to_start(box, "has format 3", "newer signalbox")
    for verb in (["verify"], ["export"], ["forget", "--seq", "1", "--yes"]):
        result = cli("journal", *verb, "--data", box.data)
        assert result.code == 1 and "newer signalbox" in result.err, result
    assert before == {path.name: path.read_bytes() for path in (box.data / "journal").iterdir()}


@test("what is no regular file in the journal is refused at the start")
def _():
    box = Box()
    with box:
        emit(box, 2)
    elsewhere = temp_dir() / "elsewhere"
    newest = box.data / "journal" / f"{1:020}.ndjson"
    shutil.move(newest, elsewhere)
    newest.symlink_to(elsewhere)
    refuses_to_start(box, newest.name, "is no regular file")
    newest.unlink()
    shutil.move(elsewhere, newest)
    (box.data / "journal" / "backup").mkdir()
    refuses_to_start(box, "journal/backup is no regular file")
    (box.data / "journal" / "backup").rmdir()
    with box:
        eventually(lambda: len(box.history()) == 2)


run()
