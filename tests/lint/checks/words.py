"""Words that must not be left in the tree: marks of unfinished work, folders of one machine, names
of other products; and words of our own where the field has a term (docs/develop/glossary.md).

The last are looked for in file names, in the parts of identifiers (`desk` in `struct chat_desk`), in
comments and in our docs, but not in texts between quotes: those may be names of contracts."""

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


# A word of our own, and the term that a person of the field would search for. Words that mean something else as well
# (place, round, order, tell) are replaced by reading.
TERMS = {
    "audience": "subscriber", "bury": "tombstone", "crew": "worker pool", "dealt": "train/test split",
    "desk": "server, operator console", "door": "entry point", "errand": "in-flight call", "folio": "report document",
    "house": "worker context", "inquiry": "provider request", "keeper": "garbage collector, supervisor",
    "mourn": "on_exit", "patience": "wait_for", "recon": "drift detection",
    "resident": "daemon", "teller": "event-stream writer", "telling": "event-stream writer",
}
FORMS = {"bury": "bury|buried|buries", "inquiry": "inquiry|inquiries"}
TERM = re.compile("(?<![A-Za-z])(?:" + "|".join(
    f"(?P<{word}>{FORMS.get(word, word + 's?')})" for word in TERMS) + ")(?![a-z])", re.I)
# Names of contracts, programs and pages: members of experiments, claims of tokens, a program's files, a page's parts;
# and resident memory.
NAMES = re.compile(
    r"audience_share\w*|target_audience\w*|(?:jwt|oidc|token)\w*[_ ]audience\w*|project\.audience|resident[ _](?:set|size|memory)"
    r"|orch-capture-recon|orch-recon-weekly|recon-|ORCH_BROWSER_RECON\w*", re.I)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|`[^`\n]*`')


def own_words(path, text):
    """(offset, word) of the words of our own in one file."""
    if path.endswith((".c", ".h", ".py", ".js", ".mjs", ".md", ".mk")) or text.startswith("#!"):
        text = LITERAL.sub(lambda match: " " * len(match[0]), text)
        text = NAMES.sub(lambda match: " " * len(match[0]), text)
        for match in TERM.finditer(text):
            yield match.start(), match.lastgroup


def check_terms(tree):
    for path in tree.files("*"):
        found = [(1, match.lastgroup) for match in TERM.finditer(NAMES.sub("", path))]
        text = tree.text(path)
        found += [(line_of(text, offset), word) for offset, word in own_words(path, text)]
        for line, word in found:
            yield Finding(path, line, f"{word}: say {TERMS[word]}")


def check(tree):
    yield from check_terms(tree)
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

BAD += [({"common/a/a.c": f"\nint chat_{word};\n"}, f"a.c:2: {word}") for word in TERMS]
BAD += [({f"docs/a_{word}.md": "\n"}, f".md:1: {word}") for word in TERMS]

GOOD = [
    {"common/a/a.c": 'double audience_share_in_test;\nconst char *label = "desk";\n'},
    {"a.md": "https://example.org/home/a and $dir/work/b\n"},
    {"a.c": "/* the to-do list of a slacker */\nint body_" + CHAT + " = 1;\n"},
]
