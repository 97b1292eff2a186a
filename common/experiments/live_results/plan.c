/* The planned size of a design, cached by the version of the design. */
#include "experiments/live_results/live_results_internal.h"

#include "experiments/design/sequential.h"
#include "experiments/sequential/sequential_monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLANS_CACHED = 16, ID_MAX = 64, VERSION_MAX = 48, SOLVING_BYTES = 16 << 20 };

static struct cached_plan {
    char id[ID_MAX];
    char updated_at[VERSION_MAX];
    struct live_results_plan plan;
} cached[PLANS_CACHED];
static size_t next_cached;

/* The drift that planned looks need for their power, and by what factor they need more users than
 * one look. */
static bool solve_looks(const struct live_view *view, double alpha, struct arena *arena,
                        double *drift, double *inflation)
{
    const struct payload_looks *looks = view->design->constraints->planned_looks;
    struct group_sequential_plan test;
    struct sequential_plan plan;
    double ratio;

    live_results_plan_looks(view->design->metrics, looks, alpha, &plan);
    test = sequential_plan_of(&plan);
    if (!(test.power > test.alpha / test.sides))
        return false;
    *drift = group_sequential_drift(&test, looks->information_fractions.items,
                                    (int)looks->information_fractions.count, arena);
    ratio = *drift / group_sequential_fixed_drift(&test);
    *inflation = ratio * ratio;
    return !isnan(ratio);
}

/* By what factor a hybrid test needs more users than one look. */
static bool solve_hybrid(const struct live_view *view, double alpha, struct arena *arena,
                         double *inflation)
{
    struct arena *work = arena_create_below(arena, SOLVING_BYTES);
    struct hybrid_design *design = ARENA_NEW(work, struct hybrid_design);
    double power = view->design->metrics->power, drift = NAN;
    struct hybrid_request request;
    struct hybrid_plan plan;

    live_results_plan_hybrid(view->design->metrics, view->design->constraints->hybrid, alpha,
                             &request);
    plan = hybrid_plan_at(&request, 1);
    if (hybrid_solve(&plan, work, design))
        drift = hybrid_drift(design, power) / hybrid_fixed_drift(alpha, power);
    arena_destroy(work);
    *inflation = drift * drift;
    return !isnan(drift);
}

static void compute(const struct live_view *view, struct arena *arena,
                    struct live_results_plan *plan)
{
    struct sequential_design design = {0};
    struct sequential_size size;
    struct sizing_request request;
    struct sizing_plan fixed;
    double alpha, inflation = 0;

    *plan = (struct live_results_plan){0};
    payload_to_sizing(view->design, &request);
    alpha = request.alpha / (double)(request.variants_count > 1 ? request.variants_count - 1 : 1);
    if (request.n_looks > 1 && request.n_looks <= SEQUENTIAL_LOOKS_MAX &&
        !sequential_solve((int)request.n_looks, alpha, request.power, &design, NULL))
        plan->final_boundary = design.constant;
    if (plan->final_boundary > 0)
        inflation = design.inflation_factor;
    if (view->design->constraints->planned_looks &&
        !solve_looks(view, alpha, arena, &plan->drift, &inflation))
        inflation = 0;
    if (view->design->constraints->hybrid && !solve_hybrid(view, alpha, arena, &inflation))
        inflation = 0;
    if (sizing_plan_design(&request, &fixed, NULL))
        return;
    plan->known = true;
    plan->sample_size = fixed.sample_size_per_variant;
    if (inflation > 0 && !sizing_plan_sequential(&request, &fixed, inflation, &size, NULL)) {
        plan->sequential_known = true;
        plan->sequential_size = size.sample_size_per_variant;
    }
}

void live_results_make_plan(const struct live_view *view, struct arena *arena,
                            struct live_results_plan *plan)
{
    struct cached_plan *entry = &cached[next_cached];

    for (size_t i = 0; i < PLANS_CACHED; i++) {
        if (strcmp(cached[i].id, view->experiment.id) == 0 &&
            strcmp(cached[i].updated_at, view->updated_at) == 0) {
            *plan = cached[i].plan;
            return;
        }
    }
    compute(view, arena, plan);
    snprintf(entry->id, sizeof entry->id, "%s", view->experiment.id);
    snprintf(entry->updated_at, sizeof entry->updated_at, "%s", view->updated_at);
    entry->plan = *plan;
    next_cached = (next_cached + 1) % PLANS_CACHED;
}
