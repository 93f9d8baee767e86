#!/usr/bin/env python3
"""Chats outside of the box: programs that keep to the contract, and programs that do not."""

import datetime
import json
import os
import re
import signal
import subprocess
import sys
import time

from chats import Parrot, kill_again
from lib import PATIENCE_S, ROOT, Box, cli, eventually, run, temp_dir, test
from servers import Upstream

PEOPLE = "people: [{name: Ada, relationship: owner, identities: ['pigeon:ada']}]\n"
SECRET = "correct-horse-battery"


class Chat:
    """A box with one outside adapter, `post`, of the channel `pigeon`."""

    def __init__(self, parrot, supports="monitor,send,stdin", command=None, more="",
                 channel="pigeon"):
        self.place = temp_dir()
        (self.place / "in").touch()
        command = command or [sys.executable, str(ROOT / "tests/chat_adapter.py"),
                              str(self.place), supports]
        path = self.place / "signalbox.yaml"
        path.write_text(
            f"sources: [{{id: parrot, url: '{parrot.url}', protocol: openai, model: parrot}}]\n"
            f"adapters:\n  post:\n    channel: {channel}\n    agent: parrot\n"
            f"    command: {json.dumps(command)}\n    credential: '${{PIGEON_SECRET}}'\n"
            f"    nick: pigeon-1\n    rooms: [one, two]\n{more}"
            f"{PEOPLE.replace('pigeon', channel)}")
        self.box = Box(args=["--config", str(path)],
                       env={**os.environ, "PIGEON_SECRET": SECRET})

    def __enter__(self):
        self.box.__enter__()
        return self

    def __exit__(self, *rest):
        self.box.__exit__(*rest)

    def notes(self, key):
        path = self.place / "out"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(x) for x in lines if key in json.loads(x)]

    def write(self, text, id, sender="ada", **more):
        with open(self.place / "in", "a") as out:
            out.write(json.dumps({"event_id": f"pigeon:{id}", "timestamp": 1, "content": text,
                                  "content_type": "text", "channel": "pigeon",
                                  "account_id": "root", "sender_id": sender,
                                  "peer_id": sender, "peer_kind": "dm", **more}) + "\n")

    def mode(self, word):
        (self.place / "mode").write_text(word)

    def kept(self):
        path = self.place / "kept"
        return list(json.loads(path.read_text()).values()) if path.exists() else []

    def told(self, kind):
        return [n["told"] for n in self.notes("told") if n["told"]["type"] == kind]

    def letters(self):
        return self.box.request("GET", "/api/deliveries").json()["deliveries"]

    def states(self):
        return [x["state"] for x in self.letters()]

    def lives(self):
        return self.box.request("GET", "/healthz").status == 200


# --- the contract -----------------------------------------------------------------------


@test("an adapter in 30 lines, as the manual has it, is a chat")
def _():
    page = (ROOT / "docs/adapters.md").read_text()
    program = re.search(r"```python\n(#!.*?)```", page, re.S).group(1)
    assert len(program.splitlines()) <= 30, len(program.splitlines())
    path = temp_dir() / "notes"
    path.write_text(program)
    path.chmod(0o755)
    with Parrot() as parrot, Chat(parrot, command=[str(path)]) as chat:
        data = chat.box.data
        eventually(lambda: (data / "said").exists())
        with open(data / "said", "a") as said:
            said.write("ada good morning\n")
        eventually(lambda: (data / "heard").exists()
                   and (data / "heard").read_text() == "ada good morning\n")
        eventually(lambda: chat.states() == ["delivered"])


