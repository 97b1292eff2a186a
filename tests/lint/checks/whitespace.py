"""Blanks that nobody sees: no tabs, none at the end of a line, LF, one newline at the end."""

import re

from lint import Finding

# make wants tabs before commands; tables of tab-separated values are what they are.
TABS_ALLOWED = ("Makefile", "*/Makefile", "*.mk", "*.tsv")


def check(tree):
    tabs_allowed = set(tree.files(*TABS_ALLOWED))
    for path in tree.files("*"):
        text = tree.text(path)
        for number, line in tree.lines(path):
            if "\r" in line:
                yield Finding(path, number, "carriage return")
            elif re.search(r"[ \t]$", line):
                yield Finding(path, number, "blank at the end of the line")
            if "\t" in line.lstrip("\t" if path in tabs_allowed else ""):
                yield Finding(path, number, "tab")
        if text and not text.endswith("\n"):
            yield Finding(path, text.count("\n") + 1, "no newline at the end of the file")
        elif text.endswith("\n\n"):
            yield Finding(path, text.count("\n"), "empty line at the end of the file")


BAD = [
    ({"a.c": "int a;\n\tint b;\n"}, "a.c:2: tab"),
    ({"Makefile": "all:\n\techo\ta\n"}, "Makefile:2: tab"),
    ({"a.md": "one \ntwo\n"}, "a.md:1: blank"),
    ({"a.md": "one\n\t\ntwo\n"}, "a.md:2: blank"),
    ({"a.js": "one\r\ntwo\r\n"}, "a.js:1: carriage return"),
    ({"a.py": "one\ntwo"}, "a.py:2: no newline"),
    ({"a.py": "one\n\n"}, "a.py:2: empty line"),
]

GOOD = [{"Makefile": "all:\n\techo a\n", "a.bin": "a\0b\t \r", "empty": "", "a.c": "int a;\n"}]
