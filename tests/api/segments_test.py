"""Segments of users: lists and rules that targeting asks for, alike for one flag, all flags, `assign` and the preview.
On both engines."""

import concurrent.futures
import types

import pytest

from flag_fixtures import EVALUATE, Flag
from live_test import design
from project_fixtures import CLOSED, PROJECTS, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

SEGMENTS = "/api/v1/segments"
USERS_MAX = 2000
LIMITS = {"AB_RATE_LIMIT_ENABLED": "false", "AB_SEGMENT_USERS_MAX": USERS_MAX, "AB_MAX_SEGMENTS": 60}
BUSINESS = [{"attribute": "plan", "operator": "in", "value": ["team", "business"]}]


@pytest.fixture(scope="module")
def closed(stores, engine):
    return stores.get(engine, {**CLOSED, **LIMITS})


@pytest.fixture(scope="module")
def store(closed):
    """Who may write."""
    return types.SimpleNamespace(client=closed.write)


def definition(name=None, **members):
    return {"name": name or f"Segment {unknown_id()}", **members}


def add(store, *users, **members):
    """A segment with these users."""
    segment = expect(store.client.post(SEGMENTS, definition(**members)))["segment"]
    return send(store, segment, "\n".join(users))["segment"] if users else segment


def path_of(segment):
    return f"{SEGMENTS}/{segment['id']}"


def upload(store, segment, text, change="add", **headers):
    data = text if isinstance(text, bytes) else text.encode()
    return store.client.send("POST", f"{path_of(segment)}/users?change={change}", data=data,
                             headers={"Content-Type": "text/csv", **headers})


def send(store, segment, text, change="add"):
    return expect(upload(store, segment, text, change))


def users(store, segment, query=""):
    return expect(store.client.get(f"{path_of(segment)}/users{query}"))["users"]


def name_of(segment):
    return segment["definition"]["name"]


def rule(segment, operator="in_segment"):
    return {"attribute": "targetingKey", "operator": operator, "value": name_of(segment)}


def flag_for(store, *rules):
    return Flag(store.client, sent=design(setup={"targeting_rules": list(rules)}))


def every_answer(store, flag, user, **attributes):
    """Whether the user is in the experiment, by each way to ask; nothing is recorded before the last one."""
    context = {"context": {"targetingKey": user, **attributes}}
    bulk = expect(store.client.post(EVALUATE, context))["flags"]
    return {
        next(one for one in bulk if one["key"] == flag.key)["metadata"]["inExperiment"],
        expect(store.client.post(flag.path("assign"), {"user_id": user, "attributes": attributes}))["in_experiment"],
        expect(store.client.post(flag.path("flag/preview"), context))["in_experiment"],
        flag.get(user, **attributes)["metadata"]["inExperiment"]}


class TestMembership:
    def test_list_and_rules_say_who_belongs(self, store):
        """Users of every script; the hash of those who are let in has no share to fail."""
        segment = add(store, "用户1", "ผู้ใช้2", "مستخدم3", "zoë", match="all", rules=BUSINESS)
        inside, outside = flag_for(store, rule(segment)), flag_for(store, rule(segment, "not_in_segment"))
        for user, attributes, belongs in (("用户1", {}, True), ("ผู้ใช้2", {"plan": "free"}, True), ("مستخدم3", {}, True),
                                          ("zoë", {}, True), ("zoe", {}, False), ("用户", {}, False),
                                          ("somebody", {"plan": "team"}, True), ("somebody else", {"plan": "free"}, False)):
            assert every_answer(store, inside, user, **attributes) == {belongs}, user
            assert every_answer(store, outside, user, **attributes) == {not belongs}, user

    def test_a_change_holds_for_the_next_evaluation_of_every_worker(self, store):
        segment = add(store, "early")
        flag = flag_for(store, rule(segment))
        context = {"context": {"targetingKey": "late"}}

        def ask(_):
            return expect(store.client.post(flag.path("flag/preview"), context))["in_experiment"]

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for change, expected in (("add", True), ("remove", False)) * 3:
                send(store, segment, "late", change)
                assert set(pool.map(ask, range(24))) == {expected}
        expect(store.client.send("PUT", path_of(segment), json=definition(name_of(segment), rules=[
            {"attribute": "targetingKey", "operator": "starts_with", "value": "la"}])))
        assert ask(0) is True

    def test_two_segments_in_groups(self, store):
        beta, staff = add(store, "b", "both"), add(store, "s", "both")
        groups = [{"match": "all", "rules": [rule(beta), rule(staff, "not_in_segment")]},
                  {"match": "all", "rules": [rule(staff), {"attribute": "country", "operator": "equals", "value": "TH"}]}]
        flag = Flag(store.client, sent=design(setup={"targeting_groups": groups, "targeting_match": "any"}))
        for user, country, expected in (("b", "DE", True), ("both", "DE", False), ("both", "TH", True), ("s", "DE", False),
                                        ("s", "TH", True), ("nobody", "TH", False)):
            assert every_answer(store, flag, user, country=country) == {expected}, (user, country)

    def test_the_preview_says_why(self, store):
        segment = add(store, "listed", rules=BUSINESS)
        inside, outside = flag_for(store, rule(segment)), flag_for(store, rule(segment, "not_in_segment"))

        def why(flag, user, **attributes):
            answer = expect(store.client.post(flag.path("flag/preview"), {"context": {"targetingKey": user, **attributes}}))
            last = answer["steps"][-1]
            assert last["check"] == "targeting" and last["rule"]["told"] == user
            return last["rule"]["segment"]

        assert why(inside, "x", plan="free") == {
            "name": name_of(segment), "exists": True, "listed": False, "rules_hold": False, "rule": 0, "attribute": "plan",
            "operator": "in", "value": ["team", "business"], "told": "free"}
        assert why(outside, "listed")["listed"] is True
        by_rules = why(outside, "x", plan="team")
        assert (by_rules["listed"], by_rules["rules_hold"], by_rules["rule"]) == (False, True, None)
        plain = add(store, "listed")
        assert why(flag_for(store, rule(plain)), "x")["rules_hold"] is None


