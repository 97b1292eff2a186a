/* From views of experiments to a request of /results/bayes. */
#include "experiments/live_results/posteriors.h"

#include "experiments/live_results/bayes.h"

#include <math.h>
#include <string.h>

/* Experiments whose designs are compared for a prior, and memory for one of them. */
enum { LOOKED_AT_MAX = 2000, OTHER_MEMORY_MAX = 1 << 28 };

static const double default_share = 0.05; /* of the worthwhile effect */

/* Counts per user are means here, as everywhere in live results. */
static int metric_of(const struct payload_metrics *metrics)
{
    return metrics->metric_type == METRIC_BINARY ? BAYES_BINARY : BAYES_CONTINUOUS;
}

/* False where the values are too large. */
static bool read_arm(const struct live_view *view, int arm, struct bayes_arm *result)
{
    const struct payload_metrics *metrics = view->design->metrics;
    struct live_moments moments = live_view_moments(
        view, live_view_metric(view, metrics->primary_metric_name), LIVE_EVERYBODY, arm);

    *result = (struct bayes_arm){.n = GIVEN_INTEGER(moments.n)};
    if (metrics->metric_type == METRIC_BINARY) {
        result->converted = GIVEN_INTEGER(moments.converted);
        return true;
    }
    result->mean = GIVEN_NUMBER(moments.mean);
    result->std = GIVEN_NUMBER(moments.n > 1 ? sqrt(moments.squares / (double)(moments.n - 1)) : 0);
    return moments.defined;
}

static bool is_alike(const struct payload_metrics *a, const struct payload_metrics *b)
{
    return a->metric_type == b->metric_type && a->primary_metric_name && b->primary_metric_name &&
           strcmp(a->primary_metric_name, b->primary_metric_name) == 0;
}

