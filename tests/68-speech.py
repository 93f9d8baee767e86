#!/usr/bin/env python3
"""signalbox-speech: it hears and speaks by Wyoming, and says in words what it lacks."""

import json
import os
import shutil
import subprocess
import sys
import threading

from pathlib import Path

from lib import PATIENCE_S, ROOT, SIGNALBOX, Skip, eventually, run, temp_dir, test
from wyoming_peer import Wyoming, wrong_words

PROGRAM = Path(SIGNALBOX).parent / "signalbox-speech"
VOICE = ROOT / "build" / "voice"
SENTENCES = ["run the tests again and tell me what happened", "no do not delete the file",
             "stop everything and wait for my answer"]


class Speech:
    """The program, with what is in a directory."""

    def __init__(self, directory, *args):
        self.place = temp_dir()
        self.path = self.place / "speech.sock"
        self.process = subprocess.Popen(
            [PROGRAM, "--socket", self.path, "--directory", directory, *args],
            stdout=subprocess.PIPE, stderr=open(self.place / "complaints", "w"), text=True)
        line = self.process.stdout.readline()
        assert line == "ready\n", self.complaints()

    def complaints(self):
        return (self.place / "complaints").read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def open(self):
        return Wyoming(self.path)


def need_voice():
    if not (VOICE / "fetched").exists():
        raise Skip("what it hears with was not fetched (make voice)")
    return VOICE


def has_flite():
    return shutil.which("flite")


@test("without the library it says so, and answers whatever else it is asked")
def _():
    with Speech("/nonexistent") as speech, speech.open() as line:
        line.send("describe")
        _, info, _ = line.read()
        assert info["asr"] == [] and all(isinstance(info[k], list) for k in ("tts", "handle", "wake"))
        line.send("ping", {"text": "x"})
        assert line.read() == ("pong", {"text": "x"}, b"")
        _, told, _ = line.hear((16000, 1, b"\0" * 3200))[-1]
        assert "libsherpa-onnx-c-api.so in /nonexistent" in told["text"], told
        assert "hears nothing: there is no libsherpa" in speech.complaints()
        line.send("no-such-event", {"a": 1}, b"xyz")
        line.send("ping", {"text": "still here"})
        assert line.read()[1] == {"text": "still here"}


@test("what it says of itself is what the library of Home Assistant expects, and true")
def _():
    script = ("""
import json, sys
try:
    from wyoming.event import Event
    from wyoming.info import Info
except ImportError:
    sys.exit(3)
info = Info.from_event(Event(type="info", data=json.load(sys.stdin)))
print(json.dumps([[p.name for p in info.asr], [v.name for p in info.tts for v in p.voices]]))
""")
    with Speech(VOICE) as speech, speech.open() as line:
        line.send("describe")
        kind, info, _ = line.read()
        assert kind == "info", kind
        assert [p["supports_transcript_streaming"] for p in info["asr"]] == [False] * len(info["asr"])
        assert [p["supports_synthesize_streaming"] for p in info["tts"]] == [True] * len(info["tts"])
        for python in ("/usr/bin/python3", sys.executable):
            done = subprocess.run([python, "-c", script], input=json.dumps(info), capture_output=True, text=True)
            if done.returncode != 3:
                break
        if done.returncode == 3:
            raise Skip("there is no python3-wyoming here")
        assert done.returncode == 0, done.stderr
        asr, voices = json.loads(done.stdout)
        assert asr in ([], ["moonshine"]) and voices in ([], ["flite-rms"], ["festival-slt"]), done.stdout


@test("words that come piece by piece are said sentence by sentence, before the last of them is there")
def _():
    if not has_flite():
        raise Skip("flite is not there")
    with Speech("/nonexistent") as speech, speech.open() as line:
        line.send("synthesize-start", {})
        line.send("synthesize-chunk", {"text": "The first one is he"})
        line.send("synthesize-chunk", {"text": "re. The sec"})
        first = line.until("audio-stop")
        assert first[0][0] == "audio-start" and len(first) > 3, first
        line.send("synthesize-chunk", {"text": "ond one comes now. And a rest"})
        line.until("audio-stop")
        line.send("synthesize", {"text": "The first one is here. The second one comes now. And a rest"})
        line.send("synthesize-stop")
        rest = [kind for kind, _, _ in line.until("synthesize-stopped")]
        assert rest.count("audio-stop") == 1 and rest[-2:] == ["audio-stop", "synthesize-stopped"], rest
        line.send("synthesize-chunk", {"text": "Nobody began this. "})
        line.send("synthesize-stop")
        line.send("ping", {"text": "x"})
        assert line.read() == ("pong", {"text": "x"}, b"")
        assert line.say("It is over.")[1]


@test("a sentence is spoken, in any letters")
def _():
    if not has_flite():
        raise Skip("flite is not there")
    with Speech("/nonexistent") as speech, speech.open() as line:
        rate, sound = line.say("It’s done — see “café” \x1b[1m日本 \"; (quit) \\")
        assert rate == 16000 and len(sound) > 16000, (rate, len(sound))
        assert line.say("x" * 500)[1] is not None
        line.send("synthesize", {"text": ""})
        assert line.until("audio-stop", "error")


