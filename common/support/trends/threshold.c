/* Scores cutoffs on sorted samples: each needs one search, so that every value can be a
 * candidate. */
#include "support/trends/threshold.h"
#include "base/number.h"
#include "base/text.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

enum { BINS_MAX = 8, BAR_MAX = 20, HISTOGRAM_MOST = 4096, DECIMALS_MAX = 12 };

static const double close_enough = 1e-9;

const struct threshold_kind threshold_kinds[THRESHOLD__MAX] = {
    [THRESHOLD_QUALITY] = {"quality_threshold", "QUALITY_THRESHOLD", .integer = true, .least = 1,
                           .most = 100},
    [THRESHOLD_FACTS] = {"fact_verification_min_score", "FACT_VERIFICATION_MIN_SCORE",
                         .integer = true, .least = 0, .most = 100},
    [THRESHOLD_RELEVANCE] = {"escalation_threshold", "ESCALATION_THRESHOLD", .least = 0, .most = 1},
    [THRESHOLD_SLOW] = {"slow_trace_threshold_ms", "SLOW_TRACE_THRESHOLD_MS", .integer = true,
                        .higher_is_bad = true, .least = 1, .most = 1e9},
};

static bool is_close(double a, double b)
{
    return fabs(a - b) <= fmax(close_enough * fmax(fabs(a), fabs(b)), close_enough);
}

void threshold_sort(struct arena *arena, const struct threshold_sample *samples, size_t count,
                    struct threshold_samples *sorted)
{
    struct sort_item *items = ARENA_ARRAY(arena, struct sort_item, count);
    struct sort_item *scratch = ARENA_ARRAY(arena, struct sort_item, count);

    *sorted = (struct threshold_samples){.count = count,
                                         .values = ARENA_ARRAY(arena, double, count),
                                         .bad_below = ARENA_ARRAY(arena, size_t, count + 1)};
    for (size_t i = 0; i < count; i++)
        items[i] = (struct sort_item){samples[i].value, samples[i].bad};
    sort_labelled(items, scratch, count);
    for (size_t i = 0; i < count; i++) {
        sorted->values[i] = items[i].value;
        sorted->bad_below[i + 1] = sorted->bad_below[i] + items[i].label;
    }
    sorted->bad = sorted->bad_below[count];
}

