#!/usr/bin/env python3
"""Questions of agents in chats: asked there, answered once by who may, and told how they ended."""

import json
import threading
import time

from chats import AGAIN, OWNER, connected, lines, requests, said, settings, write
from fake_telegram import Telegram
from lib import cli, eventually, run, temp_dir, test
from servers import Upstream

TOOL = {"type": "select", "prompt": "Bash: make", "tool": "Bash", "input": {"command": "make"},
        "options": [{"label": "Allow", "value": "allow"},
                    {"label": "Allow always", "value": "always", "needs": "control",
                     "rule": "Bash(make)"},
                    {"label": "Deny", "value": "deny", "safe": True}]}


def working(box, up, **more):
    """A question of Ada's that an agent works on; its run."""
    before = len(up.of("/v1/chat/completions"))
    write(box, "gated please", **more)
    eventually(lambda: len(up.of("/v1/chat/completions")) > before)
    return box.history("&type=nex.received")[-1]["payload"]["request"]


def ask(box, run="r", **payload):
    box.emit("prompt", source="me", correlationId=run, payload=payload)


def asked(box):
    """What was asked in the chat: lines, the oldest first."""
    return [x for x in lines(box) if "asks:" in x.get("text", "") and "id" in x]


def answers(box):
    return [s["payload"] for s in box.history("&type=answer")]


def pressed(box):
    return [x["words"] for x in lines(box) if "pressed" in x]


def press(box, button, sender="ada"):
    with open(box.inbox, "a", encoding="utf-8") as file:
        file.write(json.dumps({"from": sender, "press": button["press"]}) + "\n")


@test("a prompt goes to the chat that its run came from, with buttons, and one press answers it")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        run = working(box, up)
        ask(box, run, **TOOL)
        (line,) = eventually(lambda: asked(box))
        assert line["peer"] == "ada" and line["text"] == "me asks:\nBash: make", line
        assert [b["label"] for b in line["buttons"]] == ["Allow", "Deny"], line
        assert all("code" not in b for b in line["buttons"]), line
        press(box, line["buttons"][0], sender="eve")
        eventually(lambda: pressed(box) == ["You may not answer here."])
        press(box, line["buttons"][0])
        (answer,) = eventually(lambda: answers(box))
        assert answer["value"] == "allow" and answer["by"]["user"] == "Ada", answer
        assert answer["by"]["screen"] == "desk", answer
        (end,) = eventually(lambda: [x for x in lines(box) if "edit" in x])
        assert end["edit"] == line["id"] and end["text"].endswith("\n\nAda answered: Allow."), end
        press(box, line["buttons"][1])
        eventually(lambda: "already answered by Ada" in pressed(box)[-1])
        press(box, {"press": "nothing:0"})
        eventually(lambda: "no such question" in pressed(box)[-1])
        up.gate.set()
        eventually(lambda: requests(box)[-1:] and requests(box)[-1]["status"] == "completed")
        assert len(answers(box)) == 1


@test("numbers are typed where there are no buttons: one, several, or a text")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 0}\n") as box:
        connected(box)
        run = working(box, up)
        many = [f"colour {i}" for i in range(12)]
        ask(box, run, type="select", prompt="Which?", options=many)
        (one,) = eventually(lambda: asked(box))
        assert "\n3  colour 2" in one["text"] and "buttons" not in one, one
        ask(box, run, type="multi", prompt="Which ones?", options=["a", "b", "c"])
        (_, two) = eventually(lambda: len(asked(box)) == 2 and asked(box))
        assert "\n13  a\n14  b\n15  c\n16  none of them" in two["text"], two
        write(box, "15, 13")
        eventually(lambda: answers(box))
        assert answers(box)[-1]["value"] == ["c", "a"], answers(box)
        write(box, "3")
        eventually(lambda: len(answers(box)) == 2)
        assert answers(box)[-1]["value"] == "colour 2", answers(box)
        write(box, "4")
        eventually(lambda: any("already answered by Ada" in t for t in said(box)))
        ask(box, run, type="text", prompt="What name?")
        eventually(lambda: len(asked(box)) == 3)
        write(box, "call it Vela")
        eventually(lambda: len(answers(box)) == 3)
        assert answers(box)[-1]["value"] == "call it Vela", answers(box)
        ask(box, run, type="confirm", prompt="Sure?")
        last = eventually(lambda: len(asked(box)) == 4 and asked(box)[-1])
        write(box, "yes", replyTo=last["id"])
        eventually(lambda: len(answers(box)) == 4)
        assert answers(box)[-1]["value"] is True, answers(box)
        handled = [r for r in requests(box) if r["status"] == "handled_by_automation"]
        assert len(handled) == 5 and handled[0]["triggers"]["handled_by"] == "answer", handled
        assert len(up.of("/v1/chat/completions")) == 1
        up.gate.set()


