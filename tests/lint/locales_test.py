"""The catalogues agree with each other, with the code, and read like their language."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = ["en", *sorted(path.stem for path in (ROOT / "locales").glob("*.json") if path.stem != "en")]
TRANSLATIONS = LANGUAGES[1:]

PLACEHOLDER = re.compile(r"\{\{ *([A-Za-z0-9_]+) *\}\}")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
KEY = re.compile(r"[a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)+")
IDENTIFIER = re.compile(r"(?<![A-Za-z_])[a-z]+(?:_[a-z]+)+(?![A-Za-z_])")
FIGURE = re.compile(r"\d+(?:\.\d+)?")

SCRIPTS = {
    "ru": re.compile("[\u0400-\u04ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
}

# What stays in Latin letters where the language has letters of its own: values and names of the
# interface, and terms that the field does not translate.
LATIN_WORDS = {
    "alpha", "bayesian", "binary", "bootstrap", "continuous", "cookie", "count", "cox", "d",
    "durations", "dz", "equivalence", "gamma", "groups", "gt", "gte", "icc", "in", "log", "lt",
    "lte", "mid", "operator", "p", "quantile", "rank", "ranked", "ratio", "rho", "s", "t", "table",
    "tost", "value", "z", "Barnard", "Bonferroni", "Boschloo", "CR", "Cohen", "Cookie", "Cox", "Cramér",
    "Delta", "F", "Fisher", "Fleming", "G", "H", "Harrington", "Hodges", "ICC", "Kruskal",
    "Lehmann", "MDE", "Mann", "McNemar", "N", "PDF", "SRM", "U", "UTC", "V", "W", "Wallis", "Welch",
    "Whitney", "Wilcoxon", "Yuen",
    "DataMapping", "analyses", "attribute", "conversions", "counts", "covariates", "denominator", "denominators", "events",
    "exposure", "mean", "n", "products", "std", "sum", "targetingKey", "values",
}

# Words that English cannot do without and that German, Spanish and French do not have.
ENGLISH_WORDS = re.compile(
    r"\b(?:the|and|is|are|must|with|for|not|of|to|be|by|from|when|than|this|that|between)\b", re.I
)


def reject_duplicates(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"duplicate among {keys}"
    return dict(pairs)


def flatten(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def load(language):
    text = (ROOT / "locales" / f"{language}.json").read_text(encoding="utf-8")
    tree = json.loads(text, object_pairs_hook=reject_duplicates)
    tree.pop("pages")  # tests/browser/texts_test.js looks at these
    assert tree.pop("language").keys() == {"name", "direction"}
    return dict(flatten(tree))


CATALOGUES = {language: load(language) for language in LANGUAGES}
ENGLISH = CATALOGUES["en"]


# A row of ANALYZER_LIST, from which the keys of its block rules are made (results_schema.c).
ANALYZER = re.compile(r"ANALYZER\([A-Z_]+, (\w+), (\w+), (\w+), (\w+), (\w+)\)")


def block_rule_keys():
    path = "common/experiments/analyses/results_schema.h"
    for name, needed, *refused in ANALYZER.findall((ROOT / path).read_text(encoding="utf-8")):
        yield f"errors.schemas.{name}_requires_{needed}_data", path
        for block in refused:
            yield f"errors.schemas.{name}_rejects_{block}_data", path


def named_keys():
    """Every key that the code names or makes, with the file that does."""
    # Locks and jobs have names that begin with their service: "livedata.apply".
    families = "|".join(sorted({key.split(".")[0] for key in ENGLISH} - {"livedata"} | {r"livedata\.plan"}))
    family = re.compile(rf"(?:{families})\.")
    named = dict(block_rule_keys())
    for room in ("common", "fcgi-bin", "cron-bin"):
        for path in sorted((ROOT / room).rglob("*.[ch]")):
            code = COMMENT.sub(" ", path.read_text(encoding="utf-8"))
            for literal in LITERAL.findall(code):
                if KEY.fullmatch(literal) and family.match(literal):
                    named.setdefault(literal, str(path.relative_to(ROOT)))
    return named


def without_names(text):
    """The text that a reader of the language reads: no placeholders, no names of fields."""
    return IDENTIFIER.sub(" ", PLACEHOLDER.sub(" ", text))


def english_leftovers(language, text):
    prose = without_names(text)
    if language in SCRIPTS:
        found = [word for word in re.findall(r"[A-Za-zÀ-ÿ]+", prose) if word not in LATIN_WORDS]
        return found if SCRIPTS[language].search(prose) else found + [prose]
    return ENGLISH_WORDS.findall(prose)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_same_keys_in_the_same_order(language):
    assert list(CATALOGUES[language]) == list(ENGLISH)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_same_placeholders(language):
    for key, text in ENGLISH.items():
        translated = PLACEHOLDER.findall(CATALOGUES[language][key])
        assert sorted(translated) == sorted(PLACEHOLDER.findall(text)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_clean(language):
    for key, text in CATALOGUES[language].items():
        assert isinstance(text, str) and text, key
        assert text == text.strip() and "  " not in text, key
        assert not re.search(r"[\x00-\x1f\x7f\ufeff\ufffd]", text), key
        left = PLACEHOLDER.sub("", text)
        assert "{" not in left and "}" not in left, key
        assert text.count("\u2066") == text.count("\u2069"), f"{key}: unbalanced isolates"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translations_name_the_same_fields_and_figures(language):
    for key, text in ENGLISH.items():
        translated = CATALOGUES[language][key]
        assert set(IDENTIFIER.findall(text)) == set(IDENTIFIER.findall(translated)), key
        assert sorted(FIGURE.findall(text)) == sorted(FIGURE.findall(translated)), key
        assert text.endswith(".") == translated.endswith((".", "。")), f"{key}: full stop"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_nothing_was_left_in_english(language):
    for key, text in CATALOGUES[language].items():
        if not re.search(r"[^\W\d_]", PLACEHOLDER.sub(" ", text)):
            continue  # signs alone
        assert text != ENGLISH[key], key
        assert english_leftovers(language, text) == [], key


def test_leftovers_would_be_found():
    for language in TRANSLATIONS:
        assert english_leftovers(language, "std_dev must be positive")
    assert english_leftovers("ru", "Статистически significant")
    assert english_leftovers("zh", "{{total}}")
    assert not english_leftovers("ar", "يجب أن تكون std_dev موجبة")


def test_every_key_in_the_code_exists():
    assert {key: path for key, path in named_keys().items() if key not in ENGLISH} == {}


def test_every_entry_is_used():
    named = named_keys()
    unused = [
        key for key in ENGLISH if key not in named
    ]
    assert unused == []


def test_english_that_clients_match():
    fixed = {
        "results.verdict.uplift": "Statistically significant uplift at alpha={{alpha}}",
        "results.verdict.decline": "Statistically significant decline at alpha={{alpha}}",
        "results.verdict.no_difference": "No statistically significant difference at alpha={{alpha}}",
        "results.verdict.degenerate": "Cannot compute: zero standard error",
        "errors.srm_not_detected": "No SRM detected",
        "errors.schemas.traffic_split_length": "traffic_split length must match variants_count",
        "errors.schemas.continuous_std_positive": "std_dev must be positive for continuous metrics",
    }
    assert {key: ENGLISH[key] for key in fixed} == fixed
    assert ENGLISH["errors.srm_detected"].startswith("SRM detected")


@pytest.mark.parametrize("language", LANGUAGES)
def test_verdicts_print_alpha(language):
    for name in ("no_difference", "uplift", "decline", "significant"):
        assert "alpha={{alpha}}" in CATALOGUES[language][f"results.verdict.{name}"]


@pytest.mark.parametrize("language", ["de", "es", "fr", "ru"])
def test_percent_signs_stand_off_as_the_language_asks(language):
    """A plain blank before % may break the line; German, French, Spanish and Russian want one that
    does not, except in compounds such as 95-%-Konfidenzintervall and 95%-й."""
    for key, text in CATALOGUES[language].items():
        assert " %" not in text, key
        assert not re.search(r"(?:\d|\}\})%(?!-)", text), key
