#!/usr/bin/env python3
"""Strangers in a chat get a code, once, and may ask one agent when somebody lets them in by it."""

import json
import re

from chats import OWNER, TEXT, connected, lines, requests, said, settings, write
from lib import cli, eventually, run, test
from servers import Upstream

QUICK = OWNER + "deliver: {gather: 0}\n"
CODE = re.compile(r"people approve ([0-9a-f]{32}) --agent")


def to(box, peer):
    return [x["text"] for x in lines(box) if x.get("peer") == peer and "text" in x]


def code_of(box, peer="bob"):
    return eventually(lambda: to(box, peer) and CODE.search(to(box, peer)[0]))[1]


def people(box):
    return box.request("GET", "/api/people").json()


def approve(box, code, agent="model", **more):
    return box.request("POST", "/api/people/approve", {"code": code, "agent": agent, **more})


def ended(box, count):
    return eventually(lambda: len(requests(box)) == count and requests(box))


@test("a stranger gets a code once, is let in by it, asks that agent, and is removed")
def _():
    with Upstream() as up, settings(up, QUICK) as box:
        connected(box)
        write(box, "hello", sender="bob", name="Bob")
        code = code_of(box)
        write(box, "hello?", sender="bob", name="Bob")
        got = ended(box, 2)
        assert all(r["status"] == "denied" for r in got) and len(to(box, "bob")) == 1, got
        assert not up.of("/v1/chat/completions")
        listed = cli("people", "--data", str(box.data))
        assert "waits" in listed.out and "desk:bob" in listed.out and code not in listed.out
        assert "Ada" in listed.out and "owner" in listed.out, listed
        done = cli("people", "approve", code, "--agent", "model", "--data", str(box.data))
        assert done.code == 0, done
        eventually(lambda: to(box, "bob")[1:] == ["You may write here now."])
        write(box, "good day", sender="bob")
        eventually(lambda: to(box, "bob")[2:] == [TEXT])
        last = ended(box, 3)[-1]
        who = {k: last["principal"][k] for k in ("type", "name", "relationship")}
        assert who == {"type": "known", "name": "Bob", "relationship": "known"}, last["principal"]
        assert last["access"]["matched_policy"] == "pairing" and last["agent"]["agent_id"] == "model"
        assert approve(box, code).status == 404  # it is used up
        assert cli("people", "remove", "Bob", "--data", str(box.data)).code == 0
        write(box, "still there?", sender="bob")
        assert ended(box, 4)[-1]["status"] == "denied"
        assert cli("people", "remove", "Bob", "--data", str(box.data)).code == 1
        assert cli("people", "remove", "Ada", "--data", str(box.data)).code == 1


@test("the code is in no signal, no list and no file but the chat's own")
def _():
    with Upstream() as up, settings(up, QUICK) as box:
        connected(box)
        write(box, "hello", sender="bob")
        code = code_of(box)
        ended(box, 1)
        assert code not in json.dumps(box.history())
        assert code not in json.dumps(box.request("GET", "/api/deliveries").json())
        assert code not in json.dumps(people(box)) and people(box)["waiting"]
        for path in box.data.rglob("*"):
            if path.is_file() and path.name != "out.ndjson":
                assert code.encode() not in path.read_bytes(), path


@test("what was given out and who was let in outlives kill -9")
def _():
    with Upstream() as up, settings(up, QUICK) as box:
        connected(box)
        write(box, "hello", sender="bob", name="Bob")
        code = code_of(box)
        ended(box, 1)
        box.kill9()
        box.start()
        connected(box)
        write(box, "hello?", sender="bob", name="Bob")
        assert ended(box, 2)[-1]["status"] == "denied" and len(to(box, "bob")) == 1
        assert approve(box, code).json()["name"] == "Bob"
        box.kill9()
        box.start()
        connected(box)
        write(box, "good day", sender="bob")
        eventually(lambda: TEXT in to(box, "bob"))
        assert [p["name"] for p in people(box)["people"]] == ["Ada", "Bob"], people(box)


@test("whenever it is killed, a stranger has one code that works")
def _():
    with Upstream() as up, settings(up, QUICK) as box:
        connected(box)
        for i in range(3):
            write(box, "hello", sender=f"bob{i}")
            box.kill9()
            box.start()
        connected(box)
        for i in range(3):
            code = code_of(box, f"bob{i}")
            assert len(to(box, f"bob{i}")) == 1, lines(box)
            assert approve(box, code).status == 200


OTHER = ("  other:\n    channel: file\n    agent: model\n    inbox: other-in.ndjson\n"
         "    outbox: other-out.ndjson\n")
ADA = "people: [{name: Ada, relationship: owner, identities: ['desk:ada']}]\ndeliver: {gather: 0}\n"


class Other:
    """The second chat of a box, for write() and code_of()."""

    def __init__(self, box):
        self.inbox = box.data / "other-in.ndjson"
        self.data = box.data / "other"
        self.data.mkdir(exist_ok=True)
        (self.data / "out.ndjson").symlink_to(box.data / "other-out.ndjson")


