"""What the end-to-end tests share: a box, and strict clients for it.

    from lib import Box, WS, Events, Skip, cli, eventually, run, test

    @test("a signal that was acknowledged is in the history")
    def _():
        with Box() as box:
            answer = box.request("POST", "/api/signal", {"type": "x"})
            assert answer.status == 200, answer

    run()

A Box is one `signalbox serve` on a port the kernel chose, with a data directory
of its own; leaving the `with` ends it.  The clients are written from the
standards, not from our code, and fail on every byte they may not get.  Results
are printed as TAP.  The program is $SIGNALBOX, temporary files go to $TEST_TMP,
and every wait has an end.
"""

import atexit
import base64
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

import answers

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
SIGNALBOX = os.environ.get("SIGNALBOX") or str(ROOT / "build" / "signalbox")
SANITIZER = os.environ.get("TEST_SANITIZER", "")
# How much longer everything takes under a sanitizer.
SLOW = 5 if SANITIZER else 1
# A minute costs nothing where all is well, and a busy machine with a slow disk may need it.
PATIENCE_S = 120 if SANITIZER else 60
HEAD_MAX = 64 * 1024


# --- results -----------------------------------------------------------------


class Skip(Exception):
    """Raised by a test that cannot run here; says why."""


_tests = []


def test(sentence):
    """Marks a function as a test; the sentence says what is true if it passes."""

    def mark(function):
        _tests.append((sentence, function))
        return function

    return mark


def comment(text):
    for line in str(text).splitlines():
        print(f"# {line}", flush=True)


def _run_one(function):
    """None when it passed, else ("skip", why) or ("fail", words)."""
    try:
        function()
    except Skip as skip:
        return "skip", str(skip)
    except Exception:
        return "fail", traceback.format_exc()
    finally:
        Box.end_all()
    return None


def run():
    """Runs the tests whose sentence holds one of argv, or all; exits."""
    wanted = sys.argv[1:]
    chosen = [t for t in _tests if not wanted or any(w in t[0] for w in wanted)]
    failed = 0
    print(f"1..{len(chosen)}", flush=True)
    for number, (sentence, function) in enumerate(chosen, 1):
        verdict, words = _run_one(function) or (None, None)
        if verdict == "fail":
            failed += 1
            print(f"not ok {number} - {sentence}", flush=True)
            comment(words)
        else:
            skipped = f" # SKIP {words}" if verdict else ""
            print(f"ok {number} - {sentence}{skipped}", flush=True)
    sys.exit(1 if failed else 0)


def eventually(check, within=PATIENCE_S, every=0.02):
    """Waits until check() is true and returns what it said; fails when late."""
    end = time.monotonic() + within
    while True:
        said = check()
        if said:
            return said
        assert time.monotonic() < end, f"not true within {within} s: {check}"
        time.sleep(every)


class Late(AssertionError):
    """Something came too late, or not yet."""


def in_time(is_so, words=""):
    """An assertion about time."""
    if not is_so:
        raise Late(words)


def at_last(attempt, spoiled=Late):
    """Makes an attempt again while it is late, and gives what it returns: a machine that is too
    busy is late now and then, a program that is broken always."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return attempt()
        except spoiled as why:
            if time.monotonic() > end:
                raise
            comment(f"once more: {type(why).__name__} {str(why)[:200]}")


_held_ports = []


def closed_port(port=0):
    """A port on which nobody listens, and which nobody else is given while the test runs.  A
    server of the test's own may still be put there, if it says SO_REUSEADDR."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    _held_ports.append(sock)
    return sock.getsockname()[1]


# --- files and programs ------------------------------------------------------


def busy_s(pid):
    """How long a program of ours has had a processor: others take nothing of that, as they do
    of the time that goes by.  This is its clock, see clock_getcpuclockid(3)."""
    return time.clock_gettime(~pid << 3 | 2)


