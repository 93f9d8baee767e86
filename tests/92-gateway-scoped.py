#!/usr/bin/env python3
"""The gateway dialect: clients with the capability `session-scoped-events`.

Of runs they hear of the sessions that they follow, and of these alone; their numbers are their
own, without holes.
"""

from doors import config_box
from gateway_clients import READ, Screen, Slow, judge_all, say, tell_a_run, text
from lib import Box, eventually, run, test

SCOPED = ["tool-events", "session-scoped-events"]
EXACT = [*SCOPED, "signalbox-positions"]


def key(run):
    return f"agent:script:{run}"


def follow(screen, *runs):
    for one in runs:
        answer = screen.ask("sessions.messages.subscribe", {"key": key(one)})
        assert answer["ok"] and answer["payload"]["subscribed"], answer


def heard(screen):
    """The runs of which something was told."""
    return {e["payload"]["runId"] for e in screen.events if e["event"] in ("agent", "chat")}


def bare(screen, run):
    """What was told of a run, without what is of the connection and of the moment."""
    return [(e["event"], e["payload"].get("stream", e["payload"].get("state")))
            for e in screen.events if e["event"] in ("agent", "chat")
            and e["payload"]["runId"] == run and e["payload"].get("state") != "delta"
            and e["payload"].get("stream") != "assistant"]


@test("it hears of the sessions that it follows, with numbers of its own")
def _():
    with config_box("gateway: {tick: 1s}\n") as box, Screen(box) as one, Screen(box) as all:
        one.hello(caps=SCOPED)
        all.hello()
        follow(one, "r1", "r3")
        for id in ("r0", "r1", "r2", "r3", "r4"):
            tell_a_run(box, id)
        all.chat("final", "r4")
        one.chat("final", "r3")
        one.until(lambda e: e["event"] == "tick")
        assert heard(one) == {"r1", "r3"} and heard(all) == {f"r{i}" for i in range(5)}
        assert bare(one, "r1") == bare(all, "r1") and ("agent", "tool") in bare(one, "r1")
        numbers = [e["seq"] for e in one.events if "seq" in e]
        assert numbers == list(range(1, len(numbers) + 1)), numbers  # keep() wants no holes of both
        assert all.last_seq > one.last_seq
        rows = [e["payload"]["sessionKey"] for e in one.events if e["event"] == "session.message"]
        assert set(rows) == {key("r1"), key("r3")}, rows


@test("to follow the list of sessions, or nothing, is not to follow a session")
def _():
    with Box() as box, Screen(box) as none, Screen(box) as lists, Screen(box) as one:
        none.hello(caps=SCOPED)
        lists.hello(caps=SCOPED)
        one.hello(caps=SCOPED)
        assert lists.ask("sessions.subscribe", {})["ok"]
        follow(one, "r1")
        tell_a_run(box, "r1")
        one.chat("final", "r1")
        lists.until(lambda e: e["event"] == "session.message")
        assert none.ask("health", {})["ok"] and lists.ask("health", {})["ok"]
        assert not heard(none) and not heard(lists), (none.events, lists.events)


@test("it stops when it follows a session no longer, and goes on with the next number")
def _():
    with Box() as box, Screen(box) as one, Screen(box) as all:
        one.hello(caps=SCOPED)
        all.hello()
        follow(one, "r1")
        tell_a_run(box, "r1")
        one.chat("final", "r1")
        assert one.ask("sessions.messages.unsubscribe", {"key": key("r1")})["ok"]
        one.events.clear()
        tell_a_run(box, "r1")
        tell_a_run(box, "r2")
        all.chat("final", "r2")
        assert one.ask("health", {})["ok"] and not heard(one), one.events
        follow(one, "r2")
        say(box, "r2", "text_delta", {"agentId": "bot", "content": "more"})
        assert text(one.chat("delta", "r2")["message"]) == "more"


@test("tools need their capability, runs their scope, and protocol 3 knows no such clients")
def _():
    with Box() as box, Screen(box) as plain, Screen(box) as blind, Screen(box) as old:
        plain.hello(caps=SCOPED[1:])
        blind.hello(caps=SCOPED, scopes=[])
        old.hello(3, caps=SCOPED, scopes=[READ])
        follow(plain, "r1")
        assert blind.ask("sessions.messages.subscribe", {"key": key("r1")})["error"]["code"] == "FORBIDDEN"
        tell_a_run(box, "r1")
        plain.chat("final", "r1")
        old.chat("final", "r1")
        assert ("agent", "tool") not in bare(plain, "r1") and ("agent", "tool") in bare(old, "r1")
        with Screen(box) as late:
            late.hello()
        blind.until(lambda e: e["event"] == "presence")
        assert not heard(blind), blind.events


@test("one that comes in the middle of a word ends with the text of one that was there")
def _():
    with config_box("gateway: {pace: 300ms}\n") as box, Screen(box) as all:
        all.hello()
        words = [f"word{i} " for i in range(30)]
        for word in words[:11]:
            say(box, "r1", "text_delta", {"agentId": "bot", "content": word})
        all.chat("delta", "r1")
        with Screen(box) as one:
            one.hello(caps=SCOPED)
            follow(one, "r1")
            history = one.ask("chat.history", {"sessionKey": key("r1")})["payload"]
            shown = history["inFlightRun"]["text"]
            one.events.clear()
            for word in words[11:]:
                say(box, "r1", "text_delta", {"agentId": "bot", "content": word})
            say(box, "r1", "completion", {"agentId": "bot", "taskId": "t", "success": True})
            assert text(one.chat("final", "r1")["message"]) == "".join(words)
            for event in one.of("chat", "r1"):
                if event["state"] == "delta":
                    shown = event["deltaText"] if event.get("replace") else shown + event["deltaText"]
            assert shown == "".join(words), shown