@test("what does not fit whole can only be denied there")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        run = working(box, up)
        long = {**TOOL, "prompt": "May I?", "input": {"command": "x" * 20000}}
        ask(box, run, **long)
        (line,) = eventually(lambda: asked(box))
        assert [b["label"] for b in line["buttons"]] == ["Deny"], line["buttons"]
        assert "That is not all of it" in line["text"] and "signalbox open" in line["text"]
        ask(box, run, **{**TOOL, "prompt": "May I?", "input": {"command": "make\u200b all"}})
        (_, line) = eventually(lambda: len(asked(box)) == 2 and asked(box))
        assert "Bash: make\\u200b all" in line["text"], line
        assert [b["label"] for b in line["buttons"]] == ["Allow", "Deny"], line
        up.gate.set()


@test("only people whose access has `answer` may answer")
def _():
    people = ("people: [{name: Ada, relationship: owner, identities: ['file:ada']},"
              " {name: Bob, identities: ['file:bob']}, {name: Cid, identities: ['file:cid']}]\n"
              "access: [{who: owner, decision: allow, answer: false},"
              " {who: Bob, decision: allow, answer: true}, {who: any, decision: allow},"
              " {who: unknown, decision: allow, answer: true}]\n")
    with Upstream() as up, settings(up, people + "deliver: {gather: 0}\n") as box:
        connected(box)
        run = working(box, up, peer="room", kind="group")
        ask(box, run, **TOOL)
        (line,) = eventually(lambda: asked(box))
        for sender in ("ada", "cid", "eve"):
            press(box, line["buttons"][1], sender=sender)
        eventually(lambda: pressed(box) == ["You may not answer here."] * 3)
        assert answers(box) == []
        press(box, line["buttons"][1], sender="bob")
        eventually(lambda: answers(box))
        assert answers(box)[0]["by"]["user"] == "Bob", answers(box)
        up.gate.set()


@test("prompts.to asks other chats, where a code answers as whoever has it")
def _():
    to = OWNER + "prompts: {to: ['desk:ops', {chat: 'desk:boss', allow: true}]}\n"
    with Upstream() as up, settings(up, to) as box:
        connected(box)
        ask(box, **TOOL)
        eventually(lambda: len(asked(box)) == 2)
        ops, boss = sorted(asked(box), key=lambda x: x["peer"], reverse=True)
        assert ["code" in b for b in ops["buttons"]] == [False, True], ops
        assert ["code" in b for b in boss["buttons"]] == [True, True], boss
        allow = boss["buttons"][0]["code"]

        def push(code):
            return box.request("POST", "/api/press", headers={"X-Signalbox-Press": code})
        assert push("").status == push("x.y").status == 404
        assert push(allow[:-1] + ("0" if allow[-1] != "0" else "1")).status == 404
        forged = ops["buttons"][0]["press"] + "." + allow.split(".")[1]
        assert push(forged).status == 404
        box.restart()
        assert push(allow).status == 200
        (answer,) = answers(box)
        assert answer["value"] == "allow" and answer["by"]["user"] == "file:boss", answer
        assert push(ops["buttons"][1]["code"]).status == 409
        eventually(lambda: len([t for t in said(box) if t.endswith("file:boss answered: Allow.")]) == 2)
        assert len(asked(box)) == 2


