/* Saved designs: what is read, what is refused, what is stored, and what of it is sized. */
#include "experiments/payloads/payload.h"
#include "test.h"

static struct arena *arena;

enum block { PROJECT, HYPOTHESIS, SETUP, METRICS, CONSTRAINTS, CONTEXT, BLOCK__MAX };

static const char *const block_names[BLOCK__MAX] = {"project", "hypothesis",  "setup",
                                                    "metrics", "constraints", "additional_context"};

#define SETUP_START                                                                                \
    "{\"experiment_type\":\"ab\",\"randomization_unit\":\"user\",\"expected_daily_traffic\":"      \
    "12000,"                                                                                       \
    "\"audience_share_in_test\":0.6,\"inclusion_criteria\":\"\",\"exclusion_criteria\":\"\""
#define SPLIT ",\"traffic_split\":[50,50],\"variants_count\":2"
#define METRICS_START "{\"primary_metric_name\":\"m\",\"mde_pct\":5,\"alpha\":0.05,\"power\":0.8"
#define BINARY ",\"metric_type\":\"binary\",\"baseline_value\":0.042"
#define CONTINUOUS ",\"metric_type\":\"continuous\",\"baseline_value\":45"
#define RATIO ",\"metric_type\":\"ratio\",\"baseline_value\":0.05"
#define COUNT ",\"metric_type\":\"count\",\"baseline_value\":3.5"
#define CONSTRAINTS_START                                                                          \
    "{\"seasonality_present\":true,\"active_campaigns_present\":false,"                            \
    "\"returning_users_present\":true,\"interference_risk\":\"\",\"technical_constraints\":\"\","  \
    "\"legal_or_ethics_constraints\":\"\",\"known_risks\":\"\",\"deadline_pressure\":\"\","        \
    "\"long_test_possible\":true"

static const char *const plain_blocks[BLOCK__MAX] = {
    "{\"project_name\":\"P\",\"domain\":\"\",\"product_type\":\"\",\"platform\":\"\",\"market\":"
    "\"\","
    "\"project_description\":\"\"}",
    "{\"change_description\":\"\",\"target_audience\":\"\",\"business_problem\":\"\","
    "\"hypothesis_statement\":\"H\",\"what_to_validate\":\"\",\"desired_result\":\"\"}",
    SETUP_START SPLIT "}",
    METRICS_START BINARY "}",
    CONSTRAINTS_START "}",
    NULL};

/* A whole payload with one block in place of the plain one. */
static const char *with_block(enum block which, const char *block)
{
    struct text text;

    text_start(&text, arena, 100000);
    for (enum block i = PROJECT; i < BLOCK__MAX; i++) {
        const char *content = i == which ? block : plain_blocks[i];

        if (content)
            text_append_format(&text, "%s\"%s\":%s", text.length ? "," : "{", block_names[i],
                               content);
    }
    text_append_byte(&text, '}');
    return text.bytes;
}

static const struct experiment_payload *decode(const char *text, struct schema_errors *errors)
{
    struct experiment_payload *payload = ARENA_NEW(arena, struct experiment_payload);
    struct json_fault fault;
    json_t *json;

    *errors = (struct schema_errors){0};
    if (json_read(arena, text, strlen(text), JSON_DEPTH_LIMIT, &json, &fault)) {
        printf("%s: %s\n", text, fault.text);
        test_failures_here++;
        return NULL;
    }
    return schema_decode(&payload_schema, json, "body", payload, errors, arena) ? NULL : payload;
}

static const struct experiment_payload *decoded(const char *text)
{
    struct schema_errors errors;
    const struct experiment_payload *payload = decode(text, &errors);

    CHECK(payload);
    return payload;
}

TEST(the_example_fits)
{
    const struct experiment_payload *payload = decoded(payload_schema.example);

    CHECK_TEXT(payload->project->project_name, "Checkout button");
    CHECK_INT(payload->setup->variants_count, 2);
}

