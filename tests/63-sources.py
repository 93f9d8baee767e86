#!/usr/bin/env python3
"""Sources: added, changed, removed, remembered; their states as signals and as
updates; who may do what; recordings; the command line."""

import json
import os
from urllib.parse import quote

from doors import config_box, status
from lib import (
    WS, Box, Impostor, answer_bytes, at_last, cli, closed_port, eventually, in_time, run, temp_dir,
    test,
)

SECRET = "sk-very-secret-0123456789"


def nowhere():
    return f"ws://127.0.0.1:{closed_port()}/"


def sources(box):
    answer = box.request("GET", "/api/sources")
    assert answer.status == 200 and SECRET not in answer.text, answer
    return {s["id"]: s for s in answer.json()["sources"]}


def add(box, want=201, **wish):
    answer = box.request("POST", "/api/sources", wish)
    assert answer.status == want and SECRET not in answer.text, answer
    return answer.json()["source"] if want == 201 else answer.json()["error"]


def change(box, source, want=200, **wish):
    answer = box.request("PATCH", f"/api/sources/{source}", wish)
    assert answer.status == want and SECRET not in answer.text, answer
    return answer.json()["source"] if want == 200 else answer.json()["error"]


def act(box, id, what, want=200):
    answer = box.request("POST", f"/api/sources/{id}/{what}")
    assert answer.status == want, answer
    return answer.json()


def states(box, id):
    """Each change of state as (from, to, error)."""
    signals = box.history("&type=source.state")
    assert all(s["source"] == "signalbox" for s in signals), signals
    mine = [s["payload"] for s in signals if s["payload"]["sourceId"] == id]
    return [(p["from"], p["to"], p.get("error")) for p in mine]


def recording(lines):
    path = temp_dir() / "day.ndjson"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n"
                            for line in lines))
    return path


# --- adding, changing, removing ---------------------------------------------------


@test("a source is added, found, and its every change of state is a signal")
def _():
    with Box() as box:
        path = recording([{"type": "x", "payload": {"n": n}} for n in range(3)])
        source = add(box, url=f"scenario:{path}", id="ada", name="Ada", credential=SECRET)
        assert source["id"] == "ada" and source["name"] == "Ada", source
        assert source["protocol"] == "scenario" and source["category"] == "remote", source
        assert source["hasCredential"] is True and source["color"].startswith("#"), source
        assert "credential" not in source, source
        eventually(lambda: sources(box)["ada"]["state"] == "disconnected")
        assert states(box, "ada") == [
            ("disconnected", "connecting", None), ("connecting", "connected", None),
            ("connected", "disconnected", None)], states(box, "ada")
        said = box.history("&source=ada")
        assert [s["payload"]["n"] for s in said] == [0, 1, 2], said
        assert sources(box)["ada"]["signals"] == 3


@test("what makes no sense is refused in words, and nothing is added")
def _():
    with Box() as box:
        before = sources(box)
        for wish, word in [
            ({}, "url"), ({"url": 7}, "string"), ({"url": ""}, "empty"),
            ({"url": "ftp://h/"}, "http"), ({"url": f"ws://u:{SECRET}@h/"}, ""),
            ({"url": "ws://h/", "nme": "x"}, "did you mean 'name'"),
            ({"url": "ws://h/", "id": "a/b"}, "id"), ({"url": "ws://h/", "id": "demo"}, "our own"),
            ({"url": "ws://h/", "protocol": "gopher"}, "there are"),
            ({"url": "ws://h/", "name": "a\x1b[31m"}, "control"),
            ({"url": "ws://h/", "credential": "a\nb"}, "one line"),
            ({"url": "ws://h/", "color": "red"}, "#"), ({"url": "ws://h/", "connect": 1}, "true"),
            ({"url": "ws://h/", "local": True}, "local"),
            ({"url": f"ws://localhost:{box.port}/ws/signals"}, "this box itself"),
        ]:
            assert word in add(box, 400, **wish), wish
        for body in ["", "[]", "{", '{"url":"ws://a/","url":"ws://b/"}', "null"]:
            answer = box.request("POST", "/api/sources", body)
            assert answer.status == 400 and answer.json()["ok"] is False, (body, answer)
        assert sources(box) == before


