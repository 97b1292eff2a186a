/* Grids of plans: golden rows, cells without a plan, and agreement with single plans. */
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

struct row {
    double mde, power;
    int64_t size;
    double days;
};

static void check_rows(const struct sensitivity_plan *plan, const struct row *rows, size_t count)
{
    const struct sensitivity_cell *cells = sensitivity_grid(plan, arena);

    for (size_t i = 0; i < count; i++) {
        CHECK(cells[i].mde == rows[i].mde && cells[i].power == rows[i].power);
        CHECK_INT(cells[i].sample_size_per_variant.value, rows[i].size);
        CHECK(cells[i].duration_days.value == rows[i].days);
        CHECK(cells[i].sample_size_per_variant.given && !cells[i].reason);
    }
}

TEST(binary_golden)
{
    static const struct row rows[] = {{.5, .8, 17354093, 3471}, {.5, .9, 23232206, 4647},
                                      {1, .8, 4348948, 870},    {1, .9, 5822006, 1165},
                                      {5, .8, 177290, 36},      {5, .9, 237341, 48}};
    struct sensitivity_plan plan = {.metric_type = METRIC_BINARY,
                                    .baseline = .035,
                                    .variants = 2,
                                    .alpha = .05,
                                    .users_per_day = 10000,
                                    .traffic_split = {2, equal},
                                    .mde_values = LIST(.5, 1, 5),
                                    .power_values = LIST(.8, .9)};

    check_rows(&plan, rows, 6);
}

TEST(ratio_golden)
{
    static const struct row rows[] = {
        {.1, .8, 25117, 6}, {.1, .9, 33624, 7}, {.25, .8, 4019, 1}, {.25, .9, 5380, 2}};
    struct sensitivity_plan plan = {.metric_type = METRIC_RATIO,
                                    .baseline = 2.5,
                                    .std_dev = 4,
                                    .variants = 2,
                                    .alpha = .05,
                                    .users_per_day = 10000,
                                    .traffic_split = {2, equal},
                                    .mde_values = LIST(.1, .25),
                                    .power_values = LIST(.8, .9)};

    check_rows(&plan, rows, 4);
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
        CASE(binary_golden),
        CASE(ratio_golden),
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
