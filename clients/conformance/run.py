#!/usr/bin/env python3
"""run.py [--only WORD] COMMAND... - hold a client against the scripts beside this file.

README.md says what a script and an adapter are.  Prints TAP; ends with 1 when
the client broke a promise.
"""

import argparse
import base64
import hashlib
import json
import queue
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TOKEN = "conformance-token"


class Broken(Exception):
    """The client did something else."""


# --- the server ----------------------------------------------------------------


def frame_bytes(opcode, payload):
    n = len(payload)
    if n < 126:
        return bytes([128 | opcode, n]) + payload
    if n < 65536:
        return bytes([128 | opcode, 126]) + struct.pack("!H", n) + payload
    return bytes([128 | opcode, 127]) + struct.pack("!Q", n) + payload


class Peer:
    """One WebSocket connection of the client."""

    def __init__(self, sock, stream):
        self.sock, self.stream = sock, stream
        self.lock = threading.Lock()
        self.frames = queue.Queue()
        self.head = 0  # the newest seq that we spoke of
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while True:
                first, second = self.stream.read(2)
                n = second & 127
                if n == 126:
                    n = struct.unpack("!H", self.stream.read(2))[0]
                elif n == 127:
                    n = struct.unpack("!Q", self.stream.read(8))[0]
                mask = self.stream.read(4) if second & 128 else b""
                data = self.stream.read(n)
                if not mask:
                    self.frames.put(Broken("a frame of the client is not masked"))
                    return
                data = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
                if first & 15 == 1:
                    self._hear(json.loads(data))
                elif first & 15 == 8:
                    self.frames.put(None)
                    self.close(1000)
                    return
        except (OSError, ValueError):
            self.frames.put(None)

    def _hear(self, frame):
        """Signs of life are answered here; a subscribe is acknowledged, as the server does."""
        if frame.get("op") in ("ping", "subscribe") and "ref" in frame:
            self.send(json.dumps({"op": "ack", "ref": frame["ref"], "at": int(time.time() * 1000),
                                  **({"head": self.head} if frame["op"] == "ping" else {})}))
        if frame.get("op") != "ping":
            self.frames.put(frame)

    def send(self, text):
        if (seq := re.match(r'{(?:"op": ?"hello".*)?"seq": ?(\d+)', text)):
            self.head = max(self.head, int(seq.group(1)))
        with self.lock:
            self.sock.sendall(frame_bytes(1, text.encode()))

    def close(self, code=None):
        try:
            if code:
                self.sock.sendall(frame_bytes(8, struct.pack("!H", code)))
            else:
                # Not a byte more, as when a cable is pulled.
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()


