/*
 * The score interval of a ratio of two rates (Koopman 1984), as a relative lift.
 */
#ifndef ASSAY_STATS_RATIO_SCORE_H
#define ASSAY_STATS_RATIO_SCORE_H

#include "stats/two_sample.h"

/* The ratios treatment / control that the score test does not reject, less 1, in percent. Its width
 * is never 0 and its lower end never below -100 %. RELATIVE_OF_ZERO without a control
 * conversion. */
struct relative_lift ratio_score_lift(const struct binary_observation *observed);

#endif
