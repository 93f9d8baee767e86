#!/usr/bin/env python3
"""Slack: what people write there is answered there, in one message that grows, exactly once."""

import re
import time
from pathlib import Path

import manual
from chats import (AGAIN, RESTARTED, TEXT, Parrot, asked_with, begun, connected, ends, finished,
                   is_whole, look, requests, says)
from fake_slack import BOT, Refused, Slack
from lib import PATIENCE_S, SLOW, Box, cli, eventually, run, temp_dir, test
from servers import Upstream

PEOPLE = "people: [{name: Ada, relationship: owner, identities: ['slack:U7', 'slack:U8']}]\n"
TOOL = {"type": "select", "prompt": "Bash: make *all*", "tool": "Bash",
        "input": {"command": "make *all*"},
        "options": [{"label": "Allow", "value": "allow"},
                    {"label": "Allow always", "value": "always", "needs": "control",
                     "rule": "Bash(make)"},
                    {"label": "Deny", "value": "deny", "safe": True}]}


def secret(place, name, value):
    path = place / name
    path.write_text(value + "\n")
    path.chmod(0o600)
    return path


def settings(up, fake, more="", adapter="", streaming="enabled: auto"):
    place = temp_dir()
    bot, app = secret(place, "bot", "xoxb-1-abc"), secret(place, "app", "xapp-1-def")
    path = place / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  slack:\n    agent: model\n    url: {fake.url}\n"
        f"    credential_file: {bot}\n    app_credential_file: {app}\n"
        f"    streaming: {{{streaming}}}\n{adapter}"
        f"deliver: {{gather: 0}}\n{PEOPLE}{more}")
    return Box(args=["--config", str(path)])


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def channels(box):
    all = box.request("GET", "/api/channels").json()["channels"]
    return [c for c in all if c["name"] == "slack"]


def asked(box, up, fake, text="slow please", **more):
    return begun(box, up, lambda: fake.write(text, **more))


def clean(fake, box):
    """Nothing was asked that the description does not allow, and no token was shown."""
    assert fake.wrong == [], fake.wrong
    assert "xoxb-1-abc" not in box.log() and "xapp-1-def" not in box.log()


@test("docs/slack.md: with its configuration the app answers its owner")
def _():
    with Parrot() as parrot, Slack() as fake:
        tokens = {"slack-bot.token": "xoxb-1-abc", "slack-app.token": "xapp-1-def"}
        with manual.box_of("slack", parrot, fake.url, tokens) as box:
            eventually(lambda: channels(box)[0]["state"] == "connected")
            fake.write("let me in", user="U9", channel="D9")
            fake.write("good morning", user="U012AB3CD")
            eventually(lambda: [t.strip() for t in fake.screen()] == ["good morning"])
            clean(fake, box)


@test("a question is answered in one message that grows, and acknowledged")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        id, _ts = asked(box, up, fake)
        says(box, id, " is the **beginning** of a long answer,")
        eventually(lambda: fake.screen() == ["Hello is the *beginning* of a long answer,"])
        says(box, id, " and `a < b` its end. <!channel> <@U8> @here https://x.y/?a=1&b=2")
        ends(box, id)
        got = finished(box, id)
        assert fake.screen() == ["Hello is the *beginning* of a long answer, and `a < b` its end."
                                 " <!channel> <@U8> @here <https://x.y/?a=1&b=2>"], fake.screen()
        assert got["status"] == "completed" and got["delivery"]["sender_id"] == "U7", got
        assert len(fake.sent) == 1 and fake.of("assistant.threads.setStatus") == []
        eventually(lambda: not fake.waiting)
        assert len(fake.acked) == 1 and fake.limited == 0, fake.acked
        clean(fake, box)


