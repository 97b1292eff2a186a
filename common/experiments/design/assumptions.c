/* One small function per plan writes its lines; the lines about alpha, clusters and interim looks
 * are common to all. */
#include "experiments/design/assumptions.h"

#include <math.h>
#include <string.h>

enum { LINES_MAX = 8 }; /* four of the plan at most, three about clusters, one about looks */

struct writer {
    struct arena *arena;
    const struct sizing_request *request;
    const struct sizing_plan *plan;
    struct string_list lines;
};

/* The same number with commas between the thousands of its integer part. */
static const char *group_thousands(struct arena *arena, const char *number)
{
    size_t length = strlen(number);
    size_t digits = strcspn(number, ".");
    char *grouped = arena_alloc(arena, length + length / 3 + 1);
    char *out = grouped;

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && i < digits && (digits - i) % 3 == 0)
            *out++ = ',';
        *out++ = number[i];
    }
    return grouped;
}

const char *assumptions_print_count(struct arena *arena, int64_t count)
{
    return group_thousands(arena, arena_print(arena, "%lld", (long long)count));
}

static void add(struct writer *writer, const char *line)
{
    writer->lines.items[writer->lines.count++] = line;
}

static void add_effect(struct writer *writer, const char *of)
{
    add(writer, arena_print(writer->arena, "MDE relative to %s: %g%% of %g, that is %g absolute.",
                            of, fabs(writer->request->mde_pct), writer->request->baseline_value,
                            writer->plan->mde_absolute));
}

static void add_z_test(struct writer *writer)
{
    const struct sizing_request *request = writer->request;
    struct arena *arena = writer->arena;

    if (request->metric_type == METRIC_RATIO) {
        add(writer,
            arena_print(arena,
                        "Ratio of two per-user totals, linearized by the delta method around "
                        "R = %g; per-user std of (numerator - R * denominator) is %g.",
                        request->baseline_value, request->std_dev.value));
        add_effect(writer, "baseline ratio");
    } else if (request->metric_type == METRIC_CONTINUOUS) {
        add(writer,
            arena_print(arena,
                        "Comparison of two-sample means, equal arms, with a common standard "
                        "deviation of %g.",
                        request->std_dev.value));
        add_effect(writer, "mean");
    } else {
        add(writer, "Two-sided fixed horizon test of two proportions, equal-variance approximation "
                    "under the null hypothesis.");
        add_effect(writer, "baseline rate");
    }
}

static void add_fisher(struct writer *writer)
{
    const struct sizing_plan *plan = writer->plan;
    struct arena *arena = writer->arena;
    const char *normal = assumptions_print_count(arena, plan->normal_sample_size);

    if (plan->exact_scan)
        add(writer, arena_print(arena,
                                "Fisher's exact test, planned exactly: the smallest n per variant "
                                "whose exact power reaches %.0f%% (the z-test would need %s).",
                                100 * writer->request->power, normal));
    else
        add(writer, arena_print(arena,
                                "Fisher's exact test, planned by the Casagrande-Pike-Smith "
                                "approximation, because the z-test's n of %s exceeds 500.",
                                normal));
    add_effect(writer, "baseline rate");
}

static void add_mann_whitney(struct writer *writer)
{
    const struct sizing_plan *plan = writer->plan;
    struct arena *arena = writer->arena;

    add(writer, arena_print(arena,
                            "Mann-Whitney test: the z-test's n of %s divided by its asymptotic "
                            "relative efficiency for normal data, 3/pi = 0.9549.",
                            assumptions_print_count(arena, plan->normal_sample_size)));
    add(writer, arena_print(arena,
                            "In the worst case over all distributions the efficiency is 0.864, "
                            "which takes %s users per variant.",
                            assumptions_print_count(arena, plan->worst_case_sample_size)));
    add(writer, arena_print(arena, "MDE taken as a location shift of %g.", plan->mde_absolute));
}

static void add_tost(struct writer *writer)
{
    const struct sizing_plan *plan = writer->plan;
    struct arena *arena = writer->arena;

    add(writer, arena_print(arena,
                            "Equivalence (TOST) within a margin of %g, which is %g%% of the "
                            "baseline; the MDE is not used.",
                            plan->equivalence_margin_absolute,
                            writer->request->equivalence_margin_pct.value));
    add(writer, "Power is computed at a true difference of zero.");
    add(writer,
        arena_print(arena, "Each one-sided test is run at alpha = %.6g.", plan->adjusted_alpha));
}

