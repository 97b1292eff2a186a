"""Every C file compiles with clang under the warnings of the Makefile, as errors."""

from lint import compiler_flags, need, reported, run_changed


def check(tree):
    need("clang")
    command = ["clang", *compiler_flags(), "-fsyntax-only"]
    for path, output, status in run_changed(tree, tree.files("*.c"), lambda path: [*command, path]):
        yield from reported(tree, path, output, status)


BAD = [
    ({"common/a/a.c": "int f(void);\n\nint f(void)\n{\n    int b;\n    return 1;\n}\n"}, "a.c:5: "),
    ({"common/a/a.c": "int f(void)\n{\n    return 1;\n}\n"}, "no previous prototype"),
    ({"common/a/a.c": '#include "a/b.h"\n'}, "a.c:1: "),
    ({"common/a/a.c": '#include "a/b.h"\n', "common/a/b.h": "static int a\n"}, "a/b.h:1: "),
]

GOOD = [{"common/a/a.c": "int f(void);\n\nint f(void)\n{\n    return 1;\n}\n"}]