class Server:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.peers = queue.Queue()
        self.refuse = None
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        stream = sock.makefile("rb")
        try:
            while self._answer(sock, stream):
                pass
        except (OSError, ValueError, IndexError):
            pass

    def _answer(self, sock, stream):
        """One request; False when the connection is over, or another's."""
        line = stream.readline(65536).split()
        fields = {}
        while (field := stream.readline(65536).strip()):
            name, _, value = field.partition(b":")
            fields[name.lower()] = value.strip()
        if not line:
            sock.close()
            return False
        stream.read(int(fields.get(b"content-length", 0)))
        if self.refuse == 0:
            sock.shutdown(socket.SHUT_RDWR)
            return False
        if self.refuse:
            self._plain(sock, self.refuse, {"ok": False, "error": "refused by the script"})
        elif b"sec-websocket-key" in fields:
            key = base64.b64encode(hashlib.sha1(fields[b"sec-websocket-key"] + GUID).digest())
            sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                         b"Upgrade: websocket\r\nSec-WebSocket-Accept: " + key + b"\r\n\r\n")
            self.peers.put(Peer(sock, stream))
            return False
        elif line[1].startswith(b"/api/ticket"):
            self._plain(sock, 200, {"ok": True, "ticket": "a-ticket"})
        else:
            self._plain(sock, 404, {"ok": False, "error": "there is nothing here"})
        return True

    @staticmethod
    def _plain(sock, status, answer):
        body = json.dumps(answer).encode()
        sock.sendall(f"HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def close(self):
        self.listener.close()


# --- the client ------------------------------------------------------------------


class Adapter:
    def __init__(self, command, url, options):
        self.process = subprocess.Popen([*command, url, TOKEN, json.dumps(options)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def do(self, step):
        self.process.stdin.write(json.dumps(step) + "\n")
        self.process.stdin.flush()

    def end(self, patience):
        self.process.stdin.close()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


# --- a script --------------------------------------------------------------------


class Play:
    def __init__(self, command, script, patience):
        self.steps = [json.loads(line) for line in script.read_text().splitlines() if line.strip()]
        self.head = self.steps.pop(0)
        self.patience = patience
        self.names = {}
        self.server = Server()
        self.adapter = Adapter(command, self.server.url, self.head["options"])
        self.peer = None

    def has(self, wanted, got):
        """Is all of it there?  "$name" is anything, and the same thing again."""
        if isinstance(wanted, str) and wanted.startswith("$"):
            return self.names.setdefault(wanted, got) == got and got is not None
        if isinstance(wanted, dict):
            return isinstance(got, dict) and all(self.has(v, got.get(k)) for k, v in wanted.items())
        return wanted == got

    def fill(self, value):
        """The names in it replaced by what they stand for."""
        if isinstance(value, str) and value.startswith("$"):
            return self.names[value]
        if isinstance(value, dict):
            return {k: self.fill(v) for k, v in value.items()}
        return value

    def take(self, lines, what):
        try:
            return lines.get(timeout=self.patience)
        except queue.Empty:
            raise Broken(f"waited in vain for {json.dumps(what)}") from None

    def frame(self, wanted):
        frame = self.take(self.peer.frames, wanted)
        if isinstance(frame, Broken):
            raise frame
        if frame is None:
            raise Broken(f"it hung up before {json.dumps(wanted)}")
        return frame

    def accept(self):
        if self.peer:
            self.peer.close()
        self.peer = self.take(self.server.peers, "a connection")

    def expect(self, wanted):
        frame = self.frame(wanted)
        if not self.has(wanted, frame):
            raise Broken(f"it said {json.dumps(frame)}, not {json.dumps(wanted)}")

    def hear(self, wanted):
        while True:
            line = self.take(self.adapter.lines, wanted)
            if line is None:
                raise Broken(f"the adapter ended before {json.dumps(wanted)}")
            if self.has(wanted, line):
                return
            if line["event"] != "state":
                raise Broken(f"it heard {json.dumps(line)}, not {json.dumps(wanted)}")

    def quiet(self, seconds):
        until = time.monotonic() + seconds
        while (rest := until - time.monotonic()) > 0:
            try:
                line = self.adapter.lines.get(timeout=rest)
            except queue.Empty:
                return
            if line is None or line["event"] != "state":
                raise Broken(f"it was to be quiet and said {json.dumps(line)}")

    def step(self, step):
        if "accept" in step:
            self.accept()
        elif "send" in step:
            self.peer.send(json.dumps(self.fill(step["send"]), separators=(",", ":")))
        elif "text" in step:
            self.peer.send(step["text"])
        elif "expect" in step:
            self.expect(step["expect"])
        elif "do" in step:
            self.adapter.do(step)
        elif "hear" in step:
            self.hear(step["hear"])
        elif "quiet" in step:
            self.quiet(step["quiet"])
        elif "refuse" in step:
            self.server.refuse = step["refuse"]
        elif "cut" in step or "close" in step:
            self.peer.close(step.get("close"))
        else:
            raise ValueError(f"no such step: {step}")

    def run(self):
        try:
            for number, step in enumerate(self.steps, 2):
                try:
                    self.step(step)
                except Broken as why:
                    raise Broken(f"line {number}: {why}") from None
            if self.adapter.end(self.patience) != 0:
                raise Broken("it did not end well when its input ended")
        finally:
            self.server.close()
            self.adapter.process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="scripts whose name holds this")
    parser.add_argument("--patience", type=float, default=10, help="seconds for each step")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    scripts = [p for p in sorted(HERE.glob("*.jsonl")) if options.only in p.name]
    if options.list or not options.command:
        for script in scripts:
            print(f"{script.stem}: {json.loads(script.open().readline())['about']}")
        return 0 if options.list else 2
    if not scripts:
        parser.error(f"no script's name holds '{options.only}'")
    if not shutil.which(options.command[0]):
        parser.error(f"there is no program {options.command[0]}")
    failed = 0
    print(f"1..{len(scripts)}", flush=True)
    for number, script in enumerate(scripts, 1):
        play = Play(options.command, script, options.patience)
        try:
            play.run()
            print(f"ok {number} - {script.stem}: {play.head['about']}", flush=True)
        except Broken as why:
            failed += 1
            print(f"not ok {number} - {script.stem}: {play.head['about']}\n# {why}", flush=True)
    return failed > 0


sys.exit(main())
