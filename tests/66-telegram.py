#!/usr/bin/env python3
"""Telegram: what people write there is answered there, in one message that grows, once."""

import os
import signal
import time
from pathlib import Path

import manual
from chats import (AGAIN, BEGUN, RESTARTED, TEXT, Parrot, begun, connected, ends, finished, is_whole,
                   look, post, reads, requests, says)
from fake_telegram import Refused, Telegram
from faults import FaultyBox
from later import complaints
from lib import PATIENCE_S, SLOW, Box, cli, eventually, run, temp_dir, test
from servers import Upstream

LOST = "(nobody knows whether the answer arrived, please ask again)"
BLOCKS = "mode: blocks, coalescing: {idle_ms: 300}"
PEOPLE = "people: [{name: Ada, relationship: owner, identities: ['telegram:7', 'telegram:8']}]\n"


def settings(up, fake, more="", adapter="", streaming="enabled: auto", kind=Box):
    place = temp_dir()
    secret = place / "token"
    secret.write_text("123:abc\n")
    secret.chmod(0o600)
    path = place / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  telegram:\n    agent: model\n    url: {fake.url}\n"
        f"    credential_file: {secret}\n    streaming: {{{streaming}}}\n{adapter}"
        f"deliver: {{gather: 0}}\n{PEOPLE}{more}")
    return kind(args=["--config", str(path)])


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def asked(box, up, fake, text="slow please", **more):
    return begun(box, up, lambda: fake.write(text, **more))


@test("docs/telegram.md: with its configuration the bot answers its owner")
def _():
    with Parrot() as parrot, Telegram() as fake:
        box = manual.box_of("telegram", parrot, fake.url, {"telegram.token": "123:abc"})
        with box:
            fake.write("let me in", sender=9)
            fake.write("good morning", sender=123456789)
            eventually(lambda: [t.strip() for t in fake.screen(123456789)] == ["good morning"])
            assert fake.wrong == [] and "good morning" not in str(fake.screen(9)), fake.wrong


@test("an answer that nobody could see is not sent, and what follows is")
def _():
    for streaming in ("enabled: auto", "mode: accumulate", BLOCKS):
        with Parrot() as parrot, Telegram() as fake, settings(parrot, fake,
                                                              streaming=streaming) as box:
            connected(box)
            fake.write("\u200b\u200d \u2060\ufeff")
            eventually(lambda: len(requests(box)) == 1)
            fake.write("good day")
            eventually(lambda: [t.strip() for t in fake.screen()] == ["good day"])
            eventually(lambda: len(requests(box)) == 2)
            assert [r["status"] for r in requests(box)] == ["completed"] * 2, requests(box)
            assert len(fake.of("sendMessage")) == 1 and len(letters(box)) == 1, letters(box)
            assert "message text is empty" not in box.log() and fake.wrong == [], fake.wrong


@test("a question is answered in one message that grows, with typing before it")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        id, number = asked(box, up, fake)
        eventually(lambda: fake.of("sendChatAction"))
        says(box, id, " is the **beginning** of a long answer,")
        eventually(lambda: fake.screen() == ["Hello is the beginning of a long answer,"])
        says(box, id, " and `a < b` its end.")
        ends(box, id)
        got = finished(box, id)
        assert fake.screen() == ["Hello is the beginning of a long answer, and a < b its end."]
        assert got["status"] == "completed", got
        assert list(fake.replies.values()) == [number] and len(fake.sent) == 1, fake.replies
        assert list(fake.tags.values()) == [{"b", "code"}], fake.tags
        eventually(lambda: fake.confirmed > 1000)
        assert fake.wrong == [] and fake.limited == 0, fake.wrong
        assert "123:abc" not in box.log()


