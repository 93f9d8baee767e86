#!/usr/bin/env python3
"""Asks: an answer streams in as signals, a run ends exactly once whatever happens, and
cancelling it closes the connection upstream."""

import json
import os
import signal
import subprocess
import time

from lib import (PATIENCE_S, SIGNALBOX, WS, Box, Impostor, Process, answer_bytes, at_last, cli,
                 eventually, in_time, run, temp_dir, test)
from servers import BURST, WORDS, Upstream, add_source, source_of, until_state

CANARY = "sk-canary-4711"
TEXT = "".join(WORDS)
ENDS = ("completion", "error")
BACK_ENDS = ("openai", "responses", "anthropic", "ollama")


def ask(box, id, prompt, **more):
    """The run that an ask began."""
    answer = box.request("POST", f"/api/sources/{id}/ask", {"prompt": prompt, **more})
    assert answer.status == 200, answer
    return answer.json()["run"]


def can(box, run):
    answer = box.request("GET", f"/api/runs/{run}")
    return answer.json()["can"] if answer.status == 200 else None


def cancel(box, run):
    return box.request("POST", f"/api/runs/{run}/cancel")


def signals(box, run):
    return box.history(f"&correlationId={run}")


def until_end(box, run):
    """All signals of a run, once it had its end; there must be only one."""
    def look():
        got = signals(box, run)
        return got if any(s["type"] in ENDS for s in got) else None
    got = eventually(look)
    ends = [s for s in got if s["type"] in ENDS]
    assert len(ends) == 1 and got[-1] is ends[0], ends
    return got


def until_words(box, run):
    eventually(lambda: any(s["type"] == "text_delta" for s in signals(box, run)))


def text_of(got):
    return "".join(s["payload"]["content"] for s in got if s["type"] == "text_delta")


def connected(box, up, protocol="openai", **wish):
    id = add_source(box, url=up.url, protocol=protocol, **wish)
    until_state(box, id, "connected")
    return id


# --- good answers -----------------------------------------------------------------


@test("every back end is asked in its own words and answers in the same signals")
def _():
    with Upstream() as up, Box(env={"SIGNALBOX_VALIDATION": "strict"}) as box:
        for protocol in BACK_ENDS:
            id = connected(box, up, protocol, credential=CANARY)
            run = ask(box, id, "good day")
            got = until_end(box, run)
            first, last = got[0], got[-1]
            assert first["type"] == "task_dispatch" and first["source"] == "user", first
            assert first["payload"] == {"taskId": run, "from": "user", "to": "model-a",
                                        "description": "good day"}, first
            assert text_of(got) == TEXT, (protocol, got)
            assert all(s["source"] == id for s in got[1:]), got
            usage = [s["payload"] for s in got if s["type"] == "token_usage"]
            assert usage[-1]["promptTokens"] == 7, usage
            assert usage[-1]["completionTokens"] == len(WORDS), usage
            assert last["type"] == "completion" and last["payload"]["success"] is True, last
            assert last["payload"]["taskId"] == run, last
        check_requests(up)
        assert CANARY not in box.log() + str(box.history())


def check_requests(up):
    messages = [{"role": "user", "content": "good day"}]
    chat = up.of("/v1/chat/completions")[0]
    assert chat.json() == {"model": "model-a", "messages": messages, "stream": True,
                           "stream_options": {"include_usage": True}}, chat.body
    assert chat.headers["authorization"] == f"Bearer {CANARY}", chat.head
    responses = up.of("/v1/responses")[0].json()
    assert responses["input"] == messages and responses["stream"] is True, responses
    anthropic = up.of("/v1/messages")[0]
    assert anthropic.headers["x-api-key"] == CANARY, anthropic.head
    assert anthropic.headers["anthropic-version"] == "2023-06-01", anthropic.head
    assert "authorization" not in anthropic.headers, anthropic.head
    assert anthropic.json()["max_tokens"] > 0, anthropic.body
    assert up.of("/api/chat")[0].json()["messages"] == messages


