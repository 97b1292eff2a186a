"""Templates: the ten presets, designs that people keep as templates, and what using one means."""

import concurrent.futures

import pytest

from project_fixtures import OPEN, PROJECTS, create, expect, payload, stored_form, unknown_id

pytest_plugins = ["store_fixtures"]
MOST = 3  # templates beside the presets

TEMPLATES = "/api/v1/templates"

# What the presets are about: category, tags, unit, users a day, share, metric, type, baseline, deviation,
# correlation before the experiment, uplift, smallest effect, secondary metrics, names of guardrails.
PRESETS = {
    "checkout_conversion": ("Revenue", "binary revenue checkout", "user", 12000, 0.6, "purchase_conversion", "binary",
                            0.042, None, None, 8, 5, ["add_to_cart_rate"], ["Payment error rate", "Refund value"]),
    "pricing_sensitivity": ("Revenue", "continuous pricing monetization", "account", 2200, 0.9, "avg_order_value",
                            "continuous", 45, 12, 0.5, 6, 4.5, ["checkout_completion_rate"], ["Purchase conversion"]),
    "onboarding_completion": ("Engagement", "binary onboarding activation", "user", 8000, 0.8,
                              "onboarding_completion_rate", "binary", 0.34, None, None, 10, 6,
                              ["feature_activation_rate"], ["Tutorial skip rate"]),
    "feature_adoption": ("Engagement", "binary feature adoption", "user", 15000, 0.5, "feature_adoption_rate", "binary",
                         0.14, None, None, 12, 7, ["retained_usage_rate"], ["Task completion rate"]),
    "latency_impact": ("Performance", "continuous performance latency", "session", 30000, 0.7, "pages_per_session",
                       "continuous", 3.8, 1.9, 0.35, 4, 3.5, ["conversion_rate"], ["Bounce rate"]),
    "email_campaign": ("Marketing", "binary email lifecycle", "user", 180000, 0.92, "email_to_click_rate", "binary",
                       0.038, None, None, 12, 10, ["open_rate", "session_conversion_rate"],
                       ["Unsubscribe rate", "Spam complaint rate"]),
    "push_notification_reactivation": ("Lifecycle", "binary push reactivation", "user", 95000, 0.68,
                                       "thirty_day_reactivation_rate", "binary", 0.012, None, None, 18, 15,
                                       ["seven_day_session_rate", "purchase_within_thirty_days"],
                                       ["Push opt-out rate", "Uninstall rate"]),
    "app_onboarding_drop_off": ("Mobile Activation", "binary mobile onboarding", "user", 20000, 0.94,
                                "activation_within_24h", "binary", 0.41, None, None, 7, 5,
                                ["step_two_completion_rate", "day_one_retention"],
                                ["Permission opt-in rate", "Crash-free onboarding sessions"]),
    "search_ranking_ctr": ("Search Discovery", "binary search ctr", "session", 5500000, 0.88, "serp_ctr", "binary",
                           0.22, None, None, 4, 3, ["refinement_rate", "long_click_rate"],
                           ["Zero-result rate", "Failed search latency share"]),
    "trial_to_paid": ("SaaS Monetization", "continuous saas monetization", "account", 1200, 0.96, "mrr_per_trial_start",
                      "continuous", 21.4, 58, 0.42, 9, 6, ["activation_rate", "paid_conversion_rate"], ["ARPU"]),
}
# Users per variant that the design of a preset needs; 146642 is the golden case of checkout.
SIZES = {"checkout_conversion": 146642, "onboarding_completion": 8583}


@pytest.fixture(scope="module")
def store(stores, engine):
    return stores.get(engine, {**OPEN, "AB_MAX_TEMPLATES": MOST})


def listed(client, query=""):
    return expect(client.get(TEMPLATES + query))


def keep(client, name="Ours", **members):
    return expect(client.post(TEMPLATES, {"name": name, "description": "As usual", "payload": payload("Kept"), **members}))


def test_presets_on_a_fresh_database(store):
    found = listed(store.client)
    assert found["total"] == len(found["templates"]) == 10
    assert [t["name"] for t in found["templates"]] == sorted((t["name"] for t in found["templates"]), key=str.lower)
    assert {t["id"] for t in found["templates"]} == set(PRESETS)
    for template in found["templates"]:
        check_preset(template)
        design = expect(store.client.post("/api/v1/design", template["payload"]))
        size = SIZES.get(template["id"])
        assert not size or design["calculations"]["sample_size_per_variant"] == size, template["id"]
    used = expect(store.client.post(f"{TEMPLATES}/checkout_conversion/use"))
    assert used["usage_count"] == 1 and used["payload"]["project"]["project_name"] == ""
    assert expect(store.client.get(PROJECTS))["total"] == 0, "using a template makes no project"
    expect(store.client.send("DELETE", f"{TEMPLATES}/checkout_conversion"), 403, "template_delete_forbidden")
    assert create(store.client, used["payload"])["payload"] == used["payload"]
    store.database.run("UPDATE project_templates SET name = 'Touched' WHERE id = 'trial_to_paid'")
    assert "Touched" in [t["name"] for t in listed(store.client)["templates"]], "reading writes nothing"
    store.stop()
    store.database.run("UPDATE project_templates SET name = 'Old', payload_json = '{}' WHERE id = 'trial_to_paid';"
                       "DELETE FROM schema_backfills WHERE name LIKE 'presets%'")
    store.start()
    again = listed(store.client)["templates"]
    assert [t["usage_count"] for t in again] == [1] + [0] * 9 and again[0]["id"] == "checkout_conversion"
    for template in again:
        check_preset(template)


