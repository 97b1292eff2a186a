"""No folders of a service, and no rooms of common/, include each other in a circle.

A circle is reported once for each #include inside it that could be cut."""

import collections
import os

from lint import Finding, include_name, includes

SERVICES = ("experiments", "support", "livedata", "orchestrator")


def folder_of(path):
    """Of a service each folder, of the other rooms the room."""
    parts = os.path.dirname(path).split("/")
    return "/".join(parts) if parts[1] in SERVICES else "/".join(parts[:2])


def arrows(tree):
    """(folder, folder) -> [(path, line, header)]."""
    known = {include_name(header): header for header in tree.files("common/*.h")}
    found = collections.defaultdict(list)
    for path in tree.files("common/*.[ch]"):
        for line, quote, name in includes(tree, path):
            if quote == '"' and name in known and folder_of(path) != folder_of(known[name]):
                found[folder_of(path), folder_of(known[name])].append((path, line, known[name]))
    return found


def reachable(start, following):
    """All folders that can be reached from one."""
    seen, left = set(), [start]
    while left:
        for folder in following[left.pop()]:
            if folder not in seen:
                seen.add(folder)
                left.append(folder)
    return seen


def check(tree):
    found = arrows(tree)
    following = collections.defaultdict(set)
    for source, target in found:
        following[source].add(target)
    reached = {folder: reachable(folder, following) for folder in list(following)}
    for (source, target), places in sorted(found.items()):
        if source in reached.get(target, ()):
            circle = sorted(folder for folder in reached[source] if source in reached.get(folder, ()))
            for path, line, header in places:
                yield Finding(path, line, f"{header} closes a circle of {', '.join(circle)}")


def pair(first, second):
    """Two files that include each other's header."""
    return {f"{first}/a.c": f'#include "{second.removeprefix("common/")}/b.h"\n', f"{first}/a.h": "",
            f"{second}/b.c": f'#include "{first.removeprefix("common/")}/a.h"\n', f"{second}/b.h": ""}


BAD = [
    (pair("common/support/answer", "common/support/traces"), "closes a circle of common/support/answer, common/support/traces"),
    (pair("common/support", "common/support/traces"), "closes a circle"),
    (pair("common/db", "common/shm"), "closes a circle of common/db, common/shm"),
]

GOOD = [
    pair("common/db", "common/db"),
    {**pair("common/support/answer", "common/support/traces"), "common/support/traces/b.c": ""},
]
