#!/usr/bin/env python3
"""POST /api/signal and GET /api/signals: what goes in comes out, in pieces of any
size, from both ends, and at whatever pace it is read."""

import json
import os
import threading
import time

from doors import limited, resident_kib, status, upgrade
from faults import FaultyBox
from lib import (PING, PONG, SANITIZER, WS, Box, Closed, at_last, eventually, request_bytes, run,
                 test)


@test("an emit from memory is answered at once, a pipelined one in its order")
def _():
    with Box() as box:
        http = box.http(unix=False)
        one = request_bytes("POST", "/api/signal?ack=memory", {"type": "x"}, box.host_header())
        two = request_bytes("POST", "/api/signal", {"type": "y"}, box.host_header())
        http.send((one + two) * 50)
        seqs = [http.answer("POST").json()["seq"] for _ in range(100)]
        assert seqs == list(range(1, 101)), seqs
        http.close()


@test("a batch may come in pieces of any size, and a line too long is only itself refused")
def _():
    with limited(message="2KiB") as box:
        long = b'{"type":"long","payload":{"x":"' + b"x" * 5000 + b'"}}'
        lines = [b'{"type":"a","id":"1"}', long, b"  ", b'{"type":"b","id":"2"}\r', b"{", long]
        body = b"\n".join(lines)
        for size in (1, 7, 700, 3000):
            http = box.http()
            http.send(request_bytes("POST", "/api/signal", None, {
                "Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked"}))
            for at in range(0, len(body), size):
                piece = body[at:at + size]
                http.send(b"%x\r\n%s\r\n" % (len(piece), piece))
            http.send(b"0\r\n\r\n")
            answer = http.answer("POST").json()
            http.close()
            assert [r["line"] for r in answer["rejected"]] == [2, 5, 6], answer
            assert (answer["firstSeq"], answer["lastSeq"]) == (1, 2), answer
        assert len(box.history()) == 2


@test("whoever sends faster than the disk takes it is held up, and nothing is left out")
def _():
    box = FaultyBox({"SIGNALBOX_LIMITS_BATCH": "1GiB"})
    box.arm(SLOW=400)
    box.start()
    box.fail()
    line = json.dumps({"type": "x", "payload": {"x": "x" * 100000}}).encode() + b"\n"
    count, waiting, stop = 500, [], threading.Event()

    def watch():
        while not stop.wait(0.02):
            waiting.append(box.request("GET", "/api/status").json()["journal"]["waiting"])

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        answer = box.request("POST", "/api/signal?ack=memory", line * count,
                             {"Content-Type": "application/x-ndjson"}).json()
        one = box.request("POST", "/api/signal?ack=memory", {"type": "y"})
    finally:
        stop.set()
        watcher.join()
    assert answer["accepted"] == answer["lastSeq"] == count, answer
    assert one.status == 200, one
    assert max(waiting) < 24 << 20, max(waiting)
    box.mend()
    assert [s["type"] for s in box.history()] == ["x"] * count + ["y"]
    assert box.stop() == 0


def stays_while_the_disk_hangs():
    box = FaultyBox({"SIGNALBOX_LIMITS_PING": "200ms", "SIGNALBOX_LIMITS_PONG": "200ms"})
    box.arm(SLOW=600_000)
    big = json.dumps({"type": "big", "payload": {"x": "x" * 1_000_000}}) + "\n"
    with box, WS(box) as ws:
        ws.json()
        ws.subscribe(types=["live"])
        box.fail()
        http = box.http()
        much = request_bytes("POST", "/api/signal?ack=memory", big * 17,
                             {"Content-Type": "application/x-ndjson"})
        threading.Thread(target=http.send, args=(much,), daemon=True).start()
        pings = 0
        while pings < 10:  # two that are not heard would be the end of it
            ping = ws.recv_frame()
            assert ping.opcode == PING, ping
            ws.send_frame(PONG, ping.payload)
            waits = box.request("GET", "/api/status").json()["journal"]["waiting"]
            pings += waits > 16 << 20
        another = box.http()
        another.send(request_bytes("POST", "/api/signal?ack=memory", {"type": "live"}))
        assert ws.json()["type"] == "live"
        http.close()
        another.close()
        box.kill9()


