#!/usr/bin/env python3
"""Chats: a message of a person becomes a question to an agent, and its answer comes back once,
whatever happens on the way."""

import json
import os
import pty
import select
import signal
import threading
import time

from chats import (BEGUN, COLLECT, OWNER, RESTARTED, TEXT, asked, connected, ends, finished,
                   is_whole, lines, look, post, requests, said, says, screen, settings, write)
from lib import PATIENCE_S, SLOW, SIGNALBOX, cli, eventually, run, test
from servers import LONG, WORDS, Upstream

# --- messages by the API --------------------------------------------------------------


@test("a message goes through the eight stages and its answer is delivered")
def _():
    with Upstream() as up, settings(up) as box:
        connected(box)
        id = post(box, "good day", agent="model")
        assert any(s["payload"]["request"] == id for s in box.history("&type=nex.received"))
        got = finished(box, id)
        assert got["status"] == "completed" and got["response"]["content"] == TEXT, got
        assert [t["stage"] for t in got["pipeline"]] == [
            "receiveEvent", "resolveIdentity", "resolveAccess", "runAutomations",
            "assembleContext", "runAgent", "deliverResponse", "finalize"], got
        assert got["principal"]["type"] == "owner" and got["agent"]["turn_id"] == id, got
        assert got["delivery"]["available_channels"] == ["desk", "terminal"], got
        assert got["access"]["permissions"] == {
            "answer": True, "tools": {"allow": ["*"], "deny": []}, "credentials": [],
            "data_access": "full"}, got
        assert got["access"]["routing"]["persona"] == got["agent"]["persona_id"] == "model", got
        assert got["agent"]["model"] == "model-a" and "parent_turn_id" not in got["agent"], got
        assert got["event"]["metadata"] == {"mentioned": False}, got
        assert got["principal"]["source"] == "credential", got
        words = len(WORDS)
        assert got["response"]["usage"] == {"input_tokens": 7, "output_tokens": words,
                                            "total_tokens": 7 + words}, got
        assert got["response"]["stop_reason"] == "end_turn", got
        next = finished(box, post(box, "good day", agent="model"))
        assert next["agent"]["parent_turn_id"] == id, next
        assert got["response"]["tool_calls"] == [], got
        kinds = [s["type"] for s in box.history("&type=nex.received,nex.request,delivery.*")]
        assert kinds == 2 * ["nex.received", "delivery.prepared", "delivery.started",
                             "delivery.accepted", "delivery.delivered", "nex.request"], kinds
        letters = box.request("GET", "/api/deliveries").json()["deliveries"]
        assert [x["state"] for x in letters] == 2 * ["delivered"], letters
        assert box.request("GET", "/api/messages/none").status == 404