@test("what is no question is passed over; in groups who is meant is heard")
def _():
    with Upstream() as up, Telegram() as fake, settings(
            up, fake, "access: [{who: owner, peer: group, mention: true, decision: allow},"
            " {who: any, decision: deny}]\n") as box:
        connected(box)
        fake.update({"message": {"message_id": 1}})
        fake.update({"poll": {"id": "x"}})
        fake.update({"message": "no object"})
        fake.write("I am a bot", sender=9, **{"from": {"id": 9, "is_bot": True}})
        fake.write("to nobody", chat=-5, kind="supergroup")
        fake.write("@box_bot good day", chat=-5, kind="supergroup")
        eventually(lambda: fake.screen(-5) == [TEXT])
        fake.write("/help@box_bot", chat=-5, kind="supergroup")
        eventually(lambda: any("/stop ends" in t for t in fake.screen(-5)))
        eventually(lambda: len(requests(box)) >= 3)
        statuses = sorted(r["status"] for r in requests(box))
        assert statuses == ["completed", "denied", "handled_by_automation"], statuses
        assert fake.wrong == [], fake.wrong


@test("members that nobody knows yet do no harm, in what people write and in every answer")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        run, _ = asked(box, up, fake)
        box.emit("prompt", source="me", correlationId=run, payload={
            "type": "select", "prompt": "Well?", "options": ["Yes", "No"]})
        eventually(lambda: keyboard(fake))
        fake.press(7, "Yes")
        eventually(lambda: box.history("&type=answer"))
        ends(box, run)
        assert finished(box, run)["status"] == "completed"
        fake.write("good day")
        eventually(lambda: fake.screen()[-1] == TEXT)
        assert fake.wrong == [] and complaints(box) == [], (fake.wrong, complaints(box))


@test("a long answer comes in several messages, none of them too long")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        id, _number = asked(box, up, fake)
        text = " ".join(f"\U0001f600 Sentence {i} has <tags> & @someone in it." for i in range(220))
        says(box, id, " " + text)
        ends(box, id)
        finished(box, id)
        eventually(lambda: "219" in "".join(fake.screen()), within=2 * PATIENCE_S)
        whole = "".join("".join(fake.screen()).split()).replace("\u2060", "").replace("\uff20", "@")
        assert whole == "Hello" + "".join(text.split()), whole[:200]
        assert "@someone" not in "".join(fake.screen())  # nobody is rung
        assert len(fake.screen()) > 2 and fake.wrong == [] and fake.limited == 0, fake.wrong


@test("what Telegram cannot read is sent as plain text")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["sendMessage"] = [Refused(400, "Bad Request: can't parse entities: no")]
        fake.write("good day")
        eventually(lambda: fake.screen() == [TEXT])
        assert "parse_mode" not in fake.of("sendMessage")[1], fake.of("sendMessage")


@test("too many requests: that chat waits as long as it says, and others do not")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        began = time.monotonic()
        fake.script["sendMessage"] = [Refused(429, "Too Many Requests: retry after 3",
                                              retry_after=3)]
        fake.write("good day")
        eventually(lambda: len(fake.of("sendMessage")) == 1)
        fake.write("good day", sender=8)
        eventually(lambda: fake.screen(8) == [TEXT])
        assert fake.screen(7) == []
        eventually(lambda: fake.screen(7) == [TEXT])
        assert time.monotonic() - began >= 3
        assert len(fake.of("sendMessage")) == 3 and fake.limited == 0
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"] * 2)


@test("an answer for which there is no place in the queue ends its request, with words")
def _():
    with Upstream() as up, Telegram() as fake, \
            settings(up, fake, streaming="mode: accumulate") as box:
        connected(box)
        fake.script["sendMessage"] = [Refused(429, "Too Many Requests: retry after 3000",
                                              retry_after=3000)]
        for _ in range(1000):  # by the API, which nobody floods by accident
            post(box, "/help", channel="telegram", peer="7")
        eventually(lambda: len(letters(box)) == 1000)
        fake.write("good day")
        (id,) = eventually(lambda: [s["payload"]["request"] for s in box.history("&type=nex.received")
                                    if s["payload"]["text"] == "good day"])
        got = finished(box, id)
        assert got["status"] == "failed", got
        assert got["delivery_result"]["error"] == "too many deliveries wait for this chat", got
        assert got["response"]["content"] == TEXT, got


