/* How sure answers say they are, what clusters weigh, and who wins a ranking. */
#ifndef ASSAY_ORCHESTRATOR_MEASURES_VOTES_H
#define ASSAY_ORCHESTRATOR_MEASURES_VOTES_H

#include "orchestrator/measures/similarity.h"
#include "orchestrator/names.h"

/* What an answer says of itself, 0 to 10: "Confidence: 8/10", "confidence=80%", also in Russian. 5
 * when it says nothing. */
double stated_confidence(const char *text);

/* Weight of a cluster among all: sums of confidences over 10. Without any weight its share; 0 of
 * nothing. `weights` holds `total` numbers from 0 to 1. */
double weighted_vote(const struct cluster *cluster, const double *weights, size_t total);

/* The same with answers of later rounds counting less: weights 0.8^round. */
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
    int extra; /* further answers to ask for, when expanding */
};
struct divergence divergence_of(double score, int round, int max_rounds);

/* The order of `count` answers out of a reply with their numbers (from 1): those named once and in
 * range first, the missing ones behind in their order. Indices from 0. */
void parse_ranking(const char *reply, size_t count, size_t *wanted);

/* The winner by Borda's count (1770): n - position points for each of `voters` orders, laid one
 * after the other. The lower index of equals. */
size_t borda_winner(const size_t *orders, size_t voters, size_t count);

/* Parameters of consensus by kind of prompt. */
struct consensus_rule {
    double target;
    int max_rounds, per_round;
    bool debate, cross_pollination;
};
const struct consensus_rule *consensus_rule_of(enum task_type type);

#endif
