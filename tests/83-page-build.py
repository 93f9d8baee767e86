#!/usr/bin/env python3
"""How the page gets into the program: the same inputs make the same bytes, a change is
noticed, and whoever lacks something is told what."""
# long

import os
import re
import shutil
import subprocess

from lib import ROOT, run, temp_dir, test

UI = ROOT / "ui"
HASHED = re.compile(r"[\w.-]+-[0-9A-Z]{8}\.(js|css|png|svg)")
ASKED_BY_NAME = {"index.html", "manifest.webmanifest", "worker.js"}


def copy_of_tree(name):
    """A tree of its own, without the npm packages, which are large."""
    top = temp_dir() / name
    shutil.copytree(UI, top / "ui", ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(ROOT / "clients", top / "clients")
    (top / "ui/node_modules").symlink_to(UI / "node_modules")
    return top


def build(tree, out, **env):
    return subprocess.run(
        ["node", tree / "ui/build.mjs", out], capture_output=True, text=True, timeout=120,
        env={**os.environ, **env}, cwd="/",
    )


def embed(ui, **env):
    out = temp_dir() / "web_files.c"
    done = subprocess.run(
        [ROOT / "tools/embed", out, out.with_suffix(".d"), ui], capture_output=True, text=True,
        timeout=120, env={**os.environ, **env},
    )
    return done, out


def contents(out):
    return {path.name: path.read_bytes() for path in out.iterdir()}


@test("the same page comes of the same tree, wherever it stands")
def _():
    pages = []
    for name in ("a", "another place"):
        out = temp_dir() / "out"
        done = build(copy_of_tree(name), out)
        assert done.returncode == 0, done
        pages.append(contents(out))
    assert pages[0] == pages[1], set(pages[0]) ^ set(pages[1])
    assert {n for n in pages[0] if not HASHED.fullmatch(n)} == ASKED_BY_NAME, sorted(pages[0])


@test("the page names what it has, and a part is loaded when it is needed")
def _():
    out = temp_dir() / "out"
    assert build(ROOT, out).returncode == 0
    files = contents(out)
    html = files["index.html"].decode()
    named = set(re.findall(r'(?:href|src)="/([^"]+)"', html))
    assert named <= set(files), named - set(files)
    scripts = {n for n in files if n.endswith(".js")}
    later = scripts - named
    assert later, "nothing is left for later"
    first = sum(len(files[n]) for n in named)
    assert first < 200_000, f"{first} bytes before anything is seen"
    assert not re.search(rb"<script(?![^>]* src=)|\son\w+=|style=", files["index.html"])


@test("what it is made from is told to Ninja: every module, and where a new one counts")
def _():
    done, out = embed(UI)
    assert done.returncode == 0, done
    rule = out.with_suffix(".d").read_text()
    for name in ("build.mjs", "index.html", "package-lock.json", "src/main.ts", "src/views.ts",
                 "style", "style/theme.css", "src/log/index.ts"):
        assert f" {UI / name} " in rule.replace("\n", " "), name
    assert f" {UI}/../clients" in rule or str(ROOT / "clients/js/signalbox.js") in rule
    assert "node_modules" not in rule
    again, other = embed(UI)
    assert again.returncode == 0 and other.read_bytes() == out.read_bytes()


@test("a page that grows beyond its budget is not built")
def _():
    tree = copy_of_tree("big")
    noise = os.urandom(1_000_000).hex()
    main = tree / "ui/src/main.ts"
    main.write_text(main.read_text() + f'\nconsole.log("{noise}{noise[::-1]}");\n')
    done = build(tree, temp_dir() / "out")
    assert done.returncode == 1 and "1200000 are allowed" in done.stderr, done.stderr[-300:]


@test("without node, or without the packages of the lockfile, the build says what is missing")
def _():
    empty = temp_dir()
    (empty / "python3").symlink_to(shutil.which("python3"))
    done, _ = embed(UI, PATH=str(empty))
    assert done.returncode and "node, which is not on the PATH" in done.stderr, done
    bare = temp_dir() / "ui"
    bare.mkdir()
    done, _ = embed(bare)
    assert done.returncode and "tools/node-modules ui" in done.stderr, done


@test("npm is asked once for what the lockfile pins")
def _():
    tree = temp_dir()
    (tree / "bin").mkdir()
    npm = tree / "bin/npm"
    npm.write_text('#!/bin/sh\nmkdir -p node_modules\necho "$@" >>asked\n')
    npm.chmod(0o755)
    (tree / "x").mkdir()
    lock = tree / "x/package-lock.json"
    asked = tree / "x/asked"

    def install():
        env = {**os.environ, "PATH": f"{tree / 'bin'}:{os.environ['PATH']}"}
        subprocess.run([ROOT / "tools/node-modules", "x"], cwd=tree, env=env, check=True)
        return len(asked.read_text().splitlines()) if asked.exists() else 0

    assert install() == 0, "no lockfile, nothing to install"
    lock.write_text("one")
    assert [install(), install()] == [1, 1]
    lock.write_text("two")
    assert [install(), install()] == [2, 2]


run()
