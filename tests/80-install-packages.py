#!/usr/bin/env python3
"""packaging/install-packages: installs what is missing, and only that.

The script is real; dpkg and apt are stand-ins that say what the test wants and
write down what they were asked, because a test has no business installing.
"""

import os
import subprocess
from pathlib import Path

from lib import ROOT, run, temp_dir, test

SCRIPT = "packaging/install-packages"

DPKG_QUERY = """\
[ "$1" = -W ] && [ $# -eq 3 ] && exec cat $HERE/installed
grep -q "^ii $2$" $HERE/installed
"""
APT_CONFIG = "echo \"list='$HERE/etc/sources.list' parts='$HERE/etc/sources.list.d/'\"\n"
APT_CACHE = """\
case "$*" in
*depends*) echo "libllhttp-dev"; echo "  Depends: libllhttp9.2" ;;
*policy*) grep -qx "$2" $HERE/archive && echo "  Candidate: 1.0" || echo "  Candidate: (none)" ;;
esac
"""
APT_GET = """\
echo "apt-get $*" >>$HERE/asked
for word; do
	case $word in Dir::Etc::sourceparts=*) cp -r "${word#*=}" $HERE/sources 2>/dev/null ;; esac
done
case "$*" in *download*) touch libllhttp.deb ;; esac
"""
DPKG = 'echo "dpkg $1 $(basename "$2")" >>$HERE/asked\n'


def codename():
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    return "bookworm"


class Machine:
    """A PATH on which dpkg and apt are ours."""

    def __init__(self, installed=(), archive=(), uid=0):
        self.here = temp_dir()
        self.asked = self.here / "asked"
        (self.here / "installed").write_text("".join(f"ii {p}\n" for p in installed))
        (self.here / "archive").write_text("".join(f"{p}\n" for p in archive))
        (self.here / "etc/sources.list.d").mkdir(parents=True)
        (self.here / "bin").mkdir()
        self.program("dpkg-query", DPKG_QUERY)
        self.program("apt-config", APT_CONFIG)
        self.program("apt-cache", APT_CACHE)
        self.program("apt-get", APT_GET)
        self.program("dpkg", DPKG)
        self.program("id", f"echo {uid}\n")

    def program(self, name, body):
        path = self.here / "bin" / name
        path.write_text(f"#!/bin/sh\nHERE={self.here}\n{body}")
        path.chmod(0o755)

    def install(self, lists):
        """Runs a copy of the script beside lists of the test's own."""
        script = self.here / SCRIPT
        script.parent.mkdir(exist_ok=True)
        if not (self.here / "tools").exists():
            (self.here / "tools").symlink_to(ROOT / "tools")
        script.write_text((ROOT / SCRIPT).read_text())
        script.chmod(0o755)
        for name, text in lists.items():
            (script.parent / f"packages-{name}").write_text(text)
        env = {**os.environ, "PATH": f"{self.here}/bin:{os.environ['PATH']}"}
        return subprocess.run(
            [script, *lists], env=env, capture_output=True, text=True, timeout=60
        )

    def words(self):
        return self.asked.read_text() if self.asked.exists() else ""


@test("when nothing is missing, apt is not asked and nobody needs to be root")
def _():
    machine = Machine(installed=["gcc", "libb"], uid=1000)
    done = machine.install({"build": "# words\ngcc\nliba | libb\nnothing unless sh\n"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
    assert machine.words() == ""


@test("without root it names what is missing and the command, and fails")
def _():
    machine = Machine(installed=["gcc"], uid=1000)
    done = machine.install({"build": "gcc\nmeson\n", "test": "libcmocka-dev\n"})
    assert done.returncode == 1, done
    assert "  meson\n" in done.stderr and "  libcmocka-dev\n" in done.stderr, done
    assert "gcc" not in done.stderr, done
    assert "sudo packaging/install-packages build test" in done.stderr, done
    assert machine.words() == ""


@test("only what is missing is installed, of alternatives the one the archive has")
def _():
    machine = Machine(installed=["gcc"], archive=["meson", "libb"])
    done = machine.install({"build": "gcc\nmeson\nliba | libb\n"})
    assert done.returncode == 0, done
    asked = machine.words().splitlines()
    assert asked[0] == "apt-get -q update", asked
    assert asked[1].endswith(" install meson libb"), asked
    assert len(asked) == 2, asked


@test("an alternative does not stand in for a better one that the archive has")
def _():
    machine = Machine(installed=["libb"], archive=["liba", "libb"])
    done = machine.install({"build": "liba | libb\n"})
    assert done.returncode == 0, done
    assert machine.words().splitlines()[1].endswith(" install liba"), machine.words()


@test("a package of a later release that the own archive has is taken from there")
def _():
    machine = Machine(archive=["libllhttp-dev"])
    done = machine.install({"build": "libllhttp-dev from trixie\n"})
    assert done.returncode == 0, done
    assert machine.words().splitlines()[1].endswith(" install libllhttp-dev"), machine.words()


@test("one it lacks comes with its library from the machine's sources, renamed")
def _():
    ours = codename()
    machine = Machine()
    (machine.here / "etc/sources.list").write_text(
        f"# deb http://a.example/old {ours} main\n"
        f"deb [signed-by=/k/{ours}.gpg] http://a.example/debian {ours} main\n"
        f"deb http://a.example/security {ours}-security main\n"
        f"deb-src http://a.example/debian {ours} main\n"
        "deb http://b.example/other stable main\n"
    )
    (machine.here / "etc/sources.list.d/debian.sources").write_text(
        f"Types: deb\nURIs: http://c.example/{ours}\n"
        f"Suites: {ours} {ours}-updates\nSigned-By: /k/{ours}.gpg\n"
    )
    done = machine.install({"build": "libllhttp-dev from forky\n"})
    assert done.returncode == 0, done
    asked = machine.words()
    assert "download libllhttp-dev libllhttp9.2\n" in asked, asked
    assert "dpkg -i libllhttp.deb\n" in asked, asked
    assert (machine.here / "sources/sources.list").read_text() == (
        f"deb [signed-by=/k/{ours}.gpg] http://a.example/debian forky main\n"
        "deb http://a.example/security forky-security main\n"
    )
    deb822 = (machine.here / "sources/debian.sources").read_text()
    assert f"URIs: http://c.example/{ours}\nSuites: forky forky-updates\n" in deb822, deb822
    assert f"Signed-By: /k/{ours}.gpg\n" in deb822, deb822


@test("what apt says is printed when it fails, and not before")
def _():
    machine = Machine()
    machine.program("apt-get", "echo of interest to nobody; [ $2 = update ]")
    done = machine.install({"build": "gcc\n"})
    assert done.returncode and done.stdout == "", done
    assert done.stderr == "of interest to nobody\n", done


@test("a list that does not exist is an error in words")
def _():
    machine = Machine()
    done = subprocess.run(
        [ROOT / SCRIPT, "bulid"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PATH": f"{machine.here}/bin:{os.environ['PATH']}"},
    )
    assert done.returncode == 1 and "no list 'bulid'" in done.stderr, done


run()
