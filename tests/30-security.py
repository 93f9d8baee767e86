#!/usr/bin/env python3
"""Who gets in, and what stays outside: a test for each threat we know of.

The numbers are the rows of the table of threats.  Everything is asked over real
sockets; nothing here knows the code.
"""

import base64
import contextlib
import functools
import gzip
import json
import os
import re
import signal
import socket
import stat

from doors import as_other_user, bearer, config_box, session_of, status, upgrade
from lib import (Box, Events, Refused, WS, answer_bytes, cli, eventually, request_bytes, run, temp_dir,
                 test)
from screens import Tmux

UPGRADES = ["/ws", "/ws/signals", "/echo", "/", "/ws/run", "/ws/gateway", "/ws/voice", "/nothing"]
SPOKEN = {"/ws", "/ws/signals", "/ws/run", "/ws/gateway", "/ws/voice", "/echo"}
NAMED_LATER = {"/ws/gateway"}  # who comes says who it is in its first message
STREAMS = ["/api/stream", "/__signals__/stream"]
READS = ["/healthz", "/readyz", "/api/version", "/api/status", "/api/signals",
         "/api/signals?format=ndjson", "/api/discover/local", *STREAMS]
CHANGES = ["/api/signal", "/api/session", "/api/ticket", "/api/code", "/api/token/reload",
           "/api/discover/rescan", "/api/hooks/claude-code", "/api/tap/connect",
           "/api/tap/disconnect"]

FOR_EVER = "public, max-age=31536000, immutable"

HEADERS = {
    "content-security-policy":
        "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "style-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(self), "
                          "usb=(), serial=(), hid=(), midi=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@functools.cache
def page_files():
    """The page and what it names: files whose names have a hash of their content."""
    with Box() as box:
        html = box.request("GET", "/").body.decode()
    named = sorted(set(re.findall(r'(?:href|src)="(/[^"]+)"', html)))
    assert len(named) >= 3, named
    return ["/", "/index.html", "/worker.js", *named]


def foreign_hosts(port):
    return [
        "", "evil.com", f"evil.com:{port}", f"127.evil.com:{port}", f"127.0.0.1.evil.com:{port}",
        f"localhost.evil.com:{port}", f"localhost:{port}.evil.com", f"evil.localhost:{port}",
        "127.0.0.1", "localhost", "[::1]", f"127.0.0.1:{port + 1}", f"127.0.0.1:0{port}",
        f"0x7f.1:{port}", f"2130706433:{port}", f"127.1:{port}", f"0.0.0.0:{port}",
        f"[::ffff:127.0.0.1]:{port}", f"127.0.0.1.:{port}", f"localhost.:{port}",
        f"user@127.0.0.1:{port}", f"127.0.0.1:{port}@evil.com",
        f"http://127.0.0.1:{port}", f"127.0.0.1:{port},evil.com",
    ]


def foreign_origins(port):
    return [
        "null", "", "file://", "http://evil.com", f"http://evil.com:{port}",
        f"https://127.0.0.1:{port}", "http://127.0.0.1", f"http://127.0.0.1:{port + 1}",
        f"http://127.0.0.1:{port}/", f"http://127.0.0.1:{port}.evil.com",
        f"http://127.0.0.1:{port}@evil.com", f"http://127.evil.com:{port}",
        f"http://127.0.0.1.evil.com:{port}", f"http://localhost.evil.com:{port}",
        f"http://LOCALHOST:{port}", f"http://localhost.:{port}", f"http://2130706433:{port}",
        f"http://127.0.0.1:{port}, http://evil.com", "chrome-extension://abcdef",
    ]


def our_hosts(port):
    return [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]


# --- 1 ------------------------------------------------------------------------


@test("1: an upgrade passes with exactly our Origin, and no other spelling of it")
def _():
    with Box(args=["--echo"]) as box:
        for path in UPGRADES:
            want = 101 if path in SPOKEN else 404
            for host in our_hosts(box.port):
                headers = {**box.bearer(), "Origin": f"http://{host}"}
                assert upgrade(box, path, headers) == want, (path, host)
            for origin in foreign_origins(box.port):
                headers = {**box.bearer(), "Origin": origin}
                assert upgrade(box, path, headers) == 403, (path, origin)
            for host in foreign_hosts(box.port):
                headers = {**box.bearer(), "Host": host}
                assert upgrade(box, path, headers) in (400, 421), (path, host)


@test("1: a page of our own origin opens nothing without a credential")
def _():
    with Box(args=["--echo"]) as box:
        for path in UPGRADES:
            want = 101 if path in NAMED_LATER else 401
            for host in our_hosts(box.port):
                assert upgrade(box, path, {"Origin": f"http://{host}"}) == want, path
            assert upgrade(box, path, {"Sec-Fetch-Site": "same-origin"}) == want, path
            assert upgrade(box, path, {"Sec-Fetch-Site": "cross-site"}) == 403, path


@test("1: two Origins or two Hosts are one too many")
def _():
    with Box() as box:
        for name in ("Host", "Origin"):
            http = box.http(unix=False)
            good = f"127.0.0.1:{box.port}"
            value = good if name == "Host" else f"http://{good}"
            http.send(f"GET /healthz HTTP/1.1\r\nHost: {good}\r\n{name}: {value}\r\n"
                      f"{name}: {value}\r\n\r\n".encode())
            assert http.answer().status == 400
            http.close()


# --- 2 ------------------------------------------------------------------------


@test("2: a foreign Host is turned away on every route, files and streams included")
def _():
    with Box() as box:
        for path in READS + page_files() + ["/nothing"]:
            for host in foreign_hosts(box.port):
                got = status(box, path, {"Host": host})
                assert got in (400, 421), (path, host, got)
        for path in CHANGES:
            for host in ("evil.com", f"127.evil.com:{box.port}"):
                got = status(box, path, {"Host": host, **box.bearer()}, "POST", {})
                assert got == 421, (path, host, got)


@test("2: each of our names is known on every route")
def _():
    with Box() as box:
        for path in READS + page_files():
            for host in our_hosts(box.port):
                assert status(box, path, {"Host": host}) == 200, (path, host)


@test("2: auth.hosts adds a name, exactly")
def _():
    with config_box("auth: {hosts: ['box.example:8443']}\n") as box:
        assert status(box, "/healthz", {"Host": "box.example:8443"}) == 200
        assert status(box, "/healthz", {"Host": "box.example"}) == 421
        assert status(box, "/healthz", {"Host": "a.box.example:8443"}) == 421


@test("2: a whole URL in the request line cannot name another host")
def _():
    with Box() as box:
        assert status(box, "http://evil.com/healthz") == 400
        assert status(box, f"http://127.0.0.1:{box.port}/healthz") == 200


# --- 3 ------------------------------------------------------------------------


@test("3: what a foreign page can post is refused, and nothing is stored")
def _():
    signal = '{"type":"csrf"}'
    with Box() as box:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                     "text/plain; application/json", "", None):
            got = status(box, "/api/signal", {"Content-Type": kind}, "POST", signal)
            assert got == 415, (kind, got)
        for path in CHANGES:
            for origin in ("null", "http://evil.com"):
                for extra in ({}, box.bearer()):
                    got = status(box, path, {"Origin": origin, **extra}, "POST", signal)
                    assert got == 403, (path, origin, got)
            for site in ("cross-site", "same-site", "x"):
                got = status(box, path, {"Sec-Fetch-Site": site, **box.bearer()}, "POST", signal)
                assert got == 403, (path, site, got)
        for site in ("same-origin", "none"):
            assert status(box, "/api/signal", {"Sec-Fetch-Site": site}, "POST", signal) == 401
        assert box.history() == []


