"""The program `ingest` on a documentation site, on both engines: a small web server that also misbehaves."""

import gzip
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from service import ENGINES, Service
from support_admin_test import SECRET, token
from support_sources import forget_documents

pytestmark = pytest.mark.both_engines
ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false"}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", ENV, request.param) as service:
        service.run("ingest")  # its environment is known from now on
        yield service


@pytest.fixture(autouse=True)
def empty(support):
    forget_documents(support)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        site = self.server.site
        site.requests.append((self.path, dict(self.headers)))
        answer = site.answer(self.path)
        if answer is None:  # silent until the test ends
            site.released.wait(120)
            self.close_connection = True
            return
        status, headers, body = answer
        etag = headers.get("ETag")
        if status == 200 and etag and self.headers.get("If-None-Match") == etag:
            status, body = 304, b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Site:
    """Pages by their paths; each is a text (HTML), bytes, or (status, headers, body); None is silence."""

    def __init__(self, pages):
        self.pages = dict(pages)
        self.requests = []
        self.released = threading.Event()

    def answer(self, path):
        page = self.pages.get(path, self.pages.get("*"))
        if callable(page):
            page = page(path)
        if page is None:
            return None if path in self.pages else (404, {"Content-Type": "text/html"}, b"<h1>Not found</h1>")
        if isinstance(page, tuple):
            return page
        body = page if isinstance(page, bytes) else page.encode()
        return 200, {"Content-Type": "text/html"}, body

    def asked(self, path):
        return [headers for asked, headers in self.requests if asked == path]

    @property
    def paths(self):
        return [path for path, _ in self.requests]


@contextmanager
def serving(pages):
    site = Site(pages)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.site = site
    site.port = server.server_port
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    site.stop = server.shutdown
    try:
        yield site
    finally:
        site.released.set()
        server.shutdown()
        server.server_close()
        thread.join(60)


def page(title, text, *links):
    anchors = "".join(f'<a href="{link}">more</a> ' for link in links)
    return f"<html><head><title>{title}</title></head><body><nav>Everywhere the same {anchors}</nav><main><h1>{title}</h1><p>{text}</p></main></body></html>"


def documents(service):
    return {one["source"]: one for one in service.get("/api/documents?limit=500", headers=token("admin")).json()["documents"]}


def titles(service):
    return {one["title"] for one in documents(service).values()}


def text_of(service, name):
    answer = service.get(f"/api/documents/{name}", headers=token("admin"))
    return "" if answer.status_code == 404 else "\n".join(part["text"] for part in answer.json()["passages"])


def crawl(service, url, *arguments):
    return service.run("ingest", "--private", "--site", url, *arguments)


def total(done):
    return done.stdout.splitlines()[-1]


def test_pages_are_found_by_links_and_cited_by_their_address(support):
    with serving({
            "/docs/": page("Start", "The manual begins here.", "keys.html", "guide/", "/outside", "#top", "mailto:a@b.c", "javascript:x()", "http://127.0.0.2/docs/x"),
            "/docs/keys.html": page("Keys &amp; locks", "The spare key hangs on hook seven.", "guide/?a=1&amp;b=2#part"),
            "/docs/guide/": page("Guide", "Gate four is locked at night.", "../manual.pdf", "../missing.html"),
            "/docs/guide/?a=1&b=2": page("Second part", "Gate nine is never locked."),
            "/docs/manual.pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4"),
            "/outside": page("Outside", "Not of this manual.")}) as site:
        done = crawl(support, f"{site.url}/docs/", "--groups", "Sales")
        assert done.returncode == 0, (done.stdout, done.stderr)
        assert total(done) == "6 pages: 4 taken, 0 unchanged, 2 passed over, 0 refused, 0 failed, 0 removed"
        assert "/docs/manual.pdf: not HTML" in done.stdout and "missing.html: the server answered 404" in done.stdout
        assert "/outside" not in site.paths
        found = documents(support)
        assert set(found) == {f"{site.url}/docs/{path}" for path in ("", "keys.html", "guide/", "guide/?a=1&b=2")}
        keys = found[f"{site.url}/docs/keys.html"]
        assert keys["title"] == "Keys & locks" and keys["doc_id"] == "keys.html" and keys["groups"] == ["Sales"]
        assert "Everywhere" not in text_of(support, "keys.html"), "the menu is no content"
        answer = support.post("/api/ask", {"question": "Where does the spare key hang?"}, headers=token("admin")).json()
        assert "hook seven" in answer["answer"]
        assert f"{site.url}/docs/keys.html" in [one["source"] for one in answer["sources"]]
        assert support.run("ingest", "--reindex").returncode == 0
        assert f"{site.url}/docs/keys.html" in documents(support), "after indexing again"


