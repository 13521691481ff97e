#!/usr/bin/env python3
"""Hostile bytes at a served port: hostile.py FORNIX. After each the server answers an honest client at once, and in the end its memory is back.

What the session makes of messages is asked in session_test.cc and fuzzed; here it is sockets: silence, floods, half a conversation, many connections.
"""
import http.client
import importlib.util
import json
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.argv, arguments = ["bolt_seeds.py", tempfile.mkdtemp(), tempfile.mkdtemp()], sys.argv
spec = importlib.util.spec_from_file_location("bolt_seeds", HERE.parent / "fuzz" / "bolt_seeds.py")
seeds = importlib.util.module_from_spec(spec)
spec.loader.exec_module(seeds)
say, run = seeds.say, seeds.run
HELLO = bytes.fromhex("6060b01700000405000000000000000000000000")
GREETING = say((0x01, {"user_agent": "x"}), (0x6A, {"scheme": "none"}))
LOGON_SECONDS = 5          # of the server
failures = 0


class Peer:
    def __init__(self, port, greet=True):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.bytes = b""
        if greet:
            self.socket.sendall(HELLO + GREETING)
            assert self.exactly(4) == b"\0\0\x04\x05"
            for _ in range(2):
                assert self.message()[1] == 0x70

    def exactly(self, n):
        while len(self.bytes) < n:
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError
            self.bytes += more
        taken, self.bytes = self.bytes[:n], self.bytes[n:]
        return taken

    def message(self):
        whole = b""
        while True:
            size = struct.unpack(">H", self.exactly(2))[0]
            if size == 0 and whole:
                return whole
            whole += self.exactly(size)

    def tags(self, n):
        return [self.message()[1] for _ in range(n)]

    def gone(self, seconds):
        """Whether the server ends the connection within that time."""
        self.socket.settimeout(seconds)
        try:
            while self.socket.recv(1 << 16):
                pass
            return True
        except ConnectionError:
            return True
        except TimeoutError:
            return False


def check(name, right):
    global failures
    if not right:
        failures += 1
        print(f"FAILED: {name}")


def refused(port, name, first, seconds=2.0):
    peer = Peer(port, greet=False)
    peer.socket.sendall(first)
    check(f"{name}: not hung up on", peer.gone(seconds))


def attacks(port):
    yield "no Bolt", lambda: [refused(port, n, b) for n, b in [
        ("wrong magic", b"\x60\x60\xb0\x18" + b"\0" * 16), ("HTTP", b"GET / HTTP/1.1\r\n\r\n"), ("TLS", bytes.fromhex("1603010200010001fc0303")), ("no version", HELLO[:4] + b"\0" * 16),
        ("a manifest's number without end", HELLO[:4] + bytes.fromhex("000001ff") + b"\0" * 12 + b"\0\0\0\6" + b"\xff" * 40)]]
    yield "messages before the logon", lambda: [refused(port, n, HELLO + b) for n, b in [
        ("RUN", say(run("RETURN 1"))), ("an unknown message", say((0x33,))), ("a string of 2 GB", b"\0\x07\xb1\x01\xd2\x7f\xff\xff\xff\0\0"), ("a list of 65,535", b"\0\x05\xb1\x01\xd5\xff\xff\0\0"),
        ("more than 64 KiB", (struct.pack(">H", 65535) + b"\xd0" * 65535) * 2), ("nesting", struct.pack(">H", 40002) + b"\xb1\x01" + b"\x91" * 40000 + b"\0\0"), ("RESET", say((0x0F,)))]]

    def silence():
        began = time.time()
        slow = [Peer(port, greet=False) for _ in range(4)]
        slow[1].socket.sendall(HELLO[:7])
        slow[2].socket.sendall(HELLO + struct.pack(">H", 65535) + b"x")
        slow[3].socket.sendall(HELLO + b"\0\0" * 100)
        for _ in range(4):                     # bytes that come one by one don't buy time
            time.sleep(1)
            slow[1].socket.sendall(b"\0")
        for i, peer in enumerate(slow):
            check(f"silence {i} stays", peer.gone(LOGON_SECONDS + 3))
        check("silence took too long", time.time() - began < 2 * LOGON_SECONDS + 4)
    yield "silence before the logon", silence

    def after_failure():
        peer = Peer(port)
        peer.socket.sendall(say(run("RETURN foo")) + say(run("RETURN 1"), (0x3F, {"n": -1})) * 10000 + say((0x0F,)))
        check("what follows a failure", peer.tags(20002) == [0x7F] + [0x7E] * 20000 + [0x70])
    yield "10,000 statements behind a failure", after_failure

    def noops():
        peer = Peer(port)
        peer.socket.sendall(b"\0\0" * 2_000_000 + say(run("RETURN 1"), (0x3F, {"n": -1})))
        check("NOOPs", peer.tags(3) == [0x70, 0x71, 0x70])
        message = run("RETURN $s", {"s": "x" * 30000})
        small = b"".join(struct.pack(">H", 1) + seeds.pack(message)[i:i + 1] for i in range(len(seeds.pack(message)))) + b"\0\0"
        peer.socket.sendall(small + say((0x3F, {"n": -1})))
        check("chunks of one byte", peer.tags(3) == [0x70, 0x71, 0x70])
    yield "floods of small chunks", noops

    def reset():
        peer = Peer(port)
        peer.socket.sendall(say(run("UNWIND range(1, 100000000) AS x RETURN x"), (0x3F, {"n": -1})))
        peer.tags(1000)
        peer.socket.sendall(say((0x0F,)))
        began, tag, last = time.time(), 0x71, None
        while tag == 0x71:
            last, tag = tag, peer.message()[1]
        check("a PULL under RESET", last == 0x71 and tag in (0x7E, 0x7F) and peer.message()[1] == 0x70 and time.time() - began < 5)
    yield "RESET in a PULL", reset

    def left():
        for i in range(20):
            peer = Peer(port)
            peer.socket.sendall(say((0x11, {}), run("CREATE (:Left)"), (0x3F, {"n": -1}), run("UNWIND range(1, 100000000) AS x RETURN x"), (0x3F, {"n": -1})))
            if i % 2:
                peer.tags(10)
            if i % 3 == 0:
                peer.socket.shutdown(socket.SHUT_WR)       # half of it: nothing more will be asked
            peer.socket.close()
    yield "clients that leave in the middle", left

    def unread():
        readers = [Peer(port) for _ in range(8)]
        for peer in readers:
            peer.socket.sendall(say(run("UNWIND range(1, 100000000) AS x RETURN x, 'a text that fills the answer'"), (0x3F, {"n": -1})))
        time.sleep(2)
        check("nobody reads, and memory grows", resident() < before + (200 << 10))
        check("an honest one waits", honest(port) < 1)
    yield "answers that nobody reads", unread

    def idle():
        peers = [Peer(port) for _ in range(500)]
        check("an honest one among 500", honest(port) < 1)
        check("the last of 500", (peers[-1].socket.sendall(say(run("RETURN 1"), (0x3F, {"n": -1}))), peers[-1].tags(3))[1] == [0x70, 0x71, 0x70])
    yield "500 idle connections", idle


