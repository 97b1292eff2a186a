"""What no client should send, and exactly what it is told: status, code and the whole body, byte for byte.
No worker dies of it."""

import json
import socket

import pytest

from client import read_json
from conftest import OPEN
from wait import wait_for

HOME = {**OPEN, "ASSAY_WORKERS": 3, "AB_CORS_ORIGINS": "https://page.example"}
SRM, LIST = "/api/v1/srm-check", "/api/v1/projects"
EXAMPLE = b'{"observed_counts":[10,10],"expected_fractions":[0.5,0.5]}'
ANSWER = (b'{"chi_square":0.0,"p_value":1.0,"is_srm":false,"verdict":"No SRM detected","observed_counts":[10,10],'
          b'"expected_counts":[10.0,10.0]}')
CAP = 1048576
NOT_JSON = {"type": "model_attributes_type", "msg": "Input should be a valid dictionary or object to extract fields from;"
            " send it as application/json", "loc": ["body"], "input": None}


@pytest.fixture(scope="module")
def client(stacks):
    client = stacks.get(HOME)
    pools = ("experiments-analysis", "experiments-projects", "experiments-system")

    def whole():
        return all(len(client.stack.workers(pool)) == client.stack.size_of(pool) for pool in pools)

    wait_for(whole)
    before = {pool: set(client.stack.workers(pool)) for pool in pools}
    yield client
    assert before == {pool: set(client.stack.workers(pool)) for pool in pools}, "a worker died"
    for line in client.stack.logs("experiments").splitlines():
        assert json.loads(line)["level"] in ("INFO", "WARNING", "DEBUG"), line


def head(path=SRM, method="POST", length=None, content_type="application/json", more=b"", request_id="m"):
    lines = [f"{method} {path} HTTP/1.1".encode("latin-1"), b"Host: x", b"Connection: close"]
    lines += [f"X-Request-ID: {request_id}".encode()] if request_id else []
    lines += [f"Content-Type: {content_type}".encode("latin-1")] if content_type is not None else []
    lines += [f"Content-Length: {length}".encode()] if length is not None else []
    return b"\r\n".join(lines) + b"\r\n" + more + b"\r\n"


def send(client, data, **options):
    return client.raw(data, checked=False, **options)


def post(client, body, **options):
    return send(client, head(length=len(body), **options) + body)


def post_in_chunks(client, body):
    return send(client, head(more=b"Transfer-Encoding: chunked\r\n") + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))


def check(answer, status, code, detail, request_id="m"):
    """The envelope and nothing else, with its headers."""
    envelope = {"detail": detail, "error_code": code, "status_code": status, "request_id": request_id}
    assert answer.status == status, answer
    assert answer.text == json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    assert answer.headers["X-Error-Code"] == code and answer.headers["X-Request-ID"] == request_id
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Length"] == str(len(answer.body))


def check_json_invalid(answer, why, offset):
    check(answer, 422, "validation_error", [{"type": "json_invalid", "msg": "JSON decode error", "ctx": {"error": why},
                                             "loc": ["body", offset], "input": {}}])


