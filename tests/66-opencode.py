#!/usr/bin/env python3
"""A server of opencode, scripted: streams that break, what was missed, the way back, hostile ones."""

import base64
import json
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlparse

from lib import Box, eventually, run, test

DIRECTORY = "/home/a/shop and more"


class Server:
    """As opencode's: events to whoever listens, and what is kept, by its routes."""

    def __init__(self, password=None, global_list=True):
        self.password, self.global_list = password, global_list
        self.sessions, self.messages, self.busy, self.permissions = {}, {}, {}, []
        self.questions = []
        self.heard, self.listeners, self.lock = [], [], threading.Lock()
        self.replies_with = 200
        self.lists = threading.Event()  # else who asks for sessions waits
        self.lists.set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def _handler(server):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, value, status=200):
                body = b"" if value is None else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass  # who asked is gone

            def is_let_in(self):
                if not server.password:
                    return True
                pair = base64.b64encode(f"opencode:{server.password}".encode()).decode()
                return self.headers.get("Authorization") == f"Basic {pair}"

            def stream(self):
                mine = queue.Queue()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                with server.lock:
                    server.listeners.append(mine)
                self.close_connection = True
                while (data := mine.get()) is not None:
                    try:
                        self.wfile.write(data)
                        self.wfile.flush()
                    except OSError:
                        return

            def do_GET(self):
                url = urlparse(self.path)
                asked = parse_qs(url.query).get("directory", [None])[0]
                if not self.is_let_in():
                    return self.answer({"error": "who are you"}, 401)
                if url.path == "/global/event":
                    return self.stream()
                if url.path == "/experimental/session" and not server.global_list:
                    return self.answer({}, 404)
                if url.path in ("/experimental/session", "/session"):
                    server.heard.append((url.path, asked, None))
                    server.lists.wait(60)
                    return self.answer(list(server.sessions.values()))
                if url.path == "/session/status":
                    return self.answer(server.busy if asked == DIRECTORY else {})
                if url.path == "/permission":
                    return self.answer(server.permissions if asked == DIRECTORY else [])
                if url.path == "/question":
                    return self.answer(server.questions if asked == DIRECTORY else [])
                if url.path.endswith("/message"):
                    return self.answer(server.messages.get(url.path.split("/")[2], []))
                return self.answer({}, 404)

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                url = urlparse(self.path)
                server.heard.append((url.path, parse_qs(url.query).get("directory", [None])[0],
                                     json.loads(body) if body else None))
                if url.path == "/session":
                    return self.answer(server.session(f"ses_new{len(server.sessions)}"))
                if url.path.endswith("/reply"):
                    return self.answer(True, server.replies_with)
                if url.path.endswith(("/abort", "/reject")):
                    return self.answer(True)
                return self.answer(None, 204)

        return Handler

    def session(self, id, **more):
        now = int(time.time() * 1000)
        info = {"id": id, "version": "1.18.18", "directory": DIRECTORY, "title": f"Title of {id}",
                "time": {"created": now, "updated": now}, **more}
        self.sessions[id] = info
        return info

    def send(self, data):
        with self.lock:
            listeners = list(self.listeners)
        for one in listeners:
            one.put(data)

    def event(self, type, **properties):
        payload = {"id": "evt_1", "type": type, "properties": properties}
        self.send(f"data: {json.dumps({'directory': DIRECTORY, 'payload': payload})}\n\n".encode())

    def cut(self):
        """Ends the streams in the middle of an event."""
        with self.lock:
            listeners, self.listeners = self.listeners, []
        for one in listeners:
            one.put(b'data: {"payload":{"type":"session.idle","prop')
            one.put(None)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.lists.set()
        self.cut()
        self.server.shutdown()
        self.server.server_close()


