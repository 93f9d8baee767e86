"""The smallest plug-in of each kind, and the program with it built in.

    import skeletons

    tree = skeletons.Tree("filter", "verb")
    lib.SIGNALBOX = str(tree.link())

A Tree is a copy of this one.  The files of tests/skeleton/KIND stand where ARCHITECTURE.md says
that a new plug-in goes ("To add a plug-in"), and the existing files that it names are edited as
whoever adds one edits them.  What that changes is compiled as the build that is tested does it,
and linked with the objects that are there: so it takes seconds.

    skeletons.py KIND... OUT      leaves such a program at OUT, for tests in other languages
"""

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lib import ROOT, SIGNALBOX, temp_dir

COPIED = ("docs", "schema", "src", "tools", "ui")
BUILD = Path(SIGNALBOX).resolve().parent


class Plugin:
    """row: its name in the list.  name: what NAME stands for.  files: {file of the skeleton: its
    place}.  edits: {existing file: [(what is there, what is there then)]}."""

    def __init__(self, row, name, files, edits, folder=""):
        self.row, self.name, self.files, self.edits, self.folder = row, name, files, edits, folder

    def places(self, column):
        """The files that a column of the list names for this plug-in."""
        return {word.replace("NAME", self.name).replace("FOLDER", self.folder)
                for word in listed()[self.row][column]}


def before(anchor, text):
    return anchor, text + anchor


def behind(anchor, text):
    return anchor, anchor + text


def room(name, grants):
    """What a new room of its own needs in tools/layers; box may include it."""
    return [before("\nbox: ", f"\n{name}: {grants}"), behind("\nbox:     base config", f" {name}")]


