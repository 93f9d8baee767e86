#!/usr/bin/env python3
"""Every verb of the command line: what it prints where, and how it ends."""

import json
import os
import re
import signal
import stat
import subprocess

from lib import (PATIENCE_S, ROOT, SIGNALBOX, Box, Impostor, answer_bytes, cli, environment,
                 eventually, run, temp_dir, test)

VERBS = ["serve", "emit", "tail", "status", "open", "token", "journal", "parse",
         "show", "run", "tap", "check", "config", "doctor", "completion", "version", "help"]


# --- help and misuse ---------------------------------------------------------


@test("without a word it shows the verbs on standard error and ends with 2")
def _():
    result = cli()
    assert result.code == 2 and result.out == "", result
    assert all(re.search(rf"^  {v} ", result.err, re.M) for v in VERBS), result


@test("help, --help and -h list every verb on standard output")
def _():
    for word in ("help", "--help", "-h"):
        result = cli(word)
        assert result.code == 0 and result.err == "", result
        assert all(re.search(rf"^  {v} ", result.out, re.M) for v in VERBS), result


@test("the long help of each verb has examples first, then options, then exit codes")
def _():
    for verb in VERBS:
        result = cli(verb, "--help")
        assert result.code == 0 and result.err == "", result
        order = ["Examples:", f"usage: signalbox {verb}", "Common options:", "Exit codes:"]
        places = [result.out.find(word) for word in order]
        assert -1 not in places and places == sorted(places), result
        assert f"\n  signalbox {verb}" in result.out, result
        if verb != "config":  # of which `help` lists the keys
            assert result.out == cli("help", verb).out
        assert max(map(len, result.out.splitlines())) <= 100, result


@test("the short help of each verb is shorter and has no examples")
def _():
    for verb in VERBS:
        short, long = cli(verb, "-h"), cli(verb, "--help")
        assert short.code == 0 and len(short.out) < len(long.out), short
        assert short.out.startswith(f"usage: signalbox {verb}") and "Examples" not in short.out


@test("an unknown verb suggests the near one and ends with 2")
def _():
    for wrong, near in (("sevre", "serve"), ("stats", "status"), ("emti", "emit")):
        result = cli(wrong)
        assert result.code == 2 and result.out == "", result
        assert f"unknown command '{wrong}', did you mean '{near}'?" in result.err, result
    for words in (["frobnicate"], ["nope"], ["help", "nope"]):
        assert "did you mean" not in cli(*words).err, words


@test("an unknown option suggests the near one and ends with 2")
def _():
    for verb in VERBS:
        result = cli(verb, "--colr", "never")
        assert result.code == 2 and result.out == "", result
        assert "unknown option '--colr', did you mean '--color'?" in result.err, result
        assert f"try `signalbox {verb} --help`" in result.err, result


@test("a word that a verb does not know suggests the near one, or names all")
def _():
    for words, said in ((["service", "instal"], "there is no 'instal', did you mean 'install'?"),
                        (["journal", "verif"], "did you mean 'verify'?"),
                        (["tap", "stats"], "did you mean 'status'?"),
                        (["token", "rotat"], "did you mean 'rotate'?"),
                        (["show", "chek"], "did you mean 'check'?"),
                        (["sources", "ad"], "did you mean 'add'?"),
                        (["config", "scheme"], "did you mean 'schema'?"),
                        (["completion", "powershell"],
                         "there is no 'powershell'; there are bash, zsh and fish"),
                        (["completion", "tcsh"], "there is no 'tcsh'; there are bash, zsh and fish"),
                        (["parse", "opena"], "there is no protocol 'opena', did you mean 'openai'?"),
                        (["parse", "nope"], "there is no protocol 'nope'; there are anthropic, "),
                        (["run", "--parse", "nope", "true"], "opencode, opencode-events, pi, raw and responses"),
                        (["emit", "--parse", "nope"], "opencode, opencode-events, pi, raw and responses"),
                        (["completion"], "do what? There are bash, zsh and fish"),
                        (["config", "show", "all"], "unexpected argument 'all'"),
                        (["help", "config", "all"], "unexpected argument 'all'"),
                        (["token", "show", "--scopes", "emit"], "--scopes is for `token new`"),
                        (["token", "new", "ci"], "new wants a name and --scopes"),
                        (["--data", "/x", "status"], "options go after the command")):
        result = cli(*words)
        assert result.code == 2 and said in result.err and result.out == "", (words, result)


