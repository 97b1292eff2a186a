"""Routes as tools of language models (MCP): official clients unmodified, on each service and on the whole suite; each tool's
schema is the route's; a call is allowed exactly where the route allows it; what is not MCP is refused."""

import json
import os
import re
import subprocess
import uuid
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
import requests

from caller import Caller
from client import Client
from contract_test import OF_ANALYSES, OF_DELIVERIES, OF_TURNS, of_evaluation, of_platform
from openapi import Document
from people import People
from people_access_test import AREAS as PEOPLE_AREAS
from people_access_test import COMMON, KINDS, LOCKED, SERVICES, TABLES
from service import Service

CLIENTS = Path(__file__).resolve().parents[1] / "mcp_clients"
AREAS = ("experiments", "support", "data", "models")
VERSIONS = ["2025-11-25", "2025-06-18", "2026-07-28"]


@pytest.fixture(scope="module")
def suite():
    settings = {**COMMON, **LOCKED, "ASSAY_MCP_ANSWER_BYTES": "20000", "ASSAY_MCP_PAGE_TOOLS": "50"}
    with Service(SERVICES[0], settings, services=SERVICES) as service:
        yield service


@pytest.fixture(scope="module")
def people(suite):
    store = People(suite.stack)
    return {"admin": store.add("root", **dict.fromkeys((*AREAS, "suite"), "admin")),
            "viewer": store.add("viewer", **dict.fromkeys(AREAS, "viewer")),
            "reading": store.add("reading", read_only=True, **dict.fromkeys(AREAS, "admin"))}


def install():
    made = subprocess.run([CLIENTS / "install"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


@pytest.fixture(scope="module")
def environments():
    return install()


def address(suite, service=None):
    return (suite.stack.portal_url if service is None else suite.stack.area_url(service)) + "/mcp"


def post(url, message, token=None, **headers):
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    body = message if isinstance(message, (str, bytes)) else json.dumps(message)
    return requests.post(url, data=body, headers=sent, timeout=60)


def ask(url, method, params=None, token=None, **headers):
    answer = post(url, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}, token, **headers)
    assert answer.headers["Content-Type"] == "application/json", answer.text
    assert answer.json()["id"] == 7
    return answer


def call(url, name, arguments=None, token=None):
    return ask(url, "tools/call", {"name": name, "arguments": arguments or {}}, token)


def list_tools(url, **query):
    tools, cursor = [], None
    while True:
        params = {} if cursor is None else {"cursor": cursor}
        page = requests.post(url, params=query, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params},
                             timeout=60).json()["result"]
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if cursor is None:
            return tools


def operations(suite, service):
    document = requests.get(suite.stack.area_url(service) + "/openapi.json", timeout=60).json()
    return document, {one["operationId"]: (method, path, one)
                      for path, item in document["paths"].items() for method, one in item.items()}


def use(environments, url, token=None, calls=None, **more):
    program = ["node", "node/use.mjs"] if "MCP_CLIENT" in more else [environments / "python/bin/python", "python/use.py"]
    done = subprocess.run([program[0], environments / program[1]], capture_output=True, text=True, timeout=300, env={
        "PATH": os.environ["PATH"], "HOME": str(environments), "MCP_URL": url, "MCP_TOKEN": token or "",
        "MCP_CALLS": json.dumps(calls or {}), **more})
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("client", [{"MCP_MODE": "legacy"}, {"MCP_MODE": "auto"}, {"MCP_CLIENT": "sdk"}, {"MCP_CLIENT": "client"}],
                         ids=["python", "python newest", "node sdk", "node client"])
def test_official_clients_call_everything_that_reads(suite, people, environments, client):
    """They check each answer against the schema that the tool was listed with."""
    for service in SERVICES:
        told = use(environments, address(suite, service), people["admin"].token, **client)
        assert told["tools"] == [tool["name"] for tool in list_tools(address(suite, service))]
        assert len(told["results"]) > 15 and told["prompts"]
        raised = {name: one["raised"] for name, one in told["results"].items() if "raised" in one}
        assert not raised, raised
        good = [name for name, one in told["results"].items() if not one["error"]]
        assert len(good) > len(told["results"]) / 2, told["results"]
        if "MCP_MODE" in client:
            assert told["version"] == {"legacy": "2025-11-25", "auto": "2026-07-28"}[client["MCP_MODE"]]


