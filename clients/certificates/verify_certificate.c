/*
 * Checks the certificate of a verdict: the signature, and every figure again from the sums that it
 * holds. Needs the file and the public key alone; shares no code with the service. The method is
 * that of verify_certificate.py, which is easier to read.
 *
 *     cc -O2 verify_certificate.c -o verify-certificate -ljansson -lcrypto -lm
 *     verify-certificate CERTIFICATE KEY
 *
 * CERTIFICATE is the file as /api/v1/experiments/{id}/certificate answered it, KEY the file that
 * /api/v1/certificates/key answered, or the text of its public_key. Exit status 0 = everything
 * holds, 1 = something does not, 2 = it could not be read.
 */
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_BYTES = 32,
    SIGNATURE_BYTES = 64,
    KEY_TEXT = 43,
    SIGNATURE_TEXT = 86,
    ARMS_MAX = 10,
    REASONS_MAX = 1 << 16,
    FILE_MAX = 1 << 23,
    GRID_MAX = 1024,
    STEPS = 1600,
    HYBRID_STEPS = 300,
    SECONDS_TEXT = 19 /* of a time, to its second */
};

/* The latter with the source of rows of live data. */
static const char *const formats[] = {"assay-certificate-1", "assay-certificate-2"};
/* With hybrid readings, with or without a source. */
static const char hybrid_format[] = "assay-certificate-3";
static const char head[] = "{\"certificate\":", middle[] = ",\"signature\":\"", end[] = "\"}";
static const double srm_alpha = 0.001, ship = 0.95, strong = 0.99, planned_read = 0.95;
static const double anomaly = 0.01, figures = 1e-7, almost_nothing = 1e-12, spent_error = 1e-5;

/* Of hybrid readings, whose constants are solved on chords of the boundary. */
static const double spent_more = 1e-4, spent_less = 2e-3, early_error_off = 4e-3;
static const double p_least = 1e-10, p_most = 0.9999;

static jmp_buf wrong_place;
static char wrong_text[400];

__attribute__((noreturn, format(printf, 1, 2))) static void wrong(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(wrong_text, sizeof wrong_text, format, arguments);
    va_end(arguments);
    longjmp(wrong_place, 1);
}

/* Base64url without padding, in its one spelling: bits that stand for nothing are 0. */
static bool unpack(const char *text, size_t length, unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned buffer = 0, bits = 0;
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

        if (!digit)
            return false;
        buffer = buffer << 6 | (unsigned)(digit - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            if (count == size)
                return false;
            bytes[count++] = (unsigned char)(buffer >> bits);
            buffer &= (1U << bits) - 1;
        }
    }
    return count == size && buffer == 0;
}

/* The signed text within the file, its frame and its signature checked. */
static const char *signed_text(const char *data, size_t length, const unsigned char *public_key,
                               size_t *size)
{
    size_t frame = sizeof head - 1 + sizeof middle - 1 + SIGNATURE_TEXT + sizeof end - 1;
    unsigned char signature[SIGNATURE_BYTES];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY *key;
    const char *behind;
    bool good = false;

    *size = length > frame ? length - frame : 0;
    behind = data + sizeof head - 1 + *size;
    key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, KEY_BYTES);
    if (*size && memcmp(data, head, sizeof head - 1) == 0 &&
        memcmp(behind, middle, sizeof middle - 1) == 0 &&
        memcmp(data + length - (sizeof end - 1), end, sizeof end - 1) == 0 &&
        unpack(behind + sizeof middle - 1, SIGNATURE_TEXT, signature, sizeof signature))
        good = key && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
               EVP_DigestVerify(context, signature, sizeof signature,
                                (const unsigned char *)data + sizeof head - 1, *size) == 1;
    EVP_PKEY_free(key);
    EVP_MD_CTX_free(context);
    return good ? data + sizeof head - 1 : NULL;
}

/* Distributions. */
static double survival(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

/* The value that a falling function of x >= 0 has at `tail`. */
static double bisect(double (*function)(double, double), double parameter, double tail)
{
    double low = 0, high = 1;

    while (function(high, parameter) > tail)
        high *= 2;
    for (int i = 0; i < 200; i++) {
        double between = (low + high) / 2;

        *(function(between, parameter) > tail ? &low : &high) = between;
    }
    return (low + high) / 2;
}

static double beta_front(double a, double b)
{
    int sign;

    return lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign);
}

static double beta_cdf(double x, double a, double b)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;

    if (x <= 0 || x >= 1)
        return x > 0;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta_cdf(1 - x, b, a);
    for (int m = 1; m < 100000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        c = 1 + even / c;
        d = 1 / (1 + even * d);
        value *= c * d;
        c = 1 + odd / c;
        d = 1 / (1 + odd * d);
        value *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return exp(beta_front(a, b) + a * log(x) + b * log1p(-x)) * value / a;
}

static double student_survival(double t, double df)
{
    double half;

    if (!(df < 1e6))
        return survival(t);
    half = beta_cdf(df / (df + t * t), df / 2, 0.5) / 2;
    return t >= 0 ? half : 1 - half;
}

static double critical(double tail)
{
    return tail < 0.5 ? bisect(student_survival, INFINITY, tail)
                      : -bisect(student_survival, INFINITY, 1 - tail);
}

static double chi_square_survival(double x, double df)
{
    double a = df / 2, term = 1 / a, total = term, front, b, c = 1e300, d, value;
    int sign;

    x /= 2;
    if (x <= 0)
        return 1;
    front = exp(a * log(x) - x - lgamma_r(a, &sign));
    b = x + 1 - a;
    d = value = 1 / b;
    for (int i = 1; i < 10000 && x < a + 1; i++)
        total += term *= x / (a + i);
    for (int i = 1; i < 10000 && x >= a + 1; i++) {
        b += 2;
        d = 1 / (-i * (i - a) * d + b);
        c = b - i * (i - a) / c;
        value *= d * c;
    }
    return x < a + 1 ? 1 - front * total : front * value;
}

/* Users and sums of an arm; not defined where values are too large to be squared. */
struct arm {
    double users, converted;
    bool defined;
    double mean, squares, denominator_mean, denominator_squares, products;
};

