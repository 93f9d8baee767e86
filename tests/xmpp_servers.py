"""A real server of XMPP on loopback, unpacked by tools/chat-servers, and a person who uses it.

    with Prosody() as server, Person(server, "ada") as ada:
        ada.say("agent@localhost", "hello")
        eventually(lambda: ada.screen() == ["hello to you"])
"""

import asyncio
import os
import sys
import threading
from xml.etree import ElementTree

from irc_servers import SERVERS, Server, libraries, unpacked
from lib import PATIENCE_S, closed_port, eventually

PASSWORD = "correct-horse"
PACKAGES = SERVERS / "usr" / "lib" / "python3" / "dist-packages"

CONFIG = """
run_as_root = true
daemonize = false
pidfile = "{place}/prosody.pid"
data_path = "{place}/data"
plugin_paths = {{}}
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {port} }}
s2s_ports = {{}}
http_ports = {{ {http} }}
http_interfaces = {{ "127.0.0.1" }}
https_ports = {{}}
modules_enabled = {{ "roster", "saslauth", "disco", "ping", "mam", "carbons", "offline", "smacks" }}
modules_disabled = {{ "s2s", "tls" }}
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
authentication = "internal_plain"
storage = "internal"
archive_expires_after = "never"
default_archive_policy = true
limits = {{}}
log = {{ info = "{place}/prosody.log" }}
VirtualHost "localhost"
Component "rooms.localhost" "muc"
  modules_enabled = {{ "muc_mam" }}
  muc_log_by_default = true
  restrict_room_creation = false
  muc_room_locking = false
  allow_unaffiliated_register = true
  enforce_registered_nickname = true
Component "files.localhost" "http_file_share"
  http_host = "127.0.0.1"
  http_external_url = "http://127.0.0.1:{http}/"
  http_file_share_size_limit = 100000
"""


class Prosody(Server):
    def open(self):
        if not hasattr(self, "port"):
            self.port, self.http = closed_port(), closed_port()
            self.prepare()
        self.start(SERVERS / "usr/bin/lua5.4", self.place / "prosody", "--config",
                   self.place / "prosody.cfg.lua", port=self.port)

    def prepare(self):
        usr = unpacked("")
        program = (usr / "bin/prosody").read_text().split("\n", 1)[1]
        (self.place / "prosody").write_text(
            program.replace("'/usr/lib/prosody", f"'{usr}/lib/prosody")
            .replace("'/etc/prosody'", f"'{self.place}'")
            .replace("'/var/lib/prosody'", f"'{self.place}/data'"))
        (self.place / "prosody.cfg.lua").write_text(
            CONFIG.format(place=self.place, port=self.port, http=self.http))
        accounts = self.place / "data" / "localhost" / "accounts"
        accounts.mkdir(parents=True)
        for name in ("agent", "ada", "eve"):
            (accounts / f"{name}.dat").write_text(f'return {{ ["password"] = "{PASSWORD}"; }};\n')
        share, lib = usr / "share/lua/5.4", next((usr / "lib").glob("*/lua/5.4"))
        os.environ["LUA_PATH_5_4"] = f"{share}/?.lua;{share}/?/init.lua;;"
        os.environ["LUA_CPATH_5_4"] = f"{lib}/?.so;;"
        libraries()


def slixmpp():
    unpacked("")
    if str(PACKAGES) not in sys.path:
        sys.path.append(str(PACKAGES))
    import slixmpp
    return slixmpp


