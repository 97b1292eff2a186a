"""Snapshots: exported from one engine, inspected, imported into the other; every damage refused before a row is touched."""

import gzip
import hashlib
import json
import os
import random
import subprocess
import tarfile
import zlib
from pathlib import Path

import pytest

from model_server import ModelServer
from service import ENGINES, Service, Servers

BUILD = Path(os.environ.get("ASSAY_BUILD_DIR", "build")).resolve()
ROOT = Path(__file__).resolve().parents[2]
DAMAGES = 1000 if os.environ.get("ASSAY_TEST_SOAK") else 60


def run(program, *arguments, env=None):
    done = subprocess.run([str(BUILD / "cron-bin" / program), *map(str, arguments)], capture_output=True, text=True,
                          cwd=ROOT, env={"PATH": os.environ["PATH"], "ASSAY_SQL_DIR": str(ROOT / "sql"), **(env or {})})
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


@pytest.fixture(scope="module", params=ENGINES)
def filled(request):
    """A service with some tasks of each kind; where its store is; the ids."""
    with ModelServer() as models:
        env = {**models.settings, "ORCH_API_BREAKER_FAILURES": "0"}
        if request.param == "postgres":
            env["ORCH_STORAGE_BACKEND"] = "postgres"
        with Service("orchestrator", env, request.param) as service:
            models.answers["gpt-5.4"] = ["text:yes", "status:500"]
            ids = [service.post("/api/v1/orchestrate", {
                "prompt": f"Größe {i} \"quoted\"\n", "model": "gpt-5-4-api", "session_id": "s", "metadata": {"f": 1.0, "n": [i]},
                "dry_run": i == 2}).json()["task_id"] for i in range(3)]
            ids.append(service.post(f"/api/v1/tasks/{ids[1]}/retry").json()["task_id"])
            where = ["--dsn", service.env["ORCH_DB_DSN"]] if request.param == "postgres" else \
                ["--db", str(service.stack.directory / "data" / "orch.sqlite3")]
            yield service, where, ids


@pytest.fixture(scope="module")
def snapshot(filled, tmp_path_factory):
    path = tmp_path_factory.mktemp("snapshot") / "all.json"
    code, told = run("orch-export", *filled[1], "--output", path)
    assert code == 0, told
    return path


def canonical(document):
    return json.dumps({k: v for k, v in document.items() if k != "snapshot_sha256"}, sort_keys=True, ensure_ascii=False,
                      separators=(",", ":"))


def test_the_digest_is_that_of_the_canonical_form(snapshot):
    document = json.loads(snapshot.read_text())
    assert document["snapshot_sha256"] == hashlib.sha256(canonical(document).encode()).hexdigest()
    assert document["tasks"][0]["task"]["task_id"] and '"f": 1.0' in snapshot.read_text()


def test_the_store_is_well(filled):
    status, answer = run("orch-validate-db", *filled[1])
    assert status == 0 and answer["status"] == "ok" and answer["schema"]["migrations_pending"] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_round_trip(filled, snapshot, tmp_path, engine):
    where = ["--dsn", Servers.new_database()] if engine == "postgres" else ["--db", tmp_path / "other.sqlite3"]
    status, inspected = run("orch-inspect-snapshot", "--input", snapshot)
    assert status == 0 and inspected["import_ready"] and inspected["checksum_status"] == "verified"
    assert inspected["task_count"] == 4 and inspected["manifest_status"] == "verified"
    status, imported = run("orch-import", *where, "--input", snapshot, "--dry-run")
    assert status == 0 and imported["imported_task_count"] == 4 and run("orch-validate-db", *where)[1]["health"]["task_count"] == 0
    document = json.loads(snapshot.read_text())
    for _ in range(2):
        status, imported = run("orch-import", *where, "--input", snapshot)
        assert status == 0 and imported["source_checksum_status"] == "verified"
        for key in ("status", "orch_version", "migration", "selection", "snapshot_sha256", "exported_task_ids", "missing_task_ids"):
            assert imported[f"source_{key}"] == document[key], key
        assert imported["repository_health"]["task_count"] == len(document["tasks"])
        assert imported["repository_health"]["status"] == "ok"
    again = tmp_path / "again.json"
    assert run("orch-export", *where, "--output", again)[0] == 0
    assert json.loads(again.read_text())["tasks"] == json.loads(snapshot.read_text())["tasks"]


def test_selection(filled, tmp_path):
    _, where, ids = filled
    gone = "00000000-0000-4000-8000-000000000000"
    path = tmp_path / "some.json"
    status, answer = run("orch-export", *where, "--output", path, "--task-id", gone, "--task-id", ids[0], "--task-id", ids[0])
    assert status == 1 and answer["status"] == "partial" and answer["missing_task_ids"] == [gone]
    assert answer["exported_task_ids"] == [ids[0]] and answer["selection_status"] == "verified"
    status, answer = run("orch-inspect-snapshot", "--input", path)
    assert status == 0 and answer["import_ready"]
    status, answer = run("orch-import", "--db", tmp_path / "x.sqlite3", "--input", path, "--task-id", ids[0], "--task-id", gone)
    assert status == 1 and answer["missing_task_ids"] == [gone] and answer["replaced_task_ids"] == [ids[0]]


