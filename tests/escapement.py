"""An Escapement hub of the tests' own: what an agent of the run dialect shows its screens.

    with Hub() as hub:
        ... a box dials hub.ws_url ...
        hub.start(); hub.event("llm/delta", type="text-delta", text="x", invokeid="poet")

On attach it shows the last phase, the last debug state and the open prompt, then the last
256 events, whatever the query wants.  It numbers events from 1 and never again.  It hears
answers and controls, and nothing else; an answer to what is not open is ignored.
"""

import json
import threading
import time

from lib import Closed
from servers import Socket, Upstream

RING = 256


class Hub(Upstream):
    def __init__(self, port=0):
        self.lock = threading.RLock()
        self.screens = []
        self.frames = []    # every one that was said, as bytes
        self.ring = []
        self.seq = 0
        self.phase = self.debug = self.prompt = None
        self.prompts = 0
        self.controls = []
        self.answers = []   # all that came
        self.answered = {}  # prompt-id -> the answer that counted
        self.query = None   # of the last who came
        super().__init__(port=port)

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/ws"

    # --- screens ---------------------------------------------------------------------

    def _one(self, peer):
        request = peer.request()
        self.heard.append(request)
        path, _, self.query = request.path.partition("?")
        assert path == "/ws" and "upgrade" in request.headers, request.head
        screen = Socket(peer, request, "hub")
        screen.accept()
        with self.lock:
            for frame in [self.phase, self.debug, self.prompt, *self.ring]:
                if frame:
                    screen.frame(1, frame)
            self.screens.append(screen)
        try:
            while (message := screen.hear()) is not None:
                self._take(json.loads(message))
        finally:
            with self.lock:
                self.screens.remove(screen)
        return False

    def _take(self, frame):
        with self.lock:
            if frame["kind"] == "control":
                self.controls.append(frame)
            elif frame["kind"] == "answer":
                self.answers.append(frame)
                if self.prompt and json.loads(self.prompt)["prompt-id"] == frame["prompt-id"]:
                    self.answer(frame.get("value"))
                    self.answered[frame["prompt-id"]] = frame

    def _say(self, frame):
        data = json.dumps(frame, separators=(",", ":")).encode()
        with self.lock:
            self.frames.append(data)
            for screen in list(self.screens):
                try:
                    screen.frame(1, data)
                except (OSError, Closed):
                    pass
        return data

    # --- what the agent does ----------------------------------------------------------

    def event(self, name, **data):
        with self.lock:
            self.seq += 1
            self.ring.append(self._say({"kind": "event", "seq": self.seq,
                                        "ts": int(time.time() * 1000), "event": name,
                                        "data": {k.replace("_", "-"): v for k, v in data.items()}}))
            del self.ring[:-RING]

    def start(self, session=":session/one"):
        self.event("cli/config-loaded", path="/run")
        self.event("runner/started", session_id=session, chart_id=":chart")
        self.phase = self._say({"kind": "phase", "ts": 1, "config": ["run", "plan"]})
        self.event("runner/start-config", config=["run", "plan"])

    def say(self, text):
        self.event("llm/delta", type="text-delta", text=text, invokeid="poet",
                   session_id="session/one")

    def pause(self, paused=True):
        self.debug = self._say({"kind": "debug", "paused": paused, "step-budget": 0})

    def ask(self, words, invoke="pick", type="select", **opts):
        """Its id."""
        with self.lock:
            self.prompts += 1
            id = f"{invoke}#{self.prompts}"
            self.prompt = self._say({"kind": "prompt", "prompt-id": id, "invokeid": invoke,
                                     "type": type, "opts": {"prompt": words, **opts}})
            self.event("human-input/start", kind=type, invokeid=invoke, prompt=words)
            return id

    def answer(self, value):
        """Somebody answered, on whatever screen."""
        with self.lock:
            invoke = json.loads(self.prompt)["invokeid"]
            self.prompt = None
            self.event("human-input/answer", kind="select", invokeid=invoke, answer=value)

    def finish(self):
        self.event("runner/done", final_config=["run", "done"], status="done")
        self._say({"kind": "control", "op": "run-finished", "final-config": "[:done]"})

    def drop(self):
        """As a line that breaks; the agent goes on."""
        with self.lock:
            for screen in list(self.screens):
                try:
                    screen.peer.sock.shutdown(2)
                except OSError:
                    pass
