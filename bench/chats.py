"""Chats: replies that grow in messages of a platform, and messages that wait for one."""

import contextlib
import http.client
import json
import pathlib
import tempfile
import time

from chat_platform import TOKEN, Platform
from crew import Line
from servers import Failure, START_S, free_port

BOTS, CHATS = 50, 20    # a bot sends thirty messages a second, so that one has not all chats
TOKENS = 50             # a second of each reply
REPLY_S = 10
THROTTLE_S = 1          # between two edits
SLICE_S = 0.002
WAITING, ACCOUNTS = 10_000, 10
NOTE = "/help"          # is answered by the box


def write_settings(own, port, count, upstream=None):
    """So many bots, each with a model of its own."""
    for n in range(count):
        (own / f"bot{n}").write_text(f"{n}:bench\n")
        (own / f"bot{n}").chmod(0o600)
    sources = "".join(f"  - {{id: model{n}, url: 'http://127.0.0.1:{upstream}', protocol: openai, "
                      f"model: bench-model-a}}\n" for n in range(count)) if upstream else " []\n"
    adapters = "".join(f"  bot{n}: {{channel: telegram, agent: model{n}, url: 'http://127.0.0.1:{port}', "
                       f"credential_file: {own}/bot{n}, streaming: {{mode: draft_edit}}}}\n" for n in range(count))
    (own / "more.yaml").write_text(
        "sources:" + ("\n" if upstream else "") + sources + "adapters:\n" + adapters
        + "deliver: {gather: 0}\n"
        "people: [{name: Ada, relationship: owner, identities: ['telegram:7']}]\n")


def memory(server):
    """Its own, in megabytes: not the program's text."""
    with open(f"/proc/{server.pid}/status", encoding="ascii") as file:
        return sum(int(line.split()[1]) * 1024 for line in file
                   if line.startswith(("RssAnon:", "RssShmem:"))) / 1e6


def history(server, kind):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
    client.request("GET", f"/api/signals?format=ndjson&after=0&type={kind}", headers={
        "Authorization": f"Bearer {server.token()}"})
    text = client.getresponse().read()
    client.close()
    return [json.loads(line) for line in text.splitlines()]


class Speaker:
    """Says the tokens of all replies in time. Each begins a moment after the one before it."""

    def __init__(self, server, runs):
        self.line = Line(server)
        self.runs = runs  # chat and run of each
        self.said = [0] * len(runs)
        self.times = [[] for _ in runs]
        self.words = ['{"type":"text_delta","source":"%s","correlationId":"%s","payload":{"agentId":"%s",'
                      '"content":"%%s"}}\n' % (agent, run, agent) for _, run, agent in runs]

    def due(self, n, now, count):
        return min(count, max(0, int((now - n / len(self.runs)) * TOKENS)))

    def slice(self, now, count):
        lines, at = [], time.monotonic()
        for n, words in enumerate(self.words):
            for token in range(self.said[n], self.due(n, now, count)):
                lines.append(words % TOKEN.format(token))
                self.times[n].append(at)
                self.said[n] += 1
        if lines:
            self.post("".join(lines), len(lines))

    def post(self, text, count):
        self.line.client.request("POST", "/api/signal", text, self.line.head)
        told = json.loads(self.line.client.getresponse().read())
        if told["accepted"] != count:
            raise Failure(f"not all were taken: {told}")

    def speak(self, count, begun, until):
        while (now := time.monotonic() - begun) < until:
            self.slice(now, count)
            time.sleep(SLICE_S)
        self.slice(until, count)

    def end(self):
        self.post("".join(json.dumps({"type": "completion", "source": agent, "correlationId": run, "payload": {
            "agentId": agent, "taskId": run, "success": True}}) + "\n" for _, run, agent in self.runs),
            len(self.runs))


def begin(server, platform, count):
    """Everybody asks, and every agent is asked."""
    server.wait(lambda: platform.bots == len([s for s in server.get("/api/sources")["sources"]
                                              if s["state"] == "connected" and s["category"] == "remote"])
                and len(platform.waiting) == platform.bots)
    platform.write()
    server.wait(lambda: len(history(server, "task_dispatch")) == count)
    return [(int(s["payload"]["peer"]), s["payload"]["request"],
             s["payload"]["account"].replace("bot", "model")) for s in history(server, "nex.received")]


