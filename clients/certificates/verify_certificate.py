#!/usr/bin/env python3
"""Checks the certificate of a verdict: the signature, and every figure again from the sums that it holds.

    verify_certificate.py CERTIFICATE KEY

CERTIFICATE is the file as /api/v1/experiments/{id}/certificate answered it. KEY is the public key: the file that
/api/v1/certificates/key answered, or the text of its public_key. Needs nothing else: no network, no package, no code of
the service. Exit status 0 = everything holds, 1 = something does not, 2 = it could not be read."""

import base64
import hashlib
import json
import math
import os
import re
import sys
from statistics import NormalDist

ALMOST_NOTHING, FIGURES, SPENT = 1e-9, 1e-7, 1e-5
SPENT_MORE, SPENT_LESS, EARLY_ERROR = 1e-4, 2e-3, 4e-3  # of hybrid readings, whose constants are solved on chords
HYBRID_STEPS, P_LEAST, P_MOST = 300, 1e-10, 0.9999
SRM_ALPHA, SHIP, STRONG, PLANNED_READ, ANOMALY = 0.001, 0.95, 0.99, 0.95, 0.01
FORMATS = ("assay-certificate-1", "assay-certificate-2")  # the latter with the source of rows of live data
HYBRID_FORMAT = "assay-certificate-3"  # with hybrid readings, with or without a source
HEAD, MIDDLE, END = b'{"certificate":', b',"signature":"', b'"}'


class Wrong(Exception):
    """What does not hold."""


# Ed25519 (RFC 8032, section 5.1), in extended coordinates.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def decode_point(raw):
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        raise Wrong("a point of the signature or of the key is not on the curve")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def check_signature(key, signature, message):
    s = int.from_bytes(signature[32:], "little")
    point, nonce = decode_point(key), decode_point(signature[:32])
    digest = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = multiply(s, BASE), add(nonce, multiply(digest, point))
    same = all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
    if s >= ORDER or not same:
        raise Wrong("the signature is not that of the key over this text")


def unpack(text, size):
    """Bytes of base64url without padding, in its one spelling."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise Wrong("not base64url")
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if len(raw) != size or base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
        raise Wrong(f"not {size} bytes of base64url")
    return raw


def open_certificate(data, key):
    """The signed document, once the frame and the signature are right."""
    middle = len(data) - len(END) - 86 - len(MIDDLE)
    if not (middle > len(HEAD) and data.startswith(HEAD) and data.endswith(END)
            and data[middle:middle + len(MIDDLE)] == MIDDLE):
        raise Wrong("not a certificate as the service writes it")
    message = data[len(HEAD):middle]
    check_signature(key, unpack(data[middle + len(MIDDLE):-len(END)].decode("ascii", "replace"), 64), message)
    return json.loads(message)


# Distributions.
def survival(z):
    return math.erfc(z / math.sqrt(2)) / 2


def critical(tail):
    return -NormalDist().inv_cdf(tail)


def beta_cdf(x, a, b):
    """The continued fraction of the incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 100000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            c, d = 1 + term / c, 1 / (1 + term * d)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) * value / a


def student_survival(t, df):
    if df >= 1e6 or not math.isfinite(df):
        return survival(t)
    half = beta_cdf(df / (df + t * t), df / 2, 0.5) / 2
    return half if t >= 0 else 1 - half


def student_critical(tail, df):
    low, high = 0.0, 1.0
    while student_survival(high, df) > tail:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if student_survival(middle, df) > tail else (low, middle)
    return (low + high) / 2


def chi_square_survival(x, df):
    a, x = df / 2, x / 2
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for i in range(1, 10000):
            term *= x / (a + i)
            total += term
        return 1 - front * total
    b, c = x + 1 - a, 1e300
    d = value = 1 / b
    for i in range(1, 10000):
        b += 2
        d, c = 1 / (-i * (i - a) * d + b), b - i * (i - a) / c
        value *= d * c
    return front * value