PLUGINS = {
    "transport": Plugin(
        "transport", "skeleton", {"skeleton.c": "src/source/stream/skeleton.c"}, {
            "src/source/registry.c": [
                before("const struct transport *const transports[] = {\n",
                       "extern const struct transport transport_skeleton;\n\n"),
                before("NULL,\n};\n", "&transport_skeleton, "),
            ],
            "src/source/stream/meson.build": [behind("'scenario.c', ", "'skeleton.c', ")],
            "docs/sources.md": [before("## Discovery on this machine\n",
                                       "## Plain words (`skeleton`)\n\nA WebSocket server that says"
                                       " words: each message is a signal `skeleton.said {words}`.\n\n")],
        }, folder="stream"),
    "dialect": Plugin(
        "dialect", "skeleton", {name: f"src/skeleton/{name}" for name in
                                ("doors.c", "meson.build", "skeleton.c", "skeleton.h")}, {
            "tools/layers": room("skeleton", "base config net signal bus hub"),
            "src/box/dialects.c": [
                behind('#include "play/house/playhouse.h"\n', '#include "skeleton/skeleton.h"\n'),
                before("static const struct {\n",
                       "static void *make_skeleton(struct box *box)\n{\n"
                       "\treturn skeleton_create(box->config);\n}\n\n"),
                behind("\t{&dialect_signals},\n",
                       "\t{&dialect_skeleton, make_skeleton, skeleton_destroy},\n"
                       "\t{&dialect_skeleton_door},\n\t{&dialect_skeleton_post},\n"),
            ],
        }),
    "filter": Plugin(
        "filter", "skeleton", {"skeleton.c": "src/wire/skeleton.c"}, {
            "src/wire/registry.c": [
                before("const struct filter_kind *const filter_kinds[] = {\n",
                       "extern const struct filter_kind filter_skeleton;\n\n"),
                behind("&filter_map, ", "&filter_skeleton, "),
            ],
            "src/wire/meson.build": [behind("'sample.c', ", "'skeleton.c', ")],
            "schema/show.schema.json": [
                before('        {"$ref": "#/$defs/filterMap"}\n',
                       '        {"$ref": "#/$defs/filterSkeleton"},\n'),
                before('    "filterSample": {\n',
                       '    "filterSkeleton": {\n'
                       '      "type": "object",\n'
                       '      "additionalProperties": false,\n'
                       '      "required": ["type", "skip"],\n'
                       '      "properties": {"type": {"const": "skeleton"}, '
                       '"skip": {"type": "number", "minimum": 0}}\n'
                       '    },\n'),
            ],
            "docs/show.md": [before('| `{"type": "map"', '| `{"type": "skeleton", "skip": 3}` '
                                    '| all but the first 3 | how many it dropped |\n')],
        }),
    "verb": Plugin(
        "verb", "skeleton", {"skeleton.c": "src/cli/skeleton.c",
                             "signalbox-skeleton.1.scd": "docs/man/signalbox-skeleton.1.scd"}, {
            "src/cli/registry.c": [
                before("const struct command *const commands[] = {\n",
                       "extern const struct command command_skeleton;\n\n"),
                before("\t&command_version,\n", "\t&command_skeleton,\n"),
            ],
            "src/cli/meson.build": [behind("'sink.c', ", "'skeleton.c', ")],
            "docs/man/signalbox.1.scd": [before("*version*\n\t", "*skeleton*\n\tGreet somebody."
                                                " *signalbox-skeleton*(1)\n\n")],
        }),
    "view": Plugin(
        "view of the page", "skeleton", {"index.ts": "ui/src/skeleton/index.ts",
                                         "skeleton.css": "ui/style/skeleton.css"}, {
            "ui/src/views.ts": [before("];\n", '\t{ name: "skeleton", title: "Skeleton", icon: "skeleton",'
                                       ' load: () => import("./skeleton/index") },\n')],
            "ui/index.html": [before('\t\t<symbol id="icon-question"',
                                     '\t\t<symbol id="icon-skeleton" viewBox="0 0 24 24">'
                                     '<path d="M12 3v18M6 8h12"></path></symbol>\n')],
        }),
    "back": Plugin(
        "back end", "skeleton_back", {name: f"src/skeleton_back/{name}" for name in
                                      ("meson.build", "skeleton_back.c", "skeleton_back.h")}, {
            "tools/layers": room("skeleton_back", "base signal bus"),
            "src/box/back.c": [
                behind('#include "run/runs.h"\n', '#include "skeleton_back/skeleton_back.h"\n'),
                before("/* In the order in which they are tried.",
                       "static struct back_end *make_skeleton_end(struct box *box)\n{\n"
                       "\treturn skeleton_back_create(box->bus);\n}\n\n"),
                behind("\t{make_sources_end},\n", "\t{make_skeleton_end, skeleton_back_destroy},\n"),
            ],
        }),
    "fold": Plugin(
        "fold", "skeleton_fold", {name: f"src/skeleton_fold/{name}" for name in
                                  ("meson.build", "skeleton_fold.c", "skeleton_fold.h")}, {
            "tools/layers": room("skeleton_fold", "base signal bus"),
            "src/box/folds.c": [
                behind('#include "run/recall.h"\n', '#include "skeleton_fold/skeleton_fold.h"\n'),
                before("/* States whose rooms do more",
                       "static void *make_skeleton_fold(struct box *box)\n{\n"
                       "\treturn skeleton_fold_create();\n}\n\n"),
                behind("\t{&resume_fold, make_resume, free_resume},\n",
                       "\t{&skeleton_fold, make_skeleton_fold, skeleton_fold_destroy},\n"),
            ],
        }),
}