class Talk:
    """One turn of a session, told as opencode tells it and kept as it keeps it."""

    def __init__(self, server, session):
        self.server, self.session = server, session
        self.kept = server.messages.setdefault(session, [])

    def begin(self, message="msg_02", asked="go on"):
        user = {"id": "msg_01", "sessionID": self.session, "role": "user", "time": {"created": 1}}
        words = {"id": "prt_01", "messageID": "msg_01", "sessionID": self.session, "type": "text", "text": asked}
        info = {"id": message, "sessionID": self.session, "role": "assistant", "modelID": "m-1",
                "time": {"created": 2}}
        self.kept += [{"info": user, "parts": [words]}, {"info": info, "parts": []}]
        self.server.event("message.updated", info=user)
        self.server.event("message.part.updated", part=words)
        self.busy()
        self.server.event("message.updated", info=info)
        return self

    def busy(self):
        self.server.busy[self.session] = {"type": "busy"}
        self.server.event("session.status", sessionID=self.session, status={"type": "busy"})

    def part(self, id, message="msg_02", **more):
        part = {"id": id, "messageID": message, "sessionID": self.session, **more}
        kept = self.kept[-1]["parts"]
        kept[:] = [p for p in kept if p["id"] != id] + [part]
        self.server.event("message.part.updated", part=part)

    def delta(self, id, words, message="msg_02"):
        self.server.event("message.part.delta", sessionID=self.session, messageID=message, partID=id,
                          field="text", delta=words)

    def end(self, step="prt_90"):
        self.part(step, type="step-finish", reason="stop", cost=0.5,
                  tokens={"input": 7, "output": 3, "reasoning": 0, "cache": {"read": 0, "write": 0}})
        info = {**self.kept[-1]["info"], "time": {"created": 2, "completed": 3}}
        self.kept[-1]["info"] = info
        self.server.event("message.updated", info=info)
        self.server.busy.pop(self.session, None)
        self.server.event("session.status", sessionID=self.session, status={"type": "idle"})


def watch(box, server, **more):
    answer = box.request("POST", "/api/sources", {"id": "oc", "url": server.url, "protocol": "opencode", **more})
    assert answer.status == 201, answer
    eventually(lambda: source(box)["state"] == "connected" and server.listeners)


def source(box):
    (one,) = [s for s in box.request("GET", "/api/sources").json()["sources"] if s["id"] == "oc"]
    return one


def signals(box, *types):
    return [s for s in box.history() if s["type"] in types]


def text_of(box):
    return "".join(s["payload"]["content"] for s in signals(box, "text_delta"))


def state(box, session):
    found = [m for m in box.request("GET", "/api/crew").json()["members"] if m["id"] == session]
    return found[0]["state"]["name"] if found else None


def is_synced(box):
    """It takes asks when it has told what it does."""
    def asks():
        return box.request("POST", "/api/sources/oc/ask", {"prompt": "x", "session": "ses_none"}).json()
    eventually(lambda: "no such session" in asks().get("error", ""))


@test("a stream that breaks in the middle of a turn: the rest is told when it is back, and nothing twice")
def _():
    with Server() as server, Box() as box:
        server.session("ses_1")
        watch(box, server)
        talk = Talk(server, "ses_1").begin()
        talk.part("prt_02", type="text", text="", time={"start": 1})
        for words in ("one ", "two "):
            talk.delta("prt_02", words)
        talk.part("prt_03", type="tool", tool="bash", callID="c1", state={"status": "running", "input": {"command": "make"}})
        eventually(lambda: state(box, "ses_1") == "tool")
        server.cut()
        talk.delta("prt_02", "three ")  # nobody hears it
        talk.part("prt_03", type="tool", tool="bash", callID="c1",
                  state={"status": "completed", "input": {"command": "make"}, "output": "ok", "metadata": {"exit": 0}})
        eventually(lambda: server.listeners)
        eventually(lambda: signals(box, "tool_result"))
        talk.delta("prt_02", "four")  # it has a hole before it
        talk.part("prt_02", type="text", text="one two three four", time={"start": 1, "end": 2})
        talk.end()
        eventually(lambda: state(box, "ses_1") == "idle")
        assert text_of(box) == "one two three four", text_of(box)
        assert len(signals(box, "tool_call")) == 1 and len(signals(box, "tool_result")) == 1
        (spent,) = signals(box, "token_usage")
        assert spent["payload"]["cost"] == 0.5 and spent["payload"]["responseId"] == "prt_90", spent
        (task,) = signals(box, "task_dispatch")
        assert task["payload"]["description"] == "go on", task
        assert source(box)["badFrames"] == 0, source(box)


