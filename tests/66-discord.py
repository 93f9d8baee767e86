#!/usr/bin/env python3
"""Discord: what people write there is answered there, once, whatever is lost on the way."""

import time
from pathlib import Path

import manual
from chats import (AGAIN, RESTARTED, TEXT, Parrot, asked_with, begun, connected, ends, finished,
                   is_whole, requests, says)
from fake_discord import BOT, READ_HISTORY, Discord, Refused
from later import complaints
from lib import PATIENCE_S, SLOW, Box, cli, eventually, run, temp_dir, test
from servers import Upstream

PEOPLE = "people: [{name: Ada, relationship: owner, identities: ['discord:7', 'discord:8']}]\n"
ADA, BOB = "707", "708"  # their chats with the bot


def settings(up, fake, more="", adapter="", streaming="enabled: auto"):
    place = temp_dir()
    secret = place / "token"
    secret.write_text("abc.def-1\n")
    secret.chmod(0o600)
    path = place / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  discord:\n    agent: model\n    url: {fake.url}\n"
        f"    credential_file: {secret}\n    streaming: {{{streaming}}}\n{adapter}"
        f"deliver: {{gather: 0}}\n{PEOPLE}{more}")
    return Box(args=["--config", str(path)])


def channel(box):
    channels = box.request("GET", "/api/channels").json()["channels"]
    return next(c for c in channels if c["name"] == "discord")


def there(box):
    connected(box)
    eventually(lambda: channel(box)["state"] == "connected", within=2 * PATIENCE_S)


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def asked(box, up, fake, text="slow please", **more):
    return begun(box, up, lambda: fake.write(text, **more))


@test("docs/discord.md: with its configuration the bot answers its owner")
def _():
    with Parrot() as parrot, Discord() as fake:
        with manual.box_of("discord", parrot, fake.url, {"discord.token": "abc.def-1"}) as box:
            eventually(lambda: channel(box)["state"] == "connected")
            fake.write("let me in", sender="9")
            fake.write("good morning", sender="123456789012345678", chat="500")
            eventually(lambda: [t.strip() for t in fake.screen("500")] == ["good morning"])
            assert fake.wrong == [], fake.wrong


@test("a question is answered in one message, with typing before it")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        id, number = asked(box, up, fake)
        eventually(lambda: fake.of("trigger_typing_indicator") == [None])
        says(box, id, " is **an answer** for <@7> and @everyone: https://example.org")
        ends(box, id)
        got = finished(box, id)
        want = "Hello is **an answer** for <@7> and @everyone: https://example.org"
        assert fake.screen() == [want], fake.screen()
        assert got["status"] == "completed", got
        (message,) = fake.ours()
        assert message["message_reference"]["message_id"] == number, message
        assert fake.wrong == [] and fake.limited == 0, fake.wrong
        assert "abc.def-1" not in box.log() and len(requests(box)) == 1



@test("a check says who the bot is and how the gateway stands")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        done = cli("channels", "check", "discord", "--data", str(box.data))
        assert done.code == 0 and "the bot is box (42)" in done.out, done
        assert "999 more sessions" not in done.out and "1000 more sessions" in done.out, done
        assert "the gateway tells what people write" in done.out, done
        assert "lacks" not in done.out, done
        fake.permissions &= ~READ_HISTORY
        done = cli("channels", "check", "discord", "--data", str(box.data))
        assert done.code == 1, done
        assert "in the server a server the bot lacks: Read Message History" in done.out, done
        fake.token = "another"
        done = cli("channels", "check", "discord", "--data", str(box.data))
        assert done.code == 1 and "the token is refused" in done.out, done
        assert fake.wrong == [], fake.wrong


