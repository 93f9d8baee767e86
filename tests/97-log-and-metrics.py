#!/usr/bin/env python3
"""What an operator watches: the log as text or JSON, by room; and all that /metrics tells."""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess

from lib import PATIENCE_S, WS, Box, Events, cli, eventually, run, temp_dir, test
from tls import write_config


def start(text, **how):
    box = Box(listen=(), **how)
    box.args = ["--config", str(write_config(box, "listen: ['127.0.0.1:0']\n" + text))]
    return box.start()


def reload(box, text):
    done = box.log().count("the configuration ")
    write_config(box, "listen: ['127.0.0.1:0']\n" + text)
    os.kill(box.pid, signal.SIGHUP)
    eventually(lambda: box.log().count("the configuration ") > done)


# --- the log -------------------------------------------------------------------


def events(box):
    """The JSON lines; the only other one is that of standard output."""
    return [json.loads(l) for l in box.log().splitlines() if not l.startswith("signalbox is at")]


@test("with log.format json each line is an object, whatever a request holds")
def _():
    with start("log: {format: json, level: debug}\n") as box:
        for path in ('/a"b\\c', "/\\u0000", "/%00%1b[2J", "/é"):
            http = box.http()
            http.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            http.answer()
            http.close()
        eventually(lambda: any('/a"b\\c' in e["message"] for e in events(box)))
        for event in events(box):
            assert list(event) == ["time", "level", "room", "message"], event
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"]), event
            assert event["level"] in ("error", "warn", "info", "debug"), event
        assert any(e["room"] == "web" and e["level"] == "debug" for e in events(box))


@test("a room has a level of its own, and SIGHUP changes level, rooms and format at run time")
def _():
    def says(room, level="debug"):
        """Does a request make the room speak?"""
        seen = len(box.log())
        box.request("GET", "/healthz")
        with WS(box, "/ws/signals"):
            pass
        eventually(lambda: box.request("GET", "/api/status").json()["clients"] == 0)
        return f"{level} {room}: " in box.log()[seen:]

    with start("log: {rooms: [web=debug]}\n") as box:
        assert says("web") and not says("hub")
        reload(box, "log: {rooms: [hub=debug]}\n")
        assert says("hub") and not says("web")
        reload(box, "log: {level: debug, rooms: ['web=warn']}\n")
        assert says("hub") and not says("web")
        reload(box, "log: {level: error, rooms: [box=info], format: json}\n")
        last = json.loads(box.log().splitlines()[-1])
        assert last["room"] == "box" and "was read again" in last["message"], last
        assert not says("web") and not says("hub")


@test("the environment sets both, and what is no rule is refused by name")
def _():
    with Box(env={"SIGNALBOX_LOG_FORMAT": "json", "SIGNALBOX_LOG_ROOMS": "web=debug,hub=error"}) as box:
        box.request("GET", "/healthz")
        eventually(lambda: any(e["room"] == "web" for e in events(box)))
    for rooms in ("hub", "hub=loud", "HUB=debug"):
        result = cli("serve", "--data", temp_dir() / "d", env={"SIGNALBOX_LOG_ROOMS": rooms})
        assert result.code == 78 and "hub=debug" in result.err, result
    result = cli("serve", "--data", temp_dir() / "d", env={"SIGNALBOX_LOG_FORMAT": "xml"})
    assert result.code == 78 and "json" in result.err, result


