"""Sessions at work: what it takes of a processor to know what each of them does."""

import http.client
import json
import time

from servers import Failure

SESSIONS = 200
FOLDS = ("sums-load", "sums-save", "sums-hours")


def session(n):
    return f"5b5094d4-77b4-43c8-9ceb-{n:012}"


def begin(n):
    return {"type": "session.facts", "source": "adapter:tap", "correlationId": session(n),
            "payload": {"cwd": f"/home/ada/project-{n % 12}", "harness": "claude-code",
                        "title": f"Task {n}", "model": "claude-opus-5-5"}}


def work(n, second):
    """One thing a second: a call of a tool, its result, or words; and what the words cost."""
    base = {"source": "adapter:tap", "correlationId": session(n),
            "metadata": {"cwd": f"/home/ada/project-{n % 12}"}}
    call = {"agentId": "claude", "toolName": "Bash", "callId": f"toolu_{n}_{second // 3}"}
    if second % 3 == 0:
        return [{**base, "type": "tool_call", "payload": {**call, "args": {"command": "make test"}}}]
    if second % 3 == 1:
        return [{**base, "type": "tool_result", "payload": {**call, "success": True, "result": "ok\n" * 100}}]
    return [{**base, "type": "text_delta",
             "payload": {"agentId": "claude", "content": "It is done, and all tests pass. " * 8}},
            {**base, "type": "token_usage",
             "payload": {"agentId": "claude", "promptTokens": 1200, "completionTokens": 80,
                         "cacheReadTokens": 90000, "model": "claude-opus-5-5",
                         "responseId": f"msg_{n}_{second}"}}]


class Line:
    """A connection that stays, for signals."""

    def __init__(self, server):
        token = (server.data / "token").read_text().strip()
        self.client = http.client.HTTPConnection("127.0.0.1", server.port)
        self.head = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}

    def post(self, signals):
        self.client.request("POST", "/api/signal", "".join(json.dumps(s) + "\n" for s in signals), self.head)
        told = json.loads(self.client.getresponse().read())
        if told["accepted"] != len(signals):
            raise Failure(f"not all were taken: {told}")

    def work_for(self, count, seconds):
        """Each session in its own moment of the second."""
        begun, done, sent = time.monotonic(), 0, 0
        while (now := time.monotonic() - begun) < seconds:
            due = []
            while done < now * count:
                due += work(done % count, done // count)
                done += 1
            if due:
                self.post(due)
                sent += len(due)
            time.sleep(0.01)
        return sent


def at_work(bench, side):
    """All threads of the box, and all that it does with a signal: it is admitted, kept and folded."""
    count = bench.few(SESSIONS)
    spent = 0.2 if bench.tiny else max(bench.ms, 5000) / 1000
    with bench.running(side) as server:
        line = Line(server)
        line.post([begin(n) for n in range(count)])
        server.wait(lambda: len(server.get("/api/crew")["members"]) == count)
        line.work_for(count, spent / 5)
        begun, cpu = time.monotonic(), server.cpu_ns()
        sent = line.work_for(count, spent)
        cpu, took = server.cpu_ns() - cpu, time.monotonic() - begun
    return {"core": cpu / took / 1e7, "rate": sent / took}


def sums(micro):
    """Milliseconds of a year of sums."""
    def measure(bench, side):
        return {name: micro(name)(bench, side)[name] / 1e6 for name in FOLDS}
    return measure
