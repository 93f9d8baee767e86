#!/usr/bin/env python3
"""What we keep of OpenClaw's gateway schema, against the packages that it is from."""

import os
import subprocess

from peers import LAB
from lib import ROOT, Skip, run, temp_dir, test

PROTOCOL = LAB / "oc-client/node_modules/@openclaw/gateway-protocol/protocol.schema.json"
OPENCLAW = LAB / "oc-latest/node_modules/openclaw"


def needs(*paths):
    for path in paths:
        if not path.exists():
            raise Skip(f"{path} is not there")


@test("schema/gateway.json and gateway-frames.json are what tools/gateway-slice makes")
def _():
    needs(PROTOCOL, OPENCLAW)
    folder = temp_dir()
    subprocess.run([ROOT / "tools/gateway-slice", PROTOCOL, OPENCLAW, folder], check=True)
    for name in ("gateway.json", "gateway-frames.json"):
        assert (folder / name).read_text() == (ROOT / "schema" / name).read_text(), name


@test("parameters are refused for the same reasons, in the reference's words")
def _():
    needs(OPENCLAW)
    program = [os.environ.get("NODE", "node"), ROOT / "tests/node/gateway-words.mjs", OPENCLAW.resolve()]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


run()
