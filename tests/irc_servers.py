"""Real servers of IRC on loopback, unpacked by tools/chat-servers, and a person who uses one.

    with Ngircd() as server, Person(server.port, "ada") as ada:
        ada.say("#room", "hello")
        ada.hears("#room")
"""

import base64
import os
import socket
import subprocess
import time

from lib import PATIENCE_S, ROOT, Skip, closed_port, eventually, temp_dir

SERVERS = ROOT / "build" / "servers"
PASSWORD = "correct-horse"


def unpacked(program):
    """The path of a program of a server, fetched when it is not there yet."""
    done = subprocess.run([ROOT / "tools" / "chat-servers", SERVERS], capture_output=True,
                          text=True, timeout=300)
    if done.returncode != 0:
        raise Skip(f"the servers cannot be had: {done.stderr.strip()}")
    return SERVERS / "usr" / program


def libraries():
    found = sorted({str(p.parent) for p in (SERVERS / "usr" / "lib").glob("**/*.so*")})
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(found)}


def is_there(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Server:
    """Processes that end with the block."""

    def __init__(self):
        self.place = temp_dir()
        self.running = []

    def start(self, *words, port=None):
        out = open(self.place / "server.log", "ab")
        self.running.append(subprocess.Popen(
            [str(w) for w in words], stdout=out, stderr=out, cwd=self.place, env=libraries()))
        if port:
            eventually(lambda: is_there(port))

    def kill(self):
        for process in reversed(self.running):
            process.kill()
            process.wait()
        self.running = []

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        self.kill()


class Ngircd(Server):
    def open(self):
        self.port = getattr(self, "port", None) or closed_port()
        path = self.place / "ngircd.conf"
        path.write_text(
            "[Global]\nName = irc.test\nInfo = a test\nAdminInfo1 = nobody\n"
            f"Listen = 127.0.0.1\nPorts = {self.port}\nServerUID = {os.getuid()}\n"
            f"ServerGID = {os.getgid()}\nMotdPhrase = hello\n"
            "[Limits]\nMaxConnectionsIP = 0\nMaxJoins = 50\n"
            "[Options]\nDNS = no\nIdent = no\nPAM = no\n")
        self.start(unpacked("sbin/ngircd"), "-n", "-f", path, port=self.port)


INSPIRCD = """
<config format="xml">
<path configdir="{place}" datadir="{place}" logdir="{place}" moduledir="{modules}" runtimedir="{place}">
<server name="irc.test" description="a test" network="Test" id="001">
<admin name="nobody" nick="nobody" email="nobody@irc.test">
<bind address="127.0.0.1" port="{port}" type="clients">
<bind address="127.0.0.1" port="{secure}" type="clients" sslprofile="Clients">
<bind address="127.0.0.1" port="{services}" type="servers">
<sslprofile name="Clients" provider="gnutls" certfile="{place}/cert.pem" keyfile="{place}/key.pem" hash="sha256">
<connect name="all" allow="*" timeout="30" commandrate="100000" fakelag="no" localmax="1000"
 globalmax="1000" resolvehostnames="no">
<performance nouserdns="yes">
<pid file="{place}/inspircd.pid">
<log method="file" type="* -USERINPUT -USEROUTPUT" level="default" target="{place}/inspircd.log">
<module name="cap"><module name="ircv3"><module name="ircv3_accounttag">
<module name="ircv3_msgid"><module name="ircv3_ctctags"><module name="botmode"><module name="sasl"><module name="services_account">
<module name="spanningtree"><module name="ssl_gnutls"><module name="hidechans">
<module name="chghost"><module name="svshold"><module name="topiclock"><module name="md5">
<module name="sha256">
<sasl target="services.test" requiressl="no">
<link name="services.test" ipaddr="127.0.0.1" port="{services}" allowmask="127.0.0.1"
 sendpass="{password}" recvpass="{password}" timeout="60">
<uline server="services.test" silent="yes">
<files motd="{place}/motd.txt">
<options prefixquit="" hostintopic="yes" nosnoticestack="yes">
"""

ATHEME_MODULES = ["transport/rfc1459", "protocol/base36uid", "protocol/inspircd",
                  "backend/corestorage",
                  "backend/opensex", "crypto/posix", "nickserv/main", "nickserv/register",
                  "nickserv/identify", "saslserv/main", "saslserv/plain"]

ATHEME = """
{modules}
serverinfo {{ name = "services.test"; desc = "services"; numeric = "00A"; recontime = 1;
 netname = "Test"; hidehostsuffix = "x"; adminname = "nobody"; adminemail = "nobody@irc.test";
 registeremail = "nobody@irc.test"; mta = "/bin/false"; maxusers = 0; casemapping = ascii; }};
uplink "irc.test" {{ host = "127.0.0.1"; send_password = "{password}";
 receive_password = "{password}"; port = {port}; }};
nickserv {{ nick = "NickServ"; user = "NickServ"; host = "services.test"; real = "n"; maxnicks = 5; }};
saslserv {{ nick = "SaslServ"; user = "SaslServ"; host = "services.test"; real = "s"; }};
general {{ permissive_mode; }};
"""


class Inspircd(Server):
    """With services: people have accounts, and TLS at the port `secure`."""

    def open(self):
        fresh = not hasattr(self, "port")
        if fresh:
            self.port, self.secure, self.services = closed_port(), closed_port(), closed_port()
        program = unpacked("sbin/inspircd")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-days", "2", "-keyout", "key.pem", "-out", "cert.pem"],
            cwd=self.place, check=True, capture_output=True)
        (self.place / "motd.txt").write_text("hello\n")
        (self.place / "inspircd.conf").write_text(INSPIRCD.format(
            place=self.place, modules=unpacked("lib/inspircd/modules"), port=self.port,
            secure=self.secure, services=self.services, password=PASSWORD))
        self.start(program, "--runasroot", "--nofork", "--config",
                   self.place / "inspircd.conf", port=self.secure)
        self.open_services()

    def open_services(self):
        modules = next((SERVERS / "usr" / "lib").glob("*/atheme/modules"))
        (self.place / "atheme.conf").write_text(ATHEME.format(
            modules="\n".join(f'loadmodule "{modules}/{m}";' for m in ATHEME_MODULES),
            password=PASSWORD, port=self.services))
        self.start(unpacked("bin/atheme-services"), "-n", "-c", self.place / "atheme.conf",
                   "-D", self.place, "-l", self.place / "atheme.log",
                   "-p", self.place / "atheme.pid")

    def register(self, name):
        """An account, of somebody who leaves again."""
        with Person(self.port, name) as person:
            def try_it():
                person.say("NickServ", f"REGISTER {PASSWORD} {name}@irc.test")
                end = time.monotonic() + 2
                while time.monotonic() < end:
                    for line in person.read(0.2):
                        if "is now registered" in line or "already registered" in line:
                            return True
                return False
            eventually(try_it, every=0.5)


