"""C files look as clang-format writes them, with the settings of .clang-format."""

import itertools

from lint import Finding, ROOT, chunks, need, reported, run_each


def check(tree):
    need("clang-format")
    style = f"--style=file:{ROOT}/.clang-format"
    for paths, output, status in run_each(
        tree,
        chunks(tree.changed(tree.c_files()), 16),
        lambda paths: ["clang-format", style, "--dry-run", "-Werror", *paths],
    ):
        found = reported(tree, paths[0], output, status)
        for path, of_file in itertools.groupby(found, lambda finding: finding.path):
            line = next(of_file).line
            yield Finding(path, line, f"not laid out; run clang-format -i {path}")


BAD = [
    ({"common/a/a.c": "int a;\nint  b;\n"}, "a.c:2: not laid out"),
    ({"common/a/a.h": "int f(void) { return 1; }\n"}, "a.h:1: not laid out"),
]

GOOD = [{"common/a/a.c": "int f(void)\n{\n    return 1;\n}\n"}]
