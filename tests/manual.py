"""The manual's pages as programs: their blocks, how one is run, and what it should print.

A page is Markdown (README.md, docs/*.md) or the EXAMPLES of a man page
(docs/man/*.scd).  What a fenced block is, its word says:

    sh                 run as written; the blocks of a page share one bash, as a reader's
                       would, with a box that serves at the default place
    js, python         run as a program, beside a copy of the client in that language
    json, text         right behind such a block: what it prints, in shape
    console            for another machine, or root: not run, and counted
    yaml               a whole configuration: `signalbox check` must like it
    json, text         elsewhere: for the eye; JSON must be JSON

scdoc has no words, so in a man page every block of EXAMPLES is sh, unless the comment
right before it says otherwise: `; prints`, `; yaml`, `; not run: WHY`.

A comment right before a block, `<!-- endless -->` or `; endless`, says that it goes on for
ever: it is ended once it has printed what stands behind it.  `box: stopped` has the box
stopped for that block.

Shapes: digits are free, and so are numbers in hexadecimal and UUIDs; `...` is anything, on a
line of its own any lines.  JSON has to have the members that are shown, and may have more;
numbers are free where the member is a position, a time or a size (FREE), lists have the
items that are shown in any order.
"""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import textwrap
import time

from lib import PATIENCE_S, ROOT, SIGNALBOX, Box, environment, eventually, temp_dir

PORT = re.compile(r"\b(127\.0\.0\.1|localhost):7446\b")
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
MARK = re.compile(r"(?:^<!-- (.*) -->|^; (.*))\n*\Z", re.M)
UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
FREE = re.compile(
    r"seq|.*Seq|timestamp|version|at|.*At|.*Ms|elapsed|progress|clients|pid|.*[bB]ytes|uptime|signals|frames")
# How a block of this word is run; {} is its file.
RUN = {"sh": "source {}", "js": "node {}", "python": "python3 {}"}
SUFFIX = {"js": "mjs", "python": "py"}
WORDS = {*RUN, "console", "json", "text", "yaml"}
MARKS = r"|endless|box: stopped|prints|yaml|not run: .+"
# What a reader's checkout has, too, and the clients beside a program of theirs.
LENT = {n: n for n in ("clients", "docs", "schema", "show")}
LENT |= {"signalbox.js": "clients/js/signalbox.js", "signalbox.py": "clients/python/signalbox.py"}


class Block:
    def __init__(self, page, line, word, text, mark):
        self.page, self.line, self.word, self.text, self.mark = page, line, word, text, mark
        self.prints = None

    @property
    def runs(self):
        return self.word in RUN

    def __repr__(self):
        return f"{self.page.name}:{self.line}"


class Page:
    def __init__(self, path):
        self.path = path
        self.name = os.path.relpath(path, ROOT)
        self.text = path.read_text()
        self.is_man = path.suffix == ".scd"
        self.blocks = self.with_output(list(self.find()))

    def find(self):
        begin, end = 0, len(self.text)
        if self.is_man:
            # A line of a block that begins with # is no heading.
            plain = FENCE.sub(lambda fence: re.sub("[^\n]", " ", fence[0]), self.text)
            part = re.search(r"^# EXAMPLES\n(.*?)(?=^# |\Z)", plain, re.M | re.S)
            begin, end = part.span(1) if part else (0, 0)
        for fence in FENCE.finditer(self.text, begin, end):
            said = MARK.search(self.text, begin, fence.start())
            line = self.text.count("\n", 0, fence.start()) + 1
            mark = (said[1] or said[2]) if said else ""
            yield Block(self, line, self.word_of(fence, mark), fence[2], mark)

    def word_of(self, fence, mark):
        if not self.is_man:
            return fence[1]
        if mark.startswith("not run: "):
            return "console"
        looks = "json" if fence[2].lstrip().startswith(("{", "[")) else "text"
        return {"yaml": "yaml", "prints": looks}.get(mark, "sh")

    def with_output(self, blocks):
        """Gives each block that runs what stands right behind it."""
        for block, after in zip(blocks, blocks[1:]):
            between = self.text.split("\n")[block.line + block.text.count("\n") + 1:after.line - 1]
            near = not any(between) or after.mark == "prints"
            if block.runs and near and after.word in ("json", "text"):
                block.prints = after
        return blocks