def temp_dir():
    """A directory with a short name, gone when the test program ends."""
    path = tempfile.mkdtemp(prefix="sb", dir=os.environ.get("TEST_TMP") or None)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def environment(env=None):
    """Ours without anything that would change what the program does."""
    keep = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("SIGNALBOX_", "XDG_")) and k != "NO_COLOR"
    }
    # What the developer's machine has and runs is none of a test's business.
    keep["PATH"] = ":".join(d for d in keep.get("PATH", "").split(":")
                            if not os.path.exists(f"{d}/claude"))
    ours = {**keep, "HOME": "/nonexistent", "SIGNALBOX_DISCOVER_INTERVAL": "0",
            "SIGNALBOX_NOTIFY_DESKTOP": "off", **(env or {})}
    return {k: v for k, v in ours.items() if v is not None}


class Result:
    """How a program ended: .code, .out and .err."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\nout: {self.out!r}\nerr: {self.err!r}"


def cli(*args, input="", env=None, timeout=PATIENCE_S):
    """Runs `signalbox ARGS` to its end."""
    if isinstance(input, str):
        input = input.encode()
    done = subprocess.run(
        [SIGNALBOX, *map(str, args)], input=input, capture_output=True,
        env=environment(env), timeout=timeout, cwd="/",
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


class Process:
    """A `signalbox ARGS` that goes on: .line() reads its output as it comes."""

    def __init__(self, *args, env=None, stdin=subprocess.DEVNULL):
        self.errors = tempfile.TemporaryFile(dir=os.environ.get("TEST_TMP") or None)
        self.process = subprocess.Popen(
            [SIGNALBOX, *map(str, args)], stdin=stdin, stdout=subprocess.PIPE,
            stderr=self.errors, env=environment(env), cwd="/",
        )
        self.pending = b""
        os.set_blocking(self.process.stdout.fileno(), False)

    def _take_line(self):
        head, newline, rest = self.pending.partition(b"\n")
        if newline:
            self.pending = rest
            return head.decode() + "\n"
        more = self.process.stdout.read(65536)
        self.pending += more or b""
        if more == b"" and b"\n" not in self.pending:
            raise EOFError(f"the program ended; it said: {self.err()}")
        return None

    def line(self, within=PATIENCE_S):
        """The next line of its standard output, without the newline."""
        return eventually(self._take_line, within, 0.005)[:-1]

    def err(self):
        """What it said on standard error so far."""
        # Not by seek: the program would go on to write there.
        fd = self.errors.fileno()
        return os.pread(fd, os.fstat(fd).st_size, 0).decode(errors="replace")

    def stop(self, interrupt=signal.SIGTERM):
        """Interrupts it, unless it has ended; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(interrupt)
        return self.wait()

    def wait(self, within=PATIENCE_S):
        return self.process.wait(within)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()


# --- HTTP --------------------------------------------------------------------


class Closed(Exception):
    """The other end closed the connection."""


class Response:
    """One answer: .status, .headers (lower case; the last of several), .body."""

    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.headers = {name.lower(): value for name, value in fields}
        self.body = body

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:2000]!r}"


class Wire:
    """A socket and the bytes that came on it but were not used yet."""

    def __init__(self, sock):
        self.sock = sock
        self.sock.settimeout(PATIENCE_S)
        self.bytes = bytearray()

    def send(self, data):
        self.sock.sendall(data)

    def more(self):
        got = self.sock.recv(65536)
        if not got:
            raise Closed(f"closed with {len(self.bytes)} bytes of something unfinished")
        self.bytes += got

    def take(self, n):
        while len(self.bytes) < n:
            self.more()
        taken = bytes(self.bytes[:n])
        del self.bytes[:n]
        return taken

    def take_until(self, mark, most=HEAD_MAX):
        looked = 0
        while (at := self.bytes.find(mark, looked)) < 0:
            assert len(self.bytes) <= most, f"no {mark!r} in {most} bytes"
            looked = max(0, len(self.bytes) - len(mark) + 1)
            self.more()
        taken = self.take(at)
        del self.bytes[:len(mark)]
        return taken

    def take_all(self):
        """Everything until the other end closes."""
        try:
            while True:
                self.more()
        except Closed:
            return self.take(len(self.bytes))

    def close(self):
        self.sock.close()


