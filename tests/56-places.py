#!/usr/bin/env python3
"""What is found by the indexes of a journal is what is found by reading all of it, whatever
happened to the indexes."""

import json
import os
import random
import shutil
from urllib.parse import quote

from lib import WS, Box, eventually, run, temp_dir, test

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
    while not found or found[-1]["seq"] < last:
        message = ws.json()
        if "seq" in message:
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
    shutil.copytree(journal_of(box), stale)
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


run()
