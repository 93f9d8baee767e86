#!/usr/bin/env python3
"""The benchmark itself: with few clients and for a moment, every row of it still gives a
figure. The rows of one room alone (bench/micro.c) are left out: they take long to build."""
# long
# busy: 50

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from lib import ROOT, run, temp_dir, test

LIMIT_S = 540  # a deadline and no measure: it takes a minute or two
MICRO = ("lookup", "parse", "follow", "wire", "performances", "sums", "gateway-device")


def bench(*args, server=os.environ["SIGNALBOX"], **environment):
    done = subprocess.run([sys.executable, ROOT / "bench" / "run.py", str(server), *args],
                          capture_output=True, text=True, timeout=LIMIT_S, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def rows():
    """All but the micro rows, and of the many windows one."""
    names = bench("--list")[1].split()
    return [name for name in names if not name.startswith(MICRO)
            and (not re.search(r"-w\d+$", name) or name.endswith("-1000-w64"))]


@test("every row gives a figure, a ratio to what it stands against, and a verdict on its budget")
def _():
    report = Path(temp_dir()) / "bench.json"
    only = [word for name in rows() for word in ("--only", name)]
    code, out, err = bench("--tiny", "--json", str(report), *only)
    assert code == 0, out + err
    everything = json.loads(report.read_text())["lines"]
    missing = [line for line in everything if "missing" in line]
    for line in missing:
        assert line["missing"] in out, (line, out)
        assert line["missing"].removesuffix(" is not installed") in err, (line, err)
    lines = [line for line in everything if "missing" not in line]
    for line in lines:
        assert line["ours"] > 0 and line["rounds"]["ours"] == [line["ours"]], line
        assert (line["ratio"] is None) == (line["yardstick"] is None), line
        assert bool(line["verdict"]) == (line["budget"] is not None), line
        assert line["what"] in out, (line, out)
    assert {line["row"] for line in everything} == set(rows())
    assert all(line["missing"] == f"{line['against']} is not installed" if line["row"].startswith("peer-")
               else line["row"].startswith("voice-") for line in missing), missing
    secure = next(line for line in lines if line["row"] == "tls-1000-w64")
    assert (secure["against"], secure["budget"]) == ("bare-tls", 1.3), secure
    for peer in ("nats-server", "redis-server", "nginx+nchan", "uWebSockets"):
        against = [line for line in lines if line["against"] == peer]
        assert bool(against) != (peer in err), (peer, err)
        assert all(line["ratio"] > 0 for line in against), against


@test("a peer that is not installed is said in each of its lines, and the run goes on")
def _():
    code, out, err = bench("--tiny", "--only", "peer-filtered", "--only", "start", LAB=temp_dir())
    assert code == 0 and "not installed, and left out: " in err and "uWebSockets" in err, out + err
    told = [line for line in out.splitlines() if line.endswith("uWebSockets is not installed")]
    assert len(told) == 2 and all("200 subscriptions" in line for line in told), out
    assert "start to serving, empty" in out, out


@test("a row that wants the speech kit says in each line that it is left out where there is none")
def _():
    server = Path(temp_dir()) / "signalbox"
    shutil.copy(os.environ["SIGNALBOX"], server)
    code, out, err = bench("--tiny", "--only", "voice-spoken", "--only", "voice-words", "--only", "voice-idle",
                           server=server)
    kit = "the speech kit of `make voice`"
    assert code == 0 and kit in err, out + err
    told = [line for line in out.splitlines() if line.endswith(" is not installed")]
    assert len(told) == 7 and kit in told[-1] and "voice sessions that wait" in out, out


@test("a server that does not start is a row that failed, in words and by exit status 1")
def _():
    server = Path(temp_dir()) / "signalbox"
    server.write_text("#!/bin/sh\necho no disk today\nexit 1\n")
    server.chmod(0o755)
    code, out, err = bench("--tiny", "--only", "start", server=server)
    assert code == 1 and "failed: the server did not start: no disk today" in out, out + err


run()
