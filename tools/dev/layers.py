#!/usr/bin/env python3
"""Includes run one way; this fails where one runs against the arrows of ARCHITECTURE.md:

    include/fornix <- base <- { grammar | wal | vector } <- storage <- planner <- engine
                     ^---------- tools (include/fornix and base only; tools/dump also wal and storage)      tests, bench, examples: anything; nobody includes them
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAY_INCLUDE = {
    "include": set(),
    "base": {"include"},
    "grammar": {"include", "base"},
    "wal": {"include", "base"},
    "vector": {"include", "base"},
    "storage": {"include", "base", "wal", "vector"},
    # planner reads storage's catalog and statistics only: names and counts, never pages.
    "planner": {"include", "base", "grammar", "storage/catalog", "storage/stats"},
    "engine": {"include", "base", "grammar", "wal", "vector", "storage", "planner"},
    "tools": {"include", "base"},
    # They must read files that no longer open.
    "tools/dump": {"include", "base", "wal", "storage", "tools"},
    "examples": {"include"},
}
FOLDERS = set(MAY_INCLUDE) | {"tests", "bench"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
# ANTLR is seen in grammar/ alone, and Boost.Asio in tools/server alone.
PRIVATE = [(re.compile(r"#\s*include\s*[<\"]antlr4"), "grammar", "the parser generator's runtime"),
           (re.compile(r"#\s*include\s*[<\"](boost/asio|boost/beast|openssl/)"), "tools/server", "network code")]


def folder_of(include: str) -> str:
    first = include.split("/")[0]
    return "include" if first == "fornix" else first


def check(path: pathlib.Path, errors: list) -> None:
    relative = path.relative_to(ROOT)
    own = "/".join(relative.parts[:2])
    if own not in MAY_INCLUDE:
        own = relative.parts[0]
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        for pattern, home, what in PRIVATE:
            if pattern.search(line) and home not in (own, "/".join(relative.parts[:2])):
                errors.append(f"{relative}:{number}: {what} may be included in {home}/ only")
        match = INCLUDE.match(line)
        if not match or own not in MAY_INCLUDE:
            continue
        target = folder_of(match.group(1))
        if target not in FOLDERS:
            if own != "grammar":   # generated headers of the parser have no folder
                errors.append(f"{relative}:{number}: include \"{match.group(1)}\" from the root, with its folder")
            continue
        allowed = MAY_INCLUDE[own]
        if target != own and target not in allowed and "/".join(match.group(1).split("/")[:2]) not in allowed:
            errors.append(f"{relative}:{number}: {own}/ may not include {match.group(1)}")


def main() -> int:
    errors, files = [], 0
    for folder in sorted(MAY_INCLUDE):
        if "/" in folder:   # looked at as part of its parent
            continue
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                files += 1
                check(path, errors)
    for error in errors:
        print(error)
    print(f"layers: {files} files, {len(errors)} include(s) against the arrows")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
