"""A Discord of the tests' own: it checks every request against the platform's description
(tests/fixtures/discord.json), keeps its limits, its messages and its nonces, speaks the gateway,
and fails as the real one does."""

import base64
import email
import hashlib
import json
import re
import struct
import threading
import time
from collections import defaultdict, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from later import later

API = json.loads((Path(__file__).parent / "fixtures" / "discord.json").read_text())
BOT = {"id": "42", "username": "box", "discriminator": "0001", "bot": True}
GUILD = "900"
EPOCH_MS = 1420070400000
TEXT_MAX = 2000
NONCE_S = 300
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
SUPPRESS_EMBEDS = 4
READ_HISTORY = 1 << 16
INVITED = 1 << 10 | 1 << 11 | 1 << 15 | READ_HISTORY  # what the manual's address asks for
WINDOWS = {"create_message": (5, 5), "update_message": (5, 5), "delete_message": (5, 1),
           "list_messages": (5, 2), "trigger_typing_indicator": (5, 5)}


class Refused(Exception):
    def __init__(self, status, words, code=0, **more):
        super().__init__(words)
        self.status, self.body = status, {"message": words, "code": code, **more}


# --- the description ------------------------------------------------------------------------

KINDS = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None)}


def is_kind(value, kind):
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and \
            not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def faults(value, schema, at="body"):
    """What of a value is not as the description has it."""
    if "$ref" in schema:
        return faults(value, API["schemas"][schema["$ref"]], at)
    for either in ("oneOf", "anyOf"):
        if either in schema and "const" not in schema:
            tried = [faults(value, one, at) for one in schema[either]]
            return min(tried, key=len)
    found = []
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_kind(value, kind) for kind in kinds):
        return [f"{at} is no {kinds}: {value!r}"] * 3
    if "const" in schema and value != schema["const"]:
        found.append(f"{at} is not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at} is none of {schema['enum']}")
    if isinstance(value, str) and not schema.get("minLength", 0) <= len(value) <= schema.get(
            "maxLength", 1 << 30):
        found.append(f"{at} has {len(value)} characters")
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get(
            "maximum", value):
        found.append(f"{at} is {value}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1 << 30):
            found.append(f"{at} has {len(value)} items")
        for i, item in enumerate(value):
            found += faults(item, schema.get("items", {}), f"{at}[{i}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{at}.{name} is missing" for name in schema.get("required", [])
                  if name not in value]
        for name, member in value.items():
            if name in known:
                found += faults(member, known[name], f"{at}.{name}")
            else:
                found.append(f"{at}.{name} is unknown")
    return found


def operation(method, path):
    for name, one in API["operations"].items():
        pattern = re.sub(r"\{\w+\}", "([^/]+)", one["path"])
        match = re.fullmatch(pattern, path)
        if match and one["method"] == method:
            return name, match.groups()
    return None, ()


# --- the gateway ----------------------------------------------------------------------------


class Socket:
    """One connection to the gateway."""

    def __init__(self, fake, handler, path):
        self.fake, self.handler, self.path = fake, handler, path
        self.session = None
        self.lock = threading.Lock()

    def frame(self, opcode, payload):
        n = len(payload)
        size = bytes([n]) if n < 126 else struct.pack(">BH", 126, n) if n < 65536 else \
            struct.pack(">BQ", 127, n)
        try:
            with self.lock:
                self.handler.connection.sendall(bytes([0x80 | opcode]) + size + payload)
        except OSError:
            pass

    def say(self, op, data=None, **more):
        frame = {"op": op, "d": data, "s": None, "t": None, **more}
        self.frame(1, json.dumps(later(frame)).encode())

    def bye(self, code, reason=""):
        self.frame(8, struct.pack(">H", code) + reason.encode())

    def cut(self):
        try:
            self.handler.connection.shutdown(2)
        except OSError:
            pass

    def take(self, n):
        data = self.handler.rfile.read(n)
        if len(data) < n:
            raise ConnectionError
        return data

    def hear(self):
        """The next message; the code of a close."""
        while True:
            first, second = self.take(2)
            n = second & 0x7F
            if n == 126:
                n = struct.unpack(">H", self.take(2))[0]
            mask = self.take(4)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.take(n)))
            if first & 15 == 8:
                return struct.unpack(">H", data[:2])[0] if len(data) >= 2 else 1005
            if first & 15 == 9:
                self.frame(10, data)
            elif first & 15 == 1:
                return data.decode()

    def serve(self):
        fake, code = self.fake, 1006
        self.say(10, {"heartbeat_interval": fake.interval_ms, "_trace": ["x"]})
        try:
            while isinstance(got := self.hear(), str):
                if len(got) > 4096:
                    fake.wrong.append("a frame of more than 4096 bytes")
                self.take_frame(json.loads(got))
            code = got
        except (ConnectionError, OSError):
            pass
        with fake.lock:
            fake.closes.append(code)
            if self in fake.sockets:
                fake.sockets.remove(self)
            if code in (1000, 1001) and self.session:
                fake.sessions.pop(self.session, None)

    def take_frame(self, frame):
        fake, op, data = self.fake, frame.pop("op"), frame.pop("d")
        if frame:
            fake.wrong.append(f"members {frame} of a frame")
        with fake.lock:
            fake.frames.append((op, data))
        if op == 1:
            if data is not None and not isinstance(data, int):
                fake.wrong.append(f"a heartbeat with {data!r}")
            if not fake.is_deaf:
                self.say(11)
        elif op == 2:
            self.identify(data)
        elif op == 6:
            self.resume(data)
        else:
            self.bye(4001, "Unknown opcode")

    def identify(self, data):
        fake = self.fake
        properties = data.get("properties", {})
        if set(data) != {"token", "intents", "properties"} or \
                set(properties) != {"os", "browser", "device"} or self.path != "/":
            fake.wrong.append(f"identify: {sorted(data)} at {self.path}")
        if data["token"] != fake.token:
            return self.bye(4004, "Authentication failed.")
        if data["intents"] & 1 << 15 and not fake.may_read:
            return self.bye(4014, "Disallowed intent(s).")
        with fake.lock:
            self.session = f"session{len(fake.begun)}"
            fake.begun.append(self.session)
            fake.sessions[self.session] = []
            fake.sockets.append(self)
            fake.tell(self.session, "READY", {
                "v": 10, "user": BOT, "guilds": [{"id": GUILD, "unavailable": True}],
                "session_id": self.session, "resume_gateway_url": fake.ws_url + "/resume",
                "session_type": "normal", "application": {"id": "42", "flags": 0}})
            fake.tell(self.session, "GUILD_CREATE", fake.guild())
        return None

    def resume(self, data):
        fake = self.fake
        if set(data) != {"token", "session_id", "seq"} or self.path != "/resume/":
            fake.wrong.append(f"resume: {sorted(data)} at {self.path}")
        if data["token"] != fake.token:
            return self.bye(4004, "Authentication failed.")
        with fake.lock:
            events = fake.sessions.get(data["session_id"])
            if events is None:
                return self.say(9, False)
            self.session = data["session_id"]
            fake.resumed.append(data["seq"])
            for event in [e for e in events if e["s"] > data["seq"]]:
                self.frame(1, json.dumps(later(event)).encode())
            fake.sockets.append(self)
            fake.tell(self.session, "RESUMED", {"_trace": []})
        return None


