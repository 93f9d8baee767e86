#!/usr/bin/env python3
"""The man pages are whole and clean: every verb, option, route and operation is in them, and
nothing else.  That their examples run is for tests/25-manual.py."""
# long

import functools
import json
import re
import subprocess
from pathlib import Path

import manual
from lib import ROOT, SIGNALBOX, WS, Box, cli, run, temp_dir, test

PAGES = ROOT / "docs/man"
# What mandoc says of everything that scdoc writes, and of nothing that we do.
SCDOC_DOES = [
    r"skipping paragraph macro: PP (empty|after S[HS])$",  # it begins each paragraph with one
    r"lower case character in document title",             # names of programs are written small
    r"input text line longer than 80 bytes",               # bold, and a cell of a table, on a line
]
# What a block may be wide for it to stand on a screen of 80, indented twice.
COLUMNS = 69
# Programs of others whose options are spoken of.
OTHERS = {"systemctl", "journalctl"}


@functools.cache
def page(name):
    """The text of a page as people write it, without the escapes of scdoc."""
    return re.sub(r"\\(.)", r"\1", (PAGES / f"{name}.scd").read_text())


def names():
    return sorted(p.name.removesuffix(".scd") for p in PAGES.glob("*.scd"))


def plain(text):
    """Without bold and underline."""
    return re.sub(r"(?<![\w/])_|_(?![\w/])|(?<=/)_|\*", "", text)


def section(name, title):
    found = re.search(rf"^# {title}\n(.*?)(?=^# |\Z)", page(name), re.M | re.S)
    return found[1] if found else ""


# --- verbs -------------------------------------------------------------------


@functools.cache
def completion():
    return cli("completion", "bash").out


@functools.cache
def verbs():
    """{name: summary}, by the program's own list."""
    return dict(re.findall(r"^  (\S+) +(.+)$", cli("help").out.partition("Commands:")[2], re.M))


@functools.cache
def help_of(verb):
    return cli(verb, "-h").out


@functools.cache
def options(verb):
    """{group: {"--name": "*-n*, *--name* _VALUE_"}}, by the program's own help."""
    groups = {}
    for title, lines in re.findall(r"^(\w[\w ]+):\n((?:  .*\n)+)", help_of(verb), re.M):
        found = re.findall(r"^ {2}(?:(-\w), | {4})(--[a-z-]+)(?: ([^\s]+))?(?=  |$)", lines, re.M)
        groups[title] = {
            name: (f"*{letter}*, " if letter else "") + f"*{name}*" + (f" _{value}_" if value else "")
            for letter, name, value in found
        }
    assert groups, verb
    return groups


def words_of(verb):
    """What its first word can be, by its completion."""
    found = re.search(rf"^\t{verb}\)\s+options='[^']*' words='([^']*)'", completion(), re.M)
    return found[1].split() if found else []


def all_options(verb):
    return {name for group in options(verb).values() for name in group}


@test("every verb has a page with its name and what it does, and the overview points to it")
def _():
    assert len(verbs()) > 25 and len(words_of("journal")) == 5, (verbs(), words_of("journal"))
    wanted = {f"signalbox-{verb}.1" for verb in verbs()}
    wanted |= {"signalbox.1", "signalbox.yaml.5", "signalbox-protocol.7"}
    assert set(names()) == wanted, set(names()) ^ wanted
    overview = section("signalbox.1", "COMMANDS")
    for verb, summary in verbs().items():
        assert section(f"signalbox-{verb}.1", "NAME").strip() == f"signalbox-{verb} - {summary}", verb
        entry = re.search(rf"^\*{verb}\*\n\t.*?\n\n", overview + "\n", re.M | re.S)
        assert entry and entry[0].rstrip().endswith(f"*signalbox-{verb}*(1)"), verb
    assert len(re.findall(r"^\*[a-z-]+\*$", overview, re.M)) == len(verbs()), overview


