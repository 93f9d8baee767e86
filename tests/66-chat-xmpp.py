#!/usr/bin/env python3
"""XMPP: a real server, adapters/xmpp, and what a person sees of an agent: edits, typing, the archive."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from xml.etree import ElementTree

from chats import AGAIN, RESTARTED, Parrot, kill_again, reads
from lib import PATIENCE_S, ROOT, SLOW, Box, eventually, run, temp_dir, test
from servers import LONG, Upstream
from xmpp_servers import PACKAGES, PASSWORD, Person, Prosody

AGENT = "agent@localhost"
ROUNDS = 50 if SLOW == 1 else 10


def box_of(parrot, server, more="", adapter=""):
    path = temp_dir() / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: parrot, url: '{parrot.url}', protocol: openai, model: parrot}}]\n"
        f"adapters:\n  xmpp:\n    agent: parrot\n    nick: {AGENT}\n"
        f"    url: xmpp://127.0.0.1:{server.port}\n    credential: '${{XMPP_SECRET}}'\n"
        f"    rooms: [den@rooms.localhost]\n{adapter}"
        f"    command: [env, 'PYTHONPATH={PACKAGES}', {sys.executable}, {ROOT}/adapters/xmpp]\n"
        f"people: [{{name: Ada, relationship: owner, identities: ['xmpp:ada@localhost']}}]\n{more}")
    return Box(args=["--config", str(path)], env={**os.environ, "XMPP_SECRET": PASSWORD})


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def requests(box):
    return [s["payload"] for s in box.history("&type=nex.request")]


def adapter_env(server, room):
    """Of the adapter without a box."""
    return {**os.environ, "PYTHONPATH": str(PACKAGES), "SIGNALBOX_NICK": AGENT,
            "SIGNALBOX_CREDENTIAL": PASSWORD, "SIGNALBOX_ROOMS": room,
            "SIGNALBOX_URL": f"xmpp://127.0.0.1:{server.port}"}


class Stream:
    """The adapter's stream without a box."""

    def __init__(self, server, room=""):
        self.env = adapter_env(server, room)

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, ROOT / "adapters/xmpp", "stream", "--account", "xmpp", "--format",
             "jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.env)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(PATIENCE_S)

    def ask(self, target, *events):
        """What it says at the end of it."""
        for event in events:
            self.process.stdin.write(json.dumps({**event, "target": target}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            said = json.loads(line)
            if said["type"].startswith("delivery_"):
                return said
        raise AssertionError("the stream ended")

    def message(self, run, target, text):
        return self.ask(target, {"type": "stream_start", "runId": run},
                        {"type": "token", "text": text}, {"type": "stream_end", "runId": run})

    def find(self, run, room, since_s):
        return self.ask({"to": room}, {
            "type": "message_find", "runId": run, "since": int(since_s * 1000)})


def is_there(box, server):
    """Both of its connections."""
    eventually(lambda: all(
        f"Authenticated as {AGENT}" in (log := (server.place / "prosody.log").read_text())
        and log.count(f"Authenticated as {AGENT}") >= 2 for _ in (0,)))


def greet(box, person, room):
    """Until the agent has heard it: it enters a room some time after it is connected."""
    def is_heard():
        person.say(room, "agent: hello", "groupchat")
        time.sleep(0.5)
        return received(box)
    person.join(room)
    eventually(is_heard)
    eventually(lambda: "hello" in person.screen())


def received(box):
    return [s["payload"] for s in box.history("&type=nex.received")]


def statuses(box):
    return [r["status"] for r in requests(box)]


def pids(box, verb):
    """Of the programs of this box."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            words = open(f"/proc/{entry}/cmdline").read().split("\0") if entry.isdigit() else []
            if verb in words and str(ROOT / "adapters/xmpp") in words and \
                    int(open(f"/proc/{entry}/stat").read().split()[3]) == box.process.pid:
                found.append(int(entry))
        except OSError:
            pass
    return found


@test("a reply grows in one message by corrections, with typing before it and none after")
def _():
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server) as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        ada.say(AGENT, "slowly this is a **longer** text of some words")
        eventually(lambda: "composing" in ada.states)
        want = "slowly this is a longer text of some words"
        eventually(lambda: ada.screen() == [want])
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"])
        texts = [text for _, text, _ in ada.seen]
        assert len(texts) > 2 and all(want.startswith(t.strip()) for t in texts), texts
        assert ada.states[-1] == "active", ada.states
        assert len(ada.archive(AGENT)) == 1, ada.archive(AGENT)


@test("characters that XML has not end no connection, in answers of agents and of the box's own")
def _():
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server) as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        before = pids(box, "stream")
        for number, text in enumerate(("a \\uffff", "b \\ufffe\\ufdd0", "c")):
            answer = box.request("POST", "/api/messages", {
                "channel": "xmpp", "peer": "ada@localhost", "agent": "parrot",
                "text": json.loads(f'"{text}"')})
            assert answer.status == 200, answer
            eventually(lambda: [t.strip() for t in ada.screen()] == ["a", "b", "c"][:number + 1])
        assert pids(box, "stream") == before, "the connection ended"


@test("the adapter itself writes nothing that XML has not, in texts, corrections and names of files")
def _():
    path = temp_dir() / "1-my \uffff map.png"
    path.write_bytes(b"png")
    with Prosody() as server, Person(server, "ada") as ada, Stream(server) as stream:
        to = {"to": "ada@localhost"}
        assert "error" not in stream.message("R.1/1", to, "one \uffff \ud800 \x1b")
        assert "error" not in stream.message("R.1/1", {**to, "message_id": "R.1/1"}, "two \ufffe")
        eventually(lambda: ada.screen() == ["two \ufffd"])
        assert [text for _, text, _ in ada.seen] == ["one \ufffd \ufffd \ufffd", "two \ufffd"]
        done = subprocess.run(
            [sys.executable, ROOT / "adapters/xmpp", "send", "--account", "xmpp", "--to",
             "ada@localhost", "--id", "R.1/2", "--media", path], input="map \uffff",
            capture_output=True, text=True, timeout=2 * PATIENCE_S, env=adapter_env(server, ""))
        assert json.loads(done.stdout)["success"], done
        eventually(lambda: ada.screen()[1:] and ada.screen()[1].startswith("map \ufffd\nhttp"))


@test("who is not known is not answered, and a room is answered when it names the agent")
def _():
    anybody = "access: [{who: any, peer: group, mention: true, decision: allow}]\n"
    room = "den@rooms.localhost"
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server, anybody) as box, \
            Person(server, "ada") as ada, Person(server, "eve") as eve:
        is_there(box, server)
        eve.join(room)
        greet(box, ada, room)
        eve.say(AGENT, "let me in")
        eventually(lambda: statuses(box).count("denied") == 1)
        ada.say(room, "nobody is meant", "groupchat")
        ada.say(room, "agent: good morning", "groupchat")
        eventually(lambda: "good morning" in eve.screen())
        eventually(lambda: statuses(box).count("denied") == 2)
        assert ada.screen().count("good morning") == 1, ada.screen()


@test("a private message by way of a room is nobody's: it is not asked, and no room hears of it")
def _():
    anybody = "access: [{who: any, decision: allow}]\n"
    room = "den@rooms.localhost"
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server, anybody) as box, \
            Person(server, "ada") as ada, Person(server, "eve") as eve:
        is_there(box, server)
        eve.join(room)
        greet(box, ada, room)
        ada.say(f"{room}/agent", "in secret")
        ada.say(AGENT, "to you")
        eventually(lambda: "to you" in ada.screen())
        assert {m["text"] for m in received(box)} == {"hello", "to you"}, received(box)
        assert "in secret" not in eve.screen() + ada.screen(), eve.screen()


@test("a bot, a copy and what is encrypted are not answered")
def _():
    anybody = "access: [{who: any, decision: allow}]\n"
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server, anybody) as box, \
            Person(server, "ada") as ada, Person(server, "eve", "bot") as eve:
        is_there(box, server)
        for name in ("{urn:xmpp:carbons:2}received", "{urn:xmpp:eme:0}encryption"):
            message = ada.xmpp.make_message(mto=AGENT, mbody="this is no question", mtype="chat")
            ElementTree.SubElement(message.xml, name)
            ada.call(message.send)
        eve.say(AGENT, "I am a bot")
        ada.say(AGENT, "good morning")
        eventually(lambda: "good morning" in ada.screen())
        assert [m["text"] for m in received(box)] == ["good morning"], received(box)
        eventually(lambda: "messages that are encrypted (OMEMO) are not read" in box.log())


@test("clients that do not say what they are wait for that together")
def _():
    anybody = "access: [{who: any, decision: allow}]\n"
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server, anybody) as box, \
            ExitStack() as clients:
        eves = [clients.enter_context(Person(server, "eve", resource=f"eve-{n}")) for n in range(5)]
        is_there(box, server)
        for eve in eves:
            eve.keep_silent()
        for number, eve in enumerate(eves):
            eve.say(AGENT, f"word {number}")
        eventually(lambda: len(received(box)) == len(eves))
        at = [s["timestamp"] for s in box.history("&type=nex.received")]
        assert at[-1] - at[0] < 6000, at  # not three seconds for each


@test("a name that a sender gives its message in an archive is not believed")
def _():
    anybody = "access: [{who: any, decision: allow}]\n"
    room = "den@rooms.localhost"
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server, anybody) as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        greet(box, ada, room)
        for number, by in enumerate(("ada@localhost", "elsewhere.example", AGENT, room)):
            ada.forge(AGENT, f"word {number}", by, "forged")
            eventually(lambda: ada.screen().count(f"word {number}") == 1)
        for number, by in enumerate(("ada@localhost", AGENT, room)):
            ada.forge(room, f"agent: call {number}", by, "forged", "groupchat")
            eventually(lambda: ada.screen().count(f"call {number}") == 1)
        ada.say(f"{AGENT}/signalbox-monitor", "agent: no room", "groupchat")
        ada.say(AGENT, "the end")
        eventually(lambda: "the end" in ada.screen())
        texts = {m["text"] for m in received(box)}
        assert len(texts) == 9 and "agent: no room" not in texts, texts
        assert "forged" not in [m["message"] for m in received(box)], received(box)


@test("what came while the box was away is answered once, by the archive, and a bot not")
def _():
    anybody = "access: [{who: any, decision: allow}]\n"
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server, anybody) as box, \
            Person(server, "ada") as ada, Person(server, "eve", "bot") as eve:
        is_there(box, server)
        ada.say(AGENT, "one")
        eventually(lambda: ada.screen() == ["one"])
        box.kill9()
        eve.say(AGENT, "I am a bot")
        ada.say(AGENT, "two")
        kill_again(box)
        eventually(lambda: ada.screen() == ["one", "two"])
        ada.say(AGENT, "three")
        eventually(lambda: ada.screen() == ["one", "two", "three"])
        eventually(lambda: len(requests(box)) == 3)
        assert [m["text"] for m in received(box)] == ["one", "two", "three"], received(box)


@test("backfill prints what archives have since then, of the account and of its rooms")
def _():
    room = "den@rooms.localhost"

    def past(since):
        done = subprocess.run(
            [sys.executable, ROOT / "adapters/xmpp", "backfill", "--account", "xmpp", "--since",
             since, "--format", "jsonl"], capture_output=True, text=True, timeout=2 * PATIENCE_S,
            env=adapter_env(server, room))
        assert done.returncode == 0, done
        return [json.loads(line) for line in done.stdout.splitlines()]
    with Prosody() as server, Person(server, "ada") as ada:
        ada.join(room)
        ada.say(AGENT, "one")
        ada.attach(AGENT, "https://files.example/a/my%20cat.png?x=1")
        ada.say(room, "agent: two", "groupchat")
        got = eventually(lambda: len(all := past("2026-01-01T00:00:00Z")) == 3 and all)
        assert [e["content"] for e in got] == ["one", "", "two"], got
        assert [e["peer_kind"] for e in got] == ["dm", "dm", "group"], got
        assert "place" in got[0] and "place" not in got[2], got
        (file,) = got[1]["attachments"]
        assert file["filename"] == "my cat.png" and file["content_type"] == "image/png", file
        assert file["url"] == "https://files.example/a/my%20cat.png?x=1", file
        assert all(abs(e["timestamp"] / 1000 - time.time()) < 3600 for e in got), got
        assert got == past("2026-01-01T00:00:00Z"), "the same ids each time"
        assert past("2999-01-01T00:00:00Z") == []


@test("a message is found in a busy room, and where the archive is too long nobody says it is not there")
def _():
    room = "den@rooms.localhost"
    with Prosody() as server, Person(server, "ada") as ada, Stream(server, room) as stream:
        began = time.time()
        ada.join(room)
        ada.flood(room, [f"chatter {i}" for i in range(510)])
        stream.message("R.1/1", {"to": room}, "hello")
        eventually(lambda: "hello" in ada.screen())
        assert stream.find("R.1/1", room, began)["messageIds"] == ["R.1/1"]
        assert stream.find("R.1/2", room, began)["messageIds"] == []
        ada.flood(room, [f"more {i}" for i in range(500)])
        got = stream.find("R.1/2", room, began)
        assert got.get("error", {}).get("type") == "not_found", got
        assert stream.find("R.1/1", room, began + 86400)["messageIds"] == []


@test("in a room that gives the agent another name, its messages are found under that")
def _():
    room = "den@rooms.localhost"
    with Prosody() as server, Person(server, "ada") as ada:
        ada.join(room)
        with Person(server, "agent") as agent:
            agent.register(room, "robot")
        with Stream(server, room) as stream:
            began = time.time()
            stream.message("R.1/1", {"to": room}, "hello")
            eventually(lambda: "hello" in ada.screen())
            assert [by for _, text, by in ada.seen if text == "hello"] == [f"{room}/robot"], ada.seen
            assert stream.find("R.1/1", room, began)["messageIds"] == ["R.1/1"]
            ada.say(room, "a forgery", "groupchat", "R.1/2")
            eventually(lambda: "a forgery" in ada.screen())
            assert stream.find("R.1/2", room, began)["messageIds"] == []


@test("what was said in a room while the box was away is answered once")
def _():
    anybody = "access: [{who: any, mention: true, decision: allow}]\n"
    room = "den@rooms.localhost"
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server, anybody) as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        ada.join(room)
        ada.say(AGENT, "one")
        eventually(lambda: "one" in ada.screen())
        box.kill9()
        ada.say(room, "agent: two", "groupchat")
        eventually(lambda: "agent: two" in ada.screen())
        kill_again(box)
        eventually(lambda: "two" in ada.screen())
        ada.say(AGENT, "three")
        eventually(lambda: "three" in ada.screen())
        eventually(lambda: len(requests(box)) == 3)
        assert ada.screen().count("two") == 1, ada.screen()


def says(box, run, text):
    box.emit("text_delta", source="parrot", correlationId=run,
             payload={"agentId": "parrot", "content": text})


def ends(box, run):
    box.emit("completion", source="parrot", correlationId=run, payload={
        "agentId": "parrot", "taskId": run, "success": True})


def drafted(box, ada, to, text="slow please"):
    """A question whose answer has begun to show; its run."""
    def asked():
        return [m["request"] for m in received(box) if m["text"] == text]
    before = len(asked())
    is_room = to.startswith("den@")
    ada.say(to, f"agent: {text}" if is_room else text, "groupchat" if is_room else "chat")
    eventually(lambda: len(asked()) > before)
    run = asked()[-1]
    eventually(lambda: any(s.get("correlationId") == run for s in box.history("&type=text_delta")))
    says(box, run, " is a text that is long enough")
    eventually(lambda: any(t.endswith(" is a text that is long enough") for t in ada.screen()))
    return run


@test("a draft that is not to be said is retracted, and other clients see that it was removed")
def _():
    more = ("deliver: {gather: 0}\naccess: [{who: any, peer: group, mention: true, decision: allow},"
            " {who: owner, peer: dm, decision: allow}]\n")
    room = "den@rooms.localhost"
    with Upstream() as up, Prosody() as server, box_of(up, server, more) as box, \
            Person(server, "ada") as ada, \
            Person(server, "ada", resource="old", retracts=False) as old, \
            Person(server, "eve", retracts=False) as eve:
        def in_room(person):
            return [t for t in person.screen() if t != "here?" and not t.startswith("agent: ")]

        def is_heard():
            ada.say(room, "here?", "groupchat")
            time.sleep(0.5)
            return "here?" in [m["text"] for m in received(box)]
        is_there(box, server)
        run = drafted(box, ada, AGENT)
        eventually(lambda: old.screen() == ada.screen())
        says(box, run, "\n\nNO_REPLY")
        ends(box, run)
        eventually(lambda: ada.screen() == [] and len(ada.retracted) == 1)
        eventually(lambda: old.screen() == ["(removed)"])
        eve.join(room)
        ada.join(room)
        eventually(lambda: is_heard() and "here?" in eve.screen())
        run = drafted(box, ada, room)
        says(box, run, "\n\nNO_REPLY")
        ends(box, run)
        eventually(lambda: in_room(ada) == [] and len(ada.retracted) == 2)
        eventually(lambda: in_room(eve) == ["(removed)"])
        eventually(lambda: [x["state"] for x in letters(box)] == ["withdrawn"] * 2)
        assert {m["text"] for m in received(box)} == {"slow please", "here?"}, received(box)


@test("a draft that a crash left goes, and the answer comes in a message of its own")
def _():
    with Upstream() as up, Prosody() as server, box_of(
            up, server, "deliver: {gather: 0}\n", "    on_restart: again\n") as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        drafted(box, ada, AGENT, text="gated please")
        box.kill9()
        up.gate.set()
        box.start()
        eventually(lambda: requests(box), within=2 * PATIENCE_S)
        eventually(lambda: ada.screen() == ['Hello, w\u00f6rld "ok"'])
        eventually(lambda: len(ada.retracted) == 1)


@test("what a person retracts is no question")
def _():
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server) as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        ada.say(AGENT, "one", id="m1")
        eventually(lambda: ada.screen() == ["one"])
        for tag in ("{urn:xmpp:message-retract:1}retract", "{urn:xmpp:fasten:0}apply-to"):
            message = ada.xmpp.make_message(mto=AGENT, mbody="/me retracted a message", mtype="chat")
            ElementTree.SubElement(message.xml, tag, {"id": "m1"})
            ada.call(message.send)
        ada.say(AGENT, "two")
        eventually(lambda: ada.screen() == ["one", "two"])
        assert [m["text"] for m in received(box)] == ["one", "two"], received(box)


@test("files of agents are uploaded to the server, and what it does not take is told")
def _():
    files = temp_dir()
    (files / "my map.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"p" * 5000)
    (files / "large.bin").write_bytes(b"x" * 200000)
    with Upstream() as up, Prosody() as server, Person(server, "ada") as ada, box_of(
            up, server, f"deliver: {{gather: 0}}\nmedia: {{send: true, directory: {files}}}\n") as box:
        is_there(box, server)
        ada.say(AGENT, "slow please")
        eventually(lambda: up.of("/v1/chat/completions"))
        turn = box.history("&type=nex.received")[0]["payload"]["request"]
        box.emit("agent.media", source="parrot", correlationId=turn, payload={
            "agentId": "parrot", "mediaUrls": ["my map.png", "large.bin"]})
        box.emit("completion", source="parrot", correlationId=turn, payload={
            "agentId": "parrot", "taskId": turn, "success": True})
        (got,) = eventually(lambda: requests(box))
        assert got["status"] == "completed", got
        text, url = eventually(lambda: len(ada.screen()) == 2 and ada.screen())
        assert text == "Hello" and url.endswith("/my_map.png") and ada.oobs == [url], ada.screen()
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as there:
            assert there.read() == (files / "my map.png").read_bytes()
            assert there.headers["Content-Type"] == "image/png", there.headers
        (missed,) = [x["missed"] for x in letters(box) if "missed" in x]
        assert missed.startswith("large.bin: ") and "\n" not in missed, missed
        assert len(ada.archive(AGENT)) == 2, ada.archive(AGENT)


@test("kill -9 while a file is uploaded: it arrives, once")
def _():
    files = temp_dir()
    (files / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"p" * 50000)
    with Upstream() as up, Prosody() as server, Person(server, "ada") as ada, box_of(
            up, server, f"deliver: {{gather: 0}}\nmedia: {{send: true, directory: {files}}}\n") as box:
        is_there(box, server)
        for number in range(1, 4):
            ada.say(AGENT, "slow please")
            eventually(lambda: len(up.of("/v1/chat/completions")) == number)
            turn = box.history("&type=nex.received")[-1]["payload"]["request"]
            box.emit("agent.media", source="parrot", correlationId=turn, payload={
                "agentId": "parrot", "mediaUrl": "map.png"})
            box.emit("completion", source="parrot", correlationId=turn, payload={
                "agentId": "parrot", "taskId": turn, "success": True})
            eventually(lambda: [s["payload"]["piece"] for s in box.history(
                "&type=delivery.started")].count(2) >= number)
            time.sleep(0.3 * SLOW * (number - 1))
            kill_again(box)
            eventually(lambda: len(requests(box)) == number)
            texts = [text for _, text in ada.archive(AGENT)]
            assert len(texts) == 2 * number and texts[1::2] == ada.oobs, texts
            assert texts[::2] == ["Hello"] * number, texts


@test("a server that goes and comes back finds the agent again, with what waited")
def _():
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server) as box:
        is_there(box, server)
        server.kill()
        answer = box.request("POST", "/api/messages", {
            "channel": "xmpp", "peer": "ada@localhost", "agent": "parrot", "text": "hello"})
        assert answer.status == 200, answer
        eventually(lambda: letters(box))
        server.open()
        with Person(server, "ada") as ada:
            eventually(lambda: ada.screen() == ["hello"])
            assert len(ada.archive(AGENT)) == 1


@test("an adapter that is killed while it delivers delivers once")
def _():
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server) as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        for number in range(3):
            ada.say(AGENT, f"word {number}")
            time.sleep(0.1 * number)
            for pid in pids(box, "stream"):
                os.kill(pid, signal.SIGKILL)
            eventually(lambda: ada.screen() == [f"word {i}" for i in range(number + 1)])
        assert [t for _, t in ada.archive(AGENT)] == ada.screen()


def word(number):
    """Every other two are longer than a message."""
    return f"word {number}. " + ("".join(LONG + LONG[:1]) if number % 4 > 1 else "")


def are_whole(screen):
    """Each is there once, or as far as it came, and that the box restarted."""
    said, ends = reads(screen), "".join(RESTARTED.split())
    wholes = [w for w in ("".join(word(n).split()) for n in range(ROUNDS))
              if w in said and said.count(w[:w.index(".") + 1]) == 1]
    for whole in wholes:
        said = said.replace(whole, "")
    others = said.split(ends)
    return len(wholes) + len(others) - 1 == ROUNDS and others[-1] == "" and all(
        any("".join(word(n).split()).startswith(o) for n in range(ROUNDS)) for o in others) \
        and not any(AGAIN in text for text in screen)


@test(f"kill -9 while it delivers, {ROUNDS} rounds: every final arrives, exactly once")
def _():
    with Parrot() as parrot, Prosody() as server, box_of(parrot, server) as box, \
            Person(server, "ada") as ada:
        is_there(box, server)
        for number in range(ROUNDS):
            answer = box.request("POST", "/api/messages", {
                "channel": "xmpp", "peer": "ada@localhost", "agent": "parrot",
                "text": word(number)})
            assert answer.status == 200, answer
            # Anywhere between the question and its delivery, and often in the middle of it.
            started = lambda: any(x["state"] not in ("prepared", "queued") for x in letters(box))
            end = time.monotonic() + 3 * SLOW
            while number % 2 and not started() and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(0.004 * (number % 7))
            kill_again(box)
        eventually(lambda: len(requests(box)) == ROUNDS, within=300)
        eventually(lambda: are_whole(ada.screen()), within=2 * PATIENCE_S)
        begun = [text.split(".")[0] for _, text in ada.archive(AGENT) if text.startswith("word")]
        assert len(begun) == len(set(begun)), f"twice: {begun}"


run()
