"""Lists of projects against a naive model of them: filters, search, orders, pages, totals.

A few hundred random projects, made over the API; then their timestamps are set so that many are
equal, because the rules for ties are part of the order. On both engines.
"""

import random
import unicodedata
from urllib.parse import quote, urlencode

import pytest

from project_fixtures import METRICS, PROJECTS, analysis, create, expect, payload

pytest_plugins = ["store_fixtures"]

COUNT = 240
QUERIES = 150
WORDS = [
    "Checkout", "checkout", "CHECKOUT flow", "Straße", "STRASSE", "İstanbul", "ıssız", "ΣΊΣΥΦΟΣ", "σίσυφος", "Ёлка", "ёЛКА",
    "结账流程", "チェックアウト", "ﾁｪｯｸ", "체크아웃", "اختبار السلة", "תשלום", "ขั้นตอน", "नमस्ते", "Ａｂｃ", "ﬁnal", "①st", "Å", "A\u030a",
    "100%", "50_50", "a\\b", "a%b", "x_y", "%", "_", "\\", "'quoted'", '"double"', "semi;colon", "👩‍💻 desk", "🇩🇪",
    "tab\there", "  padded  ", "", "Z", "z", "~", "0", "10", "9", "Straßen", "naïve", "NAÏVE", "e\u0301", "é", "ǆ", "Ǆ",
]
SORTS = ("created_at", "updated_at", "name", "duration_days")


def fold(text):
    """NFKC with case folding, as often as it takes to come to rest; without ignorable characters."""
    def once(value):
        return unicodedata.normalize("NFKC", unicodedata.normalize("NFD", value).casefold())

    text = "".join(c for c in text if c not in "\u200d\ufe0f\u00ad")
    while once(text) != text:
        text = once(text)
    return text


class Model:
    """What the list should be, from the records alone."""

    def __init__(self, items):
        self.items = items

    def fitting(self, query):
        status = query.get("status", "active")
        if query.get("include_archived") == "true" and status == "active":
            status = "all"
        metric = query.get("metric_type", "all")
        wanted = fold(query.get("q", "")).strip(" \t\r\n")
        for item in self.items:
            texts = [fold(item[name]) for name in ("project_name", "hypothesis", "change")]
            if (status == "all" or (status == "archived") == item["is_archived"]) \
                    and metric in ("all", item["metric_type"]) and any(wanted in text for text in texts):
                yield item

    def ordered(self, query):
        found = sorted(self.fitting(query), key=lambda item: item["id"], reverse=True)
        sort_by, falling = query.get("sort_by", "updated_at"), query.get("sort_dir", "desc") == "desc"
        if sort_by in ("name", "duration_days"):
            found.sort(key=lambda item: item["updated_at"], reverse=True)
        if sort_by == "name":
            found.sort(key=lambda item: fold(item["project_name"]).encode(), reverse=falling)
        elif sort_by == "duration_days":
            found.sort(key=lambda item: item["duration_days"] or 0, reverse=falling)
            found.sort(key=lambda item: item["duration_days"] is None)
        else:
            found.sort(key=lambda item: item[sort_by], reverse=falling)
        return found


def build(store, chance):
    """Random projects, and what the list knows of each."""
    items = []
    for number in range(COUNT):
        name, hypothesis, change = (" ".join(chance.choices(WORDS, k=chance.randint(0, 3))) for _ in range(3))
        metric = chance.choice(list(METRICS))
        project = create(store.client, payload(name, metric, hypothesis={
            "hypothesis_statement": hypothesis, "change_description": change}))
        path = f"{PROJECTS}/{project['id']}"
        days = None
        if chance.random() < 0.5:
            days = chance.choice([1, 2, 7, 7, 14, 90])
            expect(store.client.post(path + "/analysis", analysis(days=days)))
        if chance.random() < 0.25:
            metric = chance.choice(list(METRICS))
            expect(store.client.send("PUT", path, json=payload(name, metric, hypothesis={
                "hypothesis_statement": hypothesis, "change_description": change})))
        if number == COUNT - 1 or chance.random() < 0.3:
            expect(store.client.post(path + "/archive"))
            if chance.random() < 0.2:
                expect(store.client.post(path + "/restore"))
        if chance.random() < 0.05:
            expect(store.client.send("DELETE", path))
            continue
        items.append({"id": project["id"], "change": change, "metric_type": metric, "duration_days": days})
    return items


