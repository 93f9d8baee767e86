"""What the tests of the web's doors share: asking, and boxes with settings."""

from lib import WS, Box, Refused, request_bytes, temp_dir


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


def limited(**limits):
    return Box(env={f"SIGNALBOX_LIMITS_{k.upper()}": str(v) for k, v in limits.items()})


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
