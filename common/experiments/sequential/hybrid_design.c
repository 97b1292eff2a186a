/* What a hybrid plan demands, and what a reading says. */
#include "experiments/sequential/hybrid_design.h"
#include "experiments/sequential/sequential_internal.h"

#include "math/normal.h"
#include "stats/always_valid.h"

#include <math.h>

/* A p-value at the end solves the design some fifteen times, near a second for the smallest alpha;
 * a plan alone takes up to a tenth of one. */
enum { UNITS_OF_PLAN = 2, UNITS_OF_END = 14 };

int64_t hybrid_cost_units(const struct hybrid_request *request)
{
    return UNITS_OF_PLAN + (request->look && request->look->is_end ? UNITS_OF_END : 0);
}

struct hybrid_plan hybrid_plan_at(const struct hybrid_request *request, double end)
{
    return (struct hybrid_plan){
        .alpha = request->alpha,
        .early_share = request->early_share,
        .mixture = hybrid_mixture(request->tuned_fraction, request->alpha, request->early_share),
        .end = end};
}

static struct object_list list_boundaries(const struct hybrid_plan *plan,
                                          const struct number_list *fractions, struct arena *arena)
{
    struct hybrid_boundary *items = ARENA_ARRAY(arena, struct hybrid_boundary, fractions->count);

    for (size_t i = 0; i < fractions->count; i++) {
        double z = hybrid_early_z(plan, fractions->items[i]);

        items[i] = (struct hybrid_boundary){fractions->items[i], z, 2 * normal_survival(z)};
    }
    return (struct object_list){fractions->count, items};
}

/* The estimate and its standard error; a z stands for the drift. */
static double estimate_of(const struct hybrid_look *look, double *error)
{
    *error = look->z.given ? 1 / sqrt(look->information_fraction) : look->standard_error.value;
    return look->z.given ? look->z.value * *error : look->estimate.value;
}

/* The boundary and the p-value before the end. */
static void read_early(const struct hybrid_plan *plan, double t, struct hybrid_reading *reading)
{
    struct always_valid sequence;

    reading->boundary_z = hybrid_early_z(plan, t);
    always_valid_test(reading->z, 1, plan->mixture * t, plan->alpha * plan->early_share, &sequence);
    reading->p_value = fmin(1, sequence.p_value / plan->early_share);
}

/* The same at the end, of a plan that ends there. */
static bool read_end(const struct hybrid_plan *plan, struct arena *arena,
                     struct hybrid_reading *reading)
{
    struct hybrid_design *design = ARENA_NEW(arena, struct hybrid_design);

    if (!hybrid_solve(plan, arena, design))
        return false;
    reading->boundary_z = design->end_z;
    reading->p_value = hybrid_end_p(plan, reading->z, arena);
    return true;
}

/* False when the reading has no finite statistic. */
static bool start_reading(const struct hybrid_look *look, double *error,
                          struct hybrid_reading *reading)
{
    double estimate = estimate_of(look, error);

    *reading = (struct hybrid_reading){.scale = look->z.given ? "drift" : "estimate",
                                       .z = estimate / *error,
                                       .estimate = estimate};
    return isfinite(reading->z);
}

static bool finish_reading(double error, struct hybrid_reading *reading)
{
    double radius = reading->boundary_z * error;

    reading->ci_lower = reading->estimate - radius;
    reading->ci_upper = reading->estimate + radius;
    reading->is_significant = fabs(reading->z) > reading->boundary_z;
    return isfinite(reading->ci_lower) && isfinite(reading->ci_upper);
}

bool hybrid_read_early(const struct hybrid_request *request, const struct hybrid_look *look,
                       struct hybrid_reading *reading)
{
    struct hybrid_plan plan = hybrid_plan_at(request, look->information_fraction);
    double error;

    if (!start_reading(look, &error, reading))
        return false;
    read_early(&plan, look->information_fraction, reading);
    return finish_reading(error, reading);
}

static const char *status_of(const struct hybrid_look *look, bool rejects)
{
    if (rejects)
        return "efficacy";
    return look->is_end ? "no_rejection" : "continue";
}

static enum error read_look(const struct sequential_call *call,
                            const struct hybrid_request *request, struct hybrid_reading *reading)
{
    const struct hybrid_look *look = request->look;
    struct hybrid_plan plan = hybrid_plan_at(request, look->information_fraction);
    double error;
    bool read = start_reading(look, &error, reading);

    if (read && !look->is_end)
        read_early(&plan, look->information_fraction, reading);
    else if (read)
        read = read_end(&plan, call->arena, reading);
    if (!read || !finish_reading(error, reading))
        return sequential_unsolved(call->problem);
    reading->status = status_of(look, reading->is_significant);
    reading->verdict = locale_format(
        call->locale, call->arena,
        arena_print(call->arena, "sequential.verdict.%s", reading->status), NO_TEXT_ARGUMENTS);
    return ERROR_NONE;
}

static enum error describe_plan(const struct sequential_call *call,
                                const struct hybrid_request *request, struct hybrid_reply *reply)
{
    struct hybrid_design *design = ARENA_NEW(call->arena, struct hybrid_design);
    struct hybrid_plan plan = hybrid_plan_at(request, 1);
    double drift = NAN, one = hybrid_fixed_drift(plan.alpha, request->power);

    if (hybrid_solve(&plan, call->arena, design))
        drift = hybrid_drift(design, request->power);
    if (isnan(drift))
        return sequential_unsolved(call->problem);
    *reply = (struct hybrid_reply){
        .end_z = design->end_z,
        .end_p = 2 * normal_survival(design->end_z),
        .early_error = design->early_error,
        .drift = drift,
        .fixed_drift = one,
        .inflation_factor = drift / one * (drift / one),
        .early_probability = hybrid_early_probability(design, drift),
        .expected_information = hybrid_expected_information(design, drift),
        .null_expected_information = hybrid_expected_information(design, 0),
        .boundaries = list_boundaries(&plan, &request->information_fractions, call->arena)};
    return ERROR_NONE;
}

enum error hybrid_answer(const struct sequential_call *call, const struct hybrid_request *request,
                         struct hybrid_reply *reply)
{
    enum error error = describe_plan(call, request, reply);
    struct hybrid_reading *reading;

    if (error || !request->look)
        return error;
    reading = ARENA_NEW(call->arena, struct hybrid_reading);
    reply->reading = reading;
    return read_look(call, request, reading);
}
