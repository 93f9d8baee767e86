#!/usr/bin/env python3
"""Scopes of a listener: a screen that can send no token may be given the right to answer and to
control, on an address of the loopback and for programs of the box's own user."""

import os
import re
import signal
import sys

from doors import as_other_user, config_box, status, upgrade
from lib import WS, cli, eventually, run, temp_dir, test

OPTIONS = [{"label": "Allow", "value": "allow", "edit": {"command": "ls"}},
           {"label": "Always", "value": "always", "rule": "allow Bash", "needs": "control"},
           {"label": "Deny", "value": "deny", "safe": True}]
CHANGE = {"value": "allow", "edit": {"command": "rm"}}
LOCAL = "observe,emit,answer,control"
CONFIG = f"""listen:
  - 127.0.0.1:0
  - {{address: "127.0.0.1:0", dialect: run, local: "{LOCAL}"}}
"""

# No lookup of who is at the other end: a socket of the family NETLINK is refused.
BLIND = """
import ctypes, os, struct, sys
NUMBER = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
code = [(0x20, 0, 0, 0), (0x15, 0, 3, NUMBER), (0x20, 0, 0, 16), (0x15, 0, 1, 16),
        (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
bytes_ = b"".join(struct.pack("HBBI", *line) for line in code)
held = ctypes.create_string_buffer(bytes_)
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
program = Program(len(code), ctypes.addressof(held))
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[1], sys.argv[1:])
"""


def trusting(config=CONFIG, **how):
    return config_box(config, listen=(), **how)


class Port:
    """The box is asked at another of its addresses for a while."""

    def __init__(self, box, place=1):
        self.box, self.port = box, int(box.addresses[place].rsplit(":", 1)[1])

    def __enter__(self):
        self.kept, self.box.port = self.box.port, self.port

    def __exit__(self, *_):
        self.box.port = self.kept


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def ask(box):
    box.emit("prompt", source="me", correlationId="r",
             payload={"type": "select", "prompt": "Bash: ls", "options": OPTIONS, "tool": "Bash",
                      "input": {"command": "ls"}})
    return eventually(lambda: prompts(box))[-1]["id"]


def until(ws, kind):
    while (said := ws.json())["kind"] != kind:
        pass
    return said


def answers(box):
    return [s["payload"] for s in box.history() if s["type"] == "answer"]


@test("a screen of the run dialect answers through such a listener without a token, and is on record")
def _():
    with trusting() as box, Port(box), WS(box, "/ws") as screen:
        prompt = ask(box)
        asked = until(screen, "prompt")
        assert asked["prompt-id"] == prompt, asked
        assert [o["value"] for o in asked["opts"]["options"]] == ["allow", "deny"], asked
        screen.send({"kind": "answer", "prompt-id": prompt, "value": "deny"})
        assert until(screen, "prompt-closed")["state"] == "answered"
        (answer,) = eventually(lambda: answers(box))
        assert answer["value"] == "deny", answer
        assert answer["by"] == {"user": "local", "screen": "run"}, answer


@test("without a token it never takes an always or a change, whatever its scopes")
def _():
    plain = CONFIG.replace("dialect: run, ", "")
    with trusting(plain) as box, Port(box), WS(box, "/ws/run") as screen, WS(box, "/ws") as native:
        prompt = ask(box)
        assert "control" in native.json()["scopes"]
        for value in ("always", CHANGE):
            screen.send({"kind": "answer", "prompt-id": prompt, "value": value})
            refused = until(screen, "refused")
            assert refused["reason"] == "forbidden", refused
            native.send({"op": "answer", "id": prompt, "value": value, "ref": 1})
            assert native.json()["code"] == "forbidden"
            posted = box.request("POST", f"/api/prompts/{prompt}/answer", {"value": value}, unix=False)
            assert posted.status == 403 and "credential" in posted.json()["error"], posted
        listed = box.request("GET", "/api/prompts", unix=False).json()["prompts"][0]["options"]
        assert [o["value"] for o in listed] == ["allow", "deny"], listed
        assert not answers(box)
        with_token = box.request("POST", f"/api/prompts/{prompt}/answer", {"value": "always"},
                                 headers=box.bearer(), unix=False)
        assert with_token.status == 200, with_token


