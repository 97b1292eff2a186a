/* The English lines that explain a plan: which lines, in which order, with which figures. The
 * figures of the plans are those that the formulas give for the designs named. */
#include "experiments/design/assumptions.h"
#include "test.h"

enum { LINES = 8, FRAGMENTS = 5 };

/* Binary, baseline 4.2 %, lift 5 %, two arms: n = 146642. */
static const struct sizing_request binary = {.metric_type = METRIC_BINARY,
                                             .baseline_value = 0.042,
                                             .mde_pct = 5,
                                             .alpha = 0.05,
                                             .power = 0.8,
                                             .variants_count = 2,
                                             .n_looks = 1};
static const struct sizing_plan binary_plan = {
    .comparisons = 1, .adjusted_alpha = 0.05, .mde_absolute = 0.0021};

/* Mean 100, standard deviation 20, lift 5 %: n = 252. */
static const struct sizing_request continuous = {.metric_type = METRIC_CONTINUOUS,
                                                 .baseline_value = 100,
                                                 .std_dev = {true, 20},
                                                 .equivalence_margin_pct = {true, 2},
                                                 .mde_pct = 5,
                                                 .alpha = 0.05,
                                                 .power = 0.8,
                                                 .variants_count = 2};
static const struct sizing_plan continuous_plan = {
    .comparisons = 1, .adjusted_alpha = 0.05, .mde_absolute = 5};
static const struct sizing_plan rank_plan = {.planned_test = PLAN_MANN_WHITNEY,
                                             .comparisons = 1,
                                             .adjusted_alpha = 0.05,
                                             .mde_absolute = 5,
                                             .normal_sample_size = 1252,
                                             .worst_case_sample_size = 1450};
static const struct sizing_plan equivalence_plan = {.planned_test = PLAN_TOST,
                                                    .comparisons = 2,
                                                    .adjusted_alpha = 0.025,
                                                    .mde_absolute = 5,
                                                    .equivalence_margin_absolute = 2};

/* Ratio 0.05, per-user standard deviation 0.09, ten arms. */
static const struct sizing_request ratio = {.metric_type = METRIC_RATIO,
                                            .baseline_value = 0.05,
                                            .std_dev = {true, 0.09},
                                            .mde_pct = 5,
                                            .power = 0.8};
static const struct sizing_plan ratio_plan = {
    .comparisons = 9, .adjusted_alpha = 0.05 / 9, .mde_absolute = 0.0025};

/* Baseline 20 %, lift 100 %: z-test 82. Baseline 10 %, lift 20 %: z-test 3841. */
static const struct sizing_request exact = {
    .metric_type = METRIC_BINARY, .baseline_value = 0.2, .mde_pct = 100, .power = 0.8};
static const struct sizing_plan exact_plan = {.planned_test = PLAN_FISHER_EXACT,
                                              .comparisons = 1,
                                              .adjusted_alpha = 0.05,
                                              .mde_absolute = 0.2,
                                              .normal_sample_size = 82,
                                              .exact_scan = true};
static const struct sizing_plan approximate_plan = {.planned_test = PLAN_FISHER_EXACT,
                                                    .comparisons = 1,
                                                    .adjusted_alpha = 0.05,
                                                    .mde_absolute = 0.02,
                                                    .normal_sample_size = 3841};

/* 0.3 events per user, lift 20 %: 948 events; the exposures are scaled to show separators. */
static const struct sizing_request count = {.metric_type = METRIC_COUNT,
                                            .baseline_value = 0.3,
                                            .exposure_per_user = {true, 2},
                                            .mde_pct = 20,
                                            .power = 0.8};
static const struct sizing_request count_by_default = {
    .metric_type = METRIC_COUNT, .baseline_value = 0.3, .mde_pct = 20, .power = 0.8};
static const struct sizing_plan count_plan = {.planned_test = PLAN_POISSON_RATE,
                                              .comparisons = 1,
                                              .adjusted_alpha = 0.05,
                                              .mde_absolute = 0.06,
                                              .total_events = 1234948,
                                              .treatment_share = 1.2 / 2.2,
                                              .exposure_per_arm = 1871133.33};

