#!/usr/bin/env python3
"""check, config and completion, and --json wherever something is asked."""

import json
import os
import re
import shutil
import subprocess

from lib import SIGNALBOX, Box, cli, environment, run, temp_dir, test
from tls import make_cert


def write(text, name="box.yaml"):
    path = temp_dir() / name
    path.write_text(text)
    return path


# --- check -------------------------------------------------------------------


@test("a configuration that is good is said to be, and one that is not, with its place and 78")
def _():
    good = write("limits: {depth: 32}\n")
    data = temp_dir() / "data"
    done = cli("check", good, "--data", data)
    assert done.code == 0 and done.out == f"{good}: good\n" and done.err == "", done
    assert json.loads(cli("check", good, "--json", "--data", data).out) == {
        "ok": True, "file": str(good), "show": False}
    bad = write("limits:\n  dept: 32\n")
    done = cli("check", bad, "--data", data)
    assert done.code == 78 and done.out == "", done
    assert f"{bad}:2:3: unknown key 'dept', did you mean 'depth'?" in done.err, done
    assert done.err == cli("check", "--config", bad, "--data", data).err
    said = json.loads(cli("check", bad, "--json", "--data", data).out)
    assert said["ok"] is False and ":2:3: " in said["error"] and said["file"] == str(bad), said
    assert cli("check", "/nonexistent/x.yaml", "--data", data).code == 78
    assert not data.exists(), "it makes nothing"


@test("check minds the environment, the certificates and the token that others would need")
def _():
    data = temp_dir() / "not" / "there"
    done = cli("check", "--data", data, env={"SIGNALBOX_LIMITS_DEPTH": "1"})
    assert done.code == 78 and "SIGNALBOX_LIMITS_DEPTH" in done.err, done
    cert, key = make_cert(temp_dir())
    _, other = make_cert(temp_dir())
    done = cli("check", write(f"listen: [{{address: '127.0.0.1:1', cert: {cert}, key: {other}}}]"),
               "--data", data)
    assert done.code == 78 and str(other) in done.err, done
    wide = write(f"listen: [{{address: '0.0.0.0:1', cert: {cert}, key: {key}}}]")
    done = cli("check", wide, "--data", data)
    assert done.code == 78 and "needs a token" in done.err, done
    advice = re.search(r"`signalbox (token rotate .*)`", done.err)[1]
    assert cli(*advice.split()).code == 0, advice
    assert cli("check", wide, "--data", data).code == 0
    assert cli("token", "new", "ci", "--scopes", "emit", "--data", temp_dir() / "not" / "there").code == 0


@test("check says where a dialect, a protocol and a URL are that nobody here knows, and what there is")
def _():
    for text, words in [
        ("listen:\n  - {address: '127.0.0.1:0', dialect: x}\n",
         ":2:39: dialect: 'x' is no dialect that a listener can pin; there are native, "),
        ("sources:\n  - {id: a, url: 'ws://h/', protocol: x}\n",
         ":2:39: protocol: no protocol 'x'; there are websocket, "),
        ("sources:\n  - {id: a, url: 'ftp://h/'}\n",
         ":2:18: url: 'ftp://h/' is no URL of a source; it begins with one of ws://, "),
    ]:
        done = cli("check", write(text), "--data", temp_dir() / "data")
        assert done.code == 78 and words in done.err, (words, done)


@test("check minds the files of tokens and credentials, as the box itself does")
def _():
    data = temp_dir() / "data"
    secret = temp_dir() / "secret"
    token = write(f"auth: {{tokens: [{{name: ci, file: {secret}, scopes: all}}]}}")
    source = write(f"sources: [{{id: one, url: 'ws://127.0.0.1:9', credential_file: {secret}}}]")

    def refused(config, *words):
        for verb in ("check", "serve"):
            done = cli(verb, "--config", config, "--data", data)
            assert done.code == 78 and all(w in done.err for w in (str(secret), *words)), done
    refused(token, "'ci'", "No such file")
    refused(source, "'one'", "No such file")
    secret.write_text(" \n")
    secret.chmod(0o600)
    refused(token, "64 hexadecimal")
    refused(source, "is empty")
    secret.write_text("AB" * 32 + "\r\n")
    for config in (token, source):
        assert cli("check", config, "--data", data).code == 0
    secret.chmod(0o644)
    refused(token, "chmod 600")
    refused(source, "chmod 600")