/* The stored form in full: every key there is, in one order. */
TEST(stored_form)
{
    const struct experiment_payload *payload =
        decoded(with_block(METRICS, METRICS_START BINARY ",\"secondary_metrics\":[\"s\"]}"));

    CHECK_TEXT(
        payload_to_json(payload, arena),
        "{\"project\":{\"project_name\":\"P\",\"domain\":\"\",\"product_type\":\"\",\"platform\":"
        "\"\","
        "\"market\":\"\",\"project_description\":\"\"},"
        "\"hypothesis\":{\"change_description\":\"\",\"target_audience\":\"\",\"business_problem\":"
        "\"\","
        "\"hypothesis_statement\":\"H\",\"what_to_validate\":\"\",\"desired_result\":\"\"},"
        "\"setup\":{\"experiment_type\":\"ab\",\"randomization_unit\":\"user\",\"traffic_split\":["
        "50,50],"
        "\"expected_daily_traffic\":12000,\"audience_share_in_test\":0.6,\"variants_count\":2,"
        "\"inclusion_criteria\":\"\",\"exclusion_criteria\":\"\",\"avg_cluster_size\":null,"
        "\"icc\":null,\"namespace\":null,\"targeting_rules\":[]},"
        "\"metrics\":{\"primary_metric_name\":\"m\",\"metric_type\":\"binary\",\"baseline_value\":"
        "0.042,"
        "\"expected_uplift_pct\":null,\"mde_pct\":5.0,\"direction\":\"increase\",\"exposure_per_"
        "user\":null,"
        "\"planned_test\":null,\"equivalence_margin_pct\":null,\"alpha\":0.05,\"power\":0.8,"
        "\"std_dev\":null,\"cuped_pre_experiment_std\":null,\"cuped_correlation\":null,"
        "\"numerator_metric_name\":null,\"denominator_metric_name\":null,"
        "\"secondary_metrics\":[\"s\"],\"guardrail_metrics\":[],"
        "\"conversion_window\":\"all\",\"conversion_window_days\":null},"
        "\"constraints\":{\"seasonality_present\":true,\"active_campaigns_present\":false,"
        "\"returning_users_present\":true,\"interference_risk\":\"\",\"technical_constraints\":"
        "\"\","
        "\"legal_or_ethics_constraints\":\"\",\"known_risks\":\"\",\"deadline_pressure\":\"\","
        "\"long_test_possible\":true,\"n_looks\":1,\"analysis_mode\":\"frequentist\","
        "\"desired_precision\":null,\"credibility\":0.95,\"holdout_fraction\":null,"
        "\"mutually_exclusive_experiments\":null},"
        "\"additional_context\":{\"llm_context\":\"\",\"observed_results\":null}}");
}

static const struct {
    enum block block;
    const char *content;
} accepted[] = {
    {PROJECT, NULL}, /* plain */
    {CONTEXT, "{}"},
    {CONTEXT, "{\"llm_context\":\"ask\",\"observed_results\":null}"},
    {SETUP, SETUP_START ",\"traffic_split\":[33.3,33.3,33.4],\"variants_count\":3}"},
    {SETUP, SETUP_START SPLIT ",\"avg_cluster_size\":1,\"icc\":1}"},
    {SETUP, SETUP_START SPLIT
     ",\"icc\":0,\"namespace\":{\"id\":\"n\",\"range_start\":0,\"range_end\":1}}"},
    {SETUP,
     SETUP_START SPLIT ",\"targeting_rules\":["
                       "{\"attribute\":\"a\",\"operator\":\"in\",\"value\":[]},"
                       "{\"attribute\":\"a\",\"operator\":\"in\",\"value\":[\"x\",5,5.0,true]},"
                       "{\"attribute\":\"a\",\"operator\":\"equals\",\"value\":true},"
                       "{\"attribute\":\"a\",\"operator\":\"gt\",\"value\":\"4.2\"},"
                       "{\"attribute\":\"a\",\"operator\":\"lte\",\"value\":1e22}]}"},
    {METRICS,
     METRICS_START CONTINUOUS ",\"std_dev\":12,\"planned_test\":\"tost\","
                              "\"equivalence_margin_pct\":2.5,\"cuped_correlation\":-0.99}"},
    {METRICS,
     METRICS_START RATIO ",\"numerator_metric_name\":\"n\",\"denominator_metric_name\":\"d\","
                         "\"planned_test\":\"z_test\"}"},
    {METRICS, METRICS_START COUNT ",\"exposure_per_user\":0.5}"},
    {METRICS, METRICS_START BINARY
     ",\"planned_test\":\"fisher_exact\",\"guardrail_metrics\":["
     "{\"name\":\"g\",\"metric_type\":\"binary\",\"baseline_rate\":2.4},"
     "{\"name\":\"h\",\"metric_type\":\"continuous\",\"baseline_mean\":-1,\"std_dev\":2,"
     "\"direction\":\"decrease_is_bad\",\"non_inferiority_margin_pct\":0}]}"},
    {CONSTRAINTS, CONSTRAINTS_START
     ",\"analysis_mode\":\"bayesian\",\"desired_precision\":0.01,"
     "\"n_looks\":100,\"holdout_fraction\":0,\"mutually_exclusive_experiments\":100}"},
};

