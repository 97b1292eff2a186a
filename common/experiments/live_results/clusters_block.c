/* The block of clusters: how many there are, how large, and what every metric shows. */
#include "experiments/live_results/clusters.h"

#include <math.h>
#include <string.h>

#define OWNER struct live_cluster_arm
static const struct field arm_fields[] = {
    INTEGER(OWNER, variation_index),
    INTEGER(OWNER, clusters),
    INTEGER(OWNER, users),
    NULLABLE_NUMBER(OWNER, smallest, .help = "Users of the smallest cluster."),
    NULLABLE_NUMBER(OWNER, average, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, largest),
    NULLABLE_NUMBER(OWNER, size_cv, ROUNDED(4),
                    .help = "Standard deviation of the clusters' sizes over their mean."),
};
#undef OWNER
static SCHEMA(arm_schema, struct live_cluster_arm, "LiveClusterArm", arm_fields);

#define OWNER struct live_cluster_test
static const struct field test_fields[] = {
    STRING(OWNER, metric),
    STRING(OWNER, role, .help = "goal, guardrail or secondary."),
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status,
           .help = "ok, too_few_clusters, no_denominator, degenerate, or values_too_large."),
    OBJECT(OWNER, evidence, cluster_evidence_schema, .nullable = true,
           .help = "The error and its degrees of freedom; of rates in percentage points."),
    NULLABLE_NUMBER(OWNER, control_value, ROUNDED(6), .help = "Rates are shares here."),
    NULLABLE_NUMBER(OWNER, treatment_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, p_value, ROUNDED(6)),
};
#undef OWNER
static SCHEMA(test_schema, struct live_cluster_test, "LiveClusterTest", test_fields);

#define OWNER struct live_clusters
static const struct field clusters_fields[] = {
    STRING(OWNER, unit, .help = "What a cluster is, as the design says."),
    INTEGER(OWNER, clusters, .help = "That have users; periods of clusters that take turns."),
    INTEGER(OWNER, clusters_of_two_arms),
    INTEGER(OWNER, users, .help = "Of clusters: those that the tests are about."),
    INTEGER(OWNER, users_without_cluster,
            .help = "Exposed without one, or with one beyond AB_LIVE_CLUSTERS_MAX; left out of the "
                    "tests."),
    INTEGER(OWNER, users_of_two_clusters,
            .help = "Sent in more than one: each counts in the first cluster that was sent."),
    OBJECTS(OWNER, arms, arm_schema),
    OBJECTS(OWNER, tests, test_schema,
            .help = "Every metric of the design: CR2 with Satterthwaite's degrees of freedom."),
    OBJECT(OWNER, switchback, live_switchback_schema, .nullable = true, .omit_if_null = true,
           .help = "Of clusters that take turns: everything above is then of their periods."),
};
#undef OWNER
SCHEMA(live_clusters_schema, struct live_clusters, "LiveClusters", clusters_fields,
       .help = "The clusters that users were assigned by.");

static int64_t people_in(const struct live_results *results, int64_t slice, size_t arm)
{
    return live_view_moments(results->view, 0, slice, (int)arm).n;
}

static struct live_cluster_arm arm_of(const struct live_results *results, size_t arm)
{
    const struct live_cluster_slices *slices = &results->view->clusters;
    struct live_cluster_arm shown = {.variation_index = (int64_t)arm};
    double squares = 0, mean;

    for (size_t i = 0; i < slices->count; i++) {
        int64_t people = people_in(results, slices->items[i], arm);
        double size = (double)people;

        if (people == 0)
            continue;
        shown.smallest = GIVEN_NUMBER(shown.clusters ? fmin(shown.smallest.value, size) : size);
        shown.largest = GIVEN_NUMBER(fmax(shown.largest.value, size));
        shown.clusters++;
        shown.users += people;
    }
    if (shown.clusters == 0)
        return shown;
    mean = (double)shown.users / (double)shown.clusters;
    shown.average = GIVEN_NUMBER(mean);
    for (size_t i = 0; i < slices->count; i++) {
        int64_t people = people_in(results, slices->items[i], arm);

        squares += people ? pow((double)people - mean, 2) : 0;
    }
    if (shown.clusters > 1)
        shown.size_cv = GIVEN_NUMBER(sqrt(squares / (double)(shown.clusters - 1)) / mean);
    return shown;
}

static const char *status_of(const struct cluster_result *found)
{
    static const char *const names[] = {[CLUSTER_TESTED] = "values_too_large",
                                        [CLUSTER_TOO_FEW] = "too_few_clusters",
                                        [CLUSTER_NO_WEIGHT] = "no_denominator",
                                        [CLUSTER_NO_VARIANCE] = "degenerate"};

    return names[found->refusal];
}

