#!/usr/bin/env python3
"""The gateway dialect: clients that count positions come back to exactly what they missed.

What such a client was told is what a client is told that was never away: the same frames, once
and in the same order, whatever was cut and wherever the box was killed.
"""

import random
import threading
import time

from doors import config_box
from gateway_clients import Screen, judge_all, say, tell_a_run, text
from lib import Box, Closed, run, test

CAPS = ["tool-events", "signalbox-positions"]
RANDOM = random.Random(7446)


class Exact(Screen):
    """It keeps what a position follows; what has none comes again."""

    def __init__(self, box, protocol=4, after=None, caps=CAPS):
        super().__init__(box)
        self.hello(protocol, caps=caps)
        answer = self.ask("events.subscribe", {} if after is None else {"after": after})
        assert answer["ok"], answer
        self.position = answer["payload"]["position"]
        self.told, self.open = [], []
        for event in self.events:
            self.count(event)

    def keep(self, frame):
        super().keep(frame)
        if hasattr(self, "told"):
            self.count(frame)

    def count(self, frame):
        if frame["event"] in ("agent", "chat", "heartbeat", "signalbox.gap"):
            assert "seq" not in frame, frame
            self.open.append(frame)
        elif frame["event"] == "signalbox.position":
            assert self.open, "a position follows something"
            self.position = frame["payload"]["position"]
            self.told += self.open
            self.open = []

    def next(self):
        self.keep(self.ws.json())

    def ended(self, run):
        """All up to the end of a run, with its position."""
        while not any(e["event"] == "chat" and e["payload"]["runId"] == run
                      and e["payload"]["state"] == "final" for e in self.told):
            self.next()
        return self.told


def all_of(box, until, protocol=4, caps=CAPS):
    """What the journal has, for one that reads it all."""
    with Exact(box, protocol, "0", caps) as screen:
        return screen.ended(until)


class Producer(threading.Thread):
    """Runs of several agents at once, until it is told to stop."""

    def __init__(self, box):
        super().__init__(daemon=True)
        self.box, self.random = box, random.Random(18)
        self.is_stopped, self.count = False, 0
        self.start()

    def emit(self, id, type, payload):
        while not self.is_stopped:
            try:
                say(self.box, id, type, payload)
                self.count += 1
                return
            except (OSError, Closed):
                time.sleep(0.01)  # the box was killed

    def words(self):
        return "".join(self.random.choice("abc é\n\"") for _ in range(self.random.randrange(1, 400)))

    def run(self):
        turn = 0
        while not self.is_stopped:
            turn += 1
            id = f"r{self.random.randrange(4)}"
            for _ in range(self.random.randrange(1, 25)):
                self.emit(self.random.choice([id, f"r{self.random.randrange(4)}"]), "text_delta",
                          {"agentId": "bot", "content": self.words()})
            self.emit(id, "tool_call", {"agentId": "bot", "toolName": "ls", "callId": f"c{turn}",
                                        "input": {"path": self.words()}})
            self.emit(id, "tool_result", {"agentId": "bot", "toolName": "ls",
                                          "callId": f"c{turn}", "success": True,
                                          "output": {"text": self.words()}})
            self.emit(id, "made.up", {"n": turn})
            if self.random.random() < 0.3:
                self.emit(id, "completion", {"agentId": "bot", "taskId": id, "success": True})

    def stop(self):
        self.is_stopped = True
        self.join()
        tell_a_run(self.box, "last")


def cut_off(box, position, told, frames):
    """One life of a connection: so many frames, then it is cut in the middle of one."""
    with Exact(box, after=position) as screen:
        try:
            for _ in range(frames):
                screen.next()
            screen.ws.wire.sock.recv(RANDOM.randrange(1, 200))
        except (Closed, OSError):
            pass
        told += screen.told
        return screen.position


def same(told, truth):
    for i, (mine, true) in enumerate(zip(told, truth)):
        assert mine == true, (i, mine, true)
    assert len(told) == len(truth), (len(told), len(truth))


# --- the words ------------------------------------------------------------------


@test("nothing is told before events.subscribe, not even a tick")
def _():
    with config_box("gateway: {tick: 1s}\n") as box, Screen(box) as screen, Screen(box) as other:
        hello = screen.hello(caps=CAPS)
        assert "signalbox-positions" in hello["features"]["capabilities"]
        other.hello()
        tell_a_run(box, "r1")
        other.chat("final", "r1")
        other.until(lambda e: e["event"] == "tick")
        assert screen.ask("sessions.subscribe", {})["ok"]
        assert screen.ask("health", {})["ok"] and not screen.events, screen.events
        assert screen.ask("events.subscribe", {})["ok"]
        screen.until(lambda e: e["event"] == "tick")
        assert not screen.of("agent", "r1")