@test("who may not be written to ends the delivery with words")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["sendMessage"] = [Refused(403, "Forbidden: bot was blocked by the user")]
        fake.write("good day")
        got = eventually(lambda: [x for x in letters(box) if x["state"] == "failed"])
        assert "blocked by the user" in got[0]["why"], got
        assert len(fake.of("sendMessage")) == 1
        eventually(lambda: requests(box))
        assert requests(box)[0]["status"] == "failed", requests(box)


@test("an answer that is lost: the message is sent once more, and says so; and then words follow")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["sendMessage"] = ["lose"]
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 2)
        assert fake.screen() == [TEXT, f"{AGAIN}\n{TEXT}"], fake.screen()
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["sendMessage"] = ["lose", "lose"]
        fake.write("good day")
        eventually(lambda: fake.screen() == [TEXT, f"{AGAIN}\n{TEXT}", LOST])
        (got,) = eventually(lambda: requests(box))
        assert got["status"] == "failed" and "nobody knows" in got["delivery_result"]["error"], got
    with Upstream() as up, Telegram() as fake, settings(
            up, fake, adapter="    on_unknown: leave\n") as box:
        connected(box)
        fake.script["sendMessage"] = ["lose"]
        fake.write("good day")
        eventually(lambda: [x["state"] for x in letters(box)] == ["failed"])
        assert fake.screen() == [TEXT]


@test("a block whose answer is lost is sent once more, and says so, and nothing else comes twice")
def _():
    for leaves, shown in (("again", ["Hello", f"{AGAIN}\nHello"]), ("leave", ["Hello"])):
        with Upstream() as up, Telegram() as fake, settings(
                up, fake, adapter=f"    on_unknown: {leaves}\n", streaming=BLOCKS) as box:
            connected(box)
            fake.script["sendMessage"] = ["lose"]
            id, _ = asked(box, up, fake)
            eventually(lambda: fake.screen() == shown)
            says(box, id, " is what it begins with.\n\nAnd then there is more.")
            ends(box, id)
            assert finished(box, id)["status"] == ("completed" if leaves == "again" else "failed")
            rest = "is what it begins with. And then there is more."
            assert fake.screen()[:len(shown)] == shown, fake.screen()
            assert " ".join(" ".join(fake.screen()[len(shown):]).split()) == rest, fake.screen()


@test("a block that is never answered holds the rest up for a while, and nothing of it is lost")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake, streaming=BLOCKS) as box:
        connected(box)
        fake.script["sendMessage"] = ["hold"]
        id, _ = asked(box, up, fake)
        eventually(lambda: fake.screen() == ["Hello"])
        says(box, id, " is what it begins with.")
        ends(box, id)
        assert finished(box, id)["status"] == "completed"
        assert fake.screen() == ["Hello", f"{AGAIN}\nHello", "is what it begins with."]


@test("a draft whose answer is lost is followed by the whole answer, which says so")
def _():
    half, whole = "Hello is the beginning of an answer", "Hello is the beginning of an answer, whole."
    for leaves in ("again", "leave"):
        with Upstream() as up, Telegram() as fake, settings(
                up, fake, adapter=f"    on_unknown: {leaves}\n") as box:
            connected(box)
            fake.script["sendMessage"] = ["lose"]
            id, _ = asked(box, up, fake)
            says(box, id, " is the beginning of an answer")
            eventually(lambda: fake.screen() == [half])
            says(box, id, ", whole.")
            ends(box, id)
            assert finished(box, id)["status"] == "completed"
            assert fake.screen() == [half, f"{AGAIN}\n{whole}"], fake.screen()
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["sendMessage"] = ["lose"]
        id, _ = asked(box, up, fake)
        says(box, id, " is the beginning of an answer")
        eventually(lambda: fake.screen() == [half])
        ends(box, id, success=False)
        assert finished(box, id)["status"] == "failed"
        eventually(lambda: len(fake.screen()) == 3)
        assert fake.screen()[1].split() == f"{AGAIN} {half}".split(), fake.screen()


