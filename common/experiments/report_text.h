/*
 * What a result means, in the reader's language: verdicts and interpretations of finished tests.
 * Numbers print the same in every language; wording comes from the catalogues. Computes nothing.
 */
#ifndef ASSAY_EXPERIMENTS_REPORT_TEXT_H
#define ASSAY_EXPERIMENTS_REPORT_TEXT_H

#include "base/arena.h"
#include "experiments/srm.h"
#include "experiments/two_sample.h"
#include "i18n/i18n.h"

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

const char *report_srm_verdict(const struct locale *locale, struct arena *arena,
                               const struct srm_result *result);

#endif
