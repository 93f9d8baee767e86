#!/usr/bin/env python3
"""The server of whisper.cpp hears, as docs/voice.md has it started.

A machine has it where `whisper-server` is in PATH and WHISPER_MODEL names a model of it (ggml-base.en.bin)."""

import json
import os
import shutil
import socket
import subprocess
import wave

from chats import Parrot, connected
from doors import config_box
from lib import Skip, cli, eventually, run, temp_dir, test
from wyoming_peer import wrong_words

SENTENCE = "run the tests again and tell me what happened"


class Whisper:
    def __init__(self):
        program, model = shutil.which("whisper-server"), os.environ.get("WHISPER_MODEL")
        if not program:
            raise Skip("there is no whisper-server here")
        if not model:
            raise Skip("WHISPER_MODEL names no model for whisper-server")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.log = temp_dir() / "log"
        self.process = subprocess.Popen(
            [program, "-m", model, "--host", "127.0.0.1", "--port", str(self.port),
             "--inference-path", "/v1/audio/transcriptions"],
            stdin=subprocess.DEVNULL, stdout=self.log.open("w"), stderr=subprocess.STDOUT)

    def __enter__(self):
        eventually(self.is_there)
        return self

    def is_there(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def spoken():
    """A WAV file of festival."""
    if not shutil.which("text2wave"):
        raise Skip("festival, which asks, is not there")
    path = temp_dir() / "question.wav"
    subprocess.run(["text2wave", "-F", "16000", "-eval", "(voice_cmu_us_slt_arctic_hts)", "-o", path],
                   input=SENTENCE, text=True, check=True, capture_output=True)
    with wave.open(str(path)) as file:
        assert file.getframerate() == 16000
    return path


def whisper_box(up, whisper):
    return config_box(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: parrot}}]\n"
        f"voice: {{engine: {{hear: {{place: 'http://127.0.0.1:{whisper.port}/v1', language: en}}}}, think: model}}\n")


@test("festival asks, whisper-server hears, and a model answers")
def _():
    with Whisper() as whisper, Parrot() as up, whisper_box(up, whisper) as box:
        connected(box)
        result = cli("voice", spoken(), "--json", "--data", box.data)
        assert result.code == 0, result
        told = json.loads(result.out)
        assert wrong_words(SENTENCE, told["final"]) <= 1, told
        assert wrong_words(told["final"], told["answer"]) == 0, told


@test("one that is gone is told in words")
def _():
    with Whisper() as whisper, Parrot() as up, whisper_box(up, whisper) as box:
        connected(box)
        whisper.__exit__()
        result = cli("voice", spoken(), "--data", box.data)
        assert result.code != 0 and str(whisper.port) in result.out + result.err, result


run()