@test("bytes that are not the protocol end their connection and no other")
def _():
    with Speech("/nonexistent") as speech, speech.open() as good:
        for bad in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 100 + b"\n", b"[" * 70000,
                    b'{"type":"a","payload_length":99999999}\n'):
            with speech.open() as line:
                try:
                    line.socket.sendall(bad)
                except OSError:
                    pass
                kind, _, _ = line.read()
                assert kind == "error"
                assert line.read() is None
        with speech.open() as line:
            line.send("audio-start", {"rate": 16000, "width": 4, "channels": 1})
            line.send("audio-chunk", {}, b"1234")
            line.send("audio-stop")
            line.send("ping", {})
            assert line.until("pong")
        good.send("ping", {"text": "x"})
        assert good.read()


@test("only its own user can open the socket, and connections over the limit are closed")
def _():
    with Speech("/nonexistent") as speech:
        assert speech.path.stat().st_mode & 0o77 == 0
        lines = [speech.open() for _ in range(24)]
        for line in lines:
            line.send("ping", {})
            assert line.read()
        with speech.open() as over:
            assert over.read() is None
        for line in lines:
            line.__exit__()

        def takes_another():
            with speech.open() as line:
                line.send("ping", {})
                try:
                    return line.read()
                except OSError:
                    return False
        eventually(takes_another)


@test("a sentence that it said is heard again, whole, at any rate and in two channels")
def _():
    voice = need_voice()
    with Speech(voice) as speech:
        wrong = said = 0
        for sentence in SENTENCES:
            with speech.open() as line:
                rate, sound = line.say(sentence)
            with speech.open() as line:
                events = line.hear((rate, 1, sound), partials=True)
            assert all(k in ("transcript", "transcript-partial") for k, _, _ in events), events
            wrong += wrong_words(sentence, events[-1][1]["text"])
            said += len(sentence.split())
        assert wrong <= 0.1 * said, (wrong, said)
        both = b"".join(sound[i:i + 2] * 2 for i in range(0, len(sound), 2))
        with speech.open() as line:
            assert wrong_words(SENTENCES[-1], line.hear((rate, 2, both))[-1][1]["text"]) <= 1


@test("who speaks is told when it begins and when it ends, and silence has no words")
def _():
    voice = need_voice()
    with Speech(voice) as speech:
        with speech.open() as line:
            rate, sound = line.say(SENTENCES[0])
        quiet = b"\0" * (2 * rate * 2)
        with speech.open() as line:
            events = line.hear((rate, 1, quiet + sound + quiet), vad=True, silence_ms=300)
        told = [(k, d.get("timestamp")) for k, d, _ in events if k.startswith("voice-")]
        assert [k for k, _ in told] == ["voice-started", "voice-stopped"], told
        assert 1500 < told[0][1] < 3500 < told[1][1], told
        assert wrong_words(SENTENCES[0], events[-1][1]["text"]) <= 1, events[-1]
        with speech.open() as line:
            assert line.hear((rate, 1, quiet * 3))[-1][1]["text"] == ""


@test("a minute is heard in parts, and more than two minutes are refused in words")
def _():
    voice = need_voice()
    with Speech(voice) as speech:
        with speech.open() as line:
            rate, sound = line.say(SENTENCES[0])
        sound += b"\0" * rate
        times = 60 * 2 * rate // len(sound)
        with speech.open() as line:
            text = line.hear((rate, 1, sound * times))[-1][1]["text"]
        assert wrong_words(" ".join([SENTENCES[0]] * times), text) <= 0.2 * times * 9, text
        with speech.open() as line:
            kind, told, _ = line.hear((rate, 1, b"\0" * (2 * rate * 130)))[-1]
            assert (kind, told) == ("error", {"text": "an utterance is longer than 120 seconds"})


@test("several hear and speak at once, and one that goes away disturbs none")
def _():
    voice = need_voice()
    with Speech(voice) as speech:
        with speech.open() as line:
            rate, sound = line.say(SENTENCES[1])
        heard = []

        def hear():
            with speech.open() as line:
                heard.append(line.hear((rate, 1, sound), partials=True)[-1][1]["text"])

        threads = [threading.Thread(target=hear) for _ in range(4)]
        for thread in threads:
            thread.start()
        with speech.open() as line:
            line.send("synthesize", {"text": SENTENCES[0]})
        for thread in threads:
            thread.join(PATIENCE_S)
        assert len(heard) == 4 and len(set(heard)) == 1, heard


@test("festival is a voice too, and one that hangs is started again")
def _():
    if not shutil.which("festival") or not os.path.isdir("/usr/share/festival/voices/us/cmu_us_slt_arctic_hts"):
        raise Skip("festival with its voice is not there")
    with Speech("/nonexistent", "--voice", "festival-slt") as speech:
        with speech.open() as line:
            rate, sound = line.say('No quote " leaves (quit) \\ it.')
            assert rate == 32000 and len(sound) > rate
        child = subprocess.run(["pgrep", "-P", str(speech.process.pid)], capture_output=True, text=True)
        os.kill(int(child.stdout), 9)
        with speech.open() as line:
            line.send("synthesize", {"text": "once"})
            assert line.until("audio-stop", "error")[-1][0] == "error"
            assert len(line.say("and again")[1]) > rate


@test("a wrong option is told, and a socket that cannot be")
def _():
    done = subprocess.run([PROGRAM, "--what"], capture_output=True, text=True)
    assert done.returncode == 2 and "Usage: signalbox-speech" in done.stderr
    done = subprocess.run([PROGRAM, "--socket", "/nonexistent/x"], capture_output=True, text=True)
    assert done.returncode == 1 and "No such file" in done.stderr
    done = subprocess.run([PROGRAM, "--socket", "/tmp/" + "x" * 200], capture_output=True, text=True)
    assert done.returncode == 1 and "too long" in done.stderr


run()
