"""The one origin: every service below a prefix of the portal as on its own port, and the portal's own addresses."""

import pytest
import requests

from stack import PREFIXES, WITH_PORT, Stack

LIVE_KEY = "origin-test-key"
ENVELOPES = {  # of nginx's own answers, by service: the member that holds the code, and whether it is 1 level down
    "experiments": lambda body: body["error_code"],
    "support": lambda body: body["error_code"],
    "livedata": lambda body: body["code"],
    "orchestrator": lambda body: body["detail"] and body["title"] and body["type"] and "413",
}


@pytest.fixture(name="suite", scope="module")
def suite_fixture():
    with Stack(services=WITH_PORT) as suite:
        yield suite.start({"LIVE_API_KEYS": f"{LIVE_KEY}:tests", "ASSAY_HOSTS": "assay.example",
                           "ORCH_MAX_GATEWAY_BODY_BYTES": "1048576"})


@pytest.mark.parametrize("service, path", [
    ("experiments", "/health"), ("support", "/api/health/live"), ("orchestrator", "/healthz/live"), ("livedata", "/health/live")])
def test_an_area_answers_as_the_port_does(suite, service, path):
    below, port = requests.get(suite.area_url(service) + path), requests.get(suite.url_of(service) + path)
    assert below.status_code == port.status_code == 200
    assert set(below.json()) == set(port.json())
    assert below.headers["Content-Type"] == port.headers["Content-Type"]


def test_the_api_document_says_where_its_paths_begin(suite):
    below, port = (requests.get(base + "/openapi.json").json() for base in (suite.area_url("support"), suite.url_of("support")))
    assert below.pop("servers") == [{"url": "/support"}]
    assert below == port


@pytest.mark.parametrize("service", WITH_PORT)
def test_the_area_without_its_slash_leads_to_its_first_page(suite, service):
    first = requests.get(suite.area_url(service), allow_redirects=False)
    assert first.status_code == 307 and first.headers["Location"] == f"{PREFIXES[service]}/"
    page = requests.get(suite.area_url(service))
    assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    assert f'data-prefix="{PREFIXES[service]}" data-portal=""' in page.text


def test_redirects_and_links_of_pages_stay_below_the_prefix(suite):
    for path, target in (("/support/", "/support/static/chat.html"), ("/data/admin/", "/data/keys")):
        answer = requests.get(suite.portal_url + path, allow_redirects=False)
        assert (answer.status_code, answer.headers["Location"]) == (307, target)
    page = requests.get(suite.portal_url + "/experiments/projects").text
    assert 'href="/experiments/projects"' in page and 'href="/projects"' not in page
    assert requests.get(suite.portal_url + "/experiments/projects/any-id").status_code == 200
    assert requests.get(suite.portal_url + "/experiments/docs").status_code == 200


def test_support_s_sign_in_page_is_the_portal_s_below_it(suite):
    """And leads on to where the page of support would: to `next`, else to where support begins."""
    login = "/static/login.html"
    for query, wanted in (("", "/support/"), ("?next=%2Fsupport%2Fagent%3Fq%3D1", "%2Fsupport%2Fagent%3Fq%3D1"), ("?next=", "/support/")):
        answer = requests.get(suite.area_url("support") + login + query, allow_redirects=False)
        assert (answer.status_code, answer.headers["Location"]) == (307, f"/sign-in?next={wanted}")
    followed = requests.get(suite.area_url("support") + login)
    assert followed.status_code == 200 and followed.url.endswith("/sign-in?next=/support/")
    on_port = requests.get(suite.url_of("support") + login, allow_redirects=False)
    assert on_port.status_code == 200 and 'data-page="login"' in on_port.text