@test("of a draft that goes on in another message only what was lost comes again")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["sendMessage"] = [None, "lose"]
        id, _ = asked(box, up, fake)
        text = " " + " ".join(f"This is sentence {i} of it." for i in range(200))
        says(box, id, text)
        eventually(lambda: len(fake.screen()) == 2)
        says(box, id, " And this is its end.")
        ends(box, id)
        assert finished(box, id)["status"] == "completed"
        assert len(fake.screen()) == 3 and fake.screen()[2].startswith(AGAIN), fake.screen()
        assert reads(fake.screen()) == "".join(f"Hello{text} And this is its end.".split())


@test("a draft that a kill leaves in doubt is followed by words, or by the answer, which say so")
def _():
    half = "Hello is the beginning of an answer"
    for on_restart, want in (("tell", RESTARTED), ("again", TEXT)):
        with Upstream() as up, Telegram() as fake, settings(
                up, fake, adapter=f"    on_restart: {on_restart}\n") as box:
            connected(box)
            fake.script["sendMessage"] = ["hold"]
            id, _ = asked(box, up, fake, "gated please")
            says(box, id, " is the beginning of an answer")
            eventually(lambda: fake.screen() == [half])
            box.kill9()
            up.gate.set()
            box.start()
            eventually(lambda: requests(box), within=2 * PATIENCE_S)
            assert fake.screen() == [half, f"{AGAIN}\n{want}"], fake.screen()
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["sendMessage"] = [None, "hold"]
        id, _ = asked(box, up, fake)
        text = " " + " ".join(f"This is sentence {i} of it." for i in range(200))
        says(box, id, text)
        eventually(lambda: len(fake.screen()) == 2)
        box.kill9()
        box.start()
        eventually(lambda: requests(box), within=2 * PATIENCE_S)
        assert reads(fake.screen()) == "".join(f"Hello{text}{RESTARTED}".split()), fake.screen()


@test("an edit that is refused: the text arrives in a message of its own, and the draft goes")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        id, _number = asked(box, up, fake)
        says(box, id, " is the beginning of a long answer,")
        eventually(lambda: fake.screen())
        fake.script["editMessageText"] = [Refused(400, "Bad Request: message can't be edited"),
                                          Refused(400, "Bad Request: message can't be edited")]
        says(box, id, " and this is the end.")
        eventually(lambda: fake.of("editMessageText"))
        says(box, id, " Really.")
        ends(box, id)
        finished(box, id)
        want = "Hello is the beginning of a long answer, and this is the end. Really."
        eventually(lambda: fake.screen() == [want])
        assert len(fake.gone) == 1 and len(fake.sent) == 2, fake.sent


@test("progress is a message that says what is done, and goes")
def _():
    with Upstream() as up, Telegram() as fake, settings(
            up, fake, streaming="mode: progress") as box:
        connected(box)
        id, _number = asked(box, up, fake)
        box.emit("tool_call", source="model", correlationId=id,
                 payload={"agentId": "model", "toolName": "Bash", "callId": "c1"})
        eventually(lambda: fake.screen() == ["model works\ntool: Bash"])
        ends(box, id)
        eventually(lambda: fake.screen() == ["Hello"])
        assert fake.wrong == [], fake.wrong


TOOL = {"type": "select", "prompt": "Bash: **make** <all>", "tool": "Bash",
        "input": {"command": "**make** <all>"},
        "options": [{"label": "Allow", "value": "allow"},
                    {"label": "Deny", "value": "deny", "safe": True}]}


def answers(box):
    return [s["payload"] for s in box.history("&type=answer")]


def keyboard(fake, chat=7):
    return [list(k) for (where, _), k in sorted(fake.keyboards.items()) if where == chat and k]


