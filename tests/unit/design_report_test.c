/* The report on a design: its figures, its words, and what it says where there is nothing to say.
 */
#include "experiments/payloads/design_report.h"
#include "test.h"

static struct arena *arena;

struct sized {
    const struct experiment_payload *payload;
    struct calculation calculation;
    struct analysis_report report;
    struct problem problem;
    enum error error;
};

/* The example of the schema with one more member in its metrics, setup and constraints each ("" for
 * none), sized and reported on. */
static struct sized report_on(enum language language, const char *metrics, const char *setup,
                              const char *constraints)
{
    static const char form[] =
        "{\"project\":{\"project_name\":\"Checkout\",\"domain\":\"d\",\"product_type\":\"t\","
        "\"platform\":\"p\",\"market\":\"DE\",\"project_description\":\"\"},"
        "\"hypothesis\":{\"change_description\":\"LARGER Button\",\"target_audience\":\"New "
        "visitors\",\"business_problem\":\"b\",\"hypothesis_statement\":\"h\","
        "\"what_to_validate\":\"Conversion\",\"desired_result\":\"More orders\"},"
        "\"setup\":{\"experiment_type\":\"ab\",\"randomization_unit\":\"user\","
        "\"expected_daily_traffic\":12000,\"audience_share_in_test\":0.6,"
        "\"inclusion_criteria\":\"all\",\"exclusion_criteria\":\"staff\"%s},"
        "\"metrics\":{\"primary_metric_name\":\"conversion\",\"mde_pct\":5%s},"
        "\"constraints\":{\"seasonality_present\":false,\"active_campaigns_present\":false,"
        "\"returning_users_present\":true,\"interference_risk\":\"\","
        "\"legal_or_ethics_constraints\":\"\",\"deadline_pressure\":\"\","
        "\"long_test_possible\":true%s}}";
    struct sized sized = {.error = ERROR_NONE};
    struct calculation_call call = {locale_get(language), arena, &sized.problem};
    struct experiment_payload *payload = ARENA_NEW(arena, struct experiment_payload);
    const char *text = arena_print(arena, form, setup, metrics, constraints);
    struct schema_errors errors;
    struct json_fault fault;
    json_t *document;

    CHECK_INT(json_read(arena, text, strlen(text), 32, &document, &fault), ERROR_NONE);
    CHECK_INT(schema_decode(&design_schema, document, "body", payload, &errors, arena), ERROR_NONE);
    sized.payload = payload;
    sized.error = design_calculate(&call, payload, &sized.calculation);
    if (!sized.error)
        design_report_compose(&call, payload, &sized.calculation, &sized.report);
    return sized;
}

#define BINARY ",\"metric_type\":\"binary\",\"baseline_value\":0.042,\"alpha\":0.05,\"power\":0.8"
#define EVEN ",\"traffic_split\":[50,50],\"variants_count\":2"
#define NOTHING_KNOWN ",\"technical_constraints\":\"\",\"known_risks\":\"\""

static struct sized usual(enum language language)
{
    return report_on(language, BINARY, EVEN, NOTHING_KNOWN);
}

TEST(figures_and_people_s_words)
{
    struct sized sized = usual(LANGUAGE_EN);
    const struct analysis_report *report = &sized.report;
    const struct report_design *design = report->experiment_design;
    const struct report_variant *variants = design->variants.items;

    CHECK_INT(sized.error, ERROR_NONE);
    CHECK_INT(report->calculations->sample_size_per_variant, 146642);
    CHECK_INT(report->calculations->total_sample_size, 293284);
    CHECK_INT(report->calculations->estimated_duration_days, 41);
    CHECK_INT(report->calculations->assumptions.count, sized.calculation.assumptions.count);
    CHECK(!report->calculations->design_effect.given);
    CHECK_INT(design->recommended_duration_days, 41);
    CHECK_INT(design->variants.count, 2);
    CHECK_TEXT(variants[0].name, "A");
    CHECK_TEXT(variants[0].description, "Current experience");
    CHECK_TEXT(variants[1].name, "B");
    CHECK_TEXT(variants[1].description, "LARGER Button");
    CHECK_TEXT(design->exclusion_criteria, "staff");
    CHECK_INT(design->stopping_conditions.count, 2);
    CHECK_TEXT(report->metrics_plan->primary.items[0], "conversion");
    CHECK_INT(report->metrics_plan->diagnostic.count, 3);
    CHECK_TEXT(report->metrics_plan->diagnostic.items[0], "assignment_rate");
    CHECK_TEXT(report->metrics_plan->diagnostic.items[1], "exposure_balance");
    CHECK_TEXT(report->metrics_plan->diagnostic.items[2], "conversion_by_segment");
    CHECK(strstr(report->risks->product.items[0], "More orders"));
    CHECK(strstr(report->open_questions.items[0], "Conversion"));
    CHECK(strstr(report->open_questions.items[1], "DE"));
    CHECK_INT(report->recommendations->before_launch.count, 1);
    CHECK_INT(report->recommendations->during_test.count, 2);
    CHECK_INT(report->recommendations->after_test.count, 2);
}