@test("an answer cut at every byte, or whole in one document, is the same answer")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        assert text_of(until_end(box, ask(box, id, "bytewise"))) == TEXT
        got = until_end(box, ask(box, id, "whole"))
        assert text_of(got) == "all at once", got
        assert got[-1]["payload"]["success"] is True, got


@test("the model is the one asked for, else the one chosen, else the first")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        until_end(box, ask(box, id, "a"))
        until_end(box, ask(box, id, "b", model="model-x"))
        chosen = connected(box, up, model="model-b")
        until_end(box, ask(box, chosen, "c"))
        asked = [r.json()["model"] for r in up.of("/v1/chat/completions")]
        assert asked == ["model-a", "model-x", "model-b"], asked


@test("a server that lists no models is asked for one that somebody knows")
def _():
    with Upstream() as up, Box() as box:
        url = up.url + "/no-list"
        known = add_source(box, url=url, protocol="anthropic", credential="k")
        assert "claude-opus-4-6" in until_state(box, known, "connected")["models"]
        named = add_source(box, url=url + "/v1/", protocol="openai", model="model-x")
        until_state(box, named, "connected")
        for id in (known, named):
            assert text_of(until_end(box, ask(box, id, "good"))) == TEXT
        assert up.heard[-1].json()["model"] == "model-x", up.heard[-1].body
        lost = add_source(box, url=url, protocol="openai")
        eventually(lambda: source_of(box, lost)["error"] == "404 Not Found")
        keyless = add_source(box, url=url, protocol="anthropic")
        assert "credential" in until_state(box, keyless, "error")["error"]


@test("what was said in a session goes with its next turn, and nowhere else")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        for prompt, session in (("one", "s"), ("fails", "s"), ("two", "s"), ("other", "t"),
                                ("none", None)):
            until_end(box, ask(box, id, prompt, **({"session": session} if session else {})))
        said = {r.json()["messages"][-1]["content"]: r.json()["messages"][:-1]
                for r in up.of("/v1/chat/completions")}
        turn = [{"role": "user", "content": "one"}, {"role": "assistant", "content": TEXT}]
        assert said["one"] == [], said
        assert said["two"] == turn, said["two"]
        assert said["other"] == [] and said["none"] == [], said


@test("a session goes on by its handle, of its own source, and one without a name of its own does not")
def _():
    with Upstream() as up, Box() as box:
        id, other = connected(box, up), connected(box, up, name="other")
        first, alone = ask(box, id, "one", session="s"), ask(box, id, "alone")
        until_end(box, first), until_end(box, alone)

        def handle(run):
            return box.request("GET", f"/api/crew/{run}").json()["member"]["handle"]

        done = cli("ask", id, "two", "--session", handle(first), "--data", box.data)
        assert done.code == 0, done
        said = up.of("/v1/chat/completions")[-1].json()["messages"]
        assert [m["content"] for m in said] == ["one", TEXT, "two"], said
        assert box.request("GET", f"/api/crew/{first}").json()["member"]["run"] != first, "one session"
        for source, session, words in ((other, handle(first), f"is a session of '{id}'"),
                                       (id, handle(alone), "no ask goes on with")):
            done = cli("ask", source, "x", "--session", session, "--data", box.data)
            assert done.code == 1 and words in done.err, done


@test("a session outlives its connection")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        until_end(box, ask(box, id, "one", session="s"))
        up.stop()
        until_end(box, ask(box, id, "lost", session="s"))
        eventually(lambda: source_of(box, id)["state"] == "connecting")
        with Upstream(port=up.port) as again:
            until_state(box, id, "connected")
            until_end(box, ask(box, id, "two", session="s"))
            asked = again.of("/v1/chat/completions")[-1].json()["messages"]
            assert [m["content"] for m in asked] == ["one", TEXT, "two"], asked


@test("many asks of one source run at once, and there is a limit")
def _():
    with Upstream() as up, Box() as box:
        id, other = connected(box, up), connected(box, up)
        runs = [ask(box, id, f"gated {n}") for n in range(64)]
        answer = box.request("POST", f"/api/sources/{id}/ask", {"prompt": "one more"})
        assert answer.status == 409 and "64" in answer.json()["error"], answer
        assert text_of(until_end(box, ask(box, other, "good"))) == TEXT
        eventually(lambda: len(up.of("/v1/chat/completions")) == 65)
        up.gate.set()
        for run in runs:
            assert text_of(until_end(box, run)) == TEXT, run


