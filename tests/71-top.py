#!/usr/bin/env python3
"""`signalbox top --replay`: the screen, its keys, and the terminal afterwards.

The screens are golden: tests/fixtures/top/NAME-COLSxROWS.txt is what the transcript NAME
gives.  `tests/71-top.py --write` writes them anew; look at what changed.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

import lib
from lib import PATIENCE_S, ROOT, SIGNALBOX, Skip, cli, comment, eventually, run, temp_dir
from screens import Pty, Tmux

RUNS = ROOT.parent / "shared" / "vectors" / "runs"
HAIKU, DEBUGGER = RUNS / "haiku-sample.jsonl", RUNS / "debugger.jsonl"
GOLDEN = ROOT / "tests" / "fixtures" / "top"
SIZES = ((80, 24), (100, 30), (200, 50))

# A crash that was wanted is not the sanitizer's to report.
UNHANDLED = "handle_abort=0:handle_segv=0:handle_sigbus=0"

# Words of every script that terminals get wrong.
WORLD = ROOT / "tests" / "fixtures" / "top" / "world.jsonl"


def missing():
    raise Skip("../shared/vectors/runs is not here")


def test(sentence):
    """Nearly every test plays one of the shared transcripts."""
    return lambda function: lib.test(sentence)(function if RUNS.is_dir() else missing)


def screens():
    """Every golden screen: its file, the transcript, the size, the keys, words it has."""
    for cols, rows in SIZES:
        for name, path, word in (("haiku", HAIKU, "winner.picked"),
                                 ("debugger", DEBUGGER, "PAUSED"),
                                 ("world", WORLD, "the end")):
            yield GOLDEN / f"{name}-{cols}x{rows}.txt", path, (cols, rows), (), word
            yield GOLDEN / f"{name}-live-{cols}x{rows}.txt", path, (cols, rows), ("Tab",), "LIVE"


def write_golden():
    for file, path, (cols, rows), keys, word in screens():
        with Tmux("top", "--replay", path, cols=cols, rows=rows) as screen:
            screen.shows("recording")
            screen.keys(*keys)
            screen.shows(word)
            time.sleep(0.3)
            file.write_text(screen.text())


@test("the shared transcripts look as they always did, at every size")
def _():
    for file, path, (cols, rows), keys, word in screens():
        with Tmux("top", "--replay", path, cols=cols, rows=rows) as screen:
            screen.shows("recording")
            screen.keys(*keys)
            screen.shows(word)
            try:
                eventually(lambda: screen.text() == file.read_text(), every=0.05)
            except AssertionError:
                raise AssertionError(f"{file.name} is not this:\n{screen.text()}") from None


@test("keys move, choose, maximise and leave")
def _():
    with Tmux("top", "--replay", HAIKU, cols=120, rows=20) as screen:
        screen.shows("┏━ LOG", "╭─ LIVE", "winner.picked")
        screen.keys("g")
        screen.shows("cli/config-loaded", lacks=("winner.picked",))
        screen.keys("G")
        screen.shows("winner.picked")
        screen.keys("PPage")
        screen.shows(" below ")
        screen.keys("End")
        screen.shows("winner.picked", lacks=(" below ",))
        screen.keys("m")
        screen.shows("┏━ LOG", lacks=("LIVE",))
        screen.keys("Escape")
        screen.shows("LIVE")
        screen.keys("Tab")
        screen.shows("┏━ LIVE", "╭─ LOG")
        screen.keys("p")
        screen.shows("this is a recording: nobody listens")
        screen.keys("q")
        screen.shows("ended 0")


@test("the mouse focuses, chooses and scrolls")
def _():
    with Pty("top", "--replay", HAIKU, cols=120, rows=20) as terminal:
        terminal.shows(b"j/k scroll", b"winner.picked")
        for click, word in ((b"\033[<0;10;9M", b"choose"), (b"\033[<0;100;9M", b"scroll"),
                            (b"\033[<64;100;9M", b" 3 below "), (b"\033[<65;100;9M", b"final=")):
            terminal.forget()
            terminal.send(click + click.replace(b"M", b"m"))
            terminal.shows(word)


@test("it follows the size of the terminal, down to very little")
def _():
    with Tmux("top", "--replay", HAIKU, cols=80, rows=24) as screen:
        screen.shows("LOG", "winner.picked", lacks=("LIVE",))
        for cols, rows in ((130, 40), (20, 5), (3, 2), (250, 60), (100, 24)):
            screen.resize(cols, rows)
            if cols >= 100:
                text = screen.shows("LIVE", "LOG", "winner.picked")
                lines = text.split("\n")
                eventually(lambda: len(screen.text().split("\n")[0]) == cols, every=0.05)
                assert len(lines) >= rows, text
        screen.keys("q")
        screen.shows("ended 0")


@test("the terminal is as it was after leaving, by every way out")
def _():
    for how in (b"q", b"\x03", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        with Pty("top", "--replay", HAIKU) as terminal:
            terminal.shows(b"\033[?1049h", b"winner.picked")
            assert not terminal.is_as_before()
            terminal.forget()
            if isinstance(how, bytes):
                terminal.send(how)
            else:
                terminal.process.send_signal(how)
            assert terminal.ends() == 0, how
            assert_given_back(terminal)


def assert_given_back(terminal):
    for mode, wanted in ((1049, "l"), (1000, "l"), (2004, "l"), (25, "h")):
        said = re.findall(rb"\033\[\?(?:[0-9]+;)*%d(?:;[0-9]+)*([hl])" % mode, terminal.bytes)
        assert said and said[-1] == wanted.encode(), (mode, terminal.bytes[-400:])
    assert terminal.is_as_before()


@test("the terminal is as it was after a crash")
def _():
    for how in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        with Pty("top", "--replay", HAIKU, env={"ASAN_OPTIONS": UNHANDLED}) as terminal:
            terminal.shows(b"winner.picked")
            terminal.forget()
            terminal.process.send_signal(how)
            assert terminal.ends() != 0
            assert_given_back(terminal)


@test("it ends when its terminal goes away")
def _():
    with Pty("top", "--replay", HAIKU) as terminal:
        terminal.shows(b"winner.picked")
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE_S) == 0


@test("Ctrl-Z gives the terminal back until it is continued")
def _():
    for how in (b"\x1a", signal.SIGTSTP):
        with Pty("top", "--replay", HAIKU) as terminal:
            terminal.shows(b"winner.picked")
            terminal.forget()
            if isinstance(how, bytes):
                terminal.send(how)
            else:
                terminal.process.send_signal(how)
            # Nobody in its session could continue it, so it goes on by itself: but not
            # before the terminal was given back.
            terminal.shows(b"\033[?1049l", b"\033[?1049h", b"winner.picked")
            terminal.send(b"q")
            assert terminal.ends() == 0
            assert_given_back(terminal)


@test("in a shell Ctrl-Z stops it, and fg brings it back")
def _():
    with Tmux("version", cols=90, rows=24) as screen:
        screen.shows("ended 0")
        screen.keys("C-c")
    shell = temp_dir() / "shell"
    shell.write_text(f"PS1='ready> '\nexport TZ=UTC\ntop() {{ {os.environ['SIGNALBOX']} top "
                     f"--replay {HAIKU}; }}\n")
    with Shell(shell) as screen:
        screen.shows("ready>")
        screen.type("top\n")
        screen.shows("winner.picked")
        screen.keys("C-z")
        screen.shows("Stopped", lacks=("winner.picked",))
        assert screen.modes()["alternate_on"] == "0"
        screen.type("stty -a | tr ' ' '\\n' | grep -xE 'echo;?|icanon'; fg\n")
        screen.shows("winner.picked", "LOG")
        screen.keys("q")
        screen.shows("echo", "icanon", lacks=("winner.picked",))


class Shell(Tmux):
    """An interactive bash in tmux."""

    def __init__(self, rc):
        super().__init__("version", cols=90, rows=24)
        self._tmux("respawn-pane", "-k", f"bash --noprofile --rcfile {rc} -i")


@test("with many colours, few and none it says the same")
def _():
    for env, colour in (({"TERM": "xterm-256color"}, b"38;5;"), ({"TERM": "xterm"}, b"\033[3"),
                        ({"TERM": "foot-of-tomorrow"}, b"38;5;"),
                        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, None),
                        ({"TERM": "vt220"}, None)):
        with Pty("top", "--replay", HAIKU, env=env) as terminal:
            terminal.shows(b"winner.picked", b"Run finished")
            assert colour is None or colour in terminal.bytes, env
            coloured = re.findall(rb"\033\[[0-9;]*(?<![0-9])[34][0-9](?:;5;[0-9]+)?m",
                                  terminal.bytes)
            assert bool(coloured) == (colour is not None), (env, coloured[:5])
            terminal.send(b"q")
            assert terminal.ends() == 0


@test("in any locale it speaks UTF-8")
def _():
    with Pty("top", "--replay", HAIKU, env={"LC_ALL": "C"}) as terminal:
        terminal.shows(b"winner.picked", "┏━".encode(), "✓ Run finished".encode())
        terminal.send(b"q")
        assert terminal.ends() == 0


@test("a terminal that is not supported is named")
def _():
    result = cli("top", "--replay", HAIKU)
    assert result.code == 1 and "this needs a terminal" in result.err, result
    file = subprocess.run([SIGNALBOX, "top", "--replay", HAIKU], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert file.returncode == 1 and "this needs a terminal" in file.stderr, file
    for name in ("dumb", "", "nonesuch"):
        with Pty("top", "--replay", HAIKU, env={"TERM": name}) as terminal:
            assert terminal.ends() == 1
            assert b"is not supported" in terminal.bytes
            assert terminal.is_as_before()


@test("what is missing or wrong is said, and nothing is drawn")
def _():
    folder = temp_dir()
    for path, words in (("/nowhere.jsonl", "no such file or run"),
                        (folder, "has no transcript.jsonl"), ("", "needs a name")):
        for more in ((), ("--once", "--json")):
            result = cli("top", "--replay", path, *more)
            assert result.code == 1 and words in result.err and result.out == "", result
    for args in (("--timing", "slow"), ("--once",), ("--json",)):
        result = cli("top", "--replay", HAIKU, *args)
        assert result.code == 2 and result.out == "", result


@test("--once --json prints what it comes to")
def _():
    result = cli("top", "--replay", HAIKU, "--once", "--json")
    state = json.loads(result.out)
    assert result.code == 0 and state["finished"] and state["config"] == ["run", "done"]
    assert {i["invokeid"]: i["status"] for i in state["invocations"]} == {
        "planner": "done", "poet1": "done", "poet2": "error"}
    assert state["debug"] is None


@test("a replay may keep time")
def _():
    for timing, least in (("paced", 50 * 0.040), ("wallclock", 1.0)):
        began = time.monotonic()
        with Pty("top", "--replay", HAIKU, "--timing", timing, rows=40) as terminal:
            terminal.shows(b"runner started", b"winner.picked")
            # A whole screen down to its footer was there before that line was.
            assert b"j/k scroll" in terminal.bytes.partition(b"winner.picked")[0], timing
            assert time.monotonic() - began >= least, timing
            terminal.send(b"q")
            assert terminal.ends() == 0


# --- hostile text -------------------------------------------------------------

HOSTILE = [
    "\033[31337;1H", "\033]0;owned31337\007", "\033]52;c;b3duZWQ=\007", "\033[?1049l", "\033c",
    "\x9b31337m", "\x90q31337\x9c", "\x9d0;owned31337\x9c", "\x85\x84\x8d", "\r\n\x0b\x0c\x08\x7f",
    "\033P$q31337\033\\", "\033[31337n", "\u202eowned31337\u2066\u200f", "\x0e\x0f\x18\x1a\x05",
    "e" + "\u0301" * 400, "\u200d\ufe0f\U000e0041", "\033[200~q\033[201~",
]
# What ncurses says for this terminal, with numbers that fit the screen.
ALLOWED = re.compile(
    rb"\033\[[0-9]{0,3}(?:;[0-9]{1,3})*[ABCDGHJKLMPSTXbdmr@ghil]"
    rb"|\033\[\?[0-9]{1,4}(?:;[0-9]{1,4})*[hl]"
    rb"|\033[()][0B]|\033[=>78M]|\033\[[0-9;]*t|\033\[!p|\033\[4l")


def hostile_frames():
    for number, text in enumerate(HOSTILE * 3):
        words = f"mark{number} {text} endmark"
        for event, data in (
            ("llm/start", {"invokeid": words, "session-id": words, "model": words}),
            ("llm/delta", {"invokeid": words, "session-id": words, "text": words, "model": words}),
            ("llm/error", {"invokeid": "x", "message": words}),
            (words, {words: [words, {words: words}]}),
            ("llm/user-message", {"invokeid": words, "text": words}),
            ("runner/started", {"session-id": words, "chart-id": words}),
        ):
            yield {"kind": "event", "ts": 1780798849139, "event": event, "data": data}
        yield {"kind": "phase", "config": [words], "breadcrumb": [words, words],
               "siblings": [words, "b", words]}


@test("no control sequence of an agent's text comes out")
def _():
    path = temp_dir() / "hostile.jsonl"
    path.write_text("".join(json.dumps(f) + "\n" for f in hostile_frames()))
    with Pty("top", "--replay", path, cols=200, rows=50) as terminal:
        terminal.shows(b"endmark", b"mark50")
        for key in (b"\t", b"j", b"j", b"k", b"m", b"m", b"\t", b"g", b"G", b"q"):
            terminal.send(key)
            terminal.read(0.1)
        assert terminal.ends() == 0
        for once in (b"\033[?1049h", b"\033[?1049l"):  # our own, at the beginning and the end
            assert terminal.bytes.count(once) == 1, once
        left = ALLOWED.sub(b"", terminal.bytes.replace(b"\033]11;?\033\\\033[c", b"", 1))
        bad = re.search(rb"[\x00-\x07\x0b-\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]"
                        rb"|\xe2\x80[\x8e\x8f\xa8-\xae]", left)
        assert bad is None, left[max(0, bad.start() - 40):bad.end() + 40]
        left.decode()
        assert terminal.is_as_before()


# --- a flood -------------------------------------------------------------------


@test("a flood of events does not stand between a key and the screen")
def _():
    path = temp_dir() / "flood.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for number in range(200000):
            event = "odd/thing" if number % 10 == 0 else "llm/delta"
            file.write(json.dumps({"kind": "event", "seq": number, "ts": 1780798849139 + number,
                                   "event": event, "data": {"invokeid": f"a{number % 7}",
                                                            "text": f"word{number} "}}) + "\n")
        file.write('{"kind":"event","ts":1780799149139,"event":"the/last","data":{}}\n')
    waits, had = [], b""
    with Pty("top", "--replay", path, cols=120, rows=30) as terminal:
        terminal.shows(b"odd/thing")
        for word in (b"choose", b"scroll") * 5:  # of the footer, by who has the keys
            had += terminal.forget()
            if b"the/last" in had:
                break
            began = terminal.busy_s()
            terminal.send(b"\t")
            terminal.shows(word)
            waits.append(terminal.busy_s() - began)
        had += terminal.forget()
        while b"the/last" not in had:
            assert terminal.read(60)
            had += terminal.forget()
        terminal.send(b"q")
        assert terminal.ends() == 0
    assert len(waits) >= 3, "it was no flood"
    waits.sort()
    middle = waits[len(waits) // 2]
    comment(f"key to screen: {middle * 1000:.0f} ms of work, at most {waits[-1] * 1000:.0f}")
    assert middle < 0.25, waits


if "--write" in sys.argv:
    write_golden()
else:
    run()