def test_a_later_crawl_takes_changes_and_removes_what_is_gone(support):
    def tagged(etag, body):
        return 200, {"Content-Type": "text/html", "ETag": etag, "Last-Modified": "Fri, 01 May 2026 10:00:00 GMT"}, body.encode()
    with serving({
            "/": tagged('"1"', page("Start", "The manual begins here.", "/stays", "/changes", "/goes", "/breaks")),
            "/stays": page("Stays", "This one stays, and its server knows no tags.", "/below"),
            "/below": page("Below", "This one is below."),
            "/changes": tagged('"c1"', page("Changes", "The fee is five euros.")),
            "/goes": page("Goes", "This one goes."), "/breaks": page("Breaks", "This one breaks.")}) as site:
        assert crawl(support, site.url + "/").returncode == 0
        assert titles(support) == {"Start", "Stays", "Below", "Changes", "Goes", "Breaks"}
        site.requests.clear()
        again = crawl(support, site.url + "/")
        assert again.returncode == 0 and total(again).startswith("6 pages: 0 taken, 6 unchanged"), again.stdout
        [asked] = site.asked("/changes")
        assert asked["If-None-Match"] == '"c1"' and asked["If-Modified-Since"] == "Fri, 01 May 2026 10:00:00 GMT"
        site.pages["/changes"] = tagged('"c2"', page("Changes", "The fee is nine euros."))
        site.pages["/stays"] = page("Stays", "This one stays, and names nothing any more.")
        site.pages["/breaks"] = (403, {}, b"")
        del site.pages["/goes"]
        third = crawl(support, site.url + "/")
        assert third.returncode == 3, third.stdout
        assert total(third) == "6 pages: 2 taken, 2 unchanged, 0 passed over, 0 refused, 1 failed, 1 removed"
        assert titles(support) == {"Start", "Stays", "Below", "Changes", "Breaks"}, "403 does not say that a page is gone"
        changed = documents(support)[site.url + "/changes"]
        assert changed["version"] == 2 and "nine euros" in text_of(support, changed["doc_id"])
        site.pages["/below"] = (410, {}, b"")
        assert "1 removed" in total(crawl(support, site.url + "/")), "though no page links to it"
        assert titles(support) == {"Start", "Stays", "Changes", "Breaks"}


def test_a_document_deleted_by_a_person_stays_deleted(support):
    with serving({"/": page("Start", "The manual begins here.")}) as site:
        assert crawl(support, site.url).returncode == 0
        [one] = documents(support).values()
        assert support.send("DELETE", f"/api/documents/{one['doc_id']}", headers=token("admin")).status_code == 200
        assert "1 unchanged" in total(crawl(support, site.url)) and not documents(support)
        site.pages["/"] = page("Start", "It begins elsewhere.")
        assert "1 taken" in total(crawl(support, site.url)) and titles(support) == {"Start"}, "as with files"


def upload(service, name, text, **form):
    answer = service.send("POST", "/api/upload", files={"file": (name, text.encode())}, data=form, headers=token("admin"))
    assert answer.status_code == 200, answer.text
    return answer.json()["doc_id"]


