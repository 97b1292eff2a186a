"""Votes of several models: the verdict, early ends, what their agreement is worth, and what right answers teach."""

import json

import pytest

from model_server import ModelServer
from service import Service

NAMES = [f"judge-{number}" for number in range(9)]
VECTORS = {"yes": [1, 0, 0], "no": [0, 1, 0], "perhaps": [0, 0, 1]}


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def service(models, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "models.json"
    path.write_text(json.dumps([{"id": name, "provider": "local", "protocol": "openai", "model": name,
                                 "base_url": models.url + "/v1"} for name in NAMES]))
    env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
           "ORCH_MODELS_FILE": str(path), "ORCH_VOTES_ENOUGH": "30"}
    with Service("orchestrator", env) as running:
        yield running


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()
    models.vectors.update(VECTORS)


def vote(service, models, answers, status=200, prompt="Is it so?", **body):
    models.answers.update({name: f"text:{answer}" if answer in VECTORS else answer
                           for name, answer in zip(NAMES, answers)})
    answer = service.post("/api/v1/consensus", {"prompt": prompt, "models": NAMES[:len(answers)], **body})
    assert answer.status_code == status, answer.text
    return answer.json()


def state(service, answer, right):
    return service.send("PUT", f"/api/v1/tasks/{answer['task_id']}/right-answer", json={"right_answer": right})


def asked(models):
    return [call["model"] for call in models.calls if call["model"] in NAMES]


def test_no_model_is_asked_whose_vote_cannot_count(service, models):
    answer = vote(service, models, ["yes"] * 9)
    votes = answer["votes"]
    assert answer["best_response"] == "yes" and answer["consensus_score"] == 1 and answer["total_rounds"] == 1
    assert (votes["asked"], votes["not_asked"], votes["models"]) == (5, 4, 5)
    assert sorted(asked(models)) == NAMES[:5] and answer["total_llm_calls"] == 5
    assert votes["answers"] == [{"answer": "yes", "votes": 5, "models": NAMES[:5]}]


def test_as_many_are_asked_as_can_decide(service, models):
    answer = vote(service, models, ["yes", "no", "yes", "no", "yes", "no", "yes", "yes", "no"])
    assert answer["votes"]["asked"] == 9 - answer["votes"]["not_asked"] == 8 and answer["best_response"] == "yes"
    assert [group["votes"] for group in answer["votes"]["answers"]] == [5, 3]
    models.calls.clear()
    answer = vote(service, models, ["yes", "no", "yes"], stop_early=False)
    assert answer["votes"]["asked"] == 3 and answer["total_rounds"] == 1


def test_without_embeddings_answers_are_compared_by_their_words(service, models, tmp_path):
    env = {key: value for key, value in service.env.items() if "MISTRAL" not in key}
    with Service("orchestrator", env) as bare:
        answer = vote(bare, models, ["The Moon landing was in 1969.", "the moon landing was in 1969", "Nobody knows that for sure"])
        assert answer["best_response"].lower().startswith("the moon landing")
        assert [group["votes"] for group in answer["votes"]["answers"]] == [2] and answer["votes"]["independent"] > 1
        models.answers[NAMES[0]] = "yes"
        assert bare.post("/api/v1/consensus", {"prompt": "q", "model": NAMES[0]}).json()["detail"] == "Embeddings client is not configured."


def test_a_failed_vote_is_no_vote(service, models):
    answer = vote(service, models, ["status:500", "no", "yes", "no", "perhaps"])
    assert answer["best_response"] == "no" and answer["votes"]["models"] == 4 and NAMES[0] not in answer["models_used"]
    vote(service, models, ["status:500"] * 2, status=500)


@pytest.mark.parametrize("body, status, word", [
    ({"models": NAMES[:1]}, 422, "models"), ({"models": NAMES[:2], "model": NAMES[0]}, 422, "models"),
    ({"models": [NAMES[0], "nobody"]}, 400, "models.1"), ({"models": [NAMES[0], NAMES[0]]}, 400, "models.1"),
    ({"models": ["x"] * 17}, 422, "models"), ({"models": "x"}, 422, "models")])
def test_voters_that_cannot_be(service, body, status, word):
    answer = service.post("/api/v1/consensus", {"prompt": "q", **body})
    assert answer.status_code == status and word in answer.text


def test_a_dry_run_votes_without_calls_and_teaches_nothing(service, models):
    answer = vote(service, models, ["no"] * 5, dry_run=True)
    assert answer["votes"]["asked"] == 3 and not models.calls
    assert state(service, answer, 1).status_code == 404


def test_right_answers_teach_how_far_models_err_together(service, models):
    def ask(answers, right, prompt="Write code that sorts"):
        answer = vote(service, models, answers, prompt=prompt, stop_early=False)
        groups = [group["answer"] for group in answer["votes"]["answers"]]
        assert state(service, answer, groups.index(right) + 1 if right else 0).status_code == 200
        return answer["votes"]

    first = ask(["yes"] * 3, "yes")
    assert 1.5 < first["independent"] < 2.2 and first["one_model_suffices"] is None
    for number in range(40):
        ask(["no"] * 3 if number % 5 == 0 else ["yes"] * 3, "yes" if number % 5 else None)
    votes = ask(["yes"] * 3, "yes")
    assert votes["independent"] < 1.2 and votes["error_correlation"] > .8 and votes["one_model_suffices"] is True
    assert votes["learned_from"] == "models" and votes["known_questions"] == 41
    assert votes["error_rate"] == pytest.approx(.2, abs=.08)
    other = vote(service, models, ["yes"] * 3, prompt="Solve the equation and calculate the integral")["votes"]
    assert other["learned_from"] == "all"


def test_right_answers_that_cannot_be(service, models):
    answer = vote(service, models, ["yes", "no", "yes"])
    assert state(service, answer, 3).status_code == 400 and "right_answer" in state(service, answer, 3).text
    assert [state(service, answer, wrong).status_code for wrong in (-1, 17, "first", None)] == [422] * 4
    assert state(service, {"task_id": "none"}, 1).status_code == 404
    assert [state(service, answer, number).status_code for number in (0, 1, 2)] == [200] * 3


def test_consensus_of_rounds_is_weighed_too(service, models):
    models.answers.update({name: "text:yes" for name in [*NAMES, "gpt-5.4", "claude-sonnet-4-6-20250514"]})
    answer = service.post("/api/v1/consensus", {"prompt": "q", "model": NAMES[0]}).json()
    assert len(answer["models_used"]) == 3 and answer["votes"]["models"] == len(answer["models_used"]) and answer["votes"]["answers"] == []
