#!/usr/bin/env python3
"""Claude Code's permissions on every screen: a fake of it runs the hooks that
`tap install --approve` installed, with real payloads, and is held until somebody answers."""

import json
import os
import signal
import subprocess
import threading
import time

from doors import as_other_user, limited
from lib import (PATIENCE_S, SANITIZER, SHARED, SIGNALBOX, SLOW, Box, Http, Skip, at_last, cli, environment,
                 eventually, in_time, request_bytes, run, temp_dir, test)

VECTORS = SHARED / "vectors" / "claude-hooks" / "command-hooks.jsonl"
DECIDING = {"PreToolUse", "PermissionRequest"}
DECIDE = "/api/hooks/claude-code/decide"


def permission(session="s1", command="rm -rf build", **more):
    return {"session_id": session, "transcript_path": "/t", "cwd": "/", "permission_mode": "default",
            "hook_event_name": "PermissionRequest", "tool_name": "Bash",
            "tool_input": {"command": command, "description": "clean"}, **more}


def tool_use(session="s1", n=1):
    return {"session_id": session, "transcript_path": "/t", "cwd": "/", "tool_name": "Read",
            "hook_event_name": "PreToolUse", "tool_input": {"file_path": "/x"},
            "tool_use_id": f"toolu_{n}"}


class Hook:
    """One command of the settings, run as Claude Code runs it."""

    def __init__(self, claude, payload):
        self.process = subprocess.Popen(
            ["sh", "-c", claude.command(payload["hook_event_name"])], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(claude.env),
            start_new_session=True)
        self.process.stdin.write(json.dumps(payload).encode())
        self.process.stdin.close()

    def is_held(self):
        return self.process.poll() is None

    def end(self, within=PATIENCE_S):
        """What it printed, as an object; None: nothing.  It ends with 0 in any case."""
        assert self.process.wait(within) == 0, self.process.stderr.read()
        out, err = self.process.stdout.read(), self.process.stderr.read()
        assert err == b"", err
        return json.loads(out) if out else None

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)


class Claude:
    def __init__(self, box, home=None):
        self.home = home or temp_dir()
        self.env = {"HOME": str(self.home)}
        # One that knows all events, where the native installer would have it.
        (self.home / ".local/share/claude/versions/2.1.325").mkdir(parents=True, exist_ok=True)
        self.box = box
        result = cli("tap", "install", "--approve", "--data", box.data, env=self.env)
        assert result.code == 0 and "some of which decide" in result.out, result

    def hooks(self, event):
        settings = json.loads((self.home / ".claude" / "settings.json").read_text())
        return settings["hooks"][event][-1]["hooks"]

    def command(self, event):
        (hook,) = self.hooks(event)
        assert hook["type"] == "command", hook
        return hook["command"]

    def runs(self, payload):
        return Hook(self, payload)

    def tells(self, payload):
        """An event of any kind; what its hook prints."""
        if payload["hook_event_name"] == "PostToolBatch":  # it has none
            return None
        return self.runs(payload).end()


def prompts(box):
    return box.request("GET", "/api/prompts").json()["prompts"]


def one_prompt(box):
    return eventually(lambda: prompts(box))[0]


def answer(box, prompt, **body):
    return box.request("POST", f"/api/prompts/{prompt['id']}/answer", body)


def decision(printed):
    assert list(printed) == ["hookSpecificOutput"], printed
    assert printed["hookSpecificOutput"]["hookEventName"] == "PermissionRequest", printed
    return printed["hookSpecificOutput"]["decision"]


def ask_and_answer(box, claude, payload, **body):
    hook = claude.runs(payload)
    prompt = one_prompt(box)
    assert hook.is_held()
    assert answer(box, prompt, **body).status == 200
    printed = hook.end()
    eventually(lambda: not prompts(box))
    return prompt, printed


def settle(box):
    """What hooks said is acknowledged from memory; a durable emit is behind it on the disk."""
    box.emit({"type": "note"})


def closed(box, id):
    return [s["payload"] for s in box.history("&type=prompt.closed") if s["payload"]["prompt"] == id]


# --- a minute, which begins before all else and is over at the end ----------------------

minute = {}


@test("a tool of a held session begins to wait")
def _():
    data = temp_dir()
    (data / "held").mkdir()
    (data / "held" / "s1").write_text("0")
    minute["data"], minute["began"] = data, time.monotonic()
    minute["hook"] = subprocess.Popen(
        [SIGNALBOX, "hook", "--decide", "--data", data], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=environment({}))
    minute["hook"].stdin.write(json.dumps(tool_use()).encode())
    minute["hook"].stdin.flush()


