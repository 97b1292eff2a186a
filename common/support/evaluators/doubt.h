/*
 * What evaluators say of an answer, good or bad, and how unsure they are: a score lies near the
 * limit between the two, or evaluators contradict each other. Knows neither the database nor
 * reviewers.
 */
#ifndef ASSAY_SUPPORT_EVALUATORS_DOUBT_H
#define ASSAY_SUPPORT_EVALUATORS_DOUBT_H

#include "support/traces/evaluators.h"

/* The evaluators of evaluators.h, and the two scores by which the service answers or hands over. */
enum {
    JUDGE_QUALITY = EVALUATORS,
    JUDGE_FACTS,
    JUDGE__MAX,
};
const char *judge_name(int judge); /* "quality" and "factuality" behind evaluator_names */

enum opinion { OPINION_NONE, OPINION_GOOD, OPINION_BAD };

/* One judge of an answer; `nearness` is 1 if the score is at the limit, 0 if it is far from it. */
struct judged {
    int judge;
    enum opinion opinion;
    double nearness;
};

/* By an evaluator: bad is a score below 0.5, or from 0.5 on where 1 is bad. None if the evaluator
 * failed or says that it cannot know. */
struct judged judge_score(int evaluator, double score, const char *verdict);

/* By quality or facts, in percent, with the limit in force: near within 20 points. */
struct judged judge_percent(int judge, double score, double limit);

extern const char *const doubt_kind_names[2]; /* near_limit, disagreement */
enum doubt_kind { DOUBT_NEAR_LIMIT, DOUBT_DISAGREEMENT };

struct doubt {
    double level; /* 0 = sure, 1 = the judges could not be less sure */
    enum doubt_kind kind;
    bool about[JUDGE__MAX]; /* the judge near its limit, or the smaller of the two parties */
};

/*
 * The larger of the highest nearness and of the disagreement: twice the share of the smaller party
 * among those with an opinion.
 */
struct doubt doubt_of(const struct judged *judges, size_t count);

#endif
