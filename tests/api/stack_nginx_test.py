"""The configuration that nginx/stack writes for nginx: what is passed on, answered and refused."""

import re
import shutil
import socket
import stat
import time

import pytest
import requests

from echo import (
    ANALYSIS, COMPUTE, PAGE_HEADERS, POOLS, SYSTEM, UUID4, Load, assert_envelope, send_raw, start)
from stack import CHECKOUT

pytest_plugins = ("echo_fixtures",)


@pytest.fixture(scope="module", autouse=True)
def slow_clients(echo):
    """Clients that send half a header, and half a body, and then nothing."""
    host, port = echo.base_url.removeprefix("http://").split(":")
    clients = [socket.create_connection((host, int(port))) for _ in range(2)]
    clients[0].sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Half")
    clients[1].sendall(b"POST /api/v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
    yield clients
    for client in clients:
        client.close()


class TestNginx:
    def test_sockets_are_for_owner_and_group(self, echo):
        for pool in POOLS:
            mode = (echo.directory / "run" / f"{pool}.sock").stat().st_mode
            assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660

    @pytest.mark.parametrize("path", ["/", "/nothing.js", "/api/v1/none"])
    def test_no_version_banner(self, echo, path):
        for url in (echo.base_url, echo.portal_url):
            answer = requests.get(url + path)
            assert answer.headers["Server"] == "nginx"
            assert "1.22" not in answer.text

    def test_families_answer_their_own_paths(self, echo):
        for pool, method, paths in (
                (SYSTEM, "GET", ("/health", "/api/v1/srm-check/other", "/api/v1/diagnostics", "/readyz")),
                (ANALYSIS, "POST", ("/api/v1/calculate", "/api/v1/design", "/api/v1/srm-check")),
                (COMPUTE, "POST", ("/api/v1/results", "/api/v1/results/paired", "/api/v1/simulate/bandit"))):
            for path in paths:
                answer = requests.request(method, echo.base_url + path)
                assert answer.json()["pid"] in echo.workers(pool), path

    def test_proxy_header_is_not_passed(self, echo):
        answer = requests.get(echo.base_url + "/health?param=HTTP_PROXY", headers={"Proxy": "http://evil"})
        assert answer.json()["value"] in (None, "")

    def test_names_with_underscores_cannot_pose_as_headers(self, echo):
        answer = requests.get(echo.base_url + "/health?param=HTTP_X_API_KEY", headers={"X_API_Key": "forged"})
        assert answer.json()["value"] is None

    @pytest.mark.parametrize("given, kept", [
        ("abc.DEF:1_2-3", True), ("x" * 128, True), ("x" * 129, False), ("a b", False), ('"', False)])
    def test_request_id_is_one_for_all(self, echo, given, kept):
        answer = requests.get(echo.base_url + "/health?param=HTTP_X_REQUEST_ID", headers={"X-Request-ID": given})
        passed = answer.json()["value"]
        assert (passed == given) if kept else UUID4.match(passed)
        own_answer = requests.post(echo.base_url + "/", headers={"X-Request-ID": given})
        body = assert_envelope(own_answer, 405, "http_error")
        assert (body["request_id"] == given) if kept else UUID4.match(body["request_id"])

    def test_repeated_forwarded_headers_are_joined(self, echo):
        answer = send_raw(echo.base_url, b"GET /health?param=HTTP_X_FORWARDED_FOR HTTP/1.1\r\nHost: x\r\n"
                          b"X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\nConnection: close\r\n\r\n")
        assert '"value":"1.1.1.1, 2.2.2.2"' in answer

    def test_responders_send_their_own_headers_once(self, echo):
        answer = requests.get(echo.base_url + "/health")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "X-Frame-Options" not in answer.headers

    def test_head(self, echo):
        for path in ("/", "/health"):
            answer = requests.head(echo.base_url + path)
            assert answer.status_code == 200 and answer.content == b""


class TestErrorsOfNginx:
    def test_oversized_headers(self, echo):
        answer = requests.get(echo.base_url + "/api/v1/x", headers={"X-Big": "x" * 40000})
        assert_envelope(answer, 431, "http_error")

    def test_oversized_address(self, echo):
        assert_envelope(requests.get(echo.base_url + "/api/" + "x" * 40000), 414, "http_error")

    def test_malformed_request(self, echo):
        answer = send_raw(echo.base_url, b"GET / HTTP/1.1\r\n\r\n")
        assert answer.startswith("HTTP/1.1 400") and '"error_code":"bad_request"' in answer
        assert "X-Error-Code: bad_request" in answer and "X-Frame-Options: DENY" in answer

    def test_body_far_over_the_cap_is_refused_by_nginx(self, echo):
        answer = requests.post(echo.base_url + "/api/v1/calculate", data=b"x" * 2_000_000)
        body = assert_envelope(answer, 413, "request_body_too_large")
        assert body["detail"] == "Request body exceeds limit of 1048576 bytes"

    def test_body_just_over_the_cap_reaches_the_responder(self, echo):
        answer = requests.post(echo.base_url + "/api/v1/calculate", data=b"x" * 1_048_577)
        assert answer.status_code == 413 and answer.json()["length"] == 1_048_577

    def test_method_that_files_do_not_know(self, echo):
        answer = requests.post(echo.base_url + "/", data=b"x" * 4000)
        assert_envelope(answer, 405, "http_error")
        assert answer.headers["Allow"] == "GET, HEAD"

    def test_path_above_the_root(self, echo):
        answer = send_raw(echo.base_url, b"GET /%2e%2e/secret.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert answer.startswith("HTTP/1.1 404") and '"error_code":"not_found"' in answer

    def test_a_body_that_cannot_be_kept(self, own):
        """Where bodies are kept there is no directory: it may be sent again, and is not somebody's mistake."""
        start(own)
        shutil.rmtree(own.directory / "tmp" / "body")
        (own.directory / "tmp" / "body").write_text("")
        answer = requests.post(own.base_url + "/api/v1/calculate", data=b"x" * 500_000)
        assert_envelope(answer, 503, "http_error")
        assert answer.headers["Retry-After"] == "1"
        assert requests.post(own.base_url + "/api/v1/calculate", data=b"x").status_code == 200

    def test_ranges_are_not_served(self, echo):
        for wanted in ("bytes=0-9", "bytes=99999999-"):
            answer = send_raw(echo.portal_url, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nRange: %s\r\n\r\n"
                              % wanted.encode())
            head = answer.partition("\r\n\r\n")[0]
            names = [line.split(":")[0] for line in head.splitlines()[1:]]
            assert head.startswith("HTTP/1.1 200") and len(names) == len(set(names)), head

    def test_error_locations_are_internal(self, echo):
        assert requests.get(echo.base_url + "/_nginx/502").status_code != 502

    def test_connections_of_one_client_are_limited(self, own):
        own.env["ASSAY_CONNECTIONS_PER_CLIENT"] = "2"
        start(own)
        with Load(own.base_url + "/api/v1/calculate?slow=300", 2):
            time.sleep(0.2)
            answers = [requests.get(own.base_url + "/health") for _ in range(10)]
        limited = [a for a in answers if a.status_code == 429]
        assert limited
        assert_envelope(limited[0], 429, "rate_limited")
        assert limited[0].headers["Retry-After"] == "1"

    @pytest.mark.parametrize("setting", ["*", "https://a.example, *", "https://a.example,https://b.example"])
    def test_origins_of_the_settings_may_read_its_answers(self, own, setting):
        """Also when the setting looks like a pattern of files."""
        own.env["AB_CORS_ORIGINS"] = setting
        start(own)
        for origin in ("https://a.example", "https://b.example", "https://c.example"):
            answer = requests.post(own.base_url + "/", headers={"Origin": origin})
            allowed = origin in setting or "*" in setting
            assert (answer.status_code, answer.headers.get("Access-Control-Allow-Origin")) == (405, origin if allowed else None)


@pytest.fixture
def pages(own):
    """A stack with a UI of its own, so that the tests know what is in it."""
    ui = own.directory.parent / "my ui"
    (ui / "sub").mkdir(parents=True)
    (ui / "index.html").write_text("<!doctype html><title>index</title>" + "x" * 2000)
    (ui / "app.js").write_text("export const one = 1;\n" * 100)
    (ui / "results.html").write_text("<!doctype html><title>results</title>")
    (ui / ".secret").write_text("secret")
    (ui / "sub" / "plain").write_text("a file without an extension")
    (ui.parent / "outside.txt").write_text("outside")
    (ui / "link.txt").symlink_to(ui.parent / "outside.txt")
    own.env["AB_FRONTEND_DIST_PATH"] = str(ui)
    return own


class TestPages:
    def test_files(self, pages):
        start(pages)
        for path in ("/", "/index.html", "/projects/some-id"):
            answer = requests.get(pages.base_url + path)
            assert answer.status_code == 200 and "<title>index" in answer.text
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            assert answer.headers["Cache-Control"] == "no-cache"
            assert answer.headers["Content-Encoding"] == "gzip"
            policy = answer.headers["Content-Security-Policy"]
            for part in ("default-src 'self'", "script-src 'self'", "style-src 'self'", "object-src 'none'",
                         "frame-ancestors 'none'", "base-uri 'self'", "form-action 'self'"):
                assert part in policy.split("; ")
            assert "unsafe" not in policy
            for name, value in PAGE_HEADERS.items():
                assert answer.headers[name] == value
        script = requests.get(pages.base_url + "/app.js")
        assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
        again = requests.get(pages.base_url + "/app.js", headers={"If-None-Match": script.headers["ETag"]})
        assert again.status_code == 304
        assert "<title>results" in requests.get(pages.base_url + "/results").text
        viewer = requests.get(pages.base_url + "/docs")
        assert "<title>Try the API (Swagger UI) · Experiments · Assay</title>" in viewer.text
        assert "<!--#" not in viewer.text and 'id="site-nav"' in viewer.text
        policy = viewer.headers["Content-Security-Policy"].split("; ")
        assert "style-src 'self' 'unsafe-inline'" in policy and "worker-src blob:" in policy
        assert "script-src 'self'" in policy
        assert requests.get(pages.base_url + "/sub/plain").text == "a file without an extension"

    def test_what_is_not_served(self, pages):
        start(pages)
        for path in ("/missing.js", "/.secret", "/link.txt", "/docs/x", "/healthz", "/shared/", "/vendor/",
                     "/shared/missing.css", "/locales/missing.json"):
            assert requests.get(pages.base_url + path).status_code == 404, path
        climbing = send_raw(pages.base_url, b"GET /locales/..%2fnginx/services HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert "<title>index" in climbing  # the path is /nginx/services, a view of the UI

    def test_catalogues(self, pages):
        start(pages)
        for file in list((CHECKOUT / "locales").glob("*.*"))[:3]:
            answer = requests.get(f"{pages.base_url}/locales/{file.name}")
            assert answer.status_code == 200 and answer.content == file.read_bytes()
            assert answer.headers["Cache-Control"] == "no-cache"

    def test_own_pages(self, echo):
        """Pages are those of static/pages.json; the frame is in them before any script runs."""
        for path, title in (("/", "Sample size calculator"), ("/results", "Analyze numbers")):
            answer = requests.get(echo.base_url + path)
            assert answer.status_code == 200 and f">{title} · Assay</title>" in answer.text
            assert answer.headers["Cache-Control"] == "no-cache"
            assert "<!--#" not in answer.text and 'id="site-header"' in answer.text
            assert "require-trusted-types-for 'script'" in answer.headers["Content-Security-Policy"]
            assert f'<a href="{path}" aria-current="page"' in answer.text
        for path in ("/nothing", "/results/x", "/index.html", "/results.html", "/results/page.html", "/shell/footer",
                     "/experiments.css"):
            assert requests.get(echo.base_url + path).status_code == 404, path

    def test_assets_lie_under_their_build(self, echo):
        for url in (echo.base_url, echo.portal_url):
            page = requests.get(url + "/").text
            assets = re.findall(r'(?:src|href)="(/static/[0-9a-f]{12}/[^"]+)"', page)
            assert len(assets) > 5
            for path in assets:
                answer = requests.get(url + path)
                assert answer.status_code == 200, path
                if "/made/" not in path:  # the others are put together of several
                    assert answer.content == (CHECKOUT / "static" / path.split("/", 3)[3]).read_bytes()
                assert "immutable" in answer.headers["Cache-Control"]
            build = assets[0].split("/")[2]
            other = assets[0].replace(build, "0" * 12)
            assert requests.get(url + other).headers["Cache-Control"] == "no-cache"
            for path in ("tools/vendor.js", "node_modules/.package-lock.json", "package.json", "pages.json", "shared/",
                         "../Makefile", ".npmrc"):
                assert requests.get(f"{url}/static/{build}/{path}").status_code == 404, path

    def test_switched_off(self, pages):
        pages.env["AB_SERVE_FRONTEND_DIST"] = "false"
        start(pages)
        for path in ("/", "/index.html", "/app.js", "/projects/x"):
            answer = requests.get(pages.base_url + path)
            assert answer.status_code == 404 and answer.json()["status_code"] == 404
        assert requests.get(pages.base_url + "/health").status_code == 200
        assert requests.get(pages.base_url + "/docs").status_code == 200

    def test_portal_lists_the_services(self, own):
        own.env["ASSAY_ORIGIN_EXPERIMENTS"] = "https://experiments.example"
        own.env["ASSAY_ALLOW_OPEN"] = "true"
        start(own)
        listed = [entry for entry in requests.get(own.portal_url + "/services.json").json() if entry["name"] != "accounts"]
        assert [(entry["name"], entry["url"]) for entry in listed] == [("experiments", "https://experiments.example")]
        assert "analysis" in listed[0]["pools"]
        assert any((page["page"], page["path"]) == ("results", "/results") for page in listed[0]["pages"])
        shown = requests.get(own.base_url + "/health?param=SITE_ORIGIN").json()["value"]
        assert shown == "https://experiments.example"

    def test_portal_has_the_shared_files(self, echo):
        assert requests.get(echo.portal_url + "/").status_code == 200
        for path in ("/nothing", "/shared/", "/vendor/", "/.git/config", "/shared/.hidden"):
            assert_envelope(requests.get(echo.portal_url + path), 404, "not_found")

    def test_portal_shows_health_of_the_services(self, echo):
        answer = requests.get(echo.portal_url + "/health/experiments")
        assert answer.status_code == 200 and answer.json()["path"] == "/health"
        missing = requests.get(echo.portal_url + "/health/other")
        assert_envelope(missing, 404, "not_found")


class TestSlowClients:
    def test_slow_clients_are_cut_off(self, slow_clients):
        """Begun with the first test that uses the shared stack, so most of the 10 s are over."""
        for client in slow_clients:
            client.settimeout(15)  # a connection that is left open ends the test with TimeoutError
            answer = b""
            try:
                while chunk := client.recv(65536):
                    answer += chunk
            except ConnectionResetError:
                pass
            assert b" 200" not in answer