def pages():
    """All of them, or those whose name has what $MANUAL says."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    paths += sorted((ROOT / "docs/man").glob("*.scd"))
    return [Page(p) for p in paths if os.environ.get("MANUAL", "") in str(p)]


def configuration(page):
    """The configuration among the steps of a page, which is indented as they are."""
    text = (ROOT / "docs" / f"{page}.md").read_text()
    (found,) = re.findall(r"^ +```yaml\n(.*?)^ +```$", text, re.M | re.S)
    return textwrap.dedent(found)


def box_of(page, parrot, url, tokens):
    """A box with the configuration of a page about a chat, which is at url; its tokens are in the
    files that the page names."""
    text, place = configuration(page), temp_dir()
    assert text.count("agent: parrot\n") == 1 and all(name in text for name in tokens), text
    (place / "data").mkdir(mode=0o700)
    for name, token in tokens.items():
        (place / "data" / name).write_text(token)
        (place / "data" / name).chmod(0o600)
    path = place / "signalbox.yaml"
    path.write_text(
        text.replace("agent: parrot\n", f"agent: parrot\n    url: {url}\n") +
        f"sources: [{{id: parrot, url: '{parrot.url}', protocol: openai, model: parrot}}]\n")
    return Box(args=["--config", str(path)], data=place / "data")


# --- shapes ------------------------------------------------------------------


def pattern_of(line):
    """One line as an expression: what differs from day to day is free."""
    line = re.sub(r"\s+", " ", line.strip())
    free = rf"{UUID}|[0-9a-f]{{8,}}|\d+|\.\.\.| "
    out, at = "", 0
    for found in re.finditer(free, line):
        out += re.escape(line[at:found.start()])
        at, word = found.end(), found[0]
        if word == "...":
            out += ".*?"
        elif word == " ":
            out += r"\s+"
        else:
            out += rf"(?:{UUID}|[0-9a-f]{{8,}}|\d+)"
    return out + re.escape(line[at:])


def text_fits(wanted, said):
    lines = wanted.rstrip("\n").split("\n")
    whole = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else rf"\s*{pattern_of(line)}[ \t]*\n" for line in lines)
    return re.fullmatch(whole, said.rstrip("\n") + "\n") is not None


def documents(text):
    """The JSON texts in it, one behind the other; `...` between members is left out."""
    strings = r'("(?:\\.|[^"\\])*")'
    parts = re.split(strings, text)
    parts[::2] = [re.sub(r",?\s*\.\.\.", "", part) for part in parts[::2]]
    rest, found, decoder = "".join(parts).strip(), [], json.JSONDecoder()
    while rest:
        value, end = decoder.raw_decode(rest)
        found.append(value)
        rest = rest[end:].lstrip()
    return found


def json_fits(wanted, got, name=""):
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(k in got and json_fits(v, got[k], k) for k, v in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and all(any(json_fits(w, g, name) for g in got) for w in wanted)
    if isinstance(wanted, str):
        return isinstance(got, str) and re.fullmatch(pattern_of(wanted), got.strip(), re.S) is not None
    is_number = isinstance(wanted, (int, float)) and not isinstance(wanted, bool)
    if is_number and isinstance(got, (int, float)) and FREE.fullmatch(name):
        return True
    return type(wanted) is type(got) and wanted == got


def fits(block, said):
    """Has it printed what it should?  Without a word about it, anything will do."""
    if block.prints is None:
        return True
    if block.prints.word == "text":
        return text_fits(block.prints.text, said)
    try:
        wanted, got = documents(block.prints.text), documents(said)
    except ValueError:
        return False
    return len(wanted) == len(got) and all(map(json_fits, wanted, got))


# --- a reader ----------------------------------------------------------------


def recent_node():
    """The one that tools/run-tests found, or that npm brought, or the machine's."""
    brought = ROOT.glob("tests/node/node_modules/node-linux-*/bin/node")
    return shutil.which(os.environ.get("NODE") or next(map(str, brought), "node")) or "node"


class Wrong(Exception):
    """A block does not do what the page says."""