@test("too many words, missing values and wrong values are wrong use")
def _():
    wrong = [
        ["serve", "now"], ["status", "x"], ["open", "x", "y"], ["version", "x"], ["tail", "x"],
        ["tail", "--count", "0"], ["tail", "--count", "many"], ["tail", "--count"],
        ["emit", "a", "b"], ["emit", "{}", "--type", "x"], ["emit", "--payload", "{}"],
        ["token"], ["token", "shwo"], ["token", "new"], ["token", "new", "x"],
        ["token", "new", "../x", "--scopes", "emit"], ["token", "new", "x", "--scopes", "fly"],
        ["token", "new", "x", "--scopes", "none"], ["token", "show", "--scopes", "emit"],
        ["journal"], ["journal", "burn"], ["status", "--color", "sometimes"],
        ["help", "serv"], ["status", "--json=yes"], ["status", "--token-file", "/x"],
    ]
    for words in wrong:
        result = cli(*words, "--data", "/nonexistent") if words[0] in VERBS[:7] else cli(*words)
        assert result.code == 2 and result.out == "" and result.err, (words, result)


@test("version says which signalbox it is")
def _():
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
    assert cli("version").out == f"signalbox {version}\n"
    assert cli("--version").out == cli("-V").out == cli("version").out
    assert json.loads(cli("version", "--json").out)["version"] == version


@test("colours come on a terminal, and not with NO_COLOR")
def _():
    def first_bytes(env):
        here, there = os.openpty()
        with subprocess.Popen([SIGNALBOX, "help"], stdout=there, env=environment(env)) as process:
            os.close(there)
            got = b""
            try:
                while piece := os.read(here, 4096):
                    got += piece
            except OSError:
                pass
            os.close(here)
            assert process.wait() == 0
        return got

    assert b"\x1b[1m" in first_bytes({})
    assert b"\x1b" not in first_bytes({"NO_COLOR": "1"})
    assert "\x1b" not in cli("help").out


@test("an output that is full ends it with 1 and words")
def _():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([SIGNALBOX, "help"], stdout=full, stderr=subprocess.PIPE,
                              env=environment())
    assert done.returncode == 1 and b"cannot write: No space left" in done.stderr, done


@test("with standard files closed nothing that is said goes elsewhere")
def _():
    with Box() as box:
        box.emit("x")
        for verb in (["tail", "--from", "0"], ["status"]):
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", SIGNALBOX, *verb, "--data", box.data],
                                  stderr=subprocess.PIPE, env=environment(), timeout=PATIENCE_S, check=False)
            assert done.returncode == 1 and b"cannot write: Bad file" in done.stderr, (verb, done)
    data = temp_dir() / "data"
    serve = subprocess.Popen(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", SIGNALBOX, "serve", "--data", data,
                              "--listen", "127.0.0.1:0"], env=environment())
    eventually((data / "listen").exists)
    files = [os.readlink(f"/proc/{serve.pid}/fd/{n}") for n in range(3)]
    serve.terminate()
    assert (serve.wait(PATIENCE_S), files) == (0, ["/dev/null"] * 3), files


# --- the manual --------------------------------------------------------------


@test("the manual of signalbox.yaml(5) has every key, its range and its default")
def _():
    manual = (ROOT / "docs/man/signalbox.yaml.5.scd").read_text().replace("\\", "")
    keys = re.findall(r"^(\S+)\n    (.*)\n    (.*)$", cli("help", "config").out, re.M)
    assert len(keys) > 25, keys
    for path, _, rest in keys:
        entry = re.search(rf"^\*{re.escape(path)}\*.*?(?=^\*|^#|\Z)", manual, re.M | re.S)
        assert entry, path
        default = re.search(r"; default ([^;]+)", rest)
        assert not default or f"Default: {default[1]}" in entry[0], (path, rest)
        range_ = re.search(r"; (\S+ to \S+);", rest)
        assert not range_ or f"Range: {range_[1]}" in " ".join(entry[0].split()), (path, rest)


# --- configuration -----------------------------------------------------------


def config_file(text):
    path = temp_dir() / "c.yaml"
    path.write_text(text)
    return path


