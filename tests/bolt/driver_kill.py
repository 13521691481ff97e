"""Kills `fornix serve` while programs write through the official driver, and starts it again: every acknowledged commit is there, each once.

    driver_kill.py FORNIX KILLS

The writers use managed transactions, whose driver tries again by itself while the server is away.
"""
import logging
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

logging.getLogger("neo4j").setLevel(logging.CRITICAL)
FORNIX, KILLS = sys.argv[1], int(sys.argv[2])
seed = random.randrange(2**32)
print(f"kill: seed={seed}")
chance = random.Random(seed)
with socket.socket() as s:                     # a port that was free a moment ago
    s.bind(("127.0.0.1", 0))
    PORT = s.getsockname()[1]
URI = f"bolt://127.0.0.1:{PORT}"
acknowledged, unsure, lock, stop = [], [], threading.Lock(), threading.Event()


def serve(file):
    process = subprocess.Popen([FORNIX, "serve", file, "--port", str(PORT)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    line = process.stdout.readline()
    if "bolt://" not in line:
        sys.exit(f"it doesn't start: {line}{process.stdout.read()}")
    return process


def write(worker):
    with neo4j.GraphDatabase.driver(URI, auth=None, max_transaction_retry_time=20, connection_timeout=2) as driver:
        n = 0
        while not stop.is_set():
            n += 1
            name = f"{worker}-{n}"
            try:
                with driver.session() as session:
                    # MERGE, for a commit whose acknowledgement was lost is tried again.
                    session.execute_write(lambda tx: tx.run("MERGE (a:Written {name: $name}) MERGE (a)-[:PART]->(:Second {name: $name})", name=name).consume())
                with lock:
                    acknowledged.append(name)
            except (Neo4jError, DriverError):
                with lock:
                    unsure.append(name)


with tempfile.TemporaryDirectory() as folder:
    file = str(pathlib.Path(folder) / "kill.fornix")
    server = serve(file)
    with neo4j.GraphDatabase.driver(URI, auth=None) as driver:
        driver.execute_query("CREATE CONSTRAINT written FOR (n:Written) REQUIRE n.name IS UNIQUE")
    writers = [threading.Thread(target=write, args=(i,)) for i in range(4)]
    [w.start() for w in writers]
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.2, 0.8))
        server.send_signal(signal.SIGKILL)
        server.wait()
        server = serve(file)
    time.sleep(0.3)
    stop.set()
    [w.join() for w in writers]
    with neo4j.GraphDatabase.driver(URI, auth=None) as driver:
        rows = driver.execute_query("MATCH (a:Written) RETURN a.name AS name, size([(a)-[:PART]->(b) | b]) AS parts").records
    server.terminate()
    ended = server.wait(timeout=30)

found = {r["name"]: r["parts"] for r in rows}
lost = [name for name in acknowledged if name not in found]
half = [name for name, parts in found.items() if parts != 1]
strange = [name for name in found if name not in set(acknowledged) | set(unsure)]
print(f"F3: {KILLS} kills of a server, through a driver that tries again: {len(acknowledged)} acknowledged commits, {len(lost)} lost, {len(half)} half or twice, {len(strange)} never asked for")
sys.exit(1 if lost or half or strange or ended or len(acknowledged) < KILLS else 0)
