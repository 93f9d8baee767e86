"""Clients of OpenClaw: what they cost, and how long they wait."""

import http.client
import json
import socket
import time

from operate import join
from servers import Failure, START_S, free_port

CLIENTS = 5000
TOKENS = 100             # a second
TOKEN_BYTES = 4
ANSWER = 200_000         # bytes of the long one, which takes 500 s
LISTEN_MS = 20_000       # to a part of it
MESSAGES = 1000
ASKS = 20
# A signal that is told as it is. The frame of an agent with it has some bytes more than its
# envelope: with these sizes both have as many.
NOTE = "bench.note"
SIZES = {"gateway": 300, "/ws/signals": 372}


def settle(bench):
    """Milliseconds until who is present was told, so that it is not measured."""
    return 100 if bench.tiny else 1200


def fanout(subs, window):
    """Frames of agents that are not gathered, and as many bytes as envelopes."""
    def measure(bench, side):
        with bench.running(side) as server:
            result = bench.load(server, "crowd", subs=bench.few(subs), window=window, type=NOTE,
                                bytes=SIZES[side], ms=bench.ms if bench.tiny else 2 * bench.ms)
        if result["deliveries"] == 0:
            raise Failure("nothing was delivered")
        return {"cpu": max(result["cpu_ns"], 1) / result["deliveries"] / 1000,
                "bytes": result["bytes"] / result["deliveries"]}
    return measure


def crowd(bench, side):
    """One run after the other of 2 KB; every client gets the text as `agent` and as `chat`."""
    with bench.running(side) as server:
        result = bench.load(server, "stream", subs=bench.few(CLIENTS), rate=TOKENS,
                            token_bytes=TOKEN_BYTES, text=2000,
                            settle=settle(bench), ms=200 if bench.tiny else max(bench.ms, 6000))
    took = result["seconds"]
    return {"core": max(result["cpu_ns"], 1) / took / 1e7, "sends": result["agents"] / took,
            "mib": result["bytes"] / took / 2**20}


def answer(version):
    """Some seconds from the middle of a long answer: the text is told again as often as
    snapshot_rate lets it, so that each second has as many bytes as any other, but for the first."""
    def measure(bench, side):
        with bench.running(side) as server:
            part = bench.load(server, "stream", rate=TOKENS, token_bytes=TOKEN_BYTES, text=ANSWER,
                              before=0 if bench.tiny else ANSWER // 2, settle=settle(bench),
                              ms=300 if bench.tiny else max(bench.ms, LISTEN_MS), version=version)
        seconds = ANSWER / TOKEN_BYTES / TOKENS
        return {"mb": part["bytes"] / part["seconds"] * seconds / 1e6,
                "ms": max(part["cpu_ns"], 1) / part["seconds"] / 1e6}
    return measure


def arrivals(bench, side):
    with bench.running(side) as server:
        result = bench.load(server, "arrive", subs=bench.few(CLIENTS))
    return {"s": result["seconds"], "cpu": max(result["cpu_ns"], 1) / 1e9}


def devices(micro):
    def measure(bench, side):
        return {"rate": 1e9 / micro("device")(bench, side)["device"]}
    return measure


class Client:
    """One client that asks for something."""

    def __init__(self, server):
        self.socket = join(server, "/ws/gateway", greeted=True)
        self.stream = self.socket.makefile("rb")
        self.hear(lambda frame: frame.get("event") == "connect.challenge")
        self.ask("connect", {
            "minProtocol": 4, "maxProtocol": 4, "role": "operator", "scopes": ["operator.read"],
            "caps": [], "auth": {"token": server.token()},
            "client": {"id": "gateway-client", "version": "1", "platform": "linux", "mode": "backend"}})

    def close(self):
        self.socket.close()

    def frame(self):
        head = self.stream.read(2)
        if len(head) < 2 or head[0] == 0x88:
            raise Failure("the box closed a connection")
        length = head[1]
        if length > 125:
            length = int.from_bytes(self.stream.read(2 if length == 126 else 8), "big")
        return self.stream.read(length) if head[0] == 0x81 else self.frame()

    def hear(self, is_it):
        while not is_it(frame := json.loads(self.frame())):
            pass
        return frame

    def send(self, method, params):
        text = json.dumps({"type": "req", "id": "q", "method": method, "params": params}).encode()
        size = bytes([len(text)]) if len(text) < 126 else b"\x7e" + len(text).to_bytes(2, "big")
        self.socket.sendall(b"\x81" + bytes([0x80 | size[0]]) + size[1:] + bytes(4) + text)

    def ask(self, method, params):
        self.send(method, params)
        answer = self.hear(lambda frame: frame["type"] == "res")
        if not answer["ok"]:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["payload"]


def conversation(server, messages):
    """One run in which somebody asks and an agent answers, again and again."""
    lines = []
    for n in range(messages // 2):
        task = {"correlationId": "talk", "source": "bench"}
        lines += [{**task, "type": "task_dispatch", "payload": {
                      "taskId": f"t{n}", "from": "me", "to": "bench",
                      "description": f"Question {n}: what does the box do with this?"}},
                  {**task, "type": "text_delta", "payload": {
                      "agentId": "bench", "content": f"Answer {n}. " + "It hears every agent. " * 12}},
                  {**task, "type": "completion", "payload": {
                      "agentId": "bench", "taskId": f"t{n}", "success": True}}]
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
    client.request("POST", "/api/signal", "\n".join(map(json.dumps, lines)),
                   {"Authorization": f"Bearer {server.token()}", "Content-Type": "application/x-ndjson"})
    answer = json.load(client.getresponse())
    client.close()
    if answer["accepted"] != len(lines):
        raise Failure(f"only {answer['accepted']} of {len(lines)} signals were taken")


def history(bench, side):
    """From the question to the last byte of the answer, and the processor of the box."""
    wanted, times = bench.few(MESSAGES), []
    with bench.running(side) as server, bench.pinned(1):
        conversation(server, wanted)
        client = Client(server)
        key = client.ask("sessions.list", {})["sessions"][0]["key"]
        asked = {"sessionKey": key, "limit": MESSAGES}
        server.wait(lambda: len(client.ask("chat.history", asked)["messages"]) == wanted)
        cpu = server.cpu_ns()
        for _ in range(ASKS):
            begun = time.perf_counter_ns()
            client.send("chat.history", asked)
            frame = client.frame()
            times.append(time.perf_counter_ns() - begun)
            if b'"type":"res"' not in frame[:20]:
                times.pop()
                client.hear(lambda frame: frame["type"] == "res")
        cpu = server.cpu_ns() - cpu
        client.close()
    return {"ms": sorted(times)[len(times) // 2] / 1e6, "cpu": max(cpu, 1) / ASKS / 1e6}


def relay(calls):
    """A gateway behind the box; a client of the box, and one of that gateway: events that it sends, or
    methods that they call."""
    def measure(bench, side):
        port = free_port()
        with bench.running(side, form="relay") as server:
            server.post("/api/sources", {"id": "upstream", "protocol": "openclaw", "credential": "t",
                                         "url": f"ws://127.0.0.1:{port}"})
            result = bench.load(server, "relay", listen=port, rate=100, calls=calls,
                                ms=bench.ms if bench.tiny else max(bench.ms, 5000))
        through, direct = result["relayed"], result["direct"]
        return {p: (through[f"{p}_ns"] - direct[f"{p}_ns"]) / 1e6 for p in ("p50", "p99")}
    return measure
