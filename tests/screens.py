"""Terminals for tests: one of tmux's, whose screen is read, and a bare one, whose bytes are.

    with Tmux("top", "--replay", path, cols=80, rows=24) as screen:
        screen.shows("LOG")
        screen.keys("Tab", "m")
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

from lib import PATIENCE_S, SIGNALBOX, busy_s, environment, eventually, temp_dir

END = b"\1the end\1"
TERMINAL = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}


class Tmux:
    """`signalbox ARGS`, or another program, in a pane of a tmux of its own."""

    def __init__(self, *args, cols=80, rows=24, env=None, program=SIGNALBOX):
        self.folder = temp_dir()
        self.socket = self.folder / "tmux"
        env = {**TERMINAL, **(env or {})}
        del env["TERM"]  # tmux sets its own
        words = " ".join("'" + str(a).replace("'", "'\\''") + "'" for a in (program, *args))
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", cols, "-y", rows,
                   f"{words}; echo ended $?; cat", env=env)
        self._tmux("set", "-g", "status", "off")
        self._tmux("resize-window", "-x", cols, "-y", rows)

    def _tmux(self, *args, env=None):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *map(str, args)],
                              env=environment(env or TERMINAL), capture_output=True, check=False,
                              timeout=PATIENCE_S)
        assert done.returncode == 0, (args, done.stderr.decode())
        return done.stdout.decode()

    def text(self, *how):
        """The screen, as lines without the spaces at their ends."""
        return "\n".join(line.rstrip() for line in
                         self._tmux("capture-pane", "-p", *how).split("\n"))

    def shows(self, *words, lacks=()):
        """Waits until all of these stand on the screen, and none of those."""
        seen = ""

        def look():
            nonlocal seen
            seen = self.text()
            return all(w in seen for w in words) and not any(w in seen for w in lacks)

        try:
            eventually(look, every=0.05)
        except AssertionError:
            raise AssertionError(f"{words} without {lacks}:\n{seen}") from None
        return seen

    def keys(self, *names):
        """Keys by tmux's names: Tab, Escape, C-c, or the character itself."""
        for name in names:
            self._tmux("send-keys", name)

    def type(self, text):
        self._tmux("send-keys", "-l", text)

    def raw(self, data):
        """Bytes as a terminal would send them, such as a mouse's."""
        self._tmux("send-keys", "-H", *(f"{b:02x}" for b in data))

    def resize(self, cols, rows):
        self._tmux("resize-window", "-x", cols, "-y", rows)

    def modes(self):
        """What the program has asked of the terminal."""
        names = ("alternate_on", "mouse_any_flag", "cursor_flag")
        form = " ".join("#{" + n + "}" for n in names)
        said = self._tmux("display-message", "-p", form).split()
        return dict(zip(names, said))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True,
                       timeout=PATIENCE_S, check=False)


class Pty:
    """`signalbox ARGS` on a terminal that only records."""

    def __init__(self, *args, cols=80, rows=24, env=None):
        self.bytes = b""
        self.fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        self.theirs = theirs
        self.before = self._state()
        self.process = subprocess.Popen(
            [SIGNALBOX, *map(str, args)], stdin=theirs, stdout=theirs, stderr=theirs,
            env=environment({**TERMINAL, **(env or {})}), cwd="/",
            preexec_fn=self._own_terminal,
        )

    def _own_terminal(self):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def read(self, within=0.0):
        """Takes what has come; True if anything did."""
        if not select.select([self.fd], [], [], within)[0]:
            return False
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            more = b""
        self.bytes += more
        return bool(more)

    def shows(self, *words, within=PATIENCE_S):
        """Waits until all of these bytes have come, since the last forget()."""
        end = time.monotonic() + within
        while not all(w in self.bytes for w in words):
            assert time.monotonic() < end, f"{words} not in {self.bytes[-2000:]!r}"
            self.read(0.05)

    def forget(self):
        """Begins anew; what had come."""
        self.read()
        had, self.bytes = self.bytes, b""
        return had

    def send(self, data):
        os.write(self.fd, data)

    def ends(self):
        """Waits for the end; the exit status, below 0 for an interrupt."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < end, "it goes on"
            self.read(0.05)
        while self.read():
            pass
        # The kernel may still be bringing what was written last: our own word comes behind it.
        os.write(self.theirs, END)
        self.shows(END)
        self.bytes = self.bytes.replace(END, b"")
        return self.process.returncode

    def busy_s(self):
        """Of the program."""
        return busy_s(self.process.pid)

    def _state(self):
        return termios.tcgetattr(self.theirs), fcntl.fcntl(self.theirs, fcntl.F_GETFL)

    def is_as_before(self):
        return self._state() == self.before

    def __enter__(self):
        return self

    def hang_up(self):
        """The terminal is closed, as by who closes its window."""
        os.close(self.fd)
        self.fd = None

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if self.fd is not None:
            self.hang_up()
        os.close(self.theirs)
