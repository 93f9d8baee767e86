#!/usr/bin/env python3
"""SIGHUP: the configuration is read again, nobody is dropped, and a bad one changes nothing."""

import os
import signal

from lib import Box, WS, closed_port, eventually, run, temp_dir, test
from servers import Upstream
from tls import make_cert, write_config


def start(text, **how):
    box = Box(listen=(), **how)
    box.args = ["--config", str(write_config(box, text))]
    return box.start()


def reload(box, text):
    """Writes another configuration and waits until the box has said what became of it."""
    done = box.log().count("the configuration ")
    write_config(box, text)
    os.kill(box.pid, signal.SIGHUP)
    eventually(lambda: box.log().count("the configuration ") > done)
    return [line for line in box.log().splitlines() if "the configuration " in line][-1]


BASE = "listen: ['127.0.0.1:0']\n"


@test("limits, credentials and validation are the new ones, and a client hears it all the while")
def _():
    with start(BASE) as box:
        ws = WS(box, "/ws/signals")
        assert box.request("GET", "/api/status", unix=False).status == 200
        last = reload(box, BASE + "auth: {local: none}\nvalidation: strict\nlimits: {body: 2KiB}\n")
        assert "was read again" in last, last
        assert box.request("GET", "/api/status", unix=False).status == 401
        refused = box.request("POST", "/api/signal", {"type": "error", "payload": {}})
        assert refused.status == 400, refused
        big = box.request("POST", "/api/signal", {"type": "x", "payload": {"x": "y" * 4000}})
        assert big.status == 413, big
        box.emit("heard")
        assert ws.json()["type"] == "heard"


@test("a source whose credential file says something else is connected to with that, and no other")
def _():
    place = temp_dir()
    with Upstream() as one, Upstream() as two:
        text = BASE + "sources:\n"
        for name, up in (("one", one), ("two", two)):
            (place / name).write_text("secret-1\n")
            (place / name).chmod(0o600)
            text += (f"  - {{id: {name}, url: '{up.url}', protocol: openai,"
                     f" credential_file: {place / name}}}\n")

        def keys(up):
            return [r.headers.get("authorization", "").removeprefix("Bearer ") for r in up.heard]

        with start(text) as box:
            eventually(lambda: "secret-1" in keys(one) and "secret-1" in keys(two))
            before = len(two.heard)
            (place / "one").write_text("secret-2\n")
            assert "was read again" in reload(box, text)
            eventually(lambda: keys(one)[-1:] == ["secret-2"])
            assert len(two.heard) == before, "the other one was begun anew"
            (place / "one").chmod(0o644)
            assert "all stays as it was" in reload(box, text)
            assert "secret-" not in box.log()


@test("a chat whose credential file cannot be read is not closed: all stays as it was")
def _():
    secret = temp_dir() / "secret"
    secret.write_text("secret-1\n")
    secret.chmod(0o600)
    text = (BASE + "adapters:\n  irc: {url: 'tcp://127.0.0.1:%d', nick: box, rooms: ['#a'],"
            " credential_file: %s}\n" % (closed_port(), secret))
    with start(text) as box:
        secret.unlink()
        last = reload(box, text)
        assert "all stays as it was" in last and "adapters: 'irc'" in last, last
        secret.write_text("secret-2\n")
        secret.chmod(0o600)
        assert "was read again" in reload(box, text)
        assert "secret-" not in box.log()


@test("a configuration that is bad in any part changes nothing and says where")
def _():
    with start(BASE + "auth: {local: observe}\n") as box:
        port, free = box.port, closed_port()
        other = Box().start()
        for text, words in (
            ("listen: [\n", "box.yaml:"),
            (BASE + "lisen: x\n", "box.yaml:2:1: unknown key"),
            (BASE + f"auth: {{tokens: [{{name: a, file: /nowhere, scopes: emit}}]}}\n", "/nowhere"),
            (f"listen: ['127.0.0.1:{other.port}']\n", str(other.port)),
            (BASE + "sources: [{id: a, url: 'ws://127.0.0.1:1/', protocol: nonsense}]\n", "nonsense"),
            (f"listen: ['127.0.0.1:0', '127.0.0.1:{free}']\n"
             f"sources: [{{id: a, url: 'ws://127.0.0.1:{free}/'}}]\n", "is this box itself"),
        ):
            last = reload(box, text)
            assert "all stays as it was" in last and words in last, (text, last)
            assert box.request("GET", "/api/status", unix=False).status == 200
            assert box.request("POST", "/api/signal", {"type": "x"}, unix=False).status == 401
            assert box.port == port
        other.stop()