static double beta_density(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return (x <= 0 ? a : b) > 1 ? 0 : exp(beta_front(a, b));
    return exp(beta_front(a, b) + (a - 1) * log(x) + (b - 1) * log1p(-x));
}

static double simpson(int i, int count)
{
    return i == 0 || i == count ? 1 : i % 2 ? 4 : 2;
}

/* Of the posterior of a rate with a uniform prior. */
static double spread_of(const struct arm *arm)
{
    double a = arm->converted + 1, b = arm->users - arm->converted + 1;

    return sqrt(a * b / (a + b + 1)) / (a + b);
}

/* P(rate of `better` > rate of `worse`), with uniform priors: Simpson's rule over the narrower of
 * the two posteriors, within whose steps the other one hardly changes. */
static double beats(const struct arm *worse, const struct arm *better)
{
    double a = worse->converted + 1, b = worse->users - worse->converted + 1, mean = a / (a + b);
    double spread = spread_of(worse), sum = 0;
    double low = fmax(0, mean - 30 * spread), high = fmin(1, mean + 30 * spread);

    if (spread_of(better) < spread)
        return 1 - beats(better, worse);
    for (int i = 0; i <= STEPS; i++) {
        double x = low + i * (high - low) / STEPS, density = beta_density(x, a, b);

        if (density > 1e-30)
            sum += simpson(i, STEPS) * density *
                   (1 - beta_cdf(x, better->converted + 1, better->users - better->converted + 1));
    }
    return sum * (high - low) / STEPS / 3;
}

/* The probability of crossing constant * sqrt(looks / k) at some look k without an effect:
 * Simpson's rule on the sum of the increments, whose bound is the same at all looks. */
static double spent(double constant, int looks)
{
    static double at[GRID_MAX + 1], density[GRID_MAX + 1], mass[GRID_MAX + 1];
    double bound = constant * sqrt(looks), total = 2 * survival(bound);
    int count = 2 * (int)fmax(40, fmin(8 * bound, GRID_MAX / 2.0));

    for (int i = 0; i <= count; i++) {
        at[i] = bound * (2.0 * i / count - 1);
        density[i] = exp(-at[i] * at[i] / 2) / sqrt(2 * M_PI);
    }
    for (int look = 1; look < looks; look++) {
        for (int i = 0; i <= count; i++) {
            mass[i] = 2 * bound / count / 3 * simpson(i, count) * density[i];
            total += mass[i] * (survival(bound - at[i]) + survival(bound + at[i]));
            density[i] = 0;
        }
        for (int i = 0; i <= count; i++)
            for (int j = 0; j <= count; j++)
                density[i] +=
                    mass[j] * exp(-(at[i] - at[j]) * (at[i] - at[j]) / 2) / sqrt(2 * M_PI);
    }
    return total;
}

/* Readings by a normal mixture until `end`, in planned samples, and one test there. A reading at
 * the fraction t has the score B(t) = z sqrt(t): without an effect a Brownian motion. */
struct hybrid {
    double alpha; /* of both together, both sides */
    double share, mixture, end;
};

/* The mixture is tuned for the alpha of the plan. */
static double mixture_of(double alpha, double share, double tuned_fraction)
{
    double size = -2 * log(alpha * share);

    return (size + log(size) + 1) / tuned_fraction;
}

/* On the scale of the score. */
static double hybrid_boundary(const struct hybrid *hybrid, double t, double *slope)
{
    double level = log1p(hybrid->mixture * t) - 2 * log(hybrid->alpha * hybrid->share);
    double bound = sqrt((t + 1 / hybrid->mixture) * level);

    *slope = (level + 1) / 2 / bound;
    return bound;
}

/* A first passage through the upper boundary near a time, and its probability. */
struct passage {
    double time, bound, mass;
};

/* Twice the rate at which walks at a place arrive at the boundary, less what its slope takes away.
 */
static double flow(const struct passage *to, double slope, double time, double at)
{
    double rest = to->time - time, left = to->bound - at;

    return (left / rest - slope) * exp(-left * left / rest / 2) / sqrt(2 * M_PI * rest);
}

/* The integral equation of Buonocore, Nobile and Ricciardi (1987) for two boundaries that mirror
 * each other, in equal steps of ln(1 + mixture t). */
static void first_passages(const struct hybrid *hybrid, struct passage passages[HYBRID_STEPS])
{
    double width = log1p(hybrid->mixture * hybrid->end) / HYBRID_STEPS;

    for (int i = 0; i < HYBRID_STEPS; i++) {
        struct passage *to = &passages[i];
        double slope, density;

        to->time = expm1(width * (i + 1)) / hybrid->mixture;
        to->bound = hybrid_boundary(hybrid, to->time, &slope);
        density = flow(to, slope, 0, 0);
        for (int j = 0; j < i; j++)
            density -= passages[j].mass * (flow(to, slope, passages[j].time, passages[j].bound) +
                                           flow(to, slope, passages[j].time, -passages[j].bound));
        to->mass = density * width * (to->time + 1 / hybrid->mixture);
    }
    passages[HYBRID_STEPS - 1].mass /= 2;
}

/* The probability of crossing before the end, or of |Z| > z there, without an effect; `early` is
 * the first one. */
static double hybrid_spent(const struct hybrid *hybrid, double z, double *early)
{
    static struct passage passages[HYBRID_STEPS];
    double score = z * sqrt(hybrid->end), total = 2 * survival(z);

    first_passages(hybrid, passages);
    *early = 0;
    for (int i = 0; i < HYBRID_STEPS; i++) {
        const struct passage *at = &passages[i];
        double rest = sqrt(fmax(hybrid->end - at->time, 0));

        *early += 2 * at->mass;
        if (i < HYBRID_STEPS - 1)
            total += 2 * at->mass *
                     (survival((at->bound - score) / rest) - survival((at->bound + score) / rest));
        else
            total += score > at->bound ? 2 * at->mass : 0;
    }
    return total;
}

/* The document. */
static const json_t *member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    if (!value)
        wrong("member %s is missing", name);
    return value;
}

