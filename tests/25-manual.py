#!/usr/bin/env python3
"""The manual is true: its examples run, its links lead somewhere, its tables are in step.

How a page is read is in tests/manual.py.  MANUAL=journal tests/25-manual.py reads the
pages whose name has that in it.
"""
# long

import concurrent.futures
import functools
import re
import subprocess

import manual
from lib import ROOT, SIGNALBOX, cli, comment, environment, run, temp_dir, test

AT_ONCE = 3
# How many blocks of a page may be for the eye only.  Man pages have one, unless named here.
NOT_RUN = {"README.md": 1}


@functools.cache
def readings():
    """Every page, read once: {name: (what is wrong, what boxes were asked)}."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        found = [p for p in manual.pages() if any(b.runs for b in p.blocks)]
        return dict(zip([p.name for p in found], pool.map(manual.read, found)))


@test("every example of the manual runs as written and prints what it says")
def _():
    wrong = [said for said, _ in readings().values() if said]
    for said in wrong:
        comment(said)
    assert not wrong, f"{len(wrong)} of {len(readings())} pages"


run()
