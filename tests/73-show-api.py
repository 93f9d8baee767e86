#!/usr/bin/env python3
"""The show of a running box: read, changed whole and by the item, kept, started, stopped."""

import json
import os
import threading
from urllib.parse import quote

from lib import PATIENCE_S, ROOT, Box, cli, eventually, run, sections, temp_dir, test

SMALL = (ROOT / "tests" / "fixtures" / "show" / "small.json").read_text()
DEFAULT = (ROOT / "show" / "default.json").read_text()
WIRE = {"fromZone": "signal-type", "fromId": "x", "toZone": "choreographer", "toId": "send"}
NODE = {"on": "knock", "steps": [{"action": "flash", "target": "ada", "duration": 5}]}


def get(box, path="", **headers):
    answer = box.request("GET", f"/api/show{path}", headers=fields(headers))
    assert answer.status in (304, 404) or answer.status == 200, answer
    return answer


def fields(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}


def change(box, method, path="", body=None, **headers):
    return box.request(method, f"/api/show{path}", body, fields(headers))


def must(answer, status=200):
    """A change that was made; its tag is that of the document now."""
    assert answer.status == status and answer.json()["ok"] is True, answer
    assert answer.headers["etag"] == f'"{answer.json()["tag"]}"', answer
    return answer.json()


def must_not(answer, status, words="", pointer=None):
    told = answer.json()
    assert answer.status == status and told["ok"] is False and words in told["error"], answer
    assert told.get("pointer") == pointer, answer


def played(box):
    return box.request("GET", "/api/status").json()["show"]["signalsProcessed"]


def ids(box, part):
    return [item["id"] for item in get(box, f"/{part}").json()]


# --- the document ------------------------------------------------------------


@test("the show of a new box is the one in the program, to the byte")
def _():
    with Box() as box:
        answer = get(box)
        assert answer.text == DEFAULT and answer.headers["content-type"] == "application/json"
        tag = answer.headers["etag"]
        assert tag.startswith('"') and tag.endswith('"') and len(tag) > 10, tag
        assert get(box, If_None_Match=tag).status == 304
        assert get(box, If_None_Match=f'"other", W/{tag}').headers["etag"] == tag
        assert get(box, If_None_Match='"other"').status == 200
        assert get(box, "/wires", If_None_Match=tag).status == 304
        head = box.request("HEAD", "/api/show")
        assert head.headers["etag"] == tag and int(head.headers["content-length"]) == len(
            DEFAULT.encode()), head
        assert not (box.data / "show.json").exists()


@test("a document that was put is what is read, and has a tag of its own")
def _():
    with Box() as box:
        before = get(box).headers["etag"]
        tag = must(change(box, "PUT", body=SMALL))["tag"]
        answer = get(box)
        assert answer.text == SMALL and answer.headers["etag"] == f'"{tag}"' != before
        assert (box.data / "show.json").read_text() == SMALL
        assert (box.data / "show.json").stat().st_mode & 0o777 == 0o600
        assert must(change(box, "PUT", body=SMALL))["tag"] == tag


