"""SQL stands in storage files as constant text and is never put together with printf.

Storage files are those of common/<service>/ and common/db/. Programs and the http kit hold none."""

import re

from lint import Finding, line_of

STATEMENT = (
    r'"\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s'
    r"|WITH\s+(?:RECURSIVE\s+)?\w+\s+(?:\([^)]*\)\s*)?AS\s"
    r"|(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX)\s)"
)
LITERAL = re.compile(STATEMENT)
PRINTED = re.compile(
    r"\b(\w*(?:printf|_print|_format|_append)\w*)\s*\((?:[^()\"']|\([^()\"']*\))*" + STATEMENT
)


def check(tree):
    for path in tree.files("common/*.[ch]", "fcgi-bin/*.[ch]", "cron-bin/*.[ch]"):
        text = tree.uncommented(path)
        for match in PRINTED.finditer(text):
            line = line_of(text, match.start())
            yield Finding(path, line, f"{match[1]}() writes SQL; bind values to a named statement")
        if path.startswith(("fcgi-bin/", "cron-bin/", "common/http/")):
            for match in LITERAL.finditer(text):
                line = line_of(text, match.start())
                yield Finding(path, line, "SQL belongs to the storage files of common/<service>/")


BAD = [
    ({"fcgi-bin/a-b/a.c": 'const char *a = "SELECT id FROM project";\n'}, "a.c:1: SQL belongs"),
    ({"cron-bin/a/main.c": 'int a;\nchar b[] = "DELETE FROM project";\n'}, "main.c:2: SQL belongs"),
    ({"common/http/a.c": 'char a[] = "UPDATE project SET a = 1";\n'}, "SQL belongs"),
    (
        {"common/support/a.c": 'x = arena_print(arena, "SELECT * FROM %s", name);\n'},
        "a.c:1: arena_print()",
    ),
    (
        {"common/support/a.c": '\nsnprintf(to, sizeof(to),\n "WITH t AS (SELECT %d)", n);\n'},
        "a.c:2: snprintf()",
    ),
    (
        {"common/db/a.c": 'text_append_format(&sql, "INSERT INTO %s VALUES (1)", table);\n'},
        "text_append_format()",
    ),
]

GOOD = [
    {"common/support/a.c": 'static const struct statement s = {"SELECT id FROM project"};\n'},
    {"fcgi-bin/a-b/a.c": 'char a[] = "Select a project";\n/* "SELECT id FROM project" */\n'},
    {"common/db/a.c": 'log_line("statement failed", "update");\n'},
]
