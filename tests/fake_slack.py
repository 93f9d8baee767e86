"""A Slack of the tests' own: it checks every request against the description of the Web API
(tests/fixtures/slack.json), keeps the platform's limits and its messages, speaks Socket Mode, and
fails as the real one does."""

import base64
import hashlib
import json
import re
import struct
import threading
import time
from collections import defaultdict, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from later import later

API = json.loads((Path(__file__).parent / "fixtures" / "slack.json").read_text())["methods"]
# Methods that are newer than the description, as Slack's documentation has them.
API |= {
    "files.getUploadURLExternal": {"verb": "POST", "args": {
        "filename": {"type": "string", "required": True},
        "length": {"type": "integer", "required": True},
        "alt_txt": {"type": "string"}, "snippet_type": {"type": "string"}}},
    "files.completeUploadExternal": {"verb": "POST", "args": {
        "files": {"type": "string", "required": True}, "channel_id": {"type": "string"},
        "channels": {"type": "string"}, "thread_ts": {"type": "string"},
        "initial_comment": {"type": "string"}, "blocks": {"type": "string"}}},
}
BOT, BOT_ID = "U0BOX", "B0BOX"
TEXT_MAX, BLOCKS_MAX, SECTION_MAX = 40000, 50, 3000
FORM = "application/x-www-form-urlencoded"
SCOPES = ("app_mentions:read", "assistant:write", "channels:history", "chat:write",
          "commands", "files:read", "files:write", "groups:history", "im:history", "mpim:history")
WS_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def units(text):
    return len(text.encode("utf-16-le")) // 2


class Refused(Exception):
    """An error of a method; `after` is that of Retry-After."""

    def __init__(self, error, after=None, **more):
        super().__init__(error)
        self.status = 429 if after else 200
        self.headers = {"Retry-After": str(after)} if after else {}
        self.body = {"ok": False, "error": error, **more}


def fits(value, kind):
    if kind == "boolean":
        return value in ("true", "false")
    if kind == "integer":
        return value.isdigit()
    if kind == "number":
        return re.fullmatch(r"\d+(\.\d+)?", value) is not None
    return kind == "string"


def faults(pairs, args):
    """What of a form is not as the description has it."""
    names = [name for name, _ in pairs]
    found = [f"{name} is missing" for name, arg in args.items()
             if arg.get("required") and name not in names]
    found += [f"{name} is given twice" for name in set(names) if names.count(name) > 1]
    for name, value in pairs:
        if name not in args:
            found.append(f"{name} is unknown")
        elif not fits(value, args[name]["type"]):
            found.append(f"{name} is no {args[name]['type']}: {value!r}")
    return found


# --- blocks ---

SECTION = {"type", "text", "block_id", "fields", "accessory", "expand"}
TEXTS = {"plain_text": {"type", "text", "emoji"}, "mrkdwn": {"type", "text", "verbatim"}}
BUTTON = {"type", "text", "action_id", "value", "url", "style", "confirm"}


def text_faults(text, most, kinds):
    kind = text.get("type")
    if kind not in kinds:
        return [f"a text of the type {kind}"]
    found = [f"{name} of a {kind}" for name in text.keys() - TEXTS[kind]]
    if not isinstance(text["text"], str) or not 1 <= units(text["text"]) <= most:
        found.append(f"a text of {units(text['text'])} units, where {most} fit")
    if kind == "mrkdwn":
        if text.get("verbatim") is not True:
            found.append("names and groups are looked for in it")
        found += [f"<{ref}> is no link" for ref in re.findall(r"<([^>]*)>", text["text"])
                  if not re.match(r"https?://", ref)]
        if re.search(r"<[^>]*$|&(?!lt;|gt;|amp;)", text["text"]):
            found.append(f"it is not escaped: {text['text']!r}")
    return found


def block_faults(block):
    if block["type"] == "section":
        found = [f"{name} of a section" for name in block.keys() - SECTION]
        return found + text_faults(block["text"], SECTION_MAX, TEXTS)
    if block["type"] != "actions":
        return [f"a block of the type {block['type']}"]
    found = [f"{name} of actions" for name in block.keys() - {"type", "elements", "block_id"}]
    if not 1 <= len(block["elements"]) <= 25:
        found.append("so many buttons")
    ids = [b["action_id"] for b in block["elements"]]
    if len(ids) != len(set(ids)) or any(len(id) > 255 for id in ids):
        found.append(f"action_id: {ids}")
    for button in block["elements"]:
        found += [f"{name} of a button" for name in button.keys() - BUTTON]
        found += text_faults(button["text"], 75, {"plain_text"})
        if button["type"] != "button" or len(button["value"]) > 2000:
            found.append(f"a button: {button}")
    return found


