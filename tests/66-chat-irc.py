#!/usr/bin/env python3
"""IRC: real servers, and what a person in a room sees of an agent."""

import signal

import manual
from chats import TEXT, Parrot, connected
from irc_servers import PASSWORD, Inspircd, Ngircd, Person
from lib import PATIENCE_S, ROOT, Box, cli, eventually, run, temp_dir, test
from servers import Upstream

ANYBODY = "access: [{who: any, channel: irc, mention: true, decision: allow}]\n"
OWNER = "people: [{name: Ada, relationship: owner, identities: ['irc:ada']}]\n"


def box_of(parrot, url, more="", adapter="", env=None, model="parrot"):
    path = temp_dir() / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{parrot.url}', protocol: openai, model: {model}}}]\n"
        f"adapters:\n  irc:\n    agent: model\n    url: {url}\n    nick: box\n"
        f"    rooms: ['#room']\n{adapter}{more}")
    return Box(args=["--config", str(path)], env=env)


def meet(person, nick="box", room="#room"):
    """In the room, with the box in it."""
    person.join(room)

    def is_there():
        person.send(f"NAMES {room}")
        return nick in person.wait_for(" 353 ").split(":")[-1].replace("@", "").split()
    eventually(is_there, every=0.2)


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def requests(box):
    return [s["payload"] for s in box.history("&type=nex.request")]


# --- the manual -----------------------------------------------------------------------


@test("docs/chat.md: with its configuration an agent is on a server, and answers there")
def _():
    blocks = [b.text for b in manual.Page(ROOT / "docs" / "chat.md").blocks if b.word == "yaml"]
    (adapter,) = [b for b in blocks if "ircs://irc.example.org" in b]
    (access,) = [b for b in blocks if "channel: irc" in b and b.startswith("access:")]
    with Parrot() as parrot, Ngircd() as server:
        adapter = adapter.replace("ircs://irc.example.org", f"irc://127.0.0.1:{server.port}")
        path = temp_dir() / "signalbox.yaml"
        path.write_text(
            f"sources: [{{id: parrot, url: '{parrot.url}', protocol: openai, model: parrot}}]\n" +
            "".join(l for l in adapter.splitlines(True) if "credential" not in l) + access)
        with Box(args=["--config", str(path)]) as box, Person(server.port, "ada") as ada:
            meet(ada, "parrot", "#workshop")
            ada.say("#workshop", "parrot: good morning")
            assert ada.hears(1) == [("parrot", "#workshop", "good morning")]
            ada.say("parrot", " /help")
            assert "/stop ends what runs" in ada.hears(1)[0][2]
            ada.say("#workshop", "good night, all")
            ada.say("#workshop", "parrot: /status")
            assert "session irc:irc:#workshop" in ada.hears(1)[0][2]
            eventually(lambda: any(r["status"] == "denied" for r in requests(box)))


# --- rooms and people -----------------------------------------------------------------


@test("who is spoken to in a room answers there, and who is not does not")
def _():
    with Parrot() as parrot, Ngircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box, \
            Person(server.port, "ada") as ada, Person(server.port, "bob") as bob:
        meet(ada)
        meet(bob)
        ada.say("#room", "good morning everybody")
        ada.say("#room", "\x0304box\x03: good **morning** to you")
        assert bob.hears(2)[1][2].endswith("to you")
        want = ("box", "#room", "good morning to you")
        assert bob.hears(1) == [want]
        assert ada.hears(1) == [want]
        eventually(lambda: len(requests(box)) == 2)
        assert sorted(r["status"] for r in requests(box)) == ["completed", "denied"]
        asked = [r for r in requests(box) if r["status"] == "completed"][0]
        assert asked["delivery"]["sender_id"] == "!ada", asked
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"])