@test("bots, webhooks and pins are passed over; in servers who names the bot is heard, in threads too")
def _():
    with Upstream() as up, Discord() as fake, settings(
            up, fake, "access: [{who: owner, peer: group, mention: true, decision: allow},"
            " {who: any, decision: deny}]\n") as box:
        fake.room("500")
        there(box)
        fake.event("MESSAGE_CREATE", {"id": "1"})
        fake.event("MESSAGE_CREATE", "no object")
        fake.event("INTERACTION_CREATE", {"id": "1", "type": 3, "token": "../../x"})
        fake.event("EVENT_OF_2030", {"x": [1]})
        fake.write("<@42> I am a bot", chat="500", author={"id": "9", "bot": True})
        fake.write("I am you", chat=ADA, author=BOT)
        fake.write("<@42> a hook", chat="500", webhook_id="12")
        fake.write("<@42> pinned", chat="500", type=6)
        fake.write("to nobody", chat="500")
        first = fake.write("<@42> good day", chat="500")
        eventually(lambda: fake.screen("500") == [TEXT])
        mine = fake.ours("500")[0]
        assert mine["message_reference"]["message_id"] == first, mine
        fake.write("/help", chat="500", type=19, message_reference={"message_id": mine["id"]},
                   referenced_message=mine)
        eventually(lambda: any("/stop ends" in t.replace("\\", "") for t in fake.screen("500")))
        fake.room("501", parent="500")
        fake.write("<@42> in a thread", chat="501")
        eventually(lambda: fake.screen("501") == [TEXT])
        got = [s["payload"] for s in box.history("&type=nex.received")]
        assert [m["text"] for m in got] == ["to nobody", "good day", "/help", "in a thread"], got
        assert got[3]["peer"] == "500" and got[3]["thread"] == "501", got[3]
        assert got[1]["senderName"] == "Countess", got[1]
        eventually(lambda: len(requests(box)) == 4)
        statuses = sorted(r["status"] for r in requests(box))
        assert statuses == ["completed", "completed", "denied", "handled_by_automation"], statuses
        assert fake.wrong == [], fake.wrong


@test("members that nobody knows yet do no harm, in what people write and in every answer")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        run, _ = asked(box, up, fake)
        box.emit("prompt", source="me", correlationId=run, payload={
            "type": "select", "prompt": "Well?", "options": ["Yes", "No"]})
        question = eventually(lambda: next((m for m in fake.ours() if m.get("components")), None))
        fake.press(question["id"])
        eventually(lambda: box.history("&type=answer"))
        ends(box, run)
        assert finished(box, run)["status"] == "completed"
        fake.write("good day")
        eventually(lambda: fake.screen()[-1] == TEXT)
        assert fake.wrong == [] and complaints(box) == [], (fake.wrong, complaints(box))


@test("a long answer comes in several messages, none too long and none with too many lines")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        id, _number = asked(box, up, fake)
        text = "\n".join(f"\U0001f600 Sentence {i} of a long answer." for i in range(100))
        says(box, id, "\n" + text + " x" * 3000)
        ends(box, id)
        eventually(lambda: "x x x" in "".join(fake.screen()[-1:]) and
                   finished(box, id)["status"] == "completed", within=3 * PATIENCE_S)
        whole = "".join("".join(fake.screen()).split())
        assert whole == "Hello" + "".join(text.split()) + "x" * 3000, whole[:200]
        assert len(fake.screen()) > 8 and fake.wrong == [] and fake.limited == 0, fake.wrong


@test("blocks are messages of their own; a draft is edited as it grows")
def _():
    with Upstream() as up, Discord() as fake, settings(
            up, fake, streaming="mode: blocks, coalescing: {idle_ms: 100}") as box:
        there(box)
        id, _number = asked(box, up, fake)
        eventually(lambda: fake.screen() == ["Hello"])
        says(box, id, "And more of it.")
        eventually(lambda: len(fake.screen()) == 2)
        ends(box, id)
        finished(box, id)
        assert fake.screen() == ["Hello", "And more of it."] and fake.wrong == [], fake.screen()
    with Upstream() as up, Discord() as fake, settings(
            up, fake, streaming="mode: draft_edit") as box:
        there(box)
        id, _number = asked(box, up, fake)
        says(box, id, " is the *beginning* of a long answer,")
        eventually(lambda: fake.screen() == ["Hello is the *beginning* of a long answer,"])
        says(box, id, " and this is its end.")
        ends(box, id)
        finished(box, id)
        want = "Hello is the *beginning* of a long answer, and this is its end."
        eventually(lambda: fake.screen() == [want])
        assert len(fake.posted) == 1 and fake.wrong == [] and fake.limited == 0, fake.wrong


