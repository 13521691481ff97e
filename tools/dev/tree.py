#!/usr/bin/env python3
"""What holds for every file of the tree: no source over 800 lines (a person reads a file in one sitting), no relative link of a
Markdown page that leads nowhere (a link to a heading included), docs/limits.md as base/limits.h says."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES_MAX = 800
SOURCES = {".h", ".cc", ".py", ".g4", ".cmake", ".sh", ".md", ".txt", ""}
# Data with a line an item: the longer the better.
DATA = {"tests/tck/passing.txt", "tests/formats/content.txt"}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def files() -> list:
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    return [p for p in listed.stdout.decode().split("\0") if p and (ROOT / p).is_file()]


def anchors(page: pathlib.Path) -> set:
    found = set()
    for line in page.read_text().splitlines():
        if match := re.match(r"#+\s+(.*)", line):
            plain = re.sub(r"[^\w\- ]", "", match.group(1).strip().lower())
            found.add(plain.replace(" ", "-"))
    return found


def check_links(name: str, errors: list) -> None:
    page, fenced = ROOT / name, False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            if not there.exists():
                errors.append(f"{name}:{number}: the link to {target} leads nowhere")
            elif anchor and there.suffix == ".md" and anchor not in anchors(there):
                errors.append(f"{name}:{number}: {path or name} has no heading #{anchor}")


def main() -> int:
    errors = []
    names = files()
    for name in names:
        path = ROOT / name
        if path.suffix in SOURCES and name not in DATA:
            lines = path.read_bytes().count(b"\n")
            if lines > LINES_MAX:
                errors.append(f"{name}: {lines} lines; {LINES_MAX} are the most, so that it is read in one sitting")
        if path.suffix == ".md":
            check_links(name, errors)
    limits = subprocess.run([sys.executable, str(ROOT / "tools/dev/limits.py"), "--check"], capture_output=True, text=True)
    if limits.returncode:
        errors.append((limits.stdout + limits.stderr).strip())
    for error in errors:
        print(error)
    print(f"tree: {len(names)} files, {len(errors)} finding(s)")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
