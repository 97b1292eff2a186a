"""Feature flags over experiments by the protocol for remote evaluation (OFREP), and the client keys of pages and apps. On
both engines."""

import concurrent.futures
import socket
import time

import pytest

from conftest import OPEN
from flag_fixtures import EVALUATE, TRACK, VALUES, Flag, variants
from live_test import design
from project_fixtures import PROJECTS, TOKENS, create, expect, payload, unknown_id
from stack import CHECKOUT

pytest_plugins = ["store_fixtures"]

SHOP = "https://shop.example"
RULES = [{"attribute": "country", "operator": "in", "value": ["DE", "AT"]}]


def code(answer, status, error_code):
    assert (answer.status, answer.json()["errorCode"]) == (status, error_code), str(answer)
    assert answer.json()["errorDetails"]


class TestFlag:
    """What a flag is made of."""

    def test_a_project_has_a_key_of_its_name(self, store):
        name = " Big Button (v2) 更大"
        first, second = (create(store.client, payload(name))["id"] for _ in range(2))
        keys = [expect(store.client.get(f"/api/v1/experiments/{i}/flag"))["key"] for i in (first, second)]
        assert keys == ["big-button-v2", f"big-button-v2-{second[:8]}"]
        nameless = create(store.client, payload("ทดสอบ"))["id"]
        assert expect(store.client.get(f"/api/v1/experiments/{nameless}/flag"))["key"].startswith("project")
        store.client.send("DELETE", f"{PROJECTS}/{first}")
        expect(store.client.get(f"/api/v1/experiments/{unknown_id()}/flag"), 404, "not_found")

    def test_what_was_read_can_be_written(self, store):
        flag = Flag(store.client, "object", key="Check.Out_1-a", dimensions=["country"],
                    forced=[{"user_id": "tester", "variation_index": 1}])
        read = expect(store.client.get(flag.path("flag")))
        assert read["key"] == "Check.Out_1-a" and read["variants"] == flag.document["variants"]
        written = expect(store.client.send("PUT", flag.path("flag"), json=read))
        assert {**written, "updated_at": None} == {**read, "updated_at": None}
        expect(store.client.send("PUT", flag.path("flag"), json={**flag.document, "key": None}))
        [entry] = expect(store.client.get(f"/api/v1/audit?project_id={flag.id}&action=flag.update&limit=1"))["entries"]
        assert entry["payload_diff"]["flag.key"] == ["Check.Out_1-a", "Check.Out_1-a"]

    @pytest.mark.parametrize("change", [
        {"key": "-x"}, {"key": "a/b"}, {"key": "ключ"}, {"key": ""}, {"variants": variants()[:1]}, {"value_type": "number"},
        {"variants": [{"name": "a", "value": False}, {"name": "a", "value": True}]}, {"default_variation": 2},
        {"fixed_variation": 2}, {"ramp_held_at": 0}, {"holdout": {"name": "all", "share": 1.1}},
        {"ramp": [{"starts_at": 20, "share": .1}, {"starts_at": 10, "share": .2}]},
        {"ramp": [{"starts_at": 10, "share": .2}, {"starts_at": 20, "share": .1}]}, {"forced": [{"user_id": "u", "variation_index": 2}]}, {"unknown": 1}])
    def test_wrong_settings_are_refused_as_a_whole(self, store, change):
        flag = Flag(store.client)
        before = expect(store.client.get(flag.path("flag")))
        assert store.client.send("PUT", flag.path("flag"), json={**flag.document, **change}).status == 422
        assert expect(store.client.get(flag.path("flag"))) == before

    def test_values_follow_the_design_and_keys_are_unique(self, store):
        one, other = Flag(store.client), Flag(store.client)
        expect(store.client.send("PUT", one.path("flag"), json={**one.document, "variants": [*variants(), {"name": "c", "value": True}]}),
               400, "flag_variants")
        expect(store.client.send("PUT", other.path("flag"), json={**other.document, "key": one.key}), 409, "flag_key_taken")
        project = expect(store.client.get(f"{PROJECTS}/{one.id}"))["payload"]
        project["setup"].update(variants_count=3, traffic_split=[1, 1, 1])
        expect(store.client.send("PUT", f"{PROJECTS}/{one.id}", json=project), 400, "flag_variants")
        assert one.get("u")["metadata"]["inExperiment"]
        one.set(enabled=False)
        expect(store.client.send("PUT", f"{PROJECTS}/{one.id}", json=project))
        assert one.get("u")["reason"] == "DISABLED"