static double number(const json_t *object, const char *name)
{
    return json_number_value(member(object, name));
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *value = json_string_value(member(object, name));

    return value ? value : "";
}

static bool is_text(const json_t *object, const char *name, const char *text)
{
    return json_is_string(member(object, name)) && strcmp(text_of(object, name), text) == 0;
}

static struct arm arm_of(const json_t *arms, size_t i)
{
    const json_t *from = json_array_get(arms, i);

    if (!from)
        wrong("an arm is missing");
    return (struct arm){.users = number(from, "users"),
                        .converted = number(from, "converted"),
                        .defined = !json_is_null(member(from, "mean")),
                        .mean = number(from, "mean"),
                        .squares = number(from, "squares"),
                        .denominator_mean = number(from, "denominator_mean"),
                        .denominator_squares = number(from, "denominator_squares"),
                        .products = number(from, "products")};
}

/* A figure that may be absent. */
struct figure {
    bool given;
    double value;
};
#define GIVEN(x) ((struct figure){true, (x)})

static void same_figure(const json_t *object, const char *name, struct figure computed)
{
    const json_t *written = member(object, name);
    double value = json_is_boolean(written) ? json_is_true(written) : json_number_value(written);
    double error = fmax(almost_nothing, figures * fmax(fabs(value), fabs(computed.value)));

    if (strcmp(name, "probability_better") == 0)
        error = figures;
    if (json_is_null(written) == computed.given ||
        (computed.given && !(fabs(value - computed.value) <= error)))
        wrong("%s is %.17g, and computed from the sums %.17g", name, value, computed.value);
}

static void same_flag(const json_t *object, const char *name, bool computed)
{
    if (!json_is_boolean(member(object, name)) || json_is_true(member(object, name)) != computed)
        wrong("%s is not what is computed from the sums", name);
}

static void same_text(const json_t *object, const char *name, const char *computed)
{
    if (!is_text(object, name, computed))
        wrong("%s is %s, and computed from the sums %s", name, text_of(object, name), computed);
}

struct certificate {
    const json_t *root, *design, *sequential, *arms, *strata;
    const json_t *hybrid, *end; /* NULL = without hybrid readings; before the test at their end */
    size_t count;               /* of the arms */
    double alpha, sign, total, plans;
    bool binary, ratio, stratifiable, active, early, finished, complete;
    struct figure planned, boundary, mixture, mwe;
};

/* The analyses. */
struct test {
    bool ok, significant;
    double effect, low, high, statistic, p, variance;
    struct figure difference, better, always_p, always_low, always_high, crossed;
    const char *standing, *practical;
    bool read, claims;          /* of hybrid readings: has an interval, and is significant */
    double read_low, read_high; /* in units of the analysis */
};

/* From a difference, its error for the test, its variance and the degrees of freedom. */
static void finish(const struct certificate *certificate, double difference, double error,
                   double variance, double df, struct test *test)
{
    double unit = certificate->binary ? 100 : 1; /* percentage points */
    double half = bisect(student_survival, df, certificate->alpha / 2) * sqrt(variance);

    test->ok = true;
    test->difference = GIVEN(difference);
    test->effect = unit * difference;
    test->low = unit * (difference - half);
    test->high = unit * (difference + half);
    test->statistic = difference / error;
    test->p = fmin(1, 2 * student_survival(fabs(test->statistic), df));
    test->variance = variance;
}

static void compare_rates(const struct certificate *certificate, const struct arm *control,
                          const struct arm *treatment, struct test *test)
{
    double n = control->users, m = treatment->users;
    double p = control->converted / n, q = treatment->converted / m;
    double pooled = (control->converted + treatment->converted) / (n + m);
    double error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));

    test->ok = true;
    test->p = 1;
    test->better =
        GIVEN(certificate->sign > 0 ? beats(control, treatment) : beats(treatment, control));
    if (error > 0)
        finish(certificate, q - p, error, p * (1 - p) / n + q * (1 - q) / m, INFINITY, test);
}

static void compare_means(const struct certificate *certificate, const struct arm *control,
                          const struct arm *treatment, struct test *test)
{
    double n = control->users, m = treatment->users, df;
    double one = control->squares / (n - 1) / n, other = treatment->squares / (m - 1) / m;

    if (one == 0 || other == 0)
        return;
    df = (one + other) * (one + other) / (one * one / (n - 1) + other * other / (m - 1));
    finish(certificate, treatment->mean - control->mean, sqrt(one + other), one + other, df, test);
    test->better = GIVEN(survival(-certificate->sign * test->statistic));
}

static double ratio_variance(const struct arm *arm, double ratio)
{
    double own = arm->squares, other = ratio * ratio * arm->denominator_squares;
    double rest = own - 2 * ratio * arm->products + other;

    if (rest <= 16 * DBL_EPSILON * (own + other))
        rest = 0;
    return rest / (arm->users - 1) / arm->users / (arm->denominator_mean * arm->denominator_mean);
}

static void compare_ratios(const struct certificate *certificate, const struct arm *control,
                           const struct arm *treatment, struct test *test)
{
    double one = control->mean / control->denominator_mean, variance;
    double other = treatment->mean / treatment->denominator_mean;

    if (control->denominator_mean == 0 || treatment->denominator_mean == 0)
        return;
    variance = ratio_variance(control, one) + ratio_variance(treatment, other);
    if (variance > 0)
        finish(certificate, other - one, sqrt(variance), variance, INFINITY, test);
}

static void always_valid(const struct certificate *certificate, struct test *test)
{
    double v = test->variance, tau = certificate->mixture.value, d = test->difference.value;
    double spread = log1p(tau / v) / 2, log_ratio, radius;

    if (!certificate->mixture.given || !(v > 0) || !test->difference.given)
        return;
    log_ratio = tau / (v + tau) * d * d / v / 2 - spread;
    radius = sqrt(2 * v * ((v + tau) / tau) * (spread - log(certificate->alpha)));
    test->always_p = GIVEN(fmin(1, exp(-log_ratio)));
    test->always_low = GIVEN(d - radius);
    test->always_high = GIVEN(d + radius);
}

