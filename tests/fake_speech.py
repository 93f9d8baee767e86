"""A server of the tests' own that hears and speaks, in OpenAI's shape: it checks every field of
every request, streams as the real one does, and can be as bad as servers are."""

import email
import io
import json
import sys
import threading
import wave
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from later import later

KEY = "sesame-open-the-door"
RATE = 24000
HEARS = {"file", "model", "language", "response_format", "stream", "prompt", "temperature"}
SPEAKS = {"model": str, "input": str, "voice": str, "response_format": str, "speed": float,
          "instructions": str, "stream_format": str}
SOUNDS = {"mp3", "opus", "aac", "flac", "wav", "pcm"}


class Refused(Exception):
    def __init__(self, status, words):
        super().__init__(words)
        self.status = status
        self.body = {"error": {"message": words, "type": "invalid_request_error", "code": None}}


def need(right, words, status=400):
    if not right:
        raise Refused(status, words)


def tone(text):
    """The sound of a text: so many samples of a number that each text has for itself."""
    value = 1 + sum(text.encode()) % 30000
    return value.to_bytes(2, "little") * (200 * len(text))


class Heard:
    """What was asked to be heard."""

    def __init__(self, fields):
        self.fields = {name: part for name, part in fields.items() if name != "file"}
        part = fields["file"]
        self.name, self.type = part.get_filename(), part.get_content_type()
        self.bytes = part.get_payload(decode=True)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, address):
        """Whoever leaves in the middle is noted, and anything else is said."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


class FakeSpeech:
    """words: what is heard; trouble: what goes wrong instead, by route."""

    def __init__(self, key=KEY, words="What is the time?", streams=True):
        self.key, self.words, self.streams = key, words, streams
        self.heard, self.said, self.faults = [], [], []
        self.trouble = {}
        self.left = []  # requests that the box gave up in the middle
        self.gate = threading.Event()  # what waits, waits for it
        self.lock = threading.Lock()
        self.server = Server(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        assert not self.faults, self.faults

    def stop(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()

    # --- requests -------------------------------------------------------------

    def check_heard(self, kind, body):
        message = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
        need(message.is_multipart(), "the body is no form")
        fields = {}
        for part in message.get_payload():
            name = part.get_param("name", header="content-disposition")
            need(name in HEARS, f"Unknown parameter: {name}")
            need(name not in fields, f"Twice: {name}")
            need((part.get_filename() is not None) == (name == "file"), f"{name} is no file")
            fields[name] = part if name == "file" else part.get_payload(decode=True).decode()
        need(fields.get("model"), "you must provide a model parameter")
        need("file" in fields, "file is missing")
        need(fields.get("response_format", "json") in ("json", "text", "verbose_json"), "response_format")
        need(fields.get("stream", "false") in ("true", "false"), "stream is no boolean")
        need(len(fields.get("language", "en")) == 2, "language is no ISO-639-1")
        return Heard(fields)

    def check_said(self, kind, body):
        need(kind == "application/json", "unsupported content type", 415)
        wish = json.loads(body)
        for name, value in wish.items():
            need(name in SPEAKS, f"Unknown parameter: {name}")
            need(isinstance(value, SPEAKS[name]), f"{name} has a wrong type")
        for name in ("model", "input", "voice"):
            need(wish.get(name), f"{name} is missing")
        need(len(wish["input"]) <= 4096, "input is too long")
        need(wish.get("response_format", "mp3") in SOUNDS, "response_format")
        return wish

    # --- answers --------------------------------------------------------------

    def words_stream(self):
        """As it is given: deltas, then all of it."""
        for word in self.words.split(" "):
            delta = word if word == self.words.split(" ")[0] else " " + word
            yield {"type": "transcript.text.delta", "delta": delta, "logprobs": []}
        yield {"type": "transcript.text.done", "text": self.words,
               "usage": {"type": "tokens", "input_tokens": 14, "output_tokens": 45}}

    def _handler(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def begin(self, type, status=200, length=None):
                self.send_response(status)
                self.send_header("Content-Type", type)
                if length is None:
                    self.send_header("Transfer-Encoding", "chunked")
                else:
                    self.send_header("Content-Length", str(length))
                self.end_headers()

            def chunk(self, data):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

            def whole(self, value, status=200, type="application/json"):
                data = value.encode() if isinstance(value, str) else json.dumps(later(value)).encode()
                self.begin(type, status, len(data))
                self.wfile.write(data)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                route = self.path.removeprefix("/v1/audio/")
                try:
                    need(route in ("transcriptions", "speech"), f"no route {self.path}", 404)
                    if fake.key:
                        got = self.headers.get("Authorization")
                        need(got == f"Bearer {fake.key}", f"Incorrect API key provided: {got}", 401)
                    kind = self.headers["Content-Type"]
                    if route == "speech":
                        asked = fake.check_said(kind, body)
                        fake.said.append(asked)
                    else:
                        asked = fake.check_heard(kind, body)
                        fake.heard.append(asked)
                    self.answer(route, asked)
                except Refused as refused:
                    if refused.status in (400, 415):
                        fake.faults.append(str(refused))
                    self.whole(refused.body, refused.status)
                except (ConnectionError, BrokenPipeError):
                    fake.left.append(route)
                    self.close_connection = True

            def answer(self, route, asked):
                if (trouble := fake.trouble.get(route)):
                    return getattr(self, f"be_{trouble}")(route, asked)
                return self.speak(asked) if route == "speech" else self.hear(asked)

            def hear(self, asked):
                if not fake.streams or asked.fields.get("stream") != "true":
                    return self.whole({"text": fake.words})
                self.begin("text/event-stream; charset=utf-8")
                for event in fake.words_stream():
                    self.chunk(f"data: {json.dumps(later(event))}\n\n".encode())
                self.chunk(b"")

            def speak(self, asked, piece=4096):
                sound = tone(asked["input"])
                self.begin("audio/pcm")
                for at in range(0, len(sound), piece):
                    self.chunk(sound[at:at + piece])
                self.chunk(b"")

            # --- trouble ---

            def be_odd(self, route, asked):
                self.speak(asked, 1001)

            def be_dead(self, route, asked):
                self.close_connection = True

            def be_cut(self, route, asked):
                self.begin("audio/pcm" if route == "speech" else "application/json", length=100000)
                self.wfile.write(b"\1\0" * 3000)
                self.close_connection = True

            def be_silent(self, route, asked):
                """It waits, and sees that the box leaves."""
                self.connection.settimeout(60)
                if not self.rfile.read(1):
                    fake.left.append(route)
                self.close_connection = True

            def be_endless(self, route, asked):
                self.begin("audio/pcm" if route == "speech" else "application/json")
                for _ in range(10 * 160):
                    self.chunk(b" " * 65536)

            def be_html(self, route, asked):
                self.whole("<html><h1>It works!</h1></html>", type="text/html")

            def be_busy(self, route, asked):
                self.whole({"error": {"message": "Rate limit reached", "type": "requests"}}, 429)

            def be_moved(self, route, asked):
                self.send_response(308)
                self.send_header("Location", f"http://127.0.0.2:{self.server.server_address[1]}/v1")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def be_float(self, route, asked):
                self.wav(3, 32, 1, RATE, b"\0\0\0\0" * RATE)

            def be_stereo(self, route, asked):
                """A file of a second, of another rate."""
                self.wav(1, 16, 2, 22050, b"\1\0\1\0" * 22050)

            def wav(self, form, bits, channels, rate, sound):
                frame = channels * bits // 8
                self.begin("audio/wav")
                self.chunk(b"RIFF\xff\xff\xff\xffWAVEfmt " + (16).to_bytes(4, "little") +
                           form.to_bytes(2, "little") + channels.to_bytes(2, "little") +
                           rate.to_bytes(4, "little") + (rate * frame).to_bytes(4, "little") +
                           frame.to_bytes(2, "little") + bits.to_bytes(2, "little") +
                           b"data\xff\xff\xff\xff")
                for at in range(0, len(sound), 999):
                    self.chunk(sound[at:at + 999])
                self.chunk(b"")

            def log_message(self, *_):
                pass

        return Handler


def wav_of(data):
    """(rate, channels, bytes)."""
    with wave.open(io.BytesIO(data)) as file:
        return file.getframerate(), file.getnchannels(), file.readframes(file.getnframes())