def test_the_suite_has_chosen_tools_and_leads_to_the_others(suite, people, environments, project):
    made = call(address(suite), "call_tool", {"name": "experiments_create_project", "arguments": {**project, "confirm_call": True}},
                people["admin"].token).json()["result"]
    assert made["isError"] is False, made
    told = use(environments, address(suite), people["admin"].token, MCP_MODE="auto", calls={
        "find_tool": {"query": "check the split of traffic between variants"},
        "call_tool": {"name": "experiments_srm_check",
                      "arguments": {"observed_counts": [4800, 5200], "expected_fractions": [0.5, 0.5]}},
        "livedata_get_catalog": {}})
    assert len(told["tools"]) <= 40 and {"find_tool", "call_tool"} <= set(told["tools"])
    assert "experiments_srm_check" not in told["tools"]
    assert "experiments_srm_check" in [one["name"] for one in told["results"]["find_tool"]["structure"]["tools"][:3]]
    assert told["results"]["call_tool"]["structure"]["p_value"] < 0.001
    assert told["prompts"] == ["size_test", "check_decision", "what_changed"] and "checkout & <button>" in told["prompt"]
    assert told["resources"][0].startswith("assay://experiments/projects/")
    assert told["read"]["id"] == made["structuredContent"]["id"]
    everything = {tool["name"] for tool in list_tools(address(suite), tools="all")}
    assert everything >= set(told["tools"])
    for service in SERVICES:
        own = {f"{service}_{tool['name']}" for tool in list_tools(address(suite, service))}
        assert {name for name in everything if name.startswith(f"{service}_")} == own


@pytest.fixture(scope="module")
def project(suite):
    document = suite.document
    return document.example(document.find("POST", "/api/v1/projects"))


def resolve(document, schema):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def with_definitions(schema):
    return json.loads(json.dumps(schema).replace("#/components/schemas/", "#/$defs/"))


@pytest.mark.parametrize("service", SERVICES)
def test_each_schema_is_that_of_the_route(suite, service):
    document, routes = operations(suite, service)
    tools = list_tools(address(suite, service))
    assert len(tools) > 55
    for tool in tools:
        method, _, route = routes[tool["name"]]
        properties = tool["inputSchema"]["properties"]
        reads = tool["annotations"]["readOnlyHint"]
        expected = {"answer_from" if reads else "confirm_call"}
        for parameter in route["parameters"]:
            if parameter["name"] == "If-None-Match":
                continue  # nothing is kept here
            name = parameter["name"].lower().replace("-", "_") if parameter["in"] == "header" else parameter["name"]
            expected.add(name)
            assert properties[name] == parameter["schema"]
        content = next(iter(route.get("requestBody", {}).get("content", {}).items()), None)
        if content:
            body = resolve(document, content[1]["schema"])
            if content[0] == "application/json" and "properties" in body:
                expected |= set(body["properties"])
                for name, schema in body["properties"].items():
                    assert properties[name] == with_definitions(schema) or name in [p["name"] for p in route["parameters"]]
            else:
                expected.add("body")
        assert set(properties) == expected, tool["name"]
        assert reads == route["x-assay"]["reads"] and (reads or method != "get") and (not reads or method in ("get", "post"))
        for name in re.findall(r'"#/\$defs/([^"]+)"', json.dumps(tool)):
            assert name in {**tool["inputSchema"].get("$defs", {}), **tool.get("outputSchema", {}).get("$defs", {})}
        if "outputSchema" in tool:
            answer = next(one for status, one in route["responses"].items() if status[0] == "2")["content"]["application/json"]
            given = tool["outputSchema"]["anyOf"][0]
            assert with_definitions(answer["schema"]) == given.get("properties", {}).get("items", given)
            assert len(tool["outputSchema"]["anyOf"]) == 1 + reads


def status_of(answer):
    """What the route said, however the tool has told it."""
    if answer.status_code == 401:
        return 401
    result = answer.json()["result"]
    return result["_meta"]["assay/status"] if result["isError"] else 200


