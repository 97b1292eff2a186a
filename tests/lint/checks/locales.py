"""Runs tests/lint/locales_test.py: the catalogues agree with each other and with the code."""

import importlib.util
import json
import os
import re
import subprocess
import sys

from lint import Finding, ROOT, Skip, Tree, line_of

TEST = "tests/lint/locales_test.py"
FAILED = re.compile(
    r"^(?:FAILED|ERROR) (?:\S*?)(?:::(?P<test>(?P<name>\w+)\S*))?(?: - (?P<text>.*))?$", re.M
)


def check(tree):
    if not importlib.util.find_spec("pytest"):
        raise Skip("python3-pytest is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider",
         f"--rootdir={tree.root}", TEST],
        cwd=tree.root, capture_output=True, text=True, check=False,
        env={**os.environ, "COLUMNS": "300", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    failed = list(FAILED.finditer(done.stdout))
    for match in failed:
        place = tree.text(TEST).find(f"def {match['name']}(")
        message = f"{match['test'] or 'cannot start'}: {match['text'] or ''}"
        yield Finding(TEST, line_of(tree.text(TEST), max(place, 0)), message)
    if done.returncode and not failed:
        yield Finding(TEST, 1, f"pytest ends with status {done.returncode}: {done.stdout[-200:]}")


def without_an_entry():
    """The real catalogues and code, with one entry missing in German."""
    real = Tree(ROOT)
    code = [f"{room}/*.[ch]" for room in ("common", "fcgi-bin", "cron-bin")]
    files = {path: real.text(path) for path in real.files(TEST, "locales/*.json", *code)}
    catalogue = json.loads(files["locales/de.json"])
    catalogue["results"]["verdict"].popitem()
    files["locales/de.json"] = json.dumps(catalogue)
    return files


BAD = [
    (without_an_entry, "test_same_keys_in_the_same_order[de]"),
    ({TEST: "import nothing_of_that_name\n"}, f"{TEST}:1: "),
]
