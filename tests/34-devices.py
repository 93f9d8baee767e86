#!/usr/bin/env python3
"""Paired devices: how one comes in, what it may do, how it stays, and how it is thrown out."""

import json
import os
import re
import signal
import socket
import ssl
from pathlib import Path

from doors import as_other_user, bearer, status
from lib import SIGNALBOX, WS, Closed, Http, Refused, cli, eventually, run, temp_dir, test
from phones import CONFIG, PhoneBox, is_ended, reload_with
from screens import Tmux
from tls import make_cert, write_config


@test("a code makes a device once, with a secret of its own and the scopes that were chosen")
def _():
    with PhoneBox() as box:
        assert not box.is_open()
        said = box.pair()
        assert re.fullmatch(rf"https://127\.0\.0\.1:{box.port}/#t=[0-9a-f]{{64}}", said["url"]), said
        assert said["scopes"] == ["observe", "answer"] and said["name"] == "phone", said
        assert said["url"].endswith(said["code"])
        got = box.trade(said["code"])
        assert got.status == 200 and set(got.json()) == {"ok", "device", "name"}, got
        assert box.trade(said["code"]).status == 401, "once"
        secret = got.json()["device"]
        assert box.is_let_in(secret)
        assert box.request("POST", "/api/signal", {"type": "x"}, bearer(secret), unix=False).status == 403
        assert box.request("POST", "/api/devices", {}, bearer(secret), unix=False).status == 403
        with WS(box, "/ws", bearer(secret)) as ws:
            assert ws.json()["scopes"] == ["observe", "answer"]
        other = box.secret(name="tablet", scopes="observe,emit")
        assert box.request("POST", "/api/signal", {"type": "x"}, bearer(other), unix=False).status == 200
        assert [d["name"] for d in box.devices()] == ["phone", "tablet"]
        assert box.devices()[1]["scopes"] == ["observe", "emit"]


@test("the secret stands nowhere but with the device: not in DATA, the log or an answer")
def _():
    with PhoneBox() as box:
        secret = box.secret()
        assert box.is_let_in(secret)
        said = box.pair()
        for path in [*box.data.rglob("*"), box.log_path]:
            if path.is_file():
                assert secret.encode() not in path.read_bytes(), path
                assert said["code"].encode() not in path.read_bytes(), path
        assert secret not in box.request("GET", "/api/devices").text
        assert (box.data / "devices.json").stat().st_mode & 0o777 == 0o600
        assert (box.data / "phone.pem").stat().st_mode & 0o777 == 0o600


@test("a device outlives a restart and a new token of the owner, and says when it was seen")
def _():
    with PhoneBox() as box:
        secret = box.secret()
        box.restart()
        assert box.is_open(), "for those who are paired"
        box.find_phone()
        assert box.is_let_in(secret)
        (device,) = box.devices()
        assert device["pairedMs"] <= device["seenMs"]
        assert cli("token", "rotate", "--data", box.data).code == 0
        assert box.is_let_in(secret)
    (kept,) = json.loads((box.data / "devices.json").read_text())
    assert kept["seenMs"] >= device["seenMs"]


@test("who is revoked is out at once: its sockets, its streams, its tickets and its secret")
def _():
    with PhoneBox() as box:
        first, second = box.secret(), box.secret()
        assert [d["name"] for d in box.devices()] == ["phone", "phone-2"]
        with WS(box, "/ws", bearer(first)) as ws, WS(box, "/ws", bearer(second)) as stays:
            ws.json(), stays.json()
            stream = box.http(unix=False)
            stream.send(f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n"
                        f"Authorization: Bearer {first}\r\n\r\n".encode())
            assert stream.head()[0] == 200
            ticket = box.request("POST", "/api/ticket", {}, bearer(first), unix=False).json()["ticket"]
            done = cli("devices", "revoke", "phone", "--data", box.data)
            assert done.code == 0, done
            eventually(lambda: is_ended(ws))
            try:
                while True:
                    stream.more()
            except (Closed, ConnectionError, ssl.SSLError):
                pass
            assert not is_ended(stays)
        assert not box.is_let_in(first) and box.is_let_in(second)
        try:
            WS(box, f"/ws?ticket={ticket}")
            raise AssertionError("a ticket of one who is revoked")
        except Refused as refused:
            assert refused.response.status == 401
        done = cli("devices", "revoke", "phone", "--data", box.data)
        assert done.code == 1 and "no device is called 'phone'" in done.err, done
        assert [d["name"] for d in box.devices()] == ["phone-2"]
        box.restart()
        box.find_phone()
        assert not box.is_let_in(first) and box.is_let_in(second)


