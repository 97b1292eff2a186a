/* Grids of plans: cells without a plan, and agreement with single plans. */
#include "experiments/design/sensitivity.h"
#include "test.h"

static struct arena *arena;
static double equal[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

#define LIST(...)                                                                                  \
    {                                                                                              \
        sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[])                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

TEST(cells_without_a_plan_say_why)
{
    struct sensitivity_plan plan = {.metric_type = METRIC_BINARY,
                                    .baseline = .5,
                                    .variants = 2,
                                    .alpha = .05,
                                    .users_per_day = 10000,
                                    .traffic_split = {2, equal},
                                    .mde_values = LIST(99, 100, 1e-9, 1e300),
                                    .power_values = LIST(.8)};
    const struct sensitivity_cell *cells = sensitivity_grid(&plan, arena);

    CHECK(cells[0].sample_size_per_variant.given);
    CHECK(!cells[1].sample_size_per_variant.given && !cells[1].duration_days.given);
    CHECK_TEXT(cells[1].reason, "variant_rate_out_of_range");
    CHECK_TEXT(cells[2].reason, "sample_size_not_finite");
    CHECK_TEXT(cells[3].reason, "variant_rate_out_of_range");
}

TEST(extremes_have_no_plan_or_a_finite_one)
{
    struct sensitivity_plan plan = {.metric_type = METRIC_CONTINUOUS,
                                    .baseline = 5e-324,
                                    .std_dev = 1e-300,
                                    .variants = 10,
                                    .alpha = 1e-300,
                                    .users_per_day = 1e-300,
                                    .traffic_split = {10, equal},
                                    .mde_values = LIST(5e-324, 1, 1.7e308),
                                    .power_values = LIST(1e-300, .5, 1 - 1e-16)};
    static const double deviations[] = {1e-300, 1e-12, 1e-9, 1, 1.7e308};

    for (size_t d = 0; d < sizeof deviations / sizeof *deviations; d++) {
        plan.std_dev = deviations[d];
        const struct sensitivity_cell *cells = sensitivity_grid(&plan, arena);

        for (size_t i = 0; i < 9; i++) {
            CHECK(cells[i].sample_size_per_variant.given == !cells[i].reason);
            CHECK(cells[i].duration_days.given == !cells[i].reason);
            CHECK(!cells[i].duration_days.given || isfinite(cells[i].duration_days.value));
        }
    }
}

/* As /calculate sizes the same design. */
TEST(a_cell_is_a_plan)
{
    struct sensitivity_plan plan = {.metric_type = METRIC_CONTINUOUS,
                                    .baseline = 100,
                                    .std_dev = 20,
                                    .variants = 3,
                                    .alpha = .05,
                                    .users_per_day = 600,
                                    .traffic_split = LIST(2, 1, 1),
                                    .mde_values = LIST(5),
                                    .power_values = LIST(.8)};
    struct sizing_request design = {.metric_type = METRIC_CONTINUOUS,
                                    .baseline_value = 100,
                                    .std_dev = GIVEN_NUMBER(20),
                                    .mde_pct = 5,
                                    .planned_test = -1,
                                    .alpha = .05,
                                    .power = .8,
                                    .expected_daily_traffic = 1000,
                                    .audience_share_in_test = .6,
                                    .traffic_split = LIST(2, 1, 1),
                                    .variants_count = 3,
                                    .n_looks = 1};
    const struct sensitivity_cell *cell = sensitivity_grid(&plan, arena);
    struct sizing_plan sized;
    struct problem problem;

    CHECK_INT(sizing_plan_design(&design, &sized, &problem), ERROR_NONE);
    CHECK_INT(cell->sample_size_per_variant.value, sized.sample_size_per_variant);
    CHECK(cell->duration_days.value == (double)sized.estimated_duration_days);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(cells_without_a_plan_say_why),
        CASE(extremes_have_no_plan_or_a_finite_one),
        CASE(a_cell_is_a_plan),
    };
    int status;

    arena = arena_create(1 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
