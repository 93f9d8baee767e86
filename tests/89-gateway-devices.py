#!/usr/bin/env python3
"""The gateway dialect: who comes in, as what, and what is kept from everybody else.

Every row of the two tables of handshakes, devices that are paired, and input that is bad.
"""

import base64
import hashlib
import json
import os
import time
from pathlib import Path

from doors import bearer, config_box, config_of, reload, upgrade
from gateway_clients import CLIENT, READ, WRITE, Key, Screen, judge_all, say, sign
from lib import SIGNALBOX, Box, cli, eventually, run, temp_dir, test


# --- the configuration --------------------------------------------------------


@test("agents are a map of names to sources, which follows a SIGHUP")
def _():
    with config_box("gateway: {agents: {main: script, other: more}, default_agent: other}\n") as box:
        with Screen(box) as screen:
            hello = screen.hello()
            assert hello["snapshot"]["sessionDefaults"]["defaultAgentId"] == "other", hello
            say(box, "r1", "text_delta", {"agentId": "bot", "content": "x"})
            event = screen.until(lambda e: e["event"] == "chat")
            assert event["payload"]["sessionKey"] == "agent:main:r1", event
        reload(box, "gateway: {agents: {chief: script}, tick: 5s, max_payload: 2MiB}\n")
        for key in ("tick", "max_payload"):
            assert f"gateway.{key} is another one, which needs a restart" in box.log(), key
        with Screen(box) as screen:
            hello = screen.hello()
            assert hello["policy"]["tickIntervalMs"] == 30000, hello["policy"]
            assert hello["policy"]["maxPayload"] == 1 << 20, hello["policy"]
            assert hello["snapshot"]["sessionDefaults"]["defaultAgentId"] == "chief", hello
            say(box, "r2", "text_delta", {"agentId": "bot", "content": "x"})
            event = screen.until(lambda e: e["event"] == "chat"
                                 and e["payload"]["runId"] == "r2")
            assert event["payload"]["sessionKey"] == "agent:chief:r2", event


@test("a message may be as long as hello-ok says, and a longer one is closed with 1009")
def _():
    with config_box("gateway: {max_payload: 128KiB}\n") as box, Screen(box) as other:
        other.hello()
        with Screen(box) as screen:
            most = screen.hello()["policy"]["maxPayload"]
            assert most == 128 << 10
            frame = '{"type":"req","id":"long","method":"health","params":{}}'
            screen.ws.send(frame + " " * (most - len(frame)))
            answer = screen.ws.json()
            while answer["type"] != "res":
                answer = screen.ws.json()
            assert answer["ok"] and answer["id"] == "long", answer
            screen.ws.send(frame + " " * (most - len(frame) + 1))
            assert screen.closed()[0] == 1009
        assert other.ask("health")["ok"]


@test("the whole text is in each frame of an agent if that is wanted")
def _():
    long = "word " * 2000
    for config, has in (("", False), ("gateway: {text: full}\n", True)):
        with config_box(config) as box, Screen(box) as screen:
            screen.hello()
            say(box, "r1", "text_delta", {"agentId": "bot", "content": long})
            data = screen.until(lambda e: e["event"] == "agent" and e["payload"]["stream"]
                                == "assistant")["payload"]["data"]
            assert data["delta"] == long and data.get("text") == (long if has else None), has


# --- before anybody is known ----------------------------------------------------


@test("who is known by its request has no more time for connect than a stranger")
def _():
    with Box() as box:
        known = bearer(box.token)
        with Screen(box, headers=known) as mute, Screen(box, headers=known) as screen:
            screen.hello(auth={})
            mute.ws.timeout(40)
            assert mute.closed() == (1000, "")
            assert screen.ask("health")["ok"]


@test("the first message has at most 64 KiB, whoever sends it")
def _():
    with Box() as box, Screen(box) as other:
        other.hello()
        for headers in (None, bearer(box.token)):
            with Screen(box, headers=headers) as screen:
                screen.ws.send("x" * (65 << 10))
                assert screen.closed()[0] == 1009
        assert other.ask("health")["ok"]


# --- the tables of handshakes ---------------------------------------------------

TUI = {**CLIENT, "id": "openclaw-tui", "mode": "ui"}
PAGE = {**CLIENT, "id": "openclaw-control-ui", "mode": "webchat"}
CLI = {**CLIENT, "id": "cli", "mode": "cli"}
TEST = {**CLIENT, "id": "test", "mode": "test"}
ADMIN, APPROVALS = "operator.admin", "operator.approvals"
EYE = "e" * 64
EYE_CONFIG = "auth: {tokens: [{name: eye, file: TOP/eye, scopes: observe}]}\n"