@test("a turn that ended while the stream was broken has its words, its tokens and its end")
def _():
    with Server(global_list=False) as server, Box() as box:
        server.session("ses_1")
        watch(box, server)
        talk = Talk(server, "ses_1").begin()
        talk.part("prt_02", type="text", text="", time={"start": 1})
        talk.delta("prt_02", "one ")
        eventually(lambda: text_of(box) == "one ")
        server.cut()
        talk.part("prt_02", type="text", text="one two", time={"start": 1, "end": 2})
        talk.end()
        eventually(lambda: state(box, "ses_1") == "idle")
        assert text_of(box) == "one two", text_of(box)
        assert len(signals(box, "token_usage")) == 1
        assert [s["payload"]["state"] for s in signals(box, "session.turn")] == ["began", "over"]


@test("a box that starts again goes on where it was, and tells nothing twice")
def _():
    with Server() as server, Box() as box:
        server.session("ses_1")
        watch(box, server)
        talk = Talk(server, "ses_1").begin()
        talk.part("prt_02", type="reasoning", text="hm", time={"start": 1, "end": 2})
        talk.part("prt_03", type="text", text="", time={"start": 1})
        talk.part("prt_04", type="tool", tool="bash", callID="c1", state={"status": "running", "input": {"command": "make"}})
        talk.delta("prt_03", "one ")
        eventually(lambda: text_of(box) == "one ")
        box.emit("mark")  # when it is on the disk, so is what was before it
        box.kill9()
        talk.part("prt_03", type="text", text="one two", time={"start": 1, "end": 2})
        talk.end()
        box.start()
        eventually(lambda: text_of(box) == "one two" and state(box, "ses_1") == "idle")
        assert len(signals(box, "thinking")) == 1 and len(signals(box, "tool_call")) == 1
        assert len(signals(box, "task_dispatch")) == 1


@test("what it wants to be allowed is answered here, once, in its own project")
def _():
    asked = {"id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["make"],
             "metadata": {"command": "make"}, "always": ["make *"]}
    with Server() as server, Box() as box:
        prompts = lambda: box.request("GET", "/api/prompts").json()["prompts"]
        server.session("ses_1")
        server.permissions.append(asked)  # before we came
        server.busy["ses_1"] = {"type": "busy"}
        watch(box, server)
        (prompt,) = eventually(prompts)
        assert prompt["prompt"].startswith("bash: make"), prompt
        assert [o["value"] for o in prompt["options"]] == ["once", "always", "reject"], prompt
        server.cut()
        eventually(lambda: server.listeners)
        is_synced(box)
        assert len(prompts()) == 1 and len(signals(box, "prompt")) == 1, prompts()
        answer = box.request("POST", f"/api/prompts/{prompt['id']}/answer", {"value": "once"})
        assert answer.status == 200, answer
        eventually(lambda: ("/permission/per_1/reply", DIRECTORY, {"reply": "once"}) in server.heard)
        server.permissions.clear()
        server.event("permission.replied", sessionID="ses_1", requestID="per_1", reply="once")
        (settled,) = eventually(lambda: signals(box, "prompt.settled"))
        assert settled["payload"]["decision"] == "once", settled
        server.event("permission.asked", **{**asked, "id": "per_2"})
        eventually(prompts)
        server.event("permission.replied", sessionID="ses_1", requestID="per_2", reply="reject")
        eventually(lambda: not prompts())


QUESTIONS = {"id": "que_1", "sessionID": "ses_1", "tool": {"messageID": "msg_1", "callID": "c1"}, "questions": [
    {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red", "description": "as fire"},
                                                                  {"label": "Blue", "description": ""}]},
    {"question": "Which tools?", "header": "Tools", "multiple": True, "custom": False,
     "options": [{"label": "awk", "description": ""}, {"label": "sed", "description": ""}]}]}


def answer(box, prompt, value):
    said = box.request("POST", f"/api/prompts/{quote(prompt['id'], safe='')}/answer", {"value": value})
    assert said.status == 200, said


