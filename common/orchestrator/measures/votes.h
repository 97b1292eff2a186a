/* Confidence stated by answers, weights of clusters, and the winner of a ranking. */
#ifndef ASSAY_ORCHESTRATOR_MEASURES_VOTES_H
#define ASSAY_ORCHESTRATOR_MEASURES_VOTES_H

#include "orchestrator/measures/similarity.h"
#include "orchestrator/names.h"

/* The confidence stated in an answer, 0 to 10: "Confidence: 8/10", "confidence=80%", also in
 * Russian. 5 when it states none. */
double stated_confidence(const char *text);

/* Weight of a cluster among all: sums of confidences over 10. Its share of answers if all weights
 * are 0; 0 for no answers. `weights` holds `total` numbers from 0 to 1. */
double weighted_vote(const struct cluster *cluster, const double *weights, size_t total);

/* The same with lower weights for answers of later rounds: 0.8^round. */
double round_weighted_vote(const struct cluster *cluster, const int *rounds, size_t total);

enum divergence_action {
    DIVERGENCE_ACCEPT,
    DIVERGENCE_DEBATE,
    DIVERGENCE_EXPAND,
    DIVERGENCE_ESCALATE,
    DIVERGENCE_ACTION__MAX
};
extern const char *const divergence_action_names[DIVERGENCE_ACTION__MAX + 1];

struct divergence {
    enum divergence_action action;
    int extra; /* number of additional answers when expanding */
};
struct divergence divergence_of(double score, int round, int max_rounds);

/* The order of `count` answers from a reply with their numbers (from 1): numbers that occur once
 * and are in range first, the missing ones after them in their order. Indices from 0. */
void parse_ranking(const char *reply, size_t count, size_t *wanted);

/* The winner by Borda count (1770): n - position points in each of `voters` rankings, stored one
 * after the other. The lower index of equal ones. */
size_t borda_winner(const size_t *orders, size_t voters, size_t count);

/* Parameters of consensus by kind of prompt. */
struct consensus_rule {
    double target;
    int max_rounds, per_round;
    bool debate, cross_pollination;
};
const struct consensus_rule *consensus_rule_of(enum task_type type);

#endif