@test("a slow one loses what may be dropped, then has the text of its sessions anew")
def _():
    config = "gateway: {pace: 1ms, snapshot_rate: 64MiB, max_buffered: 8MiB}\nlimits: {behind: 64KiB}\n"
    with config_box(config) as box, Slow(box) as slow, Slow(box) as quick:
        slow.hello(caps=SCOPED)
        quick.hello(caps=SCOPED)
        follow(slow, "r1")
        follow(quick, "r1", "r2")
        say(box, "r2", "text_delta", {"agentId": "bot", "content": "not yours"})
        said = 0
        while said < 1500:  # each chat delta has all of it
            say(box, "r1", "text_delta", {"agentId": "bot", "content": "a longer word here " * 40})
            said += 1
            quick.events.clear()
            if said % 50 == 0:
                quick.ask("health", {})
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "end"})
        quick.until(lambda e: e["event"] == "agent" and e["payload"]["data"].get("delta", "").endswith("end"))
        anew = slow.until(lambda e: e["event"] == "chat" and "seq" not in e)["payload"]
        assert anew["replace"] is True and anew["runId"] == "r1" and slow.lost, (slow.lost, anew)
        say(box, "r1", "completion", {"agentId": "bot", "taskId": "t", "success": True})
        slow.chat("final", "r1")
        told = "".join(e["payload"]["data"]["delta"] for e in slow.events
                       if e["event"] == "agent" and e["payload"]["stream"] == "assistant")
        assert told == "a longer word here " * 40 * said + "end"  # none of these may be dropped
        assert heard(slow) == {"r1"}


@test("one that does not read at all is closed, and costs nobody else")
def _():
    config = "gateway: {max_buffered: 1MiB}\nlimits: {behind: 64KiB}\n"
    with config_box(config) as box, Screen(box) as deaf, Screen(box) as one:
        deaf.hello(caps=SCOPED)
        one.hello(caps=SCOPED)
        follow(deaf, "r1")
        follow(one, "r2")
        for i in range(120):
            say(box, "r1", "tool_call", {"agentId": "bot", "toolName": "t", "callId": f"c{i}",
                                         "input": {"words": "x" * 60000}})
        tell_a_run(box, "r2")
        one.chat("final", "r2")
        assert heard(one) == {"r2"}
        assert deaf.closed() == (1008, "slow consumer")


@test("with positions it comes back to what it missed of its sessions")
def _():
    def exact(after=None, runs=("r1",)):
        screen = Screen(box)
        screen.hello(caps=EXACT)
        follow(screen, *runs)
        answer = screen.ask("events.subscribe", {} if after is None else {"after": after})
        assert answer["ok"], answer
        return screen

    def told(screen):
        return [(e["event"], e["payload"]) for e in screen.events if e["event"] in ("agent", "chat")]

    def all_of(screen, run):
        screen.chat("final", run)
        screen.until(lambda e: e["event"] == "signalbox.position"
                     and any(p == ("chat", "final") for p in bare(screen, run)))
        return told(screen)

    with Box() as box:
        with exact() as first:
            at = first.ask("events.position", {})["payload"]["position"]
            for id in ("r0", "r1", "r2"):
                tell_a_run(box, id)
            truth = all_of(first, "r1")
            assert heard(first) == {"r1"}
        with exact(at) as again:
            assert all_of(again, "r1") == truth and heard(again) == {"r1"}
            tell_a_run(box, "r2")
            tell_a_run(box, "r1")
            eventually(lambda: again.ask("health", {})["ok"] and bare(again, "r1").count(
                ("chat", "final")) == 2)
            assert heard(again) == {"r1"}
        box.kill9()
        box.start()
        with exact(at, ("r1", "r2")) as both:
            both.until(lambda e: e["event"] == "chat" and e["payload"]["runId"] == "r1"
                       and bare(both, "r1").count(("chat", "final")) == 2)
            assert heard(both) == {"r1", "r2"}
            assert [t for t in told(both) if t[1]["runId"] == "r1"][:len(truth)] == truth


@test("a hundred of them have a hundred counters, and leave nothing behind")
def _():
    with Box() as box, Screen(box) as all:
        all.hello()
        screens = [Screen(box) for _ in range(100)]
        for i, screen in enumerate(screens):
            screen.hello(caps=SCOPED)
            follow(screen, f"r{i % 10}")
        for i in range(10):
            tell_a_run(box, f"r{i}")
        for i, screen in enumerate(screens):
            screen.chat("final", f"r{i % 10}")
            assert heard(screen) == {f"r{i % 10}"}
            screen.ws.wire.close()
        all.chat("final", "r9")
        eventually(lambda: len(all.ask("system-presence", {})["payload"]) == 2)
        tell_a_run(box, "r10")
        all.chat("final", "r10")


judge_all(500)
run()
