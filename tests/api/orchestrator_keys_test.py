"""Virtual keys: who may do what with them, what a budget refuses and how it says so, whose tasks and spending they see, and
what of their prompts is stored."""

import json
import re
from datetime import datetime, timedelta, timezone

import pytest

from model_server import ModelServer
from service import ENGINES, Service
from wait import wait_for

pytestmark = pytest.mark.both_engines
ADMIN = {"Authorization": "Bearer the-service-key-of-this-test"}
PRICES = {"usd_per_1000_input": 1.0, "usd_per_1000_output": 1.0}
MODELS = [{"id": name, "provider": "maker", "protocol": "openai", "model": name, "concurrency_limit": 50, **PRICES}
          for name in ("cheap", "other")]
HOLD = 0.22  # of the prompt "hello" with its frames, a token per byte, and an answer of a hundred tokens


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "models.json"
    path.write_text(json.dumps([{**model, "base_url": models.url + "/v1"} for model in MODELS]))
    with Service("orchestrator", {**models.settings, "ORCH_MODELS_FILE": str(path), "ORCH_API_BREAKER_FAILURES": "0",
                                  "ORCH_DAILY_COST_LIMIT_USD": "100000", "ORCH_MAX_ANSWER_TOKENS": "100",
                                  **({"ORCH_STORAGE_BACKEND": "postgres"} if request.param == "postgres" else {}),
                                  "ORCH_API_KEY": ADMIN["Authorization"].split()[1], "ORCH_TIME_ZONE": "Europe/Berlin"},
                 request.param) as service:
        yield service


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()
    models.answers.update({"cheap": "text:yes", "other": "text:no"})


def admin(live, method, path, body=None, expected=None):
    answer = live.send(method, "/api/v1" + path, json=body, headers=ADMIN)
    assert answer.status_code == (expected or {"POST": 201, "DELETE": 204}.get(method, 200)), answer.text
    return answer.json() if answer.content else None


def new_key(live, **body):
    key = admin(live, "POST", "/keys", {"name": "a key", **body})
    return key, {"Authorization": f"Bearer {key['key']}"}


def budget(live, kind, owner, limit, period="month", **more):
    return admin(live, "POST", "/budgets", {"owner_kind": kind, "owner_id": owner["id"], "period": period, "limit_usd": limit, **more})


def chat(live, headers, model="cheap", **body):
    return live.post("/v1/chat/completions", {"model": model, "messages": [{"role": "user", "content": "hello"}], **body},
                     headers=headers)


class TestSetUp:
    def test_a_key_is_shown_once(self, live):
        key, headers = new_key(live, name="  shown once ")
        assert key["name"] == "shown once" and key["key"].startswith(key["prefix"]) and len(key["prefix"]) < 20
        listed = next(k for k in admin(live, "GET", "/keys")["keys"] if k["id"] == key["id"])
        assert "key" not in listed and listed["last_used_at"] is None
        stored = live.sql(f"SELECT key_hash, key_prefix FROM orch_keys WHERE key_id = '{key['id']}'")
        assert key["key"] not in str(stored)
        assert chat(live, headers).status_code == 200
        wait_for(lambda: next(k for k in admin(live, "GET", "/keys")["keys"] if k["id"] == key["id"])["last_used_at"])

    def test_owners(self, live):
        customer = admin(live, "POST", "/customers", {"name": "Northwind"})
        team = admin(live, "POST", "/teams", {"name": "Search", "customer_id": customer["id"]})
        assert team["customer_name"] == "Northwind"
        assert admin(live, "POST", "/teams", {"name": "Search"}, 409)["detail"] == "This name is taken."
        admin(live, "POST", "/teams", {"name": "Lost", "customer_id": "nobody"}, 422)
        admin(live, "POST", "/teams", {"name": " "}, 422)
        key, _ = new_key(live, team_id=team["id"])
        assert (key["team_name"], key["customer_name"]) == ("Search", "Northwind")
        admin(live, "DELETE", f"/customers/{customer['id']}", expected=409)
        admin(live, "DELETE", f"/teams/{team['id']}", expected=409)
        budget(live, "team", team, 5)
        changed = admin(live, "PUT", f"/keys/{key['id']}", {**key_body(key), "team_id": None})
        assert changed["team_id"] is None
        admin(live, "DELETE", f"/teams/{team['id']}")
        assert admin(live, "GET", f"/budgets?owner_id={team['id']}")["budgets"] == []
        admin(live, "DELETE", f"/customers/{customer['id']}")
        admin(live, "DELETE", f"/customers/{customer['id']}", expected=404)

    def test_models_of_a_key_exist(self, live):
        assert new_key(live, allowed_models=["cheap"])[0]["allowed_models"] == ["cheap"]
        assert "Unknown model: nobody" in admin(live, "POST", "/keys", {"name": "x", "allowed_models": ["nobody"]}, 422)["detail"]

    def test_budgets(self, live):
        key, _ = new_key(live)
        made = budget(live, "key", key, 12.5, alert_percents=[50, 80])
        assert (made["limit_usd"], made["spent_usd"], made["left_usd"]) == (12.5, 0, 12.5)
        start, end = (datetime.fromisoformat(made[name].replace("Z", "+00:00")) for name in ("window_from", "window_until"))
        assert start <= datetime.now(timezone.utc) < end and 27 < (end - start).days < 32
        assert start.hour in (22, 23)  # the first of the month in Berlin
        until = (datetime.now(timezone.utc) + timedelta(hours=1)).isoformat()
        more = admin(live, "PUT", f"/budgets/{made['id']}", {"limit_usd": 10, "extra_usd": 5, "extra_until": until})
        assert (more["limit_usd"], more["left_usd"], more["alert_percents"]) == (10, 15, [])
        admin(live, "POST", "/budgets", {"owner_kind": "team", "owner_id": key["id"], "period": "day", "limit_usd": 1}, 404)
        for _ in range(7):
            budget(live, "key", key, 1, "day")
        admin(live, "POST", "/budgets", {"owner_kind": "key", "owner_id": key["id"], "period": "day", "limit_usd": 1}, 409)
        admin(live, "DELETE", f"/budgets/{made['id']}")
        admin(live, "PUT", f"/budgets/{made['id']}", {"limit_usd": 1}, 404)


