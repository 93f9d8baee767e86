#!/usr/bin/env python3
"""Asks as Home Assistant does, with the library that it uses (Debian's python3-wyoming).

    wyoming_asks.py PORT TEXT CONVERSATION

Prints one JSON line: the programs that it was told of, and the answer. 3: there is no library.
"""

import asyncio
import json
import sys

try:
    from wyoming.asr import Transcript
    from wyoming.client import AsyncTcpClient
    from wyoming.handle import Handled, NotHandled
    from wyoming.info import Describe, Info
    from wyoming.ping import Ping, Pong
except ImportError:
    sys.exit(3)


async def until(client, *kinds):
    while True:
        event = await client.read_event()
        assert event is not None, "it closed"
        for kind in kinds:
            if kind.is_type(event.type):
                return kind.from_event(event)


async def main(port, text, conversation):
    async with AsyncTcpClient("127.0.0.1", port) as client:
        await client.write_event(Describe().event())
        info = await until(client, Info)
        await client.write_event(Ping(text="still there?").event())
        pong = await until(client, Pong)
        context = {"conversation_id": conversation}
        await client.write_event(Transcript(text, context=context).event())
        answer = await until(client, Handled, NotHandled)
    print(json.dumps({
        "models": [m.name for p in info.handle for m in p.models],
        "languages": [l for p in info.handle for m in p.models for l in m.languages],
        "pong": pong.text,
        "handled": isinstance(answer, Handled),
        "text": answer.text,
    }))


asyncio.run(main(int(sys.argv[1]), *sys.argv[2:]))
