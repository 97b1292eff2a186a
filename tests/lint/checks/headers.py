"""Every header compiles alone: it includes all that it uses, whatever came before it."""

import os

from lint import compiler_flags, include_name, need, reported, run_each


def check(tree):
    need("gcc")
    flags = [*compiler_flags(), "-fsyntax-only", "-Wno-unused-function", "-Wno-unused-variable"]

    def command(path):
        folder, name = os.path.split(path)
        if path.startswith(("common/", "fcgi-bin/")):
            folder, name = ".", include_name(path)
        return ["gcc", *flags, f"-I{folder}", "-include", name, "-x", "c", "/dev/null"]

    for path, output, status in run_each(tree, tree.changed(tree.files("*.h")), command):
        yield from reported(tree, path, output, status)


BAD = [
    ({"common/a/a.h": "#include <stdio.h>\n\nsize_t f(int64_t a);\n"}, "a.h:3: "),
    ({"fcgi-bin/a/a.h": "int f(struct a a, bool b);\n"}, "a.h:1: "),
    ({"tests/unit/a.h": "uint8_t a(void);\n"}, "a.h:1: "),
]

GOOD = [
    {"common/a/a.h": "#include <stdint.h>\n\nint64_t f(void);\n"},
    {"common/a/a.h": '#include "a/b.h"\n\nb f(void);\n', "common/a/b.h": "typedef int b;\n"},
    {"tests/unit/a.h": "static inline int a(void)\n{\n    return 1;\n}\n"},
]
