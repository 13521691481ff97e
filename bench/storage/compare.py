#!/usr/bin/env python3
"""`./dev compare storage [--json] [--nodes=N] [--relationships=N]`: importing the same CSV files beside Kuzu, contents compared.

Both make a new database on the same disk, with the files in the page cache, in a process of its own; they take turns and the best of
the rounds counts. Ours is `fornix import`; the peer's is COPY into two tables, with its default settings. Both times are of
the wall, from the first file opened to the database closed.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROUNDS = 3
PEER = """
import sys, kuzu
folder, path = sys.argv[1:3]
database = kuzu.Database(path)
c = kuzu.Connection(database)
c.execute("CREATE NODE TABLE Person(id INT64, name STRING, age INT64, PRIMARY KEY(id))")
c.execute("CREATE REL TABLE KNOWS(FROM Person TO Person, weight INT64)")
c.execute(f"COPY Person FROM '{folder}/nodes.csv' (header=true)")
c.execute(f"COPY KNOWS FROM '{folder}/relationships.csv' (header=true)")
c.close()
database.close()
"""
COUNTS = "MATCH (n:Person) RETURN count(n), sum(n.age)", "MATCH (:Person)-[r:KNOWS]->(:Person) RETURN count(r), sum(r.weight)"


def timed(command: list) -> float:
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def ours_counts(fornix: str, path: str) -> list:
    out = subprocess.run([fornix, "query", path, ";".join(COUNTS), "--json"], check=True, capture_output=True, text=True).stdout
    return [json.loads(line)["rows"][0] for line in out.splitlines()]


def peer_counts(path: str) -> list:
    import kuzu
    connection = kuzu.Connection(kuzu.Database(path, read_only=True))
    return [connection.execute(text).get_next() for text in COUNTS]


def bytes_of(path: pathlib.Path) -> int:
    return sum(f.stat().st_size for f in ([path] if path.is_file() else path.rglob("*")) if f.is_file())


def main() -> int:
    fornix, generate, *arguments = sys.argv[1:]
    options = dict(a[2:].split("=", 1) for a in arguments if "=" in a)
    nodes, relationships = int(options.get("nodes", 1_000_000)), int(options.get("relationships", 3_000_000))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fornix-compare-", dir=options.get("dir")))
    try:
        subprocess.run([generate, str(folder), str(nodes), str(relationships)], check=True)
        ours, peer = folder / "ours.fornix", folder / "peer"
        best = {"ours": float("inf"), "peer": float("inf")}
        for _ in range(ROUNDS):
            for name, path, command in (
                    ("ours", ours, [fornix, "import", str(ours), "--id-type", "integer", "--nodes", f"Person={folder}/nodes.csv",
                                    "--relationships", f"KNOWS={folder}/relationships.csv"]),
                    ("peer", peer, [sys.executable, "-c", PEER, str(folder), str(peer)])):
                for old in folder.glob(path.name + "*"):
                    shutil.rmtree(old) if old.is_dir() else os.remove(old)
                best[name] = min(best[name], timed(command))
        ours_answer, peer_answer = ours_counts(fornix, str(ours)), peer_counts(str(peer))
        if [list(map(int, row)) for row in ours_answer] != [list(map(int, row)) for row in peer_answer]:
            print(f"the contents differ: {ours_answer} {peer_answer}")
            return 1
        result = {"nodes": nodes, "relationships": relationships, "import_seconds": best["ours"], "peer_import_seconds": best["peer"],
                  "times_faster": best["peer"] / best["ours"], "bytes": bytes_of(ours), "peer_bytes": bytes_of(peer)}
        if "--json" in arguments:
            print(json.dumps(result))
        else:
            print(f"import of {nodes:,} nodes and {relationships:,} relationships: {best['ours']:.2f} s, Kuzu {best['peer']:.2f} s: "
                  f"{result['times_faster']:.1f} times faster\n"
                  f"size: {result['bytes'] / 1e6:.0f} MB, Kuzu {result['peer_bytes'] / 1e6:.0f} MB")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
