/* Computes a sized design with everything that explains it. */
#include "experiments/design/calculation.h"
#include "experiments/design/allocation.h"
#include "experiments/design/assumptions.h"
#include "experiments/design/rules.h"
#include "experiments/design/sequential.h"
#include "experiments/design/srm.h"

#include <math.h>
#include <string.h>

enum { CURVE_POINTS_MAX = 25 };

/* Of products that are whole numbers but for rounding. */
#define CEILING_ERROR 1e-9

#define OWNER struct calculation_summary
static const struct field summary_fields[] = {
    STRING(OWNER, metric_type),
    NUMBER(OWNER, baseline_value),
    NUMBER(OWNER, mde_pct),
    NUMBER(OWNER, mde_absolute, .help = "mde_pct in units of the metric, with its sign."),
    NUMBER(OWNER, alpha),
    NUMBER(OWNER, power),
    STRING(OWNER, planned_test, .help = "The test the plan is for."),
    NULLABLE_NUMBER(OWNER, equivalence_margin_pct),
    NULLABLE_NUMBER(OWNER, equivalence_margin_absolute),
    STRING(OWNER, direction,
           .help = "increase or decrease: the effect that verified figures are for."),
};
#undef OWNER
static const struct schema summary_schema = {.name = "CalculationSummary",
                                             .size = sizeof(struct calculation_summary),
                                             .fields = summary_fields,
                                             .field_count = COUNT_OF(summary_fields)};
SCHEMA_ITEM(summary_schema, struct calculation_summary);

#define OWNER struct calculation_allocation
static const struct field allocation_fields[] = {
    INTEGERS(OWNER, users_per_variant, .help = "By the plan's formula; control first."),
    INTEGER(OWNER, total_sample_size),
    INTEGER(OWNER, estimated_duration_days, .help = "Days until every variant is full."),
    INTEGER(OWNER, extra_users, .help = "More than an even split takes."),
    NUMBER(OWNER, total_ratio, ROUNDED(4), .help = "The total over that of an even split."),
    NULLABLE_NUMBER(OWNER, verified_power, ROUNDED(4),
                    .help = "Of the planned test, for these users and the weakest comparison."),
    INTEGERS(OWNER, verified_users_per_variant, .nullable = true,
             .help = "From which on that power stays at the target. Null for large unequal arms "
                     "of fisher_exact and poisson_rate."),
    NULLABLE_INTEGER(OWNER, verified_total_sample_size),
    NULLABLE_INTEGER(OWNER, verified_duration_days),
};
#undef OWNER
const struct schema calculation_allocation_schema = {.name = "Allocation",
                                                     .help = "Users for the actual split.",
                                                     .extra = EXTRA_STORED,
                                                     .complete = true,
                                                     .size = sizeof(struct calculation_allocation),
                                                     .fields = allocation_fields,
                                                     .field_count = COUNT_OF(allocation_fields)};

#define OWNER struct calculation_results
static const struct field results_fields[] = {
    INTEGER(OWNER, sample_size_per_variant),
    INTEGER(OWNER, total_sample_size),
    NUMBER(OWNER, effective_daily_traffic, .help = "Traffic that can enter the test."),
    INTEGER(OWNER, estimated_duration_days,
            .help = "Days until the variant with the least traffic is full."),
    NULLABLE_NUMBER(OWNER, holdout_fraction),
    NULLABLE_INTEGER(OWNER, mutually_exclusive_experiments),
    NULLABLE_NUMBER(OWNER, allocated_daily_traffic,
                    .help = "After holdout and exclusion; null when neither was asked for."),
    NULLABLE_NUMBER(OWNER, verified_power, ROUNDED(4),
                    .help = "Of the planned test itself, at sample_size_per_variant."),
    NULLABLE_INTEGER(OWNER, verified_sample_size,
                     .help = "Users per variant from which that power stays at the target."),
    OBJECT(OWNER, allocation, calculation_allocation_schema, .nullable = true,
           .help = "The same for the actual split; even arms are the plan again."),
};
#undef OWNER
const struct schema calculation_results_schema = {.name = "CalculationResults",
                                                  .extra = EXTRA_STORED,
                                                  .complete = true,
                                                  .size = sizeof(struct calculation_results),
                                                  .fields = results_fields,
                                                  .field_count = COUNT_OF(results_fields)};