def connect(box, protocol=4, key=None, **params):
    """What a connect brings: hello-ok, or the error, the close code and its reason."""
    with Screen(box) as screen:
        answer, ok = try_connect(screen, protocol, key, **params)
        return answer if ok else (answer, *screen.closed())


def try_connect(screen, protocol=4, key=None, **params):
    version, wrong = params.pop("version", 3), params.pop("wrong", {})
    asked = screen.params(protocol, **params)
    screen.protocol = protocol
    if key:
        asked["device"] = sign(asked, key, screen.challenge["payload"]["nonce"], version, **wrong)
    answer = screen.ask("connect", asked)
    return (answer["payload"], True) if answer["ok"] else (answer["error"], False)


def device_of(hello):
    return hello.get("auth", {}).get("deviceToken")


@test("without a device: which clients keep the scopes that they asked for")
def _():
    with Box() as box:
        for client, protocol, scopes, kept in (
                (CLIENT, 3, [READ], True), (CLIENT, 4, [READ], True),
                (CLI, 3, [READ], True), (CLI, 4, [READ], True),
                (TEST, 3, [READ], True), (TEST, 4, [READ], False),
                (TUI, 3, [READ], True), (TUI, 4, [READ], False),
                (CLIENT, 3, [], True), (CLIENT, 4, [], False)):
            with Screen(box) as screen:
                hello = screen.hello(protocol, client=client, scopes=scopes)
                assert screen.ask("health")["ok"] == kept, (client, protocol, scopes)
                if protocol == 4:
                    assert hello["auth"] == {"role": "operator",
                                             "scopes": scopes if kept else []}, hello
                else:
                    assert "auth" not in hello, hello
                if protocol == 3 and not scopes:  # then it is all of them
                    assert screen.ask("device.pair.list", {})["ok"]


@test("no secret, a wrong one and one in the field of passwords")
def _():
    wrong = "unauthorized: gateway token mismatch (provide gateway auth token)"
    nobody = {"code": "NOT_PAIRED", "message": "device identity required"}
    with Box() as box:
        assert connect(box, 3, auth={}) == (nobody, 1008, nobody["message"])
        assert connect(box, 4, auth={}) == (
            {**nobody, "details": {"code": "DEVICE_IDENTITY_REQUIRED"}}, 1008, nobody["message"])
        assert connect(box, 3, auth={"token": "x"}) == (
            {"code": "INVALID_REQUEST", "message": wrong}, 1008, wrong)
        assert connect(box, 4, auth={"token": "x"}) == (
            {"code": "INVALID_REQUEST", "message": wrong, "details": {
                "code": "AUTH_TOKEN_MISMATCH", "authReason": "token_mismatch",
                "canRetryWithDeviceToken": False,
                "recommendedNextStep": "update_auth_credentials"}}, 1008, wrong)
        assert connect(box, 3, auth={"password": box.token}) == (nobody, 1008, nobody["message"])
        assert connect(box, 4, auth={"password": box.token})["type"] == "hello-ok"
        for protocol in (3, 4):
            assert connect(box, protocol, auth={"deviceToken": box.token})["type"] == "hello-ok"


@test("a page of another origin is refused before anything is said, and one of auth.origins is not")
def _():
    with config_box("auth: {origins: ['http://friend.example']}\n") as box:
        for origin, status in (("http://evil.example", 403), ("null", 403),
                               ("http://friend.example", 101)):
            assert upgrade(box, "/ws/gateway", {"Origin": origin}) == status, origin
        with Screen(box, headers={"Origin": "http://friend.example"}) as screen:
            assert screen.hello(client=PAGE)["auth"]["scopes"] == []


@test("the challenge is an id and a moment, without a number")
def _():
    with Box() as box, Screen(box) as screen:
        payload = screen.challenge["payload"]
        assert screen.challenge.keys() == {"type", "event", "payload"}, screen.challenge
        assert payload.keys() == {"nonce", "ts", "capabilities"}, payload
        assert abs(payload["ts"] / 1000 - time.time()) < 60


# --- devices ----------------------------------------------------------------------