def children(pid):
    """The processes that this one started."""
    return eventually(lambda: [int(p) for t in os.listdir(f"/proc/{pid}/task")
                               for p in open(f"/proc/{pid}/task/{t}/children").read().split()])


# --- settings ----------------------------------------------------------------------


@test("--approve makes two hooks decide, over the Unix socket and for a long time")
def _():
    with Box() as box:
        claude = Claude(box)
        for event in DECIDING:
            (hook,) = claude.hooks(event)
            assert hook["type"] == "command" and hook["timeout"] >= 3600, hook
            assert "async" not in hook and " hook --decide " in hook["command"], hook
        (other,) = claude.hooks("PostToolUse")
        assert other["type"] == "command" and other["async"] is True, other
        assert other["timeout"] <= 5 and "--decide" not in other["command"], other
        status = cli("tap", "status", "--json", "--data", box.data, env=claude.env)
        assert status.code == 0, status
        assert json.loads(status.out)["approve"] is True, status
        result = cli("tap", "install", "--data", box.data, env=claude.env)
        assert result.code == 0 and "decide" not in result.out, result
        assert "--decide" not in claude.hooks("PreToolUse")[0]["command"]
        assert cli("tap", "uninstall", "--data", box.data, env=claude.env).code == 0
        assert not (claude.home / ".claude" / "settings.json").exists()
        assert cli("tap", "uninstall", "--approve", "--data", box.data, env=claude.env).code == 2


# --- permissions ----------------------------------------------------------------------


@test("a permission is held until somebody allows, denies or changes it")
def _():
    with Box() as box:
        claude = Claude(box)
        rules = [{"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow",
                  "destination": "session"}]
        prompt, printed = ask_and_answer(box, claude, permission(), value="allow")
        assert decision(printed) == {"behavior": "allow"}, printed
        assert prompt["prompt"] == "Bash: rm -rf build\ndescription: clean", prompt
        assert prompt["tool"] == "Bash" and prompt["input"] == permission()["tool_input"], prompt
        assert prompt["run"] == "s1" and prompt["type"] == "select", prompt
        assert [o["value"] for o in prompt["options"]] == ["allow", "deny", "stop"], prompt
        assert prompt["deadline"] > time.time() * 1000 + 600e3, prompt
        edit = {"command": "rm -rf build/cache", "description": "clean"}
        _, printed = ask_and_answer(box, claude, permission(), value={"value": "allow", "edit": edit})
        assert decision(printed) == {"behavior": "allow", "updatedInput": edit}, printed
        prompt, printed = ask_and_answer(box, claude, permission(permission_suggestions=rules),
                                         value="always")
        assert decision(printed) == {"behavior": "allow", "updatedPermissions": rules}, printed
        (always,) = [o for o in prompt["options"] if o["value"] == "always"]
        assert always["rule"] == "allow Bash for this session" and always["needs"] == "control"
        assert [o["value"] for o in prompt["options"] if o.get("safe")] == ["deny"], prompt
        _, printed = ask_and_answer(box, claude, permission(), value="deny")
        assert decision(printed)["behavior"] == "deny" and decision(printed)["message"], printed
        _, printed = ask_and_answer(box, claude, permission(), value="stop")
        assert decision(printed)["interrupt"] is True, printed
        _, printed = ask_and_answer(box, claude, permission(), cancelled=True)
        assert printed is None, printed


@test("an input of any length is asked about, and can be read whole as long as it is open")
def _():
    with Box() as box:
        claude = Claude(box)
        given = {"file_path": "/x", "content": "a\u0000b\n" + "\u00e9" * 100_000, "odd": True}
        hook = claude.runs({**permission(), "tool_name": "Write", "tool_input": given})
        prompt = one_prompt(box)
        size = len(json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode())
        assert "input" not in prompt and prompt["inputBytes"] == size, prompt
        assert prompt["prompt"].startswith("Write\nfile_path: /x\ncontent:\n  | a\\u0000b\n  | \u00e9")
        assert len(prompt["prompt"].encode()) <= 16384
        assert prompt["prompt"].endswith(" BYTES MORE THAT ARE NOT SHOWN"), prompt["prompt"][-80:]
        path = f"/api/prompts/{prompt['id']}/input"
        assert box.request("GET", path).json() == {"ok": True, "tool": "Write", "input": given}
        assert answer(box, prompt, value="deny").status == 200
        hook.end()
        assert box.request("GET", path).status == 404