@test("3: no answer has CORS headers, and a preflight of a stranger is refused")
def _():
    ask = {"Access-Control-Request-Method": "POST",
           "Access-Control-Request-Headers": "content-type"}
    with Box() as box:
        for origin in ("http://evil.com", "null"):
            for path in CHANGES + READS:
                answer = box.request("OPTIONS", path, None, {"Origin": origin, **ask}, unix=False)
                assert answer.status == 403, answer
                assert "access-control" not in str(answer.headers), answer
        ours = {"Origin": f"http://127.0.0.1:{box.port}", **ask}
        answer = box.request("OPTIONS", "/api/signal", None, ours, unix=False)
        assert answer.status == 405 and "access-control" not in str(answer.headers), answer
        answer = box.request("GET", "/api/status", None, {**ours, **box.bearer()}, unix=False)
        assert answer.status == 200 and "access-control" not in str(answer.headers), answer


@test("3: a GET changes nothing, and a change is no GET")
def _():
    with Box() as box:
        for path in CHANGES:
            for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
                allowed = ["POST"] + ["DELETE"] * (path == "/api/session")  # a device ends itself
                if method in allowed:
                    continue
                answer = box.request(method, path)
                assert answer.status == 405, (method, path, answer)
                assert answer.headers["allow"] == ", ".join(allowed), answer
        for path in page_files() + [r for r in READS if r not in STREAMS]:
            for method in ("POST", "PUT", "PATCH", "DELETE"):
                answer = box.request(method, path, {})
                assert answer.status == 405, (method, path, answer)
                assert answer.headers["allow"] == "GET, HEAD", answer
        for path in STREAMS:
            assert box.request("POST", path, {}).status == 405


