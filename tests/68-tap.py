#!/usr/bin/env python3
"""Claude Code's settings: our hooks go in and come out, and nothing else moves."""

import copy
import json
import os
import random
import stat
import subprocess
from pathlib import Path

from doors import config_box
from lib import Box, cli, eventually, run, temp_dir, test

# Which events which version knows, the newest of each group first.
SINCE = {
    "2.1.251": "PreModelSwitch PostModelSwitch",
    "2.1.219": "DirectoryAdded",
    "2.1.152": "MessageDisplay",
    "2.1.121": "UserPromptExpansion",
    "2.1.88": "PermissionDenied",
    "2.1.84": "TaskCreated",
    "2.1.83": "CwdChanged FileChanged",
    "2.1.78": "StopFailure",
    "2.1.76": "PostCompact",
    "2.1.69": "InstructionsLoaded",
    "2.1.63": "Elicitation ElicitationResult",
    "2.1.50": "WorktreeRemove",
    "2.1.48": "ConfigChange",
    "2.1.33": "TeammateIdle TaskCompleted",
    "2.1.10": "Setup",
    "2.0.77": """SessionStart SessionEnd UserPromptSubmit PreToolUse PermissionRequest PostToolUse
        PostToolUseFailure Notification Stop SubagentStart SubagentStop PreCompact""",
}
NEWEST = "2.1.325"
SUPPOSED = "2.0.77"  # where none is found
NOT_WAITED_FOR = set("""PreToolUse PostToolUse PostToolUseFailure MessageDisplay Notification
InstructionsLoaded CwdChanged FileChanged DirectoryAdded""".split())


def number(version):
    return tuple(map(int, version.split(".")))


def events(version):
    return [e for since, names in SINCE.items() if number(since) <= number(version)
            for e in names.split()]


EVENTS = events(NEWEST)
BACKUP = ".before-signalbox"


class Home:
    """A user with Claude Code, settings of it, and the data of a box."""

    def __init__(self, text=None, version=NEWEST):
        self.top = temp_dir()
        self.bin = self.top / "bin"
        self.bin.mkdir()
        if version:
            self.has(version)
        self.data = self.top / "data"
        self.file = self.top / ".claude" / "settings.json"
        if text is not None:
            self.file.parent.mkdir()
            self.write(text)

    def has(self, version):
        """A program that alarms whoever runs it, and the package file beside it."""
        (self.bin / "claude").write_text(f"#!/bin/sh\ntouch {self.top}/was-run\n")
        (self.bin / "claude").chmod(0o755)
        (self.bin / "package.json").write_text(
            json.dumps({"name": "@anthropic-ai/claude-code", "version": version}))

    @property
    def env(self):
        return {"HOME": str(self.top), "PATH": f"{self.bin}:/usr/bin:/bin"}

    def write(self, text):
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def tap(self, *words, **env):
        return cli("tap", *words, "--data", self.data, env={**self.env, **env})

    def done(self, *words):
        result = self.tap(*words)
        assert result.code == 0, result
        return result

    def bytes(self):
        return self.file.read_bytes() if self.file.exists() else None

    def json(self):
        return json.loads(self.file.read_bytes().decode("utf-8-sig"))


def ours(hook):
    return (hook.get("url", "").endswith("/api/hooks/claude-code")
            or hook.get("command", "").endswith(" # signalbox tap"))


def check_installed(settings, before, version=NEWEST):
    """Every event that the version knows has our group last, and all else is as it was."""
    settings = copy.deepcopy(settings)
    for event in events(version):
        group = settings["hooks"][event].pop()
        (hook,) = group["hooks"]
        assert ours(hook) and hook["type"] == "command", (event, hook)
        assert "url" not in hook and hook["timeout"] <= 5, (event, hook)
        assert hook.get("async", False) == (event in NOT_WAITED_FOR), (event, hook)
    assert "WorktreeCreate" not in settings["hooks"] or "WorktreeCreate" in before.get("hooks", {})
    settings["hooks"] = {k: v for k, v in settings["hooks"].items()
                         if v or k in before.get("hooks", {})}
    if not settings["hooks"] and "hooks" not in before:
        del settings["hooks"]
    assert settings == before, (settings, before)


# --- to the byte -------------------------------------------------------------

