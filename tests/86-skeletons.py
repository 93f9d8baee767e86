#!/usr/bin/env python3
"""A transport, a filter, a verb, a back end and a fold are each built in with exactly the files
that ARCHITECTURE.md lists ("To add a plug-in"), and work.  The dialect has a test of its own,
and so has the view: tests/node/86-page-skeleton.mjs."""

import json
import re
import shutil
import sys

import lib
import skeletons
from lib import Box, cli, eventually, run, sections, temp_dir, test
from servers import Upstream, add_source, signal, until_state
from skeletons import PLUGINS, ROOT, Tree

KINDS = ("transport", "filter", "verb", "back", "fold")
PLAIN = lib.SIGNALBOX

full = Tree(*PLUGINS)
bare = Tree(*PLUGINS, edited=False)


# --- the list -----------------------------------------------------------------------


@test("the list has every kind of plug-in, and names exactly the files that each needs")
def _():
    assert {p.row for p in PLUGINS.values()} == set(skeletons.listed()), skeletons.listed()
    for kind, plugin in PLUGINS.items():
        assert set(plugin.edits) == plugin.places("change"), (kind, plugin.places("change"))
        assert all((ROOT / name).is_file() for name in plugin.edits), kind
        written = set(plugin.files.values())
        for place in plugin.places("write"):
            inside = {w for w in written if w == place or place.endswith("/") and w.startswith(place)}
            assert inside, (kind, place)
            written -= inside
        assert not written, (kind, written)
        here = {p.name for p in (ROOT / "tests/skeleton" / kind).iterdir()}
        assert here == set(plugin.files), (kind, here)


@test("a verb takes three existing files, a dialect, a back end and a fold take two")
def _():
    counts = {kind: len(plugin.edits) for kind, plugin in PLUGINS.items()}
    assert counts == {"transport": 3, "dialect": 2, "filter": 4, "verb": 3, "view": 2,
                      "back": 2, "fold": 2}, counts


@test("the headers that say what a plug-in is point to the list")
def _():
    for name in ("src/source/transport.h", "src/hub/dialect.h", "src/wire/filter.h", "src/cli/command.h",
                 "ui/src/desk.ts", "src/bus/backs.h", "src/bus/folds.h"):
        text = (ROOT / name).read_text()
        assert re.search(r"ARCHITECTURE\.md lists the files", text), name


# --- each file of it is needed ----------------------------------------------------------


def protocols(tree):
    return {name for path in (tree.top / "src/source").rglob("*.c") if not path.stem.endswith("_test")
            for name in re.findall(r'^\t\.protocol = "(\w+)",', path.read_text(), re.M)}


def filters(tree):
    return {name for path in (tree.top / "src/wire").glob("*.c")
            for name in re.findall(r'^\t\.name = "(\w+)",', path.read_text(), re.M)}


def views(tree):
    return {path.parent.name for path in (tree.top / "ui/src").glob("*/index.ts")
            if "kind: ViewKind" in path.read_text()}


def undocumented(names, text, pattern):
    return {name for name in names if not re.search(pattern.format(name), text)}


def missing(tree):
    """{existing file: what of the plug-ins is not said there, though it ought to be}."""
    read = lambda name: (tree.top / name).read_text()
    targets, layers, registries = tree.targets(), tree.law("layers"), tree.law("registries")
    not_built = [place for plugin in PLUGINS.values() for place in plugin.files.values()
                 if place.endswith(".c") and f"/{place}\"" not in targets]
    return {
        "tools/layers": re.findall(r"the room '(\w+)' is not", layers),
        "src/source/stream/meson.build": [p for p in not_built if p.startswith("src/source/")],
        "src/wire/meson.build": [p for p in not_built if p.startswith("src/wire/")],
        "src/cli/meson.build": [p for p in not_built if p.startswith("src/cli/")],
        "docs/man/signalbox.1.scd": [] if '"signalbox-skeleton.1"' in targets else ["skeleton"],
        "src/source/registry.c": re.findall(r"(\w+) is not listed in src/source/", registries),
        "src/wire/registry.c": re.findall(r"(\w+) is not listed in src/wire/", registries),
        "src/cli/registry.c": re.findall(r"(\w+) is not listed in src/cli/", registries),
        "docs/sources.md": undocumented(protocols(tree), read("docs/sources.md"), "`{}[`:]"),
        "docs/show.md": undocumented(filters(tree), read("docs/show.md"), r'`{{"type": "{}",'),
        "ui/src/views.ts": undocumented(views(tree), read("ui/src/views.ts"), 'import\\("./{}/index"\\)'),
        "ui/index.html": undocumented(views(tree), read("ui/index.html"), 'id="icon-{}"'),
    }