@test("a device that comes with a token is paired by it, and comes again with its own")
def _():
    for protocol, version in ((3, 2), (3, 3), (4, 2), (4, 3)):
        key = Key()
        with Box() as box:
            hello = connect(box, protocol, key, client=TUI, version=version)
            token = device_of(hello)
            assert len(base64.urlsafe_b64decode(token + "=")) == 32, hello
            assert hello["auth"]["scopes"] == [READ, WRITE], hello
            assert device_of(connect(box, protocol, key, client=TUI)) is None
            for auth in ({"token": token}, {"deviceToken": token},
                         {"token": token, "deviceToken": token},
                         {"token": "wrong", "deviceToken": token}):
                again = connect(box, protocol, key, client=TUI, auth=auth)
                assert again["type"] == "hello-ok" and not device_of(again), (auth, again)
            file = box.data / "gateway-devices.json"
            eventually(file.exists)
            assert file.stat().st_mode & 0o777 == 0o600
            rows = json.loads(file.read_text())
            assert [row["deviceId"] for row in rows] == [hashlib.sha256(key.public).hexdigest()]
            assert token not in file.read_text() and box.token not in file.read_text()
            assert hashlib.sha256(box.token.encode()).hexdigest() not in file.read_text()


@test("a device may write its key as PEM or in plain base64, and is the same one")
def _():
    key = Key()
    usual = base64.urlsafe_b64encode(key.public).decode().rstrip("=")
    with Box() as box:
        for spelt in (key.openssl("pkey", "-in", "key.pem", "-pubout").decode(),
                      base64.b64encode(key.public).decode(), usual):
            hello = connect(box, key=key, client=TUI, wrong={"spelt": spelt})
            assert hello["type"] == "hello-ok", (spelt, hello)
            (row,) = box.request("GET", "/api/devices").json()["devices"]
            assert row["publicKey"] == usual, row
        other = Key().openssl("pkey", "-in", "key.pem", "-pubout").decode()
        error, code, _ = connect(box, key=key, client=TUI, wrong={"spelt": other})
        assert error["details"]["code"] == "DEVICE_AUTH_DEVICE_ID_MISMATCH", error


@test("the token of a device is of no use to another key, and to nobody without one")
def _():
    with Box() as box:
        mine, other = Key(), Key()
        token = device_of(connect(box, key=mine, client=TUI))
        error, code, reason = connect(box, key=other, client=TUI, auth={"deviceToken": token})
        words = "unauthorized: device token mismatch (rotate/reissue device token)"
        assert (error["message"], code, reason) == (words, 1008, words), error
        assert error["details"]["code"] == "AUTH_DEVICE_TOKEN_MISMATCH", error
        error, _, _ = connect(box, client=CLI, auth={"deviceToken": token})
        assert error["message"] == words, error
        error, _, _ = connect(box, 3, client=CLI, auth={"token": token})
        assert error["message"].startswith("unauthorized: gateway token mismatch"), error
        # Its own key tells it that it has a token that may do.
        error, _, _ = connect(box, key=mine, client=TUI, auth={"token": "old"})
        assert error["details"]["canRetryWithDeviceToken"] is True, error
        assert error["details"]["recommendedNextStep"] == "retry_with_device_token", error


@test("a device survives a restart, and its scopes are at most those of its token")
def _():
    key = Key()
    with config_box(EYE_CONFIG, files={"eye": EYE}) as box:
        hello = connect(box, key=key, client=TUI, scopes=[READ, WRITE, ADMIN], auth={"token": EYE})
        assert hello["auth"]["scopes"] == [READ], hello
        token = device_of(hello)
        box.stop()
        box.start()
        again = connect(box, key=key, client=TUI, scopes=[READ, ADMIN], auth={"deviceToken": token})
        assert again["auth"]["scopes"] == [READ], again
        # With a better token it is another credential.
        more = connect(box, key=key, client=TUI, scopes=[READ, ADMIN])
        assert more["auth"]["scopes"] == [READ, ADMIN], more
        better = device_of(more)
        assert better and better != token
        assert connect(box, key=key, client=TUI, auth={"deviceToken": token})[1] == 1008
        assert connect(box, key=key, client=TUI, scopes=[ADMIN],
                       auth={"deviceToken": better})["auth"]["scopes"] == [ADMIN]


