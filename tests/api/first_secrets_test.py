"""Secrets that a stack makes at its first start: nothing that everybody can read signs anybody in."""

import stat

import requests

from stack import Stack
from support_accounts_test import bearer, claims, forged

PUBLISHED = "assay-development-secret-not-for-production"
FILES = ("support-secret", "support-first-password")


def signs_in(stack, password, headers=None):
    answer = requests.post(stack.base_url + "/api/auth/login", json={"username": "admin", "password": password},
                           headers=headers, timeout=20)
    assert answer.status_code in (200, 401), answer.text
    return answer.status_code == 200


def test_are_made_once_for_each_directory(tmp_path):
    kept = set()
    for name in ("one", "two"):
        with Stack(services=("support",)) as stack:
            done = stack.try_start(directory=tmp_path / name)
            assert done.returncode == 0, done.stderr
            files = [tmp_path / name / "state" / file for file in FILES]
            secret, password = (file.read_text() for file in files)
            assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600, 0o600]
            assert len(secret) == 64 and len(password) == 24 and password in done.stdout and secret not in done.stdout
            assert signs_in(stack, password) and signs_in(stack, "admin") and not signs_in(stack, secret)
            for published, status in ((PUBLISHED, 401), (secret, 200)):
                answer = requests.get(stack.base_url + "/api/sessions", headers=bearer(forged(claims(), published)), timeout=20)
                assert answer.status_code == status, published
            kept |= {secret, password}
            stack.stop()
            done = stack.run("start")
            assert done.returncode == 0 and password not in done.stdout, "shown once"
            assert signs_in(stack, password) and password not in stack.logs() and secret not in stack.logs()
    assert len(kept) == 4


def test_the_token_of_operators_leaves_an_open_service_open(tmp_path):
    """Only AB_ADMIN_TOKEN closes it (experiments-platform 3.2)."""
    with Stack(services=("experiments",)) as stack:
        done = stack.try_start(directory=tmp_path / "made")
        assert done.returncode == 0, done.stderr
        file = tmp_path / "made" / "state" / "experiments-admin-token"
        token = file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600 and len(token) == 64
        assert token not in done.stdout + done.stderr + stack.logs()
        for headers, path, status in ((None, "/api/v1/projects", 200), (None, "/api/v1/keys", 401), (bearer(token), "/api/v1/keys", 200)):
            answer = requests.get(stack.base_url + path, headers=headers, timeout=20)
            assert answer.status_code == status, answer.text
        stack.stop()
        done = stack.try_start({"AB_ADMIN_TOKEN": "a" * 32}, tmp_path / "set")
        assert done.returncode == 0 and not (tmp_path / "set" / "state" / file.name).exists()
        assert requests.get(stack.base_url + "/api/v1/projects", timeout=20).status_code == 401


def test_the_built_in_pair_holds_on_ones_own_machine_only(tmp_path):
    with Stack(services=("support",)) as stack:
        stack.start({"ASSAY_BIND": "0.0.0.0"}, tmp_path)
        password = (tmp_path / "state" / FILES[1]).read_text()
        assert signs_in(stack, password) and not signs_in(stack, "admin")


def test_the_built_in_pair_does_not_pass_a_proxy(tmp_path):
    with Stack(services=("support",)) as stack:
        stack.start({}, tmp_path)
        assert signs_in(stack, "admin")
        for headers in ({"Host": "support.example"}, {"X-Forwarded-For": "203.0.113.9"}, {"Forwarded": "for=203.0.113.9"}):
            assert not signs_in(stack, "admin", headers), headers
        stack.stop()
        stack.start({"ASSAY_ORIGIN_SUPPORT": "https://support.example"}, tmp_path)
        assert not signs_in(stack, "admin")
        assert signs_in(stack, (tmp_path / "state" / FILES[1]).read_text(), {"Host": "support.example"})


