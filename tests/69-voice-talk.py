#!/usr/bin/env python3
"""`signalbox voice` at a terminal: microphone, loudspeaker and keys.  The programs that record and
play are scripts of this test, the engines are its servers, and so is the agent."""

import os
import signal
import time

from chats import connected
from doors import config_box
from lib import PATIENCE_S, Box, comment, eventually, run, temp_dir, test
from screens import Pty, Tmux
from servers import WORDS, Upstream
from wyoming_engine import Engine, hears, says

ANSWER = "".join(WORDS)
SPEECH = b"".join((3000 * (-1) ** (i // 20)).to_bytes(2, "little", signed=True) for i in range(8000))
REPLY = b"\1\2" * 12000  # half a second at 24 kHz

# Each says who it is and what it was told.  The recorder gives what stands in `speech`, and then
# nothing; the player keeps what it gets, and neither hears a gentle word.
HEAD = """#!/bin/sh
echo "$0 $@" >> {place}/told
echo $$ > {place}/{name}.pid
trap '' TERM
"""
RECORDS = HEAD + "/bin/cat {place}/speech\n: > {place}/spoken\nwhile :; do /bin/sleep 1; done\n"
PLAYS = HEAD + "/bin/cat >> {place}/played\necho end >> {place}/told\n"
KEEPS = HEAD + "/bin/cat >> {place}/played\nwhile :; do /bin/sleep 1; done\n"  # as a full buffer
OLD = """#!/bin/sh
case "$*" in *--raw*) echo "unknown option --raw" >&2; exit 1;; esac
""" + RECORDS.removeprefix("#!/bin/sh\n")
FAILS = "#!/bin/sh\necho 'host\033[2J is down' >&2\nexit 3\n"


class Card:
    """A directory for PATH with programs of sound; what they did."""

    def __init__(self, **programs):
        self.place = temp_dir()
        (self.place / "speech").write_bytes(SPEECH)
        for name, script in programs.items():
            name = name.replace("_", "-")
            path = self.place / name
            path.write_text(script.replace("{place}", str(self.place)).replace("{name}", name))
            path.chmod(0o755)

    @property
    def env(self):
        return {"PATH": f"{self.place}:/usr/bin:/bin"}

    @property
    def told(self):
        path = self.place / "told"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def played(self):
        path = self.place / "played"
        return path.read_bytes() if path.exists() else b""

    def speaks(self):
        """The recorder began once more, and gave all that it has."""
        spoken = self.place / "spoken"
        eventually(spoken.exists)
        spoken.unlink()

    def runs(self, name):
        try:
            pid = int((self.place / f"{name}.pid").read_text())
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except (OSError, ValueError):
            return False

    def starts(self, name):
        eventually(lambda: self.runs(name))

    def ends(self, name):
        """When it was seen."""
        eventually(lambda: not self.runs(name), every=0.002)
        return time.monotonic()


def card(record=RECORDS, play=PLAYS):
    return Card(pw_record=record, pw_play=play)


def settings(hear, say, up):
    return (f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
            f"voice: {{engine: {{hear: '{hear.place}', say: '{say.place}'}}, think: model}}\n")


class Room:
    """A box with engines and an agent."""

    def __init__(self, *texts, reply=REPLY, rate=24000):
        self.hear = Engine(hears(*texts))
        self.say = Engine(says(reply, rate=rate, channels=1))
        self.up = Upstream()

    def __enter__(self):
        for part in (self.hear, self.say, self.up):
            part.__enter__()
        self.box = config_box(settings(self.hear, self.say, self.up))
        self.box.__enter__()
        connected(self.box)
        return self

    def __exit__(self, *how):
        self.box.__exit__(*how)
        for part in (self.hear, self.say, self.up):
            part.__exit__(*how)

    def heard(self):
        return b"".join(payload for kind, _, payload in list(self.hear.heard) if kind == "audio-chunk")


def talk(box, programs, *args, cols=80, rows=24, kind=Tmux):
    return kind("voice", *args, "--data", box.data, cols=cols, rows=rows, env=programs.env)


def press(screen):
    """The space bar.  What comes sooner after another press of it is a key that is held down."""
    time.sleep(0.3)
    screen.keys("Space")


def speak(screen, programs):
    """From the first press to the last word."""
    press(screen)
    programs.starts("pw-record")
    screen.shows("● listening")
    programs.speaks()
    time.sleep(0.9)  # a second press that comes sooner may be a repeat
    press(screen)


def listen(terminal):
    """On a bare terminal."""
    terminal.shows(b"space: speak")
    terminal.send(b" ")
    terminal.shows("● listening".encode())


@test("what is said is heard, asked and answered, and the answer is played")
def _():
    programs = card()
    with Room("how are you", "and now") as room, talk(room.box, programs) as screen:
        screen.shows("space: speak", "Press the space bar", lacks=("mock", "leaves"))
        assert not programs.told, programs.told
        for number, said in enumerate(("how are you", "and now")):
            speak(screen, programs)
            screen.shows(f"you: {said}", ANSWER)
            screen.shows("space: speak", lacks=("♪ speaking",))
            programs.ends("pw-record")
            eventually(lambda: programs.told.count("end") == number + 1)
            assert programs.played == REPLY * (number + 1), len(programs.played)
            assert room.heard()[-len(SPEECH):] == SPEECH, len(room.heard())
        recorder, player = programs.told[0].split(" ", 1)[1], programs.told[1].split(" ", 1)[1]
        assert recorder == "--raw --rate 16000 --channels 1 --format s16 --latency 20ms -", recorder
        assert player == "--raw --rate 24000 --channels 1 --format s16 -", player
        screen.keys("q")
        text = screen.shows("ended 0", lacks=("space: speak",))
        assert [line for line in text.split("\n") if line][-5:-1] == \
            ["you: how are you", ANSWER, "you: and now", ANSWER], text
        asked = [r.json()["messages"][-1]["content"] for r in room.up.of("/v1/chat/completions")]
        assert asked == ["how are you", "and now"], asked


@test("what is heard so far is replaced on its line, and no text of others moves anything")
def _():
    was_told = []

    def serve(line, engine):
        for kind, _, _ in engine.events(line):
            if kind == "audio-chunk" and not was_told:
                was_told.append(kind)
                line.send("transcript-start")
                line.send("transcript-chunk", {"text": "how \x1b[2J\x07are\n" + "very " * 40})
                line.send("transcript-chunk", {"text": "you"})
            if kind == "audio-stop":
                line.send("transcript", {"text": "how\x1b]0;owned\x07 are you " + "then " * 40})
    programs = card()
    with Room("-") as room:
        room.hear.serve = serve
        with talk(room.box, programs, cols=40, kind=Pty) as terminal:
            terminal.shows(b"space: speak")
            terminal.send(b" ")
            terminal.shows("● listening ▮".encode(), b"very you\r\n")
            assert b"you: how" not in terminal.bytes.replace(b"you: how ", b"", 1), terminal.bytes
            terminal.send(b"\r")
            terminal.shows(b"you: how\xef\xbf\xbd]0;owned\xef\xbf\xbd are you", ANSWER.encode())
            terminal.send(b"q")
            assert terminal.ends() == 0 and terminal.is_as_before()
            assert not any(bad in terminal.bytes for bad in (b"\x1b[2J", b"\x1b]", b"\x07")), terminal.bytes
            width = max(len(row.decode().split("\x1b[J")[-1]) for row in terminal.bytes.split(b"\r\n"))
            assert width < 40, width


@test("space interrupts the answer, whose sound ends at once, and listens again")
def _():
    programs = card(play=KEEPS)
    with Room("slow down", "again", reply=REPLY * 40) as room, talk(room.box, programs) as screen:
        screen.shows("space: speak")
        room.hear.serve = hears("tell me", "again")
        speak(screen, programs)
        screen.shows("♪ speaking")
        programs.starts("pw-play")
        eventually(lambda: len(programs.played) > 1000)
        time.sleep(0.3)
        begun = time.monotonic()
        screen.keys("Space")
        took = programs.ends("pw-play") - begun
        comment(f"the player was gone {took * 1000:.0f} ms after the key was sent")
        assert took < 4, took  # a gentle end would be forced after five seconds
        screen.shows("● listening")
        programs.speaks()
        screen.keys("Enter")
        screen.shows("you: tell me", "you: again")


@test("c and Esc cancel, whatever is under way")
def _():
    programs = card(play=KEEPS)
    with Room("slow down", "tell me", reply=REPLY * 40) as room, talk(room.box, programs) as screen:
        screen.shows("space: speak")
        screen.keys("Space")
        screen.shows("● listening")
        screen.keys("c")  # while it listens
        programs.ends("pw-record")
        screen.shows("(cancelled)", "space: speak", lacks=("listening",))
        assert not room.up.of("/v1/chat/completions")
        speak(screen, programs)
        screen.shows("you: slow down", "Hello")  # while the answer is on its way, which stays there
        screen.keys("Escape")
        screen.shows("space: speak", lacks=("♪ speaking", "thinking"))
        eventually(lambda: room.up.closed)
        speak(screen, programs)
        screen.shows("you: tell me", "♪ speaking")
        programs.starts("pw-play")
        screen.keys("C")  # while it is spoken
        programs.ends("pw-play")
        screen.shows("space: speak", lacks=("♪ speaking",))
        assert screen.text().count("(cancelled)") == 3, screen.text()
        screen.keys("c")
        screen.keys("q")
        text = screen.shows("ended 0")
        assert text.count("(cancelled)") == 3, text


@test("the space bar may be held down while one speaks")
def _():
    programs = card()
    with Room("how are you") as room, talk(room.box, programs, kind=Pty) as terminal:
        listen(terminal)
        for _ in range(20):
            terminal.send(b"  ")
        terminal.shows(b"you: how are you", ANSWER.encode())
        eventually(lambda: programs.told[-1] == "end")
        assert programs.played == REPLY and len(programs.told) == 3, programs.told
        terminal.send(b"q")
        assert terminal.ends() == 0


@test("the terminal is as it was, and no program stays, by every way out")
def _():
    with Room("tell me", reply=REPLY * 40) as room:
        for how in (b"q", b"\x03", b"\x04", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            programs = card()
            with talk(room.box, programs, kind=Pty) as terminal:
                listen(terminal)
                assert not terminal.is_as_before() and programs.runs("pw-record")
                if isinstance(how, bytes):
                    terminal.send(how)
                else:
                    terminal.process.send_signal(how)
                assert terminal.ends() == 0, how
                assert terminal.is_as_before(), how
                assert not programs.runs("pw-record"), how
        programs = card()
        with talk(room.box, programs, kind=Pty) as terminal:
            listen(terminal)
            terminal.process.send_signal(signal.SIGKILL)
            programs.ends("pw-record")
        programs = card(play=KEEPS)
        with talk(room.box, programs, kind=Pty) as terminal:
            listen(terminal)
            terminal.send(b"\n")
            programs.starts("pw-play")
            terminal.hang_up()
            assert terminal.process.wait(PATIENCE_S) == 0
            assert not programs.runs("pw-play")


@test("it says so when the box goes away, and gives the terminal back")
def _():
    programs = card()
    with Room("how are you") as room, talk(room.box, programs, kind=Pty) as terminal:
        listen(terminal)
        room.box.stop()
        assert terminal.ends() == 1
        assert b"signalbox: " in terminal.bytes and terminal.is_as_before()
        programs.ends("pw-record")


@test("with Ctrl-Z the microphone is closed and the terminal given back, until it goes on")
def _():
    programs = card()
    with Room("how are you") as room, talk(room.box, programs, kind=Pty) as terminal:
        listen(terminal)
        terminal.forget()
        terminal.send(b"\x1a")
        terminal.shows(b"(cancelled)", b"space: speak")
        programs.ends("pw-record")
        terminal.send(b"q")
        assert terminal.ends() == 0 and terminal.is_as_before()


@test("another program is tried where one cannot do it, and where none can, that is said")
def _():
    with Room("how are you") as room:
        programs = Card(pw_record=FAILS, arecord=RECORDS, pw_play=FAILS, aplay=PLAYS)
        with talk(room.box, programs) as screen:
            screen.shows("space: speak")
            screen.keys("Space")
            programs.starts("arecord")
            screen.shows("● listening")
            programs.speaks()
            screen.keys("Enter")
            screen.shows(ANSWER, "space: speak")
            eventually(lambda: programs.told[-1] == "end")
            assert programs.played == REPLY, len(programs.played)
            assert "-q -t raw -f S16_LE -r 16000 -c 1" in programs.told[0], programs.told
            assert "-q -t raw -f S16_LE -r 24000 -c 1" in programs.told[1], programs.told
        programs = card(record=OLD)
        with talk(room.box, programs) as screen:
            screen.shows("space: speak")
            screen.keys("Space")
            screen.shows("● listening")
            programs.speaks()
            assert "--raw" not in programs.told[0], programs.told
        programs = Card(pw_record=FAILS, arecord=FAILS, pw_play=FAILS, aplay=FAILS)
        with talk(room.box, programs, cols=120) as screen:
            screen.shows("space: speak")
            screen.keys("Space")
            screen.shows("arecord ended with status 3: host", "is down", "space: speak")
        programs = Card()
        programs.__class__ = Nothing
        with talk(room.box, programs, cols=160, kind=Pty) as terminal:
            terminal.shows(b"space: speak")
            terminal.send(b" ")
            terminal.shows(b"neither pw-record (package pipewire-bin) nor arecord (package alsa-utils)")
            terminal.send(b"q")
            assert terminal.ends() == 0
        programs = Card(pw_record=RECORDS, pw_play=FAILS, aplay=FAILS)
        with talk(room.box, programs, cols=120) as screen:
            screen.shows("space: speak")
            speak(screen, programs)
            screen.shows("the answer cannot be played: aplay ended with status 3", ANSWER, "space: speak")


class Nothing(Card):
    """No program at all."""

    @property
    def env(self):
        return {"PATH": str(self.place)}


@test("a mock is said to be one, and takes any sound")
def _():
    programs = card()
    with Box() as box, talk(box, programs) as screen:
        screen.shows("this box has a mock", "space: speak")
        speak(screen, programs)
        screen.shows("you: [mocked final]", "[mocked assistant]", "space: speak")


@test("that a voice leaves this machine is said before it does")
def _():
    programs = card()
    text = "voice: {engine: {hear: 'http://192.0.2.1:9/v1', say: 'tcp://192.0.2.2:9'}}\n"
    with config_box(text) as box, talk(box, programs, cols=100) as screen:
        screen.shows("what you say leaves this machine: it goes to http://192.0.2.1:9/v1",
                     "what is answered leaves this machine: it goes to tcp://192.0.2.2:9", "space: speak")
        assert not programs.told


@test("--to asks another source, and what the engines cannot do is told in words")
def _():
    programs = card()
    with Room("how are you") as room:
        with talk(room.box, programs, "--to", "nobody", cols=100) as screen:
            screen.shows("space: speak")
            speak(screen, programs)
            screen.shows("you: how are you", "nobody answers: ", "space: speak")
    with Box() as box, talk(box, programs, "--to", "model", cols=120) as screen:
        screen.shows("model cannot be asked by voice", "ended 1")


@test("it follows the width of the terminal")
def _():
    programs = card()
    with Room("how are you") as room, talk(room.box, programs, cols=80) as screen:
        screen.shows("space: speak")
        for cols in (20, 50, 12, 80):
            screen.resize(cols, 24)
            eventually(lambda: "space: spea" in screen.text().replace("\n", ""))
        speak(screen, programs)
        screen.shows("you: how are you", ANSWER, "space: speak")


@test("without a terminal, or with one that cannot move its cursor, it says so")
def _():
    programs = card()
    with Box() as box:
        with Pty("voice", "--data", box.data, env={**programs.env, "TERM": "dumb"}) as terminal:
            assert terminal.ends() == 1 and terminal.is_as_before()
            assert b"TERM=dumb: this terminal is not supported" in terminal.bytes
        for word in ("-o", "--json"):
            with Pty("voice", word, *([os.devnull] if word == "-o" else []), "--data", box.data) as terminal:
                assert terminal.ends() == 2
                assert b"goes with a FILE of sound" in terminal.bytes
    with Pty("voice", "--data", temp_dir() / "none") as terminal:
        assert terminal.ends() == 1 and terminal.is_as_before()
        assert b"no signalbox is running" in terminal.bytes


run()
