"""JavaScript parses (node --check), and what it imports from our own modules is there and used.

Browsers load the modules as they are, so nobody else would notice a wrong name before a reader
does. Pages are held to the same: the scripts and style sheets that they name have to exist."""

import posixpath
import re

from lint import Finding, blank_out, line_of, need, reported, run_each

IMPORT = re.compile(
    r"""^[ \t]*(?P<verb>import|export)\b(?P<what>[^;'"()]*?)"""
    r"""\s*(?:\bfrom\b)?\s*['"](?P<from>[^'"\n]+)['"]""",
    re.M,
)
DECLARED = re.compile(
    r"^[ \t]*export\s+(?:async\s+)?(?:function\s*\*?|const|let|var|class)\s+([\w$]+)", re.M
)
LISTED = re.compile(r"^[ \t]*export\s*\{([^}]*)\}", re.M)
ASSET = re.compile(r"""\b(?:src|href)="([^"#?:]+\.(?:js|mjs|css|svg|png|ico))\"""")


def names_in(braces):
    """(exported name, local name) of every entry of { a, b as c }."""
    for entry in filter(None, (part.strip() for part in braces.split(","))):
        first, _, second = entry.partition(" as ")
        yield first.strip(), (second or first).strip()


def exports(text):
    text = blank_out(text, keep_literals=True)
    found = set(DECLARED.findall(text))
    for braces in LISTED.findall(text):
        found.update(outer for _, outer in names_in(braces))
    if re.search(r"^\s*export\s+default\b", text, re.M):
        found.add("default")
    return found


def resolve(path, target):
    """The file that an import or a page means, None when it is none of ours."""
    if target.startswith("/"):
        room = path.split("/")[1] if path.startswith("static/") else ""
        shared = target.startswith("/shared/")
        return f"static{target}" if shared else f"static/{room}{target}"
    if target.startswith("."):
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return None


def check_imports(tree, path):
    text = blank_out(tree.text(path), keep_literals=True)
    rest = IMPORT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in IMPORT.finditer(text):
        line = line_of(text, match.start("verb"))
        target = resolve(path, match["from"])
        listed = dict(names_in("".join(re.findall(r"\{([^}]*)\}", match["what"]))))
        unlisted = re.sub(r"\{[^}]*\}", "", match["what"])
        whole = re.match(r"\s*(?:\*\s*as\s+)?([\w$]+)\s*(?:,|$)", unlisted)
        if match["verb"] == "import":
            for local in [*listed.values(), *([whole[1]] if whole else [])]:
                if not re.search(rf"(?<![\w$]){re.escape(local)}(?![\w$])", rest):
                    yield Finding(path, line, f"{local} is imported and not used")
        if target is None or match["from"].startswith("/vendor/") or "/vendor/" in target:
            continue
        if target not in tree.paths:
            yield Finding(path, line, f"there is no {target}")
        elif target.endswith(("js", ".ts")):
            for name in sorted(set(listed) - exports(tree.text(target))):
                yield Finding(path, line, f"{target} does not export {name}")


def check_page(tree, path):
    text = tree.text(path)
    for match in ASSET.finditer(text):
        target = resolve(path, match[1] if match[1][0] in "/." else f"./{match[1]}")
        if not match[1].startswith("/vendor/") and target not in tree.paths:
            yield Finding(path, line_of(text, match.start()), f"there is no {target}")


def check(tree):
    for path in tree.files("*.js", "*.mjs"):
        yield from check_imports(tree, path)
    for path in tree.files("static/*.html"):
        yield from check_page(tree, path)
    need("node")
    for path, output, status in run_each(
        tree, tree.changed(tree.files("*.js", "*.mjs")), lambda path: ["node", "--check", path]
    ):
        place = re.search(r":(\d+)\n", output)
        error = re.search(r"^\w*Error: .*$", output, re.M)
        if status and place and error:
            yield Finding(path, int(place[1]), error[0])
        elif status:
            yield from reported(tree, path, output, status)


MODULE = {"static/package.json": '{"type": "module"}\n'}
BAD = [
    ({**MODULE, **files}, words)
    for files, words in [
        ({"static/a/a.js": "const a = 1;\nconst b = ;\n"}, "static/a/a.js:2: SyntaxError"),
        ({"static/a/a.js": "\nimport { b } from './b.js';\nb();\n"}, "a.js:2: there is no"),
        (
            {
                "static/a/a.js": "import { b, c } from '/shared/b.js';\nb(c);\n",
                "static/shared/b.js": "export function b() {}\n",
            },
            "a.js:1: static/shared/b.js does not export c",
        ),
        (
            {
                "static/a/a.js": "import {\n  b,\n} from './b.js';\n// b is not used\n",
                "static/a/b.js": "export const b = 1;\n",
            },
            "a.js:1: b is imported and not used",
        ),
        ({"static/a/a.js": "import * as b from 'node:fs';\n"}, "b is imported and not used"),
        ({"static/a/a.html": '<p>\n<script src="/a.js"></script>\n'}, "a.html:2: there is no"),
        ({"static/a/a.html": '<link href="/shared/a.css">\n'}, "there is no static/shared/a.css"),
    ]
]

GOOD = [
    {
        **MODULE,
        "static/a/a.js": "import { b as c } from './b.js';\nimport v from '/vendor/v.js';\nc(v);\n",
        "static/a/b.js": "const d = 1;\nexport { d as b };\n",
        "static/a/a.html": '<a href="/docs">x</a><script src="/a.js"></script>\n',
    },
    {
        **MODULE,
        "static/a/a.js": "import fs, { b } from './b.js';\nexport { b } from './b.js';\nfs(b);\n",
        "static/a/b.js": "export default 1;\nexport async function b() {}\n",
    },
]