@test("a question has buttons; a press answers it once, and the message says who answered")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        run, _number = asked(box, up, fake, "gated please")
        box.emit("prompt", source="me", correlationId=run, payload=TOOL)
        eventually(lambda: keyboard(fake) == [["Allow", "Deny"]])
        assert fake.screen() == ["me asks:\nBash: **make** <all>"], fake.screen()  # as it is
        assert "parse_mode" not in fake.of("sendMessage")[0], fake.of("sendMessage")
        first, values = fake.press(7, "Allow", sender=9), dict(fake.keyboards)
        eventually(lambda: fake.told.get(first) == "You may not answer here.")
        assert answers(box) == []
        second = fake.press(7, "Allow")
        (answer,) = eventually(lambda: answers(box))
        assert answer["value"] == "allow" and answer["by"]["user"] == "Ada", answer
        eventually(lambda: fake.told.get(second) == "Taken.")
        eventually(lambda: fake.screen()[0].endswith("\n\nAda answered: Allow."))
        assert keyboard(fake) == [], fake.keyboards
        old = [v for k in values.values() for v in k.values()]
        late = fake.press(7, "Deny", data=old[1])
        eventually(lambda: "already answered by Ada" in fake.told.get(late, ""))
        other = fake.press(7, "Deny", data="nothing:0")
        eventually(lambda: "no such question" in fake.told.get(other, ""))
        fake.update({"callback_query": {"id": "x"}})
        fake.update({"callback_query": []})
        up.gate.set()
        eventually(lambda: TEXT in fake.screen())
        assert len(answers(box)) == 1 and fake.wrong == [], fake.wrong


@test("a press in a channel is judged as there, by the person who pressed")
def _():
    more = ("prompts: {to: ['telegram:-1007', 'telegram:-1008']}\n"
            "access:\n  - {who: owner, peer: channel, decision: allow, answer: false}\n"
            "  - {who: owner, decision: allow}\n")
    with Upstream() as up, Telegram() as fake, settings(up, fake, more) as box:
        connected(box)
        box.emit("prompt", source="me", correlationId="r1", payload=TOOL)
        eventually(lambda: len(fake.keyboards) == 2)
        first = fake.press(-1007, "Allow", kind="channel")
        eventually(lambda: fake.told.get(first) == "You may not answer here.")
        second = fake.press(-1008, "Allow", sender=9, kind="supergroup")
        eventually(lambda: fake.told.get(second) == "You may not answer here.")
        assert answers(box) == []
        third = fake.press(-1008, "Allow", kind="supergroup")
        eventually(lambda: fake.told.get(third) == "Taken.")
        assert answers(box)[0]["by"]["user"] == "Ada"


@test("a new token in its file is taken when the box is reloaded, and an old one keeps its connection")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        fake.write("good day")
        eventually(lambda: fake.screen() == [TEXT])
        config = Path(box.args[1])

        def reload():
            done = box.log().count("was read again")
            os.kill(box.pid, signal.SIGHUP)
            eventually(lambda: box.log().count("was read again") > done)
        reload()
        fake.write("good night")
        eventually(lambda: fake.screen() == [TEXT, TEXT])
        eventually(lambda: [d["state"] for d in letters(box)] == ["delivered"] * 2)
        assert len(fake.of("getMe")) == 1, "it was opened anew"
        (config.parent / "token").write_text("456:def\n")
        fake.token = "456:def"
        reload()
        fake.write("good morning")
        eventually(lambda: fake.screen() == [TEXT, TEXT, TEXT])
        assert len(fake.of("getMe")) == 2 and "456:def" not in box.log()


def open_prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


