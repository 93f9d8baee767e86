#!/usr/bin/env python3
"""What is no longer in the journal, by retention or by damage, is told to every
kind of reader, and everything else is given; and what a restart must remember."""

import functools
import json
import os
import shutil
import subprocess
import threading
import time
from itertools import groupby

import crash
import segments
from lib import WS, Box, Events, cli, eventually, run, temp_dir, test

SMALL = {"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"}
KEEP_LITTLE = {**SMALL, "SIGNALBOX_JOURNAL_KEEP": "300KiB"}
IN_MEMORY = 10_000  # signals
LAST = 300  # of the journal that is to be damaged


def emit_many(box, count, size=100, start=0, together=250):
    """Signals with ids of their own, some in each commit; the seq of the last."""
    for begin in range(start, start + count, together):
        lines = "".join(
            json.dumps({"type": "t", "id": f"i{n}", "payload": {"p": "p" * size}}) + "\n"
            for n in range(begin, begin + together)
        )
        how = {"Content-Type": "application/x-ndjson"}
        answer = box.request("POST", "/api/signal", lines, how)
        assert answer.status == 200 and answer.json()["accepted"] == together, answer
    return answer.json()["lastSeq"]


def files(box, suffix="ndjson"):
    return sorted((box.data / "journal").glob(f"*.{suffix}"))


def first_of(path):
    return int(path.name.split(".")[0])


def spans(seqs):
    """[1, 2, 3, 7] -> [(1, 3), (7, 7)]"""
    runs = groupby(enumerate(seqs), lambda pair: pair[1] - pair[0])
    lists = [[seq for _, seq in run] for _, run in runs]
    return [(part[0], part[-1]) for part in lists]


def settle(box):
    """Retention may wait for sums that are to be kept first (journal/hold.h)."""
    last = box.request("GET", "/api/status").json()["seq"]

    def is_settled():
        status = box.request("GET", "/api/status").json()
        return status["durableSeq"] >= last and status["journal"]["bytes"] < 370 << 10

    eventually(is_settled)


# --- the readers: each gives seqs and gaps from a position to the last seq --------


def read_ws(box, after, last):
    with WS(box) as ws:
        ws.json()
        ws.send({"op": "subscribe", "after": after})
        return collect((ws.json() for _ in iter(int, 1)), last)


def read_events(box, after, last):
    def said():
        while True:
            event = events.next()
            data = json.loads(event["data"])
            yield {"op": "gap", **data} if event["event"] == "gap" else data

    with Events(box, f"/api/stream?after={after}") as events:
        return collect(said(), last)


def read_signals(box, after, last):
    def said():
        while True:
            signal = ws.json()
            gap = signal["type"] == "journal.gap"
            yield {"op": "gap", **signal["payload"]} if gap else signal

    with WS(box, f"/ws/signals?after={after}") as ws:
        return collect(said(), last)


def read_lines(box, after, last):
    answer = box.request("GET", f"/api/signals?format=ndjson&after={after}")
    return collect(map(json.loads, answer.body.splitlines()), last)


def read_pages(box, after, last):
    """JSON, forward, page by page."""
    said = []
    while after is not None:
        page = box.request("GET", f"/api/signals?after={after}&limit=1000").json()
        said += [*page["signals"], *({"op": "gap", **g} for g in page["gaps"])]
        after = page["next"]
    return collect(in_order(said), last)


def read_back(box, after, last):
    """JSON, the newest first."""
    said, before = [], last + 1
    while before is not None:
        page = box.request("GET", f"/api/signals?before={before}&limit=1000").json()
        said += [*page["signals"], *({"op": "gap", **g} for g in page["gaps"])]
        before = page["next"]
    return collect(in_order(s for s in said if s.get("to", s.get("seq")) > after), last)


READERS = [read_ws, read_events, read_signals, read_lines, read_pages]


def in_order(said):
    return sorted(said, key=lambda s: s.get("from", s.get("seq")))


def collect(said, last):
    """(spans of seqs, gaps), until last."""
    seqs, gaps = [], []
    for one in said:
        if one.get("op") == "gap":
            gaps.append((one["from"], one["to"], one["why"]))
        else:
            seqs.append(one["seq"])
        if max(seqs[-1:] + [to for _, to, _ in gaps[-1:]]) >= last:
            break
    return spans(sorted(seqs)), sorted(gaps)


def check_all_told(after, last, seqs, gaps):
    """Signals and gaps, put together, leave nothing out and nothing is twice."""
    at = after + 1
    for start, end in sorted([*seqs, *((f, t) for f, t, _ in gaps)]):
        assert start == at, f"{at} is next, and {start} comes: {seqs} {gaps}"
        at = end + 1
    assert at == last + 1, f"ends before {at}"


# --- segments and retention --------------------------------------------------------


