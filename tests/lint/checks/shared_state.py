"""Static variables that requests could share. Many requests are in flight in one process (docs/develop/event-loop.md), so
what handles them keeps nothing in mutable statics. One that belongs to the process has a comment above it, or on its
line, that says so with the words "of the process"."""

import re

from lint import Finding

FOLDERS = ("common/http/*.c", "common/llm/*.c", "common/net/*.c", "common/orchestrator/browser/*.c",
           "common/orchestrator/dispatch/*.c", "common/orchestrator/measures/*.c", "common/orchestrator/models/*.c",
           "common/orchestrator/plan/*.c", "common/orchestrator/runs/*.c", "common/orchestrator/storage/*.c",
           "common/support/answer/*.c", "common/support/conversation/*.c", "common/support/models/*.c",
           "common/experiments/advice/*.c", "fcgi-bin/orchestrator*/*.c", "fcgi-bin/support/*.c",
           "fcgi-bin/support-ask/*.c", "fcgi-bin/experiments/*.c", "fcgi-bin/experiments-advice/*.c")
# A variable, or an anonymous struct that opens one; functions have a bracket first, macros are capitals.
VARIABLE = re.compile(r"^\s*static\s+(?!inline\b)(?:_Thread_local\s+|volatile\s+)*(?:(?:struct|union|enum|unsigned)\s+)?"
                      r"(?:\w+[\s*]+\w+(?:\[[^\]]*\])*\s*[;=,]|\{)")


def excuse(lines, number):
    """The comment on the line, or the one that ends above it."""
    text = lines[number]
    if "/*" in text:
        return text
    above = number - 1
    if above < 0 or not lines[above].rstrip().endswith("*/"):
        return ""
    first = above
    while first > 0 and "/*" not in lines[first]:
        first -= 1
    return " ".join(lines[first : above + 1])


def check(tree):
    for path in tree.files(*FOLDERS):
        lines = tree.text(path).split("\n")
        for number, line in enumerate(lines):
            if not VARIABLE.match(line) or re.search(r"\bconst\b", line.split("=")[0]):
                continue
            words = " ".join(excuse(lines, number).replace("*", " ").split())
            if "of the process" not in words.lower():
                yield Finding(path, number + 1, "a mutable static; give it to the request, or say that it is of the process")


BAD = [
    ({"common/http/a.c": "static int count;\n"}, "a.c:1: a mutable static"),
    ({"common/llm/a.c": "/* Kept. */\nstatic struct arena *scratch;\n"}, "a.c:2: "),
    ({"common/net/a.c": "void f(void)\n{\n    static char buffer[16 * 1024];\n}\n"}, "a.c:3: "),
    ({"common/orchestrator/dispatch/a.c": "static struct {\n    int a;\n} all;\n"}, "a.c:1: "),
    ({"fcgi-bin/orchestrator/a.c": "static bool failed = false, done;\n"}, "a.c:1: "),
    ({"common/support/answer/a.c": "static char words[64];\n"}, "a.c:1: "),
]

GOOD = [
    {"common/http/a.c": "/* Of the process: its worker. */\nstatic int count;\n"},
    {"common/http/a.c": "static int count; /* of the process */\n"},
    {"common/http/a.c": "static const char *const names[] = {NULL};\nstatic int f(int a)\n{\n    return a;\n}\n"},
    {"common/http/a.c": "static SCHEMA(a_schema, struct a, \"A\", fields);\nstatic bool f(void);\n"},
    {"common/base/a.c": "static int count;\n"},
    {"common/net/a.c": "static void (*const takers[])(int) = {NULL};\nstatic inline int f(void);\n"},
]