def test_wrong_arguments(tmp_path):
    for program, arguments in (("orch-export", ["--limit", "0"]), ("orch-export", ["--nothing"]), ("orch-import", []),
                               ("orch-inspect-snapshot", []), ("orch-export", ["--input", "x"])):
        status, usage = run(program, *arguments)
        assert status == 2 and usage.startswith("usage: ")
    status, answer = run("orch-inspect-snapshot", "--input", tmp_path / "nothing")
    assert status == 2 and answer["status"] == "error"
    assert run("orch-import", "--db", tmp_path / "x", "--input", tmp_path / "nothing")[0] == 2


def test_a_digest_may_be_missing_but_not_misnamed(snapshot, tmp_path):
    document = json.loads(snapshot.read_text())
    path = tmp_path / "some.json"
    digest = document.pop("snapshot_sha256")
    for more, status, word in (({}, 0, "missing"), ({"snarshot_sha256": digest}, 1, "mismatch")):
        path.write_text(json.dumps({**document, **more}))
        told = run("orch-inspect-snapshot", "--input", path)
        assert (told[0], told[1]["checksum_status"], told[1]["import_ready"]) == (status, word, not more)
        assert run("orch-import", "--db", tmp_path / "x.sqlite3", "--input", path)[0] == (2 if more else 0)


def test_every_damage_is_refused(snapshot, tmp_path):
    chance = random.Random(11)
    whole = snapshot.read_bytes()
    store = tmp_path / "untouched.sqlite3"
    assert run("orch-validate-db", "--db", store)[0] == 0
    for number in range(DAMAGES):
        is_packed = number % 3 == 0
        damaged = tmp_path / ("damaged.json.gz" if is_packed else "damaged.json")
        data = bytearray(gzip.compress(whole) if is_packed else whole)
        if chance.random() < 0.3:
            data = data[:chance.randrange(len(data) - 2)]
        else:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            same = json.loads(gzip.decompress(data) if is_packed else bytes(data)) == json.loads(whole)
        except (ValueError, OSError, EOFError, zlib.error):
            same = False
        if same:
            continue  # a blank for another
        damaged.write_bytes(data)
        status, answer = run("orch-import", "--db", store, "--input", damaged)
        assert status == 2 and answer["status"] == "error", (answer, bytes(data)[:200])
    assert run("orch-validate-db", "--db", store)[1]["health"]["task_count"] == 0


def test_what_is_no_snapshot_is_refused(filled, snapshot, tmp_path):
    """Bombs, files of other kinds, and parts of one snapshot in another, packed and not."""
    whole, store = snapshot.read_bytes(), tmp_path / "untouched.sqlite3"
    assert run("orch-validate-db", "--db", store)[0] == 0
    document = json.loads(whole)
    swapped = {**document, "tasks": document["tasks"][1:] + document["tasks"][:1]}
    other = {**document, "tasks": [{**b, "task": {**b["task"], "prompt": "another"}} for b in document["tasks"]]}
    cases = {
        "bomb.json.gz": gzip.compress(bytes(1 << 20)) * 400, "lists.json.gz": gzip.compress(b'{"tasks":[' + b"[]," * (40 << 20), 1),
        "numbers.json": b'{"tasks":[' + b"0," * (40 << 20), "nested.json": b"[" * 100000,
    } if filled[0].engine == "sqlite" else {}  # of no engine
    cases |= {
        "packed.json": gzip.compress(whole),
        "plain.json.gz": whole, "database.json": store.read_bytes(), "empty.json": b"", "empty.json.gz": b"", "null.json": b"null",
        "swapped.json": json.dumps(swapped).encode(), "other.json.gz": gzip.compress(json.dumps(other).encode()),
        "twice.json": whole + whole}
    for name, data in cases.items():
        (tmp_path / name).write_bytes(data)
        status, answer = run("orch-import", "--db", store, "--input", tmp_path / name)
        assert status == 2 and answer["status"] == "error", (name, answer)
        (tmp_path / name).unlink()
    assert run("orch-validate-db", "--db", store)[1]["health"]["task_count"] == 0


def test_packed_snapshots(filled, snapshot, tmp_path):
    packed, store = tmp_path / "all.json.gz", tmp_path / "other.sqlite3"
    status, answer = run("orch-export", *filled[1], "--output", packed)
    assert status == 0 and answer["compressed_output"] and answer["output_size_bytes"] == packed.stat().st_size
    assert json.loads(gzip.decompress(packed.read_bytes()))["tasks"] == json.loads(snapshot.read_text())["tasks"]
    status, answer = run("orch-inspect-snapshot", "--input", packed)
    assert status == 0 and answer["import_ready"] and answer["compressed_input"]
    status, answer = run("orch-import", "--db", store, "--input", packed)
    assert status == 0 and answer["imported_task_count"] == 4 and answer["compressed_input"]