#define OWNER struct calculation_plan
static const struct field plan_fields[] = {
    INTEGERS(OWNER, users_per_variant, .help = "Control first; with room for all looks."),
    INTEGER(OWNER, total_sample_size),
    INTEGER(OWNER, estimated_duration_days),
    INTEGER(OWNER, even_sample_size, .help = "Per variant of an even split with a single look."),
};
#undef OWNER
const struct schema calculation_plan_schema = {
    .name = "CalculationPlan",
    .help = "What to plan for: by the formula, or the verified numbers where these differ by more "
            "than 1 % and a user, or where the split is uneven.",
    .extra = EXTRA_STORED,
    .complete = true,
    .size = sizeof(struct calculation_plan),
    .fields = plan_fields,
    .field_count = COUNT_OF(plan_fields)};

#define OWNER struct warning
static const struct field warning_fields[] = {
    STRING(OWNER, code),
    STRING(OWNER, severity, .help = "high or medium."),
    STRING(OWNER, message, .help = "In the language of the request."),
    STRING(OWNER, source),
};
#undef OWNER
const struct schema calculation_warning_schema = {.name = "DesignWarning",
                                                  .extra = EXTRA_STORED,
                                                  .complete = true,
                                                  .size = sizeof(struct warning),
                                                  .fields = warning_fields,
                                                  .field_count = COUNT_OF(warning_fields)};

#define OWNER struct calculation_look
static const struct field look_fields[] = {
    INTEGER(OWNER, look),
    NUMBER(OWNER, info_fraction, ROUNDED(4)),
    NUMBER(OWNER, cumulative_alpha_spent, ROUNDED(6),
           .help = "Probability, without an effect, of having stopped by this look."),
    NUMBER(OWNER, incremental_alpha, ROUNDED(6)),
    NUMBER(OWNER, z_boundary, ROUNDED(4)),
    NUMBER(OWNER, p_boundary, ROUNDED(6), .help = "The boundary as a two-sided p-value."),
    BOOLEAN(OWNER, is_final),
};
#undef OWNER
static const struct schema look_schema = {.name = "SequentialLook",
                                          .size = sizeof(struct calculation_look),
                                          .fields = look_fields,
                                          .field_count = COUNT_OF(look_fields)};
SCHEMA_ITEM(look_schema, struct calculation_look);

#define OWNER struct power_point
static const struct field point_fields[] = {
    INTEGER(OWNER, sample_size_per_variant),
    NUMBER(OWNER, power, ROUNDED(6), .help = "By the plan's formula."),
    NUMBER(OWNER, verified_power, ROUNDED(4),
           .help = "Of the planned test itself, as results.verified_power."),
};
#undef OWNER
static const struct schema point_schema = {.name = "PowerPoint",
                                           .size = sizeof(struct power_point),
                                           .fields = point_fields,
                                           .field_count = COUNT_OF(point_fields)};
SCHEMA_ITEM(point_schema, struct power_point);