@test("events.subscribe needs the cap, and a position that is one")
def _():
    with Box() as box:
        with Screen(box) as screen:
            screen.hello()
            error = screen.ask("events.subscribe", {})["error"]
            assert error == {"code": "INVALID_REQUEST",
                             "message": "events.subscribe needs the cap signalbox-positions"}
            at = screen.ask("events.position", {})["payload"]["position"]
        with Screen(box) as screen:
            screen.hello(caps=CAPS)
            for bad in ("", "x", "-1", "1-", at + ","):
                error = screen.ask("events.subscribe", {"after": bad})["error"]
                assert error["message"].startswith("after: a position is"), (bad, error)
            assert not screen.ask("events.subscribe", {"after": 7})["ok"]
            assert not screen.ask("events.subscribe", {"from": at})["ok"]
            assert screen.ask("events.subscribe", {"after": at})["payload"] == {"position": at}
        with Screen(box) as blind:
            blind.hello(caps=CAPS, scopes=[])
            assert blind.ask("events.subscribe", {})["error"]["code"] == "FORBIDDEN"


@test("a run is told signal by signal, in both protocols, each with its position")
def _():
    for protocol in (3, 4):
        with Box() as box, Exact(box, protocol) as screen:
            first = screen.position
            tell_a_run(box, "r1")
            told = screen.ended("r1")
            agent = [e["payload"] for e in told if e["event"] == "agent"]
            assert [e["stream"] for e in agent] == [
                "lifecycle", "assistant", "assistant", "assistant", "tool", "tool", "assistant",
                "lifecycle"], agent
            assert [e["data"]["delta"] for e in agent if e["stream"] == "assistant"] == [
                "Hel", "lo ", "you", "Done."]
            chat = [e["payload"] for e in told if e["event"] == "chat"]
            assert [text(e["message"]) for e in chat] == ["Hel", "Hello ", "Hello you", "Done.",
                                                          "Done."], chat
            assert screen.ask("events.position", {})["payload"]["position"] == screen.position
            assert screen.position != first
            with Exact(box, protocol, first) as again:
                same(again.ended("r1"), told)
            with Exact(box, protocol, first, caps=CAPS[1:]) as plain:
                same(plain.ended("r1"),
                     [e for e in told if e["payload"].get("stream") != "tool"])


@test("heartbeats are told once, and again from the journal")
def _():
    def beats(screen):
        return [e["payload"]["preview"] for e in screen.told if e["event"] == "heartbeat"]

    def mark(box, screen, name):
        tell_a_run(box, name)
        return screen.ended(name)

    for protocol in (3, 4):
        with Box() as box, Exact(box, protocol) as screen, Screen(box) as plain:
            plain.hello(protocol)
            first = screen.position
            for i in range(3):
                box.emit({"type": "heartbeat", "source": "claw", "payload": {"status": "sent", "preview": str(i)}})
            told = mark(box, screen, "r1")
            assert beats(screen) == ["0", "1", "2"], told
            assert not [e for e in told if e["payload"].get("stream") == "heartbeat"], told
            plain.chat("final", "r1")
            assert [e["payload"]["preview"] for e in plain.events if e["event"] == "heartbeat"] == beats(screen)
            with Exact(box, protocol, first) as again:
                same(again.ended("r1"), told)


@test("a long answer does not come whole with each of its words")
def _():
    for protocol in (3, 4):
        with Box() as box, Exact(box, protocol) as screen:
            for _ in range(40):
                say(box, "r1", "text_delta", {"agentId": "bot", "content": "word " * 100})
            say(box, "r1", "completion", {"agentId": "bot", "taskId": "t", "success": True})
            told = screen.ended("r1")
            assert text(told[-1]["payload"]["message"]) == "word " * 4000
            deltas = [e["payload"] for e in told if e["payload"].get("state") == "delta"]
            assert all(len(text(d["message"])) <= 4096 for d in deltas if "message" in d)
            if protocol == 4:
                assert "".join(d["deltaText"] for d in deltas) == "word " * 4000
            else:
                assert all("message" in d for d in deltas), deltas
            said = "".join(e["payload"]["data"]["delta"] for e in told
                           if e["payload"].get("stream") == "assistant")
            assert said == "word " * 4000


# --- coming back ------------------------------------------------------------------


@test("one that is cut off 200 times at random moments is told all of it, once")
def _():
    with Box() as box:
        producer, told = Producer(box), []
        with Exact(box) as screen:
            position = screen.position
        for _ in range(200):
            position = cut_off(box, position, told, RANDOM.randrange(0, 12))
        producer.stop()
        with Exact(box, after=position) as screen:
            told += screen.ended("last")
        truth = all_of(box, "last")
        assert len(told) > 200 and producer.count > 200, (len(told), producer.count)
        same(told, truth[-len(told):])
        assert len(told) > len(truth) - 50, (len(told), len(truth))  # from its first moment on


