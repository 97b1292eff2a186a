/* The warning catalogue: which facts raise which codes, in which order, in every language. */
#include "experiments/design/rules.h"
#include "test.h"

struct world {
    struct sizing_request request;
    struct sizing_plan plan;
    struct srm_result srm;
    double inflation_factor;
    bool counts_given;
};

/* A design without a fault: 4.2 % baseline, 5 % lift, 12000 users a day of which 60 % take part. */
static struct world calm(void)
{
    return (struct world){
        .request = {.metric_type = METRIC_BINARY,
                    .baseline_value = 0.042,
                    .mde_pct = 5,
                    .alpha = 0.05,
                    .power = 0.8,
                    .variants_count = 2,
                    .n_looks = 1,
                    .randomization_unit = "user"},
        .plan = {.allocated_daily_traffic = 7200, .estimated_duration_days = 41},
        .inflation_factor = 1,
    };
}

static struct object_list evaluate(const struct world *world, enum language language,
                                   struct arena *arena)
{
    const struct rules_facts facts = {.request = &world->request,
                                      .plan = &world->plan,
                                      .inflation_factor = world->inflation_factor,
                                      .srm = world->counts_given ? &world->srm : NULL};

    return rules_evaluate(&facts, locale_get(language), arena);
}

/* The codes in order, each followed by a blank. */
static const char *codes_of(const struct world *world, struct arena *arena)
{
    struct object_list warnings = evaluate(world, LANGUAGE_EN, arena);
    const struct warning *items = warnings.items;
    const char *codes = "";

    for (size_t i = 0; i < warnings.count; i++)
        codes = arena_print(arena, "%s%s ", codes, items[i].code);
    return codes;
}

static struct arena *arena;

#define CHECK_CODES(world, expected) CHECK_TEXT(codes_of(&(world), arena), expected)

TEST(a_calm_design_raises_nothing)
{
    struct world world = calm();

    CHECK_CODES(world, "");
    world.request.randomization_unit = NULL;
    CHECK_CODES(world, "");
}

TEST(missing_variance_is_about_continuous_metrics)
{
    struct world world = calm();

    world.request.metric_type = METRIC_CONTINUOUS;
    CHECK_CODES(world, "MISSING_VARIANCE ");
    world.request.std_dev = GIVEN_NUMBER(12);
    CHECK_CODES(world, "");
}

TEST(duration_above_eight_weeks)
{
    struct world world = calm();

    world.plan.estimated_duration_days = 56;
    CHECK_CODES(world, "");
    world.plan.estimated_duration_days = 57;
    CHECK_CODES(world, "LONG_DURATION ");
}

TEST(traffic_below_a_thousand)
{
    struct world world = calm();

    world.plan.allocated_daily_traffic = 1000;
    CHECK_CODES(world, "");
    world.plan.allocated_daily_traffic = 999.99;
    CHECK_CODES(world, "LOW_TRAFFIC ");
    world.plan.allocated_daily_traffic = 0;
    CHECK_CODES(world, "");
}

TEST(many_variants_need_two_thousand_users_each)
{
    struct world world = calm();

    world.request.variants_count = 3;
    world.plan.allocated_daily_traffic = 6000;
    CHECK_CODES(world, "CONSERVATIVE_MULTIVARIANT_ALPHA ");
    world.plan.allocated_daily_traffic = 5999;
    CHECK_CODES(world, "CONSERVATIVE_MULTIVARIANT_ALPHA MANY_VARIANTS_LOW_TRAFFIC ");
    world.request.variants_count = 2;
    world.plan.allocated_daily_traffic = 3999;
    CHECK_CODES(world, "");
}

TEST(clusters_by_the_unit_alone)
{
    struct world world = calm();

    world.request.randomization_unit = "cluster";
    CHECK_CODES(world, "CLUSTER_RANDOMIZATION ");
    world.request.randomization_unit = "clusters";
    CHECK_CODES(world, "");
}

TEST(flags_count_when_given_and_true)
{
    const struct optional_boolean yes = {true, true}, no = {true, false}, absent = {false, true};
    struct world world = calm();

    world.request.seasonality_present = yes;
    CHECK_CODES(world, "SEASONALITY_PRESENT ");
    world.request.seasonality_present = no;
    world.request.active_campaigns_present = yes;
    CHECK_CODES(world, "CAMPAIGN_CONTAMINATION ");
    world.request.seasonality_present = absent;
    world.request.active_campaigns_present = absent;
    CHECK_CODES(world, "");
}

TEST(power_below_eighty_percent)
{
    struct world world = calm();

    world.request.power = 0.7999;
    CHECK_CODES(world, "UNDERPOWERED_DESIGN ");
    world.request.power = 0.95;
    CHECK_CODES(world, "");
}

TEST(two_weeks_are_possible_without_a_long_test)
{
    struct world world = calm();

    world.request.long_test_possible = (struct optional_boolean){true, false};
    CHECK_CODES(world, "LONG_TEST_NOT_POSSIBLE ");
    world.plan.estimated_duration_days = 14;
    CHECK_CODES(world, "");
    world.plan.estimated_duration_days = 15;
    CHECK_CODES(world, "LONG_TEST_NOT_POSSIBLE ");
    world.request.long_test_possible = (struct optional_boolean){true, true};
    CHECK_CODES(world, "");
    world.request.long_test_possible = (struct optional_boolean){false, false};
    CHECK_CODES(world, "");
}

