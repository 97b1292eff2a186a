"""Experiments with its demonstration projects: planning, analyses, projects, running experiments, reports, keys."""

import gzip
import json
import re
from contextlib import contextmanager
from urllib.parse import urlencode

from chat_platform import ChatPlatform, sign
from fake_provider import FakeProvider
from normalise import SORTED
from plan import Plan

TOKENS = {"AB_API_TOKEN": "write-token-4f1c9ab27d", "AB_READONLY_API_TOKEN": "read-token-77d0c5e1b3", "AB_ADMIN_TOKEN": "admin-token-e21b60cf94"}
WRITE, READ, ADMIN = ({"Authorization": f"Bearer {token}"} for token in TOKENS.values())
NUMBER = "<number>"


def without_state(text):
    """An address without the random part of an install."""
    return re.sub(r"state=[\w-]+\.\d+\.[\w-]+", "state=<text>", text)


def without_file(text):
    """Of a PDF in base64 only that it is one."""
    return "<PDF>" if text.startswith("JVBERi") else text


RULES = [
    ("GET /api/v1/diagnostics", r"\.runtime\.process_time_ms_\w+|\.storage\.\w+_bytes|\.uptime_seconds"
                                r"|\.webhooks\.(oldest_due_age_seconds|pending|retrying|failed)", NUMBER),
    ("GET /health|GET /api/v1/diagnostics", r".*\.(app_)?git_sha", "<commit>"),
    ("GET /api/v1/experiments/.*", r".*\.forecast\.(days_\w+|people_per_day)", NUMBER),
    ("GET /api/v1/projects", r"\.projects\[\]\.revision_count", NUMBER),  # of copies that were imported together
    (".*/workspace/.*", r".*\.checksum_sha256", "<hex64>"),
    ("GET /api/v1/workspace/export", r"\.\w+", SORTED),
    ("GET .*/deliveries", r"\.deliveries", SORTED),
    ("GET .*/deliveries", r".*\.(status|error_message|next_attempt_at|response_body|attempt_count|http_status|event_id)", "<as far as it has come>"),
    ("POST .*/assign", r".*\.(variation_index|variationId|hash|bucket)", NUMBER),
    ("POST /api/v1/export/comparison", r"\.content", without_file),
    ("POST /api/v1/keys", r"\.plaintext_key", "<key>"),
]
HEADERS = [("x-ratelimit-remaining", NUMBER), ("location", without_state),
           ("set-cookie", lambda text: re.sub("=[\\w-]{32};", "=<text>;", text))]
HUGE = 1e300

SIZING = {"metric_type": "binary", "baseline_value": 0.04, "mde_pct": 5, "alpha": 0.05, "power": 0.8, "expected_daily_traffic": 12000,
          "audience_share_in_test": 0.6, "traffic_split": [50, 50], "variants_count": 2, "n_looks": 3, "holdout_fraction": 0.1,
          "mutually_exclusive_experiments": 2}