@test("3: a page in auth.origins may observe and emit, and no more")
def _():
    guest = {"Origin": "https://studio.example"}
    with config_box("auth: {origins: ['https://studio.example']}\n") as box:
        answer = box.request("POST", "/api/signal", {"type": "guest"},
                             {**guest, "Sec-Fetch-Site": "cross-site"}, unix=False)
        assert answer.status == 200, answer
        assert answer.headers["access-control-allow-origin"] == "https://studio.example"
        assert box.history()[0]["source"] == "local/http"
        ask = {**guest, "Access-Control-Request-Method": "POST"}
        preflight = box.request("OPTIONS", "/api/signal", None, ask, unix=False)
        assert preflight.status == 204, preflight
        assert "Authorization" in preflight.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in preflight.headers
        assert status(box, "/api/stream", guest) == 200
        with WS(box, "/ws", guest) as ws:
            assert ws.json()["scopes"] == ["observe", "emit"]
        for path in ("/api/code", "/api/token/reload", "/api/ticket"):
            assert box.request("POST", path, {}, guest, unix=False).status == 401, path
        code = box.request("POST", "/api/code", {}, {**guest, **box.bearer()}, unix=False)
        assert code.status == 200, code
        for other in ("https://studio.example.evil.com", "http://studio.example"):
            assert status(box, "/healthz", {"Origin": other}) == 403
        forwarded = {**guest, "X-Forwarded-For": "127.0.0.1"}
        assert status(box, "/api/signals", forwarded) == 401


# --- 4 ------------------------------------------------------------------------


@test("4: nobody is given the token of another gateway")
def _():
    with Box() as box:
        for headers in ({}, {"Origin": f"http://127.0.0.1:{box.port}"}):
            assert 400 <= status(box, "/api/openclaw/token", headers) < 500


# --- 7 ------------------------------------------------------------------------


@test("7: the first start makes a token of 256 bits that only its owner can read")
def _():
    tokens = set()
    for _ in range(2):
        with Box() as box:
            path = box.data / "token"
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(box.data.stat().st_mode) == 0o700
            assert path.stat().st_uid == os.geteuid()
            assert len(path.read_text()) == 65
            assert len(bytes.fromhex(box.token)) == 32
            assert stat.S_IMODE(box.sock.stat().st_mode) == 0o600
            tokens.add(box.token)
            token = box.token
            box.restart()
            assert box.token == token
    assert len(tokens) == 2


def refused_start(box, words):
    code = box.spawn().wait()
    assert code not in (0, None), code
    assert words in box.log(), box.log()
    return code


@test("7: a token or a directory that others can get at refuses the start")
def _():
    with Box() as box:
        box.stop()
        for mode in (0o644, 0o640, 0o604, 0o660):
            (box.data / "token").chmod(mode)
            refused_start(box, "chmod 600")
        (box.data / "token").chmod(0o600)
        box.data.chmod(0o755)
        refused_start(box, "chmod 700")
        box.data.chmod(0o700)
        (box.data / "token").write_text("secret\n")
        refused_start(box, "hexadecimal")
        os.unlink(box.data / "token")
        os.symlink("/dev/null", box.data / "token")
        refused_start(box, "token")


@test("7: a one-time code becomes a session once, a session a ticket, a ticket a socket once")
def _():
    with Box() as box:
        ours = {"Origin": f"http://127.0.0.1:{box.port}", "Sec-Fetch-Site": "same-origin"}
        made = box.request("POST", "/api/code").json()
        assert made["url"] == f"http://127.0.0.1:{box.port}/#t={made['code']}"
        trade = {"code": made["code"]}
        session = box.request("POST", "/api/session", trade, ours, unix=False)
        assert session.status == 200, session
        again = box.request("POST", "/api/session", trade, ours, unix=False)
        assert again.status == 401 and "signalbox open" in again.json()["error"], again
        page = {**ours, **bearer(session.json()["token"])}
        ticket = box.request("POST", "/api/ticket", {}, page, unix=False).json()["ticket"]
        for path in ("/api/signals", "/healthz", "/api/stream"):
            want = 400 if path == "/healthz" else 401
            assert status(box, f"{path}?ticket={ticket}", ours) == want
        with WS(box, f"/ws?ticket={ticket}", ours) as ws:
            assert "admin" in ws.json()["scopes"]
        assert upgrade(box, f"/ws?ticket={ticket}", ours) == 401
        ticket = box.request("POST", "/api/ticket", {}, page, unix=False).json()["ticket"]
        assert upgrade(box, f"/ws?ticket={ticket}", {"Origin": "http://evil.com"}) == 403
        assert upgrade(box, f"/ws?ticket={ticket}", ours) == 101
        for body in ({}, {"code": 1}, {"code": None}, [], "x", {"code": "0" * 64}):
            answer = box.request("POST", "/api/session", body, unix=False)
            assert answer.status in (400, 401), answer


@test("7: a reload that fails keeps the tokens as they were")
def _():
    with Box() as box:
        old = box.token
        (box.data / "token").write_text("rubbish\n")
        answer = box.request("POST", "/api/token/reload")
        assert answer.status == 500 and "hexadecimal" in answer.json()["error"], answer
        assert status(box, "/api/status", bearer(old)) == 200
        (box.data / "token").write_text(old + "\n")


@test("7: the token is on no command line and in no environment")
def _():
    with Box() as box:
        for name in ("cmdline", "environ"):
            try:
                with open(f"/proc/{box.pid}/{name}", "rb") as file:
                    assert box.token.encode() not in file.read()
            except PermissionError:
                pass  # not dumpable: even we may not look