@test("a bad document changes nothing and says where it is bad")
def _():
    with Box() as box:
        tag = get(box).headers["etag"]
        for old, new, pointer in (
            ('"to": "desk"', '"to": "dsk"', "/choreographies/0/steps/0/to"),
            ('"every": 1', '"evry": 1', "/wires/1/filters/1/evry"),
            ('"n": {"gt": 0}', '"n": {"gt": "0"}', "/wires/1/filters/3/clause/n/gt"),
            (SMALL, "[]", ""),
        ):
            assert old in SMALL, old
            answer = change(box, "PUT", body=SMALL.replace(old, new, 1))
            must_not(answer, 400, "", pointer)
            assert answer.headers["etag"] == tag, answer
        for body in ("{", "", "\x00", '{"version": 1}' * 2):
            must_not(change(box, "PUT", body=body), 400, "not JSON")
        http = box.http()
        http.send(b"PUT /api/show HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                  b"\r\nContent-Length: %d\r\n\r\n" % ((4 << 20) + 1))
        assert http.answer().status == 413
        http.close()
        refused = change(box, "PUT", body=SMALL, Content_Type="text/plain")
        assert refused.status == 415, refused
        assert get(box).headers["etag"] == tag and get(box).text == DEFAULT
        assert not (box.data / "show.json").exists()


@test("a signal is played by the document that is there, from the next one on")
def _():
    with Box() as box:
        box.emit({"type": "knock", "payload": {}})
        must(change(box, "PUT", body=SMALL))
        before = played(box)
        box.emit({"type": "knock", "payload": {}})
        assert played(box) == before
        must(change(box, "POST", "/choreographies", NODE), 201)
        box.emit({"type": "knock", "payload": {}})
        eventually(lambda: played(box) == before + 1)


# --- two editors -------------------------------------------------------------


@test("who has seen another document changes nothing")
def _():
    with Box() as box:
        first = get(box).headers["etag"]
        second = f'"{must(change(box, "PUT", body=SMALL, If_Match=first))["tag"]}"'
        for method, path, body in (("PUT", "", DEFAULT), ("POST", "/wires", WIRE),
                                   ("PUT", "/wires/w1", WIRE), ("DELETE", "/wires/w3", None)):
            for tag in (first, f"W/{second}", second[1:-1], ""):
                answer = change(box, method, path, body, If_Match=tag)
                must_not(answer, 412, "changed meanwhile")
                assert answer.headers["etag"] == second, answer
            must_not(change(box, method, path, body, If_None_Match="*"), 412)
        assert get(box).text == SMALL
        third = must(change(box, "DELETE", "/wires/w3", If_Match=f'{first}, {second}'))["tag"]
        must(change(box, "PUT", body=SMALL, If_Match="*"))
        assert f'"{third}"' != second and get(box).headers["etag"] == second


@test("of many who change the same document at once one wins, again and again")
def _():
    with Box() as box:
        must(change(box, "PUT", body=SMALL))
        for turn in range(5):
            tag = get(box).headers["etag"]
            answers = []

            def add(n):
                item = {**NODE, "id": f"c{turn}-{n}"}
                answers.append((n, change(box, "POST", "/choreographies", item, If_Match=tag)))

            threads = [threading.Thread(target=add, args=(n,)) for n in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE_S)
            assert sorted(a.status for _, a in answers) == [201] + [412] * 5, answers
            winner = next(n for n, a in answers if a.status == 201)
            assert ids(box, "choreographies")[-1] == f"c{turn}-{winner}"
        assert len(ids(box, "choreographies")) == 3 + 5


@test("changes without a condition are all made, each upon the one before")
def _():
    with Box() as box:
        must(change(box, "PUT", body=SMALL))
        made = []

        def add():
            made.append(must(change(box, "POST", "/choreographies", NODE), 201)["id"])

        threads = [threading.Thread(target=add) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert len(set(made)) == 10 and set(ids(box, "choreographies")[3:]) == set(made), made
        assert json.loads((box.data / "show.json").read_text()) == get(box).json()


# --- items -------------------------------------------------------------------


@test("items are listed, got, added, replaced and removed")
def _():
    with Box() as box:
        must(change(box, "PUT", body=SMALL))
        whole = json.loads(SMALL)
        for part, items in (("choreographies", whole["choreographies"]),
                            ("wires", whole["wires"]), ("bindings", whole["bindings"]),
                            ("entities", whole["scene"]["entities"])):
            assert get(box, f"/{part}").json() == items
            assert [get(box, f"/{part}/{item['id']}").json() for item in items] == items
        made = must(change(box, "POST", "/wires", WIRE), 201)
        assert get(box, f"/wires/{made['id']}").json() == {"id": made["id"], **WIRE}
        odd = {"id": "a/b ü%?", **NODE}
        assert must(change(box, "POST", "/choreographies", odd), 201)["id"] == odd["id"]
        path = f"/choreographies/{quote(odd['id'], safe='')}"
        assert get(box, path).json() == odd
        must(change(box, "PUT", path, {**NODE, "on": "bell"}))
        assert get(box, path).json() == {**odd, "on": "bell"}
        must(change(box, "DELETE", path))
        assert get(box, path).status == 404
        must(change(box, "DELETE", f"/wires/{made['id']}"))
        moved = {**whole["scene"]["entities"][1], "x": 77}
        must(change(box, "PUT", "/entities/e2", moved))
        whole["scene"]["entities"][1] = moved
        assert get(box).json() == whole


@test("an item that does not fit changes nothing and says where")
def _():
    with Box() as box:
        tag = must(change(box, "PUT", body=SMALL))["tag"]
        for method, path, body, status, pointer in (
            ("POST", "/wires", {**WIRE, "toId": "none"}, 400, "/wires/3/toId"),
            ("POST", "/wires", {**WIRE, "more": 1}, 400, "/wires/3/more"),
            ("POST", "/wires", [], 400, "/wires/3"),
            ("POST", "/wires", "{", 400, None),
            ("POST", "/wires", {**WIRE, "id": "w1"}, 409, None),
            ("POST", "/wires", {**WIRE, "id": ""}, 400, "/wires/3/id"),
            ("PUT", "/wires/w1", {**WIRE, "id": "w2"}, 400, "/wires/0/id"),
            ("PUT", "/wires/none", WIRE, 404, None),
            ("PUT", "/entities/e1", {"entityId": "none", "x": 1, "y": 1, "layerId": "front"},
             400, "/scene/entities/0/entityId"),
            ("DELETE", "/wires/none", None, 404, None),
            ("DELETE", "/choreographies/work", None, 409, "/wires/1/toId"),
            ("DELETE", "/entities/e2", None, 409, "/choreographies/1/steps/0/entity"),
            ("POST", "/positions", {}, 404, None),
        ):
            must_not(change(box, method, path, body), status, "", pointer)
        for path in ("/positions", "/wires/none", "/wires/w1/x", "/"):
            assert get(box, path).status == 404, path
        assert change(box, "PATCH", "/wires/w1", {}).status == 405
        assert get(box).headers["etag"] == f'"{tag}"' and get(box).text == SMALL


@test("changes on one connection are made in their order")
def _():
    with Box() as box:
        must(change(box, "PUT", body=SMALL))
        http = box.http()
        body = json.dumps(NODE).encode()
        head = (b"POST /api/show/choreographies HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
        http.send((head + body) * 3 + b"GET /api/show/choreographies HTTP/1.1\r\n"
                  b"Host: localhost\r\n\r\n")
        made = [must(http.answer(), 201)["id"] for _ in range(3)]
        assert [item["id"] for item in http.answer().json()[3:]] == made
        http.close()


# --- who may -----------------------------------------------------------------


@test("who may only look may not change")
def _():
    folder = temp_dir()
    secret = os.urandom(32).hex()
    token, config = folder / "viewer", folder / "box.yaml"
    token.touch(mode=0o600)
    token.write_text(f"{secret}\n")
    config.write_text(f"auth: {{tokens: [{{name: viewer, file: {token}, scopes: observe}}]}}\n")
    viewer = {"Authorization": f"Bearer {secret}"}
    with Box(["--config", config]) as box:
        for method, path in (("PUT", ""), ("POST", "/wires"), ("PUT", "/wires/w1"),
                             ("DELETE", "/wires/w1"), ("POST", "/start"), ("POST", "/stop")):
            path = f"/api/show{path}"
            assert box.request(method, path, {}, unix=False).status == 401, path
            assert box.request(method, path, {}, viewer, unix=False).status == 403, path
        assert box.request("GET", "/api/show", headers=viewer, unix=False).status == 200
        answer = box.request("PUT", "/api/show", SMALL, box.bearer(), unix=False)
        assert answer.status == 200, answer


@test("whoever leaves in the middle holds nobody up")
def _():
    with Box() as box:
        for cut in (b"", b"{"):
            for _ in range(5):
                http = box.http()
                http.send(b"PUT /api/show HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                          b"application/json\r\nContent-Length: %d\r\n\r\n" % len(SMALL.encode())
                          + (cut or SMALL.encode()))
                http.close()
        must(change(box, "POST", "/choreographies", {"on": "a", "steps": []}), 201)
        must(change(box, "PUT", body=SMALL))
        assert get(box).text == SMALL


@test("only so many change the show at once")
def _():
    with Box() as box:
        head = (b"PUT /api/show HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: 1000\r\n\r\n")
        crowd = []
        for _ in range(16):
            crowd.append(box.http())
            crowd[-1].send(head)
        answer = eventually(lambda: (a := change(box, "PUT", body=SMALL)).status == 503 and a)
        assert "retry-after" in answer.headers, answer
        assert get(box).text in (SMALL, DEFAULT)
        for http in crowd:
            http.close()
        eventually(lambda: change(box, "PUT", body=SMALL).status == 200)


# --- across a restart --------------------------------------------------------


@test("what was answered is there again after kill -9")
def _():
    with Box() as box:
        must(change(box, "PUT", body=SMALL))
        must(change(box, "POST", "/wires", WIRE), 201)
        text, tag = get(box).text, get(box).headers["etag"]
        box.kill9()
        box.start()
        assert get(box).text == text and get(box).headers["etag"] == tag
        must(change(box, "PUT", body=DEFAULT))
        assert not (box.data / "show.json").exists()
        box.restart()
        assert get(box).text == DEFAULT


@test("a bad file is told in the log, kept, and replaced by the next who knows better")
def _():
    bad = SMALL.replace('"to": "desk"', '"to": "dsk"', 1)
    hostile = SMALL.replace('"to": "desk"', r'"to": "\u001b[31m\nx"', 1)
    box = Box()
    box.data.mkdir(mode=0o700)
    file = box.data / "show.json"
    for text, words in ((bad, "/choreographies/0/steps/0/to: dsk: "), ("", "not JSON"),
                        (hostile, "/choreographies/0/steps/0/to: "),
                        ("\x1b[31m{", "not JSON"), ("[" * (4 << 20), "not JSON"),
                        ("[" * ((4 << 20) + 1), "File too large")):
        file.write_text(text)
        with box:
            assert get(box).text == DEFAULT and file.read_text() == text
        assert words in box.log() and "\x1b" not in box.log(), box.log()
        assert all(line.startswith(("2", "signalbox is at")) for line in box.log().splitlines())
        box.log_path.unlink()
    with box:
        must(change(box, "PUT", body=SMALL))
        assert file.read_text() == SMALL


@test("what cannot be kept is not played")
def _():
    with Box() as box:
        (box.data / "new").mkdir()  # where the file would be written first
        tag = get(box).headers["etag"]
        must_not(change(box, "PUT", body=SMALL), 500, "show.json")
        answer = change(box, "POST", "/choreographies", {"on": "a", "steps": []})
        must_not(answer, 500, "show.json")
        assert answer.headers["etag"] == tag and get(box).text == DEFAULT
        (box.data / "new").rmdir()
        must(change(box, "PUT", body=SMALL, If_Match=tag))


# --- start and stop ----------------------------------------------------------


@test("a show that is stopped plays nothing until it is started")
def _():
    with Box() as box:
        must(change(box, "PUT", body=SMALL))
        must(change(box, "POST", "/choreographies", NODE), 201)

        def turn(word):
            return change(box, "POST", f"/{word}").json()

        assert turn("start") == {"ok": True, "running": True, "changed": False}
        assert turn("stop") == {"ok": True, "running": False, "changed": True}
        assert turn("stop") == {"ok": True, "running": False, "changed": False}
        before = played(box)
        box.emit({"type": "knock", "payload": {}})
        assert box.request("GET", "/api/status").json()["show"]["running"] is False
        assert played(box) == before
        assert turn("start") == {"ok": True, "running": True, "changed": True}
        box.emit({"type": "knock", "payload": {}})
        eventually(lambda: played(box) == before + 1)
        assert get(box, "/start").status == 404


@test("a show that is exchanged while it is saved loses no performance, nor does a kill")
def _():
    config = temp_dir() / "config.yaml"
    config.write_text("journal:\n  segment: 1MiB\n")  # the end of each is a checkpoint
    knock = {"type": "knock", "payload": {"words": "x" * 2000}}
    lines = "".join(json.dumps(knock) + "\n" for _ in range(250))
    active = lambda: box.request("GET", "/api/status").json()["show"]["active"]
    with Box(args=["--config", str(config)]) as box:
        must(change(box, "PUT", body=SMALL))
        slow = {**NODE, "steps": [{"action": "flash", "target": "ada", "duration": 3600000}]}
        must(change(box, "POST", "/choreographies", slow), 201)
        document = get(box).text
        for n in range(12):
            answer = box.request("POST", "/api/signal", lines,
                                 {"Content-Type": "application/x-ndjson"})
            assert answer.status == 200, answer
            must(change(box, "PUT", body=document.replace("{", "{" + " " * n, 1)))
        box.request("GET", "/api/stage")
        eventually(lambda: active() == 3000)
        eventually(lambda: b'"performances":[{' in sections(box.data)["show"])
        box.kill9()
        box.start()
        box.request("GET", "/api/stage")
        eventually(lambda: active() == 3000)


# --- the command line --------------------------------------------------------


@test("the command line shows, exchanges, starts and stops it")
def _():
    with Box() as box:
        where = ("--data", box.data)
        mine = temp_dir() / "mine.json"
        mine.write_text(SMALL)
        assert cli("show", "export", *where).out == DEFAULT
        result = cli("show", "use", mine, *where)
        assert result.code == 0 and result.out == f"the box plays {mine}\n", result
        assert get(box).text == SMALL and cli("show", "export", *where).out == SMALL
        assert cli("show", "export", "--default", *where).out == DEFAULT
        mine.write_text(SMALL.replace('"every": 1', '"evry": 1', 1))
        result = cli("show", "use", mine, *where)
        assert result.code == 1 and result.out == "", result
        assert f"{mine}: /wires/1/filters/1/evry: " in result.err, result
        result = cli("show", "use", "-", *where, input=SMALL.replace("desk", r"\u001b[31m", 1))
        assert result.code == 1 and "\x1b" not in result.err, result
        assert get(box).text == SMALL
        assert cli("show", "use", "-", *where, input=DEFAULT.replace("yard", "park", 1)).code == 0
        assert get(box).text != DEFAULT
        assert cli("show", "use", "--default", *where).code == 0 and get(box).text == DEFAULT
        assert cli("show", "stop", *where).out == "the show is stopped\n"
        assert cli("show", "stop", *where).out == "the show is stopped, as before\n"
        assert cli("show", "start", *where).out == "the show runs\n"


@test("without a box, or wrongly used, it says so")
def _():
    data = temp_dir() / "none"
    for words in (("export",), ("use", "--default"), ("start",), ("stop",)):
        result = cli("show", *words, "--data", data)
        assert result.code == 1 and "no signalbox is running" in result.err, result
    result = cli("show", "use", "/nowhere/show.json", "--data", data)
    assert result.code == 1 and "/nowhere/show.json" in result.err, result
    for words in (("use",), ("use", "a", "b"), ("use", "a", "--default"), ("start", "x"),
                  ("stop", "--default"), ("check", "--default")):
        assert cli("show", *words, "--data", data).code == 2, words


run()
