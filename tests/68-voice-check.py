#!/usr/bin/env python3
"""Speech of this machine is chosen by itself once it was seen to work, and as long as it is the same.

The box has a signalbox-speech beside it that is a script of this test."""

import os
import shutil
import stat

import lib
from doors import config_box
from lib import ROOT, SIGNALBOX, Box, eventually, run, temp_dir, test
from talks import Talk

HEARD = "Run the tests again, and tell me which ones failed."
SPEECH = """#!/usr/bin/env python3
import os, socket, sys
sys.path.insert(0, {tests!r})
from wyoming_engine import Line
path = sys.argv[sys.argv.index("--socket") + 1]
if os.path.exists(path):
    os.unlink(path)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
print("ready", flush=True)
form = {{"rate": 8000, "width": 2, "channels": 1}}
while True:
    line = Line(listener.accept()[0])
    sound = 0
    while event := line.read():
        kind, data, payload = event
        sound += len(payload)
        if kind == "synthesize":
            line.send("audio-start", form)
            line.send("audio-chunk", form, b"\\1\\0" * 8000)
            line.send("audio-stop")
        elif kind == "audio-stop":
            line.send("transcript", {{"text": {heard!r} if 31000 < sound < 33000 else "no second of sound"}})
    line.socket.close()
"""


def beside(heard=HEARD):
    """A directory with the program and a signalbox-speech that hears this."""
    place = temp_dir()
    shutil.copy(SIGNALBOX, place / "signalbox")
    if heard is not None:
        write(place, heard)
    lib.SIGNALBOX = str(place / "signalbox")
    return place


def write(place, heard):
    path = place / "signalbox-speech"
    path.write_text(SPEECH.format(tests=str(ROOT / "tests"), heard=heard))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def look(box):
    return box.request("GET", "/api/voice").json()


def check(box):
    """What is told when it is over."""
    assert box.request("POST", "/api/voice/check").json()["ok"] is True
    return eventually(lambda: (now := look(box))["local"]["state"] != "checking" and now)


@test("what was checked and works is the engine from then on, after a restart, too; until it changes")
def _():
    place = beside()
    with config_box("") as box:
        now = look(box)
        assert (now["engine"], now["local"]) == ("mock", {"state": "unchecked"}), now
        now = check(box)
        assert now["local"]["state"] == "works" and HEARD in now["local"]["words"], now
        assert (now["engine"], now["hear"]["kind"], now["say"]["kind"]) == ("custom", "local", "local"), now
        mark = box.data / "voice-checked"
        assert stat.S_IMODE(mark.stat().st_mode) == 0o600
        with Talk(box) as talk:
            talk.tell("mocked.turn.trigger")
            assert talk.error()["code"] == "unsupported_mocked_turn_trigger"
        box.stop()
        with Box(data=box.data) as again:
            assert (look(again)["engine"], look(again)["local"]["state"]) == ("custom", "works")
        os.utime(place / "signalbox-speech", (1, 1))
        with Box(data=box.data) as again:
            assert (look(again)["engine"], look(again)["local"]["state"]) == ("mock", "unchecked")


@test("what does not work is told in words and is no engine, and what worked before is one no more")
def _():
    place = beside()
    with config_box("") as box:
        assert check(box)["engine"] == "custom"
        write(place, "something else was said")
        os.kill(speech_of(box), 9)
        now = check(box)
        assert now["local"]["state"] == "fails" and "heard 'something else" in now["local"]["words"], now
        assert now["engine"] == "mock" and not (box.data / "voice-checked").exists(), now
    beside(None)
    with config_box("") as box:
        now = check(box)
        assert now["local"] == {"state": "fails", "words": "signalbox-speech is not installed"}, now


def speech_of(box):
    """The number of its process."""
    for one in os.listdir("/proc"):
        try:
            with open(f"/proc/{one}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if str(box.data / "speech.sock").encode() in words:
            return int(one)
    raise AssertionError("it does not run")


@test("a mock that was asked for stays one, and the program that was checked does not stay")
def _():
    beside()
    with config_box("voice: {engine: mock}\n") as box:
        now = check(box)
        assert (now["local"]["state"], now["engine"]) == ("works", "mock"), now

        def is_gone():
            try:
                return not speech_of(box)
            except AssertionError:
                return True
        eventually(is_gone)


run()
