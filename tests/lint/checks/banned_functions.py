"""Functions that are never called, and what to call instead."""

import re

from lint import Finding, line_of

BOUNDED = "text_append_format(), arena_print() or snprintf()"
COPIES = "arena_copy_string(), or memcpy() with a length that was checked"
NUMBERS = "number.h: it says when the text is no number"

INSTEAD = {
    "sprintf": BOUNDED,
    "vsprintf": BOUNDED,
    "strcpy": COPIES,
    "stpcpy": COPIES,
    "strcat": COPIES,
    "strncpy": f"{COPIES}; strncpy() may leave no NUL",
    "strncat": COPIES,
    "gets": "fgets() or getline()",
    "strtok": "strcspn() and strspn(): strtok() writes into its argument and remembers it",
    "atoi": NUMBERS,
    "atol": NUMBERS,
    "atoll": NUMBERS,
    "atof": NUMBERS,
    "gmtime": "gmtime_r()",
    "localtime": "gmtime_r(): local time is the reader's affair",
    "asctime": "strftime()",
    "ctime": "strftime()",
    "rand": "math/random.h for simulations, crypto/token.h for secrets",
    "srand": "math/random.h for simulations, crypto/token.h for secrets",
    "random": "math/random.h for simulations, crypto/token.h for secrets",
    "alloca": "the arena: nothing bounds the stack",
    "system": "posix_spawn(): no shell ever sees our values",
    "popen": "posix_spawn(): no shell ever sees our values",
    "tmpnam": "mkstemp()",
    "mktemp": "mkstemp()",
}

CALL = re.compile(rf"(?<![\w.>])({'|'.join(INSTEAD)})\s*\(")


def check(tree):
    for path in tree.c_files():
        text = tree.bare(path)
        for match in CALL.finditer(text):
            name = match[1]
            yield Finding(path, line_of(text, match.start()), f"{name}(): use {INSTEAD[name]}")


BAD = [
    ({"common/base/a.c": f"void f(void)\n{{\n    {name} (x);\n}}\n"}, f"a.c:3: {name}()")
    for name in INSTEAD
] + [({"common/base/a.h": '#define NOW "/*" + gmtime(&t) + "*/"\n'}, "a.h:1: gmtime()")]

GOOD = [
    {"common/base/a.c": '/* never strcpy(a, b) */\nconst char *a = "atoi(b)"; // rand()\n'},
    {"common/base/a.c": "void f(void)\n{\n    strtok_r(a, b, c);\n    table->system(1);\n}\n"},
    {"common/base/a.c": 'void f(void)\n{\n    my_rand(a["rand("]);\n    snprintf(a, b, c);\n}\n'},
]