static struct test compare(const struct certificate *certificate, const struct arm *control,
                           const struct arm *treatment)
{
    struct test test = {0};

    if (control->users < 2 || treatment->users < 2 || !control->defined || !treatment->defined)
        return test;
    (certificate->binary  ? compare_rates
     : certificate->ratio ? compare_ratios
                          : compare_means)(certificate, control, treatment, &test);
    if (!test.ok)
        return test;
    test.significant = test.p < certificate->alpha;
    always_valid(certificate, &test);
    if (certificate->boundary.given)
        test.crossed = GIVEN(fabs(test.statistic) > certificate->boundary.value);
    return test;
}

static void check_comparison(const json_t *written, const struct test *test)
{
    bool ok = test->ok;

    same_text(written, "status", ok ? "ok" : "insufficient_data");
    same_figure(written, "effect", (struct figure){ok, test->effect});
    same_figure(written, "ci_lower", (struct figure){ok, test->low});
    same_figure(written, "ci_upper", (struct figure){ok, test->high});
    same_figure(written, "statistic", (struct figure){ok, test->statistic});
    same_figure(written, "p_value", (struct figure){ok, test->p});
    same_figure(written, "is_significant", (struct figure){ok, test->significant});
    same_figure(written, "probability_better", test->better);
    same_figure(written, "always_valid_p_value", test->always_p);
    same_figure(written, "ci_sequence_lower", test->always_low);
    same_figure(written, "ci_sequence_upper", test->always_high);
    same_figure(written, "sequential_significant", test->crossed);
}

/* Pearson's test of the counts against the planned split; false where nothing can be said. */
static bool sample_ratio(const struct certificate *certificate, const json_t *arms, double *chi,
                         double *p)
{
    const json_t *split = member(certificate->design, "traffic_split");
    double total = 0, whole = 0;

    *chi = 0;
    for (size_t i = 0; i < json_array_size(arms); i++) {
        total += arm_of(arms, i).users;
        whole += json_number_value(json_array_get(split, i));
        if (!(json_number_value(json_array_get(split, i)) > 0))
            return false;
    }
    if (json_array_size(arms) < 2 || json_array_size(split) != json_array_size(arms) || total == 0)
        return false;
    for (size_t i = 0; i < json_array_size(arms); i++) {
        double expected = total * json_number_value(json_array_get(split, i)) / whole;
        double excess = arm_of(arms, i).users - expected;

        *chi += excess * excess / expected;
    }
    *p = chi_square_survival(*chi, (double)json_array_size(arms) - 1);
    return true;
}

/* Users of an arm, their mean and its variance; none where the values are too large. */
struct estimate {
    double n, mean, variance;
};

static struct estimate estimate_of(const struct arm *arm, bool binary)
{
    double n = arm->users, rate = arm->converted / n;

    if (n == 0 || !arm->defined)
        return (struct estimate){0};
    if (binary)
        return (struct estimate){n, rate, n > 1 ? rate * (1 - rate) / n : 0};
    return (struct estimate){n, arm->mean, n > 1 ? fmax(arm->squares, 0) / (n - 1) / n : 0};
}

static void check_guardrail(const struct certificate *certificate, const json_t *guardrail)
{
    static const char *const order[] = {"insufficient_data", "ok", "warning", "breached"};
    const json_t *arms = member(guardrail, "arms");
    bool binary = is_text(guardrail, "metric_type", "binary");
    struct arm first = arm_of(arms, 0);
    struct estimate control = estimate_of(&first, binary);
    double margin = number(guardrail, "margin");
    int worst = 0;

    for (size_t i = 1; i < json_array_size(arms); i++) {
        struct arm arm = arm_of(arms, i);
        struct estimate treatment = estimate_of(&arm, binary);
        double harm = treatment.mean - control.mean,
               variance = control.variance + treatment.variance;
        int status;

        if (control.n < 2 || treatment.n < 2 || !(variance > 0))
            continue;
        if (!is_text(guardrail, "direction", "increase_is_bad"))
            harm = -harm;
        status = harm - critical(certificate->alpha) * sqrt(variance) > margin ? 3
                 : harm > margin                                               ? 2
                                                                               : 1;
        worst = status > worst ? status : worst;
    }
    same_text(guardrail, "status", order[worst]);
}

/* Whether the effect within the strata is significant and has the other sign. */
static bool contradicts(const struct certificate *certificate, size_t treatment,
                        const struct test *test)
{
    double total = 0, effect = 0, variance = 0;

    for (size_t i = 0; i < json_array_size(certificate->strata); i++) {
        const json_t *arms = member(json_array_get(certificate->strata, i), "arms");
        struct arm one = arm_of(arms, 0), other = arm_of(arms, treatment);
        struct estimate c = estimate_of(&one, certificate->binary);
        struct estimate t = estimate_of(&other, certificate->binary);

        if (c.n < 2 || t.n < 2)
            continue;
        total += c.n + t.n;
        effect += (c.n + t.n) * (t.mean - c.mean);
        variance += (c.n + t.n) * (c.n + t.n) * (c.variance + t.variance);
    }
    return variance > 0 && effect * test->effect < 0 && test->ok &&
           2 * survival(fabs(effect) / sqrt(variance)) < certificate->alpha && total > 0;
}

/* The policy practical_v1: the first rule that applies decides. */
struct policy {
    const struct certificate *certificate;
    struct test test[ARMS_MAX]; /* by arm; that of the control is not used */
    char reasons[REASONS_MAX], blockers[REASONS_MAX];
    size_t blocker_count;
    const char *verdict, *confidence;
};

/* Lists of reasons are compared as texts. Arm 0 = none. */
static void append(char *list, const char *code, size_t arm, const char *part)
{
    size_t length = strlen(list);

    snprintf(list + length, REASONS_MAX - length, "%s %zu %s;", code, arm, part);
}

static void give(struct policy *policy, const char *code, size_t arm)
{
    append(policy->reasons, code, arm, "");
}

static void block(struct policy *policy, const char *code, size_t arm, const char *part)
{
    policy->blocker_count++;
    append(policy->blockers, code, arm, part);
}

static void conclude(struct policy *policy, const char *verdict, const char *confidence)
{
    policy->verdict = verdict;
    policy->confidence = confidence;
}

