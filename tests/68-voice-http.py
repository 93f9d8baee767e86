#!/usr/bin/env python3
"""Voice sessions whose engines have the routes of OpenAI: what is sent to them, what is told of
them, and servers of every bad kind."""

import base64
import time
from contextlib import contextmanager

import servers
from doors import config_box
from fake_speech import KEY, RATE, FakeSpeech, tone, wav_of
from lib import PATIENCE_S, Late, eventually, run, test
from servers import Upstream
from talks import Talk, state, words, until

SOUND = bytes(range(256)) * 125  # a second at 16 kHz
ANSWER = ["It ", "is ", "ten", ". Do ", "you want to ", "know more? ", "Then ask", "."]
SENTENCES = ["It is ten.", "Do you want to know more?", "Then ask."]
UNAVAILABLE = "engine_unavailable"


def tells_the_time(peer, script, type):
    return servers.good(peer, script, type, ANSWER)


servers.ANSWERS["What"] = tells_the_time


@contextmanager
def spoken_box(speech, hear="", say="", sources=""):
    with Upstream() as model, config_box(
            f"sources: [{{id: model, url: '{model.url}/v1', protocol: openai}}{sources}]\n"
            "voice:\n"
            "  think: model\n"
            "  engine:\n"
            f"    hear: {{place: '{speech.url}', credential_file: TOP/key{hear}}}\n"
            f"    say: {{place: '{speech.url}', credential_file: TOP/key{say}}}\n",
            {"key": f"{KEY}\n"}) as box:
        eventually(lambda: any(s["id"] == "model" and s["state"] == "connected"
                               for s in box.request("GET", "/api/sources").json()["sources"]))
        yield box


def speak(talk, sound=SOUND, piece=3201):
    for at in range(0, len(sound), piece):
        talk.tell("input_audio.append", chunk=base64.b64encode(sound[at:at + piece]).decode())
    talk.tell("input_audio.commit")
    talk.expect(state("listening"))


def sound_of(events):
    deltas = [e["payload"] for e in events if e["type"] == "output_audio.delta"]
    assert all(d["format"] == {"encoding": "pcm16", "rate": RATE, "channels": 1} for d in deltas)
    return b"".join(base64.b64decode(d["chunk"]) for d in deltas)


def soon(talk, seconds):
    """The next event, or None."""
    talk.timeout(seconds)
    try:
        return talk.json()
    except (Late, TimeoutError):
        return None
    finally:
        talk.timeout(PATIENCE_S)


def failed(talk):
    """The error that a turn ended with; the session is idle then."""
    error = until(talk, "error")[-1]["payload"]
    talk.expect(state("idle"))
    return error


# --- a turn ---------------------------------------------------------------------


@test("what is said is heard, answered and spoken, sentence by sentence")
def _():
    with FakeSpeech() as speech, spoken_box(
            speech, ", model: large-v3, language: en", ", model: kokoro, voice: af_heart") as box:
        with Talk(box) as talk:
            assert "audio" in talk.start("audio")[0]["features"]
            speak(talk)
            events = until(talk, "response.completed")
            talk.expect(state("idle"))
        kinds = [e["type"] for e in events]
        assert [e["payload"]["text"] for e in events if e["type"] == "transcript.partial"] == [
            "What", "What is", "What is the", "What is the time?"], events
        assert kinds.index("transcript.final") < kinds.index("response.text.delta")
        assert events[kinds.index("transcript.final")] == words("transcript.final", speech.words)
        assert "".join(e["payload"]["text"] for e in events
                       if e["type"] == "response.text.delta") == "".join(ANSWER)
        assert [s["input"] for s in speech.said] == SENTENCES, speech.said
        assert sound_of(events) == b"".join(tone(s) for s in SENTENCES)
        asked = speech.heard[0]
        assert asked.fields == {"model": "large-v3", "language": "en", "response_format": "json",
                                "stream": "true"}, asked.fields
        assert (asked.name, asked.type) == ("speech.wav", "audio/wav")
        assert wav_of(asked.bytes) == (16000, 1, SOUND)
        assert speech.said[0] == {"model": "kokoro", "input": SENTENCES[0], "voice": "af_heart",
                                  "response_format": "pcm"}
        log = box.log()
        assert KEY not in log and KEY not in box.request("GET", "/api/signals?after=0").text


@test("a server that answers with one object is understood, and a client without audio costs no speech")
def _():
    with FakeSpeech(words=" What is the\n time? ", streams=False) as speech, spoken_box(speech) as box:
        with Talk(box) as talk:
            for _ in range(2):
                speak(talk)
                talk.expect(words("transcript.final", "What is the time?"))
                until(talk, "response.completed")
                talk.expect(state("idle"))
        assert not speech.said and speech.heard[0].fields["model"] == "whisper-1"


# --- interruption ---------------------------------------------------------------