def groups_of(service, name):
    [groups] = [one["groups"] for one in documents(service).values() if one["doc_id"] == name]
    return groups


def test_a_page_replaces_no_document_of_another_way(support):
    assert upload(support, "older.html", "<h1>Older</h1><p>It was there first.</p>") == "older.html"
    support.sql("DELETE FROM kb_upload_names")  # as of a version without upload names
    with serving({"/older.html": page("Older", "The page of the site.")}) as site:
        assert crawl(support, f"{site.url}/older.html").returncode == 0
    assert "there first" in text_of(support, "older.html") and "of the site" in text_of(support, "older-2.html")


def test_a_new_page_takes_nothing_from_a_deleted_document_of_other_groups(support):
    """Neither do its people read the page, nor those of the page what the document said."""
    assert upload(support, "plan.html", "<h1>Plan</h1><p>The plan is called Kestrel.</p>", groups="Personnel") == "plan.html"
    assert support.send("DELETE", "/api/documents/plan.html", headers=token("admin")).status_code == 200
    pages = {"/plan.html": page("Plan", "The plan of sales is called Heron.")}
    with serving(pages) as site, serving(pages) as open_site:
        assert crawl(support, f"{site.url}/plan.html", "--groups", "Sales").returncode == 0
        assert crawl(support, f"{open_site.url}/plan.html").returncode == 0
        left = support.sql("SELECT group_name FROM kb_document_groups WHERE doc_id = 'plan.html'")
        assert [list(row) for row in left] == [["Personnel"]], "what was answered from it stays closed"
        assert groups_of(support, "plan-2.html") == ["Sales"] and groups_of(support, "plan-3.html") == []


def test_groups_stay_with_a_page_that_was_away(support):
    """Those that people have given it; another one for the groups of the crawl takes another name."""
    start = page("Start", "The manual begins here.", "/plan.html")
    with serving({"/": start, "/plan.html": page("Plan", "The plan is called Kestrel.")}) as site:
        arguments = (site.url + "/", "--groups", "Personnel")
        assert crawl(support, *arguments).returncode == 0 and groups_of(support, "plan.html") == ["Personnel"]
        answer = support.send("PUT", "/api/documents/plan.html/groups", json={"groups": ["Board"]}, headers=token("admin"))
        assert answer.status_code == 200
        away = site.pages.pop("/plan.html")
        assert "1 removed" in total(crawl(support, *arguments))
        site.pages |= {"/": page("Start", "It begins here.", "/plan.html", "/sales/plan.html"), "/sales/plan.html": page("Plan", "That of sales.")}
        assert "2 taken" in total(crawl(support, *arguments))
        assert groups_of(support, "plan-2.html") == ["Personnel"]
        site.pages["/plan.html"] = away
        assert "1 taken" in total(crawl(support, *arguments))
        assert groups_of(support, "plan.html") == ["Board"] and "Kestrel" in text_of(support, "plan.html")


def test_a_page_that_cannot_be_stored_is_tried_again(support):
    in_its_place = support.stack.directory / "data/support/uploads/blocked.html"
    in_its_place.mkdir(parents=True)
    with serving({"/blocked": page("Blocked", "Its file has no place.")}) as site:
        try:
            done = crawl(support, f"{site.url}/blocked")
            assert done.returncode == 3 and "cannot be written: Is a directory" in done.stdout, done.stdout
        finally:
            in_its_place.rmdir()
        assert "1 taken" in total(crawl(support, f"{site.url}/blocked")) and titles(support) == {"Blocked"}


