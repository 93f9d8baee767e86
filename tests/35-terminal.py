#!/usr/bin/env python3
"""What comes from outside moves no terminal: the machine's formats, too, are written there with
controls as escapes.  Files and pipes get the bytes as they are."""

import json
import os
import pty
import subprocess

from lib import PATIENCE_S, SIGNALBOX, Box, cli, environment, run, temp_dir, test

# DEL, C1, bidirectional controls; in JSON they may stand as they are.
HOSTILE = "a\x7fb\x9b31mc\u202ed\u2066e\u2028f"
ESCAPED = r"a\u007fb\u009b31mc\u202ed\u2066e\u2028f"
RAW = [c.encode() for c in "\x7f\x9b\u202e\u2066\u2028"]


def on_terminal(*args):
    """What the program writes to a terminal as its standard output."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([SIGNALBOX, *map(str, args)], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=subprocess.PIPE, env=environment())
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 65536):
            said += piece
    except OSError:
        pass  # the other end is closed
    finally:
        os.close(ours)
    process.wait(PATIENCE_S)
    assert process.returncode == 0, process.stderr.read()
    return said


def hostile_line(**more):
    return json.dumps({"type": "x", "payload": {"text": HOSTILE + "\u4f60\U0001f600"}, **more}, ensure_ascii=False)


def post(box, line):
    """As it is: json.dumps would write escapes."""
    answer = box.request("POST", "/api/signal", line.encode(), {"Content-Type": "application/json"})
    assert answer.status == 200, answer


def is_tame(said):
    assert not any(raw in said for raw in RAW) and b"\x1b" not in said, said
    assert ESCAPED.encode() in said, said
    assert "\u4f60\U0001f600".encode() in said, said


@test("on a terminal --json, journal export and parse write controls as escapes, elsewhere the bytes")
def _():
    with Box() as box:
        post(box, hostile_line())
        lines = temp_dir() / "lines"
        lines.write_text(hostile_line() + "\n")
        ways = [
            ("tail", "--data", box.data, "--from", "0", "--json", "-n", "1"),
            ("journal", "export", "--data", box.data),
            ("parse", "envelope", lines),
        ]
        for way in ways:
            said = on_terminal(*way)
            is_tame(said)
            line = json.loads(said.decode().splitlines()[0])
            assert line["payload"]["text"].startswith(HOSTILE), line
            plain = cli(*map(str, way))
            assert plain.code == 0 and HOSTILE in plain.out, plain


@test("a long answer that comes in pieces keeps its characters whole on a terminal")
def _():
    with Box() as box:
        text = "\u4f60\U0001f600\u00e9" * 30000
        post(box, json.dumps({"type": "x", "payload": {"text": text}}, ensure_ascii=False))
        said = on_terminal("journal", "export", "--data", box.data)
        assert json.loads(said.decode())["payload"]["text"] == text


@test("the words of text mode leave out what has no shape")
def _():
    with Box() as box:
        words = "pay\u200bload\U000e0041\U000e007f end"
        post(box, json.dumps({"type": "text_delta", "payload": {"content": words}}, ensure_ascii=False))
        said = on_terminal("tail", "--data", box.data, "--from", "0", "-n", "1", "--color", "never")
        assert b"payload end" in said, said


run()