@test("a long answer comes in lines that the server takes, in order and whole")
def _():
    parts = [" ".join(f"w\u00f6rd{i:03d}" for i in range(at, at + 45)) for at in (0, 45, 90)]
    text = " ".join(parts)
    with Parrot() as parrot, Ngircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box, \
            Person(server.port, "ada") as ada, Person(server.port, "bob") as bob:
        meet(ada)
        meet(bob)
        for part in parts:
            ada.say("box", part)  # which are one question
        got = ada.hears(1)
        while len(" ".join(line for _, _, line in got)) < len(text):
            got += ada.hears(1)
        assert " ".join(line for _, _, line in got) == text, got
        assert all(who == "box" and to == "ada" and len(line.encode()) <= 350
                   for who, to, line in got), got
        assert not bob.seen


@test("a program's notice and a CTCP are not answered, nor is what the box says itself")
def _():
    with Parrot() as parrot, Ngircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box, \
            Person(server.port, "ada") as ada:
        meet(ada)
        ada.send("NOTICE #room :box: hello")
        ada.say("box", "\x01VERSION\x01")
        ada.say("box", "\x02\x02")
        ada.say("box", "box: hello")
        assert ada.hears(1) == [("box", "ada", "hello")]
        eventually(lambda: len(requests(box)) == 1)


@test("a nick that is taken gets a mark, and a name that is gone fails with the server's words")
def _():
    with Parrot() as parrot, Ngircd() as server, Person(server.port, "box"), \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box, \
            Person(server.port, "ada") as ada:
        meet(ada, "box_")
        ada.say("#room", "box_: good morning")
        assert ada.hears(1) == [("box_", "#room", "good morning")]
        answer = box.request("POST", "/api/messages", {
            "channel": "irc", "peer": "nobody", "agent": "model", "text": "hello"})
        assert answer.status == 200, answer
        gone = eventually(lambda: [x for x in letters(box) if x["state"] == "failed"])
        assert "nick" in gone[0]["why"].lower(), gone


@test("a room that does not let the box in is told by signalbox channels")
def _():
    with Parrot() as parrot, Ngircd() as server, Person(server.port, "ada") as ada:
        ada.join("#room")
        ada.send("MODE #room +i")
        ada.wait_for(" MODE #room +i")
        with box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box:
            def channel():
                (c,) = [c for c in box.request("GET", "/api/channels").json()["channels"]
                        if c["name"] == "irc"]
                return c
            eventually(lambda: "the room #room does not let us in" in channel().get("why", ""))
            assert channel()["state"] == "connected", channel()
            done = cli("channels", "check", "irc", "--data", str(box.data))
            assert done.code == 1 and "bad   the room #room does not let us in: " in done.out, done
            assert "ok    the nick is box\n" in done.out, done
            ada.send("INVITE box #room")
            ada.send("MODE #room -i")
            server.kill()
            eventually(lambda: channel()["state"] == "away")
            eventually(lambda: f"irc: 127.0.0.1 port {server.port} cannot be reached" in box.log())
            server.open()
            eventually(lambda: channel()["state"] == "connected", within=2 * PATIENCE_S)
            eventually(lambda: "ok    the box is in #room\n" in cli(
                "channels", "check", "irc", "--data", str(box.data)).out)


@test("a server that dies and comes back finds the box again, with what waited")
def _():
    with Parrot() as parrot, Ngircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box:
        with Person(server.port, "ada") as ada:
            meet(ada)
            ada.say("box", "one")
            ada.hears(1)
            eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"])
        server.kill()
        answer = box.request("POST", "/api/messages", {
            "channel": "irc", "peer": "#room", "agent": "model", "text": "two"})
        assert answer.status == 200, answer
        eventually(lambda: len(letters(box)) == 2)
        assert letters(box)[-1]["state"] != "delivered"
        box.process.send_signal(signal.SIGSTOP)
        server.open()
        with Person(server.port, "ada") as ada:
            ada.join("#room")
            box.process.send_signal(signal.SIGCONT)
            got = ada.hears(1)
            assert got == [("box", "#room", "two")], got
        eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"] * 2)


