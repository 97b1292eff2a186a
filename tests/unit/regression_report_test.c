/* What a regression run comes to, when a case is stale, and how figures of reports change. Numbers
 * are those of the golden cases. */
#include "support/programs/data_files.h"
#include "support/regression/report.h"
#include "support/regression/staleness.h"
#include "support/trends/weekly.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct arena *arena;

/* An answer in the order of the table: what was said, how good, how long, for how much. */
static struct execution said(const char *answer, double quality, double factuality,
                             int64_t citations, int64_t milliseconds, double cost,
                             const char *route)
{
    return (struct execution){.answer = answer,
                              .quality_score = quality,
                              .factuality_score = factuality,
                              .citation_count = citations,
                              .duration_ms = {true, milliseconds},
                              .cost_usd = {true, cost},
                              .route = route,
                              .trace_id = ""};
}

static struct case_outcome outcome_of(const char *id, const char *query,
                                      const struct curated_expected *expected,
                                      struct execution baseline, struct execution candidate)
{
    struct curated_case *item = ARENA_NEW(arena, struct curated_case);

    *item = (struct curated_case){
        .case_id = id, .tenant_id = "default", .query = query, .expected = *expected};
    return (struct case_outcome){
        .item = item,
        .severity = 1,
        .baseline = baseline,
        .candidate = candidate,
        .baseline_failures = expectations_failed(arena, expected, &baseline),
        .candidate_failures = expectations_failed(arena, expected, &candidate)};
}

static struct string_list one(const char *text)
{
    const char **items = ARENA_ARRAY(arena, const char *, 1);

    items[0] = text;
    return (struct string_list){1, items};
}

/* Three cases: one that gets worse, one that gets better, one that stays. */
static void three_cases(struct case_outcome cases[3])
{
    const struct curated_expected reset = {.contains = one("reset"),
                                           .contains_not = one("unknown"),
                                           .route = "auto",
                                           .min_quality = {true, 80},
                                           .min_factuality = {true, 90},
                                           .citations_least = {true, 1}};
    const struct curated_expected warranty = {.contains = one("warranty"),
                                              .route = "auto",
                                              .min_quality = {true, 70},
                                              .min_factuality = {true, 70}};
    struct curated_expected hours = warranty;

    hours.contains = one("hours");
    hours.citations_least = (struct optional_integer){true, 1};
    cases[0] =
        outcome_of("case-router-reset", "How do I reset the router?", &reset,
                   said("Use the reset button to reset the router.", 92, 96, 1, 1200, .011, "auto"),
                   said("Contact support.", 40, 50, 0, 1100, .005, "human"));
    cases[1] = outcome_of("case-warranty", "What is covered?", &warranty,
                          said("I am not sure.", 55, 45, 0, 900, .008, "human"),
                          said("The warranty covers the repair.", 84, 88, 1, 980, .009, "auto"));
    cases[2] = outcome_of("case-hours", "When are you there?", &hours,
                          said("Support hours are 9-5.", 87, 91, 1, 700, .006, "auto"),
                          said("Support hours are 9-5 on weekdays.", 90, 92, 2, 640, .007, "auto"));
}

static struct regression_result judged(const struct case_outcome *cases, size_t count, int64_t most,
                                       double pass_rate, const char *folder)
{
    static struct support_settings settings;
    struct problem problem = {0};
    struct regression_result result;
    struct regression_plan plan;
    const struct regression_tools tools = {
        .arena = arena, .settings = &settings, .problem = &problem};

    regression_plan_start(&plan, &settings);
    plan.run_id = "run-1";
    plan.baseline = "current";
    plan.candidate = "2026-01-01-try";
    plan.dataset = "cases.jsonl";
    plan.gate = (struct regression_gate){most, pass_rate, 0.05, 0.8, 0.05};
    plan.report_folder = folder;
    CHECK_INT(report_write(&tools, &plan, "experiment-regression", cases, count, &result),
              ERROR_NONE);
    return result;
}

static bool says(const char *text, const char *words)
{
    if (!strstr(text, words))
        printf("not said: %s in %s\n", words, text);
    return strstr(text, words) != NULL;
}

TEST(three_cases_are_summed_up)
{
    struct case_outcome cases[3];
    struct regression_result result;

    three_cases(cases);
    result = judged(cases, 3, 2, 0.5, "");
    CHECK_INT(result.exit_code, 0);
    CHECK_NEAR(result.quality_delta, -6.6667, 1e-9);
    CHECK_NEAR(result.cost_delta, -0.004, 1e-12);
    CHECK_NEAR(result.latency_delta, -26.67, 1e-9);
    CHECK(says(result.aggregate, "\"baseline_pass_rate\":0.6667"));
    CHECK(says(result.aggregate, "\"candidate_pass_rate\":0.6667"));
    CHECK(says(result.aggregate, "\"regressions\":1,\"new_passes\":1,\"neutral\":1"));
    CHECK(says(result.aggregate, "\"baseline_total_cost_usd\":0.025"));
    CHECK(says(result.aggregate, "\"candidate_total_cost_usd\":0.021"));
    CHECK(says(result.aggregate, "\"baseline_avg_latency_ms\":933.33"));
    CHECK(says(result.aggregate, "\"candidate_avg_latency_ms\":906.67"));
}