@test("a file that cannot be read just now is no fault of the configuration: 1, not 78")
def _():
    data = temp_dir() / "data"
    broken = "/proc/self/mem"  # ours alone, and its first byte is an EIO
    token = write(f"auth: {{tokens: [{{name: ci, file: {broken}, scopes: all}}]}}")
    source = write(f"sources: [{{id: one, url: 'ws://127.0.0.1:9', credential_file: {broken}}}]")
    for config in (token, source, broken):
        for verb in ("check", "serve"):
            done = cli(verb, "--config", config, "--data", data)
            assert done.code == 1 and f"{broken}: Input/output error" in done.err, done


@test("a variable that is called like ours and is no key is told, and is no fault")
def _():
    data = temp_dir() / "data"
    slip = {"SIGNALBOX_LIMITS_DEPHT": "9"}
    words = ("SIGNALBOX_LIMITS_DEPHT is set, and is no key of the configuration; "
             "did you mean SIGNALBOX_LIMITS_DEPTH?")
    done = cli("check", "--data", data, env=slip)
    assert done.code == 0 and done.err == f"signalbox: {words}\n", done
    with Box(env=slip) as box:
        assert f"warn config: {words}" in box.log(), box.log()


@test("whatever keeps serve from starting, check finds before, in the same words")
def _():
    data = temp_dir() / "data"
    quiet = "listen: ['127.0.0.1:0']\n"

    def refused(text, *words):
        config = write(text)
        said = [cli(verb, "--config", config, "--data", data) for verb in ("check", "serve")]
        assert all(done.code == 78 and done.out == "" for done in said), said
        assert said[0].err == said[1].err and all(w in said[0].err for w in words), said
    refused("listen: ['127.0.0.1:7', 'localhost:7']\n", ":1:25: listen: localhost:7 is there twice")
    source = "sources: [{id: one, url: 'ws://127.0.0.1:9', protocol: telex}]"
    refused(quiet + source, ":2:", "no protocol 'telex'; there are websocket, ")
    refused(quiet + "sources: [{id: one, url: 'ws://'}]", "'one'")
    refused("listen: ['127.0.0.1:7999']\n"
            "sources: [{id: me, url: 'http://localhost:7999/api/stream'}]", "this box itself")
    assert not data.exists()
    data.mkdir(mode=0o700)
    for name, text, mode, words in (("token", "short\n", 0o600, "64 hexadecimal"),
                                    ("prompt-key", "short", 0o600, "holds no key"),
                                    ("source-credentials.json", "{}", 0o640, "chmod 600")):
        (data / name).write_text(text)
        (data / name).chmod(mode)
        refused(quiet, str(data / name), words)
        (data / name).unlink()
    data.chmod(0o750)
    refused(quiet, f"{data} is open to others (mode 0750); chmod 700 {data}")
    data.rmdir()
    data.write_text("")
    refused(quiet, f"{data} is not a directory")
    data = data / "below"
    refused(quiet, str(data), "Not a directory")
    data = temp_dir() / ("long" * 30)
    refused(quiet, "at most 103 bytes")


@test("check looks at the show of DATA, if there is one")
def _():
    data = temp_dir()
    show = data / "show.json"
    show.write_text(cli("show", "export", "--default").out)
    done = cli("check", "--data", data)
    assert done.code == 0 and f"{show}: good\n" in done.out, done
    assert json.loads(cli("check", "--json", "--data", data).out)["show"] is True
    show.write_text('{"scene": 1}')
    done = cli("check", "--data", data)
    assert done.code == 78 and f"{show}: /scene" in done.err, done
    show.unlink()
    os.mkfifo(show)
    done = cli("check", "--data", data)
    assert done.code == 78 and str(show) in done.err, "nobody waits for a pipe"
    assert cli("check", "a", "b").code == 2 and cli("check", "a", "--config", "b").code == 2


