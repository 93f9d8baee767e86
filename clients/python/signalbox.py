"""A client of signalbox in one file, on the standard library alone.

    from signalbox import Signalbox

    with Signalbox("http://127.0.0.1:7446", token=token, after=0) as box:
        for signal in box.signals():
            print(signal["seq"], signal["type"])

It speaks the native dialect of /ws (docs/protocol.md), and is the twin of
clients/js/signalbox.js.  A connection that ends is replaced by another, for
ever, and each new one goes on exactly where the last one stopped: no signal
twice, none left out, and where the server itself has a hole, a gap that says
so.  What was emitted and not yet acknowledged is sent again under the same id,
so it is stored once.

Everything that is heard is heard on one thread of the client's own; listeners
are called there and should be quick.  `url` may be "unix:/path/to/sock", which
needs no token.
"""

import base64
import hashlib
import http.client
import json
import os
import queue
import random
import re
import socket
import ssl
import struct
import threading
import time
import urllib.parse
import uuid

FIRST_RETRY_S = 0.25
LAST_RETRY_S = 5.0
ANSWER_S = 10.0     # whoever does not answer by then is not there
OP_S = 35.0         # the server gives up on its own disk after 30 s
QUIET_S = 25.0      # after so much silence the connection is asked for a sign of life
EMITS_MAX = 10000   # emits that wait for an acknowledgement
QUEUE_MAX = 10000   # signals that an iterator has not taken yet
EPOCHS_MAX = 16     # epochs of which a position is kept
NOTHING = "signalbox.client.waits"  # a type that nobody emits
FRAME_MAX = 64 * 1024 * 1024
POSITION = re.compile(r"(?:(.+)-)?(\d+)")
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Refusal(Exception):
    """Why something was refused: the server's code, its words, and the status if it was HTTP."""

    def __init__(self, code, message, status=None):
        super().__init__(message)
        self.code = code
        self.status = status


class SignedOut(Exception):
    """Trying again is of no use: the credential is not taken."""


def position_of(text):
    """(epoch or None, seq)"""
    found = POSITION.fullmatch(text)
    if not found:
        raise ValueError(f"{text} is no position: SEQ or EPOCH-SEQ")
    return found[1], int(found[2])


class Place:
    """Where we stand on the server's timeline: the last signal seen, and the epoch it was seen in.

    A server that does not know that epoch, because it was given an older state
    of its disk, is told where we stood in those before.  str() of a place is a
    position for another one.
    """

    def __init__(self, position=0):
        newest, *older = map(position_of, str(position).split(","))
        self.epoch, self.seq = newest
        self.duplicates = 0
        # In older epochs, the newest first.
        self._older = [one for one in older if one[0] is not None][:EPOCHS_MAX - 1]

    def __str__(self):
        """What `after` says.  Zero asks for everything, whatever the epoch."""
        if not self.seq or self.epoch is None:
            return str(self.seq)
        return ",".join(f"{epoch}-{seq}" for epoch, seq in [(self.epoch, self.seq), *self._older])

    def take(self, epoch, seq):
        """Steps to a signal: (is it new to us, which ones were passed over without a word)."""
        if seq <= self.seq:
            self.duplicates += 1
            return False, None
        hole = None
        if seq != self.seq + 1:
            hole = {"from": self.seq + 1, "to": seq - 1, "why": "unexplained"}
        self._step(epoch, seq)
        return True, hole

    def skip(self, epoch, gap):
        """Steps over a gap.  What is lost from our own past is not of the server's timeline any
        more: we go back to where the two part."""
        back = gap["why"] == "lost" and gap["from"] <= self.seq
        self._step(epoch, gap["from"] - 1 if back else max(self.seq, gap["to"]))

    def _step(self, epoch, seq):
        if self.epoch not in (None, epoch) and self.seq:
            self._older = [(self.epoch, self.seq), *self._older][:EPOCHS_MAX - 1]
        self.epoch, self.seq = epoch, seq
        self._older = [(old, min(was, seq)) for old, was in self._older if seq]


def retry_delay(failures, chance=None):
    """The wait before the n-th attempt in a row: doubling, and spread."""
    most = min(LAST_RETRY_S, FIRST_RETRY_S * 2 ** min(failures, 16))
    return max(FIRST_RETRY_S, most * (0.5 + (random.random() if chance is None else chance) / 2))


def explains(signal, hole):
    """Does this signal stand for signals that the journal could not keep?"""
    if not signal or signal.get("type") != "journal.gap":
        return False
    return signal["payload"]["from"] <= hole["from"] and signal["payload"]["to"] >= hole["to"]