/* Clusters of 100 with ICC 0.02. */
static const struct sizing_request clustered = {.metric_type = METRIC_BINARY,
                                                .baseline_value = 0.042,
                                                .mde_pct = 5,
                                                .power = 0.8,
                                                .avg_cluster_size = {true, 100},
                                                .icc = {true, 0.02}};
static const struct sizing_plan clustered_plan = {.comparisons = 1,
                                                  .adjusted_alpha = 0.05,
                                                  .mde_absolute = 0.0021,
                                                  .clustered = true,
                                                  .design_effect = 2.98,
                                                  .clusters_per_variant = 4370};
static const struct sequential_design five_looks = {.looks = 5};

#define BONFERRONI_LAST                                                                            \
    {                                                                                              \
        "Bonferroni-adjusted alpha is 0.025", "2 comparisons", "conservative"                      \
    }

static const struct plan_case {
    const char *name;
    const struct sizing_request *request;
    const struct sizing_plan *plan;
    const struct sequential_design *design;
    size_t count;
    const char *fragments[LINES][FRAGMENTS]; /* what each line must hold */
} plan_cases[] = {
    {"binary z",
     &binary,
     &binary_plan,
     NULL,
     3,
     {{"wo-sided fixed horizon", "equal-variance approximation"},
      {"MDE relative to baseline rate", "5%", "0.042", "0.0021"},
      {"ominal alpha", "single comparison", "0.05"}}},
    {"continuous z",
     &continuous,
     &continuous_plan,
     NULL,
     3,
     {{"two-sample means, equal arms", "20"},
      {"MDE relative to mean", "5%", "100"},
      {"ominal alpha", "single comparison"}}},
    {"ratio, ten arms",
     &ratio,
     &ratio_plan,
     NULL,
     3,
     {{"delta method", "R = 0.05", "per-user std", "0.09"},
      {"MDE", "0.0025"},
      {"Bonferroni-adjusted alpha is 0.00555556", "9 comparisons", "conservative"}}},
    {"fisher by scan",
     &exact,
     &exact_plan,
     NULL,
     3,
     {{"exact", "smallest n", "80%", " 82)"}, {"MDE"}, {"single comparison"}}},
    {"fisher by approximation",
     &exact,
     &approximate_plan,
     NULL,
     3,
     {{"Casagrande", "3,841", "500"}, {"MDE"}, {"single comparison"}}},
    {"mann-whitney",
     &continuous,
     &rank_plan,
     NULL,
     4,
     {{"3/pi", "1,252", "0.9549"},
      {"worst case", "0.864", "1,450"},
      {"MDE", "location shift", "5"},
      {"single comparison"}}},
    {"equivalence, three arms",
     &continuous,
     &equivalence_plan,
     NULL,
     4,
     {{"margin of 2,", "2%", "MDE is not used"},
      {"ower", "difference of zero"},
      {"ach one-sided test", "0.025"},
      BONFERRONI_LAST}},
    {"count",
     &count,
     &count_plan,
     NULL,
     4,
     {{"1,234,948 events", "0.5455", "1,871,133.3 ", " 2 per user"},
      {"ndependent", "Poisson", "no overdispersion"},
      {"MDE", "rate ratio", "1.2"},
      {"single comparison"}}},
    {"count at one unit per user", &count_by_default, &count_plan, NULL, 4, {{" 1 per user"}}},
    {"clusters and looks",
     &clustered,
     &clustered_plan,
     &five_looks,
     7,
     {{"equal-variance"},
      {"MDE"},
      {"single comparison"},
      {"design effect 2.98", "size 100", "ICC 0.02", "4,370 clusters"},
      {"sizes", "equal"},
      {"nly planning is adjusted", "live analysis stays naive"},
      {"exact", "O'Brien-Fleming", "5 equally spaced looks", "alpha = 0.05"}}},
    {"looks without clusters",
     &binary,
     &binary_plan,
     &five_looks,
     4,
     {{""}, {""}, {"single comparison"}, {"O'Brien-Fleming"}}},
};

