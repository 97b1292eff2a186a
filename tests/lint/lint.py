"""What the source checks share: the files of the tree, findings, and tools run two at a time.

A check is a file of checks/ with

    check(tree)   yields a Finding for everything that is wrong; may raise Skip
    BAD           [(files, words of the finding)]: trees that the check has to refuse
    GOOD          [files]: trees that it has to accept (optional)

where `files` maps paths to texts. tests/lint/self_test proves both lists.
"""

import fnmatch
import functools
import hashlib
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(ROOT, os.environ.get("BUILD") or "build")

# The commit since which files count as changed (Tree.changed); none: every file counts.
SINCE = "ASSAY_LINT_SINCE"

# Inputs and expected outputs of tests: they are as they are.
DATA = ("tests/fuzz/corpus/*", "tests/golden/*", "tests/db/old/*", "tests/oracle/stored/*")

# Where nothing of ours is: what git ignores, for a tree without git.
IGNORED = {".git", "build", "var", "node_modules", "vendor", "__pycache__", ".pytest_cache"}

workers = ThreadPoolExecutor(max_workers=os.cpu_count() or 1)


class Finding(NamedTuple):
    """Something wrong in a line; a note is only worth knowing."""

    path: str
    line: int
    message: str
    note: bool = False

    def __str__(self):
        return f"{self.path}:{self.line}: {'note: ' if self.note else ''}{self.message}"


class Skip(Exception):
    """The check cannot be made here; the text says why."""


class Program(str):
    """The text of a file that is executable, for BAD and GOOD."""


class Tree:
    """The files that are or would be under version control, by their paths from the root."""

    def __init__(self, root=ROOT):
        self.root = pathlib.Path(root)
        self.build = BUILD if self.root == ROOT else self.root / "build"
        self.paths = sorted(self._list())

    def _list(self):
        if (self.root / ".git").exists():
            listed = subprocess.run(
                ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                cwd=self.root, capture_output=True, text=True, check=True,
            ).stdout.split("\0")
            return {path for path in listed if path and (self.root / path).is_file()}
        found = set()
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in IGNORED]
            found.update(os.path.relpath(os.path.join(folder, name), self.root) for name in names)
        return found

    def files(self, *patterns, data=False):
        """Paths that fit a pattern; `*` goes over folders. Data of tests only if asked."""
        for path in self.paths:
            if any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
                if data or not any(fnmatch.fnmatch(path, pattern) for pattern in DATA):
                    yield path

    @functools.cached_property
    def differing(self):
        """Paths that differ from the commit that ASSAY_LINT_SINCE names or are not committed, None when every
        path counts: without the setting, or where that commit is not known."""
        since = os.environ.get(SINCE)
        if not since or not (self.root / ".git").exists():
            return None
        differ = subprocess.run(["git", "diff", "-z", "--name-only", since], cwd=self.root, capture_output=True,
                                text=True, check=False)
        if differ.returncode != 0:
            return None
        new = subprocess.run(["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=self.root,
                             capture_output=True, text=True, check=True)
        return {path for path in (differ.stdout + new.stdout).split("\0") if path}

    def changed(self, paths):
        """Those of the paths that a check reads with a tool, one by one: the changed ones."""
        return [path for path in paths if self.differing is None or path in self.differing]

    def c_files(self):
        return self.files("*.c", "*.h")

    def scripts(self):
        """Shell programs, and the parts that they source."""
        for path in self.files("*"):
            if path.endswith((".sh", ".bash")) or re.match(r"#!.*\b(ba)?sh\b", self.text(path)):
                yield path

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        """The text of a file; empty when it is not text."""
        if not (self.root / path).is_file():  # deleted since it was listed
            return ""
        content = (self.root / path).read_bytes()
        if b"\0" in content[:8192]:
            return ""
        return content.decode("utf-8", errors="replace")

    def lines(self, path):
        """Numbered lines, without their ends."""
        return enumerate(self.text(path).split("\n"), 1)

    @functools.lru_cache(maxsize=None)
    def uncommented(self, path):
        """C text with blanks in place of comments."""
        return blank_out(self.text(path), keep_literals=True)

    @functools.lru_cache(maxsize=None)
    def bare(self, path):
        """C text with blanks in place of comments and of what literals hold."""
        return blank_out(self.text(path), keep_literals=False)


TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.S,
)


def blank_out(text, keep_literals):
    def blanks(match):
        if match["literal"] and keep_literals:
            return match[0]
        if match["literal"]:
            return match[0][0] + re.sub(r"[^\n]", " ", match[0][1:-1]) + match[0][-1]
        return re.sub(r"[^\n]", " ", match[0])

    return TOKEN.sub(blanks, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">\n]+)[">]', re.M)


