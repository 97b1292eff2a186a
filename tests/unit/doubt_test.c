/* Opinions of evaluators, and of which answers they are least sure. */
#include "support/evaluators/doubt.h"
#include "test.h"

static void check_opinion(int evaluator, double score, const char *verdict, enum opinion opinion,
                          double nearness)
{
    struct judged judged = judge_score(evaluator, score, verdict);

    CHECK_INT(judged.judge, evaluator);
    CHECK_INT(judged.opinion, opinion);
    CHECK_NEAR(judged.nearness, nearness, 1e-12);
}

TEST(the_two_scores_have_names_behind_the_evaluators)
{
    CHECK_TEXT(judge_name(EVALUATORS - 1), evaluator_names[EVALUATORS - 1]);
    CHECK_TEXT(judge_name(JUDGE_QUALITY), "quality");
    CHECK_TEXT(judge_name(JUDGE_FACTS), "factuality");
    CHECK_INT(evaluator_of_name("quality"), EVALUATORS);
}

TEST(an_opinion_is_good_or_bad_by_half_of_the_scale)
{
    int coverage = evaluator_of_name("citation_coverage"),
        refusal = evaluator_of_name("refusal_detected");

    check_opinion(coverage, 1, "ok", OPINION_GOOD, 0);
    check_opinion(coverage, 0.5, "partial", OPINION_GOOD, 1);
    check_opinion(coverage, 0.4, "partial", OPINION_BAD, 0.8);
    check_opinion(coverage, 0, "missing", OPINION_BAD, 0);
    check_opinion(refusal, 1, "refusal", OPINION_BAD, 0);
    check_opinion(refusal, 0, "ok", OPINION_GOOD, 0);
}

TEST(an_evaluator_that_failed_or_cannot_know_has_no_opinion)
{
    const char *const without[] = {"error", "timeout", "unknown", "low_confidence"};

    for (size_t i = 0; i < 4; i++)
        check_opinion(evaluator_of_name("language_mismatch"), 0, without[i], OPINION_NONE, 0);
}

TEST(quality_is_near_its_limit_within_twenty_points)
{
    struct judged at = judge_percent(JUDGE_QUALITY, 80, 80),
                  below = judge_percent(JUDGE_QUALITY, 75, 80),
                  far = judge_percent(JUDGE_FACTS, 20, 70);

    CHECK_INT(at.opinion, OPINION_GOOD);
    CHECK_NEAR(at.nearness, 1, 0);
    CHECK_INT(below.opinion, OPINION_BAD);
    CHECK_NEAR(below.nearness, 0.75, 1e-12);
    CHECK_INT(far.opinion, OPINION_BAD);
    CHECK_NEAR(far.nearness, 0, 0);
}

TEST(doubt_names_the_score_at_its_limit_or_the_smaller_party)
{
    const struct judged sure[] = {judge_percent(JUDGE_QUALITY, 100, 80), judge_score(0, 1, "ok")},
                        near[] = {judge_percent(JUDGE_QUALITY, 82, 80), judge_score(0, 1, "ok"),
                                  judge_score(4, 0, "ok")},
                        split[] = {judge_percent(JUDGE_QUALITY, 100, 80),
                                   judge_score(0, 0, "missing"), judge_score(4, 0, "ok"),
                                   judge_score(6, 0, "unknown"), judge_score(2, 0, "low")};
    struct doubt doubt = doubt_of(sure, 2);

    CHECK_NEAR(doubt.level, 0, 0);
    doubt = doubt_of(near, 3);
    CHECK_NEAR(doubt.level, 0.9, 1e-12);
    CHECK_INT(doubt.kind, DOUBT_NEAR_LIMIT);
    CHECK(doubt.about[JUDGE_QUALITY] && !doubt.about[0]);
    doubt = doubt_of(split, 5);
    CHECK_NEAR(doubt.level, 1, 0);
    CHECK_INT(doubt.kind, DOUBT_DISAGREEMENT);
    CHECK(doubt.about[0] && doubt.about[2] && !doubt.about[JUDGE_QUALITY] && !doubt.about[6]);
    CHECK_NEAR(doubt_of(NULL, 0).level, 0, 0);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(the_two_scores_have_names_behind_the_evaluators),
        CASE(an_opinion_is_good_or_bad_by_half_of_the_scale),
        CASE(an_evaluator_that_failed_or_cannot_know_has_no_opinion),
        CASE(quality_is_near_its_limit_within_twenty_points),
        CASE(doubt_names_the_score_at_its_limit_or_the_smaller_party)};

    return test_run_all(cases, sizeof cases / sizeof cases[0]);
}