def test_an_open_service_does_not_start_behind_a_public_name(tmp_path):
    with Stack(services=("experiments",)) as stack:
        public = {"ASSAY_ORIGIN_EXPERIMENTS": "https://experiments.example"}
        done = stack.try_start(public, tmp_path)
        assert done.returncode == 1 and "AB_HOST must be a loopback address while" in done.stderr, done.stderr
        assert "experiments.example" in done.stderr
        for more in ({"ASSAY_ORIGIN_EXPERIMENTS": "http://localhost:8000"}, public | {"ASSAY_ALLOW_OPEN": "true"},
                     public | {"AB_ADMIN_TOKEN": "a" * 32}):
            done = stack.try_start(more, tmp_path)
            assert done.returncode == 0, done.stderr
            stack.stop()


def test_what_is_set_is_not_made_and_not_published(tmp_path):
    with Stack(services=("support",)) as stack:
        done = stack.try_start({"JWT_SECRET": PUBLISHED}, tmp_path)
        assert done.returncode == 1 and "JWT_SECRET must be a secret" in done.stderr
        done = stack.try_start({"JWT_SECRET": "s" * 32}, tmp_path / "set")
        assert done.returncode == 0 and not (tmp_path / "set" / "state" / FILES[0]).exists()


LIVE = ("livedata",)
OPERATOR = {"LIVE_ADMIN_KEY": "admin-of-the-test"}


def issue_key(stack):
    answer = requests.post(stack.base_url + "/v1/admin/keys", json={"name": "shop", "tenant": "default"}, headers={"X-Admin-Key": OPERATOR["LIVE_ADMIN_KEY"]},
                           timeout=20)
    assert answer.status_code == 201, answer.text
    return answer.json()["key"]


def status_of(stack, key):
    return requests.get(stack.base_url + "/v1/alerts", headers={"X-API-Key": key}, timeout=20).status_code


def pepper_of(directory):
    return directory / "state" / "livedata-pepper"


def test_keys_of_a_new_installation_have_a_pepper_of_its_own_and_survive_a_backup(tmp_path):
    with Stack(services=LIVE) as stack:
        stack.start(OPERATOR, tmp_path / "one")
        pepper = pepper_of(tmp_path / "one")
        assert stat.S_IMODE(pepper.stat().st_mode) == 0o600 and len(pepper.read_text()) == 64
        key = issue_key(stack)
        assert status_of(stack, key) == 200 and pepper.read_text() not in stack.logs()
        assert stack.run("backup", str(tmp_path / "all.tar.gz")).returncode == 0
        stack.stop()
        kept = pepper.read_text()
        stack.start(OPERATOR, tmp_path / "one")
        assert status_of(stack, key) == 200 and pepper.read_text() == kept
        stack.stop()
    with Stack(services=LIVE) as other:
        other.prepare(OPERATOR, tmp_path / "two")
        done = other.run("restore", str(tmp_path / "all.tar.gz"))
        assert done.returncode == 0, done.stderr
        assert other.run("start").returncode == 0 and status_of(other, key) == 200
        assert pepper_of(tmp_path / "two").read_text() == kept


def test_keys_issued_before_there_was_a_pepper_keep_working(tmp_path):
    with Stack(services=LIVE) as stack:
        stack.start(OPERATOR | {"LIVE_KEY_LOOKUP_PEPPER": "assay-livedata"}, tmp_path / "old")
        key = issue_key(stack)
        stack.stop()
        stack.start(OPERATOR, tmp_path / "old")
        assert status_of(stack, key) == 200 and not pepper_of(tmp_path / "old").exists()
        assert stack.run("backup", str(tmp_path / "old.tar.gz")).returncode == 0
        stack.stop()
    with Stack(services=LIVE) as other:
        other.prepare(OPERATOR, tmp_path / "new")
        assert other.run("restore", str(tmp_path / "old.tar.gz")).returncode == 0
        assert other.run("start").returncode == 0 and status_of(other, key) == 200
