"""Voice sessions: what one that waits costs in memory, and mocked turns of a processor."""

import select
import socket
import time

from chats import memory
from servers import Failure, START_S
from table import OURS, Line, Row

SESSIONS = 1000
TALKERS = 100
FIRST = 100         # pay for what is made once, and are left out
TURN_S = 0.375
SETTLE_S = 0.3
UPGRADE = ("GET /ws/voice HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
IDLE = b'{"type":"session.state","payload":{"value":"idle"}}'
TRIGGER = b'{"type":"mocked.turn.trigger","payload":{}}'
FRAME = bytes([0x81, 0x80 | len(TRIGGER), 0, 0, 0, 0]) + TRIGGER  # masked with zeros


def join(server, token):
    client = socket.create_connection(("127.0.0.1", server.port), START_S)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.sendall(UPGRADE.format(port=server.port, token=token).encode())
    answer = b""
    while IDLE not in answer:
        more = client.recv(4096)
        if not more:
            raise Failure(f"a client was not let in: {answer[:80]}")
        answer += more
    return client


def idle(bench, side):
    with bench.running(side) as server:
        token = server.token()
        clients = [join(server, token) for _ in range(bench.few(FIRST))]
        time.sleep(SETTLE_S)
        before = memory(server)
        clients += [join(server, token) for _ in range(bench.few(SESSIONS))]
        time.sleep(SETTLE_S)
        held = memory(server)
        for client in clients:
            client.close()
    return {"mb": max(held - before, 0.001)}


def talk(clients, seconds):
    """Each begins its next turn when the one before has ended. How many ended."""
    poll, by_fd, ended = select.epoll(), {c.fileno(): c for c in clients}, 0
    for client in clients:
        poll.register(client, select.EPOLLIN)
        client.sendall(FRAME)
        time.sleep(TURN_S / len(clients))  # not all in one moment
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for fd, _ in poll.poll(0.1):
            heard = by_fd[fd].recv(65536)
            if not heard:
                raise Failure("a client was sent away")
            if IDLE in heard:
                ended += 1
                by_fd[fd].sendall(FRAME)
    poll.close()
    return ended


def turns(bench, side):
    with bench.running(side) as server:
        clients = [join(server, server.token()) for _ in range(bench.few(TALKERS))]
        begun, cpu = time.monotonic(), server.cpu_ns()
        ended = talk(clients, 0.5 if bench.tiny else max(bench.ms, 3000) / 1000)
        cpu, took = server.cpu_ns() - cpu, time.monotonic() - begun
        for client in clients:
            client.close()
    if not ended:
        raise Failure("no turn ended")
    return {"core": 100 * cpu / 1e9 / took, "us": cpu / ended / 1000}


ROWS = [
    Row("voice-idle", idle,
        Line("1,000 voice sessions that wait", "mb", "MB", 2), sides=OURS),
    Row("voice-turns", turns,
        Line("100 voice sessions in mocked turns, of one core", "core", "%", 5),
        Line("the same, a turn", "us", "us"), sides=OURS),
]