class TestEvaluate:
    """One flag: a value, why, and the exposure."""

    @pytest.mark.parametrize("kind", list(VALUES))
    def test_every_type(self, store, kind):
        flag = Flag(store.client, kind)
        seen = set()
        for i in range(30):
            answer = flag.get(f"user-{i}")
            index = answer["metadata"]["variationIndex"]
            assert answer == {"key": flag.key, "value": VALUES[kind][index], "variant": ["control", "treatment"][index],
                              "reason": "SPLIT", "metadata": {"experimentId": flag.id, "variationIndex": index,
                                                              "inExperiment": True}}
            seen.add(index)
            assigned = expect(store.client.post(flag.path("assign"), {"user_id": f"user-{i}"}))
            assert (assigned["variation_index"], assigned["sticky"]) == (index, True)
        assert seen == {0, 1} and sum(flag.arms().values()) == 30

    def test_rules_and_who_is_outside(self, store):
        flag = Flag(store.client, sent=design(setup={"targeting_rules": RULES}), default_variation=1)
        inside, outside = flag.get("u1", country="DE"), flag.get("u2", country="FR")
        assert (inside["reason"], inside["metadata"]["inExperiment"]) == ("TARGETING_MATCH", True)
        assert (outside["reason"], outside["variant"], outside["metadata"]["inExperiment"]) == ("DEFAULT", "treatment", False)
        assert sum(flag.arms().values()) == 1
        assert flag.get("u1", country="FR")["variant"] == inside["variant"]  # has seen it

    def test_off_and_fixed_need_no_user_and_record_nothing(self, store):
        flag = Flag(store.client, enabled=False)
        assert (flag.get("u")["reason"], flag.get("u")["value"]) == ("DISABLED", False)
        flag.set(enabled=True, fixed_variation=1)
        assert [expect(flag.ask())[member] for member in ("reason", "value")] == ["STATIC", True]
        expect(store.client.post(f"{PROJECTS}/{flag.id}/archive"))
        assert expect(flag.ask())["reason"] == "STATIC"
        expect(store.client.post(f"{PROJECTS}/{flag.id}/restore"))
        flag.set(fixed_variation=None)
        expect(store.client.post(f"{PROJECTS}/{flag.id}/archive"))
        assert flag.get("u")["reason"] == "DISABLED" and flag.arms() == {}

    def test_forced_users_never_count(self, store):
        flag = Flag(store.client, forced=[{"user_id": f"u{i}", "variation_index": i % 2} for i in range(10)])
        for i in range(10):
            answer = flag.get(f"u{i}")
            assert (answer["reason"], answer["value"]) == ("TARGETING_MATCH", bool(i % 2))
            assert expect(flag.track(f"u{i}", events=[{"name": "purchase", "key": f"k{i}"}]))["recorded"] == 0
        assert flag.arms() == {} and expect(store.client.get(flag.path("ingestion")))["conversions_total"] == 0

    def test_attributes_become_dimensions_of_the_exposure(self, store):
        flag = Flag(store.client, dimensions=["country", "plan", "country"])
        for i in range(40):
            flag.get(f"u{i}", country="TH" if i % 2 else "中国", plan=3)
        shown = expect(store.client.get(flag.path("live-stats?dimension=country")))
        assert {entry["value"] for entry in shown["slices"]["items"]} == {"TH", "中国"} if "slices" in shown else True
        assert sum(flag.arms().values()) == 40

    def test_refusals(self, store):
        flag = Flag(store.client)
        post = store.client.post
        code(post(f"{EVALUATE}/no-such-flag", {"context": {"targetingKey": "u"}}), 404, "FLAG_NOT_FOUND")
        never_set = create(store.client)["id"]
        key = expect(store.client.get(f"/api/v1/experiments/{never_set}/flag"))["key"]
        code(post(f"{EVALUATE}/{key}", {"context": {"targetingKey": "u"}}), 404, "FLAG_NOT_FOUND")
        for context in ({}, None, {"targetingKey": None}, {"targetingKey": ""}, {"country": "DE"}):
            code(post(f"{EVALUATE}/{flag.key}", {"context": context}), 400, "TARGETING_KEY_MISSING")
        code(post(f"{EVALUATE}/{flag.key}", {}), 400, "TARGETING_KEY_MISSING")
        for context in ("u", 1, [], {"targetingKey": 7}, {"targetingKey": "x" * 201}):
            code(post(f"{EVALUATE}/{flag.key}", {"context": context}), 400, "INVALID_CONTEXT")
        code(store.client.send("POST", f"{EVALUATE}/{flag.key}", data=b"{", headers={"Content-Type": "application/json"}),
             400, "PARSE_ERROR")
        assert post(f"{EVALUATE}/{flag.key}", {"context": {"targetingKey": "x" * 200}, "more": 1}).status == 200

    def test_users_at_once_are_counted_once(self, store):
        """Each user asks four times at the same time, in two flags."""
        flags = [Flag(store.client), Flag(store.client, "string")]
        calls = [(flag, f"u{i % 25}") for i in range(100) for flag in flags]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            values = list(pool.map(lambda call: (call[0].key, call[1], call[0].get(call[1])["variant"]), calls))
        assert len(set(values)) == 50
        assert [sum(flag.arms().values()) for flag in flags] == [25, 25]