class TestLists:
    def test_lines_and_tables(self, store):
        segment = add(store)
        text = "\ufeffuser-1,Ada\r\n\r\n  user-2  \n\"user,3\";x\nuser 4\t5\n\"say \"\"hi\"\"\"\n用户\nuser-1\n"
        answer = send(store, segment, text)
        assert (answer["lines"], answer["users_before"], answer["segment"]["user_count"]) == (7, 0, 6)
        assert users(store, segment) == sorted(["user-1", "user-2", "user,3", "user 4", 'say "hi"', "用户"],
                                               key=lambda user: user.encode())
        assert send(store, segment, "user-2\nnobody", "remove")["segment"]["user_count"] == 5
        assert send(store, segment, "only", "replace")["segment"]["user_count"] == 1
        assert users(store, segment) == ["only"]
        assert send(store, segment, "", "replace")["segment"]["user_count"] == 0

    @pytest.mark.parametrize("text,line", [
        ("a\nb\n" + "x" * 201, "line 3"), (b"a\n\xff\xfe", "line 2"), (b"a\n\nb\0c", "line 3"), ('a\n"open', "line 2"),
        (",no user", "line 1")])
    def test_a_wrong_line_is_named_and_nothing_is_kept(self, store, text, line):
        segment = add(store, "before")
        answer = expect(upload(store, segment, text, "replace"), 400, "segment_line")
        assert line in answer["detail"]
        assert users(store, segment) == ["before"]
        assert expect(store.client.get(path_of(segment)))["segment"]["version"] == segment["version"]

    def test_a_list_has_a_bound(self, store):
        full = [f"user-{i}" for i in range(USERS_MAX)]
        segment = add(store, *full)
        assert segment["user_count"] == USERS_MAX
        expect(upload(store, segment, "one more"), 400, "segment_too_large")
        expect(upload(store, segment, "\n".join([*full, "x"]), "replace"), 400, "segment_too_large")
        assert expect(store.client.get(path_of(segment)))["segment"]["user_count"] == USERS_MAX
        read, after = [], ""
        while True:
            page = expect(store.client.get(f"{path_of(segment)}/users?limit=700{after}"))
            read += page["users"]
            if not page["more"]:
                break
            after = f"&after={read[-1]}"
        assert read == sorted(full)

    def test_users_beside_each_other_lose_none(self, store):
        segment = add(store)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda i: send(store, segment, "\n".join(f"{i}-{k}" for k in range(50))), range(12)))
        now = expect(store.client.get(path_of(segment)))["segment"]
        assert now["user_count"] == len(users(store, segment, "?limit=1000")) == 600
        assert now["version"] == 13