static struct live_cluster_test test_of(const struct live_results *results,
                                        const struct cluster_measure *measure, const char *metric,
                                        const char *role, int arm)
{
    struct live_cluster_test shown = {
        .metric = metric, .role = role, .treatment_index = arm, .status = "ok"};
    struct cluster_result found;

    if (!live_clusters_test(results, measure, CONTROL_ARM, arm, &found)) {
        shown.status = status_of(&found);
        return shown;
    }
    shown.evidence = cluster_evidence_of(measure->kind, &found, results->call->arena);
    shown.control_value = GIVEN_NUMBER(found.test.control_value);
    shown.treatment_value = GIVEN_NUMBER(found.test.treatment_value);
    shown.effect = GIVEN_NUMBER(found.test.effect);
    shown.ci_lower = GIVEN_NUMBER(found.test.ci_lower);
    shown.ci_upper = GIVEN_NUMBER(found.test.ci_upper);
    shown.p_value = GIVEN_NUMBER(found.test.p_value);
    return shown;
}

/* One after the other. */
struct tests {
    const struct live_results *results;
    struct live_cluster_test *items;
    size_t count;
};

static void add_tests(struct tests *tests, const struct cluster_measure *measure,
                      const char *metric, const char *role)
{
    for (size_t arm = 1; arm < tests->results->arms; arm++)
        tests->items[tests->count++] = test_of(tests->results, measure, metric, role, (int)arm);
}

static void add_named(struct tests *tests, const char *name, bool rate, const char *role)
{
    const struct cluster_measure measure = {rate ? CLUSTER_BINARY : CLUSTER_MEAN,
                                            live_view_metric(tests->results->view, name), 0};

    add_tests(tests, &measure, name, role);
}

static struct object_list list_tests(const struct live_results *results)
{
    const struct payload_metrics *design = results->design;
    const struct guardrail_metric *guardrails = design->guardrail_metrics.items;
    const struct cluster_measure goal = live_clusters_goal(results);
    const struct payload_goal *goals = design->goals ? design->goals->further.items : NULL;
    size_t further = design->goals ? design->goals->further.count : 0;
    size_t most = 1 + further + design->guardrail_metrics.count + design->secondary_metrics.count;
    struct tests tests = {
        results, ARENA_ARRAY(results->call->arena, struct live_cluster_test, most * results->arms),
        0};

    add_tests(&tests, &goal, design->primary_metric_name, "goal");
    for (size_t i = 0; i < further; i++)
        add_named(&tests, goals[i].name, goals[i].metric_type == METRIC_BINARY, "goal");
    for (size_t i = 0; i < design->guardrail_metrics.count; i++)
        add_named(&tests, guardrails[i].name, guardrails[i].metric_type == METRIC_BINARY,
                  "guardrail");
    for (size_t i = 0; i < design->secondary_metrics.count; i++)
        add_named(&tests, design->secondary_metrics.items[i], false, "secondary");
    return (struct object_list){tests.count, tests.items};
}

static int64_t count_shared(const struct live_results *results)
{
    const struct live_cluster_slices *slices = &results->view->clusters;
    int64_t shared = 0;

    for (size_t i = 0; i < slices->count; i++) {
        int arms = 0;

        for (size_t arm = 0; arm < results->arms; arm++)
            arms += people_in(results, slices->items[i], arm) > 0;
        shared += arms > 1;
    }
    return shared;
}

void live_results_clusters(const struct live_results *results, struct live_stats *stats)
{
    struct live_clusters *block;
    struct live_cluster_arm *arms;

    if (!results->clustered)
        return;
    block = ARENA_NEW(results->call->arena, struct live_clusters);
    arms = ARENA_ARRAY(results->call->arena, struct live_cluster_arm, results->arms);
    *block = (struct live_clusters){.unit = results->view->design->setup->clusters->unit,
                                    .clusters = (int64_t)results->view->clusters.count,
                                    .clusters_of_two_arms = count_shared(results),
                                    .arms = {results->arms, arms},
                                    .tests = list_tests(results)};
    for (size_t i = 0; i < results->arms; i++) {
        arms[i] = arm_of(results, i);
        block->users += arms[i].users;
        block->users_of_two_clusters += people_in(results, LIVE_CLUSTERS_CROSSED, i);
    }
    block->users_without_cluster = stats->exposures_total - block->users;
    block->switchback = live_clusters_switchback(results);
    if (block->switchback)
        block->users_without_cluster -=
            block->switchback->users_washed_out + block->switchback->users_outside;
    stats->clusters = block;
}
