#!/usr/bin/env python3
"""What people say to an OpenClaw gateway, and what it makes of that: a stop that it refuses,
decisions and answers that were given elsewhere first.
"""

import json

from gateway import ENDS, Gateway, Refusal, ask, connected, end_of, of_run, settle
from lib import WS, Box, cli, eventually, run, test


def cancel(box, run):
    return box.request("POST", f"/api/runs/{run}/cancel", {})


def control(box, run, op):
    return box.request("POST", "/api/control", {"run": run, "do": op})


def until(ws, **members):
    """The next frame with these members."""
    while True:
        frame = ws.json()
        if all(frame.get(k) == v for k, v in members.items()):
            return frame


def under_way(box, id):
    eventually(lambda: any(s["type"] == "text_delta" for s in of_run(box, id)))
    return id


def controls(box):
    return [s["payload"]["do"] for s in box.history("&type=control")]


# --- stopping ------------------------------------------------------------------------------


@test("a stop that the gateway refuses is refused with its words, on every way, and the run goes on")
def _():
    words = "the gateway refused: not in this session"
    with Box() as box, Gateway(abort_refusal=Refusal("INVALID_REQUEST", "not in this session")) as gateway:
        connected(box, gateway)
        ours = under_way(box, ask(box, "SLOW of ours")["run"])
        theirs = under_way(box, gateway.begin("SLOW of theirs", key="agent:main:desk"))
        for id in (ours, theirs):
            for answer in (cancel(box, id), control(box, id, "cancel"), control(box, id, "ui-interrupt")):
                assert answer.status == 502, answer
                assert answer.json() == {"ok": False, "code": "refused", "error": words}, answer
            with WS(box, unix=True) as ws:
                for n, op in enumerate(({"op": "cancel", "run": id}, {"op": "control", "run": id, "do": "cancel"})):
                    ws.send({**op, "ref": n})
                    assert until(ws, ref=n) == {"op": "error", "code": "refused", "message": words,
                                                "ref": n}
            with WS(box, f"/ws/run?session={id}", unix=True) as ws:
                ws.send({"kind": "control", "op": "ui-interrupt"})
                assert until(ws, kind="refused") == {
                    "kind": "refused", "of": "control", "op": "ui-interrupt", "reason": "refused",
                    "message": words}
            for verb in (("cancel", id), ("control", id, "cancel")):
                said = cli(*verb, "--data", box.data)
                assert said.code == 1 and words in said.err, said
            before = len(of_run(box, id))
            eventually(lambda: len(of_run(box, id)) > before)  # it goes on
            assert not [s for s in of_run(box, id) if s["type"] in ENDS]
        assert controls(box) == [], "nothing was done"
        gateway.abort_refusal = None
        assert cancel(box, ours).json() == {"ok": True, "run": ours}
        assert control(box, theirs, "cancel").json() == {"ok": True}
        for id in (ours, theirs):
            ends = [s for s in end_of(box, id) if s["type"] in ENDS]
            assert [e["type"] for e in ends] == ["completion"] and not ends[0]["payload"]["success"]
        assert controls(box) == ["cancel"]


@test("a stop that the gateway carries out is answered as ever, to each in its own way")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        with WS(box, unix=True) as ws:
            for n, op in enumerate(({"op": "cancel"}, {"op": "control", "do": "ui-interrupt"})):
                id = under_way(box, ask(box, "SLOW one")["run"])
                ws.send({**op, "run": id, "ref": n})
                assert until(ws, ref=n) == {"op": "ack", "ref": n, "run": id}
                ends = [s for s in end_of(box, id) if s["type"] in ENDS]
                assert [e["payload"] for e in ends] == [
                    {"agentId": "openclaw", "taskId": id, "success": False, "result": "cancelled"}]
        id = under_way(box, ask(box, "SLOW two")["run"])
        assert cli("cancel", id, "--data", box.data).code == 0
        id = under_way(box, ask(box, "SLOW three")["run"])
        assert cli("control", id, "cancel", "--data", box.data).code == 0
        assert control(box, id, "cancel").status == 409, "it is over"
        eventually(lambda: controls(box) == ["ui-interrupt", "cancel"])


@test("a gateway that does not answer is said not to, and who leaves before is forgotten")
def _():
    with Box() as box, Gateway(aborts=False) as gateway:
        connected(box, gateway)
        id = under_way(box, ask(box, "SLOW one")["run"])
        with WS(box, unix=True) as ws:  # it leaves before there is an answer
            ws.json()
            ws.send({"op": "cancel", "run": id, "ref": 1})
            eventually(lambda: gateway.of("chat.abort"))
        wire = box.http()  # and so does this
        wire.ask("POST", "/api/control", json.dumps({"run": id, "do": "cancel"}).encode(),
                 {"Content-Type": "application/json", **box.bearer()})
        eventually(lambda: len(gateway.of("chat.abort")) == 2)
        wire.close()
        answer = cancel(box, id)
        assert answer.status == 504 and answer.json()["code"] == "no_answer", answer
        assert "did not answer within 10 s" in answer.json()["error"], answer
        settle(box, gateway)


@test("a connection that is lost before the gateway answers is said to be")
def _():
    with Box() as box, Gateway(aborts=False) as gateway:
        connected(box, gateway)
        id = under_way(box, ask(box, "SLOW one")["run"])
        with WS(box, unix=True) as ws:
            ws.send({"op": "cancel", "run": id, "ref": 1})
            eventually(lambda: gateway.of("chat.abort"))
            gateway.drop()
            error = until(ws, ref=1)
            assert error["code"] == "no_answer" and "lost" in error["message"], error


@test("what is stopped before the gateway has begun it is stopped once it has")
def _():
    with Box() as box, Gateway(holds_sends=True) as gateway:
        connected(box, gateway)
        id = ask(box, "SLOW one")["run"]
        with WS(box, unix=True) as ws:
            ws.send({"op": "cancel", "run": id, "ref": 1})
            ws.send({"op": "ping", "ref": 2})
            assert until(ws, ref=2) and not gateway.of("chat.abort")
            gateway.let_sends_go()
            assert until(ws, ref=1) == {"op": "ack", "ref": 1, "run": id}
        assert [s["type"] for s in end_of(box, id) if s["type"] in ENDS] == ["completion"]


run()
