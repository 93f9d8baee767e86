#!/usr/bin/env python3
"""`signalbox parse`: bytes of a back end in, signals out, without a box."""

import json
import os
import subprocess

from lib import ROOT, Process, cli, run, temp_dir, test

FIXTURES = ROOT / "tests" / "fixtures"
CHUNK = 'data: {"model":"m","choices":[{"delta":{"content":"%s"}}]}\n\n'
STOP = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def signals(result):
    assert result.code == 0 and result.err == "", result
    return [json.loads(line) for line in result.out.splitlines()]


def protocols():
    return [line.split()[0] for line in cli("parse", "--list").out.splitlines()]


@test("every protocol is listed, and reads nothing from nothing")
def _():
    assert {"openai", "responses", "anthropic", "ollama", "envelope", "raw"} <= set(protocols())
    for protocol in protocols():
        result = cli("parse", protocol)
        assert result.code == 0 and result.err == "", result
        ends = [json.loads(line)["type"] for line in result.out.splitlines()]
        assert ends in ([], ["error"]), result  # an answer that never came


@test("a file and standard input give the same signals")
def _():
    path = FIXTURES / "openai" / "chat-tools.sse"
    options = ["--correlation", "run", "--source", "me"]
    cut = lambda s: (s["type"], s["source"], s["correlationId"], s["payload"])
    from_file = [cut(s) for s in signals(cli("parse", "openai", path, *options))]
    from_input = [cut(s) for s in signals(cli("parse", "openai", "-", *options,
                                              input=path.read_text()))]
    assert from_file == from_input and len(from_file) == 10, from_file
    assert from_file[-1][:3] == ("completion", "me", "run"), from_file[-1]
    assert from_file[-1][3]["taskId"] == "run"


@test("what the bytes do not name is what the options say")
def _():
    (delta, end) = signals(cli("parse", "openai", "-s", "me", "-a", "it", "--correlation", "c",
                               input=(CHUNK % "x").replace('"model":"m",', "") + STOP))
    for signal in (delta, end):
        assert signal["source"] == "me" and signal["correlationId"] == "c", signal
        assert signal["payload"]["agentId"] == "it", signal


@test("an answer without a correlationId gets one of its own")
def _():
    both = signals(cli("parse", "openai", input=CHUNK % "x" + STOP))
    assert len({s["correlationId"] for s in both}) == 1 and len({s["id"] for s in both}) == 2
    again = signals(cli("parse", "openai", input=CHUNK % "x" + STOP))
    assert again[0]["correlationId"] != both[0]["correlationId"]


@test("an answer that is not streamed is read with --whole")
def _():
    path = FIXTURES / "openai" / "chat.json"
    kinds = [s["type"] for s in signals(cli("parse", "--whole", "openai", path))]
    assert kinds == ["text_delta", "tool_call_delta", "tool_call_delta", "tool_call", "tool_call",
                     "token_usage", "completion"], kinds


@test("a bad event is told on standard error, and the rest is read")
def _():
    result = cli("parse", "openai", input="data: {nonsense\n\n" + CHUNK % "x" + STOP)
    assert result.code == 1 and "not JSON" in result.err, result
    assert [json.loads(x)["type"] for x in result.out.splitlines()] == ["text_delta", "completion"]


@test("a signal is shown before the next bytes come")
def _():
    with Process("parse", "openai", stdin=subprocess.PIPE) as parse:
        for word in ("one", "two"):
            parse.process.stdin.write((CHUNK % word).encode())
            parse.process.stdin.flush()
            assert json.loads(parse.line())["payload"]["content"] == word
        parse.process.stdin.close()
        assert json.loads(parse.line())["type"] == "error"
        assert parse.wait() == 0 and parse.err() == "", parse.err()


@test("a reader that goes away is an end and no failure")
def _():
    path = temp_dir() / "long.sse"
    path.write_text(CHUNK % ("x" * 1000) * 2000 + STOP)
    with Process("parse", "openai", path) as parse:
        parse.line()
        parse.process.stdout.close()
        assert parse.wait() == 0 and parse.err() == "", parse.err()


@test("wrong words end with 2, and a missing file with 1")
def _():
    for wrong in ([], ["opnai"], ["openai", "a", "b"], ["nothing-like-it"]):
        result = cli("parse", *wrong)
        assert result.code == 2 and result.out == "", result
    assert "did you mean 'openai'?" in cli("parse", "opnai").err
    result = cli("parse", "openai", "/nonexistent/file")
    assert result.code == 1 and "/nonexistent/file" in result.err, result
    assert cli("parse", "openai", os.path.dirname(__file__)).code == 1


run()
