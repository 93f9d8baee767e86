"""A Telegram of the tests' own: it checks every request against the description of the Bot API
(tests/fixtures/telegram.json), keeps the platform's limits and its messages, and fails as the
real one does."""

import email
import json
import threading
import time
from collections import defaultdict, deque
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from later import later

API = json.loads((Path(__file__).parent / "fixtures" / "telegram.json").read_text())
TAGS = {"b", "i", "u", "s", "code", "pre", "a", "blockquote"}
BOT = {"id": 42, "is_bot": True, "first_name": "Box", "username": "box_bot"}
TEXT_MAX = 4096


def units(text):
    return len(text.encode("utf-16-le")) // 2


class File:
    """A file that was sent."""

    def __init__(self, name, type, data):
        self.name, self.type, self.data = name, type, data


INVISIBLE = " \t\r\n\xa0\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"  # a message of these is empty


class Refused(Exception):
    def __init__(self, code, words, **parameters):
        super().__init__(words)
        self.body = {"ok": False, "error_code": code, "description": words}
        if parameters:
            self.body["parameters"] = parameters


class Entities(HTMLParser):
    """The text that a person reads, and the links in it."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.links, self.tags = [], "", [], set()

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            raise Refused(400, f"Bad Request: can't parse entities: Unsupported start tag \"{tag}\"")
        self.open.append(tag)
        self.tags.add(tag)
        self.links += [value for name, value in attributes if name == "href"]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise Refused(400, "Bad Request: can't parse entities: Unmatched end tag")

    def handle_data(self, data):
        self.text += data


def parse(text):
    entities = Entities()
    entities.feed(text)
    entities.close()
    if entities.open:
        raise Refused(400, "Bad Request: can't parse entities: Can't find end tag")
    return entities


def form(head, body):
    """The fields of a form with a file in it, as the platform reads them."""
    message = email.message_from_bytes(b"Content-Type: " + head.encode() + b"\r\n\r\n" + body)
    fields = {}
    for part in message.get_payload():
        name, data = part.get_param("name", header="content-disposition"), part.get_payload(decode=True)
        if part.get_filename() is not None:
            fields[name] = File(part.get_filename(), part.get_content_type(), data)
        elif name in ("chat_id", "message_thread_id"):
            fields[name] = int(data)
        elif name in ("reply_parameters", "reply_markup"):
            fields[name] = json.loads(data)
        else:
            fields[name] = data.decode()
    return fields


def fits(value, kind):
    if kind == "InputFile":
        return isinstance(value, File)
    if kind.startswith("Array of "):
        return isinstance(value, list) and all(fits(v, kind[len("Array of "):]) for v in value)
    plain = {"Integer": int, "String": str, "Boolean": bool}
    if kind in plain:
        return isinstance(value, plain[kind]) and isinstance(value, bool) == (kind == "Boolean")
    return kind in API["types"] and not faults(value, API["types"][kind])


def faults(body, fields):
    """What of an object is not as the description has it."""
    if not isinstance(body, dict):
        return ["no object"]
    found = [f"{name} is missing" for name, field in fields.items()
             if field.get("required") and name not in body]
    for name, value in body.items():
        if name not in fields:
            found.append(f"{name} is unknown")
        elif not any(fits(value, kind) for kind in fields[name]["types"]):
            found.append(f"{name} is no {fields[name]['types']}: {value!r}")
    return found


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A box that is killed breaks its connections: that is no error of the test."""