def beats(worse, better):
    """P(rate of `better` > rate of `worse`), each (converted, users), with uniform priors: Simpson's rule over the
    narrower of the two posteriors, within whose steps the other one hardly changes."""
    posteriors = []
    for converted, users in (worse, better):
        a, b = converted + 1, users - converted + 1
        posteriors.append((math.sqrt(a * b / (a + b + 1)) / (a + b), a, b))
    over_better = posteriors[1] < posteriors[0]
    (spread, a, b), (_, other_a, other_b) = reversed(posteriors) if over_better else posteriors
    mean, front, steps = a / (a + b), math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b), 1600
    low, high = max(0.0, mean - 30 * spread), min(1.0, mean + 30 * spread)

    def at(x):
        if x <= 0 or x >= 1:
            weight = 0.0 if (a if x <= 0 else b) > 1 else math.exp(front)
        else:
            weight = math.exp(front + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))
        if weight <= 1e-30:
            return 0.0
        below = beta_cdf(x, other_a, other_b)
        return weight * (below if over_better else 1 - below)

    width = (high - low) / steps
    return sum((1, 4, 2)[0 if i in (0, steps) else 2 - i % 2] * at(low + i * width) for i in range(steps + 1)) * width / 3


def legendre(count):
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(100):
            before, now = 1.0, x
            for k in range(2, count + 1):
                before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
            slope = count * (x * now - before) / (x * x - 1)
            x, last = x - now / slope, x
            if abs(x - last) < 1e-15:
                break
        yield x, 2 / ((1 - x * x) * slope * slope)


def spent(constant, looks):
    """The probability of crossing constant * sqrt(looks / k) at some look k of `looks` without an effect."""
    bound = constant * math.sqrt(looks)
    nodes = [(bound * x, bound * w) for x, w in legendre(max(24, int(4 * bound)))]
    density = [NormalDist().pdf(x) for x, _ in nodes]
    total = 2 * survival(bound)
    for look in range(1, looks):
        mass = [w * f for (_, w), f in zip(nodes, density)]
        total += sum(m * (survival(bound - x) + survival(bound + x)) for m, (x, _) in zip(mass, nodes))
        if look + 1 < looks:
            density = [sum(m * math.exp(-(x - y) ** 2 / 2) for m, (y, _) in zip(mass, nodes) if abs(x - y) < 9)
                       / math.sqrt(2 * math.pi) for x, _ in nodes]
    return total


class Hybrid:
    """Readings by a normal mixture until `end`, in planned samples, and one test there. A reading at the fraction t has
    the score B(t) = z sqrt(t): without an effect a Brownian motion. Alpha of both together, both sides."""
    def __init__(self, hybrid, alpha, end):
        self.alpha, self.share, self.end = alpha, hybrid["early_share"], end
        size = -2 * math.log(hybrid["alpha"] * self.share)
        self.mixture = (size + math.log(size) + 1) / hybrid["tuned_fraction"]

    def boundary(self, t):
        """And its slope, on the scale of the score."""
        level = math.log1p(self.mixture * t) - 2 * math.log(self.alpha * self.share)
        bound = math.sqrt((t + 1 / self.mixture) * level)
        return bound, (level + 1) / 2 / bound

    def first_passages(self):
        """(time, boundary, probability of the first passage near it through the upper boundary): the integral equation of
        Buonocore, Nobile and Ricciardi (1987) for two boundaries that mirror each other, in equal steps of
        ln(1 + mixture t)."""
        width = math.log1p(self.mixture * self.end) / HYBRID_STEPS
        found = []
        for i in range(1, HYBRID_STEPS + 1):
            t = math.expm1(width * i) / self.mixture
            bound, slope = self.boundary(t)

            def flow(time, at):
                """Twice the rate at which walks from there arrive at the boundary, less what its slope takes away."""
                rest, left = t - time, bound - at
                return (left / rest - slope) * math.exp(-left * left / rest / 2) / math.sqrt(2 * math.pi * rest)

            density = flow(0, 0) - sum(mass * (flow(time, at) + flow(time, -at)) for time, at, mass in found)
            found.append((t, bound, density * width * (t + 1 / self.mixture)))
        last = found[-1]
        found[-1] = (self.end, last[1], last[2] / 2)
        return found

    def spent(self, z):
        """The probability of a crossing before the end, and that of this or |Z| > z there: without an effect."""
        score, passages = z * math.sqrt(self.end), self.first_passages()
        back = 2 * passages[-1][2] * (score > passages[-1][1])
        for t, bound, mass in passages[:-1]:
            rest = math.sqrt(self.end - t)
            back += 2 * mass * (survival((bound - score) / rest) - survival((bound + score) / rest))
        return 2 * sum(mass for _, _, mass in passages), 2 * survival(z) + back