@pytest.mark.parametrize("service, kind", [(service, kind) for service in SERVICES for kind in [*KINDS[service], "nobody"]])
def test_a_tool_is_allowed_where_the_table_allows_its_route(suite, people, service, kind):
    """The tables of docs/operate/authorisation.md (people_access_test.py walks them over HTTP) hold for every tool."""
    role, more = KINDS[service].get(kind, (None, {}))
    person = None if kind == "nobody" else People(suite.stack).add(
        f"{service}-{kind}".replace(" ", "-").replace(":", ""), **more, **({PEOPLE_AREAS[service]: role} if role else {}))
    _, routes = operations(suite, service)
    wrong = []
    for tool in list_tools(address(suite, service)):
        method, path, _ = routes[tool["name"]]
        arguments = {**dict.fromkeys(re.findall(r"{(\w+)}", path), str(uuid.uuid4())),
                     **({} if tool["annotations"]["readOnlyHint"] else {"confirm_call": True})}
        if "body" in tool["inputSchema"]["properties"] and not re.search("{body}", path):
            arguments["body"] = "" if tool["inputSchema"]["properties"]["body"].get("type") == "string" else {}
        answer = call(address(suite, service), tool["name"], arguments, person and person.token)
        cell = TABLES[service][method.upper(), path][kind].rstrip("*")
        status = status_of(answer)
        if status != int(cell) if cell.isdigit() else status in (401, 403):
            wrong.append((tool["name"], status, cell, answer.text[:200]))
    assert not wrong, wrong


class Tools:
    """The tools of one service; what succeeds fits the schema that the tool was listed with."""

    def __init__(self, suite, service, token):
        self.url, self.token, self.succeeded = address(suite, service), token, set()
        self.listed = {tool["name"]: tool for tool in list_tools(self.url)}

    def call(self, name, arguments):
        tool = self.listed[name]
        confirmed = {} if tool["annotations"]["readOnlyHint"] else {"confirm_call": True}
        answer = call(self.url, name, {**arguments, **confirmed}, self.token).json()
        assert "result" in answer, (name, answer)
        result = answer["result"]
        if not result["isError"]:
            self.succeeded.add(name)
            if "outputSchema" in tool:
                schema = tool["outputSchema"]
                found = [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(result["structuredContent"])]
                assert not found, (name, found[:3])
        return result


class Personal(Client):
    """Sends the token of a person, whatever the caller would send."""

    def __init__(self, suite, token):
        super().__init__(suite.stack, Document(operations(suite, "experiments")[0]))
        self.token = token

    def send(self, method, path, headers=None, **options):
        return super().send(method, path, headers={**(headers or {}), "Authorization": f"Bearer {self.token}"}, **options)


class ToolCaller(Caller):
    """Calls operations as tools of MCP where they are tools, else as they are."""

    def __init__(self, client, tools):
        super().__init__(client)
        self.tools = tools

    def send(self, operation, path, value=None, **options):
        if operation.name not in self.tools.listed or operation.path.endswith("/lines"):
            return super().send(operation, path, value, **options)
        values = re.fullmatch(re.sub(r"{\w+}", "([^/]+)", operation.path), path).groups()
        arguments = dict(zip(re.findall(r"{(\w+)}", operation.path), values), **(value or {}))
        result = self.tools.call(operation.name, arguments)
        status = result["_meta"]["assay/status"] if result["isError"] else operation.success
        return SimpleNamespace(status=status, json=lambda: result.get("structuredContent"), text=result)


def test_every_tool_of_experiments_answers_by_its_schema(suite, people):
    """On what is made for it: the same calls that contract_test.py makes."""
    tools = Tools(suite, "experiments", people["admin"].token)
    caller = ToolCaller(Personal(suite, people["admin"].token), tools)
    for operation in caller.document.operations:
        special = operation.name in OF_ANALYSES | OF_DELIVERIES | OF_TURNS or of_platform(operation) or of_evaluation(operation)
        if operation.name in tools.listed and not special and not operation.path.startswith("/api/v1/workspace/"):
            assert caller.succeed(operation).status == operation.success, operation.name
    assert len(tools.succeeded) > 90, sorted(set(tools.listed) - tools.succeeded)


@pytest.mark.parametrize("service", SERVICES[1:])
def test_every_tool_takes_the_example_of_its_body(suite, people, service):
    """With ids that nobody has; whatever succeeds fits its schema, and nothing fails but by a refusal of its route."""
    document = Document(operations(suite, service)[0])
    tools = Tools(suite, service, people["admin"].token)
    for operation in document.operations:
        if operation.name not in tools.listed:
            continue
        body = document.body_schema(operation) and document.example(operation)
        arguments = {**dict.fromkeys(re.findall(r"{(\w+)}", operation.path), "none-such"), **(body if isinstance(body, dict) else {})}
        result = tools.call(operation.name, arguments)
        assert not result["isError"] or result["_meta"]["assay/status"] in (*range(400, 430), 503), (operation.name, result)
    assert len(tools.succeeded) > 20, sorted(tools.succeeded)