FILES = {
    "empty object": "{}", "with a newline": "{}\n", "on two lines": "{\n}\n",
    "empty file": "", "blank file": "\n \n", "no newline at the end": '{\n  "a": 1\n}',
    "one line": '{"model": "opus"}', "minified": '{"a":[1,2],"hooks":{"Stop":[]},"b":{}}',
    "tabs": '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
    "four spaces": '{\n    "a": 1,\n    "hooks": {\n        "Stop": [\n            {}\n        ]\n    }\n}\n',
    "CRLF": '{\r\n  "a": 1,\r\n  "hooks": {}\r\n}\r\n',
    "BOM": b'\xef\xbb\xbf{\n  "a": 1\n}\n',
    "hooks of others": json.dumps(
        {"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "say hi"}]}],
                   "WorktreeCreate": [{"hooks": [{"type": "command", "command": "mk"}]}]},
         "env": {"A": "}]\\\" {["}}, indent=2),
    "strange spacing": '{ "hooks" :{"Stop":[ ] ,\n"PreToolUse":\t[{"hooks":[]}]} , "z":[ ]}',
    "escaped keys": '{"h\\u006foks": {"St\\u006fp": []}}',
    "numbers beyond doubles": '{"n": 1e999, "m": 123456789012345678901234567890}',
    "text beyond ASCII": '{\n  "ä": "日本 \U0001f600 \\u00e4",\n  "hooks": {}\n}\n',
}


@test("install and uninstall give back every kind of file to the byte")
def _():
    for name, text in FILES.items():
        home = Home(text)
        before = home.bytes()
        assert home.done("install").out.startswith("installed, 31 hooks: "), name
        assert home.bytes() != before, name
        blank = text.strip() == text[:0] if isinstance(text, bytes) else text.strip() == ""
        if name not in ("escaped keys", "numbers beyond doubles"):
            check_installed(home.json(), {} if blank else json.loads(before.decode("utf-8-sig")))
        installed = home.bytes()
        home.done("install")
        assert home.bytes() == installed, f"{name}: a second install changes something"
        assert home.done("uninstall").out.startswith("absent: "), name
        assert home.bytes() == before, (name, home.bytes())
        assert os.listdir(home.file.parent) == ["settings.json"], name


@test("without a file there is none afterwards")
def _():
    home = Home()
    home.done("uninstall")
    home.done("install")
    check_installed(home.json(), {})
    assert stat.S_IMODE(home.file.stat().st_mode) == 0o600
    home.done("uninstall")
    assert not home.file.exists()


