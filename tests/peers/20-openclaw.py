#!/usr/bin/env python3
"""OpenClaw's gateway as people have it: 2026.9.6 (protocol 4) and 2026.2.3 (protocol 3).

Its model is shared/peers/fake-openai.mjs: USETOOL in a question makes it call `exec`, which the
gateway asks about; SLOW makes it speak slowly.
"""

import atexit
import contextlib
import json
import os
import socket
import subprocess
import time

from peers import LAB, folder, node24, script  # first: it enters a network of its own
from gateway import ENDS, add, ask, of_run, sources, text_of
from lib import Box, eventually, run, temp_dir, test

TOKEN = "test-token-0123456789abcdef"
START_S = 240  # a gateway makes its databases first
PORT, MODEL_PORT = 18789, 18999


class OpenClaw:
    """A gateway of its own HOME, and its model."""

    url, token = f"ws://127.0.0.1:{PORT}", TOKEN

    def __init__(self, version):
        self.version = version
        self.program = folder(f"oc-{version}") / "node_modules/openclaw/openclaw.mjs"
        self.home = temp_dir()
        (self.home / "ws").mkdir()
        (self.home / ".openclaw").mkdir()
        (self.home / ".openclaw/openclaw.json").write_text(json.dumps(self.config()))
        self.processes = {}

    def config(self):
        model = {"id": "fake-1", "name": "Fake", "reasoning": False, "input": ["text"],
                 "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
                 "contextWindow": 128000, "maxTokens": 4096}
        return {
            "update": {"checkOnStart": False},
            "gateway": {"mode": "local", "bind": "loopback", "port": PORT,
                        "auth": {"mode": "token", "token": TOKEN}},
            "tools": {"exec": {"host": "gateway", "security": "allowlist", "ask": "on-miss"}},
            "agents": {"defaults": {"workspace": str(self.home / "ws"),
                                    "model": {"primary": "fake/fake-1"},
                                    "models": {"fake/fake-1": {"alias": "Fake"}}}},
            "models": {"mode": "merge", "providers": {"fake": {
                "baseUrl": f"http://127.0.0.1:{MODEL_PORT}/v1", "apiKey": "fake-local",
                "api": "openai-completions", "models": [model]}}}}

    def env(self):
        quiet = ("NO_RESPAWN", "DISABLE_BONJOUR", "SKIP_CHANNELS", "SKIP_UPDATE_CHECK",
                 "SKIP_BROWSER_CONTROL_SERVER", "SKIP_CANVAS_HOST")
        return {"HOME": str(self.home), "PATH": f"{os.path.dirname(node24())}:{os.environ['PATH']}",
                "LAB": str(LAB), **{f"OPENCLAW_{name}": "1" for name in quiet}}

    def spawn(self, name, *words):
        with open(self.home / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [node24(), *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env())

    def start(self):
        self.spawn("gateway", str(self.program), "gateway", "run", "--port", str(PORT), "--bind",
                   "loopback", "--auth", "token", "--token", TOKEN)

    def listens(self):
        def is_open():
            with socket.socket() as sock:
                return sock.connect_ex(("127.0.0.1", PORT)) == 0
        late(is_open)

    def kill(self):
        self.processes["gateway"].kill()
        self.processes["gateway"].wait()

    def other_client(self, session, message, run, **more):
        """Somebody else asks; a device of its own."""
        env = {**self.env(), "URL": self.url, "TOKEN": TOKEN, "OUT": str(self.home / f"{run}.jsonl"),
               "PROTO": "4" if self.version == "latest" else "3", "HOLD_MS": "60000",
               "DEVICE": "v3" if self.version == "latest" else "v2", "MAX_MS": "90000",
               "DEVICE_KEY": str(self.home / "other.pem"), "ACTIONS": json.dumps([
                   {"method": "chat.send", "params": {"sessionKey": session, "message": message,
                                                      "idempotencyKey": run}}]), **more}
        self.processes[run] = subprocess.Popen([node24(), script("probe.mjs")], env=env,
                                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL)

    def end(self, *but):
        for name in [n for n in self.processes if n not in but]:
            process = self.processes.pop(name)
            process.kill()
            process.wait()


@contextlib.contextmanager
def openclaw(version):
    """The gateway of this version, whose tests share it: it takes long to start.  Whoever else a
    test had speak with it is gone afterwards."""
    for other in [v for v in running if v != version]:
        running.pop(other).end()
    gateway = running.get(version)
    if not gateway:
        gateway = running[version] = OpenClaw(version)
        gateway.spawn("model", script("fake-openai.mjs"), str(MODEL_PORT))
        gateway.start()
    try:
        yield gateway
    except BaseException:
        running.pop(version).end()  # nobody knows what it is at
        raise
    gateway.end("model", "gateway")


running = {}
atexit.register(lambda: [gateway.end() for gateway in running.values()])


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def late(check):
    return eventually(check, within=START_S, every=0.2)


def meet(box, gateway):
    """Connects, however long the gateway takes to start."""
    gateway.listens()
    add(box, gateway)
    late(lambda: sources(box)["claw"]["state"] == "connected")
    return sources(box)["claw"]


def decide(box, prompt, value):
    answer = box.request("POST", f"/api/prompts/{prompt['id']}/answer", {"value": value})
    assert answer.status == 200, answer


def ends(box, id):
    late(lambda: any(s["type"] in ENDS for s in of_run(box, id)))
    return [s for s in of_run(box, id) if s["type"] in ENDS]


def an_approval_is_asked_and_decided(version):
    with openclaw(version) as gateway, Box() as box:
        source = meet(box, gateway)
        assert source["meta"]["scopes"] == [
            "operator.read", "operator.write", "operator.approvals", "operator.questions"], source
        for value, words in (("allow-once", "allow-once"), ("deny", "deny")):
            run = ask(box, "USETOOL please", session=f"ask-{value}")["run"]
            prompt = late(lambda: [p for p in prompts(box)])[0]
            assert prompt["prompt"].startswith("exec: echo tool-ran\n"), prompt
            assert {"allow-once", "deny"} <= {o["value"] for o in prompt["options"]}, prompt
            decide(box, prompt, value)
            decided = late(lambda: [s for s in box.history("&type=agent_state_change")
                                    if s["payload"]["to"] == "acting"
                                    and s.get("metadata", {}).get("approval", {}).get("decision") == value])
            assert decided, words
            assert [e["type"] for e in ends(box, run)] == ["completion"]
        assert not prompts(box)


@test("an approval of 2026.9.6 is asked on our screens, and our decision is the gateway's")
def _():
    an_approval_is_asked_and_decided("latest")


@test("a gateway that is killed in the middle of a run and started again: one end, one gap, no word twice")
def _():
    with openclaw("latest") as gateway, Box() as box:
        meet(box, gateway)
        run = ask(box, "SLOW please", session="killed")["run"]
        late(lambda: len(text_of(of_run(box, run))) > 20)
        gateway.kill()
        gateway.start()
        gateway.listens()
        late(lambda: sources(box)["claw"]["connects"] == 2)
        # The gateway goes on with it as a run of its own.
        assert [e["payload"]["code"] for e in ends(box, run)] == ["lost"]
        late(lambda: len(box.history("&type=source.gap")) == 1)
        again = late(lambda: [s for s in box.history("&type=task_dispatch")
                              if "interrupted by a gateway restart" in s["payload"]["description"]])
        assert len(again) == 1 and again[0]["correlationId"] != run, again
        assert [e["type"] for e in ends(box, again[0]["correlationId"])] == ["completion"]
        words = text_of(of_run(box, again[0]["correlationId"]))
        assert words.count("Hello from the fake") == 1, words


def a_box_that_dies_goes_on(version):
    """Killed in the middle of a run: nothing twice, the rest and one end."""
    with openclaw(version) as gateway, Box() as box:
        meet(box, gateway)
        for n, is_quick in enumerate((False, True)):
            run = ask(box, "SLOW please", session=f"slow-{n}")["run"]
            late(lambda: len(text_of(of_run(box, run))) > 20)
            box.kill9()
            time.sleep(2 if is_quick else 12)  # the answer takes about 6 s
            box.start()
            late(lambda: sources(box)["claw"]["state"] == "connected")
            told = ends(box, run)
            late(lambda: len(box.history("&type=source.gap")) == n + 1)
            time.sleep(8 if is_quick else 2)  # what is told twice comes soon after
            signals = of_run(box, run)
            kinds = [s["type"] for s in signals]
            assert kinds.count("task_dispatch") == 1 and len(ends(box, run)) == 1, kinds
            words = text_of(signals)
            if version == "latest":
                assert [e["type"] for e in told] == ["completion"], told
                assert words.count("Hello from the fake") == 1 and words.count("Done.") == 1, words
            else:  # protocol 3 tells no past: it ends, and what is still said is heard
                assert [e["payload"]["code"] for e in told] == ["lost"], told
                assert words.count("Hello from the fake") == 1, words


@test("a box that is killed in the middle of a run of 2026.9.6 goes on with it, or has its end")
def _():
    a_box_that_dies_goes_on("latest")


@test("a question of 2026.9.6 is asked on our screens, and our answer is the gateway's; so is a dismissal")
def _():
    question = {"questionId": "colour", "header": "Colour", "question": "Which colour?", "isOther": True,
                "options": [{"label": "Red", "description": "warm"}, {"label": "Blue"}]}
    sizes = {"questionId": "sizes", "header": "Sizes", "question": "Which sizes?", "multiSelect": True,
             "options": [{"label": "S"}, {"label": "L"}]}

    def heard(name, event):
        lines = [json.loads(line) for line in (gateway.home / f"{name}.jsonl").read_text().splitlines()]
        return [line["frame"]["payload"] for line in lines if line["frame"].get("event") == event]

    def asks(name, *questions):
        gateway.other_client("", "", name, SCOPES="operator.read,operator.questions",
                             ACTIONS=json.dumps([{"method": "question.request", "params": {
                                 "id": name, "questions": list(questions)}}]))
        return late(lambda: prompts(box))[0]

    with openclaw("latest") as gateway, Box() as box:
        meet(box, gateway)
        first = asks("q-1", question, sizes)
        assert [o["value"] for o in first["options"]] == ["Red", "Blue", "(other)"], first
        decide(box, first, "Blue")
        second = late(lambda: [p for p in prompts(box) if p["type"] == "multi"])[0]
        decide(box, second, ["S", "L"])
        told = late(lambda: heard("q-1", "question.resolved"))
        assert told == [{"id": "q-1", "status": "answered", "answers": {"answers": {
            "colour": ["Blue"], "sizes": ["S", "L"]}}}], told
        settled = late(lambda: box.history("&type=prompt.settled"))
        assert settled[0]["payload"]["decision"] == "S, L", settled
        third = asks("q-2", question)
        answer = box.request("POST", f"/api/prompts/{third['id']}/answer", {"cancelled": True})
        assert answer.status == 200, answer
        told = late(lambda: heard("q-2", "question.resolved"))
        assert told == [{"id": "q-2", "status": "cancelled"}], told


@test("a decision that 2026.9.6 has taken is settled by who decided, and a stop is told when it has stopped")
def _():
    with openclaw("latest") as gateway, Box() as box:
        meet(box, gateway)
        run = ask(box, "USETOOL please", session="decided")["run"]
        prompt = late(lambda: prompts(box))[0]
        decide(box, prompt, "deny")
        settled = late(lambda: box.history("&type=prompt.settled"))[0]["payload"]
        assert settled["decision"] == "deny" and settled["by"]["screen"] == "http", settled
        ends(box, run)
        slow = ask(box, "SLOW please", session="stopped")["run"]
        late(lambda: len(text_of(of_run(box, slow))) > 10)
        stopped = box.request("POST", f"/api/runs/{slow}/cancel", {})
        assert stopped.status == 200 and stopped.json() == {"ok": True, "run": slow}, stopped
        assert [e["payload"].get("success") for e in ends(box, slow)] == [False]


@test("a run that another client began has its question, its tool and its words, each once")
def _():
    with openclaw("latest") as gateway, Box() as box:
        meet(box, gateway)
        gateway.other_client("agent:main:other", "USETOOL and wait", "other-1", CAPS="approvals")
        call = late(lambda: [s for s in of_run(box, "other-1") if s["type"] == "tool_call"])
        assert call[0]["payload"]["input"] == {"command": "echo tool-ran"}, call
        time.sleep(3)  # what is told twice comes soon after
        kinds = [s["type"] for s in of_run(box, "other-1")]
        assert kinds.count("task_dispatch") == 1 and kinds.count("tool_call") == 1, kinds
        asked, = [s["payload"] for s in of_run(box, "other-1") if s["type"] == "task_dispatch"]
        assert asked["description"] == "USETOOL and wait", asked
        gateway.other_client("agent:main:third", "hello", "other-2")
        assert [e["type"] for e in ends(box, "other-2")] == ["completion"]
        assert text_of(of_run(box, "other-2")).count("Hello from the fake provider.") == 1


@test("an approval of 2026.2.3 is asked on our screens, too, and our decision is the gateway's")
def _():
    an_approval_is_asked_and_decided("feb")


@test("a run of 2026.2.3 whose box is killed has its one end, and no word twice")
def _():
    a_box_that_dies_goes_on("feb")


run()
