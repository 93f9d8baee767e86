"""Writers and watchers for tests that take the server away from under them.

A Ledger remembers every acknowledgement.  Writers emit signals with ids of their
own, remember what was not acknowledged, and send exactly that again when the
server is back.  A Watcher follows the stream over all restarts by its last
position.  After the last restart check() holds the journal against all of it.
"""

import json
import random
import threading
import time

from lib import Closed, Refused, WS, eventually, request_bytes

GONE = (OSError, Closed, Refused, AssertionError)


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.acked = {}

    def ack(self, id_, seq):
        with self.lock:
            known = self.acked.setdefault(id_, seq)
        assert known == seq, f"{id_} was acknowledged as {known} and as {seq}"

    def wait_for(self, more):
        """Until so many more are acknowledged, however slow the disk is."""
        wanted = len(self.acked) + more
        eventually(lambda: len(self.acked) >= wanted, every=0.002)


class Writer:
    """Keeps `outstanding` durable emits in flight on one WebSocket."""

    def __init__(self, name, ledger, outstanding=32):
        self.name, self.ledger, self.most = name, ledger, outstanding
        self.made = 0
        self.open = {}  # ref -> the text of the emit
        self.fault = None

    def _fresh(self):
        self.made += 1
        ref = f"{self.name}-{self.made}"
        signal = {"type": "t", "source": self.name, "id": ref,
                  "payload": {"n": self.made, "pad": "p" * (self.made * 37 % 900)}}
        self.open[ref] = json.dumps({"op": "emit", "ref": ref, "signal": signal})
        return self.open[ref]

    def round(self, box, stop=None):
        """Writes until the server is gone or stop is set; then all are answered."""
        try:
            with WS(box) as ws:
                ws.json()
                for text in list(self.open.values()):
                    ws.send(text)
                while self.open or not (stop and stop.is_set()):
                    while len(self.open) < self.most and not (stop and stop.is_set()):
                        ws.send(self._fresh())
                    if self.open:
                        self._answer(ws.json())
        except GONE as gone:
            if stop and stop.is_set():
                self.fault = gone

    def _answer(self, said):
        if said["op"] != "ack":
            # The disk is full or failing: it will be sent again.
            assert said["op"] == "error" and said["code"] == "unavailable", said
            raise Closed(said)
        self.ledger.ack(said["ref"], said["seq"])
        self.open.pop(said["ref"], None)


class Poster:
    """Posts one signal after the other, each until it is acknowledged."""

    def __init__(self, name, ledger):
        self.name, self.ledger = name, ledger
        self.made, self.text = 0, None

    def round(self, box, stop=None):
        try:
            http = box.http()
            while not (stop and stop.is_set()):
                if self.text is None:
                    self.made += 1
                    id_ = f"{self.name}-{self.made}"
                    # No timestamp: the server fills it, and a retry is still the same.
                    self.text = json.dumps({"type": "p", "source": self.name, "id": id_})
                http.send(request_bytes("POST", "/api/signal", self.text))
                answer = http.answer()
                if answer.status != 200:
                    assert answer.status == 507, answer
                    return
                self.ledger.ack(answer.json()["id"], answer.json()["seq"])
                self.text = None
        except GONE:
            pass


class Watcher:
    """What it has seen, by seq, as one who believes every gap."""

    def __init__(self):
        self.seen = {}
        self.position = 0
        self.losses = 0
        self.told = 0  # up to here a gap was told since the last signal
        self.wrong = None

    def round(self, box, stop=None, until=None):
        try:
            with WS(box) as ws:
                self.epoch = ws.json()["epoch"]
                ws.send({"op": "subscribe", "after": self.position})
                while until is None or len(self.seen) < until():
                    self._hear(ws.json())
        except GONE:
            pass

    def _hear(self, said):
        if said.get("op") == "gap":
            if said["why"] == "lost":
                self.losses += 1
                self.told = said["to"]
                self.seen = {s: i for s, i in self.seen.items() if s < said["from"]}
            return
        seq = said["seq"]
        if self.seen and seq not in (max(self.seen) + 1, self.told + 1):
            self.wrong = f"{seq} after {max(self.seen)}"
        self.told = 0
        self.seen[seq] = said["id"]
        self.position = f"{self.epoch}-{seq}"


class SlowReader:
    """Joins anywhere with any policy and reads in fits and starts; what it gets must
    be whole frames, in order, with a gap for each hole."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.over = threading.Event()
        self.wrong = None

    def round(self, box, stop=None):
        try:
            self._read(box)
        except (OSError, Closed, Refused):
            pass
        except Exception as error:
            # A close is a good end; everything else that is not understood is not.
            if "closed:" not in str(error):
                self.wrong = repr(error)

    def _read(self, box):
        size = self.rng.choice([2048, 8192, None])
        with WS(box, receive_buffer=size) as ws:
            now = ws.json()["seq"]
            last = self.rng.choice([0, now, self.rng.randrange(now + 1)])
            policy = self.rng.choice(["resume", "drop", "disconnect"])
            ws.send({"op": "subscribe", "after": last, "slow": policy})
            while not self.over.is_set():
                if self.rng.random() < 0.02:
                    time.sleep(self.rng.uniform(0, 0.05))
                last = self._hear(ws.json(), last)

    @staticmethod
    def _hear(said, last):
        if said.get("op") == "gap":
            assert said["from"] == last + 1, f"{said} after {last}"
            return said["to"]
        # After 0 is everything there is, wherever that begins.
        assert said["seq"] == last + 1 or last == 0, f"{said['seq']} after {last}"
        return said["seq"]


def together(parts, box, stop=None):
    threads = [threading.Thread(target=p.round, args=(box, stop)) for p in parts]
    for thread in threads:
        thread.start()
    return threads


def check(box, ledger, writers=(), torn=False):
    """Every acknowledged signal once, at its seq; seqs without a hole, or, where commits
    may have been torn, with holes that are told."""
    for writer in writers:
        assert writer.fault is None, writer.fault
        assert not getattr(writer, "open", None), f"{writer.name}: {len(writer.open)} unanswered"
    told = box.history()
    history = [s for s in told if "seq" in s]
    gaps = [s for s in told if s.get("op") == "gap"]
    assert torn or not gaps, gaps
    assert all(gap["why"] == "lost" for gap in gaps), gaps
    seqs = [n for g in gaps for n in range(g["from"], g["to"] + 1)] + [s["seq"] for s in history]
    assert sorted(seqs) == list(range(1, len(seqs) + 1)), "seqs have a hole"
    by_id = {}
    for signal in history:
        by_id.setdefault(signal["id"], []).append(signal["seq"])
    for id_, seq in ledger.acked.items():
        assert by_id.get(id_) == [seq], f"{id_} was acknowledged as {seq}, and is {by_id.get(id_)}"
    twice = {i: s for i, s in by_id.items() if len(s) > 1}
    assert not twice, f"stored twice: {list(twice.items())[:3]}"
    return history
