"""Words that must not be left in the tree: marks of unfinished work, folders of one machine, names
of other products."""

import re

from lint import Finding, line_of

# Written with a gap so that this file does not find itself.
MARKS = "|".join(("TO" "DO", "FIX" "ME", "X" "XX"))
PRODUCTS = "|".join(("per" "plexity", "agent" "flow", "grace" "kelly"))

# A chat platform with the name of a common word: its capital, or what follows, tells.
CHAT = "sl" "ack"
CHAT_PARTS = (
    "api|app|block|bot|channel|client|command|enabled|event|message|notif|rate|request|route"
    "|secret|sign|team|thread|token|user|webhook|workspace"
)

WORDS = [
    (re.compile(rf"\b(?:{MARKS})\b"), "mark of unfinished work; do it, or open an issue"),
    (re.compile(r"(?<![\w.)}>])/(?:work|root|home)/"), "folder of one machine"),
    (re.compile(rf"(?<![a-z])(?:{PRODUCTS})(?![a-z])", re.I), "name of another product"),
    (re.compile(rf"\b{CHAT.capitalize()}\b"), "name of another product"),
    (
        re.compile(rf"(?<![a-z]){CHAT}[-_. /]?(?:com\b|{CHAT_PARTS})", re.I),
        "name of another product",
    ),
]

# Checksums spell whatever they like; lock files have rules of their own.
SKIPPED = re.compile(r"(^|/)package-lock\.json$")


def check(tree):
    for path in tree.files("*"):
        if SKIPPED.search(path):
            continue
        text = tree.text(path)
        for pattern, message in WORDS:
            for match in pattern.finditer(text):
                yield Finding(path, line_of(text, match.start()), f"{match[0]}: {message}")


BAD = [
    ({"a.c": "\n/* TO" "DO: more */\n"}, "a.c:2: "),
    ({"a.js": "// FIX" "ME\n"}, "unfinished"),
    ({"docs/a.md": "X" "XX\n"}, "unfinished"),
    ({"a.sh": "cd /wo" "rk/main\n"}, "one machine"),
    ({"a.py": 'open("/ro' 'ot/a")\n'}, "one machine"),
    ({"docs/a.md": "See /ho" "me/you/assay.\n"}, "one machine"),
] + [({"common/a/a.c": f"\nint post_to_{name};\n"}, "a.c:2: ") for name in PRODUCTS.split("|")] + [
    ({"common/a/a.c": f"\nint {name};\n"}, "a.c:2: ")
    for name in (f"AB_{CHAT.upper()}_SIGNING_SECRET", f"post_{CHAT}_message", CHAT.capitalize())
]

GOOD = [
    {"a.md": "https://example.org/home/a and $dir/work/b\n"},
    {"a.c": "/* the to-do list of a slacker */\nint body_" + CHAT + " = 1;\n"},
]