@test("the page of a verb has every option of its table as it is written, and points to the rest")
def _():
    for verb in verbs():
        told = section(f"signalbox-{verb}.1", "OPTIONS")
        own = options(verb).get("Options", {})
        entries = re.findall(r"^(\*-.*?)$\n\t", told, re.M)
        assert sorted(entries) == sorted(own.values()), (verb, entries, own)
        pointer = " ".join(told.strip().split("\n\n")[-1].split())
        assert pointer.endswith(" are told in *signalbox*(1)."), (verb, pointer)
        common = all_options(verb) - set(own)
        assert set(re.findall(r"--[a-z-]+", pointer)) == common, (verb, pointer)
    overview = section("signalbox.1", "OPTIONS")
    for group in ("Which box", "Where things are", "Common options"):
        for entry in options("run" if group.startswith("Where") else "tail")[group].values():
            assert f"\n{entry}\n" in overview, entry


def bold_options(name):
    """(verb, option) of all that is bold and names an option; None: the page's own verb."""
    for span in re.findall(r"\*([^*\n]*--[a-z][^*\n]*)\*", page(name)):
        first = span.removeprefix("signalbox ").split()[0]
        for option in re.findall(r"--[a-z-]+", span):
            yield None if first.startswith("-") else first, option


def example_options(name):
    """The same of the commands of ours in its examples."""
    for line in re.split(r"\n(?! )|\||&&|\$\(", section(name, "EXAMPLES")):
        found = re.search(r"\bsignalbox ([a-z-]+)(.*)", line.replace("\n", " "))
        if found:
            for option in re.findall(r"(?<= )--[a-z-]+", found[2].partition(" -- ")[0]):
                yield found[1], option


@test("no page names an option that does not exist")
def _():
    seen = 0
    anywhere = {option for verb in verbs() for option in all_options(verb)} | {"--version"}
    for name in names():
        mine = re.fullmatch(r"signalbox-(.+)\.1", name)
        for verb, option in [*bold_options(name), *example_options(name)]:
            seen += 1
            if verb in OTHERS:
                continue
            known = all_options(verb or mine[1]) if verb or mine else anywhere
            assert option in known | {"--version"}, (name, verb, option)
    assert seen > 200, seen


@test("the page of a verb has each of its words in the synopsis, and says what it does")
def _():
    for verb in verbs():
        name = f"signalbox-{verb}.1"
        synopsis, about = section(name, "SYNOPSIS"), section(name, "DESCRIPTION")
        assert f"*signalbox {verb}" in synopsis, verb
        for word in words_of(verb):
            if verb in ("parse", "help"):  # whose words are names: of protocols, of verbs
                assert f"*{word}*" in about or word in verbs(), (verb, word)
                continue
            assert re.search(rf"\*signalbox {verb} {word}\*|\*{word}\*", synopsis), (verb, word)
            term = re.search(rf"^\*(?:[a-z]+\*, \*)*{word}\*(?:, \*[a-z]+\*)*\n\t", about, re.M)
            assert term or verb == "completion", (verb, word)


@test("the long help of each verb ends with the name of its page")
def _():
    for verb in verbs():
        assert cli(verb, "--help").out.endswith(f"\nMore: man signalbox-{verb}\n"), verb


# --- the protocol ------------------------------------------------------------

PROTOCOL = "signalbox-protocol.7"


def source(path):
    return (ROOT / "src" / path).read_text()


@test("the page of the protocol has every route with its scope, and no other")
def _():
    rows = re.findall(r'\{"([A-Z]+)", "(/[^"]*)", (\S+?),', source("web/routes.c"))
    scopes = {(m, re.sub(r"\*", "X", p)): s.removeprefix("SCOPE_").lower().replace("0", "none")
              for m, p, s in rows}
    assert len(scopes) > 40, scopes
    told = {(m, re.sub(r"\b[A-Z]{2,}\b", "X", p)): s for m, p, s in re.findall(
        r"(?:^|, )([A-Z]+) (/\S*) \(([a-z]+)\)", plain(section(PROTOCOL, "ROUTES")), re.M)}
    assert told.pop(("GET", "/")) == "none" and told.pop(("GET", "/api/stream")) == "observe"
    assert told == scopes, sorted(set(told.items()) ^ set(scopes.items()))


