#!/usr/bin/env python3
"""Voice notes of people: heard by the engine of voice sessions, once their sender was let in, and
told in words where nobody hears."""

import io
import json
import wave

from chats import TEXT, connected, requests
from fake_speech import KEY, FakeSpeech
from fake_telegram import Telegram
from lib import Box, eventually, run, temp_dir, test
from servers import Upstream
from wyoming_engine import Engine, hears

OGG = b"OggS" + bytes(range(256)) * 40
HEARD = "(heard from a voice note) What is the time?"


def telegram(up, fake, place=None, engine="", path=""):
    """A box with a chat, and an engine at a place."""
    top = temp_dir()
    for name, words in (("token", "123:abc\n"), ("key", KEY + "\n")):
        (top / name).touch(0o600)
        (top / name).write_text(words)
    hear = f"voice: {{engine: {{hear: {{place: '{place}'{engine}}}}}}}\n" if place else ""
    (top / "signalbox.yaml").write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  telegram:\n    agent: model\n    url: {fake.url}\n"
        f"    credential_file: {top}/token\n    streaming: {{mode: accumulate}}\n"
        "people: [{name: Ada, relationship: owner, identities: ['telegram:7']}]\n"
        f"deliver: {{gather: 0}}\n{hear.replace('TOP', str(top))}")
    return Box(args=["--config", str(top / "signalbox.yaml")],
               env={"PATH": path} if path else None)


def with_server(up, fake, speech):
    return telegram(up, fake, speech.url, ", credential_file: TOP/key")


def send(fake, data=OGG, **more):
    fake.attach("voice", data, type="audio/ogg", **more)


def prompt(up, number=1):
    def look():
        asked = [json.loads(r.body)["messages"][-1]["content"]
                 for r in up.of("/v1/chat/completions")]
        return len(asked) >= number and asked[number - 1]
    return eventually(look)


def path_of(line):
    assert line.startswith("[voice note: "), line
    return line.removeprefix("[voice note: ").split(",")[0]


def expect_unheard(box, up, fake, why, number=1):
    """The file is there; the person and the agent are told why nobody heard it."""
    line = prompt(up, number)
    assert "\n" not in line and "nobody has heard it: " in line and why in line, line
    assert box.data.joinpath(path_of(line)).exists()
    eventually(lambda: fake.screen().count(TEXT) == number)
    assert any("went to the agent as a file: nobody has heard it: " in text and why in text
               for text in fake.screen()), fake.screen()


def program(name, words):
    """A directory of PATH with one program in it."""
    place = temp_dir()
    (place / name).write_text(words)
    (place / name).chmod(0o755)
    return str(place)


def wav(seconds=1, rate=8000, width=2):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(b"\1\0\1\0"[:width] * (rate * seconds))
    return out.getvalue()


def sound_bytes(engine):
    return sum(len(payload) for kind, _, payload in engine.heard if kind == "audio-chunk")


# --- servers that take files ----------------------------------------------------------------


@test("a voice note is heard, and what it says is the question")
def _():
    with Upstream() as up, Telegram() as fake, FakeSpeech() as speech, \
            with_server(up, fake, speech) as box:
        connected(box)
        send(fake, caption="for you")
        caption, heard, line = prompt(up).split("\n")
        assert (caption, heard) == ("for you", HEARD), (caption, heard)
        assert box.data.joinpath(path_of(line)).read_bytes() == OGG
        eventually(lambda: fake.screen() == [TEXT])
        note, = speech.heard
        assert (note.bytes, note.name, note.type) == (OGG, "1-voice.ogg", "audio/ogg"), note.name
        event = eventually(lambda: requests(box))[0]["event"]
        assert event["attachments"][0]["heard"] == "What is the time?", event
        assert "why" not in event["attachments"][0], event


@test("an engine that fails is told in words, and so is one that is not there; the file is")
def _():
    with Upstream() as up, Telegram() as fake, FakeSpeech() as speech, \
            with_server(up, fake, speech) as box:
        connected(box)
        for number, (trouble, why) in enumerate((("busy", "Rate limit reached"), ("dead", "")), 1):
            speech.trouble["transcriptions"] = trouble
            send(fake)
            expect_unheard(box, up, fake, why, number)
        speech.trouble.clear()
        send(fake)
        assert prompt(up, 3).startswith(HEARD)
        eventually(lambda: fake.screen().count(TEXT) == 3)
        speech.stop()
        send(fake)
        expect_unheard(box, up, fake, "", 4)
        assert KEY not in "".join(fake.screen()) + box.log()


