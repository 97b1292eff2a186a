"""POST /api/v1/orchestrate, dry and against providers on this host."""

import re

import pytest

from model_server import ModelServer
from pdf import simple_pdf
from service import ENGINES, Service

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
BOTH = ["gpt-5-4-api", "claude-sonnet-4-6-api"]


@pytest.fixture(scope="module", params=ENGINES)
def dry(request):
    with Service("orchestrator", {"ORCH_MAX_PROMPT_CHARS": "40000"}, request.param) as service:
        yield service


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models):
    env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
           "ORCH_STREAM_SILENCE_SECONDS": "1", "ORCH_MAX_PROMPT_CHARS": "40000"}
    with Service("orchestrator", env, request.param) as service:
        yield service


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()


def ask(service, **body):
    return service.post("/api/v1/orchestrate", {"prompt": "hello", **body})


class TestDryRun:
    def test_a_bare_prompt(self, dry):
        answer = ask(dry)
        assert answer.status_code == 200
        task = answer.json()
        assert UUID.fullmatch(task["task_id"])
        assert task["output_text"] == "[dry-run] Simulated response for: hello"
        assert (task["status"], task["execution_mode"], task["adapter_name"]) == ("succeeded", "dry_run", "dry_run")
        assert task["model"] is None and "results" not in task and task["trace_id"] is None
        assert task["requested_models"] == [{"id": "claude-sonnet-4-6", "display_name": "Claude Sonnet 4.6"}]
        assert "x-trace-id" not in answer.headers

    def test_pages_of_other_sites_spend_nothing(self, dry):
        """Without a key a browser near the service would ask for any page that it shows."""
        body = {"prompt": "hello"}
        answer = dry.post("/api/v1/orchestrate", body, headers={"Origin": "https://elsewhere.example"})
        assert answer.status_code == 403
        assert dry.post("/api/v1/orchestrate", body, headers={"Origin": dry.url}).status_code == 200

    def test_several_models_joined(self, dry):
        task = ask(dry, models=["Best", "GPT-5.4 API"], merge_strategy="concat", quorum=2).json()
        line = "[dry-run] Simulated response for: hello"
        assert task["output_text"] == f"{line}\n\n{line}" and task["model"] is None

    def test_only_the_first_hundred_characters_are_repeated(self, dry):
        assert ask(dry, prompt="é" * 300).json()["output_text"].endswith(": " + "é" * 100)

    def test_a_trace_id_is_echoed(self, dry):
        answer = ask(dry, metadata={"trace_id": "  t-1 ", "n": 1.0})
        assert answer.json()["trace_id"] == answer.headers["x-trace-id"] == "t-1"

    @pytest.mark.parametrize("body, detail", [
        ({"prompt": ""}, "body.prompt: String should have at least 1 character"),
        ({"prompt": None}, "body.prompt: Input should be a valid string"),
        ({"prompt": " \n"}, "body: Value error, The prompt must not be blank."),
        ({"prompt": "x" * 40001}, "body.prompt: String should have at most 40000 characters"),
        ({"quorum": 9, "models": ["a"] * 9},
         "body.models: List should have at most 8 items after validation, not 9; "
         "body.quorum: Input should be less than or equal to 8"),
        ({"merge_strategy": "x"}, "body.merge_strategy: Input should be 'first_success' or 'concat'"),
        ({"model": "Best", "models": ["Best"]}, "body: Value error, Use either 'model' or 'models', not both."),
        ({"model": "nobody"}, "Unsupported model: nobody"),
        ({"models": [""]}, "Unsupported model: "),
        ({"models": ["Kimi K2", "Kimi K2.5"]},
         "Duplicate model request after canonicalization: 'Kimi K2.5' resolves to 'Kimi K2.5', which is already "
         "requested."),
        ({"model": "Sonar", "reasoning": True}, "reasoning=true is not supported for: Sonar"),
        ({"model": "Sonar", "adapter_hint": "api"},
         "Model 'Sonar' requires backend 'browser', but adapter_hint is 'api'."),
        ({"quorum": "1_0"}, None), ({"metadata": []}, None)])
    def test_what_is_refused(self, dry, body, detail):
        answer = ask(dry, **body)
        assert answer.status_code == 422, answer.text
        problem = answer.json()
        assert detail in (None, problem["detail"])
        assert problem["type"] == "https://httpstatuses.com/422" and problem["status"] == 422
        assert problem["title"] == ("Validation Error" if problem["detail"].startswith("body") else problem["detail"])

    def test_words_that_mean_the_same(self, dry):
        assert ask(dry, quorum=" +1.0 ", dry_run="yes").status_code == 200

    def test_concat_needs_a_quorum_of_all(self, dry):
        answer = ask(dry, models=["Best", "Sonar"], merge_strategy="concat")
        assert answer.status_code == 422 and answer.json()["detail"].startswith("merge_strategy='concat'")

    def test_malformed_bodies(self, dry):
        assert dry.send("POST", "/api/v1/orchestrate", data=b'{"prompt":').json()["detail"].endswith("JSON decode error")
        answer = dry.send("POST", "/api/v1/orchestrate", data=b'{"prompt":"\xff"}')
        assert (answer.status_code, answer.json()["detail"]) == (400, "There was an error parsing the body")

    def test_a_session_goes_before_the_prompt(self, dry):
        ask(dry, prompt="first", session_id="s-1")
        output = ask(dry, prompt="second", session_id="s-1").json()["output_text"]
        assert output.startswith("[dry-run] Simulated response for: [Turn 1]\nUser: first\nAssistant: [dry-run]")


