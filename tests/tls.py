"""A box that speaks TLS, and the certificates for it, made by openssl on the spot."""

import ssl
import subprocess
from pathlib import Path

from lib import Box, temp_dir


def make_cert(directory, name="localhost", days=2):
    """A certificate that vouches for itself, and its key; their paths."""
    cert, key = Path(directory) / f"{name}.pem", Path(directory) / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", str(days), "-subj", f"/CN={name}",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", str(key), "-out", str(cert)],
        check=True, capture_output=True,
    )
    key.chmod(0o600)
    return cert, key


def write_config(box, text):
    path = box.data.with_name("box.yaml")
    path.write_text(text)
    return path


class SecureBox(Box):
    """Its first listener speaks TLS; clients of `unix=False` do, too."""

    def __init__(self, rest="", address="127.0.0.1:0", **how):
        super().__init__(listen=(), **how)
        self.cert, self.key = make_cert(temp_dir())
        self.address, self.rest = address, rest
        self.configure()
        self.args = ["--config", str(self.config), *self.args]

    def configure(self, rest=None):
        self.rest = self.rest if rest is None else rest
        row = f"{{address: '{self.address}', cert: {self.cert}, key: {self.key}}}"
        self.config = write_config(self, f"listen:\n- {row}\n{self.rest}")

    def trust(self):
        context = ssl.create_default_context(cafile=str(self.cert))
        context.check_hostname = True
        return context

    def plain(self):
        return super().connect(unix=False)

    def connect(self, unix=True, receive_buffer=None):
        sock = super().connect(unix, receive_buffer)
        if unix:
            return sock
        return self.trust().wrap_socket(sock, server_hostname="localhost")
