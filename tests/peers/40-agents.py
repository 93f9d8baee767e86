#!/usr/bin/env python3
"""Other agents under `signalbox run`, as they print: each is known by its shape, and is one run."""

import json
import os
import socket
import subprocess
from pathlib import Path

from peers import folder, node24, script
from lib import Box, cli, eventually, run, temp_dir, test

ENDS = ("completion", "error")


class Model:
    """A scripted model for all of them: a tool first, then words."""

    def __enter__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen([node24(), script("fake-model.mjs"), str(self.port)])
        eventually(self.is_there)
        return f"http://127.0.0.1:{self.port}"

    def is_there(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def by_node(name, program):
    return [node24(), str(folder(name) / "node_modules/.bin" / program)]


def gemini(url, home):
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text(
        json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    words = ["-p", "go", "--output-format", "stream-json", "--approval-mode", "yolo"]
    return [*by_node("google-gemini-cli", "gemini"), *words], {
        "GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def qwen(url, home):
    words = ["-p", "go", "--output-format", "stream-json", "--yolo", "--auth-type", "openai"]
    return [*by_node("qwen-code-qwen-code", "qwen"), *words], {
        "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "fake-1"}


def opencode(url, home):
    (home / "project/opencode.json").write_text(json.dumps({
        "permission": {"bash": "allow"}, "provider": {"fake": {
            "npm": "@ai-sdk/openai-compatible", "models": {"fake-1": {}},
            "options": {"baseURL": f"{url}/v1", "apiKey": "x"}}}}))
    cpu = "arm64" if os.uname().machine == "aarch64" else "x64"
    program = folder(f"opencode-linux-{cpu}") / f"node_modules/opencode-linux-{cpu}/bin/opencode"
    return [str(program), "run", "--format", "json", "-m", "fake/fake-1", "go"], {}


def pi(url, home):
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "fake-1", "name": "fake", "reasoning": False, "input": ["text"],
             "contextWindow": 10000, "maxTokens": 1000, "cost": cost}
    (home / ".pi/agent").mkdir(parents=True)
    (home / ".pi/agent/models.json").write_text(json.dumps({"providers": {"fake": {
        "baseUrl": f"{url}/v1", "apiKey": "x", "api": "openai-completions", "models": [model]}}}))
    words = ["--mode", "json", "--provider", "fake", "--model", "fake-1", "-p", "go"]
    return [*by_node("mariozechner-pi-coding-agent", "pi"), *words], {}


def codex(url, home):
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(
        'model = "fake-1"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\n'
        f'base_url = "{url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n')
    words = ["exec", "--json", "--skip-git-repo-check",
             "--dangerously-bypass-approvals-and-sandbox", "go"]
    return [*by_node("openai-codex", "codex"), *words], {"FAKE_KEY": "x"}


def told_by(agent):
    """What the box hears of one headless session."""
    home = Path(temp_dir())
    (home / "project").mkdir()
    with Model() as url, Box() as box:
        argv, more = agent(url, home)
        env = {"HOME": str(home), "PATH": f"{Path(node24()).parent}:{os.environ['PATH']}",
               "PWD": str(home / "project"), "TERM": "dumb", "NO_COLOR": "1",
               "LC_ALL": "C.UTF-8", **more}
        there = ["env", "-C", str(home / "project")]
        done = cli("run", "--data", box.data, "--", *there, *argv, env=env)
        assert done.code == 0, (agent.__name__, done)
        return [s for s in box.history() if s["source"] != "signalbox"]


for one in (gemini, qwen, opencode, pi, codex):
    @test(f"{one.__name__}: its tool, its words and its tokens are told once, in one run with one end")
    def _(agent=one):
        got = told_by(agent)
        assert len({s["correlationId"] for s in got}) == 1, got
        ends = [s for s in got if s["type"] in ENDS]
        assert len(ends) == 1 and got[-1] is ends[0], ends
        assert ends[0]["payload"]["success"] and ends[0]["metadata"]["exitCode"] == 0, ends
        assert ends[0]["payload"]["result"] == "All done é🙂.", ends
        types = [s["type"] for s in got]
        assert types.count("tool_call") == 1 and types.count("tool_result") == 1, types
        assert "token_usage" in types, types
        (call,) = [s for s in got if s["type"] == "tool_call"]
        assert "echo hi-from-tool" in json.dumps(call["payload"]), call


def kept_by(agent, program):
    """What one session left on the disk, as import counts it, and what the program printed."""
    home = Path(temp_dir())
    (home / "project").mkdir()
    with Model() as url, Box() as box:
        argv, more = agent(url, home)
        env = {"HOME": str(home), "PATH": f"{Path(node24()).parent}:{os.environ['PATH']}",
               "PWD": str(home / "project"), "TERM": "dumb", "NO_COLOR": "1",
               "LC_ALL": "C.UTF-8", **more}
        done = subprocess.run(argv, env=env, cwd=home / "project", stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=True)
        for new in (2, 0):
            told = cli("import", "--json", "--from", program, "--data", box.data,
                       env={"HOME": str(home), "CODEX_HOME": "", "GEMINI_CLI_HOME": ""})
            assert json.loads(told.out)["new"] == new, told
        rows = box.request("GET", "/api/usage?by=project").json()["rows"]
        assert [row["key"] for row in rows] == ["project"], rows
        assert "All done" not in json.dumps(box.history())
        return rows[0], done.stdout.splitlines()


@test("codex: what it keeps of a session has the tokens that it prints, counted once")
def _():
    row, lines = kept_by(codex, "codex")
    (usage,) = [json.loads(line)["usage"] for line in lines if "turn.completed" in line]
    assert row["calls"] == 2 and row["output"] == usage["output_tokens"], (row, usage)
    assert row["input"] == usage["input_tokens"] - usage["cached_input_tokens"], (row, usage)
    assert row["cacheRead"] == usage["cached_input_tokens"], (row, usage)


@test("gemini: what it keeps of a session has the tokens that it prints, counted once")
def _():
    row, lines = kept_by(gemini, "gemini")
    (stats,) = [json.loads(line)["stats"] for line in lines if '"type":"result"' in line]
    assert row["calls"] == 2, row
    assert (row["input"], row["output"]) == (20, 10), (row, stats)


run()