/* Whether an arm has a standing and, where one is named, a place beside the worthwhile effect. */
static bool is(const struct policy *policy, size_t arm, const char *standing, const char *practical)
{
    const struct test *test = &policy->test[arm];

    return strcmp(test->standing, standing) == 0 &&
           (!practical || strcmp(test->practical, practical) == 0);
}

static bool any(const struct policy *policy, const char *standing, const char *practical)
{
    for (size_t i = 1; i < policy->certificate->count; i++)
        if (is(policy, i, standing, practical))
            return true;
    return false;
}

static void give_all(struct policy *policy, const char *standing, const char *practical,
                     const char *code, const char *also)
{
    for (size_t i = 1; i < policy->certificate->count; i++) {
        if (!is(policy, i, standing, practical))
            continue;
        give(policy, code, i);
        if (also)
            give(policy, also, i);
    }
}

static bool anytime(const struct certificate *certificate, const struct test *test)
{
    return test->always_p.given && test->always_p.value < certificate->alpha;
}

static void judge(const struct certificate *certificate, size_t arm, struct test *test)
{
    double gain = certificate->sign * test->effect, mwe = certificate->mwe.value;
    double lower = test->read ? test->read_low : test->low;
    double upper = test->read ? test->read_high : test->high;
    double low = certificate->sign > 0 ? lower : -upper;
    double high = certificate->sign > 0 ? upper : -lower;
    bool small =
        fmin(arm_of(certificate->arms, 0).users, arm_of(certificate->arms, arm).users) < 100;
    bool holds = certificate->active ? test->crossed.value
                 : certificate->early || (!certificate->planned.given && small)
                     ? anytime(certificate, test)
                     : true;

    test->practical = !certificate->mwe.given ? "unavailable"
                      : low >= mwe            ? "met"
                      : high < mwe            ? "below"
                                              : "uncertain";
    if (certificate->hybrid) {
        test->standing = !test->ok                                 ? "ignored"
                         : !test->claims                           ? "open"
                         : certificate->sign * (lower + upper) > 0 ? "win"
                                                                   : "loss";
        return;
    }
    test->standing = !test->ok                                                         ? "ignored"
                     : !test->significant || !holds                                    ? "open"
                     : gain > 0 && (!test->better.given || test->better.value >= ship) ? "win"
                     : gain < 0                                                        ? "loss"
                                                                                       : "open";
}

static void give_doubtful(struct policy *policy)
{
    give_all(policy, "win", "uncertain", "significant_win", "practical_threshold_uncertain");
    give_all(policy, "win", "below", "significant_win", "below_practical_threshold_proven");
}

static const char *strength(const struct policy *policy, bool good)
{
    bool found = policy->certificate->finished;

    for (size_t i = 1; i < policy->certificate->count; i++) {
        struct figure better = policy->test[i].better;

        if (better.given && good)
            found =
                found || ((is(policy, i, "win", "met") || is(policy, i, "win", "unavailable")) &&
                          better.value >= strong);
        else if (better.given)
            found = found || (is(policy, i, "loss", NULL) && better.value <= 1 - strong);
    }
    return found && !policy->certificate->early ? "high" : "medium";
}

static void decide_ship(struct policy *policy)
{
    const struct certificate *certificate = policy->certificate;

    for (size_t i = 1; i < certificate->count; i++) {
        bool met = is(policy, i, "win", "met");

        if (!met && !is(policy, i, "win", "unavailable"))
            continue;
        give(policy, "significant_win", i);
        if (met)
            give(policy, "practical_threshold_met", i);
        if (policy->test[i].better.given)
            give(policy, "bayesian_win", i);
        if (certificate->active || certificate->early)
            give(policy, certificate->active ? "sequential_crossed" : "anytime_valid_confirmed", i);
    }
    give_all(policy, "loss", NULL, "significant_loss", NULL);
    give_doubtful(policy);
    conclude(policy, "ship", strength(policy, true));
}

static void wait_for_more(struct policy *policy)
{
    if (policy->certificate->active || policy->certificate->early)
        give(policy, "info_fraction_incomplete", 0);
    conclude(policy, "keep_running", "low");
}

static void decide_doubtful(struct policy *policy)
{
    bool uncertain = any(policy, "win", "uncertain");

    give_doubtful(policy);
    give_all(policy, "loss", NULL, "significant_loss", NULL);
    conclude(policy, "no_ship", "medium");
    if (uncertain && policy->certificate->complete)
        give(policy, "statistically_positive_but_below_practical_threshold", 0);
    else if (uncertain)
        wait_for_more(policy);
}

static void decide_open(struct policy *policy)
{
    const struct certificate *certificate = policy->certificate;
    bool excluded = certificate->complete;

    give_all(policy, "loss", NULL, "significant_loss", NULL);
    for (size_t i = 1; i < certificate->count; i++) {
        const struct test *test = &policy->test[i];

        if (!is(policy, i, "open", NULL))
            continue;
        excluded = excluded && is(policy, i, "open", "below");
        give(policy,
             test->significant && certificate->active && !test->crossed.value
                 ? "sequential_not_crossed"
             : test->significant && certificate->early && !anytime(certificate, test)
                 ? "fixed_horizon_before_planned_read"
                 : "inconclusive_ci",
             i);
    }
    if (certificate->hybrid && is_text(certificate->hybrid, "status", "plan_changed"))
        give(policy, "planned_looks_changed", 0);
    conclude(policy, "no_ship", "medium");
    if (certificate->finished)
        give(policy, "info_fraction_complete_no_effect", 0);
    else if (excluded)
        give_all(policy, "open", NULL, "worthwhile_effect_excluded", NULL);
    else if (certificate->complete && certificate->plans >= 2)
        give(policy, "inconclusive_at_twice_the_plan", 0);
    else
        wait_for_more(policy);
}