class Telegram:
    def __init__(self, token="123:abc"):
        self.token = token
        self.lock = threading.Condition()
        self.wrong = []     # requests that the description does not allow
        self.heard = []     # (method, body), as they came
        self.updates = []
        self.confirmed = 0  # updates below are gone
        self.messages = {}  # (chat, id) -> text, as it is shown
        self.tags = {}      # (chat, id) -> the tags of it
        self.replies = {}   # (chat, id) -> what it answers
        self.gone = []
        self.keyboards = {} # (chat, id) -> {label: callback_data}, in their order
        self.told = {}      # id of a press -> the words for who pressed
        self.next_press = 1
        self.webhook = ""
        self.files = {}     # file_id -> bytes, or what happens instead: see do_GET()
        self.fetched = []   # file_ids whose bytes were asked for
        self.sent = []      # (chat, text), as they were accepted
        self.shown = []     # (chat, method, File, caption) of files that were accepted
        self.next_id = 100
        self.next_update = 1000
        self.times = defaultdict(deque)
        self.limited = 0    # 429s that were none of the test's
        self.script = {}    # method -> a list of what happens instead: see answer()
        self.left = False   # nobody is there
        self.serve(0)

    def serve(self, port):
        self.left = False
        self.server = Server(("127.0.0.1", port), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def leave(self):
        """Nobody is there until serve() with the same port; what is asked is not answered."""
        with self.lock:
            self.left = True
            self.lock.notify_all()
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.lock:
            self.token = None
            self.lock.notify_all()
        self.server.shutdown()
        self.server.server_close()

    # --- what people do ---

    def write(self, text, sender=7, chat=None, kind="private", **more):
        """A person writes; the id of the message."""
        with self.lock:
            self.next_id += 1
            self.next_update += 1
            text = {} if text is None else {"text": text}
            message = {"message_id": self.next_id, "date": int(time.time()), **text,
                       "from": {"id": sender, "is_bot": False, "first_name": "Ada"},
                       "chat": {"id": chat or sender, "type": kind}, "new_member_of_2030": {}, **more}
            self.updates.append({"update_id": self.next_update, "message": message})
            self.lock.notify_all()
            return self.next_id

    def attach(self, kind, data, caption=None, name=None, type=None, size=None, **more):
        """A person sends a file; its file_id."""
        with self.lock:
            id = f"file-{len(self.files) + 1}"
            self.files[id] = data
            file = {"file_id": id, "file_unique_id": "u" + id}
            if name is not None:
                file["file_name"] = name
            if type:
                file["mime_type"] = type
            if size or isinstance(data, bytes):
                file["file_size"] = size or len(data)
        if kind == "photo":
            small = {"file_id": "small", "file_unique_id": "small", "width": 90, "height": 60}
            file = [small, {**file, "width": 900, "height": 600}]
        if kind == "voice":
            file["duration"] = 3
        caption = {"caption": caption} if caption else {}
        self.write(None, **{kind: file}, **caption, **more)
        return id

    def update(self, body):
        with self.lock:
            self.next_update += 1
            self.updates.append({"update_id": self.next_update, **body})
            self.lock.notify_all()

    def press(self, chat, label, sender=7, data=None, kind="private"):
        """A person presses a button of the newest message that has it; the id of the press."""
        with self.lock:
            key = max((k for k, rows in self.keyboards.items() if k[0] == chat and label in rows),
                      default=(chat, 1))
            id, self.next_press = f"press-{self.next_press}", self.next_press + 1
            self.next_update += 1
            self.updates.append({"update_id": self.next_update, "callback_query": {
                "id": id, "from": {"id": sender, "is_bot": False, "first_name": "Ada"},
                "message": {"message_id": key[1], "date": 0, "chat": {"id": chat, "type": kind}},
                "chat_instance": "x", "data": data or self.keyboards[key][label]}})
            self.lock.notify_all()
            return id

    def screen(self, chat=7):
        with self.lock:
            return [text for (where, _), text in sorted(self.messages.items()) if where == chat]

    def of(self, method):
        with self.lock:
            return [body for name, body in self.heard if name == method]

    # --- what the platform does ---

    def _limit(self, chat):
        """20 a minute for a group, bursts of a few and then one a second for a chat, 30 a second
        in all."""
        now = time.monotonic()
        rules = [((chat,), (20, 60) if chat < 0 else (5, 2)), ("all", (40, 1))]
        for name, (most, seconds) in rules:
            times = self.times[name]
            while times and times[0] < now - seconds:
                times.popleft()
            if len(times) >= most:
                self.limited += 1
                raise Refused(429, "Too Many Requests: retry after 1", retry_after=1)
        for name, _ in rules:
            self.times[name].append(now)

    def _say(self, body):
        text = body["text"]
        entities = parse(text) if body.get("parse_mode") == "HTML" else None
        shown = entities.text if entities else text
        if not shown.strip(INVISIBLE):
            raise Refused(400, "Bad Request: message text is empty")
        if units(shown) > TEXT_MAX:
            self.wrong.append(f"{units(shown)} units of text")
            raise Refused(400, "Bad Request: message is too long")
        if not body.get("link_preview_options", {}).get("is_disabled"):
            self.wrong.append("a preview of links")
        return shown, entities.tags if entities else set()

    def _keyboard(self, key, body):
        """The buttons of a message; an edit without them takes them away."""
        rows = body.get("reply_markup", {}).get("inline_keyboard", [])
        buttons = [b for row in rows for b in row]
        for b in buttons:
            if not 1 <= len(b["callback_data"].encode()) <= 64:
                raise Refused(400, "Bad Request: BUTTON_DATA_INVALID")
            if not b["text"].strip():
                raise Refused(400, "Bad Request: text buttons are not allowed to be empty")
        self.keyboards[key] = {b["text"]: b["callback_data"] for b in buttons}

    def getMe(self, _):
        return BOT

    def getWebhookInfo(self, _):
        return {"url": self.webhook, "has_custom_certificate": False, "pending_update_count": 0}

    def getUpdates(self, body):
        if self.webhook:
            raise Refused(409, "Conflict: can't use getUpdates method while webhook is active")
        end = time.monotonic() + body.get("timeout", 0)
        offset = body.get("offset", 0)
        self.confirmed = max(self.confirmed, offset)
        self.updates = [u for u in self.updates if u["update_id"] >= offset]
        while not self.updates and time.monotonic() < end and self.token and not self.left:
            self.lock.wait(0.2)
        allowed = body.get("allowed_updates", [])
        self.updates = [u for u in self.updates if not allowed or set(u) & set(allowed) or
                        "callback_query" not in u]
        return self.updates[:100]

    def sendMessage(self, body):
        shown, tags = self._say(body)
        self._limit(body["chat_id"])
        self.next_id += 1
        key = (body["chat_id"], self.next_id)
        self.messages[key] = shown
        self._keyboard(key, body)
        self.tags[key] = tags
        self.replies[key] = body.get("reply_parameters", {}).get("message_id")
        self.sent.append((body["chat_id"], shown))
        return {"message_id": self.next_id, "date": int(time.time()), "text": shown,
                "chat": {"id": body["chat_id"], "type": "private"}}

    def _send_file(self, method, body):
        file, caption = body[method[len("send"):].lower()], body.get("caption", "")
        if units(caption) > 1024:
            self.wrong.append("a long caption")
        if len(file.data) > (10 if method == "sendPhoto" else 50) * 1024 * 1024:
            raise Refused(413, "Request Entity Too Large")
        if method == "sendPhoto" and not file.data.startswith((b"\x89PNG", b"\xff\xd8\xff", b"RIFF")):
            raise Refused(400, "Bad Request: IMAGE_PROCESS_FAILED")
        self._limit(body["chat_id"])
        self.next_id += 1
        key = (body["chat_id"], self.next_id)
        self.messages[key] = f"[{method} {file.name}]{caption}"
        self.replies[key] = body.get("reply_parameters", {}).get("message_id")
        self.shown.append((body["chat_id"], method, file, caption))
        return {"message_id": self.next_id, "date": int(time.time()),
                "chat": {"id": body["chat_id"], "type": "private"}}

    def sendPhoto(self, body):
        return self._send_file("sendPhoto", body)

    def sendDocument(self, body):
        return self._send_file("sendDocument", body)

    def sendVoice(self, body):
        return self._send_file("sendVoice", body)

    def editMessageText(self, body):
        key = (body["chat_id"], body["message_id"])
        shown, tags = self._say(body)
        if key not in self.messages:
            raise Refused(400, "Bad Request: message to edit not found")
        if self.messages[key] == shown:
            raise Refused(400, "Bad Request: message is not modified")
        self._limit(body["chat_id"])
        self.messages[key] = shown
        self.tags[key] = tags
        self._keyboard(key, body)
        return {"message_id": body["message_id"], "date": 1, "text": shown,
                "chat": {"id": body["chat_id"], "type": "private"}}

    def deleteMessage(self, body):
        key = (body["chat_id"], body["message_id"])
        if self.messages.pop(key, None) is None:
            raise Refused(400, "Bad Request: message to delete not found")
        self.gone.append(key)
        return True

    def answerCallbackQuery(self, body):
        if units(body.get("text", "")) > 200:
            self.wrong.append("more than 200 characters for who pressed")
        if body["callback_query_id"] in self.told:
            raise Refused(400, "Bad Request: query is too old and response timeout expired or query"
                               " ID is invalid")
        self.told[body["callback_query_id"]] = body.get("text", "")
        return True

    def getFile(self, body):
        data = self.files.get(body["file_id"])
        if data is None:
            raise Refused(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
        path = data["path"] if isinstance(data, dict) and "path" in data else body["file_id"]
        return {"file_id": body["file_id"], "file_unique_id": "u", "file_path": f"files/{path}"}

    def sendChatAction(self, body):
        return True

    # --- requests ---

    def answer(self, method, body):
        """The status and the body; None: the answer is lost.  A script has, for a method, what
        happens next: `lose` (it is accepted, and the answer is lost), a Refused, or None: all is
        well."""
        with self.lock:
            self.heard.append((method, body))
            if method not in API["methods"]:
                self.wrong.append(f"{method} is no method that is known")
                return 404, {"ok": False, "error_code": 404, "description": "Not Found"}
            self.wrong += [f"{method}: {fault}" for fault in faults(body, API["methods"][method])]
            steps = self.script.get(method) or [None]
            step = steps.pop(0)
            try:
                if isinstance(step, Refused):
                    raise step
                result = getattr(self, method)(body)
            except Refused as refused:
                return refused.body["error_code"], refused.body
            if step == "hold":  # accepted, and not answered while anybody waits
                self.lock.wait_for(lambda: self.token is None)
            return None if step in ("lose", "hold") else (200, {"ok": True, "result": result})

    def _handler(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                """Bytes of a file; {"slow": bytes}: half of them, and the others never;
                {"to": url}: a redirect; {"bytes": n}: so many, without a length."""
                head, _, id = self.path.rpartition("/files/")
                with fake.lock:
                    data = fake.files.get(id) if head == f"/file/bot{fake.token}" else None
                    fake.fetched.append(id)
                if data is None:
                    self.send_error(404)
                    return
                self.send_response(302 if isinstance(data, dict) and "to" in data else 200)
                self.send_header("Connection", "close")
                self.close_connection = True
                try:
                    self._bytes(data)
                except ConnectionError:  # who wants no more of it
                    pass

            def _bytes(self, data):
                if isinstance(data, dict) and "to" in data:
                    self.send_header("Location", data["to"])
                    self.end_headers()
                elif isinstance(data, dict) and "slow" in data:
                    self.send_header("Content-Length", str(2 * len(data["slow"])))
                    self.end_headers()
                    self.wfile.write(data["slow"])
                    self.wfile.flush()
                    data["wait"].wait()
                elif isinstance(data, dict):
                    self.end_headers()
                    for _ in range(data["bytes"] // 65536 + 1):
                        self.wfile.write(b"x" * 65536)
                else:
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

            def do_POST(self):
                _, bot, method = self.path.split("/", 2)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}"
                kind = self.headers.get("Content-Type", "")
                body = form(kind, body) if kind.startswith("multipart/") else json.loads(body)
                if fake.left:
                    self.close_connection = True
                    return
                if bot != f"bot{fake.token}":
                    got = 401, {"ok": False, "error_code": 401, "description": "Unauthorized"}
                else:
                    got = fake.answer(method, body)
                if got is None or fake.left:
                    self.close_connection = True
                    return
                bytes = json.dumps(later(got[1])).encode()
                self.send_response(got[0])
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(bytes)))
                self.end_headers()
                try:
                    self.wfile.write(bytes)
                except ConnectionError:  # a box that was killed
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler
