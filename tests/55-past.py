#!/usr/bin/env python3
"""One checkpoint a segment is kept with it, so that any moment of the past is folded from near."""

import ctypes
import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

from lib import Box, cli, eventually, run, temp_dir, test

PAST_STATES = Path(os.environ["SIGNALBOX"]).parent / "tests" / "past_states"
HEADER = struct.Struct("<8sQQ12sI")
MOST = 1024 * 1024
SMALL = {"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"}


def segments(data):
    return sorted(int(p.stem) for p in (data / "journal").glob("*.ndjson"))


def kept(data):
    """Where the checkpoint of each segment stands, by the first seq of the segment."""
    found = {}
    for path in (data / "journal").glob("*.checkpoint"):
        file = path.read_bytes()
        magic, seq, _, _, _ = HEADER.unpack_from(file)
        assert magic == b"sbxkept1" and len(file) <= MOST, (path, file[:40])
        found[int(path.stem)] = seq
    return found


def path_of(data, first):
    return data / "journal" / f"{first:020}.checkpoint"


def sections(path):
    """The names of what is in one."""
    file = path.read_bytes()
    state = ctypes.create_string_buffer(HEADER.unpack_from(file)[2])
    packed = file[HEADER.size:]
    got = ctypes.CDLL("libzstd.so.1").ZSTD_decompress(
        state, ctypes.c_size_t(len(state)), packed, ctypes.c_size_t(len(packed)))
    assert got == len(state), got
    rest, names = state.raw, []
    while rest:
        name, _, rest = rest.partition(b"\0")
        size, = struct.unpack_from("<Q", rest)
        names.append(name.decode())
        rest = rest[8 + size:]
    return names


def story(n):
    """The signals of a piece of work: runs that speak, ask and end."""
    run_id, ada = f"run-{n % 17}", {"agentId": "ada"}
    yield "text_delta", run_id, {**ada, "content": f"word {n} " + "and so on " * (n % 30)}
    if n % 7 == 0:
        yield "prompt", run_id, {"promptId": f"p{n}", "type": "text", "prompt": "Which one?"}
    if n % 11 == 0:
        yield "tool_use", run_id, {**ada, "toolId": f"t{n}", "toolName": "Bash", "input": {"n": n}}
    if n % 40 == 39:
        yield "completion", run_id, {**ada, "taskId": "t", "success": True, "result": "Done."}


def tell(box, begin, end):
    """The seq of the last."""
    lines = "".join(json.dumps({"type": kind, "source": "crew", "correlationId": run_id, "payload": p}) + "\n"
                    for n in range(begin, end) for kind, run_id, p in story(n))
    answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
    assert answer.status == 200 and not answer.json()["rejected"], answer
    return answer.json()["lastSeq"]


def fill(box, count, begin=0):
    """So many segments more, each with its checkpoint; the seq of the last signal."""
    goal, n = len(segments(box.data)) + count, begin
    while len(segments(box.data)) < goal:
        last = tell(box, n, n + 100)
        n += 100
        newest = segments(box.data)[-1]
        if newest > 1:
            eventually(lambda: path_of(box.data, newest).exists())
    return last


def copy_of(data):
    copy = temp_dir() / "data"
    shutil.copytree(data, copy, ignore=shutil.ignore_patterns("sock", "hooks", "listen", "lock"))
    return copy


def states_at(data, seqs):
    """[(where its checkpoint stands, the states)] at each of these moments."""
    done = subprocess.run([PAST_STATES, data, *map(str, seqs)], stdout=subprocess.PIPE, check=True)
    told = []
    for seq, line in zip(seqs, done.stdout.decode().splitlines(), strict=True):
        at, began, state = line.split(" ", 2)
        assert int(at) == seq, line[:80]
        told.append((int(began), state))
    return told


def drop_kept(data):
    for path in (data / "journal").glob("*.checkpoint"):
        path.unlink()


@test("every segment has a checkpoint that stands in it, small and without texts")
def _():
    with Box(env=SMALL) as box:
        fill(box, 6)
        box.stop()
        firsts, found = segments(box.data), kept(box.data)
        assert set(firsts[1:]) <= set(found) <= set(firsts), (firsts, found)
        for first, until in zip(firsts, [*firsts[1:], 1 << 62]):
            assert first not in found or first <= found[first] < until, (first, found)
        names = sections(path_of(box.data, firsts[-1]))
        assert {"prompts", "resume", "runs", "runs.seq", "show"} <= set(names), names
        assert not [n for n in names if n.endswith(".texts") or n == "window"], names
        assert cli("journal", "verify", "--data", box.data).code == 0


