"""Whether the data of an experiment can be trusted: each alarm where its cause is, with figures computed here from the raw
records, and none where there is no cause. On both engines."""

import math
import random
import statistics
from datetime import datetime, timezone

import numpy
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import gammaln

from live_buckets_test import divided
from live_test import Experiment, design
from project_fixtures import expect, payload, unknown_id
from wait import wait_for

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

START, DAY, DAYS, USERS = 1_769_990_400, 86400, 29, 60  # a Monday; users a day


def continuous():
    return payload("quality", "continuous", metrics={
        "primary_metric_name": "purchase", "metric_type": "continuous", "baseline_value": 3, "mde_pct": 20, "std_dev": 4,
        "alpha": 0.05, "power": 0.8})


def date(day):
    return datetime.fromtimestamp(START + day * DAY, timezone.utc).date().isoformat()


def send_all(experiment, route, records):
    for at in range(0, len(records), 1000):
        expect(experiment.post(route, *records[at:at + 1000]))


def quality(experiment):
    def current():
        shown = expect(experiment.client.get(experiment.path("quality")))
        return shown if shown["is_current"] else None
    return wait_for(current)


class Crowd:
    """Users by day, their arms, and one event each of half of them, on their first day."""

    def __init__(self, seed, users=lambda day: USERS, share=0.5, chance=lambda day, arm: 0.5, value=lambda day, arm: 1):
        rng = random.Random(seed)
        self.exposures, self.events, self.before = [], [], []
        for day in range(DAYS):
            for i in range(users(day)):
                arm, user, at = int(rng.random() < share), f"u{day}-{i}", START + day * DAY + 3600 + i
                self.exposures.append({"user_id": user, "variation_index": arm, "occurred_at": at})
                self.before.append({"user_id": user, "value": rng.gauss(10, 2), "covariate_name": "spent"})
                if rng.random() < chance(day, arm):
                    self.events.append({"user_id": user, "metric": "purchase", "value": value(day, arm), "occurred_at": at + 60})

    def send(self, experiment):
        send_all(experiment, "exposures", self.exposures)
        send_all(experiment, "conversions", self.events)
        return quality(experiment)


def codes(shown):
    return [alarm["code"] for alarm in shown["alarms"]]


def test_nothing_is_wrong(store):
    experiment = Experiment(store.client, continuous())
    crowd = Crowd(3)
    send_all(experiment, "pre-period", crowd.before)
    shown = crowd.send(experiment)
    assert codes(shown) == [] and shown["sample_ratio"]["status"] == "ok" and shown["falls"] == []
    assert shown["weekday_effects"][0]["status"] == "ok" and shown["weekday_effects"][0]["complete_days"] == DAYS - 1
    means = [statistics.fmean(b["value"] for b, e in zip(crowd.before, crowd.exposures) if e["variation_index"] == arm)
             for arm in (0, 1)]
    row = shown["balance"][0]
    assert (row["covariate"], row["treatment_index"], row["is_unbalanced"]) == ("spent", 1, False)
    assert [row["control_mean"], row["treatment_mean"]] == pytest.approx(means, abs=1e-6)
    sides = [[b["value"] for b, e in zip(crowd.before, crowd.exposures) if e["variation_index"] == arm] for arm in (0, 1)]
    variance = sum(statistics.variance(s) / len(s) for s in sides)
    size = -2 * math.log(0.01)  # a normal mixture that is narrow at AB_LIVE_MIXTURE_USERS in each arm
    mixture = (size + math.log(size) + 1) / 10_000 * sum(map(len, sides)) * variance
    e_value = math.sqrt(variance / (variance + mixture)) * math.exp(
        (means[1] - means[0]) ** 2 * mixture / (2 * variance * (variance + mixture)))
    assert row["p_value"] == pytest.approx(min(1, 1 / e_value), abs=1e-6)
    assert [c["in_several_arms"] for c in shown["contamination"]] == [0, 0]


