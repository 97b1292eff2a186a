/* Thresholds and promised risks on standard input and output, for support_trends_test.py. */
#include "support/lines.h"
#include "support/trends/risk.h"

#include <math.h>

/* metric current n, then a value and whether it is bad n times. */
static void read_samples(struct line *line, struct threshold_samples *sorted)
{
    size_t count = (size_t)line_next(line);
    struct threshold_sample *samples = ARENA_ARRAY(line->arena, struct threshold_sample, count + 1);

    for (size_t i = 0; i < count; i++) {
        samples[i].value = line_next(line);
        samples[i].bad = line_next(line) != 0;
    }
    threshold_sort(line->arena, samples, count, sorted);
}

static void answer_suggest(struct line *line)
{
    const struct threshold_kind *kind = &threshold_kinds[(int)line_next(line)];
    double current = line_next(line);
    struct threshold_samples samples;
    struct threshold_scores now;
    struct threshold_best best;

    read_samples(line, &samples);
    now = threshold_score(kind, &samples, current);
    best = threshold_suggest(line->arena, kind, &samples, current);
    PRINT_NUMBERS(best.cutoff, best.scores.precision, best.scores.recall, best.scores.f1,
                  now.precision, now.recall, now.f1);
}

static void answer_curve(struct line *line)
{
    const struct threshold_kind *kind = &threshold_kinds[(int)line_next(line)];
    struct threshold_point points[THRESHOLD_POINTS_MAX];
    struct threshold_samples samples;
    size_t count;

    read_samples(line, &samples);
    count = threshold_curve(kind, &samples, points);
    for (size_t i = 0; i < count; i++)
        PRINT_NUMBERS(points[i].cutoff, points[i].f1, points[i].coverage,
                      number_or_nan(points[i].risk));
}

static void answer_control(struct line *line)
{
    const struct threshold_kind *kind = &threshold_kinds[(int)line_next(line)];
    double risk = line_next(line), confidence = line_next(line);
    double cutoff = NAN, coverage = NAN;
    struct threshold_samples samples;
    struct risk_cut cut;

    read_samples(line, &samples);
    risk_control(kind, &samples, risk, confidence, &cut);
    if (!risk_expected(kind, &samples, risk, &cutoff, &coverage))
        cutoff = coverage = NAN;
    PRINT_NUMBERS((double)cut.reason, cut.cutoff, (double)cut.given, (double)cut.wrong, cut.upper,
                  cut.coverage, (double)cut.needed, cutoff, coverage);
}

static void answer_bounds(struct line *line)
{
    int64_t wrong = (int64_t)line_next(line), all = (int64_t)line_next(line);
    double confidence = line_next(line);

    PRINT_NUMBERS(risk_lower_bound(wrong, all, confidence),
                  risk_upper_bound(wrong, all, confidence));
}

static void answer_percentile(struct line *line)
{
    double p = line_next(line);
    struct number_list values = line_take(line, (size_t)line_next(line));

    PRINT_NUMBERS(threshold_percentile(values.items, values.count, p));
}

static const struct line_method methods[] = {
    {"suggest", answer_suggest}, {"curve", answer_curve},           {"control", answer_control},
    {"bounds", answer_bounds},   {"percentile", answer_percentile},
};

LINES_MAIN(methods)
