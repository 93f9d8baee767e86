"""Back ends of the tests' own: real servers on loopback, good and bad.

    with Upstream() as up:
        box.request("POST", "/api/sources", {"url": up.url, "protocol": "openai"})

One Upstream answers for every protocol.  What it does is said where a client can say
it: the last prompt of an ask, or the first part of the path of a stream or a list
(`http://127.0.0.1:PORT/401` is a server that refuses everybody).  It keeps what it
heard, and when a connection that it would have gone on with was closed.
"""

import base64
import hashlib
import json
import select
import socket
import ssl
import struct
import subprocess
import threading
import time

from lib import PATIENCE_S, Closed, Wire, closed_port, eventually, temp_dir

MODELS = ["model-a", "model-b"]
WORDS = ["Hel", "lo", ", ", "wörld", " \"ok\""]
LONG = ["".join(f"This is sentence {i} of a long answer. " for i in range(at, at + 125))
        for at in (0, 125)]
_KEY_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


# --- what back ends say ---------------------------------------------------------


def event(data, name=None):
    data = data if isinstance(data, str) else json.dumps(data)
    return f"{f'event: {name}{chr(10)}' if name else ''}data: {data}\n\n".encode()


def chat(words):
    """Chat Completions: a list of events, usage in the extra last chunk."""
    def chunk(**more):
        return {"id": "c1", "object": "chat.completion.chunk", "model": "model-a", **more}

    def delta(**d):
        return event(chunk(choices=[{"index": 0, "delta": d, "finish_reason": None}]))
    return [
        delta(role="assistant", content=""), *[delta(content=w) for w in words],
        event(chunk(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])),
        event(chunk(choices=[], usage={"prompt_tokens": 7, "completion_tokens": len(words),
                                       "total_tokens": 7 + len(words)})),
        event("[DONE]"),
    ]


def responses(words):
    number = iter(range(1000))

    def one(type, **more):
        return event({"type": type, "sequence_number": next(number), **more}, type)
    usage = {"input_tokens": 7, "output_tokens": len(words), "total_tokens": 7 + len(words)}
    return [
        one("response.created", response={"id": "r1", "model": "model-a", "status": "in_progress"}),
        *[one("response.output_text.delta", item_id="i1", output_index=0, content_index=0, delta=w)
          for w in words],
        one("response.completed",
            response={"id": "r1", "model": "model-a", "status": "completed", "usage": usage}),
    ]


def messages(words):
    def one(type, **more):
        return event({"type": type, **more}, type)
    return [
        one("message_start", message={"id": "m1", "type": "message", "role": "assistant",
                                      "model": "model-a", "content": [], "stop_reason": None,
                                      "usage": {"input_tokens": 7, "output_tokens": 1}}),
        one("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *[one("content_block_delta", index=0, delta={"type": "text_delta", "text": w})
          for w in words],
        one("content_block_stop", index=0),
        one("message_delta", delta={"stop_reason": "end_turn"},
            usage={"output_tokens": len(words)}),
        one("message_stop"),
    ]


def ollama(words):
    def line(**more):
        return (json.dumps({"model": "model-a", "created_at": "2026-01-01T00:00:00Z", **more})
                + "\n").encode()
    return [*[line(message={"role": "assistant", "content": w}, done=False) for w in words],
            line(message={"role": "assistant", "content": ""}, done=True, done_reason="stop",
                 prompt_eval_count=7, eval_count=len(words))]


ASKED = {
    "/v1/chat/completions": (chat, "text/event-stream"),
    "/v1/responses": (responses, "text/event-stream"),
    "/v1/messages": (messages, "text/event-stream"),
    "/api/chat": (ollama, "application/x-ndjson"),
}
LISTS = {
    "/v1/models": {"object": "list", "data": [{"id": m, "object": "model"} for m in MODELS]},
    "/api/tags": {"models": [{"name": m} for m in MODELS]},
}


# --- the server -------------------------------------------------------------------


