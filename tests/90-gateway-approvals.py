#!/usr/bin/env python3
"""Prompts in the gateway dialect: approvals and questions, told, listed and answered.

What people allow they have seen whole; the first who answers, on any screen, has decided.
"""

import threading
import time

from doors import config_box
from gateway_clients import (CLIENT, READ, WRITE, Key, Screen, add_model, judge_all, say, sign,
                             text)
from lib import Box, eventually, run, test
from servers import Upstream

APPROVALS, QUESTIONS = "operator.approvals", "operator.questions"
ALL = [READ, WRITE, APPROVALS, QUESTIONS]
RULE = "Bash(make *) in this project"
WRITES = f"\nAllow always writes: {RULE}"
ALWAYS = {"label": "Allow always", "value": "always", "rule": RULE, "needs": "control"}
TOOL = [{"label": "Allow", "value": "allow"}, ALWAYS,
        {"label": "Deny", "value": "deny", "safe": True},
        {"label": "Deny and stop", "value": "stop"}]


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def ask(box, run="r", **payload):
    """The id of a prompt that an agent asks."""
    before = {p["id"] for p in prompts(box)}
    say(box, run, "prompt", payload)
    return eventually(lambda: [p["id"] for p in prompts(box) if p["id"] not in before])[0]


def ask_command(box, command="make", run="r", options=TOOL, **input):
    input = {"command": command, **input}
    words = "Bash: " + command + "".join(f"\n{k}: {v}" for k, v in input.items() if k != "command")
    return ask(box, run, type="select", prompt=words, tool="Bash", input=input, options=options)


def ask_tool(box, words="Write: /etc/motd", run="r", options=TOOL, **more):
    return ask(box, run, type="select", prompt=words, tool="Write", input={"path": "/etc/motd"},
               options=options, **more)


def answer(box, id, value):
    return box.request("POST", f"/api/prompts/{id}/answer", {"value": value})


class Person(Screen):
    """A client that may answer."""

    def __init__(self, box, protocol=4, **more):
        super().__init__(box)
        self.hello(protocol, **{"scopes": ALL, **more})

    def told(self, event, id):
        return self.until(lambda e: e["event"] == event and e["payload"]["id"] == id)["payload"]

    def good(self, method, params=None):
        answer = self.ask(method, params)
        assert answer["ok"], answer
        return answer["payload"]

    def bad(self, method, params=None):
        answer = self.ask(method, params)
        assert not answer["ok"], answer
        return answer["error"]

    def here(self):
        """Everything that was said before this has been heard."""
        self.good("health")
        return [e["event"] for e in self.events if ".approval." in e["event"]
                or e["event"].startswith("question.")]


def value_of(box, id):
    """What the box has as the answer of a prompt."""
    def there():
        for s in box.history():
            if s["type"] == "answer" and s["payload"]["prompt"] == id:
                return s["payload"]
        return None
    return eventually(there)


# --- approvals ------------------------------------------------------------------


@test("every kind of client hears of approvals, of who is here and of heartbeats, live")
def _():
    positions = ["signalbox-positions", "session-scoped-events"]
    with Box() as box, Person(box) as plain, Person(box, 3) as old, \
            Person(box, caps=positions[1:]) as scoped, Person(box, caps=positions[:1]) as exact, \
            Person(box, caps=positions) as both, Person(box, caps=positions) as quiet:
        for one in (exact, both):
            one.good("events.subscribe", {})
        id = ask_command(box)
        box.emit({"type": "heartbeat", "source": "claw", "payload": {"status": "sent"}})
        answer(box, id, "deny")
        with Person(box, client={**CLIENT, "displayName": "the last"}):
            for one in (plain, old, scoped, exact, both):
                assert one.told("exec.approval.requested", id)["id"] == id
                assert one.told("exec.approval.resolved", id)["decision"] == "deny"
                one.until(lambda e: e["event"] == "presence" and any(
                    p.get("host") == "the last" for p in e["payload"]["presence"]))
                one.until(lambda e: e["event"] == "heartbeat")
        assert not quiet.here() and not quiet.events, quiet.events  # it did not subscribe