@test("without an engine a voice note is a file, and its sender is told")
def _():
    with Upstream() as up, Telegram() as fake, telegram(up, fake) as box:
        connected(box)
        send(fake)
        expect_unheard(box, up, fake, "no speech engine is configured")


@test("nothing is heard of somebody who is not let in")
def _():
    with Upstream() as up, Telegram() as fake, FakeSpeech() as speech, \
            with_server(up, fake, speech) as box:
        connected(box)
        send(fake, sender=9)
        eventually(lambda: any(r["status"] == "denied" for r in requests(box)))
        send(fake)
        assert prompt(up).startswith(HEARD)
        assert len(speech.heard) == 1 and len(fake.fetched) == 1, fake.fetched


@test("kill -9 while one is heard: it is heard again, and asked once")
def _():
    with Upstream() as up, Telegram() as fake, FakeSpeech() as speech, \
            with_server(up, fake, speech) as box:
        connected(box)
        speech.trouble["transcriptions"] = "silent"
        send(fake)
        eventually(lambda: speech.heard)
        box.kill9()
        speech.trouble.clear()
        box.start()
        assert prompt(up).startswith(HEARD)
        eventually(lambda: fake.screen() == [TEXT])
        assert len(speech.heard) == 2 and fake.fetched == ["file-1"], fake.fetched
        assert len(up.of("/v1/chat/completions")) == 1


@test("an account has one ear: the second waits for the first; /stop ends both")
def _():
    with Upstream() as up, Telegram() as fake, FakeSpeech() as speech, \
            with_server(up, fake, speech) as box:
        connected(box)
        speech.trouble["transcriptions"] = "silent"
        send(fake)
        eventually(lambda: speech.heard)
        send(fake)
        eventually(lambda: len(fake.fetched) == 2)
        fake.write("/stop")
        eventually(lambda: speech.left)
        speech.trouble.clear()
        send(fake)
        assert prompt(up).startswith(HEARD)
        assert len(speech.heard) == 2, len(speech.heard)


# --- engines that take sound -----------------------------------------------------------------


@test("a WAV file is read by the box itself, up to two minutes of it")
def _():
    with Engine(hears("What is the time?")) as engine, Upstream() as up, Telegram() as fake, \
            telegram(up, fake, engine.place, path="/nowhere") as box:
        connected(box)
        send(fake, wav())
        assert prompt(up).startswith(HEARD)
        assert abs(sound_bytes(engine) - 32000) < 400, sound_bytes(engine)
        eventually(lambda: fake.screen().count(TEXT) == 1)
        send(fake, wav(width=4))
        assert prompt(up, 2).startswith(HEARD)
        assert abs(sound_bytes(engine) - 64000) < 800, sound_bytes(engine)
        eventually(lambda: fake.screen().count(TEXT) == 2)
        send(fake, wav(seconds=125))
        expect_unheard(box, up, fake, "two minutes", 3)


@test("other files are decoded by a program, which gets nothing but the path")
def _():
    arguments = temp_dir() / "arguments"
    decoder = program("ffmpeg", f"#!/bin/sh\necho \"$@\" > {arguments}\n"
                                "/usr/bin/head -c 32000 /dev/zero\n")
    with Engine(hears("What is the time?")) as engine, Upstream() as up, Telegram() as fake, \
            telegram(up, fake, engine.place, path=decoder) as box:
        connected(box)
        send(fake)
        heard, line = prompt(up).split("\n")
        assert heard == HEARD and sound_bytes(engine) == 32000, (heard, sound_bytes(engine))
        words = arguments.read_text().split()
        assert words[words.index("-i") + 1] == path_of(line), words
        assert words[words.index("-f") + 1] == "ogg", words
        send(fake, b"what may this be?")
        expect_unheard(box, up, fake, "nobody here knows its format", 2)


@test("a decoder that fails, or is not there, is told in words")
def _():
    broken = program("opusdec", "#!/bin/sh\nexit 3\n")
    for path, why in ((broken, "the program ended with status 3"),
                      ("/nowhere", "no program that decodes it: ffmpeg or opusdec")):
        with Engine(hears("never")) as engine, Upstream() as up, Telegram() as fake, \
                telegram(up, fake, engine.place, path=path) as box:
            connected(box)
            send(fake)
            expect_unheard(box, up, fake, why)


run()