@test("listeners come and go; who came through one that is gone stays")
def _():
    with start("listen: ['127.0.0.1:0', '[::1]:0']\n") as box:
        ws = WS(box, "/ws/signals")
        first = box.port
        reload(box, "listen: ['[::1]:0', {address: '127.0.0.2:0', dialect: signals}]\n")
        addresses = (box.data / "listen").read_text().split()
        assert len(addresses) == 3 and addresses[1].startswith("127.0.0.2:"), addresses
        assert addresses[0] == box.addresses[1], "one that stays is the same one"
        try:
            box.connect(unix=False).close()
            raise AssertionError("the old one still accepts")
        except ConnectionRefusedError:
            pass
        box.emit("still")
        assert ws.json()["type"] == "still"
        reload(box, f"listen: ['127.0.0.1:{first}']\n")
        box.port = first
        assert box.request("GET", "/api/status", unix=False).status == 200


@test("two listeners that are written alike stay two, each with what it speaks")
def _():
    cert, key = make_cert(temp_dir())
    text = f"listen: ['127.0.0.1:0', {{address: '127.0.0.1:0', cert: {cert}, key: {key}}}]\n"
    with start(text) as box:
        for _ in range(2):
            assert "was read again" in reload(box, text)
        assert (box.data / "listen").read_text().split() == box.addresses
        assert box.request("GET", "/api/status", unix=False).status == 200
        box.port = int(box.addresses[1].rpartition(":")[2])
        box.connect(unix=False).close()


@test("sources of the configuration come, change and go")
def _():
    def sources(box):
        return {s["id"]: s["url"] for s in box.request("GET", "/api/sources").json()["sources"]
                if s["configured"]}

    row = "  - {id: %s, url: 'ws://127.0.0.1:%d/', connect: false}\n"
    with start(BASE + "sources:\n" + row % ("a", 1) + row % ("b", 2)) as box:
        assert sources(box) == {"a": "ws://127.0.0.1:1/", "b": "ws://127.0.0.1:2/"}
        reload(box, BASE + "sources:\n" + row % ("b", 3) + row % ("c", 4))
        assert sources(box) == {"b": "ws://127.0.0.1:3/", "c": "ws://127.0.0.1:4/"}


@test("what cannot follow is named, and the rest follows")
def _():
    with start(BASE) as box:
        last = reload(box, BASE + "limits: {message: 2MiB}\nauth: {local: none}\n")
        assert "limits.message is another one, which needs a restart" in box.log()
        assert "was read again" in last
        assert box.request("GET", "/api/status", unix=False).status == 401


@test("a hundred reloads while signals flow: nothing is lost and nobody dropped")
def _():
    with start(BASE) as box:
        ws = WS(box, "/ws/signals")
        for n in range(100):
            write_config(box, BASE + f"log: {{level: {'info' if n % 2 else 'debug'}}}\n")
            os.kill(box.pid, signal.SIGHUP)
            box.emit("n", payload={"n": n})
        assert [ws.json()["payload"]["n"] for _ in range(100)] == list(range(100))


@test("a stored signal is sent, however long a message may be now")
def _():
    with start(BASE + "limits: {message: 8MiB, body: 8MiB}\n") as box:
        box.emit("long", payload={"x": "y" * 4_000_000})
        box.emit("short")
        box.stop()
        write_config(box, BASE + "limits: {message: 8KiB}\n")
        box.start()
        for path in ("/ws/signals?after=0", "/ws"):
            ws = WS(box, path)
            if path == "/ws":
                ws.json()
                ws.send({"op": "subscribe", "after": 0})
            assert len(ws.json()["payload"]["x"]) == 4_000_000
            assert ws.json()["type"] == "short"


run()