/* Reading what was written gives the same text again, so nothing is lost by saving. */
TEST(accepted_and_stored_for_good)
{
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        const char *text =
            with_block(accepted[i].content ? accepted[i].block : BLOCK__MAX, accepted[i].content);
        const char *stored = payload_to_json(decoded(text), arena);

        CHECK_TEXT(payload_to_json(decoded(stored), arena), stored);
    }
}

TEST(targeting_values_keep_their_kind)
{
    const char *stored = payload_to_json(decoded(with_block(SETUP, accepted[6].content)), arena);

    CHECK(strstr(stored, "\"value\":[\"x\",5,5.0,true]"));
    CHECK(strstr(stored, "\"value\":\"4.2\""));
    CHECK(strstr(stored, "\"value\":1e+22") || strstr(stored, "\"value\":1e22"));
}

static const struct {
    enum block block;
    const char *content;
    const char *rule;
} broken[] = {
    {SETUP, SETUP_START ",\"traffic_split\":[50,50],\"variants_count\":3}", "traffic_split_length"},
    {SETUP, SETUP_START ",\"traffic_split\":[100,0],\"variants_count\":2}",
     "traffic_split_positive"},
    {SETUP, SETUP_START SPLIT ",\"avg_cluster_size\":0.99}", "cluster_size_min"},
    {SETUP, SETUP_START SPLIT ",\"icc\":1.01}", "icc_range"},
    {SETUP, SETUP_START SPLIT ",\"icc\":-0.01}", "icc_range"},
    {SETUP,
     SETUP_START SPLIT ",\"namespace\":{\"id\":\"n\",\"range_start\":0.5,\"range_end\":0.5}}",
     "namespace_range_order"},
    {SETUP,
     SETUP_START SPLIT
     ",\"targeting_rules\":[{\"attribute\":\"a\",\"operator\":\"in\",\"value\":1}]}",
     "targeting_in_requires_list"},
    {SETUP,
     SETUP_START SPLIT
     ",\"targeting_rules\":[{\"attribute\":\"a\",\"operator\":\"lt\",\"value\":[]}]}",
     "targeting_numeric_requires_number"},
    {SETUP,
     SETUP_START SPLIT
     ",\"targeting_rules\":[{\"attribute\":\"a\",\"operator\":\"gte\",\"value\":false}]}",
     "targeting_numeric_requires_number"},
    {SETUP,
     SETUP_START SPLIT
     ",\"targeting_rules\":[{\"attribute\":\"a\",\"operator\":\"equals\",\"value\":{}}]}",
     "targeting_value_type"},
    {SETUP,
     SETUP_START SPLIT
     ",\"targeting_rules\":[{\"attribute\":\"a\",\"operator\":\"in\",\"value\":[null]}]}",
     "targeting_value_type"},
    {METRICS, METRICS_START ",\"metric_type\":\"binary\",\"baseline_value\":1}",
     "binary_baseline_range"},
    {METRICS, METRICS_START ",\"metric_type\":\"binary\",\"baseline_value\":0}",
     "binary_baseline_range"},
    {METRICS, METRICS_START ",\"metric_type\":\"continuous\",\"baseline_value\":0,\"std_dev\":1}",
     "continuous_baseline_positive"},
    {METRICS, METRICS_START CONTINUOUS "}", "continuous_std_positive"},
    {METRICS, METRICS_START CONTINUOUS ",\"std_dev\":0}", "continuous_std_positive"},
    {METRICS, METRICS_START ",\"metric_type\":\"count\",\"baseline_value\":0}",
     "count_baseline_positive"},
    {METRICS, METRICS_START BINARY ",\"planned_test\":\"tost\",\"equivalence_margin_pct\":1}",
     "planned_test_metric_mismatch"},
    {METRICS, METRICS_START COUNT ",\"planned_test\":\"z_test\"}", "planned_test_metric_mismatch"},
    {METRICS, METRICS_START CONTINUOUS ",\"std_dev\":1,\"planned_test\":\"tost\"}",
     "tost_margin_required"},
    {METRICS,
     METRICS_START BINARY ",\"guardrail_metrics\":[{\"name\":\"g\",\"metric_type\":\"binary\"}]}",
     "binary_guardrail_requires_baseline_rate"},
    {METRICS,
     METRICS_START BINARY
     ",\"guardrail_metrics\":[{\"name\":\"g\",\"metric_type\":\"continuous\",\"std_dev\":1}]}",
     "continuous_guardrail_requires_mean_and_std"},
    {CONSTRAINTS, CONSTRAINTS_START ",\"analysis_mode\":\"bayesian\"}",
     "bayesian_requires_precision"},
};

