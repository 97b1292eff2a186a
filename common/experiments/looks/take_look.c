/* Reads as live-stats does, and keeps what each treatment shows. */
#include "experiments/looks/take_look.h"

#include "base/log.h"
#include "db/store.h"
#include "experiments/certificates/certificate_sums.h"
#include "experiments/looks/settled.h"

#include <math.h>
#include <string.h>

#define OWNER struct look_request
static const struct field request_fields[] = {
    BOOLEAN(OWNER, unplanned,
            .help = "A look between the planned ones; of a hybrid test the one at its end, now. "
                    "Alpha holds if the moment was not chosen by the effect."),
};
#undef OWNER
SCHEMA(look_request_schema, struct look_request, "LookRequest", request_fields,
       .help = "Which look to take.", .example = "{\"unplanned\":false}");

#define OWNER struct look_reply
static const struct field reply_fields[] = {
    STRING(OWNER, experiment_id),
    BOOLEAN(OWNER, taken,
            .help = "False when no look is due, or nothing came in since the last one."),
    BOOLEAN(OWNER, settling,
            .help = "The look at the planned size waits: its users were received less than "
                    "AB_LIVE_SETTLING_SECONDS ago, or their conversion window is not over."),
    OBJECT(OWNER, planned_looks, live_planned_looks_schema, .nullable = true,
           .help = "As live-stats has it now; null before the first user."),
    OBJECT(OWNER, hybrid, live_hybrid_schema, .nullable = true, .omit_if_null = true,
           .help = "The same of a design with hybrid readings."),
};
#undef OWNER
SCHEMA(look_reply_schema, struct look_reply, "LookReply", reply_fields,
       .help = "The looks of an experiment.");

struct taking {
    const struct live_call *call;
    const struct live_results_call *results;
    const char *id;
    const struct look_order *order;
    struct live_view *view;
    struct live_stats *stats;
};

static enum error load(struct taking *taking)
{
    enum error error;

    taking->view = ARENA_NEW(taking->call->arena, struct live_view);
    taking->stats = ARENA_NEW(taking->call->arena, struct live_stats);
    error = live_view_load(taking->call, taking->id, &(struct live_view_options){0}, taking->view);
    if (error)
        return error;
    live_results_statistics(taking->results, taking->view, taking->stats);
    if (!taking->stats->sequential->looks_status)
        return problem_set(taking->call->problem, ERROR_CONFLICT, "no_planned_looks",
                           "The design plans no looks (constraints.planned_looks or hybrid), or "
                           "several goals or adaptive shares decide");
    return ERROR_NONE;
}

static bool has_new_users(const struct taking *taking)
{
    const struct live_look_list *looks = &taking->view->looks;
    double last = looks->count ? looks->items[looks->count - 1].information_fraction : 0;

    return last < 1 && taking->stats->sequential->plans >= last + GROUP_SEQUENTIAL_STEP_MIN;
}

static bool may_take(const struct taking *taking)
{
    const struct live_sequential *sequential = taking->stats->sequential;
    bool due =
        sequential->hybrid ? sequential->hybrid->end_due : sequential->planned_looks->look_due;

    return strcmp(sequential->looks_status, "running") == 0 && has_new_users(taking) &&
           (taking->order->unplanned || due);
}

static bool is_last(const struct live_sequential *sequential)
{
    return sequential->hybrid ||
           sequential->planned_looks->next_fraction.value > 1 - GROUP_SEQUENTIAL_STEP_MIN;
}

/* Values that come after the last look would never count. */
static enum error check_settled(const struct taking *taking, bool *settled)
{
    const struct live_sequential *sequential = taking->stats->sequential;
    int64_t users =
        sequential->planned_sample_size_per_variant.value * (int64_t)taking->view->arm_count;

    *settled = true;
    if (taking->order->unplanned || !is_last(sequential))
        return ERROR_NONE;
    return look_users_settled(taking->call, taking->view, taking->order->settling_seconds, users,
                              settled);
}

/* Rates keep their natural unit: proportions. */
static void add_effect(const struct taking *taking, const struct live_comparison *comparison,
                       struct live_look *look)
{
    bool rate = taking->view->design->metrics->metric_type == METRIC_BINARY;

    if (strcmp(comparison->status, "ok") == 0 && comparison->variance > 0 &&
        isfinite(comparison->variance))
        look->effects[look->effect_count++] = (struct live_look_effect){
            comparison->treatment_index, comparison->test.effect / (rate ? 100 : 1),
            sqrt(comparison->variance)};
}