@test("an edit that is refused: the text arrives in a message of its own, and the draft goes")
def _():
    with Upstream() as up, Discord() as fake, settings(
            up, fake, streaming="mode: draft_edit") as box:
        there(box)
        id, _number = asked(box, up, fake)
        says(box, id, " is the beginning of a long answer,")
        eventually(lambda: fake.screen())
        fake.script["update_message"] = [Refused(403, "Missing Permissions", 50013)] * 2
        says(box, id, " and this is the end.")
        eventually(lambda: fake.of("update_message"))
        ends(box, id)
        finished(box, id)
        want = "Hello is the beginning of a long answer, and this is the end."
        eventually(lambda: fake.screen() == [want])
        assert len(fake.gone) == 1 and fake.wrong == [], fake.wrong


TOOL = {"type": "select", "prompt": "Bash: make *all* ||hidden|| @here", "tool": "Bash",
        "input": {"command": "make *all* ||hidden|| @here"},
        "options": [{"label": "Allow " + "x" * 100, "value": "allow"},
                    {"label": "Deny", "value": "deny", "safe": True}]}


@test("questions have buttons: one press answers, late ones are told, and only who may")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        id, _number = asked(box, up, fake, "gated please")
        box.emit("prompt", source="me", correlationId=id, payload=TOOL)
        (question,) = eventually(lambda: fake.ours())
        shown = question["content"]
        assert "||" not in shown and "make \\*all\\*" in shown and "\\@here" in shown, shown
        labels = [b["label"] for row in question["components"] for b in row["components"]]
        assert labels == ["Allow " + "x" * 73 + "\u2026", "Deny"], labels
        eve = fake.press(question["id"], 0, sender="9")
        eventually(lambda: fake.told)
        assert fake.told[0][0] == eve and "may not answer" in fake.told[0][1]["content"], fake.told
        assert fake.told[0][1]["flags"] & 64, fake.told
        fake.press(question["id"], 1)
        eventually(lambda: len(fake.told) == 2)
        assert fake.told[1][1]["content"] == "Taken.", fake.told
        (answer,) = [s["payload"] for s in box.history("&type=answer")]
        assert answer["value"] == "deny" and answer["by"]["user"] == "Ada", answer
        eventually(lambda: "Ada answered\\: Deny." in fake.ours()[0]["content"])
        assert fake.ours()[0]["components"] == [], fake.ours()
        fake.messages[question["id"]]["components"] = question["components"]
        up.gate.set()
        assert fake.wrong == [], fake.wrong


@test("a person is written to by their id, and many choices are rows of five")
def _():
    with Upstream() as up, Discord() as fake, settings(
            up, fake, "prompts: {to: ['discord:@8']}\n") as box:
        there(box)
        box.emit("prompt", source="me", correlationId="r", payload={
            "type": "select", "prompt": "Which?", "options": [f"colour {i}" for i in range(12)]})
        (question,) = eventually(lambda: fake.ours(BOB))
        assert [len(row["components"]) for row in question["components"]] == [5, 5, 2], question
        fake.press(question["id"], 11, sender="8")
        eventually(lambda: fake.told)
        (answer,) = [s["payload"] for s in box.history("&type=answer")]
        assert answer["value"] == "colour 11", answer
        assert fake.of("create_dm") == [{"recipient_id": "8"}] and fake.wrong == [], fake.wrong


@test("limits are kept before asking, and too many requests stop one chat for as long as it says")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        for i in range(8):
            fake.write("good day")
        eventually(lambda: len(fake.screen()) == 8, within=3 * PATIENCE_S)
        assert fake.limited == 0, fake.limited
        fake.script["create_message"] = [Refused(429, "You are being rate limited.",
                                                 retry_after=2.5, global_=False)]
        began = time.monotonic()
        before = len(fake.of("create_message"))
        fake.write("good day", chat="1000")
        eventually(lambda: len(fake.of("create_message")) == before + 1)
        fake.write("good day", sender="8")
        eventually(lambda: fake.screen(BOB) == [TEXT])
        assert fake.screen("1000") == []
        eventually(lambda: fake.screen("1000") == [TEXT])
        assert time.monotonic() - began >= 2.5
        assert len(fake.of("create_message")) == before + 3 and fake.limited == 0
        assert fake.wrong == [], fake.wrong


@test("who may not be written to ends the delivery with words")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        fake.script["create_message"] = [Refused(403, "Cannot send messages to this user", 50007)]
        fake.write("good day")
        got = eventually(lambda: [x for x in letters(box) if x["state"] == "failed"])
        assert "Cannot send messages to this user" in got[0]["why"], got
        assert len(fake.of("create_message")) == 1