@test("a device ends itself, whatever its scopes, and nobody else")
def _():
    with PhoneBox() as box:
        first, second = box.secret(scopes="emit"), box.secret()
        box.secret(name="stays")

        def leave(secret):
            return box.request("DELETE", "/api/session", headers=bearer(secret) if secret else None, unix=False)

        with WS(box, "/ws", bearer(second)) as ws, WS(box, "/ws", bearer(second)) as other:
            ws.json(), other.json()
            assert leave(first).status == 200
            assert [d["name"] for d in box.devices()] == ["phone-2", "stays"]
            assert leave(first).status == 401 and not is_ended(ws)
            assert box.request("DELETE", "/api/devices/phone-2", headers=bearer(second), unix=False).status == 403
            assert leave(second).json() == {"ok": True}, "it is answered"
            eventually(lambda: is_ended(ws) and is_ended(other))
        assert [d["name"] for d in box.devices()] == ["stays"] and not box.is_let_in(second)
        assert leave(None).status in (401, 403)
        answer = box.request("DELETE", "/api/session")
        assert answer.status == 403 and "paired device" in answer.json()["error"], answer
        box.restart()
        assert [d["name"] for d in box.devices()] == ["stays"]


@test("the network's door is closed when the last device is gone and knows it")
def _():
    with PhoneBox() as box:
        secret = box.secret()
        assert box.is_open()
        box.revoke("phone", secret)
        assert box.closes()
        assert box.request("GET", "/api/certificate").status == 404, "it is in use no more"
        code = box.pair()["code"]
        box.revoke("tablet", box.secret(name="tablet"))
        assert box.is_open(), "a code is still out"
        secret = box.trade(code).json()["device"]
        box.revoke("phone", secret)
        assert box.closes()
        code = box.pair()["code"]
        assert status(PlainDoor(box), "/api/session", None, "POST", {"code": code}) == 403
        assert not box.is_open(), "the code is void"
    with PhoneBox() as box:
        secret = box.secret()
        box.restart()
        assert box.is_open()
        box.find_phone()
        box.revoke("phone", secret)
        assert box.closes()
        box.restart()
        assert not box.is_open()


@test("the last device is told that it was revoked: the door stays for its question, of each, and not for a stranger's")
def _():
    with PhoneBox() as box:
        first, second = box.secret(), box.secret()
        for name in ("phone", "phone-2"):
            assert cli("devices", "revoke", name, "--data", box.data).code == 0
        assert box.is_open() and box.devices() == []
        answer = box.request("GET", "/api/status", headers=bearer("0" * 64), unix=False)
        assert answer.status == 401 and answer.json()["code"] == "unauthorized", answer
        for secret in (first, first, second):
            assert box.is_open(), "somebody has not heard it"
            answer = box.request("GET", "/api/status", headers=bearer(secret), unix=False)
            assert answer.status == 401 and answer.json()["code"] == "revoked", answer
        assert box.closes()
        assert "a wrong credential was refused" in box.log()
    with PhoneBox() as box:
        secret = box.secret()
        assert box.request("DELETE", "/api/session", headers=bearer(secret), unix=False).status == 200
        assert not box.is_open(), "one that ended itself knows it"


