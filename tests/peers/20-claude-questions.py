#!/usr/bin/env python3
"""Claude Code's own dialog and our screens are one question, with the real program."""

import os

from peers import ClaudeCode, Model, tool, versions
from lib import Box, eventually, run, test

NEWEST = versions()[-1]
QUESTIONS = [{"question": "Which colour?", "header": "Colour", "multiSelect": False,
              "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
             {"question": "Which sizes?", "header": "Size", "multiSelect": True,
              "options": [{"label": "S", "description": "small"}, {"label": "L", "description": "large"}]}]
TOUCH = tool("Bash", "toolu_t", command="touch made-by-claude", description="make it")


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def one_prompt(box, last=None):
    return eventually(lambda: [p for p in prompts(box) if p["id"] != last])[0]


def answer(box, prompt, value):
    return box.request("POST", f"/api/prompts/{prompt['id']}/answer", {"value": value})


def settled(box, prompt):
    def look():
        found = box.request("GET", "/api/signals?type=prompt.settled&limit=1000").json()["signals"]
        return [s["payload"] for s in found if s["payload"]["prompt"] == prompt["id"]]
    return eventually(look)[0]


class Asked:
    """A session that asks, in a terminal."""

    def __init__(self, *turn, version=NEWEST):
        self.model = Model([list(turn)])
        self.box = Box()
        self.claude = ClaudeCode(version, self.model)
        self.made = self.claude.project / "made-by-claude"

    def __enter__(self):
        self.model.__enter__()
        self.box.__enter__()
        self.claude.tap("install", self.box, "--approve")
        self.screen = self.claude.screen("--permission-mode", "default")
        self.screen.__enter__()
        self.screen.shows(self.claude.version)
        self.claude.tell(self.screen, "please go")
        self.prompt = one_prompt(self.box)
        return self

    def __exit__(self, *why):
        self.screen.__exit__(*why)
        self.box.__exit__(*why)
        self.model.__exit__(*why)


@test("an answer in its own dialog closes ours, and what it did is told, in every version")
def _():
    for version in versions():
        with Asked(TOUCH, version=version) as s:
            assert "touch made-by-claude" in s.prompt["prompt"], (version, s.prompt)
            s.screen.shows("Yes")
            # A dialog that has just been drawn may not take the first.
            eventually(lambda: s.screen.keys("Enter") or s.made.exists(), every=2)
            eventually(lambda: not prompts(s.box))
            late = answer(s.box, s.prompt, "deny")
            assert late.status == 409 and "decided there" in late.json()["error"], (version, late)
            end = settled(s.box, s.prompt)
            assert end["by"] == "agent" and end["decision"] == "allow", (version, end)


@test("an answer on our side is what it does, and its dialog is gone, in every version")
def _():
    for version in versions():
        with Asked(TOUCH, version=version) as s:
            assert answer(s.box, s.prompt, "deny").status == 200
            s.screen.shows("All is done.")
            end = settled(s.box, s.prompt)
            assert end["decision"] == "deny" and end["by"]["user"], (version, end)
            assert not s.made.exists()


@test("its questions are answered from our side")
def _():
    with Asked(tool("AskUserQuestion", "toolu_q", questions=QUESTIONS)) as s:
        assert s.prompt["type"] == "select" and s.prompt["prompt"] == "Which colour?", s.prompt
        assert answer(s.box, s.prompt, "Blue").status == 200
        second = one_prompt(s.box, s.prompt["id"])
        assert second["type"] == "multi", second
        assert answer(s.box, second, ["S", "(other)"]).status == 200
        third = one_prompt(s.box, second["id"])
        assert answer(s.box, third, "XXL").status == 200
        s.screen.shows("All is done.")
        told = s.model.results()["toolu_q"][1]
        assert "Blue" in told and "S, XXL" in told, told
        assert settled(s.box, third)["decision"] == "answered"


@test("kill -9 closes its questions and ends the hook that waits")
def _():
    with Asked(TOUCH) as s:
        (file,) = (s.claude.config / "sessions").glob("*.json")
        hooks = [int(p) for p in os.listdir("/proc") if p.isdigit() and is_hook(int(p), s.box)]
        assert hooks
        os.kill(int(file.stem), 9)
        eventually(lambda: not prompts(s.box))
        eventually(lambda: not any(os.path.exists(f"/proc/{p}") for p in hooks))


def is_hook(pid, box):
    try:
        words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
    except OSError:
        return False
    return b"--decide" in words and str(box.data).encode() in words


run()