@test("what failed is listed at the command line, and is sent again from there")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        def deliveries(*words):
            return cli("deliveries", *words, "--data", str(box.data))
        there(box)
        fake.write("good day", sender="8")
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"])
        done = deliveries("--failed")
        assert done.code == 0 and "nothing was delivered" in done.out, done
        fake.script["create_message"] = [Refused(403, "Missing Permissions", 50013)]
        fake.write("good day")
        (lost,) = eventually(lambda: [x for x in letters(box) if x["state"] == "failed"])
        (head, row) = deliveries("--failed").out.splitlines()
        assert head.split() == ["ID", "AT", "CHAT", "PEER", "KIND", "STATE", "WHY"], head
        assert row.split()[0] == lost["id"] and "Missing Permissions" in row, row
        assert len(deliveries().out.splitlines()) == 3
        assert deliveries("retry", lost["id"]).code == 0
        eventually(lambda: fake.screen() == [TEXT])
        eventually(lambda: [x["state"] for x in letters(box)] ==
                   ["delivered", "failed", "delivered"])
        done = deliveries("retry", letters(box)[0]["id"])
        assert done.code == 1 and "it has not failed" in done.err, done
        done = deliveries("retry", "../x")
        assert done.code == 1 and "no such delivery" in done.err, done
        assert deliveries("retry").code == 2


@test("an answer that is lost, or a fault of Discord: the message is there once")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        fake.script["create_message"] = ["lose", Refused(502, "Bad Gateway")] + ["lose"] * 8
        fake.write("good day")
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"],
                   within=2 * PATIENCE_S)
        assert fake.screen() == [TEXT], fake.screen()
        assert len(fake.of("create_message")) >= 3 and fake.of("list_messages"), fake.heard
        assert len({body["nonce"] for body in fake.of("create_message")}) == 1


@test("a token that is refused in the middle ends deliveries with words, and they can be retried")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        asked(box, up, fake, "gated please")
        token, fake.token = fake.token, "other"
        up.gate.set()
        eventually(lambda: any(x["state"] == "failed" and "401: Unauthorized" in x["why"]
                               for x in letters(box)))
        fake.token = token
        failed = [x["id"] for x in letters(box) if x["state"] == "failed"]
        box.request("POST", f"/api/deliveries/{failed[0]}/retry")
        eventually(lambda: TEXT in fake.screen())
        assert "abc.def-1" not in box.log()


@test("a token or an intent that is refused is told in words, and nobody knocks again and again")
def _():
    with Upstream() as up, Discord("other") as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: channel(box)["state"] == "refused")
        assert "401" in channel(box)["why"] and len(fake.heard) == 0, channel(box)
    with Upstream() as up, Discord() as fake:
        fake.may_read = False
        with settings(up, fake) as box:
            connected(box)
            eventually(lambda: channel(box)["state"] == "refused")
            assert "Message Content Intent" in channel(box)["why"], channel(box)
            time.sleep(2)
            assert len([f for f in fake.frames if f[0] == 2]) == 1, fake.frames
            assert "abc.def-1" not in box.log()


@test("a connection that breaks, a zombie, or Discord's wish: the session goes on, nothing is lost")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        fake.interval_ms = 300
        there(box)
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 1)
        fake.cut()
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 2)
        fake.all_say(7)
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 3)
        fake.cut(4000)
        eventually(lambda: len(fake.resumed) == 3)
        fake.is_deaf = True
        eventually(lambda: len(fake.resumed) > 3)
        fake.is_deaf = False
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 4)
        assert len(fake.begun) == 1 and fake.wrong == [], fake.begun
        assert 1000 not in fake.closes and 4000 in fake.closes, fake.closes
        eventually(lambda: len(requests(box)) == 4)


