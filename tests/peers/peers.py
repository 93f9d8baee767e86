"""What the tests with real programs share: a network of their own, Claude Code, a model for it.

    from peers import ClaudeCode, Model, tool, versions  # before `lib`, which is found by it
    from lib import Box, run, test

    @test("a tool that ran is told")
    def _():
        with Model([[tool("Bash", command="echo hello")]]) as model, Box() as box:
            claude = ClaudeCode("2.1.325", model)
            claude.tap("install", box)
            assert claude.ask("go").code == 0
            box.request("GET", "/api/signals?type=tool_call")

    run()

A test that imports this goes on in a network namespace that has nothing but loopback, and so
does whatever it starts: no program reaches the world.  The programs are those of
tools/peers-lab in $LAB; a test whose program is not there is skipped and says so.  Each has a
HOME of its own, and every wait has an end.
"""

import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lib import PATIENCE_S, ROOT, Result, Skip, cli, eventually, temp_dir  # noqa: E402
from screens import Tmux  # noqa: E402

LAB = Path(os.environ.get("LAB") or ROOT / "build" / "lab")
SCRIPTS = ROOT.parent / "shared" / "peers"  # scripted servers that are no part of the tree
KEY = "sk-ant-api03-" + "x" * 40
END_S = 3 * PATIENCE_S  # of one headless session


# --- a network of our own ------------------------------------------------------


def enter_namespace():
    """Goes on as a program that can reach itself, and nobody else."""
    if os.environ.get("PEERS_NETWORK") != "own":
        os.environ["PEERS_NETWORK"] = "own"
        how = ["-n"] if os.geteuid() == 0 else ["-r", "-n"]
        os.execvp("unshare", ["unshare", *how, sys.executable, *sys.argv])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, 0x8914, struct.pack("16sh14x", b"lo", 0x49))  # SIOCSIFFLAGS, up


enter_namespace()


def script(name):
    """The path of a scripted server beside the tree."""
    path = SCRIPTS / name
    if not path.exists():
        raise Skip(f"{path} is not there")
    return str(path)


def folder(name):
    """A program's folder in the lab."""
    path = LAB / name
    if not path.exists():
        raise Skip(f"{name} is not in {LAB}: run tools/peers-lab {LAB}")
    return path


def node24():
    return str(folder("node24") / "node_modules/node/bin/node")


# --- the model -----------------------------------------------------------------


def say(text):
    return {"type": "text", "text": text}