# --- the caller's id ----------------------------------------------------------------------


def refusal(box, id, run, prompt="good"):
    answer = box.request("POST", f"/api/sources/{id}/ask", {"prompt": prompt, "run": run})
    return answer.status, answer.json().get("error")


@test("a run has the id that its caller gave, and no other run gets it, after a restart either")
def _():
    taken = (409, "there is a run 'é & /1' already")
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        assert ask(box, id, "gated", run="é & /1") == "é & /1"
        assert refusal(box, id, "é & /1") == taken  # at once, before anything of it is on the disk
        up.gate.set()
        path = "%C3%A9%20%26%20%2F1"
        got = until_end(box, path)
        assert text_of(got) == TEXT and got[0]["payload"]["taskId"] == "é & /1", got
        assert refusal(box, id, "é & /1") == taken
        box.restart()
        until_state(box, id, "connected")
        assert refusal(box, id, "é & /1") == taken
        box.kill9()
        box.start()
        until_state(box, id, "connected")
        assert refusal(box, id, "é & /1") == taken
        assert len(up.of("/v1/chat/completions")) == 1, up.heard


@test("a run that was not asked for has its id, too")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        box.emit({"type": "text_delta", "correlationId": "theirs", "payload": {"content": "x"}})
        assert refusal(box, id, "theirs") == (409, "there is a run 'theirs' already")
        with WS(box, unix=True) as ws:
            ws.json()
            ws.send({"op": "ask", "source": id, "prompt": "good", "run": "theirs", "ref": 1})
            error = until_op(ws, "error")
            assert (error["code"], error["ref"]) == ("unavailable", 1), error
            assert error["message"] == "there is a run 'theirs' already", error
            ws.send({"op": "ask", "source": id, "prompt": "good", "run": "mine", "ref": 2})
            assert until_op(ws, "ack") == {"op": "ack", "ref": 2, "run": "mine"}
        assert text_of(until_end(box, "mine")) == TEXT


@test("what is no id is refused, and the longest is taken")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        words = "the id of a run has 1 to 128 bytes, and no control characters"
        with WS(box, unix=True) as ws:
            ws.json()
            for wrong in ("", "x" * 129, "é" * 65, "a\nb", "\0", "\x7f", "\x85", "\u202e"):
                assert refusal(box, id, wrong) == (400, words), wrong
                ws.send({"op": "ask", "source": id, "prompt": "good", "run": wrong})
                error = until_op(ws, "error")
                assert (error["code"], error["message"]) == ("invalid", words), (wrong, error)
        assert refusal(box, id, 7) == (400, "run must be a string")
        assert not box.history("&type=task_dispatch")
        assert ask(box, id, "good", run="é" * 64) == "é" * 64
        assert text_of(until_end(box, "%C3%A9" * 64)) == TEXT


# --- faults -----------------------------------------------------------------------------

# The first word of the prompt -> words of the error.
FAULTS = {
    "cut": "broke",
    "short": "broke off before its end",
    "fails": "too busy",
    "garbage": "broke off before its end",
    "refused": "401 Unauthorized: your key is wrong",
    "limited": "429 Too Many Requests: slow down (it asks for 2 s of patience)",
    "moved": "redirect (307) to http://127.0.0.1:9/elsewhere",
    "broken": "502 Bad Gateway",
    "header": "longer than",
    "hangs-up": "without a response",
}


@test("answers that come all at once are taken whole, however many")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        runs = [ask(box, id, "burst") for _ in range(12)]
        words = f"/api/signals?type=completion&limit={len(runs)}"

        def ended():
            return {s["correlationId"] for s in box.request("GET", words).json()["signals"]
                    if s["payload"]["success"]}
        eventually(lambda: ended() == set(runs))
        got = source_of(box, id)
        assert got["state"] == "connected" and got["connects"] == 1, got
        assert got["signals"] >= len(runs) * BURST and got["dropped"] == 0, got