@test("so is one whose box is killed again and again")
def _():
    with Box() as box:
        producer, told, position = Producer(box), [], "0"
        for _ in range(6):
            for _ in range(RANDOM.randrange(1, 6)):
                position = cut_off(box, position, told, RANDOM.randrange(0, 60))
            with Exact(box, after=position) as screen:
                for _ in range(RANDOM.randrange(1, 40)):
                    screen.next()
                box.kill9()
                try:
                    while True:
                        screen.next()
                except (Closed, OSError, AssertionError):
                    pass
                told += screen.told
                position = screen.position
            box.start()
        producer.stop()
        with Exact(box, after=position) as screen:
            told += screen.ended("last")
        assert not any(e["event"] == "signalbox.gap" for e in told), "nothing was lost"
        same(told, all_of(box, "last"))


@test("one that does not read for a while misses nothing, and costs nobody anything")
def _():
    config = "gateway: {max_buffered: 1MiB}\nlimits: {behind: 64KiB}\n"
    with config_box(config) as box, Exact(box) as deaf, Screen(box) as other:
        other.hello(caps=[])
        for i in range(150):
            say(box, "r1", "tool_call", {"agentId": "bot", "toolName": "t", "callId": f"c{i}",
                                         "input": {"words": "x" * 60000}})
        tell_a_run(box, "r2")
        other.chat("final", "r2")
        same(deaf.ended("r2"), all_of(box, "r2"))
        say(box, "r1", "completion", {"agentId": "bot", "taskId": "r1", "success": True})
        same(deaf.ended("r1"), all_of(box, "r1"))


@test("one that comes back in the middle of a run is told the rest as it was told others")
def _():
    with Box() as box, Exact(box) as screen:
        for i in range(30):
            for id in ("r1", "r2"):
                say(box, id, "text_delta", {"agentId": "bot", "content": f"{i} "})
        tell_a_run(box, "r1")
        truth = screen.ended("r1")
        places = {}  # how much was told, at each position
        with Exact(box, after="0") as reader:
            while len(reader.told) < len(truth):
                reader.next()
                places[reader.position] = len(reader.told)
        for position, told in RANDOM.sample(sorted(places.items()), 20):
            if told < len(truth):
                with Exact(box, after=position) as again:
                    same(again.ended("r1"), truth[told:])


@test("a run whose words the box has let go is told like any other")
def _():
    with config_box("journal: {segment: 64KiB}\n") as box:
        say(box, "r1", "text_delta", {"agentId": "bot", "content": "Once "})
        for _ in range(40):  # a checkpoint is made, which has no texts
            say(box, "r2", "text_delta", {"agentId": "bot", "content": "word " * 1000})
        box.kill9()
        box.start()
        with Exact(box) as screen, Exact(box) as other:
            for i in range(20):
                say(box, "r1", "text_delta", {"agentId": "bot", "content": f"{i} "})
            say(box, "r1", "completion", {"agentId": "bot", "taskId": "r1", "success": True})
            told = screen.ended("r1")
            assert text(told[-1]["payload"]["message"]).startswith("Once 0 1 2"), told[-1]
            same(told, all_of(box, "r1")[-len(told):])
            same(other.ended("r1"), told)
            tell_a_run(box, "r1")
            tell_a_run(box, "r3")
            same(screen.ended("r3"), all_of(box, "r3")[-len(screen.told):])


@test("one that comes back at the end stands there, and is told nothing twice")
def _():
    with Box() as box:
        tell_a_run(box, "r1")
        with Exact(box) as screen:
            end = screen.position
        with Exact(box, after=end) as again:
            for _ in range(3):  # before and after the journal has said where it stands
                answer = again.ask("events.position", {})
                assert answer["payload"]["position"] == end, (answer, end)
                time.sleep(0.05)
        with Exact(box, after=answer["payload"]["position"]) as last:
            tell_a_run(box, "r2")
            assert {e["payload"]["runId"] for e in last.ended("r2")} == {"r2"}, last.told


@test("a position that is gone is answered by a gap, and what there is follows")
def _():
    with Box() as box:
        tell_a_run(box, "r1")
        truth = all_of(box, "r1")
        with Exact(box, after="0123456789ab-7") as stranger:
            told = stranger.ended("r1")
            assert told[0]["event"] == "signalbox.gap", told[0]
            assert told[0]["payload"]["why"] == "lost", told[0]
            same(told[1:], truth)
        epoch, seq = stranger.position.split("-")
        with Exact(box, after=f"{epoch}-{int(seq) + 900}") as ahead:
            ahead.until(lambda e: e["event"] == "signalbox.gap")
            tell_a_run(box, "r2")
            assert [e["event"] for e in ahead.ended("r2")].count("signalbox.gap") == 1


judge_all(500)
run()