@test("in a room the answer is in a thread, with typing, and who is meant is heard")
def _():
    with Upstream() as up, Slack() as fake, settings(
            up, fake, "access: [{who: owner, peer: group, mention: true, decision: allow},"
            " {who: any, decision: deny}]\n") as box:
        connected(box)
        fake.write("to nobody", channel="C5")
        id, ts = asked(box, up, fake, f"<@{BOT}> slow please", channel="C5")
        eventually(lambda: fake.of("assistant.threads.setStatus"))
        assert fake.of("assistant.threads.setStatus")[0]["thread_ts"] == ts
        ends(box, id)
        eventually(lambda: fake.screen("C5", ts) == ["Hello"])
        eventually(lambda: fake.of("assistant.threads.setStatus")[-1]["status"] == "")
        fake.write(f"<@{BOT}> /help", channel="C5", thread_ts=ts)
        eventually(lambda: any("/stop ends" in t for t in fake.screen("C5", ts)))
        # What comes as a message and as a mention is one question.
        before = len(up.of("/v1/chat/completions"))
        once = fake.write(f"<@{BOT}> good day", channel="C5")
        fake.event({**fake.messages["C5", once], "type": "app_mention"})
        eventually(lambda: fake.screen("C5", once) == [TEXT])
        eventually(lambda: not fake.waiting)
        assert len(up.of("/v1/chat/completions")) == before + 1
        eventually(lambda: len(requests(box)) == 4)
        statuses = sorted(r["status"] for r in requests(box))
        assert statuses == ["completed", "completed", "denied", "handled_by_automation"], statuses
        sessions = {r["agent"]["session_label"] for r in requests(box) if r["status"] == "completed"}
        assert len(sessions) == 2 and all("C5" in s for s in sessions), sessions
        clean(fake, box)


@test("/stop to a room ends what this person asked for in its threads, and nothing of others")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        runs = {}
        for user, channel in (("U7", "C5"), ("U7", "C5"), ("U8", "C5"), ("U7", "C6")):
            run, ts = asked(box, up, fake, f"<@{BOT}> slow please", channel=channel, user=user)
            runs[ts] = run
        first, second, *others = runs.values()
        fake.command("/status", channel="C5")
        eventually(lambda: any(": it works." in t for t in fake.screen("C5")))
        fake.command("/stop", channel="C5")
        eventually(lambda: "Stopped 2 runs." in fake.screen("C5"))
        for run in (first, second):
            got = finished(box, run)
            assert got["response"]["stop_reason"] == "aborted", got
        for run in others:
            assert look(box, run)["status"] == "processing"
        # In the room, and not as a slash command: it begins a thread, and is said to all of it.
        fake.write(f"<@{BOT}> /stop", channel="C6")
        assert finished(box, others[1])["response"]["stop_reason"] == "aborted"
        fake.command("/parrot", "stop", channel="C6")
        eventually(lambda: "Nothing was stopped: nothing runs." in fake.screen("C6"))
        assert look(box, others[0])["status"] == "processing"
        ends(box, others[0])
        finished(box, others[0])
        fake.command("/parrot", "new", channel="C6")
        eventually(lambda: any(t.startswith("Each thread is a session of its own: ")
                               for t in fake.screen("C6")))
        clean(fake, box)


@test("what is no question is acknowledged and passed over; unknown members do no harm")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: fake.sockets)
        fake.write("I am a bot", bot_id="B1")
        fake.write("I am the box", user=BOT)
        fake.write("changed", subtype="message_changed", message={"text": "x"})
        fake.write("", files=[{"id": "F1", "mode": "tombstone"}])
        fake.event({"type": "message"})
        fake.event({"type": "reaction_added", "user": "U7", "item": {"channel": "D7"}})
        fake.envelope("interactive", {"type": "view_submission", "view": {}})
        fake.envelope("of_2030", {"a": {"b": [1, None]}})
        fake.envelope("events_api", None)
        for bad in ("no JSON", "[]", "{}", '{"type": 1}', '{"type": "events_api"}', "x" * 2000000):
            fake.say(fake.sockets[-1], bad)
        fake.command("/status")
        eventually(lambda: len(fake.screen()) == 1)
        fake.write("good day")
        eventually(lambda: fake.screen()[1:] == [TEXT])
        eventually(lambda: not fake.waiting)
        eventually(lambda: len(requests(box)) == 2)
        assert fake.opened == 1, fake.opened
        clean(fake, box)