# --- sockets -----------------------------------------------------------------


class Server:
    """Where the box is, and how to reach it."""

    def __init__(self, url, token, context):
        self.token = token
        self.path = url[len("unix:"):] if url.startswith("unix:") else None
        parts = urllib.parse.urlsplit("http://localhost" if self.path else url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url} is no http, https or unix URL")
        self.host = parts.hostname
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        self.name = parts.netloc.rpartition("@")[2]
        self.tls = (context or ssl.create_default_context()) if parts.scheme == "https" else None

    def connect(self, timeout):
        if self.path:
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(timeout)
            sock.connect(self.path)
            return sock
        sock = socket.create_connection((self.host, self.port), timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.tls.wrap_socket(sock, server_hostname=self.host) if self.tls else sock

    def credential(self):
        token = self.token() if callable(self.token) else self.token
        return {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method, path, body=None, timeout=OP_S):
        """One request; the status and the whole answer."""
        line = http.client.HTTPConnection(self.name)
        line.sock = self.connect(timeout)
        try:
            fields = self.credential()
            if body is not None:
                fields["Content-Type"] = "application/json"
            line.request(method, path, None if body is None else json.dumps(body), fields)
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()


class Wire:
    """A WebSocket connection: text in, text out.  One reader, many writers."""

    def __init__(self, server, path="/ws"):
        self.sock = server.connect(ANSWER_S)
        self.input = self.sock.makefile("rb")
        self.lock = threading.Lock()
        self.heard_at = time.monotonic()
        try:
            self._upgrade(server, path)
        except BaseException:
            self.close()
            raise
        self.sock.settimeout(None)

    def _upgrade(self, server, path):
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": server.name, "Connection": "Upgrade", "Upgrade": "websocket",
                  "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key, **server.credential()}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.sock.sendall(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
        first = self.input.readline(65536)
        if not first.endswith(b"\n"):
            raise ConnectionError("the server hung up")
        status = int((first.split(b" ", 2) + [b"0"])[1])
        answer = http.client.parse_headers(self.input)
        if status in (401, 403):
            raise SignedOut(f"the server answered {status}")
        want = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if status != 101 or answer.get("Sec-WebSocket-Accept") != want:
            raise ConnectionError(f"the server answered {status}")

    def _take(self, n):
        got = self.input.read(n)
        if got is None or len(got) < n:
            raise ConnectionError("the server hung up")
        return got

    def _frame(self):
        first, second = self._take(2)
        n = second & 127
        if n == 126:
            n = struct.unpack("!H", self._take(2))[0]
        elif n == 127:
            n = struct.unpack("!Q", self._take(8))[0]
        if n > FRAME_MAX or second & 128 or first & 112:
            raise ConnectionError("the server sent a frame that it may not send")
        return first >> 7, first & 15, self._take(n)

    def recv(self):
        """The next whole message."""
        parts = []
        while True:
            fin, opcode, payload = self._frame()
            self.heard_at = time.monotonic()
            if opcode == 8:
                raise ConnectionError("the server closed the connection")
            if opcode == 9:
                self.send(payload, 10)
            elif opcode < 8:
                parts.append(payload)
                if fin:
                    return b"".join(parts).decode()

    def send(self, payload, opcode=1):
        data = payload.encode() if isinstance(payload, str) else payload
        n = len(data)
        head = bytes([128 | opcode])
        if n < 126:
            head += bytes([128 | n])
        elif n < 65536:
            head += bytes([128 | 126]) + struct.pack("!H", n)
        else:
            head += bytes([128 | 127]) + struct.pack("!Q", n)
        mask = os.urandom(4)
        # One long integer is the fastest mask that the standard library has.
        long = (mask * (n // 4 + 1))[:n]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(long, "big")).to_bytes(n, "big")
        with self.lock:
            self.sock.sendall(head + mask + masked)

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()


# --- the client --------------------------------------------------------------


class Waiting:
    """Somebody waits for the answer to a frame."""

    def __init__(self, frame, again):
        self.frame = frame
        self.again = again  # it is sent again after a lost connection
        self.done = threading.Event()
        self.answer = None
        self.why = None

    def settle(self, answer=None, why=None):
        self.answer, self.why = answer, why
        self.done.set()


class Signalbox:
    """One connection that is always there, to one box.

    `after` is a position, SEQ or "EPOCH-SEQ", or what str(place) gave; 0 is
    everything there is; left out, it is the present.  `types`, `sources`, `correlationId`, `prompts`,
    `sourceState`, `stage`, `crew`, `matters` and `slow` are the wishes of a subscription.
    `screen` names us beside the answers and controls that we give.
    """

    def __init__(self, url, token=None, after=None, screen=None, context=None, **wishes):
        self.server = Server(url, token, context)
        self.place = None if after is None else Place(after)
        self.state = "connecting"
        self.scopes = frozenset()
        self.skew_s = 0.0  # how far the server's clock is ahead, as of the last ping
        self._screen = {} if screen is None else {"screen": screen}
        self._wishes = wishes
        self._listeners = {}
        self._waiting = {}
        self._queues = []
        self._lock = threading.RLock()
        self._wire = None
        self._greeted = False
        self._closed = threading.Event()
        self._hurry = threading.Event()
        self._refs = 0
        self._epoch = ""
        self._head = 0
        self._before = None
        self._version = None
        self._awaited = None  # the ref of a subscribe that is not acknowledged yet
        # An iterator is full, or nobody has begun to hear what comes after a place: until that
        # changes we wish for nothing.
        self._held = after is not None
        self._thread = threading.Thread(target=self._live, name="signalbox", daemon=True)
        self._pulse = threading.Thread(target=self._feel_pulse, name="signalbox-pulse", daemon=True)
        self._begun = False

    # ---- what it is used for ----

    def open(self):
        """Begins.  With `after` the signals wait for whoever hears first; without it, who listens
        before misses nothing."""
        if not self._begun:
            self._begun = True
            self._thread.start()
            self._pulse.start()
        return self

    def on(self, name, hear):
        """hear(news) from now on: state, hello, signal, gap, sources, prompt, prompts, stage,
        crew, matters, notice.  Gives a function that ends it."""
        with self._lock:
            self._listeners.setdefault(name, []).append(hear)
        self._release()

        def end():
            with self._lock:
                if hear in self._listeners.get(name, []):
                    self._listeners[name].remove(hear)

        return end

    def signals(self):
        """The signals from here on, in order.  Whoever is slow to take them makes the server
        wait, and loses nothing."""
        waiting = queue.SimpleQueue()
        with self._lock:
            self._queues.append(waiting)
        self._release()
        self.open()
        return self._drain(waiting)

    def _drain(self, waiting):
        try:
            while (signal := waiting.get()) is not None:
                self._release()
                yield signal
        finally:
            with self._lock:
                self._queues.remove(waiting)
            self._release()

    def subscribe(self, **wishes):
        """Other wishes from now on, at the place where we stand."""
        with self._lock:
            self._wishes = wishes
            self._version = None
            if self._greeted:
                self._subscribe()

    def emit(self, signal, timeout=None):
        """Returns when the signal is on the server's disk: {"id", "seq"}."""
        whole = {"id": str(uuid.uuid4()), "timestamp": int(time.time() * 1000), **signal}
        with self._lock:
            if len(self._waiting) >= EMITS_MAX:
                raise Refusal("too_many", f"{EMITS_MAX} emits wait for an acknowledgement")
        ack = self._ask({"op": "emit"}, whole, timeout)
        return {"id": whole["id"], "seq": ack["seq"]}

    def ask(self, source, prompt, **more):
        """{"run"}: what the answer's signals have as their correlationId; `run` may name it."""
        return {"run": self._ask({"op": "ask", "source": source, "prompt": prompt, **more})["run"]}

    def cancel(self, run):
        self._ask({"op": "cancel", "run": run})

    def answer(self, prompt, value=None, cancelled=False):
        given = {"cancelled": True} if cancelled else {"value": value}
        self._ask({"op": "answer", "id": prompt, **given, **self._screen})

    def control(self, run, what, n=None):
        count = {} if n is None else {"n": n}
        self._ask({"op": "control", "run": run, "do": what, **count, **self._screen})

    def request(self, method, path, body=None):
        """A request of the API: the answer's JSON, or a Refusal."""
        try:
            status, text = self.server.ask(method, path, body)
        except OSError as why:
            raise Refusal("unreachable", f"the server cannot be reached: {why}") from why
        try:
            answer = json.loads(text) if text else {}
        except ValueError:
            raise Refusal("invalid", "the server's answer is not JSON", status) from None
        if status < 300:
            return answer
        raise Refusal(answer.get("code", str(status)), answer.get("error", ""), status)

    def ping(self):
        """Where the server stands now: the seq of its newest signal."""
        sent_at = time.time()
        ack = self._ask({"op": "ping"})
        self.skew_s = ack["at"] / 1000 - (sent_at + time.time()) / 2
        return ack["head"]

    def skip(self, seq):
        """Goes on after this seq of the present epoch, for whoever cannot keep up and wants to see
        the newest.  What lies between is told as a gap `skipped`; what is still on its way is not
        read."""
        with self._lock:
            if not self._greeted or self._awaited is not None or self._held or seq <= self.place.seq:
                return
            gap = {"from": self.place.seq + 1, "to": seq, "why": "skipped"}
            self.place.skip(self._epoch, gap)
            self._subscribe()
        self._tell("gap", gap)

    def retry_now(self):
        """Ends the wait between two attempts."""
        self._hurry.set()

    def close(self):
        """Ends it for good; what waits is refused, iterators end."""
        self._closed.set()
        self._hurry.set()
        with self._lock:
            wire, queues = self._wire, list(self._queues)
            waiting, self._waiting = list(self._waiting.values()), {}
        if wire:
            wire.close()
        for one in waiting:
            one.settle(why=Refusal("closed", "the client was closed"))
        for one in queues:
            one.put(None)
        self._enter("closed")

    def __enter__(self):
        return self.open()

    def __exit__(self, *_):
        self.close()

    # ---- its thread ----

    def _live(self):
        failures = 0
        while not self._closed.is_set():
            try:
                wire = Wire(self.server)
                with self._lock:
                    self._wire = wire
                while True:
                    self._hear(wire.recv())
                    if self.state == "live":
                        failures = 0
            except SignedOut as why:
                self._lose()
                self._enter("signed-out", why=str(why))
                return
            except (OSError, ValueError, ssl.SSLError, http.client.HTTPException):
                self._lose()
            if self._closed.is_set():
                return
            delay = retry_delay(failures)
            failures += 1
            self._enter("lost", retryAt=time.time() + delay)
            self._hurry.wait(delay)
            self._hurry.clear()

    def _lose(self):
        with self._lock:
            wire, self._wire, self._greeted = self._wire, None, False
            # Whether they were done nobody can tell, so nothing but an emit is done again.
            gone = [ref for ref, one in self._waiting.items() if not one.again]
            refused = [self._waiting.pop(ref) for ref in gone]
        if wire:
            wire.close()
        for one in refused:
            one.settle(why=Refusal("disconnected", "the connection was lost before the answer came"))

    def _feel_pulse(self):
        """A peer that went without a word is found out by asking it something."""
        asked = None
        while not self._closed.wait(1):
            with self._lock:
                wire, greeted = self._wire, self._greeted
            if not wire or not greeted:
                asked = None
            elif time.monotonic() - wire.heard_at < QUIET_S:
                asked = None
            elif asked is None:
                asked = time.monotonic()
                try:
                    wire.send('{"op":"ping"}')
                except OSError:
                    wire.close()
            elif time.monotonic() - asked > ANSWER_S:
                wire.close()

    # ---- hearing ----

    def _hear(self, text):
        """Only a frame that begins with `op` is the server's own word.  A signal begins with its
        seq, and whatever else a producer wrote into it stays a signal."""
        frame = json.loads(text)
        if not text.startswith('{"op":'):
            self._hear_signal(frame, text)
        elif frame["op"] == "hello":
            self._hear_hello(frame)
        elif frame["op"] == "gap":
            self._hear_gap(frame)
        elif frame["op"] in ("ack", "error"):
            self._hear_answer(frame)
        elif frame["op"] == "stage":
            self._hear_stage(frame)
        elif frame["op"] in ("sources", "prompt", "prompts", "crew", "matters"):
            self._tell(frame["op"], frame)

    def _hear_hello(self, hello):
        self._epoch, self._head = hello["epoch"], hello["seq"]
        self.scopes = frozenset(hello["scopes"])
        self._tell("hello", hello)
        self._enter("catching-up")
        with self._lock:
            if self.place is None:
                self.place = Place(f"{hello['epoch']}-{hello['seq']}")
            self._greeted = True
            self._subscribe()
            for one in self._waiting.values():
                self._wire.send(one.frame)
        self._caught_up()

    def _subscribe(self):
        """Signals that are still on their way then are of the subscription before; the new one
        sends again what is wanted of them.  So they are passed over until its ack."""
        wishes = dict(self._wishes)
        if wishes.get("stage") and self._version is not None:
            wishes["stage"] = self._version
        # All that are open follow, so what was closed meanwhile must not stay.
        if wishes.get("prompts"):
            self._tell("prompts", {"forget": True})
        if self._held:
            wishes["types"] = [NOTHING]
        else:
            wishes["after"] = str(self.place)
        self._refs += 1
        self._awaited = str(self._refs)
        self._send(json.dumps({"op": "subscribe", "ref": self._awaited, **wishes}))

    @property
    def _is_filtered(self):
        wishes = self._wishes
        return any(wishes.get(name) is not None for name in ("types", "sources", "correlationId")) \
            or wishes.get("slow") == "coalesce"

    def _hear_signal(self, envelope, text):
        with self._lock:
            if self._awaited is not None or self._held:
                return
            fresh, hole = self.place.take(self._epoch, envelope["seq"])
        if hole and not self._is_filtered and not explains(envelope, hole) \
                and not explains(self._before, hole):
            self._tell("gap", hole)
        self._before = envelope
        if fresh:
            self._tell("signal", {"envelope": envelope, "text": text,
                                  "live": envelope["seq"] > self._head})
            self._put(envelope)
        self._caught_up()

    def _put(self, envelope):
        """An iterator that is full makes the server wait: we wish for nothing, until we wish again
        for what comes after the place where we stand.  Answers are heard all the while."""
        with self._lock:
            for one in self._queues:
                one.put(envelope)
            if all(one.qsize() < QUEUE_MAX for one in self._queues):
                return
            self._held = True
            self._subscribe()
        self._release()

    def _is_heard(self):
        return self._queues or self._listeners.get("signal")

    def _release(self):
        if not self._held:
            return
        with self._lock:
            if not self._held or not self._is_heard() \
                    or any(one.qsize() > QUEUE_MAX / 2 for one in self._queues):
                return
            self._held = False
            if self._greeted:
                self._subscribe()

    def _hear_gap(self, frame):
        gap = {name: frame[name] for name in ("from", "to", "why")}
        with self._lock:
            if self._awaited is not None or self._held:
                return
            self.place.skip(self._epoch, gap)
        self._tell("gap", gap)
        if self.place.seq < self._head:
            self._enter("catching-up")
        self._caught_up()

    def _hear_stage(self, frame):
        """Its versions are never used twice, so one that is not newer was seen before."""
        if "snapshot" not in frame and self._version is not None \
                and frame["version"] <= self._version:
            return
        self._version = frame["version"]
        self._tell("stage", frame)

    def _hear_answer(self, frame):
        ref = str(frame.get("ref"))
        with self._lock:
            if ref == self._awaited:
                self._awaited = None
            one = self._waiting.get(ref)
            if one and one.again and frame.get("code") == "too_fast":
                return self._send_later(ref, frame["wait"] / 1000)
            self._waiting.pop(ref, None)
        if one and frame["op"] == "ack":
            one.settle(frame)
        elif one:
            one.settle(why=Refusal(frame["code"], frame["message"]))
        elif frame["op"] == "error":
            self._tell("notice", f"the server says: {frame['message']}")
        self._caught_up()

    def _caught_up(self):
        """With a filter nobody can tell which signal is the last that was missed."""
        behind = not self._is_filtered and self.place.seq < self._head
        if self.state == "catching-up" and not behind and self._awaited is None:
            self._enter("live")

    # ---- saying ----

    def _send(self, frame):
        """A line that breaks meanwhile is found by whoever reads from it."""
        try:
            self._wire.send(frame)
        except OSError:
            self._wire.close()

    def _send_later(self, ref, wait_s):
        def send():
            with self._lock:
                if self._greeted and ref in self._waiting:
                    self._send(self._waiting[ref].frame)

        timer = threading.Timer(wait_s, send)
        timer.daemon = True
        timer.start()

    def _ask(self, op, signal=None, timeout=None):
        """The ack that has our ref.  An emit waits for a connection; nothing else does."""
        again = signal is not None
        self.open()
        with self._lock:
            self._refs += 1
            ref = str(self._refs)
            # An emit that ends with its signal is the one that the server reads fastest.
            frame = {**op, "ref": ref, **({"signal": signal} if again else {})}
            one = Waiting(json.dumps(frame), again)
            if self._closed.is_set():
                raise Refusal("closed", "the client was closed")
            if not again and not self._greeted:
                raise Refusal("disconnected", "there is no connection to the server")
            self._waiting[ref] = one
            wire = self._wire if self._greeted else None
        if wire:
            try:
                wire.send(one.frame)
            except OSError:
                wire.close()
        if not one.done.wait(timeout if again else OP_S):
            with self._lock:
                self._waiting.pop(ref, None)
            raise Refusal("timeout", "the server did not answer in time")
        if one.why:
            raise one.why
        return one.answer

    # ---- telling ----

    def _enter(self, name, **more):
        if self.state == "closed":
            return
        self.state = name
        self._tell("state", {"name": name, **more})

    def _tell(self, name, news):
        with self._lock:
            listeners = list(self._listeners.get(name, ()))
        for hear in listeners:
            hear(news)
