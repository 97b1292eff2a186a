"""POST /api/v1/results/file: files of users, CSV and NDJSON, against the routes that take the same values, and odd files."""

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from wait import wait_for

BOUNDARY = "data-boundary"


def ask(api, data, name="users.csv", may_fail=False, **mapping):
    mapping = {"arm": "variant", "value": "revenue", "metric_type": "continuous", **mapping}
    data = data.encode() if isinstance(data, str) else data
    body = (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="mapping"\r\n\r\n{json.dumps(mapping)}\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n').encode()
    return api.send("POST", "/api/v1/results/file", data=body + data + f"\r\n--{BOUNDARY}--\r\n".encode(),
                    headers={"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}, may_fail=may_fail)


def reply_of(answer):
    assert answer.status == 200, answer
    return answer.json()


def users(count=400, arms=("A", "B"), seed=1):
    """Rows of label, value, orders, covariate (None = not known)."""
    draw = random.Random(seed)
    rows = []
    for i in range(count):
        before = round(draw.gauss(10, 3), 4)
        arm = i % len(arms)
        rows.append((arms[arm], round(before + draw.gauss(arm, 2), 4), draw.randint(1, 6),
                     None if draw.random() < .1 else before))
    return rows


def csv(rows, delimiter=",", names=("variant", "revenue", "orders", "before"), decimal="."):
    lines = [delimiter.join(names)]
    for row in rows:
        lines.append(delimiter.join("" if x is None else str(x).replace(".", decimal) if isinstance(x, float) else str(x)
                                    for x in row))
    return "\n".join(lines) + "\n"


def adjusted(api, rows, labels, metric_type="continuous", **more):
    arms = []
    for label in labels:
        mine = [row for row in rows if row[0] == label]
        arms.append({"values": [row[1] for row in mine], "covariates": [[row[3] for row in mine]],
                     **({"denominators": [row[2] for row in mine]} if metric_type == "ratio" else {})})
    return reply_of(api.post("/api/v1/results/adjusted", {
        "metric_type": metric_type, "arms": arms, "covariate_names": ["before"], **more}))


def close(one, other):
    """The same numbers, to the rounding of sums in another order."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(close(*pair) for pair in zip(one, other))
    return one == pytest.approx(other, rel=1e-9) if isinstance(one, float) else one == other


@pytest.mark.parametrize("metric_type", ["continuous", "ratio"])
def test_equal_to_the_values(api, metric_type):
    rows = users()
    more = {"denominator": "orders"} if metric_type == "ratio" else {}
    reply = reply_of(ask(api, csv(rows), metric_type=metric_type, covariates=["before"], **more))
    assert close(reply["comparison"], adjusted(api, rows, "AB", metric_type))
    assert (reply["rows"], reply["users"], reply["bad_rows"]) == (400, 400, 0)
    assert reply["arms"] == [{"label": "A", "users": 200}, {"label": "B", "users": 200}]


def test_several_arms_and_a_named_control(api):
    rows = users(600, ("B", "control", "C"))
    reply = reply_of(ask(api, csv(rows), covariates=["before"], control="control", variance="hc3",
                         analyses=["mann_whitney", "trimmed_t"]))
    assert [arm["label"] for arm in reply["arms"]] == ["control", "B", "C"]
    assert close(reply["comparison"], adjusted(api, rows, ("control", "B", "C"), variance="hc3"))
    kinds = [(one["treatment_index"], one["analysis"]["metric_type"]) for one in reply["analyses"]]
    assert kinds == [(a, kind) for a in (1, 2) for kind in ("continuous", "mann_whitney", "trimmed_t")]
    values = {label: [row[1] for row in rows if row[0] == label] for label in ("control", "C")}
    ranked = {"control_values": values["control"], "treatment_values": values["C"], "alpha": .025}
    expected = reply_of(api.post("/api/v1/results", {"metric_type": "mann_whitney", "ranked": ranked}))
    assert reply["analyses"][4]["analysis"] == expected


@pytest.mark.parametrize("metric_type, block", [("binary", "binary"), ("count", "count")])
def test_rates_and_counts(api, metric_type, block):
    rows = [(row[0], int(row[1] > 11) if metric_type == "binary" else row[2], row[2], row[3]) for row in users()]
    reply = reply_of(ask(api, csv(rows), metric_type=metric_type))
    names = ("conversions", "users") if metric_type == "binary" else ("events", "exposure")
    data = {}
    for arm, label in (("control", "A"), ("treatment", "B")):
        mine = [row[1] for row in rows if row[0] == label]
        data |= {f"{arm}_{names[0]}": sum(mine), f"{arm}_{names[1]}": len(mine)}
    expected = reply_of(api.post("/api/v1/results", {"metric_type": metric_type, block: data}))
    assert reply["analyses"] == [{"treatment_index": 1, "analysis": expected}]


ROWS = users(60)
ODD = {
    "bom and crlf": b"\xef\xbb\xbf" + csv(ROWS).replace("\n", "\r\n").encode(),
    "semicolons and decimal commas": csv(ROWS, ";", decimal=","),
    "tabs": csv(ROWS, "\t"),
    "no last line end": csv(ROWS).rstrip("\n"),
    "empty lines": csv(ROWS).replace("\n", "\n\n"),
    "quotes with line ends": "note," + csv(ROWS).replace("\nA", '\n"a ""b"",\nc",A').replace("\nB", "\n,B"),
    "blanks": csv(ROWS).replace(",", " , "),
    "ndjson": "\n".join(json.dumps({"variant": a, "revenue": v, "before": b, "more": [1]}) for a, v, _, b in ROWS),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_files_say_the_same(api, name):
    reply = reply_of(ask(api, ODD[name], covariates=["before"]))
    assert close(reply["comparison"], adjusted(api, ROWS, "AB")) and reply["bad_rows"] == 0, reply


def test_names_in_any_script(api):
    data = csv(ROWS, names=("分组", "收入", "订单", "之前")).replace("A,", "对照,")
    reply = reply_of(ask(api, data, arm="分组", value="收入", covariates=["之前"], control="对照"))
    assert reply["arms"][0] == {"label": "对照", "users": 30} and reply["comparison"]["covariates"][0]["name"] == "之前"


def test_bad_rows_are_counted_and_the_first_named(api):
    data = csv(ROWS) + 'A,,1,2\nB,12x,1,2\n,1,1,1\nA,inf,1,1\nB,NaN,1,1\nA,1,1,abc\nB,"1,1,1\n'
    reply = reply_of(ask(api, data, covariates=["before"]))
    assert (reply["rows"], reply["users"], reply["bad_rows"]) == (67, 60, 7)
    assert [(row["line"], row["column"], row["reason"]) for row in reply["first_bad_rows"]] == [
        (62, "revenue", "no_value"), (63, "revenue", "not_a_number"), (64, "variant", "no_arm"),
        (65, "revenue", "not_a_number"), (66, "revenue", "no_value"), (67, "before", "not_a_number"),
        (68, None, "unterminated_quote")]
    lines = "\n".join([json.dumps({"variant": i % 2, "revenue": i % 7}) for i in range(40)] + ["{", "[1]"])
    reply = reply_of(ask(api, lines))
    assert reply["bad_rows"] == 2 and [arm["label"] for arm in reply["arms"]] == ["0", "1"]


def test_numbers_of_any_size(api):
    """Values near 1e308 are numbers; their squares are not needed."""
    data = csv([(label, value * 5e306, 1, None) for label, value, _, _ in ROWS])
    comparison = reply_of(ask(api, data))["comparison"]["comparisons"][0]
    expected = reply_of(ask(api, csv(ROWS)))["comparison"]["comparisons"][0]
    assert comparison["adjusted"]["p_value"] == expected["adjusted"]["p_value"]


REFUSED = [
    ("unknown_column", csv(ROWS), {"value": "nothing"}, "no column nothing"),
    ("unknown_control", csv(ROWS), {"control": "Z"}, "label Z"),
    ("empty_file", "", {}, "no rows"),
    ("data_arms", csv([row for row in ROWS if row[0] == "A"]), {}, "two to ten"),
    ("data_arms", csv([(f"arm {i}", 1.0, 1, None) for i in range(30)]), {}, "two to ten"),
    ("data_analyses", csv(ROWS), {"analyses": ["tarot"]}, "tarot"),
    ("data_mapping", csv(ROWS), {"alpha": 2}, "mapping.alpha"),
    ("data_mapping", csv(ROWS), {"metric_type": "ratio"}, "denominator is required"),
    ("data_mapping", csv(ROWS), {"analyses": ["trimmed_t", "trimmed_t"]}, "every analysis once"),
    ("data_mapping", csv(ROWS), {"surprise": 1}, "mapping.surprise"),
]


@pytest.mark.parametrize("code, data, mapping, text", REFUSED, ids=[f"{row[0]}-{i}" for i, row in enumerate(REFUSED)])
def test_what_does_not_fit_is_refused(api, code, data, mapping, text):
    answer = ask(api, data, **mapping)
    assert answer.status == 400 and answer.json()["error_code"] == code and text in answer.text, answer


def refused_beside(api, large, small):
    """What is said to the small file while the large one is analyzed; None where that was over too soon."""
    def of_large():
        return next((a for a in [ask(api, large)] if a.status != 429), None)  # the small one may have been first

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait_for, of_large)
        refused = wait_for(lambda: waiting.done() or next((a for a in [ask(api, small)] if a.status != 200), None))
        assert waiting.result().status == 200, waiting.result()
    return None if refused is True else refused


def test_only_so_many_at_a_time(stacks):
    """While a large file is analyzed another one is refused, and taken afterwards."""
    api = stacks.get({"AB_DATA_UPLOADS": "1", "AB_RATE_LIMIT_ENABLED": "false"})
    small = csv(users())
    large = csv(users()) + "\n".join(f"{'AB'[i % 2]},{i % 97},1," for i in range(400_000))
    refused = wait_for(lambda: refused_beside(api, large, small))
    assert (refused.status, refused.error_code) == (429, "uploads_busy") and int(refused.headers["Retry-After"]) > 0
    assert reply_of(ask(api, small))["users"]


def test_room_on_the_disk_has_a_bound(stacks):
    api = stacks.get({"AB_DATA_TEMPORARY_BYTES": str(1024 * 1024)})
    answer = ask(api, "variant,revenue\n" + "".join(f"{'AB'[i % 2]},{i % 7}\n" for i in range(60_000)))
    assert (answer.status, answer.error_code) == (413, "data_rows_too_large"), answer
    assert reply_of(ask(api, csv(users())))["users"]
