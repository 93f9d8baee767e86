#!/usr/bin/env python3
"""The session of a page: good for our own user only, proved from both sides before a
secret is sent, and void where somebody else may have been offered it."""

import hashlib
import hmac
import os
import signal

from doors import as_other_user, bearer, session_of, status, upgrade
from lib import Box, WS, eventually, run, test
from tls import write_config

ID = 48  # characters of a half; what follows is its secret


def sign(half, *parts):
    text = "".join(part + " " for part in parts)
    return hmac.new(half[ID:].encode(), text.encode(), hashlib.sha256).hexdigest()


def origin(box):
    return f"http://127.0.0.1:{box.port}"


def ask_proof(box, half, nonce="00ff"):
    return box.request("POST", "/api/session", {"id": half[:ID], "nonce": nonce}, unix=False)


def answer_of(box, half, challenge, at=None):
    return {"id": half[:ID], "challenge": challenge,
            "answer": sign(half, "signalbox answer", at or origin(box), challenge)}


def come_back(box, half):
    """As the page does it: the server proves itself, then the page."""
    said = ask_proof(box, half).json()
    assert said["proof"] == sign(half, "signalbox server", origin(box), "00ff", said["challenge"]), said
    return box.request("POST", "/api/session", answer_of(box, half, said["challenge"]), unix=False)


def ticket(box, token):
    return box.request("POST", "/api/ticket", {}, bearer(token), unix=False)


@test("a page comes back after a restart by what it never sent; the token it did send is void")
def _():
    with Box() as box:
        session = session_of(box)
        assert ticket(box, session["token"]).status == 200
        box.restart()
        assert ticket(box, session["token"]).status == 401
        assert ask_proof(box, session["token"]).status == 401
        assert ticket(box, session["page"]).status == 401, "that half is no credential"
        back = come_back(box, session["page"])
        assert back.status == 200, back
        assert back.json()["page"] == session["page"] and back.json()["token"] != session["token"]
        assert ticket(box, back.json()["token"]).status == 200


@test("a tab that was reloaded comes back by its token, and has both halves again")
def _():
    with Box() as box:
        session = session_of(box)
        back = come_back(box, session["token"]).json()
        assert back["page"] == session["page"]


@test("a session ends when the token of the box is replaced")
def _():
    with Box() as box:
        session = session_of(box)
        (box.data / "token").write_text(os.urandom(32).hex() + "\n")
        assert box.request("POST", "/api/token/reload").status == 200
        assert ticket(box, session["token"]).status == 401
        for half in session["token"], session["page"]:
            assert ask_proof(box, half).status == 401


@test("what is not the answer to our own challenge, at this origin, opens nothing")
def _():
    with Box() as box:
        page = session_of(box)["page"]
        challenge = ask_proof(box, page).json()["challenge"]
        good = answer_of(box, page, challenge)
        bad = [
            answer_of(box, page, "0" * len(challenge)),
            answer_of(box, page, challenge[:-1] + "x"),
            answer_of(box, page, challenge, f"https://127.0.0.1:{box.port}"),
            answer_of(box, page, challenge, "http://127.0.0.1:1"),
            {**good, "answer": good["answer"][:-1]},
            {**good, "answer": ""},
            {**good, "id": "0" * ID},
        ]
        for body in bad:
            assert box.request("POST", "/api/session", body, unix=False).status == 401, body
        for body in ({"id": page[:ID]}, {"id": 1, "nonce": 2}, {"challenge": challenge}, {}, []):
            assert box.request("POST", "/api/session", body, unix=False).status == 400, body
        for nonce in ("", "xyz", "0" * 65):
            assert ask_proof(box, page, nonce).status == 401, nonce
        assert box.request("POST", "/api/session", good, unix=False).status == 200


@test("another user of this machine can use no code, no session and no ticket")
def _():
    with Box() as box:
        session = session_of(box)
        mine = ticket(box, session["token"]).json()["ticket"]
        code = box.request("POST", "/api/code").json()["code"]

        def post(body):
            return lambda: status(box, "/api/session", None, "POST", body) - 400

        assert as_other_user(post({"code": code})) == 3
        assert as_other_user(post({"id": session["page"][:ID], "nonce": "00"})) == 3
        assert as_other_user(lambda: upgrade(box, f"/ws?ticket={mine}") - 400) == 1
        assert upgrade(box, f"/ws?ticket={mine}") == 401, "it was shown elsewhere"
        assert as_other_user(lambda: status(box, "/api/status", bearer(session["token"])) - 400) == 3
        assert ticket(box, session["token"]).status == 401, "it was shown elsewhere"
        eventually(lambda: "another user of this machine has the session of a page" in box.log())
        assert come_back(box, session["page"]).status == 200


@test("a ticket that another user got for a token of its own is that user's")
def _():
    with Box() as box:
        token = box.bearer()

        def work():
            mine = box.request("POST", "/api/ticket", {}, token, unix=False).json()["ticket"]
            return upgrade(box, f"/ws?ticket={mine}") - 101

        assert as_other_user(work) == 0


@test("who goes on while a port is given up has to come in again; what is open stays open")
def _():
    box = Box(listen=())
    two = "listen: ['127.0.0.1:0', '[::1]:0']\n"
    box.args = ["--config", str(write_config(box, two))]
    with box.start():
        session = session_of(box)
        with WS(box, f"/ws?ticket={ticket(box, session['token']).json()['ticket']}") as ws:
            assert ws.json()["op"] == "hello"
            for text, want in ((two, 200), ("listen: ['127.0.0.1:0']\n", 401)):
                done = box.log().count("was read again")
                write_config(box, text)
                os.kill(box.pid, signal.SIGHUP)
                eventually(lambda: box.log().count("was read again") > done)
                assert ticket(box, session["token"]).status == want, text
            assert come_back(box, session["page"]).status == 200
            ws.send({"op": "ping", "ref": 1})
            assert ws.json()["op"] == "ack"


run()
