"""Links that open the report of a result without signing in: what they show, until when, and to whom they belong. On both
engines."""

import base64
import hashlib
import re

import pytest

from live_test import Experiment, fill
from project_fixtures import CLOSED, expect, unknown_id

pytest_plugins = ["store_fixtures"]

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def shared(guarded):
    """An experiment with a result, by who may write."""
    experiment = Experiment(guarded.write)
    fill(experiment, [(500, 20), (500, 220)])
    return experiment


def share(experiment, days=7):
    return expect(experiment.client.post(experiment.path("report/shares"), {"days": days}))


def listed(experiment):
    return expect(experiment.client.get(experiment.path("report/shares")))


def actions(store, experiment):
    entries = expect(store.write.get(f"/api/v1/audit?project_id={experiment.id}"))["entries"]
    return [(entry["action"], entry["payload_diff"]) for entry in entries if entry["action"].startswith("share.")]


def test_a_link_opens_the_report_and_nothing_else_without_a_token(guarded, shared):
    link = share(shared)
    page = guarded.client.get(f"/share/{link['token']}", headers=BROWSER)
    assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "Ship it" in page.text and "Variant B" in page.text
    assert f'href="/share/{link["token"]}/pdf"' in page.text and "<script" not in page.text
    pdf = guarded.client.get(f"/share/{link['token']}/pdf")
    assert pdf.status == 200 and pdf.body.startswith(b"%PDF-")
    for path in ("report/html", "live-stats", "decision", "report/shares"):
        expect(guarded.client.get(shared.path(path), headers={"Authorization": f"Bearer {link['token']}"}), 401, "unauthorized")


def test_it_is_kept_out_of_caches_search_engines_and_other_pages(guarded, shared):
    page = guarded.client.get(f"/share/{share(shared)['token']}", headers=BROWSER)
    assert page.headers["Cache-Control"] == "no-store" and page.headers["Referrer-Policy"] == "no-referrer"
    assert "noindex" in page.headers["X-Robots-Tag"]
    style = re.search("<style>(.*)</style>", page.text, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = [value for name, value in page.header_list if name == "Content-Security-Policy"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';") and "frame-ancestors 'none'" in policy


def test_the_language_is_the_visitors(guarded, shared):
    page = guarded.client.get(f"/share/{share(shared)['token']}", headers={**BROWSER, "Accept-Language": "ar"})
    assert '<html lang="ar" dir="rtl">' in page.text and "تنزيل بصيغة PDF" in page.text


def test_only_its_hash_is_stored(guarded, shared):
    link = share(shared)
    rows = guarded.database.rows(f"SELECT * FROM experiment_shares WHERE id = '{link['id']}'")
    [row] = [dict(row) for row in rows]
    assert row["token_hash"] == hashlib.sha256(link["token"].encode()).hexdigest()
    assert link["token"] not in str(row) and len(link["token"]) == 43
    [entry] = [one for one in listed(shared)["shares"] if one["id"] == link["id"]]
    assert set(entry) == {"id", "created_by", "created_at", "expires_at"}


def test_revoked_it_is_gone_and_the_audit_log_has_both(guarded, shared):
    link = share(shared)
    path = shared.path(f"report/shares/{link['id']}")
    assert expect(guarded.write.send("DELETE", path)) == {"id": link["id"], "revoked": True}
    expect(guarded.client.get(f"/share/{link['token']}"), 404, "not_found")
    assert guarded.client.get(f"/share/{link['token']}/pdf").status == 404
    assert link["id"] not in [one["id"] for one in listed(shared)["shares"]]
    expect(guarded.write.send("DELETE", path), 404, "not_found")
    assert actions(guarded, shared)[:2] == [
        ("share.revoke", {"expires_at": [link["expires_at"], None]}), ("share.create", {"expires_at": [None, link["expires_at"]]})]


def test_expired_it_is_gone(guarded, shared):
    link = share(shared, 1)
    guarded.database.run(
        f"UPDATE experiment_shares SET expires_at = '2026-01-01T00:00:00.000000+00:00' WHERE id = '{link['id']}'")
    page = guarded.client.get(f"/share/{link['token']}", headers=BROWSER, may_fail=True)
    assert page.status == 404 and "This link is no longer valid" in page.text and "noindex" in page.headers["X-Robots-Tag"]
    assert link["id"] not in [one["id"] for one in listed(shared)["shares"]]
    share(shared)  # takes the expired ones away
    assert guarded.database.value(f"SELECT count(*) FROM experiment_shares WHERE id = '{link['id']}'") in (0, "0")


@pytest.mark.parametrize("token", ["x", "0" * 43, "%27%20OR%201=1--", "%ff"])
def test_what_is_no_link_is_not_found(guarded, token):
    assert guarded.client.get(f"/share/{token}").status == 404


def test_of_another_experiment_it_is_not_revoked(guarded, shared):
    link, other = share(shared), Experiment(guarded.write)
    expect(guarded.write.send("DELETE", other.path(f"report/shares/{link['id']}")), 404, "not_found")
    assert guarded.client.get(f"/share/{link['token']}", headers=BROWSER).status == 200
    expect(guarded.write.send("DELETE", f"/api/v1/projects/{other.id}"))


def test_it_goes_with_its_experiment(guarded):
    experiment = Experiment(guarded.write)
    link = share(experiment)
    expect(guarded.write.post(f"/api/v1/projects/{experiment.id}/archive"))
    expect(guarded.write.send("DELETE", f"/api/v1/projects/{experiment.id}"))
    expect(guarded.client.get(f"/share/{link['token']}"), 404, "not_found")


@pytest.mark.parametrize("days,status", [(30, 200), (31, 400), (0, 422), (366, 422), (None, 200)])
def test_days_are_limited(guarded, shared, days, status):
    answer = guarded.write.post(shared.path("report/shares"), {"days": days})
    assert answer.status == status
    assert listed(shared)["max_days"] == 30


def test_readers_may_not_share_and_unknown_experiments_have_no_links(guarded, shared):
    for client, status in ((guarded.read, 403), (guarded.client, 401)):
        assert client.post(shared.path("report/shares"), {}).status == status
        assert client.get(shared.path("report/shares")).status == status
    expect(guarded.write.post(f"/api/v1/experiments/{unknown_id()}/report/shares", {}), 404, "not_found")
    expect(guarded.write.get(f"/api/v1/experiments/{unknown_id()}/report/shares"), 404, "not_found")


def test_links_are_limited_in_number(guarded):
    experiment = Experiment(guarded.write)
    for _ in range(50):
        share(experiment)
    expect(experiment.client.post(experiment.path("report/shares"), {}), 409, "share_limit_reached")


def test_visitors_have_a_limit(stores, engine):
    settings = {**CLOSED, "AB_RATE_LIMIT_ENABLED": "true", "AB_HEAVY_RATE_LIMIT_REQUESTS": "3"}
    with stores.new(engine, settings) as store:
        experiment = Experiment(store.write)
        link = share(experiment)
        assert [store.client.get(f"/share/{link['token']}", headers=BROWSER).status for _ in range(3)] == [200] * 3
        answer = store.client.get(f"/share/{link['token']}")
        expect(answer, 429, "rate_limited")
        assert int(answer.headers["Retry-After"]) > 0


def test_switched_off_nothing_is_shared(stores, engine):
    with stores.new(engine, {**CLOSED, "AB_SHARE_MAX_DAYS": "0"}) as store:
        experiment = Experiment(store.write)
        assert listed(experiment) == {"experiment_id": experiment.id, "max_days": 0, "shares": []}
        expect(experiment.client.post(experiment.path("report/shares"), {}), 409, "sharing_off")
