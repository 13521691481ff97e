#!/usr/bin/env python3
"""Conversations to start the fuzzers of Bolt from: bolt_seeds.py FOLDER_BEFORE FOLDER_AFTER. Those of corpus/ were made so."""
import pathlib
import struct
import sys


def pack(v):
    if v is None:
        return b"\xc0"
    if v is True or v is False:
        return b"\xc3" if v else b"\xc2"
    if isinstance(v, int):
        if -16 <= v < 128:
            return struct.pack(">b", v)
        return b"\xcb" + struct.pack(">q", v)
    if isinstance(v, float):
        return b"\xc1" + struct.pack(">d", v)
    if isinstance(v, bytes):
        return b"\xcc" + bytes([len(v)]) + v
    if isinstance(v, str):
        e = v.encode()
        return (bytes([0x80 | len(e)]) if len(e) < 16 else b"\xd1" + struct.pack(">H", len(e))) + e
    if isinstance(v, list):
        return (bytes([0x90 | len(v)]) if len(v) < 16 else b"\xd4" + bytes([len(v)])) + b"".join(map(pack, v))
    if isinstance(v, dict):
        return bytes([0xA0 | len(v)]) + b"".join(pack(k) + pack(x) for k, x in v.items())
    tag, *fields = v                                       # a structure is a tuple
    return bytes([0xB0 | len(fields), tag]) + b"".join(map(pack, fields))


def say(*messages):
    return b"".join(struct.pack(">H", len(m)) + m + b"\0\0" for m in map(pack, messages))


HELLO, LOGON, RESET, BYE = (0x01, {"user_agent": "x/1", "routing": {"address": "h:7687"}}), (0x6A, {"scheme": "basic", "principal": "p", "credentials": "c"}), (0x0F,), (0x02,)
BEGIN, COMMIT, ROLLBACK, PULL = (0x11, {"mode": "w", "tx_timeout": 1000}), (0x12,), (0x13,), (0x3F, {"n": -1})


def run(text, parameters=None, extra=None):
    return (0x10, text, parameters or {}, extra or {})


MAGIC = bytes.fromhex("6060b017")
BEFORE = {
    "manifest": MAGIC + bytes.fromhex("000001ff000808050002040400000003") + bytes.fromhex("0000000600") + say(HELLO, LOGON, run("RETURN 1"), PULL, BYE),
    "old": MAGIC + bytes.fromhex("00020404000000000000000000000000") + say((0x01, {"user_agent": "x", "patch_bolt": ["utc"], "scheme": "none"}), run("RETURN 1"), PULL),
    "five": MAGIC + bytes.fromhex("00070705000204040000010400000003") + say(HELLO, LOGON, RESET, (0x66, {"address": "a"}, [], {"db": "neo4j"})),
    "early": MAGIC + bytes.fromhex("00000405000000000000000000000000") + say(HELLO, run("RETURN 1"), RESET, LOGON),
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls": bytes.fromhex("160301020001000200"),
    "noops": MAGIC + bytes.fromhex("00000405000000000000000000000000") + b"\0\0" * 20 + say(HELLO),
}
EVERY = [1, -200, 1.5, "text", b"\0\xff", None, True, [1, [2]], {"k": {"l": []}}, (0x44, 18000), (0x74, 5), (0x54, 5, 3600), (0x64, 1, 2), (0x49, 1, 2, 3600),
         (0x69, 1, 2, "Europe/Stockholm"), (0x45, 1, 2, 3, 4), (0x58, 7203, 1.0, 2.0), (0x59, 9157, 1.0, 2.0, 3.0), (0x56, b"\xc6", b"\x3f\x80\0\0")]
AFTER = {
    "values": say(run("RETURN $p AS p", {"p": EVERY}), PULL),
    "old_values": say(run("RETURN $p", {"p": [(0x46, 1, 2, 3600), (0x66, 1, 2, "UTC")]}), PULL),
    "transaction": say(BEGIN, run("UNWIND range(1, 5) AS x CREATE (n:A {x: x}) RETURN n"), (0x3F, {"n": 2}), run("MATCH (n:A) RETURN n.x"), (0x3F, {"n": 1, "qid": 0}),
                       (0x2F, {"n": -1, "qid": 1}), COMMIT, run("MATCH (n) RETURN count(n)"), PULL),
    "failure": say(run("RETURN foo"), PULL, run("RETURN 1"), RESET, run("CREATE p = (:A {x: 1})-[:R {y: 2}]->(:B) RETURN p"), PULL, ROLLBACK),
    "metadata": say(run("PROFILE MATCH (a), (b) RETURN a, b", {}, {"db": "neo4j", "bookmarks": ["fornix:1"], "notifications_minimum_severity": "WARNING",
                                                                   "notifications_disabled_categories": ["HINT"], "tx_metadata": {"a": 1}}), PULL, (0x54, 1), (0x6B,), LOGON),
    "large": say(run("UNWIND range(1, 100000) AS x RETURN x, 'row'"), PULL, RESET, BYE),
    "read": say((0x11, {"mode": "r"}), run("CREATE (:A)"), PULL, RESET, run("CREATE (:A)", {}, {"mode": "r"})),
}


def main():
    before, after = (pathlib.Path(p) for p in sys.argv[1:3])
    for folder in (before, after):
        folder.mkdir(parents=True, exist_ok=True)
    for name, conversation in BEFORE.items():
        (before / name).write_bytes(conversation)
    for name, conversation in AFTER.items():
        for version in range(6):
            (after / f"{name}-{version}").write_bytes(bytes([version]) + conversation)


main()
