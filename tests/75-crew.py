#!/usr/bin/env python3
"""The crew: sessions with a name, one state, and the same on every door."""

import json
import re

from lib import WS, Box, Process, cli, eventually, run, temp_dir, test


def hook(box, name, session, **more):
    """As `signalbox hook` sends it, but over HTTP."""
    body = {"hook_event_name": name, "session_id": session, "cwd": "/home/a/checkout",
            "permission_mode": "default", "transcript_path": f"/home/a/{session}.jsonl", **more}
    answer = box.request("POST", "/api/hooks/claude-code", json.dumps(body),
                         {"content-type": "application/json"})
    assert answer.status == 200, answer


def crew(box):
    answer = box.request("GET", "/api/crew")
    assert answer.status == 200, answer
    return {m["id"]: m for m in answer.json()["members"]}


def member(box, name):
    answer = box.request("GET", f"/api/crew/{name}")
    return answer.json()["member"] if answer.status == 200 else None


def begin(box, session, **more):
    hook(box, "SessionStart", session, source="startup", **more)
    hook(box, "UserPromptSubmit", session, prompt=f"Do {session}\nnow", prompt_id="p", **more)


@test("each session has a handle of its project, a title and one state")
def _():
    with Box() as box:
        for session in ("one", "two"):
            begin(box, session)
        begin(box, "three", cwd="/home/a/shop")
        hook(box, "PreToolUse", "two", tool_name="Bash", tool_use_id="c",
             tool_input={"command": "sleep 3600"})
        hook(box, "Stop", "three")
        all_of = crew(box)
        assert [all_of[s]["handle"] for s in ("one", "two", "three")] == \
            ["checkout-1", "checkout-2", "shop-1"], all_of
        assert all_of["one"]["state"]["name"] == "thinking", all_of
        state = all_of["two"]["state"]
        assert (state["name"], state["tool"], state["target"]) == ("tool", "Bash", "sleep 3600")
        assert all_of["two"]["group"] == "work" and all_of["three"]["group"] == "idle", all_of
        assert all_of["three"]["title"] == "Do three" and all_of["three"]["titleFrom"] == "asked"
        assert all_of["one"]["agent"] == "Claude Code", all_of
        assert member(box, "checkout-2")["id"] == "two"
        assert member(box, "nobody") is None


@test("handles, titles and states are the same after a restart, and no number is given twice")
def _():
    with Box() as box:
        begin(box, "one")
        hook(box, "PreToolUse", "one", tool_name="Bash", tool_use_id="c", tool_input={})
        before = {k: v for k, v in member(box, "one").items() if k != "spark"}
        for stop in (box.stop, box.kill9):
            stop()
            box.start()
            after = {k: v for k, v in member(box, "one").items() if k != "spark"}
            assert before == after, (before, after)
        begin(box, "two")
        assert member(box, "two")["handle"] == "checkout-2"


@test("a person with control renames a session, and that is a signal of the box")
def _():
    with Box() as box:
        begin(box, "one")
        json_type = {"content-type": "application/json"}
        answer = box.request("POST", "/api/crew/checkout-1/title", '{"title":"The till"}', json_type)
        assert answer.status == 200, answer
        found = eventually(lambda: (m := member(box, "one")) and m.get("title") == "The till" and m)
        assert found["titleFrom"] == "person", found
        told = box.request("GET", "/api/signals?type=session.title").json()["signals"][-1]
        assert told["source"] == "signalbox" and told["payload"]["by"]["user"], told
        too_long = json.dumps({"title": "a" * 201})
        for bad in ("{}", '{"title":1}', '{"title":"a","b":1}', "no", too_long):
            answer = box.request("POST", "/api/crew/one/title", bad, json_type)
            assert answer.status == 400, answer
        assert box.request("POST", "/api/crew/no/title", '{"title":"a"}', json_type).status == 404


@test("a session at work that falls silent is gone; one that waits or rests is not")
def _():
    config = temp_dir() / "c.yaml"
    config.write_text("crew: {silent: 2s}\n")
    with Box(["--config", str(config)]) as box:
        for run in ("asks", "works", "rests"):
            box.emit({"type": "thinking", "source": "mine", "correlationId": run, "payload": {}})
        box.emit({"type": "prompt", "source": "mine", "correlationId": "asks",
                  "payload": {"type": "confirm", "prompt": "May I?"}})
        box.emit({"type": "agent_state_change", "source": "mine", "correlationId": "rests",
                  "payload": {"to": "idle"}})
        eventually(lambda: member(box, "works")["state"]["name"] == "gone")
        assert member(box, "rests")["state"]["name"] == "idle"
        assert member(box, "asks")["state"]["name"] == "asks"
        told = [s for s in box.history() if s["type"] == "session.gone"]
        assert [s["correlationId"] for s in told] == ["works"], told
        assert told[0]["payload"]["by"] == "deadline" and told[0]["source"] == "signalbox", told


