/*
 * How often sequential methods are wrong where there is no effect, by simulation: A/A streams that
 * are looked at 200 times. Prints the tables of docs/use/error-rates.md.
 *
 *   error_rates [STREAMS]     10 000 by default
 *
 * The exit code is 1 when a method that claims to hold is wrong significantly more often than
 * alpha: when the lower 99 % bound of its rate is above alpha.
 */
#include "base/number.h"
#include "math/draws.h"
#include "stats/sequential/confidence_sequence.h"
#include "support/streams.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    STREAMS = 10000,
    LOOKS = 200,
    USERS_MAX = 5000, /* of the smaller arm, at the last look */
    CELLS = 40        /* within a tenth below and above a quantile */
};

static const double alpha = 0.05;
static struct ziggurat ziggurat;

/* Rates need some users of either kind. */
static bool has_events(const struct stream_sums *arm, enum stream_metric metric)
{
    return metric != METRIC_RATE ||
           (arm->one[0] >= SEQUENCE_EVENTS_MIN && arm->n - arm->one[0] >= SEQUENCE_EVENTS_MIN);
}

struct row {
    const char *name;
    enum stream_metric metric;
    stream_draw *draw;
    double parameter; /* of the draw; the share of a quantile */
    double effect;    /* what it is tuned for; 0 = for 5000 users */
    double share;     /* of the treatment */
    bool adjusted;
    int least; /* users of the smaller arm at the first look */
    bool claims_nothing;
    double treatment_parameter; /* of the draw in the smaller arm; 0 = the same */
};

static const struct row rows[] = {
    {"means, normal", METRIC_MEAN, stream_normal, 1, 0, .5, false, SEQUENCE_USERS_MIN},
    {"means, normal", METRIC_MEAN, stream_normal, 1, 0, .2, true, SEQUENCE_USERS_MIN},
    {"means, normal, the smaller arm three times as wide", METRIC_MEAN, stream_normal, 1, 0, .2,
     false, SEQUENCE_USERS_MIN, false, 3},
    {"means, normal, the smaller arm three times as wide", METRIC_MEAN, stream_normal, 1, 0, .2,
     true, SEQUENCE_USERS_MIN, false, 3},
    {"means, log-normal 1.5", METRIC_MEAN, stream_log_normal, 1.5, 0, .5, false,
     SEQUENCE_USERS_MIN},
    {"means, log-normal 1.5", METRIC_MEAN, stream_log_normal, 1.5, 0, .5, true, SEQUENCE_USERS_MIN},
    {"means, log-normal 1.5", METRIC_MEAN, stream_log_normal, 1.5, 0, .2, false,
     SEQUENCE_USERS_MIN},
    {"means, log-normal 1.5", METRIC_MEAN, stream_log_normal, 1.5, 0, .2, true, SEQUENCE_USERS_MIN},
    {"means, log-normal 1.5, tuned for an effect", METRIC_MEAN, stream_log_normal, 1.5, .15, .2,
     false, SEQUENCE_USERS_MIN},
    {"means, Pareto 2.5", METRIC_MEAN, stream_pareto, 2.5, 0, .5, false, SEQUENCE_USERS_MIN},
    {"means, Pareto 2.5", METRIC_MEAN, stream_pareto, 2.5, 0, .2, false, SEQUENCE_USERS_MIN},
    {"means, Pareto 2.5", METRIC_MEAN, stream_pareto, 2.5, 0, .2, true, SEQUENCE_USERS_MIN},
    {"rates of 10 %", METRIC_RATE, stream_rate, .1, 0, .5, false, SEQUENCE_RATE_USERS_MIN},
    {"rates of 10 %", METRIC_RATE, stream_rate, .1, 0, .2, true, SEQUENCE_RATE_USERS_MIN},
    {"rates of 0.5 %", METRIC_RATE, stream_rate, .005, 0, .2, false, SEQUENCE_RATE_USERS_MIN},
    {"rates of 0.5 %", METRIC_RATE, stream_rate, .005, 0, .2, true, SEQUENCE_RATE_USERS_MIN},
    {"ratios, log-normal amounts", METRIC_RATIO_OF_TOTALS, stream_ratio, 1.5, 0, .5, false,
     SEQUENCE_USERS_MIN},
    {"ratios, log-normal amounts", METRIC_RATIO_OF_TOTALS, stream_ratio, 1.5, 0, .2, false,
     SEQUENCE_USERS_MIN},
    {"ratios, log-normal amounts", METRIC_RATIO_OF_TOTALS, stream_ratio, 1.5, 0, .2, true,
     SEQUENCE_USERS_MIN},
    {"medians", METRIC_MEAN, NULL, .5, 0, .5, false, 1},
    {"90th percentiles", METRIC_MEAN, NULL, .9, 0, .2, false, 1},
    {"control: means, infinite variance (Pareto 1.5)", METRIC_MEAN, stream_pareto, 1.5, 0, .2,
     false, SEQUENCE_USERS_MIN, true},
    {"control: means, log-normal 1.5, from 50 users", METRIC_MEAN, stream_log_normal, 1.5, 0, .2,
     false, 50, true},
};