@test("who is somebody in one chat is a stranger in another one of the same kind")
def _():
    with Upstream() as up, settings(up, ADA, OTHER) as box:
        connected(box)
        other = Other(box)
        write(box, "hello", sender="bob", name="Bob")
        code = code_of(box)
        write(other, "hello", sender="bob", name="Bob")
        code_there = code_of(other)
        assert code != code_there
        assert {w["identity"] for w in people(box)["waiting"]} == {"desk:bob", "other:bob"}
        assert approve(box, code).json()["name"] == "Bob"
        write(box, "good day", sender="bob")
        eventually(lambda: TEXT in to(box, "bob"))
        write(other, "good day", sender="bob")
        write(other, "it is me", sender="ada")  # an owner, but not here
        code_of(other, "ada")
        assert [r["status"] for r in ended(box, 5)].count("completed") == 1
        assert approve(box, code_there).json()["name"] == "other:bob"
        box.kill9()
        box.start()
        connected(box)
        write(other, "and now?", sender="bob")
        eventually(lambda: TEXT in to(other, "bob"))
        assert cli("people", "remove", "other:bob", "--data", str(box.data)).code == 0
        write(other, "still there?", sender="bob")
        write(box, "and here?", sender="bob")
        eventually(lambda: to(box, "bob").count(TEXT) == 2)
        assert ended(box, 8)[-2:][0]["status"] in ("denied", "completed")
        assert to(other, "bob").count(TEXT) == 1


@test("whom an older box let in stays who they were, at their chat alone")
def _():
    with Upstream() as up, settings(up, ADA, OTHER) as box:
        connected(box)
        box.stop()
        (box.data / "people.json").write_text(json.dumps({"people": [
            {"identity": "file:bob", "name": "Bob", "agent": "model", "account": "desk",
             "peer": "bob", "request": "1", "at": 1}], "waiting": []}))
        (box.data / "people.json").chmod(0o600)
        box.start()
        connected(box)
        write(box, "good day", sender="bob")
        eventually(lambda: TEXT in to(box, "bob"))
        other = Other(box)
        write(other, "good day", sender="bob")
        code_of(other)


@test("a name that may be two people is refused at the start, with the two")
def _():
    with Upstream() as up:
        box = settings(up, OWNER, OTHER)
        done = cli("serve", *box.args, "--data", str(box.data))
        assert done.code != 0 and ("'file:ada' may be somebody else at 'desk' and at 'other': write "
                                   "desk:ada or other:ada") in done.err, done


@test("three wait, groups get no code, a policy turns codes off, and guesses are limited")
def _():
    with Upstream() as up, settings(up, QUICK) as box:
        connected(box)
        write(box, "hello", sender="eve", peer="room", kind="group", mentioned=True)
        for sender in ("a", "b", "c", "d"):
            write(box, "hello", sender=sender)
        ended(box, 5)
        assert sorted(x["peer"] for x in lines(box) if "text" in x) == ["a", "b", "c"], lines(box)
        code = code_of(box, "a")
        assert approve(box, code, agent="nobody").status == 400
        assert approve(box, code, name="Ada").status == 400  # an owner's
        assert approve(box, code, name="owner").status == 400
        assert approve(box, code, colour="red").status == 400
        for i in range(10):
            assert approve(box, f"{i:032x}").status == 404
        assert approve(box, code).status == 409  # the right one waits, too
    deny = QUICK + "access: [{who: unknown, decision: deny}]\n"
    with Upstream() as up, settings(up, deny) as box:
        connected(box)
        write(box, "hello", sender="bob")
        assert ended(box, 1)[0]["status"] == "denied" and said(box) == []


@test("nobody but who may control the box sees people or lets one in")
def _():
    with Upstream() as up, settings(up, QUICK) as box:
        for method, path, body in (("GET", "/api/people", None),
                                   ("POST", "/api/people/approve", {"code": "0", "agent": "model"}),
                                   ("DELETE", "/api/people/Bob", {})):
            got = box.request(method, path, body, unix=False)
            assert got.status in (401, 403), (path, got)


@test("who was let in may not be somebody else by a name, and answers nothing")
def _():
    policies = QUICK + ("access: [{who: Boss, decision: allow, answer: true},"
                        " {who: known, decision: allow, answer: true}]\n")
    with Upstream() as up, settings(up, policies) as box:
        connected(box)
        write(box, "hello", sender="bob", name="Boss")
        assert approve(box, code_of(box)).json()["name"] == "Boss"
        write(box, "slow please", sender="bob")
        eventually(lambda: up.of("/v1/chat/completions"))
        run_id = box.history("&type=nex.received")[-1]["payload"]["request"]
        box.emit("prompt", source="me", correlationId=run_id,
                 payload={"type": "select", "prompt": "Go on?",
                          "options": [{"label": "Yes", "value": "yes"}]})
        (line,) = eventually(lambda: [x for x in lines(box) if "buttons" in x])
        with open(box.inbox, "a", encoding="utf-8") as file:
            file.write(json.dumps({"from": "bob", "press": line["buttons"][0]["press"]}) + "\n")
        eventually(lambda: [x["words"] for x in lines(box) if "pressed" in x]
                   == ["You may not answer here."])
        assert not box.history("&type=answer")


run()
