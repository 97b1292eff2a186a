"""The rows of a schema are held to the types of their members when they are compiled: that of a nested
object against the struct of its schema, that of a list's items against what OBJECT_LIST() says. The
compiler does the work; this check compiles rows that are wrong and wants each refused, so that no
change of base/schema.h makes the rows blind."""

import re
import subprocess

from lint import Finding, ROOT, Tree, line_of

HEADER = "common/base/schema.h"
SOURCE = """
#include "base/schema.h"

struct point {{ double x; }};
struct price {{ double amount; }}; /* of the same size */
#define OWNER struct point
static const struct field point_fields[] = {{NUMBER(OWNER, x)}};
#undef OWNER
static SCHEMA(point_schema, struct point, "Point", point_fields);

struct drawing {{
    {object};
    {list};
    int64_t number;
}};
SCHEMA_OF(drawing_schema, struct drawing);
#define OWNER struct drawing
static const struct field fields[] = {{{rows}}};
#undef OWNER
SCHEMA(drawing_schema, struct drawing, "Drawing", fields);
"""
RIGHT = {"object": "struct point *origin", "list": "OBJECT_LIST(struct point, points)",
         "rows": "OBJECT(OWNER, origin, point_schema), OBJECTS(OWNER, points, point_schema), INTEGER(OWNER, number)"}
# What is wrong: the macro that has to see it, and the change that makes it so.
WRONG = {
    "an object of another struct": ("OBJECT", {"object": "struct price *origin"}),
    "an object that is no pointer": ("OBJECT", {"object": "struct point origin"}),
    "a list of another struct": ("OBJECTS", {"list": "OBJECT_LIST(struct price, points)"}),
    "a list that does not say of what": ("OBJECTS", {"list": "struct object_list points"}),
    "an integer in a row for numbers": ("NUMBER", {"rows": RIGHT["rows"].replace("INTEGER", "NUMBER")}),
}


def compiled(root, parts):
    command = ["gcc", "-std=c17", "-D_GNU_SOURCE", "-fsyntax-only", "-Werror", f"-I{root}/common", "-xc", "-"]
    return subprocess.run(command, input=SOURCE.format(**parts), text=True, capture_output=True, check=False)


def check(tree):
    right = compiled(tree.root, RIGHT)
    if right.returncode:
        yield Finding(HEADER, 1, f"rows that are right are refused: {right.stderr.strip()[:300]}")
        return
    for name, (macro, change) in WRONG.items():
        if compiled(tree.root, {**RIGHT, **change}).returncode == 0:
            place = tree.text(HEADER).find(f"#define {macro}(")
            yield Finding(HEADER, line_of(tree.text(HEADER), max(place, 0)), f"{macro}() does not see {name}")


def blind(macro):
    """The real headers, with a row that looks at its offset only."""
    real = Tree(ROOT)
    files = {path: real.text(path) for path in real.files("common/base/*.h")}
    files[HEADER] = re.sub(rf"(#define {macro}\(.*?\.offset = ).*?(\.schema)",
                           r"\1offsetof(owner, member), \2", files[HEADER], count=1, flags=re.S)
    return files


BAD = [
    (lambda: blind("OBJECT"), "OBJECT() does not see an object of another struct"),
    (lambda: blind("OBJECTS"), "OBJECTS() does not see a list of another struct"),
]
