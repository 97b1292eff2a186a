"""Reference values for the math kit at 50 digits, where scipy is itself off or has no function.

mpmath's own betainc and gammainc are slow or give up for parameters beyond a few thousand, so the
tails are built here from its arithmetic: the defining power series where one parameter is small
(with as many extra digits as cancel), Gauss-Legendre quadrature of the defining integral otherwise.
math_test.py checks these to 1e-20 against mpmath.betainc and mpmath.gammainc where those work.

Every argument is taken as the exact binary value of the double.
"""
from functools import lru_cache

import mpmath as mp
from mpmath import mpf

DIGITS = 50


def legendre(n, x):
    """The Legendre polynomial P_n and its derivative by the three-term recurrence."""
    before, here = mpf(1), x
    for k in range(2, n + 1):
        before, here = here, ((2 * k - 1) * x * here - (k - 1) * before) / k
    return here, n * (before - x * here) / (1 - x * x)


@lru_cache(maxsize=None)
def gauss_legendre(n):
    """Nodes and weights on [0, 1] to ten digits more than are asked for."""
    rule = []
    with mp.workdps(DIGITS + 10):
        for i in range(n):
            x = mp.cos(mp.pi * (i + mpf("0.75")) / (n + mpf("0.5")))
            for _ in range(6):
                value, slope = legendre(n, x)
                x -= value / slope
            slope = legendre(n, x)[1]
            rule.append(((1 + x) / 2, 1 / ((1 - x * x) * slope ** 2)))
    return rule


def _outward(log_ratio, sign):
    """The integral of exp(log_ratio(sign v)) for v from 0 to where it has fallen by 1e-44."""
    reach = mpf(1)
    while log_ratio(sign * reach) < -102:
        reach /= 2
    while log_ratio(sign * reach) > -102:
        reach *= mpf("1.25")
    panels, total = 3, mpf(0)
    for panel in range(panels):
        for node, weight in gauss_legendre(60):
            total += weight * mp.exp(log_ratio(sign * reach * (panel + node) / panels))
    return reach / panels * total


def gamma_tails(x, a):
    """P(a, x), Q(a, x) and the density on the scale of ln x."""
    with mp.workdps(DIGITS):
        x, a = mpf(x), mpf(a)
        rate = mp.exp(a * mp.log(x) - x - mp.loggamma(a))
        if a <= 1 and x < 1200:
            return (*_small_gamma(x, a), rate)
        if rate < mpf("1e-330"):
            return (mpf(0), mpf(1), rate) if x < a else (mpf(1), mpf(0), rate)
        sign = -1 if x < a else 1
        tail = rate * _outward(lambda v: (a - x) * v - x * (mp.expm1(v) - v), sign)
        return (tail, 1 - tail, rate) if sign < 0 else (1 - tail, tail, rate)


def _small_gamma(x, a):
    with mp.extradps(int(x) + 10):
        power, total, n = mpf(1), 1 / a, 0
        while abs(power) > mp.eps * abs(total) or n < x:
            n += 1
            power *= -x / n
            total += power / (a + n)
        lower = mp.exp(a * mp.log(x) - mp.loggamma(a)) * total
        return lower, 1 - lower


def beta_tails(x, a, b, y=None):
    """I_x(a, b), its complement, and the density on the logit scale; y may be given when 1 - x is
    known better than x."""
    with mp.workdps(DIGITS):
        a, b = mpf(a), mpf(b)
        x, y = (mpf(x), 1 - mpf(x)) if y is None else (1 - mpf(y), mpf(y))
        if min(x, y) < mpf("1e-30"):
            with mp.extradps(int(-mp.log10(min(x, y))) + 5):
                return _beta(mpf(x), mpf(y), a, b)
        return _beta(x, y, a, b)


def _beta(x, y, a, b):
    log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    rate = mp.exp(a * mp.log(x) + b * mp.log(y) - log_beta)
    if a <= 1 and (x <= mpf("0.5")) and b * x < 1200:
        return (*_small_beta(x, a, b), rate)
    if b <= 1 and (y <= mpf("0.5")) and a * y < 1200:
        return (*_small_beta(y, b, a)[::-1], rate)
    if a <= 1 and y <= mpf("0.5"):
        upper = _beta_series(y, b, a, rate)
        return 1 - upper, upper, rate
    if b <= 1 and x <= mpf("0.5"):
        lower = _beta_series(x, a, b, rate)
        return lower, 1 - lower, rate
    if rate < mpf("1e-330"):
        return (mpf(0), mpf(1), rate) if x * (a + b) < a else (mpf(1), mpf(0), rate)
    below = x * (a + b) < a

    def log_ratio(v):
        if x <= y:
            return a * v - (a + b) * mp.log1p(x * mp.expm1(v))
        return -b * v - (a + b) * mp.log1p(y * mp.expm1(-v))

    with mp.extradps(10):
        tail = rate * _outward(log_ratio, -1 if below else 1)
    return (tail, 1 - tail, rate) if below else (1 - tail, tail, rate)