@test("a fault in the file ends with 78 and names file, line and column")
def _():
    cases = {
        "data: /x\nlisen: []\n": "2:1: unknown key 'lisen', did you mean 'listen'?",
        "limits:\n  body: much\n": "2:9: body: 'much' is not a size",
        "limits:\n  message: 17MiB\n": "2:12: message: too big: at most 16MiB is allowed",
        "limits: {behind: 1B}\n": "1:18: behind: too small: at least 64KiB is wanted",
        "listen: []\n": "1:9: listen: the list is empty",
        "listen: ['0.0.0.0:7446']\n": "1:10: listen: 0.0.0.0:7446 can be reached",
        "data: *x\n": "1:7: anchors, aliases and tags",
        "auth: {local: fly}\n": "1:15: local: 'fly' is no scope",
    }
    for text, words in cases.items():
        path = config_file(text)
        for verb in (["serve"], ["status"], ["emit", "{}"], ["token", "show"]):
            result = cli(*verb, "--config", path)
            assert result.code == 78 and result.out == "", result
            assert f"{path}:{words}" in result.err, result


@test("an address that other machines reach is refused wherever it stands")
def _():
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.com:80", "127.evil.com:1"):
        for result in (
            cli("serve", "--data", temp_dir() / "d", "--listen", address),
            cli("serve", "--data", temp_dir() / "d", env={"SIGNALBOX_LISTEN": address}),
        ):
            assert result.code == 78, (address, result)
    assert "needs TLS" in cli("serve", "--listen", "0.0.0.0:1", "--data", "/x").err


@test("one address is not listened at twice, wherever it stands; any port is another")
def _():
    data = temp_dir() / "d"
    for result in (
        cli("serve", "--data", data, "--listen", "127.0.0.1:1", "--listen", "localhost:1"),
        cli("serve", "--data", data, env={"SIGNALBOX_LISTEN": "127.0.0.1:1,localhost:1"}),
    ):
        assert result.code == 78 and "localhost:1 is there twice" in result.err, result
    path = config_file("listen: ['127.0.0.1:0', '127.0.0.1:0', '[::1]:1', '127.0.0.1:1']\n")
    assert cli("check", path, "--data", data).code == 0


@test("a file that is named must be there, one that is not may be absent")
def _():
    result = cli("status", "--config", "/nonexistent/c.yaml")
    assert result.code == 78 and "/nonexistent/c.yaml" in result.err, result
    result = cli("status", env={"SIGNALBOX_CONFIG": "/nonexistent/d.yaml"})
    assert result.code == 78 and "/nonexistent/d.yaml" in result.err, result
    assert cli("status", "--data", "/nonexistent").code == 1


@test("flags win over the environment, that over the file, that over the default")
def _():
    path = config_file("data: /from/file\n")
    env = {"HOME": "/from/home"}

    def where(*args, **more):
        return cli("token", "show", "--path", *args, env={**env, **more}).out.strip()

    assert where() == "/from/home/.local/state/signalbox/token"
    assert where(XDG_STATE_HOME="/from/xdg") == "/from/xdg/signalbox/token"
    assert where("--config", path) == "/from/file/token"
    assert where(SIGNALBOX_CONFIG=str(path)) == "/from/file/token"
    assert where("--config", path, SIGNALBOX_DATA="/from/env") == "/from/env/token"
    flags = ("--config", path, "--data", "/from/flag")
    assert where(*flags, SIGNALBOX_DATA="/from/env") == "/from/flag/token"


@test("the usual file of the user is found, and its values hold")
def _():
    home = temp_dir()
    (home / "signalbox").mkdir()
    (home / "signalbox/signalbox.yaml").write_text("data: ~/box\n")
    env = {"XDG_CONFIG_HOME": str(home), "HOME": "/h"}
    assert cli("token", "show", "--path", env=env).out == "/h/box/token\n"


# --- no box ------------------------------------------------------------------


@test("without a box each verb that needs one says so and ends with 1")
def _():
    data = temp_dir() / "none"
    words = f"no signalbox is running on {data} (start one with `signalbox serve`)"
    for verb in (["status"], ["emit", '{"type":"x"}'], ["emit", "-"], ["tail"], ["open"]):
        result = cli(*verb, "--data", data, input='{"type":"x"}\n')
        assert result.code == 1 and result.out == "" and words in result.err, result
    data.mkdir()
    (data / "sock").symlink_to(data / "sock")
    result = cli("status", "--data", data)
    assert result.code == 1 and f"{data}/sock: Too many levels" in result.err, result
    assert "is running" not in result.err and "--token-file" in result.err, result