/* English alone goes on in small letters; each language groups the digits of 146642 in its way. */
TEST(summary_names_everything)
{
    static const char *const parts[] = {"Checkout", "conversion", "New visitors",
                                        "41",       "146",        "642"};

    for (int language = 0; language < language_count(); language++) {
        struct sized sized = usual((enum language)language);

        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            CHECK(strstr(sized.report.executive_summary, parts[i]));
        CHECK(strstr(sized.report.executive_summary,
                     language == LANGUAGE_EN ? "larger button" : "LARGER Button"));
    }
}

TEST(risks_fall_back_to_words)
{
    struct sized bare = usual(LANGUAGE_EN), told, warned;

    CHECK_INT(bare.report.risks->statistical.count, 1);
    CHECK_TEXT(bare.report.risks->statistical.items[0],
               "The checks found no major statistical risk.");
    CHECK_TEXT(bare.report.risks->technical.items[0], "No technical constraints were named.");
    CHECK_TEXT(bare.report.risks->operational.items[0], "No operational risks were named.");
    told = report_on(LANGUAGE_EN, BINARY, EVEN,
                     ",\"technical_constraints\":\"old apps\",\"known_risks\":\"holidays\"");
    CHECK_TEXT(told.report.risks->technical.items[0], "old apps");
    CHECK_TEXT(told.report.risks->operational.items[0], "holidays");
    warned = report_on(LANGUAGE_EN, BINARY, ",\"traffic_split\":[1,1,1],\"variants_count\":3",
                       NOTHING_KNOWN);
    CHECK_INT(warned.report.risks->statistical.count, warned.calculation.warnings.count);
    CHECK(warned.report.risks->statistical.count >= 2);
}

TEST(ten_variants_are_a_to_j)
{
    struct sized sized =
        report_on(LANGUAGE_EN, BINARY,
                  ",\"traffic_split\":[1,1,1,1,1,1,1,1,1,1],\"variants_count\":10", NOTHING_KNOWN);
    const struct report_variant *variants = sized.report.experiment_design->variants.items;

    CHECK_INT(sized.report.experiment_design->variants.count, 10);
    CHECK_TEXT(variants[9].name, "J");
    CHECK_TEXT(variants[9].description, "LARGER Button");
}

#define RATE(more) "{\"name\":\"r\",\"metric_type\":\"binary\"," more "}"
#define GUARDS(metrics, ...) metrics ",\"guardrail_metrics\":[" __VA_ARGS__ "]"

TEST(guardrails_golden)
{
    struct sized sized = report_on(
        LANGUAGE_EN,
        GUARDS(BINARY, RATE("\"baseline_rate\":2.4") ",{\"name\":\"m\",\"metric_type\":"
                                                     "\"continuous\",\"baseline_mean\":40,"
                                                     "\"std_dev\":6.5}"),
        EVEN, NOTHING_KNOWN);
    const struct report_guardrail *guardrails = sized.report.guardrail_metrics.items;

    CHECK_INT(sized.report.guardrail_metrics.count, 2);
    CHECK_TEXT(sized.report.metrics_plan->guardrail.items[1], "m");
    CHECK(guardrails[0].baseline == 2.4 && guardrails[0].detectable_mde_pp.value == 0.161);
    CHECK(!guardrails[0].detectable_mde_absolute.given);
    CHECK_TEXT(guardrails[0].note,
               "With 146,642 users per variant, a harmful change of 0.161 pp is "
               "detected with 80% power.");
    CHECK(guardrails[1].baseline == 40 && guardrails[1].detectable_mde_absolute.value == 0.0673);
    CHECK(!guardrails[1].detectable_mde_pp.given);
    CHECK(strstr(guardrails[1].note, "0.0673 units"));
}

