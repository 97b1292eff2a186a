"""Who may include whom: the table of layers in docs/develop/architecture.md, read off the #include lines.

Also keeps every third-party library behind one include, so that replacing it touches one module."""

import re

from lint import Finding, include_name, includes

KITS = {
    "accounts", "webhook", "jobs", "llm", "search", "report", "net", "db", "shm", "crypto", "i18n", "math", "stats", "text",
    "browser", "documents", "telemetry", "embedding", "limits", "kafka",
}
SERVICES = {"experiments", "support", "livedata", "orchestrator"}

# Kits that may stand on other kits, and on which; all may use base.
LOW = {"crypto", "i18n", "text"}
BELOW = {
    "accounts": {"net", "db", "shm"} | LOW,
    "webhook": {"jobs", "telemetry", "llm", "search", "report", "net", "db", "shm"} | LOW,
    "jobs": {"telemetry", "net", "db", "shm"} | LOW,
    "kafka": {"jobs", "db", "shm"} | LOW,
    "llm": {"net", "db", "shm"} | LOW,
    "search": {"net", "db", "shm"} | LOW,
    "report": {"net", "db", "shm", "crypto", "i18n"},
    "telemetry": {"net", "db", "shm"} | LOW,
    "limits": {"net", "shm", "crypto"},
    "net": {"db", "shm", "crypto", "i18n"},
    "db": {"shm", "crypto", "i18n"},
    "shm": {"crypto", "i18n"},
    "documents": {"net", "text"},
    "embedding": {"search", "documents", "net", "db", "shm"} | LOW,
    "stats": {"math"},
}

# Third-party headers and the room of common/ that includes them.
LIBRARIES = {
    r"fcgi": "http",
    r"sqlite3": "db",
    r"libpq|postgresql/": "db",
    r"curl/": "net",
    r"librdkafka/": "kafka",
    r"hiredis/": "net",
    r"sodium": "crypto",
    r"openssl/": "crypto",
    r"jansson": "base",
    r"yaml\.h": "base",
    r"utf8proc": "text",
    r"libstemmer": "text",
    r"pcre2": "text",
    r"gumbo": "documents",
    r"uchardet/": "documents",
    r"iconv\.h": "documents",
    r"libxml/": "documents",
    r"zip": "documents",
    r"zlib": "base",
    r"xlsxwriter": "report",
    r"cairo": "report",
    r"pango/": "report",
}


def room_of(path):
    """The room that a file belongs to: ("common", "db"), ("fcgi-bin", "experiments-system") ..."""
    parts = path.split("/")
    return (parts[0], parts[1]) if len(parts) > 2 else (parts[0], "")


def allowed(top, room):
    """The rooms of common/ that a room may include."""
    if top == "fcgi-bin":
        return KITS | {"base", "http", "mcp", room.split("-")[0]}
    if top == "cron-bin":
        return KITS | {"base"} | SERVICES
    if room == "base":
        return {"base"}
    if room == "mcp":
        return KITS | {"base", "http", "mcp"}
    if room in KITS:
        return BELOW.get(room, set()) | {"base", room}
    return KITS | {"base", room}


def may_include(path, header):
    top, room = room_of(path)
    header_top, header_room = room_of(header)
    if header_top == "common":
        return header_room in allowed(top, room)
    if header_top == "cron-bin":
        return top == "cron-bin" and header_room == room
    if header_top == "fcgi-bin":
        return top == "fcgi-bin" and header_room in (room, room.split("-")[0])
    return False


def check_library(path, line, name):
    top, room = room_of(path)
    for pattern, home in LIBRARIES.items():
        if re.match(pattern, name) and (top, room) != ("common", home):
            yield Finding(path, line, f"<{name}> belongs to common/{home}/ alone")


def check(tree):
    known = {}
    for header in tree.files("common/*.h", "fcgi-bin/*.h", "cron-bin/*.h"):
        name = include_name(header)
        if name in known:
            yield Finding(header, 1, f'#include "{name}" could also mean {known[name]}')
        known[name] = header
    for path in tree.files("common/*.[ch]", "fcgi-bin/*.[ch]", "cron-bin/*.[ch]"):
        for line, quote, name in includes(tree, path):
            if quote == "<":
                yield from check_library(path, line, name)
            elif name not in known:
                yield Finding(path, line, f'"{name}" is no header of the tree; name it room/file.h')
            elif not may_include(path, known[name]):
                rooms = "/".join(room_of(path)).rstrip("/")
                yield Finding(path, line, f"{rooms} must not include {known[name]}")


def including(path, header, name=None):
    return {path: f'/* x */\n#include "{name or include_name(header)}"\n', header: ""}


BAD = [
    (including(*pair), f"{pair[0]}:2: ")
    for pair in [
        ("common/base/a.c", "common/text/b.h"),
        ("common/math/a.c", "common/text/b.h"),
        ("common/math/a.c", "common/stats/b.h"),
        ("common/stats/a.c", "common/i18n/b.h"),
        ("common/text/a.c", "common/i18n/b.h"),
        ("common/crypto/a.c", "common/i18n/b.h"),
        ("common/shm/a.c", "common/db/b.h"),
        ("common/db/a.c", "common/net/b.h"),
        ("common/report/a.c", "common/text/b.h"),
        ("common/db/a.h", "common/experiments/b.h"),
        ("common/http/a.c", "common/experiments/b.h"),
        ("common/experiments/a.c", "common/http/b.h"),
        ("common/experiments/a.c", "common/support/b.h"),
        ("common/experiments/a.c", "fcgi-bin/experiments/b.h"),
        ("cron-bin/jobs/a.c", "common/http/b.h"),
        ("cron-bin/jobs/a.c", "cron-bin/other/b.h"),
        ("fcgi-bin/support-search/a.c", "common/experiments/b.h"),
        ("fcgi-bin/support-search/a.c", "fcgi-bin/support-files/b.h"),
        ("fcgi-bin/support/a.c", "fcgi-bin/support-files/b.h"),
        ("fcgi-bin/support-search/a.c", "tests/unit/test.h", "../../tests/unit/test.h"),
    ]
] + [
    ({"common/http/a.c": "#include <sqlite3.h>\n"}, "common/http/a.c:1: "),
    ({"fcgi-bin/experiments-system/a.c": "#include <fcgiapp.h>\n"}, "common/http/ alone"),
    ({"common/support/a.h": "", "fcgi-bin/support/a.h": ""}, "could also mean"),
]

GOOD = [
    including(path, header)
    for path, header in [
        ("common/math/a.c", "common/base/b.h"),
        ("common/stats/a.c", "common/math/b.h"),
        ("common/report/a.c", "common/db/b.h"),
        ("common/shm/a.c", "common/crypto/b.h"),
        ("common/http/a.c", "common/report/b.h"),
        ("common/livedata/a.c", "common/text/b.h"),
        ("cron-bin/jobs/a.c", "common/support/b.h"),
        ("fcgi-bin/support-search/a.c", "common/support/b.h"),
        ("fcgi-bin/support-search/a.c", "fcgi-bin/support/b.h"),
        ("fcgi-bin/support-search/a.c", "common/http/b.h"),
    ]
] + [{"common/db/a.c": '#include <sqlite3.h>\n/* #include "http/b.h" */\n'}]