# The analyses.
def rate_of(arm):
    return arm["converted"] / arm["users"]


def compare_rates(control, treatment, test):
    n, m = control["users"], treatment["users"]
    p, q = rate_of(control), rate_of(treatment)
    pooled = (control["converted"] + treatment["converted"]) / (n + m)
    error = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    variance = p * (1 - p) / n + q * (1 - q) / m
    half = critical(test["alpha"] / 2) * math.sqrt(variance)
    pairs = [(arm["converted"], arm["users"]) for arm in (control, treatment)]
    test["probability_better"] = beats(*pairs) if test["sign"] > 0 else beats(*reversed(pairs))
    if error == 0:
        test.update(effect=0, ci_lower=0, ci_upper=0, statistic=0, p_value=1, variance=0)
        return
    z = (q - p) / error
    test.update(effect=100 * (q - p), ci_lower=100 * (q - p - half), ci_upper=100 * (q - p + half), statistic=z,
                p_value=2 * survival(abs(z)), variance=variance, difference=q - p)


def compare_means(control, treatment, test):
    if not control["squares"] or not treatment["squares"]:
        return False
    n, m = control["users"], treatment["users"]
    one, other = control["squares"] / (n - 1) / n, treatment["squares"] / (m - 1) / m
    df = (one + other) ** 2 / (one**2 / (n - 1) + other**2 / (m - 1))
    effect, error = treatment["mean"] - control["mean"], math.sqrt(one + other)
    half = student_critical(test["alpha"] / 2, df) * error
    test.update(effect=effect, ci_lower=effect - half, ci_upper=effect + half, statistic=effect / error,
                p_value=min(1, 2 * student_survival(abs(effect) / error, df)), variance=one + other, difference=effect,
                probability_better=1 - survival(test["sign"] * effect / error))
    return True


def ratio_of(arm):
    """The ratio and the variance of its estimate, by the delta method; None where there is none."""
    if not arm["denominator_mean"]:
        return None
    ratio, n = arm["mean"] / arm["denominator_mean"], arm["users"]
    rest = arm["squares"] - 2 * ratio * arm["products"] + ratio**2 * arm["denominator_squares"]
    if rest <= 16 * sys.float_info.epsilon * (arm["squares"] + ratio**2 * arm["denominator_squares"]):
        rest = 0
    return ratio, rest / (n - 1) / n / arm["denominator_mean"] ** 2


def compare_ratios(control, treatment, test):
    one, other = ratio_of(control), ratio_of(treatment)
    if not one or not other or one[1] + other[1] == 0:
        return False
    effect, error = other[0] - one[0], math.sqrt(one[1] + other[1])
    half = critical(test["alpha"] / 2) * error
    test.update(effect=effect, ci_lower=effect - half, ci_upper=effect + half, statistic=effect / error,
                p_value=2 * survival(abs(effect) / error), variance=error * error, difference=effect)
    return True


def always_valid(test, mixture):
    variance, difference, alpha = test["variance"], test.get("difference"), test["alpha"]
    if not mixture or variance <= 0 or difference is None:
        return
    spread = math.log1p(mixture / variance) / 2
    ratio = mixture / (variance + mixture) * difference**2 / variance / 2 - spread
    radius = math.sqrt(2 * variance * ((variance + mixture) / mixture) * (spread - math.log(alpha)))
    test.update(always_valid_p_value=min(1, math.exp(-ratio)), ci_sequence_lower=difference - radius,
                ci_sequence_upper=difference + radius)


FIELDS = ("effect", "ci_lower", "ci_upper", "p_value", "statistic", "probability_better", "always_valid_p_value",
          "ci_sequence_lower", "ci_sequence_upper", "is_significant", "sequential_significant")


