#!/usr/bin/env python3
"""Each session is somebody on the stage, whatever source it is of: three sessions of one agent are
three figures, under the ids that the crew has, and again after a restart."""

from escapement import Hub
from gateway import Gateway, connected
from lib import WS, Box, cli, eventually, run, test
from servers import Upstream, add_source, until_state

NOW = 1794945500000


def look(box):
    answer = box.request("GET", "/api/stage")
    assert answer.status == 200, answer
    return answer.json()["entities"]


def cast(box):
    """Who plays whom: the stand-in by the name."""
    return {e["semanticId"]: e for e in look(box) if "label" in e}


def seen(box):
    """Those that are of a session and in sight."""
    return sorted(name for name, e in cast(box).items() if "@" in name and e["visible"])


def crew(box):
    return {m["id"]: m for m in box.request("GET", "/api/crew").json()["members"]}


def are_the_crews(box):
    """Every figure is that of a session, or of a subagent that the session has."""
    members = crew(box)
    for name in cast(box):
        head, _, session = name.rpartition("@")
        if not session or "@" not in name:
            continue
        assert members[session]["figure"], (name, members)
        if head:
            assert head.split("#")[1] in [a["id"] for a in members[session]["agents"]], (name, members)


def comes_back(box):
    """The same journal gives the same figures, with a checkpoint and without one."""
    before = {name: e["id"] for name, e in cast(box).items()}
    box.restart()
    assert {name: e["id"] for name, e in cast(box).items()} == before
    box.kill9()
    for path in (box.data / "journal").glob("checkpoint*"):
        path.unlink()
    box.start()
    assert {name: e["id"] for name, e in cast(box).items()} == before


# --- OpenClaw --------------------------------------------------------------------------


def tell(gateway, run, stream, key=None, **data):
    gateway.event("agent", {"runId": run, "stream": stream, "sessionKey": key or f"agent:main:{run}",
                            "data": data})


@test("three conversations with one agent of OpenClaw are three figures, each with its own state")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        for name in ("r1", "r2", "r3"):
            tell(gateway, name, "lifecycle", phase="start")
        eventually(lambda: seen(box) == ["@r1", "@r2", "@r3"])
        tell(gateway, "r1", "tool", phase="start", name="exec", toolCallId="t", args={"command": "ls"})
        tell(gateway, "r2", "assistant", delta="Hello.")
        eventually(lambda: cast(box)["@r1"]["activeState"] == "work"
                   and (cast(box)["@r2"].get("speech") or {}).get("text"))
        assert cast(box)["@r3"]["activeState"] == "acting", cast(box)
        assert not (cast(box)["@r3"].get("speech") or {}).get("text")
        assert {e["agentId"] for e in crew(box).values()} == {"openclaw"}, crew(box)
        assert not next(e for e in look(box) if e["semanticId"] == "openclaw")["visible"]
        states = {id: m["state"]["name"] for id, m in crew(box).items()}
        assert states["r1"] == "tool" and states["r2"] == "answering", states
        are_the_crews(box)


@test("the next run of a conversation is the same figure, and its end is not that of the others")
def _():
    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        for name in ("r1", "r2"):
            tell(gateway, name, "lifecycle", phase="start")
        tell(gateway, "r1", "lifecycle", phase="end")
        eventually(lambda: len(seen(box)) == 2 and cast(box)["@r1"]["activeState"] == "idle")
        assert cast(box)["@r2"]["activeState"] == "acting"
        tell(gateway, "r1-again", "lifecycle", "agent:main:r1", phase="start")
        eventually(lambda: cast(box)["@r1"]["activeState"] == "acting")
        eventually(lambda: crew(box)["r1"]["run"] == "r1-again")
        assert sorted(cast(box)) == ["@r1", "@r2"], cast(box)
        are_the_crews(box)
        comes_back(box)
        tell(gateway, "r1-third", "assistant", "agent:main:r1", delta="Here I am.")
        eventually(lambda: (cast(box)["@r1"].get("speech") or {}).get("text"))
        assert sorted(cast(box)) == ["@r1", "@r2"], cast(box)


@test("a conversation that another one began is its child, whichever is told of first, and stands below it")
def _():
    def spawn(run, key, by):
        gateway.event("agent", {"runId": run, "stream": "lifecycle", "sessionKey": key, "spawnedBy": by,
                                "data": {"phase": "start"}})

    def listed():
        rows = cli("run", "list", "--data", str(box.data)).out.splitlines()[1:]
        return [len(row) - len(row.lstrip()) for row in rows], [row.split()[0] for row in rows]

    with Box() as box, Gateway() as gateway:
        connected(box, gateway)
        spawn("r2", "agent:main:subagent:1", "agent:main:main")
        eventually(lambda: crew(box).get("r2", {}).get("parent") == "agent:main:main")
        tell(gateway, "r1", "lifecycle", "agent:main:main", phase="start")
        spawn("r3", "agent:main:subagent:2", "agent:main:subagent:1")
        tell(gateway, "r4", "lifecycle", "agent:main:other", phase="start")
        eventually(lambda: set(crew(box)) == {"r1", "r2", "r3", "r4"})
        for _ in range(2):
            members = crew(box)
            assert {id: m.get("parent") for id, m in members.items()} == {
                "r1": None, "r2": "r1", "r3": "r2", "r4": None}, members
            indents, handles = listed()
            at = handles.index(members["r1"]["handle"])
            assert handles[at:at + 3] == [members[id]["handle"] for id in ("r1", "r2", "r3")], handles
            assert sorted(indents) == [0, 0, 2, 4] and indents[at:at + 3] == [0, 2, 4], (indents, handles)
            box.restart()
            eventually(lambda: len(crew(box)) == 4)


