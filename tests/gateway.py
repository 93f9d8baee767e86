"""An OpenClaw gateway of the tests' own, protocols 3 and 4.

    with Gateway(protocol=4, token="T") as gateway:
        ... a box connects to gateway.url ...
        gateway.event("agent", {...})

It is as strict as the real one: every connection gets a challenge, the first frame
must be a connect request whose parameters are a closed object, tokens and devices are
checked, and a device's signature is verified by OpenSSL.  Approvals go only to devices that
may decide and say that they can show them; tools go to who began the run, and to others only
if they follow its session.  A run goes on when nobody listens, and in protocol 4 there are
transcripts.  It keeps what it heard.
"""

import base64
import hashlib
import json
import socket
import struct
import subprocess
import threading
import time
import uuid

from lib import CLOSE, PATIENCE_S, PING, PONG, TEXT, Closed, Wire, eventually, temp_dir

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_ED25519_DER = bytes.fromhex("302a300506032b6570032100")
PARAMS = {"minProtocol", "maxProtocol", "client", "role", "scopes", "caps", "commands",
          "permissions", "pathEnv", "auth", "device", "locale", "userAgent"}
CLIENT_IDS = {"webchat-ui", "openclaw-control-ui", "webchat", "cli", "gateway-client", "test"}
MODES = {"webchat", "cli", "ui", "backend", "node", "probe", "test"}
SCOPES = ["operator.read", "operator.write", "operator.approvals", "operator.questions"]
CAPS = ["tool-events", "approvals", "exec-approvals", "plugin-approvals"]
DECISIONS = ["allow-once", "allow-always", "deny"]
METHODS = {  # scope, from which protocol on
    "health": ("read", 3), "chat.history": ("read", 3), "chat.send": ("write", 3),
    "chat.abort": ("write", 3), "exec.approval.resolve": ("approvals", 3),
    "exec.approval.list": ("approvals", 4), "plugin.approval.list": ("approvals", 4),
    "plugin.approval.resolve": ("approvals", 4), "sessions.subscribe": ("read", 4),
    "question.list": ("questions", 4), "question.resolve": ("questions", 4),
}


class Refusal(Exception):
    def __init__(self, code, message, close=1008, details=None, **more):
        super().__init__(message)
        self.close = close
        self.error = {"code": code, "message": message, **more}
        if details is not None:
            self.error["details"] = details


def close_door(listener):
    """A thread that waits in accept() would keep it open."""
    try:
        listener.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    listener.close()


def unspell(text):
    assert not text.endswith("="), "base64url without padding"
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verify_ed25519(public, signature, message):
    directory = temp_dir()
    for name, data in (("key", _ED25519_DER + public), ("sig", signature), ("msg", message)):
        (directory / name).write_bytes(data)
    done = subprocess.run(
        ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-rawin",
         "-inkey", "key", "-sigfile", "sig", "-in", "msg"],
        cwd=directory, capture_output=True, timeout=PATIENCE_S)
    return done.returncode == 0


class Client(Wire):
    """One connection."""

    def __init__(self, sock, gateway):
        super().__init__(sock)
        self.gateway = gateway
        self.lock = threading.Lock()
        self.seq = 0
        self.live = False
        self.follows = False         # sessions.subscribe
        self.scopes, self.caps, self.device = [], [], None
        self.close_code = None

    def frame(self, opcode, payload):
        with self.lock:
            self._send_frame(opcode, payload)

    def _send_frame(self, opcode, payload):
        n = len(payload)
        head = bytes([0x80 | opcode])
        head += bytes([n]) if n < 126 else (
            bytes([126]) + struct.pack(">H", n) if n < 65536 else
            bytes([127]) + struct.pack(">Q", n))
        self.sock.sendall(head + payload)

    def welcome(self, hello):
        """From now on it hears all events, the first of them behind the hello."""
        with self.lock:
            self.live = True
            self.gateway.clients.append(self)
            self._send_frame(TEXT, json.dumps(hello).encode())

    def say(self, message):
        text = message if isinstance(message, str) else json.dumps(message)
        self.frame(TEXT, text.encode())

    def bye(self, code, reason=""):
        self.frame(CLOSE, struct.pack(">H", code) + reason.encode()[:123])

    def hear(self):
        """The next text, or None after a close."""
        while True:
            first, second = self.take(2)
            assert second & 0x80, "a client masks its frames"
            assert first & 0x80, "our client does not cut its messages"
            n = second & 0x7F
            n = n if n < 126 else int.from_bytes(self.take(2 if n == 126 else 8), "big")
            mask = self.take(4)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.take(n)))
            opcode = first & 15
            if opcode == PING:
                self.frame(PONG, data)
            elif opcode == CLOSE:
                self.close_code = int.from_bytes(data[:2], "big") if data else 1005
                return None
            elif opcode == TEXT:
                return json.loads(data)

    def upgrade(self):
        head = self.take_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        fields = {n.strip().lower(): v.strip() for n, _, v in (h.partition(":") for h in head[1:])}
        self.gateway.heads.append("\n".join(head))
        if self.gateway.refuses_upgrade:
            self.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            return False
        key = base64.b64encode(hashlib.sha1(
            (fields["sec-websocket-key"] + _GUID).encode()).digest()).decode()
        self.send(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   f"Connection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n\r\n").encode())
        return True