TEST(guardrails_look_to_the_harmful_side)
{
    struct sized sized =
        report_on(LANGUAGE_EN,
                  GUARDS(BINARY, RATE("\"baseline_rate\":2.4") "," RATE(
                                     "\"baseline_rate\":2.4,\"direction\":\"decrease_is_bad\"")),
                  EVEN, NOTHING_KNOWN);
    const struct report_guardrail *guardrails = sized.report.guardrail_metrics.items;

    CHECK(guardrails[1].detectable_mde_pp.value < guardrails[0].detectable_mde_pp.value);
    CHECK_NEAR(guardrails[1].detectable_mde_pp.value, 0.157, 0.002);
}

/* A test of few users cannot show that a rate of 99.2 % has risen. */
TEST(guardrails_that_show_nothing_say_so)
{
    struct sized sized = report_on(
        LANGUAGE_EN,
        GUARDS(",\"metric_type\":\"binary\",\"baseline_value\":0.5,\"alpha\":0.05,\"power\":0.9,"
               "\"expected_uplift_pct\":null",
               RATE("\"baseline_rate\":99.2")),
        ",\"traffic_split\":[1,1],\"variants_count\":2", NOTHING_KNOWN);
    const struct report_guardrail *guardrails = sized.report.guardrail_metrics.items;

    CHECK(guardrails[0].detectable_mde_pp.given);
    sized = report_on(LANGUAGE_EN,
                      GUARDS(",\"metric_type\":\"continuous\",\"baseline_value\":1000,\"std_dev\":"
                             "100,\"alpha\":0.05,\"power\":0.9",
                             RATE("\"baseline_rate\":99.2")),
                      EVEN, NOTHING_KNOWN);
    guardrails = sized.report.guardrail_metrics.items;
    CHECK(sized.calculation.results->sample_size_per_variant < 100);
    CHECK(!guardrails[0].detectable_mde_pp.given && !guardrails[0].detectable_mde_absolute.given);
    CHECK(strstr(guardrails[0].note, "no harmful change"));
    CHECK(strstr(guardrails[0].note, "90% power"));
}

TEST(ratios_need_a_deviation_to_be_sized)
{
    static const char ratio[] = ",\"metric_type\":\"ratio\",\"baseline_value\":0.05,\"alpha\":0.05,"
                                "\"power\":0.8,\"numerator_metric_name\":\"n\","
                                "\"denominator_metric_name\":\"d\"";
    struct sized sized = report_on(LANGUAGE_EN, ratio, EVEN, NOTHING_KNOWN);

    CHECK_INT(sized.error, ERROR_INVALID);
    CHECK_TEXT(sized.problem.reason, "ratio_std_dev_required");
    CHECK(strstr(sized.problem.text, "std_dev") && strstr(sized.problem.text, "delta-method"));
    sized = report_on(LANGUAGE_EN, arena_print(arena, "%s,\"std_dev\":0.09", ratio), EVEN,
                      NOTHING_KNOWN);
    CHECK_INT(sized.error, ERROR_NONE);
    CHECK_INT(sized.report.calculations->sample_size_per_variant, 20345);
}

TEST(what_people_write_is_not_a_placeholder)
{
    struct sized sized = report_on(
        LANGUAGE_EN, BINARY, EVEN,
        ",\"technical_constraints\":\"{{market}}\",\"known_risks\":\"{{desired_result}}\"");

    CHECK_TEXT(sized.report.risks->technical.items[0], "{{market}}");
    CHECK_TEXT(sized.report.risks->operational.items[0], "{{desired_result}}");
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(figures_and_people_s_words),
        CASE(summary_names_everything),
        CASE(risks_fall_back_to_words),
        CASE(ten_variants_are_a_to_j),
        CASE(guardrails_golden),
        CASE(guardrails_look_to_the_harmful_side),
        CASE(guardrails_that_show_nothing_say_so),
        CASE(ratios_need_a_deviation_to_be_sized),
        CASE(what_people_write_is_not_a_placeholder),
    };
    struct problem problem = {0};
    int status;

    if (locale_open_catalogues("locales", &problem)) {
        puts(problem.text);
        return 1;
    }
    arena = arena_create(1 << 24);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    locale_close_catalogues();
    return status;
}