@test("a question goes out once, whatever became of a connection that was kept")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        until_end(box, ask(box, id, "whole"))
        for n in range(3):
            end = until_end(box, ask(box, id, f"hangs-up {n}"))[-1]
            assert FAULTS["hangs-up"] in end["payload"]["message"], end
        assert len(up.of("/v1/chat/completions")) == 4, up.heard


@test("every fault ends a run in one error with the server's words, and nothing else")
def _():
    with Upstream() as up, Box(env={"SIGNALBOX_VALIDATION": "strict"}) as box:
        steady = connected(box, up)
        kept = ask(box, steady, "gated")
        for protocol in BACK_ENDS:
            id = connected(box, up, protocol, credential=CANARY)
            runs = {how: ask(box, id, f"{how} {protocol}") for how in FAULTS}
            for how, run in runs.items():
                end = until_end(box, run)[-1]
                assert end["type"] == "error", (protocol, how, end)
                assert FAULTS[how] in end["payload"]["message"], (protocol, how, end)
                assert end["payload"]["severity"] == "error", end
            assert source_of(box, id)["state"] == "connected", source_of(box, id)
        assert source_of(box, steady)["state"] == "connected"
        up.gate.set()
        assert text_of(until_end(box, kept)) == TEXT
        assert CANARY not in box.log() + str(box.history())


@test("a server that quotes the credential shows it to nobody")
def _():
    with Upstream() as up, Box() as box:
        for protocol in BACK_ENDS:
            id = connected(box, up, protocol, credential=CANARY)
            end = until_end(box, ask(box, id, "quotes"))[-1]
            assert "not with" in end["payload"]["message"], end
            lost = add_source(box, url=up.url + "/quotes", protocol=protocol, credential=CANARY)
            eventually(lambda: "not with" in (source_of(box, lost)["error"] or ""))
        seen = box.log() + str(box.history()) + box.request("GET", "/api/sources").text
        assert CANARY not in seen and CANARY[:10] not in seen, seen


@test("a server that falls silent is given up")
def _():
    def give_up():
        with Upstream() as up, Box(env={"SIGNALBOX_LIMITS_SILENCE": "300ms"}) as box:
            id = connected(box, up)
            runs = {how: ask(box, id, how) for how in ("slow", "silent")}
            slow = until_end(box, runs["slow"])[-1]["payload"]["message"]
            in_time("did not respond" not in slow, "the server is too slow")
            assert "sent nothing" in slow, slow
            assert "did not respond" in until_end(box, runs["silent"])[-1]["payload"]["message"]
            eventually(lambda: len(up.closed) == 2)

    at_last(give_up)


@test("a server that dies in an answer is lost, and found when it is back")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        assert until_end(box, ask(box, id, "dies"))[-1]["type"] == "error"
        eventually(lambda: source_of(box, id)["state"] == "connecting")
        with Upstream(port=up.port):
            until_state(box, id, "connected")
            assert text_of(until_end(box, ask(box, id, "good"))) == TEXT


@test("the command line puts a question once, whatever became of its connection")
def _():
    def answer(head):
        if head.startswith(b"POST"):
            return None
        said = answer_bytes({"ok": True, "seq": 1, "epoch": "0123456789ab",
                             "sources": [{"id": "llm", "state": "connected"}]})
        return said.replace(b"Connection: close\r\n", b"")

    data = temp_dir()
    with Impostor([answer] * 4, data / "sock") as box:
        result = cli("ask", "llm", "hello", "--data", data)
        assert result.code == 1 and "connection to the box was lost" in result.err, result
        assert len([head for head, _ in box.heard if head.startswith(b"POST")]) == 1, box.heard


@test("an ask that makes no sense is refused, and begins nothing")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        stream = add_source(box, url=up.url + "/ndjson", protocol="sse")
        until_state(box, stream, "connected")
        for source, body, status in ((id, {}, 400), (id, {"prompt": ""}, 400),
                                     (id, {"prompt": 7}, 400), (id, [], 400),
                                     (id, {"prompt": "x", "modell": "y"}, 400),
                                     (id, {"prompt": "x" * 300_000}, 409),
                                     ("nobody", {"prompt": "x"}, 404),
                                     (stream, {"prompt": "x"}, 501)):
            answer = box.request("POST", f"/api/sources/{source}/ask", body)
            assert answer.status == status and answer.json()["error"], (body, answer)
        answer = box.request("POST", f"/api/sources/{id}/ask", {"prompt": "x"}, unix=False)
        assert answer.status in (401, 403), answer
        assert not up.of("/v1/chat/completions"), up.heard
        assert not box.history("&type=task_dispatch")