# --- 8 ------------------------------------------------------------------------


def wrong_tokens(box, count, ask):
    """How often each status came, and the last answer."""
    seen = {}
    for _ in range(count):
        last = ask()
        seen[last.status] = seen.get(last.status, 0) + 1
    return seen, last


@test("8: of a thousand wrong tokens a few are heard out, and the right one still works")
def _():
    with Box() as box:
        def ask():
            return box.request("GET", "/api/status", None, bearer(os.urandom(32).hex()), unix=False)

        seen, last = wrong_tokens(box, 1000, ask)
        assert set(seen) == {401, 429} and seen[429] > 900, seen
        assert int(last.headers["retry-after"]) >= 1, last
        assert last.headers["connection"] == "close", last
        assert status(box, "/api/status", box.bearer()) == 200
        assert status(box, "/api/status") == 200
        assert box.request("GET", "/api/status").json()["refusedCredentials"] == 1000


@test("8: every way to show a wrong credential counts, and nothing beside it helps")
def _():
    with config_box("auth: {query: true}\n") as box:
        junk = "0" * 64
        ways = [
            lambda: box.request("GET", "/healthz", None, {"Authorization": "Basic YTpi"}, unix=False),
            lambda: box.request("GET", "/", None, {"Authorization": f"bearer {junk}"}, unix=False),
            lambda: box.request("GET", "/api/status", None, bearer(junk)),
            lambda: box.request("POST", "/api/session", {"code": junk}, unix=False),
            lambda: box.request("GET", f"/ws?token={box.token}", None,
                                {**bearer(junk), "Cookie": f"token={box.token}",
                                 "X-Api-Key": box.token}, unix=False),
        ]
        for _ in range(10):
            for ask in ways:
                assert ask().status in (401, 429)
        # One is heard out now and then, so who comes late is asked again.
        for ask in ways:
            eventually(lambda: ask().status == 429)
        for path in (f"/ws?token={junk}", f"/ws?ticket={junk}", f"/ws/signals?token={junk}",
                     "/ws?ticket=%zz", "/ws?token=%00", f"/ws?ticket={'x' * 5000}", "/ws?ticket",
                     f"/ws?ticket=%zz&token={box.token}"):
            eventually(lambda: upgrade(box, path) == 429)
        assert upgrade(box, f"/ws?token={box.token}") == 101


@test("8: a ticket or token that cannot be decoded is a wrong one, not none")
def _():
    with config_box("auth: {query: true}\n") as box:
        for path in ("/ws", "/ws/signals"):
            assert upgrade(box, path) == 101, "without any it is a local program"
            for query in ("ticket=%zz", "ticket=", "ticket", "ticket=%0", "token=%zz", "token=%00"):
                assert upgrade(box, f"{path}?{query}") == 401, (path, query)
            assert upgrade(box, f"{path}?ticket=%zz", unix=True) == 401


# --- 9 ------------------------------------------------------------------------


def scoped_box():
    names = ("observe", "emit", "answer", "control", "admin")
    files = {name: os.urandom(32).hex() + "\n" for name in names}
    rows = ", ".join(f"{{name: {n}, file: TOP/{n}, scopes: {n}}}" for n in names)
    box = config_box(f"auth: {{local: none, tokens: [{rows}]}}\n", files)
    return box, {name: bearer(words.strip()) for name, words in files.items()}


@test("9: a credential allows what the server bound to it, whatever the client says")
def _():
    box, who = scoped_box()
    routes = [
        ("GET", "/api/status", "observe"), ("GET", "/api/signals", "observe"),
        ("GET", "/readyz", "observe"), ("GET", "/api/stream", "observe"),
        ("POST", "/api/signal", "emit"), ("POST", "/api/code", "admin"),
        ("POST", "/api/token/reload", "admin"),
    ]
    claims = {"X-Scope": "admin", "Scope": "admin", "X-Role": "admin"}
    with box:
        for method, path, scope in routes:
            body = {"type": "x", "scopes": ["admin"]} if path == "/api/signal" else None
            assert status(box, path, claims, method, body) == 401, path
            for name, headers in who.items():
                got = status(box, path, {**headers, **claims}, method, body)
                assert got == (200 if name == scope else 403), (path, name, got)
                if path == "/api/code":
                    asked = status(box, f"{path}?scope={scope}", {**headers, **claims}, method)
                    assert asked == (400 if name == scope else 403), (name, asked)