#define OWNER struct calculation
static const struct field reply_fields[] = {
    OBJECT(OWNER, calculation_summary, summary_schema),
    OBJECT(OWNER, results, calculation_results_schema),
    OBJECT(OWNER, plan, calculation_plan_schema),
    STRINGS(OWNER, assumptions, .help = "What the plan takes for granted, in English."),
    OBJECTS(OWNER, warnings, calculation_warning_schema),
    STRING(OWNER, bonferroni_note, .nullable = true),
    NULLABLE_NUMBER(OWNER, design_effect, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, avg_cluster_size),
    NULLABLE_NUMBER(OWNER, icc),
    NULLABLE_INTEGER(OWNER, clusters_per_variant),
    NULLABLE_INTEGER(OWNER, verified_clusters_per_variant,
                     .help = "From which on the t-test on cluster means has the target power."),
    NULLABLE_INTEGER(OWNER, bayesian_sample_size_per_variant),
    NULLABLE_NUMBER(OWNER, bayesian_credibility),
    STRING(OWNER, bayesian_note, .nullable = true),
    OBJECTS(OWNER, sequential_boundaries, look_schema, .nullable = true),
    NULLABLE_NUMBER(OWNER, sequential_inflation_factor, ROUNDED(4),
                    .help = "Largest size of the sequential test over that of the fixed one."),
    NULLABLE_INTEGER(OWNER, sequential_adjusted_sample_size),
    NULLABLE_INTEGER(OWNER, sequential_duration_days,
                     .help = "Days to the last look when no boundary is crossed before."),
    NULLABLE_NUMBER(OWNER, cuped_std, ROUNDED(4)),
    NULLABLE_INTEGER(OWNER, cuped_sample_size_per_variant),
    NULLABLE_NUMBER(OWNER, cuped_variance_reduction_pct, ROUNDED(1)),
    NULLABLE_NUMBER(OWNER, cuped_duration_days),
    NULLABLE_NUMBER(OWNER, cuped_theta, ROUNDED(4)),
    OBJECTS(OWNER, power_curve, point_schema,
            .help = "Power of the planned test over sample sizes round the plan."),
};
#undef OWNER
const struct schema calculation_schema = {.name = "Calculation",
                                          .help = "A sized design.",
                                          .size = sizeof(struct calculation),
                                          .fields = reply_fields,
                                          .field_count = COUNT_OF(reply_fields)};

static const struct calculation_summary *summarise(const struct sizing_request *design,
                                                   const struct sizing_plan *plan,
                                                   struct arena *arena)
{
    struct calculation_summary *summary = ARENA_NEW(arena, struct calculation_summary);

    *summary = (struct calculation_summary){.metric_type = metric_type_names[design->metric_type],
                                            .baseline_value = design->baseline_value,
                                            .mde_pct = design->mde_pct,
                                            .mde_absolute =
                                                design->baseline_value * (design->mde_pct / 100),
                                            .direction = goal_direction_names[design->direction],
                                            .alpha = design->alpha,
                                            .power = design->power,
                                            .planned_test = planned_test_names[plan->planned_test]};
    if (plan->planned_test == PLAN_TOST) {
        summary->equivalence_margin_pct = design->equivalence_margin_pct;
        summary->equivalence_margin_absolute = GIVEN_NUMBER(plan->equivalence_margin_absolute);
    }
    return summary;
}

/* What was computed of a plan before it is written into the answer. */
struct findings {
    struct verified_plan verified;
    struct allocation allocation;
};

static struct integer_list list_users(const struct allocated_users *users, size_t variants,
                                      struct arena *arena)
{
    struct integer_list list = {variants, ARENA_ARRAY(arena, int64_t, variants)};

    for (size_t i = 0; i < variants; i++)
        list.items[i] = users->users[i];
    return list;
}

static const struct calculation_allocation *allocation_figures(const struct allocation *found,
                                                               const struct sizing_plan *plan,
                                                               struct arena *arena)
{
    struct calculation_allocation *answer = ARENA_NEW(arena, struct calculation_allocation);

    *answer = (struct calculation_allocation){
        .users_per_variant = list_users(&found->planned, found->variants, arena),
        .total_sample_size = found->planned.total,
        .estimated_duration_days = found->planned.duration_days,
        .extra_users = found->planned.total - plan->total_sample_size,
        .total_ratio = found->total_ratio,
        .verified_power = found->power};
    if (!found->verified_given)
        return answer;
    answer->verified_users_per_variant = list_users(&found->verified, found->variants, arena);
    answer->verified_total_sample_size = GIVEN_INTEGER(found->verified.total);
    answer->verified_duration_days = GIVEN_INTEGER(found->verified.duration_days);
    return answer;
}