def missing(platform, speaker):
    """Of each edit but the last: how long ago the oldest token was said that it has not, in ms."""
    late = []
    for n, (chat, _, _) in enumerate(speaker.runs):
        times = speaker.times[n]
        late += [max(0, at - times[has]) * 1000 for at, has in platform.replies[chat].changes
                 if has < len(times)]
    return sorted(late)


def share(platform, speaker):
    """Requests for a reply, as a share of what it may have: its duration / throttle + 2. The most of all."""
    return max(platform.replies[chat].count()
               / ((platform.replies[chat].changes[-1][0] - speaker.times[n][0]) / THROTTLE_S + 2)
               for n, (chat, _, _) in enumerate(speaker.runs))


@contextlib.contextmanager
def answering(bench, side, bots, chats):
    own = pathlib.Path(tempfile.mkdtemp(dir=bench.everything))
    with bench.pinned(1), Platform(bots, chats) as platform, bench.upstream(0) as upstream:
        write_settings(own, platform.port, bots, upstream)
        with bench.running(side, own=own, form="more") as server:
            yield server, platform, Speaker(server, begin(server, platform, bots * chats))


def replies(bench, side):
    """The processor of all threads while all replies grow, for as many tokens as there should be in a
    second; what the platform was asked for each."""
    bots, chats = (2, 3) if bench.tiny else (BOTS, CHATS)
    length = 1.5 if bench.tiny else REPLY_S
    count = int(length * TOKENS)
    with answering(bench, side, bots, chats) as (server, platform, speaker):
        begun = time.monotonic()
        speaker.speak(count, begun, 1)
        cpu, before = server.cpu_ns(), sum(speaker.said)
        speaker.speak(count, begun, length)
        cpu, said = server.cpu_ns() - cpu, sum(speaker.said) - before
        held = memory(server)
        speaker.speak(count, begun, length + 1.1)
        speaker.end()
        server.wait(lambda: all(platform.replies[chat].tokens() == count for chat, _, _ in speaker.runs))
        late = missing(platform, speaker)
        asked = sum(platform.replies[chat].count() for chat, _, _ in speaker.runs)
        most_share = share(platform, speaker)
    seconds = said / TOKENS / len(speaker.runs)
    return {"core": cpu / seconds / 1e7, "mb": held, "share": most_share,
            "requests": asked / len(speaker.runs), "lines": platform.lines,
            "late": max(late[len(late) * 99 // 100] if late else 0, 0.001)}


# ---- a platform that is away ----

def ask_box(server, account, count):
    """So many messages for an account, each of another person, that the box answers itself."""
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
    head = {"Authorization": f"Bearer {server.token()}", "Content-Type": "application/json"}
    for peer in range(count):
        client.request("POST", "/api/messages", json.dumps(
            {"channel": account, "peer": str(peer + 1), "text": NOTE}), head)
        answer = client.getresponse()
        if answer.status != 200:
            raise Failure(f"a message was answered {answer.status}: {answer.read()}")
        answer.read()
    client.close()


def waiting_in(server):
    return len([one for one in server.get("/api/deliveries")["deliveries"]
                if one["state"] in ("prepared", "queued", "started", "unknown")])


def crash(server):
    server.process.kill()
    server.process.wait()


def away(bench, side):
    """Messages for accounts whose server nobody reaches: what they hold, and what a start has of them."""
    own = pathlib.Path(tempfile.mkdtemp(dir=bench.everything))
    each = bench.few(WAITING) // ACCOUNTS
    write_settings(own, free_port(), ACCOUNTS)
    with bench.running(side, own=own, form="more") as server:
        crash(server)
    with bench.running(side, own=own, form="more") as server:
        none, none_cpu, before = server.started_ms, server.cpu_ns(), memory(server)
        for n in range(ACCOUNTS):
            ask_box(server, f"bot{n}", each)
        server.wait(lambda: waiting_in(server) == ACCOUNTS * each)
        held = memory(server) - before
        crash(server)
    with bench.running(side, own=own, form="more") as server:
        start, start_cpu = server.started_ms, server.cpu_ns()
        if waiting_in(server) != ACCOUNTS * each:
            raise Failure("the crash lost some")
    return {"mb": max(held, 0.001), "ms": max(start - none, 0.001),
            "cpu": max(start_cpu - none_cpu, 1) / 1e6}