@test("a command that waits is an exec approval, and its answer goes to its agent")
def _():
    with Box() as box, Person(box) as person:
        say(box, "r", "task_dispatch", {"taskId": "t", "from": "me", "to": "bot",
                                        "description": "go"})
        id = ask_command(box, "make all", description="Builds it", cwd="/work")
        asked = person.told("exec.approval.requested", id)
        request = asked["request"]
        assert request["command"] == "make all" + WRITES and request["cwd"] == "/work", request
        assert request["allowedDecisions"] == ["allow-once", "allow-always", "deny"], request
        assert request["runId"] == "r" and request["sessionKey"] == "agent:script:r", request
        assert request["agentId"] == "script", request
        now = time.time() * 1000
        assert now - 60_000 < asked["createdAtMs"] < now + 60_000 < asked["expiresAtMs"], asked
        (listed,) = person.good("exec.approval.list", {})
        assert listed["id"] == id and listed["request"] == request, listed
        assert person.good("plugin.approval.list", {}) == []
        got = person.good("exec.approval.get", {"id": id})
        assert got["commandText"] == "make all" + WRITES and got["agentId"] == "script", got
        assert person.good("exec.approval.resolve", {"id": id, "decision": "allow-once"}) == {
            "ok": True}
        told = person.told("exec.approval.resolved", id)
        assert told["decision"] == "allow-once" and told["resolvedBy"].endswith("(gateway)"), told
        assert value_of(box, id)["value"] == "allow"
        assert person.good("exec.approval.list", {}) == [] and prompts(box) == []


@test("what is no command is a plugin approval; each kind has its own methods")
def _():
    with Box() as box, Person(box) as person:
        id = ask_tool(box)
        name = f"plugin:{id}"
        request = person.told("plugin.approval.requested", name)["request"]
        assert request["title"] == "Write" and request["toolName"] == "Write", request
        assert request["description"] == "Write: /etc/motd" + WRITES, request
        assert request["severity"] == "warning", request
        assert [a["id"] for a in person.good("plugin.approval.list", {})] == [name]
        assert person.good("exec.approval.list", {}) == []
        error = person.bad("exec.approval.resolve", {"id": name, "decision": "deny"})
        assert error["message"] == "unknown or expired approval id", error
        assert error["details"]["reason"] == "APPROVAL_NOT_FOUND", error
        assert person.good("plugin.approval.resolve", {"id": name, "decision": "deny"})["ok"]
        assert person.told("plugin.approval.resolved", name)["decision"] == "deny"
        assert value_of(box, id)["value"] == "deny"


@test("a yes or no is a plugin approval without a rule")
def _():
    with Box() as box, Person(box) as person:
        id = ask(box, type="confirm", prompt="Shall I?")
        request = person.told("plugin.approval.requested", f"plugin:{id}")["request"]
        assert request["allowedDecisions"] == ["allow-once", "deny"], request
        assert request["description"] == "Shall I?" and request["title"], request
        error = person.bad("plugin.approval.resolve", {"id": f"plugin:{id}",
                                                       "decision": "allow-always"})
        assert error["message"] == "allow-always is unavailable for this plugin approval", error
        assert error["details"] == {"allowedDecisions": ["allow-once", "deny"]}, error
        person.good("plugin.approval.resolve", {"id": f"plugin:{id}", "decision": "allow-once"})
        assert value_of(box, id)["value"] is True


@test("only who has operator.approvals is told, and may list or decide")
def _():
    with Box() as box, Person(box) as person, Person(box, scopes=[READ, WRITE, QUESTIONS]) as other:
        id = ask_command(box)
        person.told("exec.approval.requested", id)
        for method, params in (("exec.approval.list", {}), ("plugin.approval.list", {}),
                               ("exec.approval.get", {"id": id}), ("approval.get", {"id": id}),
                               ("exec.approval.resolve", {"id": id, "decision": "deny"}),
                               ("approval.resolve", {"id": id, "kind": "exec",
                                                     "decision": "deny"})):
            error = other.bad(method, params)
            assert error["details"]["missingScope"] == APPROVALS, error
        answer(box, id, "deny")
        person.told("exec.approval.resolved", id)
        assert other.here() == [], other.here()


@test("the first who answers has decided; whoever comes later is told so in the words of gateways")
def _():
    with Box() as box, Person(box) as one, Person(box) as two:
        id = ask_command(box)
        one.good("exec.approval.resolve", {"id": id, "decision": "allow-once"})
        assert two.told("exec.approval.resolved", id)["decision"] == "allow-once"
        error = two.bad("exec.approval.resolve", {"id": id, "decision": "deny"})
        assert error == {"code": "INVALID_REQUEST", "message": "approval already resolved",
                         "details": {"reason": "APPROVAL_ALREADY_RESOLVED"}}, error
        # The same again is no fault.
        assert two.good("exec.approval.resolve", {"id": id, "decision": "allow-once"})["ok"]
        assert two.bad("exec.approval.get", {"id": id})["message"] == \
            "unknown or expired approval id"
        assert answer(box, id, "deny").status == 409


