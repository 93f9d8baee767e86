"""The servers under measurement, one class each: how to start it, what it speaks.

A side is found by its name: `ours` and `bare`, the same over TLS, and the peers that happen
to be installed. A server that can keep what it is given is started as the row wants it:
`form` is "live" (keep nothing), "log" (keep it, acknowledge when it likes) or "durable".
Ours keeps everything anyway; its form "file" is one whose configuration is in a file, "relay"
one in front of the gateway that a source called `upstream` is, and "more" one that adds what `more.yaml`
says."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NCHAN = pathlib.Path("/usr/lib/nginx/modules/ngx_nchan_module.so")


class Side:
    protocol = "native"
    secure = False

    def argv(self, bench, own, port, form):
        raise NotImplementedError


def configuration(bench, port, secure=False, ping=20):
    """Two listeners, of which one has a certificate: where clients connect, and another."""
    cert, key = bench.certificate()
    at = (0, port) if secure else (port, 0)
    return (f"listen: ['127.0.0.1:{at[0]}', "
            f"{{address: '127.0.0.1:{at[1]}', cert: {cert}, key: {key}}}]\n"
            f"limits: {{ping: {ping}s}}\n")


class Ours(Side):
    def __init__(self, secure=False):
        self.secure = secure

    def argv(self, bench, own, port, form):
        argv = [str(bench.server), "serve", "--data", str(own / "data")]
        if not self.secure and form not in ("file", "relay", "more"):
            return [*argv, "--listen", f"127.0.0.1:{port}"]
        config = own / "box.yaml"
        config.write_text(configuration(bench, port, secure=self.secure)
                          + ("gateway: {relay: upstream}\n" if form == "relay" else "")
                          + ((own / "more.yaml").read_text() if form == "more" else ""))
        return [*argv, "--config", str(config)]


class Screens(Ours):
    """The same box, to clients of the run dialect."""
    protocol = "run"


class Signals(Ours):
    """The same box, to clients that take envelopes and nothing else."""
    protocol = "signals"


class Gateway(Ours):
    """The same box, to clients of OpenClaw, which show a token."""
    protocol = "gateway"


class Bare(Side):
    protocol = "bare"

    def __init__(self, secure=False):
        self.secure = secure

    def argv(self, bench, own, port, form):
        argv = [bench.program("bench-bare"), "--listen", str(port)]
        if self.secure:
            cert, key = bench.certificate()
            argv += ["--cert", str(cert), "--key", str(key)]
        return argv


class Nats(Side):
    protocol = "nats"
    found = shutil.which("nats-server")

    def argv(self, bench, own, port, form):
        argv = [self.found, "-a", "127.0.0.1", "-p", str(port)]
        return argv if form == "live" else [*argv, "-js", "-sd", str(own)]


class Redis(Side):
    protocol = "redis"
    found = shutil.which("redis-server")

    def argv(self, bench, own, port, form):
        sync = {"live": [], "log": ["--appendfsync", "everysec"],
                "durable": ["--appendfsync", "always"]}[form]
        return [self.found, "--bind", "127.0.0.1", "--port", str(port), "--dir", str(own),
                "--save", "", "--appendonly", "yes" if sync else "no", *sync,
                "--auto-aof-rewrite-percentage", "0"]


class Nchan(Side):
    """One process, as the others are; it keeps enough messages for the largest window."""
    protocol = "nchan"
    found = shutil.which("nginx") if NCHAN.exists() else None

    def argv(self, bench, own, port, form):
        config = own / "nginx.conf"
        config.write_text(f"""
            load_module {NCHAN}; daemon off; master_process off; pid {own}/pid;
            worker_rlimit_nofile 65536; error_log stderr crit;
            events {{ worker_connections 20000; }}
            http {{
                access_log off; keepalive_requests 1000000000;
                client_body_temp_path {own}/1; proxy_temp_path {own}/2;
                fastcgi_temp_path {own}/3; uwsgi_temp_path {own}/4; scgi_temp_path {own}/5;
                nchan_message_buffer_length 4096; nchan_shared_memory_size 256m;
                server {{
                    listen 127.0.0.1:{port};
                    location ~ /sub/(\\w+) {{ nchan_subscriber websocket;
                        nchan_channel_id $1; nchan_subscriber_first_message newest; }}
                    location ~ /pub/(\\w+) {{ nchan_publisher; nchan_channel_id $1; }}
                }}
            }}""")
        return [self.found, "-c", str(config), "-p", str(own), "-e", "stderr"]


class Uws(Side):
    """uWebSockets, with the paths of the bare server; tools/peers-lab fetches it."""
    protocol = "bare"
    lab = pathlib.Path(os.environ.get("LAB") or ROOT / "build" / "lab").resolve() / "uws"
    found = next(lab.glob("node_modules/node-linux-*/bin/node"), None)

    def argv(self, bench, own, port, form):
        return [str(self.found), str(ROOT / "bench" / "uws.mjs"), str(self.lab), str(port)]


SIDES = {"ours": Ours(), "signals": Ours(), "screens": Screens(), "undisturbed": Ours(), "bare": Bare(),
         "/ws/signals": Signals(), "gateway": Gateway(),
         "ours-tls": Ours(secure=True), "bare-tls": Bare(secure=True)}
PEERS = {"nats-server": Nats(), "redis-server": Redis(), "nginx+nchan": Nchan(), "uWebSockets": Uws()}
SIDES.update({name: side for name, side in PEERS.items() if side.found})
MISSING = [name for name, side in PEERS.items() if not side.found]
FESTIVAL_VOICES = pathlib.Path("/usr/share/festival/voices")
# What rows want that Debian or `make voice` has: whether it is here, beside the programs of a build.
WANTED = {
    "flite": lambda build: shutil.which("flite"),
    "festival with cmu_us_slt_arctic_hts": lambda build: shutil.which("festival") and any(
        FESTIVAL_VOICES.glob("*/cmu_us_slt_arctic_hts")),
    "the speech kit of `make voice`": lambda build: (build / "voice" / "fetched").exists(),
}


def lacking(build):
    return [name for name, is_here in WANTED.items() if not is_here(build)]


def make_certificate(directory):
    """One that vouches for itself, and its key."""
    cert, key = directory / "cert.pem", directory / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    key.chmod(0o600)
    return cert, key
