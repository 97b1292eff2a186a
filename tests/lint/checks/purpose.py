"""Every file says at its top what it is for. Includes the scripts, tests and style sheets."""

import re

from lint import Finding

SHORTEST = 20  # characters that say something

BLOCK = re.compile(r"/\*(.*?)\*/", re.S)
LINES = {"#": re.compile(r"((?:#(?!!)[^\n]*\n?)+)"), "--": re.compile(r"((?:--[^\n]*\n?)+)")}
DOCSTRING = re.compile(r'[rR]?"""(.*?)"""', re.S)
SLASHES = re.compile(r"((?://[^\n]*\n?)+)")

# Empty by purpose.
EXEMPT = ("*__init__.py",)


def opening(text, *kinds):
    """What the comment at the top says, when it is one of these kinds."""
    text = re.sub(r"\A#![^\n]*\n(#\n)?", "", text)
    for kind in kinds:
        match = kind.match(text)
        if match:
            lines = (re.sub(r"^\s*[*#/-]+", "", line) for line in match[1].split("\n"))
            return " ".join(lines).strip()
    return ""


def kinds_of(tree, path, scripts):
    if path.endswith((".c", ".h", ".css")):
        return (BLOCK,)
    if path.endswith((".js", ".mjs", ".ts")):
        return (BLOCK, SLASHES)
    if path in scripts or path.endswith((".mk", "Makefile")):
        return (LINES["#"],)
    if path.endswith(".sql"):
        return (LINES["--"],)
    if path.endswith(".py") or re.match(r"#!.*python", tree.text(path)):
        return (DOCSTRING,)
    return ()


def check(tree):
    scripts = set(tree.scripts())
    exempt = set(tree.files(*EXEMPT))
    for path in tree.files("*"):
        kinds = kinds_of(tree, path, scripts)
        if kinds and path not in exempt and len(opening(tree.text(path), *kinds)) < SHORTEST:
            yield Finding(path, 1, "say at the top what this file is for")


BAD = [
    ({path: text}, f"{path}:1: say")
    for path, text in [
        ("common/a/a.c", "#include <math.h>\n"),
        ("common/a/a.c", "/* Math. */\n"),
        ("common/a/a.h", "\n/* Too late, this comment does not stand at the top. */\n"),
        ("static/a/a.js", "import { a } from './b.js';\n"),
        ("static/a/a.css", "body { margin: 0; }\n"),
        ("tests/a.py", '"""Short."""\n'),
        ("tests/run", "#!/bin/bash\nset -eu # a comment that comes too late\n"),
        ("nginx/a.bash", "a=1\n"),
        ("tests/tool", "#!/usr/bin/python3\nimport os\n"),
        ("sql/a/0001_a.sql", "CREATE TABLE a (id TEXT);\n"),
        ("Makefile", "all:\n"),
    ]
]

WORDS = "What this file is for, in words."
GOOD = [
    {"common/a/a.c": f"/* {WORDS} */\n", "static/a.js": f"/*\n * {WORDS}\n */\n"},
    {"tests/run": f"#!/bin/bash\n# {WORDS}\n", "nginx/a.bash": f"# {WORDS}\n"},
    {"tests/a.py": f'"""{WORDS}"""\n', "tests/b": f'#!/usr/bin/python3\n"""{WORDS}"""\n'},
    {"sql/a/0001_a.sql": f"-- {WORDS}\n", "tools/a.mk": f"# {WORDS}\n", "docs/a.md": "# A\n"},
    {"tests/a/__init__.py": "", "static/b.mjs": f"#!/usr/bin/env node\n// {WORDS}\n"},
]