class Http(Wire):
    """One HTTP connection, on which any bytes can be sent.  What answers it has is noted when
    it is a box that gives them."""

    def __init__(self, sock, is_box=False):
        super().__init__(sock)
        self.is_box = is_box
        self.asked = None

    def send(self, data):
        self.asked = answers.asked(data)
        super().send(data)

    def ask(self, method, path, body=None, headers=None):
        """One whole request, one whole answer."""
        self.send(request_bytes(method, path, body, headers))
        return self.answer(method)

    def head(self):
        lines = self.take_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status, *_ = lines[0].split(" ", 2)
        assert version == "HTTP/1.1", lines[0]
        fields = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            assert colon and name and name == name.strip(), f"a bad header line: {line!r}"
            fields.append((name, value.strip()))
        return int(status), fields

    def answer(self, method="GET"):
        """The next answer; one of the 1xx is skipped."""
        status, fields = self.head()
        while 100 <= status < 200 and status != 101:
            status, fields = self.head()
        headers = {name.lower(): value for name, value in fields}
        response = Response(status, fields, self._body(method, status, headers))
        if self.is_box:
            answers.note(self.asked, response)
            self.asked = None
        return response

    def _body(self, method, status, headers):
        if method == "HEAD" or status in (101, 204, 304):
            return b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            assert "content-length" not in headers, "both lengths"
            return self._chunks()
        if "content-length" in headers:
            return self.take(int(headers["content-length"]))
        return self.take_all()

    def _chunks(self):
        pieces = []
        while True:
            size = int(self.take_until(b"\r\n"), 16)
            pieces.append(self.take(size))
            assert self.take(2) == b"\r\n", "a chunk ends with CRLF"
            if size == 0:
                return b"".join(pieces)


def request_bytes(method, path, body=None, headers=None):
    """A request as it goes out.  A body that is not bytes or str is sent as JSON.
    A header with the value None is left out."""
    fields = {"Host": "localhost"}
    if body is not None and not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    if isinstance(body, str):
        body = body.encode()
    if body is not None:
        fields["Content-Type"] = "application/json"
        fields["Content-Length"] = str(len(body))
    for name, value in (headers or {}).items():
        fields = {k: v for k, v in fields.items() if k.lower() != name.lower()}
        if value is not None:
            fields[name] = value
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b"")


# --- WebSocket ---------------------------------------------------------------

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
_KEY_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Frame:
    def __init__(self, opcode, payload, fin=True):
        self.opcode, self.payload, self.fin = opcode, payload, fin

    def __repr__(self):
        return f"Frame(opcode={self.opcode}, fin={self.fin}, {self.payload[:200]!r})"