def key_body(key):
    return {name: key[name] for name in ("name", "team_id", "allowed_models", "requests_per_minute", "tokens_per_minute",
                                         "stores_prompts", "active", "expires_at")}


class TestAccess:
    def test_what_a_key_may_do(self, live):
        _, headers = new_key(live)
        for path in ("/api/v1/keys", "/api/v1/teams", "/api/v1/customers", "/api/v1/budgets", "/api/v1/usage",
                     "/api/v1/usage.csv", "/api/v1/analytics", "/api/v1/readiness", "/metrics"):
            assert live.get(path, headers=headers).status_code == 403, path
        assert live.post("/api/v1/keys", {"name": "mine"}, headers=headers).status_code == 403
        for path in ("/api/v1/tasks", "/api/v1/models", "/v1/models", "/v1/key", "/v1/key/usage"):
            assert live.get(path, headers=headers).status_code == 200, path
        assert live.get("/v1/key", headers=ADMIN).status_code == 404
        assert live.get("/v1/key", headers={"Authorization": "Bearer sk-assay-" + "x" * 43}).status_code == 401

    @pytest.mark.parametrize("change", ({"active": False}, {"expires_at": "2020-01-01T00:00:00Z"}))
    def test_a_key_that_cannot_be_used(self, live, change):
        key, headers = new_key(live)
        assert chat(live, headers).status_code == 200
        admin(live, "PUT", f"/keys/{key['id']}", {**key_body(key), **change})
        assert chat(live, headers).status_code == 401
        admin(live, "PUT", f"/keys/{key['id']}", key_body(key))
        assert chat(live, headers).status_code == 200
        admin(live, "DELETE", f"/keys/{key['id']}")
        assert chat(live, headers).status_code == 401

    def test_a_team_that_is_switched_off(self, live):
        team = admin(live, "POST", "/teams", {"name": "Off"})
        _, headers = new_key(live, team_id=team["id"])
        admin(live, "PUT", f"/teams/{team['id']}", {"name": "Off", "active": False})
        refused = chat(live, headers)
        assert refused.status_code == 401 and "team of this key is switched off" in refused.text

    def test_models(self, live):
        _, headers = new_key(live, allowed_models=["cheap"])
        ids = [m["id"] for m in live.get("/v1/models", headers=headers).json()["data"]]
        assert "cheap" in ids and "other" not in ids
        assert chat(live, headers).status_code == 200
        assert chat(live, headers, "other").status_code == 404
        refused = live.post("/api/v1/orchestrate", {"prompt": "hello", "models": ["cheap", "other"]}, headers=headers)
        assert refused.status_code == 422 and "Unsupported model: other" in refused.json()["detail"]
        answer = live.post("/api/v1/orchestrate", {"prompt": "hello"}, headers=headers).json()
        assert answer["model"]["id"] == "cheap"

    def test_tasks_of_others(self, live):
        _, mine = new_key(live)
        _, theirs = new_key(live)
        task = live.post("/api/v1/orchestrate", {"prompt": "my secret", "model": "cheap", "session_id": "shared"}, headers=mine).json()
        path = f"/api/v1/tasks/{task['task_id']}"
        assert live.get(path, headers=mine).json()["prompt"] == "my secret"
        assert [live.get(path + more, headers=theirs).status_code for more in ("", "/export")] == [404, 404]
        assert live.post(path + "/retry", headers=theirs).status_code == 404
        assert live.get("/api/v1/tasks", headers=theirs).json() == []
        assert [t["task_id"] for t in live.get("/api/v1/tasks?prompt_contains=secret", headers=mine).json()] == [task["task_id"]]
        live.post("/api/v1/orchestrate", {"prompt": "and now", "model": "cheap", "session_id": "shared"}, headers=theirs)
        live.post("/api/v1/orchestrate", {"prompt": "and now", "model": "cheap", "session_id": "shared"}, headers=ADMIN)
        assert live.get(path, headers=ADMIN).status_code == 200

    def test_requests_per_minute(self, live):
        _, headers = new_key(live, requests_per_minute=3)
        assert [chat(live, headers).status_code for _ in range(4)] == [200, 200, 200, 429]
        refused = chat(live, headers)
        assert refused.json()["error"]["code"] == "rate_limit_exceeded" and 1 <= int(refused.headers["Retry-After"]) <= 60
        assert live.get("/v1/key", headers=headers).status_code == 200

    def test_tokens_per_minute(self, live, models):
        models.answers["cheap"] = "text:" + "word " * 60
        _, headers = new_key(live, tokens_per_minute=100)
        assert [chat(live, headers).status_code for _ in range(3)] == [200, 200, 429]
        refused = chat(live, headers)
        assert "100 tokens per minute" in refused.json()["error"]["message"] and int(refused.headers["Retry-After"]) >= 1


