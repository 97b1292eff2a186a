/* Slots from times, the washout, and the effect of the slot before. */
#include "experiments/analyses/switchback_analysis.h"

#include "experiments/analyses/analyzer_internal.h"
#include "experiments/design/sizing.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 2 * CLUSTER_ROWS_MAX, ROWS_PER_UNIT = 1000, COST_MIN = 1 };

const char *const switchback_cluster_names[SWITCHBACK_CLUSTERS__MAX] = {
    [SWITCHBACK_BY_SLOT] = "slot", [SWITCHBACK_BY_UNIT] = "unit"};

#define OWNER struct switchback_request
static const struct field request_fields[] = {
    CHOICE(OWNER, metric_type, cluster_metric_names, .choice_count = CLUSTER_METRIC__MAX,
           .required = true),
    NUMBER(OWNER, slot_length, .required = true, .lower = ABOVE(0),
           .help = "In the unit of times: a slot begins at every multiple of it."),
    NUMBER(OWNER, washout, .lower = AT_LEAST(0),
           .help = "Rows of so much time at the beginning of every slot are left out, because the "
                   "arm of the slot before still has effects."),
    CHOICE(OWNER, cluster_by, switchback_cluster_names, .choice_count = SWITCHBACK_CLUSTERS__MAX,
           .help = "slot when every slot of every unit was assigned by itself; unit when units "
                   "follow schedules."),
    NUMBERS(OWNER, times, .required = true, .min_length = 1, .max_length = ROWS_MAX,
            .help = "When the row's users came."),
    INTEGERS(OWNER, arms, .required = true, .min_length = 1, .max_length = ROWS_MAX,
             .lower = AT_LEAST(0), .upper = AT_MOST(1),
             .help = "0 control, 1 treatment; the same in a slot of a unit."),
    STRINGS(OWNER, units, .nullable = true, .max_length = ROWS_MAX,
            .help = "What is switched: markets, cities. One for all rows when absent."),
    NUMBERS(OWNER, sums, .required = true, .min_length = 1, .max_length = ROWS_MAX,
            .help = "The value of the row's user, or the sum over its users; of a ratio, the "
                    "numerator."),
    INTEGERS(OWNER, users, .nullable = true, .lower = AT_LEAST(1),
             .help = "Users of every row; one each when absent."),
    NUMBERS(OWNER, denominators, .nullable = true, .lower = AT_LEAST(0),
            .help = "Of a ratio, which needs them."),
    NUMBER(OWNER, alpha, .lower = AT_LEAST(0.001), .upper = AT_MOST(0.1), .default_value = 0.05,
           .help = "Two-sided significance level."),
    CHOICE(OWNER, direction, goal_direction_names, .choice_count = GOAL__MAX,
           .help = "Where the metric should go: verdict and outcome follow it."),
};
#undef OWNER

static bool lengths_match(const void *object)
{
    const struct switchback_request *request = object;
    size_t rows = request->times.count;

    return request->arms.count == rows && request->sums.count == rows &&
           (!request->units.items || request->units.count == rows) &&
           (!request->users.items || request->users.count == rows) &&
           (!request->denominators.items || request->denominators.count == rows);
}

static bool denominators_belong(const void *object)
{
    const struct switchback_request *request = object;
    bool ratio = request->metric_type == CLUSTER_RATIO;

    return ratio == (request->denominators.items != NULL) && !(ratio && request->users.items);
}

static bool binary_sums_fit(const void *object)
{
    const struct switchback_request *request = object;

    return cluster_binary_holds(request->metric_type, &request->sums, &request->users);
}

static bool washout_leaves_rows(const void *object)
{
    const struct switchback_request *request = object;

    return request->washout < request->slot_length;
}

static bool slots_can_be_counted(const void *object)
{
    const struct switchback_request *request = object;

    for (size_t i = 0; i < request->times.count; i++)
        if (!(fabs(request->times.items[i] / request->slot_length) < 0x1p50))
            return false;
    return true;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.switchback_lengths", lengths_match},
    {"errors.schemas.cluster_denominators", denominators_belong},
    {"errors.schemas.cluster_binary_sums", binary_sums_fit},
    {"errors.schemas.switchback_washout", washout_leaves_rows},
    {"errors.schemas.switchback_times", slots_can_be_counted},
};

SCHEMA(switchback_request_schema, struct switchback_request, "SwitchbackRequest", request_fields,
       .help = "Users of two arms that took turns, slot by slot.", RULES(request_rules),
       .example = "{\"metric_type\":\"mean\",\"slot_length\":60,\"washout\":10,\"times\":[15,70,"
                  "145,190,255,330],\"arms\":[0,1,1,0,1,0],\"users\":[30,28,33,29,31,27],\"sums\":["
                  "300,301,340,285,322,262]}");