@test("a URL is recognised as it is typed, by the look that decides, and nobody is asked")
def _():
    def recognise(box, url, want=200):
        answer = box.request("GET", f"/api/sources/recognise?url={quote(url, safe='')}")
        assert answer.status == want, answer
        return answer.json()

    with Impostor([answer_bytes({})]) as server, Box() as box:
        here = f"http://127.0.0.1:{server.port}"
        for url, protocol, may_become in [
            (here, "sse", "openai"), ("ws://127.0.0.1:9", "websocket", None),
            ("wss://h.example/openclaw", "openclaw", None), ("ws://h:18789", "openclaw", None),
            ("https://api.anthropic.com", "anthropic", "sse"), ("scenario:demo", "scenario", None),
            ("midi://A/B/C", "midi", None),
        ]:
            said = recognise(box, f" {url} ")
            assert said["protocol"] == protocol and said["mayBecome"] == may_become, said
            assert said["problem"] is None and said["category"] == "remote", said
            assert add(box, url=url, connect=False)["protocol"] == protocol
            assert recognise(box, url)["known"] is not None, url
        assert server.heard == [], "somebody was asked"
        said = recognise(box, "wss://lab.example/x")
        assert (said["id"], said["name"], said["known"]) == ("lab-example", "lab.example", None), said
        add(box, url=nowhere(), id="lab-example", connect=False)
        assert recognise(box, "wss://lab.example/x")["id"] == "lab-example-2"
        for url, word in [("", "url"), ("h", "http"), ("ws://", "host"), ("ws://u:p@h/", ""),
                          ("ws://" + "h" * 3000, "longer"),
                          (f"ws://localhost:{box.port}/", "this box itself")]:
            assert word in recognise(box, url)["problem"], (url, recognise(box, url))
        assert box.request("GET", "/api/sources/recognise?uri=x").status == 400
        assert box.request("GET", "/api/sources/recognise?url=h", unix=False).status == 200
        answer = box.request("GET", "/api/sources/recognise?url=h", unix=False,
                             headers={"Origin": "http://evil.example"})
        assert answer.status == 403, answer


@test("unknown and taken are told apart: 404, 409")
def _():
    with Box(["--demo"]) as box:
        add(box, url=nowhere(), id="ada", connect=False)
        assert "already" in add(box, 409, url=nowhere(), id="ada")
        assert "nobody" in change(box, "nobody", 404, name="x")
        act(box, "nobody", "connect", 404)
        act(box, "nobody", "disconnect", 404)
        assert box.request("DELETE", "/api/sources/nobody").status == 404
        answer = box.request("GET", "/api/sources/ada")
        assert answer.status == 405 and "PATCH" in answer.headers["allow"], answer
        for path in ["/api/sources/", "/api/sources/ada/", "/api/sources//connect",
                     "/api/sources/a%/connect", "/api/sources/ada/connect/x"]:
            assert box.request("POST", path, {}).status == 404, path
        change(box, "demo", 409, name="x")
        assert box.request("DELETE", "/api/sources/demo").status == 409
        assert change(box, "%61d%61", name="Ada")["id"] == "ada"


@test("a source can be changed; a new address forgets the credential")
def _():
    with Box() as box:
        add(box, url=nowhere(), id="ada", connect=False, credential=SECRET)
        source = change(box, "ada", name="Ada", model="big", color="#123456")
        assert (source["name"], source["model"], source["color"]) == ("Ada", "big", "#123456")
        assert source["hasCredential"] is True
        assert change(box, "ada", url=nowhere())["hasCredential"] is False
        assert change(box, "ada", credential=SECRET)["hasCredential"] is True
        both = change(box, "ada", url="http://127.0.0.1:9/", protocol="sse", credential=SECRET)
        assert both["hasCredential"] is True and both["protocol"] == "sse", both
        assert change(box, "ada", credential=None)["hasCredential"] is False
        assert change(box, "ada", url="ws://127.0.0.1:18789/", protocol="auto")["protocol"] == \
            "openclaw"
        assert "for ever" in change(box, "ada", 400, id="bob")
        assert "routes" in change(box, "ada", 400, connect=True)
        assert SECRET not in box.log()


