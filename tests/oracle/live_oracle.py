"""Live statistics of an experiment from its raw records: plain code, written from the definition and
not from the program. Slow on purpose: every block goes over everybody again.

Records are (kind, record, received) in the order in which they came; moments are microseconds.
"""

import math
from collections import defaultdict
from fractions import Fraction

import numpy
from scipy import stats

HORIZON = 14 * 24 * 3600 * 10**6
SPIKE = 100


class Raw:
    """What was stored: the first record of a kind for each key."""

    def __init__(self, log):
        self.exposures, self.links, self.excluded, self.covariates, self.strata = {}, {}, {}, {}, {}
        self.events, keys = [], set()
        self.counts = []
        for sequence, (kind, record, received) in enumerate(log):
            self.counts.append(self.take(kind, record, received, sequence, keys))

    def take(self, kind, r, received, sequence, keys):
        if kind in ("exposures", "holdout"):
            return self.first(self.exposures, r["user_id"], (
                r.get("occurred_at", received), received, sequence, r.get("variation_index", -1)))
        if kind == "identities":
            alias, canonical = r["anonymous_id"], r["canonical_id"]
            if alias == canonical or canonical in self.links or alias in self.links.values():
                return "skipped"
            return self.first(self.links, alias, canonical)
        if kind == "exclusions":
            return self.first(self.excluded, r["user_id"], True)
        if kind == "pre-period":
            return self.first(self.covariates, (r["user_id"], r.get("covariate_name", "__default__")), r["value"])
        if kind == "strata":
            return self.first(self.strata, r["user_id"], (received, sequence, r["stratum"]))
        key = r.get("idempotency_key")
        if key is not None and key in keys:
            return "deduplicated"
        keys.add(key)
        self.events.append((r["user_id"], r["metric"], r.get("value", 1.0), r.get("occurred_at", received)))
        return "recorded"

    @staticmethod
    def first(table, key, value):
        if key in table:
            return "deduplicated"
        table[key] = value
        return "recorded"

    def person(self, user):
        return self.links.get(user, user)


class Population:
    """People, their arms and values."""

    def __init__(self, raw):
        exposures = defaultdict(list)
        self.events, self.values = defaultdict(int), defaultdict(lambda: defaultdict(list))
        for user, row in raw.exposures.items():
            exposures[raw.person(user)].append(row)
        self.exposure = {person: min(rows) for person, rows in exposures.items()}
        for user, metric, value, _ in raw.events:
            self.events[raw.person(user)] += 1
            self.values[raw.person(user)][metric].append(value)
        manual = {raw.person(user) for user in raw.excluded}
        self.manual = [p for p in self.exposure if p in manual]
        self.spiked = [p for p in self.exposure if p not in manual and self.events[p] > SPIKE]
        out = set(self.manual) | set(self.spiked)
        self.arm = {p: row[3] for p, row in self.exposure.items() if p not in out}
        covariates, conflict = {}, set()
        for (user, name), value in raw.covariates.items():
            if covariates.setdefault((raw.person(user), name), value) != value:
                conflict.add((raw.person(user), name))
        self.covariates = {k: v for k, v in covariates.items() if k not in conflict}
        self.names = sorted({name for _, name in raw.covariates}, key=lambda n: n.encode())
        strata = {}
        for user, row in raw.strata.items():
            strata[raw.person(user)] = min(strata.get(raw.person(user), row), row)
        self.stratum = {p: row[2] for p, row in strata.items()}
        self.strata = sorted({row[2] for row in raw.strata.values()}, key=lambda n: n.encode())

    def people(self, arm):
        return [p for p, a in self.arm.items() if a == arm]

    def value(self, person, metric):
        return math.fsum(self.values[person][metric])

    def converted(self, person, metric):
        return bool(self.values[person][metric])

    def arm_values(self, arm, metric):
        return [self.value(p, metric) for p in self.people(arm)]


def mean_and_squares(values):
    """Exactly, then rounded once."""
    exact = [Fraction(v) for v in values]
    mean = sum(exact) / len(exact)
    return float(mean), float(sum((v - mean) ** 2 for v in exact))


def two_sided(z):
    return 2 * stats.norm.sf(abs(z))