@test("while the disk hangs nobody is taken for dead who answers the pings")
def _():
    # Who is too busy to answer for 200 ms is gone, too.
    at_last(stays_while_the_disk_hangs, (AssertionError, OSError, Closed))


@test("validation: strict refuses what breaks its schema, warn counts it, off lets it be")
def _():
    for mode in ("strict", "warn", "off"):
        with Box(env={"SIGNALBOX_VALIDATION": mode}) as box, WS(box, "/ws") as ws:
            ws.json()
            good = {"type": "tool_call", "payload": {"toolName": "x", "agentId": "a"}}
            bad = {"type": "tool_call", "payload": {"toolName": 7, "agentId": "a"}}
            free = {"type": "mine", "payload": bad["payload"]}
            answer = box.request("POST", "/api/signal", bad)
            ws.send({"op": "emit", "ref": 1, "signal": bad})
            said = ws.json()
            batch = box.request("POST", "/api/signal", f"{json.dumps(bad)}\n{json.dumps(free)}",
                                {"Content-Type": "application/x-ndjson"}).json()
            if mode == "strict":
                assert answer.status == 400 and answer.json()["code"] == "schema", answer
                assert "/payload/toolName" in answer.json()["error"], answer
                assert (said["op"], said["code"], said["ref"]) == ("error", "invalid", 1), said
                assert "/payload/toolName" in said["message"], said
                assert [r["line"] for r in batch["rejected"]] == [1], batch
                assert "/payload/toolName" in batch["rejected"][0]["error"], batch
            else:
                assert answer.status == 200 and said["op"] == "ack", (answer, said)
                assert batch["accepted"] == 2, batch
            assert box.request("POST", "/api/signal", good).status == 200
            kept = [s["payload"] for s in box.history("&type=tool_call")]
            assert kept == [bad["payload"]] * (0 if mode == "strict" else 3) + [good["payload"]]
            bus = box.request("GET", "/api/status").json()["bus"]
            assert bus["breaksSchema"] == (3 if mode == "warn" else 0), (mode, bus)
            assert bus["refused"]["schema"] == (3 if mode == "strict" else 0), (mode, bus)


@test("whoever leaves before the answer has sent what it sent")
def _():
    with Box() as box:
        http = box.http()
        http.send(request_bytes("POST", "/api/signal", None, {
            "Content-Type": "application/x-ndjson", "Content-Length": "1000"}))
        http.send(b'{"type":"sent"}\n{"type":"half')
        eventually(lambda: len(box.history()) == 1)
        http.close()
        for n in range(50):
            http = box.http()
            http.send(request_bytes("POST", "/api/signal", {"type": "gone", "id": str(n)}))
            http.send(request_bytes("GET", "/api/signals?q=none&after=0"))
            http.close()
        box.emit("last")
        assert [s["type"] for s in box.history()].count("last") == 1


@test("the history is found forward and backward, whole and without a double")
def _():
    with Box() as box:
        lines = "\n".join(json.dumps({"type": "even" if n % 2 else "odd", "id": str(n),
                                      "correlationId": f"run-{n % 10}"}) for n in range(1, 5001))
        answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
        assert answer.json()["accepted"] == 5000, answer

        def pages(query, cursor):
            seen, at = [], None
            while True:
                more = f"&{cursor}={at}" if at else ("&after=0" if cursor == "after" else "")
                page = box.request("GET", f"/api/signals?{query}{more}").json()
                found = [s["seq"] for s in page["signals"]]
                assert found == sorted(found) and page["gaps"] == []
                seen = found + seen if cursor == "before" else seen + found
                at = page["next"]
                if not at:
                    return seen

        everything = list(range(1, 5001))
        for cursor in ("after", "before"):
            assert pages("limit=999", cursor) == everything
            assert pages("limit=300&type=odd", cursor) == everything[1::2]
            assert pages("limit=7&correlationId=run-3&type=e*", cursor) == everything[2::10]
            assert pages("limit=100&q=%22id%22:%20%224321%22", cursor) == [4321]
            assert pages("limit=100&q=%22ID%22:%20%224321%22", cursor) == [4321]
            assert pages("type=none", cursor) == []
        assert len(box.history("&type=odd,even")) == 5000
        assert [s["seq"] for s in box.history("&limit=3")] == [1, 2, 3]
        assert [s["seq"] for s in box.history("&before=4")] == [1, 2, 3]
        newest = box.request("GET", "/api/signals?format=ndjson&limit=2").body.splitlines()
        assert [json.loads(line)["seq"] for line in newest] == [4999, 5000]
        assert box.request("HEAD", "/api/signals").status == 200
        assert box.request("HEAD", "/api/signals?format=ndjson").body == b""