static void decide(struct policy *policy, const json_t *guardrails)
{
    const struct certificate *certificate = policy->certificate;
    bool breached = false, open = any(policy, "open", NULL), loss = any(policy, "loss", NULL);

    for (size_t i = 0; i < json_array_size(guardrails); i++)
        breached = breached || is_text(json_array_get(guardrails, i), "status", "breached");
    if (!open && !loss && !any(policy, "win", NULL)) {
        give(policy, certificate->total > 0 ? "insufficient_per_arm" : "no_exposures", 0);
        if (!certificate->mwe.given)
            give(policy, "practical_threshold_unavailable", 0);
        conclude(policy, policy->blocker_count ? "no_ship" : "keep_running", "low");
    } else if (policy->blocker_count) {
        give(policy, "blocked_untrustworthy", 0);
        conclude(policy, "no_ship", "low");
    } else if (breached) {
        for (size_t i = 0; i < json_array_size(guardrails); i++)
            if (is_text(json_array_get(guardrails, i), "status", "breached"))
                block(policy, "guardrail_breach", 0,
                      json_string_value(member(json_array_get(guardrails, i), "name")));
        give_all(policy, "win", NULL, "significant_win", NULL);
        give(policy, "guardrail_vetoed", 0);
        conclude(policy, "no_ship", "high");
    } else if (any(policy, "win", "met") || any(policy, "win", "unavailable")) {
        decide_ship(policy);
    } else if (any(policy, "win", NULL)) {
        decide_doubtful(policy);
    } else if (loss && !open) {
        give_all(policy, "loss", NULL, "significant_loss",
                 certificate->early ? "anytime_valid_confirmed" : NULL);
        conclude(policy, "no_ship", strength(policy, false));
    } else {
        decide_open(policy);
    }
}

static void check_reasons(const json_t *written, const char *computed)
{
    static char list[REASONS_MAX];

    list[0] = 0;
    for (size_t i = 0; i < json_array_size(written); i++) {
        const json_t *one = json_array_get(written, i);
        const char *part = json_string_value(member(one, "part"));

        append(list, json_string_value(member(one, "code")), (size_t)number(one, "arm"),
               part ? part : "");
    }
    if (strcmp(list, computed) != 0)
        wrong("the reasons are %.150s, and computed from the sums %.150s", list, computed);
}

static void block_by_data(struct policy *policy)
{
    const struct certificate *certificate = policy->certificate;
    const json_t *written = member(certificate->root, "sample_ratio");
    double chi, p, bound = 0, covered = 0;
    bool known = sample_ratio(certificate, certificate->arms, &chi, &p);

    same_figure(written, "chi_square", (struct figure){known, known ? chi : 0});
    same_figure(written, "p_value", (struct figure){known, known ? p : 0});
    same_figure(written, "is_srm", GIVEN(known && p < srm_alpha));
    if (known && p < srm_alpha)
        block(policy, "srm_mismatch", 0, "");
    for (size_t i = 0; i < json_array_size(certificate->strata); i++) {
        const json_t *arms = member(json_array_get(certificate->strata, i), "arms");

        bound += sample_ratio(certificate, arms, &chi, &p);
        for (size_t arm = 0; arm < json_array_size(arms); arm++)
            covered += arm_of(arms, arm).users;
    }
    for (size_t i = 0; i < json_array_size(certificate->strata); i++) {
        const json_t *stratum = json_array_get(certificate->strata, i);

        if (sample_ratio(certificate, member(stratum, "arms"), &chi, &p) && p < srm_alpha / bound)
            block(policy, "stratum_srm_mismatch", 0, json_string_value(member(stratum, "stratum")));
    }
    for (size_t i = 1; certificate->stratifiable && covered > 0 && i < certificate->count; i++)
        if (contradicts(certificate, i, &policy->test[i]))
            block(policy, "stratified_contradiction", i, "");
}

static void check_sequential(struct certificate *certificate)
{
    const json_t *design = certificate->design, *written = certificate->sequential;
    double planned = certificate->planned.value, looks = number(design, "n_looks"), fraction = 0;
    bool several = looks > 1 || certificate->hybrid;
    bool known = planned > 0 && (!several || certificate->total > 0);

    if (known) {
        certificate->plans = certificate->total / (planned * (double)certificate->count);
        fraction = fmin(1, certificate->plans);
    }
    certificate->active = known && several;
    certificate->early = known && !several && fraction < planned_read;
    certificate->finished =
        certificate->active &&
        (certificate->hybrid ? is_text(certificate->hybrid, "status", "ended") : fraction >= 1);
    certificate->complete =
        certificate->finished || (known && !certificate->active && !certificate->early);
    same_text(written, "status",
              !several ? "fixed_horizon"
              : known  ? "active"
                       : "insufficient_data");
    same_figure(written, "information_fraction", (struct figure){known, fraction});
    if (!certificate->active || certificate->hybrid)
        return;
    if (!(fabs(spent(number(design, "final_boundary"), (int)looks) / certificate->alpha - 1) <=
          spent_error))
        wrong("the boundary does not spend alpha %g over %g looks", certificate->alpha, looks);
    certificate->boundary = GIVEN(number(design, "final_boundary") / sqrt(fraction));
    same_figure(written, "boundary", certificate->boundary);
}

/* The plan at an alpha and an end. */
static struct hybrid hybrid_of(const struct certificate *certificate, double alpha, double t)
{
    double share = number(certificate->hybrid, "early_share");

    return (struct hybrid){
        alpha, share,
        mixture_of(certificate->alpha, share, number(certificate->hybrid, "tuned_fraction")), t};
}

/* The constants by the alpha that they spend. */
static void check_spending(const struct certificate *certificate, double t)
{
    struct hybrid hybrid = hybrid_of(certificate, certificate->alpha, t);
    double z = number(certificate->hybrid, "end_z"), early;
    double share = hybrid_spent(&hybrid, z, &early) / certificate->alpha;

    if (!(share >= 1 - spent_less && share <= 1 + spent_more))
        wrong("readings before the end and its test beyond %g spend %g of alpha", z, share);
    if (!(fabs(number(certificate->hybrid, "early_error") / early - 1) <= early_error_off))
        wrong("early_error is %g, and computed from the plan %g",
              number(certificate->hybrid, "early_error"), early);
}

static bool has_users(const struct certificate *certificate, const struct arm *arm)
{
    if (!certificate->binary)
        return arm->users >= 500;
    return arm->users >= 100 && arm->converted >= 5 && arm->users - arm->converted >= 5;
}

