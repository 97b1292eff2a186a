"""Whom a design lets in: rules and groups of rules, alike for one flag, for all flags and for `assign`. On both
engines."""

import pytest

from flag_fixtures import EVALUATE, Flag
from live_test import design
from project_fixtures import PROJECTS, create, expect, payload

pytest_plugins = ["store_fixtures"]


def rule(attribute, operator, value):
    return {"attribute": attribute, "operator": operator, "value": value}


def bulk(client, flag, user, **attributes):
    answer = expect(client.post(EVALUATE, {"context": {"targetingKey": user, **attributes}}))
    return next(entry for entry in answer["flags"] if entry["key"] == flag.key)


# Each rule with a user who is let in, and one who is not.
RULES = [
    (rule("email", "ends_with", "@example.com"), {"email": "ada@example.com"}, {"email": "ada@example.org"}),
    (rule("city", "starts_with", "北京"), {"city": "北京市"}, {"city": "南京市"}),
    (rule("plans", "contains", "ทอง"), {"plans": ["เงิน", "ทอง"]}, {"plans": ["เงิน"]}),
    (rule("name", "not_contains", "تجربة"), {"name": "القاهرة"}, {"name": "حساب تجربة"}),
    (rule("country", "not_in", ["DE", "AT"]), {"country": "CH"}, {"country": "AT"}),
    (rule("app", "version_gte", "2.10"), {"app": "v2.10.0"}, {"app": "2.9.9"}),
    (rule("beta", "exists", True), {"beta": 0}, {"beta": None}),
    (rule("Zürich", "exists", False), {"Zu\u0308rich": 1}, {"Z\u00fcrich": 1}),  # NFC and NFD are two names
    (rule("city", "equals", "Zürich"), {"city": "Z\u00fcrich"}, {"city": "Zu\u0308rich"}),
]


class TestOperators:
    @pytest.mark.parametrize("rules", RULES, ids=[r[0]["operator"] for r in RULES])
    def test_every_way_to_ask_follows_the_rule(self, store, rules):
        condition, let_in, kept_out = rules
        flag = Flag(store.client, sent=design(setup={"targeting_rules": [condition]}))
        for attributes, expected in ((let_in, True), (kept_out, False)):
            user = f"user-{expected}"
            assigned = expect(store.client.post(flag.path("assign"), {"user_id": user, "attributes": attributes}))
            assert (assigned["in_experiment"], assigned["targeting_excluded"]) == (expected, not expected)
            assert bulk(store.client, flag, user, **attributes)["metadata"]["inExperiment"] is expected
            assert flag.get(user, **attributes)["metadata"]["inExperiment"] is expected

    def test_the_user_is_an_attribute(self, store):
        flag = Flag(store.client, sent=design(setup={"targeting_rules": [rule("targetingKey", "starts_with", "qa-")]}))
        for user, expected in (("qa-1", True), ("user-1", False)):
            assert expect(store.client.post(flag.path("assign"), {"user_id": user}))["in_experiment"] is expected
            assert flag.get(user)["metadata"]["inExperiment"] is expected

    def test_groups(self, store):
        german = {"match": "all", "rules": [rule("country", "equals", "DE"), rule("app", "version_gte", "2.0.0")]}
        french = {"match": "all", "rules": [rule("country", "equals", "FR"), rule("app", "version_gte", "3.0.0")]}
        flag = Flag(store.client, sent=design(setup={"targeting_groups": [german, french], "targeting_match": "any"}))
        people = [("DE", "2.0.0", True), ("DE", "1.9", False), ("FR", "2.0.0", False), ("FR", "3.1", True), ("TH", "9", False)]
        for country, app, expected in people:
            user = f"{country}-{app}"
            assert bulk(store.client, flag, user, country=country, app=app)["metadata"]["inExperiment"] is expected
            assert flag.get(user, country=country, app=app)["metadata"]["inExperiment"] is expected
        stored = expect(store.client.get(f"{PROJECTS}/{flag.id}"))["payload"]["setup"]
        assert (stored["targeting_groups"], stored["targeting_match"]) == ([german, french], "any")

    def test_designs_without_groups_look_as_before(self, store):
        stored = expect(store.client.get(f"{PROJECTS}/{create(store.client, payload())['id']}"))["payload"]["setup"]
        assert "targeting_groups" not in stored and "targeting_match" not in stored


class TestRefused:
    """What a rule must be: the answer names the rule, or the field."""

    @pytest.mark.parametrize("operator,value,word", [
        ("not_in", "DE", "array"), ("contains", "", "empty"), ("contains", ["a"], "empty"), ("starts_with", 1, "text"),
        ("ends_with", ["a"], "text"), ("ends_with", "", "empty"), ("version_gt", "latest", "version"),
        ("version_eq", 2, "version"), ("version_lte", "1.x", "version"), ("exists", "yes", "boolean"), ("exists", 1, "boolean"),
        ("not_contains", None, "value")])
    def test_values(self, store, operator, value, word):
        groups = [{"match": "any", "rules": [rule("a", "equals", 1), rule("a", operator, value)]}]
        for setup, place in (({"targeting_rules": [rule("a", operator, value)]}, ["targeting_rules", 0]),
                             ({"targeting_groups": groups}, ["targeting_groups", 0, "rules", 1])):
            [(location, error)] = store.client.post(PROJECTS, payload(setup=setup)).errors().items()
            assert location == ("body", "setup", *place) and word in error["msg"], error

    @pytest.mark.parametrize("setup,place,kind", [
        ({"targeting_groups": [{"match": "any", "rules": []}]}, ["targeting_groups", 0, "rules"], "too_short"),
        ({"targeting_groups": [{"match": "any", "rules": [rule("a", "exists", True)] * 21}]},
         ["targeting_groups", 0, "rules"], "too_long"),
        ({"targeting_groups": [{"match": "any", "rules": [rule("a", "exists", True)]}] * 11}, ["targeting_groups"], "too_long"),
        ({"targeting_groups": [{"match": "none", "rules": [rule("a", "exists", True)]}]},
         ["targeting_groups", 0, "match"], "literal_error"),
        ({"targeting_groups": [{"rules": [rule("a", "exists", True)]}]}, ["targeting_groups", 0, "match"], "missing"),
        ({"targeting_match": "some"}, ["targeting_match"], "literal_error")])
    def test_groups(self, store, setup, place, kind):
        [(location, error)] = store.client.post(PROJECTS, payload(setup=setup)).errors().items()
        assert (location, error["type"]) == (("body", "setup", *place), kind)
