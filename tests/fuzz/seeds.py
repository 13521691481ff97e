#!/usr/bin/env python3
"""First inputs and a dictionary for the fuzzer of statements: seeds.py FOLDER DICTIONARY

Each statement of tests/cypher becomes a file of FOLDER, named after its text; each word and sign of grammar/Cypher.g4, and each name of the
functions that docs/cypher.md lists, an entry of DICTIONARY (libFuzzer's format)."""
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def statements(text):
    """The texts between triple quotes, without the indentation that they share."""
    for block in re.findall(r'"""\n(.*?)\n\s*"""', text, re.S):
        lines = block.split("\n")
        margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        yield "\n".join(line[margin:] for line in lines)


def words():
    grammar = (ROOT / "grammar/Cypher.g4").read_text()
    yield from re.findall(r"(?<![\w'])'([^'\s\\]+)'", grammar)
    yield from re.findall(r"\b[A-Z]{2,}\b", grammar)
    yield from re.findall(r"^\| `([\w.]+)\(", (ROOT / "docs/cypher.md").read_text(), re.M)
    yield from ("$p", "$n", "$list", "$map", "Person", "KNOWS", "Company", "Thought", "name", "age", "since", "embedding", "thoughts", "9223372036854775807", "1e308", "\\u00e9")


def main():
    folder, dictionary = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    texts = {text for file in sorted((ROOT / "tests/cypher").rglob("*.feature")) for text in statements(file.read_text())}
    for text in texts:
        (folder / hashlib.sha256(text.encode()).hexdigest()[:16]).write_text(text)
    known = sorted(set(words()))
    dictionary.write_text("".join('"%s"\n' % word.replace("\\", "\\\\").replace('"', '\\"') for word in known))
    print(f"{len(texts)} statements, {len(known)} words")


if __name__ == "__main__":
    main()
