#!/usr/bin/env python3
"""parrot.py - a model of few words, to try asks with.

It speaks OpenAI's Chat Completions on a free port of 127.0.0.1, prints its URL, and says
what it was told, a word at a time; told "slowly", it takes a second for each.
"""

import http.server
import json
import time


class Parrot(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer("application/json")
        self.wfile.write(b'{"object":"list","data":[{"id":"parrot","object":"model"}]}')

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = asked["messages"][-1]["content"]
        self.answer("text/event-stream")
        for word in told.split():
            self.say({"delta": {"content": word + " "}, "finish_reason": None})
            time.sleep(1 if "slowly" in told else 0)
        self.say({"delta": {}, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")

    def answer(self, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()

    def say(self, choice):
        chunk = {"object": "chat.completion.chunk", "model": "parrot", "choices": [{"index": 0, **choice}]}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Parrot)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