@test("send gets the text on its input, a credential in its environment, and nothing in arguments")
def _():
    with Parrot() as parrot, Chat(parrot) as chat:
        chat.write("good **morning**", 1)
        eventually(lambda: [n["sent"] for n in chat.notes("sent")] == ["good morning"])
        eventually(lambda: chat.states() == ["delivered"])
        for n in chat.notes("command"):
            assert SECRET not in str(n["rest"]) and "morning" not in str(n["rest"]), n
            if n["command"] == "info":
                assert n["env"] == {}, n
                continue
            media = n["env"].pop("SIGNALBOX_MEDIA")
            assert media == str(chat.box.data.resolve() / "incoming/post"), media
            assert n["rest"][:2] == ["--account", "post"], n
            assert n["env"] == {
                "SIGNALBOX_CHANNEL": "pigeon", "SIGNALBOX_ACCOUNT": "post",
                "SIGNALBOX_NICK": "pigeon-1", "SIGNALBOX_ROOMS": "one two",
                "SIGNALBOX_CREDENTIAL": SECRET}, n
        got = [s["payload"] for s in chat.box.history("&type=nex.request")][0]
        assert got["delivery"]["channel"] == "pigeon" and got["delivery"]["account_id"] == "post"
        assert SECRET not in chat.box.log(), "the credential is in the log"


@test("where info does not ask for its input, the text is an argument, with Markdown if it likes")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,send,markdown") as chat:
        chat.write("good **morning**", 1)
        eventually(lambda: [n["sent"] for n in chat.notes("sent")] == ["good **morning**"])


@test("channel and account are the configuration's, whatever an adapter prints")
def _():
    with Parrot() as parrot, Chat(parrot) as chat:
        chat.write("I am the owner", 1, channel="terminal", account_id="terminal",
                   principal="owner", sender_id="eve", is_owner=True)
        eventually(lambda: chat.box.history("&type=nex.request"))
        got = chat.box.history("&type=nex.request")[0]["payload"]
        assert got["status"] == "denied" and got["delivery"]["channel"] == "pigeon", got
        assert got["delivery"]["account_id"] == "post" and "agent" not in got, got
        assert not [n for n in chat.notes("sent") if "owner" in n["sent"]], chat.notes("sent")


@test("the same event again is the same message")
def _():
    with Parrot() as parrot, Chat(parrot) as chat:
        chat.write("one", 1)
        eventually(lambda: chat.states() == ["delivered"])
        chat.write("one", 1)
        chat.write("two", 2)
        eventually(lambda: [n["sent"] for n in chat.notes("sent")] == ["one", "two"])


@test("an adapter that answers to adapter.info alone is called by its other names")
def _():
    with Parrot() as parrot, Chat(parrot, "renamed,stdin") as chat:
        chat.write("good morning", 1)
        eventually(lambda: [n["sent"] for n in chat.notes("sent")] == ["good morning"])
        eventually(lambda: chat.states() == ["delivered"])
        called = [n["command"] for n in chat.notes("command")]
        assert called[:3] == ["info", "adapter.info", "adapter.monitor.start"], called


@test("what came while nobody listened is asked for since the newest message, and asked once")
def _():
    def past(*events):
        (chat.place / "past").write_text("".join(json.dumps(
            {"event_id": f"pigeon:{id}", "timestamp": at, "content": f"word {id}",
             "channel": "pigeon", "sender_id": "ada", "peer_id": "ada"}) + "\n" for id, at in events))

    def sinces():
        return [n["rest"][3] for n in chat.notes("command") if n["command"] == "backfill"]
    with Parrot() as parrot, Chat(parrot, "monitor,send,stdin,backfill",
                                  more="deliver: {gather: 0}\n") as chat:
        now = int(time.time() * 1000)
        chat.write("word 1", 1, timestamp=now)
        eventually(lambda: chat.states() == ["delivered"])
        ended = eventually(lambda: chat.box.history("&type=nex.request"))[0]["seq"]
        eventually(lambda: chat.box.request("GET", "/api/status").json()["durableSeq"] >= ended)
        assert sinces() == [], "there was nothing to go on from"
        chat.mode("no past")  # the first time it fails, and the gap stays
        past((1, now), (2, now + 1), (3, now - 25 * 3600 * 1000), (4, now + 2))
        kill_again(chat.box)
        eventually(lambda: len(chat.states()) == 3 and set(chat.states()) == {"delivered"})
        assert "the backfill of the adapter post failed" in chat.box.log()
        sent = [n["sent"] for n in chat.notes("sent")]
        assert sent == ["word 1", "word 2", "word 4"], (sent, chat.states())
        assert len(sinces()) == 2 and len(set(sinces())) == 1, sinces()
        since = datetime.datetime.fromisoformat(sinces()[0].replace("Z", "+00:00"))
        assert now / 1000 - 62 < since.timestamp() <= now / 1000 - 59, (since, now)
        past((1, now), (2, now + 1), (4, now + 2), (5, now + 3))
        begun = [n for n in chat.notes("command") if n["command"] == "monitor"]
        os.kill(begun[-1]["pid"], signal.SIGKILL)
        eventually(lambda: [n["sent"] for n in chat.notes("sent")][3:] == ["word 5"])
        eventually(lambda: chat.states() == ["delivered"] * 4)


