#!/usr/bin/env python3
"""What is found on this machine: probes that tell nobody anything, the list of sources
that follows them, and a token that goes to our own user's gateway and to nobody else.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from gateway import Gateway, close_door, in_state, sources
from lib import (PATIENCE_S, SLOW, WS, Box, Skip, at_last, cli, closed_port, eventually, in_time, run,
                 temp_dir, test)

NOBODY = 65534
CANARY = "canary-77aa-token"
SIX = ["local:claude-code", "local:openclaw", "local:lm-studio", "local:ollama", "local:codex",
       "local:opencode"]


class Service:
    """Listens, keeps every byte it hears, answers with `answer`; None: never."""

    def __init__(self, answer=None, port=0):
        self.answer, self.heard = answer, b""
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.peers = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.peers.append(peer)
            threading.Thread(target=self._talk, args=(peer,), daemon=True).start()

    def _talk(self, peer):
        peer.settimeout(PATIENCE_S)
        got = b""
        try:
            while data := peer.recv(4096):
                got += data
                self.heard += data
                if self.answer is not None and b"\r\n\r\n" in got:
                    peer.sendall(self.answer)
                    break
        except OSError:
            pass
        if self.answer is not None:
            peer.close()

    def stop(self):
        close_door(self.listener)
        closed_port(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def models(*names, status="200 OK"):
    body = json.dumps({"object": "list", "data": [{"id": n} for n in names]})
    return (f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode()


def home(config=None, claude=False):
    directory = temp_dir()
    if config is not None:
        (directory / ".openclaw").mkdir()
        (directory / ".openclaw" / "openclaw.json").write_text(config)
    if claude:
        (directory / ".claude").mkdir()
    return directory


def places(openclaw=None, lm_studio=None, ollama=None, codex=None, opencode=None, **env):
    """Where to look; a service that is not given is looked for where nobody is."""
    def at(service):
        return f"127.0.0.1:{service.port if service else closed_port()}"
    return {
        "SIGNALBOX_DISCOVER_OPENCLAW": at(openclaw), "SIGNALBOX_DISCOVER_LM_STUDIO": at(lm_studio),
        "SIGNALBOX_DISCOVER_OLLAMA": at(ollama), "SIGNALBOX_DISCOVER_CODEX": at(codex),
        "SIGNALBOX_DISCOVER_OPENCODE": at(opencode),
        "PATH": "/usr/bin:/bin", "HOME": str(home()), **{k: str(v) for k, v in env.items()},
    }


def look(box):
    answer = box.request("GET", "/api/discover/local")
    assert answer.status == 200, answer
    return answer.json()["services"]


def look_for(box, *ids):
    """The same, when these were there.  A probe waits 300 ms, which a busy machine may exceed."""
    found = look(box)
    in_time(all(s["available"] for s in found if s["id"] in ids), found)
    return found


def rescan(box):
    answer = box.request("POST", "/api/discover/rescan")
    assert answer.status == 200, answer
    return {s["id"]: s for s in answer.json()["services"]}


# --- the probes --------------------------------------------------------------------


@test("six services are told in order and in the shape of the documents")
def _():
    with Service() as claw, Service(models("m1", "m2")) as lm, Service(models()) as ol:
        with Box(env=places(claw, lm, ol)) as box:
            found = at_last(lambda: look_for(box, "local:lm-studio", "local:ollama"))
            assert [s["id"] for s in found] == SIX, found
            assert found[0] == {"id": "local:claude-code", "label": "Claude Code", "protocol": "sse",
                                "url": "/__signals__/stream", "available": False, "models": []}
            assert found[1] == {"id": "local:openclaw", "label": "OpenClaw", "protocol": "openclaw",
                                "url": f"ws://127.0.0.1:{claw.port}", "available": True,
                                "needsApiKey": True, "models": []}
            assert found[2] == {"id": "local:lm-studio", "label": "LM Studio", "protocol": "openai",
                                "url": f"http://127.0.0.1:{lm.port}", "available": True,
                                "needsApiKey": True, "models": ["m1", "m2"]}
            assert found[3]["available"] and found[3]["models"] == [], found[3]
            assert "needsApiKey" not in found[3], found[3]
            assert found[4]["protocol"] == "codex" and not found[4]["available"], found[4]
            assert sources(box) == {}, "looking changes nothing"


@test("Claude Code is there when its program or its directory is")
def _():
    programs = temp_dir()
    (programs / "claude").write_text("#!/bin/sh\n")
    for mode, there in ((0o644, False), (0o755, True)):
        (programs / "claude").chmod(mode)
        with Box(env=places(PATH=f"/nowhere::{programs}")) as box:
            assert look(box)[0]["available"] is there
    with Box(env=places(HOME=home(claude=True))) as box:
        assert look(box)[0]["available"] is True


@test("a service that is slow holds up nobody")
def _():
    with Service() as silent, Service(models("m")) as good, Service(b"HTTP/1.1 200 OK\r\n") as half:
        with Box(env=places(half, silent, good)) as box:
            def look_once():
                before = time.monotonic()
                found = {s["id"]: s for s in look_for(box, "local:ollama")}
                took = time.monotonic() - before
                assert not found["local:lm-studio"]["available"], found
                in_time(took < 1.0 * SLOW, f"{took} s")

            at_last(look_once)


@test("answers that are no list of models are no service, or one without models")
def _():
    huge = "x" * 3_000_000
    cases = [
        (models("m", status="404 Not Found"), False, []),
        (models("m", status="302 Found"), False, []),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", False, []),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull", True, []),
        (models(huge), None, []),
        (models("<b>\u001b[31m", ""), True, None),
    ]
    for answer, there, names in cases:
        with Service(answer) as service, Box(env=places(ollama=service)) as box:
            found = at_last(lambda: look_for(box, "local:ollama"))[3] if there else look(box)[3]
            assert there is None or found["available"] is there, (answer[:80], found)
            assert names is None or found["models"] == names, (answer[:80], found)


@test("no probe carries a credential")
def _():
    config = json.dumps({"gateway": {"auth": {"token": CANARY}}})
    with Service() as claw, Service(models("m")) as lm, Service(models("m")) as ol, Service() as cx:
        with Box(env=places(claw, lm, ol, cx, HOME=home(config),
                            SIGNALBOX_DISCOVER_CONNECT="false")) as box:
            ids = ("local:lm-studio", "local:ollama", "local:openclaw")
            eventually(lambda: all(rescan(box)[id]["available"] for id in ids))
            for id in ids:
                answer = box.request("PATCH", f"/api/sources/{id}", {"credential": CANARY})
                assert answer.status == 200, answer
            rescan(box)
            look(box)
            for service in (claw, lm, ol, cx):
                assert CANARY.encode() not in service.heard, service.heard
                assert b"uthorization" not in service.heard, service.heard
            assert claw.heard == b"" and cx.heard == b"", "a port is only knocked at"


@test("whoever looks again while a look is under way gets the same one")
def _():
    with Service() as silent, Box(env=places(lm_studio=silent)) as box:
        wires = [box.http() for _ in range(20)]
        for wire in wires:
            wire.send(b"GET /api/discover/local HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wires[0].close()  # who leaves is forgotten
        for wire in wires[1:]:
            assert wire.answer().status == 200
        assert len(silent.peers) <= 3, len(silent.peers)


# --- the list of sources -------------------------------------------------------------


@test("the list follows: new, changed, gone, back, and what is connected is left alone")
def _():
    at_last(follow)


def follow():
    lm, gateway = Service(models("m1")), Gateway()
    with Box(env=places(gateway, lm)) as box:
        answer = box.request("POST", "/api/sources", {"id": "mine", "url": "scenario:demo"})
        assert answer.status == 201, answer
        in_time(rescan(box)["local:lm-studio"]["available"], "a probe had no answer")
        found = sources(box)
        assert list(found) == ["local:openclaw", "local:lm-studio", "mine"], list(found)
        assert found["local:lm-studio"]["state"] == "disconnected", found
        assert found["local:lm-studio"]["models"] == ["m1"], found
        assert found["local:lm-studio"]["category"] == "local", found
        assert found["local:lm-studio"]["color"] == "#4EC9B0", found

        answer = box.request("PATCH", "/api/sources/local:openclaw", {"credential": gateway.token})
        assert answer.status == 200, answer
        box.request("POST", "/api/sources/local:openclaw/connect", {})
        in_state(box, "connected", "local:openclaw")
        lm.answer = models("m1", "m2")
        close_door(gateway.listener)  # nobody new gets in; the connection lives
        in_time(rescan(box)["local:lm-studio"]["available"], "a probe had no answer")
        found = sources(box)
        assert found["local:lm-studio"]["models"] == ["m1", "m2"], found
        assert found["local:openclaw"]["state"] == "connected", found

        lm.stop()
        rescan(box)
        assert sources(box)["local:lm-studio"]["state"] == "unavailable", sources(box)
        again = Service(models("m3"), port=lm.port)
        in_time(rescan(box)["local:lm-studio"]["available"], "a probe had no answer")
        found = sources(box)["local:lm-studio"]
        assert (found["state"], found["models"]) == ("disconnected", ["m3"]), found
        told = [(s["payload"]["from"], s["payload"]["to"])
                for s in box.history("&type=source.state")
                if s["payload"]["sourceId"] == "local:lm-studio"]
        assert told == [("disconnected", "unavailable"), ("unavailable", "disconnected")], told
        again.stop()
    gateway.stop()


@test("what can be listed and not spoken to says so")
def _():
    with Service() as codex, Box(env=places(codex=codex)) as box:
        rescan(box)
        answer = box.request("POST", "/api/sources/local:codex/connect", {})
        assert answer.status == 501 and "codex" in answer.json()["error"], answer


@test("the list follows by itself, too")
def _():
    port = closed_port()
    with Box(env=places(SIGNALBOX_DISCOVER_INTERVAL="300ms",
                        SIGNALBOX_DISCOVER_OLLAMA=f"127.0.0.1:{port}")) as box:
        look(box)
        assert "local:ollama" not in sources(box)
        with Service(models("late"), port=port):
            eventually(lambda: sources(box).get("local:ollama"))
        in_state(box, "unavailable", "local:ollama")
    assert box.log().count("\n") < 20, "a look is no news"


@test("a service that failed keeps saying why until somebody asks")
def _():
    with Gateway(token="right") as gateway:
        with Box(env=places(gateway, SIGNALBOX_DISCOVER_INTERVAL="300ms")) as box:
            eventually(lambda: sources(box).get("local:openclaw"))
            box.request("PATCH", "/api/sources/local:openclaw", {"credential": "wrong"})
            box.request("POST", "/api/sources/local:openclaw/connect", {})
            in_state(box, "error", "local:openclaw")
            time.sleep(1)
            assert sources(box)["local:openclaw"]["state"] == "error"
            rescan(box)
            assert sources(box)["local:openclaw"]["state"] == "disconnected"


# --- OpenClaw by itself ----------------------------------------------------------------


@test("OpenClaw connects by itself when its own configuration names a token")
def _():
    config = """// mine
    { gateway: { port: %d, auth: { mode: 'token', token: '${MY_CLAW_TOKEN}', }, }, }"""
    with Gateway(token=CANARY) as gateway:
        env = places(HOME=home(config % gateway.port), MY_CLAW_TOKEN=CANARY)
        del env["SIGNALBOX_DISCOVER_OPENCLAW"]
        with Box(env={**env, "SIGNALBOX_DISCOVER_INTERVAL": "300ms"}) as box:
            in_state(box, "connected", "local:openclaw")
            assert sources(box)["local:openclaw"]["url"] == gateway.url
            assert gateway.connects[0]["auth"] == {"token": CANARY}
            box.request("POST", "/api/sources/local:openclaw/disconnect", {})
            in_state(box, "disconnected", "local:openclaw")
            rescan(box)
            time.sleep(0.7)
            assert sources(box)["local:openclaw"]["state"] == "disconnected", "so it was wanted"
            held = [p for p in box.data.rglob("*") if p.is_file() and CANARY.encode() in p.read_bytes()]
            assert held == [], "the token stays where OpenClaw keeps it"
            assert CANARY not in box.log() and CANARY not in json.dumps(sources(box))


@test("without a token, or when that is not wanted, it is only listed")
def _():
    with Gateway() as gateway:
        config = '{gateway: {auth: {token: "%s"}}}' % gateway.token
        for env in (places(gateway, HOME=home("{}")), places(gateway, HOME=home("{{{")),
                    places(gateway, HOME=home(config), SIGNALBOX_DISCOVER_CONNECT="false")):
            with Box(env=env) as box:
                rescan(box)
                assert sources(box)["local:openclaw"]["state"] == "disconnected"
        assert gateway.connects == []


# A gateway that belongs to somebody else, and tells at the end what it heard.
STRANGER = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import gateway
os.setgid({0}); os.setuid({0})
g = gateway.Gateway(token=sys.argv[2])
print(g.port, flush=True)
sys.stdin.read()
print(json.dumps([g.heads, g.connects]), flush=True)
""".format(NOBODY)


