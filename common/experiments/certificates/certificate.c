/* From a view to a certificate. */
#include "experiments/certificates/certificate.h"

#include "base/log.h"
#include "crypto/base64url.h"
#include "experiments/certificates/exposed_users.h"
#include "experiments/certificates/signing_key.h"
#include "experiments/live_results/policy.h"
#include "experiments/storage/store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PREPARING_MEMORY_MAX = 1 << 28 }; /* for one experiment */

/* The second one has the source of the rows of live data, the third one hybrid readings. */
static const char *const format_names[] = {"assay-certificate-1", "assay-certificate-2"};
static const char hybrid_format[] = "assay-certificate-3";

static const struct certificate_formulas formulas_of[METRIC__MAX] = {
    [METRIC_BINARY] = {"two_proportions_pooled_z", "beta_1_1_exact"},
    [METRIC_CONTINUOUS] = {"welch_t", "normal_flat"},
    [METRIC_COUNT] = {"welch_t", "normal_flat"},
    [METRIC_RATIO] = {"ratio_delta_z", "none"},
};

struct filling {
    const struct live_results_call *call;
    const struct live_view *view;
    const struct live_stats *stats;
    const struct payload_metrics *design;
};

static struct optional_number finite_number(double value)
{
    return (struct optional_number){isfinite(value), isfinite(value) ? value : 0};
}

static struct object_list list_arms(const struct filling *filling, const char *metric,
                                    int64_t slice)
{
    return certificate_arms(filling->view, metric, slice, filling->call->arena);
}

static void fill_strata(const struct filling *filling, struct certificate *certificate)
{
    const struct live_name_list *names = &filling->view->strata;
    struct certificate_stratum *strata =
        ARENA_ARRAY(filling->call->arena, struct certificate_stratum, names->count);

    for (size_t i = 0; i < names->count; i++) {
        strata[i].stratum = names->items[i].name;
        strata[i].arms =
            list_arms(filling, filling->design->primary_metric_name, names->items[i].number);
    }
    certificate->strata = (struct object_list){names->count, strata};
}

static void fill_guardrails(const struct filling *filling, struct certificate *certificate)
{
    const struct live_guardrail *block = filling->stats->guardrail;
    const struct live_guardrail_metric *metrics = block->metrics.items;
    struct certificate_guardrail *guardrails =
        ARENA_ARRAY(filling->call->arena, struct certificate_guardrail, block->metrics.count);

    for (size_t i = 0; i < block->metrics.count; i++) {
        const struct live_guardrail_comparison *comparisons = metrics[i].comparisons.items;

        guardrails[i] = (struct certificate_guardrail){
            .name = metrics[i].name,
            .metric_type = metrics[i].metric_type,
            .direction = metrics[i].direction,
            .margin = metrics[i].comparisons.count ? comparisons[0].margin : 0,
            .status = metrics[i].status,
            .arms = list_arms(filling, metrics[i].name, LIVE_EVERYBODY)};
    }
    certificate->guardrails = (struct object_list){block->metrics.count, guardrails};
}

static void fill_comparison(const struct live_comparison *from,
                            struct certificate_comparison *comparison)
{
    const struct live_always_valid *always = from->always_valid;

    *comparison = (struct certificate_comparison){.treatment_index = from->treatment_index,
                                                  .status = from->status};
    if (strcmp(from->status, "ok") != 0)
        return;
    comparison->effect = finite_number(from->test.effect);
    comparison->ci_lower = finite_number(from->test.ci_lower);
    comparison->ci_upper = finite_number(from->test.ci_upper);
    comparison->p_value = finite_number(from->test.p_value);
    comparison->statistic = finite_number(from->test.statistic);
    comparison->is_significant = (struct optional_boolean){true, from->test.is_significant};
    comparison->sequential_significant = from->sequential_significant;
    comparison->probability_better = from->probability_treatment_beats_control;
    if (!always)
        return;
    comparison->always_valid_p_value = always->always_valid_p_value;
    comparison->ci_sequence_lower = always->ci_sequence_lower;
    comparison->ci_sequence_upper = always->ci_sequence_upper;
}

static void fill_comparisons(const struct filling *filling, struct certificate *certificate)
{
    const struct live_stats *stats = filling->stats;
    const struct live_comparison *from = stats->comparisons.items;
    struct certificate_comparison *comparisons =
        ARENA_ARRAY(filling->call->arena, struct certificate_comparison, stats->comparisons.count);

    for (size_t i = 0; i < stats->comparisons.count; i++)
        fill_comparison(&from[i], &comparisons[i]);
    certificate->comparisons = (struct object_list){stats->comparisons.count, comparisons};
}

