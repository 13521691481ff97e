#!/usr/bin/env python3
"""`./dev lint [--all] [FILE...]`: the arrows of the includes, the tree's rules, clang-format and clang-tidy.

Without --all, clang-tidy reads what differs from the branch main. It fails on a wrong include, a finding of tree.py, and on the
checks that .clang-tidy lists as errors; everything else is shown and counted, because a formatter that reflows tables of
comments and a check that is right half of the time must not stop anybody.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["include", "base", "grammar", "wal", "vector", "storage", "planner", "engine", "tools", "tests", "bench", "examples"]
COLUMNS_MAX = 140


def git(*arguments) -> list:
    out = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return [line for line in out.stdout.splitlines() if line]


def ours(names) -> list:
    return sorted({n for n in names if n.split("/")[0] in FOLDERS and n.endswith((".h", ".cc")) and (ROOT / n).is_file()})


def changed() -> list:
    base = (git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main") or ["HEAD"])[0]
    return ours(git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard"))


def tool(name: str):
    """The path of an LLVM tool; installed when it is missing, since `./dev build` has no need of it."""
    if not shutil.which(name) and shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo"]
        subprocess.run([*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return shutil.which(name)


def parallel(function, items) -> list:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def check_format(names: list) -> None:
    path = tool("clang-format")
    if not path:
        print("clang-format: not installed, skipped")
        return

    def lines_off(name):
        formatted = subprocess.run([path, name], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
        mine = (ROOT / name).read_text().splitlines()
        return len(set(mine) - set(formatted)), sum(len(line) > COLUMNS_MAX for line in mine)

    counts = parallel(lines_off, names)
    print(f"clang-format: {len(names)} files, {sum(c > 0 for c, _ in counts)} with {sum(c for c, _ in counts)} lines that it would "
          f"write differently; {sum(w for _, w in counts)} lines over {COLUMNS_MAX} characters")


def check_tidy(names: list) -> bool:
    sources = [n for n in names if n.endswith(".cc") and not n.startswith("examples/")]
    path = tool("clang-tidy")
    if not path or not sources:
        print("clang-tidy: not installed, skipped" if not path else "clang-tidy: no changed source; --all reads all")
        return True
    folder = next((d for d in ("build-debug", "build") if (ROOT / d / "compile_commands.json").exists()), None)
    if not folder:
        subprocess.run(["cmake", "--preset", "release", "-Wno-dev"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        folder = "build"
    if not (ROOT / folder / "parser/CypherParser.h").exists():   # sources of grammar/ include what is generated
        subprocess.run(["ninja", "-C", folder, "--quiet", "parser/CypherParser.cpp"], cwd=ROOT, check=True)

    def read(name):
        return subprocess.run([path, "-p", folder, "--quiet", name], cwd=ROOT, capture_output=True, text=True).stdout

    seen, errors, by_check = set(), 0, {}
    for out in parallel(read, sources):
        for match in re.finditer(r"^(\S+?):(\d+):\d+: (warning|error): (.*) \[([\w.,-]+)\]$", out, re.M):
            where = os.path.relpath(match.group(1), ROOT)
            key = (where, match.group(2), match.group(5))
            if key in seen or match.group(5).startswith("clang-diagnostic"):
                continue   # the compiler's own warnings are g++'s business
            seen.add(key)
            failing = match.group(3) == "error"
            errors += failing
            check = match.group(5).split(",")[0]
            by_check[check] = by_check.get(check, 0) + 1
            if failing or len(sources) < 40:
                print(f"{where}:{match.group(2)}: {match.group(3)}: {match.group(4)} [{check}]")
    for check, count in sorted(by_check.items(), key=lambda item: -item[1]):
        print(f"  {count:5} {check}")
    print(f"clang-tidy: {len(sources)} sources, {sum(by_check.values())} finding(s), {errors} that fail")
    return errors == 0


def main() -> int:
    named = ours(a for a in sys.argv[1:] if not a.startswith("--"))
    every = ours(git("ls-files"))
    ok = subprocess.run([sys.executable, "tools/dev/layers.py"], cwd=ROOT).returncode == 0
    ok &= subprocess.run([sys.executable, "tools/dev/tree.py"], cwd=ROOT).returncode == 0
    check_format(named or every)
    ok &= check_tidy(named or (every if "--all" in sys.argv else changed()))
    print("lint: " + ("ok" if ok else "failed"))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
