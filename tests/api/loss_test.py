"""The database lost, moved, copied over, restored and unlinked again and again under eight writers, and what was
acknowledged held against what is stored: nothing is missing without a 503 having said so, and nothing is ever
served from another file.

Only with ASSAY_TEST_SOAK=1 (`make soak`); ASSAY_SOAK_ROUNDS says how often each.
"""

import os
import shutil
import time

import pytest

from backup_test import check_snapshot, ledgers, names_in, restore_under_load
from database_loss_test import TestFiles as Files
from database_loss_test import kill_workers, lose
from durability_test import Load
from service import ENGINES
from project_fixtures import CLOSED, PROJECTS, Store, create, expect

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.soak

ROUNDS = int(os.environ.get("ASSAY_SOAK_ROUNDS", 5))
APART = 1_000_000  # between the numbers of the requests of two rounds
SIZE, SECONDS = 20_000, 2


@pytest.fixture
def files():
    return Files()


@pytest.fixture
def store(stores):
    store = stores.new("sqlite", {**CLOSED, "ASSAY_WORKERS": 4}).start()
    yield store
    store.stack.close()


def befall(files, store, happen, number):
    return files.befall(store, happen, first=number * APART, size=SIZE, seconds=SECONDS)


def say(what, number, load, found):
    print(f"\n{what} {number + 1}: {dict(load.statuses)}, acknowledged and found again {found}", flush=True)


def unlink(*suffixes):
    def happen(path):
        for suffix in suffixes:
            path.with_name(path.name + suffix).unlink()

    return happen


@pytest.mark.parametrize("suffixes", [("-wal", "-shm"), ("-shm",), ("-wal",)], ids=["both", "index", "log"])
def test_unlinked(files, store, suffixes):
    for number in range(ROUNDS):
        load = befall(files, store, unlink(*suffixes), number)
        store.start()
        say("unlinked", number, load, load.check({200, 404, 502, 503}))


def test_moved(files, store):
    aside = store.database.path.with_suffix(".aside")
    for number in range(ROUNDS):
        load = befall(files, store, lambda path: path.rename(aside), number)
        assert store.stack.run("start").returncode == 1
        aside.rename(store.database.path)
        store.start()
        say("moved", number, load, load.check({200, 404, 502, 503}))


@pytest.mark.parametrize("way", ["rename", "copy"])
def test_an_older_one_in_its_place(files, store, way, tmp_path):
    """What came after it is lost, which 503 has said; the backup from before brings back what was there then."""
    kept, archive = store.database.path.with_suffix(".kept"), tmp_path / "before.tar"
    for number in range(ROUNDS):
        create(store.write)
        before = names_in(store)
        assert store.stack.run("backup", str(archive)).returncode == 0
        store.stop()
        shutil.copy(store.database.path, kept)
        store.start()
        load = befall(files, store, (lambda path: kept.rename(path)) if way == "rename" else
                      (lambda path: shutil.copyfile(kept, path)), number)
        done = store.stack.run("start")
        if done.returncode == 0:
            assert names_in(store) == before or way == "copy"
            assert store.database.value("PRAGMA integrity_check") == "ok"
            store.stop()
        else:
            assert way == "copy" and "damaged" in done.stderr, done.stderr
        done = store.stack.run("restore", str(archive))
        assert done.returncode == 0, done.stderr
        store.start()
        assert names_in(store) == before
        say(way, number, load, sum(map(len, before.values())))


def lose_whoever_writes(store):
    """Dropping what others use may end in a deadlock, and then has done nothing."""
    for _ in range(20):
        try:
            return lose(store)
        except AssertionError as refused:
            assert "deadlock" in str(refused)
    raise AssertionError("always a deadlock")


@pytest.mark.parametrize("engine", ENGINES)
def test_lost_and_restored(engine, tmp_path):
    """All of it gone under load; a backup that was taken under load a moment before brings it back."""
    archive = tmp_path / "backup.tar"
    store = Store(engine, {**CLOSED, "ASSAY_WORKERS": 4}).start()
    try:
        for number in range(ROUNDS):
            with Load(store, clients=8, size=SIZE, first=number * APART) as load:
                load.await_success_of_all()
                time.sleep(SECONDS)
                before = ledgers(load)
                done = store.stack.run("backup", str(archive))
                assert done.returncode == 0, done.stderr
                load.await_success_of_all()
                lose_whoever_writes(store)
                load.await_status(503)
                time.sleep(0.2)
                acknowledged = load.statuses[200]
                kill_workers(store, ("experiments-projects",))
                load.await_status(503)
                time.sleep(0.5)
                assert load.statuses[200] == acknowledged, "acknowledged after it was lost"
            assert not load.failures and set(load.statuses) <= {200, 404, 502, 503}, load.statuses
            store.stop()
            done = store.stack.run("start")
            assert done.returncode == 1 and "the database is gone" in done.stderr
            done = store.stack.run("restore", str(archive))
            assert done.returncode == 0, done.stderr
            store.start()
            assert expect(store.write.get(PROJECTS))["total"] > 0
            say("lost", number, load, check_snapshot(load, before, names_in(store)))
    finally:
        store.stack.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_backups_of_a_large_database_under_load(engine, tmp_path):
    """Written for a while first, so that copying takes many steps."""
    found = restore_under_load(engine, tmp_path, seconds=8, size=400_000)
    print(f"\nrestored elsewhere: acknowledged and found again {found}")
    assert found > 100
