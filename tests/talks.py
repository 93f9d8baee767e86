"""A client of voice sessions, shared by their tests."""

from lib import WS

BUSY = {"code": "mocked_turn_in_flight", "retryable": True,
        "message": "Only one mocked turn can run per session at a time."}


def state(value):
    return {"type": "session.state", "payload": {"value": value}}


def words(kind, text):
    return {"type": kind, "payload": {"text": text}}


def until(talk, *kinds):
    """All events up to one of these."""
    events = []
    while not events or events[-1]["type"] not in kinds:
        events.append(talk.json())
    return events


class Talk(WS):
    """A client after its greeting."""

    def __init__(self, box, path="/ws/voice", headers=None, unix=True):
        super().__init__(box, path, headers, unix=unix)
        self.ready = self.json()
        self.first = self.json()
        assert self.ready["type"] == "session.ready", self.ready
        self.id = self.ready["payload"]["sessionId"]

    def tell(self, kind, **payload):
        self.send({"type": kind, "payload": payload})

    def expect(self, *events):
        for event in events:
            said = self.json()
            assert said == event, (said, event)

    def start(self, *features):
        self.tell("session.start", features=list(features))
        ready, now = self.json()["payload"], self.json()["payload"]
        return ready, now

    def error(self):
        said = self.json()
        assert said["type"] == "error", said
        return said["payload"]
