#!/usr/bin/env python3
"""`signalbox top` has one name and one state for each session, and they are those of the API."""

import json
import re
import time

from lib import WS, Box, cli, eventually, run, test
from screens import Tmux

# What agents call themselves and their states, and the ids of their sessions: nothing for a person.
RAW = ("claude ", "acting", "streaming", "waiting", "5e55-", "agent_state_change")


def hook(box, name, session, project, **more):
    """As `signalbox hook` sends it, but over HTTP."""
    body = {"hook_event_name": name, "session_id": f"5e55-{session}", "cwd": f"/home/a/{project}",
            "permission_mode": "default", "transcript_path": f"/home/a/{session}.jsonl", **more}
    answer = box.request("POST", "/api/hooks/claude-code", json.dumps(body),
                         {"content-type": "application/json"})
    assert answer.status == 200, answer


def begin(box, session, project):
    hook(box, "SessionStart", session, project, source="startup")
    hook(box, "UserPromptSubmit", session, project, prompt=f"Do {session}", prompt_id="p")


def tool(box, session, project, name, **more):
    hook(box, "PreToolUse", session, project, tool_name=name, tool_use_id=name, **more)


def fill(box):
    """A session in every state that hooks can tell."""
    for session, project in (("think", "hall"), ("tool", "yard"), ("ask", "gate"), ("idle", "loft"),
                             ("fail", "mill"), ("end", "barn")):
        begin(box, session, project)
    tool(box, "tool", "yard", "Task", tool_input={"description": "look", "subagent_type": "Explore"})
    for agent in ("x1", "x2"):  # two of one kind are two
        hook(box, "SubagentStart", "tool", "yard", agent_id=agent, agent_type="Explore")
        tool(box, "tool", "yard", "Grep", agent_id=agent, agent_type="Explore",
             tool_input={"pattern": f"word-{agent}"})
    hook(box, "Stop", "idle", "loft")
    hook(box, "StopFailure", "fail", "mill", error="no credit")
    hook(box, "SessionEnd", "end", "barn", reason="exit")
    box.emit("text_delta", source="bot", correlationId="5e55-bot",
             payload={"agentId": "llm-poet", "content": "Once upon a time"})
    box.emit("prompt", source="local:claude-code", correlationId="5e55-ask",
             payload={"type": "confirm", "prompt": "May I?"})


def words(state):
    """As every screen says a state."""
    why = state.get("why", "")
    if state["name"] == "tool":
        return " ".join(filter(None, (state["tool"], state.get("target"))))
    if state["name"] == "asks":
        return "waits for you"
    return f"{state['name']}: {why}" if state["name"] in ("failed", "gone") and why else state["name"]


def members(box):
    answer = box.request("GET", "/api/crew")
    assert answer.status == 200, answer
    return {m["handle"]: m for m in answer.json()["members"]}


def is_working(box):
    names = {handle: m["state"]["name"] for handle, m in members(box).items()}
    wanted = {"hall-1": "thinking", "yard-1": "tool", "gate-1": "asks", "loft-1": "idle",
              "mill-1": "failed", "barn-1": "finished"}
    return wanted.items() <= names.items() and "answering" in names.values()


def pane(text, title):
    """The rows inside the frame with this title, without its edges."""
    lines = text.split("\n")
    at = next((i for i, line in enumerate(lines) if re.search(rf"[━─] {title} [━─]", line)), None)
    if at is None:
        return []
    left = re.search(rf"[┏╭][━─] {title} [━─]", lines[at]).start()
    right = min((i for i in range(left + 1, len(lines[at])) if lines[at][i] in "┓╮"))
    rows = []
    for line in lines[at + 1:]:
        if line[left:left + 1] in "╰┗":
            break
        rows.append(line[left + 1:right])
    return rows


def shown(m, cells):
    """Name and state of a session and of its subagents, as rows of panes have them."""
    rows = [(m["handle"], words(m["state"]))]
    rows += [(a["name"], words(a["state"])) for a in m["agents"] if a["state"]["name"] != "finished"]
    return [(name, said if len(said) <= cells else said[:cells - 1]) for name, said in rows]


def has_row(rows, name, said):
    return any(re.search(rf"(^|[ ›]){re.escape(name)} +{re.escape(said)}", row) for row in rows)


class Top(Tmux):
    def __init__(self, box, *args, cols=120, rows=44):
        super().__init__("top", "--data", box.data, *args, cols=cols, rows=rows)

    def __exit__(self, *_):
        super().__exit__()
        time.sleep(0.15)  # so that a box that stops next need not wait for it to close


def judge(screen, look):
    """Waits for it; what is on the screen when it is late."""
    try:
        eventually(lambda: look(screen.text()), every=0.05)
    except AssertionError:
        raise AssertionError(screen.text()) from None


def no_raw(text):
    for word in RAW:
        assert word not in text, f"{word!r} in\n{text}"


def walk(screen, crew):
    """From row to row; whom the head told of.  A key may be faster than a busy screen."""
    seen = set()
    screen.keys("g")
    for _ in range(sum(len(shown(m, 20)) for m in crew.values())):
        time.sleep(0.05)
        head = pane(screen.text(), "signalbox")
        m = crew[head[0].split()[0]]
        judge(screen, lambda text: words(m["state"]) in pane(text, "signalbox")[1])
        seen.add(m["handle"])
        screen.keys("j")
    return seen