def always_valid(effect, variance, mixture, alpha):
    if variance <= 0 or mixture <= 0:
        return {"status": "not_evaluable"}
    log_ratio = -0.5 * math.log((variance + mixture) / variance) + mixture * effect**2 / (
        2 * variance * (variance + mixture))
    radius = math.sqrt(2 * variance * (variance + mixture) / mixture * (
        math.log(1 / alpha) + 0.5 * math.log((variance + mixture) / variance)))
    p = 1.0 if log_ratio <= 0 else math.exp(-log_ratio)
    return {"status": "ok", "always_valid_p_value": p, "ci_sequence_lower": effect - radius,
            "ci_sequence_upper": effect + radius, "is_significant": p < alpha, "mixture_variance": mixture}


def beats(c0, n0, c1, n1):
    """P(rate 1 > rate 0) by the finite sum over the integer parameter of one posterior."""
    a0, b0, a1, b1 = c0 + 1, n0 - c0 + 1, c1 + 1, n1 - c1 + 1
    from scipy.special import betaln
    i = numpy.arange(a1)
    return float(numpy.exp(betaln(a0 + i, b0 + b1) - numpy.log(b1 + i) - betaln(1 + i, b1) - betaln(a0, b0)).sum())


def t_quantile(p, df):
    """scipy's is good to nine digits or so; one step of Newton makes them all."""
    x = stats.t.ppf(p, df)
    for _ in range(2):
        x += (stats.t.sf(x, df) - (1 - p)) / stats.t.pdf(x, df)
    return x


def t_analysis(before, after, error, df, alpha):
    effect, t = after - before, (after - before) / error
    half = t_quantile(1 - alpha / 2, df) * error
    return {"observed_effect": effect, "ci_lower": effect - half, "ci_upper": effect + half,
            "p_value": 2 * stats.t.sf(abs(t), df), "test_statistic": t,
            "observed_effect_relative": 100 * effect / abs(before) if before else None}


def z_analysis(before, after, test_error, interval_error, alpha, scale=1.0):
    effect, z = after - before, (after - before) / test_error
    half = stats.norm.ppf(1 - alpha / 2) * interval_error
    return {"observed_effect": scale * effect, "ci_lower": scale * (effect - half),
            "ci_upper": scale * (effect + half), "p_value": two_sided(z), "test_statistic": z,
            "observed_effect_relative": 100 * effect / abs(before) if before else None}


