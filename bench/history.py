"""What a box with a long journal is asked for: a start, one run of many, a search of all of it,
the end of a segment.

The journal is made once, by the box itself, in a few minutes for 10 GB, and is removed with all
other data of this benchmark. Its signals are of 4,096 runs in turn, so that every block of it has
many, and of two of our own: 10,000 of the one are spread over all of it, 10,000 of the other
stand near each other, as those of a run do that works beside some others."""

import http.client
import os
import shutil
import socket
import time

import operate
from servers import Failure, START_S

BYTES_PER_SIGNAL = 330    # of a 300-byte signal in the journal, with its part of a head
RUNS = 4096               # as many as a box has in mind
OF_RUN = 10_000           # signals of each of our two runs
OUTSTANDING = 20_000      # many, so that making the journal waits for nothing
SPREAD, NEAR = "c99999", "c99998"  # as bench/load_emit.c calls them
SEGMENTS_TINY = {"SIGNALBOX_JOURNAL_SEGMENT": "1MiB"}
SEGMENT_ROLL = {"SIGNALBOX_JOURNAL_SEGMENT": "8MiB"}
IDLE_S = 0.2              # a box that uses next to nothing for so long has done what it had to
PATIENCE_S = 900          # the longest that its indexes or an answer may take
PINGS = 1000              # a second
ROLLS = 7                 # ends of segments, of which the median counts


def of_run(bench):
    return 20 if bench.tiny else OF_RUN


def settle(server):
    """Wait until it has nothing left to do: folds, indexes."""
    end = time.monotonic() + PATIENCE_S
    before = server.cpu_ns() - 1e9
    while server.cpu_ns() - before > IDLE_S * 1e9 / 50:
        if time.monotonic() > end:
            raise Failure("the box does not come to rest")
        before = server.cpu_ns()
        time.sleep(IDLE_S)