static const struct calculation_results *plan_figures(const struct sizing_request *design,
                                                      const struct sizing_plan *plan,
                                                      const struct findings *found,
                                                      struct arena *arena)
{
    struct calculation_results *results = ARENA_NEW(arena, struct calculation_results);

    *results = (struct calculation_results){
        .sample_size_per_variant = plan->sample_size_per_variant,
        .total_sample_size = plan->total_sample_size,
        .effective_daily_traffic = plan->effective_daily_traffic,
        .estimated_duration_days = plan->estimated_duration_days,
        .holdout_fraction = design->holdout_fraction,
        .mutually_exclusive_experiments = design->mutually_exclusive_experiments,
        .verified_power = GIVEN_NUMBER(found->verified.power),
        .verified_sample_size = GIVEN_INTEGER(found->verified.sample_size_per_variant),
        .allocation = allocation_figures(&found->allocation, plan, arena)};
    if (plan->allocation_given)
        results->allocated_daily_traffic = GIVEN_NUMBER(plan->allocated_daily_traffic);
    return results;
}

static void add_clusters(struct calculation *answer, const struct sizing_request *design,
                         const struct sizing_plan *plan, const struct verified_plan *verified)
{
    if (!plan->clustered)
        return;
    answer->verified_clusters_per_variant =
        verified->clusters ? GIVEN_INTEGER(verified->clusters) : (struct optional_integer){0};
    answer->design_effect = GIVEN_NUMBER(plan->design_effect);
    answer->avg_cluster_size = design->avg_cluster_size;
    answer->icc = design->icc;
    answer->clusters_per_variant = GIVEN_INTEGER(plan->clusters_per_variant);
}

static enum error add_precision(struct calculation *answer, const struct sizing_request *design,
                                const struct sizing_plan *plan, const struct calculation_call *call)
{
    struct precision_plan precision;
    enum error error = sizing_plan_precision(design, plan, &precision, call->problem);

    if (error || !precision.given)
        return error;
    answer->bayesian_sample_size_per_variant = GIVEN_INTEGER(precision.sample_size_per_variant);
    answer->bayesian_credibility = GIVEN_NUMBER(design->credibility);
    answer->bayesian_note = assumptions_bayesian_note(design, &precision, call->arena);
    return ERROR_NONE;
}

static enum error add_cuped(struct calculation *answer, const struct sizing_request *design,
                            const struct sizing_plan *plan, const struct calculation_call *call)
{
    struct cuped_plan cuped;
    enum error error = sizing_plan_cuped(design, plan, &cuped, call->problem);

    if (error || !cuped.given)
        return error;
    answer->cuped_std = GIVEN_NUMBER(cuped.std_dev);
    answer->cuped_sample_size_per_variant = GIVEN_INTEGER(cuped.sample_size_per_variant);
    answer->cuped_variance_reduction_pct = GIVEN_NUMBER(cuped.variance_reduction_pct);
    answer->cuped_duration_days = GIVEN_NUMBER(cuped.duration_days);
    answer->cuped_theta = GIVEN_NUMBER(cuped.theta);
    return ERROR_NONE;
}

static struct object_list list_looks(const struct sequential_design *sequential,
                                     struct arena *arena)
{
    struct calculation_look *looks =
        ARENA_ARRAY(arena, struct calculation_look, (size_t)sequential->looks);

