#!/usr/bin/env python3
"""The crew, of real Claude Code: three sessions in three projects, against what it leaves itself."""

import json
import os
import signal
from pathlib import Path

from peers import ClaudeCode, Model, say, tool
from lib import Box, cli, eventually, run, test


def words_of(request):
    return json.dumps(request["messages"])


def results_in(request):
    return sum(1 for m in request["messages"] if isinstance(m["content"], list)
               for b in m["content"] if b.get("type") == "tool_result")


def plan(request):
    """A todo list, in the tools that this version has."""
    if any(t.get("name") == "TodoWrite" for t in request["tools"]):
        return [tool("TodoWrite", todos=[
            {"content": "Find it", "activeForm": "Finding it", "status": "completed"},
            {"content": "Mend it", "activeForm": "Mending it", "status": "in_progress"}])]
    return [tool("TaskCreate", subject=subject, description=subject, activeForm=subject)
            for subject in ("Find it", "Mend it")]


def subagent(request):
    name = "Agent" if any(t.get("name") == "Agent" for t in request["tools"]) else "Task"
    return [tool(name, description="look around", prompt="SUB-JOB", subagent_type="general-purpose")]


def shop(request):
    turns = [lambda: plan(request),
             lambda: [tool("Write", file_path="till.txt", content="a\nb\n")],
             lambda: [tool("Bash", command="exit 3", description="a test that fails")],
             lambda: subagent(request)]
    done = results_in(request) - (len(plan(request)) - 1 if results_in(request) else 0)
    return turns[done]() if done < len(turns) else [say("The till is mended.")]


def model_says(request):
    words = words_of(request)
    if "SUB-JOB" in words and "SHOP-JOB" not in words:
        return [tool("Bash", command="ls", description="look")] if not results_in(request) else [say("Seen.")]
    if "SHOP-JOB" in words:
        return shop(request)
    if "API-JOB" in words:
        return [tool("Bash", command="touch forbidden", description="make it")] \
            if not results_in(request) else [say("So be it.")]
    if "WEB-JOB" in words and "go on" not in words:
        return [tool("Bash", command="tail -f /dev/null", description="wait")]
    return [say("All is done.")]


class Office:
    """One user with three projects, a box, and a terminal for each session."""

    def __init__(self, version):
        self.model = Model(model_says)
        self.claude = ClaudeCode(version, self.model)
        self.box = Box(env={"HOME": str(self.claude.home)})
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        path = self.claude.home / ".claude.json"
        state = json.loads(path.read_text())
        for name in ("shop", "api", "web"):
            (self.claude.home / name).mkdir()
            state["projects"][str(self.claude.home / name)] = trusted
        path.write_text(json.dumps(state))

    def __enter__(self):
        self.model.__enter__()
        self.box.__enter__()
        self.claude.tap("install", self.box, "--approve")
        return self

    def __exit__(self, *why):
        self.box.__exit__(*why)
        self.model.__exit__(*why)

    def in_project(self, name):
        self.claude.project = self.claude.home / name
        return self.claude

    def crew(self):
        return self.box.request("GET", "/api/crew").json()["members"]

    def all_of(self, project):
        """Without the one that a version begins before it takes up an older one."""
        return [m for m in self.crew() if m.get("project") == project
                and m["state"].get("why") != "its process went on with another session"]

    def of(self, project):
        return next(iter(self.all_of(project)), None)

    def state(self, project):
        found = self.of(project)
        return found["state"]["name"] if found else None

    def reaches(self, project, *states):
        return eventually(lambda: self.state(project) in states and self.of(project))

    def written(self):
        """Each response of all transcripts once: (input, output) by its id."""
        found = {}
        for path in self.claude.config.glob("projects/*/**/*.jsonl"):
            for line in path.read_text().splitlines():
                message = json.loads(line).get("message") or {}
                usage = message.get("usage")
                if usage and message.get("role") == "assistant" and message["model"] != "<synthetic>":
                    before = found.get(message["id"], (0, 0))
                    found[message["id"]] = (usage["input_tokens"],
                                            max(before[1], usage["output_tokens"]))
        return found

    def counted(self):
        total = self.box.request("GET", "/api/usage?by=model").json()["total"]
        return total["input"], total["output"]

    def screens_agree(self):
        """API, `run list` and `top` say the same of each session."""
        def look():
            api = {m["handle"]: m["state"]["name"] for m in self.crew()}
            listed = json.loads(cli("run", "list", "--all", "--json", "--data", self.box.data).out)
            top = json.loads(cli("top", "--once", "--json", "--data", self.box.data).out)
            rows = [{m["handle"]: m["state"]["name"] for m in
                     (found["members"] if isinstance(found, dict) else found)}
                    for found in (listed, top["crew"])]
            return rows == [api, api] or (api, rows)
        eventually(lambda: look() is True)