def random_value(rng, depth=0):
    kinds = ["text", "number", "word"] + ["list", "object"] * (depth < 3)
    kind = rng.choice(kinds)
    if kind == "text":
        return "".join(rng.choice('ab"\\}],:/ é日\n\t') for _ in range(rng.randrange(8)))
    if kind == "number":
        return rng.choice([0, -1, 1.5, 10**20])
    if kind == "word":
        return rng.choice([True, False, None])
    some = [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return some if kind == "list" else {f"k{n}": value for n, value in enumerate(some)}


def random_group(rng):
    return {"matcher": rng.choice(["", "Bash|Edit"]),
            "hooks": [{"type": "command", "command": f"run \"{rng.random()}\""}
                      for _ in range(rng.randrange(3))]}


def random_settings(rng):
    settings = {f"key{n}": random_value(rng) for n in range(rng.randrange(4))}
    if rng.random() < 0.7:
        some = rng.sample(EVENTS + ["WorktreeCreate", "Unheard"], rng.randrange(5))
        settings["hooks"] = {e: [random_group(rng) for _ in range(rng.randrange(3))] for e in some}
    members = list(settings.items())
    rng.shuffle(members)
    return dict(members)


def random_text(rng, settings):
    indent = rng.choice([None, 2, 4, "\t", 1])
    text = json.dumps(settings, indent=indent, ensure_ascii=rng.random() < 0.5,
                      separators=(",", ":") if rng.random() < 0.3 else None)
    if rng.random() < 0.3:
        text = text.replace("\n", "\r\n")
    if rng.random() < 0.3:
        text = text.replace("[]", "[ ]").replace("{}", "{\n}")
    return rng.choice(["", "\ufeff"]) + text + rng.choice(["", "\n", "\r\n", " "])


@test("the same for files made by chance")
def _():
    for seed in range(40):
        rng = random.Random(seed)
        settings = random_settings(rng)
        home = Home(random_text(rng, settings))
        before = home.bytes()
        home.done("install")
        check_installed(home.json(), settings)
        home.done("uninstall")
        assert home.bytes() == before, (seed, before, home.bytes())


def change(rng, settings):
    """What a person, or Claude Code itself, might do to a file in the meantime."""
    hooks = settings.setdefault("hooks", {})
    what = rng.randrange(4)
    if what == 0:
        settings[f"new{rng.randrange(9)}"] = random_value(rng)
    elif what == 1:
        hooks.setdefault(rng.choice(EVENTS), []).insert(rng.randrange(2), random_group(rng))
    elif what == 2:
        hooks.pop(rng.choice(EVENTS), None)
    else:
        event = rng.choice(EVENTS)
        for group in hooks.get(event, []):
            group["hooks"].insert(0, {"type": "command", "command": "mine"})


def without_ours(settings, made):
    """What has to be left: a group that had hooks of ours and nothing else goes."""
    settings = copy.deepcopy(settings)
    hooks = settings.get("hooks", {})
    for event, groups in list(hooks.items()):
        if not any(ours(h) for g in groups for h in g["hooks"]):
            continue
        for group in groups[:]:
            if group["hooks"] and all(ours(h) for h in group["hooks"]):
                groups.remove(group)
            elif any(ours(h) for h in group["hooks"]):
                group["hooks"] = [h for h in group["hooks"] if not ours(h)]
                group.pop("signalbox", None)
        if not groups and made(event):
            del hooks[event]
    if "hooks" in settings and not hooks and made(None):
        del settings["hooks"]
    return settings


@test("what was changed in between stays, and only our hooks go")
def _():
    for seed in range(25):
        rng = random.Random(1000 + seed)
        before = random_settings(rng)
        had = before.get("hooks")
        home = Home(random_text(rng, before))
        home.done("install")
        settings = home.json()
        for _ in range(rng.randrange(1, 4)):
            change(rng, settings)
        home.write(random_text(rng, settings))
        home.done("uninstall")
        want = without_ours(settings, lambda e: had is None if e is None else e not in (had or {}))
        got = home.json()
        assert got == want, (seed, got, want)
        assert "signalbox" not in json.dumps(got), (seed, got)


# --- what is refused ---------------------------------------------------------


@test("a settings file that is broken is refused with its place and left alone")
def _():
    broken = {
        '{\n  "a": 1,\n}\n': "line 2, column 9",
        '{\n  // no\n  "a": 1\n}\n': "line 2, column 3: a comment",
        '{"a": 1} x': "line 1, column 10",
        "[]": "line 1, column 1: settings are a JSON object",
        '{\n"hooks": []}': "line 2, column 10: `hooks` is not an object",
        '{"hooks": {},\n "hooks": {}}': "line 2, column 2: `hooks` stands here a second time",
        '{"hooks": {"Stop": {}}}': "line 1, column 20: the hooks of an event are an array",
        '{"hooks": {"Stop": [], "Stop": []}}': "line 1, column 24: this event stands here",
        "{": "line 1, column 2", '{"a": "\x01"}': "line 1, column",
        "{}" + " " * (1 << 20): "longer than 1 MiB",
    }
    for text, words in broken.items():
        home = Home(text)
        for verb in ("install", "print"):
            result = home.tap(verb)
            assert result.code == 1 and words in result.err and result.out == "", (text[:80], result)
            assert str(home.file) in result.err, result
        assert home.bytes() == text.encode() and os.listdir(home.file.parent) == ["settings.json"]
    home = Home(b'{"a": "\xff"}')
    assert "line 1, column" in home.tap("install").err


@test("links are followed and stay, but never lead out of a project")
def _():
    home = Home("{}")
    home.file.rename(home.top / "dotfile.json")
    home.file.symlink_to("../dotfile.json")
    os.chmod(home.top / "dotfile.json", 0o640)
    home.done("install")
    assert home.file.is_symlink() and "hooks" in home.json()
    assert stat.S_IMODE(home.file.stat().st_mode) == 0o640
    home.done("uninstall")
    assert home.file.is_symlink() and home.bytes() == b"{}"

    project = home.top / "project"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude/settings.local.json").symlink_to("../../dotfile.json")
    result = home.tap("install", "--project", project)
    assert result.code == 1 and "outside of" in result.err, result
    assert home.bytes() == b"{}"


@test("a file of another kind, a missing project and a missing home are refused")
def _():
    home = Home()
    home.file.mkdir(parents=True)
    assert "is not a file" in home.tap("install").err
    result = home.tap("install", "--project", home.top / "nowhere")
    assert result.code == 1 and "No such file" in result.err, result
    result = home.tap("install", HOME="")
    assert result.code == 1 and "no home directory" in result.err, result
    for wrong in ([], ["instal"], ["install", "now"], ["install", "--user", "--project", "/"]):
        assert home.tap(*wrong).code == 2, wrong


# --- where it leads ----------------------------------------------------------


@test("a project, another directory of Claude's, print and status")
def _():
    home = Home()
    project = home.top / "p"
    project.mkdir()
    home.done("install", "--project", project)
    assert (project / ".claude/settings.local.json").exists() and not home.file.exists()
    home.done("uninstall", "--project", project)
    other = home.top / "other"
    assert home.tap("install", CLAUDE_CONFIG_DIR=str(other)).code == 0
    assert (other / "settings.json").exists() and not home.file.exists()

    home = Home('{"disableAllHooks": true}')
    printed = home.done("print")
    assert home.bytes() == b'{"disableAllHooks": true}'
    result = home.tap("status")
    assert result.code == 1 and result.out.startswith("absent: "), result
    result = home.done("install")
    assert "disableAllHooks" in result.err and BACKUP in result.out, result
    assert home.bytes() == printed.out.encode()
    said = json.loads(home.done("status", "--json").out)
    assert said["state"] == "installed" and said["hooks"] == 31 and "warning" in said, said


def patched(before, diff):
    """What patch makes of it: None is no file."""
    directory = temp_dir()
    if before is not None:
        (directory / "f").write_bytes(before)
    done = subprocess.run(["patch", "--binary", "-s", "-p0", "f"], cwd=directory,
                          input=diff.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, (done, diff)
    return (directory / "f").read_bytes() if (directory / "f").exists() else None


@test("a dry run shows the very change that is made then, and makes none")
def _():
    for name, text in [*FILES.items(), ("no file", None)]:
        home = Home(text)
        before = home.bytes()
        diff = home.done("install", "--dry-run").out
        assert home.bytes() == before, name
        approving = home.done("install", "--approve", "-n").out
        assert approving != diff and "--decide" in approving, name
        home.done("install")
        after = home.bytes()
        assert patched(before, diff) == after, (name, diff)
        assert home.done("install", "--dry-run").out == "", name
        back = json.loads(home.done("uninstall", "--dry-run", "--json").out)
        assert back["file"] == str(home.file.resolve()) and len(back["tag"]) == 32, back
        home.done("uninstall")
        assert patched(after, back["diff"]) == home.bytes() == before, (name, back)
    home = Home('{\n oops')
    result = home.tap("install", "--dry-run")
    assert result.code == 1 and "line 2" in result.err, result
    for words in (("status", "--dry-run"), ("print", "--dry-run")):
        assert home.tap(*words).code == 2, words


@test("hooks lead to the box's directory; another one makes them outdated")
def _():
    home = Home("{}")
    home.done("install")
    check_installed(home.json(), {})
    command = home.json()["hooks"]["Setup"][0]["hooks"][0]["command"]
    assert f"hook --data '{home.data}'" in command, command
    first, home.data = home.data, home.top / "other"
    result = home.tap("status")
    assert result.code == 1 and result.out.startswith("outdated, 31 hooks: "), result
    home.done("install")
    assert str(first) not in home.file.read_text()
    assert (home.top / ".claude" / f"settings.json{BACKUP}").read_text() == "{}"
    home.done("uninstall")
    assert home.bytes() == b"{}"


def make_old(home, port=7446):
    """As the hooks were when most of them spoke to a port."""
    text = home.bytes().decode()
    for event in EVENTS:
        if event in ("SessionStart", "Setup"):
            continue
        at = text.index(f'"{event}": [')
        start = text.index('{"type": "command"', at)
        end = text.index("}", start) + 1
        hook = {"type": "http", "url": f"http://127.0.0.1:{port}/api/hooks/claude-code", "timeout": 1}
        text = text[:start] + json.dumps(hook) + text[end:]
    home.write(text)


@test("hooks that speak to a port are outdated, are replaced, and come out to the byte")
def _():
    for name in ("empty object", "hooks of others", "tabs", "CRLF", "BOM"):
        home = Home(FILES[name])
        before = home.bytes()
        home.done("install")
        installed = home.bytes()
        make_old(home)
        assert home.bytes().count(b'"type": "http"') == 29
        old = home.bytes()
        result = home.tap("status")
        assert result.code == 1 and result.out.startswith("outdated, 31 hooks: "), result
        home.done("install")
        assert home.bytes() == installed, name
        home.write(old)
        home.done("uninstall")
        assert home.bytes() == before, name


# --- which version reads it ----------------------------------------------------


@test("no event stands in the file that the version does not know")
def _():
    for version in [*SINCE, "2.1.97", "2.1.101", "2.1.249", "2.1.250", "3.0.0"]:
        home = Home('{"permissions": {"deny": ["Bash(rm:*)"]}}', version)
        done = home.done("install")
        assert done.out.startswith(f"installed, {len(events(version))} hooks: "), (version, done)
        assert f"for Claude Code {version}: {home.bin}/claude\n" in done.out, done
        check_installed(home.json(), {"permissions": {"deny": ["Bash(rm:*)"]}}, version)
        assert set(home.json()["hooks"]) == set(events(version)), version
        said = json.loads(home.done("status", "--json").out)
        assert said["claude"] == {"version": version, "where": f"{home.bin}/claude"}, said
        home.done("uninstall")
        assert home.bytes() == b'{"permissions": {"deny": ["Bash(rm:*)"]}}', version
        assert not (home.top / "was-run").exists(), "claude is never run"


@test("the oldest that is found decides, and without any the oldest that is supposed")
def _():
    home = Home(None, None)
    assert home.done("install").out.startswith("installed, 12 hooks: ")
    check_installed(home.json(), {}, SUPPOSED)
    assert "claude" not in json.loads(home.done("status", "--json").out)
    home.has(NEWEST)
    result = home.tap("status")
    assert result.code == 1 and result.out.startswith("outdated, 12 hooks: "), result
    home.done("install")
    check_installed(home.json(), {})
    (home.top / ".vscode/extensions/anthropic.claude-code-2.1.97-linux-x64").mkdir(parents=True)
    result = home.tap("status")
    assert result.code == 1 and "Claude Code 2.1.97 does not know " in result.err, result
    home.done("install")
    check_installed(home.json(), {}, "2.1.97")
    (home.bin / "package.json").unlink()
    home.done("install")
    check_installed(home.json(), {}, SUPPOSED)
    said = json.loads(home.done("status", "--json").out)
    assert said["claude"] == {"where": f"{home.bin}/claude"}, said


@test("a session that is alive counts, and one that was killed does not")
def _():
    home = Home("{}")
    sessions = home.top / ".claude/sessions"
    sessions.mkdir()
    os.mkfifo(sessions / "1.ab.key")  # whoever opened it would wait
    with subprocess.Popen(["sleep", "600"]) as agent:
        start = Path(f"/proc/{agent.pid}/stat").read_text().rpartition(")")[2].split()[19]
        (sessions / f"{agent.pid}.json").write_text(json.dumps(
            {"pid": agent.pid, "sessionId": "s", "procStart": start, "version": "2.1.150"}))
        home.done("install")
        check_installed(home.json(), {}, "2.1.150")
        agent.kill()
        agent.wait()
        assert home.tap("status").code == 1
        home.done("install")
        check_installed(home.json(), {})


# --- the routes --------------------------------------------------------------


@test("the routes do the same, for admins only, and the source follows")
def _():
    home = Home('{"a": 1}')
    with Box(env=home.env) as box:
        for method, path in (("POST", "connect"), ("POST", "disconnect"), ("GET", "status")):
            answer = box.request(method, f"/api/tap/{path}", unix=False)
            assert answer.status == 401, answer
        assert home.bytes() == b'{"a": 1}'
        assert box.request("GET", "/api/tap/status").json()["state"] == "absent"
        answer = box.request("POST", "/api/tap/connect")
        assert answer.status == 200 and answer.json()["state"] == "installed", answer
        check_installed(home.json(), {"a": 1})
        state = lambda: {s["id"]: s["state"] for s in
                         box.request("GET", "/api/sources").json()["sources"]}
        eventually(lambda: state().get("local:claude-code") == "connected")
        answer = box.request("POST", "/api/tap/disconnect", {})
        assert answer.status == 200 and answer.json()["state"] == "absent", answer
        assert home.bytes() == b'{"a": 1}'
        eventually(lambda: state().get("local:claude-code") == "disconnected")

        project = {"project": str(home.top)}
        (home.top / ".claude/settings.local.json").write_text("{}")
        assert box.request("POST", "/api/tap/connect", project).status == 200
        assert home.bytes() == b'{"a": 1}'
        said = box.request("GET", f"/api/tap/status?project={home.top}").json()
        assert said["state"] == "installed" and said["file"].endswith("settings.local.json"), said
        assert box.request("POST", "/api/tap/disconnect", project).status == 200
        assert (home.top / ".claude/settings.local.json").read_text() == "{}"


@test("the routes show the change first, and what was shown is what is done, or nothing is")
def _():
    home = Home('{"a": 1}\n')
    with Box(env=home.env) as box:
        def preview(query, want=200):
            answer = box.request("GET", f"/api/tap/status?preview={query}")
            assert answer.status == want, answer
            return answer.json()

        def do(what, want=200, **body):
            answer = box.request("POST", f"/api/tap/{what}", body)
            assert answer.status == want, answer
            return answer.json()

        said = preview("connect")
        assert said["state"] == "absent" and said["change"]["file"] == said["file"], said
        assert patched(b'{"a": 1}\n', preview("disconnect")["change"]["diff"] or "") == b'{"a": 1}\n'
        assert home.bytes() == b'{"a": 1}\n', "a preview changes nothing"
        approving = preview("connect&approve=true")["change"]
        assert approving["tag"] != said["change"]["tag"] and "--decide" in approving["diff"]
        do("connect", 409, tag=approving["tag"])
        do("connect", 409, tag=said["change"]["tag"], approve=True)

        home.write('{"a": 2}\n')
        assert "look again" in do("connect", 409, tag=said["change"]["tag"])["error"]
        assert home.bytes() == b'{"a": 2}\n', "what was not shown is not done"
        change = preview("connect")["change"]
        assert do("connect", tag=change["tag"])["state"] == "installed"
        installed = home.bytes()
        assert patched(b'{"a": 2}\n', change["diff"]) == installed
        assert preview("connect")["change"]["diff"] == ""
        change = preview("disconnect")["change"]
        do("disconnect", 409, tag=approving["tag"])
        assert home.bytes() == installed
        assert do("disconnect", tag=change["tag"])["state"] == "absent"
        assert patched(installed, change["diff"]) == home.bytes() == b'{"a": 2}\n'

        for query in ("connect&approve=maybe", "install", "connect&x=1"):
            preview(query, 400)
        assert box.request("POST", "/api/tap/connect?preview=connect").status == 400
        answer = box.request("GET", "/api/tap/status?preview=connect", unix=False)
        assert answer.status == 401 and "hooks" not in answer.text, answer
        home.write("{\n oops")
        assert "line 2" in preview("connect", 409)["error"]


@test("what the routes cannot do is said in words, and nothing is changed")
def _():
    home = Home("{\n oops")
    with Box(env=home.env) as box:
        answer = box.request("POST", "/api/tap/connect")
        assert answer.status == 409 and "line 2, column 2" in answer.json()["error"], answer
        assert home.bytes() == b"{\n oops"
        for body in ("[]", "{", '{"project": 1}', '{"project": "here"}', '{"x": 1}',
                     '{"project": "/\\u0000"}', '{"project": "/", "x": 1}'):
            answer = box.request("POST", "/api/tap/connect", body)
            assert answer.status == 400, (body, answer)
        answer = box.request("POST", "/api/tap/connect", "x=1",
                             {"Content-Type": "text/plain"})
        assert answer.status == 415, answer
        answer = box.request("POST", "/api/tap/connect", {"project": "/nonexistent"})
        assert answer.status == 409 and "/nonexistent" in answer.json()["error"], answer


@test("discovery never installs hooks")
def _():
    home = Home('{"a": 1}')
    with Box(env=home.env) as box:
        box.request("POST", "/api/discover/rescan")
        box.request("GET", "/api/discover/local")
    assert home.bytes() == b'{"a": 1}'


@test("a token that may emit but not administer changes no settings")
def _():
    home = Home("{}")
    text = 'auth: {tokens: [{name: ci, file: TOP/ci, scopes: "observe,emit"}]}\n'
    box = config_box(text, {"ci": "ab" * 32 + "\n"}, env=home.env)
    with box:
        bearer = {"Authorization": "Bearer " + "ab" * 32}
        assert box.request("POST", "/api/tap/connect", headers=bearer).status == 403
    assert home.bytes() == b"{}"


run()