DAY = 86400
GUARDED = design()
GUARDED["metrics"]["guardrail_metrics"] = [{"name": "errors", "metric_type": "binary", "baseline_rate": 5}]


class TestRamp:
    """Who is let in, by time and by the holdout, in evaluation and assignment alike."""

    @pytest.fixture
    def users(self):
        return [f"user-{i}" for i in range(400)]

    def assigned(self, flag, users):
        answers = (expect(flag.client.post(flag.path("assign"), {"user_id": user})) for user in users)
        return {answer["user_id"]: answer["variation_index"] for answer in answers}

    def test_raising_the_share_moves_nobody(self, store, users):
        now = time.time()
        flag = Flag(store.client, ramp=[{"starts_at": now + DAY, "share": .1}])
        assert set(self.assigned(flag, users).values()) == {-1}
        seen = {}
        for share in (0, .1, .5, 1):
            flag.set(ramp=[{"starts_at": now - DAY, "share": share}, {"starts_at": now + DAY, "share": 1}])
            assigned = self.assigned(flag, users)
            inside = {user: index for user, index in assigned.items() if index >= 0}
            assert abs(len(inside) - share * len(users)) < 40 and seen.items() <= inside.items()
            seen = inside
        flag.set(ramp=[])
        assert self.assigned(flag, users) == seen
        assert flag.arms() == {}

    def test_a_holdout_is_the_same_in_all_its_experiments(self, store, users):
        holdout = {"name": "quarter 1", "share": .25}
        flags = [Flag(store.client, holdout=holdout), Flag(store.client, holdout=holdout), Flag(store.client)]
        out = [{user for user, index in self.assigned(flag, users).items() if index < 0} for flag in flags]
        assert out[0] == out[1] and 60 < len(out[0]) < 140 and not out[2]
        member, other = min(out[0]), min(set(users) - out[0])
        assert (flags[0].get(member)["reason"], flags[0].get(other)["reason"]) == ("DEFAULT", "SPLIT")
        assert flags[0].arms()[-1] == 1 and sum(flags[0].arms().values()) == 2
        assert expect(flags[1].track(member))["exposure"] == "recorded" and flags[1].arms() == {-1: 1}
        flags[0].set(holdout=None)
        assert flags[0].get(member)["reason"] == "DEFAULT"  # a member stays one

    def test_a_layer_gives_each_user_one_experiment_at_most(self, store, users):
        def at(start, end):
            return design(setup={"namespace": {"id": "checkout", "range_start": start, "range_end": end}})

        low, high = Flag(store.client, sent=at(0, .5)), Flag(store.client, sent=at(.5, 1))
        inside = [{user for user, index in self.assigned(flag, users).items() if index >= 0} for flag in (low, high)]
        assert not inside[0] & inside[1] and inside[0] | inside[1] == set(users)
        both = create(store.client, at(.4, .6))["id"]
        path, document = f"/api/v1/experiments/{both}/flag", {**low.document, "key": None}
        expect(store.client.send("PUT", path, json=document), 409, "layer_overlap")
        expect(store.client.send("PUT", path, json={**document, "enabled": False}))
        expect(store.client.send("PUT", path, json={**document, "fixed_variation": 1}))
        low.set(fixed_variation=1)  # was shipped
        high.set(enabled=False)
        expect(store.client.send("PUT", path, json=document))
        expect(store.client.send("PUT", high.path("flag"), json={**high.document, "enabled": True}), 409, "layer_overlap")

    def test_a_change_of_the_design_keeps_layers_apart(self, store):
        def at(start, end, name):
            return design(setup={"namespace": {"id": name, "range_start": start, "range_end": end}})

        low, other = Flag(store.client, sent=at(0, .5, "page")), Flag(store.client, sent=at(0, 1, "another"))
        project, moved = f"{PROJECTS}/{other.id}", at(.4, 1, "page")
        expect(store.client.send("PUT", project, json=moved), 409, "layer_overlap")
        assert expect(store.client.get(project))["payload"]["setup"]["namespace"]["id"] == "another"
        expect(store.client.post(f"{PROJECTS}/{low.id}/archive"))
        expect(store.client.send("PUT", project, json=moved))
        expect(store.client.post(f"{PROJECTS}/{low.id}/restore"), 409, "layer_overlap")
        expect(store.client.get(f"{PROJECTS}/{low.id}"), 404, "not_found")
        other.set(enabled=False)
        expect(store.client.post(f"{PROJECTS}/{low.id}/restore"))

    def test_a_holdout_has_those_whom_the_ramp_would_let_in(self, store, users):
        now = time.time()
        flag = Flag(store.client, holdout={"name": "all", "share": 1}, ramp=[{"starts_at": now - DAY, "share": 0}])
        for user in users[:50]:
            assert flag.get(user)["reason"] == "DEFAULT"
        assert expect(flag.track(users[0]))["exposure"] == "none" and flag.arms() == {}
        flag.set(ramp=[{"starts_at": now - DAY, "share": .5}])
        for user in users[:50]:
            assert flag.get(user)["reason"] == "DEFAULT"
        assert set(flag.arms()) == {-1} and 10 < flag.arms()[-1] < 40

    def test_a_step_is_taken_back_when_a_guardrail_is_breached(self, store):
        now = time.time()
        steps = [{"starts_at": now - 2 * DAY, "share": .1}, {"starts_at": now - DAY, "share": .5}, {"starts_at": now + DAY, "share": 1}]
        flags = [Flag(store.client, sent=GUARDED, ramp=steps) for _ in range(2)]
        for flag in flags:
            flag.send("exposures", *[{"user_id": f"u{i}", "variation_index": i % 2} for i in range(1000)])
        flags[0].send("conversions", *[{"user_id": f"u{i}", "metric": "errors"} for i in range(1, 1000, 4)])
        broken = Flag(store.client, sent=GUARDED, key="0-looked-at-first", ramp=steps)
        store.database.run(f"UPDATE projects SET payload_json = '{{}}' WHERE id = '{broken.id}'")
        for _ in range(2):  # once: somebody has to look
            done = store.program("experiments-upkeep", ASSAY_LOCALES_DIR=str(CHECKOUT / "locales"))
            assert done.returncode == 0, done.stderr
            held = [expect(store.client.get(flag.path("flag")))["ramp_held_at"] for flag in flags]
            assert held == [0, None] and broken.id in done.stderr
        store.database.run("UPDATE projects SET payload_json = (SELECT payload_json FROM project_revisions"
                           f" WHERE project_id = '{broken.id}') WHERE id = '{broken.id}'")
        assert expect(store.client.post(flags[0].path("assign"), {"user_id": "new"}))["coverage"] == .1
        assert expect(store.client.post(flags[1].path("assign"), {"user_id": "new"}))["coverage"] == .5
        [entry] = expect(store.client.get(f"/api/v1/audit?project_id={flags[0].id}&action=flag.ramp_back"))["entries"]
        assert entry["actor"] == "ramp_guard"
        assert flags[0].get("u1")["variant"] == "treatment"  # has seen it
        old = flags[0].document  # from before the guard
        expect(store.client.send("PUT", flags[0].path("flag"), json=old), 409, "flag_conflict")
        tag = store.client.get(flags[0].path("flag")).headers["ETag"]
        expect(store.client.send("PUT", flags[0].path("flag"), json=old, headers={"If-Match": '"never"'}), 409, "flag_conflict")
        expect(store.client.send("PUT", flags[0].path("flag"), json=old, headers={"If-Match": tag}))
        expect(store.client.send("PUT", flags[0].path("flag"), json=old, headers={"If-Match": tag}), 409, "flag_conflict")

    def test_the_program_names_projects_that_have_no_key(self, store):
        flag = Flag(store.client)
        store.database.run(f"DELETE FROM flags WHERE experiment_id = '{flag.id}'")
        expect(store.client.get(flag.path("flag")), 404, "not_found")
        done = store.program("experiments-upkeep", ASSAY_LOCALES_DIR=str(CHECKOUT / "locales"))
        assert done.returncode == 0, done.stderr
        read = expect(store.client.get(flag.path("flag")))
        assert read["key"].startswith("live") and read["updated_at"] is None


