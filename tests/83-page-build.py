#!/usr/bin/env python3
"""How the page gets into the program: the same inputs make the same bytes, a change is
noticed, and whoever lacks something is told what."""
# long

import base64
import hashlib
import http.server
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import threading

from lib import ROOT, run, temp_dir, test

UI = ROOT / "ui"
HASHED = re.compile(r"[\w.]+-[0-9A-Z]{8}\.(js|css|svg)")


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
    assert all(n == "index.html" or HASHED.fullmatch(n) for n in pages[0]), sorted(pages[0])


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


class Registry(http.server.ThreadingHTTPServer):
    """A registry of npm's on loopback: {path: bytes}, and what it was asked for."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), RegistryAnswer)
        self.files, self.asked = {}, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def publish(self, name, files, version="1.0.0"):
        """Makes a package; gives its entry of a lockfile."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, text in files.items():
                member = tarfile.TarInfo(path)
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
        data = packed.getvalue()
        self.files[f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"] = data
        digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
        return {"version": version, "integrity": f"sha512-{digest}"}


class RegistryAnswer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        data = self.server.files.get(self.path)
        self.send_response(200 if data else 404)
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *_):
        pass


class Folder:
    """A folder with a lockfile, and a home whose settings name our registry."""

    def __init__(self):
        self.registry = Registry()
        self.top = temp_dir()
        (self.top / "x").mkdir()
        (self.top / "home").mkdir()
        settings = f"registry=http://127.0.0.1:{self.registry.server_port}/\n"
        (self.top / "home/.npmrc").write_text(settings)

    def lock(self, packages):
        text = json.dumps({"packages": {"": {}, **packages}})
        (self.top / "x/package-lock.json").write_text(text)

    def install(self):
        env = {**os.environ, "HOME": str(self.top / "home"), "PATH": os.environ["PATH"]}
        env = {k: v for k, v in env.items() if not k.lower().startswith(("npm_", "http"))}
        return subprocess.run(
            [ROOT / "tools/node-modules", "x"], cwd=self.top, env=env, capture_output=True,
            text=True, timeout=120,
        )

    def file(self, path):
        return self.top / "x/node_modules" / path


@test("what the lockfile pins is installed once, without npm")
def _():
    folder = Folder()
    assert folder.install().returncode == 0, "no lockfile, nothing to install"
    one = folder.registry.publish("one", {"package/a.js": "1", "package/bin/go": "go"})
    two = folder.registry.publish("@some/two", {"package/b.js": "2"})
    packages = {"node_modules/one": {**one, "bin": {"go": "bin/go"}}, "node_modules/@some/two": two}
    folder.lock(packages)
    for _ in range(2):
        done = folder.install()
        assert done.returncode == 0, done
    assert sorted(folder.registry.asked) == ["/@some/two/-/two-1.0.0.tgz", "/one/-/one-1.0.0.tgz"]
    assert folder.file("@some/two/b.js").read_text() == "2"
    assert os.access(folder.file(".bin/go"), os.X_OK) and folder.file(".bin/go").read_text() == "go"
    three = folder.registry.publish("three", {"package/c.js": "3"})
    folder.lock({"node_modules/one": one, "node_modules/three": three})
    assert folder.install().returncode == 0
    assert folder.registry.asked[2:] == ["/three/-/three-1.0.0.tgz"], "the first is in the cache"
    assert folder.file("three/c.js").exists() and not folder.file("@some").exists()


@test("a package that is not what the lockfile pins, or cannot be had, changes nothing")
def _():
    folder = Folder()
    good = folder.registry.publish("good", {"package/a.js": "1"})
    folder.lock({"node_modules/good": good})
    assert folder.install().returncode == 0
    folder.registry.publish("bad", {"package/a.js": "this"})
    other = {"version": "1.0.0", "integrity": good["integrity"][:10] + "A" * 83 + "=="}
    for name, entry, words in (
        ("bad", other, "another checksum"),
        ("absent", good | {"version": "2.0.0", "integrity": other["integrity"]}, "cannot be fetched"),
        ("bare", {"version": "1.0.0"}, "no SHA-512"),
        ("foreign", good | {"cpu": ["pdp11"]}, "not made for this machine"),
    ):
        folder.lock({"node_modules/good": good, f"node_modules/{name}": entry})
        done = folder.install()
        assert done.returncode == 1 and words in done.stderr, (name, done)
        assert folder.file("good/a.js").exists() and not folder.file(name).exists()
    assert [p.name for p in (folder.top / "x").iterdir() if p.name.startswith(".")] == []


@test("only what is for this machine is fetched, and no file lands outside its package")
def _():
    folder = Folder()
    hostile = folder.registry.publish(
        "odd", {"package/../../../out.js": "x", "package/ok.js": "y"})
    folder.lock({
        "node_modules/odd": hostile,
        "node_modules/theirs": {**hostile, "os": ["plan9"], "optional": True},
        "node_modules/not-ours": {**hostile, "os": ["!linux"], "optional": True},
    })
    done = folder.install()
    assert done.returncode == 0, done
    assert folder.registry.asked == ["/odd/-/odd-1.0.0.tgz"], folder.registry.asked
    assert [p.name for p in folder.file("odd").iterdir()] == ["ok.js"]
    assert not list(folder.top.rglob("out.js"))


run()
