#!/usr/bin/env python3
"""The gateway dialect: what clients of real gateways said is said to a box.

The captures are of gateways of both protocols.  Of each, the client's frames are sent as they were, with a
token of the box, and what the box says is held against what the gateway said: kinds, order and members.
"""

import json
from pathlib import Path

import servers
from doors import config_box
from gateway_clients import Key, add_model, judge_all, seen, sign
from lib import WS, Skip, run, test
from servers import Upstream

CAPTURES = Path(__file__).resolve().parent.parent.parent / "shared" / "vectors" / "gateway"
servers.ANSWERS["SLOW"] = servers.slow

# By the clock, or of what a gateway does inside: a box says them when there is something to say.
OF_ITS_OWN = {"health", "presence", "tick", "skills.changed", "chat.metadata.changed"}
INSIDE = {"run_status", "usage", "control"}
PHASES = {"start", "end"}
CONFIG = "gateway: {agents: {main: parrot}, pace: 0ms}\n"

# Members that gateways always had there and a box has not: of a configuration and of plugins that it
# has not, or newer than the published schema.
LACKS = {
    "connect": {"controlUiLinkReaders", "controlUiWidgetKinds"},
    "connect/server": {"buildId"},
    "connect/auth": {"method", "recoveryScope"},
    "connect/policy": {"attachments", "allowedSessionVisibilities",
                       "hasMultipleSessionSharingIdentities"},
    "connect/snapshot": {"configPath", "stateDir", "updateSchedule", "appliedConfigHash", "suspension"},
    "connect/health": {"heartbeatSeconds", "plugins", "eventLoop", "configReload"},
    "agent/lifecycle": {"sessionId"},
    "agent/lifecycle/end": {"startedAt", "stopReason", "aborted"},
    "agent/assistant/data": {"itemId"},
    "chat.history": {"defaults"},
    "chat.history/inFlightRun": {"events"},
}
INFO = {"key", "agentId", "kind", "sessionId", "updatedAt", "status", "hasActiveRun"}  # what clients read of the row of a session, which has fifty members


def captured(protocol):
    """label -> what happened: (dir, frame)."""
    path = CAPTURES / f"v{protocol}-frames.jsonl"
    if not path.exists():
        raise Skip(f"../shared/vectors/gateway/{path.name} is not here")
    labels = {}
    for line in path.read_text().splitlines():
        one = json.loads(line)
        labels.setdefault(one["label"], []).append((one["dir"], one["frame"]))
    return labels


def kind(frame, methods):
    """None: it is not compared."""
    payload = frame.get("payload") or {}
    if frame["type"] == "res":
        return "res", methods[frame["id"]], frame["ok"]
    if frame["event"] == "agent":
        stream, phase = payload["stream"], payload["data"].get("phase")
        if stream in INSIDE or (stream == "lifecycle" and phase not in PHASES):
            return None
        return ("text",) if stream == "assistant" else (stream, phase)
    if frame["event"] == "chat":
        return {"delta": ("text",), "status": None}.get(payload["state"], ("chat", payload["state"]))
    return None if frame["event"] in OF_ITS_OWN else (frame["event"],)


def kinds(frames, methods):
    """In their order; text that grows is once."""
    found = []
    for frame in frames:
        one = kind(frame, methods)
        if one and not (one == ("text",) and found and found[-1] == one):
            found.append(one)
    return found


class Played:
    """One label, said to a box."""

    def __init__(self, box):
        self.box = box
        self.methods, self.theirs, self.ours = {}, [], []
        self.protocol = 4

    def adapt(self, frame):
        params = frame["params"]
        self.methods[frame["id"]] = frame["method"]
        if frame["method"] != "connect":
            return frame
        self.protocol = params["maxProtocol"]
        if params["auth"].get("token") == "TOKEN":
            params = {**params, "auth": {"token": self.box.token}}
        if "device" in params:
            nonce = self.ours[0]["payload"]["nonce"]
            params["device"] = sign(params, Key(), nonce, 2)
        return {**frame, "params": params}

    def catch_up(self):
        """What they had said by now we have said, too."""
        wanted = len(kinds(self.theirs, self.methods))
        while len(kinds(self.ours, self.methods)) < wanted:
            frame = self.ws.json()
            self.ours.append(frame)
            if frame["type"] == "event" or frame["id"] in self.methods:
                seen.append({"frame": frame, "protocol": self.protocol,
                             "method": self.methods.get(frame.get("id"), "")})

    def play(self, happened):
        self.ws = WS(self.box, "/ws/gateway")
        for way, frame in happened:
            if way == "in":
                if frame.get("event") == "shutdown":
                    self.box.stop()
                self.theirs.append(frame)
                continue
            self.catch_up()
            if way == "out":
                self.ws.send(self.adapt(frame))
            elif frame.get("close", 1000) != 1000:
                while (message := self.ws.recv()) is not None:
                    self.ours.append(json.loads(message))
                assert (self.ws.close_code, self.ws.close_reason) == (frame["close"], frame["reason"])
        self.ws.wire.close()
        return self


def members(frame, methods, found):
    """Notes which members each kind of object always has."""
    def note(name, value):
        if isinstance(value, dict):
            found[name] = found.get(name, set(value)) & set(value)

    payload = frame.get("payload") or {}
    note(frame["type"], frame)
    if frame["type"] == "res":
        method = methods[frame["id"]]
        note(method, payload if frame["ok"] else None)
        for part in ("server", "features", "snapshot", "policy", "auth", "sessionInfo", "inFlightRun"):
            note(f"{method}/{part}", payload.get(part))
        note(f"{method}/health", payload.get("snapshot", {}).get("health"))
        for message in payload.get("messages", []):
            note(f"{method}/{message['role']}", message)
        return
    of = {"agent": "stream", "chat": "state"}.get(frame["event"])
    name = "/".join([frame["event"]] + ([payload[of]] if of else []))
    phase = (payload.get("data") or {}).get("phase")
    note(name, payload)
    note(f"{name}/{phase}" if phase else f"{name}/data", payload.get("data"))
    note(f"{name}/message", payload.get("message"))


def all_members(frames, methods):
    found = {}
    for frame in frames:
        if kind(frame, methods):
            members(frame, methods, found)
    return found


def compare(protocol, theirs, ours):
    for name, had in theirs.items():
        had = had & INFO if name.endswith("/sessionInfo") else had - LACKS.get(name, set())
        assert name in ours and had <= ours[name], (protocol, name, had - ours.get(name, set()))


def is_stop(kinds):
    return any(one == ("res", "chat.abort", True) for one in kinds)


def without_stop(found):
    """The end of a run that is stopped: a box answers when the stop is passed on, and the end follows."""
    at = found.index(("res", "chat.history", True)) + 1
    return found[:at], set(found[at:])


def join(all, found):
    for name, had in found.items():
        all[name] = all.get(name, had) & had


@test("what clients said to gateways of both protocols is answered in kind, order and members")
def _():
    for protocol in (3, 4):
        theirs, ours = {}, {}
        for label, happened in captured(protocol).items():
            with Upstream() as up, config_box(CONFIG) as box:
                add_model(box, up)
                one = Played(box).play(happened)
                said = [kinds(frames, one.methods) for frames in (one.theirs, one.ours)]
                if is_stop(said[0]):
                    said = [without_stop(found) for found in said]
                assert said[0] == said[1], (label, *said)
                join(theirs, all_members(one.theirs, one.methods))
                join(ours, all_members(one.ours, one.methods))
        assert len(theirs) > 15, theirs
        compare(protocol, theirs, ours)


judge_all(60)
run()