class TestText:
    @pytest.mark.parametrize("body, why, offset", [
        (b'{"a":"\xff"}', "invalid UTF-8", 6), (b'{"\xc3\x28":1}', "invalid UTF-8", 2),
        (b'{"a":"\xc0\xaf"}', "invalid UTF-8", 6), (b'{"a":"\xed\xa0\x80"}', "invalid UTF-8", 6),
        (b'{"a":"\xf4\x90\x80\x80"}', "invalid UTF-8", 6), (b'{"a":"\xf0\x9f', "invalid UTF-8", 6),
        (EXAMPLE.decode().encode("utf-16"), "invalid UTF-8", 0),
        (b"\xef\xbb\xbf" + EXAMPLE, "invalid token near '\ufeff'", 3),
        (b'{"a":"\\ud800"}', "invalid Unicode '\\uD800' near '\"\\ud800\"'", 13),
        (b'{"a":"\\u0000"}', "\\u0000 is not allowed without JSON_ALLOW_NUL near '\"\\u0000\"'", 13),
        (b"   ", "unexpected token near end of file", 3)])
    def test_bodies_that_are_no_text(self, client, body, why, offset):
        check_json_invalid(post(client, body), why, offset)

    @pytest.mark.parametrize("path", [f"{LIST}/%ff%fe", f"{LIST}/\xff", f"{LIST}/%ed%a0%80/history", "/api/v1/%ff"])
    def test_paths_that_are_no_text(self, client, path):
        answer = send(client, head(path, "GET", content_type=None))
        assert answer.status == 404 and answer.error_code in ("not_found", "project_not_found")
        check(answer, 404, answer.error_code, answer.detail)

    def test_queries_that_are_no_text(self, client):
        for name, value in (("limit", "%ff"), ("q", "%ff%00"), ("q", "abc%00def"), ("q", "%00"), ("q", "caf%c3"), ("status", "%00draft")):
            answer = send(client, head(f"{LIST}?offset=0&{name}={value}", "GET", content_type=None))
            [error] = answer.detail
            assert (answer.status, error["type"], error["loc"]) == (422, "string_type", ["query", name])
        assert send(client, head(f"{LIST}?q=caf%c3%a9%01", "GET", content_type=None)).status == 200

    @pytest.mark.parametrize("value", [b"\xff\xfe1", b"\xc3(", b"192.0.2.1, \xe2\x82, 192.0.2.2", b"\xed\xa0\x80"])
    @pytest.mark.parametrize("name", [
        "X-Forwarded-For", "X-Request-ID", "Accept-Language", "Origin", "Authorization", "X-API-Key", "If-Match",
        "User-Agent", "Cookie", "Referer", "Access-Control-Request-Method", "Access-Control-Request-Headers"])
    def test_headers_that_are_no_text(self, client, name, value):
        """Whatever is echoed, the answer is JSON and its headers are printable."""
        request_id = None if name == "X-Request-ID" else "m"
        for method, path in (("GET", "/api/v1/diagnostics"), ("OPTIONS", "/api/v1/diagnostics"), ("GET", "/nothing/there.x")):
            more = f"{name}: ".encode() + value + b"\r\n"
            answer = send(client, head(path, method, content_type=None, more=more, request_id=request_id), method=method)
            assert answer.status in (200, 400, 404, 405), answer
            assert all(v.isprintable() and v.isascii() for _, v in answer.header_list), answer.header_list
            if answer.headers["Content-Type"] == "application/json":
                assert isinstance(read_json(answer.body), dict)
            if request_id:
                assert answer.headers["X-Request-ID"] == request_id

    def test_the_forwarded_chain_is_shown_as_far_as_it_is_text(self, client):
        more = b"X-Forwarded-For: \xff\xfe1, \xc3(, caf\xc3\xa9\r\n"
        answer = send(client, head("/api/v1/diagnostics", "GET", content_type=None, more=more))
        assert read_json(answer.body)["network"]["forwarded_for_chain"] == ["\ufffd\ufffd1", "\ufffd(", "caf\u00e9"]


class TestSize:
    @pytest.mark.parametrize("send_it", [post, post_in_chunks])
    @pytest.mark.parametrize("over", [1, 4096, 70_000, 2_000_000])
    def test_bodies_over_the_cap(self, client, send_it, over):
        """Refused by the responder or, when far above, by nginx: in the same words."""
        answer = send_it(client, EXAMPLE + b" " * (CAP + over - len(EXAMPLE)))
        check(answer, 413, "request_body_too_large", f"Request body exceeds limit of {CAP} bytes")

    @pytest.mark.parametrize("send_it", [post, post_in_chunks])
    def test_the_largest_body(self, client, send_it):
        answer = send_it(client, EXAMPLE + b" " * (CAP - len(EXAMPLE)))
        assert (answer.status, answer.body) == (200, ANSWER)

    @pytest.mark.parametrize("body, offset", [
        (b"[" * 1_000_000, 32), (b"[" * 500_000 + b"]" * 500_000, 32), (b'{"a":' * 200_000, 160),
        (b'{"observed_counts":' + b"[" * 1_000_000, 50)])
    def test_nesting(self, client, body, offset):
        check_json_invalid(post(client, body), "nested too deeply", offset)

    @pytest.mark.parametrize("more", [
        b"X-A: " + b"x" * 60_000 + b"\r\n", b"".join(b"X-%d: %b\r\n" % (i, b"x" * 600) for i in range(100)),
        b"Cookie: " + b"x" * 60_000 + b"\r\n", b"Authorization: Bearer " + b"x" * 60_000 + b"\r\n",
        b"X-Forwarded-For: " + b"192.0.2.1, " * 5_500 + b"\r\n"])
    def test_headers_of_60_kB(self, client, more):
        answer = send(client, head(length=len(EXAMPLE), more=more) + EXAMPLE)
        check(answer, 431, "http_error", "The request headers are too large")

    def test_ten_thousand_query_parameters(self, client):
        query = "&".join(f"p{i}={i}" for i in range(10_000))
        answer = send(client, head(f"{SRM}?{query}", length=len(EXAMPLE)) + EXAMPLE)
        check(answer, 414, "http_error", "The address is too long", answer.headers["X-Request-ID"])

    def test_as_many_query_parameters_as_fit(self, client):
        """They all count, the last of a name; unknown ones are named once."""
        answer = send(client, head(f"{LIST}?{'limit=2&' * 970}limit=1", "GET", content_type=None))
        assert answer.status == 200 and read_json(answer.body)["limit"] == 1
        answer = send(client, head(f"{LIST}?{'a&' * 3900}limit=1", "GET", content_type=None))
        assert answer.status == 422 and [error["loc"] for error in answer.detail] == [["query", "a"]]

    def test_a_hundred_thousand_keys(self, client):
        """The first of the errors, and how many there are."""
        body = json.dumps({f"{i:x}": 1 for i in range(100_000)}, separators=(",", ":"))
        answer = post(client, body.encode())
        errors = answer.detail
        echo = body[:256] + "\u2026"
        assert errors[:2] == [{"type": "missing", "msg": "Field required", "loc": ["body", name], "input": echo}
                              for name in ("observed_counts", "expected_fractions")]
        assert errors[2] == {"type": "extra_forbidden", "msg": "Extra inputs are not permitted", "loc": ["body", "0"],
                             "input": 1}
        assert {error["type"] for error in errors[2:]} == {"extra_forbidden"} and len(errors) <= 1001
        check(answer, 422, "validation_error", errors)


