"""Boxes with paired devices."""

import os
import signal
import socket
import ssl

from doors import bearer
from lib import Box, Closed, cli, eventually
from tls import write_config

CONFIG = "phone: {listen: '127.0.0.1:0'}\n"


class PhoneBox(Box):
    """A box that is asked at the listener of devices, by whoever trusts its certificate."""

    def __init__(self, config=CONFIG, **how):
        super().__init__(**how)
        self.config = write_config(self, config)
        self.args = ["--config", str(self.config), *self.args]
        self.here = "127.0.0.1"

    def pair(self, **wish):
        answer = self.request("POST", "/api/devices", wish)
        assert answer.status == 200, answer
        self.find_phone()
        return answer.json()

    def find_phone(self):
        """What was opened for devices is the last of all."""
        last = (self.data / "listen").read_text().split()[-1]
        self.port = int(last.rpartition(":")[2])
        pem = self.request("GET", "/api/certificate")
        assert pem.status == 200, pem
        self.voucher = pem.text

    def connect(self, unix=True, receive_buffer=None):
        if unix:
            return super().connect(unix, receive_buffer)
        context = ssl.create_default_context(cadata=self.voucher)
        return context.wrap_socket(socket.create_connection((self.here, self.port)),
                                   server_hostname="localhost")

    def secret(self, **wish):
        """Of a new device."""
        answer = self.trade(self.pair(**wish)["code"])
        assert answer.status == 200, answer
        return answer.json()["device"]

    def trade(self, code, unix=False):
        return self.request("POST", "/api/session", {"code": code}, unix=unix)

    def is_let_in(self, secret, path="/api/status"):
        return self.request("GET", path, headers=bearer(secret), unix=False).status == 200

    def devices(self):
        return self.request("GET", "/api/devices").json()["devices"]

    def revoke(self, name, secret):
        """The device asks once more, and is told."""
        done = cli("devices", "revoke", name, "--data", self.data)
        assert done.code == 0, done
        answer = self.request("GET", "/api/status", headers=bearer(secret), unix=False)
        assert answer.status == 401 and answer.json()["code"] == "revoked", answer
        assert "revoked" in answer.json()["error"] and "pair" in answer.json()["error"], answer

    def closes(self):
        eventually(lambda: not self.is_open())
        return True

    def is_open(self):
        return sum(not a.startswith("unix:") for a in (self.data / "listen").read_text().split()) > 1


def reload_with(box, config):
    before = box.log().count("was read again")
    write_config(box, config)
    os.kill(box.pid, signal.SIGHUP)
    eventually(lambda: box.log().count("was read again") > before)


def is_ended(ws):
    """Whether the box has let go of a socket that was open."""
    try:
        ws.wire.sock.settimeout(0.2)
        while ws.recv() is not None:
            pass
    except (Closed, ConnectionError, ssl.SSLError):
        return True
    except TimeoutError:
        return False
    return True