class TestLive:
    def test_both_protocols(self, live, models):
        models.answers.update({"gpt-5.4": "text:from openai", "claude-sonnet-4-6-20250514": "text:from anthropic"})
        answer = ask(live, models=BOTH, quorum=2, merge_strategy="concat", metadata={"a": 1})
        task = answer.json()
        assert task["output_text"] == "from openai\n\nfrom anthropic", task
        assert (task["status"], task["execution_mode"], task["adapter_name"]) == ("succeeded", "api", "multi")
        assert task["trace_id"] == answer.headers["x-trace-id"] and UUID.fullmatch(task["trace_id"])
        first, second = task["results"]
        assert (first["step_index"], first["model_id"], first["adapter_name"]) == (1, "gpt-5-4-api", "api.openai")
        assert (first["input_tokens"], first["output_tokens"]) == (1, 2)
        assert first["cost_usd"] == pytest.approx(0.000035) and second["cost_usd"] == pytest.approx(0.000033)
        assert task["accounting"]["cost_usd"] == pytest.approx(0.000068) and task["accounting"]["calls"] == 2
        by = {call["protocol"]: call for call in models.calls}
        assert by["openai"]["path"] == "/v1/chat/completions" and by["anthropic"]["path"] == "/v1/messages"
        assert by["openai"]["headers"]["Authorization"] == "Bearer openai-secret-key"
        assert by["anthropic"]["headers"]["x-api-key"] == "anthropic-secret-key"
        assert by["anthropic"]["headers"]["anthropic-version"] == "2023-06-01"
        assert by["anthropic"]["body"]["max_tokens"] == 4096

    def test_the_default_model_is_one_that_can_be_asked(self, live, models):
        models.answers["claude-sonnet-4-6-20250514"] = "text:yes"
        task = ask(live).json()
        assert task["model"] == {"id": "claude-sonnet-4-6-api", "display_name": "Claude Sonnet 4.6 API"}

    def test_dry_run_calls_nobody(self, live, models):
        assert ask(live, dry_run=True).json()["execution_mode"] == "dry_run" and not models.calls

    @pytest.mark.parametrize("rule, code, message", [
        ("status:401", "provider_unavailable", "OpenAI-compatible HTTP error: 401"),
        ("status:429", "rate_limited", "OpenAI-compatible rate limit reached."),
        ("status:500", "provider_unavailable", "OpenAI-compatible HTTP error: 500"),
        ("nonsense", "unknown_error", "OpenAI-compatible adapter error: the answer cannot be read"),
        ("empty", "unknown_error", "OpenAI-compatible adapter error: the answer is empty"),
        ("huge", "unknown_error", "OpenAI-compatible adapter error: the answer is too large"),
        ("close", "provider_unavailable", "OpenAI-compatible network error: broken")])
    def test_what_goes_wrong_is_told(self, live, models, rule, code, message):
        models.answers["gpt-5.4"] = rule
        answer = ask(live, model="gpt-5-4-api")
        task = answer.json()
        assert answer.status_code == 200 and task["status"] == "failed" and task["output_text"] is None
        assert (task["failure_code"], task["failure_message"]) == (code, message)
        assert task["results"][0]["status"] == "failed"
        assert task["accounting"]["refused"] == [{"model_id": "gpt-5-4-api", "reason": code, "message": message}]

    def test_one_of_two_is_enough(self, live, models):
        models.answers.update({"gpt-5.4": "status:500", "claude-sonnet-4-6-20250514": "wait:0.1:late"})
        task = ask(live, models=BOTH).json()
        assert task["output_text"] == "late" and task["adapter_name"] == "api.anthropic"
        assert [r["status"] for r in task["results"]] == ["failed", "succeeded"]

    def test_a_quorum_cancels_the_rest(self, live, models):
        models.answers.update({"gpt-5.4": "wait:10", "claude-sonnet-4-6-20250514": "text:quick"})
        task = ask(live, models=BOTH).json()
        assert task["output_text"] == "quick" and task["duration_ms"] < 5000
        assert [r["status"] for r in task["results"]] == ["cancelled", "succeeded"]

    def test_failures_of_different_kinds(self, live, models):
        models.answers.update({"gpt-5.4": "status:429", "claude-sonnet-4-6-20250514": "status:500"})
        task = ask(live, models=BOTH, quorum=2).json()
        assert task["failure_code"] == "unknown_error"
        assert task["failure_message"] == ("2 steps failed with different errors: gpt-5-4-api=rate_limited, "
                                           "claude-sonnet-4-6-api=provider_unavailable")

    def test_a_complex_prompt_is_split(self, live, models):
        prompt = ("Compare and evaluate several in-depth, comprehensive options; pros and cons of each, step by step, "
                  + "x " * 40)
        models.answers["gpt-5.4"] = ['text:["part a", "part b"]', "text:answer a", "text:answer b", "text:all of it"]
        task = ask(live, prompt=prompt, model="gpt-5-4-api").json()
        assert task["was_decomposed"] and task["subtask_count"] == 2 and task["output_text"] == "all of it"
        assert len(models.calls) == 4 and len(task["results"]) == 1
        whole = re.sub(r"<</?[\w-]+ ?|>>", "", models.calls[-1]["prompt"])
        assert "Sub-question 1\npart a\n\n\nAnswer 1\nanswer a\n\n\nSub-question 2\npart b\n" in whole

    def test_a_part_that_fails_fails_the_task(self, live, models):
        prompt = "Compare and evaluate several in-depth, comprehensive options; pros and cons, step by step" + " x" * 40
        models.answers["gpt-5.4"] = ['text:["a", "b"]', "text:fine", "status:500"]
        task = ask(live, prompt=prompt, model="gpt-5-4-api").json()
        assert (task["status"], task["failure_code"]) == ("failed", "provider_unavailable")