def test_migrating(tmp_path):
    store = tmp_path / "new.sqlite3"
    status, answer = run("orch-migrate-db", "--db", store, "--dry-run")
    assert status == 0 and answer["status"] == "dry_run" and answer["migrations_pending"] == answer["migrations_available"] != []
    status, answer = run("orch-migrate-db", "--db", store)
    assert status == 0 and answer["status"] == "ok" and answer["migrations_pending"] == [] and answer["schema"]["missing_tables"] == []
    status, answer = run("orch-migrate-db", "--db", store, "--dry-run")
    assert answer["migrations_applied"] == answer["migrations_available"]
    status, answer = run("orch-migrate-db", "--dsn", "postgresql://nobody@127.0.0.1:1/none", "--dry-run")
    assert status == 0 and answer["migrations_applied"] == []


def test_bad_bundles_are_named(snapshot, tmp_path):
    """By file, line, place and task; numbers that no task comes to, too. Not one row is touched."""
    store, path = tmp_path / "y.sqlite3", tmp_path / "bad.json"
    year, usd = 366 * 24 * 3600 * 1000, 1_000_000

    def between(least, most):
        return f"does not lie between {least} and {most}"

    changes = [("task", {"status": "x"}, "status is wrong"), ("task", {"prompt": None}, "prompt is wrong"),
               ("task", {"metadata": []}, "metadata is wrong"), ("events", {"task_id": "other"}, "task_id is another task's"),
               ("task", {"duration_ms": -1}, f"duration_ms {between(0, year)}"),
               ("task", {"duration_ms": year + 1}, f"duration_ms {between(0, year)}"),
               ("task", {"duration_ms": "7"}, "duration_ms is wrong"), ("task", {"model_count": -1}, f"model_count {between(0, 1000)}"),
               ("task", {"quorum": 1 << 62}, f"quorum {between(0, 1000)}"), ("task", {"quorum": None}, "quorum is wrong"),
               ("task", {"subtask_count": -1}, f"subtask_count {between(0, 1000)}"),
               ("steps", {"step_index": -1}, f"step_index {between(0, 100000)}"),
               ("steps", {"duration_ms": -5}, f"duration_ms {between(0, year)}"),
               ("steps", {"input_tokens": -1}, f"input_tokens {between(0, 10**9)}"),
               ("steps", {"output_tokens": 1.5}, f"output_tokens {between(0, 10**9)}"),
               ("steps", {"cost_usd": -0.01}, f"cost_usd {between(0, usd)}"), ("steps", {"cost_usd": 1e300}, f"cost_usd {between(0, usd)}"),
               ("steps", {"cost_usd": "free"}, "cost_usd is wrong"), ("events", {"sequence_no": 0}, f"sequence_no {between(1, 10**9)}")]
    for part, change, word in changes:
        document = json.loads(snapshot.read_text())
        for key in ("snapshot_sha256", "event_count", "step_count"):
            document.pop(key)
        task = document["tasks"][-1]
        (task["task"] if part == "task" else task[part][0]).update(change)
        path.write_text(json.dumps(document, indent=2, sort_keys=True))
        status, answer = run("orch-import", "--db", store, "--input", path)
        place = f"tasks[{len(document['tasks']) - 1}].{part}{'' if part == 'task' else '[0]'}.{word}"
        file, line, message = answer["error"].split(":", 2)
        assert status == 2 and file == str(path) and message == f" task {task['task']['task_id']}: {place}", answer
        [(key, value)] = change.items()
        assert path.read_text().splitlines()[int(line) - 1].strip().rstrip(",") == f'"{key}": {json.dumps(value)}'
    document["tasks"][0]["events"].append(document["tasks"][0]["events"][0])
    path.write_text(json.dumps(document))
    assert "events[" in (answer := run("orch-import", "--db", store, "--input", path))[1]["error"] and answer[0] == 2
    assert run("orch-validate-db", "--db", store)[1]["health"]["task_count"] == 0


def test_a_profile_is_packed_for_nobody_else(tmp_path):
    profile, backups = tmp_path / "profile", tmp_path / "backups"
    (profile / "Default" / "Network").mkdir(parents=True)
    for name in ("Local State", "Default/Network/Cookies", "Default/Network/Cookies-journal", "Default/Login Data", "Default/History"):
        (profile / name).write_text(name)
    status, answer = run("orch-backup-profile", "--profile-dir", profile, "--output-dir", backups)
    kept = ["Default/Login Data", "Default/Network/Cookies", "Default/Network/Cookies-journal", "Local State"]
    assert status == 0 and sorted(answer["files"]) == kept and not answer["profile_locked"]
    [packed] = backups.iterdir()
    assert str(packed) == answer["output"] and packed.stat().st_mode & 0o777 == 0o600
    with tarfile.open(packed) as archive:
        assert sorted(archive.getnames()) == kept and archive.extractfile("Local State").read() == b"Local State"
    for arguments in (["--profile-dir", tmp_path / "nothing"], []):
        status, answer = run("orch-backup-profile", *arguments)
        assert status == 2 and answer["status"] == "error"