def test_the_ratio_drifts(store):
    experiment = Experiment(store.client)
    crowd = Crowd(4, share=0.57)
    shown = crowd.send(experiment)["sample_ratio"]
    counts, most, since = [0, 0], 0, None
    for day in range(DAYS):
        for record in crowd.exposures:
            if record["occurred_at"] // DAY == START // DAY + day:
                counts[record["variation_index"]] += 1
        n = sum(counts)
        most = max(most, gammaln(1000) - gammaln(1000 + n) + sum(
            gammaln(500 + c) - gammaln(500) - c * math.log(0.5) for c in counts))
        since = since or (date(day) if most >= math.log(1000) else None)
    assert since and shown["since"] == since and shown["is_mismatch"] and shown["observed"] == counts
    assert math.log(shown["e_value"]) == pytest.approx(most, abs=1e-5)
    assert shown["p_value"] == pytest.approx(math.exp(-most), abs=1e-6)
    assert "SAMPLE_RATIO" in codes(quality(experiment))


def test_what_arrives_falls(store):
    experiment = Experiment(store.client)
    crowd = Crowd(5, users=lambda day: 12 if day == 10 else USERS,
                  chance=lambda day, arm: 0 if (day, arm) == (20, 1) else 0.5)
    shown = crowd.send(experiment)
    falls = {(f["date"], f["what"], f["variation_index"]): f for f in shown["falls"]}
    assert set(falls) == {(date(10), "users", None), (date(20), "events", 1)}, falls
    fall = falls[date(10), "users", None]
    assert (fall["count"], fall["usual"]) == (12, USERS)
    assert falls[date(20), "events", 1]["count"] == 0 and codes(shown) == ["USERS_FELL", "EVENTS_FELL"]


def test_an_arm_is_silent_and_users_are_in_two(store):
    experiment = Experiment(store.client)
    crowd = Crowd(6, chance=lambda day, arm: 0.5 * (1 - arm))
    shown = crowd.send(experiment)
    silent = shown["silent_arms"]
    arms = [sum(e["variation_index"] == arm for e in crowd.exposures) for arm in (0, 1)]
    assert [(s["metric"], s["variation_index"]) for s in silent] == [("purchase", 1)]
    assert silent[0]["expected"] == pytest.approx(len(crowd.events) / arms[0] * arms[1], abs=0.01)
    again = [{**e, "variation_index": 1 - e["variation_index"]} for e in crowd.exposures[:40]]
    send_all(experiment, "exposures", again)
    shown = quality(experiment)
    assert sum(c["in_several_arms"] for c in shown["contamination"]) == 40
    assert {(a["code"], a["severity"]) for a in shown["alarms"]} == {("SILENT_ARM", "high"), ("SEVERAL_ARMS", "high"),
                                                                        ("CONTAMINATED", "high")}


LARGER = (1.5, 2, 3, 5, 10, 30, 100, 300)  # times the share of 0.1 % that is allowed


def contaminated(crossed, users):
    """The evidence for a larger share than 0.1 %: the mean of likelihood ratios."""
    return sum(math.exp(crossed * math.log(k) + (users - crossed) * (math.log1p(-k / 1000) - math.log1p(-1 / 1000)))
               for k in LARGER) / len(LARGER)


@pytest.mark.parametrize("make", [Experiment, lambda client: divided(client, buckets=4)], ids=["whole", "divided"])
def test_users_in_several_arms_over_time(store, make):
    experiment, crowd = make(store.client), Crowd(11)
    shown = crowd.send(experiment)["contamination_course"]
    assert (shown["status"], shown["since"], shown["days"]) == ("ok", None, []) and shown["p_value"] == 1
    late = [e for e in crowd.exposures if e["user_id"].startswith(("u12-", "u13-"))][::9] + crowd.exposures[:1]
    send_all(experiment, "exposures", [{**e, "variation_index": 1 - e["variation_index"]} for e in late])
    shown = quality(experiment)["contamination_course"]
    per_day = [sum(e["user_id"].startswith(f"u{day}-") for e in late) for day in range(DAYS)]
    values = [contaminated(sum(per_day[:day + 1]), USERS * (day + 1)) for day in range(DAYS)]
    since = next(day for day in range(DAYS) if values[day] >= 1000)
    assert shown["since"] == date(since) and shown["is_contaminated"] and shown["status"] == "contaminated"
    assert math.log(shown["e_value"]) == pytest.approx(math.log(max(values)), abs=1e-4)
    assert [(d["date"], d["users"], d["in_several_arms"]) for d in shown["days"]] == [
        (date(day), USERS, n) for day, n in enumerate(per_day) if n]