@test("a secret that was revoked is no guess in a message of a WebSocket, and its device is told later")
def _():
    with PhoneBox() as box:
        secret = box.secret()
        assert cli("devices", "revoke", "phone", "--data", box.data).code == 0
        for _ in range(12):
            with WS(box, "/ws/gateway") as ws:
                assert ws.json()["event"] == "connect.challenge"
                ws.send({"type": "req", "id": "q", "method": "connect", "params": {
                    "minProtocol": 4, "maxProtocol": 4, "role": "operator", "scopes": ["operator.read"],
                    "client": {"id": "gateway-client", "version": "1", "platform": "linux", "mode": "backend"},
                    "auth": {"token": secret}}})
                answer = ws.json()
                assert not answer["ok"] and "token_mismatch" in json.dumps(answer).lower(), answer
        assert "a wrong credential was refused" not in box.log()
        assert box.is_open(), "it has not heard it"
        answer = box.request("GET", "/api/status", headers=bearer(secret), unix=False)
        assert answer.status == 401 and answer.json()["code"] == "revoked", answer
        assert box.closes()


@test("the door does not stay for a device that never asks again")
def _():
    shift = temp_dir() / "shift"
    address = os.environ.get("ASAN_OPTIONS", "")
    library = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "libclock.so"
    for minutes in (3, -1):
        shift.unlink(missing_ok=True)
        with PhoneBox(env={"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(shift),
                           "ASAN_OPTIONS": f"{address}:verify_asan_link_order=0"}) as box:
            box.secret()
            assert cli("devices", "revoke", "phone", "--data", box.data).code == 0
            assert box.is_open()
            shift.symlink_to(str(60 * minutes))
            assert box.closes()


class PlainDoor:
    """The loopback listener of a box, without TLS."""

    def __init__(self, box):
        self.port = int(box.addresses[0].rpartition(":")[2])

    def http(self, unix=False, receive_buffer=None):
        return Http(socket.create_connection(("127.0.0.1", self.port)), is_box=True)

    def host_header(self):
        return {"Host": f"127.0.0.1:{self.port}"}


@test("a device's secret and code are of no use without TLS, where anybody may be listening")
def _():
    with PhoneBox() as box:
        secret, code = box.secret(), box.pair()["code"]
        plain = PlainDoor(box)
        assert status(plain, "/api/status", bearer(secret)) == 401
        assert status(plain, "/api/session", None, "POST", {"code": code}) == 403
        assert box.trade(code).status == 401, "it was shown where it does not belong"
        assert box.is_let_in(secret)


@test("a Host is the address that the connection came to, and nothing that looks like it")
def _():
    with PhoneBox("phone: {listen: '0.0.0.0:0'}\n") as box:
        box.pair(host="127.0.0.2")
        box.here = "127.0.0.2"

        def ask(host, origin=None):
            headers = {"Host": host, **({"Origin": origin} if origin else {})}
            return box.request("GET", "/healthz", headers=headers, unix=False).status

        own = f"127.0.0.2:{box.port}"
        assert ask(own) == 200
        assert ask(own, f"https://{own}") == 200
        assert ask(own, f"http://{own}") == 403
        for host in ("127.0.0.2", f"127.0.0.3:{box.port}", f"127.0.0.2.evil.com:{box.port}",
                     f"evil.com:{box.port}", f"0127.0.0.2:{box.port}", f"0.0.0.0:{box.port}", ""):
            assert ask(host) == 421, host
        for origin in ("https://127.0.0.2", f"https://127.0.0.3:{box.port}", "null", f"https://evil.com:{box.port}"):
            assert ask(own, origin) == 403, origin
        done = cli("pair", "--host", "box.example", "--data", box.data, "--print")
        assert done.code == 1 and "auth.hosts" in done.err, done


@test("a listener of the configuration that others reach is the one that devices use")
def _():
    cert, key = make_cert(temp_dir())
    box = PhoneBox(f"listen: ['127.0.0.1:0', {{address: '0.0.0.0:0', cert: {cert}, key: {key}}}]\n", listen=())
    assert cli("token", "rotate", "--data", box.data).code == 0, "a new machine has none"
    with box:
        done = cli("open", "--lan", "--data", box.data, "--print")
        assert done.code == 1 and "auth.hosts has no name for 0.0.0.0:" in done.err, done
        port = box.addresses[1].rpartition(":")[2]
        write_config(box, box.config.read_text() + f"auth: {{hosts: ['box.example:{port}']}}\n")
        os.kill(box.pid, signal.SIGHUP)
        eventually(lambda: "was read again" in box.log())
        done = cli("open", "--lan", "--data", box.data, "--print")
        assert done.code == 0 and done.out.startswith(f"https://box.example:{port}/#t="), done
        assert box.request("GET", "/api/certificate").status == 404, "it is not ours"


