"""Originals of documents are no file of one host: what is uploaded at one host is read, searched and indexed again at
another, and copies that nothing needs any longer go. With SQLite they stay the files that they were."""

import json
import os
import signal
from pathlib import Path

import pytest
import requests

from service import Servers, Service
from stack import Stack
from support_hostile_test import page_tree, pdf
from wait import wait_for

pytest_plugins = ["kill_fixtures"]

KEY = "support-test-key-9"
HEADERS = {"X-API-Key": KEY}
ENV = {"API_KEY": KEY, "JWT_SECRET": "a secret of two hosts, of more than 32 characters", "RATE_LIMIT_ENABLED": "false",
       "RAG_EMBEDDING_BACKEND": "words"}
ODD = ["plain.md", "ключ от склада.md", "仓库的钥匙 100%.md", "مفتاح المخزن+2.md", "a%2Fb+c d.txt"]


@pytest.fixture(scope="module")
def hosts():
    env = {**ENV, "DATABASE_URL": Servers.new_database()}
    with Service("support", env) as near, Service("support", env) as far:
        yield near, far


def upload(service, name, content):
    content = content if isinstance(content, bytes) else content.encode()
    return requests.post(service.url + "/api/upload", headers=HEADERS, files={"file": (name, content)}, timeout=120)


def ask(service, question):
    return requests.post(service.url + "/api/ask", json={"question": question}, headers=HEADERS, timeout=60).json()


def files_in(service, folder):
    return sorted(path for path in (service.stack.directory / "data/support" / folder).rglob("*") if path.is_file()
                  and not path.name.startswith("."))


def run(service, *command, code=0):
    done = service.stack.run("run", *command)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout


def restart(service, env):
    service.stack.stop()
    service.stack.env.update(env)
    done = service.stack.run("start")
    assert done.returncode == 0, done.stdout + done.stderr


def test_documents_with_odd_names_are_found_at_the_other_host(hosts):
    near, far = hosts
    for number, name in enumerate(ODD):
        answer = upload(hosts[number % 2], name, f"# Key {number}\n\nThe key of store{number} hangs on hook{number}.\n")
        assert answer.status_code == 200 and answer.json()["status"] == "ok", answer.text
    for number in range(len(ODD)):
        for host in hosts:
            assert f"hook{number}" in ask(host, f"Where is the key of store{number}?")["answer"]
    assert not files_in(near, "uploads") and not files_in(near, "passing")


def test_segments_of_the_other_host_are_fetched_and_not_made_anew(hosts):
    near, far = hosts
    assert upload(near, "fetched.md", "# Fetched\n\nThe fetched lamp hangs on hook fetched77.\n").status_code == 200
    assert "fetched77" in ask(far, "Where does the fetched lamp hang?")["answer"]
    assert {path.name for path in files_in(near, "index")} & {path.name for path in files_in(far, "index")}


def test_any_host_reads_what_waits(hosts):
    """The first host's program stands still: the second one's reads what was uploaded at the first."""
    near, far = hosts
    held = [pid for pid in near.stack.processes() if is_ingest(pid)]
    assert held
    for pid in held:
        os.kill(pid, signal.SIGSTOP)
    try:
        answer = upload(near, "waits.pdf", pdf(page_tree(text="The waiting key hangs on hook waiting31.")))
        assert answer.status_code == 200, answer.text
        wait_for(lambda: "waiting31" in ask(near, "Where does the waiting key hang?")["answer"],
                 lambda: "the other host does not read it")
    finally:
        for pid in held:
            os.kill(pid, signal.SIGCONT)


def is_ingest(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].endswith(b"/ingest")
    except OSError:
        return False


def test_every_host_indexes_all_again_and_finds_every_original(hosts):
    near, far = hosts
    count = json.loads(run(far, "support-blobs", "--check"))
    assert count["documents"] >= len(ODD) and not count["missing"] and not count["failed"], count
    assert f"{count['documents']} documents indexed" in run(far, "ingest", "--reindex")
    for number in range(len(ODD)):
        assert f"hook{number}" in ask(near, f"Where is the key of store{number}?")["answer"]


def test_files_of_one_host_become_files_of_all_and_back():
    """A store that was run with files, moved in two runs; then moved back."""
    url = Servers.new_database()
    content = {name: f"# Moved {number}\n\nThe moved lamp{number} hangs on hook moved{number}.\n"
               for number, name in enumerate(ODD)}
    with Service("support", {**ENV, "DATABASE_URL": url, "SUPPORT_BLOB_URL": "files"}) as service:
        for name, text in content.items():
            assert upload(service, name, text).json()["status"] == "ok"
        assert len(files_in(service, "uploads")) == len(ODD)
        before = {path.name: path.read_bytes() for path in files_in(service, "uploads")}
        restart(service, {"SUPPORT_BLOB_URL": "database"})
        first = json.loads(run(service, "support-blobs"))
        assert (first["moved"], first["missing"], first["failed"]) == (len(ODD), 0, 0)
        assert json.loads(run(service, "support-blobs"))["moved"] == 0
        for path in files_in(service, "uploads"):
            path.unlink()
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0
        restart(service, {"SUPPORT_BLOB_URL": "files"})
        assert json.loads(run(service, "support-blobs"))["moved"] == len(ODD)
        assert {path.name: path.read_bytes() for path in files_in(service, "uploads")} == before


def test_a_move_that_is_killed_at_its_steps_is_continued(kill_library):
    with Service("support", {**ENV, "SUPPORT_BLOB_URL": "files"}) as service:
        for number, name in enumerate(ODD):
            assert upload(service, name, f"# Killed {number}\n\nThe lamp{number} hangs on hook{number}.\n").json()["status"] == "ok"
        restart(service, {"SUPPORT_BLOB_URL": "database"})
        kills, step = 0, 3
        while (done := service.stack.run("run", "support-blobs", env={
                "LD_PRELOAD": str(kill_library), "KILL_AT_STEP": str(step)})).returncode != 0:
            kills, step = kills + 1, step + 5
            assert kills < 500, (done.stdout, done.stderr)
        assert kills > 3
        for path in files_in(service, "uploads"):
            path.unlink()
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0


def test_originals_that_are_gone_are_named():
    with Service("support", ENV) as service:
        assert upload(service, "gone.md", "# Gone\n\nThe lamp hangs on hook gone1.\n").json()["status"] == "ok"
        [path] = files_in(service, "uploads")
        assert json.loads(run(service, "support-blobs", "--check")) == {
            "documents": 1, "moved": 0, "failed": 0, "missing": 0}
        path.unlink()
        assert json.loads(run(service, "support-blobs", "--check", code=3))["missing"] == 1


@pytest.mark.parametrize("env, names", [
    ({"SUPPORT_BLOB_URL": "somewhere"}, "SUPPORT_BLOB_URL must be files, database or"),
    ({"SUPPORT_BLOB_URL": "https://host"}, "must name a bucket"),
    ({"SUPPORT_BLOB_URL": "https://host/bucket"}, "SUPPORT_BLOB_ACCESS_KEY"),
    ({"SUPPORT_BLOB_URL_BEFORE": "ftp://host/bucket"}, "SUPPORT_BLOB_URL_BEFORE"),
])
def test_settings_that_name_no_place_stop_the_start(env, names):
    with Stack(services=("support",)) as stack:
        done = stack.try_start({**ENV, **env})
        assert done.returncode != 0 and names in done.stdout + done.stderr, done.stdout + done.stderr