TEST(the_gate_says_why_it_is_shut)
{
    struct case_outcome cases[3];
    struct regression_result result;

    three_cases(cases);
    result = judged(cases, 3, 0, 0.5, "");
    CHECK_INT(result.exit_code, 1);
    CHECK(says(result.gate, "\"reasons\":[\"max regressions exceeded: 1 > 0\"]"));
    result = judged(cases, 3, 2, 0.85, "");
    CHECK_INT(result.exit_code, 1);
    CHECK(says(result.gate, "\"reasons\":[\"candidate pass rate 66.67% below minimum 85.00%\"]"));
    /* nothing could be evaluated: neither passed nor worse */
    for (int i = 0; i < 3; i++)
        cases[i].candidate_lost = true;
    result = judged(cases, 3, 2, 0.5, "");
    CHECK_INT(result.exit_code, 2);
    CHECK(says(result.gate, "no case could be evaluated"));
    CHECK_INT(judged(cases, 0, 2, 0.5, "").exit_code, 1);
}

/* Runs of the same second do not overwrite each other, and no answer opens a heading. */
TEST(reports_of_one_second_have_names_of_their_own)
{
    char folder[] = "/tmp/assay-report-XXXXXX";
    struct case_outcome cases[3];
    struct regression_result first, second;
    struct problem problem = {0};
    char *text;
    size_t length;

    CHECK(mkdtemp(folder) != NULL);
    three_cases(cases);
    cases[0].candidate.answer = "\n# Passed\n| a | b |\n- `all`";
    first = judged(cases, 3, 2, 0.5, folder);
    second = judged(cases, 3, 2, 0.5, folder);
    CHECK(strcmp(first.report_json, second.report_json) != 0);
    CHECK(strcmp(first.report_markdown, second.report_markdown) != 0);
    CHECK_INT(data_file_read(arena, first.report_markdown, &text, &length, &problem), ERROR_NONE);
    CHECK(!strstr(text, "\n# Passed"));
    CHECK(says(text, "\\# Passed \\| a \\| b \\| - \\`all\\`"));
    CHECK(says(text, "Infrastructure failures"));
    for (int i = 0; i < 4; i++) {
        const char *paths[] = {first.report_json, first.report_markdown, second.report_json,
                               second.report_markdown};

        CHECK_INT(data_file_remove(paths[i], &problem), ERROR_NONE);
    }
    CHECK_INT(rmdir(folder), 0);
}

TEST(names_become_slugs)
{
    CHECK_TEXT(data_file_slug(arena, "Mistral Small/Latest 2.5"), "mistral-small-latest-2-5");
    CHECK_TEXT(data_file_slug(arena, ""), "current");
}

TEST(a_case_is_stale_by_its_first_difference)
{
    static const struct {
        double quality;
        const char *route, *reason;
    } rows[] = {{70, "auto", NULL}, {69, "auto", "quality_drop"}, {90, "human", "route_drift"}};
    const struct curated_expected expected = {
        .contains = one("reset"), .route = "auto", .min_quality = {true, 80}};
    const struct curated_case item = {.case_id = "c", .tenant_id = "t", .expected = expected};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct execution now =
            said("Use the reset button.", rows[i].quality, 100, 1, 1, 0, rows[i].route);
        const struct stale_case stale = staleness_of(arena, &item, &now);

        CHECK_TEXT(stale.reason ? stale.reason : "", rows[i].reason ? rows[i].reason : "");
    }
}

TEST(changes_are_told_with_their_sign)
{
    const struct optional_number nothing = {.given = false};

    CHECK_TEXT(weekly_change(arena, 10, 5), "+100.0%");
    CHECK_TEXT(weekly_change(arena, 0, 0), "n/a");
    CHECK_TEXT(weekly_change(arena, 3, 0), "+100.0%");
    CHECK_TEXT(weekly_change(arena, 4, 5), "-20.0%");
    CHECK_TEXT(weekly_change_of_share(arena, GIVEN_NUMBER(.6), GIVEN_NUMBER(.4)), "+20.0 pp");
    CHECK_TEXT(weekly_change_of_share(arena, GIVEN_NUMBER(.583), nothing), "n/a");
    CHECK_TEXT(weekly_change_of_share(arena, nothing, GIVEN_NUMBER(.583)), "n/a");
}

int main(void)
{
    static const struct test_case cases[] = {CASE(three_cases_are_summed_up),
                                             CASE(the_gate_says_why_it_is_shut),
                                             CASE(reports_of_one_second_have_names_of_their_own),
                                             CASE(names_become_slugs),
                                             CASE(a_case_is_stale_by_its_first_difference),
                                             CASE(changes_are_told_with_their_sign)};
    int failed;

    arena = arena_create((size_t)256 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
