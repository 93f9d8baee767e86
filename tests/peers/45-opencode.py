#!/usr/bin/env python3
"""A real server of opencode: its sessions, what it asks, what it spent, and its end."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from urllib.parse import quote
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from peers import END_S, folder
from lib import Box, eventually, run, temp_dir, test

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
         "prompt_tokens_details": {"cached_tokens": 30},
         "completion_tokens_details": {"reasoning_tokens": 7}}
CONFIG = {"name": "Fake", "limit": {"context": 1000, "output": 500},
          "cost": {"input": 1, "output": 2, "cache_read": 0.1}}

QUESTIONS = [{"question": "Which colour?", "header": "Colour",
              "options": [{"label": "Red", "description": "as fire"}, {"label": "Blue", "description": "as ice"}]},
             {"question": "Which tools?", "header": "Tools", "multiple": True,
              "options": [{"label": "awk", "description": "a"}, {"label": "sed", "description": "s"}]}]


def chunk(delta, finish=None):
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "fake-1",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def words(*pieces):
    return [chunk({"content": piece}) for piece in pieces] + [chunk({}, "stop")]


def tool(name, **given):
    call = {"index": 0, "id": f"call_{time.time_ns()}", "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)}}
    return [chunk({"role": "assistant", "content": None, "tool_calls": [call]}), chunk({}, "tool_calls")]


class Model:
    """Chat Completions with turns that were written before, by the words of the prompt."""

    def __init__(self, home):
        self.home = home
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.goes_on = threading.Event()

    def _handler(model):
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def event(self, data):
                data = data if isinstance(data, str) else json.dumps(data)
                self.wfile.write(f"data: {data}\n\n".encode())
                self.wfile.flush()

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                try:
                    for one in model.says(asked):
                        self.event(one)
                    self.event({**chunk({}), "choices": [], "usage": USAGE})
                    self.event("[DONE]")
                except OSError:
                    pass  # it was aborted

        return Handler

    def says(self, asked):
        if not asked.get("tools"):
            return words("Mend the till")
        last = max(i for i, m in enumerate(asked["messages"]) if m["role"] == "user")
        prompt = json.dumps(asked["messages"][last]["content"])
        turn = sum(m["role"] == "assistant" for m in asked["messages"][last:])
        if "SUB-JOB" in prompt:
            return words("sub ", "answer")
        if "LONG-JOB" in prompt:
            return self.long()
        if "ASK-JOB" in prompt and turn == 0:
            return tool("question", questions=QUESTIONS)
        if "ASK-JOB" in prompt:
            return words(json.dumps(asked["messages"][-1]["content"]))
        return self.work(turn) if "WORK-JOB" in prompt else words("All ", "done.")

    def long(self):
        yield chunk({"content": "one "})
        while not self.goes_on.wait(0.2):
            yield chunk({"content": "more "})
        yield from words("end")

    def work(self, turn):
        file = str(self.home / "project/till.txt")
        todos = [{"content": "find", "status": "completed", "priority": "high"},
                 {"content": "mend", "status": "in_progress", "priority": "high"}]
        turns = [lambda: [chunk({"reasoning_content": "Let me "}), chunk({"reasoning_content": "think."}),
                          *tool("todowrite", todos=todos)],
                 lambda: tool("write", filePath=file, content="1\n2\n3\n"),
                 lambda: tool("edit", filePath=file, oldString="2\n", newString="two\nzwei\n"),
                 lambda: tool("bash", command="echo ran > ran.txt; exit 3", description="fails"),
                 lambda: tool("task", description="look", prompt="SUB-JOB", subagent_type="general")]
        return turns[turn]() if turn < len(turns) else words("The till ", "is mended.")

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.goes_on.set()
        self.server.shutdown()
        self.server.server_close()


class Opencode:
    """`opencode serve` in a project of its own."""

    def __init__(self):
        self.home = temp_dir()
        self.model = Model(self.home)
        (self.home / "project").mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self.model.__enter__()
        (self.home / "project/opencode.json").write_text(json.dumps({
            "permission": {"bash": "ask", "edit": "allow"}, "model": "fake/fake-1",
            "small_model": "fake/fake-1", "provider": {"fake": {
                "npm": "@ai-sdk/openai-compatible", "models": {"fake-1": CONFIG},
                "options": {"baseURL": self.model.url, "apiKey": "x"}}}}))
        cpu = "arm64" if os.uname().machine == "aarch64" else "x64"
        program = folder(f"opencode-linux-{cpu}") / f"node_modules/opencode-linux-{cpu}/bin/opencode"
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(
            [str(program), "serve", "--port", str(self.port)], cwd=self.home / "project", env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        eventually(self.is_there, END_S)
        return self

    def is_there(self):
        try:  # what it accepts too early it never answers
            return self.call("GET", "/global/health", within=3)["healthy"]
        except OSError:
            return False

    def call(self, method, path, body=None, within=END_S):
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=within) as answer:
            return json.loads(answer.read() or b"null")

    def tell(self, session, prompt):
        self.call("POST", f"/session/{session}/prompt_async", {"parts": [{"type": "text", "text": prompt}]})

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        self.model.__exit__()


def watch(box, opencode):
    answer = box.request("POST", "/api/sources", {"id": "oc", "url": opencode.url, "protocol": "opencode"})
    assert answer.status == 201, answer
    eventually(lambda: state_of_source(box) == "connected", END_S)


def state_of_source(box):
    (source,) = [s for s in box.request("GET", "/api/sources").json()["sources"] if s["id"] == "oc"]
    return source["state"]


def members(box):
    return {m["id"]: m for m in box.request("GET", "/api/crew").json()["members"]}


def in_state(box, session, *names):
    def look():
        found = members(box).get(session)
        return found if found and found["state"]["name"] in names else None
    return eventually(look, END_S)


def signals(box, *types):
    return [s for s in box.history() if s["type"] in types]


def text_of(box):
    return "".join(s["payload"]["content"] for s in signals(box, "text_delta")
                   if "agent_id" not in s.get("metadata", {}))


def answer_prompt(box, value):
    (prompt,) = eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"], END_S)
    answer = box.request("POST", f"/api/prompts/{quote(prompt['id'], safe='')}/answer", {"value": value})
    assert answer.status == 200, answer
    return prompt


def ask(box, prompt, **more):
    def asked():
        answer = box.request("POST", "/api/sources/oc/ask", {"prompt": prompt, **more})
        return answer.json() if answer.status == 200 else None
    return eventually(asked, END_S)["run"]


def end_of(box, run):
    def ended():
        return [s for s in signals(box, "completion", "error") if s["correlationId"] == run]
    (end,) = eventually(ended, END_S)
    return end["payload"]


@test("a turn: who works where, plan, files, tools, a permission answered here, what it spent")
def _():
    with Opencode() as opencode, Box() as box:
        watch(box, opencode)
        session = opencode.call("POST", "/session", {})["id"]
        opencode.tell(session, "WORK-JOB")
        asks = in_state(box, session, "asks")
        assert asks["state"]["tool"] == "bash", asks["state"]
        prompt = answer_prompt(box, "once")
        assert "echo ran" in prompt["prompt"], prompt
        idle = in_state(box, session, "idle")
        assert (opencode.home / "project/ran.txt").read_text() == "ran\n"
        assert idle["project"] == "project" and idle["agent"] == "opencode", idle
        assert idle["version"] and idle["title"] == "Mend the till" and idle["model"] == "fake-1", idle
        assert idle["plan"]["done"] == 1 and idle["plan"]["total"] == 2, idle["plan"]
        assert (idle["changes"]["added"], idle["changes"]["removed"]) == (5, 1), idle["changes"]
        assert [a["state"]["name"] for a in idle["agents"]] == ["finished"], idle["agents"]
        assert text_of(box) == "The till is mended.", text_of(box)
        calls, results = signals(box, "tool_call"), signals(box, "tool_result")
        assert [s["payload"]["toolName"] for s in calls] == \
            ["todowrite", "write", "edit", "bash", "task"], calls
        assert [s["payload"]["success"] for s in results] == [True, True, True, False, True], results
        check_usage(box, opencode)


def check_usage(box, opencode):
    kept = opencode.call("GET", "/session")
    spent = [s["payload"] for s in signals(box, "token_usage")]
    for name, count in (("promptTokens", lambda t: t["input"]),
                        ("completionTokens", lambda t: t["output"] + t["reasoning"]),
                        ("cacheReadTokens", lambda t: t["cache"]["read"])):
        assert sum(s.get(name, 0) for s in spent) == sum(count(s["tokens"]) for s in kept), (name, kept)
    assert abs(sum(s["cost"] for s in spent) - sum(s["cost"] for s in kept)) < 1e-9
    total = box.request("GET", "/api/usage?by=model").json()["total"]
    assert total["input"] == sum(s["tokens"]["input"] for s in kept), (total, kept)


@test("what its tool asks is answered here, question by question, and its agent gets all answers")
def _():
    with Opencode() as opencode, Box() as box:
        watch(box, opencode)
        session = opencode.call("POST", "/session", {})["id"]
        opencode.tell(session, "ASK-JOB")
        in_state(box, session, "asks")
        assert answer_prompt(box, "Blue")["prompt"] == "Which colour?"
        eventually(lambda: [p["prompt"] for p in box.request("GET", "/api/prompts").json()["prompts"]]
                   == ["Which tools?"], END_S)
        answer_prompt(box, ["awk", "sed"])
        in_state(box, session, "idle")
        assert "Blue" in text_of(box) and "awk, sed" in text_of(box), text_of(box)
        assert opencode.call("GET", "/question") == []
        opencode.tell(session, "ASK-JOB")
        (asked,) = eventually(lambda: opencode.call("GET", "/question"), END_S)
        eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"], END_S)
        opencode.call("POST", f"/question/{asked['id']}/reply", {"answers": [["Red"], ["sed"]]})
        eventually(lambda: not box.request("GET", "/api/prompts").json()["prompts"], END_S)
        in_state(box, session, "idle")


@test("an ask has a session and one end; the next one goes on in it; one that is cancelled is aborted")
def _():
    with Opencode() as opencode, Box() as box:
        watch(box, opencode)
        first = ask(box, "say it")
        assert end_of(box, first) == {**end_of(box, first), "success": True, "result": "All done."}
        (session,) = [s["id"] for s in opencode.call("GET", "/session")]
        second = ask(box, "LONG-JOB", session=session)
        eventually(lambda: "more" in text_of(box), END_S)
        assert list(members(box)) == [session], members(box)
        answer = box.request("POST", f"/api/runs/{second}/cancel", {})
        assert answer.status in (200, 202), answer
        assert end_of(box, second)["success"] is False
        in_state(box, session, "idle")
        assert opencode.call("GET", "/session/status") == {}


@test("a box that was away tells the rest of a turn, and nothing twice; a server that is killed is gone")
def _():
    with Opencode() as opencode, Box() as box:
        watch(box, opencode)
        session = opencode.call("POST", "/session", {})["id"]
        opencode.tell(session, "LONG-JOB")
        eventually(lambda: "more" in text_of(box), END_S)
        box.stop()
        opencode.model.goes_on.set()
        eventually(lambda: opencode.call("GET", "/session/status") == {}, END_S)
        box.start()
        in_state(box, session, "idle")
        kept = opencode.call("GET", f"/session/{session}/message")[-1]["parts"]
        (whole,) = [p["text"] for p in kept if p["type"] == "text"]
        assert text_of(box) == whole, (text_of(box), whole)
        check_usage(box, opencode)
        opencode.model.goes_on.clear()
        opencode.tell(session, "LONG-JOB")
        in_state(box, session, "answering")
        opencode.kill()
        gone = in_state(box, session, "gone")
        assert gone["state"]["why"] == "opencode ended", gone


run()