def tool(name, id=None, **given):
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def _events(message):
    """A message of the Messages API as its stream."""
    blocks = message["content"]
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for i, block in enumerate(blocks):
        if block["type"] == "tool_use":
            start, delta = {**block, "input": {}}, {
                "type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        yield "content_block_start", {"index": i, "content_block": start}
        yield "content_block_delta", {"index": i, "delta": delta}
        yield "content_block_stop", {"index": i}
    yield "message_delta", {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
                            "usage": {"output_tokens": 42}}
    yield "message_stop", {}


class Model:
    """The Messages API on loopback, with turns that were written before.

    turns: what it says, one list of blocks a turn; the turn is the number of messages with tool
    results so far, so the same for every session that is asked.  After the last it says that
    all is done.  Or a function that is given the request and answers with blocks."""

    def __init__(self, turns=()):
        self.turns = turns
        self.asked = []  # every request for an answer, as JSON
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _handler(model):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if "/v1/messages" not in self.path:
                    return self.reply(404, "application/json", b'{"type":"error"}')
                if "count_tokens" in self.path:
                    return self.reply(200, "application/json", b'{"input_tokens":100}')
                request = json.loads(body)
                message = model.answer(request)
                if not request.get("stream"):
                    return self.reply(200, "application/json", json.dumps(message).encode())
                stream = "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"
                                 for name, data in _events(message))
                return self.reply(200, "text/event-stream", stream.encode())

            do_GET = do_POST

            def reply(self, status, kind, body):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler

    def blocks(self, request):
        if callable(self.turns):
            return self.turns(request)
        turn = sum(1 for m in request["messages"] if isinstance(m["content"], list) and
                   any(b.get("type") == "tool_result" for b in m["content"]))
        return self.turns[turn] if turn < len(self.turns) else [say("All is done.")]

    def answer(self, request):
        with self.lock:
            self.asked.append(request)
            number = len(self.asked)
        # Without tools it is no agent that asks: a title is wanted, or the like.
        blocks = self.blocks(request) if request.get("tools") else [say('{"title": "A title"}')]
        blocks = [{**b, "id": b["id"] or f"toolu_{number:03}{i:03}"} if b["type"] == "tool_use" else b
                  for i, b in enumerate(blocks)]
        uses = any(b["type"] == "tool_use" for b in blocks)
        return {"id": f"msg_{number}", "type": "message", "role": "assistant",
                "model": request.get("model", "model"), "content": blocks,
                "stop_reason": "tool_use" if uses else "end_turn", "stop_sequence": None,
                "usage": {"input_tokens": 100, "output_tokens": 42,
                          "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}}

    def results(self):
        """The tool results that the model was told: {tool_use_id: (is_error, text)}."""
        found = {}
        for request in list(self.asked):
            for message in request["messages"]:
                for block in message["content"] if isinstance(message["content"], list) else []:
                    if block.get("type") == "tool_result":
                        found[block["tool_use_id"]] = (
                            bool(block.get("is_error")), json.dumps(block.get("content")))
        return found

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


# --- Claude Code -----------------------------------------------------------------


def versions():
    """Those of the lab, the oldest first."""
    found = sorted((tuple(map(int, p.name.split("."))) for p in folder("cc").iterdir()))
    return [".".join(map(str, v)) for v in found]


class ClaudeCode:
    """Claude Code of a version, as a user has it who never used it before."""

    def __init__(self, version, model, home=None):
        self.version = version
        self.folder = folder(f"cc/{version}")
        self.model = model
        self.home = Path(home) if home else temp_dir()
        self.config = self.home / ".claude"
        self.settings = self.config / "settings.json"
        self.project = self.home / "project"
        self.config.mkdir(exist_ok=True)
        self.project.mkdir(exist_ok=True)
        self.bin = self.home / "bin"  # on the PATH, as an install by npm leaves it
        self.bin.mkdir(exist_ok=True)
        program = "claude" if (self.folder / "claude").exists() else "cli.js"
        if not (self.bin / "claude").is_symlink():
            (self.bin / "claude").symlink_to(self.folder / program)
        self.command = [str(self.folder / program)]
        if program == "cli.js":
            self.command.insert(0, shutil.which("node"))
        (self.home / ".claude.json").write_text(json.dumps({
            "hasCompletedOnboarding": True, "theme": "dark",
            "lastOnboardingVersion": version, "numStartups": 9,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True,
                                             "hasCompletedProjectOnboarding": True}}}))

    def env(self, **more):
        return {
            "HOME": str(self.home), "PATH": f"{self.bin}:{os.environ['PATH']}",
            "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SHELL": "/bin/bash",
            "ANTHROPIC_BASE_URL": self.model.url, "ANTHROPIC_API_KEY": KEY,
            "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
            "DISABLE_BUG_COMMAND": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **{name: str(value) for name, value in more.items()}}

    def tap(self, verb, box, *words):
        """`signalbox tap VERB`, as this user, for the box; it must succeed."""
        done = cli("tap", verb, *words, "--data", box.data, env=self.env())
        assert done.code == 0, done
        return done

    def start(self, prompt, *words, allowed="Bash,Write,Read,Edit,Agent,Task", **more):
        """A headless session that goes on: a Popen with pipes."""
        return subprocess.Popen(
            [*self.command, "-p", prompt, "--allowedTools", allowed, *words],
            cwd=self.project, env=self.env(**more), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def ask(self, prompt, *words, **how):
        """A headless session, to its end."""
        process = self.start(prompt, *words, **how)
        try:
            out, err = process.communicate(timeout=END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise AssertionError(f"Claude Code {self.version} did not end") from None
        return Result(process.returncode, out.decode(), err.decode())

    def screen(self, *words, cols=120, rows=40, **more):
        """An interactive session in a terminal: use it as `with`.  It asks before it acts."""
        pairs = [f"{name}={value}" for name, value in self.env(**more).items() if name != "TERM"]
        return Tmux("-i", "-C", str(self.project), "TERM=tmux-256color", *pairs, *self.command,
                    "--permission-mode", "default", *words, cols=cols, rows=rows, program="/usr/bin/env")

    def tell(self, screen, prompt):
        """Types a prompt.  A session that is still starting may not take the first Enter."""
        heard = len(self.model.asked)
        screen.type(prompt)
        screen.shows(prompt)

        def is_heard():
            screen.keys("Enter")
            try:
                return eventually(lambda: any(
                    prompt in json.dumps(r["messages"]) for r in self.model.asked[heard:]), 5)
            except AssertionError:
                return False

        eventually(is_heard)