class Oracle:
    def __init__(self, design, log):
        self.raw = Raw(log)
        self.pop = Population(self.raw)
        self.setup, self.metrics = design["setup"], design["metrics"]
        self.arms = self.setup["variants_count"]
        self.kind = self.metrics["metric_type"]
        self.primary = self.metrics["primary_metric_name"]
        self.alpha = self.metrics["alpha"] / max(1, self.arms - 1)
        self.mixture = (self.metrics["baseline_value"] * self.metrics["mde_pct"] / 100) ** 2

    def stats(self):
        return {"exposures_total": sum(len(self.pop.people(a)) for a in range(self.arms)),
                "conversions_total": sum(self.pop.converted(p, self.timed) for a in range(self.arms)
                                         for p in self.pop.people(a)),
                "srm": self.srm(), "comparisons": [self.compare(0, [t], t) for t in range(1, self.arms)],
                "cuped": self.cuped(), "stratified": self.stratified(), "guardrail": self.guardrail(),
                "holdout": self.holdout(), "event_timing": self.timing(),
                "identity_resolution": self.identity(), "exclusions": self.exclusions(),
                "population": self.population()}

    @property
    def timed(self):
        return self.metrics["numerator_metric_name"] if self.kind == "ratio" else self.primary

    def srm(self):
        observed = [len(self.pop.people(a)) for a in range(self.arms)]
        if not sum(observed):
            return {"status": "insufficient_data", "observed_counts": observed}
        split = self.setup["traffic_split"]
        expected = [sum(observed) * s / sum(split) for s in split]
        chi = sum((o - e) ** 2 / e for o, e in zip(observed, expected))
        p = float(stats.chi2.sf(chi, self.arms - 1))
        return {"status": "srm_detected" if p < 0.001 else "ok", "chi_square": chi, "p_value": p,
                "observed_counts": observed, "expected_counts": expected}

    def compare(self, before, after, index):
        """Arm `before` against the arms `after` taken together."""
        groups = [self.pop.people(before), [p for a in after for p in self.pop.people(a)]]
        n = [len(g) for g in groups]
        short = {"treatment_index": index, "status": "insufficient_data"}
        if min(n) < 2:
            return short
        if self.kind == "binary":
            return {"treatment_index": index, **self.compare_rates(n, [
                sum(self.pop.converted(p, self.primary) for p in g) for g in groups])}
        if self.kind == "ratio":
            return {"treatment_index": index, **self.compare_ratios(groups)}
        sides = [mean_and_squares([self.pop.value(p, self.primary) for p in g]) for g in groups]
        if min(s for _, s in sides) == 0:
            return short
        parts = [s / (k - 1) / k for (_, s), k in zip(sides, n)]
        df = sum(parts) ** 2 / sum(v**2 / (k - 1) for v, k in zip(parts, n))
        error = math.sqrt(sum(parts))
        (m0, _), (m1, _) = sides
        return {"treatment_index": index, "status": "ok", "analysis": t_analysis(m0, m1, error, df, self.alpha),
                "probability": float(stats.norm.cdf((m1 - m0) / error)),
                "always_valid": always_valid(m1 - m0, sum(parts), self.mixture, self.alpha)}

    def compare_rates(self, n, c):
        p = [k / m for k, m in zip(c, n)]
        pooled = sum(c) / sum(n)
        test = math.sqrt(pooled * (1 - pooled) * sum(1 / m for m in n))
        result = {"status": "ok", "probability": beats(c[0], n[0], c[1], n[1])}
        if test == 0:
            return {**result, "analysis": {"observed_effect": 0.0, "p_value": 1.0}, "always_valid": {
                "status": "not_evaluable"}}
        variance = sum(r * (1 - r) / m for r, m in zip(p, n))
        return {**result, "analysis": z_analysis(*p, test, math.sqrt(variance), self.alpha, 100.0),
                "always_valid": always_valid(p[1] - p[0], variance, self.mixture, self.alpha)}

    def compare_ratios(self, groups):
        names = self.metrics["numerator_metric_name"], self.metrics["denominator_metric_name"]
        ratios, variances = [], []
        for group in groups:
            y, x = ([Fraction(self.pop.value(p, name)) for p in group] for name in names)
            if sum(x) == 0:
                return {"status": "insufficient_data"}
            ratio = sum(y) / sum(x)
            rest = [b - ratio * a for a, b in zip(x, y)]  # their mean is 0
            ratios.append(float(ratio))
            variances.append(float(sum(r * r for r in rest) / (len(x) - 1) * len(x) / sum(x) ** 2))
        if sum(variances) <= 0:
            return {"status": "insufficient_data"}
        error = math.sqrt(sum(variances))
        return {"status": "ok", "analysis": z_analysis(*ratios, error, error, self.alpha), "probability": None,
                "always_valid": always_valid(ratios[1] - ratios[0], sum(variances), self.mixture, self.alpha)}

    def cuped(self):
        if self.kind != "continuous":
            return {"status": "not_applicable"}
        names = self.pop.names
        if len(names) > 10:
            return {"status": "too_many_covariates"}
        arms = []
        for a in range(self.arms):
            whole = [p for p in self.pop.people(a) if names and all((p, k) in self.pop.covariates for k in names)]
            arms.append([[self.pop.value(p, self.primary)] + [self.pop.covariates[p, k] for k in names] for p in whole])
        total = sum(map(len, arms))
        if not total:
            return {"status": "unavailable", "covariate_users_total": 0}
        tables = [numpy.array(rows, dtype=float).reshape(len(rows), 1 + len(names)) for rows in arms]
        used = [t for t in tables if len(t)]
        x = numpy.concatenate([t[:, 1:] - t[:, 1:].mean(axis=0) for t in used])
        y = numpy.concatenate([t[:, 0] - t[:, 0].mean() for t in used])
        scale = numpy.sqrt((x * x).sum(axis=0))
        kept = [i for i in range(len(names)) if scale[i] > 0]
        result = {"status": "available", "covariate_users_total": total, "comparisons": []}
        if not kept or numpy.linalg.cond(x[:, kept] / scale[kept]) > 1e5:
            return result  # nothing to compare closely with
        theta = numpy.zeros(len(names))
        theta[kept] = numpy.linalg.lstsq(x[:, kept], y, rcond=None)[0]
        result["theta"] = theta.tolist()
        df = total - len(used) - len(kept)
        errors = float(((y - x @ theta) ** 2).sum())
        grand = numpy.concatenate(used)[:, 1:].mean(axis=0)
        inverse = numpy.linalg.inv((x[:, kept] / scale[kept]).T @ (x[:, kept] / scale[kept]))
        for t in range(1, self.arms):
            c, v = tables[0], tables[t]
            if min(len(c), len(v)) < 2 or df <= 0:
                result["comparisons"].append({"status": "insufficient_data"})
                continue
            gap = ((v[:, 1:].mean(axis=0) - c[:, 1:].mean(axis=0))[kept]) / scale[kept]
            variance = errors / df * (1 / len(c) + 1 / len(v) + gap @ inverse @ gap)
            adjusted = [s[:, 0].mean() - theta @ (s[:, 1:].mean(axis=0) - grand) for s in (c, v)]
            plain = sum(s[:, 0].var(ddof=1) / len(s) for s in (c, v))
            if not variance > 1e-18 * max(1.0, plain):
                result["comparisons"].append({"status": "unclear"})
                continue
            result["comparisons"].append({
                "status": "ok", "analysis": t_analysis(*adjusted, math.sqrt(variance), df, self.alpha),
                "variance_reduction_pct": 100 * (1 - variance / plain) if plain > 0 else None})
        return result

    def estimate(self, people, metric, binary):
        """(n, point, variance of it)"""
        n = len(people)
        if n < 2:
            return n, 0.0, 0.0
        if binary:
            p = sum(self.pop.converted(q, metric) for q in people) / n
            return n, p, p * (1 - p) / n
        mean, squares = mean_and_squares([self.pop.value(q, metric) for q in people])
        return n, mean, squares / (n - 1) / n

    def stratified(self):
        if self.kind not in ("binary", "continuous"):
            return {"status": "unavailable"}
        covered = [p for p, a in self.pop.arm.items() if 0 <= a < self.arms and p in self.pop.stratum]
        if len(self.pop.strata) > 50:
            return {"status": "too_many_strata"}
        if not covered:
            return {"status": "unavailable", "stratified_users_total": 0}
        result = {"status": "available", "stratified_users_total": len(covered),
                  "num_strata": len(self.pop.strata), "comparisons": []}
        for t in range(1, self.arms):
            pairs = []
            for s in self.pop.strata:
                sides = [self.estimate([p for p in covered if self.pop.stratum[p] == s and self.pop.arm[p] == a],
                                       self.primary, self.kind == "binary") for a in (0, t)]
                if min(side[0] for side in sides) >= 2:
                    pairs.append(sides)
            total = sum(c[0] + v[0] for c, v in pairs)
            effect = math.fsum((c[0] + v[0]) / total * (v[1] - c[1]) for c, v in pairs) if pairs else 0
            variance = math.fsum(((c[0] + v[0]) / total) ** 2 * (v[2] + c[2]) for c, v in pairs) if pairs else 0
            if not variance > 0:
                result["comparisons"].append({"status": "insufficient_data"})
                continue
            error = math.sqrt(variance)
            result["comparisons"].append({
                "status": "ok", "effect": effect, "standard_error": error, "test_statistic": effect / error,
                "p_value": two_sided(effect / error), "num_strata": len(pairs)})
        return result

    def guardrail(self):
        metrics = []
        for g in self.metrics.get("guardrail_metrics", []):
            binary = g["metric_type"] == "binary"
            comparisons = []
            for t in range(1, self.arms):
                c, v = (self.estimate(self.pop.people(a), g["name"], binary) for a in (0, t))
                baseline = g["baseline_rate"] / 100 if binary else g["baseline_mean"]
                margin = abs(baseline) * (g.get("non_inferiority_margin_pct") or 0) / 100
                variance = c[2] + v[2]
                if min(c[0], v[0]) < 2 or variance <= 0:
                    comparisons.append({"status": "insufficient_data", "margin": margin})
                    continue
                harm = v[1] - c[1] if g.get("direction", "increase_is_bad") == "increase_is_bad" else c[1] - v[1]
                lower = harm - stats.norm.ppf(1 - self.alpha) * math.sqrt(variance)
                status = "breached" if lower > margin else "warning" if harm > margin else "ok"
                comparisons.append({"status": status, "harm": harm, "harm_lower_bound": lower, "margin": margin,
                                    "p_value": float(stats.norm.sf((harm - margin) / math.sqrt(variance)))})
            metrics.append({"name": g["name"], "comparisons": comparisons})
        return {"metrics": metrics}

    def robust(self):
        """Per robust metric: what its bins may blur (`blur`, of the value) and what they may not."""
        return [[self.compare_robust(asked, t) for t in range(1, self.arms)] for asked in self.metrics.get("robust_metrics", [])]

    def robust_values(self, asked, arm):
        """Values per person in ascending order, and those that a percentile is taken of."""
        people = self.pop.people(arm)
        values = sorted(self.pop.value(p, asked["name"]) for p in people)
        seen = sorted(self.pop.value(p, asked["name"]) for p in people if self.pop.converted(p, asked["name"]))
        return values, seen if asked.get("ignore_zeros") else values

    def compare_robust(self, asked, t):
        sides = [self.robust_values(asked, a) for a in (0, t)]
        if asked["statistic"] == "quantile":
            return self.compare_quantiles(asked, [ranked for _, ranked in sides])
        cap, exact = asked["at"], True
        if asked["statistic"] == "winsorized_mean":
            pooled = sorted(v for a in range(self.arms) for v in self.robust_values(asked, a)[1])
            cap, exact = (pooled[math.ceil(asked["at"] / 100 * len(pooled)) - 1] if pooled else 0), False
        return {"cap": cap, "exact": exact, "at_cap": lambda shown: self.compare_capped([values for values, _ in sides], shown)}

    def compare_capped(self, sides, cap):
        if min(map(len, sides)) < 2:
            return {"status": "insufficient_data"}
        sides = [[min(v, cap) for v in values] for values in sides]
        moments = [mean_and_squares(values) for values in sides]
        if max(s for _, s in moments) == 0:
            return {"status": "insufficient_data"}
        parts = [s / (len(v) - 1) / len(v) for (_, s), v in zip(moments, sides)]
        df = sum(parts) ** 2 / sum(p**2 / (len(v) - 1) for p, v in zip(parts, sides))
        (before, _), (after, _) = moments
        return {"status": "ok", "control_value": before, "treatment_value": after,
                **t_analysis(before, after, math.sqrt(sum(parts)), df, self.alpha)}

    def compare_quantiles(self, asked, sides):
        share, z = asked["at"] / 100, stats.norm.isf(self.alpha / 2)
        found = []
        for values in sides:
            n = len(values)
            reach = z * math.sqrt(n * share * (1 - share))
            low, high = math.floor(share * n - reach), math.ceil(share * n + reach) + 1
            if min(share * n, n - share * n) < 10 or low < 1 or high > n:
                return {"status": "insufficient_data"}
            found.append([values[rank - 1] for rank in (low, math.ceil(share * n), high)])
        return {"status": "any", "quantiles": found, "z": z}

    def holdout(self):
        people = self.pop.people(-1)
        if self.kind in ("ratio", "count") or not people:
            return {"status": "unavailable"}
        result = self.compare(-1, range(1, self.arms), None)
        return {"status": result["status"], "holdout_users_total": len(people), "analysis": result.get("analysis")}

    def timing(self):
        counts = {"in_window": 0, "late": 0, "out_of_order": 0}
        for user, metric, _, moment in self.raw.events:
            person = self.raw.person(user)
            if metric != self.timed or self.pop.arm.get(person, -1) < 0:
                continue
            seen = self.pop.exposure[person][0]
            counts["out_of_order" if moment < seen else "late" if moment > seen + HORIZON else "in_window"] += 1
        return {**counts, "total": sum(counts.values())}

    def identity(self):
        links = self.raw.links
        rows = [u for u in self.raw.exposures if u in links] + [e[0] for e in self.raw.events if e[0] in links]
        if not links:
            return {"status": "inactive", "linked_identities": 0}
        return {"status": "active", "linked_identities": len(links), "canonicalized_events": len(rows),
                "merged_users": len({links[u] for u in rows})}

    def exclusions(self):
        manual = sum(self.pop.exposure[p][3] >= 0 for p in self.pop.manual)
        spiked = sum(self.pop.exposure[p][3] >= 0 for p in self.pop.spiked)
        return {"total_filtered": manual + spiked, "manual": manual, "spiked": spiked}

    def population(self):
        treated = sum(a >= 0 for a in self.pop.arm.values())
        out = self.exclusions()
        return {"fingerprint": f"analytical_population_v1|metric={self.primary}|treated={treated}"
                f"|holdout={len(self.pop.people(-1))}|excluded={out['total_filtered']}|manual={out['manual']}"
                f"|spike={out['spiked']}|links={len(self.raw.links)}"}