TEST(interim_looks_cost_users)
{
    struct world world = calm();

    world.request.n_looks = 5;
    world.inflation_factor = 1.0284;
    CHECK_CODES(world, "INTERIM_LOOKS_INCREASE_SAMPLE ");
    world.inflation_factor = 1;
    CHECK_CODES(world, "");
    world.request.n_looks = 1;
    world.inflation_factor = 1.1;
    CHECK_CODES(world, "");
}

TEST(sample_ratio_mismatch_needs_counts)
{
    struct world world = calm();

    world.srm = (struct srm_result){.chi_square = 16, .p_value = 6.3e-5, .is_srm = true};
    CHECK_CODES(world, "");
    world.counts_given = true;
    CHECK_CODES(world, "SRM_DETECTED ");
    world.srm.is_srm = false;
    CHECK_CODES(world, "");
}

/* Everything at once: the order of the catalogue, with all severities. */
static struct world troubled(void)
{
    const struct optional_boolean yes = {true, true}, no = {true, false};
    struct world world = calm();

    world.request.metric_type = METRIC_CONTINUOUS;
    world.request.variants_count = 4;
    world.request.randomization_unit = "cluster";
    world.request.seasonality_present = yes;
    world.request.active_campaigns_present = yes;
    world.request.long_test_possible = no;
    world.request.power = 0.75;
    world.request.n_looks = 5;
    world.plan.allocated_daily_traffic = 90;
    world.plan.estimated_duration_days = 25176;
    world.inflation_factor = 1.0284;
    world.srm.is_srm = true;
    world.counts_given = true;
    return world;
}

TEST(order_and_severity_are_fixed)
{
    static const struct {
        const char *code;
        const char *severity;
    } expected[] = {
        {"MISSING_VARIANCE", "high"},
        {"LONG_DURATION", "high"},
        {"LOW_TRAFFIC", "medium"},
        {"CONSERVATIVE_MULTIVARIANT_ALPHA", "medium"},
        {"MANY_VARIANTS_LOW_TRAFFIC", "high"},
        {"CLUSTER_RANDOMIZATION", "high"},
        {"SEASONALITY_PRESENT", "medium"},
        {"CAMPAIGN_CONTAMINATION", "medium"},
        {"UNDERPOWERED_DESIGN", "medium"},
        {"LONG_TEST_NOT_POSSIBLE", "high"},
        {"INTERIM_LOOKS_INCREASE_SAMPLE", "medium"},
        {"SRM_DETECTED", "high"},
    };
    struct world world = troubled();
    struct object_list warnings = evaluate(&world, LANGUAGE_EN, arena);
    const struct warning *items = warnings.items;

    CHECK_INT(warnings.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < warnings.count; i++) {
        CHECK_TEXT(items[i].code, expected[i].code);
        CHECK_TEXT(items[i].severity, expected[i].severity);
        CHECK_TEXT(items[i].source, "rules_engine");
    }
}

/* The figures that rules compare with are the figures that their texts name. */
TEST(messages_speak_every_language_and_name_the_figures)
{
    static const struct {
        size_t index;
        const char *figure;
    } figures[] = {{1, "56"}, {2, "1000"}, {4, "2000"}, {8, "80"},
                   {9, "14"}, {10, "5"},   {10, "2.8"}, {11, "0.001"}};
    struct world world = troubled();
    const struct warning *english = evaluate(&world, LANGUAGE_EN, arena).items;

    CHECK_INT(RULES_LOW_TRAFFIC, 1000);
    CHECK_INT(RULES_LOW_TRAFFIC_PER_VARIANT, 2000);
    CHECK_INT(RULES_SHORT_TEST_DAYS, 14);
    for (int language = 0; language < language_count(); language++) {
        struct object_list warnings = evaluate(&world, (enum language)language, arena);
        const struct warning *items = warnings.items;

        for (size_t i = 0; i < warnings.count; i++) {
            CHECK(strstr(items[i].message, "{{") == NULL);
            CHECK(strncmp(items[i].message, "warnings.", 9) != 0);
            CHECK(language == LANGUAGE_EN || strcmp(items[i].message, english[i].message) != 0);
        }
        for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
            CHECK(strstr(items[figures[i].index].message, figures[i].figure) != NULL);
    }
}

static const struct test_case cases[] = {
    CASE(a_calm_design_raises_nothing),
    CASE(missing_variance_is_about_continuous_metrics),
    CASE(duration_above_eight_weeks),
    CASE(traffic_below_a_thousand),
    CASE(many_variants_need_two_thousand_users_each),
    CASE(clusters_by_the_unit_alone),
    CASE(flags_count_when_given_and_true),
    CASE(power_below_eighty_percent),
    CASE(two_weeks_are_possible_without_a_long_test),
    CASE(interim_looks_cost_users),
    CASE(sample_ratio_mismatch_needs_counts),
    CASE(order_and_severity_are_fixed),
    CASE(messages_speak_every_language_and_name_the_figures),
};

int main(void)
{
    struct problem problem;
    int status;

    if (locale_open_catalogues("locales", &problem))
        return puts(problem.text), 1;
    arena = arena_create(1 << 22);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    locale_close_catalogues();
    return status;
}
