"""Starting, loading and stopping the servers under measurement."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from sides import SIDES, make_certificate

START_S = 30  # the longest a server may take to serve or to stop
LOAD_S = 600  # the longest one measurement may take


class Failure(Exception):
    """Something could not be measured; the words say what."""


class Server:
    """One running server. `pid` and `port` are what the load client needs."""

    def __init__(self, process, port, side, data, started_ms):
        self.process, self.port, self.side = process, port, side
        self.data, self.started_ms = data, started_ms

    @property
    def pid(self):
        return self.process.pid

    def cpu_ns(self):
        """The processor time of all its threads, exact also while it runs."""
        return time.clock_gettime_ns(~self.pid << 3 | 2)

    def token(self):
        return (self.data / "token").read_text().strip()

    def ask(self, method, path, body=None):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_S)
        client.request(method, path, json.dumps(body) if body else None,
                       {"Authorization": f"Bearer {self.token()}", "Content-Type": "application/json"})
        answer = client.getresponse()
        text = answer.read().decode()
        client.close()
        if answer.status >= 300:
            raise Failure(f"{path} was answered {answer.status}: {text.strip()}")
        return json.loads(text)

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, body):
        return self.ask("POST", path, body)

    def wait(self, check):
        end = time.monotonic() + START_S
        while not check():
            if time.monotonic() > end:
                raise Failure("the server did not come so far")
            time.sleep(0.05)


class Bench:
    """Where the programs are, how long to measure, and the data of this run. The data is
    beside the build, never in a temporary file system: the disk is part of what is measured."""

    def __init__(self, options, build):
        self.server = pathlib.Path(options.server).resolve()
        self.build = build
        self.rounds, self.ms, self.quick = options.rounds, options.ms, options.quick
        self.hold, self.big = options.hold, options.big
        self.tiny = options.tiny
        self.secrets, self.built, self.long = None, set(), None
        self.everything = pathlib.Path(tempfile.mkdtemp(prefix="bench-data-", dir=build))
        self.cores = sorted(os.sched_getaffinity(0))

    def close(self):
        shutil.rmtree(self.everything, ignore_errors=True)

    def few(self, count):
        """So many, unless nobody wants to know more than whether it runs."""
        return min(count, 20) if self.tiny else count

    def certificate(self):
        """One certificate for all of this run, and its key: their paths."""
        if not self.secrets:
            self.secrets = make_certificate(self.everything)
        return self.secrets

    def program(self, name, room="bench/"):
        """The path of one of our programs, which is built when it is first asked for."""
        path = self.build / room / name
        if name not in self.built:
            done = subprocess.run(["ninja", "-C", str(self.build), f"{room}{name}"], check=False,
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise Failure(f"{name} is not built: ninja -C {self.build} {room}{name}")
            self.built.add(name)
        return str(path)

    def spawn(self, argv, core, log, environment=None, out=None):
        """A child inherits our processor set, so that nothing runs between it and exec."""
        all_cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {self.cores[core % len(self.cores)]})
        try:
            return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out or log,
                                    stderr=log, env={**os.environ, **(environment or {})})
        finally:
            os.sched_setaffinity(0, all_cores)

    @contextlib.contextmanager
    def pinned(self, core):
        """For what is measured from here: we stay on this processor."""
        all_cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {self.cores[core % len(self.cores)]})
        try:
            yield
        finally:
            os.sched_setaffinity(0, all_cores)

    @contextlib.contextmanager
    def running(self, name, own=None, environment=None, form="live"):
        """A server for one measurement, in a directory of its own unless one is given."""
        side, port, kept = SIDES[name], free_port(), own is not None
        own = own or pathlib.Path(tempfile.mkdtemp(dir=self.everything))
        argv = side.argv(self, own, port, form)
        with open(own / "log", "w+") as log:
            start = time.monotonic()
            process = self.spawn(argv, 0, log, environment)
            try:
                wait_until_serving(process, port, name, own / "log")
                took = (time.monotonic() - start) * 1000
                yield Server(process, port, side, own / "data", took)
            finally:
                stop(process)
        if not kept:
            shutil.rmtree(own, ignore_errors=True)

    @contextlib.contextmanager
    def upstream(self, rate):
        """A back end that streams tokens to whoever asks; its port."""
        process = self.spawn([self.program("bench-upstream"), "--rate", str(rate)], 1, None,
                             out=subprocess.PIPE)
        try:
            yield int(process.stdout.readline())
        finally:
            stop(process)
            process.stdout.close()

    def load(self, server, mode, **options):
        """Run the load client; answers the JSON it prints."""
        argv = [self.program("bench-load"), mode, "--port", str(server.port),
                "--pid", str(server.pid)]
        options = {name.replace("_", "-"): value for name, value in options.items()}
        argv += ["--as", server.side.protocol, "--secure", str(int(server.side.secure))]
        if server.side.protocol == "gateway":
            options.setdefault("token", server.token())
        for name, value in options.items():
            argv += [f"--{name}", str(value)]
        return self.json_of(argv, 1)

    def json_of(self, argv, core):
        with tempfile.TemporaryFile("w+", dir=self.everything) as out:
            process = self.spawn(argv, core, out)
            try:
                code = process.wait(LOAD_S)
            except subprocess.TimeoutExpired:
                raise Failure("it took too long") from None
            finally:
                stop(process)
            out.seek(0)
            text = out.read().strip()
        if code != 0:
            raise Failure(text.splitlines()[-1] if text else f"{argv[0]} exited with {code}")
        return json.loads(text)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_serving(port, name):
    try:
        if name != "ours":
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        client.request("GET", "/healthz")
        return client.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False


def wait_until_serving(process, port, name, log):
    end = time.monotonic() + START_S
    while not is_serving(port, name):
        if process.poll() is not None or time.monotonic() > end:
            words = log.read_text(errors="replace").strip().splitlines()
            raise Failure(f"the server did not start: {words[-1] if words else 'no words'}")
        time.sleep(0.0005)


def stop(process):
    """As an administrator would: ask, wait, then insist."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