class Person:
    """A client that shows what somebody would see."""

    def __init__(self, port, nick, account=None):
        self.nick = nick
        self.wire = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self.rest = b""
        self.seen = []  # (from, to, text)
        if account:
            self.send("CAP LS 302")
        self.send(f"NICK {nick}")
        self.send(f"USER {nick} 0 * :{nick}")
        if account:
            self.log_in(account)
        self.wait_for(" 001 ")

    def log_in(self, account):
        self.wait_for("CAP")
        self.send("CAP REQ :sasl")
        self.wait_for("ACK")
        self.send("AUTHENTICATE PLAIN")
        self.wait_for("AUTHENTICATE")
        secret = base64.b64encode(f"\0{account}\0{PASSWORD}".encode()).decode()
        self.send(f"AUTHENTICATE {secret}")
        self.wait_for(" 903 ")
        self.send("CAP END")

    def send(self, line):
        self.wire.sendall(line.encode() + b"\r\n")

    def say(self, target, text):
        self.send(f"PRIVMSG {target} :{text}")

    def join(self, room):
        self.send(f"JOIN {room}")
        self.wait_for(" 366 ")

    def read(self, within):
        self.wire.settimeout(within)
        try:
            got = self.wire.recv(65536)
        except TimeoutError:
            return []
        assert got, "the server closed the connection"
        *lines, self.rest = (self.rest + got).split(b"\r\n")
        lines = [line.decode() for line in lines]
        for line in lines:
            if line.startswith("PING"):
                self.send("PONG" + line[4:])
            words = line.split(" ", 3)
            if len(words) == 4 and words[1] == "PRIVMSG":
                self.seen.append((words[0][1:].split("!")[0], words[2], words[3][1:]))
        return lines

    def wait_for(self, part):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for line in self.read(1):
                if part in line:
                    return line
        raise AssertionError(f"{self.nick} waits in vain for {part!r}")

    def hears(self, count):
        """The first so many messages; they are forgotten then."""
        end = time.monotonic() + PATIENCE_S
        while len(self.seen) < count:
            assert time.monotonic() < end, f"only {self.seen}"
            self.read(1)
        got, self.seen = self.seen[:count], self.seen[count:]
        return got

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wire.close()