@test("of many who decide at once one wins")
def _():
    with Box() as box:
        people = [Person(box) for _ in range(6)]
        id = ask_command(box)
        verdicts = []

        def decide(person, decision):
            verdicts.append((decision, person.ask("exec.approval.resolve",
                                                  {"id": id, "decision": decision})))

        decisions = ["allow-once", "deny"] * 3
        threads = [threading.Thread(target=decide, args=pair) for pair in zip(people, decisions)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        won = {"allow": "allow-once", "deny": "deny"}[value_of(box, id)["value"]]
        assert len([s for s in box.history() if s["type"] == "answer"]) == 1
        good = [d for d, a in verdicts if a["ok"]]
        assert good and set(good) == {won}, verdicts
        for person in people:
            assert person.told("exec.approval.resolved", id)["decision"] == won
            person.ws.wire.close()


@test("an answer from any other screen settles it here, and so does its end without one")
def _():
    with Box() as box, Person(box) as person:
        id = ask_command(box)
        person.told("exec.approval.requested", id)
        assert answer(box, id, "stop").status == 200
        told = person.told("exec.approval.resolved", id)
        assert told["decision"] == "deny" and told["resolvedBy"], told
        soon = int(time.time() * 1000) + 1500
        id = ask_tool(box, deadline=soon)
        asked = person.told("plugin.approval.requested", f"plugin:{id}")
        assert asked["expiresAtMs"] == soon, asked
        told = person.told("plugin.approval.resolved", f"plugin:{id}")
        assert told["decision"] == "deny" and told["resolvedBy"] is None, told
        got = person.good("approval.get", {"id": f"plugin:{id}"})["approval"]
        assert got["status"] == "expired" and got["reason"] == "timeout", got
        # Asked again: the agent wants no answer to the first.
        first = ask(box, id="own", type="confirm", prompt="One?")
        second = ask(box, id="own", type="confirm", prompt="Two?")
        told = person.told("plugin.approval.resolved", f"plugin:{first}")
        assert told["decision"] is None, told
        person.told("plugin.approval.requested", f"plugin:{second}")
        got = person.good("approval.get", {"id": f"plugin:{first}"})["approval"]
        assert got["status"] == "cancelled" and got["reason"] == "run-aborted", got


@test("allow-always is offered where the prompt offers it, to who may write rules")
def _():
    tokens = "auth: {tokens: [{name: nod, file: TOP/nod, scopes: 'observe,answer'}]}\n"
    with config_box(tokens, files={"nod": "a" * 64}) as box, Person(box) as person, \
            Person(box, auth={"token": "a" * 64}) as nod:
        id = ask_command(box)
        assert person.told("exec.approval.requested", id)["request"]["allowedDecisions"] == [
            "allow-once", "allow-always", "deny"]
        assert nod.told("exec.approval.requested", id)["request"]["allowedDecisions"] == [
            "allow-once", "deny"]
        error = nod.bad("exec.approval.resolve", {"id": id, "decision": "allow-always"})
        assert error["message"] == "allow-always is unavailable for this command", error
        assert error["details"]["reason"] == "APPROVAL_ALLOW_ALWAYS_UNAVAILABLE", error
        for more, words in (({"grantExpiresInDays": 1}, "what is allowed here does not expire by itself"),
                            ({"reviewer": {"channel": "c", "accountId": "a", "senderId": "s"}},
                             "unknown or expired approval id")):
            error = person.bad("exec.approval.resolve", {"id": id, "decision": "allow-always",
                                                         **more})
            assert error["message"] == words, error
        assert person.bad("exec.approval.resolve", {"id": id, "decision": "maybe"})["message"] == \
            "invalid decision"
        assert person.good("exec.approval.resolve", {"id": id, "decision": "allow-always"})["ok"]
        assert value_of(box, id)["value"] == "always"
        plain = ask_command(box, options=[TOOL[0], TOOL[2]])
        assert person.told("exec.approval.requested", plain)["request"]["allowedDecisions"] == [
            "allow-once", "deny"]


@test("nothing that would run is hidden: other members, controls, and what is too long")
def _():
    with Box() as box, Person(box) as person:
        id = ask_command(box, "make", dangerouslyDisableSandbox=True)
        command = person.told("exec.approval.requested", id)["request"]["command"]
        assert command == "Bash: make\ndangerouslyDisableSandbox: True" + WRITES, command
        id = ask_command(box, "echo \u202etxt.exe\u001b[2K\nrm x")
        command = person.told("exec.approval.requested", id)["request"]["command"]
        assert command == "echo \\u202etxt.exe\\u001b[2K\nrm x" + WRITES, command
        id = ask_command(box, "echo " + "x" * 20000)
        request = person.told("exec.approval.requested", id)["request"]
        assert request["allowedDecisions"] == ["deny"], request["allowedDecisions"]
        assert request["command"].endswith("(signalbox open)."), request["command"][-200:]
        error = person.bad("exec.approval.resolve", {"id": id, "decision": "allow-once"})
        assert error["message"] == "allow-once is unavailable for this command", error
        assert person.good("approval.get", {"id": id})["approval"]["presentation"][
            "allowedDecisions"] == ["deny"]
        assert [p["id"] for p in prompts(box)][-1] == id, "it stays open"
        person.good("exec.approval.resolve", {"id": id, "decision": "deny"})


@test("what allow-always writes and what its agent says are shown, or it is not offered")
def _():
    with Box() as box, Person(box) as person:
        for rule, shown, allowed in (
                ("Bash(*) for every project\n", "\nAllow always writes: Bash(*) for every project\u21b5",
                 ["allow-once", "allow-always", "deny"]),
                ("x" * 2000, "", ["allow-once", "deny"])):
            id = ask_command(box, "x" * 15_000, options=[TOOL[0], {**ALWAYS, "rule": rule}, TOOL[2]])
            request = person.told("exec.approval.requested", id)["request"]
            assert request["command"] == "x" * 15_000 + shown, request["command"][-200:]
            assert request["allowedDecisions"] == allowed, request["allowedDecisions"]
        id = ask(box, type="select", tool="Bash", prompt="Run this as root on host PROD",
                 input={"command": "ls"}, options=[TOOL[0], TOOL[2]])
        request = person.told("exec.approval.requested", id)["request"]
        assert request["command"] == "Run this as root on host PROD\nBash: ls", request


@test("a terminal that shows the short form alone may allow no more than fits there")
def _():
    with Box() as box, Person(box) as page, Screen(box) as screen:
        terminal(box, screen)
        long = ask_tool(box, "Write: " + "x" * 600)
        short = ask_tool(box, "Write: x")
        want = ["allow-once", "allow-always", "deny"]
        assert page.told("plugin.approval.requested", f"plugin:{long}")["request"][
            "allowedDecisions"] == want
        got = page.good("approval.get", {"id": f"plugin:{long}"})["approval"]["presentation"]
        assert len(got["description"]) == 512 and got["detail"] == "Write: " + "x" * 600 + WRITES, \
            got
        for id, allowed in ((long, ["deny"]), (short, want)):
            event = screen.until(lambda e: e["event"] == "plugin.approval.requested"
                                 and e["payload"]["id"] == f"plugin:{id}")
            assert event["payload"]["request"]["allowedDecisions"] == allowed, event


def terminal(box, screen):
    """The terminal UI is known by its name."""
    params = screen.params(4, client={**CLIENT, "id": "openclaw-tui", "mode": "ui"}, scopes=ALL)
    params["device"] = sign(params, Key(), screen.challenge["payload"]["nonce"])
    assert screen.ask("connect", params)["ok"]


@test("a terminal shows no commands: it is told of them as plugin approvals, with all that they say")
def _():
    with Box() as box, Person(box) as page, Screen(box) as screen:
        terminal(box, screen)
        id = ask_command(box, "make all", cwd="/work")
        long = ask_command(box, "x" * 600)
        page.told("exec.approval.requested", id)
        request = screen.until(lambda e: e["event"] == "plugin.approval.requested"
                               and e["payload"]["id"] == f"plugin:{id}")["payload"]["request"]
        assert request["title"] == "Bash", request
        assert request["description"] == "Bash: make all\ncwd: /work" + WRITES, request
        listed = screen.ask("plugin.approval.list", {})["payload"]
        assert [a["id"] for a in listed] == [f"plugin:{id}", f"plugin:{long}"], listed
        assert listed[1]["request"]["allowedDecisions"] == ["deny"], listed
        assert screen.ask("exec.approval.list", {})["payload"] == []
        answer = screen.ask("plugin.approval.resolve", {"id": f"plugin:{id}",
                                                        "decision": "allow-once"})
        assert answer["ok"], answer
        assert page.told("exec.approval.resolved", id)["decision"] == "allow-once"
        screen.until(lambda e: e["event"] == "plugin.approval.resolved"
                     and e["payload"]["id"] == f"plugin:{id}")
        assert value_of(box, id)["value"] == "allow"


# --- /approve ---------------------------------------------------------------------


KEY = "agent:script:r"


def write(person, words, run, key=KEY, **more):
    """What is said in the chat to this message."""
    answer = person.ask("chat.send", {"sessionKey": key, "message": words,
                                      "idempotencyKey": run, **more})
    assert answer["ok"] and answer["payload"] == {"runId": run, "status": "started"}, answer
    event = person.until(lambda e: e["event"] == "chat" and e["payload"]["runId"] == run)
    assert event["payload"]["state"] == "final", event
    assert event["payload"]["sessionKey"] == key, event
    return event["payload"]["message"]["content"][0]["text"]


@test("/approve in the chat decides, and the chat says what came of it")
def _():
    for protocol in (3, 4):
        with Box() as box, Person(box, protocol) as person, Person(box) as other:
            id = ask_command(box, "make all")
            other.told("exec.approval.requested", id)
            said = write(person, f" /Approve {id} Allow ", "k1")
            assert said == f"\u2705 Approval allow-once submitted for {id}.", said
            assert other.told("exec.approval.resolved", id)["decision"] == "allow-once"
            assert value_of(box, id)["value"] == "allow"
            # everybody who reads the session reads it; the same key decides nothing again
            other.until(lambda e: e["event"] == "chat" and e["payload"]["runId"] == "k1")
            again = person.ask("chat.send", {"sessionKey": KEY, "idempotencyKey": "k1",
                                             "message": f"/approve {id} allow"})
            assert again["payload"] == {"runId": "k1", "status": "ok"}, again
            # nothing was asked of an agent by all this
            assert [s["type"] for s in box.history() if s["correlationId"] == "k1"] == [
                "session.command"]


def told_in(person, key=KEY):
    page = person.good("chat.history", {"sessionKey": key})
    return page, [(m["role"], text(m), m["__openclaw"]["runId"]) for m in page["messages"]]


@test("/approve and its answer are in the history of the session, whatever becomes of the box")
def _():
    for end in (Box.stop, Box.kill9):
        with Box() as box:
            say(box, "r", "task_dispatch", {"taskId": "r", "from": "me", "to": "bot",
                                            "description": "go"})
            say(box, "r", "text_delta", {"agentId": "bot", "content": "May I"})
            id = ask_command(box)
            with Person(box) as person, Person(box, caps=["signalbox-positions"]) as exact:
                begin = exact.good("events.subscribe", {})["position"]
                person.good("sessions.messages.subscribe", {"key": KEY})
                said = write(person, f"/approve {id} deny", "k1")
                wanted = [("user", "go", "r"), ("user", f"/approve {id} deny", "k1"),
                          ("assistant", said, "k1")]
                page, there = told_in(person)
                assert there == wanted, there
                live = page["inFlightRun"]
                assert live["runId"] == "r" and live["text"] == "May I", page
                assert page["sessionInfo"]["activeRunIds"] == ["r"], page
                cursor = page["deltaCursor"]
                news = [e["payload"] for e in person.events if e["event"] == "session.message"]
                assert [(m["message"]["role"], m["runId"], m["sessionKey"]) for m in news] == [
                    ("user", "k1", KEY), ("assistant", "k1", KEY)], news
                assert text(exact.chat("final", "k1")["message"]) == said
            end(box)
            box.start()
            with Person(box) as person, Person(box, 3) as old, \
                    Person(box, caps=["signalbox-positions"]) as exact:
                assert told_in(person)[1] == wanted
                assert told_in(old)[1] == wanted[:1] + [("assistant", "May I", "r")] + wanted[1:]
                exact.good("events.subscribe", {"after": begin})
                assert text(exact.chat("final", "k1")["message"]) == said
                assert exact.of("chat", "k1") == [exact.chat("final", "k1")]
                again = person.ask("chat.send", {"sessionKey": KEY, "idempotencyKey": "k1",
                                                 "message": f"/approve {id} deny"})
                assert again["payload"] == {"runId": "k1", "status": "ok"}, again
                # what was being said is news, once it is whole
                say(box, "r", "completion", {"agentId": "bot", "taskId": "r", "success": True})
                person.chat("final", "r")
                news = person.good("chat.history", {"sessionKey": KEY, "cursor": cursor})
                assert [(m["message"]["role"], m["runId"]) for m in news["messages"]] == [
                    ("assistant", "r"), ("user", "k1"), ("assistant", "k1")], news
                listed = person.good("sessions.list")["sessions"]
                assert [s["key"] for s in listed] == [KEY], listed


@test("/approve in the session of an agent that is asked there is one of its messages")
def _():
    with Upstream() as up, Box() as box, Person(box) as person:
        add_model(box, up)
        wanted = []
        for number, words in enumerate(("hello", "/approve nobody deny", "hello again")):
            person.good("chat.send", {"sessionKey": "main", "message": words,
                                      "idempotencyKey": f"k{number}"})
            said = person.chat("final", f"k{number}")
            assert said["sessionKey"] == "agent:parrot:main", said
            wanted += [("user", words, f"k{number}"),
                       ("assistant", text(said["message"]), f"k{number}")]
        page, there = told_in(person, "main")
        assert there == wanted, there
        assert not page["sessionInfo"]["hasActiveRun"], page
        listed = person.good("sessions.list")["sessions"]
        assert [s["key"] for s in listed] == ["agent:parrot:main"], listed


@test("/approve takes a short id, the decision first, and every kind of approval")
def _():
    with Box() as box, Person(box) as person:
        one, two = ask_command(box), ask_tool(box)
        said = write(person, f"/approve deny {one[:8]}", "k1")
        assert said == f"\u2705 Approval deny submitted for {one[:8]}.", said
        assert value_of(box, one)["value"] == "deny"
        said = write(person, f"/approve plugin:{two} always", "k2")
        assert said == f"\u2705 Approval allow-always submitted for plugin:{two}.", said
        assert value_of(box, two)["value"] == "always"


@test("/approve that decides nothing says why, and the first answer stands")
def _():
    usage = ("Usage: /approve <id> <decision> (see the pending approval message for available "
             "decisions)")
    failed = "\u274c Failed to submit approval: "
    plain = [o for o in TOOL if o["value"] != "always"]
    with Box() as box, Person(box) as person, Person(box, scopes=[READ, WRITE]) as writer:
        id = ask_command(box, options=plain)
        for number, (words, wanted) in enumerate((
                ("/approve", usage), (f"/approve {id}", usage), (f"/approve {id} maybe", usage),
                (f"/approve@bot {id} deny", "\u274c This /approve command is for somebody else."),
                ("/approve nobody deny", failed + "unknown or expired approval id"),
                (f"/approve {id[:4]} deny", failed + "unknown or expired approval id"),
                (f"/approve {id} always",
                 failed + "allow-always is unavailable for this command"))):
            assert write(person, words, f"k{number}") == wanted, words
        assert write(writer, f"/approve {id} deny", "w1") == (
            "\u274c /approve requires operator.approvals for gateway clients.")
        assert [p["id"] for p in prompts(box)] == [id], "it is open still"
        assert answer(box, id, "allow").status < 300
        person.told("exec.approval.resolved", id)
        assert write(person, f"/approve {id} deny", "k10") == failed + "approval already resolved"
        assert "submitted" in write(person, f"/approve {id} allow-once", "k11")
        assert value_of(box, id)["value"] == "allow"


@test("/approve that is no command is for the agent")
def _():
    with Box() as box, Person(box) as person:
        id = ask_command(box)
        error = person.bad("chat.send", {"sessionKey": KEY, "message": f"/approve {id} deny",
                                         "idempotencyKey": "k1",
                                         "suppressCommandInterpretation": True})
        assert error["code"] == "INVALID_REQUEST", error
        error = person.bad("chat.send", {"sessionKey": KEY, "message": f"/approved {id} deny",
                                         "idempotencyKey": "k2"})
        assert error["code"] == "INVALID_REQUEST", error
        assert [p["id"] for p in prompts(box)] == [id]


@test("approval.get and approval.resolve take both kinds, and tell what became of them")
def _():
    with Box() as box, Person(box) as person:
        one, two = ask_command(box, "make", cwd="/work"), ask_tool(box)
        got = person.good("approval.get", {"id": one})["approval"]
        assert got["status"] == "pending" and got["presentation"] == {
            "kind": "exec", "commandText": "make" + WRITES, "host": None,
            "warningText": "cwd: /work",
            "allowedDecisions": ["allow-once", "allow-always", "deny"]}, got
        error = person.bad("approval.resolve", {"id": one, "kind": "plugin", "decision": "deny"})
        assert error["message"] == "approval not found", error
        done = person.good("approval.resolve", {"id": one, "kind": "exec", "decision": "deny"})
        assert done["applied"] and done["approval"]["status"] == "denied", done
        assert done["approval"]["resolver"]["kind"] == "runtime", done
        late = person.good("approval.resolve", {"id": one, "kind": "exec",
                                                "decision": "allow-once"})
        assert not late["applied"] and late["approval"]["decision"] == "deny", late
        done = person.good("approval.resolve", {"id": f"plugin:{two}", "kind": "plugin",
                                                "decision": "allow-always"})
        assert done["approval"]["status"] == "allowed", done
        assert done["approval"]["decision"] == "allow-always", done
        error = person.bad("approval.get", {"id": "nobody"})
        assert error["message"] == "approval not found", error
        assert error["details"] == {"reason": "APPROVAL_NOT_FOUND"}, error


@test("protocol 3 has commands alone: everything is one of them")
def _():
    with Box() as box, Person(box, 3) as person:
        id = ask_tool(box)
        request = person.told("exec.approval.requested", id)["request"]
        assert request["command"] == "Write: /etc/motd" + WRITES, request
        error = person.bad("exec.approval.resolve", {"id": "nobody", "decision": "deny"})
        assert error == {"code": "INVALID_REQUEST",
                         "message": "unknown or expired approval id"}, error
        person.good("exec.approval.resolve", {"id": id, "decision": "allow-once"})
        assert person.told("exec.approval.resolved", id)["decision"] == "allow-once"
        ask(box, type="text", prompt="Name?")
        assert set(person.here()) == {"exec.approval.requested", "exec.approval.resolved"}


@test("what is open outlives a restart of the box, with the same id")
def _():
    with Box() as box:
        with Person(box) as person:
            id = ask_command(box)
            before = person.told("exec.approval.requested", id)
        box.kill9()
        box.start()
        with Person(box) as person:
            (listed,) = person.good("exec.approval.list", {})
            assert listed["id"] == id and listed["request"] == before["request"], listed
            assert listed["createdAtMs"] == before["createdAtMs"], (listed, before)
            person.good("exec.approval.resolve", {"id": id, "decision": "deny"})
            assert value_of(box, id)["value"] == "deny"


# --- questions --------------------------------------------------------------------


def reply(id, *answers):
    return {"id": id, "answers": {"answers": {"answer": list(answers)}}}


@test("a text and a choice are questions, answered by words and names")
def _():
    with Box() as box, Person(box) as person:
        id = ask(box, type="text", prompt="Name?")
        record = person.told("question.requested", id)
        (question,) = record["questions"]
        assert question["question"] == "Name?" and question["options"] == [], record
        assert record["status"] == "pending" and record["runId"] == "r", record
        assert record["sessionKey"] == "agent:script:r", record
        (listed,) = person.good("question.list", {})["questions"]
        assert listed == record | {"expiresAtMs": listed["expiresAtMs"]}, listed  # a day from now
        done = person.good("question.resolve", reply(id, " Ada "))
        assert done["status"] == "answered", done
        told = person.told("question.resolved", id)
        assert told["answers"] == {"answers": {"answer": ["Ada"]}}, told
        assert value_of(box, id)["value"] == "Ada"
        assert person.good("question.get", {"id": id})["question"]["status"] == "answered"

        id = ask(box, type="select", prompt="Which?", options=[
            {"label": "Red", "value": 1}, {"label": "Blue", "value": {"deep": True}}])
        (question,) = person.told("question.requested", id)["questions"]
        assert [o["label"] for o in question["options"]] == ["Red", "Blue"], question
        for wrong, words in (((), "requires an answer"), ((" ",), "contains an empty answer"),
                             (("Green",), "contains an unknown option"),
                             (("Red", "Blue"), "does not allow multiple answers")):
            error = person.bad("question.resolve", reply(id, *wrong))
            assert error["message"] == f"question 'answer' {words}", error
            assert error["details"]["reason"] == "QUESTION_INVALID_ANSWER", error
        person.good("question.resolve", reply(id, "Blue"))
        assert value_of(box, id)["value"] == {"deep": True}
        assert person.told("question.resolved", id)["answers"]["answers"]["answer"] == ["Blue"]

        id = ask(box, type="multi", prompt="Which?", options=["a", "b", "c"])
        assert person.told("question.requested", id)["questions"][0]["multiSelect"]
        person.good("question.resolve", reply(id, "c", "a"))
        assert value_of(box, id)["value"] == ["c", "a"]


@test("more options than a question may have are numbered, and so are those of one name")
def _():
    with Box() as box, Person(box) as person:
        id = ask(box, type="select", prompt="Which?", options=list("abcdef"))
        (question,) = person.told("question.requested", id)["questions"]
        assert question["options"] == [], question
        assert question["question"] == "Which?\n1. a\n2. b\n3. c\n4. d\n5. e\n6. f", question
        assert "unknown option" in person.bad("question.resolve", reply(id, "7"))["message"]
        person.good("question.resolve", reply(id, "6"))
        assert value_of(box, id)["value"] == "f"
        id = ask(box, type="select", prompt="Which?", options=[
            {"label": "same", "value": 1}, {"label": "same", "value": 2}])
        person.told("question.requested", id)
        person.good("question.resolve", reply(id, "2"))
        assert value_of(box, id)["value"] == 2
        id = ask(box, type="multi", prompt="Which?", options=list("abcdef"))
        person.told("question.requested", id)
        person.good("question.resolve", reply(id, "1, e"))
        assert value_of(box, id)["value"] == ["a", "e"]


@test("the first answer wins, any screen's counts, and a question can be skipped or end by itself")
def _():
    with Box() as box, Person(box) as one, Person(box) as two:
        id = ask(box, type="text", prompt="Name?")
        assert answer(box, id, "Bob").status == 200
        assert one.told("question.resolved", id)["answers"]["answers"]["answer"] == ["Bob"]
        error = two.bad("question.resolve", reply(id, "Ada"))
        assert error["message"] == f"question '{id}' is already answered", error
        assert error["details"] == {"reason": "QUESTION_ALREADY_TERMINAL"}, error
        id = ask(box, type="text", prompt="Name?")
        assert one.good("question.resolve", {"id": id, "cancel": True}) == {"status": "cancelled"}
        assert two.told("question.resolved", id)["status"] == "cancelled"
        assert value_of(box, id)["cancelled"]
        id = ask(box, type="text", prompt="Name?", deadline=int(time.time() * 1000) + 1200)
        assert two.told("question.resolved", id)["status"] == "expired"
        assert two.good("question.get", {"id": id})["question"]["status"] == "expired"
        error = two.bad("question.get", {"id": "nobody"})
        assert error["message"] == "question 'nobody' was not found", error


@test("only who has operator.questions is told, and questions are no approvals")
def _():
    with Box() as box, Person(box) as person, Person(box, scopes=[READ, APPROVALS]) as other:
        id = ask(box, type="text", prompt="Name?")
        person.told("question.requested", id)
        assert other.bad("question.list", {})["details"]["missingScope"] == QUESTIONS
        assert person.bad("exec.approval.resolve", {"id": id, "decision": "deny"})["message"] == \
            "unknown or expired approval id"
        approval = ask_command(box)
        assert person.bad("question.resolve", reply(approval, "allow"))["message"] == \
            f"question '{approval}' was not found"
        other.told("exec.approval.requested", approval)
        assert other.here() == ["exec.approval.requested"], other.here()
        assert [q["id"] for q in person.good("question.list", {})["questions"]] == [id]
        for bad in ({}, {"id": id}, {"id": id, "cancel": False}, {**reply(id, "x"), "more": 1},
                    {"id": id, "answers": {"answers": {"answer": "x"}}}):
            assert person.bad("question.resolve", bad)["message"].startswith(
                "invalid question.resolve params: "), bad
        error = person.bad("question.resolve", {"id": id, "answers": {"answers": {"other": ["x"]}}})
        assert error["message"] == "question 'other' is not part of this request", error


@test("an answer that is too long is refused, and its question stays open")
def _():
    with Box() as box, Person(box) as person:
        id = ask(box, type="text", prompt="Name?")
        error = person.bad("question.resolve", reply(id, " " * 300_000 + "Ada"))
        assert error["message"] == "question 'answer' is too long", error
        assert person.good("question.resolve", reply(id, "Ada"))["status"] == "answered"


@test("a list has as many approvals as fit")
def _():
    with Box() as box:
        for i in range(400):
            say(box, "r", "prompt", {"type": "select", "tool": "Write", "id": str(i),
                                     "prompt": '"' * 15_000, "options": [TOOL[0], TOOL[2]]})
        with Person(box) as person:
            listed = person.good("plugin.approval.list", {})
            assert 200 < len(listed) < 400, len(listed)
            assert all(a["request"]["description"] == '"' * 15_000 for a in listed)


judge_all(150)
run()
