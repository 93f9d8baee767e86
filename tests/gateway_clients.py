"""Clients of the gateway dialect, protocols 3 and 4, and a judge of what they hear.

    with Box() as box, Screen(box) as screen:
        hello = screen.hello()
        answer = screen.ask("chat.history", {"sessionKey": "main"})
    judge_all(100)  # the last test of a file
"""

import base64
import hashlib
import json
import shutil
import subprocess
import time
from pathlib import Path

from lib import PATIENCE_S, WS, Skip, eventually, temp_dir, test

JUDGE = Path(__file__).resolve().parent / "node" / "gateway-judge.mjs"
seen = []  # every frame that a box sent, for the judge

CLIENT = {"id": "gateway-client", "version": "1.0", "platform": "linux", "mode": "backend"}
READ, WRITE = "operator.read", "operator.write"


class Screen:
    """A client of a gateway, before or after its handshake."""

    def __init__(self, box, path="/ws/gateway", headers=None, receive_buffer=None):
        self.box = box
        self.ws = WS(box, path, headers, receive_buffer=receive_buffer)
        self.protocol = 4
        self.challenge = self.ws.json()
        self.events = []
        self.ids = 0
        self.last_seq = None

    def params(self, protocol, **more):
        return {"minProtocol": protocol, "maxProtocol": protocol, "client": CLIENT,
                "role": "operator", "scopes": [READ, WRITE], "caps": ["tool-events"],
                "auth": {"token": self.box.token}, **more}

    def ask(self, method, params=None):
        """The answer, whole; events that come before it are kept."""
        self.ids += 1
        self.ws.send({"type": "req", "id": f"q{self.ids}", "method": method,
                      **({} if params is None else {"params": params})})
        while True:
            frame = self.ws.json()
            if frame["type"] == "res":
                assert frame["id"] == f"q{self.ids}", frame
                if frame["ok"] and method == "connect":
                    self.protocol = frame["payload"]["protocol"]
                seen.append({"frame": frame, "method": method, "protocol": self.protocol})
                return frame
            self.keep(frame)

    def keep(self, frame):
        assert frame["type"] == "event", frame
        seen.append({"frame": frame, "protocol": self.protocol})
        if "seq" in frame:
            assert self.last_seq is None or frame["seq"] == self.last_seq + 1, (self.last_seq, frame)
            self.last_seq = frame["seq"]
        self.events.append(frame)

    def hello(self, protocol=4, **more):
        answer = self.ask("connect", self.params(protocol, **more))
        assert answer["ok"], answer
        return answer["payload"]

    def until(self, is_it):
        """The first event that is it; all that come before are kept."""
        end = time.monotonic() + 2 * PATIENCE_S  # others may come for ever
        while time.monotonic() < end:
            for event in self.events:
                if is_it(event):
                    return event
            self.keep(self.ws.json())
        raise AssertionError(f"none of {len(self.events)} events is it")

    def chat(self, state, run):
        return self.until(lambda e: e["event"] == "chat" and e["payload"]["runId"] == run
                          and e["payload"]["state"] == state)["payload"]

    def of(self, event, run):
        return [e["payload"] for e in self.events
                if e["event"] == event and e["payload"]["runId"] == run]

    def closed(self):
        while self.ws.recv() is not None:
            pass
        return self.ws.close_code, self.ws.close_reason

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ws.wire.close()


class Slow(Screen):
    """It counts the numbers that it lost."""
    lost = 0

    def keep(self, frame):
        if "seq" in frame and self.last_seq is not None and frame["seq"] > self.last_seq + 1:
            self.lost += frame["seq"] - self.last_seq - 1
            self.last_seq = frame["seq"] - 1
        super().keep(frame)


def say(box, run, type, payload):
    return box.emit({"type": type, "source": "script", "correlationId": run, "payload": payload})


def text(message):
    return "".join(b["text"] for b in message["content"] if b["type"] == "text")


def tell_a_run(box, id):
    say(box, id, "task_dispatch", {"taskId": "t", "from": "me", "to": "bot", "description": "go"})
    for word in ("Hel", "lo ", "you"):
        say(box, id, "text_delta", {"agentId": "bot", "content": word})
    say(box, id, "tool_call", {"agentId": "bot", "toolName": "ls", "callId": "c1",
                               "input": {"path": "/"}})
    say(box, id, "tool_result", {"agentId": "bot", "toolName": "ls", "callId": "c1",
                                 "success": True, "output": {"text": "etc"}})
    say(box, id, "text_delta", {"agentId": "bot", "content": "Done."})
    say(box, id, "completion", {"agentId": "bot", "taskId": "t", "success": True})


def refused(box, params, first=None):
    """The error of a connect, its close code and reason."""
    with Screen(box) as screen:
        if first is not None:
            screen.ws.send(first)
            return None, *screen.closed()
        answer = screen.ask("connect", {**screen.params(4), **params})
        assert not answer["ok"], answer
        return answer["error"], *screen.closed()


class Key:
    """An Ed25519 key, in a file of OpenSSL's."""

    def __init__(self):
        self.dir = temp_dir()
        self.openssl("genpkey", "-algorithm", "ed25519", "-out", "key.pem")
        self.public = self.openssl("pkey", "-in", "key.pem", "-pubout", "-outform", "DER")[-32:]

    def openssl(self, *args):
        return subprocess.run(["openssl", *args], cwd=self.dir, check=True, capture_output=True,
                              timeout=PATIENCE_S).stdout

    def sign(self, words):
        (self.dir / "words").write_bytes(words)
        return self.openssl("pkeyutl", "-sign", "-inkey", "key.pem", "-rawin", "-in", "words")


def sign(params, key, nonce, version=3, **wrong):
    """The device of a client, which signs what it asks for."""
    public = key.public
    id = wrong.get("id", hashlib.sha256(public).hexdigest())
    at = wrong.get("at", int(time.time() * 1000))
    client = params["client"]
    words = [f"v{version}", id, client["id"], client["mode"], params["role"],
             ",".join(params["scopes"]), str(at),
             params["auth"].get("token") or params["auth"].get("deviceToken", ""),
             wrong.get("old", nonce)]
    words += [client["platform"].strip().lower(), client.get("deviceFamily", "").lower()] \
        if version == 3 else []
    spell = lambda b: base64.urlsafe_b64encode(b).decode().rstrip("=")
    return {"id": id, "publicKey": wrong.get("spelt", spell(public)), "signedAt": at,
            "signature": spell(wrong.get("signer", key).sign("|".join(words).encode())),
            "nonce": wrong.get("old", nonce)}


def add_model(box, up, id="parrot"):
    answer = box.request("POST", "/api/sources", {"id": id, "url": f"{up.url}/v1",
                                                  "protocol": "openai", "model": "parrot"})
    assert answer.status in (200, 201), answer
    eventually(lambda: any(s["id"] == id and s["state"] == "connected"
                           for s in box.request("GET", "/api/sources").json()["sources"]))


def judge_all(least):
    """A last test: every frame that boxes sent in these tests is held against the schema."""
    @test("every frame of these tests is one that the published schema knows")
    def _():
        if not shutil.which("node") or not (JUDGE.parent / "node_modules" / "ajv").exists():
            raise Skip("node and ajv judge")
        assert len(seen) > least, len(seen)
        done = subprocess.run(["node", str(JUDGE)], capture_output=True, text=True,
                              timeout=PATIENCE_S,
                              input="".join(json.dumps(one) + "\n" for one in seen))
        assert done.returncode == 0, done.stdout[:4000] + done.stderr[-2000:]