def compare(design, control, treatment, alpha, boundary):
    """The members of a comparison of the certificate, computed again."""
    kind = design["metric_type"]
    test = dict.fromkeys(FIELDS)
    test.update(alpha=alpha, sign=sign_of(design), status="insufficient_data", variance=0)
    defined = control["mean"] is not None and treatment["mean"] is not None
    if control["users"] < 2 or treatment["users"] < 2 or not defined:
        return test
    function = {"binary": compare_rates, "ratio": compare_ratios}.get(kind, compare_means)
    if function(control, treatment, test) is False:
        return test
    test.update(status="ok", is_significant=test["p_value"] < alpha)
    always_valid(test, design["mixture_variance"])
    if boundary is not None:
        test["sequential_significant"] = abs(test["statistic"]) > boundary
    return test


def unit_of(design):
    return 100 if design["metric_type"] == "binary" else 1


def sign_of(design):
    return -1 if design["direction"] == "decrease" else 1


def sample_ratio(counts, split):
    """(chi square, p), or None where nothing can be said."""
    total, whole = sum(counts), sum(split)
    if len(counts) < 2 or len(split) != len(counts) or total == 0 or min(split) <= 0:
        return None
    expected = [total * share / whole for share in split]
    chi = sum((o - e) ** 2 / e for o, e in zip(counts, expected))
    return chi, chi_square_survival(chi, len(counts) - 1)


def estimate(arm, binary):
    """(users, mean, variance of the mean); no users where the values are too large."""
    n = arm["users"] if arm["mean"] is not None or arm["users"] == 0 else 0
    if n == 0:
        return 0, 0, 0
    if binary:
        return n, rate_of(arm), rate_of(arm) * (1 - rate_of(arm)) / n if n > 1 else 0
    return n, arm["mean"], max(arm["squares"], 0) / (n - 1) / n if n > 1 else 0


def guardrail_status(guardrail, alpha):
    order, worst = ("insufficient_data", "ok", "warning", "breached"), 0
    control, *treatments = [estimate(arm, guardrail["metric_type"] == "binary") for arm in guardrail["arms"]]
    for treatment in treatments:
        variance = control[2] + treatment[2]
        if control[0] < 2 or treatment[0] < 2 or not variance > 0:
            continue
        harm = (treatment[1] - control[1]) * (1 if guardrail["direction"] == "increase_is_bad" else -1)
        bound = harm - critical(alpha) * math.sqrt(variance)
        worst = max(worst, 3 if bound > guardrail["margin"] else 2 if harm > guardrail["margin"] else 1)
    return order[worst]


def contradicts(strata, arm, test, binary):
    """Whether the effect within the strata is significant and has the other sign."""
    pairs = [(estimate(s["arms"][0], binary), estimate(s["arms"][arm], binary)) for s in strata]
    pairs = [(c, t) for c, t in pairs if c[0] >= 2 and t[0] >= 2]
    total = sum(c[0] + t[0] for c, t in pairs)
    effect = sum((c[0] + t[0]) / total * (t[1] - c[1]) for c, t in pairs)
    variance = sum(((c[0] + t[0]) / total) ** 2 * (c[2] + t[2]) for c, t in pairs)
    return variance > 0 and effect * test["effect"] < 0 and 2 * survival(abs(effect) / math.sqrt(variance)) < test["alpha"]


