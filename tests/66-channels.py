#!/usr/bin/env python3
"""The channels of a configuration: how each stands, what waits for it, and what it lacks."""

from chats import OWNER, connected, post, settings
from lib import PATIENCE_S, cli, eventually, run, temp_dir, test
from servers import Upstream


def channels(box):
    answer = box.request("GET", "/api/channels")
    assert answer.status == 200, answer
    return {c["name"]: c for c in answer.json()["channels"]}


@test("a channel that is not open is refused, what waits for it is counted, and /readyz says it")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        assert {n: c["state"] for n, c in channels(box).items()} == {
            "desk": "connected", "terminal": "connected"}
        assert box.request("GET", "/readyz").json() == {"ok": True}
        done = cli("channels", "--data", str(box.data))
        assert done.code == 0 and done.out.split()[:6] == [
            "NAME", "CHANNEL", "STATE", "SINCE", "WAITING", "WHY"], done
        assert "desk" in done.out and "connected" in done.out, done
        done = cli("channels", "check", "desk", "--data", str(box.data))
        assert done.code == 0 and done.out == "ok    it is connected\n", done
        box.stop()
        (box.data / "out.ndjson").unlink(missing_ok=True)
        (box.data / "out.ndjson").mkdir()
        box.start()
        connected(box)
        desk = eventually(lambda: (c := channels(box)["desk"])["state"] == "refused" and c)
        assert "out.ndjson" in desk["why"] and desk["waiting"] == 0 and desk["since"], desk
        post(box, "good day", channel="desk", agent="model", peer="ada")
        eventually(lambda: channels(box)["desk"]["waiting"] == 1)
        ready = box.request("GET", "/readyz")
        assert ready.status == 200 and ready.json()["ok"] is True, ready
        (words,) = ready.json()["degraded"]
        assert words.startswith("the channel desk is refused: "), words
        done = cli("channels", "check", "desk", "--data", str(box.data))
        assert done.code == 1 and done.out.startswith("bad   ") and "out.ndjson" in done.out, done
        (box.data / "out.ndjson").rmdir()
        eventually(lambda: channels(box)["desk"] | {"since": 0} == {
            "name": "desk", "channel": "file", "state": "connected", "since": 0, "waiting": 0},
            within=2 * PATIENCE_S)
        assert box.request("GET", "/readyz").json() == {"ok": True}


@test("only a channel that is there can be checked, by who may")
def _():
    with Upstream() as up, settings(up, OWNER) as box:
        connected(box)
        assert box.request("POST", "/api/channels/none/check").status == 404
        done = cli("channels", "check", "none", "--data", str(box.data))
        assert done.code == 1 and "there is no such channel" in done.err, done
        assert cli("channels", "check", "--data", str(box.data)).code == 2
        assert cli("channels", "mend", "--data", str(box.data)).code == 2
        done = cli("channels", "check", "terminal", "--json", "--data", str(box.data))
        assert '"good":true' in done.out, done


@test("prompts.to names adapters that are there")
def _():
    path = temp_dir() / "signalbox.yaml"
    path.write_text("adapters: {desk: {channel: file, inbox: a, outbox: b}}\n"
                    "prompts: {to: ['desk:ops', 'terminal:x', 'none:x']}\n")
    done = cli("check", "--config", str(path))
    assert done.code != 0 and "there is no adapter 'none'" in done.out + done.err, done
    path.write_text("adapters: {desk: {channel: file, inbox: a, outbox: b}}\n"
                    "prompts: {to: ['desk:ops', 'terminal:x']}\n")
    assert cli("check", "--config", str(path)).code == 0


run()