def check_preset(template):
    (category, tags, unit, traffic, share, metric, metric_type, baseline, deviation, correlation, uplift, effect,
     secondary, guardrails) = PRESETS[template["id"]]
    plan, setup = template["payload"]["metrics"], template["payload"]["setup"]
    assert template["built_in"] and template["category"] == category and template["tags"] == tags.split()
    assert (setup["randomization_unit"], setup["expected_daily_traffic"], setup["audience_share_in_test"]) == (unit, traffic, share)
    assert (setup["variants_count"], setup["traffic_split"], setup["experiment_type"]) == (2, [50, 50], "ab")
    assert (plan["primary_metric_name"], plan["metric_type"], plan["baseline_value"]) == (metric, metric_type, baseline)
    assert (plan["std_dev"], plan["cuped_correlation"]) == (deviation, correlation)
    assert plan["cuped_pre_experiment_std"] == (deviation if correlation else None)
    assert (plan["expected_uplift_pct"], plan["mde_pct"], plan["alpha"], plan["power"]) == (uplift, effect, 0.05, 0.8)
    assert plan["secondary_metrics"] == secondary and [g["name"] for g in plan["guardrail_metrics"]] == guardrails
    constraints = template["payload"]["constraints"]
    assert (constraints["n_looks"], constraints["analysis_mode"], constraints["credibility"],
            constraints["desired_precision"]) == (1, "frequentist", 0.95, None)
    texts = [*template["payload"]["hypothesis"].values(), template["description"], template["name"],
             template["payload"]["project"]["project_description"], template["payload"]["additional_context"]["llm_context"]]
    assert all(len(text) > 10 for text in texts), "every text is written"


def test_own_templates(store):
    mine = keep(store.client, "Ökonomie", category="Shop", tags=["a", "b"])
    assert mine == {"id": mine["id"], "name": "Ökonomie", "category": "Shop", "description": "As usual",
                    "built_in": False, "tags": ["a", "b"], "usage_count": 0, "payload": stored_form(payload("Kept"))}
    assert keep(store.client, "x" * 120)["category"] == "Custom"
    assert expect(store.client.get(f"{TEMPLATES}/{mine['id']}")) == mine
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert all(a.status == 200 for a in pool.map(lambda _: store.client.post(f"{TEMPLATES}/{mine['id']}/use"), range(12)))
    found = listed(store.client)["templates"]
    assert found[0]["built_in"] and [t["usage_count"] for t in found if t["id"] == mine["id"]] == [12]
    assert [t["name"] for t in found if not t["built_in"]][:2] == ["Ökonomie", "x" * 120], "those used most come first"
    pages = [listed(store.client, f"?limit=5&offset={offset}")["templates"] for offset in (0, 5, 10)]
    assert [t["id"] for page in pages for t in page] == [t["id"] for t in found]
    assert expect(store.client.send("DELETE", f"{TEMPLATES}/{mine['id']}")) == {"id": mine["id"], "deleted": True}
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/use")):
        expect(store.client.send(method, f"{TEMPLATES}/{mine['id']}{path}"), 404, "not_found")
    told = expect(store.client.get("/api/v1/audit?limit=3"))["entries"]
    assert [(e["action"], e["project_name"]) for e in told][0] == ("template.delete", "Ökonomie")


@pytest.mark.parametrize("change, place, kind", [
    ({"name": ""}, ("name",), "string_too_short"), ({"name": "é" * 121}, ("name",), "string_too_long"),
    ({"category": "x" * 61}, ("category",), "string_too_long"), ({"category": ""}, ("category",), "string_too_short"),
    ({"description": "x" * 241}, ("description",), "string_too_long"), ({"tags": ["t"] * 9}, ("tags",), "too_long"),
    ({"built_in": True}, ("built_in",), "extra_forbidden"), ({"payload": {**payload(), "x": 1}}, ("payload", "x"), "extra_forbidden"),
    ({"payload": payload(metrics={"mde_pct": 0})}, ("payload", "metrics"), "value_error")])
def test_refused(store, change, place, kind):
    body = {"name": "n", "description": "d", "payload": payload(), **change}
    errors = store.client.post(TEMPLATES, body).errors()
    assert {k: e["type"] for k, e in errors.items()} == {("body", *place): kind}


@pytest.mark.parametrize("name", ["x", unknown_id(), "%ff", "%27", "a" * 3000, "CHECKOUT_CONVERSION"], ids=lambda n: n[:30])
def test_unknown(store, name):
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/use")):
        expect(store.client.send(method, f"{TEMPLATES}/{name}{path}"), 404, "not_found")


def test_no_more_than_the_setting_says(store):
    for template in listed(store.client)["templates"][10:]:
        expect(store.client.send("DELETE", f"{TEMPLATES}/{template['id']}"))
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        body = {"name": "n", "description": "d", "payload": payload()}
        statuses = sorted(a.status for a in pool.map(lambda _: store.client.post(TEMPLATES, body), range(6)))
    assert statuses == [200] * MOST + [409] * MOST
    expect(store.client.post(TEMPLATES, body), 409, "template_limit_reached")
    assert listed(store.client)["total"] == 10 + MOST
