"""Keys of providers that an administrator types with a model: stored encrypted, used for that model alone, never shown again,
and lost under another secret."""

import stat

import pytest

from service import ENGINES, Service
from wait import wait_for

pytest_plugins = ["gateway_fixtures"]
pytestmark = pytest.mark.both_engines
ADMIN = {"Authorization": "Bearer the-service-key-of-this-test"}
KEY = "planted-key-of-a-provider-9f3a"


def settings(models, engine):
    return {**models.settings, "ORCH_API_BREAKER_FAILURES": "0", "ORCH_RATE_LIMIT_RPM": "100000",
            "ORCH_API_KEY": ADMIN["Authorization"].split()[1],
            **({"ORCH_STORAGE_BACKEND": "postgres"} if engine == "postgres" else {})}


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models):
    with Service("orchestrator", settings(models, request.param), request.param) as service:
        yield service


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()
    models.answers.update({"big": "text:yes"})


def admin(live, method, path, body=None, expected=204):
    answer = live.send(method, "/api/v1" + path, json=body, headers=ADMIN)
    assert answer.status_code == expected, answer.text
    return answer.json() if answer.content else None


def add(live, models, expected=201, **body):
    return admin(live, "POST", "/models", {"provider": "other", "model": "big", "base_url": models.url + "/v1", **body}, expected)


def listed(live, name, headers=None):
    rows = live.get("/api/v1/models", headers=headers or ADMIN).json()["models"]
    return next((row for row in rows if row["id"] == name), None)


def wait_listed(live, name, headers=None, **expected):
    """Each worker reads changed models by itself, within seconds."""
    wait_for(lambda: (row := listed(live, name, headers)) and expected.items() <= row.items())


def wait_unreadable(live, models, name):
    """A test of the model fails, and calls nobody."""
    models.calls.clear()
    wait_for(lambda: "enter it again" in str(live.post(f"/api/v1/models/{name}/test", headers=ADMIN).json().get("failure_message")))
    assert not models.calls


def sent(live, models, name, header="Authorization"):
    """What the header said of the next call of the model; None when it was not called."""
    models.calls.clear()
    live.post("/v1/chat/completions", {"model": name, "messages": [{"role": "user", "content": "hello"}]}, headers=ADMIN)
    return models.calls[-1]["headers"].get(header, "") if models.calls else None


def test_is_used_and_never_shown(live, models):
    add(live, models, id="with-key", api_key=KEY)
    wait_for(lambda: sent(live, models, "with-key") == f"Bearer {KEY}")
    wait_listed(live, "with-key", key_ending=KEY[-4:], callable=True)
    key = live.send("POST", "/api/v1/keys", json={"name": "a caller"}, headers=ADMIN).json()["key"]
    wait_listed(live, "with-key", {"Authorization": f"Bearer {key}"}, key_ending=None)
    [[sealed, secret_id]] = live.sql("SELECT sealed_key, key_secret_id FROM orch_models WHERE model_id = 'with-key'")
    assert len(sealed) > len(KEY) and len(secret_id) == 12
    shown = [live.send(method, path, headers=ADMIN).text for method, path in
             (("GET", "/api/v1/models"), ("GET", "/v1/models"), ("GET", "/api/v1/tasks"), ("POST", "/api/v1/models/with-key/test"))]
    assert KEY not in str(shown) + live.stack.logs() + str(live.sql("SELECT * FROM orch_models"))


def test_is_replaced_and_taken_away(live, models):
    add(live, models, id="changing", api_key=KEY)
    admin(live, "PUT", "/models/changing/key", {"api_key": "short"})
    wait_for(lambda: sent(live, models, "changing") == "Bearer short")
    wait_listed(live, "changing", key_ending="")  # nothing of a short key is shown
    admin(live, "PUT", "/models/changing/key", {"api_key": None})
    wait_for(lambda: sent(live, models, "changing") == "")
    wait_listed(live, "changing", key_ending=None)
    admin(live, "PUT", "/models/nobody/key", {"api_key": KEY}, 404)
    admin(live, "PUT", "/models/gpt-5-4-api/key", {"api_key": KEY}, 404)
    admin(live, "PUT", "/models/changing/key", {"api_key": "two words"}, 422)


