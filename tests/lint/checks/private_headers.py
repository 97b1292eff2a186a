"""A header that is private to its folder is included from there, and by tests, alone.

Private is what says "Private to" in the comment at its top, or is called *_internal.h."""

import os
import re

from lint import Finding, include_name, includes, purpose

PHRASE = re.compile(r"\bprivate\s+(?:\*\s+)?to\b", re.I)


def is_private(tree, header):
    return header.endswith("_internal.h") or bool(PHRASE.search(purpose(tree.text(header))))


def check(tree):
    private = {
        include_name(header): header
        for header in tree.files("common/*.h", "fcgi-bin/*.h", "cron-bin/*.h")
        if is_private(tree, header)
    }
    for path in tree.c_files():
        if path.startswith("tests/"):  # white-box tests include private headers
            continue
        for line, quote, name in includes(tree, path):
            home = os.path.dirname(private.get(name, ""))
            if quote == '"' and home and os.path.dirname(path) != home:
                yield Finding(path, line, f"{private[name]} is private to {home}/")


def using(path, header, comment):
    return {path: f'/* x */\n#include "{include_name(header)}"\n', header: f"/* {comment} */\n"}


BAD = [
    (using("common/shm/a.c", "common/db/db_internal.h", "Shared."), "common/shm/a.c:2: "),
    (using("common/db/a.c", "common/shm/lock.h", "Locks. Private to common/shm."), "private to"),
    (using("common/db/a.c", "common/shm/lock.h", "Locks. Private\n * to this kit."), "private to"),
    (using("fcgi-bin/a-b/a.c", "common/shm/lock.h", "Private to this kit: locks."), "private to"),
]

GOOD = [
    using("common/shm/a.c", "common/shm/lock.h", "Private to this kit: locks."),
    using("tests/unit/a_test.c", "common/shm/lock.h", "Private to this kit: locks."),
    using("common/db/a.c", "common/shm/region.h", "Regions that are shared."),
]