def listed():
    """{what to add: {"write": files, "change": files}}, as ARCHITECTURE.md has it."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = re.search(r"^## To add a plug-in\n.*?^\|---.*?\n(.*?)\n\n", text, re.M | re.S)[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: {"write": re.findall(r"`([^`]+)`", row[1]),
                     "change": re.findall(r"`([^`]+)`", row[2])} for row in rows}


class Tree:
    """This tree with those plug-ins; not edited: with their files alone."""

    def __init__(self, *kinds, edited=True):
        self.kinds = kinds
        self.top = temp_dir()
        self.objects = {}
        for entry in ROOT.iterdir():
            if entry.name not in (*COPIED, "tests", "build", ".git"):
                (self.top / entry.name).symlink_to(entry)
        for name in COPIED:
            shutil.copytree(ROOT / name, self.top / name,
                            ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        (self.top / "ui/node_modules").symlink_to(ROOT / "ui/node_modules")
        (self.top / "tests").mkdir()
        for entry in (ROOT / "tests").iterdir():
            if entry.suffix == ".py":  # a copy takes this tree for its own
                shutil.copy(entry, self.top / "tests")
            else:
                (self.top / "tests" / entry.name).symlink_to(entry)
        for kind in kinds:
            self._write(kind)
            if edited:
                self._edit(PLUGINS[kind].edits)

    def _write(self, kind):
        for name, place in PLUGINS[kind].files.items():
            assert not (self.top / place).exists(), place
            (self.top / place).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / "tests/skeleton" / kind / name, self.top / place)

    def _edit(self, edits):
        for name, changes in edits.items():
            text = (self.top / name).read_text()
            for old, new in changes:
                assert text.count(old) == 1, (name, old)
                text = text.replace(old, new)
            (self.top / name).write_text(text)

    def run(self, *words, env=None):
        return subprocess.run(words, cwd=self.top, capture_output=True, text=True,
                              env={**os.environ, **(env or {})})

    def law(self, name):
        """What a law of the tree has to say; nothing: it is kept."""
        done = self.run(self.top / "tools/laws" / name)
        assert (done.returncode == 0) == (not done.stdout.strip()), done
        return done.stdout

    @functools.cached_property
    def build(self):
        """A build directory in which nothing is built."""
        out = temp_dir() / "b"
        done = self.run("meson", "setup", "-Dtests=false", out, self.top)
        assert done.returncode == 0, done.stdout + done.stderr
        return out

    def targets(self):
        """What Meson would build, as JSON."""
        return self.run("meson", "introspect", "--targets", self.build).stdout

    # --- the program -----------------------------------------------------------

    def _generate(self, name):
        """A C file that is made of something else that was edited; None: nothing is."""
        out = self.top / "src"
        if name == "schema/show.schema.json":
            words = [self.top / "tools/schema-tables", "show", out / "show_tables.c"]
        elif name == "ui/index.html":  # and with it all of ui/
            words = [self.top / "tools/embed", out / "web_files.c", out / "web_files.d", self.top / "ui"]
        else:
            return None
        subprocess.run(words, check=True, cwd=self.top)
        return words[-1] if name.startswith("schema") else words[1]

    def _sources(self):
        """{file that was edited or written: the C file to compile}."""
        found = {}
        for kind in self.kinds:
            for name in (*PLUGINS[kind].edits, *PLUGINS[kind].files.values()):
                source = self.top / name if name.endswith(".c") else self._generate(name)
                if source:
                    found[name] = source
        return found

    def _compile(self, source):
        """As the build that is tested compiles a file of box/, but with the headers of this tree."""
        words = next(shlex.split(entry["command"]) for entry in
                     json.loads((BUILD / "compile_commands.json").read_text())
                     if entry["file"].endswith("src/box/dialects.c"))
        words = [w.replace(f"-iquote{ROOT}/src", f"-iquote{self.top}/src") for w in words]
        for flag in ("-MQ", "-MF", "-o", "-c"):
            at = words.index(flag)
            del words[at:at + 2]
        out = self.top / (str(source.relative_to(self.top)).replace("/", "_") + ".o")
        subprocess.run([*words, "-o", out, "-c", source], cwd=BUILD, check=True)
        return str(out)

    def _superseded(self, names):
        """The objects of the build in whose place ours are linked."""
        made = {"schema/show.schema.json": "meson-generated_.._stage_show_tables.c.o",
                "ui/index.html": "meson-generated_.._web_files.c.o"}
        edited = {name for kind in self.kinds for name in PLUGINS[kind].edits}
        return {made.get(name, name.removeprefix("src/").replace("/", "_") + ".o")
                for name in names if name in edited}

    def link(self, without=()):
        """The program, as it is linked, but with our objects in the place of those that they
        supersede, and not optimised as a whole.  An edited file that is left out is as it was."""
        if not self.objects:
            sources = self._sources()
            with ThreadPoolExecutor(4) as pool:
                self.objects = dict(zip(sources, pool.map(self._compile, sources.values())))
        said = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "signalbox"],
                              capture_output=True, text=True, check=True).stdout
        ours = {name: o for name, o in self.objects.items() if name not in without}
        gone = self._superseded(ours)
        words = []
        for word in shlex.split(said.splitlines()[-1]):
            if not word.endswith(".a"):
                words.append(word)
                continue
            members = subprocess.run(["ar", "t", word], cwd=BUILD, capture_output=True, text=True,
                                     check=True).stdout.split()
            words += [m for m in members if Path(m).name not in gone]
            gone -= {Path(m).name for m in members}
        assert not gone, gone
        out = temp_dir() / "signalbox"
        words[words.index("-o") + 1] = str(out)
        words = [w for w in words if not w.startswith("-flto")] + [*ours.values(), "-fno-lto"]
        subprocess.run(words, cwd=BUILD, check=True)
        return out


def main():
    *kinds, out = sys.argv[1:]
    shutil.copy(Tree(*kinds).link(), out)


if __name__ == "__main__":
    main()
