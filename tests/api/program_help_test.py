"""Every program answers --help and --version, and every manual page is made from that help."""

import os
import subprocess
from pathlib import Path

import pytest

from stack import BUILD, CHECKOUT

ROOT = Path(CHECKOUT)

VERSION = (ROOT / "VERSION").read_text().strip()
PROGRAMS = [BUILD / main.parent.relative_to(ROOT) for folder in ("cron-bin", "fcgi-bin")
            for main in sorted(ROOT.glob(f"{folder}/*/main.c"))] + [ROOT / "nginx/stack"]


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=20, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_a_program_says_what_it_is(program):
    version, help_text = run(program, "--version"), run(program, "--help")
    assert (version.returncode, version.stdout) == (0, f"{program.name} (Assay) {VERSION}\n")
    assert help_text.returncode == 0 and help_text.stdout.startswith(f"usage: {program.name}")
    assert len(help_text.stdout.split("\n\n")) > 1, "a usage without a description"
    wrong = run(program, "--no-such-option")
    assert wrong.returncode in (1, 2) and program.name in wrong.stderr and not wrong.stdout


def test_manual_pages_are_made_of_the_help(tmp_path):
    written = subprocess.run([ROOT / "tools/man"], env={**os.environ, "BUILD": str(BUILD)}, capture_output=True, text=True, check=False)
    assert written.returncode == 0, written.stderr
    pages = sorted((BUILD / "man").iterdir())
    assert [page.name for page in pages if page.suffix == ".1"] == ["assay.1"]
    assert {page.stem for page in pages} == {path.name for path in PROGRAMS if "fcgi-bin" not in str(path)} | {"assay"}
    for page in pages:
        text = page.read_text()
        assert f'"Assay {VERSION}"' in text and ".SH NAME\n" in text and ".SH SYNOPSIS\n" in text and ".SH DESCRIPTION\n" in text, page
