/*
 * Threshold analysis on judged traces: the cutoff that finds bad answers best (F1), the curve
 * around it, and the distribution of the values. No storage.
 */
#ifndef ASSAY_SUPPORT_TRENDS_THRESHOLD_H
#define ASSAY_SUPPORT_TRENDS_THRESHOLD_H

#include "base/arena.h"
#include "base/optional.h"

#include <stdint.h>

enum threshold_metric {
    THRESHOLD_QUALITY,
    THRESHOLD_FACTS,
    THRESHOLD_RELEVANCE,
    THRESHOLD_SLOW,
    THRESHOLD__MAX
};

/* Definition of a metric. Values below the cutoff are bad; if `high` values are worse, those above
 * it. */
struct threshold_kind {
    const char *name; /* quality_threshold */
    const char *env;  /* QUALITY_THRESHOLD */
    bool integer;
    bool higher_is_bad;
    double least, most; /* range of the setting */
};
extern const struct threshold_kind threshold_kinds[THRESHOLD__MAX];

struct threshold_sample {
    double value;
    bool bad;
};

/* Samples sorted by value, with the number of bad ones before each: the input for scoring any
 * number of cutoffs. */
struct threshold_samples {
    size_t count, bad;
    double *values;    /* in ascending order */
    size_t *bad_below; /* bad_below[i] = bad ones among the first i; count + 1 entries */
};
void threshold_sort(struct arena *arena, const struct threshold_sample *samples, size_t count,
                    struct threshold_samples *sorted);

struct threshold_scores {
    double precision, recall, f1; /* for finding the bad ones; 0 when the divisor is 0 */
};
struct threshold_scores threshold_score(const struct threshold_kind *kind,
                                        const struct threshold_samples *samples, double cutoff);

struct threshold_best {
    double cutoff; /* rounded for display: integers, or two decimals */
    struct threshold_scores scores;
};

/* The candidate with the best F1; of equal ones the nearest to `current`. Candidates are the
 * values, `current`, and one step beyond the far end, each within the range of the setting. The
 * scored value is the suggested one. */
struct threshold_best threshold_suggest(struct arena *arena, const struct threshold_kind *kind,
                                        const struct threshold_samples *samples, double current);

/* A point of the curve: the bad answers that a cutoff finds, and those that pass it. */
struct threshold_point {
    double cutoff, precision, recall, f1;
    double coverage;             /* share of samples on the good side */
    struct optional_number risk; /* share of bad ones among those; absent when there are none */
};

enum { THRESHOLD_POINTS_MAX = 101 };

/* At most THRESHOLD_POINTS_MAX points, spread over the ranks of the distinct values, ascending. */
size_t threshold_curve(const struct threshold_kind *kind, const struct threshold_samples *samples,
                       struct threshold_point points[THRESHOLD_POINTS_MAX]);

/* By linear interpolation at rank (n - 1) * p, of ascending values; n > 0. */
double threshold_percentile(const double *sorted, size_t count, double p);

/* A histogram as text of up to eight lines; `no data` for no values. Ascending values. */
const char *threshold_histogram(struct arena *arena, const struct threshold_kind *kind,
                                const double *sorted, size_t count);

/* A cutoff as text: an integer, or two decimals without trailing zeros; `n/a`. */
const char *threshold_shown(struct arena *arena, const struct threshold_kind *kind,
                            struct optional_number value);

/* The trade-off of the suggestion. */
const char *threshold_note(const struct threshold_kind *kind, double current, double suggested);

#endif