def _small_beta(x, a, b):
    """The power series about x = 0, whose terms may alternate and cancel e^(b x)."""
    with mp.extradps(int(b * x) + 10):
        power, total, n = mpf(1), 1 / a, 0
        while abs(power) > mp.eps * abs(total) or n < b * x:
            n += 1
            power *= (n - b) * x / n
            if power == 0:
                break
            total += power / (a + n)
        log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
        lower = mp.exp(a * mp.log(x) - log_beta) * total
        return lower, 1 - lower


def _beta_series(x, a, b, rate):
    """I_x(a, b) for x <= 1/2 by the series with positive terms (DLMF 8.17.8)."""
    term, total, n = 1 / a, mpf(0), 0
    while term > mp.eps * total:
        total += term
        n += 1
        term *= (a + b + n - 1) * x / (a + n)
    return rate * total


def normal_survival(z):
    with mp.workdps(DIGITS):
        return mp.erfc(mpf(z) / mp.sqrt(2)) / 2


def student_tails(t, df):
    """P(T <= t), P(T > t), and the density on the scale of ln |t|."""
    with mp.workdps(DIGITS):
        square, df = mpf(t) ** 2, mpf(df)
        y = df / (df + square)
        inner, outer, rate = beta_tails(square / (df + square), mpf(1) / 2, df / 2,
                                        y=y if y < mpf("0.5") else None)
        near, far = (1 + inner) / 2 if outer > mpf("0.5") else 1 - outer / 2, outer / 2
        return (near, far, rate) if t > 0 else (far, near, rate)


def fisher_f_tails(f, df1, df2):
    with mp.workdps(DIGITS):
        ratio = mpf(df1) * mpf(f) / mpf(df2)
        x, y = ratio / (1 + ratio), 1 / (1 + ratio)
        return beta_tails(x, mpf(df1) / 2, mpf(df2) / 2, y=y if y < x else None)


def binomial_log_pmf(k, n, p):
    with mp.workdps(DIGITS):
        k, n, p = mpf(k), mpf(n), mpf(p)
        choose = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
        return choose + (k * mp.log(p) if k else 0) + ((n - k) * mp.log1p(-p) if k < n else 0)


def poisson_log_pmf(k, mean):
    with mp.workdps(DIGITS):
        return k * mp.log(mpf(mean)) - mpf(mean) - mp.loggamma(mpf(k) + 1)


def hypergeometric_log_pmf(k, population, marked, draws):
    with mp.workdps(DIGITS):
        def choose(n, m):
            return mp.loggamma(mpf(n) + 1) - mp.loggamma(mpf(m) + 1) - mp.loggamma(mpf(n - m) + 1)
        return (choose(marked, k) + choose(population - marked, draws - k)
                - choose(population, draws))


@lru_cache(maxsize=None)
def hypergeometric_tails(k, population, marked, draws):
    """P(K <= k), P(K > k): sums of the masses in 256-bit fixed point, outwards from the mean."""
    least, most = max(0, draws - (population - marked)), min(draws, marked)
    if k < least or k >= most:
        return (mpf(0), mpf(1)) if k < least else (mpf(1), mpf(0))
    below = k * population < marked * draws
    start = k if below else k + 1
    term = total = 1 << 256
    j = start
    while term:
        if below:
            term = (term * j * (population - marked - draws + j)
                    // ((marked - j + 1) * (draws - j + 1)))
            j -= 1
        else:
            term = (term * (marked - j) * (draws - j)
                    // ((j + 1) * (population - marked - draws + j + 1)))
            j += 1
        total += term
    with mp.workdps(DIGITS):
        mass = mp.exp(hypergeometric_log_pmf(start, population, marked, draws))
        tail = mass * mpf(total) / mpf(2) ** 256
        return (tail, 1 - tail) if below else (1 - tail, tail)
