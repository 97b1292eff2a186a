/* What several results come to: the golden cases of aggregation. */
#include "orchestrator/runs/aggregate.h"
#include "orchestrator/runs/decompose.h"

#include "test.h"

#include "base/json.h"

static struct arena *arena;
static struct catalog catalog;

static struct result make(const char *id, int status, int code, const char *text)
{
    const struct model *model = catalog_find(&catalog, id);

    return (struct result){.model = model,
                           .executed = model,
                           .adapter_name = adapter_name_of(arena, model),
                           .status = status,
                           .failure_code = code,
                           .failure_message = status == RUN_FAILED ? text : NULL,
                           .text = status == RUN_SUCCEEDED ? text : NULL};
}

static struct outcome come_to(const struct result *results, size_t count, int64_t quorum, int merge,
                              bool dry)
{
    struct run run = {.arena = arena, .dry_run = dry};
    struct outcome outcome;

    aggregate(&run, results, count, quorum, merge, &outcome);
    return outcome;
}

static json_t *details_of(const struct outcome *outcome)
{
    struct json_fault fault;
    json_t *details = NULL;

    CHECK_INT(json_read(arena, outcome->details, strlen(outcome->details), 8, &details, &fault),
              ERROR_NONE);
    return details;
}

TEST(too_few_succeed_for_different_reasons)
{
    const struct result results[] = {
        make("gpt-5-4-api", RUN_FAILED, FAILURE_TIMEOUT, "t"),
        make("claude-sonnet-4-6-api", RUN_SUCCEEDED, FAILURE_NONE, "B"),
        make("best", RUN_FAILED, FAILURE_RATE_LIMITED, "r")};
    struct outcome outcome = come_to(results, 3, 2, MERGE_FIRST_SUCCESS, false);

    CHECK_INT(outcome.status, RUN_FAILED);
    CHECK_INT(outcome.failure_code, FAILURE_UNKNOWN);
    CHECK_TEXT(outcome.failure_message,
               "2 steps failed with different errors: gpt-5-4-api=timeout, best=rate_limited");
    CHECK(!outcome.output_text);
    CHECK_INT(json_integer_value(json_object_get(details_of(&outcome), "winning_step_index")), 2);
    CHECK_INT(outcome.execution_mode, MODE_MIXED);
}

TEST(enough_succeed)
{
    const struct result results[] = {
        make("best", RUN_FAILED, FAILURE_TIMEOUT, "t"),
        make("gpt-5-4-api", RUN_SUCCEEDED, FAILURE_NONE, "B"),
        make("claude-sonnet-4-6-api", RUN_SUCCEEDED, FAILURE_NONE, "C")};
    struct outcome outcome = come_to(results, 3, 2, MERGE_FIRST_SUCCESS, false);
    json_t *details = details_of(&outcome);

    CHECK_INT(outcome.status, RUN_SUCCEEDED);
    CHECK_TEXT(outcome.output_text, "B");
    CHECK_TEXT(outcome.adapter_name, "multi");
    CHECK_INT(json_array_size(json_object_get(details, "failure_codes")), 1);
    outcome = come_to(results, 3, 2, MERGE_CONCAT, false);
    CHECK_TEXT(outcome.output_text, "B\n\nC");
    CHECK(!outcome.winner);
}

TEST(all_fail_alike)
{
    struct result results[] = {make("best", RUN_FAILED, FAILURE_TIMEOUT, "t"),
                               make("sonar", RUN_FAILED, FAILURE_TIMEOUT, "t"),
                               make("max", RUN_FAILED, FAILURE_TIMEOUT, "t")};
    struct outcome outcome = come_to(results, 3, 1, MERGE_FIRST_SUCCESS, false);

    CHECK_INT(outcome.failure_code, FAILURE_TIMEOUT);
    CHECK_TEXT(outcome.failure_message, "All 3 steps failed: t");
    outcome = come_to(results, 1, 1, MERGE_FIRST_SUCCESS, false);
    CHECK_TEXT(outcome.failure_message, "t");
    results[0].failure_message = results[1].failure_message = NULL;
    outcome = come_to(results, 2, 1, MERGE_FIRST_SUCCESS, false);
    CHECK_TEXT(outcome.failure_message, "All 2 steps failed: timeout");
}

TEST(nothing_happened)
{
    const struct result results[] = {make("best", RUN_CANCELLED, FAILURE_NONE, NULL)};
    struct outcome outcome = come_to(results, 1, 1, MERGE_FIRST_SUCCESS, false);

    CHECK_INT(outcome.status, RUN_CANCELLED);
    CHECK(!outcome.cancel_reason);
}

TEST(dry_runs_succeed)
{
    const struct result results[] = {make("best", RUN_SUCCEEDED, FAILURE_NONE, "x"),
                                     make("gpt-5-4-api", RUN_SUCCEEDED, FAILURE_NONE, "x")};
    struct outcome outcome = come_to(results, 2, 2, MERGE_CONCAT, true);

    CHECK_INT(outcome.status, RUN_SUCCEEDED);
    CHECK_TEXT(outcome.output_text, "x\n\nx");
    CHECK_TEXT(outcome.adapter_name, "dry_run");
    CHECK_INT(outcome.execution_mode, MODE_DRY_RUN);
}

/* A provider may tell of any number of tokens. */
TEST(sums_that_are_too_large_are_not_given)
{
    struct step_record steps[] = {
        {.input_tokens = GIVEN_INTEGER(INT64_MAX), .output_tokens = GIVEN_INTEGER(INT64_MAX)},
        {.input_tokens = GIVEN_INTEGER(1), .output_tokens = GIVEN_INTEGER(0)},
        {.input_tokens = GIVEN_INTEGER(2)}};
    const struct decomposition decomposition = {.was_decomposed = true};
    struct run run = {.arena = arena, .steps = {3, steps}};

    decompose_join_steps(&run, &decomposition);
    CHECK_INT(run.steps.count, 1);
    CHECK(!run.steps.items[0].input_tokens.given);
    CHECK(run.steps.items[0].output_tokens.given);
    CHECK(run.steps.items[0].output_tokens.value == INT64_MAX);
}

int main(void)
{
    static const struct test_case cases[] = {CASE(too_few_succeed_for_different_reasons),
                                             CASE(enough_succeed),
                                             CASE(all_fail_alike),
                                             CASE(nothing_happened),
                                             CASE(dry_runs_succeed),
                                             CASE(sums_that_are_too_large_are_not_given)};
    int failed;

    arena = arena_create(16 << 20);
    catalog_make_static(arena, true, &catalog);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