@test("an input of any depth is told and asked about")
def _():
    with Box() as box:
        claude = Claude(box)
        for levels in range(40, 75):
            given = {"deep": json.loads("[" * levels + "]" * levels)}
            claude.tells({**tool_use(session="deep", n=levels), "tool_input": given})
            hook = claude.runs({**permission(session="deep"), "tool_name": "Odd", "tool_input": given})
            prompt = one_prompt(box)
            text = "[" * levels + "]" * levels
            assert prompt["tool"] == "Odd" and prompt["prompt"].startswith("Odd\n"), prompt
            assert prompt["prompt"].count("[") == levels, prompt
            assert box.request("GET", f"/api/prompts/{prompt['id']}/input").json()["input"] == given
            assert prompt.get("input", given) == given and ("input" in prompt) == (levels < 48), prompt
            assert answer(box, prompt, value="allow").status == 200
            assert decision(hook.end()) == {"behavior": "allow"}
            eventually(lambda: not prompts(box))
        settle(box)
        told = [s for s in box.history("&type=tool_call&limit=1000") if s["correlationId"] == "deep"]
        assert len(told) == 35, told
        (cut,) = [s["metadata"]["cut"] for s in told if "cut" in s["metadata"]][-1:]
        assert text in cut["first"], cut
        hooks = box.request("GET", "/api/status").json()["hooks"]
        assert hooks["refused"] == 0 and hooks["cut"] > 0, hooks