def includes(tree, path):
    """(line, quote, name) of every #include."""
    text = tree.uncommented(path)
    for match in INCLUDE.finditer(text):
        yield line_of(text, match.start()), match[1], match[2]


def include_name(path):
    """What an #include of this header says: its path inside common/ or fcgi-bin/."""
    return re.sub(r"^(common|fcgi-bin)/", "", path)


def purpose(text):
    """The comment at the top of a C file, "" when there is none."""
    match = re.match(r"/\*.*?\*/", text, re.S)
    return match[0] if match else ""


def need(program):
    """Skips the check where a tool is missing."""
    if not shutil.which(program):
        raise Skip(f"{program} is not installed")


def run_each(tree, items, command):
    """Runs command(item) for every item, as many at a time as there are processors. Yields (item,
    output, status) in order."""

    def one(item):
        done = subprocess.run(
            command(item), cwd=tree.root, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        return item, done.stdout, done.returncode

    return workers.map(one, list(items))


def run_changed(tree, paths, command):
    """Runs command(some of the paths) for C files, without those that were found clean before and have not changed
    since: neither they, nor a header of ours that they include, nor the command, nor its program. Those of one kind
    go into a command together: starting it is a third of what a file takes. Yields (paths, output, status)."""
    paths, memory = list(paths), tree.build / "lint"
    keys = {path: memory / fingerprint(tree, path, command([path])) for path in paths}
    kinds = {}
    for path in paths:
        if not keys[path].exists():
            kinds.setdefault(tuple(word for word in command([path]) if word != path), []).append(path)
    batches = [batch for kind in kinds.values() for batch in chunks(kind, TOGETHER)]
    for batch, output, status in run_each(tree, batches, command):
        if status == 0 and not REPORT.search(output):
            memory.mkdir(parents=True, exist_ok=True)
            for path in batch:
                keys[path].touch()
        yield batch, output, status


def fingerprint(tree, path, command):
    """A name for what decides the findings of a command in a C file."""
    asked = [word.replace(f"{tree.root}/", "") for word in command]  # the same in every checkout
    digest = hashlib.sha256(f"{asked}{os.stat(shutil.which(command[0])).st_mtime_ns}".encode())
    named = (os.path.relpath(word, tree.root) for word in command if os.path.isabs(word))
    seen, waiting = set(), [path, ".clang-tidy", *named]
    while waiting:
        found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        digest.update(f"{found}\0{tree.text(found)}\0".encode())
        for _, _, name in includes(tree, found):
            places = (os.path.dirname(found), "common", "fcgi-bin")
            waiting += [os.path.normpath(os.path.join(place, name)) for place in places]
    return digest.hexdigest()


def chunks(items, size):
    """Lists of up to `size` items."""
    items = list(items)
    return [items[start : start + size] for start in range(0, len(items), size)]


TOGETHER = 24  # files in a command; a batch with a finding is looked at again as a whole
REPORT = re.compile(
    r"^(?P<path>[^\s:]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?(?:error|warning): (?P<text>.*)$", re.M
)


def reported(tree, path, output, status):
    """Findings from the output of a compiler, or of a tool that talks like one."""
    found = set()
    for line in output.splitlines():
        match = REPORT.match(line)
        if match:
            place = os.path.relpath(os.path.join(tree.root, match["path"]), tree.root)
            found.add(Finding(place, int(match["line"]), match["text"]))
    if status and not found:
        found.add(Finding(path, 1, " / ".join(output.split("\n")[:3]) or f"status {status}"))
    return sorted(found)


@functools.lru_cache(maxsize=None)
def compiler_flags():
    """ALL_CFLAGS of the Makefile, without those that write files."""
    outer = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    environment = {key: value for key, value in os.environ.items() if key not in outer}
    flags = subprocess.run(
        ["make", "-s", "--no-print-directory", "--eval", "print-flags: ; @echo '$(ALL_CFLAGS)'",
         "print-flags"],
        cwd=ROOT, capture_output=True, text=True, check=True, env=environment,
    ).stdout
    return [flag for flag in shlex.split(flags) if not re.match(r"-M|-g$", flag)]


def load_checks(names):
    """(name, module) of the checks with these names, of all when there are none."""
    folder = pathlib.Path(__file__).with_name("checks")
    known = sorted(path.stem for path in folder.glob("*.py"))
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit(f"no check is called {', '.join(unknown)}; there are {', '.join(known)}")
    loaded = []
    for name in names or known:
        spec = importlib.util.spec_from_file_location(f"checks.{name}", folder / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        loaded.append((name, module))
    return loaded


def summary(passed, failed, skipped):
    """Prints the last line; returns the exit code."""
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0
