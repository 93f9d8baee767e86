"""The rows of the table: what is measured, how, and the budget it has."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

import chats
import crew
import gateway
import history
import operate
import spoken
import transcripts
import voice
import words
from servers import Failure
from sides import PEERS
from table import OURS, Line, Row

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE_S = 600


def cpu_per_million(result, of):
    """Seconds of the server's processors for a million of them."""
    if result[of] == 0:
        raise Failure("nothing was delivered")
    return result["cpu_ns"] / result[of] / 1000


def crowd(subs, form="live", **options):
    def measure(bench, side):
        with bench.running(side, form=form) as server:
            result = bench.load(server, "crowd", ms=bench.ms, subs=bench.few(subs),
                                stored=int(form != "live"), **options)
        return {"cpu": cpu_per_million(result, "deliveries"),
                "loop": max(result["loop_ns"], 1) / result["deliveries"] / 1000,
                "rate": result["deliveries"] / result["seconds"],
                "p99": result.get("latency", {}).get("p99_ns", 0) / 1e6}
    return measure


def fanout(subs, window, budget=None, kind="most"):
    return Row(f"fanout-{subs}-w{window}", crowd(subs, window=window),
               Line(f"fan-out 1 -> {subs:,}, W={window}", "cpu", "s/M", budget, kind))


def screens(subs, window):
    return Row(f"screens-{subs}-w{window}", crowd(subs, window=window),
               Line(f"frames of runs 1 -> {subs:,}, W={window}", "cpu", "s/M", 1.3, "ratio",
                    against="signals"), sides=("signals", "screens"))


def agents(window, budget):
    return Row(f"gateway-fanout-1000-w{window}", gateway.fanout(1000, window),
               Line(f"frames of agents to clients of OpenClaw 1 -> 1,000, W={window}", "cpu", "s/M",
                    budget, "ratio", against="/ws/signals"),
               sides=("/ws/signals", "gateway"))


def latency(bench, side):
    with bench.running(side) as server:
        result = bench.load(server, "crowd", subs=bench.few(1000), rate=40,
                            ms=bench.ms if bench.tiny else max(bench.ms, 3000))
    return {"p50": result["latency"]["p50_ns"] / 1e6, "p99": result["latency"]["p99_ns"] / 1e6}


def connect(bench, side):
    with bench.running(side) as server:
        result = bench.load(server, "crowd", subs=bench.few(5000), window=1, probes=200,
                            ms=bench.ms if bench.tiny else max(bench.ms, 3000))
    return {"p50": result["probe"]["p50_ns"] / 1e6, "p99": result["probe"]["p99_ns"] / 1e6}


def durable(bench, side):
    with bench.running(side, form="durable") as server:
        result = bench.load(server, "durable", outstanding=1024, ms=bench.ms, stored=1)
    return {"rate": result["emits"] / result["seconds"], "cpu": cpu_per_million(result, "emits")}


def durable_one(bench, side):
    """One after the other, as every caller does that waits for its acknowledgement."""
    with bench.running(side, form="durable") as server:
        result = bench.load(server, "durable", outstanding=1, ms=bench.ms, stored=1)
    return {"p50": result["latency"]["p50_ns"] / 1000, "p99": result["latency"]["p99_ns"] / 1000}


def commit(bench, side):
    """Each of them waits, so each is a commit of its own."""
    with bench.running(side, form="durable") as server:
        result = bench.load(server, "durable", outstanding=1, rate=250, ms=bench.ms, stored=1)
    return {"us": result["cpu_ns"] / result["emits"] / 1000}


def replay(bench, side):
    with bench.running(side) as server:
        result = bench.load(server, "replay", count=2000 if bench.tiny else
                            200_000 if bench.quick else 1_000_000)
    return {"rate": result["signals"] / result["seconds"]}


def idle(clients):
    def measure(bench, side):
        with bench.running(side) as server:
            result = bench.load(server, "idle", subs=bench.few(clients),
                                ms=bench.ms if bench.tiny else bench.hold * 1000)
        return {"kib": max(result["held"] - result["before"], 1) / result["clients"] / 1024}
    return measure


SOURCES, TOKENS = 200, 50  # sources, and tokens a second of each