# --- status ------------------------------------------------------------------


@test("status shows people and programs the same figures")
def _():
    with Box() as box:
        box.emit("x")
        told = json.loads(cli("status", "--json", "--data", box.data).out)
        assert told["seq"] == 1 and told["ok"] is True, told
        result = cli("status", "--data", box.data)
        assert result.code == 0, result
        assert re.match(r"signalbox \S+, up \d+ m?s\n", result.out), result
        for line in (rf"epoch +{told['epoch']}", "last signal +1", "  accepted +1", "  size +.*s"):
            assert re.search(f"^{line}$", result.out, re.M), (line, result)
        values = {len(m[0]) for m in re.finditer(r"^ *\S+(?: \S+)*  +", result.out, re.M)}
        assert len(values) == 1 and not re.search(r"\b[a-z]+[A-Z]", result.out), result
        assert "TROUBLE" not in result.out, result


# --- open --------------------------------------------------------------------


@test("open prints a URL whose code lets one browser in, once")
def _():
    with Box() as box:
        result = cli("open", "--print", "--data", box.data)
        assert result.code == 0 and result.err == "", result
        url = result.out.strip()
        assert re.fullmatch(rf"http://127\.0\.0\.1:{box.port}/#t=[0-9a-f]{{64}}", url), url
        code = {"code": url.partition("#t=")[2]}
        assert box.request("POST", "/api/session", code, unix=False).status == 200
        assert box.request("POST", "/api/session", code, unix=False).status == 401


@test("open gives the browser a private file, and nobody the code")
def _():
    tools = temp_dir()
    (tools / "xdg-open").write_text(f'#!/bin/sh\necho "$@" > {tools}/new; mv {tools}/new {tools}/was\n')
    (tools / "xdg-open").chmod(0o755)
    with Box() as box:
        env = {"DISPLAY": ":7", "PATH": f"{tools}:{os.environ['PATH']}"}
        result = cli("open", "--data", box.data, env=env)
        assert result.code == 0, result
        eventually(lambda: (tools / "was").exists())
        page = box.data / "open.html"
        assert (tools / "was").read_text() == f"{page}\n"
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert f"url={result.out.strip()}" in page.read_text()
        (tools / "was").unlink()
        cli("open", "--print", "--data", box.data, env=env)
        cli("open", "--data", box.data, env={"PATH": env["PATH"]})
        assert not (tools / "was").exists()
        result = cli("open", "--data", box.data, env={"DISPLAY": ":7", "PATH": "/nonexistent"})
        assert result.code == 0 and "no browser was started" in result.err, result


@test("open takes no URL that would mean something in a page")
def _():
    data = temp_dir()
    evil = ['http://x/#t="><script>', "javascript:alert(1)", "http://x/\n", "http://x/ y"]
    for url in evil:
        with Impostor([answer_bytes({"ok": True, "url": url})], data / "sock"):
            result = cli("open", "--data", data)
            assert result.code == 1 and result.out == "", result
        (data / "sock").unlink()


# --- token -------------------------------------------------------------------


@test("token show prints the token, and with --path where it is")
def _():
    with Box() as box:
        result = cli("token", "show", "--data", box.data)
        assert result.code == 0 and result.out.strip() == box.token, result
        assert cli("token", "show", "--path", "--data", box.data).out == f"{box.data}/token\n"
        (box.data / "token").chmod(0o644)
        result = cli("token", "show", "--data", box.data)
        assert result.code == 1 and result.out == "" and "read by others" in result.err, result
        (box.data / "token").chmod(0o600)