@test("a log that nobody reads loses lines and says so; it holds up neither clients nor the end")
def _():
    fifo = temp_dir() / "log"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    page = os.sysconf("SC_PAGE_SIZE")
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, page)

    def fill():
        for _ in range(page // 20):  # a line has more bytes
            assert box.request("GET", "/healthz").status == 200

    def tells():
        box.request("GET", "/healthz")
        return b"warn log: lines that nobody read" in os.read(reader, page)

    redirect = ["sh", "-c", 'exec "$@" 2>"$0"', str(fifo)]
    with Box(args=["--log-level", "debug"], command=redirect) as box:
        fill()
        eventually(tells)
        fill()
        assert box.stop() == 0
    os.close(reader)


# --- numbers -------------------------------------------------------------------


def metrics(box):
    answer = box.request("GET", "/metrics")
    assert answer.status == 200, answer
    lines = [l for l in answer.text.splitlines() if not l.startswith("#")]
    return answer, {name: float(value) for name, value in (l.rsplit(" ", 1) for l in lines)}


@test("everything an operator asks for is there, and promtool has nothing to say")
def _():
    assert shutil.which("promtool"), "promtool is missing: see packaging/packages-test"
    with Box() as box, WS(box, "/ws/signals") as ws:
        box.emit({"type": "error", "source": 'q"\\\n\u00e9', "payload": {"message": "x"}})
        box.emit({"type": "lone", "source": "s" * 63 + "\u00e9\u00e9"})
        assert ws.json() and ws.json()
        answer, n = metrics(box)
        names = {name.partition("{")[0] for name in n}
        assert names >= {
            "signalbox_build_info", "signalbox_clients", "signalbox_signals_in_total",
            "signalbox_signals_out_total", "signalbox_clients_lag_bytes", "signalbox_clients_reading",
            "signalbox_gaps_total", "signalbox_signals_dropped_total",
            "signalbox_clients_slow_closed_total", "signalbox_journal_commits_total",
            "signalbox_journal_commit_seconds_bucket", "signalbox_journal_commit_seconds_sum",
            "signalbox_journal_size_bytes", "signalbox_signals_refused_total",
            "signalbox_connections_refused_total", "signalbox_producers_held_total",
        }, names
        done = subprocess.run(["promtool", "check", "metrics"], input=answer.body,
                              capture_output=True, timeout=PATIENCE_S)
        assert done.returncode == 0 and not done.stderr, done


@test("signals in and out are counted by source and kind, once for each client that hears them")
def _():
    with Box() as box, WS(box, "/ws/signals") as all_of_it, WS(box, "/ws/signals?type=a") as some, \
            Events(box) as stream:
        for kind, times in (("a", 3), ("thinking", 2)):
            for _ in range(times):
                box.emit({"type": kind, "source": "me"})
        for ear, times in ((all_of_it, 5), (some, 3), (stream, 5)):
            for _ in range(times):
                ear.json()
        _, n = metrics(box)
        assert n['signalbox_signals_in_total{source="me",kind="other"}'] == 3, n
        assert n['signalbox_signals_in_total{source="me",kind="thinking"}'] == 2, n
        assert n['signalbox_signals_out_total{source="me",kind="other"}'] == 9, n
        assert n['signalbox_signals_out_total{source="me",kind="thinking"}'] == 4, n
        assert n["signalbox_clients_lag_bytes"] == 0, n


@test("however many sources there are, the labels have an end and nothing is left out")
def _():
    with Box() as box:
        lines = "".join(json.dumps({"type": "x", "source": f"s{i}"}) + "\n" for i in range(500))
        answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
        assert answer.json()["accepted"] == 500, answer
        _, n = metrics(box)
        rows = {k: v for k, v in n.items() if k.startswith("signalbox_signals_in_total")}
        assert len(rows) == 33 and sum(rows.values()) == 500, rows
        assert rows['signalbox_signals_in_total{source="other",kind="other"}'] == 468, rows


@test("each commit is in the histogram of how long it took")
def _():
    with Box() as box:
        for _ in range(20):
            box.emit("x")
        _, n = metrics(box)
        buckets = [v for k, v in n.items() if k.startswith("signalbox_journal_commit_seconds_bucket")]
        assert len(buckets) == 13 and buckets == sorted(buckets), buckets
        assert buckets[-1] == n["signalbox_journal_commit_seconds_count"]
        assert buckets[-1] == n["signalbox_journal_commits_total"] >= 20, n
        assert n["signalbox_journal_commit_seconds_sum"] > 0


@test("a client that does not read is seen by its lag, and what the policy drop costs is counted")
def _():
    with Box() as box, WS(box, "/ws/signals?slow=drop") as ws:
        line = json.dumps({"type": "x", "source": "me", "payload": {"x": "y" * 60000}}) + "\n"
        most = 0
        for _ in range(20):
            box.request("POST", "/api/signal", line * 20, {"Content-Type": "application/x-ndjson"})
            _, n = metrics(box)
            most = max(most, n["signalbox_clients_lag_bytes"])
            if n["signalbox_clients_fell_behind_total"]:
                break
        assert n["signalbox_clients_fell_behind_total"] == 1 and most > 0, (most, n)
        gap = next(s for s in iter(ws.json, None) if s["type"] == "journal.gap")["payload"]
        _, n = metrics(box)
        assert n["signalbox_signals_dropped_total"] == gap["to"] - gap["from"] + 1, (gap, n)
        assert n["signalbox_gaps_total"] == 1, n


@test("with some hundred clients every one is counted")
def _():
    with Box() as box:
        clients = [WS(box, "/ws/signals") for _ in range(400)]
        http = box.http()
        for _ in range(30):
            box.emit("x")
            answer = http.ask("GET", "/metrics")
            assert answer.status == 200 and b"signalbox_clients 400\n" in answer.body, answer
        http.close()
        for ws in clients:
            ws.close()


run()