def test_pages_of_a_port_lead_to_the_portal_by_the_name_that_the_reader_used(suite):
    page = requests.get(suite.url_of("support") + "/agent", headers={"Host": "assay.example:8009"}).text
    assert f'data-prefix="" data-portal="http://assay.example:{suite.env["ASSAY_PORT_PORTAL"]}"' in page
    assert 'href="/agent"' in page
    evil = requests.get(suite.url_of("support") + "/agent", headers={"Host": '"><script>'})
    assert "<script>\"" not in evil.text and '"><script>' not in evil.text


def test_the_parts_of_the_home_page_are_one_answer(suite):
    """Of those that are named; each as its service answers this caller, here a stranger and then a key of live data."""
    home = suite.portal_url + "/home.json?parts="
    stranger = requests.get(home + ".experiments.tickets.runs.alerts.backup.")
    assert stranger.headers["Content-Type"].startswith("application/json") and stranger.headers["Cache-Control"] == "no-store"
    parts = stranger.json()
    assert set(parts) == {"experiments", "tickets", "runs", "alerts", "backup", "of"}
    assert all(parts[name]["detail"] for name in ("experiments", "tickets", "runs", "alerts")), parts
    assert parts["backup"] == {"made_at": None, "size_bytes": None}
    known = requests.get(home + ".objectives.catalog.", headers={"X-API-Key": LIVE_KEY}).json()
    assert set(known) == {"objectives", "catalog", "of"}
    assert known["objectives"]["slos"] and known["catalog"]["metrics"]
    assert requests.get(home).json() == {"of": "home"}
    assert requests.get(suite.portal_url + "/_home/alerts").status_code == 404, "only together"


def test_assets_are_shared_by_all_areas(suite):
    page = requests.get(suite.portal_url + "/models/").text
    script = page.split('<script src="')[1].split('"')[0]
    answer = requests.get(suite.portal_url + script)
    assert answer.status_code == 200 and "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("service, path, limit", [
    ("experiments", "/api/v1/calculate", 1048576), ("support", "/api/ask", 1048576), ("orchestrator", "/api/v1/compare", 1048576),
    ("livedata", "/v1/events", 1048576)])
def test_limits_and_their_envelopes_are_those_of_the_service(suite, service, path, limit):
    body = b"x" * (limit + 200000)
    answers = [requests.post(base + path, data=body) for base in (suite.area_url(service), suite.url_of(service))]
    assert [answer.status_code for answer in answers] == [413, 413]
    below, port = (answer.json() for answer in answers)
    assert ENVELOPES[service](below) == ENVELOPES[service](port)
    assert {key: value for key, value in below.items() if key != "request_id"} == \
        {key: value for key, value in port.items() if key != "request_id"}


def test_an_upload_may_be_as_large_as_on_the_port(suite):
    file = {"file": ("large.txt", b"word " * 600000, "text/plain")}
    assert requests.post(suite.area_url("support") + "/api/upload", files=file).status_code != 413


def test_openai_clients_get_their_envelope_below_the_prefix(suite):
    answer = requests.post(suite.portal_url + "/models/v1/chat/completions", data=b"x" * 1300000)
    assert answer.status_code == 413 and answer.json()["error"]["code"] == "too_large"


@pytest.mark.parametrize("path", ["/nothing", "/supportive/api/health/live", "/_nginx/support/404", "/shell/agent-head"])
def test_what_is_no_address_is_not_found(suite, path):
    assert requests.get(suite.portal_url + path).status_code == 404


BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/nothing", "/support/nothing", "/data/no/where", "/docs/text"])
def test_browsers_get_a_page_for_what_is_not_there_and_programs_json(suite, path):
    page = requests.get(suite.portal_url + path, headers=BROWSER)
    assert page.status_code == 404 and page.headers["Content-Type"].startswith("text/html")
    assert "Page not found" in page.text and 'data-prefix="" data-portal=""' in page.text and "error occurred" not in page.text
    for answer in (requests.get(suite.portal_url + path), requests.post(suite.portal_url + path, headers=BROWSER)):
        assert answer.status_code in (401, 404, 405) and answer.headers["Content-Type"].startswith("application/")


