"""The recording of all routes (tests/recording) runs, and each of its answers fits the API document of its service."""

import subprocess

import pytest

from stack import CHECKOUT, WITH_PORT, clean_environment


@pytest.mark.soak
@pytest.mark.parametrize("name", WITH_PORT)
def test_every_answer_fits_its_document(name, tmp_path):
    out = tmp_path / "recording.ndjson"
    done = subprocess.run([CHECKOUT / "tests/recording/record", "run", "--check", "--service", name, "--out", out],
                          env=clean_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    statuses = [line.split('"status": ', 1)[1][:3] for line in out.read_text().splitlines()]
    assert len(statuses) > 500 and "500" not in statuses