def unescaped(text):
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def shown(blocks):
    """What a person reads; links as <URL|LABEL>, marks as they are."""
    return "\n".join(b["text"]["text"] if b["text"]["type"] == "plain_text"
                     else unescaped(b["text"]["text"]) for b in blocks if b["type"] == "section")


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A box that is killed breaks its connections: that is no error of the test."""


class Slack:
    def __init__(self, token="xoxb-1-abc", app_token="xapp-1-def"):
        self.token, self.app_token = token, app_token
        self.lock = threading.Condition()
        self.wrong = []     # requests that the description does not allow
        self.heard = []     # (method, form), as they came
        self.messages = {}  # (channel, ts) -> the message
        self.scopes = list(SCOPES)
        self.gone = []
        self.files = {}     # path -> bytes, or the bytes that are said to come
        self.fetched = []   # (path, authorization), as they were asked for
        self.uploads = {}   # id -> {"name", "length", "data"} of files that the box sends
        self.shows_after = 0  # seconds until a file that is shared is seen
        self.sent = []      # (channel, text), as they were accepted
        self.told = []      # what who pressed was told
        self.waiting = {}   # envelopes that were not acknowledged: id -> envelope
        self.acked = []
        self.sockets = []
        self.tickets = set()
        self.opened = 0
        self.count = 0
        self.times = defaultdict(deque)
        self.limited = 0    # 429s that were none of the test's
        self.script = {}    # method -> a list of what happens instead: see answer()
        self.server = Server(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def url(self):
        return self.origin + "/api"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.cut()

    # --- what people do ---

    def _ts(self):
        self.count += 1
        return f"{int(time.time())}.{self.count:06d}"

    def write(self, text, user="U7", channel="D7", kind="message", **more):
        """A person writes; the ts of the message."""
        with self.lock:
            ts = self._ts()
            event = {"type": kind, "user": user, "channel": channel, "text": text, "ts": ts,
                     "event_ts": ts, "channel_type": "im" if channel[0] == "D" else "channel",
                     "client_msg_id": f"c-{ts}", "new_member_of_2030": {"a": [1]}, **more}
            self.messages[channel, ts] = dict(event)
            self.event(event)
            return ts

    def attach(self, data, name="a.bin", type="application/octet-stream", text="", file={}, **more):
        """A person sends a file; `file` changes what Slack says of it."""
        path = f"/files-pri/T1-F{len(self.files) + 1}/download/a"
        self.files[path] = data
        one = {"id": f"F{len(self.files)}", "name": name, "title": name, "mimetype": type,
               "filetype": "x", "size": len(data), "mode": "hosted", "is_external": False,
               "url_private": self.origin + path, "url_private_download": self.origin + path,
               "permalink": "https://x.slack.com/files/1", **file}
        return self.write(text, subtype="file_share", upload=False, files=[one], **more)

    def file(self, path, token):
        """The status, headers and bytes of a file; who may not read is asked to log in."""
        with self.lock:
            self.fetched.append((path, token))
            if token != f"Bearer {self.token}" or "files:read" not in self.scopes:
                return 302, {"Location": "https://x.slack.com/?redir=%2Ffiles"}, b""
            return (200, {}, self.files[path]) if path in self.files else (404, {}, b"")

    def event(self, event):
        self.envelope("events_api", {
            "token": "legacy", "team_id": "T1", "api_app_id": "A1", "event": event,
            "type": "event_callback", "event_id": f"Ev{self.count}", "event_time": 1})

    def command(self, command, text="", user="U7", channel="D7"):
        self.envelope("slash_commands", {
            "command": command, "text": text, "user_id": user, "user_name": "ada",
            "channel_id": channel, "channel_name": "directmessage", "team_id": "T1",
            "response_url": f"{self.url}/hooks/c", "trigger_id": "1.2"})

    def press(self, channel, ts, index, user="U7"):
        with self.lock:
            message = self.messages[channel, ts]
            action = self.buttons(channel, ts)[index]
        self.envelope("interactive", {
            "type": "block_actions", "user": {"id": user, "username": "ada", "name": "ada"},
            "container": {"type": "message", "message_ts": ts, "channel_id": channel},
            "trigger_id": "1.2", "channel": {"id": channel, "name": "x"}, "message": message,
            "response_url": f"{self.url}/hooks/{ts}",
            "actions": [{**action, "block_id": "b", "action_ts": ts}]})

    def buttons(self, channel, ts):
        return [b for block in self.messages[channel, ts].get("blocks", [])
                if block["type"] == "actions" for b in block["elements"]]

    def screen(self, channel="D7", thread=None):
        """The box's messages there, in their order."""
        with self.lock:
            return [m["shown"] for (where, _), m in sorted(self.messages.items())
                    if where == channel and "shown" in m and m.get("thread_ts") == thread]

    def of(self, method):
        with self.lock:
            return [form for name, form in self.heard if name == method]

    # --- Socket Mode ---

    def envelope(self, kind, payload):
        with self.lock:
            self.count += 1
            id = f"env-{self.count}"
            self.waiting[id] = {"envelope_id": id, "type": kind, "payload": payload,
                                "accepts_response_payload": kind == "slash_commands",
                                "retry_attempt": 0}
            sockets = list(self.sockets)
        for socket in sockets[-1:]:
            self.say(socket, self.waiting[id])

    def say(self, socket, message):
        bytes = message if isinstance(message, str) else json.dumps(later(message))
        bytes = bytes.encode()
        head = b"\x81" + (struct.pack(">B", len(bytes)) if len(bytes) < 126 else
                          struct.pack(">BH", 126, len(bytes)) if len(bytes) < 65536 else
                          struct.pack(">BQ", 127, len(bytes)))
        try:
            socket.sendall(head + bytes)
        except OSError:
            pass

    def refresh(self, reason="refresh_requested"):
        """Slack asks for another connection."""
        with self.lock:
            sockets = list(self.sockets)
        for socket in sockets:
            self.say(socket, {"type": "disconnect", "reason": reason,
                              "debug_info": {"host": "wss-1"}})

    def cut(self):
        """Every connection breaks."""
        with self.lock:
            sockets, self.sockets = self.sockets, []
        for socket in sockets:
            try:
                socket.shutdown(2)
            except OSError:
                pass

    def _serve(self, socket, file):
        """One connection: hello, what waits, and acknowledgements until it ends."""
        with self.lock:
            self.sockets.append(socket)
            self.opened += 1
            waiting = list(self.waiting.values())
        self.say(socket, {"type": "hello", "num_connections": 1,
                          "debug_info": {"approximate_connection_time": 18060},
                          "connection_info": {"app_id": "A1"}})
        for envelope in waiting:
            envelope["retry_attempt"] += 1
            self.say(socket, envelope)
        try:
            while (message := self._hear(file, socket)) is not None:
                with self.lock:
                    id = message.get("envelope_id")
                    if message.keys() - {"envelope_id", "payload"} or id not in self.waiting:
                        self.wrong.append(f"an acknowledgement: {message}")
                    self.waiting.pop(id, None)
                    self.acked.append(id)
        except (OSError, ValueError, struct.error):
            pass
        with self.lock:
            if socket in self.sockets:
                self.sockets.remove(socket)

    def _hear(self, file, socket):
        while True:
            head = file.read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                return None
            size = head[1] & 127
            if size == 126:
                size, = struct.unpack(">H", file.read(2))
            elif size == 127:
                size, = struct.unpack(">Q", file.read(8))
            mask = file.read(4)
            body = bytes(b ^ mask[i % 4] for i, b in enumerate(file.read(size)))
            if head[0] & 15 == 9:
                socket.sendall(b"\x8a" + bytes([len(body)]) + body)
            if head[0] & 15 == 1:
                return json.loads(body)

    # --- what the platform does ---

    def _limit(self, *rules):
        now = time.monotonic()
        for name, most, seconds in rules:
            times = self.times[name]
            while times and times[0] < now - seconds:
                times.popleft()
            if len(times) >= most:
                self.limited += 1
                raise Refused("ratelimited", after=1)
        for name, _, _ in rules:
            self.times[name].append(now)

    def _blocks(self, form):
        blocks = json.loads(form.get("blocks", "[]"))
        ids = [b["block_id"] for b in blocks if "block_id" in b]
        self.wrong += [fault for block in blocks for fault in block_faults(block)]
        if len(blocks) > BLOCKS_MAX or len(ids) != len(set(ids)) or any(len(x) > 255 for x in ids):
            self.wrong.append(f"blocks: {ids}")
        if len(form["text"]) > TEXT_MAX:
            self.wrong.append("a text that is too long")
            raise Refused("msg_too_long")
        if not form["text"].strip():
            raise Refused("no_text")
        if form.get("parse") != "none" or form.get("link_names", "false") != "false":
            self.wrong.append("names are looked for in it")
        return blocks

    def auth_test(self, _):
        return {"url": "https://x.slack.com/", "team": "X", "user": "box", "team_id": "T1",
                "user_id": BOT, "bot_id": BOT_ID}

    def apps_connections_open(self, _):
        ticket = f"ticket-{len(self.tickets)}"
        self.tickets.add(ticket)
        return {"url": f"ws://127.0.0.1:{self.server.server_port}/link/?ticket={ticket}"}

    def chat_postMessage(self, form):
        channel, thread = form["channel"], form.get("thread_ts")
        blocks = self._blocks(form)
        if form.get("unfurl_links") != "false" or form.get("unfurl_media") != "false":
            self.wrong.append("a preview of links")
        if thread and (channel, thread) not in self.messages:
            self.wrong.append(f"no message {thread} in {channel}")
        self._limit((("post", channel), 5, 2), ("post", 300, 60))
        ts = self._ts()
        text = shown(blocks) if blocks else unescaped(form["text"])
        message = {"type": "message", "user": BOT, "bot_id": BOT_ID, "text": form["text"],
                   "ts": ts, "blocks": blocks, "shown": text}
        if thread:
            message["thread_ts"] = thread
        self.messages[channel, ts] = message
        self.sent.append((channel, text))
        return {"channel": channel, "ts": ts, "message": message}

    def chat_update(self, form):
        key = (form["channel"], form["ts"])
        blocks = self._blocks(form)
        if key not in self.messages:
            raise Refused("message_not_found")
        if self.messages[key]["user"] != BOT:
            raise Refused("cant_update_message")
        self._limit((("update", key), 3, 2), ("update", 60, 60))
        text = shown(blocks) if blocks else unescaped(form["text"])
        self.messages[key].update(text=form["text"], blocks=blocks, shown=text)
        return {"channel": key[0], "ts": key[1], "text": form["text"],
                "message": {"text": form["text"]}}

    def chat_delete(self, form):
        key = (form["channel"], form["ts"])
        if self.messages.pop(key, None) is None:
            raise Refused("message_not_found")
        self.gone.append(key)
        return {"channel": key[0], "ts": key[1]}

    def _page(self, messages, form):
        oldest, limit = float(form.get("oldest", 0)), int(form.get("limit", 100))
        if limit > 999:
            self.wrong.append(f"a page of {limit}")
        self._limit(("history", 60, 60))
        found = [m for m in messages if float(m["ts"]) > oldest]
        start = int(form.get("cursor", 0))
        more = start + limit < len(found)
        return {"messages": found[start:start + limit], "has_more": more, "pin_count": 0,
                "channel_actions_ts": None, "channel_actions_count": 0,
                "response_metadata": {"next_cursor": str(start + limit) if more else ""}}

    def conversations_history(self, form):
        return self._page([m for (where, ts), m in sorted(self.messages.items(), reverse=True)
                           if where == form["channel"] and m.get("thread_ts", ts) == ts], form)

    def conversations_replies(self, form):
        return self._page([m for (where, ts), m in sorted(self.messages.items())
                           if where == form["channel"] and
                           form["ts"] in (ts, m.get("thread_ts"))], form)

    def files_getUploadURLExternal(self, form):
        if "files:write" not in self.scopes:
            raise Refused("missing_scope", needed="files:write", provided="chat:write")
        id = f"F0UP{len(self.uploads)}"
        self.uploads[id] = {"name": form["filename"], "length": int(form["length"]), "data": None}
        return {"upload_url": f"{self.origin}/upload/v1/{id}", "file_id": id}

    def upload(self, path, headers, data):
        """The bytes of a file: the status and what is said; None: the answer is lost."""
        with self.lock:
            file = self.uploads[path.rpartition("/")[2]]
            self.heard.append(("upload", {"path": path}))
            if headers.get("Authorization") or file["data"] is not None:
                self.wrong.append("bytes with a token, or a second time")
            if headers["Content-Type"] != "application/octet-stream" or \
                    len(data) != file["length"]:
                self.wrong.append(f"{len(data)} bytes of a file: {headers['Content-Type']}")
            file["data"] = data
            step = (self.script.get("upload") or [None]).pop(0)
            if step == "lose":
                return None
            return (step, "no") if step else (200, f"OK - {len(data)}")

    def files_completeUploadExternal(self, form):
        (said,) = json.loads(form["files"])
        file, thread = self.uploads.get(said["id"]), form.get("thread_ts")
        channel = form.get("channel_id") or form["channels"]
        if said.keys() - {"id", "title", "highlight_type"} or ("channel_id" in form) == (
                "channels" in form) or (channel[0] in "UW") != ("channels" in form):
            self.wrong.append(f"a file is shared: {form}")
        if thread and (channel, thread) not in self.messages:
            self.wrong.append(f"no message {thread} in {channel}")
        if file is None or file["data"] is None or file.get("is_shared"):
            self.wrong.append(f"a file that is not there, or is shared already: {said}")
            raise Refused("file_not_found")
        file["is_shared"] = True
        ts = self._ts()
        message = {"type": "message", "subtype": "file_share", "user": BOT, "bot_id": BOT_ID,
                   "text": form.get("initial_comment", ""), "ts": ts, "upload": False,
                   "files": [{**said, "name": file["name"], "mode": "hosted"}],
                   "shown": f"[{said['title']}]{form.get('initial_comment', '')}"}
        if thread:
            message["thread_ts"] = thread
        threading.Timer(self.shows_after, self._show, (channel, message)).start()
        return {"files": [{"id": said["id"], "title": said["title"]}]}

    def _show(self, channel, message):
        with self.lock:
            self.messages[channel, message["ts"]] = message

    def assistant_threads_setStatus(self, form):
        if (form["channel_id"], form["thread_ts"]) not in self.messages:
            self.wrong.append(f"no thread {form['thread_ts']}")
        return {}

    # --- requests ---

    def answer(self, method, verb, pairs, token):
        """The status, headers and body; None: the answer is lost.  A script has, for a method, what
        happens next: `lose` (it is accepted, and the answer is lost), `drop` (it is not, and there
        is no answer), a Refused, or None: all is well."""
        with self.lock:
            form = dict(pairs)
            self.heard.append((method, form))
            if method not in API:
                self.wrong.append(f"{method} is no method that is known")
                return 200, {}, {"ok": False, "error": "unknown_method"}
            if verb != API[method]["verb"]:
                self.wrong.append(f"{verb} {method}")
            self.wrong += [f"{method}: {fault}" for fault in faults(pairs, API[method]["args"])]
            steps = self.script.get(method) or [None]
            step = steps.pop(0)
            try:
                if isinstance(step, Refused):
                    raise step
                if step == "drop":
                    return None
                own = self.app_token if method == "apps.connections.open" else self.token
                if token != f"Bearer {own}":
                    raise Refused("invalid_auth")
                result = getattr(self, method.replace(".", "_"))(form)
            except Refused as refused:
                return refused.status, refused.headers, refused.body
            headers = {"x-oauth-scopes": ",".join(self.scopes)}
            return None if step == "lose" else (200, headers, {"ok": True, **result})

    def hook(self, body):
        with self.lock:
            message = json.loads(body)
            if message.keys() != {"response_type", "replace_original", "text"} or \
                    message["response_type"] != "ephemeral" or message["replace_original"]:
                self.wrong.append(f"a response: {message}")
            self.told.append(message["text"])

    def _handler(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def upgrade(self, query):
                if dict(parse_qsl(query)).get("ticket") not in fake.tickets:
                    self.send_error(401)
                    return
                key = self.headers["Sec-WebSocket-Key"] + WS_MAGIC
                accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
                self.wfile.write((
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                    f"Connection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n").encode())
                self.close_connection = True
                fake._serve(self.connection, self.rfile)

            def serve(self):
                parts = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if parts.path.startswith("/upload/v1/"):
                    got = fake.upload(parts.path, self.headers, body)
                    self.close_connection = got is None
                    if got:
                        self.reply(got[0], {}, got[1])
                    return
                body = body.decode()
                if parts.path == "/link/":
                    self.upgrade(parts.query)
                    return
                if parts.path.startswith("/files-pri/"):
                    self.reply(*fake.file(parts.path, self.headers.get("Authorization")))
                    return
                if parts.path.startswith("/api/hooks/"):
                    fake.hook(body)
                    self.reply(200, {}, "ok")
                    return
                if body and not self.headers["Content-Type"].startswith(FORM):
                    fake.wrong.append(self.headers["Content-Type"])
                pairs = parse_qsl(parts.query if self.command == "GET" else body,
                                  keep_blank_values=True, strict_parsing=False, errors="strict")
                got = fake.answer(parts.path.removeprefix("/api/"), self.command, pairs,
                                  self.headers.get("Authorization"))
                if got is None:
                    self.close_connection = True
                    return
                self.reply(got[0], got[1], json.dumps(later(got[2])))

            do_GET = do_POST = serve

            def reply(self, status, headers, body):
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                body = body if isinstance(body, bytes) else body.encode()
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except ConnectionError:  # a box that was killed
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler
