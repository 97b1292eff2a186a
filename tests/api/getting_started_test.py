"""The commands of docs/use/start-*.md work as they stand on a stack as `make run` starts it: other ports alone."""

import re
import subprocess

import pytest

from ports import free_ports
from stack import CHECKOUT, Stack

PAGES = sorted(path.stem.removeprefix("start-") for path in (CHECKOUT / "docs/use").glob("start-*.md"))
PORTS = {"experiments": 8008, "support": 8009, "livedata": 8010, "orchestrator": 8011}


@pytest.fixture(scope="module")
def stack():
    key = "demo-key-of-the-pages"
    running = Stack(services=tuple(PORTS))
    running.start({"LIVE_API_KEYS": f"{key}:demo", "ORCH_DEMO_PORT": free_ports(1)[0],
                   **{f"{name}_DEMO_LANGUAGE": "en" for name in ("AB", "SUPPORT", "LIVE", "ORCH")}})
    (running.directory / "state/livedata-demo-key").write_text(key)
    yield running
    running.close()


@pytest.mark.parametrize("service", PAGES)
def test_the_commands_of_the_page_work(stack, service, tmp_path):
    page = (CHECKOUT / f"docs/use/start-{service}.md").read_text()
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S))
    for name, port in PORTS.items():
        script = script.replace(f"http://127.0.0.1:{port}", stack.url_of(name))
    script = script.replace("nginx/stack run ", f"{CHECKOUT}/nginx/stack run --dir {stack.directory} ")
    (tmp_path / "var").symlink_to(stack.directory)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "null" not in re.findall(r'"(?:verdict|answer|status|sample_size_per_variant|trace_id|output_text)": (\w+)', done.stdout), done.stdout
    print(done.stdout)
