"""Every code of the table of faults has a section in docs/operate/health.md and every section a code, and each code is
given somewhere: what an operator reads in readiness leads to a page that says what to do."""

import re

from lint import Finding

TABLE = "common/telemetry/health_fault"
PAGE = "docs/operate/health.md"


def check(tree):
    source = tree.text(f"{TABLE}.c")
    if not source:
        return
    codes = set(re.findall(r'FAULT\(\s*"(\w+)"', source))
    page = tree.text(PAGE)
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
    for code in sorted(codes - sections.keys()):
        yield Finding(PAGE, 1, f"has no section {code}")
    for section in sorted(sections.keys() - codes):
        yield Finding(PAGE, 1, f"has a section {section}, which is no code")
    for section, text in sorted(sections.items()):
        if not re.search(r"^- ", text, re.M):
            yield Finding(PAGE, 1, f"the section {section} says nothing to do")
    yield from unused(tree)


def unused(tree):
    """Codes that no component gives."""
    names = set(re.findall(r"\b(HEALTH_[A-Z_]+[A-Z]),", tree.text(f"{TABLE}.h"))) - {"HEALTH_GOOD"}
    sources = [path for path in tree.files("common/*.c", "fcgi-bin/*.c") if not path.startswith(TABLE)]
    used = set(re.findall(r"\bHEALTH_[A-Z_]+\b", "".join(map(tree.text, sources))))
    for name in sorted(names - used):
        yield Finding(f"{TABLE}.h", 1, f"{name} is given by no component")


HEADER = "enum health_code {\n    HEALTH_GOOD,\n    HEALTH_LOST,\n    HEALTH_CODE__MAX\n};\n"
SOURCE = '[HEALTH_LOST] = FAULT("lost", "It is lost."),\n'
USER = {"fcgi-bin/a-b/health.c": "fault = HEALTH_LOST;\n"}


def tree_of(page, source=SOURCE):
    return {f"{TABLE}.h": HEADER, f"{TABLE}.c": source, PAGE: page}


BAD = [
    ({**tree_of("# Health\n"), **USER}, f"{PAGE}:1: has no section lost"),
    ({**tree_of("## lost\n\n- Find it.\n\n## gone\n\n- Look.\n"), **USER}, "has a section gone, which is no code"),
    ({**tree_of("## lost\n\nIt is lost.\n"), **USER}, "the section lost says nothing to do"),
    (tree_of("## lost\n\n- Find it.\n"), "HEALTH_LOST is given by no component"),
]

GOOD = [{**tree_of("# Health\n\n## lost\n\nIt is lost.\n\n- Find it.\n"), **USER}, {PAGE: "## lost\n"}]
