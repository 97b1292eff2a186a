"""What a user would get of a flag, and why: the preview says what the evaluation then does, and records nothing. On
both engines."""

import itertools

from flag_fixtures import Flag
from live_test import design
from project_fixtures import PROJECTS, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]

PREVIEW_ALL = "/api/v1/flags/preview"
RULES = [{"attribute": "country", "operator": "in", "value": ["DE"]}, {"attribute": "app", "operator": "version_gte", "value": "2"}]
UNTIL_FORCED = ["flag", "archived", "fixed", "user", "forced"]


def preview(flag, user="u", **attributes):
    return expect(flag.client.post(flag.path("flag/preview"), {"context": {"targetingKey": user, **attributes}}))


def checks(answer):
    """The names of the checks; all but the last one passed."""
    *before, last = answer["steps"]
    assert {step["outcome"] for step in before} <= {"passed"} and last["outcome"] == "decided", answer
    return [step["check"] for step in answer["steps"]]


def layer(start, end, name="checkout-layer"):
    return {"id": name, "range_start": start, "range_end": end}


class TestReasons:
    def test_settings_decide_before_the_design(self, store):
        flag = Flag(store.client, forced=[{"user_id": "tester", "variation_index": 1}])
        assert checks(preview(flag, "tester")) == UNTIL_FORCED
        nobody = expect(store.client.post(flag.path("flag/preview"), {"context": {}}))
        assert checks(nobody) == UNTIL_FORCED[:4] and nobody["error"] and nobody["variation_index"] == -1
        flag.set(fixed_variation=1)
        assert checks(preview(flag)) == UNTIL_FORCED[:3] and preview(flag)["reason"] == "STATIC"
        flag.set(enabled=False, fixed_variation=None)
        assert checks(preview(flag)) == ["flag"] and preview(flag)["reason"] == "DISABLED"
        flag.set(enabled=True)
        expect(store.client.post(f"{PROJECTS}/{flag.id}/archive"))
        assert checks(preview(flag)) == ["flag", "archived"]

    def test_the_rule_that_failed(self, store):
        groups = [{"match": "any", "rules": [{"attribute": "plan", "operator": "exists", "value": True},
                                            {"attribute": "beta", "operator": "exists", "value": True}]}]
        flag = Flag(store.client, sent=design(setup={"targeting_rules": RULES, "targeting_groups": groups}))
        last = preview(flag, country="DE", app="1.9")["steps"][-1]
        assert last["check"] == "targeting" and last["rule"] == {
            "group": None, "rule": 1, "attribute": "app", "operator": "version_gte", "value": "2", "told": "1.9"}
        assert preview(flag, app="2")["steps"][-1]["rule"]["told"] is None
        rule = preview(flag, country="DE", app="2")["steps"][-1]["rule"]
        assert (rule["group"], rule["rule"], rule["operator"]) == (0, None, None)
        assert checks(preview(flag, country="DE", app="2", plan="x"))[-3:] == ["targeting", "share", "split"]

    def test_the_experiment_that_has_the_slot(self, store):
        name = f"layer-{unknown_id()}"
        one = Flag(store.client, sent=design(setup={"namespace": layer(0, .5, name)}))
        other = Flag(store.client, sent=design(setup={"namespace": layer(.5, .9, name)}))
        named = {flag: expect(store.client.get(f"{PROJECTS}/{flag.id}"))["project_name"] for flag in (one, other)}
        seen = set()
        for i in range(60):
            steps = [preview(flag, f"u{i}")["steps"][-1] for flag in (one, other)]
            owners = [step["layer"]["taken_by"] if step["check"] == "layer" else "" for step in steps]
            place = next(step["layer"]["position"] for step in steps if step["check"] == "layer")
            expected = ["", named[one]] if place < .5 else [named[other], ""] if place < .9 else [None, None]
            assert owners == expected
            seen.add(tuple(expected))
        assert len(seen) == 3

    def test_share_ramp_and_holdout(self, store):
        flag = Flag(store.client, ramp=[{"starts_at": "2099-01-01T00:00:00Z", "share": 1}])
        last = preview(flag)["steps"][-1]
        assert (last["check"], last["share"]["share"], last["share"]["ramp_step"]) == ("share", 0, -1)
        flag.set(ramp=[{"starts_at": "2020-01-01T00:00:00Z", "share": .5}])
        for i in range(20):
            answer = preview(flag, f"u{i}")
            share = next(step["share"] for step in answer["steps"] if step["check"] == "share")
            assert (share["share"], share["ramp_step"]) == (.5, 0)
            assert answer["in_experiment"] is (share["position"] < .5) is (answer["records"] == "exposure")
        flag.set(ramp=[], holdout={"name": f"all {unknown_id()}", "share": 1})
        answer = preview(flag)
        assert checks(answer)[-2:] == ["share", "holdout"] and answer["records"] == "holdout"

    def test_without_values_the_design_decides(self, store):
        project = create(store.client, payload())["id"]
        path = f"/api/v1/experiments/{project}"
        answer = expect(store.client.post(f"{path}/flag/preview", {"context": {"targetingKey": "u"}}))
        assigned = expect(store.client.post(f"{path}/assign", {"user_id": "u"}))
        assert answer["steps"][0] == {"check": "flag", "outcome": "missing"}
        assert (answer["variation_index"], answer["variant"], answer["records"]) == (assigned["variation_index"], None, "nothing")

    def test_refused(self, store):
        flag = Flag(store.client)
        expect(store.client.post(f"/api/v1/experiments/{unknown_id()}/flag/preview", {"context": {}}), 404, "not_found")
        for path in (flag.path("flag/preview"), PREVIEW_ALL):
            expect(store.client.post(path, {"context": {"targetingKey": 7}}), 400, "invalid_context")
            expect(store.client.post(path, {"context": "u"}), 400, "invalid_context")


class TestSameDecision:
    def test_the_evaluation_does_what_the_preview_says(self, store):
        """Flags of every kind and users of every script: value, reason and what is recorded."""
        flags = [Flag(store.client, "object", forced=[{"user_id": "用户0", "variation_index": 1}]),
                 Flag(store.client, "string", sent=design(setup={"targeting_rules": RULES[:1]}), default_variation=1),
                 Flag(store.client, ramp=[{"starts_at": "2020-01-01T00:00:00Z", "share": .6}],
                      holdout={"name": f"h {unknown_id()}", "share": .4}),
                 Flag(store.client, "number", sent=design(setup={"namespace": layer(.2, .7, unknown_id())}))]
        users = [f"{name}{i}" for name, i in itertools.product(("user", "用户", "ผู้ใช้", "مستخدم"), range(4))]
        for flag, (i, user) in itertools.product(flags, enumerate(users)):
            context = {"country": ["DE", "FR"][i % 2]}
            before = flag.arms()
            said = preview(flag, user, **context)
            assert flag.arms() == before
            all_said = expect(store.client.post(PREVIEW_ALL, {"context": {"targetingKey": user, **context}}))
            assert said == next(one for one in all_said["flags"] if one["key"] == flag.key)
            got = flag.get(user, **context)
            assert {name: said[name] for name in ("value", "variant", "reason")} == {
                name: got[name] for name in ("value", "variant", "reason")}
            assert said["in_experiment"] is got["metadata"]["inExperiment"]
            stored = sum(flag.arms().values()) - sum(before.values())
            assert stored == (said["records"] != "nothing")
            after = preview(flag, user, **context)
            assert after["records"] == "nothing" and after["variant"] == said["variant"]
            if said["records"] != "nothing":
                assert checks(after)[-1] == "exposure"