@test("a device ends with its token: what it has open is closed, and its own token opens nothing")
def _():
    key, kept = Key(), Key()
    with config_box(EYE_CONFIG, files={"eye": EYE}) as box:
        token = device_of(connect(box, key=key, client=TUI, scopes=[READ], auth={"token": EYE}))
        with Screen(box) as by_device, Screen(box) as by_token, Screen(box) as other:
            try_connect(by_device, key=key, client=TUI, scopes=[READ],
                        auth={"deviceToken": token})
            try_connect(by_token, key=key, client=TUI, scopes=[READ], auth={"token": EYE})
            assert try_connect(other, key=kept, client=TUI)[1]
            (config_of(box).parent / "eye").write_text("f" * 64)
            reload(box, EYE_CONFIG)
            assert by_device.closed() == (4001, "gateway auth changed")
            assert by_token.closed() == (4001, "gateway auth changed")
            assert other.ask("health")["ok"]
        error, code, _ = connect(box, key=key, client=TUI, auth={"deviceToken": token})
        assert (error["details"]["code"], code) == ("AUTH_DEVICE_TOKEN_MISMATCH", 1008), error
        assert [d["clientId"] for d in devices(box)] == ["openclaw-tui"], devices(box)


@test("a token that ended while the box was down takes its devices with it, too")
def _():
    key = Key()
    with config_box(EYE_CONFIG, files={"eye": EYE}) as box:
        token = device_of(connect(box, key=key, client=TUI, scopes=[READ], auth={"token": EYE}))
        box.stop()
        config_of(box).write_text("gateway: {}\n")
        box.start()
        assert connect(box, key=key, client=TUI, auth={"deviceToken": token})[1] == 1008
        assert devices(box) == []


# --- devices that wait ------------------------------------------------------------


def devices(box):
    return json.loads(cli("devices", "--json", "--data", box.data).out)


def waits(box, key, protocol=4, **params):
    """The id under which a device waits."""
    params = {"client": TUI, "auth": {}, **params}
    error, code, reason = connect(box, protocol, key, **params)
    assert (error["code"], code) == ("NOT_PAIRED", 1008), error
    return error["details"]["requestId"], error, reason


@test("a device without a token waits, in the words of each protocol")
def _():
    with Box() as box:
        key = Key()
        id, error, reason = waits(box, key)
        assert error == {
            "code": "NOT_PAIRED", "message": "pairing required: device is not approved yet",
            "details": {"code": "PAIRING_REQUIRED", "reason": "not-paired", "requestId": id,
                        "remediationHint": "Approve this device from the pending pairing requests.",
                        "deviceId": hashlib.sha256(key.public).hexdigest(),
                        "requestedRole": "operator", "requestedScopes": [READ, WRITE]}}, error
        assert reason == f"pairing required: device is not approved yet (requestId: {id})"
        assert waits(box, key)[0] == id  # it is the same wish
        old, error, reason = waits(box, Key(), 3)
        assert error == {"code": "NOT_PAIRED", "message": "pairing required",
                         "details": {"requestId": old}}, error
        assert reason == "pairing required"
        _, error, _ = waits(box, Key(), client=PAGE)
        assert error["details"]["recommendedNextStep"] == "wait_then_retry", error
        assert error["details"]["pauseReconnect"] is False, error
        # A key that is paired by a token waits without one, as any other.
        paired = Key()
        connect(box, key=paired, client=TUI)
        waits(box, paired)


@test("a person lets it in, with the scopes that it asked for, but for admin")
def _():
    with Box() as box:
        for scopes, given, granted in (
                ([READ, WRITE], (), [READ, WRITE]),
                ([READ, ADMIN], (), [READ]),
                ([ADMIN], ("--scopes", "all"), [ADMIN]),
                ([READ, WRITE], ("--scopes", "observe"), [READ])):
            key = Key()
            id, _, _ = waits(box, key, scopes=scopes)
            assert cli("devices", "approve", id, *given, "--data", box.data).code == 0
            hello = connect(box, key=key, client=TUI, scopes=scopes, auth={})
            assert hello["auth"]["scopes"] == granted, (scopes, given, hello)
            token = device_of(hello)
            for auth in ({"deviceToken": token}, {}):  # its key alone is good, too
                again = connect(box, key=key, client=TUI, scopes=scopes, auth=auth)
                assert again["auth"] == {"role": "operator", "scopes": granted}, again
        key = Key()
        id, _, _ = waits(box, key, scopes=[])
        done = cli("devices", "approve", id, "--data", box.data)
        assert done.code == 1 and "asked for nothing" in done.err, done


