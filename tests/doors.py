"""What the tests of the web's doors share: asking, and boxes with settings."""

import os
import signal
from pathlib import Path

from lib import WS, Box, Refused, Skip, eventually, request_bytes, temp_dir


def upgrade(box, path, headers=None, unix=False):
    """The status that an upgrade is answered with."""
    try:
        with WS(box, path, headers, unix=unix) as ws:
            return ws.response.status
    except Refused as refused:
        return refused.response.status


def status(box, path, headers=None, method="GET", body=None):
    """The status of a request; of a stream too, which has no end."""
    http = box.http(unix=False)
    try:
        http.send(request_bytes(method, path, body, {**box.host_header(), **(headers or {})}))
        return http.head()[0]
    finally:
        http.close()


def config_box(text, files=None, **how):
    """A box with a configuration file, and files of mode 0600 beside it."""
    top = temp_dir()
    for name, words in (files or {}).items():
        (top / name).touch(0o600)
        (top / name).write_text(words)
    (top / "signalbox.yaml").write_text(text.replace("TOP", str(top)))
    return Box(args=["--config", str(top / "signalbox.yaml")], **how)


def config_of(box):
    return Path(box.args[box.args.index("--config") + 1])


def reload(box, words):
    """Another configuration, once the box says that it has it."""
    done = box.log().count("the configuration was read again")
    config_of(box).write_text(words.replace("TOP", str(config_of(box).parent)))
    os.kill(box.pid, signal.SIGHUP)
    eventually(lambda: box.log().count("the configuration was read again") > done)


def limited(**limits):
    return Box(env={f"SIGNALBOX_LIMITS_{k.upper()}": str(v) for k, v in limits.items()})


def metric(box, name):
    text = box.request("GET", "/metrics").text
    return float(next(l for l in text.splitlines() if l.startswith(name + " ")).split()[1])


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def as_other_user(work):
    """Runs work() in a child of another user; the integer it returned."""
    if os.geteuid() != 0:
        raise Skip("only root can be somebody else")
    child = os.fork()
    if child == 0:
        code = 255
        try:
            os.setgroups([])
            os.setgid(54321)
            os.setuid(54321)
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def session_of(box):
    """What a page gets for its code: both halves of a session."""
    code = box.request("POST", "/api/code").json()["code"]
    answer = box.request("POST", "/api/session", {"code": code}, unix=False)
    assert answer.status == 200, answer
    return answer.json()