@test("a long answer comes in several messages, none of them too long")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        id, _ts = asked(box, up, fake)
        text = " ".join(f"\U0001f600 Sentence {i} has <tags> & @someone in it." for i in range(220))
        says(box, id, " " + text)
        ends(box, id)
        finished(box, id)
        eventually(lambda: "219" in "".join(fake.screen()), within=2 * PATIENCE_S)
        whole = "".join("".join(fake.screen()).split())
        assert whole == "Hello" + "".join(text.split()), whole[:200]
        assert len(fake.screen()) > 2 and fake.limited == 0, len(fake.screen())
        clean(fake, box)


@test("a question of the agent has buttons, and one press of who may answers it")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        id, _ts = asked(box, up, fake, "gated please")
        box.emit("prompt", source="me", correlationId=id, payload=TOOL)
        eventually(lambda: fake.screen())
        (ts,) = [ts for (_, ts), m in fake.messages.items() if m["user"] == BOT]
        assert fake.screen() == ["me asks:\nBash: make *all*"], fake.screen()
        labels = [b["text"]["text"] for b in fake.buttons("D7", ts)]
        assert labels == ["Allow", "Deny"], labels
        fake.press("D7", ts, 0, user="U9")
        eventually(lambda: fake.told == ["You may not answer here."])
        old = fake.messages["D7", ts]["blocks"]
        fake.press("D7", ts, 0)
        (answer,) = eventually(lambda: box.history("&type=answer"))
        assert answer["payload"]["value"] == "allow", answer
        assert answer["payload"]["by"]["user"] == "Ada", answer
        eventually(lambda: fake.screen() == ["me asks:\nBash: make *all*\n\nAda answered: Allow."])
        assert fake.buttons("D7", ts) == []
        fake.messages["D7", ts]["blocks"] = old  # somebody's screen is late
        fake.press("D7", ts, 1)
        eventually(lambda: "already answered by Ada" in fake.told[-1])
        up.gate.set()
        eventually(lambda: fake.screen()[-1] == TEXT)
        assert len(box.history("&type=answer")) == 1
        eventually(lambda: not fake.waiting)
        clean(fake, box)


@test("too many requests: that chat waits as long as it says, and others do not")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        began = time.monotonic()
        fake.script["chat.postMessage"] = [Refused("ratelimited", after=3)]
        fake.write("good day")
        eventually(lambda: len(fake.of("chat.postMessage")) == 1)
        fake.write("good day", user="U8", channel="D8")
        eventually(lambda: fake.screen("D8") == [TEXT])
        assert fake.screen("D7") == []
        eventually(lambda: fake.screen("D7") == [TEXT])
        assert time.monotonic() - began >= 3
        assert len(fake.of("chat.postMessage")) == 3 and fake.limited == 0
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"] * 2)


@test("a refusal ends the delivery with words, and a missing scope is named")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["chat.postMessage"] = [
            Refused("missing_scope", needed="chat:write", provided="im:history")]
        fake.write("good day")
        got = eventually(lambda: [x for x in letters(box) if x["state"] == "failed"])
        assert "missing_scope" in got[0]["why"] and "chat:write" in got[0]["why"], got
        assert len(fake.of("chat.postMessage")) == 1


@test("blocks that Slack does not take are sent without marks")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["chat.postMessage"] = [Refused("invalid_blocks")]
        fake.write("good day")
        eventually(lambda: fake.screen() == [TEXT])
        assert "plain_text" in fake.of("chat.postMessage")[1]["blocks"]
        clean(fake, box)


@test("an answer that is lost: the message is found, and not sent again")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["chat.postMessage"] = ["lose"]
        fake.write("good day")
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"])
        assert fake.screen() == [TEXT] and len(fake.of("conversations.history")) == 1
        fake.script["chat.postMessage"] = [Refused("internal_error")]
        ts = fake.write(f"<@{BOT}> good day", channel="C5")
        eventually(lambda: fake.screen("C5", ts) == [TEXT])
        assert len(fake.of("conversations.replies")) == 1
        assert len(fake.of("chat.postMessage")) == 3
        # The message is on the third page, and Slack is not always in the mood to look.
        for i in range(450):
            fake.messages["D9", f"{int(time.time())}.9{i:05d}"] = {
                "user": "U9", "text": "x", "ts": f"{int(time.time())}.9{i:05d}"}
        fake.script["chat.postMessage"] = ["lose"]
        fake.script["conversations.history"] = [Refused("ratelimited", after=2),
                                                Refused("internal_error")]
        fake.write("good day", channel="D9")
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"] * 3)
        assert fake.screen("D9") == [TEXT]
        clean(fake, box)


