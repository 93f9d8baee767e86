"""Voice sessions with engines that hear and speak: how soon a cancel is silence, what hearing
takes of a processor, how soon the first sound is there, and how many words are heard wrong."""

import base64
import contextlib
import json
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from servers import Failure, START_S, stop
from table import OURS, Line, Row
from voice import join

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests"))

from wyoming_peer import Wyoming, words_of, wrong_words  # noqa: E402

CANCELS = 200
RATE = 16000
HEARD_S = 5, 4.8, 5.2, 4.9, 5.1  # of speech: a partial is under way at some of these ends
PIECE_S = 0.1           # of sound in a message
TURN_S = 60             # the longest that any answer may take
FEATURES = ["audio", "text"]
QUESTION = ("run the tests again and tell me which ones failed, then look at the last change "
            "and explain why it broke them")
FIRST = "The tests are running again now, and two of them failed."
KIT, FLITE, FESTIVAL = ("the speech kit of `make voice`", "flite",
                        "festival with cmu_us_slt_arctic_hts")
# What people say to an agent.
SENTENCES = """
run the tests again and tell me which ones failed
pause the run and continue when I say so
open the last report and read me the first line
what did the agent change while I was away
no do not delete the file
stop everything and wait for my answer
show me the errors of this morning
who is working on the login page right now
please explain the second error in plain words
start the server again and watch the log
how much memory does the program use
write a short message to the whole team
ask the other agent to look at this
the build is broken because a header is missing
go back to the version of yesterday
rename the function and update every caller
why did the last command take so long
tell me when the download is finished
make the button larger and change its color
add a test for the case that failed
did anybody answer my question about the budget
read the documentation before you change the code
copy the results to the shared folder
I would like to hear a summary of the discussion
turn the volume down and speak more slowly
search the history for the word password
the new design looks better than the old one
close the window and save my work
remind me to call the office after lunch
compare both files and tell me what is different
is there enough space on the disk
send the picture to my phone
what is the weather going to be tomorrow
translate the letter and keep a copy of it
wait until the others have joined the meeting
find out why the page is so slow
move the meeting to the end of the week
this is not what I was asking for
yes that is right and now do the same again
thank you that was all for today
""".strip().splitlines()


