"""Originals of documents in an object store that verifies every signature: two hosts with files of odd names, a file in
several pieces, a store that is killed meanwhile, a key that is wrong, and moves from files and the database into a
bucket and back."""

import json
import random

import pytest

from engine_s3proxy import ACCESS_KEY, SECRET_KEY, S3Proxy
from service import Servers, Service
from support_blobs_test import ENV, HEADERS, ODD, ask, files_in, restart, run, upload
from wait import wait_for

PIECES = 20 << 20  # bytes: three pieces of 8 MiB


@pytest.fixture(scope="module")
def store():
    with S3Proxy() as store:
        yield store


def keys(store, prefix="/预算/данные+1"):
    return {"SUPPORT_BLOB_URL": store.url(prefix), "SUPPORT_BLOB_ACCESS_KEY": ACCESS_KEY, "SUPPORT_BLOB_SECRET_KEY": SECRET_KEY,
            "MAX_UPLOAD_BYTES": PIECES * 2, "READER_TEXT_BYTES": PIECES * 2}


def component(service):
    return service.get("/api/health").json()["components"]["object_store"]


def text_of(number):
    return f"# Key {number}\n\nThe key of store{number} hangs on hook{number}.\n"


def test_two_hosts_share_a_bucket(store):
    env = {**ENV, **keys(store), "DATABASE_URL": Servers.new_database()}
    with Service("support", env) as near, Service("support", env) as far:
        hosts = near, far
        for number, name in enumerate(ODD):
            answer = upload(hosts[number % 2], name, text_of(number))
            assert answer.status_code == 200 and answer.json()["status"] == "ok", answer.text
        for number in range(len(ODD)):
            for host in hosts:
                assert f"hook{number}" in ask(host, f"Where is the key of store{number}?")["answer"]
        assert text_of(0).encode() in store.files().values()
        assert not files_in(near, "uploads") and component(near)["status"] == "ok"
        assert json.loads(run(far, "support-blobs", "--check"))["missing"] == 0
        assert f"{len(ODD)} documents indexed" in run(far, "ingest", "--reindex")
        assert SECRET_KEY not in near.stack.logs() + far.stack.logs()


def test_a_large_file_goes_in_pieces_and_comes_back_whole(store):
    chance = random.Random(7)
    lines = (" ".join(f"word{chance.randrange(1 << 20):x}" for _ in range(12)) for _ in range(PIECES // 110))
    content = ("# Large\n\nThe large lamp hangs on hook large9.\n\n" + "\n".join(lines)).encode()
    content = content[:PIECES]
    with Service("support", {**ENV, **keys(store), "INGEST_ASYNC": "always"}) as service:
        answer = upload(service, "large.txt", content)
        assert answer.status_code == 200, answer.text
        assert content in store.files().values()
        task = answer.json()["task_id"]
        wait_for(lambda: service.get(f"/api/tasks/{task}", headers=HEADERS).json()["status"] == "SUCCESS",
                 lambda: service.get(f"/api/tasks/{task}", headers=HEADERS).text, seconds=300)
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0


def test_a_store_that_dies_refuses_uploads_and_recovers(store):
    with Service("support", {**ENV, **keys(store)}) as service:
        assert upload(service, "before.md", text_of(50)).json()["status"] == "ok"
        store.kill()
        refused = upload(service, "meanwhile.md", text_of(51))
        assert refused.status_code == 503, refused.text
        health = service.get("/api/health")
        assert health.status_code == 200 and health.json()["status"] == "degraded"
        assert "does not answer" in component(service)["detail"]
        assert "hook50" in ask(service, "Where is the key of store50?")["answer"]
        store.start()
        assert upload(service, "meanwhile.md", text_of(51)).json()["status"] == "ok"
        assert component(service)["status"] == "ok"


def test_a_wrong_key_is_told_and_never_shown(store):
    env = {**ENV, **keys(store), "SUPPORT_BLOB_SECRET_KEY": "wrong-secret-of-mine"}
    with Service("support", env) as service:
        refused = upload(service, "wrong.md", text_of(60))
        assert refused.status_code == 503, refused.text
        assert "SignatureDoesNotMatch" in component(service)["detail"]
        told = service.stack.logs() + refused.text + service.get("/api/health").text
        assert "wrong-secret-of-mine" not in told


def test_a_bucket_that_is_not_there_is_told(store):
    with Service("support", {**ENV, **keys(store), "SUPPORT_BLOB_URL": f"http://127.0.0.1:{store.port}/nothing"}) as service:
        assert "NoSuchBucket" in component(service)["detail"]
        refused = upload(service, "nowhere.md", text_of(70))
        assert refused.status_code == 503, refused.text


def test_an_object_that_has_gone_is_missing_and_can_be_stored_again(store):
    with Service("support", {**ENV, **keys(store, "/gone")}) as service:
        assert upload(service, "gone.md", text_of(80)).json()["status"] == "ok"
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0
        store.forget(text_of(80).encode())
        counts = json.loads(run(service, "support-blobs", "--check", code=3))
        assert (counts["missing"], counts["failed"]) == (1, 0)
        assert upload(service, "gone.md", text_of(80)).json()["status"] == "ok"
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0


def test_originals_move_into_a_bucket_and_out_of_it(store):
    env = {**ENV, **keys(store, "/moved"), "DATABASE_URL": Servers.new_database()}
    bucket = env.pop("SUPPORT_BLOB_URL")
    with Service("support", {**env, "SUPPORT_BLOB_URL": "database"}) as service:
        for number, name in enumerate(ODD):
            assert upload(service, name, text_of(number)).json()["status"] == "ok"
        restart(service, {"SUPPORT_BLOB_URL": bucket})
        assert json.loads(run(service, "support-blobs"))["failed"] == 0
        assert {text_of(number).encode() for number in range(len(ODD))} <= set(store.files().values())
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0
        restart(service, {"SUPPORT_BLOB_URL": "database", "SUPPORT_BLOB_URL_BEFORE": bucket})
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0  # also before they are moved
        assert json.loads(run(service, "support-blobs"))["failed"] == 0
        assert not [name for name in store.files() if name.startswith("moved/")]
        assert json.loads(run(service, "support-blobs", "--check"))["missing"] == 0