@test("where the history may not be read the message is sent once more, and says so")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["chat.postMessage"] = ["lose"]
        fake.script["conversations.history"] = [Refused("missing_scope", needed="im:history")]
        fake.write("good day")
        eventually(lambda: fake.screen() == [TEXT, f"{AGAIN}\n{TEXT}"])


@test("a draft or a block whose answer is lost is found, and goes on as if nothing had been")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        fake.script["chat.postMessage"] = ["lose"]
        id, _ts = asked(box, up, fake)
        says(box, id, " is the beginning of an answer")
        eventually(lambda: fake.screen() == ["Hello is the beginning of an answer"])
        says(box, id, ", whole.")
        ends(box, id)
        assert finished(box, id)["status"] == "completed"
        assert fake.screen() == ["Hello is the beginning of an answer, whole."], fake.screen()
        fake.script["chat.postMessage"] = ["lose"]
        id, _ts = asked(box, up, fake, channel="D8")
        says(box, id, " is the beginning of an answer")
        eventually(lambda: fake.screen("D8"))
        box.kill9()
        box.start()
        eventually(lambda: fake.screen("D8") == [RESTARTED])
        clean(fake, box)
    with Upstream() as up, Slack() as fake, settings(
            up, fake, streaming="mode: blocks, coalescing: {idle_ms: 300}") as box:
        connected(box)
        fake.script["chat.postMessage"] = ["lose"]
        id, _ts = asked(box, up, fake)
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"])
        says(box, id, " is a block.")
        ends(box, id)
        assert finished(box, id)["status"] == "completed"
        assert fake.screen() == ["Hello", "is a block."], fake.screen()
        clean(fake, box)


@test("an edit that is refused: the text arrives in a message of its own, and the draft goes")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        id, _ts = asked(box, up, fake)
        says(box, id, " is the beginning of a long answer,")
        eventually(lambda: fake.screen())
        fake.script["chat.update"] = [Refused("edit_window_closed"), Refused("edit_window_closed")]
        says(box, id, " and this is the end.")
        eventually(lambda: fake.of("chat.update"))
        says(box, id, " Really.")
        ends(box, id)
        finished(box, id)
        want = "Hello is the beginning of a long answer, and this is the end. Really."
        eventually(lambda: fake.screen() == [want])
        assert len(fake.gone) == 1 and len(fake.sent) == 2, fake.sent
        clean(fake, box)


@test("a connection that ends is replaced, and nothing that was not acknowledged is lost")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: fake.opened == 1 and fake.sockets)
        fake.refresh()
        eventually(lambda: fake.opened == 2 and len(fake.sockets) == 1)
        fake.write("good day")
        eventually(lambda: fake.screen() == [TEXT])
        fake.cut()
        fake.write("good day", channel="D8")
        eventually(lambda: fake.screen("D8") == [TEXT])
        assert fake.opened == 3
        # What comes twice, because its acknowledgement was lost, is one question.
        fake.envelope("events_api", {"event": fake.messages["D8", sorted(
            ts for where, ts in fake.messages if where == "D8")[0]]})
        eventually(lambda: not fake.waiting)
        eventually(lambda: len(requests(box)) == 2)
        assert fake.screen("D8") == [TEXT] and len(fake.sent) == 2
        clean(fake, box)


@test("a token that is refused is told in the log, and is not shown there")
def _():
    for tokens in ({"token": "xoxb-2"}, {"app_token": "xapp-2"}):
        with Upstream() as up, Slack(**tokens) as fake, settings(up, fake) as box:
            connected(box)
            eventually(lambda: "Slack does not answer: invalid_auth" in box.log())
            clean(fake, box)