class TestBulk:
    """All flags for one user: nothing is recorded, and a tag says whether anything has changed."""

    def ask(self, client, context, headers=None):
        return client.send("POST", EVALUATE, json={"context": context}, headers=headers or {})

    def of(self, answer, flag):
        [found] = [entry for entry in answer.json()["flags"] if entry["key"] == flag.key]
        return found

    def test_values_and_tag(self, store):
        flags = {kind: Flag(store.client, kind) for kind in VALUES}
        fixed = Flag(store.client, fixed_variation=1)
        answer = self.ask(store.client, {"targetingKey": "u1"})
        for kind, flag in flags.items():
            found = self.of(answer, flag)
            assert found["value"] == VALUES[kind][found["metadata"]["variationIndex"]] and flag.arms() == {}
        tag = {"If-None-Match": answer.headers["ETag"]}
        assert self.ask(store.client, {"targetingKey": "u1"}, tag).status == 304
        other = self.ask(store.client, {"targetingKey": "another"}, tag)
        assert other.status == 200 and other.headers["ETag"] != answer.headers["ETag"]
        flags["number"].set(variants=[{"name": "control", "value": 7}, {"name": "treatment", "value": 7}])
        changed = self.ask(store.client, {"targetingKey": "u1"}, tag)
        assert changed.status == 200 and self.of(changed, flags["number"])["value"] == 7
        nobody = self.ask(store.client, {})
        assert self.of(nobody, fixed)["reason"] == "STATIC"
        assert self.of(nobody, flags["string"])["errorCode"] == "TARGETING_KEY_MISSING"
        code(self.ask(store.client, "u1"), 400, "INVALID_CONTEXT")

    def test_a_bulk_evaluation_gives_what_a_single_one_gives(self, store):
        flag = Flag(store.client, "string", sent=design(setup={"targeting_rules": RULES}))
        for i in range(10):
            context = {"targetingKey": f"u{i}", "country": ["DE", "FR"][i % 2]}
            found = self.of(self.ask(store.client, context), flag)
            assert found == expect(store.client.post(f"{EVALUATE}/{flag.key}", {"context": context}))