static void fill_reading(const struct live_hybrid_reading *from,
                         struct certificate_hybrid_reading *reading)
{
    *reading = (struct certificate_hybrid_reading){.treatment_index = from->treatment_index,
                                                   .status = from->status,
                                                   .boundary_z = from->boundary_z,
                                                   .z = from->z,
                                                   .p_value = from->p_value,
                                                   .effect = from->effect,
                                                   .ci_lower = from->ci_lower,
                                                   .ci_upper = from->ci_upper,
                                                   .is_significant = from->is_significant};
}

static const struct certificate_hybrid_end *end_of(const struct filling *filling)
{
    const struct live_look *look = filling->view->looks.items;
    struct certificate_hybrid_end *end;

    if (!filling->stats->sequential->hybrid->end)
        return NULL;
    end = ARENA_NEW(filling->call->arena, struct certificate_hybrid_end);
    *end = (struct certificate_hybrid_end){look->information_fraction, look->users, look->taken_at,
                                           look->sums};
    return end;
}

static void fill_hybrid(const struct filling *filling, struct certificate *certificate)
{
    const struct live_hybrid *from = filling->stats->sequential->hybrid;
    struct arena *arena = filling->call->arena;
    struct certificate_hybrid_reading *readings;
    struct certificate_hybrid *hybrid;

    if (!from)
        return;
    hybrid = ARENA_NEW(arena, struct certificate_hybrid);
    readings = ARENA_ARRAY(arena, struct certificate_hybrid_reading, from->comparisons.count);
    for (size_t i = 0; i < from->comparisons.count; i++)
        fill_reading(&((const struct live_hybrid_reading *)from->comparisons.items)[i],
                     &readings[i]);
    *hybrid = (struct certificate_hybrid){.status = from->status,
                                          .alpha = from->alpha,
                                          .early_share = from->early_share,
                                          .tuned_fraction = from->tuned_fraction,
                                          .early_error = from->early_error,
                                          .end_z = from->end_z,
                                          .end = end_of(filling),
                                          .readings = {from->comparisons.count, readings}};
    certificate->format = hybrid_format;
    certificate->hybrid = hybrid;
}

/* The mixture is the same for all comparisons that have one. */
static struct optional_number mixture_of(const struct live_stats *stats)
{
    const struct live_comparison *comparisons = stats->comparisons.items;

    for (size_t i = 0; i < stats->comparisons.count; i++)
        if (comparisons[i].always_valid && comparisons[i].always_valid->mixture_variance.given)
            return comparisons[i].always_valid->mixture_variance;
    return (struct optional_number){0};
}

static void fill_design(const struct filling *filling, struct certificate *certificate)
{
    struct certificate_design *design = ARENA_NEW(filling->call->arena, struct certificate_design);
    struct certificate_formulas *formulas =
        ARENA_NEW(filling->call->arena, struct certificate_formulas);
    const struct live_sequential *sequential = filling->stats->sequential;
    bool active = strcmp(sequential->status, "active") == 0 && !sequential->hybrid;

    *design = (struct certificate_design){
        .metric = filling->design->primary_metric_name,
        .metric_type = metric_type_names[filling->design->metric_type],
        .direction = goal_direction_names[filling->design->direction],
        .alpha = filling->design->alpha,
        .power = filling->design->power,
        .baseline_value = filling->design->baseline_value,
        .mde_pct = filling->design->mde_pct,
        .traffic_split = filling->view->design->setup->traffic_split,
        .n_looks = filling->view->design->constraints->n_looks,
        .planned_users_per_arm = sequential->planned_sample_size_per_variant,
        .final_boundary = {active, active ? sequential->final_boundary : 0},
        .mixture_variance = mixture_of(filling->stats)};
    *formulas = formulas_of[filling->design->metric_type];
    formulas->sample_ratio = "pearson_chi_square";
    formulas->always_valid = "normal_mixture_sprt";
    formulas->boundary = sequential->hybrid ? "hybrid_mixture_and_end"
                         : active           ? "obrien_fleming"
                                            : "none";
    formulas->guardrails = "one_sided_normal";
    formulas->strata = "post_stratified_z";
    formulas->policy = "practical_v1";
    certificate->design = design;
    certificate->formulas = formulas;
}