@test("who pressed is told when the answer is on the disk, and before that a press comes again")
def _():
    with Upstream() as up, Telegram() as fake:
        box = settings(up, fake, "prompts: {to: ['telegram:7']}\n", kind=FaultyBox)
        box.arm_loss(SLOW=600_000)
        box.start()
        connected(box)
        box.emit("prompt", source="me", correlationId="r1", payload=TOOL)
        eventually(lambda: keyboard(fake) == [["Allow", "Deny"]])
        eventually(lambda: [d["state"] for d in letters(box)] == ["delivered"])
        box.fail()
        press, confirmed = fake.press(7, "Allow"), fake.confirmed
        eventually(lambda: not open_prompts(box))
        time.sleep(0.3)  # in which it must not be told
        box.lose_power()
        assert fake.told == {} and fake.confirmed == confirmed, (fake.told, fake.confirmed)
        box.disarm()
        with box:
            eventually(lambda: fake.told.get(press) == "Taken.")
            assert [a["value"] for a in answers(box)] == ["allow"], answers(box)
            eventually(lambda: fake.screen()[0].endswith("\n\nAda answered: Allow."))
            eventually(lambda: fake.confirmed > confirmed)


@test("a button that is pressed 1,000 times does no harm")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        run, _number = asked(box, up, fake, "gated please")
        box.emit("prompt", source="me", correlationId=run, payload=TOOL)
        eventually(lambda: keyboard(fake) == [["Allow", "Deny"]])
        for _ in range(1000):
            fake.press(7, "Allow", data=list(fake.keyboards.values())[-1].get("Allow", "x:0"))
        eventually(lambda: answers(box))
        fake.write("/help")
        eventually(lambda: any("/stop ends" in t for t in fake.screen()))
        assert len(answers(box)) == 1, answers(box)
        eventually(lambda: fake.told)
        assert len(fake.told) <= 500, len(fake.told)
        up.gate.set()
        eventually(lambda: TEXT in fake.screen())
        assert fake.wrong == [] and fake.limited == 0, (fake.wrong, fake.limited)


@test("choices that are too many or too long for buttons have numbers to type")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        run, _number = asked(box, up, fake, "gated please")
        box.emit("prompt", source="me", correlationId=run, payload={
            "type": "select", "prompt": "Which?", "options": ["short", "long " * 20]})
        eventually(lambda: any("Type the number." in t for t in fake.screen()))
        assert keyboard(fake) == []
        fake.write("1")
        eventually(lambda: [a["value"] for a in answers(box)] == ["short"])
        up.gate.set()


@test("a token that is refused is told in the log, and is not shown there")
def _():
    with Upstream() as up, Telegram("999:other") as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: "401 Unauthorized" in box.log())
        assert "123:abc" not in box.log()


def channel(box):
    (c,) = [c for c in box.request("GET", "/api/channels").json()["channels"]
            if c["name"] == "telegram"]
    return c


@test("signalbox channels says how it stands with Telegram, and a check names what is wrong")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: channel(box)["state"] == "connected")
        done = cli("channels", "check", "telegram", "--data", str(box.data))
        assert done.code == 0 and "ok    the bot is @box_bot\n" in done.out, done
        assert "ok    no webhook takes its messages away\n" in done.out, done
        fake.webhook = "https://example.test/bot123:abc/hook"
        with fake.lock:
            fake.lock.notify_all()
        fake.write("one more")  # ends the question that is open
        done = cli("channels", "check", "telegram", "--data", str(box.data))
        assert done.code == 1 and "bad   its messages go to the webhook https://" in done.out, done
        assert "123:abc" not in done.out, done
        eventually(lambda: channel(box)["state"] == "refused")
        assert "409 Conflict" in channel(box)["why"], channel(box)
        (words,) = box.request("GET", "/readyz").json()["degraded"]
        assert words.startswith("the channel telegram is refused: 409"), words
        assert fake.wrong == [], fake.wrong
    with Upstream() as up, Telegram("999:other") as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: channel(box)["state"] == "refused")
        done = cli("channels", "check", "telegram", "--data", str(box.data))
        assert done.code == 1 and "Telegram refuses the token: 401 Unauthorized" in done.out, done