class TestUpload:
    def send(self, service, files=(), **fields):
        return service.send("POST", "/api/v1/orchestrate/upload", data=fields, files=[("files", f) for f in files])

    def test_texts_become_part_of_the_prompt(self, live, models):
        models.answers["gpt-5.4"] = "text:read"
        answer = self.send(live, [("a.txt", b"one \xff two", "text/plain"), ("b.MD", "zwölf".encode(), None)],
                           prompt="Sum up", models='["gpt-5-4-api"]')
        assert answer.json()["output_text"] == "read", answer.text
        assert models.calls[0]["prompt"] == "Sum up\n\n[File: a.txt]\none � two\n\n[File: b.MD]\nzwölf"

    def test_pdfs_are_read_by_a_process_that_may_have_children(self, live, models):
        models.answers["gpt-5.4"] = "text:read"
        answer = self.send(live, [("r.pdf", simple_pdf("Page one.", "Page two."), None),
                                  ("named", simple_pdf("By its type."), "application/pdf")], prompt="Sum up", model="gpt-5-4-api")
        assert answer.json()["output_text"] == "read", answer.text
        assert models.calls[0]["prompt"] == "Sum up\n\n[File: r.pdf]\nPage one.\nPage two.\n\n[File: named]\nBy its type."
        for content in (b"%PDF-1.4 and then nothing", b"no pdf", b""):
            answer = self.send(live, [("broken.pdf", content, "application/pdf")], prompt="Sum up")
            assert answer.status_code == 422 and answer.json()["detail"] == "Cannot extract text from PDF: broken.pdf"
        answer = self.send(live, [("long.pdf", simple_pdf(*["word " * 10] * 900), None)], prompt="Sum up")
        assert answer.status_code == 422 and answer.json()["detail"].endswith("at most 40000 characters")

    def test_pictures_go_beside_it(self, dry):
        answer = self.send(dry, [("p.png", b"\x89PNG", "image/png")], prompt="What is this?", dry_run="yes")
        task = dry.get(f"/api/v1/tasks/{answer.json()['task_id']}").json()
        assert task["prompt"] == "What is this?" and task["metadata"] == {}

    @pytest.mark.parametrize("files, fields, detail", [
        ([], {}, "body.prompt: Field required"), ([], {"prompt": ""}, "body.prompt: Field required"),
        ([("x.exe", b"MZ", "application/x-dosexec")], {"prompt": "q"}, "Unsupported file type: application/x-dosexec."),
        ([("x.txt", b"a" * 40000, "text/plain")], {"prompt": "q"},
         "body.prompt: String should have at most 40000 characters"),
        ([], {"prompt": "q", "models": "Best"}, "Field 'models' must be a JSON array of strings."),
        ([], {"prompt": "q", "models": "[1]"}, "Field 'models' must be a JSON array of strings."),
        ([], {"prompt": "q", "model": "nobody"}, "Unsupported model: nobody")])
    def test_what_is_refused(self, dry, files, fields, detail):
        answer = self.send(dry, files or [("empty.txt", b"", "text/plain")], **fields)
        assert answer.status_code == 422 and answer.json()["detail"].startswith(detail), answer.text

    def test_limits(self, dry):
        assert self.send(dry, [("a.txt", b"x" * (20 << 20) + b"y", "text/plain")], prompt="q").status_code == 413
        assert self.send(dry, [(f"{i}.png", b"x", "image/png") for i in range(11)], prompt="q").status_code in (413, 422)
        assert dry.send("POST", "/api/v1/orchestrate/upload", data={"prompt": "urlencoded"}).status_code == 200