@test("a cancel while it hears, and while it speaks, closes the connection, and nothing follows")
def _():
    with FakeSpeech() as speech, spoken_box(speech) as box, Talk(box) as talk:
        talk.start("audio")
        for route in ("transcriptions", "speech"):
            speech.trouble = {route: "silent"}
            speak(talk)
            eventually(lambda: speech.heard if route == "transcriptions" else speech.said)
            if route == "speech":
                until(talk, "response.text.delta")
            talk.tell("response.cancel")
            until(talk, "output_audio.clear" if route == "speech" else "session.state")
            if route == "speech":
                talk.expect(state("idle"))
            eventually(lambda: route in speech.left)
            assert soon(talk, 0.3) is None


# --- bad servers ----------------------------------------------------------------

HEARING = [
    ("dead", "closed the connection without a response", True),
    ("cut", "broke", True),
    ("html", "the engine answers with text/html, not with words in JSON", False),
    ("endless", "is longer than", True),
    ("busy", "the engine answers 429 Too Many Requests: Rate limit reached", True),
    ("moved", "which is not followed", True),
]
SAYING = [
    ("dead", "closed the connection without a response", True),
    ("cut", "broke", True),
    ("html", "the engine answers with text/html, not with PCM or WAV", False),
    ("float", "a WAV file with 32 bits of format 3; PCM of 16 bits is known", False),
    ("busy", "the engine answers 429 Too Many Requests: Rate limit reached", True),
    ("moved", "which is not followed", True),
]


@test("whatever is wrong with a server that hears, is told in words, and the session goes on")
def _():
    with FakeSpeech() as speech, spoken_box(speech) as box, Talk(box) as talk:
        for trouble, said, again in HEARING:
            speech.trouble = {"transcriptions": trouble}
            speak(talk)
            error = failed(talk)
            assert error["code"] == UNAVAILABLE and said in error["message"], (trouble, error)
            assert error["retryable"] == again, (trouble, error)
        speech.trouble, speech.words = {}, " [BLANK_AUDIO]"
        speak(talk)
        assert failed(talk)["code"] == "no_speech"
        speech.words = "What now?"
        speak(talk)
        until(talk, "response.completed")


@test("whatever is wrong with a server that speaks, is told in words, and the session goes on")
def _():
    with FakeSpeech() as speech, spoken_box(speech) as box, Talk(box) as talk:
        talk.start("audio")
        for trouble, said, again in SAYING:
            speech.trouble = {"speech": trouble}
            speak(talk)
            error = failed(talk)
            assert error["code"] == UNAVAILABLE and said in error["message"], (trouble, error)
            assert error["retryable"] == again, (trouble, error)
        speech.trouble = {"speech": "odd"}
        speak(talk)
        assert sound_of(until(talk, "response.completed")) == b"".join(tone(s) for s in SENTENCES)
        talk.expect(state("idle"))
        speech.trouble = {"speech": "stereo"}
        speak(talk)
        sound = sound_of(until(talk, "response.completed"))
        assert abs(len(sound) - 3 * 2 * RATE) < 100, len(sound)


@test("a server that speaks without end is not read further than what sounds, and then given up")
def _():
    with FakeSpeech() as speech, spoken_box(speech) as box, Talk(box) as talk:
        talk.start("audio")
        speech.trouble = {"speech": "endless"}
        speak(talk)
        until(talk, "output_audio.delta")
        got, end = 0, time.monotonic() + 4
        while time.monotonic() < end:
            got += len(sound_of([e for e in [soon(talk, 1)] if e]))
        assert got < 40 * RATE * 2, got
        talk.tell("response.cancel")
        until(talk, "output_audio.clear")
        eventually(lambda: "speech" in speech.left)


@test("a credential that is refused is told and never shown; where nobody listens is told")
def _():
    with FakeSpeech(key="another") as speech, spoken_box(speech) as box:
        with Talk(box) as talk:
            speak(talk)
            error = failed(talk)
            assert "401 Unauthorized: Incorrect API key provided: Bearer ****" in error["message"], error
            assert error["code"] == UNAVAILABLE and not error["retryable"]
        assert KEY not in box.log() and KEY not in box.request("GET", "/api/signals?after=0").text
    gone = FakeSpeech()
    gone.stop()
    with spoken_box(gone) as box:
        with Talk(box) as talk:
            speak(talk)
            error = failed(talk)
            assert "cannot be reached: Connection refused" in error["message"], error
            assert error["code"] == UNAVAILABLE and error["retryable"]


@test("a credential goes to another machine by https alone")
def _():
    with config_box("voice: {engine: {hear: {place: 'http://192.0.2.1/v1', credential_file: TOP/key}}}\n",
                    {"key": KEY}) as box, Talk(box) as talk:
        speak(talk)
        error = failed(talk)
        assert "a credential goes to another machine only by https://" in error["message"], error


run()