class Person:
    """A client that shows what somebody would see: messages, corrected, and who is typing."""

    def __init__(self, server, name, kind="phone", resource="phone", retracts=True):
        self.server, self.name, self.kind, self.resource = server, name, kind, resource
        self.shown, self.states, self.seen = {}, [], []  # by id; chat states; every stanza
        self.oobs = []  # addresses of files
        self.retracts = retracts  # does this client know retractions (XEP-0424)?
        self.named, self.retracted = {}, []  # ids by what rooms call them; what is gone
        self.loop = asyncio.new_event_loop()
        self.is_there = threading.Event()
        self.thread = threading.Thread(target=self.live, daemon=True)

    def live(self):
        asyncio.set_event_loop(self.loop)
        self.xmpp = slixmpp().ClientXMPP(f"{self.name}@localhost/{self.resource}", PASSWORD)
        for plugin in ("xep_0045", "xep_0085", "xep_0308", "xep_0313"):
            self.xmpp.register_plugin(plugin)
        self.xmpp.register_plugin("xep_0030")
        self.xmpp.plugin["xep_0030"].add_identity(category="client", itype=self.kind)
        self.xmpp.plugin["feature_mechanisms"].unencrypted_plain = True
        self.xmpp.plugin["feature_mechanisms"].unencrypted_scram = True
        self.xmpp.add_event_handler("session_start", self.started)
        for kind in ("message", "groupchat_message", "message_error"):
            self.xmpp.add_event_handler(kind, self.hears)
        for state in ("active", "composing", "paused"):
            self.xmpp.add_event_handler(f"chatstate_{state}", self.sees_state)
        self.xmpp.connect(("127.0.0.1", self.server.port), disable_starttls=True)
        self.loop.run_forever()

    async def started(self, _):
        self.xmpp.send_presence()
        self.is_there.set()

    def sees_state(self, message):
        self.states.append(message["chat_state"])

    def hears(self, message):
        if not message["body"] or message["id"] in [s[0] for s in self.seen + self.retracted]:
            return
        replaced = message.xml.find("{urn:xmpp:message-correct:0}replace")
        for stamp in message.xml.iterfind("{urn:xmpp:sid:0}stanza-id"):
            self.named[stamp.get("id")] = message["id"]
        if self.retracts and self.goes(message):
            return
        self.oobs += [x.text for x in message.xml.iter("{jabber:x:oob}url")]
        self.seen.append((message["id"], message["body"], str(message["from"])))
        if replaced is not None:
            assert replaced.get("id") in self.shown, "a correction of what is not there"
            self.shown[replaced.get("id")] = message["body"]
        else:
            self.shown[message["id"]] = message["body"]

    def goes(self, message):
        """A message that is to be shown no more; what else this one says is for other clients."""
        gone = message.xml.find("{urn:xmpp:message-retract:1}retract")
        if gone is None:
            return False
        fallback = message.xml.find("{urn:xmpp:fallback:0}fallback")
        assert fallback.get("for") == "urn:xmpp:message-retract:1", message
        is_room = message["type"] == "groupchat"
        id = self.named.get(gone.get("id")) if is_room else gone.get("id")
        assert id in self.shown, "a retraction of what is not there"
        self.retracted.append((message["id"], self.shown.pop(id)))
        return True

    def screen(self):
        return list(self.shown.values())

    def call(self, what, *args, **more):
        done = threading.Event()

        def run():
            what(*args, **more)
            done.set()
        self.loop.call_soon_threadsafe(run)
        assert done.wait(PATIENCE_S)

    def attach(self, to, url):
        """A file that was uploaded somewhere, as clients name it."""
        message = self.xmpp.make_message(mto=to, mbody=url, mtype="chat")
        oob = ElementTree.SubElement(message.xml, "{jabber:x:oob}x")
        ElementTree.SubElement(oob, "{jabber:x:oob}url").text = url
        self.call(message.send)

    def forge(self, to, text, by, id, kind="chat"):
        """A message that says itself how an archive has it."""
        message = self.xmpp.make_message(mto=to, mbody=text, mtype=kind)
        ElementTree.SubElement(message.xml, "{urn:xmpp:sid:0}stanza-id", {"by": by, "id": id})
        self.call(message.send)

    def say(self, to, text, kind="chat", id=None):
        message = self.xmpp.make_message(mto=to, mbody=text, mtype=kind)
        if id:
            message["id"] = id
        self.call(message.send)

    def register(self, room, nick):
        """That name is ours in the room: it calls us so, whatever we wish for."""
        ask = self.xmpp.make_iq_set(ito=room)
        form = ElementTree.SubElement(ElementTree.SubElement(
            ask.xml, "{jabber:iq:register}query"), "{jabber:x:data}x", {"type": "submit"})
        for name, value in (("FORM_TYPE", "http://jabber.org/protocol/muc#register"),
                            ("muc#register_roomnick", nick)):
            field = ElementTree.SubElement(form, "{jabber:x:data}field", {"var": name})
            ElementTree.SubElement(field, "{jabber:x:data}value").text = value

        async def send():
            return await ask.send(timeout=30)
        asyncio.run_coroutine_threadsafe(send(), self.loop).result(PATIENCE_S)

    def keep_silent(self):
        """When it is asked what it is."""
        from slixmpp.xmlstream.handler import Callback
        from slixmpp.xmlstream.matcher import StanzaPath
        self.call(self.xmpp.remove_handler, "Disco Info")
        self.call(self.xmpp.register_handler, Callback(
            "silence", StanzaPath("iq@type=get/disco_info"), lambda _: None))

    def flood(self, room, texts):
        def send():
            for text in texts:
                self.xmpp.send_message(mto=room, mbody=text, mtype="groupchat")
        self.call(send)
        eventually(lambda: texts[-1] in self.screen())

    def join(self, room):
        self.call(self.xmpp.plugin["xep_0045"].join_muc, room, self.name)

    def archive(self, peer):
        """What the server has kept of a conversation: (id, text), without corrections."""
        async def ask():
            found, before = [], ""
            while True:
                answer = await self.xmpp.plugin["xep_0313"].retrieve(
                    with_jid=peer, rsm={"max": "100", "before": before}, timeout=30)
                page = [r["mam_result"] for r in answer["mam"]["results"]]
                found = page + found
                if len(page) < 100:
                    break
                before = page[0]["id"]
            kept = [r["forwarded"]["stanza"] for r in found]
            return [(m["id"], m["body"]) for m in kept if m["body"] and m["from"].bare == peer
                    and m.xml.find("{urn:xmpp:message-correct:0}replace") is None]
        return asyncio.run_coroutine_threadsafe(ask(), self.loop).result(PATIENCE_S)

    def __enter__(self):
        self.thread.start()
        assert self.is_there.wait(PATIENCE_S), "the server does not let a person in"
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE_S)