@test("what cannot be reached is tried again, and says why")
def _():
    with Box() as box:
        add(box, url=nowhere(), id="ada")
        eventually(lambda: sources(box)["ada"]["attempt"] >= 2)
        source = sources(box)["ada"]
        assert source["state"] == "connecting" and "refused" in source["error"], source
        seen = states(box, "ada")
        assert seen[0] == ("disconnected", "connecting", None), seen
        assert seen[1] == ("connecting", "connecting", source["error"]), seen
        assert len(seen) == 2, seen  # the same fault again is not said again
        act(box, "ada", "disconnect")
        source = sources(box)["ada"]
        assert source["state"] == "disconnected" and source["enabled"] is False, source
        assert source["retryAt"] is None and source["lastError"], source
        answer = act(box, "ada", "connect")
        assert answer["source"]["state"] == "connecting", answer
        assert box.request("DELETE", "/api/sources/ada").status == 200
        assert "ada" not in sources(box)


# --- who may do what ----------------------------------------------------------------


@test("without a token sources can be seen and nothing else")
def _():
    tokens = "{name: eye, file: TOP/eye, scopes: 'observe,emit,answer,control'}"
    with config_box(f"auth: {{tokens: [{tokens}]}}\n", {"eye": "ab" * 32 + "\n"}) as box:
        add(box, url=nowhere(), id="ada", connect=False)
        assert status(box, "/api/sources") == 200
        eye = {"Authorization": f"Bearer {'ab' * 32}"}
        for method, path in [("POST", "/api/sources"), ("PATCH", "/api/sources/ada"),
                             ("DELETE", "/api/sources/ada"), ("POST", "/api/sources/ada/connect"),
                             ("POST", "/api/sources/ada/disconnect")]:
            body = {"url": nowhere()}
            assert status(box, path, None, method, body) == 401, (method, path)
            assert status(box, path, eye, method, body) == 403, (method, path)
        assert sources(box)["ada"]["state"] == "disconnected"
        assert status(box, "/api/sources/ada", box.bearer(), "DELETE") == 200


@test("a source's id and name are refused to producers without a credential")
def _():
    with Box() as box:
        add(box, url=nowhere(), id="ada", name="Ada Lovelace", connect=False)

        def emit(source, unix=False):
            signal = {"type": "x", "source": source}
            return box.request("POST", "/api/signal", signal, unix=unix).status
        assert emit("ada") == 403 and emit("Ada Lovelace") == 403
        assert emit("bela") == 200 and emit("ada", unix=True) == 200
        change(box, "ada", name="bela")
        assert emit("bela") == 403 and emit("Ada Lovelace") == 200
        box.request("DELETE", "/api/sources/ada")
        assert emit("bela") == 200 and emit("ada") == 200


# --- a restart ------------------------------------------------------------------------


@test("sources survive a restart, their credentials in a file of our own")
def _():
    with Box() as box:
        add(box, url=nowhere(), id="ada", name="Ada", model="m", credential=SECRET, connect=False)
        add(box, url=nowhere())
        add(box, url=nowhere(), id="gone", credential=SECRET + "-gone")
        box.request("DELETE", "/api/sources/gone")
        keep = ("name", "url", "color", "model", "enabled", "hasCredential", "protocol")
        before = {i: [s[k] for k in keep] for i, s in sources(box).items() if ":" not in i}
        box.restart()
        after = {i: [s[k] for k in keep] for i, s in sources(box).items() if ":" not in i}
        assert before == after and len(after) == 2, (before, after)
        secrets = box.data / "source-credentials.json"
        assert secrets.stat().st_mode & 0o777 == 0o600
        assert json.loads(secrets.read_text()) == {"ada": SECRET}
        assert SECRET not in (box.data / "sources.json").read_text()
        box.kill9()
        box.start()
        assert set(sources(box)) >= set(before)


