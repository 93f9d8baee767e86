#!/usr/bin/env python3
"""Discord: what people write there is answered there, once, whatever is lost on the way."""

import time

from chats import RESTARTED, TEXT, connected, ends, finished, requests, says
from fake_discord import BOT, Discord, Refused
from lib import PATIENCE_S, Box, eventually, run, temp_dir, test
from servers import Upstream

PEOPLE = "people: [{name: Ada, relationship: owner, identities: ['discord:7', 'discord:8']}]\n"
ADA, BOB = "707", "708"  # their chats with the bot


def settings(up, fake, more="", adapter="", streaming="enabled: auto"):
    place = temp_dir()
    secret = place / "token"
    secret.write_text("abc.def-1\n")
    secret.chmod(0o600)
    path = place / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  discord:\n    agent: model\n    url: {fake.url}\n"
        f"    credential_file: {secret}\n    streaming: {{{streaming}}}\n{adapter}"
        f"deliver: {{gather: 0}}\n{PEOPLE}{more}")
    return Box(args=["--config", str(path)])


def there(box, fake):
    connected(box)
    eventually(lambda: fake.sockets)


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def asked(box, up, fake, text="slow please", **more):
    before = len(up.of("/v1/chat/completions"))
    number = fake.write(text, **more)
    eventually(lambda: len(up.of("/v1/chat/completions")) > before)
    return [s["payload"]["request"] for s in box.history("&type=nex.received")][-1], number


@test("a question is answered in one message, with typing before it")
def _():
    with Upstream() as up, Discord() as fake, settings(up, fake) as box:
        there(box, fake)
        id, number = asked(box, up, fake)
        eventually(lambda: fake.of("trigger_typing_indicator") == [None])
        says(box, id, " is **an answer** for <@7> and @everyone: https://example.org")
        ends(box, id)
        got = finished(box, id)
        want = "Hello is **an answer** for <@7> and @everyone: https://example.org"
        assert fake.screen() == [want], fake.screen()
        assert got["status"] == "completed", got
        (message,) = fake.ours()
        assert message["message_reference"]["message_id"] == number, message
        assert fake.wrong == [] and fake.limited == 0, fake.wrong
        assert "abc.def-1" not in box.log() and len(requests(box)) == 1


run()
