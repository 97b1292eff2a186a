"""Which language an answer is in."""

import json
import shutil

import pytest
import requests

from stack import CHECKOUT, Stack

NEGOTIATIONS = [
    ("fr-CA", "fr"), ("de-AT,en;q=0.5", "de"), ("pt-BR,es;q=0.8", "es"), ("ja", "en"), ("en;q=0.1,ru;q=0.9", "ru"),
    ("zh_TW", "zh"), (None, "en"), ("", "en"), ("*", "en"), ("ru-RU,en;q=0.5", "ru"), ("en;q=0.3,de;q=0.9", "de"),
    ("xx, fr;q=0.1", "fr"), ("pt-BR", "en"), ("ru;q=abc", "ru"), ("ru;q=0", "en"), ("ru;q=0.0,de;q=0.2", "de"),
    ("AR", "ar"), ("de;q=0.5,fr;q=0.5", "de"), ("es ; q=0.7 , fr ;q=0.9", "fr"), ("ru;q=,de;q=0.1", "ru"),
    ("zh-Hant-TW,en;q=0.1", "zh"), ("deu,eng", "en"), (",,,;;;,fr", "fr"), ("e,n", "en"),
    ("ru;level=1;q=0.2,de;q=0.3", "de"),
    ("en-US,en;q=0.9,ru;q=0.8", "en"), ("ru" + ",xx" * 2000, "ru"), ("\x80\xff,fr", "fr"),
]


@pytest.mark.parametrize("header, language", NEGOTIATIONS, ids=lambda v: str(v)[:30])
def test_negotiation(api, header, language):
    headers = {} if header is None else {"Accept-Language": header.encode("latin-1") if "\xff" in header else header}
    answer = api.get("/health", headers=headers)
    assert answer.headers["Content-Language"] == language
    body = {"observed_counts": [4800, 5200], "expected_fractions": [0.5, 0.5]}
    verdict = api.post("/api/v1/srm-check", body, headers=headers).json()["verdict"]
    expected = api.post("/api/v1/srm-check", body, headers={"Accept-Language": language}).json()["verdict"]
    assert verdict == expected


def test_seven_languages_differ(api):
    body = {"observed_counts": [4800, 5200], "expected_fractions": [0.5, 0.5]}
    verdicts = {api.post("/api/v1/srm-check", body, headers={"Accept-Language": each}).json()["verdict"]
                for each in ("en", "ru", "de", "es", "fr", "zh", "ar")}
    assert len(verdicts) == 7


def test_a_language_is_one_catalogue(tmp_path):
    """A file more in the folder of catalogues is a language more; nothing else lists languages."""
    catalogues = tmp_path / "locales"
    shutil.copytree(CHECKOUT / "locales", catalogues)
    catalogue = json.loads((catalogues / "fr.json").read_text())
    catalogue["language"] = {"name": "Português", "direction": "ltr"}
    catalogue["errors"]["srm_not_detected"] = "Nenhum SRM"
    (catalogues / "pt.json").write_text(json.dumps(catalogue))
    body = {"observed_counts": [5000, 5000], "expected_fractions": [0.5, 0.5]}
    with Stack() as stack:
        stack.start({"ASSAY_LOCALES_DIR": str(catalogues), "AB_CHATAPP_LANGUAGE": "pt"})
        answer = requests.post(f"{stack.base_url}/api/v1/srm-check", json=body, headers={"Accept-Language": "pt-BR"})
        assert (answer.headers["Content-Language"], answer.json()["verdict"]) == ("pt", "Nenhum SRM")
        refused = stack.run("restart", env={"AB_CHATAPP_LANGUAGE": "tlh"})
        assert refused.returncode == 1 and "AB_CHATAPP_LANGUAGE" in refused.stdout + refused.stderr