@test("a query that makes no sense is refused with words, the same everywhere")
def _():
    with Box() as box:
        filters = ["type=", "type=a,,b", "type", "source=", "correlationId=", "type=%zz", "tpye=a",
                   "after=x", "type=" + "x" * 300, "type=" + ",".join(map(str, range(65)))]
        for path, queries in (
            ("/api/signals", [*filters, "limit=0", "format=xml", "slow=drop", "ack=memory"]),
            ("/api/stream", [*filters, "slow=maybe", "limit=1", "before=1", "ack=memory"]),
        ):
            for query in queries:
                answer = box.request("GET", f"{path}?{query}")
                assert answer.status == 400, (path, query, answer)
                name = query.partition("=")[0]
                assert answer.json()["error"].startswith(f"{name}: "), (path, query, answer)
        for query in filters:
            assert upgrade(box, f"/ws/signals?{query}") == 400, query
        for query in ("ack=bogus", "ack", "ack=", "acknowledge=memory", "type=x"):
            answer = box.request("POST", f"/api/signal?{query}", {"type": "x"})
            assert answer.status == 400 and answer.json()["error"], (query, answer)
        assert box.history() == []
        for query in ("ack=memory", "ack=durable", ""):
            assert box.request("POST", f"/api/signal?{query}", {"type": "x"}).status == 200, query


@test("an answer of the history has a ceiling, and what is left is said")
def _():
    with Box() as box:
        for n in range(12):
            box.emit("big", payload={"n": n, "x": "x" * 1000000})
        for cursor, query in (("before", ""), ("after", "&after=0")):
            seen, at = set(), None
            while True:
                page = box.request(
                    "GET", f"/api/signals?limit=100{f'&{cursor}={at}' if at else query}")
                assert len(page.body) < 6 << 20, len(page.body)
                seen |= {s["seq"] for s in page.json()["signals"]}
                at = page.json()["next"]
                if not at:
                    break
            assert seen == set(range(1, 13)), seen


@test("a reader of the history that does not read holds up nobody and costs no memory")
def _():
    with Box() as box:
        line = json.dumps({"type": "x", "payload": {"x": "x" * 1000}}) + "\n"
        kind = {"Content-Type": "application/x-ndjson"}
        for _ in range(4):
            assert box.request("POST", "/api/signal", line * 8000, kind).status == 200
        slow = [box.http() for _ in range(8)]
        before = resident_kib(box.pid)
        for http in slow:
            http.send(request_bytes("GET", "/api/signals?format=ndjson&after=0"))
        time.sleep(0.5)
        assert status(box, "/healthz") == 200
        grown = resident_kib(box.pid) - before
        assert grown < (200 if SANITIZER else 32) * 1024, f"grew by {grown} KiB"
        assert slow[0].answer().body.count(b"\n") == 32000
        for http in slow:
            http.close()


@test("lines without an end to them: the newest of any number, exactly")
def _():
    with Box() as box:
        count, kind = 40000, {"Content-Type": "application/x-ndjson"}
        lines = "".join(json.dumps({"type": "even" if n % 2 == 0 else "odd",
                                    "payload": {"n": n, "x": "x" * 200}}) + "\n"
                        for n in range(1, count + 1))
        assert box.request("POST", "/api/signal", lines, kind).json()["accepted"] == count

        def newest(query):
            body = box.request("GET", f"/api/signals?format=ndjson&{query}").body
            return [json.loads(line)["seq"] for line in body.splitlines()]

        everything = list(range(1, count + 1))
        for query, of in (("", everything), ("&type=even", everything[1::2]),
                          ("&type=e*&before=39999", everything[1:39998:2]),
                          ("&before=39999", everything[:39998]), ("&q=%22n%22:%2077,", [77]),
                          ("&type=none", []), ("&before=1", []), ("&before=0&type=odd", [])):
            for limit in (1, 1023, 1024, 1025, 19999, 20001, count, 2**64 - 1):
                assert newest(f"limit={limit}{query}") == of[-limit:], (limit, query)


