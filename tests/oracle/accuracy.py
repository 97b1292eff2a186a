"""How far analyzers are from their judges: one row per analyzer and kind of method, printed at the end of
the run by conftest.py, and a failure for every comparison that is over its target.

    def test_p_values(accuracy):
        for case in cases:
            accuracy.closed("log-rank", "p", row.p, expected, case)

    closed       a formula                    relative error up to 1e-9
    iterative    a root, a maximum, a fit     relative error up to 1e-6
    simulated    random numbers               up to 3 standard errors

`case` is what the analyzer was given, printed beside the worst error and counted once for the row's number
of inputs: at least 200 for every analyzer, checked when the whole suite runs.
"""
import math

TARGETS = {"closed": 1e-9, "iterative": 1e-6, "simulated": 3.0}
INPUTS_MIN = 200
NAMED_MAX = 10  # misses that are listed for one test


class Row:
    """One analyzer and one kind: what was compared, and the worst of it."""

    def __init__(self):
        self.cases, self.comparisons, self.error, self.at = set(), 0, -1.0, ""

    def add(self, error, quantity, case):
        text = repr(case)
        self.cases.add(hash(text))
        self.comparisons += 1
        if not error <= self.error:
            self.error, self.at = error, f"{quantity} {text[:60]}"


class Accuracy:
    """The rows of a run, and the misses of the test that is running."""

    def __init__(self):
        self.rows, self.misses = {}, []

    def closed(self, analyzer, quantity, ours, theirs, case, scale=None):
        """`scale` stands for |theirs| where the size of a number is not its own: a difference of large means."""
        self.record(analyzer, "closed", quantity, relative_error(ours, theirs, scale), case)

    def iterative(self, analyzer, quantity, ours, theirs, case, scale=None):
        self.record(analyzer, "iterative", quantity, relative_error(ours, theirs, scale), case)

    def simulated(self, analyzer, quantity, ours, theirs, standard_error, case):
        self.record(analyzer, "simulated", quantity, abs(float(ours) - float(theirs)) / float(standard_error), case)

    def record(self, analyzer, kind, quantity, error, case):
        """One error that the test has measured itself, in the unit of the kind."""
        error = float(error)
        self.rows.setdefault((analyzer, kind), Row()).add(error, quantity, case)
        if not error <= TARGETS[kind]:
            self.misses.append(f"{analyzer}: {quantity} is {error:.2e} off, over {TARGETS[kind]:.0e}, at {case!r:.200}")

    def take_misses(self):
        """What the running test has missed, as a text, or nothing; the next test starts afresh."""
        misses, self.misses = self.misses, []
        return "\n".join(misses[:NAMED_MAX] + [f"{len(misses)} in all"]) if misses else ""

    def thin_rows(self):
        """Analyzers with too few inputs, all kinds and quantities together."""
        inputs = {}
        for (analyzer, _), row in self.rows.items():
            inputs.setdefault(analyzer, set()).update(row.cases)
        return [f"{analyzer}: {len(cases)} inputs, fewer than {INPUTS_MIN}"
                for analyzer, cases in sorted(inputs.items()) if len(cases) < INPUTS_MIN]

    def lines(self):
        """The table, a line per row."""
        width = max((len(analyzer) for analyzer, _ in self.rows), default=0)
        yield f"{'analyzer':{width}}  {'kind':9}  {'inputs':>6}  {'compared':>8}  {'worst':>8}  {'target':>7}  at"
        for (analyzer, kind), row in sorted(self.rows.items()):
            yield (f"{analyzer:{width}}  {kind:9}  {len(row.cases):6}  {row.comparisons:8}  {row.error:8.1e}  "
                   f"{TARGETS[kind]:7.0e}  {row.at}")


class Worst:
    """The largest error seen per label, with its limit and the case that gave it."""

    def __init__(self):
        self.rows = {}

    def record(self, label, error, tolerance, case, source):
        count, *worst = self.rows.get(label, (0, -1.0, tolerance, None, source))
        if not error <= worst[0]:
            worst = error, tolerance, case, source
        self.rows[label] = (count + 1, *worst)

    def check(self, label, error, tolerance, case, source="mpmath"):
        """Records one comparison; gives a complaint, or None when it is within the tolerance."""
        error = float(error)
        self.record(label, error, tolerance, case, source)
        if error <= tolerance:
            return None
        return f"{label}{case}: error {error:.2e} over {tolerance:.0e}"

    def compare(self, label, actual, expected, tolerance, case, source="mpmath"):
        """As check, for the relative error of a value (absolute where 0 is expected)."""
        if math.isinf(actual) or actual == expected:
            error = 0.0 if actual == expected else math.inf
        else:
            error = abs((actual - expected) / expected) if expected else abs(actual)
        return self.check(label, error, tolerance, case, source)


class Following(Worst):
    """A record of functions whose comparisons count for analyzers too, by the beginning of their labels:
    Following(worst, accuracy, {"Welch": ("continuous", "closed")}). A comparison whose own limit is wider than
    the target says what its judge is good for, and does not count."""

    def __init__(self, worst, accuracy, analyzers):
        super().__init__()
        self.rows, self.accuracy, self.analyzers = worst.rows, accuracy, analyzers

    def check(self, label, error, tolerance, case, source="mpmath"):
        found = next((rest for beginning, rest in self.analyzers.items() if label.startswith(beginning)), None)
        if found and tolerance <= TARGETS[found[1]]:
            self.accuracy.record(*found, label, error, case)
        return super().check(label, error, tolerance, case, source)


def relative_error(ours, theirs, scale=None):
    """Of `theirs`, or of `scale`; absolute where that is 0. Works on floats and on numbers of mpmath alike."""
    if ours == theirs:
        return 0.0
    size = abs(theirs) if scale is None else abs(scale)
    error = abs(theirs - ours)
    error = float(error / size if size else error)
    return math.inf if math.isnan(error) else error


ACCURACY = Accuracy()
