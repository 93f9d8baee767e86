#!/usr/bin/env python3
"""`signalbox bench`: figures that hang together, of a box of its own that is gone afterwards
whatever happens, or of the running one."""

import json
import os
import pty
import select
import signal
import time

from lib import PATIENCE_S, SIGNALBOX, Box, Process, cli, environment, eventually, run, temp_dir, test

QUICK = ("--seconds", "0.3", "--outstanding", "16", "--subscribers", "5")


def boxes(where):
    return list(where.glob("signalbox-bench-*"))


def pid_of(where):
    """Of the box that is there; None: none is."""
    try:
        return int((boxes(where)[0] / "lock").read_text())
    except (IndexError, OSError, ValueError):
        return None


def is_gone(pid):
    return not os.path.exists(f"/proc/{pid}")


@test("it measures a box of its own, leaves nothing behind, and minds nobody's configuration")
def _():
    where = temp_dir()
    # With this ceiling nothing could be measured: a box of its own does not have it.
    env = {"SIGNALBOX_LIMITS_RATE": "1", "SIGNALBOX_LISTEN": "127.0.0.1:1"}

    def bench():
        done = cli("bench", *QUICK, "--json", "--size", "500", "--data", where / "data", env=env)
        assert done.code == 0 and done.err == "", done
        # A disk that stood still for all of its time left nothing to be divided.
        return done if min(r["count"] for r in json.loads(done.out)["results"]) >= 10 else None

    done = eventually(bench)
    assert list(where.iterdir()) == [], "beside DATA, which is not made, and gone"
    said = json.loads(done.out)
    assert (said["ok"], said["box"], said["size"], said["interrupted"]) == (True, "own", 500, False)
    rows = [(r["what"], r["outstanding"], r["subscribers"]) for r in said["results"]]
    assert rows == [("emit", 1, 0), ("emit", 16, 0), ("deliver", 16, 5)], rows
    for r in said["results"]:
        # It ends with the last that was answered in time: on a slow disk that is earlier.
        assert r["count"] > 0 and 0.25 - r["maxUs"] / 1e6 < r["seconds"] < PATIENCE_S, r
        assert abs(r["perSecond"] - r["count"] / r["seconds"]) < r["perSecond"] / 100 + 1, r
        assert 0 < r["p50Us"] <= r["p99Us"] <= r["maxUs"] < PATIENCE_S * 1e6, r
        # The kernel counts in ticks: of a handful that was waited for there may be none.
        assert (0 if r["count"] < 100 else 1e-9) <= r["cpuSecondsPerMillion"] < 1e6, r
    # One at a time, half of them took the median or longer: all of that fits into the time, but
    # for the first, which may have begun before it.
    one = said["results"][0]
    assert (one["count"] - 1) / 2 * one["p50Us"] / 1e6 < 1.1 * one["seconds"] + 0.05, one


@test("the running box is loaded when it is asked for, with signals that say whose they are")
def _():
    with Box() as box:
        done = cli("bench", *QUICK, "--running", "--data", box.data)
        assert done.code == 0, done
        assert "type bench, source signalbox-bench" in done.err and str(box.data) in done.err, done
        lines = done.out.splitlines()
        assert lines[0].split()[:3] == ["what", "a", "second"], done.out
        assert [l.partition("  ")[0] for l in lines[1:4]] == [
            "emits on the disk, 1 at a time", "emits on the disk, 16 at a time",
            "deliveries, 1 to 5, 16 at a time"], done.out
        assert "the box that was running" in lines[-1], done.out
        got = box.history("&limit=1000")
        assert len(got) > 10, len(got)
        assert {(s["type"], s["source"]) for s in got} == {("bench", "signalbox-bench")}
        assert len({s["id"] for s in got}) == len(got)
        assert all(len(json.dumps({k: v for k, v in s.items() if k != "seq"},
                                  separators=(",", ":"))) == 300 for s in got[:20]), got[0]
        assert not boxes(box.data.parent)
    done = cli("bench", "--running", "--data", box.data)
    assert done.code == 1 and "no signalbox is running" in done.err, done
    with Box(env={"SIGNALBOX_LIMITS_RATE": "5"}) as box:
        done = cli("bench", *QUICK, "--running", "--json", "--data", box.data)
        assert done.code == 1 and "too_fast" in done.err, done
        assert json.loads(done.out)["ok"] is False, done


@test("Ctrl-C ends it with what was seen, and the box is gone; kill -9 ends the box too")
def _():
    where, other = temp_dir(), temp_dir()
    with Process("bench", "--seconds", "60", "--data", where / "data") as bench, \
            Process("bench", "--seconds", "60", "--dir", other) as killed:
        for place in (where, other):
            eventually(lambda: pid_of(place))
        pids = pid_of(where), pid_of(other)
        assert pids[0] != pids[1] and not is_gone(pids[0])
        # Its journal grows: it is at work, and after a second it counts.
        log = lambda: sum(p.stat().st_size for p in boxes(where)[0].glob("journal/*.ndjson"))
        eventually(lambda: log() > 1000)
        time.sleep(1.3)
        before = log()
        eventually(lambda: log() > before + 1000)
        bench.process.send_signal(signal.SIGINT)
        killed.process.kill()
        assert bench.wait() == 0, bench.err()
        said = bench.process.stdout.read().decode()
        assert "emits on the disk, 1 at a time" in said and said.endswith("; interrupted\n"), said
        assert list(where.iterdir()) == [] and is_gone(pids[0]), "gone when it has ended"
        eventually(lambda: list(other.iterdir()) == [] and is_gone(pids[1]), PATIENCE_S * 2)


@test("on a terminal there is a bar, and in the end only the table")
def _():
    child, fd = pty.fork()
    if child == 0:
        os.execve(SIGNALBOX, [SIGNALBOX, "bench", *QUICK, "--data", str(temp_dir() / "data")],
                  environment({"TERM": "xterm"}))
    said, end = b"", time.monotonic() + PATIENCE_S * 3
    try:
        while time.monotonic() < end and select.select([fd], [], [], PATIENCE_S)[0]:
            said += os.read(fd, 65536)
    except OSError:
        pass  # the other end is closed
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, said
    said = said.decode()
    assert "emit  \033[32m" in said and "% " in said and "/s  0:00 left" in said, said
    assert said.rstrip().endswith("a box of its own"), said


@test("what makes no sense is said, with 2; a place that is none, with 1")
def _():
    for args, word in ((("--seconds", "0"), "--seconds"), (("--seconds", "x"), "--seconds"),
                       (("--size", "10"), "--size"), (("--subscribers", "0"), "--subscribers"),
                       (("--outstanding", "1e3"), "--outstanding"), (("more",), "'more'"),
                       (("--running", "--dir", "/tmp"), "not both")):
        done = cli("bench", *args)
        assert done.code == 2 and word in done.err, (args, done)
    done = cli("bench", "--dir", "/nonexistent/place")
    assert done.code == 1 and "/nonexistent/place" in done.err, done


run()