/* Users of an arm at a look: they grow by a constant factor, so that many looks come early, where
 * it is hardest. */
static double users_at(const struct row *row, int look, int arm)
{
    double users =
        floor(row->least * pow((double)USERS_MAX / row->least, (double)look / (LOOKS - 1)));

    return arm == 0 ? floor(users * (1 - row->share) / row->share) : users;
}

static bool is_wrong_at(const struct row *row, const struct stream_sums arms[2])
{
    struct sequence_tuning tuning = {row->effect, 5000};
    double difference, variance;
    struct always_valid result;

    if (!has_events(&arms[0], row->metric) || !has_events(&arms[1], row->metric))
        return false;
    stream_estimate(arms, row->metric, row->adjusted, &difference, &variance);
    confidence_sequence_difference(difference, variance, arms[0].n + arms[1].n, &tuning, alpha,
                                   &result);
    return result.evaluable && result.is_significant;
}

static bool difference_is_ever_wrong(const struct row *row, struct draws *draws)
{
    const double parameters[] = {
        row->parameter, row->treatment_parameter > 0 ? row->treatment_parameter : row->parameter};
    struct stream_sums arms[2] = {0};

    for (int look = 0; look < LOOKS; look++) {
        struct stream_user user = {0};

        for (int arm = 0; arm < 2; arm++)
            while (arms[arm].n < users_at(row, look, arm)) {
                row->draw(draws, parameters[arm], &user);
                stream_add(&arms[arm], &user);
            }
        if (is_wrong_at(row, arms))
            return true;
    }
    return false;
}

/* Uniform values, since ranks know no more; cells are narrow around the quantile. */
static int cell_of_value(double value, double share)
{
    return 1 + (int)fmin(fmax((value - share) * 10 * CELLS / 2 + CELLS / 2.0, -1), CELLS);
}

static struct quantile_cells cells_of(const int64_t *counts, struct quantile_cell *cells)
{
    int64_t through = 0;

    for (int i = 0; i < CELLS + 2; i++)
        cells[i] = (struct quantile_cell){i, i + 1, through += counts[i]};
    return (struct quantile_cells){CELLS + 2, cells};
}

static bool quantile_is_ever_wrong(const struct row *row, struct draws *draws)
{
    int64_t counts[2][CELLS + 2] = {0};
    struct quantile_cell cells[2][CELLS + 2];
    double n[2] = {0};

    for (int look = 0; look < LOOKS; look++) {
        struct quantile_cells arms[2];

        for (int arm = 0; arm < 2; arm++) {
            for (; n[arm] < users_at(row, look, arm); n[arm]++)
                counts[arm][cell_of_value(draws_uniform(draws), row->parameter)]++;
            arms[arm] = cells_of(counts[arm], cells[arm]);
        }
        if (quantile_sequence_p(&arms[0], &arms[1], row->parameter, 2500, alpha) < alpha)
            return true;
    }
    return false;
}

static bool run_row(const struct row *row, int streams)
{
    int wrong = 0;
    double lower;

    for (int i = 0; i < streams; i++) {
        struct draws draws;

        draws_start(&draws, &ziggurat, 53, (uint64_t)i);
        wrong +=
            row->draw ? difference_is_ever_wrong(row, &draws) : quantile_is_ever_wrong(row, &draws);
    }
    lower = stream_lower_bound(wrong, streams);
    printf("| %s | %s | %s | %d | %.2f %% | %.2f %% | %s |\n", row->name,
           row->share < .5 ? "1 : 4" : "1 : 1", row->adjusted ? "yes" : "no", row->least,
           100.0 * wrong / streams, 100 * lower,
           row->claims_nothing ? "claims nothing"
           : lower <= alpha    ? "holds"
                               : "**fails**");
    fflush(stdout);
    return row->claims_nothing || lower <= alpha;
}

int main(int count, char **words)
{
    int64_t streams = STREAMS;
    bool holds = true;

    if (count > 2 || (count == 2 && !integer_parse(words[1], &streams)))
        return 2;
    ziggurat_build(&ziggurat);
    printf("%lld A/A streams of %d looks, the smaller arm up to %d users, alpha 5 %%\n\n"
           "| metric | split | adjusted | from users | ever wrong | lower 99 %% bound | |\n"
           "|---|---|---|---|---|---|---|\n",
           (long long)streams, LOOKS, USERS_MAX);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        holds = run_row(&rows[i], (int)streams) && holds;
    return holds ? 0 : 1;
}
