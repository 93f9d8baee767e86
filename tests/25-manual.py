#!/usr/bin/env python3
"""The manual is true: its examples run, its links lead somewhere, its tables are in step.

How a page is read is in tests/manual.py.  MANUAL=journal tests/25-manual.py reads the
pages whose name has that in it.
"""
# long

import concurrent.futures
import functools
import re
import subprocess

import manual
from lib import ROOT, SIGNALBOX, Skip, cli, comment, run, temp_dir, test

AT_ONCE = 3
# How many blocks of a page may be for the eye only.  A man page may have one, unless it is
# named here.
NOT_RUN = {
    "README.md": 1, "docs/install.md": 6, "docs/first-five-minutes.md": 1, "docs/sources.md": 2,
    "docs/terminal.md": 1, "docs/benchmarks.md": 1, "docs/tasks.md": 2, "docs/openclaw.md": 2,
    "docs/ntfy.md": 2,  # tests/66-ntfy.py runs them
}
PROTOCOL = "docs/protocol.md"


@functools.cache
def readings():
    """Every page, read once: {name: (what is wrong, what boxes were asked)}."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        found = [p for p in manual.pages() if any(b.runs for b in p.blocks)]
        return dict(zip([p.name for p in found], pool.map(manual.read, found)))


def blocks(*words):
    return [b for page in manual.pages() for b in page.blocks if b.word in words]


@test("every example of the manual runs as written and prints what it says")
def _():
    wrong = [said for said, _ in readings().values() if said]
    for said in wrong:
        comment(said)
    assert not wrong, f"{len(wrong)} of {len(readings())} pages"


def routes():
    """All that are served: those of the table, in its order, and those of the dialects."""
    table = (ROOT / "src/web/routes.c").read_text()
    found = re.findall(r'^\t\{"([A-Z]+)", "(/[^"]+)"', table, re.M)
    assert len(found) > 40, found
    dialects = "".join(p.read_text() for room in ("hub", "native", "escapement", "gateway", "voice")
                       for p in (ROOT / "src" / room).glob("*.c"))
    paths = re.findall(r'^\t\.(?:path|alias) = "(/[^"]+)"', dialects, re.M)
    assert len(paths) >= 6, paths
    return found + [("GET", path) for path in paths]


def route_of(asked, known):
    method, path = asked
    for route in known:
        pattern = re.escape(route[1]).replace(r"\*", "[^/]+")
        if route[0] == method and re.fullmatch(pattern, path):
            return route
    return None


@test("every route is asked by an example of the protocol's page")
def _():
    known = routes()
    if PROTOCOL not in readings():
        raise Skip(f"{PROTOCOL} is not read")
    wrong, asked = readings()[PROTOCOL]
    missing = set(known) - {route_of(a, known) for a in asked}
    assert not missing, wrong or sorted(missing)


@test("the protocol's page has every route of the table, with its scope, and no other")
def _():
    source = (ROOT / "src/web/routes.c").read_text()
    table = re.findall(r'^\t\{"([A-Z]+)", "(/[^"]+)", (?:SCOPE_)?(\w+),', source, re.M)
    scopes = {(m, p): scope.lower().replace("0", "none") for m, p, scope in table}
    page = (ROOT / PROTOCOL).read_text()
    rows = re.findall(r"^\| `([A-Z]+) (/[^`]*)` \| ([^|]*) \|", page, re.M)
    told = {(m, re.sub(r"\b[A-Z]+\b", "*", p)): scope for m, p, scope in rows}
    assert told.keys() == set(routes()), told.keys() ^ set(routes())
    wrong = {route: told[route] for route in scopes if told[route] != scopes[route]}
    assert not wrong, wrong


@test("every block says what it is, and few of them are not run")
def _():
    wrong = []
    for page in manual.pages():
        idle = [b for b in page.blocks if b.word == "console"]
        if len(idle) > NOT_RUN.get(page.name, int(page.is_man)):
            wrong.append(f"{page.name}: {len(idle)} blocks are not run")
        for block in page.blocks:
            if block.word not in manual.WORDS:
                wrong.append(f"{block}: what is '{block.word}'?")
            if not re.fullmatch(manual.MARKS, block.mark):
                wrong.append(f"{block}: what is '{block.mark}'?")
            if block.mark == "prints" and not any(b.prints is block for b in page.blocks):
                wrong.append(f"{block}: which block prints this?")
            if block.mark == "endless" and not block.prints:
                wrong.append(f"{block}: what does it come to print?")
            if block.word == "text" and re.search(r"^(\$ )?(curl -|signalbox [a-z]|sudo |make [a-z])", block.text, re.M):
                wrong.append(f"{block}: a command that nobody runs")
            if block.runs and re.search(r"\| *head\b", block.text):
                wrong.append(f"{block}: head may end before who writes to it; sed -n 1,4p reads on")
    ran, idle = len(blocks(*manual.RUN)), len(blocks("console"))
    assert not wrong, "\n".join(wrong)
    assert ran >= 4 * idle, f"{ran} run, {idle} do not"


@test("the glossary has at most 40 words, each once and in order, and knows the hard ones")
def _():
    page = (ROOT / "ARCHITECTURE.md").read_text()
    part = re.search(r"^## Glossary\n(.*?)(?=^## )", page, re.M | re.S)[1]
    words = [w.strip("` ") for w in re.findall(r"^\| ([^|]+) \|", part, re.M) if w != "word"][0:]
    assert len(words) <= 40, len(words)
    assert words == sorted(set(words), key=str.lower), words
    assert {"answer", "tap", "run", "wish"} <= set(words), words


@test("no sentence of the manual has a who- or what-clause as its subject")
def _():
    clause = re.compile(r"(?:^|(?<=[.:] ))(?:Who|Whoever|What|Whatever) (?![^.?|]*\?)[^|\n]*", re.M)
    found = []
    for page in manual.pages():
        prose = manual.FENCE.sub("", page.text)
        found += [f"{page.name}: {m[0]}" for m in clause.finditer(prose)]
    assert not found, "\n".join(found)


@test("what is said to be JSON is JSON")
def _():
    for block in blocks("json"):
        try:
            assert manual.documents(block.text), block
        except ValueError as why:
            raise AssertionError(f"{block}: {why}") from None


@test("every configuration in the manual is a good one")
def _():
    file = temp_dir() / "signalbox.yaml"
    data = temp_dir() / "data"
    assert cli("token", "new", "ci", "--scopes", "all", "--data", data).code == 0
    (data / "keys").mkdir()
    (data / "keys/openai").write_text("x\n")
    (data / "keys/openai").chmod(0o600)
    for block in blocks("yaml"):
        file.write_text(block.text)
        said = cli("check", file, "--data", data, env={"LAB_TOKEN": "x"})
        assert said.code == 0, (block, said)


# --- links ---------------------------------------------------------------------


def documents():
    names = ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")
    return [ROOT / f"{n}.md" for n in names] + sorted((ROOT / "docs").glob("*.md")) + [
        ROOT / "clients/conformance/README.md"]


@functools.cache
def prose(path):
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)


@functools.cache
def anchors(path):
    """The names that a reader's browser knows the headings by."""
    found = set()
    for title in re.findall(r"^#+ +(.*)$", prose(path), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = sum(f == name or re.fullmatch(rf"{re.escape(name)}-\d+", f) is not None for f in found)
        found.add(f"{name}-{number}" if number else name)
    return found


def links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if not re.match(r"[a-z]+:", link):
            path, _, anchor = link.partition("#")
            yield link, (page.parent / path if path else page), anchor


@test("every link of the documents leads to a file and a heading that are there")
def _():
    dead = []
    for page in documents():
        for link, target, anchor in links(page):
            if not target.exists() or anchor and anchor not in anchors(target.resolve()):
                dead.append(f"{page.relative_to(ROOT)}: {link}")
    assert not dead, dead


@test("the index of the manual leads to every page of it, and the README to the index")
def _():
    index = ROOT / "docs/README.md"
    reached = {target.resolve() for _, target, _ in links(index)}
    missing = [p.name for p in (ROOT / "docs").glob("*.md") if p != index and p not in reached]
    assert not missing, missing
    assert index in {target.resolve() for _, target, _ in links(ROOT / "README.md")}


# --- what is generated ---------------------------------------------------------


def reference(*args):
    return subprocess.run(
        [ROOT / "tools/config-reference", *args, SIGNALBOX], capture_output=True, text=True, check=False)


@test("the reference of the configuration is in step with the tables of keys")
def _():
    done = reference("--check")
    assert done.returncode == 0, done.stdout + done.stderr


# --- the reader of the manual ----------------------------------------------------

LIES = {
    "a command that fails": "```sh\nfalse\n```\n",
    "one in the middle": "```sh\nfalse\ntrue\n```\n",
    "one in a pipe": "```sh\nfalse | cat\n```\n",
    "a variable that nobody set": "```sh\necho $NOBODY\n```\n",
    "a request that is refused": "```sh\ncurl -s http://127.0.0.1:7446/api/none\n```\n",
    "other words": "```sh\necho yes\n```\n\n```text\nno\n```\n",
    "a word too few": "```sh\necho yes\n```\n\n```text\nyes\nsir\n```\n",
    "a word too many": "```sh\nprintf 'yes\\nsir\\n'\n```\n\n```text\nyes\n```\n",
    "another member": "```sh\necho '{\"a\":1}'\n```\n\n```json\n{\"b\":1}\n```\n",
    "another value": "```sh\necho '{\"a\":[1]}'\n```\n\n```json\n{\"a\":[2]}\n```\n",
    "no JSON": "```sh\necho a\n```\n\n```json\n{}\n```\n",
}
TRUTH = (
    "```sh\nNAME=ada\n```\n\n```sh\necho $NAME 17 0b4d2f1e\n```\n\n```text\nada 4 aaaaaaaa\n```\n"
    "\n```sh\necho '{\"ok\":true,\"seq\":5,\"more\":[1,2]}'\n```\n\n```json\n{\"ok\":true,\"seq\":1,\"more\":[2,...],...}\n```\n"
    "\n<!-- endless -->\n```sh\necho a; sleep 60\n```\n\n```text\na\n```\n"
    "\n<!-- box: stopped -->\n```sh\n! signalbox status\n```\n\n```sh\nsignalbox status\n```\n"
)


def page_of(text):
    place = temp_dir() / "page.md"
    place.write_text(text)
    return manual.Page(place)


@test("a page that lies is found out, and one that does not is not")
def _():
    said = manual.read(page_of(TRUTH))[0]
    assert said is None, said
    for name, text in LIES.items():
        assert manual.read(page_of(text))[0], name


run()
