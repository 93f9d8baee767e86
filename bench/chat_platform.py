"""A chat platform for measurements: the least of Telegram's Bot API that a bot needs. One thread, and
it keeps of each chat when which message said how much."""

import asyncio
import collections
import json
import threading
import time

POLL_S = 20
TOKEN = " {:05}"


def tokens_in(text):
    """Each says its number: so many are in a text that ends with one."""
    return int(text[-5:]) + 1


class Reply:
    """What came for one chat: the requests that changed its message, and what that said then."""

    def __init__(self):
        self.changes = []  # time, tokens of its text

    def count(self):
        return len(self.changes)

    def tokens(self):
        return self.changes[-1][1] if self.changes else 0


class Line(asyncio.Protocol):
    """A connection of a bot, on which one request follows the other."""

    def __init__(self, platform):
        self.platform, self.bytes, self.held = platform, b"", None

    def connection_made(self, transport):
        self.transport = transport
        self.platform.lines += 1

    def connection_lost(self, why):
        if self.held:
            self.held.cancel()

    def data_received(self, data):
        self.bytes += data
        head, found, rest = self.bytes.partition(b"\r\n\r\n")
        if not found:
            return
        at = head.lower().find(b"content-length:")
        length = int(head[at + 15:].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(rest) < length:
            return
        self.bytes = rest[length:]
        bot, method = head.split(b" ", 2)[1].decode()[4:].split("/")
        method = method.split("?")[0]
        self.platform.asked[method] += 1
        self.platform.answer(self, int(bot.split(":")[0]), method, json.loads(rest[:length] or b"{}"))

    def tell(self, result):
        body = json.dumps({"ok": True, "result": result}).encode()
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                             % len(body) + body)


class Platform:
    """`bots` of them, with so many chats each; people write when `write` is called."""

    def __init__(self, bots, chats):
        self.bots, self.chats = bots, chats
        self.replies = collections.defaultdict(Reply)
        self.asked = collections.Counter()
        self.lines = 0
        self.waiting = {}
        self.is_written = False
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        server = self.loop.run_until_complete(
            self.loop.create_server(lambda: Line(self), "127.0.0.1", 0, backlog=4096))
        self.port = server.sockets[0].getsockname()[1]
        self.thread.start()
        return self

    def __exit__(self, *why):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    def chat_ids(self, bot):
        return range(bot * self.chats + 1, (bot + 1) * self.chats + 1)

    def updates(self, bot):
        return [{"update_id": chat, "message": {
                    "message_id": chat, "date": int(time.time()), "text": "go on",
                    "chat": {"id": chat, "type": "private", "first_name": "Ada"},
                    "from": {"id": 7, "is_bot": False, "first_name": "Ada"}}}
                for chat in self.chat_ids(bot)]

    def write(self):
        def now():
            self.is_written = True
            for bot, line in self.waiting.items():
                line.held.cancel()
                line.tell(self.updates(bot))
        self.loop.call_soon_threadsafe(now)

    def poll(self, line, bot, offset):
        if self.is_written and offset <= bot * self.chats:
            line.tell(self.updates(bot))
            return
        self.waiting[bot] = line
        line.held = self.loop.call_later(POLL_S, line.tell, [])

    def answer(self, line, bot, method, asked):
        if method == "getUpdates":
            self.poll(line, bot, asked.get("offset", 0))
        elif method == "getMe":
            line.tell({"id": bot + 1, "is_bot": True, "first_name": "Box", "username": f"box{bot}_bot"})
        elif method in ("sendMessage", "editMessageText"):
            chat = asked["chat_id"]
            self.replies[chat].changes.append((time.monotonic(), tokens_in(asked["text"])))
            line.tell({"message_id": chat + 1_000_000, "date": int(time.time()), "text": asked["text"],
                       "chat": {"id": chat, "type": "private"}})
        else:
            line.tell(True)
