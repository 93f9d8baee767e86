#!/usr/bin/env python3
"""OpenClaw's own screens, pointed at the box: its terminal UI in a terminal, its Control UI in Chromium.

Their model is shared/peers/fake-openai.mjs, SLOW makes it speak slowly.
"""

import os
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

from peers import folder, node24, script  # first: it enters a network of its own
from lib import Box, cli, eventually, run, temp_dir, test
from screens import Tmux

HERE = Path(__file__).resolve().parent
START_S = 240
PORT, MODEL_PORT = 18790, 18999
FIRST, LAST = "Hello from the fake provider.", "more words to stream. Done."
UI_PORT = 18789  # of the OpenClaw that serves its Control UI
CONFIG = f"""
listen: [127.0.0.1:0, {{address: "127.0.0.1:{PORT}", dialect: gateway}}]
auth: {{origins: ["http://127.0.0.1:{UI_PORT}"]}}
"""
ASKED = {"type": "select", "prompt": "Bash: make install", "tool": "Bash",
         "input": {"command": "make install"},
         "options": [{"label": "Allow", "value": "allow"},
                     {"label": "Deny", "value": "deny", "safe": True}]}


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


class ControlUi:
    """Its files, served as an OpenClaw serves them, and a browser that control_ui.mjs drives."""

    def __init__(self, world):
        files = folder("oc-latest") / "node_modules/openclaw/dist/control-ui"

        class Handler(SimpleHTTPRequestHandler):
            def __init__(self, *words):
                super().__init__(*words, directory=files)

            def send_head(self):
                if not (files / self.path.partition("?")[0].lstrip("/")).is_file():
                    self.path = "/index.html"
                return super().send_head()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", UI_PORT), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        where = quote(f"ws://127.0.0.1:{PORT}", safe="")
        self.browser = subprocess.Popen(
            ["node", str(HERE / "control_ui.mjs"),
             f"http://127.0.0.1:{UI_PORT}/?gatewayUrl={where}#token={world.token()}", f"127.0.0.1:{PORT}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.heard("ready")

    def heard(self, wanted):
        line = self.browser.stdout.readline().strip()
        assert wanted is None or line == wanted, line
        return line

    def do(self, *words, wanted="done"):
        print(*words, file=self.browser.stdin, flush=True)
        return self.heard(wanted)

    def count(self, words):
        return int(self.do("count", words, wanted=None))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.stdin.close()
        self.browser.wait(60)
        self.server.shutdown()


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


@test("the terminal UI decides what an agent may do, by its list and by /approve")
def _():
    with World() as world, world.terminal() as screen:
        late(lambda: "connected" in screen.text() and "agent fake" in screen.text())
        say(screen, "quickly now")
        screen.shows(LAST, "idle")
        (run,) = {s["correlationId"] for s in world.box.history("&type=completion")}
        world.box.emit({"type": "prompt", "source": "fake", "correlationId": run, "payload": ASKED})
        screen.shows("Bash: make install", "Allow once")
        screen.keys("Up", "Enter")  # it offers to deny first
        screen.shows("plugin approval: allowed once")
        # those of other sessions are not in its list
        world.box.emit({"type": "prompt", "source": "script", "correlationId": "r", "payload": ASKED})
        (prompt,) = late(lambda: world.box.request("GET", "/api/prompts").json()["prompts"])
        say(screen, f"/approve {prompt['id']} deny")
        screen.shows("Approval deny submitted")
        late(lambda: [s["payload"]["value"] for s in world.box.history() if s["type"] == "answer"]
             == ["allow", "deny"])


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


@test("the Control UI asks, sees the answer, stops another, and decides what an agent may do")
def _():
    with World() as world, ControlUi(world) as screen:
        screen.do("say", "SLOW please")
        screen.do("sees", FIRST)
        screen.do("sees", LAST)
        screen.do("lacks", "is responding")  # else it would steer, which we refuse
        screen.do("say", "SLOW again")
        late(lambda: screen.count(FIRST) == 2)
        screen.do("press", "Stop")
        late(lambda: [s["payload"]["success"] for s in world.box.history("&type=completion")]
             == [True, False])
        world.box.emit({"type": "prompt", "source": "script", "correlationId": "r", "payload": ASKED})
        screen.do("press", "inbox item")
        screen.do("sees", "$ make install")
        screen.do("press", "Allow once")
        late(lambda: not world.box.request("GET", "/api/prompts").json()["prompts"])
        (answer,) = [s["payload"] for s in world.box.history() if s["type"] == "answer"]
        assert answer["value"] == "allow", answer


@test("what is written in the Control UI while an agent speaks is said when it is at rest")
def _():
    with World() as world, ControlUi(world) as screen:
        screen.do("say", "SLOW please")
        screen.do("sees", "This is a")
        screen.do("say", "quickly now")
        late(lambda: [s["payload"]["success"] for s in world.box.history("&type=completion")]
             == [True, True])
        told = [s["type"] for s in world.box.history() if s["type"] in ("task_dispatch", "completion")]
        assert told == ["task_dispatch", "completion"] * 2, told
        screen.do("sees", "quickly now")
        screen.do("lacks", "Not sent")


@test("after kill -9 of the box in an answer, the Control UI shows each word once, and goes on")
def _():
    with World() as world, ControlUi(world) as screen:
        screen.do("say", "SLOW please")
        screen.do("sees", "This is a")
        world.box.kill9()
        world.box.start()
        screen.do("sees", "the box ended before the answer did")
        assert screen.count(FIRST.split(".")[0]) == 1 and screen.count("SLOW please") == 1
        screen.do("say", "quickly now")
        screen.do("sees", LAST)
        assert screen.count(LAST) == 1


run()