@test("`channels` says whether Slack is there, and a check names what is missing")
def _():
    def check():
        return cli("channels", "check", "slack", "--data", str(box.data))
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        eventually(lambda: [c["state"] for c in channels(box)] == ["connected"])
        got = check()
        assert got.code == 0 and "the bot is U0BOX in the workspace X" in got.out, got
        assert "all scopes" in got.out and "opens connections" in got.out, got
        fake.scopes.remove("assistant:write")
        got = check()
        assert got.code == 0 and "assistant:write: it is not shown as typing" in got.out, got
        fake.scopes.remove("commands")
        fake.scopes.remove("mpim:history")
        got = check()
        assert got.code == 0 and "commands: it has no slash command" in got.out, got
        assert "mpim:history: in group messages" in got.out, got
        fake.scopes.remove("chat:write")
        got = check()
        assert got.code == 1 and "chat:write: it cannot write" in got.out, got
        fake.app_token = "xapp-2"
        assert "refuses the token of the app: invalid_auth" in check().out
        fake.cut()
        (now,) = eventually(lambda: [c for c in channels(box) if c["state"] == "refused"])
        assert now["why"] == "invalid_auth", now
        clean(fake, box)


@test("a token that is refused in the middle: nothing is lost")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        asked(box, up, fake, "gated please")
        token, fake.token = fake.token, "xoxb-2"
        up.gate.set()
        failed = eventually(lambda: [x for x in letters(box) if x["state"] == "failed"])
        assert "invalid_auth" in failed[0]["why"], failed
        fake.token = token
        box.request("POST", f"/api/deliveries/{failed[0]['id']}/retry")
        eventually(lambda: TEXT in fake.screen())