class Request:
    """One that came: .method, .path, .headers (lower case), .body; .head as it was."""

    def __init__(self, head, body):
        self.head, self.body = head, body
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = lines[0].split(" ")
        self.headers = {n.strip().lower(): v.strip()
                        for n, _, v in (line.partition(":") for line in lines[1:])}

    def json(self):
        return json.loads(self.body)


class Peer(Wire):
    """A connection that was accepted."""

    def __init__(self, sock, up):
        super().__init__(sock)
        self.up = up
        self.closed_at = None  # when the client left in the middle of something

    def request(self):
        head = self.take_until(b"\r\n\r\n")
        length = [line for line in head.split(b"\r\n")
                  if line.lower().startswith(b"content-length:")]
        return Request(head, self.take(int(length[0].split(b":")[1])) if length else b"")

    def head(self, status="200 OK", *fields):
        self.send("\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode())

    def answer(self, body, status="200 OK", *fields, type="application/json"):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(status, f"Content-Type: {type}", f"Content-Length: {len(body)}", *fields)
        self.send(body)

    def begin(self, type="text/event-stream"):
        self.head("200 OK", f"Content-Type: {type}", "Transfer-Encoding: chunked")

    def chunk(self, data):
        self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def end(self):
        self.send(b"0\r\n\r\n")

    def wait_closed(self):
        """Says nothing until the client goes; notes when."""
        self.sock.settimeout(PATIENCE_S)
        try:
            while self.sock.recv(4096):
                pass
        except OSError:
            pass
        self.closed_at = time.monotonic()
        self.up.closed.append(self.closed_at)

    def trickle(self, data, every=0.02):
        """data again and again until the client goes; notes when."""
        try:
            while not select.select([self.sock], [], [], every)[0]:
                self.send(data)
        except OSError:
            pass
        self.closed_at = time.monotonic()
        self.up.closed.append(self.closed_at)


class Upstream:
    """A server in threads.  tls: an ssl context, or None."""

    def __init__(self, tls=None, port=0):
        self.tls = tls
        self.heard = []   # requests, in the order of coming
        self.closed = []  # when clients left in the middle
        self.pushed = {}  # path of a stream -> the events that it has, see stream()
        self.gate = threading.Event()  # `gated` answers wait for it
        self.listener = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.threads = []
        self.peers = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def ws_url(self):
        return f"{'wss' if self.tls else 'ws'}://127.0.0.1:{self.port}"

    def of(self, path):
        """The requests whose path ends so."""
        return [r for r in self.heard if r.path.split("?")[0].endswith(path)]

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        self.peers.add(sock)
        try:
            if self.tls:
                sock.settimeout(PATIENCE_S)
                sock = self.tls.wrap_socket(sock, server_side=True)
                self.peers.add(sock)
            peer = Peer(sock, self)
            while self._one(peer):
                pass
        except (OSError, Closed, ssl.SSLError):
            pass
        finally:
            sock.close()

    def _one(self, peer):
        """One request.  False: the connection ends here."""
        request = peer.request()
        self.heard.append(request)
        path = request.path.split("?")[0]
        first = path.split("/")[1]
        if "upgrade" in request.headers:
            return Socket(peer, request, first).serve()
        if (fault := FAULTS.get(first)):
            return fault(peer, request)
        if path in ASKED:
            return self._ask(peer, request, *ASKED[path])
        if path in LISTS:
            peer.answer(LISTS[path])
            return True
        if first in STREAMS:
            return STREAMS[first](peer, request)
        peer.answer({"error": {"message": f"no route {path}"}}, "404 Not Found")
        return True

    def _ask(self, peer, request, script, type):
        asked = request.json()
        prompt = (asked.get("messages") or asked["input"])[-1]["content"]
        how = ANSWERS.get(prompt.split(" ")[0], good)
        return how(peer, script, type)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, last=None):
        """As a server that dies: nobody listens, and connections break.  last: the connection
        that breaks after all others, so that nobody who sees it break is answered on another."""
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for sock in sorted(self.peers, key=lambda sock: sock is last):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        closed_port(self.port)  # another one of ours may come back here, and nobody else


