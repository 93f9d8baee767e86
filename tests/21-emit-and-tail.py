#!/usr/bin/env python3
"""What emit sends is stored once, and tail misses none of it."""

import json
import os
import re
import subprocess

from lib import (SIGNALBOX, Box, Impostor, Process, answer_bytes, cli, environment, eventually, run,
                 temp_dir, test)


def ndjson(*signals):
    return "".join(json.dumps(s) + "\n" for s in signals)


# --- emit --------------------------------------------------------------------


@test("emit sends one signal and prints its seq when it is stored")
def _():
    with Box() as box:
        result = cli("emit", '{"type":"hello","payload":{"to":"world"}}', "--data", box.data)
        assert result.code == 0 and result.out == "1\n" and result.err == "", result
        result = cli("emit", "--json", '{"type":"hello"}', "--data", box.data)
        assert json.loads(result.out)["seq"] == 2, result
        result = cli("emit", "-q", '{"type":"hello","id":"mine"}', "-d", box.data)
        assert (result.code, result.out, result.err) == (0, "", ""), result
        first, _, third = box.history()
        assert first["payload"] == {"to": "world"} and len(first["id"]) == 36, first
        assert third["id"] == "mine", third


@test("emit makes a signal of its parts")
def _():
    with Box() as box:
        words = ["--type", 'a "b"', "--payload", '{"n":1}', "--source", "me", "--correlation", "r"]
        result = cli("emit", *words, "--data", box.data)
        assert result.code == 0 and result.out == "1\n", result
        (got,) = box.history()
        assert (got["type"], got["source"], got["correlationId"]) == ('a "b"', "me", "r"), got
        result = cli("emit", "--type", "x", "--payload", "[1]", "--data", box.data)
        assert result.code == 2 and "--payload is a JSON object" in result.err, result


@test("emit ends with 1 when the box refuses the signal, and says why")
def _():
    with Box() as box:
        for wrong in ("nonsense", "[1]", '{"type":"x","payload":5}'):
            result = cli("emit", wrong, "--data", box.data)
            assert result.code == 1 and result.out == "" and result.err, result
        assert box.history() == []


@test("emit takes lines, names the refused ones by number and stores the others")
def _():
    with Box() as box:
        lines = '{"type":"a"}\n\nnonsense\n{"b":1}\r\n[1]\n{"type":"c"}'
        result = cli("emit", input=lines, *["--data", str(box.data)])
        assert result.code == 1 and result.out == "1..3\n", result
        assert re.search(r"line 3: .*\n.*line 5: .*\n.*3 accepted, 2 rejected", result.err), result
        got = box.history()
        assert [s["type"] for s in got] == ["a", "event", "c"], got
        assert got[1]["payload"] == {"b": 1}, got


@test("emit takes many lines in few batches and keeps their order")
def _():
    with Box() as box:
        many = 25000
        lines = ndjson(*({"type": "n", "payload": {"n": n}} for n in range(many)))
        result = cli("emit", "-", "--json", "--data", box.data, input=lines)
        assert result.code == 0, result.err
        answers = [json.loads(line) for line in result.out.splitlines()]
        assert sum(a["accepted"] for a in answers) == many and len(answers) < 50, len(answers)
        assert [s["payload"]["n"] for s in box.history()] == list(range(many))


@test("emit acknowledges a slow producer line by line, before its input ends")
def _():
    with Box() as box:
        with Process("emit", "--data", box.data, stdin=subprocess.PIPE) as emit:
            for seq in ("1", "2", "3"):
                emit.process.stdin.write(b'{"type":"x"}\n')
                emit.process.stdin.flush()
                assert emit.line() == seq
            emit.process.stdin.close()
            assert emit.wait() == 0, emit.err()


@test("emit refuses a line without end and goes on behind it")
def _():
    with Box() as box:
        lines = '{"type":"a"}\n' + "x" * (17 << 20) + '\n{"type":"b"}\n'
        result = cli("emit", "--data", box.data, input=lines, timeout=60)
        assert result.code == 1 and "line 2: longer than 16 MiB" in result.err, result
        assert [s["type"] for s in box.history()] == ["a", "b"]


@test("emit sends the same bytes once more when the answer was lost")
def _():
    data = temp_dir()
    good = answer_bytes({"ok": True, "id": "x", "seq": 7, "epoch": "e", "clients": 0})
    with Impostor([None, good], data / "sock") as box:
        result = cli("emit", '{"type":"x"}', "--data", data)
        assert result.code == 0 and result.out == "7\n", result
        (_, first), (_, second) = box.heard
        assert first == second and len(json.loads(first)["id"]) == 36, box.heard
    (data / "sock").unlink()
    batch = {"ok": True, "accepted": 2, "rejected": [], "firstSeq": 7, "lastSeq": 8}
    with Impostor([None, answer_bytes(batch)], data / "sock") as box:
        result = cli("emit", "--data", data, input='{"type":"x"}\n{"a":1}\n')
        assert result.code == 0 and result.out == "7..8\n", result
        assert box.heard[0][1] == box.heard[1][1] and box.heard[0][1].count(b'"id"') == 2


@test("emit does not repeat what the box could store twice")
def _():
    data = temp_dir()
    with Impostor([None, answer_bytes("{}")], data / "sock") as box:
        result = cli("emit", '{"type":"x","id":null}', "--data", data)
        assert result.code == 1 and "not safe to send again" in result.err, result
        assert len(box.heard) == 1


@test("emit gives up when the answer is lost again")
def _():
    data = temp_dir()
    with Impostor([None, None], data / "sock"):
        result = cli("emit", '{"type":"x"}', "--data", data)
        assert result.code == 1 and "may or may not be stored" in result.err, result


# --- tail --------------------------------------------------------------------


@test("tail shows what the journal has, from any position, and ends after --count")
def _():
    with Box() as box:
        for n in range(5):
            box.emit("n", payload={"n": n})
        result = cli("tail", "--from", "0", "--count", "5", "--json", "--data", box.data)
        got = [json.loads(line) for line in result.out.splitlines()]
        assert result.code == 0 and [s["seq"] for s in got] == [1, 2, 3, 4, 5], result
        result = cli("tail", "-f", "3", "-n", "2", "-j", "-d", box.data)
        assert [json.loads(x)["seq"] for x in result.out.splitlines()] == [4, 5], result


@test("tail refuses a position that is none, and does not wait for a box that never was")
def _():
    data = temp_dir() / "none"
    for wrong in ("nowhere", "", "-1", "1-", "0123456789ab", "0123456789AB-1", "1 "):
        result = cli("tail", f"--from={wrong}", "--data", data)
        assert result.code == 2 and "--from wants SEQ or EPOCH-SEQ" in result.err, result
    for words in ([], ["--from", "0"], ["--from", "0123456789ab-7"]):
        result = cli("tail", *words, "--data", data)
        assert result.code == 1 and result.out == "", result
        assert f"no signalbox is running on {data}" in result.err, result


@test("tail shows only new signals unless told otherwise")
def _():
    with Box() as box:
        box.emit("old")
        with Process("tail", "--json", "--data", box.data) as tail:
            eventually(lambda: box.request("GET", "/api/status").json()["clients"] == 1)
            box.emit("new")
            assert json.loads(tail.line())["type"] == "new"