@test("messages by the API that come at once are asked each by itself")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        texts = [f"good day {n}" for n in range(6)]
        answers = []

        def send(n):
            answers.append(box.request("POST", "/api/messages", {
                "text": texts[n], "channel": "desk", "peer": "ada", "agent": "model",
                "session": f"s{n}"}).json()["id"])

        threads = [threading.Thread(target=send, args=(n,)) for n in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert len(set(answers)) == len(texts), answers
        eventually(lambda: len(requests(box)) == len(texts))
        assert sorted((r["event"]["content"], r["agent"]["session_label"])
                      for r in requests(box)) == [(t, f"s{n}") for n, t in enumerate(texts)]


@test("why a run ended is told: its tokens were used up, or its time was")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        for number, (kind, payload, metadata, want) in enumerate((
                ("completion", {"success": True}, {"stopReason": "max_tokens"}, "max_tokens"),
                ("error", {"message": "late", "code": "timeout", "severity": "error"}, {},
                 "timeout"))):
            run = asked(box, up, id=f"m{number}")
            box.emit("token_usage", source="model", correlationId=run, payload={
                "agentId": "model", "promptTokens": 3, "completionTokens": 2,
                "model": "acme/model-b", "contextWindow": 1000})
            box.emit(kind, source="model", correlationId=run, metadata=metadata,
                     payload={"agentId": "model", "taskId": run, **payload})
            got = finished(box, run)
            assert got["response"]["stop_reason"] == want, got
            assert got["agent"]["model"] == "model-b" and got["agent"]["provider"] == "acme", got
            assert got["agent"]["token_budget"] == {"context_window": 1000}, got
            assert got["response"]["usage"]["total_tokens"] == 5, got
            assert got["principal"]["entity_id"] == "Ada", got
            assert got["principal"]["source"] == "people", got


@test("what makes no sense is refused with words")
def _():
    with Upstream() as up, settings(up) as box:
        for body in ({}, {"text": ""}, {"text": 1}, {"text": "a", "colour": "b"},
                     {"text": "a", "channel": "carrier-pigeon"}):
            assert box.request("POST", "/api/messages", body).status == 400, body
        assert box.request("GET", "/api/deliveries?state=lost").status == 400
        assert box.request("POST", "/api/deliveries/x/retry").status == 409
        id = post(box, "hello")
        got = finished(box, id)
        assert got["status"] == "failed" and "no agent" in got["response"]["error"], got
        got = finished(box, post(box, "hello", agent="nobody"))
        assert got["status"] == "failed", got


# --- files ------------------------------------------------------------------------------


@test("a line of the inbox is answered by a line of the outbox, and typing is shown")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        write(box, "gated please", id="m1")
        eventually(lambda: {"typing": True, "peer": "ada"} in lines(box))
        up.gate.set()
        eventually(lambda: said(box) == [TEXT])
        line = [x for x in lines(box) if "text" in x][0]
        assert line["peer"] == "ada" and line["replyTo"] == "m1", line
        eventually(lambda: requests(box))
        assert requests(box)[0]["delivery_result"]["message_ids"] == [line["id"]]


@test("a reply begins with the words of its chat, which name the agent and its model")
def _():
    prefix = "    response_prefix: '[{identity.name} {model} {modelFull} {thinkingLevel}]'\n"
    with Upstream() as up, settings(up, OWNER, adapter=prefix) as box:
        connected(box)
        write(box, "good day", id="m1")
        eventually(lambda: said(box) == [f"[model model-a openai/model-a {{thinkingLevel}}] {TEXT}"])


@test("a heartbeat shows no typing, and its words are for nobody")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        run = asked(box, up)
        box.emit("agent_state_change", source="model", correlationId=run,
                 metadata={"_meta": {"heartbeat": True}},
                 payload={"agentId": "model", "from": "idle", "to": "acting"})
        eventually(lambda: lines(box) and lines(box)[-1] == {"typing": False, "peer": "ada"})
        says(box, run, " HEARTBEAT_OK")
        box.emit("completion", source="model", correlationId=run,
                 payload={"agentId": "model", "taskId": run, "success": True})
        got = finished(box, run)
        assert got["status"] == "completed" and not said(box), got


@test("the same message again is not answered again, nor after a restart")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        write(box, "good day", id="m1")
        eventually(lambda: len(requests(box)) == 1)
        write(box, "good day", id="m1")
        write(box, "another", id="m2")
        eventually(lambda: len(requests(box)) == 2)
        box.kill9()
        box.start()
        connected(box)
        write(box, "another", id="m2")
        write(box, "a third", id="m3")
        eventually(lambda: len(requests(box)) == 3)
        assert said(box) == [TEXT] * 3, said(box)


@test("texts that follow each other quickly are one question")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 1s}\n") as box:
        connected(box)
        with open(box.inbox, "a", encoding="utf-8") as file:
            for i, text in enumerate(("one", "two", "three")):
                file.write(json.dumps({"id": str(i), "from": "ada", "text": text}) + "\n")
        eventually(lambda: requests(box))
        assert requests(box)[0]["event"]["content"] == "one\ntwo\nthree", requests(box)
        assert len(box.history("&type=nex.received")) == 3 and said(box) == [TEXT]


@test("who does not stop writing is answered all the same, and a question is no longer than a message")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 2s}\n") as box:
        connected(box)
        end, number = time.monotonic() + 60 * SLOW, 0
        while not up.of("/v1/chat/completions"):
            assert time.monotonic() < end, "it waits for the last word"
            write(box, f"word {number}")
            number += 1
            time.sleep(0.2)
        first = json.loads(up.of("/v1/chat/completions")[0].body)["messages"][-1]["content"]
        assert first.startswith("word 0\nword 1\n"), first
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 2s}\n") as box:
        connected(box)
        halves = ["x" * 140_000, "y" * 140_000, "z"]
        with open(box.inbox, "a", encoding="utf-8") as file:
            for i, text in enumerate(halves):
                file.write(json.dumps({"id": str(i), "from": "ada", "text": text}) + "\n")
        eventually(lambda: len(requests(box)) == 2)
        got = [json.loads(a.body)["messages"][-1]["content"] for a in up.of("/v1/chat/completions")]
        assert got == [halves[0], "\n".join(halves[1:])], [len(x) for x in got]