def sources(bench, side):
    """Ask that many sources at once; what counts is the processor while they stream."""
    count = bench.few(SOURCES)
    with bench.upstream(TOKENS) as port, bench.running(side) as server:
        for n in range(count):
            server.post("/api/sources", {"id": f"s{n}", "protocol": "openai",
                                         "url": f"http://127.0.0.1:{port}/s{n}"})
        server.wait(lambda: count == len([s for s in server.get("/api/sources")["sources"]
                                          if s["state"] == "connected"
                                          and s["category"] == "remote"]))
        for n in range(count):
            server.post(f"/api/sources/s{n}/ask", {"prompt": "go on"})
        time.sleep(0.5)  # until all of them are in step
        before, begun, cpu = server.get("/api/status")["seq"], time.monotonic(), server.cpu_ns()
        time.sleep(0.1 if bench.tiny else max(bench.ms, 2000) / 1000)
        server.wait(lambda: server.get("/api/status")["seq"] > before)
        cpu, took = server.cpu_ns() - cpu, time.monotonic() - begun
        rate = (server.get("/api/status")["seq"] - before) / took
    if rate < 0.9 * count * TOKENS and not bench.tiny:
        raise Failure(f"only {rate:.0f} tokens a second came")
    return {"core": cpu / took / 1e7, "rate": rate}


HOOK = json.dumps({
    "session_id": "5b5094d4-77b4-43c8-9ceb-a0dd01d549f2", "cwd": "/home/dev/project",
    "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01",
    "tool_input": {"command": "make test"}, "tool_response": {"stdout": "ok\n" * 300},
}).encode()