@test("any moment is folded from the nearest one, byte for byte as from the first signal")
def _():
    with Box(env=SMALL) as box:
        last = fill(box, 6)
        box.stop()
        firsts, found = segments(box.data), sorted(kept(box.data).values())
        moments = sorted({1, 77, *found, *(f - 1 for f in firsts[1:]), *(f + 5 for f in firsts), last - 1, last})
        near = states_at(copy_of(box.data), moments)
        for seq, (began, _) in zip(moments, near):
            assert began == max((k for k in found if k <= seq), default=0), (seq, began, found)
        far = copy_of(box.data)
        drop_kept(far)
        for seq, (_, state), (began, whole) in zip(moments, near, states_at(far, moments)):
            assert began == 0 and state == whole, (seq, state, whole)
        assert len({state for _, state in near}) == len(moments)


@test("one that is damaged or torn is passed over, and verify names it")
def _():
    with Box(env=SMALL) as box:
        last = fill(box, 4)
        box.stop()
        firsts, found = segments(box.data), kept(box.data)
        before = states_at(copy_of(box.data), [last])
        for spoil in (lambda b: b[:50] + bytes([b[50] ^ 1]) + b[51:], lambda b: b[:-9], lambda b: b"", lambda b: b"x" * 2 * MOST):
            data = copy_of(box.data)
            path = path_of(data, firsts[-1])
            path.write_bytes(spoil(path.read_bytes()))
            said = cli("journal", "verify", "--data", data)
            assert said.code == 1 and f"segment {firsts[-1]}: its checkpoint is damaged" in said.err, said
            (began, state), = states_at(data, [last])
            assert began == found[firsts[-2]] and state == before[0][1], (began, found)


@test("retention, and a start that finds one without a segment, remove it")
def _():
    with Box(env={**SMALL, "SIGNALBOX_JOURNAL_KEEP": "256KiB"}) as box:
        fill(box, 3)
        gone = segments(box.data)[1]
        assert gone in kept(box.data)
        n = 10000
        while gone in segments(box.data):
            tell(box, n, n + 100)
            n += 100
        eventually(lambda: set(kept(box.data)) <= set(segments(box.data)))
        box.stop()
        orphan = path_of(box.data, 1)
        assert 1 not in segments(box.data)
        shutil.copy(path_of(box.data, segments(box.data)[-1]), orphan)
        box.start()
        assert not orphan.exists()


@test("a start without the newest checkpoint goes on from a kept one, and knows the same")
def _():
    with Box(env=SMALL) as box:
        fill(box, 4)
        before = [box.request("GET", f"/api/runs/run-{n}").json() for n in range(17)]
        box.kill9()
        for path in (box.data / "journal").glob("checkpoint-*"):
            path.unlink()
        box.start()
        assert [box.request("GET", f"/api/runs/run-{n}").json() for n in range(17)] == before


@test("killed at any time while it rolls, it starts, and what is kept is good")
def _():
    box = Box(env=SMALL)
    n, last = 0, 0
    for number in range(12):
        box.start()
        for _ in range(1 + number % 4):
            last = tell(box, n, n + 150)
            n += 150
        box.kill9()
        firsts, found = segments(box.data), kept(box.data)
        assert set(found) <= set(firsts), (firsts, found)
    data = copy_of(box.data)
    assert cli("journal", "verify", "--data", data).code == 0
    (began, state), = states_at(data, [last])
    drop_kept(data)
    assert began > 0 and states_at(data, [last]) == [(0, state)]
    box.start()
    box.stop()


@test("what is forgotten is in none of them")
def _():
    with Box(env=SMALL) as box:
        fill(box, 4)
        box.stop()
        firsts = segments(box.data)
        forgotten = cli("journal", "forget", "--data", box.data, "--seq", str(firsts[2]), "--yes")
        assert forgotten.code == 0, forgotten
        assert firsts[1] in kept(box.data) and max(kept(box.data)) < firsts[2], (firsts, kept(box.data))
        box.start()


run()