TEST(rules_over_several_fields)
{
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct schema_errors errors;

        CHECK(!decode(with_block(broken[i].block, broken[i].content), &errors));
        CHECK_INT(errors.count, 1);
        if (errors.count != 1 || errors.items[0].fault != FAULT_RULE)
            printf("... %s\n", broken[i].content);
        else
            CHECK_TEXT(errors.items[0].rule->key + strlen("errors.schemas."), broken[i].rule);
    }
}

TEST(ratio_metrics_have_two_names)
{
    static const char *const names[] = {
        "", ",\"numerator_metric_name\":\"n\"", ",\"denominator_metric_name\":\"d\"",
        ",\"numerator_metric_name\":\"\",\"denominator_metric_name\":\"d\"",
        ",\"numerator_metric_name\":\"n\",\"denominator_metric_name\":\"n\""};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct schema_errors errors;

        CHECK(
            !decode(with_block(METRICS, arena_print(arena, "%s%s}", METRICS_START RATIO, names[i])),
                    &errors));
        CHECK(errors.count == 1 && errors.items[0].fault == FAULT_RULE);
    }
}

TEST(every_error_is_collected)
{
    struct schema_errors errors;

    CHECK(!decode("{\"project\":{\"surprise\":1},\"setup\":5,\"unknown\":{}}", &errors));
    /* Six names and one extra of the first block, three blocks missing, one no object, one extra.
     */
    CHECK_INT(errors.count, 12);
}

TEST(what_is_sized)
{
    const struct experiment_payload *payload =
        decoded(with_block(SETUP, SETUP_START ",\"traffic_split\":[60,20,20],\"variants_count\":3,"
                                              "\"avg_cluster_size\":20,\"icc\":0.05}"));
    struct sizing_request request;

    payload_to_sizing(payload, &request);
    CHECK_INT(request.metric_type, METRIC_BINARY);
    CHECK_INT(request.variants_count, 3);
    CHECK_INT(request.traffic_split.count, 3);
    CHECK_NEAR(request.traffic_split.items[0], 60, 0);
    CHECK_NEAR(request.baseline_value, 0.042, 0);
    CHECK_NEAR(request.mde_pct, 5, 0);
    CHECK_NEAR(request.expected_daily_traffic, 12000, 0);
    CHECK_NEAR(request.audience_share_in_test, 0.6, 0);
    CHECK(request.icc.given && request.icc.value == 0.05);
    CHECK(request.avg_cluster_size.given && request.avg_cluster_size.value == 20);
    CHECK_TEXT(request.randomization_unit, "user");
    CHECK_INT(request.n_looks, 1);
    CHECK_NEAR(request.credibility, 0.95, 0);
    CHECK(request.seasonality_present.given && request.seasonality_present.value);
    CHECK(request.active_campaigns_present.given && !request.active_campaigns_present.value);
    CHECK(request.long_test_possible.given && request.long_test_possible.value);
    CHECK(!request.std_dev.given && !request.holdout_fraction.given);
}

int main(void)
{
    static const struct test_case all[] = {CASE(the_example_fits),
                                           CASE(stored_form),
                                           CASE(accepted_and_stored_for_good),
                                           CASE(targeting_values_keep_their_kind),
                                           CASE(rules_over_several_fields),
                                           CASE(ratio_metrics_have_two_names),
                                           CASE(every_error_is_collected),
                                           CASE(what_is_sized)};
    int failed;

    arena = arena_create((size_t)1 << 26);
    failed = test_run_all(all, sizeof all / sizeof all[0]);
    arena_destroy(arena);
    return failed;
}
