#!/usr/bin/env python3
"""What agents spent before there was a box: read once, counted once, whatever happens."""

import ctypes
import json
import os
import signal
import subprocess
from datetime import datetime, timezone

from lib import ROOT, Box, SIGNALBOX, cli, comment, eventually, run, temp_dir, test

OPUS = "claude-opus-5-5"
SESSION = "{:08}-0000-4000-8000-000000000000"


def answer(session, number, out, **more):
    """A line of Claude Code's, of a response that was given then."""
    day, minute = 1 + number // 1440 % 28, number % 1440
    usage = {"input_tokens": 100, "output_tokens": out, "cache_read_input_tokens": 1000,
             "cache_creation_input_tokens": 50,
             "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 20}}
    return {"type": "assistant", "sessionId": session, "cwd": "/home/ada/shop", "version": "2.1.325",
            "timestamp": f"2026-10-{day:02}T{minute // 60:02}:{minute % 60:02}:00.000Z",
            "message": {"id": f"msg_{number}", "role": "assistant", "model": OPUS, "usage": usage,
                        "content": [{"type": "text", "text": "SECRET"}]}, **more}


def write(home, session, lines, folder="-home-ada-shop"):
    file = home / "projects" / folder / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def told(box, home, *words):
    done = cli("import", "--json", "--data", box.data, *words, home)
    assert done.code == 0, done
    return json.loads(done.out)


def total(box, query="by=model"):
    return box.request("GET", f"/api/usage?{query}").json()["total"]


@test("every response is counted once: in its hour, project and session, forks and repeats or not")
def _():
    home = temp_dir()
    one, two = SESSION.format(1), SESSION.format(2)
    first = [line for n in range(10) for line in (answer(one, n, 1), answer(one, n, 40))]
    write(home, one, first + [{"type": "cost-state", "sessionId": one, "totalCostUSD": 9.5,
                               "timestamp": "2026-10-01T01:00:00.000Z"}])
    write(home, two, [{**line, "sessionId": two} for line in first] + [answer(two, 5000, 7)])
    write(home, one + "/subagents/agent-a", [answer(one, 100, 5, isSidechain=True, agentId="a")])
    with Box() as box:
        seen = told(box, home, "--dry-run")
        assert (seen["calls"], seen["new"], seen["known"]) == (12, 12, 0), seen
        assert total(box)["calls"] == 0
        done = told(box, home)
        assert (done["files"], done["new"], done["counted"]) == (3, 12, 12), done
        assert done["tokens"] == {"input": 1200, "output": 412, "cacheRead": 12000, "cacheWrite": 360,
                                  "cacheWrite1h": 240, "reasoning": 0}, done
        for _ in range(2):
            sums = total(box)
            assert (sums["calls"], sums["output"], sums["cacheWrite1h"]) == (12, 412, 240), sums
            by_session = total(box, "by=session")["cost"]
            assert sums["cost"] > 9.5 and abs(sums["cost"] - by_session) < 2e-6, (sums, by_session)
            assert told(box, home)["new"] == 0
        days = box.request("GET", "/api/usage?by=day").json()["rows"]
        assert {row["key"] for row in days} == {"2026-10-01", "2026-10-04"}, days
        projects = box.request("GET", "/api/usage?by=project").json()["rows"]
        assert [row["key"] for row in projects] == ["shop"], projects
        sessions = {r["key"]: r for r in box.request("GET", "/api/usage?by=session").json()["rows"]}
        assert set(sessions) == {one, two} and sessions[one]["cost"] >= 9.5, sessions
        assert box.request("GET", "/api/crew").json()["members"] == []
        assert box.request("GET", "/api/runs").json()["runs"] == []
        stored = json.dumps(box.history())
        assert "SECRET" not in stored and "usage.past" in stored


@test("what was heard live is not counted again, and what came meanwhile is")
def _():
    home = temp_dir()
    session = SESSION.format(3)
    write(home, session, [answer(session, n, 40) for n in range(6)])
    with Box() as box:
        for number, out in ((2, 40), (3, 40)):
            box.emit({"type": "token_usage", "source": "s", "correlationId": session,
                      "payload": {"agentId": "a", "promptTokens": 100, "completionTokens": out,
                                  "model": OPUS, "responseId": f"msg_{number}"}})
        assert told(box, home)["known"] == 2
        sums = total(box)
        assert (sums["calls"], sums["output"], sums["cacheRead"]) == (6, 240, 6000), sums
        box.emit({"type": "token_usage", "source": "s", "correlationId": session,
                  "payload": {"agentId": "a", "promptTokens": 100, "completionTokens": 40,
                              "model": OPUS, "responseId": "msg_5"}})
        assert total(box)["calls"] == 6


@test("a response that was not whole when it was counted is made whole, and its words stay at home")
def _():
    home = temp_dir()
    session = SESSION.format(4)
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    title = {"type": "ai-title", "sessionId": session, "aiTitle": "SECRET"}
    with Box() as box:
        write(home, session, [answer(session, 1, 1, timestamp=now), title])
        assert told(box, home)["new"] == 1 and total(box)["output"] == 1
        write(home, session, [answer(session, 1, out, timestamp=now) for out in (1, 500)])
        done = told(box, home)
        assert (done["new"], done["known"], done["counted"]) == (0, 1, 0), done
        for _ in range(2):
            sums = total(box)
            assert (sums["calls"], sums["input"], sums["output"], sums["cacheRead"]) == (1, 100, 500, 1000), sums
            told(box, home)
        assert "SECRET" not in json.dumps(box.history())
    with Box() as box:
        write(home, session, [answer(session, 2, 1000)])
        box.emit({"type": "token_usage", "source": "s", "correlationId": session,
                  "payload": {"agentId": "a", "promptTokens": 100, "completionTokens": 1,
                              "model": OPUS, "responseId": "msg_2"}})
        assert told(box, home)["known"] == 1
        sums = total(box)
        assert (sums["calls"], sums["output"], sums["cacheRead"], sums["cacheWrite1h"]) == (1, 1000, 1000, 20), sums


@test("what the box has not taken is not said to be counted")
def _():
    home = temp_dir()
    for part in range(20):
        session = SESSION.format(part)
        write(home, session, [answer(session, n, 3) for n in range(part, 20000, 20)])
    with Box() as box:
        running = subprocess.Popen([SIGNALBOX, "import", "--json", "--data", str(box.data), str(home)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        eventually(lambda: total(box)["calls"] > 0 or running.poll() is not None)
        box.kill9()
        out, err = running.communicate(timeout=120)
        box.start()
        done, calls = json.loads(out), total(box)["calls"]
        # The answer to the last batch may have been lost.
        assert done["counted"] <= calls and done["tokens"]["output"] == 3 * done["counted"], (done, calls)
        assert (running.returncode == 0) == done["ok"] == (done["counted"] == 20000), (done, err)
        told(box, home)
        assert total(box)["calls"] == 20000
    config = temp_dir() / "signalbox.yaml"
    config.write_text("limits:\n  message: 4KiB\n")
    small = SESSION.format(30)
    write(home, small, [answer(small, 30000, 7)])
    with Box(args=("--config", str(config))) as box:
        done = cli("import", "--json", "--data", box.data, home)
        said = json.loads(done.out)
        assert done.code == 1 and not said["ok"], done
        assert (said["new"], said["counted"], said["tokens"]["output"]) == (20001, 1, 7), said
        done = cli("import", "--data", box.data, home)
        assert done.code == 1 and "not all is counted, 0 of 20000 new ones" in done.out, done
        assert total(box)["calls"] == 1
    config.write_text("limits:\n  batch: 4KiB\n")
    with Box(args=("--config", str(config))) as box:
        done = cli("import", "--data", box.data, home)
        assert done.code == 1 and "not all is counted, 0 of 20001 new ones" in done.out, done
        assert total(box)["calls"] == 0


@test("names as long as they may be hinder nobody, and longer ones are left out")
def _():
    home = temp_dir()
    session = SESSION.format(5)
    lines = [answer(session, n, 1) for n in range(2500)]
    for number, line in enumerate(lines):
        line["message"]["id"] = f"{number:05}" + "\x01" * 480
    lines[7]["message"]["id"] = "x" * 5000
    write(home, session, lines)
    with Box() as box:
        assert told(box, home)["counted"] == 2499
        assert total(box)["calls"] == 2499
        assert told(box, home)["new"] == 0


@test("more responses than are remembered with their counts stay counted, over restarts and kills")
def _():
    home = temp_dir()
    many = 70000
    for part in range(10):
        session = SESSION.format(part)
        write(home, session, [answer(session, n, 1) for n in range(part, many, 10)])
    with Box() as box:
        assert told(box, home)["new"] == many
        box.kill9()
        box.start()
        assert total(box)["calls"] == many
        assert told(box, home)["new"] == 0
        eventually(lambda: (box.data / "usage-seen").exists() and
                   (box.data / "usage-seen").stat().st_size == 16 + 8 * many)
        assert (box.data / "usage-seen").stat().st_mode & 0o777 == 0o600
        box.restart()
        assert told(box, home)["new"] == 0 and total(box)["calls"] == many
        box.kill9()
        with (box.data / "usage-seen").open("ab") as file:
            file.write(b"torn")
        box.start()
        write(home, SESSION.format(99), [answer(SESSION.format(99), many, 1)])
        assert told(box, home)["new"] == 1 and total(box)["calls"] == many + 1
        box.restart()
        assert told(box, home)["new"] == 0 and total(box)["calls"] == many + 1


@test("while old responses cannot be written segments stay; then they go")
def _():
    home = temp_dir()
    session = SESSION.format(1)
    write(home, session, [answer(session, n, 1) for n in range(50)])
    little = {"SIGNALBOX_JOURNAL_SEGMENT": "64KiB", "SIGNALBOX_JOURNAL_KEEP": "256KiB"}
    lines = "".join(json.dumps({"type": "t", "payload": {"p": "p" * 500}}) + "\n" for _ in range(200))

    def fill():
        box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})

    with Box(env=little) as box:
        (box.data / "usage-seen").mkdir()
        fill()
        first = sorted((box.data / "journal").glob("*.ndjson"))[0]
        assert told(box, home)["new"] == 50
        eventually(lambda: box.request("GET", "/readyz").status == 503)
        for _ in range(20):
            fill()
        assert first.exists()
        (box.data / "usage-seen").rmdir()
        eventually(lambda: fill() or not first.exists())
        eventually(lambda: box.request("GET", "/readyz").status == 200)
        box.kill9()
        box.start()
        assert told(box, home)["new"] == 0 and total(box)["calls"] == 50


@test("a file of sums that is damaged or lost makes nothing count twice")
def _():
    home = temp_dir()
    session = SESSION.format(1)
    write(home, session, [answer(session, n, 1) for n in range(50)])
    for damage in ("flip", "lose"):
        with Box() as box:
            file = box.data / "usage"
            assert told(box, home)["new"] == 50
            eventually(lambda: (box.data / "usage-seen").exists() and
                       (box.data / "usage-seen").stat().st_size == 16 + 8 * 50)
            box.stop()
            if damage == "flip":
                bytes_ = bytearray(file.read_bytes())
                bytes_[len(bytes_) // 2] ^= 1
                file.write_bytes(bytes_)
            else:
                file.unlink()
            for _ in range(2):
                box.start()
                assert told(box, home)["new"] == 0 and total(box)["calls"] == 50, total(box)
                box.stop()
            box.start()


@test("who is killed while it imports begins again, and the sums are the same")
def _():
    home = temp_dir()
    for part in range(40):
        session = SESSION.format(part)
        write(home, session, [answer(session, n, 3) for n in range(part, 20000, 40)])
    with Box() as box:
        for _ in range(3):
            before = total(box)["calls"]
            running = subprocess.Popen([SIGNALBOX, "import", "--data", str(box.data), str(home)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            eventually(lambda: total(box)["calls"] > before or running.poll() is not None)
            running.send_signal(signal.SIGKILL)
            running.wait()
        told(box, home)
        sums = total(box)
        assert (sums["calls"], sums["output"]) == (20000, 60000), sums


@test("links, strangers' files and lines that are no JSON do no harm")
def _():
    home, other = temp_dir(), temp_dir()
    session = SESSION.format(1)
    file = write(home, session, [answer(session, 1, 1)])
    secret = write(other, "secret", [answer("secret", 2, 1)])
    os.symlink(secret, file.parent / "link.jsonl")
    os.symlink(secret.parent, home / "projects" / "folder")
    os.mkfifo(file.parent / "pipe.jsonl")
    left_out = 2
    if os.geteuid() == 0:
        os.chown(write(home, "theirs", [answer("theirs", 4, 1)]), 65534, 65534)
        left_out += 1
    else:
        comment("only root can make a file of another user")
    with file.open("ab") as more:
        more.write(b'{"type":"assistant","message":{"id":\n\xff\xfe\n{"type":"assistant"}\n' +
                   b'{"type":"attachment","x":"' + b"y" * 3_000_000 + b'"}\n')
        more.write(json.dumps(answer(session, 3, 1)).encode())  # without an end
    with Box() as box:
        done = told(box, home)
        assert done["calls"] == 2 and done["badLines"] >= 1 and done["leftOut"] == left_out, done
        text = cli("import", "--data", box.data, home).out
        assert "2 responses in 1 sessions: 0 new, 2 counted before" in text, text
        assert f"{left_out} left out: not plain files" in text, text
        assert "1 left out" in cli("import", "--data", box.data, file.parent / "pipe.jsonl").out
        assert cli("import", "--data", box.data, "/nowhere").code == 1
        assert cli("import", "--from", "nobody", "--data", box.data).code == 2
        empty = cli("import", "--json", "--data", box.data, temp_dir())
        assert json.loads(empty.out)["files"] == 0, empty
        for wrong in ({}, {"ids": "x"}, {"ids": [1]}, {"ids": ["x"] * 5001}):
            assert box.request("POST", "/api/usage/known", json.dumps(wrong),
                               {"Content-Type": "application/json"}).status == 400, wrong


def compressed(data):
    """By zstd itself, as Codex does it with rollouts of more than a week ago."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(library.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = library.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


@test("rollouts that Codex has compressed are read as they were; one that is cut is said to be unread")
def _():
    home = temp_dir()
    day = home / "sessions/2026/11/01"
    day.mkdir(parents=True)
    lines = (ROOT / "tests/fixtures/codex/rollout.jsonl").read_bytes()
    note = json.dumps({"timestamp": "x", "type": "world_state", "payload": "y" * 70_000}).encode() + b"\n"
    whole = compressed(lines[:500]) + compressed(lines[500:] + note * 30)  # frames may follow one another
    (day / "rollout-2026-11-01T13-01-01-th-1.jsonl.zst").write_bytes(whole)
    with Box() as box:
        done = told(box, home)
        assert done["files"] == 1 and done["new"] > 0, done
        assert told(box, home)["new"] == 0
        (day / "rollout-2026-11-01T13-01-01-th-2.jsonl.zst").write_bytes(whole[:-20])
        (day / "rollout-2026-11-01T13-01-01-th-3.jsonl.zst").write_bytes(b"nothing of the kind")
        bad = cli("import", "--json", "--data", box.data, home)
        assert bad.code == 1 and json.loads(bad.out)["unread"] == 2, bad
        assert "Bad message" in bad.err, bad


@test("a compressed rollout is whole whatever its length is, also a multiple of the pieces that are read")
def _():
    home = temp_dir()
    day = home / "sessions/2026/11/01"
    day.mkdir(parents=True)
    lines = (ROOT / "tests/fixtures/codex/rollout.jsonl").read_bytes()
    for piece in (1 << 18, 1 << 17):
        for times in (1, 2, 3):
            note = json.dumps({"timestamp": "x", "type": "world_state", "payload": ""}).encode() + b"\n"
            words = b"y" * (times * piece - len(lines) - len(note))
            whole = lines + note.replace(b'""', b'"' + words + b'"')
            assert len(whole) == times * piece
            (day / f"rollout-2026-11-01T13-01-01-th-{piece}-{times}.jsonl.zst").write_bytes(compressed(whole))
    with Box() as box:
        done = told(box, home)
        assert done["files"] == 6 and done["unread"] == 0 and done["new"] > 0, done


@test("without words the usual places are read: of Claude Code, Codex and Gemini CLI, each response once")
def _():
    home = temp_dir()
    session = SESSION.format(1)
    write(home / ".claude", session, [answer(session, 1, 1)])
    day = home / ".codex/sessions/2026/11/17"
    chats = home / ".gemini/tmp/shop/chats"
    for folder in (day, chats, home / ".codex/archived_sessions"):
        folder.mkdir(parents=True)
    fixtures = ROOT / "tests" / "fixtures"
    rollout = (fixtures / "codex/rollout.jsonl").read_text()
    (day / "rollout-2026-11-17T13-01-01-th-1.jsonl").write_text(rollout)
    (home / ".codex/archived_sessions/rollout-2026-11-17T13-01-01-th-1.jsonl").write_text(rollout)
    (day / "rollout-2026-11-17T13-01-01-th-2.jsonl").write_text(
        (fixtures / "codex/rollout-sums.jsonl").read_text())
    for name in ("gemini-chat.jsonl", "gemini-chat.json"):  # the same session, in both forms
        (chats / f"session-2026-11-17T13-02-{name}").write_text((fixtures / "agents" / name).read_text())
    (home / ".gemini/tmp/shop/logs.json").write_text("[]")
    (home / ".gemini/tmp/shop/.project_root").write_text("/home/ada/market")
    with Box() as box:
        env = {"HOME": str(home), "CODEX_HOME": "", "GEMINI_CLI_HOME": "", "CLAUDE_CONFIG_DIR": ""}
        done = cli("import", "--json", "--data", box.data, env=env)
        assert json.loads(done.out)["new"] == 7 and json.loads(done.out)["files"] == 6, done
        rows = {r["key"]: r for r in box.request("GET", "/api/usage?by=harness").json()["rows"]}
        assert {key: row["calls"] for key, row in rows.items()} == {
            "claude-code": 1, "codex": 4, "gemini-cli": 2}, rows
        assert (rows["codex"]["input"], rows["codex"]["cacheRead"], rows["codex"]["output"]) == (
            60 + 50 + 90 + 50, 40 + 150 + 50, 20 + 30 + 10 + 50), rows
        assert (rows["gemini-cli"]["input"], rows["gemini-cli"]["output"]) == (70 + 20, 25 + 9), rows
        rows = {r["key"] for r in box.request("GET", "/api/usage?by=project").json()["rows"]}
        assert rows == {"shop", "market"}, rows
        for program in ("claude", "codex", "gemini"):
            again = cli("import", "--json", "--from", program, "--data", box.data, env=env)
            assert json.loads(again.out)["new"] == 0 and json.loads(again.out)["files"], again
    assert cli("import", home / ".claude", "--data", temp_dir()).code == 1


if __name__ == "__main__":
    run()