@test("the crew, the head, LIVE and LOG say of each session what the API says")
def _():
    with Box() as box:
        fill(box)
        eventually(lambda: is_working(box))
        crew = members(box)
        for cols, rows in ((200, 50), (120, 44), (80, 44)):
            with Top(box, cols=cols, rows=rows) as screen:
                screen.shows("QUESTION", "gate-1 in gate")
                time.sleep(0.4)  # keys in the moment in which it appears mean something else
                screen.keys("Escape", "f")
                for m in crew.values():
                    for name, said in shown(m, 20):
                        judge(screen, lambda text: has_row(pane(text, "CREW"), name, said))
                eventually(lambda: set(crew) == walk(screen, crew))
                no_raw(screen.text())
                names = set(crew) | {f"yard-1 › {a['name']}" for a in crew["yard-1"]["agents"]}
                if cols < 100:
                    screen.keys("Tab", "y")  # the question is over, and the panes are next
                    screen.shows("CREW", lacks=("QUESTION",))
                    screen.keys("Tab", "Tab")
                judge(screen, lambda text: pane(text, "LOG"))
                for row in filter(str.strip, pane(screen.text(), "LOG")):
                    tag = row[9:].split(" ⚙")[0].split(" ▸")[0].split(" ·")[0].split(" ?")[0]
                    tag = tag.split(" ⚠")[0].split(" ↩")[0].split(" !")[0].split(" ✓")[0].strip()
                    assert any(n == tag or n.startswith(tag.rstrip("…")) for n in names), row
                no_raw(screen.text())


@test("LIVE has who says something, by its name and state, and each subagent below its parent")
def _():
    with Box() as box:
        fill(box)
        for agent, said in (("x1", "I found one"), ("x2", "I found two")):
            box.emit("text_delta", source="adapter:tap", correlationId="5e55-tool",
                     payload={"agentId": "Explore", "content": said}, metadata={"agent_id": agent})
        eventually(lambda: is_working(box))
        crew = members(box)
        with Top(box) as screen:
            screen.shows("LIVE", "Once upon a time", "I found one", "I found two")
            speaker = next(m for m in crew.values() if m["state"]["name"] == "answering")
            for m in (crew["yard-1"], speaker):
                for name, said in shown(m, 12):
                    judge(screen, lambda text: has_row(pane(text, "LIVE"), name, said))
            rows = pane(screen.text(), "LIVE")
            assert not any("hall-1" in row for row in rows), rows  # the crew has it
            no_raw(screen.text())
            time.sleep(0.4)
            screen.keys("Escape", "1")
            for m in crew.values():
                judge(screen, lambda text: has_row(pane(text, "INSPECTOR"), m["handle"],
                                                   words(m["state"])[:13]))
            judge(screen, lambda text: has_row(pane(text, "INSPECTOR"), "yard-1 › Explore", "Grep word-x2"))
            screen.keys("Escape", "3")
            screen.shows("INSPECTOR", "session ", "state ")
            screen.keys("Escape", "L")
            screen.shows("SIGNALS", "hall-1", "yard-1 › Exp", lacks=("adapter:tap",))


@test("a run of an agent with a chart shows where that is, and finished when it says so")
def _():
    with Box() as box, WS(box, "/ws/run?role=agent&session=5e55-poems", unix=True) as agent:
        agent.send({"kind": "event", "ts": int(time.time() * 1000), "event": "runner/started",
                    "data": {"session-id": "s", "chart-id": "tournament"}})
        agent.send({"kind": "phase", "config": ["run", "writing"], "breadcrumb": ["run", "writing"],
                    "siblings": ["planning", "writing", "judging"]})
        handle = eventually(lambda: list(members(box)))[0]
        with Top(box) as screen:
            screen.shows(handle, "run › writing", "◉ writing", "tournament")
            agent.send({"kind": "control", "op": "run-finished", "final-config": "[:done]"})
            eventually(lambda: members(box)[handle]["state"]["name"] == "finished")
            screen.shows("1 finished: f shows it", lacks=("Run finished",))
        with Top(box, "--session", handle) as screen:
            screen.shows(handle, "finished", "Run finished")


@test("verbs have the same names and states, as words and as JSON")
def _():
    with Box() as box:
        fill(box)
        eventually(lambda: is_working(box))
        crew = members(box)
        listed = cli("run", "list", "--all", "--data", box.data)
        assert listed.code == 0, listed
        for m in crew.values():
            row = next(line for line in listed.out.split("\n") if line.startswith(f"{m['handle']} "))
            assert words(m["state"]) in row, (row, m["state"])
        lines = cli("run", "list", "--all", "--json", "--data", box.data)
        said = json.loads(lines.out)
        said = {m["handle"]: m["state"]["name"] for m in (said if isinstance(said, list) else said["members"])}
        assert said == {h: m["state"]["name"] for h, m in crew.items()}, said
        asked = cli("prompts", "--data", box.data)
        assert asked.code == 0 and "gate-1" in asked.out and "5e55" not in asked.out, asked
        status = cli("status", "--data", box.data)
        assert "1 waits for you" in status.out or "gate-1" in status.out, status


run()