@pytest.mark.parametrize("trouble", ["stopped", "errors", "start page gone", "robots"])
def test_nothing_is_removed_while_the_site_is_not_there(support, trouble):
    with serving({"/": page("Start", "The manual begins here.", "/a"), "/a": page("A", "This is a page.")}) as site:
        assert crawl(support, site.url).returncode == 0
        if trouble == "stopped":
            site.stop()
        elif trouble == "errors":
            site.pages = {"*": (503, {}, b"")}
        elif trouble == "robots":
            site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /\n")
        else:
            site.pages = {}
        # A server that has stopped still has its port, and answers nothing.
        done = crawl(support, site.url, "--page-seconds", "1")
        assert done.returncode == 1 and site.url in done.stderr, (done.stdout, done.stderr)
        assert titles(support) == {"Start", "A"}


def test_the_server_is_gone_afterwards(support):
    with serving({"/": page("Start", "The manual begins here.")}) as site:
        assert crawl(support, site.url).returncode == 0
    done = crawl(support, site.url, "--page-seconds", "5")
    assert done.returncode == 1 and "cannot be reached" in done.stderr, done.stderr
    assert titles(support) == {"Start"}


def test_sitemaps_are_read_and_foreign_addresses_are_not(support):
    def urls(*paths):
        return "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" + "".join(
            f"<url><loc> {path} </loc><image:loc>http://127.0.0.2/x.png</image:loc></url>" for path in paths) + "</urlset>"
    with serving({"/docs/start": page("Start", "The manual begins here.", "/docs/linked")}) as site:
        site.pages |= {
            "/robots.txt": (200, {}, f"Sitemap: {site.url}/maps/index.xml\nSitemap: http://127.0.0.2/maps.xml\n".encode()),
            "/maps/index.xml": f"<sitemapindex><sitemap><loc>{site.url}/maps/one.xml.gz</loc></sitemap>"
                               f"<sitemap><loc><![CDATA[{site.url}/maps/two.xml]]></loc></sitemap>"
                               "<sitemap><loc>http://127.0.0.2/three.xml</loc></sitemap></sitemapindex>",
            "/maps/one.xml.gz": (200, {"Content-Type": "application/gzip"}, gzip.compress(urls(
                f"{site.url}/docs/one?a=1&amp;b=2", f"http://127.0.0.2:{site.port}/docs/foreign", f"{site.url}/blog/other",
                f"https://127.0.0.1:{site.port}/docs/secure", "file:///etc/passwd", f"{site.url}/docs/../blog/dots").encode())),
            "/maps/two.xml": (200, {"Content-Type": "text/xml"}, urls(f"{site.url}/docs/two", f"{site.url}/docs/start").encode()),
            "/docs/one?a=1&b=2": page("One", "The first page of the map."), "/docs/two": page("Two", "The second page of the map."),
            "/docs/linked": page("Linked", "No map names it.")}
        done = crawl(support, f"{site.url}/docs/start")
        assert done.returncode == 0, (done.stdout, done.stderr)
        assert titles(support) == {"Start", "One", "Two"}
        assert not any(path.startswith("/blog") for path in site.paths)


def test_a_sitemap_that_cannot_be_read_leaves_the_links(support):
    with serving({"/": page("Start", "The manual begins here.", "/a"), "/a": page("A", "This is a page."),
                  "/sitemap.xml": (200, {}, gzip.compress(b"<urlset><url><loc>")[:-9])}) as site:
        assert crawl(support, site.url).returncode == 0 and titles(support) == {"Start", "A"}


def test_robots_txt_is_obeyed(support):
    rules = """# comment
User-agent: other
Disallow: /

User-agent: *
Disallow: /open

User-agent: Assay
User-agent: third
Crawl-delay: 0.3
Disallow: /private
Allow: /private/but/not/this
Disallow: /*.php$
Disallow:
"""
    links = ["/open", "/private/a", "/private/but/not/this", "/x.php", "/x.php?y=1"]
    with serving({"/robots.txt": (200, {}, rules.encode()), "/": page("Start", "The manual begins here.", *links),
                  "*": lambda path: page(path, f"This is the page {path}.") if path != "/sitemap.xml" else (404, {}, b"")}) as site:
        done = crawl(support, site.url)
        assert done.returncode == 0, (done.stdout, done.stderr)
        assert done.stdout.count("robots.txt refuses it") == 2
        assert titles(support) == {"Start", "/open", "/private/but/not/this", "/x.php?y=1"}
        assert all("Assay" in headers["User-Agent"] for _, headers in site.requests)