static void add_poisson_rate(struct writer *writer)
{
    const struct sizing_request *request = writer->request;
    const struct sizing_plan *plan = writer->plan;
    struct arena *arena = writer->arena;
    const char *exposure = arena_print(arena, "%.1f", plan->exposure_per_arm);

    add(writer,
        arena_print(arena,
                    "Comparison of event rates given the total: %s events in both arms, "
                    "treatment share %.4f under the alternative, exposure %s per arm at %g "
                    "per user.",
                    assumptions_print_count(arena, plan->total_events), plan->treatment_share,
                    group_thousands(arena, exposure),
                    request->exposure_per_user.given ? request->exposure_per_user.value : 1.0));
    add(writer, "Events are independent Poisson counts with no overdispersion.");
    add(writer,
        arena_print(arena, "MDE taken as a rate ratio of %g.", 1 + fabs(request->mde_pct) / 100));
}

static void add_alpha(struct writer *writer)
{
    const struct sizing_plan *plan = writer->plan;

    if (plan->comparisons > 1)
        add(writer, arena_print(writer->arena,
                                "Bonferroni-adjusted alpha is %.6g for each of %lld comparisons "
                                "with the control; this is conservative.",
                                plan->adjusted_alpha, (long long)plan->comparisons));
    else
        add(writer, arena_print(writer->arena, "Nominal alpha for a single comparison: %.6g.",
                                plan->adjusted_alpha));
}

static void add_clusters(struct writer *writer)
{
    const struct sizing_request *request = writer->request;
    const struct sizing_plan *plan = writer->plan;

    add(writer,
        arena_print(writer->arena,
                    "Cluster randomization multiplies n by the design effect %.4g (average "
                    "cluster size %g, ICC %g): %s clusters per variant.",
                    plan->design_effect, request->avg_cluster_size.value, request->icc.value,
                    assumptions_print_count(writer->arena, plan->clusters_per_variant)));
    add(writer, "Cluster sizes are assumed equal; unequal ones need more clusters.");
    add(writer,
        "Only planning is adjusted for clusters; live analysis stays naive and treats users "
        "as independent.");
}

static void add_looks(struct writer *writer, const struct sequential_design *design)
{
    add(writer,
        arena_print(
            writer->arena,
            "Group sequential boundaries are the exact classical O'Brien-Fleming "
            "values for %d equally spaced looks at alpha = %.6g, after any Bonferroni adjustment.",
            design->looks, writer->plan->adjusted_alpha));
}

struct string_list assumptions_list(const struct sizing_request *request,
                                    const struct sizing_plan *plan,
                                    const struct sequential_design *design, struct arena *arena)
{
    static void (*const add_plan[PLAN__MAX])(struct writer *) = {
        [PLAN_Z_TEST] = add_z_test,
        [PLAN_FISHER_EXACT] = add_fisher,
        [PLAN_MANN_WHITNEY] = add_mann_whitney,
        [PLAN_TOST] = add_tost,
        [PLAN_POISSON_RATE] = add_poisson_rate,
    };
    struct writer writer = {.arena = arena, .request = request, .plan = plan};

    writer.lines.items = ARENA_ARRAY(arena, const char *, LINES_MAX);
    add_plan[plan->planned_test](&writer);
    add_alpha(&writer);
    if (plan->clustered)
        add_clusters(&writer);
    if (design)
        add_looks(&writer, design);
    return writer.lines;
}

const char *assumptions_bonferroni_note(const struct sizing_plan *plan, struct arena *arena)
{
    if (plan->comparisons < 2)
        return NULL;
    return arena_print(arena,
                       "Bonferroni: with %lld comparisons against the control each one is planned "
                       "at alpha = %.6g. Only the frequentist sample size is adjusted, not the "
                       "Bayesian one. If the design gets too large, consider a less conservative "
                       "correction such as Holm or Dunnett.",
                       (long long)plan->comparisons, plan->adjusted_alpha);
}

const char *assumptions_bayesian_note(const struct sizing_request *request,
                                      const struct precision_plan *precision, struct arena *arena)
{
    if (!precision->given)
        return NULL;
    return arena_print(arena,
                       "About %s users per variant give a %.0f%% credible interval with a "
                       "half-width of %g %s; no correction for several comparisons is applied.",
                       assumptions_print_count(arena, precision->sample_size_per_variant),
                       100 * request->credibility, request->desired_precision.value,
                       request->metric_type == METRIC_BINARY ? "pp" : "units");
}