@test("the fingerprint is told of the listener that the device is to come in at, and of no other")
def _():
    cert, key = make_cert(temp_dir())
    box = PhoneBox("listen: ['127.0.0.1:0']\n" + CONFIG, listen=())
    assert cli("token", "rotate", "--data", box.data).code == 0, "a new machine has none"
    with box:
        assert "fingerprint" in box.pair()
        more = f"listen: ['127.0.0.1:0', {{address: '0.0.0.0:0', cert: {cert}, key: {key}}}]\n" + CONFIG
        reload_with(box, more)
        port = (box.data / "listen").read_text().split()[1].rpartition(":")[2]
        reload_with(box, more + f"auth: {{hosts: ['box.example:{port}']}}\n")
        said = box.request("POST", "/api/devices", {}).json()
        assert said["url"].startswith(f"https://box.example:{port}/") and "fingerprint" not in said, said
        assert box.request("GET", "/api/certificate").status == 200, "the other is still open"


@test("the certificate is for the address in the URL, and made anew for another")
def _():
    with PhoneBox("phone: {listen: '0.0.0.0:0'}\n") as box:
        first = box.pair()
        pem = (box.data / "phone.pem").read_bytes()
        again = box.pair()
        assert again["fingerprint"] == first["fingerprint"] and (box.data / "phone.pem").read_bytes() == pem
        other = box.pair(host="203.0.113.9")
        assert other["fingerprint"] != first["fingerprint"] and other["fingerprintChanged"]
        assert "fingerprintChanged" not in again and "fingerprintChanged" not in first
        assert other["url"].startswith(f"https://203.0.113.9:{box.port}/#t=")
        assert re.fullmatch(r"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}", other["fingerprint"]), other
        assert pem.count(b"PRIVATE KEY-----") == 2, "one key: what vouches for it has none"
        done = cli("pair", "--host", "203.0.113.10", "--data", box.data, "--print")
        assert done.code == 0 and "another fingerprint" in done.err, done
        last, old, usual = box.pair(host="203.0.113.10"), box.pair(host="203.0.113.9"), box.pair()
        assert last["fingerprint"] == old["fingerprint"] == usual["fingerprint"], "names are kept"


@test("a start uses the certificate that is there, whatever the address of the machine is by now")
def _():
    with PhoneBox("phone: {listen: '0.0.0.0:0'}\n") as box:
        cert, key = make_cert(temp_dir(), days=100)
        pem = box.data / "phone.pem"
        pem.touch(0o600)
        pem.write_text(open(key).read() + open(cert).read())
        before = pem.read_bytes()
        box.secret(host="127.0.0.1")
        assert pem.read_bytes() == before
        box.restart()
        assert box.is_open() and pem.read_bytes() == before
        os.kill(box.pid, signal.SIGHUP)
        eventually(lambda: "was read again" in box.log())
        assert pem.read_bytes() == before


@test("a pair that fails opens nothing and ends nothing, nor does the end of the last device")
def _():
    with PhoneBox() as box:
        code, other = (box.request("POST", "/api/code", {}).json()["code"] for _ in range(2))
        assert box.request("POST", "/api/devices", {"host": "box.example"}).status == 409
        assert not box.is_open() and not (box.data / "phone.pem").exists()
        assert box.trade(code, unix=True).status == 200
        box.revoke("phone", box.secret())
        assert box.closes()
        assert box.trade(other, unix=True).status == 200


@test("what is asked wrongly is refused in words, and nothing is opened")
def _():
    with PhoneBox() as box:
        for body, words in (({"name": "a b"}, "a device's name"), ({"scopes": "king"}, "king"),
                            ({"scopes": "none"}, "nothing"), ({"name": 7}, "must be a string"),
                            ([], "the body must be"), ({"name": "x" * 40}, "a device's name")):
            answer = box.request("POST", "/api/devices", body)
            assert answer.status == 400 and words in answer.json()["error"], answer
        assert box.request("POST", "/api/devices", {"host": "a b"}).status == 409
        assert not box.is_open()
        plain = PlainDoor(box)
        assert status(plain, "/api/devices") == 401 and status(plain, "/api/devices", None, "POST", {}) == 401
        assert as_other_user(lambda: status(plain, "/api/devices", None, "POST", {}) - 400) == 1