@test("what its tool asks is asked here, one question after the other, and goes back in one answer")
def _():
    with Server() as server, Box() as box:
        def prompt(words):
            return eventually(lambda: [p for p in box.request("GET", "/api/prompts").json()["prompts"]
                                       if words in p["prompt"]])[0]
        server.session("ses_1")
        server.questions.append(QUESTIONS)  # before we came
        server.busy["ses_1"] = {"type": "busy"}
        watch(box, server)
        first = prompt("Which colour?")
        assert (first["type"], [o["value"] for o in first["options"]]) == ("select", ["Red", "Blue", "(other)"]), first
        eventually(lambda: state(box, "ses_1") == "asks")
        server.cut()
        eventually(lambda: server.listeners)
        is_synced(box)
        assert len(signals(box, "prompt")) == 1, signals(box, "prompt")
        answer(box, first, "(other)")
        answer(box, prompt("An answer of your own: Which colour?"), "Green\n")
        second = prompt("Which tools?")
        assert (second["type"], [o["value"] for o in second["options"]]) == ("multi", ["awk", "sed"]), second
        answer(box, second, ["awk", "sed"])
        eventually(lambda: ("/question/que_1/reply", DIRECTORY, {"answers": [["Green\n"], ["awk", "sed"]]}) in server.heard)
        server.questions.clear()
        server.event("question.replied", sessionID="ses_1", requestID="que_1", answers=[["Green\n"], ["awk", "sed"]])
        eventually(lambda: not box.request("GET", "/api/prompts").json()["prompts"])
        assert len(signals(box, "prompt")) == 3, signals(box, "prompt")
        assert source(box)["badFrames"] == 0, source(box)


@test("what its tool asks is closed when it is answered there, when nobody asks any more, and rejected when it is dismissed")
def _():
    with Server() as server, Box() as box:
        prompts = lambda: box.request("GET", "/api/prompts").json()["prompts"]
        server.session("ses_1")
        watch(box, server)
        is_synced(box)
        server.event("question.asked", **{**QUESTIONS, "id": "que_2"})
        eventually(prompts)
        server.event("question.replied", sessionID="ses_1", requestID="que_2", answers=[["Red"], ["awk"]])
        eventually(lambda: not prompts())
        assert [s["payload"]["decision"] for s in signals(box, "prompt.settled")] == ["Red"], signals(box, "prompt.settled")
        server.event("question.asked", **{**QUESTIONS, "id": "que_3"})
        eventually(prompts)
        server.event("question.rejected", sessionID="ses_1", requestID="que_3")
        eventually(lambda: not prompts())
        server.event("question.asked", **{**QUESTIONS, "id": "que_4"})
        eventually(prompts)
        server.cut()
        eventually(lambda: not prompts())
        eventually(lambda: server.listeners)
        is_synced(box)
        server.event("question.asked", **{**QUESTIONS, "id": "que_5"})
        (asked,) = eventually(prompts)
        said = box.request("POST", f"/api/prompts/{quote(asked['id'], safe='')}/answer", {"cancelled": True})
        assert said.status == 200, said
        eventually(lambda: ("/question/que_5/reject", DIRECTORY, {}) in server.heard)


@test("a long answer is told whole, however many turns that takes")
def _():
    with Server() as server, Box() as box:
        server.session("ses_1")
        watch(box, server)
        talk = Talk(server, "ses_1").begin()
        eventually(lambda: state(box, "ses_1") == "thinking")
        server.cut()
        pieces = [f"<{i}>" + "x" * 60_000 for i in range(50)]
        for i, words in enumerate(pieces):
            talk.part(f"prt_{i + 10}", type="text", text=words, time={"start": 1, "end": 2})
        talk.part("prt_vast", type="file", mime="image/png", url="data:" + "y" * 900_000)
        talk.end()
        eventually(lambda: state(box, "ses_1") == "idle")
        assert text_of(box) == "".join(pieces)
        assert len(signals(box, "token_usage")) == 1 and source(box)["badFrames"] == 0, source(box)


@test("a question that is not asked any more when the stream is back is closed")
def _():
    with Server() as server, Box() as box:
        prompts = lambda: box.request("GET", "/api/prompts").json()["prompts"]
        server.session("ses_1")
        watch(box, server)
        is_synced(box)
        server.event("permission.asked", id="per_1", sessionID="ses_1", permission="edit", patterns=[],
                     metadata={}, always=[])
        eventually(prompts)
        server.cut()
        eventually(lambda: not prompts())


