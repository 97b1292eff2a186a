"""What the README shows is run against a service, where LIVE_URL and LIVE_API_KEY name one."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()
URL, KEY = os.environ.get("LIVE_URL"), os.environ.get("LIVE_API_KEY")
pytestmark = pytest.mark.skipif(not (URL and KEY), reason="LIVE_URL and LIVE_API_KEY name no service")


def block(before):
    """The first block of code behind those words, for the service of the test."""
    text = README.split(before, 1)[1].split("```", 1)[0]
    return text.replace("http://localhost:8010", URL).replace("your-key", KEY)


def lines_until(command, last, **options):
    """What a program prints until a line holds `last`; then it is stopped."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                          start_new_session=True, **options) as process:
        clock = threading.Timer(60, os.killpg, (process.pid, signal.SIGKILL))
        clock.start()
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if last in line:
                break
        else:
            pytest.fail(f"{lines} {process.stderr.read()}")
        clock.cancel()
        os.killpg(process.pid, signal.SIGKILL)
        return lines


def test_the_program_works():
    lines = lines_until([sys.executable, "-c", block("```python\n")], "page_view SES-README")
    status, revenue, *pages = lines[:lines.index("applied None")]
    assert status == "delivered False" and " RUB " in revenue
    assert len(pages) == 2 and all(page.startswith("[{") for page in pages)


def test_the_commands_work():
    commands = [line for line in block("## Command line\n\n```\n").strip().splitlines() if line.startswith("livedata ")]
    assert len(commands) == 4
    for command in commands:
        if " stream " in command:
            assert lines_until(command, "order", shell=True)
            continue
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=60, env={
            **os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
        assert done.returncode == 0 and done.stdout.strip(), f"{command}: {done.stderr}"