# --- cancelling ---------------------------------------------------------------------------


def is_cancelled(got):
    end = got[-1]
    return end["type"] == "completion" and end["payload"]["success"] is False


@test("cancel closes the connection upstream and ends the run once")
def _():
    with Upstream() as up, Box() as box:
        ids = {protocol: connected(box, up, protocol, credential="k") for protocol in BACK_ENDS}
        for how in ("slow", "silent"):
            for protocol, id in ids.items():
                before = len(up.heard)
                run = ask(box, id, how)
                eventually(lambda: len(up.heard) > before)
                if how == "slow":
                    until_words(box, run)
                eventually(lambda: can(box, run) == ["ui-interrupt", "cancel"])
                gone = len(up.closed)
                assert cancel(box, run).json() == {"ok": True, "run": run}
                eventually(lambda: len(up.closed) > gone)
                assert is_cancelled(until_end(box, run)), signals(box, run)
                assert cancel(box, run).status == 409
                eventually(lambda: can(box, run) == [])
                assert source_of(box, id)["state"] == "connected"
        assert cancel(box, "no-such-run").status == 404


@test("disconnecting, removing and stopping end what is under way")
def _():
    with Upstream() as up, Box() as box:
        runs = []
        for way in (("POST", "/disconnect"), ("DELETE", "")):
            id = connected(box, up)
            runs.append(ask(box, id, "slow"))
            until_words(box, runs[-1])
            assert box.request(way[0], f"/api/sources/{id}{way[1]}").status == 200
            assert is_cancelled(until_end(box, runs[-1])), signals(box, runs[-1])
        id = connected(box, up)
        runs.append(ask(box, id, "slow"))
        until_words(box, runs[-1])
        box.restart()
        assert is_cancelled(until_end(box, runs[-1])), signals(box, runs[-1])
        eventually(lambda: len(up.closed) == 3)


@test("a run that the end of the box cut off has one end after the restart")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        run = ask(box, id, "slow")
        until_words(box, run)
        box.emit({"type": "x"})  # what came before it is on the disk now
        box.kill9()
        box.start()
        end = until_end(box, run)[-1]
        assert end["type"] == "error" and end["payload"]["code"] == "cut", end
        assert end["source"] == id, end
        asked = [s for s in signals(box, run) if s["type"] == "task_dispatch"][0]
        assert end["payload"]["agentId"] == asked["payload"]["to"], end
        (row,) = [r for r in box.request("GET", "/api/crew").json()["members"] if r["run"] == run]
        assert row["state"]["name"] == "failed" and not row.get("agents"), row
        box.restart()
        until_state(box, id, "connected")
        ends = [s for s in signals(box, run) if s["type"] in ("completion", "error")]
        assert len(ends) == 1, ends


# --- the native dialect --------------------------------------------------------------------


@test("a native client asks, hears the answer and cancels")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        with WS(box, unix=True) as ws:
            assert "control" in ws.json()["scopes"]
            ws.send({"op": "subscribe", "types": ["text_delta", "completion"]})
            ws.send({"op": "ask", "source": id, "prompt": "slow", "ref": "r1"})
            ack = until_op(ws, "ack")
            assert ack["ref"] == "r1" and len(ack["run"]) == 36, ack
            while ws.json()["type"] != "text_delta":
                pass
            ws.send({"op": "cancel", "run": ack["run"], "ref": 2})
            end = None
            told = False
            while end is None or not told:
                message = ws.json()
                told = told or message.get("op") == "ack" and message["ref"] == 2
                end = message if message.get("type") == "completion" else end
            assert end["correlationId"] == ack["run"], end
            assert end["payload"]["success"] is False, end
            for op, code in (({"op": "ask", "source": "nobody", "prompt": "x"}, "invalid"),
                             ({"op": "ask", "source": id, "prompt": 7}, "invalid"),
                             ({"op": "cancel", "run": ack["run"]}, "unavailable"),
                             ({"op": "cancel", "run": "nothing"}, "invalid")):
                ws.send({**op, "ref": "bad"})
                error = until_op(ws, "error")
                assert error["code"] == code and error["ref"] == "bad", (op, error)
        with WS(box) as ws:
            ws.json()
            ws.send({"op": "ask", "source": id, "prompt": "x"})
            assert until_op(ws, "error")["code"] == "forbidden"


