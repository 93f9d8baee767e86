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
                assert [(e["type"], e["payload"]["taskId"], e["payload"]["success"], e["payload"]["result"])
                        for e in ends] == [("completion", id, False, "cancelled")]
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


# --- what was decided, by whom ---------------------------------------------------------------


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def one_prompt(box):
    return eventually(lambda: len(prompts(box)) == 1 and prompts(box)[0])


def answer(box, prompt, **how):
    return box.request("POST", f"/api/prompts/{prompt['id']}/answer", how)


def settled(box, prompt):
    """What its agent did, once that is known; once."""
    def of_it():
        return [s["payload"] for s in box.history("&type=prompt.settled")
                if s["payload"]["prompt"] == prompt["id"]]
    eventually(of_it)
    told, = of_it()
    return told["by"], told["decision"]


@test("what is decided on a screen of the gateway closes ours, says by whom, and who is late hears so")
def _():
    for protocol in (3, 4):
        with Box() as box, Gateway(protocol) as gateway:
            connected(box, gateway)
            gateway.approve("a1", "make")
            prompt = one_prompt(box)
            gateway.decide("a1", "deny")
            eventually(lambda: not prompts(box))
            assert settled(box, prompt) == ({"user": "Control UI", "screen": "claw"}, "deny")
            late = answer(box, prompt, value="allow-once")
            assert late.status == 409 and late.json()["code"] == "already_answered", late
            assert "it was decided there" in late.json()["error"], late
            assert gateway.of("exec.approval.resolve") == []


@test("what is decided here is settled by who decided, when the gateway has taken it")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        for id in ("a1", "plugin:a2"):
            gateway.approve(id, "make", kind="plugin" if id.startswith("plugin") else "exec")
            prompt = one_prompt(box)
            assert answer(box, prompt, value="allow-once").status == 200
            by, decision = settled(box, prompt)
            assert by["user"] and by["screen"] == "http" and decision == "allow-once", by
        settle(box, gateway)
        assert len(box.history("&type=prompt.settled")) == 2


@test("an answer that came too late for the gateway is settled by what was decided there")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.approve("a1", "make")
        prompt = one_prompt(box)
        gateway.resolve_refusal = Refusal("INVALID_REQUEST", "approval already resolved")
        gateway.approvals["a1"]["decision"] = "deny"
        assert answer(box, prompt, value="allow-once").status == 200
        eventually(lambda: gateway.of("exec.approval.resolve"))
        gateway.decide("a1", "deny", by="phone")
        assert settled(box, prompt) == ({"user": "phone", "screen": "claw"}, "deny")
        settle(box, gateway)
        assert not prompts(box)


# --- questions -------------------------------------------------------------------------------

COLOUR = {"questionId": "colour", "question": "Which colour?", "isOther": True,
          "options": [{"label": "Red", "description": "warm"}, {"label": "Blue"}]}
SIZES = {"questionId": "sizes", "question": "Which sizes?", "multiSelect": True,
         "options": [{"label": "S"}, {"label": "L"}]}
NAME = {"questionId": "name", "question": "What is it called?", "url": "https://example.org/names"}


@test("questions of a gateway are prompts to choose of or to write, and it gets its answers")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        run = ask(box, "HAND me")["run"]
        gateway.question("q1", COLOUR, SIZES, NAME, run=run)
        first = one_prompt(box)
        assert (first["type"], first["prompt"], first["run"]) == ("select", "Which colour?", run), first
        assert [o["value"] for o in first["options"]] == ["Red", "Blue", "(other)"], first
        assert first["options"][0]["label"] == "Red: warm" and first["deadline"] > 0, first
        assert answer(box, first, value="Green").status == 422
        assert answer(box, first, value="(other)").status == 200
        own = eventually(lambda: [p for p in prompts(box) if p["id"] != first["id"]])[0]
        assert own["type"] == "text" and answer(box, own, value="Green").status == 200
        sizes = eventually(lambda: [p for p in prompts(box) if p["type"] == "multi"])[0]
        assert [o["value"] for o in sizes["options"]] == ["S", "L"], sizes
        assert answer(box, sizes, value=["S", "L"]).status == 200
        name = eventually(lambda: [p for p in prompts(box) if p["prompt"].startswith("What is")])[0]
        assert name["prompt"] == "What is it called?\nhttps://example.org/names", name
        assert gateway.of("question.resolve") == [], "not before all are answered"
        assert answer(box, name, value="Ada").status == 200
        by, decision = settled(box, name)
        assert by["screen"] == "http" and decision == "Ada", (by, decision)
        assert gateway.of("question.resolve") == [{"id": "q1", "answers": {"answers": {
            "colour": ["Green"], "sizes": ["S", "L"], "name": ["Ada"]}}}]
        states = [(s["payload"]["from"], s["payload"]["to"]) for s in box.history("&type=agent_state_change")
                  if s["payload"].get("reason") == "question"]
        assert states == [("acting", "waiting"), ("waiting", "acting")], states