def test_a_token_that_reads_computes(suite, people):
    url, token = address(suite), people["reading"].token
    calls = {"experiments_srm_check": {"observed_counts": [4800, 5200], "expected_fractions": [0.5, 0.5]},
             "livedata_query": {"metric": "none_such"}}
    for name, arguments in calls.items():
        told = call(url, "call_tool", {"name": name, "arguments": arguments}, token).json()["result"]
        assert not told["isError"] or told["_meta"]["assay/status"] in (404, 422), told
    # What records, orders or deletes something is no reading, whatever its method.
    tools = {tool["name"]: tool for tool in list_tools(address(suite, "experiments"))}
    assert tools["preview_flag"]["annotations"]["readOnlyHint"] and tools["evaluate_flags"]["annotations"]["readOnlyHint"]
    for name in ("evaluate_flag", "delete_results_file_task"):
        assert not tools[name]["annotations"]["readOnlyHint"], name


def test_a_tool_answers_in_one_piece(suite, people):
    """A stream is no result of a tool, and costs tokens."""
    bodies = {"chat_completions": {"messages": [{"role": "user", "content": "x"}]}, "messages": {"messages": []},
              "responses": {"input": "x"}, "completions": {"prompt": "x"}}
    for name, body in bodies.items():
        told = call(address(suite, "orchestrator"), name, {"model": "x", "stream": True, "confirm_call": True, **body},
                    people["admin"].token).json()["result"]
        assert told["isError"] and told["content"][0]["text"].startswith("stream: "), (name, told)


def test_a_body_that_is_no_text_is_refused(suite, people):
    url = address(suite, "experiments")
    taken = [tool for tool in list_tools(url) if tool["inputSchema"]["properties"].get("body", {}).get("type") == "string"]
    assert taken
    for tool in taken:
        arguments = {**dict.fromkeys(tool["inputSchema"].get("required", []), "x"), "confirm_call": True, "body": {"events": []}}
        told = call(url, tool["name"], arguments, people["admin"].token).json()["result"]
        assert told["isError"] and told["content"][0]["text"] == "body: it must be a text", (tool["name"], told)


def test_what_changes_something_is_confirmed(suite, people, project):
    url, token = address(suite, "experiments"), people["admin"].token
    before = call(url, "list_projects", {}, token).json()["result"]["structuredContent"]
    told = call(url, "create_project", project, token).json()["result"]
    assert told["isError"] and "confirm_call" in told["content"][0]["text"]
    assert call(url, "list_projects", {}, token).json()["result"]["structuredContent"] == before
    refused = call(url, "create_project", {"confirm_call": True, "nonsense": 1}, token).json()["result"]
    assert refused["isError"] and refused["_meta"]["assay/status"] == 422 and "nonsense" in refused["content"][0]["text"]
    unknown = call(url, "read_project", {"project_id": "x", "nonsense": 1}, token).json()["result"]
    assert unknown["isError"] and "nonsense" in unknown["content"][0]["text"]
    for project_id in ("../keys", "a/b", "..", ""):
        assert call(url, "read_project", {"project_id": project_id}, token).json()["result"]["isError"]


def test_a_long_answer_comes_in_parts(suite, people):
    url, token = address(suite, "livedata"), people["admin"].token
    whole = requests.get(suite.stack.area_url("livedata") + "/openapi.json", timeout=60).text
    text, at = "", 0
    while at is not None:
        result = call(url, "openapi", {"answer_from": at}, token).json()["result"]
        assert len(result["content"][0]["text"].encode()) <= 20000
        text += result["content"][0]["text"]
        following = re.search(r"answer_from=(\d+)", result["content"][1]["text"]) if len(result["content"]) > 1 else None
        at = int(following.group(1)) if following else None
    assert json.loads(text)["paths"] == json.loads(whole)["paths"]


