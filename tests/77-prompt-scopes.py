#!/usr/bin/env python3
"""Who may answer what: scopes of those who are asked, on every way to answer."""

from doors import config_box
from lib import WS, eventually, run, test

SCOPES = {"all": "observe,emit,answer,control", "answers": "observe,answer", "looks": "observe"}
TOKENS = {name: f"{n:02d}" * 32 for n, name in enumerate(SCOPES, 10)}
OPTIONS = [{"label": "Allow", "value": "allow", "edit": {"command": "ls"}},
           {"label": "Always", "value": "always", "rule": "allow Bash", "needs": "control"},
           {"label": "Deny", "value": "deny", "safe": True}]
CHANGE = {"value": "allow", "edit": {"command": "rm"}}


def scoped_box():
    rows = ", ".join(f"{{name: {name}, file: TOP/{name}, scopes: '{scopes}'}}"
                     for name, scopes in SCOPES.items())
    return config_box(f"auth: {{local: none, tokens: [{rows}]}}\n",
                      {name: token + "\n" for name, token in TOKENS.items()})


def who(name):
    return {"Authorization": f"Bearer {TOKENS[name]}"}


def prompts(box, name="all"):
    return box.request("GET", "/api/prompts", headers=who(name), unix=False).json()["prompts"]


def ask(box):
    box.emit("prompt", source="me", correlationId="r",
             payload={"type": "select", "prompt": "Bash: ls", "options": OPTIONS, "tool": "Bash",
                      "input": {"command": "ls"}})
    return prompts(box)[-1]["id"]


def post(box, name, prompt, value):
    return box.request("POST", f"/api/prompts/{prompt}/answer", {"value": value}, headers=who(name),
                       unix=False)


def until(ws, **wanted):
    while True:
        said = ws.json()
        if wanted.items() <= said.items():
            return said


@test("always and a changed input need control beside answer: POST")
def _():
    with scoped_box() as box:
        prompt = ask(box)
        for value in ("always", CHANGE):
            refused = post(box, "answers", prompt, value)
            assert refused.status == 403 and refused.json()["code"] == "forbidden", refused
            assert "control" in refused.json()["error"], refused
        assert post(box, "looks", prompt, "allow").status == 403
        assert len(prompts(box)) == 1
        assert post(box, "answers", prompt, "allow").status == 200
        for value in ("always", CHANGE):
            assert post(box, "all", ask(box), value).status == 200, value


@test("always and a changed input need control beside answer: native and the run dialect")
def _():
    with scoped_box() as box:
        prompt = ask(box)
        with WS(box, "/ws", who("answers"), unix=False) as ws:
            for value in ("always", CHANGE):
                ws.send({"op": "answer", "id": prompt, "value": value, "ref": 1})
                assert until(ws, op="error", ref=1)["code"] == "forbidden"
        with WS(box, "/ws/run", who("answers"), unix=False) as ws:
            for value in ("always", CHANGE):
                ws.send({"kind": "answer", "prompt-id": prompt, "value": value})
                assert until(ws, kind="refused")["reason"] == "forbidden"
            assert len(prompts(box)) == 1
            ws.send({"kind": "answer", "prompt-id": prompt, "value": "allow"})
            eventually(lambda: not prompts(box))
        prompt = ask(box)
        with WS(box, "/ws", who("all"), unix=False) as ws:
            ws.send({"op": "answer", "id": prompt, "value": "always", "ref": 2})
            until(ws, op="ack", ref=2)


@test("who may not answer is not asked: native and HTTP tell that somebody is, and no more")
def _():
    with scoped_box() as box:
        with WS(box, "/ws", who("looks"), unix=False) as looks, \
                WS(box, "/ws", who("answers"), unix=False) as answers:
            for ws in (looks, answers):
                ws.send({"op": "subscribe", "prompts": True})
            prompt = ask(box)
            seen = until(looks, op="prompt")
            assert seen["answerable"] is False and seen["prompt"] == "Bash: ls", seen
            assert not {"options", "input", "type", "default"} & set(seen), seen
            asked = until(answers, op="prompt")
            assert [o["value"] for o in asked["options"]] == ["allow", "deny"], asked
            assert "answerable" not in asked, asked
            (listed,) = prompts(box, "looks")
            assert listed == {k: v for k, v in seen.items() if k != "op"}, listed
            run_of = box.request("GET", "/api/runs/r", headers=who("looks"), unix=False).json()
            assert run_of["prompts"] == [listed], run_of
            assert post(box, "answers", prompt, "deny").status == 200
            over = until(looks, op="prompt", state="answered")
            assert over["answerable"] is False, over


@test("who may not answer is not asked: the run dialect has no prompt for them")
def _():
    with scoped_box() as box:
        prompt = ask(box)
        with WS(box, "/ws/run", who("looks"), unix=False) as looks:
            with WS(box, "/ws/run", who("answers"), unix=False) as answers:
                assert until(answers, kind="prompt")["prompt-id"] == prompt
                second = ask(box)
                box.emit("note", source="me", correlationId="r")
                while True:
                    said = looks.json()
                    assert said["kind"] not in ("prompt", "prompt-closed"), said
                    if said.get("event") == "note":
                        break
                assert second != prompt


def assert_plain(options):
    assert [o["value"] for o in options] == ["allow", "deny"], options
    assert not any({"edit", "needs"} & set(o) for o in options), options


def with_rule(option):
    """As the run dialect tells it: its screens show the label alone."""
    told = {k: v for k, v in option.items() if k != "rule"}
    return {**told, "label": f"{option['label']} — {option['rule']}"} if "rule" in option else told


@test("what needs control is offered to nobody from whom it would be refused")
def _():
    with scoped_box() as box:
        ask(box)
        (listed,) = prompts(box, "answers")
        assert_plain(listed["options"])
        run_of = box.request("GET", "/api/runs/r", headers=who("answers"), unix=False).json()
        assert run_of["prompts"] == [listed], run_of
        assert len(prompts(box)[0]["options"]) == 3
        for name in ("answers", "all"):
            with WS(box, "/ws", who(name), unix=False) as ws:
                ws.send({"op": "subscribe", "prompts": True})
                native = until(ws, op="prompt")["options"]
            with WS(box, "/ws/run", who(name), unix=False) as ws:
                run_dialect = until(ws, kind="prompt")["opts"]["options"]
            assert run_dialect == [with_rule(o) for o in native], (native, run_dialect)
            if name == "answers":
                assert_plain(native)
            else:
                assert native == OPTIONS, native


@test("a choice of which nothing is left is no question to who may not control")
def _():
    with scoped_box() as box:
        box.emit("prompt", source="me", correlationId="r",
                 payload={"type": "select", "prompt": "Really?", "options": OPTIONS[1:2]})
        assert prompts(box, "answers")[0]["answerable"] is False
        with WS(box, "/ws/run", who("answers"), unix=False) as ws:
            box.emit("note", source="me", correlationId="r")
            while True:
                said = ws.json()
                assert said["kind"] != "prompt", said
                if said.get("event") == "note":
                    break


@test("the input of a tool is for who may answer")
def _():
    with scoped_box() as box:
        path = f"/api/prompts/{ask(box)}/input"
        assert box.request("GET", path, headers=who("looks"), unix=False).status == 403
        whole = box.request("GET", path, headers=who("answers"), unix=False)
        assert whole.json() == {"ok": True, "tool": "Bash", "input": {"command": "ls"}}, whole
        for other in ("/api/prompts/nobody/input",):
            assert box.request("GET", other, headers=who("all"), unix=False).status == 404


run()
