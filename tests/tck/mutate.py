#!/usr/bin/env python3
"""Other spellings of the TCK with the same outcomes: expand.py | mutate.py KIND | tck ...

  rename      variables, labels, types and property keys get other names, in queries, parameters and expected results alike
  parameters  literals become parameters, equal literals the same one
  irrelevant  a clause that changes nothing stands before each query

An engine that knew the scenarios, or planned by the look of a text, would fall here. A scenario whose outcome rightly depends on what
is changed (a header with a literal in it, keys(n), an error that only a literal gives at compile time) is left out; how many of each kind
is printed to standard error, and fewer than KEPT_MIN of them end the run.
"""
import json
import re
import sys

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<string>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*") | (?P<quoted>`(?:``|[^`])*`)
  | (?P<param>\$\w+) | (?P<number>0[xX][0-9a-fA-F]+|0o[0-7]+|(?:\d+\.(?!\.)\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)
  | (?P<word>[^\W\d]\w*) | (?P<space>\s+) | (?P<dots>\.\.) | (?P<mark>.)""", re.X | re.S)

KEYWORDS = set("""ALL AND ANY AS ASC ASCENDING BY CALL CASE CONTAINS COUNT CREATE DELETE DESC DESCENDING DETACH DISTINCT ELSE END ENDS EXISTS FALSE IN IS
    LIMIT MATCH MERGE NONE NOT NULL ON OPTIONAL OR ORDER REMOVE RETURN SET SINGLE SKIP STARTS THEN TRUE UNION UNWIND WHEN WHERE WITH XOR YIELD NAN INF
    INFINITY""".split())
# Keys that have a meaning of their own, in temporal values, durations and points.
KEPT_KEYS = set("""year quarter month week day ordinalDay dayOfQuarter dayOfWeek weekYear quarterDay weekDay hour minute second millisecond microsecond nanosecond
    timezone offset offsetMinutes offsetSeconds epochSeconds epochMillis date time datetime years quarters months weeks days hours minutes seconds milliseconds
    microseconds nanoseconds quartersOfYear monthsOfQuarter monthsOfYear daysOfWeek minutesOfHour secondsOfMinute millisecondsOfSecond
    microsecondsOfSecond nanosecondsOfSecond x y z longitude latitude height crs srid""".split())
KEPT_MIN = {"rename": 2800, "parameters": 2300, "irrelevant": 3800}


def tokens(text):
    return [(m.lastgroup, m.group()) for m in TOKEN.finditer(text)]


def significant(list_, i, step):
    i += step
    while 0 <= i < len(list_) and list_[i][0] in ("space", "comment"):
        i += step
    return list_[i] if 0 <= i < len(list_) else ("", "")


def renamed(text, variables=True):
    """The text with every name changed. A map's keys are known by the brace before them."""
    out, list_, open_ = [], tokens(text), []
    for i, (kind, value) in enumerate(list_):
        if kind == "mark":
            if value in "([{":
                open_.append(value)
            elif value in ")]}" and open_:
                open_.pop()
        if kind not in ("word", "quoted"):
            out.append(value)
            continue
        before, after = significant(list_, i, -1)[1], significant(list_, i, +1)[1]
        key_place = after == ":" and before in ("{", ",") and open_[-1:] == ["{"]
        name = value.strip("`")
        if key_place or (before == "." and after != "("):
            new = name if name in KEPT_KEYS else name + "_k"
        elif label_place(list_, i):
            new = name + "_l"
        elif after == "(" or names_a_function(list_, i) or before == "." or (kind == "word" and name.upper() in KEYWORDS) or not variables:
            new = name
        else:
            new = name + "_v"
        out.append("`" + new + "`" if kind == "quoted" else new)
    return "".join(out)


def label_place(list_, i):
    """Behind a colon that isn't a map's, or behind a bar or ampersand behind such a name: `[x IN list | y]` has none."""
    before = significant(list_, i, -1)[1]
    if before == ":":
        return not map_value(list_, i)
    if before not in ("|", "&"):
        return False
    marks = [j for j in range(i - 1, -1, -1) if list_[j][0] not in ("space", "comment")]
    return len(marks) > 1 and list_[marks[1]][0] in ("word", "quoted") and label_place(list_, marks[1])


def names_a_function(list_, i):
    """The `date` of `date.realtime(...)`."""
    rest = [v for k, v in list_[i + 1:] if k not in ("space", "comment")]
    at = 0
    while rest[at:at + 1] == ["."] and len(rest) > at + 2:
        if rest[at + 2] == "(":
            return True
        at += 2
    return False


def map_value(list_, i):
    """Whether the word at i, behind a colon, is a value of a map and not a label."""
    marks = [j for j in range(i - 1, -1, -1) if list_[j][0] not in ("space", "comment")]
    if list_[marks[0]][1] != ":" or len(marks) < 3 or list_[marks[1]][0] not in ("word", "quoted"):
        return False
    depth = 0
    for j in marks[2:]:
        value = list_[j][1]
        if value in (")", "]", "}"):
            depth += 1
        elif value in ("(", "[", "{"):
            if depth == 0:
                return value == "{" and list_[marks[2]][1] in ("{", ",")
            depth -= 1
    return False


def queries(scenario):
    return [s for s in scenario["steps"] if s["docstring"] is not None and (s["kind"] == "when" or s["text"] == "having executed:")]


def expects(scenario, pattern):
    return any(s["kind"] == "then" and re.search(pattern, s["text"]) for s in scenario["steps"])


def rename(scenario):
    text = "\n".join(s["docstring"] for s in queries(scenario))
    if re.search(r"(?i)\b(labels|type|keys|properties)\s*\(|\bCALL\b|\w\s*\[\s*['$\w]|\bEXISTS\s*\{", text):
        return False
    if any("procedure" in s["text"] for s in scenario["steps"]) or expects(scenario, "SyntaxError.*(Unexpected|InvalidUnicode)"):
        return False
    given = [s["text"] for s in scenario["steps"]]
    if any("binary-tree" in t for t in given):
        return False
    for s in scenario["steps"]:
        if s["docstring"] is not None:
            s["docstring"] = renamed(s["docstring"])
        elif s["text"] == "parameters are:":
            s["table"] = [[name, renamed(cell, variables=False)] for name, cell in s["table"]]
        elif s["kind"] == "then" and s["table"] and "side effects" not in s["text"]:
            s["table"] = [[renamed(c) for c in s["table"][0]]] + [[renamed(c, variables=False) for c in row] for row in s["table"][1:]]
    return True


def parameters(scenario):
    if expects(scenario, "compile time") or any("procedure" in s["text"] for s in scenario["steps"]):
        return False
    values = {}

    def put(text, until):
        out, list_, at = [], tokens(text), 0
        for i, (kind, value) in enumerate(list_):
            before, after = significant(list_, i, -1), significant(list_, i, +1)
            takes = kind == "string" and "\\" not in value and value[0] == "'" or \
                kind == "number" and re.fullmatch(r"\d{1,18}|\d+\.\d+", value) and "*" != before[1] and "dots" not in (before[0], after[0])
            if takes and at < until:
                value = "$" + values.setdefault(value, "literal_%d" % len(values))
            out.append(value)
            at += len(list_[i][1])
        return "".join(out)

    for s in scenario["steps"]:
        if s["kind"] == "when" and s["docstring"] is not None and "control" not in s["text"]:
            headers = [c for t in scenario["steps"] if t["kind"] == "then" and t["table"] for c in t["table"][0]]
            in_header = any(k in ("string", "number") for c in headers for k, _ in tokens(c))
            last = [m.start() for m in re.finditer(r"(?i)\bRETURN\b", s["docstring"])]
            union = re.search(r"(?i)\bUNION\b", s["docstring"])
            if in_header and union:
                return False
            s["docstring"] = put(s["docstring"], last[-1] if in_header and last else len(s["docstring"]))
    if not values:
        return False
    rows = [[name, value] for value, name in values.items()]
    step = next((s for s in scenario["steps"] if s["text"] == "parameters are:"), None)
    if step:
        step["table"] += rows
    else:
        at = next(i for i, s in enumerate(scenario["steps"]) if s["kind"] == "when")
        scenario["steps"].insert(at, {"kind": "given", "text": "parameters are:", "docstring": None, "table": rows})
    return True


def irrelevant(scenario):
    changed = False
    for s in queries(scenario):
        text = s["docstring"]
        if s["kind"] != "when" or "control" in s["text"]:
            continue
        if re.match(r"\s*CALL\b", text, re.I) or re.search(r"(?i)\b(RETURN|WITH)\s+(DISTINCT\s+)?\*", text):
            return False
        s["docstring"] = "OPTIONAL MATCH (nothing_:Nowhere_ {a: 1})\nWITH count(nothing_) AS irrelevant_\nUNWIND [irrelevant_] AS again_\n" + text
        changed = True
    return changed


def main():
    kind = sys.argv[1]
    change = {"rename": rename, "parameters": parameters, "irrelevant": irrelevant}[kind]
    total = kept = 0
    for line in sys.stdin:
        scenario = json.loads(line)
        total += 1
        if change(scenario):
            kept += 1
            print(json.dumps(scenario))
    print(f"mutate {kind}: {kept} of {total} scenarios changed", file=sys.stderr)
    if total > 3000 and kept < KEPT_MIN[kind]:
        sys.exit(f"mutate {kind}: at least {KEPT_MIN[kind]} of them should be")


main()