/* The smallest alpha at which the test at the end rejects: it spends itself with z as the constant
 * of the end. */
static struct figure check_end_p(const struct certificate *certificate, double t, double z,
                                 const json_t *reading)
{
    double written = number(reading, "p_value"), p = fmin(fmax(written, p_least), p_most), early;
    struct hybrid hybrid = hybrid_of(certificate, p, t);
    double share = hybrid_spent(&hybrid, z, &early) / p;

    if (!(written > 0 && written <= 1 && (share >= 1 - spent_less || p == p_least) &&
          (share <= 1 + spent_less || p == p_most)))
        wrong("p_value at the end is %g, and a test of this alpha spends %g of it", written, share);
    return GIVEN(written);
}

static double anytime_p(const struct hybrid *hybrid, double t, double z)
{
    double information = hybrid->mixture * t;
    double ratio = information / (1 + information) * z * z / 2 - log1p(information) / 2;

    return fmin(1, exp(-fmax(ratio, 0)) / hybrid->share);
}

/* Checks what the reading of the test at the fraction t says, and keeps it in `into`. */
static void check_reading(const struct certificate *certificate, const json_t *reading, double t,
                          const struct test *test, bool enough, struct test *into)
{
    double unit = certificate->binary ? 100 : 1, error = sqrt(test->variance), slope, bound, z;
    struct hybrid hybrid = hybrid_of(certificate, certificate->alpha, t);
    bool found = test->ok && test->variance > 0 && t > 0, known = found && enough;
    const char *still = certificate->end ? "no_rejection" : "continue";
    struct figure p = {0};

    bound = certificate->end ? number(certificate->hybrid, "end_z")
                             : hybrid_boundary(&hybrid, t, &slope) / sqrt(t);
    z = test->effect / unit / error;
    if (known)
        p = certificate->end ? check_end_p(certificate, t, fabs(z), reading)
                             : GIVEN(anytime_p(&hybrid, t, z));
    into->read = known;
    into->claims = known && fabs(z) > bound;
    into->read_low = test->effect - unit * bound * error;
    into->read_high = test->effect + unit * bound * error;
    same_text(reading, "status",
              into->claims ? "efficacy"
              : known      ? still
              : found      ? "too_few_users"
                           : "not_evaluable");
    same_flag(reading, "is_significant", into->claims);
    same_figure(reading, "boundary_z", (struct figure){known, bound});
    same_figure(reading, "z", (struct figure){known, z});
    same_figure(reading, "p_value", p);
    same_figure(reading, "effect", (struct figure){known, test->effect / unit});
    same_figure(reading, "ci_lower", (struct figure){known, into->read_low / unit});
    same_figure(reading, "ci_upper", (struct figure){known, into->read_high / unit});
    if (into->ok)
        into->crossed = GIVEN(into->claims);
}

static void check_readings(const struct certificate *certificate, double t, struct test *tests)
{
    const json_t *readings = member(certificate->hybrid, "readings");
    const json_t *arms =
        certificate->end ? member(member(certificate->end, "sums"), "arms") : certificate->arms;
    struct arm control = arm_of(arms, 0);

    for (size_t i = 1; i < certificate->count; i++) {
        struct arm arm = arm_of(arms, i);
        bool enough =
            certificate->end || (has_users(certificate, &control) && has_users(certificate, &arm));
        struct test then = certificate->end ? compare(certificate, &control, &arm) : tests[i];

        check_reading(certificate, json_array_get(readings, i - 1), t, &then, enough, &tests[i]);
    }
}

/* Where the end was taken, in planned samples. */
static double check_end(const struct certificate *certificate)
{
    const json_t *arms = member(member(certificate->end, "sums"), "arms");
    double users = 0;

    for (size_t i = 0; i < json_array_size(arms); i++)
        users += arm_of(arms, i).users;
    same_figure(certificate->end, "users", GIVEN(users));
    users /= certificate->planned.value * (double)certificate->count;
    same_figure(certificate->end, "information_fraction", GIVEN(users));
    return users;
}

/* Adds to each test its reading: of the sums at the end once that was taken. */
static void check_hybrid(const struct certificate *certificate, struct test *tests)
{
    const json_t *hybrid = certificate->hybrid;
    bool changed = is_text(hybrid, "status", "plan_changed");
    bool known = !changed && certificate->planned.value > 0;
    bool running = known && !certificate->end && certificate->plans > 0;
    struct hybrid plan = hybrid_of(certificate, certificate->alpha, 1);
    double t = certificate->plans, slope, bound;

    same_figure(hybrid, "alpha", GIVEN(certificate->alpha));
    if (!changed)
        same_text(hybrid, "status",
                  !known             ? "unavailable"
                  : certificate->end ? "ended"
                                     : "running");
    bound = hybrid_boundary(&plan, t, &slope) / sqrt(t);
    same_figure(certificate->sequential, "boundary", (struct figure){running, running ? bound : 0});
    if (json_array_size(member(hybrid, "readings")) != (known ? certificate->count - 1 : 0))
        wrong("there are %zu readings", json_array_size(member(hybrid, "readings")));
    if (!known)
        return;
    if (certificate->end)
        t = check_end(certificate);
    check_spending(certificate, certificate->end ? t : 1);
    check_readings(certificate, t, tests);
}

/* The first that was issued has neither a source nor hybrid readings. */
static bool has_known_format(const json_t *root)
{
    const char *format = json_object_get(root, "hybrid")
                             ? hybrid_format
                             : formats[json_object_get(root, "source") != NULL];

    return is_text(root, "format", format) &&
           is_text(member(root, "formulas"), "policy", "practical_v1");
}