@test("token new makes a private file that the configuration can give scopes")
def _():
    data = temp_dir() / "data"
    result = cli("token", "new", "ci", "--scopes", "observe", "--data", data)
    path = data / "tokens/ci"
    assert result.code == 0 and result.out == f"{path}\n", result
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE(data.stat().st_mode) == 0o700
    secret = path.read_text()
    assert re.fullmatch(r"[0-9a-f]{64}\n", secret) and secret.strip() not in result.err
    assert cli("token", "new", "ci", "--scopes", "all", "--data", data).code == 1
    assert path.read_text() == secret
    assert cli("token", "show", "ci", "--data", data).out == secret
    snippet = re.search(r"auth: .*", result.err)[0]
    with Box(args=["--config", config_file(snippet + "\n")], data=data) as box:
        bearer = {"Authorization": f"Bearer {secret.strip()}"}
        answer = box.request("GET", "/api/status", headers=bearer, unix=False)
        assert answer.status == 200, answer
        answer = box.request("POST", "/api/signal", {"type": "x"}, bearer, unix=False)
        assert answer.status == 403, answer


@test("token rotate replaces it, and a running box takes the new one at once")
def _():
    with Box() as box:
        old = box.bearer()
        result = cli("token", "rotate", "--data", box.data)
        assert result.code == 0 and result.out == "", result
        assert "the box uses the new token" in result.err, result
        assert old != box.bearer() and box.token not in result.err
        assert stat.S_IMODE((box.data / "token").stat().st_mode) == 0o600
        for bearer, status in ((old, 401), (box.bearer(), 200)):
            assert box.request("GET", "/api/status", headers=bearer, unix=False).status == status
        data = box.data
    result = cli("token", "rotate", "--data", data)
    assert result.code == 0 and "no box is running" in result.err, result


# --- over TCP, when asked ----------------------------------------------------


@test("--url speaks to a port of this machine, with the token that is named")
def _():
    with Box(env={"SIGNALBOX_AUTH_LOCAL": "none"}) as box:
        url = f"http://127.0.0.1:{box.port}"
        result = cli("status", "--url", url, "--data", box.data)
        assert result.code == 1 and result.out == "", result
        good = ["--url", url, "--token-file", box.data / "token"]
        assert json.loads(cli("status", "--json", *good).out)["ok"] is True
        assert cli("emit", '{"type":"x"}', *good).out == "1\n"
        assert cli("tail", "--from", "0", "--count", "1", *good).code == 0


@test("a port gets no token that nobody named, and none is sent through a proxy")
def _():
    data = temp_dir()
    secret = "ab" * 32
    (data / "token").write_text(secret + "\n")
    (data / "token").chmod(0o600)
    told = {"ok": True, "seq": 1, "epoch": "e"}
    with Impostor([answer_bytes(told)] * 2) as port, Impostor([answer_bytes(told)] * 2) as proxy:
        env = {f"{s}_proxy": f"http://127.0.0.1:{proxy.port}" for s in ("http", "all", "https")}
        url = f"http://127.0.0.1:{port.port}"
        assert cli("status", "--url", url, "--data", data, env=env).code == 0
        assert cli("status", "--url", url, "--token-file", data / "token", env=env).code == 0
        plain, named = (head for head, _ in port.heard)
        assert b"uthorization" not in plain and secret.encode() not in plain
        assert f"Authorization: Bearer {secret}".encode() in named
        assert proxy.heard == []


@test("a redirect is not followed")
def _():
    with Impostor([answer_bytes("{}")]) as other:
        away = f"Location: http://127.0.0.1:{other.port}/\r\n"
        with Impostor([answer_bytes("{}", "302 Found", away)]) as port:
            result = cli("status", "--url", f"http://127.0.0.1:{port.port}")
            assert result.code == 1 and other.heard == [], result


@test("plain http to another machine and URLs with more in them are refused")
def _():
    for url in (
        "http://192.0.2.1:7446", "http://example.com", "http://127.evil.com", "ftp://localhost",
        "http://user:secret@localhost", "http://localhost/path", "http://localhost?x=1",
        "http://localhost#x", "http://localhost@192.0.2.1", "", "http://0.0.0.0:1",
    ):
        result = cli("status", "--url", url, "--token-file", "/nonexistent")
        assert result.code == 2 and result.out == "", (url, result)


@test("a token file that others can read is not used")
def _():
    path = temp_dir() / "t"
    path.write_text("ab" * 32 + "\n")
    path.chmod(0o640)
    with Impostor([answer_bytes("{}")]) as port:
        url = f"http://127.0.0.1:{port.port}"
        result = cli("status", "--url", url, "--token-file", path)
        assert result.code == 1 and "read by others" in result.err, result
        assert port.heard == []


# --- journal, serve ----------------------------------------------------------


