#!/usr/bin/env python3
"""HTTP as docs/protocol.md says it: nothing that a request says is passed over."""

import gzip
import re

from lib import ROOT, WS, Box, Refused, run, test

ROUTES = re.findall(r'\{"([A-Z]+)", "([^"]+)",\s*\w+, ([\w| ]+), \w+,\s*\w+(, true)?\}',
                    (ROOT / "src/web/routes.c").read_text())
GUEST = "https://lab.example"


def concrete(path):
    return path.replace("/api/show/*", "/api/show/wires").replace("*", "nobody")


def refused(answer, status, code, words=""):
    said = answer.json()
    assert answer.status == status, answer
    assert said["ok"] is False and said["code"] == code and words in said["error"], answer


@test("a query parameter that is not known is refused on every route, by its name")
def _():
    assert len(ROUTES) > 40, ROUTES
    with Box(args=["--echo"]) as box:
        for method, path, _, _ in ROUTES:
            answer = box.request(method, concrete(path) + "?nonsense=1")
            refused(answer, 400, "invalid", "nonsense: there is no such parameter")
        for path in ("/ws", "/ws/signals", "/ws/run", "/echo"):
            try:
                WS(box, path + "?nonsense=1", unix=True).close()
                raise AssertionError(f"{path} took it")
            except Refused as refusal:
                refused(refusal.response, 400, "invalid", "nonsense")
        for path in ("/api/stream", "/__signals__/stream"):
            refused(box.request("GET", path + "?nonsense=1"), 400, "invalid", "nonsense")


@test("a body is read or refused, and never passed over")
def _():
    with Box() as box:
        for method, path, types, _ in ROUTES:
            if types == "0":
                answer = box.request(method, concrete(path), {"a": 1})
                refused(answer, 400, "invalid", "takes no body")
            elif types == "ROUTE_NOTHING":
                for body in ({"a": 1}, "[]", "{", "{}{}"):
                    answer = box.request(method, concrete(path), body)
                    refused(answer, 400, "invalid", "this route takes no body, or {}")
                answer = box.request(method, concrete(path), " { } ")
                assert answer.status != 400, (path, answer)
        for path in ("/", "/api/stream"):
            refused(box.request("GET", path, {"a": 1}), 400, "invalid", "takes no body")


@test("a body that is compressed is refused")
def _():
    with Box() as box:
        body = gzip.compress(b'{"type":"packed"}')
        for method, path, types, _ in ROUTES:
            if types != "0":
                answer = box.request(method, concrete(path), body, {"Content-Encoding": "gzip"})
                refused(answer, 415, "unsupported_type", "compressed")
                assert answer.headers["accept-encoding"] == "identity", answer
        plain = box.request("POST", "/api/signal", {"type": "plain"}, {"Content-Encoding": "Identity"})
        assert plain.status == 200, plain
        assert [s["type"] for s in box.history("&type=plain,packed")] == ["plain"]


@test("a Host is known in capitals or not, and no other is")
def _():
    with Box(env={"SIGNALBOX_AUTH_HOSTS": "Box.Example"}) as box:
        for host in (f"LOCALHOST:{box.port}", f"LocalHost:{box.port}", "box.example", "BOX.EXAMPLE"):
            answer = box.request("GET", "/healthz", headers={"Host": host}, unix=False)
            assert answer.status == 200, (host, answer)
        for host in ("box.example.", "box.exampl", f"localhost.:{box.port}", ""):
            refused(box.request("GET", "/healthz", headers={"Host": host}, unix=False), 421, "wrong_host")


@test("a page of auth.origins gets what CORS asks for, with refusals too")
def _():
    with Box(env={"SIGNALBOX_AUTH_ORIGINS": GUEST}) as box:
        def ask(method, path, **headers):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            answer = box.request(method, path, headers={"Origin": GUEST, **named}, unix=False)
            assert answer.headers["access-control-allow-origin"] == GUEST, answer
            assert answer.headers["vary"] == "Origin", answer
            return answer

        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            answer = ask("OPTIONS", "/api/show", Access_Control_Request_Method=method)
            assert answer.status == 204, answer
            assert method in answer.headers["access-control-allow-methods"].split(", "), answer
            allowed = {n.lower() for n in answer.headers["access-control-allow-headers"].split(", ")}
            assert {"authorization", "content-type", "if-match", "if-none-match",
                    "last-event-id"} <= allowed, answer
            assert "access-control-allow-private-network" not in answer.headers, answer
        answer = ask("OPTIONS", "/api/show", Access_Control_Request_Method="GET",
                     Access_Control_Request_Private_Network="true")
        assert answer.headers["access-control-allow-private-network"] == "true", answer
        for path, status in (("/api/show", 200), ("/nowhere", 404), ("/api/signals?x=1", 400)):
            answer = ask("GET", path, **box.bearer())
            assert answer.status == status, answer
            exposed = {n.lower() for n in answer.headers["access-control-expose-headers"].split(", ")}
            assert {"etag", "retry-after", "allow"} <= exposed, answer
        assert ask("GET", "/api/tap/status", **{"Authorization": "Bearer wrong"}).status == 401
        elsewhere = box.request("GET", "/healthz", headers={"Origin": "https://other.example"}, unix=False)
        refused(elsewhere, 403, "forbidden")
        assert "access-control-allow-origin" not in elsewhere.headers, elsewhere


@test("every refusal has a code and words, those before a route is found too")
def _():
    with Box(env={"SIGNALBOX_LIMITS_LINE": "1KiB"}) as box:
        refused(box.request("GET", "/nowhere"), 404, "unknown")
        refused(box.request("PUT", "/api/signals"), 405, "not_allowed")
        refused(box.request("GET", "/ws"), 426, "upgrade_required")
        refused(box.request("GET", "/" + "x" * 2000), 414, "too_big")
        refused(box.request("GET", "/api/status", headers={"Authorization": "Bearer x"}), 401, "unauthorized")
        refused(box.request("POST", "/api/signal", "nonsense"), 400, "not_json")
        refused(box.request("POST", "/api/signal", "x", {"Content-Type": "text/plain"}), 415,
                "unsupported_type")
        refused(box.request("POST", "/api/control", {"run": "nobody", "do": "pause"}), 404, "unknown")
        refused(box.request("POST", "/api/sources/nobody/ask", {"prompt": "x"}), 404, "unknown")
        refused(box.request("PUT", "/api/show", {}, {"If-Match": '"other"'}), 412, "changed")
        http = box.http()
        http.send(b"NONSENSE /\r\n\r\n")
        refused(http.answer(), 501, "not_supported")
        http.close()


run()