@test("asks: a session is made or named, a busy one refuses, a cancel is an abort, each has one end")
def _():
    with Server() as server, Box() as box:
        watch(box, server)
        is_synced(box)
        ask = lambda **body: box.request("POST", "/api/sources/oc/ask", {"prompt": "mend it", **body})
        run = ask(model="p/m-2").json()["run"]
        body = {"model": {"providerID": "p", "modelID": "m-2"}, "parts": [{"type": "text", "text": "mend it"}]}
        eventually(lambda: ("/session/ses_new0/prompt_async", DIRECTORY, body) in server.heard)
        refused = eventually(lambda: (a := ask(session="ses_new0")).status == 409 and a)
        assert "at work" in refused.json()["error"], refused
        assert ask(model="nameless").status == 409
        talk = Talk(server, "ses_new0").begin(asked="mend it")
        talk.part("prt_02", type="text", text="mended", time={"start": 1, "end": 2})
        talk.end()
        ends = lambda of: [s["payload"] for s in signals(box, "completion", "error") if s["correlationId"] == of]
        (end,) = eventually(lambda: ends(run))
        assert end["success"] and end["result"] == "mended", end
        assert len(signals(box, "task_dispatch")) == 1
        second = ask(session="ses_new0").json()["run"]
        eventually(lambda: ("/session/ses_new0/prompt_async", DIRECTORY, {"parts": body["parts"]}) in server.heard)
        talk.busy()
        answer = box.request("POST", f"/api/runs/{second}/cancel", {})
        assert answer.status == 200, answer
        assert ("/session/ses_new0/abort", DIRECTORY, None) in server.heard, server.heard
        server.event("session.error", sessionID="ses_new0", error={"name": "MessageAbortedError", "data": {}})
        server.event("session.status", sessionID="ses_new0", status={"type": "idle"})
        (end,) = eventually(lambda: ends(second))
        assert not end["success"] and end["result"] == "cancelled", end
        members = box.request("GET", "/api/crew").json()["members"]
        assert [m["id"] for m in members] == ["ses_new0"], members


@test("an ask of a session that opencode does not know begins one, which has that name from then on")
def _():
    with Server() as server, Box() as box:
        watch(box, server)
        is_synced(box)
        ask = lambda session: box.request("POST", "/api/sources/oc/ask", {"prompt": "x", "session": session})
        prompts = lambda: [path for path, *_ in server.heard if path.endswith("/prompt_async")]
        made = lambda: [path for path, *_, body in server.heard if (path, body) == ("/session", {})]
        assert ask("main").status in (200, 202)
        eventually(lambda: prompts() == ["/session/ses_new0/prompt_async"])
        refused = ask("main")
        assert refused.status == 409 and "at work" in refused.json()["error"], refused
        Talk(server, "ses_new0").begin().end()
        eventually(lambda: ask("main").status in (200, 202))
        eventually(lambda: prompts() == ["/session/ses_new0/prompt_async"] * 2)
        assert ask("agent:main:desk").status in (200, 202)
        eventually(lambda: prompts()[2:] == ["/session/ses_new1/prompt_async"])
        assert len(made()) == 2, server.heard
        refused = ask("ses_none")
        assert refused.status == 409 and "no such session" in refused.json()["error"], refused
        refused = ask("x" * 129)
        assert refused.status in (400, 409), refused


@test("what was missed is made up for, though the stream breaks again before it is")
def _():
    with Server() as server, Box() as box:
        watch(box, server)
        is_synced(box)
        server.lists.clear()
        server.heard.clear()
        server.cut()
        eventually(lambda: source(box)["state"] != "connected")
        lost = time.time()
        # Written a minute before the first loss at most, and before that of the second loss.
        updated = int(lost * 1000) - 55_000
        server.session("ses_1", time={"created": updated, "updated": updated})
        talk = Talk(server, "ses_1").begin()
        talk.part("prt_02", type="text", text="missed", time={"start": 1, "end": 2})
        talk.end()
        eventually(lambda: server.listeners and server.heard)
        time.sleep(max(0, lost + 7 - time.time()))
        server.cut()
        eventually(lambda: source(box)["state"] != "connected")
        server.lists.set()
        eventually(lambda: text_of(box) == "missed")


@test("a server on this machine that nobody reaches any more is gone with its sessions and asks")
def _():
    with Box() as box:
        with Server() as server:
            watch(box, server)
            is_synced(box)
            run = box.request("POST", "/api/sources/oc/ask", {"prompt": "x"}).json()["run"]
            eventually(lambda: any(path.endswith("prompt_async") for path, *_ in server.heard))
            for session in ("ses_new0", "ses_1"):
                Talk(server, session).busy()
                eventually(lambda: state(box, session) == "thinking")
        eventually(lambda: state(box, "ses_1") == "gone" and state(box, "ses_new0") == "failed")
        (end,) = [s for s in signals(box, "completion", "error") if s["correlationId"] == run]
        assert end["payload"]["message"] == "opencode ended", end


