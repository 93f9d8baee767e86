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


def imported(bench, server, home):
    begun = time.monotonic()
    done = subprocess.run([bench.server, "import", "--json", "--data", server.data, home],
                          capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode:
        raise Failure(f"import: {done.stderr}")
    return {**json.loads(done.stdout), "seconds": time.monotonic() - begun}