def hooks(bench, side):
    """One hook after the other, as an agent sends them, on a line that stays open."""
    times = []
    with bench.running(side) as server, bench.pinned(1):
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            request = (f"POST /api/hooks/claude-code HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                       "Content-Type: application/json\r\n"
                       f"Content-Length: {len(HOOK)}\r\n\r\n").encode() + HOOK
            end = time.monotonic() + bench.ms / 1000
            while not times or time.monotonic() < end:
                begun = time.perf_counter_ns()
                line.sendall(request)
                answer = line.recv(65536)
                times.append(time.perf_counter_ns() - begun)
                if not (answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\r\n\r\n{}")):
                    raise Failure(f"a hook was answered {answer[:80]!r}")
    times.sort()
    return {"p50": times[len(times) // 2] / 1e6, "p99": times[len(times) * 99 // 100] / 1e6}


def hook_process(bench, side):
    """`signalbox hook`, from exec to exit, one after the other; and /bin/true beside it."""
    took = {"hook": [], "true": []}
    with bench.running(side) as server, bench.pinned(1), tempfile.TemporaryFile() as payload:
        payload.write(HOOK)
        argv = {"hook": [str(bench.server), "hook", "--data", str(server.data)], "true": ["/bin/true"]}
        end = time.monotonic() + bench.ms / 1000
        while len(took["hook"]) < 10 or time.monotonic() < end:
            for name, words in argv.items():
                payload.seek(0)
                begun = time.perf_counter_ns()
                pid = os.posix_spawn(words[0], words, os.environ,
                                     file_actions=[(os.POSIX_SPAWN_DUP2, payload.fileno(), 0)])
                if os.waitpid(pid, 0)[1] != 0:
                    raise Failure(f"{words[0]} failed")
                took[name].append(time.perf_counter_ns() - begun)
    for times in took.values():
        times.sort()
    hook, true = took["hook"], took["true"]
    return {"p50": hook[len(hook) // 2] / 1e6, "p99": hook[len(hook) * 99 // 100] / 1e6,
            "more": (hook[len(hook) // 2] - true[len(true) // 2]) / 1e6}


def micro(metric):
    def measure(bench, side):
        return {metric: bench.json_of([bench.program("bench-micro"), metric], 0)["ns"]}
    return measure


def micros(*metrics):
    def measure(bench, side):
        return {metric: micro(metric)(bench, side)[metric] for metric in metrics}
    return measure


def on_text(bench, metric, text, argv=()):
    """Nanoseconds for one piece of this text, by bench-micro or another program."""
    with tempfile.NamedTemporaryFile("w", dir=bench.everything, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return bench.json_of([*(argv or (bench.program("bench-micro"), metric)), file.name], 0)["ns"]


def natural_words(bench, side):
    """Our reader of envelopes, and beside it yyjson, which checks no schema."""
    text = words.envelopes(bench.few(1024))
    ours, theirs = on_text(bench, "words", text), on_text(bench, "document", text)
    return {"ns": ours, "ratio": ours / theirs}


def anthropic(bench, side):
    text = words.anthropic(bench.few(5000))
    ours = on_text(bench, "anthropic", text)
    theirs = on_text(bench, "", text, (node_program(), str(ROOT / "bench" / "anthropic.mjs")))
    return {"ns": ours, "times": theirs / ours}


def performances(bench, side):
    """Nanoseconds of a millisecond, as the share of one processor."""
    return {"core": micro("performances")(bench, side)["performances"] / 10_000}


def chunk(bench, side):
    return {"rate": 1e6 / micro("chunk")(bench, side)["chunk"]}


def pipeline(bench, side):
    return {"rate": 1e9 / micro("pipeline")(bench, side)["pipeline"]}


def program(bench, side):
    return {"ms": micro("program")(bench, side)["program"] / 1e6}


def node_program():
    return os.environ.get("NODE") or next(map(str, ROOT.glob(
        "tests/node/node_modules/node-linux-*/bin/node")), "node")


def page(bench, side):
    """The page in Chromium; it starts boxes of its own, and nothing of it is pinned: browser,
    box and load have the machine to themselves."""
    done = subprocess.run([node_program(), ROOT / "bench" / "page.mjs", *["tiny"] * bench.tiny], check=False,
                          env={**os.environ, "SIGNALBOX": str(bench.server)},
                          capture_output=True, text=True, timeout=PAGE_S)
    if done.returncode != 0:
        raise Failure(([line for line in done.stderr.splitlines() if "Error" in line]
                       or ["page.mjs failed"])[0])
    return json.loads(done.stdout)


GATEWAY = ("gateway",)


def tls(subs, window):
    return Row(f"tls-{subs}-w{window}", crowd(subs, window=window),
               Line(f"TLS fan-out 1 -> {subs:,}, W={window}", "cpu", "s/M", 1.3, "ratio",
                    against="bare-tls"), sides=("bare-tls", "ours-tls"))


def peers(name, what, measure, notes, metrics=(("cpu", "s/M"),), budgets=None):
    """The same load through servers that others use. What they do less is said in the notes.
    budgets: of a peer and a metric, how often theirs, at most or at least."""
    named = {"p50": ", p50", "p99": ", p99"}
    lines = [Line(what + notes.get(peer, "") + named.get(metric, ""), metric, unit,
                  *(budgets or {}).get((peer, metric), ()), against=peer)
             for metric, unit in metrics for peer in PEERS if notes.get(peer) is not None]
    return Row(f"peer-{name}", measure, *lines,
               sides=(*(peer for peer in PEERS if notes.get(peer) is not None), "ours"))


def peer_fanout(window):
    return peers(f"fanout-1000-w{window}", f"fan-out 1 -> 1,000, W={window}",
                 crowd(1000, window=window), ALIKE)


ALIKE = {peer: "" for peer in PEERS}
INGEST = {"nats-server": ", JetStream: not checked",
          "redis-server": ", stream: not checked, synced each second",
          "nginx+nchan": ", neither checked nor kept",
          "uWebSockets": ", neither checked nor kept"}
DURABLE = {"nats-server": ", JetStream: acknowledged before the disk has it",
           "redis-server": ", stream, appendfsync always"}

ROWS = [
    fanout(100, 1),
    fanout(1000, 1, 1.08, "ratio"),
    fanout(5000, 1, 1.08, "ratio"),
    fanout(10000, 1),
    fanout(100, 64),
    fanout(1000, 64, 0.13),
    fanout(10000, 64),
    fanout(1000, 256, 0.07),
    screens(100, 64),
    screens(1000, 64),
    Row("filtered", crowd(1000, keys=200, rate=4000),
        Line("200 subscriptions x 5 clients, 20,000 deliveries/s", "cpu", "s/M", 1.25, "ratio"),
        Line("the same, without the threads for the disk", "loop", "s/M", 1.1, "ratio")),
    Row("lookup", micro("lookup"),
        Line("find the tapes of 10,000 correlationIds", "lookup", "ns", 1000), sides=OURS),
    Row("latency", latency,
        Line("latency 1 -> 1,000 at 40 signals/s, p50", "p50", "ms", 1.05, "ratio"),
        Line("latency 1 -> 1,000 at 40 signals/s, p99", "p99", "ms", 1.05, "ratio")),
    Row("connect", connect,
        Line("new connection while 1 -> 5,000 saturates, p50", "p50", "ms"),
        Line("new connection while 1 -> 5,000 saturates, p99", "p99", "ms", 2.0)),
    Row("ingest", crowd(1, window=1024),
        Line("ingest 1 -> 1, W=1024, journalled", "cpu", "s/M", 1.0),
        Line("ingest 1 -> 1, W=1024, signals", "rate", "/s")),
    Row("durable", durable,
        Line("durable emits with ref, 1024 outstanding", "rate", "/s", 900_000, "least"),
        Line("durable emits with ref, processor", "cpu", "s/M", 1.0), sides=OURS),
    Row("parse", micro("parse"),
        Line("parse and validate a 310-byte envelope", "parse", "ns", 400), sides=OURS),
    Row("words", natural_words,
        Line("the same of natural text in eight languages", "ns", "ns", 500),
        Line("the same, against a whole document of yyjson", "ratio", "x", 1.0), sides=OURS),
    Row("anthropic", anthropic,
        Line("an event of Anthropic's stream to its signal", "ns", "ns", 500),
        Line("the same, times as fast as its SDK", "times", "x", 10, "least"), sides=OURS),
    Row("follow", micro("follow"),
        Line("fold a signal into its run, with its frame", "follow", "ns", 900), sides=OURS),
    Row("said", micro("said"),
        Line("add a token to what its run has said", "said", "ns", 40), sides=OURS),
    Row("chunk", chunk,
        Line("cut a reply into pieces for a chat", "rate", "MB/s", 200, "least"), sides=OURS),
    Row("pipeline", pipeline,
        Line("tokens of replies to messages of a chat", "rate", "/s", 1_000_000, "least"), sides=OURS),
    Row("chat-replies", chats.replies,
        Line("1,000 replies at 50 tokens/s, edited as they grow, of one core", "core", "%", 40),
        Line("the same, memory of the box", "mb", "MB", 60),
        Line("the same, requests for a reply, of its duration / throttle + 2", "share", "x", 1),
        Line("the same, requests for a reply", "requests", ""),
        Line("the same, the oldest token that an edit has not, p99", "late", "ms", 100),
        Line("the same, connections", "lines", ""), sides=OURS, once=True),
    Row("chat-away", chats.away,
        Line("10,000 messages wait for chats that are away", "mb", "MB", 20),
        Line("the same, start after a crash takes longer by", "ms", "ms", 200),
        Line("the same, processor", "cpu", "ms"), sides=OURS, once=True),
    *voice.ROWS,
    *spoken.ROWS,
    Row("wire", micros("throttle", "sample", "when", "map", "unwanted", "unmatched"),
        Line("throttle a parsed signal", "throttle", "ns", 200),
        Line("sample parsed signals", "sample", "ns", 200),
        Line("judge a parsed signal by a condition", "when", "ns", 200),
        Line("a chain of four filters with a map", "map", "ns", 1000),
        Line("a signal that no wire wants", "unwanted", "ns", 100),
        Line("a signal that the show does not want", "unmatched", "ns", 100), sides=OURS),
    Row("performances", performances,
        Line("10,000 running performances, of one core", "core", "%", 5), sides=OURS),
    Row("replay", replay,
        Line("replay from the journal to one client", "rate", "/s", 1_500_000, "least"),
        sides=OURS),
    Row("idle", idle(10_000),
        Line("idle WebSocket client at 10,000", "kib", "KiB", 0.6)),
    Row("sources", sources,
        Line("200 sources at 50 tokens/s, of one core", "core", "%", 10),
        Line("200 sources at 50 tokens/s, tokens", "rate", "/s"), sides=OURS),
    Row("hook", hooks,
        Line("a hook of Claude Code is answered, p50", "p50", "ms"),
        Line("a hook of Claude Code is answered, p99", "p99", "ms", 2.0), sides=OURS),
    Row("hook-process", hook_process,
        Line("signalbox hook, exec to exit, p50", "p50", "ms"),
        Line("signalbox hook, exec to exit, p99", "p99", "ms", 5.0),
        Line("signalbox hook, more than /bin/true, p50", "more", "ms", 5.0), sides=OURS),
    Row("import", transcripts.past,
        Line("100 MB of transcripts imported", "rate", "MB/s", 150, "least"),
        Line("the same again, nothing new", "again", "ms"), sides=OURS),
    Row("following", transcripts.followed,
        Line("200 transcripts at 50 lines/s, of one core", "core", "%", 5),
        Line("200 transcripts at 50 lines/s, lines", "rate", "/s"), sides=OURS),
    Row("crew", crew.at_work,
        Line("200 sessions at work, of one core", "core", "%", 5),
        Line("200 sessions at work, signals", "rate", "/s"), sides=OURS),
    Row("sums", crew.sums(micro),
        Line("a year of sums is read at the start", "sums-load", "ms", 5),
        Line("the same saved, the longest piece", "sums-save", "ms", 2),
        Line("the same told by hour, the longest piece", "sums-hours", "ms", 2), sides=OURS),
    Row("program", program,
        Line("start a program, from a box of 256 MiB", "ms", "ms", 2.0), sides=OURS),
    Row("metrics", operate.metrics,
        Line("/metrics with 10,000 clients, p50", "p50", "ms"),
        Line("/metrics with 10,000 clients, p99", "p99", "ms", 2.0), sides=OURS),
    Row("reload", operate.reload,
        Line("reload with 10,000 clients, none dropped", "done", "ms", 50),
        Line("reload with 10,000 clients, longest ping", "pong", "ms", 50), sides=OURS),
    Row("start", operate.start_empty,
        Line("start to serving, empty", "ms", "ms", 50), sides=OURS),
    Row("page", page,
        Line("first paint of the page, from loopback", "firstPaintMs", "ms", 300),
        Line("first paint of a page with one word", "wordPaintMs", "ms"),
        Line("log at 2,000 signals/s, median frame", "logFrameMs", "ms", 34),
        Line("log at 2,000 signals/s, in tasks over 50 ms", "logLongPercent", "%", 10),
        Line("log at 2,000 signals/s, script", "logScriptPercent", "%", 25),
        Line("log at 2,000 signals/s, with layout and paint", "logWorkPercent", "%", 60),
        Line("signals in the flood of the next two", "floodRate", "/s"),
        Line("a question at 10,000 signals/s is there, median", "questionMs", "ms", 300),
        Line("a question at 10,000 signals/s is there, p95", "questionP95Ms", "ms"),
        Line("a run of 100,000 signals opens", "longRunMs", "ms", 5000),
        Line("script of a stage frame, 200 entities and 50 moving", "stageMs", "ms", 4),
        Line("the same, p95", "stageP95Ms", "ms"),
        Line("crew of 200 at 1,000 signals/s, thread in a frame", "crewFrameMs", "ms", 8),
        Line("the same, p95", "crewFrameP95Ms", "ms", 8),
        Line("the same, signals", "crewRate", "/s"),
        Line("a cancel while an answer is spoken, to silence by the audio clock", "silenceMs", "ms", 50),
        Line("the same, the longest of 20", "silenceMostMs", "ms"), sides=OURS, once=True),
    Row("gateway-crowd", gateway.crowd,
        Line("5,000 clients of OpenClaw, a run of 100 tokens/s, of one core", "core", "%", 30),
        Line("the same, frames of agents", "sends", "/s"),
        Line("the same, all bytes", "mib", "MiB/s"), sides=GATEWAY),
    agents(1, 1.1),
    agents(64, 1.3),
    *(Row(f"gateway-answer-v{version}", gateway.answer(version),
          Line(f"200 KB at 100 tokens/s, protocol {version}, to one client", "mb", "MB", 80),
          Line("the same, processor for a second of it", "ms", "ms", 5, against="/ws/signals"),
          sides=("/ws/signals", "gateway"), once=True)
      for version in (3, 4)),
    Row("gateway-connect", gateway.arrivals,
        Line("5,000 clients of OpenClaw connect, the last is greeted", "s", "s", 3),
        Line("the same, processor", "cpu", "s"), sides=GATEWAY),
    Row("gateway-device", gateway.devices(micro),
        Line("signatures of devices that are checked", "rate", "/s", 1000, "least"), sides=OURS),
    Row("gateway-history", gateway.history,
        Line("chat.history of 1,000 messages", "ms", "ms", 10),
        Line("the same, processor", "cpu", "ms"), sides=GATEWAY),
    Row("gateway-relay", gateway.relay(0),
        Line("through the box at 100 events/s, more than direct, p50", "p50", "ms", 0.5),
        Line("through the box at 100 events/s, more than direct, p99", "p99", "ms", 3),
        sides=GATEWAY),
    Row("gateway-relay-calls", gateway.relay(1),
        Line("a method called through the box, more than direct, p50", "p50", "ms"),
        Line("a method called through the box, more than direct, p99", "p99", "ms"),
        sides=GATEWAY),
    Row("gateway-idle", idle(10_000),
        Line("idle client of OpenClaw at 10,000", "kib", "KiB", 0.7), sides=GATEWAY),
    tls(1000, 1),
    tls(1000, 64),
    Row("tls-idle", idle(1000),
        Line("idle TLS client at 1,000", "kib", "KiB", against="bare-tls"),
        sides=("bare-tls", "ours-tls")),
    peer_fanout(1),
    peer_fanout(64),
    peer_fanout(256),
    peers("filtered", "200 subscriptions x 5 clients",
          crowd(1000, keys=200, rate=4000), ALIKE, (("cpu", "s/M"), ("p99", "ms")),
          {("uWebSockets", "cpu"): (1.15, "ratio"), ("uWebSockets", "p99"): (3.0, "ratio")}),
    peers("ingest", "ingest 1 -> 1, W=1024", crowd(1, form="log", window=1024), INGEST),
    peers("durable", "durable emits", durable, DURABLE, (("cpu", "s/M"), ("rate", "/s")),
          {("redis-server", "rate"): (5.0, "ratio-least")}),
    peers("durable-one", "durable emit, one at a time", durable_one, DURABLE,
          (("p50", "us"), ("p99", "us")), {("redis-server", "p50"): (1.0, "ratio")}),
    Row("commit", commit, Line("a commit at 250 a second, processor", "us", "us", 47), sides=OURS),
    Row("history-start", history.start,
        Line("start to serving, {gb:g} GB of journal", "ms", "ms", 100),
        Line("the same, nothing of it in memory", "cold", "ms"), sides=OURS, big=True),
    Row("history-run", history.run,
        Line("first 100 signals of one run in {gb:g} GB", "first", "ms", 20),
        Line("the same, processor", "first_cpu", "ms", 10),
        Line("all 10,000 signals of one run in {gb:g} GB", "all", "ms", 200),
        Line("the same, processor", "all_cpu", "ms"),
        Line("the same, of a run whose signals are near each other", "near", "ms"),
        Line("the same, processor", "near_cpu", "ms"), sides=OURS, big=True),
    Row("history-search", history.search,
        Line("ping while {gb:g} GB are searched, p50", "p50", "ms", against="undisturbed"),
        Line("ping while {gb:g} GB are searched, p99", "p99", "ms", 2.0, "ratio",
             against="undisturbed"), sides=("undisturbed", "ours"), big=True),
    Row("history-index", history.indexes,
        Line("all indexes, of the lines of {gb:g} GB", "percent", "%", 2), sides=OURS, once=True,
        big=True),
    Row("segment-end", history.roll,
        Line("longest ping at the end of a segment, 4,096 runs", "held", "ms", 1),
        Line("the same in the middle of one", "else", "ms"), sides=OURS),
]