#define OWNER struct carry_over
static const struct field carry_over_fields[] = {
    NUMBER(OWNER, effect, ROUNDED(6), .help = "In percentage points for a binary metric."),
    NUMBER(OWNER, standard_error, ROUNDED(6)),
    NUMBER(OWNER, degrees_of_freedom, ROUNDED(4)),
    NUMBER(OWNER, p_value, ROUNDED(6)),
    NUMBER(OWNER, ci_lower, ROUNDED(6)),
    NUMBER(OWNER, ci_upper, ROUNDED(6)),
    BOOLEAN(OWNER, is_significant, .help = "Then the washout is too short."),
};
#undef OWNER
SCHEMA(carry_over_schema, struct carry_over, "CarryOver", carry_over_fields,
       .help = "What treatment in the slot before adds to a slot, given its own arm.");

#define OWNER struct switchback_reply
static const struct field reply_fields[] = {
    OBJECT(OWNER, result, results_reply_schema),
    OBJECT(OWNER, clusters, cluster_evidence_schema),
    INTEGER(OWNER, units),
    INTEGER(OWNER, slots, .help = "Slots of units that have rows."),
    INTEGER(OWNER, switches, .help = "Slots whose unit had the other arm in the slot before."),
    INTEGER(OWNER, rows_used),
    INTEGER(OWNER, rows_washed_out),
    OBJECT(OWNER, carry_over, carry_over_schema, .nullable = true,
           .help = "Null when too few slots follow a slot of either arm."),
};
#undef OWNER
SCHEMA(switchback_reply_schema, struct switchback_reply, "SwitchbackReply", reply_fields,
       .help = "The comparison of two arms that took turns.");

/* A row in its slot; `before` is the arm of the slot before, -1 when that has no rows. */
struct slotted_row {
    uint32_t unit, cluster;
    int64_t slot;
    int before;
    size_t place; /* in the request */
    bool washed_out;
};