def honest(port):
    began = time.time()
    peer = Peer(port)
    peer.socket.sendall(say(run("MATCH (n:Left) RETURN count(n)"), (0x3F, {"n": -1}), (0x02,)))
    peer.message()
    check("a client that left has left something", peer.message()[2:4] == b"\x91\x00")
    peer.message()
    return time.time() - began


def page(port, method, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def resident():
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.pid}/status").read_text()).group(1))


with tempfile.TemporaryDirectory() as folder:
    server = subprocess.Popen([str(pathlib.Path(arguments[1]).resolve()), "serve", f"{folder}/hostile.fornix", "--port", "0", "--memory", "256m", "--metrics-port", "0", "--slow", "1500"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        pages = int(re.search(r":(\d+)/metrics", server.stdout.readline()).group(1))
        number = int(re.search(r":(\d+) \(", server.stdout.readline()).group(1))
        honest(number)
        check("health", page(pages, "GET", "/health") == (200, "ok\n"))
        check("another page", page(pages, "GET", "/etc/passwd")[0] == 404 and page(pages, "POST", "/metrics")[0] == 405 and page(pages, "HEAD", "/metrics") == (200, ""))
        before = resident()
        count = 0
        for attack, make in attacks(number):
            make()
            count += 1
            check(f"after {attack}: an honest client waits", honest(number) < 2)
        time.sleep(1)
        check(f"memory stays: {resident()} KiB, {before} before", resident() < before + (64 << 10))
        check("the server has ended", server.poll() is None)
        grown = resident() - before
        figures = dict(re.findall(r"^(fornix_\S+) (\d+)$", page(pages, "GET", "/metrics")[1], re.M))
        check(f"metrics: {figures}", int(figures["fornix_statements_total"]) > 40 and int(figures["fornix_sessions_opened_total"]) > 540 and int(figures["fornix_sessions"]) == 0
              and int(figures['fornix_failures_total{kind="client"}']) > 5 and int(figures["fornix_rows_total"]) > 0)
        flood = [socket.create_connection(("127.0.0.1", pages)) for _ in range(100)]
        check("pages beside silent clients", honest(number) < 2)
        del flood
    finally:
        server.terminate()
        told = server.stderr.read()
        check("its end is no clean one", server.wait(timeout=30) == 0)
slow = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
check(f"slow statements: {told[:300]}", any("range(1, 100000000)" in line["text"] and line["milliseconds"] >= 1500 for line in slow))
print(f"{count} attacks, {failures} failures; {grown} KiB more at the end")
sys.exit(1 if failures else 0)