@test("an approval is for what was asked for, and for nothing that is asked for later")
def _():
    with Box() as box:
        key = Key()
        first, _, _ = waits(box, key, scopes=[READ])
        second, _, _ = waits(box, key, scopes=[READ, WRITE, APPROVALS])
        assert first != second
        assert cli("devices", "approve", first, "--data", box.data).code == 1
        assert [d["name"] for d in devices(box)] == [second]
        shown = cli("devices", "--data", box.data)
        assert "waits" in shown.out and "observe,answer,control" in shown.out, shown
        assert cli("devices", "reject", second, "--data", box.data).code == 0
        assert devices(box) == []
        assert waits(box, key)[0] not in (first, second)


@test("sixteen wait at most, and the next one is told to come again")
def _():
    with Box() as box, Screen(box) as other:
        other.hello()
        keys = [Key() for _ in range(17)]
        ids = {waits(box, key)[0] for key in keys[:16]}
        assert len(ids) == 16
        error, code, _ = connect(box, key=keys[16], client=TUI, auth={})
        assert error["code"] == "NOT_PAIRED" and code == 1008, error
        assert "requestId" not in error["details"], error
        assert error["details"]["recommendedNextStep"] == "wait_then_retry", error
        assert waits(box, keys[3])[0] in ids
        assert cli("devices", "reject", ids.pop(), "--data", box.data).code == 0
        assert waits(box, keys[16])[0]
        assert connect(box, client=CLI)["type"] == "hello-ok"
        assert other.ask("health")["ok"]


@test("a device that is removed is closed at once, and has to wait again")
def _():
    with Box() as box:
        key = Key()
        id, _, _ = waits(box, key)
        assert cli("devices", "approve", id, "--data", box.data).code == 0
        for how in ("remove", "revoke"):
            with Screen(box) as screen:
                hello, ok = try_connect(screen, key=key, client=TUI, auth={})
                assert ok, hello
                assert cli("devices", how, id, "--data", box.data).code == 0
                assert screen.closed() == (4001, "device removed")
            id, _, _ = waits(box, key)
            assert cli("devices", "approve", id, "--data", box.data).code == 0
        assert cli("devices", "remove", "nobody", "--data", box.data).code == 1


@test("who waits too long is forgotten, and those who may pair are told")
def _():
    shift = temp_dir() / "shift"
    address = os.environ.get("ASAN_OPTIONS", "")
    library = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "libclock.so"
    with Box(env={"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(shift),
                  "ASAN_OPTIONS": f"{address}:verify_asan_link_order=0"}) as box:
        with Screen(box) as chief:
            chief.hello(scopes=["operator.pairing"])
            id, _, _ = waits(box, Key())
            row, = devices(box)
            assert row["untilMs"] - row["sinceMs"] == 5 * 60 * 1000, row
            shift.symlink_to("290")
            assert [d["name"] for d in devices(box)] == [id]
            shift.unlink()
            shift.symlink_to("301")
            told = chief.until(lambda e: e["event"] == "device.pair.resolved")["payload"]
            assert (told["requestId"], told["decision"]) == (id, "expired"), told
            assert devices(box) == []
            assert cli("devices", "approve", id, "--data", box.data).code == 1


@test("tokens that are read again end devices, too")
def _():
    with config_box(EYE_CONFIG, files={"eye": EYE}) as box:
        key = Key()
        with Screen(box) as screen:
            assert try_connect(screen, key=key, client=TUI, scopes=[READ], auth={"token": EYE})[1]
            (config_of(box).parent / "eye").write_text("f" * 64)
            assert box.request("POST", "/api/token/reload", {}).status == 200
            assert screen.closed() == (4001, "gateway auth changed")


@test("a connection ends with its token, and with what that token may no more")
def _():
    both = EYE_CONFIG.replace("]}", ", {name: hand, file: TOP/hand, scopes: 'observe,control'}]}")
    hand = "a" * 64
    with config_box(both, files={"eye": EYE, "hand": hand}) as box, Screen(box) as own:
        with Screen(box) as watching, Screen(box) as asking, Screen(box) as kept:
            own.hello()
            watching.hello(auth={"token": EYE})
            asking.hello(auth={"password": hand})
            reload(box, both)
            for screen in (own, watching, asking):
                assert screen.ask("health")["ok"], "nothing has changed for them"
            reload(box, both.replace("observe,control", "observe"))
            assert asking.closed() == (4001, "gateway auth changed")
            kept.hello(auth={"token": hand})
            (config_of(box).parent / "eye").write_text("f" * 64)
            assert box.request("POST", "/api/token/reload", {}).status == 200
            assert watching.closed() == (4001, "gateway auth changed")
            assert kept.ask("health")["ok"] and own.ask("health")["ok"]
        assert cli("token", "rotate", "--data", box.data).code == 0
        assert own.closed() == (4001, "gateway auth changed")


