#!/usr/bin/env python3
"""The desktop: what matters is shown on the session bus, once, and taken back when it is settled."""

import os
import subprocess
import threading
from pathlib import Path

from lib import SIGNALBOX, WS, Box, eventually, run, temp_dir, test

SERVER = Path(SIGNALBOX).parent / "tests" / "notifications"


class Bus:
    """A session bus, and a desktop on it if one is wanted."""

    def __init__(self):
        self.address = f"unix:path={temp_dir() / 'bus'}"
        self.daemon = self.desktop = None
        self.said = []
        self.env = {"DBUS_SESSION_BUS_ADDRESS": self.address, "SIGNALBOX_NOTIFY_DESKTOP": "auto"}

    def start(self):
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
             f"--address={self.address}"], stdout=subprocess.PIPE, text=True)
        assert self.daemon.stdout.readline().startswith("unix:")

    def show(self, *args):
        self.desktop = subprocess.Popen([SERVER, *args], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **self.env})
        assert self.desktop.stdout.readline() == "ready\n"
        threading.Thread(target=self.read, args=(self.desktop.stdout,), daemon=True).start()

    def read(self, lines):
        for line in lines:
            self.said.append(line.rstrip("\n").split("|"))

    def end(self):
        for process in (self.desktop, self.daemon):
            if process:
                process.kill()
                process.wait()
        self.desktop = self.daemon = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def ask(box, words, run="deploy"):
    box.emit("prompt", correlationId=run, source="local:claude-code",
             payload={"type": "confirm", "prompt": words})


def answer(box):
    prompt = box.request("GET", "/api/prompts").json()["prompts"][0]["id"]
    said = box.request("POST", f"/api/prompts/{prompt}/answer", '{"value":true}',
                       {"content-type": "application/json"})
    assert said.status == 200, said


def answer_all(box):
    for prompt in box.request("GET", "/api/prompts").json()["prompts"]:
        box.request("POST", f"/api/prompts/{prompt['id']}/answer", '{"value":true}',
                    {"content-type": "application/json"})


def standing(bus):
    """The titles that the desktop has now, by number."""
    notes = {}
    for line in list(bus.said):
        if line[0] == "show":
            notes[line[1]] = line[3]
        else:
            notes.pop(line[1], None)
    return notes


def is_shown(box):
    """Whether the box says that it shows them itself."""
    ws = WS(box)
    ws.json()
    ws.send({"op": "subscribe", "after": 0, "types": ["none"], "matters": True})
    found = ws.json()["desktop"]
    ws.close()
    return found


def title_of(line):
    return line[3].split(" ", 1)[1]


@test("a question is shown, lasts, and is closed when it is answered elsewhere; markup stays text")
def _():
    with Bus() as bus:
        bus.start()
        bus.show("markup")
        with Box(env=bus.env) as box:
            eventually(lambda: is_shown(box))
            ask(box, "Run <b>rm</b> & more?")
            eventually(lambda: bus.said)
            kind, number, name, _, body, expires = bus.said[0]
            assert (kind, number, name, expires) == ("show", "7", "signalbox", "0"), bus.said
            assert title_of(bus.said[0]) == "waits for you", bus.said
            assert body == "Run &lt;b&gt;rm&lt;/b&gt; &amp; more?", bus.said
            answer(box)
            eventually(lambda: bus.said[1:] == [["close", "7"]])


@test("a desktop without markup gets the words as they are")
def _():
    with Bus() as bus:
        bus.start()
        bus.show()
        with Box(env=bus.env) as box:
            eventually(lambda: is_shown(box))
            ask(box, "Run <b>rm</b>?")
            eventually(lambda: bus.said)
            assert bus.said[0][4] == "Run <b>rm</b>?", bus.said


@test("without a bus, and with one that has no desktop, all else works and nothing is said")
def _():
    with Bus() as bus:
        with Box(env=bus.env) as box:
            assert not is_shown(box)
            ask(box, "Now?")
            eventually(lambda: matters(box))
            assert "notify" not in box.log() and "bus" not in box.log(), box.log()
        bus.start()
        with Box(env=bus.env) as box:
            ask(box, "Now?")
            eventually(lambda: matters(box))
            assert not is_shown(box)


def matters(box):
    ws = WS(box)
    ws.json()
    ws.send({"op": "subscribe", "after": 0, "types": ["none"], "matters": True})
    found = ws.json()["all"]
    ws.close()
    return found


@test("a desktop that goes away is survived, and screens hear that nobody shows them now")
def _():
    with Bus() as bus:
        bus.start()
        bus.show()
        with Box(env=bus.env) as box:
            eventually(lambda: is_shown(box))
            ws = WS(box)
            ws.json()
            ws.send({"op": "subscribe", "after": 0, "types": ["none"], "matters": True})
            assert ws.json()["desktop"] is True
            bus.end()
            assert ws.json()["desktop"] is False
            ask(box, "Still there?")
            assert ws.json()["raised"][0]["words"] == "Still there?"


