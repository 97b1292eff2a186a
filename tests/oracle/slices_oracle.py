"""What an experiment shows in parts of its users, from its raw records: written from the definition and not from the
program. Goes with live_oracle.py, whose people these are."""

import math

import numpy
from scipy import optimize, stats

from live_oracle import Population, Raw

USERS_NEEDED = 100


def log_e_value(effect, variance, mixture, freedom):
    """Student's density with the scale that a normal effect adds, over that without one."""
    t, wide = effect / math.sqrt(variance), math.sqrt(1 + mixture / variance)
    return float(stats.t.logpdf(t, freedom, scale=wide) - stats.t.logpdf(t, freedom))


def radius(variance, mixture, freedom, log_limit):
    """By search: where the e-value of an effect passes the limit."""
    def above(size):
        return log_e_value(size, variance, mixture, freedom) - log_limit
    far = math.sqrt(variance) * 1e5
    return optimize.brentq(above, 0, far, xtol=1e-14) if above(far) > 0 else None


def discoveries(log_values, hypotheses, level):
    """How many, by the largest rank whose value is enough."""
    ranked = sorted(log_values, reverse=True)
    return max((r for r in range(1, len(ranked) + 1) if ranked[r - 1] >= math.log(hypotheses / (level * r))), default=0)


class Slices:
    def __init__(self, design, log, mixture_users=5000):
        self.metrics, self.setup = design["metrics"], design["setup"]
        self.declared = {d["name"]: d for d in self.setup["dimensions"]}
        self.pop, self.mixture_users = Population(Raw(log)), mixture_users
        self.known = {name: list(d.get("values") or []) for name, d in self.declared.items()}
        self.slices_of = self.place(log)

    def place(self, log):
        placed, seen = {}, set()
        for sequence, (kind, record, _) in enumerate(log):
            if kind not in ("exposures", "holdout") or record["user_id"] in seen:
                continue
            seen.add(record["user_id"])
            placed[sequence] = [(d["name"], self.value(d["name"], d["value"])) for d in record.get("dimensions", [])
                                if d["name"] in self.declared]
        return placed

    def value(self, name, value):
        known, rule = self.known[name], self.declared[name]
        if value in known or value == "other":
            return value
        if rule.get("values") or len(known) >= rule.get("values_max", 20):
            return "other"
        known.append(value)
        return value

    def hypotheses(self):
        places = sum(1 + (len(d.get("values") or []) or d.get("values_max", 20)) for d in self.declared.values())
        return places * len(self.measures()) * (self.setup["variants_count"] - 1)

    def measures(self):
        goal = self.metrics["metric_type"]
        names = [] if goal == "ratio" else [(self.metrics["primary_metric_name"], goal == "binary")]
        names += [(g["name"], g["metric_type"] == "binary") for g in self.metrics.get("guardrail_metrics", [])]
        return names + [(name, False) for name in self.metrics.get("secondary_metrics", [])]

    def side(self, people, metric, rate):
        """(n, value, variance of it)"""
        n = len(people)
        if n < USERS_NEEDED:
            return None
        if rate:
            c = sum(self.pop.converted(p, metric) for p in people)
            share = (c + 1) / (n + 2)
            return n, c / n, share * (1 - share) / (n + 2)
        values = numpy.array([self.pop.value(p, metric) for p in people], dtype=numpy.longdouble)
        return n, float(values.mean()), float(values.var(ddof=1) / n)

    def rows(self):
        parts = {}
        for person, (_, _, sequence, arm) in self.pop.exposure.items():
            if arm >= 0 and person in self.pop.arm:
                for place in set(self.slices_of[sequence]):
                    parts.setdefault(place, set()).add(person)
        for place in sorted(parts):
            for at, (metric, rate) in enumerate(self.measures()):
                for t in range(1, self.setup["variants_count"]):
                    yield place, metric, t, self.compare(parts[place], metric, rate, t, at == 0)

    def compare(self, members, metric, rate, t, primary):
        inside = [self.side([p for p in self.pop.people(a) if p in members], metric, rate) for a in (0, t)]
        outside = [self.side([p for p in self.pop.people(a) if p not in members], metric, rate) for a in (0, t)]
        if None in inside:
            return {"status": "too_few_users"}
        (n0, v0, s0), (n1, v1, s1) = inside
        if s0 + s1 == 0:
            return {"status": "zero_variance"}
        mixture = (self.metrics["baseline_value"] * self.metrics["mde_pct"] / 100) ** 2
        if not primary or self.metrics["metric_type"] == "ratio":
            mixture = (s0 + s1) * n0 * n1 / (n0 + n1) * 2 / self.mixture_users
        row = {"status": "ok", "control_value": v0, "treatment_value": v1, "effect": v1 - v0,
               "parts": (v1 - v0, s0 + s1, mixture, min(n0, n1) - 1)}
        if None not in outside:
            (m0, w0, r0), (m1, w1, r1) = outside
            row["difference_parts"] = (v1 - v0 - (w1 - w0), s0 + s1 + r0 + r1, mixture, min(n0, n1, m0, m1) - 1)
        return row

    def judged(self):
        """Rows with e-values, intervals and what was found."""
        rows, level, most = list(self.rows()), self.metrics["alpha"], self.hypotheses()
        for parts, name in (("parts", "e_value"), ("difference_parts", "difference_e_value")):
            logs = [log_e_value(*row[parts]) for *_, row in rows if parts in row]
            found = discoveries(logs, most, level)
            limit = math.log(most / (level * max(found, 1)))
            for *_, row in rows:
                if parts in row:
                    effect, *rest = row[parts]
                    reach = radius(*rest, limit)
                    log = log_e_value(effect, *rest)
                    row[name] = {"log": log, "found": log >= limit, "lower": None if reach is None else effect - reach,
                                 "upper": None if reach is None else effect + reach, "effect": effect}
        return rows