class Talker:
    """A client of a voice session, with features."""

    def __init__(self, server):
        self.socket = join(server, server.token())
        self.socket.settimeout(TURN_S)
        self.bytes = b""
        self.tell("session.start", features=FEATURES)
        self.until(lambda kind, payload: kind == "session.ready")
        self.until(is_idle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def tell(self, kind, **payload):
        text = json.dumps({"type": kind, "payload": payload}).encode()
        length = (bytes([0x80 | len(text)]) if len(text) < 126
                  else struct.pack(">BH", 0xFE, len(text)))
        self.socket.sendall(b"\x81" + length + bytes(4) + text)  # masked with zeros

    def take(self, count):
        while len(self.bytes) < count:
            more = self.socket.recv(65536)
            if not more:
                raise Failure("a client was sent away")
            self.bytes += more
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def event(self):
        """(type, payload)."""
        while True:
            kind, length = self.take(2)
            if length == 126:
                length, = struct.unpack(">H", self.take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.take(8))
            text = self.take(length)
            if kind == 0x81:  # no ping
                said = json.loads(text)
                return said["type"], said["payload"]

    def until(self, wanted):
        """(type, payload) and the time of each event, up to the first that is wanted."""
        events = []
        while not events or not wanted(*events[-1][:2]):
            events.append((*self.event(), time.monotonic()))
            if events[-1][0] == "error":
                raise Failure(events[-1][1]["message"])
        return events

    def append(self, sound, paced):
        begun = time.monotonic()
        for at in range(0, len(sound), piece := int(2 * RATE * PIECE_S)):
            if paced:
                time.sleep(max(0, begun + (at + piece) / 2 / RATE - time.monotonic()))
            self.tell("input_audio.append", chunk=base64.b64encode(sound[at:at + piece]).decode())


def is_idle(kind, payload):
    return kind == "session.state" and payload["value"] == "idle"


def is_sound(kind, payload):
    return kind == "output_audio.delta"


# ---- what it is measured with ----

@contextlib.contextmanager
def helper(bench, *argv, core=1):
    """A program that runs beside, and the first line it says."""
    with tempfile.TemporaryFile(dir=bench.everything) as log:
        process = bench.spawn(argv, core, log, out=subprocess.PIPE)
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            stop(process)
            process.stdout.close()


@contextlib.contextmanager
def engaged(bench, side, engine):
    """A box with an engine, and a model that says at once what it was told."""
    own = pathlib.Path(tempfile.mkdtemp(dir=bench.everything))
    parrot = helper(bench, sys.executable, str(ROOT / "docs" / "examples" / "parrot.py"))
    with parrot as url:
        (own / "more.yaml").write_text(
            f"sources: [{{id: model, url: '{url}', protocol: openai, model: parrot}}]\n"
            f"voice: {{engine: {engine}, think: model}}\n")
        with bench.running(side, own=own, form="more") as server:
            server.wait(lambda: any(s["id"] == "model" and s["state"] == "connected"
                                    for s in server.get("/api/sources")["sources"]))
            yield server


def processor(pids):
    """Milliseconds that these have used."""
    return sum(time.clock_gettime_ns(~pid << 3 | 2) for pid in pids) / 1e6


def pids_of(pattern):
    """The programs that were started with this, and what they started."""
    found = subprocess.run(["pgrep", "-f", pattern], check=False, capture_output=True,
                           text=True).stdout.split()
    if not found:
        raise Failure(f"nothing runs as {pattern}")
    below = subprocess.run(["pgrep", "-P", ",".join(found)], check=False, capture_output=True,
                           text=True).stdout.split()
    return [int(pid) for pid in {*found, *below}]


@contextlib.contextmanager
def speech(bench, voice):
    """The socket of a signalbox-speech with this voice, that has said something."""
    own = pathlib.Path(tempfile.mkdtemp(dir=bench.everything))
    program = bench.program("signalbox-speech", room="")
    with helper(bench, program, "--socket", str(own / "s"), "--directory",
                str(bench.build / "voice"), "--voice", voice, core=0) as ready:
        if ready != "ready":
            raise Failure("signalbox-speech did not start")
        with Wyoming(own / "s") as line:
            line.say(FIRST)
        yield own / "s"


# ---- the rows ----

def silence(talker, wait_s):
    """Milliseconds from a cancel, in the middle of an answer, to the last that is told of it."""
    talker.tell("input_text", text=FIRST)
    talker.until(is_sound)
    heard_until = time.monotonic() + wait_s
    while time.monotonic() < heard_until:
        talker.until(is_sound)
    begun = time.monotonic()
    talker.tell("response.cancel")
    events = talker.until(is_idle)
    kinds = [kind for kind, _, _ in events]
    if kinds[-2:] != ["output_audio.clear", "session.state"]:
        raise Failure(f"a cancel was told as {kinds}")
    talker.tell("session.start", features=FEATURES)
    if talker.event()[0] != "session.ready" or not is_idle(*talker.event()):
        raise Failure("something came after a cancel")
    return (events[-2][2] - begun) * 1000


def cancels(bench, side):
    """Each at another moment. What the client waits for the last frame is more than what the box
    takes to send it, by twice the way."""
    with helper(bench, sys.executable, str(ROOT / "bench" / "mouth.py")) as port, \
            engaged(bench, side, f"{{say: 'tcp://127.0.0.1:{port}'}}") as server, \
            bench.pinned(1), Talker(server) as talker:
        took = sorted(silence(talker, n * 7 % 50 / 1000) for n in range(bench.few(CANCELS)))
    return {"p50": took[len(took) // 2], "p99": took[len(took) * 99 // 100]}


def wait_for_speech(server):
    """The socket of what hears and speaks for this box."""
    path = server.data / "speech.sock"

    def answers():
        try:
            with Wyoming(path) as line:
                line.send("ping", {})
                return line.read()
        except OSError:
            return None

    server.wait(answers)
    return path


class Stretch:
    """Milliseconds from here on: of time, and of the processor that programs use."""

    def __init__(self, pids):
        self.pids, self.begun, self.used = pids, time.monotonic(), processor(pids)

    def so_far(self):
        return (time.monotonic() - self.begun) * 1000, processor(self.pids) - self.used


def turn(talker, box, ear, sound, paced):
    """Of one turn: what it takes to hear, and until something is said."""
    talker.append(sound, paced)
    hearing, whole = Stretch(ear), Stretch([box, *ear])
    talker.tell("input_audio.commit")
    *_, (_, final, _) = talker.until(lambda kind, payload: kind == "transcript.final")
    heard, heard_cpu = hearing.so_far()
    talker.until(is_sound)
    said, said_cpu = whole.so_far()
    talker.tell("response.cancel")
    talker.until(is_idle)
    if not final["text"]:
        raise Failure("nothing was heard")
    return heard_cpu / 1000, heard, said, said_cpu


def turns(bench, side):
    with engaged(bench, side, "{hear: local, say: local}") as server, bench.pinned(1):
        with Wyoming(wait_for_speech(server)) as line:
            rate, sound = line.say(QUESTION)
        if rate != RATE or len(sound) < 2 * RATE * max(HEARD_S):
            raise Failure("the question is no five seconds of sound")
        ear = pids_of(f"speech --socket {server.data}/")
        with Talker(server) as talker:
            done = [turn(talker, server.pid, ear, sound[:2 * int(RATE * seconds)], not bench.tiny)
                    for seconds in HEARD_S[:1 if bench.tiny else None]]
    heard_cpu, heard, said, said_cpu = map(statistics.median, zip(*done))
    return {"heard-cpu": heard_cpu, "heard-most": max(each[0] for each in done), "heard": heard,
            "said": said, "said-cpu": said_cpu}


def first_sound(voice):
    """From a sentence to its first sound. The voice is warm: it has said a sentence before."""
    def measure(bench, side):
        took = []
        with bench.pinned(1), speech(bench, voice) as path, Wyoming(path) as line:
            pids = pids_of(f"speech --socket {path} ")
            for sentence in SENTENCES[:2 if bench.tiny else 10]:
                stretch = Stretch(pids)
                line.send("synthesize", {"text": sentence})
                line.until("audio-chunk")
                took.append(stretch.so_far())
                line.until("audio-stop")
        ms, cpu = map(statistics.median, zip(*took))
        return {"ms": ms, "cpu": cpu}
    return measure


def wrong(bench, voice):
    """Of a hundred words that this voice says, how many are heard wrong."""
    said = missed = 0
    sentences = SENTENCES[:4 if bench.tiny else None]
    with speech(bench, voice) as path:
        for sentence in sentences:
            with Wyoming(path) as line:
                rate, sound = line.say(sentence)
            with Wyoming(path) as line:
                kind, heard, _ = line.hear((rate, 1, sound))[-1]
            if kind != "transcript":
                raise Failure(heard["text"])
            said += len(words_of(sentence))
            missed += wrong_words(sentence, heard["text"])
    return max(100 * missed / said, 0.001)


def words_heard(bench, side):
    with bench.pinned(1):
        return {voice: wrong(bench, voice) for voice in ("festival-slt", "flite-rms")}


ROWS = [
    Row("voice-cancel", cancels,
        Line("a cancel while an answer is spoken, to its last frame, p50", "p50", "ms"),
        Line("a cancel while an answer is spoken, to its last frame, p99", "p99", "ms", 5),
        sides=OURS),
    Row("voice-spoken", turns,
        Line("5 s of speech to the transcript, without a network, processor", "heard-cpu", "s", 0.6),
        Line("the same, where a partial was just begun", "heard-most", "s"),
        Line("the same, until it is there", "heard", "ms"),
        Line("the same, to the first sound of the answer", "said", "ms", 1200),
        Line("the same, processor", "said-cpu", "ms", 1200), sides=OURS, wants=(KIT, FLITE)),
    Row("voice-flite", first_sound("flite-rms"),
        Line("a sentence to its first sound, flite", "ms", "ms", 200),
        Line("the same, processor", "cpu", "ms", 200), sides=OURS, wants=(FLITE,)),
    Row("voice-festival", first_sound("festival-slt"),
        Line("a sentence to its first sound, festival", "ms", "ms", 500),
        Line("the same, processor", "cpu", "ms", 500), sides=OURS, wants=(FESTIVAL,)),
    Row("voice-words", words_heard,
        Line("words of 40 sentences heard wrong, said by festival", "festival-slt", "%", 5),
        Line("words of 40 sentences heard wrong, said by flite", "flite-rms", "%", 8),
        sides=OURS, wants=(KIT, FLITE, FESTIVAL), once=True),
]