class Reader:
    """Somebody with a fresh home, a box at the default place, and one terminal."""

    def __init__(self):
        self.top = temp_dir()
        self.home = self.top / "home"
        self.cwd = self.home / "signalbox"
        self.notes = self.top / "notes"
        for path in (self.home / ".local/state", self.cwd / "build", self.home / "bin", self.notes):
            path.mkdir(parents=True)
        self.furnish()
        self.env = self.environment()
        self.box = Box(env=self.env, data=self.home / ".local/state/signalbox")
        self.count = 0
        self.stray = []

    def furnish(self):
        for name, real in LENT.items():
            (self.cwd / name).symlink_to(ROOT / real)
        for place in (self.home / "bin/signalbox", self.cwd / "build/signalbox"):
            place.symlink_to(os.path.abspath(SIGNALBOX))
        (self.home / "bin/node").symlink_to(recent_node())
        agent = self.home / "bin/my-agent"
        agent.write_text("#!/bin/sh\necho '{\"type\":\"a\"}'\necho '{\"type\":\"b\"}'\n")
        agent.chmod(0o755)
        # A request that is refused fails its block.
        (self.home / ".curlrc").write_text(f"fail-with-body\nshow-error\nmax-time = {PATIENCE_S}\n")

    def environment(self):
        env = environment({
            "HOME": str(self.home), "PATH": f"{self.home}/bin:{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1", "SIGNALBOX_PHONE_LISTEN": "127.0.0.1:0", "SIGNALBOX_LOG_ROOMS": "web=debug", "NO_COLOR": "1",
            # Nothing that an example names leads out of this machine.
            "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9",
            "no_proxy": "127.0.0.1,localhost",
        })
        return {k: v for k, v in env.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}

    def __enter__(self):
        self.box.start()
        # Whoever asks where a box would listen gets this one's address.
        self.env["SIGNALBOX_LISTEN"] = f"127.0.0.1:{self.box.port}"
        self.ear, mouth = os.pipe()
        self.mouth = mouth
        self.shell = subprocess.Popen(
            ["bash", "--norc", "-eu", "-o", "pipefail"], stdin=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env, cwd=self.cwd,
            pass_fds=(mouth,), start_new_session=True,
        )
        return self

    def __exit__(self, *_):
        for group in (*self.stray, self.shell.pid):
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.shell.stdin.close()
        self.shell.wait()
        os.close(self.ear)
        os.close(self.mouth)
        self.box.kill9()
        shutil.rmtree(self.top, ignore_errors=True)

    def note(self, suffix):
        return self.notes / f"{self.count}.{suffix}"

    def written(self, suffix):
        return self.note(suffix).read_text(errors="replace")

    def here(self, text):
        return PORT.sub(rf"\1:{self.box.port}", text)

    def say(self, line, how="", within=PATIENCE_S):
        """Gives the shell a line, and waits for its word that this is done."""
        try:
            self.shell.stdin.write(f"{line}; echo {how or 'done'} >&{self.mouth}\n")
            self.shell.stdin.flush()
        except BrokenPipeError:
            return None
        end = time.monotonic() + within
        while time.monotonic() < end:
            if select.select([self.ear], [], [], 0.02)[0]:
                return os.read(self.ear, 100).decode()
            if self.shell.poll() is not None:
                return None
        return ""

    def run(self, block):
        self.count += 1
        for suffix in ("out", "err"):
            self.note(suffix).touch()
        # A program of theirs stands in the directory where they are.
        place = self.note("sh") if block.word == "sh" else self.cwd / f"example.{SUFFIX[block.word]}"
        place.write_text(self.here(block.text))
        files = f"</dev/null >{self.note('out')} 2>{self.note('err')}"
        stops = block.mark == "box: stopped"
        if stops:
            self.box.stop()
        if block.mark == "endless":
            self.run_endless(block, RUN[block.word].format(place), files)
        else:
            self.run_to_the_end(block, f"{RUN[block.word].format(place)} {files}")
        if stops:
            self.box.start()

    def wrong(self, block, what):
        said = f"it printed:\n{self.written('out')}\nand said:\n{self.written('err')[-2000:]}"
        return Wrong(f"{block}: {what}\n{block.text}{said}")

    def run_to_the_end(self, block, command):
        word = self.say(command)
        if word is None:
            raise self.wrong(block, f"it fails with {self.shell.wait()}")
        if not word:
            raise self.wrong(block, "it does not end")
        if not fits(block, self.written("out")):
            raise self.wrong(block, "it prints something else")

    def run_endless(self, block, command, files):
        group = self.say(f"set -m; ({command}) {files} & set +m", "$!")
        if not group:
            raise self.wrong(block, "it cannot be started")
        self.stray.append(int(group))
        try:
            eventually(lambda: self.written("out") and fits(block, self.written("out")))
        except AssertionError:
            raise self.wrong(block, "it does not come to print that") from None
        try:
            os.killpg(int(group), 0)
        except ProcessLookupError:
            raise self.wrong(block, "it is said to be endless, and has ended") from None
        os.killpg(int(group), signal.SIGKILL)
        self.stray.remove(int(group))  # the number may soon be somebody else's

    def requests(self):
        """What its boxes were asked: (method, path), in order."""
        files = [self.box.log_path, *self.notes.glob("*.err"), *self.cwd.glob("*.log")]
        logs = "".join(path.read_text(errors="replace") for path in files)
        return re.findall(r"\bweb: ([A-Z]+) (/\S*)", logs)


def read(page):
    """Runs all of a page; (what is wrong or None, what boxes were asked)."""
    with Reader() as reader:
        try:
            for block in page.blocks:
                if block.runs:
                    reader.run(block)
            if reader.box.process.poll() is not None:
                raise Wrong(f"{page.name}: the box is gone:\n{reader.box.log()[-3000:]}")
        except Wrong as wrong:
            return str(wrong), []
        return None, reader.requests()