@test("credentials that others could read are refused, a damaged list is put aside")
def _():
    with Box() as box:
        add(box, url=nowhere(), id="ada", credential=SECRET, connect=False)
        box.stop()
        secrets = box.data / "source-credentials.json"
        secrets.chmod(0o640)
        box.spawn()
        assert box.wait() == 78
        assert "chmod 600" in box.log() and SECRET not in box.log(), box.log()
        secrets.chmod(0o600)
        (box.data / "sources.json").write_text('{"sources": [{"id": "ada", "url"')
        box.start()
        assert "ada" not in sources(box)
        aside = [p for p in os.listdir(box.data) if p.startswith("sources.json.bad-")]
        assert len(aside) == 1 and aside[0] in box.log() and "damaged" in box.log(), box.log()
        assert json.loads(secrets.read_text()) == {"ada": SECRET}
        # It may be somebody else who takes the id now.
        assert add(box, url=nowhere(), id="ada", connect=False)["hasCredential"] is False


@test("the configuration names sources, with credentials from elsewhere")
def _():
    text = f"""
sources:
  - {{id: ada, url: "{nowhere()}", name: Ada, model: big, credential_file: TOP/key}}
  - {{id: bela, url: "{nowhere()}", credential: "${{BELA_KEY}}", connect: false}}
"""
    with config_box(text, {"key": SECRET + "\n"}, env={"BELA_KEY": SECRET}) as box:
        got = sources(box)
        assert got["ada"]["configured"] and got["ada"]["enabled"], got
        assert (got["ada"]["name"], got["ada"]["model"]) == ("Ada", "big")
        assert got["bela"]["state"] == "disconnected" and got["bela"]["name"] == "bela"
        assert got["ada"]["hasCredential"] and got["bela"]["hasCredential"]
        assert "configuration" in change(box, "ada", 409, url=nowhere())
        assert box.request("DELETE", "/api/sources/ada").status == 409
        assert not (box.data / "sources.json").exists()
        assert not (box.data / "source-credentials.json").exists()


@test("a configuration of sources that is wrong says where and what")
def _():
    for row, word in [
        ("{url: 'ws://h/'}", "'id' is missing"), ("{id: a}", "'url' is missing"),
        ("{id: 'a b', url: 'ws://h/'}", "no id"), ("{id: demo, url: 'ws://h/'}", "our own"),
        ("{id: a, url: 'gopher://h/'}", "begins with one of ws://"),
        (f"{{id: a, url: 'ws://h/', credential: '{SECRET}'}}", "${NAME}"),
        ("{id: a, url: 'ws://h/', credential: '${NOT_THERE}'}", "NOT_THERE is not set"),
        ("{id: a, url: 'ws://h/', credntial: x}", "did you mean 'credential'"),
        ("{id: a, url: 'ws://h/'}, {id: a, url: 'ws://h/'}", "duplicate id 'a'"),
        ("{id: a, url: 'ws://h/', connect: maybe}", "true or false"),
        ("{id: a, url: 'ws://h/', credential_file: /nonexistent/key}", "/nonexistent/key"),
        ("{id: a, url: 'ws://u:p@h/'}", "'a'"), ("{id: a, url: 'ws://h/', protocol: x}", "there are"),
    ]:
        path = temp_dir() / "signalbox.yaml"
        path.write_text(f"sources: [{row}]\n")
        said = cli("serve", "--data", path.parent / "data", "--listen", "127.0.0.1:0",
                   "--config", path)
        assert said.code == 78 and word in said.err and SECRET not in said.err, (row, said)


# --- updates to clients -----------------------------------------------------------------


def next_update(ws, wanted=lambda update: True):
    """The next sources update that is wanted; what else comes is let by."""
    while True:
        said = ws.json()
        if said.get("op") == "sources" and wanted(said):
            return said


def is_in(id, state):
    return lambda u: any(s["id"] == id and s["state"] == state for s in u.get("changed", []))