def long_journal(bench, name):
    """The directory of a box that was stopped, with that journal in it."""
    if bench.long:
        return bench.long
    if shutil.disk_usage(bench.everything).free < 1.2 * bench.big:
        raise Failure("not enough room on the disk")
    own = bench.everything / "long"
    own.mkdir()
    count = max(bench.big // BYTES_PER_SIGNAL, 3 * of_run(bench) * 16)
    with bench.running(name, own=own, environment=SEGMENTS_TINY if bench.tiny else None) as server:
        bench.load(server, "durable", outstanding=OUTSTANDING, count=count, keys=RUNS,
                   spread=count // of_run(bench), near=of_run(bench))
        settle(server)
    bench.long = own
    return own


def on_long(bench, name):
    return bench.running(name, own=long_journal(bench, name),
                         environment=SEGMENTS_TINY if bench.tiny else None)


def forget_pages(directory):
    """What is in memory of these files goes: they are read from the disk again."""
    os.sync()
    for path in directory.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def start(bench, name):
    """Once as it lies in memory, and once with every page of it dropped."""
    own = long_journal(bench, name)
    forget_pages(own)
    with on_long(bench, name) as server:
        cold = server.started_ms
    with on_long(bench, name) as server:
        return {"ms": server.started_ms, "cold": cold}


def ask(server, query):
    """The lines of an answer, and the milliseconds and the processor time that it took."""
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    client.connect()
    client.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    cpu, begun = server.cpu_ns(), time.perf_counter_ns()
    client.request("GET", f"/api/signals?after=0&format=ndjson&{query}")
    answer = client.getresponse()
    text = answer.read()
    took, cpu = time.perf_counter_ns() - begun, server.cpu_ns() - cpu
    client.close()
    if answer.status != 200:
        raise Failure(f"a search was answered {answer.status}")
    return text.splitlines(), took / 1e6, cpu / 1e6


def ask_for(server, run, limit):
    lines, ms, cpu = ask(server, f"correlationId={run}&limit={limit}")
    mine = f'"correlationId":"{run}"'.encode()
    if len(lines) != limit or not all(mine in line for line in lines):
        raise Failure(f"{len(lines)} of {limit} signals of {run} were found")
    return ms, cpu


def run(bench, name):
    """Each question is the first that a box is asked after its start."""
    first, all_of_it = min(100, of_run(bench)), of_run(bench)
    result = {}
    for metric, which, limit in (("first", SPREAD, first), ("all", SPREAD, all_of_it),
                                 ("near", NEAR, all_of_it)):
        with on_long(bench, name) as server, bench.pinned(1):
            settle(server)
            result[metric], result[metric + "_cpu"] = ask_for(server, which, limit)
    return result


def indexes(bench, name):
    """In hundredths of the lines that they are for."""
    sizes = {kind: sum(path.stat().st_size for path in
                       (long_journal(bench, name) / "data" / "journal").glob(f"*.{kind}"))
             for kind in ("ndjson", "places")}
    return {"percent": 100 * sizes["places"] / sizes["ndjson"]}


def pong_ms(pinger):
    asked = time.perf_counter_ns()
    pinger.sendall(operate.PING)
    if pinger.recv(2) != operate.PONG:
        raise Failure("a ping was not answered")
    return (time.perf_counter_ns() - asked) / 1e6


def search(bench, name):
    """Pings, a thousand a second, while somebody searches everything for words that are not there;
    undisturbed is the same without the search."""
    times = []
    with on_long(bench, name) as server, bench.pinned(1):
        settle(server)
        with operate.join(server, "/ws/signals?type=none") as pinger, \
                socket.create_connection(("127.0.0.1", server.port), START_S) as reader:
            pong_ms(pinger)
            if name == "ours":
                reader.sendall(b"GET /api/signals?after=0&format=ndjson&q=nowhere-to-be-found HTTP/1.1\r\n"
                               b"Host: 127.0.0.1\r\n\r\n")
            end = time.monotonic() + bench.ms / 1000
            while not times or time.monotonic() < end:
                times.append(pong_ms(pinger))
                time.sleep(1 / PINGS)
    times.sort()
    return {"p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100]}


def frame(number):
    """A signal as a masked frame, with a mask that changes nothing."""
    text = (b'{"id":"roll-%012d","type":"text_delta","timestamp":1767225600000,"source":"bench",'
            b'"correlationId":"c%05d","payload":{"agentId":"bench","content":"' % (number, number % RUNS))
    text += b"x" * (300 - len(text) - 3) + b'"}}'
    return b"\x81\xfe" + len(text).to_bytes(2, "big") + bytes(4) + text


def roll(bench, name):
    """The longest ping around the end of a segment, while signals of 4,096 runs come; and around
    a moment in the middle of one, for comparison."""
    around, rolls = {"end": [], "middle": []}, 1 if bench.tiny else ROLLS
    environment = SEGMENTS_TINY if bench.tiny else SEGMENT_ROLL
    with bench.running(name, environment=environment) as server, bench.pinned(1):
        journal, number, segments = server.data / "journal", 0, 1
        with operate.join(server) as producer, operate.join(server, "/ws/signals?type=none") as pinger:
            longest = []  # of the stretches since the last end: (segments then, longest ping)
            while len(around["end"]) <= rolls:
                pings = []
                for _ in range(200):
                    producer.sendall(b"".join(frame(number + i) for i in range(8)))
                    number += 8
                    pings.append(pong_ms(pinger))
                longest.append(max(pings))
                now = len(list(journal.glob("*.ndjson")))
                if now > segments:
                    pings = [pong_ms(pinger) for _ in range(200)]  # the rest of the checkpoint
                    around["end"].append(max(*longest[-1:], *pings))
                    around["middle"].append(longest[len(longest) // 2])
                    longest, segments = [], now
    middle = [sorted(each[1:])[(len(each) - 1) // 2] for each in around.values()]  # not the first: runs are new
    return {"held": middle[0], "else": middle[1]}
