"""What boxes answered, kept for tests/node/99-openapi.mjs to hold against schema/openapi.yaml.

Each test writes a file of its own below $TEST_ANSWERS, a line for each answer:
{"test","method","path","status","type","body"?}.  Of answers that are alike in method, path and
status a test keeps the first hundred, and no body above 256 KiB."""

import collections
import json
import os
import re
import sys
from pathlib import Path

ALIKE_MAX = 100
BODY_MAX = 256 * 1024
REQUEST_LINE = re.compile(rb"\A(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (/\S*) HTTP/1\.1\r\n")

_seen = collections.Counter()


def asked(data):
    """The method and path with which these bytes begin; None when they are no request."""
    found = REQUEST_LINE.match(data)
    return found and (found[1].decode(), found[2].decode("latin-1"))


def note(request, response):
    folder = os.environ.get("TEST_ANSWERS")
    if not folder or request is None:
        return
    method, path = request
    alike = method, path.partition("?")[0], response.status
    _seen[alike] += 1
    if _seen[alike] > ALIKE_MAX:
        return
    line = {"test": Path(sys.argv[0]).name, "method": method, "path": path, "status": response.status,
            "type": response.headers.get("content-type")}
    if len(response.body) <= BODY_MAX:
        line["body"] = response.body.decode(errors="replace")
    try:
        with open(Path(folder) / f"{os.getpid()}.ndjson", "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except PermissionError:
        pass  # a test that has become another user for a moment