@test("a Telegram that is gone is away, what waits is counted, and it goes when it is back")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: channel(box)["state"] == "connected")
        port = fake.server.server_port
        fake.leave()
        box.request("POST", "/api/messages", {"channel": "telegram", "peer": "7", "agent": "model",
                                              "text": "good day"})
        eventually(lambda: channel(box)["waiting"] == 1)
        eventually(lambda: channel(box)["state"] == "away", within=2 * PATIENCE_S)
        done = cli("channels", "--data", str(box.data))
        assert any("telegram" in l and "away" in l for l in done.out.splitlines()), done
        fake.serve(port)
        eventually(lambda: TEXT in fake.screen(), within=2 * PATIENCE_S)
        eventually(lambda: channel(box)["state"] == "connected", within=2 * PATIENCE_S)
        eventually(lambda: channel(box)["waiting"] == 0)


@test("typing ends when Telegram is lost, and does not begin again in that turn")
def _():
    def typed(chat):
        return len([b for b in fake.of("sendChatAction") if b["chat_id"] == chat])

    def away(state):
        return eventually(lambda: channel(box)["state"] == state, within=2 * PATIENCE_S)

    with Upstream() as up, Telegram() as fake, settings(
            up, fake, streaming="mode: accumulate, typing_interval_ms: 250") as box:
        connected(box)
        shown = []  # of the turn in chat 7, and of another that begins later in chat 8
        run, _ = asked(box, up, fake)
        eventually(lambda: typed(7) >= 3)
        port = fake.server.server_port
        fake.leave()
        away("away")
        before = typed(7)
        fake.serve(port)
        away("connected")
        says(box, run, " again.")
        box.emit("tool_call", source="model", correlationId=run, payload={
            "agentId": "model", "toolName": "Read", "callId": "c", "input": {}})
        other, _ = asked(box, up, fake, sender=8)
        eventually(lambda: typed(8) >= 3)
        shown.append(typed(7) - before)
        ends(box, run)
        eventually(lambda: fake.screen() == ["Hello again."])
        ends(box, other)
        finished(box, other)
        shown.append(typed(7) - before)
        assert shown == [0, 0], shown
        assert fake.wrong == [], fake.wrong


@test("what tools did stands between the blocks, as it is")
def _():
    with Upstream() as up, Telegram() as fake, \
            settings(up, fake, streaming="mode: draft_edit, tool_results: full") as box:
        connected(box)
        run, _ = asked(box, up, fake)
        says(box, run, " **first**.")
        box.emit("tool_call", source="model", correlationId=run, payload={
            "agentId": "model", "toolName": "Bash", "callId": "c", "input": {"command": "ls <a>"}})
        box.emit("tool_result", source="model", correlationId=run, payload={
            "agentId": "model", "toolName": "Bash", "callId": "c", "success": True,
            "output": "**b** & c\nd"})
        says(box, run, "Then *this*.")
        ends(box, run)
        finished(box, run)
        assert fake.screen() == [BEGUN + " first.", "Bash: ls <a>\n**b** & c\nd", "Then this."]
        assert fake.wrong == [], fake.wrong


@test("a Telegram that is away is waited for, and nothing is lost")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        id, _number = asked(box, up, fake, "gated please")
        token, fake.token = fake.token, "1:2"  # 401 in the middle
        up.gate.set()
        eventually(lambda: any(x["state"] == "failed" and "Unauthorized" in x["why"]
                               for x in letters(box)))
        fake.token = token
        failed = [x["id"] for x in letters(box) if x["state"] == "failed"]
        box.request("POST", f"/api/deliveries/{failed[0]}/retry")
        eventually(lambda: TEXT in fake.screen())


