"""Every C file compiles with clang under the warnings of the Makefile, as errors, and clang-tidy finds nothing in it
with the checks of .clang-tidy: the static analyzer and a list of likely mistakes. One run does both: clang on its own
would read every file, and what that includes, a second time.

The analyzer's effort is bounded: 15 000 nodes per function instead of 225 000 find what the full search finds in this
tree in a tenth of its time. That is for `make soak` (ASSAY_TEST_SOAK=1); 4 000, as otherwise, take two thirds of that
time. cppcheck was tried and left out: it found nothing more and took the macros of the test kit for mistakes.

Tests go without the analyzer, because they read results even after a check of them has failed; they
may read numbers of /proc with sscanf() and include a program whole."""

import os

from lint import ROOT, compiler_flags, need, reported, run_changed

NOT_IN_TESTS = "-clang-analyzer-*,-cert-err34-c,-bugprone-suspicious-include"
KNOWN = ["-include", f"{ROOT}/tests/lint/analyzer.h", f"-I{ROOT}/common"]
NODES = 15000 if os.environ.get("ASSAY_TEST_SOAK") == "1" else 4000
BOUND = ["-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={NODES}"]


def check(tree):
    need("clang-tidy")
    flags = [flag for flag in compiler_flags() if flag != "-Werror"]  # every warning counts all the same

    def command(paths):
        settings = f"--config-file={ROOT}/.clang-tidy"
        fewer = [f"--checks={NOT_IN_TESTS}"] if paths[0].startswith("tests/") else []
        known = [] if "common/base/error.c" in paths else KNOWN
        return ["clang-tidy", "--quiet", settings, *fewer, *paths, "--", *flags, *known, *BOUND]

    for paths, output, status in run_changed(tree, tree.changed(tree.files("*.c")), command):
        yield from reported(tree, paths[0], output, status)


def function(body):
    declared = body.split("\n{")[0].split("\n")[-1]
    return {"common/a/a.c": f"#include <stdlib.h>\n#include <string.h>\n{declared};\n{body}\n"}


FAILS = """#include "base/error.h"
static enum error get(int a, int *b)
{
    if (a < 0)
        return problem_set(0, ERROR_INVALID, "negative", "%d is negative", a);
    *b = a;
    return ERROR_NONE;
}
int f(int a);
int f(int a)
{
    int b;

    return get(a, &b) ? 0 : b;
}
"""

BAD = [
    (function("int g(int *a)\n{\n    if (!a)\n        return *a;\n    return 1;\n}"), "NullDeref"),
    (function("int g(int b)\n{\n    int a;\n    if (b)\n        a = 1;\n    return a;\n}"), "a.c:"),
    (function("void g(void)\n{\n    char *a = malloc(5);\n}"), "[clang-analyzer-"),
    (function("void g(char *a)\n{\n    memset(a, sizeof(a), 0);\n}"), "[bugprone-"),
    (function("int g(const char *a)\n{\n    return strcmp(a, \"b\") == 1;\n}"), "[bugprone-"),
    ({"common/a/a.c": FAILS.replace("ERROR_INVALID", "ERROR_NONE")}, "a.c:14: "),
    (function("int g(int a);\nint g(int b)\n{\n    return b;\n}"), "inconsistent-declaration"),
    ({"common/a/a.c": "int f(void);\n\nint f(void)\n{\n    int b;\n    return 1;\n}\n"}, "a.c:5: "),
    ({"common/a/a.c": "int f(void)\n{\n    return 1;\n}\n"}, "no previous prototype"),
    ({"common/a/a.c": '#include "a/b.h"\n'}, "a.c:1: "),
    ({"common/a/a.c": '#include "a/b.h"\n', "common/a/b.h": "static int a\n"}, "a/b.h:1: "),
]

GOOD = [
    function("char *g(size_t a)\n{\n    return calloc(a, 2);\n}"),
    {"tests/unit/a.c": "int f(const int *a);\nint f(const int *a)\n{\n    return a ? 1 : *a;\n}\n"},
    {"common/a/a.c": FAILS},
    {"common/a/a.c": "int f(void);\n\nint f(void)\n{\n    return 1;\n}\n"},
]
