#!/usr/bin/env python3
"""TLS listeners: who may listen where, and everything that works without TLS works with it."""

import json
import os
import re
import signal
import ssl
import subprocess
import threading
import warnings
from pathlib import Path

from lib import PING, PONG, TEXT, Box, Events, PATIENCE_S, WS, cli, eventually, run, temp_dir, test
from tls import SecureBox, make_cert, write_config


def serve_once(text, data=None):
    """`serve` with this configuration, which is to end by itself."""
    box = Box(listen=(), data=data)
    return cli("serve", "--data", box.data, "--config", write_config(box, text))


@test("an address that others reach needs a certificate, a key and a token: else 78")
def _():
    cert, key = make_cert(temp_dir())
    for row in ("'0.0.0.0:0'", "{address: '0.0.0.0:0'}", "{address: '[::]:0', dialect: signals}"):
        done = serve_once(f"listen: [{row}]\n")
        assert done.code == 78 and "needs TLS" in done.err, (row, done)
    for half in (f"cert: {cert}", f"key: {key}"):
        done = serve_once(f"listen: [{{address: '0.0.0.0:0', {half}}}]\n")
        assert done.code == 78 and "and no" in done.err, done
    done = serve_once(f"listen: [{{address: '0.0.0.0:0', cert: {cert}, key: {key}}}]\n")
    assert done.code == 78 and "needs a token" in done.err, done


@test("with all three it listens everywhere, and nobody gets in without the token")
def _():
    box = SecureBox("auth: {local: none}\n", address="0.0.0.0:0")
    assert cli("token", "rotate", "--data", box.data).code == 0
    with box:
        host = {"Host": f"localhost:{box.port}"}
        assert box.request("GET", "/api/status", headers=host, unix=False).status == 401
        good = box.request("GET", "/api/status", headers={**host, **box.bearer()}, unix=False)
        assert good.status == 200, good
        wild = {"Host": f"0.0.0.0:{box.port}", **box.bearer()}
        assert box.request("GET", "/api/status", headers=wild, unix=False).status == 421
        assert cli("open", "--data", box.data, "--print").out.startswith("https://localhost:")
        there = ["--url", f"https://localhost:{box.port}", "--token-file", box.data / "token"]
        done = cli("status", *there)
        assert done.code == 1 and "is not trusted; SSL_CERT_FILE" in done.err, done
        done = cli("status", *there, env={"SSL_CERT_FILE": str(box.cert)})
        assert done.code == 0 and done.out.startswith("signalbox "), done


@test("what is wrong with a certificate or a key is a fault of the configuration: 78, and its file")
def _():
    where = temp_dir()
    cert, key = make_cert(where)
    _, other = make_cert(where, "other")
    junk = where / "junk.pem"
    junk.write_text("not a certificate\n")
    loose = where / "loose.key"
    loose.write_bytes(key.read_bytes())
    loose.chmod(0o644)
    locked = where / "locked.key"
    subprocess.run(["openssl", "pkey", "-in", key, "-aes256", "-passout", "pass:x", "-out", locked],
                   check=True, capture_output=True)
    locked.chmod(0o600)
    pipe = where / "pipe"
    os.mkfifo(pipe, 0o600)
    for c, k, words in ((where / "none", key, "none: No such file"), (junk, key, "junk.pem"),
                        (cert, junk, "junk.pem"), (cert, other, "other.key"),
                        (cert, loose, "chmod o="), (cert, locked, "locked.key needs a passphrase"),
                        (pipe, key, "pipe is not a file"), (cert, where, "is not a file")):
        text = f"listen: [{{address: '127.0.0.1:0', cert: {c}, key: {k}}}]\n"
        done = serve_once(text)
        assert done.code == 78 and words in done.err and "127.0.0.1:0" in done.err, (c, k, done)
        box = Box(listen=())
        checked = cli("check", write_config(box, text), "--data", box.data)
        assert (checked.code, checked.err) == (78, done.err), (checked, done)