class TestTrack:
    """What a client reports that evaluates all flags at once."""

    def test_exposures_and_events_count_once(self, store):
        flag = Flag(store.client)
        events = [{"name": "purchase", "key": "order-1"}, {"name": "purchase", "value": 2.5, "key": "order-2"}]
        first = expect(flag.track("u1", events=events))
        assert first == {"key": flag.key, "variant": first["variant"], "in_experiment": True, "exposure": "recorded",
                         "received": 2, "recorded": 2, "deduplicated": 0}
        again = expect(flag.track("u1", events=events))
        assert (again["exposure"], again["recorded"], again["deduplicated"]) == ("known", 0, 2)
        assert again["variant"] == flag.get("u1")["variant"]
        assert expect(flag.track("u2", exposure=False))["exposure"] == "none"
        assert sum(flag.arms().values()) == 1
        assert expect(store.client.get(flag.path("ingestion")))["conversion_counts"] == [
            {"metric": "purchase", "count": 2, "value_sum": 3.5}]

    def test_events_count_after_the_flag_went_off(self, store):
        now = time.time()
        flag = Flag(store.client, holdout={"name": "few", "share": .3})
        users = [f"u{i}" for i in range(20)]
        for user in users:
            flag.get(user)
        arms = flag.arms()
        assert arms[-1] and sum(arms.values()) == 20
        flag.link("u1", "account")

        def recorded(user, when):
            answer = expect(flag.track(user, events=[{"name": "purchase", "key": f"{when} {user}"}]))
            assert answer["exposure"] in ("none", "known")
            return answer["recorded"]

        for when, change in (("off", {"enabled": False}), ("fixed", {"enabled": True, "fixed_variation": 1}),
                             ("closed", {"fixed_variation": None, "ramp": [{"starts_at": now - DAY, "share": 0}]})):
            flag.set(**change)
            assert [recorded(user, when) for user in (*users, "account")] == [1] * 21
            assert recorded("stranger", when) == 0
        expect(store.client.post(f"{PROJECTS}/{flag.id}/archive"))
        assert recorded("u0", "archived") == 0
        assert flag.arms() == arms

    def test_an_exposure_is_of_the_variant_that_was_shown(self, store):
        flag = Flag(store.client)
        shown = next(entry for entry in expect(store.client.post(EVALUATE, {"context": {"targetingKey": "u"}}))["flags"]
                     if entry["key"] == flag.key)["variant"]
        other = {"control": "treatment", "treatment": "control"}[shown]
        assert expect(flag.track("u", variant=other))["exposure"] == "none" and flag.arms() == {}
        assert expect(flag.track("u", variant=shown))["exposure"] == "recorded"
        assert [expect(flag.track("u", variant=name))["exposure"] for name in (shown, other)] == ["known", "none"]
        assert sum(flag.arms().values()) == 1

    def test_nobody_waits_while_kafka_is_away(self, stores):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and listens to nobody
            store = stores.get("sqlite", {
                **OPEN, "AB_INTAKE": "kafka", "AB_KAFKA_PUBLISH_SECONDS": "4", "AB_SQLITE_BUSY_TIMEOUT_MS": "500",
                "KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{taken.getsockname()[1]}"})
            flag = Flag(store.client)
            with concurrent.futures.ThreadPoolExecutor(1) as threads:
                tracked = threads.submit(store.client.send, "POST", f"{TRACK}/{flag.key}", may_fail=True,
                                         json={"context": {"targetingKey": "u"}})
                while not tracked.done():
                    flag.set(default_variation=1)
            assert tracked.result().status == 503

    def test_refusals_record_nothing(self, store):
        flag = Flag(store.client)
        code(flag.track("u", events=[{"name": "purchase", "key": "a"}, {"name": "made up", "key": "b"}]), 400, "GENERAL")
        code(flag.track("u", events=[{"name": "purchase"}]), 400, "PARSE_ERROR")
        code(flag.track(""), 400, "TARGETING_KEY_MISSING")
        counts = expect(store.client.get(flag.path("ingestion")))
        assert (counts["exposures_total"], counts["conversions_total"]) == (0, 0)


