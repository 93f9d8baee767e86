#!/usr/bin/env python3
# long
"""The clients: one conformance script for both, and the Python one against a real box."""

import os
import subprocess
import sys
import threading

from lib import PATIENCE_S, ROOT, Box, comment, eventually, run, test
from tls import SecureBox

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "clients" / "python"))
from signalbox import Refusal, Signalbox  # noqa: E402

CONFORMANCE = ROOT / "clients" / "conformance" / "run.py"


def conforms(*adapter):
    done = subprocess.run([sys.executable, CONFORMANCE, "--patience", str(PATIENCE_S * 3), *adapter],
                          capture_output=True, text=True, timeout=280,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    for line in done.stdout.splitlines() + done.stderr.splitlines():
        comment(line)
    assert done.returncode == 0, "see above"
    assert done.stdout.count("\nok ") >= 13, done.stdout


@test("the client in Python keeps every promise of the conformance script")
def _():
    conforms(sys.executable, ROOT / "clients" / "python" / "adapter.py")


@test("the client in JavaScript keeps every promise of the conformance script")
def _():
    conforms(os.environ.get("NODE", "node"), ROOT / "clients" / "js" / "adapter.mjs")


@test("a client that breaks a promise is found out")
def _():
    deaf = "import sys\nfor line in sys.stdin: pass\n"
    done = subprocess.run([sys.executable, CONFORMANCE, "--only", "01-", "--patience", "1",
                           sys.executable, "-c", deaf], capture_output=True, text=True)
    assert done.returncode == 1 and "not ok 1" in done.stdout, done
    for words in (["--only", "nosuch", "true"], ["/nonexistent/adapter"]):
        done = subprocess.run([sys.executable, CONFORMANCE, *words], capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.count("\n") < 4 and done.stdout == "", done


@test("a client in Python that cannot keep up knows where the box is, and skips to the newest")
def _():
    with Box() as box:
        for _ in range(20):
            newest = box.emit("x")["seq"]
        heard, gaps = [], []
        # Of what is filtered out it hears nothing, so it stays where it began.
        with Signalbox(f"unix:{box.sock}", after=1, types=["y"]) as ear:
            ear.on("gap", gaps.append)
            ear.on("signal", lambda news: heard.append(news["envelope"]["seq"]))
            eventually(lambda: ear.state == "live")
            assert ear.ping() == newest
            assert abs(ear.skew_s) < PATIENCE_S
            eventually(lambda: ear.skip(newest - 2) or gaps)
            assert gaps == [{"from": 2, "to": newest - 2, "why": "skipped"}], gaps
            assert ear.place.seq == newest - 2, ear.place
            box.emit("y")
            eventually(lambda: heard)
            assert heard == [newest + 1] and len(gaps) == 1, (heard, gaps)


@test("a box that is killed ten times: no signal twice, none left out, every emit stored once")
def _():
    box = Box().start()
    box.listen = [f"127.0.0.1:{box.port}"]
    heard, gaps = [], []
    url = f"http://127.0.0.1:{box.port}"
    with Signalbox(url, token=box.token, after=0) as ear, Signalbox(f"unix:{box.sock}") as mouth:
        ear.on("signal", lambda news: heard.append(news["envelope"]["payload"]["n"]))
        ear.on("gap", gaps.append)
        stop = threading.Event()

        def speak(first):
            n = first
            while not stop.is_set():
                mouth.emit({"type": "n", "payload": {"n": n}})
                done.append(n)
                n += 4

        done = []
        threads = [threading.Thread(target=speak, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(10):
            count = len(done)
            eventually(lambda: len(done) > count + 20, PATIENCE_S * 3)
            box.kill9()
            box.start()
            mouth.retry_now()
            ear.retry_now()
        stop.set()
        for thread in threads:
            thread.join(PATIENCE_S * 3)
        stored = [s["payload"]["n"] for s in box.history()]
        assert sorted(stored) == sorted(set(stored)) == sorted(done), "stored once, all of them"

        def is_whole():
            """What a kill took away before it was on the disk was heard, and is told as lost."""
            lost = sum(gap["to"] - gap["from"] + 1 for gap in gaps if gap["why"] == "lost")
            return heard[-1] == stored[-1] and len(heard) == len(stored) + lost

        eventually(is_whole, PATIENCE_S * 3)
    box.stop()


@test("it speaks TLS, and trusts nobody by itself")
def _():
    with SecureBox() as box:
        url = f"https://localhost:{box.port}"
        with Signalbox(url, token=box.token, context=box.trust(), after=0) as good:
            signals = good.signals()
            assert good.emit({"type": "x"})["seq"] == 1
            assert next(signals)["type"] == "x"
            assert good.request("GET", "/api/status")["seq"] == 1
        states = []
        bad = Signalbox(url, token=box.token)
        bad.on("state", lambda state: states.append(state["name"]))
        with bad:
            eventually(lambda: "lost" in states)
        assert "live" not in states


@test("who answers what it hears gets its answers, however much there is to hear")
def _():
    with Box() as box:
        lines = "".join(f'{{"type":"n","payload":{{"n":{n}}}}}\n' for n in range(25000))
        assert box.request("POST", "/api/signal", lines,
                           {"Content-Type": "application/x-ndjson"}).status == 200
        with Signalbox(f"unix:{box.sock}", after=0, types=["n"]) as client:
            signals = client.signals()
            for n in range(25000):
                assert next(signals)["payload"]["n"] == n
                if n % 1000 == 0:
                    client.emit({"type": "reply"}, timeout=PATIENCE_S)


@test("what comes after a place waits for whoever hears it first")
def _():
    with Box() as box:
        for n in range(3):
            box.emit("n", payload={"n": n})
        for hears in ("signals", "on"):
            with Signalbox(f"unix:{box.sock}", after=0, types=["n"]) as client:
                client.emit({"type": "x"})  # so it is connected
                heard = []
                if hears == "on":
                    client.on("signal", lambda news: heard.append(news["envelope"]))
                    eventually(lambda: len(heard) == 3)
                else:
                    signals = client.signals()
                    heard = [next(signals) for _ in range(3)]
                assert [signal["payload"]["n"] for signal in heard] == [0, 1, 2], heard


@test("a slow reader loses nothing, and a wrong token says so")
def _():
    with Box() as box:
        url = f"http://127.0.0.1:{box.port}"
        with Signalbox(url, token=box.token) as slow:
            signals = slow.signals()
            eventually(lambda: slow.state == "live")
            lines = "".join(f'{{"type":"n","payload":{{"n":{n}}}}}\n' for n in range(25000))
            answer = box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
            assert answer.status == 200, answer
            assert [next(signals)["payload"]["n"] for _ in range(25000)] == list(range(25000))
        states = []
        wrong = Signalbox(url, token="0" * 64)
        wrong.on("state", lambda state: states.append(state["name"]))
        with wrong:
            eventually(lambda: "signed-out" in states)
            try:
                wrong.request("GET", "/api/status")
                raise AssertionError("it was let in")
            except Refusal as why:
                assert why.status == 401, why.status


run()