# --- models ----------------------------------------------------------------------------


def ask(box, id, prompt, **more):
    answer = box.request("POST", f"/api/sources/{id}/ask", {"prompt": prompt, **more})
    assert answer.status == 200, answer
    return answer.json()["run"]


@test("three asks of one model are three figures, and a conversation is one")
def _():
    with Upstream() as up, Box() as box:
        for protocol in ("openai", "anthropic"):
            id = add_source(box, url=up.url, protocol=protocol, credential="k")
            until_state(box, id, "connected")
            runs = [ask(box, id, "slow") for _ in range(3)]
            eventually(lambda: set(f"@{r}" for r in runs) <= set(seen(box)))
            eventually(lambda: all((cast(box)[f"@{r}"].get("speech") or {}).get("text") for r in runs))
            assert len({crew(box)[r]["handle"] for r in runs}) == 3, crew(box)
        before = set(cast(box))
        first = ask(box, id, "good day", session="talk")
        eventually(lambda: crew(box).get(first, {}).get("state", {}).get("name") == "idle")
        second = ask(box, id, "and again", session="talk")
        eventually(lambda: crew(box)[first]["run"] == second)
        assert set(cast(box)) - before == {f"@{first}"}, cast(box)
        eventually(lambda: crew(box)[first]["state"]["name"] == "idle")
        single = ask(box, id, "good night")
        eventually(lambda: crew(box).get(single, {}).get("state", {}).get("name") == "finished")
        assert not [name for name in cast(box) if "@" not in name], cast(box)
        are_the_crews(box)
        comes_back(box)


# --- the run dialect -------------------------------------------------------------------


@test("three sessions of one agent of the run dialect are three figures, with those whom they call beside them")
def _():
    with Box() as box:
        agents = {}
        for session in ("s1", "s2", "s3"):
            agents[session] = WS(box, f"/ws/run?role=agent&session={session}", unix=True)
            agents[session].send({"kind": "event", "ts": 1, "event": "llm/start",
                                  "data": {"invokeid": "poet"}})
        eventually(lambda: seen(box) == ["@s1", "@s2", "@s3"])
        agents["s2"].send({"kind": "event", "ts": 2, "event": "llm/start", "data": {"invokeid": "critic"}})
        eventually(lambda: seen(box) == ["@s1", "@s2", "@s3", "critic#critic@s2"])
        eventually(lambda: [a["id"] for a in crew(box)["s2"]["agents"]] == ["critic"])
        agents["s3"].send({"kind": "prompt", "prompt-id": "p", "invokeid": "poet", "type": "select",
                           "opts": {"prompt": "Which?", "options": [{"label": "One", "value": "1"}]}})
        eventually(lambda: cast(box)["@s3"]["activeState"] == "waiting")
        assert cast(box)["@s1"]["activeState"] != "waiting"
        are_the_crews(box)
        comes_back(box)
        for agent in agents.values():
            agent.close()


@test("a session of the run dialect whose run is done is finished, whoever spoke in it, and so are those whom it called")
def _():
    def names(session):
        return [crew(box)[session]["state"]["name"],
                *[a["state"]["name"] for a in crew(box)[session]["agents"]]]

    with Box() as box:
        for session, path in (("s1", True), ("s2", False)):  # with a credential, and without one
            with WS(box, f"/ws/run?role=agent&session={session}", unix=path) as agent:
                for i, name in enumerate(("poet", "critic")):
                    agent.send({"kind": "event", "ts": NOW + i, "event": "llm/start", "data": {"invokeid": name}})
                eventually(lambda: session in crew(box) and names(session) == ["thinking", "thinking"])
                agent.send({"kind": "event", "ts": NOW + 9, "event": "runner/done",
                            "data": {"final-config": ["done"], "status": "done"}})
                eventually(lambda: names(session) == ["finished", "finished"])
                assert {n for n in cast(box) if n.endswith(f"@{session}")} == {f"@{session}", f"critic#critic@{session}"}


@test("so are those of a hub that is dialled")
def _():
    with Box() as box, Hub() as hub:
        add_source(box, id="hub", url=hub.url, protocol="run")
        until_state(box, "hub", "connected")
        for session in (":session/one", ":session/two"):
            hub.start(session)
            hub.say("word")
        eventually(lambda: {"@:session/one", "@:session/two"} <= set(seen(box)))
        are_the_crews(box)


# --- all others ------------------------------------------------------------------------


@test("agents that say nothing of a session are as they were: one figure by their name")
def _():
    with Box() as box:
        for i in range(3):
            box.emit("agent_state_change", correlationId=f"run:{i}",
                     payload={"agentId": "ada", "from": "idle", "to": "thinking"})
        eventually(lambda: len(crew(box)) == 3)
        assert list(cast(box)) == ["ada"], cast(box)
        assert not any(m["figure"] for m in crew(box).values()), crew(box)


@test("who says it itself is a session, and no stranger speaks for it")
def _():
    with Box() as box:
        for i in range(2):
            box.emit({"type": "agent_state_change", "source": "mine", "correlationId": f"run:{i}",
                      "payload": {"agentId": "ada", "from": "idle", "to": "thinking"},
                      "metadata": {"session": f"talk {i}"}})
        eventually(lambda: seen(box) == ["@run:0", "@run:1"])
        answer = box.request("POST", "/api/signal", {
            "type": "error", "source": "mine", "correlationId": "run:0",
            "payload": {"agentId": "ada", "message": "I fell"}}, unix=False)
        assert answer.status == 200, answer
        eventually(lambda: "ada" in cast(box))
        assert cast(box)["@run:0"]["activeState"] == "thinking", cast(box)
        are_the_crews(box)


run()