@test("the API approves, rejects and removes, for admin alone")
def _():
    with config_box(EYE_CONFIG, files={"eye": EYE}) as box:
        key = Key()
        id, _, _ = waits(box, key)
        for verb in ("approve", "reject", "remove"):
            path = f"/api/devices/{id}/{verb}"
            refused = box.request("POST", path, {}, headers=bearer(EYE), unix=False)
            assert refused.status == 403, (verb, refused)
            assert box.request("POST", f"/api/devices/no-one/{verb}", {}).status == 404
        for bad in ({"scopes": 1}, {"scopes": "made-up"}, {"scopes": "none"}, []):
            assert box.request("POST", f"/api/devices/{id}/approve", bad).status == 400, bad
        listed = box.request("GET", "/api/devices").json()
        assert listed["devices"] == [] and listed["waiting"][0]["name"] == id, listed
        assert box.request("POST", f"/api/devices/{id}/approve", {"scopes": "observe"}).status == 200
        assert box.request("POST", f"/api/devices/{id}/approve", {}).status == 404
        listed = box.request("GET", "/api/devices").json()
        assert listed["waiting"] == [] and listed["devices"][0]["scopes"] == ["observe"], listed
        assert box.request("POST", f"/api/devices/{id}/remove", {}).status == 200
        id, _, _ = waits(box, key)
        assert box.request("POST", f"/api/devices/{id}/reject").status == 200


@test("clients that may pair are told, list and decide; others are not and may not")
def _():
    every = [READ, WRITE, ADMIN, "operator.pairing"]
    with Box() as box, Screen(box) as chief, Screen(box) as plain, Screen(box) as old:
        chief.hello(scopes=every)
        plain.hello()
        old.hello(3, scopes=every)
        key = Key()
        id, _, _ = waits(box, key, client={**TUI, "displayName": "desk\u0007top"})
        event = chief.until(lambda e: e["event"] == "device.pair.requested")
        assert "seq" not in event and event["payload"]["requestId"] == id, event
        assert event["payload"]["displayName"] == "desk\ufffdtop", event
        assert old.until(lambda e: e["event"] == "device.pair.requested")["payload"] == \
            event["payload"]
        listed = chief.ask("device.pair.list", {})["payload"]
        assert listed == {"pending": [event["payload"]], "paired": []}, listed
        error = plain.ask("device.pair.approve", {"requestId": id})["error"]
        assert error["message"] == "missing scope: operator.pairing", error
        for method, params, words in (
                ("approve", {"requestId": "no"}, "unknown requestId"),
                ("reject", {"requestId": "no"}, "unknown requestId"),
                ("remove", {"deviceId": "no"}, "unknown deviceId")):
            error = chief.ask(f"device.pair.{method}", params)["error"]
            assert error == {"code": "INVALID_REQUEST", "message": words}, error
        done = chief.ask("device.pair.approve", {"requestId": id})["payload"]
        assert done["device"]["scopes"] == [READ, WRITE, "operator.talk"], done
        told = chief.until(lambda e: e["event"] == "device.pair.resolved")["payload"]
        assert (told["requestId"], told["decision"]) == (id, "approved"), told
        with Screen(box) as screen:
            assert try_connect(screen, key=key, client=TUI, auth={})[1]
            row, = chief.ask("device.pair.list", {})["payload"]["paired"]
            assert row["connected"] and len(row["tokens"]) == 1, row
            assert "digest" not in json.dumps(row) and "token\"" not in json.dumps(row), row
            assert chief.ask("device.pair.remove", {"deviceId": row["deviceId"]})["ok"]
            assert screen.closed() == (4001, "device removed")
        id, _, _ = waits(box, key)
        assert chief.ask("device.pair.reject", {"requestId": id})["ok"]
        told = chief.until(lambda e: e["event"] == "device.pair.resolved"
                           and e["payload"]["requestId"] == id)["payload"]
        assert told["decision"] == "rejected", told
        plain.ask("health")
        assert not [e for e in plain.events if e["event"].startswith("device.")], plain.events