static void read_design(const json_t *root, struct certificate *certificate)
{
    const json_t *design = member(root, "design"), *hybrid = json_object_get(root, "hybrid");
    double effect = number(design, "baseline_value") * fabs(number(design, "mde_pct")) / 100;
    char rounded[400];

    *certificate =
        (struct certificate){.root = root,
                             .design = design,
                             .sequential = member(root, "sequential"),
                             .arms = member(root, "arms"),
                             .strata = member(root, "strata"),
                             .hybrid = hybrid,
                             .count = json_array_size(member(root, "arms")),
                             .sign = is_text(design, "direction", "decrease") ? -1 : 1,
                             .binary = is_text(design, "metric_type", "binary"),
                             .ratio = is_text(design, "metric_type", "ratio"),
                             .planned = {!json_is_null(member(design, "planned_users_per_arm")),
                                         number(design, "planned_users_per_arm")},
                             .mixture = {!json_is_null(member(design, "mixture_variance")),
                                         number(design, "mixture_variance")}};
    if (hybrid && json_is_object(member(hybrid, "end")))
        certificate->end = member(hybrid, "end");
    if (certificate->count < 1 || certificate->count > ARMS_MAX || !has_known_format(root))
        wrong("of a format or a policy that this program does not know");
    certificate->stratifiable = certificate->binary || is_text(design, "metric_type", "continuous");
    certificate->alpha = number(design, "alpha") / fmax(1, (double)certificate->count - 1);
    for (size_t i = 0; i < certificate->count; i++)
        certificate->total += arm_of(certificate->arms, i).users;
    if (certificate->mixture.given && effect > 0)
        same_figure(design, "mixture_variance", GIVEN(effect * effect));
    snprintf(rounded, sizeof rounded, "%.6f", certificate->binary ? 100 * effect : effect);
    certificate->mwe = (struct figure){effect > 0, strtod(rounded, NULL)};
}

/* Without fresh rows of live data there is no verdict. */
static void check_source(const json_t *root, const json_t *source)
{
    if (!source)
        return;
    same_text(source, "metric", text_of(member(root, "design"), "metric"));
    same_text(source, "status", "fresh");
    if (strncmp(text_of(source, "complete_at"), text_of(root, "issued_at"), SECONDS_TEXT) > 0)
        wrong("the rows of live data were read after the certificate was issued");
}

static void check_figures(const json_t *root)
{
    const json_t *decision = member(root, "decision"), *guardrails = member(root, "guardrails");
    const json_t *comparisons = member(root, "comparisons");
    const json_t *population = member(root, "population");
    struct certificate certificate;
    static struct policy policy;
    struct arm control;

    read_design(root, &certificate);
    check_source(root, json_object_get(root, "source"));
    policy = (struct policy){.certificate = &certificate};
    control = arm_of(certificate.arms, 0);
    check_sequential(&certificate);
    if (json_array_size(comparisons) != certificate.count - 1)
        wrong("there are %zu comparisons", json_array_size(comparisons));
    for (size_t i = 1; i < certificate.count; i++) {
        struct arm arm = arm_of(certificate.arms, i);

        policy.test[i] = compare(&certificate, &control, &arm);
    }
    if (certificate.hybrid)
        check_hybrid(&certificate, policy.test);
    for (size_t i = 1; i < certificate.count; i++) {
        check_comparison(json_array_get(comparisons, i - 1), &policy.test[i]);
        judge(&certificate, i, &policy.test[i]);
    }
    for (size_t i = 0; i < json_array_size(guardrails); i++)
        check_guardrail(&certificate, json_array_get(guardrails, i));
    block_by_data(&policy);
    decide(&policy, guardrails);
    if (number(population, "events_before_exposure") > anomaly * number(population, "events"))
        give(&policy, "events_before_exposure", 0);
    if (number(population, "multiple_exposure_share") > anomaly)
        give(&policy, "multiple_exposure_users", 0);
    same_text(decision, "verdict", policy.verdict);
    same_text(decision, "confidence", policy.confidence);
    check_reasons(member(decision, "reasons"), policy.reasons);
    check_reasons(member(decision, "blockers"), policy.blockers);
}

/* Checks the bytes of a certificate: NULL, or what does not hold. The caller releases `root`. */
static const char *check(const char *data, size_t length, const unsigned char *key, json_t **root)
{
    size_t size;
    const char *text = signed_text(data, length, key, &size);

    *root = text ? json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (!*root)
        return "the signature is not that of the key over this text, or this is no certificate";
    if (setjmp(wrong_place))
        return wrong_text;
    check_figures(*root);
    return NULL;
}

static void show_source(const json_t *source)
{
    printf("source: rows of %s in live data, %s, complete at %s, up to position %s\n",
           text_of(source, "entity_type"), text_of(source, "status"),
           text_of(source, "complete_at"), text_of(source, "position"));
}

static bool read_file(const char *path, char *data, size_t *length)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return false;
    *length = fread(data, 1, FILE_MAX, file);
    fclose(file);
    while (*length && data[*length - 1] == '\n')
        --*length;
    return *length < FILE_MAX;
}

static bool read_key(const char *given, unsigned char *key)
{
    static char data[FILE_MAX];
    size_t length = strlen(given);
    const char *text = given;
    json_t *answer;
    bool good;

    if (read_file(given, data, &length))
        text = data;
    answer = json_loadb(text, length, 0, NULL);
    if (answer && json_is_string(json_object_get(answer, "public_key"))) {
        text = json_string_value(json_object_get(answer, "public_key"));
        length = strlen(text);
    }
    good = length == KEY_TEXT && unpack(text, length, key, KEY_BYTES);
    json_decref(answer);
    return good;
}

int main(int argc, char **argv)
{
    static char data[FILE_MAX];
    unsigned char key[KEY_BYTES];
    const char *problem;
    json_t *root;
    size_t length;

    if (argc != 3 || !read_key(argv[2], key) || !read_file(argv[1], data, &length)) {
        fprintf(stderr, "usage: %s CERTIFICATE KEY\n", argv[0]);
        return 2;
    }
    problem = check(data, length, key, &root);
    if (problem)
        printf("WRONG: %s\n", problem);
    else
        printf("holds: %s, experiment %s, issued %s, key %s\n",
               text_of(member(root, "decision"), "verdict"), text_of(root, "experiment_id"),
               text_of(root, "issued_at"), text_of(root, "key"));
    if (!problem && json_object_get(root, "source"))
        show_source(member(root, "source"));
    json_decref(root);
    return problem ? 1 : 0;
}
