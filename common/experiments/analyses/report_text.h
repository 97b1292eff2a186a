/*
 * Verdicts and interpretations of finished tests, in the reader's language.
 * Numbers print the same in every language; texts come from the catalogs. Computes nothing.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_REPORT_TEXT_H
#define ASSAY_EXPERIMENTS_ANALYSES_REPORT_TEXT_H

#include "base/arena.h"
#include "experiments/design/srm.h"
#include "i18n/i18n.h"
#include "stats/two_sample.h"

/* All texts belong to the arena. A degenerate result always gets the degenerate text. */

/* One line: uplift, decline or no difference, with alpha. */
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

/* Fisher's, Boschloo's or Barnard's test: `key` is the key in the catalogs. */
const char *report_exact_interpretation(const struct locale *locale, struct arena *arena,
                                        const char *key, const struct test_result *result);

/* Name of the effect size; NULL when the result has none. */
const char *report_effect_size_label(const struct locale *locale, struct arena *arena,
                                     const struct test_result *result);

/* Parts of sentences: the text of a degenerate result, the level of its interval in percent, its
 * alpha, and the effect size of a ratio, or the text of that key if it is undefined. */
const char *report_degenerate(const struct locale *locale, struct arena *arena);
const char *report_level(struct arena *arena, const struct test_result *result);
const char *report_alpha(struct arena *arena, const struct test_result *result);
const char *report_effect_ratio(const struct locale *locale, struct arena *arena,
                                const struct test_result *result, const char *undefined_key);

const char *report_srm_verdict(const struct locale *locale, struct arena *arena,
                               const struct srm_result *result);

#endif
