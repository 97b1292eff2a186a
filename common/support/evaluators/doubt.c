/* Opinions of evaluators, and how sure they are together. */
#include "support/evaluators/doubt.h"

#include <math.h>
#include <string.h>

static const double limit_of_scores = 0.5, near_points = 20;

const char *const doubt_kind_names[2] = {"near_limit", "disagreement"};

const char *judge_name(int judge)
{
    static const char *const scores[] = {"quality", "factuality"};

    return judge < EVALUATORS ? evaluator_names[judge] : scores[judge - EVALUATORS];
}

static bool knows_nothing(const char *verdict)
{
    static const char *const without[] = {"error", "timeout", "unknown", "low_confidence"};

    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        if (strcmp(verdict, without[i]) == 0)
            return true;
    }
    return false;
}

struct judged judge_score(int evaluator, double score, const char *verdict)
{
    bool high = score >= limit_of_scores,
         high_is_bad = evaluator_lower_is_better(evaluator_names[evaluator]);

    if (knows_nothing(verdict))
        return (struct judged){.judge = evaluator};
    return (struct judged){.judge = evaluator,
                           .opinion = high == high_is_bad ? OPINION_BAD : OPINION_GOOD,
                           .nearness = fmax(1 - 2 * fabs(score - limit_of_scores), 0)};
}

struct judged judge_percent(int judge, double score, double limit)
{
    return (struct judged){.judge = judge,
                           .opinion = score < limit ? OPINION_BAD : OPINION_GOOD,
                           .nearness = fmax(1 - fabs(score - limit) / near_points, 0)};
}

static struct doubt nearest(const struct judged *judges, size_t count)
{
    struct doubt doubt = {.kind = DOUBT_NEAR_LIMIT};
    size_t place = 0;

    for (size_t i = 0; i < count; i++) {
        if (judges[i].nearness > doubt.level) {
            doubt.level = judges[i].nearness;
            place = i;
        }
    }
    if (doubt.level > 0)
        doubt.about[judges[place].judge] = true;
    return doubt;
}

static struct doubt disagreement(const struct judged *judges, size_t count)
{
    struct doubt doubt = {.kind = DOUBT_DISAGREEMENT};
    size_t with[3] = {0};
    enum opinion fewer;

    for (size_t i = 0; i < count; i++)
        with[judges[i].opinion]++;
    fewer = with[OPINION_BAD] <= with[OPINION_GOOD] ? OPINION_BAD : OPINION_GOOD;
    if (with[fewer] == 0)
        return doubt;
    doubt.level = 2.0 * (double)with[fewer] / (double)(with[OPINION_BAD] + with[OPINION_GOOD]);
    for (size_t i = 0; i < count; i++) {
        if (judges[i].opinion == fewer)
            doubt.about[judges[i].judge] = true;
    }
    return doubt;
}

struct doubt doubt_of(const struct judged *judges, size_t count)
{
    struct doubt near = nearest(judges, count), differing = disagreement(judges, count);

    return near.level >= differing.level ? near : differing;
}
