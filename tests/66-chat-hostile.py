#!/usr/bin/env python3
"""Chats: texts that are long, and texts that are more than words."""

import os
import pty
import select
import subprocess
import time

from chats import (OWNER, TEXT, asked, connected, ends, finished, lines, requests, said, says,
                   settings, write)
from lib import PATIENCE_S, SIGNALBOX, environment, eventually, run, test
from servers import Upstream

LONG = "".join(f"Sentence {i} \U0001f469\u200d\U0001f4bb says a\u200bb, \u05e9\u05dc\u05d5\u05dd and more.\r\n"
               for i in range(4000))[:100_000]
WILD = "red \x1b[31mhot\x1b[0m\x07 bell\x08 \x9b2J \u202egnp.exe\u202c nul\x00 end"


def squeezed(text):
    return "".join(text.split())


@test("a message of 100,000 characters reaches the agent as it was written")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        write(box, LONG)
        eventually(lambda: said(box) == [TEXT])
        question = up.of("/v1/chat/completions")[0].json()["messages"][-1]["content"]
        assert question == LONG, (len(question), len(LONG))


@test("a message that is too long for any agent is told in the log, and the next one is answered")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        write(box, "x" * 300_000)
        write(box, "good day")
        eventually(lambda: said(box) == [TEXT])
        assert "'text' is longer than 256 KiB" in box.log()
        assert len(up.of("/v1/chat/completions")) == 1


@test("an answer of 100,000 characters arrives whole, in whichever mode")
def _():
    for mode in ("mode: accumulate", "mode: blocks, coalescing: {idle_ms: 100}"):
        with Upstream() as up, settings(up, OWNER, streaming=mode) as box:
            connected(box)
            id = asked(box, up)
            for at in range(0, len(LONG), 5000):
                says(box, id, LONG[at:at + 5000])
            ends(box, id)
            got = finished(box, id)
            assert got["status"] == "completed", got
            kept = requests(box)[-1]["response"]["content"]  # of which the journal has a part
            assert 4000 < len(kept.encode()) <= 4096, len(kept.encode())
            assert got["response"]["content"].startswith(kept)
            whole = "Hello" + LONG
            assert squeezed("".join(said(box))) == squeezed(whole), (mode, len("".join(said(box))))
            ids = [line["id"] for line in lines(box) if "id" in line]
            assert len(ids) == len(set(ids))


def talk(box, text, until):
    """What `signalbox chat` writes to a terminal when somebody types it there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([SIGNALBOX, "chat", "--data", str(box.data), "model"], stdin=theirs,
                               stdout=theirs, stderr=theirs, env=environment(), close_fds=True,
                               start_new_session=True)
    os.close(theirs)
    os.write(ours, text.encode() + b"\n")
    shown = b""
    end = time.monotonic() + PATIENCE_S
    done = False
    while time.monotonic() < end and not done:
        if select.select([ours], [], [], 0.1)[0]:
            shown += os.read(ours, 65536)
        done = until(shown)
    process.kill()
    process.wait()
    os.close(ours)
    assert done, shown
    return shown


@test("what an agent says is no control sequence in the terminal")
def _():
    with Upstream() as up, settings(up) as box:
        connected(box)
        told = []

        def until(shown):
            received = box.history("&type=nex.received")
            if received and not told and up.of("/v1/chat/completions"):
                told.append(received[-1]["payload"]["request"])
                says(box, told[0], " " + WILD)
            return b"end" in shown

        shown = talk(box, "slow please", until)
        for bad in ("\x1b[31m", "\x9b", "\x08", "\u202e", "\x00"):
            assert bad.encode() not in shown, (bad, shown)
        assert b"hot" in shown and b"bell" in shown


run()
