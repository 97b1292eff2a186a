/*
 * Where a cutoff should lie, by traces that people have judged: the cut that finds bad ones best
 * (F1), the curve round it, and how the values are spread. No storage.
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

/* What a metric is. Below the cutoff is bad, except where more is worse: there above it. */
struct threshold_kind {
    const char *name; /* quality_threshold */
    const char *env;  /* QUALITY_THRESHOLD */
    bool integer;
    bool higher_is_bad;
    double least, most; /* what the setting may be */
};
extern const struct threshold_kind threshold_kinds[THRESHOLD__MAX];

struct threshold_sample {
    double value;
    bool bad;
};

/* Samples in the order of their values, with how many bad ones lie before each: what any number of
 * cutoffs are scored on. */
struct threshold_samples {
    size_t count, bad;
    double *values;    /* ascending */
    size_t *bad_below; /* bad_below[i] = bad ones among the first i; count + 1 entries */
};
void threshold_sort(struct arena *arena, const struct threshold_sample *samples, size_t count,
                    struct threshold_samples *sorted);

struct threshold_scores {
    double precision, recall, f1; /* of finding the bad ones; 0 where nothing divides */
};
struct threshold_scores threshold_score(const struct threshold_kind *kind,
                                        const struct threshold_samples *samples, double cutoff);

struct threshold_best {
    double cutoff; /* rounded as it is shown: integers, or two decimals */
    struct threshold_scores scores;
};

/* The candidate with the best F1; of equal ones that nearest to `current`. Candidates are the
 * values, `current`, and one step beyond the far end, each within the bounds of the setting. What
 * is scored is what is suggested. */
struct threshold_best threshold_suggest(struct arena *arena, const struct threshold_kind *kind,
                                        const struct threshold_samples *samples, double current);

/* A point of the curve: what a cutoff finds, and what goes out under it. */
struct threshold_point {
    double cutoff, precision, recall, f1;
    double coverage;             /* share of samples on the good side */
    struct optional_number risk; /* share of bad ones among those; none there: absent */
};

enum { THRESHOLD_POINTS_MAX = 101 };

/* At most THRESHOLD_POINTS_MAX, spread over the ranks of the distinct values, ascending. */
size_t threshold_curve(const struct threshold_kind *kind, const struct threshold_samples *samples,
                       struct threshold_point points[THRESHOLD_POINTS_MAX]);

/* By linear interpolation at rank (n - 1) * p, of ascending values; n > 0. */
double threshold_percentile(const double *sorted, size_t count, double p);

/* A histogram as text of up to eight lines; `no data` for no values. Ascending values. */
const char *threshold_histogram(struct arena *arena, const struct threshold_kind *kind,
                                const double *sorted, size_t count);

/* A cutoff as people read it: an integer, or two decimals without trailing zeros; `n/a`. */
const char *threshold_shown(struct arena *arena, const struct threshold_kind *kind,
                            struct optional_number value);

/* What the suggestion trades. */
const char *threshold_note(const struct threshold_kind *kind, double current, double suggested);

#endif
