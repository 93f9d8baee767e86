#!/usr/bin/env python3
"""Disks that fail: nothing acknowledged is lost, live goes on, everybody is told,
and when the disk works again so does the box, by itself."""
# long

import contextlib
import json
import subprocess
import threading
import time

import crash
import segments
from faults import FaultyBox
from lib import (PATIENCE_S, SLOW, TEXT, WS, Box, Events, Skip, cli, comment, eventually,
                 frame_bytes, run, temp_dir, test)

CEILING = 64 << 20  # bytes that may wait for a failing disk
BIG = 900 * 1024
FILE_LIMIT = 16 << 20  # bytes; less than a segment has
SMALL_SEGMENTS = {"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"}

# To make a segment and commit to it takes three writes and five syncs in a row:
# under some of these rules it can be done in the end, under some it cannot.
WRITES = [f"write:%{n}:{how}" for how in ("EIO", "ENOSPC") for n in (1, 2, 3, 5, 8)]
SYNCS = [f"sync:%{n}:{how}" for how in ("EIO", "ENOSPC") for n in (1, 2, 3, 4, 5, 7, 12)]
NAMES = [f"{call}:%{n}:EIO" for call in ("open", "unlink", "truncate", "rename") for n in (1, 2)]
MIXED = ["any:%2:EIO", "any:%7:ENOSPC", "write:%2:short,sync:%9:EIO", "write:%4:short,write:%7:EIO"]
SHORT = [f"write:%{n}:short" for n in (1, 2, 3, 5)]


def readiness(box):
    return box.request("GET", "/readyz")


def status(box):
    return box.request("GET", "/api/status").json()


def sync_failures(box):
    return status(box)["journal"]["syncFailures"]


def write_through(box, writers, seconds, noticed):
    """Writes while the disk fails for some time, until all of it is answered.
    A slow machine comes late to its n-th call: what is to be noticed is waited for."""
    stop = threading.Event()
    box.fail()
    threads = crash.together(writers, box, stop)
    time.sleep(seconds)
    if noticed:
        eventually(lambda: sync_failures(box))
    box.mend()
    time.sleep(0.05)
    stop.set()
    for thread in threads:
        thread.join()
    failures = sync_failures(box)
    eventually(lambda: readiness(box).status == 200)
    return failures


def lives_with(rules, noticed=False):
    """Writers of all kinds under each rule, one box each; how many failures there were."""
    failures = 0
    for rule in rules:
        ledger = crash.Ledger()
        writers = [crash.Writer("a", ledger), crash.Writer("b", ledger, 200)]
        box = FaultyBox(SMALL_SEGMENTS)
        box.arm(FAIL=rule)
        box.start()
        try:
            parts = [*writers, crash.Poster("c", ledger)]
            failures += write_through(box, parts, 0.15 * SLOW, noticed)
            crash.check(box, ledger, writers)
            assert box.stop() == 0, box.log()[-4000:]
            verified = cli("journal", "verify", "--data", box.data)
            assert verified.code == 0, verified
            box.disarm()
            box.start()
            crash.check(box, ledger, writers)
            assert box.stop() == 0
        except Exception:
            comment(f"with {rule}:\n{box.log()[-4000:]}")
            raise
    return failures


@test("every n-th write fails: it goes on in new segments and loses nothing")
def _():
    lives_with(WRITES, noticed=True)


@test("every n-th sync fails: it goes on in new segments and loses nothing")
def _():
    lives_with(SYNCS, noticed=True)


@test("files that cannot be made, renamed, cut or removed cost nothing that counts")
def _():
    lives_with(NAMES)


@test("failures of several kinds at once")
def _():
    lives_with(MIXED)


@test("short writes are no failure at all")
def _():
    assert lives_with(SHORT) == 0


@test("a start on a failing disk says why and ends, or serves; nothing is lost")
def _():
    data = None
    for call in ("write", "sync", "open", "truncate", "rename", "unlink"):
        for n in range(1, 7):
            box = FaultyBox(data=data)
            data = box.data
            if n == 1 and call == "write":
                box.start()
                first = box.emit("x", id="i")["seq"]
                box.kill9()
            # A torn tail, so that the start has something to put right.
            newest = max((data / "journal").glob("*.ndjson"))
            with open(newest, "ab") as segment:
                segment.write(b'{"seq":999,"torn')
            box.arm(FAIL=f"{call}:{n}+:EIO")
            box.fail()
            if box.started():
                box.kill9()
            else:
                assert box.wait() == 1, f"{call}:{n}\n{box.log()}"
                assert "Input/output error" in box.log(), f"{call}:{n}\n{box.log()}"
            box.disarm()
            box.start()
            assert box.emit("x", id="i")["seq"] == first
            assert len(box.history()) == 1, f"{call}:{n}"
            box.kill9()


