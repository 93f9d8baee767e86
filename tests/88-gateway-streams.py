#!/usr/bin/env python3
"""The gateway dialect: what every client is told now and then, the numbers of events, and the doors."""

import time

from doors import config_box, upgrade
from gateway_clients import CLIENT, READ, Screen, Slow, judge_all, refused, tell_a_run
from lib import WS, Box, run, test


def hosts(presence):
    return [entry["host"] for entry in presence]


@test("presence has the newest fifty, and comes once a second at most")
def _():
    with Box() as box, Screen(box) as first:
        first.hello(client={**CLIENT, "displayName": "first"})
        begun = time.monotonic()
        screens = [Screen(box) for _ in range(60)]
        for i, screen in enumerate(screens):
            screen.hello(client={**CLIENT, "displayName": f"n{i}"})
        told = first.until(lambda e: e["event"] == "presence"
                           and "n59" in hosts(e["payload"]["presence"]))
        here = hosts(told["payload"]["presence"])
        assert len(here) == 50 and here[1:] == [f"n{i}" for i in range(59, 10, -1)], here
        with Screen(box) as late:
            snapshot = late.hello()["snapshot"]
            assert len(snapshot["presence"]) == 50
        for screen in screens:  # each tells of a change, again and again
            screen.ws.wire.close()
            time.sleep(0.02)
        first.until(lambda e: e["event"] == "presence" and e["stateVersion"]["presence"]
                    > snapshot["stateVersion"]["presence"] + 60)
        told = len([e for e in first.events if e["event"] == "presence"])
        assert told <= time.monotonic() - begun + 2, told


@test("ticks and health come as often as hello-ok says; versions grow, and are those of snapshots")
def _():
    with config_box("gateway: {tick: 1s}\n") as box, Screen(box) as screen, Screen(box) as blind:
        begun = time.monotonic()
        hello = screen.hello()
        blind.hello(scopes=[])
        assert hello["policy"]["tickIntervalMs"] == 1000
        last = hello["snapshot"]["stateVersion"]
        for n in range(3):
            screen.until(lambda e: e["event"] == "health" and e["stateVersion"]["health"]
                         > last["health"])
            last = [e for e in screen.events if e["event"] == "health"][-1]["stateVersion"]
        versions = [e["stateVersion"] for e in screen.events if e["event"] in ("presence", "health")]
        assert all(v.keys() == {"presence", "health"} for v in versions), versions
        assert all(a[k] <= b[k] for a, b in zip(versions, versions[1:]) for k in a), versions
        ticks = len([e for e in screen.events if e["event"] == "tick"])
        assert 6 <= ticks <= time.monotonic() - begun + 1, ticks
        with Screen(box) as late:
            later = late.hello()["snapshot"]["stateVersion"]
            assert all(later[k] >= last[k] for k in last), (later, last)
        blind.until(lambda e: e["event"] == "tick")


@test("clients that see the same things have the same numbers, whoever comes when")
def _():
    def numbers(screen, run):
        return [(e["event"], e["payload"]["seq"], e["seq"]) for e in screen.events
                if e["event"] in ("agent", "chat") and e["payload"]["runId"] == run]

    for protocol in (3, 4):
        with Box() as box, Screen(box) as one, Slow(box) as plain:
            one.hello(protocol)
            plain.hello(protocol, caps=[])
            tell_a_run(box, "r1")
            one.chat("final", "r1")
            plain.chat("final", "r1")
            assert bool(plain.lost) == (protocol == 3), "tools are not for it"
            with Screen(box) as two:
                two.hello(protocol)
                tell_a_run(box, "r2")
                assert [s.chat("final", "r2")["runId"] for s in (one, two, plain)] == ["r2"] * 3
                assert numbers(one, "r2") == numbers(two, "r2"), (numbers(one, "r2"), numbers(two, "r2"))
                shared = set(numbers(one, "r2")) >= set(numbers(plain, "r2"))
                assert shared == (protocol == 3), "one counter of the process, or one of each stream"


@test("a pinned listener takes any path and each host of auth.hosts, and no other host")
def _():
    config = "listen: [{address: '127.0.0.1:0', dialect: gateway}]\nauth: {hosts: [box.example]}\n"
    with config_box(config, listen=()) as box:
        for path in ("/", "/ws/signals", "/a/b?c=d"):
            for host, status in (("box.example", 101), (f"127.0.0.1:{box.port}", 101),
                                 ("evil.example", 421)):
                assert upgrade(box, path, {"Host": host}) == status, (path, host)
        with WS(box, "/", {"Sec-WebSocket-Protocol": "openclaw",
                           "Sec-WebSocket-Extensions": "permessage-deflate"}) as ws:
            assert not {"sec-websocket-protocol", "sec-websocket-extensions"} & set(ws.response.headers)
            assert ws.json()["event"] == "connect.challenge"


@test("too many wrong tokens, and too many connections of one, are told in the words of gateways")
def _():
    with config_box("limits: {caller_connections: 2}\n") as box:
        with Screen(box) as one, Screen(box) as two:
            one.hello()
            two.hello()
            error, code, _ = refused(box, {})
            assert (error["code"], error["retryable"], code) == ("UNAVAILABLE", True, 1013), error
        for _ in range(40):
            error, code, _ = refused(box, {"auth": {"token": "wrong"}})
            if error["details"]["code"] == "AUTH_RATE_LIMITED":
                break
        assert error["details"] == {"code": "AUTH_RATE_LIMITED", "authReason": "rate_limited",
                                    "canRetryWithDeviceToken": False,
                                    "recommendedNextStep": "wait_then_retry"}, error
        assert error["retryable"] and code == 1008, error
        with Screen(box) as owner:
            assert owner.hello(scopes=[READ])["auth"]["scopes"] == [READ], "never the right one"


judge_all(100)
run()