static void fill_checks(const struct filling *filling, struct certificate *certificate)
{
    struct arena *arena = filling->call->arena;
    const struct live_stats *stats = filling->stats;
    struct certificate_sample_ratio *ratio = ARENA_NEW(arena, struct certificate_sample_ratio);
    struct certificate_sequential *sequential = ARENA_NEW(arena, struct certificate_sequential);
    struct certificate_population *population = ARENA_NEW(arena, struct certificate_population);

    *ratio = (struct certificate_sample_ratio){stats->srm->status, stats->srm->chi_square,
                                               stats->srm->p_value, stats->srm->is_srm};
    *sequential = (struct certificate_sequential){stats->sequential->status,
                                                  stats->sequential->information_fraction,
                                                  stats->sequential->current_boundary_z};
    *population = (struct certificate_population){
        .policy = stats->population->policy_version,
        .counts = stats->population->fingerprint,
        .events = stats->event_timing->total,
        .events_before_exposure = stats->event_timing->out_of_order,
        .multiple_exposure_share = stats->population->multiple_exposure_share};
    certificate->sample_ratio = ratio;
    certificate->sequential = sequential;
    certificate->population = population;
}

static const char *part_of(const struct live_stats *stats, const struct policy_reason *reason)
{
    const struct live_guardrail_metric *metrics = stats->guardrail->metrics.items;
    const struct live_stratum_srm *strata = stats->srm->strata.items;

    if (reason->part < 0)
        return NULL;
    return reason->reason == REASON_STRATUM_SRM ? strata[reason->part].stratum
                                                : metrics[reason->part].name;
}

static struct object_list list_reasons(const struct filling *filling,
                                       const struct policy_reason *reasons, size_t count)
{
    const struct live_comparison *comparisons = filling->stats->comparisons.items;
    struct certificate_reason *list =
        ARENA_ARRAY(filling->call->arena, struct certificate_reason, count);

    for (size_t i = 0; i < count; i++) {
        list[i].code = reason_codes[reasons[i].reason];
        if (reasons[i].comparison >= 0)
            list[i].arm = GIVEN_INTEGER(comparisons[reasons[i].comparison].treatment_index);
        list[i].part = part_of(filling->stats, &reasons[i]);
    }
    return (struct object_list){count, list};
}

static void fill_verdict(const struct filling *filling, struct certificate *certificate)
{
    struct certificate_verdict *verdict =
        ARENA_NEW(filling->call->arena, struct certificate_verdict);
    struct policy_outcome *outcome = ARENA_NEW(filling->call->arena, struct policy_outcome);

    policy_decide(filling->stats, filling->design, outcome);
    *verdict = (struct certificate_verdict){
        .verdict = verdict_names[outcome->verdict],
        .confidence = confidence_names[outcome->confidence],
        .reasons = list_reasons(filling, outcome->reasons, outcome->reason_count),
        .blockers = list_reasons(filling, outcome->blockers, outcome->blocker_count)};
    certificate->decision = verdict;
}

void certificate_fill(const struct live_results_call *call, const struct live_view *view,
                      struct certificate *certificate)
{
    struct live_stats *stats = ARENA_NEW(call->arena, struct live_stats);
    const struct filling filling = {call, view, stats, view->design->metrics};

    live_results_statistics(call, view, stats);
    *certificate = (struct certificate){.format = format_names[view->has_source],
                                        .experiment_id = view->experiment.id,
                                        .source = live_results_source(view, call->arena)};
    fill_design(&filling, certificate);
    certificate->arms = certificate_goal_arms(view, call->arena);
    fill_strata(&filling, certificate);
    fill_guardrails(&filling, certificate);
    fill_comparisons(&filling, certificate);
    fill_checks(&filling, certificate);
    fill_hybrid(&filling, certificate);
    fill_verdict(&filling, certificate);
}

/* Kinds of experiments that have no certificate. */
static enum error check_kind(const struct live_call *call, const struct live_view *view)
{
    if (view->design->metrics->goals)
        return problem_set(call->problem, ERROR_INVALID, "certificate_goals",
                           "A certificate is about the primary metric alone, and this experiment "
                           "has further goals");
    if (view->design->constraints->planned_looks)
        return problem_set(call->problem, ERROR_CONFLICT, "certificate_of_planned_looks",
                           "Certificates do not cover verdicts by planned looks");
    if (view->design->constraints->hybrid && view->looks.count > 0 && !view->looks.items[0].sums)
        return problem_set(call->problem, ERROR_CONFLICT, "certificate_of_planned_looks",
                           "The test at the end was taken by a version that kept no sums of it");
    if (view->adaptive.found)
        return problem_set(call->problem, ERROR_CONFLICT, "certificate_adaptive",
                           "An adaptive experiment has no certificate: its figures follow from its "
                           "rounds, which verifiers do not know");
    if (view->design->setup->clusters)
        return problem_set(call->problem, ERROR_INVALID, "certificate_clusters",
                           "A certificate recomputes tests of single users: this experiment has"
                           " clusters");
    return ERROR_NONE;
}

/* The population of a certificate, read in the snapshot of its view. */
struct population {
    const struct live_view *view;
    struct kept_users kept;
    bool refused; /* the experiment has no certificate: nothing was read */
};