@test("9: an observer's socket cannot emit, and an emitter's cannot observe")
def _():
    box, who = scoped_box()
    with box:
        with WS(box, "/ws", who["observe"]) as ws:
            assert ws.json()["scopes"] == ["observe"]
            ws.send({"op": "emit", "signal": {"type": "x"}, "ref": "1"})
            answer = ws.json()
            assert (answer["op"], answer["code"]) == ("error", "forbidden"), answer
        with WS(box, "/ws", who["emit"]) as ws:
            assert ws.json()["scopes"] == ["emit"]
            ws.send({"op": "subscribe", "after": "0"})
            answer = ws.json()
            assert (answer["op"], answer["code"]) == ("error", "forbidden"), answer
        ticket = box.request("POST", "/api/ticket", {}, who["observe"], unix=False).json()["ticket"]
        with WS(box, f"/ws?ticket={ticket}") as ws:
            assert ws.json()["scopes"] == ["observe"]
        assert box.history() == []


@test("9: auth.local none gives nothing away, and the Unix socket is still the user's")
def _():
    with Box(env={"SIGNALBOX_AUTH_LOCAL": "none"}) as box:
        for path in ("/api/status", "/api/signals", "/readyz", "/api/stream", "/nothing"):
            assert status(box, path) == 401, path
        assert status(box, "/api/signal", None, "POST", {"type": "x"}) == 401
        assert upgrade(box, "/ws") == 401
        assert status(box, "/healthz") == 200 and status(box, "/") == 200
        assert box.request("POST", "/api/code").status == 200
        assert upgrade(box, "/ws", unix=True) == 101


@test("9: a token in the URL needs auth.query, and is for upgrades only")
def _():
    with Box() as box:
        assert upgrade(box, f"/ws?token={box.token}") == 401
    with Box(env={"SIGNALBOX_AUTH_QUERY": "true", "SIGNALBOX_AUTH_LOCAL": "none"}) as box:
        assert upgrade(box, f"/ws?token={box.token}") == 101
        assert status(box, f"/api/status?token={box.token}") == 401


@test("9: another user of this machine gets nothing without a token")
def _():
    with Box() as box:
        token = box.bearer()
        assert as_other_user(lambda: status(box, "/api/status") - 400) == 1
        assert as_other_user(lambda: upgrade(box, "/ws") - 400) == 1
        assert as_other_user(lambda: status(box, "/api/status", token) - 200) == 0

        def at_the_socket():
            try:
                box.connect(unix=True)
            except PermissionError:
                return 0
            return 1

        assert as_other_user(at_the_socket) == 0


def listen_as_another(sock):
    """Another user's server on a socket: says allow to all that it is asked; the file that it
    makes of what it heard, and its process."""
    as_other_user(lambda: 0)  # says why, if that cannot be
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(sock))
    os.chmod(sock, 0o777)
    ready, heard = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(54321)
        os.setuid(54321)
        server.listen(8)  # from here on the kernel names this user
        os.write(ready[1], b".")
        while True:
            peer, _ = server.accept()
            peer.settimeout(0.2)
            with contextlib.suppress(OSError):
                if got := peer.recv(65536):
                    os.write(heard[1], got)
                    peer.sendall(answer_bytes(ALLOW))
            peer.close()
    os.read(ready[0], 1)
    os.close(heard[1])
    return heard[0], child


ALLOW = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}


@test("9: the command line says nothing to another user's server, and believes nothing of it")
def _():
    data = temp_dir()
    heard, child = listen_as_another(data / "sock")
    try:
        asked = json.dumps({"hook_event_name": "PermissionRequest", "session_id": "s",
                            "tool_name": "Bash", "tool_input": {"command": "x"}})
        said = cli("hook", "--decide", "--data", data, input=asked)
        assert (said.code, said.out, said.err) == (0, "", ""), said
        for verb in (["prompts"], ["status"], ["answer", "p", "allow"], ["control", "s", "pause"],
                     ["tail"], ["emit", "--type", "x"], ["ask", "source", "q"], ["runs"],
                     ["bench", "--running", "--seconds", "1"]):
            said = cli(*verb, "--data", data)
            assert said.code != 0 and said.out == "", (verb, said)
        assert f"{data}/sock: uid 54321 listens there, who is neither you nor root" in (
            cli("status", "--data", data).err)
        with Tmux("top", "--data", data, cols=160) as top:
            top.shows("neither you nor root")
        cli("run", "--data", data, "--", "true")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert os.read(heard, 65536) == b""
    os.close(heard)


# --- 11 -----------------------------------------------------------------------


@test("11: a producer's seq and metadata.origin are not kept")
def _():
    with Box() as box:
        box.emit({"seq": 77, "type": "x", "metadata": {"origin": {"dialect": "y"}, "kept": 1}})
        stored = box.history()[0]
        assert stored["seq"] == 1 and stored["metadata"] == {"kept": 1}, stored


