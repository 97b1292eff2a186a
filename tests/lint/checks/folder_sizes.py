"""No folder of common/, fcgi-bin/ or cron-bin/ holds more files than one can look over."""

import collections
import os

from lint import Finding

MOST = 60


def check(tree):
    counts = collections.Counter(os.path.dirname(path) for path in tree.files("common/*", "fcgi-bin/*", "cron-bin/*"))
    for folder, count in sorted(counts.items()):
        if count > MOST:
            yield Finding(folder, 1, f"{count} files; {MOST} is the end")


BAD = [({f"common/a/f{i}.c": "" for i in range(61)}, "common/a:1: 61 files")]
GOOD = [{f"common/a/f{i}.c": "" for i in range(60)}, {f"tests/a/f{i}.c": "" for i in range(61)}]