@test("journal verify finds nothing wrong with what was written, also while it runs")
def _():
    with Box() as box:
        for n in range(10):
            box.emit("n", payload={"n": n})
        assert cli("journal", "verify", "--data", box.data).code == 0
        data = box.data
    result = cli("journal", "verify", "--data", data)
    assert result.code == 0 and "10 signals, 1 to 10" in result.out, result
    report = json.loads(cli("journal", "verify", "--json", "--data", data).out)
    assert report["ok"] and report["signals"] == 10 and report["stoppedCleanly"], report


@test("journal verify ends with 1 when a byte has changed, and says where")
def _():
    with Box() as box:
        for n in range(10):
            box.emit("n", payload={"n": n})
        data = box.data
    (segment,) = (data / "journal").glob("*.ndjson")
    content = bytearray(segment.read_bytes())
    content[content.index(b'{"seq":5,') + 20] ^= 1
    segment.write_bytes(content)
    result = cli("journal", "verify", "--data", data)
    assert result.code == 1 and "are damaged" in result.err, result
    result = cli("journal", "verify", "--data", "/nonexistent")
    assert result.code == 1 and result.out == "", result


@test("journal repair puts right what verify finds, keeps the damaged bytes, and needs a stopped box")
def _():
    with Box() as box:
        for n in range(10):
            box.emit("n", payload={"n": n})
        result = cli("journal", "repair", "--data", box.data)
        assert result.code == 1 and "is in use by signalbox" in result.err, result
    (segment,) = (box.data / "journal").glob("*.ndjson")
    content = bytearray(segment.read_bytes())
    content[content.index(b'{"seq":5,') + 20] ^= 1
    segment.write_bytes(content)
    result = cli("journal", "repair", "--data", box.data)
    assert result.code == 0 and result.out == (
        "1 of 1 segments written anew\n1 signals in them are gone, and the journal says so\n"
    ), result
    result = cli("journal", "verify", "--data", box.data)
    assert result.code == 0 and "9 signals, 1 to 10" in result.out, result
    (aside,) = (box.data / "journal").glob("*.quarantine")
    assert b'{"seq":5,' in aside.read_bytes()
    again = json.loads(cli("journal", "repair", "--json", "--data", box.data).out)
    assert again == {"ok": True, "segments": 1, "rewritten": 0, "lost": 0, "unchecked": 0,
                     "checkpoints": 0}, again
    with box:
        told = box.history()
    assert [s["seq"] for s in told if "seq" in s] == [1, 2, 3, 4, 6, 7, 8, 9, 10], told
    assert [s for s in told if "op" in s] == [{"op": "gap", "from": 5, "to": 5, "why": "lost"}]
    result = cli("journal", "repair", "--data", "/nonexistent")
    assert result.code == 1 and "there is no journal" in result.err, result


@test("serve listens where it is told, writes its addresses, and stops with 0")
def _():
    box = Box(listen=["127.0.0.1:0", "[::1]:0"]).start()
    hosts = [a.rpartition(":")[0] for a in box.addresses]
    assert hosts[:2] == ["127.0.0.1", "[::1]"], box.addresses
    assert box.request("GET", "/healthz", unix=False).status == 200
    assert box.stop(signal.SIGINT) == 0
    assert "http" in box.log()


@test("serve and the others take a directory from where they are started")
def _():
    where = temp_dir()
    box = subprocess.Popen([SIGNALBOX, "serve", "--listen", "127.0.0.1:0", "--data", "here"],
                           cwd=where, env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        assert "signalbox is at" in box.stdout.readline()
        assert cli("status", "--data", where / "here").code == 0
    finally:
        box.terminate()
        assert box.wait(PATIENCE_S) == 0
        box.stdout.close()


@test("a second serve on the same data says who has it and ends with 1")
def _():
    with Box() as box:
        result = cli("serve", "--data", box.data, "--listen", "127.0.0.1:0")
        assert result.code == 1 and str(box.pid) in result.err, result


@test("the flags of serve reach the box")
def _():
    with Box(args=["--echo", "--demo", "--demo-speed", "100", "--log-level", "debug"]) as box:
        eventually(lambda: any(s["source"].startswith("demo") for s in box.history()))
        assert box.request("GET", "/echo", unix=False).status == 426
    with Box() as box:
        assert box.request("GET", "/echo", unix=False).status == 404


run()
