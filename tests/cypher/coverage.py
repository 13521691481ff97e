#!/usr/bin/env python3
"""Keeps docs/cypher.md honest: every function and procedure that SHOW lists is named in a scenario and on the page, and every feature
file is linked from it.

    coverage.py FORNIX             exit code 1 with what is missing
    coverage.py FORNIX --update    writes the page's tables of functions and procedures anew
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/cypher.md"
FEATURES = ROOT / "tests/cypher"


def query(fornix: str, text: str) -> list:
    run = subprocess.run([fornix, "query", ":memory:", text, "--json"], capture_output=True, text=True, check=True)
    answer = json.loads(run.stdout)
    return [dict(zip(answer["columns"], row)) for row in answer["rows"]]


def features() -> dict:
    return {str(p.relative_to(FEATURES).with_suffix("")): p.read_text() for p in sorted(FEATURES.rglob("*.feature"))}


def named_in(name: str, texts: dict, call: bool) -> list:
    pattern = re.compile(r"(?<![\w.])" + re.escape(name) + (r"\s*\(" if call else r"\b"), re.IGNORECASE)
    return [where for where, text in texts.items() if pattern.search(text)]


def link(where: str) -> str:
    return f"[{where}](../tests/cypher/{where}.feature)"


def main() -> int:
    fornix, update = sys.argv[1], "--update" in sys.argv
    texts, errors = features(), []
    tables = {}
    rows = ["| function | category | scenarios |", "|---|---|---|"]
    for f in query(fornix, "SHOW FUNCTIONS YIELD name, category, signature RETURN name, category, signature ORDER BY category, name"):
        where = named_in(f["name"], texts, call=True)
        if not where:
            errors.append(f"no scenario calls {f['name']}()")
        signature = f["signature"].replace("|", "\\|")
        rows.append(f"| `{signature}` | {f['category']} | {', '.join(link(w) for w in where)} |")
    tables["functions"] = rows
    rows = ["| procedure | scenarios |", "|---|---|"]
    for p in query(fornix, "SHOW PROCEDURES YIELD name RETURN name ORDER BY name"):
        where = named_in(p["name"], texts, call=False)
        if not where:
            errors.append(f"no scenario calls {p['name']}")
        rows.append(f"| `{p['name']}` | {', '.join(link(w) for w in where)} |")
    tables["procedures"] = rows

    page = PAGE.read_text()
    for title, lines in tables.items():
        begin, end = f"<!-- {title}: written by tests/cypher/coverage.py --update -->\n", f"<!-- end of {title} -->"
        if begin not in page or end not in page:
            errors.append(f"docs/cypher.md has no place for the {title}")
            continue
        head, rest = page.split(begin)
        page = head + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]
    if update:
        PAGE.write_text(page)
    elif page != PAGE.read_text():
        errors.append("docs/cypher.md: its tables are not what is registered; run tests/cypher/coverage.py build/fornix --update")
    for where in texts:
        if f"../tests/cypher/{where}.feature" not in page:
            errors.append(f"docs/cypher.md doesn't link {where}")
    for error in errors:
        print(error)
    print(f"cypher page: {len(texts)} feature files, {len(errors)} finding(s)")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
