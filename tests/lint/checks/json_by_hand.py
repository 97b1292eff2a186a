"""How many members of JSON objects a service writes by hand, beside those that rows of its schemas describe.

By hand: each call of writer_key() and writer_key_*(), whatever the name of the member is, and each member inside a
format of printf (\\"name\\":%d); texts that are constant are data. By schema: each row of a table of `struct field`, but
for tables that only describe a query string and for `.internal` rows, which are no JSON. The files of a service are
common/SERVICE, fcgi-bin/SERVICE*, and the programs of cron-bin/ that include its headers. Run as a program it prints the
table, and the files that write most:

    python3 tests/lint/checks/json_by_hand.py
"""

import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lint import Finding, Tree, includes  # noqa: E402  (found by the line above)

SERVICES = ("experiments", "support", "livedata", "orchestrator")
MOST = 0.1  # of all members

CALL = re.compile(r"\bwriter_key(_\w+)?\(")
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
IN_TEXT = re.compile(r'\\"\w+\\":')
TABLE = re.compile(r"\bstruct field (\w+)\[\]\s*=\s*\{(.*?)\};", re.S)
ROW = re.compile(r"\b[A-Z][A-Z_]*\(\s*(?:OWNER|struct)\b|\.name = \"")
INTERNAL = re.compile(r"\.internal = true")
SCHEMA = re.compile(r"\bSCHEMA\(\s*(\w+),[^;]*?,\s*(\w+)\s*(?:,[^;]*)?\);", re.S)
QUERY = re.compile(r"\.query = &(\w+)")
OTHER = re.compile(r"\.(?:body|reply|schema) = &(\w+)|\((?:[^()]*,\s*)?(\w+_schema)\)|&(\w+_schema)\b")


def in_formats(text):
    """Members inside literals that something is printed into."""
    return sum(len(IN_TEXT.findall(literal)) for literal in LITERAL.findall(text) if "%" in literal)


def service_of(tree, path):
    """None for what no service owns."""
    parts = path.split("/")
    if parts[0] == "common":
        return parts[1] if parts[1] in SERVICES else None
    if parts[0] == "fcgi-bin":
        return parts[1].split("-")[0]
    for _, _, name in includes(tree, path):
        if name.split("/")[0] in SERVICES:
            return name.split("/")[0]
    return None


def of_queries(tree, paths):
    """Names of tables that describe nothing but a query string."""
    table_of, queries, used = {}, set(), set()
    for path in paths:
        text = tree.uncommented(path)
        table_of.update(SCHEMA.findall(text))
        queries.update(QUERY.findall(text))
        used.update(name for names in OTHER.findall(re.sub(QUERY, "", text)) for name in names if name)
    return {table for schema, table in table_of.items() if schema in queries and schema not in used}


def count(tree):
    """(members by hand, rows of schemas), each Counter by (service, path)."""
    paths = [path for path in tree.files("common/*.c", "fcgi-bin/*.c", "cron-bin/*.c")]
    skipped, by_hand, rows = of_queries(tree, paths), Counter(), Counter()
    for path in paths:
        service, text = service_of(tree, path), tree.uncommented(path)
        if service in SERVICES:
            by_hand[service, path] += len(CALL.findall(text)) + in_formats(text)
            for table, body in TABLE.findall(text):
                if table not in skipped:
                    rows[service, path] += len(ROW.findall(body)) - len(INTERNAL.findall(body))
    return by_hand, rows


def total(counter, service):
    return sum(number for (name, _), number in counter.items() if name == service)


def check(tree):
    by_hand, rows = count(tree)
    for service in SERVICES:
        ours, theirs = total(by_hand, service), total(rows, service)
        if ours > MOST * (ours + theirs):
            yield Finding(f"common/{service}", 1, f"{ours} members of JSON are written by hand, {theirs} by schemas;"
                          f" at most {MOST:.0%} may be")


def main():
    by_hand, rows = count(Tree())
    print(f"{'service':14}{'by hand':>9}{'by schema':>11}{'share':>8}")
    for service in SERVICES:
        ours, theirs = total(by_hand, service), total(rows, service)
        print(f"{service:14}{ours:9}{theirs:11}{ours / max(1, ours + theirs):8.1%}")
    for (_, path), number in by_hand.most_common(40):
        if number:
            print(f"{number:5} {path}")


if __name__ == "__main__":
    main()


def texts(keys, rows):
    body = "".join(f'writer_key_string(writer, "k{i}", v);\n' for i in range(keys))
    table = ", ".join(f"STRING(OWNER, m{i})" for i in range(rows))
    return {"common/support/a.c": f"static const struct field f[] = {{{table}}};\n{body}"}


BAD = [(texts(2, 8), "2 members of JSON are written by hand, 8 by schemas")]
GOOD = [texts(1, 9)]