CLUSTERS = {"randomization_unit": "cluster", "avg_cluster_size": 20, "icc": 0.02}
BAYES = {"analysis_mode": "bayesian", "desired_precision": 0.5, "credibility": 0.9}
MEAN = {"metric_type": "continuous", "baseline_value": 20, "std_dev": 7}
DESIGN = {
    "project": {"project_name": "Checkout", "domain": "shop", "product_type": "web", "platform": "web", "market": "DE", "project_description": ""},
    "hypothesis": {"change_description": "LARGER Button", "target_audience": "new visitors", "business_problem": "carts",
                   "hypothesis_statement": "found sooner", "what_to_validate": "conversion", "desired_result": "orders"},
    "setup": {"experiment_type": "ab", "randomization_unit": "user", "traffic_split": [50, 50], "expected_daily_traffic": 12000,
              "audience_share_in_test": 0.6, "variants_count": 2, "inclusion_criteria": "all", "exclusion_criteria": "staff"},
    "metrics": {"primary_metric_name": "orders", "metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5, "alpha": 0.05, "power": 0.8},
    "constraints": {"seasonality_present": False, "active_campaigns_present": False, "returning_users_present": True, "interference_risk": "",
                    "technical_constraints": "", "legal_or_ethics_constraints": "", "known_risks": "", "deadline_pressure": "", "long_test_possible": True}}
GUARDRAILS = [{"name": "a", "metric_type": "binary", "baseline_rate": 3, "direction": "decrease_is_bad", "non_inferiority_margin_pct": 2},
              {"name": "b", "metric_type": "continuous", "baseline_mean": 5, "std_dev": 2}]
TABLE = {"control_conversions": 8, "control_users": 20, "treatment_conversions": 12, "treatment_users": 30, "alpha": 0.05}
MEANS = {"control_mean": 10, "control_std": 2, "control_n": 30, "treatment_mean": 11, "treatment_std": 3, "treatment_n": 40, "alpha": 0.05}
VALUES = {"control_values": [1, 2, 4, 8, 3, 2], "treatment_values": [2, 3, 5, 9, 12], "alpha": 0.05, "quantile": 0.5, "trim": 0.2}
COUNTS = {"control_events": 10, "control_exposure": 100, "treatment_events": 25, "treatment_exposure": 120, "alpha": 0.05}
PAIRS = {"control_values": [1, 2, 4, 8, 3, 2], "treatment_values": [2, 3, 5, 9, 12, 1], "alpha": 0.05}
ARM = {"durations": [1, 2, 2, 5, 9], "events_observed": [True, True, False, True, True]}
SURVIVAL = {"control_arm": ARM, "treatment_arm": {**ARM, "durations": [2, 3, 5, 8, 9]}, "alpha": 0.05}


def design(**blocks):
    made = json.loads(json.dumps(DESIGN))
    for block, members in blocks.items():
        made.setdefault(block, {}).update(members)
    return made


def results(block, observed, *kinds):
    return [{"metric_type": kind, block: observed} for kind in kinds]


DATA_FORM = (b'--data\r\nContent-Disposition: form-data; name="mapping"\r\n\r\n{"arm":"a","value":"y","metric_type":"count"}\r\n'
             b'--data\r\nContent-Disposition: form-data; name="file"; filename="u.csv"\r\n\r\na,y\nx,1\nx,3\nz,2\nz,5\nz,\n\r\n'
             b"--data--\r\n")

COMPUTED = {
    "calculate": [
        SIZING, {**SIZING, "planned_test": "fisher_exact", "mde_pct": 60}, {**SIZING, **CLUSTERS, **BAYES}, {**SIZING, "actual_counts": [4900, 5100]},
        {**SIZING, **MEAN, **BAYES, "cuped_pre_experiment_std": 6, "cuped_correlation": 0.5}, {**SIZING, **MEAN, "planned_test": "mann_whitney"},
        {**SIZING, **MEAN, "planned_test": "tost", "equivalence_margin_pct": 8}, {**SIZING, "metric_type": "ratio", "baseline_value": 0.3, "std_dev": 0.8},
        {**SIZING, "metric_type": "count", "baseline_value": 2, "exposure_per_user": 3}, {**SIZING, "variants_count": 3, "traffic_split": [1, 1, 1]},
        {**SIZING, "seasonality_present": True, "active_campaigns_present": True, "long_test_possible": False, "mde_pct": 0.1},
        {**SIZING, "traffic_split": [50]}, {**SIZING, "baseline_value": 2}, {**SIZING, "planned_test": "tost"}, {**SIZING, **MEAN, "std_dev": None}],
    "design": [
        design(), design(metrics={"guardrail_metrics": GUARDRAILS}, constraints={"n_looks": 3, **BAYES}),
        design(metrics={**MEAN, "guardrail_metrics": GUARDRAILS, "cuped_pre_experiment_std": 6, "cuped_correlation": 0.5}),
        design(metrics={"metric_type": "ratio", "baseline_value": 0.05, "std_dev": 0.09, "numerator_metric_name": "clicks", "denominator_metric_name": "views"}),
        design(setup={"variants_count": 3, "traffic_split": [1, 1]})],
    "srm_check": [{"observed_counts": [480, 520, 1000], "expected_fractions": [0.25, 0.25, 0.5]}, {"observed_counts": [1, 900], "expected_fractions": [0.5, 0.5]},
                  {"observed_counts": [0, 0], "expected_fractions": [0.5, 0.5]}, {"observed_counts": [1], "expected_fractions": [0.5, 0.6]}],
    "sensitivity": [
        {"metric_type": "binary", "baseline_rate": 3.5, "variants": 3, "alpha": 0.05, "daily_traffic": 1000, "audience_share": 0.5,
         "traffic_split": [1, 2, 3], "mde_values": [1, 5], "power_values": [0.8, 0.9]},
        {"metric_type": "continuous", "baseline_mean": 20, "std_dev": 7, "mde_values": [1, 5]}],
    "multiple_testing": [{"metrics": [{"label": "a", "p_value": 0.01}, {"label": "b", "p_value": 0.2}], "level": 0.05, "method": method}
                         for method in ("bh", "holm", "bonferroni", "by")],
    "assignment_preview": [{"seed": "exp-1", "sample_size": 300, "coverage": 0.5, "weights": [0.3, 0.7], "num_variations": 2}],
    "results": [
        *results("binary", TABLE, "binary", "fisher_exact", "boschloo_exact", "barnard_exact"),
        *results("continuous", {**MEANS, "equivalence_margin": 2}, "continuous", "equivalence"),
        *results("ranked", VALUES, "mann_whitney", "bootstrap", "quantile", "trimmed_t"), *results("count", COUNTS, "count"),
        *results("binary", {**TABLE, "control_conversions": 30}, "binary"), *results("continuous", {**MEANS, "control_std": HUGE}, "continuous"),
        {"metric_type": "binary", "binary": TABLE, "continuous": MEANS}, {"metric_type": "count"}],
    "results_paired": [{"test_type": "paired_t", **PAIRS}, {"test_type": "wilcoxon", **PAIRS}, {"test_type": "paired_t", **PAIRS, "control_values": [1]},
                       {"test_type": "mcnemar", "control_values": [0, 1, 1, 0], "treatment_values": [1, 1, 0, 1]}],
    "results_ratio": [{f"{arm}_arm": {"numerators": [1, 2, 4, 8], "denominators": [2, 3, 5, 9]} for arm in ("control", "treatment")}],
    "results_categorical": [{"table": [[10, 20, 30], [30, 20, 12]], "test_type": test, "alpha": 0.05} for test in ("chi_square", "g_test")],
    "design_solve": [{"solve_for": "size", "test": "proportions", "baseline_value": 0.05, "mde_pct": 10, "power": 0.8},
                     {"solve_for": "effect", "test": "means", "baseline_value": 20, "std_dev": 7, "power": 0.8, "days": 14,
                      "daily_traffic": 500, "variants": 3, "correction": "dunnett", "simulation_runs": 1000}],
    "results_arms": [{"metric_type": "mean", "correction": correction, "arms": [
        {"users": 9, "mean": 3, "std": 2}, {"users": 5, "mean": 4, "std": 1}, {"users": 7, "mean": 6, "std": 3}]}
        for correction in ("dunnett", "holm")],
    "results_cluster": [{"metric_type": "mean", "control_arm": {"clusters": ["a", "a", "b", "c"], "sums": [3, 4, 6, 2]},
                         "treatment_arm": {"clusters": ["d", "e", "e", "f"], "sums": [7, 8, 6, 5]}}],
    "results_switchback": [{"metric_type": "mean", "slot_length": 10, "washout": 2, "times": [4, 15, 26, 38, 49, 57],
                            "arms": [0, 1, 1, 0, 0, 1], "sums": [3, 5, 4, 2, 1, 6]}],
    "results_always_valid": [
        {"metric": "mean", **{f"{arm}_arm": {"n": 900, "mean": mean, "std": 4, "covariate": {"mean": 5, "std": 3, "correlation": 0.5}}
                              for arm, mean in (("control", 5), ("treatment", 6))}},
        {"metric": "quantile", "control_arm": {"values": [1, 2, 3]}, "treatment_arm": {"values": [2, 4, 9]}}],
    "sequential_design": [{"information_fractions": [0.4, 0.75, 1]},
                          {"sides": 1, "alpha": 0.025, "futility": "non_binding", "beta_spending": "hwang_shih_decani",
                           "beta_parameter": -2, "information_fractions": [0.5, 1]}],
    "sequential_monitor": [{"plan": {"information_fractions": [0.5, 1]}, "looks": [{"information_fraction": 0.5, "z": z}]}
                           for z in (1.2, 3.4)],
    "results_adjusted": [{"metric_type": "continuous", "variance": variance, "arms": [
        {"values": [10, 12, 13, 15, 16], "covariates": [[3, 1, None, 5, 4]]},
        {"values": [18, 20, 21, 24, 25], "covariates": [[2, 4, 3, None, 6]]}]} for variance in ("hc2", "hc3", "arm")],
    "results_statistics": [{"metric_type": "continuous", "control": {"n": 5, "sum": 66, "sum_squares": 894},
                            "treatment": {"n": 5, "mean": 21, "std": 2.5}},
                           {"metric_type": "mann_whitney", "control": {"values": [1, 2, 3], "counts": [4, 3, 1]},
                            "treatment": {"values": [1, 2, 3], "counts": [2, 3, 5]}}],
    "results_bayes": [{"metric_type": "binary", "arms": [{"n": 50, "converted": 5}, {"n": 60, "converted": 9}]},
                      {"metric_type": "count", "arms": [{"events": 5, "exposure": 20}, {"events": 9, "exposure": 21}],
                       "loss_threshold": 0.1, "looks": 3, "worthwhile_effect": 0.2},
                      {"metric_type": "log_normal", "direction": "decrease", "arms": [{"n": 20, "mean": 3, "std": 1}] * 2}],
    "results_omnibus": [{"test_type": test, "groups": [[1, 2, 4, 3], [2, 5, 9], [4, 7, 8]], "alpha": 0.05} for test in ("welch_anova", "kruskal_wallis")],
    "results_survival": [{**SURVIVAL, "test_type": "log_rank", "additional_arms": [ARM]}, {**SURVIVAL, "test_type": "cox"},
                         {**SURVIVAL, "test_type": "fleming_harrington", "fh_rho": 1, "fh_gamma": 1}],
    "simulate_bandit": [{"arm_rates": [0.05, 0.12], "horizon": 40, "num_simulations": 10, "seed": 7}],
    "analyze": [design(), design(metrics=MEAN)],
}
RECORDS = {
    "exposures": ([{"user_id": f"u{i}", "variation_index": i % 2, "occurred_at": 1800000000 + i} for i in range(40)], {"user_id": "u", "variation_index": 9}, {"user_id": ""}),
    "conversions": ([{"user_id": f"u{i}", "metric": "orders", "value": 1 + i % 3} for i in range(0, 40, 3)], {"user_id": "u", "metric": "x", "value": "a"}, {"user_id": "u0"}),
    "identities": ([{"anonymous_id": "a1", "canonical_id": "u1"}], {"anonymous_id": "a1", "canonical_id": "a1"}, {}),
    "exclusions": ([{"user_id": "u3"}], {"user_id": 5}, {}), "holdout": ([{"user_id": "h1"}], {"user_id": 5}, {}),
    "pre-period": ([{"user_id": f"u{i}", "value": i * 0.5} for i in range(20)], {"user_id": "u", "value": "x"}, {}),
    "strata": ([{"user_id": f"u{i}", "stratum": "new" if i % 4 else "old"} for i in range(20)], {"user_id": "u", "stratum": ""}, {})}
MEMBERS = {"pre-period": "pre_period_values"}


@contextmanager
def surroundings():
    provider = FakeProvider()
    with ChatPlatform() as platform:
        yield {**TOKENS, **platform.settings, "AB_RATE_LIMIT_ENABLED": "false", "AB_SEED_DEMO_ON_STARTUP": "true", "AB_CHATAPP_TEAMS": "T1",
               "AB_LLM_BASE_URL": provider.url, "AB_LLM_INITIAL_BACKOFF_SECONDS": "0.01", "AB_LLM_API_KEY": "key-of-the-model", "AB_LLM_MODEL": "model"}
    provider.close()


def projects(recorder):
    """The demonstration's projects by name, and how lists are asked for."""
    recorder.step = "projects"
    found = {one["project_name"]: one["id"] for one in recorder.send("GET", "/api/v1/projects?sort_by=name&sort_dir=asc", READ).json()["projects"]}
    for query in ("", "?status=all", "?status=archived", "?include_archived=true", "?q=demo", "?q=PRICING", "?metric_type=continuous", "?sort_by=name&sort_dir=desc",
                  "?limit=1", "?limit=1&offset=1", "?limit=2&offset=9", "?q=%C3%A9", "?sort_by=duration_days"):
        recorder.send("GET", "/api/v1/projects" + query, READ)
    for project in found.values():
        base = f"/api/v1/projects/{project}"
        for rest in ("", "/history", "/history?analysis_limit=1&analysis_offset=1&export_limit=1", "/revisions", "/revisions?limit=1&offset=0",
                     "/report/csv", "/report/pdf", "/report/xlsx"):
            recorder.send("GET", base + rest, READ)
        for language in ("ru", "de", "es", "fr", "zh", "ar"):
            recorder.send("GET", f"{base}/report/csv", {**READ, "Accept-Language": language})
        live = f"/api/v1/experiments/{project}"
        for rest in ("/ingestion", "/live-stats", "/live-stats?dimension=strata", "/live-stats?dimension=x", "/slices", "/interactions", "/decision"):
            answer = recorder.send("GET", live + rest, READ)
            if "ETag" in answer.headers:
                recorder.send("GET", live + rest, {**READ, "If-None-Match": answer.headers["ETag"]}, step="unchanged")
                recorder.send("GET", live + rest, {**READ, "If-None-Match": '"other"'}, step="other etag")
    return list(found.values())


def own_project(recorder):
    """Made, changed with revisions, archived and restored; what goes wrong on the way."""
    recorder.step, project = "own project", None
    for key, body in (("once", design()), ("once", design()), ("once", design(project={"project_name": "Other"}))):
        made = recorder.send("POST", "/api/v1/projects", {**WRITE, "Idempotency-Key": key}, body=body)
        project = made.json()["id"] if made.ok else project
    path = f"/api/v1/projects/{project}"
    revision = recorder.send("GET", path, READ).headers.get("ETag")
    for match in (revision, revision, '"0"', "*", "x"):
        recorder.send("PUT", path, {**WRITE, "If-Match": match or "x"}, body=design(project={"project_description": "changed"}))
    for body in (design(metrics=MEAN), design(metrics={"secondary_metrics": ["a"], "guardrail_metrics": GUARDRAILS}), design(setup={"targeting_rules": []})):
        recorder.send("PUT", path, WRITE, body=body)
    analysis = {key: value for key, value in recorder.send("POST", "/api/v1/analyze", WRITE, body=design()).json().items()}
    recorder.send("POST", path + "/analysis", WRITE, body=analysis)
    recorder.send("POST", path + "/exports", WRITE, body={"format": "markdown"})
    recorder.send("POST", path + "/exports", WRITE, body={"format": "paper"})
    for action in ("archive", "archive", "restore", "restore"):
        recorder.send("POST", f"{path}/{action}", WRITE)
    for rest in ("", "/history", "/revisions"):
        recorder.send("GET", path + rest, READ)
    return project, analysis


def running(recorder, project):
    recorder.step = "running experiment"
    base = f"/api/v1/experiments/{project}"
    for route, (good, *bad) in RECORDS.items():
        member = MEMBERS.get(route, route)
        for records in (good, good, [bad[0]], [bad[1]], [*good[:1], bad[0]], [], "x"):
            recorder.send("POST", f"{base}/{route}", WRITE, body={member: records})
        lines = "\n".join(map(json.dumps, good)).encode()
        for headers, data in (({}, lines), ({}, lines + b"\n{"), ({"Content-Encoding": "gzip"}, gzip.compress(lines, mtime=0)), ({"Content-Encoding": "br"}, lines), ({}, b"")):
            recorder.send("POST", f"{base}/{route}/lines", {**WRITE, "Content-Type": "application/x-ndjson", **headers}, data=data)
    for rest in ("/ingestion", "/live-stats", "/slices", "/interactions", "/decision"):
        recorder.send("GET", base + rest, READ)
    flagged(recorder, base)


def flagged(recorder, base):
    flag = {"key": "recorded", "enabled": True, "value_type": "string", "variants": [{"name": n, "value": n} for n in "ab"]}
    for body in (flag, {**flag, "value_type": "number"}, {**flag, "key": "-"}, {**flag, "variants": []}):
        recorder.send("PUT", base + "/flag", WRITE, body=body)
    for path in (base + "/flag/preview", "/api/v1/flags/preview"):
        for body in ({"context": {"targetingKey": "recorded"}}, {"context": {}}, {"context": 1}):
            recorder.send("POST", path, WRITE, body=body)
    key = recorder.send("POST", base + "/client-keys", WRITE, body={"name": "page", "origins": ["https://shop.example"]})
    if key.ok:
        recorder.normaliser.hide(key.json()["client_key"], "<client key>")
    for who in (READ, WRITE, {"X-API-Key": key.json().get("client_key", "")}):
        for path in ("evaluate/flags/recorded", "evaluate/flags/no-such-flag", "evaluate/flags", "track/flags/recorded"):
            for body in ({"context": {"targetingKey": "recorded"}}, {"context": {}}, {"context": 1}, {}):
                recorder.send("POST", f"/ofrep/v1/{path}", who, body=body)


def compared(recorder, ids, analysis):
    recorder.step = "comparison"
    for query in (f"?base_id={ids[0]}&candidate_id={ids[1]}", f"?base_id={ids[0]}&candidate_id={ids[0]}", f"?base_id={ids[0]}", ""):
        recorder.send("GET", "/api/v1/projects/compare" + query, READ)
    for body in ({"project_ids": ids[:2]}, {"project_ids": ids[:3]}, {"project_ids": ids[:1]}, {"project_ids": [ids[0], "x"]}, {"project_ids": []}):
        recorder.send("POST", "/api/v1/projects/compare", WRITE, body=body)
        for kind in ("markdown", "pdf", "x"):
            recorder.send("POST", "/api/v1/export/comparison", WRITE, body={**body, "format": kind})
    recorder.send("POST", "/api/v1/projects/compare?include_monte_carlo=true&monte_carlo_simulations=1000", WRITE, body={"project_ids": ids[:3]})
    for language in ("en", "de", "ru", "zh", "ar"):
        for route in ("markdown", "html"):
            recorder.send("POST", f"/api/v1/export/{route}", {**WRITE, "Accept-Language": language}, body=analysis.get("report", analysis))
        recorder.send("POST", "/api/v1/design", {**WRITE, "Accept-Language": language}, body=design())
        recorder.send("POST", "/api/v1/calculate", {**WRITE, "Accept-Language": language}, body={**SIZING, **MEAN, **BAYES})


def operated(recorder):
    recorder.step = "operations"
    made = []
    for body in ({"name": "k", "scope": "write"}, {"name": "k", "scope": "read"}, {"name": "", "scope": "write"}, {"name": "k", "scope": "x"}, {"name": "k"}):
        answer = recorder.send("POST", "/api/v1/keys", ADMIN, body=body)
        if answer.ok:
            made.append(answer.json())
            recorder.normaliser.hide(made[-1]["plaintext_key"], f"<key {len(made)}>")
    for key in made:
        for method, path in (("GET", "/api/v1/projects"), ("POST", "/api/v1/srm-check"), ("GET", "/api/v1/keys")):
            recorder.send(method, path, {"X-API-Key": key["plaintext_key"]}, body=COMPUTED["srm_check"][0] if method == "POST" else None)
    recorder.send("POST", f"/api/v1/keys/{made[1]['id']}/revoke", ADMIN)
    recorder.send("POST", f"/api/v1/keys/{made[1]['id']}/revoke", ADMIN)
    recorder.send("GET", "/api/v1/projects", {"X-API-Key": made[1]["plaintext_key"]})
    hooks = []
    hook = {"name": "h", "target_url": "https://hooks.invalid/x", "secret": "shared", "format": "generic", "scope": "global"}
    for body in (hook, {**hook, "format": "chatapp", "event_filter": ["project.create"]}, {**hook, "scope": "api_key", "api_key_id": made[0]["id"]},
                 {**hook, "target_url": "ftp://x"}, {**hook, "target_url": "http://127.0.0.1:9/"}, {**hook, "event_filter": ["x"]}, {"name": "h"}):
        answer = recorder.send("POST", "/api/v1/webhooks", ADMIN, body=body)
        hooks += [answer.json()["id"]] if answer.ok else []
    for query in ("", "?limit=1", "?action=project.create", "?before_id=3", "?key_id=x", "?project_id=x"):
        recorder.send("GET", "/api/v1/audit" + query, READ)
        recorder.send("GET", "/api/v1/audit/export" + query, ADMIN)
    return made[0]["id"], hooks


def chatted(recorder):
    """Signed calls of the chat platform."""
    recorder.step = "chat"
    for path, form in [("/chatapp/commands", {"team_id": "T1", "user_id": "U1", "command": "/ab-test", "text": text, "trigger_id": str(i)})
                       for i, text in enumerate(("help", "projects", "status x", "", "nonsense"))] + [("/chatapp/interactive", {"payload": "{}"}), ("/chatapp/interactive", {"payload": "x"})]:
        data = urlencode(form).encode()
        recorder.send("POST", path, {"Content-Type": "application/x-www-form-urlencoded", **sign(data, moment=recorder.clock.now())}, data=data)
    for body in (b'{"type":"url_verification","challenge":"c"}', b'{"type":"x"}', b"{"):
        recorder.send("POST", "/chatapp/events", {"Content-Type": "application/json", **sign(body, moment=recorder.clock.now())}, data=body)
        recorder.send("POST", "/chatapp/events", {"Content-Type": "application/json", **sign(body, secret="other", moment=recorder.clock.now())}, data=body)


def advised(recorder):
    recorder.step = "advice"
    context = {"project_context": {"project_name": "Kasse ü", "nothing": None}, "metrics": None}
    for path in ("/api/v1/llm/advice", "/api/v1/hypotheses/generate"):
        for headers in ({}, {"X-AB-LLM-Provider": "openai"}, {"X-AB-LLM-Provider": "none"}, {"X-AB-LLM-Provider": "x"}):
            recorder.send("POST", path, {**WRITE, **headers}, body=context)


def scenario(context):
    recorder = context.recorder
    recorder.clock = context.clock
    demo = projects(recorder)
    project, analysis = own_project(recorder)
    running(recorder, project)
    compared(recorder, [*demo, project], analysis)
    key, hooks = operated(recorder)
    chatted(recorder)
    advised(recorder)
    template = recorder.send("POST", "/api/v1/templates", WRITE, body=recorder.document.example(recorder.document.find("POST", "/api/v1/templates")), step="template").json().get("id", "x")
    metric = recorder.send("POST", "/api/v1/metrics", WRITE, body=recorder.document.example(recorder.document.find("POST", "/api/v1/metrics")), step="metric").json()
    segment = recorder.send("POST", "/api/v1/segments", WRITE, body=recorder.document.example(recorder.document.find("POST", "/api/v1/segments")), step="segment").json()
    delivery = recorder.send("POST", f"/api/v1/webhooks/{hooks[0]}/test", ADMIN, step="webhook").json().get("delivery_id", "x")
    export = recorder.send("GET", "/api/v1/workspace/export", WRITE, step="workspace").content
    kind = {"Content-Type": "application/vnd.assay.workspace+json"}
    workspace = [(kind, export), (kind, b'{"schema_version":1}'), (kind, export.replace(b"Demo", b"Copy", 1))]
    lines = {route: "\n".join(map(json.dumps, good)).encode() for route, (good, *_) in RECORDS.items()}
    names = {"record_exposure_lines": "exposures", "record_conversion_lines": "conversions", "link_identity_lines": "identities", "exclude_user_lines": "exclusions",
             "record_holdout_lines": "holdout", "record_pre_period_lines": "pre-period", "record_stratum_lines": "strata"}
    signed = ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=b")
    return Plan(
        credentials={"admin": ADMIN, "write": WRITE, "read": READ, "none": {}, "wrong": {"Authorization": "Bearer wrong"}},
        credential_of=lambda operation: "admin" if operation.path.startswith(("/api/v1/keys", "/api/v1/webhooks")) else "write",
        values={"project_id": project, "experiment_id": project, "template_id": template, "metric_id": metric.get("metric", {}).get("id", "x"), "segment_id": segment.get("segment", {}).get("id", "x"), "api_key_id": key, "webhook_id": hooks[0], "delivery_id": delivery},
        queries={"compare_two_projects": [f"?base_id={demo[0]}&candidate_id={demo[1]}"]},
        bodies={**COMPUTED, "compare_projects": [{"project_ids": demo[:2]}]},
        contents={"results_file": [({"Content-Type": "multipart/form-data; boundary=data"}, DATA_FORM)],
                  "validate_workspace": workspace, "import_workspace": workspace, "chat_command": [signed], "chat_interactive": [signed],
                  "change_segment_users": [({"Content-Type": "text/csv"}, "user-1,Ada\n用户2\n".encode()), ({"Content-Type": "text/csv"}, b"\xff")],
                  "chat_event": [({"Content-Type": "application/json"}, b"{}")],
                  **{name: [({"Content-Type": "application/x-ndjson"}, lines[route])] for name, route in names.items()}})