class Server(ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """A box that is killed breaks its connections: that is no error of the test."""


# --- the platform ---------------------------------------------------------------------------


class Discord:
    def __init__(self, token="abc.def-1"):
        self.token = token
        self.lock = threading.RLock()
        self.wrong = []       # what the description does not allow
        self.heard = []       # (operation, path, body), as they came
        self.messages = {}    # id -> message, as it is shown
        self.posted = []      # (chat, text), as they were accepted
        self.files = {}       # nonce -> (name, bytes) of a file that came with it
        self.gone = []
        self.files = {}       # path -> bytes
        self.fetched = []     # paths that were asked for
        self.nonces = {}      # nonce -> (id, when)
        self.chats = {}       # id -> {"guild": ..., "parent": ...}
        self.presses = {}     # token -> interaction
        self.told = []        # (interaction, data)
        self.times = defaultdict(deque)
        self.limited = 0      # 429s that were none of the test's
        self.script = {}      # operation -> a list of what happens instead: see answer()
        self.sessions, self.begun, self.resumed = {}, [], []
        self.sockets, self.frames, self.closes = [], [], []
        self.interval_ms = 2000
        self.is_deaf, self.may_read, self.may_begin = False, True, 1000
        self.permissions = INVITED  # of the bot in the server
        self.last_id = 0
        self.server = Server(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/api/v10"

    @property
    def file_url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def ws_url(self):
        return f"ws://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()
        self.server.shutdown()
        self.server.server_close()

    def new_id(self):
        now = int(time.time() * 1000 - EPOCH_MS) << 22
        self.last_id = max(self.last_id + 1, now)
        return str(self.last_id)

    # --- what the gateway does ---

    def tell(self, session, event, data):
        """An event of a session: it is kept, and told to who is there."""
        events = self.sessions[session]
        frame = {"op": 0, "t": event, "s": len(events) + 1, "d": data}
        events.append(frame)
        for socket in self.sockets:
            if socket.session == session:
                socket.frame(1, json.dumps(later(frame)).encode())

    def event(self, event, data):
        with self.lock:
            for session in self.sessions:
                self.tell(session, event, data)

    def guild(self):
        def chat(id):
            last = [int(m["id"]) for m in self.messages.values() if m["channel_id"] == id]
            return {"id": id, "type": 0, "name": "x", "parent_id": self.chats[id].get("parent"),
                    "last_message_id": str(max(last)) if last else None}
        ours = [id for id, c in self.chats.items() if c["guild"]]
        return {"id": GUILD, "name": "a server",
                "channels": [chat(id) for id in ours if not self.chats[id].get("parent")],
                "threads": [chat(id) for id in ours if self.chats[id].get("parent")]}

    def cut(self, code=None):
        """The gateway is left: broken, or closed with a code."""
        with self.lock:
            for socket in list(self.sockets):
                if code:
                    socket.bye(code)
                else:
                    socket.cut()

    def forget_sessions(self):
        with self.lock:
            self.sessions.clear()
            self.sockets.clear()

    def all_say(self, op, data=None):
        with self.lock:
            for socket in self.sockets:
                socket.say(op, data)

    # --- what people do ---

    def room(self, id, parent=None):
        """A channel of the server, or a thread in one."""
        self.chats[id] = {"guild": True, "parent": parent}
        if parent:
            self.event("THREAD_CREATE", {"id": id, "type": 11, "parent_id": parent,
                                         "guild_id": GUILD, "name": "x"})

    def write(self, text, sender="7", chat=None, **more):
        """A person writes; the id of the message."""
        chat = chat or "70" + sender
        with self.lock:
            self.chats.setdefault(chat, {"guild": False})
            id = self.new_id()
            message = {"id": id, "channel_id": chat, "type": 0, "content": text, "nonce": "n",
                       "author": {"id": sender, "username": "ada", "global_name": "Ada"},
                       "mentions": [BOT] if "<@42>" in text else [], "pinned": False,
                       "new_member_of_2030": {}, **more}
            self.messages[id] = message
            where = {"guild_id": GUILD, "member": {"nick": "Countess"}} \
                if self.chats[chat]["guild"] else {}
            self.event("MESSAGE_CREATE", {**message, **where})
            return id

    def attach(self, data, name="a.bin", type="application/octet-stream", text="", file={}, **more):
        """A person sends a file; `file` changes what Discord says of it."""
        path = f"/attachments/7/{len(self.files) + 1}/a"
        self.files[path] = data
        one = {"id": self.new_id(), "filename": name, "content_type": type, "size": len(data),
               "url": f"{self.file_url}{path}?ex=1&is=2&hm=3&",
               "proxy_url": "https://media.discordapp.net/x", "title": "x", **file}
        return self.write(text, attachments=[one], **more)

    def file(self, path, authorization):
        """The status, head and bytes of a file: its address is signed, and no token goes there."""
        with self.lock:
            self.fetched.append(path)
            if authorization:
                self.wrong.append("a token goes to the server of files")
            data = self.files.get(path.partition("?")[0])
            is_signed = path.endswith("?ex=1&is=2&hm=3&")
            return (200, {}, data) if data is not None and is_signed else (404, {}, b"")

    def press(self, id, index=0, sender="7"):
        """A button of a message is pressed; the token of the interaction."""
        with self.lock:
            message = self.messages[id]
            buttons = [b for row in message["components"] for b in row["components"]]
            token = f"aW50ZXJhY3Rpb24{len(self.presses)}"
            user = {"id": sender, "username": "ada", "global_name": "Ada"}
            in_guild = self.chats[message["channel_id"]]["guild"]
            who = {"member": {"user": user}, "guild_id": GUILD} if in_guild else {"user": user}
            press = {"id": self.new_id(), "token": token, "type": 3, "version": 1, **who,
                     "application_id": "42", "channel_id": message["channel_id"],
                     "data": {"custom_id": buttons[index]["custom_id"], "component_type": 2},
                     "message": message}
            self.presses[token] = (press["id"], time.monotonic())
            self.event("INTERACTION_CREATE", press)
            return token

    def screen(self, chat="707"):
        with self.lock:
            return [m["content"] for _, m in sorted(self.messages.items(), key=lambda x: int(x[0]))
                    if m["channel_id"] == chat and m["author"]["id"] == BOT["id"]]

    def ours(self, chat="707"):
        with self.lock:
            return [m for _, m in sorted(self.messages.items(), key=lambda x: int(x[0]))
                    if m["channel_id"] == chat and m["author"]["id"] == BOT["id"]]

    def of(self, name):
        with self.lock:
            return [body for operation, _, body in self.heard if operation == name]

    # --- what the platform does ---

    def _limit(self, name, chat):
        """A window for each route and chat, and 50 a second in all; the head that tells of it."""
        now = time.monotonic()
        most, seconds = WINDOWS.get(name, (10, 1))
        rules = [(("all",), 50, 1), ((name, chat), most, seconds)]
        for key, limit, span in rules[name == "create_interaction_response":]:
            times = self.times[key]
            while times and times[0] < now - span:
                times.popleft()
            if len(times) >= limit:
                self.limited += 1
                raise Refused(429, "You are being rate limited.", global_=False,
                              retry_after=round(times[0] + span - now, 3))
        for key, _, _ in rules:
            self.times[key].append(now)
        left = times[0] + seconds - now
        return {"X-RateLimit-Limit": most, "X-RateLimit-Remaining": most - len(times),
                "X-RateLimit-Reset": round(time.time() + left, 3),
                "X-RateLimit-Reset-After": f"{left:.3f}",
                "X-RateLimit-Bucket": hashlib.md5(name.encode()).hexdigest()}

    def _check(self, body):
        content = body.get("content") or ""
        if len(content) > TEXT_MAX:
            self.wrong.append(f"{len(content)} characters of text")
            raise Refused(400, "Invalid Form Body", 50035)
        if not content.strip() and not body.get("attachments"):
            self.wrong.append("an empty message")
            raise Refused(400, "Cannot send an empty message", 50006)
        if content.count("\n") > 16:
            self.wrong.append(f"{content.count(chr(10)) + 1} lines")
        if body.get("allowed_mentions") != {"parse": []}:
            self.wrong.append("it may ring somebody")
        if not body.get("flags", 0) & SUPPRESS_EMBEDS:
            self.wrong.append("a preview of links")

    def _chat(self, id):
        if id not in self.chats:
            raise Refused(404, "Unknown Channel", 10003)
        return id

    def create_message(self, body, chat):
        self._chat(chat)
        self._check(body)
        nonce = body.get("nonce")
        if not nonce or not body.get("enforce_nonce"):
            self.wrong.append("a message without a nonce")
        known = self.nonces.get(nonce)
        if known and time.monotonic() - known[1] < NONCE_S:
            return self.messages[known[0]]
        id = self.new_id()
        message = {"id": id, "channel_id": chat, "type": 0, "author": BOT, "mentions": [],
                   "content": body["content"], "nonce": nonce, "flags": body["flags"],
                   "components": body.get("components", []),
                   "message_reference": body.get("message_reference"),
                   "attachments": body.get("attachments", [])}
        self.messages[id] = message
        self.nonces[nonce] = (id, time.monotonic())
        self.posted.append((chat, body["content"]))
        where = {"guild_id": GUILD} if self.chats[chat]["guild"] else {}
        self.event("MESSAGE_CREATE", {**message, **where})
        return message

    def update_message(self, body, chat, id):
        self._check(body)
        if id not in self.messages:
            raise Refused(404, "Unknown Message", 10008)
        self.messages[id].update(content=body["content"], components=body["components"])
        return self.messages[id]

    def delete_message(self, _, chat, id):
        if self.messages.pop(id, None) is None:
            raise Refused(404, "Unknown Message", 10008)
        self.gone.append(id)

    def list_messages(self, _, chat, limit="50", before=None, after=None):
        self._chat(chat)
        if self.chats[chat]["guild"] and not self.permissions & READ_HISTORY:
            return []  # Discord gives no error then
        ids = sorted(int(m["id"]) for m in self.messages.values() if m["channel_id"] == chat)
        if after:
            ids = [i for i in ids if i > int(after)][:int(limit)]
        else:
            ids = [i for i in ids if not before or i < int(before)][-int(limit):]
        return [self.messages[str(i)] for i in reversed(ids)]

    def trigger_typing_indicator(self, _, chat):
        self._chat(chat)

    def get_my_user(self, _):
        return BOT

    def list_my_guilds(self, _):
        return [{"id": GUILD, "name": "a server", "icon": None, "banner": None, "owner": False,
                 "permissions": str(self.permissions), "features": []}]

    def create_dm(self, body):
        chat = "70" + body["recipient_id"]
        self.chats.setdefault(chat, {"guild": False})
        return {"id": chat, "type": 1, "last_message_id": None}

    def get_bot_gateway(self, _):
        return {"url": self.ws_url, "shards": 1,
                "session_start_limit": {"total": 1000, "remaining": self.may_begin,
                                        "reset_after": 3000, "max_concurrency": 1}}

    def create_interaction_response(self, body, id, token):
        known = self.presses.get(token)
        if not known or known[0] != id or time.monotonic() - known[1] > 3:
            raise Refused(404, "Unknown interaction", 10062)
        if any(t == token for t, _ in self.told):
            raise Refused(400, "Interaction has already been acknowledged.", 40060)
        self.told.append((token, body["data"]))

    # --- requests ---

    def answer(self, method, target, body):
        """Status, head and body; None: the answer is lost.  A script has, for an operation, what
        happens next: `lose` (it is accepted, and the answer is lost), a Refused, or None: all is
        well."""
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        name, ids = operation(method, parts.path.removeprefix("/api/v10"))
        with self.lock:
            if not name:
                self.wrong.append(f"{method} {target} is nothing that is known")
                return 404, {}, {"message": "404: Not Found", "code": 0}
            self.heard.append((name, target, body))
            self._look_at(name, query, body)
            step = (self.script.get(name) or [None]).pop(0)
            head = {}
            try:
                if isinstance(step, Refused):
                    raise step
                head = self._limit(name, ids[0] if ids else "")
                result = getattr(self, name)(body, *ids, **query)
            except Refused as refused:
                error = {k.rstrip("_"): v for k, v in refused.body.items()}
                return refused.status, head, error
            return None if step == "lose" else (200 if result is not None else 204, head, result)

    def take_form(self, kind, raw):
        """The JSON of a form; its file is that of the message with the same nonce."""
        form = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + raw)
        parts = {p.get_param("name", header="content-disposition"): p for p in form.get_payload()}
        body = parts["payload_json"].get_payload(decode=True)
        said, file = json.loads(body), parts["files[0]"]
        if set(parts) != {"payload_json", "files[0]"} or len(said["attachments"]) != 1:
            self.wrong.append(f"a form of {set(parts)}")
        if file.get_filename() != said["attachments"][0]["filename"]:
            self.wrong.append("a file by two names")
        self.files[said["nonce"]] = (file.get_filename(), file.get_payload(decode=True))
        return body

    def _look_at(self, name, query, body):
        described = API["operations"][name]
        for key, value in query.items():
            if key not in described["query"]:
                self.wrong.append(f"{name}: ?{key} is unknown")
            else:
                number = int(value) if key == "limit" else value
                self.wrong += [f"{name}: {f}" for f in faults(number, described["query"][key], key)]
        if described["body"]:
            self.wrong += [f"{name}: {fault}" for fault in faults(body, described["body"])]
        elif body is not None:
            self.wrong.append(f"{name}: a body")

    def _handler(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def upgrade(self):
                parts = urlsplit(self.path)
                if parts.query != "v=10&encoding=json":
                    fake.wrong.append(f"the gateway at {self.path}")
                key = self.headers["Sec-WebSocket-Key"] + GUID
                accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
                self.send_response(101)
                self.send_header("Upgrade", "websocket")
                self.send_header("Connection", "Upgrade")
                self.send_header("Sec-WebSocket-Accept", accept)
                self.end_headers()
                self.close_connection = True
                Socket(fake, self, parts.path).serve()

            def handle_all(self):
                if self.headers.get("Upgrade", "").lower() == "websocket":
                    self.upgrade()
                    return
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                kind = self.headers.get("Content-Type", "")
                if kind.startswith("multipart/"):
                    raw = fake.take_form(kind, raw)
                elif raw and kind != "application/json":
                    fake.wrong.append("a body that is not said to be JSON")
                if self.path.startswith("/attachments/"):
                    got = fake.file(self.path, self.headers.get("Authorization"))
                elif self.headers.get("Authorization") != f"Bot {fake.token}":
                    got = 401, {}, {"message": "401: Unauthorized", "code": 0}
                else:
                    got = fake.answer(self.command, self.path, json.loads(raw) if raw else None)
                if got is None:
                    self.close_connection = True
                    return
                status, head, body = got
                data = body if isinstance(body, bytes) else \
                    b"" if body is None else json.dumps(later(body)).encode()
                self.send_response(status)
                for name, value in head.items():
                    self.send_header(name, str(value))
                self.send_header("Content-Type", "application/json")
                if status != 204:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except ConnectionError:  # a box that was killed
                    self.close_connection = True

            do_GET = do_POST = do_PATCH = do_DELETE = handle_all

            def log_message(self, *_):
                pass

        return Handler
