#!/usr/bin/env python3
"""A dialect with state comes from a room of its own, which tests/86-skeletons.py holds against the
list of files that it needs.  Its encoding has a memory and gives none, one and three frames in
turn; its clients fall behind, resume and filter like all others."""

import json
import os

import lib
from lib import WS, Box, eventually, run, temp_dir, test
from skeletons import Tree

COUNTS = (0, 1, 3)
SMALL = 2048

tree = Tree("dialect")


def frames_of(seq):
    return [(seq, piece) for piece in range(COUNTS[seq % 3])]


def expected(seqs):
    return [frame for seq in seqs for frame in frames_of(seq)]


def last_frame(seqs):
    return expected(seqs)[-1]


def read_until(ws, last):
    """The frames up to that one, as (seq, piece), and all else that was said."""
    frames, other = [], []
    while not frames or frames[-1] != last:
        said = ws.json()
        if "piece" in said:
            assert said["signal"]["seq"] == said["seq"], said
            frames.append((said["seq"], said["piece"]))
        else:
            other.append(said)
    return frames, other


def seq_now(box):
    return box.request("GET", "/api/status").json()["seq"]


def publish(box, count, size=20, kind="load"):
    lines = "".join(json.dumps({"type": kind, "source": "p", "payload": {"pad": "x" * size}}) + "\n"
                    for _ in range(count))
    answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
    assert answer.json()["accepted"] == count, answer
    return answer.json()["firstSeq"], answer.json()["lastSeq"]


def slow(box, path):
    return WS(box, path, receive_buffer=SMALL)


@test("a live client gets none, one and three frames in turn, and one with a filter its part")
def _():
    with Box() as box, WS(box, "/ws/skeleton") as all_, \
            WS(box, "/ws/skeleton?type=b") as some:
        first = seq_now(box) + 1
        for n in range(30):
            box.emit("ab"[n % 2])
        seqs = range(first, first + 30)
        assert read_until(all_, last_frame(seqs))[0] == expected(seqs)
        assert read_until(some, last_frame(seqs[1::2]))[0] == expected(seqs[1::2])


@test("one that resumes sees the same frames as those that were live, also through a filter")
def _():
    with Box() as box:
        first, last = publish(box, 3000)
        publish(box, 7, kind="other")
        seqs = range(first, last + 8)
        for after in (first - 1, first, first + 1, first + 1000):
            with WS(box, f"/ws/skeleton?after={after}") as ws:
                want = expected(range(after + 1, last + 8))
                assert read_until(ws, want[-1])[0] == want, after
        with WS(box, f"/ws/skeleton?after={first - 1}&type=other") as ws:
            assert read_until(ws, last_frame(seqs[-7:]))[0] == expected(seqs[-7:])


@test("one that falls behind gets every frame, in order, none twice, and is told apart what is its own")
def _():
    for policy in ("resume", "coalesce"):
        with Box() as box, slow(box, f"/ws/skeleton?slow={policy}") as ws:
            first = seq_now(box) + 1
            for _ in range(4):
                publish(box, 1000, size=2000)
                ws.send("ref")
            eventually(lambda: box.request("GET", "/api/status").json()["hub"]["fellBehind"] >= 1)
            _, last = publish(box, 3)
            want = expected(range(first, last + 1))
            frames, other = read_until(ws, want[-1])
            assert frames == want, (policy, len(frames), len(want))
            assert sum("acked" in o for o in other) == 4, other
            assert not any("gap" in o for o in other), other


@test("one that is too slow and wants no more of it than the present is told of a gap")
def _():
    with Box() as box, slow(box, "/ws/skeleton?slow=drop") as ws:
        for _ in range(4):
            publish(box, 1000, size=2000)
        eventually(lambda: box.request("GET", "/api/status").json()["hub"]["fellBehind"] >= 1)
        said = ws.json()
        while "gap" not in said:
            said = ws.json()
        first, last = publish(box, 3)
        want = [f for f in expected(range(first, last + 1)) if f[0] > said["gap"][1]]
        assert read_until(ws, want[-1])[0] == want


@test("one that does not read while a flood of signals passes that it does not want loses none")
def _():
    with Box() as box, slow(box, "/ws/skeleton?type=seldom") as ws:
        first = seq_now(box) + 1
        rounds = [publish(box, 3, kind="seldom", size=60000) for _ in range(8)]
        publish(box, 30000, size=1)
        rounds.append(publish(box, 3, kind="seldom"))
        want = [f for a, b in rounds for f in expected(range(a, b + 1))]
        assert first == rounds[0][0]
        assert read_until(ws, want[-1])[0] == want


@test("each client has its view: what all said is counted, and what is its own")
def _():
    with Box() as box, WS(box, "/ws/skeleton?type=none") as a, WS(box, "/ws/skeleton?type=none") as b:
        a.send("one")
        assert b.json() == {"said": 1, "yours": 0}
        said = [a.json(), a.json()]
        assert {"said": 1, "yours": 1} in said, said
        assert [s["length"] for s in said if "acked" in s] == [3], said
        b.close()
        a.send("two")
        said = [a.json(), a.json()]
        assert {"said": 2, "yours": 2} in said, said


@test("a listener can pin it, because the configuration asks for its name")
def _():
    config = temp_dir() / "c.yaml"
    config.write_text("listen: [{address: '127.0.0.1:0', dialect: skeleton}]\n")
    with Box(["--config", str(config)], listen=()) as box, WS(box, "/") as ws:
        first = seq_now(box) + 1
        for _ in range(3):
            box.emit("x")
        seqs = range(first, first + 3)
        assert read_until(ws, last_frame(seqs))[0] == expected(seqs)


