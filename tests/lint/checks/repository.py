"""What goes under version control: nothing big, programs that start, lock files that hold on any
machine."""

import os
import re

from lint import Finding, Program, line_of

SIZE_MAX = 1 << 20

LOCK_FILES = ("*package-lock.json", "*npm-shrinkwrap.json", "*yarn.lock", "*pnpm-lock.yaml")
REGISTRY = re.compile(r'"?(?:resolved|registry|tarball)"?\s*[:= ]\s*"?https?://[^\s"]+')


def check(tree):
    for path in tree.files("*", data=True):
        size = os.path.getsize(tree.root / path)
        if size > SIZE_MAX:
            yield Finding(path, 1, f"{size} bytes; {SIZE_MAX} is the end")
        executable = os.access(tree.root / path, os.X_OK)
        script = tree.text(path).startswith("#!")
        if executable and not script:
            yield Finding(path, 1, "is executable and has no #! line")
        elif script and not executable:
            yield Finding(path, 1, "has a #! line and is not executable")
    for path in tree.files(*LOCK_FILES, "*.npmrc"):
        text = tree.text(path)
        for match in REGISTRY.finditer(text):
            line = line_of(text, match.start())
            yield Finding(path, line, "names a registry; see omit-lockfile-registry-resolved")


BAD = [
    ({"static/a.bin": "a" * (SIZE_MAX + 1)}, "a.bin:1: "),
    ({"tests/golden/a": "a" * (SIZE_MAX + 1)}, "a:1: "),
    ({"tools/a": "#!/bin/bash\n"}, "not executable"),
    ({"docs/a.md": Program("# A\n")}, "no #! line"),
    (
        {"a/package-lock.json": '{\n"resolved": "https://npm.example/a.tgz"\n}\n'},
        "package-lock.json:2: ",
    ),
    ({"a/.npmrc": "registry=https://npm.example/\n"}, ".npmrc:1: "),
    ({"a/yarn.lock": 'a@1:\n  resolved "https://npm.example/a.tgz"\n'}, "yarn.lock:2: "),
]

GOOD = [
    {"tools/a": Program("#!/bin/bash\n"), "static/a.bin": "a" * SIZE_MAX},
    {"a/package-lock.json": '{"funding": {"url": "https://example.org/"}}\n'},
]
