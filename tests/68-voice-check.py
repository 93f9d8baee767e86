#!/usr/bin/env python3
"""Speech of this machine is chosen by itself once it was seen to work, and as long as it is the same.

The box has a signalbox-speech beside it that is a script of this test."""

import json
import os
import shutil
import stat

import lib
from doors import config_box, reload
from lib import ROOT, SIGNALBOX, Box, cli, eventually, run, temp_dir, test
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


def voice_check(box, *args):
    return cli("voice", "check", *args, "--data", box.data)


@test("`signalbox voice check` says what there is, what was said and what was heard")
def _():
    beside()
    with config_box("") as box:
        result = voice_check(box)
        assert result.code == 0 and not result.err, result
        hears, thinks, says, local = result.out.splitlines()
        assert hears.startswith("hears   signalbox-speech on this machine"), result
        assert thinks.startswith("thinks  nobody; it cannot be had: nobody is asked: voice.think"), result
        assert says.startswith("says    signalbox-speech on this machine"), result
        assert local == (f"local   works: it said 'run the tests again and tell me which ones failed' "
                         f"and heard '{HEARD}'"), result
        told = json.loads(voice_check(box, "--json").out)
        assert told == look(box) and told["local"]["state"] == "works", told
    with config_box("voice: {engine: mock}\n") as box:
        result = voice_check(box)
        assert result.code == 0 and "the configuration asks for the mock" in result.out, result
        assert "hears   the mock" in result.out, result


@test("its status is 1 when that does not work, and it says what installs it")
def _():
    beside("\x1b[2J something else")
    with config_box("") as box:
        result = voice_check(box)
        assert result.code == 1 and "local   does not work: it said" in result.out, result
        assert "something else" in result.out and "\x1b" not in result.out, result
    beside(None)
    with config_box("") as box:
        result = voice_check(box)
        assert result.code == 1 and "signalbox-speech is not installed" in result.out, result
        assert "run `make voice`" in result.out, result
        assert json.loads(voice_check(box, "--json").out)["local"]["state"] == "fails"
    with config_box("voice: {engine: {hear: 'tcp://127.0.0.1:9', say: 'http://192.0.2.1/v1'}}\n") as box:
        result = voice_check(box)
        assert result.code == 0 and "The engines above are others" in result.out, result
        assert "says    http://192.0.2.1/v1 (http); what is said leaves this machine" in result.out, result
    result = cli("voice", "check", "--data", temp_dir() / "none")
    assert result.code == 1 and "no signalbox is running" in result.err, result
    assert cli("voice", "check", "twice").code == 2
    assert cli("voice", "check", "-o", "a.wav").code == 2


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


def is_gone(box):
    try:
        return not speech_of(box)
    except AssertionError:
        return True


@test("a mock that was asked for stays one, and the program that was checked does not stay")
def _():
    beside()
    with config_box("voice: {engine: mock}\n") as box:
        now = check(box)
        assert (now["local"]["state"], now["engine"]) == ("works", "mock"), now
        eventually(lambda: is_gone(box))


@test("the program ends when the configuration wants it no more and no session has it, and not before")
def _():
    local = "voice: {engine: {hear: local, say: local}}\n"
    beside()
    with config_box(local) as box:
        before = eventually(lambda: not is_gone(box) and speech_of(box))
        reload(box, local + "log: {level: info}\n")
        assert speech_of(box) == before
        with Talk(box):
            reload(box, "voice: {engine: mock}\n")
            assert look(box)["engine"] == "mock" and speech_of(box) == before
        eventually(lambda: is_gone(box))
        reload(box, local)
        assert eventually(lambda: not is_gone(box) and speech_of(box)) != before


run()
