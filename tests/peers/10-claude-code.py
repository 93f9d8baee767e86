#!/usr/bin/env python3
"""Claude Code as people have it, of every version in the lab."""

from peers import ClaudeCode, Model, say, tool, versions
from lib import run, test


@test("every version runs headless, does what the model says and tells it what came of it")
def _():
    for version in versions():
        with Model([[say("I look."), tool("Bash", "toolu_a", command="echo hello")]]) as model:
            done = ClaudeCode(version, model).ask("please look")
            assert done.code == 0 and "All is done." in done.out, (version, done)
            assert "hello" in model.results()["toolu_a"][1], (version, model.results())


@test("every version runs in a terminal, and asks before it acts")
def _():
    for version in versions():
        with Model([[tool("Bash", command="touch made-by-claude")]]) as model:
            claude = ClaudeCode(version, model)
            with claude.screen() as screen:
                screen.shows(version)
                claude.tell(screen, "please make it")
                screen.shows("touch made-by-claude", "Do you want to proceed?")
                assert not (claude.project / "made-by-claude").exists()
                screen.keys("Enter")
                screen.shows("All is done.")
                assert (claude.project / "made-by-claude").exists()


run()