def frame_bytes(opcode, payload=b"", fin=True, mask=b"\x37\xfa\x21\x3d", rsv=0):
    """A client's frame.  mask=None sends it unmasked, which no client may."""
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    bit = 0x80 if mask is not None else 0
    n = len(payload)
    if n < 126:
        head += bytes([bit | n])
    elif n < 65536:
        head += struct.pack(">BH", bit | 126, n)
    else:
        head += struct.pack(">BQ", bit | 127, n)
    if mask is None:
        return head + payload
    pad = int.from_bytes((mask * (n // 4 + 1))[:n], "big") if n else 0
    masked = (int.from_bytes(payload, "big") ^ pad).to_bytes(n, "big")
    return head + mask + masked


def read_frame(wire):
    """The next frame of a server, checked against RFC 6455."""
    first, second = wire.take(2)
    opcode, fin, n = first & 15, bool(first & 0x80), second & 0x7F
    assert first & 0x70 == 0, "a reserved bit is set"
    assert second & 0x80 == 0, "a server's frame is masked"
    assert opcode in (0, TEXT, BINARY, CLOSE, PING, PONG), f"opcode {opcode}"
    if opcode >= CLOSE:
        assert fin and n < 126, "a control frame is whole and short"
    if n == 126:
        n = struct.unpack(">H", wire.take(2))[0]
        assert n > 125, "a length is not in its shortest form"
    elif n == 127:
        n = struct.unpack(">Q", wire.take(8))[0]
        assert 65535 < n < 1 << 63, "a length is not in its shortest form"
    return Frame(opcode, wire.take(n), fin)


def _close_parts(payload):
    if not payload:
        return 1005, ""
    assert len(payload) >= 2, "half a close code"
    code = struct.unpack(">H", payload[:2])[0]
    allowed = 1000 <= code <= 1014 and code not in (1004, 1005, 1006) or 3000 <= code <= 4999
    assert allowed, f"close code {code} may not be sent"
    return code, payload[2:].decode()


class WS:
    """A WebSocket client.  recv() answers pings and gives whole messages: str for
    text, bytes for binary, None after a close (see .close_code, .close_reason)."""

    def __init__(self, box, path="/ws", headers=None, unix=False, pongs=True,
                 receive_buffer=None):
        self.wire = box.http(unix, receive_buffer)
        self.pongs = pongs
        self.close_code = self.close_reason = None
        self.pings = 0
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {
            "Host": "localhost" if unix else f"127.0.0.1:{box.port}",
            "Connection": "Upgrade", "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
        }
        self.wire.send(request_bytes("GET", path, None, {**fields, **(headers or {})}))
        self.response = self.wire.answer()
        if self.response.status != 101:
            self.wire.close()
            raise Refused(self.response)
        want = base64.b64encode(hashlib.sha1((key + _KEY_GUID).encode()).digest()).decode()
        got = self.response.headers
        assert got.get("sec-websocket-accept") == want, self.response
        assert got.get("upgrade", "").lower() == "websocket", self.response
        assert got.get("connection", "").lower() == "upgrade", self.response
        assert "sec-websocket-extensions" not in got, "an extension nobody asked for"

    def send(self, message):
        """A str goes as text, bytes as binary, anything else as JSON."""
        if isinstance(message, bytes):
            return self.send_frame(BINARY, message)
        if not isinstance(message, str):
            message = json.dumps(message)
        return self.send_frame(TEXT, message.encode())

    def subscribe(self, **wish):
        """Subscribes, and comes back when everything from now on is heard.  What comes before
        the acknowledgement is thrown away."""
        self.send({"op": "subscribe", "ref": "subscribed", **wish})
        while (said := self.json()).get("ref") != "subscribed":
            pass
        assert said["op"] == "ack", said

    def send_frame(self, opcode, payload=b"", **how):
        self.wire.send(frame_bytes(opcode, payload, **how))

    def recv_frame(self):
        """The next frame as it came, nothing answered."""
        return read_frame(self.wire)

    def recv(self):
        kind, parts = None, []
        while True:
            frame = self.recv_frame()
            if frame.opcode >= CLOSE:
                if self._control(frame):
                    return None
                continue
            assert (frame.opcode == 0) == (kind is not None), f"fragments out of order: {frame}"
            kind = kind or frame.opcode
            parts.append(frame.payload)
            if frame.fin:
                whole = b"".join(parts)
                return whole.decode() if kind == TEXT else whole

    def _control(self, frame):
        """True when it was a close, which is answered."""
        if frame.opcode == PING:
            self.pings += 1
            if self.pongs:
                self.send_frame(PONG, frame.payload)
        if frame.opcode != CLOSE:
            return False
        self.close_code, self.close_reason = _close_parts(frame.payload)
        try:
            self.send_frame(CLOSE, frame.payload[:2])
        except OSError:
            pass
        return True

    def json(self):
        """The next message, which must be there and be JSON."""
        message = self.recv()
        assert message is not None, f"closed: {self.close_code} {self.close_reason}"
        return json.loads(message)

    def timeout(self, seconds):
        self.wire.sock.settimeout(seconds)

    def close(self, code=1000):
        """The closing handshake; what was still on its way is thrown away."""
        try:
            if self.close_code is None:
                self.send_frame(CLOSE, struct.pack(">H", code))
                while self.recv() is not None:
                    pass
        except (OSError, Closed):
            pass
        self.wire.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wire.close()


class Refused(Exception):
    """An upgrade that was answered with something else; .response is the answer."""

    def __init__(self, response):
        super().__init__(repr(response))
        self.response = response


# --- server-sent events ------------------------------------------------------


class Events:
    """A reader of an event stream: next() gives {"id", "event", "data"}."""

    def __init__(self, box, path="/api/stream", headers=None, unix=True):
        self.wire = box.http(unix)
        fields = {"Accept": "text/event-stream", **({} if unix else box.host_header())}
        self.wire.send(request_bytes("GET", path, None, {**fields, **(headers or {})}))
        status, fields = self.wire.head()
        self.headers = {name.lower(): value for name, value in fields}
        if status != 200:
            raise Refused(Response(status, fields, self.wire._body("GET", status, self.headers)))
        assert self.headers["content-type"].startswith("text/event-stream"), self.headers
        assert "transfer-encoding" not in self.headers, "this reader wants a plain body"
        self.comments, self.retry = [], None
        self.id = ""

    def next(self):
        """The next event that has data; comments are kept in .comments."""
        event, data = "message", []
        while True:
            line = self.wire.take_until(b"\n", 64 << 20).decode().rstrip("\r")
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if line == "":
                if data:
                    return {"id": self.id, "event": event, "data": "\n".join(data)}
                event = "message"
            elif name == "":
                self.comments.append(value)
            elif name == "data":
                data.append(value)
            elif name == "event":
                event = value
            elif name == "id":
                self.id = value
            elif name == "retry":
                self.retry = int(value)
            else:
                raise AssertionError(f"an unknown field: {line!r}")

    def json(self):
        return json.loads(self.next()["data"])

    def timeout(self, seconds):
        self.wire.sock.settimeout(seconds)

    def close(self):
        self.wire.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# --- a server that is not a box -----------------------------------------------


class Impostor:
    """Listens where a box would, keeps what it hears, answers with `answers` in turn, each
    to a connection; None hangs up without a word.  One that can be called has the answer to each
    head that comes by its connection."""

    def __init__(self, answers, unix=None):
        self.answers = list(answers)
        self.heard = []
        self.server = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
        self.server.bind(str(unix) if unix else ("127.0.0.1", 0))
        self.server.listen(8)
        self.port = 0 if unix else self.server.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            for answer in self.answers:
                peer, _ = self.server.accept()
                peer.settimeout(PATIENCE_S)
                if callable(answer):
                    threading.Thread(target=self.answer_all, args=(peer, answer), daemon=True).start()
                    continue
                self.answer_one(peer, answer)
                peer.close()
        except OSError:
            pass

    def answer_all(self, peer, answer):
        try:
            while self.answer_one(peer, answer):
                pass
        except OSError:
            pass
        peer.close()

    def answer_one(self, peer, answer):
        self.heard.append(self.read_request(peer))
        said = answer(self.heard[-1][0]) if callable(answer) else answer
        if said is not None:
            peer.sendall(said)
        return said

    @staticmethod
    def read_request(peer):
        got = b""
        while b"\r\n\r\n" not in got:
            piece = peer.recv(65536)
            if not piece:
                raise OSError("the client left")
            got += piece
        head, _, body = got.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        while length and len(body) < int(length[1]):
            body += peer.recv(65536)
        return head, body

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()


def answer_bytes(body, status="200 OK", more=""):
    body = body if isinstance(body, str) else json.dumps(body)
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()


# --- the box -----------------------------------------------------------------


class Box:
    """One `signalbox serve`.  args come after ours; data may be an old box's."""

    _living = set()

    def __init__(self, args=(), env=None, data=None, listen=("127.0.0.1:0",), command=()):
        self.args = list(args)
        self.env = env
        self.listen = list(listen)
        self.command = list(command)  # what the program is run under, if anything
        self.data = Path(data) if data else temp_dir() / "data"
        self.sock = self.data / "sock"
        self.log_path = self.data.with_name(self.data.name + ".log")
        self.process = None
        self.addresses = []
        self.port = 0

    def spawn(self):
        """Starts the program and does not wait for it to be ready."""
        assert self.process is None, "it is running already"
        (self.data / "listen").unlink(missing_ok=True)
        flags = [f for address in self.listen for f in ("--listen", address)]
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*self.command, SIGNALBOX, "serve", "--data", str(self.data), *flags, *self.args],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment(self.env), cwd="/",
            )
        Box._living.add(self)
        return self

    def start(self, within=PATIENCE_S):
        self.spawn()
        eventually(self._is_ready, within, 0.005)
        return self

    def _is_ready(self):
        if self.process.poll() is not None:
            code = self._ended()
            raise AssertionError(f"serve ended with {code}:\n{self.log()}")
        return self._answers()

    def _answers(self):
        try:
            self.addresses = (self.data / "listen").read_text().split()
            self.connect(unix=True).close()
        except OSError:
            return False
        ports = [a.rpartition(":")[2] for a in self.addresses if not a.startswith("unix:")]
        self.port = int(ports[0]) if ports else 0
        return True

    def _ended(self):
        code = self.process.wait(PATIENCE_S)
        self.process = None
        Box._living.discard(self)
        return code

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def wait(self, within=PATIENCE_S):
        """Waits until it ends by itself; its exit code."""
        self.process.wait(within)
        return self._ended()

    def stop(self, interrupt=signal.SIGTERM):
        """Asks it to end, and its exit code.  One that has ended gives None."""
        if self.process is None:
            return None
        self.process.send_signal(interrupt)
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill9()
            raise AssertionError(f"it did not stop:\n{self.log()}") from None
        return self._ended()

    def kill9(self):
        if self.process is not None:
            self.process.kill()
            self._ended()

    def restart(self):
        self.stop()
        return self.start()

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    @property
    def token(self):
        return (self.data / "token").read_text().strip()

    def bearer(self):
        return {"Authorization": f"Bearer {self.token}"}

    def host_header(self):
        return {"Host": f"127.0.0.1:{self.port}"}

    def connect(self, unix=True, receive_buffer=None):
        """A connected socket."""
        sock = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
        try:
            if receive_buffer:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            sock.settimeout(PATIENCE_S)
            sock.connect(str(self.sock) if unix else ("127.0.0.1", self.port))
        except OSError:
            sock.close()
            raise
        return sock

    def http(self, unix=True, receive_buffer=None):
        return Http(self.connect(unix, receive_buffer), is_box=True)

    def request(self, method, path, body=None, headers=None, unix=True):
        """One request on a connection of its own."""
        host = {} if unix else self.host_header()
        http = self.http(unix)
        try:
            return http.ask(method, path, body, {**host, **(headers or {})})
        finally:
            http.close()

    def emit(self, signal, unix=True, **members):
        """POSTs one signal, a dict or its type; the answer, which must be good."""
        if isinstance(signal, str):
            signal = {"type": signal, **members}
        answer = self.request("POST", "/api/signal", signal, unix=unix)
        assert answer.status == 200, answer
        return answer.json()

    def history(self, query=""):
        """The signals of the journal, all of them unless the query says less."""
        answer = self.request("GET", f"/api/signals?format=ndjson&after=0{query}")
        assert answer.status == 200, answer
        return [json.loads(line) for line in answer.body.splitlines()]

    @classmethod
    def end_all(cls):
        for box in list(cls._living):
            box.kill9()

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, kind, *_):
        """Ends it; one that a test left running must end well."""
        if kind is not None:
            comment(self.log()[-8000:])
            self.kill9()
        elif self.process is not None:
            code = self.stop()
            assert code == 0, f"serve ended with {code}:\n{self.log()}"


atexit.register(Box.end_all)


_CHECKPOINT = struct.Struct("<8sQQII")  # magic, seq, length, checksums


def sections(data):
    """Those of the newest checkpoint in a data directory: {name: bytes}."""
    newest = max((data / "journal").glob("checkpoint-*"), key=lambda p: int(p.name.split("-")[1]))
    file = newest.read_bytes()
    rest = file[_CHECKPOINT.size:][:_CHECKPOINT.unpack_from(file)[2]]
    found = {}
    while rest:
        name, _, rest = rest.partition(b"\0")
        size, = struct.unpack_from("<Q", rest)
        found[name.decode()] = rest[8:8 + size]
        rest = rest[8 + size:]
    return found