@test("a session that is gone: a new one begins, and the history has what was written meanwhile")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        fake.room("500")
        fake.room("501", parent="500")
        there(box)
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 1)
        fake.forget_sessions()
        fake.write("good day", sender="7")
        fake.write("<@42> good day", chat="500")
        fake.write("<@42> good day", chat="501")
        for i in range(105):
            fake.write("no question", chat="500", author={"id": "9", "bot": True})
        fake.write("<@42> good day", chat="500")
        eventually(lambda: len(requests(box)) == 1)
        box.kill9()
        box.start()
        eventually(lambda: len(fake.screen()) == 2, within=2 * PATIENCE_S)
        eventually(lambda: len(fake.screen("500")) == 2 and len(fake.screen("501")) == 1,
                   within=2 * PATIENCE_S)
        eventually(lambda: len(requests(box)) == 5)
        assert len(fake.begun) == 2 and fake.wrong == [], fake.wrong
        got = [s["payload"] for s in box.history("&type=nex.received")]
        assert sorted(m["peerKind"] for m in got) == ["dm", "dm", "group", "group", "group"], got
        assert [m["peer"] for m in got if m.get("thread")] == ["500"], got
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 3)


@test("a clean restart goes on with the session, and says nothing twice")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        fake.write("good day")
        eventually(lambda: len(fake.screen()) == 1)
        box.stop()
        fake.write("good day")
        box.start()
        eventually(lambda: len(fake.screen()) == 2)
        assert len(fake.begun) == 1 and len(fake.resumed) == 1, (fake.begun, fake.resumed)
        eventually(lambda: len(requests(box)) == 2)
        assert fake.wrong == [], fake.wrong


@test("no more sessions today: the box waits as long as Discord says")
def _():
    with Upstream() as up, Discord() as fake:
        fake.may_begin = 0
        with settings(up, fake) as box:
            connected(box)
            eventually(lambda: fake.of("get_bot_gateway"))
            eventually(lambda: "no more sessions" in channel(box).get("why", ""))
            fake.may_begin = 5
            eventually(lambda: channel(box)["state"] == "connected")
            assert len(fake.of("get_bot_gateway")) == 2, fake.heard


@test("whenever it is killed, every question has its answer exactly once")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        fake.write("good day")  # from the first message on the box knows where it was
        eventually(lambda: fake.screen() == [TEXT])
        rounds = 50 if SLOW == 1 else 10
        for i in range(rounds):
            fake.write("long please" if i % 2 else "good day", chat=str(1000 + i))
            if i % 5 == 4:
                fake.script["create_message"] = [None] * (i // 10 if i % 2 else 0) + ["lose"]
            time.sleep(0.012 * (i % 25) * (1 + i % 2))
            box.kill9()
            box.start()
            eventually(lambda: len(requests(box)) == i + 2, within=2 * PATIENCE_S)
        for i in range(rounds):
            eventually(lambda: fake.screen(str(1000 + i)))
            shown = fake.screen(str(1000 + i))
            good = is_whole(shown) if i % 2 else shown in ([TEXT], [RESTARTED])
            assert good and AGAIN not in "".join(shown), (i, shown, requests(box)[i + 1])
        assert fake.wrong == [], fake.wrong


def crowd(fake, chat, count):
    """Others talk on, while the box is away."""
    for i in range(count):
        fake.write(f"talk {i}", chat=chat, author={"id": "9", "bot": True})


def hide(fake, *_):
    fake.permissions &= ~READ_HISTORY


def refuse(fake, status, words, code):
    fake.script["list_messages"] = [Refused(status, words, code)] * 20


@test("where a look into the history cannot tell, the text comes again with its words, or is left")
def _():
    blinds = [lambda fake: crowd(fake, "500", 501), hide,
              lambda fake: refuse(fake, 403, "Missing Access", 50001),
              lambda fake: refuse(fake, 404, "Unknown Channel", 10003)]
    for number, blind in enumerate(blinds):
        leaves = number % 2 == 0
        with Upstream() as up, Discord() as fake, settings(
                up, fake, adapter=f"    on_unknown: {'leave' if leaves else 'again'}\n") as box:
            fake.room("500")
            there(box)
            fake.script["create_message"] = ["lose"] * 20
            fake.write("<@42> good day", chat="500")
            eventually(lambda: fake.screen("500") == [TEXT])
            box.kill9()
            fake.script.clear()
            fake.nonces.clear()  # as some minutes later
            blind(fake)
            box.start()
            if leaves:
                eventually(lambda: [x["state"] for x in letters(box)] == ["failed"],
                           within=2 * PATIENCE_S)
                assert letters(box)[0]["why"] == "nobody knows whether it arrived", letters(box)
                assert fake.screen("500") == [TEXT], fake.screen("500")
            else:
                eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"],
                           within=2 * PATIENCE_S)
                assert fake.screen("500") == [TEXT, f"{AGAIN}\n{TEXT}"], fake.screen("500")
            assert fake.of("list_messages") and fake.wrong == [], (number, fake.wrong)


