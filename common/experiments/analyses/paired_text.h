/*
 * The interpretation of a test on pairs, in the reader's language. Texts belong to the arena.
 * Computes nothing.
 */
#ifndef ASSAY_EXPERIMENTS_ANALYSES_PAIRED_TEXT_H
#define ASSAY_EXPERIMENTS_ANALYSES_PAIRED_TEXT_H

#include "i18n/i18n.h"
#include "stats/paired.h"

enum paired_test { PAIRED_TEST_T, PAIRED_TEST_WILCOXON, PAIRED_TEST_MCNEMAR, PAIRED_TEST__MAX };

/* Name of the effect: mean difference, pseudomedian... */
const char *paired_effect_label(const struct locale *locale, struct arena *arena,
                                enum paired_test test);

/* For a result of that test that is not degenerate. */
const char *paired_interpretation(const struct locale *locale, struct arena *arena,
                                  enum paired_test test, const struct paired_result *result);

#endif