@pytest.mark.parametrize("provider, path, header", [("openai", "/v1", "Authorization"), ("anthropic", "", "X-Api-Key")])
def test_keys_of_the_settings_go_to_no_other_address(live, models, provider, path, header):
    """Not even when the model's own key is taken away."""
    name = f"elsewhere-{provider}"
    add(live, models, id=name, provider=provider, base_url=models.url.replace("127.0.0.1", "localhost") + path, api_key=KEY)
    wait_for(lambda: KEY in (sent(live, models, name, header) or sent(live, models, name, header.lower()) or ""))
    admin(live, "PUT", f"/models/{name}/key", {"api_key": None})
    wait_for(lambda: sent(live, models, name) is not None and KEY not in str(models.calls[-1]["headers"]))
    for secret in (value for setting, value in models.settings.items() if setting.endswith("_API_KEY")):
        assert secret and secret not in str(models.calls[-1]["headers"])


def test_belongs_to_one_model(live, models):
    """A row that somebody copied in the database does not open."""
    add(live, models, id="first", api_key=KEY)
    add(live, models, id="second")
    live.sql("UPDATE orch_models SET sealed_key = (SELECT sealed_key FROM orch_models WHERE model_id = 'first'), key_secret_id ="
             " (SELECT key_secret_id FROM orch_models WHERE model_id = 'first'), key_ending = '' WHERE model_id = 'second'")
    live.sql("UPDATE orch_models_version SET version = version + 1")
    wait_listed(live, "second", callable=False,
                why_not_callable="Its key was stored under another ORCH_SECRETS_KEY; enter it again.")
    wait_unreadable(live, models, "second")


@pytest.mark.parametrize("provider, path, header, begins", [
    ("openai", "/v1", "Authorization", "Bearer "), ("anthropic", "", "x-api-key", ""), ("gemini", "/v1beta", "x-goog-api-key", ""),
    ("mistral", "/v1", "Authorization", "Bearer "), ("azure", "", "api-key", "")])
def test_of_each_provider(live, models, provider, path, header, begins):
    """With a key of its own a model is called at its own address."""
    name = f"of-{provider}"
    add(live, models, id=name, provider=provider, base_url=models.url + path, api_key=KEY)
    wait_for(lambda: {k.lower(): v for k, v in models.calls[-1]["headers"].items()}.get(header.lower()) == begins + KEY
             if sent(live, models, name) is not None else False)


def test_what_is_refused(live, models):
    for body in ({"api_key": "two words"}, {"api_key": "ключ"}, {"provider": "gemini"}, {"provider": "azure", "base_url": None, "api_key": KEY},
                 {"base_url": "http://models.example/v1", "api_key": KEY}):
        answer = add(live, models, 422, id="refused", **body)
        assert KEY not in str(answer)
    assert listed(live, "refused") is None


@pytest.mark.parametrize("engine", ENGINES)
def test_another_secret_does_not_open_it(models, engine):
    """No other key is sent in its place, not even that of the settings; who enters it again can go on."""
    env = settings(models, engine)
    with Service("orchestrator", env, engine) as live:
        made = live.stack.directory / "state" / "orchestrator-secret"
        assert stat.S_IMODE(made.stat().st_mode) == 0o600 and len(made.read_text()) == 64
        add(live, models, id="kept", provider="openai", api_key=KEY)
        wait_for(lambda: sent(live, models, "kept") == f"Bearer {KEY}")
        live.stack.stop()
        assert live.stack.run("start", env={"ORCH_SECRETS_KEY": "s" * 32}).returncode == 0
        wait_listed(live, "kept", callable=False)
        wait_unreadable(live, models, "kept")
        admin(live, "PUT", "/models/kept/key", {"api_key": KEY})
        wait_for(lambda: sent(live, models, "kept") == f"Bearer {KEY}")
        live.stack.stop()
        done = live.stack.run("start", env={"ORCH_SECRETS_KEY": "short"})
        assert done.returncode != 0 and "ORCH_SECRETS_KEY must be at least 32 characters" in done.stderr, done.stderr