@test("tail filters by type, source and correlation")
def _():
    with Box() as box:
        box.emit("tool_call", source="a", correlationId="r1")
        box.emit("tool_result", source="b", correlationId="r1")
        box.emit("error", source="a", correlationId="r 2&x=%")
        box.emit("text_delta", source="c", correlationId="r3")

        def seqs(*words, count):
            words = ["--json", "--from", "0", "--count", count, *words]
            result = cli("tail", *words, "--data", box.data)
            return [json.loads(line)["seq"] for line in result.out.splitlines()]

        assert seqs("--type", "tool_*", count=2) == [1, 2]
        assert seqs("--type", "error", "--type", "tool_result", count=2) == [2, 3]
        assert seqs("--source", "b", "--source", "c", count=2) == [2, 4]
        assert seqs("--correlation", "r 2&x=%", count=1) == [3]
        assert seqs("--type", "tool_*", "--source", "b", count=1) == [2]


@test("tail goes on exactly where it was when the box comes back")
def _():
    for words in ([], ["--from", "0"]):
        come_back(words)


def come_back(words):
    box = Box().start()
    with Process("tail", "--json", *words, "--data", box.data) as tail:
        eventually(lambda: box.request("GET", "/api/status").json()["clients"] == 1)
        # Nothing was heard yet when it goes away for the first time.
        box.stop()
        box.start()
        seen, sent = [], []
        for round_ in range(3):
            for n in range(20):
                sent.append(box.emit("n", payload={"round": round_, "n": n})["seq"])
                if n < 10:
                    seen.append(json.loads(tail.line())["seq"])
            if round_ == 1:
                box.kill9()
            else:
                box.stop()
            box.start()
            for _ in range(10):
                seen.append(json.loads(tail.line())["seq"])
        assert seen == sent, (seen, sent)
        words = tail.err()
        assert "trying again" in words and "the box is back" in words, words
    box.stop()


@test("tail says what is missing")
def _():
    with Box() as box:
        box.emit("x")
        result_of = Process("tail", "--from", "0123456789ab-9", "--json", "--data", box.data)
        with result_of as tail:
            eventually(lambda: "gap: signals" in tail.err())
            box.emit("y")
            assert json.loads(tail.line())["type"] == "x"


@test("tail shows people one safe line for each signal, whatever is in it")
def _():
    with Box() as box:
        evil = "a\x1b[31m\x07\u009b2J\u202e\nb"
        box.emit({"type": evil, "source": evil, "payload": {evil: evil}})
        box.emit({"type": "error", "source": "s", "payload": {"message": "x" * 5000}})
        words = ["tail", "--from", "0", "--count", "2", "--data", box.data]
        result = cli(*words)
        assert len(result.out.splitlines()) == 2 and result.out.count("\n") == 2, result
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", result.out)
        assert re.search(r"^\d\d:\d\d:\d\d\.\d{3} +2 s  error  \{\"message\":\"x+\.\.\.$",
                         result.out, re.M), result
        painted = cli(*words, "--color", "always")
        assert "\x1b[31merror\x1b[0m" in painted.out and "\x1b[31m\x07" not in painted.out
        assert cli(*words, "--color=always", env={"NO_COLOR": "1"}).out == painted.out
        assert cli(*words, "--color=never").out == result.out


@test("a reader that goes away ends it quietly with 0")
def _():
    with Box() as box:
        for n in range(50):
            box.emit("n")
        with Process("tail", "--from", "0", "--data", box.data) as tail:
            tail.line()
            tail.process.stdout.close()
            box.emit("n")
            assert tail.wait() == 0 and tail.err() == "", tail.err()
        # One that waits notices too.
        with Process("tail", "--data", box.data) as tail:
            eventually(lambda: box.request("GET", "/api/status").json()["clients"] >= 1)
            tail.process.stdout.close()
            assert tail.wait() == 0 and tail.err() == "", tail.err()
        for verb in (["status"], ["help"], ["version"]):
            here, there = os.pipe()
            os.close(here)
            done = subprocess.run(
                [SIGNALBOX, *verb, *(["--data", str(box.data)] if verb == ["status"] else [])],
                stdout=there, stderr=subprocess.PIPE, env=environment(),
            )
            os.close(there)
            assert done.returncode == 0 and done.stderr == b"", (verb, done)


run()
