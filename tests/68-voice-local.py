#!/usr/bin/env python3
"""A turn that is really heard and spoken, without a network: what the box says is heard again.

What it hears with is fetched by `make voice`; without that there is nothing to test."""

import base64
import os
import shutil
import signal
import subprocess
import wave

from chats import Parrot, connected
from doors import config_box
from lib import SIGNALBOX, Skip, cli, eventually, run, temp_dir, test
from talks import Talk
from wyoming_peer import Wyoming, wrong_words

SENTENCE = "run the tests again and tell me what happened"
BESIDE = os.path.join(os.path.dirname(SIGNALBOX), "voice", "fetched")


def need_voice():
    if not os.path.exists(BESIDE):
        raise Skip("what it hears with was not fetched (make voice)")
    if not shutil.which("text2wave"):
        raise Skip("festival, which asks, is not there")


def local_box(up):
    return config_box(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: parrot}}]\n"
        "voice: {engine: {hear: local, say: local}, think: model}\n")


def spoken(sentence):
    """PCM at 16,000 a second, of festival."""
    path = temp_dir() / "question.wav"
    subprocess.run(["text2wave", "-F", "16000", "-eval", "(voice_cmu_us_slt_arctic_hts)", "-o", path],
                   input=sentence, text=True, check=True, capture_output=True)
    with wave.open(str(path)) as file:
        assert file.getframerate() == 16000
        return file.readframes(file.getnframes())


def by_flite(sentence):
    path = temp_dir() / "sentence.wav"
    subprocess.run(["flite", "-voice", "rms", "-t", sentence, "-o", path], check=True, capture_output=True)
    with wave.open(str(path)) as file:
        assert file.getframerate() == 16000
        return file.readframes(file.getnframes())


def ready(box):
    def answers():
        try:
            with Wyoming(box.data / "speech.sock") as line:
                line.send("ping", {})
                return line.read()
        except OSError:
            return None
    eventually(answers)


def turn(talk, sound):
    """(what was heard, the answer, its sound)."""
    for at in range(0, len(sound), 6400):
        talk.tell("input_audio.append", chunk=base64.b64encode(sound[at:at + 6400]).decode())
    talk.tell("input_audio.commit")
    heard, answer, said = "", "", b""
    while (event := talk.json())["type"] != "response.completed":
        kind, payload = event["type"], event["payload"]
        assert kind != "error", payload
        heard = payload["text"] if kind == "transcript.final" else heard
        answer += payload["text"] if kind == "response.text.delta" else ""
        said += base64.b64decode(payload["chunk"]) if kind == "output_audio.delta" else b""
    return heard, answer, said


@test("festival asks, the box hears, a model answers, and what is said then is heard again")
def _():
    need_voice()
    with Parrot() as up, local_box(up) as box:
        connected(box)
        ready(box)
        with Talk(box) as talk:
            talk.timeout(60)
            talk.start("audio")
            heard, answer, said = turn(talk, spoken(SENTENCE))
        assert wrong_words(SENTENCE, heard) <= 1, heard
        with Wyoming(box.data / "speech.sock") as line:
            again = line.hear((24000, 1, said))[-1][1]["text"]
        assert wrong_words(answer, again) <= max(1, 0.1 * len(answer.split())), (answer, again)


def append(talk, sound):
    for at in range(0, len(sound), 640):
        talk.tell("input_audio.append", chunk=base64.b64encode(sound[at:at + 640]).decode())


def until(talk, kind):
    events = []
    while not events or events[-1]["type"] != kind:
        events.append(talk.json())
        assert events[-1]["type"] != "error", events[-1]
    return events


@test("two sentences that flite says, with silence between, are two turns without a commit")
def _():
    need_voice()
    sentences = "run the tests again", "tell me which ones failed"
    breath = bytes(2 * 16000)
    with Parrot() as up, local_box(up) as box:
        connected(box)
        ready(box)
        with Talk(box) as talk:
            talk.timeout(60)
            assert talk.start("vad", "hands-free")[0]["features"] == ["vad", "hands-free"]
            for sentence in sentences:
                append(talk, breath + by_flite(sentence) + 2 * breath)
                events = until(talk, "response.completed") + until(talk, "session.state")
                kinds = [e["type"] for e in events]
                assert kinds.count("speech.started") == kinds.count("speech.stopped") == 1, kinds
                heard = [e["payload"]["text"] for e in events if e["type"] == "transcript.final"]
                assert len(heard) == 1 and wrong_words(sentence, heard[0]) <= 1, heard
                assert events[-1]["payload"]["value"] == "listening", events[-1]
            append(talk, 5 * breath)
            talk.tell("session.start")
            assert talk.json()["type"] == "session.ready"


@test("the program is started again when it is killed, and ends with the box")
def _():
    need_voice()
    with Parrot() as up, local_box(up) as box:
        connected(box)
        ready(box)
        found = subprocess.run(["pgrep", "-f", f"speech --socket {box.data}/"], capture_output=True, text=True)
        os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
        ready(box)
        data = box.data
    eventually(lambda: not subprocess.run(["pgrep", "-f", f"speech --socket {data}/"],
                                          capture_output=True, text=True).stdout)


@test("`signalbox voice check` finds that it works")
def _():
    need_voice()
    with config_box("") as box:
        result = cli("voice", "check", "--data", box.data)
        assert result.code == 0 and "local   works: it said 'run the tests again" in result.out, result


run()