class TestSpending:
    def test_a_budget_refuses(self, live, models):
        key, headers = new_key(live, name="thrifty")
        budget(live, "key", key, HOLD * 1.05, "day")
        assert chat(live, headers).status_code == 200
        models.answers["cheap"] = "text:" + "word " * 100
        while (answer := chat(live, headers)).status_code == 200:
            pass
        error = answer.json()["error"]
        assert answer.status_code == 429 and error["code"] == error["type"] == "insufficient_quota"
        assert answer.headers["X-Should-Retry"] == "false" and 1 <= int(answer.headers["Retry-After"]) <= 90000
        assert "The daily budget of key 'thrifty' has no room" in error["message"]
        limit, spent, held, price = (float(x) for x in re.findall(r"(\d+\.\d{6})", error["message"]))
        assert limit == pytest.approx(HOLD * 1.05) and held == 0 and spent + held + price > limit
        own = live.get("/v1/key", headers=headers).json()["budgets"][0]
        assert own["spent_usd"] == pytest.approx(spent) and own["held_usd"] == 0
        refused = live.post("/api/v1/orchestrate", {"prompt": "hello", "model": "cheap"}, headers=headers)
        assert refused.status_code == 429 and "daily budget" in refused.json()["detail"]
        assert int(refused.headers["Retry-After"]) >= 1
        admin(live, "PUT", f"/budgets/{own['id']}", {"limit_usd": own["limit_usd"], "extra_usd": 1,
                                                      "extra_until": (datetime.now(timezone.utc) + timedelta(minutes=5)).isoformat()})
        assert chat(live, headers).status_code == 200

    @pytest.mark.parametrize("kind", ("team", "customer"))
    def test_budgets_of_others_count(self, live, models, kind):
        models.answers["cheap"] = "text:" + "word " * 90
        customer = admin(live, "POST", "/customers", {"name": f"customer of {kind}"})
        team = admin(live, "POST", "/teams", {"name": f"team of {kind}", "customer_id": customer["id"]})
        one, two = (new_key(live, team_id=team["id"])[1] for _ in range(2))
        owner = {"team": team, "customer": customer}[kind]
        budget(live, kind, owner, HOLD * 1.2, rolling=True)
        statuses = [chat(live, headers).status_code for _ in range(8) for headers in (one, two)]
        assert statuses[0] == 200 and statuses[-2:] == [429, 429]
        spent = admin(live, "GET", f"/budgets?owner_id={owner['id']}")["budgets"][0]
        assert 0 < spent["spent_usd"] <= spent["limit_usd"] and spent["held_usd"] == 0

    def test_windows_move(self, live):
        key, headers = new_key(live)
        for rolling in (False, True):
            budget(live, "key", key, HOLD * 1.01, "hour", rolling=rolling)
        assert chat(live, headers).status_code == 200
        assert [chat(live, headers).status_code for _ in range(3)][-1] == 429
        ids = "budget_id IN (SELECT budget_id FROM orch_budgets WHERE owner_id = '" + key["id"] + "')"
        live.sql(f"UPDATE orch_budget_parts SET part_at = part_at - 3600000000 WHERE {ids}")
        assert chat(live, headers).status_code == 429  # the rolling one: its first minute is not over
        live.sql(f"UPDATE orch_budget_parts SET part_at = part_at - 120000000 WHERE {ids}")
        assert chat(live, headers).status_code == 200

    def test_a_clock_that_is_set_back(self, live):
        """What was spent at a later time still counts in a rolling window."""
        key, headers = new_key(live)
        budget(live, "key", key, HOLD * 1.01, "day", rolling=True)
        assert chat(live, headers).status_code == 200
        live.sql("UPDATE orch_budget_parts SET part_at = part_at + 86400000000 WHERE budget_id IN"
                 f" (SELECT budget_id FROM orch_budgets WHERE owner_id = '{key['id']}')")
        assert [chat(live, headers).status_code for _ in range(3)][-1] == 429

    def test_a_fan_out_holds_for_each_call(self, live, models):
        models.answers["cheap"] = models.answers["other"] = "wait:0.3:yes"
        key, headers = new_key(live)
        budget(live, "key", key, HOLD * 1.5)
        answer = live.post("/api/v1/orchestrate", {"prompt": "hello", "models": ["cheap", "other"], "quorum": 2,
                                                   "cancel_on_quorum": False, "decompose": False}, headers=headers)
        assert answer.status_code == 429 and len(models.calls) == 1

    def test_an_excess_is_booked_and_named(self, live, models):
        models.answers["cheap"] = 'body:{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],' \
                                  '"usage":{"prompt_tokens":1000,"completion_tokens":2000}}'
        key, headers = new_key(live)
        made = budget(live, "key", key, 2)
        task = live.post("/api/v1/orchestrate", {"prompt": "hello", "model": "cheap"}, headers=headers).json()
        assert task["results"][0]["cost_usd"] == 3
        own = live.get("/v1/key", headers=headers).json()["budgets"][0]
        assert (own["id"], own["spent_usd"], own["left_usd"]) == (made["id"], 3, 0)
        row = live.get("/v1/key/usage", headers=headers).json()["total"]
        assert row["cost_usd"] == 3 and 2.5 < row["excess_usd"] < 3
        detail = live.get(f"/api/v1/tasks/{task['task_id']}", headers=headers).json()
        assert "excess_usd" in json.dumps(detail["events"])

    def test_the_report(self, live, models):
        team = admin(live, "POST", "/teams", {"name": "Reported"})
        key, headers = new_key(live, name="reported", team_id=team["id"])
        chat(live, headers)
        models.answers["cheap"] = "status:500"
        chat(live, headers)
        models.answers["cheap"] = 'body:{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":' \
                                  '{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":80}}}'
        chat(live, headers)
        report = live.get(f"/api/v1/usage?group_by=day,key,team,model,provider&team_id={team['id']}", headers=ADMIN).json()
        assert len(report["rows"]) == 1 and report["currency"] == "USD" and report["time_zone"] == "Europe/Berlin"
        row = report["rows"][0]
        assert (row["key_name"], row["team_name"], row["model_id"], row["provider"]) == ("reported", "Reported", "cheap", "maker")
        assert (row["calls"], row["failures"], row["cache_hits"], row["cached_tokens"]) == (3, 1, 1, 80)
        assert row["avg_duration_ms"] is not None and row["cost_usd"] == report["total"]["cost_usd"] > 0
        steps = live.sql("SELECT sum(s.cost_usd) FROM orch_task_steps s JOIN orch_tasks t ON t.task_id = s.task_id"
                         f" WHERE t.key_id = '{key['id']}'")
        assert row["cost_usd"] == pytest.approx(float(steps[0][0]), abs=1e-12)
        lines = live.get(f"/api/v1/usage.csv?group_by=key&team_id={team['id']}", headers=ADMIN).text.splitlines()
        assert lines[0].startswith("day,key_id,key_name") and lines[1].split(",")[2] == "reported"
        own = live.get("/v1/key/usage?group_by=model", headers=headers).json()
        assert own["total"]["calls"] == 3 and [r["model_id"] for r in own["rows"]] == ["cheap"]
        assert live.get("/api/v1/usage?from=yesterday", headers=ADMIN).status_code == 422
        assert live.get("/api/v1/usage?group_by=week", headers=ADMIN).status_code == 422

    def test_a_key_does_not_judge_its_own_votes(self, live, models):
        """What is right weighs the models for everybody."""
        _, headers = new_key(live)
        answer = live.post("/api/v1/consensus", {"prompt": "Is it so?", "models": ["cheap", "other"]}, headers=headers).json()
        path = f"/api/v1/tasks/{answer['task_id']}/right-answer"
        assert live.send("PUT", path, json={"right_answer": 1}, headers=headers).status_code == 403
        assert live.sql(f"SELECT COUNT(*) FROM orch_votes WHERE task_id = '{answer['task_id']}' AND right_votes IS NOT NULL") == [["0"]]
        admin(live, "PUT", path.removeprefix("/api/v1"), {"right_answer": 1})

    def test_a_key_whose_prompts_are_not_stored(self, live, models):
        key, headers = new_key(live, stores_prompts=False)
        for kind in ("text:planted answer", "refuse:400:" + json.dumps({"error": {"message": "planted echo"}})):
            models.answers["cheap"] = kind
            chat(live, headers, messages=[{"role": "user", "content": "planted prompt"}], user="planted user")
            live.post("/api/v1/orchestrate", {"prompt": "planted prompt", "model": "cheap", "metadata": {"a": "planted"}},
                      headers=headers)
        tasks = live.get("/api/v1/tasks", headers=headers).json()
        assert len(tasks) == 4 and sum(t["cost_usd"] or 0 for t in tasks) > 0
        rows = live.sql("SELECT t.prompt, t.prompt_folded, t.metadata, t.output_text, t.failure_message, s.output_text,"
                        " s.failure_message, e.payload FROM orch_tasks t JOIN orch_task_events e ON e.task_id = t.task_id"
                        f" LEFT JOIN orch_task_steps s ON s.task_id = t.task_id WHERE t.key_id = '{key['id']}'")
        assert rows and "planted" not in str(rows)
        failed = next(t for t in tasks if t["status"] == "failed")
        assert live.post(f"/api/v1/tasks/{failed['task_id']}/retry", headers=headers).status_code == 409