@test("the page of the protocol has every dialect, operation, code and reason")
def _():
    text = section(PROTOCOL, "DIALECTS")
    everything = page(PROTOCOL)
    native, *others = ["".join(p.read_text() for p in (ROOT / "src" / room).glob("*.c"))
                       for room in ("native", "hub", "escapement", "gateway", "voice")]
    dialects = native + "".join(others)
    paths = re.findall(r'\.path = "([^"]+)"', dialects)
    assert len(paths) >= 5 and all(re.search(rf"^## GET {p}\b", text, re.M) for p in paths), paths
    aliases = re.findall(r'\.alias = "([^"]+)"', dialects)
    assert aliases and all(f"*{a}*" in everything for a in aliases), aliases

    heard, said = text.partition("To the client,")[::2]
    said = said.partition("\n## ")[0]
    ops = dict(re.findall(r'\{"([a-z]+)", SCOPE_([A-Z]+), ', native))
    ops |= dict.fromkeys(re.findall(r'strcmp\(op, "([a-z]+)"\)', native), "")
    assert len(ops) == 7, ops
    entries = dict(re.findall(r"^\*([a-z]+)\*(?: \(([a-z]+)\))?\n\t", heard, re.M))
    assert entries.keys() == ops.keys(), set(entries) ^ set(ops)
    assert all(not scope or entries[op] == scope.lower() for op, scope in ops.items()), entries
    told = set(re.findall(r'\\"op\\":\\"([a-z]+)\\"', native)) - {"emit"}  # which it only hears
    told |= set(re.findall(r'put_word\(\S+, "op", "([a-z]+)"\)', native))
    assert len(told) > 6 and set(re.findall(r"^\*([a-z]+)\*\n\t", said, re.M)) == told, told
    members = re.search(r"known\[\] = \{(.*?)NULL", native, re.S)[1]
    wanted = set(re.findall(r'"(\w+)"', members)) - {"op", "ref"}
    subscribe = re.search(r"^\*subscribe\*.*?\n\n", heard, re.M | re.S)[0]
    assert len(wanted) > 5 and all(f"*{m}*" in subscribe for m in wanted), wanted

    codes = set(re.findall(r'say_error\(\s*c, "(\w+)"|"code", "(\w+)"|\? "(unknown_prompt)"', native))
    codes = {c for found in codes for c in found if c}
    codes |= set(re.findall(r'\[BACK_\w+\] = "(\w+)"', native))
    codes |= set(re.findall(r'"(\w+)"', re.search(r"refusal_code.*?^}", native, re.M | re.S)[0]))
    rows = set(re.findall(r"^\|[\[ ] \*(\w+)\*$", said, re.M))
    assert len(codes) > 9 and rows == codes, rows ^ codes

    reasons = re.findall(r'\[ADMIT_\w+\] = "(\w+)"', source("bus/admit.c"))
    signals = set(re.findall(r"^\|[\[ ] *\*(\w+)\*$", section(PROTOCOL, "SIGNALS"), re.M))
    # The last is an answer to ourselves, which no client hears.
    assert signals == set(reasons) - {"ok", "no_envelope"}, (signals, reasons)
    schema = json.loads((ROOT / "schema/signal.schema.json").read_text())
    types = re.findall(r'"type": ?\{"const": ?"([^"]+)"\}', json.dumps(schema))
    assert len(types) == 14 and all(f"*{t}*" in everything for t in types), types


@test("the page of the protocol has every close code and status that the program gives")
def _():
    code = "".join(p.read_text() for room in ("hub", "native", "escapement", "net", "web")
                   for p in (ROOT / "src" / room).glob("*.c") if not p.stem.endswith("_test"))
    closes = set(re.findall(r"client_close\(c, (1\d\d\d)", code))
    closes |= set(re.findall(r"CODE_\w+ = (1\d\d\d)", source("net/ws.c"))) - {"1005"}  # "none"
    told = set(re.findall(r"\*(1\d\d\d)\*", section(PROTOCOL, "CLOSE CODES"))) - {"1000"}
    assert len(closes) > 4 and closes == told, closes ^ told
    given = set(re.findall(r"refuse(?:_with)?\([\w>. -]*http, ([45]\d\d)\b", code))
    given |= set(re.findall(r"\[BACK_\w+\] = \{?([45]\d\d)", code))
    told = set(re.findall(r"\*([45]\d\d)\*", section(PROTOCOL, "STATUS")))
    assert len(given) > 12 and given <= told, given - told


