#!/usr/bin/env python3
"""The gateway dialect: clients that read too slowly, in a stream that they share with others.

What may be dropped is lost to them, which their stream's numbers show; everything else comes in order, and
then what is true now.
"""

from doors import config_box
from gateway_clients import CLIENT, Screen, Slow, judge_all, say, text
from lib import run, test

LITTLE = 65536  # of bytes that its socket keeps: what is not read is soon too much
CONFIG = "gateway: {pace: 1ms, snapshot_rate: 64MiB, max_buffered: 64MiB}\nlimits: {behind: 64KiB}\n"


def flood(box, quick, run, count):
    """Chat deltas that each have all of it, more than sockets hold; the quick one reads them."""
    words = "a longer word here " * 40
    for n in range(count):
        say(box, run, "text_delta", {"agentId": "bot", "content": words})
        if n % 50 == 0:
            quick.ask("health", {})
            quick.events.clear()
    return words * count


def hosts(presence):
    return sorted(entry["host"] for entry in presence)


@test("it loses what may be dropped, gets the rest in order, then the text of each live run")
def _():
    for protocol in (3, 4):
        with config_box(CONFIG) as box, Slow(box, receive_buffer=LITTLE) as slow, Slow(box) as quick:
            slow.hello(protocol)
            quick.hello(protocol)
            say(box, "r2", "text_delta", {"agentId": "bot", "content": "the other"})
            told = flood(box, quick, "r1", 600)  # less than what is kept of a text that grows
            quick.until(lambda e: e["event"] == "agent" and e["payload"]["runId"] == "r1")
            anew = [slow.until(lambda e: e["event"] == "chat" and "seq" not in e
                               and e["payload"]["runId"] == run)["payload"] for run in ("r1", "r2")]
            assert [text(a["message"]) == t for a, t in zip(anew, (told, "the other"))] == [True, True]
            assert slow.lost and all(a.get("replace") is (True if protocol == 4 else None) for a in anew)
            say(box, "r1", "completion", {"agentId": "bot", "taskId": "t", "success": True})
            slow.chat("final", "r1")
            assert "".join(e["data"]["delta"] for e in slow.of("agent", "r1")
                           if e["stream"] == "assistant") == told, "none of these may be dropped"
            lost = slow.lost
            say(box, "r3", "text_delta", {"agentId": "bot", "content": "live again"})
            slow.chat("delta", "r3")
            assert slow.lost == lost


@test("who is here is true again after a loss, for one that applies newer versions alone")
def _():
    with config_box(CONFIG) as box, Slow(box, receive_buffer=LITTLE) as slow, Slow(box) as quick:
        shown = slow.hello()["snapshot"]
        quick.hello()
        with Screen(box) as passer:
            passer.hello(client={**CLIENT, "displayName": "passer"})
            quick.until(lambda e: e["event"] == "presence"
                        and "passer" in hosts(e["payload"]["presence"]))
            flood(box, quick, "r1", 600)
        quick.until(lambda e: e["event"] == "presence"
                    and "passer" not in hosts(e["payload"]["presence"]))
        flood(box, quick, "r2", 300)
        truth = quick.ask("system-presence", {})["payload"]
        slow.until(lambda e: e["event"] == "chat" and "seq" not in e)
        slow.ask("health", {})
        assert slow.lost
        version, seen = shown["stateVersion"]["presence"], shown["presence"]
        for event in slow.events:
            if event["event"] == "presence" and event["stateVersion"]["presence"] > version:
                version, seen = event["stateVersion"]["presence"], event["payload"]["presence"]
        assert hosts(seen) == hosts(truth), (hosts(seen), hosts(truth))


judge_all(20)
run()