# The policy practical_v1: the first rule that applies decides.
class Policy:
    def __init__(self, certificate, tests, strata_srm):
        design, sequential = certificate["design"], certificate["sequential"]
        fraction = sequential["information_fraction"]
        self.certificate, self.tests, self.design = certificate, tests, design
        self.reasons, self.blockers, self.sign = [], [], sign_of(design)
        worthwhile = design["baseline_value"] * abs(design["mde_pct"]) / 100
        worthwhile *= 100 if design["metric_type"] == "binary" else 1
        self.mwe = round(worthwhile, 6) if design["baseline_value"] > 0 and worthwhile > 0 else None
        self.active = sequential["status"] == "active"
        fixed = sequential["status"] == "fixed_horizon" and fraction is not None
        self.early = fixed and fraction < PLANNED_READ
        self.hybrid = certificate.get("hybrid")
        self.finished = self.active and (self.hybrid["status"] == "ended" if self.hybrid else fraction >= 1)
        self.complete = self.finished or (fixed and fraction >= PLANNED_READ)
        total = sum(arm["users"] for arm in certificate["arms"])
        planned = design["planned_users_per_arm"]
        self.plans = total / (planned * len(certificate["arms"])) if planned else 0
        self.strata_srm, self.total = strata_srm, total
        self.standing = [self.judge(test, arm) for test, arm in zip(tests, certificate["arms"][1:])]
        self.practical = [self.measure(test) for test in tests]

    def give(self, code, arm=None):
        self.reasons.append((code, None if arm is None else arm + 1, None))

    def judge(self, test, arm):
        if test["status"] != "ok":
            return "ignored"
        small = min(arm["users"], self.certificate["arms"][0]["users"]) < 100
        if self.hybrid:
            reading = test["reading"]
            if not reading or not reading["is_significant"]:
                return "open"
            return "win" if self.sign * reading["effect"] > 0 else "loss"
        if self.active:
            holds = test["sequential_significant"]
        elif self.early or (self.design["planned_users_per_arm"] is None and small):
            holds = self.anytime(test)
        else:
            holds = True
        if not test["is_significant"] or not holds:
            return "open"
        better, gain = test["probability_better"], self.sign * test["effect"]
        if gain > 0 and (better is None or better >= SHIP):
            return "win"
        return "loss" if gain < 0 else "open"

    def anytime(self, test):
        return test["always_valid_p_value"] is not None and test["always_valid_p_value"] < test["alpha"]

    def measure(self, test):
        if self.mwe is None:
            return "unavailable"
        low, high = test["ci_lower"] or 0, test["ci_upper"] or 0
        if test["reading"] and test["reading"]["effect"] is not None:
            low, high = (unit_of(self.design) * test["reading"][end] for end in ("ci_lower", "ci_upper"))
        low, high = (low, high) if self.sign > 0 else (-high, -low)
        return "met" if low >= self.mwe else "below" if high < self.mwe else "uncertain"

    def wins(self, *kinds):
        return [i for i, s in enumerate(self.standing) if s == "win" and self.practical[i] in kinds]

    def all(self, standing):
        return [i for i, s in enumerate(self.standing) if s == standing]

    def strong(self, arms, good):
        found = [self.tests[i]["probability_better"] for i in arms]
        return self.finished or any(p is not None and (p >= STRONG if good else p <= 1 - STRONG) for p in found)

    def losses(self):
        for i in self.all("loss"):
            self.give("significant_loss", i)

    def doubtful(self):
        for kind, code in (("uncertain", "practical_threshold_uncertain"), ("below", "below_practical_threshold_proven")):
            for i in self.wins(kind):
                self.give("significant_win", i)
                self.give(code, i)

    def block(self):
        if self.certificate["sample_ratio"]["is_srm"]:
            self.blockers.append(("srm_mismatch", None, None))
        self.blockers += [("stratum_srm_mismatch", None, name) for name in self.strata_srm]
        kind, strata = self.design["metric_type"], self.certificate["strata"]
        covered = any(arm["users"] for stratum in strata for arm in stratum["arms"])
        if kind in ("binary", "continuous") and covered:
            for i, test in enumerate(self.tests):
                if test["status"] == "ok" and contradicts(strata, i + 1, test, kind == "binary"):
                    self.blockers.append(("stratified_contradiction", i + 1, None))

    def decide(self):
        self.block()
        breached = [g["name"] for g in self.certificate["guardrails"] if g["status"] == "breached"]
        if all(s == "ignored" for s in self.standing):
            self.give("insufficient_per_arm" if self.total else "no_exposures")
            if self.mwe is None:
                self.give("practical_threshold_unavailable")
            return ("no_ship" if self.blockers else "keep_running"), "low"
        if self.blockers:
            self.give("blocked_untrustworthy")
            return "no_ship", "low"
        if breached:
            self.blockers += [("guardrail_breach", None, name) for name in breached]
            for i in self.all("win"):
                self.give("significant_win", i)
            self.give("guardrail_vetoed")
            return "no_ship", "high"
        return self.decide_on_effects()

    def decide_on_effects(self):
        ships = self.wins("met", "unavailable")
        for i in ships:
            self.give("significant_win", i)
            if self.practical[i] == "met":
                self.give("practical_threshold_met", i)
            if self.tests[i]["probability_better"] is not None:
                self.give("bayesian_win", i)
            if self.active or self.early:
                self.give("sequential_crossed" if self.active else "anytime_valid_confirmed", i)
        if ships:
            self.losses()
            self.doubtful()
            return "ship", "high" if self.strong(ships, True) and not self.early else "medium"
        if self.all("win"):
            self.doubtful()
            self.losses()
            if self.wins("uncertain") and self.complete:
                self.give("statistically_positive_but_below_practical_threshold")
            elif self.wins("uncertain"):
                if self.active or self.early:
                    self.give("info_fraction_incomplete")
                return "keep_running", "low"
            return "no_ship", "medium"
        if self.all("loss") and not self.all("open"):
            for i in self.all("loss"):
                self.give("significant_loss", i)
                if self.early:
                    self.give("anytime_valid_confirmed", i)
            return "no_ship", "high" if self.strong(self.all("loss"), False) and not self.early else "medium"
        return self.decide_open()

    def decide_open(self):
        self.losses()
        for i in self.all("open"):
            test = self.tests[i]
            if test["is_significant"] and self.active and not test["sequential_significant"]:
                self.give("sequential_not_crossed", i)
            elif test["is_significant"] and self.early and not self.anytime(test):
                self.give("fixed_horizon_before_planned_read", i)
            else:
                self.give("inconclusive_ci", i)
        if self.hybrid and self.hybrid["status"] == "plan_changed":
            self.give("planned_looks_changed")
        if self.finished:
            self.give("info_fraction_complete_no_effect")
            return "no_ship", "medium"
        if self.complete and all(self.practical[i] == "below" for i in self.all("open")):
            for i in self.all("open"):
                self.give("worthwhile_effect_excluded", i)
            return "no_ship", "medium"
        if self.complete and self.plans >= 2:
            self.give("inconclusive_at_twice_the_plan")
            return "no_ship", "medium"
        if self.active or self.early:
            self.give("info_fraction_incomplete")
        return "keep_running", "low"

    def anomalies(self):
        population = self.certificate["population"]
        if population["events_before_exposure"] > ANOMALY * population["events"]:
            self.give("events_before_exposure")
        if population["multiple_exposure_share"] > ANOMALY:
            self.give("multiple_exposure_users")