@test("a native client hears of all sessions once, then of those that changed")
def _():
    with Box() as box:
        begin(box, "one")
        crew(box)
        ws = WS(box)
        ws.json()
        ws.send({"op": "subscribe", "after": 0, "types": ["none"], "crew": True})
        first = ws.json()
        assert first["op"] == "crew" and [m["handle"] for m in first["all"]] == ["checkout-1"], first
        hook(box, "Stop", "one")
        changed = ws.json()
        while changed["changed"] and changed["changed"][0]["state"]["name"] != "idle":
            changed = ws.json()
        assert changed["op"] == "crew" and changed["removed"] == [], changed
        ws.send({"op": "subscribe", "crew": 1})
        assert ws.json()["code"] == "invalid"


@test("a handle stands for its run wherever a run is named")
def _():
    with Box() as box:
        begin(box, "one")
        answer = box.request("GET", "/api/runs/checkout-1")
        assert answer.status == 200 and answer.json()["run"]["id"] == "one", answer
        assert box.request("GET", "/api/runs/checkout-1/messages").status == 200
        assert box.request("GET", "/api/runs/checkout-9").status == 404


@test("the command line lists sessions in words, those that wait first, what is over on demand")
def _():
    with Box() as box:
        on = ("--data", box.data)
        for session, project in (("one", "shop"), ("two", "docs"), ("three", "api"), ("four", "web")):
            begin(box, session, cwd=f"/home/a/{project}")
        hook(box, "PreToolUse", "one", tool_name="Bash", tool_use_id="c", cwd="/home/a/shop",
             tool_input={"command": "npm \x1b[31mtest"})
        hook(box, "Stop", "three", cwd="/home/a/api")
        hook(box, "SessionEnd", "two", reason="exit", cwd="/home/a/docs")
        box.emit("prompt", correlationId="four", source="local:claude-code",
                 payload={"type": "confirm", "prompt": "May I?"})
        lines = cli("run", "list", *on).out.splitlines()
        assert [line.split()[0] for line in lines] == ["HANDLE", "web-1", "shop-1", "api-1", "1"], lines
        assert "waits for you" in lines[1] and "Do four" in lines[1], lines
        assert "Bash npm" in lines[2] and "\x1b" not in lines[2], lines
        assert lines[4] == "1 finished session is hidden: --all shows it", lines
        every = cli("run", "list", "--all", *on).out.splitlines()
        assert every[-1].split()[0] == "docs-1" and "finished" in every[-1], every
        told = json.loads(cli("run", "list", "--json", *on).out)
        assert [m["handle"] for m in told] == ["web-1", "shop-1", "api-1", "docs-1"], told
        assert cli("run", "show", "shop-1", *on).out.startswith("run       one\n")


@test("one name for a session on the whole command line")
def _():
    with Box() as box:
        on = ("--data", box.data)
        begin(box, "one")
        begin(box, "two", cwd="/home/a/shop")
        hook(box, "Stop", "two", cwd="/home/a/shop")
        box.emit("prompt", correlationId="one", source="local:claude-code",
                 payload={"type": "confirm", "prompt": "May I?"})
        box.emit("note", source="me", payload={})
        told = cli("status", *on).out
        assert "\n1 waits for you, 1 idle\nwaiting for you: checkout-1\n" in told, told
        told = json.loads(cli("status", "--json", *on).out)["crew"]
        assert told == {"waits": 1, "failed": 0, "work": 0, "idle": 1, "over": 0,
                        "waiting": ["checkout-1"]}, told
        prompts = cli("prompts", *on).out.splitlines()
        assert prompts[0].split() == ["ID", "TYPE", "SESSION", "PROJECT", "PROMPT"], prompts
        assert prompts[1].split()[1:] == ["confirm", "checkout-1", "checkout", "May", "I?"], prompts
        assert "May I?" in cli("prompts", "checkout-1", *on).out
        names = [line.split()[2] for line in cli("tail", "--from", "0", "-n", "7", *on).out.splitlines()]
        assert names == ["checkout-1"] * 2 + ["shop-1"] * 3 + ["checkout-1", "me"], names
        only = cli("tail", "--from", "0", "-n", "3", "--run", "shop-1", "--json", *on).out
        assert {json.loads(line)["correlationId"] for line in only.splitlines()} == {"two"}, only
        wrong = cli("tail", "--run", "nobody", *on)
        assert wrong.code == 1 and "no session is called 'nobody'" in wrong.err, wrong
        crew_of = json.loads(cli("top", "--once", "--json", *on).out)["crew"]
        assert {m["handle"] for m in crew_of} == {"checkout-1", "shop-1"}, crew_of
        one = json.loads(cli("top", "--once", "--json", "--session", "shop-1", *on).out)
        assert one["id"] == "two", one
        assert cli("answer", "checkout-1", "yes", *on).code == 0
        assert cli("prompts", *on).out == "no prompt is open\n"
        assert cli("answer", "checkout-1", "yes", *on).code == 1
        assert cli("run", "list", "--handles", *on).out.split() == ["checkout-1", "shop-1"]


