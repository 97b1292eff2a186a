"""docs/develop/dependencies.md has a row for every library that is linked, with the package that is installed for it."""

import re

from lint import Finding

PAGE = "docs/develop/dependencies.md"
SYSTEM = {"m", "pthread"}


def linked(tree):
    """Those that the linker is given, and those that programs load themselves."""
    lists = re.findall(r"^(?:LIBS|LOADED_LIBS) = (.*)$", tree.text("Makefile"), re.M)
    return {word[2:] for names in lists for word in names.split()} - SYSTEM


def installed(tree):
    match = re.search(r"run_packages='([^']*)'", tree.text("tools/install-packages"))
    return set(match.group(1).split()) if match else set()


def rows(tree):
    """Library -> (line, package) of the table below "## Linked"."""
    found, inside = {}, False
    for number, line in enumerate(tree.text(PAGE).split("\n"), 1):
        inside = line.startswith("## Linked") or (inside and not line.startswith("## "))
        match = re.match(r"\| `([\w.-]+)` \| ([\w.+-]+) \|", line)
        if inside and match:
            found[match.group(1)] = (number, match.group(2))
    return found


def check(tree):
    if "Makefile" not in tree.paths:
        return
    if PAGE not in tree.paths:
        yield Finding(PAGE, 1, "is missing")
        return
    table, libraries, packages = rows(tree), linked(tree), installed(tree)
    for library in sorted(libraries - set(table)):
        yield Finding(PAGE, 1, f"-l{library} is linked and has no row")
    for library, (number, package) in table.items():
        if library not in libraries:
            yield Finding(PAGE, number, f"{library} is not linked")
        elif package not in packages:
            yield Finding(PAGE, number, f"{package} is not installed by tools/install-packages")


def tree_of(libraries, packages, row):
    return {"Makefile": f"LIBS = {libraries} -lm\n", "tools/install-packages": f"run_packages='{packages}'\n",
            PAGE: f"# D\n\n## Linked\n\n{row}\n\n## Run\n\n| `other` | x |\n"}


BAD = [
    (tree_of("-la -lb", "a-dev b-dev", "| `a` | a-dev |"), "-lb is linked and has no row"),
    (tree_of("-la", "a-dev", "| `a` | a-dev |\n| `b` | b-dev |"), "b is not linked"),
    (tree_of("-la", "gcc", "| `a` | a-dev |"), "a-dev is not installed"),
    (tree_of("-la\nLOADED_LIBS = -lb", "a-dev b-dev", "| `a` | a-dev |"), "-lb is linked and has no row"),
    ({"Makefile": "LIBS = -la\n", "tools/install-packages": ""}, "is missing"),
]

GOOD = [tree_of("-la", "gcc\na-dev", "| `a` | a-dev |")]