def same(what, written, computed):
    if isinstance(computed, (int, float)) and not isinstance(computed, bool) and isinstance(written, (int, float)):
        near = abs(written - computed) <= max(ALMOST_NOTHING * 1e-3, FIGURES * max(abs(written), abs(computed)))
        near = near or (what.endswith("probability_better") and abs(written - computed) <= FIGURES)
    else:
        near = written == computed
    if not near:
        raise Wrong(f"{what} is {written!r}, and computed from the sums {computed!r}")


def check_sequential(certificate, alpha):
    """The boundary at this look, or None."""
    design, sequential = certificate["design"], certificate["sequential"]
    looks, planned = design["n_looks"], design["planned_users_per_arm"]
    total, arms = sum(arm["users"] for arm in certificate["arms"]), len(certificate["arms"])
    several = looks > 1 or "hybrid" in certificate
    known = planned is not None and planned > 0 and (not several or total > 0)
    fraction = min(1, total / (planned * arms)) if known else None
    same("sequential.status", sequential["status"],
         "fixed_horizon" if not several else "active" if known else "insufficient_data")
    same("sequential.information_fraction", sequential["information_fraction"], fraction)
    if sequential["status"] != "active" or "hybrid" in certificate:
        return None
    if abs(spent(design["final_boundary"], looks) / alpha - 1) > SPENT:
        raise Wrong(f"the boundary {design['final_boundary']} does not spend alpha {alpha:g} over {looks} looks")
    same("sequential.boundary", sequential["boundary"], design["final_boundary"] / math.sqrt(fraction))
    return design["final_boundary"] / math.sqrt(fraction)


def check_spending(hybrid, alpha, end):
    """The constants by the alpha that they spend."""
    early, whole = Hybrid(hybrid, alpha, end).spent(hybrid["end_z"])
    if not alpha * (1 - SPENT_LESS) <= whole <= alpha * (1 + SPENT_MORE):
        raise Wrong(f"readings before the end and its test beyond {hybrid['end_z']} spend {whole:g} and not alpha {alpha:g}")
    if abs(hybrid["early_error"] / early - 1) > EARLY_ERROR:
        raise Wrong(f"hybrid.early_error is {hybrid['early_error']}, and computed from the plan {early}")


