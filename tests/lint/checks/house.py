"""How much C a service is beside its routes: at most 400 lines for support, the example of
docs/adding-a-service.md, which states the lines of every service as they are counted here.

Counted are the lines of the files that a service has whatever it does (its life, its style, who may
do what, its store, their headers), without comments, empty lines and constant tables: those say what
the service's contract says. Functions count whole, whatever they are for."""

import re

from lint import Finding

PAGE = "docs/adding-a-service.md"
EXAMPLE, EXAMPLE_MAX = "support", 400
SERVICES = ("experiments", "livedata", "orchestrator", "support")
FILES = ("fcgi-bin/{0}/service.c", "fcgi-bin/{0}/style.c", "fcgi-bin/{0}/access.c", "fcgi-bin/{0}/service.h",
         "fcgi-bin/{0}/service_internal.h", "common/{0}/store.c", "common/{0}/store.h")

# Of a table at file scope: its first line, and what the last one ends with.
TABLE = re.compile(r"(static )?const [^()]*(=|\[\])|#define ")


def count_lines(text):
    """(code, table) lines of C text without comments."""
    code = table = 0
    inside = False
    for line in text.split("\n"):
        if not line.strip():
            continue
        inside = inside or TABLE.match(line) is not None
        code, table = code + (not inside), table + inside
        if inside and (not line.endswith("\\") if line.startswith("#") else line.rstrip().endswith(";")):
            inside = False
    return code, table


def lines_of(tree, service):
    present = [path for path in (name.format(service) for name in FILES) if tree.files(path)]
    counts = [count_lines(tree.bare(path)) for path in present]
    return sum(code for code, _ in counts), sum(table for _, table in counts)


def check(tree):
    page = tree.text(PAGE) if tree.files(PAGE) else ""
    for service in SERVICES:
        code, table = lines_of(tree, service)
        if not code:
            continue
        if service == EXAMPLE and code > EXAMPLE_MAX:
            yield Finding(f"fcgi-bin/{service}/service.c", 1, f"the example is {code} lines; {EXAMPLE_MAX} is the end")
        row = f"| `{service}` | {code} | {table} |"
        if row not in page:
            yield Finding(PAGE, 1, f"state {row}")


LONG = "int a(void)\n{\n" + "    b();\n" * EXAMPLE_MAX + "}\n"
BAD = [
    ({"fcgi-bin/support/service.c": LONG, PAGE: "| `support` | 403 | 0 |\n"}, "the example is 403 lines"),
    ({"fcgi-bin/support/service.c": "int a;\n", PAGE: "| `support` | 2 | 0 |\n"}, "state | `support` | 1 | 0 |"),
    ({"common/livedata/store.c": "int a;\n", PAGE: "\n"}, "state | `livedata` | 1 | 0 |"),
]
GOOD = [
    {"fcgi-bin/support/style.c": "/* A */\n\nstatic const struct a b[] = {\n    {1},\n};\nint c;\n", PAGE: "| `support` | 1 | 3 |\n"},
]
