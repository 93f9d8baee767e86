#!/usr/bin/env python3
"""ntfy: a real server, and what a phone that reads a topic sees and sends."""

import json
import sqlite3
import subprocess
import urllib.error
import urllib.request

import manual
from chats import TEXT, begun, connected, requests
from irc_servers import SERVERS, Server
from lib import PATIENCE_S, ROOT, Box, Skip, cli, closed_port, eventually, run, temp_dir, test
from servers import Upstream

TOOL = {"type": "select", "prompt": "Bash: **make** <all>", "tool": "Bash",
        "input": {"command": "**make** <all>"},
        "options": [{"label": "Allow", "value": "allow"},
                    {"label": "Deny", "value": "deny", "safe": True}]}


def program():
    done = subprocess.run([ROOT / "tools" / "chat-servers", SERVERS, "ntfy"], capture_output=True,
                          text=True, timeout=300)
    path = SERVERS / "usr/bin/ntfy"
    if done.returncode != 0 or subprocess.run([path, "--help"], capture_output=True).returncode:
        raise Skip(f"ntfy cannot be had: {done.stderr.strip()}")
    return path


class Ntfy(Server):
    def __init__(self, access="read-write",
                 limits="visitor-request-limit-exempt-hosts: '127.0.0.1'\n"):
        super().__init__()
        self.access, self.limits = access, limits

    def open(self):
        self.port = getattr(self, "port", None) or closed_port()
        self.config = self.place / "server.yml"
        self.config.write_text(
            f"base-url: 'http://127.0.0.1:{self.port}'\nlisten-http: '127.0.0.1:{self.port}'\n"
            f"cache-file: '{self.place}/cache.db'\nauth-file: '{self.place}/user.db'\n"
            f"auth-default-access: '{self.access}'\n"
            f"attachment-cache-dir: '{self.place}/files'\nattachment-file-size-limit: '100k'\n"
            f"{self.limits}")
        self.start(program(), "serve", "--config", self.config, port=self.port)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def run(self, *words, env=None):
        return subprocess.run([program(), *words[:1], "--config", self.config, *words[1:]],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, env=env).stdout

    def read(self, topic="ops", headers=()):
        """What a phone shows, the oldest first."""
        request = urllib.request.Request(f"{self.url}/{topic}/json?poll=1&since=all",
                                         headers=dict(headers))
        with urllib.request.urlopen(request, timeout=30) as answer:
            events = [json.loads(line) for line in answer.read().splitlines()]
        return [e for e in events if e["event"] == "message"]

    def kept(self):
        """All messages, without a request that a limit would count."""
        with sqlite3.connect(self.place / "cache.db") as cache:
            return [row[0] for row in cache.execute("SELECT message FROM messages ORDER BY id")]

    def write(self, text, topic="ops"):
        urllib.request.urlopen(f"{self.url}/{topic}", data=text.encode(), timeout=30).close()


def press(action):
    """The request of a button, as the app sends it; the status."""
    assert action["action"] == "http" and action["clear"] is True, action
    request = urllib.request.Request(action["url"], method=action["method"], data=b"",
                                     headers=action["headers"])
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def box_of(up, server, more="", adapter="", presses=True):
    port = closed_port()
    path = temp_dir() / "signalbox.yaml"
    where = f"    press_url: 'http://127.0.0.1:{port}/'\n" if presses else ""
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  phone:\n    channel: ntfy\n    agent: model\n    url: {server.url}\n"
        f"    topic: ops\n{where}{adapter}{more}")
    return Box(args=["--config", str(path)], listen=[f"127.0.0.1:{port}"])


def ask(box, **payload):
    box.emit("prompt", source="me", correlationId="r", payload=payload)


def answers(box):
    return [s["payload"] for s in box.history("&type=answer")]


def channel(box):
    (c,) = [c for c in box.request("GET", "/api/channels").json()["channels"]
            if c["name"] == "phone"]
    return c


def live(box):
    connected(box)
    eventually(lambda: channel(box)["state"] == "connected")
    return box


def labels(message):
    return [a["label"] for a in message.get("actions", [])]


