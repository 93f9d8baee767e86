"""Segments of a journal, as files: their lines, their batches, and the form they had once."""

import json
import struct

ENTRY = struct.Struct("<QQQIIBBHI")  # first, last, offset, length, crc, kind, format, place, self


def lines(path):
    """The signals of a segment, one line each, without heads and what is filled ahead."""
    return [line for line in path.read_bytes().split(b"\n") if line.startswith(b'{"seq":')]


def all_lines(data):
    return [line for path in sorted((data / "journal").glob("*.ndjson")) for line in lines(path)]


def batches(path):
    """(first, last, offset, length, crc, part) of each batch; the offset is that of its lines."""
    found, at = [], 0
    for line in path.read_bytes().split(b"\n"):
        at += len(line) + 1
        if line.startswith(b'{"commit":'):
            head = json.loads(line)
            found.append((head["first"], head["commit"], at, head["bytes"],
                          int(head["crc32c"], 16), head.get("part", 0)))
    return found


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def make_old(data):
    """As a signalbox of before has written it, lines and an index; the journal must be whole,
    and without gaps."""
    for path in sorted((data / "journal").glob("*.ndjson")):
        whole, bare, index = path.read_bytes(), b"", b""
        for first, last, offset, length, crc, part in batches(path):
            entry = ENTRY.pack(first, last, len(bare), length, crc, 1, 0, part, 0)[:-4]
            index += entry + struct.pack("<I", crc32c(entry))
            bare += whole[offset:offset + length]
        path.write_bytes(bare)
        path.with_suffix(".index").write_bytes(index)
    (data / "journal" / "format").write_text("signalbox journal 1\n")