def tie(store, items, chance):
    """Gives many projects the same moments."""
    moments = [f"2026-03-{day:02}T10:00:00.00000{digit}+00:00" for day in (1, 2, 3) for digit in (0, 1, 2)]
    store.database.run(";\n".join(
        f"UPDATE projects SET created_at = '{chance.choice(moments)}', updated_at = '{chance.choice(moments)}'"
        f" WHERE id = '{item['id']}'" for item in items))


@pytest.fixture(scope="module")
def listed(store, engine):
    """The model of a store full of projects."""
    chance = random.Random(20260707)
    items = build(store, chance)
    tie(store, items, chance)
    known = {}
    for offset in range(0, len(items), 200):
        page = expect(store.client.get(f"{PROJECTS}?status=all&limit=200&offset={offset}"))
        known.update({item["id"]: item for item in page["projects"]})
    assert set(known) == {item["id"] for item in items}
    for item in items:
        assert (known[item["id"]]["metric_type"], known[item["id"]]["duration_days"]) == (
            item["metric_type"], item["duration_days"])
    return Model([{**known[item["id"]], **item} for item in items])


def check(store, model, query):
    page = expect(store.client.get(f"{PROJECTS}?{urlencode(query, quote_via=quote)}"))
    wanted = model.ordered(query)
    limit, offset = int(query.get("limit", 50)), int(query.get("offset", 0))
    assert [item["id"] for item in page["projects"]] == [item["id"] for item in wanted[offset:offset + limit]], query
    assert {**page, "projects": None} == {
        "projects": None, "total": len(wanted), "offset": offset, "limit": limit,
        "has_more": offset + len(page["projects"]) < len(wanted)}, query
    return page


def random_query(chance):
    query = {}
    for name, values in {
            "status": ["active", "archived", "all"], "metric_type": [*METRICS, "all"], "sort_by": SORTS,
            "sort_dir": ["asc", "desc"], "limit": [1, 3, 50, 200], "offset": [0, 1, 17, 120, 1000],
            "include_archived": ["true", "false"]}.items():
        if chance.random() < 0.6:
            query[name] = str(chance.choice(values))
    if chance.random() < 0.4:
        word = chance.choice(WORDS)
        start = chance.randint(0, max(0, len(word) - 1))
        query["q"] = chance.choice([word, word.upper(), word.lower(), word[start:start + chance.randint(1, 3)], f"  {word}\t"])
    return query


