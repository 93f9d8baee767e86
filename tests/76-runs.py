#!/usr/bin/env python3
"""Runs: what agents are at, folded from signals; the same after every restart."""

import json
from urllib.parse import quote

from lib import WS, Box, busy_s, cli, eventually, run, temp_dir, test
from screens import Pty

TELL = [
    ("task_dispatch", {"taskId": "t", "from": "me", "to": "ada", "description": "Sum up"}),
    ("agent_state_change", {"agentId": "ada", "from": "idle", "to": "thinking"}),
    ("thinking", {"agentId": "ada", "content": "hm"}),
    ("text_delta", {"agentId": "ada", "content": "Hel"}),
    ("text_delta", {"agentId": "ada", "content": "lo"}),
    ("tool_call", {"toolName": "ls", "agentId": "ada", "callId": "c", "input": {"path": "/"}}),
    ("tool_result", {"toolName": "ls", "agentId": "ada", "callId": "c", "success": True}),
    ("token_usage", {"agentId": "ada", "promptTokens": 30, "completionTokens": 7, "model": "m"}),
    ("completion", {"taskId": "t", "agentId": "ada", "success": True, "result": "Done."}),
]
EVENTS = ["llm/user-message", "llm/start", "runner/event-processed", "llm/delta", "llm/delta",
          "llm/delta", "llm/response", "llm/tool-result", "llm/response", "llm/worker-exit"]


def tell(box, run_id, signals=TELL):
    for kind, payload in signals:
        box.emit(kind, source="crew", correlationId=run_id, payload=payload)


def runs(box, query=""):
    answer = box.request("GET", f"/api/runs{query}")
    assert answer.status == 200, answer
    return answer.json()["runs"]


def run_of(box, run_id):
    answer = box.request("GET", f"/api/runs/{quote(run_id, safe='')}")
    return answer.json()["run"] if answer.status == 200 else None


def followed(box, run_id, signals):
    """The run, when all of its signals are folded."""
    return eventually(lambda: (r := run_of(box, run_id)) and r["signals"] == signals and r)


def transcript(box, run_id):
    answer = box.request("GET", f"/api/runs/{quote(run_id, safe='')}/transcript")
    assert answer.status == 200, answer
    assert answer.headers["content-type"] == "application/x-ndjson", answer
    return answer.text.splitlines()


@test("a run is folded from the signals of any source")
def _():
    with Box() as box:
        assert runs(box) == []
        tell(box, "one/run", TELL[:5])
        live = followed(box, "one/run", 5)
        assert live["source"] == "crew" and not live["finished"], live
        assert live["config"] == ["ada", "thinking"], live
        (ada,) = live["invocations"]
        assert ada["status"] == "streaming" and ada["invokeid"] == "ada", ada
        tell(box, "one/run", TELL[5:])
        done = followed(box, "one/run", len(TELL))
        (ada,) = done["invocations"]
        assert ada["status"] == "done" and ada["model"] == "m", ada
        assert done["frames"] == len(EVENTS), done
        box.emit("text_delta", source="lone", payload={"agentId": "x", "content": "y"})
        followed(box, "lone", 1)
        brief = runs(box)
        assert [r["id"] for r in brief] == ["lone", "one/run"], brief
        assert brief[0]["live"] == 1 and brief[1]["live"] == 0, brief
        assert [r["id"] for r in runs(box, "?limit=1")] == ["lone"]
        assert box.request("GET", "/api/status").json()["runs"]["known"] == 2
        assert box.request("GET", "/api/runs?limit=0").status == 400
        assert run_of(box, "nobody") is None


def messages(box, run_id, query=""):
    answer = box.request("GET", f"/api/runs/{quote(run_id, safe='')}/messages{query}")
    assert answer.status == 200, answer
    return answer.json()


