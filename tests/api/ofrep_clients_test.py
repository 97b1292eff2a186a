"""Unmodified providers of OpenFeature evaluate flags: those for servers (Python and Node) and the one for browsers, with their
SDKs, against the running service."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import requests

from conftest import TOKENS
from flag_fixtures import EVALUATE, VALUES, Flag
from live_test import design
from project_fixtures import expect

pytest_plugins = ["store_fixtures"]

CLIENTS = Path(__file__).resolve().parents[1] / "ofrep_clients"
SHOP = "https://shop.example"
FORCED = {"forced": [{"user_id": "forced", "variation_index": 1}]}
RULES = [{"attribute": "country", "operator": "equals", "value": "DE"}]
ERROR = {"variant": None, "reason": "ERROR", "metadata": {}}
PROGRAMS = {"python": ("python/bin/python", "python/evaluate.py"), "node": ("node", "node/evaluate.mjs"),
            "web": ("node", "node/evaluate_web.mjs")}


@pytest.fixture(scope="module")
def environments():
    made = subprocess.run([CLIENTS / "install"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


class Shop:
    """A service that asks for credentials, with flags of every type."""

    def __init__(self, store):
        self.store = store
        numbers = {"integer": [10, 20], "float": [10.5, 20.25]}
        kinds = {"boolean": "boolean", "string": "string", "object": "object", "integer": "number", "float": "number"}
        self.flags = {name: Flag(store.write, kind, **FORCED) for name, kind in kinds.items()}
        for name, values in numbers.items():
            self.flags[name].set(variants=[{"name": ["control", "treatment"][i], "value": v} for i, v in enumerate(values)])
        self.flags |= {
            "split": Flag(store.write, "string"),
            "targeted": Flag(store.write, "string", sent=design(setup={"targeting_rules": RULES})),
            "off": Flag(store.write, enabled=False), "fixed": Flag(store.write, fixed_variation=1)}
        self.values = {**VALUES, **numbers}

    def issue(self, kind="split", **members):
        key = self.store.write.post(self.flags[kind].path("client-keys"), {"name": "page", "origins": [SHOP], **members})
        return expect(key)["client_key"]

    def told_by(self, environments, name, tmp_path):
        program, script = PROGRAMS[name]
        interpreter = environments / program if "/" in program else program
        asked = subprocess.run([interpreter, environments / script], capture_output=True, text=True, timeout=120, env={
            "PATH": os.environ["PATH"], "HOME": str(tmp_path), "FLAGS_URL": self.store.client.url, "FLAGS_ORIGIN": SHOP,
            "FLAGS_TOKEN": TOKENS["AB_API_TOKEN"], "FLAGS_CLIENT": self.issue(),
            "FLAGS_LIMITED": self.issue(rate_limit_requests=2, rate_limit_window_seconds=3600),
            "FLAGS_KEYS": json.dumps({name: flag.key for name, flag in self.flags.items()})})
        assert asked.returncode == 0, asked.stderr
        return json.loads(asked.stdout.strip().splitlines()[-1])

    def forced(self, kind):
        """What a user gets who is forced into the treatment."""
        return self.got(kind, "TARGETING_MATCH", 1, inside=False)

    def got(self, name, reason, index, inside=True):
        return {"value": self.values[name if name in self.values else "string"][index], "variant": ["control", "treatment"][index],
                "reason": reason, "error": None, "metadata": {
                    "experimentId": self.flags[name].id, "variationIndex": index, "inExperiment": inside}}

    def assigned(self, name, user, **attributes):
        answer = self.store.write.post(self.flags[name].path("assign"), {"user_id": user, "attributes": attributes})
        return expect(answer)["variation_index"]


@pytest.fixture(scope="module")
def shop(stores):
    """Limits are on; only the keys that are made with one reach theirs."""
    store = stores.get("sqlite", {**TOKENS, "AB_RATE_LIMIT_REQUESTS": 100000, "AB_AUTH_FAILURE_LIMIT": 100000})
    return Shop(store)


def check_values(shop, told, user, reason_of_errors):
    for kind in ("boolean", "string", "integer", "float", "object"):
        assert told[kind] == shop.forced(kind), kind
    assert told["off"] == {**shop.got("off", "DISABLED", 0, inside=False), "value": False}
    assert told["fixed"] == {**shop.got("fixed", "STATIC", 1, inside=False), "value": True}
    index = shop.assigned("split", user)
    assert told["split"] == shop.got("split", "SPLIT", index)
    assert told["unknown"]["error"] == "FLAG_NOT_FOUND" and told["unknown"]["value"] is True
    assert told["unknown"]["reason"] == reason_of_errors


@pytest.mark.parametrize("name", ["python", "node"])
def test_providers_for_servers(shop, environments, name, tmp_path):
    before = {flag: sum(shop.flags[flag].arms().values()) for flag in ("split", "targeted", "boolean")}
    told = shop.told_by(environments, name, tmp_path)
    check_values(shop, told, f"{name}-user", "ERROR")
    assert told["targeted"] == shop.got("targeted", "TARGETING_MATCH", shop.assigned("targeted", f"{name}-user", country="DE"))
    assert told["outside"] == shop.got("targeted", "DEFAULT", 0, inside=False)
    assert (told["wrong type"]["error"], told["wrong type"]["value"]) == ("TYPE_MISMATCH", True)
    assert (told["nobody"]["error"], told["nobody"]["value"]) == ("TARGETING_KEY_MISSING", "mine")
    assert (told["unauthorized"]["error"], told["unauthorized"]["value"]) == ("GENERAL", True)
    assert told["limited"] == [[False, None]] * 2 + [[True, "GENERAL"]] * 2
    after = {flag: sum(shop.flags[flag].arms().values()) for flag in before}
    assert {flag: after[flag] - before[flag] for flag in before} == {"split": 2, "targeted": 1, "boolean": 0}


def test_the_provider_for_browsers(shop, environments, tmp_path):
    before = {name: flag.arms() for name, flag in shop.flags.items()}
    told = shop.told_by(environments, "web", tmp_path)
    check_values(shop, told, "web-user", "ERROR")
    assert told["outside"] == shop.got("targeted", "DEFAULT", 0, inside=False)
    assert told["foreign"]["error"] == "FLAG_NOT_FOUND"
    # status, whether the client showed a tag, whether the answer has one
    assert told["first"] == [[200, False, True]]
    assert told["again"] == [[304, True, True]] and told["after again"] == told["string"]
    assert told["changed"] == [[200, False, True]]
    assert told["unauthorized"] == [[401, False, False]]
    assert told["limited"][:3] == [200, 200, 429] and set(told["limited"]) == {200, 429}
    assert {name: flag.arms() for name, flag in shop.flags.items()} == before  # it records nothing


def test_a_page_reports_what_it_shows(shop):
    """The track route with the key of a page, as its preflight and its call come from a browser."""
    flag, page = shop.flags["split"], shop.store.as_token(shop.issue()).with_headers({"Origin": SHOP})
    before = sum(flag.arms().values())
    for exposure in ("recorded", "known"):
        told = expect(flag.track("a page's user", page, events=[{"name": "purchase", "key": "page-order"}]))
        assert (told["exposure"], told["recorded"]) == (exposure, exposure == "recorded")
    assert sum(flag.arms().values()) == before + 1


def test_below_the_portal_a_credential_is_always_asked_for(shop):
    """The same routes under the portal's prefix."""
    flag, url = shop.flags["split"], shop.store.stack.area_url("experiments")

    def ask(token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return requests.post(f"{url}{EVALUATE}/{flag.key}", json={"context": {"targetingKey": "below"}}, headers=headers,
                             timeout=30)

    assert (ask().status_code, ask().json()["errorCode"]) == (401, "GENERAL")
    assert ask("no-such-token").status_code == 401
    for token in (shop.issue(), TOKENS["AB_API_TOKEN"]):
        assert ask(token).json()["metadata"]["variationIndex"] == shop.assigned("split", "below")