def test_a_misbehaving_site_ends_within_its_limits(support):
    def endless(path):
        number = int(path.rsplit("/", 1)[1])
        return page(f"Page {number}", f"This is the endless page number {number}.", f"/endless/{number + 1}")

    def answer(path):
        if path.startswith("/endless/"):
            return endless(path)
        if path.startswith("/away/"):
            return 302, {"Location": f"/away/{int(path[6:]) + 1}"}, b""
        return 404, {}, b""
    links = ["/loop/a", "/away/1", "/huge", "/slow", "/latin", "/wrong", "/elsewhere", "/endless/1", "/evil"]
    with serving({
            "/": page("Start", "The manual begins here.", *links),
            "/loop/a": (301, {"Location": "/loop/b"}, b""), "/loop/b": (301, {"Location": "/loop/a"}, b""),
            "/huge": page("Huge", "x " * 60000), "/slow": None,
            "/latin": (200, {"Content-Type": "text/html; charset=utf-8"},
                       '<meta charset="iso-8859-1"><title>Größe</title><p>Die Größe beträgt fünf Meter.</p>'.encode("latin-1")),
            "/wrong": (200, {"Content-Type": "text/html; charset=iso-8859-1"}, page("Straße", "Die Straße ist ölig.").encode()),
            "/elsewhere": (302, {"Location": "http://169.254.169.254/latest/"}, b""),
            "/evil": b"<title>Evil</title><main><p>Unclosed <a href='/evil?\x01\"<b>'>x</a><!-- <a href=/never>",
            "*": answer}) as site:
        done = crawl(support, site.url, "--depth", "6", "--page-bytes", "50000", "--page-seconds", "5")
        assert done.returncode == 3, (done.stdout, done.stderr)
        lines = dict(line.removeprefix(site.url).split(": ", 1) for line in done.stdout.splitlines() if line.startswith(site.url))
        assert lines["/huge"] == "the page is larger than --page-bytes" and lines["/slow"] == "no answer in time"
        assert lines["/away/6"] == "it leads from page to page" and "/away/7" not in site.paths
        assert lines["/elsewhere"].endswith("outside the site") and "/never" not in site.paths
        assert len(site.asked("/loop/a")) == 1 and len(site.asked("/loop/b")) == 1
        found = titles(support)
        assert {"Start", "Größe", "Straße", "Page 6"} <= found and "Page 7" not in found
        few = crawl(support, site.url, "--pages", "3", "--page-seconds", "5")
        assert few.returncode == 3 and "ended by --pages" in few.stdout and total(few).startswith("3 pages")
        brief = crawl(support, site.url, "--minutes", "0.0001")
        assert brief.returncode in (1, 3) and titles(support) == found


def test_private_addresses_need_the_option(support):
    with serving({"/": page("Start", "The manual begins here.")}) as site:
        done = support.run("ingest", "--site", site.url)
        assert done.returncode == 1 and "non-public" in done.stderr and not site.requests
        for url in ("http://169.254.169.254/", "ftp://127.0.0.1/", "http://user:secret@127.0.0.1/"):
            assert crawl(support, url).returncode == 1 and not documents(support), url


@pytest.mark.parametrize("arguments", [["--site"], ["--site", "http://a/", "more"], ["--site", "http://a/", "--pages", "0"],
                                       ["--site", "http://a/", "--minutes", "x"], ["--site", "http://a/", "--tenant", "a b"]])
def test_wrong_command_lines(support, arguments):
    assert support.run("ingest", *arguments).returncode == 2