@test("owners are let in and nobody else, unless a policy says so")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        write(box, "let me in", sender="eve", peer="room", kind="group")
        got = eventually(lambda: requests(box))[0]
        assert got["status"] == "denied" and got["principal"]["type"] == "unknown", got
        assert said(box) == [] and not up.of("/v1/chat/completions")
    policies = ("access: [{who: unknown, peer: group, mention: true, decision: allow, rate: 1},"
                " {who: eve, decision: deny}]\n")
    with Upstream() as up, settings(up, policies + "deliver: {gather: 0}\n") as box:
        connected(box)
        write(box, "hello", sender="eve")
        write(box, "hello", sender="eve", peer="room", kind="group")
        write(box, "hello", sender="eve", peer="room", kind="group", mentioned=True)
        eventually(lambda: len(requests(box)) == 3)
        write(box, "again", sender="eve", peer="room", kind="group", mentioned=True)
        eventually(lambda: len(requests(box)) == 4)
        got = sorted((r["delivery"]["peer_id"], r["status"]) for r in requests(box))
        assert got == [("eve", "denied"), ("room", "completed"), ("room", "denied"),
                       ("room", "denied")], got
        assert any(r["access"]["rate_limited"] for r in requests(box))


@test("a reply in blocks comes piece by piece, and the final has only what is left")
def _():
    blocks = "mode: blocks, coalescing: {idle_ms: 200}"
    with Upstream() as up, settings(up, OWNER, streaming=blocks) as box:
        connected(box)
        write(box, "gated please")
        eventually(lambda: said(box))
        up.gate.set()
        eventually(lambda: requests(box))
        pieces = said(box)
        assert len(pieces) > 1 and "".join("".join(pieces).split()) == "".join(TEXT.split()), pieces
        assert requests(box)[0]["delivery_result"]["streamed"] is True


def uses(box, run, tool, call, input, output, success=True):
    """The agent of this run calls a tool, which is done at once."""
    box.emit("tool_call", source="model", correlationId=run, payload={
        "agentId": "model", "toolName": tool, "callId": call, "input": input})
    box.emit("tool_result", source="model", correlationId=run, payload={
        "agentId": "model", "toolName": tool, "callId": call, "success": success,
        "output": output})


@test("what tools did is told where that is wished, in its order, and nowhere else")
def _():
    edits = "mode: draft_edit"
    for streaming, source, wish in (
            (edits, "", []), (f"{edits}, tool_results: on", ", tool_results: off", []),
            (f"{edits}, tool_results: on", "", ["Read: notes.txt", "Bash: make (failed)"]),
            ("mode: blocks", ", tool_results: full",
             ["Read: notes.txt\none\ntwo", "Bash: make (failed)\nno rule"]),
            ("mode: accumulate, tool_results: on", "", ["Read: notes.txt", "Bash: make (failed)"])):
        with Upstream() as up, settings(up, OWNER, streaming=streaming, source=source) as box:
            connected(box)
            run = asked(box, up)
            says(box, run, " first.")
            uses(box, run, "Read", "c1", {"limit": 2, "path": "notes.txt"}, "one\ntwo\n")
            says(box, run, "Second.")
            uses(box, run, "Bash", "c2", {"command": "make"}, "no rule", success=False)
            says(box, run, "Third.")
            ends(box, run)
            got = finished(box, run)
            texts = [BEGUN + " first.", "Second.", "Third."]
            if not wish or "accumulate" in streaming:
                want = wish + ["\n\n".join(texts)]
            else:
                want = [texts[0], wish[0], texts[1], wish[1], texts[2]]
            assert screen(box) == want, (screen(box), want)
            assert got["status"] == "completed", got
            kinds = [x["kind"] for x in box.request("GET", "/api/deliveries").json()["deliveries"]]
            assert kinds.count("tool") == len(wish), kinds
            assert got["response"]["tool_calls"] == [{"name": "Read"}, {"name": "Bash"}], got