@test("a session of several runs is followed whole, opened by its handle, and ended by it")
def _():
    with Box() as box:
        on = ("--data", box.data)

        def say(run):
            box.emit("text_delta", correlationId=run, source="bot", payload={"content": run},
                     metadata={"session": run[0]})

        for run in ("a1", "b1", "a2"):
            say(run)
        handle = member(box, "a1")["handle"]
        assert member(box, "a2")["handle"] == handle != member(box, "b1")["handle"]
        whole = cli("tail", "--from", "0", "-n", "2", "--run", handle, "--json", *on).out
        assert [json.loads(line)["correlationId"] for line in whole.splitlines()] == ["a1", "a2"], whole
        with Process("tail", "--run", handle, "--json", "-n", "1", *on) as later:
            eventually(lambda: box.request("GET", "/api/status").json()["clients"] > 0)
            say("b2"), say("a3")
            assert json.loads(later.line())["correlationId"] == "a3", "a run that began after"
        url = cli("open", handle, "--print", *on).out.strip()
        assert re.search(rf"/#t=[0-9a-f]{{64}}/crew/{handle}$", url), url
        wrong = cli("open", "nobody", "--print", *on)
        assert wrong.code == 1 and "no session is called 'nobody'" in wrong.err, wrong
        ended = [cli("cancel", name, *on).err for name in (handle, "a3")]
        assert ended[0] == ended[1] and "no such run" not in ended[0], ended


@test("a session says what it spent, each response once, and unknown where a model has no price")
def _():
    with Box() as box:
        begin(box, "one")
        assert "usage" not in member(box, "one")
        spent = {"agentId": "claude", "promptTokens": 1000, "completionTokens": 500, "responseId": "r1",
                 "inputTokens": 1000, "cacheReadTokens": 2000, "contextTokens": 3000}
        for _ in range(2):
            box.emit("token_usage", source="adapter:transcript", correlationId="one",
                     payload={**spent, "model": "claude-opus-5-5"})
        found = member(box, "one")
        usage = found["usage"]
        assert (usage["input"], usage["output"], usage["cacheRead"], usage["calls"]) == (1000, 500, 2000, 1), usage
        assert abs(usage["cost"] - 0.0144) < 1e-9 and not usage["unknown"], usage
        assert found["context"]["used"] == 3000 and found["context"]["window"] == 1_000_000, found
        assert crew(box)["one"]["usage"] == usage
        begin(box, "two")
        box.emit("token_usage", source="adapter:transcript", correlationId="two",
                 payload={**spent, "responseId": "r2", "model": "nobody-knows-1"})
        usage = member(box, "two")["usage"]
        assert usage["unknown"] and usage["cost"] is None and usage["output"] == 500, usage

@test("a line that says error makes no failed session; a program that ends badly does")
def _():
    script = ('echo "Error: 1 test FAILED"; echo "{\\"note\\":1}"; echo "ValueError: x"; echo ready; '
              'while ! test -e "$0"; do sleep 0.02; done; exit "$1"')
    with Box() as box:
        for protocol, code, end in (("raw", 0, "finished"), ("lines", 0, "finished"), ("raw", 3, "failed")):
            flag = temp_dir() / "flag"
            known = set(crew(box))
            with Process("run", "--data", box.data, "--parse", protocol, "--",
                         "sh", "-c", script, flag, str(code)) as process:
                while process.line() != "ready":
                    pass
                name = eventually(lambda: set(crew(box)) - known).pop()
                eventually(lambda: len(box.history(f"&correlationId={name}&type=error")) == 2)
                first = box.history(f"&correlationId={name}")
                assert first[0]["type"] == "task_dispatch", first
                assert first[0]["timestamp"] <= min(s["timestamp"] for s in first), "it began before it spoke"
                eventually(lambda: member(box, name)["state"]["name"] == "answering")
                flag.touch()
                assert process.wait() == code
            state = eventually(lambda: member(box, name)["state"]["name"] == end and member(box, name)["state"])
            assert code == 0 or state["exit"] == code, state


run()