@test("HTTP, history, SSE and WebSocket work over TLS, and our origin is https there")
def _():
    with SecureBox() as box:
        head = {**box.host_header(), **box.bearer()}
        answer = box.request("POST", "/api/signal", {"type": "one"}, head, unix=False)
        assert answer.status == 200 and answer.json()["seq"] == 1, answer
        got = box.request("GET", "/api/signals?after=0", headers=head, unix=False).json()
        assert [s["type"] for s in got["signals"]] == ["one"], got
        for origin, status in ((f"https://127.0.0.1:{box.port}", 200),
                               (f"http://127.0.0.1:{box.port}", 403)):
            answer = box.request("GET", "/api/status", headers={**head, "Origin": origin}, unix=False)
            assert answer.status == status, (origin, answer)
        with WS(box, headers=box.bearer()) as ws, \
                Events(box, "/api/stream?after=0", headers=head, unix=False) as events:
            assert ws.json()["op"] == "hello"
            ws.send({"op": "subscribe", "after": 0})
            assert ws.json()["type"] == "one"
            ws.send({"op": "emit", "ref": 1, "signal": {"type": "two"}})
            assert {json.dumps(ws.json()) for _ in range(2)} and events.next() and events.next()


@test("plain bytes, an old TLS and a half handshake get nothing and hold nobody up")
def _():
    with SecureBox() as box:
        plain = box.plain()
        plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        got = b""
        try:
            while (piece := plain.recv(4096)):
                got += piece
        except ConnectionResetError:
            pass
        assert b"HTTP" not in got, got
        halves = [box.plain() for _ in range(50)]
        for half in halves:
            half.sendall(b"\x16\x03\x01\x02\x00")
        assert box.request("GET", "/healthz", headers=box.host_header(), unix=False).status == 200
        old = box.trust()
        warnings.simplefilter("ignore", DeprecationWarning)
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        try:
            old.wrap_socket(box.plain(), server_hostname="localhost")
            raise AssertionError("TLS 1.1 was taken")
        except (ssl.SSLError, ConnectionError):
            pass
        for half in halves:
            half.close()


@test("TLS 1.2 is spoken with ciphers that prove what they decipher, and never with CBC")
def _():
    with SecureBox() as box:
        def speaks(ciphers):
            trust = box.trust()
            trust.maximum_version = ssl.TLSVersion.TLSv1_2
            trust.set_ciphers(ciphers)
            try:
                with trust.wrap_socket(box.plain(), server_hostname="localhost") as sock:
                    return sock.cipher()[0]
            except (ssl.SSLError, ConnectionError):
                return None

        for ciphers in ("ECDHE+AESCCM:RSA+AESGCM", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384",
                        "ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA:AES128-SHA:AES256-SHA256"):
            assert speaks(f"{ciphers}:@SECLEVEL=0") is None, ciphers
        assert re.search("GCM|CHACHA20", speaks("ALL:@SECLEVEL=0"))
        assert "GCM" in speaks("ECDHE+AESGCM")


@test("100 TLS clients hear 1,000 signals each, without a hole; one that does not read holds nobody up")
def _():
    with SecureBox() as box:
        clients = [WS(box, "/ws/signals", headers=box.bearer()) for _ in range(100)]
        deaf = WS(box, "/ws/signals", headers=box.bearer())
        lines = "".join(json.dumps({"type": "n", "payload": {"n": n, "pad": "x" * 200}}) + "\n"
                        for n in range(1000))
        faults = []

        def listen(ws):
            for n in range(1000):
                if ws.json()["payload"]["n"] != n:
                    faults.append(n)
                    return

        threads = [threading.Thread(target=listen, args=(ws,)) for ws in clients]
        for thread in threads:
            thread.start()
        answer = box.request("POST", "/api/signal", lines,
                             {"Content-Type": "application/x-ndjson"})
        assert answer.status == 200, answer
        for thread in threads:
            thread.join(PATIENCE_S * 6)
            assert not thread.is_alive(), "a client waits for ever"
        assert not faults, faults[:5]
        listen(deaf)
        assert not faults, "it read from the journal what it had missed"