@test("what a run has said is there whole, and the same after a restart")
def _():
    with Box() as box:
        tell(box, "one/run")
        said = messages(box, "one/run")
        got = [(m["role"], m["agent"], m.get("thought"), m["text"]) for m in said["messages"]]
        assert got == [("user", "ada", None, "Sum up"), ("assistant", "ada", "hm", "Hello"),
                       ("assistant", "ada", None, "Done.")], said
        (tool,) = said["messages"][1]["tools"]
        assert tool == {"name": "ls", "call": "c", "input": {"path": "/"}, "done": True,
                        "failed": False}, tool
        assert [said[k] for k in ("count", "more", "lost", "agents")] == [3, False, False, []], said
        assert messages(box, "one/run", "?limit=1&before=3")["messages"] == said["messages"][1:2]
        for query in ("?limit=0", "?before=x", "?x=1"):
            assert box.request("GET", f"/api/runs/one/messages{query}").status == 400, query
        assert box.request("GET", "/api/runs/nobody/messages").status == 404
        shown = cli("run", "show", "one/run", "--messages", "--data", box.data)
        assert shown.out == ("me to ada\n  Sum up\nada\n  (thinks) hm\n  Hello\n"
                             "  * ls {\"path\":\"/\"}\nada\n  Done.\n"), shown
        as_json = cli("run", "show", "one/run", "--messages", "--json", "--data", box.data)
        assert json.loads(as_json.out) == said, as_json
        box.restart()
        assert messages(box, "one/run") == said
        box.kill9()
        box.start()
        assert messages(box, "one/run") == said


@test("texts that were let go are read from the journal again, to the byte")
def _():
    with Box() as box:
        words = "Grüße 😀 " * 5000
        for n in range(30):
            for _ in range(8):
                box.emit("text_delta", source="crew", correlationId=f"r{n}",
                         payload={"agentId": "ada", "content": words})
            box.emit("tool_call", source="crew", correlationId=f"r{n}",
                     payload={"agentId": "ada", "toolName": "ls"})
        before = [messages(box, f"r{n}") for n in range(30)]
        assert all(m["messages"][0]["text"] == words * 8 for m in before)
        box.restart()
        # A checkpoint has room for some of them only.
        assert [messages(box, f"r{n}") for n in range(30)] == before


@test("a run knows its session and the others in it")
def _():
    with Box() as box:
        for run_id in ("r1", "r2"):
            box.emit("agent_state_change", source="claw", correlationId=run_id, payload={
                "agentId": "ada", "from": "idle", "to": "acting", "sessionKey": "agent:ada:main"})
        want = {"source": "claw", "key": "agent:ada:main", "runs": ["r1", "r2"]}
        assert messages(box, "r1")["session"] == want
        box.restart()
        assert messages(box, "r2")["session"] == want


@test("a transcript has every event once, numbered without holes")
def _():
    with Box() as box:
        tell(box, "r")
        tell(box, "other", TELL[:3])
        followed(box, "r", len(TELL))
        lines = [json.loads(line) for line in transcript(box, "r")]
        assert [e["event"] for e in lines] == EVENTS, lines
        assert [e["seq"] for e in lines] == list(range(1, len(EVENTS) + 1)), lines
        assert all("kind" not in e and e["data"]["session-id"] == "r" for e in lines), lines
        said = [b for b in lines[6]["data"]["content"]]
        assert said == [{"type": "text", "text": "Hello"},
                        {"type": "tool_use", "id": "c", "name": "ls", "input": {"path": "/"}}]
        assert lines[8]["data"]["usage"] == {"input-tokens": 30, "output-tokens": 7}
        assert box.request("GET", "/api/runs/nobody/transcript").status == 404


@test("runs and their numbers are the same after a stop and after a kill")
def _():
    for stop in (Box.stop, Box.kill9):
        with Box() as box:
            tell(box, "r", TELL[:4])
            tell(box, "s")
            before = followed(box, "r", 4), followed(box, "s", len(TELL))
            stop(box)
            box.start()
            assert (followed(box, "r", 4), followed(box, "s", len(TELL))) == before
            tell(box, "r", TELL[4:])
            after = followed(box, "r", len(TELL))
            assert after["frames"] == len(EVENTS), after
            numbers = [json.loads(line)["seq"] for line in transcript(box, "r")]
            assert numbers == list(range(1, len(EVENTS) + 1)), numbers