/* A look is for good: it waits for values that were not read. */
static enum error check_source(const struct taking *taking)
{
    if (live_view_is_fresh(taking->view))
        return ERROR_NONE;
    return problem_set(taking->call->problem, ERROR_CONFLICT, "source_not_fresh",
                       "The rows of %s in live data were not read recently: a look now would omit "
                       "them",
                       taking->view->source.entity_type);
}

static const char *plan_of(const struct live_sequential *sequential)
{
    return sequential->hybrid ? sequential->hybrid->plan : sequential->planned_looks->plan;
}

static enum error add(const struct taking *taking, bool *taken)
{
    const struct live_stats *stats = taking->stats;
    const struct live_comparison *comparisons = stats->comparisons.items;
    const struct live_look_basis basis = {&taking->view->looks, taking->view->updated_at};
    struct live_look *look = ARENA_NEW(taking->call->arena, struct live_look);

    *look = (struct live_look){.look = (int64_t)taking->view->looks.count + 1,
                               .information_fraction = stats->sequential->plans,
                               .users = stats->exposures_total,
                               .plan = plan_of(stats->sequential),
                               .actor = taking->order->actor,
                               .taken_at = store_now(taking->call->arena),
                               .sums = certificate_sums_text(taking->view, taking->call->arena)};
    for (size_t i = 0; i < stats->comparisons.count; i++)
        add_effect(taking, &comparisons[i], look);
    /* Spending alpha on nothing would be a loss. */
    return look->effect_count ? live_add_look(taking->call, taking->id, &basis, look, taken)
                              : ERROR_NONE;
}

static bool has_too_many(const struct live_planned_looks *planned)
{
    return planned && planned->unplanned_count >= LIVE_LOOKS_MAX - PAYLOAD_LOOKS_MAX;
}

/* Takes one that may be taken, and reads anew. */
static enum error take(struct taking *taking, struct look_reply *reply)
{
    bool settled;
    enum error error = check_source(taking);

    if (!error)
        error = check_settled(taking, &settled);
    if (error)
        return error;
    reply->settling = !settled;
    if (settled)
        error = add(taking, &reply->taken);
    return error ? error : load(taking);
}

enum error look_take(const struct live_call *call, const struct live_results_call *results,
                     const char *id, const struct look_order *order, struct look_reply *reply)
{
    struct taking taking = {.call = call, .results = results, .id = id, .order = order};
    enum error error = load(&taking);

    *reply = (struct look_reply){.experiment_id = id};
    if (error)
        return error;
    if (order->unplanned && has_too_many(taking.stats->sequential->planned_looks))
        return problem_set(call->problem, ERROR_CONFLICT, "too_many_looks",
                           "An experiment takes at most %d unplanned looks",
                           LIVE_LOOKS_MAX - PAYLOAD_LOOKS_MAX);
    if (may_take(&taking))
        error = take(&taking, reply);
    if (!error) {
        reply->planned_looks = taking.stats->sequential->planned_looks;
        reply->hybrid = taking.stats->sequential->hybrid;
    }
    return error;
}

/* A database that does not answer ends the iteration; anything else is one experiment's. A design
 * that plans looks but is not read by them, as with several goals, has nothing due. */
static enum error go_on(enum error error, const char *id, const struct problem *problem)
{
    struct log_line line;

    if (!error || error == ERROR_UNAVAILABLE)
        return error;
    if (error == ERROR_CONFLICT && strcmp(problem->reason, "no_planned_looks") == 0)
        return ERROR_NONE;
    log_begin(&line, LOG_WARNING, "look_failed");
    log_text(&line, "experiment_id", id);
    log_text(&line, "detail", problem->text);
    log_write(&line);
    return ERROR_NONE;
}

enum error look_take_due(const struct live_call *call, const struct locale *locale,
                         int64_t mixture_users, int64_t settling_seconds, struct arena *work)
{
    const struct live_results_call results = {
        .locale = locale, .arena = work, .mixture_users = mixture_users};
    const struct look_order order = {.settling_seconds = settling_seconds};
    struct live_call each = *call;
    struct string_list ids = {0};
    enum error error = live_list_planned(call, &ids);

    each.arena = work;
    for (size_t i = 0; !error && i < ids.count; i++) {
        struct look_reply reply;

        error = go_on(look_take(&each, &results, ids.items[i], &order, &reply), ids.items[i],
                      call->problem);
        arena_reset(work);
    }
    return error;
}