@test("what a tool did is sent once over kill -9, and is no answer")
def _():
    with Upstream() as up, settings(up, OWNER, streaming="mode: blocks, tool_results: on") as box:
        connected(box)
        run = asked(box, up)
        uses(box, run, "Read", "c1", {"path": "notes.txt"}, "one")
        eventually(lambda: "Read: notes.txt" in said(box))
        box.kill9()
        box.start()
        eventually(lambda: RESTARTED in said(box))
        assert said(box).count("Read: notes.txt") == 1, said(box)


@test("what an agent says of the pause between blocks holds over the words of its chat")
def _():
    blocks = ("mode: blocks, coalescing: {idle_ms: 200},"
              " human_delay: {mode: custom, min_ms: 600000, max_ms: 600000}")
    with Upstream() as up, settings(up, OWNER, streaming=blocks,
                                    source=", human_delay: {mode: off}") as box:
        connected(box)
        write(box, "gated please")
        eventually(lambda: said(box))
        up.gate.set()
        eventually(lambda: requests(box))
        assert len(said(box)) > 1, said(box)


@test("/help, /status, /stop and /new are answered by the box")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        write(box, "/help")
        eventually(lambda: any("/stop ends" in t for t in said(box)))
        write(box, "slow please")
        eventually(lambda: up.of("/v1/chat/completions"))
        write(box, "/status")
        eventually(lambda: any("it works" in t for t in said(box)))
        write(box, "/stop")
        eventually(lambda: "Stopped." in said(box))
        eventually(lambda: any(r["status"] == "failed" for r in requests(box)))
        write(box, "/new")
        eventually(lambda: any("new session" in t for t in said(box)))
        write(box, "good day")
        last = eventually(lambda: (r := requests(box))[-1]["status"] == "completed" and r[-1])
        assert TEXT in said(box)
        assert last["agent"]["session_label"] == "file:desk:ada#2", last
        handled = [r["triggers"]["handled_by"] for r in requests(box)
                   if r["status"] == "handled_by_automation"]
        assert handled == ["/help", "/status", "/stop", "/new"], handled


@test("who stops an agent in the middle is told so, and not that it failed")
def _():
    for mode in ("mode: blocks, coalescing: {idle_ms: 100}", "mode: draft_edit"):
        with Upstream() as up, settings(up, OWNER, streaming=mode) as box:
            connected(box)
            id = asked(box, up)
            box.emit("tool_call", source="model", correlationId=id,
                     payload={"agentId": "model", "toolName": "Read", "callId": "c"})
            assert (now := look(box, id))["status"] == "processing", now
            assert now["stage"] == "runAgent" and "response" not in now, now
            says(box, id, " and much more of it, so that some of it is sent.")
            eventually(lambda: said(box))
            write(box, "/stop")
            got = finished(box, id)
            assert got["response"]["stop_reason"] == "aborted", got
            assert got["response"]["tool_calls"] == [{"name": "Read"}], got
            assert got["principal"]["identities"] == ["file:ada"], got
            assert got["pipeline"][5]["exit_reason"] == "it was stopped", got
            eventually(lambda: len(requests(box)) == 2)
            assert "Stopped." in said(box)
            assert not any("Sorry" in line.get("text", "") for line in lines(box)), lines(box)


@test("a message that comes while the agent works waits, or interrupts it")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 0}\n") as box:
        connected(box)
        write(box, "gated one")
        eventually(lambda: len(up.of("/v1/chat/completions")) == 1)
        write(box, "two")
        eventually(lambda: len(box.history("&type=nex.received")) == 2)
        time.sleep(0.3)
        assert len(up.of("/v1/chat/completions")) == 1
        up.gate.set()
        eventually(lambda: said(box) == [TEXT, TEXT])
    quick = OWNER + "access: [{who: owner, decision: allow, queue: interrupt}]\n"
    with Upstream() as up, settings(up, quick) as box:
        connected(box)
        write(box, "slow one")
        eventually(lambda: len(up.of("/v1/chat/completions")) == 1)
        write(box, "two")
        eventually(lambda: said(box) == [TEXT])
        eventually(lambda: sorted(r["status"] for r in requests(box)) == ["completed", "failed"])