@test("a run has the prompts that are open in it")
def _():
    with Box() as box:
        box.emit("prompt", source="me", correlationId="r", payload={"type": "confirm"})
        box.emit("prompt", source="me", correlationId="s", payload={"type": "text"})
        followed(box, "r", 1)
        asked = box.request("GET", "/api/runs/r").json()["prompts"]
        assert [p["type"] for p in asked] == ["confirm"], asked
        answer = box.request("POST", f"/api/prompts/{asked[0]['id']}/answer", {"value": True})
        assert answer.status == 200, answer
        followed(box, "r", 2)  # nobody was there to be told
        assert box.request("GET", "/api/runs/r").json()["prompts"] == []
        events = [json.loads(line)["event"] for line in transcript(box, "r")]
        assert events == ["human-input/start", "human-input/answer"], events


@test("a long transcript is streamed while others are served")
def _():
    with Box() as box:
        count = 20000
        lines = "".join(json.dumps({"type": "text_delta", "source": "s", "correlationId": "r",
                                    "payload": {"agentId": "a", "content": "x" * 200}}) + "\n"
                        for _ in range(count))
        answer = box.request("POST", "/api/signal", lines,
                             headers={"Content-Type": "application/x-ndjson"})
        assert answer.json()["accepted"] == count, answer
        followed(box, "r", count)
        slow, began = box.http(), busy_s(box.pid)
        slow.send(b"GET /api/runs/r/transcript HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert box.request("GET", "/api/version").status == 200
        meanwhile = busy_s(box.pid) - began
        got = slow.answer().text.splitlines()
        assert meanwhile < (busy_s(box.pid) - began) / 2, "it came when most was made"
        slow.close()
        assert len(got) == count + 1, len(got)
        assert json.loads(got[-1])["seq"] == count + 1


def once_there(box, answer, path):
    """The answer, or a later one where it says that too much is to be folded for one request."""
    def ask_again():
        again = box.request("GET", path)
        return again if again.status != 503 else None

    if answer.status != 503:
        return answer
    assert answer.json()["code"] == "behind", answer
    return eventually(ask_again)


@test("after a flood a run is known whole, however far behind its fold is")
def _():
    with Box() as box:
        flood = "".join(json.dumps({"type": "text_delta", "source": "s", "correlationId": "flood",
                                    "payload": {"agentId": "a", "content": f"{n}"}}) + "\n"
                        for n in range(20000))
        for part in range(5):
            answer = box.request("POST", "/api/signal", flood,
                                 headers={"Content-Type": "application/x-ndjson"})
            assert answer.json()["accepted"] == 20000, answer
        tell(box, "late/run")
        paths = ["/api/runs/late%2Frun", "/api/runs?limit=1", "/api/runs/late%2Frun/transcript",
                 "/api/runs/never"]
        asked = [box.http() for _ in paths]
        for http, path in zip(asked, paths):
            http.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        one, all_, lines, never = [once_there(box, http.answer(), path)
                                   for http, path in zip(asked, paths)]
        assert one.json()["run"]["signals"] == len(TELL), one
        assert all_.json()["runs"][0]["id"] == "late/run", all_
        assert all_.json()["seq"] >= 100000 + len(TELL), all_
        assert [json.loads(line)["event"] for line in lines.text.splitlines()] == EVENTS, lines
        assert never.status == 404, never
        for http in asked:
            http.close()


@test("a run is known at once, whatever acknowledgement its signal had")
def _():
    with Box() as box:
        for n in range(30):
            http = box.http()
            body = json.dumps({"type": "text_delta", "source": "s", "correlationId": f"r{n}",
                               "payload": {"agentId": "a", "content": "x"}})
            http.send((f"POST /api/signal?ack=memory HTTP/1.1\r\nHost: localhost\r\n"
                       f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                       f"GET /api/runs/r{n} HTTP/1.1\r\nHost: localhost\r\n\r\n").encode())
            assert http.answer().status == 200
            assert http.answer().json()["run"]["signals"] == 1, n
            http.close()


@test("a long list of states holds nobody up")
def _():
    with Box() as box:
        for kind, name in (("runner/done", "final-config"), ("runner/start-config", "config"),
                           ("runner/event-processed", "config")):
            box.emit(kind, source="s", correlationId="long", payload={name: [[0]] * 180000})
        # Looked up by their places they would take minutes.
        assert run_of(box, "long")["signals"] == 3


@test("the command line lists runs, shows one and exports it")
def _():
    with Box() as box:
        on = ("--data", box.data)
        assert cli("run", "list", *on).out.strip() == "no sessions yet"
        tell(box, "r\x1b[31m")
        tell(box, "two", TELL[:4])
        followed(box, "two", 4)
        followed(box, "r\x1b[31m", len(TELL))
        listed = cli("run", "list", *on)
        assert listed.code == 0 and "ada-2" in listed.out and "\x1b" not in listed.out, listed
        assert {r["id"] for r in json.loads(cli("run", "list", "--json", *on).out)} == \
            {"two", "r\x1b[31m"}
        shown = cli("run", "show", "two", *on)
        assert shown.code == 0 and "ada" in shown.out and "streaming" in shown.out, shown
        assert json.loads(cli("run", "show", "two", "--json", *on).out)["id"] == "two"
        out = cli("run", "export", "two", *on)
        assert out.code == 0 and out.out.splitlines() == transcript(box, "two"), out
        path = temp_dir() / "transcript.jsonl"
        assert cli("run", "export", "two", "--out", path, *on).code == 0
        assert path.read_text() == out.out
        assert cli("run", "export", "nobody", *on).code == 1
        assert cli("run", "show", *on).code == 2
        went = cli("run", "--data", box.data, "--", "echo", "hi")  # and a command still runs
        assert went.code == 0 and went.out == "hi\n", went


@test("open-run says what it cannot open")
def _():
    empty = temp_dir()
    for path, words in (("", "is needed"), ("/nonexistent/x", "no such file or run"),
                        (empty, "transcript.jsonl")):
        result = cli("open-run", path)
        assert result.code != 0 and words in result.err, result
    (empty / "transcript.jsonl").write_text("")
    wrong = cli("open-run", empty, "--timing", "soon")
    assert wrong.code == 2 and "instant" in wrong.err, wrong


@test("a transcript that was exported can be opened again")
def _():
    with Box() as box:
        tell(box, "r")
        followed(box, "r", len(TELL))
        path = temp_dir() / "transcript.jsonl"
        assert cli("run", "export", "r", "--out", path, "--data", box.data).code == 0
    with Pty("open-run", path.parent, cols=120, rows=30) as terminal:
        terminal.shows(b"ada")
        terminal.send(b"q")
        assert terminal.ends() == 0


@test("a line of a transcript has no kind, however its agent wrote it")
def _():
    data = '"ts": 1, "event": "llm/delta", "data": {"invokeid": "a", "kind": "x"}'
    with Box() as box, WS(box, "/ws/run?role=agent&session=r", unix=True) as agent:
        for frame in (f'{{"kind":"event",{data}}}', f'{{ "kind" : "event" , {data}}}',
                      f'{{{data}, "seq": 3, "kind": "event" }}', f'{{{data}}}'):
            agent.send(frame)
        eventually(lambda: '"seq":4' in box.request("GET", "/api/runs/r/transcript").text)
        lines = box.request("GET", "/api/runs/r/transcript").text.splitlines()
        assert len(lines) == 4, lines
        for line in map(json.loads, lines):
            assert sorted(line) == ["data", "event", "seq", "ts"], line
            assert line["data"] == {"invokeid": "a", "kind": "x"}, line


run()