    for (int i = 0; i < sequential->looks; i++) {
        const struct sequential_look *from = &sequential->look[i];

        looks[i] = (struct calculation_look){.look = from->look,
                                             .info_fraction = from->info_fraction,
                                             .cumulative_alpha_spent = from->cumulative_alpha_spent,
                                             .incremental_alpha = from->incremental_alpha,
                                             .z_boundary = from->z_boundary,
                                             .p_boundary = from->p_boundary,
                                             .is_final = i + 1 == sequential->looks};
    }
    return (struct object_list){(size_t)sequential->looks, looks};
}

/* The sequential companion; `sequential` stays NULL for a single look. */
static enum error add_sequential(struct calculation *answer, const struct sizing_request *design,
                                 const struct sizing_plan *plan,
                                 const struct sequential_design **sequential,
                                 const struct calculation_call *call)
{
    struct sequential_design *solved = ARENA_NEW(call->arena, struct sequential_design);
    struct sequential_size size;
    enum error error;

    *sequential = NULL;
    if (design->n_looks <= 1)
        return ERROR_NONE;
    error = sequential_solve((int)design->n_looks, plan->adjusted_alpha, design->power, solved,
                             call->problem);
    if (!error)
        error =
            sizing_plan_sequential(design, plan, solved->inflation_factor, &size, call->problem);
    if (error)
        return error;
    *sequential = solved;
    answer->sequential_boundaries = list_looks(solved, call->arena);
    answer->sequential_inflation_factor = GIVEN_NUMBER(solved->inflation_factor);
    answer->sequential_adjusted_sample_size = GIVEN_INTEGER(size.sample_size_per_variant);
    answer->sequential_duration_days = GIVEN_INTEGER(size.duration_days);
    return ERROR_NONE;
}

/* Users of the same plan in even arms. */
static int64_t even_total(const struct calculation *answer)
{
    struct optional_number factor = answer->sequential_inflation_factor;
    double users = (double)answer->plan->even_sample_size * (factor.given ? factor.value : 1);

    return (int64_t)ceil(users - CEILING_ERROR) * (int64_t)answer->plan->users_per_variant.count;
}

static enum error add_warnings(struct calculation *answer, const struct sizing_request *design,
                               const struct sizing_plan *plan,
                               const struct sequential_design *sequential,
                               const struct findings *found, const struct calculation_call *call)
{
    struct srm_result srm;
    struct rules_facts facts = {.request = design,
                                .plan = plan,
                                .inflation_factor = sequential ? sequential->inflation_factor : 1,
                                .verified = &found->verified,
                                .allocation = &found->allocation,
                                .days = answer->plan->estimated_duration_days,
                                .total = answer->plan->total_sample_size,
                                .even_total = even_total(answer)};
    enum error error = ERROR_NONE;

    if (design->actual_counts.count) {
        error =
            srm_check(&design->actual_counts, &design->traffic_split, NULL, &srm, call->problem);
        facts.srm = &srm;
    }
    if (!error)
        answer->warnings = rules_evaluate(&facts, call->locale, call->arena);
    return error;
}

static struct object_list draw_curve(const struct sizing_request *design,
                                     const struct sizing_plan *plan,
                                     const struct verified_plan *verified, struct arena *arena)
{
    struct power_point *points = ARENA_ARRAY(arena, struct power_point, CURVE_POINTS_MAX);

    return (struct object_list){
        verified_power_curve(design, plan, verified, points, CURVE_POINTS_MAX), points};
}

bool calculation_is_even(const struct integer_list *users)
{
    for (size_t i = 1; i < users->count; i++)
        if (users->items[i] != users->items[0])
            return false;
    return true;
}

static bool size_is_off(const struct calculation_results *results)
{
    double planned = (double)results->sample_size_per_variant;
    double gap = fabs((double)results->verified_sample_size.value - planned);

    return results->verified_sample_size.given && gap > 1 && gap > planned / 100;
}

bool calculation_is_off(const struct calculation_results *results)
{
    return results->allocation && results->verified_sample_size.given &&
           (size_is_off(results) || !calculation_is_even(&results->allocation->users_per_variant));
}