@test("its keys are keys of the configuration: read, checked, in the schema and in the environment")
def _():
    config = temp_dir() / "c.yaml"
    config.write_text("skeleton: {greeting: good morning, often: 2}\n")
    with Box(["--config", str(config)]) as box, WS(box, "/ws/skeleton") as ws:
        assert [ws.recv(), ws.recv()] == ["good morning"] * 2
    with Box(env={"SIGNALBOX_SKELETON_GREETING": "hello"}) as box, WS(box, "/ws/skeleton") as ws:
        assert ws.recv() == "hello"
    config.write_text("skeleton:\n  often: 10\n")
    refused = lib.cli("check", "--config", config)
    assert refused.code != 0 and "c.yaml:2:10" in refused.err, refused
    schema = json.loads(lib.cli("config", "schema").out)
    assert schema["properties"]["skeleton"]["properties"]["often"]["maximum"] == 9, schema


# --- other ways in ---------------------------------------------------------------


def locked_box(more=""):
    """Nobody may do anything without a credential; `looks` is one that may only look."""
    top = temp_dir()
    looks = os.urandom(32).hex()
    (top / "looks").write_text(looks + "\n")
    (top / "looks").chmod(0o600)
    config = top / "c.yaml"
    config.write_text(f"auth: {{local: none, tokens: [{{name: looks, file: {top}/looks, scopes: observe}}]}}\n"
                      f"limits: {{ping: 60s{more}}}\n")
    return Box(["--config", str(config)]), looks


def say(ws, words):
    ws.send(words)
    return ws.json()


@test("one whom nobody knows may say in a message who it is, once; its scopes are the credential's")
def _():
    box, looks = locked_box()
    with box, WS(box, "/ws/skeleton-door") as ws, WS(box, "/ws/skeleton-door") as other:
        assert ws.recv() == other.recv() == "who are you?"
        assert say(ws, "wrong") == {"answer": "wrong", "wait": 0, "scopes": 0, "user": ""}
        assert say(ws, looks) == {"answer": "identified", "wait": 0, "scopes": 1, "user": ""}
        assert say(ws, box.token)["answer"] == "before"
        assert say(ws, looks)["scopes"] == 1
        said = say(other, box.token)
        assert said["answer"] == "identified" and said["scopes"] == 31 and said["user"] == "token", said
        assert box.log().count("a wrong credential was refused") == 1, box.log()
        with WS(box, "/ws/skeleton-door", box.bearer()) as known:
            assert known.recv() == "hello"
            assert say(known, looks)["answer"] == "before"
    with Box() as box, WS(box, "/ws/skeleton-door") as local:
        assert local.recv() == "hello"
        assert say(local, box.token)["answer"] == "before"


@test("wrong ones in messages and in headers are throttled together, and a right one is heard all the same")
def _():
    box, looks = locked_box()
    with box, WS(box, "/ws/skeleton-door") as ws:
        ws.recv()
        answers = [say(ws, f"guess {n}")["answer"] for n in range(40)]
        assert answers[:25] == ["wrong"] * 25 and answers[-1] == "wait", answers
        assert say(ws, "guess")["wait"] >= 1
        refused = box.request("GET", "/api/status", None, {"Authorization": "Bearer guess"}, unix=False)
        assert refused.status == 429, refused
        assert say(ws, looks)["answer"] == "identified"


@test("one that becomes known counts as one more of its own: a full account takes no other")
def _():
    box, looks = locked_box(", caller_connections: 1")
    with box, WS(box, "/ws/skeleton-door") as first:
        assert first.recv() == "who are you?"
        assert say(first, looks)["answer"] == "identified"
        with WS(box, "/ws/skeleton-door") as second:
            second.recv()
            assert say(second, looks)["answer"] == "crowded"
            first.close()
            eventually(lambda: say(second, looks)["answer"] == "identified")


@test("one that does not say who it is in time is closed, and so is one that says too much")
def _():
    box, looks = locked_box()
    with box, WS(box, "/ws/skeleton-door") as silent, WS(box, "/ws/skeleton-door") as loud, \
            WS(box, "/ws/skeleton-door") as known:
        for ws in (silent, loud, known):
            ws.recv()
        assert say(known, looks)["answer"] == "identified"
        loud.send("x" * 70000)
        assert loud.recv() is None and loud.close_code == 1009, loud.close_code
        assert silent.recv() is None and silent.close_code == 1008, silent.close_code
        assert say(known, "x" * 70000)["answer"] == "before"


@test("strangers come in nowhere else, and are not told which paths there are")
def _():
    box, _ = locked_box()
    with box:
        for path in ("/ws", "/ws/run", "/ws/skeleton", "/ws/nothing"):
            try:
                WS(box, path).close()
                raise AssertionError(path)
            except lib.Refused as refused:
                assert refused.response.status == 401, (path, refused.response)


@test("a stream may answer a POST, with its scope and up to its size")
def _():
    box, looks = locked_box()
    with box:
        def post(body, headers, method="POST"):
            http = lib.Http(box.connect(False))
            http.send(lib.request_bytes(method, "/api/skeleton", body, {**box.host_header(), **headers}))
            return http

        stream = post("a body " * 500, box.bearer())
        assert stream.head()[0] == 200
        said = stream.take_until(b"\n\n")
        assert b"event: body" in said and b"a body a body" in said, said
        assert box.request("GET", "/api/status").json()["clients"] == 1
        stream.close()
        eventually(lambda: box.request("GET", "/api/status").json()["clients"] == 0)
        assert post("x", {"Authorization": f"Bearer {looks}"}).answer().status == 403
        assert post("x" * 5000, box.bearer()).answer().status == 413
        refused = post(None, box.bearer(), "GET").answer()
        assert refused.status == 405 and refused.headers["allow"] == "POST", refused


lib.SIGNALBOX = str(tree.link())
run()