class TestModels:
    def test_a_model_is_added_and_removed(self, live, models):
        body = {"id": "added", "provider": "other", "model": "cheap", "base_url": models.url + "/v1",
                "usd_per_1000_input": 1, "usd_per_1000_output": 2}
        admin(live, "POST", "/models", {**body, "base_url": "http://models.example/v1"}, 422)
        admin(live, "POST", "/models", {**body, "base_url": None}, 422)
        admin(live, "POST", "/models", {**body, "id": "gpt-5-4-api"}, 409)
        admin(live, "POST", "/models", body)
        admin(live, "POST", "/models", body, 409)
        _, headers = new_key(live)
        wait_for(lambda: chat(live, headers, "added").status_code == 200)
        wait_for(lambda: any(m["id"] == "added" and m["was_added"] for m in live.get("/api/v1/models", headers=ADMIN).json()["models"]))
        wait_for(lambda: live.post("/api/v1/models/added/test", headers=ADMIN).status_code == 200)
        trial = live.post("/api/v1/models/added/test", headers=ADMIN).json()
        assert trial["succeeded"] and trial["output_text"] == "yes" and trial["cost_usd"] == pytest.approx(0.005 + 0.002)
        assert "Authorization" not in models.calls[-1]["headers"]
        models.answers["cheap"] = "status:401"
        assert live.post("/api/v1/models/added/test", headers=ADMIN).json()["succeeded"] is False
        assert live.send("DELETE", "/api/v1/models/cheap", headers=ADMIN).status_code == 404
        admin(live, "DELETE", "/models/added")
        wait_for(lambda: chat(live, headers, "added").status_code == 404)

    def test_a_model_of_a_known_provider_has_its_key(self, live, models):
        admin(live, "POST", "/models", {"id": "mini", "provider": "openai", "model": "cheap", "base_url": "http://127.0.0.1:9/x"})
        _, headers = new_key(live)
        wait_for(lambda: chat(live, headers, "mini").status_code == 200)
        assert models.calls[-1]["headers"]["Authorization"] == "Bearer openai-secret-key"
        admin(live, "DELETE", "/models/mini")