@test("a wrong answer leaves it held, the first right one wins, and the box says who")
def _():
    with Box() as box:
        claude = Claude(box)
        hook = claude.runs(permission())
        prompt = one_prompt(box)
        assert answer(box, prompt, value="perhaps").status == 422
        assert answer(box, prompt, value={"value": "deny", "edit": {}}).status == 422
        assert hook.is_held()
        results = []
        threads = [threading.Thread(target=lambda v=v: results.append(
            (answer(box, prompt, value=v).status, v))) for v in ("allow", "deny") * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(status for status, _ in results) == [200] + [409] * 7, results
        (winner,) = [v for status, v in results if status == 200]
        assert decision(hook.end())["behavior"] == winner
        (told,) = box.history("&type=answer")
        assert told["payload"]["value"] == winner and told["payload"]["by"]["user"], told


@test("a hook that Claude Code ends takes its question with it")
def _():
    with Box() as box:
        claude = Claude(box)
        hook = claude.runs(permission())
        prompt = one_prompt(box)
        hook.kill()
        eventually(lambda: not prompts(box))
        (end,) = closed(box, prompt["id"])
        assert end["state"] == "cancelled" and "wait" in end["why"], end
        assert answer(box, prompt, value="allow").status == 409


def settled(box, id):
    return [s["payload"] for s in box.history("&type=prompt.settled") if s["payload"]["prompt"] == id]


def one_settled(box, prompt):
    (end,) = eventually(lambda: settle(box) or settled(box, prompt["id"]))
    return end


def after(event, payload, **more):
    """The hook of that event for what another was about."""
    return {**{k: v for k, v in payload.items() if k != "permission_suggestions"},
            "hook_event_name": event, **more}


@test("an agent that is killed takes its questions and its hooks with it")
def _():
    with Box() as box:
        claude = Claude(box)
        code = "import subprocess,sys; subprocess.run(['sh','-c',sys.argv[1]+'; true'],stdin=0)"
        agent = subprocess.Popen(["python3", "-c", code, claude.command("PermissionRequest")],
                                 stdin=subprocess.PIPE, env=environment(claude.env))
        agent.stdin.write(json.dumps(permission()).encode())
        agent.stdin.close()
        prompt = one_prompt(box)
        (shell,) = children(agent.pid)
        (hook,) = children(shell)
        agent.kill()
        agent.wait(PATIENCE_S)
        eventually(lambda: not prompts(box))
        eventually(lambda: not os.path.exists(f"/proc/{hook}"))
        (end,) = closed(box, prompt["id"])
        assert end["state"] == "cancelled", end
        late = answer(box, prompt, value="allow")
        assert late.status == 409 and "already" in late.json()["error"], late


@test("an agent that is killed takes the tools that are held with it, and they eat no step")
def _():
    with Box() as box:
        claude = Claude(box)
        assert claude.runs(tool_use()).end() is None
        eventually(lambda: control(box, "pause").status == 200)
        code = "import subprocess,sys; subprocess.run(['sh','-c',sys.argv[1]+'; true'],stdin=0)"
        agent = subprocess.Popen(["python3", "-c", code, claude.command("PreToolUse")],
                                 stdin=subprocess.PIPE, env=environment(claude.env))
        agent.stdin.write(json.dumps(tool_use(n=2)).encode())
        agent.stdin.close()
        eventually(lambda: states(box) == [("acting", "waiting")])
        (shell,) = children(agent.pid)
        (hook,) = children(shell)
        agent.kill()
        agent.wait(PATIENCE_S)
        eventually(lambda: not os.path.exists(f"/proc/{hook}"), within=30)  # it would wait for a minute
        assert control(box, "step").status == 200
        assert (box.data / "held" / "s1").read_text() == "1"
        assert claude.runs(tool_use(n=3)).end() is None


@test("what the agent did is told: a tool that was used was allowed, whoever said so")
def _():
    with Box() as box:
        claude = Claude(box)
        asked = permission()
        before = {**after("PreToolUse", asked), "tool_use_id": "toolu_7"}
        done = after("PostToolUse", asked, tool_use_id="toolu_7", tool_response={})
        # Somebody here allowed it, with another input.
        claude.tells(before)
        prompt, _ = ask_and_answer(box, claude, asked, value={"value": "allow", "edit": {"command": "ls"}})
        claude.tells({**done, "tool_input": {"command": "ls"}})
        end = one_settled(box, prompt)
        assert end["decision"] == "allow" and end["by"]["user"], end
        # Somebody allowed it in its own dialog.
        claude.tells(before)
        hook = claude.runs(asked)
        prompt = one_prompt(box)
        claude.tells(done)
        assert hook.end() is None
        (how,) = closed(box, prompt["id"])
        assert how["why"] == "it was decided there", how
        end = one_settled(box, prompt)
        assert end["by"] == "agent" and end["decision"] == "allow", end
        late = answer(box, prompt, value="deny")
        assert late.status == 409 and "it was decided there" in late.json()["error"], late
        # It was denied here and allowed there: the answer is as it was given.
        claude.tells(before)
        prompt, _ = ask_and_answer(box, claude, asked, value="deny")
        claude.tells(done)
        end = one_settled(box, prompt)
        assert end["by"] == "agent" and end["decision"] == "allow", end
        assert box.history("&type=answer")[-1]["payload"]["value"] == "deny"
        late = answer(box, prompt, value="allow")
        assert late.status == 409 and "it was decided there" in late.json()["error"], late


@test("who may only emit settles no question: what a stranger invents of the agent closes nothing")
def _():
    with Box() as box:
        claude = Claude(box)
        asked = permission()
        claude.tells({**after("PreToolUse", asked), "tool_use_id": "toolu_7"})
        hook = claude.runs(asked)
        prompt = one_prompt(box)
        forged = after("PostToolUse", asked, tool_use_id="toolu_7", tool_response={})
        for event in (forged, after("Stop", asked), after("SessionEnd", asked)):
            told = box.request("POST", DECIDE.removesuffix("/decide"), event, unix=False)
            assert told.status == 200, told
        for kind in ("prompt.settled", "prompt.closed"):
            lie = {"type": kind, "correlationId": prompt["run"],
                   "payload": {"prompt": prompt["id"], "by": "mallory", "decision": "allow"}}
            told = box.request("POST", "/api/signal", lie, unix=False)
            assert told.status == 403, told
        assert answer(box, prompt, value="deny").status == 200, "it is still open"
        assert hook.end()["hookSpecificOutput"]["decision"]["behavior"] == "deny"
        assert not box.history("&type=prompt.closed")


@test("what the agent did is told: a turn that is over without the tool denied it")
def _():
    with Box() as box:
        claude = Claude(box)
        asked = permission()
        prompt, _ = ask_and_answer(box, claude, asked, value="deny")
        claude.tells(after("Stop", asked))
        end = one_settled(box, prompt)
        assert end["decision"] == "deny" and end["by"]["user"], end
        hook = claude.runs(asked)
        prompt = one_prompt(box)
        claude.tells(after("UserPromptSubmit", asked, prompt="do something else"))
        assert hook.end() is None
        end = one_settled(box, prompt)
        assert end["decision"] == "deny" and end["by"] == "agent", end
        hook = claude.runs(asked)
        prompt = one_prompt(box)
        claude.tells(after("SessionEnd", asked, reason="other"))
        assert hook.end() is None
        end = one_settled(box, prompt)
        assert end["decision"] == "gone" and end["by"] == "agent", end


@test("a dialog that is gone from the registry of sessions closes the question")
def _():
    with Box() as box:
        claude = Claude(box)
        registry = claude.home / ".claude" / "sessions"
        registry.mkdir(parents=True)
        with open(f"/proc/{os.getpid()}/stat") as stat:
            start = stat.read().rpartition(")")[2].split()[19]
        asked = permission(transcript_path=str(claude.home / ".claude" / "projects" / "p" / "s1.jsonl"))

        def status(word, pid=os.getpid()):
            (registry / f"{pid}.json").write_text(json.dumps(
                {"pid": pid, "sessionId": "s1", "procStart": start, "status": word}))

        for word, decision in (("busy", None), ("idle", "deny")):
            status("busy")
            hook = claude.runs(asked)
            prompt = one_prompt(box)
            status("waiting")
            assert answer(box, prompt, value="perhaps").status == 422  # and it was looked at
            assert hook.is_held() and prompts(box)
            status(word)
            eventually(lambda: not prompts(box))
            assert hook.end() is None
            (how,) = closed(box, prompt["id"])
            assert how["why"] == "it was decided there", how
            if decision:
                end = one_settled(box, prompt)
                assert end["by"] == "agent" and end["decision"] == decision, end
            else:
                claude.tells(after("PostToolUse", asked, tool_use_id="t", tool_response={}))
                assert one_settled(box, prompt)["decision"] == "allow"
        (registry / f"{os.getpid()}.json").unlink()
        child = subprocess.Popen(["sleep", "600"])
        with open(f"/proc/{child.pid}/stat") as stat:
            start = stat.read().rpartition(")")[2].split()[19]
        status("waiting", child.pid)
        hook = claude.runs(asked)
        prompt = one_prompt(box)
        assert answer(box, prompt, value="perhaps").status == 422
        child.kill()
        child.wait(PATIENCE_S)
        assert hook.end() is None
        assert one_settled(box, prompt)["decision"] == "gone"


QUESTIONS = {"questions": [
    {"question": "Which colour?", "header": "Colour", "multiSelect": False,
     "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
    {"question": "Which sizes?", "header": "Size", "multiSelect": True,
     "options": [{"label": "S", "description": "small"}, {"label": "L", "description": ""}]}]}


def question(given=None):
    return {**permission(), "tool_name": "AskUserQuestion", "tool_input": given or QUESTIONS}


def asked_after(box, last):
    return eventually(lambda: [p for p in prompts(box) if not last or p["id"] != last["id"]])[0]


def answer_all(box, hook, *values):
    """Answers what is asked, one after another; the prompts, and what the hook printed."""
    seen = []
    for value in values:
        seen.append(asked_after(box, seen[-1] if seen else None))
        assert hook.is_held()
        assert answer(box, seen[-1], value=value).status == 200, seen[-1]
    return seen, hook.end()


@test("questions of Claude Code are asked one after another, and answered its own way")
def _():
    with Box() as box:
        claude = Claude(box)
        seen, printed = answer_all(box, claude.runs(question()), "Blue", ["S", "L"])
        assert decision(printed) == {
            "behavior": "allow",
            "updatedInput": {**QUESTIONS, "answers": {"Which colour?": "Blue", "Which sizes?": "S, L"}}}
        assert [(p["type"], p["prompt"]) for p in seen] == [
            ("select", "Which colour?"), ("multi", "Which sizes?")], seen
        assert [o["value"] for o in seen[0]["options"]] == ["Red", "Blue", "(other)"], seen
        assert seen[0]["options"][0]["label"] == "Red: warm" and "input" not in seen[0], seen
        claude.tells(after("PostToolUse", question(), tool_use_id="q", tool_response={}))
        end = one_settled(box, seen[-1])
        assert end["decision"] == "answered" and end["by"]["user"], end
        seen, printed = answer_all(box, claude.runs(question()), "(other)", "Green, perhaps",
                                   ["L", "(other)"], "XL")
        assert decision(printed)["updatedInput"]["answers"] == {
            "Which colour?": "Green, perhaps", "Which sizes?": "L, XL"}, printed
        assert [p["type"] for p in seen] == ["select", "text", "multi", "text"], seen
        _, printed = ask_and_answer(box, claude, question(), cancelled=True)
        assert printed is None
        assert claude.runs(question({"questions": "none"})).end() is None


@test("a plan is asked about in its own words")
def _():
    with Box() as box:
        claude = Claude(box)
        plan = {**permission(), "tool_name": "ExitPlanMode", "tool_input": {"plan": "# Plan\n1. go"}}
        prompt, printed = ask_and_answer(box, claude, plan, value="allow")
        assert prompt["prompt"] == "May it carry out its plan?\n# Plan\n1. go", prompt
        assert [o["value"] for o in prompt["options"]] == ["allow", "deny", "stop"], prompt
        assert decision(printed) == {"behavior": "allow"}, printed
        more = {"plan": "# Plan", "allowedPrompts": [{"tool": "Bash", "prompt": "rm -rf anything"}]}
        prompt, _ = ask_and_answer(box, claude, {**plan, "tool_input": more}, value="deny")
        assert "rm -rf anything" in prompt["prompt"] and prompt["input"] == more, prompt


@test("many are held at once, and each gets its own answer")
def _():
    with Box() as box:
        claude = Claude(box)
        words = {f"c{n}": ("allow", "deny")[n % 2] for n in range(8)}
        hooks = {c: claude.runs(permission(session=f"s-{c}", command=c)) for c in words}
        eventually(lambda: len(prompts(box)) == len(words))
        for prompt in prompts(box):
            command = prompt["input"]["command"]
            assert prompt["run"] == f"s-{command}", prompt
            assert answer(box, prompt, value=words[command]).status == 200
        for command, hook in hooks.items():
            assert decision(hook.end())["behavior"] == words[command], command


@test("a hook is held longer than any request may take, and hears at once that it is")
def _():
    with limited(header_timeout="1s", idle_timeout="1s", body_timeout="1s") as box:
        claude = Claude(box)
        hook = claude.runs(permission(session="slow"))
        prompt = one_prompt(box)
        http = Http(box.connect(unix=True))
        http.send(request_bytes("POST", DECIDE, permission(session="raw"), box.host_header()))
        status, fields = http.head()
        assert status == 200 and ("Transfer-Encoding", "chunked") in fields, fields
        assert http.take(6) == b"1\r\n \r\n", "a sign of life"
        time.sleep(1.5)  # longer than all of them
        assert hook.is_held() and len(prompts(box)) == 2
        assert answer(box, prompt, value="allow").status == 200
        assert decision(hook.end())["behavior"] == "allow"
        http.close()
        eventually(lambda: not prompts(box))


# --- a box that is not there ------------------------------------------------------------


@test("a box that is killed lets go at once, and the question is closed when it is back")
def _():
    with Box() as box:
        claude = Claude(box)
        hook = claude.runs(permission())
        prompt = one_prompt(box)
        settle(box)
        box.kill9()
        assert hook.end() is None
        assert claude.runs(permission()).end() is None
        assert claude.runs(tool_use()).end() is None
        box.start()
        eventually(lambda: not prompts(box))
        (end,) = closed(box, prompt["id"])
        assert end["state"] == "cancelled", end


@test("a box that stops lets go before it ends, and is not held up")
def _():
    with Box() as box:
        claude = Claude(box)

        def stop():
            hook = claude.runs(permission())
            prompt = one_prompt(box)
            began = time.monotonic()
            box.stop()
            took = time.monotonic() - began
            assert hook.end() is None
            box.start()
            assert not prompts(box)
            assert closed(box, prompt["id"])[0]["why"] == "the box stopped"
            in_time(took < 1.5 * SLOW, f"{took:.2f} s")

        at_last(stop)


@test("a box that is stopped is not waited for, and hears of it when it goes on")
def _():
    with Box() as box:
        claude = Claude(box)

        def told(payload):
            began = time.monotonic()
            assert claude.runs(payload).end() is None
            # A box that is alive has 3 s: whoever waited for this one took as long each time.
            in_time(time.monotonic() - began < 2, "it was waited for")

        os.kill(box.pid, signal.SIGSTOP)
        try:
            at_last(lambda: told(tool_use(session="tool")))
            at_last(lambda: told(permission(session="asks")))
        finally:
            os.kill(box.pid, signal.SIGCONT)
        eventually(lambda: {"tool", "asks"} <= {s.get("correlationId") for s in box.history("&limit=1000")})
        assert not prompts(box)


@test("nobody without a credential decides for Claude Code")
def _():
    with Box() as box:
        assert box.request("POST", DECIDE, permission(), unix=False).status in (401, 403)
        assert box.request("POST", DECIDE, "{}").status == 400
        assert prompts(box) == []
        http = Http(box.connect(unix=True))
        http.send(b"POST " + DECIDE.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Type: "
                  b"application/json\r\nContent-Length: 99\r\n\r\n{")
        http.close()
        assert box.request("GET", "/healthz").status == 200


# --- pause, step, continue ----------------------------------------------------------------


def control(box, do, run="s1", **more):
    return box.request("POST", "/api/control", {"run": run, "do": do, **more})


def states(box, run="s1"):
    return [(s["payload"]["from"], s["payload"]["to"])
            for s in box.history(f"&type=agent_state_change&correlationId={run}")
            if s["payload"].get("reason") == "paused"]


@test("a pause holds the next tool, a step lets one through, and continue all")
def _():
    with Box() as box:
        claude = Claude(box)
        assert control(box, "pause").status == 404, "of a session that nobody heard of"
        assert claude.runs(tool_use()).end() is None
        eventually(lambda: control(box, "pause").status == 200)
        assert (box.data / "held" / "s1").exists()
        held = [claude.runs(tool_use(n=2)), claude.runs(tool_use(n=3))]
        eventually(lambda: len(states(box)) == 2)
        assert all(h.is_held() for h in held)
        assert claude.runs(tool_use(session="other")).end() is None
        hook = claude.runs(permission())  # a paused run still asks, and takes answers
        assert answer(box, one_prompt(box), value="allow").status == 200
        assert decision(hook.end())["behavior"] == "allow"
        assert control(box, "step").status == 200
        eventually(lambda: sum(h.is_held() for h in held) == 1)
        assert control(box, "step", n=2).status == 200
        assert [h.end() for h in held] == [None, None]
        assert claude.runs(tool_use(n=4)).end() is None  # the second of the two
        held = claude.runs(tool_use(n=5))
        eventually(lambda: states(box)[-1] == ("acting", "waiting"))
        assert control(box, "continue").status == 200
        assert held.end() is None
        assert not (box.data / "held" / "s1").exists()
        assert control(box, "ui-quit").status == 501
        steps = [s["payload"] for s in box.history("&type=debug&correlationId=s1")]
        assert steps[0] == {"paused": True, "step-budget": 0}, steps
        assert steps[-1] == {"paused": False, "step-budget": 0}, steps
        assert [s["payload"]["do"] for s in box.history("&type=control")] == [
            "pause", "step", "step", "continue"]
        eventually(lambda: states(box)[-1] == ("waiting", "acting"))


def is_paused(box, run="s1"):
    answer = box.request("GET", f"/api/runs/{run}")
    return answer.status == 200 and (answer.json()["run"].get("debug") or {}).get("paused")


@test("a pause goes on while the box is killed, stopped and started again")
def _():
    with Box() as box:
        claude = Claude(box)
        assert claude.runs(tool_use()).end() is None
        eventually(lambda: control(box, "pause").status == 200)
        hook = claude.runs(tool_use(n=2))
        eventually(lambda: states(box) == [("acting", "waiting")])
        settle(box)
        box.kill9()
        other = claude.runs(tool_use(n=3))
        time.sleep(0.5)
        assert hook.is_held() and other.is_held()
        box.start()
        eventually(lambda: is_paused(box))
        os.kill(box.pid, signal.SIGSTOP)
        assert claude.runs(tool_use(session="free")).end() is None
        third = claude.runs(tool_use(n=4))
        time.sleep(0.5)
        assert third.is_held()
        os.kill(box.pid, signal.SIGCONT)
        assert control(box, "continue").status == 200
        assert [h.end() for h in (hook, other, third)] == [None] * 3
        assert claude.runs(tool_use(n=5)).end() is None


@test("continue needs no box, and one that hangs hears of it when it is back")
def _():
    with Box() as box:
        claude = Claude(box)

        def go_on():
            result = cli("control", "s1", "continue", "--data", box.data)
            assert result.code == 0, result

        assert claude.runs(tool_use()).end() is None
        eventually(lambda: control(box, "pause").status == 200)
        eventually(lambda: is_paused(box))
        hook = claude.runs(tool_use(n=2))
        os.kill(box.pid, signal.SIGSTOP)
        go_on()
        assert hook.end() is None
        os.kill(box.pid, signal.SIGCONT)
        eventually(lambda: is_paused(box) is False)
        assert control(box, "pause").status == 200
        settle(box)
        box.kill9()
        hook = claude.runs(tool_use(n=3))
        time.sleep(0.3)
        assert hook.is_held()
        go_on()
        assert hook.end() is None
        box.start()
        eventually(lambda: is_paused(box) is False)


@test("a tool with a big input is held and asked about like any other")
def _():
    with Box() as box:
        claude = Claude(box)
        big = {"content": "x" * 1_500_000}
        assert claude.runs({**tool_use(), "tool_input": big}).end() is None
        eventually(lambda: control(box, "pause").status == 200)
        hook = claude.runs({**tool_use(n=2), "tool_input": big})
        eventually(lambda: states(box) == [("acting", "waiting")])
        assert hook.is_held()
        assert control(box, "continue").status == 200
        assert hook.end() is None
        hook = claude.runs({**permission(), "tool_input": big})
        assert answer(box, one_prompt(box), value="deny").status == 200
        assert decision(hook.end())["behavior"] == "deny"


@test("a tool passes at once where no file of ours can be: another's directory, or none")
def _():
    others, plain = temp_dir(), temp_dir() / "data"
    others.chmod(0o700)
    plain.write_text("")

    program = os.open(SIGNALBOX, os.O_RDONLY)  # another user may not find it by its name

    def passes(data):
        said = subprocess.run(["signalbox", "hook", "--decide", "--data", data], timeout=PATIENCE_S,
                              executable=f"/proc/self/fd/{program}", pass_fds=[program],
                              input=json.dumps(tool_use()).encode(), capture_output=True,
                              env=environment({}), check=False)
        # A sanitized program complains of its own files when another runs it.
        return 0 if (said.returncode, said.stdout) == (0, b"") and (SANITIZER or not said.stderr) else 1

    assert passes(plain) == 0
    assert as_other_user(lambda: passes(others)) == 0


@test("without hooks that decide a pause is not supported, and nothing offers it")
def _():
    with Box() as box:
        hook = cli("hook", "--data", box.data, input=json.dumps(tool_use()))
        assert hook.code == 0, hook
        got = eventually(lambda: (a := control(box, "pause")).status != 404 and a)
        assert got.status == 501 and "--approve" in got.json()["error"], got
        run = eventually(lambda: (a := box.request("GET", "/api/runs/s1")).status == 200 and a.json())
        assert "pause" not in (run["run"].get("can") or []), run


@test("a recorded session runs through the hooks, paused and approved on its way")
def _():
    if not VECTORS.exists():
        raise Skip("../shared/vectors/claude-hooks is not here")
    payloads = [json.loads(line) for line in VECTORS.read_text().splitlines()]
    home = temp_dir()
    with Box(env={"HOME": str(home)}) as box:
        claude = Claude(box, home)
        run = payloads[0]["session_id"]
        # The box finds out by itself that hooks decide, before the first of them.
        assert box.request("POST", "/api/discover/rescan").status == 200
        for payload in payloads:
            if payload["hook_event_name"] == "PreToolUse" and payload["session_id"] == run:
                assert control(box, "pause", run).status == 200
                hook = claude.runs(payload)
                eventually(lambda: states(box, run)[-1:] == [("acting", "waiting")])
                assert hook.is_held() and control(box, "continue", run).status == 200
                assert hook.end() is None
                asked = {**payload, "hook_event_name": "PermissionRequest"}
                _, printed = ask_and_answer(box, claude, asked, value="allow")
                assert decision(printed) == {"behavior": "allow"}, printed
            else:
                claude.tells(payload)
        calls = [s for s in box.history("&type=tool_call&limit=1000") if s["source"] == "adapter:tap"]
        assert len(calls) == sum(p["hook_event_name"] == "PreToolUse" for p in payloads)


@test("after a minute it is denied, in words that say how it goes on")
def _():
    out, _ = minute["hook"].communicate(timeout=PATIENCE_S + 60)
    assert time.monotonic() - minute["began"] >= 59
    said = json.loads(out)["hookSpecificOutput"]
    assert said["hookEventName"] == "PreToolUse" and said["permissionDecision"] == "deny", said
    words = said["permissionDecisionReason"].split("`")[1]
    assert words == f"signalbox control s1 continue --data {minute['data']}", said
    assert cli(*words.split()[1:]).code == 0 and not (minute["data"] / "held" / "s1").exists()
    assert minute["hook"].returncode == 0


run()
