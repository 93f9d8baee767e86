#!/usr/bin/env python3
"""Meeting an OpenClaw gateway, protocols 3 and 4: the handshake and its refusals,
devices, and what becomes of the token.

The gateway is gateway.py, which checks all that it is sent.
"""

import json
import os
import stat

from gateway import CAPS, SCOPES, Gateway, Refusal, add, ask, connected, end_of, in_state, sources
from lib import Box, eventually, run, temp_dir, test

CANARY = "canary-4f1c-token"


# --- the handshake -----------------------------------------------------------------


def says_what_it_is(protocol):
    with Box() as box, Gateway(protocol) as gateway:
        connected(box, gateway)
        params = gateway.connects[0]
        assert (params["minProtocol"], params["maxProtocol"]) == (3, 4), params
        assert params["client"]["id"] == "gateway-client" and params["client"]["mode"] == "backend"
        assert params["role"] == "operator" and params["caps"] == CAPS, params
        assert params["scopes"] == SCOPES and params["auth"] == {"token": gateway.token}, params
        assert len(params["device"]["id"]) == 64, params
        meta = sources(box)["claw"]["meta"]
        assert meta["protocol"] == protocol and meta["scopes"] == params["scopes"], meta
        gateway.event("agent", {"runId": "r1", "stream": "assistant", "sessionKey": "agent:main:x",
                                "data": {"delta": "hi", "text": "hi"}})
        said = eventually(lambda: [s for s in box.history("&type=text_delta")])
        assert said[0]["payload"]["content"] == "hi" and said[0]["correlationId"] == "r1", said
        assert said[0]["source"] == "claw", said


@test("a gateway of protocol 4 is told who we are, and its events become signals")
def _():
    says_what_it_is(4)


@test("so is one of protocol 3")
def _():
    says_what_it_is(3)


@test("a challenge that is not wrapped in an event is one too")
def _():
    with Box() as box, Gateway(3, bare_challenge=True) as gateway:
        connected(box, gateway)


@test("refusals are told in words, and make no sense a second time")
def _():
    cases = [
        (4, dict(token="other"), "does not know this token"),
        (3, dict(token="other"), "does not know this token"),
        (4, dict(refusal=Refusal("INVALID_REQUEST", "protocol mismatch", 1002,
                                 {"expectedProtocol": 9})), "speaks protocol 9, we speak 3 to 4"),
        (4, dict(refusal=Refusal("INVALID_REQUEST", "origin not allowed")), "origin not allowed"),
        (4, dict(refusal=Refusal("INVALID_REQUEST", "x" * 5000)), "refused the handshake: xxx"),
    ]
    with Box() as box:
        for number, (protocol, members, words) in enumerate(cases):
            with Gateway(protocol, **members) as gateway:
                add(box, gateway, id=f"c{number}", credential="mine")
                source = in_state(box, "error", f"c{number}")
                assert words in source["error"], source
                assert source["retryAt"] is None and len(gateway.connects) == 1, source
        told = [s["payload"] for s in box.history("&type=source.state")]
        assert len([t for t in told if t["to"] == "error" and t["error"]]) == len(cases), told


@test("a gateway that is still starting is tried again when it says")
def _():
    with Box() as box, Gateway() as gateway:
        gateway.refusal = Refusal("UNAVAILABLE", "gateway starting", 1013,
                                  {"reason": "startup-sidecars"}, retryable=True, retryAfterMs=50)
        add(box, gateway)
        eventually(lambda: "gateway starting" in (sources(box)["claw"]["error"] or ""))
        gateway.refusal = None
        in_state(box, "connected")


@test("an upgrade that is refused is told with its status")
def _():
    with Box() as box, Gateway(refuses_upgrade=True) as gateway:
        add(box, gateway)
        eventually(lambda: "503" in (sources(box)["claw"]["error"] or ""))


# --- devices -------------------------------------------------------------------------


def device_file(box):
    path = box.data / "openclaw-device.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.stat()
    return json.loads(path.read_text())


def proves_itself(protocol):
    data = temp_dir() / "data"
    with Gateway(protocol, wants_device=True) as gateway:
        with Box(data=data) as box:
            connected(box, gateway)
            first = gateway.connects[0]["device"]
            assert device_file(box)["tokens"] == {gateway.url: gateway.devices[first["id"]]}
        with Box(data=data) as box:
            eventually(lambda: len(gateway.connects) == 2)
            in_state(box, "connected")
            again = gateway.connects[1]["device"]
            assert again["id"] == first["id"] and again["signature"] != first["signature"]


@test("a gateway that wants a device gets a signature that OpenSSL verifies")
def _():
    proves_itself(4)


@test("so does one of protocol 3, in its own form")
def _():
    proves_itself(3)


@test("a gateway that clears the scopes of who is no device leaves us ours")
def _():
    with Box() as box, Gateway(clears_scopes=True) as gateway:
        connected(box, gateway)
        assert sources(box)["claw"]["meta"]["scopes"] == SCOPES, sources(box)


@test("the challenge is signed at the time that the gateway says")
def _():
    with Box() as box, Gateway(ahead_ms=3 * 3600 * 1000) as gateway:
        connected(box, gateway)


@test("without a token the device is what speaks for us, and its own token later")
def _():
    data = temp_dir() / "data"
    with Gateway() as gateway:
        with Box(data=data) as box:
            add(box, gateway, credential=None)
            source = in_state(box, "error")
            assert "does not know this token" in source["error"], source
            # Somebody pairs it by hand: from now on the gateway knows its token.
            device = gateway.connects[0]["device"]["id"]
            saved = device_file(box)
            saved["tokens"] = {gateway.url: gateway.devices[device]}
            (box.data / "openclaw-device.json").write_text(json.dumps(saved))
            box.request("POST", "/api/sources/claw/connect")
            in_state(box, "connected")
            assert gateway.connects[-1]["auth"]["token"] == gateway.devices[device]


@test("a device that must be approved says how, and connects once it is")
def _():
    with Box() as box, Gateway(wants_device=True, approves=False) as gateway:
        add(box, gateway)
        source = eventually(lambda: (s := sources(box)["claw"]) and s["error"] and s)
        assert "openclaw devices approve req-1234" in source["error"], source
        gateway.approves = True
        in_state(box, "connected")


# --- secrets -------------------------------------------------------------------------------


@test("the token is in no log, no signal and no answer")
def _():
    with Box(args=["--log-level", "debug"]) as box, Gateway(token=CANARY, wants_device=True) as gateway:
        connected(box, gateway)
        end_of(box, ask(box, "hi")["run"])
        gateway.drop()
        in_state(box, "connected", connects=2)
        gateway.token = "another"
        gateway.drop()
        in_state(box, "connected", connects=3)
        device_token = list(gateway.devices.values())[0]
        shown = [box.log(), json.dumps(box.history()), json.dumps(sources(box)),
                 box.request("GET", "/api/status").text, *gateway.heads]
        for secret in (CANARY, device_token):
            assert not any(secret in text for text in shown), "a secret was shown"
        held = {p.name for p in box.data.iterdir() if p.is_file()
                and any(s.encode() in p.read_bytes() for s in (CANARY, device_token))}
        for name in held:
            assert stat.S_IMODE(os.stat(box.data / name).st_mode) == 0o600, name


run()