class TestChanges:
    def test_if_match_keeps_the_change_of_another(self, store):
        answer = store.client.post(SEGMENTS, definition())
        segment, tag = expect(answer)["segment"], answer.headers["ETag"]
        assert tag == '"1"'
        body = {**segment["definition"], "description": "first"}
        changed = store.client.send("PUT", path_of(segment), json=body, headers={"If-Match": tag})
        assert expect(changed)["segment"]["version"] == 2 and changed.headers["ETag"] == '"2"'
        for late in (store.client.send("PUT", path_of(segment), json=body, headers={"If-Match": tag}),
                     upload(store, segment, "x", **{"If-Match": tag}),
                     store.client.send("DELETE", path_of(segment), headers={"If-Match": tag})):
            expect(late, 409, "segment_changed")
        assert expect(store.client.send("PUT", path_of(segment), json=body))["segment"]["version"] == 2  # the same
        expect(store.client.send("DELETE", path_of(segment), headers={"If-Match": '"2"'}))
        expect(store.client.get(path_of(segment)), 404, "not_found")

    def test_what_is_used_stays(self, store):
        segment = add(store, "u")
        project = create(store.client, payload(setup={"targeting_rules": [rule(segment)]}))
        read = expect(store.client.get(path_of(segment)))
        assert read["segment"]["use_count"] == 1 and read["uses"] == [
            {"project_id": project["id"], "project_name": project["project_name"], "is_archived": False}]
        refused = expect(store.client.send("DELETE", path_of(segment)), 409, "segment_in_use")
        assert project["project_name"] in refused["detail"]
        expect(store.client.send("PUT", path_of(segment), json=definition()), 409, "segment_in_use")
        free = {**project["payload"], "setup": {**project["payload"]["setup"], "targeting_rules": []}}
        expect(store.client.send("PUT", f"{PROJECTS}/{project['id']}", json=free))
        renamed = expect(store.client.send("PUT", path_of(segment), json=definition("Новое имя")))
        assert (name_of(renamed["segment"]), renamed["uses"]) == ("Новое имя", [])
        expect(store.client.send("DELETE", path_of(segment)))

    def test_a_design_names_only_segments_that_there_are(self, store):
        wrong = payload(setup={"targeting_rules": [rule({"definition": {"name": "Nobody's"}})]})
        answer = expect(store.client.post(PROJECTS, wrong), 400, "segment_unknown")
        assert "Nobody's" in answer["detail"] and "targeting_rules" in answer["detail"]

    def test_names_differ_and_there_are_only_so_many(self, store):
        name = f"Bêta {unknown_id()}"
        first = add(store, name=name)
        expect(store.client.post(SEGMENTS, definition(name.upper())), 409, "segment_name_taken")
        expect(store.client.send("PUT", path_of(add(store)), json=definition(name.lower())), 409, "segment_name_taken")
        found = expect(store.client.get(f"{SEGMENTS}?q=bÊTA"))
        assert [one["id"] for one in found["segments"]] == [first["id"]] and found["total"] == 1
        while (answer := store.client.post(SEGMENTS, definition())).status == 200:
            pass
        expect(answer, 409, "segment_limit_reached")
        for one in expect(store.client.get(f"{SEGMENTS}?limit=200&q=segment"))["segments"]:
            if one["use_count"] == 0:
                expect(store.client.send("DELETE", path_of(one)))

    @pytest.mark.parametrize("members,named", [
        ({"name": ""}, "name"), ({"match": "some"}, "match"), ({"colour": "red"}, "colour"),
        ({"rules": [{"attribute": "a", "operator": "in", "value": "x"}]}, "rules"),
        ({"rules": [{"attribute": "targetingKey", "operator": "in_segment", "value": "x"}]}, "another segment")])
    def test_definitions_that_do_not_fit_are_named(self, store, members, named):
        answer = expect(store.client.post(SEGMENTS, {**definition(), **members}), 422, "validation_error")
        assert named in str(answer["detail"])

    @pytest.mark.parametrize("attribute,value,word", [("country", "x", "targetingKey"), ("targetingKey", 7, "name"),
                                                      ("targetingKey", "", "name"), ("targetingKey", ["x"], "name")])
    def test_conditions_that_do_not_fit_are_named(self, store, attribute, value, word):
        wrong = {"attribute": attribute, "operator": "in_segment", "value": value}
        [(location, error)] = store.client.post(PROJECTS, payload(setup={"targeting_rules": [wrong]})).errors().items()
        assert location == ("body", "setup", "targeting_rules", 0) and word in error["msg"]

    def test_every_change_is_in_the_audit_log(self, store):
        segment = add(store, "u")
        expect(store.client.send("PUT", path_of(segment), json=definition(name_of(segment), description="new")))
        expect(store.client.send("DELETE", path_of(segment)))
        entries = expect(store.client.get("/api/v1/audit?limit=4"))["entries"]
        assert [one["action"] for one in entries] == ["segment.delete", "segment.update", "segment.users", "segment.create"]
        assert {one["project_name"] for one in entries} == {name_of(segment)}


def test_readers_read_and_writers_write(closed):
    reader, writer = closed.read, closed.write
    expect(reader.post(SEGMENTS, definition()), 403, "forbidden")
    segment = expect(writer.post(SEGMENTS, definition()))["segment"]
    lines = {"data": b"u", "headers": {"Content-Type": "text/csv"}}
    assert expect(reader.get(path_of(segment)))["segment"] == segment
    expect(reader.send("DELETE", path_of(segment)), 403, "forbidden")
    expect(reader.send("POST", f"{path_of(segment)}/users", **lines), 403, "forbidden")
    expect(writer.send("POST", f"{path_of(segment)}/users", **lines))
    assert closed.client.get(SEGMENTS).status == 401