@test("a history that was read back to the time of the message says that it is not there")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        fake.room("500")
        crowd(fake, "500", 3)
        there(box)
        fake.script["create_message"] = ["lose"] * 20
        fake.write("<@42> good day", chat="500")
        eventually(lambda: fake.screen("500") == [TEXT])
        box.kill9()
        fake.script.clear()
        fake.nonces.clear()
        for message in fake.ours("500"):
            del fake.messages[message["id"]]  # as if it had never come
        crowd(fake, "500", 250)
        box.start()
        eventually(lambda: fake.screen("500") == [TEXT], within=2 * PATIENCE_S)
        assert fake.wrong == [], fake.wrong


@test("files of people are fetched after they were let in, without the token")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box)
        fake.attach(b"of a stranger", text="take this", sender="9")
        eventually(lambda: any(r["status"] == "denied" for r in requests(box)))
        assert fake.fetched == [] and not (box.data / "media").exists()
        fake.attach(b"png" * 500, name="a b.png", type="image/png", text="see this")
        text, line = asked_with(up, 1)
        assert text == "see this" and line.endswith("/1-a_b.png, image/png, 2 KB]"), line
        assert Path(line[len("[picture: "):].split(",")[0]).read_bytes() == b"png" * 500
        assert fake.fetched == ["/attachments/7/2/a?ex=1&is=2&hm=3&"], fake.fetched
        fake.attach(b"OggS", type="audio/ogg", name="v.ogg", file={"waveform": "AA==", "duration_secs": 1.5})
        (line,) = asked_with(up, 2)
        assert line.startswith("[voice note: ") and "no speech engine" in line, line
        eventually(lambda: any("went to the agent as a file" in t for t in fake.screen()))
        assert fake.wrong == [], fake.wrong


@test("a file that is too large, elsewhere or not there is told in words, and the text is asked")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box, Upstream() as other:
        there(box)
        ends = [({"size": 21 << 20}, "larger than 20 MiB"),
                ({'url': other.url + "/secret"}, "on no server of Discord's"),
                ({'url': fake.file_url + "/attachments/none"}, "its server answers 404")]
        for number, (file, words) in enumerate(ends, 1):
            fake.attach(b"data", name="big.bin", text=f"no {number}", file=file)
            text, line = asked_with(up, number)
            assert text == f"no {number}" and words in line, line
            eventually(lambda: any("big.bin did not reach the agent" in t and words in t
                                   for t in fake.screen()))
            eventually(lambda: fake.screen().count(TEXT) == number)
        assert other.heard == [] and not list((box.data / "media").glob("*/*"))
        assert fake.wrong == [], fake.wrong


@test("files of agents are attachments, and one whose answer was lost arrives once")
def _():
    place = temp_dir()
    (place / "map.png").write_bytes(b"\x89PNG" + bytes(range(256)) * 40)
    (place / "plan.pdf").write_bytes(b"%PDF-1")
    (place / "large.bin").write_bytes(b"x")
    with Upstream() as up, Discord() as fake, settings(
            up, fake, f"media: {{send: true, directory: {place}}}\n") as box:
        there(box)
        id, _number = asked(box, up, fake)
        fake.script = {"create_message": [None, "lose", None, None, Refused(413, "Request entity too large",
                                                                      40005)]}
        box.emit("agent.media", source="model", correlationId=id, payload={
            "agentId": "model", "mediaUrls": ["map.png", "plan.pdf", "large.bin"]})
        ends(box, id)
        assert finished(box, id)["status"] == "completed"
        ours = fake.ours()
        names = [[a["filename"] for a in m["attachments"]] for m in ours]
        assert names == [[], ["map.png"], ["plan.pdf"]], names
        sent = [fake.files[m["nonce"]] for m in ours[1:]]
        assert sent[0][1] == (place / "map.png").read_bytes() and sent[1][1] == b"%PDF-1"
        (missed,) = [d["missed"] for d in letters(box) if "missed" in d]
        assert missed.startswith("large.bin: ") and "too large" in missed, missed
        assert fake.wrong == [], fake.wrong


run()
