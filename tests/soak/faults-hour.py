#!/usr/bin/env python3
# soak: 0.45
"""A box that is used in every way for $SOAK_SECONDS (3600) while one fault after the other
comes over it, as $SOAK_SEED has it: what was acknowledged is there once, at its place; who
listens is told of every gap; and memory, descriptors and the end are as they should be.

    SOAK_SECONDS=300 SOAK_SEED=7 tests/soak/faults-hour.py
"""

import json
import os
import random
import resource
import signal
import socket
import ssl
import struct
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import crash
from faults import LIBRARY, FaultyBox
from lib import SLOW, WS, Events, cli, comment, eventually, run, test
from tls import make_cert

SECONDS = float(os.environ.get("SOAK_SECONDS", 3600))
SEED = int(os.environ.get("SOAK_SEED", time.time()))
SAMPLE_S = 2
WARM_S = 4  # of a life, before its memory says anything
SLACK_KIB = 24 * 1024
PACE_S = 0.004  # between two signals of a producer

GOOD = [
    "limits: {{body: {body}KiB, behind: 1MiB}}\n",
    "validation: warn\nlimits: {{message: 256KiB}}\n",
    "log: {{level: warn}}\n",
]
BAD = ["lisen: x\n", "journal: {segment: never}\n", "listen: [\n", "auth: {tokens: 5}\n"]
BASE = """\
listen: ['127.0.0.1:0', {{address: '127.0.0.1:0', cert: {cert}, key: {key}}}]
journal: {{segment: 1MiB, keep: 32MiB}}
"""