@test("files of people lie in a directory that the box gives, and no path leads out of it")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,send,stdin") as chat:
        media = chat.box.data.resolve() / "incoming/post"
        eventually(lambda: media.is_dir())
        assert media.stat().st_mode & 0o777 == 0o700
        (media / "a").write_bytes(b"x" * 50)
        outside = temp_dir() / "secret"
        outside.write_text("secret")
        (media / "link").symlink_to(outside)
        chat.write("one", 1, attachments=[{"id": "1", "filename": "a.txt", "path": str(media / "a"),
                                           "content_type": "text/plain", "size_bytes": 50}])
        eventually(lambda: set(chat.states()) == {"delivered"})
        (got,) = (chat.box.data / "media").glob("*/*")
        assert got.read_bytes() == b"x" * 50 and got.name == "1-a.txt", got
        received = chat.box.history("&type=nex.request")[0]["payload"]["event"]
        assert received["attachments"][0]["path"] == str(got.resolve()), received
        for number, where in enumerate(("link", str(outside), "../../state", "none"), 2):
            chat.write(f"see {number}", number, attachments=[{"filename": "b", "path": where}])
            eventually(lambda: len(chat.box.history("&type=nex.request")) == number)
            request = chat.box.history("&type=nex.request")[-1]["payload"]
            (file,) = request["event"]["attachments"]
            assert "path" not in file and file["why"], request
        assert len(list((chat.box.data / "media").glob("*/*"))) == 1
        eventually(lambda: sum("b did not reach the agent" in n["sent"]
                               for n in chat.notes("sent")) == 4)


@test("a check says what the adapter can, how its platform stands, and names its accounts")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,send,stdin,health,accounts") as chat:
        eventually(lambda: [n for n in chat.notes("command") if n["command"] == "monitor"])
        done = cli("channels", "check", "post", "--data", str(chat.box.data))
        assert done.code == 0, done
        for words in ("the adapter Test can: monitor, send, health, accounts",
                      "its platform is connected",
                      "its accounts are post (Pigeon Post), spare (error)"):
            assert f"ok    {words}\n" in done.out, done


@test("the accounts that an adapter knows are shown with its channel")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,send,stdin,accounts") as chat:
        def known():
            all = chat.box.request("GET", "/api/channels").json()["channels"]
            return [c.get("accounts") for c in all if c["name"] == "post"][0]
        eventually(lambda: known() == [{"id": "post", "name": "Pigeon Post"},
                                       {"id": "spare", "status": "error"}])
        done = cli("channels", "--data", str(chat.box.data))
        assert "post knows these accounts: post (Pigeon Post), spare (error)\n" in done.out, done