/* How many values are below the cutoff, or with `equal` at most the cutoff. */
static size_t rank_of(const struct threshold_samples *samples, double cutoff, bool equal)
{
    size_t low = 0, high = samples->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        double value = samples->values[middle];

        if (value < cutoff || (equal && value == cutoff))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Those on the bad side of the cutoff, and the bad ones among them. */
static void flagged(const struct threshold_kind *kind, const struct threshold_samples *samples,
                    double cutoff, size_t *all, size_t *bad)
{
    size_t rank = rank_of(samples, cutoff, kind->higher_is_bad);

    *all = kind->higher_is_bad ? samples->count - rank : rank;
    *bad = kind->higher_is_bad ? samples->bad - samples->bad_below[rank] : samples->bad_below[rank];
}

struct threshold_scores threshold_score(const struct threshold_kind *kind,
                                        const struct threshold_samples *samples, double cutoff)
{
    size_t all, bad;

    flagged(kind, samples, cutoff, &all, &bad);
    return (struct threshold_scores){
        .precision = share((double)bad, (double)all),
        .recall = share((double)bad, (double)samples->bad),
        .f1 = share(2.0 * (double)bad, (double)(all + samples->bad)),
    };
}

/* A value as a setting: rounded, and within its bounds. */
static double as_shown(const struct threshold_kind *kind, double value)
{
    return fmin(kind->most,
                fmax(kind->least, kind->integer ? rint(value) : number_round(value, 2)));
}

/* One step beyond the values, to where everything counts as bad. */
static double beyond(const struct threshold_kind *kind, const struct threshold_samples *samples)
{
    const double *values = samples->values;
    double step = kind->integer ? 1 : 0.01, least = INFINITY;

    for (size_t i = 1; i < samples->count; i++) {
        if (values[i] > values[i - 1])
            least = fmin(least, values[i] - values[i - 1]);
    }
    if (isfinite(least))
        step = kind->integer ? fmax(1, rint(least)) : least;
    return kind->higher_is_bad ? values[0] - step : values[samples->count - 1] + step;
}

static void consider(const struct threshold_kind *kind, const struct threshold_samples *samples,
                     double current, double cutoff, struct threshold_best *best)
{
    struct threshold_scores scores;

    if (cutoff == best->cutoff)
        return;
    scores = threshold_score(kind, samples, cutoff);
    if (scores.f1 > best->scores.f1 + close_enough ||
        (is_close(scores.f1, best->scores.f1) &&
         fabs(cutoff - current) < fabs(best->cutoff - current)))
        *best = (struct threshold_best){cutoff, scores};
}

struct threshold_best threshold_suggest(struct arena *arena, const struct threshold_kind *kind,
                                        const struct threshold_samples *samples, double current)
{
    struct threshold_best best = {current, threshold_score(kind, samples, current)};

    (void)arena;
    if (samples->count == 0)
        return best;
    if (kind->higher_is_bad)
        consider(kind, samples, current, as_shown(kind, beyond(kind, samples)), &best);
    for (size_t i = 0; i < samples->count; i++) {
        if (i == 0 || samples->values[i] > samples->values[i - 1])
            consider(kind, samples, current, as_shown(kind, samples->values[i]), &best);
    }
    if (!kind->higher_is_bad)
        consider(kind, samples, current, as_shown(kind, beyond(kind, samples)), &best);
    return best;
}

static struct threshold_point point_at(const struct threshold_kind *kind,
                                       const struct threshold_samples *samples, double cutoff)
{
    struct threshold_scores scores = threshold_score(kind, samples, cutoff);
    struct threshold_point point = {cutoff, scores.precision, scores.recall, scores.f1, 0, {0}};
    size_t all, bad, given;

    flagged(kind, samples, cutoff, &all, &bad);
    given = samples->count - all;
    point.coverage = share((double)given, (double)samples->count);
    if (given)
        point.risk = GIVEN_NUMBER((double)(samples->bad - bad) / (double)given);
    return point;
}

size_t threshold_curve(const struct threshold_kind *kind, const struct threshold_samples *samples,
                       struct threshold_point points[THRESHOLD_POINTS_MAX])
{
    size_t distinct = 0, seen = 0, count = 0;

    for (size_t i = 0; i < samples->count; i++)
        distinct += i == 0 || samples->values[i] > samples->values[i - 1];
    for (size_t i = 0; i < samples->count; i++) {
        if (i > 0 && samples->values[i] == samples->values[i - 1])
            continue;
        /* The first, the last, and every so many between them. */
        if (distinct <= THRESHOLD_POINTS_MAX ||
            seen * (THRESHOLD_POINTS_MAX - 1) / (distinct - 1) >= count)
            points[count++] = point_at(kind, samples, samples->values[i]);
        seen++;
    }
    return count;
}

double threshold_percentile(const double *sorted, size_t count, double p)
{
    double rank = (double)(count - 1) * p, whole = floor(rank);
    size_t place = (size_t)whole;
    double next = sorted[place + 1 < count ? place + 1 : place];

    return sorted[place] + (next - sorted[place]) * (rank - whole);
}

static const char *bar(size_t length)
{
    static const char marks[] = "####################";

    return marks + (BAR_MAX - length);
}

/* Decimals of labels: those of the metric, or as many as distinguish neighbors of a distance `step`
 * apart, so that none of them reads as zero. */
static int decimals_of(const struct threshold_kind *kind, double low, double step, size_t bins)
{
    int decimals = kind->integer ? 0 : 2;

    for (size_t i = 0; i <= bins && decimals < DECIMALS_MAX; i++) {
        double edge = low + (double)i * step, shown = number_round(edge, decimals);

        if ((i < bins && shown == number_round(edge + step, decimals)) ||
            (shown == 0 && !is_close(edge, 0))) {
            decimals++;
            i = (size_t)-1; /* from the first one again */
        }
    }
    return decimals;
}

static void label(struct text *text, int decimals, double value)
{
    text_append_format(text, "%.*f", decimals, number_round(value, decimals));
}

const char *threshold_histogram(struct arena *arena, const struct threshold_kind *kind,
                                const double *sorted, size_t count)
{
    size_t counts[BINS_MAX] = {0}, bins = 0, most = 0;
    double low = count ? sorted[0] : 0, high = count ? sorted[count - 1] : 0, step;
    struct text text;
    int decimals;

    text_start(&text, arena, HISTOGRAM_MOST);
    if (count == 0)
        return "no data";
    if (is_close(low, high)) {
        label(&text, decimals_of(kind, low, 0, 0), low);
        text_append_format(&text, " | %s (%zu)", bar(BAR_MAX), count);
        return text.bytes;
    }
    for (size_t i = 0; i < count && bins < BINS_MAX; i++)
        bins += i == 0 || sorted[i] > sorted[i - 1];
    step = (high - low) / (double)bins;
    decimals = decimals_of(kind, low, step, bins);
    for (size_t i = 0; i < count; i++) {
        size_t bin = (size_t)((sorted[i] - low) / step);

        counts[bin < bins ? bin : bins - 1]++;
    }
    for (size_t i = 0; i < bins; i++)
        most = counts[i] > most ? counts[i] : most;
    for (size_t i = 0; i < bins; i++) {
        double length = rint((double)counts[i] / (double)most * BAR_MAX);

        text_append_string(&text, i ? "\n" : "");
        label(&text, decimals, low + (double)i * step);
        text_append_string(&text, "-");
        label(&text, decimals, low + (double)(i + 1) * step);
        text_append_format(&text, " | %s (%zu)", bar(counts[i] ? (size_t)fmax(1, length) : 0),
                           counts[i]);
    }
    return text.bytes;
}

const char *threshold_shown(struct arena *arena, const struct threshold_kind *kind,
                            struct optional_number value)
{
    char *text;
    size_t length;

    if (!value.given)
        return "n/a";
    if (kind->integer)
        return arena_print(arena, "%.0f", rint(value.value));
    text = arena_print(arena, "%.2f", value.value);
    length = strlen(text);
    while (text[length - 1] == '0')
        text[--length] = '\0';
    if (text[length - 1] == '.')
        text[--length] = '\0';
    return text;
}

const char *threshold_note(const struct threshold_kind *kind, double current, double suggested)
{
    if (is_close(current, suggested))
        return "current value already optimal";
    if (kind->higher_is_bad)
        return "raise to flag fewer, lower to flag more";
    return suggested > current ? "higher cutoff catches more bad traces"
                               : "lower cutoff is more selective";
}