@test("a port that another user holds gets no token, neither by itself nor when asked")
def _():
    if os.geteuid() != 0:
        raise Skip("another user's socket can only be made by root")
    stranger = subprocess.Popen(
        [sys.executable, "-c", STRANGER, str(Path(__file__).parent), CANARY],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = int(stranger.stdout.readline())
        config = '{gateway: {port: %d, auth: {token: "%s"}}}' % (port, CANARY)
        env = places(HOME=home(config), SIGNALBOX_DISCOVER_OPENCLAW=f"127.0.0.1:{port}")
        with Box(env=env) as box:
            rescan(box)
            assert sources(box)["local:openclaw"]["state"] == "disconnected"
            assert "held by another user" in box.log(), box.log()
            box.request("POST", "/api/sources/local:openclaw/connect", {})
            source = in_state(box, "error", "local:openclaw")
            assert "held by another user" in source["error"], source
            answer = box.request("POST", "/api/sources", {
                "id": "mine", "url": f"ws://127.0.0.1:{port}", "protocol": "openclaw",
                "credentialFrom": "openclaw"})
            assert answer.status == 201, answer
            assert "held by another user" in in_state(box, "error", "mine")["error"]
        stranger.stdin.close()
        heads, connects = json.loads(stranger.stdout.readline())
        assert len(heads) == 2 and CANARY not in str(heads) and connects == [], (heads, connects)
    finally:
        stranger.kill()
        stranger.wait()
        stranger.stdout.close()


def change(box, id, want=200, **wish):
    answer = box.request("PATCH", f"/api/sources/{id}", wish)
    assert answer.status == want and CANARY not in answer.text, answer
    return answer.json()


@test("a token is taken from OpenClaw's own configuration, told as such, and never shown")
def _():
    with Gateway(token=CANARY) as gateway:
        config = '{gateway: {auth: {token: "%s"}}}' % CANARY
        top = home(config)
        with Box(env=places(gateway, HOME=top, SIGNALBOX_DISCOVER_CONNECT="false")) as box:
            rescan(box)
            said = sources(box)["local:openclaw"]
            assert said["credentialFrom"] == "openclaw" and not said["hasCredential"], said
            change(box, "local:openclaw", credential="wrong")
            assert sources(box)["local:openclaw"]["credentialFrom"] == "user"
            box.request("POST", "/api/sources/local:openclaw/connect", {})
            in_state(box, "error", "local:openclaw")
            change(box, "local:openclaw", credentialFrom="openclaw")
            source = in_state(box, "connected", "local:openclaw")
            assert source["credentialFrom"] == "openclaw", source
            assert gateway.connects[-1]["auth"] == {"token": CANARY}

            # One that was added by hand takes it too, also after a restart.
            answer = box.request("POST", "/api/sources", {
                "id": "mine", "url": f"ws://localhost:{gateway.port}", "protocol": "openclaw",
                "credentialFrom": "openclaw"})
            assert answer.status == 201 and CANARY not in answer.text, answer
            in_state(box, "connected", "mine")
            with WS(box, unix=True) as ws:
                assert ws.json()["op"] == "hello"
                ws.send({"op": "subscribe", "types": ["none"], "sourceState": True})
                told = ws.json()
                assert told["op"] == "sources" and CANARY not in json.dumps(told), told
            box.stop()
            box.start()
            in_state(box, "connected", "mine")
            assert sources(box)["mine"]["credentialFrom"] == "openclaw"
            held = [p for p in box.data.rglob("*") if p.is_file() and CANARY.encode() in p.read_bytes()]
            assert held == [], "the token stays where OpenClaw keeps it"
            assert CANARY not in box.log()

            # Without a token in the file there is none to take, and the list says so.
            (top / ".openclaw" / "openclaw.json").write_text("{}")
            box.request("POST", "/api/sources/mine/disconnect", {})
            rescan(box)
            assert sources(box)["mine"]["credentialFrom"] is None
            assert "names no token" in change(box, "mine", 409, credentialFrom="openclaw")["error"]


@test("it is taken for a gateway of this machine and for nothing else, by an admin")
def _():
    config = '{gateway: {auth: {token: "%s"}}}' % CANARY
    with Service() as stream, Box(env=places(HOME=home(config))) as box:
        for id, url, protocol in (("far", "wss://gateway.example", "openclaw"),
                                  ("near", f"ws://127.0.0.1:{stream.port}", "websocket")):
            box.request("POST", "/api/sources", {"id": id, "url": url, "protocol": protocol,
                                                 "connect": False})
            change(box, id, 400, credentialFrom="openclaw")
            assert sources(box)[id]["credentialFrom"] is None
        change(box, "near", protocol="openclaw")
        change(box, "near", 400, credentialFrom="elsewhere")
        change(box, "near", 400, credentialFrom="openclaw", credential="x")
        answer = box.request("PATCH", "/api/sources/near", {"credentialFrom": "openclaw"}, unix=False)
        assert answer.status == 401, answer
        change(box, "near", credentialFrom="openclaw")
        assert sources(box)["near"]["credentialFrom"] == "openclaw"
        # Another address was never meant.
        change(box, "near", url="wss://gateway.example")
        assert sources(box)["near"]["credentialFrom"] is None
        assert CANARY.encode() not in stream.heard


@test("the token is shown to an admin on our own page, and to nobody else")
def _():
    config = '{gateway: {auth: {token: "%s"}}}' % CANARY
    env = places(HOME=home(config), SIGNALBOX_AUTH_ORIGINS="http://guest.example")
    with Box(env=env) as box:
        path, ours = "/api/openclaw/token", {"Origin": f"http://127.0.0.1:{box.port}"}

        def get(headers, unix=False):
            return box.request("GET", path, headers=headers, unix=unix)

        same = {"Sec-Fetch-Site": "same-origin"}
        for headers in (ours, same):
            answer = get({**headers, **box.bearer()})
            assert answer.status == 200, answer
            assert answer.json() == {"ok": True, "token": CANARY}, answer
        refused = [get(ours), get(same), get({}), get(box.bearer()), get({}, unix=True),
                   get({**box.bearer(), "Origin": "http://guest.example"}),
                   get({**box.bearer(), "Origin": "http://localhost.evil"}),
                   get({**box.bearer(), "Sec-Fetch-Site": "cross-site"}),
                   get({**box.bearer(), "Sec-Fetch-Site": "none"})]
        for answer in refused:
            assert answer.status in (401, 403) and CANARY not in answer.text, answer
    with Box(env=places()) as box:
        answer = box.request("GET", "/api/openclaw/token", headers={
            **box.bearer(), "Sec-Fetch-Site": "same-origin"}, unix=False)
        assert answer.json() == {"ok": False}, answer


# --- the command line --------------------------------------------------------------------


@test("signalbox discover shows it, and makes the list follow when it is told to")
def _():
    with Service(models("m1", "m2", "m3", "m4")) as lm, Box(env=places(lm_studio=lm)) as box:
        def line():
            shown = cli("discover", "--data", str(box.data))
            assert shown.code == 0 and "LM Studio" in shown.out, shown.err
            line, = [l for l in shown.out.splitlines() if "LM Studio" in l]
            in_time(" yes " in line, line)
            return line

        assert "m1, m2, m3 and 1 more" in at_last(line)
        assert sources(box) == {}

        def follows():
            told = cli("discover", "--rescan", "--json", "--data", str(box.data))
            assert [s["id"] for s in json.loads(told.out)["services"]] == SIX, told.out
            in_time(sources(box), "a probe had no answer")

        at_last(follows)
        assert list(sources(box)) == ["local:lm-studio"]
        assert cli("discover", "more", "--data", str(box.data)).code == 2


run()
