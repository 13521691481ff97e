#!/usr/bin/env python3
"""Prints docs/limits.md from the folders' limits.h:  tools/dev/limits.py [--check | --write]

--check fails if docs/limits.md is not what would be printed, so the page can't fall behind the code.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES, PAGE = ["base/limits.h", "storage/limits.h", "engine/function/limits.h", "tools/server/limits.h"], ROOT / "docs/limits.md"
CONSTANT = re.compile(r"inline constexpr [\w:]+ (k\w+) = ([^;]+);\s*(?://\s*(.*))?$")
HEAD = """# Limits

Every bound of Fornix, with the reason for its value. Crossing one is an error that names it; none of them loses data. Printed from
[base/limits.h](../base/limits.h), [storage/limits.h](../storage/limits.h), [engine/function/limits.h](../engine/function/limits.h) and [tools/server/limits.h](../tools/server/limits.h) by `tools/dev/limits.py --write`."""


def number(expression: str) -> int:
    plain = re.sub(r"(?:std::)?(?:u?int\d*_t|size_t|double)\{([^}]*)\}", r"(\1)", expression).replace("'", "")
    plain = re.sub(r"(?<=\d)(?:ull|ul|u|l)\b", "", plain, flags=re.I)
    if not re.fullmatch(r"[\d\s().<*+\-/]+", plain):
        raise ValueError(expression)
    return eval(plain)  # digits and operators only, see above


def shown(name: str, value) -> str:
    if "Bytes" in name:
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value % size == 0:
                return f"{value // size:,} {unit}"
        return f"{value:,} B"
    return f"{value:,}"


def page() -> str:
    out, open_table = [HEAD], False
    lines = [(source, at, line) for source in SOURCES for at, line in enumerate((ROOT / source).read_text().splitlines(), 1)]
    for source, at, line in lines:
        if match := CONSTANT.match(line):
            name, expression, reason = match.groups()
            if not reason:
                sys.exit(f"{source}:{at}: {name} has no reason behind it")
            try:
                value = shown(name, number(expression))
            except ValueError:
                value = f"`{expression}`"
            if not open_table:
                out.append("| limit | value | reason |\n|---|---:|---|")
                open_table = True
            out.append(f"| `{name}` | {value} | {reason.replace('|', chr(92) + '|')} |")
        elif (heading := re.fullmatch(r"// ([A-Z].*)\.", line)) and at > 4:
            out.append(f"\n## {heading.group(1)}\n")
            open_table = False
        elif "inline constexpr" in line:
            sys.exit(f"{source}:{at}: a constant must stand on one line")
    return "\n".join(out) + "\n"


def main() -> int:
    text = page()
    if "--write" in sys.argv:
        PAGE.write_text(text)
    elif "--check" in sys.argv:
        if not PAGE.exists() or PAGE.read_text() != text:
            print("docs/limits.md is not what the limits.h of base, storage, engine/function and tools/server say: run tools/dev/limits.py --write")
            return 1
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