@test("a taken port is said, and a box with devices starts without it")
def _():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with PhoneBox(f"phone: {{listen: '127.0.0.1:{port}'}}\n") as box:
            done = cli("pair", "--data", box.data, "--print")
            assert done.code == 1 and "phone.listen" in done.err, done
            (box.data / "devices.json").touch(0o600)
            (box.data / "devices.json").write_text(json.dumps(
                [{"name": "phone", "scopes": ["observe"], "digest": "0" * 64, "pairedMs": 1, "seenMs": 1}]))
            box.stop()
            box.start()
            assert "paired devices cannot come in" in box.log()


@test("a file of devices that others can read stops the box")
def _():
    with PhoneBox() as box:
        box.secret()
        box.stop()
        (box.data / "devices.json").chmod(0o644)
        done = cli("serve", "--data", box.data, "--config", box.config)
        assert done.code != 0 and "chmod 600" in done.err, done
        (box.data / "devices.json").chmod(0o600)
        box.start()


P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"


@test("a subscription that is refused or cannot be written leaves the old one, and a revocation is written later")
def _():
    with PhoneBox() as box:
        secret = box.secret()

        def put(endpoint, auth=AUTH):
            body = {"endpoint": endpoint, "keys": {"p256dh": P256DH, "auth": auth}}
            return box.request("PUT", "/api/push", body, bearer(secret), unix=False).status

        def is_told():
            return box.request("GET", "/api/push", headers=bearer(secret), unix=False).json()["subscribed"]

        file, kept = box.data / "devices.json", box.data / "kept"
        assert put("https://push.example/a", AUTH + "==") == 200, "padding"
        assert put("https://push.example/a") == 200
        for auth in (AUTH + "=" * 30, AUTH + "=", AUTH + "======"):
            assert put("https://push.example/b", auth) == 400, auth
        assert is_told() and "push.example/a" in file.read_text()
        file.rename(kept)
        file.mkdir()
        assert put("https://push.example/b") == 500
        assert is_told()
        done = cli("devices", "revoke", "phone", "--data", box.data)
        assert done.code == 1 and "not on the disk" in done.err, done
        assert box.devices() == []
        file.rmdir()
        eventually(lambda: file.exists() and json.loads(file.read_text()) == [])


@test("the verbs: a URL for a pipe, a QR code on a terminal, a table of devices")
def _():
    with PhoneBox() as box:
        where = ["--data", box.data]
        done = cli("devices", *where)
        assert done.code == 0 and "no device is paired" in done.err, done
        done = cli("pair", *where)
        assert done.code == 0 and re.fullmatch(r"https://127\.0\.0\.1:\d+/#t=[0-9a-f]{64}\n", done.out), done
        done = cli("open", "--lan", "--json", "--name", "tablet", *where)
        assert json.loads(done.out)["name"] == "tablet", done
        assert cli("open", "--name", "tablet", *where).code == 2
        box.find_phone()
        assert box.trade(json.loads(done.out)["code"]).status == 200
        table = cli("devices", *where)
        assert re.search(r"tablet +observe,answer +\S+.* ago", table.out), table
        assert json.loads(cli("devices", "--json", *where).out)[0]["name"] == "tablet"
        assert cli("devices", "revoke", *where).code == 2
        assert cli("devices", "throw", *where).code == 2
        with Tmux("pair", *where, rows=40, env={"LANG": "C.UTF-8"}) as screen:
            seen = screen.shows("ended 0", "▄", "#t=", "fingerprint", "observe, answer")
            assert "█" in seen or "▀" in seen, seen
        with Tmux("pair", "--print", *where, rows=40) as plain:
            assert "▄" not in plain.shows("ended 0", "#t=")


run()
