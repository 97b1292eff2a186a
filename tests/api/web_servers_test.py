"""The families behind Apache (mod_proxy_fcgi), lighttpd, and as programs that Apache itself starts (mod_fcgid, plain
CGI): configurations that the stack writes, web servers of Debian, one smoke test per service."""

import contextlib
import os
import subprocess
import time
import uuid
from datetime import datetime, timezone

import pytest
import requests

from wait import wait_for
from stack import WITH_PORT, Stack
from project_fixtures import payload

SETTINGS = {"API_KEY": "support-key-12345678", "RATE_LIMIT_ENABLED": "false", "LIVE_API_KEYS": "key-of-shop:shop",
            "AB_API_TOKEN": "write-token-12345678"}
MODULES = "/usr/lib/apache2/modules/mod_{}.so"
BASICS = ("mpm_prefork", "authz_core", "unixd", "log_config", "alias", "headers", "mime", "rewrite", "env")
KINDS = {"apache": (*BASICS, "proxy", "proxy_fcgi"), "lighttpd": (), "fcgid": (*BASICS, "fcgid"), "cgi": (*BASICS, "cgi")}
# Apache does not serve as root. In a name space of its own it is somebody else, who may do what we may.
UNPRIVILEGED = ["unshare", "-U", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []

CALCULATION = {"metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
               "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50], "variants_count": 2}


def apache_configuration(kind, stack, place):
    lines = [f"ServerRoot {place}", f"PidFile {place}/httpd.pid", f"ErrorLog {place}/error.log", "ServerName localhost",
             f"Mutex file:{place} default", "LogLevel warn", "TypesConfig /etc/mime.types", "StartServers 2", "MaxRequestWorkers 20"]
    lines += [f"LoadModule {name}_module {MODULES.format(name)}" for name in KINDS[kind]
              if name not in ("unixd", "log_config") or os.path.exists(MODULES.format(name))]
    if kind == "apache":
        return [*lines, f"Include {stack.directory}/conf/apache.conf"]
    if kind == "fcgid":
        lines += [f"FcgidIPCDir {place}/ipc", f"FcgidProcessTableFile {place}/table", "FcgidMaxRequestLen 52428800"]
    for name in WITH_PORT:
        port = stack.env[f"ASSAY_PORT_{name.upper()}"]
        root = stack.directory / "conf" / "cgi" / name
        lines += [f"Listen 127.0.0.1:{port}", f"<VirtualHost 127.0.0.1:{port}>", f"DocumentRoot {root}",
                  f"<Directory {root}>", "AllowOverride All", "Require all granted", "</Directory>",
                  "<Directory />", "Options FollowSymLinks", "Require all granted", "</Directory>", "</VirtualHost>"]
    return lines


def command_of(kind, stack, place):
    if kind == "lighttpd":
        modules = ", ".join(f'"mod_{name}"' for name in ("alias", "fastcgi", "redirect", "rewrite", "setenv"))
        (place / "web.conf").write_text(
            f'server.modules = ( {modules} )\nserver.document-root = "{place}"\nserver.bind = "127.0.0.1"\n'
            f'server.port = {stack.env["ASSAY_PORT_PORTAL"]}\nserver.errorlog = "{place}/error.log"\n'
            'mimetype.assign = ( ".html" => "text/html; charset=utf-8", ".js" => "text/javascript", ".css" => "text/css",'
            ' ".json" => "application/json" )\nindex-file.names = ()\n'
            f'include "{stack.directory}/conf/lighttpd.conf"\n')
        return ["lighttpd", "-D", "-f", place / "web.conf"]
    (place / "web.conf").write_text("\n".join([*apache_configuration(kind, stack, place), ""]))
    return ["apache2", "-DFOREGROUND", "-f", place / "web.conf"]


@contextlib.contextmanager
def served(kind, place):
    """A stack without nginx, and the web server in front of it."""
    stack = Stack(services=WITH_PORT)
    env = {**SETTINGS, "ASSAY_WEB_SERVER": "cgi" if kind == "fcgid" else kind}
    if kind in ("cgi", "fcgid"):
        stack.prepare(env)
        done = stack.run("render")
        assert done.returncode == 0, done.stderr
    else:
        stack.start(env)
    server = subprocess.Popen([*UNPRIVILEGED, *command_of(kind, stack, place)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              start_new_session=True)  # Apache ends its whole group
    try:
        wait_for(lambda: server.poll() is not None or answers(stack), lambda: (place / "error.log").read_text())
        if server.poll() is not None:
            said = server.stdout.read()
            if "unshare" in said:
                pytest.skip(f"name spaces are not permitted: {said}")
            raise AssertionError(said)
        yield stack
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close()
        stack.stop()
        stack.close()


def answers(stack):
    try:
        return requests.get(stack.url_of("experiments") + "/health", timeout=10).status_code == 200
    except requests.RequestException:
        time.sleep(0.05)
        return False


@pytest.fixture(scope="module", params=KINDS)
def web(request, tmp_path_factory):
    place = tmp_path_factory.mktemp(request.param)
    with served(request.param, place) as stack:
        stack.kind, stack.error_log = request.param, place / "error.log"
        yield stack


def ask(web, service, method, path, **more):
    return requests.request(method, web.url_of(service) + path, timeout=30, **more)


def test_experiments(web):
    token = {"Authorization": f"Bearer {SETTINGS['AB_API_TOKEN']}"}
    answer = ask(web, "experiments", "POST", "/api/v1/calculate?", json=CALCULATION, headers=token)
    assert answer.status_code == 200 and answer.json()["results"]["sample_size_per_variant"] == 146642, answer.text
    made = ask(web, "experiments", "POST", "/api/v1/projects", json=payload("behind others", project={"project_description": "x" * 200_000}),
               headers=token)
    assert made.status_code == 200, made.text
    read = ask(web, "experiments", "GET", f"/api/v1/projects/{made.json()['id']}", headers={"authorization": token["Authorization"]})
    assert read.status_code == 200 and len(read.json()["payload"]["project"]["project_description"]) == 200_000
    assert ask(web, "experiments", "GET", f"/api/v1/projects/{made.json()['id']}").status_code == 401
    report = ask(web, "experiments", "GET", f"/api/v1/projects/{made.json()['id']}/report/markdown?x=1", headers=token)
    assert report.status_code in (404, 405, 422), "the family that a path with a star belongs to has answered"
    lost = ask(web, "experiments", "GET", "/api/v1/no/./such/../%6eothing", headers=token)
    assert lost.status_code == 404 and lost.json()["error_code"] == "not_found", lost.text
    large = ask(web, "experiments", "POST", "/api/v1/calculate", data="x" * 1_060_000, headers={**token, "Content-Type": "application/json"})
    assert large.status_code == 413, large.status_code


def test_support(web):
    key = {"X-API-Key": SETTINGS["API_KEY"]}
    text = "# Returns\n\nGoods may be returned within thirty days of delivery.\n"
    answer = ask(web, "support", "POST", "/api/upload", files={"file": ("returns.md", text.encode())}, headers=key)
    assert answer.status_code in (200, 202), answer.text
    if web.kind in ("cgi", "fcgid"):
        assert web.run("run", "ingest").returncode == 0

    def asked():
        found = ask(web, "support", "POST", "/api/ask", json={"question": "Within how many days may goods be returned?"}, headers=key)
        assert found.status_code == 200, found.text
        return "thirty days" in found.text

    wait_for(asked)
    stream = ask(web, "support", "POST", "/api/ask/stream", json={"question": "Within how many days may goods be returned?"},
                 headers=key, stream=True)
    assert stream.headers["Content-Type"].startswith("text/event-stream") and b"thirty days" in stream.content


def test_orchestrator(web):
    answer = ask(web, "orchestrator", "POST", "/api/v1/orchestrate", json={"prompt": "hello"})
    assert answer.status_code == 200, answer.text
    task = ask(web, "orchestrator", "GET", f"/api/v1/tasks/{answer.json()['task_id']}")
    assert task.status_code == 200, task.text
    with ask(web, "orchestrator", "POST", "/v1/chat/completions", stream=True,
             json={"model": "dry_run", "stream": True, "messages": [{"role": "user", "content": "hello"}]}) as stream:
        assert stream.status_code in (200, 404), stream.text


def test_livedata(web):
    shop = {"X-API-Key": "key-of-shop"}
    event = {"event_id": str(uuid.uuid4()), "event_type": "order.created", "source": "shop", "order_id": "ORD-20260404-4711",
             "timestamp": datetime.now(timezone.utc).isoformat(), "user_id": "USR-1", "status": "pending",
             "items": [{"product_id": "PROD-1", "quantity": 1, "unit_price": "10.50"}], "total_amount": "10.50"}
    answer = ask(web, "livedata", "POST", "/v1/events", json=event, headers=shop)
    assert answer.status_code == 200 and answer.json()["applied"] == 1, answer.text
    entity = ask(web, "livedata", "GET", "/v1/entity/order/ORD-20260404-4711", headers=shop)
    assert entity.status_code == 200 and entity.json()["data"]["total_amount"] == 10.5
    if web.kind == "cgi":
        parked = ask(web, "livedata", "GET", "/v1/stream/events", headers=shop)
        assert parked.status_code == 503, "a stream that is parked needs a process that stays"
    elif web.kind != "fcgid":  # mod_fcgid holds back what is not complete
        with ask(web, "livedata", "GET", "/v1/stream/events", headers=shop, stream=True) as stream:
            assert stream.status_code == 200
            ask(web, "livedata", "POST", "/v1/events", json={**event, "event_id": str(uuid.uuid4()), "order_id": "ORD-20260404-4712"},
                headers=shop)
            assert any("ORD-20260404-4712" in line for line in stream.iter_lines(decode_unicode=True))


@pytest.mark.parametrize("service, path, title", [("experiments", "/", "Sample size"), ("experiments", "/projects/p-1", "Assay"),
                                                  ("support", "/static/chat.html", "Assay"), ("orchestrator", "/tasks.html", "Assay"),
                                                  ("livedata", "/explorer", "Assay"), ("livedata", "/docs", "Swagger")])
def test_pages_and_what_they_load(web, service, path, title):
    page = ask(web, service, "GET", path)
    assert page.status_code == 200 and title in page.text and "<!--#" not in page.text, page.text[:300]
    script = page.text.split('<script src="')[1].split('"')[0]
    loaded = ask(web, service, "GET", script)
    assert loaded.status_code == 200 and "javascript" in loaded.headers["Content-Type"], (script, loaded.status_code)
    assert ask(web, service, "GET", "/locales/en.json").status_code == 200
    hidden = "/".join([*script.split("/")[:3], "tools", "vendor.js"])  # the responder's own answer
    assert ask(web, service, "GET", hidden).status_code in (401, 404)


def test_moved_pages_lead_on(web):
    answer = ask(web, "support", "GET", "/", allow_redirects=False)
    assert answer.status_code == 307 and answer.headers["Location"].endswith("/static/chat.html")