# What only a program shows: below it is tried without each of them.
IN_PROGRAM = {"schema/show.schema.json", "src/box/dialects.c", "src/box/back.c", "src/box/folds.c"}


@test("a file of the list that was forgotten is noticed, and with all of them nothing is")
def _():
    complete, forgotten = missing(full), missing(bare)
    assert not any(complete.values()), complete
    assert all(forgotten.values()), forgotten
    edited = {name for plugin in PLUGINS.values() for name in plugin.edits}
    assert set(forgotten) | IN_PROGRAM == edited, set(forgotten) ^ edited
    assert set(forgotten["tools/layers"]) == {"skeleton", "skeleton_back", "skeleton_fold"}, forgotten


@test("with the files of a verb the manual is whole")
def _():
    copy = full.build / "signalbox"
    shutil.copy(lib.SIGNALBOX, copy)
    done = full.run(sys.executable, "tests/26-man.py", env={"SIGNALBOX": str(copy)})
    assert done.returncode == 0, done.stdout


@test("the view keeps the types of the page")
def _():
    config = full.top / "ui/view.json"
    config.write_text('{"extends": "./tsconfig.json", "include": [], "files": ["src/skeleton/index.ts"]}')
    done = full.run("ui/node_modules/.bin/tsc", "-p", config)
    assert done.returncode == 0, done.stdout


# --- the program -----------------------------------------------------------------------


def with_program(program, look):
    before, lib.SIGNALBOX = lib.SIGNALBOX, str(program)
    try:
        return look()
    finally:
        lib.SIGNALBOX = before


WIRE = {"id": "mine", "fromZone": "signal-type", "fromId": "example.step", "toZone": "choreographer",
        "toId": "lamp", "filters": [{"type": "skeleton", "skip": 3}]}


def check_show():
    show = json.loads((ROOT / "show/default.json").read_text())
    show["wires"].append(WIRE)
    return cli("show", "check", "-", input=json.dumps(show))


def ask(box, source, prompt, **more):
    return box.request("POST", f"/api/sources/{source}/ask", {"prompt": prompt, **more})


def absent():
    """What of the plug-ins a program does not have."""
    found = set()
    with Box() as box:
        refused = box.request("POST", "/api/sources", {"url": "ws://127.0.0.1:1", "protocol": "skeleton"})
        if refused.status >= 400:
            found.add("transport")
        if ask(box, "skeleton", "hello").status == 404:
            found.add("back")
        box.stop()
        if "skeleton" not in sections(box.data):
            found.add("fold")
    if check_show().code != 0:
        found.add("filter")
    if cli("skeleton", "you").code != 0:
        found.add("verb")
    return found


@test("without the row in its table a plug-in is not in the program, and no check takes it for one")
def _():
    assert with_program(PLAIN, absent) == set(KINDS)
    rows = [name for kind in KINDS for name in PLUGINS[kind].edits if name.endswith(".c")]
    assert with_program(program.link(without=rows), absent) == set(KINDS)
    assert with_program(program.link(without=["schema/show.schema.json"]), absent) == {"filter"}
    assert absent() == set()


# --- the transport ----------------------------------------------------------------------


def words_of(box):
    answer = box.request("GET", "/api/signals?type=skeleton.said&after=0").json()
    return [(s["source"], s["payload"]["words"]) for s in answer["signals"]]


@test("the transport connects, its signals arrive, what is sent goes out, and it tries again")
def _():
    with Upstream() as up, Box() as box:
        id = add_source(box, url=up.ws_url + "/plain", protocol="skeleton")
        until_state(box, id, "connected")
        said = (id, json.dumps(signal(1)))
        eventually(lambda: words_of(box) == [said])
        sent = box.request("POST", f"/api/sources/{id}/send", {"words": "and you?"})
        assert sent.status == 200, sent
        eventually(lambda: up.pushed.get("ws") == ['{"words": "and you?"}'])
        up.stop()
        until_state(box, id, "connecting")
        with Upstream(port=up.port):
            until_state(box, id, "connected")
            eventually(lambda: words_of(box) == [said, said])


@test("clients are told of the transport from its table alone, and the last of a scheme does not take it over")
def _():
    with Box() as box:
        told = box.request("GET", "/api/sources").json()["protocols"]
        assert [p for p in told if p["name"] == "skeleton"] == [{
            "name": "skeleton", "label": "a server of plain words", "schemes": ["ws", "wss"], "can": ["send"],
            "credential": None, "needsCredential": False, "ownCredential": None, "mainSession": False}], told
        seen = box.request("GET", "/api/sources/recognise?url=ws://127.0.0.1:1/").json()
        assert seen["protocol"] == "websocket", seen