def has_users(kind, arms):
    if kind == "binary":
        return all(a["users"] >= 100 and a["converted"] >= 5 and a["users"] - a["converted"] >= 5 for a in arms)
    return all(a["users"] >= 500 for a in arms)


def check_end_p(hybrid, end, z, p):
    """The smallest alpha at which the test rejects: it spends itself with z as the constant of the end."""
    if not 0 < p <= 1:
        raise Wrong(f"p_value at the end is {p}")
    p = min(max(p, P_LEAST), P_MOST)
    early_and_end = Hybrid(hybrid, p, end).spent(z)[1]
    less, more = (SPENT_LESS, SPENT_LESS) if P_LEAST < p < P_MOST else (1, SPENT_LESS) if p == P_LEAST else (SPENT_LESS, 1)
    if not p * (1 - less) <= early_and_end <= p * (1 + more):
        raise Wrong(f"p_value at the end is {p:g}, and a test of this alpha spends {early_and_end:g}")


def read_hybrid(certificate, test, pair, t):
    """What a reading of the test at the fraction t says, but for the p-value at the end."""
    design, hybrid = certificate["design"], certificate["hybrid"]
    reading = dict.fromkeys(("boundary_z", "z", "p_value", "effect", "ci_lower", "ci_upper"))
    reading.update(status="not_evaluable", is_significant=False)
    if test["status"] != "ok" or not test["variance"] > 0 or not t > 0:
        return reading
    if not hybrid["end"] and not has_users(design["metric_type"], pair):
        reading["status"] = "too_few_users"
        return reading
    plan, effect, error = Hybrid(hybrid, hybrid["alpha"], t), test["effect"] / unit_of(design), math.sqrt(test["variance"])
    bound = hybrid["end_z"] if hybrid["end"] else plan.boundary(t)[0] / math.sqrt(t)
    z, information = effect / error, plan.mixture * t
    anytime = math.exp(min(0, math.log1p(information) / 2 - information / (1 + information) * z * z / 2))
    reading.update(boundary_z=bound, z=z, effect=effect, ci_lower=effect - bound * error, ci_upper=effect + bound * error,
                   is_significant=abs(z) > bound, p_value=None if hybrid["end"] else min(1, anytime / hybrid["early_share"]))
    reading["status"] = "efficacy" if abs(z) > bound else "no_rejection" if hybrid["end"] else "continue"
    return reading


def check_hybrid(certificate, tests, alpha):
    """Adds to each test its reading: of the sums at the end once that was taken."""
    hybrid, design, arms = certificate["hybrid"], certificate["design"], certificate["arms"]
    planned, end = (design["planned_users_per_arm"] or 0) * len(arms), hybrid["end"]
    now = sum(arm["users"] for arm in arms) / planned if planned else 0
    same("hybrid.alpha", hybrid["alpha"], alpha)
    known = hybrid["status"] not in ("unavailable", "plan_changed")
    if known:
        same("hybrid.status", hybrid["status"], "ended" if end else "running")
    elif planned and hybrid["status"] == "unavailable":
        raise Wrong("hybrid.status is unavailable, and the design has a size")
    running = known and not end and now > 0
    same("sequential.boundary", certificate["sequential"]["boundary"],
         Hybrid(hybrid, alpha, 1).boundary(now)[0] / math.sqrt(now) if running else None)
    same("readings", len(hybrid["readings"]), len(tests) if known else 0)
    if not known:
        return
    if end:
        arms, now = end["sums"]["arms"], end["information_fraction"]
        same("hybrid.end.users", end["users"], sum(arm["users"] for arm in arms))
        same("hybrid.end.information_fraction", now, end["users"] / planned)
    check_spending(hybrid, alpha, now if end else 1)
    for test, arm, written in zip(tests, arms[1:], hybrid["readings"]):
        then = compare(design, arms[0], arm, alpha, None) if end else test
        reading = test["reading"] = read_hybrid(certificate, then, (arms[0], arm), now)
        if end and reading["z"] is not None:
            reading["p_value"] = written["p_value"]
            check_end_p(hybrid, now, abs(reading["z"]), written["p_value"])
        for field, value in reading.items():
            same(f"reading {written['treatment_index']}: {field}", written[field], value)
        if test["status"] == "ok":
            test["sequential_significant"] = reading["is_significant"]


