#!/usr/bin/env python3
"""Slack: what people write there is answered there, in one message that grows, exactly once."""

import time

from chats import RESTARTED, TEXT, connected, ends, finished, requests, says
from fake_slack import BOT, Refused, Slack
from lib import PATIENCE_S, Box, eventually, run, temp_dir, test
from servers import Upstream

PEOPLE = "people: [{name: Ada, relationship: owner, identities: ['slack:U7', 'slack:U8']}]\n"
TOOL = {"type": "select", "prompt": "Bash: make *all*", "tool": "Bash",
        "input": {"command": "make *all*"},
        "options": [{"label": "Allow", "value": "allow"},
                    {"label": "Allow always", "value": "always", "needs": "control",
                     "rule": "Bash(make)"},
                    {"label": "Deny", "value": "deny", "safe": True}]}


def secret(place, name, value):
    path = place / name
    path.write_text(value + "\n")
    path.chmod(0o600)
    return path


def settings(up, fake, more="", adapter="", streaming="enabled: auto"):
    place = temp_dir()
    bot, app = secret(place, "bot", "xoxb-1-abc"), secret(place, "app", "xapp-1-def")
    path = place / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a}}]\n"
        f"adapters:\n  slack:\n    agent: model\n    url: {fake.url}\n"
        f"    credential_file: {bot}\n    app_credential_file: {app}\n"
        f"    streaming: {{{streaming}}}\n{adapter}"
        f"deliver: {{gather: 0}}\n{PEOPLE}{more}")
    return Box(args=["--config", str(path)])


def letters(box):
    return box.request("GET", "/api/deliveries").json()["deliveries"]


def asked(box, up, fake, text="slow please", **more):
    before = len(up.of("/v1/chat/completions"))
    ts = fake.write(text, **more)
    eventually(lambda: len(up.of("/v1/chat/completions")) > before)
    return [s["payload"]["request"] for s in box.history("&type=nex.received")][-1], ts


def clean(fake, box):
    """Nothing was asked that the description does not allow, and no token was shown."""
    assert fake.wrong == [], fake.wrong
    assert "xoxb-1-abc" not in box.log() and "xapp-1-def" not in box.log()


@test("a question is answered in one message that grows, and acknowledged")
def _():
    with Upstream() as up, Slack() as fake, settings(up, fake) as box:
        connected(box)
        id, _ts = asked(box, up, fake)
        says(box, id, " is the **beginning** of a long answer,")
        eventually(lambda: fake.screen() == ["Hello is the *beginning* of a long answer,"])
        says(box, id, " and `a < b` its end. <!channel> <@U8> @here https://x.y/?a=1&b=2")
        ends(box, id)
        got = finished(box, id)
        assert fake.screen() == ["Hello is the *beginning* of a long answer, and `a < b` its end."
                                 " <!channel> <@U8> @here <https://x.y/?a=1&b=2>"], fake.screen()
        assert got["status"] == "completed" and got["delivery"]["sender_id"] == "U7", got
        assert len(fake.sent) == 1 and fake.of("assistant.threads.setStatus") == []
        eventually(lambda: not fake.waiting)
        assert len(fake.acked) == 1 and fake.limited == 0, fake.acked
        clean(fake, box)


run()