/* More users, and days in proportion, for a test that may be looked at several times. */
static void add_looks(struct calculation_plan *plan, const struct calculation *answer)
{
    double factor = answer->sequential_inflation_factor.value;

    plan->total_sample_size = 0;
    for (size_t i = 0; i < plan->users_per_variant.count; i++) {
        int64_t *users = &plan->users_per_variant.items[i];

        *users = (int64_t)ceil((double)*users * factor - CEILING_ERROR);
        plan->total_sample_size += *users;
    }
    plan->estimated_duration_days =
        (int64_t)ceil((double)plan->estimated_duration_days * factor - CEILING_ERROR);
}

/* The sequential companion of the formula's plan. */
static void take_sequential(struct calculation_plan *plan, const struct calculation *answer)
{
    int64_t users = answer->sequential_adjusted_sample_size.value;

    for (size_t i = 0; i < plan->users_per_variant.count; i++)
        plan->users_per_variant.items[i] = users;
    plan->total_sample_size = users * (int64_t)plan->users_per_variant.count;
    plan->estimated_duration_days = answer->sequential_duration_days.value;
}

static const struct calculation_plan *choose_plan(const struct calculation *answer,
                                                  struct arena *arena)
{
    struct calculation_plan *plan = ARENA_NEW(arena, struct calculation_plan);
    const struct calculation_results *results = answer->results;
    const struct calculation_allocation *allocation = results->allocation;
    bool off = calculation_is_off(results);
    bool verified = off && allocation->verified_users_per_variant.count > 0;
    const struct integer_list *users =
        verified ? &allocation->verified_users_per_variant : &allocation->users_per_variant;

    *plan = (struct calculation_plan){
        .users_per_variant = {users->count, ARENA_ARRAY(arena, int64_t, users->count)},
        .total_sample_size =
            verified ? allocation->verified_total_sample_size.value : allocation->total_sample_size,
        .estimated_duration_days = verified ? allocation->verified_duration_days.value
                                            : allocation->estimated_duration_days,
        .even_sample_size = size_is_off(results) ? results->verified_sample_size.value
                                                 : results->sample_size_per_variant};
    memcpy(plan->users_per_variant.items, users->items, users->count * sizeof users->items[0]);
    if (answer->sequential_inflation_factor.given && off)
        add_looks(plan, answer);
    else if (answer->sequential_adjusted_sample_size.given)
        take_sequential(plan, answer);
    return plan;
}

static enum error verify(const struct calculation_call *call, const struct sizing_request *design,
                         const struct sizing_plan *plan, struct findings *found)
{
    enum error error = verified_plan_find(design, plan, &found->verified, call->problem);

    return error
               ? error
               : allocation_find(design, plan, &found->verified, &found->allocation, call->problem);
}

enum error calculation_run(const struct calculation_call *call, const struct sizing_request *design,
                           struct calculation *answer)
{
    const struct sequential_design *sequential;
    struct sizing_plan plan;
    struct findings found;
    enum error error = sizing_plan_design(design, &plan, call->problem);

    *answer = (struct calculation){0};
    if (error || (error = verify(call, design, &plan, &found)) ||
        (error = add_precision(answer, design, &plan, call)) ||
        (error = add_cuped(answer, design, &plan, call)) ||
        (error = add_sequential(answer, design, &plan, &sequential, call)))
        return error;
    answer->calculation_summary = summarise(design, &plan, call->arena);
    answer->results = plan_figures(design, &plan, &found, call->arena);
    answer->plan = choose_plan(answer, call->arena);
    answer->assumptions = assumptions_list(design, &plan, sequential, call->arena);
    answer->bonferroni_note = assumptions_bonferroni_note(&plan, call->arena);
    add_clusters(answer, design, &plan, &found.verified);
    answer->power_curve = draw_curve(design, &plan, &found.verified, call->arena);
    return add_warnings(answer, design, &plan, sequential, &found, call);
}