def test_whoever_is_unknown_learns_where_to_sign_in(suite, people):
    for url in (address(suite), *(address(suite, one) for one in SERVICES)):
        answer = ask(url, "initialize", {"protocolVersion": "2025-11-25"})
        place = url.replace(suite.stack.portal_url, suite.stack.portal_url + "/.well-known/oauth-protected-resource")
        assert answer.status_code == 401 and answer.headers["WWW-Authenticate"] == f'Bearer resource_metadata="{place}"'
        assert requests.get(place, timeout=60).json()["resource"] == url
        assert ask(url, "initialize", {}, "assay_wrong").status_code == 401
        assert ask(url, "initialize", {}, people["reading"].token).status_code == 200, url
    answer = call(address(suite), "experiments_list_projects")
    assert answer.status_code == 401 and "resource_metadata" in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize(("sent", "status", "code"), [
    ("{", 400, -32700), ("\xff", 400, -32700), ([], 400, -32600), ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], 400, -32600),
    ({"id": 1, "method": "ping"}, 400, -32600), ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1}, 400, -32600), ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": "nonsense"}, 200, -32601),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nonsense"}}, 200, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}, 200, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "-1"}}, 200, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "999999"}}, 200, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "size_test"}}, 200, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}, 200, -32002),
])
def test_what_is_no_message_is_an_error(suite, sent, status, code):
    answer = post(address(suite, "experiments"), sent.encode("latin-1") if isinstance(sent, str) else sent)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text


def test_the_transport(suite):
    url = address(suite, "experiments")
    assert post(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert post(url, {"jsonrpc": "2.0", "id": 1, "result": {}}).status_code == 202
    for method in ("GET", "DELETE"):  # no stream, no session
        answer = requests.request(method, url, headers={"Accept": "text/event-stream"}, timeout=60)
        assert answer.status_code == 405 and "POST" in answer.headers["Allow"]
    assert ask(url, "ping").json()["result"] == {}
    assert ask(url, "ping", **{"MCP-Protocol-Version": "2025-06-18"}).status_code == 200
    wrong = ask(url, "ping", **{"MCP-Protocol-Version": "1999-01-01"})
    assert wrong.status_code == 400 and wrong.json()["error"]["data"]["supported"] == VERSIONS
    assert requests.post(url, data="x" * 3000000, timeout=60).status_code == 413
    for origin in ("https://evil.example", "null"):
        assert post(url, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, Origin=origin).status_code == 403
    rebound = post(url, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, Origin="http://evil.example", Host="evil.example")
    assert rebound.status_code == 403, "whatever name its page has given this host"
    assert post(url, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, Origin=suite.stack.portal_url).status_code == 200


def test_revision_2026_07_28_says_its_version_in_each_request(suite, people):
    url, token = address(suite, "experiments"), people["admin"].token
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}
    told = ask(url, "server/discover", {"_meta": meta}, token, **headers).json()["result"]
    assert told["supportedVersions"] == VERSIONS and told["resultType"] == "complete" and told["ttlMs"] == 0
    for missing, code in (("Mcp-Method", -32020), ("MCP-Protocol-Version", -32020)):
        answer = ask(url, "server/discover", {"_meta": meta}, token, **{k: v for k, v in headers.items() if k != missing})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    answer = ask(url, "nonsense", {"_meta": meta}, token, **{**headers, "Mcp-Method": "nonsense"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)
    answer = ask(url, "server/discover", {}, token, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)
    call_headers = {**headers, "Mcp-Method": "tools/call", "Mcp-Name": "other"}
    answer = ask(url, "tools/call", {"_meta": meta, "name": "list_metrics"}, token, **call_headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)


def test_what_is_typed_is_completed(suite, people, project):
    """By what the caller may list, in prompts and in addresses of resources."""
    url, token = address(suite), people["admin"].token
    made = call(url, "experiments_create_project", {**project, "confirm_call": True}, token).json()["result"]["structuredContent"]

    def values(reference, argument, typed, caller=token):
        told = ask(url, "completion/complete", {"ref": reference, "argument": {"name": argument, "value": typed}}, caller).json()
        return told["result"]["completion"]["values"] if "result" in told else told["error"]["code"]

    prompt = {"type": "ref/prompt", "name": "check_decision"}
    name = made["project_name"]
    assert name in values(prompt, "experiment", name[:3].upper()) and values(prompt, "experiment", name + "x") == []
    template = {"type": "ref/resource", "uri": "assay://experiments/projects/{id}"}
    assert made["id"] in values(template, "id", made["id"][:8])
    assert values({"type": "ref/prompt", "name": "size_test"}, "metric", "a") == []
    assert values(prompt, "nonsense", "a") == values(template, "nonsense", "a") == values({"type": "ref/prompt"}, "id", "") == -32602
    assert values(template, "id", "", "assay_wrong") in ([], -32001)