static int by_slot(const void *left, const void *right)
{
    const struct slotted_row *one = left, *other = right;

    if (one->unit != other->unit)
        return one->unit < other->unit ? -1 : 1;
    if (one->slot != other->slot)
        return one->slot < other->slot ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static struct slotted_row *sort_rows(const struct switchback_request *observed, struct arena *arena,
                                     struct switchback_reply *answer)
{
    size_t count = observed->times.count;
    struct slotted_row *rows = ARENA_ARRAY(arena, struct slotted_row, count);
    uint32_t *units = ARENA_ARRAY(arena, uint32_t, count);

    answer->units = 1;
    if (observed->units.items)
        answer->units = (int64_t)cluster_number_names(observed->units.items, count, arena, units);
    for (size_t i = 0; i < count; i++) {
        double slot = floor(observed->times.items[i] / observed->slot_length);
        double since = observed->times.items[i] - slot * observed->slot_length;

        rows[i] = (struct slotted_row){.unit = units[i],
                                       .slot = (int64_t)slot,
                                       .place = i,
                                       .washed_out = since < observed->washout};
        answer->rows_washed_out += rows[i].washed_out;
    }
    qsort(rows, count, sizeof *rows, by_slot);
    answer->rows_used = (int64_t)count - answer->rows_washed_out;
    return rows;
}

static enum error refuse_mixed_slot(const struct results_call *call,
                                    const struct switchback_request *observed, size_t place)
{
    const char *time = report_print_fixed(call->arena, 3, observed->times.items[place]);

    return problem_set(call->problem, ERROR_INVALID, "slot_of_two_arms", "%s",
                       locale_format(call->locale, call->arena,
                                     "errors.schemas.switchback_mixed_slot",
                                     TEXT_ARGUMENTS({"time", time})));
}

/* Numbers the clusters, and finds the arm before every slot. */
static enum error mark_slots(const struct results_call *call,
                             const struct switchback_request *observed, struct slotted_row *rows,
                             struct switchback_reply *answer)
{
    const int64_t *arms = observed->arms.items;

    for (size_t i = 0; i < observed->times.count; i++) {
        const struct slotted_row *last =
            i > 0 && rows[i - 1].unit == rows[i].unit ? rows + i - 1 : NULL;
        bool same = last && last->slot == rows[i].slot;

        if (same && arms[last->place] != arms[rows[i].place])
            return refuse_mixed_slot(call, observed, rows[i].place);
        rows[i].before = same ? last->before : -1;
        if (last && last->slot + 1 == rows[i].slot)
            rows[i].before = (int)arms[last->place];
        answer->slots += !same;
        answer->switches += !same && rows[i].before >= 0 && rows[i].before != arms[rows[i].place];
        rows[i].cluster = observed->cluster_by == SWITCHBACK_BY_UNIT
                              ? rows[i].unit
                              : (uint32_t)(answer->slots - 1);
    }
    return ERROR_NONE;
}

static double weight_of(const struct switchback_request *observed, size_t place)
{
    if (observed->denominators.items)
        return observed->denominators.items[place];
    return observed->users.items ? (double)observed->users.items[place] : 1;
}

/* Rows after the washout, with the arm before as covariate; only those that have one, if asked. */
static struct cluster_rows rows_of(const struct switchback_request *observed,
                                   const struct slotted_row *slotted, bool with_before,
                                   struct arena *arena)
{
    size_t most = observed->times.count, count = 0;
    uint32_t *cluster = ARENA_ARRAY(arena, uint32_t, most);
    uint8_t *arm = ARENA_ARRAY(arena, uint8_t, most);
    double *columns = ARENA_ARRAY(arena, double, 4 * most);
    double *weight = columns, *total = columns + most, *squares = columns + 2 * most;
    const double **covariates = ARENA_ARRAY(arena, const double *, 1);
    bool single = !observed->users.items && observed->metric_type == CLUSTER_MEAN;

    for (size_t i = 0; i < most; i++) {
        size_t place = slotted[i].place;

        if (slotted[i].washed_out || (with_before && slotted[i].before < 0))
            continue;
        cluster[count] = slotted[i].cluster;
        arm[count] = (uint8_t)observed->arms.items[place];
        weight[count] = weight_of(observed, place);
        total[count] = observed->sums.items[place];
        squares[count] = single ? total[count] * total[count] : total[count];
        columns[3 * most + count++] = slotted[i].before;
    }
    covariates[0] = columns + 3 * most;
    return (struct cluster_rows){
        .count = count,
        .cluster = cluster,
        .arm = arm,
        .weight = weight,
        .total = total,
        .squares = single || observed->metric_type == CLUSTER_BINARY ? squares : NULL,
        .covariates = covariates,
        .covariate_count = with_before,
        .cluster_count = most};
}

const struct carry_over *carry_over_show(const struct cluster_result *found, bool binary,
                                         double alpha, struct arena *arena)
{
    struct carry_over *carried = ARENA_NEW(arena, struct carry_over);
    double unit = binary ? 100 : 1;

    if (found->refusal || !found->slope.given)
        return NULL;
    *carried = (struct carry_over){.effect = found->slope.value * unit,
                                   .standard_error = found->slope_error.value * unit,
                                   .degrees_of_freedom = found->slope_df.value,
                                   .p_value = found->slope_p.value,
                                   .ci_lower = found->slope_lower.value * unit,
                                   .ci_upper = found->slope_upper.value * unit,
                                   .is_significant = found->slope_p.value < alpha};
    return carried;
}

static const struct carry_over *carry_over_of(const struct switchback_request *observed,
                                              const struct slotted_row *slotted,
                                              struct arena *arena)
{
    struct cluster_rows rows = rows_of(observed, slotted, true, arena);
    struct cluster_result found;

    cluster_robust_test(&rows, observed->alpha, arena, &found);
    return carry_over_show(&found, observed->metric_type == CLUSTER_BINARY, observed->alpha, arena);
}

enum error switchback_analyze(const struct results_call *call,
                              const struct switchback_request *observed,
                              struct switchback_reply *answer)
{
    const struct cluster_plan plan = {.metric = (enum cluster_metric)observed->metric_type,
                                      .alpha = observed->alpha,
                                      .lower_is_better = observed->direction == GOAL_DECREASE};
    struct slotted_row *slotted;
    struct cluster_rows rows;
    struct cluster_result found;
    struct cluster_reply compared;
    enum error error;

    *answer = (struct switchback_reply){0};
    slotted = sort_rows(observed, call->arena, answer);
    error = mark_slots(call, observed, slotted, answer);
    if (error)
        return error;
    rows = rows_of(observed, slotted, false, call->arena);
    error = cluster_compose(call, &plan, &rows, &found, &compared);
    if (error)
        return error;
    answer->result = compared.result;
    answer->clusters = compared.clusters;
    answer->carry_over = carry_over_of(observed, slotted, call->arena);
    return ERROR_NONE;
}

int64_t switchback_cost_units(const struct switchback_request *observed)
{
    return analyzer_units(COST_MIN, (int64_t)observed->times.count, ROWS_PER_UNIT);
}