class Gateway:
    """What it grants is said by its members; they may be changed while it runs."""

    def __init__(self, protocol=4, token="a-token", port=0, tick_ms=30000, **members):
        self.protocol, self.token, self.tick_ms = protocol, token, tick_ms
        self.wants_device = False    # the token alone is not enough
        self.clears_scopes = False   # it is, but without a device no scope is granted
        self.approves = True         # devices, silently
        self.ahead_ms = 0            # its clock
        self.grants = None           # scopes; None: what was asked for
        self.refusal = None          # a Refusal for everybody
        self.refuses_upgrade = False
        self.challenges = True
        self.bare_challenge = False  # {"type":"connect.challenge"}, as in old documents
        self.ticks = True
        self.aborts = True           # chat.abort does something, and is answered
        self.holds_sends = False     # chat.send waits until they are let go
        self.abort_refusal = None    # a Refusal for every chat.abort
        self.resolve_refusal = None  # likewise for the next decision or answer
        for name, value in members.items():
            assert hasattr(self, name), name
            setattr(self, name, value)
        self.heads = []              # of upgrades, as they came
        self.connects = []           # params of connect requests
        self.requests = []           # all others: (method, params, when)
        self.devices = {}            # id -> token that was given
        self.clients = []
        self.errors = []             # what the gateway itself stumbled over
        self.approvals = {}          # id -> what was asked, and its decision
        self.questions = {}          # id -> the record
        self.runs = {}               # runId -> what is known of it
        self.transcripts = {}        # sessionKey -> messages
        self.held = []               # (client, frame) of those
        self.boot = str(uuid.uuid4())
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.stopped = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}"

    # --- connections -------------------------------------------------------------

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        client = Client(sock, self)
        client.sock.settimeout(60)
        try:
            if client.upgrade():
                self._talk(client)
        except (OSError, Closed, ConnectionError):
            pass
        except Exception as error:  # a broken assertion is a fault of the box
            self.errors.append(repr(error))
        finally:
            client.live = False
            if client in self.clients:
                self.clients.remove(client)
            sock.close()

    def _talk(self, client):
        nonce = str(uuid.uuid4())
        challenge = {"nonce": nonce, "ts": int(time.time() * 1000) + self.ahead_ms}
        if self.protocol >= 4:
            challenge["capabilities"] = ["model-catalog-snapshot"]
        if not self.challenges:
            pass
        elif self.bare_challenge:
            client.say({"type": "connect.challenge", **challenge})
        else:
            client.say({"type": "event", "event": "connect.challenge", "payload": challenge})
        first = client.hear()
        if first is None:
            return
        try:
            client.welcome({"type": "res", "id": first["id"], "ok": True,
                            "payload": self._hello(client, first, nonce)})
        except Refusal as refusal:
            client.say({"type": "res", "id": first["id"], "ok": False, "error": refusal.error})
            client.bye(refusal.close, str(refusal))
            return
        if self.ticks:
            threading.Thread(target=self._tick, args=(client,), daemon=True).start()
        while (frame := client.hear()) is not None:
            self._request(client, frame)
        client.bye(client.close_code if client.close_code != 1005 else 1000)

    def _tick(self, client):
        while client.live:
            time.sleep(self.tick_ms / 1000)
            if client.live and self.ticks:
                try:
                    self.tell(client, "tick", {"ts": int(time.time() * 1000)})
                except OSError:
                    return

    # --- the handshake -------------------------------------------------------------

    def _hello(self, client, frame, nonce):
        assert frame["type"] == "req" and frame["method"] == "connect" and frame["id"], frame
        params = frame["params"]
        self.connects.append(params)
        assert set(params) <= PARAMS, f"unknown members {set(params) - PARAMS}"
        who = params["client"]
        for name in ("id", "version", "platform", "mode"):
            if not who.get(name):
                raise Refusal("INVALID_REQUEST", "invalid connect params: at /client: "
                              f"must have required property '{name}'")
        assert who["id"] in CLIENT_IDS and who["mode"] in MODES, who
        if self.refusal:
            raise self.refusal
        if not params["minProtocol"] <= self.protocol <= params["maxProtocol"]:
            raise Refusal("INVALID_REQUEST", "protocol mismatch", 1002,
                          {"expectedProtocol": self.protocol})
        device = self._check_device(params, nonce)
        self._check_token(params, device)
        return self._granted(client, params, device)

    def _check_token(self, params, device):
        given = params.get("auth", {}).get("token")
        if given is None and not device:
            raise Refusal("NOT_PAIRED", "device identity required",
                          details={"code": "DEVICE_IDENTITY_REQUIRED"} if self.protocol > 3 else None)
        if given == self.token or (device and given == self.devices.get(device)):
            return
        raise Refusal(
            "INVALID_REQUEST", "unauthorized: gateway token mismatch (provide gateway auth token)",
            details={"code": "AUTH_TOKEN_MISMATCH", "authReason": "token_mismatch"}
            if self.protocol > 3 else None)

    def _check_device(self, params, nonce):
        """The id of the device, whose signature is good; None: there was none."""
        device = params.get("device")
        if not device:
            if self.wants_device:
                raise Refusal("NOT_PAIRED", "device identity required",
                              details={"code": "DEVICE_IDENTITY_REQUIRED"})
            return None
        public = unspell(device["publicKey"])
        assert device["nonce"] == nonce, "it is our challenge that is signed"
        assert device["id"] == hashlib.sha256(public).hexdigest(), "the id is the key's"
        assert abs(device["signedAt"] - self.ahead_ms - time.time() * 1000) < 600_000
        parts = [device["id"], params["client"]["id"], params["client"]["mode"], params["role"],
                 ",".join(params["scopes"]), str(device["signedAt"]),
                 params.get("auth", {}).get("token", "")]
        message = "|".join(["v3", *parts, nonce, params["client"]["platform"], ""]
                           if self.protocol > 3 else ["v2", *parts, nonce])
        if not verify_ed25519(public, unspell(device["signature"]), message.encode()):
            raise Refusal("INVALID_REQUEST", "device signature invalid",
                          details={"code": "DEVICE_AUTH_SIGNATURE_INVALID"})
        if not self.approves and device["id"] not in self.devices:
            raise Refusal("NOT_PAIRED", "pairing required",
                          details={"code": "PAIRING_REQUIRED", "requestId": "req-1234"})
        self.devices.setdefault(device["id"], hashlib.md5(device["id"].encode()).hexdigest())
        return device["id"]

    def _granted(self, client, params, device):
        client.scopes = params["scopes"] if self.grants is None else self.grants
        client.caps, client.device = params["caps"], device
        if self.clears_scopes and not device:
            client.scopes = []
        auth = {"role": "operator", "scopes": client.scopes}
        if device:
            auth["deviceToken"] = self.devices[device]
        hello = {
            "type": "hello-ok", "protocol": self.protocol,
            "server": {"version": "2026.9.6" if self.protocol > 3 else "dev",
                       "connId": str(uuid.uuid4()),
                       **({"bootId": self.boot} if self.protocol > 3 else {})},
            "features": {"methods": [m for m, (_, since) in METHODS.items()
                                     if since <= self.protocol],
                         "events": ["agent", "chat", "tick", "shutdown"]},
            "snapshot": {"presence": [], "health": {}, "uptimeMs": 1,
                         "stateVersion": {"presence": 5, "health": 7},
                         "sessionDefaults": {"defaultAgentId": "main", "mainKey": "main",
                                             "mainSessionKey": "agent:main:main",
                                             "scope": "per-sender"}},
            "policy": {"maxPayload": 524288, "maxBufferedBytes": 1572864,
                       "tickIntervalMs": self.tick_ms},
        }
        if device or self.protocol > 3:
            hello["auth"] = auth
        return hello

    # --- requests --------------------------------------------------------------------

    def _request(self, client, frame):
        assert frame["type"] == "req" and frame["id"], frame
        method, params = frame["method"], frame.get("params", {})
        if method == "chat.send" and self.holds_sends:
            self.held.append((client, frame))
            return
        self.requests.append((method, params, time.monotonic()))
        try:
            answer = self._do(client, method, params)
        except Refusal as refusal:
            client.say({"type": "res", "id": frame["id"], "ok": False, "error": refusal.error})
            return
        if answer is not None:
            client.say({"type": "res", "id": frame["id"], "ok": True, "payload": answer})

    def _do(self, client, method, params):
        scope, since = METHODS.get(method, ("admin", 99))
        if f"operator.{scope}" not in client.scopes:
            raise Refusal("FORBIDDEN" if self.protocol > 3 else "INVALID_REQUEST",
                          f"missing scope: operator.{scope}")
        if since > self.protocol:
            raise Refusal("INVALID_REQUEST", f"unknown method: {method}")
        if method.endswith(".approval.resolve"):
            return self._resolve(client, method, params)
        if method.endswith(".approval.list"):
            return self._list(client, method.startswith("plugin."), params)
        return {"question.list": self._list_questions, "question.resolve": self._answer,
                "chat.send": self._send, "chat.abort": self._abort, "chat.history": self._history,
                "sessions.subscribe": self._subscribe}[method](client, params)

    # --- approvals -------------------------------------------------------------------

    def approve(self, id, command, kind="exec", device=None, decisions=None, **more):
        """Asks everybody who may decide; the first who does, does.  device: only this one."""
        request = {"command": command, "cwd": "/work", "host": "gateway", "agentId": "main",
                   "sessionKey": "agent:main:main", "resolvedPath": None}
        if self.protocol > 3:
            request["allowedDecisions"] = decisions or DECISIONS
        payload = {"id": id, "request": request, "createdAtMs": int(time.time() * 1000), **more}
        self.approvals[id] = {"payload": payload, "device": device, "decision": None}
        self._tell_deciders(id, f"{kind}.approval.requested", payload)

    def _may_decide(self, client, id):
        kind = "plugin" if id.startswith("plugin:") else "exec"
        if "operator.approvals" not in client.scopes:
            return False
        if self.protocol > 3 and not {"approvals", f"{kind}-approvals"} & set(client.caps):
            return False
        wanted = self.approvals[id]["device"]
        return wanted is None or wanted == client.device

    def _tell_deciders(self, id, event, payload):
        for client in list(self.clients):
            if self._may_decide(client, id):
                self._try(client, event, payload)

    def _list(self, client, plugins, params):
        assert params == {}, params
        return [a["payload"] for id, a in self.approvals.items()
                if not a["decision"] and id.startswith("plugin:") == plugins
                and self._may_decide(client, id)]

    def _resolve(self, client, method, params):
        assert set(params) == {"id", "decision"}, params
        assert params["decision"] in DECISIONS, params
        id = params["id"]
        if id not in self.approvals or method.startswith("plugin.") != id.startswith("plugin:") \
                or not self._may_decide(client, id):
            raise Refusal("INVALID_REQUEST", "unknown or expired approval id")
        approval = self.approvals[id]
        if approval["decision"]:
            raise Refusal("INVALID_REQUEST", "approval already resolved")
        if params["decision"] not in approval["payload"]["request"].get("allowedDecisions", DECISIONS):
            raise Refusal("INVALID_REQUEST", f"{params['decision']} is unavailable")
        refusal, self.resolve_refusal = self.resolve_refusal, None
        if refusal:
            raise refusal
        self.decide(id, params["decision"], by="signalbox")
        return {"ok": True}

    def decide(self, id, decision, by="Control UI"):
        kind = "plugin" if id.startswith("plugin:") else "exec"
        self.approvals[id]["decision"] = decision
        self._tell_deciders(id, f"{kind}.approval.resolved", {
            "id": id, "decision": decision, "resolvedBy": by, "ts": int(time.time() * 1000)})

    # --- questions -------------------------------------------------------------------

    def question(self, id, *questions, run=None, wait_s=900):
        """Each: questionId, question, and options, multiSelect, isOther, isSecret, url."""
        now = int(time.time() * 1000)
        record = {"id": id, "questions": [{"header": "Q", "options": [], **q} for q in questions],
                  "agentId": "main", "sessionKey": "agent:main:main", "createdAtMs": now,
                  "expiresAtMs": now + wait_s * 1000, "status": "pending"}
        if run:
            record["runId"] = run
        self.questions[id] = record
        self._tell_askers("question.requested", record)

    def _tell_askers(self, event, payload):
        for client in list(self.clients):
            if "operator.questions" in client.scopes:
                self._try(client, event, payload)

    def _list_questions(self, client, params):
        assert params == {}, params
        return {"questions": [q for q in self.questions.values() if q["status"] == "pending"]}

    def _answer(self, client, params):
        assert set(params) in ({"id", "answers"}, {"id", "cancel"}), params
        id = params["id"]
        record = self.questions.get(id)
        if not record:
            raise Refusal("INVALID_REQUEST", f"question '{id}' was not found")
        if record["status"] != "pending":
            raise Refusal("INVALID_REQUEST", f"question '{id}' is already {record['status']}")
        refusal, self.resolve_refusal = self.resolve_refusal, None
        if refusal:
            raise refusal
        if "cancel" in params:
            return self.end_question(id, "cancelled")
        assert set(params["answers"]) == {"answers"}, params
        answers = params["answers"]["answers"]
        assert set(answers) == {q["questionId"] for q in record["questions"]}, params
        for q in record["questions"]:
            values = answers[q["questionId"]]
            labels = [o["label"] for o in q["options"]]
            assert values and all(v.strip() for v in values), params
            assert len(values) == 1 or q.get("multiSelect"), params
            assert not labels or q.get("isOther") or set(values) <= set(labels), params
        return self.end_question(id, "answered", answers)

    def end_question(self, id, status, answers=None):
        self.questions[id]["status"] = status
        ended = {"status": status, **({"answers": {"answers": answers}} if answers else {})}
        self._tell_askers("question.resolved", {"id": id, **ended})
        return ended

    # --- sessions --------------------------------------------------------------------

    def _subscribe(self, client, params):
        assert set(params) == {"limit"}, params
        client.follows = True
        now = int(time.time() * 1000)
        return {"subscribed": True, "list": {"ts": now, "sessions": [
            {"key": key, "sessionId": f"id-{key}", "updatedAt": messages[-1]["timestamp"],
             "hasActiveRun": self._active(key) is not None}
            for key, messages in self.transcripts.items() if messages]}}

    def _active(self, key):
        return next((id for id, r in self.runs.items() if r["key"] == key and not r["over"]), None)

    def _history(self, client, params):
        assert set(params) <= {"sessionKey", "limit"}, params
        key = params["sessionKey"]
        active = self._active(key)
        answer = {"sessionKey": key, "messages": self.transcripts.get(key, [])[-params["limit"]:]}
        if self.protocol > 3:
            answer["sessionInfo"] = {"key": key, "agentId": "main", "hasActiveRun": active is not None,
                                     "activeRunIds": [active] if active else []}
        if active and self.protocol > 3:
            run = self.runs[active]
            answer["inFlightRun"] = {"runId": active, "text": run["said"], "events": run["events"]}
        return answer

    def write(self, key, message, run=None):
        """A line of a session's transcript."""
        lines = self.transcripts.setdefault(key, [])
        meta = {"id": str(uuid.uuid4()), "seq": len(lines) + 1}
        if run and message["role"] != "user":
            meta["runId"] = run
        elif run:
            message = {**message, "idempotencyKey": f"{run}:user"}
        message = {**message, "timestamp": int(time.time() * 1000), "__openclaw": meta}
        lines.append(message)
        if self.protocol > 3:
            for client in list(self.clients):
                if client.follows:
                    self._try(client, "session.message", {
                        "sessionKey": key, "agentId": "main", "message": message,
                        "messageId": meta["id"], "messageSeq": meta["seq"],
                        "session": {"key": key, "status": "running"}})

    # --- runs ------------------------------------------------------------------------

    def begin(self, message, key="agent:main:main", run=None, client=None):
        """A run, of this client or of somebody who is not one of ours."""
        run = run or str(uuid.uuid4())
        self.runs[run] = {"key": key, "seq": 0, "said": "", "events": [], "over": False,
                          "client": client, "stop": threading.Event(), "aborted": False}
        threading.Thread(target=self._run, args=(run, message), daemon=True).start()
        return run

    def _send(self, client, params):
        assert set(params) == {"sessionKey", "message", "idempotencyKey"}, params
        assert params["sessionKey"].startswith("agent:"), params
        if params["message"].startswith("NOPE"):
            raise Refusal("UNAVAILABLE", "the model is asleep")
        if params["message"].startswith("MUTE"):
            return None
        self.begin(params["message"], params["sessionKey"], params["idempotencyKey"], client)
        return {"runId": params["idempotencyKey"], "status": "started"}

    def _abort(self, client, params):
        assert set(params) == {"sessionKey", "runId"}, params
        if self.abort_refusal:
            raise self.abort_refusal
        if not self.aborts:
            return None
        run = self.runs.get(params["runId"])
        if not run or run["over"]:
            return {"ok": True, "aborted": False, "runIds": []}
        run["aborted"] = True
        self.end_run(params["runId"])
        self._chat(params["runId"], "aborted", stopReason="rpc")
        self._agent(params["runId"], "lifecycle",
                    {"phase": "end", "aborted": True, "stopReason": "rpc"})
        self._agent(params["runId"], "lifecycle",
                    {"phase": "error", "error": "This operation was aborted", "aborted": True})
        return {"ok": True, "aborted": True, "runIds": [params["runId"]]}

    def let_sends_go(self):
        self.holds_sends = False
        while self.held:
            self._request(*self.held.pop(0))

    def end_run(self, id):
        self.runs[id]["over"] = True
        self.runs[id]["stop"].set()

    def _agent(self, id, stream, data):
        run = self.runs[id]
        run["seq"] += 1
        payload = {"runId": id, "stream": stream, "data": data, "seq": run["seq"],
                   "sessionKey": run["key"], "agentId": "main", "ts": int(time.time() * 1000)}
        if stream in ("tool", "usage"):
            run["events"].append(payload)
        for client in list(self.clients):
            if stream == "tool" and client is not run["client"]:
                if client.follows:
                    self._try(client, "session.tool", payload)
            elif stream != "tool" or "tool-events" in client.caps:
                self._try(client, "agent", payload)

    def _chat(self, id, state, **more):
        run = self.runs[id]
        for client in list(self.clients):
            self._try(client, "chat", {"runId": id, "sessionKey": run["key"], "seq": run["seq"],
                                       "state": state, **more})

    def speak(self, id, word):
        run = self.runs[id]
        run["said"] += word
        self._agent(id, "assistant", {"text": run["said"], "delta": word})
        message = {"role": "assistant", "content": [{"type": "text", "text": run["said"]}]}
        self._chat(id, "delta", message=message,
                   **({"deltaText": word} if self.protocol > 3 else {}))
        return message

    def use_tool(self, id, call="call-1", command="ls", closes=False):
        """closes: what was said before is in the same message, and what follows in another."""
        key = self.runs[id]["key"]
        said = [{"type": "text", "text": self.runs[id]["said"]}] if closes else []
        named = {"name": "shell", "toolCallId": call}
        self._agent(id, "tool", {"phase": "start", **named, "args": {"command": command}})
        self.write(key, {"role": "assistant", "stopReason": "toolUse", "content": said + [
            {"type": "toolCall", "id": call, "name": "shell", "arguments": {"command": command}}]}, id)
        if closes:
            self.runs[id]["said"] = ""
        self._agent(id, "tool", {"phase": "result", **named, "isError": False,
                                 "result": {"out": "x"}})
        self.write(key, {"role": "toolResult", "toolCallId": call, "toolName": "shell",
                         "content": [{"type": "text", "text": "x"}], "isError": False}, id)

    def finish(self, id):
        run = self.runs[id]
        message = {"role": "assistant", "content": [{"type": "text", "text": run["said"]}]}
        self.write(run["key"], {**message, "stopReason": "stop"}, id)
        self.end_run(id)
        self._agent(id, "lifecycle", {"phase": "end", "endedAt": 2})
        self._chat(id, "final", message=message)

    def _run(self, id, prompt):
        """One answer, in the frames of a real gateway."""
        run, how = self.runs[id], prompt.split(" ")[0]
        self.write(run["key"], {"role": "user", "content": prompt}, id)
        self._agent(id, "lifecycle", {"phase": "start", "startedAt": 1})
        if how in ("QUIET", "HAND"):  # a test plays it
            return
        if how == "TOOL":
            self.use_tool(id)
        self.speak(id, "Hello")
        if how == "FAIL":
            self.end_run(id)
            self._agent(id, "lifecycle", {"phase": "error", "error": "it broke"})
            self._chat(id, "error", errorMessage="it broke")
            return
        while how == "SLOW" and not run["stop"].wait(0.02):
            self.speak(id, " and")
        if how == "SLOW":
            return
        self.speak(id, " there.")
        self.finish(id)

    # --- what tests do ---------------------------------------------------------------

    def tell(self, client, event, payload, seq=True, **more):
        frame = {"type": "event", "event": event, "payload": payload, **more}
        with client.lock:  # numbers go out in their order, whoever else speaks
            client.seq += 1
            if seq:
                frame["seq"] = client.seq
            client._send_frame(TEXT, json.dumps(frame).encode())

    def _try(self, client, event, payload, **more):
        try:
            self.tell(client, event, payload, **more)
        except OSError:
            pass  # it has just left

    def event(self, event, payload, **more):
        for client in list(self.clients):
            self._try(client, event, payload, **more)

    def raw(self, text):
        for client in list(self.clients):
            client.say(text)

    def skip(self, n):
        """Events that never reach the clients."""
        for client in self.clients:
            client.seq += n

    def shut_down(self, code=1012, reason="service restart"):
        self.event("shutdown", {"reason": "gateway stopping", "restartExpectedMs": None})
        for client in list(self.clients):
            client.bye(code, reason)

    def drop(self):
        """As a gateway that dies."""
        while self.clients:
            client = self.clients.pop()
            client.live = False
            try:
                client.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def restart(self):
        """As one that dies and comes back: runs and approvals are gone, transcripts are not."""
        for id in self.runs:
            self.end_run(id)
        self.approvals.clear()
        self.boot = str(uuid.uuid4())
        self.drop()

    def stops_listening(self):
        """Nobody can connect; who is connected stays."""
        close_door(self.listener)

    def listens_again(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        for id in self.runs:
            self.end_run(id)
        close_door(self.listener)
        self.drop()

    def of(self, method):
        return [params for m, params, _ in self.requests if m == method]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.stop()
        if kind is None:
            assert not self.errors, self.errors


# --- a box that is connected to it -------------------------------------------------------

ENDS = ("completion", "error")


def sources(box):
    answer = box.request("GET", "/api/sources")
    assert answer.status == 200, answer
    return {s["id"]: s for s in answer.json()["sources"]}


def add(box, gateway, id="claw", **more):
    wish = {"id": id, "url": gateway.url, "protocol": "openclaw", "credential": gateway.token, **more}
    answer = box.request("POST", "/api/sources", {k: v for k, v in wish.items() if v is not None})
    assert answer.status == 201, answer
    return answer.json()["source"]


def in_state(box, state, id="claw", **more):
    def there():
        source = sources(box).get(id)
        return source if source and source["state"] == state and all(
            source[k] == v for k, v in more.items()) else None
    return eventually(there)


def connected(box, gateway, **more):
    add(box, gateway, **more)
    in_state(box, "connected")
    return eventually(lambda: gateway.clients)[0]


def ask(box, prompt, status=200, **more):
    answer = box.request("POST", "/api/sources/claw/ask", {"prompt": prompt, **more})
    assert answer.status == status, answer
    return answer.json()


def of_run(box, id):
    """Without those that say only that a frame came whose news was told."""
    return [s for s in box.history() if s.get("correlationId") == id and s["type"] != "gateway.frame"]


def end_of(box, id):
    """All signals of a run, once it has its end."""
    eventually(lambda: any(s["type"] in ENDS for s in of_run(box, id)))
    return of_run(box, id)


def settle(box, gateway):
    """Everything that the gateway said before this has been heard."""
    mark = f"mark-{time.monotonic_ns()}"
    gateway.event("mark", {"mark": mark}, seq=False)
    eventually(lambda: any(s["payload"].get("mark") == mark for s in box.history()))


def text_of(signals):
    return "".join(s["payload"]["content"] for s in signals if s["type"] == "text_delta")
