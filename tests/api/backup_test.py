"""Backups: taken while clients write, brought back elsewhere, and everything that was acknowledged before is
there. What is no good backup changes nothing, and what is replaced is kept.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import time

import pytest

from durability_test import Load
from postgres import PASSWORD, PASSWORD_IN_URL
from service import ENGINES, Service
from project_fixtures import CLOSED, PROJECTS, Store, create, expect, payload

pytestmark = pytest.mark.both_engines

pytest_plugins = ["store_fixtures"]

FEW = {**CLOSED, "ASSAY_WORKERS": 2}


def run(store, *arguments, status=0, **environment):
    """A command of the stack, with the exit status expected; what it printed."""
    done = store.stack.run(*arguments, env={k: str(v) for k, v in environment.items()}, timeout=120)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def names_in(store):
    """The names that are stored of each project, in order."""
    names = {}
    for row in store.database.rows("SELECT project_id, payload_json -> 'project' ->> 'project_name' AS name"
                                   " FROM project_revisions ORDER BY number"):
        names.setdefault(row["project_id"], []).append(row["name"])
    return names


def check_snapshot(load, before, stored):
    """All that was acknowledged when `before` was noted is among what is stored. How much that is."""
    count = 0
    for writer, (sent, deleted) in zip(load.writers, before):
        for project, names in sent.items():
            acknowledged = [name for name, known in names if known]
            if deleted.get(project):
                assert project not in stored, f"{project} was deleted before the backup"
            elif project not in writer.deleted:
                found = stored.get(project, [])
                assert [n for n in found if n in acknowledged] == acknowledged, f"{project}: {acknowledged}, {found}"
                count += len(acknowledged)
    return count


def ledgers(load):
    return [({p: list(names) for p, names in list(w.sent.items())}, dict(w.deleted)) for w in load.writers]


def restore_under_load(engine, tmp_path, writers=8, seconds=0.5, size=2000, env=None):
    """Writers, a backup in their midst, stop; restored into an empty place. Returns how many acknowledgements
    were found again."""
    archive = tmp_path / "backup.tar.gz"
    with Store(engine, {**CLOSED, "ASSAY_WORKERS": 4, **(env or {})}) as store, \
            Store(engine, FEW, directory=tmp_path / "elsewhere") as other:
        other.stop()
        with Load(store, size=size, clients=writers) as load:
            load.await_success_of_all()
            time.sleep(seconds)
            before = ledgers(load)
            printed = run(store, "backup", str(archive))
            assert str(archive) in printed.splitlines()
            load.await_success_of_all()
        assert not load.failures and set(load.statuses) <= {200, 404}, load.statuses
        store.stop()
        run(other, "restore", str(archive))
        run(other, "run", "database", "check")
        other.start()
        count = check_snapshot(load, before, names_in(other))
        create(other.write)
        assert expect(other.write.get("/readyz"))["status"] == "ready"
    return count


@pytest.fixture(scope="module", params=ENGINES)
def store(request):
    """Stopped and started by the tests; left stopped."""
    with Store(request.param, FEW) as store:
        create(store.write, payload("first"))
        store.stop()
        yield store


@pytest.fixture(scope="module")
def archive(store, tmp_path_factory):
    """Of one project. Taken of a stack that does not run, which makes no difference."""
    path = tmp_path_factory.mktemp("archive") / "one.tar.gz"
    run(store, "backup", str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    return path


def listed(store):
    return sorted(p["project_name"] for p in expect(store.write.get(PROJECTS))["projects"])


@pytest.mark.parametrize("engine", ENGINES)
def test_under_load(engine, tmp_path):
    assert restore_under_load(engine, tmp_path) > 20


def test_where_the_journal_gives_no_snapshot(tmp_path):
    """Writers set the copying back, until it is done in one step."""
    assert restore_under_load("sqlite", tmp_path, env={"AB_SQLITE_JOURNAL_MODE": "DELETE"}) > 10


def test_brings_back_and_keeps_the_one_before(store, archive):
    store.start()
    create(store.write, payload("second"))
    done = run(store, "restore", str(archive), status=1)
    assert "a stack is running" in done
    assert listed(store) == ["first", "second"]
    store.stop()
    printed = run(store, "restore", str(archive))
    kept = re.search(r"the one before is kept as (\S+)", printed)[1]
    store.start()
    assert listed(store) == ["first"]
    names = "SELECT payload_json -> 'project' ->> 'project_name' AS name FROM {}project_revisions ORDER BY 1"
    if store.engine == "sqlite":
        assert [row[0] for row in sqlite3.connect(kept).execute(names.format(""))] == ["first", "second"]
    else:
        assert [row["name"] for row in store.database.rows(names.format(f"{kept}."))] == ["first", "second"]
    store.stop()


def test_a_worker_that_runs_all_the_same_is_noticed(store, archive):
    """Whoever started it: workers hold the record of the database."""
    folder = archive.parent / "opened"
    folder.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
    store.start()
    assert "the service runs" in run(store, "run", "database", "restore", "experiments", str(folder), status=3)
    assert listed(store) == ["first"]
    store.stop()


def repack(archive, tmp_path, change, sums=True):
    """The archive with its contents changed."""
    folder = tmp_path / "contents"
    folder.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
    change(folder)
    if sums:
        lines = subprocess.run("sha256sum $(find . -type f ! -name SHA256SUMS)", shell=True, cwd=folder, check=True,
                               capture_output=True, text=True).stdout
        (folder / "SHA256SUMS").write_text(lines)
    made = tmp_path / "changed.tar"
    subprocess.run(["tar", "-cf", made, "-C", folder, "."], check=True)
    return made


def part_of(folder):
    [part] = [*folder.glob("experiments.*")]
    return part


def flip(folder):
    data = bytearray(part_of(folder).read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4000] = bytes(b ^ 0xA5 for b in data[middle : middle + 4000])
    part_of(folder).write_bytes(data)


def other_engine(folder):
    part = part_of(folder)
    part.rename(part.with_suffix(".pgdump" if part.suffix == ".sqlite3" else ".sqlite3"))


@pytest.mark.parametrize("change, sums, says", [
    (flip, False, "is damaged"), (flip, True, "damaged"), (other_engine, True, "another engine"),
    (lambda folder: part_of(folder).unlink(), True, "there is no"),
    (lambda folder: (folder / "MANIFEST").write_text("assay backup 2\n"), True, "is no backup"),
    (lambda folder: (folder / "MANIFEST").write_text("assay backup 1\n"), True, "nothing of these services")],
    ids=["bytes", "pages", "engine", "part", "version", "service"])
def test_what_is_no_good_backup_changes_nothing(store, archive, tmp_path, change, sums, says):
    printed = run(store, "restore", str(repack(archive, tmp_path, change, sums)), status=1)
    assert says in printed and "nothing " in printed, printed
    run(store, "run", "database", "check")
    assert not list((store.stack.directory / "tmp").glob("restore*"))


def test_another_services_database_is_put_back_again(store, tmp_path):
    """Under our name, and whole: seen only when it is in place, and then undone."""
    with Service("support", {}, store.engine) as support:
        done = support.stack.run("backup", str(tmp_path / "support.tar"))
        assert done.returncode == 0, done.stderr

    def rename(folder):
        for part in folder.glob("support.*"):
            part.rename(folder / f"experiments{part.suffix}")
        text = (folder / "MANIFEST").read_text()
        (folder / "MANIFEST").write_text(text.replace("support", "experiments"))

    run(store, "restore", str(repack(tmp_path / "support.tar", tmp_path, rename)), status=1)
    run(store, "run", "database", "check")
    store.start()
    assert listed(store) == ["first"]
    store.stop()


def test_the_password_is_shown_to_nobody(tmp_path):
    """The programs of PostgreSQL see it in neither their arguments nor their environment."""
    seen = tmp_path / "seen"
    seen.mkdir()
    for name in ("pg_dump", "pg_restore", "psql"):
        real = shutil.which(name)
        wrapper = tmp_path / "bin" / name
        wrapper.parent.mkdir(exist_ok=True)
        wrapper.write_text(f'#!/bin/bash\n{{ printf "%s\\n" "$@"; env; }} >{seen}/{name}.$$\nexec {real} "$@"\n')
        wrapper.chmod(0o755)
    with Store("postgres", FEW) as store:
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        printed = run(store, "backup", str(tmp_path / "one.tar"), PATH=path)
        store.stop()
        printed += run(store, "restore", str(tmp_path / "one.tar"), PATH=path)
    texts = [file.read_text() for file in seen.iterdir()] + [printed]
    assert {file.name.split(".")[0] for file in seen.iterdir()} == {"pg_dump", "pg_restore", "psql"}
    for text in texts:
        for line in text.splitlines():
            assert line.startswith("AB_") or (PASSWORD not in line and PASSWORD_IN_URL not in line), line


def test_uploads_belong_to_support(tmp_path):
    with Service("support") as support:
        uploads = support.stack.directory / "data/support/uploads/acme"
        uploads.mkdir(parents=True)
        (uploads / "handbook.md").write_text("Turn it off and on again.\n")
        assert support.stack.run("backup", str(tmp_path / "all.tar.gz")).returncode == 0
    with Service("support") as other:
        uploads = other.stack.directory / "data/support/uploads"
        uploads.mkdir(parents=True, exist_ok=True)
        (uploads / "mine.md").write_text("mine\n")
        other.stack.stop()
        done = other.stack.run("restore", str(tmp_path / "all.tar.gz"))
        assert done.returncode == 0, done.stderr
        assert [*uploads.rglob("*.md")] == [uploads / "acme/handbook.md"]
        [kept] = uploads.parent.glob("uploads.before-*")
        assert (kept / "mine.md").exists()
        assert other.stack.run("start").returncode == 0


def contents(archive):
    listed = subprocess.run(["tar", "-tf", archive], capture_output=True, text=True, check=True).stdout
    return {line.removeprefix("./") for line in listed.split() if not line.endswith("/")}


def test_every_service_of_the_stack(tmp_path):
    """One archive, a part for each; what keeps nothing has none; a part can be brought back by itself."""
    common = {"MANIFEST", "SHA256SUMS", "experiments.sqlite3", "support.sqlite3", "accounts.sqlite3"}
    with Service("support", services=("support", "experiments", "orchestrator")) as service:
        stack = service.stack
        assert stack.run("backup", str(tmp_path / "all.tar")).returncode == 0
        assert contents(tmp_path / "all.tar") == common | {"orchestrator.sqlite3"}
        stack.stop()
        done = stack.run("restore", str(tmp_path / "all.tar"), "orchestrator")
        assert done.returncode == 0 and done.stdout.endswith("restored: orchestrator\n"), done.stderr
        assert [path.name for path in (stack.directory / "data").rglob("*.before-*z")] == \
            [path.name for path in (stack.directory / "data").glob("orch.sqlite3.before-*z")] != []
        stack.env["ORCH_STORAGE_BACKEND"] = "memory"
        assert stack.run("start").returncode == 0
        assert stack.run("backup", str(tmp_path / "two.tar")).returncode == 0
        assert contents(tmp_path / "two.tar") == common


def test_scheduled_ones_are_kept_in_number(store):
    """Without a name it chooses one, and leaves the newest few of its own."""
    folder = store.stack.directory / "backups"
    folder.mkdir()
    for name in ("assay-20200101T000000Z.tar.gz", "assay-20210101T000000Z.tar.gz", "assay-20220101T000000Z.tar.gz",
                 "assay-mine.tar.gz", ".assay-20200101T000000Z.tar.gz"):
        (folder / name).write_text("old")
    printed = run(store, "backup", ASSAY_BACKUP_KEEP=2)
    [made] = [line for line in printed.splitlines() if line.startswith(str(folder))]
    left = sorted(path.name for path in folder.iterdir())
    assert left == [".assay-20200101T000000Z.tar.gz", "assay-20220101T000000Z.tar.gz", made.rsplit("/", 1)[1],
                    "assay-mine.tar.gz"]
    shutil.rmtree(folder)


def test_a_backup_that_fails_leaves_nothing(store, tmp_path):
    """Neither a file nor the pieces of one; and the older ones stay."""
    folder = store.stack.directory / "backups"
    folder.mkdir()
    (folder / "assay-20200101T000000Z.tar.gz").write_text("old")
    record = store.stack.directory / "state/experiments.identity"
    record.rename(record.with_suffix(".aside"))
    try:
        assert "there is no record" in run(store, "backup", status=1, ASSAY_BACKUP_KEEP=1)
    finally:
        record.with_suffix(".aside").rename(record)
    assert [path.name for path in folder.iterdir()] == ["assay-20200101T000000Z.tar.gz"]
    assert not list((store.stack.directory / "tmp").glob("backup*"))
    shutil.rmtree(folder)
