#!/usr/bin/env python3
"""Agents by Wyoming, as Home Assistant asks them: what is said, whom it is said to, and its end."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from doors import as_other_user, config_box, reload
from lib import PATIENCE_S, SLOW, Skip, cli, eventually, run, temp_dir, test
from servers import WORDS, Upstream, until_state
from wyoming_peer import Wyoming

TEXT = "".join(WORDS)
LISTEN = """listen:
  - 127.0.0.1:0
  - {address: "127.0.0.1:0", dialect: wyoming, source: %s}
"""
SOURCE = "sources: [{id: kitchen, url: '%s', protocol: openai, model: model-a}]\n"


def asked(up, listen=LISTEN % "kitchen"):
    return config_box(listen + SOURCE % up.url, listen=())


def port_of(box, at=1):
    return int(box.addresses[at].rpartition(":")[2])


def peer(box):
    return Wyoming(("127.0.0.1", port_of(box)))


def ask(wyoming, text, conversation=None, kind="transcript"):
    """All that came of it."""
    context = {"context": {"conversation_id": conversation}} if conversation else {}
    wyoming.send(kind, {"text": text, **context})
    return wyoming.until("handled-stop", "not-handled")


def squeezed(text):
    return " ".join(text.split())


@test("an answer comes in pieces between its start and its stop, with all of it before the stop")
def _():
    with Upstream() as up, asked(up) as box:
        until_state(box, "kitchen", "connected")
        with peer(box) as wyoming:
            wyoming.send("describe")
            (kind, info, _), = wyoming.until("info")
            program, = info["handle"]
            assert program["supports_handled_streaming"] is True, program
            assert program["models"][0]["name"] == "kitchen", program
            assert {"en", "de", "zh-cn"} < set(program["models"][0]["languages"])
            assert [info[k] for k in ("asr", "tts", "wake", "intent")] == [[]] * 4, info
            for kind in ("transcript", "recognize"):
                events = ask(wyoming, "good day", kind=kind)
                kinds = [k for k, _, _ in events]
                assert kinds[0] == "handled-start" and kinds[-2:] == ["handled", "handled-stop"]
                assert set(kinds[1:-2]) == {"handled-chunk"}, kinds
                whole = "".join(d["text"] for k, d, _ in events if k == "handled-chunk")
                assert events[-2][1]["text"] == whole == squeezed(TEXT), events
            wyoming.send("ping", {"text": "are you there"})
            assert wyoming.read()[:2] == ("pong", {"text": "are you there"})


@test("words of one conversation are one session of the agent, which hears what was said before")
def _():
    with Upstream() as up, asked(up) as box:
        until_state(box, "kitchen", "connected")
        for text, conversation in (("good one", "01A"), ("good two", "01A"), ("good three", "01B"),
                                   ("good four", None)):
            with peer(box) as wyoming:
                assert ask(wyoming, text, conversation)[-1][0] == "handled-stop"
        told = [[m["content"] for m in r.json()["messages"]] for r in up.of("/v1/chat/completions")]
        assert told == [["good one"], ["good one", TEXT, "good two"], ["good three"],
                        ["good four"]], told


@test("what goes wrong is not handled, in words")
def _():
    with Upstream() as up, asked(up) as box:
        until_state(box, "kitchen", "connected")
        with peer(box) as wyoming:
            for text, words in (("fails now", None), ("refused now", None),
                                ("  ", "there are no words in it"),
                                ("x" * 20000, "that is longer than 16384 bytes")):
                event = ask(wyoming, text)[-1]
                if event[0] == "handled-stop":
                    continue
                assert event[0] == "not-handled" and event[1]["text"], event
                assert words in (None, event[1]["text"]), event
    with Upstream() as up, asked(up, LISTEN % "elsewhere") as box, peer(box) as wyoming:
        event = ask(wyoming, "good day")[-1]
        assert event[0] == "not-handled" and "elsewhere" in event[1]["text"], event


@test("a peer asks ten times a minute")
def _():
    with Upstream() as up, asked(up) as box:
        until_state(box, "kitchen", "connected")
        with peer(box) as wyoming:
            for _ in range(10):
                assert ask(wyoming, "good day")[-1][0] == "handled-stop"
        with peer(box) as wyoming:
            event = ask(wyoming, "good day")[-1]
            assert event[0] == "not-handled" and "10 asks a minute" in event[1]["text"], event
            wyoming.send("ping")
            assert wyoming.read()[0] == "pong"
        assert len(up.of("/v1/chat/completions")) == 10


@test("an ask ends upstream when its peer goes away, and a second one meanwhile is refused")
def _():
    with Upstream() as up, asked(up) as box:
        until_state(box, "kitchen", "connected")
        with peer(box) as wyoming:
            wyoming.send("transcript", {"text": "slow please"})
            eventually(lambda: up.of("/v1/chat/completions"))
            wyoming.send("transcript", {"text": "good day"})
            events = wyoming.until("error")
            assert "one at a time" in events[-1][1]["text"], events
            assert not up.closed
        eventually(lambda: up.closed)
        with peer(box) as wyoming:
            assert ask(wyoming, "good day")[-1][0] == "handled-stop"


@test("a line that is no JSON object closes, without a word")
def _():
    with Upstream() as up, asked(up) as box:
        for line in (b"GET / HTTP/1.1\r\n", b"[]\n", b'{"data":{}}\n', b'"transcript"\n', b"\n",
                     b'{"type":"transcript","data_length":-1}\n', b"x" * 70000):
            with socket.create_connection(("127.0.0.1", port_of(box)), PATIENCE_S) as sock:
                sock.sendall(line)
                try:
                    assert sock.recv(100) == b"", line
                except ConnectionResetError:
                    pass
        with peer(box) as wyoming:
            wyoming.send("audio-chunk", {"rate": 16000}, b"\0" * 640)
            wyoming.send("of-tomorrow")
            wyoming.send("ping")
            assert wyoming.read()[0] == "pong"


@test("a user of this machine who is not ours is turned away")
def _():
    with Upstream() as up, asked(up) as box:
        port = port_of(box)

        def work():
            with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as sock:
                try:
                    sock.sendall(b'{"type":"describe"}\n')
                    return 0 if sock.recv(100) == b"" else 1
                except (BrokenPipeError, ConnectionResetError):
                    return 0

        assert as_other_user(work) == 0
        eventually(lambda: "uid 54321 wanted to speak Wyoming" in box.log())


@test("no more than 32 connections are open, and who leaves makes room")
def _():
    with Upstream() as up, asked(up) as box:
        many = [peer(box) for _ in range(32)]
        for one in many:
            one.send("ping")
            assert one.read()[0] == "pong"
        with peer(box) as more:
            try:
                more.send("ping")
                assert more.read() is None
            except OSError:
                pass
        eventually(lambda: f"uid {os.geteuid()} wanted to speak Wyoming" in box.log())
        for one in many:
            one.__exit__()

        def comes_in():
            with peer(box) as one:
                one.send("ping")
                return one.read()
        eventually(comes_in)


@test("an open address needs a list of who may come in, and what is wrong is said before it starts")
def _():
    faults = {
        '{address: "0.0.0.0:0", dialect: wyoming, source: a}': "`allow` lists",
        '{address: "127.0.0.1:0", dialect: wyoming}': "needs a source",
        '{address: "127.0.0.1:0", dialect: wyoming, source: a, allow: [nas.example]}':
            "is not the address of a machine",
        '{address: "127.0.0.1:0", dialect: wyoming, source: a, cert: c, key: k}': "knows no cert",
        '{address: "127.0.0.1:0", dialect: voice, allow: [192.0.2.7]}': "without credentials alone",
        '{address: "127.0.0.1:0", dialect: whyoming}': "voice, wyoming",
    }
    for row, words in faults.items():
        file = temp_dir() / "c.yaml"
        file.write_text(f"listen: [{row}]\n")
        result = cli("serve", "--config", file, "--data", temp_dir() / "data")
        assert result.code == 78 and words in result.err, (row, result)
    open_to_some = LISTEN.replace("127.0.0.1:0\"", "0.0.0.0:0\"")[:-2] + ", allow: [192.0.2.7]}\n"
    with Upstream() as up, asked(up, open_to_some % "kitchen") as box, peer(box) as wyoming:
        wyoming.send("ping")
        assert wyoming.read()[0] == "pong"


@test("another configuration counts for who is there already")
def _():
    with Upstream() as up, asked(up) as box:
        until_state(box, "kitchen", "connected")
        with peer(box) as wyoming:
            assert ask(wyoming, "good day")[-1][0] == "handled-stop"
            reload(box, 'listen: ["127.0.0.1:0"]\n' + SOURCE % up.url)
            event = ask(wyoming, "good day")[-1]
            assert event[0] == "not-handled" and "any more" in event[1]["text"], event


@test("the address that is printed and opened is one that speaks HTTP")
def _():
    first = """listen:
  - {address: "127.0.0.1:0", dialect: wyoming, source: kitchen}
  - 127.0.0.1:0
"""
    with Upstream() as up, asked(up, first) as box:
        url = box.request("POST", "/api/code").json()["url"]
        assert f":{port_of(box)}/" in url, (url, box.addresses)


@test("Home Assistant's own library is answered")
def _():
    with Upstream() as up, asked(up) as box:
        until_state(box, "kitchen", "connected")
        script = Path(__file__).with_name("wyoming_asks.py")
        for python in ("/usr/bin/python3", sys.executable):
            done = subprocess.run([python, script, str(port_of(box)), "good day", "01H"],
                                  capture_output=True, timeout=PATIENCE_S)
            if done.returncode != 3:
                break
        if done.returncode == 3:
            raise Skip("there is no python3-wyoming here")
        assert done.returncode == 0, done.stderr.decode()
        said = json.loads(done.stdout)
        assert said["handled"] and said["text"] == squeezed(TEXT), said
        assert said["models"] == ["kitchen"] and said["pong"] == "still there?", said


run()
