#!/usr/bin/env python3
"""bad_clients.py [OPTIONS] BUILD [NAME...] - how a good client fares while bad ones do their worst.

Each attack of attacks.py, or those whose name holds a NAME, is run for a while by some
processes, of another user if we are root.  All the while a client of the owner emits a signal
and waits for its acknowledgement, again and again, and now and then makes a new connection.
The report has the 99th percentile of both, and how many times it is of what it was
undisturbed; the goal is twice.

The box has one processor.  The attackers have the others, together with the good client,
and get them only when nobody else wants them (SCHED_IDLE): what they take from
the good client by being there is not the box's doing, and the first row says how much
that is.  Who may, as root, has the box and the good client go before whatever else the machine does.
Exit code 1 if the box ended, or if the good client was refused or left
waiting; a goal that was missed is shown and is no failure of the run.

    --seconds S    for each attack, 4 unless said
    --attackers N  processes, 2 unless said
"""

import argparse
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import attacks  # noqa: E402

GOAL = 2.0
FIRST = 10         # the priority that root gives them (SCHED_FIFO)
STRANGER = 54321
FRESH_EVERY = 10   # of so many trips one is a new connection
WARM_S = 0.5       # an attack begins before it is measured
CALM_S = 1.0       # before each the good client is alone
LOST_S = 20        # a trip that takes longer is none
HISTORY = 60_000   # signals that are there to be read


class Good:
    """The client of the owner."""

    def __init__(self, target):
        self.target = target
        self.sock = target.upgrade()
        self.sock.settimeout(LOST_S)
        self.wait_for(b'"hello"')
        self.emit = attacks.message(op="emit", ref="r", ack="memory", signal={"type": "good"})
        self.ask = target.request("/healthz", "Connection: close\r\n", token=False)

    def wait_for(self, mark):
        heard = b""
        while mark not in heard:
            got = self.sock.recv(65536)
            if not got:
                raise ConnectionError("the good client was closed")
            heard += got

    def trip(self):
        begun = time.perf_counter_ns()
        self.sock.sendall(self.emit)
        self.wait_for(b'"ack"')
        return time.perf_counter_ns() - begun

    def fresh(self):
        begun = time.perf_counter_ns()
        with self.target.dial() as sock:
            sock.settimeout(LOST_S)
            sock.sendall(self.ask)
            answer = sock.recv(65536)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise ConnectionError("the good client was refused")
        return time.perf_counter_ns() - begun

    def measure(self, seconds):
        """All trips, and all new connections, in nanoseconds."""
        trips, fresh, until, n = [], [], time.monotonic() + seconds, 0
        while time.monotonic() < until:
            n += 1
            if n % FRESH_EVERY:
                trips.append(self.trip())
            else:
                fresh.append(self.fresh())
            time.sleep(0.0005)
        return trips, fresh


def p99(times):
    times = sorted(times)
    return times[len(times) * 99 // 100] / 1e6 if times else float("nan")


def processors():
    """The box's, and the others'; the same where there is only one."""
    all_of_them = sorted(os.sched_getaffinity(0))
    return {all_of_them[0]}, set(all_of_them[1:]) or set(all_of_them)


def may_go_first():
    """Root may, unless it is kept in a container."""
    return subprocess.run(["chrt", "-f", str(FIRST), "true"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def become_stranger():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)


@contextlib.contextmanager
def attacked(target, attack, count):
    """While `count` processes do it."""
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            become_stranger()
            with contextlib.suppress(BaseException):
                attack(target)
            os._exit(0)
        children.append(child)
    try:
        yield
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def make_box(build):
    """A box of one processor with a history, and a listener that speaks TLS."""
    os.environ["SIGNALBOX"] = str((build / "signalbox").resolve())
    from lib import temp_dir  # both read the environment
    from tls import SecureBox

    command = ["taskset", "-c", ",".join(map(str, processors()[0]))]
    if may_go_first():
        command = ["chrt", "-f", str(FIRST), *command]
    # That of the attacks is the second, and plain.
    box = SecureBox(rest="- {address: '127.0.0.1:0'}\nlog: {level: error}\n",
                    data=temp_dir() / "data", command=command)
    box.start()
    plain = next(int(a.rpartition(":")[2]) for a in box.addresses[1:] if not a.startswith("unix:"))
    target = attacks.Target(plain, box.port, box.token)
    lines = b"\n".join(b'{"type":"old.%d","payload":{"text":"%0200d"}}' % (i % 50, i)
                       for i in range(HISTORY))
    answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
    assert answer.status == 200, answer
    return box, target


def run(options):
    box, target = make_box(options.build)
    rows, calm = [], ([], [])  # of each pause its p99; what an attack left behind is in some
    chosen = {name: attack for name, attack in attacks.ATTACKS.items()
              if not options.names or any(word in name for word in options.names)}
    with box:
        os.sched_setaffinity(0, processors()[1])
        if may_go_first():
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(FIRST))
        good = Good(target)
        good.measure(CALM_S)
        for name, attack in chosen.items():
            for kept, times in zip(calm, good.measure(CALM_S)):
                kept.append(p99(times))
            try:
                with attacked(target, attack, options.attackers):
                    time.sleep(WARM_S)
                    rows.append((name, *good.measure(options.seconds), None))
            except OSError as error:
                rows.append((name, [], [], str(error) or type(error).__name__))
                good = Good(target) if box.alive() else None
            if not good:
                break
            show(rows[-1], calm)
            time.sleep(WARM_S)
    return report(rows, calm)


def show(row, calm):
    name, trips, fresh, fault = row
    if fault:
        print(f"not ok: {name}: {fault}", flush=True)
        return
    words = f"{name:34}"
    for times, quiet in zip((trips, fresh), calm):
        ratio = p99(times) / statistics.median(quiet)
        words += f" {p99(times):9.2f} ms {ratio:7.1f} x {'' if ratio <= GOAL else 'over':4}"
    print(words.rstrip(), flush=True)


def report(rows, calm):
    trip, fresh_one = (statistics.median(quiet) for quiet in calm)
    print(f"{'undisturbed':34} {trip:9.2f} ms {'':14} {fresh_one:9.2f} ms")
    faults = [name for name, _, _, fault in rows if fault]
    over = [name for name, trips, fresh, fault in rows if not fault
            and (p99(trips) > GOAL * trip or p99(fresh) > GOAL * fresh_one)]
    print(f"{len(rows)} attacks, {len(faults)} broke something, "
          f"{len(rows) - len(faults) - len(over)} within {GOAL:g} times")
    return 1 if faults or not rows else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--attackers", type=int, default=2)
    parser.add_argument("build", type=Path)
    parser.add_argument("names", nargs="*")
    print(f"{'attack':34} {'round trip, p99':27} {'new connection, p99'}", flush=True)
    return run(parser.parse_args())


sys.exit(main())