# --- how asks are answered: the first word of the prompt ---------------------------


def good(peer, script, type, words=WORDS):
    peer.begin(type)
    for piece in script(words):
        peer.chunk(piece)
    peer.end()
    return True


def bytewise(peer, script, type):
    """The same, a byte a packet."""
    peer.begin(type)
    for byte in b"".join(script(WORDS)):
        peer.chunk(bytes([byte]))
    peer.end()
    return True


def slow(peer, script, type):
    """Two words, then nothing for ever."""
    peer.begin(type)
    for piece in script(WORDS)[:3]:
        peer.chunk(piece)
    peer.wait_closed()
    return False


def long(peer, script, type):
    """Several messages of any chat, in two halves with a pause between."""
    pieces = script(LONG)
    peer.begin(type)
    for piece in pieces[:2]:
        peer.chunk(piece)
    time.sleep(0.15)
    for piece in pieces[2:]:
        peer.chunk(piece)
    peer.end()
    return True


def gated(peer, script, type):
    """Half of it, and the rest when the test opens the gate."""
    peer.begin(type)
    pieces = script(WORDS)
    for piece in pieces[:3]:
        peer.chunk(piece)
    peer.up.gate.wait(PATIENCE_S)
    for piece in pieces[3:]:
        peer.chunk(piece)
    peer.end()
    return True