@test("whenever it is killed, every question has its answer, exactly once")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        rounds = 50 if SLOW == 1 else 10
        for i in range(rounds):
            if i % 5 == 4:
                fake.script["chat.postMessage"] = [None] * (i // 20 if i % 2 else 0) + ["lose"]
            fake.write("long please" if i % 2 else "good day", channel=f"D{1000 + i}")
            time.sleep(0.012 * (i % 25) * (1 + i % 2))
            box.kill9()
            box.start()
            eventually(lambda: len(requests(box)) == i + 1, within=2 * PATIENCE_S)
        eventually(lambda: not fake.waiting)
        for i in range(rounds):
            got = fake.screen(f"D{1000 + i}")
            good = is_whole(got) if i % 2 else len(got) == 1 and got[0] in (TEXT, RESTARTED)
            assert good and AGAIN not in "".join(got), (i, got, requests(box)[i])
        clean(fake, box)


@test("files of people are fetched after they were let in, with the bot's token")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        fake.attach(b"of a stranger", text="take this", user="U9", channel="D9")
        eventually(lambda: any(r["status"] == "denied" for r in requests(box)))
        assert fake.fetched == [] and not (box.data / "media").exists()
        fake.attach(b"png" * 500, name="a b.png", type="image/png", text="see this")
        text, line = asked_with(up, 1)
        assert text == "see this" and line.endswith("/1-a_b.png, image/png, 2 KB]"), line
        assert Path(line[len("[picture: "):].split(",")[0]).read_bytes() == b"png" * 500
        assert fake.fetched == [("/files-pri/T1-F2/download/a", "Bearer xoxb-1-abc")], fake.fetched
        fake.attach(b"OggS", type="audio/ogg", name="v.ogg", file={"subtype": "slack_audio"})
        (line,) = asked_with(up, 2)
        assert line.startswith("[voice note: ") and "no speech engine" in line, line
        eventually(lambda: any("went to the agent as a file" in t for t in fake.screen()))
        clean(fake, box)


@test("a file that is too large, elsewhere or not there is told in words, and the text is asked")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box, Upstream() as other:
        connected(box)
        ends = [({"size": 21 << 20}, "larger than 20 MiB"),
                ({'url_private': other.url + "/secret", "url_private_download": ""}, "on no server of Slack's"),
                ({'url_private': fake.origin + "/files-pri/none", "url_private_download": ""}, "its server answers 404")]
        for number, (file, words) in enumerate(ends, 1):
            fake.attach(b"data", name="big.bin", text=f"no {number}", file=file)
            text, line = asked_with(up, number)
            assert text == f"no {number}" and words in line, line
            eventually(lambda: any("big.bin did not reach the agent" in t and words in t
                                   for t in fake.screen()))
            eventually(lambda: fake.screen().count(TEXT) == number)
        fake.scopes.remove("files:read")
        fake.attach(b"data", name="big.bin", text="no scope")
        assert "it needs the scope files:read" in asked_with(up, 4)[1]
        got = cli("channels", "check", "slack", "--data", str(box.data))
        assert "the bot lacks the scope files:read: pictures and files" in got.out, got
        assert other.heard == [] and not list((box.data / "media").glob("*/*"))
        clean(fake, box)


def directory(**files):
    place = temp_dir()
    for name, data in files.items():
        (place / name.replace("_", ".")).write_bytes(data)
    return place, f"media: {{send: true, directory: {place}}}\n"


def sends(box, id, *urls):
    box.emit("agent.media", source="model", correlationId=id,
             payload={"agentId": "model", "mediaUrls": list(urls)})


@test("files of agents are shown in the thread of the answer, and what Slack refuses is told")
def _():
    _, media = directory(map_png=b"\x89PNG\r\n\x1a\n" + b"p" * 300000, plan_pdf=b"%PDF-1",
                         evil_exe=b"MZ", last_txt=b"last")
    with Upstream() as up, Slack() as fake, settings(up, fake, media) as box:
        connected(box)
        id, ts = asked(box, up, fake, f"<@{BOT}> slow please", channel="C5")
        fake.script["files.completeUploadExternal"] = [None, Refused("file_type_not_allowed")]
        fake.script["upload"] = [None, None, 500]
        sends(box, id, "map.png", "evil.exe", "plan.pdf")
        ends(box, id)
        got = finished(box, id)
        eventually(lambda: fake.screen("C5", ts) == ["Hello", "[map.png]", "[plan.pdf]"])
        files = [f for f in fake.uploads.values() if f.get("is_shared")]
        assert [len(f["data"]) for f in files] == [300008, 6]
        names = [re.sub("[0-9a-f]{12}", "MARK", f["name"]) for f in files]
        assert names == ["map-MARK.png", "plan-MARK.pdf"], names
        (missed,) = [x["missed"] for x in letters(box) if "missed" in x]
        assert missed == "evil.exe: Slack refused it: file_type_not_allowed", missed
        assert got["status"] == "completed" and fake.limited == 0, got
        fake.scopes.remove("files:write")
        id, _ = asked(box, up, fake)
        sends(box, id, "last.txt")
        ends(box, id)
        finished(box, id)
        assert any("needs the scope files:write" in x.get("missed", "") for x in letters(box))
        done = cli("channels", "check", "slack", "--data", str(box.data))
        assert done.code == 0 and "lacks the scope files:write: " in done.out, done
        clean(fake, box)


@test("a file whose answer was lost is found by its name, also later, and shown once")
def _():
    _, media = directory(map_png=b"p", plan_pdf=b"%PDF-1", last_txt=b"last")
    with Upstream() as up, Slack() as fake, settings(up, fake, media) as box:
        connected(box)
        fake.shows_after = 1
        fake.script = {"files.getUploadURLExternal": ["lose"], "upload": ["lose"],
                       "files.completeUploadExternal": ["lose", "drop"]}
        id, _ = asked(box, up, fake)
        sends(box, id, "map.png", "plan.pdf")
        ends(box, id)
        assert finished(box, id)["status"] == "completed"
        eventually(lambda: len(fake.screen()) == 3)
        assert fake.screen() == ["Hello", "[map.png]", "[plan.pdf]"], fake.screen()
        assert len(fake.of("files.completeUploadExternal")) == 3, fake.heard
        fake.shows_after = 0.3
        id, _ = asked(box, up, fake)
        fake.script["files.completeUploadExternal"] = ["lose"]
        sends(box, id, "last.txt")
        ends(box, id)
        eventually(lambda: len(fake.of("files.completeUploadExternal")) == 4)
        box.kill9()
        box.start()
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"] * 2)
        assert fake.screen()[3:] == ["Hello", "[last.txt]"], fake.screen()
        assert not [x for x in letters(box) if "missed" in x]
        clean(fake, box)


run()