@test("11: without a credential no signal speaks for the user, for us or for a source of ours")
def _():
    types = ["user.click", "user.x", "prompt", "answer", "control", "source.state", "journal.gap", "session.gone"]
    sources = ["demo", "signalbox", "stage"]
    with Box() as box:
        forged = [{"type": t} for t in types] + [{"type": "x", "source": s} for s in sources]
        for signal in forged:
            answer = box.request("POST", "/api/signal", signal, unix=False)
            assert answer.status == 403, (signal, answer)
        batch = "\n".join(map(json.dumps, forged))
        answer = box.request("POST", "/api/signal", batch,
                             {"Content-Type": "application/x-ndjson"}, unix=False)
        assert answer.json()["rejectedCount"] == len(forged), answer
        with WS(box, "/ws") as ws:
            ws.json()
            for signal in forged:
                ws.send({"op": "emit", "signal": signal, "ref": "1"})
                assert ws.json()["op"] == "error"
        assert box.history() == []
        box.emit({"type": "x", "source": "mine"}, unix=False)
        box.emit({"type": "x"}, unix=False)
        box.emit({"type": "prompt", "source": "mine"})
        box.emit({"type": "user.x", "source": "mine"})
        got = [s["source"] for s in box.history()]
        assert got == ["local/mine", "local/http", "mine", "stage"], got


@test("11: adapter:NAME is a name like any other, and adapter:tap stays that of our hooks")
def _():
    names = ["adapter:openclaw", "adapter:tap:jsonl", "adapter:", "adapter:tap"]
    with Box() as box:
        for name in names:
            box.emit({"type": "x", "source": name}, unix=False)
        with WS(box, "/ws/signals") as ws:
            ws.send({"type": "x", "source": "adapter:emitter"})
            eventually(lambda: len(box.history()) == 5)
        box.emit({"type": "x", "source": "adapter:openclaw"})
        got = [s["source"] for s in box.history()]
        assert got == [f"local/{n}" for n in [*names, "adapter:emitter"]] + ["adapter:openclaw"], got


# --- 13 -----------------------------------------------------------------------


def check_headers(fields, cache, what):
    names = [name.lower() for name, _ in fields]
    values = {name.lower(): value for name, value in fields}
    for name, value in HEADERS.items():
        assert values.get(name) == value, (what, name, values)
    assert values.get("cache-control") == cache, (what, values)
    for name in (*HEADERS, "cache-control", "content-type"):
        assert names.count(name) <= 1, (what, name)


