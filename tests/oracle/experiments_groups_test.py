"""Tests of several groups: tables of counts by chi-square and G, means by Welch's analysis of variance,
ranks by Kruskal and Wallis. Judges are fractions, 50-digit arithmetic, scipy and statsmodels."""
import math
import random
import statistics
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
import statsmodels.stats.contingency_tables
import statsmodels.stats.oneway
from mpmath import mpf

from groups_driver import Groups, group_cases, table_cases

TINY = 1e-280  # below, p-values lose digits to the end of the range of doubles


@pytest.fixture(scope="module")
def groups(evaluator):
    return Groups(evaluator)


def number(fraction):
    return mpf(fraction.numerator) / fraction.denominator


def chi_square_tail(x, df):
    return mp.gammainc(mpf(df) / 2, mpf(x) / 2, mp.inf, regularized=True)


def f_tail(f, df1, df2):
    return mp.betainc(df2 / 2, mpf(df1) / 2, 0, df2 / (df2 + df1 * f), regularized=True)


# Tables of counts

TABLES = table_cases(220, 11) + table_cases(40, 13, largest=50)


def margins(table):
    return [sum(line) for line in table], [sum(line) for line in zip(*table)], sum(map(sum, table))


def has_test(table):
    rows, columns, total = margins(table)
    return total <= 5_000_000 and all(rows) and all(columns)


def table_statistic(table, method):
    """Exact for chi-square; for G, 2 sum O ln(O / E) as it is defined."""
    rows, columns, total = margins(table)
    cells = [(table[i][j], Fraction(r * c, total)) for i, r in enumerate(rows) for j, c in enumerate(columns)]
    if method == "chi_square":
        return number(sum((o - e) ** 2 / e for o, e in cells))
    return 2 * mp.fsum(o * mp.log(o / number(e)) for o, e in cells if o)


@pytest.mark.parametrize("method", ["chi_square", "g_test"])
def test_tables_in_50_digits(groups, accuracy, method):
    refused = 0
    for case, row in zip(TABLES, groups.tables(method, TABLES)):
        table, alpha = case
        if not has_test(table):
            assert row is None, table
            refused += 1
            continue
        rows, columns, total = margins(table)
        df = (len(rows) - 1) * (len(columns) - 1)
        with mp.workdps(50):
            statistic = table_statistic(table, method)
            statistic = statistic if statistic > mpf("1e-30") else mpf(0)
            v = mp.sqrt(statistic / (total * (min(len(rows), len(columns)) - 1)))
        with mp.workdps(30):
            p = chi_square_tail(statistic, df)
        accuracy.closed(f"categorical, {method}", "statistic", row.statistic, statistic, case)
        accuracy.closed(f"categorical, {method}", "V", row.v, v, case)
        accuracy.closed(f"categorical, {method}", "smallest expectation", row.least,
                        number(Fraction(min(rows) * min(columns), total)), case)
        if p > TINY:
            accuracy.closed(f"categorical, {method}", "p", row.p, p, case)
        assert row.df == df and row.total == total and row.significant == (row.p < alpha)
    assert 0 < refused < len(TABLES) - 200


@pytest.mark.parametrize("method, power", [("chi_square", 1), ("g_test", 0)])
def test_tables_by_scipy_and_statsmodels(groups, accuracy, method, power):
    """Their rounding errors grow with the counts: 1e-9 is theirs for a statistic beside its total."""
    cases = [case for case in TABLES if has_test(case[0])]
    for case, row in zip(cases, groups.tables(method, cases)):
        table = np.array(case[0])
        theirs = scipy.stats.chi2_contingency(table, correction=False, lambda_=power)
        name, noise = f"categorical, {method}", 1e-6 * table.sum()
        accuracy.closed(name, "statistic, scipy", row.statistic, theirs[0], case, max(theirs[0], noise))
        if table.sum() < 10_000:
            accuracy.closed(name, "p, scipy", row.p, theirs[1], case, 1)
        if method == "chi_square":
            v = scipy.stats.contingency.association(table, "cramer")
            accuracy.closed(name, "V, scipy", row.v, v, case, 1)
            table = statsmodels.stats.contingency_tables.Table(table, shift_zeros=False)
            theirs = table.test_nominal_association()
            accuracy.closed(name, "statistic, statsmodels", row.statistic, theirs.statistic, case,
                            max(theirs.statistic, noise))
            assert row.df == theirs.df


def test_tables_that_have_no_test(groups):
    tables = [[[0, 0], [0, 0]], [[0, 0], [5, 5]], [[0, 5], [0, 5]], [[5_000_000, 1], [0, 0]],
              [[4_999_999, 1], [1, 0]], [[2 ** 53, 2 ** 53], [2 ** 53, 2 ** 53]]]
    for method in ("chi_square", "g_test"):
        assert groups.tables(method, [(table, 0.05) for table in tables]) == [None] * len(tables)
        full = groups.tables(method, [([[4_999_998, 1], [1, 0]], 0.05), ([[1, 0], [0, 1]], 0.05)])
        assert all(row is not None for row in full)


