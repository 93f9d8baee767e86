"""A box with a chat of two files, and what a person sees there: shared by the tests of chats."""

import json
import subprocess
import sys

from lib import ROOT, Box, eventually, temp_dir
from servers import LONG, WORDS

TEXT = "".join(WORDS)
AGAIN = "(again, after a restart)"
BEGUN = "".join(WORDS[:2])  # what a model has said before the test goes on
OWNER = "people: [{name: Ada, relationship: owner, identities: ['file:ada']}]\n"
COLLECT = (OWNER + "deliver: {gather: 0}\n"
           "access: [{who: owner, decision: allow, queue: collect}]\n")
RESTARTED = "(the box restarted, please ask again)"


class Parrot:
    """A model that says what it is told."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, ROOT / "docs/examples/parrot.py"],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def kill_again(box):
    """A kill, and another life."""
    box.kill9()
    box.start()


def settings(up, more="", adapter="", streaming="mode: accumulate", source="", kind=Box):
    """A box with one model, one chat of two files, and what else is said."""
    place = temp_dir()
    path = place / "signalbox.yaml"
    path.write_text(
        f"sources: [{{id: model, url: '{up.url}', protocol: openai, model: model-a{source}}}]\n"
        f"adapters:\n  desk:\n    channel: file\n    agent: model\n    inbox: {place}/in.ndjson\n"
        f"    outbox: out.ndjson\n    streaming: {{{streaming}}}\n{adapter}"
        f"{more}")
    box = kind(args=["--config", str(path)])
    box.inbox = place / "in.ndjson"
    return box


def connected(box):
    def look():
        sources = box.request("GET", "/api/sources").json()["sources"]
        return any(s["id"] == "model" and s["state"] == "connected" for s in sources)
    eventually(look)
    return box


def write(box, text, sender="ada", **more):
    with open(box.inbox, "a", encoding="utf-8") as file:
        file.write(json.dumps({"from": sender, "text": text, **more}) + "\n")


def lines(box):
    path = box.data / "out.ndjson"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def said(box):
    return [line["text"] for line in lines(box) if "text" in line]


def requests(box):
    return [s["payload"] for s in box.history("&type=nex.request")]


def post(box, text, **more):
    answer = box.request("POST", "/api/messages", {"text": text, **more})
    assert answer.status == 200, answer
    return answer.json()["id"]


def look(box, id):
    return box.request("GET", f"/api/messages/{id}").json()


def finished(box, id):
    return eventually(lambda: (m := look(box, id))["status"] != "processing" and m)


def screen(box, peer=None):
    """The messages as a person sees them: edited and removed, in their order."""
    shown = {}
    for line in lines(box):
        if peer and line.get("peer") != peer:
            continue
        if "id" in line:
            shown[line["id"]] = line["text"]
        elif "edit" in line:
            assert line["edit"] in shown, line
            shown[line["edit"]] = line["text"]
        elif "remove" in line:
            shown.pop(line["remove"], None)
    return list(shown.values())


def reads(shown):
    """What a person who sees these messages takes them to say: one that comes again takes the
    place of the one before it, if that is the same or its beginning."""
    said = []
    for text in shown:
        text, comes_again = text.removeprefix(AGAIN), text.startswith(AGAIN)
        text = "".join(text.split())
        if comes_again and said and text.startswith(said[-1]):
            said.pop()
        said.append(text)
    return "".join(said)


def is_whole(shown, answer=LONG):
    """The answer is there once, or as far as it came, and that the box restarted."""
    read, ends = reads(shown), "".join(RESTARTED.split())
    whole = "".join("".join(answer).split())
    return read == whole or (read.endswith(ends) and whole.startswith(read.removesuffix(ends)))


def says(box, run, text):
    """The agent of this run says it."""
    box.emit("text_delta", source="model", correlationId=run,
             payload={"agentId": "model", "content": text})


def ends(box, run, success=True):
    box.emit("completion", source="model", correlationId=run,
             payload={"agentId": "model", "taskId": run, "success": success})


def asked_with(up, number):
    """The lines of a question, as the agent got them."""
    eventually(lambda: len(up.of("/v1/chat/completions")) >= number)
    body = json.loads(up.of("/v1/chat/completions")[number - 1].body)
    return body["messages"][-1]["content"].split("\n")


def begun(box, up, ask):
    """Calls ask, and waits till the box has heard the first words of the answer: what the test
    has the agent say comes behind them.  The id of the run, and what ask gave."""
    before = len(up.of("/v1/chat/completions"))
    gave = ask()
    eventually(lambda: len(up.of("/v1/chat/completions")) > before)
    run = [s["payload"]["request"] for s in box.history("&type=nex.received")][-1]

    def heard():
        deltas = [s["payload"]["content"] for s in box.history("&type=text_delta")
                  if s.get("correlationId") == run]
        return "".join(deltas).startswith(BEGUN)
    eventually(heard)
    return run, gave


def asked(box, up, text="slow please", peer="ada", **more):
    """Asks what is not answered before the test says so; the id of its run."""
    return begun(box, up, lambda: write(box, text, peer=peer, **more))[0]
