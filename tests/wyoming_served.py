#!/usr/bin/env python3
"""A speech engine as those of Home Assistant are, made with their library (Debian's python3-wyoming).

    wyoming_served.py PATH '{"streams": true, "words": ["good ", "morning"], "voice": "amy", "seconds": 0.3}'

It serves a Unix socket, prints `ready`, then a JSON line for each event that it hears (`[type, data]`),
and `["gone", {}]` when a client goes. What it does with `synthesize` in a stream, and that each sentence is a
sound of its own, is as Piper's server has it. 3: there is no library.
"""

import asyncio
import json
import re
import sys

try:
    from wyoming.asr import Transcript
    from wyoming.audio import AudioChunk, AudioStart, AudioStop
    from wyoming.event import Event
    from wyoming.info import AsrModel, AsrProgram, Attribution, Info, TtsProgram, TtsVoice
    from wyoming.server import AsyncEventHandler, AsyncServer
    from wyoming.tts import Synthesize
except ImportError:
    sys.exit(3)

RATE = 22050
PATH, ABILITIES = sys.argv[1], json.loads(sys.argv[2])
STREAMS = ABILITIES.get("streams", False)
FROM = Attribution(name="tests", url="")


def artifact(kind, name, **more):
    return kind(name=name, attribution=FROM, installed=True, description=None, version="1", **more)


def info():
    """This version of the library does not know yet who streams: that is added."""
    heard = [artifact(AsrProgram, "served-ear", models=[artifact(AsrModel, "base", languages=["en", "de"])])]
    said = [artifact(TtsProgram, "served-mouth", voices=[
        artifact(TtsVoice, ABILITIES.get("voice", "amy"), languages=["en_GB"])])]
    event = Info(asr=heard if "words" in ABILITIES else [], tts=said if "seconds" in ABILITIES else []).event()
    for part, name in (("asr", "supports_transcript_streaming"), ("tts", "supports_synthesize_streaming")):
        for program in event.data[part]:
            program[name] = STREAMS
    return event


class Engine(AsyncEventHandler):
    stream = None  # the text of a stream that no sentence was said of yet
    heard = 0      # pieces of sound

    async def handle_event(self, event):
        if event.type != "audio-chunk":
            print(json.dumps([event.type, event.data]), flush=True)
        take = getattr(self, "on_" + event.type.replace("-", "_"), None)
        if take:
            await take(event)
        return True

    async def run(self):
        try:
            await super().run()
        except ConnectionError:
            pass  # who goes may go in the middle

    async def disconnect(self):
        print('["gone", {}]', flush=True)

    async def on_describe(self, _):
        await self.write_event(info())

    # --- hearing

    async def on_audio_chunk(self, _):
        self.heard += 1
        if STREAMS and self.heard == 1:
            await self.write_event(Event(type="transcript-start", data={"language": "en"}))
            await self.write_event(Event(type="transcript-chunk", data={"text": ABILITIES["words"][0]}))

    async def on_audio_stop(self, _):
        words = ABILITIES["words"]
        if STREAMS:
            for word in words[1:]:
                await self.write_event(Event(type="transcript-chunk", data={"text": word}))
        await self.write_event(Transcript(text="".join(words)).event())
        if STREAMS:
            await self.write_event(Event(type="transcript-stop"))

    # --- saying

    async def say(self, text):
        form = {"rate": RATE, "width": 2, "channels": 1}
        await self.write_event(AudioStart(**form).event())
        for _ in range(round(ABILITIES["seconds"] * 10)):
            await self.write_event(AudioChunk(**form, audio=bytes([len(text) % 128, 0]) * (RATE // 10)).event())
        await self.write_event(AudioStop().event())

    async def on_synthesize(self, event):
        if self.stream is None:
            await self.say(Synthesize.from_event(event).text)

    async def on_synthesize_start(self, _):
        if STREAMS:
            self.stream = ""

    async def on_synthesize_chunk(self, event):
        if not STREAMS:
            return
        *whole, self.stream = re.split(r"(?<=[.!?])\s+", self.stream + event.data["text"])
        for sentence in whole:
            await self.say(sentence)

    async def on_synthesize_stop(self, _):
        if not STREAMS:
            return
        if self.stream.strip():
            await self.say(self.stream)
        self.stream = None
        await self.write_event(Event(type="synthesize-stopped"))


async def main():
    server = AsyncServer.from_uri(f"unix://{PATH}")
    await server.start(Engine)
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
