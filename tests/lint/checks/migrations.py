"""Migrations of a service have a number each, from 0001 on without a gap: two with the same number,
made side by side, open no database."""

import re

from lint import Finding

NAMED = re.compile(r"(sql/\w+)/(\d{4})_\w+\.sql")


def check(tree):
    following = {}
    for path in sorted(tree.files("sql/*/0*.sql")):
        match = NAMED.fullmatch(path)
        if not match:
            yield Finding(path, 1, "not named like 0001_what.sql")
            continue
        number = following.get(match[1], 1)
        if int(match[2]) != number:
            yield Finding(path, 1, f"{number:04} comes next in {match[1]}")
        following[match[1]] = int(match[2]) + 1


BAD = [
    ({"sql/a/0001_a.sql": "", "sql/a/0002_b.sql": "", "sql/a/0002_c.sql": ""}, "0002_c.sql:1: 0003"),
    ({"sql/a/0001_a.sql": "", "sql/a/0003_b.sql": ""}, "0003_b.sql:1: 0002 comes next"),
    ({"sql/a/0001-a.sql": ""}, "not named"),
]

GOOD = [{"sql/a/0001_a.sql": "", "sql/a/0002_b.sql": "", "sql/b/0001_a.sql": "", "sql/kits/jobs_1.sql": ""}]
