"""Shell scripts parse, and shellcheck has no warning about them.

Parts that are sourced share their variables with whoever sources them, so there variables that are
only written (SC2034) or only read (SC2154) are no mistake."""

import re

from lint import need, reported, run_each

SHARED = "--exclude=SC2034,SC2154"


def check(tree):
    scripts = tree.changed(tree.scripts())
    for path, output, status in run_each(tree, scripts, lambda path: ["bash", "-n", path]):
        if status:
            output = re.sub(r": line (\d+): ", r":\1: error: ", output)
            yield from reported(tree, path, output, status)
    need("shellcheck")

    def command(path):
        program = tree.text(path).startswith("#!")
        kind = ["-x", "-P", "SCRIPTDIR"] if program else ["-s", "bash", SHARED]
        return ["shellcheck", "-f", "gcc", "-S", "warning", *kind, path]

    for path, output, status in run_each(tree, scripts, command):
        yield from reported(tree, path, output, status)


BAD = [
    ({"tools/a": "#!/bin/bash\nif true; then\necho\n"}, "tools/a:4: "),
    ({"tools/a": '#!/bin/bash\na=1\nrm -rf "$b/"\n'}, "tools/a:2: "),
    ({"tools/a.sh": "#!/bin/sh\ncd a\nlocal b=1\n"}, "tools/a.sh:2: "),
    ({"nginx/a.bash": "\ncd $a\n"}, "nginx/a.bash:2: "),
]

GOOD = [{"tools/a": '#!/bin/bash\nset -eu\ncd "$1"\n', "nginx/a.bash": 'a=1\necho "$b"\n'}]