def forget_pages(box):
    """Takes the journal's files out of the page cache."""
    for path in (box.data / "journal").iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@test("the history is read from the disk when it is nowhere else")
def _():
    with Box(env={"SIGNALBOX_JOURNAL_SEGMENT": "4MiB"}) as box:
        line = json.dumps({"type": "x", "payload": {"x": "x" * 900}}) + "\n"
        kind = {"Content-Type": "application/x-ndjson"}
        for _ in range(3):
            assert box.request("POST", "/api/signal", line * 8000, kind).status == 200
        assert box.request("POST", "/api/signal", {"type": "last"}).status == 200
        box.stop()
        forget_pages(box)
        box.start()
        assert [s["seq"] for s in box.history()] == list(range(1, 24002))
        forget_pages(box)
        page = box.request("GET", "/api/signals?limit=5&before=103").json()
        assert [s["seq"] for s in page["signals"]] == [98, 99, 100, 101, 102], page
        forget_pages(box)
        at, seen = None, []
        while not seen:
            more = f"&before={at}" if at else ""
            page = box.request("GET", f"/api/signals?q=%22seq%22:77,{more}").json()
            seen, at = page["signals"], page["next"]
            assert seen or at, page
        assert [s["seq"] for s in seen] == [77], seen


@test("what is damaged is a gap in every answer, from both ends")
def _():
    with Box() as box:
        for n in range(1, 6):
            box.emit("x", payload={"n": n, "mark": f"<<{n}>>"})
        box.stop()
        segment = next((box.data / "journal").glob("*.ndjson"))
        segment.write_bytes(segment.read_bytes().replace(b"<<3>>", b"<<X>>"))
        box.start()
        want = [1, 2, 4, 5]
        for query in ("after=0", "limit=10", "after=0&type=x", "limit=10&type=x"):
            page = box.request("GET", f"/api/signals?{query}").json()
            assert [s["seq"] for s in page["signals"]] == want, page
            assert page["gaps"] == [{"from": 3, "to": 3, "why": "damaged"}], page
        lines = box.history()
        assert lines[2] == {"op": "gap", "from": 3, "to": 3, "why": "damaged"}, lines
        assert [s["seq"] for s in lines[:2] + lines[3:]] == want
        for query in ("limit=10", "limit=4&type=x"):
            answer = box.request("GET", f"/api/signals?format=ndjson&{query}")
            assert [json.loads(line) for line in answer.body.splitlines()] == lines, answer


PIECE = 128 << 10  # that the box takes or tells in one turn, and a signal beyond it
SIGNAL = 2000      # bytes, about


def chunks(box, path):
    """The body of an answer as it was told: a chunk a turn."""
    http = box.http()
    http.send(request_bytes("GET", path))
    _, fields = http.head()
    told = []
    assert ("Transfer-Encoding", "chunked") in fields, fields
    while size := int(http.take_until(b"\r\n"), 16):
        told.append(http.take(size))
        assert http.take(2) == b"\r\n"
    http.close()
    return told


@test("a long answer is told a piece a turn, so that it holds nobody up")
def _():
    with Box() as box:
        lines = "".join(json.dumps({"type": "x", "id": f"{n}", "payload": {"text": "y" * SIGNAL}}) + "\n"
                        for n in range(2500))
        answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
        assert answer.json()["accepted"] == 2500, answer
        for query, first in (("after=0", 1), ("", 1001), ("after=0&format=ndjson", 1)):
            told = chunks(box, f"/api/signals?limit=1500&{query}")
            assert len(told) > 20, len(told)
            assert max(len(piece) for piece in told) <= PIECE + 2 * SIGNAL, [len(p) for p in told]
            body = b"".join(told)
            signals = ([json.loads(line) for line in body.splitlines()] if "ndjson" in query
                       else json.loads(body)["signals"])
            assert len(signals) == 1500, len(signals)
            assert [s["seq"] for s in signals] == list(range(first, first + 1500))


run()
