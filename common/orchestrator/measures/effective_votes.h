/*
 * How many independent votes the votes of several models are worth. Models err together, so that
 * n equal votes prove less than n independent ones: Kish's n / (1 + (n - 1) r), r the mean
 * correlation of their errors (L. Kish, Survey Sampling, 1965).
 *
 * r and the mean error rate e are learned from past questions by a beta-binomial model: on each
 * question all models err with the same probability, which varies between questions by a beta
 * distribution with mean e and intraclass correlation r. A question whose right answer is known
 * counts its errors; of others, the right answer is that of the largest or of the second largest
 * group, by the likelihood of each. The estimates are posterior means: e is uniform up to 1/2, and
 * r has the density 1.3 (1 - r)^0.3, mean 0.43, for which nine votes are worth two.
 *
 * Without known answers r can be told from e only roughly: independent models that seldom err, and
 * models that err together, agree alike.
 */
#ifndef ASSAY_ORCHESTRATOR_MEASURES_EFFECTIVE_VOTES_H
#define ASSAY_ORCHESTRATOR_MEASURES_EFFECTIVE_VOTES_H

#include <stddef.h>
#include <stdint.h>

enum { VOTERS_MAX = 16, RIGHT_UNKNOWN = -1 };

/* Questions that ended alike. Each model has one vote; equal answers form groups. */
struct vote_record {
    int64_t voters; /* 2 to VOTERS_MAX; others do not count */
    int64_t first;  /* votes of the largest group */
    int64_t second; /* of the second largest; 0 = all agreed */
    int64_t right;  /* voters that were right, or RIGHT_UNKNOWN */
    int64_t questions;
};

struct vote_estimate {
    double correlation;         /* of errors, 0 to 1 */
    double error_rate;          /* of one model, 0 to 1/2 */
    double independent;         /* effective votes of `voters` */
    double majority_error_rate; /* of the majority of `voters`; a tie counts half */
    int64_t known, unknown;     /* questions with and without a known answer */
};

void votes_estimate(const struct vote_record *records, size_t count, size_t voters,
                    struct vote_estimate *estimate);

/* The fewest further votes that can decide: after them the largest group can have more votes than
 * any other can still get. 0 = it has already. `open` models have not voted yet. */
size_t votes_needed(size_t first, size_t second, size_t open);

#endif