@test("one that counts positions is told of devices once it has subscribed")
def _():
    every = [READ, WRITE, ADMIN, "operator.pairing"]
    with Box() as box, Screen(box) as quiet, Screen(box) as chief:
        quiet.hello(scopes=every, caps=["signalbox-positions"])
        chief.hello(scopes=every)
        first, _, _ = waits(box, Key())
        chief.until(lambda e: e["event"] == "device.pair.requested")
        assert quiet.ask("events.subscribe", {})["ok"]
        assert quiet.events == [], quiet.events
        second, _, _ = waits(box, Key())
        event = quiet.until(lambda e: e["event"] == "device.pair.requested")
        assert event["payload"]["requestId"] == second, event


@test("a device that comes again is not written again, and neither by a look at the list")
def _():
    with Box() as box:
        key, file = Key(), box.data / "gateway-devices.json"
        assert device_of(connect(box, key=key, client=TUI))
        eventually(file.exists)
        before = file.stat()
        for _ in range(2):
            assert connect(box, key=key, client=TUI)["type"] == "hello-ok"
            assert devices(box)
            time.sleep(1.5)  # what is to be written is written within a second
        after = file.stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
        seen = devices(box)[0]["seenMs"]
        box.stop()
        box.start()
        assert devices(box)[0]["seenMs"] == seen, "it is written at the end"


@test("a device whose removal is not on the disk is closed, and who removed it is told")
def _():
    with Box() as box, Screen(box) as chief, Screen(box) as screen:
        chief.hello(scopes=[READ, WRITE, ADMIN, "operator.pairing"])
        assert try_connect(screen, key=Key(), client=TUI)[1]
        file = box.data / "gateway-devices.json"
        eventually(file.exists)
        file.unlink()
        file.mkdir()
        row, = chief.ask("device.pair.list", {})["payload"]["paired"]
        error = chief.ask("device.pair.remove", {"deviceId": row["deviceId"]})["error"]
        assert error["code"] == "UNAVAILABLE" and "not on the disk" in error["message"], error
        assert screen.closed() == (4001, "device removed")
        assert chief.ask("device.pair.list", {})["payload"]["paired"] == []
        file.rmdir()


@test("without pairing a device comes in with a token alone")
def _():
    with config_box("gateway: {pairing: on}\n") as box:
        key, waiting = Key(), Key()
        token = device_of(connect(box, key=key, client=TUI))
        waits(box, waiting)
        with Screen(box) as by_device, Screen(box) as by_token:
            assert try_connect(by_device, key=key, client=TUI, auth={"deviceToken": token})[1]
            assert try_connect(by_token, key=key, client=TUI)[1]
            reload(box, "gateway: {pairing: off}\n")
            assert by_device.closed() == (4001, "gateway auth changed")
            assert by_token.ask("health")["ok"]
        assert devices(box) == []
        hello = connect(box, key=key, client=TUI)
        assert hello["auth"] == {"role": "operator", "scopes": [READ, WRITE]}, hello
        assert connect(box, key=key, client=TUI, auth={"deviceToken": token})[1] == 1008
        error, code, _ = connect(box, key=waiting, client=TUI, auth={})
        assert (error["details"]["code"], code) == ("AUTH_TOKEN_MISSING", 1008), error


@test("a file of devices that others can read lets nobody in, and the box says so")
def _():
    with Box() as box:
        key = Key()
        token = device_of(connect(box, key=key, client=TUI))
        box.stop()
        file = box.data / "gateway-devices.json"
        for spoil in (lambda: file.chmod(0o644), lambda: file.write_text("{")):
            spoil()
            box.start()
            assert connect(box, key=key, client=TUI, auth={"deviceToken": token})[1] == 1008
            assert connect(box, client=CLI)["type"] == "hello-ok"
            assert "no device is paired" in box.log()
            box.stop()
            file.chmod(0o600)
        file.unlink()
        box.start()
        assert device_of(connect(box, key=key, client=TUI))


# --- bad input ----------------------------------------------------------------------