class Visitors:
    """Users who do something on each of some days after their exposure: less and less so by the treatment."""

    USERS, LAST = 900, 18

    def __init__(self, binary, fading):
        rng = random.Random(17)
        self.arm, self.at, self.events = {}, {}, []
        for i in range(self.USERS):
            user = f"访客{i}" if i % 40 == 0 else f"v{i}"
            self.arm[user], self.at[user] = i % 2, START + rng.randrange(self.LAST * DAY)
            own = rng.random()
            for day in range(14):
                gain = 0.3 * self.arm[user] * (max(0, 1 - day / 5) if fading else 1)
                for _ in range(2 if rng.random() < 0.1 else 1):
                    if rng.random() < 0.2 + 0.3 * own + gain:
                        at = self.at[user] + day * DAY + rng.randrange(DAY)
                        self.events.append((user, at, 1 if binary else round(rng.lognormvariate(0, 0.5), 3)))
        self.until = START + self.LAST * DAY
        self.events = [e for e in self.events if e[1] <= self.until] + [(next(iter(self.arm)), self.until, 1)]
        self.binary = binary

    def send(self, experiment):
        send_all(experiment, "exposures", [{"user_id": u, "variation_index": a, "occurred_at": self.at[u]} for u, a in self.arm.items()])
        send_all(experiment, "conversions", [{"user_id": u, "metric": "purchase", "value": v, "occurred_at": t} for u, t, v in self.events])
        return quality(experiment)["novelty"][0]

    def values(self, arm):
        """Of each user of an arm the days, NaN where the day is not over."""
        rows = {}
        for user, own in self.arm.items():
            over = (self.until - self.at[user]) // DAY
            rows[user] = [0.0 if day < over else math.nan for day in range(14)] if own == arm else None
        for user, at, value in self.events:
            day = max(0, at - self.at[user]) // DAY
            if rows[user] and day < 14:
                rows[user][day] = 1.0 if self.binary else rows[user][day] + value
        return numpy.array([[v if day < (self.until - self.at[u]) // DAY else math.nan for day, v in enumerate(r)]
                            for u, r in rows.items() if r])

    def expected(self):
        sides = [self.values(0), self.values(1)]
        counts = [(~numpy.isnan(s)).sum(axis=0) for s in sides]
        days = next(d for d in range(15) if d == 14 or min(counts[0][d], counts[1][d]) < 100)
        effect = (numpy.nanmean(sides[1], axis=0) - numpy.nanmean(sides[0], axis=0))[:days]
        cov = numpy.zeros((days, days))
        for side, n in zip(sides, counts):
            about = side - numpy.nanmean(side, axis=0)
            for i in range(days):
                for j in range(days):
                    both = about[:, i] * about[:, j]
                    cov[i, j] += numpy.nansum(both) / ((~numpy.isnan(both)).sum() - 1) / n[min(i, j)]
        x = sm.add_constant(numpy.arange(days, dtype=float))
        weights = 1 / numpy.diag(cov)
        slope = sm.WLS(effect, x, weights=weights).fit().params[1]
        bread = numpy.linalg.inv(x.T @ numpy.diag(weights) @ x)
        error = math.sqrt((bread @ x.T @ numpy.diag(weights) @ cov @ numpy.diag(weights) @ x @ bread)[1, 1])
        return days, counts, effect, numpy.sqrt(numpy.diag(cov)), slope, error


@pytest.mark.parametrize("binary, fading", [(False, True), (True, False)], ids=["means fade", "rates stay"])
def test_the_effect_by_days_since_the_exposure(store, binary, fading):
    visitors = Visitors(binary, fading)
    sent = design() if binary else continuous()
    shown = visitors.send(Experiment(store.client, sent))
    days, counts, effect, errors, slope, error = visitors.expected()
    assert shown["status"] == "ok" and 10 < days < 14 and len(shown["days"]) == days
    assert [[d["control_users"], d["treatment_users"]] for d in shown["days"]] == [[counts[0][d], counts[1][d]] for d in range(days)]
    assert [d["effect"] for d in shown["days"]] == pytest.approx(list(effect), abs=1e-6)
    assert [(d["ci_upper"] - d["ci_lower"]) / 2 for d in shown["days"]] == pytest.approx(list(1.959964 * errors), abs=2e-6)
    assert [shown["slope"], shown["ci_lower"]] == pytest.approx([slope, slope - 1.959964 * error], abs=2e-6)
    assert shown["p_value"] == pytest.approx(2 * stats.norm.sf(abs(slope / error)), abs=1e-6)
    assert shown["changes"] == fading
    if fading:
        parts = divided(store.client, sent, 4)
        assert visitors.send(parts) == shown and "EFFECT_CHANGES" in codes(quality(parts))


def test_weekdays_differ_and_arms_were_different_before(store):
    experiment = Experiment(store.client, continuous())
    crowd = Crowd(7, value=lambda day, arm: 1 + 9 * arm * (day % 7 >= 5))
    for record, exposure in zip(crowd.before, crowd.exposures):
        record["value"] += exposure["variation_index"]
    send_all(experiment, "pre-period", crowd.before)
    shown = crowd.send(experiment)
    effect = shown["weekday_effects"][0]
    days, seen, sums = [[] for _ in range(7)], [0, 0], [[0, 0] for _ in range(DAYS)]
    for event in crowd.events:
        day = int(event["user_id"].split("-")[0][1:])
        arm = next(e["variation_index"] for e in crowd.exposures if e["user_id"] == event["user_id"])
        sums[day][arm] += event["value"]
    for day in range(DAYS - 1):
        for arm in (0, 1):
            seen[arm] += sum(e["variation_index"] == arm for e in crowd.exposures[day * USERS:(day + 1) * USERS])
        days[day % 7].append(sums[day][1] / seen[1] - sums[day][0] / seen[0])
    assert [w["mean_effect"] for w in effect["weekdays"]] == pytest.approx([statistics.fmean(d) for d in days], abs=1e-6)
    assert effect["p_value"] == pytest.approx(stats.kruskal(*days).pvalue, abs=1e-6) and effect["differs"]
    assert shown["balance"][0]["is_unbalanced"] and shown["balance"][0]["standardized_difference"] == pytest.approx(0.5, abs=0.15)
    assert codes(shown) == ["UNBALANCED", "WEEKDAYS_DIFFER"]


def test_a_record_with_a_wrong_date(store):
    experiment = Experiment(store.client, continuous())
    send_all(experiment, "exposures", [{"user_id": f"u{i}", "variation_index": i % 2, "occurred_at": START + i // 50 * DAY}
                                       for i in range(1000)] + [{"user_id": "old", "variation_index": 0, "occurred_at": DAY}])
    shown = quality(experiment)
    assert shown["falls"] == [] and shown["sample_ratio"]["observed"] == [501, 500]
    assert (shown["weekday_effects"][0]["status"], shown["weekday_effects"][0]["complete_days"]) == ("too_short", 0)


def test_an_experiment_without_data(store):
    experiment = Experiment(store.client, design())
    shown = expect(experiment.client.get(experiment.path("quality")))
    assert shown["alarms"] == [] and shown["sample_ratio"]["status"] == "insufficient_data"
    assert shown["weekday_effects"][0]["status"] == "too_short"
    expect(store.client.get(f"/api/v1/experiments/{unknown_id()}/quality"), 404, "not_found")