@test("a question comes to the phone with buttons, and one request of the phone answers it")
def _():
    with Upstream() as up, Ntfy() as server, box_of(
            up, server, "prompts: {to: [{chat: 'phone:ops', allow: true}]}\n") as box:
        live(box)
        ask(box, **TOOL)
        (message,) = eventually(lambda: server.read())
        assert message["message"] == "me asks:\nBash: **make** <all>", message
        assert labels(message) == ["Allow", "Deny"], message
        allow, deny = message["actions"]
        assert press(allow) == 200
        (answer,) = eventually(lambda: answers(box))
        assert answer["value"] == "allow" and answer["by"]["user"] == "ntfy:ops", answer
        assert press(deny) == 409 and press(allow) == 409
        eventually(lambda: [m["message"] for m in server.read()][1:] == [
            "ntfy:ops answered: Allow."])
        forged = {**deny, "headers": {"X-Signalbox-Press": "x" * 60}}
        assert press(forged) == 404
        assert len(answers(box)) == 1


@test("a topic that may not allow can only deny, and has no buttons for what needs words")
def _():
    with Upstream() as up, Ntfy() as server, box_of(
            up, server, "prompts: {to: ['phone:ops']}\n") as box:
        live(box)
        ask(box, **TOOL)
        (message,) = eventually(lambda: server.read())
        assert labels(message) == ["Deny"], message
        assert press(message["actions"][0]) == 200
        eventually(lambda: [a["value"] for a in answers(box)] == ["deny"])
        eventually(lambda: len(server.read()) == 2)
        ask(box, type="select", prompt="Which?", options=list("abcde"))
        ask(box, type="text", prompt="What name?")
        ask(box, **{**TOOL, "input": {"command": "x" * 9000}})
        which, name, long = eventually(lambda: len(server.read()) == 5 and server.read()[2:])
        for message in (which, name):
            assert labels(message) == [] and "Type" not in message["message"], message
            assert "answered on the page" in message["message"], message
        assert labels(long) == ["Deny"] and len(long["message"].encode()) < 4000, long
        assert "That is not all of it" in long["message"], long


@test("who presses at once is told how it ended, each time")
def _():
    with Upstream() as up, Ntfy() as server, box_of(
            up, server, "prompts: {to: ['phone:ops']}\n") as box:
        live(box)
        for i in range(12):
            ask(box, **TOOL)
            message = eventually(lambda: len(server.read()) > 2 * i and server.read()[2 * i],
                                 every=0.001)
            assert press(message["actions"][0]) == 200
            eventually(lambda: len(server.read()) == 2 * i + 2)
            assert server.read()[-1]["message"] == "ntfy:ops answered: Deny.", server.read()


@test("where it is not said how phones reach the box, a question says where to answer")
def _():
    with Upstream() as up, Ntfy() as server, box_of(
            up, server, "prompts: {to: [{chat: 'phone:ops', allow: true}]}\n",
            presses=False) as box:
        live(box)
        ask(box, **TOOL)
        (message,) = eventually(lambda: server.read())
        assert labels(message) == [] and "answered on the page" in message["message"], message
        done = cli("channels", "check", "phone", "--data", str(box.data))
        assert done.code == 1 and "bad   press_url is not set" in done.out, done
        assert "ok    the topic ops can be read\n" in done.out, done