def test_lines_may_change_places(groups):
    """The order of rows and columns, and which are which, are not in the statistic."""
    draw, cases = random.Random(17), [case for case in TABLES if has_test(case[0])][:60]
    turned = [([list(line) for line in zip(*draw.sample(table, len(table)))], alpha) for table, alpha in cases]
    for method in ("chi_square", "g_test"):
        for one, other in zip(groups.tables(method, cases), groups.tables(method, turned)):
            assert one.statistic == pytest.approx(other.statistic, rel=1e-12, abs=1e-25)
            assert one.v == pytest.approx(other.v, rel=1e-12, abs=1e-12)


# Means

GROUPS = group_cases(240, 19) + group_cases(20, 23, most=50) + group_cases(40, 29, decades=60)


def welch(values):
    """Statistic, its denominator's degrees of freedom, eta squared: by the formulas, on exact numbers."""
    k = len(values)
    n = [len(group) for group in values]
    means = [mp.fsum(map(mpf, group)) / len(group) for group in values]
    squares = [mp.fsum((mpf(x) - m) ** 2 for x in group) for group, m in zip(values, means)]
    weights = [size * (size - 1) / s for size, s in zip(n, squares)]
    weight = mp.fsum(weights)
    mean = mp.fsum(w * m for w, m in zip(weights, means)) / weight
    between = mp.fsum(w * (m - mean) ** 2 for w, m in zip(weights, means)) / (k - 1)
    shares = mp.fsum((1 - w / weight) ** 2 / (size - 1) for w, size in zip(weights, n))
    grand = mp.fsum(size * m for size, m in zip(n, means)) / sum(n)
    explained = mp.fsum(size * (m - grand) ** 2 for size, m in zip(n, means))
    statistic = between / (1 + 2 * mpf(k - 2) / (k * k - 1) * shares)
    deviations = [mp.sqrt(s / (size - 1)) for s, size in zip(squares, n)]
    return statistic, (k * k - 1) / (3 * shares), explained / (explained + mp.fsum(squares)), means, deviations


def test_welch_in_50_digits(groups, accuracy):
    refused = 0
    for case, row in zip(GROUPS, groups.groups("welch_anova", GROUPS)):
        values, alpha = case
        if any(len(set(group)) == 1 for group in values):
            assert row is None
            refused += 1
            continue
        with mp.workdps(50):
            statistic, df, size, means, deviations = welch(values)
        with mp.workdps(30):
            p = f_tail(statistic, row.df1, df)
        # what the rounding of differences of means leaves of a statistic near 0
        accuracy.closed("omnibus, Welch", "F", row.statistic, statistic, case, statistic + mpf("1e-3"))
        accuracy.closed("omnibus, Welch", "df", row.df2, df, case)
        accuracy.closed("omnibus, Welch", "eta squared", row.size, size, case, size + mpf("1e-3"))
        if p > TINY:
            accuracy.closed("omnibus, Welch", "p", row.p, p, case)
        for group, mean, deviation in zip(row.groups, means, deviations):
            accuracy.closed("omnibus, Welch", "mean", group.mean, mean, case, max(abs(mean), deviation))
            accuracy.closed("omnibus, Welch", "std", group.std, deviation, case)
            assert math.isnan(group.median) and math.isnan(group.rank)
        assert row.df1 == len(values) - 1 and row.total == sum(map(len, values))
        assert row.significant == (row.p < alpha)
    assert 0 < refused < len(GROUPS) - 200


def test_welch_by_statsmodels(groups, accuracy):
    cases = [case for case in group_cases(260, 31) if all(len(set(group)) > 1 for group in case[0])]
    for case, row in zip(cases, groups.groups("welch_anova", cases)):
        if max(map(abs, sum(case[0], []))) > 1e6:
            continue  # numpy's own rounding, far from zero
        theirs = statsmodels.stats.oneway.anova_oneway(case[0], use_var="unequal")
        accuracy.closed("omnibus, Welch", "F, statsmodels", row.statistic, theirs.statistic, case,
                        1 + theirs.statistic)
        accuracy.closed("omnibus, Welch", "df, statsmodels", row.df2, theirs.df_denom, case)
        accuracy.closed("omnibus, Welch", "p, statsmodels", row.p, theirs.pvalue, case, 1)


def test_two_groups_are_welchs_t_test(groups, accuracy):
    cases = [(values[:2], alpha) for values, alpha in group_cases(220, 37)
             if all(len(set(group)) > 1 for group in values[:2]) and max(map(abs, sum(values, []))) < 1e6]
    for case, row in zip(cases, groups.groups("welch_anova", cases)):
        theirs = scipy.stats.ttest_ind(*case[0], equal_var=False)
        accuracy.closed("omnibus, Welch", "t squared, scipy", row.statistic, theirs.statistic ** 2, case,
                        1 + theirs.statistic ** 2)
        accuracy.closed("omnibus, Welch", "p of t, scipy", row.p, theirs.pvalue, case, 1)