@test("a question that is answered elsewhere is closed here, and one that is dismissed here is there")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.question("q1", COLOUR)
        prompt = one_prompt(box)
        gateway.end_question("q1", "answered", {"colour": ["Blue"]})
        eventually(lambda: not prompts(box))
        assert settled(box, prompt) == ("agent", "Blue")
        late = answer(box, prompt, value="Red")
        assert late.status == 409 and "it was decided there" in late.json()["error"], late
        gateway.question("q2", COLOUR)
        prompt = one_prompt(box)
        assert answer(box, prompt, cancelled=True).status == 200
        eventually(lambda: gateway.questions["q2"]["status"] == "cancelled")
        assert settled(box, prompt)[1] == "cancelled"
        gateway.question("q3", COLOUR)
        prompt = one_prompt(box)
        gateway.end_question("q3", "expired")
        assert settled(box, prompt) == ("agent", "expired")
        assert gateway.of("question.resolve") == [{"id": "q2", "cancel": True}]


@test("questions that are open when we connect are asked once, and those that are not are closed")
def _():
    with Box() as box, Gateway(4) as gateway:
        gateway.question("early", COLOUR)
        connected(box, gateway)
        prompt = one_prompt(box)
        gateway.stops_listening()
        gateway.drop()
        gateway.question("meanwhile", NAME)
        assert answer(box, prompt, value="Red").status == 200, "it is told when the gateway is back"
        gateway.listens_again()
        eventually(lambda: gateway.questions["early"]["status"] == "answered")
        other = one_prompt(box)
        assert other["prompt"].startswith("What is it called?"), other
        box.emit("note")  # what was told before it is on the disk with it
        box.kill9()
        gateway.questions["meanwhile"]["status"] = "answered"
        gateway.question("after", COLOUR, SIZES)
        box.start()
        last = eventually(lambda: [p for p in prompts(box) if p["prompt"] == "Which colour?"])[0]
        eventually(lambda: len(prompts(box)) == 1)
        box.emit("note")
        box.kill9()
        box.start()
        eventually(lambda: len(gateway.of("question.list")) == 4)
        settle(box, gateway)
        assert [p["id"] for p in prompts(box)] == [last["id"]], "it is the same one"
        asked = [s["payload"]["id"] for s in box.history("&type=prompt")]
        assert asked == ["question:early#0", "question:meanwhile#0", "question:after#0"], asked


@test("an answer that the gateway refuses is asked for again, and says why; no secret is asked for")
def _():
    with Box() as box, Gateway(4) as gateway:
        connected(box, gateway)
        gateway.question("secret", {"questionId": "key", "question": "The key?", "isSecret": True,
                                    "secretStore": {"name": "KEY", "kind": "secret"}})
        gateway.question("q1", COLOUR)
        before = one_prompt(box)
        gateway.resolve_refusal = Refusal("INVALID_REQUEST", "not \"now\"")
        assert answer(box, before, value="Red").status == 200
        again = eventually(lambda: [p for p in prompts(box) if p["id"] != before["id"]])[0]
        assert again["prompt"] == ('The gateway did not take that answer: not "now"\n'
                                   "Which colour?"), again
        assert answer(box, again, value="Blue").status == 200
        eventually(lambda: gateway.questions["q1"].get("status") == "answered")
        settle(box, gateway)
        assert not prompts(box) and settled(box, again)[1] == "Blue"


@test("a gateway that does not grant operator.questions has none of its questions asked here")
def _():
    with Box() as box, Gateway(4, grants=["operator.read", "operator.write"]) as gateway:
        gateway.question("q1", COLOUR)
        connected(box, gateway)
        gateway.question("q2", COLOUR)
        settle(box, gateway)
        assert not prompts(box) and gateway.of("question.list") == []


run()