def prompts(up):
    return [r.json()["messages"][-1]["content"] for r in up.of("/v1/chat/completions")]


def collected(box, up):
    """A question that is worked on, and three that came meanwhile."""
    write(box, "gated one")
    eventually(lambda: len(up.of("/v1/chat/completions")) == 1)
    for text in ("two", "three", "four"):
        write(box, text)
    eventually(lambda: len(box.history("&type=nex.received")) == 4)


@test("what comes while the agent works is collected into one question")
def _():
    with Upstream() as up, settings(up, COLLECT) as box:
        connected(box)
        collected(box, up)
        write(box, "elsewhere", peer="room")
        eventually(lambda: len(up.of("/v1/chat/completions")) == 2)
        up.gate.set()
        ended = eventually(lambda: len(requests(box)) == 5 and requests(box))
        assert prompts(up) == ["gated one", "elsewhere", "two\nthree\nfour"], prompts(up)
        assert said(box) == [TEXT] * 3, said(box)
        into = [r for r in ended if "collected_into" in r]
        assert [r["event"]["content"] for r in into] == ["three", "four"], into
        two = next(r for r in ended if r["event"]["content"] == "two\nthree\nfour")
        assert {r["collected_into"] for r in into} == {two["request_id"]}
        assert all(r["status"] == "completed" for r in ended), ended


@test("what was collected outlives kill -9, once")
def _():
    with Upstream() as up, settings(up, COLLECT) as box:
        connected(box)
        collected(box, up)
        up.gate.set()
        eventually(lambda: len(up.of("/v1/chat/completions")) == 2)
        box.emit("what.was.before", source="test")  # the disk has it when this is answered
        box.kill9()
        box.start()
        connected(box)
        eventually(lambda: len(requests(box)) == 4)
        assert len(box.history("&type=nex.received")) == 4
        assert prompts(up)[1] == "two\nthree\nfour" and len(prompts(up)) == 2, prompts(up)
        assert len(said(box)) == 2 and set(said(box)) <= {TEXT, RESTARTED}, said(box)
    with Upstream() as up, settings(up, COLLECT) as box:
        connected(box)
        collected(box, up)
        box.kill9()
        up.gate.set()
        box.start()
        connected(box)
        eventually(lambda: len(requests(box)) == 4)
        asked = "\n".join(prompts(up)[1:]).split("\n")
        assert asked == ["two", "three", "four"], prompts(up)


@test("what is no message is passed over, and says so in the log")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        with open(box.inbox, "ab") as file:
            file.write(b'\xff\xfe\n{"from":"ada"}\n[1]\n{"from":1,"text":"x"}\n\n')
            file.write(b'{"from":"ada","text":"' + b"x" * 2_000_000 + b'"}\n')
        write(box, "good day")
        eventually(lambda: said(box) == [TEXT])
        assert "is no message" in box.log() and "longer than 1 MiB" in box.log()


@test("an outbox that cannot be written to is waited for")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        (box.data / "out.ndjson").unlink(missing_ok=True)
        box.stop()
        (box.data / "out.ndjson").mkdir()
        box.start()
        connected(box)
        write(box, "good day")
        letters = lambda: box.request("GET", "/api/deliveries").json()["deliveries"]
        assert "is not open" in box.log(), box.log()
        id = post(box, "good day", channel="desk", agent="model", peer="ada")
        eventually(lambda: any(x["state"] == "queued" and x["request"] == id for x in letters()))
        assert "queued" in cli("deliveries", "--data", str(box.data)).out
        (box.data / "out.ndjson").rmdir()
        eventually(lambda: said(box) == [TEXT, TEXT], within=2 * PATIENCE_S)


# --- crashes ------------------------------------------------------------------------------


@test("a question whose run a crash ended is answered, and what was not asked yet is asked")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 1s}\n") as box:
        connected(box)
        write(box, "slow please")
        eventually(lambda: up.of("/v1/chat/completions"))
        write(box, "good day", sender="ada", peer="elsewhere")
        eventually(lambda: len(box.history("&type=nex.received")) == 2)
        box.kill9()
        box.start()
        eventually(lambda: RESTARTED in said(box))
        eventually(lambda: len(requests(box)) == 2)
        ended = next(r for r in requests(box) if r["status"] == "failed")
        assert ended["delivery"]["peer_id"] == "ada", ended
        assert len(said(box)) == len(set(x["id"] for x in lines(box) if "id" in x)) == 2, lines(box)