class TestClientKey:
    """Keys that everybody can read: one flag, listed origins, a limit of their own, and nothing else."""

    def make(self, store, flag, **members):
        key = expect(store.write.post(flag.path("client-keys"), {"name": "shop", "origins": [SHOP], **members}))
        return key, store.as_token(key["client_key"])

    def test_one_project_alone(self, guarded):
        mine, other = Flag(guarded.write), Flag(guarded.write)
        key, client = self.make(guarded, mine)
        assert expect(mine.ask("u", client))["metadata"]["inExperiment"]
        assert expect(mine.track("u", client))["exposure"] == "known"
        code(other.ask("u", client), 404, "FLAG_NOT_FOUND")
        code(other.track("u", client), 404, "FLAG_NOT_FOUND")
        bulk = expect(client.post(EVALUATE, {"context": {"targetingKey": "u"}}))
        assert [flag["key"] for flag in bulk["flags"]] == [mine.key]
        assert other.arms() == {}
        for path in (mine.path("flag"), mine.path("ingestion"), PROJECTS, "/api/v1/keys", mine.path("client-keys")):
            assert client.get(path).status == 401
        assert client.post(mine.path("exposures"), {"exposures": [{"user_id": "x", "variation_index": 0}]}).status == 401
        assert expect(guarded.read.get(mine.path("client-keys")))["client_keys"] == [key]
        expect(guarded.write.send("DELETE", f"{mine.path('client-keys')}/{key['id']}"))
        code(mine.ask("u", client), 401, "GENERAL")
        expect(guarded.write.send("DELETE", f"{mine.path('client-keys')}/{key['id']}"), 404, "not_found")

    def test_events_that_anybody_can_send(self, guarded):
        """They take no key of another event, and no value beyond AB_CLIENT_EVENT_VALUE_MAX."""
        flag = Flag(guarded.write)
        _, client = self.make(guarded, flag)
        for user in ("forger", "buyer"):
            expect(flag.track(user))

        def send(user, by, **event):
            return flag.track(user, by, events=[{"name": "purchase", "key": "order-1", **event}])

        assert expect(send("forger", client))["recorded"] == 1
        assert expect(send("forger", client))["deduplicated"] == 1
        assert expect(send("buyer", client))["recorded"] == 1
        assert flag.convert("buyer", idempotency_key="order-1") == (1, 1, 0)
        assert expect(send("buyer", guarded.write))["deduplicated"] == 1
        for value in (1e7, -1e7):
            refused = send("forger", client, key="order-2", value=value)
            code(refused, 400, "GENERAL")
            assert "events.0.value" in refused.json()["errorDetails"]
        assert expect(send("forger", guarded.write, key="order-2", value=1e7))["recorded"] == 1

    def test_pages_of_listed_origins_alone(self, guarded):
        flag = Flag(guarded.write)
        _, client = self.make(guarded, flag, origins=[SHOP, "http://localhost:3000"])

        def preflight(origin, path=f"{EVALUATE}/{flag.key}"):
            return guarded.client.send("OPTIONS", path, headers={
                "Origin": origin, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,content-type,if-none-match"})

        def call(origin):
            return client.send("POST", EVALUATE, json={"context": {"targetingKey": "u"}}, headers={"Origin": origin})

        for origin in (SHOP, "http://localhost:3000"):
            asked, answer = preflight(origin), call(origin)
            assert asked.status == answer.status == 200
            assert asked.headers["Access-Control-Allow-Origin"] == answer.headers["Access-Control-Allow-Origin"] == origin
            assert "If-None-Match" in asked.headers["Access-Control-Allow-Headers"]
            assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
            assert "Access-Control-Allow-Credentials" not in answer.headers
        for origin in ("https://evil.example", "null", "https://shop.example.evil", "http://shop.example"):
            assert preflight(origin).status == 400 and call(origin).status == 403
            assert "Access-Control-Allow-Origin" not in {**preflight(origin).headers, **call(origin).headers}
        assert preflight(SHOP, PROJECTS).status == 400

    def test_a_limit_of_its_own(self, stores, engine):
        store = stores.get(engine, {**TOKENS, "AB_RATE_LIMIT_REQUESTS": 1000, "AB_TRUSTED_PROXY_HOPS": 1,
                                    "AB_READONLY_API_TOKEN": "abc_chosen_before_there_were_client_keys"})
        assert store.as_token("abc_chosen_before_there_were_client_keys").get(PROJECTS).status == 200
        assert store.as_token("abc_another").get(PROJECTS).status == 401
        flag = Flag(store.write)
        _, client = self.make(store, flag, rate_limit_requests=3, rate_limit_window_seconds=3600)
        neighbor = client.with_headers({"X-Forwarded-For": "192.0.2.7"})
        for _ in range(3):
            expect(flag.ask("u", client))
        refused = flag.ask("u", client)
        code(refused, 429, "GENERAL")
        assert int(refused.headers["Retry-After"]) >= 1
        expect(flag.ask("u", neighbor))  # everybody has the key
        _, another = self.make(store, flag)
        expect(flag.ask("u", another))

    @pytest.mark.parametrize("origins", [[], ["shop.example"], ["https://Shop.example"], ["https://shop.example/"], ["*"],
                                         ["ftp://shop.example"], ["https://"]])
    def test_origins_are_origins(self, guarded, origins):
        flag = Flag(guarded.write)
        assert guarded.write.post(flag.path("client-keys"), {"name": "x", "origins": origins}).status == 422

    def test_readers_evaluate_and_do_not_track(self, guarded):
        flag = Flag(guarded.write)
        assert expect(flag.ask("reader", guarded.read))["metadata"]["inExperiment"] and sum(flag.arms().values()) == 1
        assert flag.track("u", guarded.read).status == 403
        assert guarded.read.send("PUT", flag.path("flag"), json=flag.document).status == 403
        assert guarded.read.post(flag.path("client-keys"), {"name": "x", "origins": [SHOP]}).status == 403

    def test_an_open_service_holds_them_to_their_project(self, store):
        mine, other = Flag(store.client), Flag(store.client)
        key = expect(store.client.post(mine.path("client-keys"), {"name": "shop", "origins": [SHOP]}))
        client = store.as_token(key["client_key"])
        assert mine.ask("u", client).status == 200
        code(other.ask("u", client), 404, "FLAG_NOT_FOUND")