@test("a stop on a failing disk ends in time, says what is not on it, and keeps the rest")
def _():
    box = FaultyBox()
    box.arm(FAIL="any:1+:EIO")
    box.start()
    box.emit("kept", id="kept")
    box.fail()
    with WS(box) as ws:
        ws.json()
        ws.send({"op": "emit", "ref": 1, "signal": {"type": "gone"}})
        eventually(lambda: readiness(box).status == 503)
        began = time.monotonic()
        box.stop()
        assert time.monotonic() - began < PATIENCE_S / 2
    assert "1 signals that are not on the disk" in box.log(), box.log()
    box.disarm()
    box.start()
    assert [s["id"] for s in box.history()] == ["kept"]


# --- memory full ---------------------------------------------------------------


def big(n):
    return {"type": "big", "id": f"big-{n}", "payload": {"n": n, "pad": "b" * BIG}}


def live_only(n):
    return {"type": "live", "id": f"live-{n}", "payload": {"pad": "l" * BIG}}


def told(box, words):
    """The lines of the log with these words."""
    return [line for line in box.log().splitlines() if words in line]


def check_trouble(box, words):
    """What operators see while the disk fails."""
    answer = readiness(box)
    assert answer.status == 503 and words in answer.json()["error"], answer
    trouble = status(box)["journal"]["trouble"]
    assert trouble and words in trouble, trouble
    assert len(told(box, words)) == 1, box.log()


def signals_of(ws, count):
    return [ws.json() for _ in range(count)]


def fill_memory(ws, words):
    """Durable emits until none fits; how many do.  Those are not answered yet, the
    others are refused at once."""
    count = CEILING // BIG + 10
    for n in range(count):
        ws.send({"op": "emit", "ref": n, "signal": big(n)})
    ws.send({"op": "emit", "ref": "end", "ack": "memory", "signal": {"type": "end"}})
    refused = []
    while (said := ws.json())["op"] == "error":
        assert said["code"] == "unavailable" and words in said["message"], said
        refused.append(said["ref"])
    assert said["op"] == "ack" and said["ref"] == "end", said
    assert refused == list(range(refused[0], count)), refused
    assert (refused[0] + 2) * BIG > CEILING - BIG, f"refused at {refused[0]}"
    return refused[0]


def check_posts_are_refused(box, words):
    answer = box.request("POST", "/api/signal", big(1000))
    assert answer.status == 507 and words in answer.json()["error"], answer
    assert "retry-after" in answer.headers, answer
    lines = f"{json.dumps(big(1001))}\n"
    answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
    assert answer.status == 507 and answer.json()["accepted"] == 0, answer


def outlive_full_memory(box, begin, end, words):
    """The whole story of a disk that fails for long; begin() and end() make it.
    What was heard live, to the last."""
    kept = box.emit("before", id="before")["seq"]
    with WS(box) as live, WS(box) as ws:
        live.json(), ws.json()
        live.send({"op": "subscribe", "after": kept})
        begin()
        # Too big for what is reserved, so that a full disk shows.
        ws.send({"op": "emit", "ref": "first", "signal": big(-1)})
        seen = signals_of(live, 1)
        eventually(lambda: readiness(box).status == 503)
        check_trouble(box, words)
        waiting = fill_memory(ws, words)
        seen += signals_of(live, waiting + 1)
        check_posts_are_refused(box, words)
        check_trouble(box, words)
        # What nobody waits for is heard live, and by nobody later.
        for n in range(5):
            ws.send(live_only(n))
        seen += signals_of(live, 5)
        assert status(box)["bus"]["liveOnly"] >= 5

        end()
        acks = [ws.json()["ref"] for _ in range(waiting + 1)]
        assert acks == ["first", *range(waiting)], acks
        eventually(lambda: readiness(box).status == 200)
        assert status(box)["journal"]["trouble"] is None
        assert len(told(box, "the disk works again")) == 1, box.log()
        last = box.emit("after", id="after")["seq"]
        seen += signals_of(live, last - seen[-1]["seq"])
    assert [s["seq"] for s in seen] == list(range(kept + 1, last + 1)), "live has a hole"
    return seen


