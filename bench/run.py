#!/usr/bin/env python3
"""The benchmarks: every row of the budget, ours against the bare epoll server, and against
the peers that are installed.

    bench/run.py                       all rows of build/signalbox
    bench/run.py build/signalbox --only fanout --rounds 9
    bench/run.py --only tls --only peer
    bench/run.py --only history --big 10000000000      a long journal of 10 GB
    bench/run.py --quick               one short round: does it run at all
    bench/run.py --markdown            the table of the last run, for docs/benchmarks.md

The server has one processor, the load client another. Each measurement starts its own
server; the servers take turns, round by round, and the medians are shown. The rows are in
rows.py, the servers in sides.py, starting and stopping them in servers.py. Exit code 1 if
anything could not be measured; a missed budget is shown and is no failure of the run.
"""

import argparse
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import time

from rows import ROWS
from servers import Bench, Failure
from sides import MISSING, SIDES, lacking


BUSY = 0.1  # of the machine, used by others: worth a warning
TINY_BYTES = 4_000_000  # of the long journal, when it is only to run


def arguments():
    parser = argparse.ArgumentParser(description="Measure signalbox against its budgets.")
    parser.add_argument("server", nargs="?", default="build/signalbox")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ms", type=int, default=2000, help="length of one measurement")
    parser.add_argument("--only", action="append", metavar="ROW",
                        help="rows whose name begins so; may be given again")
    parser.add_argument("--quick", action="store_true", help="one short round, no big journal")
    parser.add_argument("--tiny", action="store_true", help="quick, with few clients, and not kept")
    parser.add_argument("--hold", type=int, default=1, metavar="S",
                        help="seconds to hold the idle clients")
    parser.add_argument("--big", type=int, default=1_000_000_000, metavar="BYTES",
                        help="size of the long journal")
    parser.add_argument("--markdown", action="store_true", help="print the last run's table")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="where the report goes, instead of bench.json beside the server")
    options = parser.parse_args()
    if options.tiny:
        options.quick = True
    if options.quick:
        options.rounds, options.ms = 1, 60 if options.tiny else 500
    if options.tiny:
        options.big = TINY_BYTES
    return options


def machine():
    """What the figures were measured on, for whoever compares them."""
    listed = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    names = [line.split(":", 1)[1].strip() for line in listed.splitlines()
             if line.startswith("Model name")]
    memory = next(line for line in open("/proc/meminfo") if line.startswith("MemTotal"))
    return {
        "processor": f"{platform.machine()} {names[0] if names else ''}".strip(),
        "cores": os.cpu_count(),
        "memory_gib": round(int(memory.split()[1]) / 2**20),
        "kernel": platform.release(),
    }


def busy_now():
    """The share of all processors that others use, over one second."""
    def jiffies():
        values = [int(word) for word in open("/proc/stat").readline().split()[1:9]]
        return sum(values), values[3] + values[4]
    total, idle = jiffies()
    time.sleep(1)
    total_after, idle_after = jiffies()
    return 1 - (idle_after - idle) / max(total_after - total, 1)