@test("a client that asks for it hears of every change, another of none")
def _():
    with Box() as box:
        add(box, url=nowhere(), id="ada", connect=False)
        with WS(box, unix=True) as ws, WS(box, unix=True) as other:
            for client, wish in ((ws, {"sourceState": True}), (other, {})):
                assert client.json()["op"] == "hello"
                client.send({"op": "subscribe", "types": ["none"], **wish})
            first = next_update(ws)
            assert "ada" in [s["id"] for s in first["all"]], first
            path = recording([{"type": "x", "timestamp": n * 1000} for n in range(100)])
            add(box, url=f"scenario:{path}", id="bela", credential=SECRET)
            update = next_update(ws, is_in("bela", "connected"))
            assert update["removed"] == [] and SECRET not in json.dumps(update), update
            eventually(lambda: sources(box)["bela"]["signals"] > 0)
            next_update(ws, lambda u: any(s["signals"] > 0 for s in u["changed"]))
            box.request("DELETE", "/api/sources/bela")
            assert next_update(ws, lambda u: u["removed"])["removed"] == ["bela"]
            ws.send({"op": "subscribe", "types": ["none"]})
            ws.send({"op": "nonsense", "ref": 1})
            while ws.json().get("ref") != 1:
                pass
            change(box, "ada", name="Ada")
            for client in (ws, other):
                client.send({"op": "nonsense", "ref": 2})
                assert client.json().get("ref") == 2
            ws.send({"op": "subscribe", "sourceState": "yes", "ref": 3})
            assert ws.json()["code"] == "invalid"


@test("a client that does not read gets all of them again, not one change after the other")
def _():
    rows = ", ".join(f"{{id: s{n}, url: 'scenario:/{'x' * 1900}{n}', connect: false}}"
                     for n in range(20))
    with config_box(f"sources: [{rows}]\n") as box, WS(box, unix=True) as ws:
        assert ws.json()["op"] == "hello"
        ws.send({"op": "subscribe", "types": ["none"], "sourceState": True})
        assert len(next_update(ws)["all"]) >= 20
        http = box.http()
        for n in range(800):
            for what in ("connect", "disconnect"):
                assert http.ask("POST", f"/api/sources/s{n % 20}/{what}").status == 200
        http.close()
        change(box, "s0", model="the-last")
        heard = 0
        while True:
            said = next_update(ws)
            heard += 1
            rows = said.get("all") or said["changed"]
            if any(s["model"] == "the-last" for s in rows):
                break
        assert heard < 1500, heard  # of 1601
        assert "all" in said, said.keys()


# --- recordings and the demo ------------------------------------------------------------


@test("a recording plays at its speed, bad lines are counted, and all of it happens now")
def _():
    def played():
        with Box() as box:
            check_played(box)

    at_last(played)


def check_played(box):
    lines = [
        {"id": "old-1", "seq": 7, "type": "a", "timestamp": 1000, "payload": {"k": 1}},
        "this is no JSON\n", "\n", '["nor an object"]\n', "{\"type\":\"cut\n",
        {"type": "b", "timestamp": 3000, "source": "someone", "correlationId": "c"},
        {"type": "late", "timestamp": 2000}, {"type": "c"},
        '{"type":"last","timestamp":6000}',
    ]
    add(box, url=f"scenario:{recording(lines)}?speed=10", id="day")
    eventually(lambda: sources(box)["day"]["state"] == "disconnected")
    said = [s for s in box.history() if s["type"] != "source.state"]
    assert [s["type"] for s in said] == ["a", "b", "late", "c", "last"], said
    assert [s["source"] for s in said] == ["day", "someone", "day", "day", "day"]
    assert said[0]["id"] != "old-1" and said[0]["seq"] != 7 and said[0]["payload"] == {"k": 1}
    took = said[-1]["timestamp"] - said[0]["timestamp"]
    source = sources(box)["day"]
    assert source["badFrames"] == 3 and source["lastError"], source
    in_time(500 <= took <= 2000, took)
    in_time(said[1]["timestamp"] - said[0]["timestamp"] >= 150, said)