@test("a refusal ends a delivery with its words, a limit is waited for")
def _():
    with Parrot() as parrot, Chat(parrot) as chat:
        chat.mode("limit")
        chat.write("one", 1)
        eventually(lambda: chat.states() == ["delivered"])
        assert len(chat.notes("sent")) == 2
        chat.mode("refuse")
        chat.write("two", 2)
        gone = eventually(lambda: [x for x in chat.letters() if x["state"] == "failed"])
        assert gone[0]["why"] == "nobody is called so", gone


@test("a stream is told messages one after the other, and long ones in pieces")
def _():
    words = " ".join(f"word{i:03d}" for i in range(40))
    with Parrot() as parrot, Chat(parrot, "monitor,stream,stdin") as chat:
        chat.write(words, 1)
        eventually(lambda: chat.states() and set(chat.states()) == {"delivered"}
                   and len(" ".join(chat.kept())) >= len(words))
        assert " ".join(chat.kept()) == words, chat.kept()
        assert all(len(x) <= 100 for x in chat.kept()), chat.kept()
        kinds = [n["told"]["type"] for n in chat.notes("told")]
        once = [k for i, k in enumerate(kinds) if k != "token" or kinds[i - 1] != "token"]
        assert once == ["stream_start", "token", "stream_end"] * len(chat.kept()), kinds
        target = chat.told("stream_start")[0]["target"]
        assert target == {"channel": "pigeon", "account_id": "post", "to": "ada",
                          "reply_to_id": "1"}, target


def tokens(chat):
    return "".join(t["text"] for t in chat.told("token"))


@test("where a message cannot be edited, a stream gets the words as they come, once each")
def _():
    words = "slowly one **two** three four five"
    with Parrot() as parrot, Chat(parrot, "monitor,stream,markdown") as chat:
        chat.write(words, 1)
        eventually(lambda: "one" in tokens(chat))
        assert not chat.told("stream_end") and not chat.kept(), chat.notes("told")
        assert chat.states() == ["started"], chat.letters()
        eventually(lambda: chat.states() == ["delivered"])
        assert tokens(chat) == words and chat.kept() == [words], chat.notes("told")
        assert len(chat.told("token")) > 2, chat.notes("told")
        assert len(chat.told("stream_start")) == len(chat.told("stream_end")) == 1
        request = eventually(lambda: chat.box.history("&type=nex.request"))[0]["payload"]
        assert request["delivery_result"]["streamed"], request
        assert request["delivery_result"]["message_ids"] == [chat.told("stream_end")[0]["runId"]]


@test("where marks are not shown, a line that has some is told when its marks are known")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream") as chat:
        chat.write("slowly one **two three** four", 1)
        eventually(lambda: "one" in tokens(chat))
        eventually(lambda: chat.states() == ["delivered"])
        assert tokens(chat) == "slowly one two three four", chat.notes("told")
        assert chat.kept() == ["slowly one two three four"], chat.kept()


@test("a stream that is stopped says so with what was said, which stays")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream", more="deliver: {gather: 0}\n") as chat:
        chat.write("slowly " + "word " * 100, 1)
        eventually(lambda: "word" in tokens(chat))
        chat.write("/stop", 2)
        (broken,) = eventually(lambda: chat.told("stream_error"))
        told = [n["told"] for n in chat.notes("told")]
        words = [t["text"] for t in told[:told.index(broken)] if t["type"] == "token"]
        assert broken["partial"] == "".join(words) and broken["error"], told
        assert broken["runId"] == chat.told("stream_start")[0]["runId"]
        eventually(lambda: chat.kept() and chat.kept()[0] == broken["partial"])
        eventually(lambda: set(chat.states()) == {"delivered"})
        request = chat.box.history("&type=nex.request")[0]["payload"]
        assert request["response"]["stop_reason"] == "aborted", request