def check_crew(version):
    with Office(version) as office:
        claude = office.in_project("shop")
        with claude.screen("--permission-mode", "acceptEdits", "--allowedTools",
                           "Bash,Write,Agent,Task,TodoWrite,TaskCreate") as shop_screen:
            shop_screen.shows(version)
            claude.tell(shop_screen, "SHOP-JOB")
            shop_screen.shows("The till is mended.")
            mended = office.reaches("shop", "idle")
            assert mended["title"] == "SHOP-JOB" and mended["handle"] == "shop-1", mended
            assert mended["plan"]["total"] == 2, mended["plan"]
            assert mended["changes"]["added"] == 2, mended["changes"]
            assert len(mended["agents"]) == 1, mended["agents"]
            assert mended["agents"][0]["state"]["name"] in ("finished", "idle"), mended["agents"]

            claude = office.in_project("api")
            with claude.screen() as api_screen:
                api_screen.shows(version)
                claude.tell(api_screen, "API-JOB")
                asks = office.reaches("api", "asks")
                assert asks["state"]["tool"] == "Bash", asks["state"]
                office.screens_agree()
                api_screen.shows("Yes")
                eventually(lambda: api_screen.keys("Escape") or office.state("api") == "idle", every=2)
                assert not (claude.project / "forbidden").exists()

                claude = office.in_project("web")
                process = claude.start("WEB-JOB")
                works = office.reaches("web", "tool")
                assert works["state"]["tool"] == "Bash" and "tail" in works["state"]["target"], works
                written = Path(works["transcript"])  # what is resumed must have been written
                eventually(lambda: written.exists() and "tool_use" in written.read_text())
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                office.reaches("web", "gone")
                office.screens_agree()
                resumed = claude.ask("go on", "--resume", works["id"])
                assert resumed.code == 0, resumed
                back = office.reaches("web", "finished", "idle")
                assert back["id"] == works["id"] and back["handle"] == works["handle"], back
                forked = claude.ask("go on", "--resume", works["id"], "--fork-session")
                assert forked.code == 0, forked
                eventually(lambda: len(office.all_of("web")) == 2 or office.all_of("web"))
                assert len(office.all_of("web")) == 2, office.all_of("web")

                claude = office.in_project("shop")
                before = len(office.model.asked)
                shop_screen.type("/compact")
                shop_screen.shows("/compact")
                eventually(lambda: shop_screen.keys("Enter") or len(office.model.asked) > before, every=2)
                office.reaches("shop", "idle")

            def is_counted():
                written = office.written().values()
                return office.counted() == (sum(w[0] for w in written), sum(w[1] for w in written))
            eventually(is_counted)
            office.screens_agree()


@test("2.1.325: rows, states, plans, changes and tokens of three sessions are what it wrote itself")
def _():
    check_crew("2.1.325")


@test("2.1.97: rows, states, plans, changes and tokens of three sessions are what it wrote itself")
def _():
    check_crew("2.1.97")


run()