@test("it controls runs, and still speaks for nobody else and manages nothing")
def _():
    with trusting() as box, Port(box):
        box.emit("note", source="me", correlationId="r")
        control = box.request("POST", "/api/control", {"run": "r", "do": "pause"}, unix=False)
        assert control.status == 501, control  # it may; that run cannot
        for kind in ("prompt", "answer", "user.click"):
            assert box.request("POST", "/api/signal", {"type": kind}, unix=False).status == 403, kind
        hook = {"hook_event_name": "PermissionRequest", "session_id": "s", "tool_name": "Bash",
                "tool_input": {}}
        assert box.request("POST", "/api/hooks/claude-code/decide", hook, unix=False).status == 401
        for method, path in (("POST", "/api/code"), ("GET", "/api/openclaw/token")):
            assert box.request(method, path, unix=False).status == 401, path
        assert not prompts(box)


@test("the other listeners of the same box give what auth.local says")
def _():
    with trusting() as box:
        ask(box)
        listed = box.request("GET", "/api/prompts", unix=False).json()["prompts"][0]
        assert listed["answerable"] is False, listed
        assert box.request("POST", "/api/control", {"run": "r", "do": "pause"}, unix=False).status == 401
    own = 'listen: ["127.0.0.1:0", {address: "127.0.0.1:0", local: none}]\n'
    with trusting(own) as box:
        assert status(box, "/api/status") == 200
        with Port(box):
            assert status(box, "/api/status") == 401


@test("another user of this machine gets nothing from it, nor does a page or what a proxy brings")
def _():
    with trusting() as box, Port(box):
        prompt = ask(box)
        body = {"value": "deny"}
        path = f"/api/prompts/{prompt}/answer"
        assert as_other_user(lambda: upgrade(box, "/ws") - 400) == 1
        assert as_other_user(lambda: status(box, "/api/prompts") - 400) == 1
        assert as_other_user(lambda: status(box, path, None, "POST", body) - 400) == 1
        ours = {"Origin": f"http://127.0.0.1:{box.port}"}
        for headers in (ours, {"Sec-Fetch-Site": "none"}, {"Via": "1.1 x"}):
            assert status(box, path, headers, "POST", body) == 401, headers
            assert upgrade(box, "/ws", headers) == 401, headers
        assert len(prompts(box)) == 1
        assert status(box, path, None, "POST", body) == 200


@test("a page of auth.origins observes and emits through it, and does not answer")
def _():
    origin = "https://other.example"
    with trusting(CONFIG + f"auth: {{origins: ['{origin}']}}\n") as box, Port(box):
        prompt = ask(box)
        assert status(box, "/api/prompts", {"Origin": origin}) == 200
        assert status(box, f"/api/prompts/{prompt}/answer", {"Origin": origin}, "POST",
                      {"value": "deny"}) in (401, 403)
        assert len(prompts(box)) == 1


@test("a peer whose user the kernel does not tell gets nothing from it")
def _():
    with trusting(command=[sys.executable, "-c", BLIND]) as box, Port(box):
        assert upgrade(box, "/ws") == 401
        assert status(box, "/api/prompts") == 401
        assert status(box, "/api/prompts", box.bearer()) == 200


@test("serve and check warn of it; an address that others reach, and admin, are refused")
def _():
    warning = r"127\.0\.0\.1:0 gives answer and control to every program of this user without a token \(local\)"
    with trusting() as box:
        assert re.search(warning, box.log()), box.log()
    with trusting('listen: ["127.0.0.1:0"]\n') as box:
        assert "without a token" not in box.log(), box.log()
    file = temp_dir() / "c.yaml"
    data = ("--data", str(temp_dir() / "d"))
    file.write_text(CONFIG)
    good = cli("check", str(file), *data)
    assert good.code == 0 and re.search(warning, good.err), good
    file.write_text('listen: [{address: "0.0.0.0:1", cert: c, key: k, local: answer}]\n')
    bad = cli("check", str(file), *data)
    assert bad.code == 78 and "`local` is for an address of the loopback" in bad.err, bad
    file.write_text('listen: [{address: "127.0.0.1:1", local: all}]\n')
    bad = cli("check", str(file), *data)
    assert bad.code == 78 and "cannot give admin without a token" in bad.err, bad


@test("after a reload it is as the new configuration says")
def _():
    with trusting() as box:
        file = box.args[box.args.index("--config") + 1]
        with Port(box):
            assert status(box, "/api/control", None, "POST", {"run": "r", "do": "pause"}) == 404
            with open(file, "w") as out:
                out.write(CONFIG.replace(LOCAL, "observe"))
            os.kill(box.pid, signal.SIGHUP)
            eventually(lambda: "was read again" in box.log())
            assert status(box, "/api/control", None, "POST", {"run": "r", "do": "pause"}) == 401
            assert status(box, "/api/prompts") == 200


run()