@test("a stream that dies while words come loses none: they come again, whole, and say so")
def _():
    words = "slowly one two three four five"
    with Parrot() as parrot, Chat(parrot, "monitor,stream") as chat:
        chat.mode("die at a token")
        chat.write(words, 1)
        eventually(lambda: chat.states() == ["delivered"])
        assert chat.kept() == [f"(again, after a restart)\n{words}"], chat.kept()


@test("a chat that waits for the stream gets its turn: the message that grows is ended")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream") as chat:
        chat.write("slowly " + "word " * 9, 1)
        eventually(lambda: "word" in tokens(chat))
        answer = chat.box.request("POST", "/api/messages", {
            "channel": "post", "peer": "eve", "agent": "parrot", "text": "hello"})
        assert answer.status == 200, answer
        eventually(lambda: "hello" in chat.kept())
        eventually(lambda: len(chat.kept()) == 3 and set(chat.states()) == {"delivered"})
        first, hello, rest = chat.kept()
        assert hello == "hello" and first + " " + rest == "slowly " + "word " * 8 + "word"
        peers = [s["target"]["to"] for s in chat.told("stream_start")]
        assert peers == ["ada", "eve", "ada"], peers


@test("where messages can be edited, a reply grows in one, with typing before it")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream,edit,delete,typing") as chat:
        chat.write("slowly " + "this is a word or two of it " * 2, 1)
        eventually(lambda: chat.told("typing"))
        eventually(lambda: chat.states() == ["delivered"])
        assert len(chat.kept()) == 1 and chat.kept()[0].endswith("of it"), chat.kept()
        edits = [s["target"].get("message_id") for s in chat.told("stream_start")]
        assert len(edits) > 2 and edits[0] is None and len(set(edits[1:])) == 1, edits
        eventually(lambda: not chat.told("typing")[-1]["shows"])


@test("a draft that is not to be said is taken away, or says no more what it said")
def _():
    for supports, left, told in (("edit,delete", [], 1), ("edit", ["(removed)"], 0)):
        with Upstream() as up, Chat(up, f"monitor,stream,{supports}",
                                    more="deliver: {gather: 0}\n") as chat:
            chat.write("slow please", 1)
            eventually(lambda: chat.box.history("&type=text_delta"))
            run = chat.box.history("&type=nex.received")[0]["payload"]["request"]
            for text in (" is a text that is long enough", "\n\nNO_REPLY"):
                chat.box.emit("text_delta", source="parrot", correlationId=run, payload={
                    "agentId": "parrot", "content": text})
                eventually(lambda: "Hello is a text that is long enough" in chat.kept())
            chat.box.emit("completion", source="parrot", correlationId=run, payload={
                "agentId": "parrot", "taskId": run, "success": True})
            eventually(lambda: chat.states() == ["withdrawn"])
            assert chat.kept() == left and len(chat.told("message_delete")) == told, chat.kept()


@test("imessage shows no typing and is sent whole, whatever its adapter can do")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream,edit,typing",
                                  channel="imessage") as chat:
        chat.write("slowly one two three", 1)
        eventually(lambda: chat.states() == ["delivered"])
        assert chat.kept() == ["slowly one two three"]
        assert not chat.told("typing") and len(chat.told("stream_start")) == 1


@test("a stream that dies with a message is asked whether it is there: it is there once")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream,reconcile") as chat:
        for number, mode in enumerate(("die before", "die after") * 2):
            chat.mode(mode)
            chat.write(f"word {number}", number)
            eventually(lambda: chat.states() == ["delivered"] * (number + 1))
            assert not (chat.place / "mode").exists()
        assert chat.kept() == [f"word {i}" for i in range(4)], chat.kept()
        asked = chat.told("message_find")
        assert asked and all(abs(a["since"] / 1000 - time.time()) < 3600 for a in asked), asked


@test("where nobody can tell, it comes again and says so")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream", channel="whatsapp") as chat:
        chat.mode("die before")
        chat.write("one", 1)
        eventually(lambda: chat.states() == ["delivered"])
        assert chat.kept() == ["(again, after a restart)\none"], chat.kept()