@test("a password is sent by basic authentication; without it the source is an error, and says why")
def _():
    with Server(password="not a real one") as server, Box() as box:
        watch(box, server, credential="not a real one")
        assert box.request("DELETE", "/api/sources/oc").status in (200, 204)
        box.request("POST", "/api/sources", {"id": "oc", "url": server.url, "protocol": "opencode"})
        eventually(lambda: source(box)["state"] == "error" and "401" in source(box)["error"])


@test("a server at its port of this machine is found, and connected when somebody says so")
def _():
    with Server() as server, Box(env={"SIGNALBOX_DISCOVER_OPENCODE": f"127.0.0.1:{server.port}"}) as box:
        def is_found():
            services = box.request("POST", "/api/discover/rescan").json()["services"]
            return [s for s in services if s["id"] == "local:opencode" and s["available"]]
        (found,) = eventually(is_found)
        assert found["protocol"] == "opencode" and found["url"] == server.url, found
        assert not server.listeners
        assert box.request("POST", "/api/sources/local:opencode/connect", {}).status == 200
        eventually(lambda: server.listeners)


@test("a long text is told whole and once, by the stream and after it was missed, and what follows comes behind it")
def _():
    words = "".join(f"{i} é words, " for i in range(60_000))[:600_000]
    with Server() as server, Box() as box:
        watch(box, server)
        server.session("ses_one")
        turn = Talk(server, "ses_one").begin()
        turn.part("prt_10", type="text", text=words, time={"start": 1, "end": 2})
        turn.part("prt_11", type="text", text="Behind it.", time={"start": 1, "end": 2})
        turn.end()
        eventually(lambda: state(box, "ses_one") == "idle")
        assert text_of(box) == words + "Behind it.", len(text_of(box))
        server.cut()
        server.session("ses_two")
        other = Talk(server, "ses_two").begin()
        other.part("prt_20", type="text", text=words, time={"start": 1, "end": 2})
        other.end()
        eventually(lambda: text_of(box) == words + "Behind it." + words)


@test("a hostile server: events that are none or too long are counted, and the rest is told")
def _():
    with Server() as server, Box() as box:
        watch(box, server)
        server.send(b"data: {nonsense\n\ndata: []\n\ndata: 7\n\n")
        server.send(b"data: " + b"x" * (5 << 20) + b"\n\n")
        server.event("message.part.updated", part={"id": "p" * 4096, "sessionID": "s", "messageID": "m"})
        server.event("session.updated", info={"id": "../../x?y", "directory": "/\u0000x", "title": 7})
        server.event("session.status", sessionID="ses_1", status={"type": "busy"})
        eventually(lambda: state(box, "ses_1") == "thinking")
        assert source(box)["state"] == "connected" and source(box)["badFrames"] >= 3, source(box)


@test("a hostile server: of what it lists no more is looked at than was asked for")
def _():
    with Server() as server, Box() as box:
        for i in range(2000):
            server.session(f"ses_{i}", directory=f"/d{i}")
        watch(box, server)
        is_synced(box)
        assert len({s["correlationId"] for s in signals(box, "session.facts")}) == 50
        assert box.request("DELETE", "/api/sources/oc").status in (200, 204)
    with Server() as server, Box() as box:
        server.session("ses_1")
        talk = Talk(server, "ses_1").begin()
        talk.kept[-1]["parts"] = [
            {"id": f"prt_{i}", "messageID": "msg_02", "sessionID": "ses_1", "type": "text", "text": "a"}
            for i in range(2000)]
        server.permissions = [
            {"id": f"per_{i}", "sessionID": "ses_1", "permission": "edit", "patterns": [], "metadata": {}, "always": []}
            for i in range(1000)]
        watch(box, server)
        is_synced(box)
        assert text_of(box) == "a" * 255, len(text_of(box))  # with that of the user, 256 parts
        assert len(signals(box, "prompt")) <= 128
        assert source(box)["state"] == "connected" and source(box)["badFrames"] == 2, source(box)
        server.busy.update({f"ses_{i}": {"type": "busy"} for i in range(2000)})
        server.cut()
        eventually(lambda: source(box)["badFrames"] > 2)
        is_synced(box)
        assert state(box, "ses_1999") is None


run()