@test("a recording can go round, and what is no recording is an error")
def _():
    with Box() as box:
        path = recording([{"type": "x", "timestamp": 1}])
        add(box, url=f"scenario:{path}?speed=1000&loop=true", id="round")
        eventually(lambda: len(box.history("&source=round")) >= 5)
        long = recording(["{\"type\":\"long\",\"payload\":{\"x\":\"" + "y" * (3 << 20) + "\"}}\n",
                          {"type": "after"}])
        add(box, url=f"scenario:{long}", id="long")
        eventually(lambda: sources(box)["long"]["state"] == "disconnected")
        assert [s["type"] for s in box.history("&source=long")] == ["after"]
        assert sources(box)["long"]["badFrames"] == 1
        for url, word in [("scenario:/nonexistent/x", "No such file"), ("scenario:/dev", "not a file"),
                          ("scenario:other", "scenario:demo"), ("scenario:demo?speed=0", "speed"),
                          ("scenario:demo?spead=1", "spead")]:
            source = add(box, url=url)
            assert source["state"] == "error" and word in source["error"], source


@test("the demo is a source like any other")
def _():
    with Box(["--demo", "--demo-speed", "100"]) as box:
        eventually(lambda: sources(box)["demo"]["signals"] > 5)
        assert sources(box)["demo"]["category"] == "local"
        act(box, "demo", "disconnect")
        before = len(box.history("&source=demo"))
        assert sources(box)["demo"]["state"] == "disconnected"
        act(box, "demo", "connect")
        eventually(lambda: len(box.history("&source=demo")) > before)
        assert not (box.data / "sources.json").exists()


# --- the command line -------------------------------------------------------------------


@test("the command line lists, adds, connects and removes")
def _():
    with Box() as box:
        def sb(*args, **how):
            return cli("sources", *args, "--data", box.data, **how)
        said = sb("add", nowhere(), "--id", "ada", "--name", "Ada Lovelace", "--no-connect",
                  "--credential-file", "-", input=SECRET + "\n")
        assert said.code == 0 and said.out == "ada  disconnected\n", said
        assert sources(box)["ada"]["hasCredential"] is True
        table = sb().out
        assert table.splitlines()[0].split()[:3] == ["ID", "NAME", "STATE"], table
        assert "Ada Lovelace  disconnected" in table and SECRET not in table, table
        assert sb("connect", "Ada Lovelace").out == "ada  connecting\n"
        eventually(lambda: "refused" in sb("list").out)
        listed = json.loads(sb("--json").out)
        assert [s for s in listed if s["id"] == "ada" and s["state"] == "connecting"], listed
        assert sb("disconnect", "ada", "--json").out.startswith('{"id":"ada"')
        assert sb("rescan").code == 0
        assert sb("remove", "ada").code == 0 and "ada" not in sources(box)
        said = sb("remove", "ada")
        assert said.code == 1 and "there is no source 'ada'" in said.err, said
        said = sb("add", "gopher://x")
        assert said.code == 1 and "http://" in said.err, said
        for words in (["add"], ["list", "x"], ["frobnicate"], ["connect"], ["list", "--name", "x"]):
            assert sb(*words).code == 2, words
    said = cli("sources", "--data", box.data)
    assert said.code == 1 and "no signalbox is running" in said.err, said


@test("nothing that a source says reaches the terminal as more than text")
def _():
    hostile = "\x1b]0;title\x07\x1b[31mred\u202e"
    refusal = answer_bytes({"error": {"message": hostile}}, "401 Unauthorized")
    with Impostor([refusal] * 4) as peer, Box() as box:
        url = f"http://127.0.0.1:{peer.port}"
        add(box, url=url, id="ada", protocol="openai", credential=SECRET)
        eventually(lambda: sources(box)["ada"]["state"] == "error")
        assert "red" in sources(box)["ada"]["error"], sources(box)
        for more in ([], ["--json"]):
            out = cli("sources", "--data", box.data, *more).out
            assert "red" in out and not set(out) & set("\x1b\x07"), out
        assert "\u202e" not in cli("sources", "--data", box.data).out


run()
