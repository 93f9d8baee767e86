"""What agents leave on the disk: reading what lies there, and what grows."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from servers import Failure

BYTES = 100_000_000
TURNS = 60
WORDS = "the quick brown fox says \"no\"\\n to the lazy dog, and goes home\n"


def text(length):
    return (WORDS * (length // len(WORDS) + 1))[:length]


def turn(session, number):
    """The lines of one response and its tool, with the sizes that real ones have."""
    common = {"parentUuid": None, "isSidechain": False, "cwd": "/home/ada/shop", "gitBranch": "main",
              "sessionId": session, "version": "2.1.325", "uuid": f"{session}-{number}",
              "timestamp": f"2026-10-01T{number // 60 % 24:02}:{number % 60:02}:00.000Z"}
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 500, "output_tokens": 300,
             "cache_read_input_tokens": 20000,
             "cache_creation": {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": 0}}
    message = {"id": f"msg_{session}_{number}", "role": "assistant", "model": "claude-opus-5-5",
               "usage": usage}
    tool = f"toolu_{session}_{number}"
    edit = {"file_path": "/home/ada/shop/a.c", "old_string": text(200), "new_string": text(1500)}
    lines = [
        {**common, "type": "assistant", "message": {**message, "content": [
            {"type": "text", "text": text(1500)}]}},
        {**common, "type": "assistant", "message": {**message, "content": [
            {"type": "tool_use", "id": tool, "name": "Edit", "input": edit}]}},
        {**common, "type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": tool, "content": text(6000)}]},
         "toolUseResult": {"filePath": "/home/ada/shop/a.c", "originalFile": text(20000),
                           "structuredPatch": [{"lines": [" a", "-b", "+c"]}]}},
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    ]
    if number % 4 == 0:
        lines.append({**common, "type": "api-request-shape", "body": text(60000)})
    if number % 8 == 0:
        lines.append({**common, "type": "attachment", "attachment": {"text": text(60000)}})
    return "".join(json.dumps(line) + "\n" for line in lines)


def past(bench, side):
    """A folder of transcripts, imported into a box; the second time nothing is new."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="past-", dir=bench.build))
    folder = home / "projects" / "-home-ada-shop"
    folder.mkdir(parents=True)
    written = sessions = 0
    while written < (BYTES // 100 if bench.tiny else BYTES):
        lines = "".join(turn(f"s{sessions}", n) for n in range(TURNS))
        (folder / f"s{sessions}.jsonl").write_text(lines)
        written, sessions = written + len(lines), sessions + 1
    try:
        with bench.running(side) as server:
            told = [imported(bench, server, home) for _ in range(2)]
    finally:
        shutil.rmtree(home)
    if told[0]["new"] != sessions * TURNS or told[1]["new"]:
        raise Failure(f"it was not counted once: {told}")
    return {"rate": written / 1e6 / (told[0]["seconds"]), "again": told[1]["seconds"] * 1e3}


SESSIONS, LINES = 200, 50  # sessions, and lines a second that each writes


def common(session, number):
    return {"parentUuid": None, "isSidechain": False, "cwd": "/home/ada/shop", "gitBranch": "main",
            "sessionId": session, "version": "2.1.325", "uuid": f"{session}-{number}",
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}


def work(session, number):
    """Ten lines: an answer, a tool and its result, and what else a session writes beside them."""
    base = common(session, number)
    message = {"id": f"msg_{session}_{number}", "role": "assistant", "model": "claude-opus-5-5",
               "usage": {"input_tokens": 10, "cache_creation_input_tokens": 500,
                         "output_tokens": 300, "cache_read_input_tokens": 20000}}
    tool = f"toolu_{session}_{number}"
    told = [
        {**base, "type": "assistant", "message": {**message, "content": [
            {"type": "text", "text": text(600)}]}},
        {**base, "type": "assistant", "message": {**message, "content": [
            {"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": text(200)}}]}},
        {**base, "type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": tool, "content": text(1500)}]},
         "toolUseResult": {"stdout": text(1500)}},
    ]
    beside = [{**base, "type": "attachment", "attachment": {"text": text(500)}} for _ in range(5)]
    return [(json.dumps(line) + "\n").encode()
            for line in [*told, *beside, {"type": "mode", "mode": "x"},
                         {"type": "last-prompt", "lastPrompt": text(80)}]]


class Sessions:
    """Processes with rows in Claude Code's registry, and transcripts that grow."""

    def __init__(self, config, count):
        self.folder, registry = config / "projects" / "-home-ada-shop", config / "sessions"
        self.folder.mkdir(parents=True)
        registry.mkdir()
        self.names = [f"s{n}" for n in range(count)]
        self.processes = [subprocess.Popen(["sleep", "600"]) for _ in self.names]
        for name, process in zip(self.names, self.processes):
            stat = pathlib.Path(f"/proc/{process.pid}/stat").read_text()
            (registry / f"{process.pid}.json").write_text(json.dumps({
                "pid": process.pid, "sessionId": name, "cwd": "/home/ada/shop", "status": "busy",
                "procStart": stat.rsplit(")", 1)[1].split()[19],
                "updatedAt": int(time.time() * 1000)}))
        self.files = [os.open(self.folder / f"{name}.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
                      for name in self.names]
        self.lines = [[] for _ in self.names]
        self.turns = 0

    def write(self, which):
        """One line, by itself."""
        if not self.lines[which]:
            self.turns += 1
            self.lines[which] = work(self.names[which], self.turns)
        os.write(self.files[which], self.lines[which].pop(0))

    def write_for(self, seconds):
        """Evenly, all in turn."""
        begun, done = time.monotonic(), 0
        while (now := time.monotonic() - begun) < seconds:
            while done < now * LINES * len(self.names):
                self.write(done % len(self.names))
                done += 1
            time.sleep(0.001)
        return done

    def end(self):
        for file in self.files:
            os.close(file)
        for process in self.processes:
            process.kill()
            process.wait()


def followed(bench, side):
    """What it takes of a processor to follow sessions that write all the time."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="follow-", dir=bench.build))
    sessions = Sessions(home, bench.few(SESSIONS))
    spent = 0.2 if bench.tiny else max(bench.ms, 5000) / 1000
    try:
        with bench.running(side, environment={"CLAUDE_CONFIG_DIR": str(home)}) as server:
            for which in range(len(sessions.names)):
                sessions.write(which)
            server.wait(lambda: told(server) == sessions.turns)
            sessions.write_for(spent / 4)
            begun, cpu = time.monotonic(), server.cpu_ns()
            lines = sessions.write_for(spent)
            cpu, took = server.cpu_ns() - cpu, time.monotonic() - begun
            server.wait(lambda: told(server) == sessions.turns)
    finally:
        sessions.end()
        shutil.rmtree(home)
    return {"core": cpu / took / 1e7, "rate": lines / took}


def told(server):
    """Responses that were counted."""
    return server.get("/api/usage?by=model")["total"]["calls"]


def imported(bench, server, home):
    begun = time.monotonic()
    done = subprocess.run([bench.server, "import", "--json", "--data", server.data, home],
                          capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode:
        raise Failure(f"import: {done.stderr}")
    return {**json.loads(done.stdout), "seconds": time.monotonic() - begun}