def conversations():
    """{path: [(">" or "<", JSON)]} of the dialects, as the page has them."""
    found = {}
    parts = r"^## GET (\S+) .*?\n(.*?)(?=^## |\Z)"
    for path, body in re.findall(parts, section(PROTOCOL, "DIALECTS"), re.M | re.S):
        for block in re.findall(r"^```\n(.*?)^```$", body, re.M | re.S):
            lines = re.sub(r"\n +", " ", block).splitlines()
            found[path] = [(line[0], json.loads(line[1:])) for line in lines]
    return found


@test("the conversations of the protocol's page happen as they are told")
def _():
    told = conversations()
    assert told.keys() == {"/ws", "/ws/signals"}, told
    for path, lines in told.items():
        with Box() as box, WS(box, path) as ws:
            awaited = []
            for who, frame in [*lines, (">", None)]:
                if who == "<":
                    awaited.append(frame)
                    continue
                got = [ws.json() for _ in awaited]
                missing = [a for a in awaited if not any(manual.json_fits(a, g) for g in got)]
                assert not missing, (path, missing, got)
                awaited = []
                if frame is not None:
                    ws.send(json.dumps(frame))


# --- all pages ---------------------------------------------------------------


@test("mandoc has nothing to say of any page but what scdoc makes of all")
def _():
    made = temp_dir()
    for name in names():
        done = subprocess.run(["scdoc"], input=(PAGES / f"{name}.scd").read_bytes(), capture_output=True)
        assert done.returncode == 0, (name, done.stderr)
        # An underscore right behind a letter begins nothing, and stays.
        assert not re.search(rb"(?<![A-Z])_[A-Z]+_(?![A-Z])", done.stdout), name
        (made / name).write_bytes(done.stdout)
    bad = made / "bad.1"
    bad.write_text('.TH "bad" "1" "2026-01-01"\n.SH NAME\nbad - x\n.XX\n')

    def complaints(*files):
        done = subprocess.run(["mandoc", "-Tlint", "-Wstyle", *files], capture_output=True, text=True)
        lines = (done.stdout + done.stderr).splitlines()
        return [line for line in lines if not any(re.search(allowed, line) for allowed in SCDOC_DOES)]

    assert complaints(bad), "a bad page is not noticed"
    found = complaints(*[made / name for name in names()])
    assert not found, "\n".join(found)


@test("every page has the sections of a manual in their order, fits a screen, and says where to go on")
def _():
    order = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES",
             "SIGNALS", "EXAMPLES", "SEE ALSO"]
    for name in names():
        titles = re.findall(r"^# (.+)$", page(name), re.M)
        known = [t for t in titles if t in order]
        needed = {"NAME", "DESCRIPTION", "EXAMPLES", "SEE ALSO"}
        if name.endswith(".1"):
            needed |= {"SYNOPSIS", "OPTIONS"}
            # Of the protocol and the configuration they are about other things.
            assert known == sorted(known, key=order.index), (name, titles)
        assert needed <= set(titles) and titles[-1] == "SEE ALSO", (name, titles)
        for block in re.findall(r"^```\n(.*?)^```$", (PAGES / f"{name}.scd").read_text(), re.M | re.S):
            wide = [line for line in block.splitlines() if len(line) > COLUMNS]
            # For scdoc a backslash is none, and whoever runs the block would see one.
            assert not wide and "\\" not in block, (name, block)
        for other, number in re.findall(r"\*(signalbox[a-z.-]*)\*\((\d)\)", page(name)):
            assert f"{other}.{number}" in names(), (name, other)


@test("every page is installed where man looks for it")
def _():
    build = Path(SIGNALBOX).resolve().parent
    told = subprocess.run(["meson", "introspect", "--installed", build], capture_output=True, text=True)
    places = json.loads(told.stdout).values()
    for name in names():
        place = f"/man/man{name[-1]}/{name}"
        assert any(p.endswith(place) for p in places), name


run()