class TestModel:
    @pytest.mark.parametrize("status", ["active", "archived", "all"])
    @pytest.mark.parametrize("direction", ["asc", "desc"])
    @pytest.mark.parametrize("sort_by", SORTS)
    def test_every_order_of_every_status(self, store, listed, sort_by, direction, status):
        query = {"sort_by": sort_by, "sort_dir": direction, "status": status, "limit": "200"}
        check(store, listed, query)
        check(store, listed, {**query, "offset": "13", "limit": "29", "metric_type": "ratio"})

    def test_random_queries(self, store, listed):
        chance = random.Random(42)
        for _ in range(QUERIES):
            check(store, listed, random_query(chance))

    @pytest.mark.parametrize("word", sorted({w.strip(" ") for w in WORDS} - {""}), ids=repr)
    def test_every_word_is_found(self, store, listed, word):
        """In any case, as a literal: no character is a wildcard."""
        page = check(store, listed, {"q": word, "status": "all", "limit": "200"})
        assert page["total"] > 0
        check(store, listed, {"q": word.upper(), "status": "all", "limit": "200"})

    @pytest.mark.parametrize("text, other", [
        ("STRASSE", "straße"), ("Σίσυφος", "σίσυφοσ"), ("ёлка", "ЁЛКА"), ("abc", "Ａｂｃ"), ("final", "ﬁnal"), ("é", "e\u0301"),
        ("チェック", "ﾁｪｯｸ"), ("i\u0307stanbul", "İSTANBUL"), ("ǆ", "Ǆ")])
    def test_spellings_that_fold_to_the_same(self, store, listed, text, other):
        pages = [check(store, listed, {"q": q, "status": "all", "limit": "200"}) for q in (text, other)]
        assert pages[0]["total"] == pages[1]["total"] > 0

    @pytest.mark.parametrize("word", ["", " ", "\t\n", "\u00a0", "\u3000 \u2003"])
    def test_blank_search_is_none(self, store, listed, word):
        assert check(store, listed, {"q": word, "status": "all"})["total"] == len(listed.items)

    def test_all_pages_together_are_the_whole(self, store, listed):
        for sort_by in SORTS:
            ids, more, offset = [], True, 0
            while more:
                page = check(store, listed, {"sort_by": sort_by, "limit": "31", "offset": str(offset), "status": "all"})
                ids += [item["id"] for item in page["projects"]]
                offset, more = offset + 31, page["has_more"]
            assert len(ids) == len(set(ids)) == len(listed.items)

    def test_include_archived(self, store, listed):
        """Only beside the default status."""
        count = {status: len(list(listed.fitting({"status": status}))) for status in ("active", "archived", "all")}
        assert count["active"] and count["archived"]
        for query, total in (("", "active"), ("include_archived=true", "all"), ("include_archived=0", "active"),
                             ("include_archived=yes&status=active", "all"), ("include_archived=1&status=archived", "archived"),
                             ("include_archived=false&status=all", "all")):
            assert store.client.get(f"{PROJECTS}?{query}").json()["total"] == count[total], query

    def test_totals_equal_the_counts(self, store, listed):
        """The counting table against the rows themselves."""
        told = store.database.rows("SELECT archived, metric_type, sum(projects) AS n FROM project_totals"
                                   " GROUP BY archived, metric_type HAVING sum(projects) <> 0")
        counted = store.database.rows("SELECT archived, metric_type, count(*) AS n FROM projects GROUP BY archived, metric_type")
        assert sorted(map(str, told)) == sorted(map(str, counted))

    def test_lines_equal_the_records(self, store, listed):
        page = expect(store.client.get(f"{PROJECTS}?limit=7"))
        for line in page["projects"]:
            record = expect(store.client.get(f"{PROJECTS}/{line['id']}"))
            assert line == {**{k: v for k, v in record.items() if k != "payload"},
                            "hypothesis": record["payload"]["hypothesis"]["hypothesis_statement"],
                            "metric_type": record["payload"]["metrics"]["metric_type"],
                            "duration_days": line["duration_days"]}


class TestQuery:
    @pytest.mark.parametrize("query, name, code", [
        ("limit=0", "limit", "greater_than_equal"), ("limit=201", "limit", "less_than_equal"), ("limit=x", "limit", "int_parsing"),
        ("offset=-1", "offset", "greater_than_equal"), ("sort_by=id", "sort_by", "literal_error"), ("offset=", "offset", "int_parsing"),
        ("sort_dir=DESC", "sort_dir", "literal_error"), ("status=none", "status", "literal_error"), ("unknown=1", "unknown", "extra_forbidden"),
        ("metric_type=tost", "metric_type", "literal_error"), ("include_archived=maybe", "include_archived", "bool_parsing")])
    def test_refused(self, store, query, name, code):
        [(location, error)] = store.client.get(f"{PROJECTS}?{query}").errors().items()
        assert location == ("query", name) and error["type"] == code

    @pytest.mark.parametrize("query", ["", "?q=%25%5f", "?offset=9007199254740992", "?limit=200", "?q=" + "x" * 500])
    def test_admitted(self, store, query):
        expect(store.client.get(PROJECTS + query))

    @pytest.mark.parametrize("query", ["?q=%ff", "?q=tea%c3%28", "?q=tea%00cup"])
    def test_text_that_is_not_utf_8_reaches_no_engine(self, store, query):
        [(location, error)] = store.client.get(PROJECTS + query).errors().items()
        assert location == ("query", "q") and error["type"] == "string_type"

    def test_head(self, store):
        assert store.client.send("HEAD", PROJECTS + "?limit=3").status == 200
