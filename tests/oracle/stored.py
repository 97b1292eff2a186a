"""References that take long are computed once: their results stand in tests/oracle/stored/, and every run compares
our programs with them.

    @stored
    def fisher_power(case, n): ...

A file holds the results of one function by a hash of the arguments, under a hash of what the function is made of: its
source, that of whatever it names in this folder, and the versions of the packages. Where that differs, for arguments
that are not there, and in `make soak`, the function is computed; soak also fails where a stored result is another one.
ASSAY_STORE_REFERENCES=1 writes the files anew. A function must give the same for the same arguments, and plain
numbers, tuples or lists of them.
"""
import functools
import hashlib
import importlib.metadata
import inspect
import json
import math
import os
import types
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / "stored"
PACKAGES = ("mpmath", "numpy", "scipy", "statsmodels")
SOAK = os.environ.get("ASSAY_TEST_SOAK") == "1"
WRITE = os.environ.get("ASSAY_STORE_REFERENCES") == "1"
TOLERANCE = 1e-12  # of a result that is computed again: sums may be taken in another order on another processor

FILES = []  # of this session


def stored(function):
    """The function, computed only where its result is not stored."""
    file = File(function)
    FILES.append(file)

    @functools.wraps(function)
    def look_up(*arguments):
        return file.result(arguments)

    return look_up


class File:
    """The stored results of one function."""

    def __init__(self, function):
        self.function = function
        self.path = FOLDER / f"{function.__module__}.{function.__name__}.json"
        self.results = None
        self.used = {}

    def load(self):
        self.made_of = digest("\n".join(parts(self.function, set())))
        self.results = {}
        if self.path.exists() and not WRITE:
            content = json.loads(self.path.read_text())
            if content["made_of"] == self.made_of:
                self.results = content["results"]

    def result(self, arguments):
        if self.results is None:
            self.load()
        key = digest(repr(arguments))[:12]
        known = self.results.get(key)
        if known is None or SOAK:
            known = self.compare(arguments, known, plain(self.function(*arguments)))
        self.used[key] = known
        return known

    def compare(self, arguments, known, found):
        assert known is None or same(known, found), \
            f"{self.path.name}: {arguments!r:.200} gives {found}, {known} is stored"
        return found

    def write(self):
        FOLDER.mkdir(exist_ok=True)
        lines = (f"{json.dumps(key)}: {json.dumps(self.used[key])}" for key in sorted(self.used))
        self.path.write_text(f'{{"made_of": "{self.made_of}", "results": {{\n' + ",\n".join(lines) + "\n}}\n")


def write_all():
    """At the end of a session that asks for it; functions that no test called keep their files."""
    for file in FILES:
        if WRITE and file.used:
            file.write()


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain(value):
    """As it is read back from JSON."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if isinstance(value, (bool, int)) else float(value)


def same(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or math.isclose(one, other, rel_tol=TOLERANCE) or (math.isnan(one) and math.isnan(other))


def parts(function, seen):
    """The texts that decide what the function gives."""
    if not seen:
        yield from (f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    seen.add(function.__qualname__)
    yield inspect.getsource(function)
    for name in sorted(names_of(function.__code__)):
        value = inspect.unwrap(function.__globals__[name]) if name in function.__globals__ else None
        if isinstance(value, type) and is_ours(value):
            yield inspect.getsource(value)
        elif isinstance(value, types.FunctionType) and is_ours(value):
            if value.__qualname__ not in seen:
                yield from parts(value, seen)
        elif isinstance(value, (int, float, str, tuple, list, dict)):
            yield f"{name} = {value!r}"
        elif hasattr(value, "tolist"):
            yield f"{name} = {value.tolist()!r}"


def names_of(code):
    """Global names in a function and in those inside it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= names_of(constant)
    return found


def is_ours(value):
    return Path(inspect.getsourcefile(value)).parent == HERE