@test("people who write at once get each their own answer, once, also over a lost connection")
def _():
    names = ("ada", "bob", "eve")

    def post_all(text):
        """To everybody, while the server says nothing: one is on its way, and the others wait."""
        server.running[0].send_signal(signal.SIGSTOP)
        for name in names:
            box.request("POST", "/api/messages", {"channel": "irc", "peer": name, "agent": "model",
                                                  "text": f"{text} {name}"})
        eventually(lambda: [x["state"] for x in letters(box)[-3:]] == ["started"] * 3)

    def are_delivered(count):
        return [x["state"] for x in letters(box)] == ["delivered"] * count

    with Parrot() as parrot, Ngircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box:
        connected(box)
        with Person(server.port, "ada") as ada, Person(server.port, "bob") as bob, \
                Person(server.port, "eve") as eve:
            meet(ada)
            for person in (ada, bob, eve):
                person.say("box", f"I am {person.nick}")
            for person in (ada, bob, eve):
                assert person.hears(1) == [("box", person.nick, f"I am {person.nick}")]
            eventually(lambda: are_delivered(3))
            post_all("hello")
            server.running[0].send_signal(signal.SIGCONT)
            for person in (ada, bob, eve):
                assert person.hears(1) == [("box", person.nick, f"hello {person.nick}")]
            eventually(lambda: are_delivered(6))
            for person in (ada, bob, eve):
                person.send("PING :last")
                person.wait_for("PONG")
                assert not person.seen, person.seen
        post_all("bye")
        server.kill()
        eventually(lambda: sorted(x["state"] for x in letters(box)[-3:])[:2] == ["queued"] * 2)
        box.process.send_signal(signal.SIGSTOP)
        server.open()
        with Person(server.port, "ada") as ada, Person(server.port, "bob") as bob, \
                Person(server.port, "eve") as eve:
            box.process.send_signal(signal.SIGCONT)
            eventually(lambda: are_delivered(9), within=2 * PATIENCE_S)
            heard = []
            for person in (ada, bob, eve):
                person.send("PING :last")
                person.wait_for("PONG")
                assert person.seen[-1][2] == f"bye {person.nick}", person.seen
                heard.append(len(person.seen))
            assert sorted(heard)[:2] == [1, 1], heard  # one may have come before: it says so


@test("who changes their nick is counted by where they write from")
def _():
    limited = ANYBODY.replace("allow}", "allow, rate: 2}")
    with Parrot() as parrot, Ngircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", limited) as box, \
            Person(server.port, "eve") as eve:
        connected(box)
        meet(eve)
        for nick in ("mallory", "trudy", "eve"):
            eve.say("box", f"I am not {nick}")
            eve.send(f"NICK {nick}")
            eve.wait_for(" NICK ")
            eventually(lambda: len(requests(box)) == ("mallory", "trudy", "eve").index(nick) + 1)
        assert [r["status"] for r in requests(box)][2] == "denied", requests(box)
        assert requests(box)[2]["access"]["rate_limited"]
        assert "127.0.0.1" not in str(requests(box)), "where somebody writes from is kept nowhere"


@test("a nick alone is nobody, also where people has it with its mark")
def _():
    with Parrot() as parrot, Ngircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", OWNER.replace("irc:ada", "irc:!ada")) as box, \
            Person(server.port, "ada") as ada:
        meet(ada)
        ada.say("box", "let me in")
        eventually(lambda: [r["status"] for r in requests(box)] == ["denied"])


@test("a program that the server calls one is not answered, and two that do not say so end")
def _():
    with Parrot() as parrot, Inspircd() as server, \
            box_of(parrot, f"irc://127.0.0.1:{server.port}", ANYBODY) as box, \
            Person(server.port, "robot") as robot, Person(server.port, "ada") as ada:
        connected(box)
        meet(ada)
        meet(robot)
        robot.send("MODE robot +B")
        robot.wait_for(" MODE robot ")
        robot.say("#room", "box: hello")
        ada.say("#room", "box: good morning")
        assert ada.hears(2)[1] == ("box", "#room", "good morning")
        eventually(lambda: len(requests(box)) == 1)
        assert requests(box)[0]["delivery"]["sender_name"] == "ada"


