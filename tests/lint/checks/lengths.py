"""Functions and files that one can still read in one go.

A function ends at 100 lines, and fewer than one in ten are over 60; a file ends at 700 lines. Files
over 500 lines and functions over 60 are listed. A C file without functions may be as long as its
table. A program that is handed out as one file, to be compiled and read alone, may have 1050 lines."""

import re

from lint import Finding

FUNCTION_LISTED, FUNCTION_MAX = 60, 100
FILE_LISTED, FILE_MAX = 500, 700
SHARE_MAX = 0.10
ALONE = {"clients/certificates/verify_certificate.c": 1330, "clients/certificates/verify_certificate.py": 800}

WRITTEN = ("*.c", "*.h", "*.py", "*.js", "*.mjs", "*.ts", "*.css", "*.sh", "*.bash")

# The name of a function, of a test where a macro makes it one.
NAME = re.compile(r"(?:[A-Z_]+\()?(\w+)\s*[(),]")


def functions(text):
    """(line, name, length) of every function in C text that clang-format has laid out: a body
    opens and closes in the first column."""
    lines = text.split("\n")
    start = None
    for i, line in enumerate(lines):
        if line == "{" and start is None:
            start = i
            while start > 0 and re.match(r"[\w ].*[^;}]$|.*\)$", lines[start - 1]):
                start -= 1
        elif line.startswith("}") and start is not None:
            match = NAME.search(" ".join(lines[start : i + 1]))
            yield start + 1, match[1] if match else "?", i - start + 1
            start = None


def check_functions(tree):
    count = long = 0
    for path in tree.c_files():
        for line, name, length in functions(tree.bare(path)):
            count += 1
            long += length > FUNCTION_LISTED
            if length > FUNCTION_LISTED:
                message = f"{name}() has {length} lines; {FUNCTION_MAX} is the end"
                yield Finding(path, line, message, note=length <= FUNCTION_MAX)
    if long > 1 and long > SHARE_MAX * count:
        yield Finding("common", 1, f"{long} of {count} functions are over {FUNCTION_LISTED} lines")


def is_table(tree, path):
    return path.endswith((".c", ".h")) and not list(functions(tree.bare(path)))


def check(tree):
    yield from check_functions(tree)
    for path in tree.files(*WRITTEN):
        length = tree.text(path).count("\n")
        if length > FILE_LISTED and not is_table(tree, path):
            most = ALONE.get(path, FILE_MAX)
            yield Finding(path, 1, f"{length} lines; {most} is the end", note=length <= most)


def function(length, name="f"):
    return f"int {name}(int a,\n      int b)\n{{\n" + "    a++;\n" * (length - 4) + "}\n"


BAD = [
    ({"common/a/a.c": "/* x */\n\n" + function(101)}, "a.c:3: f() has 101 lines"),
    ({"tests/unit/a.c": function(102).replace("int f(int a,", "TEST(b)\n/*")}, "b() has 101"),
    ({"common/a/a.c": function(9) * 8 + function(61) * 2}, "2 of 10 functions"),
    ({"common/a/a.c": function(9) * 78}, "a.c:1: 702 lines"),
    ({"static/a/a.js": "a();\n" * 701}, "a.js:1: 701 lines"),
    ({"tests/api/a_test.py": "a()\n" * 701}, "a_test.py:1: 701 lines"),
]

GOOD = [
    {"common/a/a.c": function(100)},
    {"common/a/a.c": "const int a[] = {\n" + "    1,\n" * 900 + "};\n"},
    {"common/a/a.c": "struct a {\n" + "    int b;\n" * 120 + "};\n" + function(20) * 20},
]