class ClockedBox(FaultyBox):
    """Its clock on the wall can be put forward and back, and its configuration changed."""

    def __init__(self):
        super().__init__()
        self.listen = []
        self.shift = self.data.with_name("shift")
        self.config = self.data.with_name("box.yaml")
        self.cert, self.key = make_cert(self.data.parent)
        self.write("")
        self.args = ["--config", str(self.config)]

    def write(self, rest):
        self.config.write_text(BASE.format(cert=self.cert, key=self.key) + rest)

    def arm(self, **faults):
        super().arm(**faults)
        clock = LIBRARY.with_name("libclock.so")
        self.env |= {"LD_PRELOAD": f"{LIBRARY}:{clock}", "CLOCK_SHIFT": str(self.shift)}

    def put_clock(self, seconds):
        fresh = self.shift.with_name("shift.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(str(seconds))
        fresh.rename(self.shift)


# --- those who use it ----------------------------------------------------------


class Part(threading.Thread):
    """Comes again whenever the box is gone, until it is over; what is wrong is kept."""

    def __init__(self, box, seed):
        super().__init__(daemon=True)
        self.box, self.rng = box, random.Random(seed)
        self.over = threading.Event()
        self.wrong, self.rounds = None, 0
        self.start()

    def run(self):
        while not self.over.is_set() and self.wrong is None:
            try:
                self.round()
                self.rounds += 1
            except crash.GONE as gone:
                if isinstance(gone, AssertionError) and "closed:" not in str(gone):
                    self.wrong = repr(gone)
            time.sleep(0.02)

    def end(self):
        self.over.set()
        self.join(60 * SLOW)
        assert not self.is_alive(), f"{type(self).__name__} does not end"
        assert self.wrong is None, f"{type(self).__name__}: {self.wrong}"


class Paced(crash.Writer):
    """A writer that is no flood."""

    def _fresh(self):
        time.sleep(PACE_S)
        return super()._fresh()


class PacedPoster(crash.Poster):
    def round(self, box, stop=None):
        super().round(Pacing(box), stop)


class Pacing:
    """A box that a request takes a while to come to."""

    def __init__(self, box):
        self.box = box

    def http(self):
        http = self.box.http()
        send = http.send
        http.send = lambda said: (time.sleep(PACE_S), send(said))
        return http


class Producing(Part):
    def __init__(self, box, seed, writer):
        self.writer = writer
        super().__init__(box, seed)

    def round(self):
        self.writer.round(self.box, self.over)
        assert getattr(self.writer, "fault", None) is None, self.writer.fault


class Watching(Part):
    def __init__(self, box, seed):
        self.watcher = crash.Watcher()
        super().__init__(box, seed)

    def round(self):
        self.watcher.round(self.box, until=lambda: 0 if self.over.is_set() else 1 << 62)
        assert self.watcher.wrong is None, self.watcher.wrong


class SlowlyReading(Part):
    def round(self):
        reader = crash.SlowReader(self.rng.random())
        threading.Timer(self.rng.uniform(0.1, 2), reader.over.set).start()
        reader.round(self.box)
        assert reader.wrong is None, reader.wrong


class Streaming(Part):
    """Server-sent events with Last-Event-ID: no signal twice, none before another."""

    last = None

    def round(self):
        headers = {"Last-Event-ID": self.last} if self.last else {}
        with Events(self.box, headers=headers) as events:
            until = time.monotonic() + self.rng.uniform(0.2, 4)
            while time.monotonic() < until:
                event = events.next()
                if event["event"] != "message" or not event["id"]:
                    continue
                epoch, _, seq = event["id"].partition("-")
                known, _, before = (self.last or "").partition("-")
                # A signal that was lost with the power-on of another epoch may come again.
                assert known != epoch or int(seq) > int(before), (event["id"], self.last)
                self.last = event["id"]


class Screen(Part):
    """What the page does: the stage, prompts, and a look at everything."""

    def round(self):
        with WS(self.box) as ws:
            ws.json()
            ws.send({"op": "subscribe", "stage": True, "prompts": True, "slow": "coalesce"})
            for path in ("/", "/api/status", "/api/runs", "/api/prompts", "/metrics", "/api/show"):
                answer = self.box.request("GET", path)
                assert answer.status in (200, 503), answer
            until = time.monotonic() + self.rng.uniform(0.2, 4)
            while time.monotonic() < until and not self.over.is_set():
                ws.json()


class Dialect(Part):
    path = "/ws/signals"

    def round(self):
        with WS(self.box, self.path) as ws:
            until = time.monotonic() + self.rng.uniform(0.2, 3)
            while time.monotonic() < until and not self.over.is_set():
                json.loads(ws.recv() or "null")


class RunDialect(Dialect):
    path = "/ws/run"


class Asking(Part):
    """Asks, and answers what is asked; each question has one answer at most."""

    asked = 0

    def round(self):
        self.asked += 1
        self.box.request("POST", "/api/signal", {
            "type": "prompt", "source": "asker", "correlationId": f"run-{self.asked % 50}",
            "id": f"ask-{self.asked}",
            "payload": {"id": f"p{self.asked}", "type": "confirm", "prompt": "Go on?"}})
        for prompt in self.box.request("GET", "/api/prompts").json().get("prompts", [])[:5]:
            for value in (True, False):
                answer = self.box.request(
                    "POST", f"/api/prompts/{prompt['id']}/answer", {"value": value})
                assert answer.status in (200, 404, 409, 410, 503, 507), answer
        time.sleep(self.rng.uniform(0, 0.2))


class Stalling(Part):
    """Asks for everything, reads nothing, and leaves with a reset."""

    def round(self):
        near = self.box.connect(unix=False, receive_buffer=2048)
        with near:
            near.sendall(b"GET /api/stream?after=0 HTTP/1.1\r\nHost: localhost:%d\r\n\r\n"
                         % self.box.port)
            self.over.wait(self.rng.uniform(0.1, 3))
            near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Secure(Part):
    """The stream through TLS, read or not, and left without a good-bye."""

    def round(self):
        port = int(self.box.addresses[1].rpartition(":")[2])
        context = ssl.create_default_context(cafile=self.box.cert)
        with socket.create_connection(("127.0.0.1", port), 10) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as near:
                near.sendall(b"GET /api/stream?after=0 HTTP/1.1\r\nHost: localhost:%d\r\n\r\n"
                             % port)
                until = time.monotonic() + self.rng.uniform(0.1, 3)
                assert near.recv(12) == b"HTTP/1.1 200", "closed: at once"
                while time.monotonic() < until and near.recv(self.rng.choice([10, 65536])):
                    pass


# --- what comes over it ----------------------------------------------------------


class Faults:
    def __init__(self, box, rng):
        self.box, self.rng = box, rng
        self.counts = {}
        self.kinds = [self.kill, self.kill, self.restart, self.good_config, self.bad_config,
                      self.disk, self.disk, self.disk, self.clock, self.descriptors, self.pause]

    def arm(self):
        call = self.rng.choice(["write", "sync", "open", "any", "rename"])
        how = self.rng.choice(["EIO", "ENOSPC"] + ["short"] * (call == "write"))
        self.box.arm(FAIL=f"{call}:%{self.rng.randrange(1, 6)}:{how}",
                     SLOW=self.rng.choice([0, 0, 30]), SEED=self.rng.randrange(1 << 30))

    def one(self):
        kind = self.rng.choice(self.kinds)
        self.counts[kind.__name__] = self.counts.get(kind.__name__, 0) + 1
        kind()
        assert self.box.alive(), f"after {kind.__name__}:\n{self.box.log()[-4000:]}"

    def start(self):
        self.arm()
        self.box.start(within=60 * SLOW)
        self.began = time.monotonic()

    def kill(self):
        if self.rng.random() < 0.3:
            self.box.fail()
            time.sleep(self.rng.uniform(0, 0.3))
        self.box.kill9()
        self.start()

    def restart(self):
        code = self.box.stop()
        assert code == 0, f"ended with {code}:\n{self.box.log()[-4000:]}"
        self.start()

    def reload(self, rest, words):
        done = self.box.log().count(words)
        self.box.write(rest)
        os.kill(self.box.pid, signal.SIGHUP)
        eventually(lambda: self.box.log().count(words) > done, 20 * SLOW)

    def good_config(self):
        rest = self.rng.choice(GOOD).format(body=self.rng.randrange(64, 2048))
        quiet = "level: warn" in rest
        if quiet:  # it says nothing then, also of the next ones
            self.box.write(rest)
            os.kill(self.box.pid, signal.SIGHUP)
            time.sleep(0.3)
            self.box.write("")
            os.kill(self.box.pid, signal.SIGHUP)
            time.sleep(0.3)
            return
        self.reload(rest, "was read again")

    def bad_config(self):
        self.reload(self.rng.choice(BAD), "all stays as it was")
        self.box.write("")

    def disk(self):
        self.box.fail()
        time.sleep(self.rng.uniform(0.1, 2))
        self.box.mend()

    def clock(self):
        self.box.put_clock(self.rng.choice([0, 3600, -3600, 86400, -5, 60]))

    def descriptors(self):
        """Next to none are left for a while."""
        soft, hard = resource.prlimit(self.box.pid, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{self.box.pid}/fd"))
        resource.prlimit(self.box.pid, resource.RLIMIT_NOFILE, (used + 2, hard))
        time.sleep(self.rng.uniform(0.1, 1.5))
        resource.prlimit(self.box.pid, resource.RLIMIT_NOFILE, (soft, hard))

    def pause(self):
        os.kill(self.box.pid, signal.SIGSTOP)
        time.sleep(self.rng.uniform(0.1, 1))
        os.kill(self.box.pid, signal.SIGCONT)


# --- what must hold --------------------------------------------------------------


def own_kib(box):
    with open(f"/proc/{box.pid}/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith("RssAnon")).split()[1])


def check_memory(samples):
    """The last third is as the first was; a leak shows in an hour."""
    if len(samples) < 6 and SECONDS < 60:
        comment(f"only {len(samples)} looks at its memory: it says nothing")
        return
    assert len(samples) >= 6, f"only {len(samples)} looks at its memory"
    third = len(samples) // 3
    first, last = sorted(samples[:third]), sorted(samples[-third:])
    first, last = first[len(first) // 2], last[len(last) // 2]
    comment(f"memory: {first} KiB, in the end {last} KiB, at most {max(samples)} KiB")
    assert last < first * 1.5 + SLACK_KIB, samples


def check_signals(ledger, watcher, history):
    """Each that was acknowledged is where it was said to be, once."""
    kept = {s["seq"]: s["id"] for s in history}
    first = min(kept)
    assert sorted(kept) == list(range(first, first + len(kept))), "seqs have a hole"
    place = {}
    for seq, id_ in {**watcher.seen, **kept}.items():
        assert id_ not in place, f"{id_} is there as {place[id_]} and as {seq}"
        place[id_] = seq
    missing = [(i, s) for i, s in ledger.acked.items()
               if place.get(i) != s and (s >= first or i in place)]
    assert not missing, f"acknowledged, and not there: {missing[:3]} of {len(missing)}"
    seen = sum(seq in watcher.seen for seq in ledger.acked.values())
    comment(f"{len(ledger.acked)} acknowledged, {seen} of them seen live, {first} is the oldest")


def check_prompts(history):
    answers = {}
    for s in history:
        if s["type"] == "answer":
            answers.setdefault(s["payload"]["prompt"], []).append(s["seq"])
    twice = {i: s for i, s in answers.items() if len(s) > 1}
    assert not twice, f"answered twice: {list(twice.items())[:3]}"
    return len(answers)


def descriptors(box):
    return len(os.listdir(f"/proc/{box.pid}/fd"))


def live(box, faults, parts, until):
    samples = []
    while time.monotonic() < until:
        faults.one()
        for part in parts:
            assert part.wrong is None, f"{type(part).__name__}: {part.wrong}"
        time.sleep(faults.rng.uniform(0.2, SAMPLE_S))
        if time.monotonic() - faults.began > WARM_S:
            samples.append(own_kib(box))
    return samples


@test(f"for {SECONDS:g} s of faults nothing acknowledged is lost, and nothing leaks")
def _():
    comment(f"SOAK_SEED={SEED}")
    rng = random.Random(SEED)
    box, ledger = ClockedBox(), crash.Ledger()
    faults = Faults(box, rng)
    faults.start()
    idle = descriptors(box)
    writers = [Paced("a", ledger), Paced("b", ledger, 200), PacedPoster("c", ledger)]
    producing = [Producing(box, rng.random(), w) for w in writers]
    watching = Watching(box, rng.random())
    others = [kind(box, rng.random()) for kind in (
        SlowlyReading, SlowlyReading, Streaming, Screen, Screen, Dialect, RunDialect, Asking,
        Stalling, Stalling, Secure)]
    try:
        samples = live(box, faults, [*producing, watching, *others],
                       time.monotonic() + SECONDS)
        box.mend()
        for part in (*others, *producing):
            part.end()
        history = box.history()
        last = max(s["seq"] for s in history)
        eventually(lambda: max(watching.watcher.seen, default=0) >= last, 60 * SLOW)
        watching.over.set()
        box.emit("the end")  # for who waits for a signal
        watching.end()
        comment(f"faults: {faults.counts}")
        comment("rounds: " + ", ".join(f"{type(p).__name__} {p.rounds}" for p in others))
        assert all(part.rounds for part in others), "somebody never came through"
        check_signals(ledger, watching.watcher, history)
        comment(f"{check_prompts(history)} prompts answered")
        check_memory(samples)
        eventually(lambda: descriptors(box) <= idle + 2, 20 * SLOW)
        assert box.stop() == 0
    except BaseException:
        comment(box.log()[-6000:])
        raise
    verified = cli("journal", "verify", "--data", box.data, timeout=600)
    assert verified.code == 0, verified


run()
