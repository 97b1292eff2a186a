/*
 * What a result means, in the reader's language: verdicts and interpretations of finished tests.
 * Numbers print the same in every language; wording comes from the catalogues. Computes nothing.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_REPORT_TEXT_H
#define ASSAY_EXPERIMENTS_ANALYSES_REPORT_TEXT_H

#include "base/arena.h"
#include "experiments/design/srm.h"
#include "i18n/i18n.h"
#include "stats/rank_sum.h"
#include "stats/resampling.h"
#include "stats/trimmed_mean.h"
#include "stats/two_sample.h"

/* All texts belong to the arena. A degenerate result gets the degenerate wording everywhere. */

/* One line: uplift, decline, no difference, at which alpha. */
const char *report_verdict(const struct locale *locale, struct arena *arena,
                           const struct test_result *result);

/* `result` comes from two_sample_binary: rates in percent, effect in percentage points. */
const char *report_binary_interpretation(const struct locale *locale, struct arena *arena,
                                         const struct test_result *result);

/* `result` comes from two_sample_continuous on `observed`. */
const char *report_continuous_interpretation(const struct locale *locale, struct arena *arena,
                                             const struct continuous_observation *observed,
                                             const struct test_result *result);

/* `result` comes from ratio_metric_test and is not degenerate. */
const char *report_ratio_interpretation(const struct locale *locale, struct arena *arena,
                                        const struct test_result *result);

/* The equivalence test has a verdict of its own; results come from equivalence_test. */
const char *report_equivalence_verdict(const struct locale *locale, struct arena *arena,
                                       double margin, const struct test_result *result);
const char *report_equivalence_interpretation(const struct locale *locale, struct arena *arena,
                                              double margin, const struct test_result *result);

const char *report_rank_sum_interpretation(const struct locale *locale, struct arena *arena,
                                           const struct rank_sum_result *result);

/* Of resampling_means, and of resampling_quantiles for the quantile 0..1. */
const char *report_bootstrap_interpretation(const struct locale *locale, struct arena *arena,
                                            const struct resampling_result *result);
const char *report_quantile_interpretation(const struct locale *locale, struct arena *arena,
                                           double quantile, const struct resampling_result *result);

/* `trim` is the share cut off either end. */
const char *report_trimmed_interpretation(const struct locale *locale, struct arena *arena,
                                          double trim, const struct trimmed_mean_result *result);

/* Fisher's, Boschloo's or Barnard's test: `key` is that of the catalogue entry. */
const char *report_exact_interpretation(const struct locale *locale, struct arena *arena,
                                        const char *key, const struct test_result *result);

/* `result` comes from poisson_rates_test. */
const char *report_count_interpretation(const struct locale *locale, struct arena *arena,
                                        const struct test_result *result);

/* What the effect size is called; NULL when the result has none. */
const char *report_effect_size_label(const struct locale *locale, struct arena *arena,
                                     const struct test_result *result);

const char *report_srm_verdict(const struct locale *locale, struct arena *arena,
                               const struct srm_result *result);

#endif
