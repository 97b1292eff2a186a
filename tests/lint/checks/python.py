"""Python files compile, and pyflakes finds no name that is unused or unknown in them."""

import importlib.util
import re
import subprocess
import sys

from lint import Finding, Skip


REPORT = re.compile(r"^([^:\n]+):(\d+):(?:\d+:?)? (.*)$", re.M)


def programs(tree):
    """Python files, those without an ending too."""
    for path in tree.files("*"):
        if path.endswith(".py") or re.match(r"#!.*python", tree.text(path)):
            yield path


def syntax_errors(tree, path):
    try:
        compile(tree.text(path), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        yield Finding(path, getattr(error, "lineno", 1) or 1, str(error))


def check(tree):
    paths = tree.changed(programs(tree))
    if not paths:
        return
    broken = [finding for path in paths for finding in syntax_errors(tree, path)]
    yield from broken
    if not importlib.util.find_spec("pyflakes"):
        raise Skip("python3-pyflakes is not installed; syntax alone was checked")
    sound = sorted(set(paths) - {finding.path for finding in broken})
    done = subprocess.run(
        [sys.executable, "-m", "pyflakes", *sound],
        cwd=tree.root, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )
    for path, line, message in REPORT.findall(done.stdout):
        yield Finding(path, int(line), message)
    if done.stderr:
        yield Finding("tests/lint/checks/python.py", 1, f"pyflakes: {done.stderr.strip()}")


BAD = [
    ({"tests/a.py": "a = 1\nif a\n    a = 2\n"}, "tests/a.py:2: "),
    ({"tests/a.py": "import os\n"}, "tests/a.py:1: 'os' imported but unused"),
    ({"tests/a": "#!/usr/bin/python3\n\n\nprint(b)\n"}, "tests/a:4: undefined name 'b'"),
]

GOOD = [{"tests/a.py": "import os\n\nprint(os.name)\n"}]