def cut(peer, script, type):
    """The connection breaks in the middle of a word."""
    peer.begin(type)
    pieces = script(WORDS)
    for piece in pieces[:3]:
        peer.chunk(piece)
    peer.chunk(pieces[3][: len(pieces[3]) // 2])
    return False


def short(peer, script, type):
    """It ends in peace, but before its end."""
    peer.begin(type)
    for piece in script(WORDS)[:3]:
        peer.chunk(piece)
    peer.end()
    return True


def fails(peer, script, type):
    """An error in the middle of a stream that began well."""
    peer.begin(type)
    for piece in script(WORDS)[:3]:
        peer.chunk(piece)
    error = {"error": {"type": "overloaded_error", "code": "overloaded", "message": "too busy"}}
    if script is ollama:
        peer.chunk(b'{"error":"too busy"}\n')
    elif script is messages:
        peer.chunk(event({"type": "error", **error}, "error"))
    elif script is responses:
        peer.chunk(event({"type": "error", "code": "overloaded", "message": "too busy"}, "error"))
    else:
        peer.chunk(event(error))
    peer.end()
    return True


def garbage(peer, script, type):
    peer.begin(type)
    for _ in range(3):
        peer.chunk(b"data: {{{\n\ndata: \xff\xfe\n\n\x00\x01 what\n\n")
    peer.end()
    return True


def whole(peer, script, type):
    """One JSON document where a stream was asked for."""
    peer.answer({"id": "c1", "object": "chat.completion", "model": "model-a",
                 "choices": [{"index": 0, "finish_reason": "stop",
                              "message": {"role": "assistant", "content": "all at once"}}],
                 "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}})
    return True


def tools(peer, script, type):
    """A call of a tool in fragments, with hostile words around it (Chat Completions)."""
    def chunk(delta, finish=None):
        return event({"id": "c1", "model": "model-a", "choices": [
            {"index": 0, "delta": delta, "finish_reason": finish}]})

    def call(**function):
        return {"tool_calls": [{"index": 0, "id": "t1", "type": "function", "function": function}]}
    peer.begin(type)
    peer.chunk(chunk({"content": "I \x1b[31mlook\tit up.\n"}))
    peer.chunk(chunk(call(name="search", arguments="")))
    for piece in ('{"q":"sky', ' blue"}'):
        peer.chunk(chunk(call(arguments=piece)))
    peer.chunk(chunk({}, "tool_calls"))
    peer.chunk(event("[DONE]"))
    peer.end()
    return True


def refused(peer, script, type):
    peer.answer({"error": {"message": "your key is wrong", "code": "invalid_api_key"}},
                "401 Unauthorized")
    return True


BURST = 6000


def burst(peer, script, type):
    """Many words at once, as from a cache."""
    peer.begin(type)
    peer.chunk(b"".join(script(["a"] * BURST)))
    peer.end()
    return True


def quotes(peer, script, type):
    """A refusal that says what was refused, word by word."""
    said = str(peer.up.heard[-1].headers)
    peer.answer({"error": {"message": f"not with {said}", "code": said}}, "400 Bad Request")
    return True


def limited(peer, script, type):
    peer.answer({"error": {"message": "slow down", "code": "rate_limit"}},
                "429 Too Many Requests", "Retry-After: 2")
    return True


def moved(peer, script, type):
    peer.answer({}, "307 Temporary Redirect", "Location: http://127.0.0.1:9/elsewhere")
    return True


def broken(peer, script, type):
    peer.answer(b"<html>oh dear</html>", "502 Bad Gateway", type="text/html")
    return True


def header(peer, script, type):
    """A head that never ends, and comes fast."""
    peer.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        peer.send(b"X-More: of this\r\n" * 500)


def silent(peer, script, type):
    """Not even a head."""
    peer.wait_closed()
    return False


def hangs_up(peer, script, type):
    return False


def dies(peer, script, type):
    """The whole server goes with this one."""
    peer.up.stop(last=peer.sock)
    return False


ANSWERS = {"bytewise": bytewise, "slow": slow, "long": long, "gated": gated, "cut": cut, "short": short,
           "fails": fails, "garbage": garbage, "whole": whole, "tools": tools, "refused": refused,
           "quotes": quotes, "burst": burst,
           "limited": limited, "moved": moved, "broken": broken, "header": header,
           "silent": silent, "hangs-up": hangs_up, "dies": dies}


# --- servers that fail whoever comes: the first part of the path --------------------


def fault_limited(peer, request):
    """429 once, and then it is well."""
    if len([r for r in peer.up.heard if r.path == request.path]) > 1:
        peer.answer(LISTS["/v1/models"])
    else:
        limited(peer, None, None)
    return True


def fault_trickle(peer, request):
    """A head that never ends, and comes slowly."""
    peer.send(b"HTTP/1.1 200 OK\r\n")
    peer.trickle(b"X: y\r\n")
    return False


def fault_no_list(peer, request):
    """It can be asked, but it lists no models."""
    path = request.path.removeprefix("/no-list")
    if path in ASKED:
        return peer.up._ask(peer, request, *ASKED[path])
    peer.answer(b"", "404 Not Found", type="text/plain")
    return True


def fault_html(peer, request):
    peer.answer(b"<html>a page</html>", type="text/html")
    return True


FAULTS = {
    "401": lambda peer, request: refused(peer, None, None),
    "403": lambda peer, request: peer.answer({"message": "not you"}, "403 Forbidden") or True,
    "429": fault_limited,
    "quotes": lambda peer, request: quotes(peer, None, None),
    "502": lambda peer, request: broken(peer, None, None),
    "moved": lambda peer, request: moved(peer, None, None),
    "header": lambda peer, request: header(peer, None, None),
    "trickle": fault_trickle,
    "html": fault_html,
    "no-list": fault_no_list,
    "not-json": lambda peer, request: peer.answer(b"{{{") or True,
    "hangs-up": lambda peer, request: False,
}


# --- streams: GET /NAME... ----------------------------------------------------------


def signal(n, **more):
    return {"id": f"s{n}", "type": "note", "timestamp": 1000 + n, "source": "up",
            "payload": {"n": n}, **more}


def stream_sse(peer, request):
    """Signals 1 to 3 with ids and a short retry, then the connection ends; 4 to 6 after
    a resume, and then it stays open."""
    after = int(request.headers.get("last-event-id", "0"))
    peer.begin()
    peer.chunk(b"\xef\xbb\xbf: hello\r\n\r\nretry: 50\r")
    peer.chunk(b"\n\r\n")
    for n in range(after + 1, after + 4):
        data = json.dumps(signal(n), indent=1).split("\n")  # several data lines
        lines = "".join(f"data: {line}\r\n" for line in data)
        whole = f"id: {n}\r\n{lines}\r\n".encode()
        peer.chunk(whole[:7])
        peer.chunk(whole[7:])
    if after == 0:
        peer.end()
        return False
    peer.wait_closed()
    return False


def stream_ndjson(peer, request):
    peer.begin("application/x-ndjson")
    lines = "".join(json.dumps(signal(n)) + "\n" for n in (1, 2)).encode()
    peer.chunk(lines[:20])
    peer.chunk(lines[20:] + b"\n{{{\n" + json.dumps(signal(3)).encode() + b"\n")
    peer.wait_closed()
    return False


def stream_cut(peer, request):
    """Breaks in the middle of an event, every time."""
    peer.begin()
    peer.chunk(event(signal(1)) + b'data: {"id":"s2","ty')
    return False


def stream_done(peer, request):
    """One signal, and at the next time: it is over."""
    if len(peer.up.of(request.path)) > 1:
        peer.head("204 No Content")
        return True
    peer.begin()
    peer.chunk(b"retry: 10\n\n" + event(signal(1)))
    peer.end()
    return True


def stream_odd_id(peer, request):
    """One signal a connection, with an id that no header can carry."""
    peer.begin()
    n = len(peer.up.of(request.path))
    peer.chunk(b"retry: 10\nid: \x01\x7f\n" + event(signal(n)))
    peer.end()
    return True


def stream_taken_back(peer, request):
    """One signal a connection: the first has an id, the others an empty one."""
    peer.begin()
    n = len(peer.up.of(request.path))
    peer.chunk(b"retry: 10\n" + (b"id: 5\n" if n == 1 else b"id\n") + event(signal(n)))
    peer.end()
    return True


def stream_half(peer, request):
    """The second event ends before its empty line, and comes whole after a resume."""
    after = int(request.headers.get("last-event-id", "0"))
    peer.begin()
    peer.chunk(b"retry: 10\n\n")
    if after == 0:
        second = json.dumps({**signal(2), "id": "half"}).encode()
        peer.chunk(b"id: 1\n" + event(signal(1)) + b"id: 2\ndata: " + second + b"\n")
        peer.end()
        return False
    peer.chunk(f"id: {after + 1}\n".encode() + event(signal(after + 1)))
    peer.wait_closed()
    return False


STREAMS = {"half": stream_half, "sse": stream_sse, "odd-id": stream_odd_id, "taken-back": stream_taken_back, "ndjson": stream_ndjson, "cut-stream": stream_cut,
           "done": stream_done}


# --- WebSocket ------------------------------------------------------------------------


class Socket:
    """The server's side of a WebSocket.  What it does is the first part of the path:
    `emitter` plays and takes commands, `leaves` closes with 1011 after one signal,
    `breaks` just breaks, `garbage` says what nobody understands, `ws-401` refuses,
    anything else says one signal and stays."""

    def __init__(self, peer, request, how):
        self.peer, self.request, self.how = peer, request, how

    def accept(self):
        key = self.request.headers["sec-websocket-key"]
        accept = base64.b64encode(hashlib.sha1((key + _KEY_GUID).encode()).digest()).decode()
        self.peer.head("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                       f"Sec-WebSocket-Accept: {accept}")

    def frame(self, opcode, payload):
        n = len(payload)
        size = bytes([n]) if n < 126 else struct.pack(">BQ", 127, n)
        if 126 <= n < 65536:
            size = struct.pack(">BH", 126, n)
        self.peer.send(bytes([0x80 | opcode]) + size + payload)

    def say(self, value):
        self.frame(1, json.dumps(value).encode())

    def hear(self):
        """The next message of the client; None when it closes."""
        while True:
            first, second = self.peer.take(2)
            assert second & 0x80, "a client's frame is masked"
            n = second & 0x7F
            if n == 126:
                n = struct.unpack(">H", self.peer.take(2))[0]
            mask = self.peer.take(4)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.peer.take(n)))
            if first & 15 == 8:
                self.frame(8, data[:2])
                return None
            if first & 15 == 9:
                self.frame(10, data)
            elif first & 15 == 1:
                return data.decode()

    def serve(self):
        if self.how == "ws-401":
            return refused(self.peer, None, None) and False
        self.accept()
        getattr(self, "serve_" + self.how.replace("-", "_"), self.serve_plain)()
        return False

    def serve_plain(self):
        self.say(signal(1))
        self.until_closed()

    def until_closed(self):
        try:
            while (message := self.hear()) is not None:
                self.peer.up.pushed.setdefault("ws", []).append(message)
        finally:
            self.peer.up.closed.append(time.monotonic())

    def serve_emitter(self):
        self.say({"meta": "scenarios", "available": ["one", "two"]})
        self.say(signal(1))
        while (message := self.hear()) is not None:
            command = json.loads(message)
            assert command["command"] == "switch", command
            self.say({"meta": "scenario_switched", "scenario": command["scenario"]})
            self.say(signal(2, source="adapter:emitter"))

    def serve_leaves(self):
        self.say(signal(1))
        self.frame(8, struct.pack(">H", 1011) + b"out of order")
        self.hear()

    def serve_breaks(self):
        self.say(signal(1))

    def serve_spoilt(self):
        """Four messages that cannot be taken, each behind one that can."""
        too_big = b'{"type":"note","payload":{"n":0,"x":"' + b"x" * (1 << 20) + b'"}}'
        for n, (opcode, payload) in enumerate([(1, b"\xff\xfe"), (2, b"\x00\xff"), (1, too_big),
                                               (1, b'"cut in a character \xe2\x82')], 1):
            self.say(signal(n))
            self.frame(opcode, payload)
        self.say(signal(5))
        self.until_closed()

    def serve_garbage(self):
        self.frame(1, b"{{{")
        self.say(["no", "object"])
        self.say(signal(1))
        self.until_closed()


# --- certificates -------------------------------------------------------------------


class Certificates:
    """A certificate authority of our own: .authority is its file, .context(NAME) a
    server's context for a certificate that it signed."""

    def __init__(self):
        self.dir = temp_dir()
        self.authority = self.dir / "ca.pem"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                      "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
                      "-subj", "/CN=tests", "-addext", "basicConstraints=critical,CA:TRUE")

    def _openssl(self, *args):
        subprocess.run(["openssl", *args], cwd=self.dir, check=True, capture_output=True,
                       timeout=PATIENCE_S)

    def context(self, name="IP:127.0.0.1"):
        made = f"{name.replace(':', '-')}"
        (self.dir / f"{made}.ext").write_text(f"subjectAltName={name}\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                      "-keyout", f"{made}.key", "-out", f"{made}.csr", "-subj", "/CN=server")
        self._openssl("x509", "-req", "-in", f"{made}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                      "-CAcreateserial", "-out", f"{made}.pem", "-days", "2",
                      "-extfile", f"{made}.ext")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.dir / f"{made}.pem", self.dir / f"{made}.key")
        return context


# --- sources of a box ------------------------------------------------------------------


def add_source(box, **wish):
    """A new source, connected unless the wish says otherwise; its id."""
    answer = box.request("POST", "/api/sources", {"connect": True, **wish})
    assert answer.status in (200, 201), answer
    return answer.json()["source"]["id"]


def source_of(box, id):
    everything = box.request("GET", "/api/sources").json()
    return next(s for s in everything["sources"] if s["id"] == id)


def until_state(box, id, state, within=PATIENCE_S):
    """Waits until the source is in this state; what it looks like then."""
    def look():
        source = source_of(box, id)
        return source if source["state"] == state else None
    return eventually(look, within)
