/*
 * Ratios are linear about the ratio of their arm (delta method), so that covariates adjust them as
 * they adjust means.
 */
#include "experiments/sequential/always_valid_reading.h"

#include "stats/covariate_adjustment.h"
#include "stats/sequential/confidence_sequence.h"

#include <math.h>

/* The arm as the adjustment reads it: means and sums of products about them. */
static struct adjustment_arm adjustment_arm_of(int metric, const struct sequence_arm *arm)
{
    const struct sequence_covariate *covariate = arm->covariate;
    double free = (double)arm->n.value - 1, n = (double)arm->n.value;
    double mean = arm->mean.value, std = arm->std.value, product = 0;
    struct adjustment_arm result = {.n = arm->n.value};

    if (metric == SEQUENCE_RATE) {
        mean = (double)arm->conversions.value / n;
        std = sqrt(mean * (1 - mean) * n / free);
    }
    if (covariate)
        product = covariate->correlation * std * covariate->std;
    result.products[0][0] = free * std * std;
    if (metric == SEQUENCE_RATIO) {
        double below = arm->denominator_mean.value, spread = arm->denominator_std.value;
        double ratio = mean / below;

        result.products[0][0] =
            free *
            fmax(std * std - 2 * ratio * arm->denominator_correlation.value * std * spread +
                     ratio * ratio * spread * spread,
                 0) /
            (below * below);
        if (covariate)
            product = (product -
                       ratio * covariate->denominator_correlation.value * spread * covariate->std) /
                      below;
        mean = ratio;
    }
    result.mean[0] = mean;
    if (covariate) {
        result.mean[1] = covariate->mean;
        result.products[1][1] = free * covariate->std * covariate->std;
        result.products[0][1] = result.products[1][0] = free * product;
    }
    return result;
}

static double variance_of_mean(const struct adjustment_arm *arm)
{
    return arm->products[0][0] / ((double)arm->n - 1) / (double)arm->n;
}

static const struct always_valid_figures *figures_of(const struct always_valid_call *call,
                                                     const struct always_valid_request *request,
                                                     double effect, double variance, double users)
{
    struct always_valid_figures *figures = ARENA_NEW(call->arena, struct always_valid_figures);
    struct sequence_tuning tuning = {request->effect.given ? request->effect.value : 0,
                                     (double)request->tuning_users};
    struct always_valid result;

    confidence_sequence_difference(effect, variance, users, &tuning, request->alpha, &result);
    if (!result.evaluable || !isfinite(result.lower) || !isfinite(result.upper))
        return NULL;
    *figures = (struct always_valid_figures){.effect = effect,
                                             .standard_error = GIVEN_NUMBER(sqrt(variance)),
                                             .p_value = result.p_value,
                                             .ci_lower = GIVEN_NUMBER(result.lower),
                                             .ci_upper = GIVEN_NUMBER(result.upper),
                                             .is_significant = result.is_significant};
    return figures;
}

static const char *text(const struct always_valid_call *call, const char *key)
{
    return locale_format(call->locale, call->arena, key, NO_TEXT_ARGUMENTS);
}

static bool rate_has_events(const struct sequence_arm *arm)
{
    return arm->conversions.value >= SEQUENCE_EVENTS_MIN &&
           arm->n.value - arm->conversions.value >= SEQUENCE_EVENTS_MIN;
}

static bool is_enough(const struct always_valid_request *request, int64_t least)
{
    const struct sequence_arm *control = request->control_arm, *treatment = request->treatment_arm;

    if (control->n.value < least || treatment->n.value < least)
        return false;
    return request->metric != SEQUENCE_RATE ||
           (rate_has_events(control) && rate_has_events(treatment));
}

/* The adjusted difference. One slope serves both arms, their residual variances may differ. */
static void adjust_figures(const struct always_valid_call *call,
                           const struct always_valid_request *request,
                           const struct adjustment_arm arms[2], struct always_valid_reply *reply)
{
    struct adjustment *fit = ARENA_NEW(call->arena, struct adjustment);
    double plain = variance_of_mean(&arms[0]) + variance_of_mean(&arms[1]), effect, variance;

    adjustment_fit(arms, 2, 1, fit);
    adjustment_difference(fit, 0, 1, &effect, &variance);
    if (!(variance > 0))
        return;
    reply->adjusted =
        figures_of(call, request, effect, variance, (double)arms[0].n + (double)arms[1].n);
    if (reply->adjusted)
        reply->variance_reduction_pct = GIVEN_NUMBER(100 * (1 - variance / plain));
}

static void read_difference(const struct always_valid_call *call,
                            const struct always_valid_request *request,
                            struct always_valid_reply *reply)
{
    int64_t least = request->metric == SEQUENCE_RATE ? SEQUENCE_RATE_USERS_MIN : SEQUENCE_USERS_MIN;
    struct adjustment_arm arms[2] = {adjustment_arm_of(request->metric, request->control_arm),
                                     adjustment_arm_of(request->metric, request->treatment_arm)};

    reply->method = "asymptotic_confidence_sequence";
    reply->least_users = GIVEN_INTEGER(least);
    if (!is_enough(request, least)) {
        reply->status = "insufficient_data";
        reply->note = text(call, "sequential.always_valid.insufficient");
        return;
    }
    reply->unadjusted = figures_of(call, request, arms[1].mean[0] - arms[0].mean[0],
                                   variance_of_mean(&arms[0]) + variance_of_mean(&arms[1]),
                                   (double)arms[0].n + (double)arms[1].n);
    if (!reply->unadjusted) {
        reply->status = "not_evaluable";
        reply->note = text(call, "sequential.always_valid.not_evaluable");
        return;
    }
    if (request->control_arm->covariate)
        adjust_figures(call, request, arms, reply);
}

static struct optional_number when_bounded(double value)
{
    return isfinite(value) ? GIVEN_NUMBER(value) : (struct optional_number){0};
}

static struct quantile_cells cells_of(const struct sequence_arm *arm, struct arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, arm->values.count);

    for (size_t i = 0; i < arm->values.count; i++)
        values[i] = arm->values.items[i];
    return quantile_cells_of(values, arm->values.count, arena);
}

static void read_quantiles(const struct always_valid_call *call,
                           const struct always_valid_request *request,
                           struct always_valid_reply *reply)
{
    struct always_valid_figures *figures = ARENA_NEW(call->arena, struct always_valid_figures);
    struct quantile_cells control = cells_of(request->control_arm, call->arena);
    struct quantile_cells treatment = cells_of(request->treatment_arm, call->arena);
    struct quantile_sequence result;

    quantile_sequence_difference(&control, &treatment, request->quantile,
                                 (double)request->tuning_users / 2, request->alpha, &result);
    *figures = (struct always_valid_figures){.effect = result.difference,
                                             .p_value = result.p_value,
                                             .ci_lower = when_bounded(result.lower),
                                             .ci_upper = when_bounded(result.upper),
                                             .is_significant = result.is_significant};
    reply->method = "quantile_confidence_sequence";
    reply->unadjusted = figures;
}

void always_valid_read(const struct always_valid_call *call,
                       const struct always_valid_request *request, struct always_valid_reply *reply)
{
    *reply = (struct always_valid_reply){.status = "ok",
                                         .note = text(call, "sequential.always_valid.note"),
                                         .confidence_level = 1 - request->alpha};
    if (request->metric == SEQUENCE_QUANTILE)
        read_quantiles(call, request, reply);
    else
        read_difference(call, request, reply);
}