@test("a reply is one message of plain text, and a long one comes in pieces in their order")
def _():
    with Upstream() as up, Ntfy() as server, box_of(up, server) as box:
        live(box)
        box.request("POST", "/api/messages", {"channel": "phone", "peer": "alerts",
                                              "agent": "model", "text": "good day"})
        eventually(lambda: [m["message"] for m in server.read("alerts")] == [TEXT])
        _, answer = begun(box, up, lambda: box.request("POST", "/api/messages", {
            "channel": "phone", "peer": "ops", "agent": "model", "text": "slow please"}).json())
        text = " ".join(f'**word**{i} "\\quoted\\"' for i in range(600))
        box.emit("text_delta", source="model", correlationId=answer["id"],
                 payload={"agentId": "model", "content": " " + text})
        box.emit("completion", source="model", correlationId=answer["id"],
                 payload={"agentId": "model", "taskId": answer["id"], "success": True})
        eventually(lambda: any("599" in m["message"] for m in server.read()))
        got = server.read()
        assert len(got) > 2 and "".join("".join(m["message"] for m in got).split()) == \
            "Hello" + "".join(text.replace("**", "").split()), got
        eventually(lambda: len(requests(box)) == 2)
        assert {r["status"] for r in requests(box)} == {"completed"}, requests(box)
        done = box.request("POST", "/api/messages", {"channel": "phone", "peer": "no topic!",
                                                     "agent": "model", "text": "good day"})
        assert done.status == 200, done
        eventually(lambda: any(x.get("why") == "that is no topic" for x in box.request(
            "GET", "/api/deliveries").json()["deliveries"]))