class TestNumbers:
    @pytest.mark.parametrize("number, why, offset", [
        (b"1e400", "real number overflow near '1e400'", 58), (b"-1e400", "real number overflow near '-1e400'", 59),
        (b"9" * 400, "real number overflow", 453), (b"1e" + b"9" * 1000, "real number overflow", 1055),
        (b"NaN", "invalid token near 'NaN'", 56), (b"-Infinity", "invalid token near '-'", 54),
        (b"0x10", "']' expected near 'x'", 55), (b"01", "invalid token near '0'", 54), (b"1.", None, None),
        (b".5", None, None), (b"1e", None, None), (b"--1", None, None)])
    def test_numbers_that_are_none(self, client, number, why, offset):
        answer = post(client, b'{"observed_counts":[10,10],"expected_fractions":[0.5,%b]}' % number)
        if why is None:
            why, offset = answer.detail[0]["ctx"]["error"], answer.detail[0]["loc"][1]
        check_json_invalid(answer, why, offset)

    def test_integers_beyond_what_counts(self, client):
        answer = post(client, b'{"observed_counts":[10,123456789012345678901234567890],"expected_fractions":[0.5,0.5]}')
        check(answer, 422, "validation_error", [{
            "type": "less_than_equal", "msg": "Input should be less than or equal to 9007199254740992",
            "ctx": {"le": 9007199254740992}, "loc": ["body", "observed_counts", 1], "input": 1.2345678901234568e+29}])

    def test_too_small_to_be_told_from_nothing(self, client):
        answer = post(client, b'{"observed_counts":[10,1e-400],"expected_fractions":[0.5,0.5]}')
        assert answer.status == 200 and read_json(answer.body)["observed_counts"] == [10, 0]


class TestTransfer:
    @pytest.mark.parametrize("content_type", [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx",
        "text/json-ish", "a\xff", "application/", ";"])
    def test_other_content_types(self, client, content_type):
        check(post(client, EXAMPLE, content_type=content_type), 422, "validation_error", [NOT_JSON])

    def test_no_body(self, client):
        missing = [{"type": "missing", "msg": "Field required", "loc": ["body"], "input": None}]
        check(post(client, b""), 422, "validation_error", missing)
        check(send(client, head()), 422, "validation_error", missing)

    @pytest.mark.parametrize("rest", [b"zz\r\n{}\r\n0\r\n\r\n", b"-1\r\n{}\r\n0\r\n\r\n", b"2\r\n{}xx0\r\n\r\n",
                                      b"f" * 30 + b"\r\n{}\r\n"])
    def test_chunks_that_are_none(self, client, rest):
        answer = send(client, head(more=b"Transfer-Encoding: chunked\r\n") + rest)
        check(answer, 400, "bad_request", "The request could not be understood")

    @pytest.mark.parametrize("data", [
        head(more=b"Transfer-Encoding: chunked\r\n") + b"3a\r\n" + EXAMPLE,
        head(more=b"Transfer-Encoding: chunked\r\n") + b"3a\r\n" + EXAMPLE + b"\r\n",
        head(more=b"Transfer-Encoding: chunked\r\n") + b"ff", head(length=100) + EXAMPLE])
    def test_bodies_that_break_off(self, client, data):
        """Whoever leaves in the middle of a question gets no answer, and no worker has seen it."""
        log = client.stack.logs("experiments-analysis")
        host, port = client.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=15) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            assert client.read_answer(connection, "POST", SRM, checked=False) is None
        assert client.stack.logs("experiments-analysis") == log