/* Whether an experiment is another one with this metric. It may be deleted meanwhile. */
static enum error check_alike(const struct live_call *call, const struct live_view *view,
                              const char *id, bool *alike)
{
    struct live_reading other = {0};
    enum error error = live_read_design(call, id, &other);

    *alike = !error && strcmp(id, view->experiment.id) != 0 &&
             is_alike(view->design->metrics, other.design->metrics);
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

/* The other experiments with this metric, among the first LOOKED_AT_MAX. */
static enum error list_alike(const struct live_call *call, const struct live_view *view,
                             struct live_names *alike)
{
    struct live_names names = {.arena = call->arena};
    enum error error = live_list_experiments(call, &names);
    struct live_call own = *call;

    own.arena = arena_create_below(call->arena, OTHER_MEMORY_MAX);
    for (size_t i = 0; !error && i < names.count && i < LOOKED_AT_MAX; i++) {
        bool is = false;

        error = check_alike(&own, view, names.items[i], &is);
        if (is)
            live_names_add(alike, names.items[i]);
        arena_reset(own.arena);
    }
    arena_destroy(own.arena);
    return error;
}

/* The control arm of another experiment, when it has two users or more; none of one that is deleted
 * or keeps changing. */
static enum error add_control(const struct live_call *call, const char *id,
                              struct object_list *past, struct bayes_arm *arms)
{
    struct live_view *other = ARENA_NEW(call->arena, struct live_view);
    enum error error = live_view_load(call, id, &(struct live_view_options){0}, other);

    if (error)
        return error == ERROR_NOT_FOUND || error == ERROR_BUSY ? ERROR_NONE : error;
    if (read_arm(other, 0, &arms[past->count]) && arms[past->count].n.value > 1)
        past->count++;
    return ERROR_NONE;
}

/* The control arms of the other experiments with this metric. */
static enum error read_past(const struct live_call *call, const struct live_view *view,
                            struct object_list *past)
{
    struct live_names alike = {.arena = call->arena};
    struct bayes_arm *arms = ARENA_ARRAY(call->arena, struct bayes_arm, BAYES_PAST_MAX);
    enum error error = db_begin(call->db, DB_READ, call->problem);
    struct live_call own = *call;

    *past = (struct object_list){0, arms};
    if (error)
        return error;
    error = db_finish(call->db, list_alike(call, view, &alike), call->problem);
    own.arena = arena_create_below(call->arena, OTHER_MEMORY_MAX);
    for (size_t i = 0; !error && i < alike.count && past->count < BAYES_PAST_MAX; i++) {
        error = add_control(&own, alike.items[i], past, arms);
        arena_reset(own.arena);
    }
    arena_destroy(own.arena);
    return error;
}

static struct optional_number worthwhile(const struct payload_metrics *metrics)
{
    double effect = metrics->baseline_value * fabs(metrics->mde_pct) / 100;

    return (struct optional_number){effect > 0, effect > 0 ? effect : 0};
}

/* False where the values are too large. */
static bool read_arms(const struct live_view *view, struct arena *arena, struct object_list *list)
{
    struct bayes_arm *arms = ARENA_ARRAY(arena, struct bayes_arm, view->arm_count);

    *list = (struct object_list){view->arm_count, arms};
    for (size_t i = 0; i < view->arm_count; i++)
        if (!read_arm(view, (int)i, &arms[i]))
            return false;
    return true;
}

/* All but the arms and past experiments. */
static void start_request(const struct live_view *view, const struct posteriors_asked *asked,
                          struct bayes_request *request)
{
    const struct payload_metrics *metrics = view->design->metrics;
    const struct payload_bayes *settings = metrics->bayes;

    *request = (struct bayes_request){
        .metric_type = metric_of(metrics),
        .direction = metrics->direction,
        .prior = settings && !asked->past ? settings->prior : NULL,
        .credibility = asked->credibility,
        .loss_threshold = asked->loss_threshold,
        .looks = asked->looks.given ? asked->looks.value : view->design->constraints->n_looks,
        .worthwhile_effect = worthwhile(metrics)};
    if (!request->loss_threshold.given && settings)
        request->loss_threshold = settings->loss_threshold;
    if (!request->loss_threshold.given && request->worthwhile_effect.given)
        request->loss_threshold = GIVEN_NUMBER(default_share * request->worthwhile_effect.value);
}

enum error posteriors_of_experiment(const struct live_call *call, const struct locale *locale,
                                    const char *id, const struct posteriors_asked *asked,
                                    struct bayes_reply *reply)
{
    struct live_view *view = ARENA_NEW(call->arena, struct live_view);
    const struct results_call results = {locale, call->arena, call->problem};
    struct bayes_request request;
    enum error error = live_view_load(call, id, &(struct live_view_options){0}, view);

    if (error)
        return error;
    if (view->design->metrics->metric_type == METRIC_RATIO)
        return problem_set(call->problem, ERROR_INVALID, "bayes_ratio",
                           "A ratio metric has no conjugate posterior");
    if (view->experiment.cluster_plan.kept)
        return problem_set(call->problem, ERROR_INVALID, "bayes_clusters",
                           "Posteriors are those of single users: this experiment has clusters");
    if (view->adaptive.found)
        return problem_set(call->problem, ERROR_INVALID, "bayes_adaptive",
                           "Posteriors pool the rounds, whose shares of the arms differ: this "
                           "experiment is adaptive");
    start_request(view, asked, &request);
    if (!read_arms(view, call->arena, &request.arms))
        return problem_set(call->problem, ERROR_INVALID, "bayes_improper",
                           "The values are too large");
    if (asked->past)
        error = read_past(call, view, &request.past);
    if (!error && request.past.count == 1)
        request.past.count = 0;
    return error ? error : bayes_analyze(&results, &request, reply);
}

void live_results_bayes(const struct live_results_call *call, const struct live_view *view,
                        struct live_stats *stats)
{
    const struct payload_bayes *settings = view->design->metrics->bayes;
    struct live_bayes *block = ARENA_NEW(call->arena, struct live_bayes);
    struct bayes_reply *reply = ARENA_NEW(call->arena, struct bayes_reply);
    struct problem problem;
    const struct results_call results = {call->locale, call->arena, &problem};
    struct bayes_request request;

    if (!settings)
        return;
    stats->bayes = block;
    block->status = "not_applicable";
    if (view->design->metrics->metric_type == METRIC_RATIO || view->experiment.cluster_plan.kept ||
        view->adaptive.found)
        return;
    start_request(view, &(struct posteriors_asked){.credibility = settings->credibility}, &request);
    block->status = "insufficient_data";
    if (!read_arms(view, call->arena, &request.arms) || bayes_analyze(&results, &request, reply))
        return;
    block->status = "ok";
    block->analysis = reply;
}
