#!/usr/bin/env python3
"""`signalbox service`, with a systemctl that writes down what it is asked for."""

import json
import os
import shutil
import subprocess

from lib import SIGNALBOX, cli, run, temp_dir, test

SYSTEMCTL = """#!/bin/sh
echo "$*" >>"$HOME/asked"
case "$2" in is-active|is-enabled) test -e "$HOME/running" ;; enable) touch "$HOME/running" ;;
disable) rm -f "$HOME/running" ;; esac
"""


class Home:
    def __init__(self, systemctl=SYSTEMCTL):
        self.path = temp_dir()
        self.bin = self.path / "bin"
        self.bin.mkdir()
        if systemctl:
            (self.bin / "systemctl").write_text(systemctl)
            (self.bin / "systemctl").chmod(0o755)
        self.unit = self.path / ".config/systemd/user/signalbox.service"
        self.env = {"HOME": str(self.path), "PATH": f"{self.bin}:/nowhere",
                    "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""}
        for name in ("sh", "touch", "rm", "test"):
            (self.bin / name).symlink_to(shutil.which(name))

    def do(self, *words):
        return cli("service", *words, env=self.env)

    def asked(self):
        path = self.path / "asked"
        return path.read_text().splitlines() if path.exists() else []


@test("install writes a unit and starts it; status tells; uninstall takes all of it away")
def _():
    home = Home()
    assert home.do("status").code == 1
    done = home.do("install")
    assert done.code == 0 and done.out == "", done
    assert home.asked()[-2:] == ["--user daemon-reload", "--user enable --now signalbox.service"]
    unit = home.unit.read_text()
    assert f'ExecStart="{os.path.realpath(SIGNALBOX)}" serve\n' in unit, unit
    told = json.loads(home.do("status", "--json").out)
    assert told == {"state": "installed", "enabled": True, "active": True, "unit": str(home.unit)}
    assert home.do("install").code == 0, "again is fine"
    assert home.do("uninstall").code == 0
    assert not home.unit.exists() and home.asked()[-1] == "--user daemon-reload"
    assert home.do("uninstall").code == 0, "twice is fine"
    assert json.loads(home.do("status", "--json").out)["state"] == "absent"


@test("its paths are whole, quoted, and no specifier of systemd's")
def _():
    home = Home()
    odd = home.path / 'a "$x" 100%'
    odd.mkdir()
    (odd / "box.yaml").write_text("log: {level: warn}\n")
    done = cli("service", "install", "--dry-run", "--config", odd / "box.yaml", "--data", odd,
               env=home.env)
    assert done.code == 0 and not home.unit.exists() and home.asked() == [], done
    line = next(l for l in done.out.splitlines() if l.startswith("ExecStart="))
    assert f'--config "{home.path}/a \\"$$x\\" 100%%/box.yaml"' in line, line
    assert f'--data "{home.path}/a \\"$$x\\" 100%%"' in line, line
    gone = cli("service", "install", "--config", odd / "none.yaml", env=home.env)
    assert gone.code == 1 and "none.yaml" in gone.err, gone


@test("a unit that somebody else wrote stays as it is")
def _():
    home = Home()
    home.unit.parent.mkdir(parents=True)
    home.unit.write_text("[Service]\nExecStart=/bin/true\n")
    for verb in ("install", "uninstall"):
        done = home.do(verb)
        assert done.code == 1 and "is left unchanged" in done.err, done
    assert home.unit.read_text() == "[Service]\nExecStart=/bin/true\n"
    assert home.asked() == []


@test("without systemd, or when it refuses, the words say so")
def _():
    home = Home(systemctl=None)
    done = home.do("install")
    assert done.code == 1 and "is this machine's system systemd?" in done.err, done
    assert not home.unit.exists(), "nothing is left of it"
    home = Home(systemctl="#!/bin/sh\nexit 4\n")
    done = home.do("install")
    assert done.code == 1 and "`systemctl --user daemon-reload` failed" in done.err, done
    assert not home.unit.exists(), "nothing is left of it"


@test("a unit is taken away where no systemd can be told, and the words say so")
def _():
    for systemctl, words in ((None, "systemctl cannot be run"),
                             ("#!/bin/sh\nexit 1\n", "`systemctl --user disable` failed")):
        home = Home()
        assert home.do("install").code == 0
        wish = home.unit.parent / "default.target.wants" / home.unit.name
        wish.parent.mkdir()
        wish.symlink_to(home.unit)
        (home.bin / "systemctl").unlink()
        if systemctl:
            (home.bin / "systemctl").write_text(systemctl)
            (home.bin / "systemctl").chmod(0o755)
        done = home.do("uninstall")
        assert done.code == 0 and words in done.err, done
        assert f"{home.unit} is removed, but your systemd could not be told" in done.err, done
        assert not home.unit.exists() and not wish.is_symlink()


@test("systemd itself finds nothing wrong with the unit")
def _():
    home = Home()
    home.do("install")
    judge = shutil.which("systemd-analyze")
    assert judge, "systemd-analyze is in packages-test"
    found = subprocess.run([judge, "verify", "--user", "--man=no", str(home.unit)], capture_output=True, text=True,
                           env={**os.environ, "XDG_RUNTIME_DIR": str(home.path)})
    ours = [l for l in found.stderr.splitlines() if "signalbox" in l]
    assert not ours, found


run()
