"""docs/operate/configuration.md says what the programs print with --describe-settings, and docs/operate/authorisation.md what
they print with --describe-routes; no more, no less."""

import os
import subprocess

from lint import Finding, Program, Skip

PAGE = "docs/operate/configuration.md"
ROUTES = "docs/operate/authorisation.md"


def programs(tree):
    families = [path.split("/")[1] for path in tree.files("fcgi-bin/*/main.c")]
    places = [tree.build / "fcgi-bin" / family for family in families]
    return [place for place in places if place.exists()]


def check(tree):
    built = programs(tree)
    if not built:
        raise Skip("the programs are not built")
    tables = [os.path.getmtime(tree.root / path) for path in tree.files("common/*/settings*.[ch]")]
    if min(os.path.getmtime(program) for program in built) < max(tables, default=0):
        raise Skip("the programs are older than their settings; run make")
    yield from compare(tree, built, PAGE, "--describe-settings", "| `")
    yield from compare(tree, built, ROUTES, "--describe-routes", "| GET | `", "| POST | `", "| PUT | `", "| PATCH | `", "| DELETE | `")


def compare(tree, built, path, option, *beginnings):
    page = tree.text(path) if path in tree.paths else ""
    printed = set()
    for program in built:
        done = subprocess.run(
            [program, option], capture_output=True, text=True, cwd=tree.root,
            env={"PATH": os.environ["PATH"]}, check=False,
        )
        if done.returncode or (not done.stdout and option == "--describe-settings"):
            message = f"{program.name} {option} does not print: {done.stderr.strip()}"
            yield Finding(path, 1, message)
        elif done.stdout not in page:
            yield Finding(path, 1, f"is not what {program.name} prints; run make docs")
        printed.update(done.stdout.splitlines())
    for number, line in enumerate(page.split("\n"), 1):
        if line.startswith(beginnings) and line not in printed:
            yield Finding(path, number, "no program prints this line; run make docs")


def tree_of(settings, page, routes="", table=""):
    program = Program(f"#!/bin/sh\n[ $1 = --describe-routes ] && printf '{routes}' || printf '{settings}'\n")
    return {"build/fcgi-bin/a-b": program, "fcgi-bin/a-b/main.c": "", PAGE: page, ROUTES: table}


BAD = [
    (tree_of("| `A` |\\n", "# Settings\n\n| `B` |\n"), f"{PAGE}:1: is not what a-b prints"),
    (tree_of("| `A` |\\n", "| `A` |\n| `B` |\n"), f"{PAGE}:2: no program prints this line"),
    (tree_of("", "| `A` |\n"), "does not print"),
    (tree_of("| `A` |\\n", "| `A` |\n", "| GET | `/a` | read |\\n"), f"{ROUTES}:1: is not what a-b prints"),
    (tree_of("| `A` |\\n", "| `A` |\n", "", "| GET | `/a` | read |\n"), f"{ROUTES}:1: no program prints this line"),
    ({**tree_of("", ""), "build/fcgi-bin/a-b": Program("#!/bin/sh\nexit 1\n")}, "does not print"),
]

GOOD = [tree_of("| `A` |\\n", "# Settings\n\n| `A` |\n\nWords.\n", "| GET | `/a` | read |\\n", "| GET | `/a` | read |\n")]
