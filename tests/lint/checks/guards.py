"""Header guards are named after what an #include writes: ASSAY_ROOM_FILE_H, and ASSAY_FILE_H in
tests."""

import os
import re

from lint import Finding, include_name, line_of


def guard_of(path):
    name = os.path.basename(path) if path.startswith("tests/") else include_name(path)
    return "ASSAY_" + re.sub(r"\W", "_", name).upper()


def check(tree):
    for path in tree.files("*.h"):
        guard = guard_of(path)
        text = tree.uncommented(path)
        opening = re.search(r"\A\s*#ifndef (\w+)\n#define (\w+)\n", text)
        if not opening:
            yield Finding(path, 1, f"after the comment comes the guard, {guard}")
        elif (opening[1], opening[2]) != (guard, guard):
            yield Finding(path, line_of(text, opening.start(1)), f"the guard is called {guard}")
        elif not re.search(r"^#endif\s*\Z", text, re.M):
            yield Finding(path, line_of(text, len(text.rstrip())), "the last line is #endif")


def header(guard, again=None, end="#endif\n"):
    return f"/* x */\n#ifndef {guard}\n#define {again or guard}\n\nint a;\n\n{end}"


BAD = [
    ({"common/db/url.h": "/* x */\nint a;\n"}, "url.h:1: "),
    ({"common/db/url.h": "/* x */\n#pragma once\n"}, "ASSAY_DB_URL_H"),
    ({"common/db/url.h": header("ASSAY_URL_H")}, "url.h:2: the guard is called ASSAY_DB_URL_H"),
    ({"common/db/url.h": header("ASSAY_DB_URL_H", "ASSAY_DB_UR_H")}, "url.h:2: "),
    ({"common/db/url.h": header("ASSAY_DB_URL_H", end="#endif\nint b;\n")}, "is #endif"),
    ({"tests/unit/test.h": header("ASSAY_UNIT_TEST_H")}, "called ASSAY_TEST_H"),
]

GOOD = [
    {"common/db/url.h": header("ASSAY_DB_URL_H")},
    {"fcgi-bin/experiments-system/health.h": header("ASSAY_EXPERIMENTS_SYSTEM_HEALTH_H")},
    {"tests/unit/test.h": header("ASSAY_TEST_H")},
]