@test("13: every answer has the headers that keep a page harmless, errors too")
def _():
    with Box(env={"SIGNALBOX_LIMITS_BODY": "1KiB"}) as box:
        def head(data, cache="no-store"):
            http = box.http(unix=False)
            http.send(data)
            code, fields = http.head()
            check_headers(fields, cache, data[:60])
            http.close()
            return code

        def ask(method, path, body=None, **headers):
            return request_bytes(method, path, body, {**box.host_header(), **headers})

        for path in READS:
            for method in ("GET", "HEAD", "DELETE"):
                head(ask(method, path))
        for path in page_files():
            cache = FOR_EVER if re.search(r"-[0-9A-Z]{8}\.", path) else "no-cache"
            assert head(ask("GET", path), cache) == 200
            assert head(ask("HEAD", path), cache) == 200
            assert head(ask("POST", path, {})) == 405
        for path in CHANGES:
            head(ask("POST", path, {}))
        upgrade_fields = {"Connection": "Upgrade", "Upgrade": "websocket",
                          "Sec-WebSocket-Version": "13",
                          "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode()}
        assert head(ask("GET", "/ws", **upgrade_fields)) == 101
        assert head(ask("GET", "/ws")) == 426
        assert head(ask("GET", "/nothing")) == 404
        assert head(ask("GET", "/healthz", Origin="http://evil.com")) == 403
        assert head(ask("GET", "/healthz", Host="evil.com")) == 421
        assert head(ask("GET", "/api/status", Authorization="Bearer x")) == 401
        assert head(ask("POST", "/api/signal", "[]")) == 400
        assert head(ask("POST", "/api/signal", "x" * 2000)) == 413
        assert head(ask("GET", "/" + "x" * 10000)) == 414
        assert head(ask("GET", "/healthz", X="x" * 20000)) == 431
        assert head(b"\x00rubbish\r\n\r\n") == 400
        assert head(ask("BREW", "/healthz")) == 501
        etag = box.request("GET", "/", unix=False).headers["etag"]
        assert head(ask("GET", "/", **{"If-None-Match": etag}), "no-cache") == 304


@test("13: errors are JSON in words, and repeat nothing of what was sent")
def _():
    with Box() as box:
        for method, path, body in (
            ("GET", "/<script>", None), ("POST", "/api/signal", '{"<script>'),
            ("GET", "/api/signals?type=a&<script>=1", None), ("POST", "/api/session", '"<script>"'),
            ("GET", "/api/signals?after=<script>", None),
        ):
            answer = box.request(method, path, body)
            assert answer.status >= 400, answer
            assert answer.headers["content-type"] == "application/json", answer
            assert answer.json()["ok"] is False and answer.json()["error"], answer


# --- 14 -----------------------------------------------------------------------


@test("14: a file is packed for those who accept that, and the same file for all")
def _():
    with Box() as box:
        for path in page_files():
            plain = box.request("GET", path)
            packed = box.request("GET", path, None, {"Accept-Encoding": "br, gzip;q=0.5"})
            unwanted = box.request("GET", path, None, {"Accept-Encoding": "gzip;q=0"})
            assert "content-encoding" not in plain.headers, plain.headers
            if path.endswith(".png") or len(plain.body) < 200:  # packing makes them longer
                assert packed.body == plain.body and "content-encoding" not in packed.headers
                continue
            assert packed.headers["content-encoding"] == "gzip", packed.headers
            assert gzip.decompress(packed.body) == plain.body == unwanted.body
            assert len(packed.body) < len(plain.body)
            assert packed.headers["etag"] != plain.headers["etag"] == unwanted.headers["etag"]
            for answer in (plain, packed, unwanted):
                assert answer.headers["vary"] == "Accept-Encoding", answer.headers
            for tag in (plain.headers["etag"], packed.headers["etag"]):
                again = box.request("GET", path, None, {"If-None-Match": tag})
                assert again.status == 304 and again.body == b"", again


@test("14: no spelling of a path leads to a file outside the page")
def _():
    with Box() as box:
        (box.data / "canary.html").write_text("CANARY")
        inside = ["/../token", "/..%2ftoken", "/%2e%2e/token", "/%2e%2e%2ftoken", "/..\\token",
                  "/..%5ctoken", "//token", "/./token", "/token", "/canary.html", "/.//canary.html",
                  "/index.html/../canary.html", "/..;/token", "/%c0%ae%c0%ae/token",
                  "/..%00/token", "/index.html%00.js", "/....//token", "/%252e%252e/token",
                  f"/{box.data}/token", f"/..{box.data}/token", "/etc/passwd", "/../../etc/passwd",
                  "/proc/self/environ", "/index.html/", "/INDEX.HTML", "/index.html%20", "/~root/.profile"]
        for path in inside:
            for unix in (True, False):
                answer = box.request("GET", path, unix=unix)
                assert answer.status in (400, 404), (path, answer)
                assert b"CANARY" not in answer.body and box.token.encode() not in answer.body


# --- 19 -----------------------------------------------------------------------


@test("19: a secret comes out nowhere, whichever way it went in")
def _():
    canary = "c0ffee" * 10 + "beef"
    env = {"SIGNALBOX_LOG_LEVEL": "debug", "SIGNALBOX_AUTH_QUERY": "true"}
    with Box(env=env) as box:
        answers = []
        shown = {"Authorization": f"Bearer {canary}", "Cookie": f"s={canary}",
                 "X-Api-Key": canary, "Proxy-Authorization": f"Basic {canary}"}
        for path in READS + page_files() + ["/ws", "/nothing"]:
            for target in (path, f"{path.split('?')[0]}?token={canary}&ticket={canary}"):
                answers.append(box.request("GET", target, None, shown, unix=False))
        for path in CHANGES:
            body = {"code": canary}
            answers.append(box.request("POST", f"{path}?token={canary}", body, shown, unix=False))
        answers.append(box.request("POST", "/api/session", {"code": canary}, unix=False))
        for path in (f"/ws?token={canary}", f"/ws?ticket={canary}", f"/ws/signals?token={canary}"):
            try:
                WS(box, path, shown)
            except Refused as refused:
                answers.append(refused.response)
        secrets = [canary, box.token, session_of(box)["token"]]
        ticket = box.request("POST", "/api/ticket", {}, bearer(secrets[2])).json()["ticket"]
        assert upgrade(box, f"/ws?ticket={ticket}") == 101
        assert upgrade(box, f"/ws?token={box.token}") == 101
        answers += [box.request("GET", path) for path in READS if path not in STREAMS]
        box.stop()
        kept = "".join(p.read_text(errors="replace") for p in (box.data / "journal").rglob("*")
                       if p.is_file())
        said = "".join(f"{a.fields} {a.body}" for a in answers)
        for secret in (*secrets, ticket):
            for where, text in (("log", box.log()), ("journal", kept), ("answers", said)):
                assert secret not in text, f"a secret is in the {where}"
        assert "GET /ws" in box.log(), "the log says what was asked"


@test("19: what is in memory is not written to a core file, nor to be read by others")
def _():
    with Box() as box:
        owner = os.stat(f"/proc/{box.pid}/mem").st_uid
        assert owner == 0, "a process that is not dumpable belongs to root there"


# --- 20 -----------------------------------------------------------------------


@test("20: no line end in a signal ends a line of the journal, the stream or the log")
def _():
    nasty = "a\r\nid: 9\nevent: gap\rdata: x\n\n\u2028\x85\x1b[31m"
    env = {"SIGNALBOX_LOG_LEVEL": "debug"}
    with Box(env=env) as box:
        signal = {"type": f"t{nasty}", "id": f"i{nasty}", "source": f"s{nasty}",
                  "correlationId": f"c{nasty}", "payload": {nasty + "\x00": nasty + "\x00"}}
        with Events(box) as events, WS(box, "/ws/signals") as ws:
            box.emit(signal)
            box.emit({**signal, "id": "2"})
            box.request("POST", "/api/signal", '{"type":\r\n"pretty",\r"payload":\n{}}')
            for n in (1, 2, 3):
                event = events.next()
                assert event["event"] == "message", event
                assert event["id"].endswith(f"-{n}"), event
                assert json.loads(event["data"])["seq"] == n
            assert events.comments and "31m" not in str(events.comments)
            assert json.loads(ws.recv())["payload"] == signal["payload"]
        assert [s["seq"] for s in box.history()] == [1, 2, 3]
        path = "/x\u0085\x1b[31m".encode().decode("latin-1").replace("\x1b", "%1b")
        box.request("GET", path)
        box.request("GET", "/api/stream?after=1%0d%0aid:9")
        for name in ("Last-Event-ID", "User-Agent", "X"):
            box.request("GET", "/healthz", None, {name: "a\x1b[31mb"})
        for line in box.log().splitlines():
            assert "\x1b" not in line and not line.startswith(("id:", "event:", "data:")), line


@test("20: a Last-Event-ID that is no position is refused or a gap, never silence")
def _():
    with Box() as box:
        box.emit("x")
        for id in ("rubbish", "-1", "x-1", "99999999999999999999999"):
            assert status(box, "/api/stream", {"Last-Event-ID": id, **box.bearer()}) == 400, id
        with Events(box, headers={"Last-Event-ID": "0123456789ab-5"}) as events:
            assert events.next()["event"] == "gap"


# --- 21 -----------------------------------------------------------------------


@test("21: an address that others can reach is refused: exit 78")
def _():
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:7446", "[::ffff:0.0.0.0]:0", "0:0", "*:0",
                    "10.0.0.1:0", "example.com:0", "127.evil.com:0", ":0"):
        done = cli("serve", "--data", temp_dir() / "data", "--listen", address)
        assert done.code == 78, (address, done)
        assert done.err.strip() and not done.out, (address, done)