@test("segments roll, are named by their first seq, and hold one signal a line")
def _():
    with Box(env=SMALL) as box:
        last = emit_many(box, 3000)
        assert [s["seq"] for s in box.history()] == list(range(1, last + 1))
        seqs = []
        assert len(files(box)) > 5
        for path in files(box):
            every = path.read_bytes().rstrip(b"\n").split(b"\n")
            assert all(json.loads(line) for line in every), path
            lines = segments.lines(path)
            assert len(every) == 1 + len(segments.batches(path)) + len(lines), path
            seqs += [json.loads(line)["seq"] for line in lines]
            assert json.loads(lines[0])["seq"] == first_of(path), path
            assert path.stat().st_mode & 0o777 == 0o600, path
        assert seqs == list(range(1, last + 1))
        assert cli("journal", "verify", "--data", box.data).code == 0


@test("what retention removed is an expired gap for every reader behind it")
def _():
    with Box(env=KEEP_LITTLE) as box:
        last = emit_many(box, IN_MEMORY + 5000)
        settle(box)
        kept = sum(f.stat().st_size for f in files(box))
        assert kept < 400 * 1024 and first_of(files(box)[0]) > 1, kept
        # While it runs, memory still has some that are gone from the disk.
        first = box.request("GET", "/api/status").json()["journal"]["firstSeq"]
        assert 1 < first <= first_of(files(box)[0]), first
        check_expired(box, first, last)
        box.restart()
        settle(box)
        check_expired(box, first_of(files(box)[0]), last)
        report = cli("journal", "verify", "--json", "--data", box.data)
        assert report.code == 0 and json.loads(report.out)["firstSeq"] > 1, report


def check_expired(box, first, last):
    for read in READERS:
        got = read(box, 5, last)
        assert got == ([(first, last)], [(6, first - 1, "expired")]), (read.__name__, got)
        # Who asks for everything there is is behind nothing.
        assert read(box, 0, last) == ([(first, last)], []), read.__name__
    assert read_back(box, 0, last) == ([(first, last)], [])


@test("old segments go by their age too, whole, and the newest stays")
def _():
    with Box(env={**SMALL, "SIGNALBOX_JOURNAL_DAYS": "2"}) as box:
        emit_many(box, 2000)
        old = files(box)
        assert len(old) > 3
        three_days_ago = time.time() - 3 * 86400
        for path in old[:2]:
            os.utime(path, (three_days_ago, three_days_ago))
        last = emit_many(box, 1000, start=2000)
        eventually(lambda: not old[0].exists() and not old[1].exists())
        assert old[2].exists()
        box.restart()
        first = first_of(old[2])
        assert read_ws(box, 1, last) == ([(first, last)], [(2, first - 1, "expired")])


@test("a reader that retention overtakes is told exactly what it missed")
def _():
    with Box(env=KEEP_LITTLE) as box:
        last = emit_many(box, IN_MEMORY + 2000, size=50)
        box.restart()
        settle(box)
        first = first_of(files(box)[0])
        with WS(box, receive_buffer=2048) as ws:
            ws.json()
            ws.send({"op": "subscribe", "after": 0})
            seqs = [ws.json()["seq"] for _ in range(10)]
            for n in range(3):
                last = emit_many(box, IN_MEMORY, start=50_000 + n * IN_MEMORY, size=500, together=2000)
            seqs_later, gaps = collect((ws.json() for _ in iter(int, 1)), last)
        assert seqs == list(range(first, first + 10))
        assert gaps and all(why == "expired" for _, _, why in gaps), gaps
        check_all_told(first + 9, last, seqs_later, gaps)


# --- damage ---------------------------------------------------------------------------


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 0x01]))


@functools.cache
def sound_data():
    """A journal with several segments, each signal a batch of its own."""
    with Box(env=SMALL) as box:
        for n in range(LAST):
            box.emit("t", id=f"c{n}", payload={"p": "p" * 900})
    assert len(files(box)) >= 3
    return box.data


def stopped_box():
    """A box with that journal, not running yet."""
    data = temp_dir() / "data"
    shutil.copytree(sound_data(), data, ignore=shutil.ignore_patterns("sock"))
    return Box(env=SMALL, data=data)