def until_op(ws, op):
    while (message := ws.json()).get("op") != op:
        pass
    return message


# --- the command line ------------------------------------------------------------------------


@test("signalbox ask prints the answer, and its exit code says how it ended")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up, name="talker")
        where = ("--data", box.data)
        done = cli("ask", "talker", "good", *where)
        assert (done.code, done.out, done.err) == (0, TEXT + "\n", ""), done
        done = cli("ask", id, "-", *where, input="good, from a pipe")
        assert (done.code, done.out) == (0, TEXT + "\n"), done
        assert up.heard[-1].json()["messages"][-1]["content"] == "good, from a pipe"
        done = cli("ask", id, "cut", "--model", "model-b", *where)
        assert done.code == 1 and done.out == "Hello\n" and "broke" in done.err, done
        assert up.heard[-1].json()["model"] == "model-b"
        done = cli("ask", id, "good", "--json", *where)
        lines = [json.loads(line) for line in done.out.splitlines()]
        assert done.code == 0 and lines[0]["type"] == "task_dispatch", done
        assert lines[-1]["type"] == "completion" and text_of(lines) == TEXT, done
        done = cli("ask", id, "tools", *where)
        assert done.code == 0 and "tool search" in done.err and "sky blue" in done.err, done
        done = cli("ask", id, "good", "--run", "mine & /2", *where)
        assert (done.code, done.out, done.err) == (0, TEXT + "\n", ""), done
        done = cli("ask", id, "good", "--run", "mine & /2", *where)
        assert done.code == 1 and "there is a run 'mine & /2' already" in done.err, done
        for wrong in (("ask", id), ("ask", "nobody", "x"), ("cancel", "nothing"), ("cancel",),
                      ("ask", id, "good", "--run", "")):
            done = cli(*wrong, *where)
            assert done.code in (1, 2) and done.err.startswith("signalbox: "), done


@test("on a terminal no control sequence of an answer acts")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        outer, inner = os.openpty()
        asked = subprocess.Popen([SIGNALBOX, "ask", id, "tools", "--data", str(box.data)],
                                 stdin=subprocess.DEVNULL, stdout=inner,
                                 stderr=subprocess.DEVNULL)
        assert asked.wait(PATIENCE_S) == 0
        os.close(inner)
        shown = os.read(outer, 4096).decode()
        os.close(outer)
        assert "\x1b" not in shown and "look\tit up." in shown, repr(shown)


@test("words are printed as they come, and Ctrl-C cancels the run")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        with Process("ask", id, "slow", "--data", box.data) as asked:
            eventually(lambda: read_some(asked) == b"Hello")
            gone = len(up.closed)
            assert asked.stop(signal.SIGINT) == 1, asked.err()
            eventually(lambda: len(up.closed) > gone)
            assert "cancelled" in asked.err(), asked.err()
        run = box.history("&type=task_dispatch")[0]["correlationId"]
        assert is_cancelled(until_end(box, run))


@test("signalbox cancel ends the run of another")
def _():
    with Upstream() as up, Box() as box:
        id = connected(box, up)
        with Process("ask", id, "slow", "--data", box.data) as asked:
            eventually(lambda: read_some(asked) == b"Hello")
            run = box.history("&type=task_dispatch")[0]["correlationId"]
            assert cli("cancel", run, "--data", box.data).code == 0
            assert asked.wait() == 1, asked.err()


def read_some(process):
    process.pending += process.process.stdout.read(4096) or b""
    return process.pending


run()