def test_routes_of_an_api_answer_browsers_in_json_too(suite):
    answer = requests.get(suite.area_url("support") + "/api/nothing", headers=BROWSER)
    assert answer.status_code in (401, 404) and answer.headers["Content-Type"] == "application/json"


def test_ports_keep_their_own_answers(suite):
    answer = requests.get(suite.url_of("support") + "/nothing", headers=BROWSER)
    assert answer.status_code == 404 and answer.headers["Content-Type"] == "application/json"


def test_the_documentation_is_served_as_text_and_as_pages(suite):
    text = requests.get(suite.portal_url + "/docs-text/operate/deploy.md")
    assert text.status_code == 200 and text.headers["Content-Type"].startswith("text/markdown")
    assert requests.get(suite.portal_url + "/docs/operate/deploy").status_code == 200
    assert requests.get(suite.portal_url + "/docs").url.endswith("/docs/")
    for path in ("/docs-text/../README.md", "/docs-text/other/x.md", "/docs-text/operate/"):
        assert requests.get(suite.portal_url + path).status_code == 404


def test_a_dotted_path_is_no_file(suite):
    assert requests.get(suite.portal_url + "/support/.git/config").status_code == 404


def test_the_list_of_services_names_their_places(suite):
    listed = requests.get(suite.portal_url + "/services.json").json()
    assert {entry["name"]: entry["path"] for entry in listed} == PREFIXES


def test_one_answer_holds_the_health_of_all(suite):
    every = requests.get(suite.portal_url + "/health.json")
    assert every.headers["Content-Type"] == "application/json" and every.headers["Cache-Control"] == "no-store"
    for service in WITH_PORT:
        entry = every.json()[service]
        assert entry["health"]["status"] in ("ok", "alive", "healthy", "degraded"), entry["health"]
        assert {state["state"] for state in entry["pools"].values()} == {"up"}


def test_the_health_of_all_names_what_does_not_answer(suite):
    (suite.directory / "run" / "support-trends.sock").rename(suite.directory / "run" / "away")
    try:
        support = requests.get(suite.portal_url + "/health.json").json()["support"]
        assert support["pools"]["trends"] == {"state": "down"} and support["pools"]["ask"] == {"state": "up"}
        (suite.directory / "run" / "support-system.sock").rename(suite.directory / "run" / "system-away")
        support = requests.get(suite.portal_url + "/health.json").json()["support"]
        assert "status" not in support["health"] and support["pools"]["system"] == {"state": "down"}
    finally:
        for away, name in (("away", "support-trends"), ("system-away", "support-system")):
            if (suite.directory / "run" / away).exists():
                (suite.directory / "run" / away).rename(suite.directory / "run" / f"{name}.sock")


def test_slashes_at_the_end_redirect_below_the_prefix(suite):
    answer = requests.get(suite.area_url("support") + "/api/health/live/", allow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (307, "/support/api/health/live")


def test_a_named_portal_is_the_origin_of_all(suite):
    with Stack(services=("experiments", "support")) as named:
        named.start({"ASSAY_ORIGIN_PORTAL": "https://assay.example"})
        page = requests.get(named.url_of("support") + "/agent").text
        assert 'data-portal="https://assay.example"' in page
        page = requests.get(named.area_url("experiments") + "/projects").text
        assert 'data-api="/experiments"' in page
        password = (named.directory / "state/support-first-password").read_text()
        answer = requests.post(named.portal_url + "/accounts/api/session", json={"username": "admin", "password": password},
                               headers={"Host": "assay.example", "Origin": "https://assay.example"})
        assert answer.status_code == 200 and "; Secure" in answer.headers["Set-Cookie"]
        wrong = named.run("reload", env={"ASSAY_ORIGIN_PORTAL": "assay.example"})
        assert wrong.returncode != 0 and "ASSAY_ORIGIN_PORTAL" in wrong.stderr