@test("a flipped byte costs its batch: a damaged gap, a quarantine, all else is given")
def _():
    box, last = stopped_box(), LAST
    hurt = files(box)[1]
    first, to, offset, length, *_ = segments.batches(hurt)[7]
    flip(hurt, offset + length // 2)
    bytes_now = hurt.read_bytes()[offset : offset + length]
    verified = cli("journal", "verify", "--data", box.data)
    assert verified.code == 1 and f"signals {first} to {to}" in verified.err, verified
    assert f"segment {first_of(hurt)}" in verified.err and "damaged" in verified.err, verified
    with box:
        for read in [*READERS, read_back]:
            got = read(box, 0, last)
            want = ([(1, first - 1), (to + 1, last)], [(first, to, "damaged")])
            assert got == want, (read.__name__, got)
        (aside,) = files(box, "quarantine")
        assert first_of(aside) == first and aside.read_bytes() == bytes_now, aside
        assert f"damaged at {first}" in box.log(), box.log()
        assert box.emit("after")["seq"] == last + 1
    assert cli("journal", "verify", "--data", box.data).code == 1


@test("a byte that is flipped while it runs is found when it is read")
def _():
    box, last = stopped_box(), LAST
    with box:
        hurt = files(box)[0]
        first, to, offset, *_ = segments.batches(hurt)[3]
        flip(hurt, offset)
        got = read_events(box, 0, last)
        assert got == ([(1, first - 1), (to + 1, last)], [(first, to, "damaged")]), got


@test("damage in the newest segment costs its batch, and seqs go on")
def _():
    box, last = stopped_box(), LAST
    hurt = files(box)[-1]
    first, to, offset, length, *_ = segments.batches(hurt)[2]
    assert to < last - 2
    flip(hurt, offset + length - 3)
    with box:
        assert box.emit("after")["seq"] == last + 1
        got = read_ws(box, 0, last + 1)
        assert got == ([(1, first - 1), (to + 1, last + 1)], [(first, to, "damaged")]), got
        assert [first_of(p) for p in files(box, "quarantine")] == [first]


@test("what was damaged goes when retention has passed it, also if it was left before")
def _():
    box = stopped_box()
    hurt = files(box)[0]
    first, _, offset, length, *_ = segments.batches(hurt)[3]
    flip(hurt, offset + length // 2)
    newest = files(box)[-1]
    kept, _, offset, length, *_ = segments.batches(newest)[2]
    flip(newest, offset + length // 2)

    def aside():
        return [first_of(path) for path in files(box, "quarantine")]
    with box:
        read_ws(box, 0, LAST)
        eventually(lambda: aside() == [first, kept])
    box.env = {**SMALL, "SIGNALBOX_JOURNAL_KEEP": "64KiB"}
    with box:
        eventually(lambda: aside() == [kept])
    hurt.with_suffix(".quarantine").touch()
    with box:
        eventually(lambda: aside() == [kept])


def hurt_head(path):
    flip(path, segments.batches(path)[5][2] - 30)


def cut_lines(path):
    os.truncate(path, path.stat().st_size // 2)


def flip_all(path):
    for _, _, offset, length, *_ in segments.batches(path):
        flip(path, offset + length // 2)


def lose_lines(path):
    path.unlink()


def zero_lines(path):
    size = path.stat().st_size
    path.write_bytes(b"\0" * size)


@test("whatever is missing or broken, readers get the rest and are told of it")
def _():
    for hurt in (hurt_head, cut_lines, flip_all, lose_lines, zero_lines):
        box, last = stopped_box(), LAST
        segment = files(box)[1]
        low, high = first_of(segment), first_of(files(box)[2]) - 1
        hurt(segment)
        assert cli("journal", "verify", "--data", box.data).code == 1, hurt.__name__
        with box:
            for read in READERS:
                seqs, gaps = read(box, 0, last)
                check_all_told(0, last, seqs, gaps)
                assert gaps and all(low <= f <= t <= high for f, t, _ in gaps), (hurt, gaps)
                assert all(why == "damaged" for _, _, why in gaps), (hurt.__name__, gaps)
                if hurt is hurt_head:
                    assert [(f, t) for f, t, _ in gaps] == [(low + 5, low + 5)], gaps
            assert box.emit("after")["seq"] == last + 1


@test("a torn tail was never acknowledged: it is cut, said, and written over")
def _():
    torn = b'{"seq":301,"id":"torn","type":"t","payl'
    for tail in (torn, torn * 1000, b"\0" * 5000):
        box, last = stopped_box(), LAST
        (box.data / "journal" / "clean").unlink()
        with open(files(box)[-1], "ab") as file:
            file.write(tail)
        with box:
            cut = f"cut {len(tail)} bytes" in box.log()
            assert cut == (b"torn" in tail), box.log()  # zeros were never written
            assert box.emit("after", id="after")["seq"] == last + 1
            assert [s["seq"] for s in box.history()] == list(range(1, last + 2))
        assert cli("journal", "verify", "--data", box.data).code == 0


@test("killed while it writes, its files are sound, and its next start says what it cut")
def _():
    box = Box(env=SMALL)
    for n in range(5):
        with box, WS(box) as ws:
            ws.json()
            box.emit("t", id=f"{n}")
            for i in range(2000):
                ws.send({"type": "t", "id": f"{n}-{i}", "payload": {"p": "p" * 400}})
            box.kill9()
        assert cli("journal", "verify", "--data", box.data).code == 0
    with box:
        seqs = [s["seq"] for s in box.history()]
        assert seqs == list(range(1, len(seqs) + 1)) and len(seqs) >= 5, len(seqs)


# What docs/journal.md tells people to do, from the journal's directory.
BACKUP = """
mkdir -p -m 700 "$COPY" "$COPY/journal"
cp format epochs $(find . -name "*.index") *.ndjson "$COPY/journal"
"""


@test("a copy that is made while it runs can be served, and is whole then")
def _():
    copy = temp_dir() / "copy"
    with Box(env=SMALL) as box:
        ledger, stop = crash.Ledger(), threading.Event()
        threads = crash.together([crash.Writer("w", ledger)], box, stop)
        ledger.wait_for(300)
        subprocess.run(BACKUP, shell=True, check=True, cwd=box.data / "journal",
                       env={**os.environ, "COPY": str(copy)})
        stop.set()
        threads[0].join()
    with Box(data=copy) as again:
        seqs = [s["seq"] for s in again.history()]
        assert len(seqs) > 10 and seqs == list(range(1, len(seqs) + 1))
    verified = cli("journal", "verify", "--data", copy)
    assert verified.code == 0, verified


# --- what a restart remembers ------------------------------------------------------------

ALIKE = [
    '{"type":"x","id":"1","timestamp":1700000000000,"source":"s","payload":{"a":1}}',
    '{"type":"x","id":"2","source":"s","payload":{"a":1}}',
    '{"type":"x","id":"3"}',
    '{"type":"x","id":"4","payload":{}}',
    ' {\n  "type": "x",\n  "id": "5",\n  "payload": { "a": [ ] }\n }\n',
    '{"id":"6","payload":{"timestamp":1700000000000},"metadata":{},"type":"x","seq":99}',
    '{"id":"7","type":"x","timestamp":null,"source":null,"payload":null}',
    '{"no":"type","id":"8"}',
    '{"type":"x","id":"9","correlationId":"c","timestamp":1700000000000}',
    '{"timestamp":17,"type":"x","id":"10","payload":{"x":",\\"timestamp\\":1700000000000}"}}',
]


def post(box, text):
    answer = box.request("POST", "/api/signal", text)
    assert answer.status == 200, answer
    return answer.json()["seq"]


@test("the same bytes get their first seq, also after a stop, a kill and another kill")
def _():
    with Box() as box:
        first = [post(box, text) for text in ALIKE]
        # One with neither id nor type has no name to know it by.
        known = [n for n, text in enumerate(ALIKE) if '"no"' not in text]
        for end in (lambda: None, box.stop, box.kill9, box.kill9, box.stop):
            end()
            if not box.process:
                box.start()
            again = [post(box, text) for text in ALIKE]
            wrong = [ALIKE[n] for n in known if again[n] != first[n]]
            assert not wrong, f"stored again after {end}: {wrong}"


@test("the newest 65,536 are known after a restart, with rolls and a bad checkpoint too")
def _():
    with Box(env={"SIGNALBOX_JOURNAL_SEGMENT": "1MiB"}) as box:
        first = post(box, ALIKE[1])
        for n in range(13):
            emit_many(box, 5000, start=n * 5000, size=10, together=1000)
        for end in (box.stop, box.kill9):
            end()
            box.start()
            assert post(box, ALIKE[1]) == first, end
        box.stop()
        newest = max((box.data / "journal").glob("checkpoint-*"), key=os.path.getmtime)
        flip(newest, newest.stat().st_size // 2)
        assert cli("journal", "verify", "--data", box.data).code == 1
        box.start()
        assert newest.name in box.log(), box.log()
        assert post(box, ALIKE[1]) == first
        assert len(list((box.data / "journal").glob("checkpoint-*"))) <= 2


@test("the same id with other bytes is new, before and after a restart")
def _():
    with Box() as box:
        assert post(box, '{"type":"x","id":"i","payload":{"a":1}}') == 1
        assert post(box, '{"type":"x","id":"i","payload":{"a":2}}') == 2
        box.kill9()
        box.start()
        assert post(box, '{"type":"x","id":"i","payload":{"a":3}}') == 3
        assert post(box, '{"type":"x","id":"i","source":"other","payload":{"a":3}}') == 4
        assert box.request("GET", "/api/status").json()["bus"]["idReused"] == 1
        # Not even when all that differs is what the server would fill in.
        bare = '{"type":"x","id":"j","source":"s","payload":{}}'
        assert post(box, bare.replace("}}", '},"timestamp":1700000000000}')) == 5
        box.kill9()
        box.start()
        assert post(box, bare) == 6


run()