static enum error read_users(const struct live_call *call, const struct live_experiment *experiment,
                             void *context)
{
    struct population *population = context;
    enum error error = check_kind(call, population->view);
    int64_t exposures = 0;

    population->refused = error != ERROR_NONE;
    if (error)
        return error;
    for (int i = 0; i < 1 + LIVE_ARMS_MAX; i++)
        exposures += population->view->rollup.arms[i].exposures;
    return exposed_users_find(call, experiment, exposures, &population->kept);
}

/* For the next certificate. A database that takes no writes now costs only time. */
static void keep_users(const struct live_call *call, const char *id,
                       const struct population *population)
{
    struct problem problem = {0};
    struct live_call own = *call;

    own.problem = &problem;
    if (population->view->experiment.number && !population->kept.fits &&
        exposed_users_keep(&own, id, &population->kept))
        log_event(LOG_WARNING, "population_not_kept", problem.text);
}

static enum error sign(const struct live_call *call, const struct signing_key *key,
                       const struct certificate *certificate, struct signed_certificate *issued)
{
    unsigned char signature[ED25519_SIGNATURE_BYTES];
    const char *text =
        schema_json(call->arena, CERTIFICATE_BYTES_MAX, &certificate_schema, certificate);
    enum error error;

    if (!text)
        return problem_set(call->problem, ERROR_TOO_LARGE, "certificate_too_large",
                           "The certificate would have more than %d bytes", CERTIFICATE_BYTES_MAX);
    error = ed25519_sign(key->seed, text, strlen(text), signature, call->problem);
    *issued = (struct signed_certificate){
        text, base64url_write(call->arena, signature, sizeof signature)};
    return error;
}

/* A verdict that is withheld is nothing to certify. */
static enum error check_source(const struct live_call *call, const struct live_view *view)
{
    if (live_view_is_fresh(view))
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_CONFLICT, "source_not_fresh",
                       "The rows of %s in live data were not read recently: there is no verdict to "
                       "certify",
                       view->source.entity_type);
}

enum error certificate_issue(const struct live_call *call, const struct live_results_call *results,
                             const char *id, struct signed_certificate *issued)
{
    struct live_view *view = ARENA_NEW(call->arena, struct live_view);
    struct certificate *certificate = ARENA_NEW(call->arena, struct certificate);
    struct certificate_population *population;
    struct signing_key key;
    struct population read = {.view = view};
    const struct live_view_options options = {.also = read_users, .context = &read};
    enum error error = live_view_load(call, id, &options, view);

    if (!error)
        error = check_source(call, view);
    if (!error)
        error = signing_key_load(call, &key);
    if (error)
        return error;
    keep_users(call, id, &read);
    certificate_fill(results, view, certificate);
    population = (struct certificate_population *)certificate->population;
    population->exposures = read.kept.users.count;
    population->exposures_sha256 = read.kept.users.sha256;
    certificate->key = key.fingerprint;
    certificate->issued_at = store_now(call->arena);
    certificate->data_version = live_view_version(call, view);
    return sign(call, &key, certificate, issued);
}

/* One that cannot be read does not keep those behind it from their certificates. */
static enum error prepare_one(const struct live_call *call, const char *id)
{
    struct live_view *view = ARENA_NEW(call->arena, struct live_view);
    struct population read = {.view = view};
    const struct live_view_options options = {.also = read_users, .context = &read};
    enum error error = live_view_load(call, id, &options, view);
    struct log_line line;

    if (!error)
        error = exposed_users_keep(call, id, &read.kept);
    if (!error || read.refused || error == ERROR_UNAVAILABLE)
        return read.refused ? ERROR_NONE : error;
    log_begin(&line, LOG_WARNING, "certificate_not_prepared");
    log_text(&line, "experiment_id", id);
    log_text(&line, "detail", call->problem->text);
    log_write(&line);
    return ERROR_NONE;
}

enum error certificates_prepare(const struct live_call *call, int most,
                                struct certificates_place *place)
{
    struct live_names experiments;
    struct live_call own = *call;
    enum error error = exposed_users_missing(call, place->after, most, &experiments);

    if (error)
        return error;
    own.arena = arena_create_below(call->arena, PREPARING_MEMORY_MAX);
    place->after[0] = '\0';
    for (size_t i = 0; !error && i < experiments.count; i++) {
        error = prepare_one(&own, experiments.items[i]);
        arena_reset(own.arena);
        if (i + 1 == (size_t)most)
            snprintf(place->after, sizeof place->after, "%s", experiments.items[i]);
    }
    arena_destroy(own.arena);
    return error;
}