# --- accounts ---------------------------------------------------------------------------


@test("by TLS and SASL: an account is somebody, and a nick alone is anybody")
def _():
    with Parrot() as parrot, Inspircd() as server:
        server.register("box")
        server.register("ada")
        env = {"SSL_CERT_FILE": str(server.place / "cert.pem"), "IRC_PASSWORD": PASSWORD}
        with box_of(parrot, f"ircs://localhost:{server.secure}", OWNER,
                    "    credential: ${IRC_PASSWORD}\n", env) as box:
            with Person(server.port, "lovelace", "ada") as ada, \
                    Person(server.port, "ada") as impostor:
                meet(ada)
                meet(impostor)
                impostor.say("box", "let me in")
                eventually(lambda: [r["status"] for r in requests(box)] == ["denied"])
                assert requests(box)[0]["delivery"]["sender_id"] == "!ada"
                ada.say("box", "good morning")
                got = ada.hears(1)
                assert got == [("box", "lovelace", "good morning")], got
                ada.send("WHOIS box")
                assert ada.wait_for(" 330 ").split()[4] == "box"
                assert not impostor.seen
            assert PASSWORD not in box.log()


@test("an answer goes to the account that asked, and to nobody else who has its nick by then")
def _():
    with Upstream() as up, Inspircd() as server:
        server.register("ada")
        with box_of(up, f"irc://127.0.0.1:{server.port}", OWNER,
                    "    streaming: {mode: accumulate}\n", model="model-a") as box:
            connected(box)
            with Person(server.port, "lovelace", "ada") as ada:
                meet(ada)
                ada.say("box", "good day")
                assert ada.hears(1) == [("box", "lovelace", TEXT)]
                eventually(lambda: [x["state"] for x in letters(box)] == ["delivered"])
                assert letters(box)[0]["peer"] == "lovelace!ada", letters(box)
                ada.say("box", "gated please")
                eventually(lambda: len(up.of("/v1/chat/completions")) == 2)
                ada.send("NICK countess")
                ada.wait_for(" NICK ")
                with Person(server.port, "lovelace") as impostor:
                    meet(impostor)
                    up.gate.set()
                    lost = eventually(lambda: [x for x in letters(box)
                                               if x["state"] == "failed"])
                    assert lost[0]["why"] == ("the nick lovelace is not of the account ada "
                                              "any more"), lost
                    impostor.say("#room", "this is all that I saw")
                    assert ada.hears(1)[0][2] == "this is all that I saw"
                    assert not impostor.seen and not ada.seen
                ada.wait_for(" QUIT ")
                up.gate.clear()
                ada.send("NICK lovelace")
                ada.wait_for(" NICK ")
                box.request("POST", f"/api/deliveries/{lost[0]['id']}/retry")
                assert ada.hears(1) == [("box", "lovelace", TEXT)]


@test("a wrong password and a server without SASL are told, and a password goes by TLS only")
def _():
    with Parrot() as parrot, Inspircd() as server, Ngircd() as old:
        server.register("box")
        env = {"SSL_CERT_FILE": str(server.place / "cert.pem"), "IRC_PASSWORD": "wrong-one"}
        secret = "    credential: ${IRC_PASSWORD}\n"
        for url, words in ((f"ircs://localhost:{server.secure}", "the credential is wrong"),
                           (f"irc://127.0.0.1:{old.port}", "the server has no SASL"),
                           ("irc://irc.example", "a credential goes by ircs:// only"),
                           (f"ircs://127.0.0.1:{server.secure}", "certificate")):
            with box_of(parrot, url, OWNER, secret, env) as box:
                eventually(lambda: words in box.log())
                assert "wrong-one" not in box.log()


run()