def slow_client(box, policy):
    """One that hears 2 KiB at a time, and has asked for signals."""
    ws = WS(box, headers=box.bearer(), receive_buffer=2048)
    assert ws.json()["op"] == "hello"
    ws.send({"op": "subscribe", "slow": policy})
    ws.send_frame(PING, b"ready")
    assert ws.recv_frame().payload == b"ready"
    return ws


def hear(ws, last):
    """What comes until signal number `last`: seqs, with what a gap or a joining stands for."""
    seqs, pongs = [], 0
    while not seqs or seqs[-1] < last:
        frame = ws.recv_frame()
        pongs += frame.opcode == PONG
        if frame.opcode != TEXT:
            assert frame.opcode in (PING, PONG), frame
            continue
        said = json.loads(frame.payload)
        if said.get("op") == "gap":
            seqs += range(said["from"], said["to"] + 1)
            continue
        joined = said.get("metadata", {}).get("coalesced", {"from": said["seq"]})
        seqs += range(joined["from"], said["seq"] + 1)
    return seqs, pongs


@test("a TLS client that is stuck in a record goes on behind it, by each policy, pongs between")
def _():
    line = json.dumps({"type": "text_delta", "source": "p", "correlationId": "c",
                       "payload": {"agentId": "a", "content": "x" * 2000}}) + "\n"
    with SecureBox() as box:
        slow = [slow_client(box, policy) for policy in ("resume", "drop", "coalesce")]
        for n in range(4):
            answer = box.request("POST", "/api/signal", line * 2000,
                                 {"Content-Type": "application/x-ndjson"})
            assert answer.json()["accepted"] == 2000, answer
            for ws in slow:
                ws.send_frame(PING, b"%d" % n)
        behind = lambda: box.request("GET", "/api/status").json()["hub"]["fellBehind"]
        eventually(lambda: behind() >= len(slow))
        for ws in slow:
            seqs, pongs = hear(ws, 8000)
            assert seqs == list(range(1, 8001)), (len(seqs), seqs[:3])
            while pongs < 4:
                pongs += ws.recv_frame().opcode == PONG


def unsent(port):
    """What waits in the kernel for clients of this port that do not read."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(int(row[4].split(":")[0], 16) for row in rows
               if int(row[1].split(":")[1], 16) == port)


@test("a client that asked for small records and stops reading gets every byte when it goes on")
def _():
    with SecureBox() as box:
        line = json.dumps({"type": "n", "payload": {"pad": "x" * 4000}}) + "\n"
        answer = box.request("POST", "/api/signal", line * 3000,
                             {"Content-Type": "application/x-ndjson"})
        assert answer.json()["accepted"] == 3000, answer
        asks = (f"GET /api/signals?after=0&format=ndjson HTTP/1.1\r\nConnection: close\r\n"
                f"Host: 127.0.0.1:{box.port}\r\nAuthorization: Bearer {box.token}\r\n\r\n")
        with subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{box.port}",
                               "-maxfraglen", "512", "-quiet", "-no_ign_eof"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as client:
            client.stdin.write(asks.encode())
            client.stdin.flush()
            eventually(lambda: unsent(box.port) > 100_000)
            got = client.stdout.read()
        assert got.count(b'"seq":') == 3000, (len(got), got.count(b'"seq":'))


@test("a certificate that is replaced is shown from the next SIGHUP on; who is connected stays")
def _():
    with SecureBox() as box:
        def shown():
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            with context.wrap_socket(box.plain()) as sock:
                return sock.getpeercert(binary_form=True)
        ws = WS(box, "/ws/signals", headers=box.bearer())
        before = shown()
        cert, key = make_cert(temp_dir(), "second")
        box.cert.write_bytes(cert.read_bytes())
        box.key.write_bytes(key.read_bytes())
        assert shown() == before, "not before it is told"
        os.kill(box.pid, signal.SIGHUP)
        eventually(lambda: shown() != before)
        box.emit("after")
        assert ws.json()["type"] == "after"
        box.key.write_text("broken")
        os.kill(box.pid, signal.SIGHUP)
        eventually(lambda: "all stays as it was" in box.log())
        assert shown() != before


run()
