"""Jars of an engine, as jars/NAME.sha256 lists them. Maven fetches them by jars/NAME.pom.xml into the build folder;
one that differs from its sum, and one that the list does not name, is refused. A plugin is a ZIP file of jars."""

import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
LISTS = Path(__file__).resolve().parent / "jars"
FETCH_SECONDS = 600


def listed(name):
    """File name -> SHA-256."""
    lines = (LISTS / f"{name}.sha256").read_text(encoding="ascii").split("\n")
    return {file: digest for digest, file in (line.split() for line in lines if line)}


def differing(folder, sums):
    """Names of jars that are missing, are not as listed, or are not listed."""
    there = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for kind in ("jar", "zip")
             for file in folder.glob(f"*.{kind}")}
    return sorted(file for file in sums.keys() | there.keys() if sums.get(file) != there.get(file))


def fetch(name, folder):
    if shutil.which("mvn") is None or shutil.which("java") is None:
        pytest.skip(f"{name}: maven or java is not installed (tools/install-packages scale)")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        done = subprocess.run(["mvn", "-q", "-B", "-f", LISTS / f"{name}.pom.xml", "dependency:copy-dependencies",
                               f"-DoutputDirectory={folder}"], capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{name}: the registry did not answer in {FETCH_SECONDS} s")
    if done.returncode != 0:
        pytest.skip(f"{name}: the registry is out of reach: {done.stdout.strip()[-400:]}")


def unpack(folder):
    """The jars of the plugins there, in a folder of their own."""
    plugins = folder / "plugins"
    plugins.mkdir(exist_ok=True)
    for file in folder.glob("*.zip"):
        with zipfile.ZipFile(file) as archive:
            for member in archive.namelist():
                if member.endswith(".jar"):
                    (plugins / Path(member).name).write_bytes(archive.read(member))
    return plugins


def class_path(name):
    """What `java -cp` wants. The part is skipped when the jars are not there and cannot be fetched."""
    folder = Path(CHECKOUT, os.environ.get("ASSAY_BUILD_DIR", "build")).resolve() / "scale" / name
    sums = listed(name)
    if differing(folder, sums):
        fetch(name, folder)
        wrong = differing(folder, sums)
        assert not wrong, f"{name}: not as jars/{name}.sha256 lists them: {', '.join(wrong)}"
    return f"{folder}/*:{unpack(folder)}/*"