# --- config ------------------------------------------------------------------


@test("config show has every key, its value, and where that is from")
def _():
    file = write("limits:\n  depth: 32\n  body: 2MiB\nauth: {local: none}\n")
    where = ["--config", file, "--data", "/tmp/somewhere"]
    done = cli("config", "show", "--json", *where, env={"SIGNALBOX_LIMITS_BODY": "3MiB"})
    assert done.code == 0, done
    said = json.loads(done.out)
    keys = said["keys"]
    assert said["file"] == str(file)
    assert keys["data"] == {"value": "/tmp/somewhere", "from": "flag", "where": "--data"}
    assert keys["limits.body"] == {"value": "3MiB", "from": "env",
                                   "where": "SIGNALBOX_LIMITS_BODY"}
    assert keys["limits.depth"] == {"value": 32, "from": "file", "where": f"{file}:2"}
    assert keys["auth.local"] == {"value": "none", "from": "file", "where": f"{file}:4"}
    assert keys["log.level"] == {"value": "info", "from": "default"}
    assert keys["listen"]["value"] == [{"address": "127.0.0.1:7446"}]
    help = re.findall(r"^(\S+)\n    ", cli("help", "config").out, re.M)
    assert list(keys) == help, "all of them, in the order of the help"
    table = cli("config", "show", *where, env={"SIGNALBOX_LIMITS_BODY": "3MiB"})
    assert table.code == 0 and "\x1b" not in table.out, table
    assert re.search(rf"^limits\.depth +32 +{file}:2$", table.out, re.M), table
    assert re.search(r"^limits\.body +3MiB +SIGNALBOX_LIMITS_BODY$", table.out, re.M), table


@test("what config show says can be read again, and says the same then")
def _():
    file = write("listen: ['127.0.0.1:0', {address: '[::1]:0', dialect: signals}]\n"
                 "journal: {keep: 0, commit: 7ms, segment: 1536KiB}\n"
                 "auth: {hosts: [a.example], local: 'observe, answer'}\ndemo: {speed: 0.25}\n"
                 "sources: [{id: one, url: 'scenario:x', connect: false}]\n")
    first = json.loads(cli("config", "show", "--json", "--config", file, "--data", "/d").out)
    again = {}
    for path, key in first["keys"].items():
        *groups, name = path.split(".")
        inner = again
        for group in groups:
            inner = inner.setdefault(group, {})
        if key["value"] is not None:
            inner[name] = key["value"]
    copy = write(json.dumps(again))
    second = json.loads(cli("config", "show", "--json", "--config", copy).out)
    values = lambda said: {k: v["value"] for k, v in said["keys"].items()}
    assert values(first) == values(second), (first, second)
    assert values(first)["journal.commit"] == "7ms" and values(first)["demo.speed"] == 0.25


@test("config show shows no secret, and a bad configuration ends it with 78")
def _():
    file = write("sources:\n- {id: a, url: 'ws://127.0.0.1:1/x?token=hush', credential: '${KEY}'}\n")
    for extra in ([], ["--json"]):
        done = cli("config", "show", *extra, "--config", file, "--data", "/d",
                   env={"KEY": "verysecret"})
        assert done.code == 0 and "(secret)" in done.out, done
        assert "hush" not in done.out and "verysecret" not in done.out, done
    assert cli("config", "show", "--config", write("no: 1\n")).code == 78
    assert cli("config").code == 2 and cli("config", "burn").code == 2


# --- completion --------------------------------------------------------------


def script(shell):
    done = cli("completion", shell)
    assert done.code == 0 and done.err == "", done
    return write(done.out, f"signalbox.{shell}")


