#!/usr/bin/env python3
"""What is found by the indexes of a journal is what is found by reading all of it, whatever
happened to the indexes."""

import json
import os
import random
import shutil
from urllib.parse import quote

from lib import WS, Box, Events, eventually, run, temp_dir, test

SMALL = {"SIGNALBOX_JOURNAL_SEGMENT": "256KiB"}
ENOUGH = 16000  # signals; the newest 10,000 are in memory
DICE = random.Random(20261117)


def some_signals(count):
    for n in range(count):
        signal = {"id": f"{n}-{DICE.random()}", "type": DICE.choice(["text_delta"] * 20 + ["tool_call", "x.y"]),
                  "source": DICE.choice(["ada"] * 20 + ["bob", "eve"]),
                  "payload": {"agentId": "ada", "content": "word " * DICE.randrange(30)}}
        if DICE.random() < 0.9:
            signal["correlationId"] = DICE.choice([f"run-{n // 800}", f"run-{n // 800 + 1}", "long"] +
                                                  (["rare", 'od"d\n\u00e9'] if n % 300 == 0 else []))
        yield signal


def fill(box, count=ENOUGH):
    http = box.http()
    for _ in range(count // 2000):
        body = "\n".join(json.dumps(s) for s in some_signals(2000)).encode()
        answer = http.ask("POST", "/api/signal", body, {"Content-Type": "application/x-ndjson"})
        assert answer.status == 200, answer
    http.close()


def passes(signal, ask):
    return all(signal.get(member) in words.split(",") for member, words in ask.items())


ASKS = [{"correlationId": "rare"}, {"correlationId": "run-3"}, {"correlationId": "long", "source": "bob"},
        {"correlationId": 'od"d\n\u00e9'}, {"correlationId": "nobody"}, {"source": "local/eve,local/bob"},
        {"type": "x.y"}, {"type": "x.y,tool_call", "source": "local/bob"}]


def query_of(ask):
    return "".join(f"&{member}={quote(words, safe=',')}" for member, words in ask.items())


def pages(box, query, cursor):
    """All pages of an answer in JSON, one after the other."""
    found, at = [], "&after=0" if cursor == "after" else ""
    while True:
        answer = box.request("GET", f"/api/signals?limit=97{query}{at}").json()
        assert answer["gaps"] == [], answer["gaps"]
        found = found + answer["signals"] if cursor == "after" else answer["signals"] + found
        if answer["next"] is None:
            return found
        at = f"&{cursor}={answer['next']}"


def subscribed(box, ask, last):
    """What a subscription from the beginning is given up to now."""
    ws = WS(box)
    assert ws.json()["op"] == "hello"
    wish = {"op": "subscribe", "after": 0}
    for member, name in (("type", "types"), ("source", "sources")):
        if member in ask:
            wish[name] = ask[member].split(",")
    if "correlationId" in ask:
        wish["correlationId"] = ask["correlationId"]
    ws.send(wish)
    found = []
    while not found or found[-1].get("seq", 0) < last:
        message = ws.json()
        if "seq" in message or message["op"] == "gap":
            found.append(message)
    ws.close()
    return found


def expect_all(box):
    """Every way to ask gives what is left of everything."""
    everything = box.history()
    for ask in ASKS:
        expected = [s for s in everything if passes(s, ask)]
        query = query_of(ask)
        assert box.history(query) == expected, ask
        assert pages(box, query, "after") == expected, ask
        assert pages(box, query, "before") == expected, ask
        if expected:
            assert subscribed(box, ask, expected[-1]["seq"]) == expected, ask


def journal_of(box):
    return box.data / "journal"


def indexes(box):
    return sorted(journal_of(box).glob("*.places"))


def wait_for_indexes(box):
    """Until each segment but the newest has one."""
    eventually(lambda: len(indexes(box)) + 1 >= len(list(journal_of(box).glob("*.ndjson"))))


@test("what is found by index is what a look at everything finds")
def _():
    with Box(env=SMALL) as box:
        fill(box)
        expect_all(box)
        wait_for_indexes(box)
        assert len(indexes(box)) > 4
        expect_all(box)
        box.restart()
        expect_all(box)


@test("indexes are small: at most two of a hundred bytes")
def _():
    with Box(env={"SIGNALBOX_JOURNAL_SEGMENT": "1MiB"}) as box:
        fill(box)
        wait_for_indexes(box)
        size = sum(p.stat().st_size for p in indexes(box))
        lines = sum(p.with_suffix(".ndjson").stat().st_size for p in indexes(box))
        assert 0 < size <= lines / 50, (size, lines)


@test("damaged, lost, stale and exchanged indexes change no answer, and are made again")
def _():
    box = Box(env=SMALL).start()
    fill(box, 4000)
    wait_for_indexes(box)
    stale = temp_dir() / "stale"
    stale.mkdir()
    for path in indexes(box):
        shutil.copy(path, stale)
    fill(box)
    wait_for_indexes(box)
    for attempt in range(3):
        box.kill9() if attempt % 2 else box.stop()
        files = indexes(box)
        whole = [p.read_bytes() for p in files]
        for n, path in enumerate(files):
            match DICE.randrange(6):
                case 0:
                    path.unlink()
                case 1:
                    path.write_bytes(whole[n][:DICE.randrange(len(whole[n]))])
                case 2:
                    at = DICE.randrange(len(whole[n]))
                    path.write_bytes(whole[n][:at] + bytes([whole[n][at] ^ 1]) + whole[n][at + 1:])
                case 3:
                    path.write_bytes(whole[n - 1])  # a good one, of another segment
                case 4:
                    path.write_bytes(os.urandom(4096))
                case 5:
                    if (stale / path.name).exists():
                        shutil.copy(stale / path.name, path)
        newest = sorted(journal_of(box).glob("*.ndjson"))[-1]
        newest.with_suffix(".places").write_bytes(whole[0])
        (journal_of(box) / f"{7:020}.places").write_bytes(whole[0])  # of a segment that is none
        box.start()
        expect_all(box)
        wait_for_indexes(box)
        eventually(lambda: not (journal_of(box) / f"{7:020}.places").exists())
        expect_all(box)
    assert box.stop() == 0


@test("a box that is killed again and again answers as one that reads everything")
def _():
    box = Box(env=SMALL).start()
    fill(box, 10000)
    for _ in range(3):
        fill(box, 2000)
        box.kill9()
        box.start()
        expect_all(box)
    assert box.stop() == 0


@test("a question that nobody waits for any more does no harm, and others are answered meanwhile")
def _():
    with Box(env=SMALL) as box:
        fill(box)
        for n in range(40):
            left = box.http()
            left.send(b"GET /api/signals?format=ndjson&after=0&q=word%20word%20nobody HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if n % 2:
                left.close()
            assert box.request("GET", "/healthz").status == 200
        assert box.history("&correlationId=rare")
        expect_all(box)


# --- runs ---------------------------------------------------------------------------

RUNS = ["rare", 'od"d\n\u00e9', "run-3"]


def path_of(one):
    return f"/api/runs/{quote(one, safe='')}"


def numbered(ws, last):
    """Frames up to the event with this number; gaps among them."""
    frames = []
    while not frames or frames[-1].get("seq", 0) < last:
        frame = ws.json()
        if frame["kind"] in ("event", "gap"):
            frames.append(frame)
    return frames


def screen(box, one, since):
    return WS(box, f"/ws/run?session={quote(one, safe='')}&since={since}", unix=True)


def told_of(box, one, newest):
    """A run in each way that goes back to its first signal, as bytes would show it."""
    frames = []
    for since in (0, newest // 2):
        with screen(box, one, since) as ws:
            frames.append(numbered(ws, newest))
    transcript = box.request("GET", path_of(one) + "/transcript")
    messages = box.request("GET", path_of(one) + "/messages?limit=1000")
    assert transcript.status == messages.status == 200, (transcript, messages)
    return frames, transcript.text, messages.json()


def followed(box, ws, one):
    """What a screen that was there from the beginning has seen, when all is folded."""
    run_of = eventually(lambda: (r := box.request("GET", path_of(one))).status == 200 and r.json())["run"]
    return numbered(ws, run_of["frames"])


def live_runs(box):
    """Fills it, and says what screens saw of each run meanwhile."""
    screens = {one: screen(box, one, 0) for one in RUNS}
    fill(box)
    last = box.history()[-1]["seq"]
    eventually(lambda: box.request("GET", "/api/runs").json()["seq"] >= last)
    seen = {one: followed(box, ws, one) for one, ws in screens.items()}
    for ws in screens.values():
        ws.close()
    return seen


def expect_told(box, seen):
    for one, frames in seen.items():
        newest = frames[-1]["seq"]
        (all_of_it, half), transcript, messages = told_of(box, one, newest)
        assert all_of_it == frames, one
        assert half == [f for f in frames if f["seq"] > newest // 2], one
        assert [json.loads(line)["seq"] for line in transcript.splitlines()] == [f["seq"] for f in frames], one
        yield one, transcript, messages


@test("screens, transcripts and messages made by index are those that were made of everything")
def _():
    box = Box(env=SMALL).start()
    seen = live_runs(box)
    assert all(len(frames) > 5 for frames in seen.values())
    expected = list(expect_told(box, seen))
    for harm in (lambda p: None, lambda p: p.unlink(), lambda p: p.write_bytes(os.urandom(8192))):
        wait_for_indexes(box)
        box.stop()
        for path in indexes(box):
            harm(path)
        box.start()
        assert list(expect_told(box, seen)) == expected
    assert box.stop() == 0


def batches(path):
    """Where the lines of each batch lie in a segment, and its seqs."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        end = data.index(b"\n", at) + 1
        if data[at:].startswith(b'{"commit":'):
            head = json.loads(data[at:end])
            yield end, head["bytes"], range(head["first"], head["commit"] + 1)
            end += head["bytes"]
        at = end


def damage_far_from(box, seqs, room=300):
    """Flips a byte in every batch that has no such signal near, of segments that have an index,
    but for their ends, by which an index knows its segment."""
    hurt = 0
    for path in [p.with_suffix(".ndjson") for p in indexes(box)][2:]:
        with open(path, "r+b") as file:
            for at, length, inside in list(batches(path))[:-2]:
                if any(inside.start - room <= seq < inside.stop + room for seq in seqs):
                    continue
                file.seek(at + length // 2)
                byte = file.read(1)
                file.seek(at + length // 2)
                file.write(bytes([byte[0] ^ 1]))
                hurt += 1
    return hurt


def streamed(box, one, last):
    """All that a stream of one run from the beginning tells, gaps too."""
    events = []
    with Events(box, f"/api/stream?correlationId={quote(one, safe='')}&after=0") as stream:
        while not events or events[-1].get("seq", 0) < last:
            events.append(stream.json())
    return events


@test("whoever wants one run reads nothing of what lies between its signals")
def _():
    box = Box(env=SMALL).start()
    seen = live_runs(box)["rare"]
    told = list(expect_told(box, {"rare": seen}))
    signals = box.history("&correlationId=rare")
    wait_for_indexes(box)
    box.restart()  # so that nothing of it is in memory
    wait_for_indexes(box)
    assert damage_far_from(box, [s["seq"] for s in signals]) > 100
    assert len([s for s in box.history() if s.get("op") == "gap"]) > 100  # so who reads it sees it
    assert list(expect_told(box, {"rare": seen})) == told
    assert box.history("&correlationId=rare") == signals
    newest = box.request("GET", "/api/signals?correlationId=rare").json()
    assert newest["signals"] == signals and len(newest["gaps"]) < 10  # one where a window begins
    assert subscribed(box, {"correlationId": "rare"}, signals[-1]["seq"]) == signals
    assert streamed(box, "rare", signals[-1]["seq"]) == signals
    assert box.stop() == 0


run()
