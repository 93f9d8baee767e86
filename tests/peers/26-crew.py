#!/usr/bin/env python3
"""The crew, of real Claude Code: three sessions in three projects, against what it leaves itself."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

from peers import ClaudeCode, Model, say, tool
from lib import PATIENCE_S, ROOT, Box, cli, eventually, run, test

OVER = ("finished", "failed", "gone", "idle")  # subagents that have no row of their own any more
PAGE = ROOT / "tests" / "peers" / "page_rows.mjs"


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


def money(usage):
    """As the page writes it: at least, where calls were hidden or have no price."""
    cost = usage["cost"]
    if not isinstance(cost, (int, float)) or (usage["unknown"] and cost == 0):
        return "unknown"
    words = "< $0.01" if 0 < cost < 0.01 else f"${cost:.2f}"
    return ("≥ " if cost and (usage.get("atLeast") or usage["unknown"]) else "") + words


def differences(member, row):
    """Between a session of the API and its row on the page."""
    expected = {"state": member["state"]["name"], "group": member["group"], "handle": member["handle"],
                "title": member.get("title", ""),
                "subagents": sum(a["state"]["name"] not in OVER for a in member.get("agents", []))}
    if "plan" in member:
        expected["plan"] = f"{member['plan']['done']} of {member['plan']['total']}"
    if member["state"]["name"] == "tool":
        expected |= {"doing": member["state"]["tool"], "target": member["state"]["target"]}
    if "usage" in member:
        expected["cost"] = money(member["usage"])
    found = [(name, value, row[name]) for name, value in expected.items() if row[name] != value]
    if member["project"] not in row["place"]:
        found.append(("place", member["project"], row["place"]))
    for name in ("input", "output", "calls"):
        count = member.get("usage", {}).get(name, 0)
        if count and f"{name} {count:,}" not in row["tokens"]:
            found.append((name, count, row["tokens"]))
    return found


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

    def written(self, one=None):
        """Each response of all transcripts once, or of one session: (input, output) by its id."""
        found = {}
        paths = self.claude.config.glob("projects/*/**/*.jsonl") if one is None else \
            [one, *one.with_suffix("").glob("**/*.jsonl")]
        for path in paths:
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

    def page(self):
        """What the page shows of each session, by its id."""
        ids = [m["id"] for m in self.crew()]
        url = cli("open", "--data", self.box.data, "--print").out.strip()
        done = subprocess.run([os.environ.get("NODE", "node"), PAGE, url, *ids], capture_output=True,
                              text=True, timeout=4 * PATIENCE_S)
        assert done.returncode == 0, done.stderr
        return {row["id"]: row for row in json.loads(done.stdout)}

    def page_agrees(self):
        """States, names, tokens and costs on the page are those of the API, of its transcripts and of
        its registry."""
        def look():
            before, rows, after = self.crew(), self.page(), self.crew()
            if [(m["id"], m["state"], m.get("usage")) for m in before] != \
                    [(m["id"], m["state"], m.get("usage")) for m in after]:
                return "it moves"
            return [fault for m in after for fault in differences(m, rows[m["id"]])] or rows
        seen = []
        eventually(lambda: seen.append(look()) or isinstance(seen[-1], dict)
                   or (isinstance(seen[-1], list) and seen[-3:] == [seen[-1]] * 3))
        rows = seen[-1]
        assert isinstance(rows, dict), rows
        for project in ("shop", "api"):
            member = self.of(project)
            if member and member["id"] in rows:
                self.page_is_what_it_wrote(member, rows[member["id"]])

    def page_is_what_it_wrote(self, member, row):
        written = self.written(Path(member["transcript"])).values()
        shown = {name: int(count.replace(",", "")) for name, count in
                 re.findall(r"(input|output|calls) ([\d,]+)", row["tokens"])}
        counted = {"input": sum(w[0] for w in written), "output": sum(w[1] for w in written),
                   "calls": len(written)}
        assert shown == {name: n for name, n in counted.items() if n}, (row, counted)
        listed = [json.loads(path.read_text()) for path in self.claude.config.glob("sessions/*.json")]
        for entry in listed:  # the older version keeps none
            if entry["sessionId"] == member["id"] and entry.get("status") == "idle":
                assert row["state"] == "idle", (entry, row)

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
                office.page_agrees()
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
                office.page_agrees()
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
            office.page_agrees()


@test("2.1.325: money of a fork counts once, and a model whose price it guesses has none")
def _():
    model = Model(lambda request: [say("All is done.")])
    claude = ClaudeCode("2.1.325", model)

    def sums(box):
        return box.request("GET", "/api/usage?by=model").json()

    def figures():
        lines = [json.loads(line) for file in claude.home.glob(".claude/projects/*/*.jsonl")
                 for line in file.read_text().splitlines()]
        return [line["totalCostUSD"] for line in lines if line["type"] == "cost-state"]

    with model, Box(env={"HOME": str(claude.home)}) as box:
        claude.tap("install", box)
        assert claude.ask("begin", "--model", "claude-opus-5-5").code == 0
        session = next(claude.home.glob(".claude/projects/*/*.jsonl")).stem
        one = eventually(lambda: sums(box)["total"]["cost"])
        assert claude.ask("go on", "--resume", session, "--fork-session", "--model", "claude-opus-5-5").code == 0
        assert len(figures()) == 2 and abs(max(figures()) - 2 * one) < 1e-6, figures()
        eventually(lambda: sums(box)["total"]["calls"] == 2)
        assert claude.ask("go on", "--resume", session, "--model", "made-up-9").code == 0
        eventually(lambda: sums(box)["total"]["calls"] == 3)
        eventually(lambda: all(m["state"]["name"] == "finished" for m in box.request("GET", "/api/crew").json()["members"]))
        told = sums(box)
        assert abs(told["total"]["cost"] - 2 * one) < 1e-6 and told["total"]["unknown"], told
        assert next(row for row in told["rows"] if row["key"] == "made-up-9")["cost"] is None, told


@test("2.1.325: rows, states, plans, changes, tokens and costs on every screen are what it wrote itself")
def _():
    check_crew("2.1.325")


@test("2.1.97: rows, states, plans, changes, tokens and costs on every screen are what it wrote itself")
def _():
    check_crew("2.1.97")


run()