# --- 22 -----------------------------------------------------------------------


@test("22: what came through a proxy is not local, whatever the proxy says")
def _():
    with Box() as box:
        for name, value in (
            ("X-Forwarded-For", "127.0.0.1"), ("x-forwarded-proto", "http"),
            ("X-Forwarded-Host", f"127.0.0.1:{box.port}"), ("X-Forwarded-Anything", "x"),
            ("Forwarded", "for=127.0.0.1"), ("X-Real-IP", "::1"), ("Via", "1.1 proxy"),
            ("X-Forwarded-For", ""), ("CF-Connecting-IP", "127.0.0.1"),
            ("True-Client-IP", "127.0.0.1"), ("X-Client-IP", "127.0.0.1"),
            ("x-cluster-client-ip", "127.0.0.1"),
        ):
            for path in ("/api/status", "/api/signals", "/api/stream"):
                assert status(box, path, {name: value}) == 401, (name, path)
                assert status(box, path, {name: value, **box.bearer()}) == 200, (name, path)
            assert status(box, "/api/signal", {name: value}, "POST", {"type": "x"}) == 401, name
            assert upgrade(box, "/ws", {name: value}) == 401, name
            answer = box.request("POST", "/api/code", {}, {name: value})
            assert answer.status == 401, "a proxy at the Unix socket is not the user"


# --- 23 -----------------------------------------------------------------------


@test("23: JSON is read strictly, and numbers are kept to the digit")
def _():
    bad = [
        "", " ", "null", "1", '"x"', "[]", "{", '{"type":"x"', '{"type":"x",}', "{'type':'x'}",
        '{"type":"x"} {}', '{"type":"x"}x', '{"type":"x","type":"y"}',
        '{"type":"x","payload":[]}', '{"type":"x","payload":1}', '{"type":"x","id":1}',
        '{"type":"x","timestamp":"1"}', '{"type":"x","source":{}}', '{"type":"x","metadata":[]}',
        '{"type":"x","correlationId":1}', '{"type":"x","payload":{"a":01}}', "\ufeff{}",
        '{"type":"x","payload":{"a":NaN}}', '{"type":"x","payload":{"a":.5}}',
        '{"type":"x","payload":{"a":"\t"}}', '{"type":"x" /* */}',
        b'{"type":"x","payload":{"a":"\xff"}}', b'{"type":"x","payload":{"a":"\xed\xa0\x80"}}',
    ]
    with Box() as box:
        for body in bad:
            answer = box.request("POST", "/api/signal", body)
            assert answer.status == 400, (body, answer)
            assert answer.json()["code"] and answer.json()["error"], answer
        numbers = '{"a":18446744073709551615,"b":9007199254740993,"c":-0.0,"d":1e400,"e":"\\ud800"}'
        answer = box.request("POST", "/api/signal", f'{{"type":"x","payload":{numbers}}}')
        assert answer.status == 200, answer
        assert numbers in box.request("GET", "/api/signals").text
        assert len(box.history()) == 1


run()
