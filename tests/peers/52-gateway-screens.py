#!/usr/bin/env python3
"""OpenClaw's own screens, pointed at the box: its terminal UI in a terminal, its Control UI in Chromium.

Their model is shared/peers/fake-openai.mjs, SLOW makes it speak slowly.
"""

import os
import subprocess

from peers import folder, node24, script  # first: it enters a network of its own
from lib import Box, cli, eventually, run, temp_dir, test
from screens import Tmux

START_S = 240
PORT, MODEL_PORT = 18790, 18999
FIRST, LAST = "Hello from the fake provider.", "more words to stream. Done."
CONFIG = f"""
listen: [127.0.0.1:0, {{address: "127.0.0.1:{PORT}", dialect: gateway}}]
auth: {{origins: ["http://127.0.0.1:5180"]}}
"""


def late(check):
    return eventually(check, within=START_S, every=0.2)


class World:
    """A box with a model, and a gateway listener where OpenClaw's programs look for one."""

    def __init__(self):
        self.home = temp_dir()
        (self.home / "box.yaml").write_text(CONFIG)
        self.model = subprocess.Popen([node24(), script("fake-openai.mjs"), str(MODEL_PORT)],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.box = Box(["--config", str(self.home / "box.yaml")], listen=())

    def add_model(self):
        answer = self.box.request("POST", "/api/sources", {
            "id": "fake", "url": f"http://127.0.0.1:{MODEL_PORT}/v1", "protocol": "openai"})
        assert answer.status in (200, 201), answer
        late(lambda: any(s["id"] == "fake" and s["state"] == "connected"
                         for s in self.box.request("GET", "/api/sources").json()["sources"]))

    def token(self):
        return cli("token", "show", "--data", str(self.box.data)).out.strip()

    def terminal(self):
        quiet = ("NO_RESPAWN", "DISABLE_BONJOUR", "SKIP_UPDATE_CHECK")
        env = {"HOME": self.home, "OPENCLAW_STATE_DIR": self.home / "state", "LC_ALL": "C.UTF-8",
               "PATH": f"{os.path.dirname(node24())}:{os.environ['PATH']}",
               **{f"OPENCLAW_{name}": "1" for name in quiet}}
        program = folder("oc-latest") / "node_modules/openclaw/openclaw.mjs"
        return Tmux("-i", "-C", self.home, *(f"{n}={v}" for n, v in env.items()), "TERM=tmux-256color",
                    node24(), program, "tui", "--url", f"ws://127.0.0.1:{PORT}", "--token", self.token(),
                    program="env", cols=100, rows=50)

    def __enter__(self):
        self.box.start()
        self.add_model()
        return self

    def __exit__(self, *_):
        self.box.stop()
        self.model.kill()
        self.model.wait()


def say(screen, words):
    screen.type(words)
    screen.keys("Enter")


@test("the terminal UI asks, sees the answer grow, and stops another")
def _():
    with World() as world, world.terminal() as screen:
        late(lambda: "connected" in screen.text() and "agent fake" in screen.text())
        say(screen, "SLOW please")
        screen.shows("streaming", FIRST, lacks=[LAST])
        screen.shows(LAST, "idle")
        say(screen, "SLOW again")
        late(lambda: screen.text().count(FIRST) == 2)
        screen.keys("Escape")
        screen.shows("run aborted")
        assert screen.text().count(LAST) == 1, screen.text()
        ends = [s["payload"]["success"] for s in world.box.history("&type=completion")]
        assert ends == [True, False], ends


@test("after kill -9 of the box in an answer, the terminal UI shows each word once, and goes on")
def _():
    with World() as world, world.terminal() as screen:
        late(lambda: "connected" in screen.text() and "agent fake" in screen.text())
        say(screen, "SLOW please")
        screen.shows("This is a")
        world.box.kill9()
        screen.shows("disconnected")
        world.box.start()
        shown = late(lambda: "reconnected after transport loss" in screen.text() and screen.text())
        screen.shows("the box ended before the answer did", lacks=["streaming"])
        for words in ("SLOW please", FIRST):
            assert screen.text().count(words) == 1, shown
        say(screen, "quickly now")
        screen.shows(LAST, "idle")
        assert screen.text().count(LAST) == 1, screen.text()


run()