def progress(words):
    """One line that is written over, for whoever watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


def measure(row, bench):
    """All rounds of one row: {side: {metric: [value of each round]}}. A row whose peers are
    all missing has nothing to measure."""
    results = {side: {} for side in row.sides if side in SIDES and SIDES.keys() & row.needs}
    for number in range(bench.rounds if not row.once else 1):
        for side in results:
            progress(f"{row.name}: round {number + 1}, {side}")
            for metric, value in row.measure(bench, side).items():
                results[side].setdefault(metric, []).append(value)
    return results


def judge(row, line, results, bench):
    """One line of the table out of the rounds."""
    ours_all = results[row.ours][line.metric]
    theirs_all = results.get(line.against, {}).get(line.metric, [])
    ours = statistics.median(ours_all)
    theirs = statistics.median(theirs_all) if theirs_all else None
    ratio = ours / theirs if theirs else None
    verdict = ""
    if line.budget is not None:
        value = ratio if line.kind.startswith("ratio") else ours
        met = value >= line.budget if line.kind.endswith("least") else value <= line.budget
        verdict = "meets" if met else "under" if line.kind.endswith("least") else "over"
    return {
        "row": row.name, "what": line.what.format(gb=bench.big / 1e9), "unit": line.unit,
        "kind": line.kind, "budget": line.budget, "ours": ours, "against": line.against,
        "yardstick": theirs, "ratio": ratio, "verdict": verdict,
        "rounds": {"ours": ours_all, "yardstick": theirs_all},
    }


def left_out(row, line, bench, missing):
    """What stands in the place of a line that wants what is not here."""
    return {"row": row.name, "what": line.what.format(gb=bench.big / 1e9), "unit": line.unit,
            "kind": line.kind, "budget": line.budget, "against": line.against,
            "missing": f"{missing} is not installed"}


def judged(row, bench):
    missing = [name for name in lacking(bench.build) if name in row.wants]
    if missing:
        return [left_out(row, line, bench, missing[0]) for line in row.lines]
    results = measure(row, bench)
    return [left_out(row, line, bench, line.against) if line.against in MISSING
            else judge(row, line, results, bench) for line in row.lines]


def number(value):
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 10 else f"{value:.1f}".removesuffix(".0")


def budget_words(line):
    if line["budget"] is None:
        return ""
    sign = ">=" if line["kind"].endswith("least") else "<="
    if line["kind"].startswith("ratio"):
        return f"{sign} {line['budget']} x {line['against']}"
    return f"{sign} {number(line['budget'])} {line['unit']}"


def cells(line):
    if "error" in line:
        return [line["what"], "", "", "", "", "failed: " + line["error"]]
    if "missing" in line:
        return [line["what"], budget_words(line), "", "", "", line["missing"]]
    unit = " " + line["unit"]
    theirs = line["yardstick"]
    theirs = f"{number(theirs)}{unit} {line['against']}" if theirs is not None else ""
    ratio = f"{line['ratio']:.2f}" if line["ratio"] is not None else ""
    return [line["what"], budget_words(line), number(line["ours"]) + unit, theirs, ratio,
            line["verdict"]]


HEAD = ["what", "budget", "ours", "yardstick", "ratio", "verdict"]


def print_table(lines):
    table = [HEAD] + [cells(line) for line in lines]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEAD) - 1)]
    for row in table:
        print("  ".join([cell.ljust(width) for cell, width in zip(row, widths)] + row[-1:]))


def print_markdown(report):
    where = report["machine"]
    print(f"{where['processor']}, {where['cores']} cores, {where['memory_gib']} GiB, "
          f"Linux {where['kernel']}; medians of {report['rounds']} rounds.\n")
    for row in [HEAD, ["---"] * len(HEAD)] + [cells(line) for line in report["lines"]]:
        print("| " + " | ".join(row) + " |")


def chosen(options):
    names = options.only
    rows = [row for row in ROWS if not names or any(row.name.startswith(n) for n in names)]
    if not rows:
        sys.exit(f"no such row; there are: {', '.join(row.name for row in ROWS)}")
    return [row for row in rows if not row.big or options.tiny or not options.quick]


def run(options, build):
    bench = Bench(options, build)
    busy = 0 if options.tiny else busy_now()
    lines = []
    if busy > BUSY:
        print(f"others use {busy:.0%} of this machine: the figures will be too high",
              file=sys.stderr)
    try:
        for row in chosen(options):
            try:
                lines += judged(row, bench)
            except Failure as why:
                lines.append({"row": row.name, "what": row.name, "error": str(why)})
    finally:
        bench.close()
        progress("")
    return {"machine": machine(), "busy_before": busy, "rounds": options.rounds,
            "ms": options.ms, "lines": lines}


def main():
    options = arguments()
    build = pathlib.Path(options.server).resolve().parent
    report_file = options.json or build / "bench.json"
    if options.list:
        print("\n".join(row.name for row in ROWS))
        return 0
    if options.markdown:
        print_markdown(json.loads(report_file.read_text()))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not os.access(options.server, os.X_OK):
        sys.exit(f"{options.server} is not there: make build")
    missing = MISSING + lacking(build)
    if missing:
        print(f"not installed, and left out: {', '.join(missing)}", file=sys.stderr)
    report = run(options, build)
    if options.json or not options.tiny:
        report_file.write_text(json.dumps(report, indent=1) + "\n")
    print_table(report["lines"])
    return 1 if any("error" in line for line in report["lines"]) else 0


if __name__ == "__main__":
    sys.exit(main())