def check_ratio(certificate):
    """The strata whose sample ratio is off."""
    split, written = certificate["design"]["traffic_split"], certificate["sample_ratio"]
    found = sample_ratio([arm["users"] for arm in certificate["arms"]], split)
    chi, p = found or (None, None)
    same("sample_ratio.chi_square", written["chi_square"], chi)
    same("sample_ratio.p_value", written["p_value"], p)
    same("sample_ratio.is_srm", written["is_srm"], bool(found) and p < SRM_ALPHA)
    strata = [(s["stratum"], sample_ratio([arm["users"] for arm in s["arms"]], split)) for s in certificate["strata"]]
    strata = [(name, found[1]) for name, found in strata if found]
    return [name for name, p in strata if p < SRM_ALPHA / len(strata)]


def check_source(certificate):
    """Without fresh rows of live data there is no verdict."""
    source = certificate.get("source")
    if source is None:
        return
    same("source.metric", source["metric"], certificate["design"]["metric"])
    same("source.status", source["status"], "fresh")
    if not source["complete_at"][:19] <= certificate["issued_at"][:19]:
        raise Wrong("the rows of live data were read after the certificate was issued")


def check_figures(certificate):
    """Computes everything again; raises Wrong at the first difference."""
    design, arms = certificate["design"], certificate["arms"]
    expected = HYBRID_FORMAT if "hybrid" in certificate else FORMATS["source" in certificate]
    if certificate["format"] != expected or certificate["formulas"]["policy"] != "practical_v1":
        raise Wrong("of a format or a policy that this program does not know")
    check_source(certificate)
    alpha = design["alpha"] / max(1, len(arms) - 1)
    effect = design["baseline_value"] * abs(design["mde_pct"]) / 100
    if design["mixture_variance"] is not None and effect > 0:
        same("design.mixture_variance", design["mixture_variance"], effect * effect)
    boundary = check_sequential(certificate, alpha)
    strata_srm = check_ratio(certificate)
    tests = [{**compare(design, arms[0], arm, alpha, boundary), "reading": None} for arm in arms[1:]]
    if "hybrid" in certificate:
        check_hybrid(certificate, tests, alpha)
    same("comparisons", len(certificate["comparisons"]), len(tests))
    for written, test in zip(certificate["comparisons"], tests):
        for field in ("status",) + FIELDS:
            same(f"comparison {written['treatment_index']}: {field}", written[field], test[field])
    for guardrail in certificate["guardrails"]:
        same(f"guardrail {guardrail['name']}", guardrail["status"], guardrail_status(guardrail, alpha))
    policy = Policy(certificate, tests, strata_srm)
    verdict, confidence = policy.decide()
    policy.anomalies()
    written = certificate["decision"]
    same("verdict", written["verdict"], verdict)
    same("confidence", written["confidence"], confidence)
    for name, computed in (("reasons", policy.reasons), ("blockers", policy.blockers)):
        same(name, [(r["code"], r["arm"], r["part"]) for r in written[name]], computed)


def read_key(given):
    text = open(given, encoding="ascii").read().strip() if os.path.exists(given) else given
    return unpack(json.loads(text)["public_key"] if text.startswith("{") else text, 32)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(arguments[1], "rb") as file:
            data = file.read().rstrip(b"\n")
        key = read_key(arguments[2])
    except (OSError, ValueError, KeyError, Wrong) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    try:
        certificate = open_certificate(data, key)
        check_figures(certificate)
    except (Wrong, ValueError, KeyError, TypeError, ArithmeticError) as error:
        print(f"WRONG: {error}")
        return 1
    decision = certificate["decision"]
    print(f"holds: {decision['verdict']} ({decision['confidence']}), experiment {certificate['experiment_id']}, "
          f"issued {certificate['issued_at']}, key {hashlib.sha256(key).hexdigest()}")
    if "source" in certificate:
        source = certificate["source"]
        print(f"source: rows of {source['entity_type']} in live data, {source['status']}, complete at {source['complete_at']}, "
              f"up to position {source['position']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
