#!/usr/bin/env python3
"""Builds and runs the tests: `./dev test [fast | SUITE...] [--seed=N] [--list] [--long] [--memory=64MiB]`.

A suite is one program. Catch2 programs count their test cases, the TCK its scenarios, everything else counts as one. All run
in the sanitized build (ASan + UBSan) unless the row says why not. With --memory every database that doesn't say otherwise has
that budget; all suites but those of SCALE pass from 64 MiB on. The last line is `N passed, N failed, N skipped`.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS_MAX = 900      # of one suite; the slowest takes a fifth of it
SHARED = os.environ.get("FORNIX_SHARED", "../shared")
SCALE = {"huge", "huge.full", "recall"}   # what they hold at once is more than 64 MiB
SANITIZED_APART = {"vector": ["'~*Fashion*'", "'~recall@10*'", "'~*heap of equal*'", "'~all kernel sets*'", "'~every quantization finds*'", "'~without originals*'",
                              "'~a vector of 1*'", "'~filtered recall*'", "'~each strategy*'", "'~the error bound*'", "'~after ten rounds*'", "'~nine of ten*'"]}
UNIT = ["base", "grammar", "wal", "vector", "storage", "planner", "engine"]


class Suite:
    def __init__(self, name, preset, target, command, kind="exit", fast=True, needs_shared=False, long_only=False):
        self.name, self.preset, self.target, self.command = name, preset, target, command
        self.kind, self.fast, self.needs_shared, self.long_only = kind, fast, needs_shared, long_only

    def folder(self):
        return "build" if self.preset == "release" else f"build-{self.preset}"


def suites():
    found = [Suite("layers", None, None, ["python3", "tools/dev/layers.py"])]
    for folder in UNIT:
        if list((ROOT / "tests/unit" / folder).rglob("*_test.cc")):
            found.append(Suite(f"unit.{folder}", "asan", f"test_{folder}", ["{build}/" + f"test_{folder}"] + SANITIZED_APART.get(folder, []), "catch"))
    # What takes minutes sanitized runs whole in the release build, and sanitized without its largest cases.
    found.append(Suite("unit.vector.release", "release", "test_vector", ["{build}/test_vector"], "catch", needs_shared=True))
    for row in (ROOT / "tests").glob("*/suites.txt"):
        for line in row.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                name, preset, kind, flags, target, *command = line.split()
                found.append(Suite(name, preset, target, command, kind, "fast" in flags, "shared" in flags, "long" in flags))
    return found


def run(command, env, seconds):
    """(exit code, output). What runs longer than any suite may is ended with SIGABRT, so that Catch2 names the test case, and has failed."""
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGABRT)
        try:
            output, _ = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        return 1, output.decode(errors="replace") + f"\nended after {seconds} s, which no suite may take\n"


def counts(kind, code, output):
    """(passed, failed, skipped) of one suite."""
    if kind == "catch":
        match = re.search(r"All tests passed \(.*? in (\d+) test case", output)
        if match and code == 0:
            return int(match.group(1)), 0, 0
        match = re.search(r"test cases:\s*(\d+)\s*\|(?:\s*(\d+) passed \|)?\s*(\d+) failed", output)
        if match:
            return int(match.group(2) or 0), int(match.group(3)), 0
    if kind == "tck":
        match = re.search(r"tck: (\d+) passed, (\d+) failed, (\d+) skipped", output)
        if match:
            # Scenarios that never passed are reported by `./dev tck`; here only a lost one is a failure.
            lost = len(re.findall(r"^LOST ", output, re.M))
            return int(match.group(1)), lost + (1 if code and not lost else 0), int(match.group(3))
    return (1, 0, 0) if code == 0 else (0, 1, 0)


def main():
    arguments = sys.argv[1:]
    chosen = [a for a in arguments if not a.startswith("--")]
    options = [a for a in arguments if a.startswith("--")]
    all_suites = suites()
    long_run = "--long" in options
    memory = [o.removeprefix("--memory=") for o in options if o.startswith("--memory=")]
    selected = [s for s in all_suites if not s.long_only or long_run]
    if chosen == ["fast"]:
        selected = [s for s in selected if s.fast]
    elif chosen:
        selected = [s for s in all_suites if any(s.name == c or s.name.startswith(c + ".") for c in chosen)]
        selected = [s for s in selected if not s.long_only or long_run]
    if memory and not chosen:
        selected = [s for s in selected if s.name not in SCALE]
    if "--list" in options:
        print("\n".join(s.name for s in selected))
        return 0
    if not selected:
        print(f"no such suite: {' '.join(chosen)}; ./dev test --list shows all")
        return 2

    env = dict(os.environ)
    env["FORNIX_SHARED"] = str((ROOT / SHARED).resolve())
    env.setdefault("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=0:detect_stack_use_after_return=0")
    env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    for option in options:
        if option.startswith("--seed="):
            env["FORNIX_SEED"] = option[7:]
    if memory:
        env["FORNIX_MEMORY_BYTES"] = memory[-1]
    if long_run:
        env["FORNIX_LONG"] = "1"
    has_shared = pathlib.Path(env["FORNIX_SHARED"]).is_dir()

    start = time.time()
    for preset in ["asan", "release", "tsan"]:
        targets = sorted({t for s in selected if s.preset == preset for t in s.target.split(",")})
        if targets and subprocess.run([str(ROOT / "dev"), "build", preset, *targets], cwd=ROOT).returncode != 0:
            print(f"the {preset} build failed\n0 passed, 1 failed, 0 skipped")
            return 1
    built = time.time()

    passed = failed = skipped = 0
    for suite in selected:
        if suite.needs_shared and not has_shared:
            print(f"SKIPPED {suite.name}: there is no {env['FORNIX_SHARED']} (set FORNIX_SHARED)")
            if os.environ.get("CI") == "true":
                failed += 1
            else:
                skipped += 1
            continue
        began = time.time()
        # A sanitized stack frame is several times as large as a plain one; the limits are made for plain ones.
        stack = "ulimit -s 65536 2>/dev/null; " if suite.preset == "asan" else ""
        command = stack + " ".join(suite.command).format(build=suite.folder(), shared=env["FORNIX_SHARED"])
        code, output = run(["bash", "-o", "pipefail", "-c", command], env, None if long_run else SECONDS_MAX)
        p, f, s = counts(suite.kind, code, output)
        passed, failed, skipped = passed + p, failed + f, skipped + s
        print(f"{'ok  ' if f == 0 else 'FAIL'} {suite.name:<28} {p:>6} passed {f:>4} failed {s:>4} skipped {time.time() - began:>7.1f} s", flush=True)
        # The totals of the campaigns of docs/trust-ledger.md: F1 to F14.
        for line in re.findall(r"^F\d+: .*", output, re.M):
            print(f"     {line}", flush=True)
        if f or re.search(r"^SKIPPED", output, re.M):
            print(output if f else "\n".join(re.findall(r"^SKIPPED.*", output, re.M)), flush=True)
    print(f"build {built - start:.0f} s, tests {time.time() - built:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