@test("what a crash left of a long line is taken away")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        box.stop()
        out = box.data / "out.ndjson"
        whole = '{"id":"1","peer":"ada","text":"good day"}\n'
        out.write_text(whole + '{"id":"2","peer":"ada","text":"' + "\\u0001" * 100_000)
        box.start()
        connected(box)
        assert out.read_text() == whole, len(out.read_text())


@test("a clean stop in the middle of a run is told, too")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        write(box, "slow please")
        eventually(lambda: up.of("/v1/chat/completions"))
        box.restart()
        eventually(lambda: said(box) == [RESTARTED])


@test("with on_restart: again it is asked again")
def _():
    with Upstream() as up, settings(up, OWNER, "    on_restart: again\n") as box:
        connected(box)
        write(box, "gated please")
        eventually(lambda: up.of("/v1/chat/completions"))
        box.kill9()
        up.gate.set()
        box.start()
        eventually(lambda: said(box) == [TEXT], within=2 * PATIENCE_S)


@test("whenever it is killed, every message has one answer")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 0}\n",
                                    streaming="mode: blocks") as box:
        connected(box)
        rounds = 50 if SLOW == 1 else 10
        for i in range(rounds):
            box.kill9()
            word = "long please" if i % 2 else "good day"
            write(box, word, id=f"m{i}", peer=f"p{i}")  # a start reads it at once
            box.start()
            time.sleep(0.012 * (i % 13) * (1 + i % 2))
        connected(box)
        eventually(lambda: len(requests(box)) == rounds, within=2 * PATIENCE_S)
        ids = [x["id"] for x in lines(box) if "id" in x]
        assert len(ids) == len(set(ids)), ids
        peers = [x["peer"] for x in lines(box) if "text" in x]
        told = {r["delivery"]["peer_id"] for r in requests(box) if r["status"] == "completed"}
        for i in range(rounds):
            answers = [x["text"] for x in lines(box) if x.get("peer") == f"p{i}" and "text" in x]
            good = is_whole(answers, LONG if i % 2 else TEXT)
            assert good or (not answers and f"p{i}" not in told), (i, answers, requests(box))
        assert len(set(peers)) >= rounds // 2, peers


# --- the terminal --------------------------------------------------------------------------


def chat(box, input, *words):
    return cli("chat", "--data", str(box.data), *words, input=input)


@test("signalbox chat prints the reply, answers commands, and says what went wrong")
def _():
    with Upstream() as up, settings(up) as box:
        connected(box)
        got = chat(box, "good day\n/help\n", "model")
        assert got.code == 0 and TEXT in got.out and "/stop ends" in got.out, got
        got = chat(box, "hello\n", "nobody")
        assert got.code == 1 and "nobody" in got.err, got
        got = chat(box, "good day\n")
        assert TEXT in got.out, got  # the only one that can be asked
        assert "typing" not in got.out + got.err, got


class Terminal:
    """`signalbox chat` as a person sees it."""

    def __init__(self, box):
        self.shown = ""
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(SIGNALBOX, [SIGNALBOX, "chat", "--data", str(box.data), "model"])
        self.pid = pid

    def shows(self, words):
        while select.select([self.fd], [], [], 0)[0]:
            try:
                self.shown += os.read(self.fd, 4096).decode()
            except OSError:
                break
        return words in self.shown

    def write(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


@test("on a terminal it shows that the agent types, until its first words and never behind them")
def _():
    with Upstream() as up, settings(up) as box:
        connected(box)
        screen = Terminal(box)
        try:
            eventually(lambda: screen.shows("> "))
            screen.write("good day\n")
            eventually(lambda: screen.shows("typing ..."))
            eventually(lambda: screen.shows(TEXT))
            eventually(lambda: screen.shown.count("> ") == 2 or screen.shows("\n> "))
            before, _, after = screen.shown.partition("typing ...")
            assert after.startswith("\r" + " " * 10 + "\r"), screen.shown
            assert "typing" not in after, screen.shown
            said = [s["payload"]["typing"] for s in box.history("&type=nex.typing")]
            assert said[0] is True and said[-1] is False and said.count(False) == 1, said
        finally:
            screen.close()


run()