def check_gap(box, seen, more=0):
    """Exactly one line stands for what was live only; every kind of reader is told."""
    gaps = [s for s in map(json.loads, segments.all_lines(box.data)) if s["type"] == "journal.gap"]
    assert len(gaps) == 1, gaps
    gap = gaps[0]["payload"]
    assert gaps[0]["seq"] == gap["to"] and gap["why"] == "disk", gaps
    assert gap["to"] - gap["from"] >= 4, gap

    told = {"from": gap["from"], "to": gap["to"], "why": "lost"}
    end = seen[-1]["seq"] + more + 1
    history = box.history()
    assert [s for s in history if s.get("op")] == [{"op": "gap", **told}]
    kept = [s["seq"] for s in history if not s.get("op")]
    assert kept == [*range(1, gap["from"]), *range(gap["to"] + 1, end)], (gap, kept)
    answer = box.request("GET", f"/api/signals?after={gap['from'] - 1}&limit=1").json()
    assert answer["gaps"] == [told], answer["gaps"]
    with WS(box) as ws:
        ws.json()
        ws.send({"op": "subscribe", "after": gap["from"] - 1})
        assert ws.json() == {"op": "gap", **told}
        assert ws.json()["seq"] == gap["to"] + 1
    with Events(box, f"/api/stream?after={gap['from'] - 1}") as events:
        event = events.next()
        assert event["event"] == "gap" and json.loads(event["data"]) == told, event
        assert events.json()["seq"] == gap["to"] + 1


@test("with the disk failing and memory full: live goes on, durable is refused, one gap after")
def _():
    box = FaultyBox()
    box.arm(FAIL="any:1+:EIO")
    with box:
        seen = outlive_full_memory(box, box.fail, box.mend, "Input/output error")
        check_gap(box, seen)
        # Sent again, it is stored: a live-only one was not.
        with WS(box) as ws:
            ws.json()
            ws.send({"op": "emit", "ref": 1, "signal": live_only(4)})
            assert ws.json()["seq"] == seen[-1]["seq"] + 1
        box.disarm()
        box.restart()
        check_gap(box, seen, 1)


@test("one sync that fails is logged, though the next goes well at once")
def _():
    box = FaultyBox()
    box.arm(FAIL="sync:1:EIO")
    with box:
        box.emit("before")
        # The idle writer fills it ahead, and syncs that, too.
        (segment,) = (box.data / "journal").glob("*.ndjson")
        eventually(lambda: segment.stat().st_size > 100_000)
        time.sleep(0.1 * SLOW)
        box.fail()
        box.emit("after")
        box.stop()
        for words in ("Input/output error", "the disk works again"):
            assert len(told(box, words)) == 1, box.log()


@test("with ENOSPC it is the same story")
def _():
    box = FaultyBox()
    box.arm(FAIL="write:1+:ENOSPC")
    with box:
        check_gap(box, outlive_full_memory(box, box.fail, box.mend, "No space left on device"))


def fill_disk(ballast):
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass


@contextlib.contextmanager
def small_disk():
    """A file system of its own; it ends with every box on it."""
    place = temp_dir() / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128m,mode=700", "tmpfs", place]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        raise Skip("a small tmpfs cannot be mounted here")
    try:
        yield place
    finally:
        Box.end_all()
        subprocess.run(["umount", place], check=True)


@test("with a disk that is really full it is the same story, and room is the cure")
def _():
    with small_disk() as place:
        ballast = place / "ballast"
        with Box(env=SMALL_SEGMENTS, data=place / "data") as box:
            check_gap(box, outlive_full_memory(
                box, lambda: fill_disk(ballast), ballast.unlink, "No space left on device"))


@test("a full disk is told with its reason before anything fails, while nothing is written at all")
def _():
    with small_disk() as place:
        ballast = place / "ballast"
        with Box(data=place / "data") as box:  # 64 MiB are reserved
            box.emit("before")
            assert readiness(box).status == 200
            fill_disk(ballast)
            eventually(lambda: readiness(box).status == 503)
            check_trouble(box, "the disk is full: No space left on device")
            assert box.emit("meanwhile")["seq"] == 2, "what was reserved is used"
            ballast.unlink()
            eventually(lambda: readiness(box).status == 200)
            assert len(told(box, "the disk works again")) == 1, box.log()
            journal = status(box)["journal"]
            assert journal["syncFailures"] == 0 and journal["trouble"] is None, journal