# --- the filter ---------------------------------------------------------------------------


def counts(box):
    """What the wire let through and kept back; a stage that is looked at is at the present."""
    box.request("GET", "/api/stage")
    wires = box.request("GET", "/api/status").json()["show"]["wires"]
    return next((w["passed"], w["dropped"]) for w in wires if w["id"] == "mine")


@test("the filter is taken in a wire of the show, filters, and remembers across a restart")
def _():
    assert check_show().code == 0, check_show()
    with Box() as box:
        assert box.request("POST", "/api/show/wires", WIRE).status in (200, 201)
        wrong = box.request("PUT", "/api/show/wires/mine", {**WIRE, "filters": [{"type": "skeleton", "skip": -1}]})
        assert wrong.status == 400 and wrong.json()["pointer"].endswith("/filters/0/skip"), wrong
        for _ in range(2):
            box.emit("example.step")
        eventually(lambda: counts(box) == (0, 2))
        box.restart()
        for _ in range(3):
            box.emit("example.step")
        eventually(lambda: counts(box) == (2, 3))


# --- the verb -------------------------------------------------------------------------------


@test("the verb is in the help, has one of its own, is completed, and runs")
def _():
    assert re.search(r"^  skeleton +greet somebody$", cli("help").out, re.M)
    assert cli("skeleton", "you").out == "hello, you\n"
    assert cli("skeleton", "-s", "you").out == "HELLO, you\n"
    refused = cli("skeleton")
    assert refused.code == 2 and "one NAME is wanted" in refused.err, refused
    told = cli("skeleton", "--help").out
    assert "--shout" in told and told.endswith("\nMore: man signalbox-skeleton\n"), told
    assert "skeleton" in cli("completion", "bash").out
    assert "did you mean 'skeleton'" in cli("skeletn").err


# --- the back end -----------------------------------------------------------------------------


@test("the back end answers what is asked of it, in a run that everybody can follow")
def _():
    with Box() as box:
        answer = ask(box, "skeleton", 'say "this"', run="mine")
        assert answer.status in (200, 202) and answer.json()["run"] == "mine", answer
        signals = box.request("GET", "/api/signals?correlationId=mine&after=0").json()["signals"]
        assert [s["type"] for s in signals] == ["task_dispatch", "text_delta", "completion"], signals
        assert {s["source"] for s in signals} == {"skeleton"}, signals
        assert signals[1]["payload"]["content"] == signals[2]["payload"]["result"] == 'say "this"'
        assert ask(box, "nobody", "hello").status == 404
        told = eventually(lambda: box.request("GET", "/api/runs/mine").json().get("run"))
        assert told["source"] == "skeleton" and told["invocations"][0]["status"] == "done", told
        again = ask(box, "skeleton", "more", run="mine")
        assert again.status == 409, again


# --- the fold -----------------------------------------------------------------------------------


def steps(box, count):
    lines = "".join(json.dumps({"type": "skeleton.step", "source": "p", "payload": {"pad": "x" * 1000}})
                    + '\n{"type":"other","source":"p"}\n' for _ in range(count))
    answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"}).json()
    assert answer["accepted"] == 2 * count, answer
    return answer["lastSeq"] - 1


def stopped(box):
    """Ends the box: what the fold saved, as (count, seq of the last)."""
    assert box.stop() == 0
    return tuple(map(int, sections(box.data)["skeleton"].split()))


@test("the fold hears each signal once; its state survives a stop, a kill and the end of the signals")
def _():
    config = temp_dir() / "c.yaml"
    config.write_text("journal: {segment: 1MiB}\n")
    with Box(["--config", str(config)]) as box:
        for _ in range(3):
            last = steps(box, 1000)
        assert stopped(box) == (3000, last)
        segments = sorted((box.data / "journal").glob("0*.ndjson"))
        assert len(segments) > 2, segments
        box.start()
        assert stopped(box) == (3000, last)
        box.start()
        last = steps(box, 500)
        box.kill9()
        box.start()
        last = steps(box, 7)
        assert stopped(box) == (3507, last)
        for segment in segments[:2]:
            for path in (box.data / "journal").glob(segment.stem + "*"):
                path.unlink()
        box.start()
        assert stopped(box) == (3507, last)


program = Tree(*KINDS)
lib.SIGNALBOX = str(program.link())
run()
