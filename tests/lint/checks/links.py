"""Links between documents lead somewhere, headings included, and every page of docs/ is linked."""

import posixpath
import re

from lint import Finding, line_of

LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]\n]+\]:\s*(\S+)", re.M)
CODE = re.compile(r"^(```|~~~).*?^\1|``.*?``|`[^`\n]*`", re.M | re.S)
HEADING = re.compile(r"^#{1,6}[ ]+(.+?)[ ]*#*$", re.M)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)


def without_code(text):
    return CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def anchors(text):
    """The names that headings get, and those given by hand."""
    fences = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
    found = set(re.findall(r'(?:id|name)="([^"]+)"', text))
    for heading in HEADING.findall(fences.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        copies = [name] + [f"{name}-{i}" for i in range(1, 100)]
        found.add(next(copy for copy in copies if copy not in found))
    return found


def check(tree):
    known = set(tree.paths) | {posixpath.dirname(path) for path in tree.paths}
    known |= {posixpath.dirname(folder) for folder in known}
    linked = {"README.md"}
    for path in tree.files("*.md"):
        text = without_code(tree.text(path))
        for match in LINK.finditer(text):
            target, _, anchor = (match[1] or match[2]).partition("#")
            if ELSEWHERE.match(target):
                continue
            line = line_of(text, match.start())
            place = posixpath.join(posixpath.dirname(path), target) if target else path
            place = posixpath.normpath(place)
            if place != path:
                linked.add(place)
            if place.rstrip("/") not in known:
                yield Finding(path, line, f"there is no {place}")
            elif anchor and place.endswith(".md") and anchor not in anchors(tree.text(place)):
                yield Finding(path, line, f"{place} has no heading #{anchor}")
    if "README.md" not in tree.paths:
        yield Finding("README.md", 1, "is missing")
    for path in tree.files("docs/*"):
        if path not in linked:
            yield Finding(path, 1, "no other page links here")


README = {"README.md": "# A\n\n[B](docs/b.md)\n"}
BAD = [
    ({"README.md": "# A\n\n[b](docs/b.md)\n"}, "README.md:3: there is no docs/b.md"),
    ({**README, "docs/b.md": "# B\n\n[a](#c)\n"}, "docs/b.md:3: docs/b.md has no heading #c"),
    ({**README, "docs/b.md": "[a](../README.md#b)\n"}, "docs/b.md:1: README.md has no heading"),
    ({**README, "docs/b.md": "# B\n", "docs/c.md": "# C\n[self](c.md)\n"}, "docs/c.md:1: no other"),
    ({**README, "docs/b.md": "![a](a.png)\n"}, "docs/b.md:1: there is no docs/a.png"),
    ({**README, "docs/b.md": "[a]\n\n[a]: c.md\n"}, "docs/b.md:3: there is no docs/c.md"),
    ({"docs/b.md": "# B\n"}, "README.md:1: is missing"),
]

GOOD = [
    {
        "README.md": "# A, the `one`!\n\n[B](docs/b.md#c-d), [c](docs/), [w](https://a.example)\n",
        "docs/b.md": "# C d\n\n[A](../README.md#a-the-one)\n\n`[x](y)`\n\n```\n[x](y)\n```\n",
    }
]