@test("where a file may grow no more it goes on in a new segment and loses nothing")
def _():
    with Box(command=["prlimit", f"--fsize={FILE_LIMIT}"]) as box:
        sent = range(FILE_LIMIT // BIG * 3 // 2)
        for n in sent:
            box.emit("big", payload={"n": n, "ballast": "x" * BIG})
        kept = cli("journal", "export", "--data", box.data).out.splitlines()
        signals = [json.loads(line) for line in kept]
        assert [s["payload"]["n"] for s in signals if s["type"] == "big"] == list(sent)
        assert "File too large" in box.log() and readiness(box).status == 200, box.log()


@test("up to the last byte of memory: what is acknowledged is kept, the rest is refused")
def _():
    box = FaultyBox()
    box.arm(FAIL="any:1+:EIO")
    with box, WS(box) as ws:
        ws.json()
        box.fail()
        sizes = [BIG] * (CEILING // BIG + 1) + [BIG // 10] * 10 + [BIG // 100] * 10 + [900] * 20
        sizes += [0] * 60
        for ref, size in enumerate(sizes):
            # Short and without what the server fills in: it grows when it is stored.
            pad = f',"payload":{{"p":"{"p" * size}"}}' if size else ""
            ws.send(f'{{"op":"emit","ref":{ref},"signal":{{"type":"x","id":"{ref}"{pad}}}}}')
            if size == 0 and ref % 8 == 0:
                ws.send({"type": "live", "payload": {"pad": "l" * 2000}})
        ws.send({"op": "emit", "ref": "end", "ack": "memory", "signal": {"type": "end"}})
        refused = []
        while (said := ws.json())["op"] == "error":
            refused.append(said["ref"])
        assert refused and refused[-1] == len(sizes) - 1, refused
        box.mend()
        acked = {str(s["ref"]): s["seq"] for s in signals_of(ws, len(sizes) - len(refused))}
        box.emit("after")
        stored = {s["id"]: s["seq"] for s in box.history() if not s.get("op")}
        lost = {ref: seq for ref, seq in acked.items() if stored.get(ref) != seq}
        assert not lost, f"acknowledged and lost: {lost}"


@test("while the disk fails a reader gets what is on it, and memory for the rest")
def _():
    box = FaultyBox(SMALL_SEGMENTS)
    box.arm(FAIL="any:1+:EIO")
    with box:
        for n in range(300):
            signal = {"type": "x", "payload": {"pad": "x" * 1000}}
            box.request("POST", "/api/signal?ack=memory", signal)
        box.emit("last on disk")
        box.fail()
        for n in range(50):
            box.request("POST", "/api/signal?ack=memory", {"type": "y"})
        eventually(lambda: readiness(box).status == 503)
        assert [s["seq"] for s in box.history()] == list(range(1, 352))
        box.mend()
        eventually(lambda: readiness(box).status == 200)
        assert [s["seq"] for s in box.history()] == list(range(1, 352))


def expect_all_but(told, batches, last):
    """Every signal up to `last`, and one gap for each of these batches."""
    missing = {n for first, end, *_ in batches for n in range(first, end + 1)}
    assert [s["seq"] for s in told if "seq" in s] == \
        [n for n in range(1, last + 1) if n not in missing], told[-3:]
    gaps = [s for s in told if s.get("op") == "gap"]
    assert {n for g in gaps for n in range(g["from"], g["to"] + 1)} == missing, gaps
    assert all(g["why"] == "damaged" for g in gaps), gaps


@test("where bytes of a segment cannot be read, exactly their batch is told, to everybody")
def _():
    box = FaultyBox(SMALL_SEGMENTS)
    with box:
        for n in range(200):
            box.emit("x", payload={"pad": "x" * 1000})
    paths = sorted((box.data / "journal").glob("*.ndjson"))
    assert len(paths) >= 3
    for path, ends in ((paths[1], "cleanly"), (paths[-1], "cleanly"), (paths[-1], "killed")):
        batches = segments.batches(path)
        hit = batches[len(batches) // 2]
        middle = hit[2] + hit[3] // 2
        if ends == "killed":
            (box.data / "journal" / "clean").unlink()
        box.arm(BAD=f"{path.name}:{middle}:{middle + 1}")
        box.fail()
        with box:
            expect_all_but(box.history(), [hit], 200)
            answer = box.request("GET", "/api/signals?after=0&type=x&limit=1000").json()
            found = [s["seq"] for s in answer["signals"] if "seq" in s]
            assert found == [n for n in range(1, 201) if not hit[0] <= n <= hit[1]], found
        box.disarm()
        with box:
            assert [s["seq"] for s in box.history()] == list(range(1, 201)), "it can be read again"


@test("a client that is far ahead of a slow disk is read no further, and gets every acknowledgement")
def _():
    box = FaultyBox()
    box.arm(SLOW=300)
    many = 20_000  # more than may be outstanding
    emits = b"".join(
        frame_bytes(TEXT, b'{"op":"emit","ref":%d,"signal":{"type":"x"}}' % n) for n in range(many))
    with box, WS(box) as ws:
        ws.json()
        box.fail()
        sender = threading.Thread(target=ws.wire.send, args=(emits,))
        sender.start()
        assert [ws.json()["ref"] for _ in range(many)] == list(range(many))
        sender.join()


@test("a torn beginning that cannot be put aside stays, and the box goes on behind it")
def _():
    box = FaultyBox()
    with box:
        pass
    (box.data / "journal" / "clean").unlink()
    path = box.data / "journal" / f"{1:020}.ndjson"
    torn = b'{"journal":2,"segment":1,"check":"00000000"}\n{"commit":' + b"x" * 9000
    path.write_bytes(torn)
    box.arm(BAD=f"{path.name}:5000:5001")
    box.fail()
    with box:
        first = box.emit("x")["seq"]
        assert box.emit("y")["seq"] == first + 1
    assert path.read_bytes() == torn
    box.disarm()
    with box:
        assert [s["seq"] for s in box.history() if "seq" in s] == [first, first + 1]


@test("however much of a segment cannot be read, all behind it is given")
def _():
    box = FaultyBox()
    with box:
        for n in range(30):
            box.emit("x", payload={"pad": "x" * 100_000})
        box.emit("last")
    (path,) = (box.data / "journal").glob("*.ndjson")
    box.arm(BAD=f"{path.name}:100000:2500000")
    box.fail()
    for checkpoint in (box.data / "journal").glob("*checkpoint*"):
        checkpoint.unlink()
    with box, Events(box, "/api/stream?after=0") as events:
        while json.loads((said := events.next())["data"]).get("type") != "last":
            assert said["event"] == "gap" or json.loads(said["data"])["type"] == "x", said


def damaged_journal(old):
    """A stopped box with three segments or more; signal 5 in the first has a flipped byte."""
    box = FaultyBox(SMALL_SEGMENTS)
    with box:
        for n in range(150):
            box.emit("x", payload={"pad": "x" * 1000})
    if old:
        segments.make_old(box.data)
    path = sorted((box.data / "journal").glob("*.ndjson"))[0]
    content = bytearray(path.read_bytes())
    content[content.index(b'{"seq":5,') + 20] ^= 1
    path.write_bytes(content)
    return box


def repair(box):
    return cli("journal", "repair", "--data", box.data, env=box.env)


@test("a repair may be cut short by the power at any moment, and the next one ends it")
def _():
    for old, call in ((False, "rename"), (True, "rename"), (True, "unlink"), (False, "sync"),
                      (True, "any"), (False, "write")):
        for number in (1, 2, 3, 5, 8, 13, 21):
            box = damaged_journal(old)
            box.arm_loss(CRASH=f"{call}:{number}", LOSS="mixed", SEED=number)
            box.fail()
            repair(box)
            box.disarm()
            again = repair(box)
            assert again.code == 0, (call, number, again)
            verified = cli("journal", "verify", "--data", box.data)
            assert verified.code == 0, (old, call, number, verified)
            leftovers = [p.name for p in (box.data / "journal").iterdir() if "new" in p.name]
            assert not leftovers, leftovers
            with box:
                told = box.history()
            seqs = [s["seq"] for s in told if "seq" in s]
            assert seqs == [n for n in range(1, 151) if n != 5], (old, call, number, told[:9])


@test("a segment of which bytes cannot be read stays as it is, and a repair mends all others")
def _():
    box = damaged_journal(False)
    paths = sorted((box.data / "journal").glob("*.ndjson"))
    before, batches = paths[1].read_bytes(), segments.batches(paths[1])
    hit = batches[len(batches) // 2]
    box.arm(BAD=f"{paths[1].name}:{hit[2] + 9}:{hit[2] + 10}")
    box.fail()
    result = repair(box)
    assert result.code == 1 and "cannot be copied" in result.err, result
    assert paths[1].read_bytes() == before
    box.disarm()
    verified = cli("journal", "verify", "--data", box.data)
    assert verified.code == 0, "the segment that could be read is repaired all the same"


run()