@test("a box that is killed while it delivers finds out what is there")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream,reconcile",
                                  channel="whatsapp") as chat:
        for number in range(5):
            answer = chat.box.request("POST", "/api/messages", {
                "channel": "post", "peer": "ada", "agent": "parrot", "text": f"word {number}"})
            assert answer.status == 200, answer
            eventually(lambda: len(chat.box.history("&type=delivery.prepared")) > number)
            time.sleep(0.01 * number)
            kill_again(chat.box)
        eventually(lambda: len(chat.box.history("&type=nex.request")) == 5)
        texts = [x for x in chat.kept() if "please ask again" not in x]
        assert len(texts) == len(set(texts)), chat.kept()
        assert not [x for x in texts if "again" in x], chat.kept()


@test("a monitor or a stream that is killed is begun again")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream") as chat:
        for number, command in enumerate(("monitor", "stream")):
            begun = eventually(lambda: [n for n in chat.notes("command")
                                        if n["command"] == command])
            os.kill(begun[-1]["pid"], signal.SIGKILL)
            eventually(lambda: len([n for n in chat.notes("command")
                                    if n["command"] == command]) > len(begun))
            chat.write("hello", number)
            eventually(lambda: chat.states() == ["delivered"] * (number + 1))


@test("programs end with the box")
def _():
    with Parrot() as parrot, Chat(parrot, "monitor,stream") as chat:
        begun = eventually(lambda: [n["pid"] for n in chat.notes("command")][2:] and
                           [n["pid"] for n in chat.notes("command")])
    for pid in begun:
        assert not os.path.exists(f"/proc/{pid}") or "chat_adapter" not in open(
            f"/proc/{pid}/cmdline").read(), pid


LASTING = """if [ "$1" = info ]; then
    echo '{"supports":["monitor","stream","health","backfill"]}'; exit
fi
trap '' TERM
echo $$ >> pids
sleep 600 & echo $! >> pids
wait
wait
"""


def is_of(pid):
    """Has it ended?  A number that is given out again is of another program."""
    try:
        words = open(f"/proc/{pid}/cmdline").read()
    except OSError:
        return False
    return "sleep" in words or "adapter" in words


@test("programs that look at no end of their input are killed with a box that is killed")
def _():
    with Parrot() as parrot, Chat(parrot, command=script(LASTING)) as chat:
        file = chat.box.data / "pids"
        pids = eventually(lambda: file.exists() and len(file.read_text().split()) >= 6
                          and file.read_text().split())
        assert all(is_of(pid) for pid in pids), pids
        chat.box.kill9()
        eventually(lambda: not any(is_of(pid) for pid in pids))
        chat.box.start()


# --- bad input ----------------------------------------------------------------------------


def script(body):
    path = temp_dir() / "adapter.sh"
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)
    return [str(path)]


INFO = """[ "$1" != info ] || { echo '{"supports":["monitor","stream"]}'; exit; }
"""


def survives(body, told, again=True):
    """A box with that program lives, says what is wrong, and delivers nothing."""
    with Parrot() as parrot, Chat(parrot, command=script(body)) as chat:
        answer = chat.box.request("POST", "/api/messages", {
            "channel": "post", "peer": "ada", "agent": "parrot", "text": "hello"})
        assert answer.status == 200, answer
        eventually(lambda: told in chat.box.log())
        eventually(lambda: chat.letters())
        assert "delivered" not in chat.states(), chat.states()
        assert chat.lives()


@test("a program that says nothing is survived")
def _():
    survives("exit 0\n", "info: it says nothing")


@test("a program that dies at once is survived")
def _():
    survives("exit 3\n", "ended with status 3")


@test("a program that is not there is survived")
def _():
    with Parrot() as parrot, Chat(parrot, command=["/nowhere/at/all"]) as chat:
        eventually(lambda: "the adapter post is not there" in chat.box.log())
        assert chat.lives()