@test("files of agents are attachments; what the server does not take is told")
def _():
    files = temp_dir()
    (files / "Übersicht.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"p" * 5000)
    (files / "large.bin").write_bytes(b"x" * 200000)
    (files / "plan.pdf").write_bytes(b"%PDF-1")
    with Upstream() as up, Ntfy() as server, box_of(
            up, server, f"media: {{send: true, directory: {files}}}\n") as box:
        live(box)
        _, answer = begun(box, up, lambda: box.request("POST", "/api/messages", {
            "channel": "phone", "peer": "ops", "agent": "model", "text": "slow please"}).json())
        box.emit("agent.media", source="model", correlationId=answer["id"], payload={
            "agentId": "model", "mediaUrls": ["Übersicht.png", "large.bin", "plan.pdf"]})
        box.emit("completion", source="model", correlationId=answer["id"],
                 payload={"agentId": "model", "taskId": answer["id"], "success": True})
        (done,) = eventually(lambda: requests(box))
        assert done["status"] == "completed", done
        text, picture, plan = server.read()
        assert text["message"] == "Hello" and "attachment" not in text, text
        assert picture["attachment"]["name"] == "Übersicht.png", picture
        assert picture["attachment"]["type"] == "image/png", picture
        with urllib.request.urlopen(picture["attachment"]["url"], timeout=30) as there:
            assert there.read() == (files / "Übersicht.png").read_bytes()
        assert plan["attachment"]["name"] == "plan.pdf" and plan["attachment"]["size"] == 6, plan
        (missed,) = [d["missed"] for d in box.request("GET", "/api/deliveries").json()[
            "deliveries"] if "missed" in d]
        assert missed.startswith("large.bin: ") and "attachment too large" in missed, missed


@test("what others publish in the topic is never asked, whatever the configuration says")
def _():
    people = ("people: [{name: Ada, relationship: owner, identities: ['ntfy:anyone']}]\n"
              "access: [{who: any, decision: allow, answer: true}]\n")
    with Upstream() as up, Ntfy() as server, box_of(up, server, people) as box:
        live(box)
        box.request("POST", "/api/messages", {"channel": "phone", "peer": "ops",
                                              "agent": "model", "text": "good day"})
        eventually(lambda: len(server.read()) == 1)
        server.write("delete everything")
        server.write("/status")
        eventually(lambda: len(requests(box)) == 3)
        assert sorted(r["status"] for r in requests(box)) == ["completed", "denied", "denied"]
        came = [s["payload"] for s in box.history("&type=nex.received")]
        assert [c["text"] for c in came] == ["good day", "delete everything", "/status"], came
        assert len(up.of("/v1/chat/completions")) == 1 and len(server.read()) == 3


@test("a server that is gone is away, what waits for it goes when it is back, and nothing twice")
def _():
    with Upstream() as up, Ntfy() as server, box_of(up, server) as box:
        live(box)
        server.kill()
        eventually(lambda: channel(box)["state"] == "away")
        box.request("POST", "/api/messages", {"channel": "phone", "peer": "ops",
                                              "agent": "model", "text": "good day"})
        eventually(lambda: channel(box)["waiting"] == 1)
        (words,) = box.request("GET", "/readyz").json()["degraded"]
        assert words.startswith("the channel phone is away: "), words
        server.open()
        eventually(lambda: channel(box)["state"] == "connected", within=2 * PATIENCE_S)
        eventually(lambda: [m["message"] for m in server.read()] == [TEXT], within=2 * PATIENCE_S)
        eventually(lambda: channel(box)["waiting"] == 0)


@test("a server that says that it is too much is heard, and every message comes once")
def _():
    limits = "visitor-request-limit-burst: 4\nvisitor-request-limit-replenish: '1s'\n"
    with Upstream() as up, Ntfy(limits=limits) as server, box_of(up, server) as box:
        live(box)
        for i in range(8):
            box.request("POST", "/api/messages", {"channel": "phone", "peer": f"topic-{i}",
                                                  "agent": "model", "text": "good day"})
        eventually(lambda: server.kept() == [TEXT] * 8, within=2 * PATIENCE_S)
        letters = lambda: box.request("GET", "/api/deliveries").json()["deliveries"]
        eventually(lambda: [x["state"] for x in letters()] == ["delivered"] * 8)
        assert server.kept() == [TEXT] * 8


@test("by a token or a password; a wrong one is told and is shown nowhere")
def _():
    with Upstream() as up, Ntfy("deny-all") as server:
        server.run("user", "add", "--role=admin", "box", env={"NTFY_PASSWORD": "correct-horse"})
        token = server.run("token", "add", "box").split()[1]
        for secret in (token, "box:correct-horse"):
            file = temp_dir() / "secret"
            file.write_text(secret)
            file.chmod(0o600)
            with box_of(up, server, adapter=f"    credential_file: {file}\n") as box:
                live(box)
                done = cli("channels", "check", "phone", "--data", str(box.data))
                assert done.code == 0 and "ok    buttons lead to press_url\n" in done.out, done
                box.request("POST", "/api/messages", {"channel": "phone", "peer": "ops",
                                                      "agent": "model", "text": "good day"})
                eventually(lambda: [m["message"] for m in server.read(
                    headers={"Authorization": f"Bearer {token}"}.items())][-1:] == [TEXT])
        file.write_text("box:wrong-one")
        with box_of(up, server, adapter=f"    credential_file: {file}\n") as box:
            connected(box)
            eventually(lambda: channel(box)["state"] == "refused")
            assert "401" in channel(box)["why"], channel(box)
            done = cli("channels", "check", "phone", "--data", str(box.data))
            assert done.code == 1 and "does not let us read the topic ops: 401" in done.out, done
            assert "wrong-one" not in box.log() + done.out


@test("docs/ntfy.md: its commands connect a phone")
def _():
    page = manual.Page(ROOT / "docs" / "ntfy.md")
    (config,) = [b for b in page.blocks if b.word == "yaml"]
    with Upstream() as up, Ntfy() as server:
        port = closed_port()
        path = temp_dir() / "signalbox.yaml"
        text = config.text.replace("https://ntfy.example.org", server.url)
        text = text.replace("https://box.example.org", f"http://127.0.0.1:{port}")
        assert server.url in text and str(port) in text, text
        path.write_text(
            f"sources: [{{id: parrot, url: '{up.url}', protocol: openai, model: model-a}}]\n" +
            "".join(l for l in text.splitlines(True) if "credential" not in l))
        with Box(args=["--config", str(path)], listen=[f"127.0.0.1:{port}"]) as box:
            for block in [b for b in page.blocks if b.word == "console"]:
                done = subprocess.run(
                    ["bash", "-ec", block.text], capture_output=True, text=True, timeout=60,
                    env={"PATH": f"{(ROOT / 'build')}:/usr/bin:/bin", "HOME": str(temp_dir()),
                         "SIGNALBOX_DATA": str(box.data)})
                assert done.returncode == 0, (block, done)
            message = eventually(lambda: server.read("signalbox-k3v9x2")[-1:])[0]
            assert labels(message) == ["Allow", "Deny"], message
            assert press(message["actions"][0]) == 200


run()