@test("what waits for a Telegram that is away is known in full, and arrives when it is back")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        port = fake.server.server_port
        fake.leave()
        ids = [box.request("POST", "/api/messages", {
            "channel": "telegram", "peer": str(peer), "text": "/help"}).json()["id"]
            for peer in range(1, 25)]
        eventually(lambda: [x["state"] for x in letters(box)].count("queued") >= 1)
        eventually(lambda: look(box, ids[0])["status"] == "handled_by_automation")
        fake.serve(port)
        eventually(lambda: len(requests(box)) == len(ids), within=2 * PATIENCE_S)
        for peer, id in enumerate(ids, 1):
            (got,) = [r for r in requests(box) if r["request_id"] == id]
            assert got["status"] == "handled_by_automation", got
            assert got["delivery"]["peer_id"] == str(peer), got
            assert got["event"]["content"] == "/help", got
            assert got["principal"]["type"] == "owner", got
            assert got["access"]["decision"] == "allow", got
            assert got["delivery_result"]["success"] is True, got
            assert [stage["stage"] for stage in got["pipeline"]] == [
                "receiveEvent", "resolveIdentity", "resolveAccess", "runAutomations",
                "deliverResponse", "finalize"], got
            assert len(fake.screen(peer)) == 1, fake.screen(peer)


def killed_twice(box, up, fake):
    """Both attempts to send an answer are ended by kill -9; what there is when it starts again."""
    connected(box)
    fake.script["sendMessage"] = ["hold", "hold"]
    fake.write("good day")
    for count in (1, 2):
        eventually(lambda: len(fake.screen()) == count)
        box.kill9()
        box.start()
    assert fake.screen()[:2] == [TEXT, f"{AGAIN}\n{TEXT}"], fake.screen()
    return eventually(lambda: len(fake.screen()) == 3 and fake.screen())[2]


@test("an answer whose both attempts were killed is told of, or asked for again")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        assert killed_twice(box, up, fake) == RESTARTED
        (got,) = eventually(lambda: requests(box))
        assert got["status"] == "failed" and "nobody knows" in got["delivery_result"]["error"], got
    with Upstream() as up, Telegram() as fake, settings(
            up, fake, adapter="    on_restart: again\n") as box:
        assert killed_twice(box, up, fake) == TEXT
        (got,) = eventually(lambda: requests(box))
        assert got["status"] == "completed" and len(up.of("/v1/chat/completions")) == 2, got


@test("whenever it is killed, every question has its answer: once, or twice with the words")
def _():
    with Upstream() as up, Telegram() as fake, settings(up, fake) as box:
        connected(box)
        rounds = 50 if SLOW == 1 else 10
        for i in range(rounds):
            fake.write("long please" if i % 2 else "good day", sender=7, chat=1000 + i)
            if i % 5 == 4:
                fake.script["sendMessage"] = [None] * (i // 10 if i % 2 else 0) + ["lose"]
            time.sleep(0.012 * (i % 25) * (1 + i % 2))
            box.kill9()
            box.start()
            eventually(lambda: len(requests(box)) == i + 1, within=2 * PATIENCE_S)
        in_doubt = {s["payload"]["request"] for s in box.history("&type=delivery.unknown")}
        for i in range(1, rounds, 2):
            shown = fake.screen(1000 + i)
            assert is_whole(shown), (i, shown, requests(box)[i])
            again = [text for text in shown if text.startswith(AGAIN)]
            assert not again or requests(box)[i]["request_id"] in in_doubt, (i, shown)
        for i in range(0, rounds, 2):
            shown = fake.screen(1000 + i)
            for text in (TEXT, RESTARTED):
                times = [t for t in shown if t.removeprefix(AGAIN + "\n") == text]
                assert len(times) <= 2 and times.count(text) <= 1, (i, shown)
            others = [t for t in shown if t.removeprefix(AGAIN + "\n") not in (TEXT, RESTARTED)]
            assert shown and not others, (i, shown, requests(box)[i])
            # Both come only where the box cannot know that the text arrived.
            asked = requests(box)[i]["request_id"]
            assert TEXT not in shown or RESTARTED not in shown or asked in in_doubt, (i, shown)
        assert fake.wrong == [], fake.wrong


run()
