"""POST /api/v1/assignment/preview: hashing of made-up users."""

import struct

import pytest

from client import LANGUAGES


def ask(api, **body):
    return api.post("/api/v1/assignment/preview", {"seed": "exp-1", "num_variations": 2, **body})


def counts(answer):
    return {d["variation_index"]: d["count"] for d in answer.json()["distribution"]}


def fnv(text):
    value = 0x811c9dc5
    for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le")):
        value = (value ^ unit) * 0x01000193 % 2**32
    return value


class TestFigures:
    def test_golden(self, api):
        answer = ask(api, sample_size=2000)
        reply = answer.json()
        assert counts(answer) == {0: 1013, 1: 987}
        assert [a["variation_index"] for a in reply["sample_assignments"][:8]] == [1, 1, 0, 0, 1, 0, 0, 1]
        assert [a["user_id"] for a in reply["sample_assignments"]] == [f"user-{i}" for i in range(25)]
        assert (reply["sample_size"], reply["in_experiment_fraction"]) == (2000, 1.0)
        assert [d["fraction"] for d in reply["distribution"]] == [.5065, .4935]

    def test_coverage_and_weights(self, api):
        answer = ask(api, num_variations=3, coverage=.5, weights=[.2, .3, .5])
        assert counts(answer) == {-1: 500, 0: 110, 1: 147, 2: 243}
        assert [d["variation_index"] for d in answer.json()["distribution"]] == [-1, 0, 1, 2]
        assert answer.json()["in_experiment_fraction"] == .5

    def test_first_version(self, api):
        assert counts(ask(api, hash_version=1)) == {0: 513, 1: 487}

    def test_nobody(self, api):
        answer = ask(api, coverage=0)
        assert counts(answer) == {-1: 1000} and answer.json()["in_experiment_fraction"] == 0.0

    @pytest.mark.parametrize("weights", [[.4, .1], [1, 1], [.5, .3, .2], [], [1e308, 1e308], None])
    def test_weights_that_do_not_fit(self, api, weights):
        assert ask(api, weights=weights).json() == ask(api).json()

    def test_variation_without_weight(self, api):
        assert counts(ask(api, num_variations=3, weights=[.5, 0, .5])).keys() == {0, 2}

    @pytest.mark.parametrize("seed, prefix", [("ключ", "пользователь-"), ("😀", "𝒳"), ("é" * 200, "日" * 80), ("x", "")])
    def test_characters(self, api, seed, prefix):
        """Hashed as JavaScript counts them: characters beyond U+FFFF are two units."""
        reply = ask(api, seed=seed, user_id_prefix=prefix, sample_size=25).json()
        for i, sample in enumerate(reply["sample_assignments"]):
            place = fnv(str(fnv(f"{seed}{prefix}{i}"))) % 10000 / 10000
            assert sample == {"user_id": f"{prefix}{i}", "variation_index": int(place >= .5)}

    def test_largest(self, api):
        answer = ask(api, seed="é" * 200, user_id_prefix="é" * 80, sample_size=100_000, num_variations=10, hash_version=1)
        assert sum(counts(answer).values()) == 100_000 and answer.seconds < 30

    def test_language_changes_nothing(self, api):
        assert len({ask(api.with_headers({"Accept-Language": language})).body for language in LANGUAGES}) == 1


class TestRefusals:
    @pytest.mark.parametrize("changes, place", [
        ({"seed": ""}, "seed"), ({"seed": "x" * 201}, "seed"), ({"num_variations": 1}, "num_variations"),
        ({"num_variations": 11}, "num_variations"), ({"coverage": 1.01}, "coverage"), ({"coverage": -.1}, "coverage"),
        ({"sample_size": 0}, "sample_size"), ({"sample_size": 100_001}, "sample_size"),
        ({"user_id_prefix": "x" * 81}, "user_id_prefix"), ({"hash_version": 3}, "hash_version"),
        ({"hash_version": 0}, "hash_version"), ({"experiment": 1}, "experiment")])
    def test_fields(self, api, changes, place):
        assert list(ask(api, **changes).errors()) == [("body", place)]

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_negative_weights(self, api, language):
        answer = ask(api.with_headers({"Accept-Language": language}), weights=[1.5, -.5])
        message = answer.errors()["body",]["msg"]
        assert (message == "Value error, weights must not be negative") == (language == "en")