# Ranks

def kruskal(values):
    """H with its correction, exactly, and the ranks."""
    pooled = sorted(x for group in values for x in group)
    total, first, count = len(pooled), {}, {}
    for place, x in enumerate(pooled):
        first.setdefault(x, place + 1)
        count[x] = count.get(x, 0) + 1
    rank = {x: Fraction(2 * first[x] + count[x] - 1, 2) for x in count}
    sums = [sum(rank[x] for x in group) for group in values]
    h = Fraction(12, total * (total + 1)) * sum(s ** 2 / len(g) for s, g in zip(sums, values)) - 3 * (total + 1)
    left = 1 - Fraction(sum(t ** 3 - t for t in count.values()), total ** 3 - total)
    return (h / left if left else None), [s / len(group) for s, group in zip(sums, values)]


def test_kruskal_in_fractions(groups, accuracy):
    refused, cases = 0, GROUPS + group_cases(10, 41, most=8, largest=1000)
    for case, row in zip(cases, groups.groups("kruskal_wallis", cases)):
        values, alpha = case
        h, ranks = kruskal(values)
        if h is None:
            assert row is None
            refused += 1
            continue
        with mp.workdps(30):
            p = chi_square_tail(number(h), len(values) - 1)
        total = sum(map(len, values))
        accuracy.closed("omnibus, Kruskal-Wallis", "H", row.statistic, number(h), case)
        accuracy.closed("omnibus, Kruskal-Wallis", "epsilon squared", row.size, number(h / (total - 1)), case)
        if p > TINY:
            accuracy.closed("omnibus, Kruskal-Wallis", "p", row.p, p, case)
        for group, given, rank in zip(row.groups, values, ranks):
            accuracy.closed("omnibus, Kruskal-Wallis", "mean rank", group.rank, number(rank), case)
            accuracy.closed("omnibus, Kruskal-Wallis", "median", group.median, statistics.median(given), case)
            assert math.isnan(group.mean) and math.isnan(group.std)
        assert row.df1 == len(values) - 1 and math.isnan(row.df2) and row.total == total
        assert row.significant == (row.p < alpha)
    assert 0 < refused < len(cases) - 200


def test_kruskal_by_scipy(groups, accuracy):
    cases = [case for case in group_cases(260, 43) if kruskal(case[0])[0] is not None]
    for case, row in zip(cases, groups.groups("kruskal_wallis", cases)):
        h, p = scipy.stats.kruskal(*case[0])
        accuracy.closed("omnibus, Kruskal-Wallis", "H, scipy", row.statistic, h, case, 1 + h)
        accuracy.closed("omnibus, Kruskal-Wallis", "p, scipy", row.p, p, case, 1)


def test_extreme_values_stay_finite(groups):
    """Groups._groups_row checks every row."""
    sizes = [5e-324, 1e-300, 1e-150, 1.0, 1e150, 1e300, 1.7e308]
    cases = [([[a, -b], [b, b / 2, -a], [a, c]], 0.05) for a in sizes for b in sizes for c in sizes + [0.0]]
    for method in ("welch_anova", "kruskal_wallis"):
        rows = groups.groups(method, cases)
        assert sum(row is not None for row in rows) > len(rows) / 4
        for row in filter(None, rows):
            assert all(math.isfinite(x) for x in (row.df1, row.size, row.total)) and row.size >= 0
            for group in row.groups:
                assert not any(math.isinf(x) for x in vars(group).values())


def test_units_do_not_matter(groups):
    """A power of two as the unit, up to the ends of the range of doubles, changes nothing."""
    cases = [case for case in group_cases(60, 47) if all(len(set(group)) > 1 for group in case[0])]
    plain = groups.groups("welch_anova", cases)
    for exponent in (-900, 900):
        scaled = [([[math.ldexp(x, exponent) for x in g] for g in values], alpha) for values, alpha in cases]
        for one, other in zip(plain, groups.groups("welch_anova", scaled)):
            assert (one.p, one.size) == pytest.approx((other.p, other.size), rel=1e-12)


# Sorting with labels, that ranks rest on

def test_sorting_with_labels(groups):
    draw = random.Random(53)
    kinds = [lambda: draw.gauss(0, 1), lambda: float(draw.randint(-3, 3)), lambda: 1e9 + draw.random(),
             lambda: draw.choice([0.0, -0.0, 5e-324, -1e308, 1e308]), lambda: draw.gauss(0, 1) * 2 ** draw.randint(-900, 900),
             lambda: draw.choice([0.0, 1e9 + draw.random()])]
    cases = [tuple(kind() for _ in range(count)) for kind in kinds
             for count in (1, 2, 31, 32, 33, 34, 100, 500, 2047, 2048, 5000)]
    for case, line in zip(cases, groups.lines("sort", cases)):
        expected = [x for place in sorted(range(len(case)), key=case.__getitem__) for x in (case[place], place)]
        assert line == expected