@test("off is off, also when the settings are read again")
def _():
    path = temp_dir() / "signalbox.yaml"
    path.write_text("notify: {desktop: off}\n")
    with Bus() as bus:
        bus.start()
        bus.show()
        env = {"DBUS_SESSION_BUS_ADDRESS": bus.address}
        with Box(args=("--config", str(path)), env={**env, "SIGNALBOX_NOTIFY_DESKTOP": None}) as box:
            assert not is_shown(box)
            ask(box, "Off?")
            eventually(lambda: matters(box))
            path.write_text("notify: {desktop: auto}\n")
            box.process.send_signal(1)
            eventually(lambda: is_shown(box))
            ask(box, "On?", run="other")
            eventually(lambda: bus.said)
            assert [line[4] for line in bus.said] == ["On?"], bus.said


@test("many questions are three and one that counts them, and all go when they are answered")
def _():
    with Bus() as bus:
        bus.start()
        bus.show()
        with Box(env=bus.env) as box:
            eventually(lambda: is_shown(box))
            for i in range(50):
                ask(box, f"Number {i}?", run=f"run-{i}")
            eventually(lambda: "50 questions wait for you" in standing(bus).values())
            assert len(standing(bus)) == 4, standing(bus)
            assert len(bus.said) < 25, bus.said
            counted = [line for line in bus.said if line[3].endswith("questions wait for you")]
            assert len({line[1] for line in counted}) == 1 and counted[-1][5] == "0", counted
            assert counted[-1][4].endswith("Number 49?"), counted
            answer_all(box)
            eventually(lambda: standing(bus) == {})


@test("a box that ends takes its notifications along, and the next shows a question that is still open")
def _():
    with Bus() as bus:
        bus.start()
        bus.show()
        with Box(env=bus.env) as box:
            eventually(lambda: is_shown(box))
            ask(box, "Still?")
            eventually(lambda: len(standing(bus)) == 1)
            box.stop()
            eventually(lambda: standing(bus) == {})
            box.start()
            eventually(lambda: len(standing(bus)) == 1)
            assert bus.said[-1][4] == "Still?", bus.said
            answer(box)
            eventually(lambda: standing(bus) == {})


@test("what the desktop has not numbered yet is taken back, too: when it is settled, and at the end")
def _():
    with Bus() as bus:
        bus.start()
        bus.show("late", "100")
        with Box(env=bus.env) as box:
            eventually(lambda: is_shown(box))
            ask(box, "Settled?")
            eventually(lambda: len(standing(bus)) == 1)
            answer(box)
            eventually(lambda: standing(bus) == {})
            for i in range(5):
                ask(box, f"Number {i}?", run=f"run-{i}")
            eventually(lambda: standing(bus))
            box.stop()
            eventually(lambda: standing(bus) == {} and len(bus.said) > 4)


@test("turned off, it takes back what has no number yet; turned on at once, it goes on")
def _():
    path = temp_dir() / "signalbox.yaml"
    path.write_text("notify: {desktop: auto}\n")
    with Bus() as bus:
        bus.start()
        bus.show("late", "100")
        env = {"DBUS_SESSION_BUS_ADDRESS": bus.address, "SIGNALBOX_NOTIFY_DESKTOP": None}
        with Box(args=("--config", str(path)), env=env) as box:
            eventually(lambda: is_shown(box))
            ask(box, "Off?")
            eventually(lambda: len(standing(bus)) == 1)
            path.write_text("notify: {desktop: off}\n")
            box.process.send_signal(1)
            eventually(lambda: not is_shown(box))
            path.write_text("notify: {desktop: auto}\n")
            box.process.send_signal(1)
            eventually(lambda: is_shown(box))
            ask(box, "On?", run="other")
            eventually(lambda: [line[4] for line in bus.said if line[0] == "show"] == ["Off?", "On?"])
            eventually(lambda: len(standing(bus)) == 1)


@test("a desktop that never says a number does not keep a box from its end")
def _():
    with Bus() as bus:
        bus.start()
        bus.show("late", "3600000")
        with Box(env=bus.env) as box:
            eventually(lambda: is_shown(box))
            ask(box, "Ever?")
            eventually(lambda: standing(bus))
            assert box.stop() == 0, box.log()


@test("a question of before is shown where there was no desktop then")
def _():
    with Bus() as bus:
        bus.start()
        with Box(env=bus.env) as box:
            ask(box, "Before?")
            eventually(lambda: matters(box))
            assert not is_shown(box)
            bus.show()
            box.restart()
            eventually(lambda: [line[4] for line in bus.said] == ["Before?"])


if __name__ == "__main__":
    run()
