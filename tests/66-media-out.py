#!/usr/bin/env python3
"""Pictures and files that agents send: copied first, from the internet or from one directory, and
in custody as texts are."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import chats
import gateway
from chats import OWNER, asked, connected, ends, lines, requests, says
from fake_telegram import Refused, Telegram
from lib import SIGNALBOX, Box, eventually, run, temp_dir, test
from servers import Upstream

MIB = 1024 * 1024
PNG = b"\x89PNG\r\n\x1a\n" + b"p" * 5000


PRELOAD = Path(SIGNALBOX).resolve().parent / "tests" / "preload" / "libinternet.so"
INTERNET = {"LD_PRELOAD": str(PRELOAD),
            "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0"}


class Web:
    """A server of this machine; with the preloaded library it is on the internet, too."""

    def __enter__(self):
        self.asked = []
        self.leads = {}  # a path -> where its redirect leads
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                web.asked.append(self.path)
                to = web.leads.get(self.path)
                self.send_response(302 if to else 200)
                if to:
                    self.send_header("Location", to)
                self.end_headers()
                try:
                    self._bytes()
                except ConnectionError:  # who wants no more of it
                    pass

            def _bytes(self):
                if self.path == "/endless.png":
                    while True:
                        self.wfile.write(b"x" * 65536)
                self.wfile.write(b"x" * 21 * MIB if self.path == "/large.png" else PNG)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.far = f"http://93.184.216.34:{self.server.server_port}"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class FarBox(Box):
    """A box that reaches an address of the internet: see tests/preload/internet.c."""

    def __init__(self, **more):
        assert PRELOAD.exists(), f"{PRELOAD} is not built: meson configure -Dtests=true"
        super().__init__(env=INTERNET, **more)


def place_of(more=""):
    """A directory for the files of agents, and the lines of the configuration that say so."""
    place = temp_dir() / "out"
    place.mkdir()
    (place / "map.png").write_bytes(PNG)
    return place, f"{OWNER}deliver: {{gather: 0}}\nmedia: {{send: true, directory: {place}{more}}}\n"


def sends(box, run, *urls, **more):
    box.emit("agent.media", source="model", correlationId=run,
             payload={"agentId": "model", "mediaUrls": list(urls), **more})


def files(box):
    return [line["file"] for line in lines(box) if "file" in line]


def deliveries(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def missed(box):
    return [d["missed"] for d in deliveries(box) if "missed" in d]


# --- what goes ---------------------------------------------------------------------------


@test("a file of the directory follows the text, as a copy of the box's own, and goes once")
def _():
    place, config = place_of()
    with Upstream() as up, chats.settings(up, config) as box:
        connected(box)
        turn = asked(box, up)
        says(box, turn, "See ![](https://192.0.2.1/no.png) the map.")
        sends(box, turn, "map.png", str(place / "map.png"))
        sends(box, turn, "map.png")
        ends(box, turn)
        eventually(lambda: len(files(box)) == 2)
        shown = [line for line in lines(box) if "text" in line or "file" in line]
        assert [("text" in line) for line in shown] == [True, False, False], shown
        first = files(box)[0]
        assert first["name"] == "map.png" and first["type"] == "image/png", first
        assert first["kind"] == "picture" and first["size"] == len(PNG), first
        copy = box.data.joinpath(first["path"])
        assert copy.read_bytes() == PNG and copy.stat().st_mode & 0o777 == 0o600
        assert str(copy).startswith(str(box.data.resolve() / "media")), copy
        event = eventually(lambda: requests(box))[0]
        assert event["status"] == "completed", event
        assert [s["payload"]["piece"] for s in box.history("&type=delivery.started")] == [1, 2, 3]
        assert missed(box) == []


@test("what a file begins with says what it is; its message is in the record, and a missed one is not")
def _():
    place, config = place_of()
    (place / "chart").write_bytes(PNG)
    (place / "song.png").write_bytes(b"ID3\x04")
    (place / "fake.png").write_text("no picture")
    (place / "note.opus").write_bytes(b"OggS")
    with Upstream() as up, chats.settings(up, config) as box:
        connected(box)
        turn = asked(box, up)
        sends(box, turn, "chart", "song.png", "none.txt", "fake.png", "note.opus")
        ends(box, turn)
        event = eventually(lambda: requests(box))[0]
        assert [(f["kind"], f["type"]) for f in files(box)] == [
            ("picture", "image/png"), ("audio", "audio/mpeg"),
            ("file", "application/octet-stream"), ("audio", "audio/opus")], files(box)
        result = event["delivery_result"]
        assert result["chunks_sent"] == 5 and result["success"] is True, result
        assert result["message_ids"] == [line["id"] for line in lines(box)
                                         if "text" in line or "file" in line], (result, lines(box))
        assert len(set(result["message_ids"])) == 5 and len(missed(box)) == 1, result


@test("nothing goes unless the configuration says so, and the text does")
def _():
    place, _ = place_of()
    with Upstream() as up, chats.settings(
            up, f"{OWNER}deliver: {{gather: 0}}\nmedia: {{directory: {place}}}\n") as box:
        connected(box)
        turn = asked(box, up)
        says(box, turn, ", the map.")
        sends(box, turn, "map.png")
        ends(box, turn)
        eventually(lambda: requests(box))
        assert chats.said(box) == ["Hello, the map."] and files(box) == [] and missed(box) == []
        assert not (box.data / "media").exists()


@test("in blocks a file leaves where it was sent; a voice note waits for the end")
def _():
    place, config = place_of()
    (place / "note.ogg").write_bytes(b"OggS")
    with Upstream() as up, chats.settings(up, config, streaming="mode: blocks") as box:
        connected(box)
        turn = asked(box, up)
        sends(box, turn, "note.ogg", audioAsVoice=True)
        says(box, turn, ": one.")
        sends(box, turn, "map.png")
        says(box, turn, "Two.")
        ends(box, turn)
        eventually(lambda: len(files(box)) == 2)
        shown = [line.get("text") or line["file"]["name"] for line in lines(box)
                 if "text" in line or "file" in line]
        assert shown == ["Hello: one.", "map.png", "Two.", "note.ogg"], shown
        assert files(box)[1]["kind"] == "voice", files(box)


@test("a draft gets its last text, and then the files")
def _():
    place, config = place_of()
    with Upstream() as up, chats.settings(up, config, streaming="mode: draft_edit") as box:
        connected(box)
        turn = asked(box, up)
        says(box, turn, ", this is long enough to be shown. ")
        eventually(lambda: any("id" in line for line in lines(box)))
        sends(box, turn, "map.png")
        says(box, turn, "And the end.")
        ends(box, turn)
        eventually(lambda: files(box))
        eventually(lambda: requests(box))
        assert [d["state"] for d in deliveries(box)] == ["delivered"], deliveries(box)
        texts = [line["text"] for line in lines(box) if "text" in line]
        assert texts[-1] == "Hello, this is long enough to be shown. And the end.", texts
        assert "file" in lines(box)[-1] or "typing" in lines(box)[-1], lines(box)


@test("files that an OpenClaw names with its answer go, each once")
def _():
    place, config = place_of()
    config += "access: [{who: owner, decision: allow, agent: claw}]\n"
    with Upstream() as up, gateway.Gateway() as claw, chats.settings(up, config) as box:
        connected(box)
        gateway.connected(box, claw)
        chats.write(box, "HAND please")
        (turn,) = eventually(lambda: list(claw.runs))
        claw.speak(turn, "The map.")
        for _ in range(2):
            claw._agent(turn, "assistant", {"text": "The map.", "delta": "",
                                            "mediaUrls": [str(place / "map.png")]})
        claw.finish(turn)
        event = eventually(lambda: requests(box))[0]
        assert event["status"] == "completed" and chats.said(box) == ["The map."], lines(box)
        assert [f["name"] for f in files(box)] == ["map.png"] and missed(box) == [], lines(box)


# --- what does not -----------------------------------------------------------------------


@test("no path leads out of the directory, and no address into this network: all of it is told")
def _():
    place, config = place_of()
    secret = place.parent / "secret"
    secret.write_text("secret")
    (place / "link").symlink_to(secret)
    (place / "dir").symlink_to(place.parent)
    (place / "sub").mkdir()
    with open(place / "big.bin", "wb") as big:
        big.truncate(21 * MIB)
    with Upstream() as up, Web() as web, chats.settings(up, config) as box:
        connected(box)
        refused = ["../../etc/passwd", "../secret", "file:///etc/shadow", "/etc/passwd", str(secret),
                   "link", "dir/secret", "sub", "none.png", "big.bin", f"{web.url}/a.png",
                   f"http://localhost:{web.server.server_port}/b.png",
                   f"http://2130706433:{web.server.server_port}/c.png",
                   f"http://[::ffff:127.0.0.1]:{web.server.server_port}/d.png",
                   "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/e.png"]
        turn = asked(box, up)
        says(box, turn, ", look.")
        sends(box, turn, *refused)
        ends(box, turn)
        event = eventually(lambda: requests(box))[0]
        assert chats.said(box) == ["Hello, look."] and files(box) == [], lines(box)
        assert event["status"] == "completed", event
        told = missed(box)[0].split("\n")
        assert len(told) == len(refused), told
        assert "larger than 20 MiB" in told[9], told
        assert all("address" in line for line in told[10:]), told
        assert web.asked == [] and not list((box.data / "media").glob("*/*"))
        assert box.log().count("was not sent") == len(refused)


@test("files alone that cannot be sent fail their delivery, which can be sent again")
def _():
    place, config = place_of()
    with Upstream() as up, chats.settings(up, config) as box:
        connected(box)
        turn = asked(box, up)
        says(box, turn, " NO_REPLY")
        sends(box, turn, "late.txt")
        ends(box, turn)
        eventually(lambda: requests(box))
        one = deliveries(box)[0]
        assert one["state"] == "failed" and "late.txt: " in one["missed"], one
        (place / "late.txt").write_text("late")
        assert box.request("POST", f"/api/deliveries/{one['id']}/retry").status == 200
        assert eventually(lambda: files(box))[0]["name"] == "late.txt"


@test("a picture of the internet is fetched; redirects to this network, and too much, are not")
def _():
    place, config = place_of()
    with Upstream() as up, Web() as web, chats.settings(up, config, kind=FarBox) as box:
        connected(box)
        port = web.server.server_port
        web.leads = {"/to/good.png": "/good.png", "/to/here.png": f"{web.url}/secret.png",
                     "/to/local.png": f"http://localhost:{port}/secret.png",
                     "/to/file.png": "file:///etc/shadow", "/to/round.png": "/to/round.png"}
        turn = asked(box, up)
        says(box, turn, ", look.")
        sends(box, turn, *(f"{web.far}{path}" for path in (
            "/to/good.png?key=secret", "/to/here.png", "/to/local.png", "/to/file.png",
            "/to/round.png", "/large.png", "/endless.png", "/good.png")))
        web.leads["/to/good.png?key=secret"] = "/good.png"
        ends(box, turn)
        eventually(lambda: requests(box))
        assert [f["name"] for f in files(box)] == ["good.png", "good.png"], (lines(box), missed(box))
        assert Path(files(box)[0]["path"]).read_bytes() == PNG
        told = missed(box)[0].split("\n")
        assert len(told) == 6 and all("20 MiB" in line for line in told[4:]), told
        assert "/secret.png" not in web.asked, web.asked
        assert len(list((box.data / "media").glob("*/*"))) == 2, "a part of a file was left"
        assert "key=secret" not in box.log()


# --- crashes -----------------------------------------------------------------------------


@test("kill -9 with a file on its way: text and file arrive, each once")
def _():
    for before in ("started", "accepted"):
        place, config = place_of()
        with Upstream() as up, chats.settings(up, config) as box:
            connected(box)
            turn = asked(box, up)
            says(box, turn, ", the map.")
            sends(box, turn, "map.png")
            ends(box, turn)
            eventually(lambda: box.history(f"&type=delivery.{before}"))
            chats.kill_again(box)
            eventually(lambda: requests(box))
            assert chats.said(box) == ["Hello, the map."], lines(box)
            assert [f["name"] for f in files(box)] == ["map.png"] and not missed(box), lines(box)


# --- Telegram ----------------------------------------------------------------------------

TELEGRAM = "people: [{name: Ada, relationship: owner, identities: ['telegram:7']}]\n"


def telegram(up, fake, place, mode="accumulate", kind=Box):
    secret = temp_dir() / "token"
    secret.write_text("123:abc\n")
    secret.chmod(0o600)
    path = secret.parent / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  telegram:\n    agent: model\n    url: {fake.url}\n"
        f"    credential_file: {secret}\n    streaming: {{mode: {mode}}}\n"
        f"deliver: {{gather: 0}}\nmedia: {{send: true, directory: {place}}}\n{TELEGRAM}")
    return kind(args=["--config", str(path)])


def asked_there(box, up, fake):
    """As asked(), by Telegram."""
    before = len(up.of("/v1/chat/completions"))
    fake.write("slow please")
    eventually(lambda: len(up.of("/v1/chat/completions")) > before)
    return [s["payload"]["request"] for s in box.history("&type=nex.received")][-1]


@test("on Telegram pictures are shown, recordings are heard, and all else is a file")
def _():
    place, _ = place_of()
    (place / "note.ogg").write_bytes(b"OggS")
    (place / "plan.pdf").write_bytes(b"%PDF-1")
    (place / "broken.png").write_bytes(b"no picture")
    (place / "large.jpg").write_bytes(b"\xff\xd8\xff" + bytes(11 * MIB))
    with Upstream() as up, Telegram() as fake, telegram(up, fake, place, "draft_edit") as box:
        connected(box)
        turn = asked_there(box, up, fake)
        says(box, turn, ", here is all of it, in five files.")
        eventually(fake.screen)
        sends(box, turn, "note.ogg", audioAsVoice=True)
        sends(box, turn, "map.png", "plan.pdf", "broken.png", "large.jpg")
        ends(box, turn)
        eventually(lambda: requests(box))
        assert fake.screen() == ["Hello, here is all of it, in five files.", "[sendVoice note.ogg]",
                                 "[sendPhoto map.png]", "[sendDocument plan.pdf]",
                                 "[sendDocument broken.png]", "[sendDocument large.jpg]"], fake.screen()
        assert fake.shown[1][2].data == PNG and fake.shown[1][2].type == "image/png"
        assert len(fake.shown[4][2].data) == 11 * MIB + 3
        assert fake.wrong == [] and missed(box) == [] and "123:abc" not in box.log(), fake.wrong


@test("what Telegram does not take is told, and so is a file whose arrival nobody knows")
def _():
    place, _ = place_of()
    (place / "b.png").write_bytes(PNG)
    with Upstream() as up, Telegram() as fake, telegram(up, fake, place) as box:
        connected(box)
        fake.script = {"sendPhoto": [Refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"), "lose"],
                       "sendDocument": [Refused(403, "Forbidden: bot was blocked")]}
        turn = asked_there(box, up, fake)
        sends(box, turn, "map.png", "b.png")
        ends(box, turn)
        eventually(lambda: requests(box))
        assert fake.screen() == ["Hello", "[sendPhoto b.png]",
                                 "[sendPhoto b.png](again, after a restart)"], fake.screen()
        assert missed(box) == ["map.png: Forbidden: bot was blocked"], missed(box)
        assert fake.wrong == [], fake.wrong


@test("kill -9 while a picture goes to Telegram: it arrives once, or twice and says so")
def _():
    place, _ = place_of()
    with Upstream() as up, Telegram() as fake, telegram(up, fake, place) as box:
        connected(box)
        fake.script = {"sendPhoto": ["hold"]}
        turn = asked_there(box, up, fake)
        sends(box, turn, "map.png")
        ends(box, turn)
        eventually(lambda: fake.of("sendPhoto"))
        chats.kill_again(box)
        (place / "map.png").unlink()  # the box has a copy
        eventually(lambda: requests(box))
        assert fake.screen() == ["Hello", "[sendPhoto map.png]",
                                 "[sendPhoto map.png](again, after a restart)"], fake.screen()
        assert fake.wrong == [] and fake.shown[1][2].data == PNG, fake.wrong


run()
