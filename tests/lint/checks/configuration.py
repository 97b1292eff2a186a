"""docs/operate/configuration.md says what the programs print with --describe-settings, no more, no less."""

import os
import subprocess

from lint import Finding, Program, Skip

PAGE = "docs/operate/configuration.md"


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
    page = tree.text(PAGE) if PAGE in tree.paths else ""
    printed = set()
    for program in built:
        done = subprocess.run(
            [program, "--describe-settings"], capture_output=True, text=True, cwd=tree.root,
            env={"PATH": os.environ["PATH"]}, check=False,
        )
        if done.returncode or not done.stdout:
            message = f"{program.name} does not print its settings: {done.stderr.strip()}"
            yield Finding(PAGE, 1, message)
        elif done.stdout not in page:
            yield Finding(PAGE, 1, f"is not what {program.name} prints; run make docs")
        printed.update(done.stdout.splitlines())
    for number, line in enumerate(page.split("\n"), 1):
        if line.startswith("| `") and line not in printed:
            yield Finding(PAGE, number, "no program has this setting; run make docs")


def tree_of(printed, page):
    program = Program(f"#!/bin/sh\nprintf '{printed}'\n")
    return {"build/fcgi-bin/a-b": program, "fcgi-bin/a-b/main.c": "", PAGE: page}


BAD = [
    (tree_of("| `A` |\\n", "# Settings\n\n| `B` |\n"), f"{PAGE}:1: is not what a-b prints"),
    (tree_of("| `A` |\\n", "| `A` |\n| `B` |\n"), f"{PAGE}:2: no program has this setting"),
    (tree_of("", "| `A` |\n"), "does not print its settings"),
    ({**tree_of("", ""), "build/fcgi-bin/a-b": Program("#!/bin/sh\nexit 1\n")}, "does not print"),
]

GOOD = [tree_of("| `A` |\\n", "# Settings\n\n| `A` |\n\nWords.\n")]
