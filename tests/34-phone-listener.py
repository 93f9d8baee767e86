#!/usr/bin/env python3
"""Devices, and a listener of the configuration at their port: the two are one, or it is said why not."""

import os
import signal
import socket

from doors import bearer
from lib import WS, cli, eventually, run, temp_dir, test
from phones import PhoneBox, is_ended, reload_with
from tls import make_cert, write_config

BASE = "listen: ['127.0.0.1:0'{}]\nphone: {{listen: '127.0.0.1:{}'}}\n"


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def start(port):
    return PhoneBox(BASE.format("", port), listen=())


def secure(port, host="127.0.0.1"):
    cert, key = make_cert(temp_dir(), days=400)
    return f", {{address: '{host}:{port}', cert: {cert}, key: {key}}}", open(cert).read()


def refuses(box, config, *words):
    before = box.log().count("all stays as it was")
    write_config(box, config)
    os.kill(box.pid, signal.SIGHUP)
    eventually(lambda: box.log().count("all stays as it was") > before)
    said = [line for line in box.log().splitlines() if "all stays as it was" in line][-1]
    assert all(word in said for word in words), said


@test("a listener of the configuration takes the place of the one of devices, which stay, and gives it back")
def _():
    port = free_port()
    with start(port) as box:
        secret = box.secret()
        with WS(box, "/ws", bearer(secret)) as ws:
            ws.json()
            row, cert = secure(port)
            reload_with(box, BASE.format(row, port))
            addresses = (box.data / "listen").read_text().split()
            assert sum(a == f"127.0.0.1:{port}" for a in addresses) == 1 and len(addresses) == 3, addresses
            assert box.request("GET", "/api/certificate").status == 404, "ours is in use no more"
            ours, box.voucher = box.voucher, cert
            assert box.is_let_in(secret), "by the certificate of the configuration"
            said = box.request("POST", "/api/devices", {}).json()
            assert said["url"].startswith(f"https://127.0.0.1:{port}/") and "fingerprint" not in said, said
            assert box.trade(said["code"]).status == 200
            reload_with(box, BASE.format("", port))
            box.find_phone()
            assert box.port == port and box.voucher == ours and box.is_let_in(secret)
            assert not is_ended(ws)
        assert cli("devices", "revoke", "phone", "--data", box.data).code == 0


@test("a listener that only has the port of devices is refused in words, and nothing changes")
def _():
    port = free_port()
    with start(port) as box:
        secret = box.secret()
        for row in (f", '127.0.0.1:{port}'", secure(port, "0.0.0.0")[0]):
            refuses(box, BASE.format(row, port), f":{port}", f"devices come in at 127.0.0.1:{port}", "phone.listen")
            assert box.is_let_in(secret)


@test("check and a start say that a listener is in the way of phone.listen, and where it is not say nothing")
def _():
    data = temp_dir()
    assert cli("token", "rotate", "--data", data / "data").code == 0
    port, row = free_port(), secure(7447, "0.0.0.0")[0]

    def check(config):
        (data / "box.yaml").write_text(config)
        (data / "box.yaml").chmod(0o600)
        done = cli("check", data / "box.yaml", "--data", data / "data")
        assert done.code == 0, done
        return "has the port of phone.listen" in done.err

    assert check(f"listen: ['127.0.0.1:{port}']\nphone: {{listen: '0.0.0.0:{port}'}}\n")
    assert check(f"listen: ['127.0.0.1:{port}']\nphone: {{listen: '127.0.0.1:{port}'}}\n")
    assert check("listen: ['localhost:7447']\n")
    assert not check("listen: ['127.0.0.1:7446']\n")
    assert not check("listen: ['[::1]:7447']\n")
    assert not check(f"listen: ['127.0.0.1:7446'{row}]\n")
    assert not check("listen: ['127.0.0.1:0']\nphone: {listen: '0.0.0.0:0'}\n")
    with PhoneBox(BASE.format(f", '127.0.0.1:{port}'", port), listen=()) as box:
        assert "has the port of phone.listen" in box.log()
        answer = box.request("POST", "/api/devices", {})
        assert answer.status == 409 and "phone.listen" in answer.json()["error"], answer


run()
