/*
 * The effect of an arm whose share of the users changed from round to round by what was seen: users
 * are weighted by the probabilities that were logged when they were assigned.
 *
 * Within a round q is the logged probability of the treatment among the two arms. A user of the
 * treatment scores (1 - q)(y - m), a user of the control -q(y - m), where m was known before the
 * round. Given the past, the mean of the score is q(1 - q) times the effect whatever the values of
 * the round are like, so that sum(score) / sum(q(1 - q)) is unbiased and its errors are a
 * martingale: augmented inverse-probability weighting with the weights q(1 - q), which keep the
 * variance stable (Robins, Rotnitzky and Zhao 1994; Hadad, Hirshberg, Zhan, Wager and Athey 2021).
 * Its variance is the sum of those seen within the rounds, so that always_valid_test() holds for it
 * (Robbins 1970; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, for martingales).
 */
#ifndef ASSAY_STATS_ADAPTIVE_EFFECT_H
#define ASSAY_STATS_ADAPTIVE_EFFECT_H

#include <stdbool.h>
#include <stddef.h>

/* Users of one arm in a round: their number, mean, and squares about the mean. */
struct adaptive_cell {
    double n, mean, squares;
    double probability; /* logged, of this arm; above 0 */
};

struct adaptive_pair {
    struct adaptive_cell control, treatment;
};

struct adaptive_effect {
    bool evaluable; /* both arms have two users or more, and the variance is positive */
    double effect;
    double variance; /* of the effect */
    double users;    /* of both arms */
};

/* `rounds` in their order. `start` is the mean that is expected before the first round; a wrong one
 * costs precision and no validity. */
void adaptive_effect(const struct adaptive_pair *rounds, size_t count, double start,
                     struct adaptive_effect *result);

#endif