static struct arena *arena;

TEST(every_plan_explains_itself)
{
    for (size_t i = 0; i < sizeof plan_cases / sizeof plan_cases[0]; i++) {
        const struct plan_case *row = &plan_cases[i];
        struct string_list lines = assumptions_list(row->request, row->plan, row->design, arena);

        CHECK_INT(lines.count, row->count);
        for (size_t line = 0; line < lines.count; line++)
            for (size_t at = 0; at < FRAGMENTS && row->fragments[line][at]; at++)
                if (!strstr(lines.items[line], row->fragments[line][at])) {
                    printf("%s, line %zu: no \"%s\" in \"%s\"\n", row->name, line,
                           row->fragments[line][at], lines.items[line]);
                    CHECK(!"every fragment is there");
                }
    }
}

TEST(the_bonferroni_line_starts_with_its_name)
{
    struct string_list lines = assumptions_list(&ratio, &ratio_plan, NULL, arena);

    CHECK(strncmp(lines.items[2], "Bonferroni-adjusted alpha is 0.00555556", 39) == 0);
}

TEST(bonferroni_note_names_what_is_adjusted)
{
    const char *note = assumptions_bonferroni_note(&equivalence_plan, arena);

    CHECK(assumptions_bonferroni_note(&binary_plan, arena) == NULL);
    CHECK(strstr(note, "2 comparisons") != NULL);
    CHECK(strstr(note, "0.025") != NULL);
    CHECK(strstr(note, "nly the frequentist sample size is adjusted") != NULL);
    CHECK(strstr(note, "less conservative") != NULL);
    CHECK(strstr(assumptions_bonferroni_note(&ratio_plan, arena), "0.00555556") != NULL);
}

TEST(bayesian_note_names_its_figures)
{
    static const struct {
        enum metric_type metric_type;
        double precision;
        double credibility;
        int64_t sample_size;
        const char *fragments[4];
    } cases[] = {
        {METRIC_BINARY, 0.5, 0.95, 10380, {"credible interval", "10,380", "95%", "0.5 pp"}},
        {METRIC_CONTINUOUS, 1.5, 0.9, 347, {"credible interval", "347", "90%", "1.5 units"}},
        {METRIC_RATIO,
         0.001,
         0.99,
         1000000,
         {"credible interval", "1,000,000", "99%", "0.001 units"}},
    };
    const struct precision_plan none = {.given = false};

    CHECK(assumptions_bayesian_note(&binary, &none, arena) == NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sizing_request request = {.metric_type = cases[i].metric_type,
                                               .desired_precision = {true, cases[i].precision},
                                               .credibility = cases[i].credibility};
        const struct precision_plan plan = {true, cases[i].sample_size};
        const char *note = assumptions_bayesian_note(&request, &plan, arena);

        for (size_t at = 0; at < 4; at++)
            CHECK(strstr(note, cases[i].fragments[at]) != NULL);
    }
}

TEST(thousands_are_grouped_from_the_right)
{
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {{0, "About 0 "},
                 {999, "About 999 "},
                 {1000, "About 1,000 "},
                 {12345, "About 12,345 "},
                 {123456, "About 123,456 "},
                 {1234567, "About 1,234,567 "},
                 {9007199254740992, "About 9,007,199,254,740,992 "}};
    const struct sizing_request request = {.desired_precision = {true, 1}, .credibility = 0.95};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct precision_plan plan = {true, cases[i].value};

        CHECK(strncmp(assumptions_bayesian_note(&request, &plan, arena), cases[i].text,
                      strlen(cases[i].text)) == 0);
    }
}

static const struct test_case cases[] = {
    CASE(every_plan_explains_itself),
    CASE(the_bonferroni_line_starts_with_its_name),
    CASE(bonferroni_note_names_what_is_adjusted),
    CASE(bayesian_note_names_its_figures),
    CASE(thousands_are_grouped_from_the_right),
};

int main(void)
{
    int status;

    arena = arena_create(1 << 22);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