@test("a signature is good for its key, its challenge and its moment alone")
def _():
    with Box() as box, Screen(box) as other:
        other.hello()
        mine, stranger = Key(), Key()
        now = int(time.time() * 1000)
        with Screen(box) as screen:  # a challenge of another connection, answered in time
            seen = screen.challenge["payload"]["nonce"]
            assert try_connect(screen, key=mine, client=TUI)[1]
        for protocol in (3, 4):
            for wrong, words, code in (
                    ({"old": seen}, "device nonce mismatch", "DEVICE_AUTH_NONCE_MISMATCH"),
                    ({"id": hashlib.sha256(stranger.public).hexdigest()},
                     "device identity mismatch", "DEVICE_AUTH_DEVICE_ID_MISMATCH"),
                    ({"at": now - 11 * 60 * 1000}, "device signature expired",
                     "DEVICE_AUTH_SIGNATURE_EXPIRED"),
                    ({"at": now + 11 * 60 * 1000}, "device signature expired",
                     "DEVICE_AUTH_SIGNATURE_EXPIRED"),
                    ({"signer": stranger}, "device signature invalid",
                     "DEVICE_AUTH_SIGNATURE_INVALID")):
                for auth in ({"token": box.token}, {}):
                    error, close, reason = connect(box, protocol, mine, client=TUI, wrong=wrong,
                                                   auth=auth)
                    assert (error["message"], close, reason) == (words, 1008, words), error
                    if protocol == 4:
                        assert error["details"]["code"] == code, error
        for at in (now - 9 * 60 * 1000, now + 9 * 60 * 1000):
            assert connect(box, key=mine, client=TUI, wrong={"at": at})["type"] == "hello-ok"
        assert other.ask("health")["ok"] and len(devices(box)) == 1


@test("an observe token that asks for admin gets read, and so does its device")
def _():
    with config_box(EYE_CONFIG, files={"eye": EYE}) as box:
        with Screen(box) as screen:
            hello, _ = try_connect(screen, key=Key(), client=TUI, scopes=[ADMIN, READ],
                                   auth={"token": EYE})
            assert hello["auth"]["scopes"] == [READ], hello
            for method in ("device.pair.list", "chat.send"):
                assert screen.ask(method, {})["error"]["code"] == "FORBIDDEN", method
        row, = devices(box)
        assert row["scopes"] == ["observe"] and row["byToken"], row


@test("parameters of the wrong kind are refused, and cost nobody else anything")
def _():
    with Box() as box, Screen(box) as other:
        other.hello()
        good = other.params(4)
        for bad in (None, [], "x", 1, {}, {**good, "more": 1}, {**good, "minProtocol": "4"},
                    {**good, "client": None}, {**good, "client": {**CLIENT, "id": "made-up"}},
                    {**good, "scopes": "operator.read"}, {**good, "scopes": [None]},
                    {**good, "auth": "x"}, {**good, "auth": {"token": 1}},
                    {**good, "auth": {"more": "x"}}, {**good, "device": []},
                    {**good, "device": {"id": "x", "publicKey": "x", "signature": "x",
                                        "signedAt": "now", "nonce": "x"}},
                    {**good, "role": 7}, {**good, "caps": {"a": 1}}):
            with Screen(box) as screen:
                screen.ws.send({"type": "req", "id": "c", "method": "connect", "params": bad})
                answer = screen.ws.json()
                assert not answer["ok"] and answer["id"] == "c", (bad, answer)
                assert answer["error"]["message"].startswith("invalid connect params: "), answer
                assert screen.closed()[0] == 1008, bad
        for first in ("", "x", "null", "[]", "{", "\u0000", '{"type":"req"}', '"req"'):
            with Screen(box) as screen:
                screen.ws.send(first)
                assert screen.closed() == (1008, "invalid request frame"), first
        assert other.ask("health")["ok"] and box.alive()


@test("an id that is used again while its request is open: both are answered")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello()
        for _ in range(200):
            say(box, "r1", "text_delta", {"agentId": "bot", "content": "word "})
        asked = [("chat.history", {"sessionKey": "agent:script:r1"}), ("health", {}),
                 ("chat.history", {"sessionKey": "agent:script:r1"}), ("nothing", {})]
        for method, params in asked:
            screen.ws.send({"type": "req", "id": "same", "method": method, "params": params})
        answers = []
        while len(answers) < len(asked):
            frame = screen.ws.json()
            if frame["type"] == "res":
                answers.append(frame)
        assert all(a["id"] == "same" for a in answers), answers
        assert sorted(a["ok"] for a in answers) == [False, True, True, True], answers


@test("connect is said once: a second one is answered, and changes nothing")
def _():
    with Box() as box, Screen(box) as screen:
        screen.hello(scopes=[READ])
        answer = screen.ask("connect", screen.params(4, scopes=[ADMIN]))
        assert not answer["ok"] and answer["error"]["code"] in ("INVALID_REQUEST", "FORBIDDEN")
        assert not screen.ask("device.pair.list", {})["ok"]
        assert screen.ask("health")["ok"]


judge_all(100)
run()