@test("answers are not gathered: two that are typed quickly answer two questions")
def _():
    with Upstream() as up, settings(up, OWNER + "deliver: {gather: 3s}\n") as box:
        connected(box)
        run = working(box, up)
        for prompt in ("Bash: make", "Bash: make clean"):
            ask(box, run, **{**TOOL, "prompt": prompt, "input": {"command": prompt[6:]}})
        eventually(lambda: len(asked(box)) == 2)
        write(box, "and now")
        write(box, "1")
        write(box, "4")
        write(box, "something else")
        eventually(lambda: [a["value"] for a in answers(box)] == ["allow", "deny"])
        eventually(lambda: len(box.history("&type=nex.received")) == 5)
        into = [s["payload"].get("into") for s in box.history("&type=nex.received")]
        assert [i is not None for i in into] == [False] * 4 + [True], into
        up.gate.set()


@test("a chat that takes no more keeps no question from another")
def _():
    gone = temp_dir()
    away = (f"  gone:\n    channel: file\n    inbox: {gone}/in.ndjson\n"
            f"    outbox: {gone}/none/out.ndjson\n")
    with Upstream() as up, settings(
            up, "prompts: {to: ['gone:ops', 'desk:ops']}\n", adapter=away) as box:
        connected(box)
        for number in range(1003):  # a thousand wait for a chat that is away, and no more
            ask(box, run=f"r{number}", type="text", prompt=f"number {number}.")
        eventually(lambda: any("number 1002." in x["text"] for x in asked(box)))
        eventually(lambda: len(asked(box)) == 1003)
        time.sleep(1.5)  # those that are left are tried again
        assert len(asked(box)) == 1003 == len({x["text"] for x in asked(box)})


@test("a question is on the disk before it leaves, and one that may have left says so")
def _():
    with Upstream() as up, Telegram() as fake:
        place = temp_dir()
        token = place / "token"
        token.write_text("123:abc\n")
        token.chmod(0o600)
        adapter = f"  telegram:\n    url: {fake.url}\n    credential_file: {token}\n"
        with settings(up, OWNER + "prompts: {to: ['telegram:7']}\n", adapter=adapter) as box:
            connected(box)
            fake.script["sendMessage"] = ["hold"]
            ask(box, **TOOL)
            eventually(lambda: len(fake.screen()) == 1)
            box.kill9()
            kinds = [json.loads(line).get("type") for path in sorted(
                (box.data / "journal").glob("*.ndjson")) for line in path.read_text().split("\n")
                if line.startswith("{")]
            assert "delivery.started" in kinds and "delivery.accepted" not in kinds, kinds
            box.start()
            eventually(lambda: len(fake.screen()) == 2)
            first, second = fake.screen()
            assert second == f"{AGAIN}\n{first}", fake.screen()


@test("a crash neither asks twice nor forgets to say how it ended")
def _():
    with Upstream() as up, settings(up, OWNER + "prompts: {to: ['desk:ops']}\n") as box:
        connected(box)
        for i in range(5):
            ask(box, **{**TOOL, "prompt": f"number {i}"})
            box.kill9()
            box.start()
        eventually(lambda: len(asked(box)) >= 1)
        for p in box.request("GET", "/api/prompts").json()["prompts"]:
            path = f"/api/prompts/{p['id']}/answer"
            assert box.request("POST", path, {"value": "deny"}).status == 200
        box.kill9()
        box.start()
        eventually(lambda: {x["edit"] for x in lines(box) if "answered: Deny." in x.get("text", "")}
                   == {x["id"] for x in asked(box)})
        ids = [x["id"] for x in lines(box) if "id" in x]
        assert len(ids) == len(set(ids)), ids


@test("signalbox chat asks what the agent asks, and takes the answer")
def _():
    with Upstream() as up, settings(up) as box:
        connected(box)
        cli_input = "gated please\n2\n"

        def emit():
            eventually(lambda: up.of("/v1/chat/completions"))
            run = box.history("&type=nex.received")[-1]["payload"]["request"]
            ask(box, run, **TOOL)
            eventually(lambda: answers(box))
            up.gate.set()
        other = threading.Thread(target=emit)
        other.start()
        got = cli("chat", "--data", str(box.data), "model", input=cli_input)
        other.join()
        assert got.code == 0 and "1  Allow\n2  Deny" in got.out, got
        assert answers(box)[0]["value"] == "deny", answers(box)


run()