@test("a program that prints garbage is survived, and ended when it does nothing else")
def _():
    survives(INFO + "yes '{garbage'\n", "it prints garbage")


@test("a program that prints lines of 10 MiB, and one without end, is survived")
def _():
    survives(INFO + "head -c 10485760 /dev/zero | tr '\\0' x; echo; head -c 10485760 /dev/zero"
             " | tr '\\0' '{'; echo; sleep 1000\n", "it is too long")
    survives("cat /dev/zero\n", "its answer is too long")


@test("good lines between bad ones count")
def _():
    body = INFO + """[ "$1" = monitor ] || exec sleep 1000
printf 'garbage\\n\\000\\377\\n[]\\n{"event_id":1}\\n'
head -c 3000000 /dev/zero | tr '\\0' x; echo
echo '{"event_id":"1","content":"hi","sender_id":"eve"}'
exec sleep 1000
"""
    with Parrot() as parrot, Chat(parrot, command=script(body)) as chat:
        eventually(lambda: chat.box.history("&type=nex.received"))
        assert len(chat.box.history("&type=nex.received")) == 1


@test("a program that never ends is ended: SIGTERM, then SIGKILL")
def _():
    place = temp_dir()
    body = (INFO + f"trap '' TERM\necho $$ >> {place}/pids\n"
            "while :; do sleep 0.1; done\n")
    with Parrot() as parrot, Chat(parrot, command=script(body)) as chat:
        eventually(lambda: (place / "pids").exists()
                   and len((place / "pids").read_text().split()) == 2)
        assert chat.lives()
    for pid in (place / "pids").read_text().split():
        assert not os.path.exists(f"/proc/{pid}/cmdline") or "adapter.sh" not in open(
            f"/proc/{pid}/cmdline").read(), pid


@test("a channel that is none and has no command is refused, as is one of the box with a command")
def _():
    path = temp_dir() / "c.yaml"
    for text, words in (("adapters: {post: {channel: pigeon}}\n", "command"),
                        ("adapters: {irc: {command: [x]}}\n", "irc needs no 'command'")):
        path.write_text(text)
        done = subprocess.run([os.environ.get("SIGNALBOX") or str(ROOT / "build/signalbox"),
                               "check", "--config", str(path)], capture_output=True,
                              text=True, timeout=PATIENCE_S)
        assert done.returncode != 0 and words in done.stderr + done.stdout, done


@test("files of agents go by send where the adapter takes some, and behind the texts of its stream")
def _():
    files = temp_dir()
    (files / "map.png").write_bytes(b"png")
    for supports in ("monitor,send,stdin,stream,media", "monitor,send,media", "monitor,stream"):
        with Upstream() as up, Chat(
                up, supports, more="    streaming: {mode: accumulate}\n"
                f"deliver: {{gather: 0}}\nmedia: {{send: true, directory: {files}}}\n") as chat:
            chat.write("slow please", 1)
            eventually(lambda: up.of("/v1/chat/completions"))
            turn = chat.box.history("&type=nex.received")[0]["payload"]["request"]
            box = chat.box
            box.emit("agent.media", source="parrot", correlationId=turn,
                     payload={"agentId": "parrot", "mediaUrl": "map.png"})
            box.emit("completion", source="parrot", correlationId=turn,
                     payload={"agentId": "parrot", "taskId": turn, "success": True})
            eventually(lambda: box.history("&type=nex.request"))
            said = [n["sent"] for n in chat.notes("sent")] + chat.kept()
            if "media" in supports:
                (note,) = chat.notes("media")
                assert note["media"] == "1-map.png" and note["bytes"] == 3, note
                assert note["id"].endswith("/2") and "Hello" in said, (note, said)
            else:
                assert said == ["Hello\n\n[picture: map.png]"] and not chat.notes("media"), said


run()
