#!/usr/bin/env python3
"""Runs bench_micro and prints its figures as bench/common/report.h does: `report.py PROGRAM [--json] [--filter=REGEX] [--quick]`.

Every benchmark runs three times and its median counts; a counter of its own (ns a distance, a ratio) is a figure too.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

# (name, counter or None for the time): kind, unit, target; smaller is better for all of them.
TARGETS = [
    (r"PlanCacheHit/1/100$", None, "aim", 200.0),                      # ns; a point lookup has 10 us
    (r"LogBesideRaw.*", "ratio", "aim", 1.3),                          # see log_append_bench.cc
    (r"ParseLookup$", None, "aim", 500_000.0),                         # ns; new text of 100 characters in 0.5 ms
]
STANDARD = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit",
            "family_index", "per_family_instance_index", "aggregate_name", "aggregate_unit", "label", "error_occurred", "error_message",
            "bytes_per_second", "items_per_second"}


def figures(benchmarks: list):
    for run in benchmarks:
        if run.get("error_occurred"):
            print(f"bench_micro: {run['name']}: {run.get('error_message')}", file=sys.stderr)
            sys.exit(1)
        if run.get("aggregate_name") != "median":
            continue
        # A benchmark that counts ns by itself runs several of a thing an iteration: its counter is the time of one.
        counters = {k: v for k, v in run.items() if k not in STANDARD and isinstance(v, (int, float))}
        name = run["run_name"]
        if "ns" in counters:
            yield name, None, "ns", counters.pop("ns")
        else:
            yield name, None, run["time_unit"], run["real_time"]
        for counter, value in counters.items():
            unit = "us" if counter.endswith("_us") else "ratio" if "ratio" in counter else "count"
            yield f"{name} {counter}", counter, unit, value


def main() -> int:
    program, options = sys.argv[1], sys.argv[2:]
    pattern = next((o[9:] for o in options if o.startswith("--filter=")), ".")
    seconds = "0.02" if "--quick" in options else "0.2"
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [program, "--benchmark_format=console", f"--benchmark_out={out.name}", "--benchmark_out_format=json",
                   f"--benchmark_filter={pattern}", "--benchmark_repetitions=3", "--benchmark_report_aggregates_only=true",
                   f"--benchmark_min_time={seconds}"]
        env = dict(os.environ)
        env.setdefault("TMPDIR", os.path.dirname(os.path.abspath(program)))   # /tmp may lie in memory, and logs must not
        done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        report = json.load(open(out.name))

    rows = []
    for name, counter, unit, value in figures(report["benchmarks"]):
        kind, target = next(((k, t) for p, c, k, t in TARGETS if c == counter and re.search(p, name.split(" ")[0])), ("aim", 0))
        rows.append({"suite": "micro", "name": name, "kind": kind, "unit": unit, "value": float(f"{value:.6g}"), "target": target,
                     "ok": target == 0 or value <= target})
    if "--json" in options:
        for row in rows:
            print(json.dumps(row))
    else:
        width = max([len(r["name"]) for r in rows] + [4])
        print(f"{'name':<{width}} {'kind':<5} {'value':>12} {'target':>12} unit")
        for r in rows:
            print(f"{r['name']:<{width}} {r['kind']:<5} {r['value']:>12.4g} {r['target']:>12.4g} {r['unit']:<6}"
                  + ("" if r["target"] == 0 else " ok" if r["ok"] else " MISSED"))
    return 0 if all(r["ok"] or r["kind"] != "must" for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