def verbs():
    listed = cli("help").out.split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def shell(name, program, *args):
    done = subprocess.run([shutil.which(name), *(["--norc"] if name == "bash" else []), "-c",
                           program, name, *map(str, args)], capture_output=True, text=True,
                          env=environment({"HOME": str(temp_dir())}), timeout=30)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout.split("\n")[:-1]


BASH = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
_signalbox
printf '%s\\n' "${COMPREPLY[@]}"
"""


@test("bash completes verbs, options, first words, values and files")
def _():
    path = script("bash")
    ask = lambda *words: [w for w in shell("bash", BASH, path, "signalbox", *words) if w]
    assert set(ask("")) == {*verbs(), "--help", "--version"}
    assert ask("ser") == ["serve", "service"]
    assert ask("service", "") == ["install", "uninstall", "status"]
    assert ask("service", "un") == ["uninstall"]
    assert ask("journal", "") == ["verify", "repair", "export", "import", "forget"]
    assert ask("serve", "--log-level", "") == ["error", "warn", "info", "debug"]
    assert ask("serve", "--color", "=", "al") == ["always"]
    assert ask("serve", "--color", "=") == ["auto", "always", "never"]
    assert ask("parse", "clau") == ["claude-hook", "claude-stream", "claude-transcript"]
    assert ask("help", "doc") == ["doctor"]
    assert ask("serve", "--listen", "") == []
    for verb in verbs():
        options = re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", cli(verb, "-h").out, re.M)
        assert ask(verb, "--") == options, verb
    where = temp_dir()
    (where / "a file.yaml").touch()
    (where / "a dir").mkdir()
    assert ask("serve", "--config", f"{where}/a f") == [f"{where}/a file.yaml"]
    assert ask("serve", "-d", f"{where}/a") == [f"{where}/a dir"]
    assert sorted(ask("check", f"{where}/a")) == [f"{where}/a dir", f"{where}/a file.yaml"]
    assert ask("status", f"{where}/a") == []


def with_a_box(box):
    """Where the scripts find our program, and our program that box."""
    folder = temp_dir()
    (folder / "signalbox").write_text(f"#!/bin/sh\nexec {SIGNALBOX} \"$@\" --data {box.data}\n")
    (folder / "signalbox").chmod(0o755)
    return f"PATH={folder}:$PATH"


@test("shells complete the handles of sessions, where a session is named")
def _():
    with Box() as box:
        for run_id in ("r1", "r2"):
            box.emit({"type": "task_dispatch", "source": "shop", "correlationId": run_id,
                      "payload": {"taskId": run_id, "to": "shop"}})
        path = with_a_box(box)
        bash = lambda *words: [w for w in shell(
            "bash", f"{path}; {BASH}", script("bash"), "signalbox", *words) if w]
        for words in (["control", "sho"], ["cancel", ""], ["run", "show", ""], ["run", "export", ""],
                      ["tail", "--run", "sh"], ["top", "--session", ""], ["answer", ""],
                      ["open", ""], ["ask", "--session", "s"]):
            assert bash(*words) == ["shop-1", "shop-2"], words
        assert bash("cancel", "shop-2") == ["shop-2"] and bash("cancel", "shop-1", "") == []
        zsh = shell("zsh", f"{path}; compadd() {{ shift; print -rl -- \"$@\" }}\n{ZSH}_signalbox_handles\n",
                    script("zsh"), "signalbox", "control", "")
        assert "1: :_signalbox_handles" in zsh and zsh[-2:] == ["shop-1", "shop-2"], zsh
        program = f"set -x {path.replace('=', ' ').replace(':', ' ')}; source {script('fish')}; complete -C"
        for line in ("control ", "run show ", "tail --run "):
            said = [w.split("\t")[0] for w in shell("fish", f"{program} 'signalbox {line}'")]
            assert said == ["shop-1", "shop-2"], (line, said)


ZSH = """compdef() { registered=$* }
source "$1"; shift
_describe() { print -rl -- ${(P)2} }
_arguments() { print -rl -- "$@" }
words=("$@"); CURRENT=$#
_signalbox
print -r -- "registered $registered"
"""


@test("zsh is given every verb with its words, and of each its options and what they take")
def _():
    path = script("zsh")
    ask = lambda *words: shell("zsh", ZSH, path, "signalbox", *words)
    said = ask("")
    assert said.pop() == "registered _signalbox signalbox"
    assert [line.split(":")[0] for line in said] == verbs()
    assert "doctor:find problems and say how to fix them" in said
    said = ask("service", "")
    assert "1: :(install uninstall status)" in said and "*: : " in said, said
    assert "*--data[the box's directory]:DIR:_files -/" in said, said
    said = ask("serve", "")
    assert "*--log-level[error, warn, info or debug]:LEVEL:(error warn info debug)" in said, said
    assert "*: :_files" in ask("check", "")


@test("fish completes verbs, options, first words, values and files")
def _():
    path = script("fish")
    program = f"source {path}; complete -C"
    ask = lambda line: [w.split("\t")[0] for w in shell("fish", f"{program} '{line}'")]
    assert ask("signalbox ") == sorted(verbs())
    assert ask("signalbox ser") == ["serve", "service"]
    assert sorted(ask("signalbox service ")) == ["install", "status", "uninstall"]
    assert ask("signalbox service install ") == []
    assert sorted(ask("signalbox serve --log-level ")) == ["debug", "error", "info", "warn"]
    assert ask("signalbox tail --js") == ["--json"]
    assert ask("signalbox help doc") == ["doctor"]
    where = temp_dir()
    (where / "one.yaml").touch()
    assert ask(f"signalbox check {where}/o") == [f"{where}/one.yaml"]
    assert ask(f"signalbox status {where}/o") == []


@test("a shell that nobody knows is wrong use")
def _():
    for words in ([], ["tcsh"], ["bash", "zsh"]):
        done = cli("completion", *words)
        assert done.code == 2 and done.out == "", done


# --- --json ------------------------------------------------------------------


@test("everything that is asked of a box or of files can be had as JSON, without a colour")
def _():
    with Box() as box:
        box.emit("hello")
        box.emit({"type": "task_dispatch", "correlationId": "r1", "payload": {"taskId": "r1"}})
        where = ["--data", str(box.data)]
        asked = [["status"], ["prompts"], ["sources"], ["sources", "list"], ["discover"],
                 ["run", "list"], ["run", "show", "r1"], ["tap", "status"], ["service", "status"],
                 ["journal", "verify"], ["token", "show"], ["token", "show", "--path"],
                 ["doctor"], ["check"], ["config", "show"], ["open", "--print"],
                 ["top", "--once"], ["show", "check", "default"], ["tail", "--from", "0", "-n", "1"]]
        for words in asked:
            done = cli(*words, "--json", *where, env={"HOME": str(box.data.parent)})
            assert json.loads(done.out) is not None, (words, done)
            assert done.out.count("\n") == 1 and "\x1b" not in done.out, (words, done)
        for words in (["version"], ["parse", "--list"]):
            assert json.loads(cli(*words, "--json").out), words
        said = json.loads(cli("token", "show", "--json", *where).out)
        assert said == {"path": str(box.data / "token"), "token": box.token}
        assert json.loads(cli("token", "show", "--path", "--json", *where).out) == {
            "path": str(box.data / "token")}
        assert "#t=" in json.loads(cli("open", "--print", "--json", *where).out)["url"]
        said = json.loads(cli("parse", "--list", "--json").out)
        assert [p["name"] for p in said] == [
            line.split()[0] for line in cli("parse", "--list").out.splitlines()]
        said = cli("show", "check", "-", "--json", input="{}")
        assert said.code == 1 and json.loads(said.out)["ok"] is False, said


run()
