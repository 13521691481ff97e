#!/usr/bin/env python3
"""Every message of an error that the sources can make stands in a transcript of this folder, or in elsewhere.txt with its reason.

Reads the calls that make a Status (MAKERS) in FOLDERS, takes the pieces of text between their quotes, and looks for each piece of a
few words in the expected output of *.txt. `--list` prints the pieces with their places. So a new message without a transcript
fails the tests, and so does a line of elsewhere.txt that nothing needs any more.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
NO_TRANSCRIPTS = {"elsewhere.txt", "suites.txt", "CMakeLists.txt"}
# engine/import speaks of rows of files, not of statements: tests/tools/import_test.cc, tests/unit/engine/import.
FOLDERS = ["grammar", "planner", "engine", "storage/constraint", "storage/catalog"]
MAKERS = re.compile(
    r"(?<![A-Za-z_])(?:Status\(Code::k\w+,|\{Code::k\w+,|(?:FailSyntax|FailNotAvailable|SyntaxErrorAt|LimitErrorAt|BindError|NotAvailable|"
    r"Expect|WrongType|WrongOperands|OutOfRange|BadArgument|Overflow|Violation|Conflict|Wrong|Bad|Fail)\()")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"|\'(?:[^\'\\]|\\.)\'')   # or a character, which is no message


def literals(call):
    """The text in quotes, with neighbours joined as the compiler does."""
    found, end = [], None
    for match in LITERAL.finditer(call):
        if match.group(1) is None:
            continue
        if end is not None and not call[end:match.start()].strip():
            found[-1] += match.group(1)
        else:
            found.append(match.group(1))
        end = match.end()
    return [re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text) for text in found]


def extent(text, start):
    """Where the bracket closes that is the first to open at or behind `start`."""
    depth, i = 0, start
    while i < len(text):
        literal = LITERAL.match(text, i)
        if literal:
            i = literal.end()
            continue
        depth += text[i] in "({["
        depth -= text[i] in ")}]"
        i += 1
        if depth == 0 and text[i - 1] in ")}]":
            break
    return i


def pieces():
    """(place, piece) of every message: the parts in quotes that have at least two words, or all there is if none has."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".cc", ".h") or path.is_relative_to(ROOT / "engine/import"):
                continue
            text = re.sub(r"^\s*//.*$|(?<=[;{}(,]) *// .*$", "", path.read_text(), flags=re.M)
            covered = 0
            for match in MAKERS.finditer(text):
                if match.start() < covered or re.match(r"\((?:std::|const |Source|Code |size_t)", text[match.end() - 1:]):
                    continue                                  # inside another, or where a maker is defined
                covered = extent(text, match.start())
                call = text[match.start():covered]
                call = re.sub(r'BindError\(\s*"\w+"|,\s*(?:\w+ \? "\w+" : )?"[A-Z]\w+"\s*\)$', "", call)
                said = [piece.strip() for piece in literals(call)]
                place = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
                words = [piece for piece in said if len(piece) >= 6 and " " in piece]
                for piece in words or [max(said, key=len, default="")]:
                    if len(piece) >= 4:
                        yield place, piece


def main():
    shown = "\n".join(path.read_text(errors="replace") for path in sorted(HERE.glob("*.txt")) if path.name not in NO_TRANSCRIPTS)
    elsewhere = {}
    for number, line in enumerate((HERE / "elsewhere.txt").read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            piece, _, reason = line.partition(" | ")
            if not reason:
                print(f"elsewhere.txt:{number}: no reason is given")
                return 1
            elsewhere[piece.strip()] = reason
            for test in re.findall(r"tests/[\w./-]+", reason):
                if not (ROOT / test).exists():
                    print(f"elsewhere.txt:{number}: there is no {test}")
                    return 1
    missing, used, count = [], set(), 0
    for place, piece in pieces():
        count += 1
        if "--list" in sys.argv:
            print(f"{place}: {piece!r}")
        if piece in shown:
            continue
        if piece in elsewhere:
            used.add(piece)
        else:
            missing.append(f"{place}: no transcript shows {piece!r}")
    unneeded = [f"elsewhere.txt: {piece!r} is no message without a transcript" for piece in elsewhere if piece not in used]
    print("\n".join(missing + unneeded + [f"{count} pieces of messages, {len(missing)} without a transcript"]))
    return 1 if missing or unneeded else 0


if __name__ == "__main__":
    sys.exit(main())
