#!/usr/bin/env python3
"""The client of this directory, driven by clients/conformance/run.py."""

import json
import sys
import threading

from signalbox import Refusal, Signalbox

lock = threading.Lock()


def tell(event, **more):
    with lock:
        print(json.dumps({**more, "event": event}), flush=True)


def answer(box, prompt, given):
    return box.answer(prompt, **given)


def do(box, step):
    methods = {"emit": box.emit, "ask": box.ask, "cancel": box.cancel, "control": box.control,
               "answer": lambda *words: answer(box, *words),
               "subscribe": lambda wishes: box.subscribe(**wishes), "skip": box.skip,
               "ping": lambda: {"head": box.ping()}}
    try:
        tell("done", **(methods[step["do"]](*step["with"]) or {}), tag=step["tag"])
    except Refusal as why:
        tell("refused", tag=step["tag"], code=why.code)


def main():
    url, token, options = sys.argv[1:4]
    box = Signalbox(url, token=token, **json.loads(options))
    box.on("signal", lambda news: tell("signal", **news["envelope"]))
    for name in ("state", "gap", "prompt", "stage", "sources", "crew", "matters"):
        box.on(name, lambda news, name=name: tell(name, **news))
    with box:
        for line in sys.stdin:
            threading.Thread(target=do, args=(box, json.loads(line)), daemon=True).start()


main()
