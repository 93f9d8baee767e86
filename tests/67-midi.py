#!/usr/bin/env python3
"""MIDI ports through JACK: a real server with its dummy driver, a keyboard that is
plugged in and out, and a server that dies.
"""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lib import PATIENCE_S, SIGNALBOX, SLOW, Box, at_last, eventually, in_time, run, temp_dir, test

KEYS = Path(__file__).with_name("midi_keys.py")
LATE = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "liblate.so"
PATIENCE = 2 * PATIENCE_S  # jackd is slow to start on a busy machine


class Jack:
    """A server of our own.  There is room for eight names on a machine, and one that
    was killed keeps its place until another of the same name comes: so the name is
    always the same, and whoever else tests here waits."""

    name = "signalbox-test"
    env = {"JACK_DEFAULT_SERVER": name}
    turn = None

    def __init__(self):
        if not Jack.turn:
            Jack.turn = open(Path(tempfile.gettempdir()) / "signalbox-test-jack.lock", "w")
            fcntl.flock(Jack.turn, fcntl.LOCK_EX)
        self.log = temp_dir() / "jackd.log"
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ["jackd", "--no-realtime", "--name", self.name, "-d", "dummy", "-p", "1024"],
            stdin=subprocess.DEVNULL, stdout=self.log.open("ab"), stderr=subprocess.STDOUT)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return Keys(self, "probe").close()
            except AssertionError:
                assert time.monotonic() < end, f"no jackd:\n{self.log.read_text()}"
                assert self.process.poll() is None, f"jackd ended:\n{self.log.read_text()}"
                time.sleep(0.1)

    def end(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.end()


class Keys:
    def __init__(self, jack, client="keys"):
        self.process = subprocess.Popen(
            [sys.executable, str(KEYS), client], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env={**os.environ, **jack.env})
        self._heard()

    def _heard(self):
        assert self.process.stdout.readline() == "ok\n", "the keyboard failed"

    def do(self, *words):
        self.process.stdin.write("\t".join(words) + "\n")
        self.process.stdin.flush()
        self._heard()

    def plug(self, name):
        self.do("plug", name)

    def unplug(self, name):
        self.do("unplug", name)

    def send(self, name, *hex):
        self.do("send", name, *hex)

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """A server waits long for clients that are gone without a word."""
        try:
            self.process.communicate(timeout=2)
        except (subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.wait()


def midi_sources(box):
    answer = box.request("GET", "/api/sources").json()["sources"]
    return {s["name"]: s for s in answer if s["protocol"] == "midi"}


def in_state(box, name, state):
    return eventually(lambda: (s := midi_sources(box).get(name)) and s["state"] == state and s,
                      PATIENCE)


def connect(box, name):
    id = in_state(box, name, "disconnected")["id"]
    answer = box.request("POST", f"/api/sources/{id}/connect", {})
    assert answer.status == 200, answer
    return in_state(box, name, "connected")


def heard(box, type, n=1):
    return eventually(lambda: (s := box.history(f"&type={type}")) and len(s) >= n and s, PATIENCE)


def box_at(jack, **env):
    return Box(env={"SIGNALBOX_DISCOVER_INTERVAL": "1h", **jack.env, **env})


@test("what is played on a port becomes signals, running status and all")
def _():
    with Jack() as jack, Keys(jack) as keys:
        keys.plug("out one")
        with box_at(jack) as box:
            source = in_state(box, "out one", "disconnected")
            assert source["id"].startswith("local:midi:keys-out-one-"), source
            assert source["url"].startswith("midi://keys/out%20one/keys-out-one-"), source
            assert source["category"] == "local" and source["models"] == [], source
            source = connect(box, "out one")
            keys.send("out one", "903c40")
            on = heard(box, "midi.note_on")[0]
            assert on["payload"] == {"channel": 1, "note": 60, "velocity": 64,
                                     "raw": [144, 60, 64]}, on
            assert on["source"] == source["id"], on
            for hex in ("3e41", "4000", "e00060", "b1077f", "c505", "d009", "f8", "f07e7ff7", "913c00"):
                keys.send("out one", hex)
            heard(box, "midi.note_off", 2)
            payloads = [(s["type"], {k: v for k, v in s["payload"].items() if k != "raw"})
                        for s in box.history() if s["type"].startswith("midi.")]
            assert payloads == [
                ("midi.note_on", {"channel": 1, "note": 60, "velocity": 64}),
                ("midi.note_on", {"channel": 1, "note": 62, "velocity": 65}),
                ("midi.note_off", {"channel": 1, "note": 64, "velocity": 0}),
                ("midi.pitch_bend", {"channel": 1, "value": 4096}),
                ("midi.control_change", {"channel": 2, "controller": 7, "value": 127}),
                ("midi.program_change", {"channel": 6, "program": 5}),
                ("midi.aftertouch", {"channel": 1, "pressure": 9}),
                ("midi.note_off", {"channel": 2, "note": 60, "velocity": 0}),
            ], payloads
            listed = box.request("GET", "/api/discover/local").json()["midi"]
            assert [m["url"] for m in listed] == [source["url"]] and listed[0]["available"], listed


@test("ports come and go, and one that was connected is connected again")
def _():
    with Jack() as jack, Keys(jack) as keys, box_at(jack) as box:
        keys.plug("a")
        connect(box, "a")
        keys.plug("b")
        in_state(box, "b", "disconnected")
        keys.unplug("b")
        in_state(box, "b", "unavailable")
        assert midi_sources(box)["a"]["state"] == "connected", "nobody touched it"
        keys.unplug("a")
        gone = in_state(box, "a", "unavailable")
        assert "went away" in gone["lastError"], gone
        keys.plug("a")
        in_state(box, "a", "connected")
        keys.send("a", "903c40")
        heard(box, "midi.note_on")
        answer = box.request("POST", f"/api/sources/{midi_sources(box)['b']['id']}/connect", {})
        assert answer.status == 200
        assert "not there" in eventually(lambda: midi_sources(box)["b"]["error"])
        keys.plug("b")
        in_state(box, "b", "connected")


@test("a port whose program ended is unavailable, and comes back with it")
def _():
    with Jack() as jack, box_at(jack) as box:
        def ends(how):
            """It plays one note, and is gone within two seconds of its program."""
            keys = Keys(jack)
            keys.plug("a")
            in_state(box, "a", "connected")
            before = len(box.history("&type=midi.note_on"))
            keys.send("a", "903c40")
            heard(box, "midi.note_on", before + 1)
            began = time.monotonic()
            how(keys)
            gone = in_state(box, "a", "unavailable")
            in_time(time.monotonic() - began < 2 * SLOW, f"{how.__name__} is not seen")
            assert "went away" in gone["error"], gone

        with Keys(jack) as keys:
            keys.plug("a")
            connect(box, "a")
        in_state(box, "a", "unavailable")
        at_last(lambda: ends(Keys.close))
        at_last(lambda: ends(Keys.kill))
        before = len(box.history("&type=midi.note_on"))
        with Keys(jack) as keys:
            keys.plug("a")
            in_state(box, "a", "connected")
            keys.send("a", "907f40")
            heard(box, "midi.note_on", before + 1)
        states = [(s["payload"]["from"], s["payload"]["to"])
                  for s in box.history("&type=source.state&limit=1000")
                  if s["payload"]["sourceId"].startswith("local:midi:")]
        assert ("connected", "error") not in states, states


@test("a port that somebody named comes by itself, before and after it is there")
def _():
    with Jack() as jack, box_at(jack) as box:
        def named():
            return next(s for s in box.request("GET", "/api/sources").json()["sources"]
                        if s["id"] == "mine")

        added = box.request("POST", "/api/sources", {"id": "mine", "url": "midi://keys/a/keys%3Aa"})
        assert added.status == 201, added
        for n in (1, 2):
            gone = eventually(lambda: (s := named())["state"] == "unavailable" and s, PATIENCE)
            assert ("not there" if n == 1 else "went away") in gone["error"], gone
            with Keys(jack) as keys:
                keys.plug("a")
                eventually(lambda: named()["state"] == "connected", PATIENCE)
                keys.send("a", "903c40")
                heard(box, "midi.note_on", n)


@test("of what is played while there is no room the newest is kept, and the rest is counted")
def _():
    def limit(rate):
        (box.data / "c.yaml").write_text(f"listen: ['127.0.0.1:0']\nlimits: {{rate: {rate}}}\n")

    def played():
        payloads = [s["payload"] for s in box.history("&type=midi.note_on")]
        return [p["note"] + 128 * (p["velocity"] - 1) for p in payloads]

    total, kept = 1500, 1024
    with Jack() as jack, Keys(jack) as keys:
        keys.plug("a")
        box = box_at(jack)
        box.listen, box.args = [], ["--config", str(box.data / "c.yaml")]
        box.data.mkdir(mode=0o700, parents=True)
        limit(1)
        with box:
            connect(box, "a")
            # The status is in the first of them only.
            keys.send("a", "900001", *(f"{n % 128:02x}{n // 128 + 1:02x}" for n in range(1, total)))
            source = eventually(lambda: (s := midi_sources(box)["a"])["dropped"] >= total - kept - 10 and s)
            assert source["state"] == "connected" and source["badFrames"] == 0, source
            assert "the oldest that waited was dropped" in source["lastError"], source
            limit(0)
            os.kill(box.pid, signal.SIGHUP)
            heard = eventually(lambda: (p := played()) and p[-1] == total - 1 and p)
            assert heard[-kept:] == list(range(total - kept, total)), heard
            assert heard == sorted(heard) and heard[0] == 0, heard
            source = midi_sources(box)["a"]
            assert source["dropped"] == total - len(heard) and source["connects"] == 1, source


@test("a server that dies makes its ports unavailable, and nothing else of the box")
def _():
    with Jack() as jack:
        with Keys(jack) as keys, box_at(jack) as box:
            keys.plug("a")
            connect(box, "a")
            jack.end(signal.SIGKILL)
            in_state(box, "a", "unavailable")
            box.emit("still.here")
            keys.kill()
            jack.start()
            with Keys(jack) as others:
                others.plug("a")
                in_state(box, "a", "connected")
        assert "jack" not in box.log().lower().replace("jack server went away", ""), box.log()


@test("where no server runs there are no ports, no noise and no hurry")
def _():
    jack = Jack()
    with box_at(jack) as box:
        def rescan():
            before = time.monotonic()
            answer = box.request("POST", "/api/discover/rescan")
            assert answer.status == 200 and answer.json()["midi"] == [], answer
            in_time(time.monotonic() - before < 2 * SLOW, "it hesitates")

        at_last(rescan)
        assert midi_sources(box) == {}
        added = box.request("POST", "/api/sources", {"id": "m", "url": "midi://x/y/z"})
        assert added.status == 201, added
        eventually(lambda: "no JACK server" in (
            box.request("GET", "/api/sources").json()["sources"][-1]["error"] or ""))
        bad = box.request("POST", "/api/sources", {"id": "n", "url": "midi://x/y"})
        assert bad.status == 201, bad
        eventually(lambda: "midi://MAKER/NAME/PORT" in (
            box.request("GET", "/api/sources").json()["sources"][-1]["error"] or ""))
        lines = [line for line in box.log().splitlines() if " source: " not in line]
        assert len(lines) == 1, lines


@test("a box lives on while no server runs and JACK's own threads are late")
def _():
    # Two seconds are what JACK does not wait for: see tests/preload/late.c.
    assert LATE.exists(), f"{LATE} is not built: meson configure -Dtests=true"
    address = f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0"
    with box_at(Jack(), LD_PRELOAD=str(LATE), ASAN_OPTIONS=address) as box:
        eventually(lambda: box.request("POST", "/api/discover/rescan").json()["midi"] == [])
        until = time.monotonic() + 4
        while time.monotonic() < until:
            assert box.process.poll() is None, f"it ended with {box.process.returncode}"
            time.sleep(0.1)
        box.emit("still.here")


run()
