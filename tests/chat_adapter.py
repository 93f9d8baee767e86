#!/usr/bin/env python3
"""An adapter for tests: chat_adapter.py PLACE SUPPORTS COMMAND ...

What people write are lines of PLACE/in, which it prints as they are.  PLACE/out gets a line of JSON
for everything that happens: how it was begun, what it was told.  PLACE/MODE, if it is there, says
how it misbehaves."""

import json
import os
import pathlib
import sys
import threading
import time

place, supports = pathlib.Path(sys.argv[1]), sys.argv[2].split(",")
command, rest = sys.argv[3], sys.argv[4:]


def note(**facts):
    with open(place / "out", "a") as out:
        out.write(json.dumps(facts) + "\n")


def mode():
    path = place / "mode"
    return path.read_text().strip() if path.exists() else ""


def say(**line):
    print(json.dumps(line), flush=True)


def info():
    print(json.dumps({
        "channel": "liar", "name": "Test", "version": "1",
        **({"operations": ["adapter.monitor.start", "delivery.send"]} if "renamed" in supports
           else {"supports": supports}),
        "text_from": "stdin" if "stdin" in supports else "arguments",
        "channel_capabilities": {"text_limit": 100, "supports_markdown": "markdown" in supports,
                                 "supports_media": "media" in supports}},
        indent=2))


def leave_with_box():
    while os.read(0, 100):
        pass
    os._exit(0)


def monitor():
    threading.Thread(target=leave_with_box, daemon=True).start()
    with open(place / "in") as lines:
        while True:
            line = lines.readline()
            if line.endswith("\n"):
                sys.stdout.write(line)
                sys.stdout.flush()
            elif line:
                lines.seek(lines.tell() - len(line))
            else:
                time.sleep(0.02)


def send():
    text = (sys.stdin.read() if "stdin" in supports else
            "" if "--media" in rest else rest[rest.index("--text") + 1])
    note(sent=text, to=rest[rest.index("--to") + 1])
    if "--media" in rest:
        file = pathlib.Path(rest[rest.index("--media") + 1])
        note(media=file.name, bytes=file.stat().st_size, id=rest[rest.index("--id") + 1])
    if mode() == "refuse":
        print(json.dumps({"success": False, "error": {
            "type": "not_found", "message": "nobody is called so", "retry": False}}))
    elif mode() == "limit":
        (place / "mode").unlink()
        print(json.dumps({"success": False, "error": {
            "type": "rate_limited", "message": "slow", "retry": True, "retry_after_ms": 300}}))
    else:
        print(json.dumps({"success": True, "message_ids": [str(time.time_ns())]}))


def kept():
    path = place / "kept"
    return json.loads(path.read_text()) if path.exists() else {}


def keep(all):
    (place / "kept.new").write_text(json.dumps(all))
    (place / "kept.new").rename(place / "kept")


def deliver(start, text):
    """A message is there, or has another text: once for each name of it."""
    all, id = kept(), start["target"].get("message_id") or start["runId"]
    if mode() == "refuse":
        return say(type="delivery_error", error="the chat is closed")
    if mode() == "die before":
        (place / "mode").unlink()
        os._exit(7)
    assert start["target"].get("message_id") or id not in all, "sent twice"
    all[id] = text
    keep(all)
    if mode() == "die after":
        (place / "mode").unlink()
        os._exit(7)
    say(type="message_updated" if "message_id" in start["target"] else "message_created",
        messageId=id, chars=len(text))
    say(type="delivery_complete", messageIds=[id])


def stream():
    start, text = None, ""
    for line in sys.stdin:
        event = json.loads(line)
        note(told=event)
        if event["type"] == "stream_start":
            start, text = event, ""
        elif event["type"] == "token":
            text += event["text"]
            if mode() == "die at a token":
                (place / "mode").unlink()
                os._exit(7)
        elif event["type"] in ("stream_end", "stream_error"):
            deliver(start, text)
        elif event["type"] == "message_find":
            say(type="delivery_complete",
                messageIds=[event["runId"]] if event["runId"] in kept() else [])
        elif event["type"] == "message_delete":
            all = kept()
            all.pop(event["target"]["message_id"], None)
            keep(all)
            say(type="delivery_complete", messageIds=[])


def backfill():
    """Lines of PLACE/past, all of them: who asks knows what it has."""
    if mode() == "no past":
        (place / "mode").unlink()
        sys.exit(9)
    path = place / "past"
    sys.stdout.write(path.read_text() if path.exists() else "")


def health():
    print(json.dumps({"connected": True, "account": rest[1]}))


def accounts():
    assert rest == ["list", "--account", "post"], rest
    print(json.dumps({"accounts": [{"id": "post", "display_name": "Pigeon Post"},
                                   {"id": "spare", "status": "error"}]}))


note(command=command, rest=[r for r in rest if len(r) < 1000],
     env={k: v for k, v in os.environ.items() if k.startswith("SIGNALBOX_")}, pid=os.getpid())
if command == "info" and "renamed" in supports:
    sys.exit("no such verb: info")
{"info": info, "adapter.info": info, "monitor": monitor, "send": send, "stream": stream,
 "health": health, "backfill": backfill, "accounts": accounts, "adapter.monitor.start": monitor,
 "delivery.send": send}[command]()
